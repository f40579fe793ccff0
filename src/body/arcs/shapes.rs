//! Shapes bounded by arcs, from a few dimensions.

use std::f64::consts::PI;

use nalgebra::Vector2;

use super::{Arc, ArcGrain, ArcsError};

impl ArcGrain {
    /// Returns a disk: a single arc all around.
    ///
    /// # Errors
    /// When the radius is not positive.
    pub fn disk(radius: f64, centre: Vector2<f64>) -> Result<Self, ArcsError> {
        Self::new(vec![Arc {
            name: "rim".into(),
            centre,
            radius,
            from: -PI,
            to: PI,
        }])
    }

    /// Returns an oval along x: two flat arcs of radius `large` whose centres are `offset` off the long axis, and two
    /// round ends of radius `small`, m (Potapov and Campbell 1998, Fig. 1).
    ///
    /// # Errors
    /// When not 0 < offset < large - small.
    pub fn oval(large: f64, small: f64, offset: f64) -> Result<Self, ArcsError> {
        if !(small > 0.0 && offset > 0.0 && offset < large - small) {
            return Err(ArcsError::Measures(
                "an oval needs a small radius greater than 0, and an offset greater than 0 and less than the difference of the radii",
            ));
        }
        let gap = large - small;
        let end = ((gap - offset) * (gap + offset)).sqrt();
        let half = libm::atan2(offset, end);
        let arc = |name: &str, centre, radius, from, to| Arc {
            name: name.into(),
            centre,
            radius,
            from,
            to,
        };
        Self::new(vec![
            arc("right", Vector2::new(end, 0.0), small, -half, half),
            arc("top", Vector2::new(0.0, -offset), large, half, PI - half),
            arc("left", Vector2::new(-end, 0.0), small, PI - half, PI + half),
            arc(
                "bottom",
                Vector2::new(0.0, offset),
                large,
                PI + half,
                2.0 * PI - half,
            ),
        ])
    }

    /// Returns a quasi-polygon: `sides` flat arcs of radius `large`, joined by round ones of radius `small` whose
    /// centres are `reach` from the middle, m; the first on the x axis (Potapov and Campbell 1998, Fig. 3).
    ///
    /// # Errors
    /// When there are fewer than 3 sides, or the sides would not be flatter than the corners.
    pub fn quasi_polygon(
        sides: usize,
        large: f64,
        small: f64,
        reach: f64,
    ) -> Result<Self, ArcsError> {
        let step = PI / sides as f64;
        let (sine, cosine) = libm::sincos(step);
        let gap = large - small;
        // The centre of a side is opposite to it, t from the middle.
        let t = ((gap - reach * sine) * (gap + reach * sine)).sqrt() - reach * cosine;
        if sides < 3 || !(small > 0.0 && reach > 0.0 && gap > 0.0 && t > 0.0) {
            return Err(ArcsError::Measures(
                "a quasi-polygon needs 3 sides or more, a small radius and a reach greater than 0, and a large radius of more than both together",
            ));
        }
        let flat = libm::atan2(reach * sine, reach * cosine + t);
        let mut arcs = Vec::with_capacity(2 * sides);
        for k in 0..sides {
            let (corner, side) = (2.0 * step * k as f64, step * (2 * k + 1) as f64);
            let place = |angle: f64, distance: f64| {
                let (sine, cosine) = libm::sincos(angle);
                Vector2::new(cosine, sine) * distance
            };
            arcs.push(Arc {
                name: format!("vertex{k}"),
                centre: place(corner, reach),
                radius: small,
                from: corner - (step - flat),
                to: corner + (step - flat),
            });
            arcs.push(Arc {
                name: format!("side{k}"),
                centre: place(side, -t),
                radius: large,
                from: side - flat,
                to: side + flat,
            });
        }
        Self::new(arcs)
    }
}
