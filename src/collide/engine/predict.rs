//! Predicts the next event of a grain: the earliest of its collisions, its walls, and the faces of its cell.

use super::bent;
use super::cells::{Found, Scope};
use super::lists;
use super::state::{self, COUNT, RADIUS, SPEED, next};
use super::walls::Flyer;
use std::hint::select_unpredictable;

use super::Core;
use crate::geometry::path::{Path, parabola};
use crate::geometry::{Dimension, Vector};
use crate::vector::{LANES, Lanes};

/// A grain that was displaced by a contact.
#[derive(Clone, Copy, Debug)]
pub(super) struct Put<D: Dimension> {
    /// The other grain of the contact.
    pub(super) partner: u32,
    /// Former position of the grain, m.
    pub(super) from: D::Vector,
}

/// The next event of a grain.
#[derive(Clone, Copy, Debug)]
pub(super) struct Next {
    /// Time of the event, s from now.
    pub(super) after: f64,
    pub(super) with: u32,
}

impl<D: Dimension> Core<D> {
    /// Predicts the event of a grain from `now` on (s since the epoch) and inserts it into the
    /// queue. The scope may be a part of the cells only if the rest was searched since the grain's
    /// last collision.
    #[inline(always)]
    pub(super) fn predict<L: Lanes, const FULL: bool>(
        &mut self,
        grain: u32,
        now: f64,
        scope: Scope,
        found: &mut Found,
    ) {
        let nobody = Put {
            partner: grain,
            from: D::Vector::default(),
        };
        self.predict_put::<L, FULL, false>(grain, now, scope, found, &nobody);
    }
    /// The same for a grain that was displaced (`PUT`); returns whether another body occupies the
    /// place and is nearer than before.
    #[inline(always)]
    pub(super) fn predict_put<L: Lanes, const FULL: bool, const PUT: bool>(
        &mut self,
        grain: u32,
        now: f64,
        scope: Scope,
        found: &mut Found,
        put: &Put<D>,
    ) -> bool {
        let by_itself = self.by_itself::<FULL>(grain, now);
        let grains = self.around(grain, scope, found);
        let (mut hit, mut taken) = if FULL && bent::is_bent(self) {
            (self.bent_next(grain, now, grains), false)
        } else {
            let (lanes, taken) = self.meetings::<L, PUT>(grain, now, grains, put);
            (earliest(grain, grains, &lanes), taken)
        };
        self.count_look(grains.len());
        if FULL && self.shear.is_some() {
            self.meet_across(grain, now, scope, &mut hit);
            taken |= PUT && self.taken_across(grain, put, now);
        }
        self.put_down::<FULL>(grain, now, scope, by_itself, hit);
        taken
    }
    /// The same for the two grains of an event. Both predictions are computed before either is stored:
    /// each is a chain of dependent operations, and the processor runs one chain while the other waits.
    #[inline(always)]
    pub(super) fn predict_two<L: Lanes, const FULL: bool>(
        &mut self,
        [a, b]: [u32; 2],
        now: f64,
        found: &mut [Found; 2],
    ) {
        let nobody = Put {
            partner: a,
            from: D::Vector::default(),
        };
        let by_itself = [
            self.by_itself::<FULL>(a, now),
            self.by_itself::<FULL>(b, now),
        ];
        let [of_a, of_b] = found;
        let of_a = self.around(a, Scope::All, of_a);
        let of_b = self.around(b, Scope::All, of_b);
        let mut hits = if FULL && bent::is_bent(self) {
            [self.bent_next(a, now, of_a), self.bent_next(b, now, of_b)]
        } else {
            let (for_a, _) = self.meetings::<L, false>(a, now, of_a, &nobody);
            let (for_b, _) = self.meetings::<L, false>(b, now, of_b, &nobody);
            [earliest(a, of_a, &for_a), earliest(b, of_b, &for_b)]
        };
        let many = [of_a.len(), of_b.len()];
        self.count_look(many[0]);
        self.count_look(many[1]);
        if FULL && self.shear.is_some() {
            self.meet_across(a, now, Scope::All, &mut hits[0]);
            self.meet_across(b, now, Scope::All, &mut hits[1]);
        }
        self.put_down::<FULL>(a, now, Scope::All, by_itself[0], hits[0]);
        self.put_down::<FULL>(b, now, Scope::All, by_itself[1], hits[1]);
    }

