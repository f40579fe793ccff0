//! Limits at which a run stops by itself: pairs that stay in contact, and endless bursts of collisions.

use super::bent;
use super::state::{RADIUS, next};
use super::{Core, Other, Stopped};
use crate::geometry::{Dimension, Vector};

/// Separation of a grain from a wall.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parting {
    /// Normal impulse, kg m/s.
    pub impulse: f64,
    /// Energy lost, J; negative if the grain leaves faster than it approached.
    pub lost: f64,
}

impl Parting {
    /// Separation after an approach, m/s (negative: the grain already recedes, but too slowly), with a least speed, m/s.
    pub fn of(approach: f64, restitution: f64, least: f64, inverse_mass: f64) -> Self {
        if approach > 0.0 && restitution * approach >= least {
            let impulse = (1.0 + restitution) * approach / inverse_mass;
            return Parting {
                impulse,
                lost: 0.5 * (1.0 - restitution) * approach * impulse,
            };
        }
        Parting {
            impulse: (approach + least) / inverse_mass,
            lost: 0.5 * (approach * approach - least * least) / inverse_mass,
        }
    }
}

/// Checks whether a collision is allowed: collapse and endless bursts stop the run. Returns whether
/// it is elastic by the rule of the contact time.
#[inline(always)]
pub(super) fn check<D: Dimension>(
    core: &mut Core<D>,
    i: usize,
    with: u32,
    t: f64,
    approach_squared: f64,
) -> Result<bool, Stopped> {
    let mut elastic = false;
    if core.limits.contact_time > 0.0 {
        elastic = check_contact_time(core, i, with, t)?;
        core.tally.lasting[usize::from(with >= next::WALL)] += u64::from(elastic);
    }
    note(core, i, with, t, approach_squared)?;
    if with < next::WALL {
        note(core, with as usize, i as u32, t, approach_squared)?;
    }
    Ok(elastic)
}

/// Counts a collision of a grain if there was no time since its last one: after too many of these it is stuck. `approach_squared`, m^2/s^2, is
/// the square of the approach speed, 0 where it recedes by rounding.
#[inline(always)]
pub(super) fn note<D: Dimension>(
    core: &mut Core<D>,
    i: usize,
    with: u32,
    t: f64,
    approach_squared: f64,
) -> Result<(), Stopped> {
    let gap = t - core.bodies.slots[i].last_time;
    let at_once = gap <= core.limits.instant || lies_still(core, i, gap, approach_squared);
    let slot = &mut core.bodies.slots[i];
    if at_once {
        slot.burst = slot.burst.saturating_add(1);
        if u32::from(slot.burst) > core.limits.burst {
            return Err(stuck(core, i, with, t));
        }
    } else {
        slot.burst = 0;
    }
    slot.last_time = t;
    if !core.bodies.last.is_empty() {
        core.bodies.last[i] = with;
    }
    Ok(())
}

/// Returns whether a grain hops lower than what counts as a hop, by the time since its last collision, s, and by its approach. Not where a wall may
/// throw it up again: there it lies for a while only.
#[inline(always)]
fn lies_still<D: Dimension>(core: &Core<D>, i: usize, gap: f64, approach_squared: f64) -> bool {
    let pull = core.gravity.norm_squared();
    let shaken = core.walls.shaken();
    // Without loss it hops on, as high as the contact time lets it.
    if pull <= shaken * shaken || bent::is_bent(core) || core.limits.collapse_is_elastic {
        return false;
    }
    let height = core.limits.hop * core.bodies.rows[i].0[RADIUS];
    // In an acceleration g a hop is g t^2 / 8 and v^2 / 2 g high.
    let square = gap * gap;
    square * square * pull <= 64.0 * height * height
        && approach_squared * approach_squared <= 4.0 * height * height * pull
}

#[cold]
#[inline(never)]
fn stuck<D: Dimension>(core: &Core<D>, i: usize, with: u32, t: f64) -> Stopped {
    Stopped::Stuck {
        grain: core.bodies.ids[i],
        with: other(core, with),
        time: core.clock.epoch + t,
        collisions: u32::from(core.bodies.slots[i].burst),
    }
}

fn other<D: Dimension>(core: &Core<D>, with: u32) -> Other {
    if with < next::WALL {
        Other::Grain(core.bodies.ids[with as usize])
    } else {
        Other::Wall(u32::from(core.walls.face(with - next::WALL).wall))
    }
}

/// The least speed, m/s, at which a grain leaves a wall against which gravity, or the wall's own
/// acceleration, presses it. Without loss within the contact time a grain at rest would collide endlessly at
/// one instant, for it has no speed to leave with; with this speed it is away for half the contact time.
pub(super) fn least_departure<D: Dimension>(
    core: &Core<D>,
    i: usize,
    wall: u16,
    into_wall: D::Vector,
    clock: f64,
) -> f64 {
    if !(core.limits.collapse_is_elastic && core.limits.contact_time > 0.0) {
        return 0.0;
    }
    let motion = &core.walls.wall(wall).boundary.motion;
    let pressing = (bent::pull(core, i) - motion.acceleration(clock)).dot(&into_wall);
    core.limits.least_departure(pressing.max(0.0))
}

#[inline(never)]
fn check_contact_time<D: Dimension>(
    core: &mut Core<D>,
    i: usize,
    with: u32,
    t: f64,
) -> Result<bool, Stopped> {
    let soon = |last: f64| t - last < core.limits.contact_time;
    let slot = &core.bodies.slots[i];
    if core.limits.collapse_is_elastic {
        let other = with < next::WALL && soon(core.bodies.slots[with as usize].last_time);
        return Ok(soon(slot.last_time) || other);
    }
    if core.bodies.last[i] == with && soon(slot.last_time) {
        return Err(Stopped::Collapse {
            grain: core.bodies.ids[i],
            with: other(core, with),
            time: core.clock.epoch + t,
        });
    }
    Ok(false)
}
