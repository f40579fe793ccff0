//! The fields of each table: the one place that says what a column is called, its unit, its
//! meaning and where its value comes from.

use std::collections::BTreeSet;

use super::column::{Column, Field, Fields, Kind, Table};
use super::rows::{AvalancheRow, EventRow, GrainRow, ImpactRow, LinkRow, SeriesRow, ZoneRow};
use crate::event::{EventKind, Regime};
use crate::stress::Place;

/// Names of the kinds of events, in order.
pub(super) static KINDS: [&str; EventKind::ALL.len()] = {
    let mut names = [""; EventKind::ALL.len()];
    let mut k = 0;
    while k < names.len() {
        names[k] = EventKind::ALL[k].name();
        k += 1;
    }
    names
};

/// All regimes, in order of their numbers.
pub(super) const REGIMES: [Regime; 4] =
    [Regime::Flight, Regime::Cluster, Regime::Rest, Regime::Rigid];

/// Names of the regimes, in order.
pub(super) static REGIME_NAMES: [&str; 4] = [
    Regime::Flight.name(),
    Regime::Cluster.name(),
    Regime::Rest.name(),
    Regime::Rigid.name(),
];

/// Names of the places of slides, in order.
static PLACES: [&str; 4] = [
    Place::Wall.name(),
    Place::Top.name(),
    Place::Irregular.name(),
    Place::Inside.name(),
];

const BODY: &str = "grains from 0, boundary i of the scenario as -1 - i, none where there is none";

/// A grain or link together with the number of its snapshot.
pub(super) type InSnapshot<R> = (u64, R);

pub(super) fn event_fields(dimensions: usize) -> Vec<Field<EventRow>> {
    let mut f = Fields(Vec::new());
    f.integer(
        ("seq", "1", "order in which the event was handled"),
        |r: &EventRow| r.seq as i64,
    );
    f.float(("time", "s", "when"), |r| r.time);
    f.name(&KINDS, false, ("kind", "", "kind of the event"), |r| {
        Some(r.kind as u8)
    });
    f.name(
        &REGIME_NAMES,
        true,
        ("regime_from", "", "regime before a morph"),
        |r| r.regime_from.map(|g| g as u8),
    );
    f.name(
        &REGIME_NAMES,
        true,
        ("regime_to", "", "regime after a morph"),
        |r| r.regime_to.map(|g| g as u8),
    );
    f.integer_or_none(("body_a", "1", format!("first body: {BODY}")), |r| {
        r.body_a.code()
    });
    f.integer_or_none(("body_b", "1", format!("second body: {BODY}")), |r| {
        r.body_b.code()
    });
    f.integer(
        ("link", "1", "number of the link, 0 where there is none"),
        |r| r.link as i64,
    );
    for (k, axis) in ["x", "y", "z"].into_iter().enumerate().take(dimensions) {
        f.float_or_none((axis, "m", format!("where, along {axis}")), move |r| {
            r.position[k]
        });
    }
    f.float_or_none(
        (
            "energy",
            "J",
            "of approach (insert-link), of what left (delete-bodies); none elsewhere",
        ),
        |r| r.energy,
    );
    f.integer(
        (
            "cause",
            "1",
            "seq of the event that caused this one, 0 where there is none",
        ),
        |r| r.cause as i64,
    );
    f.0
}

