//! The engine: all clusters of a system, advanced on one grid of steps.
//!
//! Each cluster is a system of equations of its own (thesis 5.6); those that share a step are
//! evaluated side by side in the same batches, which changes nothing in their motion and lets a
//! link come or go for the price of a flag. Which grains form which cluster is kept beside, in
//! [`ClusterIndex`]. Grains in flight are not touched by a step.

use super::arrays::{Arrays, Status};
use super::bands::Bands;
use super::blocks::Pairs;
use super::bodies::Bodies;
use super::border::Border;
use super::cell::{CellSetup, CellSums};
use super::changes::LinkChange;
use super::facing_walls::{fill_lanes, wall_geometry};
use super::filtering::Notes;
use super::integrate::{Integrate, StepSums, Stride};
use super::kernel::{Arcs, Change, Moving, Timing, WallLanes, WallSums};
use super::lists::{Kept, Lists};
use super::shift::Pending;
use super::state::{
    Counts, EngineOptions, EngineState, Flows, LinkEvent, PairClass, Passed, Wall, WallClass,
};
use super::still::{Still, WallName};
use super::team::Team;
use super::tumble::TopTable;
use super::wear::WearMap;
use crate::body::{Form, Grain, Motion};
use crate::contact::{AnyLaw, Composed, LawTable};
use crate::geometry::{Dimension, Vector};
use crate::hgraph::ClusterIndex;
use crate::neighbor::{BroadPhase, StillCells};
use crate::system::{IntegratorName, PeriodicAxis};
use crate::vector::Level;

/// All clusters of a system.
pub struct Engine<D: Integrate> {
    /// What a checkpoint holds.
    pub state: EngineState<D>,
    /// Parameters.
    pub options: EngineOptions,
    /// Boundaries.
    pub boundaries: Vec<Wall<D>>,
    /// Forms of grains.
    pub(super) forms: Vec<Form<D>>,
    /// What turning goes by in space, by form.
    pub(super) tops: TopTable,
    /// What the kernels know of grains of arcs.
    pub(super) arcs: Arcs,
    /// How many grains are of arcs, once that is known.
    pub(super) arc_grains: usize,
    /// Batches with arcs that do not face each other any more.
    pub(super) astray: Vec<(u32, u8)>,
    /// Gravity, m/s^2.
    pub gravity: D::Vector,
    /// Time of step 0, s.
    pub origin: f64,
    /// Link events of the last evaluation, when they are kept.
    pub link_events: Vec<LinkEvent>,
    pub(super) laws: LawTable,
    pub(super) class_of: Vec<u16>,
    pub(super) periodic: Vec<Option<PeriodicAxis>>,
    /// What drives the edges of the periodic cell.
    pub(super) cell: Option<CellSetup>,
    /// When the second half of the run begins, s.
    pub late_from: f64,
    /// Sums of the last evaluation, where edges may move.
    pub(super) cell_sums: Option<Box<CellSums>>,
    pub(super) level: Level,
    pub(super) broad: Box<dyn BroadPhase<D>>,
    pub(super) changed: Vec<Change>,
    /// Springs of a class before the evaluation, while its links are noted for the log.
    pub(super) springs: Vec<D::History>,
    pub(super) spare: Lists<D::History>,
    pub(super) notes: Notes,
    /// Threads that share the work of a step.
    pub(super) team: Team,
    pub(super) wall_lanes: Vec<WallLanes>,
    pub(super) pair_buffer: Vec<(u32, u32)>,
    /// Grains that stand still, by place.
    pub(crate) cells: StillCells<D>,
    /// Links of grains that were woken, until the lists are renewed: by class of pairs, and of walls.
    pub(super) waking: Vec<Vec<Kept>>,
    pub(super) waking_walls: Vec<(WallName, Kept)>,
    /// What the last displacement of grains that stand still does to their links.
    pub(super) pending: Pending,
    /// What it did to links, one by one.
    pub(super) changes: Vec<LinkChange<D>>,
    /// Grains of other ranks.
    pub(super) border: Border,
}

impl<D: Integrate> std::fmt::Debug for Engine<D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine")
            .field("n", &self.state.n)
            .field("slots", &self.state.arrays.slots())
            .finish()
    }
}

/// A vector of either dimension in three columns.
pub(super) fn three<V: Vector>(v: V) -> [f64; 3] {
    std::array::from_fn(|k| if k < V::LEN { v[k] } else { 0.0 })
}

