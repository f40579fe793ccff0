//! Prediction of a flyer's next event from the bodies around its cell.

use super::cells::SLACK;
use super::{Foreseen, Kind, Next, bent, guided, handle};
use crate::cluster;
use crate::cluster::World;
use crate::cluster::arrays::Status;
use crate::cluster::integrate::Integrate;
use crate::geometry::path::{Path, parabola, spheres};
use crate::geometry::{Dimension, Vector};
use crate::system::air::Air;
use crate::system::{Setup, SystemError};
use crate::walls::{Meeting, Way};

/// Number of steps by which a flyer is called back to the grid before it must be there.
const AHEAD: f64 = 2.0;

/// Work of a check against a stepped grain by itself, in bodies tested.
const CHECK: u64 = 4;

/// Body that a prediction leaves out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Except {
    /// No body is left out.
    Nobody,
    /// A grain, by number.
    Grain(u32),
    /// A surface of a boundary.
    Surface(u32, u32),
}

/// Returns when a path of this speed comes within `reach` of a point at -`d`, s from now, or a little earlier; `length` if not by then.
fn nears<D: Dimension>(
    path: &Path<D>,
    speed: f64,
    d: D::Vector,
    reach: f64,
    g: f64,
    length: f64,
) -> f64 {
    let (v, a) = (path.velocity, path.acceleration);
    let apart = d.norm_squared() - reach * reach;
    if apart <= 0.0 {
        return 0.0;
    }
    if g == 0.0 {
        return straight(d.dot(&v), apart, speed * speed, length);
    }
    let way = reach + (speed + 0.5 * g * length) * length;
    if d.norm_squared() > way * way {
        return length;
    }
    let gap = |t: f64| (d + v * t + a * (0.5 * t * t)).norm() - reach;
    approach(gap, speed, g, length)
}

/// Returns the earliest time at which a gap may have closed, by advances that cannot pass it: in `t` a
/// body of a speed goes no farther than speed t + g t^2 / 2. At most `length`.
fn approach(gap: impl Fn(f64) -> f64, speed: f64, g: f64, length: f64) -> f64 {
    let mut t = 0.0;
    let bound = speed + g * length;
    for _ in 0..64 {
        let left = gap(t);
        if left <= 0.0 {
            return t;
        }
        if bound <= 0.0 {
            return length;
        }
        t += left / bound;
        if t >= length {
            return length;
        }
    }
    t
}

/// Returns when a straight path touches a sphere: `towards` is its place times its velocity, m^2/s, `apart` the square of its distance from the
/// centre less that of the reach, m^2, `square` that of the speed, m^2/s^2; `length` if not by then.
fn straight(towards: f64, apart: f64, square: f64, length: f64) -> f64 {
    if is_later(towards, apart, length) {
        return length;
    }
    let discriminant = towards * towards - square * apart;
    if discriminant <= 0.0 {
        return length;
    }
    (apart / (discriminant.sqrt() - towards)).min(length)
}

/// Whether a straight path cannot touch a sphere within `length`, s, by the least time that its approach takes.
fn is_later(towards: f64, apart: f64, length: f64) -> bool {
    // A little more than the bound, so that rounding decides nothing.
    towards >= 0.0 || apart > -(2.0 + 1e-9) * towards * length
}

/// Whether two bodies do not come within `reach` of each other in `length`, s, by a bound of their approach, given relative place, velocity
/// and acceleration.
fn is_apart<V: Vector>(d: V, v: V, pull: V, reach: f64, length: f64) -> bool {
    if pull == V::default() {
        return is_later(d.dot(&v), d.norm_squared() - reach * reach, length);
    }
    // A little more than the bound, so that rounding decides nothing.
    let way = (v.norm() + 0.5 * pull.norm() * length) * length * (1.0 + 1e-9);
    d.norm() - reach > way
}

/// What stepped grains, and those at rest, do to the prediction of a path.
struct Before<D: Dimension> {
    path: Path<D>,
    /// Its speed now, m/s, and gravity, m/s^2.
    speed: f64,
    gravity: f64,
    /// Time until the predicted event, s from now.
    far: f64,
    /// When it must be back, s from now.
    back: f64,
    /// When it enters a zone, s from now.
    enters: f64,
}

impl<D: Integrate> Before<D> {
    /// Nothing, before an event so long from now, s.
    fn event(path: Path<D>, far: f64) -> Self {
        Before {
            speed: path.velocity.norm(),
            gravity: path.acceleration.norm(),
            path,
            far,
            back: far,
            enters: far,
        }
    }

