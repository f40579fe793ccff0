//! Space: spins, dampers and orientations have rows of their own.

use super::ClusterDimension;
use crate::body::Grain;
use crate::cluster::arrays::Arrays;
use crate::cluster::cell::CellSums;
use crate::cluster::kernel::{
    Block, BodyRows, Change, ForceRows, SpatialHistory, SpatialPairs, SpatialWalls, Timing,
    WallGeometry, WallSums,
};
use crate::cluster::lists::Lists;
use crate::contact::{LinkLaw, with_law};
use crate::geometry::{Dimension, Spatial};
use crate::vector::{Level, Row, run};

/// Column in the row of the dampers' share: 0 if its moment equals that of the force, 1 if it is stored separately.
const OWN_MOMENT: usize = 3;

/// Before anything other than contacts turns a slot: stores the moment of the dampers' share, which
/// equals that of the force so far, separately.
pub(in crate::cluster) fn set_moment_apart(arrays: &mut Arrays<Spatial>, slot: usize) {
    let (damper, force) = (&mut arrays.dampers[slot].0, &arrays.forces[slot].0);
    if damper[OWN_MOMENT] == 0.0 {
        damper[OWN_MOMENT] = 1.0;
        damper[4..].copy_from_slice(&force[4..]);
    }
}

impl ClusterDimension for Spatial {
    type History = SpatialHistory;
    const SPRING_IS_VECTOR: bool = true;

    fn pair_forces<F: ForceRows>(
        level: Level,
        law: &LinkLaw,
        rows: BodyRows<'_>,
        spins: BodyRows<'_>,
        block: Block<'_, SpatialHistory, F>,
        timing: Timing,
        sums: Option<&mut CellSums>,
    ) -> f64 {
        with_law!(*law, law => run(level, SpatialPairs { law, rows, spins, block, timing, sums }))
    }

    fn wall_forces(
        level: Level,
        law: &LinkLaw,
        arrays: &mut Arrays<Self>,
        lists: &mut Lists<SpatialHistory>,
        changed: &mut Vec<Change>,
        timing: Timing,
        geometry: WallGeometry<'_>,
        reference: [f64; 3],
        wall_spin: [f64; 3],
    ) -> WallSums {
        with_law!(*law, law => run(level, SpatialWalls {
            law,
            rows: &arrays.rows,
            spins: &arrays.spins,
            forces: &mut arrays.forces,
            dampers: &mut arrays.dampers,
            batches: &lists.batches,
            history: &mut lists.history,
            stiffness: &mut lists.stiffness,
            memory: &mut lists.memory,
            flags: &mut lists.flags,
            changed,
            timing,
            geometry,
            reference,
            wall_spin,
        }))
    }

    fn surface_spin(arrays: &Arrays<Self>, slot: usize) -> [f64; 3] {
        let s = &arrays.spins[slot].0;
        [s[0], s[1], s[2]]
    }
    fn force(arrays: &Arrays<Self>, slot: usize) -> ([f64; 3], [f64; 3]) {
        let f = &arrays.forces[slot].0;
        ([f[0], f[1], f[2]], [f[4], f[5], f[6]])
    }
    fn damper(arrays: &Arrays<Self>, slot: usize) -> ([f64; 3], [f64; 3]) {
        let f = &arrays.dampers[slot].0;
        let moment = if f[OWN_MOMENT] == 0.0 {
            &arrays.forces[slot].0
        } else {
            f
        };
        ([f[0], f[1], f[2]], [moment[4], moment[5], moment[6]])
    }
    fn add_force(arrays: &mut Arrays<Self>, slot: usize, force: [f64; 3], moment: [f64; 3]) {
        if moment != [0.0; 3] {
            set_moment_apart(arrays, slot);
        }
        let f = &mut arrays.forces[slot].0;
        for k in 0..3 {
            f[k] += force[k];
            f[4 + k] += moment[k];
        }
    }
    fn add_bond(
        arrays: &mut Arrays<Self>,
        slot: usize,
        [elastic, damping]: [[f64; 3]; 2],
        [turn, damping_turn]: [[f64; 3]; 2],
    ) {
        // The stride takes all moments for those of dampers; the caller books what is not.
        for k in 0..3 {
            arrays.forces[slot].0[k] += elastic[k] + damping[k];
            arrays.forces[slot].0[4 + k] += turn[k] + damping_turn[k];
            arrays.dampers[slot].0[k] += damping[k];
        }
    }
    fn settle_rotation(arrays: &mut Arrays<Self>, slot: usize) -> Self::Rotation {
        arrays.rotation[slot] = Self::rotation(arrays, slot);
        arrays.spins[slot].0[4..7].fill(0.0);
        arrays.rotation[slot]
    }
    fn stop(arrays: &mut Arrays<Self>, slot: usize) {
        arrays.rows[slot].0[4..7].fill(0.0);
        arrays.spins[slot].0[..3].fill(0.0);
        arrays.previous[slot] = Row::default();
        let state = &mut arrays.state[slot].0;
        state[..3].fill(0.0);
        state[4..7].fill(0.0);
    }
    fn shift(arrays: &mut Arrays<Self>, slot: usize, way: Self::Vector, turn: [f64; 3]) {
        for k in 0..3 {
            arrays.rows[slot].0[k] += way[k];
            arrays.spins[slot].0[4 + k] += turn[k];
        }
    }
    fn rotation(arrays: &Arrays<Self>, slot: usize) -> Self::Rotation {
        let s = &arrays.spins[slot].0;
        let inverse = 1.0 / arrays.radius(slot);
        let turn = nalgebra::Vector3::new(s[4], s[5], s[6]) * inverse;
        Spatial::turned(arrays.rotation[slot], turn)
    }
    fn carried(arrays: &Arrays<Self>, slot: usize) -> ([f64; 3], [f64; 3]) {
        let v = &arrays.state[slot].0;
        ([v[0], v[1], v[2]], [v[4], v[5], v[6]])
    }
    fn set_previous(arrays: &mut Arrays<Self>, slot: usize, column: usize, acceleration: f64) {
        arrays.previous[slot].0[column] = acceleration;
    }
    fn write(arrays: &mut Arrays<Self>, slot: usize, g: &Grain<Self>) {
        let (x, v, r) = (g.position, g.velocity, g.radius);
        let s = g.spin * r;
        let (m, i) = (1.0 / g.mass, r * r / g.moment_of_inertia());
        arrays.rows[slot] = Row([x.x, x.y, x.z, r, v.x, v.y, v.z, m]);
        arrays.spins[slot] = Row([s.x, s.y, s.z, i, 0.0, 0.0, 0.0, 0.0]);
        arrays.state[slot] = Row([v.x, v.y, v.z, m, s.x, s.y, s.z, i]);
        arrays.forces[slot] = Row::default();
        arrays.dampers[slot] = Row::default();
        arrays.rotation[slot] = g.rotation;
    }
}
