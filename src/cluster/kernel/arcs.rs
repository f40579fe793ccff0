//! The planar kernels of grains of arcs.
//!
//! A lane refers to arcs. The circle of an arc is computed from the row of its grain, and force and
//! moment are added to that row: nothing is stored per arc and step. A pair of arcs touches if the
//! line of their centres passes through both. The kernel reports lanes of which that is no longer
//! true, skips their batches, and evaluates them once other arcs are found (`facing`).

use super::planar::{Meeting, PlanarSums};
use super::{Batch, Change, Flags, Timing, WallGeometry, WallSums, known, nearest_image};
use crate::contact::Law;
use crate::vector::{Kernel, LANES, Lanes, Row, sincos};

/// Row of a whole grain of arcs in the table of arcs; row 0 is a ball. Both are circles about the centre.
pub const WHOLE: u32 = 1;

/// Joints belong to both arcs: rounding there must not cause a switch to and fro.
pub const HAIR: f64 = -1e-14;

/// Data of kernels about the arcs of grains.
#[derive(Clone, Debug, Default)]
pub struct Arcs {
    /// By slot: that of its grain, and the row of its arc.
    pub place: Vec<[u32; 2]>,
    /// By slot of a grain: sine and cosine of its orientation.
    pub turns: Vec<[f64; 2]>,
    /// Arcs of all forms, over the radius of the grain: centre (2), radius, its excess over the
    /// smallest radius of the form, directions of the beginning (2) and of the end (2). The first
    /// rows are a ball, and a whole grain (marked by a negative fourth column).
    pub rows: Vec<Row>,
    /// Slots of grains of arcs.
    pub grains: Vec<u32>,
    /// By class of pairs and batch: grains and arcs of the lanes; rebuilt if the number differs from that of batches.
    pub named: Vec<Vec<Named>>,
}

/// Grains and rows of arcs of the lanes of a batch.
#[derive(Clone, Copy, Debug)]
pub struct Named {
    /// Slots of the grains, first bodies and second.
    pub grains: [[u32; LANES]; 2],
    /// Rows of the arcs.
    pub rows: [[u32; LANES]; 2],
}

impl Named {
    /// From a batch and the table of places.
    pub fn new(batch: &Batch, place: &[[u32; 2]]) -> Self {
        let of = |slots: &[u32; LANES], k: usize| slots.map(|slot| place[slot as usize][k]);
        Named {
            grains: [of(&batch.a, 0), of(&batch.b, 0)],
            rows: [of(&batch.a, 1), of(&batch.b, 1)],
        }
    }
}

/// Computes the orientations of grains of arcs from their rows.
pub struct ArcTurns<'a> {
    /// Rows of the bodies.
    pub rows: &'a [Row],
    /// Slots of the grains.
    pub grains: &'a [u32],
    /// By slot: sine and cosine.
    pub turns: &'a mut [[f64; 2]],
}

impl Kernel for ArcTurns<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let (full, rest) = self.grains.as_chunks::<LANES>();
        for slots in full {
            turn_eight::<L>(self.rows, slots, LANES, self.turns);
        }
        if !rest.is_empty() {
            let mut slots = [0; LANES];
            slots[..rest.len()].copy_from_slice(rest);
            turn_eight::<L>(self.rows, &slots, rest.len(), self.turns);
        }
    }
}

#[inline(always)]
fn turn_eight<L: Lanes>(rows: &[Row], slots: &[u32; LANES], count: usize, turns: &mut [[f64; 2]]) {
    // One by one is faster than transposing whole rows; a closure might not be inlined with vector
    // units enabled.
    let (mut arc, mut radius) = ([0.0; LANES], [0.0; LANES]);
    for (lane, &slot) in slots.iter().enumerate() {
        let row = &rows[slot as usize].0;
        (arc[lane], radius[lane]) = (row[2], row[3]);
    }
    let (arc, radius) = (L::from_array(arc), L::from_array(radius));
    // Emptied slots have no radius.
    let angle = arc.div(radius).only(L::splat(0.0).less(radius));
    let [sine, cosine] = sincos(angle);
    let (sine, cosine) = (sine.to_array(), cosine.to_array());
    for lane in 0..count {
        turns[slots[lane] as usize] = [sine[lane], cosine[lane]];
    }
}