    /// Returns when the path comes within `reach` of a point at -`d`, s from now; `far` if not by then.
    fn nears(&self, d: D::Vector, reach: f64) -> f64 {
        nears(&self.path, self.speed, d, reach, self.gravity, self.far)
    }

    /// Takes a stepped grain into account: the numbers are those of the flyer and of that grain, `reach` is the sum of radii, m.
    fn see(
        &mut self,
        world: &World<D>,
        aloft: &mut Air,
        [flyer, stepped]: [u32; 2],
        reach: f64,
        shifts: &[D::Vector],
    ) {
        let body = &aloft.s.bodies[stepped as usize];
        let zones = &aloft.s.zones;
        let from = |place: &[f64; 3]| {
            let d = self.path.position - D::Vector::from_fn(|k| place[k]);
            cluster::observe::shortest(&world.physics, &world.cell, d)
        };
        let (d, guarded) = (from(&body.place), from(&body.guarded));
        let mut near = false;
        for &shift in shifts {
            let t = self.nears(d + shift, reach + zones.zone);
            // Almost there is there: an event that moves nothing would come again and again.
            if t > world.clock.step {
                self.enters = self.enters.min(t);
                continue;
            }
            near = true;
            let t = self.nears(guarded + shift, reach + zones.guard);
            self.back = self.back.min(t);
        }
        if near {
            aloft.s.zones.near.push([stepped, flyer]);
        }
    }

    /// Takes grains at rest into account that a flyer of a radius, m, may reach within `length`, s; returns how many were tested.
    fn see_resting(
        &mut self,
        world: &World<D>,
        radius: f64,
        length: f64,
        shifts: &[D::Vector],
    ) -> u64 {
        let mut tested = 0;
        if !length.is_finite() || world.sleeping.cells.is_empty() {
            return tested;
        }
        // A grain at rest is displaced by solves: by less than half the margin until the next search.
        let reach = radius + 0.5 * world.physics.options.outer_margin;
        let way = (self.speed + 0.5 * self.gravity * length) * length;
        let (x, arrays) = (self.path.position, &world.grains.arrays);
        world.sleeping.cells.near(x, reach + way, |b| {
            let reach = reach + arrays.radius(b as usize);
            let d = x - arrays.position(b as usize);
            let d = cluster::observe::shortest(&world.physics, &world.cell, d);
            for &shift in shifts {
                if (d + shift).norm_squared() <= (reach + way) * (reach + way) {
                    // Not all that cells hold: those of a resumed run are made anew.
                    tested += 1;
                    self.back = self.back.min(self.nears(d + shift, reach));
                }
            }
        });
        tested
    }

    /// Changes a predicted event if the flyer must be back, or enters a zone, before it; returns whether that is so.
    fn change(&self, world: &World<D>, then: &mut Foreseen, now: f64) -> bool {
        if self.back.min(self.enters) >= self.far {
            return false;
        }
        if self.back <= self.enters {
            then.must_return(self.back, now, AHEAD * world.clock.step);
        } else {
            *then = Foreseen {
                time: now + self.enters,
                next: Next::Look,
                ..Foreseen::default()
            };
        }
        true
    }
}

/// Returns the path of a flyer from `time` on.
pub(super) fn path_of<D: Integrate>(world: &World<D>, slot: u32, time: f64) -> Path<D> {
    let [position, velocity] = world.flight_at(slot as usize, time);
    Path {
        position,
        velocity,
        acceleration: world.pull_of(slot as usize),
    }
}

/// Returns when a path leaves its cell, s from now.
fn leaves<D: Integrate>(air: &Option<Air>, path: &Path<D>) -> f64 {
    let Some(aloft) = air else {
        return f64::INFINITY;
    };
    let mut first = f64::INFINITY;
    for k in 0..D::N {
        let [low, high] = aloft.s.lattice.ends(k, path.position[k]);
        let slack = SLACK * aloft.s.lattice.width(k);
        let (v, a) = (path.velocity[k], path.acceleration[k]);
        for (gap, v, a) in [(low + slack, v, a), (high + slack, -v, -a)] {
            first = first.min(parabola(gap, v, a).unwrap_or(f64::INFINITY));
        }
    }
    first
}

