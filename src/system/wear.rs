//! Maps of what grains did to walls, handed over at the end of a run.

use super::{System, SystemError};
use crate::cluster::integrate::Integrate;
use crate::cluster::middle;
use crate::record::{BodyRef, Sink, WearRow};

impl<D: Integrate> System<D> {
    /// Hands the maps of walls over, at the end of a run.
    pub(super) fn log_wear(&mut self, sink: &mut dyn Sink) -> Result<(), SystemError> {
        let Some(size) = self.setup.log.wear else {
            return Ok(());
        };
        for (wall, map) in (0..).zip(&self.engine.state.wear) {
            for (&place, sums) in map {
                sink.wear(&WearRow {
                    wall: BodyRef::Boundary(wall),
                    position: middle::<D>(place, size),
                    size,
                    pressed_way: sums.pressed_way,
                    friction: sums.friction,
                    impacts: sums.impacts,
                    impact_energy: sums.energy,
                })?;
            }
        }
        Ok(())
    }
}
