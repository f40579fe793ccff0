//! Which grains a bond joins.

use crate::body::{Agglomerates, GrainId};
use crate::contact::LawTable;
use crate::contact::bond::{BondLaw, When};
use crate::geometry::{Dimension, Vector};
use crate::neighbor::{BroadPhase, Cells, PeriodicAxis, nearest};

/// Rounding of a distance that is the limit itself, over the radii.
const ROUNDING: f64 = 1e-9;

/// What a bond asks of a grain.
#[derive(Clone, Copy, Debug)]
pub struct Joinable<D: Dimension> {
    /// Its number.
    pub id: GrainId,
    /// Its material.
    pub material: u16,
    /// Its centre, m.
    pub position: D::Vector,
    /// Its radius, m.
    pub radius: f64,
}

/// The bonds that form on one occasion.
#[derive(Clone, Copy, Debug)]
pub struct Joining<'a> {
    /// Laws of all pairs of materials.
    pub laws: &'a LawTable,
    /// Grains of an agglomerate are bonded to others of the same one only, loose grains to loose ones.
    pub agglomerates: &'a Agglomerates,
    /// The occasion.
    pub when: When,
}

impl Joining<'_> {
    /// Whether any law asks for them.
    pub fn is_asked(&self) -> bool {
        let mut laws = self.laws.bonds.iter().flatten();
        laws.any(|law| law.when == self.when)
    }

    /// Returns the law that bonds two grains this far apart, m.
    pub fn joins<D: Dimension>(
        &self,
        a: &Joinable<D>,
        b: &Joinable<D>,
        distance: f64,
    ) -> Option<&BondLaw> {
        let law = self.laws.bond(a.material, b.material)?;
        let together = self.agglomerates.of(a.id) == self.agglomerates.of(b.id);
        let near = distance <= law.gap + (a.radius + b.radius) * (1.0 + ROUNDING);
        (law.when == self.when && together && near).then_some(law)
    }

    /// Returns the pairs of grains, by place in the list, that are bonded where the edges of a periodic box stand still.
    pub fn pairs<D: Dimension>(
        &self,
        grains: &[Joinable<D>],
        periodic: &[Option<PeriodicAxis>],
    ) -> Vec<[usize; 2]> {
        let laws = self.laws.bonds.iter().flatten();
        let laws = laws.filter(|law| law.when == self.when);
        let Some(gap) = laws.map(|law| law.gap).reduce(f64::max) else {
            return Vec::new();
        };
        let places: Vec<D::Vector> = grains.iter().map(|grain| grain.position).collect();
        let radii: Vec<f64> = grains.iter().map(|grain| grain.radius).collect();
        let reach = gap + 2.0 * ROUNDING * radii.iter().copied().fold(0.0, f64::max);
        let mut near = Vec::new();
        Cells::<D>::new().pairs(&places, &radii, reach, periodic, &mut near);
        let pairs = near.into_iter();
        let pairs = pairs.map(|pair| [pair.0, pair.1].map(|k| k as usize));
        pairs
            .filter(|[a, b]| {
                let d = grains[*b].position - grains[*a].position;
                let apart = nearest::<D>(periodic, d).norm();
                self.joins(&grains[*a], &grains[*b], apart).is_some()
            })
            .collect()
    }
}