/// Returns the earliest event of a flyer in its cell from `time` on, s; looks ahead no farther than `within`, s, if that is given.
pub(super) fn foresee_flyer<D: Integrate>(
    setup: &Setup<D>,
    world: &World<D>,
    air: &mut Option<Air>,
    slot: u32,
    time: f64,
    within: Option<f64>,
    except: Except,
) -> Foreseen {
    let slot = slot as usize;
    let path = path_of(world, slot as u32, time);
    let leaves = leaves(air, &path);
    let arrays = &world.grains.arrays;
    let id = arrays.id[slot];
    let leaves = leaves.min(bent::left(air, id, time));
    let length = within.map_or(leaves, |within| within.min(leaves));
    let radius = arrays.radius(slot);
    let mut first = Foreseen {
        time: time + length,
        next: Next::Look,
        ..Foreseen::default()
    };
    let mut tested = 0;
    let Some(aloft) = air else {
        return first;
    };
    aloft.gather::<D>(aloft.s.lattice.cell(path.position));
    let found = std::mem::take(&mut aloft.found);
    let shifts = images(setup, aloft.s.lattice.few());
    for &other in &found {
        if other == id || except == Except::Grain(other) {
            continue;
        }
        let body = air
            .as_ref()
            .map_or_else(Default::default, |aloft| aloft.s.bodies[other as usize]);
        if body.kind != Kind::Flyer {
            continue;
        }
        tested += 1;
        let Some(b) = flyer(world, air, other) else {
            handle::leave_air(air, other);
            continue;
        };
        let theirs = path_of(world, b, time);
        let reach = radius + world.grains.arrays.radius(b as usize);
        let d = cluster::observe::shortest(
            &world.physics,
            &world.cell,
            theirs.position - path.position,
        );
        let v = theirs.velocity - path.velocity;
        let pull = theirs.acceleration - path.acceleration;
        let formed = [slot as u32, b]
            .iter()
            .any(|&slot| world.grains.form_index(slot).is_some());
        let mut see = |d: D::Vector| {
            let apart = d.norm_squared() - reach * reach;
            if formed && apart <= 0.0 {
                // Grains of several parts may touch anywhere within the spheres around them.
                if (time, other) < (first.time, first.with_grain()) {
                    first = Foreseen {
                        time,
                        next: Next::Pair,
                        with: other,
                        detail: body.path,
                    };
                }
                return;
            }
            if is_apart(d, v, pull, reach, first.time - time) {
                return;
            }
            let still = D::Vector::default();
            let here = Path {
                position: still,
                velocity: still,
                acceleration: still,
            };
            let there = Path {
                position: d,
                velocity: v,
                acceleration: pull,
            };
            if let Some(t) = spheres::<D>(&here, &there, reach)
                && (time + t, other) < (first.time, first.with_grain())
            {
                first = Foreseen {
                    time: time + t,
                    next: Next::Pair,
                    with: other,
                    detail: body.path,
                };
            }
        };
        shifts.iter().for_each(|&shift| see(d + shift));
    }
    // Stepped grains, for which it must be back, are tested after all possible collisions, each over the same time: cells keep no order.
    let mut before = Before::event(path, first.time - time);
    for &other in &found {
        let kind = air
            .as_ref()
            .map_or(Kind::Absent, |aloft| aloft.s.bodies[other as usize].kind);
        if kind != Kind::Stepped || other == id || except == Except::Grain(other) {
            continue;
        }
        tested += 1;
        let Some(b) = stepped(world, air, other) else {
            handle::leave_air(air, other);
            continue;
        };
        let reach = radius + world.grains.arrays.radius(b as usize);
        if let Some(aloft) = air {
            before.see(world, aloft, [id, other], reach, &shifts);
        }
    }
    if let Some(aloft) = air {
        aloft.found = found;
    }
    tested += before.see_resting(world, radius, length, &shifts);
    before.change(world, &mut first, time);
    for (index, wall) in world.walls.boundaries.iter().enumerate() {
        if world.walls.gone[index] || !wall.boundary.stops(radius) {
            continue;
        }
        let mut way = Way {
            path,
            radius,
            now: time,
            length: first.time - time,
            least: world.clock.step,
        };
        let pose = wall.boundary.motion.pose(time);
        let zone = air.as_ref().and_then(|aloft| {
            let path = guided::seen(world, aloft, index, &path, time)?;
            Some((path, aloft.s.zones.zone))
        });
        if let Some((path, zone)) = zone {
            (way.path, way.radius) = (path, radius + zone);
            if wall.distance(&pose, path.position) < way.radius {
                first.must_return(0.0, time, 0.0);
                continue;
            }
        }
        let (bound, seen) = (way.bound(wall), way.seen_from(wall));
        let reach = way.radius + bound * way.length;
        wall.on_the_way(&pose, way.path.position, reach, |surface| {
            if except == Except::Surface(index as u32, surface) {
                return;
            }
            tested += 1;
            way.length = first.time - time;
            match way.first_meeting(seen.as_ref(), wall, surface) {
                Meeting::None => {}
                Meeting::In(t) if zone.is_some() => {
                    first.must_return(t, time, AHEAD * world.clock.step);
                }
                Meeting::In(t) => {
                    first = Foreseen {
                        time: time + t,
                        next: Next::Wall,
                        with: index as u32,
                        detail: surface,
                    }
                }
                Meeting::NotBefore(t) => {
                    first = Foreseen {
                        time: time + t,
                        next: Next::Look,
                        ..Foreseen::default()
                    }
                }
            }
        });
    }
    if let Some(aloft) = air {
        aloft.s.tally.foreseen += 1;
        aloft.s.tally.tested += tested;
    }
    first
}

