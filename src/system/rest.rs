//! Who comes to rest and stands still, and who is woken (docs/morphing.md).

use serde::{Deserialize, Serialize};

use super::thrash::Thrash;
use super::{MorphSetup, System, SystemError};
use crate::cluster::integrate::Integrate;
use crate::cluster::{Other, Push};
use crate::event::Regime;
use crate::geometry::Vector;
use crate::record::{Avalanches, EnergyFigures, Sink};

/// Looks in a dwell: a grain rests when it was calm at each. So a look takes a contact time: forces
/// that count are means over it, since each landing sends a wave of hundreds of weights through the
/// bed that is gone after one. Who is to stand still is chosen once in a dwell, for that costs a
/// renewal of the lists.
pub(super) const LOOKS: u16 = 4;

/// Force that any grain may lack to equilibrium, in weights, whatever presses on it.
pub(super) const LOOSE: f64 = 0.5;

/// Share of what flowed from which on energy that morphs took, or gave, is a warning.
const DRIFT: f64 = 0.01;

/// What the morph policy keeps.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct RestState {
    /// Looks so far.
    pub looks: u64,
    /// When the last solve for increments was made, s.
    pub carried: f64,
    /// Solves for increments.
    pub solves: u64,
    /// Loads were carried since anything changed.
    pub balanced: bool,
    /// Energy that morphs took, J: kinetic at a stop, mismatch of quasi-static work.
    pub energy: f64,
    /// Grains that stand still and are rigid with others, by number, ascending.
    pub rigid: Vec<u32>,
    /// When that was last brought up to date, s.
    pub grouped: f64,
    /// Micro-avalanches so far.
    pub avalanches: Avalanches,
    /// Who is stopped and woken again and again.
    pub thrash: Thrash,
}

impl RestState {
    /// Time 0: what the run is told to have done counts from now on.
    pub fn begin_counts(&mut self) {
        self.solves = 0;
        self.avalanches = Avalanches::default();
        self.thrash = Thrash::default();
        self.grouped = f64::NEG_INFINITY;
    }
}

/// Size of the force and of the moment over the radius, N: the greater.
pub(super) fn size(push: &Push) -> f64 {
    let of = |k: usize| push[k] * push[k] + push[k + 1] * push[k + 1] + push[k + 2] * push[k + 2];
    of(0).max(of(3)).sqrt()
}

impl<D: Integrate> System<D> {
    /// Steps between two looks.
    pub(super) fn look_steps(&self, morph: &MorphSetup) -> u64 {
        let steps = morph.dwell / (f64::from(LOOKS) * self.step_size());
        (steps.round() as u64).max(1)
    }

    /// Whether after this step it is time to look at who rests.
    pub(super) fn is_look_at_rest(&self) -> bool {
        let steps = self.engine.state.counts.steps;
        let every = self
            .setup
            .morph
            .as_ref()
            .map(|morph| self.look_steps(morph));
        every.is_some_and(|every| steps.is_multiple_of(every))
    }

    /// After each step: looks at who rests and who does not, when it is time to.
    pub(super) fn look_at_rest(&mut self, sink: &mut dyn Sink) -> Result<(), SystemError> {
        let Some(morph) = self.setup.morph else {
            return Ok(());
        };
        // No equilibrium lasts while gravity changes fast.
        if self.gravity_changes() && !self.gravity_is_slow() {
            return Ok(());
        }
        if !self.is_look_at_rest() {
            return Ok(());
        }
        self.s.rest.looks += 1;
        self.forget_moment();
        self.regroup_in_time(sink, morph.carry_every)?;
        let slots = self.engine.state.arrays.slots();
        self.engine.state.still.make_room(slots);
        let now = self.engine.time();
        let choose = self.s.rest.looks.is_multiple_of(u64::from(LOOKS));
        let mut changed = false;
        self.s.rest.balanced = false;
        let mut carried = false;
        if self.engine.state.still.count > 0 {
            if now - self.s.rest.carried >= morph.carry_every {
                carried = true;
                changed |= self.carry(sink, &morph, false)?;
            }
            let rim = self.engine.state.still.rim.iter().copied();
            // A solve may have woken some already.
            let woken: Vec<u32> = rim
                .filter(|&slot| self.engine.stands(slot))
                .filter(|&slot| self.is_upset(slot, &morph, choose))
                .collect();
            changed |= self.rouse(sink, &woken)?;
        }
        self.count_calm(&morph);
        // Not after a solve: forces on stepped grains are those before it.
        if choose && !carried {
            let resting = self.resting(&morph);
            changed |= self.lay_to_rest(sink, &resting)?;
        }
        if changed {
            self.account(now);
            self.renew(sink)?;
        }
        self.engine.begin_look();
        Ok(())
    }

    /// When nobody steps, no step will come to look after: loads are carried now, and if that wakes
    /// somebody all goes on.
    pub(super) fn balance_the_last(&mut self, sink: &mut dyn Sink) -> Result<(), SystemError> {
        let Some(morph) = self.setup.morph else {
            return Ok(());
        };
        let idle = self.engine.state.active.is_empty() && self.engine.state.still.count > 0;
        if idle && !self.s.rest.balanced {
            self.s.rest.balanced = true;
            self.forget_moment();
            self.engine.begin_look();
            if self.carry(sink, &morph, true)? {
                self.account(self.engine.time());
                self.renew(sink)?;
            }
            self.regroup(sink)?;
        }
        Ok(())
    }

