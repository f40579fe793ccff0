//! Walls that move beside grains at rest.
//!
//! Links of grains at rest are held against walls that stand. A grain that a moving wall may touch before the lists are renewed is
//! stepped; the others, which the wall reaches through stepped grains alone, stay at rest.

use super::integrate::Integrate;
use super::world::World;
use super::{bodies, candidates};

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
