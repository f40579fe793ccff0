//! Beds at rest beside walls that move: who touches such a wall steps, the others stand still, and walls bear what they bear where all step.

use arenite::record::{BodyRef, GrainRow, LinkRow, MemorySink, Regime, Summary};

use super::laws_asleep::{laws, linear, outcome};

const GRAVITY: f64 = 9.81;

/// Sixty disks of 10 mm that fall between walls at 0 and 0.24 m on what `walls` gives.
fn bed(walls: &str, end: f64) -> String {
    format!(
        "name = \"bed\"\ndimension = 2\n[field]\ngravity = [0.0, -{GRAVITY}]\n[run]\nend_time = {end:?}\n[log]\nseries = 0.05\n\
         snapshots = 0.05\n[morph]\n[material.a]\ndensity = 1000.0\n[material.w]\n{}\
         [[boundary]]\nname = \"left\"\nmaterial = \"w\"\nplane = {{ point = [0.0, 0.0], normal = [1.0, 0.0] }}\n{walls}\
         [[fill]]\nmaterial = \"a\"\n[fill.lattice]\ncount = 60\nradius = {{ min = 0.009, max = 0.011 }}\nmin = [0.0, 0.1]\n\
         max = [0.24, 0.5]\njitter = 0.5\n",
        laws(&linear(), "")
    )
}

/// A wall with these keys.
fn wall(name: &str, keys: &str) -> String {
    format!("[[boundary]]\nname = \"{name}\"\nmaterial = \"w\"\n{keys}\n")
}

fn floor(keys: &str) -> String {
    wall(
        "floor",
        &format!("plane = {{ point = [0.0, 0.0], normal = [0.0, 1.0] }}\n{keys}"),
    )
}

fn right(keys: &str) -> String {
    wall(
        "right",
        &format!("plane = {{ point = [0.24, 0.0], normal = [-1.0, 0.0] }}\n{keys}"),
    )
}

fn still(grains: &[GrainRow]) -> f64 {
    let stands = |g: &&GrainRow| [Regime::Rest, Regime::Rigid].contains(&g.regime);
    grains.iter().filter(stands).count() as f64 / grains.len() as f64
}

/// Force of each wall on the grains over their weight.
fn borne(grains: &[GrainRow], links: &[LinkRow], wall: u16) -> [f64; 2] {
    let weight = GRAVITY * grains.iter().map(|g| g.mass).sum::<f64>();
    let mut sum = [0.0; 2];
    for link in links
        .iter()
        .filter(|link| link.body_b == BodyRef::Boundary(wall))
    {
        for (k, sum) in sum.iter_mut().enumerate() {
            *sum += (link.tangential_force[k] - link.normal_force * link.normal[k]) / weight;
        }
    }
    sum
}

/// Means over the snapshots from a time on: of what each of some walls bears over the weight, of the height of the centre of mass over that of
/// the bed's width, and of the part that stands still.
fn means(records: &MemorySink, from: f64, walls: u16) -> (Vec<[f64; 2]>, f64, f64) {
    let shots: Vec<_> = records
        .snapshots
        .iter()
        .filter(|(g, _)| g[0].time >= from - 1e-9)
        .collect();
    let count = shots.len() as f64;
    let (mut sums, mut height, mut stands) = (vec![[0.0; 2]; usize::from(walls)], 0.0, 0.0);
    for (grains, links) in shots {
        for (wall, sum) in (0..walls).zip(&mut sums) {
            let one = borne(grains, links, wall);
            (0..2).for_each(|k| sum[k] += one[k] / count);
        }
        let mass: f64 = grains.iter().map(|g| g.mass).sum();
        height += grains.iter().map(|g| g.mass * g.position[1]).sum::<f64>() / mass / count;
        stands += still(grains) / count;
    }
    (sums, height, stands)
}

/// Runs asleep and stepped.
fn twins(text: &str) -> [(MemorySink, Summary); 2] {
    [true, false].map(|rigid| {
        let (records, summary) = outcome(text, &[format!("morph.rigid={rigid}")]);
        let energy = &summary.energy;
        assert!(energy.balance_error.abs() < 2e-3, "{rigid}: {energy:?}");
        if rigid {
            let flowed = energy.dissipated.damping + energy.dissipated.slip;
            let morph = energy.dissipated.morph / flowed;
            assert!((-1e-4..0.005).contains(&morph), "{energy:?}");
        }
        (records, summary)
    })
}

/// Compares the means from a time on.
fn as_stepped(name: &str, text: &str, from: f64, walls: u16, least: f64, most: f64) {
    let found = twins(text).map(|(records, _)| means(&records, from, walls));
    let [(a, high, part), (b, low, none)] = &found;
    assert!(*part > least, "{name}: {part} stand still");
    assert_eq!(*none, 0.0);
    for (a, b) in a.iter().zip(b) {
        for k in 0..2 {
            assert!((a[k] - b[k]).abs() < most, "{name}: {found:?}");
        }
    }
    // One bed each: their packings differ.
    assert!((high / low - 1.0).abs() < 0.05, "{name}: {found:?}");
}

