//! Grains of other ranks: what an engine does that has a part of a system, and what goes from one to another.
//!
//! A rank steps the grains of its own domain. Of each grain of others that may come into touch with one of these it has a *ghost*: a row
//! that is brought up to date after each stride. A link across a border is worked out by both sides from the same
//! numbers, each with a history of its own, so that both have the same bits; what it does to a ghost is dropped.
//!
//! Slots have the same order on all ranks (by place, then by number). So the links of a grain are added up in one order,
//! whoever steps it, and however many ranks there are.

use super::integrate::Integrate;
use super::kernel::Change;
use super::observe::ContactRef;
use super::state::{Other, Skin};
use super::world::{Clock, Grains};
use crate::neighbor::{RowPlace, Rows};
use crate::vector::LANES;

/// What an engine knows of other ranks' grains.
#[derive(Clone, Debug, Default)]
pub struct Border {
    /// Whether the system is shared by ranks.
    pub shared: bool,
    /// Whether grains stay where they are at a renewal, even if they have left a periodic box.
    pub in_place: bool,
    /// Slots of grains that other ranks step; ascending after a renewal.
    pub ghosts: Vec<u32>,
    /// Whether there are slots since the last renewal that were not there before.
    pub(super) grown: bool,
    /// By slot: where it stands in the order of slots.
    pub(super) places: Vec<RowPlace>,
    /// Parts of the bound of the square of the greatest speed in the last stride, m^2/s^2.
    pub axes: [f64; 2],
}

impl Border {
    pub(super) fn renumber(&mut self, order: &[u32]) {
        if self.shared {
            self.places = order.iter().map(|&o| self.places[o as usize]).collect();
        }
    }

    /// Renewals to come change no place.
    pub fn keep_places(&mut self) {
        self.in_place = true;
    }

    /// The system is this rank's alone from now on.
    pub fn unshare(&mut self) {
        *self = Border::default();
    }

    /// Those slots and the stepped ghosts, ascending.
    pub(super) fn with_ghosts(&self, mut slots: Vec<u32>) -> Vec<u32> {
        if !self.ghosts.is_empty() {
            slots.extend(&self.ghosts);
            slots.sort_unstable();
        }
        slots
    }

    /// Whether other ranks hold a part of all.
    pub fn is_shared(&self) -> bool {
        self.shared
    }
}

/// Numbers that the ghost of a grain needs after each stride.
pub const fn numbers_of_motion<D: Integrate>() -> usize {
    if D::N == 2 { 5 } else { 9 }
}

/// The system is shared by ranks from now on.
pub fn share<D: Integrate>(grains: &Grains<D>, border: &mut Border) {
    border.shared = true;
    let slots = grains.arrays.slots();
    border.places.resize(slots, RowPlace::default());
}

/// The share of a link that is this rank's to count: one half across a border.
pub fn share_of<D: Integrate>(grains: &Grains<D>, link: &ContactRef<D>) -> f64 {
    match link.b {
        Other::Slot(b) if grains.is_ghost(b) || grains.is_ghost(link.a) => 0.5,
        _ => 1.0,
    }
}

/// What of a change of pairs this rank counts: across a border that of the first grain does.
pub(super) fn counted<D: Integrate>(
    grains: &Grains<D>,
    border: &Border,
    mut change: Change,
    first: &[u32; LANES],
) -> Change {
    if border.shared {
        let ghosts = first
            .iter()
            .enumerate()
            .filter(|(_, slot)| grains.is_ghost(**slot));
        let others: u8 = ghosts.map(|(lane, _)| 1 << lane).sum();
        for flags in [&mut change.before, &mut change.after] {
            flags.touch &= !others;
            flags.slip &= !others;
        }
    }
    change
}

/// What the greatest speeds of all ranks are, as [`Dem::move_own`](super::dem::Dem::move_own) gives them: lists are minded by these.
pub fn moved(clock: &Clock, skin: &mut Skin, [along, across, wall]: [f64; 3]) {
    skin.fastest = along + across;
    let way = clock.way_of([along + across, wall]);
    skin.add_way(way);
}

/// Appends the motion of some slots: position, m; velocity, m/s; radius times spin, m/s.
pub fn put_motion<D: Integrate>(grains: &Grains<D>, slots: &[u32], out: &mut Vec<f64>) {
    let arrays = &grains.arrays;
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

/// Takes the motion of some ghosts, as [`put_motion`] gave it, and forgets what links did to them.
pub fn take_motion<D: Integrate>(grains: &mut Grains<D>, slots: &[u32], motion: &[f64]) {
    let arrays = &mut grains.arrays;
    for (&slot, motion) in slots
        .iter()
        .zip(motion.chunks_exact(numbers_of_motion::<D>()))
    {
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
pub fn put_places<D: Integrate>(grains: &Grains<D>, border: &mut Border, rows: &Rows) {
    for slot in 1..grains.arrays.slots() {
        if grains.arrays.status[slot].is_grain() {
            let x = grains.arrays.position(slot);
            border.places[slot] = rows.place::<D>(x);
        }
    }
}
