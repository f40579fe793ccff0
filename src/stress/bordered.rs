//! A sparse Cholesky factor that grows: rows are appended as a border, bars are added and removed
//! by rank-1 updates.
//!
//! All entries of the factor that a bar or a force at one link requires are on the path of the
//! elimination tree from its first row to the root (Liu 1990): some thousand numbers where the
//! factor has a million. So a change costs only that path, and so does the half of a solution from
//! which the compliance between two links is a scalar product.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::SymbolicSparseColMatRef;
use faer::sparse::linalg::amd;

use super::network::Network;
use super::solver::Half;
use super::sparse::Stiffness;
use crate::geometry::Dimension;
use crate::vector::{Kernel, LANES, Lanes, Level, Row, run};

/// A pivot below this fraction of its former value, or of its diagonal entry, means that a row is
/// not held, as in the other factor.
const SINGULAR: f64 = 1e-12;

const NONE: u32 = u32::MAX;

/// The compatibility rows of a link's bars at each of its free nodes.
pub(super) type Bars = [Option<(usize, [[f64; 6]; 3])>; 2];

/// A row of free nodes that is not held, or none if memory ran out.
pub(super) type Failed = Option<usize>;

/// L of L L^T: sparse columns, followed by a dense border below and beside them.
#[derive(Debug)]
pub(super) struct Bordered {
    /// Degrees of freedom of a node.
    width: usize,
    /// Position of each row of free nodes of the sparse part; the others follow.
    place: Vec<usize>,
    /// Number of unknowns of the sparse part.
    base: usize,
    /// Columns of the sparse part, the diagonal first.
    starts: Vec<usize>,
    rows: Vec<u32>,
    values: Vec<f64>,
    parent: Vec<u32>,
    /// Greatest and present number of unknowns of the border.
    room: usize,
    grown: usize,
    /// Rows of the border by columns of the sparse part, and the first nonzero one of each column.
    border: Vec<f64>,
    first: Vec<u32>,
    /// Columns of the border itself.
    corner: Vec<f64>,
    /// Buffers; zero between uses.
    work: Vec<f64>,
    lanes: Vec<Row>,
    seen: Vec<bool>,
}

impl Bordered {
    /// Factors a matrix. Links that are open belong to the pattern, so that they may close.
    pub fn new<D: Dimension>(
        network: &Network<D>,
        stiffness: &Stiffness,
        room: usize,
    ) -> Result<Self, Failed> {
        let (nodes, m) = (stiffness.rows(), stiffness.per_node());
        let mut beside: Vec<Vec<usize>> = vec![Vec::new(); nodes];
        for link in network.links() {
            if let (Some(a), Some(b)) = (network.row(link.a), network.row(link.b)) {
                beside[a].push(b);
                beside[b].push(a);
            }
        }
        for list in &mut beside {
            list.sort_unstable();
            list.dedup();
        }
        let place = order(&beside).ok_or(None)?;
        let mut row_at = vec![0; nodes];
        for (row, &at) in place.iter().enumerate() {
            row_at[at] = row;
        }
        let base = nodes * m;
        let room = room * m;
        let mut factor = Bordered {
            width: m,
            base,
            starts: vec![0; base + 1],
            rows: Vec::new(),
            values: Vec::new(),
            parent: vec![NONE; base],
            room,
            grown: 0,
            border: vec![0.0; base * room],
            first: vec![NONE; base],
            corner: vec![0.0; room * room],
            work: vec![0.0; base + room],
            lanes: Vec::new(),
            seen: Vec::new(),
            place,
        };
        // Entries above the diagonal, by position.
        let above: Vec<Vec<usize>> = (0..nodes)
            .map(|at| {
                let places = beside[row_at[at]].iter().map(|&row| factor.place[row]);
                places.filter(|&other| other < at).collect()
            })
            .collect();
        factor.symbolic(&above);
        factor.numeric(stiffness, &row_at, &above)?;
        Ok(factor)
    }

