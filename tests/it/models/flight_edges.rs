//! Flights at the edges of what they know: after settling, under a gravity that was turned, across periodic borders, through edges of
//! fields. Each run is held against the same one with all grains stepped, or against the exact path.

use arenite::record::{MemorySink, Summary};

use crate::support::{close, driven};

const SOFT: &str = "[log]\nseries = 0.01\nsnapshots = 0.01\n[material.m]\ndensity = 25.0\n[[law]]\nbetween = [\"m\", \"m\"]\n[law.linear]\n\
                    normal_stiffness = 1000.0\ntangential_stiffness = 300.0\nnormal_damping = 0.1\ntangential_damping = 0.1\nfriction = 0.3\n";

/// A run in the plane; `run` are more keys of its section.
fn plane(end: f64, run: &str, more: &str) -> (MemorySink, Summary) {
    let text =
        format!("name = \"edges\"\ndimension = 2\n[run]\nend_time = {end}\n{run}\n{SOFT}{more}");
    driven(&text).expect("a run")
}

/// Disks that jump about in a box which swings, at the end of a settling that is given up: the clock is set back to 0 for those in flight too.
#[test]
fn settling_ends_for_flyers_too() {
    let more = "[field]\ngravity = [0.0, -9.81]\n[settle]\nat_most = 0.024\n[[fill]]\nmaterial = \"m\"\n[fill.lattice]\ncount = 8\nradius = 0.005\n\
                min = [-0.01225, -0.02975]\nmax = [0.01225, 0.02975]\njitter = 0.8\nspeed = 0.3\n[[boundary]]\nname = \"box\"\nmaterial = \"m\"\n\
                box = { min = [-0.0125, -0.03], max = [0.0125, 0.03], grains = \"inside\" }\n\
                motion = { harmonic = { amplitude = [0.0, 0.003], frequency = 10.0 } }\n";
    for speed in ["0.3", "0.4", "0.5", "0.6"] {
        let more = more.replace("speed = 0.3", &format!("speed = {speed}"));
        let of = |run: &str| plane(0.01, run, &more).1;
        let [flown, stepped] = [of(""), of("flight = false")];
        let (p, q) = (flown.energy, stepped.energy);
        assert!(p.balance_error_max < 1e-4, "{p:?}");
        close("energy", p.kinetic, q.kinetic, 1e-3 * q.kinetic);
    }
}

/// In a fluid the gravity of a tilt acts on those who fly as on those who are stepped.
#[test]
fn a_tilt_acts_on_flyers_in_a_fluid() {
    let more = "[field]\ngravity = [0.0, -9.81]\ndrag = 1e-9\n[[perturb]]\ntime = 0.01\ntilt = { angle = 0.5, duration = 0.001 }\n\
                [[fill]]\nmaterial = \"m\"\ngrains = [{ position = [0.1, 0.2], radius = 0.005 }, { position = [0.3, 0.2], radius = 0.005 }]\n";
    let of = |run: &str| plane(0.1, run, more);
    let [(a, flown), (b, _)] = [of(""), of("flight = false")];
    assert!(flown.regimes.flight > 0.7, "{:?}", flown.regimes);
    assert!(flown.energy.balance_error_max < 1e-5, "{:?}", flown.energy);
    let last = |sink: &MemorySink| sink.snapshots.last().unwrap().0[1];
    let (p, q) = (last(&a), last(&b));
    for k in 0..2 {
        close("place", p.position[k], q.position[k], 1e-7);
        close("velocity", p.velocity[k], q.velocity[k], 1e-6);
    }
}

/// Who flies round and round a periodic box is in it, and is taken away where an outlet is.
#[test]
fn flyers_are_in_their_periodic_box() {
    let grains = "[periodic]\nx = [-0.05, 0.05]\ny = [-0.05, 0.05]\n[[fill]]\nmaterial = \"m\"\ngrains = [\
                  { position = [0.03, 0.0], radius = 0.005, velocity = [0.5, 0.0] }, { position = [0.03, 0.03], radius = 0.005, velocity = [0.503, 0.01] }, \
                  { position = [0.03, -0.03], radius = 0.005, velocity = [0.4, 0.0] }]\n";
    let outside = "[[outlet]]\noutside = { min = [-0.07, -0.07], max = [0.07, 0.07] }\n";
    let inside = "[[outlet]]\ninside = { min = [-0.02, -0.0401], max = [0.02, -0.005] }\n";
    for (outlet, left) in [(outside, 3), (inside, 2)] {
        let (sink, summary) = plane(0.4, "", &format!("{grains}{outlet}"));
        assert_eq!(summary.grains.last, left, "{outlet}");
        assert!(summary.regimes.flight > 0.9, "{:?}", summary.regimes);
        for grain in sink.snapshots.iter().flat_map(|(grains, _)| grains) {
            for k in 0..2 {
                // A flyer looks around where it has left its cell by a hair.
                assert!(grain.position[k].abs() < 0.053, "{:?}", grain.position);
            }
        }
    }
}

/// A field that begins at an edge acts from there on, wherever in a piece of a path the edge is.
#[test]
fn edges_of_fields_are_seen() {
    let more = "[field]\ngravity = [0.0, 0.0]\n[field.table]\norigin = [0.1, -1.0]\nspacing = [1.1, 2.0]\ncount = [2, 2]\noutside = \"zero\"\n\
                values = [[0.0, 20.0], [0.0, 20.0], [0.0, 20.0], [0.0, 20.0]]\n[[fill]]\nmaterial = \"m\"\ngrains = [\
                { position = [0.0, 0.0], radius = 0.005, velocity = [0.5, 0.0] }, { position = [0.0, 0.03], radius = 0.005, velocity = [0.503, 0.0] }, \
                { position = [0.003, -0.03], radius = 0.005, velocity = [0.4, 0.0] }]\n";
    let (sink, summary) = plane(0.3, "", more);
    assert!(summary.regimes.flight > 0.9, "{:?}", summary.regimes);
    let grains = &sink.snapshots.last().unwrap().0;
    for (grain, [from, speed]) in grains.iter().zip([[0.0, 0.5], [0.0, 0.503], [0.003, 0.4]]) {
        let inside = 0.3 - (0.1 - from) / speed;
        close("velocity", grain.velocity[1], 20.0 * inside, 2e-3);
    }
}
