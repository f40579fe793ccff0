//! Finds the grains of a fill that are outside the vessel which contains the others.
//!
//! A region is a box, but vessels often are not: grains in its corners would be beside the wall and fall past it.
//! Two-sided walls do not say which side is meant, so the fill decides: a wall that contains most of a fill, or spans
//! most of its region, is its vessel, and the whole fill is meant to be inside. A post in the middle of a bed is no
//! vessel, and of two nested vessels the outer one counts. A place is inside a vessel if a ray meets the wall in
//! every direction across gravity; a place above it counts too, if a grain that falls from there enters the vessel.

use crate::geometry::surface::Pieces;
use crate::geometry::{Dimension, Vector};
use crate::walls::Boundary;
use crate::walls::shapes::Barrier;

/// Number of directions across gravity in space, and how many of them may miss the wall: a vessel with holes is still
/// a vessel.
const ROUND: usize = 8;
const HOLES: usize = 1;
/// Number of steps of a fall after which a place counts as outside.
const STEPS: usize = 10_000;
/// A place whose distance from a wall, relative to the radius, is less than this touches it.
const NEAR: f64 = 0.5;

/// A vessel contains at least this fraction of the region that it spans, or of the grains.
const HELD: f64 = 0.2;

/// A wall that may contain grains, at its position at time 0.
struct Wall<'a, D: Dimension> {
    boundary: &'a Boundary<D>,
    barrier: Barrier<D>,
    pieces: Pieces<D>,
}

/// All walls that may contain grains.
pub(super) struct Vessels<'a, D: Dimension> {
    walls: Vec<Wall<'a, D>>,
    /// Unit vector along gravity; none without it.
    down: Option<D::Vector>,
    /// Directions in which a ray must meet a wall.
    round: Vec<D::Vector>,
    holes: usize,
    /// Bounding box of all thin walls, m.
    extent: Option<(D::Vector, D::Vector)>,
}

/// A vessel that contains most of a fill: a single wall, or all thin walls together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Vessel {
    /// A single wall, by its index among those that may contain grains.
    One(usize),
    All,
}

/// A vessel that contains grains of a fill, and the grains outside of it.
pub(super) struct Held {
    pub vessel: Vessel,
    /// Names of its walls.
    pub names: String,
    /// Indices of the grains outside.
    pub outside: Vec<usize>,
    /// Whether all grains are meant to be inside.
    pub is_meant: bool,
}

/// Of vessels that each contain a part of a fill, returns the one that contains most, with the grains that are in
/// none of them.
fn beside_all(vessels: Vec<Held>) -> Vec<Held> {
    let is_in_none = |k: &usize| {
        let mut all = vessels.iter();
        all.all(|held| held.outside.binary_search(k).is_ok())
    };
    let Some(most) = vessels.iter().min_by_key(|held| held.outside.len()) else {
        return Vec::new();
    };
    let outside: Vec<usize> = most.outside.iter().copied().filter(is_in_none).collect();
    let told = !outside.is_empty();
    let (vessel, names) = (most.vessel, most.names.clone());
    let held = Held {
        vessel,
        names,
        outside,
        is_meant: false,
    };
    told.then_some(held).into_iter().collect()
}