    /// Computes the elimination tree and the lengths of the columns (Davis 2006, 4.1 and 4.4).
    fn symbolic(&mut self, above: &[Vec<usize>]) {
        let m = self.width;
        let nodes = above.len();
        let (mut parent, mut oldest) = (vec![usize::MAX; nodes], vec![usize::MAX; nodes]);
        for (k, list) in above.iter().enumerate() {
            for &start in list {
                let mut i = start;
                while i != usize::MAX && i < k {
                    let next = std::mem::replace(&mut oldest[i], k);
                    if next == usize::MAX {
                        parent[i] = k;
                    }
                    i = next;
                }
            }
        }
        let mut below = vec![0usize; nodes];
        let mut seen = vec![usize::MAX; nodes];
        for (k, list) in above.iter().enumerate() {
            seen[k] = k;
            for &start in list {
                let mut i = start;
                while seen[i] != k {
                    seen[i] = k;
                    below[i] += 1;
                    i = parent[i];
                }
            }
        }
        for at in 0..nodes {
            for q in 0..m {
                let column = at * m + q;
                self.starts[column + 1] = self.starts[column] + (m - q) + below[at] * m;
                self.parent[column] = if q + 1 < m {
                    (column + 1) as u32
                } else if parent[at] == usize::MAX {
                    NONE
                } else {
                    (parent[at] * m) as u32
                };
            }
        }
        self.rows = vec![0; self.starts[self.base]];
        self.values = vec![0.0; self.starts[self.base]];
    }

    /// Computes the values row by row, each from the columns in its pattern (Davis 2006, 4.7).
    fn numeric(
        &mut self,
        stiffness: &Stiffness,
        row_at: &[usize],
        above: &[Vec<usize>],
    ) -> Result<(), Failed> {
        let m = self.width;
        let mut ends: Vec<usize> = self.starts[..self.base].to_vec();
        let mut seen = vec![u32::MAX; self.base];
        let mut pattern: Vec<u32> = Vec::new();
        for (at, above) in above.iter().enumerate() {
            let row = row_at[at];
            let (columns, blocks) = stiffness.row(row);
            let diagonal = stiffness.diagonal(row);
            for q in 0..m {
                let k = at * m + q;
                for (&other, block) in columns.iter().zip(blocks.chunks_exact(m * m)) {
                    let other = self.place[other as usize];
                    if other < at {
                        self.work[other * m..(other + 1) * m]
                            .copy_from_slice(&block[q * m..(q + 1) * m]);
                    }
                }
                self.work[at * m..=k].copy_from_slice(&diagonal[q * m..=q * m + q]);
                pattern.clear();
                seen[k] = k as u32;
                let starts = above.iter().map(|&other| other * m);
                for start in starts.chain([at * m]) {
                    let mut i = start;
                    while seen[i] != k as u32 {
                        seen[i] = k as u32;
                        pattern.push(i as u32);
                        i = self.parent[i] as usize;
                    }
                }
                // In ascending order, everything that a column requires comes before it.
                pattern.sort_unstable();
                let whole = std::mem::take(&mut self.work[k]);
                let mut pivot = whole;
                for &i in &pattern {
                    let i = i as usize;
                    let value = std::mem::take(&mut self.work[i]);
                    let (start, end) = (self.starts[i], ends[i]);
                    let value = value / self.values[start];
                    let entries = self.rows[start + 1..end]
                        .iter()
                        .zip(&self.values[start + 1..end]);
                    for (&row, l) in entries {
                        self.work[row as usize] -= l * value;
                    }
                    // The contribution to row k itself is the square.
                    pivot -= value * value;
                    self.rows[end] = k as u32;
                    self.values[end] = value;
                    ends[i] = end + 1;
                }
                // The comparison also rejects NaN.
                let held = pivot > SINGULAR * whole;
                if !held {
                    return Err(Some(row));
                }
                self.rows[self.starts[k]] = k as u32;
                self.values[self.starts[k]] = pivot.sqrt();
                ends[k] = self.starts[k] + 1;
            }
        }
        Ok(())
    }

    /// Number of nodes, including those of the border.
    pub fn nodes(&self) -> usize {
        (self.base + self.grown) / self.width
    }

