//! Perturbations from outside: taps, shakes, tilts, grains taken away; and how a jam ends by them.

mod gravity;
mod setup;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub(super) use gravity::SLOW;
pub use setup::{ArchGrain, PerturbKind, PerturbSetup, PerturbWhen, Victim};

use super::schedule::Source;
use super::state_at::{position_at, state_at};
use super::{Setup, System, SystemError, flight, ledger};
use crate::cluster::integrate::Integrate;
use crate::event::EventKind;
use crate::geometry::{Dimension, Vector};
use crate::record::{Jam, Sink};

/// A perturbation that goes on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Running {
    /// Which.
    index: usize,
    /// Since when, s.
    since: f64,
}

/// What the driver keeps of perturbations and jams.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct PerturbState {
    /// How often each came.
    uses: Vec<u64>,
    /// Those that go on, in order of their start.
    running: Vec<Running>,
    /// Gravity that acts, m/s^2.
    acts: [f64; 3],
    /// Gravity without those that go on, m/s^2.
    stays: [f64; 3],
    /// All jams so far.
    pub jams: Vec<Jam>,
    /// Sum of mass times position of those that stand still, kg m, as long as it holds.
    #[serde(skip)]
    still_moment: Option<[f64; 3]>,
}

fn three<V: Vector>(v: V) -> [f64; 3] {
    std::array::from_fn(|k| if k < V::LEN { v[k] } else { 0.0 })
}

impl PerturbState {
    /// At the start of a setup.
    pub fn new<D: Dimension>(setup: &Setup<D>) -> Self {
        let gravity = three(setup.gravity);
        PerturbState {
            uses: vec![0; setup.perturbs.len()],
            running: Vec::new(),
            acts: gravity,
            stays: gravity,
            jams: Vec::new(),
            still_moment: None,
        }
    }

    /// Whether it is that of a setup.
    pub fn fits<D: Dimension>(&self, setup: &Setup<D>) -> bool {
        self.uses.len() == setup.perturbs.len()
    }
}

/// What a perturbation touches.
enum Touched {
    Grains(Vec<u32>),
    All,
}

impl<D: Integrate> System<D> {
    /// Nothing can move any more: nobody steps until something comes from outside.
    pub(super) fn jam(&mut self, jam: Jam, time: f64) {
        self.s.perturb.jams.push(jam.clone());
        self.s.watch.stand(jam);
        for index in 0..self.setup.perturbs.len() {
            if let PerturbWhen::OnJam { delay, at_most } = self.setup.perturbs[index].when
                && at_most.is_none_or(|most| self.s.perturb.uses[index] < most)
            {
                self.schedule(
                    Source::Perturb(index as u32),
                    time + delay,
                    EventKind::Perturb,
                );
            }
        }
    }

    /// A perturbation's time has come.
    pub(super) fn perturb(
        &mut self,
        sink: &mut dyn Sink,
        index: usize,
        time: f64,
    ) -> Result<(), SystemError> {
        let PerturbSetup { when, kind } = self.setup.perturbs[index];
        // The jam that it was to break is over.
        if matches!(when, PerturbWhen::OnJam { .. }) && self.s.watch.jam().is_none() {
            return Ok(());
        }
        let Some(touched) = self.touched(&kind) else {
            self.s.warnings.push(format!(
                "perturb[{index}] found no grain at {time:.6} s: nothing was done"
            ));
            return Ok(());
        };
        self.count(EventKind::Perturb);
        self.s.perturb.uses[index] += 1;
        let jam = if self.s.watch.jam().is_some() {
            self.s.journal.causes.end
        } else {
            0
        };
        self.go_on(time);
        let mut row = self.row(time, EventKind::Perturb);
        row.cause = jam;
        if let Touched::Grains(slots) = &touched
            && let [slot] = slots[..]
        {
            self.put_body(&mut row, slot);
        }
        if let (PerturbKind::Tap { velocity, .. }, Touched::Grains(slots)) = (&kind, &touched) {
            row.energy = self.given(slots, *velocity);
        }
        self.s.journal.causes.now = row.seq;
        if self.setup.log.events != super::EventLog::None {
            sink.event(&row)?;
        }
        match (kind, touched) {
            (PerturbKind::Tap { velocity, .. }, Touched::Grains(slots)) => {
                self.tap(sink, &slots, velocity)?;
            }
            (PerturbKind::Remove(_), Touched::Grains(slots)) => {
                self.take_away(sink, &slots, time)?;
            }
            _ => {
                let since = self.engine.time();
                self.s.perturb.running.push(Running { index, since });
                if !self.gravity_is_slow() {
                    let standing = self.engine.standing();
                    self.rouse(sink, &standing)?;
                }
                self.s.rest.balanced = false;
                self.forget_moment();
                // Who flies comes back to the grid; gravity changes at this evaluation already.
                self.renew(sink)?;
                self.follow_gravity();
            }
        }
        self.s.journal.causes.now = 0;
        Ok(())
    }

