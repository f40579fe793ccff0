//! Walls that forces move, seen by flyers: like a stepped grain such a wall stays in a zone around the place that is registered for it, as wide as theirs,
//! and a flyer comes back before it enters that.

use super::Air;
use crate::cluster::World;
use crate::cluster::integrate::Integrate;
use crate::geometry::path::Path;
use crate::walls::{Guided, Motion, Wall};

fn guided_of<D: Integrate>(wall: &Wall<D>) -> Option<&Guided<D>> {
    match &wall.boundary.motion {
        Motion::Guided(guided) => Some(guided),
        _ => None,
    }
}

/// Returns the greatest speed of these walls, m/s.
pub(super) fn fastest<D: Integrate>(world: &World<D>) -> f64 {
    let speeds = world.walls.guided.iter().map(|wall| wall.now);
    let speeds = speeds.map(|now| now.speed.abs().max(now.carried.abs()));
    speeds.fold(0.0, f64::max)
}

/// Registers these walls at their present places.
pub(super) fn register<D: Integrate>(world: &World<D>, aloft: &mut Air) {
    aloft.s.zones.ways.clear();
    let ways = world.walls.guided.iter().map(|wall| wall.now.way);
    aloft.s.zones.ways.extend(ways);
}

/// Returns whether one of these walls may leave its zone within the next step.
pub(super) fn leave_zones<D: Integrate>(world: &World<D>, aloft: &Air) -> bool {
    let (zones, guided) = (&aloft.s.zones, &world.walls.guided);
    let ahead = 2.0 * world.clock.step * fastest(world);
    let left = |(wall, &way): (&crate::cluster::GuidedWall, &f64)| {
        (wall.now.way - way).abs() + ahead > zones.zone
    };
    guided.len() != zones.ways.len() || guided.iter().zip(&zones.ways).any(left)
}

/// Returns the path of a flyer from a time on, s, as seen from a wall that forces move, as if that stood where it is registered; `None` if no force moves
/// it.
pub(super) fn seen<D: Integrate>(
    world: &World<D>,
    aloft: &Air,
    index: usize,
    path: &Path<D>,
    time: f64,
) -> Option<Path<D>> {
    let guided = guided_of(&world.walls.boundaries[index])?;
    let mut all = world.walls.guided.iter();
    let place = all.position(|wall| usize::from(wall.boundary) == index)?;
    let registered = aloft.s.zones.ways.get(place).copied()?;
    // The wall goes on evenly from the last evaluation.
    let (now, later) = (guided.at(time).0, guided.at(time + 1.0).0);
    Some(Path {
        position: path.position + guided.along * (now - registered),
        velocity: path.velocity + guided.along * (later - now),
        acceleration: path.acceleration,
    })
}
