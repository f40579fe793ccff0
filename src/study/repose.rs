//! Slopes of the free surface of a planar bed, and so its angle of repose.

use serde::Serialize;

use super::error::{StudyError, check, enough, positive};

/// A straight line through a surface.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Slope {
    /// Inclination, rad; positive where the surface rises towards +x.
    pub angle: f64,
    /// Standard error of the angle from the scatter about the line, rad. Neighbouring points of a surface are
    /// correlated, so that the true error is larger.
    pub error: f64,
    /// Number of points of the surface.
    pub points: usize,
}

/// The slopes of the two halves of a bed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Repose {
    /// Slope of the half with the lesser x; none if there is no clear slope.
    pub left: Option<Slope>,
    /// Slope of the other half.
    pub right: Option<Slope>,
}

impl Repose {
    /// Returns the mean steepness of the halves that have a slope, rad.
    pub fn mean(&self) -> Option<f64> {
        let angles: Vec<f64> = [self.left, self.right]
            .into_iter()
            .flatten()
            .map(|slope| slope.angle.abs())
            .collect();
        (!angles.is_empty()).then(|| angles.iter().sum::<f64>() / angles.len() as f64)
    }
}

/// The used part of a slope: above the foot and below the crest, where surfaces bend.
const FOOT: f64 = 0.2;
const CREST: f64 = 0.8;
/// Least number of points for a line.
const LEAST: usize = 5;

/// Returns the highest point in each column of a bed of disks (centre and radius, m), in order of x, m.
pub fn surface(disks: &[([f64; 2], f64)], column: f64) -> Result<Vec<[f64; 2]>, StudyError> {
    positive("width of a column", column)?;
    enough("disks", disks.len(), 1)?;
    let mut low = f64::INFINITY;
    let mut high = f64::NEG_INFINITY;
    for &([x, y], radius) in disks {
        check("coordinate of a disk", x + y, "a finite number", |_| true)?;
        positive("radius", radius)?;
        low = low.min(x);
        high = high.max(x);
    }
    check(
        "number of columns",
        (high - low) / column,
        "at most 1e6",
        |n| n <= 1e6,
    )?;
    let columns = ((high - low) / column) as usize + 1;
    let mut highest: Vec<Option<[f64; 2]>> = vec![None; columns];
    for &([x, y], radius) in disks {
        let place = &mut highest[(((x - low) / column) as usize).min(columns - 1)];
        if place.is_none_or(|[_, top]| y + radius > top) {
            *place = Some([x, y + radius]);
        }
    }
    Ok(highest.into_iter().flatten().collect())
}

/// Returns the least-squares line through points of a surface, m.
pub fn slope(points: &[[f64; 2]]) -> Result<Slope, StudyError> {
    enough("points of a surface", points.len(), 3)?;
    let n = points.len() as f64;
    let mean = |k: usize| points.iter().map(|p| p[k]).sum::<f64>() / n;
    let (x0, y0) = (mean(0), mean(1));
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for &[x, y] in points {
        xx += (x - x0) * (x - x0);
        xy += (x - x0) * (y - y0);
        yy += (y - y0) * (y - y0);
    }
    if xx.is_nan() || xx <= 0.0 {
        return Err(StudyError::Undetermined { what: "slope" });
    }
    let tangent = xy / xx;
    let left = (yy - tangent * xy).max(0.0);
    let error = (left / (n - 2.0) / xx).sqrt();
    Ok(Slope {
        angle: libm::atan(tangent),
        // d angle = d tangent / (1 + tangent^2)
        error: error / (1.0 + tangent * tangent),
        points: points.len(),
    })
}

/// Returns the slopes of the left and the right half of a bed of disks (centre and radius, m): for each, of the
/// points between 0.2 and 0.8 of its height above the lowest point of the bed.
///
/// A heap falls off to both sides; the rest left in a silo rises to both walls; a level bed has no points in between
/// and therefore no slopes.
pub fn repose(disks: &[([f64; 2], f64)]) -> Result<Repose, StudyError> {
    enough("disks", disks.len(), 1)?;
    let mean = disks.iter().map(|d| d.1).sum::<f64>() / disks.len() as f64;
    let profile = surface(disks, 3.0 * mean)?;
    let bottom = disks
        .iter()
        .map(|([_, y], radius)| y - radius)
        .fold(f64::INFINITY, f64::min);
    let ends = disks.iter().map(|([x, _], _)| *x);
    let middle =
        0.5 * (ends.clone().fold(f64::INFINITY, f64::min) + ends.fold(f64::NEG_INFINITY, f64::max));
    let half = |right: bool| {
        let side = || profile.iter().filter(move |p| (p[0] >= middle) == right);
        let height = side().map(|p| p[1] - bottom).fold(0.0, f64::max);
        let points: Vec<[f64; 2]> = side()
            .filter(|p| (FOOT * height..CREST * height).contains(&(p[1] - bottom)))
            .copied()
            .collect();
        (points.len() >= LEAST)
            .then(|| slope(&points).ok())
            .flatten()
    };
    Ok(Repose {
        left: half(false),
        right: half(true),
    })
}