pub(super) fn series_fields(dimensions: usize, boundaries: &[String]) -> Vec<Field<SeriesRow>> {
    let mut f = Fields(Vec::new());
    f.float(
        ("time", "s", "when; negative while settling"),
        |r: &SeriesRow| r.time,
    );
    f.integer(("grains", "1", "grains in the system"), |r| r.grains as i64);
    for (k, name) in REGIME_NAMES.into_iter().enumerate() {
        let what = (
            format!("grains_{name}"),
            "1",
            format!("grains in the regime {name}"),
        );
        f.integer(what, move |r| r.by_regime[k] as i64);
    }
    f.integer(
        ("clusters", "1", "connected groups; flyers are not counted"),
        |r| r.clusters as i64,
    );
    f.integer(("links", "1", "links open now"), |r| r.links as i64);
    f.integer(("sliding", "1", "links that slide now"), |r| {
        r.sliding as i64
    });
    f.integer(
        ("discharged", "1", "grains removed through an outlet so far"),
        |r| r.discharged as i64,
    );
    f.float(("kinetic", "J", "kinetic energy"), |r| r.kinetic);
    f.float(
        (
            "potential",
            "J",
            "potential energy in the fields, from the origin",
        ),
        |r| r.potential,
    );
    f.float(("elastic", "J", "elastic energy of the links"), |r| {
        r.elastic
    });
    for (k, (name, about)) in [
        ("damping", "lost in normal dampers and drag so far"),
        (
            "slip",
            "lost to tangential forces so far: sliding and tangential dampers",
        ),
        ("collision", "dissipated in collisions in flight so far"),
        ("morph", "taken by changes of regime so far; signed"),
    ]
    .into_iter()
    .enumerate()
    {
        f.float((format!("dissipated_{name}"), "J", about), move |r| {
            r.dissipated[k]
        });
    }
    f.float(
        (
            "injected",
            "J",
            "brought in by feeds, moving walls and seams along gravity so far",
        ),
        |r| r.injected,
    );
    f.float(
        ("removed", "J", "carried away by removed grains so far"),
        |r| r.removed,
    );
    f.float(
        ("balance_error", "1", "relative error of the energy balance"),
        |r| r.balance_error,
    );
    for (k, (name, about)) in [
        ("grain", "collisions of two grains in flight so far"),
        ("wall", "collisions in flight with walls so far"),
    ]
    .into_iter()
    .enumerate()
    {
        f.integer((format!("collisions_{name}"), "1", about), move |r| {
            r.collisions[k] as i64
        });
    }
    f.float(
        (
            "dissipated_at_walls",
            "J",
            "of dissipated_collision, what was lost in collisions with walls",
        ),
        |r| r.dissipated_at_walls,
    );
    for (k, kind) in EventKind::ALL.into_iter().enumerate() {
        let what = (
            format!("events_{}", kind.name().replace('-', "_")),
            "1",
            format!("events of the kind {} so far", kind.name()),
        );
        f.integer(what, move |r| r.events.get(k).copied().unwrap_or(0) as i64);
    }
    for (b, name) in unique(boundaries).into_iter().enumerate() {
        let wall = move |r: &SeriesRow| r.walls.get(b).copied().unwrap_or_default();
        let title = format!("wall_{name}_force_*");
        let about = format!("mean force of the grains on {name} since the last tick");
        f.vector(dimensions, (&title, "N", &about), move |r| {
            let w = wall(r);
            [w[0], w[1], w[2]]
        });
        let title = format!("wall_{name}_moment");
        let about = format!("mean moment of that force about the reference point of {name}");
        f.turn(dimensions, (&title, "N m", &about), 2, move |r| {
            let w = wall(r);
            [w[3], w[4], w[5]]
        });
        let about = format!("work done by {name} on grains so far");
        f.float((format!("wall_{name}_work"), "J", about), move |r| {
            wall(r)[6]
        });
    }
    f.0
}

/// Names made different where they are not: the second "side" becomes "side_2".
fn unique(names: &[String]) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let mut different = Vec::new();
    for name in names {
        let mut candidate = name.clone();
        let mut count = 2;
        while !taken.insert(candidate.clone()) {
            candidate = format!("{name}_{count}");
            count += 1;
        }
        different.push(candidate);
    }
    different
}

