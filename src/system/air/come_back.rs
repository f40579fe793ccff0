//! Returns of flyers to the grid of steps: each enters the lists by itself, and takes along only flyers that it may meet at once.

use super::{Kind, bent, foresee, guard, handle, leave};
use crate::cluster::integrate::Integrate;
use crate::record::Sink;
use crate::system::{System, SystemError, afar, enter};

/// Counts that the lists of all stepped grains were made anew.
pub(super) fn count_relisted<D: Integrate>(system: &mut System<D>) {
    if let Some(aloft) = &mut system.air {
        aloft.s.tally.relisted += system.dem.world.grains.active.len() as u64;
    }
}

/// Returns flyers, by number, to the grid of steps at its present time, and those that must come with them. A flyer whose path begins after that
/// time waits for the next step.
pub(super) fn come_back<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
    ids: Vec<u32>,
) -> Result<(), SystemError> {
    if ids.is_empty() {
        return Ok(());
    }
    let now = system.dem.world.clock.time();
    system.account(now);
    guard::keep(&system.dem, &mut system.air);
    let mut entered = true;
    let mut queue = ids;
    while let Some(id) = queue.pop() {
        let Some(slot) = foresee::flyer(&system.dem.world, &mut system.air, id) else {
            continue;
        };
        if !handle::is_free_to_return(&system.dem.world, &mut system.air, id, now) {
            handle::await_step(&system.dem.world, &mut system.air, id)?;
            continue;
        }
        bent::restart(&mut system.dem, &system.fields, slot, now);
        bent::enter(&mut system.dem, &system.fields, slot);
        handle::leave_air(&mut system.air, id);
        let near = guard::candidates_of(&system.dem.world, &mut system.air, slot);
        entered &= enter::steps_in(system, sink, slot, Some(near))?;
        let place = system.dem.world.grains.arrays.position(slot as usize);
        let Some(aloft) = &mut system.air else { break };
        aloft.s.tally.returned += 1;
        aloft.join_stepped(id, place);
        leave::wait(aloft, id, system.dem.world.clock.n);
        let mut flyers: Vec<u32> = aloft.around::<D>(id, Kind::Flyer).collect();
        // Cells keep no order.
        flyers.sort_unstable();
        for flyer in flyers {
            guard::check(system, flyer, &[id], &mut queue)?;
        }
    }
    if !entered {
        system.dem.renew();
        count_relisted(system);
        afar::apply_fields_to_fresh(&mut system.dem, &mut system.fields, system.uniform);
        guard::guard_again(system, sink)?;
    }
    Ok(())
}
