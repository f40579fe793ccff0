//! Wear of the surfaces of walls by grains, by cell: sliding and impacts, step by step.
//!
//! Wear does not affect the motion. The cells are those of a square or cubic lattice in the wall's
//! own frame, so that a moving wall keeps its map.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::dem::Work;
use super::integrate::Integrate;
use super::link_events::lanes_of;
use super::lists::{History, each_link};
use super::observe::size;
use super::state::{Book, Other};
use super::world::World;
use super::{kinematics, observe};
use crate::geometry::{Dimension, Vector};

/// Wear of a wall in one cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WearSums {
    /// Normal force times sliding distance, J: Archard's measure (1953), which times k / H is the volume worn.
    pub archard_work: f64,
    /// Work of friction in sliding contacts, J.
    pub friction: f64,
    /// Number of contacts that began.
    pub impacts: u64,
    /// Kinetic energy of approach of these contacts along the normal, J.
    pub energy: f64,
}

/// The map of a wall: cells in order of position.
pub type WearMap = BTreeMap<[i32; 3], WearSums>;

impl WearSums {
    /// Adds other sums.
    pub fn add(&mut self, more: &WearSums) {
        self.archard_work += more.archard_work;
        self.friction += more.friction;
        self.impacts += more.impacts;
        self.energy += more.energy;
    }
}

/// The cell of a point, both in the wall's frame.
pub fn cell<D: Dimension>(point: D::Vector, size: f64) -> [i32; 3] {
    std::array::from_fn(|k| match k < D::N {
        // Points beyond all cells count in the outermost one.
        true => (point[k] / size).floor() as i32,
        false => 0,
    })
}

/// Centre of a cell, m.
pub fn middle<D: Dimension>(cell: [i32; 3], size: f64) -> [f64; 3] {
    std::array::from_fn(|k| match k < D::N {
        true => (f64::from(cell[k]) + 0.5) * size,
        false => 0.0,
    })
}

/// After an evaluation: adds the effects of the links of a class on their wall over a step.
pub(super) fn note_wear<D: Integrate>(
    world: &World<D>,
    work: &Work<D>,
    book: &mut Book,
    class: usize,
    time: f64,
) {
    let Some(width) = world.physics.options.wear else {
        return;
    };
    let links = &world.contacts.walls[class];
    let index = usize::from(links.boundary);
    let boundary = &world.walls.boundaries[index].boundary;
    let (law, pose) = (
        world.physics.law(links.material, boundary.material),
        boundary.motion.pose(time),
    );
    let place = |point: D::Vector| cell::<D>(pose.to_frame(point), width);
    let lists = &links.lists;
    // Friction without a spring always slides.
    let always = law.plain().smoothing_speed().is_some();
    let mut found: Vec<([i32; 3], WearSums)> = Vec::new();
    each_link(&lists.flags, |i, k| {
        if !always && lists.flags[i].slip >> k & 1 == 0 {
            return;
        }
        let Some(kinematics) = kinematics::wall_kinematics(world, class, lists.batches[i].of(k))
        else {
            return;
        };
        let slid = world.clock.step * size(kinematics.sliding);
        let link = observe::view(
            world,
            lists.batches[i].a[k],
            Other::Boundary(links.boundary),
            law,
            kinematics,
            lists.history[i].lane(k),
            true,
            0,
            lists.memory_of(i, k).slots,
        );
        let sums = WearSums {
            archard_work: link.normal_force.max(0.0) * slid,
            friction: link.tangential_force.norm() * slid,
            ..WearSums::default()
        };
        found.push((place(kinematics.point - kinematics.image), sums));
    });
    for change in &work.changed {
        for k in lanes_of(change.after.touch & !change.before.touch) {
            let batch = &lists.batches[change.batch as usize];
            if let Some(met) = kinematics::wall_kinematics(world, class, batch.of(k)) {
                let sums = WearSums {
                    impacts: 1,
                    energy: 0.5 * met.speed * met.speed / met.inverse_mass,
                    ..WearSums::default()
                };
                found.push((place(met.point - met.image), sums));
            }
        }
    }
    let map = &mut book.wear[index];
    for (place, sums) in found {
        map.entry(place).or_default().add(&sums);
    }
}
