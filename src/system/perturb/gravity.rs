//! Gravity that changes while grains move: in a vessel that is shaken or tilted.
//!
//! `Physics::gravity` is the one that acts; the setup's is kept equal to it. It is set anew at each
//! evaluation, so that the integrators keep their order. All grains are stepped while it changes, except in a
//! slow tilt: resting grains stay asleep, since the load that the tilt adds from one solve to
//! the next is less than a solve leaves alone. While no grain is stepped it is set at the times of solves.
//! Potential energy stays that in the scenario's gravity g_0: the effect of the acting gravity g beyond it is
//! work from outside, (g - g_0) . (change of the sum of m x) from one evaluation to the next. Velocities at an
//! evaluation hold half a step of the forces there: the effect of a change of g on that is booked too. At a
//! jump, as a shake begins or ends, velocities stay as they are, less the effect of the old gravity between
//! the jump and the evaluation.

use serde::{Deserialize, Serialize};

use super::{PerturbKind, PerturbState, Running};
use crate::body::Grain;
use crate::cluster;
use crate::cluster::World;
use crate::cluster::integrate::Integrate;
use crate::event::EventKind;
use crate::field::GravityChange;
use crate::geometry::{Dimension, Vector};
use crate::system::ledger::Ledger;
use crate::system::schedule::Source;
use crate::system::{PerturbSetup, Setup, System, field_loads, flight, linear_response, regimes};

/// Returns the duration of a perturbation, s.
fn length<D: Dimension>(kind: &PerturbKind<D>) -> f64 {
    kind.change().map_or(0.0, |change| change.length())
}

/// A tilt is slow when gravity changes in the time from one solve to the next by less than this share
/// of the residual at which a grain may be stopped.
pub(crate) const SLOW: f64 = 0.1;

/// Returns how fast a perturbation changes gravity, over its size, 1/s; `None`: by jumps.
fn rate<D: Dimension>(kind: &PerturbKind<D>) -> Option<f64> {
    match kind.change()? {
        GravityChange::Swing { .. } => None,
        change => Some(change.rate()),
    }
}

/// Returns the gravity that a perturbation makes of `gravity`, `lasted` s after its start; and whether it is over.
fn changed<D: Dimension>(
    kind: &PerturbKind<D>,
    gravity: D::Vector,
    lasted: f64,
) -> (D::Vector, bool) {
    match kind.change() {
        Some(change) => change.changed(gravity, lasted),
        None => (gravity, true),
    }
}

impl PerturbState {
    /// Returns the gravity that acts, m/s^2.
    pub fn gravity<V: Vector>(&self) -> V {
        V::from_fn(|k| self.acts[k])
    }

    /// Returns gravity at a time to come.
    pub fn gravity_then<D: Dimension>(&self, perturbs: &[PerturbSetup<D>], time: f64) -> D::Vector {
        let stays = D::Vector::from_fn(|k| self.stays[k]);
        let running = self.running.iter();
        running.fold(stays, |gravity, running| {
            match perturbs.get(running.index) {
                Some(perturb) => changed(&perturb.kind, gravity, time - running.since).0,
                None => gravity,
            }
        })
    }

    /// Returns the time until which gravity turns as it does now, s.
    pub fn turns_until<D: Dimension>(&self, perturbs: &[PerturbSetup<D>]) -> f64 {
        let ends = self.running.iter().filter_map(|running| {
            let perturb = perturbs.get(running.index)?;
            Some(running.since + length(&perturb.kind))
        });
        ends.fold(f64::INFINITY, f64::min)
    }

    /// Returns gravity at a time, and the time since its jump, s, if it jumped; adds perturbations that are over
    /// to the permanent part.
    fn gravity_at<D: Dimension>(
        &mut self,
        perturbs: &[PerturbSetup<D>],
        time: f64,
    ) -> (D::Vector, Option<f64>) {
        let of = |running: &Running, gravity| match perturbs.get(running.index) {
            Some(perturb) => changed(&perturb.kind, gravity, time - running.since),
            None => (gravity, true),
        };
        let mut jumped = None;
        let mut stays = D::Vector::from_fn(|k| self.stays[k]);
        // In order: a tilt that is over has to wait while an earlier one goes on.
        while let Some(first) = self.running.first() {
            let (gravity, over) = of(first, stays);
            if !over {
                break;
            }
            stays = gravity;
            let kind = perturbs.get(first.index).map(|perturb| &perturb.kind);
            jumped = kind.map(|kind| time - first.since - length(kind));
            self.running.remove(0);
        }
        self.stays = super::three(stays);
        for running in &self.running {
            stays = of(running, stays).0;
            if running.since == time {
                jumped = Some(0.0);
            }
        }
        (stays, jumped)
    }
}

