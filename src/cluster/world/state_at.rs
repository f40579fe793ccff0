//! The state of a grain at a time, in any regime: a grain in flight is on a parabola, a stepped
//! grain has the state of the last evaluation, and a grain at rest has no velocity.

use super::World;
use crate::cluster::arrays::Status;
use crate::cluster::dem::spin_of;
use crate::cluster::integrate::{Integrate, IntegratorName};
use crate::cluster::rigid;
use crate::geometry::{Dimension, Vector};

/// Position and motion of a grain.
#[derive(Clone, Copy, Debug)]
pub struct GrainState<D: Dimension> {
    /// Centre, m.
    pub position: D::Vector,
    /// Velocity, m/s.
    pub velocity: D::Vector,
    /// Spin times radius, m/s.
    pub surface_spin: [f64; 3],
}

impl<D: Integrate> World<D> {
    /// Centre (m) and velocity (m/s) of a slot in flight at a time, s.
    pub fn flight_at(&self, slot: usize, time: f64) -> [D::Vector; 2] {
        let arrays = &self.grains.arrays;
        let t = time - self.grains.since[slot];
        let (x, v) = (arrays.position(slot), arrays.velocity(slot));
        let g = self.pull_of(slot);
        [x + v * t + g * (0.5 * t * t), v + g * t]
    }

    /// Acceleration of a slot in flight, m/s^2.
    pub fn pull_of(&self, slot: usize) -> D::Vector {
        let own = self.grains.pulls.get(slot).copied();
        own.unwrap_or(self.physics.gravity)
    }

    /// Centre of a grain at a time (s), m.
    pub fn position_at(&self, slot: usize, time: f64) -> D::Vector {
        match self.grains.arrays.status[slot] {
            Status::Flying => self.flight_at(slot, time)[0],
            _ => self.grains.arrays.position(slot),
        }
    }

    /// Velocity (m/s), and spin times radius, of a stepped slot at the time of evaluation, consistent with its forces then.
    pub fn velocity_now(&self, slot: usize) -> (D::Vector, [f64; 3]) {
        if let Some(rates) = rigid::rates_of(self, slot as u32) {
            let radius = self.grains.arrays.radius(slot);
            return (rates.velocity, spin_of::<D>(rates.spin * radius));
        }
        let arrays = &self.grains.arrays;
        if matches!(
            self.clock.integrator,
            IntegratorName::Euler | IntegratorName::Heun
        ) {
            return (arrays.velocity(slot), D::surface_spin(arrays, slot));
        }
        let (v, s) = D::carried(arrays, slot);
        let (f, t) = D::force(arrays, slot);
        let half = 0.5 * self.clock.step;
        let (m, i) = (arrays.inverse_mass(slot), arrays.inverse_inertia(slot));
        let velocity = D::Vector::from_fn(|k| v[k] + half * (f[k] * m + self.physics.gravity[k]));
        (velocity, std::array::from_fn(|k| s[k] + half * t[k] * i))
    }

    /// The state of a grain at a time, s; that of a stepped grain is the state at the last evaluation.
    pub fn state_at(&self, slot: usize, time: f64) -> GrainState<D> {
        let arrays = &self.grains.arrays;
        match arrays.status[slot] {
            Status::Flying => {
                let [position, velocity] = self.flight_at(slot, time);
                GrainState {
                    position,
                    velocity,
                    surface_spin: D::surface_spin(arrays, slot),
                }
            }
            Status::Still => GrainState {
                position: arrays.position(slot),
                velocity: D::Vector::default(),
                surface_spin: [0.0; 3],
            },
            _ => {
                let (velocity, surface_spin) = self.velocity_now(slot);
                GrainState {
                    position: arrays.position(slot),
                    velocity,
                    surface_spin,
                }
            }
        }
    }
}
