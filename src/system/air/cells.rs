//! Cells of flyers and of stepped grains, without bounds: only those that hold somebody are kept.

use rustc_hash::FxHashMap;

use super::AirState;
use crate::geometry::Vector;

const NONE: u32 = u32::MAX;

/// Who is in which cell, each cell a chain of numbers.
#[derive(Clone, Debug, Default)]
pub(in crate::system) struct Cells {
    // Looked up, never iterated over: its order decides nothing.
    heads: FxHashMap<[i32; 3], u32>,
    next: Vec<u32>,
}

impl Cells {
    /// Nobody is anywhere.
    pub fn clear(&mut self) {
        self.heads.clear();
    }

    /// Puts a number into a cell.
    pub fn insert(&mut self, id: u32, cell: [i32; 3]) {
        let n = id as usize;
        if self.next.len() <= n {
            self.next.resize(n + 1, NONE);
        }
        self.next[n] = self.heads.insert(cell, id).unwrap_or(NONE);
    }

    /// Takes it out.
    pub fn remove(&mut self, id: u32, cell: [i32; 3]) {
        let after = self.next[id as usize];
        let Some(head) = self.heads.get_mut(&cell) else {
            return;
        };
        if *head != id {
            let mut at = *head;
            while at != NONE && self.next[at as usize] != id {
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

    /// Calls back with all in a cell, in no particular order.
    fn each(&self, cell: [i32; 3], f: &mut impl FnMut(u32)) {
        let mut at = self.heads.get(&cell).copied().unwrap_or(NONE);
        while at != NONE {
            f(at);
            at = self.next[at as usize];
        }
    }
}

/// How far beyond its cell a flyer goes before it is in the next, over the width: so that rounding
/// never leaves it between two.
pub(super) const SLACK: f64 = 0.02;

impl AirState {
    /// Lays out cells of a width of at least `width`, m, for grains spread by `spread` each.
    pub fn lay_out(
        &mut self,
        width: f64,
        spread: f64,
        periodic: &[Option<crate::neighbor::PeriodicAxis>],
    ) {
        let width = width.max(spread).max(f64::MIN_POSITIVE);
        self.widths = [width; 3];
        self.origin = [0.0; 3];
        self.rounds = [0; 3];
        for (k, axis) in periodic.iter().enumerate() {
            if let Some(axis) = axis {
                let count = (axis.length / width).floor().clamp(1.0, 1e6);
                self.origin[k] = axis.origin;
                self.widths[k] = axis.length / count;
                self.rounds[k] = count as i32;
            }
        }
    }

    /// The cell of a place.
    pub fn cell<V: Vector>(&self, place: V) -> [i32; 3] {
        std::array::from_fn(|k| {
            if k >= V::LEN {
                return 0;
            }
            // A cast stops at the ends of its range: what is too far away shares a cell.
            let at = ((place[k] - self.origin[k]) / self.widths[k]).floor() as i32;
            if self.rounds[k] > 0 {
                at.rem_euclid(self.rounds[k])
            } else {
                at.clamp(-(1 << 30), 1 << 30)
            }
        })
    }

    /// How far a place is from the lower and the upper end of its cell along an axis, m.
    pub fn ends(&self, k: usize, place: f64) -> [f64; 2] {
        let width = self.widths[k];
        let low = (place - self.origin[k]) - ((place - self.origin[k]) / width).floor() * width;
        [low, width - low]
    }

    /// Along which axes any image of a grain around may be the nearest: where few cells go round.
    pub fn images(&self) -> [bool; 3] {
        self.rounds.map(|rounds| (1..4).contains(&rounds))
    }

    /// The cells around one, itself included; each once.
    pub fn around(&self, n: usize, cell: [i32; 3], mut f: impl FnMut([i32; 3])) {
        let range = |k: usize| {
            if k >= n || self.rounds[k] == 1 {
                0..=0
            } else if self.rounds[k] == 2 {
                0..=1
            } else {
                -1..=1
            }
        };
        for z in range(2) {
            for y in range(1) {
                for x in range(0) {
                    let mut at = [cell[0] + x, cell[1] + y, cell[2] + z];
                    for (at, &rounds) in at.iter_mut().zip(&self.rounds) {
                        if rounds > 0 {
                            *at = at.rem_euclid(rounds);
                        }
                    }
                    f(at);
                }
            }
        }
    }
}

impl super::Air {
    /// Who is in the cells around one, into `found`.
    pub(super) fn gather(&mut self, n: usize, cell: [i32; 3]) {
        let (cells, found) = (&self.cells, &mut self.found);
        found.clear();
        self.s
            .around(n, cell, |at| cells.each(at, &mut |id| found.push(id)));
    }
}
