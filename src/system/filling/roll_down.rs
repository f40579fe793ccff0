//! Filling by grains dropped one by one, each rolling down until it is supported (thesis 4.7.1).
//!
//! A grain follows the steepest descent that its contacts leave free. It moves along a straight
//! step until it reaches the next body; on a round body it then falls back a little, which follows
//! the rolling as closely as the steps are short, and makes it leave a body at its equator. The
//! linear estimate of a gap never overshoots a convex body, so that contacts are closed as fast as
//! by Newton's method and without overlap; a grain that overlaps a hollow wall after a step is pushed out.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::obstacles::{Near, Obstacles};
use super::{FillError, FillRequest};
use crate::body::Grain;
use crate::geometry::{Dimension, Vector};

/// Gap, in radii, below which bodies touch; also the greatest overlap.
const TOUCH: f64 = 5e-10;
/// Longest step along a surface, in radii.
const STEP: f64 = 0.1;
/// Sine of the slope below which there is no descent.
const LEVEL: f64 = 1e-7;
/// Number of steps after which a grain is given up.
const STEPS: usize = 200_000;
/// Number of places tried for a grain to be dropped from.
const DROPS: usize = 200;

/// Drops grains from the top of the region, at random places across it. Each rolls down over walls
/// and grains until it is supported: by two bodies in the plane, three in space, or fewer where
/// the ground is level. It may leave the region sideways, but must come to rest below its top and
/// not under its bottom.
pub fn roll_down<D: Dimension>(
    request: &FillRequest<'_, D>,
    rng: &mut ChaCha8Rng,
) -> Result<Vec<Grain<D>>, FillError> {
    let (_, largest) = request.check()?;
    let mut obstacles = Obstacles::new(request, largest)?;
    let mut grains = Vec::with_capacity(request.count);
    let up = D::N - 1;
    let asked = request.count;
    for placed in 0..asked {
        let (sort, r) = request.what.draw(rng);
        let mut rest = None;
        for _ in 0..DROPS {
            let top = D::Vector::from_fn(|k| {
                let (lo, hi) = (request.min[k] + r, request.max[k] - r);
                if k == up {
                    // Not in touch with a lid.
                    hi - TOUCH * r
                } else {
                    lo + (hi - lo) * rng.random::<f64>()
                }
            });
            if obstacles.overlaps(top, r) || !request.allows(top, r) {
                continue;
            }
            let mut descent = Descent::new(&obstacles, r, request.min[up] - r);
            let x = descent.run(top, rng).map_err(|fault| match fault {
                Fault::Fell => FillError::NoSupport {
                    placed: placed + 1,
                    asked,
                },
                Fault::Rolls => FillError::NoRest {
                    placed: placed + 1,
                    asked,
                },
            })?;
            rest = Some(obstacles.wrapped(x));
            break;
        }
        let Some(x) = rest else {
            return Err(FillError::NoRoom {
                placed,
                asked,
                advice: "raise the top of the region or lower the count",
            });
        };
        obstacles.add(x, r);
        grains.push(request.grain(placed, (sort, r), x));
    }
    Ok(grains)
}

enum Fault {
    Fell,
    Rolls,
}

struct Descent<'a, D: Dimension> {
    obstacles: &'a Obstacles<D>,
    radius: f64,
    /// Height below which the grain has fallen out.
    floor: f64,
    near: Vec<Near<D>>,
    touching: Vec<D::Vector>,
}

impl<'a, D: Dimension> Descent<'a, D> {
    const UP: usize = D::N - 1;

    fn new(obstacles: &'a Obstacles<D>, radius: f64, floor: f64) -> Self {
        Descent {
            obstacles,
            radius,
            floor,
            near: Vec::new(),
            touching: Vec::new(),
        }
    }

    /// Returns where a grain dropped at `x` comes to rest.
    fn run(&mut self, mut x: D::Vector, rng: &mut ChaCha8Rng) -> Result<D::Vector, Fault> {
        let r = self.radius;
        let mut longest = STEP * r;
        // Lowest place of rest so far, and number of nudges there.
        let mut rest: Option<D::Vector> = None;
        let mut nudges = 0;
        for _ in 0..STEPS {
            if x[Self::UP] < self.floor {
                return Err(Fault::Fell);
            }
            // High above all grains only walls are in the way, and the fall is one step.
            let fall = (2.0 * r).max(self.obstacles.above_all(x, r).min(x[Self::UP] - self.floor));
            self.look(x, fall);
            let way = if longest < 1e-9 * r {
                None
            } else {
                descent::<D>(&self.touching)
            };
            if let Some(way) = way {
                let limit = if self.touching.is_empty() {
                    fall
                } else {
                    longest
                };
                let next = self.step(x, way, limit);
                if next[Self::UP] < x[Self::UP] {
                    x = next;
                    longest = (2.0 * longest).min(STEP * r);
                } else {
                    // The bottom of a hollow lies within the step.
                    longest *= 0.5;
                }
                continue;
            }
            // No descent: a stable place, or the top of a ridge. It is stable if nudges
            // lead back to the same height.
            if self.touching.len() >= D::N && self.is_held() {
                return Ok(x);
            }
            match rest {
                Some(before) if x[Self::UP] > before[Self::UP] - 1e-6 * r => nudges += 1,
                _ => (rest, nudges) = (Some(x), 0),
            }
            let place = rest.unwrap_or(x);
            if nudges >= 2 * D::N {
                return Ok(place);
            }
            x = self.nudge(place, rng);
            longest = STEP * r;
        }
        Err(Fault::Rolls)
    }

