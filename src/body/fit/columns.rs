//! The interior of a body along a grid of vertical lines.

use nalgebra::Vector3;

use crate::body::mesh::crossing;
use crate::body::region::join;
use crate::body::{Ball, Mesh, Region};
use crate::geometry::Spatial;

/// Vertical lines through the centres of equal rectangles, and the parts of each inside a body.
pub struct Columns {
    /// Lower corner of the grid, m.
    pub min: Vector3<f64>,
    /// Sides of a rectangle, m.
    pub side: [f64; 2],
    /// Number of rectangles along x and y.
    pub count: [usize; 2],
    /// Parts inside, a list per line, x first.
    pub spans: Vec<Vec<[f64; 2]>>,
}

impl Columns {
    /// Returns the interior of a surface on a grid of `count` lines along x and y between two corners.
    pub fn of_mesh(mesh: &Mesh, min: Vector3<f64>, max: Vector3<f64>, count: [usize; 2]) -> Self {
        let side = [0, 1].map(|k| (max[k] - min[k]) / count[k] as f64);
        let mut columns = Columns {
            min,
            side,
            count,
            spans: Vec::new(),
        };
        let mut crossings: Vec<Vec<(f64, i32)>> = vec![Vec::new(); count[0] * count[1]];
        for corners in mesh.triangles() {
            let [a, b, c] = corners;
            let [x, y] = columns.reached(a.inf(&b).inf(&c), a.sup(&b).sup(&c));
            for j in y.0..y.1 {
                for i in x.0..x.1 {
                    let at = columns.at(i, j);
                    crossings[j * count[0] + i].extend(crossing(&corners, at.x, at.y));
                }
            }
        }
        columns.spans = crossings.into_iter().map(inside).collect();
        columns
    }

    /// Returns an empty grid of the same lines.
    pub fn empty(&self) -> Self {
        Columns {
            spans: vec![Vec::new(); self.spans.len()],
            ..*self
        }
    }

    /// Adds a ball to the interior; after the last one the parts must be [joined](Self::join).
    pub fn add(&mut self, ball: &Ball<Spatial>) {
        let reach = Vector3::repeat(ball.radius);
        let [x, y] = self.reached(ball.centre - reach, ball.centre + reach);
        for j in y.0..y.1 {
            for i in x.0..x.1 {
                let arm = ball.centre - self.at(i, j);
                let square = ball.radius * ball.radius - arm.x * arm.x - arm.y * arm.y;
                if square > 0.0 {
                    let half = square.sqrt();
                    let spans = &mut self.spans[j * self.count[0] + i];
                    spans.push([ball.centre.z - half, ball.centre.z + half]);
                }
            }
        }
    }

    /// Joins parts that overlap.
    pub fn join(&mut self) {
        self.spans.iter_mut().for_each(join);
    }

    /// Returns the point of a line at height 0.
    pub fn at(&self, i: usize, j: usize) -> Vector3<f64> {
        Vector3::new(
            self.min.x + (i as f64 + 0.5) * self.side[0],
            self.min.y + (j as f64 + 0.5) * self.side[1],
            0.0,
        )
    }

    /// Returns the ranges of lines that may meet a box, along x and y, with one more line on each side.
    fn reached(&self, min: Vector3<f64>, max: Vector3<f64>) -> [(usize, usize); 2] {
        [0, 1].map(|k| {
            let line = |value: f64| ((value - self.min[k]) / self.side[k] - 0.5).floor();
            // The cast maps negative numbers to 0.
            let (low, high) = (line(min[k]) as usize, (line(max[k]) + 2.0) as usize);
            (low.min(self.count[k]), high.min(self.count[k]))
        })
    }
}

/// Returns the parts of a line inside, from its crossings of the surface and their directions.
fn inside(mut crossings: Vec<(f64, i32)>) -> Vec<[f64; 2]> {
    crossings.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut depth, mut from, mut spans) = (0, 0.0, Vec::new());
    for (z, way) in crossings {
        if depth == 0 && way > 0 {
            from = z;
        }
        depth += way;
        if depth == 0 && way < 0 && z > from {
            spans.push([from, z]);
        }
    }
    spans
}

/// Whether a point is inside a surface.
pub fn holds(mesh: &Mesh, point: Vector3<f64>) -> bool {
    let mut spans = Vec::new();
    mesh.spans(point, &mut spans);
    spans.iter().any(|s| s[0] < point.z && point.z < s[1])
}
