//! Bars and forces in terms of the rows of the inverse.

use super::{Place, Rima, Unwanted};
use crate::geometry::Dimension;
use crate::stress::inverse::{Pair, add_scaled};
use crate::stress::network::{LinkKey, Network, NodeKey};
use crate::stress::packed::{Blocks, entry, entry_mut};
use crate::stress::storage::Storage;
use crate::vector::Row;

impl<S: Storage> Rima<S> {
    /// Row of the greatest displacement of a vector, and that displacement; rotations are
    /// multiplied by the greatest lever arm.
    pub(super) fn most(&self, column: &[Row]) -> (usize, f64) {
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

    /// One refinement step of Z g.
    pub(super) fn refine(&self, pair: &Pair, column: &mut Blocks) {
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
    pub(super) fn pair(&self, key: LinkKey, bar: usize) -> Pair {
        let held = &self.held[key];
        Pair {
            at: held.ends.map(|n| self.at(n)),
            values: [held.element.a[bar], held.element.b[bar]],
            width: self.width,
        }
    }

    pub(super) fn at(&self, node: NodeKey) -> Option<usize> {
        match self.places[node] {
            Place::At(at) => Some(at),
            Place::Fixed | Place::Waiting => None,
        }
    }

    /// Row and stiffness of an unwanted element.
    pub(super) fn bar(&self, one: Unwanted) -> (Pair, f64) {
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

    /// K q bar by bar, where K is the matrix that is inverted; and the greatest force of a bar
    /// before cancellation, which bounds the rounding.
    pub(super) fn stiffness_times(&self, q: &[Row]) -> (Blocks, f64) {
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
    pub(super) fn turns(&self, position: usize) -> bool {
        position % self.width >= self.space && self.lever > 0.0
    }

    /// Greatest force of a vector by rows of the inverse; moments are divided by the greatest lever arm.
    pub(super) fn greatest(&self, forces: &[Row]) -> f64 {
        let mut greatest: f64 = 0.0;
        for i in 0..self.inverse.len() {
            let scale = if self.turns(i) { self.lever } else { 1.0 };
            greatest = greatest.max((entry(forces, i) / scale).abs());
        }
        greatest
    }

    /// Pairs of rows of the inverse and of the network.
    pub(super) fn rows<D: Dimension>(&self, network: &Network<D>) -> Vec<(usize, usize)> {
        let m = self.width;
        let mut rows = Vec::with_capacity(self.inverse.len());
        for (index, &node) in self.order.iter().enumerate() {
            if let Some(row) = network.row(node) {
                rows.extend((0..m).map(|k| (index * m + k, row * m + k)));
            }
        }
        rows
    }

    /// Copies a vector from rows of the inverse to rows of the network.
    pub(super) fn put<D: Dimension>(&self, network: &Network<D>, from: &[Row], to: &mut [f64]) {
        let m = self.width;
        for (index, &node) in self.order.iter().enumerate() {
            if let Some(row) = network.row(node) {
                for k in 0..m {
                    to[row * m + k] = entry(from, index * m + k);
                }
            }
        }
    }
}

/// The row that is one at one position.
pub(super) fn unit(position: usize) -> Pair {
    let mut pair = Pair {
        at: [Some(position), None],
        width: 1,
        ..Pair::default()
    };
    pair.values[0][0] = 1.0;
    pair
}

/// The set bits of a mask, lowest first.
pub(super) fn bits(mask: u8) -> impl Iterator<Item = usize> {
    (0..8).filter(move |bar| mask >> bar & 1 == 1)
}
