//! The probabilities of a mill (thesis eqs. 3.20 to 3.22).

use std::f64::consts::PI;

use serde::{Deserialize, Serialize};

use super::StudyError;
use crate::study::error::{check, positive};

/// Equal balls in a cylinder, and the particles that they grind.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mill {
    /// Radius of the balls, m.
    pub ball_radius: f64,
    /// Number of balls.
    pub balls: u32,
    /// Inner radius of the vessel, m.
    pub vessel_radius: f64,
    /// Inner height of the vessel, m.
    pub vessel_height: f64,
    /// Radius of the particles at the start, m.
    pub initial_radius: f64,
    /// Particles of this radius or less are not ground further, m.
    pub final_radius: f64,
}

impl Mill {
    /// Returns the free volume beside the balls, m^3.
    pub fn available(&self) -> f64 {
        let ball = 4.0 / 3.0 * PI * self.ball_radius * self.ball_radius * self.ball_radius;
        PI * self.vessel_radius * self.vessel_radius * self.vessel_height
            - f64::from(self.balls) * ball
    }

    /// Returns the radius of the particles of a basket, m: each has half the volume of those before.
    pub fn radius(&self, basket: usize) -> f64 {
        self.initial_radius * libm::exp2(-(basket as f64) / 3.0)
    }

    /// Returns the probabilities p_0 to p_k that a particle of a basket is in the grinding volume of a collision; k
    /// is the first basket not larger than the final radius, and p_k = 0.
    pub fn probabilities(&self) -> Result<Vec<f64>, StudyError> {
        positive("ball_radius", self.ball_radius)?;
        positive("vessel_radius", self.vessel_radius)?;
        positive("vessel_height", self.vessel_height)?;
        positive("initial_radius", self.initial_radius)?;
        positive("final_radius", self.final_radius)?;
        let must = "above 0: the balls must leave room in the vessel";
        let available = check(
            "the volume left by the balls, in m^3,",
            self.available(),
            must,
            |v| v > 0.0,
        )?;
        // The first i with 2^(-i/3) <= final / initial, tolerating rounding of the logarithm.
        let what = "the initial over the final radius";
        let ratio = self.initial_radius / self.final_radius;
        let ratio = check(what, ratio, "finite", |ratio| ratio.is_finite())?;
        let last = libm::ceil(3.0 * libm::log2(ratio) - 1e-12).max(0.0) as usize;
        let mut probabilities = Vec::with_capacity(last + 1);
        for basket in 0..last {
            let radius = self.radius(basket);
            // R1 R2 / (R1 + R2) of equal balls is half a radius.
            let grinding = 2.0 * PI * self.ball_radius * radius * radius;
            let what = "the probability of grinding the largest particles";
            let must = "at most 1: they are too large for this vessel";
            probabilities.push(check(what, grinding / available, must, |p| p <= 1.0)?);
        }
        probabilities.push(0.0);
        Ok(probabilities)
    }
}