    /// Number of nodes of the sparse part: links between these must have existed at the start.
    pub fn base_nodes(&self) -> usize {
        self.base / self.width
    }

    /// First unknown of a row of free nodes.
    fn at(&self, row: usize) -> usize {
        self.place.get(row).copied().unwrap_or(row) * self.width
    }

    /// Appends a node held by springs to the ground, N/m (N m); returns false if there is no room.
    pub fn append(&mut self, springs: &[f64]) -> bool {
        if self.grown + self.width > self.room {
            return false;
        }
        for &spring in springs {
            self.corner[self.grown * self.room + self.grown] = spring.sqrt();
            self.grown += 1;
        }
        true
    }

    /// Copies the given rows of nodes into the work array; returns the first unknown.
    fn scatter(&mut self, ends: &[(usize, &[f64])]) -> usize {
        let mut first = usize::MAX;
        for &(row, part) in ends {
            let at = self.at(row);
            self.work[at..at + part.len()].copy_from_slice(part);
            first = first.min(at);
        }
        first
    }

    /// Adds (or subtracts) the square of a row vector at two nodes at most; returns false if a
    /// pivot vanishes: the factor is then invalid.
    pub fn update(&mut self, ends: &[(usize, &[f64])], add: bool) -> bool {
        let sign = if add { 1.0 } else { -1.0 };
        let mut column = self.scatter(ends);
        let (base, room, grown) = (self.base, self.room, self.grown);
        let mut sound = true;
        let (work, tail) = self.work.split_at_mut(base);
        let tail = &mut tail[..grown];
        let mut touched = tail.iter().position(|&v| v != 0.0).unwrap_or(grown);
        while column < base {
            let w = std::mem::take(&mut work[column]);
            let (start, end) = (self.starts[column], self.starts[column + 1]);
            if w != 0.0 && sound {
                let pivot = self.values[start];
                let square = pivot * pivot + sign * w * w;
                sound = square > SINGULAR * pivot * pivot;
                if sound {
                    let root = square.sqrt();
                    let (c, s) = (root / pivot, w / pivot);
                    let (by, signed) = (1.0 / c, sign * s);
                    self.values[start] = root;
                    let rows = &self.rows[start + 1..end];
                    for (value, &row) in self.values[start + 1..end].iter_mut().zip(rows) {
                        let w = &mut work[row as usize];
                        *value = (*value + signed * *w) * by;
                        *w = c * *w - s * *value;
                    }
                    touched = touched.min(self.first[column] as usize);
                    if touched < grown {
                        self.first[column] = touched as u32;
                        let below = &mut self.border[column * room + touched..][..grown - touched];
                        for (value, w) in below.iter_mut().zip(&mut tail[touched..]) {
                            *value = (*value + signed * *w) * by;
                            *w = c * *w - s * *value;
                        }
                    }
                }
            }
            if !sound {
                break;
            }
            column = match self.parent[column] {
                NONE => base,
                next => next as usize,
            };
        }
        for column in touched.min(grown)..grown {
            let w = std::mem::take(&mut tail[column]);
            if w == 0.0 || !sound {
                continue;
            }
            let own = &mut self.corner[column * room + column..][..grown - column];
            let pivot = own[0];
            let square = pivot * pivot + sign * w * w;
            sound = square > SINGULAR * pivot * pivot;
            if sound {
                let root = square.sqrt();
                let (c, s) = (root / pivot, w / pivot);
                own[0] = root;
                for (value, w) in own[1..].iter_mut().zip(&mut tail[column + 1..]) {
                    *value = (*value + sign * s * *w) / c;
                    *w = c * *w - s * *value;
                }
            }
        }
        if !sound {
            self.work.fill(0.0);
        }
        sound
    }

    /// L^-1 b for the bars of some links, along the paths that they reach; eight vectors at a time.
    pub fn halves(&mut self, links: &[Bars], bars: usize) -> Vec<Vec<Half>> {
        let many = LANES / bars;
        let mut all = Vec::with_capacity(links.len());
        for links in links.chunks(many) {
            self.some_halves(links, bars, &mut all);
        }
        all
    }