/// A lid of 2 kg that is pushed down: the floor bears both.
#[test]
fn a_bed_under_a_lid_bears_it() {
    let lid = wall(
        "lid",
        "plane = { point = [0.0, 0.7], normal = [0.0, -1.0] }\nmotion = { guided = { along = [0.0, -1.0], mass = 2.0, force = 40.0, damping = 20.0 } }",
    );
    let text = bed(&format!("{}{}{lid}", floor(""), right("")), 3.0);
    for (records, _) in twins(&text) {
        let (walls, ..) = means(&records, 2.5, 4);
        let mass: f64 = records.snapshots[0].0.iter().map(|g| g.mass).sum();
        let pressed = (2.0 * GRAVITY + 40.0) / (mass * GRAVITY);
        assert!((walls[3][1] + pressed).abs() < 0.01, "{walls:?} {pressed}");
        let rest = walls[0][1] + walls[1][1] + walls[2][1];
        assert!((rest - 1.0 - pressed).abs() < 0.01, "{walls:?} {pressed}");
    }
    as_stepped("lid", &text, 2.5, 2, 0.5, 0.02);
}

/// A side that stands, goes back by 2 cm, and stands again: the bed is at rest before and after, and follows meanwhile.
#[test]
fn a_bed_follows_a_side_that_goes_back() {
    let pieces = "motion = { pieces = [{ from = 1.5, velocity = [0.02, 0.0] }, { from = 2.5, velocity = [0.0, 0.0] }] }";
    let text = bed(&format!("{}{}", floor(""), right(pieces)), 4.0);
    let [(records, _), _] = twins(&text);
    let at = |time: f64| {
        let near = |(g, _): &&(Vec<GrainRow>, Vec<LinkRow>)| (g[0].time - time).abs() < 0.01;
        still(&records.snapshots.iter().find(near).unwrap().0)
    };
    let parts = [1.4, 1.6, 2.4, 4.0].map(at);
    assert!(parts[0] > 0.9 && parts[3] > 0.9, "{parts:?}");
    assert!(parts[1] < 1.0 && parts[2] < 1.0, "{parts:?}");
    as_stepped("side", &text, 3.8, 3, 0.9, 0.08);
}

/// A belt under a bed pushes it against the side by its friction.
#[test]
fn a_belt_pushes_a_bed_against_the_side() {
    let text = bed(
        &format!("{}{}", floor("belt = [0.05, 0.0]"), right("")),
        3.0,
    );
    for (records, _) in twins(&text) {
        let (walls, ..) = means(&records, 1.5, 3);
        // Friction of the floor, up to Coulomb's bound while links last, is borne by the side.
        let share = walls[1][0] / walls[1][1];
        assert!((0.38..0.52).contains(&share), "{walls:?}");
        let sum = walls[0][0] + walls[1][0] + walls[2][0];
        assert!(sum.abs() < 0.05, "{walls:?}");
    }
    as_stepped("belt", &text, 1.5, 3, 0.02, 0.15);
}

/// A plate that swings by little below a bed: who lies on it steps.
#[test]
fn a_bed_on_a_plate_that_swings_bears_its_weight() {
    let motion =
        "motion = { harmonic = { amplitude = [0.0, 1e-4], frequency = 9.0, phase = 0.0 } }";
    let text = bed(&format!("{}{}", floor(motion), right("")), 3.0);
    for (records, _) in twins(&text) {
        let (walls, ..) = means(&records, 1.5, 3);
        let sum = walls[0][1] + walls[1][1] + walls[2][1];
        assert!((sum - 1.0).abs() < 0.05, "{walls:?}");
    }
    as_stepped("plate", &text, 1.5, 2, 0.2, 0.08);
}

/// Small grains fall through a sieve on which the others come to rest.
#[test]
fn small_grains_fall_through_a_sieve() {
    let sieve = wall(
        "sieve",
        "segment = { from = [-0.01, 0.08], to = [0.25, 0.08] }\npasses_below_radius = 0.0098",
    );
    let text = bed(&format!("{}{}{sieve}", floor(""), right("")), 3.0);
    let [a, b] = twins(&text).map(|(records, _)| {
        let (grains, links) = records.snapshots.last().unwrap();
        let below = grains.iter().filter(|g| g.position[1] < 0.08).count();
        let passing = grains.iter().filter(|g| g.radius <= 0.0098).count();
        let sum: f64 = (0..4).map(|wall| borne(grains, links, wall)[1]).sum();
        assert!(below > 5 && below <= passing);
        assert!((sum - 1.0).abs() < 0.01, "{sum}");
        (below as f64, still(grains))
    });
    assert!(a.1 > 0.9 && b.1 == 0.0, "{a:?} {b:?}");
    assert!((a.0 - b.0).abs() <= 3.0, "{a:?} {b:?}");
}
