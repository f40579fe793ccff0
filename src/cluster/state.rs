//! Data structures of the engine: lists by class, walls, options, counts, energies, and the state
//! stored in a checkpoint.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::bands::BlockEnd;
use super::cell::CellState;
use super::changes::LinkChange;
use super::encounters::Encounter;
use super::guided::GuidedWall;
use super::integrate::Integrate;
use super::lists::Lists;
use super::skin_budget::SkinBudgets;
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
    /// Ends of the blocks.
    pub blocks: Vec<BlockEnd>,
    /// Inner batches.
    pub lists: Lists<D::History>,
}

/// Candidates of one surface and one side of it, or of all surfaces of a mesh, with grains of one material.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct WallClass<D: Integrate> {
    /// Boundary.
    pub boundary: u16,
    /// Primitive surface of the boundary or of an image; the first one for a whole mesh.
    pub surface: u32,
    /// Side of a two-sided flat surface on which the grains are.
    pub side: bool,
    /// Material of the grains.
    pub material: u16,
    /// Geometry of the surface for that side, if it is flat and fixed.
    pub flat: Option<Flat<D>>,
    /// Outer list, pairs of slot and surface.
    pub outer: Vec<[u32; 2]>,
    /// Inner batches, with surfaces as second bodies.
    pub lists: Lists<D::History>,
}

/// An event of a link in a step.
#[derive(Clone, Copy, Debug)]
pub struct LinkEvent {
    /// Kind of the event.
    pub kind: crate::event::EventKind,
    /// Time of the event, s.
    pub time: f64,
    /// Slot of the first body.
    pub a: u32,
    /// Slot of the second body, or the boundary.
    pub b: Other,
    /// Kinetic energy of approach for an insert-link, J.
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

/// Counts of the work done and of link events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Number of grains times steps.
    pub grain_steps: u64,
    /// Number of steps.
    pub steps: u64,
    /// Links formed.
    pub opened: u64,
    /// Links ended.
    pub closed: u64,
    /// Links that began to slide.
    pub slipped: u64,
    /// Links that stopped sliding.
    pub gripped: u64,
    /// Links that came to rest.
    pub stabilized: u64,
    /// Bonds that broke in tension.
    pub torn: u64,
    /// Bonds that broke in shear.
    pub sheared: u64,
    /// Renewals of the outer list.
    pub renewals: u64,
    /// Filterings of the outer list.
    pub filterings: u64,
}

/// Energies exchanged, J.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Flows {
    /// Dissipated in normal dampers and drag.
    pub damping: f64,
    /// Removed from the motion by tangential forces: by sliding, tangential dampers and springs.
    pub friction: f64,
    /// Dissipated in collisions in flight.
    pub collision: f64,
    /// Released by bonds that broke.
    pub breakage: f64,
    /// Kinetic energy of approach of contacts that began.
    pub met: f64,
    /// Supplied by moving walls, by the edges of a periodic cell, and by the transfer of grains
    /// across a periodic border along gravity.
    pub walls: f64,
    /// Work of tangential forces, damping and wall work in the last evaluation; half of it is
    /// beyond the time of evaluation.
    pub last: [f64; 3],
    /// Supplied by position-dependent fields.
    pub fields: super::driven::FieldFlows,
    /// Contribution of the last evaluation to it.
    pub last_fields: super::driven::FieldFlows,
}

/// Energies of an evaluation, J.
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
    /// Steps between two checks whether links are at rest.
    pub look_every: u64,
    /// Number of consecutive checks at rest that make a link stable.
    pub looks: u8,
    /// Whether link events are recorded for the log.
    pub log_links: bool,
    /// Size of the cells of the maps of walls, m; none for no maps.
    pub wear: Option<f64>,
}

/// Bounds of the displacements of grains and walls since lists were built.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Skin {
    /// Upper bound of the displacement of any stepped grain or wall since the outer list was built, m.
    pub max_outer_displacement: f64,
    /// The same since the inner list was built, plus the amount by which its margin fell short of the greatest one.
    pub max_inner_displacement: f64,
    /// Displacement that each slot may make before the inner list is filtered.
    pub skin_budgets: SkinBudgets,
    /// Square of the greatest speed in the last step, m^2/s^2.
    pub fastest: f64,
    /// Number of searches, at each of which the displacements since the outer list was built begin anew.
    pub searches: u64,
    /// Number of candidates that entered the inner lists without being filtered, and the sum of this number over the steps since.
    pub(super) unfiltered: u64,
    pub(super) processed: u64,
    /// Number of blocks that pairs which entered lists in bands began, and the sum of this number over the steps since.
    pub(super) added_blocks: u64,
    pub(super) crossed_blocks: u64,
}