pub(super) fn grain_fields(dimensions: usize) -> Vec<Field<InSnapshot<GrainRow>>> {
    let mut f = Fields(Vec::new());
    type Row = InSnapshot<GrainRow>;
    f.integer(
        ("snapshot", "1", "number of the snapshot, from 0"),
        |r: &Row| r.0 as i64,
    );
    f.float(("time", "s", "when"), |r| r.1.time);
    f.integer(("grain", "1", "number of the grain"), |r| {
        i64::from(r.1.grain)
    });
    f.integer(
        (
            "shape",
            "1",
            "place of its shape in the run's `shapes`, in the file's metadata; -1: a disk or a sphere",
        ),
        |r| r.1.shape.map_or(-1, i64::from),
    );
    f.float(
        (
            "radius",
            "m",
            "radius; of a shape that of the circle or sphere around it",
        ),
        |r| r.1.radius,
    );
    f.float(
        (
            "mass",
            if dimensions == 2 { "kg/m" } else { "kg" },
            "mass; in the plane per metre of depth",
        ),
        |r| r.1.mass,
    );
    f.integer(("material", "1", "index of the material"), |r| {
        i64::from(r.1.material)
    });
    f.vector(dimensions, ("*", "m", "centre"), |r| r.1.position);
    f.vector(
        dimensions,
        ("velocity_*", "m/s", "velocity of the centre"),
        |r| r.1.velocity,
    );
    if dimensions == 2 {
        f.float(("angle", "rad", "orientation, anticlockwise"), |r| {
            r.1.rotation[0]
        });
    } else {
        for (k, part) in ["x", "y", "z", "w"].into_iter().enumerate() {
            let what = (
                format!("rotation_{part}"),
                "1",
                format!("orientation: component {part} of the unit quaternion"),
            );
            f.float(what, move |r| r.1.rotation[k]);
        }
    }
    f.turn(dimensions, ("spin", "rad/s", "angular velocity"), 0, |r| {
        r.1.spin
    });
    f.vector(
        dimensions,
        ("force_*", "N", "sum of the contact forces"),
        |r| r.1.force,
    );
    f.turn(
        dimensions,
        (
            "moment",
            "N m",
            "sum of the contact moments about the centre",
        ),
        0,
        |r| r.1.moment,
    );
    f.name(&REGIME_NAMES, false, ("regime", "", "regime"), |r| {
        Some(r.1.regime as u8)
    });
    f.integer(
        (
            "cluster",
            "1",
            "number of its cluster: the least grain number in it; -1 for a flyer",
        ),
        |r| r.1.cluster,
    );
    f.0
}

pub(super) fn link_fields(dimensions: usize) -> Vec<Field<InSnapshot<LinkRow>>> {
    let mut f = Fields(Vec::new());
    type Row = InSnapshot<LinkRow>;
    f.integer(
        ("snapshot", "1", "number of the snapshot, from 0"),
        |r: &Row| r.0 as i64,
    );
    f.float(("time", "s", "when"), |r| r.1.time);
    f.integer(
        (
            "link",
            "1",
            "number of the link in order of creation, from 1; 0 where not numbered",
        ),
        |r| r.1.link as i64,
    );
    f.integer_or_none(("body_a", "1", format!("first body: {BODY}")), |r| {
        r.1.body_a.code()
    });
    f.integer_or_none(("body_b", "1", format!("second body: {BODY}")), |r| {
        r.1.body_b.code()
    });
    f.vector(dimensions, ("*", "m", "contact point"), |r| r.1.point);
    f.vector(
        dimensions,
        ("normal_*", "1", "unit normal from a to b"),
        |r| r.1.normal,
    );
    f.float(("overlap", "m", "overlap, positive when compressed"), |r| {
        r.1.overlap
    });
    f.float(
        ("normal_force", "N", "normal force, positive in compression"),
        |r| r.1.normal_force,
    );
    f.vector(
        dimensions,
        ("tangential_force_*", "N", "tangential force on a"),
        |r| r.1.tangential_force,
    );
    f.flag(("slip", "", "whether it slides"), |r| r.1.slipping);
    f.flag(
        ("stable", "", "whether it has been at rest long enough"),
        |r| r.1.stable,
    );
    f.0
}

