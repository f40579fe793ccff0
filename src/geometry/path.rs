//! Times of contact of two bodies in flight.
//!
//! A contact is *approaching*: the gap is closing when it is reached. A pair that overlaps by rounding and separates
//! is therefore ignored, and one that overlaps and approaches touches at once (Bannerman, Strobl, Formella and
//! Poeschel 2014); a pair that overlaps, separates, and is accelerated back before it is apart touches when it turns
//! back. A tangential touch is no contact.

use crate::geometry::{Dimension, Vector};

/// A path of constant acceleration from time 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Path<D: Dimension> {
    /// Position at time 0, m.
    pub position: D::Vector,
    /// Velocity at time 0, m/s.
    pub velocity: D::Vector,
    /// Acceleration, m/s^2.
    pub acceleration: D::Vector,
}

impl<D: Dimension> Path<D> {
    /// Returns the position at a time, m.
    pub fn position_at(&self, time: f64) -> D::Vector {
        self.position + (self.velocity + self.acceleration * (0.5 * time)) * time
    }
    /// Returns the velocity at a time, m/s.
    pub fn velocity_at(&self, time: f64) -> D::Vector {
        self.velocity + self.acceleration * time
    }
    /// Returns this path relative to another.
    pub fn relative_to(&self, other: &Self) -> Self {
        Path {
            position: self.position - other.position,
            velocity: self.velocity - other.velocity,
            acceleration: self.acceleration - other.acceleration,
        }
    }
}

/// Returns the first time at which gap + rate t + acceleration t^2 / 2 reaches 0 from above, s (thesis eq. 3.9 on, in
/// a form without cancellation); see the module for gaps that are not positive.
pub fn parabola(gap: f64, rate: f64, acceleration: f64) -> Option<f64> {
    let square = rate * rate - 2.0 * acceleration * gap;
    if gap <= 0.0 {
        if rate < 0.0 {
            return Some(0.0);
        }
        if acceleration >= 0.0 {
            return None;
        }
        // Separating, then accelerated back: from apart, or from the turning point while still overlapping.
        return Some(if square > 0.0 {
            (rate + square.sqrt()) / -acceleration
        } else {
            rate / -acceleration
        });
    }
    if square <= 0.0 || (rate >= 0.0 && acceleration >= 0.0) {
        return None;
    }
    let root = square.sqrt();
    let time = if rate > 0.0 {
        (rate + root) / -acceleration
    } else {
        2.0 * gap / (root - rate)
    };
    time.is_finite().then_some(time)
}

/// Returns the first approaching contact of a sphere with a plane, s (thesis 3.4); the sphere is on the side of the
/// unit `normal`, and the plane moves along the path `plane` without turning.
pub fn sphere_plane<D: Dimension>(
    sphere: &Path<D>,
    radius: f64,
    plane: &Path<D>,
    normal: D::Vector,
) -> Option<f64> {
    let path = sphere.relative_to(plane);
    parabola(
        normal.dot(&path.position) - radius,
        normal.dot(&path.velocity),
        normal.dot(&path.acceleration),
    )
}

/// Returns the first approaching contact of two spheres, s; `reach` is the sum of their radii, m.
pub fn spheres<D: Dimension>(a: &Path<D>, b: &Path<D>, reach: f64) -> Option<f64> {
    let path = b.relative_to(a);
    if path.acceleration.norm_squared() > 0.0 {
        Approach { path, reach }.first_contact()
    } else {
        straight::<D>(path.position, path.velocity, reach)
    }
}

/// Returns the first approaching contact of two spheres without relative acceleration (thesis eqs. 3.7, 3.8): t = c /
/// (-b + sqrt(b^2 - a c)). The discriminant is computed from the closest distance, which keeps the digits of a graze
/// far away.
fn straight<D: Dimension>(x: D::Vector, v: D::Vector, reach: f64) -> Option<f64> {
    let (speed_squared, b) = (v.norm_squared(), x.dot(&v));
    if b >= 0.0 {
        return None;
    }
    let distance = x.norm();
    let c = (distance - reach) * (distance + reach);
    if c <= 0.0 {
        return Some(0.0);
    }
    let closest = (x - v * (b / speed_squared)).norm();
    if reach - closest <= 2.0 * f64::EPSILON * distance {
        return None;
    }
    let root = (speed_squared * (reach - closest) * (reach + closest)).sqrt();
    let time = c / (root - b);
    time.is_finite().then_some(time)
}

/// Two spheres whose accelerations differ: half of the squared distance is a quartic in time.
struct Approach<D: Dimension> {
    path: Path<D>,
    reach: f64,
}

