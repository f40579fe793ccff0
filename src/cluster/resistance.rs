//! Resistance to rolling and twisting of a single link, as the kernels evaluate it.

use super::coefficients::Coefficients;
use super::observe::size;
use crate::contact::{Resistance, ResistanceKind};
use crate::geometry::Dimension;

/// A relative rotation in its parts, m or m/s: across the normal and along it. In the plane the first number of
/// `rolling` is all there is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Turns {
    pub rolling: [f64; 3],
    pub twisting: f64,
}

impl Turns {
    /// The parts of a relative rotation times the rolling radius.
    pub fn of<D: Dimension>(turning: [f64; 3], normal: D::Vector) -> Self {
        if D::N == 2 {
            return Turns {
                rolling: [turning[0], 0.0, 0.0],
                twisting: 0.0,
            };
        }
        let twisting = (0..3).map(|i| turning[i] * normal[i]).sum::<f64>();
        Turns {
            rolling: std::array::from_fn(|i| turning[i] - twisting * normal[i]),
            twisting,
        }
    }

    /// The springs of a link, from its contact history.
    pub fn kept([x, y, z, twisting, _]: [f64; 5]) -> Self {
        Turns {
            rolling: [x, y, z],
            twisting,
        }
    }

    /// Writes the springs into the contact history.
    pub fn keep(self, memory: &mut [f64; 5]) {
        memory[..3].copy_from_slice(&self.rolling);
        memory[3] = self.twisting;
    }

    /// The sum with a multiple of another.
    pub fn plus(self, times: f64, other: Turns) -> Self {
        Turns {
            rolling: std::array::from_fn(|i| self.rolling[i] + times * other.rolling[i]),
            twisting: self.twisting + times * other.twisting,
        }
    }
}

/// Force against a relative rotation, N, in the form of `Kinematics::turning`, and the stiffness of rolling and of
/// twisting, N/m; 0 at the bound.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Turned {
    pub force: [f64; 3],
    pub stiffness: [f64; 2],
}

impl Coefficients {
    /// Stiffness of the spring of a resistance, N/m; `None` if it has none.
    pub fn turning_stiffness(&self, resistance: Resistance) -> Option<f64> {
        match resistance.kind {
            ResistanceKind::Spring { stiffness, .. } => {
                Some(stiffness.unwrap_or(resistance.usual_share() * self.stiffness))
            }
            ResistanceKind::Constant(_) => None,
        }
    }

    /// Recoverable energy of the springs of rolling and twisting, J.
    pub fn turning_energy(&self, springs: Turns, pressing: f64) -> f64 {
        let of = |resistance: Option<Resistance>, spring: f64| {
            let stiffness = resistance.and_then(|resistance| self.turning_stiffness(resistance));
            let (Some(resistance), Some(stiffness)) = (resistance, stiffness) else {
                return 0.0;
            };
            if stiffness <= 0.0 {
                return 0.0;
            }
            let pull = (stiffness * spring.abs()).min(resistance.friction * pressing);
            0.5 * pull * pull / stiffness
        };
        of(self.terms.rolling, size(springs.rolling)) + of(self.terms.twisting, springs.twisting)
    }

    /// Returns the force of the resistances of a link, by its springs (m), its motion (m/s) and the pressing force (N).
    pub fn turned<D: Dimension>(
        &self,
        spring: Turns,
        speed: Turns,
        normal: D::Vector,
        pressing: f64,
    ) -> Turned {
        let of = |resistance: Option<Resistance>, spring: [f64; 3], speed: [f64; 3]| {
            let Some(resistance) = resistance else {
                return ([0.0; 3], 0.0);
            };
            let most = resistance.friction * pressing;
            match resistance.kind {
                ResistanceKind::Constant(smoothing) => {
                    let rate = most / (size(speed) + smoothing);
                    (speed.map(|v| -rate * v), 0.0)
                }
                ResistanceKind::Spring { damping, .. } => {
                    let stiffness = self.turning_stiffness(resistance).unwrap_or(0.0);
                    let force: [f64; 3] =
                        std::array::from_fn(|i| -(stiffness * spring[i] + damping * speed[i]));
                    let pull = size(force);
                    if pull > most {
                        (force.map(|f| f * most / pull), 0.0)
                    } else {
                        (force, stiffness)
                    }
                }
            }
        };
        let (rolling, k_rolling) = of(self.terms.rolling, spring.rolling, speed.rolling);
        if D::N == 2 {
            return Turned {
                force: rolling,
                stiffness: [k_rolling, 0.0],
            };
        }
        let (twisting, k_twisting) = of(
            self.terms.twisting,
            [spring.twisting, 0.0, 0.0],
            [speed.twisting, 0.0, 0.0],
        );
        Turned {
            force: std::array::from_fn(|i| rolling[i] + twisting[0] * normal[i]),
            stiffness: [k_rolling, k_twisting],
        }
    }

    /// Returns the work that springs of rolling and twisting take in a small turn, J.
    pub fn turning_work(&self, springs: Turns, by: Turns) -> f64 {
        let stiffness = |resistance: Option<Resistance>| {
            resistance.and_then(|resistance| self.turning_stiffness(resistance))
        };
        let rolled: f64 = (0..3).map(|i| springs.rolling[i] * by.rolling[i]).sum();
        stiffness(self.terms.rolling).unwrap_or(0.0) * rolled
            + stiffness(self.terms.twisting).unwrap_or(0.0) * springs.twisting * by.twisting
    }

    /// Limits the springs of rolling and twisting to their bounds; returns the energy that their sliding dissipates, J.
    pub fn bound_turns(&self, springs: &mut Turns, pressing: f64) -> f64 {
        let mut dissipated = 0.0;
        let mut limit = |resistance: Option<Resistance>, spring: &mut [f64]| {
            let Some(resistance) = resistance else { return };
            let stiffness = self.turning_stiffness(resistance).unwrap_or(0.0);
            let most = resistance.friction * pressing;
            let length = spring.iter().map(|s| s * s).sum::<f64>().sqrt();
            let pull = stiffness * length;
            if pull > most {
                spring.iter_mut().for_each(|s| *s *= most / pull);
                dissipated += most * (pull - most) / stiffness;
            }
        };
        limit(self.terms.rolling, &mut springs.rolling);
        let mut twisting = [springs.twisting];
        limit(self.terms.twisting, &mut twisting);
        springs.twisting = twisting[0];
        dissipated
    }
}
