//! Contributions of links to the stress of a cell, summed by the kernels.

use super::Tensor;
use crate::vector::{Lanes, Row};

/// Sums over links, in eight lanes, of the vector from the second grain to the first times the
/// force on the first.
#[derive(Clone, Debug, Default)]
pub struct CellSums {
    whole: [[Row; 3]; 3],
    dampers: [[Row; 3]; 3],
}

impl CellSums {
    /// Adds eight links: vectors between grains, forces, and the dampers' share of them.
    #[inline(always)]
    pub(in crate::cluster) fn add<L: Lanes, const N: usize>(
        &mut self,
        way: [L; N],
        force: [L; N],
        damper: [L; N],
    ) {
        for i in 0..N {
            for j in 0..N {
                let sum = &mut self.whole[i][j];
                L::load(sum).add(way[i].mul(force[j])).store(sum);
                let sum = &mut self.dampers[i][j];
                L::load(sum).add(way[i].mul(damper[j])).store(sum);
            }
        }
    }

    /// Adds one link.
    pub(in crate::cluster) fn add_one(&mut self, way: [f64; 3], force: [f64; 3], damper: [f64; 3]) {
        for i in 0..3 {
            for j in 0..3 {
                self.whole[i][j].0[0] += way[i] * force[j];
                self.dampers[i][j].0[0] += way[i] * damper[j];
            }
        }
    }

    /// Sums over all links, and of the dampers' share, in a fixed order.
    pub fn totals(&self) -> [Tensor; 2] {
        let total = |row: Row| {
            let a = row.0;
            ((a[0] + a[4]) + (a[2] + a[6])) + ((a[1] + a[5]) + (a[3] + a[7]))
        };
        [self.whole, self.dampers].map(|rows| rows.map(|row| row.map(total)))
    }
}