impl<D: Dimension> Approach<D> {
    /// Returns half of (distance^2 - reach^2), m^2, without the cancellation of the expanded quartic.
    fn value(&self, time: f64) -> f64 {
        let distance = self.path.position_at(time).norm();
        0.5 * (distance - self.reach) * (distance + self.reach)
    }
    /// Returns the rate of change of the value, m^2/s.
    fn rate(&self, time: f64) -> f64 {
        let position = self.path.position_at(time);
        position.dot(&self.path.velocity_at(time))
    }
    /// Returns the rounding error of the value at a time.
    fn noise(&self, time: f64) -> f64 {
        let path = &self.path;
        let reached = path.position.norm()
            + (path.velocity.norm() + 0.5 * path.acceleration.norm() * time) * time;
        4.0 * f64::EPSILON * reached * self.reach
    }

    /// Steps from one turning point of the distance to the next; on each decreasing interval it brackets the
    /// crossing, if there is one.
    fn first_contact(&self) -> Option<f64> {
        let mut from = 0.0;
        for to in self.turns().into_iter().flatten() {
            if self.rate(0.5 * (from + to)) < 0.0 {
                if self.value(from) <= 0.0 {
                    return Some(from);
                }
                if self.value(to) < -self.noise(to) {
                    return Some(crossing(from, to, |t| (self.value(t), self.rate(t))));
                }
            }
            from = to;
        }
        // After the last turning point the distance only grows.
        None
    }

    /// Returns the times after 0 at which the distance stops growing or decreasing, ascending.
    fn turns(&self) -> [Option<f64>; 3] {
        let Path {
            position: x,
            velocity: v,
            acceleration: a,
        } = &self.path;
        // rate = s0 + s1 t + s2 t^2 + s3 t^3
        let (s1, s2, s3) = (
            v.norm_squared() + x.dot(a),
            1.5 * v.dot(a),
            0.5 * a.norm_squared(),
        );
        let mut ends = [0.0; 3];
        let mut count = 1;
        for time in quadratic(s1, s2, 3.0 * s3).into_iter().flatten() {
            if time > ends[count - 1] {
                ends[count] = time;
                count += 1;
            }
        }
        let mut turns = [None; 3];
        let mut found = 0;
        for i in 0..count {
            let from = ends[i];
            let to = if i + 1 < count {
                ends[i + 1]
            } else {
                self.beyond(from)
            };
            let (low, high) = (self.rate(from), self.rate(to));
            if (low < 0.0) != (high < 0.0) && to.is_finite() {
                let slope = |t: f64| s1 + t * (2.0 * s2 + t * 3.0 * s3);
                let sign = if low < 0.0 { -1.0 } else { 1.0 };
                turns[found] = Some(crossing(from, to, |t| {
                    (sign * self.rate(t), sign * slope(t))
                }));
                found += 1;
            }
        }
        turns
    }

    /// Returns a time after `from` from which on the distance only grows.
    fn beyond(&self, from: f64) -> f64 {
        let a = self.path.acceleration.norm();
        let mut step = self.path.velocity.norm() / a + (self.path.position.norm() / a).sqrt();
        while self.rate(from + step) < 0.0 {
            step *= 2.0;
        }
        from + step
    }
}

/// Returns the real roots of c + 2 b t + a t^2, ascending; a > 0.
fn quadratic(c: f64, b: f64, a: f64) -> [Option<f64>; 2] {
    let square = b * b - a * c;
    if square <= 0.0 {
        return [None; 2];
    }
    let far = -(b + square.sqrt().copysign(b));
    let (p, q) = (far / a, c / far);
    [Some(p.min(q)), Some(p.max(q))]
}

/// Returns where a function changes from positive to negative between two times, to the last bit: Newton's iteration
/// inside the bracket, bisection where it leaves the bracket or does not converge.
fn crossing(mut lo: f64, mut hi: f64, f: impl Fn(f64) -> (f64, f64)) -> f64 {
    let mut time = 0.5 * (lo + hi);
    for round in 0.. {
        let (value, rate) = f(time);
        if value > 0.0 {
            lo = time;
        } else {
            hi = time;
        }
        let newton = time - value / rate;
        let next = if newton > lo && newton < hi && round < 40 {
            newton
        } else {
            0.5 * (lo + hi)
        };
        let tiny = f64::EPSILON * hi;
        if hi - lo <= tiny || (next - time).abs() <= tiny || next <= lo || next >= hi {
            return next.clamp(lo, hi);
        }
        time = next;
    }
    time
}
