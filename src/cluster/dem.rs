//! The engine: all clusters of a system, advanced on one grid of steps.
//!
//! Each cluster is a system of equations of its own (thesis 5.6); those with the same step are
//! evaluated together in the same batches, which does not affect their motion and makes the
//! formation or end of a link as cheap as a flag. [`ClusterIndex`] stores separately which grains
//! form which cluster. A step does not process grains in flight.

use super::arrays::Status;
use super::bands::Bands;
use super::blocks::Lent;
use super::bodies;
use super::bonds::Bonds;
use super::border::Border;
use super::filtering::Notes;
use super::integrate::Integrate;
use super::kernel::{Change, WallLanes};
use super::lists::Lists;
use super::rigid;
use super::shift::Pending;
use super::standing_cells::StandingCells;
use super::state::{Book, DemOptions, DemState, Effects, PairClass, Skin};
use super::still::Still;
use super::team::Team;
use super::wear::WearMap;
use super::world::{Cell, Clock, Contacts, Grains, Physics, Shapes, Sleeping, Walls, Woken, World};
use crate::body::Grain;
use crate::contact::{LawTable, LinkLaw};
use crate::geometry::{Dimension, Vector};
use crate::hgraph::ClusterIndex;
use crate::neighbor::BroadPhase;
use crate::neighbor::PeriodicAxis;
use crate::vector::Level;
use crate::walls::Wall;
use std::borrow::Cow;

/// All clusters of a system.
pub struct Dem<D: Integrate> {
    /// Grains, contacts, walls and physics.
    pub world: World<D>,
    /// Bounds of displacements since lists were built.
    pub skin: Skin,
    /// Counts and energy balance.
    pub book: Book,
    /// Index of connected groups of grains.
    pub clusters: ClusterIndex,
    /// Results of the last evaluation or displacement.
    pub effects: Effects<D>,
    pub(super) search: Search<D>,
    pub(super) work: Work<D>,
    /// Grains of other ranks.
    pub border: Border,
}

/// Data for building lists.
pub(super) struct Search<D: Integrate> {
    pub broad: Box<dyn BroadPhase<D>>,
    pub pair_buffer: Vec<(u32, u32)>,
    pub spare: Lists<D::History>,
    pub notes: Notes,
}

/// Threads and buffers for the work of a step.
pub(super) struct Work<D: Integrate> {
    /// Threads that share the work.
    pub team: Team,
    /// Force buffers of bands for passes whose forces are not needed afterwards.
    pub lent: Vec<Lent>,
    pub wall_lanes: Vec<WallLanes>,
    /// Springs of a class before the evaluation, if its links are logged.
    pub springs: Vec<D::History>,
    pub changed: Vec<Change>,
}

impl<D: Integrate> std::fmt::Debug for Dem<D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Dem")
            .field("n", &self.world.clock.n)
            .field("slots", &self.world.grains.arrays.slots())
            .finish()
    }
}

/// A vector of either dimension in three columns.
pub(super) fn three<V: Vector>(v: V) -> [f64; 3] {
    std::array::from_fn(|k| if k < V::LEN { v[k] } else { 0.0 })
}

/// A spin in three columns; in the plane only the first.
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

/// Laws in the form that kernels use, by both materials.
pub(super) type KnownLaws = Vec<Vec<Option<LinkLaw>>>;

fn known(laws: &LawTable) -> KnownLaws {
    let materials = || 0..laws.materials as u16;
    let of = |a: u16, b: u16| Some(LinkLaw::new(*laws.get(a, b)?, laws.terms(a, b)));
    let row = |a| materials().map(|b| of(a, b)).collect();
    materials().map(row).collect()
}

/// Law of a pair of materials; set-up guarantees that it exists.
pub(super) fn law_of(known: &KnownLaws, a: u16, b: u16) -> &LinkLaw {
    let law = known[usize::from(a)][usize::from(b)].as_ref();
    law.expect("checked at set-up")
}

