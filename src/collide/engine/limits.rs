//! When a run stops by itself: pairs that stay in touch, and bursts without end.

use super::state::next;
use super::{Core, Other, Stopped};
use crate::geometry::Dimension;

impl<D: Dimension> Core<D> {
    /// Looks whether a collision may happen: collapse and endless bursts stop the run. Tells
    /// whether it is to be elastic, by the rule of the last contact.
    #[inline(always)]
    pub(super) fn check(&mut self, i: usize, with: u32, t: f64) -> Result<bool, Stopped> {
        let mut elastic = false;
        if self.limits.contact_time > 0.0 {
            elastic = self.check_contact_time(i, with, t)?;
            self.tally.lasting[usize::from(with >= next::WALL)] += u64::from(elastic);
        }
        self.note(i, with, t)?;
        if with < next::WALL {
            self.note(with as usize, i as u32, t)?;
        }
        Ok(elastic)
    }
    #[inline(always)]
    pub(super) fn note(&mut self, i: usize, with: u32, t: f64) -> Result<(), Stopped> {
        let slot = &mut self.slots[i];
        if t - slot.last_time <= self.limits.instant {
            slot.burst = slot.burst.saturating_add(1);
            if u32::from(slot.burst) > self.limits.burst {
                return Err(self.stuck(i, with, t));
            }
        } else {
            slot.burst = 0;
        }
        slot.last_time = t;
        if !self.last.is_empty() {
            self.last[i] = with;
        }
        Ok(())
    }
    #[cold]
    #[inline(never)]
    fn stuck(&self, i: usize, with: u32, t: f64) -> Stopped {
        Stopped::Stuck {
            grain: self.ids[i],
            with: self.other(with),
            time: self.epoch + t,
            collisions: u32::from(self.slots[i].burst),
        }
    }
    fn other(&self, with: u32) -> Other {
        if with < next::WALL {
            Other::Grain(self.ids[with as usize])
        } else {
            Other::Wall(with - next::WALL)
        }
    }
    #[inline(never)]
    fn check_contact_time(&mut self, i: usize, with: u32, t: f64) -> Result<bool, Stopped> {
        let soon = |last: f64| t - last < self.limits.contact_time;
        let slot = &self.slots[i];
        if self.limits.collapse_is_elastic {
            let other = with < next::WALL && soon(self.slots[with as usize].last_time);
            return Ok(soon(slot.last_time) || other);
        }
        if self.last[i] == with && soon(slot.last_time) {
            return Err(Stopped::Collapse {
                grain: self.ids[i],
                with: self.other(with),
                time: self.epoch + t,
            });
        }
        Ok(false)
    }
}
