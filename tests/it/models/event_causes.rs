//! Changes of regime are logged when they are real, and events name what brought them about.

use arenite::event::{EventKind, Regime};
use arenite::geometry::{Planar, Vector};
use arenite::record::{BodyRef, EventRow, MemorySink};
use arenite::system::{
    EventLog, FeedSetup, FeedTiming, Mixture, OutletSetup, RadiusLaw, Setup, System,
};

use crate::support::*;

fn logged(setup: &Setup<Planar>) -> Vec<EventRow> {
    run(setup).1.events
}

fn of(events: &[EventRow], kind: EventKind) -> Vec<EventRow> {
    let rows = events.iter().filter(|row| row.kind == kind);
    // The start of the run is logged as a change of the whole.
    rows.filter(|row| kind != EventKind::Morph || row.body_a != BodyRef::None)
        .copied()
        .collect()
}

/// Free fall for many horizons: one flight, one change of regime, however often it is foreseen anew.
#[test]
fn a_flight_that_goes_on_is_no_change_of_regime() {
    let mut setup: Setup<Planar> = empty(linear(1e5, 1e5, 10.0, 0.0, 0.5), 1e-5, 0.7);
    setup.fields.gravity = place::<Planar>(0.0, -9.81);
    setup.log.events = EventLog::Links;
    floor(&mut setup);
    for k in 0..5 {
        let x = place::<Planar>(0.3 * f64::from(k), 1.0 + 0.1 * f64::from(k));
        add(&mut setup, 0.01, 0.1, x, Vector::from_fn(|_| 0.1));
    }
    let (system, sink) = run(&setup);
    let morphs = of(&sink.events, EventKind::Morph);
    let renewals = system.summary().events.by_kind["neighbor-update"];
    assert!(renewals > 20, "{renewals} renewals: too few to tell");
    assert!(!morphs.is_empty());
    assert_eq!(
        system.summary().events.by_kind["morph"],
        morphs.len() as u64
    );
    for grain in 0..5 {
        let own: Vec<_> = morphs
            .iter()
            .filter(|row| row.body_a == BodyRef::Grain(grain))
            .collect();
        for pair in own.windows(2) {
            assert_eq!(pair[0].regime_to, pair[1].regime_from, "grain {grain}");
            assert!(pair[0].time < pair[1].time, "grain {grain}: {pair:?}");
        }
        let flights = own
            .iter()
            .filter(|row| row.regime_to == Some(Regime::Flight));
        // Up to the floor; and once more for each bounce that is worth a flight.
        let hits = of(&sink.events, EventKind::InsertLink);
        let hits = hits
            .iter()
            .filter(|row| row.body_a == BodyRef::Grain(grain));
        assert!(
            flights.count() <= 1 + hits.count(),
            "grain {grain}: {own:?}"
        );
    }
}

/// A gate that opens sends what lay on it off to a flight; the last grain that leaves ends the run.
#[test]
fn a_gate_and_the_last_grain_are_causes() {
    let mut setup: Setup<Planar> = empty(linear(1e5, 1e5, 50.0, 0.0, 0.5), 1e-5, 2.0);
    setup.fields.gravity = place::<Planar>(0.0, -9.81);
    setup.log.events = EventLog::Links;
    setup.run.stop_when_empty = true;
    setup.sources.outlets.push(OutletSetup::Plane {
        point: place::<Planar>(0.0, -0.5),
        normal: place::<Planar>(0.0, 1.0),
    });
    floor(&mut setup).opens_at = Some(0.2);
    add(
        &mut setup,
        0.01,
        0.1,
        place::<Planar>(0.0, 0.01),
        Vector::from_fn(|_| 0.0),
    );
    let events = logged(&setup);
    let gate = of(&events, EventKind::BoundaryUpdate)[0];
    let morphs = of(&events, EventKind::Morph);
    let off = morphs.iter().find(|row| row.time >= 0.19).unwrap();
    assert_eq!(off.regime_to, Some(Regime::Flight));
    assert_eq!((gate.cause, off.cause), (0, gate.seq));
    let left = of(&events, EventKind::DeleteBodies);
    let end = of(&events, EventKind::Finish);
    assert_eq!((left.len(), end.len(), left[0].cause), (1, 1, 0));
    assert_eq!(end[0].cause, left[0].seq);
}

