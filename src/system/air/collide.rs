//! Collisions in flight: whether one is binary and short, and what follows.

use super::foresee::Except;
use super::impact::{Impact, Met, impact, turning};
use super::{Foreseen, Kind, Next, bent, foresee, handle};
use crate::cluster;
use crate::cluster::integrate::Integrate;
use crate::cluster::{Book, Other, World};
use crate::event::EventKind;
use crate::field::FieldSet;
use crate::geometry::{Dimension, Vector};
use crate::record::Sink;
use crate::system::air::Air;
use crate::system::journal::Journal;
use crate::system::{System, SystemError, driver, flight};
use crate::vector::Row;

/// Least time window in which a contact is checked for other bodies, in steps.
const LEAST_STEPS: f64 = 3.0;

/// State of a grain that a collision changes, kept to restore it.
struct Kept<D: Dimension> {
    slot: usize,
    row: Row,
    spin: Option<Row>,
    state: Row,
    rotation: Option<D::Rotation>,
    since: f64,
    /// What fields bend.
    bent: bent::Kept<D>,
}

/// Returns whether flyers, by slot, may collide at once with each other or with a wall: only disks and spheres, whose collisions are known.
fn may_be_at_once<D: Integrate>(
    world: &World<D>,
    air: &Option<Air>,
    flyers: &[u32],
    at_wall: bool,
) -> bool {
    let at_once = air.as_ref().and_then(|aloft| aloft.at_once.as_ref());
    at_once.is_some_and(|at_once| at_once.with_walls || !at_wall)
        && flyers
            .iter()
            .all(|&slot| world.grains.form_index(slot).is_none())
}

/// Returns whether a flyer, by slot, may collide at once in its next event.
pub(super) fn is_at_once<D: Integrate>(
    world: &World<D>,
    air: &mut Option<Air>,
    slot: u32,
    next: &Foreseen,
) -> bool {
    match next.next {
        Next::Wall => may_be_at_once(world, air, &[slot], true),
        Next::Pair => {
            let other = foresee::flyer(world, air, next.with).unwrap_or(slot);
            may_be_at_once(world, air, &[slot, other], false)
        }
        Next::Look | Next::Return => false,
    }
}

/// Handles the contact of two flyers.
pub(super) fn meet_pair<D: Integrate>(
    system: &mut System<D>,
    [a, b]: [u32; 2],
    time: f64,
    sink: &mut dyn Sink,
) -> Result<(), SystemError> {
    let (Some(first), Some(second)) = (
        foresee::flyer(&system.dem.world, &mut system.air, a),
        foresee::flyer(&system.dem.world, &mut system.air, b),
    ) else {
        foresee::foresee_again(&system.setup, &system.dem.world, &mut system.air, a, time)?;
        return Ok(());
    };
    let (p, q) = (
        foresee::path_of(&system.dem.world, first, time),
        foresee::path_of(&system.dem.world, second, time),
    );
    let d = cluster::observe::shortest(
        &system.dem.world.physics,
        &system.dem.world.cell,
        q.position - p.position,
    );
    let arrays = &system.dem.world.grains.arrays;
    let met = Met {
        a: first,
        b: Other::Slot(second),
        at: 0,
        normal: d * (1.0 / d.norm()),
        velocity: q.velocity - p.velocity,
        surface: turning(&system.dem.world, first) + turning(&system.dem.world, second),
        reach: arrays.radius(first as usize) + arrays.radius(second as usize),
        wall: D::Vector::default(),
        reference: D::Vector::default(),
        curvature: 0.0,
        pull: (q.acceleration - p.acceleration).norm(),
    };
    meet(system, &met, time, sink)
}

/// Handles the contact of a flyer with a wall.
pub(super) fn meet_wall<D: Integrate>(
    system: &mut System<D>,
    a: u32,
    [boundary, surface]: [u32; 2],
    time: f64,
    sink: &mut dyn Sink,
) -> Result<(), SystemError> {
    let Some(slot) = foresee::flyer(&system.dem.world, &mut system.air, a) else {
        handle::leave_air(&mut system.air, a);
        return Ok(());
    };
    let path = foresee::path_of(&system.dem.world, slot, time);
    let wall = &system.dem.world.walls.boundaries[boundary as usize];
    let gone = system.dem.world.walls.gone[boundary as usize];
    let radius = system.dem.world.grains.arrays.radius(slot as usize);
    let touch = wall.touch(surface, path.position, radius, time);
    let Some(touch) = touch.filter(|_| !gone) else {
        // The gate was opened meanwhile, or rounding puts the contact on another piece of the wall.
        foresee::foresee_again(&system.setup, &system.dem.world, &mut system.air, a, time)?;
        return Ok(());
    };
    let pull = path.acceleration - wall.boundary.motion.acceleration(time);
    let met = Met {
        a: slot,
        b: Other::Boundary(boundary as u16),
        at: surface,
        normal: -touch.normal,
        velocity: touch.velocity - path.velocity,
        surface: turning(&system.dem.world, slot),
        reach: radius,
        wall: touch.velocity,
        reference: touch.reference,
        curvature: touch.curvature,
        pull: pull.norm(),
    };
    meet(system, &met, time, sink)
}

