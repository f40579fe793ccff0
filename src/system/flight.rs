//! Grains in free flight: which grains may leave the grid of steps, and when each must be back.
//!
//! A flyer's row keeps the state with which it left; its position at any time is on a
//! parabola. At each rebuild of the lists every flyer is predicted up to a horizon: two flyers have
//! a straight relative path and an exact time of contact; a stepped grain may be anywhere
//! within the displacement that makes the lists stale; walls are approached by steps that cannot
//! pass them. A flyer comes back to the grid before the earliest of these.

use crate::cluster;
use crate::cluster::World;
use crate::cluster::arrays::Status;
use crate::cluster::integrate::Integrate;
use crate::geometry::Vector;
use crate::geometry::surface::Surface;
use crate::neighbor::BroadPhase;
use crate::system::{PeriodicAxis, regimes};
use crate::walls::speed_bound;

/// Moves the start of a flying slot's path to a time.
pub fn restart<D: Integrate>(world: &mut World<D>, slot: usize, time: f64) {
    let [position, velocity] = world.flight_at(slot, time);
    let t = time - world.grains.since[slot];
    let spin = D::surface_spin(&world.grains.arrays, slot);
    let moments = cluster::bodies::principal_moments(&world.shapes, &world.grains, slot as u32);
    let arrays = &mut world.grains.arrays;
    D::place(arrays, slot, position);
    for k in 0..D::N {
        arrays.rows[slot].0[4 + k] = velocity[k];
        arrays.state[slot].0[k] = velocity[k];
    }
    if D::N == 2 {
        arrays.rows[slot].0[2] += t * spin[0];
        arrays.state[slot].0[2] = spin[0];
    } else if let Some(moments) = moments {
        // A body tumbles with its angular momentum until the first evaluation.
        let before = arrays.rotation[slot];
        let spin = D::spin_from_fn(|k| spin[k] / arrays.radius(slot));
        let momentum = D::momentum(before, spin, moments);
        let turned = D::free_turn(before, momentum, moments, t);
        if t != 0.0 {
            arrays.rotation[slot] = turned;
            D::set_spin(arrays, slot, D::spin_of(turned, momentum, moments));
        }
    } else {
        for k in 0..3 {
            arrays.spins[slot].0[4 + k] += t * spin[k];
        }
        arrays.state[slot].0[4..7].copy_from_slice(&spin);
        arrays.rotation[slot] = D::rotation(arrays, slot);
        for k in 4..7 {
            arrays.spins[slot].0[k] = 0.0;
        }
    }
    world.grains.since[slot] = time;
}

/// Prediction for a set of flyers.
#[derive(Clone, Debug, Default)]
pub struct Forecast {
    /// For each flyer of the set, the latest time at which it may come back, s.
    pub back: Vec<f64>,
    /// Time until which the prediction holds, s.
    pub horizon: f64,
}

/// Returns how long flyers are predicted, s, given their greatest speed, m/s, and their largest radius, m.
pub(super) fn length<D: Integrate>(world: &World<D>, fastest: f64, largest: f64) -> f64 {
    let g = world.physics.gravity.norm();
    let way = 4.0 * largest;
    let length = if g > 0.0 {
        (-fastest + (fastest * fastest + 2.0 * g * way).sqrt()) / g
    } else if fastest > 0.0 {
        way / fastest
    } else {
        1.0
    };
    length.max(16.0 * world.clock.step)
}

/// Returns the stepped slots in the least box that holds what flyers at these positions (m) reach; the others would only fill the search. Along
/// periodic axes the box is as long as the cell.
fn reached<D: Integrate>(
    world: &World<D>,
    periodic: &[Option<PeriodicAxis>],
    flyers: &[D::Vector],
    reaches: &[f64],
) -> Vec<u32> {
    let arrays = &world.grains.arrays;
    let margin = world.physics.options.outer_margin;
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for (x, reach) in flyers.iter().zip(reaches) {
        for k in 0..D::N {
            low[k] = low[k].min(x[k] - reach - margin);
            high[k] = high[k].max(x[k] + reach + margin);
        }
    }
    let is_reached = |&slot: &u32| {
        let (x, r) = (arrays.position(slot as usize), arrays.radius(slot as usize));
        (0..D::N).all(|k| {
            let wraps = periodic.get(k).is_some_and(Option::is_some);
            wraps || (x[k] + r >= low[k] && x[k] - r <= high[k])
        })
    };
    let stepped = world.grains.active.iter();
    stepped.copied().filter(is_reached).collect()
}

