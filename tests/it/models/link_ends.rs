//! Links in the log of events: what began ends, whatever ends it, or is there at the end.

use std::collections::BTreeMap;

use arenite::cluster::integrate::Integrate;
use arenite::event::EventKind;
use arenite::record::{BodyRef, EventRow, LinkRow};
use arenite::system::{Setup, System};

use crate::models::matrix::motion::motion;
use crate::support::*;

/// Runs in which gates open, grains leave by outlets and are taken away: integrator, regime, shape, wall, its motion,
/// feed and outlet, field, law, search, start, perturbation, log.
const PLANE: [&str; 10] = [
    "verlet stepped round segment gate outlet gravity linear cells at-once remove links",
    "verlet flight round polyline gate reload gravity hertz hgrid at-once undisturbed links",
    "euler stepped clump floor gate outlet gravity linear brute at-once remove links",
    "verlet still round floor gate no-feed gravity linear cells at-once remove links",
    "verlet still clump rough gate reload gravity linear cells at-once undisturbed links",
    "verlet collisions round in-box gate reload gravity linear cells at-once remove links",
    "heun flight oval box gate outlet gravity linear cells at-once remove links",
    "midpoint flight quasi-square segment gate reload gravity linear cells at-once undisturbed links",
    "verlet flight round periodic gate reload gravity rolling cells at-once remove links",
    "midpoint flight clump arc gate outlet gravity linear cells at-once tap links",
];
const SPACE: [&str; 4] = [
    "verlet stepped round mesh gate outlet gravity linear cells at-once remove links",
    "verlet still dimer floor gate reload gravity linear cells at-once remove links",
    "midpoint flight t-bar cylinder gate reload gravity hertz hgrid at-once undisturbed links",
    "verlet flight round vessel gate outlet gravity rolling cells at-once remove links",
];

type Pair = (i64, i64);

fn pair(a: BodyRef, b: BodyRef) -> Pair {
    match (a.code(), b.code()) {
        (a, b) if b < 0 => (a, b),
        (a, b) => (a.min(b), a.max(b)),
    }
}

fn places(links: &[LinkRow]) -> BTreeMap<Pair, i64> {
    let mut found = BTreeMap::new();
    for link in links {
        *found.entry(pair(link.body_a, link.body_b)).or_default() += 1;
    }
    found
}

/// How many links ended since grains went, and since a gate did.
type Ended = [usize; 2];

fn ends_as_it_began<D: Integrate>(what: &str, setup: &Setup<D>) -> Ended {
    let there = places(&System::new(setup.clone()).unwrap().link_rows(0.0));
    let (system, sink) = run(setup);
    let rows = &sink.events;
    // What is counted is logged.
    for kind in [EventKind::InsertLink, EventKind::RemoveLink] {
        let logged = rows.iter().filter(|row| row.kind == kind).count() as u64;
        let counted = system.summary().events.by_kind.get(kind.name()).copied();
        assert_eq!(logged, counted.unwrap_or(0), "{what}: {}", kind.name());
    }
    let mut open = there.clone();
    let mut by_number: BTreeMap<u64, (Pair, i64)> = BTreeMap::new();
    for row in rows {
        let change = match row.kind {
            EventKind::InsertLink => 1,
            EventKind::RemoveLink => -1,
            _ => continue,
        };
        let pair = pair(row.body_a, row.body_b);
        *open.entry(pair).or_default() += change;
        by_number.entry(row.link).or_insert((pair, 0)).1 += change;
        assert!(
            row.link > 0 && row.position.iter().all(|x| x.abs() < 10.0),
            "{what}: {row:?}"
        );
    }
    open.retain(|_, places| *places != 0);
    let last = system.link_rows(setup.run.end_time);
    assert_eq!(
        open,
        places(&last),
        "{what}: what is left open is not what is there"
    );
    // The same by the numbers of links: one pair each.
    for (number, (pair, left)) in by_number {
        if there.contains_key(&pair) {
            continue;
        }
        let here = last.iter().filter(|link| link.link == number).count() as i64;
        assert_eq!(left, here, "{what}: link {number} of {pair:?}");
    }
    let cause = |row: &EventRow| rows.iter().find(|other| other.seq == row.cause);
    let taken = |row: &&EventRow, kind: EventKind| {
        let by = cause(row).filter(|by| by.kind == kind);
        by.is_some_and(|by| {
            assert_eq!(row.time, by.time, "{what}: {row:?} by {by:?}");
            by.body_a == BodyRef::None || [row.body_a, row.body_b].contains(&by.body_a)
        })
    };
    let ended = |kind| {
        let ends = rows.iter().filter(|row| row.kind == EventKind::RemoveLink);
        ends.filter(|row| taken(row, kind)).count()
    };
    [
        ended(EventKind::DeleteBodies),
        ended(EventKind::BoundaryUpdate),
    ]
}

#[test]
fn a_link_that_began_ends_in_the_log_whatever_ends_it() {
    let mut all: Vec<Ended> = Vec::new();
    let plane = PLANE.map(|case| (false, case));
    for (space, what) in plane.into_iter().chain(SPACE.map(|case| (true, case))) {
        let case: Vec<&str> = what.split(' ').collect();
        // Long enough for most to lie on something when it goes.
        let text = motion(space, &case).replace("end_time = 0.03", "end_time = 0.15");
        let text = text.replace("opens_at = 0.015", "opens_at = 0.1");
        let text = text.replace("time = 0.012", "time = 0.09");
        let ended = match space {
            false => ends_as_it_began(what, &written_planar(&text)),
            true => ends_as_it_began(what, &written_spatial(&text)),
        };
        println!("{ended:?} {what}");
        all.push(ended);
    }
    let sum = |k: usize| all.iter().map(|ended| ended[k]).sum::<usize>();
    assert!(sum(0) > 10 && sum(1) > 4, "{all:?}");
    // Grains that stand still among them.
    assert!(all[3][1] > 0 && all[4][0] > 0, "{all:?}");
}
