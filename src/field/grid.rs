//! Vectors on a regular grid, linear between its nodes along each axis.

use serde::{Deserialize, Serialize};

use crate::geometry::{Dimension, Vector};

/// What holds outside of a grid.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Outside {
    /// The value at the nearest place of the grid.
    #[default]
    Nearest,
    /// Nothing.
    Zero,
}

/// Vectors on a regular grid. An axis of one node is one along which nothing changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Grid<D: Dimension> {
    /// Node of the least coordinates, m.
    origin: D::Vector,
    /// Between neighbours along each axis, m.
    spacing: D::Vector,
    /// Nodes along each axis.
    count: [usize; 3],
    /// Values, the first axis fastest.
    values: Vec<D::Vector>,
    outside: Outside,
}

impl<D: Dimension> Grid<D> {
    /// A grid; none if `values` are not as many as nodes, or an axis has no node, or a spacing that is not
    /// over 0 between several.
    pub fn new(
        origin: D::Vector,
        spacing: D::Vector,
        count: &[usize],
        values: Vec<D::Vector>,
        outside: Outside,
    ) -> Option<Self> {
        let fits = count.len() == D::N
            && (0..D::N).all(|k| count[k] == 1 || (count[k] > 1 && spacing[k] > 0.0));
        let nodes = count.iter().try_fold(1usize, |n, &m| n.checked_mul(m))?;
        (fits && nodes == values.len()).then(|| Grid {
            origin,
            spacing,
            count: std::array::from_fn(|k| count.get(k).copied().unwrap_or(1)),
            values,
            outside,
        })
    }

    /// The value at a place.
    pub fn at(&self, x: D::Vector) -> D::Vector {
        // Of each axis the node before, how many values on to the one after, and the share of the latter.
        let (mut first, mut stride) = (0, 1);
        let mut on = [(0usize, 0.0f64); 3];
        for (k, on) in on.iter_mut().enumerate().take(D::N) {
            let last = self.count[k] - 1;
            if last > 0 {
                let place = (x[k] - self.origin[k]) / self.spacing[k];
                if self.outside == Outside::Zero && !(0.0..=last as f64).contains(&place) {
                    return D::Vector::default();
                }
                // What is no number is at the first node.
                let place = place.max(0.0).min(last as f64);
                let before = (place as usize).min(last - 1);
                first += before * stride;
                *on = (stride, place - before as f64);
            }
            stride *= self.count[k];
        }
        let mut sum = D::Vector::default();
        for corner in 0..1usize << D::N {
            let (mut index, mut weight) = (first, 1.0);
            for (k, &(stride, share)) in on.iter().enumerate().take(D::N) {
                if corner >> k & 1 == 1 {
                    index += stride;
                    weight *= share;
                } else {
                    weight *= 1.0 - share;
                }
            }
            if weight != 0.0 {
                sum += self.values[index] * weight;
            }
        }
        sum
    }

    /// The greatest size of a value: between nodes it is nowhere greater.
    pub fn greatest(&self) -> f64 {
        let sizes = self.values.iter().map(Vector::norm);
        sizes.fold(0.0, f64::max)
    }

    /// Whether values change along an axis.
    pub fn varies_along(&self, axis: usize) -> bool {
        self.count[axis] > 1
    }
}
