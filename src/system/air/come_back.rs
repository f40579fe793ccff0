//! Returns of flyers to the grid of steps: each enters the lists by itself, and takes along only flyers that it may meet at once.

use super::{Air, Kind, foresee, guard, handle, leave};
use crate::cluster::integrate::Integrate;
use crate::record::Sink;
use crate::system::{System, SystemError, afar, enter, flight};

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
    let due = now + guard::DUE * system.dem.world.clock.step;
    let clock = system
        .air
        .as_ref()
        .map_or(now, |aloft| aloft.s.clock.max(now));
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
        flight::restart(&mut system.dem.world, slot as usize, now);
        handle::leave_air(&mut system.air, id);
        let near = guard::candidates_of(&system.dem.world, &mut system.air, slot);
        entered &= enter::steps_in(system, sink, slot, Some(&near))?.is_some();
        let place = system.dem.world.grains.arrays.position(slot as usize);
        let Some(aloft) = &mut system.air else { break };
        aloft.s.tally.returned += 1;
        aloft.register(id, Kind::Stepped, place);
        let at = aloft.s.stepped.partition_point(|&other| other < id);
        aloft.s.stepped.insert(at, id);
        leave::wait(aloft, id, now, system.dem.world.clock.step);
        for flyer in around::<D>(aloft, id) {
            let next = foresee::foresee_stepped(
                &system.setup,
                &system.dem.world,
                &mut system.air,
                flyer,
                &[id],
                clock,
            );
            match next {
                Some(next) if next.must_be_back(due) => queue.push(flyer),
                Some(next) => handle::await_event(&mut system.air, flyer, next)?,
                None => {}
            }
        }
    }
    if !entered {
        system.dem.renew();
        afar::apply_fields_to_fresh(&mut system.dem, &mut system.fields, system.uniform);
        guard::guard_again(system, sink)?;
    }
    Ok(())
}

/// Returns the flyers in the cells around a grain, by number, ascending: cells keep no order.
fn around<D: Integrate>(aloft: &mut Air, id: u32) -> Vec<u32> {
    aloft.gather_around::<D>(id);
    let bodies = &aloft.s.bodies;
    let flies = |with: &u32| bodies[*with as usize].kind == Kind::Flyer;
    let mut flyers: Vec<u32> = aloft.found.iter().copied().filter(flies).collect();
    flyers.sort_unstable();
    flyers
}
