//! Pivots of a symmetric matrix, and what it leaves without force.

use std::collections::{BTreeMap, VecDeque};

/// A pivot under this share of its diagonal entry counts as none: the root of the rounding. After a
/// pivot p what should vanish is left as large as rounding / p; so no pivot that counts lifts what
/// should vanish above this bound.
const NONE: f64 = 1e-8;

/// A symmetric matrix, summed entry by entry.
#[derive(Clone, Debug, Default)]
pub struct SymmetricRows {
    /// Entries up to the diagonal, and its mirror.
    rows: Vec<BTreeMap<usize, f64>>,
}

impl SymmetricRows {
    /// A matrix of zeros.
    pub fn new(size: usize) -> Self {
        SymmetricRows {
            rows: vec![BTreeMap::new(); size],
        }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// True when there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Adds to an entry; its mirror image is to be added by another call.
    pub fn add(&mut self, row: usize, column: usize, value: f64) {
        *self.rows[row].entry(column).or_default() += value;
    }

    /// The product with a vector.
    pub fn multiply(&self, x: &[f64]) -> Vec<f64> {
        let row = |row: &BTreeMap<usize, f64>| row.iter().map(|(&k, v)| v * x[k]).sum();
        self.rows.iter().map(row).collect()
    }

    /// Order of rows that keeps entries near the diagonal (Cuthill & McKee 1969, reversed).
    fn order(&self) -> Vec<usize> {
        let n = self.len();
        let mut by_degree: Vec<usize> = (0..n).collect();
        by_degree.sort_by_key(|&row| (self.rows[row].len(), row));
        let mut seen = vec![false; n];
        let mut order = Vec::with_capacity(n);
        let mut queue = VecDeque::new();
        for start in by_degree {
            if std::mem::replace(&mut seen[start], true) {
                continue;
            }
            queue.push_back(start);
            while let Some(row) = queue.pop_front() {
                order.push(row);
                let mut next: Vec<usize> = self.rows[row].keys().copied().collect();
                next.sort_by_key(|&row| (self.rows[row].len(), row));
                for row in next {
                    if !std::mem::replace(&mut seen[row], true) {
                        queue.push_back(row);
                    }
                }
            }
        }
        order.reverse();
        order
    }
}

/// The factors L D L^T of a symmetric matrix, stored by rows from their first entry.
#[derive(Clone, Debug)]
pub struct Pivots {
    order: Vec<usize>,
    first: Vec<usize>,
    lower: Vec<Vec<f64>>,
    pivots: Vec<f64>,
    least: f64,
    none: Vec<usize>,
    negative: usize,
}

impl Pivots {
    /// Factors a matrix. Where a pivot is none the motion it stands for costs nothing.
    pub fn new(matrix: &SymmetricRows) -> Self {
        let order = matrix.order();
        let n = order.len();
        let mut place = vec![0; n];
        for (k, &row) in order.iter().enumerate() {
            place[row] = k;
        }
        let mut result = Pivots {
            order,
            first: Vec::with_capacity(n),
            lower: Vec::with_capacity(n),
            pivots: Vec::with_capacity(n),
            least: f64::INFINITY,
            none: Vec::new(),
            negative: 0,
        };
        for i in 0..n {
            let entries = &matrix.rows[result.order[i]];
            let columns = entries.keys().map(|&column| place[column]);
            let first = columns.filter(|&j| j <= i).min().unwrap_or(i);
            let mut row = vec![0.0; i - first];
            let mut diagonal = 0.0;
            for (&column, &value) in entries {
                match place[column].cmp(&i) {
                    std::cmp::Ordering::Less => row[place[column] - first] = value,
                    std::cmp::Ordering::Equal => diagonal = value,
                    std::cmp::Ordering::Greater => {}
                }
            }
            // row holds t = l d until it is divided.
            for j in first..i {
                let from = first.max(result.first[j]);
                let own = &row[from - first..j - first];
                let other = &result.lower[j][from - result.first[j]..];
                let sum: f64 = own.iter().zip(other).map(|(t, l)| t * l).sum();
                row[j - first] -= sum;
            }
            let scale = diagonal.abs();
            let mut pivot = diagonal;
            for (k, t) in row.iter_mut().enumerate() {
                let d = result.pivots[first + k];
                let l = if d == 0.0 { 0.0 } else { *t / d };
                pivot -= *t * l;
                *t = l;
            }
            if scale == 0.0 || pivot.abs() <= NONE * scale {
                result.none.push(i);
                result.least = result.least.min(0.0);
                pivot = 0.0;
            } else {
                result.negative += usize::from(pivot < 0.0);
                result.least = result.least.min(pivot / scale);
            }
            result.first.push(first);
            result.lower.push(row);
            result.pivots.push(pivot);
        }
        result
    }

    /// The least pivot over its diagonal entry; infinite without rows.
    pub fn least(&self) -> f64 {
        self.least
    }

    /// How many pivots are below 0: the matrix gives way in as many directions.
    pub fn negative(&self) -> usize {
        self.negative
    }

    /// How many pivots are none.
    pub fn none(&self) -> usize {
        self.none.len()
    }

    /// Directions in which nothing resists, one for each pivot that is none, then those that give
    /// way. Each is the column of the inverse of L^T at its pivot.
    pub fn directions(&self) -> Vec<Vec<f64>> {
        let weak = (0..self.pivots.len()).filter(|&k| self.pivots[k] < 0.0);
        let pivots: Vec<usize> = self.none.iter().copied().chain(weak).collect();
        pivots
            .into_iter()
            .map(|pivot| self.direction(pivot))
            .collect()
    }

    fn direction(&self, pivot: usize) -> Vec<f64> {
        let n = self.order.len();
        let mut z = vec![0.0; n];
        z[pivot] = 1.0;
        for k in (0..=pivot).rev() {
            if z[k] != 0.0 {
                let value = z[k];
                for (j, l) in self.lower[k].iter().enumerate() {
                    z[self.first[k] + j] -= l * value;
                }
            }
        }
        let mut result = vec![0.0; n];
        for (k, &row) in self.order.iter().enumerate() {
            result[row] = z[k];
        }
        result
    }
}
