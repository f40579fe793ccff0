//! The spatial kernel: like the planar one, with a tangential spring of three components that turns
//! with the contact.
//!
//! Row of a body: x, y, z, radius, vx, vy, vz, 1/mass; row of its spin: radius times spin (3), and
//! data that the kernel does not read. Row of forces: Fx, Fy, Fz, 0, Tx, Ty, Tz, 0, where T is the
//! moment over the radius; the first half of a second row contains the share of normal dampers and
//! tangential forces, whose moment is the same.

use super::surface::{WallGeometry, WallSums};
use super::turning::{Turning, column, resist};
use super::{
    Batch, Block, BodyRows, Change, Flags, ForceRows, Memory, Normal, Timing, held, image, known,
    lasting, more, normal, opposite,
};
use crate::cluster::cell::CellSums;
use crate::contact::{Contact, Law};
use crate::vector::{Kernel, LANES, Lanes, Row};

const N: f64 = -0.0;
const DIFFERENCE: Row = Row([N, N, N, 0.0, N, N, N, 0.0]);
const REACTION: Row = Row([N, N, N, 0.0, 0.0, 0.0, 0.0, 0.0]);

/// Tangential springs of eight links, m.
pub type SpatialHistory = [Row; 3];

type V3<L> = [L; 3];

#[inline(always)]
fn dot<L: Lanes>(a: V3<L>, b: V3<L>) -> L {
    a[0].mul(b[0]).add(a[1].mul(b[1])).add(a[2].mul(b[2]))
}

#[inline(always)]
fn cross<L: Lanes>(a: V3<L>, b: V3<L>) -> V3<L> {
    [
        a[1].mul(b[2]).sub(a[2].mul(b[1])),
        a[2].mul(b[0]).sub(a[0].mul(b[2])),
        a[0].mul(b[1]).sub(a[1].mul(b[0])),
    ]
}

#[inline(always)]
fn map<L: Lanes>(a: V3<L>, f: impl Fn(L) -> L) -> V3<L> {
    [f(a[0]), f(a[1]), f(a[2])]
}

#[inline(always)]
fn zip<L: Lanes>(a: V3<L>, b: V3<L>, f: impl Fn(L, L) -> L) -> V3<L> {
    [f(a[0], b[0]), f(a[1], b[1]), f(a[2], b[2])]
}

struct Evaluated<L: Lanes> {
    force: V3<L>,
    moment: V3<L>,
    damper: V3<L>,
    history: V3<L>,
    work: L,
    touch: u8,
    slip: u8,
    /// Force against rolling and twisting, N: its moment is this times the effective radius (laws with additional terms).
    turning: V3<L>,
}

/// The spring of the last step, rotated into the present tangent plane with its length conserved.
#[inline(always)]
pub(super) fn laid_flat<L: Lanes>(spring: V3<L>, n: V3<L>) -> V3<L> {
    let (one, tiny) = (L::splat(1.0), L::splat(f64::MIN_POSITIVE));
    let along = dot(spring, n);
    let flat = zip(spring, n, |h, n| h.sub(along.mul(n)));
    let length = dot(spring, spring);
    let lost = along.mul(along);
    // In beds at rest the stretch rounds to 1. Each lane has the same bits as below.
    if L::bits(length.mul(L::splat(1e-17)).less(lost)) == 0 {
        return flat;
    }
    // sqrt(1 / (1 - share)), by three terms of its series, with an error below rounding if a step
    // turns the spring by less than 2 mrad: without a square root on which everything would wait.
    let share = lost.div(length.max(tiny));
    let higher = L::splat(0.5).add(L::splat(0.375).mul(share));
    let mut stretch = one.add(share.mul(higher));
    let far = L::splat(4e-6).less(share);
    if L::bits(far) != 0 {
        let flat_length = dot(flat, flat);
        let whole = length.div(flat_length.max(tiny)).sqrt();
        let whole = whole.select(one, tiny.less(flat_length));
        stretch = whole.select(stretch, far);
    }
    map(flat, |x| x.mul(stretch))
}

