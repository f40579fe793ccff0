//! Walls that forces move, from evaluation to evaluation.

use serde::{Deserialize, Serialize};

use super::engine::{Engine, three};
use super::integrate::Integrate;
use crate::geometry::Vector;
use crate::walls::{Guided, GuidedState, Motion, placed};

/// A wall that forces move, as a checkpoint holds it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GuidedWall {
    /// Which.
    pub boundary: u16,
    /// Where it is.
    pub now: GuidedState,
    /// What it gave the grains at the last evaluation, N.
    pub push: [f64; 3],
}

impl<D: Integrate> Engine<D> {
    /// Whether there are walls that forces move.
    pub fn has_guided(&self) -> bool {
        !self.state.guided.is_empty()
    }

    /// Before the first evaluation: finds the walls that forces move.
    pub fn start_guided(&mut self) {
        let time = self.time();
        let walls = self.boundaries.iter_mut().enumerate();
        for (index, wall) in walls {
            let Motion::Guided(guided) = &mut wall.boundary.motion else {
                continue;
            };
            guided.now.time = time;
            self.state.guided.push(GuidedWall {
                boundary: index as u16,
                now: guided.now,
                push: [0.0; 3],
            });
        }
    }

    /// The walls stand where the state says: after it was read.
    pub fn restore_guided(&mut self) {
        for wall in &self.state.guided {
            let place = self.boundaries.get_mut(usize::from(wall.boundary));
            if let Some(Motion::Guided(guided)) = place.map(|b| &mut b.boundary.motion) {
                guided.now = wall.now;
            }
        }
    }

    /// After the clock was set: an evaluation is when it was, by the new time.
    pub fn set_clock_of_guided(&mut self) {
        let time = self.time();
        for wall in &mut self.state.guided {
            wall.now.time = time;
        }
        self.restore_guided();
    }

    /// Kinetic energy of the walls that forces move, J, and the sum of these forces, N.
    pub fn guided_restlessness(&self) -> (f64, f64) {
        let (mut kinetic, mut load) = (0.0, 0.0);
        for wall in &self.state.guided {
            let motion = &self.boundaries[usize::from(wall.boundary)].boundary.motion;
            if let Motion::Guided(guided) = motion {
                kinetic += 0.5 * guided.mass * wall.now.speed * wall.now.speed;
                load += self.pull(guided, wall.now.time).abs();
            }
        }
        (kinetic, load)
    }

    /// The force that drives a wall, with its weight, N.
    fn pull(&self, guided: &Guided<D>, time: f64) -> f64 {
        let weight = if guided.weight {
            guided.mass * self.gravity.dot(&guided.along)
        } else {
            0.0
        };
        // Of walls on whose distance others' pressures act each sees where the others were at the evaluation,
        // whichever was moved first.
        let drive = guided.drive_force(|other| {
            let wall = self.boundaries.get(usize::from(other))?;
            placed(&wall.boundary, time)
        });
        drive + weight
    }

    pub(super) fn clear_guided(&mut self) {
        for wall in &mut self.state.guided {
            wall.push = [0.0; 3];
        }
    }

    /// Notes what a boundary gives the grains, N.
    pub(super) fn note_guided(&mut self, boundary: usize, force: [f64; 3]) {
        for wall in &mut self.state.guided {
            if usize::from(wall.boundary) == boundary {
                for k in 0..3 {
                    wall.push[k] += force[k];
                }
            }
        }
    }

    /// Moves them by a step.
    pub(super) fn drive_guided(&mut self) {
        let h = self.options.step;
        for index in 0..self.state.guided.len() {
            let GuidedWall {
                boundary,
                now: before,
                push,
            } = self.state.guided[index];
            let Motion::Guided(guided) = &self.boundaries[usize::from(boundary)].boundary.motion
            else {
                continue;
            };
            let along = three(guided.along);
            let push: f64 = (0..3).map(|k| push[k] * along[k]).sum();
            let pull = self.pull(guided, before.time);
            let mut guided = guided.clone();
            guided.step(pull - push, h);
            self.state.guided[index].now = guided.now;
            self.boundaries[usize::from(boundary)].boundary.motion = Motion::Guided(guided);
        }
    }
}
