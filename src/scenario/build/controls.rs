//! Reads controls from their keys in a scenario.

use super::at::At;
use super::check::Check;
use crate::control::{Control, Known};
use crate::geometry::Dimension;
use crate::scenario::path::Place;
use crate::scenario::problem::Problem;
use crate::scenario::spec::Spec;
use crate::system::Setup;

/// Reads the controls and marks the walls that they move.
pub(super) fn collect<D: Dimension>(
    check: Check<'_>,
    spec: &Spec,
    setup: &mut Setup<D>,
) -> Result<Vec<Control>, Problem> {
    let meters = setup.sources.meters.iter();
    let mut known = Known {
        meters: meters
            .map(|meter| (meter.name.as_str(), meter.every))
            .collect(),
        walls: &mut setup.boundaries,
        feeds: setup.sources.feeds.len(),
    };
    let read = |(k, section)| {
        let at = At {
            check,
            place: Place::of("control").index(k),
            folder: None,
        };
        Control::read(section, &at, &mut known)
    };
    spec.control.iter().enumerate().map(read).collect()
}
