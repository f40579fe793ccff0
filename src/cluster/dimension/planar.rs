//! The plane: a row of eight numbers contains all data of a grain.

use super::{ArcPass, ClusterDimension};
use crate::body::Grain;
use crate::cluster::arrays::Arrays;
use crate::cluster::cell::CellSums;
use crate::cluster::kernel::{
    ArcPairs, ArcTurns, ArcWalls, Arcs, Block, BodyRows, Change, ForceRows, PlanarPairs,
    PlanarWalls, Timing, WallGeometry, WallSums,
};
use crate::cluster::lists::Lists;
use crate::contact::{LinkLaw, with_law, with_plain_law};
use crate::geometry::Planar;
use crate::vector::{Level, Row, run};

impl ClusterDimension for Planar {
    type History = Row;
    const SPRING_IS_VECTOR: bool = false;

    fn pair_forces<F: ForceRows>(
        level: Level,
        law: &LinkLaw,
        rows: BodyRows<'_>,
        _: BodyRows<'_>,
        block: Block<'_, Row, F>,
        timing: Timing,
        sums: Option<&mut CellSums>,
    ) -> f64 {
        with_law!(*law, law => run(level, PlanarPairs { law, rows, block, timing, sums }))
    }

    fn wall_forces(
        level: Level,
        law: &LinkLaw,
        arrays: &mut Arrays<Self>,
        lists: &mut Lists<Row>,
        changed: &mut Vec<Change>,
        timing: Timing,
        geometry: WallGeometry<'_>,
        reference: [f64; 3],
        wall_spin: [f64; 3],
    ) -> WallSums {
        with_law!(*law, law => run(level, PlanarWalls {
            law,
            rows: &arrays.rows,
            forces: &mut arrays.forces,
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

    fn turn_arcs(level: Level, arrays: &Arrays<Self>, arcs: &mut Arcs) {
        let (rows, grains) = (&arrays.rows, &arcs.grains);
        let turns = &mut arcs.turns;
        run(
            level,
            ArcTurns {
                rows,
                grains,
                turns,
            },
        );
    }

    fn arc_pair_forces(
        level: Level,
        law: &LinkLaw,
        arrays: &mut Arrays<Self>,
        lists: &mut Lists<Row>,
        changed: &mut Vec<Change>,
        timing: Timing,
        pass: ArcPass<'_>,
    ) -> f64 {
        with_plain_law!(law, law => run(level, ArcPairs {
            law,
            rows: &arrays.rows,
            arcs: pass.arcs,
            forces: &mut arrays.forces,
            named: pass.named,
            way: pass.way,
            quiet: &mut lists.quiet,
            history: &mut lists.history,
            stiffness: &mut lists.stiffness,
            flags: &mut lists.flags,
            changed,
            timing,
            sure: pass.sure,
            astray: pass.astray,
        }))
    }

    fn arc_wall_forces(
        level: Level,
        law: &LinkLaw,
        arrays: &mut Arrays<Self>,
        lists: &mut Lists<Row>,
        changed: &mut Vec<Change>,
        timing: Timing,
        geometry: WallGeometry<'_>,
        reference: [f64; 3],
        pass: ArcPass<'_>,
    ) -> WallSums {
        with_plain_law!(law, law => run(level, ArcWalls {
            law,
            rows: &arrays.rows,
            arcs: pass.arcs,
            forces: &mut arrays.forces,
            batches: &lists.batches,
            history: &mut lists.history,
            stiffness: &mut lists.stiffness,
            flags: &mut lists.flags,
            changed,
            timing,
            geometry,
            reference,
            sure: pass.sure,
            astray: pass.astray,
        }))
    }

    fn surface_spin(arrays: &Arrays<Self>, slot: usize) -> [f64; 3] {
        [arrays.rows[slot].0[6], 0.0, 0.0]
    }
    fn force(arrays: &Arrays<Self>, slot: usize) -> ([f64; 3], [f64; 3]) {
        let f = &arrays.forces[slot].0;
        ([f[0], f[1], 0.0], [f[2], 0.0, 0.0])
    }
    fn damper(arrays: &Arrays<Self>, slot: usize) -> ([f64; 3], [f64; 3]) {
        let f = &arrays.forces[slot].0;
        ([f[4], f[5], 0.0], [f[6], 0.0, 0.0])
    }
    fn add_force(arrays: &mut Arrays<Self>, slot: usize, force: [f64; 3], moment: [f64; 3]) {
        let f = &mut arrays.forces[slot].0;
        f[0] += force[0];
        f[1] += force[1];
        f[2] += moment[0];
    }
    fn add_bond(
        arrays: &mut Arrays<Self>,
        slot: usize,
        [elastic, damping]: [[f64; 3]; 2],
        [turn, damping_turn]: [[f64; 3]; 2],
    ) {
        let f = &mut arrays.forces[slot].0;
        for k in 0..2 {
            f[k] += elastic[k] + damping[k];
            f[4 + k] += damping[k];
        }
        f[2] += turn[0] + damping_turn[0];
        f[6] += damping_turn[0];
    }
    fn stop(arrays: &mut Arrays<Self>, slot: usize) {
        arrays.rows[slot].0[4..7].fill(0.0);
        let state = &mut arrays.state[slot].0;
        state[..3].fill(0.0);
        state[4..7].fill(0.0);
    }
    fn shift(arrays: &mut Arrays<Self>, slot: usize, way: Self::Vector, turn: [f64; 3]) {
        let row = &mut arrays.rows[slot].0;
        row[0] += way.x;
        row[1] += way.y;
        row[2] += turn[0];
    }
    fn rotation(arrays: &Arrays<Self>, slot: usize) -> f64 {
        let row = &arrays.rows[slot].0;
        row[2] / row[3]
    }
    fn carried(arrays: &Arrays<Self>, slot: usize) -> ([f64; 3], [f64; 3]) {
        let v = &arrays.state[slot].0;
        ([v[0], v[1], 0.0], [v[2], 0.0, 0.0])
    }
    fn set_previous(arrays: &mut Arrays<Self>, slot: usize, column: usize, acceleration: f64) {
        arrays.state[slot].0[4 + column] = acceleration;
    }
    fn write(arrays: &mut Arrays<Self>, slot: usize, g: &Grain<Self>) {
        let (x, v, r) = (g.position, g.velocity, g.radius);
        let (m, i) = (1.0 / g.mass, r * r / g.moment_of_inertia());
        arrays.rows[slot] = Row([x.x, x.y, r * g.rotation, r, v.x, v.y, r * g.spin, m]);
        arrays.state[slot] = Row([v.x, v.y, r * g.spin, m, 0.0, 0.0, 0.0, i]);
        arrays.forces[slot] = Row::default();
    }
}
