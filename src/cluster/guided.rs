//! Walls moved by forces, integrated between evaluations.

use serde::{Deserialize, Serialize};

use super::dem::three;
use super::integrate::Integrate;
use super::world::{Clock, Physics, Walls};
use crate::geometry::Vector;
use crate::walls::{Guided, GuidedState, Motion, placed};

/// A wall moved by forces, as stored in a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GuidedWall {
    /// Index of the boundary.
    pub boundary: u16,
    /// Present state.
    pub now: GuidedState,
    /// Force on the grains at the last evaluation, N.
    pub push: [f64; 3],
}

impl<D: Integrate> Walls<D> {
    /// Whether there are walls moved by forces.
    pub fn has_guided(&self) -> bool {
        !self.guided.is_empty()
    }

    /// Sets the walls to a restored state.
    pub fn restore_guided(&mut self) {
        for wall in &self.guided {
            let place = self.boundaries.get_mut(usize::from(wall.boundary));
            if let Some(Motion::Guided(guided)) = place.map(|b| &mut b.boundary.motion) {
                guided.now = wall.now;
            }
        }
    }

    pub(super) fn clear_guided(&mut self) {
        for wall in &mut self.guided {
            wall.push = [0.0; 3];
        }
    }

    /// Adds a force of a boundary on the grains, N.
    pub(super) fn note_guided(&mut self, boundary: usize, force: [f64; 3]) {
        for wall in &mut self.guided {
            if usize::from(wall.boundary) == boundary {
                for k in 0..3 {
                    wall.push[k] += force[k];
                }
            }
        }
    }
}

/// Before the first evaluation: finds the walls moved by forces.
pub fn start_guided<D: Integrate>(clock: &Clock, walls: &mut Walls<D>) {
    let time = clock.time();
    let boundaries = walls.boundaries.iter_mut().enumerate();
    for (index, wall) in boundaries {
        let Motion::Guided(guided) = &mut wall.boundary.motion else {
            continue;
        };
        guided.now.time = time;
        walls.guided.push(GuidedWall {
            boundary: index as u16,
            now: guided.now,
            push: [0.0; 3],
        });
    }
}

/// After a change of the clock: converts the time of the last evaluation.
pub fn set_clock_of_guided<D: Integrate>(clock: &Clock, walls: &mut Walls<D>) {
    let time = clock.time();
    for wall in &mut walls.guided {
        wall.now.time = time;
    }
    walls.restore_guided();
}

/// Kinetic energy of the walls moved by forces, J, and the sum of these forces, N.
pub fn guided_restlessness<D: Integrate>(physics: &Physics<D>, walls: &Walls<D>) -> (f64, f64) {
    let (mut kinetic, mut load) = (0.0, 0.0);
    for wall in &walls.guided {
        let motion = &walls.boundaries[usize::from(wall.boundary)].boundary.motion;
        if let Motion::Guided(guided) = motion {
            kinetic += 0.5 * guided.mass * wall.now.speed * wall.now.speed;
            load += pull(physics, walls, guided, wall.now.time).abs();
        }
    }
    (kinetic, load)
}

/// The driving force of a wall, including its weight, N.
fn pull<D: Integrate>(
    physics: &Physics<D>,
    walls: &Walls<D>,
    guided: &Guided<D>,
    time: f64,
) -> f64 {
    let weight = if guided.weight {
        guided.mass * physics.gravity.dot(&guided.along)
    } else {
        0.0
    };
    // A wall whose pressure depends on the distance of another uses the position of the other at
    // the evaluation, whichever moves first.
    let drive = guided.drive_force(|other| {
        let wall = walls.boundaries.get(usize::from(other))?;
        placed(&wall.boundary, time)
    });
    drive + weight
}

/// Advances these walls by a step.
pub(super) fn drive_guided<D: Integrate>(
    clock: &Clock,
    physics: &Physics<D>,
    walls: &mut Walls<D>,
) {
    let h = clock.step;
    for index in 0..walls.guided.len() {
        let GuidedWall {
            boundary,
            now: before,
            push,
        } = walls.guided[index];
        let Motion::Guided(guided) = &walls.boundaries[usize::from(boundary)].boundary.motion
        else {
            continue;
        };
        let along = three(guided.along);
        let push: f64 = (0..3).map(|k| push[k] * along[k]).sum();
        let pull = pull(physics, walls, guided, before.time);
        let mut guided = guided.clone();
        guided.step(pull - push, h);
        walls.guided[index].now = guided.now;
        walls.boundaries[usize::from(boundary)].boundary.motion = Motion::Guided(guided);
    }
}
