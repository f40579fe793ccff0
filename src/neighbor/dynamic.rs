//! Unbounded cells for objects that are inserted, moved and removed one by one; only occupied cells are stored.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::PeriodicAxis;
use crate::geometry::{Dimension, Vector};

const NONE: u32 = u32::MAX;
/// Greatest cell number on either side of the origin: objects further away share the outermost cell.
const MOST: i32 = i32::MAX / 2;

/// A cell, by its integer coordinates.
pub type Cell = [i32; 3];

/// Division of space into cells.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Lattice {
    origin: [f64; 3],
    widths: [f64; 3],
    /// Number of cells along each periodic axis; 0 for others.
    rounds: [i32; 3],
}

impl Lattice {
    /// Cells at least `width` (m) wide; along periodic axes an integer number of them.
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

    /// Cell number along an axis, without periodic wrapping.
    #[inline]
    fn along(&self, k: usize, x: f64) -> i32 {
        let x = (x - self.origin[k]) / self.widths[k];
        // A cast truncates towards 0 and saturates; calling `floor` costs more.
        let at = x as i32;
        at.saturating_sub(i32::from(f64::from(at) > x))
            .clamp(-MOST, MOST)
    }

    /// The cell of a position.
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

    /// Distances from a position to the lower and the upper end of its cell along an axis, m.
    pub fn ends(&self, k: usize, place: f64) -> [f64; 2] {
        let width = self.widths[k];
        let low = (place - self.origin[k]) - ((place - self.origin[k]) / width).floor() * width;
        [low, width - low]
    }

    /// Axes with so few cells that any image of a neighbour may be the nearest.
    pub fn few(&self) -> [bool; 3] {
        self.rounds.map(|rounds| (1..4).contains(&rounds))
    }

    /// First cell and number of cells along each axis that cover everything within `reach` of a position; each cell once.
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

    /// Whether spans contain a cell.
    fn holds(&self, spans: [(i32, i32); 3], cell: Cell) -> bool {
        (0..3).all(|k| {
            let (first, count) = spans[k];
            match self.rounds[k] {
                0 => (first..first.saturating_add(count)).contains(&cell[k]),
                rounds => (cell[k] - first).rem_euclid(rounds) < count,
            }
        })
    }

    /// Calls back with each cell of spans, wrapped into the box along periodic axes.
    #[inline]
    fn each_within(&self, spans: [(i32, i32); 3], mut f: impl FnMut(Cell)) {
        let turned = |k: usize, at: i32| match self.rounds[k] {
            0 => at,
            rounds => at.rem_euclid(rounds),
        };
        let [x, y, z] = spans.map(|(first, count)| first..first.saturating_add(count));
        for z in z {
            let z = turned(2, z);
            for y in y.clone() {
                let y = turned(1, y);
                for x in x.clone() {
                    f([turned(0, x), y, z]);
                }
            }
        }
    }

    /// Spans of the cells around a cell, including the cell itself.
    fn spans_around<D: Dimension>(&self, cell: Cell) -> [(i32, i32); 3] {
        std::array::from_fn(|k| match self.rounds[k] {
            _ if k >= D::N => (0, 1),
            rounds @ 1..3 => (0, rounds),
            _ => (cell[k] - 1, 3),
        })
    }
}

/// The first number of each occupied cell: in an array where such cells are dense, in a hash map elsewhere.
#[derive(Clone, Debug, Default)]
struct Heads {
    /// First cell of the array, and its number of cells along each axis.
    low: Cell,
    counts: [u32; 3],
    array: Vec<u32>,
    // For look-ups; iterating over it gives no particular order.
    elsewhere: FxHashMap<Cell, u32>,
    /// Size of `elsewhere` above which [`gather`](Self::gather) tries to extend the array.
    due: usize,
}

impl Heads {
    /// Index of a cell in the array.
    #[inline]
    fn place(&self, cell: Cell) -> Option<usize> {
        let [x, y, z] = std::array::from_fn(|k| cell[k].wrapping_sub(self.low[k]) as u32);
        let [nx, ny, nz] = self.counts;
        let within = x < nx && y < ny && z < nz;
        within.then(|| (z as usize * ny as usize + y as usize) * nx as usize + x as usize)
    }

    /// First number of a cell, or [`NONE`] for an empty cell.
    #[inline]
    fn get(&self, cell: Cell) -> u32 {
        match self.place(cell) {
            Some(place) => self.array[place],
            None if self.elsewhere.is_empty() => NONE,
            None => self.elsewhere.get(&cell).copied().unwrap_or(NONE),
        }
    }

    /// Calls back with each cell of the array and its first number.
    fn each_of_array(&self, mut f: impl FnMut(Cell, u32)) {
        let [x, y, z] =
            std::array::from_fn(|k| (0..self.counts[k] as i32).map(move |n| self.low[k] + n));
        let mut heads = self.array.iter();
        for z in z {
            for y in y.clone() {
                for (x, &head) in x.clone().zip(&mut heads) {
                    f([x, y, z], head);
                }
            }
        }
    }

    /// Sets the first number of a cell, or [`NONE`]; returns the former one.
    fn set(&mut self, cell: Cell, head: u32) -> u32 {
        match self.place(cell) {
            Some(place) => std::mem::replace(&mut self.array[place], head),
            None if head == NONE => self.elsewhere.remove(&cell).unwrap_or(NONE),
            None => self.elsewhere.insert(cell, head).unwrap_or(NONE),
        }
    }

