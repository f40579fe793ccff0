//! Mass properties from the voxels whose centre is inside.

use super::{Integrals, MassError, MassProperties, Work};
use crate::body::Region;
use crate::geometry::{Dimension, Vector};

/// Greatest number of columns of voxels: 4,194,304 per side in the plane, 2048 in space.
const MOST_COLUMNS: usize = 1 << 22;

/// Settings of the voxel count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Voxels {
    /// Number of voxels along the longest side of the bounding box; with a tolerance only the first number, which is
    /// doubled until the error is small enough.
    pub count: usize,
    /// Greatest relative error, if required.
    pub tolerance: Option<f64>,
}

impl Voxels {
    /// Returns the default: a number that takes about a second, 2048 in the plane, 512 in space.
    pub fn usual<D: Dimension>() -> Self {
        Voxels {
            count: if D::N == 2 { 2048 } else { 512 },
            tolerance: None,
        }
    }
}

/// Returns mass properties of any region from cubes whose centre is inside (Ostanin et al., 3.3.2). The error is
/// estimated from half the number per side, and is at least that of column ends at random positions within their
/// voxel.
///
/// # Errors
/// When no centre is inside, or the tolerance is out of reach.
pub fn voxels<D: Dimension>(
    region: &impl Region<D>,
    voxels: Voxels,
) -> Result<MassProperties<D>, MassError> {
    let mut count = voxels.count.max(2);
    let most = if D::N == 2 {
        MOST_COLUMNS
    } else {
        MOST_COLUMNS.isqrt()
    };
    if count > most {
        return Err(MassError::TooMany(count, most));
    }
    let (mut coarse, _) = counted(region, count.div_ceil(2))?;
    loop {
        let (mut fine, chance) = counted(region, count)?;
        let reached = fine.distance(&coarse).max(chance);
        fine.error_estimate = reached;
        match voxels.tolerance {
            Some(wanted) if reached > wanted => {
                if 2 * count > most {
                    return Err(MassError::Tolerance {
                        wanted,
                        reached,
                        work: Work::Voxels(count),
                    });
                }
                (coarse, count) = (fine, 2 * count);
            }
            _ => return Ok(fine),
        }
    }
}

/// Returns the properties for some number of voxels per side, and the relative error of the measure if each end of a
/// column has a random error.
fn counted<D: Dimension>(
    region: &impl Region<D>,
    count: usize,
) -> Result<(MassProperties<D>, f64), MassError> {
    let (min, max) = region.bounds();
    let extent = max - min;
    let longest = extent.components().fold(0.0, f64::max);
    let side = longest / count as f64;
    let last = D::N - 1;
    let numbers: Vec<usize> = extent
        .components()
        .map(|e| (e / side).ceil() as usize)
        .collect();
    let columns: usize = numbers[..last].iter().product();
    let middle = (min + max) * 0.5;
    let mut integrals = Integrals::new(middle);
    let voxel = side.powi(D::N as i32);
    // Second moment of a cube about its own centre.
    let own = voxel * side * side / 12.0;
    let mut spans = Vec::new();
    let mut ends = 0.0;
    for column in 0..columns {
        let mut rest = column;
        let at = D::Vector::from_fn(|k| {
            if k == last {
                return 0.0;
            }
            let n = rest % numbers[k];
            rest /= numbers[k];
            min[k] + side * (n as f64 + 0.5)
        });
        region.spans(at, &mut spans);
        for &[from, to] in &spans {
            ends += 2.0;
            // Centres min + side (n + 1/2) within the span: n from `low` to below `high`.
            let low = ((from - min[last]) / side - 0.5).ceil();
            let high = ((to - min[last]) / side - 0.5).ceil();
            let n = high - low;
            if n < 1.0 {
                continue;
            }
            let mut centre = at - middle;
            centre[last] = min[last] - middle[last] + side * 0.5 * (low + high);
            let mut second = [[0.0; 3]; 3];
            for k in 0..D::N {
                second[k][k] = n * own;
            }
            // A row of n cubes is a bar of length n.
            second[last][last] *= n * n;
            integrals.add(n * voxel, centre, &second);
        }
    }
    if integrals.measure <= 0.0 {
        return Err(MassError::Nothing);
    }
    let chance = (D::N as f64 * ends / 12.0).sqrt() * voxel / integrals.measure;
    Ok((integrals.properties(0.0), chance))
}