/// Predicts a set of flying slots (ascending) from `now` on; the rows of the set must be at `now`.
pub fn foresee<D: Integrate>(
    world: &World<D>,
    broad: &mut dyn BroadPhase<D>,
    periodic: &[Option<PeriodicAxis>],
    flyers: &[u32],
    now: f64,
) -> Forecast {
    let arrays = &world.grains.arrays;
    let g = world.physics.gravity.norm();
    let margin = world.physics.options.outer_margin;
    // Horizon: the path of a flyer within it is some radii long, so that few others matter.
    let fastest = flyers
        .iter()
        .map(|&s| arrays.velocity(s as usize).norm())
        .fold(0.0, f64::max);
    let largest = flyers
        .iter()
        .map(|&s| arrays.radius(s as usize))
        .fold(0.0, f64::max);
    let length = length(world, fastest, largest);
    let horizon = now + length;
    let mut back = vec![horizon; flyers.len()];
    // Neighbours: flyers first, then stepped grains.
    let mut positions: Vec<D::Vector> = Vec::with_capacity(flyers.len());
    let mut radii = Vec::with_capacity(flyers.len());
    for &s in flyers {
        let s = s as usize;
        positions.push(arrays.position(s));
        let v = arrays.velocity(s).norm();
        radii.push(arrays.radius(s) + v * length + 0.5 * g * length * length);
    }
    let reached = reached(world, periodic, &positions, &radii);
    for &s in &reached {
        positions.push(arrays.position(s as usize));
        radii.push(arrays.radius(s as usize));
    }
    let mut pairs = Vec::new();
    broad.pairs(&positions, &radii, margin, periodic, &mut pairs);
    let count = flyers.len() as u32;
    for &(i, j) in &pairs {
        let (i, j) = (i.min(j), i.max(j));
        if i >= count {
            continue;
        }
        let a = flyers[i as usize] as usize;
        let d = cluster::observe::shortest(
            &world.physics,
            &world.cell,
            positions[i as usize] - positions[j as usize],
        );
        if j < count {
            let b = flyers[j as usize] as usize;
            let v = arrays.velocity(a) - arrays.velocity(b);
            if let Some(t) = straight_contact(d, v, arrays.radius(a) + arrays.radius(b)) {
                back[i as usize] = back[i as usize].min(now + t);
                back[j as usize] = back[j as usize].min(now + t);
            }
        } else {
            let b = reached[(j - count) as usize] as usize;
            // A stepped grain stays within half the margin of where it was when the lists were made.
            let reach = arrays.radius(a) + arrays.radius(b) + 0.5 * margin;
            let v = arrays.velocity(a);
            let gap = |t: f64| (d + v * t + world.physics.gravity * (0.5 * t * t)).norm() - reach;
            let t = approach(gap, v.norm(), g, length);
            back[i as usize] = back[i as usize].min(now + t);
        }
    }
    for (k, &s) in flyers.iter().enumerate() {
        let a = s as usize;
        let x = arrays.position(a);
        world.sleeping.cells.near(x, radii[k] + margin, |b| {
            let b = b as usize;
            let d = x - arrays.position(b);
            let d = cluster::observe::shortest(&world.physics, &world.cell, d);
            // A grain at rest is displaced by solves: like a stepped one by less than half the margin until the next search.
            let reach = arrays.radius(a) + arrays.radius(b) + 0.5 * margin;
            if d.norm() > radii[k] + margin + arrays.radius(b) {
                return;
            }
            let v = arrays.velocity(a);
            let gap = |t: f64| (d + v * t + world.physics.gravity * (0.5 * t * t)).norm() - reach;
            back[k] = back[k].min(now + approach(gap, v.norm(), g, length));
        });
    }
    for (k, &s) in flyers.iter().enumerate() {
        let s = s as usize;
        let (x, v, r) = (arrays.position(s), arrays.velocity(s), arrays.radius(s));
        for (wall, &gone) in world.walls.boundaries.iter().zip(&world.walls.gone) {
            if gone || !wall.boundary.stops(r) {
                continue;
            }
            let wall_speed = if wall.fixed {
                0.0
            } else {
                let way = v.norm() * length + 0.5 * g * length * length;
                speed_bound(wall, x, way, now, length)
            };
            let pose = wall.boundary.motion.pose(now);
            wall.images.near(&pose, x, f64::INFINITY, |image, _| {
                let at = |t: f64| {
                    let at = x + v * t + world.physics.gravity * (0.5 * t * t);
                    let pose = wall.boundary.motion.pose(now + t);
                    wall.images.to_frame(image, &pose, at)
                };
                let mut see = |gap: &dyn Fn(f64) -> f64| {
                    let t = approach(gap, v.norm() + wall_speed, g, length);
                    back[k] = back[k].min(now + t);
                };
                if wall.surfaces.are_many() {
                    return see(&|t| wall.surfaces.distance(at(t)) - r);
                }
                for surface in wall.surfaces.iter() {
                    see(&|t| surface.distance_bound(at(t)) - r);
                }
            });
        }
    }
    Forecast { back, horizon }
}