impl<'a, D: Dimension> Vessels<'a, D> {
    /// Collects the walls that may contain grains, gates closed, under a gravity.
    pub fn new(walls: &'a [Boundary<D>], gravity: D::Vector) -> Self {
        let g = gravity.norm();
        let down = (g > 0.0).then(|| gravity * (1.0 / g));
        let wall = |boundary: &'a Boundary<D>| {
            Some(Wall {
                boundary,
                barrier: boundary
                    .shape
                    .barrier(down.map(|down| boundary.motion.pose(0.0).vector_to_frame(down))),
                pieces: boundary.shape.surfaces().ok()?,
            })
        };
        let mut vessels = Vessels {
            walls: walls.iter().filter_map(wall).collect(),
            down,
            round: round::<D>(down),
            holes: if down.is_some() && D::N == 3 {
                HOLES
            } else {
                0
            },
            extent: None,
        };
        vessels.extent = vessels.span(Vessel::All);
        vessels
    }

    /// Whether no wall can be a vessel.
    pub fn are_none(&self) -> bool {
        self.extent.is_none()
    }

    fn is_of(&self, vessel: Vessel, k: usize) -> bool {
        match vessel {
            Vessel::One(one) => one == k,
            Vessel::All => self.walls[k].boundary.shape.is_thin(),
        }
    }

    /// Returns the bounding box of a vessel, m.
    fn span(&self, vessel: Vessel) -> Option<(D::Vector, D::Vector)> {
        let of = (0..self.walls.len()).filter(|&k| self.is_of(vessel, k));
        let boxes = of.filter_map(|k| {
            let boundary = self.walls[k].boundary;
            let (low, high) = boundary.shape.extent()?;
            let pose = boundary.motion.pose(0.0);
            // The corners of the box in the wall's orientation.
            let corner = |n: usize| {
                pose.to_world(D::Vector::from_fn(|k| {
                    if n >> k & 1 == 0 { low[k] } else { high[k] }
                }))
            };
            let first = corner(0);
            Some((0..1 << D::N).map(corner).fold((first, first), joined::<D>))
        });
        boxes.reduce(|a, b| joined::<D>(joined::<D>(a, b.0), b.1))
    }

    /// Returns the fraction of a region that lies within the bounding box of a vessel, or above it.
    fn share(&self, vessel: Vessel, (min, max): (D::Vector, D::Vector)) -> f64 {
        let Some((low, high)) = self.span(vessel) else {
            return 0.0;
        };
        let down = self.down.unwrap_or_default();
        let shares = (0..D::N).map(|k| {
            // Against gravity the box extends to infinity.
            let low = if down[k] > 0.5 {
                min[k]
            } else {
                low[k].max(min[k])
            };
            let high = if down[k] < -0.5 {
                max[k]
            } else {
                high[k].min(max[k])
            };
            (high - low).max(0.0) / (max[k] - min[k])
        });
        shares.product()
    }

    /// Whether a vessel spans most of a region and contains a good part of it: a cone contains a quarter of its
    /// bounding box, a ramp nothing.
    fn is_meant(
        &self,
        vessel: Vessel,
        (min, max): (D::Vector, D::Vector),
        grains: &[(D::Vector, f64)],
    ) -> bool {
        if self.share(vessel, (min, max)) <= 0.5 {
            return false;
        }
        let radius = grains.first().map_or(0.0, |grain| grain.1);
        let side = if D::N == 2 { 30 } else { 10 };
        let all = usize::pow(side, D::N as u32);
        let held = (0..all).filter(|n| {
            let place = D::Vector::from_fn(|k| {
                let at = (n / usize::pow(side, k as u32)) % side;
                min[k] + (max[k] - min[k]) * (at as f64 + 0.5) / side as f64
            });
            self.holds(vessel, place, radius)
        });
        held.count() as f64 > HELD * all as f64
    }

    /// Returns the vessels that contain most of these grains, centres and radii (m), or span most of their region, if
    /// there is one, but do not contain all of them; without such a vessel, the one that contains a good part of
    /// them.
    pub fn holding(
        &self,
        grains: &[(D::Vector, f64)],
        region: Option<(D::Vector, D::Vector)>,
    ) -> Vec<Held> {
        if self.are_none() {
            return Vec::new();
        }
        let thin: Vec<usize> = (0..self.walls.len())
            .filter(|&k| self.walls[k].boundary.shape.is_thin())
            .collect();
        let mut all: Vec<Vessel> = thin.iter().map(|&k| Vessel::One(k)).collect();
        // A single thin wall was checked already.
        if thin.len() > 1 || self.walls.len() > 1 {
            all.push(Vessel::All);
        }
        let (mut found, mut partly): (Vec<Held>, Vec<Held>) = Default::default();
        for vessel in all {
            // Walls form a vessel together only if none is one by itself.
            if vessel == Vessel::All && !found.is_empty() {
                continue;
            }
            let outside: Vec<usize> = (0..grains.len())
                .filter(|&k| !self.holds(vessel, grains[k].0, grains[k].1))
                .collect();
            let is_meant = 2 * outside.len() < grains.len()
                || region.is_some_and(|region| self.is_meant(vessel, region, grains));
            let held = (grains.len() - outside.len()) as f64;
            let list = match is_meant {
                true => &mut found,
                false if held >= HELD * grains.len() as f64 => &mut partly,
                false => continue,
            };
            let told = list.iter().any(|held| held.outside == outside);
            if outside.is_empty() || told {
                continue;
            }
            let names = thin.iter().filter(|&&k| self.is_of(vessel, k));
            let names: Vec<String> = names
                .map(|&k| format!("`{}`", self.walls[k].boundary.name))
                .collect();
            list.push(Held {
                vessel,
                names: names.join(", "),
                outside,
                is_meant,
            });
        }
        if found.is_empty() {
            return beside_all(partly);
        }
        // A grain outside the outer of two vessels is outside the inner one too.
        let outer: Vec<bool> = found
            .iter()
            .map(|held| {
                let others = found.iter();
                !others.into_iter().any(|other| {
                    let within = |k: &usize| held.outside.binary_search(k).is_ok();
                    other.outside.len() < held.outside.len() && other.outside.iter().all(within)
                })
            })
            .collect();
        let mut outer = outer.into_iter();
        found.retain(|_| outer.next().unwrap_or(true));
        found
    }

    /// Whether a grain at a place is in a vessel, or enters it when it falls.
    pub fn holds(&self, vessel: Vessel, x: D::Vector, radius: f64) -> bool {
        if self.surrounds(vessel, x) {
            return true;
        }
        let (Some(down), Some((low, high))) = (self.down, self.span(vessel)) else {
            return false;
        };
        // Falls at most to the bottom of the vessel.
        let corners = D::Vector::from_fn(|k| if down[k] > 0.0 { high[k] } else { low[k] });
        let most = down.dot(&(corners - x));
        let mut fallen = 0.0;
        for _ in 0..STEPS {
            let place = x + down * fallen;
            if fallen > most {
                return false;
            }
            if self.surrounds(vessel, place) {
                return true;
            }
            let near = self
                .walls
                .iter()
                .map(|wall| {
                    let own = wall.boundary.motion.pose(0.0).to_frame(place);
                    wall.pieces.distance(own)
                })
                .fold(f64::INFINITY, f64::min);
            if near < NEAR * radius && fallen > 0.0 {
                return false;
            }
            fallen += near.max(NEAR * radius);
        }
        false
    }

    /// Whether rays in every direction across gravity meet the walls.
    fn surrounds(&self, vessel: Vessel, x: D::Vector) -> bool {
        if let Vessel::One(k) = vessel
            && let Some(within) = self.walls[k].barrier.is_within(self.to_frame(k, x))
        {
            return within;
        }
        let mut missed = 0;
        self.round.iter().all(|&way| {
            let met = (0..self.walls.len()).any(|k| {
                let wall = &self.walls[k];
                // A plane or a box is no vessel by itself here, but may be a side of one.
                let counts = match vessel {
                    Vessel::One(one) => one == k,
                    Vessel::All => true,
                };
                let pose = wall.boundary.motion.pose(0.0);
                counts
                    && wall
                        .barrier
                        .is_met(pose.to_frame(x), pose.vector_to_frame(way))
            });
            missed += usize::from(!met);
            missed <= self.holes
        })
    }

    fn to_frame(&self, k: usize, x: D::Vector) -> D::Vector {
        self.walls[k].boundary.motion.pose(0.0).to_frame(x)
    }
}

