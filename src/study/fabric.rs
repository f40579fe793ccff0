//! Fabric of a packing: number of contacts per grain, and directions of contacts.

use std::f64::consts::{FRAC_PI_2, PI};

use serde::Serialize;

use super::error::{StudyError, enough, finite, positive};
use super::histogram::{Bin, histogram};
use crate::geometry::{Dimension, Planar, Vector};

/// A contact of a packing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch<D: Dimension> {
    /// First grain.
    pub first: usize,
    /// Second grain; none for a boundary.
    pub second: Option<usize>,
    /// Direction of the normal, of any length and either sign.
    pub normal: D::Vector,
}

/// Statistics of the numbers of contacts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ContactNumber {
    /// Number of grains.
    pub grains: usize,
    /// Mean number of contacts per grain, including those with boundaries.
    pub mean: f64,
    /// Number of grains with fewer contacts than dimensions: they carry no load.
    pub rattlers: usize,
    /// Mean number of the other grains, none if there are none.
    pub mean_bearing: Option<f64>,
    /// `histogram[z]`: number of grains with z contacts.
    pub histogram: Vec<usize>,
}

/// Counts the contacts of each of `grains` grains.
pub fn contact_number<D: Dimension>(
    touches: &[Touch<D>],
    grains: usize,
) -> Result<ContactNumber, StudyError> {
    enough("grains", grains, 1)?;
    let mut contacts = vec![0usize; grains];
    for touch in touches {
        for grain in [Some(touch.first), touch.second].into_iter().flatten() {
            let Some(count) = contacts.get_mut(grain) else {
                return Err(StudyError::Range {
                    what: "index of a grain in a contact",
                    value: grain as f64,
                    must: "under the number of grains",
                });
            };
            *count += 1;
        }
    }
    let most = contacts.iter().copied().max().unwrap_or(0);
    let mut histogram = vec![0; most + 1];
    for &z in &contacts {
        histogram[z] += 1;
    }
    let bearing: Vec<usize> = contacts.iter().copied().filter(|&z| z >= D::N).collect();
    let total = |v: &[usize]| v.iter().sum::<usize>() as f64;
    Ok(ContactNumber {
        grains,
        mean: total(&contacts) / grains as f64,
        rattlers: grains - bearing.len(),
        mean_bearing: (!bearing.is_empty()).then(|| total(&bearing) / bearing.len() as f64),
        histogram,
    })
}

/// Returns the histogram of the angle between contact and vertical, 0 to pi/2 rad. For isotropic contacts the density
/// is 2 / pi in the plane, the sine of the angle in space.
pub fn inclination<D: Dimension>(
    touches: &[Touch<D>],
    up: D::Vector,
    bins: usize,
) -> Result<Vec<Bin>, StudyError> {
    let height = positive("length of the upright", up.norm())?;
    let mut angles = Vec::with_capacity(touches.len());
    for touch in touches {
        let length = positive("length of a normal", touch.normal.norm())?;
        let cosine = (touch.normal.dot(&up) / (length * height)).abs();
        angles.push(libm::acos(cosine.min(1.0)));
    }
    histogram(&angles, 0.0, FRAC_PI_2, bins)
}

/// Returns the histogram of the angle of planar contacts from +x, 0 to pi rad: contacts have no sign.
pub fn direction(touches: &[Touch<Planar>], bins: usize) -> Result<Vec<Bin>, StudyError> {
    let mut angles = Vec::with_capacity(touches.len());
    for touch in touches {
        positive("length of a normal", touch.normal.norm())?;
        let angle = libm::atan2(touch.normal.y, touch.normal.x);
        let angle = if angle < 0.0 { angle + PI } else { angle };
        // A horizontal contact is at 0 whichever body comes first.
        angles.push(if angle >= PI { 0.0 } else { angle });
    }
    histogram(&angles, 0.0, PI, bins)
}

/// Returns the fabric tensor, the mean of n n^T over the contacts, row by row (Satake 1982); its trace is 1. With
/// `weights` (for instance normal forces) the mean is weighted.
pub fn tensor<D: Dimension>(
    touches: &[Touch<D>],
    weights: Option<&[f64]>,
) -> Result<Vec<Vec<f64>>, StudyError> {
    enough("contacts", touches.len(), 1)?;
    if let Some(weights) = weights {
        if weights.len() != touches.len() {
            return Err(StudyError::Unequal {
                what: "contacts and weights",
                first: touches.len(),
                second: weights.len(),
            });
        }
        finite("weight of a contact", weights)?;
    }
    let mut tensor = vec![vec![0.0; D::N]; D::N];
    let mut total = 0.0;
    for (k, touch) in touches.iter().enumerate() {
        let weight = weights.map_or(1.0, |w| w[k]);
        let square = positive("length of a normal", touch.normal.norm_squared())?;
        total += weight;
        for i in 0..D::N {
            for j in 0..D::N {
                tensor[i][j] += weight * touch.normal[i] * touch.normal[j] / square;
            }
        }
    }
    positive("sum of the weights", total)?;
    for entry in tensor.iter_mut().flatten() {
        *entry /= total;
    }
    Ok(tensor)
}
