//! Forms: shape templates of grains other than balls, for grains of any size.

use nalgebra::{Matrix3, Rotation3, UnitQuaternion};
use serde::{Deserialize, Serialize};

use super::mass::{self, MassError, MassProperties};
use super::{ArcGrain, ArcsError, Ball, Clump, Region};
use crate::geometry::{Dimension, Planar, Spatial, Vector};

/// Relative error of the mass properties of clumps in which three or more spheres overlap.
const ERROR: f64 = 1e-9;

/// Angle between points that represent an arc, rad.
const POINTS: f64 = 0.1;

/// A part of a form: a component of a clump, or the circle of an arc.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct TemplatePart<D: Dimension> {
    /// Centre, relative to the grain's radius.
    pub centre: D::Vector,
    /// Radius, relative to the grain's.
    pub radius: f64,
    /// For an arc: unit vectors from its centre to its start and its end, counter-clockwise.
    pub ends: Option<[D::Vector; 2]>,
}

/// The form of grains of any size. Lengths are relative to the *radius* of a grain: that of the smallest circle or
/// sphere about its centre of mass that contains the grain. Parts are in the frame of the principal axes; in the
/// plane that is the frame of the given shape.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct ShapeTemplate<D: Dimension> {
    /// Name.
    pub name: String,
    /// Parts that can touch: all components that are not wholly inside others, or all arcs in order.
    pub parts: Vec<TemplatePart<D>>,
    /// Whether the parts are arcs of one convex boundary: a pair of such grains touches in one place.
    pub arcs: bool,
    /// Area or volume of a grain of radius 1.
    pub measure: f64,
    /// Principal moments of inertia over mass and radius squared; the plane uses the last.
    pub inertia: [f64; 3],
    /// Radius in the unit of length of the given shape.
    pub reach: f64,
    /// Centre of mass in the given frame, in its unit of length.
    pub centroid: D::Vector,
    /// Rotation from the frame of the principal axes to the given frame.
    pub axes: D::Rotation,
}

