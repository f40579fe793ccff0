//! Rates that bonds add to those of contacts, for the choice of the step.

use super::Setup;
use crate::cluster::dimension::ClusterDimension;
use crate::contact::bond::{Pair, When};
use crate::neighbor::{BroadPhase, Cells};

/// The fastest oscillation and damping of the bonds of a pair of materials.
pub(super) struct BondRates {
    /// The two materials.
    pub materials: [usize; 2],
    /// Angular frequency, 1/s.
    pub frequency: f64,
    /// Rate of damping of all bonds of a grain together, 1/s.
    pub damping: f64,
}

/// Number of bonds of a grain that touches as many as can be, in the plane and in space.
const TOUCHED: [usize; 2] = [6, 12];

/// Returns the greatest number of grains that are within a gap, m, of one; at least as many as may touch it where they still settle.
fn neighbours<D: ClusterDimension>(setup: &Setup<D>, gap: f64, when: When) -> usize {
    let places: Vec<D::Vector> = setup.grains.iter().map(|grain| grain.position).collect();
    let radii: Vec<f64> = setup.grains.iter().map(|grain| grain.radius).collect();
    let mut near = Vec::new();
    let periodic = &setup.space.periodic;
    Cells::<D>::new().pairs(&places, &radii, gap, periodic, &mut near);
    let mut counts = vec![0; places.len()];
    for (a, b) in near {
        counts[a as usize] += 1;
        counts[b as usize] += 1;
    }
    let most = counts.into_iter().max().unwrap_or(0);
    match when {
        When::Start => most.max(1),
        When::Settled => most.max(TOUCHED[D::N - 2]),
    }
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
            // In coordinates over the roots of masses no mode of all bonds is faster than those of one grain's bonds added up. Limits
            // of contacts are for as many as touch.
            let count = neighbours(setup, bond.gap, bond.when);
            let more = (count as f64 / TOUCHED[D::N - 2] as f64).max(1.0);
            found.push(BondRates {
                materials: [a, b],
                frequency: (more * square + contact * contact).sqrt(),
                damping: count as f64 * 2.0 * bond.damping * square.sqrt(),
            });
        }
    }
    found
}
