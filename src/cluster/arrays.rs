//! What the kernels work on: rows of all grains by slot.
//!
//! Slot 0 is a dummy without extent, named by the empty lanes of batches. Grains in flight keep
//! their slot; their rows are not moved.

use serde::{Deserialize, Serialize};

use super::kernel::{
    ArcPairs, ArcTurns, ArcWalls, Arcs, Batch, Change, Flags, Named, PlanarPairs, PlanarWalls,
    SpatialHistory, SpatialPairs, SpatialWalls, Timing, WallGeometry, WallSums,
};
use crate::body::{Grain, GrainId};
use crate::contact::{AnyLaw, with_law};
use crate::geometry::{Dimension, Planar, Spatial, Vector};
use crate::vector::{LANES, Level, Row, run};

/// What a slot holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Status {
    /// Nothing: the dummy, or a grain that was removed.
    Empty,
    /// A grain that takes steps.
    Stepped,
    /// A grain in flight.
    Flying,
    /// A grain in equilibrium that stands still.
    Still,
    /// A part of the grain in a slot before.
    Part,
}

impl Status {
    /// Whether a grain is there: not nothing, and not a part of one.
    pub fn is_grain(self) -> bool {
        !matches!(self, Status::Empty | Status::Part)
    }
}

/// Rows of all grains. At the time of evaluation `rows` and `spins` hold positions and
/// velocities, `forces` and `dampers` the contact forces there, `state` what the integrator
/// carries.
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
    /// The dampers' share (space only; in the plane it is in the second half of `forces`).
    pub dampers: Vec<Row>,
    /// Orientation at the last neighbour update (space only; the plane has the arc in its row).
    pub rotation: Vec<D::Rotation>,
    /// Numbers of the grains.
    pub id: Vec<GrainId>,
    /// Materials.
    pub material: Vec<u16>,
    /// What each slot holds.
    pub status: Vec<Status>,
}

/// Eight tangential springs.
pub trait History:
    Copy + Default + std::fmt::Debug + Send + Sync + Serialize + for<'a> Deserialize<'a>
{
    /// One of them.
    fn lane(&self, lane: usize) -> [f64; 3];
    /// Sets one of them.
    fn set_lane(&mut self, lane: usize, spring: [f64; 3]);
}

impl History for Row {
    fn lane(&self, lane: usize) -> [f64; 3] {
        [self.0[lane], 0.0, 0.0]
    }
    fn set_lane(&mut self, lane: usize, spring: [f64; 3]) {
        self.0[lane] = spring[0];
    }
}

impl History for SpatialHistory {
    fn lane(&self, lane: usize) -> [f64; 3] {
        [self[0].0[lane], self[1].0[lane], self[2].0[lane]]
    }
    fn set_lane(&mut self, lane: usize, spring: [f64; 3]) {
        for (row, s) in self.iter_mut().zip(spring) {
            row.0[lane] = s;
        }
    }
}

/// Candidates of one law, with their history beside them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Lists<H: History> {
    /// The candidates.
    pub batches: Vec<Batch>,
    /// Tangential springs.
    pub history: Vec<H>,
    /// Flags.
    pub flags: Vec<Flags>,
    /// Looks in a row at which each link was at rest.
    pub calm: Vec<[u8; LANES]>,
    /// Index of each lane's candidate in the outer list.
    pub outer: Vec<[u32; LANES]>,
    /// Of each batch: way since the lists were filtered on which nothing in it can come into touch, m (grains of
    /// arcs only).
    pub quiet: Vec<f64>,
}

