//! Walls of a filling that move slowly, or are removed.
//!
//! A wall that moves strains its links by as much as its points move; positions and directions stay those of the fill, so that it may move
//! by a small part of a radius only. Each of its steps is a sudden one: the energy that it puts into the springs of its links is given from
//! outside, and what is left of that when all is at rest again is booked as for added grains.

use super::{QuasiStatic, loads, mean_load};
use crate::body::Formed;
use crate::contact::slow::SlowLink;
use crate::event::EventKind;
use crate::geometry::{Dimension, Vector};
use crate::record::{BodyRef, Sink};
use crate::stress::NodeKey;
use crate::system::{Setup, SystemError};
use crate::walls::Boundary;

/// Greatest displacement of a wall's surface from one equilibrium to the next, over the overlap of the stiffest link under a mean load,
const STEP: f64 = 0.1;
/// and the least, over the least radius.
const LEAST_STEP: f64 = 1e-6;
/// Displacement of a wall, over the least radius, above which a warning is given.
const FAR: f64 = 0.05;
/// Number of times at which the displacement of a wall is checked.
const LOOKS: usize = 64;

/// Walls that move.
#[derive(Clone, Debug)]
pub(super) struct MovingWalls {
    /// Indices of the walls that move.
    moving: Vec<usize>,
    /// Greatest displacement of a wall in a step, m.
    step: f64,
    /// The least radius, m.
    least: f64,
    /// Time of the last step, s.
    time: f64,
}

/// Returns whether a wall, or its surface, moves.
fn moves<D: Dimension>(wall: &Boundary<D>) -> bool {
    !wall.motion.is_fixed() || wall.belt != D::Vector::default()
}

impl MovingWalls {
    /// Finds the moving walls of a setup.
    pub fn new<D: Dimension>(setup: &Setup<D>) -> Self {
        let moving = (0..setup.boundaries.len()).filter(|&k| moves(&setup.boundaries[k]));
        let radii = setup.grains.iter().map(|grain| grain.radius);
        let least = radii.fold(f64::INFINITY, f64::min);
        let (load, laws) = (mean_load(setup), &setup.matter.laws);
        let pairs = (0..laws.materials as u16).flat_map(|a| (0..=a).map(move |b| [a, b]));
        let pairs = pairs.filter_map(|pair| SlowLink::new(laws, pair, least));
        let overlaps = pairs.map(|slow| slow.overlap(load, 0.0) - slow.overlap(0.0, 0.0));
        let overlap = overlaps.fold(f64::INFINITY, f64::min);
        MovingWalls {
            moving: moving.collect(),
            step: (STEP * overlap).max(LEAST_STEP * least),
            least,
            time: 0.0,
        }
    }

    /// Returns whether any wall moves.
    pub fn moves(&self) -> bool {
        !self.moving.is_empty()
    }

    /// Returns when walls are to be moved after a time, s: before the surface of any wall that is touched has moved by a step; infinite where
    /// none moves any more.
    fn next<D: Dimension>(
        &self,
        setup: &Setup<D>,
        touched: impl Fn(usize) -> bool,
        time: f64,
    ) -> f64 {
        let mut next = f64::INFINITY;
        for &index in self.moving.iter().filter(|&&index| touched(index)) {
            let wall = &setup.boundaries[index];
            // Contacts are where grains are: only their distance from the centre counts.
            let centre = wall.motion.pose(time).centre;
            let reach =
                |grain: &crate::body::Grain<D>| (grain.position - centre).norm() + grain.radius;
            let size = setup.grains.iter().map(reach).fold(0.0, f64::max);
            let change = wall.motion.next_change(time).unwrap_or(f64::INFINITY);
            let (speed, spin) = wall
                .motion
                .speed_bounds(time, change.min(setup.run.end_time));
            let fast = speed + spin * size + wall.belt.norm();
            next = next.min(change).min(match fast > 0.0 {
                true => time + self.step / fast,
                false => f64::INFINITY,
            });
        }
        next
    }
}

