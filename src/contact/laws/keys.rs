//! Keys of laws in scenarios, and their allowed values.

use super::ContactLaw;

/// Effective moduli of two elastic bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moduli {
    /// E*, Pa: 1 / E* = (1 - nu_1^2) / E_1 + (1 - nu_2^2) / E_2 (Johnson 1985, eq. 4.25).
    pub young: f64,
    /// G*, Pa: 1 / G* = (2 - nu_1) / G_1 + (2 - nu_2) / G_2 with G = E / (2 (1 + nu)) (Johnson 1985, eq. 7.42).
    pub shear: f64,
}

impl Moduli {
    /// Returns the moduli for two materials, each given by Young's modulus (Pa) and Poisson's ratio.
    #[must_use]
    pub fn of(pair: [[f64; 2]; 2]) -> Self {
        let (mut compliance, mut shear_compliance) = (0.0, 0.0);
        for [young, poisson] in pair {
            compliance += (1.0 - poisson * poisson) / young;
            shear_compliance += 2.0 * (2.0 - poisson) * (1.0 + poisson) / young;
        }
        Moduli {
            young: 1.0 / compliance,
            shear: 1.0 / shear_compliance,
        }
    }
}

/// Allowed values of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// Greater than 0.
    Positive,
    /// 0 or more.
    NonNegative,
    /// Greater than 0 and at most 1.
    Share,
}

/// The keys of a law in a scenario.
pub trait Keys {
    /// Whether the law uses Young's modulus and Poisson's ratio of the two materials.
    const NEEDS_MODULI: bool = true;
    /// Returns each key with its value and allowed range.
    fn bounds(&self) -> Vec<(&'static str, f64, Bound)>;
    /// Returns the law; `moduli` are NaN if it does not need them.
    fn law(&self, moduli: Moduli) -> ContactLaw;
}
