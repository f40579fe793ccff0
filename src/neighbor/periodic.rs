//! Periodic directions: wrapped coordinates and nearest images.

use serde::{Deserialize, Serialize};

use crate::geometry::{Dimension, Vector};

/// A periodic direction.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PeriodicAxis {
    /// Least coordinate, m.
    pub origin: f64,
    /// Length, m.
    pub length: f64,
}

impl PeriodicAxis {
    /// The image of a coordinate inside the box.
    pub fn wrap(&self, x: f64) -> f64 {
        let turns = ((x - self.origin) / self.length).floor();
        // Most coordinates are inside and must not change by rounding.
        if turns == 0.0 {
            x
        } else {
            x - turns * self.length
        }
    }

    /// The shortest image of a difference of two coordinates inside the box.
    #[inline(always)]
    pub fn shorten(&self, delta: f64) -> f64 {
        let half = 0.5 * self.length;
        if delta > half {
            delta - self.length
        } else if delta < -half {
            delta + self.length
        } else {
            delta
        }
    }
}

/// Wraps a position into the box of periodic directions, m.
pub fn wrapped<D: Dimension>(periodic: &[Option<PeriodicAxis>], x: D::Vector) -> D::Vector {
    D::Vector::from_fn(|k| match periodic.get(k).copied().flatten() {
        Some(axis) => axis.wrap(x[k]),
        None => x[k],
    })
}

/// The shortest image of a difference of two positions, in the box or not, m.
pub(crate) fn nearest<D: Dimension>(periodic: &[Option<PeriodicAxis>], d: D::Vector) -> D::Vector {
    D::Vector::from_fn(|k| match periodic.get(k).copied().flatten() {
        Some(axis) => d[k] - axis.length * (d[k] / axis.length).round(),
        None => d[k],
    })
}

/// The images of a position, in the box or beside it, from which something in the box may be within
/// `reach`, m; the image in the box first.
pub fn images_within<D: Dimension>(
    periodic: &[Option<PeriodicAxis>],
    x: D::Vector,
    reach: f64,
) -> Vec<D::Vector> {
    let mut images = vec![wrapped::<D>(periodic, x)];
    for (k, axis) in periodic.iter().enumerate() {
        let Some(axis) = axis else { continue };
        for n in 0..images.len() {
            let at = images[n];
            let mut add = |way: f64| {
                let mut image = at;
                image[k] += way;
                images.push(image);
            };
            if at[k] - reach < axis.origin {
                add(axis.length);
            }
            if at[k] + reach >= axis.origin + axis.length {
                add(-axis.length);
            }
        }
    }
    images
}

/// The periodic directions of a space of at most three dimensions.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Images {
    axes: [Option<PeriodicAxis>; 3],
}

impl Images {
    pub(super) fn new<D: Dimension>(periodic: &[Option<PeriodicAxis>]) -> Self {
        let mut axes = [None; 3];
        for (axis, given) in axes.iter_mut().zip(periodic).take(D::N) {
            *axis = given.filter(|g| g.length > 0.0);
        }
        Images { axes }
    }

    pub(super) fn any(&self) -> bool {
        self.axes.iter().any(Option::is_some)
    }

    pub(super) fn axis(&self, k: usize) -> Option<PeriodicAxis> {
        self.axes[k]
    }

    pub(super) fn wrap<V: Vector>(&self, x: V) -> V {
        V::from_fn(|k| self.axes[k].map_or(x[k], |axis| axis.wrap(x[k])))
    }

    /// Grains as wrapped positions, radii and numbers.
    pub(super) fn wrapped<V: Vector>(
        &self,
        positions: &[V],
        radii: &[f64],
    ) -> impl Iterator<Item = (V, f64, u32)> + Clone {
        let all = positions.iter().zip(radii).zip(0u32..);
        all.map(|((x, &radius), number)| (self.wrap(*x), radius, number))
    }

    #[inline(always)]
    pub(super) fn shorten<V: Vector>(&self, delta: V) -> V {
        V::from_fn(|k| self.axes[k].map_or(delta[k], |axis| axis.shorten(delta[k])))
    }
}

/// Whether a distance, given by its square, is less than `reach`. All searches use this one
/// expression, so that they agree to the last bit.
#[inline(always)]
pub(super) fn is_under(distance_squared: f64, reach: f64) -> bool {
    (reach > 0.0) & (distance_squared < reach * reach)
}
