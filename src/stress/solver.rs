//! What all solvers do.

use super::network::{Change, LinkKey, Network, NodeKey};
use crate::geometry::Dimension;

/// Why there is no solution.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StressError {
    /// Nodes that no chain of links joins to a fixed node.
    #[error("{} free node(s) hang on nothing that is fixed, the first is node {}", .nodes.len(), .nodes.first().copied().unwrap_or(0))]
    Ungrounded {
        /// Which, by key.
        nodes: Vec<NodeKey>,
    },
    /// Links hold the nodes together, but some can move without any strain.
    #[error("node {node} and others can move without straining a link: the network is a mechanism")]
    Mechanism {
        /// A node that moves.
        node: NodeKey,
    },
    /// An iteration did not reach its tolerance.
    #[error(
        "{iterations} iterations brought the residual only to {residual:e} of the load (allowed: {tolerance:e})"
    )]
    NotConverged {
        /// How many were made.
        iterations: usize,
        /// Norm of the residual over the norm of the load.
        residual: f64,
        /// What was asked for.
        tolerance: f64,
    },
    /// A number that is not finite.
    #[error("a load, a stiffness or a displacement is not a finite number")]
    NotFinite,
}

/// What a solve took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Iterations; 0 for a direct method.
    pub iterations: usize,
}

/// Half of a solution for a force along one bar: L^-1 b with L the factor of the stiffness. The
/// scalar product of two is the strain of the one bar under a unit force along the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Half {
    /// Unknowns that are not zero, from the root of the elimination tree down.
    pub(super) places: Vec<u32>,
    pub(super) values: Vec<f64>,
    /// Unknowns that came since the factor was made.
    pub(super) tail: Vec<f64>,
}

impl Half {
    /// Scalar product: m/N.
    pub fn dot(&self, other: &Half) -> f64 {
        // Two paths to a root of a tree are alike above the place where they meet.
        let (mut alike, mut end) = (0, self.places.len().min(other.places.len()));
        while alike < end {
            let middle = alike + (end - alike) / 2;
            if self.places[middle] == other.places[middle] {
                alike = middle + 1;
            } else {
                end = middle;
            }
        }
        product(&self.values[..alike], &other.values[..alike]) + product(&self.tail, &other.tail)
    }
}

/// Eight sums, so that the processor adds them side by side; a fixed order.
fn product(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let (a, b) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest = a.remainder().iter().zip(b.remainder());
    let rest: f64 = rest.map(|(a, b)| a * b).sum();
    for (a, b) in a.zip(b) {
        for k in 0..8 {
            sums[k] += a[k] * b[k];
        }
    }
    sums.iter().sum::<f64>() + rest
}

/// Finds displacements that balance loads, on a network that changes.
pub trait Solver<D: Dimension> {
    /// Its name in scenarios and summaries.
    fn name(&self) -> &'static str;

    /// The network has just changed. Changes come one at a time, in order. Nothing is refused
    /// here: what leaves the network ungrounded is told by the next solve.
    fn changed(&mut self, network: &Network<D>, change: Change);

    /// Displacements under a load, both by rows of the network (N, N m; m, rad). What is in
    /// `displacement` before serves as a first guess to those who want one.
    ///
    /// # Errors
    /// When the links do not hold every free node.
    fn solve(
        &mut self,
        network: &Network<D>,
        load: &[f64],
        displacement: &mut [f64],
    ) -> Result<Effort, StressError>;

    /// Displacements due to a unit pair of forces along one bar of a link: +1 N times the bar's row
    /// of compatibility at each of its nodes. False, with `displacement` left alone, when the method
    /// has nothing better for it than a solve.
    fn response(
        &mut self,
        _network: &Network<D>,
        _link: LinkKey,
        _bar: usize,
        _displacement: &mut [f64],
    ) -> bool {
        false
    }

    /// The halves of solutions for unit pairs of forces along each bar of some links; none when the
    /// method has no factor, or where a solve would fail. Halves of one state of the network go
    /// together.
    fn halves(&mut self, _network: &Network<D>, _links: &[LinkKey]) -> Option<Vec<Vec<Half>>> {
        None
    }
}
