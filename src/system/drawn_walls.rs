//! Line drawings of walls for pictures, as the walls are at the start of a run.

use crate::geometry::dot;
use crate::geometry::{Dimension, Vector};
use crate::record::WallDrawing;
use crate::walls::Boundary;
use crate::walls::shapes::drawing::{Line, add};

/// Greatest number of gaps across a picture's diagonal, in a wall through which grains pass.
const MOST_DASHES: f64 = 200.0;

/// Returns the lines of a run's boundaries. Planes have no end: they are drawn across the box from `min` to
/// `max` (m), which should hold the grains with some room.
pub fn draw_walls<D: Dimension>(
    boundaries: &[Boundary<D>],
    min: D::Vector,
    max: D::Vector,
) -> Vec<WallDrawing> {
    let mut drawings = Vec::new();
    for boundary in boundaries {
        let mut lines = boundary.shape.lines((min, max));
        if boundary.passes_below_radius > 0.0 && D::N == 2 {
            let gap = (2.0 * boundary.passes_below_radius).max((max - min).norm() / MOST_DASHES);
            lines = lines.iter().flat_map(|line| dashes(line, gap)).collect();
        }
        for (points, closed) in lines {
            drawings.push(WallDrawing {
                name: boundary.name.clone(),
                points,
                closed,
                endless: D::N == 2
                    && boundary.shape.plane().is_some()
                    && boundary.passes_below_radius <= 0.0,
                opens_at: boundary.opens_at,
            });
        }
    }
    drawings
}

/// Cuts a line, from each corner to the next, into dashes of length `gap` at most, with gaps of the same length.
fn dashes((points, closed): &Line, gap: f64) -> Vec<Line> {
    let ends = points
        .iter()
        .skip(1)
        .chain(points.iter().take(usize::from(*closed)));
    let mut cut = Vec::new();
    for (&from, &to) in points.iter().zip(ends) {
        let along = add(to, from, -1.0);
        let count = (dot(along, along).sqrt() / (2.0 * gap)).ceil().max(1.0);
        for k in 0..count as u32 {
            let share = |part: f64| add(from, along, (f64::from(k) + part) / count);
            cut.push((vec![share(0.25), share(0.75)], false));
        }
    }
    cut
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{Planar, Spatial};
    use crate::walls::shapes;
    use crate::walls::shapes::drawing::MERIDIANS;
    use crate::walls::{Motion, Shape};
    use nalgebra::{Vector2, Vector3};

    fn wall<D: Dimension>(shape: Shape<D>) -> Boundary<D> {
        Boundary {
            name: "w".into(),
            material: 0,
            shape,
            motion: Motion::Fixed,
            opens_at: Some(2.0),
            passes_below_radius: 0.0,
            belt: Default::default(),
        }
    }

    #[test]
    fn a_plane_is_drawn_where_it_is() {
        let floor = wall::<Planar>(Shape::Plane(shapes::Plane {
            point: Vector2::new(50.0, 1.0),
            normal: Vector2::new(0.0, 2.0),
        }));
        let lines = draw_walls(&[floor], Vector2::new(-3.0, 0.0), Vector2::new(3.0, 8.0));
        assert_eq!(lines.len(), 1);
        assert_eq!(lines[0].opens_at, Some(2.0));
        assert!(lines[0].points.iter().all(|p| (p[1] - 1.0).abs() < 1e-12));
        assert_eq!(lines[0].points[0][0], -lines[0].points[1][0]);
    }

    #[test]
    fn a_cone_keeps_its_radii() {
        let cone = wall::<Spatial>(Shape::Revolved(shapes::Revolved {
            origin: Vector3::new(1.0, 2.0, 3.0),
            axis: Vector3::new(0.0, 0.0, 2.0),
            profile: vec![[0.5, 0.0], [1.5, 4.0]],
        }));
        let lines = draw_walls(&[cone], Vector3::repeat(-1.0), Vector3::repeat(1.0));
        assert_eq!(lines.len(), 2 + MERIDIANS);
        for point in lines.iter().flat_map(|line| &line.points) {
            let radius = (point[0] - 1.0).hypot(point[1] - 2.0);
            let expected = 0.5 + (point[2] - 3.0) / 4.0;
            assert!((radius - expected).abs() < 1e-12, "{point:?}");
        }
    }
}
