//! Janssen's theory of the silo (Janssen 1895): walls carry the weight of the upper layers by friction.
//!
//! A slice balances its weight with the stress on it and the friction of the walls. With the
//! wall pressure K times the vertical stress and full friction, stress grows with depth z as
//! rho g lambda (1 - exp(-z / lambda)), where lambda = (area / perimeter) / (mu K).

use serde::Serialize;

use super::error::{StudyError, positive};

/// Cross-section of a silo.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Section {
    /// Two parallel walls, unit thickness.
    Planar {
        /// Distance of the walls, m.
        width: f64,
    },
    /// A round tube.
    Cylindrical {
        /// Inner diameter, m.
        diameter: f64,
    },
}

impl Section {
    /// Returns the area over the perimeter with friction, m: W / 2 or D / 4.
    pub fn breadth(self) -> f64 {
        match self {
            Section::Planar { width } => 0.5 * width,
            Section::Cylindrical { diameter } => 0.25 * diameter,
        }
    }
    /// Checks that the width or diameter is a positive number.
    pub(super) fn check(self) -> Result<(), StudyError> {
        positive("width of the silo", self.breadth()).map(drop)
    }
}

/// A silo as Janssen's theory describes it. Stresses are in Pa for densities in kg/m^3; in the plane, with densities
/// in kg/m^2, in N/m.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Janssen {
    /// Cross-section.
    pub section: Section,
    /// Density of the packing, pores included, kg/m^3 or kg/m^2.
    pub density: f64,
    /// Gravity, m/s^2.
    pub gravity: f64,
    /// Coefficient of wall friction, mobilised.
    pub wall_friction: f64,
    /// Wall pressure over vertical stress, K.
    pub ratio: f64,
}

impl Janssen {
    /// Returns a silo; all its figures must be positive numbers.
    pub fn new(
        section: Section,
        density: f64,
        gravity: f64,
        wall_friction: f64,
        ratio: f64,
    ) -> Result<Self, StudyError> {
        section.check()?;
        Ok(Janssen {
            section,
            density: positive("density of the packing", density)?,
            gravity: positive("gravity", gravity)?,
            wall_friction: positive("wall friction", wall_friction)?,
            ratio: positive("ratio of stresses", ratio)?,
        })
    }

    /// Returns the depth over which stress saturates, m: lambda.
    pub fn length(&self) -> f64 {
        self.section.breadth() / (self.wall_friction * self.ratio)
    }

    /// Returns the mean vertical stress at a depth (m) below the level surface.
    pub fn vertical_stress(&self, depth: f64) -> f64 {
        let length = self.length();
        self.density * self.gravity * length * -libm::expm1(-depth / length)
    }

    /// Returns the pressure on the wall at a depth, m.
    pub fn wall_pressure(&self, depth: f64) -> f64 {
        self.ratio * self.vertical_stress(depth)
    }

    /// Returns the mean pressure on the wall between two depths, m.
    pub fn mean_wall_pressure(&self, top: f64, bottom: f64) -> f64 {
        self.deepest_pressure() * saturation(top, bottom, self.length())
    }

    /// Returns the wall friction at a depth, m, upwards on the grains, per area of the wall.
    pub fn wall_shear(&self, depth: f64) -> f64 {
        self.wall_friction * self.wall_pressure(depth)
    }

    /// Returns the limit of the wall pressure: rho g (area / perimeter) / mu.
    pub fn deepest_pressure(&self) -> f64 {
        self.density * self.gravity * self.section.breadth() / self.wall_friction
    }

    /// Returns the fraction of the weight that the bottom carries, for a filling of this depth (m).
    pub fn floor_share(&self, depth: f64) -> f64 {
        let ratio = depth / self.length();
        if ratio > 0.0 {
            -libm::expm1(-ratio) / ratio
        } else {
            1.0
        }
    }
}

/// Returns the mean of 1 - exp(-z / length) between two depths; the value at the depth if they are equal.
pub(super) fn saturation(top: f64, bottom: f64, length: f64) -> f64 {
    let (top, high) = (top / length, (bottom - top) / length);
    // 1 less the mean of exp(-u) over 0..high; by its series where the difference would cancel.
    let lack = if high > 1e-2 {
        1.0 + libm::expm1(-high) / high
    } else {
        let third = 1.0 / 24.0 - high * (1.0 / 120.0 - high / 720.0);
        high * (0.5 - high * (1.0 / 6.0 - high * third))
    };
    -libm::expm1(-top) + libm::exp(-top) * lack
}
