//! Morphing on or off, in the mean: the same scenario, drawn at random, with every grain stepped all the time and with
//! grains that fly, collide at once, or stand still. Paths part soon, since what is granular is chaotic; means over many
//! scenarios must not.
//!
//! Each figure is compared by the differences of the pairs: their mean is to lie within [`SIGNIFICANT`] of its standard
//! errors of zero. With 24 pairs (Student's t of 23 degrees of freedom) chance alone goes beyond that in one of 1,800
//! draws of a figure, and there are 15 figures. Seeds are fixed, so that a test that passes does so until the bits of
//! runs change; whoever changes them draws once. Standard errors are bounded too: a comparison with a wide scatter would
//! pass whatever morphing does; what a coarse tolerance does is seen (`what_stands_still_too_soon_is_seen`).
//!
//! `cargo test --release --test it random_means -- --ignored --nocapture` draws many more and prints the figures.

use std::fmt::Write;

use arenite::record::SeriesRow;

use crate::support::{Dice, run, written_planar};

/// Standard errors of the mean difference beyond which two models differ.
const SIGNIFICANT: f64 = 4.0;

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
    morph: "",
};
const FLYING: Models = Models {
    run: "flight = true\n",
    morph: "",
};
const COLLIDING: Models = Models {
    run: "flight = true\ncollisions = true\n",
    morph: "",
};
const STILL: Models = Models {
    run: "flight = true\n",
    morph: "[morph]\nrigid = true\n",
};

/// A named figure of a run.
type Figure = (&'static str, f64);

/// A box of disks: what happens in it comes last.
fn boxed(seed: u64, models: &Models, finish: f64, floor: &str, more: &str) -> String {
    let dice = &mut Dice(seed);
    let mut text = format!(
        "name = \"random\"\ndimension = 2\nseed = {seed}\n[field]\ngravity = [0.0, -9.81]\n[run]\nfinish = {finish}\n{}\
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
    let tap = "[[perturb]]\ntime = 0.8\ntap = { velocity = [0.2, 0.8] }\n";
    figures(&boxed(seed, models, 1.6, "", tap), 1.4)
}

/// Shaken by the floor all the time.
fn shaken(seed: u64, models: &Models) -> Vec<Figure> {
    let motion = "motion = { harmonic = { amplitude = [0.0, 0.004], frequency = 18.0 } }\n";
    figures(&boxed(seed, models, 1.6, motion, ""), 0.4)
}

/// Means over the rows after a moment, in weights and diameters; what was lost by the end, of which by friction.
fn figures(text: &str, after: f64) -> Vec<Figure> {
    let setup = written_planar(text);
    let (system, sink) = run(&setup);
    let summary = system.summary();
    assert_eq!(summary.warnings, Vec::<String>::new(), "{text}");
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

fn compared(
    seeds: impl Iterator<Item = u64>,
    scenario: fn(u64, &Models) -> Vec<Figure>,
    models: &Models,
) -> Vec<Compared> {
    let both: Vec<[Vec<Figure>; 2]> = seeds
        .map(|seed| [scenario(seed, &STEPPED), scenario(seed, models)])
        .collect();
    let count = both.len() as f64;
    let mut all = Vec::new();
    for (k, &(name, _)) in both[0][0].iter().enumerate() {
        let mean = |of: &dyn Fn(&[Vec<Figure>; 2]) -> f64| both.iter().map(of).sum::<f64>() / count;
        let more = |[stepped, other]: &[Vec<Figure>; 2]| other[k].1 - stepped[k].1;
        let middle = mean(&more);
        let scatter = mean(&|pair| (more(pair) - middle).powi(2)) * count / (count - 1.0);
        let found = Compared {
            name,
            stepped: mean(&|[stepped, _]| stepped[k].1),
            more: middle,
            error: (scatter / count).sqrt(),
        };
        println!("{found:?}: {:.2} standard errors", found.errors());
        all.push(found);
    }
    all
}

/// No figure differs, and none by a scatter in which anything could hide.
fn agree(
    seeds: impl Iterator<Item = u64>,
    scenario: fn(u64, &Models) -> Vec<Figure>,
    models: &Models,
    widest: f64,
) {
    for found in compared(seeds, scenario, models) {
        assert!(found.errors() < SIGNIFICANT, "{found:?}");
        assert!(found.error < widest * found.stepped, "{found:?}");
    }
}

#[test]
fn heaps_that_stand_still_are_as_stepped_ones() {
    agree(0..PAIRS, heap, &STILL, 0.05);
}

#[test]
fn flight_changes_no_mean() {
    agree(100..100 + PAIRS, shaken, &FLYING, 0.05);
}

#[test]
fn collisions_at_once_change_no_mean() {
    agree(200..200 + PAIRS, shaken, &COLLIDING, 0.05);
}

/// Grains that are stopped while they still move leave heaps that the same comparison tells from stepped ones.
#[test]
fn what_stands_still_too_soon_is_seen() {
    let coarse = Models {
        run: "flight = true\n",
        morph: "[morph]\nrigid = true\nkinetic = 0.3\nresidual = 5.0\nleft = 5.0\n",
    };
    let found = compared(0..PAIRS, heap, &coarse);
    let most = found.iter().map(Compared::errors).fold(0.0, f64::max);
    assert!(most > SIGNIFICANT, "{found:?}");
}

#[test]
#[ignore = "minutes"]
fn means_of_many_runs_agree() {
    agree(1_000..1_400, heap, &STILL, 0.02);
    agree(2_000..2_400, shaken, &FLYING, 0.02);
    agree(3_000..3_400, shaken, &COLLIDING, 0.02);
}
