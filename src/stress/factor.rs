//! The direct solver: a stored sparse Cholesky factor.

use super::cholesky::{Cholesky, Failed};
use super::element::Element;
use super::grounding::Grounding;
use super::network::{Change, Freedom, Link, LinkKey, LinkState, Network};
use super::solver::{Effort, Solver, StressError};
use super::sparse::Stiffness;
use crate::geometry::Dimension;

/// Cost of a multiplication in an update relative to one in a factorization, which works on dense
/// blocks: 2 with 500 disks, 3 with 5,000, 5 to 10 with 50,000 (bench `stress`).
const UPDATE_COST: f64 = 5.0;

/// Residual over the load of a solution above which the factor is recomputed.
const RESIDUAL: f64 = 1e-11;

/// Sparse Cholesky with a fill-reducing order. While links only change their state, or form and
/// break between nodes that were linked before, ordering and pattern stay; a few such changes
/// update the factor by rank-1 updates, many cause a new factorization.
pub struct Factor {
    stiffness: Stiffness,
    grounding: Grounding,
    cholesky: Option<Cholesky>,
    /// Whether the values of the factor are those of the matrix except for `pending`.
    valid: bool,
    /// Number of updates since the values were computed from the matrix.
    steps: usize,
    /// Links that changed since the factor was last valid, and their state then.
    pending: Vec<(LinkKey, LinkState)>,
    residual: Vec<f64>,
    product: Vec<f64>,
    counts: FactorCounts,
}

/// Number of times that the parts of a direct solve were performed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FactorCounts {
    /// Orderings and symbolic analyses.
    pub analyses: usize,
    /// Numeric factorizations.
    pub factorizations: usize,
    /// Rank-1 updates.
    pub updates: usize,
}

impl Factor {
    /// A solver for the current state of a network; it must be notified of all later changes.
    pub fn new<D: Dimension>(network: &Network<D>) -> Self {
        Factor {
            stiffness: Stiffness::new(network),
            grounding: Grounding::new(network),
            cholesky: None,
            valid: false,
            steps: 0,
            pending: Vec::new(),
            residual: Vec::new(),
            product: Vec::new(),
            counts: FactorCounts::default(),
        }
    }

    /// Number of times that the parts were performed.
    pub fn counts(&self) -> FactorCounts {
        self.counts
    }

    /// The factored matrix.
    pub fn stiffness(&self) -> &Stiffness {
        &self.stiffness
    }

    /// Updates the factor.
    ///
    /// # Errors
    /// If the links do not hold every free node.
    pub fn prepare<D: Dimension>(&mut self, network: &Network<D>) -> Result<(), StressError> {
        self.grounding.check(network)?;
        if self.stiffness.rows() == 0 {
            return Ok(());
        }
        let fits = self
            .cholesky
            .as_ref()
            .is_some_and(|cholesky| cholesky.fits(&self.stiffness));
        if !fits {
            let analysed = Cholesky::analyse(&self.stiffness);
            self.cholesky = Some(analysed.map_err(|failed| self.tell(failed))?);
            self.counts.analyses += 1;
            self.valid = false;
        }
        if self.valid && !self.pending.is_empty() {
            self.valid = self.update(network);
        }
        self.pending.clear();
        if !self.valid {
            self.renew()?;
        }
        Ok(())
    }

    fn renew(&mut self) -> Result<(), StressError> {
        let Some(cholesky) = &mut self.cholesky else {
            return Err(StressError::NotFinite);
        };
        self.counts.factorizations += 1;
        self.steps = 0;
        let made = cholesky.factor(&self.stiffness);
        self.valid = made.is_ok();
        made.map_err(|failed| self.tell(failed))
    }