/// A spin in three columns; in the plane the first.
pub(super) fn spin_of<D: Dimension>(spin: D::Spin) -> [f64; 3] {
    let columns = if D::N == 2 { 1 } else { 3 };
    std::array::from_fn(|k| {
        if k < columns {
            D::spin_component(spin, k)
        } else {
            0.0
        }
    })
}

impl<D: Integrate> Engine<D> {
    /// An engine without grains.
    pub fn new(
        options: EngineOptions,
        laws: LawTable,
        boundaries: Vec<Wall<D>>,
        gravity: D::Vector,
        periodic: Vec<Option<PeriodicAxis>>,
        broad: Box<dyn BroadPhase<D>>,
    ) -> Self {
        let mut pairs = Vec::new();
        let mut class_of = vec![u16::MAX; laws.materials * laws.materials];
        for a in 0..laws.materials {
            for b in a..laws.materials {
                if laws.get(a as u16, b as u16).is_some() {
                    let composed = !laws.slots(a as u16, b as u16).are_empty();
                    class_of[a * laws.materials + b] = pairs.len() as u16;
                    class_of[b * laws.materials + a] = pairs.len() as u16;
                    pairs.push(PairClass {
                        materials: [a as u16, b as u16],
                        outer: Vec::new(),
                        blocks: Vec::new(),
                        lists: Lists::of_law(composed),
                    });
                }
            }
        }
        let mut clusters = ClusterIndex::new();
        clusters.add_grain(0);
        let walls = boundaries.len();
        let waking = vec![Vec::new(); pairs.len()];
        Engine {
            state: EngineState {
                arrays: Arrays::default(),
                since: vec![0.0],
                back: vec![f64::INFINITY],
                active: Vec::new(),
                in_order: true,
                fresh: Vec::new(),
                bands: Bands::default(),
                pairs,
                walls: Vec::new(),
                clusters,
                gone: vec![false; walls],
                n: 0,
                outer_way: 0.0,
                inner_way: 0.0,
                counts: Counts::default(),
                flows: Flows::default(),
                wall_sums: vec![[0.0; 7]; walls],
                wear: vec![WearMap::new(); walls],
                fastest: 0.0,
                still: Still::default(),
                bodies: Bodies::default(),
                guided: Vec::new(),
                cell: None,
            },
            options,
            boundaries,
            forms: Vec::new(),
            tops: TopTable::default(),
            arcs: Arcs::default(),
            arc_grains: 0,
            astray: Vec::new(),
            gravity,
            origin: 0.0,
            link_events: Vec::new(),
            laws,
            class_of,
            periodic,
            cell: None,
            late_from: 0.0,
            cell_sums: None,
            level: Level::best(),
            broad,
            changed: Vec::new(),
            springs: Vec::new(),
            spare: Lists::default(),
            notes: Notes::default(),
            team: Team::new(1),
            wall_lanes: Vec::new(),
            pair_buffer: Vec::new(),
            cells: StillCells::default(),
            waking,
            waking_walls: Vec::new(),
            pending: Pending::default(),
            changes: Vec::new(),
            border: Border::default(),
        }
    }

    /// Sets the forms that grains may have.
    pub fn set_forms(&mut self, forms: &[Form<D>]) {
        self.forms = forms.to_vec();
        self.tops = D::tops(forms);
    }

    /// The forms that grains may have.
    pub fn forms(&self) -> &[Form<D>] {
        &self.forms
    }

    /// Chooses the level of vector units; results do not depend on it.
    pub fn set_level(&mut self, level: Level) {
        self.level = level;
    }

    /// Time of evaluation: where the rows stand, s.
    pub fn time(&self) -> f64 {
        self.time_of(self.state.n)
    }

    /// Time of a step, s.
    pub fn time_of(&self, n: i64) -> f64 {
        let shift = if self.options.integrator == IntegratorName::Midpoint {
            0.5
        } else {
            0.0
        };
        self.origin + (n as f64 + shift) * self.options.step
    }

