//! Loads of a rigid body, and what its bonds bear.

use serde::{Deserialize, Serialize};

use crate::contact::bond::{Beam, Load};
use crate::geometry::Dimension;

/// What acts on a body, in its frame; the inertia of its members balances it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct BodyLoad<D: Dimension> {
    /// Members on which something acts, ascending, with force, N, and moment about the centre of the member, N m.
    pub on: Vec<(u32, D::Vector, D::Spin)>,
    /// Spin, rad/s.
    pub spin: D::Spin,
}

/// Number of different products of the components of a spin, at most.
pub(super) const PRODUCTS: usize = 6;

/// Returns the products of the components of a spin, 1/s^2: in space the squares, then yz, zx, xy.
pub(super) fn products<D: Dimension>(spin: D::Spin) -> [f64; PRODUCTS] {
    let w = |k: usize| D::spin_component(spin, k);
    if D::N == 2 {
        return [w(0) * w(0), 0.0, 0.0, 0.0, 0.0, 0.0];
    }
    [
        w(0) * w(0),
        w(1) * w(1),
        w(2) * w(2),
        w(1) * w(2),
        w(2) * w(0),
        w(0) * w(1),
    ]
}

/// Force and moment that a bond exerts at its middle on its second end, in the frame of the bond: tension, N, shear forces along
/// both axes across, N, bending moments about both, N m, and the moment about its line, N m. In the plane the second axis across
/// is perpendicular to it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TieLoad(pub [f64; 6]);

impl TieLoad {
    /// Adds another load times a factor.
    pub fn add(&mut self, other: &TieLoad, factor: f64) {
        for (sum, value) in self.0.iter_mut().zip(other.0) {
            *sum += factor * value;
        }
    }

    /// Returns the bending moments about both axes across at both ends of a bond of a length, N m.
    fn bendings(&self, length: f64) -> [[f64; 2]; 2] {
        let [_, t, u, about_t, about_u, _] = self.0;
        [-0.5 * length, 0.5 * length].map(|arm| [about_t + arm * u, about_u - arm * t])
    }

    /// Returns the load of a bond of a length, m, as [`Beam`] has it.
    pub fn of_beam(&self, length: f64) -> Load {
        let [tension, t, u, .., twisting] = self.0;
        let size = |[a, b]: [f64; 2]| (a * a + b * b).sqrt();
        let [first, second] = self.bendings(length).map(size);
        Load {
            tension,
            shear: size([t, u]),
            bending: first.max(second),
            twisting: twisting.abs(),
        }
    }

    /// Returns the sizes of tension or compression, shear, bending and twisting of several loads that are multiplied by numbers
    /// whose squares add up to 1, at most.
    pub fn most_of(loads: &[TieLoad], length: f64) -> [f64; 4] {
        let mut squares = [0.0; 5];
        for load in loads {
            let [n, t, u, .., twist] = load.0;
            let [first, second] = load.bendings(length).map(|[a, b]| a * a + b * b);
            for (sum, square) in
                squares
                    .iter_mut()
                    .zip([n * n, t * t + u * u, first, second, twist * twist])
            {
                *sum += square;
            }
        }
        let [n, v, first, second, twist] = squares.map(f64::sqrt);
        [n, v, first.max(second), twist]
    }

    /// Returns the elastic energy of a bond under this load, J.
    pub fn energy(&self, beam: &Beam) -> f64 {
        let [n, t, u, about_t, about_u, twist] = self.0;
        let over = |square: f64, stiffness: f64| match stiffness > 0.0 {
            true => 0.5 * square / stiffness,
            false => 0.0,
        };
        over(n * n, beam.stretching)
            + over(t * t + u * u, beam.shear_stiffness())
            + over(
                about_t * about_t + about_u * about_u,
                beam.bending_stiffness(),
            )
            + over(twist * twist, beam.twisting)
    }
}

/// Returns the force of a bond on its second end, N, from its load and frame.
pub fn force_of<D: Dimension>(load: &TieLoad, frame: &[D::Vector; 3]) -> D::Vector {
    let [tension, t, u, ..] = load.0;
    let flat = frame[1] * t - frame[0] * tension;
    match D::N {
        2 => flat,
        _ => flat + frame[2] * u,
    }
}
