//! The engine: all clusters of a system, advanced on one grid of steps.
//!
//! Each cluster is a system of equations of its own (thesis 5.6); those that share a step are
//! evaluated side by side in the same batches, which changes nothing in their motion and lets a
//! link come or go for the price of a flag. Which grains form which cluster is kept beside, in
//! [`ClusterIndex`]. Grains in flight are not touched by a step.

use super::arrays::{Arrays, Status};
use super::bands::Bands;
use super::blocks::{Lent, Pairs};
use super::bodies::Bodies;
use super::border::Border;
use super::cell::{CellSetup, CellSums};
use super::changes::LinkChange;
use super::encounters::Encounter;
use super::facing_walls::{fill_lanes, wall_geometry};
use super::filtering::Notes;
use super::integrate::IntegratorName;
use super::integrate::{Integrate, StepSums, Stride};
use super::kernel::{Arcs, Change, Moving, Timing, WallLanes, WallSums};
use super::leeway::Leeways;
use super::lists::{Kept, Lists};
use super::shift::Pending;
use super::standing_cells::StandingCells;
use super::state::{
    Counts, EngineOptions, EngineState, Flows, LinkEvent, PairClass, Passed, WallClass,
};
use super::still::{Still, WallName};
use super::team::Team;
use super::tumble::TopTable;
use super::wear::WearMap;
use crate::body::{Form, Grain};
use crate::contact::{LawTable, LinkLaw};
use crate::geometry::{Dimension, Vector};
use crate::hgraph::ClusterIndex;
use crate::neighbor::BroadPhase;
use crate::neighbor::PeriodicAxis;
use crate::vector::Level;
use crate::walls::Wall;

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
    pub(super) known_laws: KnownLaws,
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
    /// Slots that walls may push, ascending; none where there are no bands.
    pub(super) wall_slots: Vec<u32>,
    /// Rows that bands are lent for their forces in a pass after which nobody needs these.
    pub(super) lent: Vec<Lent>,
    pub(super) wall_lanes: Vec<WallLanes>,
    pub(super) pair_buffer: Vec<(u32, u32)>,
    /// Grains that stand still, by place.
    pub(crate) cells: StandingCells,
    /// Links of grains that were woken, until the lists are renewed: by class of pairs, and of walls.
    pub(super) waking: Vec<Vec<Kept>>,
    pub(super) waking_walls: Vec<(WallName, Kept)>,
    /// What the last displacement of grains that stand still does to their links.
    pub(super) pending: Pending,
    /// What it did to links, one by one.
    pub(super) changes: Vec<LinkChange<D>>,
    /// Contacts of them with stepped grains that began or ended in the last evaluation.
    pub(super) encounters: Vec<Encounter>,
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

/// Laws as kernels want them, by both materials.
pub(super) type KnownLaws = Vec<Vec<Option<LinkLaw>>>;

fn known(laws: &LawTable) -> KnownLaws {
    let materials = || 0..laws.materials as u16;
    let of = |a: u16, b: u16| Some(LinkLaw::new(*laws.get(a, b)?, laws.terms(a, b)));
    let row = |a| materials().map(|b| of(a, b)).collect();
    materials().map(row).collect()
}

