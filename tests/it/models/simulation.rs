//! Runs driven from a program: in pieces as in one go, looked at where snapshots are, saved and resumed anywhere.

use std::sync::atomic::Ordering;

use arenite::prelude::*;

/// A short run of each kind of driver and of most models, with what is set for it.
const RUNS: [(&str, &[&str]); 7] = [
    // Settling, steps, grains that stand still, an outlet.
    ("hopper", &["run.end_time=0.3"]),
    // Collisions in flight beside steps.
    ("rain", &["run.end_time=0.4"]),
    // Feeds, groups at rest.
    ("heap", &["run.end_time=0.9"]),
    // From collision to collision.
    ("gas", &["run.end_time=0.6"]),
    // From equilibrium to equilibrium.
    ("silo", &["run.end_time=60"]),
    // A filling in equilibrium that goes on as motion.
    ("silo-to-heap", &["run.end_time=2.4"]),
    // Space, a wall that turns.
    ("drum-clumps", &["run.end_time=0.05"]),
];

fn built<'a>(name: &str, set: &[&str]) -> Simulation<'a> {
    let builder = Simulation::builder().scenario(name);
    let builder = set
        .iter()
        .fold(builder, |builder, value| builder.set(*value));
    builder
        .build()
        .unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn finish(set: &[&str]) -> f64 {
    let value = set[0].split('=').next_back().expect("a value");
    value.parse().expect("a number")
}

/// Where somebody stops to look changes nothing: neither the state, nor what is counted.
#[test]
fn pieces_are_as_one_go() {
    for (name, set) in RUNS {
        let mut whole = built(name, set);
        let end = whole.run().unwrap();
        let mut pieces = built(name, set);
        for k in 0..38 {
            let time = finish(set) * (f64::from(k.min(36)) / 37.0).powf(1.3);
            let stop = pieces.run_until(time).unwrap();
            if stop != Stop::Time {
                assert_eq!(stop, end, "{name} at {time} s");
                break;
            }
            assert!(
                (pieces.time() - time).abs() < 1e-12,
                "{name}: {}",
                pieces.time()
            );
            let moment = pieces.moment();
            assert!(
                moment.grains.iter().all(|grain| grain.time == time),
                "{name}"
            );
            assert!(
                moment.grains.is_sorted_by_key(|grain| grain.grain),
                "{name}"
            );
        }
        assert_eq!(pieces.run().unwrap(), end, "{name}");
        let (a, b) = (whole.summary(), pieces.summary());
        assert_eq!(a.state_hash, b.state_hash, "{name}");
        assert_eq!(a.events.by_kind, b.events.by_kind, "{name}");
        // Not the turns of the queue: a look cuts what all flyers do in one turn in two, as a row of the series does.
        assert_eq!(a.energy, b.energy, "{name}");
        assert_eq!(whole.time(), pieces.time(), "{name}");
    }
}

/// A moment is what a snapshot of that time has.
#[test]
fn moments_are_snapshots() {
    for (name, set) in RUNS {
        let every = finish(set) / 4.0;
        let mut records = MemorySink::default();
        let logs = format!("log.snapshots={every}");
        let builder = Simulation::builder().scenario(name).set(&*logs).set(set[0]);
        let mut logged = builder.sink(&mut records).build().unwrap();
        logged.run().unwrap();
        drop(logged);
        let mut looked = built(name, &[set[0], "log.snapshots=never"]);
        let mut compared = 0;
        for (grains, links) in &records.snapshots {
            // What happens at time 0 comes after the snapshot of that time, and before the look.
            let Some(first) = grains.first().filter(|first| first.time > 0.0) else {
                continue;
            };
            if looked.run_until(first.time).unwrap() != Stop::Time {
                break;
            }
            let moment = looked.moment();
            assert_eq!(
                moment.grains.len(),
                grains.len(),
                "{name} at {} s",
                first.time
            );
            for (a, b) in moment.grains.iter().zip(grains) {
                let of = |row: &GrainRow| {
                    (
                        row.grain,
                        row.position,
                        row.velocity,
                        row.rotation,
                        row.spin,
                        row.force,
                    )
                };
                assert_eq!(of(a), of(b), "{name} at {} s", first.time);
            }
            assert_eq!(
                moment.links.len(),
                links.len(),
                "{name} at {} s",
                first.time
            );
            compared += 1;
        }
        assert!(compared >= 3, "{name}: {compared} moments");
    }
}

/// A state that is saved where somebody looks goes on with the same bits, and has no trace of the look.
#[test]
fn states_of_any_moment_go_on() {
    for (name, set) in RUNS {
        let mut first = built(name, set);
        let time = 0.43 * finish(set);
        first.run_until(time).unwrap();
        let state = first.save().unwrap();
        first.run().unwrap();
        let builder = Simulation::builder().scenario(name).set(set[0]);
        let mut again = builder.resume(state).build().unwrap();
        assert!(again.time() <= time, "{name}");
        again.run().unwrap();
        assert_eq!(
            first.summary().state_hash,
            again.summary().state_hash,
            "{name}"
        );
    }
}

/// Observers look at even times from 0 on, also beside each other; conditions stop a run that may go on.
#[test]
fn observers_look_in_time() {
    let (mut fast, mut slow) = (Vec::new(), Vec::new());
    let mut simulation = Simulation::builder()
        .scenario("hopper")
        .set("run.end_time=0.1")
        .observe(0.01, |moment| fast.push(moment.time))
        .observe(0.025, |moment| slow.push(moment.time))
        .stop_when(0.02, |moment| moment.time > 0.03)
        .stop_when(0.05, |moment| moment.time > 0.03)
        .build()
        .unwrap();
    assert_eq!(simulation.run().unwrap(), Stop::Condition(0));
    assert_eq!(simulation.time(), 0.04);
    assert_eq!(simulation.run().unwrap(), Stop::Condition(1));
    assert_eq!(simulation.time(), 0.05);
    assert_eq!(simulation.run_until(0.055).unwrap(), Stop::Time);
    // To where it is already.
    assert_eq!(simulation.run_until(0.02).unwrap(), Stop::Time);
    assert_eq!(simulation.time(), 0.055);
    // The end comes first of what is due then, and is looked at too.
    while simulation.run().unwrap() != Stop::Over(Outcome::Finished) {}
    drop(simulation);
    let even =
        |every: f64, count: u32| (0..count).map(|k| f64::from(k) * every).collect::<Vec<_>>();
    assert_eq!(slow, even(0.025, 5));
    assert_eq!(fast, even(0.01, 11));
}

#[test]
fn steps_end_where_the_run_does() {
    let mut simulation = built("hopper", &["run.end_time=0.05"]);
    let times = simulation
        .steps(0.02, 1.0)
        .map(|moment| moment.unwrap().time);
    assert_eq!(times.collect::<Vec<_>>(), [0.02, 0.04]);
    let mut even = built("hopper", &["run.end_time=0.05"]);
    let times = even.steps(0.025, 1.0).map(|moment| moment.unwrap().time);
    assert_eq!(times.collect::<Vec<_>>(), [0.025, 0.05]);
    assert_eq!(simulation.run().unwrap(), Stop::Over(Outcome::Finished));
    assert_eq!(simulation.time(), 0.05);
}

/// A flag stops a run from outside; it goes on once the flag is taken back.
#[test]
fn a_flag_stops_a_run() {
    let mut simulation = built("heap", &["run.end_time=2.0"]);
    simulation.run_until(0.1).unwrap();
    simulation.interrupt().store(true, Ordering::Relaxed);
    assert_eq!(simulation.run().unwrap(), Stop::Over(Outcome::Interrupted));
    assert!(simulation.time() < 2.0);
    simulation.interrupt().store(false, Ordering::Relaxed);
    simulation.run().unwrap();
    let mut whole = built("heap", &["run.end_time=2.0"]);
    whole.run().unwrap();
    assert_eq!(whole.summary().state_hash, simulation.summary().state_hash);
}

/// What makes no sense is told in words, faults of a scenario with their place.
#[test]
fn faults_are_told() {
    let error = |builder: arenite::simulation::Builder<'_>| match builder.build() {
        Ok(_) => panic!("it was built"),
        Err(error) => error.to_string(),
    };
    let hopper = || Simulation::builder().scenario("hopper");
    assert!(error(Simulation::builder()).contains("nothing to run"));
    assert!(error(Simulation::builder().scenario("hoper")).contains("hopper"));
    assert!(error(hopper().set("run.end_time")).contains('='));
    assert!(error(hopper().set("run.finnish=1")).contains("end_time"));
    assert!(error(hopper().observe(0.0, |_| ())).contains("more than 0"));
    assert!(error(hopper().stop_when(f64::NAN, |_| true)).contains("more than 0"));
    assert!(error(hopper().resume([1, 2, 3])).contains("saved"));
    let text = "name = \"a\"\ndimension = 2\n[run]\nend_time = \"long\"\n";
    let told = error(Simulation::builder().text("mine.toml", text));
    assert!(told.contains("mine.toml:4"), "{told}");
    let mut simulation = built("hopper", &["run.end_time=0.01"]);
    let told = simulation.run_until(f64::NAN).unwrap_err().to_string();
    assert!(told.contains("not a number"), "{told}");
    let steps: Vec<_> = simulation.steps(-1.0, 1.0).collect();
    assert!(steps.len() == 1 && steps[0].is_err());
}