    #[inline(always)]
    fn count_look(&mut self, grains: usize) {
        self.tally.work.predictions += 1;
        self.tally.work.tests += grains as u64;
    }

    /// The next event of a grain apart from collisions with grains.
    #[inline(always)]
    fn by_itself<const FULL: bool>(&mut self, grain: u32, now: f64) -> Next {
        let i = grain as usize;
        let at = self.bodies.slots[i].at;
        let mut next = match &self.lists {
            Some(lists) => Next {
                after: lists::leave(self, lists, i, now),
                with: next::FACE,
            },
            None => self.face::<FULL>(i, at, now),
        };
        if FULL
            && let Some(piece) = self.bent.pieces.get(i)
            && piece.end - now < next.after
        {
            next = Next {
                after: (piece.end - now).max(0.0),
                with: next::PIECE,
            };
        }
        let cell = self.cells.index(at);
        if self.walls.are_near(cell) {
            self.walls_next(i, cell, now, &mut next);
        }
        next
    }

    /// The first collision of a grain with an individual acceleration. The search covers its whole piece of path:
    /// grains that enter another cell on the piece are not searched for again where they were searched for already.
    #[inline(never)]
    fn bent_next(&self, grain: u32, now: f64, grains: &[u32]) -> Next {
        let until = self.bent.pieces[grain as usize].end - now;
        let (after, with) = bent::bent_meeting(self, grain, now, grains, until);
        Next { after, with }
    }

    /// Grains that a grain may collide with, in whole batches.
    #[inline(always)]
    fn around<'a>(&'a self, grain: u32, scope: Scope, found: &'a mut Found) -> &'a [u32] {
        let slot = &self.bodies.slots[grain as usize];
        match &self.lists {
            Some(lists) => &lists.entries[slot.span.batches()],
            None => {
                let n = self.cells.gather::<D>(slot.at, scope, found);
                // Padding with the grain itself is harmless: it neither approaches itself nor recedes.
                found.grains[n..n + LANES].fill(grain);
                &found.grains[..n.next_multiple_of(LANES)]
            }
        }
    }

    /// Stores the next event of a grain.
    #[inline(always)]
    fn put_down<const FULL: bool>(
        &mut self,
        grain: u32,
        now: f64,
        scope: Scope,
        by_itself: Next,
        hit: Next,
    ) {
        let count = self.bodies.rows[hit.with as usize].0[COUNT] as u32;
        let i = grain as usize;
        let slot = &mut self.bodies.slots[i];
        let (mut hit_time, mut hit, mut hit_count) = (now + hit.after, hit.with, count);
        if scope != Scope::All {
            let sooner = slot.hit_time <= hit_time;
            hit_time = select_unpredictable(sooner, slot.hit_time, hit_time);
            hit = select_unpredictable(sooner, slot.hit, hit);
            hit_count = select_unpredictable(sooner, slot.hit_count, hit_count);
        }
        slot.hit_time = hit_time;
        slot.hit = hit;
        slot.hit_count = hit_count;
        let time = now + by_itself.after;
        let sooner = hit_time < time;
        slot.time = select_unpredictable(sooner, hit_time, time);
        slot.event = select_unpredictable(sooner, next::HIT, by_itself.with);
        if FULL && let Some(held) = self.held.get(i) {
            let ends = held.end <= slot.time;
            slot.time = select_unpredictable(ends, held.end, slot.time);
            slot.event =
                select_unpredictable(ends && held.end < f64::INFINITY, next::END, slot.event);
        }
        if FULL
            && let Some(shear) = &self.shear
            && let Some(&look) = shear.looks.get(i)
            && look < slot.time
        {
            slot.time = look;
            slot.event = next::LOOK;
        }
        let time = slot.time;
        if time < f64::INFINITY {
            self.calendar.push(time, grain);
        }
    }

