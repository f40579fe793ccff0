//! A grain that a feed makes joins those that are there: what it may meet is looked at, and nobody else.

use super::schedule::Source;
use super::surroundings::Surroundings;
use super::{System, SystemError, flight};
use crate::cluster::arrays::Status;
use crate::cluster::integrate::Integrate;
use crate::event::{EventKind, Regime};
use crate::geometry::Vector;
use crate::record::Sink;

/// What is due within so many steps cannot wait.
const DUE: f64 = 3.0;
/// Lists are renewed for flyers so many steps before the first of them must be back.
const BEFORE: f64 = 2.0;

impl<D: Integrate> System<D> {
    /// Slots of grains whose surface may be within `reach` of a place, m, at a time, s.
    pub(super) fn around(&mut self, place: D::Vector, reach: f64, time: f64) -> Vec<u32> {
        if let Some(slots) = self.around_in_air(place, reach) {
            return slots;
        }
        // Collisions make flyers faster than they were when that was made.
        let known = self.surroundings.take().filter(|_| !self.flyers_collide());
        let known = known.filter(|known| known.holds(&self.engine, time));
        let known = known.unwrap_or_else(|| Surroundings::new(&self.engine, time));
        let found = known.near(&self.engine, place, reach, time);
        self.surroundings = Some(known);
        found
    }

    /// A grain that was just added as a flyer, its row at the time of evaluation, joins all others.
    pub(super) fn join(
        &mut self,
        sink: &mut dyn Sink,
        slot: u32,
        time: f64,
    ) -> Result<(), SystemError> {
        let whole = self.engine.is_shared() || self.engine.has_cell();
        if whole || !self.join_alone(sink, slot, time)? {
            return self.renew(sink);
        }
        Ok(())
    }

    /// The same without a look at all others; gives whether that was possible. If not, all is to be renewed.
    fn join_alone(
        &mut self,
        sink: &mut dyn Sink,
        slot: u32,
        time: f64,
    ) -> Result<bool, SystemError> {
        if let Some(known) = &mut self.surroundings {
            known.insert(&self.engine, slot, time);
        }
        if self.all_step() {
            let flyers = self.steps_in(sink, slot, &[])?;
            return Ok(flyers.is_some_and(|flyers| flyers.is_empty()));
        }
        if self.flyers_collide() {
            return self.join_air(sink, slot);
        }
        self.join_flyers(sink, slot, time)
    }

    /// The same where flyers do not collide.
    fn join_flyers(
        &mut self,
        sink: &mut dyn Sink,
        slot: u32,
        time: f64,
    ) -> Result<bool, SystemError> {
        let now = self.engine.time();
        let h = self.engine.options.step;
        let due = now + DUE * h;
        // What is foreseen of others holds until then.
        let planned = self.s.schedule.time_of(Source::Flight);
        let until = planned.map_or(f64::INFINITY, |planned| {
            (planned + BEFORE * h - now).max(0.0)
        });
        let s = slot as usize;
        let arrays = &self.engine.state.arrays;
        let (place, speed, radius) = (
            arrays.position(s),
            arrays.velocity(s).norm(),
            arrays.radius(s),
        );
        let length = flight::length(&self.engine, speed, radius).min(until);
        let known = self.surroundings.as_ref();
        let others = known.map_or(0.0, |known| known.fastest(time));
        let way = (speed + others + self.engine.gravity.norm() * length) * length;
        let reach = radius + way + self.engine.options.outer_margin;
        let mut near = self.around(place, reach, time.max(now));
        // What is looked at must not depend on when the surroundings were gathered: a run that goes on from a checkpoint gathers them anew.
        near.retain(|&other| other == slot || self.may_meet(slot, other, now, length));
        let status = &self.engine.state.arrays.status;
        let flies = |slot: &u32| status[*slot as usize] == Status::Flying;
        let flyers: Vec<u32> = near.iter().copied().filter(flies).collect();
        let moves = |slot: &u32| status[*slot as usize] == Status::Stepped;
        let stepped: Vec<u32> = near.iter().copied().filter(moves).collect();
        let ahead = self.foresee_among(&flyers, stepped, now);
        let mut first = now + length;
        let mut steps = false;
        for (&other, &back) in flyers.iter().zip(&ahead.back) {
            let meets = back < ahead.horizon && back < now + length;
            if other == slot {
                steps = meets && back <= due;
                self.engine.state.back[s] = back.min(now + length);
                if !steps {
                    first = first.min(back);
                }
            } else if meets {
                if back <= due {
                    return Ok(false);
                }
                first = first.min(self.returns(other, back));
            }
        }
        if steps {
            let Some(flyers) = self.steps_in(sink, slot, &near)? else {
                return Ok(false);
            };
            // They meet it as one that is stepped.
            let ahead = self.foresee_among(&flyers, vec![slot], now);
            for (&other, &back) in flyers.iter().zip(&ahead.back) {
                if back <= due {
                    return Ok(false);
                }
                if back < ahead.horizon {
                    first = first.min(self.returns(other, back));
                }
            }
            if flyers.is_empty() {
                return Ok(true);
            }
        }
        let next = (first - BEFORE * h).max(now);
        if planned.is_none_or(|planned| next < planned) {
            self.schedule(Source::Flight, next, EventKind::NeighborUpdate);
        }
        Ok(true)
    }

