//! What all solvers do.

use super::network::{Change, LinkKey, Network, NodeKey};
use crate::geometry::Dimension;
use crate::vector::{Kernel, LANES, Lanes, Level, Row, run};

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
#[derive(Clone, Debug, Default)]
pub struct Half {
    /// Unknowns that are not zero, from the root of the elimination tree down.
    pub(super) places: Vec<u32>,
    pub(super) values: Vec<Row>,
    /// Unknowns that came since the factor was made; as many in all halves.
    pub(super) tail: Vec<Row>,
}

impl Half {
    /// Scalar product: m/N.
    pub fn dot(&self, other: &Half) -> f64 {
        let mut one = Vec::with_capacity(1);
        self.dots(std::slice::from_ref(other), &mut one);
        one[0]
    }

    /// Scalar products with the halves of one link, appended to a list: m/N.
    pub fn dots(&self, others: &[Half], out: &mut Vec<f64>) {
        run(
            Level::best(),
            Dots {
                own: self,
                others,
                out,
            },
        );
    }

    /// How many unknowns two halves have in common: two paths to a root of a tree are alike above
    /// the place where they meet.
    #[inline]
    fn alike(&self, other: &Half) -> usize {
        let (mut alike, mut end) = (0, self.places.len().min(other.places.len()));
        while alike < end {
            let middle = alike + (end - alike) / 2;
            if self.places[middle] == other.places[middle] {
                alike = middle + 1;
            } else {
                end = middle;
            }
        }
        alike
    }
}

struct Dots<'a> {
    own: &'a Half,
    others: &'a [Half],
    out: &'a mut Vec<f64>,
}

impl Kernel for Dots<'_> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes>(self) {
        // All bars of a link have the same path.
        let alike = self.others.first().map_or(0, |other| self.own.alike(other));
        let whole = alike / LANES;
        for other in self.others {
            let mut sums = [L::splat(0.0); 4];
            let parts = [
                (&self.own.values[..whole], &other.values[..whole]),
                (&self.own.tail[..], &other.tail[..]),
            ];
            for (a, b) in parts {
                let (a, b) = (a.chunks(4), b.chunks(4));
                for (a, b) in a.zip(b) {
                    for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
                        *sum = sum.add(L::load(a).mul(L::load(b)));
                    }
                }
            }
            let mut sum = sums[0].add(sums[1]).add(sums[2].add(sums[3])).total();
            if let (Some(a), Some(b)) = (self.own.values.get(whole), other.values.get(whole)) {
                for k in 0..alike % LANES {
                    sum += a.0[k] * b.0[k];
                }
            }
            self.out.push(sum);
        }
    }
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