fn joined<D: Dimension>(
    (low, high): (D::Vector, D::Vector),
    x: D::Vector,
) -> (D::Vector, D::Vector) {
    (
        D::Vector::from_fn(|k| low[k].min(x[k])),
        D::Vector::from_fn(|k| high[k].max(x[k])),
    )
}

/// Returns directions across gravity; without gravity along all axes.
fn round<D: Dimension>(down: Option<D::Vector>) -> Vec<D::Vector> {
    let axis = |k: usize, sign: f64| D::Vector::from_fn(|i| if i == k { sign } else { 0.0 });
    let Some(down) = down else {
        return (0..2 * D::N)
            .map(|n| axis(n / 2, if n % 2 == 0 { 1.0 } else { -1.0 }))
            .collect();
    };
    // The axis most nearly perpendicular to gravity, made exactly so.
    let most = (0..D::N).min_by(|&a, &b| down[a].abs().total_cmp(&down[b].abs()));
    let across = axis(most.unwrap_or(0), 1.0);
    let across = across - down * across.dot(&down);
    let across = across * (1.0 / across.norm());
    if D::N == 2 {
        return vec![across, -across];
    }
    let third = D::Vector::from_fn(|k| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        down[i] * across[j] - down[j] * across[i]
    });
    (0..ROUND)
        .map(|n| {
            // Rotated slightly off the axes, along which edges of meshes often lie.
            let angle = 0.137 + std::f64::consts::TAU * n as f64 / ROUND as f64;
            let (sine, cosine) = libm::sincos(angle);
            across * cosine + third * sine
        })
        .collect()
}
