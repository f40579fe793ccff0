//! Prefetches the memory of coming events.

use super::Core;
use super::cells::{Found, Scope};
use super::state::{Slot, next};
use crate::geometry::Dimension;
use crate::vector::Lanes;

/// Number of grains above which memory is prefetched at all.
const ASK_ABOVE: usize = 4_000;
/// Number above which the rows of neighbours are prefetched too, if cells contain few grains.
const ASK_AROUND_ABOVE: usize = 30_000;
/// Number of grains per cell that counts as few.
const FEW: usize = 4;
/// Number of grains above which the data exceeds the caches.
const FAR_ABOVE: usize = 300_000;

/// Data to prefetch.
#[derive(Clone, Copy)]
pub(super) enum Ahead {
    Nothing,
    /// Data that is in the last cache and cheap to prefetch; `around`: including the neighbours of a grain.
    Near {
        around: bool,
    },
    /// All data that the predictions of each grain of an event will read.
    Far,
}

/// Chooses the data to prefetch in a system of this size.
pub(super) fn asks_ahead<D: Dimension>(core: &Core<D>) -> Ahead {
    let n = core.bodies.rows.len();
    let few = n < FEW * core.cells.len();
    if n > FAR_ABOVE {
        Ahead::Far
    } else if n > ASK_ABOVE {
        Ahead::Near {
            around: core.lists.is_some() || (n > ASK_AROUND_ABOVE && few),
        }
    } else {
        Ahead::Nothing
    }
}

/// Prefetches the memory of coming events: first of the grain, then of its cells or neighbour list,
/// then, if `around`, of its neighbours.
#[inline(always)]
pub(super) fn ask_near<D: Dimension, L: Lanes>(core: &Core<D>, around: bool) {
    if let Some(g) = core.calendar.coming(8) {
        ask_grain::<_, L>(core, g);
    }
    if let Some(g) = core.calendar.coming(5) {
        let slot = &core.bodies.slots[g as usize];
        if slot.event == next::HIT {
            ask_grain::<_, L>(core, slot.hit);
        }
        if let Some(lists) = &core.lists {
            L::prefetch(&lists.entries[slot.span.start as usize]);
        } else {
            core.cells.around::<D>(slot.at, |block| L::prefetch(block));
        }
    }
    if around && let Some(g) = core.calendar.coming(2) {
        let slot = &core.bodies.slots[g as usize];
        let Some(lists) = &core.lists else {
            core.cells.around::<D>(slot.at, |block| {
                for &near in block.first() {
                    L::prefetch(&core.bodies.rows[near as usize]);
                }
            });
            return;
        };
        for &g in &lists.entries[slot.span.batches()] {
            L::prefetch(&core.bodies.rows[g as usize]);
        }
        if slot.event == next::HIT {
            let start = core.bodies.slots[slot.hit as usize].span.start;
            L::prefetch(&lists.entries[start as usize]);
        }
    }
}

/// The same for the predictions of both grains of a collision, and of a grain that changes its
/// place: first of the grain, then of its partner and of the grain's cells or neighbour list, then
/// of those of the partner, then the rows of all these neighbours. The many rows are brought into
/// the second-level cache: the first-level cache gained little (docs/notes/performance.md).
///
/// Separate from the event loop, which would be slower with this code inside.
#[inline(never)]
pub(super) fn ask_far<D: Dimension, L: Lanes>(core: &Core<D>, found: &mut Found) {
    if let Some(g) = core.calendar.coming(8) {
        ask_grain::<_, L>(core, g);
    }
    if let Some(g) = core.calendar.coming(5) {
        let slot = &core.bodies.slots[g as usize];
        if slot.event == next::HIT {
            ask_grain::<_, L>(core, slot.hit);
        }
        ask_who::<_, L>(core, slot, slot.event);
    }
    if let Some(g) = core.calendar.coming(3) {
        let slot = &core.bodies.slots[g as usize];
        if slot.event == next::HIT {
            ask_who::<_, L>(core, &core.bodies.slots[slot.hit as usize], next::HIT);
        }
    }
    if let Some(g) = core.calendar.coming(2) {
        let slot = &core.bodies.slots[g as usize];
        ask_rows::<_, L>(core, slot, slot.event, found);
        if slot.event == next::HIT {
            ask_rows::<_, L>(
                core,
                &core.bodies.slots[slot.hit as usize],
                next::HIT,
                found,
            );
        }
    }
}

/// Prefetches the data of a grain.
#[inline(always)]
fn ask_grain<D: Dimension, L: Lanes>(core: &Core<D>, grain: u32) {
    let i = grain as usize;
    L::prefetch(&core.bodies.slots[i]);
    L::prefetch(&core.bodies.rows[i]);
    if let Some(lists) = &core.lists {
        L::prefetch(&lists.centres[i]);
    }
}

/// Prefetches the cells or neighbour list of a grain for an event.
#[inline(always)]
fn ask_who<D: Dimension, L: Lanes>(core: &Core<D>, slot: &Slot, event: u32) {
    if let Some(lists) = &core.lists {
        L::prefetch(&lists.entries[slot.span.start as usize]);
    } else {
        let (at, scope) = view(core, slot, event);
        core.cells
            .around_in::<D>(at, scope, |block| L::prefetch(block));
    }
}

/// Prefetches the rows of the neighbours of a grain for an event.
#[inline(always)]
fn ask_rows<D: Dimension, L: Lanes>(core: &Core<D>, slot: &Slot, event: u32, found: &mut Found) {
    let grains = match &core.lists {
        Some(lists) => &lists.entries[slot.span.batches()],
        None => {
            let (at, scope) = view(core, slot, event);
            let n = core.cells.gather::<D>(at, scope, found);
            &found.grains[..n]
        }
    };
    for &near in grains {
        L::ask(std::ptr::from_ref(&core.bodies.rows[near as usize]).addr());
    }
}

/// The place from which a grain searches for neighbours at an event, and the scope of the search.
#[inline(always)]
fn view<D: Dimension>(core: &Core<D>, slot: &Slot, event: u32) -> ([u16; 3], Scope) {
    let mut at = slot.at;
    if !(next::FACE..next::END).contains(&event) {
        return (at, Scope::All);
    }
    let face = event - next::FACE;
    let (axis, up) = ((face / 2) as usize, face % 2 == 1);
    at[axis] = core.cells.beside(at, axis, up).0;
    (at, Scope::Layer(axis as u8, up))
}
