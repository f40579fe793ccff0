//! Grains of several parts fly while the spheres around them touch nothing, and tumble as free bodies; what comes out of their contacts is what
//! comes out step by step.

use arenite::body::rotation::{FreeTop, PrincipalMoments};
use arenite::cluster::integrate::Integrate;
use arenite::system::{EventLog, Setup};

use crate::support::{close, run, same_bits, written_planar, written_spatial};

/// A box of lossless grains of two parts; with gravity, some fall.
fn cube(dimension: usize, count: usize, end: f64, more: &str) -> String {
    let flat = dimension == 2;
    let edge = if flat { 0.05 } else { 0.02 };
    let vector = |x: f64| format!("{:?}", vec![x; dimension]);
    let part = if flat { "disks" } else { "spheres" };
    let at = |x: f64| {
        let mut place = vec![0.0; dimension];
        place[0] = x;
        format!("{place:?}")
    };
    format!(
        "name = \"cube\"\ndimension = {dimension}\n[run]\nend_time = {end}\n{more}\n[log]\nseries = {}\nsnapshots = \"never\"\n\
         [material.glass]\ndensity = 2500.0\n[[law]]\nbetween = [\"glass\", \"glass\"]\n[law.linear]\nnormal_stiffness = 1e6\n\
         tangential_stiffness = 0.0\nnormal_damping = 0.0\ntangential_damping = 0.0\nfriction = 0.0\n\
         [shape.pair]\n{part} = [{{ centre = {}, radius = 1.0 }}, {{ centre = {}, radius = 0.7 }}]\n\
         [[fill]]\nmaterial = \"glass\"\nshape = \"pair\"\n[fill.lattice]\ncount = {count}\nradius = 8e-4\nmin = {}\nmax = {}\n\
         jitter = 0.9\nspeed = 1.0\n[[boundary]]\nname = \"box\"\nmaterial = \"glass\"\nbox = {{ min = {}, max = {}, grains = \"inside\" }}\n",
        end / 10.0,
        at(0.0),
        at(1.2),
        vector(0.0),
        vector(edge),
        vector(0.0),
        vector(edge),
    )
}

fn figures<D: Integrate>(setup: &Setup<D>) -> (f64, f64, f64, usize) {
    let (system, sink) = run(setup);
    let summary = system.summary();
    let links = sink
        .events
        .iter()
        .filter(|row| row.kind == arenite::event::EventKind::InsertLink)
        .count();
    (
        summary.work.stepped_share().expect("steps"),
        summary.energy.kinetic,
        summary.energy.balance_error_max,
        links,
    )
}

fn alike<D: Integrate>(of: impl Fn(&str) -> Setup<D>) {
    let of = |more: &str| {
        let mut setup = of(more);
        setup.log.events = EventLog::Links;
        setup
    };
    let (all, energy, _, links) = figures(&of("flight = false"));
    assert!(all > 0.99, "{all}");
    assert!(links > 20, "{links}");
    for more in ["", "collisions = true"] {
        let (share, other, balance, met) = figures(&of(more));
        println!("{more}: {share:.2} of the steps, {met} contacts, {links} step by step");
        assert!(share < 0.7, "{share}");
        close("energy", other, energy, 1e-5 * energy);
        assert!(balance < 1e-5, "{balance:e}");
        assert_eq!(met, links);
    }
}

#[test]
fn contacts_of_shapes_are_those_step_by_step() {
    alike(|more| written_planar(&cube(2, 60, 0.01, more)));
    alike(|more| written_spatial(&cube(3, 60, 0.005, more)));
}

/// A body without forces tumbles as the top that theory has.
#[test]
fn a_flying_body_tumbles_freely() {
    let end = 0.3;
    let text = cube(3, 60, end, "").replace(
        "[fill.lattice]",
        "[[fill.grains]]\nposition = [0.01, 0.01, 0.01]\nradius = 8e-4\nspin = [40.0, 25.0, -30.0]\n[lattice]",
    );
    let text = &text[..text.find("[lattice]").unwrap()];
    let setup = written_spatial(text);
    let start = setup.grains[0];
    let (system, _) = run(&setup);
    assert!(system.summary().regimes.flight > 0.99);
    let grain = &system.grains_at(end)[0];
    // Its spin in its own axes, and its angular momentum in space.
    let moments = start.moments();
    let body = PrincipalMoments::new(moments).unwrap();
    let top = FreeTop::new(&body, start.rotation.inverse() * start.spin);
    let own = grain.rotation.inverse() * grain.spin;
    assert!(
        (own - top.spin(end)).norm() < 1e-5 * start.spin.norm(),
        "{own} {}",
        top.spin(end)
    );
    let momentum = |grain: &arenite::body::Grain<arenite::geometry::Spatial>| {
        let own = grain.rotation.inverse() * grain.spin;
        grain.rotation * nalgebra::Vector3::from_fn(|k, _| moments[k] * own[k])
    };
    let (before, after) = (momentum(&start), momentum(grain));
    assert!((after - before).norm() < 1e-12 * before.norm());
}

/// A flyer may be in the middle of its turn.
#[test]
fn logs_and_saved_states_change_nothing() {
    same_bits(&written_planar(&cube(2, 60, 0.005, "")), "plane");
    same_bits(&written_spatial(&cube(3, 60, 0.003, "")), "space");
}
