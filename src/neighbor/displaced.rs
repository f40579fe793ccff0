//! Pairs of grains where the images above a box are displaced along it (Lees and Edwards 1972).

use super::{BroadPhase, PeriodicAxis};
use crate::geometry::Dimension;

/// Lists the pairs of grains, given by (wrapped) positions and radii, as [`BroadPhase::pairs`] does, where
/// the image of the box above it along the second direction is displaced by `offset` (m) along the first.
///
/// The search itself does not handle displacement. Grains near the lower border are added once more at the positions of their upper
/// images, in a space that is open there. Pairs across the border join a grain near the upper border with such an image.
pub fn pairs_across<D: Dimension>(
    broad: &mut dyn BroadPhase<D>,
    (positions, radii): (&[D::Vector], &[f64]),
    margin: f64,
    periodic: &[Option<PeriodicAxis>],
    offset: f64,
    out: &mut Vec<(u32, u32)>,
) {
    let border = periodic.get(1).copied().flatten();
    let Some(border) = border.filter(|_| offset != 0.0) else {
        broad.pairs(positions, radii, margin, periodic, out);
        return;
    };
    let greatest = radii.iter().copied().fold(0.0, f64::max);
    let reach = 2.0 * greatest + margin;
    let mut places = positions.to_vec();
    let mut sizes = radii.to_vec();
    let mut owners = Vec::new();
    for (k, x) in positions.iter().enumerate() {
        if x[1] - border.origin < reach {
            let mut image = *x;
            image[0] += offset;
            image[1] += border.length;
            places.push(image);
            sizes.push(radii[k]);
            owners.push(k as u32);
        }
    }
    let mut open = periodic.to_vec();
    open[1] = None;
    broad.pairs(&places, &sizes, margin, &open, out);
    let count = positions.len() as u32;
    // Each pair has the lesser number first.
    out.retain(|&(a, _)| a < count);
    for pair in out.iter_mut() {
        if pair.1 >= count {
            let owner = owners[(pair.1 - count) as usize];
            *pair = (pair.0.min(owner), pair.0.max(owner));
        }
    }
    out.retain(|&(a, b)| a != b);
    out.sort_unstable();
    out.dedup();
}
