//! Boundaries: walls that grains touch and do not move.

use serde::{Deserialize, Serialize};

use super::{Motion, Pose, Vessel};
use crate::geometry::surface::mesh::Exactness;
use crate::geometry::surface::{Pieces, ShapeError, Surface};
use crate::geometry::{Dimension, Vector};

/// So many lines at most show a mesh.
const MOST_LINES: usize = 4_000;

/// The shape of a wall, as a person writes it; cut into primitive surfaces by
/// [`Shape::surfaces`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub enum Shape<D: Dimension> {
    /// A half-space: grains live on the side to which the normal points.
    Plane {
        /// A point of the plane.
        point: D::Vector,
        /// The normal; need not be of unit length.
        normal: D::Vector,
    },
    /// Planar: a chain of thin two-sided segments; consecutive collinear ones are merged.
    Polyline {
        /// The corners.
        points: Vec<D::Vector>,
        /// Whether the last corner is joined to the first.
        closed: bool,
    },
    /// A box, seen from inside or from outside.
    Box {
        /// Least corner.
        min: D::Vector,
        /// Greatest corner.
        max: D::Vector,
        /// Whether grains live inside.
        inside: bool,
    },
    /// A circle or a sphere, seen from inside or from outside.
    Ball {
        /// Centre.
        centre: D::Vector,
        /// Radius, m.
        radius: f64,
        /// Whether grains live inside.
        inside: bool,
    },
    /// Spatial: the surface swept by a chain of segments that turns about an axis (cylinders,
    /// cones, rings, disks and whole conical hoppers); thin and two-sided.
    Revolved {
        /// A point of the axis, from which heights are measured.
        origin: D::Vector,
        /// Direction of the axis; need not be of unit length.
        axis: D::Vector,
        /// Corners of the profile: distance from the axis and height along it, m.
        profile: Vec<[f64; 2]>,
    },
    /// Spatial: a cylinder with spherical lids, seen from inside.
    Vessel(Vessel<D>),
    /// Spatial: triangles, thin and two-sided.
    Mesh(MeshShape<D>),
    /// Planar: a thin piece of a circle, felt from both sides.
    Arc {
        /// Centre.
        centre: D::Vector,
        /// Radius, m.
        radius: f64,
        /// From one angle on counter-clockwise to the other, rad.
        angles: [f64; 2],
    },
    /// A rough wall: grains that do not move against each other, felt from outside; centre, radius (m).
    Grains(Vec<(D::Vector, f64)>),
}

/// A mesh of triangles that is a wall; need not be closed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct MeshShape<D: Dimension> {
    /// Its corners.
    pub corners: Vec<D::Vector>,
    /// Its triangles, by the numbers of their corners from 0 on.
    pub triangles: Vec<[u32; 3]>,
    /// How exact its corners are.
    pub exactness: Exactness,
}

impl<D: Dimension> Shape<D> {
    /// Radius, and heights of the two ends, m, of a cylinder with flat ends, if that is what a profile turned about an axis makes: out from
    /// the axis, along it, and straight back.
    pub fn can(profile: &[[f64; 2]]) -> Option<[f64; 3]> {
        let [[d0, h0], [d1, h1], [d2, h2], [d3, h3]] = *profile else {
            return None;
        };
        let straight = d0 == 0.0 && d3 == 0.0 && d1 == d2 && h0 == h1 && h2 == h3;
        (straight && d1 > 0.0 && h1 != h2).then(|| [d1, h1.min(h2), h1.max(h2)])
    }

    /// The primitive surfaces that it is made of, in its own frame.
    pub fn surfaces(&self) -> Result<Pieces<D>, ShapeError> {
        self.primitives().map(Pieces::new)
    }

