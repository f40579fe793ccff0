//! The stiffness matrix of a network, sparse in blocks of one node.
//!
//! After a change of a link the blocks of its two nodes are summed again from all their links.
//! Nothing is added and subtracted again, so the matrix equals a fresh assembly to the last bit,
//! whatever its history.

use super::element::Element;
use super::network::{Change, LinkState, Network, NodeKey};
use crate::geometry::Dimension;

/// Position of a row in the arrays of entries; rows that grow move to the end.
#[derive(Clone, Copy, Debug, Default)]
struct Span {
    start: usize,
    len: usize,
    room: usize,
}

/// Number of entries reserved for a new row.
const ROOM: usize = 4;

/// Off-diagonal blocks of a row: columns in ascending order, and the blocks, each by rows.
pub type Row<'a> = (&'a [u32], &'a [f64]);

/// The grounded stiffness matrix, N/m (N m for rotations): one block for each free node and each
/// pair of free nodes that was ever linked since the last full assembly.
#[derive(Clone, Debug)]
pub struct Stiffness {
    per_node: usize,
    /// Diagonal blocks.
    diagonal: Vec<f64>,
    spans: Vec<Span>,
    columns: Vec<u32>,
    /// Whether some link resists at this entry.
    live: Vec<bool>,
    blocks: Vec<f64>,
    node_of: Vec<NodeKey>,
    entries: usize,
    dead: usize,
    pattern: u64,
}

impl Stiffness {
    /// The matrix of the present network.
    pub fn new<D: Dimension>(network: &Network<D>) -> Self {
        let mut matrix = Stiffness {
            per_node: network.per_node(),
            diagonal: Vec::new(),
            spans: Vec::new(),
            columns: Vec::new(),
            live: Vec::new(),
            blocks: Vec::new(),
            node_of: Vec::new(),
            entries: 0,
            dead: 0,
            pattern: 0,
        };
        matrix.assemble(network);
        matrix
    }

    /// Number of free nodes.
    pub fn rows(&self) -> usize {
        self.node_of.len()
    }

    /// Degrees of freedom of one node.
    pub fn per_node(&self) -> usize {
        self.per_node
    }

    /// The node of a row.
    pub fn node_of(&self, row: usize) -> NodeKey {
        self.node_of[row]
    }

    /// A number that changes when entries are added or removed, but not when values change.
    pub fn pattern(&self) -> u64 {
        self.pattern
    }

    /// Number of off-diagonal blocks.
    pub fn entries(&self) -> usize {
        self.entries
    }

    /// The diagonal block of a row.
    pub fn diagonal(&self, row: usize) -> &[f64] {
        let area = self.per_node * self.per_node;
        &self.diagonal[row * area..(row + 1) * area]
    }

