//! The checkpoint matrix: runs of every kind go on from each of their checkpoints with the same bits.
//!
//! What there is to choose (integrators, regimes, shapes, walls and how they move, feeds and outlets, fields, laws,
//! searches, settling, perturbations, records; rules and walls of collisions; solvers and rules of equilibria) stands in
//! `matrix_cases`. The full product has no end; cases are chosen so that any two values that go together are together in
//! one of them (`covering`). What does not go together is listed here, and each is refused with a message that says so.
//!
//! Each case runs once through. Then it is killed at each second of its checkpoints and goes on from there, from the last state
//! each time: a resume of a resume of a resume. All that is recorded, the figures, the final state, and each checkpoint
//! on the way but for the seconds on the clock must be the same bytes.
//!
//! `cargo test --release --test it matrix -- --ignored --nocapture` has any three values together.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use arenite::cluster::integrate::Integrate;
use arenite::record::{
    AvalancheRow, EventRow, GrainRow, ImpactRow, LinkRow, RecordError, SeriesRow, Sink, Summary,
    WearRow, ZoneRow,
};
use arenite::scenario::{AnySetup, Scenario};
use arenite::system::{Control, Outcome, Setup, SystemError, simulation};

use crate::covering::{Axis, Value, covering, parts};
use crate::matrix_cases::{EVENTS, PLANE, QUASI_STATIC, SPACE, events, motion, quasi_static};

/// All that a run hands over, in words, and its checkpoints.
#[derive(Default)]
struct Log {
    rows: Vec<String>,
    states: Vec<Vec<u8>>,
    series: Vec<SeriesRow>,
    /// Number of rows at each checkpoint.
    at: Vec<usize>,
    /// Whether each second checkpoint is the last that the run does, as when it is killed there.
    deadly: bool,
}

impl Log {
    fn note(&mut self, row: &dyn Debug) -> Result<(), RecordError> {
        self.rows.push(format!("{row:?}"));
        Ok(())
    }
}

impl Sink for Log {
    fn event(&mut self, row: &EventRow) -> Result<(), RecordError> {
        self.note(row)
    }
    fn series(&mut self, row: &SeriesRow) -> Result<(), RecordError> {
        self.series.push(row.clone());
        self.note(row)
    }
    fn snapshot(&mut self, grains: &[GrainRow], links: &[LinkRow]) -> Result<(), RecordError> {
        self.note(&(grains, links))
    }
    fn avalanche(&mut self, row: &AvalancheRow) -> Result<(), RecordError> {
        self.note(row)
    }
    fn zone(&mut self, row: &ZoneRow) -> Result<(), RecordError> {
        self.note(row)
    }
    fn impact(&mut self, row: &ImpactRow) -> Result<(), RecordError> {
        self.note(row)
    }
    fn wear(&mut self, row: &WearRow) -> Result<(), RecordError> {
        self.note(row)
    }
    fn checkpoint(&mut self, state: &[u8]) -> Result<(), RecordError> {
        self.states.push(state.to_vec());
        self.at.push(self.rows.len());
        match self.deadly && self.states.len() % 2 == 1 {
            false => Ok(()),
            true => Err(RecordError::Damaged {
                path: "trial".into(),
                what: "killed".into(),
            }),
        }
    }
}

/// Runs on from a state to the end, to an interruption, or until it is killed. The figures of a run that came to its end.
fn go_on<D: Integrate>(
    setup: &Setup<D>,
    state: Option<&[u8]>,
    log: &mut Log,
    limit: Option<Duration>,
) -> Result<Option<Summary>, String> {
    let never = AtomicBool::new(false);
    let mut control = Control::new(&never);
    control.wall_limit = limit;
    let mut run = simulation(setup.clone(), state).map_err(|e| e.to_string())?;
    match run.run(log, &mut control) {
        Ok(Outcome::Interrupted) => Ok(None),
        Ok(_) => {
            let mut figures = run.summary();
            figures.time.wall = 0.0;
            figures.events.per_wall_second = 0.0;
            Ok(Some(figures))
        }
        Err(SystemError::Record(_)) if log.deadly => Ok(None),
        Err(error) => Err(error.to_string()),
    }
}

/// Whether two states are the same but for the seconds on the clock: eight bytes in a row.
fn same_but_for_the_clock(a: &[u8], b: &[u8]) -> bool {
    let differ = |k: &usize| a[*k] != b[*k];
    let first = (0..a.len().min(b.len())).find(differ);
    let last = (0..a.len().min(b.len())).rev().find(differ);
    a.len() == b.len() && first.zip(last).is_none_or(|(first, last)| last - first < 8)
}

/// What was found on the way through the cases.
#[derive(Default, Debug)]
struct Found {
    cases: usize,
    checkpoints: usize,
    interrupts: usize,
    sliding: usize,
    flying: usize,
    still: usize,
    /// With grains still to come, or to leave.
    amid: usize,
}

