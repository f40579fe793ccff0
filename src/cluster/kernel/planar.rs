//! The planar kernel.
//!
//! Row of a body: x, y, arc (radius times angle), radius, vx, vy, s (radius times spin),
//! 1/mass. With s as the state both partners take the same spin term, and one difference of two
//! rows gives all that a pair needs. Row of forces: Fx, Fy, T, 0 of the whole force and the same
//! of what takes energy out of motion for other ends than the normal springs: the normal dampers
//! and all tangential force. T is the moment over the radius.

use super::{Batch, Change, Flags, Normal, Timing, nearest_image, normal};
use crate::contact::{Contact, Law};
use crate::vector::{Kernel, LANES, Lanes, Row};

const N: f64 = -0.0;
/// Signs of the second body: positions and velocities are subtracted, radii, spins and inverse
/// masses added.
const DIFFERENCE: Row = Row([N, N, N, 0.0, N, N, 0.0, 0.0]);
/// Signs of the force on the second body: moments over radii are alike.
const REACTION: Row = Row([N, N, 0.0, 0.0, N, N, 0.0, 0.0]);

/// Eight contacts evaluated.
pub(super) struct Evaluated<L: Lanes> {
    pub force: [L; 3],
    pub damper: [L; 3],
    pub history: L,
    pub work: L,
    pub touch: u8,
    pub slip: u8,
}

/// Sets the flags of a batch, and notes it where something changed.
#[inline(always)]
pub(super) fn noted<L: Lanes>(
    e: &Evaluated<L>,
    index: usize,
    flags: &mut Flags,
    changed: &mut Vec<Change>,
) {
    let after = Flags {
        touch: e.touch,
        slip: e.slip,
    };
    if after != *flags {
        changed.push(Change {
            batch: index as u32,
            before: *flags,
            after,
        });
        *flags = after;
    }
}

/// Tangential part and assembly; `n` points from the second body to the first.
#[inline(always)]
pub(super) fn assemble<L: Lanes, W: Law>(
    law: &W,
    nx: L,
    ny: L,
    sliding_speed: L,
    part: &Normal<L>,
    touch: L::Mask,
    was_slipping: u8,
    history: L,
    timing: &Timing,
) -> Evaluated<L> {
    let zero = L::splat(0.0);
    let Normal {
        force: fnormal,
        damper,
        response,
        share,
        first,
    } = part;
    let vt = sliding_speed;
    let kt = response.tangential_stiffness;
    let ct = response.tangential_damping;
    let moved = L::splat(timing.before * timing.step).mul(vt);
    let mut spring = history.add(moved);
    let mut weight_ct = ct;
    if *first != 0 {
        let mask = L::mask(*first);
        let partial = share.mul(L::splat(timing.step)).mul(vt);
        spring = partial.select(spring, mask);
        weight_ct = ct.mul(share.add(L::splat(0.5))).select(ct, mask);
    }
    let drag = weight_ct.mul(vt);
    let trial = zero.sub(kt.mul(spring).add(drag));
    let cap = L::splat(law.friction()).mul(*fnormal);
    let tangential = trial.max(zero.sub(cap)).min(cap).only(touch);
    let size = trial.abs();
    let over = cap.less(size);
    // A sliding link keeps the spring that, with the damper, gives the limit.
    let kept = zero
        .sub(tangential.add(drag))
        .mul(response.tangential_compliance);
    let kept = kept.select(spring, over).only(touch);
    let new = kept
        .add(L::splat(timing.after * timing.step).mul(vt))
        .only(touch);
    let work = zero.sub(tangential.mul(vt).mul(L::splat(timing.step)));
    let history = new;
    let touch_bits = L::bits(touch);
    let high = L::bits(cap.mul(L::splat(1.0 + timing.slip_tolerance)).less(size));
    let low = L::bits(cap.mul(L::splat(1.0 - timing.slip_tolerance)).less(size));
    let slip = (high | (was_slipping & low)) & touch_bits;
    // Tangent (-ny, nx).
    let fx = fnormal.mul(nx).sub(tangential.mul(ny));
    let fy = fnormal.mul(ny).add(tangential.mul(nx));
    let dx = damper.mul(nx).sub(tangential.mul(ny));
    let dy = damper.mul(ny).add(tangential.mul(nx));
    Evaluated {
        force: [fx, fy, zero.sub(tangential)],
        damper: [dx, dy, zero.sub(tangential)],
        history,
        work,
        touch: touch_bits,
        slip,
    }
}

/// Forces of candidate pairs, added to the bodies' rows.
pub struct PlanarPairs<'a, W: Law> {
    /// Law of all these pairs.
    pub law: W,
    /// Rows of the bodies.
    pub rows: &'a [Row],
    /// Rows of the forces.
    pub forces: &'a mut [Row],
    /// Candidates.
    pub batches: &'a [Batch],
    /// Tangential springs, m.
    pub history: &'a mut [Row],
    /// Flags.
    pub flags: &'a mut [Flags],
    /// Batches in which something changed.
    pub changed: &'a mut Vec<Change>,
    /// Timing.
    pub timing: Timing,
}

