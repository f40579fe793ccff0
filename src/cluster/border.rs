//! Grains of other ranks: what an engine does that has a part of a system, and what goes from one to another.
//!
//! A rank steps the grains of its own domain. Of each grain of others that may come into touch with one of these it has a *ghost*: a row
//! that is brought up to date after each stride. A link across a border is worked out by both sides from the same
//! numbers, each with a history of its own, so that both have the same bits; what it does to a ghost is dropped.
//!
//! Slots have the same order on all ranks (by place, then by number). So the links of a grain are added up in one order,
//! whoever steps it, and however many ranks there are.

use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use super::arrays::Status;
use super::engine::Engine;
use super::integrate::Integrate;
use super::kernel::Change;
use super::lists::Kept;
use super::observe::LinkView;
use super::state::Other;
use super::still::{Push, WallName};
use crate::body::GrainId;
use crate::neighbor::{RowPlace, Rows};
use crate::vector::{LANES, Row};

/// What an engine knows of other ranks' grains.
#[derive(Clone, Debug, Default)]
pub(super) struct Border {
    /// Whether the system is shared by ranks.
    pub shared: bool,
    /// Whether grains stay where they are at a renewal, even if they have left a periodic box.
    pub in_place: bool,
    /// Slots of grains that other ranks step; ascending after a renewal.
    pub ghosts: Vec<u32>,
    /// Whether there are slots since the last renewal that were not there before.
    grown: bool,
    /// By slot: where it stands in the order of slots.
    places: Vec<RowPlace>,
    /// Parts of the bound of the square of the greatest speed in the last stride, m^2/s^2.
    pub axes: [f64; 2],
}

impl Border {
    pub fn renumber(&mut self, order: &[u32]) {
        if self.shared {
            self.places = order.iter().map(|&o| self.places[o as usize]).collect();
        }
    }
}

/// A grain on its way to another rank: to be stepped there, or as a ghost.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Traveller<D: Integrate> {
    /// Its number.
    pub id: GrainId,
    material: u16,
    still: bool,
    place: RowPlace,
    row: Row,
    state: Row,
    spin: Row,
    /// What only who steps it must know.
    inner: Option<Inner<D>>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
struct Inner<D: Integrate> {
    rotation: Option<D::Rotation>,
    force: Row,
    damper: Row,
    previous: Row,
    fresh: bool,
    calm: u16,
    held: Push,
    pushed: Push,
}

/// A link of two grains on its way.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Bond {
    class: usize,
    /// Numbers of the grains in place of slots.
    ends: [GrainId; 2],
    link: Kept,
    /// Whether both stand still.
    aside: bool,
}

/// A link of a grain with a wall on its way.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct WallBond {
    name: WallName,
    grain: GrainId,
    link: Kept,
    aside: bool,
}

/// Grains that move to another rank, with all their links.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Party<D: Integrate> {
    grains: Vec<Traveller<D>>,
    bonds: Vec<Bond>,
    walls: Vec<WallBond>,
}

impl<D: Integrate> Default for Party<D> {
    fn default() -> Self {
        Party {
            grains: Vec::new(),
            bonds: Vec::new(),
            walls: Vec::new(),
        }
    }
}

impl<D: Integrate> Party<D> {
    /// Numbers of the grains.
    pub fn ids(&self) -> impl Iterator<Item = GrainId> + '_ {
        self.grains.iter().map(|grain| grain.id)
    }
}

impl<D: Integrate> Engine<D> {
    /// The system is shared by ranks from now on.
    pub fn share(&mut self) {
        self.border.shared = true;
        let slots = self.state.arrays.slots();
        self.border.places.resize(slots, RowPlace::default());
    }

    /// Renewals to come change no place.
    pub fn keep_places(&mut self) {
        self.border.in_place = true;
    }

    /// The system is this rank's alone from now on.
    pub fn unshare(&mut self) {
        self.border = Border::default();
    }

    /// Whether a slot holds a grain of another rank.
    pub fn is_ghost(&self, slot: u32) -> bool {
        self.state.arrays.status[slot as usize].is_ghost()
    }

