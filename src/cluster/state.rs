//! What the engine is made of: lists by class, walls, options, counts, energies, and the state that a
//! checkpoint holds.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::bands::BlockEnd;
use super::cell::CellState;
use super::changes::LinkChange;
use super::encounters::Encounter;
use super::guided::GuidedWall;
use super::integrate::Integrate;
use super::leeway::Leeways;
use super::lists::Lists;
use super::still::Still;
use super::wear::WearMap;
use super::world::{Contacts, Grains};
use crate::geometry::surface::Flat;
use crate::hgraph::ClusterIndex;

/// Candidates of one pair of materials.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct PairClass<D: Integrate> {
    /// Materials.
    pub materials: [u16; 2],
    /// Outer list, pairs of slots, block by block.
    pub outer: Vec<[u32; 2]>,
    /// Where blocks end.
    pub blocks: Vec<BlockEnd>,
    /// Inner batches.
    pub lists: Lists<D::History>,
}

/// Candidates of one surface, seen from one side, or of all surfaces of a mesh, with grains of one material.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct WallClass<D: Integrate> {
    /// Boundary.
    pub boundary: u16,
    /// Primitive surface of it or of an image; the first where all of a mesh are here.
    pub surface: u32,
    /// Side from which a two-sided flat surface is seen.
    pub side: bool,
    /// Material of the grains.
    pub material: u16,
    /// Its form as seen from that side, when it is flat and stands still.
    pub flat: Option<Flat<D>>,
    /// Outer list, slots and surfaces.
    pub outer: Vec<[u32; 2]>,
    /// Inner batches, with the surfaces for second bodies.
    pub lists: Lists<D::History>,
}

/// What happened to a link in a step.
#[derive(Clone, Copy, Debug)]
pub struct LinkEvent {
    /// What.
    pub kind: crate::event::EventKind,
    /// When, s.
    pub time: f64,
    /// Slot of the first body.
    pub a: u32,
    /// Slot of the second body, or the boundary.
    pub b: Other,
    /// Kinetic energy of approach of an insert-link, J.
    pub energy: f64,
}

/// The second body of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Other {
    /// A grain's slot.
    Slot(u32),
    /// A boundary.
    Boundary(u16),
}

/// Counts of what was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Grains times steps.
    pub grain_steps: u64,
    /// Steps.
    pub steps: u64,
    /// Links opened, closed, slipped, gripped, stabilised.
    pub opened: u64,
    /// Links closed.
    pub closed: u64,
    /// Links that began to slide.
    pub slipped: u64,
    /// Links that stopped sliding.
    pub gripped: u64,
    /// Links that came to rest.
    pub stabilized: u64,
    /// Renewals of the outer list.
    pub renewals: u64,
    /// Filterings of the outer list.
    pub filterings: u64,
}

/// Energies that passed, J.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Flows {
    /// Lost in normal dampers and drag.
    pub damping: f64,
    /// What tangential forces took out of motion: into sliding, tangential dampers and springs.
    pub friction: f64,
    /// Lost in collisions in flight.
    pub collision: f64,
    /// Kinetic energy of approach of those that came into touch.
    pub met: f64,
    /// Given by moving walls, by the edges of a periodic cell, and by lifting grains across a periodic seam along
    /// gravity.
    pub walls: f64,
    /// The last evaluation's work of tangential forces, damping booked with it and wall work;
    /// half of it lies beyond the time of evaluation.
    pub last: [f64; 3],
    /// Given by fields of a place.
    pub fields: super::driven::FieldFlows,
    /// The last evaluation's share of it.
    pub last_fields: super::driven::FieldFlows,
}

/// Energies that an evaluation books, J.
#[derive(Debug, Default)]
pub(super) struct Passed {
    pub friction: f64,
    pub damping: f64,
    pub walls: f64,
}

/// Fixed parameters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DemOptions {
    /// Relative tolerance of slip and grip.
    pub slip_tolerance: f64,
    /// Margin of the outer list, m.
    pub outer_margin: f64,
    /// Greatest margin of the inner list, m.
    pub inner_margin: f64,
    /// A link is at rest under this relative speed, m/s.
    pub stable_speed: f64,
    /// Steps between two looks at whether links rest.
    pub look_every: u64,
    /// Looks at rest in a row that make a link stable.
    pub looks: u8,
    /// Whether each link event is kept for the log.
    pub log_links: bool,
    /// Size of the cells of the maps of walls, m; none: no maps.
    pub wear: Option<f64>,
}

/// How far grains and walls went since lists were made.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Skin {
    /// Bound of the way that any stepped grain or wall went since the outer list was made, m.
    pub outer_way: f64,
    /// Since the inner list was made, and what it lacked of the greatest margin then.
    pub inner_way: f64,
    /// What each slot may go before the inner list is filtered.
    pub leeways: Leeways,
    /// Square of the greatest speed in the last step, m^2/s^2.
    pub fastest: f64,
}

impl Skin {
    /// What lists are minded by: ways since the outer and the inner ones were made, m, and the share of the leeways.
    pub(super) fn ways(&self) -> [f64; 3] {
        [self.outer_way, self.inner_way, self.leeways.share()]
    }

    /// Sets that.
    pub(super) fn set_ways(&mut self, [outer, inner, share]: [f64; 3]) {
        (self.outer_way, self.inner_way) = (outer, inner);
        self.leeways.set_share(share);
    }
}

/// What was done and what passed.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Book {
    /// Counts.
    pub counts: Counts,
    /// Energies.
    pub flows: Flows,
    /// Impulse and moment of impulse on grains by each boundary since the last tick, and work done.
    pub wall_sums: Vec<[f64; 7]>,
    /// What was done to each boundary's surface, by place.
    pub wear: Vec<WearMap>,
}