    fn primitives(&self) -> Result<Vec<D::Surface>, ShapeError> {
        match self {
            Shape::Plane { point, normal } => D::Surface::half_space(*point, *normal),
            Shape::Polyline { points, closed } => D::Surface::polyline(points, *closed),
            Shape::Box { min, max, inside } => D::Surface::block(*min, *max, *inside),
            Shape::Ball {
                centre,
                radius,
                inside,
            } => D::Surface::ball(*centre, *radius, *inside),
            Shape::Revolved {
                origin,
                axis,
                profile,
            } => D::Surface::revolved(*origin, *axis, profile),
            Shape::Vessel(v) => D::Surface::vessel(v.from, v.to, v.radius, v.lid_radius),
            Shape::Mesh(m) => D::Surface::mesh(&m.corners, &m.triangles, m.exactness),
            Shape::Arc {
                centre,
                radius,
                angles,
            } => D::Surface::arc(*centre, *radius, *angles),
            Shape::Grains(list) => D::Surface::grains(list),
        }
    }

    /// The same shape elsewhere.
    pub fn moved(&self, by: D::Vector) -> Self {
        let mut moved = self.clone();
        match &mut moved {
            Shape::Plane { point, .. } => *point += by,
            Shape::Polyline { points, .. } => points.iter_mut().for_each(|p| *p += by),
            Shape::Box { min, max, .. } => {
                *min += by;
                *max += by;
            }
            Shape::Ball { centre, .. } | Shape::Arc { centre, .. } => *centre += by,
            Shape::Revolved { origin, .. } => *origin += by,
            Shape::Vessel(vessel) => {
                vessel.from += by;
                vessel.to += by;
            }
            Shape::Mesh(mesh) => mesh.corners.iter_mut().for_each(|p| *p += by),
            Shape::Grains(list) => list.iter_mut().for_each(|grain| grain.0 += by),
        }
        moved
    }

    /// The point about which moments on the whole wall are taken, m, in its own frame: the point
    /// of a plane, the first corner of a polyline, the middle of a box, ball or arc's circle, the origin of an
    /// axis, the first rim's centre of a vessel, the first corner of a mesh, the first grain's centre of a rough
    /// wall.
    pub fn reference_point(&self) -> D::Vector {
        match self {
            Shape::Plane { point, .. } => *point,
            Shape::Polyline { points, .. } => points.first().copied().unwrap_or_default(),
            Shape::Box { min, max, .. } => (*min + *max) * 0.5,
            Shape::Ball { centre, .. } | Shape::Arc { centre, .. } => *centre,
            Shape::Revolved { origin, .. } => *origin,
            Shape::Vessel(vessel) => vessel.from,
            Shape::Mesh(mesh) => mesh.corners.first().copied().unwrap_or_default(),
            Shape::Grains(list) => list.first().map(|grain| grain.0).unwrap_or_default(),
        }
    }

    /// The least and greatest corner of what it spans, m; none for an unbounded one.
    pub fn extent(&self) -> Option<(D::Vector, D::Vector)> {
        match self {
            Shape::Plane { .. } => None,
            Shape::Box { min, max, .. } => Some((*min, *max)),
            Shape::Ball { centre, radius, .. } | Shape::Arc { centre, radius, .. } => {
                let reach = D::Vector::from_fn(|_| *radius);
                Some((*centre - reach, *centre + reach))
            }
            Shape::Polyline { points, .. } => around::<D>(points),
            Shape::Mesh(mesh) => around::<D>(&mesh.corners),
            Shape::Grains(list) => {
                let reach = |r: f64| D::Vector::from_fn(|_| r);
                let ends = |&(x, r): &(D::Vector, f64)| [x - reach(r), x + reach(r)];
                around::<D>(&list.iter().flat_map(ends).collect::<Vec<_>>())
            }
            Shape::Revolved {
                origin,
                axis,
                profile,
            } => Some(turned_extent::<D>(*origin, *axis, profile)),
            Shape::Vessel(vessel) => {
                // The lids are drawn by chords, which a sphere bulges over by less than a fiftieth of the
                // rim: a cell's width for nothing.
                let (min, max) = turned_extent::<D>(vessel.from, vessel.axis(), &vessel.profile());
                let room = D::Vector::from_fn(|_| 0.02 * vessel.radius);
                Some((min - room, max + room))
            }
        }
    }
}

