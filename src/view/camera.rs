//! The projection from metres to pixels: in space a parallel projection from the front and above, then a tight crop.

use crate::geometry::dot;

/// How far to the side the camera stands, rad.
const AZIMUTH: f64 = -0.6;
/// Elevation of the camera above the horizon, rad.
const ELEVATION: f64 = 0.3;

/// A parallel projection: unit vectors to the right, up and towards the eye.
#[derive(Clone, Copy, Debug)]
pub(super) struct Camera {
    right: [f64; 3],
    up: [f64; 3],
    towards: [f64; 3],
}

impl Camera {
    /// Returns the view along the normal in the plane, or an oblique view with z upwards in space.
    pub(super) fn new(dimensions: usize) -> Camera {
        if dimensions == 2 {
            return Camera {
                right: [1.0, 0.0, 0.0],
                up: [0.0, 1.0, 0.0],
                towards: [0.0, 0.0, 1.0],
            };
        }
        let (sa, ca) = libm::sincos(AZIMUTH);
        let (se, ce) = libm::sincos(ELEVATION);
        Camera {
            right: [ca, sa, 0.0],
            up: [-se * sa, se * ca, ce],
            towards: [ce * sa, -ce * ca, se],
        }
    }

    /// Returns the coordinates in the image plane: right and up, m.
    pub(super) fn across(&self, point: [f64; 3]) -> [f64; 2] {
        [dot(self.right, point), dot(self.up, point)]
    }

    /// Returns the coordinate towards the eye, m.
    pub(super) fn nearness(&self, point: [f64; 3]) -> f64 {
        dot(self.towards, point)
    }
}

impl Camera {
    /// Returns the distance of a point in front of the vertical plane through `middle` that faces the eye, m.
    pub(super) fn before(&self, middle: [f64; 3], point: [f64; 3]) -> f64 {
        let [x, y, _] = self.towards;
        let away = [point[0] - middle[0], point[1] - middle[1]];
        (x * away[0] + y * away[1]) / (x * x + y * y).sqrt().max(f64::MIN_POSITIVE)
    }
}

/// A rectangle in the image plane, m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Extent {
    pub(super) min: [f64; 2],
    pub(super) max: [f64; 2],
}

impl Extent {
    pub(super) const NONE: Extent = Extent {
        min: [f64::INFINITY; 2],
        max: [f64::NEG_INFINITY; 2],
    };

    /// Extends the rectangle to hold a disk; non-finite points are skipped.
    pub(super) fn hold(&mut self, [x, y]: [f64; 2], reach: f64) {
        if x.is_finite() && y.is_finite() && reach.is_finite() {
            self.min = [self.min[0].min(x - reach), self.min[1].min(y - reach)];
            self.max = [self.max[0].max(x + reach), self.max[1].max(y + reach)];
        }
    }

    pub(super) fn is_none(&self) -> bool {
        self.min[0] > self.max[0]
    }

    fn size(&self, axis: usize) -> f64 {
        self.max[axis] - self.min[axis]
    }

    /// Joins grains and walls; walls that reach far beyond the grains are cropped.
    pub(super) fn joined(grains: Extent, walls: Extent) -> Extent {
        if grains.is_none() || walls.is_none() {
            return if grains.is_none() { walls } else { grains };
        }
        let mut joined = grains;
        for axis in 0..2 {
            let across = grains.size(0).max(grains.size(1));
            let far = if walls.size(axis) > 2.0 * across {
                0.3 * across
            } else {
                f64::INFINITY
            };
            joined.min[axis] = grains.min[axis].min(walls.min[axis].max(grains.min[axis] - far));
            joined.max[axis] = grains.max[axis].max(walls.max[axis].min(grains.max[axis] + far));
        }
        joined
    }
}

/// The map of a rectangle in metres to pixels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    extent: Extent,
    /// Pixels per metre.
    pub(super) scale: f64,
    margin: f64,
}

impl Frame {
    /// Fits an extent into at most `width` by `height` pixels inside a margin.
    pub(super) fn fit(extent: Extent, width: f64, height: f64, margin: f64) -> Frame {
        let tight = |pixels: f64, axis: usize| pixels / extent.size(axis).max(1e-300);
        Frame {
            extent,
            scale: tight(width, 0).min(tight(height, 1)),
            margin,
        }
    }

    /// Returns the size of the drawing with its margins, px.
    pub(super) fn size(&self) -> [f64; 2] {
        [0, 1].map(|axis| self.extent.size(axis) * self.scale + 2.0 * self.margin)
    }

    /// Converts metres to pixels.
    pub(super) fn place(&self, [x, y]: [f64; 2]) -> [f32; 2] {
        [
            ((x - self.extent.min[0]) * self.scale + self.margin) as f32,
            ((self.extent.max[1] - y) * self.scale + self.margin) as f32,
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_camera_is_a_right_handed_frame() {
        for dimensions in [2, 3] {
            let c = Camera::new(dimensions);
            let cross = [
                c.right[1] * c.up[2] - c.right[2] * c.up[1],
                c.right[2] * c.up[0] - c.right[0] * c.up[2],
                c.right[0] * c.up[1] - c.right[1] * c.up[0],
            ];
            for (found, expected) in cross.into_iter().zip(c.towards) {
                // Rounding errors of a few products of numbers below one.
                assert!((found - expected).abs() < 1e-15);
            }
            assert!((dot(c.up, c.up) - 1.0).abs() < 1e-15);
        }
    }

    #[test]
    fn far_walls_are_cropped_and_near_ones_are_not() {
        let grains = Extent {
            min: [0.0, 0.0],
            max: [1.0, 1.0],
        };
        let near = Extent {
            min: [-0.5, -0.5],
            max: [1.4, 1.4],
        };
        assert_eq!(Extent::joined(grains, near), near);
        let far = Extent {
            min: [-100.0, 0.0],
            max: [100.0, 0.0],
        };
        let joined = Extent::joined(grains, far);
        assert_eq!(
            joined,
            Extent {
                min: [-0.3, 0.0],
                max: [1.3, 1.0]
            }
        );
    }
}
