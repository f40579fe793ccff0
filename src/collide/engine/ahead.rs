//! Memory asked for before its events come.

use super::Core;
use super::cells::{Found, Scope};
use super::state::{Slot, next};
use crate::geometry::Dimension;
use crate::vector::Lanes;

/// Above so many grains memory is asked for at all.
const ASK_ABOVE: usize = 4_000;
/// Above so many also that of those around, if cells hold few of them.
const ASK_AROUND_ABOVE: usize = 30_000;
/// Few in a cell.
const FEW: usize = 4;
/// Above so many the memory lies beyond the caches.
const FAR_ABOVE: usize = 300_000;

/// What memory is asked for.
#[derive(Clone, Copy)]
pub(super) enum Ahead {
    Nothing,
    /// What is in the last cache and costs little to ask for; `around`: also those around a grain.
    Near {
        around: bool,
    },
    /// What a look of each grain that an event touches will read.
    Far,
}

/// What is asked for in a system of this size.
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

/// Asks for the memory of coming events: first for the grain, then for what tells who is
/// around it, then, if they are asked for, for those.
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

/// The same for the looks of both grains of a collision, and of one that goes to another place from there: first for the grain, then
/// for its partner and for what tells who is around the grain, then for what tells who is around the partner, then for the rows of
/// all these. Rows are so many that they are brought into the second cache: into the first one it gained little
/// (docs/notes/performance.md).
///
/// Apart from the loop, which is slower with so much more in it.
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

/// Asks for what is known of a grain.
#[inline(always)]
fn ask_grain<D: Dimension, L: Lanes>(core: &Core<D>, grain: u32) {
    let i = grain as usize;
    L::prefetch(&core.bodies.slots[i]);
    L::prefetch(&core.bodies.rows[i]);
    if let Some(lists) = &core.lists {
        L::prefetch(&lists.centres[i]);
    }
}

/// Asks for what tells who is around a grain at an event.
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

/// Asks for the rows of those around a grain at an event.
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

/// From which place a grain looks around at an event, and where to.
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