    /// Whether a grain that stands still lacks so much to equilibrium that it must not any longer: as a
    /// force, or beside what presses on it. At the surface of a bed little does.
    pub(super) fn is_upset(&self, slot: u32, morph: &MorphSetup, choose: bool) -> bool {
        let lack = size(&self.engine.residual(slot)) / self.weight(slot);
        lack > morph.wake
            || choose && lack > LOOSE && {
                let pressed = self.engine.pressed(slot) / self.weight(slot);
                lack > morph.wake_share * pressed
            }
    }

    /// Weight of a grain, N.
    pub(super) fn weight(&self, slot: u32) -> f64 {
        self.setup.gravity.norm() / self.engine.state.arrays.inverse_mass(slot as usize)
    }

    /// Counts looks at which stepped grains were calm.
    pub(super) fn count_calm(&mut self, morph: &MorphSetup) {
        let g = self.setup.gravity.norm();
        let mut calm = std::mem::take(&mut self.engine.state.still.calm);
        let engine = &self.engine;
        let arrays = &engine.state.arrays;
        for &slot in &engine.state.active {
            let s = slot as usize;
            let v = arrays.velocity(s);
            let spin = D::surface_spin(arrays, s);
            let mass = 1.0 / arrays.inverse_mass(s);
            let kinetic = 0.5 * mass * v.norm_squared() + self.turning_energy(slot, spin);
            let bound = morph.kinetic * mass * g * 2.0 * arrays.radius(s);
            calm[s] = if kinetic < bound {
                calm[s].saturating_add(1)
            } else {
                0
            };
        }
        self.engine.state.still.calm = calm;
    }

    /// Kinetic energy of a stepped grain that turns so (radius times spin), J.
    pub(super) fn turning_energy(&self, slot: u32, spin: [f64; 3]) -> f64 {
        if D::N == 3 && self.engine.form_index(slot).is_some() {
            return super::ledger::turning_energy(&self.engine, slot as usize, spin);
        }
        let squares: f64 = spin.iter().map(|s| s * s).sum();
        0.5 * squares / self.engine.state.arrays.inverse_inertia(slot as usize)
    }

    /// Stepped slots that have been calm for the dwell, are in equilibrium, and press on two others
    /// at least, or on a wall.
    pub(super) fn resting(&self, morph: &MorphSetup) -> Vec<u32> {
        let engine = &self.engine;
        let arrays = &engine.state.arrays;
        let calm = &engine.state.still.calm;
        let mut resting: Vec<u32> = engine
            .state
            .active
            .iter()
            .copied()
            .filter(|&slot| {
                let s = slot as usize;
                if calm[s] < LOOKS {
                    return false;
                }
                let (f, m) = D::force(arrays, s);
                let mass = 1.0 / arrays.inverse_mass(s);
                let g = |k: usize| {
                    if k < D::N {
                        mass * self.setup.gravity[k]
                    } else {
                        0.0
                    }
                };
                let residual = [f[0] + g(0), f[1] + g(1), f[2] + g(2), m[0], m[1], m[2]];
                size(&residual) < morph.residual * self.weight(slot)
            })
            .collect();
        if resting.is_empty() {
            return resting;
        }
        resting.sort_unstable();
        let mut pressing = vec![0u8; arrays.slots()];
        engine.each_list_link(|view| {
            if view.normal_force > 0.0 {
                let of_a = &mut pressing[view.a as usize];
                match view.b {
                    Other::Slot(b) => {
                        *of_a = of_a.saturating_add(1);
                        pressing[b as usize] = pressing[b as usize].saturating_add(1);
                    }
                    // Who is in equilibrium on a wall alone lies on a floor.
                    Other::Boundary(_) => *of_a = of_a.saturating_add(2),
                }
            }
        });
        if engine.has_bodies() {
            let up = self.setup.gravity * (-1.0 / self.setup.gravity.norm());
            let held = self.held_shapes(up);
            resting.retain(|&slot| match engine.form_index(slot) {
                Some(_) => held[slot as usize].is_held(up),
                None => pressing[slot as usize] >= 2,
            });
        } else {
            resting.retain(|&slot| pressing[slot as usize] >= 2);
        }
        // Who was stopped in vain too often must be calm for longer.
        let thrash = &self.s.rest.thrash;
        resting.retain(|&slot| {
            let s = slot as usize;
            calm[s] >= LOOKS.saturating_mul(thrash.dwells(arrays.id[s]))
        });
        resting
    }

    /// Wakes slots that should not have been stopped; whether there were any.
    pub(super) fn rouse(
        &mut self,
        sink: &mut dyn Sink,
        slots: &[u32],
    ) -> Result<bool, SystemError> {
        self.book_wakes(slots);
        self.disturb(sink, slots)
    }