    /// Applies pending changes by rank-1 updates; returns false if that would cost more than a new
    /// factorization or an update fails.
    fn update<D: Dimension>(&mut self, network: &Network<D>) -> bool {
        let Some(cholesky) = &mut self.cholesky else {
            return false;
        };
        // The first recorded state counts: a link may have changed more than once.
        self.pending.sort_by_key(|&(key, _)| key);
        self.pending.dedup_by_key(|&mut (key, _)| key);
        let freedom = network.freedom();
        let mut cost = 0.0;
        for &(key, from) in &self.pending {
            let link = &network.links()[key];
            let bars = bars(link, from, freedom).abs_diff(bars(link, link.state, freedom));
            let rows = [network.row(link.a), network.row(link.b)];
            cost += bars as f64 * cholesky.update_work(rows);
        }
        if cost * UPDATE_COST > cholesky.work() {
            return false;
        }
        // Stiffening changes are applied first, so that no intermediate state is weaker than necessary.
        for add in [true, false] {
            for &(key, from) in &self.pending {
                let link = &network.links()[key];
                let (old, new) = (bars(link, from, freedom), bars(link, link.state, freedom));
                if (new > old) != add {
                    continue;
                }
                let element = Element::in_state(link, LinkState::Grip, freedom);
                for bar in old.min(new)..old.max(new) {
                    let root = element.stiffness[bar].sqrt();
                    let scaled = |part: &[f64; 6]| part.map(|v| v * root);
                    let parts = [scaled(&element.a[bar]), scaled(&element.b[bar])];
                    let m = network.per_node();
                    let rows = [network.row(link.a), network.row(link.b)];
                    let ends: Vec<(usize, &[f64])> = rows
                        .iter()
                        .zip(&parts)
                        .filter_map(|(row, part)| row.map(|row| (row, &part[..m])))
                        .collect();
                    self.counts.updates += 1;
                    self.steps += 1;
                    if cholesky.update(&ends, add).is_err() {
                        return false;
                    }
                }
            }
        }
        true
    }

    fn tell(&self, failed: Failed) -> StressError {
        match failed {
            Failed::Pivot(row) => StressError::Mechanism {
                node: self.stiffness.node_of(row),
            },
            Failed::Library => StressError::NotFinite,
        }
    }

    /// Computes the residual of a solution, and returns its norm over that of the load.
    fn residual(&mut self, load: &[f64], displacement: &[f64]) -> f64 {
        self.product.resize(load.len(), 0.0);
        self.residual.resize(load.len(), 0.0);
        self.stiffness.multiply(displacement, &mut self.product);
        let (mut left, mut all) = (0.0, 0.0);
        for i in 0..load.len() {
            self.residual[i] = load[i] - self.product[i];
            left += self.residual[i] * self.residual[i];
            all += load[i] * load[i];
        }
        if left == 0.0 {
            0.0
        } else {
            (left / all).sqrt()
        }
    }
}

/// Number of bars of a link in a given state.
fn bars<D: Dimension>(link: &Link<D>, state: LinkState, freedom: Freedom) -> usize {
    Element::in_state(link, state, freedom).bars
}

impl<D: Dimension> Solver<D> for Factor {
    fn name(&self) -> &'static str {
        "factor"
    }

    fn changed(&mut self, network: &Network<D>, change: Change) {
        self.grounding.changed(network, change);
        self.stiffness.changed(network, change);
        if let Change::Link { link, from } = change {
            self.pending.push((link, from));
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
        self.prepare(network)?;
        loop {
            let Some(cholesky) = &mut self.cholesky else {
                return Ok(Effort::default());
            };
            displacement.copy_from_slice(load);
            cholesky.solve(displacement);
            if self.steps > 0 {
                // Updates accumulate rounding errors: a correction by the exact matrix removes them.
                self.residual(load, displacement);
                let mut correction = std::mem::take(&mut self.residual);
                if let Some(cholesky) = &mut self.cholesky {
                    cholesky.solve(&mut correction);
                }
                for (x, c) in displacement.iter_mut().zip(&correction) {
                    *x += c;
                }
                self.residual = correction;
                if self.residual(load, displacement) > RESIDUAL {
                    self.renew()?;
                    continue;
                }
            }
            break;
        }
        if displacement.iter().all(|v| v.is_finite()) {
            Ok(Effort::default())
        } else {
            Err(StressError::NotFinite)
        }
    }
}