/// A grain that is fed close to a wall must step at once: the feed is the cause.
#[test]
fn a_feed_is_a_cause() {
    let mut setup: Setup<Planar> = empty(linear(1e5, 1e5, 50.0, 0.0, 0.5), 1e-5, 0.05);
    setup.fields.gravity = place::<Planar>(0.0, -9.81);
    setup.log.events = EventLog::Links;
    floor(&mut setup);
    setup.sources.feeds.push(FeedSetup {
        what: Mixture::one(0, 1000.0, RadiusLaw::Equal(0.01)),
        min: place::<Planar>(0.0, 0.010_000_000_1),
        max: place::<Planar>(0.0, 0.010_000_000_1),
        velocity: Vector::from_fn(|_| 0.0),
        timing: FeedTiming::Interval(1.0),
        rise: Default::default(),
        start: 0.01,
        count: 1,
        mass: None,
        attempts: 1,
        retry_interval: 0.01,
        max_retries: 3,
    });
    let events = logged(&setup);
    let fed = of(&events, EventKind::AddBody)[0];
    let back = of(&events, EventKind::Morph)[0];
    assert_eq!(back.regime_to, Some(Regime::Cluster));
    assert_eq!((fed.cause, back.cause), (0, fed.seq));
    // What comes later has causes of its own.
    assert!(
        of(&events, EventKind::InsertLink)
            .iter()
            .all(|row| row.cause == 0)
    );
}

/// A jam names the contact that was the last to form, and the end names the jam.
#[test]
fn a_jam_ends_a_run_and_has_a_cause() {
    let mut setup: Setup<Planar> = empty(linear(1e5, 1e5, 50.0, 50.0, 0.5), 1e-5, 2.0);
    setup.fields.gravity = place::<Planar>(0.0, -9.81);
    setup.log.events = EventLog::Links;
    setup.sources.outlets.push(OutletSetup::Plane {
        point: place::<Planar>(0.0, -0.5),
        normal: place::<Planar>(0.0, 1.0),
    });
    floor(&mut setup);
    add(
        &mut setup,
        0.01,
        0.1,
        place::<Planar>(0.0, 0.010_000_1),
        Vector::from_fn(|_| 0.0),
    );
    let events = logged(&setup);
    let jam = of(&events, EventKind::Jam)[0];
    let last = *of(&events, EventKind::InsertLink).last().unwrap();
    assert!(last.seq > 0 && last.seq < jam.seq);
    assert_eq!(jam.cause, last.seq);
    assert_eq!(of(&events, EventKind::Finish)[0].cause, jam.seq);
}

/// A state that other sources wrote is refused, and one that names no sources.
#[test]
fn a_state_of_another_program_is_refused() {
    let mut setup: Setup<Planar> = empty(linear(1e5, 1e5, 50.0, 50.0, 0.5), 1e-5, 0.01);
    add(
        &mut setup,
        0.01,
        0.1,
        place::<Planar>(0.0, 0.010_000_1),
        Vector::from_fn(|_| 0.0),
    );
    let mut system = System::new(setup.clone()).unwrap();
    finish(&mut system, &mut MemorySink::default());
    let mut state = system.save().unwrap();
    assert!(System::restore(setup.clone(), &state).is_ok());
    let refused = |state: &[u8]| {
        let error = System::restore(setup.clone(), state).unwrap_err();
        error.to_string()
    };
    // The version, the length of the hash of the sources, and the hash.
    let version = env!("CARGO_PKG_VERSION").as_bytes();
    let place = state.windows(version.len()).position(|w| w == version);
    let hash = place.unwrap() + version.len() + 1;
    let own = String::from_utf8(state[hash..hash + 16].to_vec()).unwrap();
    state[hash] = if own.starts_with('0') { b'1' } else { b'0' };
    let said = refused(&state);
    assert!(
        said.contains(&format!("this is {} with {own}", env!("CARGO_PKG_VERSION"))),
        "{said}"
    );
    assert!(
        said.contains("resume with the program that wrote it"),
        "{said}"
    );
    let said = refused(&state[8..]);
    assert!(said.contains("does not name the program"), "{said}");
}
