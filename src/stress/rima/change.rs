//! Updates of the inverse for changes: attachment of nodes, additional bars, removed bars.

use std::collections::BTreeSet;

use nalgebra::DMatrix;

use super::vectors::bits;
use super::{Held, Place, Rima, Unwanted};
use crate::geometry::{Dimension, Vector};
use crate::stress::carriers::choose;
use crate::stress::element::Element;
use crate::stress::inverse::{MOST, Pair, add_scaled};
use crate::stress::network::{Link, LinkKey, LinkState, Network, NodeKey};
use crate::stress::packed::Blocks;
use crate::stress::storage::Storage;

/// Fraction of a bar's flexibility that must remain for the bar to be removable: rounding alone
/// leaves about 1e-14.
const ESSENTIAL: f64 = 1e-10;
/// Flexibility, relative to that of the stiffest bar, above which the effect of a removal is stored
/// separately from the matrix: it bounds the drift to rounding times this.
const SOFT: f64 = 1e5;
/// Greatest number of separate removals; more are applied to the matrix, and refinement corrects the error.
const APART: usize = 256;
/// As long as their fraction is above this.
const CROWDED: f64 = 1e-6;

impl<S: Storage> Rima<S> {
    /// Reverts all separately stored removals.
    pub(super) fn stiffen(&mut self) {
        self.inverse.stiffen();
        for one in &self.unwanted[..self.soft] {
            if let Unwanted::Bar { link, .. } = *one {
                self.held[link].soft = 0;
            }
        }
        self.soft = 0;
    }

    /// Adds entries for new nodes and links, up to the given numbers.
    pub(super) fn notice<D: Dimension>(
        &mut self,
        network: &Network<D>,
        nodes: usize,
        links: usize,
    ) {
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

    /// Applies all changes.
    pub(super) fn settle<D: Dimension>(&mut self, network: &Network<D>) {
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
        self.announce(&dirty);
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

    /// Announces to the matrix that the rows of the ends of some links will be requested.
    fn announce(&mut self, links: &[LinkKey]) {
        if !S::TOLD {
            return;
        }
        let ends = links.iter().flat_map(|key| self.held[*key].ends);
        let starts = ends.filter_map(|node| self.at(node));
        let rows: Vec<usize> = starts.flat_map(|at| at..at + self.width).collect();
        self.inverse.announce(&rows);
    }

    /// Attaches nodes as long as a waiting one is linked to a node in the inverse.
    fn attach_all<D: Dimension>(&mut self, network: &Network<D>, mut queue: BTreeSet<NodeKey>) {
        let mut short = BTreeSet::new();
        loop {
            // Nodes that their own bars hold come first: each may support its neighbours.
            let (node, anyhow) = match (queue.pop_first(), short.first()) {
                (Some(node), _) => (node, false),
                (None, Some(&node)) => (node, true),
                (None, None) => return,
            };
            if self.places[node] != Place::Waiting {
                continue;
            }
            // A node without a bar to the inverse waits until a neighbour is attached.
            let attached = self.attach(network, node, anyhow);
            if attached || anyhow {
                short.remove(&node);
            } else {
                short.insert(node);
            }
            if !attached {
                continue;
            }
            for &key in network.links_of(node) {
                let ends = self.held[key].ends;
                let other = if ends[0] == node { ends[1] } else { ends[0] };
                if self.held[key].wanted != 0 && self.places[other] == Place::Waiting {
                    queue.insert(other);
                }
            }
        }
    }

    /// Adds a node to the inverse (cases 0 and 1), then the bars that did not carry it. Returns
    /// false if its bars do not hold it, unless `anyhow`, which adds it on fictitious springs.
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

        let keys: Vec<LinkKey> = bars.iter().map(|(key, _)| *key).collect();
        self.announce(&keys);

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
        // The chosen rows are independent, so an inverse exists.
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

    /// Adds the missing bars of a link (cases 2 and 3).
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

    /// Removes a bar from the matrix; returns false if that would leave a free or nearly free motion.
    fn remove(&mut self, one: Unwanted) -> bool {
        let (pair, stiffness) = self.bar(one);
        if pair.at != [None, None] {
            let mut column = self.inverse.zeros();
            self.inverse.column(&pair, &mut column);
            let share = 1.0 - stiffness * pair.dot(&column);
            let most = self.most(&column).1;
            let brought = self.stiffest * most * most * (stiffness / share);
            let crowded = self.unwanted.len() > APART && share > CROWDED;
            // NaN counts as soft.
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

    /// Removes bars by separate softening, those with the greatest remaining fraction first; the
    /// bars that remain prevent a free motion.
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
}

/// Bars of a link in some state; none if a stiffness is not a positive number.
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

fn finite<D: Dimension>(link: &Link<D>) -> bool {
    let numbers = [link.kn, link.kt];
    let vectors = [link.normal, link.arms[0], link.arms[1]];
    numbers.iter().all(|v| v.is_finite()) && vectors.iter().all(|v| v.is_finite())
}
