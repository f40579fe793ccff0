//! Stagnant zones: places at rest, and the motion of grains through the others.
//!
//! At each tick of the series, until a jam, every grain is counted in the cell that holds its centre. The field
//! never affects the motion. The sums are part of the saved state, so that a resumed run ends
//! with the same field.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::jam_watch::JamWatch;
use super::{Setup, SystemError, outlet};
use crate::cluster::World;
use crate::cluster::integrate::Integrate;
use crate::geometry::{Dimension, Vector};
use crate::record::{Sink, ZoneRow};

/// Sums of one cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Sums {
    /// Number of ticks at which a centre was there, and the last of them.
    looks: u64,
    last: u64,
    /// Number of centres counted, and of those at rest.
    grains: u64,
    still: u64,
    /// Sums over the centres, m/s.
    speed: f64,
    velocity: [f64; 3],
}

/// Field of stagnant zones, as it is gathered.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Zones {
    looks: u64,
    // In order of place, so that rows always come in the same order.
    cells: BTreeMap<[i32; 3], Sums>,
}

impl Zones {
    /// Begins a tick.
    fn look(&mut self) {
        self.looks += 1;
    }

    /// Counts a grain in its cell; lengths in m, velocity in m/s.
    fn count<D: Dimension>(&mut self, size: f64, at: D::Vector, velocity: D::Vector, still: bool) {
        let place = std::array::from_fn(|k| match k < D::N {
            // Grains beyond all cells are counted in the outermost one.
            true => (at[k] / size).floor() as i32,
            false => 0,
        });
        let looks = self.looks;
        let cell = self.cells.entry(place).or_default();
        if cell.last != looks {
            cell.last = looks;
            cell.looks += 1;
        }
        cell.grains += 1;
        cell.still += u64::from(still);
        cell.speed += velocity.norm();
        for k in 0..D::N {
            cell.velocity[k] += velocity[k];
        }
    }

    /// Returns a row for each cell that ever held a centre, in order of x, then y, then z.
    pub fn rows<D: Dimension>(&self, size: f64) -> Vec<ZoneRow> {
        let row = |(place, cell): (&[i32; 3], &Sums)| {
            let grains = cell.grains as f64;
            ZoneRow {
                position: std::array::from_fn(|k| match k < D::N {
                    true => (f64::from(place[k]) + 0.5) * size,
                    false => 0.0,
                }),
                size,
                looks: cell.looks,
                occupied: cell.looks as f64 / self.looks as f64,
                still: cell.still as f64 / grains,
                speed: cell.speed / grains,
                velocity: cell.velocity.map(|v| v / grains),
            }
        };
        self.cells.iter().map(row).collect()
    }
}

/// Adds the present grains to the field of stagnant zones, where the setup asks for one.
pub(super) fn look_at_zones<D: Integrate>(
    setup: &Setup<D>,
    world: &World<D>,
    watch: &JamWatch,
    zones: &mut Zones,
    time: f64,
) {
    let Some(size) = setup.log.stagnant else {
        return;
    };
    // Once nothing can move any more all places are at rest: that would blur what flowed.
    if watch.jam().is_some() {
        return;
    }
    zones.look();
    for slot in 1..world.grains.arrays.slots() as u32 {
        if !world.grains.arrays.status[slot as usize].is_grain() {
            continue;
        }
        let grain = outlet::grain_at(world, watch, slot, time);
        let still = world.grains.stands(slot);
        let (at, velocity) = (grain.position, grain.velocity);
        zones.count::<D>(size, at, velocity, still);
    }
}

/// Hands the field to the sink, at the end of a run.
pub(super) fn log_zones<D: Integrate>(
    setup: &Setup<D>,
    zones: &Zones,
    sink: &mut dyn Sink,
) -> Result<(), SystemError> {
    if let Some(size) = setup.log.stagnant {
        for row in zones.rows::<D>(size) {
            sink.zone(&row)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Planar;
    use nalgebra::Vector2;

    #[test]
    fn shares_and_means_are_those_of_what_was_counted() {
        let mut zones = Zones::default();
        let count = |zones: &mut Zones, x: f64, y: f64, v: f64, still: bool| {
            let (at, velocity) = (Vector2::new(x, y), Vector2::new(0.0, -v));
            zones.count::<Planar>(0.5, at, velocity, still);
        };
        for tick in 0..4 {
            zones.look();
            // One grain always there, at rest three times of four; and two that come by at the last tick.
            let speed = if tick < 3 { 0.0 } else { 0.4 };
            count(&mut zones, 0.1, 0.1, speed, tick < 3);
            if tick == 3 {
                count(&mut zones, -0.1, 0.6, 2.0, false);
                count(&mut zones, -0.1, 0.7, 1.0, false);
            }
        }
        let rows = zones.rows::<Planar>(0.5);
        assert_eq!(rows.len(), 2);
        assert_eq!(rows[0].position, [-0.25, 0.75, 0.0]);
        assert_eq!((rows[0].still, rows[0].speed), (0.0, 1.5));
        assert_eq!((rows[0].looks, rows[0].occupied), (1, 0.25));
        assert_eq!(rows[1].position, [0.25, 0.25, 0.0]);
        assert_eq!((rows[1].still, rows[1].occupied), (0.75, 1.0));
        assert_eq!(rows[1].velocity, [0.0, -0.1, 0.0]);
    }
}
