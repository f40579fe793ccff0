//! The state of a body's rotation, and its step.

use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use serde::{Deserialize, Serialize};

use super::{PrincipalMoments, RotationMethod};
use super::{iterated, midpoint, moser_veselov, turn};

/// Orientation at the time of the positions, and the quantity that the integrator stores with it.
///
/// The stored quantity is that just before the kick of the torque at these positions: in terms of the leap-frog, half
/// a step earlier.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rotation {
    /// From the principal axes to the laboratory frame: quaternion x, y, z, w.
    pub orientation: [f64; 4],
    /// Angular momentum, kg m^2/s, or angular velocity, rad/s, depending on the method; laboratory frame.
    pub carried: [f64; 3],
}

impl Rotation {
    /// Returns a body at rest.
    pub fn still(orientation: UnitQuaternion<f64>) -> Self {
        let q = orientation.coords;
        Self {
            orientation: [q.x, q.y, q.z, q.w],
            carried: [0.0; 3],
        }
    }

    /// Returns a body of known spin (rad/s) at its positions' time, on which a torque (N m) acts there.
    pub fn begin(
        method: RotationMethod,
        body: &PrincipalMoments,
        orientation: UnitQuaternion<f64>,
        spin: Vector3<f64>,
        torque: Vector3<f64>,
        step: f64,
    ) -> Self {
        let mut state = Self::still(orientation);
        state.set_spin(method, body, spin, torque, step);
        state
    }

    /// Gives the body a spin (rad/s) at its positions' time, with the torque (N m) that acts there.
    pub fn set_spin(
        &mut self,
        method: RotationMethod,
        body: &PrincipalMoments,
        spin: Vector3<f64>,
        torque: Vector3<f64>,
        step: f64,
    ) {
        let q = &self.orientation;
        let inside = turn::inward(q, spin);
        let half = 0.5 * step;
        let pull = turn::inward(q, torque);
        let carried = match method {
            RotationMethod::MoserVeselov | RotationMethod::MidpointMomentum => {
                turn::outward(q, body.momentum(inside) - pull * half)
            }
            RotationMethod::MidpointRepaired | RotationMethod::MidpointPrinted => {
                turn::outward(q, inside - body.spin(pull) * half)
            }
            RotationMethod::Iterated { .. } => {
                let change = body.spin(pull - inside.cross(&body.momentum(inside)));
                turn::outward(q, inside - change * half)
            }
        };
        self.carried = carried.into();
    }

    /// Advances the body from one evaluation of torques to the next: the torque (N m) at these positions acts for a
    /// whole step (s), then the body rotates freely.
    pub fn kick_drift(
        &mut self,
        method: RotationMethod,
        body: &PrincipalMoments,
        torque: Vector3<f64>,
        step: f64,
    ) {
        let q = self.orientation;
        let carried = Vector3::from(self.carried);
        let half = 0.5 * step;
        let (orientation, carried) = match method {
            RotationMethod::MoserVeselov => {
                let momentum = carried + torque * step;
                let q = moser_veselov::drift(body, q, momentum, step);
                (q, momentum)
            }
            RotationMethod::MidpointMomentum => {
                let momentum = carried + torque * step;
                // Two halves, as the paper's step ends between two evaluations.
                let q = midpoint::with_momentum(body, q, momentum, half);
                (midpoint::with_momentum(body, q, momentum, half), momentum)
            }
            RotationMethod::MidpointRepaired => {
                let spin = carried + midpoint::spin_of(body, &q, torque) * step;
                let (q, spin) = midpoint::repaired(body, q, spin, half);
                midpoint::repaired(body, q, spin, half)
            }
            RotationMethod::MidpointPrinted => {
                let spin = carried + midpoint::spin_of(body, &q, torque) * step;
                let (q, spin) = midpoint::printed(body, q, spin, half);
                midpoint::printed(body, q, spin, half)
            }
            RotationMethod::Iterated { rounds } => {
                let (_, spin) = iterated::spins(body, &q, carried, torque, step, rounds);
                (iterated::drift(q, spin, step), spin)
            }
        };
        self.orientation = orientation;
        self.carried = carried.into();
    }

    /// Returns the angular velocity (rad/s) at the time of the positions.
    ///
    /// With the torque (N m) at these positions it is that of the leap-frog, and `step * torque . spin` is what the
    /// next kick adds to the kinetic energy (exactly so if the momentum is stored). Before that torque is known, the
    /// mean of the last two torques predicts it to second order.
    pub fn spin(
        &self,
        method: RotationMethod,
        body: &PrincipalMoments,
        torque: Vector3<f64>,
        step: f64,
    ) -> Vector3<f64> {
        let q = &self.orientation;
        let carried = Vector3::from(self.carried);
        let half = 0.5 * step;
        match method {
            RotationMethod::MoserVeselov | RotationMethod::MidpointMomentum => {
                midpoint::spin_of(body, q, carried + torque * half)
            }
            RotationMethod::MidpointRepaired | RotationMethod::MidpointPrinted => {
                carried + midpoint::spin_of(body, q, torque * half)
            }
            RotationMethod::Iterated { rounds } => {
                iterated::spins(body, q, carried, torque, step, rounds).0
            }
        }
    }

    /// Returns the angular momentum (kg m^2/s, laboratory frame) at the time of the positions; see [`Self::spin`].
    pub fn momentum(
        &self,
        method: RotationMethod,
        body: &PrincipalMoments,
        torque: Vector3<f64>,
        step: f64,
    ) -> Vector3<f64> {
        if method.carries_momentum() {
            return Vector3::from(self.carried) + torque * (0.5 * step);
        }
        let spin = self.spin(method, body, torque, step);
        let q = &self.orientation;
        turn::outward(q, body.momentum(turn::inward(q, spin)))
    }

    /// Returns the kinetic energy of the rotation (J) at the time of the positions; see [`Self::spin`].
    pub fn energy(
        &self,
        method: RotationMethod,
        body: &PrincipalMoments,
        torque: Vector3<f64>,
        step: f64,
    ) -> f64 {
        let spin = self.spin(method, body, torque, step);
        let inside = turn::inward(&self.orientation, spin);
        0.5 * inside.dot(&body.momentum(inside))
    }

    /// Returns the orientation, from the principal axes to the laboratory frame.
    pub fn turn(&self) -> UnitQuaternion<f64> {
        let [x, y, z, w] = self.orientation;
        UnitQuaternion::new_unchecked(Quaternion::new(w, x, y, z))
    }

    /// Rotates a vector from the body's frame to the laboratory's, such as positions of a clump's spheres.
    pub fn outward(&self, inside: Vector3<f64>) -> Vector3<f64> {
        turn::outward(&self.orientation, inside)
    }

    /// Rotates a vector from the laboratory's frame to the body's.
    pub fn inward(&self, outside: Vector3<f64>) -> Vector3<f64> {
        turn::inward(&self.orientation, outside)
    }
}