/// Reasons why a shape has no form.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FormError {
    /// The mass properties cannot be computed.
    #[error(transparent)]
    Mass(#[from] MassError),
    /// Only convex grains bounded by arcs touch in one place.
    #[error(transparent)]
    Arcs(#[from] ArcsError),
    /// Arcs bound grains in the plane only.
    #[error("grains of arcs are planar; in space a grain is made of spheres")]
    Planar,
    /// An arc of half a turn or more has no ends that bound its normals.
    #[error("arc `{0}` opens by half a turn or more; cut it in two")]
    Wide(String),
}

impl<D: Dimension> ShapeTemplate<D> {
    fn of(
        name: &str,
        parts: Vec<TemplatePart<D>>,
        arcs: bool,
        reach: f64,
        found: &MassProperties<D>,
        inertia: [f64; 3],
        axes: D::Rotation,
    ) -> Self {
        let scale = 1.0 / reach;
        let parts = parts.into_iter().map(|part| TemplatePart {
            centre: D::unrotate(axes, part.centre - found.centroid) * scale,
            radius: part.radius * scale,
            ends: part.ends,
        });
        let per = 1.0 / (found.measure * reach * reach);
        ShapeTemplate {
            name: name.into(),
            parts: parts.collect(),
            arcs,
            measure: found.measure / (0..D::N).map(|_| reach).product::<f64>(),
            inertia: inertia.map(|moment| moment * per),
            reach,
            centroid: found.centroid,
            axes,
        }
    }

    fn components(clump: &Clump<D>) -> Vec<TemplatePart<D>> {
        let part = |(_, ball): (usize, &Ball<D>)| TemplatePart {
            centre: ball.centre,
            radius: ball.radius,
            ends: None,
        };
        clump.bare().map(part).collect()
    }

    /// Returns the disks or spheres of a grain of a radius (m); for arcs, points on them.
    pub fn balls(&self, position: D::Vector, rotation: D::Rotation, radius: f64) -> Vec<Ball<D>> {
        let at = |own: D::Vector| position + D::rotate(rotation, own) * radius;
        let mut balls = Vec::new();
        for part in &self.parts {
            let Some([begin, end]) = part.ends else {
                balls.push(Ball {
                    centre: at(part.centre),
                    radius: part.radius * radius,
                });
                continue;
            };
            let opening = libm::acos(begin.dot(&end).clamp(-1.0, 1.0));
            let count = (opening / POINTS).ceil().max(1.0);
            for k in 0..count as usize {
                // Along the chord and projected to the arc: nearly even spacing.
                let share = k as f64 / count;
                let direction = begin * (1.0 - share) + end * share;
                let own = part.centre + direction * (part.radius / direction.norm());
                balls.push(Ball {
                    centre: at(own),
                    radius: 0.0,
                });
            }
        }
        balls
    }

    /// Returns the depth of a position in a grain of a radius (m) with this form, m; negative outside.
    pub fn depth(
        &self,
        position: D::Vector,
        rotation: D::Rotation,
        radius: f64,
        place: D::Vector,
    ) -> f64 {
        let own = D::unrotate(rotation, place - position) * (1.0 / radius);
        let cross = |a: D::Vector, b: D::Vector| a[0] * b[1] - a[1] * b[0];
        let (mut deepest, mut least) = (f64::NEG_INFINITY, f64::INFINITY);
        for part in &self.parts {
            let arm = own - part.centre;
            let depth = part.radius - arm.norm();
            match part.ends {
                // For a position behind several arcs the nearest one counts.
                Some([begin, end]) => {
                    if cross(begin, arm) >= 0.0 && cross(arm, end) >= 0.0 {
                        least = least.min(depth);
                    }
                }
                None => deepest = deepest.max(depth),
            }
        }
        let depth = if self.arcs { least } else { deepest };
        if depth.is_finite() {
            depth * radius
        } else {
            f64::NEG_INFINITY
        }
    }

    /// Returns the radius of the largest part, relative to the grain's.
    pub fn flattest(&self) -> f64 {
        self.parts
            .iter()
            .map(|part| part.radius)
            .fold(0.0, f64::max)
    }

    /// Returns the greatest ratio of the displacement of a pushed surface point along the push to that of a grain
    /// that cannot rotate.
    pub fn mobility(&self) -> f64 {
        let least = if D::N == 2 {
            self.inertia[2]
        } else {
            self.inertia.into_iter().fold(f64::INFINITY, f64::min)
        };
        let lever = |part: &TemplatePart<D>| match part.ends {
            // The push goes through the centre of the arc, along a normal of it.
            Some(ends) => {
                let of = |n: D::Vector| (part.centre[0] * n[1] - part.centre[1] * n[0]).abs();
                of(ends[0]).max(of(ends[1]))
            }
            None => part.centre.norm(),
        };
        let lever = self.parts.iter().map(lever).fold(0.0, f64::max);
        1.0 + lever * lever / least
    }

    /// Returns the radius of the smallest part, relative to the grain's.
    pub fn finest(&self) -> f64 {
        let radii = self.parts.iter().map(|part| part.radius);
        radii.fold(f64::INFINITY, f64::min)
    }
}

/// A dimension in which shapes have forms.
pub trait Formed: Dimension {
    /// Returns the form of a clump: exact in the plane; in space exact where at most two spheres overlap, else to
    /// 1e-9.
    ///
    /// # Errors
    /// When its volume cannot be computed.
    fn clump(name: &str, clump: &Clump<Self>) -> Result<ShapeTemplate<Self>, FormError>;
    /// Returns the form of a clump with these mass properties.
    fn clump_of(
        name: &str,
        clump: &Clump<Self>,
        found: &MassProperties<Self>,
    ) -> ShapeTemplate<Self>;
    /// Returns the form of grains that stay apart, or of which each has its mass: what overlaps counts twice.
    fn agglomerate(name: &str, clump: &Clump<Self>) -> ShapeTemplate<Self> {
        Self::clump_of(name, clump, &mass::components(clump))
    }
    /// Returns the form of a convex grain bounded by arcs.
    ///
    /// # Errors
    /// When it is hollow, or an arc spans half a turn or more; in space always.
    fn arcs(name: &str, grain: &ArcGrain) -> Result<ShapeTemplate<Self>, FormError>;
    /// Returns a random, uniformly distributed orientation from three numbers from 0 to 1 (Shoemake 1992).
    fn any_rotation(draws: [f64; 3]) -> Self::Rotation;
}

impl Formed for Planar {
    fn clump(name: &str, clump: &Clump<Planar>) -> Result<ShapeTemplate<Self>, FormError> {
        Ok(Self::clump_of(name, clump, &mass::disks(clump)))
    }

    fn clump_of(
        name: &str,
        clump: &Clump<Planar>,
        found: &MassProperties<Planar>,
    ) -> ShapeTemplate<Self> {
        let (reach, parts) = (
            clump.reach(found.centroid),
            ShapeTemplate::components(clump),
        );
        let inertia = [0.0, 0.0, found.polar()];
        ShapeTemplate::of(name, parts, false, reach, found, inertia, 0.0)
    }

    fn arcs(name: &str, grain: &ArcGrain) -> Result<ShapeTemplate<Self>, FormError> {
        let mut parts = Vec::new();
        for arc in grain.arcs() {
            if arc.is_hollow() {
                return Err(ArcsError::Hollow(arc.name.clone()).into());
            }
            if arc.to - arc.from >= std::f64::consts::PI {
                return Err(FormError::Wide(arc.name.clone()));
            }
            let direction = |angle: f64| {
                let (sine, cosine) = libm::sincos(angle);
                nalgebra::Vector2::new(cosine, sine)
            };
            parts.push(TemplatePart {
                centre: arc.centre,
                radius: arc.radius,
                ends: Some([direction(arc.from), direction(arc.to)]),
            });
        }
        let found = grain.mass();
        let reach = grain.reach(found.centroid);
        let inertia = [0.0, 0.0, found.polar()];
        Ok(ShapeTemplate::of(
            name, parts, true, reach, &found, inertia, 0.0,
        ))
    }

    fn any_rotation([turn, ..]: [f64; 3]) -> f64 {
        std::f64::consts::PI * (2.0 * turn - 1.0)
    }
}

impl Formed for Spatial {
    fn clump(name: &str, clump: &Clump<Spatial>) -> Result<ShapeTemplate<Self>, FormError> {
        let found = match mass::spheres(clump) {
            Ok(found) => found,
            Err(_) => mass::slices(clump, ERROR)?,
        };
        Ok(Self::clump_of(name, clump, &found))
    }

    fn clump_of(
        name: &str,
        clump: &Clump<Spatial>,
        found: &MassProperties<Spatial>,
    ) -> ShapeTemplate<Self> {
        let principal = mass::principal(found);
        let matrix = Matrix3::from_columns(&principal.axes);
        let axes = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(matrix));
        let (reach, parts) = (
            clump.reach(found.centroid),
            ShapeTemplate::components(clump),
        );
        let inertia = std::array::from_fn(|k| principal.moments[k]);
        ShapeTemplate::of(name, parts, false, reach, found, inertia, axes)
    }

    fn arcs(_: &str, _: &ArcGrain) -> Result<ShapeTemplate<Self>, FormError> {
        Err(FormError::Planar)
    }

    fn any_rotation([a, b, c]: [f64; 3]) -> UnitQuaternion<f64> {
        let (low, high) = ((1.0 - a).sqrt(), a.sqrt());
        let turn = std::f64::consts::TAU;
        let ((s, t), (u, v)) = (libm::sincos(turn * b), libm::sincos(turn * c));
        let q = nalgebra::Quaternion::new(high * v, low * s, low * t, high * u);
        UnitQuaternion::new_normalize(q)
    }
}