#[inline(always)]
fn assemble<L: Lanes, W: Law>(
    law: &W,
    n: V3<L>,
    vt: V3<L>,
    part: &Normal<L>,
    touch: L::Mask,
    was_slipping: u8,
    history: V3<L>,
    timing: &Timing,
) -> Evaluated<L> {
    let zero = L::splat(0.0);
    let half = L::splat(0.5);
    let Normal {
        force: fnormal,
        damper,
        response,
        share,
        first,
        pressing,
        ..
    } = part;
    let kt = response.tangential_stiffness;
    let ct = response.tangential_damping;
    let old = laid_flat(history, n);
    let before = L::splat(timing.before * timing.step);
    let mut spring = zip(old, vt, |s, v| s.add(before.mul(v)));
    let mut ct_now = ct;
    if *first != 0 {
        let mask = L::mask(*first);
        let time = share.mul(L::splat(timing.step));
        spring = zip(spring, vt, |s, v| time.mul(v).select(s, mask));
        ct_now = ct.mul(share.add(half)).select(ct, mask);
    }
    let mut cap = L::splat(law.friction()).mul(*pressing);
    if W::COMPOSED && law.terms().spring_limited {
        let alone = map(spring, |s| kt.mul(s));
        let slides = cap.less(dot(alone, alone).sqrt());
        ct_now = zero.select(ct_now, slides);
        cap = cap.select(L::splat(f64::MAX), slides);
    }
    let trial = zip(spring, vt, |s, v| zero.sub(kt.mul(s).add(ct_now.mul(v))));
    let touch_bits = L::bits(touch);
    let after = L::splat(timing.after * timing.step);
    let square = dot(trial, trial);
    // Links well below the limits of sliding and of gripping again need no square root and no quotient; mostly all eight are.
    let below = cap.mul(L::splat((1.0 - timing.slip_tolerance) * (1.0 - 1e-9)));
    let near = L::bits(below.mul(below.abs()).less(square)) & touch_bits;
    let (tangential, kept, slip);
    if near == 0 {
        tangential = map(trial, |t| t.only(touch));
        kept = map(spring, |s| s.only(touch));
        slip = 0;
    } else {
        let size = square.sqrt();
        let over = cap.less(size);
        // Computes root and inverse independently instead of one after the other; the inverse stays finite.
        let one = L::splat(1.0);
        let inverse = one.div(square.max(L::splat(1e-300))).mul(size);
        let scale = cap.mul(inverse).select(one, over);
        tangential = map(trial, |t| t.mul(scale).only(touch));
        let inverse_kt = response.tangential_compliance;
        let slid = zip(tangential, vt, |t, v| {
            zero.sub(t.add(ct_now.mul(v))).mul(inverse_kt)
        });
        kept = zip(slid, spring, |k, s| k.select(s, over).only(touch));
        let high = L::bits(cap.mul(L::splat(1.0 + timing.slip_tolerance)).less(size));
        let low = L::bits(cap.mul(L::splat(1.0 - timing.slip_tolerance)).less(size));
        slip = (high | (was_slipping & low)) & touch_bits;
    }
    let history = zip(kept, vt, |k, v| k.add(after.mul(v)).only(touch));
    let work = zero.sub(dot(tangential, vt).mul(L::splat(timing.step)));
    let force = zip(n, tangential, |n, t| fnormal.mul(n).add(t));
    let damper_force = zip(n, tangential, |n, t| damper.mul(n).add(t));
    // Moment over radius: -n x F, to which the normal part does not contribute.
    let moment = cross(tangential, n);
    Evaluated {
        force,
        moment,
        damper: damper_force,
        history,
        work,
        touch: touch_bits,
        slip,
        turning: [zero; 3],
    }
}

/// Rows of the moments of rolling and twisting forces with the given arm.
#[inline(always)]
fn turned<L: Lanes>([x, y, z]: V3<L>, arm: L) -> [L; LANES] {
    let zero = L::splat(0.0);
    let (x, y, z) = (x.mul(arm), y.mul(arm), z.mul(arm));
    L::transpose([zero, zero, zero, zero, x, y, z, zero])
}

/// Eight contacts in space.
struct Meeting<L: Lanes> {
    /// From the second body to the first.
    normal: V3<L>,
    overlap: L,
    inverse_mass: L,
    radius: L,
    /// Velocity of the first body relative to the second.
    velocity: V3<L>,
    /// Sum of radii times spins.
    spin: V3<L>,
    touch: L::Mask,
}

