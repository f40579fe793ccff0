//! Long-range forces between the centres of grains.

use crate::geometry::{cross, dot};
use std::fmt::Debug;

use super::particle_columns::{Action, Member, ParticleColumns};
use super::poles::{Felt, Poles, Probe};

use crate::vector::Level;

/// 1 / (4 pi eps_0), N m^2/C^2 (CODATA 2018).
pub const COULOMB: f64 = 8.987_551_792_3e9;
/// mu_0 / (4 pi), N/A^2 (CODATA 2018).
pub const MAGNETIC: f64 = 1.000_000_000_54e-7;

/// A force between grains that depends on their positions and orientations. All pairs are summed: the time grows as
/// the square of their number.
pub trait BetweenGrains: Debug + Send + Sync {
    /// Name in messages and logs.
    fn name(&self) -> &str;
    /// Adds the action of all other grains on each; `actions` has an entry per grain.
    fn act(&self, crowd: &ParticleColumns, actions: &mut [Action]);
    /// Returns the energy of all pairs, J; zero for grains infinitely far apart.
    fn energy(&self, crowd: &ParticleColumns) -> f64;
    /// Returns the energy of one more grain with a whole crowd, J.
    fn energy_with(&self, crowd: &ParticleColumns, one: &Member) -> f64;
}

/// A force of poles and dipoles, and the columns of a crowd that contain them.
trait PolesOf {
    fn poles<'a>(&self, crowd: &'a ParticleColumns) -> Poles<'a>;
    fn probe(&self, member: &Member) -> Probe;
}

fn energy_of(probe: Probe, felt: Felt) -> f64 {
    probe.pole * felt.potential - dot(probe.moment, felt.field)
}

macro_rules! between_grains {
    ($type:ty, $name:literal) => {
        impl BetweenGrains for $type {
            fn name(&self) -> &str {
                $name
            }
            fn act(&self, crowd: &ParticleColumns, actions: &mut [Action]) {
                self.poles(crowd).each(crowd, |index, probe, felt| {
                    let moment = cross(probe.moment, felt.field);
                    let action = &mut actions[index];
                    for k in 0..3 {
                        action.force[k] += felt.force[k];
                        action.moment[k] += moment[k];
                    }
                });
            }
            fn energy(&self, crowd: &ParticleColumns) -> f64 {
                let mut sum = 0.0;
                // Each pair occurs twice.
                self.poles(crowd)
                    .each(crowd, |_, probe, felt| sum += 0.5 * energy_of(probe, felt));
                sum
            }
            fn energy_with(&self, crowd: &ParticleColumns, one: &Member) -> f64 {
                let probe = self.probe(one);
                energy_of(probe, self.poles(crowd).at(Level::best(), probe))
            }
        }
    };
}

/// Newton's gravitation between point masses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gravitation {
    /// Gravitational constant, N m^2/kg^2.
    pub constant: f64,
}

impl PolesOf for Gravitation {
    fn poles<'a>(&self, crowd: &'a ParticleColumns) -> Poles<'a> {
        Poles {
            constant: -self.constant,
            places: crowd.places(),
            poles: Some(crowd.masses()),
            moments: None,
        }
    }
    fn probe(&self, member: &Member) -> Probe {
        Probe {
            place: member.position,
            pole: member.mass,
            moment: [0.0; 3],
        }
    }
}
between_grains!(Gravitation, "gravitation");

/// Coulomb's force between charges, and the forces of electric dipoles on charges and each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Electrostatics {
    /// Whether there are charges.
    pub charges: bool,
    /// Whether there are dipoles.
    pub dipoles: bool,
}

impl PolesOf for Electrostatics {
    fn poles<'a>(&self, crowd: &'a ParticleColumns) -> Poles<'a> {
        Poles {
            constant: COULOMB,
            places: crowd.places(),
            poles: self.charges.then(|| crowd.charges()),
            moments: self.dipoles.then(|| crowd.electric()),
        }
    }
    fn probe(&self, member: &Member) -> Probe {
        Probe {
            place: member.position,
            pole: if self.charges {
                member.source.charge
            } else {
                0.0
            },
            moment: if self.dipoles {
                member.source.electric
            } else {
                [0.0; 3]
            },
        }
    }
}
between_grains!(Electrostatics, "electrostatics");

/// The force between magnetic dipoles at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Magnetostatics;

impl PolesOf for Magnetostatics {
    fn poles<'a>(&self, crowd: &'a ParticleColumns) -> Poles<'a> {
        Poles {
            constant: MAGNETIC,
            places: crowd.places(),
            poles: None,
            moments: Some(crowd.magnetic()),
        }
    }
    fn probe(&self, member: &Member) -> Probe {
        Probe {
            place: member.position,
            pole: 0.0,
            moment: member.source.magnetic,
        }
    }
}
between_grains!(Magnetostatics, "magnetostatics");
