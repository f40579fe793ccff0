//! Pivots of a symmetric matrix, and its directions without resistance.

use std::collections::{BTreeMap, VecDeque};

/// A pivot below this fraction of its diagonal entry counts as zero: the square root of the
/// rounding error. After a pivot p, entries that should vanish are as large as rounding / p; so no
/// valid pivot raises them above this bound.
const NONE: f64 = 1e-8;

/// A symmetric matrix, assembled entry by entry.
#[derive(Clone, Debug, Default)]
pub struct SymmetricRows {
    /// Entries up to the diagonal, and their mirror images.
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

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Adds to an entry; the caller adds its mirror image by another call.
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
    /// Factors a matrix. A zero pivot stands for a motion without resistance.
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
            // `row` contains t = l d until it is divided.
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

    /// The least ratio of a pivot to its diagonal entry; infinite without rows.
    pub fn least(&self) -> f64 {
        self.least
    }

    /// Number of negative pivots: the matrix is unstable in as many directions.
    pub fn negative(&self) -> usize {
        self.negative
    }

    /// Number of zero pivots.
    pub fn none(&self) -> usize {
        self.none.len()
    }

    /// Directions without resistance, one for each zero pivot, then the unstable ones. Each is the
    /// column of the inverse of L^T at its pivot.
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
