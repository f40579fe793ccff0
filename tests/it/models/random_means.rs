//! Morphing on or off, in the mean: the same scenario, drawn at random, with every grain stepped all the time and with
//! grains that fly, collide at once, or stand still. Paths part soon, since what is granular is chaotic; means over many
//! scenarios must not.
//!
//! Each figure is compared by the differences of the pairs: their mean is to lie within [`SIGNIFICANT`] of its standard
//! errors of zero. With 24 pairs (Student's t of 23 degrees of freedom) chance alone goes beyond that in one of 1,800
//! draws of a figure, and there are 15 figures. Seeds are fixed, so that a test that passes does so until the bits of
//! runs change; whoever changes them draws once. Standard errors are bounded too: a comparison with a wide scatter would
//! pass whatever morphing does; what a coarse tolerance does is seen (`standing_still_changes_no_mean`).
//!
//! `cargo test --release --test it random_means -- --ignored --nocapture` draws many more and prints the figures.

use std::fmt::Write;
use std::ops::Range;

use arenite::record::SeriesRow;

use crate::support::{Dice, run, written_planar};

/// Standard errors of the mean difference beyond which two models differ.
const SIGNIFICANT: f64 = 4.0;

/// The first seed.
const SEEDS: u64 = 1_000;

/// Pairs in each run of the tests.
const PAIRS: u64 = 24;

/// Side of the box, m.
const SIDE: f64 = 0.2;

/// Mean diameter, m.
const DIAMETER: f64 = 0.016;

/// What models a scenario is run with: lines of `[run]`, and a section.
struct Models {
    run: &'static str,
    morph: &'static str,
}

const STEPPED: Models = Models {
    run: "flight = false\n",
    morph: "[morph]\nrigid = false\n",
};
const FLYING: Models = Models {
    run: "flight = true\n",
    morph: "[morph]\nrigid = false\n",
};
const COLLIDING: Models = Models {
    run: "flight = true\ncollisions = true\n",
    morph: "[morph]\nrigid = false\n",
};
const STILL: Models = Models {
    run: "flight = true\n",
    morph: "[morph]\nrigid = true\n",
};

/// Grains are stopped far too soon.
const COARSE: Models = Models {
    run: "flight = true\n",
    morph: "[morph]\nrigid = true\nkinetic = 1.0\nresidual = 20.0\nresidual_after_solve = 20.0\nwake = 100.0\nwake_share = 10.0\nstrike = 1e6\n",
};

