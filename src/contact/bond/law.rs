//! The law of bonds between grains of two materials.

use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Exp1, StandardNormal};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Beam;

/// Bonds between grains of two materials: when they form, and what they are made of.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BondLaw {
    /// When they form.
    pub when: When,
    /// Gap up to which they form, m.
    pub gap: f64,
    /// Stiffnesses.
    pub stiffness: BondStiffness,
    /// Share of the critical damping of the two grains, for each way of deformation.
    pub damping: f64,
    /// Strength; none for bonds that do not break.
    pub strength: Option<Strength>,
    /// Scatter of the strength from bond to bond.
    pub scatter: Scatter,
    /// Whether the grains that they join move as rigid bodies.
    pub rigid: Rigid,
}

/// Whether bonded grains move as rigid bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Rigid {
    /// Bonds are stepped as springs.
    #[default]
    Never,
    /// Grains move as one, whatever the period of their body.
    Always,
}

impl Rigid {
    /// Whether this is the default, which a written scenario leaves out.
    pub(super) fn is_never(&self) -> bool {
        *self == Rigid::Never
    }
}

/// When bonds form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum When {
    /// As the run begins, before grains settle.
    #[default]
    Start,
    /// When they have settled, at time 0.
    Settled,
}

impl When {
    /// Whether this is the default, which a written scenario leaves out.
    pub(super) fn is_start(&self) -> bool {
        *self == When::Start
    }
}

/// Stiffnesses of a bond.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum BondStiffness {
    /// A beam between the centres: round, in the plane a strip of unit depth.
    Beam {
        /// Young's modulus, Pa.
        young: f64,
        /// Poisson's ratio.
        poisson: f64,
        /// Radius over that of the smaller grain.
        radius: f64,
    },
    /// Given numbers: against stretching and shear, N/m, bending and twisting, N m.
    Given([f64; 4]),
}

/// Loads that break a bond.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Strength {
    /// Greatest stress in tension and in shear, Pa, of a beam.
    Stress([f64; 2]),
    /// In tension and shear, N, in bending and twisting, N m; infinite for what does not break it.
    Loads([f64; 4]),
}

/// Scatter of strengths from bond to bond.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Scatter {
    /// All are alike.
    None,
    /// Normal, with a standard deviation over the mean.
    Normal(f64),
    /// Weibull: a modulus, and the volume, m^3 (in the plane m^2), to which the strength belongs; none where size has no effect.
    Weibull(f64, Option<f64>),
}

/// Two grains that a bond joins.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    /// Radii, m.
    pub radii: [f64; 2],
    /// Inverse masses, 1/kg.
    pub inverse_masses: [f64; 2],
    /// Inverse moments of inertia, 1/(kg m^2).
    pub inverse_inertias: [f64; 2],
    /// Distance of the centres, m.
    pub distance: f64,
}

/// A cross-section: area, m^2, moments of area of bending and twisting, m^4, and factor of shear (Cowper 1966).
struct Section {
    area: f64,
    bending: f64,
    twisting: f64,
    shear: f64,
}

impl Section {
    fn new(dimension: usize, radius: f64, poisson: f64) -> Self {
        let cube = radius * radius * radius;
        if dimension == 2 {
            return Section {
                area: 2.0 * radius,
                bending: 2.0 / 3.0 * cube,
                twisting: 0.0,
                shear: 10.0 * (1.0 + poisson) / (12.0 + 11.0 * poisson),
            };
        }
        let pi = std::f64::consts::PI;
        Section {
            area: pi * radius * radius,
            bending: 0.25 * pi * cube * radius,
            twisting: 0.5 * pi * cube * radius,
            shear: 6.0 * (1.0 + poisson) / (7.0 + 6.0 * poisson),
        }
    }
}

impl BondLaw {
    /// Returns the radius of the beam between two grains, m; none if stiffnesses are given.
    pub fn radius(&self, pair: &Pair) -> Option<f64> {
        match self.stiffness {
            BondStiffness::Beam { radius, .. } => Some(radius * pair.radii[0].min(pair.radii[1])),
            BondStiffness::Given(_) => None,
        }
    }

