//! Walls that stand twice in one place: a grain feels both, so that they are twice as stiff as either.

use std::collections::BTreeMap;

use super::grains::point;
use crate::body::{Boundary, Shape};
use crate::geometry::{Dimension, Vector};

/// Planes that differ by no more than rounding, in their normals and over the size of their places, are one.
const ROUNDING: f64 = 1e-12;

/// A warning for each wall that stands, whole or with a piece of its chain, where another stands and moves like it.
pub(super) fn warnings<D: Dimension>(walls: &[Boundary<D>]) -> Vec<String> {
    let mut pieces = Pieces::default();
    let mut found = Vec::new();
    for (k, wall) in walls.iter().enumerate() {
        let same = |other: &&Boundary<D>| {
            other.motion == wall.motion && same_place(&other.shape, &wall.shape)
        };
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

fn same_place<D: Dimension>(one: &Shape<D>, other: &Shape<D>) -> bool {
    match (one, other) {
        (
            Shape::Plane { point, normal },
            Shape::Plane {
                point: elsewhere,
                normal: across,
            },
        ) => {
            let (normal, across) = (
                *normal * (1.0 / normal.norm()),
                *across * (1.0 / across.norm()),
            );
            let apart = (*elsewhere - *point).dot(&normal).abs();
            let size = point.norm().max(elsewhere.norm());
            (normal - across).norm() <= ROUNDING && apart <= ROUNDING * size
        }
        (
            Shape::Polyline { points, closed },
            Shape::Polyline {
                points: others,
                closed: shut,
            },
        ) => {
            let back = || points.iter().eq(others.iter().rev());
            closed == shut && points.len() == others.len() && (points == others || back())
        }
        _ => one == other,
    }
}

/// Pieces of chains by their ends, whichever comes first, and which wall has them.
#[derive(Default)]
struct Pieces {
    of: BTreeMap<[[u64; 3]; 2], Vec<usize>>,
}

impl Pieces {
    /// Adds the pieces of a wall; the first that a wall before it has too and moves alike, and that wall.
    fn meet<D: Dimension>(
        &mut self,
        walls: &[Boundary<D>],
        index: usize,
    ) -> Option<(usize, [D::Vector; 2])> {
        let wall = &walls[index];
        let Shape::Polyline { points, closed } = &wall.shape else {
            return None;
        };
        let ends = points.first().zip(points.last()).filter(|_| *closed);
        let last = ends.map(|(first, last)| [*last, *first]);
        let mut met = None;
        for piece in points.windows(2).map(|pair| [pair[0], pair[1]]).chain(last) {
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
    // 0 and -0 are one place.
    std::array::from_fn(|k| {
        if k < V::LEN {
            (x[k] + 0.0).to_bits()
        } else {
            0
        }
    })
}
