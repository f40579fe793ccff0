//! Fields accumulated over a run: micro-avalanches, stagnant zones, impacts, wear of walls.

use crate::record::column::{Field, Fields};
use crate::record::rows::{AvalancheRow, ImpactRow, WearRow, ZoneRow};
use crate::stress::Place;

/// Names of the places of slides, in order.
static PLACES: [&str; 4] = [
    Place::Wall.name(),
    Place::Top.name(),
    Place::Irregular.name(),
    Place::Inside.name(),
];

pub(in crate::record) fn avalanche_fields(dimensions: usize) -> Vec<Field<AvalancheRow>> {
    let mut f = Fields(Vec::new());
    f.integer(
        ("avalanche", "1", "number of the avalanche, from 0"),
        |r: &AvalancheRow| r.avalanche as i64,
    );
    f.float(("start", "s", "when it began"), |r| r.start);
    f.integer(("size", "1", "slides, breaks and insertions in all"), |r| {
        r.size as i64
    });
    f.integer(
        (
            "slides",
            "1",
            "slides; a link that slides in several rounds counts in each",
        ),
        |r| r.slides as i64,
    );
    f.integer(("breaks", "1", "links that were lost"), |r| r.breaks as i64);
    f.integer(("insertions", "1", "links that came about"), |r| {
        r.insertions as i64
    });
    f.integer(("rounds", "1", "rounds of the iteration until rest"), |r| {
        r.rounds as i64
    });
    f.integer(("links", "1", "links that took part"), |r| r.links as i64);
    f.integer(("grains", "1", "grains that took part"), |r| {
        r.grains as i64
    });
    f.float(
        (
            "energy",
            "J",
            "heat of the slides: elastic energy set free at fixed nodes",
        ),
        |r| r.energy,
    );
    f.float(
        (
            "energy_thesis",
            "J",
            "the same by the thesis's formula (4.36)",
        ),
        |r| r.energy_thesis,
    );
    f.float(
        (
            "extent",
            "m",
            "diagonal of the box around the links that took part",
        ),
        |r| r.extent,
    );
    f.vector(
        dimensions,
        ("*", "m", "mean place of the links that took part"),
        |r| r.position,
    );
    f.name(
        &PLACES,
        true,
        (
            "place",
            "",
            "where most of the heat went: at a wall, in the top layer, at an irregular spot (a \
             grain without two well-separated supports below), elsewhere inside",
        ),
        |r| r.place.map(|place| place as u8),
    );
    for (k, name) in PLACES.into_iter().enumerate() {
        let about = format!("heat of the slides at places of the kind `{name}`");
        f.float((format!("energy_{name}"), "J", about), move |r| {
            r.by_place[k]
        });
    }
    f.integer_or_none(
        ("trigger", "1", "number of the grain that set it off"),
        |r| r.trigger.code(),
    );
    f.0
}

pub(in crate::record) fn zone_fields(dimensions: usize) -> Vec<Field<ZoneRow>> {
    let mut f = Fields(Vec::new());
    f.vector(
        dimensions,
        ("*", "m", "middle of the cell"),
        |r: &ZoneRow| r.position,
    );
    f.float(("size", "m", "length of the cell's sides"), |r| r.size);
    f.integer(
        (
            "looks",
            "1",
            "ticks of the series at which a grain's centre was there",
        ),
        |r| r.looks as i64,
    );
    f.float(("occupied", "1", "their share of all ticks"), |r| {
        r.occupied
    });
    f.float(
        (
            "still",
            "1",
            "share of the grains seen there that stood still (regimes rest and rigid)",
        ),
        |r| r.still,
    );
    f.float(
        ("speed", "m/s", "mean speed of the grains seen there"),
        |r| r.speed,
    );
    f.vector(
        dimensions,
        (
            "velocity_*",
            "m/s",
            "mean velocity of the grains seen there",
        ),
        |r| r.velocity,
    );
    f.0
}

pub(in crate::record) fn wear_fields(dimensions: usize) -> Vec<Field<WearRow>> {
    let mut f = Fields(Vec::new());
    f.integer_or_none(
        ("wall", "1", "boundary i of the scenario as -1 - i"),
        |r: &WearRow| r.wall.code(),
    );
    let about = "middle of the cell in the wall's own frame: where it was set up";
    f.vector(dimensions, ("*", "m", about), |r| r.position);
    f.float(("size", "m", "length of the cell's sides"), |r| r.size);
    let about =
        "normal force times sliding distance; times k / H it is the volume worn (Archard 1953)";
    f.float(("archard_work", "J", about), |r| r.archard_work);
    let about = "work of friction of contacts that slid";
    f.float(("friction", "J", about), |r| r.friction);
    f.integer(("impacts", "1", "contacts that began"), |r| {
        r.impacts as i64
    });
    let about = "their kinetic energy of approach along the normal";
    f.float(("impact_energy", "J", about), |r| r.impact_energy);
    f.0
}

pub(in crate::record) fn impact_fields() -> Vec<Field<ImpactRow>> {
    let mut f = Fields(Vec::new());
    f.integer_or_none(
        (
            "with",
            "1",
            "boundary i of the scenario as -1 - i; none: collisions of two grains",
        ),
        |r: &ImpactRow| r.with.code(),
    );
    f.float(
        (
            "from",
            "J",
            "least energy of the class: kinetic energy of approach along the normal",
        ),
        |r| r.from,
    );
    f.float(("to", "J", "where the class ends"), |r| r.to);
    f.integer(("count", "1", "collisions"), |r| r.count as i64);
    f.float(("energy", "J", "energy of these impacts"), |r| r.energy);
    f.float(("lost", "J", "energy lost in them"), |r| r.lost);
    f.0
}
