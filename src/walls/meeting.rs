//! Time at which a moving ball meets a wall, for every model of flight.
//!
//! Parts of planes, balls and cylinders have closed forms if the ball moves on a parabola, or straight, relative to
//! them. All other surfaces are approached by steps that cannot pass them: at a distance by a bound of speed, near by
//! the rate of the gap and a bound of its change.

use super::Wall;
use crate::geometry::path::Path;
use crate::geometry::surface::{Coming, Probe, Surface};
use crate::geometry::{Dimension, Vector};
use crate::walls::Pose;

/// Gap over the radius that counts as closed.
const CLOSED: f64 = 1e-13;
/// Greatest number of steps of a search, which is then continued later.
const ROUNDS: usize = 200;
/// Displacement in radii after which a search for a fixed wall is interrupted.
const FAR: f64 = 1e6;
/// The same for a moving wall.
const MOVED: f64 = 64.0;
/// Greatest fraction of the radius of a hollow that a step covers if it treats the hollow as uniform.
const EVEN: f64 = 0.25;
/// Factor by which the curvature of a hollow may grow in that step.
const NARROWER: f64 = 1.5;

/// Result of a search for a meeting, s from now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Meeting {
    /// None within the given time.
    None,
    /// At this time.
    In(f64),
    /// None before this time; later times were not searched.
    NotBefore(f64),
}

/// A moving ball, as input of a search.
#[derive(Clone, Copy, Debug)]
pub struct Way<D: Dimension> {
    /// Path from now on.
    pub path: Path<D>,
    /// Radius, m.
    pub radius: f64,
    /// Time at the start of the path, s.
    pub now: f64,
    /// Duration of the search, s.
    pub length: f64,
    /// Least time between two contacts that count as distinct, s.
    pub least: f64,
}

/// A ball's path relative to a moving wall.
#[derive(Clone, Copy, Debug)]
pub struct Seen<D: Dimension> {
    path: Path<D>,
    /// Time until the wall's motion changes, s from now.
    left: f64,
}

/// Returns a bound of a wall's speed within a time, m/s, near a point that moves at most `way`.
pub fn speed_bound<D: Dimension>(
    wall: &Wall<D>,
    x: D::Vector,
    way: f64,
    now: f64,
    length: f64,
) -> f64 {
    let motion = &wall.boundary.motion;
    let (speed, spin) = motion.speed_bounds(now, now + length);
    if spin == 0.0 {
        return speed;
    }
    let pose = motion.pose(now);
    let away = |image: u32| {
        let x = x - wall.images.shift(image, &pose, x);
        (x - pose.centre - pose.shift).norm()
    };
    let furthest = (0..wall.images.count()).map(away).fold(0.0, f64::max);
    speed + spin * (furthest + way)
}

/// Returns the contact of a surface: of the surface alone, or, at a joint of images, of those touched there.
fn met<D: Dimension>(
    wall: &Wall<D>,
    surface: u32,
    pose: &Pose<D>,
    x: D::Vector,
) -> Option<Probe<D>> {
    if wall.images.are_joined() {
        return wall.probe(surface, pose, x);
    }
    wall.surface(surface).probe(wall.to_frame(surface, pose, x))
}

/// Change of a gap: its rate, m/s, and the time, s, for which its second derivative is at least `-bend`, m/s^2.
#[derive(Clone, Copy, Debug)]
struct Rate {
    rate: f64,
    bend: f64,
    holds: f64,
}

impl Rate {
    /// Returns a lower bound of the time for which a gap stays open, s.
    fn stays_open(&self, gap: f64) -> f64 {
        let gap = gap.max(0.0);
        if self.bend <= 0.0 {
            return if self.rate >= 0.0 { self.holds } else { 0.0 };
        }
        let root = (self.rate * self.rate + 2.0 * self.bend * gap).sqrt();
        let open = if self.rate < 0.0 {
            2.0 * gap / (root - self.rate)
        } else {
            (self.rate + root) / self.bend
        };
        open.min(self.holds)
    }
}

impl<D: Dimension> Way<D> {
    /// Returns a bound of the ball's speed, m/s.
    fn speed(&self) -> f64 {
        self.path.velocity.norm() + self.path.acceleration.norm() * self.length
    }

    /// Returns a bound of the rate at which the gap to a wall can change, m/s.
    pub fn bound(&self, wall: &Wall<D>) -> f64 {
        if wall.fixed {
            return self.speed();
        }
        let far = self.speed() * self.length;
        self.speed() + speed_bound(wall, self.path.position, far, self.now, self.length)
    }

