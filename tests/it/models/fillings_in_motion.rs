//! Fillings in equilibrium that go on as motion: the bed keeps its forces, and what is set up acts from then on.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use arenite::event::EventKind;
use arenite::record::{BodyRef, LinkRow, MemorySink, Status, Summary};
use arenite::system::{Control, Outcome};

use crate::support::{Checkpoints, close, driven, driver};

/// The law of the trough.
const LINEAR: &str = "linear = { normal_stiffness = 1e5, tangential_stiffness = 3e4, normal_damping = 2.0, tangential_damping = 2.0, friction = 0.5 }";

/// Grains that roll down into a trough, or into a corner of space, of planes that each grain touches two or three of, or of those before it: so
/// their moments balance too. After the last of them motion comes.
fn trough(dimension: usize, grains: usize, more: &str) -> String {
    let sides: &[[f64; 3]] = match dimension {
        2 => &[[1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]],
        _ => &[[1.0, 0.0, 1.0], [-0.5, 0.866, 1.0], [-0.5, -0.866, 1.0]],
    };
    let vector = |v: &[f64; 3]| format!("{:?}", &v[..dimension]);
    let mut walls = String::new();
    for (k, side) in sides.iter().enumerate() {
        walls += &format!(
            "[[boundary]]\nname = \"side-{k}\"\nmaterial = \"bead\"\nplane = {{ point = {}, normal = {} }}\n",
            vector(&[0.0; 3]),
            vector(side)
        );
    }
    let (gravity, min, max) = match dimension {
        2 => ([0.0, -9.8, 0.0], [-0.3, 0.0, 0.0], [0.3, 1.0, 0.0]),
        _ => ([0.0, 0.0, -9.8], [-0.1, -0.1, 0.0], [0.1, 0.1, 0.5]),
    };
    let density = if dimension == 2 { 11.9 } else { 2500.0 };
    format!(
        r#"
name = "trough"
dimension = {dimension}
[field]
gravity = {}
[quasi_static]
freedom = "full"
then = "motion"
[log]
series = 0.1
events = "links"
[material.bead]
density = {density}
young = 1e8
poisson = 0.3
[[law]]
between = ["bead", "bead"]
{LINEAR}
{walls}
[[fill]]
material = "bead"
roll_down = {{ count = {grains}, radius = {{ mean = 0.01, spread = 0.05 }}, min = {}, max = {} }}
{more}
"#,
        vector(&gravity),
        vector(&min),
        vector(&max),
    )
}

/// Normal forces by pairs of bodies, N.
fn pressures(links: &[LinkRow]) -> BTreeMap<[i64; 2], f64> {
    let code = |body: BodyRef| body.code();
    let mut all = BTreeMap::new();
    for link in links {
        let mut pair = [code(link.body_a), code(link.body_b)];
        pair.sort_unstable();
        *all.entry(pair).or_insert(0.0) += link.normal_force;
    }
    all
}

/// For a second after it became one of motion a bed in equilibrium stays at rest: nothing moves, no link slides or breaks, each bears what
/// it bore in the filling.
#[test]
fn a_filling_stays_at_rest_as_motion() {
    for (dimension, grains) in [(2, 60), (3, 20)] {
        let begin = (grains + 1) as f64;
        let text = trough(
            dimension,
            grains,
            &format!("[run]\nend_time = {}", begin + 1.0),
        );
        let text = text.replace("series = 0.1", "series = 0.1\nsnapshots = 1.0");
        let (sink, summary) = driven(&text).unwrap();
        assert_eq!(summary.status, Status::Finished);
        assert_eq!(summary.warnings, Vec::<String>::new());
        assert!(summary.regimes.rigid > 0.9 && summary.regimes.cluster > 0.0);
        let weights: f64 = sink.snapshots[0].0.iter().map(|g| g.mass).sum();
        assert!(weights > 0.0);
        let last = &sink.snapshots.last().unwrap().0;
        let energy: f64 = last.iter().map(|g| g.mass * 9.8 * 2.0 * g.radius).sum();
        for row in sink.series.iter().filter(|row| row.time > begin) {
            assert!(row.kinetic <= 1e-6 * energy, "{row:?}");
            assert!(row.balance_error <= 1e-9, "{row:?}");
        }
        let late = |kind: EventKind| {
            let after = sink.events.iter().filter(|e| e.time > begin);
            after.filter(|e| e.kind == kind).count()
        };
        for kind in [
            EventKind::SlipLink,
            EventKind::RemoveLink,
            EventKind::InsertLink,
        ] {
            assert_eq!(late(kind), 0, "{dimension} dimensions, {kind:?}");
        }
        // Forces of the filling, of the start of motion, and a second later.
        let at = |time: f64| {
            let found = sink.snapshots.iter().find(|s| s.0[0].time == time);
            pressures(&found.unwrap().1)
        };
        let (filled, moved) = (at(begin), at(begin + 1.0));
        let mean = weights / last.len() as f64 * 9.8;
        assert_eq!(
            filled.keys().collect::<Vec<_>>(),
            moved.keys().collect::<Vec<_>>()
        );
        for (pair, force) in &filled {
            close(
                &format!("{dimension} dimensions, {pair:?}"),
                moved[pair],
                *force,
                0.02 * mean,
            );
        }
    }
}