    /// Returns the stiffnesses between two grains: against stretching and shear, N/m, bending and twisting, N m. Those of a beam with
    /// shear (Timoshenko 1921) are exact at its ends: k_s = 12 E I / (l^3 (1 + f)), f = 12 E I / (s G A l^2).
    pub fn stiffnesses(&self, dimension: usize, pair: &Pair) -> [f64; 4] {
        match self.stiffness {
            BondStiffness::Given(given) => given,
            BondStiffness::Beam {
                young,
                poisson,
                radius,
            } => {
                let radius = radius * pair.radii[0].min(pair.radii[1]);
                let section = Section::new(dimension, radius, poisson);
                let (length, modulus) = (pair.distance, young / (2.0 * (1.0 + poisson)));
                let bending = young * section.bending / length;
                let softer = 12.0 * bending / (section.shear * modulus * section.area * length);
                [
                    young * section.area / length,
                    12.0 * bending / (length * length * (1.0 + softer)),
                    bending,
                    modulus * section.twisting / length,
                ]
            }
        }
    }

    /// Returns the strengths between two grains without scatter: in tension and shear, N, in bending and twisting, N m.
    pub fn strengths(&self, dimension: usize, pair: &Pair) -> [f64; 4] {
        match (self.strength, self.stiffness) {
            (Some(Strength::Loads(loads)), _) => loads,
            (
                Some(Strength::Stress([tension, shear])),
                BondStiffness::Beam {
                    poisson, radius, ..
                },
            ) => {
                let radius = radius * pair.radii[0].min(pair.radii[1]);
                let section = Section::new(dimension, radius, poisson);
                let twisting = match section.twisting > 0.0 {
                    true => shear * section.twisting / radius,
                    false => f64::INFINITY,
                };
                [
                    tension * section.area,
                    shear * section.area,
                    tension * section.bending / radius,
                    twisting,
                ]
            }
            _ => [f64::INFINITY; 4],
        }
    }

    /// Returns the bond of two grains; its strength is drawn where that scatters.
    pub fn beam(&self, dimension: usize, pair: &Pair, chance: &mut ChaCha8Rng) -> Beam {
        let [stretching, shear, bending, twisting] = self.stiffnesses(dimension, pair);
        let length = pair.distance;
        let inverse = mobilities(pair);
        let stiffnesses = [stretching, shear, bending, twisting];
        let damper = |k: usize| 2.0 * self.damping * (stiffnesses[k] / inverse[k]).sqrt();
        let shearing = shear * length * length;
        let strengths = self.strengths(dimension, pair);
        let factor = self.scatter.factor(self.volume(dimension, pair), chance);
        Beam {
            length,
            stretching,
            shearing,
            straightening: bending - 0.25 * shearing - 0.5 * twisting,
            twisting,
            dampers: std::array::from_fn(damper),
            weakness: strengths.map(|strength| 1.0 / (strength * factor)),
        }
    }

    /// Returns the volume of the bond, m^3, in the plane m^2; 0 if stiffnesses are given.
    fn volume(&self, dimension: usize, pair: &Pair) -> f64 {
        let area = |radius| Section::new(dimension, radius, 0.0).area;
        self.radius(pair)
            .map_or(0.0, |radius| area(radius) * pair.distance)
    }

    /// Returns the square of the greatest angular frequency that a bond of this law gives two grains, 1/s^2.
    pub fn square_of_frequency(&self, dimension: usize, pair: &Pair) -> f64 {
        let stiffnesses = self.stiffnesses(dimension, pair);
        let inverse = mobilities(pair);
        (0..4).fold(0.0, |most, k| (stiffnesses[k] * inverse[k]).max(most))
    }
}

/// Returns what unit forces and moments of stretching, shear, bending and twisting accelerate, 1/kg and 1/(kg m^2).
fn mobilities(pair: &Pair) -> [f64; 4] {
    let masses = pair.inverse_masses[0] + pair.inverse_masses[1];
    let inertias = pair.inverse_inertias[0] + pair.inverse_inertias[1];
    let arm = 0.5 * pair.distance;
    [masses, masses + arm * arm * inertias, inertias, inertias]
}

