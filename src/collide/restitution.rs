//! Restitution of a contact law, for hard collisions; dependent on the approach speed if the law implies it.

use std::sync::LazyLock;

use super::resolved::ResolvedError;
use super::scaled::{FINE, ScaledLaw, solve};
use super::soft::Axis;
use crate::contact::{ContactLaw, Elastic, Loss, restitution};

/// Restitution coefficient of a pair of grains as a function of effective mass and approach speed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Restitution {
    /// The same for all contacts.
    Constant(f64),
    /// Linear dashpot: depends on effective mass (Schwager and Poeschel 2007).
    Linear {
        /// Stiffness, N/m.
        kn: f64,
        /// Damping, N s/m.
        cn: f64,
    },
    /// Linear dashpot with damping proportional to the effective mass: depends on effective mass.
    LinearPerMass {
        /// Stiffness, N/m.
        kn: f64,
        /// Damping over effective mass, 1/s.
        rate: f64,
    },
    /// Viscoelastic spheres: depends on effective mass and speed (Schwager and Poeschel 2008).
    Viscoelastic {
        /// Effective Young's modulus, Pa.
        young: f64,
        /// Effective radius, m.
        radius: f64,
        /// Dissipation constant, s.
        dissipation: f64,
    },
}

impl Restitution {
    /// The restitution of a contact law for an effective radius, m, which matters only for viscoelastic spheres.
    pub fn of(law: &ContactLaw, radius: f64) -> Self {
        match (law.elastic(), law.loss()) {
            (
                Elastic::Linear(kn),
                Loss::Dashpot {
                    normal, per_mass, ..
                },
            ) => {
                if per_mass {
                    Restitution::LinearPerMass { kn, rate: normal }
                } else {
                    Restitution::Linear { kn, cn: normal }
                }
            }
            (Elastic::Hertz(young), Loss::Dissipation(dissipation)) => Restitution::Viscoelastic {
                young,
                radius,
                dissipation,
            },
            (_, Loss::Unloading(share)) => Restitution::Constant(share.sqrt()),
            // No other law combines such a spring with such a loss.
            _ => Restitution::Constant(restitution(law.damping_ratio(1.0))),
        }
    }
    /// The coefficient for an effective mass (kg) and a normal approach speed (m/s).
    pub fn at(&self, effective_mass: f64, approach: f64) -> f64 {
        match *self {
            Restitution::Constant(value) => value,
            Restitution::Linear { kn, cn } => restitution(0.5 * cn / (kn * effective_mass).sqrt()),
            Restitution::LinearPerMass { kn, rate } => {
                restitution(0.5 * rate * (effective_mass / kn).sqrt())
            }
            Restitution::Viscoelastic {
                young,
                radius,
                dissipation,
            } => {
                let time = Elastic::Hertz(young).time_scale(effective_mass, radius, approach);
                viscoelastic(1.5 * dissipation / time)
            }
        }
    }
}

/// Restitution of viscoelastic spheres at a scaled damping 1.5 a / T (beta v^(1/5) of Schwager and
/// Poeschel 2008): one function for all such laws, masses and speeds. From a table with error 1e-9;
/// contacts that hardly rebound (damping above 81) are integrated.
pub fn viscoelastic(damping: f64) -> f64 {
    // An elastic contact conserves energy to the last bit, however often it is repeated.
    if damping <= 0.0 {
        return 1.0;
    }
    let root = damping.sqrt();
    let place = root / (1.0 + root);
    let axis = axis();
    match &*CURVE {
        Ok(values) if axis.contains(place) => {
            let (first, weights) = axis.stencil(place);
            let nodes = &values[first..first + weights.len()];
            weights.iter().zip(nodes).map(|(w, v)| w * v).sum()
        }
        // A contact without an end is permanent: the grains do not rebound.
        _ => central(damping).unwrap_or(0.0),
    }
}

/// Coordinate of the table: p / (1 + p) for the root p of the damping, in which it is a series.
fn axis() -> Axis {
    Axis::new(0.0, 0.9, 181)
}

/// Built at first use, within a few milliseconds.
static CURVE: LazyLock<Result<Vec<f64>, ResolvedError>> = LazyLock::new(|| {
    let axis = axis();
    (0..axis.nodes())
        .map(|index| {
            let place = axis.node(index);
            let root = place / (1.0 - place);
            central(root * root)
        })
        .collect()
});

/// Restitution of a central contact, by integration.
fn central(damping: f64) -> Result<f64, ResolvedError> {
    let law = ScaledLaw {
        damping,
        hertz: true,
    };
    Ok(-solve(law, 0.0, 0.0, FINE)?.rate)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares the table with integrated contacts between its nodes.
    #[test]
    fn table_of_the_curve() {
        for i in 0..400 {
            let root = 8.9 * (f64::from(i) + 0.37) / 400.0;
            let damping = root * root;
            let error = viscoelastic(damping) - central(damping).unwrap();
            assert!(error.abs() < 1e-9, "{damping}: {error:e}");
        }
        assert_eq!(viscoelastic(0.0), 1.0);
    }
}
