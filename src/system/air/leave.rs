//! Grains that leave the grid of steps for a flight: those without a link that meet no stepped grain, and none at rest, for a while.

use serde::{Deserialize, Serialize};

use super::foresee::Except;
use super::{Air, Kind, Next, foresee, guard, handle, worth};
use crate::cluster;
use crate::cluster::arrays::Status;
use crate::cluster::integrate::Integrate;
use crate::cluster::{Dem, World};
use crate::event::{EventKind, Regime};
use crate::record::Sink;
use crate::system::{System, SystemError, regimes};

/// Shortest flight that is worth the way out of the lists and back, in steps.
const LEAVE: f64 = 128.0;
/// Least time before a collision for which a grain leaves the grid, in steps: what touches already must not.
const COLLIDE: f64 = 4.0;
/// Number of steps between looks for grains that may leave.
const LOOK_EVERY: u64 = 32;
/// Number of steps for which a grain waits that came back, or may not leave: the least, and the greatest after it was refused, or its flight was
/// too short, repeatedly.
const WAITS: [f64; 2] = [32.0, 4096.0];

/// How long a stepped grain waits until it is asked whether it may leave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Wait {
    /// When that is, s.
    until: f64,
    /// How long it waited the last time, s.
    span: f64,
    /// When it left the last time, s.
    left: f64,
}

impl Wait {
    /// Waits twice as long as the last time.
    fn longer(&mut self, now: f64, step: f64) {
        let [least, greatest] = WAITS.map(|steps| steps * step);
        self.span = (2.0 * self.span).clamp(least, greatest);
        self.until = now + self.span;
    }
}

/// Lets a grain that came back wait: the longer, the oftener its flight was too short.
pub(super) fn wait(aloft: &mut Air, id: u32, now: f64, step: f64) {
    let wait = wait_of(aloft, id);
    if now - wait.left > LEAVE * step {
        wait.span = 0.0;
    }
    wait.longer(now, step);
    let until = wait.until;
    aloft.s.next_look = aloft.s.next_look.min(until);
}

fn wait_of(aloft: &mut Air, id: u32) -> &mut Wait {
    let n = id as usize;
    if aloft.s.waits.len() <= n {
        aloft.s.waits.resize(n + 1, Wait::default());
    }
    &mut aloft.s.waits[n]
}

/// Returns whether it is time, after this step, to look for grains that may leave.
pub(in crate::system) fn is_look<D: Integrate>(dem: &Dem<D>, air: &Option<Air>) -> bool {
    let is_due = |aloft: &Air| !aloft.s.stale && aloft.s.next_look <= dem.world.clock.time();
    dem.book.counts.steps.is_multiple_of(LOOK_EVERY) && air.as_ref().is_some_and(is_due)
}

/// Lets grains fly between two rebuilds of the lists, where it is time to look for such.
pub(in crate::system) fn look<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
) -> Result<(), SystemError> {
    if !is_look(&system.dem, &system.air) {
        return Ok(());
    }
    let now = system.dem.world.clock.time();
    if regimes::all_step(
        &system.setup,
        &system.dem.world,
        system.uniform,
        &system.s.perturb,
    ) {
        return Ok(());
    }
    let gone = let_go(system, now)?;
    if gone.is_empty() {
        return Ok(());
    }
    system.s.journal.count(EventKind::NeighborUpdate);
    system.s.known.plan = None;
    log_gone(system, sink, &gone)?;
    handle::schedule_flyers(&system.dem.world, &system.air, &mut system.s.schedule);
    Ok(())
}

/// Logs that grains left the grid, by number.
pub(super) fn log_gone<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
    gone: &[u32],
) -> Result<(), SystemError> {
    let now = system.dem.world.clock.time();
    for &id in gone {
        if let Some(slot) = foresee::flyer(&system.dem.world, &mut system.air, id) {
            regimes::morph(
                &system.dem.world,
                &mut system.s.journal,
                sink,
                now,
                slot,
                Regime::Cluster,
                Regime::Flight,
            )?;
        }
    }
    Ok(())
}

