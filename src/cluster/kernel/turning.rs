//! Resistance to rolling and twisting, for laws with additional terms.

use serde::{Deserialize, Serialize};

use super::{Normal, Timing};
use crate::contact::{Resistance, ResistanceKind};
use crate::vector::{LANES, Lanes, Row};

/// Contact history of eight links with additional terms, apart from their tangential springs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    /// Springs of rolling, m: one in the plane, three in space.
    pub rolled: [Row; 3],
    /// Springs of twisting, m.
    pub twisted: Row,
    /// Overlaps to which plastic links were loaded, m.
    pub deepest: Row,
}

impl Memory {
    /// Values of one of the eight: springs of rolling and twisting, overlap.
    pub fn lane(&self, lane: usize) -> [f64; 5] {
        let [x, y, z] = &self.rolled;
        [x, y, z, &self.twisted, &self.deepest].map(|row| row.0[lane])
    }

    /// Sets the values of one of the eight.
    pub fn set_lane(&mut self, lane: usize, values: [f64; 5]) {
        let [x, y, z] = &mut self.rolled;
        let rows = [x, y, z, &mut self.twisted, &mut self.deepest];
        for (row, value) in rows.into_iter().zip(values) {
            row.0[lane] = value;
        }
    }
}

/// Relative rotation of eight pairs.
pub(super) struct Turning<'m, L: Lanes, const N: usize> {
    /// Effective radius times the difference of the spins, m/s.
    pub speed: [L; N],
    pub memory: &'m mut Memory,
}

/// Results of a resistance.
pub(super) struct Resisted<L: Lanes, const N: usize> {
    /// Force opposite to the speed, N.
    pub force: [L; N],
    /// Springs afterwards, m.
    pub spring: [L; N],
    /// Energy dissipated, J.
    pub work: L,
}

/// Evaluates springs, dashpots and sliders of eight links at these speeds. `lasting` is the remaining
/// fraction of springs whose stiffness scales with that of the contact (see [`lasting`](super::lasting)).
#[inline(always)]
pub(super) fn resist<L: Lanes, const N: usize>(
    resistance: &Resistance,
    part: &Normal<L>,
    speed: [L; N],
    old: [L; N],
    lasting: L,
    touch: L::Mask,
    timing: &Timing,
) -> Resisted<L, N> {
    let (zero, one) = (L::splat(0.0), L::splat(1.0));
    let tiny = L::splat(1e-300);
    let step = L::splat(timing.step);
    let cap = L::splat(resistance.friction).mul(part.pressing);
    let mut out = Resisted {
        force: [zero; N],
        spring: [zero; N],
        work: zero,
    };
    match resistance.kind {
        ResistanceKind::Constant(smoothing) => {
            let size = length(speed).add(L::splat(smoothing));
            let rate = cap.div(size).only(touch);
            for k in 0..N {
                out.force[k] = zero.sub(rate.mul(speed[k]));
            }
        }
        ResistanceKind::Spring { stiffness, damping } => {
            let (stiffness, lasting) = match stiffness {
                Some(given) => (L::splat(given), one),
                None => (
                    L::splat(resistance.usual_share()).mul(part.stiffness),
                    lasting,
                ),
            };
            let compliance = one.div(stiffness.max(tiny));
            let mut damping = L::splat(damping);
            let mut moved = L::splat(timing.before).mul(step);
            if part.first != 0 {
                let mask = L::mask(part.first);
                moved = part.share.mul(step).select(moved, mask);
                damping = damping
                    .mul(part.share.add(L::splat(0.5)))
                    .select(damping, mask);
            }
            let mut trial = [zero; N];
            let mut spring = [zero; N];
            for k in 0..N {
                spring[k] = old[k].mul(lasting).add(moved.mul(speed[k]));
                trial[k] = zero.sub(stiffness.mul(spring[k]).add(damping.mul(speed[k])));
            }
            let size = length(trial);
            let over = cap.less(size);
            let scale = cap.div(size.max(tiny)).select(one, over);
            let after = L::splat(timing.after).mul(step);
            for k in 0..N {
                out.force[k] = trial[k].mul(scale).only(touch);
                let kept = zero.sub(out.force[k].add(damping.mul(speed[k])));
                let kept = kept.mul(compliance).select(spring[k], over);
                out.spring[k] = kept.add(after.mul(speed[k])).only(touch);
            }
        }
    }
    for k in 0..N {
        out.work = out.work.sub(out.force[k].mul(speed[k]).mul(step));
    }
    out
}

#[inline(always)]
fn length<L: Lanes, const N: usize>(v: [L; N]) -> L {
    if N == 1 {
        return v[0].abs();
    }
    let mut square = v[0].mul(v[0]);
    for k in 1..N {
        square = square.add(v[k].mul(v[k]));
    }
    square.sqrt()
}

/// One column of the rows of eight slots: radii and spins, which kernels of laws without additional
/// terms do not need individually.
#[inline(always)]
pub(super) fn column<L: Lanes>(rows: &[Row], slots: &[u32; LANES], column: usize) -> L {
    let mut values = [0.0; LANES];
    for (value, &slot) in values.iter_mut().zip(slots) {
        *value = rows[slot as usize].0[column];
    }
    L::from_array(values)
}