fn keep<D: Integrate>(
    world: &World<D>,
    fields: &FieldSet<D>,
    air: &Option<Air>,
    slot: usize,
    time: f64,
) -> Kept<D> {
    let arrays = &world.grains.arrays;
    Kept {
        slot,
        row: arrays.rows[slot],
        spin: arrays.spins.get(slot).copied(),
        state: arrays.state[slot],
        rotation: arrays.rotation.get(slot).copied(),
        since: world.grains.since[slot],
        bent: bent::keep(world, fields, air, slot as u32, time),
    }
}

fn put_back<D: Integrate>(world: &mut World<D>, air: &mut Option<Air>, kept: &Kept<D>) {
    let (slot, arrays) = (kept.slot, &mut world.grains.arrays);
    arrays.rows[slot] = kept.row;
    arrays.state[slot] = kept.state;
    if let Some(spin) = kept.spin {
        arrays.spins[slot] = spin;
    }
    if let Some(rotation) = kept.rotation {
        arrays.rotation[slot] = rotation;
    }
    world.grains.since[slot] = kept.since;
    bent::put_back(world, air, slot as u32, &kept.bent);
}

/// Restarts a flyer's path with a velocity and a surface spin added to its own.
fn push<D: Integrate>(
    world: &mut World<D>,
    slot: u32,
    time: f64,
    velocity: D::Vector,
    surface: D::Spin,
) {
    let s = slot as usize;
    flight::restart(world, s, time);
    world.grains.kick(slot, velocity);
    let arrays = &mut world.grains.arrays;
    for k in 0..D::SPINS {
        let more = D::spin_component(surface, k);
        if D::N == 2 {
            arrays.rows[s].0[6] += more;
            arrays.state[s].0[2] += more;
        } else {
            arrays.spins[s].0[k] += more;
            arrays.state[s].0[4 + k] += more;
        }
    }
}

/// Lets two bodies in touch collide at once, or returns them to the grid of steps.
fn meet<D: Integrate>(
    system: &mut System<D>,
    met: &Met<D>,
    time: f64,
    sink: &mut dyn Sink,
) -> Result<(), SystemError> {
    let approach = -met.normal.dot(&met.velocity);
    let mut slots = vec![met.a];
    if let Other::Slot(b) = met.b {
        slots.push(b);
    }
    let id = |&slot: &u32| system.dem.world.grains.arrays.id[slot as usize];
    let ids: Vec<u32> = slots.iter().map(id).collect();
    if approach.is_nan() || approach <= 0.0 {
        return graze(system, &ids, time, sink);
    }
    let at_wall = matches!(met.b, Other::Boundary(_));
    if !may_be_at_once(&system.dem.world, &system.air, &slots, at_wall) {
        return handle::call_back(system, &ids, time, sink);
    }
    let impact = impact(
        &system.setup,
        &system.dem.world,
        &mut system.air,
        met,
        approach,
    );
    let step = system.dem.world.clock.step;
    let window = impact.duration.max(LEAST_STEPS * step);
    let at_once = system.air.as_ref().and_then(|aloft| aloft.at_once.as_ref());
    let limit = at_once.map_or(0.0, |at_once| at_once.way);
    let short = impact.way <= limit && impact.pulled <= limit;
    // Checks whether another body meets one of the two during the contact, on their present paths,
    let except = |k: usize| match met.b {
        Other::Slot(_) => Except::Grain(ids[1 - k]),
        Other::Boundary(wall) => Except::Surface(u32::from(wall), met.at),
    };
    let mut crowded = false;
    for (k, &slot) in slots.iter().enumerate() {
        crowded = crowded
            || short
                && foresee::foresee_flyer(
                    &system.setup,
                    &system.dem.world,
                    &mut system.air,
                    slot,
                    time,
                    Some(window),
                    except(k),
                )
                .next
                    != Next::Look;
    }
    // or on their paths after the collision.
    let kept: Vec<Kept<D>> = slots
        .iter()
        .map(|&s| {
            let (world, fields) = (&system.dem.world, &system.fields);
            keep(world, fields, &system.air, s as usize, time)
        })
        .collect();
    let grid = handle::grid_time(&system.dem.world, time);
    let free = slots
        .iter()
        .all(|&slot| bent::began(&system.dem.world, &system.air, slot) <= grid);
    if short && !crowded || !free {
        for (k, &slot) in slots.iter().enumerate() {
            let arrays = &system.dem.world.grains.arrays;
            let sign = if k == 0 { -1.0 } else { 1.0 };
            let s = slot as usize;
            let (m, i) = (arrays.inverse_mass(s), arrays.inverse_inertia(s));
            let mut turned = D::moment(-met.normal, impact.tangential) * i;
            if impact.couple != D::Spin::default() {
                turned += impact.couple * (-sign * i / arrays.radius(s));
            }
            let velocity = impact.impulse * (sign * m);
            push(&mut system.dem.world, slot, time, velocity, turned);
            bent::begin_path(system, slot);
        }
        let mut next = Vec::with_capacity(2);
        for &slot in &slots {
            next.push(foresee::foresee_flyer(
                &system.setup,
                &system.dem.world,
                &mut system.air,
                slot,
                time,
                None,
                Except::Nobody,
            ));
        }
        crowded |= next
            .iter()
            .any(|next| next.next != Next::Look && next.time < time + window);
        if !crowded || !free {
            for kept in &kept {
                system.dem.book.flows.fields.add(1.0, &kept.bent.given);
            }
            for (&id, next) in ids.iter().zip(next) {
                new_path(&system.dem.world, &mut system.air, id, time)?;
                handle::await_event(&mut system.air, id, next)?;
            }
            if crowded && let Some(aloft) = &mut system.air {
                aloft.s.tally.forced += 1;
            }
            return book(
                &system.dem.world,
                &mut system.dem.book,
                &mut system.air,
                &mut system.s.journal,
                met,
                &impact,
                time,
                sink,
            );
        }
        kept.iter()
            .for_each(|kept| put_back(&mut system.dem.world, &mut system.air, kept));
    }
    if let Some(aloft) = &mut system.air {
        aloft.s.tally.lasting += 1;
        aloft.s.tally.crowded += u64::from(crowded);
    }
    handle::call_back(system, &ids, time, sink)
}

