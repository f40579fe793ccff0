//! Prescribed motion of boundaries.

use serde::{Deserialize, Serialize};

use crate::geometry::Dimension;

/// The path of a boundary's frame, a function of time only.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub enum Motion<D: Dimension> {
    /// At rest.
    #[default]
    Fixed,
    /// Constant velocity, m/s.
    Velocity(D::Vector),
    /// Constant turning about a centre, rad/s.
    Rotation {
        /// Centre, m.
        centre: D::Vector,
        /// Angular velocity, rad/s.
        spin: D::Spin,
    },
    /// Harmonic: displacement = amplitude sin(2 pi frequency t + phase) - amplitude sin(phase).
    Harmonic {
        /// Amplitude, m.
        amplitude: D::Vector,
        /// Frequency, Hz.
        frequency: f64,
        /// Phase, rad.
        phase: f64,
    },
    /// Pieces of constant acceleration: from each start time, initial velocity and acceleration;
    /// the position is continuous; before the first start the wall rests.
    Pieces(Vec<MotionPiece<D>>),
}

/// A piece of a parabolic path.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct MotionPiece<D: Dimension> {
    /// When it starts, s.
    pub from: f64,
    /// Velocity at its start, m/s.
    pub velocity: D::Vector,
    /// Acceleration, m/s^2.
    pub acceleration: D::Vector,
}

/// Where a boundary's frame is: a point `x` of the frame stands at `shift + rotation (x - centre) + centre`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose<D: Dimension> {
    /// Displacement, m.
    pub shift: D::Vector,
    /// Turn about `centre`.
    pub rotation: D::Rotation,
    /// Centre of the turn, m (in the frame).
    pub centre: D::Vector,
    /// Velocity of the frame, m/s.
    pub velocity: D::Vector,
    /// Angular velocity about the centre, rad/s.
    pub spin: D::Spin,
}
