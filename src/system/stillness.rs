//! Checks whether nothing moves: the end of settling, and jams.

use super::groups::Asked;
use super::jam_watch::{ANY_CREEP, Doubt, JamWatch};
use super::rattlers::{Mover, SWINGS, Touch, all_rattle, are_few};
use super::traffic::Traffic;
use super::{
    OutletSetup, Setup, System, SystemError, carry, outlet, patch, perturb, regimes, rest,
};
use crate::cluster;
use crate::cluster::arrays::Status;
use crate::cluster::integrate::Integrate;
use crate::cluster::{ContactRef, Other, World};
use crate::event::EventKind;
use crate::field::FieldSet;
use crate::geometry::Vector;
use crate::record::{Jam, Sink};

/// The greatest kinetic energy of a grain at rest over m g d.
const JAM_KINETIC: f64 = 1e-6;

/// Greatest displacement of a grain of the arch over all checks that find a jam, in diameters: a rattler that swings beside it strains it by
/// some thousandths, to and fro.
const JAM_CREEP: f64 = 5e-3;

/// Time without a passage after which an outlet is silent, in roots of diameter over gravity.
const SILENT: f64 = 20.0;

/// Result of a jam check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// More grains move than rattlers.
    Restless,
    /// All but rattlers shake so little that none could climb out of its place: a bed with little damping vibrates for long.
    /// Such checks count half.
    Shakes,
    /// Nothing moves but rattlers.
    Rattles,
    /// Nothing moves.
    Still,
}

/// The least kinetic energy of a moving grain, over m g d: for all, and where a bed may shake.
pub(super) const LEASTS: [f64; 2] = [JAM_KINETIC, 1e-4];

impl Look {
    /// Returns the result of a check at which only these grains, rattlers, had at least so much energy.
    pub fn of(least: f64, moving: &[Mover]) -> Look {
        match (least > JAM_KINETIC, moving.is_empty()) {
            (true, _) => Look::Shakes,
            (false, true) => Look::Still,
            (false, false) => Look::Rattles,
        }
    }
}

/// Checks, while settling, whether the grains are at rest; if so, sets the clock to 0.
pub(super) fn look_for_rest<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
    time: f64,
) -> Result<(), SystemError> {
    let Some(settle) = system.setup.run.settle else {
        return Ok(());
    };
    let (kinetic, weight, flying) =
        restlessness(&system.setup, &system.dem.world, &system.fields, time);
    let calm = !flying && kinetic <= settle.kinetic_fraction * weight;
    if system.s.watch.settle(calm) {
        end_settling(system, sink)?;
        return regimes::renew(system, sink);
    }
    Ok(())
}

/// Ends settling: sets the clock to 0, and begins the run. The lists must be rebuilt.
pub(super) fn end_settling<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
) -> Result<(), SystemError> {
    system.s.watch.begin();
    let shift = -system.dem.world.clock.time();
    system.dem.world.clock.origin += shift;
    system.dem.world.sleeping.still.fields.shift_clock(shift);
    system.s.stage.origin = system.dem.world.clock.origin;
    for since in &mut system.dem.world.grains.since {
        *since += shift;
    }
    cluster::guided::set_clock_of_guided(&system.dem.world.clock, &mut system.dem.world.walls);
    system.s.schedule.clear();
    system.begin(sink)
}

/// Begins the run although the grains are not at rest: the time for settling is over.
pub(super) fn give_up_settling<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
) -> Result<(), SystemError> {
    system.s.warnings.push(format!(
        "the grains had not come to rest after {} s of settling; the run starts all the same",
        system.setup.run.settle.map_or(0.0, |s| s.at_most)
    ));
    system.begin(sink)?;
    // Flyers are predicted anew.
    match regimes::all_step(system) {
        true => Ok(()),
        false => regimes::renew(system, sink),
    }
}

/// Returns position (m), velocity (m/s) and spin times radius (m/s) of a stepped or flying slot.
fn motion_of<D: Integrate>(world: &World<D>, slot: usize) -> (D::Vector, D::Vector, [f64; 3]) {
    let now = world.state_at(slot, world.clock.time());
    (now.position, now.velocity, now.surface_spin)
}

