//! Settings of collisions in flight.

use super::capable;
use super::check::Check;
use crate::scenario::path::Place;
use crate::scenario::problem::Problem;
use crate::scenario::spec::Spec;

/// Displacement of a pair during its contact, relative to `run.tolerance`.
const WAY: f64 = 30.0;

/// Returns the greatest displacement of a pair during contact, relative to the sum of radii, for which flyers collide
/// instantaneously; none where they never do. Writes the default into the spec.
pub(super) fn way(check: Check<'_>, spec: &mut Spec) -> Result<Option<f64>, Problem> {
    let at = Place::of("run");
    if let Some(way) = spec.run.collision_way {
        check.positive(&at.key("collision_way"), way)?;
        if !spec.run.collisions {
            return Err(Problem::at_key(
                &at.key("collision_way"),
                "contacts of flyers are all followed step by step; give `collisions = true` with it",
            ));
        }
    }
    if !spec.run.collisions {
        return Ok(None);
    }
    let refuse = |why: &str| Err(Problem::at_key(&at.key("collisions"), why));
    if spec.events.is_some() {
        return refuse("in a scenario with [events] all collide in flight; leave it out");
    }
    if spec.quasi_static.is_some() && !capable::goes_on(spec) {
        return refuse("in the quasi-static model nothing flies; leave it out");
    }
    if !spec.run.flight {
        return refuse("no grain flies with `flight = false`; leave one of the two out");
    }
    let way = spec.run.collision_way;
    let tolerance = spec.run.tolerance;
    Ok(Some(
        *spec
            .run
            .collision_way
            .insert(way.unwrap_or(WAY * tolerance)),
    ))
}