    /// Returns when it meets a surface of a wall while approaching, within a time that may be infinite, also for balls that rest on a wall with
    /// tiny hops: in closed form where there is one, else by a search that uses the curvature of gaps; `seen` comes from [`Way::seen_from`].
    pub fn first_meeting(&self, seen: Option<&Seen<D>>, wall: &Wall<D>, surface: u32) -> Meeting {
        let closed = seen.and_then(|seen| self.in_closed_form(seen, wall, surface));
        if let Some(meeting) = closed {
            return meeting;
        }
        let window = self.window(wall, FAR);
        let way = Way {
            length: self.length.min(window),
            least: 1e-6 * window,
            ..*self
        };
        match way.search(wall, surface, way.bound(wall)) {
            Meeting::None if window < self.length => Meeting::NotBefore(window),
            meeting => meeting,
        }
    }

    /// Returns the time for which a bound of speed is useful, s: until accelerations dominate it, a moving wall has
    /// moved by many radii, or the ball has moved by `far` radii.
    pub fn window(&self, wall: &Wall<D>, far: f64) -> f64 {
        let (speed, pull) = (
            self.path.velocity.norm(),
            self.path.acceleration.norm().max(f64::MIN_POSITIVE),
        );
        let own = speed + (pull * self.radius).sqrt();
        let bends = 4.0 * own / pull;
        if wall.boundary.motion.is_fixed() {
            return bends.min(far * self.radius / own.max(f64::MIN_POSITIVE));
        }
        let motion = &wall.boundary.motion;
        let pose = motion.pose(self.now);
        let arm = (self.path.position - pose.centre - pose.shift).norm();
        let moved = motion.speed_bounds(self.now, self.now).0
            + (motion.acceleration(self.now).norm() * self.radius).sqrt()
            + D::spin_dot(pose.spin, pose.spin).sqrt() * (arm + self.radius);
        bends.min(far.min(MOVED) * self.radius / (own + moved).max(f64::MIN_POSITIVE))
    }

    /// Returns the path relative to a wall; none if the wall rotates, or its motion is no parabola.
    pub fn seen_from(&self, wall: &Wall<D>) -> Option<Seen<D>> {
        if wall.images.are_others() {
            return None;
        }
        if wall.fixed {
            return Some(Seen {
                path: self.path,
                left: f64::INFINITY,
            });
        }
        let (path, left) = wall.boundary.motion.parabola(self.now)?;
        Some(Seen {
            path: self.path.relative_to(&path),
            left,
        })
    }

    /// Returns the meeting if there is a closed form.
    #[inline]
    fn in_closed_form(&self, seen: &Seen<D>, wall: &Wall<D>, surface: u32) -> Option<Meeting> {
        let (own, path) = (wall.surface(surface), &seen.path);
        let until = self.length.min(seen.left);
        let none = if seen.left < self.length {
            Meeting::NotBefore(seen.left)
        } else {
            Meeting::None
        };
        match own.coming(path, self.radius, until) {
            Coming::Not => Some(none),
            Coming::Unknown => None,
            Coming::At { time, once } => {
                match own.probe(wall.images.wrapped(path.position_at(time))) {
                    Some(_) => Some(Meeting::In(time)),
                    // The surface is met outside this part of it.
                    None => once.then_some(none),
                }
            }
        }
    }

    /// Returns the gap to a surface, m, at a time from now; if grains are inside another image, that to the region
    /// where its image is touched.
    fn gap(&self, wall: &Wall<D>, surface: u32, t: f64) -> f64 {
        let x = self.path.position_at(t);
        match wall.away(surface, x, self.now + t) {
            away if away > 0.0 => away,
            _ => wall.surface_distance(surface, x, self.now + t) - self.radius,
        }
    }

    /// Returns the rate of the gap, m/s, and the contact; none where the surface is not the nearest part of its wall.
    fn rate(&self, wall: &Wall<D>, surface: u32, t: f64) -> Option<(f64, Probe<D>)> {
        let (x, v) = (self.path.position_at(t), self.path.velocity_at(t));
        if wall.away(surface, x, self.now + t) > 0.0 {
            return None;
        }
        let pose = wall.pose(self.now + t);
        let probe = met(wall, surface, &pose, x)?;
        if wall.fixed {
            return Some((probe.normal.dot(&v), probe));
        }
        let normal = pose.vector_from_frame(probe.normal);
        let at = x - normal * probe.distance - wall.shift(surface, &pose, x);
        Some((normal.dot(&(v - pose.point_velocity(at))), probe))
    }

