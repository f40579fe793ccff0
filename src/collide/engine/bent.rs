//! Paths in non-uniform fields ([`crate::field::piece`]).

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Core;
use super::state::{self, COUNT, RADIUS, SPEED};
use crate::field::{
    FieldPoint, FieldSet, GravityCourse, NonUniformFields, OwnFieldHandle, Source, piece,
};
use crate::geometry::path::{Path, spheres};
use crate::geometry::{Dimension, Vector};

/// Fields in addition to gravity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Fields<D: Dimension> {
    /// Drag force over velocity, the same for all grains, N s/m.
    pub drag: f64,
    /// Change of gravity with time.
    pub course: GravityCourse<D>,
    /// All other fields.
    pub place: NonUniformFields<D>,
}

/// Serialized form of the fields of an engine.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
struct Told<D: Dimension> {
    gravity: D::Vector,
    fields: Fields<D>,
}

/// Fields in the form used for evaluation.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(from = "Told<D>", into = "Told<D>", bound = "")]
struct Asked<D: Dimension> {
    told: Told<D>,
    set: Arc<FieldSet<D>>,
}

impl<D: Dimension> From<Asked<D>> for Told<D> {
    fn from(asked: Asked<D>) -> Self {
        asked.told
    }
}

impl<D: Dimension> From<Told<D>> for Asked<D> {
    fn from(told: Told<D>) -> Self {
        let set = FieldSet::with_gravity_and_drag(told.gravity, told.fields.drag);
        let mut set = set.with_place(&told.fields.place, told.gravity);
        if !told.fields.course.is_steady() {
            set.add(told.fields.course.clone());
        }
        Asked {
            told,
            set: Arc::new(set),
        }
    }
}

/// A piece of a grain's path. Times are relative to the epoch.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub(super) struct Piece<D: Dimension> {
    /// Acceleration, m/s^2.
    pub acceleration: D::Vector,
    /// Start, s.
    pub since: f64,
    /// End without a collision, s.
    pub end: f64,
    /// Length intended for the next piece, s.
    length: f64,
    /// Number of pieces that did not begin with a collision.
    pub count: u32,
}

impl<D: Dimension> Piece<D> {
    /// An endless piece, for a grain without acceleration.
    fn none() -> Self {
        Piece {
            acceleration: D::Vector::default(),
            since: 0.0,
            end: f64::INFINITY,
            length: f64::INFINITY,
            count: 0,
        }
    }
}

/// Effects of fields since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FieldTally {
    /// Number of pieces of paths.
    pub pieces: u64,
    /// Work, except that of fields with a potential, J.
    pub work: f64,
    /// Energy lost by drag, J.
    pub drag: f64,
    /// Momentum, including that of gravity, N s.
    pub momentum: [f64; 3],
}

/// Paths of all grains in fields; without pieces if there is only gravity.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub(super) struct Bent<D: Dimension> {
    asked: Option<Asked<D>>,
    /// One piece per slot.
    pub pieces: Vec<Piece<D>>,
    pub tally: FieldTally,
}

impl<D: Dimension> Bent<D> {
    /// Paths of `grains` grains, with or without fields.
    pub fn new(gravity: D::Vector, fields: Option<&Fields<D>>, grains: usize) -> Self {
        let asked = fields.map(|fields| {
            Asked::from(Told {
                gravity,
                fields: fields.clone(),
            })
        });
        Bent {
            pieces: vec![Piece::none(); if asked.is_some() { grains } else { 0 }],
            asked,
            tally: FieldTally::default(),
        }
    }

    /// Sets the fields supplied by a program, which are not part of a saved state.
    pub fn bring(&mut self, own: &[OwnFieldHandle]) {
        if let Some(asked) = &mut self.asked {
            let mut told = asked.told.clone();
            told.fields.place.own = own.to_vec();
            *asked = told.into();
        }
    }

    /// Moves the epoch forward by `shift`, s.
    pub fn shift(&mut self, shift: f64) {
        for piece in &mut self.pieces {
            piece.since -= shift;
            piece.end -= shift;
        }
    }

    /// Adds a grain.
    pub fn grow(&mut self) {
        if self.asked.is_some() {
            self.pieces.push(Piece::none());
        }
    }

    /// Bytes allocated.
    pub fn bytes(&self) -> usize {
        self.pieces.capacity() * size_of::<Piece<D>>()
    }

    /// Rate at which spins turn in a rotating frame, 1/s.
    pub fn spin_turning(&self) -> [f64; 3] {
        let set = self.asked.as_ref().map(|asked| &asked.set);
        set.map_or([0.0; 3], |set| set.spin_turning())
    }

    /// Adds the effects of fields on a grain over a time, s, evaluated at its middle.
    fn book(
        &self,
        tally: &mut FieldTally,
        at: &FieldPoint<D>,
        acceleration: D::Vector,
        lasted: f64,
    ) {
        let Some(asked) = &self.asked else { return };
        let given = piece::exchange(&asked.set, at, acceleration, lasted);
        tally.work += given.work;
        tally.drag += given.drag;
        for k in 0..3 {
            tally.momentum[k] += given.momentum[k];
        }
    }
}