/// Eight circles: of arcs, or of balls.
struct Circles<L: Lanes> {
    middle: [L; 2],
    radius: L,
    velocity: [L; 2],
    spin: L,
    inverse_mass: L,
    sine: L,
    cosine: L,
    /// Vector from the centre of the grain to that of the arc, over the grain's radius.
    arm: [L; 2],
    /// Radius of the arc, over the grain's.
    share: L,
    /// Excess over the smallest radius of the grain, over the grain's radius; negative for whole grains.
    excess: L,
    ends: [L; 4],
}

impl<L: Lanes> Circles<L> {
    #[inline(always)]
    fn new(arcs: &Arcs, rows: &[Row], grain: &[u32; LANES], part: &[u32; LANES]) -> Self {
        let [x, y, _, radius, u, v, spin, inverse_mass] = L::transpose(L::gather(rows, grain));
        let [sine, cosine] = L::gather_two(&arcs.turns, grain);
        let [cx, cy, share, excess, bx, by, ex, ey] = L::transpose(L::gather(&arcs.rows, part));
        Circles {
            middle: [x, y],
            radius,
            velocity: [u, v],
            spin,
            inverse_mass,
            sine,
            cosine,
            arm: [
                cosine.mul(cx).sub(sine.mul(cy)),
                sine.mul(cx).add(cosine.mul(cy)),
            ],
            share,
            excess,
            ends: [bx, by, ex, ey],
        }
    }

    /// Position of a direction within the arc: the lesser of two cross products, negative beyond an
    /// end; 0 for balls.
    #[inline(always)]
    fn within(&self, x: L, y: L) -> L {
        let own = [
            self.cosine.mul(x).add(self.sine.mul(y)),
            self.cosine.mul(y).sub(self.sine.mul(x)),
        ];
        let [bx, by, ex, ey] = self.ends;
        let after = bx.mul(own[1]).sub(by.mul(own[0]));
        let before = own[0].mul(ey).sub(own[1].mul(ex));
        after.min(before)
    }

    /// Velocity of the centre of the arc.
    #[inline(always)]
    fn speed(&self) -> [L; 2] {
        [
            self.velocity[0].sub(self.spin.mul(self.arm[1])),
            self.velocity[1].add(self.spin.mul(self.arm[0])),
        ]
    }

    /// Moment of a force at the centre of the arc about that of the grain, over the grain's radius.
    #[inline(always)]
    fn moment(&self, x: L, y: L) -> L {
        self.arm[0].mul(y).sub(self.arm[1].mul(x))
    }
}

/// Computes forces of candidate pairs with arcs and adds them to the rows of grains.
pub struct ArcPairs<'a, W: Law> {
    /// Law of all these pairs.
    pub law: W,
    /// Rows of the bodies.
    pub rows: &'a [Row],
    /// Arcs.
    pub arcs: &'a Arcs,
    /// Rows of the forces.
    pub forces: &'a mut [Row],
    /// Candidates.
    pub named: &'a [Named],
    /// Displacement since the lists were filtered, m; infinite if no batch may be skipped.
    pub way: f64,
    /// For each batch: the displacement up to which none of its pairs can touch, m.
    pub quiet: &'a mut [f64],
    /// Tangential springs, m.
    pub history: &'a mut [Row],
    /// Tangential stiffnesses at the previous evaluation, N/m; empty if the stiffness of the law is constant.
    pub stiffness: &'a mut [Row],
    /// Flags.
    pub flags: &'a mut [Flags],
    /// Batches with changes.
    pub changed: &'a mut Vec<Change>,
    /// Timing.
    pub timing: Timing,
    /// Batches to process, in which all arcs face each other; if none are given, all batches.
    pub sure: Option<&'a [(u32, u8)]>,
    /// Batches skipped, and their lanes with arcs that do not face each other.
    pub astray: &'a mut Vec<(u32, u8)>,
}