/// Lets grains fly that have no link and need not be back at once; returns their numbers.
pub(super) fn let_go<D: Integrate>(
    system: &mut System<D>,
    now: f64,
) -> Result<Vec<u32>, SystemError> {
    let steps = system.dem.world.clock.n;
    let pays = |aloft: &mut Air| worth::pays(aloft, steps);
    if !system.air.as_mut().is_some_and(pays) {
        return Ok(Vec::new());
    }
    let mut leaving = askers(&system.dem.world, &mut system.air, now);
    if leaving.is_empty() {
        return Ok(Vec::new());
    }
    system.account(now);
    guard::keep(&system.dem, &mut system.air);
    // A path begins now.
    let clock = super::clock_of(&system.air, now);
    let step = system.dem.world.clock.step;
    for &slot in &leaving {
        take_off(&mut system.dem.world, &mut system.air, slot, now);
    }
    let mut look = leaving.clone();
    while !look.is_empty() {
        let mut refused = Vec::new();
        for &slot in &look {
            let next = foresee::foresee_flyer(
                &system.setup,
                &system.dem.world,
                &mut system.air,
                slot,
                clock,
                None,
                Except::Nobody,
            );
            let id = system.dem.world.grains.arrays.id[slot as usize];
            let least = match next.next {
                Next::Look => 0.0,
                Next::Return => LEAVE,
                Next::Pair | Next::Wall => COLLIDE,
            };
            if next.time < now + least * step {
                refused.push(slot);
            } else {
                handle::await_event(&mut system.air, id, next)?;
            }
        }
        leaving.retain(|slot| refused.binary_search(slot).is_err());
        look.clear();
        for &slot in &refused {
            system.dem.world.grains.arrays.status[slot as usize] = Status::Stepped;
            let arrays = &system.dem.world.grains.arrays;
            let (id, place) = (arrays.id[slot as usize], arrays.position(slot as usize));
            if let Some(aloft) = &mut system.air {
                aloft.register(id, Kind::Stepped, place);
                wait_of(aloft, id).longer(now, step);
            }
        }
        // Flyers around the grains that stay have another body to take into account.
        for slot in refused {
            let id = system.dem.world.grains.arrays.id[slot as usize];
            let Some(aloft) = &mut system.air else { break };
            aloft.gather_around::<D>(id);
            let found = std::mem::take(&mut aloft.found);
            look.extend(
                found
                    .iter()
                    .filter_map(|&id| foresee::flyer(&system.dem.world, &mut system.air, id)),
            );
            if let Some(aloft) = &mut system.air {
                aloft.found = found;
            }
        }
        look.retain(|slot| leaving.binary_search(slot).is_ok());
        look.sort_unstable();
        look.dedup();
    }
    if !cluster::leaving::leave(&mut system.dem.world, &leaving) {
        // A flyer takes no part in the lists: its row keeps the position at which it left.
        system.dem.renew_in_place();
    }
    let id = &system.dem.world.grains.arrays.id;
    let gone: Vec<u32> = leaving.iter().map(|&slot| id[slot as usize]).collect();
    if let Some(aloft) = &mut system.air {
        let bodies = &aloft.s.bodies;
        let stays = |id: &u32| bodies[*id as usize].kind == Kind::Stepped;
        aloft.s.stepped.retain(stays);
        for &id in &gone {
            aloft.s.waits[id as usize].left = now;
        }
        let waits = |slot: &u32| aloft.s.waits[id[*slot as usize] as usize].until;
        let active = system.dem.world.grains.active.iter();
        aloft.s.next_look = active.map(waits).fold(f64::INFINITY, f64::min);
    }
    Ok(gone)
}

/// Returns the slots of stepped grains whose wait is over and that have no link, ascending, except grains of several parts, which must not
/// fly; others whose wait is over wait longer.
fn askers<D: Integrate>(world: &World<D>, air: &mut Option<Air>, now: f64) -> Vec<u32> {
    let Some(aloft) = air else {
        return Vec::new();
    };
    let arrays = &world.grains.arrays;
    let mut askers = Vec::new();
    let mut next = f64::INFINITY;
    for &slot in &world.grains.active {
        let until = wait_of(aloft, arrays.id[slot as usize]).until;
        if until <= now {
            askers.push(slot);
        } else {
            next = next.min(until);
        }
    }
    if !askers.is_empty() {
        let linked = cluster::leaving::linked(world);
        askers.retain(|&slot| {
            let may = arrays.status[slot as usize] == Status::Stepped
                && !linked[slot as usize]
                && world.grains.form_index(slot).is_none();
            if !may {
                let wait = wait_of(aloft, arrays.id[slot as usize]);
                wait.longer(now, world.clock.step);
                next = next.min(wait.until);
            }
            may
        });
        askers.sort_unstable();
    }
    aloft.s.next_look = next;
    askers
}

/// Turns a stepped grain into a flyer from the time of evaluation on.
fn take_off<D: Integrate>(world: &mut World<D>, air: &mut Option<Air>, slot: u32, now: f64) {
    // The row holds a prediction that does not know the forces of this evaluation: those of a contact that has just ended go on in it. One that
    // has not begun to step has no other.
    let (velocity, spin) = world.velocity_now(slot as usize);
    let begins = world.grains.fresh.contains(&slot);
    let arrays = &mut world.grains.arrays;
    if !begins {
        let row = &mut arrays.rows[slot as usize].0;
        for k in 0..D::N {
            row[4 + k] = velocity[k];
        }
        if D::N == 2 {
            row[6] = spin[0];
        } else {
            arrays.spins[slot as usize].0[..3].copy_from_slice(&spin);
        }
    }
    arrays.status[slot as usize] = Status::Flying;
    world.grains.since[slot as usize] = now;
    let (id, place) = (arrays.id[slot as usize], arrays.position(slot as usize));
    if let Some(aloft) = air {
        aloft.register(id, Kind::Flyer, place);
    }
}
