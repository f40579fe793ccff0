//! Cells of bodies that stand still: put in and taken out one by one, for the price of one cell.

use crate::geometry::{Dimension, Vector};

const NONE: u32 = u32::MAX;

/// Numbered points in cells of a fixed width, each cell a chain. What lies outside of the box that
/// the cells were made for is in the nearest cell, so that nothing is ever missed.
#[derive(Clone, Debug, Default)]
pub struct StillCells<D: Dimension> {
    low: D::Vector,
    width: f64,
    counts: [usize; 3],
    /// First of each cell's chain.
    heads: Vec<u32>,
    /// Next in the chain, by number.
    next: Vec<u32>,
    /// Cell of each number.
    cell: Vec<u32>,
    largest: f64,
    len: usize,
    /// How many there were when the box was made.
    made_for: usize,
}

impl<D: Dimension> StillCells<D> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// True when the box should be made anew: far more have come than it was made for.
    pub fn outgrown(&self) -> bool {
        self.len > 2 * self.made_for + 16
    }

    /// Takes in all bodies (number, centre, radius) anew, in cells `margin` wider than the largest.
    pub fn build(&mut self, bodies: &[(u32, D::Vector, f64)], margin: f64) {
        let first = bodies.first().map_or(D::Vector::default(), |b| b.1);
        let (mut low, mut high) = (first, first);
        self.largest = 0.0;
        for (_, x, radius) in bodies {
            low = D::Vector::from_fn(|k| low[k].min(x[k]));
            high = D::Vector::from_fn(|k| high[k].max(x[k]));
            self.largest = self.largest.max(*radius);
        }
        self.low = low;
        self.width = (2.0 * self.largest + margin).max(f64::MIN_POSITIVE);
        // No more cells than a few for each body, whatever the extent.
        let most = 4 * bodies.len() + 64;
        loop {
            self.counts = std::array::from_fn(|k| {
                if k < D::N {
                    1 + (((high[k] - low[k]) / self.width) as usize).min(most)
                } else {
                    1
                }
            });
            if self.counts.iter().product::<usize>() <= most {
                break;
            }
            self.width *= 2.0;
        }
        self.heads.clear();
        self.heads.resize(self.counts.iter().product(), NONE);
        self.cell.fill(NONE);
        self.len = 0;
        self.made_for = bodies.len();
        for (number, x, radius) in bodies {
            self.insert(*number, *x, *radius);
        }
    }

    fn along(&self, k: usize, x: f64) -> usize {
        // A cast takes what is below to 0.
        (((x - self.low[k]) / self.width) as usize).min(self.counts[k] - 1)
    }

    fn cell_at(&self, at: [usize; 3]) -> usize {
        (at[2] * self.counts[1] + at[1]) * self.counts[0] + at[0]
    }

    /// Puts a body in.
    pub fn insert(&mut self, number: u32, x: D::Vector, radius: f64) {
        if self.heads.is_empty() {
            self.build(&[(number, x, radius)], radius);
            return;
        }
        let n = number as usize;
        if self.cell.len() <= n {
            self.cell.resize(n + 1, NONE);
            self.next.resize(n + 1, NONE);
        }
        let at = std::array::from_fn(|k| if k < D::N { self.along(k, x[k]) } else { 0 });
        let cell = self.cell_at(at);
        self.largest = self.largest.max(radius);
        self.next[n] = self.heads[cell];
        self.heads[cell] = number;
        self.cell[n] = cell as u32;
        self.len += 1;
    }

    /// Takes a body out.
    pub fn remove(&mut self, number: u32) {
        let n = number as usize;
        let Some(&cell) = self.cell.get(n).filter(|&&cell| cell != NONE) else {
            return;
        };
        let after = self.next[n];
        let head = &mut self.heads[cell as usize];
        if *head == number {
            *head = after;
        } else {
            let mut at = *head;
            while at != NONE && self.next[at as usize] != number {
                at = self.next[at as usize];
            }
            if at != NONE {
                self.next[at as usize] = after;
            }
        }
        self.cell[n] = NONE;
        self.len -= 1;
    }

    /// Tells where a body has moved to.
    pub fn relocate(&mut self, number: u32, x: D::Vector) {
        let at = std::array::from_fn(|k| if k < D::N { self.along(k, x[k]) } else { 0 });
        let n = number as usize;
        if self
            .cell
            .get(n)
            .is_some_and(|&c| c != NONE && c as usize != self.cell_at(at))
        {
            self.remove(number);
            self.insert(number, x, 0.0);
        }
    }

    /// Calls back with the number of each body whose centre may be nearer to a point than `reach`
    /// and its own radius, in no particular order.
    pub fn near(&self, x: D::Vector, reach: f64, mut f: impl FnMut(u32)) {
        if self.len == 0 {
            return;
        }
        let reach = reach + self.largest;
        let range = |k: usize| {
            if k < D::N {
                self.along(k, x[k] - reach)..=self.along(k, x[k] + reach)
            } else {
                0..=0
            }
        };
        for k in range(2) {
            for j in range(1) {
                for i in range(0) {
                    let mut at = self.heads[self.cell_at([i, j, k])];
                    while at != NONE {
                        f(at);
                        at = self.next[at as usize];
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Planar;
    use nalgebra::Vector2;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn finds_all_that_a_search_through_everything_finds() {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
        let mut cells = StillCells::<Planar>::default();
        let mut bodies: Vec<(u32, Vector2<f64>, f64)> = Vec::new();
        for number in 0..400u32 {
            // The box grows far beyond what the first were in.
            let wide = 1.0 + f64::from(number) / 40.0;
            let x = Vector2::from_fn(|_, _| wide * (rng.random::<f64>() - 0.5));
            let radius = 0.05 + 0.05 * rng.random::<f64>();
            bodies.push((number, x, radius));
            cells.insert(number, x, radius);
            if number % 3 == 2 {
                let gone = rng.random_range(0..bodies.len());
                cells.remove(bodies.swap_remove(gone).0);
            }
            if cells.outgrown() {
                cells.build(&bodies, 0.1);
            }
            assert_eq!(cells.len(), bodies.len());
            let point = Vector2::from_fn(|_, _| wide * (rng.random::<f64>() - 0.5));
            let reach = 0.3;
            let mut found = Vec::new();
            cells.near(point, reach, |n| found.push(n));
            for (number, x, radius) in &bodies {
                if (x - point).norm() < reach + radius {
                    assert!(found.contains(number), "{number} is near");
                }
            }
            for number in found {
                assert!(bodies.iter().any(|b| b.0 == number), "{number} is gone");
            }
        }
    }
}
