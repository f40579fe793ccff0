//! Who comes back to the grid of steps, and who leaves it, where flyers collide.

use super::foresee::Except;
use super::{Kind, Next};
use crate::cluster::arrays::Status;
use crate::cluster::integrate::Integrate;
use crate::event::Regime;
use crate::neighbor::Lattice;
use crate::record::Sink;
use crate::system::{System, SystemError, flight};

/// A flyer due within so many steps at a renewal comes back at once.
const STAY: f64 = 32.0;
/// Nobody leaves for a flight shorter than so many steps,
const LEAVE: f64 = 96.0;
/// nor than so much of the dwell that makes a link stable: some contact times.
const DWELLS: f64 = 0.3;
/// Widths of the cells over the least that will do: wider ones are left less often, and hold more.
const WIDER: f64 = 1.25;

impl<D: Integrate> System<D> {
    /// Renews the lists of those that are stepped, among them those called back, by number; looks
    /// anew at the flyers around them; lets go who is alone.
    pub(in crate::system) fn renew_air(
        &mut self,
        sink: &mut dyn Sink,
        called: &[u32],
    ) -> Result<(), SystemError> {
        let now = self.engine.time();
        let h = self.engine.options.step;
        let stale = self.air.as_ref().is_some_and(|air| air.s.stale);
        if stale {
            self.start_air();
        }
        let clock = self.air.as_ref().map_or(now, |air| air.s.clock.max(now));
        let mut woken = Vec::new();
        self.wake_flyers(called, now, &mut woken);
        self.engine.renew();
        let (new, formed) = self.newcomers(clock);
        for id in new {
            self.foresee_again(id, clock)?;
        }
        if !formed.is_empty() {
            self.wake_flyers(&formed, now, &mut woken);
            self.engine.renew();
        }
        loop {
            self.enter_stepped();
            let mut due = Vec::new();
            for id in self.guard_stepped(clock, now + STAY * h)? {
                if self.is_free_to_return(id, now) {
                    due.push(id);
                } else {
                    self.await_step(id)?;
                }
            }
            if due.is_empty() {
                break;
            }
            self.wake_flyers(&due, now, &mut woken);
            self.engine.renew();
        }
        // Not when somebody was called back: who may go waits for the next renewal of the lists.
        let left = if called.is_empty() {
            self.let_go(now, clock)?
        } else {
            Vec::new()
        };
        // Who is sent off again at once has not changed its regime.
        let stayed: Vec<u32> = left
            .iter()
            .copied()
            .filter(|id| woken.contains(id))
            .collect();
        woken.retain(|id| !stayed.contains(id));
        woken.sort_unstable();
        self.log_woken(sink, now, &woken)?;
        for id in left {
            if stayed.contains(&id) {
                continue;
            }
            if let Some(slot) = self.flyer(id) {
                self.morph(sink, now, slot, Regime::Cluster, Regime::Flight)?;
            }
        }
        self.engine.start_fresh();
        self.schedule_flyers();
        Ok(())
    }

    /// All in the air are entered anew.
    fn start_air(&mut self) {
        let flying = self.flying();
        let margin = self.engine.options.outer_margin;
        let now = self.engine.time();
        let mut low = [f64::INFINITY; 3];
        let mut high = [f64::NEG_INFINITY; 3];
        let slots = flying.iter().chain(&self.engine.state.active);
        let mut count = 0.0;
        for &slot in slots {
            let x = flight::fly(&self.engine, slot as usize, now).position;
            for k in 0..D::N {
                low[k] = low[k].min(x[k]);
                high[k] = high[k].max(x[k]);
            }
            count += 1.0;
        }
        let Some(air) = &mut self.air else { return };
        air.s.stale = false;
        air.s.clock = now;
        let least = (2.0 * air.largest + 0.5 * margin) * (1.0 + 4.0 * super::cells::SLACK);
        // The mean distance of the grains, were they spread over all the room that they span.
        let volume: f64 = (0..D::N).map(|k| (high[k] - low[k]).max(least)).product();
        let spread = if count > 0.0 {
            libm::pow(volume / count, 1.0 / D::N as f64)
        } else {
            0.0
        };
        air.s.lattice = Lattice::new((WIDER * least).max(spread), &self.setup.periodic);
        air.clear();
    }