fn resumes<D: Integrate>(setup: &Setup<D>, found: &mut Found) -> Result<(), String> {
    let mut whole = Log::default();
    let figures = go_on(setup, None, &mut whole, None)?.ok_or("it was interrupted")?;
    let figures = format!("{figures:?}");
    found.cases += 1;
    // Killed at each checkpoint, and on from there.
    let mut log = Log {
        deadly: true,
        ..Log::default()
    };
    let mut state: Option<Vec<u8>> = None;
    loop {
        let before = log.states.len();
        let end = go_on(setup, state.as_deref(), &mut log, None)?;
        if let Some(end) = end {
            let end = format!("{end:?}");
            if end != figures {
                return Err(format!("figures differ:\n{figures}\n{end}"));
            }
            break;
        }
        if log.states.len() == before {
            return Err("it ended without an end".into());
        }
        state = log.states.last().cloned();
    }
    for (k, (again, first)) in log.states.iter().zip(&whole.states).enumerate() {
        if !same_but_for_the_clock(again, first) {
            return Err(format!("checkpoint {k} differs"));
        }
    }
    if log.rows != whole.rows || log.at != whole.at {
        return Err("rows differ".into());
    }
    found.checkpoints += whole.states.len();
    for (k, &rows) in whole.at.iter().enumerate() {
        // The last row of the series before that checkpoint tells what went on.
        let count = whole.rows[..rows]
            .iter()
            .filter(|row| row.starts_with("SeriesRow"))
            .count();
        let (Some(then), Some(end)) = (whole.series[..count].last(), whole.series.last()) else {
            return Err(format!("no row before checkpoint {k}"));
        };
        found.sliding += usize::from(then.sliding > 0);
        found.flying += usize::from(then.by_regime[0] > 0);
        found.still += usize::from(then.by_regime[2] + then.by_regime[3] > 0);
        found.amid += usize::from(then.grains != end.grains || then.discharged != end.discharged);
    }
    // Stopped by the clock, as Ctrl-C does: amid settling too.
    if setup.settle.is_some() {
        let mut log = Log::default();
        let mut state: Option<Vec<u8>> = None;
        let mut stops = 0;
        let end = loop {
            // Some times: each goes on from where the one before was stopped.
            let limit = (stops < 4).then_some(Duration::ZERO);
            if let Some(end) = go_on(setup, state.as_deref(), &mut log, limit)? {
                break end;
            }
            stops += 1;
            state = log.states.last().cloned();
        };
        if format!("{end:?}") != figures || log.rows != whole.rows {
            return Err(format!("it was stopped {stops} times and is another"));
        }
        found.interrupts += stops;
    }
    Ok(())
}

fn resolve(text: &str) -> Result<AnySetup, String> {
    Scenario::parse("trial", text, None, &[])
        .and_then(|scenario| scenario.resolve())
        .map(|resolved| resolved.setup)
        .map_err(|problem| problem.render(false))
}

/// A family of cases, with what of it does not go together: two values, and what the message says.
struct Family {
    name: &'static str,
    axes: &'static [Axis],
    write: fn(&[&str]) -> String,
    apart: [&'static [Apart]; 2],
}

impl Family {
    fn names(&self, case: &[usize]) -> Vec<&'static str> {
        let pairs = self.axes.iter().zip(case);
        pairs.map(|(axis, &value)| axis.values[value]).collect()
    }

    fn place(&self, name: &str) -> Value {
        let on =
            |(k, axis): (usize, &Axis)| Some((k, axis.values.iter().position(|v| *v == name)?));
        let found = self.axes.iter().enumerate().find_map(on);
        found.unwrap_or_else(|| panic!("{}: no {name}", self.name))
    }

    /// Each pair that does not go together, with its message.
    fn apart(&self) -> Vec<([Value; 2], &'static str)> {
        let mut all = Vec::new();
        for (one, other, message) in self.apart.into_iter().flatten() {
            for a in one.iter().map(|name| self.place(name)) {
                for b in other.iter().map(|name| self.place(name)) {
                    all.push(([a.min(b), a.max(b)], *message));
                }
            }
        }
        all
    }

    /// A case with these values, all others the first of their axes that goes with them.
    fn case(&self, pair: &[Value]) -> Vec<usize> {
        let apart: BTreeSet<[Value; 2]> = self.apart().into_iter().map(|(pair, _)| pair).collect();
        let goes = |value: Value| {
            pair.iter()
                .all(|&other| !apart.contains(&[value.min(other), value.max(other)]))
        };
        let chosen = |axis: usize| {
            pair.iter()
                .find(|value| value.0 == axis)
                .map(|value| value.1)
        };
        (0..self.axes.len())
            .map(|axis| {
                let first = (0..self.axes[axis].values.len()).find(|&value| goes((axis, value)));
                chosen(axis).or(first).unwrap_or(0)
            })
            .collect()
    }