impl<W: Law> Kernel for ArcPairs<'_, W> {
    type Output = f64;

    #[inline(always)]
    fn run<L: Lanes>(self) -> f64 {
        let ArcPairs {
            law,
            rows,
            arcs,
            forces,
            named,
            way,
            quiet,
            history,
            stiffness,
            flags,
            changed,
            timing,
            sure,
            astray,
        } = self;
        let zero = L::splat(0.0);
        let one = L::splat(1.0);
        let tiny = L::splat(1e-300);
        let hair = L::splat(HAIR);
        let minus = L::splat(-0.0);
        // All columns of both halves of a row except the fourth.
        let three = L::mask(0b0111_0111);
        let reaction = L::from_array([-0.0, -0.0, 0.0, 0.0, -0.0, -0.0, 0.0, 0.0]);
        let mut work = zero;
        let count = sure.map_or(named.len(), <[_]>::len);
        for k in 0..count {
            let index = sure.map_or(k, |some| some[k].0 as usize);
            if way < quiet[index] {
                continue;
            }
            let (history, flags) = (&mut history[index], &mut flags[index]);
            let Named {
                grains: [first, second],
                rows: [arc, other],
            } = &named[index];
            let a = Circles::<L>::new(arcs, rows, first, arc);
            let b = Circles::<L>::new(arcs, rows, second, other);
            let apart = [a.middle[0].sub(b.middle[0]), a.middle[1].sub(b.middle[1])];
            let apart = nearest_image(apart, timing.periodic);
            let line = |k: usize| {
                apart[k]
                    .add(a.radius.mul(a.arm[k]))
                    .sub(b.radius.mul(b.arm[k]))
            };
            let (dx, dy) = (line(0), line(1));
            let square = dx.mul(dx).add(dy.mul(dy));
            let (ra, rb) = (a.radius.mul(a.share), b.radius.mul(b.share));
            let radii = ra.add(rb);
            let touch = square.less(radii.mul(radii));
            let touch_bits = L::bits(touch);
            if sure.is_none() {
                // Arcs on the far sides pass the first test too, with a large overlap. A circle of the
                // smallest radii of both rolls freely inside the sum of the one and the mirrored other
                // (Blaschke 1916): no other pair is nearer than one with less overlap than that.
                let within = a
                    .within(dx.flip(minus), dy.flip(minus))
                    .min(b.within(dx, dy));
                let least = a.radius.mul(a.excess).add(b.radius.mul(b.excess));
                let far = L::bits(square.less(least.mul(least))) & L::bits(zero.less(least));
                let whole = L::bits(a.excess.min(b.excess).less(zero));
                let gone = L::bits(within.less(hair)) | far | whole & (touch_bits | flags.touch);
                if gone != 0 {
                    astray.push((index as u32, gone));
                    continue;
                }
            }
            let square = square.max(tiny);
            let distance = square.sqrt();
            if touch_bits | flags.touch == 0 {
                let gap = distance.sub(radii);
                let gap = gap.select(L::splat(f64::INFINITY), zero.less(radii));
                let least = gap.to_array().into_iter().fold(f64::INFINITY, f64::min);
                // Both approach by at most that displacement; slightly less, for rounding.
                if way < f64::INFINITY {
                    quiet[index] = way + 0.499 * least;
                }
                continue;
            }
            let inverse = one.div(square).mul(distance);
            let (nx, ny) = (dx.mul(inverse), dy.mul(inverse));
            let (va, vb) = (a.speed(), b.speed());
            let spin = a.spin.mul(a.share).add(b.spin.mul(b.share));
            // The radii of the grains, not of the arcs: the force must be continuous where one arc ends.
            let radius = if W::NEEDS_RADIUS {
                let sum = a.radius.add(b.radius);
                a.radius.mul(b.radius).div(sum.max(tiny))
            } else {
                zero
            };
            let meeting = Meeting {
                normal: [nx, ny],
                overlap: radii.sub(distance),
                inverse_mass: a.inverse_mass.add(b.inverse_mass),
                radius,
                velocity: [va[0].sub(vb[0]), va[1].sub(vb[1])],
                spin,
                touch,
            };
            let before = known::<W>(stiffness, index);
            let e = meeting.evaluate(&law, index, history, before, flags, changed, &timing, None);
            work = work.add(e.work);
            let ([fx, fy, t], [gx, gy, s]) = (e.force, e.damper);
            let at_a = |x: L, y: L, t: L| a.moment(x, y).add(a.share.mul(t));
            let at_b = |x: L, y: L, t: L| b.share.mul(t).sub(b.moment(x, y));
            // Moments on both side by side, so that one transposition makes the rows.
            let out = L::transpose([
                fx,
                fy,
                at_a(fx, fy, t),
                at_b(fx, fy, t),
                gx,
                gy,
                at_a(gx, gy, s),
                at_b(gx, gy, s),
            ]);
            let (mut on, mut back) = (out, out);
            for lane in 0..LANES {
                on[lane] = out[lane].only(three);
                back[lane] = out[lane].exchanged().only(three).flip(reaction);
            }
            L::scatter_add(on, forces, first);
            L::scatter_add(back, forces, second);
        }
        work.total()
    }
}