/// Returns the flying slots that may meet a woken one sooner than they are due, each with its new time of return, s. A woken grain moves by at
/// most half the margin until the next search.
pub(super) fn meet<D: Integrate>(world: &World<D>, woken: &[u32], now: f64) -> Vec<(u32, f64)> {
    let arrays = &world.grains.arrays;
    let g = world.physics.gravity.norm();
    let margin = world.physics.options.outer_margin;
    let mut sooner = Vec::new();
    if woken.is_empty() {
        return sooner;
    }
    for flyer in regimes::flying(world) {
        let back = world.grains.back[flyer as usize];
        let length = back - now;
        let [x, v] = world.flight_at(flyer as usize, now);
        let way = v.norm() * length + 0.5 * g * length * length;
        let mut first = back;
        for &slot in woken {
            let d = x - arrays.position(slot as usize);
            let d = cluster::observe::shortest(&world.physics, &world.cell, d);
            let reach = arrays.radius(flyer as usize) + arrays.radius(slot as usize) + 0.5 * margin;
            if d.norm() > reach + way {
                continue;
            }
            let gap = |t: f64| (d + v * t + world.physics.gravity * (0.5 * t * t)).norm() - reach;
            first = first.min(now + approach(gap, v.norm(), g, length));
        }
        if first < back {
            sooner.push((flyer, first));
        }
    }
    sooner
}

/// Returns the time until two bodies on a straight relative path touch while approaching; 0 if they overlap.
fn straight_contact<V: Vector>(d: V, v: V, reach: f64) -> Option<f64> {
    let b = d.dot(&v);
    let c = d.norm_squared() - reach * reach;
    if b >= 0.0 {
        return None;
    }
    if c <= 0.0 {
        return Some(0.0);
    }
    let a = v.norm_squared();
    let discriminant = b * b - a * c;
    (discriminant > 0.0).then(|| c / (-b + discriminant.sqrt()))
}

/// Returns the earliest time at which a gap may have closed, by advances that cannot pass it: in `t` a
/// body of a speed goes no farther than speed t + g t^2 / 2. At most `length`.
pub(super) fn approach(gap: impl Fn(f64) -> f64, speed: f64, g: f64, length: f64) -> f64 {
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

/// Returns the stepped slots with no candidate at all in the outer lists: those may fly.
pub fn isolated<D: Integrate>(world: &World<D>) -> Vec<u32> {
    let mut busy = vec![false; world.grains.arrays.slots()];
    for class in &world.contacts.pairs {
        for pair in &class.outer {
            busy[world.grains.owner(pair[0]) as usize] = true;
            busy[world.grains.owner(pair[1]) as usize] = true;
        }
    }
    for class in &world.contacts.walls {
        for &[slot, _] in &class.outer {
            busy[world.grains.owner(slot) as usize] = true;
        }
    }
    // In space a body of parts tumbles: its path is no closed form of the time.
    if D::N == 3 {
        for body in &world.grains.bodies.list {
            busy[body.slot as usize] = true;
        }
    }
    world
        .grains
        .active
        .iter()
        .copied()
        .filter(|&s| !busy[s as usize] && world.grains.arrays.status[s as usize] == Status::Stepped)
        .collect()
}