impl Skin {
    /// State that determines when lists are renewed: displacements since the outer and the inner
    /// ones were built, m, and the used fraction of the skin_budgets.
    pub(super) fn ways(&self) -> [f64; 3] {
        [
            self.max_outer_displacement,
            self.max_inner_displacement,
            self.skin_budgets.share(),
        ]
    }

    /// Restores that state.
    pub(super) fn set_ways(&mut self, [outer, inner, share]: [f64; 3]) {
        (self.max_outer_displacement, self.max_inner_displacement) = (outer, inner);
        self.skin_budgets.set_share(share);
    }
}

/// Counts, energies and sums over walls.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Book {
    /// Counts.
    pub counts: Counts,
    /// Energies.
    pub flows: Flows,
    /// Impulse and angular impulse of each boundary on grains since the last tick, and its work.
    pub wall_sums: Vec<[f64; 7]>,
    /// Wear of each boundary's surface, by cell.
    pub wear: Vec<WearMap>,
}

/// Results of the last evaluation or displacement, on request.
#[derive(Debug)]
pub struct Effects<D: Integrate> {
    /// Events of links, if they are recorded.
    pub link_events: Vec<LinkEvent>,
    /// Contacts of grains at rest with stepped ones that began or ended in the last evaluation.
    pub(super) encounters: Vec<Encounter>,
    /// Effects of the last displacement of grains at rest on links, one by one.
    pub(super) changes: Vec<LinkChange<D>>,
    /// Whether positions have moved on since the last evaluation.
    pub evaluation_is_due: bool,
}

impl<D: Integrate> Default for Effects<D> {
    fn default() -> Self {
        Self {
            link_events: Vec::new(),
            encounters: Vec::new(),
            changes: Vec::new(),
            evaluation_is_due: false,
        }
    }
}

/// State of the engine as stored in a checkpoint.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct DemState<'a, D: Integrate> {
    /// Number of the step.
    pub(super) n: i64,
    pub(super) grains: Cow<'a, Grains<D>>,
    pub(super) contacts: Cow<'a, Contacts<D>>,
    pub(super) still: Cow<'a, Still>,
    /// Removed boundaries.
    pub(super) gone: Cow<'a, [bool]>,
    pub(super) guided: Cow<'a, [GuidedWall]>,
    pub(super) cell: Option<CellState>,
    pub(super) skin: Cow<'a, Skin>,
    pub(super) book: Cow<'a, Book>,
    pub(super) clusters: Cow<'a, ClusterIndex>,
}

impl<D: Integrate> DemState<'_, D> {
    /// The same state as an owned copy.
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

    /// Number of walls.
    pub(crate) fn walls(&self) -> usize {
        self.gone.len()
    }

    /// Whether lists by slot match the number of slots, lists by batch the number of batches, and
    /// all slots referred to exist: an invalid file need not satisfy this.
    pub(crate) fn is_whole(&self) -> bool {
        let slots = self.grains.arrays.slots();
        let there = |slot: &u32| (*slot as usize) < slots;
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
            && self.skin.skin_budgets.fit(slots)
            && self.grains.since.len() == slots
            && (self.grains.pulls.is_empty() || self.grains.pulls.len() == slots)
            && named.into_iter().flatten().all(there)
            && lists
            && walls
            && self.contacts.bands.is_whole(slots)
            && self.contacts.bonds.is_whole(slots)
            && (!self.grains.in_order || self.grains.active.is_sorted())
            && self.clusters.is_whole(slots)
            && self.grains.bodies.is_whole(slots)
            && self.grains.rigid.is_whole(slots)
    }
}

impl<D: Integrate> Contacts<D> {
    /// Replaces the contacts by those of a state; the slots that walls may push have to be found again.
    pub(super) fn take(&mut self, others: Self) {
        let wall_slots = std::mem::take(&mut self.wall_slots);
        *self = Self {
            wall_slots,
            ..others
        };
    }

    /// Whether the blocks of a class cover its lists, each only with bodies of its bands.
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
        self.max_outer_displacement += way;
        self.max_inner_displacement += way;
    }
}

impl<D: Integrate> Effects<D> {
    /// Returns and clears the effects of the last kept displacement on links between grains at rest.
    pub fn take_changes(&mut self) -> Vec<LinkChange<D>> {
        std::mem::take(&mut self.changes)
    }

    /// Returns and clears the contacts of stepped grains that began, or ended with a grain at rest, in the last evaluation.
    pub fn take_encounters(&mut self) -> Vec<Encounter> {
        std::mem::take(&mut self.encounters)
    }
}
