//! Draws a grain: a disk or ball, its components, or its outline.

use super::camera::{Camera, Frame};
use super::picture::{Colour, Shape, rim};
use crate::record::{GrainRow, GrainShape, RunMeta};

/// Adds the shapes of a grain.
pub(super) fn draw(
    meta: &RunMeta,
    grain: &GrainRow,
    fill: Colour,
    camera: &Camera,
    frame: &Frame,
    shapes: &mut Vec<Shape>,
) {
    let place = |point: [f64; 3]| frame.place(camera.across(point));
    let size = |radius: f64| (radius * frame.scale) as f32;
    let space = meta.dimensions == 3;
    let shape: Option<&GrainShape> = grain.shape.and_then(|k| meta.shapes.get(usize::from(k)));
    let Some(shape) = shape else {
        shapes.push(Shape::Disk {
            centre: place(grain.position),
            radius: size(grain.radius),
            fill,
            ball: space,
        });
        return;
    };
    let edge = rim(size(grain.radius));
    if shape.is_arcs() {
        let points: Vec<[f32; 2]> = shape.outline(grain).into_iter().map(place).collect();
        shapes.push(Shape::Patch {
            points: points.clone(),
            fill,
        });
        shapes.push(Shape::Line {
            points,
            closed: true,
            width: edge,
            stroke: fill.lighter(-0.35),
        });
        return;
    }
    let mut balls = shape.balls(grain, meta.dimensions);
    if space {
        balls.sort_by(|a, b| camera.nearness(a.0).total_cmp(&camera.nearness(b.0)));
        for (centre, radius) in balls {
            shapes.push(Shape::Disk {
                centre: place(centre),
                radius: size(radius),
                fill,
                ball: true,
            });
        }
        return;
    }
    // In the plane the rim surrounds the whole grain: darker disks first, then the interior of all.
    let mut layer = |less: f32, fill: Colour| {
        for &(centre, radius) in &balls {
            shapes.push(Shape::Patch {
                points: circle(place(centre), (size(radius) - less).max(0.05)),
                fill,
            });
        }
    };
    layer(0.0, fill.lighter(-0.35));
    layer(edge, fill);
}

/// Returns the corners of a polygon that looks like a circle.
fn circle([x, y]: [f32; 2], radius: f32) -> Vec<[f32; 2]> {
    let corners = (8.0 + 2.0 * radius).min(64.0) as usize;
    let corner = |k: usize| {
        let angle = std::f64::consts::TAU * k as f64 / corners as f64;
        let (sine, cosine) = libm::sincos(angle);
        [x + radius * cosine as f32, y + radius * sine as f32]
    };
    (0..corners).map(corner).collect()
}
