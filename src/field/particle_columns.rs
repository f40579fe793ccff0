//! Grains as input of the forces between them: columns of eight numbers.

use super::Source;
use crate::vector::{LANES, Row};

/// A grain with the properties that act on others over a distance.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Member {
    /// Centre, m.
    pub position: [f64; 3],
    /// Mass, kg.
    pub mass: f64,
    /// Charge and moments.
    pub source: Source,
}

/// Number of columns: position (3), mass, charge, electric (3) and magnetic moment (3).
const COLUMNS: usize = 11;

/// Many grains; the unused lanes of the last block carry nothing.
#[derive(Clone, Debug, Default)]
pub struct ParticleColumns {
    count: usize,
    columns: [Vec<Row>; COLUMNS],
}

/// Action of all others on a grain.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Action {
    /// Force, N.
    pub force: [f64; 3],
    /// Moment about its centre, N m.
    pub moment: [f64; 3],
}

impl ParticleColumns {
    /// Returns an empty crowd.
    pub fn new() -> Self {
        Self::default()
    }

    /// Removes all grains, keeping the memory.
    pub fn clear(&mut self) {
        self.count = 0;
        self.columns.iter_mut().for_each(Vec::clear);
    }

    /// Adds a grain.
    pub fn push(&mut self, member: &Member) {
        let lane = self.count % LANES;
        let values = flat(member);
        for (column, value) in self.columns.iter_mut().zip(values) {
            if lane == 0 {
                column.push(Row::default());
            }
            if let Some(row) = column.last_mut() {
                row.0[lane] = value;
            }
        }
        self.count += 1;
    }

    /// Returns the number of grains.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are no grains.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns a grain.
    pub fn member(&self, index: usize) -> Member {
        let at = |k: usize| self.columns[k][index / LANES].0[index % LANES];
        let three = |k: usize| [at(k), at(k + 1), at(k + 2)];
        Member {
            position: three(0),
            mass: at(3),
            source: Source {
                charge: at(4),
                electric: three(5),
                magnetic: three(8),
            },
        }
    }

    pub(super) fn places(&self) -> [&[Row]; 3] {
        [&self.columns[0], &self.columns[1], &self.columns[2]]
    }
    pub(super) fn masses(&self) -> &[Row] {
        &self.columns[3]
    }
    pub(super) fn charges(&self) -> &[Row] {
        &self.columns[4]
    }
    pub(super) fn electric(&self) -> [&[Row]; 3] {
        [&self.columns[5], &self.columns[6], &self.columns[7]]
    }
    pub(super) fn magnetic(&self) -> [&[Row]; 3] {
        [&self.columns[8], &self.columns[9], &self.columns[10]]
    }
}

fn flat(member: &Member) -> [f64; COLUMNS] {
    let Member {
        position: [x, y, z],
        mass,
        source,
    } = *member;
    let ([a, b, c], [d, e, f]) = (source.electric, source.magnetic);
    [x, y, z, mass, source.charge, a, b, c, d, e, f]
}
