//! When a ball on its path meets a wall: the question that every model of flight asks.
//!
//! Parts of planes, balls and cylinders have closed forms where the ball goes on a parabola, or straight, as they see it. All others are approached by
//! steps that cannot pass them: far away by a bound of speed, near by the rate of the gap and a bound of how fast that changes.

use super::Wall;
use crate::geometry::path::Path;
use crate::geometry::surface::{Coming, Probe, Surface};
use crate::geometry::{Dimension, Vector};
use crate::walls::Pose;

/// Gap over the radius that passes for none.
const CLOSED: f64 = 1e-13;
/// Steps of a search: after these it goes on from where it came.
const ROUNDS: usize = 200;
/// Radii after which a search for a wall that stands gives up for a while.
const FAR: f64 = 1e6;
/// The same for one that moves.
const MOVED: f64 = 64.0;
/// Share of the radius of a hollow that is gone at most in a step that takes it for even.
const EVEN: f64 = 0.25;
/// What the curvature of a hollow may grow by on that way.
const NARROWER: f64 = 1.5;

/// What is known of a meeting, s from now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Meeting {
    /// None within the time asked for.
    None,
    /// Then.
    In(f64),
    /// None before then; what comes after was not found.
    NotBefore(f64),
}

/// A ball on its way, as seen by a wall.
#[derive(Clone, Copy, Debug)]
pub struct Way<D: Dimension> {
    /// Its path from now on.
    pub path: Path<D>,
    /// m.
    pub radius: f64,
    /// Time of the start of the path, s.
    pub now: f64,
    /// Until when it is looked for, s from then.
    pub length: f64,
    /// Least time between two contacts that are told apart, s.
    pub least: f64,
}

/// A ball's path as who goes with a wall sees it.
#[derive(Clone, Copy, Debug)]
pub struct Seen<D: Dimension> {
    path: Path<D>,
    /// Until the wall's motion changes, s from now.
    left: f64,
}

/// A bound of a wall's speed within a time, m/s, near a point that goes no further than `way`.
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

/// The contact of a surface: of the surface alone, or at a joint of images of those that are met there.
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

/// How a gap changes: its rate, m/s, and for how long, s, it changes by no more than `-bend` m/s^2.
#[derive(Clone, Copy, Debug)]
struct Rate {
    rate: f64,
    bend: f64,
    holds: f64,
}

impl Rate {
    /// How long a gap stays open at least, s.
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
    /// A bound of the ball's speed, m/s.
    fn speed(&self) -> f64 {
        self.path.velocity.norm() + self.path.acceleration.norm() * self.length
    }

    /// A bound of how fast the gap to a wall can change, m/s.
    pub fn bound(&self, wall: &Wall<D>) -> f64 {
        if wall.fixed {
            return self.speed();
        }
        let far = self.speed() * self.length;
        self.speed() + speed_bound(wall, self.path.position, far, self.now, self.length)
    }

    /// When it meets a surface of a wall while approaching, within a time that ends; `bound` of [`Way::bound`].
    pub fn meeting(&self, wall: &Wall<D>, surface: u32, bound: f64) -> Meeting {
        let flat = wall.surface(surface).flat(self.path.position);
        if wall.fixed
            && flat.is_some_and(|flat| flat.extent.is_none())
            && let Some(meeting) = self
                .seen_from(wall)
                .and_then(|seen| self.in_closed_form(&seen, wall, surface))
        {
            return meeting;
        }
        self.search::<false>(wall, surface, bound)
    }

    /// The same within a time that may be without end, also of who rests on a wall and hops by next to nothing: all closed forms, and a search that
    /// knows how gaps bend; `seen` of [`Way::seen_from`]. ([`Way::meeting`] could take it too, for other last digits.)
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
        match way.search::<true>(wall, surface, way.bound(wall)) {
            Meeting::None if window < self.length => Meeting::NotBefore(window),
            meeting => meeting,
        }
    }

    /// For how long a bound of speed is of use, s: until accelerations make much of it, a wall that moves has moved by many radii, or the ball has
    /// gone `far` radii.
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

    /// As who goes with a wall sees it; none where that turns, or swings as no parabola does.
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

    /// Where that is known in closed form.
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
                    // Not on this part of it.
                    None => once.then_some(none),
                }
            }
        }
    }

    /// The gap to a surface, m, some time from now; that to where its image is met where grains live inside of another.
    fn gap(&self, wall: &Wall<D>, surface: u32, t: f64) -> f64 {
        let x = self.path.position_at(t);
        match wall.away(surface, x, self.now + t) {
            away if away > 0.0 => away,
            _ => wall.surface_distance(surface, x, self.now + t) - self.radius,
        }
    }

    /// The rate of the gap, m/s, and where the surface is met; none where it is not the nearest part of its wall.
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

    /// How fast the rate of a gap falls at most: by the ball's acceleration as seen from the wall, and by the hollow in which it goes round.
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
            // Coriolis' part grows with the speed: twice of it for as long as that takes.
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

    /// By steps that cannot pass it; Newton's where the gap closes, and a bracket where that went
    /// too far. `BENDS`: steps also by how gaps bend.
    fn search<const BENDS: bool>(&self, wall: &Wall<D>, surface: u32, bound: f64) -> Meeting {
        let mut t = 0.0;
        for _ in 0..ROUNDS {
            let gap = self.gap(wall, surface, t);
            if gap > bound * (self.length - t) {
                return Meeting::None;
            }
            let near = gap < 0.5 * self.radius;
            let rate = if near || BENDS {
                self.rate(wall, surface, t)
            } else {
                None
            };
            let open = match &rate {
                Some((rate, met)) if BENDS => {
                    self.bends(wall, surface, t, *rate, met).stays_open(gap)
                }
                _ => 0.0,
            };
            let rate = rate.filter(|_| near).map(|(rate, _)| rate);
            if gap <= CLOSED * self.radius {
                if rate.is_some_and(|rate| rate < 0.0) {
                    return Meeting::In(t);
                }
                // It parts, or another piece of the wall has it.
                t += open.max(self.least);
            } else if let Some(rate) = rate.filter(|&rate| rate < 0.0) {
                let then = t - gap / rate;
                // Until then the centre cannot be on the other side, where the gap is open too.
                let end = self.length.min(t + open.max((gap + self.radius) / bound));
                if then >= end {
                    // Bending upwards it is open all the way, bending downwards if it is at the end.
                    if self.gap(wall, surface, end) <= 0.0 {
                        return Meeting::In(self.close(wall, surface, [t, end]));
                    }
                    t = end;
                } else if self.gap(wall, surface, then) <= 0.0 {
                    return Meeting::In(self.close(wall, surface, [t, then]));
                } else if then - t <= 4.0 * f64::EPSILON * self.now.abs().max(then) {
                    return Meeting::In(then);
                } else {
                    // The gap bends upwards: it is open up to there.
                    t = then;
                }
            } else {
                t += open.max(gap / bound);
            }
            if t >= self.length {
                return Meeting::None;
            }
        }
        Meeting::NotBefore(t.max(self.least))
    }

    /// Where the gap closes between two times, by halving and secants in turn.
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
        // Open still, by a rounding: nothing begins inside of a wall.
        low.0
    }
}
