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

use std::collections::BTreeSet;

use nalgebra::DMatrix;

use super::carriers::choose;
use super::element::Element;
use super::inverse::{Inverse, MOST, Pair, add_scaled};
use super::network::{Change, Link, LinkKey, LinkState, Network, NodeKey};
use super::packed::{Blocks, entry, entry_mut};
use super::solver::{Effort, Solver, StressError};
use crate::geometry::{Dimension, Vector};
use crate::vector::Row;

/// Share of a bar's flexibility that all else must leave over for it to be removable: rounding
/// alone leaves about 1e-14.
const ESSENTIAL: f64 = 1e-10;
/// Flexibility over that of the stiffest bar beyond which what a removal brings is kept apart from
/// the matrix: it bounds the drift to rounding times this.
const SOFT: f64 = 1e5;
/// Most removals kept apart; more go into the matrix, and refinement makes up for it.
const APART: usize = 256;
/// As long as their share is above this.
const CROWDED: f64 = 1e-6;
/// Residual over load at which a solution is taken as it is, without refinement.
const ENOUGH: f64 = 1e-13;
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

/// The recursive inverse matrix algorithm of the thesis.
#[derive(Clone, Debug, Default)]
pub struct Rima {
    inverse: Inverse,
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

impl Rima {
    /// An inverse of nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// The inverse of a network as it is.
    pub fn of<D: Dimension>(network: &Network<D>) -> Self {
        let mut rima = Self::default();
        for node in 0..network.nodes().len() {
            rima.changed(network, Change::Node(node));
        }
        for (link, of) in network.links().iter().enumerate() {
            if of.state != LinkState::Off {
                let from = LinkState::Off;
                rima.changed(network, Change::Link { link, from });
            }
        }
        rima
    }

    /// Steps of refinement made so far, all solves together.
    pub fn refinements(&self) -> u64 {
        self.refinements
    }

    /// Residual over load before refinement in the last solve.
    pub fn last_error(&self) -> f64 {
        self.error
    }

    /// Memory of the inverse, bytes.
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

    /// Puts another inverse beside this one as a block of its own, without computing anything
    /// (thesis 5.7.7.1, Fig. 5.32). `network` is the joined one, `nodes` and `links` the number
    /// of nodes and links that came from the left one: see [`Network::append`]. Links between
    /// the two parts are added afterwards like any other.
    pub fn merge<D: Dimension>(
        &mut self,
        other: Rima,
        network: &Network<D>,
        nodes: NodeKey,
        links: LinkKey,
    ) {
        self.notice(network, nodes, links);
        self.stiffen();
        let mut other = other;
        other.stiffen();
        let start = self.inverse.len();
        self.inverse.append(other.inverse);
        self.places
            .extend(other.places.into_iter().map(|place| match place {
                Place::At(at) => Place::At(start + at),
                same => same,
            }));
        self.order.extend(other.order.iter().map(|n| n + nodes));
        self.held
            .extend(other.held.into_iter().map(|mut held: Held| {
                held.ends = held.ends.map(|n| n + nodes);
                held
            }));
        self.dirty.extend(other.dirty.iter().map(|l| l + links));
        self.unwanted
            .extend(other.unwanted.into_iter().map(|one| match one {
                Unwanted::Bar { link, bar } => Unwanted::Bar {
                    link: link + links,
                    bar,
                },
                Unwanted::Spring {
                    node,
                    axis,
                    stiffness,
                } => Unwanted::Spring {
                    node: node + nodes,
                    axis,
                    stiffness,
                },
            }));
        self.lever = self.lever.max(other.lever);
        self.stiffest = self.stiffest.max(other.stiffest);
        self.sound = false;
        self.retry = true;
    }

    /// Takes back all that is kept apart.
    fn stiffen(&mut self) {
        self.inverse.stiffen();
        for one in &self.unwanted[..self.soft] {
            if let Unwanted::Bar { link, .. } = *one {
                self.held[link].soft = 0;
            }
        }
        self.soft = 0;
    }

