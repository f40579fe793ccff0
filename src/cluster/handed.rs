//! Contacts that begin or end because a grain comes to face the next piece of a wall, not because the two meet or part.
//!
//! At a hollow corner of a chain, and where the pieces of a wall do not meet smoothly, the force of a piece is there, or gone, from one
//! step to the next: so is the energy of its normal spring, which the wall gives or takes. Where two pieces are as far away at some moment of that step the grain goes
//! over smoothly, and nothing is given.

use super::engine::{Engine, law_of};
use super::integrate::Integrate;
use super::kernel::Change;
use crate::contact::{Law, with_law};
use crate::geometry::surface::Surface;

/// A link that ended where the zone of its piece does.
#[derive(Clone, Copy, Debug)]
struct Ended {
    boundary: u16,
    slot: u32,
    left: Bound,
    class: usize,
}

/// A link that began where the zone of its piece does.
#[derive(Clone, Copy, Debug)]
struct Begun {
    class: usize,
    boundary: u16,
    slot: u32,
    reached: Bound,
}

/// A piece at the bound of its zone.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound {
    /// Overlaps a step ago and now, whatever the zone, m.
    pub overlaps: [f64; 2],
    /// How curved it is, 1/m.
    pub curvature: f64,
}

impl Bound {
    /// Whether, somewhere in the step, a grain overlapped as much with this piece as with another.
    pub fn meets(&self, other: &Bound) -> bool {
        let [before, now] = [0, 1].map(|k| self.overlaps[k] - other.overlaps[k]);
        before * now <= 0.0
    }
}

/// Links of one evaluation that began or ended at the bounds of zones.
#[derive(Clone, Debug, Default)]
pub(super) struct Handed {
    ended: Vec<Ended>,
    begun: Vec<Begun>,
}

impl<D: Integrate> Engine<D> {
    /// Whether links of a class may begin or end at the bounds of pieces.
    pub(super) fn has_pieces(&self, class: usize) -> bool {
        let boundary = usize::from(self.state.walls[class].boundary);
        self.boundaries[boundary].surfaces.len() > 1
    }

    /// Energy of the normal spring of a slot with a piece of a class now, J.
    fn stored_at(&self, class: usize, slot: u32, at: &Bound) -> f64 {
        let wall = &self.state.walls[class];
        let boundary = &self.boundaries[usize::from(wall.boundary)];
        let law = law_of(&self.known_laws, wall.material, boundary.boundary.material);
        let ball = self.law_radius(slot as usize);
        let radius = ball / (1.0 + at.curvature * ball);
        with_law!(law, law => law.stored(at.overlaps[1], radius, 0.0))
    }

    /// Books that a wall gave an energy, J.
    pub(super) fn give(&mut self, class: usize, energy: f64) {
        let boundary = usize::from(self.state.walls[class].boundary);
        self.state.flows.walls += energy;
        self.state.wall_sums[boundary][6] += energy;
    }

    /// What the wall gives to a grain that goes from one piece of a class to another, J.
    pub(super) fn between_pieces(&self, class: usize, slot: u32, from: &Bound, to: &Bound) -> f64 {
        if from.meets(to) {
            return 0.0;
        }
        self.stored_at(class, slot, to) - self.stored_at(class, slot, from)
    }

    /// Looks at a batch of a class in which links began or ended.
    pub(super) fn note_pieces(&mut self, class: usize, change: &Change, time: f64) {
        let wall = &self.state.walls[class];
        let (number, batch) = (wall.boundary, wall.lists.batches[change.batch as usize]);
        let boundary = &self.boundaries[usize::from(number)];
        let motion = &boundary.boundary.motion;
        let poses = [time - self.options.step, time].map(|time| motion.pose(time));
        let mut handed = std::mem::take(&mut self.handed);
        for lane in 0..8 {
            let bit = 1u8 << lane;
            let [slot, surface] = batch.of(lane);
            let (was, is) = (
                change.before.touch & bit != 0,
                change.after.touch & bit != 0,
            );
            if was == is {
                continue;
            }
            let at = self.motion(slot as usize);
            let radius = self.state.arrays.radius(slot as usize);
            let places = [at.position - at.velocity * self.options.step, at.position];
            let ball = self.law_radius(slot as usize);
            let faced = [0, 1].map(|k| {
                let probe = boundary.probe(surface, &poses[k], places[k])?;
                Some(boundary.curvature(surface, &poses[k], places[k], &probe, ball))
            });
            let overlaps = [0, 1].map(|k| {
                let x = boundary.to_frame(surface, &poses[k], places[k]);
                radius - boundary.surface(surface).distance_bound(x)
            });
            match (was, faced) {
                (true, [curvature, None]) if overlaps[1] > 0.0 => {
                    handed.ended.push(Ended {
                        boundary: number,
                        slot,
                        left: Bound {
                            overlaps,
                            curvature: curvature.unwrap_or(0.0),
                        },
                        class,
                    });
                }
                (false, [None, Some(curvature)]) if overlaps[0] > 0.0 => {
                    handed.begun.push(Begun {
                        class,
                        boundary: number,
                        slot,
                        reached: Bound {
                            overlaps,
                            curvature,
                        },
                    });
                }
                _ => {}
            }
        }
        self.handed = handed;
    }

    /// After an evaluation: walls give what normal springs gained at the bounds of zones.
    pub(super) fn give_for_pieces(&mut self) {
        if self.handed.ended.is_empty() && self.handed.begun.is_empty() {
            return;
        }
        let mut handed = std::mem::take(&mut self.handed);
        for begun in handed.begun.drain(..) {
            let Begun { class, slot, .. } = begun;
            let same = |ended: &Ended| ended.slot == slot && ended.boundary == begun.boundary;
            let Some(place) = handed.ended.iter().position(same) else {
                self.give(class, self.stored_at(class, slot, &begun.reached));
                continue;
            };
            let ended = handed.ended.swap_remove(place);
            self.give(
                class,
                self.between_pieces(class, slot, &ended.left, &begun.reached),
            );
        }
        for ended in handed.ended.drain(..) {
            self.give(
                ended.class,
                -self.stored_at(ended.class, ended.slot, &ended.left),
            );
        }
        self.handed = handed;
    }
}
