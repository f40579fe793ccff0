//! Prescribed flows: the velocity of a fluid as a function of position.

use crate::geometry::{cross, dot, three};
use serde::{Deserialize, Serialize};

use super::super::grid::Grid;

use super::stream::Stream;
use crate::geometry::{Dimension, Vector};

/// Flow of a fluid; steady, except for a [`Stream`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub enum Flow<D: Dimension> {
    /// No flow.
    #[default]
    Rest,
    /// Uniform velocity, m/s.
    Uniform(D::Vector),
    /// Flow through a pipe, or through a channel in the plane.
    Pipe(Pipe<D>),
    /// Rotation as a rigid body.
    Rotation {
        /// A point of the axis, m.
        centre: D::Vector,
        /// Rate, rad/s; in the plane about its normal.
        rate: [f64; 3],
    },
    /// Tabulated velocity, m/s.
    Table(Grid<D>),
    /// Uniform velocity, slowed down or carried along by the grains.
    Stream(Stream<D>),
}

/// Laminar flow through a straight pipe of variable radius. It has Poiseuille's profile everywhere and carries the
/// same volume through each cross-section: exact in a pipe of constant radius; where the wall is inclined this is the
/// approximation for slow flow and small slopes (lubrication), free of divergence, parallel to the wall at the wall.
/// Outside the fluid is at rest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Pipe<D: Dimension> {
    /// A point of the axis, m.
    pub point: D::Vector,
    /// Direction of the axis, a unit vector; the flow is along it.
    pub axis: D::Vector,
    /// Coordinates along the axis from `point` on, m, ascending, each with the radius (in the plane: half the width),
    /// m; between them the radius is interpolated with zero slope at both ends.
    pub radii: Vec<[f64; 2]>,
    /// Mean velocity at the first radius, m/s.
    pub mean: f64,
}

impl<D: Dimension> Pipe<D> {
    /// Returns the radius and its slope at a coordinate along the axis.
    fn radius(&self, along: f64) -> (f64, f64) {
        let next = self.radii.partition_point(|[place, _]| *place <= along);
        match (
            next.checked_sub(1).map(|k| self.radii[k]),
            self.radii.get(next),
        ) {
            (Some([from, before]), Some([to, after])) => {
                let (length, change) = (to - from, after - before);
                let t = (along - from) / length;
                let slope = 6.0 * t * (1.0 - t) * change / length;
                (before + change * t * t * (3.0 - 2.0 * t), slope)
            }
            (Some([_, radius]), None) => (radius, 0.0),
            (None, Some([_, radius])) => (*radius, 0.0),
            (None, None) => (0.0, 0.0),
        }
    }

    /// Returns the velocity on the axis over the mean velocity: 3/2 in the plane, 2 in space.
    pub fn peak_over_mean() -> f64 {
        if D::N == 2 { 1.5 } else { 2.0 }
    }

    /// Returns the mean velocity at a radius.
    fn mean_at(&self, radius: f64) -> f64 {
        let ratio = self.radii.first().map_or(1.0, |first| first[1]) / radius;
        self.mean * if D::N == 2 { ratio } else { ratio * ratio }
    }

    fn velocity(&self, x: D::Vector) -> D::Vector {
        let arm = x - self.point;
        let along = arm.dot(&self.axis);
        let across = arm - self.axis * along;
        let (radius, slope) = self.radius(along);
        let square = across.norm_squared() / (radius * radius);
        // Also where the position is NaN.
        if square.is_nan() || square >= 1.0 {
            return D::Vector::default();
        }
        let speed = Self::peak_over_mean() * self.mean_at(radius) * (1.0 - square);
        // Streamlines keep their fraction of the radius.
        self.axis * speed + across * (speed * slope / radius)
    }

    /// Returns a bound of the speed, m/s.
    fn fastest(&self) -> f64 {
        let radii = self.radii.iter().map(|[_, radius]| *radius);
        let least = radii.fold(f64::INFINITY, f64::min);
        let steps = self.radii.windows(2);
        let slope = steps.map(|w| 1.5 * (w[1][1] - w[0][1]).abs() / (w[1][0] - w[0][0]));
        let slope = slope.fold(0.0, f64::max);
        Self::peak_over_mean() * self.mean_at(least).abs() * (1.0 + slope * slope).sqrt()
    }
}

impl<D: Dimension> Flow<D> {
    /// Returns the velocity at a position, m/s.
    pub fn velocity(&self, x: D::Vector) -> D::Vector {
        match self {
            Flow::Rest => D::Vector::default(),
            Flow::Uniform(velocity) => *velocity,
            Flow::Pipe(pipe) => pipe.velocity(x),
            Flow::Rotation { centre, rate } => {
                let v = cross(*rate, three(x - *centre));
                D::Vector::from_fn(|k| v[k])
            }
            Flow::Table(grid) => grid.at(x),
            Flow::Stream(stream) => stream.velocity(),
        }
    }

    /// Returns a bound of the speed, m/s, for grains within distance `reach` of a position.
    pub fn fastest(&self, reach: impl Fn(D::Vector) -> f64) -> f64 {
        match self {
            Flow::Rest => 0.0,
            Flow::Uniform(velocity) => velocity.norm(),
            Flow::Pipe(pipe) => pipe.fastest(),
            Flow::Rotation { centre, rate } => dot(*rate, *rate).sqrt() * reach(*centre),
            Flow::Table(grid) => grid.greatest(),
            Flow::Stream(stream) => stream.fastest(),
        }
    }

    /// Whether the flow varies along a coordinate axis.
    pub fn varies_along(&self, axis: usize) -> bool {
        match self {
            Flow::Rest | Flow::Uniform(_) | Flow::Stream(_) => false,
            Flow::Pipe(pipe) => pipe.radii.len() > 1 || pipe.axis[axis].abs() != 1.0,
            Flow::Rotation { rate, .. } => (0..3).any(|k| k != axis && rate[k] != 0.0),
            Flow::Table(grid) => grid.varies_along(axis),
        }
    }
}