impl<D: Dimension> MeshShape<D> {
    /// Lines that show it, from end to end: where its facets meet or end; of very many the longest.
    pub fn lines(&self) -> Vec<[D::Vector; 2]> {
        let Ok(pieces) = D::Surface::mesh(&self.corners, &self.triangles, self.exactness) else {
            return Vec::new();
        };
        let mut lines: Vec<[D::Vector; 2]> = pieces.iter().filter_map(Surface::ridge).collect();
        if lines.len() > MOST_LINES {
            let length = |[a, b]: &[D::Vector; 2]| (*b - *a).norm_squared();
            lines.sort_by(|a, b| length(b).total_cmp(&length(a)));
            lines.truncate(MOST_LINES);
        }
        lines
    }
}

/// The least and greatest corner of points, m.
fn around<D: Dimension>(points: &[D::Vector]) -> Option<(D::Vector, D::Vector)> {
    let first = *points.first()?;
    Some(points.iter().fold((first, first), |(min, max), p| {
        (
            D::Vector::from_fn(|k| min[k].min(p[k])),
            D::Vector::from_fn(|k| max[k].max(p[k])),
        )
    }))
}

/// The least and greatest corner of a turned profile, m.
fn turned_extent<D: Dimension>(
    origin: D::Vector,
    axis: D::Vector,
    profile: &[[f64; 2]],
) -> (D::Vector, D::Vector) {
    let length = axis.norm();
    let mut min = D::Vector::from_fn(|_| f64::INFINITY);
    let mut max = -min;
    for &[distance, height] in profile {
        for k in 0..D::N {
            let along = axis[k] / length;
            let middle = origin[k] + along * height;
            // A circle across the axis reaches this far along coordinate k.
            let reach = distance * (1.0 - along * along).max(0.0).sqrt();
            min[k] = min[k].min(middle - reach);
            max[k] = max[k].max(middle + reach);
        }
    }
    (min, max)
}

/// A wall: a shape of a material, which stands still or moves on a prescribed path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Boundary<D: Dimension> {
    /// Its name in files and messages.
    pub name: String,
    /// Index of its material.
    pub material: u16,
    /// Its shape in its own frame.
    pub shape: Shape<D>,
    /// How it moves.
    pub motion: Motion<D>,
    /// A gate: the time at which it is taken away, s.
    pub opens_at: Option<f64>,
    /// A dividing grid: grains of a radius up to this, m, go through as if it were not there; of those of a
    /// form the radius of the circle or sphere around them. 0: none do.
    pub passes: f64,
    /// A belt: velocity of its surface in its frame, m/s. Where the surface is not along it, its part along the
    /// surface counts. Zero: the surface stands.
    pub belt: D::Vector,
}

impl<D: Dimension> Boundary<D> {
    /// One that stands from beginning to end, without a name.
    pub fn standing(shape: Shape<D>, material: u16) -> Self {
        Boundary {
            name: String::new(),
            material,
            shape,
            motion: Motion::Fixed,
            opens_at: None,
            passes: 0.0,
            belt: D::Vector::default(),
        }
    }

    /// Whether neither the wall moves nor its surface.
    pub fn stands(&self) -> bool {
        self.motion.is_fixed() && self.belt == D::Vector::default()
    }

    /// Velocity of the surface at a point where it has this normal, m/s.
    pub fn surface_velocity(
        &self,
        pose: &Pose<D>,
        point: D::Vector,
        normal: D::Vector,
    ) -> D::Vector {
        let belt = pose.vector_from_frame(self.belt);
        pose.point_velocity(point) + (belt - normal * belt.dot(&normal))
    }

    /// Whether a grain of a radius (m) feels the wall.
    pub fn stops(&self, radius: f64) -> bool {
        radius > self.passes
    }
}

/// How far walls are shifted from where they were set up at a time, m; the plane uses two components.
pub fn shifts<'a, D: Dimension>(
    walls: impl Iterator<Item = &'a Boundary<D>>,
    time: f64,
) -> Vec<[f64; 3]> {
    let shift = |wall: &Boundary<D>| {
        let shift = wall.motion.pose(time).shift;
        std::array::from_fn(|k| if k < D::N { shift[k] } else { 0.0 })
    };
    walls.map(shift).collect()
}
