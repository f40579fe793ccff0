//! Draws a shape, the body that it approximates, and fidelity against the number of spheres.

use std::path::Path;

use super::fit::Fitted;
use super::source::parts;
use crate::body::calc::Shape;
use crate::body::fit::Fidelity;
use crate::cli::failure::Failure;
use crate::cli::plot;
use crate::view::{Curve, Panel, Sketch, sketch};

/// Corners of an outline per full turn.
const CORNERS: f64 = 180.0;

/// Draws to an SVG or PNG file.
pub(super) fn draw(
    name: &str,
    shape: &Shape,
    fitted: Option<&Fitted>,
    path: &Path,
) -> Result<(), Failure> {
    let (kind, count) = parts(shape);
    let mut sketches = Vec::new();
    if let Some(fitted) = fitted {
        let triangles = fitted.body.mesh().triangles();
        let triangles = triangles.map(|t| t.map(|v| [v.x, v.y, v.z])).collect();
        sketches.push((Sketch::Surface(triangles), name.to_string()));
    }
    sketches.push((own(shape), format!("{count} {kind}")));
    let (panels, keys) = match fitted {
        Some(fitted) if fitted.table.len() > 1 => curves(fitted),
        _ => (Vec::new(), Vec::new()),
    };
    let title = format!("{name}: {count} {kind}");
    let picture = sketch(&title, &sketches, &panels, &keys);
    plot::write(&picture, path)
}

fn own(shape: &Shape) -> Sketch {
    match shape {
        Shape::Disks(clump) => Sketch::Disks(
            clump
                .bare()
                .map(|(_, b)| ([b.centre.x, b.centre.y], b.radius))
                .collect(),
        ),
        Shape::Spheres(clump) => Sketch::Spheres(
            clump
                .bare()
                .map(|(_, b)| ([b.centre.x, b.centre.y, b.centre.z], b.radius))
                .collect(),
        ),
        Shape::Arcs(grain) => {
            let mut points = Vec::new();
            for arc in grain.arcs() {
                let turn = arc.to - arc.from;
                let steps = (turn.abs() / std::f64::consts::TAU * CORNERS)
                    .ceil()
                    .max(1.0);
                for k in 0..steps as usize {
                    let p = arc.point(arc.from + turn * k as f64 / steps);
                    points.push([p.x, p.y]);
                }
            }
            Sketch::Outline(points)
        }
        Shape::Mesh(mesh) => Sketch::Surface(
            mesh.triangles()
                .map(|t| t.map(|v| [v.x, v.y, v.z]))
                .collect(),
        ),
    }
}

fn curves(fitted: &Fitted) -> (Vec<Panel>, Vec<String>) {
    let size = fitted.body.size();
    let curve = |key: usize, value: &dyn Fn(&Fidelity) -> f64| Curve {
        points: fitted
            .table
            .iter()
            .map(|row| [row.spheres as f64, value(row)])
            .collect(),
        key,
    };
    let panel = |title: &str, curves: Vec<Curve>| Panel {
        title: title.into(),
        along: "spheres".into(),
        curves,
    };
    let panels = vec![
        panel(
            "shares of volume and of inertia",
            vec![
                curve(0, &|row| row.overlap),
                curve(1, &|row| row.inertia),
                curve(2, &|row| row.inertia_equal_mass),
            ],
        ),
        panel(
            "distance of surfaces over the longest side",
            vec![
                curve(3, &|row| row.surface.mean / size),
                curve(4, &|row| row.surface.p95 / size),
                curve(5, &|row| row.surface.max / size),
            ],
        ),
    ];
    let keys = [
        "volume in both over volume in either",
        "error of the inertia at equal density",
        "error of the inertia at equal mass",
        "mean distance of the surface of the body from the clump",
        "below which 95 of 100 points lie",
        "the greatest",
    ];
    (panels, keys.map(String::from).to_vec())
}
