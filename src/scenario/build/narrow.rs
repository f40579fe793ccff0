//! Warns of hollows in walls as narrow as grains, where the theory of round contacts does not apply.

use crate::contact::ContactLaw;
use crate::contact::curved::LEAST;
use crate::geometry::Dimension;
use crate::system::{Setup, moving_part};

/// Returns a warning for each wall with a hollow about as narrow as a grain, where laws depend on radii.
pub(super) fn warnings<D: Dimension>(setup: &Setup<D>) -> Vec<String> {
    if setup.models.events.is_some()
        || setup.models.quasi_static.is_some() && moving_part(setup).is_none()
    {
        return Vec::new();
    }
    let mut found = Vec::new();
    for wall in &setup.boundaries {
        let minds = |material: u16| {
            let law = setup.matter.laws.get(material, wall.material);
            law.is_some_and(ContactLaw::needs_radius)
        };
        let there = setup.grains.iter();
        let there = there.map(|grain| (grain.material, grain.radius));
        let fed = setup
            .sources
            .feeds
            .iter()
            .flat_map(|feed| feed.what.components());
        let fed = fed.map(|sort| (sort.material, sort.radius.greatest()));
        let narrow =
            |(material, radius): &(u16, f64)| minds(*material) && wall.shape.is_narrow(*radius);
        let largest = there.chain(fed).filter(narrow).map(|(_, radius)| radius);
        let largest = largest.fold(0.0, f64::max);
        if largest > 0.0 {
            found.push(format!(
                "the wall `{}` has a hollow as narrow as a grain of radius {largest} m, or nearly: Hertz's theory ends there, and the curvature between the two counts as {LEAST} of the grain's own",
                wall.name
            ));
        }
    }
    found
}
