//! RIMA: the inverse stiffness matrix, updated as the network changes (thesis 4.2-4.5, 5.7.7.1).
//!
//! The inverse is never recomputed. A new node is added by bordering (cases 0 and 1): as many
//! independent bars as it has degrees of freedom carry it, with fictitious springs to the ground if
//! its bars are not sufficient. All other bars are rank-1 updates (cases 2 and 3). A link is
//! removed by adding an imaginary one of negative stiffness.
//!
//! A bar whose removal would leave a free motion stays in the inverse and is listed as unwanted; so
//! do fictitious springs. The list is tried again after each change. While one of them cannot be
//! removed the network has no solution; when the part is attached again the bar is removed, and
//! nothing is lost. A bar whose removal leaves something nearly free is listed too: the effect of
//! its removal is stored separately from the matrix, whose precision it would spoil.
//!
//! Changes are applied when a result is requested: changes that cancel in between cost nothing.

mod change;
mod merge;
mod vectors;

use nalgebra::DMatrix;

use super::distributed_matrix::{DistributedMatrix, Fetch};
use super::element::Element;
use super::inverse::{Inverse, add_scaled};
use super::network::{Change, LinkKey, LinkState, Network, NodeKey};
use super::packed::{Packed, entry, entry_mut};
use super::solver::{Effort, Solver, StressError};
use super::storage::Storage;
use crate::geometry::Dimension;
use crate::ranks::{RankError, Ranks};
use vectors::unit;

/// Residual over load below which a solution is accepted without refinement.
const ENOUGH: f64 = 1e-12;
/// Residual over the greatest force of a bar before cancellation that corresponds to the rounding
/// of the displacements themselves: refinement does not improve it.
const ROUNDING: f64 = 16.0 * f64::EPSILON;
/// Residual over load above which a solution is rejected if refinement does not help any more.
const BEYOND: f64 = 1e-9;
/// Greatest number of refinement steps in one solve.
const STEPS: usize = 8;
/// Error of columns above which [`Solver::response`] refines them.
const DRIFTED: f64 = 1e-10;

/// Position of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Fixed,
    /// Not in the inverse yet.
    Waiting,
    /// First of its rows in the inverse.
    At(usize),
}

/// A link as stored in the inverse; bit k of a mask stands for bar k.
#[derive(Clone, Copy, Debug)]
struct Held {
    ends: [NodeKey; 2],
    element: Element,
    present: u8,
    wanted: u8,
    /// Present in the matrix but removed by separate softening.
    soft: u8,
    finite: bool,
}

/// An element that is in the inverse but not in the network.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Unwanted {
    Bar {
        link: LinkKey,
        bar: usize,
    },
    /// A spring to the ground, along one degree of freedom.
    Spring {
        node: NodeKey,
        axis: usize,
        stiffness: f64,
    },
}

/// The recursive inverse matrix algorithm of the thesis, with a local matrix or one distributed over ranks ([`Rima::over`]).
#[derive(Clone, Debug)]
pub struct Rima<S = Packed> {
    inverse: Inverse<S>,
    /// Degrees of freedom of a node, and how many of them are displacements.
    width: usize,
    space: usize,
    places: Vec<Place>,
    /// Nodes in the order of their rows.
    order: Vec<NodeKey>,
    held: Vec<Held>,
    dirty: Vec<LinkKey>,
    unwanted: Vec<Unwanted>,
    /// Number of unwanted elements, the first ones, that are removed by separate softening.
    soft: usize,
    /// Greatest stiffness, N/m.
    stiffest: f64,
    /// Greatest lever arm, m, which makes moments comparable with forces.
    lever: f64,
    /// Whether unwanted elements have to be checked again.
    retry: bool,
    /// Whether all nodes were held at the last check.
    sound: bool,
    /// Initial residual over load of the last solve.
    error: f64,
    refinements: u64,
}

impl Default for Rima {
    fn default() -> Self {
        Self::with(Packed::default())
    }
}

impl Rima {
    /// An empty inverse.
    pub fn new() -> Self {
        Self::default()
    }

