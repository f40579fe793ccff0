//! Cells of what comes, moves and goes one by one, without bounds: only those that hold somebody are kept.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::PeriodicAxis;
use crate::geometry::{Dimension, Vector};

const NONE: u32 = u32::MAX;
/// Cells to either side of the origin at most: what is further away shares the outermost.
const MOST: i32 = i32::MAX / 2;

/// A cell, by whole numbers along the axes.
pub type Cell = [i32; 3];

/// How space is cut into cells.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Lattice {
    origin: [f64; 3],
    widths: [f64; 3],
    /// How many there are along axes that repeat; 0 of others.
    rounds: [i32; 3],
}

impl Lattice {
    /// Cells of a width of at least `width`, m; along periodic axes a whole number of them.
    pub fn new(width: f64, periodic: &[Option<PeriodicAxis>]) -> Self {
        let width = width.max(f64::MIN_POSITIVE);
        let mut lattice = Lattice {
            origin: [0.0; 3],
            widths: [width; 3],
            rounds: [0; 3],
        };
        for (k, axis) in periodic.iter().enumerate() {
            if let Some(axis) = axis {
                let count = (axis.length / width).floor().clamp(1.0, 1e6);
                lattice.origin[k] = axis.origin;
                lattice.widths[k] = axis.length / count;
                lattice.rounds[k] = count as i32;
            }
        }
        lattice
    }

    /// Width of the cells along an axis, m.
    pub fn width(&self, k: usize) -> f64 {
        self.widths[k]
    }

    /// Number along an axis, as if none repeated.
    #[inline]
    fn along(&self, k: usize, x: f64) -> i32 {
        // A cast stops at the ends of its range.
        (((x - self.origin[k]) / self.widths[k]).floor() as i32).clamp(-MOST, MOST)
    }

    /// The cell of a place.
    #[inline]
    pub fn cell<V: Vector>(&self, place: V) -> Cell {
        std::array::from_fn(|k| {
            if k >= V::LEN {
                return 0;
            }
            let at = self.along(k, place[k]);
            if self.rounds[k] > 0 {
                at.rem_euclid(self.rounds[k])
            } else {
                at
            }
        })
    }

    /// How far a place is from the lower and the upper end of its cell along an axis, m.
    pub fn ends(&self, k: usize, place: f64) -> [f64; 2] {
        let width = self.widths[k];
        let low = (place - self.origin[k]) - ((place - self.origin[k]) / width).floor() * width;
        [low, width - low]
    }

    /// Along which axes any image of what is around may be the nearest: where few cells go round.
    pub fn few(&self) -> [bool; 3] {
        self.rounds.map(|rounds| (1..4).contains(&rounds))
    }

    /// First and number of the cells along each axis that hold all within `reach` of a place; each once.
    fn spans<V: Vector>(&self, place: V, reach: f64) -> [(i32, i32); 3] {
        std::array::from_fn(|k| {
            if k >= V::LEN {
                return (0, 1);
            }
            let (low, high) = (
                self.along(k, place[k] - reach),
                self.along(k, place[k] + reach),
            );
            match self.rounds[k] {
                rounds if rounds > 0 && high - low >= rounds => (0, rounds),
                _ => (low, high - low + 1),
            }
        })
    }

    /// The same of the cells around one, itself included.
    fn spans_around<D: Dimension>(&self, cell: Cell) -> [(i32, i32); 3] {
        std::array::from_fn(|k| match self.rounds[k] {
            _ if k >= D::N => (0, 1),
            rounds @ 1..3 => (0, rounds),
            _ => (cell[k] - 1, 3),
        })
    }
}

/// Numbers in cells, each cell a chain of them.
#[derive(Clone, Debug, Default)]
pub struct DynamicCells {
    lattice: Lattice,
    // Looked up; what goes through all of it tells in no order.
    heads: FxHashMap<Cell, u32>,
    /// By number: the next in the chain, and the cell.
    next: Vec<u32>,
    cells: Vec<Option<Cell>>,
    len: usize,
}

impl DynamicCells {
    /// Empty cells.
    pub fn new(lattice: Lattice) -> Self {
        DynamicCells {
            lattice,
            ..Self::default()
        }
    }

    /// How space is cut.
    pub fn lattice(&self) -> &Lattice {
        &self.lattice
    }

    /// How many numbers there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Puts a number where it is now.
    pub fn insert<V: Vector>(&mut self, number: u32, place: V) {
        let cell = self.lattice.cell(place);
        let n = number as usize;
        if self.next.len() <= n {
            self.next.resize(n + 1, NONE);
            self.cells.resize(n + 1, None);
        }
        if self.cells[n] == Some(cell) {
            return;
        }
        self.remove(number);
        self.next[n] = self.heads.insert(cell, number).unwrap_or(NONE);
        self.cells[n] = Some(cell);
        self.len += 1;
    }

