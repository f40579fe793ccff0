//! The state of a grain at a time, under whichever model it is: who flies is on a parabola, who is stepped is where the last evaluation left it, who
//! stands still has no velocity.

use super::IntegratorName::{Euler, Heun};
use super::flight;
use crate::cluster::Engine;
use crate::cluster::arrays::Status;
use crate::cluster::integrate::Integrate;
use crate::geometry::{Dimension, Vector};

/// Where a grain is, and how it moves.
#[derive(Clone, Copy, Debug)]
pub(super) struct GrainState<D: Dimension> {
    /// Centre, m.
    pub position: D::Vector,
    /// m/s.
    pub velocity: D::Vector,
    /// Spin times radius, m/s.
    pub surface_spin: [f64; 3],
}

/// The centre of a grain at a time, s: m.
pub(super) fn position_at<D: Integrate>(engine: &Engine<D>, slot: usize, time: f64) -> D::Vector {
    match engine.state.arrays.status[slot] {
        Status::Flying => flight::fly(engine, slot, time).position,
        _ => engine.state.arrays.position(slot),
    }
}

/// Velocity of a stepped slot at the time of evaluation, consistent with its forces there.
pub(super) fn velocity_now<D: Integrate>(engine: &Engine<D>, slot: usize) -> (D::Vector, [f64; 3]) {
    let arrays = &engine.state.arrays;
    if matches!(engine.options.integrator, Euler | Heun) {
        return (arrays.velocity(slot), D::surface_spin(arrays, slot));
    }
    let (v, s) = D::carried(arrays, slot);
    let (f, t) = D::force(arrays, slot);
    let half = 0.5 * engine.options.step;
    let (m, i) = (arrays.inverse_mass(slot), arrays.inverse_inertia(slot));
    let velocity = D::Vector::from_fn(|k| v[k] + half * (f[k] * m + engine.gravity[k]));
    (velocity, std::array::from_fn(|k| s[k] + half * t[k] * i))
}

/// The state of a grain at a time, s.
pub(super) fn state_at<D: Integrate>(engine: &Engine<D>, slot: usize, time: f64) -> GrainState<D> {
    let arrays = &engine.state.arrays;
    match arrays.status[slot] {
        Status::Flying => {
            let flyer = flight::fly(engine, slot, time);
            GrainState {
                position: flyer.position,
                velocity: flyer.velocity,
                surface_spin: D::surface_spin(arrays, slot),
            }
        }
        Status::Still => GrainState {
            position: arrays.position(slot),
            velocity: D::Vector::default(),
            surface_spin: [0.0; 3],
        },
        _ => {
            let (velocity, surface_spin) = velocity_now(engine, slot);
            GrainState {
                position: arrays.position(slot),
                velocity,
                surface_spin,
            }
        }
    }
}
