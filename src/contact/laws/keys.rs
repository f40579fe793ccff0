//! What a scenario gives of a law, and what it is checked for.

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
    /// Of two materials, each by Young's modulus (Pa) and Poisson's ratio.
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

/// What values a key may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// Over 0.
    Positive,
    /// 0 or more.
    NonNegative,
    /// Over 0 and up to 1.
    Share,
}

/// The keys of a law in a scenario.
pub trait Keys {
    /// Whether the law goes by Young's modulus and Poisson's ratio of the two materials.
    const NEEDS_MODULI: bool = true;
    /// Each key with its value and what it may be.
    fn bounds(&self) -> Vec<(&'static str, f64, Bound)>;
    /// The law; `moduli` are not numbers where it does not need them.
    fn law(&self, moduli: Moduli) -> ContactLaw;
}