/// Returns whether gravity changes from step to step.
pub(in crate::system) fn gravity_changes(perturb: &PerturbState) -> bool {
    !perturb.running.is_empty()
}

/// Returns whether loads on grains at rest change by themselves, so that another solve will come though nothing moves.
pub(in crate::system) fn loads_change<D: Integrate>(system: &System<D>) -> bool {
    gravity_changes(&system.s.perturb)
        || field_loads::change_by_themselves(&system.setup, &system.fields)
}

/// Returns the greatest rate at which gravity turns, rad/s; `None`: it jumps, or swings.
pub(in crate::system) fn gravity_rate<D: Integrate>(
    setup: &Setup<D>,
    perturb: &PerturbState,
) -> Option<f64> {
    let rates = perturb.running.iter().map(|running| {
        let perturb = setup.sources.perturbs.get(running.index)?;
        rate(&perturb.kind)
    });
    rates.sum()
}

/// Returns whether gravity changes so slowly that grains stay asleep.
pub(in crate::system) fn gravity_is_slow<D: Integrate>(
    setup: &Setup<D>,
    perturb: &PerturbState,
) -> bool {
    let (Some(morph), Some(rate)) = (setup.models.morph, gravity_rate(setup, perturb)) else {
        return false;
    };
    rate * morph.carry_every < SLOW * morph.residual
}

/// Schedules the next update of gravity and fields while no grain is stepped: without steps to follow them at, they are
/// updated when a solve would be made.
pub(in crate::system) fn schedule_gravity<D: Integrate>(system: &mut System<D>) {
    let idle = system.dem.world.grains.active.is_empty() && system.s.watch.jam().is_none();
    let changing = idle && loads_change(system);
    if changing && system.s.schedule.time_of(Source::Gravity).is_some() {
        // What comes between and changes something has cancelled it; what only looks must not move it.
        return;
    }
    if let Some(morph) = system.setup.models.morph.filter(|_| changing) {
        // From the count, so that updates do not depend on when the last step was made.
        let every = morph.carry_every;
        let tick = ((system.dem.world.clock.time() + 0.5 * system.dem.world.clock.step) / every)
            .floor()
            + 1.0;
        // Gravity is updated at the first step after the tick.
        let mut time = tick * every + system.dem.world.clock.step;
        if let Some(until) = linear_response::foresee(system, &morph, time) {
            time = until + system.dem.world.clock.step;
        }
        system
            .s
            .schedule
            .set(Source::Gravity, time, EventKind::FieldUpdate);
    } else {
        system.s.known.plan = None;
        system.s.schedule.cancel(Source::Gravity);
    }
}

/// Greatest number of steps for which sums over the grains are continued in time instead of taken anew.
const KEPT: f64 = 15.5;

/// Sums over the grains on which gravity acts.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Masses {
    /// Time of the evaluation at which they were taken, s.
    time: f64,
    /// Numbers of grains that are stepped, at rest and in flight.
    counts: [usize; 3],
    /// Sum of mass times position, kg m, and of mass times velocity, kg m/s.
    moment: [f64; 3],
    momentum: [f64; 3],
    /// Sum of mass times velocity of the stepped grains, kg m/s, and of their mass, kg.
    stepped: [f64; 3],
    mass: f64,
}

/// Forgets the sums over the grains: they may have stopped, or been woken or moved.
pub(in crate::system) fn forget_moment(perturb: &mut PerturbState) {
    perturb.masses = None;
}