    /// Time at which a grain leaves its cell, and the face.
    #[inline(always)]
    fn face<const FULL: bool>(&self, i: usize, at: [u16; 3], now: f64) -> Next {
        let pull = if FULL {
            bent::pull(self, i)
        } else {
            self.gravity
        };
        let row = &self.bodies.rows[i].0;
        let mut next = Next {
            after: f64::INFINITY,
            with: next::NONE,
        };
        for k in 0..D::N {
            let ends = &self.cells.ends[k][at[k] as usize];
            let v = row[SPEED + k] + pull[k] * now;
            let x = row[k] + (row[SPEED + k] + 0.5 * pull[k] * now) * now;
            let (after, up) = if pull[k] == 0.0 {
                let up = v > 0.0;
                // Beyond the end by rounding: at once. At rest: never.
                let time = (ends[usize::from(up)] - x) / v;
                let time = if time > 0.0 { time } else { 0.0 };
                (if v == 0.0 { f64::INFINITY } else { time }, up)
            } else {
                face_falling(x, v, pull[k], ends[0], ends[1])
            };
            let with = next::FACE + 2 * k as u32 + u32::from(up);
            let sooner = after < next.after;
            next.after = select_unpredictable(sooner, after, next.after);
            next.with = select_unpredictable(sooner, with, next.with);
        }
        next
    }

    /// A grain in the form that walls require.
    pub(super) fn flyer(&self, i: usize, now: f64) -> Flyer<D> {
        let (position, velocity) = bent::state_at(self, i, now);
        Flyer {
            path: Path {
                position,
                velocity,
                acceleration: bent::pull(self, i),
            },
            radius: self.bodies.rows[i].0[RADIUS],
            clock: self.clock.epoch + now,
        }
    }

    /// Finds the walls that a grain in a cell can meet.
    #[inline(never)]
    fn walls_next(&mut self, i: usize, cell: u32, now: f64, next: &mut Next) {
        let grain = self.flyer(i, now);
        let tests = &mut self.tally.work.wall_tests;
        if let Some((after, with)) = self.walls.first(cell, &grain, next.after, tests) {
            *next = Next { after, with };
        }
    }

    /// Times at which a grain meets those of `grains` (whole batches), s from now, infinite if
    /// never: in each lane the earliest time, and the number of its batch, as bits.
    ///
    /// The relative path is straight for each (gravity cancels): with d and v the present relative
    /// position and velocity, s the sum of radii, a = v^2, b = d v, c = d^2 - s^2, the grains touch
    /// after c / (-b + sqrt(b^2 - a c)) if b < 0 and the root is real (thesis eqs. 3.7, 3.8, in the
    /// form without cancellation). An overlap by rounding counts as zero: approaching grains then
    /// touch now, receding ones do not touch (Bannerman et al. 2014). An approach slower than four
    /// units in the last place of the speeds is ignored: no impulse could reverse it. All lanes are
    /// solved and masked, none is rejected early: a branch costs more than the root.
    #[inline(always)]
    fn meetings<L: Lanes, const PUT: bool>(
        &self,
        grain: u32,
        now: f64,
        grains: &[u32],
        put: &Put<D>,
    ) -> ([L; 2], bool) {
        let (mut taken, clock) = (false, now);
        let mut me = self.bodies.rows[grain as usize];
        me.0[RADIUS] = -me.0[RADIUS];
        let me = L::load(&me);
        let now = L::splat(now);
        let zero = L::splat(0.0);
        let noise = L::splat(-16.0 * f64::EPSILON * f64::EPSILON);
        let speed = state::speed::<D>(&self.bodies.rows[grain as usize]);
        let own = L::splat(speed.norm_squared());
        let never = L::splat(f64::INFINITY);
        let (mut first, mut which) = (never, zero);
        for (number, batch) in grains.as_chunks::<LANES>().0.iter().enumerate() {
            // No closures here: they would not be compiled for the vector units.
            let mut rows = L::gather(&self.bodies.rows, batch);
            for row in &mut rows {
                *row = row.sub(me);
            }
            let [x, y, z, sum, u, v, w, _] = L::transpose(rows);
            let dx = self.nearest::<L>(0, x.add(u.mul(now)));
            let dy = self.nearest::<L>(1, y.add(v.mul(now)));
            let (mut a, mut b) = (u.mul(u).add(v.mul(v)), dx.mul(u).add(dy.mul(v)));
            let mut c = dx.mul(dx).add(dy.mul(dy));
            if D::N == 3 {
                let dz = self.nearest::<L>(2, z.add(w.mul(now)));
                a = a.add(w.mul(w));
                b = b.add(dz.mul(w));
                c = c.add(dz.mul(dz));
            }
            // Rounding errors of velocities do not count as an approach.
            let floor = c.mul(a.add(own)).mul(noise);
            let c = c.sub(sum.mul(sum));
            if PUT {
                let mut near = L::bits(c.less(zero));
                while near != 0 {
                    let other = batch[near.trailing_zeros() as usize];
                    near &= near - 1;
                    if other != grain && other != put.partner {
                        taken |= self.comes_nearer(grain, put.from, other, clock);
                    }
                }
            }
            let c = c.max(zero);
            let square = b.mul(b).sub(a.mul(c));
            let time = c.div(square.max(zero).sqrt().sub(b));
            let time = time.select(never, b.mul(b.abs()).less(floor));
            let time = time.select(never, zero.less(square));
            let earlier = time.less(first);
            first = time.select(first, earlier);
            // Number of the batch, as bits.
            which = L::splat(f64::from_bits(number as u64)).select(which, earlier);
        }
        ([first, which], taken)
    }