/// Returns the distance of a slot from its position at the first calm check, over its diameter, and whether it is on its way back.
fn gone<D: Integrate>(world: &World<D>, watch: &JamWatch, slot: u32) -> (f64, bool) {
    let arrays = &world.grains.arrays;
    let (id, radius) = (arrays.id[slot as usize], arrays.radius(slot as usize));
    let Some(since) = watch.place(id) else {
        return (0.0, false);
    };
    let (place, velocity, _) = motion_of(world, slot as usize);
    let then = D::Vector::from_fn(|k| since[k]);
    let gone = cluster::observe::shortest(&world.physics, &world.cell, place - then);
    (gone.norm() / (2.0 * radius), gone.dot(&velocity) < 0.0)
}

/// Returns the kinetic energy of a stepped or flying slot over m g d.
fn liveliness<D: Integrate>(setup: &Setup<D>, world: &World<D>, slot: u32) -> f64 {
    let (arrays, slot) = (&world.grains.arrays, slot as usize);
    let g = setup.fields.gravity.norm();
    let (_, v, s) = motion_of(world, slot);
    let turning = super::ledger::turning_energy(world, slot, s);
    let kinetic = 0.5 * v.norm_squared() / arrays.inverse_mass(slot) + turning;
    kinetic / (2.0 * arrays.radius(slot) * g / arrays.inverse_mass(slot))
}

/// Returns the grains that have at least so much kinetic energy over m g d, in order of their numbers, with their contacts; `None` where
/// they are too many or have too much energy for rattlers. `grains`: number of grains in all.
pub(super) fn movers<D: Integrate>(
    setup: &Setup<D>,
    world: &World<D>,
    watch: &JamWatch,
    least: f64,
    grains: usize,
) -> Option<Vec<Mover>> {
    let arrays = &world.grains.arrays;
    let g = setup.fields.gravity.norm();
    let down = setup.fields.gravity * (1.0 / g);
    let mut place = std::collections::BTreeMap::new();
    let mut moving = Vec::new();
    let flying = regimes::flying(world);
    for &slot in world.grains.active.iter().chain(&flying) {
        let energy = liveliness(setup, world, slot);
        if energy < least {
            continue;
        }
        if energy >= SWINGS || !are_few(moving.len() + 1, grains) {
            return None;
        }
        place.insert(slot, moving.len());
        let (gone, returns) = gone(world, watch, slot);
        moving.push(Mover {
            id: arrays.id[slot as usize],
            energy,
            gone,
            returns,
            weight: g / arrays.inverse_mass(slot as usize),
            touches: Vec::new(),
        });
    }
    if moving.is_empty() {
        return Some(moving);
    }
    let name = |other: Other| match other {
        Other::Slot(slot) => Some(arrays.id[slot as usize]),
        Other::Boundary(_) => None,
    };
    cluster::observe::each_contact(world, |view: ContactRef<D>| {
        let force = view.kinematics.normal * view.normal_force + view.tangential_force;
        let (along, size) = (force.dot(&down), force.norm());
        let mut touch = |slot: u32, other: Other, sign: f64| {
            if let Some(&at) = place.get(&slot) {
                moving[at].touches.push(Touch {
                    other: name(other),
                    down: sign * along,
                    force: size,
                });
            }
        };
        touch(view.a, view.b, 1.0);
        if let Other::Slot(b) = view.b {
            touch(b, Other::Slot(view.a), -1.0);
        }
    });
    for mover in &mut moving {
        // The engine's order depends on how the lists were made.
        let key = |touch: &Touch| touch.other.map_or(-1, i64::from);
        mover.touches.sort_by(|p, q| {
            key(p)
                .cmp(&key(q))
                .then(p.down.total_cmp(&q.down))
                .then(p.force.total_cmp(&q.force))
        });
    }
    moving.sort_by_key(|mover| mover.id);
    Some(moving)
}

/// Returns the position of each grain, by number.
pub(super) fn places<D: Integrate>(world: &World<D>) -> Vec<(u32, [f64; 3])> {
    let arrays = &world.grains.arrays;
    let mut places: Vec<(u32, [f64; 3])> = (1..arrays.slots())
        .filter(|&slot| arrays.status[slot].is_grain())
        .map(|slot| {
            let x = arrays.position(slot);
            let x = std::array::from_fn(|k| if k < D::N { x[k] } else { 0.0 });
            (arrays.id[slot], x)
        })
        .collect();
    places.sort_unstable_by_key(|place| place.0);
    places
}

