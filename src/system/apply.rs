//! What sources order, carried out and logged.

use super::schedule::{Due, Source};
use super::source::{Order, Sight};
use super::state_at::position_at;
use super::{Setup, System, SystemError, flight};
use crate::body::{Grain, GrainId};
use crate::cluster::arrays::Status;
use crate::cluster::integrate::Integrate;
use crate::control::Readings;
use crate::event::EventKind;
use crate::geometry::Vector;
use crate::neighbor::wrapped;
use crate::record::Sink;
use crate::walls::Motion;

impl<D: Integrate> Readings for System<D> {
    fn passed(&self, meter: usize) -> i64 {
        self.s.meters.count(meter)
    }
}

impl<D: Integrate> Sight<D> for System<D> {
    fn setup(&self) -> &Setup<D> {
        &self.setup
    }

    fn next_grain(&self) -> Option<GrainId> {
        self.s.traffic.next()
    }

    fn wrapped(&self, place: D::Vector) -> D::Vector {
        wrapped::<D>(self.engine.periodic(), place)
    }

    fn is_free(&mut self, place: D::Vector, radius: f64, time: f64) -> bool {
        let near = self.around(place, radius, time);
        let arrays = &self.engine.state.arrays;
        let free_of_grains = near.into_iter().all(|slot| {
            let x = position_at(&self.engine, slot as usize, time);
            let d = self.engine.shortest(place - x);
            let reach = radius + arrays.radius(slot as usize);
            d.norm_squared() > reach * reach
        });
        free_of_grains
            && self
                .engine
                .boundaries
                .iter()
                .zip(&self.engine.state.gone)
                .all(|(wall, &gone)| {
                    gone || { wall.distance(&wall.boundary.motion.pose(time), place) > radius }
                })
    }
}

impl<D: Integrate> System<D> {
    /// The turn of a source that is no model.
    pub(super) fn turn_of(&mut self, due: Due, sink: &mut dyn Sink) -> Result<(), SystemError> {
        let mut sources = std::mem::take(&mut self.s.sources);
        let answer = sources
            .get_mut(due.source)
            .map(|source| source.act(due.time, self));
        self.s.sources = sources;
        let Some(answer) = answer else { return Ok(()) };
        if let Some(next) = answer.next {
            self.schedule(due.source, next.time, next.kind);
        }
        for order in answer.orders {
            match order {
                Order::Add(grain) => self.add(sink, &grain, due.time)?,
                Order::Open(wall) => self.open_gate(sink, wall, due.time)?,
                Order::Slide(wall) => self.slide(sink, wall, due.time)?,
                Order::Shut(feed) => self.shut(sink, feed, due.time)?,
                Order::Count(kind) => self.count(kind),
                Order::Warn(kind, words) => {
                    self.s.warnings.push(words);
                    self.count(kind);
                    self.log_whole(sink, due.time, kind, None)?;
                }
            }
        }
        Ok(())
    }

    /// A grain comes.
    fn add(&mut self, sink: &mut dyn Sink, grain: &Grain<D>, time: f64) -> Result<(), SystemError> {
        self.count(EventKind::AddBody);
        self.s.traffic.enter();
        self.account(time);
        let kinetic = grain.kinetic_energy();
        let potential = self.potential_of(grain, time, &[]);
        self.s.ledger.fed += kinetic + potential;
        self.s.ledger.fed_potential += potential;
        self.s.ledger.perturbed -= self.lift(grain);
        self.meet_meters(grain.id, grain.position);
        let slot = self.engine.add(grain, Status::Flying, time);
        self.s.journal.causes.now = self.log_whole(sink, time, EventKind::AddBody, Some(slot))?;
        if self.engine.state.active.is_empty() {
            let h = self.step_size();
            let n = ((time - self.engine.time_of(0)) / h).floor() as i64;
            self.engine.skip_to(n);
        }
        // Foreseen at once; back in time to the grid first, if it must step.
        self.engine.state.back[slot as usize] = f64::INFINITY;
        let now = self.engine.time();
        flight::restart(&mut self.engine, slot as usize, now);
        self.join(sink, slot, time)?;
        self.s.journal.causes.now = 0;
        Ok(())
    }

    /// A wall that slides begins to.
    fn slide(&mut self, sink: &mut dyn Sink, index: usize, time: f64) -> Result<(), SystemError> {
        self.count(EventKind::BoundaryUpdate);
        self.s.journal.causes.now = self.log_whole(sink, time, EventKind::BoundaryUpdate, None)?;
        self.set_slide(index, time);
        self.s.watch.disturb(time);
        // What was foreseen of it holds no more.
        self.forget_flyers();
        self.renew(sink)?;
        self.s.journal.causes.now = 0;
        Ok(())
    }

    /// A wall that slides has begun to, or will, at a time, s.
    pub(super) fn set_slide(&mut self, index: usize, time: f64) {
        let set_up = &mut self.setup.boundaries[index].motion;
        let moved = &mut self.engine.boundaries[index].boundary.motion;
        for motion in [set_up, moved] {
            if let Motion::Slide(slide) = motion {
                slide.from = Some(time);
            }
        }
    }

    /// A feed gives no more.
    fn shut(&mut self, sink: &mut dyn Sink, index: usize, time: f64) -> Result<(), SystemError> {
        self.count(EventKind::BoundaryUpdate);
        self.log_whole(sink, time, EventKind::BoundaryUpdate, None)?;
        self.s.sources.shut(index, time);
        self.s.schedule.cancel(Source::Feed(index as u32));
        self.s.watch.disturb(time);
        Ok(())
    }

    /// Opens a gate: its links are lost, with the energy that they held.
    fn open_gate(
        &mut self,
        sink: &mut dyn Sink,
        index: usize,
        time: f64,
    ) -> Result<(), SystemError> {
        self.count(EventKind::BoundaryUpdate);
        self.s.journal.causes.now = self.log_whole(sink, time, EventKind::BoundaryUpdate, None)?;
        let elastic = self.engine.end_links_with(index, time);
        self.s.ledger.remove_elastic(elastic);
        self.log_links(sink)?;
        self.engine.open(index);
        self.s.watch.disturb(time);
        self.wake_unbalanced(sink)?;
        self.renew(sink)?;
        self.s.journal.causes.now = 0;
        Ok(())
    }
}