    /// What a perturbation will touch; none if there is nothing.
    fn touched(&self, kind: &PerturbKind<D>) -> Option<Touched> {
        let now = self.engine.time();
        let arrays = &self.engine.state.arrays;
        let there = (1..arrays.slots() as u32)
            .filter(|&slot| arrays.status[slot as usize].is_grain())
            .map(|slot| (slot, position_at(&self.engine, slot as usize, now)));
        let id = |slot: u32| arrays.id[slot as usize];
        let slots: Vec<u32> = match kind {
            PerturbKind::Shake { .. } | PerturbKind::Tilt { .. } | PerturbKind::Turn { .. } => {
                return (self.grain_count() > 0).then_some(Touched::All);
            }
            PerturbKind::Tap { region, .. } => there
                .filter(|(_, x)| {
                    region.is_none_or(|(min, max)| {
                        (0..D::N).all(|k| x[k] >= min[k] && x[k] <= max[k])
                    })
                })
                .map(|(slot, _)| slot)
                .collect(),
            PerturbKind::Remove(Victim::Near(point)) => there
                .min_by(|(p, x), (q, y)| {
                    let far = |x: &D::Vector| (*x - *point).norm_squared();
                    far(x).total_cmp(&far(y)).then(id(*p).cmp(&id(*q)))
                })
                .map(|(slot, _)| slot)
                .into_iter()
                .collect(),
            PerturbKind::Remove(Victim::OfArch(which)) => {
                let jam = self.s.watch.jam()?;
                let chosen = match which {
                    ArchGrain::Weakest => u32::try_from(jam.weakest?.a).ok()?,
                    ArchGrain::Middle => *jam.arch.get(jam.arch.len() / 2)?,
                };
                there
                    .map(|(slot, _)| slot)
                    .filter(|&slot| id(slot) == chosen)
                    .collect()
            }
        };
        (!slots.is_empty()).then_some(Touched::Grains(slots))
    }

    /// After a jam the clock of steps goes on from here.
    fn go_on(&mut self, time: f64) {
        if !self.s.watch.perturb(time) {
            return;
        }
        let h = self.step_size();
        let n = ((time - self.engine.time_of(0)) / h).floor() as i64;
        self.engine.skip_to(n);
        self.schedule(Source::Jam, time + self.jam_look, EventKind::Jam);
        if !self.setup.outlets.is_empty() {
            // From the count, so that rounding does not add up.
            let every = self.setup.outlet_interval;
            let tick = (time / every).floor();
            self.s.ticks.set(Source::Outlet, tick as u64);
            self.s.schedule.cancel(Source::Outlet);
            self.schedule(
                Source::Outlet,
                (tick + 1.0) * every,
                EventKind::DeleteBodies,
            );
        }
    }

    /// The kinetic energy that grains take up with a velocity on top of their own, J.
    fn given(&self, slots: &[u32], velocity: D::Vector) -> f64 {
        let arrays = &self.engine.state.arrays;
        let of = |&slot: &u32| {
            let s = slot as usize;
            let own = state_at(&self.engine, s, self.engine.time()).velocity;
            (own.dot(&velocity) + 0.5 * velocity.norm_squared()) / arrays.inverse_mass(s)
        };
        slots.iter().map(of).sum()
    }

    /// Gives grains a velocity on top of their own.
    fn tap(
        &mut self,
        sink: &mut dyn Sink,
        slots: &[u32],
        velocity: D::Vector,
    ) -> Result<(), SystemError> {
        let id = &self.engine.state.arrays.id;
        let mut tapped: Vec<u32> = slots.iter().map(|&slot| id[slot as usize]).collect();
        tapped.sort_unstable();
        let still = |slot: &u32| self.engine.stands(*slot);
        let still: Vec<u32> = slots.iter().copied().filter(still).collect();
        let mut slots = slots.to_vec();
        if self.rouse(sink, &still)? {
            // They begin to step; slots change.
            self.renew(sink)?;
            let arrays = &self.engine.state.arrays;
            slots = (1..arrays.slots() as u32)
                .filter(|&slot| arrays.status[slot as usize].is_grain())
                .filter(|&slot| tapped.binary_search(&arrays.id[slot as usize]).is_ok())
                .collect();
        }
        let now = self.engine.time();
        for slot in self.flying() {
            flight::restart(&mut self.engine, slot as usize, now);
        }
        let damped = ledger::passed(&self.engine).damping;
        self.s.ledger.perturbed += self.given(&slots, velocity);
        for slot in slots {
            self.engine.kick(slot, velocity);
        }
        // The work of the dampers of this evaluation is told with the velocities of now.
        let shifted = ledger::passed(&self.engine).damping - damped;
        self.engine.state.flows.damping -= shifted;
        self.forget_flyers();
        self.renew(sink)
    }

    /// Takes grains away, with all that they hold.
    fn take_away(
        &mut self,
        sink: &mut dyn Sink,
        slots: &[u32],
        time: f64,
    ) -> Result<(), SystemError> {
        self.account(time);
        let mut rows = BTreeMap::new();
        for (before, &slot) in slots.iter().enumerate() {
            let grain = self.grain_at(slot, time);
            let potential = self.potential_of(&grain, time, &slots[..before]);
            let ledger = &mut self.s.ledger;
            ledger.removed += grain.kinetic_energy() + potential;
            ledger.removed_potential += potential;
            self.s.ledger.perturbed += self.lift(&grain);
            self.s.traffic.take_away();
            self.count(EventKind::DeleteBodies);
            let seq = self.log_whole(sink, time, EventKind::DeleteBodies, Some(slot))?;
            rows.insert(grain.id, seq);
        }
        self.remove_grains(sink, slots, time, &rows)?;
        self.wake_unbalanced(sink)?;
        self.renew(sink)
    }
}
