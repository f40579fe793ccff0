//! The iterative solver: preconditioned conjugate gradients from an initial guess.
//!
//! Thesis 5.7.7.2, eq. 5.25 as in the errata: p_i = z_(i-1) + beta p_(i-1), with a_i = r.z / p.Ap.
//! Norms of residuals are weighted by the inverse diagonal, so that forces and moments are
//! comparable: |r|^2 = sum r_i^2 / K_ii.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::conjugate::{Equations, Space, norm};
use super::grounding::Grounding;
use super::local::{Local, Pending};
use super::network::{Change, LinkState, Network};
use super::precondition::{Made, Preconditioner, cholesky, inverse_block};
use super::solver::{Effort, Solver, StressError};
use super::sparse::Stiffness;
use crate::geometry::Dimension;

/// Residual over load at which a probe for mechanisms stops, times the square root of the number of
/// unknowns: a random load has about that fraction in each free motion.
const PROBE: f64 = 1e-3;

/// A preconditioner is kept until more than one row in this many has changed since it was made.
const STALE: usize = 16;

/// Parameters of the iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Iteration {
    /// Norm of the residual over the norm of the load.
    pub tolerance: f64,
    /// Greatest number of iterations; if none, ten times the number of unknowns plus 1000.
    pub most: Option<usize>,
    /// Type of the preconditioner.
    pub preconditioner: Preconditioner,
    /// Whether to search for mechanisms that the load does not move: by a second, rough solve with
    /// a random load, each time that links have weakened since the last.
    pub probe: bool,
    /// Force that may stay unbalanced at a node after a local change, as a fraction of the mean
    /// load of a node; 0 solves for all nodes each time. The remainder is pending: the next solve
    /// includes it.
    pub pending: f64,
}

impl Default for Iteration {
    fn default() -> Self {
        Iteration {
            tolerance: 1e-10,
            most: None,
            preconditioner: Preconditioner::default(),
            probe: true,
            pending: 0.0,
        }
    }
}

/// Conjugate gradients on the sparse stiffness.
pub struct ConjugateGradient {
    iteration: Iteration,
    stiffness: Stiffness,
    grounding: Grounding,
    made: Option<Made>,
    /// Rows that changed since the last update of the preconditioner.
    changed: Vec<usize>,
    /// Number of row changes since the preconditioner was made.
    lag: usize,
    /// Inverse of the diagonal.
    weights: Vec<f64>,
    /// Number of rows known to be held by bars, and whether links weakened since.
    certain: usize,
    weakened: bool,
    space: Space,
    local: Local,
    /// Whether the last solve left a solution from which the next may start.
    warm: bool,
    /// Number of rows of the last solution.
    solved: usize,
}

impl ConjugateGradient {
    /// A solver for the current state of a network; it must be notified of all later changes.
    pub fn new<D: Dimension>(network: &Network<D>, iteration: Iteration) -> Self {
        let stiffness = Stiffness::new(network);
        ConjugateGradient {
            iteration,
            changed: (0..stiffness.rows()).collect(),
            stiffness,
            grounding: Grounding::new(network),
            made: None,
            lag: 0,
            weights: Vec::new(),
            certain: 0,
            weakened: true,
            space: Space::default(),
            local: Local::default(),
            warm: false,
            solved: 0,
        }
    }

    /// The matrix.
    pub fn stiffness(&self) -> &Stiffness {
        &self.stiffness
    }

    /// Imbalance that the last solve left.
    pub fn pending(&self) -> Pending {
        self.local.pending
    }

    /// Norm of a vector of loads or residuals.
    pub fn norm(&self, r: &[f64]) -> f64 {
        norm(r, &self.weights)
    }

    /// Updates weights and preconditioner for the rows that changed.
    fn renew(&mut self) -> Result<(), StressError> {
        let matrix = &self.stiffness;
        let (rows, m) = (matrix.rows(), matrix.per_node());
        self.changed.sort_unstable();
        self.changed.dedup();
        self.weights.resize(rows * m, 0.0);
        let mechanism = |row: usize| StressError::Mechanism {
            node: matrix.node_of(row),
        };
        for &row in &self.changed {
            let block = matrix.diagonal(row);
            if !block.iter().all(|v| v.is_finite()) {
                return Err(StressError::NotFinite);
            }
            let mut factor = [0.0; 36];
            factor[..m * m].copy_from_slice(block);
            // A node that its own links do not hold can move even when all others are fixed.
            cholesky(&mut factor, m).map_err(|_| mechanism(row))?;
            for p in 0..m {
                self.weights[row * m + p] = 1.0 / block[p * m + p];
            }
        }
        self.lag += self.changed.len();
        let mut kept = false;
        if self.lag * STALE <= rows
            && let Some(made) = &mut self.made
        {
            kept = made.renew(matrix, &self.changed).map_err(mechanism)?;
        }
        if !kept {
            let made = Made::new(self.iteration.preconditioner, matrix);
            self.made = Some(made.map_err(mechanism)?);
            self.lag = 0;
        }
        self.changed.clear();
        Ok(())
    }