    /// The share of a link that is this rank's to count: one half across a border.
    pub fn share_of(&self, link: &LinkView<D>) -> f64 {
        match link.b {
            Other::Slot(b) if self.is_ghost(b) || self.is_ghost(link.a) => 0.5,
            _ => 1.0,
        }
    }

    /// What of a change of pairs this rank counts: across a border that of the first grain does.
    pub(super) fn counted(&self, mut change: Change, first: &[u32; LANES]) -> Change {
        if self.border.shared {
            let ghosts = first
                .iter()
                .enumerate()
                .filter(|(_, slot)| self.is_ghost(**slot));
            let others: u8 = ghosts.map(|(lane, _)| 1 << lane).sum();
            for flags in [&mut change.before, &mut change.after] {
                flags.touch &= !others;
                flags.slip &= !others;
            }
        }
        change
    }

    /// Those slots and the stepped ghosts, ascending.
    pub(super) fn with_ghosts(&self, mut slots: Vec<u32>) -> Vec<u32> {
        if !self.border.ghosts.is_empty() {
            slots.extend(&self.border.ghosts);
            slots.sort_unstable();
        }
        slots
    }

    /// Own slots, ascending.
    pub fn own(&self) -> impl Iterator<Item = u32> + '_ {
        let status = &self.state.arrays.status;
        (1..status.len() as u32).filter(|&slot| status[slot as usize].is_grain())
    }

    /// Moves all own stepped grains by one step. What the ranks must know together: parts of the square of the greatest speed, m^2/s^2,
    /// and a bound of the speed of walls, m/s; of each the greatest goes to [`Engine::moved`].
    pub fn move_own(&mut self) -> [f64; 3] {
        self.move_all();
        let [along, across] = self.border.axes;
        [along, across, self.wall_speed()]
    }

    /// What the greatest speeds of all ranks are, as [`Engine::move_own`] gives them: lists are minded by these.
    pub fn moved(&mut self, [along, across, wall]: [f64; 3]) {
        self.state.fastest = along + across;
        let way = self.way_of([along + across, wall]);
        self.add_way(way);
    }

    /// Numbers that the ghost of a grain needs after each stride.
    pub const MOTION: usize = if D::N == 2 { 5 } else { 9 };

    /// Appends the motion of some slots: position, m; velocity, m/s; radius times spin, m/s.
    pub fn put_motion(&self, slots: &[u32], out: &mut Vec<f64>) {
        let arrays = &self.state.arrays;
        for &slot in slots {
            let row = &arrays.rows[slot as usize].0;
            if D::N == 2 {
                out.extend([row[0], row[1], row[4], row[5], row[6]]);
            } else {
                out.extend(&row[..3]);
                out.extend(&row[4..7]);
                out.extend(&arrays.spins[slot as usize].0[..3]);
            }
        }
    }

    /// Takes the motion of some ghosts, as [`Engine::put_motion`] gave it, and forgets what links did to them.
    pub fn take_motion(&mut self, slots: &[u32], motion: &[f64]) {
        let arrays = &mut self.state.arrays;
        for (&slot, motion) in slots.iter().zip(motion.chunks_exact(Self::MOTION)) {
            let row = &mut arrays.rows[slot as usize].0;
            if D::N == 2 {
                row[..2].copy_from_slice(&motion[..2]);
                row[4..7].copy_from_slice(&motion[2..]);
            } else {
                row[..3].copy_from_slice(&motion[..3]);
                row[4..7].copy_from_slice(&motion[3..6]);
                arrays.spins[slot as usize].0[..3].copy_from_slice(&motion[6..]);
            }
            arrays.clear_force(slot as usize);
        }
    }

    /// Own slots get their places in the order of slots anew.
    pub fn put_places(&mut self, rows: &Rows) {
        for slot in 1..self.state.arrays.slots() {
            if self.state.arrays.status[slot].is_grain() {
                let x = self.state.arrays.position(slot);
                self.border.places[slot] = rows.place::<D>(x);
            }
        }
    }

    fn traveller(&self, slot: u32, fresh: Option<&FxHashSet<u32>>) -> Traveller<D> {
        let (arrays, s) = (&self.state.arrays, slot as usize);
        let row = |rows: &[Row]| rows.get(s).copied().unwrap_or_default();
        let still = &self.state.still;
        let push = |pushes: &[Push]| pushes.get(s).copied().unwrap_or_default();
        Traveller {
            id: arrays.id[s],
            material: arrays.material[s],
            still: arrays.status[s].stands(),
            place: self.border.places[s],
            row: arrays.rows[s],
            state: arrays.state[s],
            spin: row(&arrays.spins),
            inner: fresh.map(|fresh| Inner {
                rotation: arrays.rotation.get(s).copied(),
                force: arrays.forces[s],
                damper: row(&arrays.dampers),
                previous: row(&arrays.previous),
                fresh: fresh.contains(&slot),
                calm: still.calm.get(s).copied().unwrap_or_default(),
                held: push(&still.held),
                pushed: push(&still.pushed),
            }),
        }
    }

    /// What other ranks need to have some own slots as ghosts.
    pub fn images(&self, slots: &[u32]) -> Vec<Traveller<D>> {
        slots
            .iter()
            .map(|&slot| self.traveller(slot, None))
            .collect()
    }

    /// Own grains go to other ranks: slots, ascending, each with its rank, of `ranks`. Gives the party of each rank. What goes stays as a ghost
    /// until [`Engine::renew_shared`].
    pub fn send_off(&mut self, leavers: &[(u32, usize)], ranks: usize) -> Vec<Party<D>> {
        let mut parties: Vec<Party<D>> = (0..ranks).map(|_| Party::default()).collect();
        if leavers.is_empty() {
            return parties;
        }
        let fresh: FxHashSet<u32> = self.state.fresh.iter().copied().collect();
        let mut to = vec![None; self.state.arrays.slots()];
        for &(slot, rank) in leavers {
            to[slot as usize] = Some(rank);
            parties[rank]
                .grains
                .push(self.traveller(slot, Some(&fresh)));
        }
        let id = |slot: u32| self.state.arrays.id[slot as usize];
        let mut bond = |class: usize, link: &Kept, aside: bool| {
            let ranks = [to[link.a as usize], to[link.b as usize]];
            for (k, rank) in ranks.into_iter().enumerate() {
                if let Some(rank) = rank
                    && (k == 0 || ranks[0] != Some(rank))
                {
                    parties[rank].bonds.push(Bond {
                        class,
                        ends: [id(link.a), id(link.b)],
                        link: *link,
                        aside,
                    });
                }
            }
        };
        let mut links = Vec::new();
        for (class, pairs) in self.state.pairs.iter().enumerate() {
            links.clear();
            pairs.lists.kept(&mut links);
            links.extend(&self.waking[class]);
            links.iter().for_each(|link| bond(class, link, false));
        }
        for (class, link) in self.state.still.pairs.iter() {
            bond(class, link, true);
        }
        let mut at_walls: Vec<(WallName, Kept, bool)> = Vec::new();
        for class in &self.state.walls {
            links.clear();
            class.lists.kept(&mut links);
            let name = |link: &Kept| (class.boundary, link.b, class.side, class.material);
            at_walls.extend(links.iter().map(|link| (name(link), *link, false)));
        }
        let waking = self.waking_walls.iter();
        at_walls.extend(waking.map(|(name, link)| (*name, *link, false)));
        let aside = self.state.still.walls.iter();
        at_walls.extend(aside.map(|(name, link)| (*name, *link, true)));
        for (name, link, aside) in at_walls {
            if let Some(rank) = to[link.a as usize] {
                parties[rank].walls.push(WallBond {
                    name,
                    grain: id(link.a),
                    link,
                    aside,
                });
            }
        }
        let goes = |slot: u32| to[slot as usize].is_some();
        self.state.active.retain(|&slot| !goes(slot));
        self.state.fresh.retain(|&slot| !goes(slot));
        self.waking_walls.retain(|(_, link)| !goes(link.a));
        let walls = self.state.still.walls.len();
        self.state.still.walls.retain(|(_, link)| !goes(link.a));
        self.state.still.walls_changed |= self.state.still.walls.len() != walls;
        for &(slot, _) in leavers {
            let status = &mut self.state.arrays.status[slot as usize];
            *status = if *status == Status::Still {
                self.state.still.count -= 1;
                Status::StillGhost
            } else {
                Status::Ghost
            };
        }
        parties
    }

    /// Slots of ghosts by number.
    fn known_ghosts(&self) -> FxHashMap<GrainId, u32> {
        (1..self.state.arrays.slots() as u32)
            .filter(|&slot| self.is_ghost(slot))
            .map(|slot| (self.state.arrays.id[slot as usize], slot))
            .collect()
    }

    /// At a renewal of all, takes in the grains that are to be stepped here from now on; their links come with
    /// [`Engine::renew_shared`], once all ghosts are there.
    pub fn take_grains(&mut self, parties: &[Party<D>]) {
        if parties.iter().all(|party| party.grains.is_empty()) {
            return;
        }
        let mut known = self.known_ghosts();
        for grain in parties.iter().flat_map(|party| &party.grains) {
            self.take_in(grain, &mut known);
        }
    }

    /// Takes in the links of who came, and ghosts, in the order in which the ranks that step them keep them. Renews the lists and gives the slots of the
    /// ghosts of each rank, as they were given, and the new slot of each old one (of those that stayed where they were too).
    pub fn renew_shared(
        &mut self,
        parties: Vec<Party<D>>,
        images: &[Vec<Traveller<D>>],
    ) -> (Vec<Vec<u32>>, Vec<u32>) {
        let mut known = self.known_ghosts();
        let arrived = parties.iter().flat_map(Party::ids).collect();
        let mut stays = vec![false; self.state.arrays.slots()];
        let mut of_ranks: Vec<Vec<u32>> = Vec::with_capacity(images.len());
        for images in images {
            let slots = images.iter().map(|ghost| self.take_in(ghost, &mut known));
            of_ranks.push(slots.collect());
        }
        stays.resize(self.state.arrays.slots(), false);
        for &slot in of_ranks.iter().flatten() {
            stays[slot as usize] = true;
        }
        self.take_bonds(parties, &arrived);
        self.drop_resting(&stays);
        let arrays = &self.state.arrays;
        let here = |slot: &u32| arrays.status[*slot as usize].is_grain() || stays[*slot as usize];
        let mut order: Vec<u32> = (1..arrays.slots() as u32).filter(here).collect();
        order.sort_unstable_by_key(|&slot| {
            (self.border.places[slot as usize], arrays.id[slot as usize])
        });
        order.insert(0, 0);
        self.border.ghosts = (1..arrays.slots() as u32)
            .filter(|&slot| arrays.status[slot as usize] == Status::Ghost)
            .filter(|&slot| stays[slot as usize])
            .collect();
        let grown = std::mem::take(&mut self.border.grown);
        let as_it_is = !grown && order.len() == arrays.slots() && order.is_sorted();
        let new_slot = if as_it_is {
            self.renew_in_place();
            order
        } else {
            self.renew_in_order(order)
        };
        self.border.ghosts.sort_unstable();
        for slot in of_ranks.iter_mut().flatten() {
            *slot = new_slot[*slot as usize];
        }
        (of_ranks, new_slot)
    }

    /// Puts a grain into the slot of its ghost, or into a new one.
    fn take_in(&mut self, grain: &Traveller<D>, known: &mut FxHashMap<GrainId, u32>) -> u32 {
        let slot = *known.entry(grain.id).or_insert_with(|| {
            self.state.arrays.push_empty();
            let slot = self.state.arrays.slots() as u32 - 1;
            let time = self.time_of(self.state.n);
            self.state.since.push(time);
            self.state.back.push(time);
            self.state.clusters.add_grain(slot);
            self.border.places.push(RowPlace::default());
            self.border.grown = true;
            slot
        });
        let s = slot as usize;
        self.border.places[s] = grain.place;
        let arrays = &mut self.state.arrays;
        arrays.id[s] = grain.id;
        arrays.material[s] = grain.material;
        arrays.rows[s] = grain.row;
        arrays.state[s] = grain.state;
        if let Some(spin) = arrays.spins.get_mut(s) {
            *spin = grain.spin;
        }
        arrays.clear_force(s);
        let Some(inner) = &grain.inner else {
            arrays.status[s] = match grain.still {
                true => Status::StillGhost,
                false => Status::Ghost,
            };
            return slot;
        };
        arrays.forces[s] = inner.force;
        if let Some(rotation) = inner.rotation {
            arrays.rotation[s] = rotation;
            arrays.dampers[s] = inner.damper;
            arrays.previous[s] = inner.previous;
        }
        let still = &mut self.state.still;
        if grain.still || !still.held.is_empty() {
            still.make_room(arrays.slots());
            still.held[s] = inner.held;
            still.pushed[s] = inner.pushed;
            still.calm[s] = inner.calm;
        }
        if grain.still {
            arrays.status[s] = Status::Still;
            still.count += 1;
            // It may have been pushed: the renewal to come finds out whether it still is.
            still.rim.push(slot);
        } else {
            arrays.status[s] = Status::Stepped;
            self.state.active.push(slot);
            self.state.in_order = false;
            if inner.fresh {
                self.state.fresh.push(slot);
            }
        }
        slot
    }

    /// Takes in the links of who came. Those with grains that were here before have long been known.
    fn take_bonds(&mut self, parties: Vec<Party<D>>, arrived: &FxHashSet<GrainId>) {
        if arrived.is_empty() {
            return;
        }
        let arrays = &self.state.arrays;
        let slots: FxHashMap<GrainId, u32> = (1..arrays.slots() as u32)
            .filter(|&slot| arrays.status[slot as usize] != Status::Empty)
            .map(|slot| (arrays.id[slot as usize], slot))
            .collect();
        let mut taken = FxHashSet::default();
        for Party { bonds, walls, .. } in parties {
            for bond in bonds {
                let [Some(&a), Some(&b)] = bond.ends.map(|id| slots.get(&id)) else {
                    continue;
                };
                let own = |slot: u32| self.state.arrays.status[slot as usize].is_grain();
                let before = [a, b].into_iter().zip(bond.ends);
                let known = before
                    .into_iter()
                    .any(|(slot, id)| own(slot) && !arrived.contains(&id));
                if known || !taken.insert((bond.class, bond.ends)) {
                    continue;
                }
                let link = Kept { a, b, ..bond.link };
                if bond.aside {
                    // What it does is in what both are held by.
                    self.state.still.pairs.insert(bond.class, link, [a, b]);
                } else {
                    self.waking[bond.class].push(link);
                }
            }
            for bond in walls {
                let Some(&a) = slots.get(&bond.grain) else {
                    continue;
                };
                let link = Kept { a, ..bond.link };
                if bond.aside {
                    self.state.still.walls.push((bond.name, link));
                    self.state.still.walls_changed = true;
                } else {
                    self.waking_walls.push((bond.name, link));
                }
            }
        }
    }

    /// Forgets links between grains that stand still of which none is this rank's any more.
    fn drop_resting(&mut self, stays: &[bool]) {
        let mut index = 0;
        while index < self.state.still.pairs.len() as u32 {
            let (_, link) = self.state.still.pairs.get(index);
            let status = |slot: u32| self.state.arrays.status[slot as usize];
            let ends = [link.a, link.b];
            let own = ends.iter().any(|&slot| status(slot).is_grain());
            let there = ends
                .iter()
                .all(|&slot| status(slot).is_grain() || stays[slot as usize]);
            if own && there {
                index += 1;
            } else {
                self.state.still.pairs.remove(index);
            }
        }
    }
}
