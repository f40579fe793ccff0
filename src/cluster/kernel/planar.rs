//! The planar kernel.
//!
//! Row of a body: x, y, arc (radius times angle), radius, vx, vy, s (radius times spin), 1/mass.
//! With s as the state both partners have the same spin term, and one difference of two rows gives
//! all data of a pair. Row of forces: Fx, Fy, T, 0 of the total force and the same of the forces
//! that remove mechanical energy other than normal springs: normal dampers and all tangential
//! forces. T is the moment over the radius.

use super::surface::{Facing, WallGeometry, WallSums};
use super::turning::{Turning, column, resist};
use super::{
    Batch, Block, BodyRows, Change, Flags, ForceRows, Memory, Normal, Timing, held, image, known,
    lasting, more, normal, opposite,
};
use crate::cluster::cell::CellSums;
use crate::contact::{Contact, Law};
use crate::vector::{Kernel, Lanes, Row};

const N: f64 = -0.0;
/// Signs of the second body: positions and velocities are subtracted, radii, spins and inverse
/// masses added.
const DIFFERENCE: Row = Row([N, N, N, 0.0, N, N, 0.0, 0.0]);
/// Signs of the force on the second body: moments over radii are equal.
const REACTION: Row = Row([N, N, 0.0, 0.0, N, N, 0.0, 0.0]);

/// Results of eight contacts.
pub(super) struct Evaluated<L: Lanes> {
    pub force: [L; 3],
    pub damper: [L; 3],
    pub history: L,
    pub work: L,
    pub touch: u8,
    pub slip: u8,
    /// Force against rolling, N: its moment is this times the effective radius (laws with additional terms).
    pub rolling: L,
}

/// Computes the tangential part and assembles the forces; `n` points from the second body to the first.
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
        pressing,
        ..
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
    let mut drag = weight_ct.mul(vt);
    let mut cap = L::splat(law.friction()).mul(*pressing);
    if W::COMPOSED && law.terms().spring_limited {
        let slides = cap.less(kt.mul(spring).abs());
        drag = zero.select(drag, slides);
        cap = cap.select(L::splat(f64::MAX), slides);
    }
    let trial = zero.sub(kt.mul(spring).add(drag));
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
        rolling: zero,
    }
}

/// Eight contacts in the plane, of any bodies that are circular at the contact.
pub(super) struct Meeting<L: Lanes> {
    /// From the second body to the first.
    pub normal: [L; 2],
    pub overlap: L,
    pub inverse_mass: L,
    /// Effective radius; only if the law requires it.
    pub radius: L,
    /// Velocity of the first body's centre of curvature relative to the second's.
    pub velocity: [L; 2],
    /// Sum of radii times spins.
    pub spin: L,
    pub touch: L::Mask,
}

