//! Fields of grains and links in snapshots.

use super::{BODY, InSnapshot, REGIME_NAMES};
use crate::record::bonds::BondState;
use crate::record::column::{Field, Fields};
use crate::record::meta::Extras;
use crate::record::rows::{GrainRow, LinkRow};

pub(in crate::record) fn grain_fields(
    dimensions: usize,
    extras: Extras,
) -> Vec<Field<InSnapshot<GrainRow>>> {
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
    f.integer(
        (
            "group",
            "1",
            "number of its group at rest: the least grain number in it; -1 for a grain that does not stand still",
        ),
        |r| r.1.group,
    );
    f.float(
        (
            "force_error",
            "1",
            "estimated error of the normal forces in its group at rest, over these; 0 for a grain that does not stand still",
        ),
        |r| r.1.force_error,
    );
    if extras.bonds {
        let what = "number of its fragment: the least number of the grains that bonds join with it";
        f.integer(("fragment", "1", what), |r| i64::from(r.1.fragment));
    }
    f.0
}

pub(in crate::record) fn link_fields(
    dimensions: usize,
    extras: Extras,
) -> Vec<Field<InSnapshot<LinkRow>>> {
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
        (
            "normal_force",
            "N",
            "normal force between the bodies, positive in compression",
        ),
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
    if extras.bonds {
        bond_fields(&mut f, dimensions);
    }
    f.0
}

fn bond_fields(f: &mut Fields<InSnapshot<LinkRow>>, dimensions: usize) {
    type Get = fn(&BondState) -> f64;
    f.flag(
        (
            "bond",
            "",
            "whether a bond joins its grains, touching or not",
        ),
        |r| r.1.bond.is_some(),
    );
    let all: [(&str, &str, &str, Get); 5] = [
        (
            "bond_tension",
            "N",
            "tension of the bond, negative where it is compressed",
            |bond| bond.tension,
        ),
        ("bond_shear", "N", "shear force of the bond", |bond| {
            bond.shear
        }),
        (
            "bond_bending",
            "N m",
            "the greater of the bending moments at its ends",
            |bond| bond.bending,
        ),
        (
            "bond_twisting",
            "N m",
            "moment of the bond about its line",
            |bond| bond.twisting,
        ),
        (
            "bond_share",
            "1",
            "share of its strength that the bond bears; it breaks at 1",
            |bond| bond.share,
        ),
    ];
    for (name, unit, what, get) in all {
        if dimensions == 3 || name != "bond_twisting" {
            f.float((name, unit, what), move |r| {
                r.1.bond.as_ref().map_or(0.0, get)
            });
        }
    }
}
