//! Fillings in equilibrium whose grains hover above what shall bear them, or have no friction: they come to an end, with
//! the weight where it belongs.

use std::fmt::Write;
use std::sync::atomic::{AtomicBool, Ordering};

use arenite::record::{
    AvalancheRow, EventRow, GrainRow, LinkRow, MemorySink, RecordError, SeriesRow, Sink,
};
use arenite::system::{Control, Outcome};

use crate::support::{driven, driver as made};

fn run(text: &str) -> Result<MemorySink, String> {
    Ok(driven(text)?.0)
}

/// All solvers with both freedoms, as a section has them.
fn models() -> impl Iterator<Item = String> {
    ["auto", "rima", "cg", "factor"]
        .into_iter()
        .flat_map(|solver| {
            ["translational", "full"]
                .map(|freedom| format!("solver = \"{solver}\"\nfreedom = \"{freedom}\""))
        })
}

/// Grains on a floor between walls, of a friction with each other and with walls.
fn bed(n: usize, section: &str, friction: [f64; 2], grains: &[(Vec<f64>, f64)]) -> String {
    let mut gravity = vec![0.0; n];
    gravity[n - 1] = -9.81;
    let mut text = format!(
        "name = \"hovering\"\ndimension = {n}\n[field]\ngravity = {gravity:?}\n[run]\nend_time = {}.0\n[log]\nseries = 1.0\n\
         snapshots = 1.0\n[quasi_static]\n{section}\n[material.stuff]\ndensity = 100.0\n[material.wall]\n",
        grains.len()
    );
    for (other, friction) in [("stuff", friction[0]), ("wall", friction[1])] {
        let tangential = if friction > 0.0 { 2e5 } else { 0.0 };
        let _ = write!(
            text,
            "[[law]]\nbetween = [\"stuff\", \"{other}\"]\nlinear = {{ normal_stiffness = 1e6, tangential_stiffness = {tangential:?}, \
             normal_damping = 10.0, tangential_damping = 1.0, friction = {friction:?} }}\n"
        );
    }
    let mut plane = |name: &str, axis: usize, at: f64, sign: f64| {
        let (mut point, mut normal) = (vec![0.0; n], vec![0.0; n]);
        (point[axis], normal[axis]) = (at, sign);
        let _ = write!(
            text,
            "[[boundary]]\nname = \"{name}\"\nmaterial = \"wall\"\nplane = {{ point = {point:?}, normal = {normal:?} }}\n"
        );
    };
    plane("floor", n - 1, 0.0, 1.0);
    plane("left", 0, 0.0, 1.0);
    plane("right", 0, 0.06, -1.0);
    if n == 3 {
        plane("front", 1, 0.0, 1.0);
        plane("back", 1, 0.06, -1.0);
    }
    text += "[[fill]]\nmaterial = \"stuff\"\ngrains = [";
    for (position, radius) in grains {
        let _ = write!(text, "{{ position = {position:?}, radius = {radius:?} }}, ");
    }
    text + "]\n"
}

/// A grid of equal grains, three across, in rows that each hover by `gap` above the one below.
fn rows(n: usize, count: usize, gap: f64) -> Vec<(Vec<f64>, f64)> {
    let r = 0.01;
    let across = |k: usize| r * (1.0 + 2.0 * k as f64);
    let mut grains = Vec::new();
    for row in 0..count {
        let up = r * (1.0 + 2.0 * row as f64) + gap * (row + 1) as f64;
        for k in 0..3 {
            match n {
                2 => grains.push((vec![across(k), up], r)),
                _ => grains.extend((0..3).map(|j| (vec![across(k), across(j), up], r))),
            }
        }
    }
    grains
}

