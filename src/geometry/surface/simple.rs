//! Infinite planes, balls and cylinders, of which surfaces are parts: a moving ball meets them in closed form.

use crate::geometry::path::{Path, parabola};
use crate::geometry::{Dimension, Vector};

/// Ratio below which an acceleration across an axis counts as rounding.
const ALONG: f64 = 1e-14;

/// An infinite surface, as seen from one side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Simple<D: Dimension> {
    /// A plane: normal . x = offset (m), with the unit normal towards the side from which it is seen.
    Plane {
        /// Unit normal.
        normal: D::Vector,
        /// Offset, m.
        offset: f64,
    },
    /// A circle or a sphere.
    Ball {
        /// Centre, m.
        centre: D::Vector,
        /// Radius, m.
        radius: f64,
        /// Whether it is seen from inside.
        inside: bool,
    },
    /// A cylinder; in space.
    Cylinder {
        /// A point of the axis, m.
        origin: D::Vector,
        /// Unit vector along the axis.
        axis: D::Vector,
        /// Radius, m.
        radius: f64,
        /// Whether it is seen from inside.
        inside: bool,
    },
}

/// When a moving ball reaches a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Coming {
    /// Not before the end of the given time.
    Not,
    /// There is no closed form.
    Unknown,
    /// It reaches the surface, of which the piece is a part.
    At {
        /// First time, s from now.
        time: f64,
        /// Whether it does not reach the surface again after that without meeting something in between: then a part
        /// that it misses at this time it misses altogether.
        once: bool,
    },
}

impl<D: Dimension> Simple<D> {
    /// Returns a point.
    pub fn point(at: D::Vector) -> Self {
        Simple::Ball {
            centre: at,
            radius: 0.0,
            inside: false,
        }
    }
    /// Returns the straight line through two points; in space.
    pub fn line([from, to]: [D::Vector; 2]) -> Self {
        let along = to - from;
        Simple::Cylinder {
            origin: from,
            axis: along * (1.0 / along.norm()),
            radius: 0.0,
            inside: false,
        }
    }

    /// Returns when a ball of radius `r` (m) on a path reaches it, approaching, before a time `until`, s.
    // Always inlined: the variant is known at each call.
    #[inline(always)]
    pub fn coming(&self, path: &Path<D>, r: f64, until: f64) -> Coming {
        let Path {
            position,
            velocity,
            acceleration,
        } = *path;
        let found = |time: Option<f64>, once: bool| match time {
            Some(time) if time < until => Coming::At { time, once },
            _ => Coming::Not,
        };
        match *self {
            Simple::Plane { normal, offset } => {
                let gap = normal.dot(&position) - offset - r;
                let (rate, bend) = (normal.dot(&velocity), normal.dot(&acceleration));
                // With negative curvature the gap is open throughout if it is open at both ends.
                if bend <= 0.0 && gap > 0.0 && gap + (rate + 0.5 * bend * until) * until > 0.0 {
                    return Coming::Not;
                }
                found(parabola(gap, rate, bend), bend == 0.0)
            }
            Simple::Ball {
                centre,
                radius,
                inside,
            } => {
                if acceleration != D::Vector::default() {
                    return Coming::Unknown;
                }
                let way = Straight {
                    from: position - centre,
                    velocity,
                    until,
                };
                // A point or a line has no far side.
                found(way.round([radius, r], inside), inside || radius == 0.0)
            }
            Simple::Cylinder {
                origin,
                axis,
                radius,
                inside,
            } => {
                let across = |v: D::Vector| v - axis * axis.dot(&v);
                let bend = across(acceleration).norm_squared();
                if bend > ALONG * ALONG * acceleration.norm_squared() {
                    return Coming::Unknown;
                }
                let way = Straight {
                    from: across(position - origin),
                    velocity: across(velocity),
                    until,
                };
                found(way.round([radius, r], inside), inside || radius == 0.0)
            }
        }
    }

    /// Whether a ball of radius `r` (m) on a path is on this side of it, and stays there until a time, s; false also
    /// if that is not known in closed form.
    #[inline(always)]
    pub fn keeps_off(&self, path: &Path<D>, r: f64, until: f64) -> bool {
        let x = path.position;
        let clear = match *self {
            Simple::Plane { normal, offset } => normal.dot(&x) - offset > r,
            Simple::Ball {
                centre,
                radius,
                inside,
            } => clear(x - centre, [radius, r], inside),
            Simple::Cylinder {
                origin,
                axis,
                radius,
                inside,
            } => {
                let arm = x - origin;
                clear(arm - axis * axis.dot(&arm), [radius, r], inside)
            }
        };
        clear && self.coming(path, r, until) == Coming::Not
    }
}

/// Whether a ball of radius `r` at `d` from the centre of a round surface is apart from it.
#[inline]
fn clear<V: Vector>(d: V, [radius, r]: [f64; 2], inside: bool) -> bool {
    let limit = if inside { radius - r } else { radius + r };
    let square = d.norm_squared();
    if inside {
        limit > 0.0 && square < limit * limit
    } else {
        square > limit * limit
    }
}

/// A straight path, relative to the centre of a round surface.
struct Straight<V> {
    from: V,
    velocity: V,
    until: f64,
}

impl<V: Vector> Straight<V> {
    /// Returns when a ball of radius `r` meets it on that path, s; times after the end of the path may be omitted
    /// (thesis eqs. 3.7, 3.8).
    #[inline(always)]
    fn round(&self, [radius, r]: [f64; 2], inside: bool) -> Option<f64> {
        let (d, v) = (self.from, self.velocity);
        let limit = if inside { radius - r } else { radius + r };
        let (a, b) = (v.norm_squared(), d.dot(&v));
        if inside {
            // A ball that is inside at both ends is inside throughout; one that turns back from outside is too.
            let end = (d + v * self.until).norm_squared();
            if a <= 0.0 || limit > 0.0 && end < limit * limit {
                return None;
            }
        } else if b >= 0.0 {
            return None;
        }
        let distance = d.norm();
        let c = (distance - limit) * (distance + limit);
        let square = b * b - a * c;
        if inside {
            if c >= 0.0 && b > 0.0 {
                return Some(0.0);
            }
            // A ball outside by rounding that does not come back inside is reflected where it is closest.
            let root = square.max(0.0).sqrt();
            let time = if b > 0.0 {
                -c / (b + root)
            } else {
                (root - b) / a
            };
            return Some(time.max(0.0));
        }
        if c <= 0.0 {
            return Some(0.0);
        }
        (square > 0.0).then(|| c / (square.sqrt() - b))
    }
}