    /// Rebuilds the array around all occupied cells, if they are dense enough.
    fn gather(&mut self, held: impl Iterator<Item = Cell> + Clone) {
        let (mut low, mut high) = ([i32::MAX; 3], [i32::MIN; 3]);
        let mut count = 0;
        for cell in held.clone() {
            low = std::array::from_fn(|k| low[k].min(cell[k]));
            high = std::array::from_fn(|k| high[k].max(cell[k]));
            count += 1;
        }
        let most = 8 * count + 256;
        let counts = std::array::from_fn(|k| i64::from(high[k]) - i64::from(low[k]) + 1);
        let volume = counts.iter().try_fold(1, |v: i64, &n| v.checked_mul(n));
        if let Some(volume) = volume.filter(|&v| v <= most) {
            let heads: Vec<(Cell, u32)> = held.map(|cell| (cell, self.get(cell))).collect();
            self.elsewhere.clear();
            (self.low, self.counts) = (low, counts.map(|n| n as u32));
            self.array.clear();
            self.array.resize(volume as usize, NONE);
            for (cell, head) in heads {
                self.set(cell, head);
            }
        }
        // Each call visits all cells: calls are so rare that an insertion costs only a few cells.
        self.due = (2 * self.elsewhere.len()).max(16 + count as usize / 8);
    }
}

/// Numbers in cells; the numbers of each cell form a linked chain.
#[derive(Clone, Debug, Default)]
pub struct DynamicCells {
    lattice: Lattice,
    heads: Heads,
    /// For each number: the next in the chain, and the cell.
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

    /// The division of space into cells.
    pub fn lattice(&self) -> &Lattice {
        &self.lattice
    }

    /// How many numbers the cells contain.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the cells contain no number.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Inserts a number at a position, or moves it there.
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
        self.next[n] = self.heads.set(cell, number);
        self.cells[n] = Some(cell);
        self.len += 1;
        if self.heads.elsewhere.len() > self.heads.due {
            self.heads.gather(self.cells.iter().copied().flatten());
        }
    }

    /// Removes a number, if present.
    pub fn remove(&mut self, number: u32) {
        let n = number as usize;
        let Some(cell) = self.cells.get_mut(n).and_then(Option::take) else {
            return;
        };
        self.len -= 1;
        let after = self.next[n];
        let mut at = self.heads.get(cell);
        if at == number {
            self.heads.set(cell, after);
            return;
        }
        while at != NONE && self.next[at as usize] != number {
            at = self.next[at as usize];
        }
        if at != NONE {
            self.next[at as usize] = after;
        }
    }

    /// The cell of a number, if present.
    pub fn cell_of(&self, number: u32) -> Option<Cell> {
        self.cells.get(number as usize).copied().flatten()
    }

    /// Calls back with all numbers whose position may be within `reach` (m) of a position, in no
    /// particular order; along periodic axes any image counts.
    pub fn near<V: Vector>(&self, place: V, reach: f64, f: impl FnMut(u32)) {
        if self.len > 0 {
            self.each(self.lattice.spans(place, reach), f);
        }
    }

    /// Calls back with all numbers in a cell and the cells around it, in no particular order.
    pub fn around<D: Dimension>(&self, cell: Cell, f: impl FnMut(u32)) {
        self.each(self.lattice.spans_around::<D>(cell), f);
    }

    /// Calls back with exactly the numbers in the cells of spans: the set must not depend on how cells are stored.
    fn each(&self, spans: [(i32, i32); 3], mut f: impl FnMut(u32)) {
        let mut chain = |head: u32| {
            let mut at = head;
            while at != NONE {
                f(at);
                at = self.next[at as usize];
            }
        };
        let heads = &self.heads;
        let count = spans.iter().map(|&(_, count)| count as usize);
        let count = count.fold(1, usize::saturating_mul);
        if count <= heads.elsewhere.len() {
            self.lattice
                .each_within(spans, |cell| chain(heads.get(cell)));
            return;
        }
        // `elsewhere` has fewer cells than the spans.
        for (&cell, &head) in &heads.elsewhere {
            if self.lattice.holds(spans, cell) {
                chain(head);
            }
        }
        if count > heads.array.len() {
            heads.each_of_array(|cell, head| {
                if head != NONE && self.lattice.holds(spans, cell) {
                    chain(head);
                }
            });
        } else {
            self.lattice.each_within(spans, |cell| {
                if let Some(place) = heads.place(cell) {
                    chain(heads.array[place]);
                }
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{Planar, Spatial};
    use rand::{RngExt, SeedableRng};

    /// Inserts, moves and removes at random: the cells give all that an exhaustive search gives, once, and nothing removed.
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
            // The history of the cells does not affect the result.
            let mut anew = DynamicCells::new(cells.lattice().clone());
            let mut again = Vec::new();
            bodies.iter().for_each(|&(n, x)| anew.insert(n, x));
            anew.near(point, reach, |n| again.push(n));
            again.sort_unstable();
            assert_eq!(found, again);
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
        // Few, one or many cells along periodic axes.
        compare::<Planar>(&[axis(0.5), None], 3);
        compare::<Spatial>(&[axis(1.0), axis(0.2), None], 4);
        compare::<Spatial>(&[None, axis(7.0), axis(0.7)], 5);
    }
}
