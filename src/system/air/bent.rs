//! Paths of flyers in fields that are not uniform: pieces of constant acceleration ([`crate::field::piece`]), one after another.
//!
//! A piece ends at its own time, at a collision and at the return to the grid. Energy and momentum that fields give are booked piece by piece;
//! pieces that continue are included where a balance is drawn up ([`in_progress`]).

use serde::{Deserialize, Serialize};

use super::{Air, foresee};
use crate::cluster::integrate::Integrate;
use crate::cluster::{Dem, FieldFlows, World};
use crate::field::{FieldPoint, FieldSet, piece};
use crate::geometry::{Dimension, Vector};
use crate::system::{System, afar, flight, regimes};

/// How long a flyer at rest without forces waits until fields are asked again, in steps.
const IDLE: f64 = 128.0;

/// The present piece of a flyer's path.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Piece {
    /// End, s.
    end: f64,
    /// Length intended for the next one, s.
    next: f64,
    /// When the path began, with the departure from the grid or with a collision, s: it is not followed back beyond that.
    began: f64,
}

impl Default for Piece {
    fn default() -> Self {
        Piece {
            end: f64::INFINITY,
            next: f64::INFINITY,
            began: f64::NEG_INFINITY,
        }
    }
}

/// Returns whether fields bend the paths of flyers.
fn are_bent<D: Integrate>(world: &World<D>) -> bool {
    !world.grains.pulls.is_empty()
}

/// Returns the state of a flyer at a time, as input to fields.
fn point_at<D: Integrate>(
    world: &World<D>,
    fields: &FieldSet<D>,
    slot: u32,
    time: f64,
) -> FieldPoint<D> {
    let [position, velocity] = world.flight_at(slot as usize, time);
    FieldPoint {
        position,
        velocity,
        ..afar::point(world, fields, slot, time)
    }
}

/// Returns what fields gave to a flyer on its present piece up to a time, s.
fn flown<D: Integrate>(world: &World<D>, fields: &FieldSet<D>, slot: u32, time: f64) -> FieldFlows {
    let since = world.grains.since[slot as usize];
    let lasted = time - since;
    if lasted == 0.0 {
        return FieldFlows::default();
    }
    let middle = point_at(world, fields, slot, since + 0.5 * lasted);
    let pull = world.pull_of(slot as usize);
    flows_of(fields, &piece::exchange(fields, &middle, pull, lasted))
}

/// Returns what fields gave, as it is booked: the work of fields that are not booked grain by grain is left out.
fn flows_of<D: Integrate>(fields: &FieldSet<D>, given: &piece::Exchange) -> FieldFlows {
    FieldFlows {
        work: if fields.is_booked() { given.work } else { 0.0 },
        drag: given.drag,
        momentum: given.momentum,
    }
}

/// Returns what fields gave to all flyers on their present pieces up to a time, s.
pub(in crate::system) fn in_progress<D: Integrate>(
    world: &World<D>,
    fields: &FieldSet<D>,
    time: f64,
) -> FieldFlows {
    let mut sum = FieldFlows::default();
    if are_bent(world) {
        for slot in regimes::flying(world) {
            sum.add(1.0, &flown(world, fields, slot, time));
        }
    }
    sum
}

/// Moves the start of a flyer's path to a time and books what fields gave until then. Its piece goes on.
pub(in crate::system) fn restart<D: Integrate>(
    dem: &mut Dem<D>,
    fields: &FieldSet<D>,
    slot: u32,
    time: f64,
) {
    if are_bent(&dem.world) {
        let given = flown(&dem.world, fields, slot, time);
        dem.book.flows.fields.add(1.0, &given);
    }
    flight::restart(&mut dem.world, slot as usize, time);
}

/// Begins the next piece of a flyer where its path starts; `anew` if the path begins there too.
pub(super) fn begin<D: Integrate>(
    world: &mut World<D>,
    fields: &FieldSet<D>,
    air: &mut Option<Air>,
    slot: u32,
    anew: bool,
) {
    if !are_bent(world) {
        return;
    }
    let (id, since) = (
        world.grains.arrays.id[slot as usize] as usize,
        world.grains.since[slot as usize],
    );
    let Some(aloft) = air else { return };
    if aloft.s.pieces.len() <= id {
        aloft.s.pieces.resize(id + 1, Piece::default());
    }
    let known = &mut aloft.s.pieces[id];
    if anew {
        (known.began, known.next) = (since, f64::INFINITY);
    }
    let limits = piece::Limits {
        // After a tilt gravity is not that of the fields.
        more: world.physics.gravity - fields.uniform_part(),
        wish: known.next,
        rate: 0.0,
        until: fields
            .next_event(since)
            .map_or(f64::INFINITY, |time| time - since),
        idle: IDLE * world.clock.step,
    };
    let begun = piece::piece(fields, &point_at(world, fields, slot, since), &limits);
    (known.end, known.next) = (since + begun.length, begun.next);
    world.grains.pulls[slot as usize] = begun.acceleration;
}

/// Begins the path of a flyer with the state in its row: of a grain that was just added, or has just collided.
pub(in crate::system) fn begin_path<D: Integrate>(system: &mut System<D>, slot: u32) {
    begin(
        &mut system.dem.world,
        &system.fields,
        &mut system.air,
        slot,
        true,
    );
}

/// Begins the path of a flyer at the time of the grid, or where it begins later.
pub(super) fn begin_here<D: Integrate>(system: &mut System<D>, slot: u32) {
    if are_bent(&system.dem.world) {
        let since = system.dem.world.grains.since[slot as usize];
        let time = since.max(system.dem.world.clock.time());
        restart(&mut system.dem, &system.fields, slot, time);
        begin_path(system, slot);
    }
}