pub(super) fn avalanche_fields(dimensions: usize) -> Vec<Field<AvalancheRow>> {
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

pub(super) fn zone_fields(dimensions: usize) -> Vec<Field<ZoneRow>> {
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

pub(super) fn impact_fields() -> Vec<Field<ImpactRow>> {
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

fn only_columns<R>(fields: Vec<Field<R>>) -> Vec<Column> {
    fields.into_iter().map(|field| field.column).collect()
}

/// The columns of a table, in order, for a run in 2 or 3 dimensions with these boundaries.
pub fn columns(table: Table, dimensions: usize, boundaries: &[String]) -> Vec<Column> {
    match table {
        Table::Events => only_columns(event_fields(dimensions)),
        Table::Series => only_columns(series_fields(dimensions, boundaries)),
        Table::Grains => only_columns(grain_fields(dimensions)),
        Table::Links => only_columns(link_fields(dimensions)),
        Table::Avalanches => only_columns(avalanche_fields(dimensions)),
        Table::Stagnant => only_columns(zone_fields(dimensions)),
        Table::Impacts => only_columns(impact_fields()),
    }
}

/// All columns as Markdown tables, for the documentation.
pub fn describe() -> String {
    let boundary = ["NAME".to_string()];
    let mut text = String::new();
    for table in Table::ALL {
        let planar = columns(table, 2, &boundary);
        let spatial = columns(table, 3, &boundary);
        text += &format!("### {}: {}\n\n", table.file_name(), table.about());
        text += "| column | unit | type | holds |\n|---|---|---|---|\n";
        let only_planar = planar
            .iter()
            .filter(|c| !spatial.iter().any(|s| s.name == c.name));
        for column in spatial.iter().chain(only_planar) {
            let scope = match (
                planar.iter().any(|c| c.name == column.name),
                spatial.iter().any(|c| c.name == column.name),
            ) {
                (true, false) => " (plane only)",
                (false, true) => " (space only)",
                _ => "",
            };
            let kind = match column.kind {
                Kind::Float => "double",
                Kind::Integer => "int64",
                Kind::Flag => "boolean",
                Kind::Name(_) => "string",
            };
            let none = if column.nullable { ", may be null" } else { "" };
            text += &format!(
                "| `{}` | {} | {kind}{none} | {}{scope} |\n",
                column.name, column.unit, column.about
            );
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_follow_the_dimension_and_the_walls() {
        let walls = ["left".to_string(), "left".to_string()];
        let names = |table, dimensions| -> Vec<String> {
            let columns = columns(table, dimensions, &walls);
            columns.into_iter().map(|c| c.name).collect()
        };
        assert_eq!(
            names(Table::Events, 3).join(" "),
            "seq time kind regime_from regime_to body_a body_b link x y z energy cause"
        );
        assert!(!names(Table::Events, 2).contains(&"z".to_string()));
        assert!(names(Table::Grains, 2).contains(&"angle".to_string()));
        assert!(names(Table::Grains, 3).contains(&"rotation_w".to_string()));
        let series = names(Table::Series, 2);
        assert!(series.ends_with(&[
            "wall_left_2_force_x".to_string(),
            "wall_left_2_force_y".to_string(),
            "wall_left_2_moment".to_string(),
            "wall_left_2_work".to_string(),
        ]));
        let mut sorted = series.clone();
        sorted.sort();
        sorted.dedup();
        assert_eq!(sorted.len(), series.len());
    }

    #[test]
    fn every_column_is_described() {
        for table in Table::ALL {
            for column in columns(table, 3, &["w".to_string()]) {
                assert!(!column.about.is_empty(), "{}", column.name);
                let bare = matches!(column.kind, Kind::Flag | Kind::Name(_));
                assert_eq!(column.unit.is_empty(), bare, "{}", column.name);
            }
        }
        assert!(describe().contains("| `angle` | rad | double |"));
    }
}
