//! Bonds: elastic beams between the centres of two grains, which break.
//!
//! [`BondLaw`] gives the [`Beam`] of two grains that are bonded: its stiffnesses, dampers and strengths. [`Beam`] gives forces, moments
//! and energy from the places and orientations of both. Engines store one [`Bond`] for each.

mod beam;
mod keys;
mod law;

pub use beam::{Beam, Break, Ends, Load, Response};
pub use keys::{BeamKeys, BondKeys, BondStiffnessKeys, LoadKeys, ScatterKeys, StrengthKeys};
pub use law::{BondLaw, BondStiffness, Pair, Rigid, Scatter, Strength, When};

use serde::{Deserialize, Serialize};

use crate::geometry::{Dimension, Vector};

/// The directors of an end: unit vectors that turn with its grain, along the beam and across it; in the plane the third is zero.
pub type Directors<D> = [<D as Dimension>::Vector; 3];

/// A bond of two grains.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Bond<D: Dimension> {
    /// The grains, by slot.
    pub slots: [u32; 2],
    /// The directors of both ends in the frames of the grains.
    pub directors: [Directors<D>; 2],
    /// Its properties.
    pub beam: Beam,
    /// Its elastic moments on both at the last evaluation, N m.
    pub moments: [D::Spin; 2],
}

impl<D: Dimension> Bond<D> {
    /// A bond without stress between grains with these orientations whose centres are `apart` (from the first to the second, m).
    pub fn new(slots: [u32; 2], beam: Beam, rotations: [D::Rotation; 2], apart: D::Vector) -> Self {
        let axes = axes::<D>(apart * (1.0 / apart.norm()));
        Bond {
            slots,
            directors: rotations.map(|rotation| axes.map(|axis| D::unrotate(rotation, axis))),
            beam,
            moments: Default::default(),
        }
    }

    /// Returns the directors of both ends for these orientations of the grains.
    #[inline(always)]
    pub fn turned(&self, rotations: [D::Rotation; 2]) -> [Directors<D>; 2] {
        [0, 1].map(|end| self.directors[end].map(|axis| D::rotate(rotations[end], axis)))
    }
}

/// Returns a right-handed set of unit vectors that begins with `along`; in the plane the third is zero.
fn axes<D: Dimension>(along: D::Vector) -> Directors<D> {
    if D::N == 2 {
        let across = D::Vector::from_fn(|k| if k == 0 { -along[1] } else { along[0] });
        return [along, across, D::Vector::default()];
    }
    // Across the axis to which it is the most inclined.
    let least = (0..3).fold(0, |least, k| {
        if along[k].abs() < along[least].abs() {
            k
        } else {
            least
        }
    });
    let axis = D::Vector::from_fn(|k| if k == least { 1.0 } else { 0.0 });
    let across = axis - along * along.dot(&axis);
    let across = across * (1.0 / across.norm());
    let cross = |a: D::Vector, b: D::Vector| {
        D::Vector::from_fn(|k| {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            a[i] * b[j] - a[j] * b[i]
        })
    };
    [along, across, cross(along, across)]
}