/// The floor bears the weight of all but what walls bear by friction: without friction all of it.
#[track_caller]
fn bears(what: &str, n: usize, text: &str, grains: &[(Vec<f64>, f64)], friction: bool) {
    let sink = run(text).unwrap_or_else(|error| panic!("{what}: {error}"));
    let volume = |r: f64| match n {
        2 => std::f64::consts::PI * r * r,
        _ => 4.0 / 3.0 * std::f64::consts::PI * r.powi(3),
    };
    let weight: f64 = grains.iter().map(|g| 100.0 * volume(g.1) * 9.81).sum();
    let last = sink.series.last().unwrap();
    let down = |wall: &[f64; 7]| -wall[n - 1];
    let all: f64 = last.walls.iter().map(down).sum();
    assert!((all / weight - 1.0).abs() < 1e-6, "{what}: {all} {weight}");
    let floor = down(&last.walls[0]);
    if !friction {
        assert!(
            (floor / weight - 1.0).abs() < 1e-6,
            "{what}: {floor} {weight}"
        );
    }
    assert!(last.balance_error < 1e-6, "{what}: {}", last.balance_error);
}

#[test]
fn grains_that_hover_are_lowered_onto_their_support() {
    for n in [2, 3] {
        for gap in [1e-9, 3e-6, 1e-5, 4e-5, 1e-4, 5e-4] {
            for section in models() {
                let grains = rows(n, 3, gap);
                let what = format!("{n} {gap} {section}");
                bears(
                    &what,
                    n,
                    &bed(n, &section, [0.5, 0.5], &grains),
                    &grains,
                    true,
                );
            }
        }
    }
}

/// What has nothing within reach says so.
#[test]
fn a_grain_far_above_all_stops_the_filling_with_its_name() {
    for n in [2, 3] {
        let mut grains = rows(n, 1, 0.0);
        let mut high = grains[1].clone();
        high.0[n - 1] += 0.03;
        // Off the walls.
        high.0[0] = 0.03;
        if n == 3 {
            high.0[1] = 0.03;
        }
        grains.push(high);
        let message = run(&bed(n, "", [0.5, 0.5], &grains))
            .map(|_| ())
            .unwrap_err();
        let id = grains.len() - 1;
        assert!(
            message.contains(&format!("grain {id}")) && message.contains("hang"),
            "{message}"
        );
    }
}

/// No friction anywhere, or no stiffness against it: spins are not solved for, whichever freedom is asked for.
#[test]
fn a_bed_without_friction_finds_its_equilibrium() {
    for n in [2, 3] {
        for section in models() {
            let grains = rows(n, 3, 0.0);
            let what = format!("{n} {section}");
            let without = bed(n, &section, [0.0, 0.0], &grains);
            bears(&what, n, &without, &grains, false);
            let soft = bed(n, &section, [0.5, 0.5], &grains);
            let soft = soft.replace(
                "tangential_stiffness = 200000.0",
                "tangential_stiffness = 0.0",
            );
            bears(&what, n, &soft, &grains, false);
        }
    }
}

/// What comes with nothing below or beside it is refused before anything runs.
#[test]
fn a_grain_that_hangs_on_nothing_is_refused() {
    for n in [2, 3] {
        let mut grains = rows(n, 2, 0.0);
        let mut far = vec![0.03; n];
        far[n - 1] = 0.2;
        grains.push((far, 0.01));
        let text = bed(n, "", [0.5, 0.5], &grains);
        let fault = crate::support::driver(&text, None).map(|_| ()).unwrap_err();
        let which = format!("grain {}", grains.len() - 1);
        assert!(fault.contains(&which) && fault.contains("hangs"), "{fault}");
    }
}

/// Smooth walls and rough grains: `check` and the summary tell what may stop the run; where that is one of the first grains, it is refused with the
/// same words before it runs.
#[test]
fn friction_of_some_pairs_only_is_told() {
    let told = |text: &str| match made(text, None) {
        Ok(run) => run.summary().warnings.concat(),
        Err(refused) => refused,
    };
    for (friction, expected) in [
        ([0.5, 0.0], true),
        ([0.0, 0.5], true),
        ([0.5, 0.2], false),
        ([0.0, 0.0], false),
    ] {
        for n in [2, 3] {
            let text = |freedom: &str| {
                let section = format!("freedom = {freedom:?}");
                bed(n, &section, friction, &rows(n, 1, 0.0))
            };
            let full = told(&text("full"));
            assert_eq!(
                full.contains("has no friction"),
                expected,
                "{friction:?} {full}"
            );
            let translational = told(&text("translational"));
            assert!(!translational.contains("has no friction"));
        }
    }
}