/// The same by laws whose stiffness goes with the load, with a pull, or with a memory of their load: in motion each link has the force that the
/// filling found, for half a second.
#[test]
fn a_filling_by_any_law_stays_at_rest_as_motion() {
    let hertz = "hertz = { restitution = 0.5, friction = 0.5 }";
    for (dimension, grains) in [(2, 30), (3, 12)] {
        for law in [
            hertz.to_string(),
            "viscoelastic = { dissipation = 1e-5, friction = 0.5 }".to_string(),
            "thornton_ning = { yield_pressure = 3e5, restitution = 0.5, friction = 0.5 }"
                .to_string(),
            format!("{LINEAR}\nplastic = {{ unloading_stiffness = 2e5 }}"),
            format!("{LINEAR}\ncohesion = {{ force = 0.02 }}"),
            format!("{LINEAR}\ncohesion = {{ area = 3e5 }}"),
            format!("{hertz}\ncohesion = {{ dmt = 0.5 }}"),
            format!("{hertz}\ncohesion = {{ jkr = 0.01 }}"),
        ] {
            let begin = (grains + 1) as f64;
            let more = format!("[run]\nend_time = {}", begin + 0.5);
            let text = trough(dimension, grains, &more).replace(LINEAR, &law);
            let text = text.replace("series = 0.1", "series = 0.1\nsnapshots = 0.5");
            let (sink, summary) = driven(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            let what = format!("{dimension} dimensions, {law}");
            let lacks: Vec<&String> = summary.warnings.iter().collect();
            let last = &sink.snapshots.last().unwrap().0;
            let energy: f64 = last.iter().map(|g| g.mass * 9.8 * 2.0 * g.radius).sum();
            for row in sink.series.iter().filter(|row| row.time > begin) {
                assert!(row.kinetic <= 1e-6 * energy, "{what} {lacks:?} {row:?}");
                assert!(row.balance_error <= 1e-6, "{what} {row:?}");
            }
            let at = |time: f64| {
                let found = sink
                    .snapshots
                    .iter()
                    .find(|s| s.0.first().is_some_and(|g| g.time == time));
                pressures(&found.unwrap().1)
            };
            let (filled, moved) = (at(begin), at(begin + 0.5));
            let mean = last.iter().map(|g| g.mass).sum::<f64>() / last.len() as f64 * 9.8;
            for (pair, force) in &filled {
                let now = moved.get(pair).copied().unwrap_or(0.0);
                close(&format!("{what} {pair:?}"), now, *force, 0.05 * mean);
            }
        }
    }
}

/// A silo that is filled in equilibrium, whose floor opens: grains fall, the book closes over both, and counts of both are told.
fn silo(more: &str) -> String {
    format!(
        r#"
name = "silo"
dimension = 2
[field]
gravity = [0.0, -9.8]
[run]
end_time = 42.0
stop_when_empty = true
[quasi_static]
then = "motion"
[log]
series = 0.1
[material.slice]
density = 11.9
[[law]]
between = ["slice", "slice"]
linear = {{ normal_stiffness = 1e5, tangential_stiffness = 1e4, normal_damping = 2.0, tangential_damping = 2.0, friction = 0.43 }}
[[boundary]]
name = "left"
material = "slice"
plane = {{ point = [0.0, 0.0], normal = [1.0, 0.0] }}
[[boundary]]
name = "right"
material = "slice"
plane = {{ point = [0.12, 0.0], normal = [-1.0, 0.0] }}
[[boundary]]
name = "gate"
material = "slice"
segment = {{ from = [0.0, 0.0], to = [0.12, 0.0] }}
opens_at = 41.2
[[outlet]]
plane = {{ point = [0.0, -0.2], normal = [0.0, 1.0] }}
[[fill]]
material = "slice"
roll_down = {{ count = 40, radius = {{ mean = 0.01, spread = 0.05 }}, min = [0.0, 0.0], max = [0.12, 1.0] }}
{more}
"#
    )
}

#[test]
fn a_silo_that_was_filled_in_equilibrium_runs_out() {
    let (sink, summary) = driven(&silo("")).unwrap();
    assert_eq!(summary.status, Status::Empty);
    assert_eq!(summary.grains.removed, 40);
    assert!(
        summary.energy.balance_error_max < 1e-3,
        "{:?}",
        summary.energy
    );
    assert!(summary.work.stress_solves > 40 && summary.work.grain_steps > 0);
    // All events of the filling are in the counts, and rows go on without a gap.
    assert_eq!(summary.events.by_kind["add-body"], 40);
    let times: Vec<f64> = sink.series.iter().map(|row| row.time).collect();
    for pair in times.windows(2) {
        assert!(
            pair[1] > pair[0] && pair[1] - pair[0] < 0.1 + 1e-9,
            "{pair:?}"
        );
    }
    let numbers: Vec<u64> = sink.events.iter().map(|event| event.seq).collect();
    assert!(numbers.windows(2).all(|pair| pair[1] > pair[0]));
}

/// Stopped in the filling, or in motion, it goes on with the same bits.
#[test]
fn it_goes_on_from_any_checkpoint() {
    let text = silo("").replace("series = 0.1", "series = 0.1\ncheckpoint = 4.1");
    let whole: (MemorySink, Summary) = driven(&text).unwrap();
    let never = AtomicBool::new(false);
    let mut kept = Checkpoints::default();
    let mut run = driver(&text, None).unwrap();
    run.run(&mut kept, &mut Control::new(&never)).unwrap();
    assert!(kept.states.len() >= 10);
    for state in &kept.states {
        let mut sink = MemorySink::default();
        let mut run = driver(&text, Some(state)).unwrap();
        let outcome = run.run(&mut sink, &mut Control::new(&never)).unwrap();
        assert_eq!(outcome, Outcome::Empty);
        let summary = run.summary();
        assert_eq!(summary.state_hash, whole.1.state_hash);
        assert_eq!(summary.energy, whole.1.energy);
        assert_eq!(summary.events.by_kind, whole.1.events.by_kind);
        assert_eq!(sink.series.last(), whole.0.series.last());
    }
}

/// What acts before the filling is over is refused where it is written; a run that ends before motion begins is told so.
#[test]
fn nothing_acts_on_a_bed_that_is_being_filled() {
    let refused = |text: String| driver(&text, None).err().unwrap();
    let early = refused(silo("").replace("opens_at = 41.2", "opens_at = 40.9"));
    assert!(
        early.contains("the filling lasts until 41 s") && early.contains("opens_at"),
        "{early}"
    );
    let short = silo("")
        .replace("end_time = 42.0", "end_time = 41.0")
        .replace("opens_at = 41.2", "");
    let (_, summary) = driven(&short).unwrap();
    assert_eq!(summary.grains.last, 40);
    assert!(summary.warnings[0].contains("motion would begin at 41 s"));
    let tap = "[[perturb]]\ntime = 3.0\ntap = { velocity = [0.0, 0.1] }\n";
    let tapped = refused(silo(tap));
    assert!(tapped.contains("3 s is too early"), "{tapped}");
    // Without `then` a filling stays one.
    let outlet = refused(silo("").replace("then = \"motion\"", ""));
    assert!(
        outlet.contains("takes no outlets: each grain is in equilibrium, and stays"),
        "{outlet}"
    );
}
