//! Bonds of a setup: which will form, and the rates that they add to those of contacts, for the choice of the step.

use std::collections::BTreeSet;

use petgraph::unionfind::UnionFind;

use super::Setup;
use crate::body::Grain;
use crate::cluster::bonds::joining::{Joinable, Joining};
use crate::cluster::dimension::ClusterDimension;
use crate::contact::LawTable;
use crate::contact::bond::{Pair, Rigid, When};
use crate::geometry::Dimension;

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

/// Warning of a run in which the laws have bonds and no grains got any.
pub(super) const NONE: &str =
    "no grains are bonded: none of those whose law has `bond` were within its `gap` of each other";

/// Whether there are laws of bonds, and no bond formed.
pub(super) fn lack_all(laws: &LawTable, formed: u64) -> bool {
    laws.have_bonds() && formed == 0
}

/// Returns the bonds that form on an occasion.
pub(super) fn joining<D: Dimension>(setup: &Setup<D>, when: When) -> Joining<'_> {
    Joining {
        laws: &setup.matter.laws,
        agglomerates: &setup.matter.agglomerates,
        when,
    }
}

/// Returns the pairs of grains, by place in the setup, that the laws bond before the run begins.
fn pairs<D: Dimension>(setup: &Setup<D>) -> Vec<[usize; 2]> {
    let joinable = |grain: &Grain<D>| Joinable {
        id: grain.id,
        material: grain.material,
        position: grain.position,
        radius: grain.radius,
    };
    let grains: Vec<Joinable<D>> = setup.grains.iter().map(joinable).collect();
    let on = |when| joining(setup, when).pairs(&grains, &setup.space.periodic);
    [When::Start, When::Settled].map(on).concat()
}

/// Returns the greatest number of bonds of a grain before the run begins.
fn most_of_a_grain(pairs: &[[usize; 2]], grains: usize) -> usize {
    let mut counts = vec![0; grains];
    for grain in pairs.iter().flatten() {
        counts[*grain] += 1;
    }
    counts.into_iter().max().unwrap_or(0)
}

/// Returns the number of bonds by which the grains of the setup would be joined before they settle; none without laws of bonds.
pub fn bonds_at_start<D: Dimension>(setup: &Setup<D>) -> Option<usize> {
    let asked = setup.matter.laws.have_bonds();
    asked.then(|| pairs(setup).len())
}

/// Agglomerates that no chain of bonds holds together at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InPieces {
    /// Their number.
    pub agglomerates: usize,
    /// Number of all pieces of theirs but the largest of each.
    pub pieces: usize,
}

/// Returns the agglomerates that begin in pieces; none if all are whole.
pub fn in_pieces<D: Dimension>(setup: &Setup<D>) -> Option<InPieces> {
    let agglomerates = &setup.matter.agglomerates;
    if agglomerates.count() == 0 {
        return None;
    }
    let mut joined = UnionFind::<usize>::new(setup.grains.len());
    for [a, b] in pairs(setup) {
        joined.union(a, b);
    }
    let mut pieces = vec![BTreeSet::new(); agglomerates.count()];
    for (place, grain) in setup.grains.iter().enumerate() {
        if let Some(of) = agglomerates.of(grain.id) {
            pieces[of].insert(joined.find(place));
        }
    }
    let broken = pieces.iter().map(BTreeSet::len).filter(|&count| count > 1);
    let (count, sum) = broken.fold((0, 0), |(count, sum), more| (count + 1, sum + more - 1));
    (count > 0).then_some(InPieces {
        agglomerates: count,
        pieces: sum,
    })
}

/// Returns these rates for all pairs that have bonds, between their lightest grains: mass and radius by material.
pub(super) fn rates<D: ClusterDimension>(
    setup: &Setup<D>,
    lightest: &[Option<(f64, f64)>],
) -> Vec<BondRates> {
    let laws = &setup.matter.laws;
    let mut found = Vec::new();
    if !laws.have_bonds() {
        return found;
    }
    let most = most_of_a_grain(&pairs(setup), setup.grains.len());
    for a in 0..laws.materials {
        for b in a..laws.materials {
            let (Some(bond), Some(law)) =
                (laws.bond(a as u16, b as u16), laws.get(a as u16, b as u16))
            else {
                continue;
            };
            if bond.rigid == Rigid::Always {
                continue;
            }
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
            let count = match bond.when {
                When::Start => most.max(1),
                // At least as many as may touch it then.
                When::Settled => most.max(TOUCHED[D::N - 2]),
            };
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
