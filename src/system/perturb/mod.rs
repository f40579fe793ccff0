//! Perturbations from outside: taps, shakes, tilts, removed grains; and how they end a jam.
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::schedule::Source;
use super::{Setup, System, SystemError, ledger};
use crate::cluster;
use crate::cluster::integrate::Integrate;
use crate::cluster::{Border, World};
use crate::control::ArchGrain;
use crate::event::EventKind;
use crate::geometry::three;
use crate::geometry::{Dimension, Vector};
use crate::record::{Jam, Sink};
use crate::system::jam_watch::JamWatch;
use crate::system::traffic::Traffic;
use crate::system::{air, driver, outlet, patch, regimes, rest, turning};

pub(in crate::system) use gravity::{
    follow_gravity, forget_moment, gravity_changes, gravity_is_slow, gravity_rate, lift,
    loads_change, schedule_gravity,
};

mod gravity;
mod setup;

pub(crate) use gravity::SLOW;
pub(in crate::system) use setup::gravity_course;
pub use setup::{PerturbKind, PerturbSetup, PerturbWhen, Victim};

/// A perturbation in progress.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Running {
    /// Index of the perturbation.
    index: usize,
    /// Time of its start, s.
    since: f64,
}

/// State of perturbations and jams that the driver keeps.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct PerturbState {
    /// Perturbations in progress, in order of their start.
    running: Vec<Running>,
    /// Gravity that acts, m/s^2.
    acts: [f64; 3],
    /// Gravity without the perturbations in progress, m/s^2.
    stays: [f64; 3],
    /// All jams so far.
    pub jams: Vec<Jam>,
    /// Sums over the grains while gravity changes.
    masses: Option<gravity::Masses>,
}

impl PerturbState {
    /// Creates the state at the start of a setup.
    pub fn new<D: Dimension>(setup: &Setup<D>) -> Self {
        let gravity = three(setup.fields.gravity);
        PerturbState {
            running: Vec::new(),
            acts: gravity,
            stays: gravity,
            jams: Vec::new(),
            masses: None,
        }
    }
}

/// Grains that a perturbation touches.
enum Touched {
    Grains(Vec<u32>),
    All,
}

/// Establishes a jam: nothing can move any more, and no grain is stepped until something comes from outside.
pub(super) fn jam<D: Integrate>(system: &mut System<D>, jam: Jam, time: f64) {
    let state = &mut system.s;
    state.perturb.jams.push(jam.clone());
    state.watch.stand(jam);
    state.schedule.cancel(Source::Jam);
    for (source, turn) in state.sources.after_jam(&system.setup, time) {
        state.schedule.set(source, turn.time, turn.kind);
    }
}

/// Applies a perturbation at its time.
pub(super) fn perturb<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
    index: usize,
    time: f64,
) -> Result<(), SystemError> {
    if turning::own_frame(&system.setup).is_some() && index == 0 {
        // The turning of gravity in the frame of a vessel: in the laboratory it does not turn.
        system.s.sources.perturbed(index);
        return start(system, sink, index, 0.0);
    }
    let PerturbSetup { kind, .. } = system.setup.sources.perturbs[index];
    let Some(touched) = touched(
        &system.dem.world,
        &system.dem.border,
        &system.s.traffic,
        &system.s.watch,
        &kind,
    ) else {
        system.s.warnings.push(format!(
            "perturb[{index}] found no grain at {time:.6} s: nothing was done"
        ));
        return Ok(());
    };
    system.s.sources.perturbed(index);
    system.s.journal.count(EventKind::Perturb);
    let jam = if system.s.watch.jam().is_some() {
        system.s.journal.causes.end
    } else {
        0
    };
    go_on(system, time);
    let mut row = system.s.journal.row(time, EventKind::Perturb);
    row.cause = jam;
    if let Touched::Grains(slots) = &touched
        && let [slot] = slots[..]
    {
        driver::put_body(&system.dem.world, &mut row, slot);
    }
    if let (PerturbKind::Tap { velocity, .. }, Touched::Grains(slots)) = (&kind, &touched) {
        row.energy = given(&system.dem.world, slots, *velocity)
            + turning::given_beyond(&system.setup, &system.dem.world, slots, *velocity);
    }
    system.s.journal.causes.now = row.seq;
    if system.setup.log.events != super::EventLog::None {
        sink.event(&row)?;
    }
    match (kind, touched) {
        (PerturbKind::Tap { velocity, .. }, Touched::Grains(slots)) => {
            tap(system, sink, &slots, velocity)?;
        }
        (PerturbKind::Remove(_), Touched::Grains(slots)) => {
            take_away(system, sink, &slots, time)?;
        }
        _ => {
            let since = system.dem.world.clock.time();
            start(system, sink, index, since)?;
        }
    }
    system.s.journal.causes.now = 0;
    Ok(())
}

/// Starts a change of gravity, which goes on since a time, s.
fn start<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
    index: usize,
    since: f64,
) -> Result<(), SystemError> {
    system.s.perturb.running.push(Running { index, since });
    if !gravity_is_slow(&system.setup, &system.s.perturb) {
        let standing = system.dem.world.grains.standing();
        rest::wake_grains(system, sink, &standing)?;
    }
    system.s.rest.balanced = false;
    patch::load_all(&mut system.dem.world);
    forget_moment(&mut system.s.perturb);
    // Flyers come back to the grid; gravity changes at this evaluation already.
    regimes::renew(system, sink)?;
    follow_gravity(
        &mut system.setup,
        &mut system.dem.world,
        &mut system.s.ledger,
        &mut system.s.perturb,
    );
    Ok(())
}

