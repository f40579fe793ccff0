//! A grain that a feed makes, where flyers collide.

use super::Kind;
use crate::cluster::arrays::Status;
use crate::cluster::integrate::Integrate;
use crate::record::Sink;
use crate::system::{System, SystemError};

impl<D: Integrate> System<D> {
    /// Slots of grains whose surface may be within `reach` of a place, m; none where flyers do not collide, or where all is to be
    /// foreseen anew. `reach` is at most the greatest radius and half the margin of the outer list.
    pub(in crate::system) fn around_in_air(
        &mut self,
        place: D::Vector,
        reach: f64,
    ) -> Option<Vec<u32>> {
        let margin = self.engine.options.outer_margin;
        let air = self.air.as_mut()?;
        if air.s.stale || reach > air.largest + 0.5 * margin {
            return None;
        }
        air.gather::<D>(air.s.lattice.cell(place));
        let ids = std::mem::take(&mut air.found);
        let mut slots: Vec<u32> = Vec::with_capacity(ids.len());
        for &id in &ids {
            let flies = self.flyer(id);
            slots.extend(flies.or_else(|| self.stepped(id)));
        }
        if let Some(air) = &mut self.air {
            air.found = ids;
        }
        let still = |slot: u32| slots.push(slot);
        self.engine.cells.near(place, reach, still);
        slots.sort_unstable();
        slots.dedup();
        Some(slots)
    }

    /// A grain that was just added joins the flyers, or those that are stepped if it has several parts. Gives whether it could without a
    /// look at all others.
    pub(in crate::system) fn join_air(
        &mut self,
        sink: &mut dyn Sink,
        slot: u32,
    ) -> Result<bool, SystemError> {
        let now = self.engine.time();
        let Some(air) = self.air.as_mut().filter(|air| !air.s.stale) else {
            return Ok(false);
        };
        let clock = air.s.clock.max(now);
        let id = self.engine.state.arrays.id[slot as usize];
        let index = id as usize;
        if air.slots.len() <= index {
            air.slots.resize(index + 1, 0);
        }
        air.slots[index] = slot;
        if self.engine.form_index(slot).is_none() {
            self.foresee_again(id, clock)?;
            self.schedule_flyers();
            return Ok(true);
        }
        if self.steps_in(sink, slot, &[])?.is_none() {
            return Ok(false);
        }
        let place = self.engine.state.arrays.position(slot as usize);
        let Some(air) = &mut self.air else {
            return Ok(false);
        };
        air.register(id, Kind::Stepped, place);
        let at = air.s.stepped.partition_point(|&other| other < id);
        air.s.stepped.insert(at, id);
        air.gather_around::<D>(id);
        let found = std::mem::take(&mut air.found);
        for &flyer in &found {
            let Some(other) = self.flyer(flyer) else {
                continue;
            };
            debug_assert!(self.engine.state.arrays.status[other as usize] == Status::Flying);
            if let Some(next) = self.foresee_stepped(flyer, id, clock) {
                if next.time <= now + 3.0 * self.engine.options.step {
                    return Ok(false);
                }
                self.await_event(flyer, next)?;
            }
        }
        if let Some(air) = &mut self.air {
            air.found = found;
        }
        self.schedule_flyers();
        Ok(true)
    }
}