    /// Makes room for nodes and links that came since, up to some number of each.
    fn notice<D: Dimension>(&mut self, network: &Network<D>, nodes: usize, links: usize) {
        self.width = network.per_node();
        self.space = D::N;
        for node in self.places.len()..nodes {
            let fixed = network.nodes()[node].fixed;
            self.places
                .push(if fixed { Place::Fixed } else { Place::Waiting });
            self.sound = false;
        }
        for key in self.held.len()..links {
            let link = &network.links()[key];
            let element = Element::in_state(link, LinkState::Grip, network.freedom());
            for arm in link.arms {
                self.lever = self.lever.max(arm.norm());
            }
            if link.kn.is_finite() {
                self.stiffest = self.stiffest.max(link.kn);
            }
            self.held.push(Held {
                ends: [link.a, link.b],
                element,
                present: 0,
                wanted: 0,
                soft: 0,
                finite: finite(link),
            });
            self.dirty.push(key);
        }
    }

    /// Takes in all changes.
    fn settle<D: Dimension>(&mut self, network: &Network<D>) {
        self.notice(network, network.nodes().len(), network.links().len());
        if self.dirty.is_empty() && !self.retry {
            return;
        }
        self.retry = false;
        self.sound = false;
        self.stiffen();
        let mut dirty = std::mem::take(&mut self.dirty);
        dirty.sort_unstable();
        dirty.dedup();
        let mut queue = BTreeSet::new();
        for &key in &dirty {
            let held = &mut self.held[key];
            held.wanted = wanted(held, network.links()[key].state);
            let [a, b] = held.ends.map(|n| self.places[n]);
            match (a, b) {
                (Place::Waiting, Place::Waiting) => {}
                (Place::Waiting, _) => _ = queue.insert(held.ends[0]),
                (_, Place::Waiting) => _ = queue.insert(held.ends[1]),
                _ => self.add_bars(key),
            }
            let held = &self.held[key];
            for bar in bits(held.present & !held.wanted) {
                let one = Unwanted::Bar { link: key, bar };
                if !self.unwanted.contains(&one) {
                    self.unwanted.push(one);
                }
            }
        }
        let held = &self.held;
        self.unwanted.retain(|one| match *one {
            Unwanted::Bar { link, bar } => held[link].wanted >> bar & 1 == 0,
            Unwanted::Spring { .. } => true,
        });
        self.attach_all(network, queue);
        let mut index = 0;
        while index < self.unwanted.len() {
            if self.remove(self.unwanted[index]) {
                self.unwanted.remove(index);
            } else {
                index += 1;
            }
        }
        self.soften();
    }

    /// Attaches nodes for as long as a waiting one touches what is in the inverse.
    fn attach_all<D: Dimension>(&mut self, network: &Network<D>, mut queue: BTreeSet<NodeKey>) {
        let mut short = BTreeSet::new();
        loop {
            // Those that their own bars hold come first: each may help its neighbours.
            let (node, anyhow) = match (queue.pop_first(), short.first()) {
                (Some(node), _) => (node, false),
                (None, Some(&node)) => (node, true),
                (None, None) => return,
            };
            if self.places[node] != Place::Waiting {
                continue;
            }
            if !self.attach(network, node, anyhow) {
                short.insert(node);
                continue;
            }
            short.remove(&node);
            for &key in network.links_of(node) {
                let ends = self.held[key].ends;
                let other = if ends[0] == node { ends[1] } else { ends[0] };
                if self.held[key].wanted != 0 && self.places[other] == Place::Waiting {
                    queue.insert(other);
                }
            }
        }
    }