    fn some_halves(&mut self, links: &[Bars], bars: usize, all: &mut Vec<Vec<Half>>) {
        let (m, base, room, grown) = (self.width, self.base, self.room, self.grown);
        let mut x = std::mem::take(&mut self.lanes);
        x.resize(base + room, Row::default());
        self.seen.resize(base, false);
        let mut columns: Vec<u32> = Vec::with_capacity(1024);
        let mut starts = Vec::with_capacity(links.len());
        for (index, ends) in links.iter().enumerate() {
            let mut start = base;
            for (row, parts) in ends.iter().flatten() {
                let at = self.at(*row);
                for (bar, part) in parts[..bars].iter().enumerate() {
                    for (k, value) in part[..m].iter().enumerate() {
                        x[at + k].0[index * bars + bar] = *value;
                    }
                }
                start = start.min(at);
            }
            starts.push(start);
            let mut column = start;
            while column < base && !self.seen[column] {
                self.seen[column] = true;
                columns.push(column as u32);
                column = self.next(column);
            }
        }
        columns.sort_unstable();
        for &column in &columns {
            self.seen[column as usize] = false;
        }
        let mut values = vec![Row::default(); columns.len()];
        let mut tails = vec![Row::default(); grown];
        run(
            Level::best(),
            Forward {
                factor: self,
                columns: &columns,
                x: &mut x,
                values: &mut values,
                tails: &mut tails,
            },
        );
        self.lanes = x;
        for (index, &start) in starts.iter().enumerate() {
            let (mut places, mut own) = (Vec::with_capacity(512), Vec::with_capacity(512));
            let (mut column, mut k) = (start, 0);
            while column < base {
                while columns[k] < column as u32 {
                    k += 1;
                }
                places.push(column as u32);
                own.push(values[k]);
                column = self.next(column);
            }
            places.reverse();
            let rows = |y: &mut dyn ExactSizeIterator<Item = f64>| {
                let mut rows = vec![Row::default(); y.len().div_ceil(LANES)];
                for (k, y) in y.enumerate() {
                    rows[k / LANES].0[k % LANES] = y;
                }
                rows
            };
            let of = |bar: usize| {
                let lane = index * bars + bar;
                Half {
                    places: places.clone(),
                    values: rows(&mut own.iter().rev().map(|y| y.0[lane])),
                    tail: rows(&mut tails.iter().map(|y| y.0[lane])),
                }
            };
            all.push((0..bars).map(of).collect());
        }
    }

    /// The next column of a path; at a root the end of the sparse part.
    fn next(&self, column: usize) -> usize {
        match self.parent[column] {
            NONE => self.base,
            next => next as usize,
        }
    }

    /// Solves in place, by rows of free nodes.
    pub fn solve(&mut self, x: &mut [f64]) {
        let (m, base, room, grown) = (self.width, self.base, self.room, self.grown);
        let mut work = std::mem::take(&mut self.work);
        for (row, part) in x.chunks_exact(m).enumerate() {
            let at = self.at(row);
            work[at..at + m].copy_from_slice(part);
        }
        let (y, tail) = work.split_at_mut(base);
        let tail = &mut tail[..grown];
        for column in 0..base {
            let (start, end) = (self.starts[column], self.starts[column + 1]);
            // A load at a few nodes reaches only some of the columns.
            if y[column] == 0.0 {
                continue;
            }
            let own = y[column] / self.values[start];
            y[column] = own;
            let entries = self.rows[start + 1..end]
                .iter()
                .zip(&self.values[start + 1..end]);
            for (&row, l) in entries {
                y[row as usize] -= l * own;
            }
            let first = self.first[column] as usize;
            if first < grown {
                let below = &self.border[column * room + first..][..grown - first];
                for (tail, l) in tail[first..].iter_mut().zip(below) {
                    *tail -= l * own;
                }
            }
        }
        for column in 0..grown {
            let own = &self.corner[column * room + column..][..grown - column];
            let value = tail[column] / own[0];
            tail[column] = value;
            for (tail, l) in tail[column + 1..].iter_mut().zip(&own[1..]) {
                *tail -= l * value;
            }
        }
        for column in (0..grown).rev() {
            let own = &self.corner[column * room + column..][..grown - column];
            let mut value = tail[column];
            for (tail, l) in tail[column + 1..].iter().zip(&own[1..]) {
                value -= l * tail;
            }
            tail[column] = value / own[0];
        }
        for column in (0..base).rev() {
            let (start, end) = (self.starts[column], self.starts[column + 1]);
            let mut value = y[column];
            let entries = self.rows[start + 1..end]
                .iter()
                .zip(&self.values[start + 1..end]);
            for (&row, l) in entries {
                value -= l * y[row as usize];
            }
            let first = self.first[column] as usize;
            if first < grown {
                let below = &self.border[column * room + first..][..grown - first];
                for (tail, l) in tail[first..].iter().zip(below) {
                    value -= l * tail;
                }
            }
            y[column] = value / self.values[start];
        }
        for (row, part) in x.chunks_exact_mut(m).enumerate() {
            let at = self.at(row);
            part.copy_from_slice(&work[at..at + m]);
        }
        work.fill(0.0);
        self.work = work;
    }
}