impl<W: Law> Kernel for PlanarPairs<'_, W> {
    type Output = f64;

    #[inline(always)]
    fn run<L: Lanes>(self) -> f64 {
        let PlanarPairs {
            law,
            rows,
            forces,
            batches,
            history,
            flags,
            changed,
            timing,
        } = self;
        let difference = L::load(&DIFFERENCE);
        let reaction = L::load(&REACTION);
        let zero = L::splat(0.0);
        let one = L::splat(1.0);
        let tiny = L::splat(1e-300);
        let mut work = zero;
        let lanes = batches
            .iter()
            .zip(history.iter_mut())
            .zip(flags.iter_mut())
            .enumerate();
        for (index, ((batch, history), flags)) in lanes {
            let a = L::gather(rows, &batch.a);
            let b = L::gather(rows, &batch.b);
            let pair = |k: usize| a[k].add(b[k].flip(difference));
            let columns = [
                pair(0),
                pair(1),
                pair(2),
                pair(3),
                pair(4),
                pair(5),
                pair(6),
                pair(7),
            ];
            let [dx, dy, _, radii, du, dv, spin, inverse_mass] = L::transpose(columns);
            let [dx, dy] = nearest_image([dx, dy], timing.periodic);
            let square = dx.mul(dx).add(dy.mul(dy));
            let touch = square.less(radii.mul(radii));
            let touch_bits = L::bits(touch);
            if touch_bits | flags.touch == 0 {
                continue;
            }
            // Root and inverse side by side rather than one after the other.
            let square = square.max(tiny);
            let distance = square.sqrt();
            let inverse = one.div(square).mul(distance);
            let (nx, ny) = (dx.mul(inverse), dy.mul(inverse));
            let speed = du.mul(nx).add(dv.mul(ny));
            let sliding = dv.mul(nx).sub(du.mul(ny)).sub(spin);
            let radius = if W::NEEDS_RADIUS {
                let radius = |body: &[u32; LANES]| {
                    L::from_array(std::array::from_fn(|k| rows[body[k] as usize].0[3]))
                };
                radius(&batch.a).mul(radius(&batch.b)).div(radii.max(tiny))
            } else {
                zero
            };
            let contact = Contact {
                overlap: radii.sub(distance),
                inverse_mass,
                radius,
                speed,
                sliding: if W::NEEDS_SLIDING {
                    sliding.abs()
                } else {
                    zero
                },
            };
            let opened = touch_bits & !flags.touch;
            let part = normal(&law, contact, speed, touch, opened, &timing);
            let old = L::load(history);
            let e = assemble(
                &law, nx, ny, sliding, &part, touch, flags.slip, old, &timing,
            );
            e.history.store(history);
            work = work.add(e.work);
            noted(&e, index, flags, changed);
            let [fx, fy, t] = e.force;
            let [ex, ey, u] = e.damper;
            let out = L::transpose([fx, fy, t, zero, ex, ey, u, zero]);
            L::scatter_add(out, forces, &batch.a);
            let back = |k: usize| out[k].flip(reaction);
            let back = [
                back(0),
                back(1),
                back(2),
                back(3),
                back(4),
                back(5),
                back(6),
                back(7),
            ];
            L::scatter_add(back, forces, &batch.b);
        }
        work.total()
    }
}

/// What the walls of a feature felt.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WallSums {
    /// Work that tangential forces took out of the motion, J.
    pub friction: f64,
    /// Force on the grains, N.
    pub force: [f64; 3],
    /// Moment of that force about the reference point, N m.
    pub moment: [f64; 3],
    /// Power of that force at the wall's speed, W: work that the wall gives.
    pub power: f64,
    /// Power of the dampers' share at the wall's speed, W.
    pub damper_power: f64,
}

impl std::ops::AddAssign for WallSums {
    fn add_assign(&mut self, other: Self) {
        self.friction += other.friction;
        for k in 0..3 {
            self.force[k] += other.force[k];
            self.moment[k] += other.moment[k];
        }
        self.power += other.power;
        self.damper_power += other.damper_power;
    }
}

/// Geometry of eight grains against a surface.
pub struct WallLanes {
    /// Distance of the centre, m; huge where there is no contact.
    pub distance: Row,
    /// Normal from the wall to the grain.
    pub normal: [Row; 3],
    /// Velocity of the wall at the contact, m/s.
    pub velocity: [Row; 3],
}

/// Where the geometry of a wall comes from.
pub enum WallGeometry<'a> {
    /// A fixed flat piece: normal (2 or 3 components), offset; extent along a direction.
    Flat {
        /// Normal.
        normal: [f64; 3],
        /// Offset, m.
        offset: f64,
        /// Direction, least and greatest coordinate along it; infinite where unbounded.
        along: [f64; 3],
        /// Least coordinate along it, m.
        low: f64,
        /// Greatest, m.
        high: f64,
    },
    /// Lanes worked out before, one a batch.
    Lanes(&'a [WallLanes]),
}