    /// Whether a flyer whose row stands at `now` may meet a grain in so much time, s, by their distance and speeds, also if it is to be
    /// stepped itself.
    fn may_meet(&self, slot: u32, other: u32, now: f64, length: f64) -> bool {
        let arrays = &self.engine.state.arrays;
        let (a, b) = (slot as usize, other as usize);
        let (x, v) = (arrays.position(a), arrays.velocity(a));
        let (y, way) = if arrays.status[b] == Status::Flying {
            let there = flight::fly(&self.engine, b, now);
            let together = (v - there.velocity).norm();
            (there.position, together.max(there.velocity.norm()))
        } else {
            (arrays.position(b), v.norm())
        };
        let fall = 0.5 * self.engine.gravity.norm() * length * length;
        let touch = arrays.radius(a) + arrays.radius(b);
        let reach = touch + way * length + fall + self.engine.options.outer_margin;
        self.engine.shortest(x - y).norm() <= reach
    }

    /// Foresees flyers, ascending, as if of those that are stepped only these were there. Their rows come to stand at `now`.
    fn foresee_among(&mut self, flyers: &[u32], stepped: Vec<u32>, now: f64) -> flight::Forecast {
        for &flyer in flyers {
            flight::restart(&mut self.engine, flyer as usize, now);
        }
        let all = std::mem::replace(&mut self.engine.state.active, stepped);
        let ahead = flight::foresee(
            &self.engine,
            &mut *self.flight_search,
            &self.setup.periodic,
            flyers,
            now,
        );
        self.engine.state.active = all;
        ahead
    }

    /// A flyer must be back at a time, s, at the latest.
    fn returns(&mut self, slot: u32, back: f64) -> f64 {
        let known = &mut self.engine.state.back[slot as usize];
        *known = known.min(back);
        back
    }

    /// A grain that was just added begins to step at once. Gives the flyers among `near`; none where lists are to be renewed.
    pub(super) fn steps_in(
        &mut self,
        sink: &mut dyn Sink,
        slot: u32,
        near: &[u32],
    ) -> Result<Option<Vec<u32>>, SystemError> {
        let now = self.engine.time();
        let arrays = &self.engine.state.arrays;
        let (place, radius) = (arrays.position(slot as usize), arrays.radius(slot as usize));
        let found = match near {
            [] => self.around(place, radius + self.engine.options.outer_margin, now),
            near => near.to_vec(),
        };
        let status = &self.engine.state.arrays.status;
        let (flyers, others): (Vec<u32>, Vec<u32>) = found
            .into_iter()
            .filter(|&other| other != slot)
            .partition(|&other| status[other as usize] == Status::Flying);
        let ascends = self.engine.state.in_order
            && self
                .engine
                .state
                .active
                .last()
                .is_none_or(|&last| last < slot);
        self.start_stepping(slot);
        self.engine.state.in_order = ascends;
        self.morph(sink, now, slot, Regime::Flight, Regime::Cluster)?;
        if !self.engine.enter(slot, &others) {
            return Ok(None);
        }
        self.s.known.plan = None;
        self.apply_fields_to_fresh();
        Ok(Some(flyers))
    }
}