    /// Calls flyers back to the grid; their numbers go to `woken`.
    fn wake_flyers(&mut self, ids: &[u32], now: f64, woken: &mut Vec<u32>) {
        for &id in ids {
            let Some(slot) = self.flyer(id) else { continue };
            flight::restart(&mut self.engine, slot as usize, now);
            self.start_stepping(slot);
            self.leave_air(id);
            woken.push(id);
        }
    }

    /// Flyers that are not entered yet: all when that is begun anew, and grains of feeds. Gives their
    /// numbers, and those of grains of several parts, which are not to fly.
    fn newcomers(&mut self, clock: f64) -> (Vec<u32>, Vec<u32>) {
        let (mut new, mut formed) = (Vec::new(), Vec::new());
        for slot in self.flying() {
            let id = self.engine.state.arrays.id[slot as usize];
            if self.engine.form_index(slot).is_some() {
                formed.push(id);
                continue;
            }
            let place = self.path_of(slot, clock).position;
            if let Some(air) = &mut self.air
                && air
                    .s
                    .bodies
                    .get(id as usize)
                    .is_none_or(|body| body.kind != Kind::Flyer)
            {
                air.register(id, Kind::Flyer, place);
                new.push(id);
            }
        }
        (new, formed)
    }

    /// Enters who is stepped where it was when the lists were made: now.
    fn enter_stepped(&mut self) {
        let Some(air) = &mut self.air else { return };
        let arrays = &self.engine.state.arrays;
        let before = std::mem::take(&mut air.s.stepped);
        for &slot in &self.engine.state.active {
            let slot = slot as usize;
            let id = arrays.id[slot];
            air.register(id, Kind::Stepped, arrays.position(slot));
            air.s.stepped.push(id);
        }
        air.s.stepped.sort_unstable();
        for id in before {
            let there = air.s.stepped.binary_search(&id).is_ok();
            // Who stands still is found otherwise.
            if !there && air.s.bodies[id as usize].kind == Kind::Stepped {
                air.unregister(id);
            }
        }
    }

    /// Looks at the flyers in the cells around those that are stepped: what was foreseen of them holds
    /// but for those. Gives who must be back by a time, by number.
    fn guard_stepped(&mut self, clock: f64, soon: f64) -> Result<Vec<u32>, SystemError> {
        let Some(air) = &self.air else {
            return Ok(Vec::new());
        };
        let mut due = Vec::new();
        if air.s.flyers == 0 || air.s.stepped.is_empty() {
            return Ok(due);
        }
        // From the side on which there are fewer.
        let from_air = air.s.flyers < air.s.stepped.len();
        let from: Vec<u32> = if from_air {
            let id = &self.engine.state.arrays.id;
            self.flying().iter().map(|&s| id[s as usize]).collect()
        } else {
            air.s.stepped.clone()
        };
        let other = if from_air { Kind::Stepped } else { Kind::Flyer };
        for id in from {
            let Some(air) = &mut self.air else { break };
            air.gather_around::<D>(id);
            let found = std::mem::take(&mut air.found);
            for &with in &found {
                let kind = self
                    .air
                    .as_ref()
                    .map(|air| air.s.bodies[with as usize].kind);
                if kind != Some(other) {
                    continue;
                }
                let [flyer, stepped] = if from_air { [id, with] } else { [with, id] };
                if let Some(next) = self.foresee_stepped(flyer, stepped, clock) {
                    if next.time <= soon {
                        due.push(flyer);
                    } else {
                        self.await_event(flyer, next)?;
                    }
                }
            }
            if let Some(air) = &mut self.air {
                air.found = found;
            }
        }
        due.sort_unstable();
        due.dedup();
        Ok(due)
    }

    /// Stepped grains without a link, as slots; none of several parts, which are not to fly.
    fn linkless(&self) -> Vec<u32> {
        let state = &self.engine.state;
        let mut busy = vec![false; state.arrays.slots()];
        for class in &state.pairs {
            for (batch, flags) in class.lists.batches.iter().zip(&class.lists.flags) {
                for k in (0..8).filter(|k| flags.touch >> k & 1 == 1) {
                    busy[self.engine.owner(batch.a[k]) as usize] = true;
                    busy[self.engine.owner(batch.b[k]) as usize] = true;
                }
            }
        }
        for class in &state.walls {
            for (batch, flags) in class.lists.batches.iter().zip(&class.lists.flags) {
                for k in (0..8).filter(|k| flags.touch >> k & 1 == 1) {
                    busy[self.engine.owner(batch.a[k]) as usize] = true;
                }
            }
        }
        let may = |&s: &u32| {
            let stepped = state.arrays.status[s as usize] == Status::Stepped;
            stepped && !busy[s as usize] && self.engine.form_index(s).is_none()
        };
        state.active.iter().copied().filter(may).collect()
    }

