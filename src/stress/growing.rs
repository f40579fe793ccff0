//! The direct solver for a network that grows grain by grain.

use super::bordered::{Bars, Bordered};
use super::element::Element;
use super::grounding::Grounding;
use super::network::{Change, Link, LinkKey, LinkState, Network};
use super::solver::{Effort, Half, Solver, StressError};
use super::sparse::Stiffness;
use crate::geometry::Dimension;

/// Number of added nodes after which ordering and pattern are recomputed, since the border is dense.
pub(super) const ROOM: usize = 48;

/// Greatest residual over the load, unless it is only rounding: far below the required 1e-9 of a
/// grain's weight, with 10,000 grains.
const RESIDUAL: f64 = 1e-12;
/// Residual over the load above which the factor is recomputed.
const BEYOND: f64 = 1e-11;
/// Greatest number of corrections in one solve, each for the residual of the last.
const STEPS: usize = 3;

/// A sparse factor that follows each change by rank-1 updates, stores new nodes as a border, and is
/// recomputed only rarely. A solution starts from the last one: the solver solves for the
/// imbalance, so that rounding does not accumulate.
pub struct Growing {
    stiffness: Stiffness,
    grounding: Grounding,
    factor: Option<Bordered>,
    /// Number of bars of each link that the factor contains.
    present: Vec<u8>,
    changed: Vec<LinkKey>,
    /// Number of factorizations.
    made: u64,
    residual: Vec<f64>,
}

impl Growing {
    /// A solver for the current state of a network; it must be notified of all later changes.
    pub fn new<D: Dimension>(network: &Network<D>) -> Self {
        Growing {
            stiffness: Stiffness::new(network),
            grounding: Grounding::new(network),
            factor: None,
            present: Vec::new(),
            changed: Vec::new(),
            made: 0,
            residual: Vec::new(),
        }
    }

    /// Number of factorizations so far.
    pub fn factorizations(&self) -> u64 {
        self.made
    }

    fn prepare<D: Dimension>(&mut self, network: &Network<D>) -> Result<(), StressError> {
        self.grounding.check(network)?;
        if self.stiffness.rows() == 0 || (self.changed.is_empty() && self.fits()) {
            return Ok(());
        }
        if !self.follow(network) {
            self.renew(network)?;
        }
        self.changed.clear();
        Ok(())
    }

    fn fits(&self) -> bool {
        let rows = self.stiffness.rows();
        self.factor
            .as_ref()
            .is_some_and(|factor| factor.nodes() == rows)
    }

    fn renew<D: Dimension>(&mut self, network: &Network<D>) -> Result<(), StressError> {
        self.factor = None;
        self.made += 1;
        // A small network is soon factored again: a border larger than its size is waste.
        let room = ROOM.min(8 + self.stiffness.rows() / 2);
        let made = Bordered::new(network, &self.stiffness, room);
        let factor = made.map_err(|row| match row {
            Some(row) => StressError::Mechanism {
                node: self.stiffness.node_of(row),
            },
            None => StressError::NotFinite,
        })?;
        self.factor = Some(factor);
        let bars = |link| Element::new(link, network.freedom()).bars as u8;
        self.present = network.links().iter().map(bars).collect();
        Ok(())
    }

