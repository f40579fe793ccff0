//! Grains, by slot.

use crate::cluster::arrays::Status;
use serde::{Deserialize, Serialize};

use crate::cluster::arrays::Arrays;
use crate::cluster::bodies::Bodies;
use crate::cluster::integrate::Integrate;
use crate::cluster::rigid::RigidBodies;

/// Grains, by slot.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Grains<D: Integrate> {
    /// Rows.
    pub arrays: Arrays<D>,
    /// Grains of several parts.
    pub bodies: Bodies<D>,
    /// Bonded grains that move as rigid bodies.
    pub rigid: RigidBodies<D>,
    /// Start of the path of each slot in flight, s.
    pub since: Vec<f64>,
    /// Acceleration of each slot in flight, m/s^2, where fields bend paths; else empty, and paths have that of gravity.
    pub pulls: Vec<D::Vector>,
    /// Stepped slots.
    pub active: Vec<u32>,
    /// Whether `active` is ascending, as after a renewal.
    pub in_order: bool,
    /// Stepped slots for which the stored velocity has to be initialised.
    pub fresh: Vec<u32>,
}

impl<D: Integrate> Default for Grains<D> {
    fn default() -> Self {
        Self {
            arrays: Arrays::default(),
            bodies: Bodies::default(),
            rigid: RigidBodies::default(),
            since: vec![0.0],
            pulls: Vec::new(),
            active: Vec::new(),
            in_order: true,
            fresh: Vec::new(),
        }
    }
}

impl<D: Integrate> Grains<D> {
    /// Whether a slot contains a grain of another rank.
    pub fn is_ghost(&self, slot: u32) -> bool {
        self.arrays.status[slot as usize].is_ghost()
    }

    /// Begins the path of the slot that was just added.
    pub(in crate::cluster) fn begin_path(&mut self, time: f64) {
        self.since.push(time);
        if !self.pulls.is_empty() {
            self.pulls.push(D::Vector::default());
        }
    }

    /// Own slots, ascending.
    pub fn own(&self) -> impl Iterator<Item = u32> + '_ {
        let status = &self.arrays.status;
        (1..status.len() as u32).filter(|&slot| status[slot as usize].is_grain())
    }

    /// Adds to the velocity of a moving grain, at the time of evaluation (for a grain in flight: at
    /// the start of its path).
    pub fn kick(&mut self, slot: u32, velocity: D::Vector) {
        self.rigid.kick(slot, velocity, D::Spin::default());
        let (arrays, s) = (&mut self.arrays, slot as usize);
        for k in 0..D::N {
            arrays.rows[s].0[4 + k] += velocity[k];
            arrays.state[s].0[k] += velocity[k];
        }
    }

    /// Adds to the spin (rad/s) of a moving disk or sphere, at the time of evaluation (for a grain in flight: at the start of its path).
    pub fn spin_up(&mut self, slot: u32, spin: D::Spin) {
        self.rigid.kick(slot, D::Vector::default(), spin);
        let (arrays, s) = (&mut self.arrays, slot as usize);
        let radius = arrays.radius(s);
        for k in 0..D::SPINS {
            let surface = radius * D::spin_component(spin, k);
            // In the plane spins follow velocities, in space they have rows of their own.
            if D::N == 2 {
                arrays.rows[s].0[6] += surface;
                arrays.state[s].0[2] += surface;
            } else {
                arrays.spins[s].0[k] += surface;
                arrays.state[s].0[4 + k] += surface;
            }
        }
    }

    /// Whether a slot contains a grain in flight.
    pub fn flies(&self, slot: usize) -> bool {
        self.arrays.status[slot] == Status::Flying
    }

    /// In space: applies the rotation accumulated since the last renewal to the orientations;
    /// called after each step if forces depend on them.
    pub fn settle_rotations(&mut self) {
        if D::N == 3 {
            let arrays = &mut self.arrays;
            for slot in 1..arrays.slots() {
                if arrays.status[slot] == Status::Stepped {
                    D::settle_rotation(arrays, slot);
                }
            }
        }
    }

    /// Whether a slot contains a grain at rest, or a part of one.
    pub fn stands(&self, slot: u32) -> bool {
        self.arrays.status[self.owner(slot) as usize].stands()
    }

    /// Marks slots, including their parts.
    pub(in crate::cluster) fn marked(&self, slots: &[u32]) -> Vec<bool> {
        let mut marked = vec![false; self.arrays.slots()];
        for &slot in slots {
            marked[slot as usize] = true;
        }
        self.mark_parts(&mut marked);
        marked
    }

    /// Slots at rest, ascending.
    pub fn standing(&self) -> Vec<u32> {
        let slots = self.arrays.slots() as u32;
        let status = &self.arrays.status;
        (1..slots)
            .filter(|&slot| status[slot as usize] == Status::Still)
            .collect()
    }
}