/// A grain's acceleration, m/s^2.
#[inline(always)]
pub(super) fn pull<D: Dimension>(core: &Core<D>, i: usize) -> D::Vector {
    match core.bent.pieces.get(i) {
        Some(piece) => piece.acceleration,
        None => core.gravity,
    }
}

/// Whether grains have individual accelerations.
#[inline(always)]
pub(super) fn is_bent<D: Dimension>(core: &Core<D>) -> bool {
    !core.bent.pieces.is_empty()
}

/// Position and velocity of a grain t s after the epoch.
#[inline(always)]
pub(super) fn state_at<D: Dimension>(core: &Core<D>, i: usize, t: f64) -> (D::Vector, D::Vector) {
    let (row, pull) = (&core.bodies.rows[i], pull(core, i));
    (
        state::place_at::<D>(row, pull, t),
        state::speed::<D>(row) + pull * t,
    )
}

fn field_point<D: Dimension>(
    core: &Core<D>,
    i: usize,
    (x, v): (D::Vector, D::Vector),
    t: f64,
) -> FieldPoint<D> {
    let (mass, radius) = (core.bodies.masses[i], core.bodies.rows[i].0[RADIUS]);
    let set = core.bent.asked.as_ref().map(|asked| &asked.set);
    FieldPoint {
        mass,
        radius,
        volume: set.map_or(0.0, |set| {
            set.volume(core.bodies.slots[i].species, mass, radius)
        }),
        position: x,
        velocity: v,
        time: core.clock.epoch + t,
        source: Source::default(),
    }
}

/// Accounts a grain's piece up to now, s since the epoch; a collision calls this before it changes the path.
pub(super) fn end_piece<D: Dimension>(core: &mut Core<D>, i: usize, t: f64) {
    turn_spin(core, i, t);
    let Some((at, acceleration, lasted)) = flown(core, i, t) else {
        return;
    };
    let mut tally = core.bent.tally;
    core.bent.book(&mut tally, &at, acceleration, lasted);
    core.bent.tally = tally;
    core.bent.pieces[i].since = t;
}

/// The totals up to now, s since the epoch, including pieces that continue.
pub(super) fn field_tally<D: Dimension>(core: &Core<D>, t: f64) -> FieldTally {
    let mut tally = core.bent.tally;
    for i in 0..core.bent.pieces.len() {
        if let Some((at, acceleration, lasted)) = flown(core, i, t) {
            core.bent.book(&mut tally, &at, acceleration, lasted);
        }
    }
    tally
}

/// The middle of a grain's piece up to now, its acceleration and its duration, s; none if it has just begun.
fn flown<D: Dimension>(
    core: &Core<D>,
    i: usize,
    t: f64,
) -> Option<(FieldPoint<D>, D::Vector, f64)> {
    let piece = &core.bent.pieces[i];
    let lasted = t - piece.since;
    if lasted <= 0.0 {
        return None;
    }
    let middle = piece.since + 0.5 * lasted;
    let at = field_point(core, i, state_at(core, i, middle), middle);
    Some((at, piece.acceleration, lasted))
}

/// Begins a grain's next piece t s after the epoch; `counted` if a collision that ended the last
/// one has already invalidated the predictions of others.
pub(super) fn begin_piece<D: Dimension>(core: &mut Core<D>, i: usize, t: f64, counted: bool) {
    let (x, v) = state_at(core, i, t);
    let wish = core.bent.pieces[i].length;
    let Some(begun) = next_piece(core, i, (x, v), t, wish) else {
        return;
    };
    let acceleration = begun.acceleration;
    let row = &mut core.bodies.rows[i];
    for k in 0..D::N {
        row.0[SPEED + k] = v[k] - acceleration[k] * t;
        row.0[k] = x[k] - (row.0[SPEED + k] + 0.5 * acceleration[k] * t) * t;
    }
    let piece = &mut core.bent.pieces[i];
    piece.acceleration = acceleration;
    (piece.since, piece.end, piece.length) = (t, t + begun.length, begun.next);
    core.bent.tally.pieces += 1;
    if !counted {
        // Predictions of other grains with the former path are invalid.
        core.bodies.rows[i].0[COUNT] += 1.0;
        core.bent.pieces[i].count += 1;
    }
}

/// Places an added grain with a velocity, t s after the epoch; its first piece is begun separately.
pub(super) fn put<D: Dimension>(
    core: &mut Core<D>,
    i: usize,
    (x, v): (D::Vector, D::Vector),
    t: f64,
) {
    core.bent.pieces[i] = Piece {
        since: t,
        ..Piece::none()
    };
    let row = &mut core.bodies.rows[i];
    for k in 0..D::N {
        row.0[SPEED + k] = v[k];
        row.0[k] = x[k] - v[k] * t;
    }
}

/// Marks a slot as empty, so that nothing is accounted for it.
pub(super) fn idle<D: Dimension>(core: &mut Core<D>, i: usize) {
    core.bent.pieces[i] = Piece {
        since: f64::INFINITY,
        ..Piece::none()
    };
}

