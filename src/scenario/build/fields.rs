//! Reads fields from their keys in a scenario, and refuses what is incompatible with them.

use std::collections::BTreeSet;
use std::path::Path;

use super::at::At;
use super::check::Check;
use super::materials::Materials;
use crate::field::{Carried, LongRangeSetup, NonUniformFields};
use crate::geometry::Dimension;
use crate::scenario::path::Place;
use crate::scenario::problem::Problem;
use crate::scenario::spec::Spec;
use crate::system::{PerturbKind, Setup};

/// Reads the fields; writes tables from files into the spec.
pub(super) fn collect<D: Dimension>(
    check: Check<'_>,
    spec: &mut Spec,
    materials: &Materials,
    folder: Option<&Path>,
) -> Result<NonUniformFields<D>, Problem> {
    let at = At {
        check,
        place: Place::of("field"),
        folder,
    };
    let mut found = NonUniformFields::read(&mut spec.field, &at)?;
    if found.fluid.is_some() {
        let densities = materials.specs.iter().map(|material| material.density);
        found.densities = densities.map(|density| density.unwrap_or(1.0)).collect();
    }
    Ok(found)
}

/// Removes the fields that have no effect on grains of these materials; returns warnings.
pub(super) fn leave_idle<D: Dimension>(
    place: &mut NonUniformFields<D>,
    carried: &LongRangeSetup,
    materials: impl Iterator<Item = u16>,
) -> Vec<String> {
    let materials: BTreeSet<u16> = materials.collect();
    let sources = materials.into_iter().map(|of| carried.source(of));
    let sources: Vec<_> = sources.collect();
    let idle = place.leave_idle(Carried::of(sources.iter()));
    let told = |(key, why): (&str, &str)| format!("`field.{key}` does nothing: {why}");
    idle.into_iter().map(told).collect()
}

/// Refuses what has no meaning together with these fields.
pub(super) fn refuse_others<D: Dimension>(setup: &Setup<D>) -> Result<(), Problem> {
    if setup.fields.place.is_none() {
        return Ok(());
    }
    for (k, key) in ["x", "y", "z"].into_iter().enumerate().take(D::N) {
        let periodic = setup.space.periodic.get(k).is_some_and(Option::is_some);
        if let Some(what) = setup
            .fields
            .place
            .varies_along(k, setup.fields.gravity)
            .filter(|_| periodic)
        {
            let why = match what {
                "fluid" => {
                    "the buoyancy of `field.fluid` would lift grains across the seam for nothing"
                        .into()
                }
                _ => format!("`field.{what}` changes along {key}, where space would repeat itself"),
            };
            return Err(Problem::at_key(
                &Place::of("periodic").key(key),
                format!("{why}; leave one of the two out"),
            ));
        }
    }
    if let (Some(_), 3, Some(form)) = (
        &setup.fields.place.rotation,
        D::N,
        setup.matter.forms.first(),
    ) {
        return Err(Problem::at_key(
            &Place::of("field").key("rotation"),
            format!(
                "in a frame that turns only balls are known in space, but there are grains of the shape `{}`",
                form.name
            ),
        ));
    }
    Ok(())
}

/// Refuses changes of gravity together with buoyancy, which uses the gravity of the scenario.
pub(super) fn refuse_tilts<D: Dimension>(setup: &Setup<D>) -> Result<(), Problem> {
    let fluid = setup.fields.place.fluid.as_ref();
    if fluid.is_none_or(|fluid| !fluid.buoyancy) {
        return Ok(());
    }
    if setup.fields.place.alternating.is_some() {
        return Err(Problem::at_key(
            &Place::of("field").key("alternating"),
            "the buoyancy of a fluid does not follow an acceleration that alternates; leave one of the two out, or set `field.fluid.buoyancy = false`",
        ));
    }
    let tilts = setup.sources.perturbs.iter().position(|perturb| {
        !matches!(
            perturb.kind,
            PerturbKind::Tap { .. } | PerturbKind::Remove(_)
        )
    });
    match tilts {
        Some(index) => Err(Problem::at_key(
            &Place::of("perturb").index(index),
            "the buoyancy of a fluid does not follow a gravity that changes; leave one of the two out, or set `field.fluid.buoyancy = false`",
        )),
        None => Ok(()),
    }
}
