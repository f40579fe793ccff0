//! Fields of the course of a run: its events, and the series of the whole system.

use std::collections::BTreeSet;

use super::{BODY, KINDS, REGIME_NAMES};
use crate::event::EventKind;
use crate::record::column::{Field, Fields};
use crate::record::meta::Extras;
use crate::record::nodes::{GroupRow, MODELS};
use crate::record::rows::{EventRow, SeriesRow};

pub(in crate::record) fn event_fields(dimensions: usize) -> Vec<Field<EventRow>> {
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
            "of approach (insert-link), released (break-bond), of what left (delete-bodies); none elsewhere",
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

pub(in crate::record) fn series_fields(
    dimensions: usize,
    boundaries: &[String],
    meters: &[String],
    extras: Extras,
) -> Vec<Field<SeriesRow>> {
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
    for (name, about, of) in [
        (
            "rest_groups",
            "groups of grains that stand still and hang together",
            (|g| g.rest) as fn(&GroupRow) -> u64,
        ),
        ("rigid_groups", "rigid groups", |g| g.rigid),
        (
            "largest_rest_group",
            "grains in the largest group at rest",
            |g| g.largest,
        ),
    ] {
        f.integer((name, "1", about), move |r| of(&r.groups) as i64);
    }
    for (k, model) in MODELS.into_iter().enumerate() {
        let what = (
            format!("work_{model}"),
            "s",
            format!("work so far under the model {model}, as counted, on a common machine"),
        );
        f.float(what, move |r| r.work[k]);
    }
    let told = |kind: &EventKind| extras.bonds || *kind != EventKind::BreakBond;
    let kinds = EventKind::ALL.into_iter().enumerate();
    for (k, kind) in kinds.filter(|(_, kind)| told(kind)) {
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
        let title = format!("wall_{name}_shift_*");
        let about = format!("way of {name} from where it was set up");
        f.vector(dimensions, (&title, "m", &about), move |r| {
            r.shifts.get(b).copied().unwrap_or_default()
        });
    }
    for (m, name) in meters.iter().enumerate() {
        let sum = move |r: &SeriesRow| r.meters.get(m).copied().unwrap_or_default();
        let about = format!("grains that passed the meter {name} so far, forward less back");
        f.integer((format!("meter_{name}_count"), "1", about), move |r| {
            sum(r).0
        });
        f.float(
            (format!("meter_{name}_mass"), "kg", "mass of these"),
            move |r| sum(r).1,
        );
    }
    if extras.cell {
        cell_fields(&mut f, dimensions);
    }
    if extras.bonds {
        bond_fields(&mut f);
    }
    f.0
}

/// Adds the fields of bonds.
fn bond_fields(f: &mut Fields<SeriesRow>) {
    let of = |r: &SeriesRow| r.bonds.unwrap_or_default();
    f.integer(("bonds", "1", "bonds that hold"), move |r| {
        of(r).holding as i64
    });
    let about = "bonds that broke in tension, with bending, so far";
    f.integer(("bonds_torn", "1", about), move |r| of(r).torn as i64);
    let about = "bonds that broke in shear, with twisting, so far";
    f.integer(("bonds_sheared", "1", about), move |r| of(r).sheared as i64);
    let about = "fragments: sets of two grains and more that bonds join";
    f.integer(("fragments", "1", about), move |r| of(r).fragments as i64);
    let about = "mass of the heaviest fragment, in the plane per metre of depth";
    f.float(("largest_fragment", "kg", about), move |r| {
        of(r).largest_fragment
    });
    let about = "of elastic, what bonds store";
    f.float(("elastic_bonds", "J", about), |r| r.elastic_bonds);
    let about = "released by bonds that broke so far";
    f.float(("dissipated_breakage", "J", about), |r| r.dissipated[4]);
}

/// Adds the fields of a periodic cell whose edges move.
fn cell_fields(f: &mut Fields<SeriesRow>, dimensions: usize) {
    let of = |r: &SeriesRow| r.cell.unwrap_or_default();
    let about = "length of a periodic cell whose edges move";
    f.vector(dimensions, ("cell_length_*", "m", about), move |r| {
        of(r).lengths
    });
    let about = "displacement of the image above the cell along x, up to half a length";
    f.float(("cell_offset", "m", about), move |r| of(r).offset);
    f.float(("cell_shear", "1", "shear so far"), move |r| of(r).sheared);
    let about = "share of the cell that grains fill";
    f.float(("solid_fraction", "1", about), move |r| of(r).fraction);
    let about = "links a grain, each counted for both grains";
    f.float(("cell_coordination", "1", about), move |r| {
        of(r).coordination
    });
    let axes = ["x", "y", "z"];
    for i in 0..dimensions {
        for j in 0..dimensions {
            let about = format!(
                "mean force along {} over the area of planes across {} since the last tick, of links and of motion \
                 against the flow; positive in compression; in the plane N/m",
                axes[j], axes[i]
            );
            let name = format!("cell_pressure_{}{}", axes[i], axes[j]);
            f.float((name, "Pa", about), move |r| of(r).pressure[i][j]);
        }
    }
}

/// Makes names distinct: the second "side" becomes "side_2".
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
