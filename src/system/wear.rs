//! Maps of the wear of walls, handed over at the end of a run.

use super::{Setup, SystemError};
use crate::cluster::{WearMap, middle};
use crate::geometry::Dimension;
use crate::record::{BodyRef, Sink, WearRow};

/// Hands the maps of walls to the sink, at the end of a run.
pub(super) fn log_wear<D: Dimension>(
    setup: &Setup<D>,
    maps: &[WearMap],
    sink: &mut dyn Sink,
) -> Result<(), SystemError> {
    let Some(size) = setup.log.wear else {
        return Ok(());
    };
    for (wall, map) in (0..).zip(maps) {
        for (&place, sums) in map {
            sink.wear(&WearRow {
                wall: BodyRef::Boundary(wall),
                position: middle::<D>(place, size),
                size,
                archard_work: sums.archard_work,
                friction: sums.friction,
                impacts: sums.impacts,
                impact_energy: sums.energy,
            })?;
        }
    }
    Ok(())
}
