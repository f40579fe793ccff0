//! Position of a ball within the grain that it is a part of.

use crate::geometry::{Dimension, Vector};

/// Position and size of a part of a grain: they determine how the part moves with the grain, and how forces on the
/// part act on the grain. Rotations and moments are in the kernels' form: a rotation is multiplied by the radius of
/// the rotating body, a moment is divided by it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lever<D: Dimension> {
    /// From the centre of the grain to that of the part, relative to the radius of the grain.
    pub arm: D::Vector,
    /// Radius of the part relative to that of the grain.
    pub share: f64,
}

impl<D: Dimension> Lever<D> {
    /// Returns the lever of a grain that is a single ball.
    pub fn ball() -> Self {
        Lever {
            arm: D::Vector::default(),
            share: 1.0,
        }
    }

    /// Returns the displacement of the part, and its rotation times its radius, from those of the grain.
    pub fn along(&self, way: D::Vector, turn: [f64; 3]) -> (D::Vector, [f64; 3]) {
        let spin = D::spin_from_fn(|k| turn[k]);
        let moved = way + D::cross_spin(spin, self.arm);
        (moved, turn.map(|t| t * self.share))
    }

    /// Returns the moment over the radius of the grain, from a force at the part and a moment over the part's radius.
    pub fn moment(&self, force: D::Vector, moment: D::Spin) -> D::Spin {
        D::moment(self.arm, force) + moment * self.share
    }

    /// Converts force and moment over the radius at the part to those at the grain.
    pub fn at_grain(&self, push: [f64; 6]) -> [f64; 6] {
        let force = D::Vector::from_fn(|k| push[k]);
        let moment = self.moment(force, D::spin_from_fn(|k| push[3 + k]));
        std::array::from_fn(|k| match k {
            3.. if k - 3 < D::SPINS => D::spin_component(moment, k - 3),
            3.. => 0.0,
            _ => push[k],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{Planar, Spatial};
    use nalgebra::{Vector2, Vector3};

    /// The work of a force and moment is the same at the part and at the grain, whatever the displacement.
    fn works<D: Dimension>(lever: Lever<D>, way: D::Vector, turn: [f64; 3], push: [f64; 6]) {
        let work = |way: D::Vector, turn: [f64; 3], push: [f64; 6]| -> f64 {
            let across: f64 = (0..D::N).map(|k| way[k] * push[k]).sum();
            across + (0..3).map(|k| turn[k] * push[3 + k]).sum::<f64>()
        };
        let (moved, turned) = lever.along(way, turn);
        let (at_part, at_grain) = (
            work(moved, turned, push),
            work(way, turn, lever.at_grain(push)),
        );
        assert!((at_part - at_grain).abs() < 1e-15, "{at_part} {at_grain}");
    }

    #[test]
    fn work_is_the_same_at_the_part_and_at_the_grain() {
        let lever = Lever::<Planar> {
            arm: Vector2::new(0.3, -0.5),
            share: 0.4,
        };
        let push = [0.2, -0.7, 0.0, 0.6, 0.0, 0.0];
        works(lever, Vector2::new(0.1, 0.9), [0.8, 0.0, 0.0], push);
        let lever = Lever::<Spatial> {
            arm: Vector3::new(0.3, -0.5, 0.2),
            share: 0.4,
        };
        let push = [0.2, -0.7, 0.5, 0.6, 0.1, -0.3];
        works(lever, Vector3::new(0.1, 0.9, -0.4), [0.8, -0.2, 0.5], push);
    }

    #[test]
    fn a_ball_by_itself_is_its_own_grain() {
        let push = [0.2, -0.7, 0.5, 0.6, 0.1, -0.3];
        assert_eq!(Lever::<Spatial>::ball().at_grain(push), push);
    }
}
