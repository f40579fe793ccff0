//! What all solvers do.

pub use super::half::Half;
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
    /// The iteration was given up from outside.
    #[error("the iteration was interrupted before it came to equilibrium")]
    Interrupted,
}

/// What a solve took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Iterations; 0 for a direct method.
    pub iterations: usize,
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
    /// method has no factor, or where a solve would fail. Halves of one state of the network and of
    /// one [`Solver::basis`] go together.
    fn halves(&mut self, _network: &Network<D>, _links: &[LinkKey]) -> Option<Vec<Vec<Half>>> {
        None
    }

    /// Another number when halves given before no longer go with those given now, though the network
    /// is the same: a factor made anew has another order of unknowns.
    fn basis(&self) -> u64 {
        0
    }
}