impl<L: Lanes> Meeting<L> {
    /// Computes the forces of a law, updates springs and flags, and records a batch with changes.
    #[inline(always)]
    pub fn evaluate<W: Law>(
        self,
        law: &W,
        index: usize,
        history: &mut Row,
        stiffness: Option<&mut Row>,
        flags: &mut Flags,
        changed: &mut Vec<Change>,
        timing: &Timing,
        turning: Option<Turning<'_, L, 1>>,
    ) -> Evaluated<L> {
        let ([nx, ny], [du, dv]) = (self.normal, self.velocity);
        let speed = du.mul(nx).add(dv.mul(ny));
        let sliding = dv.mul(nx).sub(du.mul(ny)).sub(self.spin);
        let contact = Contact {
            overlap: self.overlap,
            inverse_mass: self.inverse_mass,
            radius: self.radius,
            speed,
            sliding: if W::NEEDS_SLIDING {
                sliding.abs()
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
        let mut old = L::load(history);
        if W::STIFFENS {
            old = old.mul(lasting);
        }
        let mut e = assemble(law, nx, ny, sliding, &part, touch, flags.slip, old, timing);
        if let (true, Some(turning)) = (W::COMPOSED, turning) {
            deepest.only(touch).store(&mut turning.memory.deepest);
            if let Some(rolling) = law.terms().rolling {
                let old = [L::load(&turning.memory.rolled[0])];
                let out = resist(&rolling, &part, turning.speed, old, lasting, touch, timing);
                out.spring[0].store(&mut turning.memory.rolled[0]);
                e.work = e.work.add(out.work);
                e.rolling = out.force[0];
            }
        }
        e.history.store(history);
        let after = Flags {
            touch: e.touch,
            slip: e.slip,
        };
        flags.change(after, index, &contact, changed);
        e
    }
}

/// Forces on a wall, summed over batches.
pub(super) struct PlanarSums<L: Lanes> {
    reference: [L; 2],
    work: L,
    force: [L; 2],
    moment: L,
    power: L,
    damper_power: L,
}

impl<L: Lanes> PlanarSums<L> {
    /// Sums with moments about a point.
    #[inline(always)]
    pub fn new(reference: [f64; 3]) -> Self {
        let zero = L::splat(0.0);
        PlanarSums {
            reference: [L::splat(reference[0]), L::splat(reference[1])],
            work: zero,
            force: [zero; 2],
            moment: zero,
            power: zero,
            damper_power: zero,
        }
    }

    /// Adds eight contacts of circles about `centre`.
    #[inline(always)]
    pub fn add(&mut self, centre: [L; 2], facing: &Facing<L, 2>, e: &Evaluated<L>) {
        let ([fx, fy, _], [ex, ey, _]) = (e.force, e.damper);
        let ([nx, ny], [wx, wy]) = (facing.normal, facing.velocity);
        let touch = L::mask(e.touch);
        // The contact point is on the wall, at `distance` from the centre.
        let arm_x = centre[0]
            .sub(nx.mul(facing.distance))
            .sub(self.reference[0]);
        let arm_y = centre[1]
            .sub(ny.mul(facing.distance))
            .sub(self.reference[1]);
        self.work = self.work.add(e.work);
        self.force[0] = self.force[0].add(fx);
        self.force[1] = self.force[1].add(fy);
        self.moment = self
            .moment
            .add(arm_x.mul(fy).sub(arm_y.mul(fx)).only(touch));
        self.power = self.power.add(fx.mul(wx).add(fy.mul(wy)).only(touch));
        self.damper_power = self
            .damper_power
            .add(ex.mul(wx).add(ey.mul(wy)).only(touch));
    }

    /// Adds separate moments on grains, N m.
    #[inline(always)]
    pub fn turn(&mut self, moment: L, spin: f64) {
        let power = moment.mul(L::splat(spin));
        self.moment = self.moment.add(moment);
        self.power = self.power.add(power);
        self.damper_power = self.damper_power.add(power);
    }

    #[inline(always)]
    pub fn total(self) -> WallSums {
        WallSums {
            friction: self.work.total(),
            force: [self.force[0].total(), self.force[1].total(), 0.0],
            moment: [0.0, 0.0, self.moment.total()],
            power: self.power.total(),
            damper_power: self.damper_power.total(),
        }
    }
}

/// Computes forces of candidate pairs and adds them to the bodies' rows.
pub struct PlanarPairs<'a, W: Law, F: ForceRows> {
    /// Law of all these pairs.
    pub law: W,
    /// Rows of the bodies.
    pub rows: BodyRows<'a>,
    /// The pairs.
    pub block: Block<'a, Row, F>,
    /// Timing.
    pub timing: Timing,
    /// Contribution of links to the stress, if required.
    pub sums: Option<&'a mut CellSums>,
}

impl<W: Law, F: ForceRows> Kernel for PlanarPairs<'_, W, F> {
    type Output = f64;

