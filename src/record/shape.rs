//! Shapes of grains as stored in a run's folder, and the positions of their parts in a snapshot.

use serde::{Deserialize, Serialize};

use super::rows::GrainRow;

/// A shape template of grains. Lengths are relative to the grain's radius, that of its circumscribed circle or
/// sphere; positions are relative to its centre of mass and turn with the grain.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GrainShape {
    /// Name of the shape.
    pub name: String,
    /// Disks or spheres of the grain, or its bounding arcs in order.
    pub parts: Vec<ShapePart>,
    /// Area or volume of a grain of radius 1; folders of earlier versions lack it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measure: Option<f64>,
}

/// A part of a shape.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ShapePart {
    /// Centre; in the plane the third component is 0.
    pub centre: [f64; 3],
    /// Radius.
    pub radius: f64,
    /// For an arc: the angles at which it begins and ends, rad.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arc: Option<[f64; 2]>,
}

/// Angle between two corners of an outline, rad.
const FINE: f64 = 0.2;

impl GrainShape {
    /// Whether the shape is bounded by arcs.
    pub fn is_arcs(&self) -> bool {
        self.parts.iter().any(|part| part.arc.is_some())
    }

    /// Returns positions (m) and radii (m) of the disks or spheres of a grain.
    pub fn balls(&self, grain: &GrainRow, dimensions: usize) -> Vec<([f64; 3], f64)> {
        let place = |part: &ShapePart| {
            let centre = placed(grain, dimensions, part.centre);
            (centre, part.radius * grain.radius)
        };
        self.parts.iter().map(place).collect()
    }

    /// Returns the corners of the outline of a grain bounded by arcs, m.
    pub fn outline(&self, grain: &GrainRow) -> Vec<[f64; 3]> {
        let mut corners = Vec::new();
        for part in &self.parts {
            let Some([from, to]) = part.arc else { continue };
            let count = ((to - from) / FINE).ceil().max(1.0) as usize;
            for k in 0..count {
                let angle = from + (to - from) * k as f64 / count as f64;
                let (sine, cosine) = libm::sincos(angle);
                let corner = [
                    part.centre[0] + part.radius * cosine,
                    part.centre[1] + part.radius * sine,
                    0.0,
                ];
                corners.push(placed(grain, 2, corner));
            }
        }
        corners
    }
}

/// Converts a position in a grain's frame to one in space, m.
fn placed(grain: &GrainRow, dimensions: usize, own: [f64; 3]) -> [f64; 3] {
    let turned = if dimensions == 2 {
        let (sine, cosine) = libm::sincos(grain.rotation[0]);
        [
            cosine * own[0] - sine * own[1],
            sine * own[0] + cosine * own[1],
            0.0,
        ]
    } else {
        let [i, j, k, w] = grain.rotation;
        let cross = |[a, b, c]: [f64; 3]| [j * c - k * b, k * a - i * c, i * b - j * a];
        let first = cross(own).map(|v| 2.0 * v);
        let second = cross(first);
        std::array::from_fn(|axis| own[axis] + w * first[axis] + second[axis])
    };
    std::array::from_fn(|axis| grain.position[axis] + grain.radius * turned[axis])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Regime;

    #[test]
    fn parts_turn_with_their_grain() {
        let grain = GrainRow {
            time: 0.0,
            grain: 0,
            shape: Some(0),
            radius: 2.0,
            mass: 1.0,
            material: 0,
            position: [1.0, 1.0, 1.0],
            velocity: [0.0; 3],
            // A quarter turn about z.
            rotation: [0.0, 0.0, 0.5_f64.sqrt(), 0.5_f64.sqrt()],
            spin: [0.0; 3],
            force: [0.0; 3],
            moment: [0.0; 3],
            regime: Regime::Cluster,
            cluster: 0,
            group: -1,
            force_error: 0.0,
            fragment: 0,
        };
        let off = |got: [f64; 3], want: [f64; 3]| {
            let off = (0..3).map(|k| (got[k] - want[k]).abs()).fold(0.0, f64::max);
            assert!(off < 1e-15, "{got:?} {want:?}");
        };
        off(placed(&grain, 3, [1.0, 0.0, 0.5]), [1.0, 3.0, 2.0]);
        let flat = GrainRow {
            rotation: [std::f64::consts::FRAC_PI_2, 0.0, 0.0, 0.0],
            position: [1.0, 1.0, 0.0],
            ..grain
        };
        off(placed(&flat, 2, [1.0, 0.0, 0.0]), [1.0, 3.0, 0.0]);
    }
}
