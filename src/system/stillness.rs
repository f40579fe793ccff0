//! Whether nothing moves: the end of settling, and jams.

use super::driver::{JAM_KINETIC, JAM_LOOK, JAM_LOOKS, SETTLE_LOOK, SETTLE_LOOKS, owner};
use super::{System, SystemError};
use crate::cluster::arrays::Status;
use crate::cluster::integrate::Integrate;
use crate::event::{DefaultQueue, EventKind};
use crate::geometry::Vector;
use crate::record::Sink;

/// Jams that may turn out to be none, between one grain that leaves and the next, before all step.
pub(super) const UNDONE: u64 = 4;

impl<D: Integrate> System<D> {
    /// While settling: whether the grains rest; then the clock is set to 0.
    pub(super) fn look_for_rest(
        &mut self,
        sink: &mut dyn Sink,
        time: f64,
    ) -> Result<(), SystemError> {
        let Some(settle) = self.setup.settle else {
            return Ok(());
        };
        let (kinetic, weight, flying) = self.restlessness(time);
        let calm = !flying && kinetic <= settle.kinetic_fraction * weight;
        self.s.calm_looks = if calm { self.s.calm_looks + 1 } else { 0 };
        if self.s.calm_looks >= SETTLE_LOOKS {
            self.end_settling(sink)?;
            return self.renew(sink);
        }
        if time + SETTLE_LOOK < 0.0 {
            self.schedule(owner::JAM, time + SETTLE_LOOK, EventKind::Jam);
        }
        Ok(())
    }

    /// The grains rest: the clock is set to 0, and the run begins. The lists are to be renewed.
    pub(super) fn end_settling(&mut self, sink: &mut dyn Sink) -> Result<(), SystemError> {
        self.s.calm_looks = 0;
        let shift = -self.engine.time();
        self.engine.origin += shift;
        self.s.origin = self.engine.origin;
        for since in &mut self.engine.state.since {
            *since += shift;
        }
        self.engine.set_clock_of_guided();
        self.s.queue = DefaultQueue::default();
        self.begin(sink)
    }

    /// They do not, but settling has had its time: the run begins all the same.
    pub(super) fn give_up_settling(&mut self, sink: &mut dyn Sink) -> Result<(), SystemError> {
        self.s.warnings.push(format!(
            "the grains had not come to rest after {} s of settling; the run starts all the same",
            self.setup.settle.map_or(0.0, |s| s.at_most)
        ));
        self.begin(sink)
    }

    /// Whether a stepped slot moves no more than a grain of a jam may.
    pub(super) fn is_at_rest(&self, slot: u32) -> bool {
        let (arrays, slot) = (&self.engine.state.arrays, slot as usize);
        let g = self.setup.gravity.norm();
        let (v, s) = super::ledger::velocity_now(&self.engine, slot);
        let turning = super::ledger::turning_energy(&self.engine, slot, s);
        let kinetic = 0.5 * v.norm_squared() / arrays.inverse_mass(slot) + turning;
        kinetic < JAM_KINETIC * 2.0 * arrays.radius(slot) * g / arrays.inverse_mass(slot)
    }

    /// Kinetic energy, the sum of m g d and of loads times d, and whether anybody flies.
    pub(super) fn restlessness(&self, time: f64) -> (f64, f64, bool) {
        let arrays = &self.engine.state.arrays;
        let g = self.setup.gravity.norm();
        let (mut weight, mut radii, mut grains) = (0.0, 0.0, 0.0);
        let mut flying = false;
        for slot in 1..arrays.slots() {
            if arrays.status[slot].is_grain() {
                weight += 2.0 * arrays.radius(slot) * g / arrays.inverse_mass(slot);
                radii += arrays.radius(slot);
                grains += 1.0;
                flying |= arrays.status[slot] == Status::Flying;
            }
        }
        // Walls that forces move are part of what must rest, and their load part of what holds the bed together.
        let (swing, load) = self.engine.guided_restlessness();
        if grains > 0.0 {
            weight += load * 2.0 * radii / grains;
        }
        let kinetic = super::ledger::held(&self.engine, &self.fields, time).kinetic;
        (kinetic + swing, weight, flying)
    }

    /// Whether nothing can move any more: all at rest for a while, nothing to come.
    pub(super) fn look_for_jam(
        &mut self,
        sink: &mut dyn Sink,
        time: f64,
    ) -> Result<(), SystemError> {
        let to_come = self
            .setup
            .feeds
            .iter()
            .zip(&self.s.feeds)
            .any(|(f, s)| s.made < f.count)
            || self
                .setup
                .boundaries
                .iter()
                .any(|b| b.opens_at.is_some_and(|t| t > time) || !b.stands())
            || self.fields.next_event(time).is_some()
            || self.gravity_changes();
        let active = &self.engine.state.active;
        let rest = !to_come
            && self.grain_count() > 0
            && self.flying().is_empty()
            && active.iter().all(|&slot| self.is_at_rest(slot));
        if !rest {
            self.s.calm_looks = 0;
            self.s.calm_since = time;
        } else {
            if self.s.calm_looks == 0 {
                self.s.calm_since = time;
            }
            self.s.calm_looks += 1;
        }
        if self.s.calm_looks >= JAM_LOOKS && self.undo_rest(sink)? {
            self.renew(sink)?;
            self.s.calm_looks = 0;
        }
        if self.s.calm_looks >= JAM_LOOKS {
            self.count(EventKind::Jam);
            self.s.causes.now = self.s.causes.link;
            self.s.causes.end = self.log_whole(sink, time, EventKind::Jam, None)?;
            self.s.causes.now = 0;
            let jam = super::arch::find(&self.engine, &self.setup.outlets, self.s.calm_since);
            self.jam(jam, time);
            return Ok(());
        }
        self.schedule(owner::JAM, time + JAM_LOOK, EventKind::Jam);
        Ok(())
    }

    /// Before a jam is believed: carries all loads, and wakes who only seemed to be at rest; whether
    /// there were any. Where that happens again and again and nothing comes out meanwhile, all are
    /// stepped at last; the jam that these make stands.
    fn undo_rest(&mut self, sink: &mut dyn Sink) -> Result<bool, SystemError> {
        let Some(morph) = self.setup.morph else {
            return Ok(false);
        };
        if self.engine.state.still.count == 0 {
            return Ok(false);
        }
        let [out, times] = &mut self.s.undone;
        if *out != self.s.discharged {
            [*out, *times] = [self.s.discharged, 0];
        }
        *times += 1;
        if *times < UNDONE {
            self.forget_moment();
            return self.carry(sink, &morph, true);
        }
        let all = self.engine.standing();
        Ok(*times == UNDONE && self.rouse(sink, &all)?)
    }
}