    /// Brings a node into the inverse (cases 0 and 1), then the bars that did not carry it. False
    /// when its bars do not hold it, unless it is to come in `anyhow`, on fictional springs.
    fn attach<D: Dimension>(&mut self, network: &Network<D>, node: NodeKey, anyhow: bool) -> bool {
        let m = self.width;
        let mut bars = Vec::new();
        let mut rows = Vec::new();
        for &key in network.links_of(node) {
            let held = &self.held[key];
            let own = usize::from(held.ends[1] == node);
            if self.places[held.ends[1 - own]] == Place::Waiting {
                continue;
            }
            for bar in bits(held.wanted) {
                bars.push((key, bar));
                rows.push([held.element.a[bar], held.element.b[bar]][own]);
            }
        }
        if rows.is_empty() {
            return false;
        }
        let mut scales = [1.0; MOST];
        if self.lever > 0.0 {
            scales[D::N..].fill(self.lever);
        }
        let stiffness = bars
            .iter()
            .map(|&(key, bar)| self.held[key].element.stiffness[bar]);
        let strongest = stiffness.clone().fold(0.0, f64::max);
        let weights: Vec<f64> = stiffness.map(|k| (k / strongest).sqrt()).collect();
        let (chosen, axes) = choose(&rows, &weights, &scales, m);
        if !axes.is_empty() && !anyhow {
            return false;
        }

        // The carriers are statically determinate: loads elsewhere leave them without strain.
        let mut shape = DMatrix::zeros(m, m);
        let mut columns = Vec::with_capacity(m);
        let mut flexible = DMatrix::zeros(m, m);
        let mut pairs = Vec::with_capacity(m);
        for (c, &index) in chosen.iter().enumerate() {
            let (key, bar) = bars[index];
            let pair = self.pair(key, bar);
            let mut column = self.inverse.zeros();
            self.inverse.column(&pair, &mut column);
            for k in 0..m {
                shape[(c, k)] = rows[index][k];
            }
            flexible[(c, c)] = 1.0 / self.held[key].element.stiffness[bar];
            columns.push(column);
            pairs.push(pair);
        }
        for (c, &axis) in (chosen.len()..).zip(&axes) {
            let stiffness = strongest * scales[axis] * scales[axis];
            shape[(c, axis)] = 1.0;
            flexible[(c, c)] = 1.0 / stiffness;
            columns.push(self.inverse.zeros());
            pairs.push(Pair::default());
            self.unwanted.push(Unwanted::Spring {
                node,
                axis,
                stiffness,
            });
        }
        for c in 0..m {
            for d in 0..m {
                flexible[(c, d)] += pairs[c].dot(&columns[d]);
            }
        }
        // The rows chosen are independent, so there is an inverse.
        let Some(carry) = shape.try_inverse() else {
            return false;
        };
        let corner = &carry * flexible * carry.transpose();
        let left: Vec<Blocks> = (0..m)
            .map(|a| {
                let mut row = self.inverse.zeros();
                for (c, column) in columns.iter().enumerate() {
                    add_scaled(&mut row, -carry[(a, c)], column);
                }
                row
            })
            .collect();
        let at = self.inverse.len();
        self.inverse.border(&left, |a, b| corner[(a, b)]);
        self.places[node] = Place::At(at);
        self.order.push(node);
        for index in chosen {
            let (key, bar) = bars[index];
            self.held[key].present |= 1 << bar;
        }
        for (key, _) in bars {
            self.add_bars(key);
        }
        true
    }

    /// Adds the bars of a link that are wanted and missing (cases 2 and 3).
    fn add_bars(&mut self, key: LinkKey) {
        for bar in bits(self.held[key].wanted & !self.held[key].present) {
            self.held[key].present |= 1 << bar;
            let pair = self.pair(key, bar);
            if pair.at == [None, None] {
                continue;
            }
            let mut column = self.inverse.zeros();
            self.inverse.column(&pair, &mut column);
            let flexibility = 1.0 / self.held[key].element.stiffness[bar] + pair.dot(&column);
            self.inverse.update(column, 1.0 / flexibility);
        }
    }