/// The piece that begins at a position with a velocity.
fn next_piece<D: Dimension>(
    core: &Core<D>,
    i: usize,
    state: (D::Vector, D::Vector),
    t: f64,
    wish: f64,
) -> Option<piece::Piece<D>> {
    let asked = core.bent.asked.as_ref()?;
    let (clock, course) = (core.clock.epoch + t, &asked.told.fields.course);
    let limits = piece::Limits {
        more: D::Vector::default(),
        wish,
        rate: course.rate(clock),
        // A piece ends where gravity jumps.
        until: course.next_edge(clock) - clock,
        idle: asked.idle(core.bodies.rows[i].0[RADIUS]),
    };
    let start = field_point(core, i, state, t);
    Some(piece::piece(&asked.set, &start, &limits))
}

/// In a rotating frame spins turn by themselves: advances a grain's spin and orientation to a time, s since the epoch.
fn turn_spin<D: Dimension>(core: &mut Core<D>, i: usize, t: f64) {
    let rate = core.bent.spin_turning();
    if D::N != 3 || rate == [0.0; 3] || core.bodies.turning.is_empty() {
        return;
    }
    let clock = core.clock.epoch + t;
    let turning = &mut core.bodies.turning[i];
    let lasted = clock - turning.since;
    let (spin, turn) = piece::turned_spin::<D>(turning.spin, rate, lasted);
    turning.rotation = D::turned(turning.rotation, turn);
    turning.spin = spin;
    turning.since = clock;
}

/// A grain's spin and orientation t s after the epoch.
pub(super) fn turning_at<D: Dimension>(
    core: &Core<D>,
    i: usize,
    t: f64,
) -> Option<(D::Spin, D::Rotation)> {
    let turning = core.bodies.turning.get(i)?;
    let lasted = core.clock.epoch + t - turning.since;
    let rate = core.bent.spin_turning();
    let (spin, turn) = piece::turned_spin::<D>(turning.spin, rate, lasted);
    Some((spin, D::turned(turning.rotation, turn)))
}

/// For grains with individual accelerations: the first grain that `grain` meets before `until`, s from now, and the time.
pub(super) fn bent_meeting<D: Dimension>(
    core: &Core<D>,
    grain: u32,
    now: f64,
    grains: &[u32],
    until: f64,
) -> (f64, u32) {
    let i = grain as usize;
    let ((x, v), pull, radius) = (
        state_at(core, i, now),
        pull(core, i),
        core.bodies.rows[i].0[RADIUS],
    );
    let (mut best, mut with) = (f64::INFINITY, grain);
    for &other in grains {
        if other == grain {
            continue;
        }
        let j = other as usize;
        let (y, w) = state_at(core, j, now);
        let (velocity, acceleration) = (w - v, self::pull(core, j) - pull);
        let position = nearest_image(core, y - x);
        let reach = radius + core.bodies.rows[j].0[RADIUS];
        let length = until.min(best);
        let way = (velocity.norm() + 0.5 * acceleration.norm() * length) * length;
        if position.norm() - reach > way {
            continue;
        }
        let path = Path::<D> {
            position,
            velocity,
            acceleration,
        };
        let at_rest = Path::<D> {
            position: D::Vector::default(),
            velocity: D::Vector::default(),
            acceleration: D::Vector::default(),
        };
        if let Some(time) = spheres(&at_rest, &path, reach)
            && (time < best || time == best && other < with)
        {
            (best, with) = (time, other);
        }
    }
    (best, with)
}

/// The shortest of the vectors to the images of a point at this distance.
#[inline(always)]
pub(super) fn nearest_image<D: Dimension>(core: &Core<D>, mut d: D::Vector) -> D::Vector {
    for k in 0..D::N {
        if d[k] > core.space.halves[k] {
            d[k] -= core.space.lengths[k];
        } else if d[k] < -core.space.halves[k] {
            d[k] += core.space.lengths[k];
        }
    }
    d
}

/// Potential energy of a grain in all fields at a place, J.
pub(super) fn potential_at<D: Dimension>(core: &Core<D>, i: usize, x: D::Vector, t: f64) -> f64 {
    match &core.bent.asked {
        None => -core.bodies.masses[i] * core.gravity.dot(&x),
        Some(asked) => {
            let velocity = state_at(core, i, t).1;
            asked
                .set
                .potential_energy(&field_point(core, i, (x, velocity), t))
        }
    }
}

impl<D: Dimension> Asked<D> {
    /// How long, s, a grain at rest without forces waits; a small part of the period of fields that change with time.
    fn idle(&self, radius: f64) -> f64 {
        let none = |_: D::Vector| radius;
        let reach = crate::field::Reach {
            near: &none,
            far: &none,
        };
        let rates = self.told.fields.place.fastest(&reach);
        let fastest = rates.iter().map(|rate| rate.frequency).fold(0.0, f64::max);
        if fastest > 0.0 {
            0.01 / fastest
        } else {
            f64::INFINITY
        }
    }
}