/// Begins the next piece of a flyer's path if the present one is over at a time, s.
pub(super) fn go_on<D: Integrate>(system: &mut System<D>, id: u32, time: f64) {
    let Some(aloft) = &mut system.air else { return };
    let Some(piece) = aloft.s.pieces.get(id as usize) else {
        return;
    };
    // Rounding must not leave a piece of no length.
    if piece.end - time > 1e-6 * system.dem.world.clock.step {
        return;
    }
    let Some(slot) = foresee::flyer(&system.dem.world, &mut system.air, id) else {
        return;
    };
    restart(&mut system.dem, &system.fields, slot, time);
    begin(
        &mut system.dem.world,
        &system.fields,
        &mut system.air,
        slot,
        false,
    );
    if let Some(aloft) = &mut system.air {
        // Predictions of others with the former path are invalid.
        aloft.s.bodies[id as usize].path += 1;
        aloft.s.tally.pieces += 1;
    }
}

/// Returns how long the present piece of a flyer lasts from a time on, s.
pub(super) fn left(air: &Option<Air>, id: u32, time: f64) -> f64 {
    let piece = air
        .as_ref()
        .and_then(|aloft| aloft.s.pieces.get(id as usize));
    piece.map_or(f64::INFINITY, |piece| (piece.end - time).max(0.0))
}

/// Returns when the path of a flyer began, s.
pub(super) fn began<D: Integrate>(world: &World<D>, air: &Option<Air>, slot: u32) -> f64 {
    let id = world.grains.arrays.id[slot as usize];
    let piece = air
        .as_ref()
        .and_then(|aloft| aloft.s.pieces.get(id as usize));
    match piece {
        Some(piece) if are_bent(world) => piece.began,
        _ => world.grains.since[slot as usize],
    }
}

/// The piece of a flyer before a collision that may be undone, and what fields gave on it.
pub(super) struct Kept<D: Dimension> {
    pull: Option<D::Vector>,
    piece: Option<Piece>,
    /// Up to the collision.
    pub given: FieldFlows,
}

/// Keeps the piece of a flyer before a collision.
pub(super) fn keep<D: Integrate>(
    world: &World<D>,
    fields: &FieldSet<D>,
    air: &Option<Air>,
    slot: u32,
    time: f64,
) -> Kept<D> {
    let id = world.grains.arrays.id[slot as usize] as usize;
    let pieces = air.as_ref().map(|aloft| &aloft.s.pieces);
    Kept {
        pull: world.grains.pulls.get(slot as usize).copied(),
        piece: pieces.and_then(|pieces| pieces.get(id)).copied(),
        given: match are_bent(world) {
            true => flown(world, fields, slot, time),
            false => FieldFlows::default(),
        },
    }
}

/// Undoes what [`begin_path`] did after the collision.
pub(super) fn put_back<D: Integrate>(
    world: &mut World<D>,
    air: &mut Option<Air>,
    slot: u32,
    kept: &Kept<D>,
) {
    let id = world.grains.arrays.id[slot as usize] as usize;
    if let Some(pull) = kept.pull {
        world.grains.pulls[slot as usize] = pull;
    }
    if let (Some(aloft), Some(piece)) = (air, kept.piece) {
        aloft.s.pieces[id] = piece;
    }
}

/// Returns what fields gave to a stepped grain over a step around the evaluation, or from it on, and its dampers' power, W.
fn stepped<D: Integrate>(world: &World<D>, fields: &FieldSet<D>, slot: u32) -> (FieldFlows, f64) {
    let time = world.clock.time();
    let at = FieldPoint {
        velocity: world.velocity_now(slot as usize).0,
        ..afar::point(world, fields, slot, time)
    };
    let (force, _) = D::force(&world.grains.arrays, slot as usize);
    let inverse = world.grains.arrays.inverse_mass(slot as usize);
    let pull = D::Vector::from_fn(|k| force[k] * inverse + world.physics.gravity[k]);
    let given = piece::exchange(fields, &at, pull, world.clock.step);
    (flows_of(fields, &given), fields.dissipated_power(&at))
}

/// Ends the stepping of a grain at the evaluation: what was booked of the step to come is taken back.
pub(super) fn leave<D: Integrate>(dem: &mut Dem<D>, fields: &FieldSet<D>, slot: u32) {
    if !are_bent(&dem.world) {
        return;
    }
    let (given, damped) = stepped(&dem.world, fields, slot);
    let leapfrog = dem.world.clock.integrator.is_leapfrog();
    let flows = &mut dem.book.flows;
    if fields.is_booked() {
        flows.fields.add(if leapfrog { -0.5 } else { -1.0 }, &given);
        flows.last_fields.add(-1.0, &given);
    } else if leapfrog {
        // The dampers' work of the last half step is booked with the next one, which does not come.
        flows.damping += 0.5 * dem.world.clock.step * damped;
    }
}

/// Begins the stepping of a flyer at the evaluation, where fields are not booked grain by grain: the first step of its dampers is half a step.
pub(super) fn enter<D: Integrate>(dem: &mut Dem<D>, fields: &FieldSet<D>, slot: u32) {
    if !are_bent(&dem.world) || fields.is_booked() {
        return;
    }
    if dem.world.clock.integrator.is_leapfrog() {
        let time = dem.world.clock.time();
        let damped = fields.dissipated_power(&afar::point(&dem.world, fields, slot, time));
        dem.book.flows.damping -= 0.5 * dem.world.clock.step * damped;
    }
}