impl<L: Lanes> Meeting<L> {
    /// Computes the forces of a law, updates springs and flags, and records a batch with changes.
    #[inline(always)]
    fn evaluate<W: Law>(
        self,
        law: &W,
        index: usize,
        history: &mut SpatialHistory,
        stiffness: Option<&mut Row>,
        flags: &mut Flags,
        changed: &mut Vec<Change>,
        timing: &Timing,
        turning: Option<Turning<'_, L, 3>>,
    ) -> Evaluated<L> {
        let (n, relative) = (self.normal, self.velocity);
        let speed = dot(relative, n);
        let rolled = cross(self.spin, n);
        let slide = |k: usize| relative[k].sub(speed.mul(n[k])).sub(rolled[k]);
        let vt = [slide(0), slide(1), slide(2)];
        let contact = Contact {
            overlap: self.overlap,
            inverse_mass: self.inverse_mass,
            radius: self.radius,
            speed,
            sliding: if W::NEEDS_SLIDING {
                dot(vt, vt).sqrt()
            } else {
                L::splat(0.0)
            },
        };
        let touch = self.touch;
        let opened = L::bits(touch) & !flags.touch;
        let mut deepest = L::splat(0.0);
        if let (true, Some(turning)) = (W::COMPOSED, &turning) {
            // For bodies that are apart it is 0, unless it was set.
            deepest = L::load(&turning.memory.deepest);
        }
        let part = normal(law, contact, speed, touch, opened, timing, &mut deepest);
        let lasting = lasting(stiffness, &part.response, touch);
        let mut old: V3<L> = load3(history);
        if W::STIFFENS {
            old = map(old, |s| s.mul(lasting));
        }
        let mut e = assemble(law, n, vt, &part, touch, flags.slip, old, timing);
        if let (true, Some(turning)) = (W::COMPOSED, turning) {
            let (speed, memory) = (turning.speed, turning.memory);
            deepest.only(touch).store(&mut memory.deepest);
            let twist = dot(speed, n);
            if let Some(rolling) = law.terms().rolling {
                let speed = zip(speed, n, |v, n| v.sub(twist.mul(n)));
                let old = laid_flat(load3(&memory.rolled), n);
                let out = resist(&rolling, &part, speed, old, lasting, touch, timing);
                store3(out.spring, &mut memory.rolled);
                e.work = e.work.add(out.work);
                e.turning = out.force;
            }
            if let Some(twisting) = law.terms().twisting {
                let old = [L::load(&memory.twisted)];
                let out = resist(&twisting, &part, [twist], old, lasting, touch, timing);
                out.spring[0].store(&mut memory.twisted);
                e.work = e.work.add(out.work);
                e.turning = zip(e.turning, n, |t, n| t.add(out.force[0].mul(n)));
            }
        }
        store3(e.history, history);
        let after = Flags {
            touch: e.touch,
            slip: e.slip,
        };
        flags.change(after, index, &contact, changed);
        e
    }
}

#[inline(always)]
fn load3<L: Lanes>(history: &SpatialHistory) -> V3<L> {
    [
        L::load(&history[0]),
        L::load(&history[1]),
        L::load(&history[2]),
    ]
}

#[inline(always)]
fn store3<L: Lanes>(values: V3<L>, history: &mut SpatialHistory) {
    values[0].store(&mut history[0]);
    values[1].store(&mut history[1]);
    values[2].store(&mut history[2]);
}

/// Computes forces of candidate pairs and adds them to the bodies' rows.
pub struct SpatialPairs<'a, W: Law, F: ForceRows> {
    /// Law of all these pairs.
    pub law: W,
    /// Rows of the bodies.
    pub rows: BodyRows<'a>,
    /// Rows of the spins.
    pub spins: BodyRows<'a>,
    /// The pairs.
    pub block: Block<'a, SpatialHistory, F>,
    /// Timing.
    pub timing: Timing,
    /// Contribution of links to the stress, if required.
    pub sums: Option<&'a mut CellSums>,
}

