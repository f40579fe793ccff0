//! Builds and checks the mixture of grains of a fill or a feed.

use super::check::Check;
use super::materials::Materials;
use super::radii::radius_law;
use super::shapes::Shapes;
use crate::geometry::Dimension;
use crate::scenario::path::Place;
use crate::scenario::problem::Problem;
use crate::scenario::spec::{CountedSpec, RadiusSpec, Sort};
use crate::system::{Component, Mixture};

/// Materials and shapes of the scenario.
#[derive(Clone, Copy)]
pub(super) struct Known<'a, D: Dimension> {
    pub materials: &'a Materials,
    pub shapes: &'a Shapes<D>,
}

/// Returns the place of a key of a component: in the mixture, or, for a key that it omits, in the fill or feed
/// itself.
pub(super) fn place_of(at: &Place, sort: &Sort<'_>, key: &str) -> Place {
    let own = sort.entry.filter(|(_, spec)| match key {
        "material" => spec.material.is_some(),
        "shape" => spec.shape.is_some(),
        "equal_measure" => spec.equal_measure,
        _ => true,
    });
    match own {
        Some((k, _)) => at.key("mix").index(k).key(key),
        None => at.key(key),
    }
}

/// Builds the mixture of a fill or feed at a place; its own radii may be at another place.
pub(super) fn mixture<D: Dimension>(
    check: Check<'_>,
    at: &Place,
    sorts: &[Sort<'_>],
    by: Option<CountedSpec>,
    (radius_at, radius): (&Place, &RadiusSpec),
    known: Known<'_, D>,
) -> Result<Mixture, Problem> {
    // Checked even where every component has radii of its own: all that is written must be valid.
    let general = radius_law::<D>(check, radius_at, radius)?;
    let mut components = Vec::with_capacity(sorts.len());
    for sort in sorts {
        let own = sort.entry.map(|(k, spec)| (at.key("mix").index(k), spec));
        let share = match &own {
            Some((here, spec)) => check.positive(&here.key("share"), spec.share)?,
            None => 1.0,
        };
        let law = match own {
            Some((here, spec)) => match &spec.radius {
                Some(radius) => radius_law::<D>(check, &here.key("radius"), radius)?,
                None => general.clone(),
            },
            None => general.clone(),
        };
        let material = known.materials.index(sort.material);
        let shape = known.shapes.of(sort.shape, sort.equal_measure);
        components.push(Component {
            share,
            material,
            density: known.materials.density(material),
            form: shape.map(|shape| shape.index),
            radius: match shape {
                Some(shape) => shape.law(law),
                None => law,
            },
        });
    }
    if by.is_some() && sorts.iter().all(|sort| sort.entry.is_none()) {
        return Err(Problem::at_key(
            &at.key("mix_by"),
            format!("`{at}` has `mix_by`, but no `mix`: it is of one sort"),
        ));
    }
    let made = Mixture::new(components)
        .ok_or_else(|| Problem::at(at, format!("`{at}` is a mixture of nothing")))?;
    Ok(match by {
        Some(CountedSpec::Mass) => made.shares_by_mass(&known.shapes.forms),
        Some(CountedSpec::Number) | None => made,
    })
}