/// A named figure of a run.
type Figure = (&'static str, f64);

/// A box of disks: what happens in it comes last.
fn boxed(seed: u64, models: &Models, finish: f64, floor: &str, more: &str) -> String {
    let dice = &mut Dice(seed);
    let mut text = format!(
        "name = \"random\"\ndimension = 2\nseed = {seed}\n[field]\ngravity = [0.0, -9.81]\n[run]\nend_time = {finish}\n{}\
         [log]\nseries = 0.01\ncheckpoint = \"never\"\n{}[material.stuff]\ndensity = 1000.0\n[[law]]\n\
         between = [\"stuff\", \"stuff\"]\n[law.linear]\nnormal_stiffness = 2e5\ntangential_stiffness = 1e5\n\
         normal_damping = {}\ntangential_damping = {}\nfriction = {}\nper_mass = true\n",
        models.run,
        models.morph,
        dice.between(60.0, 250.0),
        dice.between(0.0, 100.0),
        dice.between(0.2, 0.8),
    );
    for (name, point, normal, motion) in [
        ("floor", [0.0, 0.0], [0.0, 1.0], floor),
        ("left", [0.0, 0.0], [1.0, 0.0], ""),
        ("right", [SIDE, 0.0], [-1.0, 0.0], ""),
        ("lid", [0.0, 2.0 * SIDE], [0.0, -1.0], ""),
    ] {
        let _ = write!(
            text,
            "[[boundary]]\nname = \"{name}\"\nmaterial = \"stuff\"\nplane = {{ point = {point:?}, normal = {normal:?} }}\n\
             {motion}"
        );
    }
    let _ = write!(
        text,
        "[[fill]]\nmaterial = \"stuff\"\n[fill.lattice]\ncount = {}\nradius = {{ mean = {}, spread = {} }}\n\
         min = [0.0, 0.01]\nmax = [{SIDE}, {}]\njitter = 0.9\nspeed = {}\n{more}",
        40 + (30.0 * dice.roll()) as usize,
        0.5 * DIAMETER,
        dice.between(0.05, 0.25),
        1.9 * SIDE,
        dice.between(0.1, 0.6),
    );
    text
}

/// Falls, comes to rest, is tapped, comes to rest again.
fn heap(seed: u64, models: &Models) -> Vec<Figure> {
    let tap = "[[perturb]]\ntime = 0.45\ntap = { velocity = [0.2, 0.8] }\n";
    figures(&boxed(seed, models, 0.9, "", tap), 0.75)
}

/// Shaken by the floor all the time.
fn shaken(seed: u64, models: &Models) -> Vec<Figure> {
    let motion = "motion = { harmonic = { amplitude = [0.0, 0.004], frequency = 18.0 } }\n";
    figures(&boxed(seed, models, 0.8, motion, ""), 0.3)
}

/// Means over the rows after a moment, in weights and diameters; what was lost by the end, of which by friction.
fn figures(text: &str, after: f64) -> Vec<Figure> {
    let setup = written_planar(text);
    let (system, sink) = run(&setup);
    let summary = system.summary();
    // With bounds as wide as here what grains had when they were stopped is told.
    let others = summary.warnings.iter();
    let others = others.filter(|w| !w.starts_with("morphs took"));
    assert_eq!(others.collect::<Vec<_>>(), Vec::<&String>::new());
    let weight = setup.grains.iter().map(|g| g.mass).sum::<f64>() * 9.81;
    let rows: Vec<&SeriesRow> = sink.series.iter().filter(|row| row.time > after).collect();
    let mean = |of: &dyn Fn(&SeriesRow) -> f64| {
        rows.iter().map(|row| of(row)).sum::<f64>() / rows.len() as f64
    };
    let whole = sink.series.iter().map(|row| row.kinetic).sum::<f64>() / sink.series.len() as f64;
    let lost = summary.energy.dissipated;
    let all = lost.damping + lost.slip + lost.collision + lost.morph;
    vec![
        ("height", mean(&|row| row.potential) / weight / DIAMETER),
        ("kinetic energy", whole / weight / DIAMETER),
        // Outward, of both sides.
        (
            "push on the sides",
            mean(&|row| row.walls[2][0] - row.walls[1][0]) / weight,
        ),
        ("load of the floor", -mean(&|row| row.walls[0][1]) / weight),
        ("energy lost", all / weight / DIAMETER),
    ]
}

/// A figure of two models over many scenarios.
#[derive(Debug)]
struct Compared {
    name: &'static str,
    /// Mean with every grain stepped.
    stepped: f64,
    /// Mean of what the other model has more.
    more: f64,
    /// Its standard error.
    error: f64,
}

impl Compared {
    fn errors(&self) -> f64 {
        self.more.abs() / self.error
    }
}

/// All figures of a scenario with these models, a row for each seed.
fn drawn(
    seeds: Range<u64>,
    scenario: fn(u64, &Models) -> Vec<Figure>,
    models: &Models,
) -> Vec<Vec<Figure>> {
    seeds.map(|seed| scenario(seed, models)).collect()
}

fn compared(stepped: &[Vec<Figure>], other: &[Vec<Figure>]) -> Vec<Compared> {
    let count = stepped.len() as f64;
    let mean = |of: &dyn Fn(usize) -> f64| (0..stepped.len()).map(of).sum::<f64>() / count;
    let mut all = Vec::new();
    for (k, &(name, _)) in stepped[0].iter().enumerate() {
        let more = |run: usize| other[run][k].1 - stepped[run][k].1;
        let middle = mean(&more);
        let scatter = mean(&|run| (more(run) - middle).powi(2)) * count / (count - 1.0);
        let found = Compared {
            name,
            stepped: mean(&|run| stepped[run][k].1),
            more: middle,
            error: (scatter / count).sqrt(),
        };
        println!("{found:?}: {:.2} standard errors", found.errors());
        all.push(found);
    }
    all
}

/// No figure differs, and none by a scatter in which anything could hide.
fn agree(stepped: &[Vec<Figure>], other: &[Vec<Figure>], widest: f64) {
    for found in compared(stepped, other) {
        assert!(found.errors() < SIGNIFICANT, "{}: {found:?}", found.name);
        assert!(found.error < widest * found.stepped, "{found:?}");
    }
}

/// Heaps that stand still are as stepped ones. Those whose grains are stopped while they still move are not, and that is
/// seen.
#[test]
fn standing_still_changes_no_mean() {
    let [stepped, still, coarse] =
        [&STEPPED, &STILL, &COARSE].map(|models| drawn(SEEDS..SEEDS + PAIRS, heap, models));
    agree(&stepped, &still, 0.1);
    let found = compared(&stepped, &coarse);
    let most = found.iter().map(Compared::errors).fold(0.0, f64::max);
    assert!(most > SIGNIFICANT, "{found:?}");
}

/// So are boxes that are shaken, whose grains fly, or collide at once.
#[test]
fn flight_changes_no_mean() {
    let [stepped, flying, colliding] =
        [&STEPPED, &FLYING, &COLLIDING].map(|models| drawn(SEEDS..SEEDS + PAIRS, shaken, models));
    agree(&stepped, &flying, 0.03);
    agree(&stepped, &colliding, 0.03);
}

#[test]
#[ignore = "minutes"]
fn means_of_many_runs_agree() {
    for (scenario, models, widest) in [
        (heap as fn(u64, &Models) -> Vec<Figure>, &STILL, 0.03),
        (shaken, &FLYING, 0.01),
        (shaken, &COLLIDING, 0.01),
    ] {
        let [stepped, other] = [&STEPPED, models].map(|m| drawn(SEEDS..SEEDS + 200, scenario, m));
        agree(&stepped, &other, widest);
    }
}