    /// The inverse for the present state of a network.
    pub fn of<D: Dimension>(network: &Network<D>) -> Self {
        Self::default().grown(network)
    }
}

impl<'r> Rima<DistributedMatrix<'r>> {
    /// An empty inverse whose rows are distributed over ranks (thesis 4.8). Each rank stores the whole network, and
    /// makes the same calls in the same order; each gets the same bits as [`Rima::new`] gives on one rank.
    pub fn over(ranks: &'r (dyn Ranks + Sync), fetch: Fetch) -> Self {
        Self::with(DistributedMatrix::new(ranks, fetch))
    }

    /// The reason why communication failed, if it did: then nothing can be solved any more.
    pub fn failure(&self) -> Option<RankError> {
        self.inverse.matrix().failure()
    }
}

impl<S: Storage> Rima<S> {
    /// Extends an empty inverse to that of the present state of a network.
    #[must_use]
    pub fn grown<D: Dimension>(mut self, network: &Network<D>) -> Self {
        for node in 0..network.nodes().len() {
            self.changed(network, Change::Node(node));
        }
        for (link, of) in network.links().iter().enumerate() {
            if of.state != LinkState::Off {
                let from = LinkState::Off;
                self.changed(network, Change::Link { link, from });
            }
        }
        self
    }

    fn with(matrix: S) -> Self {
        Rima {
            inverse: Inverse::new(matrix),
            width: 0,
            space: 0,
            places: Vec::new(),
            order: Vec::new(),
            held: Vec::new(),
            dirty: Vec::new(),
            unwanted: Vec::new(),
            soft: 0,
            stiffest: 0.0,
            lever: 0.0,
            retry: false,
            sound: false,
            error: 0.0,
            refinements: 0,
        }
    }

    /// Total number of refinement steps of all solves.
    pub fn refinements(&self) -> u64 {
        self.refinements
    }

    /// Residual over load before refinement in the last solve.
    pub fn last_error(&self) -> f64 {
        self.error
    }

    /// Memory of the local part of the inverse, bytes.
    pub fn memory(&self) -> usize {
        self.inverse.held() * size_of::<f64>()
    }

    /// Applies all changes, including pending updates of the matrix itself.
    pub fn sweep<D: Dimension>(&mut self, network: &Network<D>) {
        self.settle(network);
        self.inverse.sweep();
    }

    /// The inverse by rows of the network, m/N; none while a node is not held. For checks and small
    /// networks.
    pub fn inverse<D: Dimension>(&mut self, network: &Network<D>) -> Option<DMatrix<f64>> {
        self.settle(network);
        let n = network.len();
        if self.unwanted.len() > self.soft || self.inverse.len() < n {
            return None;
        }
        let mut full = DMatrix::zeros(n, n);
        let mut column = self.inverse.zeros();
        let mut out = vec![0.0; n];
        for (position, row) in self.rows(network) {
            self.inverse.column(&unit(position), &mut column);
            self.put(network, &column, &mut out);
            full.column_mut(row).copy_from_slice(&out);
        }
        Some(full)
    }

    /// Greatest entry of K Z - I over some evenly spaced columns: the rounding drift of the inverse
    /// (moments are scaled by the greatest lever arm).
    pub fn drift<D: Dimension>(&mut self, network: &Network<D>, columns: usize) -> f64 {
        self.settle(network);
        let n = self.inverse.len();
        let mut column = self.inverse.zeros();
        let mut greatest: f64 = 0.0;
        for k in 0..columns.min(n) {
            let position = k * n / columns.min(n);
            let one = unit(position);
            self.inverse.column(&one, &mut column);
            let mut residual = self.stiffness_times(&column).0;
            *entry_mut(&mut residual, position) -= 1.0;
            let own = if self.turns(position) {
                self.lever
            } else {
                1.0
            };
            for i in 0..n {
                let scale = if self.turns(i) { self.lever } else { 1.0 };
                greatest = greatest.max((entry(&residual, i) * own / scale).abs());
            }
        }
        greatest
    }