/// Returns whether the arch has crept since the first calm check: any of its grains, or where there is none any grain at all,
/// except rattlers. Grains that were absent then are skipped.
fn creeps<D: Integrate>(
    world: &World<D>,
    watch: &JamWatch,
    arch: &[u32],
    moving: &[Mover],
) -> bool {
    let arrays = &world.grains.arrays;
    let most = if arch.is_empty() {
        ANY_CREEP
    } else {
        JAM_CREEP
    };
    (1..arrays.slots())
        .filter(|&slot| arrays.status[slot].is_grain())
        .filter(|&slot| arch.is_empty() || arch.contains(&arrays.id[slot]))
        .any(|slot| {
            let id = arrays.id[slot];
            let Some(since) = watch.place(id) else {
                return false;
            };
            let then = D::Vector::from_fn(|k| since[k]);
            let gone = cluster::observe::shortest(
                &world.physics,
                &world.cell,
                arrays.position(slot) - then,
            )
            .norm();
            gone > most * 2.0 * arrays.radius(slot)
                && moving.binary_search_by_key(&id, |mover| mover.id).is_err()
        })
}

/// Books the result of a jam check; returns whether the calm has lasted long enough.
pub(super) fn book_look<D: Integrate>(world: &World<D>, watch: &mut JamWatch, look: Look) -> bool {
    let mut taken = std::mem::take(watch);
    let enough = taken.book(look, || places(world));
    *watch = taken;
    enough
}

/// Returns when the last grain passed an outlet; and since when none has come or left, and nothing from outside has disturbed them.
pub(super) fn silence(traffic: &Traffic, watch: &JamWatch) -> (Option<f64>, f64) {
    let last = traffic.last_out();
    let start = traffic.changed().max(watch.disturbed());
    (last, start.max(0.0))
}

/// Returns the warnings of a run that is over without a jam while an outlet is silent below grains.
pub(super) fn silent_outlets<D: Integrate>(
    setup: &Setup<D>,
    world: &World<D>,
    traffic: &Traffic,
    watch: &JamWatch,
    end: f64,
) -> Vec<String> {
    let g = setup.fields.gravity.norm();
    let walls = &setup.boundaries;
    // An outlet that a gate shuts is silent for a reason.
    let shut = walls.iter().any(|b| b.opens_at.is_some_and(|t| t > end));
    if g <= 0.0 || shut || watch.jam().is_some() {
        return Vec::new();
    }
    let grains = outlet::grains_at(world, watch, end);
    let diameter =
        2.0 * grains.iter().map(|grain| grain.radius).sum::<f64>() / grains.len().max(1) as f64;
    let unit = (diameter / g).sqrt();
    let mut warnings = Vec::new();
    for (k, outlet) in setup.sources.outlets.iter().enumerate() {
        let above = match outlet {
            OutletSetup::Plane { .. } => grains
                .iter()
                .filter(|grain| !outlet.takes(grain.position, grain.radius))
                .count(),
            OutletSetup::Inside { min, max } => {
                let middle = (*min + *max) * 0.5;
                let up = setup.fields.gravity * (-1.0 / g);
                grains
                    .iter()
                    .filter(|grain| (grain.position - middle).dot(&up) > 0.0)
                    .count()
            }
            // Such a box is no outlet, but removes grains that are lost.
            OutletSetup::Outside { .. } => 0,
        };
        let last = traffic.last_through(k);
        let silent = end - last.unwrap_or(0.0).max(watch.disturbed());
        if above > 0 && silent >= SILENT * unit {
            warnings.push(format!(
                    "nothing went through outlet[{k}] for the last {silent:.3} s, {:.0} times the root of diameter over \
                     gravity, though {above} grains are above it; no jam was established before the end: let the run go on \
                     (a later `run.end_time`) before it is counted as one that flows",
                    silent / unit
                ));
        }
    }
    warnings
}

/// Returns the kinetic energy, the sum of m g d and of loads times d, and whether any grain flies.
pub(super) fn restlessness<D: Integrate>(
    setup: &Setup<D>,
    world: &World<D>,
    fields: &FieldSet<D>,
    time: f64,
) -> (f64, f64, bool) {
    let arrays = &world.grains.arrays;
    let g = setup.fields.gravity.norm();
    let (mut weight, mut radii, mut grains) = (0.0, 0.0, 0.0);
    let mut flying = false;
    for slot in 1..arrays.slots() {
        if arrays.status[slot].is_grain() {
            weight += 2.0 * arrays.radius(slot) * g / arrays.inverse_mass(slot);
            radii += arrays.radius(slot);
            grains += 1.0;
            flying |= arrays.status[slot] == Status::Flying;
        }
    }
    // Walls that forces move must be at rest too, and their load helps to hold the bed together.
    let (swing, load) = cluster::guided::guided_restlessness(&world.physics, &world.walls);
    if grains > 0.0 {
        weight += load * 2.0 * radii / grains;
    }
    let kinetic = super::ledger::held(world, fields, time).kinetic;
    (kinetic + swing, weight, flying)
}

