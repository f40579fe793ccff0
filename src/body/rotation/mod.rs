//! Rotation of rigid bodies: integrators of orientation and angular momentum.
//!
//! They fit a loop with one evaluation of torques per step, at the positions: [`Rotation::kick_drift`] advances a
//! body from one evaluation to the next, [`Rotation::spin`] returns its angular velocity at the time of the
//! positions, which dampers and friction need. Between two evaluations no torque acts, so that each method has to
//! solve the free top; they differ in its accuracy.
//!
//! | method | free top: order | angular momentum | energy |
//! |---|---|---|---|
//! | [`RotationMethod::MoserVeselov`] | 4 | exact | exact |
//! | [`RotationMethod::MidpointMomentum`] | 2 | exact | order 2 |
//! | [`RotationMethod::MidpointRepaired`] | 2 | order 2 | order 2 |
//! | [`RotationMethod::MidpointPrinted`] | 1 | order 1 | order 2 |
//! | [`RotationMethod::Iterated`] | 2 | order 2 | order 2 |
//!
//! "Exact" is to rounding. With torques that depend on the orientation all are of second order (the printed midpoint
//! of first), as the leap-frog that advances the positions.
//!
//! Orientations rotate the body's principal axes into the laboratory frame; spins, torques and angular momenta are in
//! the laboratory frame.

mod exact;
mod iterated;
mod jacobi;
mod lanes;
mod midpoint;
mod moments;
mod moser_veselov;
mod state;
mod turn;

pub use exact::FreeTop;
pub use jacobi::{Jacobi, complete_integral, incomplete_integral};
pub use lanes::{Columns, Tops, Turns, turned_alone};
pub use moments::{MomentsError, PrincipalMoments};
pub use moser_veselov::free_turn;
pub use state::Rotation;

use serde::{Deserialize, Serialize};

/// Integrator of orientations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RotationMethod {
    /// The discrete top of Moser and Veselov (1991) with moments of inertia that make it of fourth order (Hairer and
    /// Vilmart 2006), between kicks of the angular momentum.
    #[default]
    MoserVeselov,
    /// Explicit midpoint that stores the angular momentum: the rotation follows the angular velocity that the
    /// momentum has at the middle of the step.
    MidpointMomentum,
    /// Mutze's direct midpoint with the change of the angular velocity evaluated at the midpoint.
    MidpointRepaired,
    /// Mutze's direct midpoint as printed (his eq. 59): of first order.
    MidpointPrinted,
    /// Leap-frog in the laboratory frame: Euler's equations at the time of the positions, solved by a number of
    /// iterations (Ostanin et al. 2024, section 3.6, after PFC).
    Iterated {
        /// Number of iterations; the paper uses 2 to 5.
        rounds: u8,
    },
}

impl RotationMethod {
    /// Whether a state stores angular momentum; otherwise it stores angular velocity.
    pub fn carries_momentum(self) -> bool {
        matches!(self, Self::MoserVeselov | Self::MidpointMomentum)
    }
}
