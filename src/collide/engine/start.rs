//! Initial layout of an engine: widths of cells, order in memory, and the check for overlaps.

use super::cells::{Found, MOST, Scope};
use super::state::RADIUS;
use super::{Core, Setup, SetupError};
use crate::geometry::{Dimension, Vector};

/// Greatest initial overlap attributed to rounding, as a fraction of the sum of radii.
const ROUNDING: f64 = 1e-9;

/// Filled fraction of the box above which neighbour lists are used.
pub(super) const LISTS_ABOVE: f64 = 0.4;
/// Distance that grains may move from where their lists were built, in largest diameters.
pub(super) const SKIN: f64 = 0.25;

/// Width of the cells without lists: in cells two diameters wide a grain reaches one cell either way; in
/// dilute systems, fewer and wider cells are crossed less often (measured: see docs/notes/performance.md).
pub(super) fn cell_width(diameter: f64, filled: f64) -> f64 {
    let factor = if filled < 0.2 { 2.5 } else { 2.2 };
    diameter * factor * (1.0 + 1e-9)
}

/// Rejects sizes for which more grains fit into the cells around a place than a search can hold.
pub(super) fn crowds<D: Dimension>(setup: &Setup<D>, largest: f64) -> Result<(), SetupError> {
    let most = MOST - 64;
    // Two of the widest cells along each axis, filled as densely as balls allow.
    let room = 0.95 * (2.0 * cell_width(2.0 * largest, 0.0)).powi(D::N as i32);
    let alike = room / D::ball_measure(largest);
    let least = largest * (alike / most as f64).powf(1.0 / D::N as f64);
    let small = setup.bodies.iter().filter(|b| b.radius < least).count();
    let to_come = setup.coming.iter().filter(|c| c.body.radius < least);
    let small = to_come.map(|c| c.count).fold(small, usize::saturating_add);
    if small > most {
        return Err(SetupError::Sizes { small, least, most });
    }
    Ok(())
}

/// Greatest duration of an epoch, s: with gravity until a path has bent by about the box size.
pub(super) fn span<D: Dimension>(setup: &Setup<D>) -> f64 {
    let g = setup.gravity.norm();
    if g > 0.0 {
        let size = (setup.max - setup.min).norm();
        2.0 * (size / g).sqrt()
    } else {
        f64::INFINITY
    }
}

/// A point wrapped into the box along periodic axes.
pub(super) fn wrapped<D: Dimension>(setup: &Setup<D>, x: D::Vector) -> D::Vector {
    D::Vector::from_fn(|k| {
        let (low, length) = (setup.min[k], setup.max[k] - setup.min[k]);
        if setup.periodic[k] && !(low..setup.max[k]).contains(&x[k]) {
            let x = low + (x[k] - low).rem_euclid(length);
            if x < setup.max[k] { x } else { low }
        } else {
            x[k]
        }
    })
}

/// Interleaves the bits of three numbers.
pub(super) fn morton(at: [u16; 3]) -> u64 {
    let mut code = 0u64;
    for bit in 0..16 {
        for (k, c) in at.iter().enumerate() {
            code |= u64::from(c >> bit & 1) << (3 * bit + k);
        }
    }
    code
}

/// Reports initial overlaps that exceed rounding.
pub(super) fn check_overlaps<D: Dimension>(core: &Core<D>) -> Result<(), SetupError> {
    let mut found = Found::default();
    for i in 0..core.bodies.rows.len() {
        let n = core
            .cells
            .gather::<D>(core.bodies.slots[i].at, Scope::All, &mut found);
        for &j in &found.grains[..n] {
            let j = j as usize;
            if j <= i {
                continue;
            }
            let mut square = 0.0;
            for k in 0..D::N {
                let d = core.bodies.rows[j].0[k] - core.bodies.rows[i].0[k];
                let d = if d.abs() > core.space.halves[k] {
                    core.space.lengths[k] - d.abs()
                } else {
                    d
                };
                square += d * d;
            }
            let reach = core.bodies.rows[i].0[RADIUS] + core.bodies.rows[j].0[RADIUS];
            let overlap = reach - square.sqrt();
            if overlap > ROUNDING * reach {
                let (a, b) = (core.bodies.ids[i] as usize, core.bodies.ids[j] as usize);
                return Err(SetupError::Overlap {
                    a: a.min(b),
                    b: a.max(b),
                    overlap,
                });
            }
        }
        if let Some((j, share)) = core.overlap_across(i)
            && share > ROUNDING
        {
            let (a, b) = (core.bodies.ids[i] as usize, core.bodies.ids[j] as usize);
            return Err(SetupError::Overlap {
                a: a.min(b),
                b: a.max(b),
                overlap: share * (core.bodies.rows[i].0[RADIUS] + core.bodies.rows[j].0[RADIUS]),
            });
        }
    }
    Ok(())
}
