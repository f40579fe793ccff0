//! The reference solver: a dense stiffness matrix, factored for each solve.

use nalgebra::{DMatrix, DVector};

use super::element::Element;
use super::network::{Change, Network};
use super::solver::{Effort, Solver, StressError};
use crate::geometry::Dimension;

/// Ratio of a pivot to its diagonal entry below which a row counts as not held. The reference is
/// its own entry, not the greatest: rotations of small grains have small stiffness, N m.
const SINGULAR: f64 = 1e-12;

/// Dense Cholesky. The cost is cubic in the number of nodes: for tests and very small networks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Dense;

impl Dense {
    /// The grounded stiffness matrix, N/m.
    pub fn stiffness<D: Dimension>(network: &Network<D>) -> DMatrix<f64> {
        let m = network.per_node();
        let mut k = DMatrix::zeros(network.len(), network.len());
        for link in network.links() {
            let element = Element::new(link, network.freedom());
            let ends = [
                (network.row(link.a), &element.a),
                (network.row(link.b), &element.b),
            ];
            for (row_i, left) in ends {
                for (row_j, right) in ends {
                    let (Some(i), Some(j)) = (row_i, row_j) else {
                        continue;
                    };
                    for bar in 0..element.bars {
                        for p in 0..m {
                            for q in 0..m {
                                k[(i * m + p, j * m + q)] +=
                                    element.stiffness[bar] * left[bar][p] * right[bar][q];
                            }
                        }
                    }
                }
            }
        }
        k
    }
}

impl<D: Dimension> Solver<D> for Dense {
    fn name(&self) -> &'static str {
        "dense"
    }

    fn changed(&mut self, _network: &Network<D>, _change: Change) {}

    fn solve(
        &mut self,
        network: &Network<D>,
        load: &[f64],
        displacement: &mut [f64],
    ) -> Result<Effort, StressError> {
        let nodes = network.ungrounded();
        if !nodes.is_empty() {
            return Err(StressError::Ungrounded { nodes });
        }
        let k = Self::stiffness(network);
        let diagonal = k.diagonal();
        let node_of = |row: usize| {
            let free = row / network.per_node();
            let found = (0..network.nodes().len()).find(|&n| network.row(n) == Some(free));
            found.unwrap_or(0)
        };
        let factor = k
            .cholesky()
            .ok_or(StressError::Mechanism { node: node_of(0) })?;
        let weakest = factor.l_dirty().diagonal();
        for (row, pivot) in weakest.iter().enumerate() {
            if pivot * pivot <= SINGULAR * diagonal[row] {
                return Err(StressError::Mechanism { node: node_of(row) });
            }
        }
        let x = factor.solve(&DVector::from_column_slice(load));
        if !x.iter().all(|v| v.is_finite()) {
            return Err(StressError::NotFinite);
        }
        displacement.copy_from_slice(x.as_slice());
        Ok(Effort::default())
    }
}
