//! Contacts of a grain that has just been added, and bodies near enough to watch.

use crate::body::Grain;
use crate::geometry::{Dimension, Vector};
use crate::system::filling::obstacles::{Near, Obstacles};
use crate::system::{Setup, SystemError};

/// Gap, over the grain's radius, below which bodies touch: places come from
/// decimal numbers or from a search that stops at a gap of about 1e-9 radii.
const TOUCH: f64 = 1e-6;

/// A body beside a grain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Beside<D: Dimension> {
    /// The body: a wall, or a grain in order of entry.
    pub body: Body,
    /// Gap, m; at most 0 in touch.
    pub gap: f64,
    /// Unit vector from the grain to the body.
    pub direction: D::Vector,
    /// Curvature of the body towards the grain, as laws use it, 1/m.
    pub curvature: f64,
}

impl<D: Dimension> Beside<D> {
    /// Returns the effective radius of its contact with a grain of this radius, m.
    pub fn effective_radius(&self, radius: f64) -> f64 {
        radius / (1.0 + self.curvature * radius)
    }
}

/// A wall or a grain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// A wall, by index.
    Wall(usize),
    /// A grain, in order of entry.
    Grain(usize),
}

/// Bodies that are there so far.
pub struct Surroundings<D: Dimension> {
    obstacles: Obstacles<D>,
    found: Vec<Near<D>>,
    /// Share of a radius below which gaps count as zero.
    touch: f64,
}

impl<D: Dimension> std::fmt::Debug for Surroundings<D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Surroundings").finish_non_exhaustive()
    }
}

impl<D: Dimension> Surroundings<D> {
    /// Creates the surroundings with walls alone.
    ///
    /// # Errors
    /// A wall whose shape is impossible.
    pub fn new(setup: &Setup<D>) -> Result<Self, SystemError> {
        let largest = setup.grains.iter().map(|g| g.radius).fold(0.0, f64::max);
        let obstacles = Obstacles::within(&setup.boundaries, largest)
            .map_err(|error| SystemError::Setup(error.to_string()))?;
        Ok(Surroundings {
            obstacles,
            found: Vec::new(),
            touch: TOUCH,
        })
    }

    /// Takes gaps as they are from now on.
    pub fn exact(mut self) -> Self {
        self.touch = 0.0;
        self
    }

    /// Returns the bodies beside a grain with a gap under `reach`, walls first, each list in order; then adds
    /// the grain to them.
    pub fn add(&mut self, grain: &Grain<D>, reach: f64) -> Vec<Beside<D>> {
        let (x, r) = (grain.position, grain.radius);
        let touch = self.touch * r;
        self.obstacles.near(x, r, reach.max(touch), &mut self.found);
        let mut list: Vec<Beside<D>> = Vec::new();
        for near in &self.found {
            let Some(normal) = near.normal else { continue };
            let gap = if near.gap.abs() <= touch {
                0.0
            } else {
                near.gap
            };
            list.push(Beside {
                body: if near.wall {
                    Body::Wall(near.index)
                } else {
                    Body::Grain(near.index)
                },
                gap,
                direction: -normal,
                curvature: near.curvature,
            });
        }
        // Cells are visited in an order of their own.
        list.sort_by_key(|beside| match beside.body {
            Body::Wall(wall) => (0, wall),
            Body::Grain(other) => (1, other),
        });
        self.obstacles.add(x, r);
        list
    }
}

/// Returns the first grain of a setup that comes with no body within `reach`, m, so that nothing holds it.
///
/// # Errors
/// A wall whose shape is impossible.
pub fn first_hanging<D: Dimension>(
    setup: &Setup<D>,
    reach: f64,
) -> Result<Option<usize>, SystemError> {
    let mut around = Surroundings::new(setup)?;
    let hangs = |grain: &Grain<D>| around.add(grain, reach).is_empty();
    Ok(setup.grains.iter().position(hangs))
}

/// Bodies whose direction points up by more than this share of a unit cannot support a grain.
const ABOVE: f64 = 1e-9;
/// Bodies whose direction points down by less cannot support it alone.
pub const BESIDE: f64 = 1e-3;

/// Returns the gaps (m) of a grain after it is lowered onto its supports, if it hovers: by as much as makes enough bodies touch it to
/// hold it, one of them from below. A grain that is held already stays; of fewer bodies all that are within reach count.
pub fn lowered<D: Dimension>(around: &[Beside<D>], down: D::Vector, bearers: usize) -> Vec<f64> {
    let along = |beside: &Beside<D>| beside.direction.dot(&down);
    let gap = |beside: &Beside<D>| beside.gap.max(0.0);
    let may_bear = around.iter().filter(|beside| along(beside) >= -ABOVE);
    let mut gaps: Vec<f64> = may_bear.map(gap).collect();
    gaps.sort_by(f64::total_cmp);
    let holding = gaps.get(bearers - 1).or(gaps.last()).copied();
    let below = around.iter().filter(|beside| along(beside) > BESIDE);
    let bearing = below.map(gap).reduce(f64::min);
    let by = holding.unwrap_or(0.0).max(bearing.unwrap_or(0.0));
    let lowered = |beside: &Beside<D>| {
        let by = if along(beside) < -ABOVE { 0.0 } else { by };
        (gap(beside) - by).max(0.0)
    };
    around.iter().map(lowered).collect()
}
