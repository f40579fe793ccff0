//! One step of all stepped grains, as the driver asks for it.

use super::{System, SystemError};
use crate::cluster::integrate::Integrate;
use crate::record::Sink;

impl<D: Integrate> System<D> {
    /// One step of all stepped grains, of which the stride may have been made already. Where the next step comes before any event, the first
    /// of which is at `until` (s), and nobody looks before it, its stride is made too; gives whether that is so.
    pub(super) fn step(
        &mut self,
        sink: &mut dyn Sink,
        begun: bool,
        until: Option<f64>,
    ) -> Result<bool, SystemError> {
        if !begun {
            self.engine.advance();
            self.follow_gravity();
        }
        if self.engine.outer_is_stale() {
            self.check_cell()?;
            self.check_numbers()?;
            self.check_overlaps()?;
            self.renew(sink)?;
        } else {
            self.engine.refresh_inner();
        }
        if self.nobody_looks_until(until) && self.engine.forces_and_advance() {
            return Ok(true);
        }
        self.engine.forces();
        self.apply_fields();
        if self.is_look() {
            self.engine.look();
            self.check_overlaps()?;
        }
        if !self.engine.link_events.is_empty() {
            self.log_links(sink)?;
        }
        self.wake_at_once(sink)?;
        self.look_at_rest(sink)?;
        Ok(false)
    }

    /// Whether after this step it is time to look at links.
    fn is_look(&self) -> bool {
        let steps = self.engine.state.counts.steps;
        steps.is_multiple_of(self.engine.options.look_every)
    }

    /// Whether the next step is due by `until`, s, and neither an event nor fields nor any look comes before it.
    fn nobody_looks_until(&self, until: Option<f64>) -> bool {
        let next = self.engine.time_of(self.engine.state.n + 1);
        // A renewal may have called a flyer back earlier.
        let event = self.s.schedule.first_time();
        until.is_some_and(|until| next <= until && event >= until)
            && self.steps()
            && self.uniform
            && !self.gravity_changes()
            // Who is struck is woken at the very step.
            && self.engine.state.still.rim.is_empty()
            && !self.is_look()
            && !self.is_look_at_rest()
    }
}