    /// Adds a grain that steps or flies from `time` on. The lists must be renewed before the next step.
    pub fn add(&mut self, grain: &Grain<D>, status: Status, time: f64) -> u32 {
        let slot = self.state.arrays.push(grain, status);
        self.state.since.push(time);
        self.state.back.push(time);
        self.state.clusters.add_grain(slot);
        if let Some(form) = grain.form {
            self.add_parts(slot, grain, form, time);
        }
        if status == Status::Stepped {
            self.state.active.push(slot);
            self.state.in_order = false;
            self.state.fresh.push(slot);
        }
        slot
    }

    /// Law of a pair of materials; set-up has made sure that it is there.
    pub fn law(&self, a: u16, b: u16) -> AnyLaw {
        let law = AnyLaw::from(self.laws.get(a, b).expect("checked at set-up"));
        let slots = self.laws.slots(a, b);
        if slots.are_empty() {
            return law;
        }
        Composed::new(law, slots).map_or(law, AnyLaw::Composed)
    }

    /// Whether a law has slots.
    pub fn has_slots(&self) -> bool {
        self.laws.composed()
    }

    pub(super) fn timing(&self) -> Timing {
        let before = if self.options.integrator == IntegratorName::Euler {
            0.0
        } else {
            0.5
        };
        let lengths = || {
            std::array::from_fn(|k| {
                self.periodic
                    .get(k)
                    .copied()
                    .flatten()
                    .map_or(0.0, |p| p.length)
            })
        };
        Timing {
            step: self.options.step,
            before,
            after: 1.0 - before,
            slip_tolerance: self.options.slip_tolerance,
            partial: before > 0.0,
            periodic: self.periodic.iter().any(Option::is_some).then(lengths),
            moving: self.state.cell.as_ref().map(|cell| Moving {
                offset: cell.edges.offset,
                rates: cell.rates.lengths,
                offset_rate: cell.rates.offset,
            }),
        }
    }

    /// Forces at the rows' positions, with all that follows from links that open or close; after a stride, where one is given.
    /// `trial` evaluates without events and bookkeeping (the second stage of `heun`), at `time`.
    fn evaluate(&mut self, time: f64, trial: bool, mut stride: Option<Stride>) -> Passed {
        let timing = self.timing();
        let level = self.level;
        let mut friction = 0.0;
        let (mut damper_at_walls, mut wall_power) = (0.0, 0.0);
        self.link_events.clear();
        let arcs = self.know_arcs();
        if let Some(sums) = &mut self.cell_sums {
            **sums = CellSums::default();
        }
        for class in 0..self.state.pairs.len() {
            let [a, b] = self.state.pairs[class].materials;
            if self.state.pairs[class].lists.batches.is_empty() {
                continue;
            }
            let law = self.law(a, b);
            self.changed.clear();
            if !trial {
                self.keep_springs(class);
            }
            let pairs = Pairs { class, law, timing };
            friction += match stride.take() {
                Some(stride) => self.stride_and_pairs(stride, pairs, time),
                None if arcs => self.arc_pairs(class, law, timing, trial),
                None => self.pair_forces(pairs),
            };
            if !trial {
                self.note_pairs(class, time);
            }
        }
        for class in 0..self.state.walls.len() {
            if self.state.walls[class].lists.batches.is_empty() {
                continue;
            }
            if arcs && self.state.walls[class].flat.is_none() {
                self.find_wall_faces(class, time);
            }
            let wall = &self.state.walls[class];
            let boundary = &self.boundaries[usize::from(wall.boundary)];
            let law = self.law(wall.material, boundary.boundary.material);
            let pose = boundary.boundary.motion.pose(time);
            let reference = three(boundary.reference + pose.shift);
            let wall_spin = spin_of::<D>(pose.spin);
            if wall.flat.is_none() {
                let mut lanes = std::mem::take(&mut self.wall_lanes);
                let place = |slot: u32| self.motion(slot as usize).position;
                fill_lanes(place, wall, &pose, boundary, &mut lanes);
                if boundary.surfaces.are_many() && !trial {
                    self.pass_on(class, &lanes, time);
                }
                self.wall_lanes = lanes;
            }
            self.changed.clear();
            let index = usize::from(self.state.walls[class].boundary);
            if self.options.log_links && !trial {
                self.springs
                    .clone_from(&self.state.walls[class].lists.history);
            }
            let sums: WallSums = if arcs {
                self.arc_walls(class, law, timing, reference)
            } else {
                let WallClass { flat, lists, .. } = &mut self.state.walls[class];
                D::wall_forces(
                    level,
                    law,
                    &mut self.state.arrays,
                    lists,
                    &mut self.changed,
                    timing,
                    wall_geometry(flat.as_ref(), &self.wall_lanes),
                    reference,
                    wall_spin,
                )
            };
            friction += sums.friction;
            damper_at_walls += sums.damper_power;
            wall_power += sums.power;
            if !trial {
                let total = &mut self.state.wall_sums[index];
                let h = self.options.step;
                for k in 0..3 {
                    total[k] += h * sums.force[k];
                    total[3 + k] += h * sums.moment[k];
                }
                total[6] += h * sums.power;
                self.note_guided(index, sums.force);
                self.note_walls(class, time);
                self.note_wear(class, time);
            }
        }
        self.gather_parts();
        // The stride books the work of normal dampers and tangential forces as damping; here the
        // tangential share is moved to where it belongs. It is taken with the velocities foreseen,
        // the stride's with those that came about: the sum is exact, the split to second order.
        let h = self.options.step;
        Passed {
            friction,
            damping: h * damper_at_walls - friction,
            walls: h * wall_power,
        }
    }

