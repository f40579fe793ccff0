//! Grains that leave the grid of steps for a flight: those without a link that meet no stepped grain, and none at rest, for a while.

use serde::{Deserialize, Serialize};

use super::come_back::count_relisted;
use super::foresee::Except;
use super::{Air, Kind, Next, bent, collide, foresee, guard, handle, worth};
use crate::cluster;
use crate::cluster::arrays::Status;
use crate::cluster::integrate::Integrate;
use crate::cluster::{Dem, World};
use crate::event::{EventKind, Regime};
use crate::field::FieldSet;
use crate::record::Sink;
use crate::system::{System, SystemError, regimes};

/// Shortest flight that is worth the way out of the lists and back, in steps.
const LEAVE: i64 = 128;
/// Least time before a collision for which a grain leaves the grid, in steps: what touches already must not.
const COLLIDE: i64 = 4;
/// Of more than so many grains whose wait is over only one in so many is asked, until flight has paid: others at the next look.
const SAMPLE: (usize, i64) = (256, 32);
/// Number of steps between looks for grains that may leave.
const LOOK_EVERY: u64 = 32;
/// Number of steps for which a grain waits that came back, or may not leave: the least, and the greatest after it was refused, or its flight was
/// too short, repeatedly.
const WAITS: [i64; 2] = [32, 4096];

/// How long a stepped grain waits until it is asked whether it may leave. Times are numbers of steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Wait {
    /// When that is.
    until: i64,
    /// How long it waited the last time.
    span: i64,
    /// When it left the last time.
    pub left: i64,
}

impl Wait {
    /// Ends the wait, since something changed from outside.
    pub(super) fn end(&mut self) {
        (self.until, self.span) = (0, 0);
    }

    /// Waits twice as long as the last time.
    fn longer(&mut self, step: i64) {
        let [least, greatest] = WAITS;
        self.span = (2 * self.span).clamp(least, greatest);
        self.until = step + self.span;
    }
}

