//! Walls: flat ones, spheres and cylinders from inside and outside, at rest or moving without
//! turning.

use serde::{Deserialize, Serialize};

use crate::body::Motion;
use crate::collide::flight::parabola;
use crate::geometry::{Dimension, Vector};

/// The shape of a wall, in its own frame.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub enum WallShape<D: Dimension> {
    /// A half-space; grains are where the unit normal points to.
    Plane {
        /// A point of it, m.
        point: D::Vector,
        /// Unit normal.
        normal: D::Vector,
    },
    /// A circle or sphere.
    Ball {
        /// Centre, m.
        centre: D::Vector,
        /// Radius, m.
        radius: f64,
        /// Whether grains are inside.
        inside: bool,
    },
    /// A cylinder without ends; in space only.
    Cylinder {
        /// A point of the axis, m.
        origin: D::Vector,
        /// Unit vector along the axis.
        axis: D::Vector,
        /// Radius, m.
        radius: f64,
        /// Whether grains are inside.
        inside: bool,
    },
    /// A half-sphere and the tube of its radius that leads to it, without end, from inside: the lid of
    /// a vessel that is no wider.
    Dome {
        /// Centre of the half-sphere, m.
        centre: D::Vector,
        /// Unit vector from it to the top of the half-sphere.
        axis: D::Vector,
        /// Radius, m.
        radius: f64,
    },
}

/// A wall of the engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Wall<D: Dimension> {
    /// Its shape.
    pub shape: WallShape<D>,
    /// How it moves; it cannot turn.
    pub motion: Motion<D>,
    /// Its species, for the rules.
    pub species: u16,
}

/// A grain's path from now on, with the time of day.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flyer<D: Dimension> {
    pub(super) position: D::Vector,
    pub(super) velocity: D::Vector,
    pub(super) gravity: D::Vector,
    pub(super) radius: f64,
    /// Now, s, on the clock of the walls.
    pub(super) clock: f64,
}

/// When a wall is met.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Meeting {
    /// In so many seconds.
    In(f64),
    /// Not before so many seconds; look again then.
    NotBefore(f64),
    /// Not before the horizon.
    No,
}

impl<D: Dimension> Wall<D> {
    /// The vector from the wall's point, centre or axis to a point, in its frame; without the
    /// part along an axis.
    #[inline(always)]
    fn arm(&self, x: D::Vector) -> D::Vector {
        match &self.shape {
            WallShape::Plane { point, .. } => x - *point,
            WallShape::Ball { centre, .. } | WallShape::Dome { centre, .. } => x - *centre,
            WallShape::Cylinder { origin, axis, .. } => across::<D>(x - *origin, *axis),
        }
    }
    #[inline(always)]
    fn across(&self, v: D::Vector) -> D::Vector {
        match &self.shape {
            WallShape::Cylinder { axis, .. } => across::<D>(v, *axis),
            _ => v,
        }
    }
    /// Distance of a point from the surface at a time, m, and the unit normal from the surface to
    /// the grains' side.
    pub fn probe(&self, x: D::Vector, time: f64) -> (f64, D::Vector) {
        let d = self.arm(x - self.motion.pose(time).shift);
        match &self.shape {
            WallShape::Dome { axis, radius, .. } => {
                let d = d - *axis * axis.dot(&d).min(0.0);
                let length = d.norm();
                // At the very centre the way out is along the axis.
                let out = if length > 0.0 {
                    d * (1.0 / length)
                } else {
                    *axis
                };
                (radius - length, -out)
            }
            WallShape::Plane { normal, .. } => (normal.dot(&d), *normal),
            WallShape::Ball { radius, inside, .. } | WallShape::Cylinder { radius, inside, .. } => {
                let length = d.norm();
                let out = if length > 0.0 {
                    d * (1.0 / length)
                } else {
                    D::Vector::from_fn(|k| if k == 0 { 1.0 } else { 0.0 })
                };
                if *inside {
                    (radius - length, -out)
                } else {
                    (length - radius, out)
                }
            }
        }
    }