    /// Notes the springs of a class for the log, if links are logged.
    pub(super) fn keep_springs(&mut self, class: usize) {
        if self.options.log_links {
            let lists = &self.state.pairs[class].lists;
            self.springs.clone_from(&lists.history);
        }
    }

    /// Forces at the present positions; books what they did. Call after each drift.
    pub fn forces(&mut self) {
        self.forces_after(None);
    }

    fn forces_after(&mut self, stride: Option<Stride>) {
        let time = self.time();
        self.clear_rim();
        self.clear_guided();
        let passed = self.evaluate(time, false, stride);
        self.gather_rim();
        self.book_still_walls(1.0);
        let flows = &mut self.state.flows;
        flows.friction += passed.friction;
        flows.damping += passed.damping;
        flows.walls += passed.walls;
        flows.last = [passed.friction, passed.damping, passed.walls];
        flows.last_fields = Default::default();
        if let Some(sums) = self.cell_sums.take() {
            self.settle_cell(&sums);
            self.cell_sums = Some(sums);
        }
    }

    /// Moves all stepped grains by one step.
    pub fn advance(&mut self) {
        self.move_all();
        self.count_way();
    }

    /// Moves all stepped grains by one step and works out the forces then, in one pass over the grains, where that can be: in large
    /// systems of balls, while lists are not about to be renewed. Gives whether it was done; what comes out has the bits of
    /// [`Engine::advance`] and [`Engine::forces`], unless grains are half as fast again as a step before and lists end on the way: then sums
    /// are in another order, and if the outer list ends by more than a twentieth of its margin, a contact may be seen a step late.
    pub fn advance_with_forces(&mut self) -> bool {
        let state = &self.state;
        let plain = state.bands.count() > 1
            && state.in_order
            && state.bodies.list.is_empty()
            && state.cell.is_none()
            && state.guided.is_empty()
            && state
                .pairs
                .iter()
                .any(|class| !class.lists.batches.is_empty())
            && !self.border.shared
            && self.options.integrator != IntegratorName::Heun;
        let way = 1.5 * self.way_of([state.fastest, 0.0]);
        let ends = |gone: f64, margin: f64| 2.0 * (gone + way) > margin;
        // What no filtering can mend is kept away from by far.
        let outer = 0.9 * self.options.outer_margin;
        if !plain
            || ends(state.inner_way, self.options.inner_margin)
            || ends(state.outer_way, outer)
        {
            return false;
        }
        self.count_step();
        let stride = self.plain_stride();
        self.forces_after(Some(stride));
        true
    }

    fn plain_stride(&self) -> Stride {
        Stride {
            step: self.options.step,
            gravity: three(self.gravity),
            euler: matches!(self.options.integrator, IntegratorName::Euler),
        }
    }

    fn count_step(&mut self) {
        let state = &mut self.state;
        state.n += 1;
        state.counts.steps += 1;
        state.counts.grain_steps += state.active.len() as u64;
    }

    /// Books what a stride did.
    pub(super) fn book_stride(&mut self, sums: StepSums) {
        self.state.flows.damping += sums.damper_work;
        self.state.fastest = sums.fastest;
        self.border.axes = sums.axes;
    }

