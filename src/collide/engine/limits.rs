//! When a run stops by itself: pairs that stay in touch, and bursts without end.

use super::state::next;
use super::{Core, Other, Stopped};
use crate::geometry::{Dimension, Vector};

/// How a grain parts from a wall.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parting {
    /// Normal impulse, kg m/s.
    pub impulse: f64,
    /// Energy lost, J; negative where it parts faster than it came.
    pub lost: f64,
}

impl Parting {
    /// After an approach, m/s (negative: it parts already, more slowly than it may), with a least speed, m/s.
    pub fn of(approach: f64, restitution: f64, least: f64, inverse_mass: f64) -> Self {
        if approach > 0.0 && restitution * approach >= least {
            let impulse = (1.0 + restitution) * approach / inverse_mass;
            return Parting {
                impulse,
                lost: 0.5 * (1.0 - restitution) * approach * impulse,
            };
        }
        Parting {
            impulse: (approach + least) / inverse_mass,
            lost: 0.5 * (approach * approach - least * least) / inverse_mass,
        }
    }
}

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
            Other::Wall(u32::from(self.walls.face(with - next::WALL).wall))
        }
    }
    /// The least speed, m/s, at which a grain parts from a wall that gravity, or the wall's own acceleration,
    /// presses it against. Without loss within the contact time a grain that rests would collide endlessly at one
    /// instant, for it has no speed to part with; so it is away for half the contact time.
    pub(super) fn least_departure(
        &self,
        i: usize,
        wall: u16,
        into_wall: D::Vector,
        clock: f64,
    ) -> f64 {
        if !(self.limits.collapse_is_elastic && self.limits.contact_time > 0.0) {
            return 0.0;
        }
        let motion = &self.walls.wall(wall).boundary.motion;
        let pressing = (self.pull(i) - motion.acceleration(clock)).dot(&into_wall);
        self.limits.least_departure(pressing.max(0.0))
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
