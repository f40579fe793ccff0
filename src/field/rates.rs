//! Rates of the motions that long-range forces cause, for the choice of the step.

use super::between::{COULOMB, MAGNETIC};
use super::source::{LongRangeSetup, size};

/// The smallest grain of a material.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Smallest {
    /// Mass, kg.
    pub mass: f64,
    /// Radius, m.
    pub radius: f64,
    /// Whether there is more than one grain of its material.
    pub many: bool,
}

/// A motion that a step must resolve.
#[derive(Clone, Debug, PartialEq)]
pub struct Fastest {
    /// Kind of the motion.
    pub what: &'static str,
    /// Angular frequency, 1/s.
    pub frequency: f64,
}

impl LongRangeSetup {
    /// Returns the fastest motions of the smallest grains, by material, whose moments of inertia are `inertia` m r^2,
    /// in an electric (V/m) and a magnetic field (T) of given strengths: gyration of paths, oscillation of moments in
    /// the fields, and oscillation, or fall about each other, of touching neighbours.
    pub fn fastest(
        &self,
        smallest: &[Option<Smallest>],
        inertia: f64,
        [electric, magnetic]: [f64; 2],
    ) -> Vec<Fastest> {
        let (mut gyration, mut swing, mut near) = (0.0f64, 0.0f64, 0.0f64);
        let grains = || {
            let grains = smallest.iter().enumerate();
            grains.filter_map(|(k, grain)| grain.map(|grain| (self.source(k as u16), grain)))
        };
        for (index, (a, one)) in grains().enumerate() {
            let turned = inertia * one.radius * one.radius;
            gyration = gyration.max(a.charge.abs() * magnetic);
            let torque = size(a.electric) * electric + size(a.magnetic) * magnetic;
            swing = swing.max(torque / turned);
            for (k, (b, other)) in grains().enumerate() {
                if k == index && !one.many {
                    continue;
                }
                let r = one.radius + other.radius;
                let cube = r * r * r;
                let reduced = one.mass * other.mass / (one.mass + other.mass);
                let product = one.mass * other.mass;
                let (charge, other_charge) = (a.charge.abs(), b.charge.abs());
                let moments = COULOMB * size(a.electric) * size(b.electric)
                    + MAGNETIC * size(a.magnetic) * size(b.magnetic);
                let mixed = COULOMB * size(a.electric) * other_charge;
                // Gradients of the forces, and torques over moments of inertia.
                let pull = self.gravitation + COULOMB * charge * other_charge;
                let pushed = product / reduced
                    * (2.0 * pull + 12.0 * mixed / r + 24.0 * moments / (r * r))
                    / cube;
                let torque = (2.0 * moments / r + mixed) * other.mass / (r * r * turned);
                near = near.max(pushed).max(torque);
            }
        }
        let found = [
            ("turning of paths by the magnetic field", gyration),
            ("swinging of moments in the fields", swing.sqrt()),
            ("neighbours by their forces from afar", near.sqrt()),
        ];
        let found = found.into_iter().filter(|(_, frequency)| *frequency > 0.0);
        found
            .map(|(what, frequency)| Fastest { what, frequency })
            .collect()
    }
}
