//! Contacts that begin or end because a grain comes to face the next piece of a wall, not because the two meet or part.
//!
//! At a corner of a chain, and where the pieces of a wall do not meet smoothly, the force of a piece is there, or gone, from one step to
//! the next: so is the energy of its normal spring, which the wall gives or takes. The tangential spring goes over to the
//! piece that the grain comes to touch in the same step.

use super::engine::{Engine, law_of};
use super::integrate::Integrate;
use super::kernel::Change;
use super::lists::History;
use crate::body::Pose;
use crate::contact::{Law, with_law};
use crate::geometry::surface::{Probe, Surface};

/// A link that ended where the zone of its piece does.
#[derive(Clone, Copy, Debug)]
struct Ended {
    boundary: u16,
    slot: u32,
    spring: [f64; 3],
    slips: bool,
}

/// A link that began where the zone of its piece does.
#[derive(Clone, Copy, Debug)]
struct Begun {
    class: usize,
    batch: usize,
    lane: usize,
    boundary: u16,
    slot: u32,
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

    /// Energy of the normal spring at an overlap, m, of a slot with a wall of a class that is so curved there, 1/m: J.
    fn stored_at(&self, class: usize, slot: u32, overlap: f64, curvature: f64) -> f64 {
        let wall = &self.state.walls[class];
        let boundary = &self.boundaries[usize::from(wall.boundary)];
        let law = law_of(&self.known_laws, wall.material, boundary.boundary.material);
        let ball = self.law_radius(slot as usize);
        let radius = ball / (1.0 + curvature * ball);
        with_law!(law, law => law.stored(overlap, radius, 0.0))
    }

    /// Books that a wall gave an energy, J.
    pub(super) fn give(&mut self, class: usize, energy: f64) {
        let boundary = usize::from(self.state.walls[class].boundary);
        self.state.flows.walls += energy;
        self.state.wall_sums[boundary][6] += energy;
    }

    /// What the normal springs of two pieces of a class differ by, for a grain that goes from one overlap to the other, m, where
    /// both are so curved, 1/m: J.
    pub(super) fn between_pieces(
        &self,
        class: usize,
        slot: u32,
        [from, to]: [f64; 2],
        curvature: f64,
    ) -> f64 {
        let stored = |overlap| self.stored_at(class, slot, overlap, curvature);
        stored(to) - stored(from)
    }

    /// Looks at a batch of a class in which links began or ended, before what `springs` hold of it is forgotten.
    pub(super) fn note_pieces(&mut self, class: usize, change: &Change, time: f64) {
        let wall = &self.state.walls[class];
        let (number, batch) = (wall.boundary, wall.lists.batches[change.batch as usize]);
        let boundary = &self.boundaries[usize::from(number)];
        let motion = &boundary.boundary.motion;
        let (now, before) = (motion.pose(time), motion.pose(time - self.options.step));
        let mut given = 0.0;
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
            let piece = boundary.surface(surface);
            let ball = self.law_radius(slot as usize);
            let curvature = |pose: &Pose<D>, x: D::Vector, probe: &Probe<D>| {
                boundary.curvature(surface, pose, x, probe, ball)
            };
            if was {
                let x = boundary.to_frame(surface, &now, at.position);
                let overlap = radius - piece.distance_bound(x);
                let faced = boundary.probe(surface, &now, at.position).is_some();
                if faced || overlap <= 0.0 {
                    continue;
                }
                // It was faced a step ago.
                let came_from = at.position - at.velocity * self.options.step;
                let probe = boundary.probe(surface, &before, came_from);
                let curved = probe.map_or(0.0, |probe| curvature(&before, came_from, &probe));
                given -= self.stored_at(class, slot, overlap, curved);
                let spring = self.springs.get(change.batch as usize);
                handed.ended.push(Ended {
                    boundary: number,
                    slot,
                    spring: spring.map_or([0.0; 3], |springs| springs.lane(lane)),
                    slips: change.before.slip & bit != 0,
                });
                continue;
            }
            let Some(probe) = boundary.probe(surface, &now, at.position) else {
                continue;
            };
            let came_from = at.position - at.velocity * self.options.step;
            let hidden = boundary.probe(surface, &before, came_from).is_none();
            let x = boundary.to_frame(surface, &before, came_from);
            if hidden && piece.distance_bound(x) < radius {
                let curved = curvature(&now, at.position, &probe);
                given += self.stored_at(class, slot, radius - probe.distance, curved);
                handed.begun.push(Begun {
                    class,
                    batch: change.batch as usize,
                    lane,
                    boundary: number,
                    slot,
                });
            }
        }
        self.handed = handed;
        if given != 0.0 {
            self.give(class, given);
        }
    }

    /// After an evaluation: springs of links that ended go to the links of the same grains with the next piece.
    pub(super) fn hand_on(&mut self) {
        if self.handed.ended.is_empty() && self.handed.begun.is_empty() {
            return;
        }
        let mut handed = std::mem::take(&mut self.handed);
        for begun in handed.begun.drain(..) {
            let same = |ended: &Ended| ended.slot == begun.slot && ended.boundary == begun.boundary;
            let Some(place) = handed.ended.iter().position(same) else {
                continue;
            };
            let ended = handed.ended.swap_remove(place);
            let lists = &mut self.state.walls[begun.class].lists;
            let own = lists.history[begun.batch].lane(begun.lane);
            let spring = std::array::from_fn(|k| own[k] + ended.spring[k]);
            lists.history[begun.batch].set_lane(begun.lane, spring);
            lists.flags[begun.batch].slip |= u8::from(ended.slips) << begun.lane;
        }
        handed.ended.clear();
        self.handed = handed;
    }
}