/// Returns the sums over the grains now. While gravity turns slowly those of a few steps ago are continued: the books need no more.
fn masses<D: Integrate>(
    world: &World<D>,
    perturb: &mut PerturbState,
    flying: &[u32],
    anew: bool,
) -> Masses {
    let (clock, arrays) = (&world.clock, &world.grains.arrays);
    let active = &world.grains.active;
    let counts = [active.len(), world.sleeping.still.count, flying.len()];
    let kept = perturb.masses.filter(|sums| {
        !anew
            && sums.counts == counts
            && (0.0..KEPT * clock.step).contains(&(clock.time() - sums.time))
    });
    if let Some(mut sums) = kept {
        let lasted = clock.time() - sums.time;
        sums.moment = std::array::from_fn(|k| sums.moment[k] + lasted * sums.momentum[k]);
        return sums;
    }
    let (mut moment, mut momentum) = (D::Vector::default(), D::Vector::default());
    let (mut stepped, mut mass) = (D::Vector::default(), 0.0);
    if world.sleeping.still.count > 0 {
        for slot in world.grains.standing() {
            let s = slot as usize;
            moment += arrays.position(s) * (1.0 / arrays.inverse_mass(s));
        }
    }
    for &slot in active {
        let s = slot as usize;
        let own = 1.0 / arrays.inverse_mass(s);
        moment += arrays.position(s) * own;
        stepped += world.velocity_now(s).0 * own;
        mass += own;
    }
    for &slot in flying {
        let s = slot as usize;
        let own = 1.0 / arrays.inverse_mass(s);
        let [position, velocity] = world.flight_at(s, clock.time());
        moment += position * own;
        momentum += velocity * own;
    }
    momentum += stepped;
    let sums = Masses {
        time: clock.time(),
        counts,
        moment: super::three(moment),
        momentum: super::three(momentum),
        stepped: super::three(stepped),
        mass,
    };
    perturb.masses = Some(sums);
    sums
}

/// Sets gravity, after a step, to that of the new time.
pub(in crate::system) fn follow_gravity<D: Integrate>(
    setup: &mut Setup<D>,
    world: &mut World<D>,
    ledger: &mut Ledger,
    perturb: &mut PerturbState,
) {
    if gravity_changes(perturb) {
        let time = world.clock.time();
        let (gravity, jumped) = perturb.gravity_at(&setup.sources.perturbs, time);
        set_gravity(setup, world, ledger, perturb, gravity, jumped);
    }
}

/// Sets the gravity that acts from the time of evaluation on. Without a jump it acted already in the half
/// step before, within the order of the integrators; with a jump it has acted for `jumped` s.
fn set_gravity<D: Integrate>(
    setup: &mut Setup<D>,
    world: &mut World<D>,
    ledger: &mut Ledger,
    perturb: &mut PerturbState,
    gravity: D::Vector,
    jumped: Option<f64>,
) {
    let now = world.clock.time();
    let flying = regimes::flying(world);
    for &slot in &flying {
        flight::restart(world, slot as usize, now);
    }
    let turned = gravity - world.physics.gravity;
    let swings = gravity_rate(setup, perturb).is_none();
    let sums = masses(world, perturb, &flying, swings || jumped.is_some());
    let moment = D::Vector::from_fn(|k| sums.moment[k]);
    let momentum = D::Vector::from_fn(|k| sums.stepped[k]);
    // All stepped grains get the same velocity: velocities at an evaluation of the leapfrogs hold half a step of gravity.
    let lasted = match jumped {
        Some(ago) => ago,
        None if world.clock.integrator.is_leapfrog() => 0.5 * world.clock.step,
        None => 0.0,
    };
    match jumped {
        Some(ago) => cluster::change::jump_gravity(
            &world.clock,
            &mut world.physics,
            &mut world.grains,
            gravity,
            ago,
        ),
        None => world.physics.gravity = gravity,
    }
    let added = turned * lasted;
    let kinetic = added.dot(&momentum) + 0.5 * sums.mass * added.norm_squared();
    ledger.perturbed += kinetic - turned.dot(&moment);
    setup.fields.gravity = gravity;
    perturb.acts = super::three(gravity);
}

/// Returns the part of a grain in the ledger's moment of masses, as work of the gravity beyond the
/// scenario's, J.
pub(in crate::system) fn lift<D: Integrate>(
    world: &World<D>,
    ledger: &Ledger,
    grain: &Grain<D>,
) -> f64 {
    let added = ledger.added_gravity(world);
    grain.mass * added.dot(&grain.position)
}