/// Lets a grain that came back at a step wait: the longer, the oftener its flight was too short.
pub(super) fn wait(aloft: &mut Air, id: u32, step: i64) {
    let wait = wait_of(aloft, id);
    let left = wait.left;
    if step - left > LEAVE {
        wait.span = 0;
    }
    wait.longer(step);
    let until = wait.until;
    aloft.s.next_look = aloft.s.next_look.min(until);
    aloft.s.worth.came_back(left, step);
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
    let is_due = |aloft: &Air| !aloft.s.stale && aloft.s.next_look <= dem.world.clock.n;
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
    if regimes::all_step(system) {
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
    let mut leaving = askers(&system.dem.world, &mut system.air);
    if leaving.is_empty() {
        return Ok(Vec::new());
    }
    system.account(now);
    guard::keep(&system.dem, &mut system.air);
    // A path begins now.
    let clock = super::clock_of(&system.air, now);
    let step = system.dem.world.clock.step;
    let mut fresh = system.dem.world.grains.fresh.clone();
    fresh.sort_unstable();
    for &slot in &leaving {
        // One that has not begun to step has its velocity in its row.
        if fresh.binary_search(&slot).is_err() {
            take_velocity(&mut system.dem.world, slot);
        }
        take_off(
            &mut system.dem.world,
            &system.fields,
            &mut system.air,
            slot,
            now,
        );
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
                Next::Look => 0,
                Next::Return => LEAVE,
                Next::Pair | Next::Wall => {
                    match collide::is_at_once(&system.dem.world, &mut system.air, slot, &next) {
                        true => COLLIDE,
                        false => LEAVE,
                    }
                }
            };
            if next.time < now + least as f64 * step {
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
                wait_of(aloft, id).longer(steps);
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
    for &slot in &leaving {
        bent::leave(&mut system.dem, &system.fields, slot);
    }
    if !cluster::leaving::leave(&mut system.dem.world, &leaving) {
        // A flyer takes no part in the lists: its row keeps the position at which it left.
        system.dem.renew_in_place();
        count_relisted(system);
    }
    let id = &system.dem.world.grains.arrays.id;
    let gone: Vec<u32> = leaving.iter().map(|&slot| id[slot as usize]).collect();
    if let Some(aloft) = &mut system.air {
        let bodies = &aloft.s.bodies;
        let stays = |id: &u32| bodies[*id as usize].kind == Kind::Stepped;
        aloft.s.stepped.retain(stays);
        for &id in &gone {
            aloft.s.waits[id as usize].left = steps;
        }
        let waits = |slot: &u32| aloft.s.waits[id[*slot as usize] as usize].until;
        let active = system.dem.world.grains.active.iter();
        aloft.s.next_look = active.map(waits).min().unwrap_or(i64::MAX);
    }
    Ok(gone)
}

/// Returns the slots of stepped grains whose wait is over and that have no link, ascending; others whose wait is over wait longer.
fn askers<D: Integrate>(world: &World<D>, air: &mut Option<Air>) -> Vec<u32> {
    let Some(aloft) = air else {
        return Vec::new();
    };
    let (arrays, step) = (&world.grains.arrays, world.clock.n);
    let mut askers = Vec::new();
    let mut next = i64::MAX;
    for &slot in &world.grains.active {
        let until = wait_of(aloft, arrays.id[slot as usize]).until;
        if until <= step {
            askers.push(slot);
        } else {
            next = next.min(until);
        }
    }
    let (many, one_in) = SAMPLE;
    if !aloft.s.worth.proven && askers.len() > many {
        let turn = step / LOOK_EVERY as i64;
        askers.retain(|&slot| (i64::from(arrays.id[slot as usize]) + turn) % one_in == 0);
        next = step;
    }
    if !askers.is_empty() {
        let linked = cluster::leaving::linked(world);
        askers.retain(|&slot| {
            let may = arrays.status[slot as usize] == Status::Stepped
                && !linked[slot as usize]
                && is_clear(world, slot);
            if !may {
                let wait = wait_of(aloft, arrays.id[slot as usize]);
                wait.longer(step);
                next = next.min(wait.until);
            }
            may
        });
        askers.sort_unstable();
    }
    aloft.s.next_look = next;
    askers
}

/// Returns whether the sphere around a grain of several parts touches no wall: in it the grain may turn as it likes.
fn is_clear<D: Integrate>(world: &World<D>, slot: u32) -> bool {
    if world.grains.form_index(slot).is_none() {
        return true;
    }
    let arrays = &world.grains.arrays;
    let (place, radius) = (arrays.position(slot as usize), arrays.radius(slot as usize));
    let time = world.clock.time();
    let mut walls = world.walls.boundaries.iter().zip(&world.walls.gone);
    walls.all(|(wall, &gone)| {
        gone || !wall.boundary.stops(radius)
            || wall.distance(&wall.boundary.motion.pose(time), place) > radius
    })
}

/// Gives a stepped grain the velocity of the evaluation: its row holds a prediction that does not know the forces of this evaluation, in which those of
/// a contact that has just ended go on.
fn take_velocity<D: Integrate>(world: &mut World<D>, slot: u32) {
    let (velocity, spin) = world.velocity_now(slot as usize);
    let formed = world.grains.bodies.of(slot).is_some();
    let arrays = &mut world.grains.arrays;
    let row = &mut arrays.rows[slot as usize].0;
    for k in 0..D::N {
        row[4 + k] = velocity[k];
    }
    if D::N == 2 {
        row[6] = spin[0];
    } else if !formed {
        arrays.spins[slot as usize].0[..3].copy_from_slice(&spin);
    }
}

/// Turns a stepped grain into a flyer from the time of evaluation on.
fn take_off<D: Integrate>(
    world: &mut World<D>,
    fields: &FieldSet<D>,
    air: &mut Option<Air>,
    slot: u32,
    now: f64,
) {
    let arrays = &mut world.grains.arrays;
    arrays.status[slot as usize] = Status::Flying;
    world.grains.since[slot as usize] = now;
    let (id, place) = (arrays.id[slot as usize], arrays.position(slot as usize));
    if let Some(aloft) = air {
        aloft.register(id, Kind::Flyer, place);
    }
    bent::begin(world, fields, air, slot, true);
}
