//! Walls in a periodic box for filling it: with their images, or cut at its borders.

use std::borrow::Cow;
use std::cell::Cell;

use super::motions::keeps_direction;
use super::{AT_BORDER, Images, ImagesError, Repeat};
use crate::geometry::Dimension;
use crate::neighbor::PeriodicAxis;
use crate::walls::Boundary;

/// Cuts a rough wall that extends over the borders of a box there: its images continue it.
pub fn cut_at_borders<'a, D: Dimension>(
    wall: &'a Boundary<D>,
    periodic: &[Option<PeriodicAxis>],
) -> Cow<'a, Boundary<D>> {
    let Some((min, max)) = wall.shape.extent() else {
        return Cow::Borrowed(wall);
    };
    let mut within: Vec<(usize, f64, f64)> = Vec::new();
    for (k, axis) in periodic.iter().enumerate() {
        let Some(axis) = axis.filter(|_| keeps_direction(&wall.motion, k)) else {
            continue;
        };
        let hair = AT_BORDER * axis.length;
        if max[k] - min[k] >= axis.length - hair {
            let low = axis.origin - hair;
            within.push((k, low, low + axis.length));
        }
    }
    if within.is_empty() {
        return Cow::Borrowed(wall);
    }
    let counts = [Cell::new(0), Cell::new(0)];
    let keep = |x: D::Vector| {
        let kept = within
            .iter()
            .all(|&(k, low, high)| x[k] >= low && x[k] < high);
        let count = &counts[usize::from(kept)];
        count.set(count.get() + 1);
        kept
    };
    match wall.shape.kept(&keep) {
        Some(shape) if counts.iter().all(|count| count.get() > 0) => Cow::Owned(Boundary {
            shape,
            ..wall.clone()
        }),
        _ => Cow::Borrowed(wall),
    }
}

/// Returns walls at rest with those of their images that reach into a periodic box or touch it, for filling the box.
///
/// # Errors
/// A wall that cannot be periodic, by its index.
pub fn walls_with_images<D: Dimension>(
    walls: &[Boundary<D>],
    periodic: &[Option<PeriodicAxis>],
) -> Result<Vec<Boundary<D>>, (usize, ImagesError)> {
    let mut all = walls.to_vec();
    for (index, wall) in walls.iter().enumerate() {
        let wall = &*cut_at_borders(wall, periodic);
        let images = Images::of(wall, 1, periodic).map_err(|error| (index, error))?;
        if images.encloses {
            continue;
        }
        let mut shifts = vec![D::Vector::default()];
        for (k, axis) in periodic.iter().enumerate() {
            let (Some(axis), Repeat::Others(period)) = (axis, images.along[k]) else {
                continue;
            };
            let (low, high) = (
                images.middle[k] - images.half[k],
                images.middle[k] + images.half[k],
            );
            // Up to half a length beside the box: grains are smaller than that.
            let first = ((axis.origin - 0.5 * period - high) / period).ceil() as i64;
            let last = ((axis.origin + 1.5 * period - low) / period).floor() as i64;
            shifts = (first..=last)
                .flat_map(|n| {
                    shifts.iter().map(move |shift| {
                        let mut shift = *shift;
                        shift[k] += n as f64 * period;
                        shift
                    })
                })
                .collect();
        }
        let away = shifts.into_iter().filter(|s| *s != D::Vector::default());
        all.extend(away.map(|shift| Boundary {
            shape: wall.shape.moved(shift),
            ..wall.clone()
        }));
    }
    Ok(all)
}
