//! Prediction of a flyer's next event from the bodies around its cell.

use super::cells::SLACK;
use super::{Foreseen, Kind, Next, handle};
use crate::cluster;
use crate::cluster::World;
use crate::cluster::arrays::Status;
use crate::cluster::integrate::Integrate;
use crate::geometry::path::{Path, parabola, spheres};
use crate::geometry::{Dimension, Vector};
use crate::system::air::Air;
use crate::system::flight::approach;
use crate::system::{Setup, SystemError};
use crate::walls::{Meeting, Way};

/// Number of steps by which a flyer is called back to the grid before it must be there.
const AHEAD: f64 = 2.0;

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

/// Returns when a path comes within `reach` of a point at -`d`, s from now; `length` if not by then.
fn nears<D: Dimension>(path: &Path<D>, d: D::Vector, reach: f64, g: f64, length: f64) -> f64 {
    let (v, a) = (path.velocity, path.acceleration);
    let gap = |t: f64| (d + v * t + a * (0.5 * t * t)).norm() - reach;
    approach(gap, v.norm(), g, length)
}

/// Returns the path of a flyer from `time` on.
pub(super) fn path_of<D: Integrate>(world: &World<D>, slot: u32, time: f64) -> Path<D> {
    let [position, velocity] = world.flight_at(slot as usize, time);
    Path {
        position,
        velocity,
        acceleration: world.physics.gravity,
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
    let length = within.map_or(leaves, |within| within.min(leaves));
    let arrays = &world.grains.arrays;
    let id = arrays.id[slot];
    let radius = arrays.radius(slot);
    let g = world.physics.gravity.norm();
    let margin = 0.5 * world.physics.options.outer_margin;
    let speed = path.velocity.norm();
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
    // With few cells along a periodic axis any image of the other body may soon be the nearest.
    let wraps = aloft.s.lattice.few();
    let shifts = if wraps == [false; 3] {
        Vec::new()
    } else {
        images(setup, wraps)
    };
    let shifts = || std::iter::once(D::Vector::default()).chain(shifts.iter().copied());
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
        let mut see = |d: D::Vector| {
            let still = D::Vector::default();
            let here = Path {
                position: still,
                velocity: still,
                acceleration: still,
            };
            let there = Path {
                position: d,
                velocity: v,
                acceleration: still,
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
        shifts().for_each(|shift| see(d + shift));
    }
    // Stepped grains, for which it must be back, are tested after all possible collisions, each over the same time: cells keep no order.
    let far = first.time - time;
    let mut back = far;
    for &other in &found {
        let body = air
            .as_ref()
            .map_or_else(Default::default, |aloft| aloft.s.bodies[other as usize]);
        if body.kind != Kind::Stepped || other == id || except == Except::Grain(other) {
            continue;
        }
        tested += 1;
        let place = D::Vector::from_fn(|k| body.place[k]);
        let Some(b) = stepped(world, air, other) else {
            handle::leave_air(air, other);
            continue;
        };
        let reach = radius + world.grains.arrays.radius(b as usize) + margin;
        let d = cluster::observe::shortest(&world.physics, &world.cell, path.position - place);
        for shift in shifts() {
            back = back.min(nears(&path, d + shift, reach, g, far));
        }
    }
    if let Some(aloft) = air {
        aloft.found = found;
    }
    let way = (speed + 0.5 * g * length) * length;
    if length.is_finite() && !world.sleeping.cells.is_empty() {
        let x = path.position;
        let arrays = &world.grains.arrays;
        world.sleeping.cells.near(x, radius + margin + way, |b| {
            tested += 1;
            let reach = radius + arrays.radius(b as usize) + margin;
            let d = x - arrays.position(b as usize);
            let d = cluster::observe::shortest(&world.physics, &world.cell, d);
            for shift in shifts() {
                if (d + shift).norm_squared() <= (reach + way) * (reach + way) {
                    back = back.min(nears(&path, d + shift, reach, g, far));
                }
            }
        });
    }
    if back < far {
        first.must_return(back, time, ahead(world));
    }
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
        let bound = way.bound(wall);
        let pose = wall.boundary.motion.pose(time);
        let reach = radius + bound * way.length;
        wall.on_the_way(&pose, path.position, reach, |surface| {
            if except == Except::Surface(index as u32, surface) {
                return;
            }
            tested += 1;
            way.length = first.time - time;
            match way.meeting(wall, surface, bound) {
                Meeting::None => {}
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

fn ahead<D: Integrate>(world: &World<D>) -> f64 {
    AHEAD * world.clock.step
}

/// Returns the shifts to the other images that may come near.
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
    shifts.split_off(1)
}

/// Returns when a flyer must be back for some stepped grains, if that is before its predicted event.
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
    let wraps = aloft.s.lattice.few();
    let shifts = if wraps == [false; 3] {
        Vec::new()
    } else {
        images(setup, wraps)
    };
    let shifts = || std::iter::once(D::Vector::default()).chain(shifts.iter().copied());
    let path = path_of(world, a, time);
    let g = world.physics.gravity.norm();
    let left = (then.time - time).max(0.0);
    let mut back = left;
    for &other in with {
        let Some(b) = stepped(world, air, other) else {
            continue;
        };
        let arrays = &world.grains.arrays;
        let reach = arrays.radius(a as usize)
            + arrays.radius(b as usize)
            + 0.5 * world.physics.options.outer_margin;
        let place = air.as_ref()?.s.bodies[other as usize].place;
        let place = D::Vector::from_fn(|k| place[k]);
        let d = cluster::observe::shortest(&world.physics, &world.cell, path.position - place);
        for shift in shifts() {
            back = back.min(nears(&path, d + shift, reach, g, left));
        }
    }
    if back >= left {
        return None;
    }
    then.must_return(back, time, ahead(world));
    Some(then)
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

    /// Changes the event to a return `after` seconds from `now`, less `ahead`.
    fn must_return(&mut self, after: f64, now: f64, ahead: f64) {
        *self = Foreseen {
            time: now + (after - ahead).max(0.0),
            next: Next::Return,
            ..Foreseen::default()
        };
    }
}