/// Forces of candidate grains at one surface.
pub struct PlanarWalls<'a, W: Law> {
    /// Law of all these contacts.
    pub law: W,
    /// Rows of the bodies.
    pub rows: &'a [Row],
    /// Rows of the forces.
    pub forces: &'a mut [Row],
    /// Candidates, in `a`.
    pub batches: &'a [Batch],
    /// Tangential springs, m.
    pub history: &'a mut [Row],
    /// Flags.
    pub flags: &'a mut [Flags],
    /// Batches in which something changed.
    pub changed: &'a mut Vec<Change>,
    /// Timing.
    pub timing: Timing,
    /// The surface.
    pub geometry: WallGeometry<'a>,
    /// Point about which moments are taken.
    pub reference: [f64; 3],
}

impl<W: Law> Kernel for PlanarWalls<'_, W> {
    type Output = WallSums;

    #[inline(always)]
    fn run<L: Lanes>(self) -> WallSums {
        let PlanarWalls {
            law,
            rows,
            forces,
            batches,
            history,
            flags,
            changed,
            timing,
            geometry,
            reference,
        } = self;
        let zero = L::splat(0.0);
        let mut work = zero;
        let (mut sum_x, mut sum_y, mut sum_m) = (zero, zero, zero);
        let (mut power, mut damper_power) = (zero, zero);
        let lanes = batches
            .iter()
            .zip(history.iter_mut())
            .zip(flags.iter_mut())
            .enumerate();
        for (index, ((batch, history), flags)) in lanes {
            let columns = L::gather(rows, &batch.a);
            let [x, y, _, radius, u, v, spin, inverse_mass] = L::transpose(columns);
            let (nx, ny, distance, wx, wy, inside) = match &geometry {
                WallGeometry::Flat {
                    normal,
                    offset,
                    along,
                    low,
                    high,
                } => {
                    let (nx, ny) = (L::splat(normal[0]), L::splat(normal[1]));
                    let distance = nx.mul(x).add(ny.mul(y)).sub(L::splat(*offset));
                    let place = L::splat(along[0]).mul(x).add(L::splat(along[1]).mul(y));
                    let inside =
                        L::bits(place.less(L::splat(*high))) & !L::bits(place.less(L::splat(*low)));
                    (nx, ny, distance, zero, zero, inside)
                }
                WallGeometry::Lanes(all) => {
                    let w = &all[index];
                    (
                        L::load(&w.normal[0]),
                        L::load(&w.normal[1]),
                        L::load(&w.distance),
                        L::load(&w.velocity[0]),
                        L::load(&w.velocity[1]),
                        0xff,
                    )
                }
            };
            let touch_bits = L::bits(distance.less(radius)) & L::bits(zero.less(radius)) & inside;
            if touch_bits | flags.touch == 0 {
                continue;
            }
            let touch = L::mask(touch_bits);
            let (du, dv) = (u.sub(wx), v.sub(wy));
            let speed = du.mul(nx).add(dv.mul(ny));
            let sliding = dv.mul(nx).sub(du.mul(ny)).sub(spin);
            let contact = Contact {
                overlap: radius.sub(distance),
                inverse_mass,
                radius,
                speed,
                sliding: if W::NEEDS_SLIDING {
                    sliding.abs()
                } else {
                    zero
                },
            };
            let opened = touch_bits & !flags.touch;
            let part = normal(&law, contact, speed, touch, opened, &timing);
            let old = L::load(history);
            let e = assemble(
                &law, nx, ny, sliding, &part, touch, flags.slip, old, &timing,
            );
            e.history.store(history);
            work = work.add(e.work);
            noted(&e, index, flags, changed);
            let [fx, fy, t] = e.force;
            let [ex, ey, s] = e.damper;
            // The contact point lies on the wall, at `distance` from the centre.
            let arm_x = x.sub(nx.mul(distance)).sub(L::splat(reference[0]));
            let arm_y = y.sub(ny.mul(distance)).sub(L::splat(reference[1]));
            sum_x = sum_x.add(fx);
            sum_y = sum_y.add(fy);
            sum_m = sum_m.add(arm_x.mul(fy).sub(arm_y.mul(fx)).only(touch));
            power = power.add(fx.mul(wx).add(fy.mul(wy)).only(touch));
            damper_power = damper_power.add(ex.mul(wx).add(ey.mul(wy)).only(touch));
            let out = L::transpose([fx, fy, t, zero, ex, ey, s, zero]);
            L::scatter_add(out, forces, &batch.a);
        }
        WallSums {
            friction: work.total(),
            force: [sum_x.total(), sum_y.total(), 0.0],
            moment: [0.0, 0.0, sum_m.total()],
            power: power.total(),
            damper_power: damper_power.total(),
        }
    }
}