/// Checks whether nothing can move any more: all but rattlers at rest for a while, nothing to come.
pub(super) fn look_for_jam<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
    time: f64,
) -> Result<(), SystemError> {
    let to_come = system.s.sources.to_come(&system.setup)
        || system
            .setup
            .boundaries
            .iter()
            .any(|b| b.opens_at.is_some_and(|t| t > time) || b.goes_on(time))
        || system.fields.next_event(time).is_some()
        || perturb::gravity_changes(&system.s.perturb);
    if perturb::gravity_changes(&system.s.perturb) {
        system.s.watch.sway(time);
    }
    let grains = system.grain_count();
    let mut found = None;
    if !to_come && grains > 0 {
        let looks = LEASTS.into_iter().map(|least| {
            (
                least,
                movers(
                    &system.setup,
                    &system.dem.world,
                    &system.s.watch,
                    least,
                    grains,
                ),
            )
        });
        found = looks.into_iter().find_map(|(least, moving)| {
            let moving = moving.filter(|moving| all_rattle(moving, D::N))?;
            Some((Look::of(least, &moving), moving))
        });
    }
    let (look, moving) = found.unwrap_or((Look::Restless, Vec::new()));
    let mut enough = book_look(&system.dem.world, &mut system.s.watch, look);
    enough &= system.s.watch.all_stay(&moving);
    let (flow_stopped, began) = silence(&system.s.traffic, &system.s.watch);
    let mut arch = Jam::default();
    if enough {
        arch = super::arch::find(&system.dem, &system.setup.sources.outlets, began);
        let shakes = look == Look::Shakes;
        if creeps(&system.dem.world, &system.s.watch, &arch.arch, &moving)
            || shakes && creeps(&system.dem.world, &system.s.watch, &[], &moving)
        {
            system.s.watch.restless();
            enough = false;
        }
    }
    if enough {
        let done = undo_rest(system, sink)?;
        if done != Doubt::No {
            regimes::renew(system, sink)?;
        }
        if done == Doubt::Step {
            // All grains are stepped now, and their motion decides.
            system.s.watch.restless();
            enough = false;
        } else if done == Doubt::Solve {
            // A solve that wakes only grains that bear nothing leaves the jam as it is.
            let woken = movers(
                &system.setup,
                &system.dem.world,
                &system.s.watch,
                0.0,
                grains,
            );
            enough = woken.is_some_and(|woken| all_rattle(&woken, D::N));
            if !enough {
                system.s.watch.look_again();
            }
        }
    }
    if enough {
        system.s.journal.count(EventKind::Jam);
        system.s.journal.causes.now = system.s.journal.causes.link;
        system.s.journal.causes.end = system.log(sink, time, EventKind::Jam, None)?;
        system.s.journal.causes.now = 0;
        if system.setup.models.morph.is_some() {
            // Loads have been solved since.
            arch = super::arch::find(&system.dem, &system.setup.sources.outlets, began);
        }
        let jam = Jam {
            flow_stopped,
            verdict_time: time,
            ..arch
        };
        perturb::jam(system, jam, time);
    }
    Ok(())
}

/// Tests a jam before it is accepted: solves for all loads, and wakes grains that only seemed to be at rest; returns what was done, if it
/// woke any. Where that happens again and again and nothing comes out meanwhile, all grains are stepped at last; the jam that these form
/// is accepted.
fn undo_rest<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
) -> Result<Doubt, SystemError> {
    let Some(morph) = system.setup.models.morph else {
        return Ok(Doubt::No);
    };
    if system.dem.world.sleeping.still.count == 0 {
        return Ok(Doubt::No);
    }
    let doubt = system.s.watch.doubt(system.s.traffic.discharged());
    let woke = match doubt {
        Doubt::Solve => {
            perturb::forget_moment(&mut system.s.perturb);
            // Of all, wherever loads may have come.
            patch::load_all(&mut system.dem.world);
            let solved = carry::carry(system, sink, &morph, &Asked::All)?;
            solved.is_some_and(|solved| !solved.woken.is_empty())
        }
        Doubt::Step => {
            let all = system.dem.world.grains.standing();
            rest::wake_grains(system, sink, &all)?
        }
        Doubt::No => false,
    };
    Ok(if woke { doubt } else { Doubt::No })
}