/// Predicts anew what rounding led into a contact, though it recedes; what comes so once more at the same time would come for ever, and returns to the
/// grid.
fn graze<D: Integrate>(
    system: &mut System<D>,
    ids: &[u32],
    time: f64,
    sink: &mut dyn Sink,
) -> Result<(), SystemError> {
    let step = system.dem.world.clock.step;
    let Some(aloft) = &mut system.air else {
        return Ok(());
    };
    aloft.s.tally.grazes += 1;
    let again = |id: &u32| time - aloft.s.bodies[*id as usize].grazed < step;
    if ids.iter().any(again) {
        aloft.s.tally.lasting += 1;
        return handle::call_back(system, ids, time, sink);
    }
    for &id in ids {
        aloft.s.bodies[id as usize].grazed = time;
    }
    for &id in ids {
        foresee::foresee_again(&system.setup, &system.dem.world, &mut system.air, id, time)?;
    }
    Ok(())
}

/// Marks a flyer's path as new, which invalidates the events predicted for the old one.
fn new_path<D: Integrate>(
    world: &World<D>,
    air: &mut Option<Air>,
    id: u32,
    time: f64,
) -> Result<(), SystemError> {
    let Some(slot) = foresee::flyer(world, air, id) else {
        return Ok(());
    };
    let place = foresee::path_of(world, slot, time).position;
    if let Some(aloft) = air {
        aloft.register(id, Kind::Flyer, place);
        aloft.s.bodies[id as usize].path += 1;
    }
    Ok(())
}

/// Books and logs a collision.
fn book<D: Integrate>(
    world: &World<D>,
    book: &mut Book,
    air: &mut Option<Air>,
    journal: &mut Journal,
    met: &Met<D>,
    impact: &Impact<D>,
    time: f64,
    sink: &mut dyn Sink,
) -> Result<(), SystemError> {
    journal.count(EventKind::Collision);
    book.flows.collision += impact.lost;
    if let Other::Boundary(index) = met.b {
        let index = usize::from(index);
        // Impulse on the grain.
        let impulse = -impact.impulse;
        let work = impulse.dot(&met.wall);
        let slot = met.a as usize;
        let arrays = &world.grains.arrays;
        let touch = world.flight_at(slot, time)[0] + met.normal * arrays.radius(slot);
        let moment = D::moment(touch - met.reference, impulse);
        book.flows.walls += work;
        let sums = &mut book.wall_sums[index];
        for k in 0..D::N {
            sums[k] += impulse[k];
        }
        for k in 0..D::SPINS {
            sums[6 - D::SPINS + k] += D::spin_component(moment, k);
        }
        sums[6] += work;
    }
    if let Some(aloft) = air {
        let tally = &mut aloft.s.tally;
        match met.b {
            Other::Slot(_) => tally.pairs += 1,
            Other::Boundary(_) => {
                tally.walls += 1;
                tally.lost_at_walls += impact.lost;
            }
        }
    }
    if journal.tells_of_links() {
        let mut row = journal.row(time, EventKind::Collision);
        driver::put_body(world, &mut row, met.a);
        row.body_b = driver::body_ref(world, met.b);
        row.energy = impact.lost;
        row.cause = journal.causes.now;
        sink.event(&row)?;
    }
    Ok(())
}