    /// Takes a bar out of the matrix; false when that would leave something free, or nearly so.
    fn remove(&mut self, one: Unwanted) -> bool {
        let (pair, stiffness) = self.bar(one);
        if pair.at != [None, None] {
            let mut column = self.inverse.zeros();
            self.inverse.column(&pair, &mut column);
            let share = 1.0 - stiffness * pair.dot(&column);
            let most = self.most(&column).1;
            let brought = self.stiffest * most * most * (stiffness / share);
            let crowded = self.unwanted.len() > APART && share > CROWDED;
            // Not a number counts as soft.
            if !(share > 0.0 && brought < SOFT || crowded) {
                return false;
            }
            self.inverse.update(column, -stiffness / share);
        }
        if let Unwanted::Bar { link, bar } = one {
            self.held[link].present &= !(1 << bar);
        }
        true
    }

    /// Takes bars away beside the matrix, those first that leave most over; what is left at the
    /// end holds something that would move freely without it.
    fn soften(&mut self) {
        let mut left: Vec<(Unwanted, Blocks)> = Vec::with_capacity(self.unwanted.len());
        for index in 0..self.unwanted.len() {
            let one = self.unwanted[index];
            let pair = self.bar(one).0;
            let mut column = self.inverse.zeros();
            self.inverse.column(&pair, &mut column);
            self.refine(&pair, &mut column);
            left.push((one, column));
        }
        self.unwanted.clear();
        loop {
            let mut best: Option<(usize, f64)> = None;
            for (index, (one, column)) in left.iter().enumerate() {
                let (pair, stiffness) = self.bar(*one);
                let share = 1.0 - stiffness * pair.dot(column);
                if share > ESSENTIAL && best.is_none_or(|(_, most)| share > most) {
                    best = Some((index, share));
                }
            }
            let Some((index, share)) = best else { break };
            let (one, column) = left.remove(index);
            let factor = self.bar(one).1 / share;
            for (other, theirs) in &mut left {
                let along = self.bar(*other).0.dot(&column);
                add_scaled(theirs, factor * along, &column);
            }
            self.inverse.soften(column, factor);
            if let Unwanted::Bar { link, bar } = one {
                self.held[link].soft |= 1 << bar;
            }
            self.unwanted.push(one);
            self.soft += 1;
        }
        self.unwanted.extend(left.into_iter().map(|(one, _)| one));
    }

    /// Row of the greatest displacement of a vector, and that displacement, rotations times the
    /// greatest lever arm.
    fn most(&self, column: &[Row]) -> (usize, f64) {
        let mut most = (0, 0.0);
        for i in 0..self.inverse.len() {
            let scale = if self.turns(i) { self.lever } else { 1.0 };
            let moved = (entry(column, i) * scale).abs();
            if moved > most.1 {
                most = (i, moved);
            }
        }
        most
    }

    /// A step of refinement of Z g.
    fn refine(&self, pair: &Pair, column: &mut Blocks) {
        let mut residual = self.stiffness_times(column).0;
        for block in &mut residual {
            block.0 = block.0.map(|v| -v);
        }
        for (i, value) in pair.iter() {
            *entry_mut(&mut residual, i) += value;
        }
        let mut step = self.inverse.zeros();
        self.inverse.multiply(&residual, &mut step);
        add_scaled(column, 1.0, &step);
    }

    /// A bar of a link at its rows in the inverse.
    fn pair(&self, key: LinkKey, bar: usize) -> Pair {
        let held = &self.held[key];
        Pair {
            at: held.ends.map(|n| self.at(n)),
            values: [held.element.a[bar], held.element.b[bar]],
            width: self.width,
        }
    }

    fn at(&self, node: NodeKey) -> Option<usize> {
        match self.places[node] {
            Place::At(at) => Some(at),
            Place::Fixed | Place::Waiting => None,
        }
    }

    /// Row and stiffness of what is unwanted.
    fn bar(&self, one: Unwanted) -> (Pair, f64) {
        match one {
            Unwanted::Bar { link, bar } => {
                (self.pair(link, bar), self.held[link].element.stiffness[bar])
            }
            Unwanted::Spring {
                node,
                axis,
                stiffness,
            } => {
                let pair = unit(self.at(node).map_or(0, |at| at + axis));
                (pair, stiffness)
            }
        }
    }

