//! Cached neighbours of places, for grains that come one by one: gathered when a feed asks, and valid until lists are rebuilt.
//!
//! Moving grains are in cells by their positions when the cache was made; grains at rest have cells of their own at all times.
//! Since then none has moved farther than a known bound, by which a query extends its reach. The result is checked against the present
//! positions of grains, so that it decides nothing by itself.

use crate::cluster::arrays::Status;
use crate::cluster::integrate::Integrate;
use crate::cluster::{Dem, World};
use crate::geometry::{Dimension, Vector};
use crate::neighbor::{DynamicCells, Lattice, images_within, wrapped};

/// Cells of all grains that are not at rest.
#[derive(Debug)]
pub(super) struct Surroundings<D: Dimension> {
    cells: DynamicCells,
    /// Greatest radius, m, and greatest speed of a flyer, m/s.
    largest: f64,
    fastest: f64,
    gravity: D::Vector,
    /// Time at which it was made, s; number of rebuilds of the lists, and displacement since the last of them, at that time, m.
    time: f64,
    renewals: u64,
    way: f64,
}

impl<D: Integrate> Surroundings<D> {
    /// Gathers all grains at a time, s.
    pub fn new(dem: &Dem<D>, time: f64) -> Self {
        let arrays = &dem.world.grains.arrays;
        let grains = || (1..arrays.slots()).filter(|&slot| arrays.status[slot].is_grain());
        let largest = grains().map(|slot| arrays.radius(slot)).fold(0.0, f64::max);
        let width = 2.0 * largest + dem.world.physics.options.outer_margin;
        let mut made = Surroundings {
            cells: DynamicCells::new(Lattice::new(width, dem.world.physics.periodic())),
            largest,
            fastest: 0.0,
            gravity: dem.world.physics.gravity,
            time,
            renewals: dem.book.counts.renewals,
            way: dem.skin.max_outer_displacement,
        };
        let moving = grains().filter(|&slot| !dem.world.grains.stands(slot as u32));
        for slot in moving {
            made.insert(&dem.world, slot as u32, time);
        }
        made
    }

    /// Returns whether it still holds, without too long a reach.
    pub fn holds(&self, dem: &Dem<D>, time: f64) -> bool {
        self.renewals == dem.book.counts.renewals
            && self.gravity == dem.world.physics.gravity
            && self.gone(dem, time) <= 2.0 * self.cells.lattice().width(0)
    }

    /// Returns the greatest displacement of any grain since it was made, m.
    fn gone(&self, dem: &Dem<D>, time: f64) -> f64 {
        let t = (time - self.time).abs();
        let flown = (self.fastest + 0.5 * self.gravity.norm() * t) * t;
        flown.max(dem.skin.max_outer_displacement - self.way)
    }

    /// Adds a grain.
    pub fn insert(&mut self, world: &World<D>, slot: u32, time: f64) {
        let arrays = &world.grains.arrays;
        let s = slot as usize;
        let (place, speed) = match arrays.status[s] {
            Status::Flying => {
                let [position, velocity] = world.flight_at(s, time);
                (position, velocity.norm())
            }
            _ => (arrays.position(s), 0.0),
        };
        self.fastest = self.fastest.max(speed);
        self.largest = self.largest.max(arrays.radius(s));
        self.cells
            .insert(slot, wrapped::<D>(world.physics.periodic(), place));
    }

    /// Returns the slots of all grains whose surface may be within `reach` of a place, m, at a time, s; ascending.
    pub fn near(&self, dem: &Dem<D>, place: D::Vector, reach: f64, time: f64) -> Vec<u32> {
        let mut found = Vec::new();
        for x in images_within::<D>(dem.world.physics.periodic(), place, reach + self.largest) {
            found.extend(dem.world.grains_at_rest_near(x, reach));
        }
        let reach = reach + self.largest + self.gone(dem, time);
        self.cells.near(place, reach, |slot| found.push(slot));
        found.sort_unstable();
        found.dedup();
        let status = &dem.world.grains.arrays.status;
        found.retain(|&slot| status[slot as usize].is_grain());
        found
    }
}