/// Law of a pair of materials; set-up has made sure that it is there.
pub(super) fn law_of(known: &KnownLaws, a: u16, b: u16) -> &LinkLaw {
    let law = known[usize::from(a)][usize::from(b)].as_ref();
    law.expect("checked at set-up")
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
        let known_laws = known(&laws);
        let mut pairs = Vec::new();
        let mut class_of = vec![u16::MAX; laws.materials * laws.materials];
        for a in 0..laws.materials {
            for b in a..laws.materials {
                if let Some(law) = &known_laws[a][b] {
                    class_of[a * laws.materials + b] = pairs.len() as u16;
                    class_of[b * laws.materials + a] = pairs.len() as u16;
                    pairs.push(PairClass {
                        materials: [a as u16, b as u16],
                        outer: Vec::new(),
                        blocks: Vec::new(),
                        lists: Lists::of_law(law),
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
                leeways: Leeways::default(),
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
            known_laws,
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
            wall_slots: Vec::new(),
            lent: Vec::new(),
            wall_lanes: Vec::new(),
            pair_buffer: Vec::new(),
            cells: StandingCells::default(),
            waking,
            waking_walls: Vec::new(),
            pending: Pending::default(),
            changes: Vec::new(),
            encounters: Vec::new(),
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
    pub fn law(&self, a: u16, b: u16) -> &LinkLaw {
        law_of(&self.known_laws, a, b)
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
            centred: matches!(
                self.options.integrator,
                IntegratorName::Verlet | IntegratorName::Midpoint
            ) && !self.state.bodies.list.is_empty(),
            periodic: self.periodic.iter().any(Option::is_some).then(lengths),
            moving: self.state.cell.as_ref().map(|cell| Moving {
                offset: cell.edges.offset,
                rates: cell.rates.lengths,
                offset_rate: cell.rates.offset,
            }),
        }
    }

    /// Forces at the rows' positions, with all that follows from links that open or close; then the stride of all, where one is given,
    /// with its sums. `trial` evaluates without events and bookkeeping (the second stage of `heun`), at `time`.
    fn evaluate(&mut self, time: f64, trial: bool, stride: Option<Stride>) -> (Passed, StepSums) {
        self.link_events.clear();
        self.encounters.clear();
        let arcs = self.know_arcs();
        if let Some(sums) = &mut self.cell_sums {
            **sums = CellSums::default();
        }
        let mut passed = Passed::default();
        let mut sums = StepSums::default();
        if self.has_bands() && !arcs {
            // Who has been pushed by walls may go on as soon as pairs are done.
            self.evaluate_walls(time, trial, arcs, &mut passed);
            sums = self.evaluate_bands(time, trial, stride, &mut passed);
        } else {
            let timing = self.timing();
            for class in 0..self.state.pairs.len() {
                if self.state.pairs[class].lists.batches.is_empty() {
                    continue;
                }
                self.changed.clear();
                if self.options.log_links && !trial {
                    let lists = &self.state.pairs[class].lists;
                    self.springs.clone_from(&lists.history);
                }
                passed.friction += if arcs {
                    self.arc_pairs(class, timing, trial)
                } else {
                    self.pair_forces(class, timing)
                };
                if !trial {
                    self.note_pairs(class, time);
                }
            }
            self.evaluate_walls(time, trial, arcs, &mut passed);
        }
        self.gather_parts();
        // The stride books the work of normal dampers and tangential forces as damping; here the
        // tangential share is moved to where it belongs. It is taken with the velocities foreseen,
        // the stride's with those that came about: the sum is exact, the split to second order.
        passed.damping -= passed.friction;
        (passed, sums)
    }

    /// Classes of pairs that have any, where there are bands.
    fn pairs(&self) -> Vec<Pairs> {
        let timing = self.timing();
        let classes = self.state.pairs.iter().zip(0..);
        let filled = classes.filter(|(class, _)| !class.lists.batches.is_empty());
        let pairs = filled.map(|(of, class)| Pairs {
            class,
            law: *self.law(of.materials[0], of.materials[1]),
            timing,
        });
        pairs.collect()
    }

    /// Pairs, where there are bands, and the stride after them.
    fn evaluate_bands(
        &mut self,
        time: f64,
        trial: bool,
        stride: Option<Stride>,
        passed: &mut Passed,
    ) -> StepSums {
        let pairs = self.pairs();
        let mut springs = Vec::new();
        if self.options.log_links && !trial {
            let lists = |pairs: &Pairs| &self.state.pairs[pairs.class].lists;
            springs.extend(pairs.iter().map(|pairs| lists(pairs).history.clone()));
        }
        let mut springs = springs.into_iter();
        let (done, sums) = self.by_bands(&pairs, stride);
        for (pairs, done) in pairs.iter().zip(done) {
            passed.friction += done.work;
            self.changed = done.changed;
            self.springs = springs.next().unwrap_or_default();
            if !trial {
                self.note_pairs(pairs.class, time);
            }
        }
        sums
    }

    fn evaluate_walls(&mut self, time: f64, trial: bool, arcs: bool, passed: &mut Passed) {
        let timing = self.timing();
        let level = self.level;
        let (mut damper_at_walls, mut wall_power) = (0.0, 0.0);
        let mut at_bounds = Vec::new();
        for class in 0..self.state.walls.len() {
            if self.state.walls[class].lists.batches.is_empty() {
                continue;
            }
            if arcs && self.state.walls[class].flat.is_none() {
                self.find_wall_faces(class, time);
            }
            let wall = &self.state.walls[class];
            let boundary = &self.boundaries[usize::from(wall.boundary)];
            let materials = [wall.material, boundary.boundary.material];
            let pose = boundary.boundary.motion.pose(time);
            let image = if boundary.images.are_others() {
                // The same for all: they are in the box.
                let seen_from = wall.lists.batches[0].a.iter().find(|slot| **slot != 0);
                let seen_from = seen_from.map(|slot| self.motion(*slot as usize).position);
                seen_from.map_or_else(D::Vector::default, |x| {
                    boundary.shift(wall.surface, &pose, x)
                })
            } else {
                D::Vector::default()
            };
            let reference = three(boundary.reference + pose.shift + image);
            let wall_spin = spin_of::<D>(pose.spin);
            if wall.flat.is_none() {
                let mut lanes = std::mem::take(&mut self.wall_lanes);
                let place = |slot: u32| self.motion(slot as usize).position;
                let law = law_of(&self.known_laws, materials[0], materials[1]);
                let minds = law.needs_radius();
                let round = |slot: u32| minds.then(|| self.law_radius(slot as usize));
                fill_lanes(place, round, wall, &pose, boundary, &mut lanes);
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
                self.arc_walls(class, timing, reference)
            } else {
                let law = law_of(&self.known_laws, materials[0], materials[1]);
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
            passed.friction += sums.friction;
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
                if self.has_pieces(class) {
                    self.note_bounds(class, time, &mut at_bounds);
                }
            }
        }
        self.give_at_bounds(at_bounds);
        let h = self.options.step;
        passed.damping = h * damper_at_walls;
        passed.walls = h * wall_power;
    }

    /// Forces at the present positions; books what they did. Call after each drift.
    pub fn forces(&mut self) {
        self.forces_and_stride(None);
    }

    /// The same, and then the stride of all, where one is given; gives its sums.
    pub(super) fn forces_and_stride(&mut self, stride: Option<Stride>) -> StepSums {
        let time = self.time();
        self.clear_rim();
        self.clear_guided();
        let (passed, sums) = self.evaluate(time, false, stride);
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
        sums
    }

    /// Evaluates forces without events (for `heun`).
    pub(super) fn trial_forces(&mut self, time: f64) -> Passed {
        self.put_all_parts();
        self.evaluate(time, true, None).0
    }
}