    #[inline(always)]
    fn run<L: Lanes>(self) -> f64 {
        let PlanarPairs {
            law,
            rows,
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
            ..
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
            let [dx, dy, _, radii, du, dv, spin, inverse_mass] = L::transpose(columns);
            let ([dx, dy], [du, dv]) = image([dx, dy], [du, dv], &timing);
            let square = dx.mul(dx).add(dy.mul(dy));
            let touch = F::filled::<L>(batch, square.less(radii.mul(radii)));
            let touch_bits = L::bits(touch);
            if touch_bits | flags.touch == 0 {
                continue;
            }
            // Computes root and inverse independently instead of one after the other.
            let square = square.max(tiny);
            let distance = square.sqrt();
            let inverse = one.div(square).mul(distance);
            let (nx, ny) = (dx.mul(inverse), dy.mul(inverse));
            let radius = if W::NEEDS_RADIUS {
                let ra: L = column(rows.firsts, &first, 3);
                let rb: L = column(rows.seconds, &second, 3);
                ra.mul(rb).div(radii.max(tiny))
            } else {
                zero
            };
            let overlap = radii.sub(distance);
            let meeting = Meeting {
                normal: [nx, ny],
                overlap,
                inverse_mass,
                radius,
                velocity: [du, dv],
                spin,
                touch: if W::COMPOSED {
                    L::mask(held(&law, touch_bits, flags.touch, overlap, radius))
                } else {
                    touch
                },
            };
            let arms = if W::COMPOSED {
                let ra: L = column(rows.firsts, &first, 3);
                let rb: L = column(rows.seconds, &second, 3);
                [rb.div(radii.max(tiny)), ra.div(radii.max(tiny))]
            } else {
                [zero; 2]
            };
            let turning = if W::COMPOSED {
                let a = arms[0].mul(column(rows.firsts, &first, 6));
                let b = arms[1].mul(column(rows.seconds, &second, 6));
                Some(Turning {
                    speed: [a.sub(b)],
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
            let [fx, fy, t] = e.force;
            let [ex, ey, u] = e.damper;
            if let Some(sums) = &mut sums {
                sums.add([dx, dy], [fx, fy], [ex, ey]);
            }
            let mut out = L::transpose([fx, fy, t, zero, ex, ey, u, zero]);
            let mut back = opposite(&out, reaction);
            if W::COMPOSED {
                let turned = |moment: L| {
                    let rows = [zero, zero, moment, zero, zero, zero, moment, zero];
                    L::transpose(rows)
                };
                more(&mut out, turned(e.rolling.mul(arms[0])));
                more(&mut back, turned(zero.sub(e.rolling.mul(arms[1]))));
            }
            L::scatter_add(back, forces.seconds(), &second);
            L::scatter_add(out, forces.firsts(), &first);
        }
        work.total()
    }
}

/// Computes forces of candidate grains at one surface.
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
        let mut sums = PlanarSums::new(reference);
        let lanes = batches
            .iter()
            .zip(history.iter_mut())
            .zip(flags.iter_mut())
            .enumerate();
        for (index, ((batch, history), flags)) in lanes {
            let columns = L::gather(rows, &batch.a);
            let [x, y, _, radius, u, v, spin, inverse_mass] = L::transpose(columns);
            let facing = geometry.facing(index, [x, y]);
            let touch_bits = facing.touch(radius);
            if touch_bits | flags.touch == 0 {
                continue;
            }
            let overlap = radius.sub(facing.distance);
            let effective = facing.effective(radius);
            let meeting = Meeting {
                normal: facing.normal,
                overlap,
                inverse_mass,
                radius: effective,
                velocity: [u.sub(facing.velocity[0]), v.sub(facing.velocity[1])],
                spin,
                touch: L::mask(held(
                    &law,
                    touch_bits,
                    flags.touch & facing.inside,
                    overlap,
                    effective,
                )),
            };
            let turning = if W::COMPOSED {
                let wall = radius.mul(L::splat(wall_spin[0]));
                Some(Turning {
                    speed: [spin.sub(wall)],
                    memory: &mut memory[index],
                })
            } else {
                None
            };
            let before = known::<W>(stiffness, index);
            let e = meeting.evaluate(
                &law, index, history, before, flags, changed, &timing, turning,
            );
            sums.add([x, y], &facing, &e);
            let [fx, fy, mut t] = e.force;
            let [ex, ey, mut s] = e.damper;
            if W::COMPOSED {
                t = t.add(e.rolling);
                s = s.add(e.rolling);
                sums.turn(e.rolling.mul(radius), wall_spin[0]);
            }
            let out = L::transpose([fx, fy, t, zero, ex, ey, s, zero]);
            L::scatter_add(out, forces, &batch.a);
        }
        sums.total()
    }
}
