//! A link in the form of bars, each a row of the compatibility matrix.
//!
//! The relative displacement of the two surfaces at the contact is w = (u_a + q_a x arm_a) - (u_b +
//! q_b x arm_b), with displacements u and rotations q. Its component along the normal n is the
//! compression, the rest is the shear: stress = kn (n.w) n + kt (w - (n.w) n). In an orthonormal
//! frame (n, t, ...) this gives one bar for each direction e, with strain e.w and stiffness kn or
//! kt; in the plane t is n rotated to the left by a quarter turn (thesis eq. 4.18 as in the errata:
//! T = [[c, s], [-s, c]]).

use super::network::{Freedom, Link, LinkState};
use crate::geometry::{Dimension, Vector};

/// Greatest number of bars of a link, and of degrees of freedom of a node.
const BARS: usize = 3;
const MOST: usize = 6;

/// A link as bars: bar k has stiffness `stiffness[k]` and strain
/// `sum_i a[k][i] q_a[i] + b[k][i] q_b[i]`, with q the degrees of freedom of the two nodes.
#[derive(Clone, Copy, Debug)]
pub struct Element {
    /// Number of bars: 1 for a sliding link, otherwise the dimension; 0 for a link that is off.
    pub bars: usize,
    /// Stiffness of each bar, N/m.
    pub stiffness: [f64; BARS],
    /// Rows of compatibility at the left node: one for each bar.
    pub a: [[f64; MOST]; BARS],
    /// Rows of compatibility at the right node.
    pub b: [[f64; MOST]; BARS],
}

impl Element {
    /// The bars of a link in its present state.
    pub fn new<D: Dimension>(link: &Link<D>, freedom: Freedom) -> Self {
        Self::in_state(link, link.state, freedom)
    }

    /// The bars of a link in a given state.
    pub fn in_state<D: Dimension>(link: &Link<D>, state: LinkState, freedom: Freedom) -> Self {
        let bars = match state {
            LinkState::Off => 0,
            LinkState::Slide => 1,
            LinkState::Grip if link.kt > 0.0 => D::N,
            LinkState::Grip => 1,
        };
        let mut element = Element {
            bars,
            stiffness: [link.kn, link.kt, link.kt],
            a: [[0.0; MOST]; BARS],
            b: [[0.0; MOST]; BARS],
        };
        let frame = frame::<D>(link.normal);
        for k in 0..bars {
            let direction = frame[k];
            for i in 0..D::N {
                element.a[k][i] = direction[i];
                element.b[k][i] = -direction[i];
            }
            if freedom == Freedom::Full {
                // e . (q x arm) = q . (arm x e)
                let turn_a = D::moment(link.arms[0], direction);
                let turn_b = D::moment(link.arms[1], direction);
                for i in 0..D::SPINS {
                    element.a[k][D::N + i] = D::spin_component(turn_a, i);
                    element.b[k][D::N + i] = -D::spin_component(turn_b, i);
                }
            }
        }
        element
    }

    /// Strain of each bar, m, from the degrees of freedom of the nodes; none for a fixed node.
    pub fn strain(&self, qa: Option<&[f64]>, qb: Option<&[f64]>) -> [f64; BARS] {
        let mut strain = [0.0; BARS];
        for k in 0..self.bars {
            for (row, q) in [(&self.a[k], qa), (&self.b[k], qb)] {
                if let Some(q) = q {
                    strain[k] += row.iter().zip(q).map(|(r, q)| r * q).sum::<f64>();
                }
            }
        }
        strain
    }
}

/// An orthonormal frame whose first vector is the normal. In the plane the second is the first
/// rotated to the left by a quarter turn; in space the second is the component across the normal of
/// the coordinate axis most nearly perpendicular to it.
pub fn frame<D: Dimension>(normal: D::Vector) -> [D::Vector; BARS] {
    let mut frame = [D::Vector::default(); BARS];
    frame[0] = normal;
    if D::N == 2 {
        frame[1] = D::Vector::from_fn(|k| if k == 0 { -normal[1] } else { normal[0] });
        return frame;
    }
    let mut axis = 0;
    for k in 1..D::N {
        if normal[k].abs() < normal[axis].abs() {
            axis = k;
        }
    }
    let mut across =
        D::Vector::from_fn(|k| f64::from(u8::from(k == axis)) - normal[axis] * normal[k]);
    across = across * (1.0 / across.norm());
    frame[1] = across;
    frame[2] = D::Vector::from_fn(|k| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        normal[i] * across[j] - normal[j] * across[i]
    });
    frame
}
