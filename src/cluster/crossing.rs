//! When a link passed Coulomb's limit, within the step in which it was seen to. Only links that
//! changed are looked at, and only where they are logged.

use super::coefficients::{Coefficients, coefficients};
use super::engine::Engine;
use super::integrate::Integrate;
use super::integrate::IntegratorName;
use super::kernel::Change;
use super::kinematics::{BodyMotion, Kinematics};
use super::lists::History;
use super::observe::size;
use crate::contact::{LinkLaw, lasting};
use crate::event::EventKind;
use crate::geometry::Vector;

impl<D: Integrate> Engine<D> {
    /// Motion of a slot at the evaluation.
    pub(super) fn motion(&self, slot: usize) -> BodyMotion<D> {
        if let Some(motion) = self.arc_motion(slot) {
            return motion;
        }
        let arrays = &self.state.arrays;
        BodyMotion {
            position: arrays.position(slot),
            velocity: arrays.velocity(slot),
            spin: D::surface_spin(arrays, slot),
        }
    }

    /// Motion of a slot at the evaluation before, a step ago: positions exactly, since they moved with
    /// the velocity that is carried; velocities as far before that as those seen now are after it.
    fn motion_before(&self, slot: usize) -> BodyMotion<D> {
        let now = self.motion(slot);
        let owner = self.owner(slot as u32) as usize;
        if owner != slot {
            return self.part_before(owner, now);
        }
        let (v, s) = D::carried(&self.state.arrays, slot);
        let carried = D::Vector::from_fn(|k| v[k]);
        BodyMotion {
            position: now.position - carried * self.options.step,
            velocity: carried * 2.0 - now.velocity,
            spin: std::array::from_fn(|k| 2.0 * s[k] - now.spin[k]),
        }
    }

    /// The same of a part of the grain in another slot: as if it had moved evenly.
    fn part_before(&self, owner: usize, now: BodyMotion<D>) -> BodyMotion<D> {
        let (grain, before) = (self.motion(owner), self.motion_before(owner));
        let jump = before.velocity - grain.velocity;
        let velocity = now.velocity + jump;
        let middle = (now.velocity + velocity) * 0.5;
        BodyMotion {
            position: now.position - middle * self.options.step,
            velocity,
            spin: now.spin,
        }
    }

    /// How long before the evaluation a link of two grains began to slide or to grip, s.
    pub(super) fn pair_crossed(
        &self,
        class: usize,
        change: &Change,
        lane: usize,
        kind: EventKind,
        now: &Kinematics<D>,
    ) -> f64 {
        let pairs = &self.state.pairs[class];
        let batch = &pairs.lists.batches[change.batch as usize];
        let slots = [batch.a[lane] as usize, batch.b[lane] as usize];
        let before = slots.map(|s| self.motion_before(s));
        let before = self.pair_kinematics_of(slots, before, true);
        let law = self.law(pairs.materials[0], pairs.materials[1]);
        self.crossed(law, change, lane, kind, [&before, now])
    }

    /// The same of a grain and a wall.
    pub(super) fn wall_crossed(
        &self,
        class: usize,
        change: &Change,
        lane: usize,
        kind: EventKind,
        now: &Kinematics<D>,
    ) -> f64 {
        let wall = &self.state.walls[class];
        let contact = wall.lists.batches[change.batch as usize].of(lane);
        let (motion, time) = (self.motion_before(contact[0] as usize), self.time());
        let before = self.wall_kinematics_of(class, contact, motion, time - self.options.step);
        let material = self.boundaries[usize::from(wall.boundary)]
            .boundary
            .material;
        match before {
            Some(before) => {
                let law = self.law(wall.material, material);
                self.crossed(law, change, lane, kind, [&before, now])
            }
            None => 0.5 * self.options.step,
        }
    }

    /// Where the line through what the tangential force would have over its limit, at both ends of
    /// the step, passes 0. A link that slid before is at the limit at the beginning of the step.
    fn crossed(
        &self,
        law: &LinkLaw,
        change: &Change,
        lane: usize,
        kind: EventKind,
        [before, now]: [&Kinematics<D>; 2],
    ) -> f64 {
        let h = self.options.step;
        // Of the others the state at the beginning of the step is not at hand.
        use IntegratorName::{Midpoint, Verlet};
        let spring = match self.springs.get(change.batch as usize) {
            Some(springs) if matches!(self.options.integrator, Verlet | Midpoint) => {
                springs.lane(lane)
            }
            _ => return 0.5 * h,
        };
        let timing = self.timing();
        let tolerance = timing.slip_tolerance;
        let limit = match kind {
            EventKind::SlipLink => 1.0 + tolerance,
            _ => 1.0 - tolerance,
        };
        let [first, last] = [before, now].map(|at| coefficients(law, at));
        let lasting = lasting(first.kt, last.kt);
        let over = |at: &Kinematics<D>, c: &Coefficients, lasting: f64, carried: f64| {
            let force: [f64; 3] = std::array::from_fn(|k| {
                c.kt * (lasting * spring[k] + carried * at.sliding[k]) + c.ct * at.sliding[k]
            });
            size(force) - limit * c.friction * c.normal(at.speed).1
        };
        let (first, last) = (
            over(before, &first, 1.0, -timing.after * h),
            over(now, &last, lasting, timing.before * h),
        );
        if first * last < 0.0 {
            h * last / (last - first)
        } else if first.abs() < last.abs() {
            h
        } else {
            0.0
        }
    }
}
