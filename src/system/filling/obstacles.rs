//! Obstacles that a new grain must not overlap: walls, and grains in a hashed grid.

use rustc_hash::FxHashMap;

use super::{FillError, FillRequest};
use crate::contact::curved::equivalent;
use crate::geometry::surface::{Pieces, Surface};
use crate::geometry::{Dimension, Vector};
use crate::neighbor::{PeriodicAxis, images_within, wrapped};
use crate::walls::{Boundary, Pose};

/// A body near a grain.
#[derive(Clone, Copy, Debug)]
pub(in crate::system) struct Near<D: Dimension> {
    /// Distance of the surfaces, m; negative when they overlap. For a wall that does not face the
    /// grain, a lower bound.
    pub gap: f64,
    /// Unit normal towards the grain; `None` for a wall that does not face it.
    pub normal: Option<D::Vector>,
    /// Curvature of the body towards the grain, as laws use it, 1/m.
    pub curvature: f64,
    /// Whether the body is a wall.
    pub wall: bool,
    /// Index of the wall, or of the grain in order of entry.
    pub index: usize,
}

/// Walls and grains as obstacles.
pub(in crate::system) struct Obstacles<D: Dimension> {
    walls: Vec<(Pose<D>, Pieces<D>)>,
    places: Vec<(D::Vector, f64)>,
    periodic: Vec<Option<PeriodicAxis>>,
    largest: f64,
    /// Height of the topmost point of all grains, m.
    crest: f64,
    cell: f64,
    /// Grains by cell; only looked up, never iterated, so that its order does not matter.
    cells: FxHashMap<[i64; 3], Vec<u32>>,
}

/// Number of cells, above the number of grains, up to which cells are searched.
const MANY_CELLS: usize = 10_000;

impl<D: Dimension> Obstacles<D> {
    /// Takes walls and existing grains of a request; `largest` is the greatest radius of the grains to come, m.
    pub fn new(request: &FillRequest<'_, D>, largest: f64) -> Result<Self, FillError> {
        let mut obstacles = Self::within(request.boundaries, largest)?;
        obstacles.periodic = request.periodic.to_vec();
        for grain in request.existing {
            obstacles.add(grain.position, grain.radius);
        }
        Ok(obstacles)
    }

    /// Takes walls alone; `largest` is the greatest radius of the grains to come, m.
    pub fn within(boundaries: &[Boundary<D>], largest: f64) -> Result<Self, FillError> {
        let mut walls = Vec::with_capacity(boundaries.len());
        for wall in boundaries {
            let surfaces = wall.shape.surfaces().map_err(|error| FillError::Wall {
                name: wall.name.clone(),
                error,
            })?;
            walls.push((wall.motion.pose(0.0), surfaces));
        }
        Ok(Obstacles {
            walls,
            places: Vec::new(),
            periodic: Vec::new(),
            largest,
            crest: f64::NEG_INFINITY,
            cell: 2.0 * largest,
            cells: FxHashMap::default(),
        })
    }

    fn cell_of(&self, x: D::Vector) -> [i64; 3] {
        let mut cell = [0; 3];
        for (k, c) in x.components().enumerate() {
            cell[k] = (c / self.cell).floor() as i64;
        }
        cell
    }

    /// Adds a grain.
    pub fn add(&mut self, x: D::Vector, radius: f64) {
        self.largest = self.largest.max(radius);
        self.crest = self.crest.max(x[D::N - 1] + radius);
        let x = self.wrapped(x);
        let cell = self.cell_of(x);
        self.cells
            .entry(cell)
            .or_default()
            .push(self.places.len() as u32);
        self.places.push((x, radius));
    }

    /// Returns a place wrapped into the box of periodic directions.
    pub fn wrapped(&self, x: D::Vector) -> D::Vector {
        wrapped::<D>(&self.periodic, x)
    }

