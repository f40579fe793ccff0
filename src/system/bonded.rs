//! Rates that bonds add to those of contacts, for the choice of the step.

use super::Setup;
use crate::cluster::dimension::ClusterDimension;
use crate::contact::bond::Pair;

/// The fastest oscillation and damping of the bonds of a pair of materials.
pub(super) struct BondRates {
    /// The two materials.
    pub materials: [usize; 2],
    /// Angular frequency, 1/s.
    pub frequency: f64,
    /// Rate of damping, 1/s.
    pub damping: f64,
}

/// Returns these rates for all pairs that have bonds, between their lightest grains: mass and radius by material.
pub(super) fn rates<D: ClusterDimension>(
    setup: &Setup<D>,
    lightest: &[Option<(f64, f64)>],
) -> Vec<BondRates> {
    let laws = &setup.matter.laws;
    let mut found = Vec::new();
    for a in 0..laws.materials {
        for b in a..laws.materials {
            let (Some(bond), Some(law)) =
                (laws.bond(a as u16, b as u16), laws.get(a as u16, b as u16))
            else {
                continue;
            };
            let (Some((ma, ra)), Some((mb, rb))) = (lightest[a], lightest[b]) else {
                continue;
            };
            let inertia = |mass: f64, radius: f64| D::BALL_INERTIA * mass * radius * radius;
            let pair = Pair {
                radii: [ra, rb],
                inverse_masses: [1.0 / ma, 1.0 / mb],
                inverse_inertias: [1.0 / inertia(ma, ra), 1.0 / inertia(mb, rb)],
                distance: ra + rb,
            };
            // It acts beside the contact.
            let inverse = 1.0 / ma + 1.0 / mb;
            let radius = ra * rb / (ra + rb);
            let contact = law
                .rates(
                    inverse,
                    radius,
                    bond.gap.max(1e-3 * radius),
                    D::BALL_INERTIA,
                )
                .frequency;
            let square = bond.square_of_frequency(D::N, &pair);
            found.push(BondRates {
                materials: [a, b],
                frequency: (square + contact * contact).sqrt(),
                damping: 2.0 * bond.damping * square.sqrt(),
            });
        }
    }
    found
}