    /// Takes a number out, if it is there.
    pub fn remove(&mut self, number: u32) {
        let n = number as usize;
        let Some(cell) = self.cells.get_mut(n).and_then(Option::take) else {
            return;
        };
        self.len -= 1;
        let after = self.next[n];
        let Some(head) = self.heads.get_mut(&cell) else {
            return;
        };
        if *head != number {
            let mut at = *head;
            while at != NONE && self.next[at as usize] != number {
                at = self.next[at as usize];
            }
            if at != NONE {
                self.next[at as usize] = after;
            }
        } else if after == NONE {
            self.heads.remove(&cell);
        } else {
            *head = after;
        }
    }

    /// The cell of a number, if it is there.
    pub fn cell_of(&self, number: u32) -> Option<Cell> {
        self.cells.get(number as usize).copied().flatten()
    }

    /// Calls back with all whose place may be within `reach` (m) of a place, in no particular order; of periodic axes any image.
    pub fn near<V: Vector>(&self, place: V, reach: f64, f: impl FnMut(u32)) {
        if self.len > 0 {
            self.each(self.lattice.spans(place, reach), f);
        }
    }

    /// Calls back with all in a cell and those around it, in no particular order.
    pub fn around<D: Dimension>(&self, cell: Cell, f: impl FnMut(u32)) {
        self.each(self.lattice.spans_around::<D>(cell), f);
    }

    fn each(&self, spans: [(i32, i32); 3], mut f: impl FnMut(u32)) {
        let mut chain = |head: u32| {
            let mut at = head;
            while at != NONE {
                f(at);
                at = self.next[at as usize];
            }
        };
        let count = spans.iter().map(|&(_, count)| count as usize);
        if count.fold(1, usize::saturating_mul) > self.heads.len() {
            // Fewer cells hold somebody than would be asked.
            self.heads.values().for_each(|&head| chain(head));
            return;
        }
        let turned = |k: usize, at: i32| match self.lattice.rounds[k] {
            0 => at,
            rounds => at.rem_euclid(rounds),
        };
        let [x, y, z] = spans.map(|(first, count)| first..first.saturating_add(count));
        for z in z {
            let z = turned(2, z);
            for y in y.clone() {
                let y = turned(1, y);
                for x in x.clone() {
                    if let Some(&head) = self.heads.get(&[turned(0, x), y, z]) {
                        chain(head);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{Planar, Spatial};
    use rand::{RngExt, SeedableRng};

    /// Random comings, moves and goings: all that a search through everything finds is found, once, and nobody who is gone.
    fn compare<D: Dimension>(periodic: &[Option<PeriodicAxis>], seed: u64) {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
        let mut cells = DynamicCells::new(Lattice::new(0.21, periodic));
        let mut bodies: Vec<(u32, D::Vector)> = Vec::new();
        for number in 0..500u32 {
            let wide = 1.0 + f64::from(number) / 40.0;
            let mut place = || {
                let x = D::Vector::from_fn(|_| wide * (rng.random::<f64>() - 0.5));
                super::super::wrapped::<D>(periodic, x)
            };
            let (x, moved, point) = (place(), place(), place());
            bodies.push((number, x));
            cells.insert(number, x);
            if number % 3 == 2 {
                let one = rng.random_range(0..bodies.len());
                bodies[one].1 = moved;
                cells.insert(bodies[one].0, moved);
                let gone = rng.random_range(0..bodies.len());
                let (number, _) = bodies.swap_remove(gone);
                cells.remove(number);
                assert_eq!(cells.cell_of(number), None);
            }
            assert_eq!(cells.len(), bodies.len());
            let reach = [0.1, 0.5, 3.0, 1e12][number as usize % 4];
            let mut found = Vec::new();
            cells.near(point, reach, |n| found.push(n));
            found.sort_unstable();
            assert!(found.windows(2).all(|two| two[0] < two[1]), "twice");
            for (number, x) in &bodies {
                let far = D::Vector::from_fn(|k| {
                    let by = x[k] - point[k];
                    periodic[k].map_or(by, |axis| axis.shorten(by))
                });
                let near = far.norm() < reach;
                assert!(!near || found.contains(number), "{number} is near");
                let mut around = Vec::new();
                cells.around::<D>(cells.lattice().cell(point), |n| around.push(n));
                let near = (0..D::N).all(|k| far[k].abs() < cells.lattice().width(k));
                assert!(!near || around.contains(number), "{number} is around");
            }
            for number in found {
                assert!(bodies.iter().any(|b| b.0 == number), "{number} is gone");
            }
        }
    }

    #[test]
    fn finds_all_that_a_search_through_everything_finds() {
        let axis = |length: f64| {
            let origin = -0.5 * length;
            Some(PeriodicAxis { origin, length })
        };
        compare::<Planar>(&[None, None], 1);
        compare::<Spatial>(&[None; 3], 2);
        // So many cells go round that few, one or many are around.
        compare::<Planar>(&[axis(0.5), None], 3);
        compare::<Spatial>(&[axis(1.0), axis(0.2), None], 4);
        compare::<Spatial>(&[None, axis(7.0), axis(0.7)], 5);
    }
}
