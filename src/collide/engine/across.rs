//! Collisions across the border of a sheared box.
//!
//! To the cells the second axis has no neighbours across its border: the search there knows one image of each pair, and no
//! plain box pays for what is here. What lies across the border is searched for by the grains next to it, in all cells of the
//! row beyond, which slides along. A search considers the nearest image of each grain in that row; before the next one can
//! arrive, the grain looks again.

use super::Core;
use super::cells::{Cells, Scope};
use super::predict::{Next, Put};
use super::state::{self, RADIUS};
use crate::geometry::{Dimension, Vector};

/// Whether the row across the upper (`true`) or the lower border is within reach of a place.
#[inline(always)]
fn faces(cells: &Cells, at: [u16; 3]) -> Option<bool> {
    let last = cells.ends[1].len() - 1;
    match usize::from(at[1]) {
        0 => Some(false),
        place if place == last => Some(true),
        _ => None,
    }
}

/// Calls `each` with the grains in the row across the border that are within reach of a place next to it, along the third axis.
fn each_across<D: Dimension>(
    cells: &Cells,
    (at, up): ([u16; 3], bool),
    scope: Scope,
    mut each: impl FnMut(u32),
) {
    let beyond = if up { 0 } else { cells.ends[1].len() - 1 };
    let row = cells.own[1][beyond];
    let layers = cells.near[2][at[2] as usize];
    let layers = match (D::N, scope) {
        (2, _) => &[0][..],
        (_, Scope::Layer(2, above)) => &layers[usize::from(above)..][..1],
        _ => &layers[..2],
    };
    for &layer in layers {
        for &column in cells.own[0].iter().step_by(cells.parts as usize) {
            cells.each_in(column + row + layer, &mut each);
        }
    }
}

impl<D: Dimension> Core<D> {
    /// Finds the first collision of a grain across the sheared border, where that is earlier than `hit`, and keeps until when
    /// the search holds.
    #[cold]
    #[inline(never)]
    pub(super) fn meet_across(&mut self, grain: u32, now: f64, scope: Scope, hit: &mut Next) {
        let i = grain as usize;
        let at = self.bodies.slots[i].at;
        let Some(shear) = &mut self.shear else {
            return;
        };
        let Some(up) = faces(&self.cells, at) else {
            shear.looks[i] = f64::INFINITY;
            return;
        };
        // Across the border the whole row along the flow is searched, whatever the place along it.
        if matches!(scope, Scope::Layer(0, _)) {
            return;
        }
        let side = if up { 1.0 } else { -1.0 };
        let (offset, speed) = (side * shear.offset_at(now), side * shear.speed());
        let rows = &self.bodies.rows;
        let me = &rows[i];
        let own = state::speed::<D>(me).norm_squared() + speed * speed;
        let halves = self.space.halves;
        let lengths = self.space.lengths;
        let (mut fastest, mut tests) = (0.0f64, 0);
        each_across::<D>(&self.cells, (at, up), scope, |other| {
            if other == grain {
                return;
            }
            tests += 1;
            let row = &rows[other as usize];
            let mut v = state::speed::<D>(row) - state::speed::<D>(me);
            let mut d = state::place::<D>(row) - state::place::<D>(me) + v * now;
            v[0] += speed;
            d[0] = shear.nearest(d[0] + offset);
            d[1] += side * shear.height;
            for k in 2..D::N {
                if d[k] > halves[k] {
                    d[k] -= lengths[k];
                } else if d[k] < -halves[k] {
                    d[k] += lengths[k];
                }
            }
            fastest = fastest.max(v[0].abs());
            let reach = row.0[RADIUS] + me.0[RADIUS];
            let after = meeting(d, v, reach, own);
            if after < hit.after || after == hit.after && after < f64::INFINITY && other < hit.with
            {
                *hit = Next { after, with: other };
            }
        });
        self.tally.work.tests += tests;
        // The next image of a grain is within a diameter no sooner than this; the box is three diameters long at least.
        let look = now + shear.length / 6.0 / fastest;
        let partly = scope != Scope::All && scope != Scope::Layer(1, up);
        shear.looks[i] = if partly {
            look.min(shear.looks[i])
        } else {
            look
        };
    }

    /// Whether a grain across the border occupies the place to which a contact put a grain, and is nearer than before.
    #[cold]
    #[inline(never)]
    pub(super) fn taken_across(&self, grain: u32, put: &Put<D>, t: f64) -> bool {
        let (i, mut taken) = (grain as usize, false);
        let Some(shear) = &self.shear else {
            return false;
        };
        let at = self.bodies.slots[i].at;
        let Some(up) = faces(&self.cells, at) else {
            return false;
        };
        each_across::<D>(&self.cells, (at, up), Scope::All, |other| {
            if other == grain || other == put.partner {
                return;
            }
            let [d, _] = self.between_sheared(shear, [i, other as usize], t);
            let reach = self.bodies.rows[i].0[RADIUS] + self.bodies.rows[other as usize].0[RADIUS];
            taken |=
                d.norm_squared() < reach * reach && self.comes_nearer(grain, put.from, other, t);
        });
        taken
    }

    /// The deepest overlap of a grain with one across the border at the start, over the sum of radii, and that grain.
    pub(super) fn overlap_across(&self, i: usize) -> Option<(usize, f64)> {
        let shear = self.shear.as_ref()?;
        let at = self.bodies.slots[i].at;
        let up = faces(&self.cells, at)?;
        let mut worst: Option<(usize, f64)> = None;
        each_across::<D>(&self.cells, (at, up), Scope::All, |other| {
            let j = other as usize;
            if j <= i {
                return;
            }
            let [d, _] = self.between_sheared(shear, [i, j], 0.0);
            let reach = self.bodies.rows[i].0[RADIUS] + self.bodies.rows[j].0[RADIUS];
            let overlap = 1.0 - d.norm() / reach;
            if worst.is_none_or(|(_, deepest)| overlap > deepest) {
                worst = Some((j, overlap));
            }
        });
        worst
    }
}

/// Time at which two grains meet, s from now, infinite if never: as [`Core::meetings`] has it. `own` is the scale of the squared
/// speeds, whose rounding does not count as an approach.
#[inline(always)]
fn meeting<V: Vector>(d: V, v: V, reach: f64, own: f64) -> f64 {
    const NOISE: f64 = -16.0 * f64::EPSILON * f64::EPSILON;
    let (a, b, square) = (v.norm_squared(), d.dot(&v), d.norm_squared());
    let c = (square - reach * reach).max(0.0);
    let root = b * b - a * c;
    // The first: they recede, or approach by rounding only.
    if b * b.abs() >= square * (a + own) * NOISE || root < 0.0 {
        return f64::INFINITY;
    }
    c / (root.sqrt() - b)
}