impl<W: Law, F: ForceRows> Kernel for SpatialPairs<'_, W, F> {
    type Output = f64;

    #[inline(always)]
    fn run<L: Lanes>(self) -> f64 {
        let SpatialPairs {
            law,
            rows,
            spins,
            block,
            timing,
            mut sums,
        } = self;
        let Block {
            batches,
            history,
            stiffness,
            memory,
            flags,
            changed,
            mut forces,
            mut dampers,
        } = block;
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
            let [first, second] = forces.places(batch);
            forces.ask::<L>(index);
            let a = L::gather(rows.firsts, &first);
            let b = L::gather(rows.seconds, &second);
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
            let [dx, dy, dz, radii, du, dv, dw, inverse_mass] = L::transpose(columns);
            let (d, velocity) = image([dx, dy, dz], [du, dv, dw], &timing);
            let square = dot(d, d);
            let touch = F::filled::<L>(batch, square.less(radii.mul(radii)));
            let touch_bits = L::bits(touch);
            if touch_bits | flags.touch == 0 {
                continue;
            }
            let square = square.max(tiny);
            let distance = square.sqrt();
            let inverse = one.div(square).mul(distance);
            let n = map(d, |x| x.mul(inverse));
            let a = L::gather(spins.firsts, &first);
            let b = L::gather(spins.seconds, &second);
            let pair = |k: usize| a[k].add(b[k]);
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
            let [sx, sy, sz, ..] = L::transpose(columns);
            let radius = if W::NEEDS_RADIUS {
                let ra: L = column(rows.firsts, &first, 3);
                let rb: L = column(rows.seconds, &second, 3);
                ra.mul(rb).div(radii.max(tiny))
            } else {
                zero
            };
            let overlap = radii.sub(distance);
            let meeting = Meeting {
                normal: n,
                overlap,
                inverse_mass,
                radius,
                velocity,
                spin: [sx, sy, sz],
                touch: if W::COMPOSED {
                    L::mask(held(&law, touch_bits, flags.touch, overlap, radius))
                } else {
                    touch
                },
            };
            let mut arms = [zero; 2];
            let mut turning = None;
            if W::COMPOSED {
                let ra: L = column(rows.firsts, &first, 3);
                let rb: L = column(rows.seconds, &second, 3);
                arms = [rb.div(radii.max(tiny)), ra.div(radii.max(tiny))];
                let mut speed = [zero; 3];
                for k in 0..3 {
                    let a = arms[0].mul(column(spins.firsts, &first, k));
                    speed[k] = a.sub(arms[1].mul(column(spins.seconds, &second, k)));
                }
                turning = Some(Turning {
                    speed,
                    memory: &mut memory[index],
                });
            }
            let before = known::<W>(stiffness, index);
            let e = meeting.evaluate(
                &law, index, history, before, flags, changed, &timing, turning,
            );
            work = work.add(e.work);
            if let Some(sums) = &mut sums {
                sums.add(d, e.force, e.damper);
            }
            let [fx, fy, fz] = e.force;
            let [tx, ty, tz] = e.moment;
            let mut out = L::transpose([fx, fy, fz, zero, tx, ty, tz, zero]);
            let mut back = opposite(&out, reaction);
            if W::COMPOSED {
                more(&mut out, turned(e.turning, arms[0]));
                more(&mut back, turned(e.turning, arms[1].mul(L::splat(-1.0))));
            }
            L::scatter_add(back, forces.seconds(), &second);
            L::scatter_add(out, forces.firsts(), &first);
            let [fx, fy, fz] = e.damper;
            let out = L::transpose([fx, fy, fz, zero, zero, zero, zero, zero]);
            L::scatter_add_low(opposite(&out, reaction), dampers.seconds(), &second);
            L::scatter_add_low(out, dampers.firsts(), &first);
        }
        work.total()
    }
}

/// Computes forces of candidate grains at one surface.
pub struct SpatialWalls<'a, W: Law> {
    /// Law of all these contacts.
    pub law: W,
    /// Rows of the bodies.
    pub rows: &'a [Row],
    /// Rows of the spins.
    pub spins: &'a [Row],
    /// Rows of the forces.
    pub forces: &'a mut [Row],
    /// Rows of the dampers' share.
    pub dampers: &'a mut [Row],
    /// Candidates, in `a`.
    pub batches: &'a [Batch],
    /// Tangential springs, m.
    pub history: &'a mut [SpatialHistory],
    /// As for pairs.
    pub stiffness: &'a mut [Row],
    /// Contact history of additional terms; empty if the law has none.
    pub memory: &'a mut [Memory],
    /// Flags.
    pub flags: &'a mut [Flags],
    /// Batches with changes.
    pub changed: &'a mut Vec<Change>,
    /// Timing.
    pub timing: Timing,
    /// The surface.
    pub geometry: WallGeometry<'a>,
    /// Reference point of moments.
    pub reference: [f64; 3],
    /// Angular velocity of the wall, rad/s.
    pub wall_spin: [f64; 3],
}