    /// Calls `f` with the index, place and radius of each grain, or image of one, whose centre lies within `reach` of `x`
    /// along each coordinate (and of some others); stops when `f` returns false.
    fn visit(&self, x: D::Vector, reach: f64, mut f: impl FnMut(usize, D::Vector, f64) -> bool) {
        // Searches the grains in the box, from `x` and from each of its periodic images.
        for image in images_within::<D>(&self.periodic, x, reach) {
            let back = x - image;
            let mut go_on = true;
            self.visit_box(image, reach, |index, place, radius| {
                go_on = f(index, place + back, radius);
                go_on
            });
            if !go_on {
                return;
            }
        }
    }

    /// The same for the grains without their images.
    fn visit_box(
        &self,
        x: D::Vector,
        reach: f64,
        mut f: impl FnMut(usize, D::Vector, f64) -> bool,
    ) {
        let around = D::Vector::from_fn(|_| reach);
        let (lo, hi) = (self.cell_of(x - around), self.cell_of(x + around));
        // Cells are as wide as the grains to come. Around one that is far larger there are more cells than
        // grains.
        let wide = |k: usize| hi[k] as f64 - lo[k] as f64 + 1.0;
        if wide(0) * wide(1) * wide(2) > (self.places.len() + MANY_CELLS) as f64 {
            for (g, &(place, radius)) in self.places.iter().enumerate() {
                if !f(g, place, radius) {
                    return;
                }
            }
            return;
        }
        for i in lo[0]..=hi[0] {
            for j in lo[1]..=hi[1] {
                for k in lo[2]..=hi[2] {
                    for &g in self.cells.get(&[i, j, k]).into_iter().flatten() {
                        let (place, radius) = self.places[g as usize];
                        if !f(g as usize, place, radius) {
                            return;
                        }
                    }
                }
            }
        }
    }

    /// Returns whether a grain at `x` would overlap a wall or a grain.
    pub fn overlaps(&self, x: D::Vector, radius: f64) -> bool {
        for (pose, surfaces) in &self.walls {
            let own = pose.to_frame(x);
            let mut met = false;
            surfaces.near(own, radius, |k| {
                let probe = || surfaces[k].probe(own).is_some_and(|p| p.distance < radius);
                met = met || probe();
            });
            if met {
                return true;
            }
        }
        let mut free = true;
        self.visit(x, radius + self.largest, |_, place, other| {
            free = (x - place).norm() >= radius + other;
            free
        });
        !free
    }

    /// Returns the height of a grain at `x` above all grains, m; negative among them.
    pub fn above_all(&self, x: D::Vector, radius: f64) -> f64 {
        x[D::N - 1] - radius - self.crest
    }

    /// Collects into `found` the bodies with a gap below `reach` to a grain at `x`.
    pub fn near(&self, x: D::Vector, radius: f64, reach: f64, found: &mut Vec<Near<D>>) {
        found.clear();
        for (index, (pose, surfaces)) in self.walls.iter().enumerate() {
            let own = pose.to_frame(x);
            surfaces.near(own, radius + reach, |k| {
                let probe = surfaces.probe(k, own);
                let bound = || surfaces[k].distance_bound(own);
                let distance = probe.map_or_else(bound, |p| p.distance);
                if distance - radius < reach {
                    found.push(Near {
                        gap: distance - radius,
                        normal: probe.map(|p| pose.vector_from_frame(p.normal)),
                        curvature: probe
                            .map_or(0.0, |p| equivalent(radius, surfaces[k].curvatures(own, &p))),
                        wall: true,
                        index,
                    });
                }
            });
        }
        if self.above_all(x, radius) >= reach {
            return;
        }
        self.visit(x, radius + self.largest + reach, |index, place, other| {
            let arm = x - place;
            let distance = arm.norm();
            let gap = distance - radius - other;
            if gap < reach && distance > 0.0 {
                found.push(Near {
                    gap,
                    normal: Some(arm * (1.0 / distance)),
                    curvature: 1.0 / other,
                    wall: false,
                    index,
                });
            }
            true
        });
    }
}