/// Returns the shifts to the images of a body that may come near, its own place first: with few cells along a periodic axis any image may soon be
/// the nearest.
fn images<D: Integrate>(setup: &Setup<D>, along: [bool; 3]) -> Vec<D::Vector> {
    let mut shifts = vec![D::Vector::default()];
    for k in 0..D::N {
        let Some(axis) = setup.space.periodic[k].filter(|_| along[k]) else {
            continue;
        };
        for n in 0..shifts.len() {
            for sign in [-1.0, 1.0] {
                let mut shift = shifts[n];
                shift[k] += sign * axis.length;
                shifts.push(shift);
            }
        }
    }
    shifts
}

/// Returns when a flyer must be back for some stepped grains, or for one at rest, if that is before its predicted event.
pub(super) fn foresee_stepped<D: Integrate>(
    setup: &Setup<D>,
    world: &World<D>,
    air: &mut Option<Air>,
    id: u32,
    with: &[u32],
    time: f64,
) -> Option<Foreseen> {
    let a = flyer(world, air, id)?;
    let aloft = air.as_ref()?;
    let mut then = aloft.s.bodies[id as usize].foreseen;
    let shifts = images(setup, aloft.s.lattice.few());
    let left = (then.time - time).max(0.0);
    let mut before = Before::event(path_of(world, a, time), left);
    let arrays = &world.grains.arrays;
    let radius = arrays.radius(a as usize);
    for &other in with {
        let Some(b) = stepped(world, air, other) else {
            continue;
        };
        let reach = radius + arrays.radius(b as usize);
        before.see(world, air.as_mut()?, [id, other], reach, &shifts);
    }
    air.as_mut()?.s.tally.tested += CHECK * with.len() as u64;
    before.see_resting(world, radius, left, &shifts);
    before.change(world, &mut then, time).then_some(then)
}

/// Predicts a flyer's next event anew and puts it into the queue.
pub(super) fn foresee_again<D: Integrate>(
    setup: &Setup<D>,
    world: &World<D>,
    air: &mut Option<Air>,
    id: u32,
    time: f64,
) -> Result<Option<Foreseen>, SystemError> {
    let Some(slot) = flyer(world, air, id) else {
        handle::leave_air(air, id);
        return Ok(None);
    };
    let place = path_of(world, slot, time).position;
    if let Some(aloft) = air {
        aloft.register(id, Kind::Flyer, place);
    }
    let foreseen = foresee_flyer(setup, world, air, slot, time, None, Except::Nobody);
    handle::await_event(air, id, foreseen)?;
    Ok(Some(foreseen))
}

/// Returns the slot of a flyer by its number; `None` if it no longer flies.
pub(super) fn flyer<D: Integrate>(world: &World<D>, air: &mut Option<Air>, id: u32) -> Option<u32> {
    air.as_mut()?.slot(world, id, Status::Flying)
}

/// Returns the slot of a stepped grain by its number.
pub(super) fn stepped<D: Integrate>(
    world: &World<D>,
    air: &mut Option<Air>,
    id: u32,
) -> Option<u32> {
    air.as_mut()?.slot(world, id, Status::Stepped)
}

impl Foreseen {
    /// Returns the number of the other grain, or the greatest number: of two collisions at the same time the one
    /// with the lesser number comes first, in whatever order they are found.
    fn with_grain(&self) -> u32 {
        if self.next == Next::Pair {
            self.with
        } else {
            u32::MAX
        }
    }

    /// Whether it is a return due by a time, s.
    pub(super) fn must_be_back(&self, by: f64) -> bool {
        self.next == Next::Return && self.time <= by
    }

    /// Changes the event to a return `after` seconds from `now`, less `ahead`.
    fn must_return(&mut self, after: f64, now: f64, ahead: f64) {
        *self = Foreseen {
            time: now + (after - ahead).max(0.0),
            next: Next::Return,
            ..Foreseen::default()
        };
    }
}
