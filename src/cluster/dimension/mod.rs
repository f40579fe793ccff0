//! Operations that differ between plane and space: kernels, and the layout of rows.

mod planar;
mod spatial;

pub(super) use spatial::set_moment_apart;

use super::arrays::Arrays;
use super::cell::CellSums;
use super::kernel::{
    All, Arcs, Block, BodyRows, Change, ForceRows, Named, Timing, WallGeometry, WallSums,
};
use super::lists::{History, Lists};
use crate::body::Grain;
use crate::contact::LinkLaw;
use crate::geometry::Dimension;
use crate::vector::Level;

/// Steps and evaluations in a dimension.
pub trait ClusterDimension: Dimension {
    /// Tangential springs of a batch.
    type History: History;
    /// Whether a spring changes sign when its two bodies are exchanged.
    const SPRING_IS_VECTOR: bool;

    /// Computes the contact forces of candidate pairs; returns the work of tangential forces, J.
    /// The contribution of links to the stress is added to `sums`.
    fn pair_forces<F: ForceRows>(
        level: Level,
        law: &LinkLaw,
        rows: BodyRows<'_>,
        spins: BodyRows<'_>,
        block: Block<'_, Self::History, F>,
        timing: Timing,
        sums: Option<&mut CellSums>,
    ) -> f64;
    /// Computes the contact forces at a surface of a wall that rotates with an angular velocity (rad/s).
    fn wall_forces(
        level: Level,
        law: &LinkLaw,
        arrays: &mut Arrays<Self>,
        lists: &mut Lists<Self::History>,
        changed: &mut Vec<Change>,
        timing: Timing,
        geometry: WallGeometry<'_>,
        reference: [f64; 3],
        wall_spin: [f64; 3],
    ) -> WallSums;
    /// Computes the orientations of grains of arcs.
    fn turn_arcs(_level: Level, _arrays: &Arrays<Self>, _arcs: &mut Arcs) {}
    /// Computes the contact forces of candidate pairs with arcs; in space there are no arcs.
    fn arc_pair_forces(
        level: Level,
        law: &LinkLaw,
        arrays: &mut Arrays<Self>,
        lists: &mut Lists<Self::History>,
        changed: &mut Vec<Change>,
        timing: Timing,
        _pass: ArcPass<'_>,
    ) -> f64 {
        let block = Block {
            batches: &lists.batches,
            history: &mut lists.history,
            stiffness: &mut lists.stiffness,
            memory: &mut lists.memory,
            flags: &mut lists.flags,
            changed,
            forces: All(&mut arrays.forces),
            dampers: All(&mut arrays.dampers),
        };
        let (rows, spins) = (BodyRows::both(&arrays.rows), BodyRows::both(&arrays.spins));
        Self::pair_forces(level, law, rows, spins, block, timing, None)
    }
    /// Computes the contact forces at a surface, including those of arcs.
    fn arc_wall_forces(
        level: Level,
        law: &LinkLaw,
        arrays: &mut Arrays<Self>,
        lists: &mut Lists<Self::History>,
        changed: &mut Vec<Change>,
        timing: Timing,
        geometry: WallGeometry<'_>,
        reference: [f64; 3],
        _pass: ArcPass<'_>,
    ) -> WallSums {
        Self::wall_forces(
            level, law, arrays, lists, changed, timing, geometry, reference, [0.0; 3],
        )
    }
    /// Radius times spin from the row, one or three components.
    fn surface_spin(arrays: &Arrays<Self>, slot: usize) -> [f64; 3];
    /// Adds to the contact force and moment over radius of a slot.
    fn add_force(arrays: &mut Arrays<Self>, slot: usize, force: [f64; 3], moment: [f64; 3]);
    /// Adds to a slot, before its contacts: elastic and damping forces, and moments over radius.
    fn add_bond(
        arrays: &mut Arrays<Self>,
        slot: usize,
        forces: [[f64; 3]; 2],
        moments: [[f64; 3]; 2],
    );
    /// Stores the present orientation of a slot (space only), and returns it.
    fn settle_rotation(arrays: &mut Arrays<Self>, slot: usize) -> Self::Rotation {
        Self::rotation(arrays, slot)
    }
    /// Sets the velocity, and radius times spin, of a slot to zero.
    fn stop(arrays: &mut Arrays<Self>, slot: usize);
    /// Displaces a slot and turns it by an angle times its radius.
    fn shift(arrays: &mut Arrays<Self>, slot: usize, way: Self::Vector, turn: [f64; 3]);
    /// Contact force and moment over radius.
    fn force(arrays: &Arrays<Self>, slot: usize) -> ([f64; 3], [f64; 3]);
    /// The dampers' share of force and moment.
    fn damper(arrays: &Arrays<Self>, slot: usize) -> ([f64; 3], [f64; 3]);
    /// Present orientation.
    fn rotation(arrays: &Arrays<Self>, slot: usize) -> Self::Rotation;
    /// Velocity and surface spin stored by the integrator.
    fn carried(arrays: &Arrays<Self>, slot: usize) -> ([f64; 3], [f64; 3]);
    /// Sets the acceleration before last of a column of `state`.
    fn set_previous(arrays: &mut Arrays<Self>, slot: usize, column: usize, acceleration: f64);
    /// Writes the state of a grain to a slot.
    fn write(arrays: &mut Arrays<Self>, slot: usize, grain: &Grain<Self>);
    /// Sets the position of a slot. The radius is in column 3, the first velocity in column 4 in both dimensions.
    fn place(arrays: &mut Arrays<Self>, slot: usize, position: Self::Vector) {
        for k in 0..Self::N {
            arrays.rows[slot].0[k] = position[k];
        }
    }
}

/// Additional data of a pass over lists with grains of arcs.
pub struct ArcPass<'a> {
    /// Tables of arcs.
    pub arcs: &'a Arcs,
    /// For pairs: the grains and arcs of the lanes of each batch.
    pub named: &'a [Named],
    /// Displacement since the lists were filtered, m; infinite if no batch may be skipped.
    pub way: f64,
    /// Batches to process, in which all arcs face each other; if none are given, all batches.
    pub sure: Option<&'a [(u32, u8)]>,
    /// Batches skipped, and their lanes with arcs that do not face each other.
    pub astray: &'a mut Vec<(u32, u8)>,
}
