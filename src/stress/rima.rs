//! RIMA: the inverse stiffness matrix, kept as the network changes (thesis 4.2-4.5, 5.7.7.1).
//!
//! The inverse is never built anew. A new node comes in by bordering (cases 0 and 1): as many
//! independent bars as it has degrees of freedom carry it, and fictional springs to the ground
//! where its bars do not suffice. All other bars are updates of rank one (cases 2 and 3). A link
//! is removed by an imaginary one of negative stiffness.
//!
//! A bar that cannot be taken away, since something would move freely without it, stays in the
//! inverse and is listed as unwanted; so do fictional springs. The list is tried again after each
//! change. While one cannot be removed the network has no solution; when the part is attached
//! again it comes off, and nothing was lost. A bar whose removal leaves something nearly free is
//! listed too: what its absence changes is kept beside the matrix, whose digits it would spoil.
//!
//! Changes are taken in when a result is asked for: what comes and goes between costs nothing.

mod change;
mod merge;
mod vectors;

use nalgebra::DMatrix;

use super::element::Element;
use super::inverse::{Inverse, add_scaled};
use super::network::{Change, LinkKey, LinkState, Network, NodeKey};
use super::packed::{Packed, entry, entry_mut};
use super::solver::{Effort, Solver, StressError};
use super::spread::{Fetch, Spread};
use super::storage::Storage;
use crate::geometry::Dimension;
use crate::ranks::{RankError, Ranks};
use vectors::unit;

/// Residual over load at which a solution is taken as it is, without refinement.
const ENOUGH: f64 = 1e-12;
/// Residual over the greatest force of a bar before cancellation that is the rounding of the
/// displacements themselves: no refinement betters it.
const ROUNDING: f64 = 16.0 * f64::EPSILON;
/// Residual over load beyond which a solution is refused when refinement does not help any more.
const BEYOND: f64 = 1e-9;
/// Most steps of refinement in one solve.
const STEPS: usize = 8;
/// Error of columns from which [`Solver::response`] refines them.
const DRIFTED: f64 = 1e-10;

/// Where a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Fixed,
    /// Not in the inverse yet.
    Waiting,
    /// First of its rows in the inverse.
    At(usize),
}

/// A link as the inverse knows it; bit k of a mask stands for bar k.
#[derive(Clone, Copy, Debug)]
struct Held {
    ends: [NodeKey; 2],
    element: Element,
    present: u8,
    wanted: u8,
    /// Present in the matrix but taken away beside it.
    soft: u8,
    finite: bool,
}

/// What is in the inverse but not in the network.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Unwanted {
    Bar {
        link: LinkKey,
        bar: usize,
    },
    /// To the ground, along one degree of freedom.
    Spring {
        node: NodeKey,
        axis: usize,
        stiffness: f64,
    },
}

/// The recursive inverse matrix algorithm of the thesis: its matrix here, or dealt out to ranks ([`Rima::over`]).
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
    /// How many of them, the first ones, are taken away beside the matrix.
    soft: usize,
    /// Greatest stiffness, N/m.
    stiffest: f64,
    /// Greatest lever arm, m: what makes moments comparable with forces.
    lever: f64,
    /// Whether what is unwanted is to be looked at again.
    retry: bool,
    /// Whether all was held when last looked at.
    sound: bool,
    /// First residual over load of the last solve.
    error: f64,
    refinements: u64,
}

impl Default for Rima {
    fn default() -> Self {
        Self::with(Packed::default())
    }
}

impl Rima {
    /// An inverse of nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// The inverse of a network as it is.
    pub fn of<D: Dimension>(network: &Network<D>) -> Self {
        Self::default().grown(network)
    }
}

impl<'r> Rima<Spread<'r>> {
    /// An inverse of nothing whose rows will be dealt out to ranks (thesis 4.8). Each rank keeps the whole network, and makes the same
    /// calls in the same order; each gets the same bits as [`Rima::new`] gives on one rank.
    pub fn over(ranks: &'r (dyn Ranks + Sync), fetch: Fetch) -> Self {
        Self::with(Spread::new(ranks, fetch))
    }

    /// Why messages failed, if they did: then nothing can be solved any more.
    pub fn failure(&self) -> Option<RankError> {
        self.inverse.matrix().failure()
    }
}

impl<S: Storage> Rima<S> {
    /// An inverse of nothing becomes that of a network as it is.
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

    /// Steps of refinement made so far, all solves together.
    pub fn refinements(&self) -> u64 {
        self.refinements
    }

    /// Residual over load before refinement in the last solve.
    pub fn last_error(&self) -> f64 {
        self.error
    }

    /// Memory of the part of the inverse that lies here, bytes.
    pub fn memory(&self) -> usize {
        self.inverse.held() * size_of::<f64>()
    }

    /// Takes in all changes that were told, and brings them into the matrix itself.
    pub fn sweep<D: Dimension>(&mut self, network: &Network<D>) {
        self.settle(network);
        self.inverse.sweep();
    }

    /// The inverse by rows of the network, m/N; none while a node is not held. For checks and
    /// small networks.
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

    /// Greatest entry of K Z - I over some columns, evenly spread: how far the inverse has
    /// drifted by rounding (moments count by the greatest lever arm).
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

    /// An error unless links hold every free node.
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

    /// The node that moves most when a bar is pulled that alone holds a mechanism.
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
            // Links never seen are found by their number.
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
            // No nearer than half: rounding is all that is left, or refinement does not work.
            if left.partial_cmp(&(0.5 * before)) != Some(std::cmp::Ordering::Less) || round == STEPS
            {
                if left <= BEYOND * greatest {
                    break;
                }
                if self.soft > 0 {
                    // So nearly free that double precision cannot tell: the softest comes last.
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
