//! Agglomerates: sets of grains that bonds hold together from the start.

use serde::{Deserialize, Serialize};

use super::GrainId;

/// The agglomerates of a system; each has grains of consecutive numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agglomerates {
    /// Number of the first grain of each, ascending, and of the grain after its last.
    ranges: Vec<[GrainId; 2]>,
}

impl Agglomerates {
    /// Adds an agglomerate of grains with these numbers, which are greater than those of all others.
    pub fn add(&mut self, first: GrainId, count: u32) {
        self.ranges.push([first, first + count]);
    }

    /// Returns the agglomerate to which a grain belonged at the start, by index; none for a loose grain.
    pub fn of(&self, grain: GrainId) -> Option<usize> {
        let after = self.ranges.partition_point(|range| range[0] <= grain);
        let index = after.checked_sub(1)?;
        (grain < self.ranges[index][1]).then_some(index)
    }

    /// Returns their number.
    pub fn count(&self) -> usize {
        self.ranges.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grains_know_their_agglomerate() {
        let mut all = Agglomerates::default();
        assert_eq!(all.of(0), None);
        all.add(2, 3);
        all.add(7, 1);
        let found: Vec<_> = (0..9).map(|grain| all.of(grain)).collect();
        let (a, b) = (Some(0), Some(1));
        assert_eq!(found, [None, None, a, a, a, None, None, b, None]);
    }
}
