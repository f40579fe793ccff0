//! Grains of other ranks: the engine's treatment of a part of a system, and the exchange of motion.
//!
//! A rank steps the grains of its own domain. For each grain of others that may touch one of these it has a *ghost*:
//! a row that is updated after each stride. Both sides of a border compute a link across it from the same numbers,
//! each with its own contact history, so that both get the same bits; the force on a ghost is discarded.
//!
//! Slots have the same order on all ranks (by place, then by number). So the links of a grain are
//! summed in one order, whichever rank steps it, and whatever the number of ranks.

use super::integrate::Integrate;
use super::kernel::Change;
use super::observe::ContactRef;
use super::state::{Other, Skin};
use super::world::{Clock, Grains};
use crate::neighbor::{RowPlace, Rows};
use crate::vector::LANES;

/// Data of an engine about other ranks' grains.
#[derive(Clone, Debug, Default)]
pub struct Border {
    /// Whether the system is shared by ranks.
    pub shared: bool,
    /// Whether grains keep their positions at a renewal, even outside of a periodic box.
    pub in_place: bool,
    /// Slots of grains that other ranks step; ascending after a renewal.
    pub ghosts: Vec<u32>,
    /// Whether slots were added since the last renewal.
    pub(super) grown: bool,
    /// By slot: its place in the order of slots.
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

    /// Renewals from now on change no position.
    pub fn keep_places(&mut self) {
        self.in_place = true;
    }

    /// Makes the system belong to this rank alone.
    pub fn unshare(&mut self) {
        *self = Border::default();
    }

    /// These slots and the stepped ghosts, ascending.
    pub(super) fn with_ghosts(&self, mut slots: Vec<u32>) -> Vec<u32> {
        if !self.ghosts.is_empty() {
            slots.extend(&self.ghosts);
            slots.sort_unstable();
        }
        slots
    }

    /// Whether other ranks have a part of the system.
    pub fn is_shared(&self) -> bool {
        self.shared
    }
}

/// Number of values that the ghost of a grain requires after each stride.
pub const fn numbers_of_motion<D: Integrate>() -> usize {
    if D::N == 2 { 5 } else { 9 }
}

/// Shares the system with other ranks from now on.
pub fn share<D: Integrate>(grains: &Grains<D>, border: &mut Border) {
    border.shared = true;
    let slots = grains.arrays.slots();
    border.places.resize(slots, RowPlace::default());
}

/// The fraction of a link that this rank counts: one half across a border.
pub fn share_of<D: Integrate>(grains: &Grains<D>, link: &ContactRef<D>) -> f64 {
    match link.b {
        Other::Slot(b) if grains.is_ghost(b) || grains.is_ghost(link.a) => 0.5,
        _ => 1.0,
    }
}

/// The part of a change of pairs that this rank counts: across a border the rank of the first grain counts.
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

/// Accounts for the greatest speeds of all ranks, from [`Dem::move_own`](super::dem::Dem::move_own): they determine when lists are renewed.
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

/// Sets the motion of some ghosts, as given by [`put_motion`], and clears the forces on them.
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

/// Updates the places of own slots in the order of slots.
pub fn put_places<D: Integrate>(grains: &Grains<D>, border: &mut Border, rows: &Rows) {
    for slot in 1..grains.arrays.slots() {
        if grains.arrays.status[slot].is_grain() {
            let x = grains.arrays.position(slot);
            border.places[slot] = rows.place::<D>(x);
        }
    }
}
