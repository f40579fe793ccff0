//! Data of the kernels: rows of all grains by slot.
//!
//! Slot 0 is a dummy without extent, used by the empty lanes of batches. Grains in flight keep
//! their slot; their rows are not updated.

use serde::{Deserialize, Serialize};

use super::dimension::ClusterDimension;
use crate::body::{Grain, GrainId};
use crate::geometry::{Dimension, Vector};
use crate::vector::Row;

/// Content of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Status {
    /// Empty: the dummy, or a removed grain.
    Empty,
    /// A grain that is stepped.
    Stepped,
    /// A grain in flight.
    Flying,
    /// A grain in equilibrium, at rest.
    Still,
    /// A part of the grain in an earlier slot.
    Part,
    /// A grain that another rank steps.
    Ghost,
    /// A grain of another rank that is at rest.
    StillGhost,
}

impl Status {
    /// Whether the slot contains a grain of this rank, not only a part of one.
    pub fn is_grain(self) -> bool {
        matches!(self, Status::Stepped | Status::Flying | Status::Still)
    }

    /// Whether the slot contains a grain at rest, of any rank.
    pub fn stands(self) -> bool {
        matches!(self, Status::Still | Status::StillGhost)
    }

    /// Whether the slot contains a grain of another rank.
    pub fn is_ghost(self) -> bool {
        matches!(self, Status::Ghost | Status::StillGhost)
    }
}

/// Rows of all grains. At the time of evaluation `rows` and `spins` contain positions and
/// velocities, `forces` and `dampers` the contact forces then, `state` the variables of the
/// integrator.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Arrays<D: Dimension> {
    /// Positions and velocities; see the kernels for the columns.
    pub rows: Vec<Row>,
    /// Spins (space only).
    pub spins: Vec<Row>,
    /// Planar: vx, vy, s, 1/mass, their accelerations at the last evaluation but one, r^2/I.
    /// Spatial: v (3), 1/mass, s (3), r^2/I.
    pub state: Vec<Row>,
    /// Accelerations at the last evaluation but one (space only), in the columns of `state`.
    pub previous: Vec<Row>,
    /// Contact forces.
    pub forces: Vec<Row>,
    /// The dampers' share (space only; in the plane it is in the second half of `forces`): force,
    /// whether its moment differs from that of the forces, and then the moment.
    pub dampers: Vec<Row>,
    /// Orientation at the last neighbour update (space only; the plane has the arc in its row).
    pub rotation: Vec<D::Rotation>,
    /// Numbers of the grains.
    pub id: Vec<GrainId>,
    /// Materials.
    pub material: Vec<u16>,
    /// Content of each slot.
    pub status: Vec<Status>,
}

impl<D: ClusterDimension> Default for Arrays<D> {
    fn default() -> Self {
        let mut arrays = Arrays {
            rows: Vec::new(),
            spins: Vec::new(),
            state: Vec::new(),
            previous: Vec::new(),
            forces: Vec::new(),
            dampers: Vec::new(),
            rotation: Vec::new(),
            id: Vec::new(),
            material: Vec::new(),
            status: Vec::new(),
        };
        arrays.push_empty();
        arrays
    }
}

impl<D: ClusterDimension> Arrays<D> {
    pub(super) fn push_empty(&mut self) {
        self.rows.push(Row::default());
        self.state.push(Row::default());
        self.forces.push(Row::default());
        if D::N == 3 {
            self.spins.push(Row::default());
            self.previous.push(Row::default());
            self.dampers.push(Row::default());
            self.rotation.push(D::identity());
        }
        self.id.push(GrainId::MAX);
        self.material.push(0);
        self.status.push(Status::Empty);
    }

    /// Number of slots, including the dummy.
    pub fn slots(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is a row of each type for each slot, and the dummy.
    pub(super) fn is_whole(&self) -> bool {
        let slots = self.slots();
        let all = [
            self.state.len(),
            self.forces.len(),
            self.id.len(),
            self.material.len(),
            self.status.len(),
        ];
        let in_space = [
            self.spins.len(),
            self.previous.len(),
            self.dampers.len(),
            self.rotation.len(),
        ];
        slots > 0
            && all.iter().all(|length| *length == slots)
            && (D::N == 2 || in_space.iter().all(|length| *length == slots))
    }

    /// Appends a grain; returns its slot.
    pub fn push(&mut self, grain: &Grain<D>, status: Status) -> u32 {
        self.push_empty();
        let slot = self.slots() - 1;
        self.id[slot] = grain.id;
        self.material[slot] = grain.material;
        self.status[slot] = status;
        D::write(self, slot, grain);
        slot as u32
    }

    /// Appends a part of the grain in a slot, with a radius (m); returns its slot. The caller sets
    /// its position.
    pub fn push_part(&mut self, of: usize, radius: f64) -> u32 {
        self.push_empty();
        let slot = self.slots() - 1;
        self.id[slot] = self.id[of];
        self.material[slot] = self.material[of];
        self.status[slot] = Status::Part;
        self.rows[slot].0[3] = radius;
        self.state[slot].0[3] = self.inverse_mass(of);
        slot as u32
    }

    /// Reorders the slots to `order` (old slots, the dummy first); other slots are dropped.
    pub fn reorder(&mut self, order: &[u32]) {
        fn apply<T: Copy>(values: &mut Vec<T>, order: &[u32]) {
            if !values.is_empty() {
                *values = order.iter().map(|&o| values[o as usize]).collect();
            }
        }
        apply(&mut self.rows, order);
        apply(&mut self.spins, order);
        apply(&mut self.state, order);
        apply(&mut self.previous, order);
        apply(&mut self.forces, order);
        apply(&mut self.dampers, order);
        apply(&mut self.rotation, order);
        apply(&mut self.id, order);
        apply(&mut self.material, order);
        apply(&mut self.status, order);
    }

    /// Centre at the time of evaluation.
    #[inline(always)]
    pub fn position(&self, slot: usize) -> D::Vector {
        let row = &self.rows[slot].0;
        D::Vector::from_fn(|k| row[k])
    }
    /// Velocity at the time of evaluation.
    #[inline(always)]
    pub fn velocity(&self, slot: usize) -> D::Vector {
        let row = &self.rows[slot].0;
        D::Vector::from_fn(|k| row[4 + k])
    }
    /// Radius, m.
    #[inline(always)]
    pub fn radius(&self, slot: usize) -> f64 {
        self.rows[slot].0[3]
    }
    /// Inverse mass, 1/kg.
    #[inline(always)]
    pub fn inverse_mass(&self, slot: usize) -> f64 {
        self.state[slot].0[3]
    }
    /// Radius squared over moment of inertia, 1/kg.
    pub fn inverse_inertia(&self, slot: usize) -> f64 {
        self.state[slot].0[7]
    }

    /// Clears the forces of the last evaluation on a slot.
    pub fn clear_force(&mut self, slot: usize) {
        self.forces[slot] = Row::default();
        if let Some(damper) = self.dampers.get_mut(slot) {
            *damper = Row::default();
        }
    }

    /// Empties a slot: moves its row far away from all others.
    pub fn vacate(&mut self, slot: usize) {
        self.status[slot] = Status::Empty;
        let far = 1e30 * (1.0 + slot as f64);
        let row = &mut self.rows[slot].0;
        row[0] = far;
        row[3] = 0.0;
        for k in 4..7 {
            row[k] = 0.0;
        }
        self.state[slot] = Row::default();
        self.clear_force(slot);
    }
}