    /// Returns a bound of the decrease of a gap's rate: by the ball's acceleration relative to the wall, and by the
    /// curvature of a hollow.
    fn bends(&self, wall: &Wall<D>, surface: u32, t: f64, rate: f64, met: &Probe<D>) -> Rate {
        let motion = &wall.boundary.motion;
        let pose = wall.pose(self.now + t);
        let x = self.path.position_at(t);
        let own = x - wall.shift(surface, &pose, x);
        let speed = (self.path.velocity_at(t) - pose.point_velocity(own)).norm();
        let (mut pull, mut holds) = (self.path.acceleration.norm(), f64::INFINITY);
        if !motion.is_fixed() {
            let spin = D::spin_dot(pose.spin, pose.spin).sqrt();
            let arm = (own - pose.centre - pose.shift).norm();
            pull += 2.0 * spin * speed + spin * spin * arm;
            // The Coriolis term grows with the speed: a factor of 2 bounds it for the time `holds`.
            pull *= if spin > 0.0 { 2.0 } else { 1.0 };
            pull += motion.greatest_acceleration(self.now + t);
            if let Some(change) = motion.next_change(self.now + t) {
                holds = change - self.now - t;
            }
        }
        let hollow = wall
            .surface(surface)
            .hollow(wall.to_frame(surface, &pose, x), met);
        let swing = (pull * self.radius).sqrt();
        let fastest = 2.0 * speed + swing;
        if pull > 0.0 {
            holds = holds.min((speed + swing) / pull);
        }
        if hollow > 0.0 {
            holds = holds.min(EVEN / (hollow * fastest));
        }
        Rate {
            rate,
            bend: pull + NARROWER * hollow * fastest * fastest,
            holds,
        }
    }

    /// Searches by steps that cannot pass the meeting; Newton steps where the gap closes, and a bracket where these
    /// overshoot. Steps also use the curvature of gaps: without a bound of it a gap may close and open again within one.
    fn search(&self, wall: &Wall<D>, surface: u32, bound: f64) -> Meeting {
        let mut t = 0.0;
        for _ in 0..ROUNDS {
            let gap = self.gap(wall, surface, t);
            if gap > bound * (self.length - t) {
                return Meeting::None;
            }
            let near = gap < 0.5 * self.radius;
            let rate = self.rate(wall, surface, t);
            let open = rate.as_ref().map_or(0.0, |(rate, met)| {
                self.bends(wall, surface, t, *rate, met).stays_open(gap)
            });
            // To a wall that swings a gap may close and open again between two times at which it is open.
            let sure = t + open.max(gap / bound);
            let rate = rate.filter(|_| near).map(|(rate, _)| rate);
            if gap <= CLOSED * self.radius {
                if rate.is_some_and(|rate| rate < 0.0) {
                    return Meeting::In(t);
                }
                // It separates, or touches another piece of the wall.
                t += open.max(self.least);
            } else if let Some(rate) = rate.filter(|&rate| rate < 0.0) {
                let then = t - gap / rate;
                // Until then the centre cannot be on the other side, where the gap is open too.
                let end = self.length.min(t + open.max((gap + self.radius) / bound));
                if then >= end {
                    // With positive curvature the gap stays open throughout, with negative curvature if it is open at
                    // the end.
                    if self.gap(wall, surface, end) <= 0.0 {
                        return Meeting::In(self.close(wall, surface, [t, end]));
                    }
                    t = if wall.fixed { end } else { sure.min(end) };
                } else if self.gap(wall, surface, then) <= 0.0 {
                    return Meeting::In(self.close(wall, surface, [t, then]));
                } else if then - t <= 4.0 * f64::EPSILON * self.now.abs().max(then) {
                    return Meeting::In(then);
                } else {
                    // The gap has positive curvature: it is open up to that time.
                    t = if wall.fixed { then } else { sure.min(then) };
                }
            } else {
                t = sure;
            }
            if t >= self.length {
                return Meeting::None;
            }
        }
        Meeting::NotBefore(t.max(self.least))
    }

    /// Returns when the gap closes between two times, by bisection and secants in turn.
    fn close(&self, wall: &Wall<D>, surface: u32, [low, high]: [f64; 2]) -> f64 {
        let gap = |t: f64| self.gap(wall, surface, t);
        let (mut low, mut high) = ((low, gap(low)), (high, gap(high)));
        for round in 0..120 {
            let share = low.1 / (low.1 - high.1);
            let share = if round % 2 == 0 {
                share.clamp(0.001, 0.999)
            } else {
                0.5
            };
            let middle = low.0 + share * (high.0 - low.0);
            if middle <= low.0 || middle >= high.0 {
                break;
            }
            let value = gap(middle);
            if value > 0.0 {
                low = (middle, value);
            } else {
                high = (middle, value);
            }
        }
        // Still open, by rounding: no contact may begin inside of a wall.
        low.0
    }
}