    /// How far its surface is ever moved, m; infinite when unbounded.
    fn reach(&self) -> f64 {
        match &self.motion {
            motion if motion.is_fixed() => 0.0,
            Motion::Harmonic { amplitude, .. } => 2.0 * amplitude.norm(),
            Motion::Parabolic { amplitude, .. } => amplitude.norm(),
            _ => f64::INFINITY,
        }
    }
    /// Whether a grain of radius `largest` whose centre is in a box could touch it.
    pub(super) fn near_box(&self, min: D::Vector, max: D::Vector, largest: f64) -> bool {
        let reach = self.reach();
        if reach == f64::INFINITY {
            return true;
        }
        // The distance changes by no more than the way from the middle; boxes without end on a
        // side reach everything there.
        let far = (0..D::N).any(|k| !min[k].is_finite() || !max[k].is_finite());
        let middle = (min + max) * 0.5;
        far || self.probe(middle, 0.0).0 - (max - min).norm() * 0.5
            <= (largest + reach) * (1.0 + 1e-9)
    }

    /// When a grain meets it while approaching, before `horizon` s from now.
    pub(super) fn meeting(&self, grain: &Flyer<D>, horizon: f64) -> Meeting {
        let now = grain.clock;
        let pose = self.motion.pose(now);
        let d = self.arm(grain.position - pose.shift);
        let v = self.across(grain.velocity - pose.velocity);
        let harmonic = matches!(self.motion, Motion::Harmonic { .. }) && !self.motion.is_fixed();
        if !harmonic {
            let g = self.across(grain.gravity - self.motion.acceleration(now));
            let time = self.smooth_meeting(d, v, g, grain.radius, horizon);
            // Up to the end of the piece of its motion.
            let left = self.motion.next_change(now).map(|t| t - now);
            return match (time, left) {
                (Meeting::In(t) | Meeting::NotBefore(t), Some(left)) if t > left => {
                    Meeting::NotBefore(left)
                }
                (Meeting::No, Some(left)) if left < horizon => Meeting::NotBefore(left),
                (meeting, _) => meeting,
            };
        }
        let at = |t: f64| {
            let pose = self.motion.pose(now + t);
            let x = grain.position + (grain.velocity + grain.gravity * (0.5 * t)) * t - pose.shift;
            let v = grain.velocity + grain.gravity * t - pose.velocity;
            (self.arm(x), self.across(v))
        };
        let Motion::Harmonic {
            amplitude,
            frequency,
            ..
        } = &self.motion
        else {
            return Meeting::No;
        };
        let rate = std::f64::consts::TAU * frequency;
        let acceleration = grain.gravity.norm() + rate * rate * amplitude.norm();
        self.search(at, acceleration, grain.radius, horizon)
    }

    /// A meeting on a relative path of constant acceleration.
    fn smooth_meeting(
        &self,
        d: D::Vector,
        v: D::Vector,
        g: D::Vector,
        r: f64,
        horizon: f64,
    ) -> Meeting {
        match &self.shape {
            WallShape::Plane { normal, .. } => {
                match parabola(normal.dot(&d) - r, normal.dot(&v), normal.dot(&g)) {
                    Some(t) => Meeting::In(t),
                    None => Meeting::No,
                }
            }
            WallShape::Ball { .. } | WallShape::Cylinder { .. } if g == D::Vector::default() => {
                self.straight_meeting(d, v, r)
            }
            _ => {
                let at = |t: f64| (d + (v + g * (0.5 * t)) * t, v + g * t);
                self.search(at, g.norm(), r, horizon)
            }
        }
    }
    /// Radius that the centre's distance must keep, and whether it is inside.
    fn limit(&self, r: f64) -> (f64, bool) {
        match self.shape {
            WallShape::Ball { radius, inside, .. } | WallShape::Cylinder { radius, inside, .. } => {
                (if inside { radius - r } else { radius + r }, inside)
            }
            WallShape::Dome { radius, .. } => (radius - r, true),
            WallShape::Plane { .. } => (0.0, true),
        }
    }
    /// A meeting with something round on a straight relative path.
    fn straight_meeting(&self, d: D::Vector, v: D::Vector, r: f64) -> Meeting {
        let (limit, inside) = self.limit(r);
        let (a, b) = (v.norm_squared(), d.dot(&v));
        let distance = d.norm();
        let c = (distance - limit) * (distance + limit);
        let square = b * b - a * c;
        if inside {
            if a <= 0.0 {
                return Meeting::No;
            }
            if c >= 0.0 && b > 0.0 {
                return Meeting::In(0.0);
            }
            // A grain outside by rounding that does not even come back in is turned where it is
            // closest.
            let root = square.max(0.0).sqrt();
            let time = if b > 0.0 {
                -c / (b + root)
            } else {
                (root - b) / a
            };
            return Meeting::In(time.max(0.0));
        }
        if b >= 0.0 {
            return Meeting::No;
        }
        if c <= 0.0 {
            return Meeting::In(0.0);
        }
        if square <= 0.0 {
            return Meeting::No;
        }
        Meeting::In(c / (square.sqrt() - b))
    }

