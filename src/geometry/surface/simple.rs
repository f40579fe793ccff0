//! Endless planes, balls and cylinders, of which surfaces are parts: a ball on its way meets them in closed form.

use crate::geometry::path::{Path, parabola};
use crate::geometry::{Dimension, Vector};

/// Share of an acceleration across an axis that is none: a rounding.
const ALONG: f64 = 1e-14;

/// An endless surface, as seen from one side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Simple<D: Dimension> {
    /// A plane: normal . x = offset (m), the unit normal towards the side from which it is seen.
    Plane {
        /// The normal.
        normal: D::Vector,
        /// m.
        offset: f64,
    },
    /// A circle or a sphere.
    Ball {
        /// Centre, m.
        centre: D::Vector,
        /// m.
        radius: f64,
        /// Whether it is seen from inside.
        inside: bool,
    },
    /// A cylinder; in space.
    Cylinder {
        /// A point of the axis, m.
        origin: D::Vector,
        /// Unit vector along it.
        axis: D::Vector,
        /// m.
        radius: f64,
        /// Whether it is seen from inside.
        inside: bool,
    },
}

/// When an endless surface is met.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FirstTouch {
    /// First, s from now; none if never.
    pub time: Option<f64>,
    /// Whether it is not met again after that, unless something is met in between: then a part of it that is not met then is not met at all.
    pub once: bool,
}

impl<D: Dimension> Simple<D> {
    /// A point.
    pub fn point(at: D::Vector) -> Self {
        Simple::Ball {
            centre: at,
            radius: 0.0,
            inside: false,
        }
    }
    /// The straight line through two points; in space.
    pub fn line([from, to]: [D::Vector; 2]) -> Self {
        let along = to - from;
        Simple::Cylinder {
            origin: from,
            axis: along * (1.0 / along.norm()),
            radius: 0.0,
            inside: false,
        }
    }

    /// When a ball of radius `r` (m) on a path meets it first while approaching; none where there is no closed form.
    #[inline]
    pub fn meeting(&self, path: &Path<D>, r: f64) -> Option<FirstTouch> {
        // Nothing is behind a point or a line.
        let once = |inside: bool, radius: f64| inside || radius == 0.0;
        let Path {
            position,
            velocity,
            acceleration,
        } = *path;
        match *self {
            Simple::Plane { normal, offset } => {
                let bend = normal.dot(&acceleration);
                Some(FirstTouch {
                    time: parabola(
                        normal.dot(&position) - offset - r,
                        normal.dot(&velocity),
                        bend,
                    ),
                    once: bend == 0.0,
                })
            }
            Simple::Ball {
                centre,
                radius,
                inside,
            } => (acceleration == D::Vector::default()).then(|| FirstTouch {
                time: round(position - centre, velocity, [radius, r], inside),
                once: once(inside, radius),
            }),
            Simple::Cylinder {
                origin,
                axis,
                radius,
                inside,
            } => {
                let across = |v: D::Vector| v - axis * axis.dot(&v);
                let bend = across(acceleration).norm_squared();
                let straight = bend <= ALONG * ALONG * acceleration.norm_squared();
                straight.then(|| FirstTouch {
                    time: round(
                        across(position - origin),
                        across(velocity),
                        [radius, r],
                        inside,
                    ),
                    once: once(inside, radius),
                })
            }
        }
    }

    /// A time, s from now, before which a ball of radius `r` (m) on a path does not come to it; 0 where it is there, or there is no closed form.
    #[inline]
    pub fn not_before(&self, path: &Path<D>, r: f64) -> f64 {
        let x = path.position;
        let distance = match *self {
            Simple::Plane { normal, offset } => normal.dot(&x) - offset,
            Simple::Ball {
                centre,
                radius,
                inside,
            } => side((x - centre).norm() - radius, inside),
            Simple::Cylinder {
                origin,
                axis,
                radius,
                inside,
            } => {
                let arm = x - origin;
                side((arm - axis * axis.dot(&arm)).norm() - radius, inside)
            }
        };
        if distance <= r {
            return 0.0;
        }
        let met = self.meeting(path, r);
        met.map_or(0.0, |met| met.time.unwrap_or(f64::INFINITY))
    }
}

fn side(beyond: f64, inside: bool) -> f64 {
    if inside { -beyond } else { beyond }
}

/// When a ball of radius `r` on a straight path, `d` from the centre of something round now, meets it, s (thesis eqs. 3.7, 3.8).
#[inline]
fn round<V: Vector>(d: V, v: V, [radius, r]: [f64; 2], inside: bool) -> Option<f64> {
    let limit = if inside { radius - r } else { radius + r };
    let (a, b) = (v.norm_squared(), d.dot(&v));
    let distance = d.norm();
    let c = (distance - limit) * (distance + limit);
    let square = b * b - a * c;
    if inside {
        if a <= 0.0 {
            return None;
        }
        if c >= 0.0 && b > 0.0 {
            return Some(0.0);
        }
        // A ball outside by rounding that does not even come back in is turned where it is
        // closest.
        let root = square.max(0.0).sqrt();
        let time = if b > 0.0 {
            -c / (b + root)
        } else {
            (root - b) / a
        };
        return Some(time.max(0.0));
    }
    if b >= 0.0 {
        return None;
    }
    if c <= 0.0 {
        return Some(0.0);
    }
    (square > 0.0).then(|| c / (square.sqrt() - b))
}