    /// Whether no mechanism can have formed: no link weakened, and each new node is held by links
    /// to nodes that were held before it.
    fn still_certain<D: Dimension>(&mut self, network: &Network<D>) -> bool {
        let m = self.stiffness.per_node();
        while !self.weakened && self.certain < self.stiffness.rows() {
            let node = self.stiffness.node_of(self.certain);
            let mut block = [0.0; 36];
            for &key in network.links_of(node) {
                let link = &network.links()[key];
                let other = if link.a == node { link.b } else { link.a };
                if network.row(other).is_none_or(|row| row < self.certain) {
                    let element = super::Element::new(link, network.freedom());
                    let side = if link.a == node { element.a } else { element.b };
                    for bar in 0..element.bars {
                        for p in 0..m {
                            for q in 0..m {
                                block[p * m + q] +=
                                    element.stiffness[bar] * side[bar][p] * side[bar][q];
                            }
                        }
                    }
                }
            }
            if cholesky(&mut block, m).is_err() {
                return false;
            }
            self.certain += 1;
        }
        !self.weakened
    }

    /// Initial guess for new nodes without a displacement: in balance with the present displacements of their
    /// neighbours. At zero they would strain their links by the full settlement of the neighbours.
    fn place(&self, load: &[f64], x: &mut [f64]) -> Result<(), StressError> {
        let m = self.stiffness.per_node();
        if self.solved == 0 {
            return Ok(());
        }
        for row in self.solved..self.stiffness.rows() {
            let at = row * m..row * m + m;
            if x[at.clone()].iter().any(|&v| v != 0.0) {
                continue;
            }
            let mut force = [0.0; 6];
            self.stiffness.multiply_row(row, x, &mut force[..m]);
            let inverse = inverse_block(&self.stiffness, row).map_err(|row| {
                let node = self.stiffness.node_of(row);
                StressError::Mechanism { node }
            })?;
            for p in 0..m {
                let line = inverse[p * m..p * m + m].iter().enumerate();
                x[row * m + p] = line.map(|(q, v)| v * (load[row * m + q] - force[q])).sum();
            }
        }
        Ok(())
    }

    /// Searches for motions without strain by a random load.
    fn probe(&mut self) -> Result<(), StressError> {
        let n = self.weights.len();
        let mut random = ChaCha8Rng::seed_from_u64(n as u64);
        // In the weighted norm each unknown has the same magnitude.
        let load: Vec<f64> = (0..n)
            .map(|i| (random.random::<f64>() - 0.5) / self.weights[i].sqrt())
            .collect();
        let tolerance = PROBE / (n as f64).sqrt();
        let mut x = vec![0.0; n];
        self.iterate(&load, &mut x, tolerance)?;
        self.certain = self.stiffness.rows();
        self.weakened = false;
        Ok(())
    }

    fn iterate(
        &mut self,
        load: &[f64],
        x: &mut [f64],
        tolerance: f64,
    ) -> Result<usize, StressError> {
        let Some(made) = &self.made else {
            return Err(StressError::NotFinite);
        };
        let equations = Equations {
            matrix: &self.stiffness,
            made,
            weights: &self.weights,
        };
        let unit = norm(load, &self.weights);
        let most = self.iteration.most;
        equations.solve(load, x, [tolerance, unit], most, &mut self.space)
    }
}

impl<D: Dimension> Solver<D> for ConjugateGradient {
    fn name(&self) -> &'static str {
        "cg"
    }

    fn changed(&mut self, network: &Network<D>, change: Change) {
        self.grounding.changed(network, change);
        self.stiffness.changed(network, change);
        match change {
            Change::Node(node) => self.changed.extend(network.row(node)),
            Change::Link { link, from } => {
                let link = &network.links()[link];
                let rows = [network.row(link.a), network.row(link.b)];
                self.changed.extend(rows.iter().flatten());
                self.weakened |= match link.state {
                    LinkState::Grip => false,
                    LinkState::Slide => from == LinkState::Grip,
                    LinkState::Off => true,
                };
            }
        }
    }

    fn solve(
        &mut self,
        network: &Network<D>,
        load: &[f64],
        displacement: &mut [f64],
    ) -> Result<Effort, StressError> {
        if !load.iter().all(|v| v.is_finite()) {
            return Err(StressError::NotFinite);
        }
        self.grounding.check(network)?;
        if load.is_empty() {
            return Ok(Effort::default());
        }
        self.renew()?;
        if self.iteration.probe && !self.still_certain(network) {
            self.probe()?;
        }
        if !displacement.iter().all(|v| v.is_finite()) {
            displacement.fill(0.0);
        }
        self.place(load, displacement)?;
        let tolerance = self.iteration.tolerance;
        if self.warm && self.iteration.pending > 0.0 {
            self.warm = false;
            let share = [tolerance, self.iteration.pending];
            let (matrix, weights) = (&self.stiffness, &self.weights[..]);
            let preconditioner = self.iteration.preconditioner;
            let done =
                self.local
                    .solve(matrix, weights, preconditioner, load, displacement, share)?;
            if let Some(iterations) = done {
                self.warm = true;
                self.solved = self.stiffness.rows();
                return Ok(Effort { iterations });
            }
        }
        self.local.pending = Pending::default();
        self.warm = false;
        let iterations = self.iterate(load, displacement, tolerance)?;
        self.warm = true;
        self.solved = self.stiffness.rows();
        Ok(Effort { iterations })
    }
}
