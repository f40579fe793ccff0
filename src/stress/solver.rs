//! The common interface of all solvers.

pub use super::half::Half;
use super::network::{Change, LinkKey, Network, NodeKey};
use crate::geometry::Dimension;

/// Reason why there is no solution.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StressError {
    /// No chain of links connects these nodes to a fixed node.
    #[error("{} free node(s) hang on nothing that is fixed, the first is node {}", .nodes.len(), .nodes.first().copied().unwrap_or(0))]
    Ungrounded {
        /// The nodes, by key.
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
        /// Number of iterations.
        iterations: usize,
        /// Norm of the residual over the norm of the load.
        residual: f64,
        /// Requested tolerance.
        tolerance: f64,
    },
    /// A number that is not finite.
    #[error("a load, a stiffness or a displacement is not a finite number")]
    NotFinite,
    /// The iteration was interrupted from outside.
    #[error("the iteration was interrupted before it came to equilibrium")]
    Interrupted,
}

/// Effort of a solve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Number of iterations; 0 for a direct method.
    pub iterations: usize,
}

/// Finds displacements that balance loads, on a network that changes.
pub trait Solver<D: Dimension> {
    /// Name in scenarios and summaries.
    fn name(&self) -> &'static str;

    /// Notifies the solver that the network has just changed. Changes come one at a time, in order.
    /// No change is rejected here: the next solve reports if the network is ungrounded.
    fn changed(&mut self, network: &Network<D>, change: Change);

    /// Computes displacements under a load, both by rows of the network (N, N m; m, rad). The
    /// content of `displacement` serves as the initial guess of iterative methods.
    ///
    /// # Errors
    /// If the links do not hold every free node.
    fn solve(
        &mut self,
        network: &Network<D>,
        load: &[f64],
        displacement: &mut [f64],
    ) -> Result<Effort, StressError>;

    /// Computes displacements due to a unit pair of forces along one bar of a link: +1 N times the
    /// bar's compatibility row at each of its nodes. Returns false, with `displacement` unchanged,
    /// if the method has no faster way than a solve.
    fn response(
        &mut self,
        _network: &Network<D>,
        _link: LinkKey,
        _bar: usize,
        _displacement: &mut [f64],
    ) -> bool {
        false
    }

    /// The half solutions for unit pairs of forces along each bar of some links; none if the method
    /// has no factor, or if a solve would fail. Only halves for the same state of the network and
    /// the same [`Solver::basis`] can be combined.
    fn halves(&mut self, _network: &Network<D>, _links: &[LinkKey]) -> Option<Vec<Vec<Half>>> {
        None
    }

    /// A number that changes when earlier halves cannot be combined with new ones any more, even
    /// for the same network: a new factor has another order of unknowns.
    fn basis(&self) -> u64 {
        0
    }
}