    /// The nearest periodic image along an axis.
    #[inline(always)]
    pub(super) fn nearest<L: Lanes>(&self, axis: usize, d: L) -> L {
        let (length, half) = (
            L::splat(self.space.lengths[axis]),
            L::splat(self.space.halves[axis]),
        );
        let above = half.less(d);
        let below = d.less(half.flip(L::splat(-0.0)));
        d.sub(length.only(above)).add(length.only(below))
    }
}

/// Time at which a falling grain leaves the interval from `low` to `high`, and whether upwards.
fn face_falling(x: f64, v: f64, g: f64, low: f64, high: f64) -> (f64, bool) {
    let time = |gap: f64, rate: f64, acceleration: f64| {
        if gap.is_finite() {
            parabola(gap, rate, acceleration).unwrap_or(f64::INFINITY)
        } else {
            f64::INFINITY
        }
    };
    let down = time(x - low, v, g);
    let up = time(high - x, -v, -g);
    if up < down { (up, true) } else { (down, false) }
}

/// The earliest event that the lanes found among `grains`, whole batches.
#[inline(always)]
fn earliest<L: Lanes>(grain: u32, grains: &[u32], &[first, which]: &[L; 2]) -> Next {
    // Minimum over the lanes, without a branch that the processor might mispredict.
    let f = first.to_array();
    let least = |a: f64, b: f64| if a < b { a } else { b };
    let best = least(
        least(least(f[0], f[1]), least(f[2], f[3])),
        least(least(f[4], f[5]), least(f[6], f[7])),
    );
    let reached = !L::bits(L::splat(best).less(first));
    let lane = reached.trailing_zeros() as usize % LANES;
    let which = which.to_array();
    if grains.is_empty() {
        return Next {
            after: f64::INFINITY,
            with: grain,
        };
    }
    let mut other = grains[which[lane].to_bits() as usize * LANES + lane];
    // One branch, hardly ever taken: a branch on an infinite time would be mispredicted.
    if (reached & (reached - 1) != 0) & (best < f64::INFINITY) {
        other = lowest(reached, &which, grains);
    }
    Next {
        after: best,
        with: other,
    }
}

/// Among several grains at the same time, the one with the lowest slot.
#[cold]
#[inline(never)]
fn lowest(reached: u8, which: &[f64; LANES], grains: &[u32]) -> u32 {
    (0..LANES)
        .filter(|lane| reached >> lane & 1 == 1)
        .map(|lane| grains[which[lane].to_bits() as usize * LANES + lane])
        .fold(next::NONE, u32::min)
}