    /// Finds the bodies near `x`, and the normals of those that touch.
    fn look(&mut self, x: D::Vector, reach: f64) {
        self.obstacles.near(x, self.radius, reach, &mut self.near);
        let touch = TOUCH * self.radius;
        self.touching.clear();
        let touching = self.near.iter().filter(|n| n.gap <= touch);
        self.touching.extend(touching.filter_map(|n| n.normal));
    }

    /// Moves along a unit vector until a body is in the way, at most `limit`.
    fn step(&mut self, x: D::Vector, way: D::Vector, limit: f64) -> D::Vector {
        let touch = TOUCH * self.radius;
        let mut length = limit;
        for near in self.near.iter().filter(|n| n.gap > touch) {
            match near.normal {
                Some(normal) => {
                    let rate = -normal.dot(&way);
                    if rate > 0.0 {
                        length = length.min(near.gap / rate);
                    }
                }
                // A wall that may come to face the grain: go no farther than its distance, but go on.
                None => length = length.min(near.gap.max(0.02 * self.radius)),
            }
        }
        for _ in 0..60 {
            if let Some(next) = self.free_place(x + way * length) {
                return next;
            }
            length *= 0.5;
        }
        x
    }

    /// Returns the place itself, or the nearest one found by pushing it out of walls; `None` where it
    /// overlaps a grain, or a wall by more than a short step explains.
    fn free_place(&mut self, mut x: D::Vector) -> Option<D::Vector> {
        let touch = TOUCH * self.radius;
        for _ in 0..12 {
            self.obstacles.near(x, self.radius, 0.0, &mut self.near);
            let seen = self.near.iter().filter(|n| n.normal.is_some());
            let worst = seen.min_by(|a, b| a.gap.total_cmp(&b.gap));
            match worst {
                Some(near) if near.gap < -touch => {
                    if !near.wall || near.gap < -0.02 * self.radius {
                        return None;
                    }
                    x += near.normal? * -near.gap;
                }
                _ => return Some(x),
            }
        }
        None
    }

    /// Returns whether the contacts hold the grain against small pushes to every side: no level direction is
    /// open to it.
    fn is_held(&self) -> bool {
        // A direction is open when no normal opposes it. In the plane two directions are level; in
        // space a fan of them is tested, finer than contacts that matter.
        let fan = if D::N == 2 { 2 } else { 64 };
        (0..fan).all(|i| {
            let angle = std::f64::consts::TAU * f64::from(i) / f64::from(fan);
            let (sine, cosine) = libm::sincos(angle);
            let level = D::Vector::from_fn(|k| match k {
                0 => cosine,
                1 if D::N == 3 => sine,
                _ => 0.0,
            });
            self.touching.iter().any(|n| n.dot(&level) < -1e-3)
        })
    }

    /// Returns a free place a little aside.
    fn nudge(&mut self, x: D::Vector, rng: &mut ChaCha8Rng) -> D::Vector {
        let angle = std::f64::consts::TAU * rng.random::<f64>();
        let (sine, cosine) = libm::sincos(angle);
        let way = D::Vector::from_fn(|k| match k {
            0 if D::N == 2 => cosine.signum(),
            0 => cosine,
            1 if D::N == 3 => sine,
            _ => 0.0,
        });
        // Forward or back, on the level or, where the ground rises, a little higher.
        for lift in [0.0, 1e-3, 3e-3] {
            for side in [1.0, -1.0] {
                let mut aside = x + way * (side * 1e-3 * self.radius);
                aside[Self::UP] += lift * self.radius;
                if let Some(place) = self.free_place(aside) {
                    return place;
                }
            }
        }
        x
    }
}

/// Returns the unit vector of steepest descent that no contact stops: the projection of straight down on
/// the cone of free directions; `None` where there is no descent. With at most N - 1 contacts active
/// at a time all cases are tried.
fn descent<D: Dimension>(normals: &[D::Vector]) -> Option<D::Vector> {
    let down = D::Vector::from_fn(|k| if k == D::N - 1 { -1.0 } else { 0.0 });
    let mut best: Option<D::Vector> = None;
    let mut consider = |way: D::Vector| {
        let length = way.norm();
        if length <= LEVEL || best.is_some_and(|b| b.dot(&down) >= length) {
            return;
        }
        let way = way * (1.0 / length);
        if normals.iter().all(|n| n.dot(&way) >= -1e-10) {
            best = Some(way);
        }
    };
    consider(down);
    for (i, a) in normals.iter().enumerate() {
        let along = down - *a * a.dot(&down);
        consider(along);
        if D::N == 3 {
            for b in &normals[i + 1..] {
                // Component of b across a.
                let across = *b - *a * a.dot(b);
                let length = across.norm();
                if length > 1e-9 {
                    let across = across * (1.0 / length);
                    consider(along - across * across.dot(&along));
                }
            }
        }
    }
    best
}
