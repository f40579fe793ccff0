//! Integrals over a body, and the mass properties computed from them.

use crate::geometry::{Dimension, Vector};

/// Integrals of 1, x and x x over a body, relative to a point near it so that no digits are lost for a body far from
/// the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Integrals<D: Dimension> {
    /// Reference point, m.
    pub origin: D::Vector,
    /// Area or volume, m^2 or m^3.
    pub measure: f64,
    /// Integral of the position.
    pub first: D::Vector,
    /// Integrals of the products of two coordinates.
    pub second: [[f64; 3]; 3],
}

impl<D: Dimension> Integrals<D> {
    /// Returns zero integrals relative to a point.
    pub fn new(origin: D::Vector) -> Self {
        Integrals {
            origin,
            measure: 0.0,
            first: D::Vector::default(),
            second: [[0.0; 3]; 3],
        }
    }
    /// Adds a piece of given measure with its centroid at `middle` (relative to the origin of these integrals) and
    /// its second moments about that centroid; a negative measure subtracts.
    pub fn add(&mut self, measure: f64, middle: D::Vector, second: &[[f64; 3]; 3]) {
        self.measure += measure;
        self.first += middle * measure;
        for i in 0..D::N {
            for j in 0..D::N {
                self.second[i][j] += second[i][j] + measure * middle[i] * middle[j];
            }
        }
    }
    /// Adds a disk or sphere.
    pub fn add_ball(&mut self, centre: D::Vector, radius: f64) {
        let measure = D::ball_measure(radius);
        // Half the polar moment of a disk, a third of the sum of squares of a sphere: 1/4 and 1/5.
        let each = measure * radius * radius / (D::N + 2) as f64;
        let mut second = [[0.0; 3]; 3];
        for k in 0..D::N {
            second[k][k] = each;
        }
        self.add(measure, centre - self.origin, &second);
    }
    /// Adds other integrals relative to the same point, times a weight.
    pub(super) fn add_weighted(&mut self, other: &Self, weight: f64) {
        self.measure += other.measure * weight;
        self.first += other.first * weight;
        for i in 0..D::N {
            for j in 0..D::N {
                self.second[i][j] += other.second[i][j] * weight;
            }
        }
    }
    /// Returns the mass properties, for a body of positive measure.
    pub fn properties(&self, error_estimate: f64) -> MassProperties<D> {
        let middle = self.first * (1.0 / self.measure);
        let mut second = [[0.0; 3]; 3];
        for i in 0..D::N {
            for j in 0..D::N {
                second[i][j] = self.second[i][j] - self.measure * middle[i] * middle[j];
            }
        }
        MassProperties {
            measure: self.measure,
            centroid: self.origin + middle,
            second,
            error_estimate,
        }
    }
}

/// Area or volume, centroid and second moments of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties<D: Dimension> {
    /// Area or volume, m^2 or m^3.
    pub measure: f64,
    /// Centroid, m.
    pub centroid: D::Vector,
    /// Integrals of the products of two coordinates about the centroid, m^4 or m^5.
    pub second: [[f64; 3]; 3],
    /// Estimated relative error: the greatest of those of the measure, the centroid over the radius of gyration, and
    /// the second moments over their trace; 0 for closed forms.
    pub error_estimate: f64,
}

impl<D: Dimension> MassProperties<D> {
    /// Returns the moment of inertia per density about the centroid: in the plane about its normal, in space the sum
    /// of squares (half the trace of the tensor), m^4 or m^5.
    pub fn polar(&self) -> f64 {
        (0..D::N).map(|k| self.second[k][k]).sum()
    }
    /// Returns the inertia tensor per density about the centroid, m^5; in the plane its part for rotations about axes
    /// in the plane, m^4.
    pub fn inertia(&self) -> [[f64; 3]; 3] {
        let trace = self.polar();
        let mut tensor = [[0.0; 3]; 3];
        for i in 0..D::N {
            for j in 0..D::N {
                // Not negated: zeros keep their sign.
                tensor[i][j] = 0.0 - self.second[i][j];
            }
            tensor[i][i] += trace;
        }
        tensor
    }
    /// Returns the difference of another result from this one, in the measure of `error_estimate`.
    pub fn distance(&self, other: &Self) -> f64 {
        let trace = self.polar();
        let gyration = (trace / self.measure).sqrt();
        let mut most = (other.measure / self.measure - 1.0).abs();
        most = most.max((self.centroid - other.centroid).norm() / gyration);
        for i in 0..D::N {
            for j in 0..D::N {
                most = most.max((self.second[i][j] - other.second[i][j]).abs() / trace);
            }
        }
        most
    }
}