    /// Wakes slots that something came to, which is no fault of theirs; whether there were any.
    pub(super) fn disturb(
        &mut self,
        sink: &mut dyn Sink,
        slots: &[u32],
    ) -> Result<bool, SystemError> {
        if slots.is_empty() {
            return Ok(false);
        }
        let now = self.engine.time();
        self.account(now);
        self.forget_moment();
        self.engine.wake(slots);
        let rigid = self.leave_groups(slots);
        self.log_rest(sink, slots, |id| {
            let rigid = rigid.binary_search(&id).is_ok();
            let from = if rigid { Regime::Rigid } else { Regime::Rest };
            [from, Regime::Cluster]
        })?;
        Ok(true)
    }

    /// Books that slots were woken just now.
    pub(super) fn book_wakes(&mut self, slots: &[u32]) {
        let Some(morph) = self.setup.morph else {
            return;
        };
        let now = self.engine.time();
        for &slot in slots {
            let id = self.engine.state.arrays.id[slot as usize];
            self.s.rest.thrash.wake(id, now, morph.dwell);
        }
    }

    /// Books that stepped slots are about to be stopped, with the kinetic energy that goes with it.
    pub(super) fn book_stops(&mut self, slots: &[u32]) {
        let now = self.engine.time();
        for &slot in slots {
            let s = slot as usize;
            let id = self.engine.state.arrays.id[s];
            self.s.rest.thrash.stop(id, now);
            let (v, spin) = super::state_at::velocity_now(&self.engine, s);
            let arrays = &self.engine.state.arrays;
            self.s.rest.energy +=
                0.5 * v.norm_squared() / arrays.inverse_mass(s) + self.turning_energy(slot, spin);
        }
    }

    /// Stops slots where they are; whether there were any.
    fn lay_to_rest(&mut self, sink: &mut dyn Sink, slots: &[u32]) -> Result<bool, SystemError> {
        if slots.is_empty() {
            return Ok(false);
        }
        self.account(self.engine.time());
        self.forget_moment();
        self.book_stops(slots);
        self.engine.stop(slots);
        self.log_rest(sink, slots, |_| [Regime::Cluster, Regime::Rest])?;
        Ok(true)
    }

    fn log_rest(
        &mut self,
        sink: &mut dyn Sink,
        slots: &[u32],
        regimes: impl Fn(u32) -> [Regime; 2],
    ) -> Result<(), SystemError> {
        let time = self.engine.time();
        for &slot in slots {
            let [from, to] = regimes(self.engine.state.arrays.id[slot as usize]);
            self.morph(sink, time, slot, from, to)?;
        }
        Ok(())
    }

    /// Slots are about to be taken away.
    pub(super) fn forget_rest(&mut self, slots: &[u32]) {
        self.leave_groups(slots);
        for &slot in slots {
            let id = self.engine.state.arrays.id[slot as usize];
            self.s.rest.thrash.forget(id);
        }
    }

    /// Who stands still and lacks more to equilibrium than a solve leaves, ascending.
    pub(super) fn unbalanced(&self, morph: &MorphSetup) -> Vec<u32> {
        let lacks =
            |slot: &u32| size(&self.engine.residual(*slot)) > morph.left * self.weight(*slot);
        self.engine.standing().into_iter().filter(lacks).collect()
    }

    /// What the summary warns of where grains stood still: energy that morphs took or gave beyond a share of what was lost in all and
    /// of the weights times diameters; and forces in space.
    pub(super) fn morph_warnings(&self, energy: &EnergyFigures) -> Vec<String> {
        let mut warnings = Vec::new();
        if self.s.rest.thrash.stops == 0 {
            return warnings;
        }
        let lost = &energy.dissipated;
        let (_, weights, _) = self.restlessness(self.engine.time());
        let flowed = lost.damping + lost.slip + lost.collision + weights;
        if lost.morph.abs() > DRIFT * flowed {
            warnings.push(format!(
                "morphs {} {:.3e} J, {:.1} % of what flowed, where a sound run stays under 1 %: let grains be calmer before they \
                 stand still (a smaller run.tolerance), or step every grain (morph.rigid = false)",
                if lost.morph > 0.0 { "took" } else { "gave" },
                lost.morph.abs(),
                100.0 * lost.morph.abs() / flowed,
            ));
        }
        if D::N == 3 {
            warnings.push(
                "forces in beds of spheres that stand still are too small: the mean contact force by 9 to 14 % in `fill-3d`, the load on \
                 the floor by 7 % (docs/morphing.md, In space); step every grain where forces count (morph.rigid = false)"
                    .to_string(),
            );
        }
        warnings
    }

    /// Something was changed from outside (a gate, a removal): who has lost its balance is woken at
    /// once, for there may be no step to look at.
    pub(super) fn wake_unbalanced(&mut self, sink: &mut dyn Sink) -> Result<bool, SystemError> {
        let Some(morph) = self.setup.morph else {
            return Ok(false);
        };
        let unbalanced = self.unbalanced(&morph);
        self.s.rest.balanced = false;
        self.s.known.plan = None;
        self.rouse(sink, &unbalanced)
    }
}
