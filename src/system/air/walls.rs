//! When a flyer meets a wall.

use crate::body::Pose;
use crate::cluster::Wall;
use crate::cluster::integrate::Integrate;
use crate::collide::flight::{Path, parabola};
use crate::geometry::surface::{Probe, Surface};
use crate::geometry::{Dimension, Vector};

/// Gap over the radius that passes for none.
const CLOSED: f64 = 1e-13;
/// Steps of a search: after these it goes on from where it came.
const ROUNDS: usize = 200;

/// What is known of a meeting, s from now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Meeting {
    /// None within the time asked for.
    None,
    /// Then.
    In(f64),
    /// None before then; what comes after was not found.
    NotBefore(f64),
}

/// A flyer on its way, as seen by a wall.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way<D: Dimension> {
    pub path: Path<D>,
    pub radius: f64,
    /// Time of the start of the path, s.
    pub now: f64,
    /// Until when it is looked for, s from then.
    pub length: f64,
    /// Least time between two contacts that are told apart, s.
    pub least: f64,
}

/// A bound of a wall's speed within a time, m/s, near a point that goes no further than `way`.
pub(in crate::system) fn wall_speed_bound<D: Integrate>(
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
fn met<D: Integrate>(
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

impl<D: Integrate> Way<D> {
    /// A bound of the flyer's speed, m/s.
    fn speed(&self) -> f64 {
        self.path.velocity.norm() + self.path.acceleration.norm() * self.length
    }

    /// A bound of how fast the gap to a wall can change, m/s.
    pub fn bound(&self, wall: &Wall<D>) -> f64 {
        if wall.fixed {
            return self.speed();
        }
        let far = self.speed() * self.length;
        self.speed() + wall_speed_bound(wall, self.path.position, far, self.now, self.length)
    }

    /// The gap to a surface, m, some time from now.
    fn gap(&self, wall: &Wall<D>, surface: u32, t: f64) -> f64 {
        let x = self.path.position_at(t);
        let pose = if wall.fixed {
            Pose::rest()
        } else {
            wall.boundary.motion.pose(self.now + t)
        };
        let x = wall.to_frame(surface, &pose, x);
        wall.surface(surface).distance_bound(x) - self.radius
    }

    /// The rate of the gap, m/s; none where the surface is not the nearest part of its wall.
    fn rate(&self, wall: &Wall<D>, surface: u32, t: f64) -> Option<f64> {
        let (x, v) = (self.path.position_at(t), self.path.velocity_at(t));
        if wall.fixed {
            let probe = met(wall, surface, &Pose::rest(), x)?;
            return Some(probe.normal.dot(&v));
        }
        let pose = wall.boundary.motion.pose(self.now + t);
        let probe = met(wall, surface, &pose, x)?;
        let normal = pose.vector_from_frame(probe.normal);
        let at = x - normal * probe.distance - wall.shift(surface, &pose, x);
        Some(normal.dot(&(v - pose.point_velocity(at))))
    }

    /// When it meets a surface of a wall while approaching; `bound` of [`Way::bound`].
    pub fn meeting(&self, wall: &Wall<D>, surface: u32, bound: f64) -> Meeting {
        let path = &self.path;
        if wall.fixed
            && let Some(flat) = wall.surface(surface).flat(path.position)
            && flat.extent.is_none()
        {
            let gap = flat.normal.dot(&path.position) - flat.offset - self.radius;
            let (rate, bend) = (
                flat.normal.dot(&path.velocity),
                flat.normal.dot(&path.acceleration),
            );
            return match parabola(gap, rate, bend) {
                Some(t) if t < self.length => Meeting::In(t),
                _ => Meeting::None,
            };
        }
        self.search(wall, surface, bound)
    }

    /// By steps that cannot pass it; Newton's where the gap closes, and a bracket where that went
    /// too far.
    fn search(&self, wall: &Wall<D>, surface: u32, bound: f64) -> Meeting {
        let mut t = 0.0;
        for _ in 0..ROUNDS {
            let gap = self.gap(wall, surface, t);
            if gap > bound * (self.length - t) {
                return Meeting::None;
            }
            let near = gap < 0.5 * self.radius;
            let rate = if near {
                self.rate(wall, surface, t)
            } else {
                None
            };
            if gap <= CLOSED * self.radius {
                if rate.is_some_and(|rate| rate < 0.0) {
                    return Meeting::In(t);
                }
                // It parts, or another piece of the wall has it.
                t += self.least;
            } else if let Some(rate) = rate.filter(|&rate| rate < 0.0) {
                let then = t - gap / rate;
                // Until then the centre cannot be on the other side, where the gap is open too.
                let end = self.length.min(t + (gap + self.radius) / bound);
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
                t += gap / bound;
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
