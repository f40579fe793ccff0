//! Walls that move beside grains at rest.
//!
//! Links of grains at rest are held against walls that stand. A grain that a moving wall may touch before the lists are renewed is
//! stepped; the others, which the wall reaches through stepped grains alone, stay at rest.

use super::integrate::Integrate;
use super::world::World;
use super::{bodies, candidates};
use crate::geometry::{Dimension, Vector};
use crate::walls::Motion;

/// Number of steps before a wall begins to move at which the grains beside it begin to step.
const AHEAD: f64 = 2.0;

/// Boundaries that move now or within the next steps, ascending.
pub fn moving<D: Integrate>(world: &World<D>) -> Vec<u16> {
    let walls = &world.walls;
    if walls.boundaries.iter().all(|wall| wall.fixed) {
        return Vec::new();
    }
    let now = world.clock.time();
    let soon = now + AHEAD * world.clock.step;
    let moves = |&index: &u16| {
        let index = usize::from(index);
        let boundary = &walls.boundaries[index].boundary;
        !walls.gone[index] && boundary.moves_within(now - world.clock.step, soon)
    };
    (0..walls.boundaries.len() as u16).filter(moves).collect()
}

/// Whether a wall moves now, or will later by itself.
pub fn goes_on<D: Integrate>(world: &World<D>) -> bool {
    let now = world.clock.time();
    let mut walls = world.walls.boundaries.iter().zip(&world.walls.gone);
    walls.any(|(wall, &gone)| !wall.fixed && !gone && wall.boundary.goes_on(now))
}

/// Those of some slots that a moving wall may touch before the lists are renewed, in order.
pub fn beside<D: Integrate>(world: &World<D>, slots: &[u32]) -> Vec<u32> {
    let moving = moving(world);
    if moving.is_empty() {
        return Vec::new();
    }
    let margin = world.physics.options.outer_margin;
    let is_beside = |slot: u32| {
        let touching = bodies::touching_of(&world.shapes, &world.grains, slot);
        touching.into_iter().any(|touching| {
            let reach = world.grains.arrays.radius(touching as usize) + margin;
            moving.iter().any(|&boundary| {
                let (clock, walls, grains) = (&world.clock, &world.walls, &world.grains);
                let boundary = usize::from(boundary);
                !candidates::surfaces_near(clock, walls, grains, boundary, touching, reach)
                    .is_empty()
            })
        })
    };
    slots
        .iter()
        .copied()
        .filter(|&slot| is_beside(slot))
        .collect()
}

/// Grains at rest that a moving wall may touch before the lists are renewed.
pub fn beside_at_rest<D: Integrate>(world: &World<D>) -> Vec<u32> {
    if world.sleeping.still.count == 0 || moving(world).is_empty() {
        return Vec::new();
    }
    beside(world, &world.grains.standing())
}

/// Least and greatest coordinates of the centres of grains at rest, m, where there are walls that turn: the speed of these depends on how far
/// away grains are.
pub(super) fn extent<D: Integrate>(world: &World<D>) -> Option<[[f64; 3]; 2]> {
    let walls = &world.walls.boundaries;
    let turns = |motion: &Motion<D>| matches!(motion, Motion::Rotation { .. });
    if world.sleeping.still.count == 0 || !walls.iter().any(|wall| turns(&wall.boundary.motion)) {
        return None;
    }
    let mut extent = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
    for slot in world.grains.standing() {
        let x = world.grains.arrays.position(slot as usize);
        for k in 0..D::N {
            extent[0][k] = extent[0][k].min(x[k]);
            extent[1][k] = extent[1][k].max(x[k]);
        }
    }
    Some(extent)
}

/// Greatest distance of a point from centres within an extent, m.
pub(super) fn farthest<D: Dimension>(extent: &[[f64; 3]; 2], from: D::Vector) -> f64 {
    let away = |k: usize| {
        let [low, high] = [extent[0][k], extent[1][k]].map(|x| (x - from[k]).abs());
        low.max(high)
    };
    D::Vector::from_fn(away).norm()
}