impl<H: History> Lists<H> {
    /// Empties the lists, keeping their memory.
    pub fn clear(&mut self) {
        self.batches.clear();
        self.history.clear();
        self.flags.clear();
        self.calm.clear();
        self.outer.clear();
        self.quiet.clear();
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

/// Steps and evaluations of a dimension.
pub trait ClusterDimension: Dimension {
    /// Tangential springs of a batch.
    type History: History;
    /// Whether a spring changes sign when its two bodies are exchanged.
    const SPRING_IS_VECTOR: bool;

    /// Contact forces of candidate pairs; gives the work of tangential forces, J.
    fn pair_forces(
        level: Level,
        law: AnyLaw,
        arrays: &mut Arrays<Self>,
        lists: &mut Lists<Self::History>,
        changed: &mut Vec<Change>,
        timing: Timing,
    ) -> f64;
    /// Contact forces at a surface.
    fn wall_forces(
        level: Level,
        law: AnyLaw,
        arrays: &mut Arrays<Self>,
        lists: &mut Lists<Self::History>,
        changed: &mut Vec<Change>,
        timing: Timing,
        geometry: WallGeometry<'_>,
        reference: [f64; 3],
    ) -> WallSums;
    /// Works out how grains of arcs are turned.
    fn turn_arcs(_level: Level, _arrays: &Arrays<Self>, _arcs: &mut Arcs) {}
    /// Contact forces of candidate pairs, some of them arcs; in space there are none.
    fn arc_pair_forces(
        level: Level,
        law: AnyLaw,
        arrays: &mut Arrays<Self>,
        lists: &mut Lists<Self::History>,
        changed: &mut Vec<Change>,
        timing: Timing,
        _pass: ArcPass<'_>,
    ) -> f64 {
        Self::pair_forces(level, law, arrays, lists, changed, timing)
    }
    /// Contact forces at a surface, of arcs too.
    fn arc_wall_forces(
        level: Level,
        law: AnyLaw,
        arrays: &mut Arrays<Self>,
        lists: &mut Lists<Self::History>,
        changed: &mut Vec<Change>,
        timing: Timing,
        geometry: WallGeometry<'_>,
        reference: [f64; 3],
        _pass: ArcPass<'_>,
    ) -> WallSums {
        Self::wall_forces(
            level, law, arrays, lists, changed, timing, geometry, reference,
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
    fn push_empty(&mut self) {
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

    /// Number of slots, the dummy included.
    pub fn slots(&self) -> usize {
        self.rows.len()
    }

    /// Adds a grain at the end; gives its slot.
    pub fn push(&mut self, grain: &Grain<D>, status: Status) -> u32 {
        self.push_empty();
        let slot = self.slots() - 1;
        self.id[slot] = grain.id;
        self.material[slot] = grain.material;
        self.status[slot] = status;
        D::write(self, slot, grain);
        slot as u32
    }

    /// Adds a part of the grain in a slot, of a radius (m), at the end; gives its slot. Its place is to be
    /// set.
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

    /// Keeps the slots of `order` (old slots, the dummy first) in that order.
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

    /// Forgets the forces of the last evaluation on a slot.
    pub fn clear_force(&mut self, slot: usize) {
        self.forces[slot] = Row::default();
        if let Some(damper) = self.dampers.get_mut(slot) {
            *damper = Row::default();
        }
    }

    /// Makes a slot empty: its row goes where nothing touches it.
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

impl ClusterDimension for Planar {
    type History = Row;
    const SPRING_IS_VECTOR: bool = false;

    fn pair_forces(
        level: Level,
        law: AnyLaw,
        arrays: &mut Arrays<Self>,
        lists: &mut Lists<Row>,
        changed: &mut Vec<Change>,
        timing: Timing,
    ) -> f64 {
        with_law!(law, law => run(level, PlanarPairs {
            law,
            rows: &arrays.rows,
            forces: &mut arrays.forces,
            batches: &lists.batches,
            history: &mut lists.history,
            flags: &mut lists.flags,
            changed,
            timing,
        }))
    }

    fn wall_forces(
        level: Level,
        law: AnyLaw,
        arrays: &mut Arrays<Self>,
        lists: &mut Lists<Row>,
        changed: &mut Vec<Change>,
        timing: Timing,
        geometry: WallGeometry<'_>,
        reference: [f64; 3],
    ) -> WallSums {
        with_law!(law, law => run(level, PlanarWalls {
            law,
            rows: &arrays.rows,
            forces: &mut arrays.forces,
            batches: &lists.batches,
            history: &mut lists.history,
            flags: &mut lists.flags,
            changed,
            timing,
            geometry,
            reference,
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
        law: AnyLaw,
        arrays: &mut Arrays<Self>,
        lists: &mut Lists<Row>,
        changed: &mut Vec<Change>,
        timing: Timing,
        pass: ArcPass<'_>,
    ) -> f64 {
        with_law!(law, law => run(level, ArcPairs {
            law,
            rows: &arrays.rows,
            arcs: pass.arcs,
            forces: &mut arrays.forces,
            named: pass.named,
            way: pass.way,
            quiet: &mut lists.quiet,
            history: &mut lists.history,
            flags: &mut lists.flags,
            changed,
            timing,
            sure: pass.sure,
            astray: pass.astray,
        }))
    }

    fn arc_wall_forces(
        level: Level,
        law: AnyLaw,
        arrays: &mut Arrays<Self>,
        lists: &mut Lists<Row>,
        changed: &mut Vec<Change>,
        timing: Timing,
        geometry: WallGeometry<'_>,
        reference: [f64; 3],
        pass: ArcPass<'_>,
    ) -> WallSums {
        with_law!(law, law => run(level, ArcWalls {
            law,
            rows: &arrays.rows,
            arcs: pass.arcs,
            forces: &mut arrays.forces,
            batches: &lists.batches,
            history: &mut lists.history,
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

impl ClusterDimension for Spatial {
    type History = SpatialHistory;
    const SPRING_IS_VECTOR: bool = true;

    fn pair_forces(
        level: Level,
        law: AnyLaw,
        arrays: &mut Arrays<Self>,
        lists: &mut Lists<SpatialHistory>,
        changed: &mut Vec<Change>,
        timing: Timing,
    ) -> f64 {
        with_law!(law, law => run(level, SpatialPairs {
            law,
            rows: &arrays.rows,
            spins: &arrays.spins,
            forces: &mut arrays.forces,
            dampers: &mut arrays.dampers,
            batches: &lists.batches,
            history: &mut lists.history,
            flags: &mut lists.flags,
            changed,
            timing,
        }))
    }

    fn wall_forces(
        level: Level,
        law: AnyLaw,
        arrays: &mut Arrays<Self>,
        lists: &mut Lists<SpatialHistory>,
        changed: &mut Vec<Change>,
        timing: Timing,
        geometry: WallGeometry<'_>,
        reference: [f64; 3],
    ) -> WallSums {
        with_law!(law, law => run(level, SpatialWalls {
            law,
            rows: &arrays.rows,
            spins: &arrays.spins,
            forces: &mut arrays.forces,
            dampers: &mut arrays.dampers,
            batches: &lists.batches,
            history: &mut lists.history,
            flags: &mut lists.flags,
            changed,
            timing,
            geometry,
            reference,
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
        ([f[0], f[1], f[2]], [f[4], f[5], f[6]])
    }
    fn add_force(arrays: &mut Arrays<Self>, slot: usize, force: [f64; 3], moment: [f64; 3]) {
        let f = &mut arrays.forces[slot].0;
        for k in 0..3 {
            f[k] += force[k];
            f[4 + k] += moment[k];
        }
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