/// Computes forces of candidate grains with arcs at one surface.
pub struct ArcWalls<'a, W: Law> {
    /// Law of all these contacts.
    pub law: W,
    /// Rows of the bodies.
    pub rows: &'a [Row],
    /// Arcs.
    pub arcs: &'a Arcs,
    /// Rows of the forces.
    pub forces: &'a mut [Row],
    /// Candidates, in `a`.
    pub batches: &'a [Batch],
    /// Tangential springs, m.
    pub history: &'a mut [Row],
    /// Tangential stiffnesses at the previous evaluation, N/m; empty if the stiffness of the law is constant.
    pub stiffness: &'a mut [Row],
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
    /// As for pairs. With a geometry of lanes, all arcs face it.
    pub sure: Option<&'a [(u32, u8)]>,
    /// As for pairs.
    pub astray: &'a mut Vec<(u32, u8)>,
}

impl<W: Law> Kernel for ArcWalls<'_, W> {
    type Output = WallSums;

    #[inline(always)]
    fn run<L: Lanes>(self) -> WallSums {
        let ArcWalls {
            law,
            rows,
            arcs,
            forces,
            batches,
            history,
            stiffness,
            flags,
            changed,
            timing,
            geometry,
            reference,
            sure,
            astray,
        } = self;
        let zero = L::splat(0.0);
        let mut sums = PlanarSums::new(reference);
        let count = sure.map_or(batches.len(), <[_]>::len);
        for k in 0..count {
            let index = sure.map_or(k, |some| some[k].0 as usize);
            let (batch, history, flags) = (&batches[index], &mut history[index], &mut flags[index]);
            let (mut grains, mut arc) = ([0; LANES], [0; LANES]);
            for (lane, &slot) in batch.a.iter().enumerate() {
                [grains[lane], arc[lane]] = arcs.place[slot as usize];
            }
            let a = Circles::<L>::new(arcs, rows, &grains, &arc);
            let radius = a.radius.mul(a.share);
            let x = a.middle[0].add(a.radius.mul(a.arm[0]));
            let y = a.middle[1].add(a.radius.mul(a.arm[1]));
            if let (WallGeometry::Flat { normal, .. }, None) = (&geometry, sure) {
                let (mx, my) = (L::splat(-normal[0]), L::splat(-normal[1]));
                let gone =
                    L::bits(a.within(mx, my).less(L::splat(HAIR))) | L::bits(a.excess.less(zero));
                if gone != 0 {
                    astray.push((index as u32, gone));
                    continue;
                }
            }
            let facing = geometry.facing(index, [x, y]);
            let touch_bits = facing.touch(radius);
            if touch_bits | flags.touch == 0 {
                continue;
            }
            let velocity = a.speed();
            let meeting = Meeting {
                normal: facing.normal,
                overlap: radius.sub(facing.distance),
                inverse_mass: a.inverse_mass,
                // As for pairs.
                radius: facing.effective(a.radius),
                velocity: [
                    velocity[0].sub(facing.velocity[0]),
                    velocity[1].sub(facing.velocity[1]),
                ],
                spin: a.spin.mul(a.share),
                touch: L::mask(touch_bits),
            };
            let before = known::<W>(stiffness, index);
            let e = meeting.evaluate(&law, index, history, before, flags, changed, &timing, None);
            sums.add([x, y], &facing, &e);
            let ([fx, fy, t], [gx, gy, s]) = (e.force, e.damper);
            let moment = |x: L, y: L, t: L| a.moment(x, y).add(a.share.mul(t));
            let out = [
                fx,
                fy,
                moment(fx, fy, t),
                zero,
                gx,
                gy,
                moment(gx, gy, s),
                zero,
            ];
            L::scatter_add(L::transpose(out), forces, &grains);
        }
        sums.total()
    }
}