impl<D: Integrate> Dem<D> {
    /// An engine without grains.
    pub fn new(
        clock: Clock,
        options: DemOptions,
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
        let world = World {
            clock,
            physics: Physics {
                options,
                gravity,
                spin_turning: [0.0; 3],
                laws,
                known_laws,
                class_of,
                periodic,
                level: Level::best(),
            },
            shapes: Shapes::default(),
            walls: Walls {
                gone: vec![false; boundaries.len()],
                boundaries,
                guided: Vec::new(),
            },
            grains: Grains::default(),
            contacts: Contacts {
                pairs,
                walls: Vec::new(),
                bonds: Bonds::default(),
                bands: Bands::default(),
                wall_slots: Vec::new(),
            },
            sleeping: Sleeping {
                still: Still::default(),
                cells: StandingCells::default(),
                waking,
                waking_walls: Vec::new(),
                woken: Woken::default(),
                pending: Pending::default(),
            },
            cell: Cell::default(),
        };
        Dem {
            world,
            skin: Skin::default(),
            book: Book {
                wall_sums: vec![[0.0; 7]; walls],
                wear: vec![WearMap::new(); walls],
                ..Book::default()
            },
            clusters,
            effects: Effects::default(),
            search: Search {
                broad,
                pair_buffer: Vec::new(),
                spare: Lists::default(),
                notes: Notes::default(),
            },
            work: Work {
                team: Team::new(1),
                lent: Vec::new(),
                wall_lanes: Vec::new(),
                springs: Vec::new(),
                changed: Vec::new(),
            },
            border: Border::default(),
        }
    }

    /// Sets how many threads of the caller's pool share the work of a step in large systems;
    /// results do not depend on it.
    pub fn set_threads(&mut self, threads: usize) {
        self.work.team = Team::new(threads);
    }

    /// Content of a checkpoint, borrowed.
    pub fn state(&self) -> DemState<'_, D> {
        let world = &self.world;
        DemState {
            n: world.clock.n,
            grains: Cow::Borrowed(&world.grains),
            contacts: Cow::Borrowed(&world.contacts),
            still: Cow::Borrowed(&world.sleeping.still),
            gone: Cow::Borrowed(&world.walls.gone),
            guided: Cow::Borrowed(&world.walls.guided),
            cell: world.cell.state,
            skin: Cow::Borrowed(&self.skin),
            book: Cow::Borrowed(&self.book),
            clusters: Cow::Borrowed(&self.clusters),
        }
    }

    /// Restores a state; derived data that is not stored stays unchanged.
    pub fn set_state(&mut self, state: DemState<'_, D>) {
        let world = &mut self.world;
        world.clock.n = state.n;
        world.grains = state.grains.into_owned();
        world.contacts.take(state.contacts.into_owned());
        world.sleeping.still = state.still.into_owned();
        world.walls.gone = state.gone.into_owned();
        world.walls.guided = state.guided.into_owned();
        world.cell.state = state.cell;
        self.skin = state.skin.into_owned();
        self.book = state.book.into_owned();
        self.clusters = state.clusters.into_owned();
        let world = &mut self.world;
        world.grains.rigid.find_homes();
        rigid::find_exposed(&world.contacts, &mut world.grains.rigid);
    }
}

/// Adds a grain that is stepped or in flight from `time` on. The lists must be renewed before the next step.
pub fn add<D: Integrate>(
    shapes: &Shapes<D>,
    grains: &mut Grains<D>,
    clusters: &mut ClusterIndex,
    grain: &Grain<D>,
    status: Status,
    time: f64,
) -> u32 {
    let slot = grains.arrays.push(grain, status);
    grains.begin_path(time);
    clusters.add_grain(slot);
    if let Some(form) = grain.form {
        bodies::add_parts(shapes, grains, clusters, slot, grain, form, time);
    }
    if status == Status::Stepped {
        grains.active.push(slot);
        grains.in_order = false;
        grains.fresh.push(slot);
    }
    slot
}