/// With full freedom a grain that touches one body alone can roll; that the filling cannot begin so is told before it runs.
#[test]
fn a_filling_that_cannot_begin_is_refused() {
    for n in [2, 3] {
        let mut alone = vec![0.03; n];
        alone[n - 1] = 0.01;
        let grains = [(alone, 0.01)];
        let fault = made(&bed(n, "freedom = \"full\"", [0.5, 0.5], &grains), None)
            .map(|_| ())
            .unwrap_err();
        for words in ["first 16 grains", "grain 0", "two contacts", "do not turn"] {
            assert!(fault.contains(words), "{fault}");
        }
        let bears = made(&bed(n, "", [0.5, 0.5], &grains), None);
        assert!(bears.is_ok());
    }
}

/// Hands on all, and asks for a stop when so many rows of the series have come.
struct Stopping<'a> {
    stop: &'a AtomicBool,
    rows: usize,
    kept: MemorySink,
}

impl Sink for Stopping<'_> {
    fn event(&mut self, row: &EventRow) -> Result<(), RecordError> {
        self.kept.event(row)
    }
    fn series(&mut self, row: &SeriesRow) -> Result<(), RecordError> {
        self.rows -= 1;
        self.stop.store(self.rows == 0, Ordering::Relaxed);
        self.kept.series(row)
    }
    fn snapshot(&mut self, grains: &[GrainRow], links: &[LinkRow]) -> Result<(), RecordError> {
        self.kept.snapshot(grains, links)
    }
    fn avalanche(&mut self, row: &AvalancheRow) -> Result<(), RecordError> {
        self.kept.avalanche(row)
    }
    fn checkpoint(&mut self, state: &[u8]) -> Result<(), RecordError> {
        self.kept.checkpoint(state)
    }
}

/// A stop that is asked for while an equilibrium is sought does not wait for it; the run goes on from there as if nothing
/// had been, and no row comes twice.
#[test]
fn an_interrupt_does_not_wait_for_an_equilibrium() {
    let grains = rows(2, 4, 2e-5);
    let text =
        bed(2, "", [0.3, 0.3], &grains).replace("series = 1.0", "series = 1.0\nevents = \"links\"");
    let never = AtomicBool::new(false);
    let mut whole = MemorySink::default();
    let mut run = made(&text, None).unwrap();
    run.run(&mut whole, &mut Control::new(&never)).unwrap();
    let hash = run.summary().state_hash;
    for rows in [1, 5, 9] {
        let stop = AtomicBool::new(false);
        let mut sink = Stopping {
            stop: &stop,
            rows,
            kept: MemorySink::default(),
        };
        let mut run = made(&text, None).unwrap();
        let end = run.run(&mut sink, &mut Control::new(&stop)).unwrap();
        assert_eq!(end, Outcome::Interrupted);
        let first = sink.kept.events.len();
        // The stop still holds: each call gives the next grain up, before any row of it.
        let mut state = sink.kept.checkpoint.take();
        for _ in 0..2 {
            let mut run = made(&text, state.as_deref()).unwrap();
            let end = run.run(&mut sink.kept, &mut Control::new(&stop)).unwrap();
            assert_eq!(end, Outcome::Interrupted);
            assert!(run.summary().energy.balance_error_max < 1e-6);
            state = sink.kept.checkpoint.take();
        }
        assert!(
            sink.kept.events.len() - first <= 1,
            "{first} {}",
            sink.kept.events.len()
        );
        let mut run = made(&text, state.as_deref()).unwrap();
        run.run(&mut sink.kept, &mut Control::new(&never)).unwrap();
        assert_eq!(run.summary().state_hash, hash);
        let seqs = |sink: &MemorySink| {
            sink.events
                .iter()
                .map(|e| (e.seq, e.time.to_bits()))
                .collect::<Vec<_>>()
        };
        assert_eq!(seqs(&sink.kept), seqs(&whole));
    }
}