    fn all(&self, strength: usize) -> Found {
        let apart = self.apart().into_iter().map(|(pair, _)| pair).collect();
        let mut found = Found::default();
        let mut faults = Vec::new();
        for case in covering(self.axes, strength, &apart) {
            let names = self.names(&case);
            let outcome = resolve(&(self.write)(&names)).and_then(|setup| match setup {
                AnySetup::Planar(setup) => resumes(&setup, &mut found),
                AnySetup::Spatial(setup) => resumes(&setup, &mut found),
            });
            if let Err(fault) = outcome {
                faults.push(format!("{names:?}: {fault}"));
            }
        }
        println!(
            "{}: {} choices of {strength} values, {found:?}",
            self.name,
            parts(self.axes, strength, &apart).len()
        );
        assert!(
            faults.is_empty(),
            "{}: {} faults\n{}",
            self.name,
            faults.len(),
            faults.join("\n")
        );
        found
    }

    fn refusals(&self) {
        let mut faults = String::new();
        for (pair, wanted) in self.apart() {
            let names = self.names(&self.case(&pair));
            let text = (self.write)(&names);
            let got = match resolve(&text) {
                Ok(AnySetup::Planar(setup)) => simulation(setup, None).err(),
                Ok(AnySetup::Spatial(setup)) => simulation(setup, None).err(),
                Err(message) => {
                    if !message.contains(wanted) {
                        faults += &format!("{names:?}: {message}\n");
                    }
                    continue;
                }
            };
            let message = got.map_or("nothing".into(), |error| error.to_string());
            faults += &(if message.contains(wanted) {
                String::new()
            } else {
                format!("{names:?}: {message}\n")
            });
        }
        assert!(faults.is_empty(), "{faults}");
    }
}

/// Two groups of values, any of the one not with any of the other, and what the message says.
type Apart = (
    &'static [&'static str],
    &'static [&'static str],
    &'static str,
);

const AFAR: &[&str] = &["charges", "gravitation"];
const OF_PLACES: &[&str] = &["fluid", "stream", "frame", "central", "grid"];
const MOVES: &[&str] = &[
    "velocity",
    "turning",
    "harmonic",
    "parabolic",
    "pieces",
    "table",
];
const MORE_LAWS: &[&str] = &[
    "force",
    "dmt",
    "jkr",
    "area",
    "fading",
    "plastic",
    "rolling",
    "spring-only",
];
const CELLS: &[&str] = &["sheared", "pressed"];
const REPEATS: &[&str] = &["periodic", "sheared", "pressed"];

/// What does not go together in motion.
const COMMON: &[Apart] = &[
    (
        &["heun"],
        &["drag"],
        "`heun` knows contact forces and gravity only",
    ),
    (
        &["heun"],
        AFAR,
        "`heun` knows contact forces and gravity only",
    ),
    (
        &["heun"],
        OF_PLACES,
        "`heun` knows contact forces and gravity only",
    ),
    (
        &["heun"],
        &["guided"],
        "`heun` knows no walls that forces move",
    ),
    (
        &["heun"],
        MORE_LAWS,
        "`heun` knows spring, dashpot and friction only",
    ),
    (
        &["euler", "heun", "midpoint"],
        &["still"],
        "with another integrator than `verlet`",
    ),
    (&["euler", "heun", "midpoint"], CELLS, "`verlet`"),
    (&["still"], MOVES, "while the wall `trial` moves"),
    (&["still"], &["belt"], "[morph] knows no belts"),
    (
        &["still"],
        &["guided"],
        "[morph] knows no walls that forces move",
    ),
    (&["still"], &["no-field"], "without gravity"),
    (&["still"], &["drag"], "in a field of drag"),
    (&["still"], AFAR, "where forces come from afar"),
    (
        &["still"],
        OF_PLACES,
        "grains can stand still under gravity only",
    ),
    (&["still"], REPEATS, "with periodic directions"),
    (
        &["still"],
        MORE_LAWS,
        "what stands still knows spring and friction only",
    ),
    (
        &["collisions"],
        &["belt"],
        "`run.collisions` knows no belts",
    ),
    (
        &["collisions"],
        &["guided"],
        "`run.collisions` knows no walls that forces move",
    ),
    (
        &["collisions"],
        &["wear"],
        "`run.collisions` has contacts that are not followed",
    ),
    (
        &["collisions"],
        &["drag"],
        "in a field of drag no grain flies",
    ),
    (
        &["collisions"],
        AFAR,
        "where forces come from afar no grain flies",
    ),
    (
        &["collisions"],
        OF_PLACES,
        "no grain flies where forces change along its path",
    ),
    (
        &["collisions"],
        MORE_LAWS,
        "collisions at once know spring, dashpot and friction only",
    ),
    (&["collisions"], &["mutze"], "must be without friction"),
    (&["collisions"], CELLS, "`run.collisions`"),
    (REPEATS, AFAR, "comes from all images"),
    (REPEATS, &["fluid"], "would lift grains across the seam"),
    (
        REPEATS,
        &["frame", "central", "grid"],
        "where space would repeat itself",
    ),
    (CELLS, &["gravity", "drag", "stream"], "knows no gravity"),
    (CELLS, MOVES, "wall"),
    (CELLS, &["guided", "belt", "gate"], "wall"),
    (
        CELLS,
        &["every", "mixed", "mass", "reload"],
        "takes in no grains",
    ),
    (CELLS, &["outlet"], "lets no grain go"),
    (CELLS, &["settled"], "knows no settling"),
    (CELLS, &["meter"], "no fixed places to meter"),
    (CELLS, &["tap", "shake", "remove"], "perturb"),
    (CELLS, &["tilt"], "knows no gravity"),
    (
        &["fluid"],
        &["shake", "tilt"],
        "does not follow a gravity that changes",
    ),
    (
        &["no-field"],
        &["tilt"],
        "without gravity there is nothing to tilt",
    ),
];

