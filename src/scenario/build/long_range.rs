//! Charges and similar properties of materials, and long-range forces between the centres of grains.

use super::check::Check;
use super::materials::Materials;
use crate::field::{LongRangeSetup, SourceDensity};
use crate::geometry::Dimension;
use crate::scenario::path::Place;
use crate::scenario::problem::Problem;
use crate::scenario::spec::Spec;
use crate::system::Setup;

/// Reads the sources of long-range forces of the materials.
pub(super) fn collect(
    check: Check<'_>,
    spec: &Spec,
    materials: &Materials,
) -> Result<LongRangeSetup, Problem> {
    let gravitation = Place::of("field").key("gravitation");
    let mut sources = Vec::new();
    for (name, material) in materials.names.iter().zip(&materials.specs) {
        let at = Place::of("material").key(name);
        let vector = |key: &str, given: &Option<Vec<f64>>| match given {
            Some(given) => check.in_space(&at.key(key), given),
            None => Ok([0.0; 3]),
        };
        sources.push(SourceDensity {
            charge: check.finite(&at.key("charge_per_mass"), material.charge_per_mass)?,
            electric: vector(
                "electric_moment_per_mass",
                &material.electric_moment_per_mass,
            )?,
            magnetic: vector(
                "magnetic_moment_per_mass",
                &material.magnetic_moment_per_mass,
            )?,
        });
    }
    Ok(LongRangeSetup {
        gravitation: check.non_negative(&gravitation, spec.field.gravitation)?,
        sources,
    })
}

/// Refuses long-range forces in periodic space, where they would come from all images.
pub(super) fn refuse_periodic<D: Dimension>(setup: &Setup<D>) -> Result<(), Problem> {
    let axes = ["x", "y", "z"].into_iter().zip(&setup.space.periodic);
    let periodic = axes.into_iter().find(|(_, axis)| axis.is_some());
    let Some((axis, _)) = periodic.filter(|_| !setup.fields.long_range.is_none()) else {
        return Ok(());
    };
    let what = format!(
        "where space repeats itself a force from afar comes from all images, which nobody sums; leave it or {} out",
        carrier(setup)
    );
    Err(Problem::at_key(&Place::of("periodic").key(axis), what))
}

/// Returns the key that causes long-range forces.
fn carrier<D: Dimension>(setup: &Setup<D>) -> String {
    if setup.fields.long_range.gravitation != 0.0 {
        return "`field.gravitation`".into();
    }
    let sources = setup.fields.long_range.sources.iter();
    let mut named = sources.zip(&setup.matter.materials);
    let found = named.find(|(source, _)| !source.is_none());
    found.map_or(String::new(), |(source, name)| {
        let key = if source.charge != 0.0 {
            "charge_per_mass"
        } else if source.electric != [0.0; 3] {
            "electric_moment_per_mass"
        } else {
            "magnetic_moment_per_mass"
        };
        format!("`{key}` of `{name}`")
    })
}