    /// The off-diagonal blocks of a row.
    pub fn row(&self, row: usize) -> Row<'_> {
        let span = self.spans[row];
        let area = self.per_node * self.per_node;
        let end = span.start + span.len;
        (
            &self.columns[span.start..end],
            &self.blocks[span.start * area..end * area],
        )
    }

    /// Index of the first entry of a row, for [`Stiffness::block`]. Valid while the pattern is unchanged.
    pub fn first(&self, row: usize) -> usize {
        self.spans[row].start
    }

    /// A block by the index of its entry.
    pub fn block(&self, entry: usize) -> &[f64] {
        let area = self.per_node * self.per_node;
        &self.blocks[entry * area..(entry + 1) * area]
    }

    /// Updates the matrix for a change of the network: O(links of the two nodes).
    pub fn changed<D: Dimension>(&mut self, network: &Network<D>, change: Change) {
        match change {
            Change::Node(node) => self.add_row(network, node),
            Change::Link { link, .. } => {
                let link = &network.links()[link];
                let rows = [network.row(link.a), network.row(link.b)];
                for (node, row) in [(link.a, rows[0]), (link.b, rows[1])] {
                    if let Some(row) = row {
                        self.sum_diagonal(network, node, row);
                    }
                }
                if let [Some(i), Some(j)] = rows {
                    self.sum_pair(network, [link.a, link.b], [i, j]);
                }
                if self.dead * 4 > self.entries + 64 {
                    self.assemble(network);
                }
            }
        }
    }

    /// y = K x.
    pub fn multiply(&self, x: &[f64], y: &mut [f64]) {
        match self.per_node {
            2 => self.multiply_rows::<2>(x, y),
            3 => self.multiply_rows::<3>(x, y),
            _ => self.multiply_rows::<6>(x, y),
        }
    }

    /// One row of K x.
    pub fn multiply_row(&self, row: usize, x: &[f64], y: &mut [f64]) {
        match self.per_node {
            2 => y.copy_from_slice(&self.product::<2>(row, x)),
            3 => y.copy_from_slice(&self.product::<3>(row, x)),
            _ => y.copy_from_slice(&self.product::<6>(row, x)),
        }
    }

    fn multiply_rows<const M: usize>(&self, x: &[f64], y: &mut [f64]) {
        for (row, out) in y.chunks_exact_mut(M).enumerate() {
            out.copy_from_slice(&self.product::<M>(row, x));
        }
    }

    #[inline(always)]
    fn product<const M: usize>(&self, row: usize, x: &[f64]) -> [f64; M] {
        let mut sum = [0.0; M];
        let mut add = |block: &[f64], x: &[f64]| {
            for p in 0..M {
                for q in 0..M {
                    sum[p] += block[p * M + q] * x[q];
                }
            }
        };
        add(&self.diagonal[row * M * M..][..M * M], &x[row * M..][..M]);
        let span = self.spans[row];
        let columns = &self.columns[span.start..span.start + span.len];
        let blocks = &self.blocks[span.start * M * M..(span.start + span.len) * M * M];
        for (column, block) in columns.iter().zip(blocks.chunks_exact(M * M)) {
            add(block, &x[*column as usize * M..][..M]);
        }
        sum
    }

    /// The matrix of some rows, in the given order, with all others held; `index` gives the
    /// position of each of these rows, and `u32::MAX` for the others.
    pub(super) fn part(&self, rows: &[u32], index: &[u32]) -> Self {
        let area = self.per_node * self.per_node;
        let mut part = Stiffness {
            per_node: self.per_node,
            diagonal: Vec::with_capacity(rows.len() * area),
            spans: Vec::with_capacity(rows.len()),
            columns: Vec::new(),
            live: Vec::new(),
            blocks: Vec::new(),
            node_of: Vec::with_capacity(rows.len()),
            entries: 0,
            dead: 0,
            pattern: 0,
        };
        let mut kept: Vec<(u32, usize)> = Vec::new();
        for &row in rows {
            let row = row as usize;
            part.node_of.push(self.node_of[row]);
            part.diagonal.extend_from_slice(self.diagonal(row));
            let first = self.first(row);
            let entries = self.row(row).0.iter().enumerate();
            kept.clear();
            kept.extend(entries.filter_map(|(k, &column)| {
                let place = index[column as usize];
                (place != u32::MAX && self.live[first + k]).then_some((place, first + k))
            }));
            kept.sort_unstable();
            part.spans.push(Span {
                start: part.columns.len(),
                len: kept.len(),
                room: kept.len(),
            });
            for &(place, entry) in &kept {
                part.columns.push(place);
                part.live.push(true);
                part.blocks.extend_from_slice(self.block(entry));
            }
        }
        part.entries = part.columns.len();
        part
    }

    /// Assembles everything anew; removes entries without a resisting link.
    fn assemble<D: Dimension>(&mut self, network: &Network<D>) {
        self.diagonal.clear();
        self.spans.clear();
        self.columns.clear();
        self.live.clear();
        self.blocks.clear();
        self.node_of.clear();
        self.entries = 0;
        self.dead = 0;
        self.pattern += 1;
        let area = self.per_node * self.per_node;
        for node in 0..network.nodes().len() {
            if network.row(node).is_none() {
                continue;
            }
            let links = network.links_of(node).iter();
            let resist = links.filter(|&&l| network.links()[l].state != LinkState::Off);
            let room = resist.count().max(ROOM);
            self.node_of.push(node);
            self.diagonal.resize(self.diagonal.len() + area, 0.0);
            self.spans.push(Span {
                start: self.columns.len(),
                len: 0,
                room,
            });
            self.grow(room);
        }
        for row in 0..self.rows() {
            self.sum_diagonal(network, self.node_of[row], row);
        }
        for link in network.links() {
            if let (Some(i), Some(j)) = (network.row(link.a), network.row(link.b))
                && link.state != LinkState::Off
            {
                self.sum_pair(network, [link.a, link.b], [i, j]);
            }
        }
    }

    fn add_row<D: Dimension>(&mut self, network: &Network<D>, node: NodeKey) {
        if network.row(node).is_none() {
            return;
        }
        self.node_of.push(node);
        let area = self.per_node * self.per_node;
        self.diagonal.resize(self.diagonal.len() + area, 0.0);
        self.spans.push(Span {
            start: self.columns.len(),
            len: 0,
            room: ROOM,
        });
        self.grow(ROOM);
        self.pattern += 1;
    }

    /// Reserves room for more entries at the end.
    fn grow(&mut self, room: usize) {
        let len = self.columns.len() + room;
        self.columns.resize(len, 0);
        self.live.resize(len, false);
        self.blocks.resize(len * self.per_node * self.per_node, 0.0);
    }

    fn sum_diagonal<D: Dimension>(&mut self, network: &Network<D>, node: NodeKey, row: usize) {
        let m = self.per_node;
        let block = &mut self.diagonal[row * m * m..(row + 1) * m * m];
        block.fill(0.0);
        for &key in network.links_of(node) {
            let link = &network.links()[key];
            let element = Element::new(link, network.freedom());
            let side = if link.a == node {
                &element.a
            } else {
                &element.b
            };
            for bar in 0..element.bars {
                for p in 0..m {
                    for q in 0..m {
                        block[p * m + q] += element.stiffness[bar] * (side[bar][p] * side[bar][q]);
                    }
                }
            }
        }
    }

    /// Sums the block of a pair, and its transpose, from all links that join the two.
    fn sum_pair<D: Dimension>(
        &mut self,
        network: &Network<D>,
        nodes: [NodeKey; 2],
        rows: [usize; 2],
    ) {
        let m = self.per_node;
        let mut sum = [0.0; 36];
        let mut live = false;
        for &key in network.links_of(nodes[0]) {
            let link = &network.links()[key];
            let along = link.b == nodes[1];
            if !(along || link.a == nodes[1]) || link.state == LinkState::Off {
                continue;
            }
            live = true;
            let element = Element::new(link, network.freedom());
            let (left, right) = if along {
                (&element.a, &element.b)
            } else {
                (&element.b, &element.a)
            };
            for bar in 0..element.bars {
                for p in 0..m {
                    for q in 0..m {
                        sum[p * m + q] += element.stiffness[bar] * (left[bar][p] * right[bar][q]);
                    }
                }
            }
        }
        for (row, column, turned) in [(rows[0], rows[1], false), (rows[1], rows[0], true)] {
            let Some(entry) = self.entry(row, column as u32, live) else {
                continue;
            };
            let was = std::mem::replace(&mut self.live[entry], live);
            self.dead = self.dead + usize::from(!live) - usize::from(!was);
            let block = &mut self.blocks[entry * m * m..(entry + 1) * m * m];
            for p in 0..m {
                for q in 0..m {
                    block[p * m + q] = sum[if turned { q * m + p } else { p * m + q }];
                }
            }
        }
    }

    /// Index of the entry of a pair; created if `make`, otherwise none if it does not exist.
    fn entry(&mut self, row: usize, column: u32, make: bool) -> Option<usize> {
        let span = self.spans[row];
        let columns = &self.columns[span.start..span.start + span.len];
        let place = match columns.binary_search(&column) {
            Ok(place) => return Some(span.start + place),
            Err(_) if !make => return None,
            Err(place) => place,
        };
        let area = self.per_node * self.per_node;
        if span.len == span.room {
            let start = self.columns.len();
            self.grow(2 * span.room);
            let old = span.start..span.start + span.len;
            self.columns.copy_within(old.clone(), start);
            self.live.copy_within(old.clone(), start);
            self.blocks
                .copy_within(old.start * area..old.end * area, start * area);
            self.spans[row].start = start;
            self.spans[row].room = 2 * span.room;
        }
        let start = self.spans[row].start;
        let (at, end) = (start + place, start + span.len);
        self.columns.copy_within(at..end, at + 1);
        self.live.copy_within(at..end, at + 1);
        self.blocks
            .copy_within(at * area..end * area, (at + 1) * area);
        self.columns[at] = column;
        // Counts as live from the start: the caller sets its state.
        self.live[at] = true;
        self.spans[row].len += 1;
        self.entries += 1;
        self.pattern += 1;
        Some(at)
    }
}