/// Returns the displacement, between two times, of a point of a wall at `point` in the wall's own frame, m; its belt included.
fn way<D: Dimension>(
    filling: &QuasiStatic<D>,
    wall: usize,
    point: D::Vector,
    normal: D::Vector,
    from: f64,
    to: f64,
) -> D::Vector {
    let wall = &filling.setup.boundaries[wall];
    let [before, after] = [from, to].map(|time| wall.motion.pose(time));
    let belt = after.vector_from_frame(wall.belt);
    let along = belt - normal * belt.dot(&normal);
    after.to_world(point) - before.to_world(point) + along * (to - from)
}

/// Returns the wall and the point of a node in the wall's frame at time 0, with the direction of the wall there; `None` for a grain.
fn on_wall<D: Dimension>(
    filling: &QuasiStatic<D>,
    node: NodeKey,
) -> Option<(usize, D::Vector, D::Vector)> {
    let BodyRef::Boundary(wall) = filling.bodies[node] else {
        return None;
    };
    let wall = usize::from(wall);
    let network = filling.packing.network();
    let point = network.nodes()[node].position;
    let normal = network
        .links_of(node)
        .first()
        .map(|&link| network.links()[link].normal);
    let pose = filling.setup.boundaries[wall].motion.pose(0.0);
    Some((wall, pose.to_frame(point), normal.unwrap_or_default()))
}

/// Returns when walls are to be moved after a time, s.
pub(super) fn next_move<D: Dimension>(filling: &QuasiStatic<D>, time: f64) -> f64 {
    let touched = |wall: usize| filling.bodies.contains(&BodyRef::Boundary(wall as u16));
    filling.walls.next(&filling.setup, touched, time)
}

/// Moves walls to their places at a time, s; returns the energy that this puts into springs, J.
pub(super) fn move_walls<D: Dimension>(filling: &mut QuasiStatic<D>, time: f64) -> f64 {
    let from = std::mem::replace(&mut filling.walls.time, time);
    let mut given = 0.0;
    if !filling.walls.moves() || time <= from {
        return given;
    }
    for node in 0..filling.bodies.len() {
        let Some((wall, point, normal)) = on_wall(filling, node) else {
            continue;
        };
        if !filling.walls.moving.contains(&wall) {
            continue;
        }
        given += filling
            .packing
            .move_fixed(node, way(filling, wall, point, normal, from, time));
    }
    given
}

/// Returns warnings of walls that moved far.
pub(super) fn far_walls<D: Dimension>(filling: &QuasiStatic<D>) -> Vec<String> {
    let far = FAR * filling.walls.least;
    let went = |wall: &Boundary<D>| {
        let times = (1..=LOOKS).map(|k| filling.course.time * k as f64 / LOOKS as f64);
        let mut poses = times.map(|time| wall.motion.pose(time));
        poses.any(|pose| {
            let mut places = filling.setup.grains.iter().map(|grain| grain.position);
            places.any(|x| (pose.to_world(x) - x).norm() > far)
        })
    };
    let walls = filling
        .walls
        .moving
        .iter()
        .map(|&index| &filling.setup.boundaries[index]);
    let walls = walls.filter(|wall| !wall.motion.is_fixed() && went(wall));
    walls
        .map(|wall| {
            format!(
                "the wall `{}` has moved by more than {FAR} of the least radius, but places and directions of contacts stay those of the fill, and it touches nobody new: forces are off by about as much",
                wall.name
            )
        })
        .collect()
}

/// Removes a wall: its links end, and all grains go back to equilibrium.
pub(super) fn open<D: Formed>(
    filling: &mut QuasiStatic<D>,
    wall: usize,
    time: f64,
    sink: &mut dyn Sink,
) -> Result<(), SystemError> {
    let cause = filling.log(sink, time, EventKind::BoundaryUpdate, |_| {})?;
    let nodes = (0..filling.bodies.len())
        .filter(|&node| filling.bodies[node] == BodyRef::Boundary(wall as u16));
    for node in nodes.collect::<Vec<_>>() {
        for link in filling.packing.sever(node) {
            filling.course.journal.add(EventKind::RemoveLink, 1);
            filling.log_link(sink, time, EventKind::RemoveLink, link, f64::NAN, cause)?;
        }
    }
    loads::come_to_rest(filling, time, cause, "after a wall has gone", sink)
}