impl<W: Law> Kernel for SpatialWalls<'_, W> {
    type Output = WallSums;

    #[inline(always)]
    fn run<L: Lanes>(self) -> WallSums {
        let SpatialWalls {
            law,
            rows,
            spins,
            forces,
            dampers,
            batches,
            history,
            stiffness,
            memory,
            flags,
            changed,
            timing,
            geometry,
            reference,
            wall_spin,
        } = self;
        let zero = L::splat(0.0);
        let mut work = zero;
        let mut sum = [zero; 3];
        let mut sum_moment = [zero; 3];
        let (mut power, mut damper_power) = (zero, zero);
        let lanes = batches
            .iter()
            .zip(history.iter_mut())
            .zip(flags.iter_mut())
            .enumerate();
        for (index, ((batch, history), flags)) in lanes {
            let columns = L::gather(rows, &batch.a);
            let [x, y, z, radius, u, v, w, inverse_mass] = L::transpose(columns);
            let place = [x, y, z];
            let facing = geometry.facing(index, place);
            let (n, distance, wall) = (facing.normal, facing.distance, facing.velocity);
            let touch_bits = facing.touch(radius);
            if touch_bits | flags.touch == 0 {
                continue;
            }
            let columns = L::gather(spins, &batch.a);
            let [sx, sy, sz, ..] = L::transpose(columns);
            let overlap = radius.sub(distance);
            let lasting = flags.touch & facing.inside;
            let effective = facing.effective(radius);
            let touch = L::mask(held(&law, touch_bits, lasting, overlap, effective));
            let meeting = Meeting {
                normal: n,
                overlap,
                inverse_mass,
                radius: effective,
                velocity: zip([u, v, w], wall, |a, b| a.sub(b)),
                spin: [sx, sy, sz],
                touch,
            };
            let turning = if W::COMPOSED {
                let turned = |k: usize| radius.mul(L::splat(wall_spin[k]));
                Some(Turning {
                    speed: [sx.sub(turned(0)), sy.sub(turned(1)), sz.sub(turned(2))],
                    memory: &mut memory[index],
                })
            } else {
                None
            };
            let before = known::<W>(stiffness, index);
            let e = meeting.evaluate(
                &law, index, history, before, flags, changed, &timing, turning,
            );
            work = work.add(e.work);
            let arm = |k: usize| place[k].sub(n[k].mul(distance)).sub(L::splat(reference[k]));
            let arm = [arm(0), arm(1), arm(2)];
            let moment = cross(arm, e.force);
            for k in 0..3 {
                sum[k] = sum[k].add(e.force[k]);
                sum_moment[k] = sum_moment[k].add(moment[k].only(touch));
            }
            power = power.add(dot(e.force, wall).only(touch));
            damper_power = damper_power.add(dot(e.damper, wall).only(touch));
            let [fx, fy, fz] = e.force;
            let [mut tx, mut ty, mut tz] = e.moment;
            if W::COMPOSED {
                let [x, y, z] = e.turning;
                (tx, ty, tz) = (tx.add(x), ty.add(y), tz.add(z));
                for k in 0..3 {
                    let moment = e.turning[k].mul(radius);
                    let gives = moment.mul(L::splat(wall_spin[k]));
                    sum_moment[k] = sum_moment[k].add(moment);
                    power = power.add(gives);
                    damper_power = damper_power.add(gives);
                }
            }
            let out = L::transpose([fx, fy, fz, zero, tx, ty, tz, zero]);
            L::scatter_add(out, forces, &batch.a);
            let [fx, fy, fz] = e.damper;
            let out = L::transpose([fx, fy, fz, zero, zero, zero, zero, zero]);
            L::scatter_add_low(out, dampers, &batch.a);
        }
        WallSums {
            friction: work.total(),
            force: sum.map(Lanes::total),
            moment: sum_moment.map(Lanes::total),
            power: power.total(),
            damper_power: damper_power.total(),
        }
    }
}
