//! What the plane and space do each in their own way: which kernels they call, and where rows keep what.

mod planar;
mod spatial;

pub(super) use spatial::set_moment_apart;

use super::arrays::Arrays;
use super::cell::CellSums;
use super::kernel::{All, Arcs, Block, Change, Named, Onto, Seen, Timing, WallGeometry, WallSums};
use super::lists::{History, Lists};
use crate::body::Grain;
use crate::contact::LinkLaw;
use crate::geometry::Dimension;
use crate::vector::Level;

/// Steps and evaluations of a dimension.
pub trait ClusterDimension: Dimension {
    /// Tangential springs of a batch.
    type History: History;
    /// Whether a spring changes sign when its two bodies are exchanged.
    const SPRING_IS_VECTOR: bool;

    /// Contact forces of candidate pairs; gives the work of tangential forces, J. What links give to the stress
    /// is added to `sums`.
    fn pair_forces<F: Onto>(
        level: Level,
        law: &LinkLaw,
        rows: Seen<'_>,
        spins: Seen<'_>,
        block: Block<'_, Self::History, F>,
        timing: Timing,
        sums: Option<&mut CellSums>,
    ) -> f64;
    /// Contact forces at a surface of a wall that turns with an angular velocity (rad/s).
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
    /// Works out how grains of arcs are turned.
    fn turn_arcs(_level: Level, _arrays: &Arrays<Self>, _arcs: &mut Arcs) {}
    /// Contact forces of candidate pairs, some of them arcs; in space there are none.
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
        let (rows, spins) = (Seen::both(&arrays.rows), Seen::both(&arrays.spins));
        Self::pair_forces(level, law, rows, spins, block, timing, None)
    }
    /// Contact forces at a surface, of arcs too.
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
    /// Radius times spin from the row, 1 or 3 components.
    fn surface_spin(arrays: &Arrays<Self>, slot: usize) -> [f64; 3];
    /// Adds to the contact force and moment over radius of a slot.
    fn add_force(arrays: &mut Arrays<Self>, slot: usize, force: [f64; 3], moment: [f64; 3]);
    /// Sets the velocity, and radius times spin, of a slot to zero.
    fn stop(arrays: &mut Arrays<Self>, slot: usize);
    /// Moves a slot and turns it by an angle times its radius.
    fn shift(arrays: &mut Arrays<Self>, slot: usize, way: Self::Vector, turn: [f64; 3]);
    /// Contact force and moment over radius.
    fn force(arrays: &Arrays<Self>, slot: usize) -> ([f64; 3], [f64; 3]);
    /// The dampers' share of them.
    fn damper(arrays: &Arrays<Self>, slot: usize) -> ([f64; 3], [f64; 3]);
    /// Orientation now.
    fn rotation(arrays: &Arrays<Self>, slot: usize) -> Self::Rotation;
    /// Velocity and surface spin that the integrator carries.
    fn carried(arrays: &Arrays<Self>, slot: usize) -> ([f64; 3], [f64; 3]);
    /// Sets the acceleration before last of a column of `state`.
    fn set_previous(arrays: &mut Arrays<Self>, slot: usize, column: usize, acceleration: f64);
    /// Writes a slot from a state.
    fn write(arrays: &mut Arrays<Self>, slot: usize, grain: &Grain<Self>);
    /// Column of the radius is 3, of the first velocity 4 in both dimensions.
    fn place(arrays: &mut Arrays<Self>, slot: usize, position: Self::Vector) {
        for k in 0..Self::N {
            arrays.rows[slot].0[k] = position[k];
        }
    }
}

/// What goes beside the lists where there are grains of arcs.
pub struct ArcPass<'a> {
    /// Arcs.
    pub arcs: &'a Arcs,
    /// Of pairs: which grains and arcs the lanes of each batch name.
    pub named: &'a [Named],
    /// Way since the lists were filtered, m; without end where batches are not to be left out.
    pub way: f64,
    /// Batches to go through, in which all arcs face each other; all that there are where none are named.
    pub sure: Option<&'a [(u32, u8)]>,
    /// Batches left out, and which of their lanes name arcs that do not face each other.
    pub astray: &'a mut Vec<(u32, u8)>,
}