    /// K q bar by bar, K being what the inverse is the inverse of; and the greatest force of a
    /// bar before cancellation, which bounds the rounding.
    fn stiffness_times(&self, q: &[Row]) -> (Blocks, f64) {
        let mut out = self.inverse.zeros();
        let mut rounding: f64 = 0.0;
        let mut add = |pair: &Pair, stiffness: f64| {
            let (mut strain, mut size) = (0.0, 0.0);
            for (i, value) in pair.iter() {
                let part = value * entry(q, i);
                strain += part;
                size += part.abs();
            }
            rounding = rounding.max(stiffness * size);
            for (i, value) in pair.iter() {
                *entry_mut(&mut out, i) += stiffness * strain * value;
            }
        };
        for (key, held) in self.held.iter().enumerate() {
            for bar in bits(held.present & !held.soft) {
                add(&self.pair(key, bar), held.element.stiffness[bar]);
            }
        }
        for &one in &self.unwanted[self.soft..] {
            if matches!(one, Unwanted::Spring { .. }) {
                let (pair, stiffness) = self.bar(one);
                add(&pair, stiffness);
            }
        }
        (out, rounding)
    }

    /// Whether a row of the inverse is a rotation.
    fn turns(&self, position: usize) -> bool {
        position % self.width >= self.space && self.lever > 0.0
    }

    /// Greatest force of a vector by rows of the inverse, moments over the greatest lever arm.
    fn greatest(&self, forces: &[Row]) -> f64 {
        let mut greatest: f64 = 0.0;
        for i in 0..self.inverse.len() {
            let scale = if self.turns(i) { self.lever } else { 1.0 };
            greatest = greatest.max((entry(forces, i) / scale).abs());
        }
        greatest
    }

    /// Rows of the inverse beside those of the network.
    fn rows<D: Dimension>(&self, network: &Network<D>) -> Vec<(usize, usize)> {
        let m = self.width;
        let mut rows = Vec::with_capacity(self.inverse.len());
        for (index, &node) in self.order.iter().enumerate() {
            if let Some(row) = network.row(node) {
                rows.extend((0..m).map(|k| (index * m + k, row * m + k)));
            }
        }
        rows
    }

    /// From rows of the inverse to rows of the network.
    fn put<D: Dimension>(&self, network: &Network<D>, from: &[Row], to: &mut [f64]) {
        for (position, row) in self.rows(network) {
            to[row] = entry(from, position);
        }
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

impl<D: Dimension> Solver<D> for Rima {
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
            if left <= ENOUGH * greatest || left <= 4.0 * f64::EPSILON * rounding {
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

/// The row that is one at one place.
fn unit(position: usize) -> Pair {
    let mut pair = Pair {
        at: [Some(position), None],
        width: 1,
        ..Pair::default()
    };
    pair.values[0][0] = 1.0;
    pair
}

/// Bars that a link in some state has; none where a stiffness is not a positive number.
fn wanted(held: &Held, state: LinkState) -> u8 {
    let bars = match state {
        LinkState::Off => 0,
        LinkState::Slide => held.element.bars.min(1),
        LinkState::Grip => held.element.bars,
    };
    let stiff = |bar: usize| held.finite && held.element.stiffness[bar] > 0.0;
    (0..bars)
        .filter(|&bar| stiff(bar))
        .map(|bar| 1 << bar)
        .sum()
}

/// The bits of a mask that are set, lowest first.
fn bits(mask: u8) -> impl Iterator<Item = usize> {
    (0..8).filter(move |bar| mask >> bar & 1 == 1)
}

fn finite<D: Dimension>(link: &Link<D>) -> bool {
    let numbers = [link.kn, link.kt];
    let vectors = [link.normal, link.arms[0], link.arms[1]];
    numbers.iter().all(|v| v.is_finite()) && vectors.iter().all(|v| v.is_finite())
}