/// What came about in the last evaluation or displacement, for who asks for it.
#[derive(Debug)]
pub struct Effects<D: Integrate> {
    /// Events of links, when they are kept.
    pub link_events: Vec<LinkEvent>,
    /// Contacts of grains that stand still with stepped ones that began or ended in the last evaluation.
    pub(super) encounters: Vec<Encounter>,
    /// What the last displacement of grains that stand still did to links, one by one.
    pub(super) changes: Vec<LinkChange<D>>,
}

impl<D: Integrate> Default for Effects<D> {
    fn default() -> Self {
        Self {
            link_events: Vec::new(),
            encounters: Vec::new(),
            changes: Vec::new(),
        }
    }
}

/// The state of the engine that a checkpoint holds.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct DemState<'a, D: Integrate> {
    /// Number of the step.
    pub(super) n: i64,
    pub(super) grains: Cow<'a, Grains<D>>,
    pub(super) contacts: Cow<'a, Contacts<D>>,
    pub(super) still: Cow<'a, Still>,
    /// Boundaries taken away.
    pub(super) gone: Cow<'a, [bool]>,
    pub(super) guided: Cow<'a, [GuidedWall]>,
    pub(super) cell: Option<CellState>,
    pub(super) skin: Cow<'a, Skin>,
    pub(super) book: Cow<'a, Book>,
    pub(super) clusters: Cow<'a, ClusterIndex>,
}

impl<D: Integrate> DemState<'_, D> {
    /// The same by itself.
    pub fn into_owned(self) -> DemState<'static, D> {
        DemState {
            n: self.n,
            grains: Cow::Owned(self.grains.into_owned()),
            contacts: Cow::Owned(self.contacts.into_owned()),
            still: Cow::Owned(self.still.into_owned()),
            gone: Cow::Owned(self.gone.into_owned()),
            guided: Cow::Owned(self.guided.into_owned()),
            cell: self.cell,
            skin: Cow::Owned(self.skin.into_owned()),
            book: Cow::Owned(self.book.into_owned()),
            clusters: Cow::Owned(self.clusters.into_owned()),
        }
    }

    /// How many walls there are.
    pub(crate) fn walls(&self) -> usize {
        self.gone.len()
    }

    /// Whether lists by slot are as long as there are slots, lists by batch as there are batches, and all slots named are there:
    /// what a state that somebody made up need not be.
    pub(crate) fn is_whole(&self) -> bool {
        let slots = self.grains.arrays.slots();
        let there = |slot: &u32| (*slot as usize) < slots;
        let by_slot = [self.grains.since.len(), self.grains.back.len()];
        let named = [&self.grains.active, &self.grains.fresh];
        let lists = self.contacts.pairs.iter().all(|class| {
            let seconds = class.lists.batches.iter().flat_map(|batch| &batch.b);
            let outer = class.outer.iter().flatten();
            class.lists.is_whole(there)
                && seconds.chain(outer).all(there)
                && self.contacts.fits(class)
        });
        let walls = self.contacts.walls.iter().all(|class| {
            class.lists.is_whole(there) && class.outer.iter().all(|[slot, _]| there(slot))
        });
        self.grains.arrays.is_whole()
            && self.skin.leeways.fit(slots)
            && by_slot.iter().all(|length| *length == slots)
            && named.into_iter().flatten().all(there)
            && lists
            && walls
            && self.contacts.bands.is_whole(slots)
            && (!self.grains.in_order || self.grains.active.is_sorted())
            && self.clusters.is_whole(slots)
            && self.grains.bodies.is_whole(slots)
    }
}

impl<D: Integrate> Contacts<D> {
    /// Takes those of a state; slots that walls may push are found anew.
    pub(super) fn take(&mut self, others: Self) {
        let wall_slots = std::mem::take(&mut self.wall_slots);
        *self = Self {
            wall_slots,
            ..others
        };
    }

    /// Whether the blocks of a class cover its lists, each with bodies of its bands only.
    fn fits(&self, class: &PairClass<D>) -> bool {
        let mut start = [0, 0];
        for end in &class.blocks {
            let [a, b] = end.bands.map(usize::from);
            let ends = [end.outer, end.batches];
            let within = |slot: u32, band: usize| slot == 0 || self.bands.of(slot) == band;
            let batches = class
                .lists
                .batches
                .get(start[1] as usize..end.batches as usize);
            let fits = batches.is_some_and(|batches| {
                batches.iter().all(|batch| {
                    batch.a.iter().all(|&slot| within(slot, a))
                        && batch.b.iter().all(|&slot| within(slot, b))
                })
            });
            if a.max(b) >= self.bands.count() || ends[0] < start[0] || !fits {
                return false;
            }
            start = ends;
        }
        start.map(|end| end as usize) == [class.outer.len(), class.lists.batches.len()]
    }
}

impl Skin {
    pub(in crate::cluster) fn add_way(&mut self, way: f64) {
        self.outer_way += way;
        self.inner_way += way;
    }
}

impl<D: Integrate> Effects<D> {
    /// What the last displacement that was kept did to links between grains that stand still. Told once.
    pub fn take_changes(&mut self) -> Vec<LinkChange<D>> {
        std::mem::take(&mut self.changes)
    }

    /// Contacts of stepped grains that began, or ended with one that stands still, in the last evaluation. Told once.
    pub fn take_encounters(&mut self) -> Vec<Encounter> {
        std::mem::take(&mut self.encounters)
    }
}