impl Scatter {
    /// Returns the strength of a bond of a volume over that of the law.
    fn factor(&self, volume: f64, chance: &mut ChaCha8Rng) -> f64 {
        /// Least strength of a normal distribution, over the mean.
        const LEAST: f64 = 1e-3;
        match *self {
            Scatter::None => 1.0,
            Scatter::Normal(deviation) => {
                let drawn: f64 = StandardNormal.sample(chance);
                (1.0 + deviation * drawn).max(LEAST)
            }
            Scatter::Weibull(modulus, reference) => {
                let size = match reference {
                    Some(reference) if volume > 0.0 => reference / volume,
                    _ => 1.0,
                };
                let drawn: f64 = Exp1.sample(chance);
                libm::pow(size * drawn, 1.0 / modulus)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    /// Strengths have the distribution that is asked for, and larger bonds are weaker.
    #[test]
    fn strengths_scatter_as_asked_for() {
        const COUNT: usize = 20_000;
        let mut chance = ChaCha8Rng::seed_from_u64(5);
        let mut drawn = |scatter: Scatter, volume: f64| -> Vec<f64> {
            (0..COUNT)
                .map(|_| scatter.factor(volume, &mut chance))
                .collect()
        };
        let share = |all: &[f64], under: f64| {
            all.iter().filter(|&&factor| factor < under).count() as f64 / COUNT as f64
        };
        // Three standard errors of a share are 0.01.
        for (volume, under) in [(1e-9, 1.0), (3e-9, 1.0), (1e-9, 0.7)] {
            let found = share(&drawn(Scatter::Weibull(4.0, Some(1e-9)), volume), under);
            let wanted = -(-volume / 1e-9 * under.powi(4)).exp_m1();
            assert!((found - wanted).abs() < 0.01, "{found} {wanted}");
        }
        let normal = drawn(Scatter::Normal(0.2), 1e-9);
        assert!((share(&normal, 1.0) - 0.5).abs() < 0.011);
        assert!((share(&normal, 0.8) - 0.1587).abs() < 0.01);
        assert_eq!(drawn(Scatter::None, 1.0), vec![1.0; COUNT]);
    }

    /// Without shear a short beam would be as stiff as Euler's; the strengths of a beam are those of its section.
    #[test]
    fn beams_are_those_of_theory() {
        let pair = Pair {
            radii: [0.01, 0.02],
            inverse_masses: [1.0; 2],
            inverse_inertias: [1.0; 2],
            distance: 0.03,
        };
        let mut law = BondLaw {
            when: When::Start,
            gap: 0.0,
            stiffness: BondStiffness::Beam {
                young: 1e9,
                poisson: 0.0,
                radius: 0.5,
            },
            damping: 0.0,
            strength: Some(Strength::Stress([2e6, 3e6])),
            scatter: Scatter::None,
            rigid: Rigid::Never,
        };
        let (pi, r, l): (f64, f64, f64) = (std::f64::consts::PI, 0.005, 0.03);
        let (area, moment) = (pi * r * r, 0.25 * pi * r.powi(4));
        // s = 6 / 7 and G = E / 2.
        let softer = 12.0 * moment / (6.0 / 7.0 * 0.5 * area * l * l);
        let wanted = [
            1e9 * area / l,
            12e9 * moment / (l * l * l * (1.0 + softer)),
            1e9 * moment / l,
            1e9 * moment / l,
        ];
        for (found, wanted) in law.stiffnesses(3, &pair).into_iter().zip(wanted) {
            assert!((found / wanted - 1.0).abs() < 1e-12, "{found} {wanted}");
        }
        let wanted = [2e6 * area, 3e6 * area, 2e6 * moment / r, 6e6 * moment / r];
        for (found, wanted) in law.strengths(3, &pair).into_iter().zip(wanted) {
            assert!((found / wanted - 1.0).abs() < 1e-12, "{found} {wanted}");
        }
        law.strength = None;
        let beam = law.beam(3, &pair, &mut ChaCha8Rng::seed_from_u64(1));
        assert_eq!(beam.weakness, [0.0; 4]);
    }
}
