//! What is around a place, for grains that come one by one: made when a feed asks, and good until lists are renewed.
//!
//! Grains that move stand in cells by where they were when that was made; those that stand still have cells of their own at all times.
//! Since then none has gone further than a bound that is known, and whoever asks looks so much further. What it gives is checked by where grains are now, so that it decides nothing by itself.

use crate::cluster::arrays::Status;
use crate::cluster::integrate::Integrate;
use crate::cluster::{Dem, World};
use crate::geometry::{Dimension, Vector};
use crate::neighbor::{DynamicCells, Lattice, images_within, wrapped};

/// Cells of all grains that do not stand still.
#[derive(Debug)]
pub(super) struct Surroundings<D: Dimension> {
    cells: DynamicCells,
    /// Greatest radius, m, and greatest speed of a flyer, m/s.
    largest: f64,
    fastest: f64,
    gravity: D::Vector,
    /// When it was made, s, at which renewal of the lists, and what ways these counted then, m.
    time: f64,
    renewals: u64,
    way: f64,
}

impl<D: Integrate> Surroundings<D> {
    /// All grains at a time, s.
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
            way: dem.skin.outer_way,
        };
        let moving = grains().filter(|&slot| !dem.world.grains.stands(slot as u32));
        for slot in moving {
            made.insert(&dem.world, slot as u32, time);
        }
        made
    }

    /// Whether it still tells, without looking too far.
    pub fn holds(&self, dem: &Dem<D>, time: f64) -> bool {
        self.renewals == dem.book.counts.renewals
            && self.gravity == dem.world.physics.gravity
            && self.gone(dem, time) <= 2.0 * self.cells.lattice().width(0)
    }

    /// The way that any grain has gone at most since it was made, m.
    fn gone(&self, dem: &Dem<D>, time: f64) -> f64 {
        let t = (time - self.time).abs();
        let flown = (self.fastest + 0.5 * self.gravity.norm() * t) * t;
        flown.max(dem.skin.outer_way - self.way)
    }

    /// A bound of the speed of flyers at a time, m/s.
    pub fn fastest(&self, time: f64) -> f64 {
        self.fastest + self.gravity.norm() * (time - self.time).abs()
    }

    /// Takes a grain in.
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

    /// Slots of all grains whose surface may be within `reach` of a place, m, at a time, s; ascending.
    pub fn near(&self, dem: &Dem<D>, place: D::Vector, reach: f64, time: f64) -> Vec<u32> {
        let mut found = Vec::new();
        for x in images_within::<D>(dem.world.physics.periodic(), place, reach + self.largest) {
            dem.world
                .sleeping
                .cells
                .near(x, reach, |slot| found.push(dem.world.grains.owner(slot)));
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
