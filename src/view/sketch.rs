//! Draws shapes of grains side by side: surfaces, spheres, disks, outlines; with curves below them.

use super::camera::{Camera, Extent, Frame};
use super::chart::{Panel, chart};
use super::picture::{Colour, Picture, Shape};
use super::scene::{BACKGROUND, INK, MARGIN, TEXT};

/// Colour of a grain.
const FILL: Colour = Colour::new(0xc9a66b);
/// Largest drawing of one shape, px.
const SIDE: f64 = 400.0;
/// Height of the line below a drawing, px.
const LINE: f32 = 26.0;

/// Shape to be drawn.
#[derive(Clone, Debug, PartialEq)]
pub enum Sketch {
    /// Disks: centres and radii.
    Disks(Vec<([f64; 2], f64)>),
    /// Spheres: centres and radii.
    Spheres(Vec<([f64; 3], f64)>),
    /// A closed planar line.
    Outline(Vec<[f64; 2]>),
    /// The triangles of a surface, counter-clockwise seen from outside.
    Surface(Vec<[[f64; 3]; 3]>),
}

impl Sketch {
    fn camera(&self) -> Camera {
        Camera::new(match self {
            Sketch::Disks(_) | Sketch::Outline(_) => 2,
            Sketch::Spheres(_) | Sketch::Surface(_) => 3,
        })
    }

    /// Extends an extent to hold the shape.
    fn reach(&self, extent: &mut Extent) {
        let camera = self.camera();
        match self {
            Sketch::Disks(balls) => balls.iter().for_each(|(c, r)| extent.hold(*c, *r)),
            Sketch::Spheres(balls) => {
                for (centre, radius) in balls {
                    extent.hold(camera.across(*centre), *radius);
                }
            }
            Sketch::Outline(points) => points.iter().for_each(|p| extent.hold(*p, 0.0)),
            Sketch::Surface(triangles) => {
                for corner in triangles.iter().flatten() {
                    extent.hold(camera.across(*corner), 0.0);
                }
            }
        }
    }

    fn draw(&self, frame: &Frame, shapes: &mut Vec<Shape>) {
        let camera = self.camera();
        let size = |radius: f64| (radius * frame.scale) as f32;
        match self {
            Sketch::Disks(balls) => {
                for (centre, radius) in balls {
                    shapes.push(Shape::Disk {
                        centre: frame.place(*centre),
                        radius: size(*radius),
                        fill: FILL,
                        ball: false,
                    });
                }
            }
            Sketch::Spheres(balls) => {
                let mut balls: Vec<&([f64; 3], f64)> = balls.iter().collect();
                balls.sort_by(|a, b| camera.nearness(a.0).total_cmp(&camera.nearness(b.0)));
                for (centre, radius) in balls {
                    shapes.push(Shape::Disk {
                        centre: frame.place(camera.across(*centre)),
                        radius: size(*radius),
                        fill: FILL,
                        ball: true,
                    });
                }
            }
            Sketch::Outline(points) => {
                let points: Vec<[f32; 2]> = points.iter().map(|p| frame.place(*p)).collect();
                shapes.push(Shape::Patch {
                    points: points.clone(),
                    fill: FILL,
                });
                shapes.push(Shape::Line {
                    points,
                    closed: true,
                    width: 1.0,
                    stroke: FILL.lighter(-0.45),
                });
            }
            Sketch::Surface(triangles) => surface(triangles, &camera, frame, shapes),
        }
    }
}

/// Draws the triangles that face the eye, the farthest first; they are lighter the more they face up and to the left.
fn surface(triangles: &[[[f64; 3]; 3]], camera: &Camera, frame: &Frame, shapes: &mut Vec<Shape>) {
    let mut seen: Vec<(f64, [[f64; 2]; 3], f64)> = Vec::new();
    for triangle in triangles {
        let [a, b, c] = triangle.map(|corner| camera.across(corner));
        let depth = triangle.map(|corner| camera.nearness(corner));
        let edge = |p: [f64; 2], from: f64, to: f64| [p[0] - a[0], p[1] - a[1], to - from];
        let (u, v) = (edge(b, depth[0], depth[1]), edge(c, depth[0], depth[2]));
        let normal = [
            u[1] * v[2] - u[2] * v[1],
            u[2] * v[0] - u[0] * v[2],
            u[0] * v[1] - u[1] * v[0],
        ];
        let length = normal.iter().map(|c| c * c).sum::<f64>().sqrt();
        if normal[2] > 0.0 {
            let lit = (-0.35 * normal[0] + 0.5 * normal[1] + 0.79 * normal[2]) / length;
            seen.push((depth.iter().sum(), [a, b, c], lit));
        }
    }
    seen.sort_by(|a, b| a.0.total_cmp(&b.0));
    for (_, corners, lit) in seen {
        let fill = FILL.lighter((lit.max(0.0) - 0.7) as f32);
        let points: Vec<[f32; 2]> = corners.map(|p| frame.place(p)).to_vec();
        // A thin rim of the same colour closes the gaps that anti-aliasing leaves between neighbours.
        shapes.push(Shape::Line {
            points: points.clone(),
            closed: true,
            width: 0.5,
            stroke: fill,
        });
        shapes.push(Shape::Patch { points, fill });
    }
}

/// Draws shapes side by side at one scale, each with a line of text below it, and curves below all.
pub fn sketch(
    title: &str,
    sketches: &[(Sketch, String)],
    panels: &[Panel],
    keys: &[String],
) -> Picture {
    let mut extent = Extent::NONE;
    for (shape, _) in sketches {
        shape.reach(&mut extent);
    }
    let frame = Frame::fit(extent, SIDE, SIDE, MARGIN);
    let [wide, high] = frame.size().map(|side| side as f32);
    // A line of text needs a minimum width, whatever the shape.
    let wide = wide.max(0.55 * SIDE as f32);
    let mut picture = Picture {
        width: wide * sketches.len() as f32,
        height: high + LINE,
        background: BACKGROUND,
        title: title.into(),
        shapes: Vec::new(),
    };
    for (k, (shape, text)) in sketches.iter().enumerate() {
        let first = picture.shapes.len();
        shape.draw(&frame, &mut picture.shapes);
        picture.shapes.push(Shape::Text {
            at: [MARGIN as f32, high + 0.5 * LINE],
            size: 0.8 * TEXT,
            text: text.clone(),
            fill: INK,
        });
        shift(&mut picture.shapes[first..], [wide * k as f32, 0.0]);
    }
    if !panels.is_empty() {
        let mut curves = chart(panels, keys);
        shift(&mut curves.shapes, [0.0, picture.height]);
        picture.width = picture.width.max(curves.width);
        picture.height += curves.height;
        picture.shapes.append(&mut curves.shapes);
    }
    picture
}

fn shift(shapes: &mut [Shape], by: [f32; 2]) {
    let moved = |p: &mut [f32; 2]| {
        p[0] += by[0];
        p[1] += by[1];
    };
    for shape in shapes {
        match shape {
            Shape::Disk { centre, .. } => moved(centre),
            Shape::Line { points, .. } | Shape::Patch { points, .. } => {
                points.iter_mut().for_each(moved);
            }
            Shape::Text { at, .. } => moved(at),
        }
    }
}