    /// The first time at which the gap closes, by steps that cannot pass it: from a gap f, its
    /// rate f' and a bound K of its curvature, the gap is at least f + f' s - K s^2 / 2. Near a
    /// root this is as fast as Newton's method.
    fn search(
        &self,
        at: impl Fn(f64) -> (D::Vector, D::Vector),
        acceleration: f64,
        r: f64,
        horizon: f64,
    ) -> Meeting {
        let (limit, inside) = self.limit(r);
        let gap = |d: &D::Vector, v: &D::Vector| match &self.shape {
            WallShape::Plane { normal, .. } => (normal.dot(d) - r, normal.dot(v)),
            WallShape::Dome { axis, .. } => {
                // Below the half-sphere heights do not count; value and rate join there without a
                // jump, and the bound of the curvature holds on both sides.
                let below = axis.dot(d) < 0.0;
                let d = if below { across::<D>(*d, *axis) } else { *d };
                let value = (limit - d.norm()) * (limit + d.norm()) / (2.0 * limit);
                (value, -d.dot(v) / limit)
            }
            _ => {
                // The difference of squares over twice the radius: near the surface the gap.
                let sign = if inside { 1.0 } else { -1.0 };
                let value = (limit - d.norm()) * (limit + d.norm()) / (2.0 * limit);
                (sign * value, -sign * d.dot(v) / limit)
            }
        };
        let mut t = 0.0;
        for round in 0..200 {
            let (d, v) = at(t);
            let (value, rate) = gap(&d, &v);
            if value <= 0.0 && rate < 0.0 {
                return Meeting::In(t);
            }
            // A window in which the speed cannot much more than double bounds the curvature.
            let speed = v.norm();
            let window = if acceleration > 0.0 {
                (speed + (acceleration * limit.max(r)).sqrt()) / acceleration
            } else if speed > 0.0 {
                2.0 * limit.max(r) / speed
            } else {
                return Meeting::No;
            };
            let curvature = match self.shape {
                WallShape::Plane { .. } => acceleration,
                _ => {
                    let fastest = speed + acceleration * window;
                    let farthest = d.norm() + fastest * window;
                    (fastest * fastest + farthest * acceleration) / limit
                }
            };
            let value = value.max(0.0);
            let root = (rate * rate + 2.0 * curvature * value).sqrt();
            let step = if rate < 0.0 {
                2.0 * value / (root - rate)
            } else {
                (rate + root) / curvature
            };
            // Where it neither approaches nor parts a step has no length; rounding decides.
            let least = 4.0 * f64::EPSILON * (t + window);
            if step <= least {
                if rate < 0.0 {
                    return Meeting::In(t + step);
                }
                t += least.max(1e-9 * window * f64::from(round > 20));
            } else {
                t += step.min(window);
            }
            if t >= horizon {
                return Meeting::No;
            }
        }
        Meeting::NotBefore(t)
    }
}

/// The part of a vector across a unit axis.
#[inline(always)]
fn across<D: Dimension>(v: D::Vector, axis: D::Vector) -> D::Vector {
    v - axis * axis.dot(&v)
}
