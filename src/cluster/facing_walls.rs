//! Positions of grains relative to the surfaces of a wall, in the form that kernels use.

use super::dem::three;
use super::integrate::Integrate;
use super::kernel::{WallGeometry, WallLanes};
use super::state::WallClass;
use crate::geometry::Dimension;
use crate::geometry::surface::Flat;
use crate::vector::{LANES, Row};
use crate::walls::Pose;
use crate::walls::Wall;

/// Geometry of a fixed flat piece, or of precomputed lanes.
pub(super) fn wall_geometry<'a, D: Dimension>(
    flat: Option<&Flat<D>>,
    lanes: &'a [WallLanes],
) -> WallGeometry<'a> {
    let Some(flat) = flat else {
        return WallGeometry::Lanes(lanes);
    };
    let (along, low, high) = match &flat.extent {
        Some((along, low, high)) => (three(*along), *low, *high),
        None => ([0.0; 3], f64::NEG_INFINITY, f64::INFINITY),
    };
    WallGeometry::Flat {
        normal: three(flat.normal),
        offset: flat.offset,
        along,
        low,
        high,
    }
}

/// Geometry of a wall's candidates, grain by grain, for curved or moving surfaces. `round` gives
/// the radius for the law if it depends on the curvature of walls.
pub(super) fn fill_lanes<D: Integrate>(
    place: impl Fn(u32) -> D::Vector,
    round: impl Fn(u32) -> Option<f64>,
    wall: &WallClass<D>,
    pose: &Pose<D>,
    boundary: &Wall<D>,
    out: &mut Vec<WallLanes>,
) {
    out.clear();
    let fixed = boundary.fixed;
    for batch in &wall.lists.batches {
        let mut lanes = WallLanes {
            distance: Row([1e300; LANES]),
            normal: [Row::default(); 3],
            velocity: [Row::default(); 3],
            curvature: Row::default(),
        };
        for (k, (&slot, &surface)) in batch.a.iter().zip(&batch.b).enumerate() {
            if slot == 0 {
                continue;
            }
            let x = place(slot);
            let Some(probe) = boundary.probe(surface, pose, x) else {
                continue;
            };
            let normal = if fixed {
                probe.normal
            } else {
                pose.vector_from_frame(probe.normal)
            };
            lanes.distance.0[k] = probe.distance;
            if let Some(radius) = round(slot) {
                lanes.curvature.0[k] = boundary.curvature(surface, pose, x, &probe, radius);
            }
            let velocity = if fixed {
                D::Vector::default()
            } else {
                let point = x - normal * probe.distance - boundary.shift(surface, pose, x);
                boundary.boundary.surface_velocity(pose, point, normal)
            };
            for axis in 0..D::N {
                lanes.normal[axis].0[k] = normal[axis];
                lanes.velocity[axis].0[k] = velocity[axis];
            }
        }
        out.push(lanes);
    }
}
