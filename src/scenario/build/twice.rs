//! Warns of coincident walls: a grain feels both, so that they are twice as stiff as one.

use std::collections::BTreeMap;

use super::grains::point;
use crate::geometry::{Dimension, Vector};
use crate::walls::Boundary;

/// Returns a warning for each wall that coincides, completely or with one piece of its chain, with another that moves
/// like it.
pub(super) fn warnings<D: Dimension>(walls: &[Boundary<D>]) -> Vec<String> {
    let mut pieces = Pieces::default();
    let mut found = Vec::new();
    for (k, wall) in walls.iter().enumerate() {
        let same =
            |other: &&Boundary<D>| other.motion == wall.motion && other.shape.is_same(&wall.shape);
        if let Some(other) = walls[..k].iter().find(same) {
            found.push(format!(
                "the walls `{}` and `{}` stand in the same place: grains feel both",
                other.name, wall.name
            ));
        } else if let Some((other, [from, to])) = pieces.meet(walls, k) {
            found.push(format!(
                "the walls `{}` and `{}` both go from {} to {}: grains feel both there",
                walls[other].name,
                wall.name,
                point(&from),
                point(&to)
            ));
        }
    }
    found
}

/// Pieces of chains by their ends, in either order, with the walls that have them.
#[derive(Default)]
struct Pieces {
    of: BTreeMap<[[u64; 3]; 2], Vec<usize>>,
}

impl Pieces {
    /// Adds the pieces of a wall; returns the first of them that an earlier wall with the same motion has too, and
    /// that wall.
    fn meet<D: Dimension>(
        &mut self,
        walls: &[Boundary<D>],
        index: usize,
    ) -> Option<(usize, [D::Vector; 2])> {
        let wall = &walls[index];
        let mut met = None;
        for piece in wall.shape.pieces() {
            let mut key = piece.map(bits);
            key.sort_unstable();
            let having = self.of.entry(key).or_default();
            let alike = |other: &usize| *other != index && walls[*other].motion == wall.motion;
            let other = having.iter().copied().find(alike);
            met = met.or(other.map(|other| (other, piece)));
            having.push(index);
        }
        met
    }
}

fn bits<V: Vector>(x: V) -> [u64; 3] {
    // 0 and -0 are the same coordinate.
    std::array::from_fn(|k| {
        if k < V::LEN {
            (x[k] + 0.0).to_bits()
        } else {
            0
        }
    })
}
