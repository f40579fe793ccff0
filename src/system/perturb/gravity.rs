//! A gravity that changes while grains move: in a vessel that is shaken or tilted.
//!
//! `Engine::gravity` is the one that acts; the setup's is kept equal to it. All grains step while it
//! changes, and it is set anew at each evaluation, so that the integrators keep their order. Potential
//! energy stays that in the scenario's gravity g_0: what the other does beyond it is work from outside,
//! (g - g_0) . (change of the sum of m x) from one evaluation to the next. Velocities at an
//! evaluation hold half a step of the forces there: what that changes when g does is booked too. At a
//! jump, as a shake begins or ends, velocities go on as they are, less what the old gravity did between
//! the jump and the evaluation.

use super::{PerturbKind, PerturbState, Running};
use crate::body::Grain;
use crate::cluster::arrays::Status;
use crate::cluster::integrate::Integrate;
use crate::geometry::{Dimension, Vector};
use crate::system::{PerturbSetup, System, flight, ledger};

/// How long a perturbation goes on, s.
fn length<D: Dimension>(kind: &PerturbKind<D>) -> f64 {
    match *kind {
        PerturbKind::Shake {
            frequency, cycles, ..
        } => cycles as f64 / frequency,
        PerturbKind::Tilt { duration, .. } => duration,
        PerturbKind::Tap { .. } | PerturbKind::Remove(_) => 0.0,
    }
}

/// What a perturbation makes of a gravity, so long after its start; whether it is over.
fn changed<D: Dimension>(
    kind: &PerturbKind<D>,
    gravity: D::Vector,
    lasted: f64,
) -> (D::Vector, bool) {
    let over = lasted >= length(kind);
    let gravity = match *kind {
        PerturbKind::Shake { .. } if over => gravity,
        PerturbKind::Shake {
            amplitude,
            frequency,
            ..
        } => {
            let rate = std::f64::consts::TAU * frequency;
            gravity - amplitude * (rate * rate * libm::cos(rate * lasted))
        }
        PerturbKind::Tilt { turn, duration } => {
            let turned = D::turned(D::identity(), turn * (lasted / duration).min(1.0));
            D::rotate(turned, gravity)
        }
        PerturbKind::Tap { .. } | PerturbKind::Remove(_) => gravity,
    };
    (gravity, over)
}

impl PerturbState {
    /// The gravity that acts, m/s^2.
    pub fn gravity<V: Vector>(&self) -> V {
        V::from_fn(|k| self.acts[k])
    }

    /// Gravity at a time, and if it jumped, how long before, s; perturbations that are over are folded
    /// into what stays.
    fn gravity_at<D: Dimension>(
        &mut self,
        perturbs: &[PerturbSetup<D>],
        time: f64,
    ) -> (D::Vector, Option<f64>) {
        let of = |running: &Running, gravity| match perturbs.get(running.index) {
            Some(perturb) => changed(&perturb.kind, gravity, time - running.since),
            None => (gravity, true),
        };
        let mut jumped = None;
        let mut stays = D::Vector::from_fn(|k| self.stays[k]);
        // In order: a tilt that is over while an earlier one goes on has to wait for that.
        while let Some(first) = self.running.first() {
            let (gravity, over) = of(first, stays);
            if !over {
                break;
            }
            stays = gravity;
            let kind = perturbs.get(first.index).map(|perturb| &perturb.kind);
            jumped = kind.map(|kind| time - first.since - length(kind));
            self.running.remove(0);
        }
        self.stays = super::three(stays);
        for running in &self.running {
            stays = of(running, stays).0;
            if running.since == time {
                jumped = Some(0.0);
            }
        }
        (stays, jumped)
    }
}

impl<D: Integrate> System<D> {
    /// Whether gravity changes from step to step.
    pub(in crate::system) fn gravity_changes(&self) -> bool {
        !self.s.perturb.running.is_empty()
    }

    /// After a step: gravity at the new time.
    pub(in crate::system) fn follow_gravity(&mut self) {
        if self.gravity_changes() {
            let time = self.engine.time();
            let (gravity, jumped) = self.s.perturb.gravity_at(&self.setup.perturbs, time);
            self.set_gravity(gravity, jumped);
        }
    }

    /// From the time of evaluation on another gravity acts. Where it does not jump, it was so already
    /// in the half step before, as far as the integrators can tell; else it has been so long.
    fn set_gravity(&mut self, gravity: D::Vector, jumped: Option<f64>) {
        let now = self.engine.time();
        for slot in self.flying() {
            flight::restart(&mut self.engine, slot as usize, now);
        }
        let before = self.engine.gravity;
        let mut moment = D::Vector::default();
        let mut kinetic = 0.0;
        for turn in [false, true] {
            let sign = if turn { 1.0 } else { -1.0 };
            match jumped {
                Some(ago) if turn => self.engine.jump_gravity(gravity, ago),
                None if turn => self.engine.gravity = gravity,
                _ => {}
            }
            let arrays = &self.engine.state.arrays;
            for slot in 1..arrays.slots() {
                let mass = match arrays.status[slot] {
                    Status::Empty => continue,
                    _ => 1.0 / arrays.inverse_mass(slot),
                };
                if turn {
                    moment += arrays.position(slot) * mass;
                }
                if arrays.status[slot] == Status::Stepped {
                    let (v, _) = ledger::velocity_now(&self.engine, slot);
                    kinetic += sign * 0.5 * mass * v.norm_squared();
                }
            }
        }
        self.s.ledger.perturbed += kinetic - (gravity - before).dot(&moment);
        self.setup.gravity = gravity;
        self.s.perturb.acts = super::three(gravity);
    }

    /// What the ledger's moment of masses loses with a grain, as work of the gravity beyond the
    /// scenario's, J.
    pub(in crate::system) fn lift(&self, grain: &Grain<D>) -> f64 {
        let added = self.s.ledger.added_gravity(&self.engine);
        grain.mass * added.dot(&grain.position)
    }
}