    /// The motion of a step, without the way that lists are minded by.
    pub(super) fn move_all(&mut self) {
        let stride = self.plain_stride();
        self.keep_moments();
        let sums = if self.options.integrator == IntegratorName::Heun {
            super::heun::step(self, stride)
        } else {
            self.stride(stride)
        };
        self.book_stride(sums);
        if self.has_arcs() {
            // Ends of a grain may be faster than its middle.
            let most = sums.fastest.sqrt() + sums.rim.sqrt();
            self.state.fastest = most * most;
        }
        let work = self.turn_bodies();
        if D::N == 2 {
            self.put_all_parts();
        }
        self.drive_guided();
        self.state.flows.damping += work;
        self.count_step();
    }

    pub(super) fn count_way(&mut self) {
        let way = match self.move_cell() {
            Some(way) => way,
            None => self.way_of([self.state.fastest, self.wall_speed()]),
        };
        self.add_way(way);
    }

    /// The longest way in a step of a grain, whose speed squared (m^2/s^2) is at most the first, and of a wall, m/s, m.
    pub(super) fn way_of(&self, [fastest, wall]: [f64; 2]) -> f64 {
        self.options.step * (fastest.sqrt() + wall)
    }

    pub(super) fn add_way(&mut self, way: f64) {
        self.state.outer_way += way;
        self.state.inner_way += way;
    }

    /// Evaluates forces without events (for `heun`).
    pub(super) fn trial_forces(&mut self, time: f64) -> Passed {
        self.put_all_parts();
        self.evaluate(time, true, None)
    }

    /// Grains that just began to step get the velocity that the integrator carries. Done after each
    /// evaluation; to be called besides when grains begin to step between evaluations.
    pub fn start_fresh(&mut self) {
        let fresh = std::mem::take(&mut self.state.fresh);
        let h = self.options.step;
        // Both carry the velocity of half a step before the time of evaluation. The midpoint rule's
        // first evaluation lies half a step after the start, to which grains were brought by
        // gravity alone: contact forces act from the start on, so only gravity is taken back.
        let (back, contact) = match self.options.integrator {
            IntegratorName::Verlet => (0.5 * h, 0.5 * h),
            IntegratorName::Midpoint => (0.5 * h, 0.0),
            IntegratorName::Euler | IntegratorName::Heun => (0.0, 0.0),
        };
        let gravity = three(self.gravity);
        for &slot in &fresh {
            let slot = slot as usize;
            let arrays = &mut self.state.arrays;
            let (force, moment) = D::force(arrays, slot);
            let (m, i) = (arrays.inverse_mass(slot), arrays.inverse_inertia(slot));
            let velocity: [f64; 3] = three(arrays.velocity(slot));
            let spin = D::surface_spin(arrays, slot);
            // In the plane spins follow velocities after two columns, in space after four.
            let first = if D::N == 2 { 2 } else { 4 };
            for k in 0..D::N {
                let push = force[k] * m;
                arrays.state[slot].0[k] = velocity[k] - (contact * push + back * gravity[k]);
                D::set_previous(arrays, slot, k, push + gravity[k]);
            }
            for k in 0..D::SPINS {
                let a = moment[k] * i;
                arrays.state[slot].0[first + k] = spin[k] - contact * a;
                D::set_previous(arrays, slot, first + k, a);
            }
        }
        self.start_bodies(&fresh, contact);
        self.state.fresh = fresh;
        self.state.fresh.clear();
    }

    /// A bound of the speed of any moving wall near grains, m/s.
    pub(super) fn wall_speed(&self) -> f64 {
        let mut bound = 0.0f64;
        for (wall, &gone) in self.boundaries.iter().zip(&self.state.gone) {
            if wall.fixed || gone {
                continue;
            }
            let pose = wall.boundary.motion.pose(self.time());
            let mut speed = match &wall.boundary.motion {
                Motion::Guided(guided) => guided.now.speed.abs().max(guided.now.carried.abs()),
                _ => pose.velocity.norm(),
            };
            let spin = D::spin_dot(pose.spin, pose.spin).sqrt();
            if spin > 0.0 {
                let centre = pose.centre + pose.shift;
                let reach = self
                    .state
                    .active
                    .iter()
                    .map(|&s| (self.state.arrays.position(s as usize) - centre).norm())
                    .fold(0.0, f64::max);
                speed += spin * (reach + self.options.outer_margin);
            }
            bound = bound.max(speed);
        }
        bound
    }
}