    /// The shortest flight for which a grain leaves the grid, s.
    fn least_flight(&self) -> f64 {
        let motion = &self.setup.motion;
        (LEAVE * self.engine.options.step).max(DWELLS * motion.stable_dwell)
    }

    /// Whether any of these slots, ascending, is a candidate in the outer lists.
    fn are_listed(&self, slots: &[u32]) -> bool {
        let is = |slot: &u32| slots.binary_search(slot).is_ok();
        let state = &self.engine.state;
        !slots.is_empty()
            && (state.pairs.iter().any(|c| c.outer.iter().flatten().any(is))
                || state
                    .walls
                    .iter()
                    .any(|c| c.outer.iter().any(|[slot, _]| is(slot))))
    }

    /// Lets go who has no link and nothing to come for a while; their numbers.
    fn let_go(&mut self, now: f64, clock: f64) -> Result<Vec<u32>, SystemError> {
        // A path begins now; it is not asked for events before what is done already.
        let mut leaving = self.linkless();
        let ids = |slots: &[u32], system: &Self| -> Vec<u32> {
            let id = &system.engine.state.arrays.id;
            slots.iter().map(|&slot| id[slot as usize]).collect()
        };
        for &slot in &leaving {
            self.take_off(slot, now);
        }
        let mut look = leaving.clone();
        while !look.is_empty() {
            let mut refused = Vec::new();
            for &slot in &look {
                let next = self.foresee_flyer(slot, clock, None, Except::Nobody);
                let id = self.engine.state.arrays.id[slot as usize];
                if next.next != Next::Look && next.time < now + self.least_flight() {
                    refused.push(slot);
                } else {
                    self.await_event(id, next)?;
                }
            }
            leaving.retain(|slot| refused.binary_search(slot).is_err());
            look.clear();
            for &slot in &refused {
                self.engine.state.arrays.status[slot as usize] = Status::Stepped;
                let arrays = &self.engine.state.arrays;
                let (id, place) = (arrays.id[slot as usize], arrays.position(slot as usize));
                if let Some(air) = &mut self.air {
                    air.register(id, Kind::Stepped, place);
                }
            }
            // Who is around those that stay has another body to mind.
            for slot in refused {
                let id = self.engine.state.arrays.id[slot as usize];
                let Some(air) = &mut self.air else { break };
                air.gather_around::<D>(id);
                let found = std::mem::take(&mut air.found);
                look.extend(found.iter().filter_map(|&id| self.flyer(id)));
                if let Some(air) = &mut self.air {
                    air.found = found;
                }
            }
            look.retain(|slot| leaving.binary_search(slot).is_ok());
            look.sort_unstable();
            look.dedup();
        }
        for list in [&mut self.engine.state.active, &mut self.engine.state.fresh] {
            list.retain(|slot| leaving.binary_search(slot).is_err());
        }
        for &slot in &leaving {
            // The push of a gate that was just taken away must not wait for the return.
            self.engine.state.arrays.clear_force(slot as usize);
        }
        if self.are_listed(&leaving) {
            // A flyer takes no part in the lists: its row stands still where it left.
            self.engine.renew_in_place();
        }
        let gone = ids(&leaving, self);
        if let Some(air) = &mut self.air {
            let bodies = &air.s.bodies;
            air.s
                .stepped
                .retain(|&id| bodies[id as usize].kind == Kind::Stepped);
        }
        Ok(gone)
    }

    /// A stepped slot becomes a flyer from the time of evaluation on.
    fn take_off(&mut self, slot: u32, now: f64) {
        let arrays = &mut self.engine.state.arrays;
        arrays.status[slot as usize] = Status::Flying;
        self.engine.state.since[slot as usize] = now;
        let (id, place) = (arrays.id[slot as usize], arrays.position(slot as usize));
        if let Some(air) = &mut self.air {
            air.register(id, Kind::Flyer, place);
        }
    }
}