    /// Updates the factor; returns false if it has to be recomputed.
    fn follow<D: Dimension>(&mut self, network: &Network<D>) -> bool {
        let Some(factor) = &mut self.factor else {
            return false;
        };
        let (old, base) = (factor.nodes(), factor.base_nodes());
        let known = self.present.len();
        self.present.resize(network.links().len(), 0);
        self.changed.sort_unstable();
        self.changed.dedup();
        let rows = |key: LinkKey| {
            let link = &network.links()[key];
            [network.row(link.a), network.row(link.b)]
        };
        let inside = |key: &LinkKey| match rows(*key) {
            [Some(a), Some(b)] => *key >= known && a < base && b < base,
            _ => false,
        };
        if self.changed.iter().any(inside) {
            return false;
        }
        let m = network.per_node();
        let mut springs = Vec::new();
        for row in old..self.stiffness.rows() {
            // As stiff as the bars that will hold the node: removing it again loses no precision.
            let block = self.stiffness.diagonal(row);
            let own: Vec<f64> = (0..m).map(|k| block[k * m + k]).collect();
            if !own.iter().all(|&k| k > 0.0) || !factor.append(&own) {
                return false;
            }
            springs.push((row, own));
        }
        for add in [true, false] {
            for &key in &self.changed {
                let link = &network.links()[key];
                let present = usize::from(self.present[key]);
                let wanted = Element::new(link, network.freedom()).bars;
                if wanted == present || (wanted > present) != add {
                    continue;
                }
                let element = Element::in_state(link, LinkState::Grip, network.freedom());
                for bar in present.min(wanted)..present.max(wanted) {
                    let root = element.stiffness[bar].sqrt();
                    let parts = [&element.a[bar], &element.b[bar]].map(|p| p.map(|v| v * root));
                    let rows = rows(key);
                    let ends: Vec<(usize, &[f64])> = rows
                        .iter()
                        .zip(&parts)
                        .filter_map(|(row, part)| row.map(|row| (row, &part[..m])))
                        .collect();
                    if !ends.is_empty() && !factor.update(&ends, add) {
                        return false;
                    }
                }
                self.present[key] = wanted as u8;
            }
            if add {
                for (row, own) in &springs {
                    for k in 0..m {
                        let mut part = [0.0; 6];
                        part[k] = own[k].sqrt();
                        if !factor.update(&[(*row, &part[..m])], false) {
                            return false;
                        }
                    }
                }
            }
        }
        true
    }

    /// Computes the imbalance, and returns its norm.
    fn residual(&mut self, load: &[f64], displacement: &[f64]) -> f64 {
        self.residual.resize(load.len(), 0.0);
        self.stiffness.multiply(displacement, &mut self.residual);
        let mut left = 0.0;
        for (r, f) in self.residual.iter_mut().zip(load) {
            *r = f - *r;
            left += *r * *r;
        }
        left.sqrt()
    }
}

impl<D: Dimension> Solver<D> for Growing {
    fn name(&self) -> &'static str {
        "growing-factor"
    }

    fn changed(&mut self, network: &Network<D>, change: Change) {
        self.grounding.changed(network, change);
        self.stiffness.changed(network, change);
        if let Change::Link { link, .. } = change {
            self.changed.push(link);
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
        if load.is_empty() {
            return Ok(Effort::default());
        }
        let norm = load.iter().map(|f| f * f).sum::<f64>().sqrt();
        let mut steps: usize = 0;
        let mut left = self.residual(load, displacement);
        loop {
            let before = left;
            let mut step = std::mem::take(&mut self.residual);
            if let Some(factor) = &mut self.factor {
                factor.solve(&mut step);
            }
            for (x, s) in displacement.iter_mut().zip(&step) {
                *x += s;
            }
            self.residual = step;
            left = self.residual(load, displacement);
            steps += 1;
            if !left.is_finite() {
                return Err(StressError::NotFinite);
            }
            if left <= RESIDUAL * norm || (left > 0.5 * before && left <= BEYOND * norm) {
                break;
            }
            if steps.is_multiple_of(STEPS) {
                if left <= BEYOND * norm {
                    break;
                }
                if steps >= 2 * STEPS {
                    return Err(StressError::NotConverged {
                        iterations: steps,
                        residual: left / norm,
                        tolerance: BEYOND,
                    });
                }
                self.renew(network)?;
            }
        }
        Ok(Effort::default())
    }

    fn halves(&mut self, network: &Network<D>, links: &[LinkKey]) -> Option<Vec<Vec<Half>>> {
        self.prepare(network).ok()?;
        let factor = self.factor.as_mut()?;
        let bars = |&key: &LinkKey| -> Bars {
            let of = &network.links()[key];
            let whole = Link { kt: 1.0, ..*of };
            let element = Element::in_state(&whole, LinkState::Grip, network.freedom());
            let at = |node, part| network.row(node).map(|row| (row, part));
            [at(of.a, element.a), at(of.b, element.b)]
        };
        let links: Vec<Bars> = links.iter().map(bars).collect();
        Some(factor.halves(&links, D::N))
    }

    fn basis(&self) -> u64 {
        self.made
    }
}