/// Forward substitution along the columns of some paths, for eight vectors at a time.
struct Forward<'a> {
    factor: &'a Bordered,
    columns: &'a [u32],
    /// The vectors; zero afterwards.
    x: &'a mut [Row],
    values: &'a mut [Row],
    tails: &'a mut [Row],
}

impl Kernel for Forward<'_> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let f = self.factor;
        let (room, grown) = (f.room, f.grown);
        let (x, tail) = self.x.split_at_mut(f.base);
        let tail = &mut tail[..grown];
        for (&column, value) in self.columns.iter().zip(self.values) {
            let column = column as usize;
            let (start, end) = (f.starts[column], f.starts[column + 1]);
            let y = L::load(&x[column]).mul(L::splat(1.0 / f.values[start]));
            y.store(value);
            x[column] = Row::default();
            let rows = &f.rows[start + 1..end];
            for (&row, &l) in rows.iter().zip(&f.values[start + 1..end]) {
                let x = &mut x[row as usize];
                L::load(x).sub(y.mul(L::splat(l))).store(x);
            }
            let first = f.first[column] as usize;
            if first < grown {
                let below = &f.border[column * room + first..][..grown - first];
                for (tail, &l) in tail[first..].iter_mut().zip(below) {
                    L::load(tail).sub(y.mul(L::splat(l))).store(tail);
                }
            }
        }
        for (column, value) in self.tails.iter_mut().enumerate() {
            let own = &f.corner[column * room + column..][..grown - column];
            let y = L::load(&tail[column]).mul(L::splat(1.0 / own[0]));
            y.store(value);
            tail[column] = Row::default();
            for (tail, &l) in tail[column + 1..].iter_mut().zip(&own[1..]) {
                L::load(tail).sub(y.mul(L::splat(l))).store(tail);
            }
        }
    }
}

/// A fill-reducing order of whole nodes (approximate minimum degree): the position of each.
fn order(beside: &[Vec<usize>]) -> Option<Vec<usize>> {
    let n = beside.len();
    let (mut pointers, mut indices) = (vec![0], Vec::new());
    for (row, list) in beside.iter().enumerate() {
        indices.extend(list.iter().copied().take_while(|&other| other < row));
        indices.push(row);
        pointers.push(indices.len());
    }
    let (mut forward, mut place) = (vec![0; n], vec![0; n]);
    let scratch = amd::order_maybe_unsorted_scratch::<usize>(n, indices.len());
    let mut memory = MemBuffer::try_new(scratch).ok()?;
    amd::order_maybe_unsorted(
        &mut forward,
        &mut place,
        SymbolicSparseColMatRef::new_checked(n, n, &pointers, None, &indices),
        amd::Control::default(),
        MemStack::new(&mut memory),
    )
    .ok()?;
    Some(place)
}