/// Returns the grains that a perturbation will touch; `None` if there are none.
fn touched<D: Integrate>(
    world: &World<D>,
    border: &Border,
    traffic: &Traffic,
    watch: &JamWatch,
    kind: &PerturbKind<D>,
) -> Option<Touched> {
    if kind.change().is_some() {
        return (driver::grain_count(world, border, traffic) > 0).then_some(Touched::All);
    }
    let now = world.clock.time();
    let arrays = &world.grains.arrays;
    let id = |slot: u32| arrays.id[slot as usize];
    let there = (1..arrays.slots() as u32)
        .filter(|&slot| arrays.status[slot as usize].is_grain())
        .map(|slot| (slot, id(slot), world.position_at(slot as usize, now)));
    let slots = match kind {
        PerturbKind::Remove(Victim::OfArch(which)) => {
            let jam = watch.jam()?;
            let chosen = match which {
                ArchGrain::Weakest => u32::try_from(jam.weakest?.a).ok()?,
                ArchGrain::Middle => *jam.arch.get(jam.arch.len() / 2)?,
            };
            there
                .filter(|&(_, id, _)| id == chosen)
                .map(|(slot, ..)| slot)
                .collect()
        }
        _ => kind.touched(there),
    };
    (!slots.is_empty()).then_some(Touched::Grains(slots))
}

/// Ends a jam, if there is one: the clock of steps goes on from `time`.
pub(super) fn go_on<D: Integrate>(system: &mut System<D>, time: f64) {
    if !system.s.watch.perturb(time) {
        return;
    }
    cluster::sleep_interface::skip_to(
        &mut system.dem.world.clock,
        &system.dem.world.sleeping,
        &mut system.dem.book,
        time,
    );
    let look = system.s.sources.look().after(time);
    system.s.schedule.set(Source::Jam, look.time, look.kind);
    if !system.setup.sources.outlets.is_empty() {
        // From the count, so that rounding does not add up.
        let every = system.setup.sources.outlet_interval;
        let tick = (time / every).floor();
        if let Some(looks) = system.s.sources.ticker(Source::Outlet) {
            looks.set(tick as u64);
        }
        system.s.schedule.cancel(Source::Outlet);
        system.s.schedule.set(
            Source::Outlet,
            (tick + 1.0) * every,
            EventKind::DeleteBodies,
        );
    }
}

/// Returns the kinetic energy that grains gain when a velocity is added to their own, J.
fn given<D: Integrate>(world: &World<D>, slots: &[u32], velocity: D::Vector) -> f64 {
    let arrays = &world.grains.arrays;
    let of = |&slot: &u32| {
        let s = slot as usize;
        let own = world.state_at(s, world.clock.time()).velocity;
        (own.dot(&velocity) + 0.5 * velocity.norm_squared()) / arrays.inverse_mass(s)
    };
    slots.iter().map(of).sum()
}

/// Adds a velocity to that of grains.
fn tap<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
    slots: &[u32],
    velocity: D::Vector,
) -> Result<(), SystemError> {
    let id = &system.dem.world.grains.arrays.id;
    let mut tapped: Vec<u32> = slots.iter().map(|&slot| id[slot as usize]).collect();
    tapped.sort_unstable();
    let still = |slot: &u32| system.dem.world.grains.stands(*slot);
    let still: Vec<u32> = slots.iter().copied().filter(still).collect();
    let mut slots = slots.to_vec();
    if rest::wake_grains(system, sink, &still)? {
        // Woken grains begin to step; slots change.
        regimes::renew(system, sink)?;
        let arrays = &system.dem.world.grains.arrays;
        slots = (1..arrays.slots() as u32)
            .filter(|&slot| arrays.status[slot as usize].is_grain())
            .filter(|&slot| tapped.binary_search(&arrays.id[slot as usize]).is_ok())
            .collect();
    }
    let now = system.dem.world.clock.time();
    for slot in regimes::flying(&system.dem.world) {
        air::restart(&mut system.dem, &system.fields, slot, now);
    }
    let damped = ledger::passed(&system.dem).damping;
    system.s.ledger.perturbed += given(&system.dem.world, &slots, velocity);
    for slot in slots {
        system.dem.world.grains.kick(slot, velocity);
    }
    // The work of the dampers of this evaluation is computed with the present velocities.
    let shifted = ledger::passed(&system.dem).damping - damped;
    system.dem.book.flows.damping -= shifted;
    air::forget_flyers(&mut system.air);
    regimes::renew(system, sink)
}

/// Removes grains, with all energy that they hold.
fn take_away<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
    slots: &[u32],
    time: f64,
) -> Result<(), SystemError> {
    system.account(time);
    let mut rows = BTreeMap::new();
    for (before, &slot) in slots.iter().enumerate() {
        let grain = system.grain_at(slot, time);
        let potential = system.potential_of(&grain, time, &slots[..before]);
        let ledger = &mut system.s.ledger;
        ledger.removed += grain.kinetic_energy() + potential;
        ledger.removed_potential += potential;
        system.s.ledger.perturbed += lift(&system.dem.world, &system.s.ledger, &grain);
        system.s.traffic.take_away();
        system.s.journal.count(EventKind::DeleteBodies);
        let seq = system.log(sink, time, EventKind::DeleteBodies, Some(slot))?;
        rows.insert(grain.id, seq);
    }
    outlet::remove_grains(system, sink, slots, time, &rows)?;
    rest::wake_unbalanced(system, sink)?;
    regimes::renew(system, sink)
}