    /// Returns an error unless links hold every free node.
    fn check<D: Dimension>(&mut self, network: &Network<D>) -> Result<(), StressError> {
        if self.sound {
            return Ok(());
        }
        let resists = |key: LinkKey| network.links()[key].state != LinkState::Off;
        if (0..self.held.len()).any(|key| !self.held[key].finite && resists(key)) {
            return Err(StressError::NotFinite);
        }
        let nodes = network.ungrounded();
        if !nodes.is_empty() {
            return Err(StressError::Ungrounded { nodes });
        }
        if let Some(node) = self.places.iter().position(|&p| p == Place::Waiting) {
            return Err(StressError::Mechanism { node });
        }
        if let Some(&one) = self.unwanted.get(self.soft) {
            return Err(StressError::Mechanism {
                node: self.mover(one),
            });
        }
        self.sound = true;
        Ok(())
    }

    /// The node that moves most under the force of a bar that alone prevents a mechanism.
    fn mover(&mut self, one: Unwanted) -> NodeKey {
        let (pair, _) = self.bar(one);
        let mut column = self.inverse.zeros();
        self.inverse.column(&pair, &mut column);
        self.order[self.most(&column).0 / self.width]
    }
}

impl<D: Dimension, S: Storage> Solver<D> for Rima<S> {
    fn name(&self) -> &'static str {
        "rima"
    }

    fn changed(&mut self, _network: &Network<D>, change: Change) {
        match change {
            Change::Node(_) => self.sound = false,
            // New links are found by their number.
            Change::Link { link, .. } if link < self.held.len() => self.dirty.push(link),
            Change::Link { .. } => {}
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
        self.settle(network);
        self.check(network)?;
        let mut force = self.inverse.zeros();
        for (position, row) in self.rows(network) {
            *entry_mut(&mut force, position) = load[row];
        }
        let greatest = self.greatest(&force);
        let mut q = self.inverse.zeros();
        let mut residual = force.clone();
        let mut step = self.inverse.zeros();
        let mut before = f64::INFINITY;
        for round in 0..=STEPS {
            self.inverse.multiply(&residual, &mut step);
            add_scaled(&mut q, 1.0, &step);
            let (balance, rounding) = self.stiffness_times(&q);
            residual.clone_from(&force);
            add_scaled(&mut residual, -1.0, &balance);
            let left = self.greatest(&residual);
            if round == 0 {
                self.error = if greatest > 0.0 { left / greatest } else { 0.0 };
            }
            if left <= ENOUGH * greatest || left <= ROUNDING * rounding {
                break;
            }
            // The residual is not halved: only rounding is left, or refinement does not work.
            if left.partial_cmp(&(0.5 * before)) != Some(std::cmp::Ordering::Less) || round == STEPS
            {
                if left <= BEYOND * greatest {
                    break;
                }
                if self.soft > 0 {
                    // So nearly free that double precision cannot resolve it: the softest comes last.
                    let node = self.mover(self.unwanted[self.soft - 1]);
                    return Err(StressError::Mechanism { node });
                }
                if !left.is_finite() {
                    return Err(StressError::NotFinite);
                }
                return Err(StressError::NotConverged {
                    iterations: round,
                    residual: left / greatest,
                    tolerance: BEYOND,
                });
            }
            before = left;
            self.refinements += 1;
        }
        self.put(network, &q, displacement);
        Ok(Effort::default())
    }

    fn response(
        &mut self,
        network: &Network<D>,
        link: LinkKey,
        bar: usize,
        displacement: &mut [f64],
    ) -> bool {
        self.settle(network);
        if self.check(network).is_err() || bar >= self.held[link].element.bars {
            return false;
        }
        let pair = self.pair(link, bar);
        let mut column = self.inverse.zeros();
        self.inverse.column(&pair, &mut column);
        if self.error > DRIFTED {
            self.refine(&pair, &mut column);
        }
        self.put(network, &column, displacement);
        true
    }
}
