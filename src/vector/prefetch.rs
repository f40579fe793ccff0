//! Rows to prefetch.

use std::ops::Range;

use super::{Lanes, Row};

/// Rows that a kernel prefetches while it runs, a share at each of its batches, so that they are cached
/// before their use. The rows may belong to any object: only their address is stored, and nothing is read.
#[derive(Clone, Copy, Debug)]
pub struct Prefetch {
    address: usize,
    rows: usize,
    /// Rows per batch.
    each: usize,
}

impl Prefetch {
    /// No rows.
    pub const NONE: Prefetch = Prefetch {
        address: 0,
        rows: 0,
        each: 0,
    };

    /// All of these rows; the distribution over batches is set later.
    pub fn all(rows: &[Row]) -> Self {
        Prefetch {
            address: rows.as_ptr().addr(),
            rows: rows.len(),
            each: 0,
        }
    }

    /// Distributes the rows over `batches` batches.
    pub fn over(self, batches: usize) -> Self {
        Prefetch {
            each: self.rows.div_ceil(batches.max(1)),
            ..self
        }
    }

    /// The rows that remain after `batches` batches.
    pub fn after(self, batches: usize) -> Self {
        let done = self.each.saturating_mul(batches).min(self.rows);
        Prefetch {
            address: self.address.wrapping_add(done * size_of::<Row>()),
            rows: self.rows - done,
            ..self
        }
    }

    /// Prefetches the share of a batch.
    #[inline(always)]
    pub fn ask<L: Lanes>(&self, batch: usize) {
        for row in self.share(batch) {
            L::ask(self.address.wrapping_add(row * size_of::<Row>()));
        }
    }

    #[inline(always)]
    fn share(&self, batch: usize) -> Range<usize> {
        let begin = (batch * self.each).min(self.rows);
        begin..(begin + self.each).min(self.rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pairs of a block may belong to several classes, each with its own batches.
    #[test]
    fn each_row_is_asked_for_once() {
        let rows = [Row::default(); 100];
        for classes in [&[7][..], &[300], &[1, 0, 13, 2], &[0, 1], &[50, 50]] {
            let mut soon = Prefetch::all(&rows).over(classes.iter().sum());
            let mut seen = Vec::new();
            for &batches in classes {
                let row = |place| (soon.address - rows.as_ptr().addr()) / size_of::<Row>() + place;
                seen.extend((0..batches).flat_map(|batch| soon.share(batch)).map(row));
                soon = soon.after(batches);
            }
            assert_eq!(seen, Vec::from_iter(0..100), "{classes:?}");
        }
        assert!(Prefetch::NONE.over(3).share(0).is_empty());
        assert!(Prefetch::all(&rows).share(5).is_empty());
    }
}