const IN_PLANE: &[Apart] = &[
    (
        &["heun"],
        &["smooth-rolling"],
        "`heun` knows spring, dashpot and friction only",
    ),
    (
        &["still"],
        &["smooth-rolling"],
        "what stands still knows spring and friction only",
    ),
    (
        &["collisions"],
        &["smooth-rolling"],
        "collisions at once know spring, dashpot and friction only",
    ),
    (
        &["oval", "quasi-square"],
        MORE_LAWS,
        "grains of arcs know spring, dashpot and friction only",
    ),
    (
        &["oval", "quasi-square"],
        &["smooth-rolling"],
        "grains of arcs know spring, dashpot and friction only",
    ),
    (&["clump", "oval"], CELLS, "holds disks or spheres only"),
    // The circle of a flat side is wider than the box.
    (&["quasi-square"], CELLS, "at least two diameters"),
];

const IN_SPACE: &[Apart] = &[
    (
        &["heun"],
        &["twisting"],
        "`heun` knows spring, dashpot and friction only",
    ),
    (
        &["still"],
        &["twisting"],
        "what stands still knows spring and friction only",
    ),
    (
        &["collisions"],
        &["twisting"],
        "collisions at once know spring, dashpot and friction only",
    ),
    (&["dimer", "t-bar"], CELLS, "holds disks or spheres only"),
    (
        &["dimer", "t-bar"],
        &["frame"],
        "only balls are known in space",
    ),
];

const BY_EVENTS: &[Apart] = &[(&["plane"], &["can", "vessel"], "is a shape of 3 dimensions")];

const FAMILIES: [Family; 4] = [
    Family {
        name: "plane",
        axes: PLANE,
        write: |case| motion(false, case),
        apart: [COMMON, IN_PLANE],
    },
    Family {
        name: "space",
        axes: SPACE,
        write: |case| motion(true, case),
        apart: [COMMON, IN_SPACE],
    },
    Family {
        name: "events",
        axes: EVENTS,
        write: events,
        apart: [BY_EVENTS, &[]],
    },
    Family {
        name: "quasi-static",
        axes: QUASI_STATIC,
        write: quasi_static,
        apart: [&[], &[]],
    },
];

#[test]
fn what_does_not_go_together_is_refused() {
    for family in &FAMILIES {
        family.refusals();
    }
}

/// Checkpoints came while links slid, grains flew, stood still, were to come or to go, and amid settling.
#[track_caller]
fn every_moment(found: &Found) {
    let least = found.sliding.min(found.flying).min(found.amid);
    assert!(
        least > 20 && found.interrupts > 5 && found.still > 0,
        "{found:?}"
    );
}

#[test]
fn any_two_of_a_kind_in_the_plane() {
    let found = FAMILIES[0].all(2);
    every_moment(&found);
    // Nearly half of what is meant to stand still.
    assert!(found.still > 40, "{found:?}");
}

#[test]
#[ignore = "minutes"]
fn any_two_of_a_kind_in_space() {
    let found = FAMILIES[1].all(2);
    every_moment(&found);
}

#[test]
fn any_two_of_a_kind_by_events() {
    FAMILIES[2].all(2);
}

#[test]
fn any_two_of_a_kind_in_equilibrium() {
    FAMILIES[3].all(2);
}

#[test]
#[ignore = "an hour"]
fn any_three_of_a_kind() {
    for family in &FAMILIES {
        family.all(3);
    }
}
