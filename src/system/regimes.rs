//! Changes of regime: who leaves the grid of steps for a flight, and who comes back.

use super::schedule::Source;
use super::{EventLog, System, SystemError, flight};
use crate::cluster::arrays::Status;
use crate::cluster::integrate::Integrate;
use crate::event::{EventKind, Regime};
use crate::record::Sink;

/// A flyer due within so many steps at a renewal comes back at once.
const STAY: f64 = 32.0;
/// Nobody leaves for a flight shorter than so many steps.
const LEAVE: f64 = 96.0;

impl<D: Integrate> System<D> {
    /// Renews the lists, calls back flyers that are due and lets go who is alone.
    pub(super) fn renew(&mut self, sink: &mut dyn Sink) -> Result<(), SystemError> {
        let now = self.engine.time();
        let h = self.engine.options.step;
        self.count(EventKind::NeighborUpdate);
        self.s.known.plan = None;
        self.account(now);
        if self.all_step() {
            let woken = self.wake(now, f64::INFINITY);
            self.close_air();
            self.engine.renew();
            self.log_woken(sink, now, &woken)?;
            self.apply_fields_to_fresh();
            return Ok(());
        }
        if self.flyers_collide() {
            return self.renew_air(sink, &[]);
        }
        let soon = now + STAY * h;
        let mut woken = self.wake(now, soon);
        self.engine.renew();
        let mut alone = flight::isolated(&self.engine);
        loop {
            let flying = self.flying();
            for &slot in &flying {
                flight::restart(&mut self.engine, slot as usize, now);
            }
            let mut set = flying.clone();
            set.extend(&alone);
            set.sort_unstable();
            if set.is_empty() {
                self.log_woken(sink, now, &woken)?;
                self.s.schedule.cancel(Source::Flight);
                break;
            }
            // Those that may leave are not to be met as stepped grains.
            let active = self.engine.state.active.clone();
            self.engine
                .state
                .active
                .retain(|s| alone.binary_search(s).is_err());
            let forecast = flight::foresee(
                &self.engine,
                &mut *self.flight_search,
                &self.setup.periodic,
                &set,
                now,
            );
            self.engine.state.active = active;
            let mut refused = Vec::new();
            let mut due = false;
            for (&slot, &back) in set.iter().zip(&forecast.back) {
                if alone.binary_search(&slot).is_ok() {
                    if back < now + LEAVE * h {
                        refused.push(slot);
                    }
                } else {
                    due |= back <= now + 3.0 * h;
                }
                self.engine.state.back[slot as usize] = back;
            }
            if due {
                woken.extend(self.wake(now, soon));
                woken.sort_unstable();
                self.engine.renew();
                alone = Vec::new();
                continue;
            }
            if !refused.is_empty() {
                alone.retain(|s| refused.binary_search(s).is_err());
                continue;
            }
            // Who is sent off again at once has not changed its regime.
            let id = |slot: u32, system: &Self| system.engine.state.arrays.id[slot as usize];
            let stayed: Vec<u32> = alone
                .iter()
                .map(|&slot| id(slot, self))
                .filter(|id| woken.binary_search(id).is_ok())
                .collect();
            woken.retain(|id| !stayed.contains(id));
            self.log_woken(sink, now, &woken)?;
            for &slot in &alone {
                let arrays = &mut self.engine.state.arrays;
                arrays.status[slot as usize] = Status::Flying;
                // The push of a gate that was just taken away must not wait for the return.
                arrays.clear_force(slot as usize);
                self.engine.state.since[slot as usize] = now;
                if !stayed.contains(&id(slot, self)) {
                    self.morph(sink, now, slot, Regime::Cluster, Regime::Flight)?;
                }
            }
            self.engine
                .state
                .active
                .retain(|s| alone.binary_search(s).is_err());
            self.engine
                .state
                .fresh
                .retain(|s| alone.binary_search(s).is_err());
            let first = forecast
                .back
                .iter()
                .copied()
                .fold(forecast.horizon, f64::min);
            self.schedule(
                Source::Flight,
                (first - 2.0 * h).max(now),
                EventKind::NeighborUpdate,
            );
            break;
        }
        self.engine.start_fresh();
        Ok(())
    }

    /// Whether nobody flies: where a wall will be that grains push about, or the edge of a cell, nobody foresees.
    pub(super) fn all_step(&self) -> bool {
        let steps = !self.setup.motion.flight || self.engine.has_guided() || self.engine.has_cell();
        steps || !self.uniform || self.gravity_changes()
    }

    /// Flying slots, ascending.
    pub(super) fn flying(&self) -> Vec<u32> {
        let status = &self.engine.state.arrays.status;
        (1..status.len() as u32)
            .filter(|&s| status[s as usize] == Status::Flying)
            .collect()
    }

    /// Calls back to the grid who must be there by a time. Gives their numbers, ascending (slots
    /// change when lists are renewed).
    fn wake(&mut self, now: f64, due: f64) -> Vec<u32> {
        let mut woken = Vec::new();
        for slot in self.flying() {
            if self.engine.state.back[slot as usize] <= due {
                flight::restart(&mut self.engine, slot as usize, now);
                self.start_stepping(slot);
                woken.push(self.engine.state.arrays.id[slot as usize]);
            }
        }
        woken.sort_unstable();
        woken
    }

    /// Logs that grains, by their numbers in ascending order, came back to the grid.
    pub(super) fn log_woken(
        &mut self,
        sink: &mut dyn Sink,
        now: f64,
        woken: &[u32],
    ) -> Result<(), SystemError> {
        if woken.is_empty() {
            return Ok(());
        }
        let id = &self.engine.state.arrays.id;
        let active = self.engine.state.active.iter().copied();
        let mut slots: Vec<u32> = active
            .filter(|&slot| woken.binary_search(&id[slot as usize]).is_ok())
            .collect();
        slots.sort_unstable();
        for slot in slots {
            self.morph(sink, now, slot, Regime::Flight, Regime::Cluster)?;
        }
        Ok(())
    }

    /// A grain changes its regime: counted, and logged.
    pub(super) fn morph(
        &mut self,
        sink: &mut dyn Sink,
        time: f64,
        slot: u32,
        from: Regime,
        to: Regime,
    ) -> Result<(), SystemError> {
        self.count(EventKind::Morph);
        if self.s.stage.settling || self.setup.log.events == EventLog::None {
            return Ok(());
        }
        let mut row = self.row(time, EventKind::Morph);
        row.regime_from = Some(from);
        row.regime_to = Some(to);
        row.cause = self.s.journal.causes.now;
        self.put_body(&mut row, slot);
        sink.event(&row)?;
        Ok(())
    }
}
