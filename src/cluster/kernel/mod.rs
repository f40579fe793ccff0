//! Kernels of a step: contact forces of eight candidate pairs at a time.
//!
//! A batch holds eight candidates; all go through without a branch, and masks zero what is not
//! in touch. History lies beside the indices. The kernels of the plane and of space share the
//! part along the normal (`normal`) and the rules of the first partial step.

mod arcs;
mod planar;
mod spatial;
mod surface;
#[cfg(test)]
mod tests;
mod turning;

pub use arcs::{ArcPairs, ArcTurns, ArcWalls, Arcs, HAIR, Named, WHOLE};
pub use planar::{PlanarPairs, PlanarWalls};
pub use spatial::{SpatialHistory, SpatialPairs, SpatialWalls};
pub use surface::{WallGeometry, WallLanes, WallSums};
pub use turning::Memory;

use serde::{Deserialize, Serialize};

use crate::contact::{Contact, Law, Response};
use crate::vector::{LANES, Lanes, Row, Soon};

/// Eight candidate pairs; empty lanes name the dummy body 0 twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[repr(C, align(64))]
pub struct Batch {
    /// First bodies.
    pub a: [u32; LANES],
    /// Second bodies.
    pub b: [u32; LANES],
}

impl Batch {
    /// Both bodies of a lane.
    pub fn of(&self, lane: usize) -> [u32; 2] {
        [self.a[lane], self.b[lane]]
    }
}

/// No rows to ask for.
pub const NOTHING: [Soon; 3] = [Soon::NONE; 3];

/// Rows of both bodies that kernels read.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// Of the first bodies.
    pub firsts: &'a [Row],
    /// Of the second bodies.
    pub seconds: &'a [Row],
}

impl<'a> Seen<'a> {
    /// The same for both.
    pub fn both(rows: &'a [Row]) -> Self {
        Seen {
            firsts: rows,
            seconds: rows,
        }
    }
}

/// Rows to which the forces of pairs are added: of a batch first to all second bodies, then to all first ones. In a list sorted by first
/// and then second bodies a row is then added up in one order, wherever batches begin: what else is in the list, and so how many ranks
/// share the system, makes no difference.
pub trait Onto {
    /// Where in the rows both bodies of each lane lie, those that are read and those that are added to.
    fn places(&self, batch: &Batch) -> [[u32; LANES]; 2];
    /// Lanes that are told to touch without those that are empty.
    fn filled<L: Lanes>(batch: &Batch, touch: L::Mask) -> L::Mask;
    /// Asks for what is needed after these batches, a share at each.
    fn ask<L: Lanes>(&self, _batch: usize) {}
    /// The rows of the first bodies.
    fn firsts(&mut self) -> &mut [Row];
    /// The rows of the second bodies.
    fn seconds(&mut self) -> &mut [Row];
}

/// The rows of all slots. A kernel of its own: looking for the right rows costs small systems some of their speed.
#[derive(Debug)]
pub struct All<'a>(pub &'a mut [Row]);

impl Onto for All<'_> {
    #[inline(always)]
    fn places(&self, batch: &Batch) -> [[u32; LANES]; 2] {
        [batch.a, batch.b]
    }
    #[inline(always)]
    fn filled<L: Lanes>(_: &Batch, touch: L::Mask) -> L::Mask {
        // The dummy has no extent.
        touch
    }
    #[inline(always)]
    fn firsts(&mut self) -> &mut [Row] {
        self.0
    }
    #[inline(always)]
    fn seconds(&mut self) -> &mut [Row] {
        self.0
    }
}

/// Rows of slots that follow each other, of the first and of the second bodies.
#[derive(Debug)]
pub struct Near<'a> {
    first: u32,
    rows: &'a mut [Row],
    /// Whether the second bodies have rows of their own.
    apart: bool,
    first_of_seconds: u32,
    seconds: &'a mut [Row],
    soon: [Soon; 3],
}

impl<'a> Near<'a> {
    /// Rows of both bodies: their first slot, and the rows.
    pub fn both(first: u32, rows: &'a mut [Row]) -> Self {
        Near {
            first,
            rows,
            apart: false,
            first_of_seconds: first,
            seconds: &mut [],
            soon: NOTHING,
        }
    }

    /// The same, with other rows for the second bodies.
    pub fn and(self, first: u32, rows: &'a mut [Row]) -> Self {
        Near {
            apart: true,
            first_of_seconds: first,
            seconds: rows,
            ..self
        }
    }

    /// The same, with rows that will be needed after these pairs.
    pub fn with(self, soon: [Soon; 3]) -> Self {
        Near { soon, ..self }
    }
}

impl Onto for Near<'_> {
    #[inline(always)]
    fn places(&self, batch: &Batch) -> [[u32; LANES]; 2] {
        let seconds = if self.apart {
            self.seconds.len()
        } else {
            self.rows.len()
        };
        [
            places(self.rows.len(), self.first, &batch.a),
            places(seconds, self.first_of_seconds, &batch.b),
        ]
    }
    #[inline(always)]
    fn filled<L: Lanes>(batch: &Batch, touch: L::Mask) -> L::Mask {
        // Few batches have empty lanes: the last of a block, and those in which a grain was that is taken away.
        if batch
            .a
            .iter()
            .fold(u32::MAX, |least, &slot| least.min(slot))
            != 0
        {
            return touch;
        }
        let mut filled = 0;
        for (lane, &slot) in batch.a.iter().enumerate() {
            filled |= u8::from(slot != 0) << lane;
        }
        L::mask(L::bits(touch) & filled)
    }
    #[inline(always)]
    fn ask<L: Lanes>(&self, batch: usize) {
        for rows in &self.soon {
            rows.ask::<L>(batch);
        }
    }
    #[inline(always)]
    fn firsts(&mut self) -> &mut [Row] {
        self.rows
    }
    #[inline(always)]
    fn seconds(&mut self) -> &mut [Row] {
        if self.apart { self.seconds } else { self.rows }
    }
}

/// Where slots lie in rows that begin with the slot `first`. The dummy, which empty lanes name and to which nothing is added, counts as
/// the last row where it lies elsewhere: a way around for empty lanes cost large systems a fifth of their speed. Panics where another slot
/// lies outside.
#[inline(always)]
fn places(length: usize, first: u32, slots: &[u32; LANES]) -> [u32; LANES] {
    let last = (length as u32).saturating_sub(1);
    let mut within = true;
    let mut places = [0; LANES];
    for k in 0..LANES {
        let place = slots[k].wrapping_sub(first);
        within &= (place <= last) | (slots[k] == 0);
        places[k] = place.min(last);
    }
    assert!(within, "a slot lies outside the rows of its band");
    places
}

/// What a batch does to its second bodies, from what it does to its first: columns of `reaction` change their sign.
#[inline(always)]
fn opposite<L: Lanes>(rows: &[L; LANES], reaction: L) -> [L; LANES] {
    // Written out: arrays of vectors that are mapped go through memory.
    [
        rows[0].flip(reaction),
        rows[1].flip(reaction),
        rows[2].flip(reaction),
        rows[3].flip(reaction),
        rows[4].flip(reaction),
        rows[5].flip(reaction),
        rows[6].flip(reaction),
        rows[7].flip(reaction),
    ]
}

/// Adds to the rows of a batch.
#[inline(always)]
fn more<L: Lanes>(rows: &mut [L; LANES], by: [L; LANES]) {
    *rows = [
        rows[0].add(by[0]),
        rows[1].add(by[1]),
        rows[2].add(by[2]),
        rows[3].add(by[3]),
        rows[4].add(by[4]),
        rows[5].add(by[5]),
        rows[6].add(by[6]),
        rows[7].add(by[7]),
    ];
}

/// A block of candidate pairs, and what a step changes of it.
#[derive(Debug)]
pub struct Block<'a, H, F> {
    /// Candidates.
    pub batches: &'a [Batch],
    /// Tangential springs, m.
    pub history: &'a mut [H],
    /// Tangential stiffnesses at the evaluation before, N/m; nothing where the law has the same at any overlap.
    pub stiffness: &'a mut [Row],
    /// What links with slots remember; nothing where the law has none.
    pub memory: &'a mut [Memory],
    /// Flags.
    pub flags: &'a mut [Flags],
    /// Batches in which something changed.
    pub changed: &'a mut Vec<Change>,
    /// Rows of the forces.
    pub forces: F,
    /// Space: rows of the dampers' share, of which kernels know the first halves: moments are those of the
    /// forces.
    pub dampers: F,
}

/// State of eight links, a bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flags {
    /// In touch at the last evaluation.
    pub touch: u8,
    /// Sliding.
    pub slip: u8,
}

impl Flags {
    /// Becomes the state after an evaluation of these contacts; a batch in which something changed is noted.
    #[inline(always)]
    fn change<L: Lanes>(
        &mut self,
        after: Flags,
        batch: usize,
        contact: &Contact<L>,
        changed: &mut Vec<Change>,
    ) {
        if after != *self {
            let mut approach = Row::default();
            if after.touch & !self.touch != 0 {
                let speed = contact.speed;
                let energy = L::splat(0.5).mul(speed).mul(speed);
                energy.div(contact.inverse_mass).store(&mut approach);
            }
            changed.push(Change {
                batch: batch as u32,
                before: *self,
                after,
                approach,
            });
            *self = after;
        }
    }
}

/// A batch in which a link opened, closed, slipped or gripped.
#[derive(Clone, Copy, Debug)]
pub struct Change {
    /// Index of the batch.
    pub batch: u32,
    /// Its flags before.
    pub before: Flags,
    /// Its flags after.
    pub after: Flags,
    /// Kinetic energy of approach, J, in the lanes of links that opened.
    pub approach: Row,
}

/// How a step evaluates links.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// Step, s.
    pub step: f64,
    /// Part of the step by which the tangential spring is carried on before the force is taken.
    pub before: f64,
    /// Part of the step by which it is carried on afterwards.
    pub after: f64,
    /// Relative tolerance of slip and grip.
    pub slip_tolerance: f64,
    /// Whether links that open within the step get their exact share of it.
    pub partial: bool,
    /// Whether a force acts for half a step before and after its evaluation (the leapfrogs): then links without a normal
    /// damper that end within the step get their exact share of it too. Where there are bodies of several parts.
    pub centred: bool,
    /// Lengths of the periodic directions, m; 0 where not periodic.
    pub periodic: Option<[f64; 3]>,
    /// How images move, where they do.
    pub moving: Option<Moving>,
}

/// Images of a periodic cell whose edges move; all directions are periodic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moving {
    /// Of the image above, along x, m.
    pub offset: f64,
    /// Rates of the lengths, m/s.
    pub rates: [f64; 3],
    /// Rate of the offset, m/s.
    pub offset_rate: f64,
}

/// Separations brought to the nearest image in periodic directions.
#[inline(always)]
pub(super) fn nearest_image<L: Lanes, const N: usize>(
    d: [L; N],
    lengths: Option<[f64; 3]>,
) -> [L; N] {
    let Some(lengths) = lengths else { return d };
    // Rounds to the nearest integer by adding what leaves no fractional digits.
    let shift = L::splat(6755399441055744.0);
    let mut out = d;
    for k in 0..N {
        let length = lengths[k];
        let inverse = if length > 0.0 { 1.0 / length } else { 0.0 };
        let turns = d[k].mul(L::splat(inverse)).add(shift).sub(shift);
        out[k] = d[k].sub(turns.mul(L::splat(length)));
    }
    out
}

/// Separations brought to the nearest image, with relative velocities that take in how images move.
#[inline(always)]
pub(super) fn image<L: Lanes, const N: usize>(
    d: [L; N],
    v: [L; N],
    timing: &Timing,
) -> ([L; N], [L; N]) {
    let (Some(moving), Some(lengths)) = (&timing.moving, timing.periodic) else {
        return (nearest_image(d, timing.periodic), v);
    };
    let whole = L::splat(6755399441055744.0);
    let turns = |x: L, length: f64| x.mul(L::splat(1.0 / length)).add(whole).sub(whole);
    let (mut d, mut v) = (d, v);
    let up = turns(d[1], lengths[1]);
    d[0] = d[0].sub(up.mul(L::splat(moving.offset)));
    v[0] = v[0].sub(up.mul(L::splat(moving.offset_rate)));
    for k in 0..N {
        let turns = if k == 1 { up } else { turns(d[k], lengths[k]) };
        d[k] = d[k].sub(turns.mul(L::splat(lengths[k])));
        v[k] = v[k].sub(turns.mul(L::splat(moving.rates[k])));
    }
    (d, v)
}

/// The part of eight contacts along their normals.
pub(super) struct Normal<L: Lanes> {
    /// Normal force, N; pulling by slots only.
    pub force: L,
    /// The damper's share of it, N.
    pub damper: L,
    /// Coefficients.
    pub response: Response<L>,
    /// Share of the step since contact began, for links that just opened; 1/2 for others is
    /// implied by `first` being false.
    pub share: L,
    /// Links that opened within this step and are integrated from their exact time of contact.
    pub first: u8,
    /// What presses, N: friction is limited by its share of this. The force where there are no slots.
    pub pressing: L,
    /// Normal stiffness, N/m (laws with slots).
    pub stiffness: L,
}

/// Normal force of eight contacts.
///
/// A link that opened since the last evaluation has felt its spring and damper only since the
/// moment of contact, a share f of the step ago: the impulse of the half-steps before and after
/// is that of an approach at constant speed from that moment on, (f + 1/2) of a step for the
/// damper and (f + 1/2)^2 / 2 steps squared for the spring. One that ends within the next step is the same seen
/// backwards in time. Without that an elastic impact would lose (step x frequency)^2 / 12 of its energy in the mean. Links with
/// a normal damper, which lose more than that, are left as they are.
#[inline(always)]
pub(super) fn normal<L: Lanes, W: Law>(
    law: &W,
    contact: Contact<L>,
    speed: L,
    touch: L::Mask,
    opened: u8,
    timing: &Timing,
    deepest: &mut L,
) -> Normal<L> {
    let zero = L::splat(0.0);
    let mut contact = contact;
    let mut weight = L::splat(1.0);
    let mut share = L::splat(1.0);
    let mut first = 0;
    if opened != 0 && timing.partial && !W::BEGINS_SMOOTHLY {
        let covered = zero.sub(speed).mul(L::splat(timing.step));
        // Deeper than one step of approach: not a fresh touch (a grain put there); taken whole.
        first = opened & !L::bits(covered.less(contact.overlap)) & L::bits(zero.less(covered));
        let mask = L::mask(first);
        share = contact
            .overlap
            .div(covered.max(L::splat(f64::MIN_POSITIVE)))
            .select(share, mask);
        let reach = share.add(L::splat(0.5));
        let half_square = L::splat(0.5).mul(reach).mul(reach);
        contact.overlap = half_square.mul(covered).select(contact.overlap, mask);
        weight = reach.select(weight, mask);
    }
    if timing.centred && !W::COMPOSED && law.is_elastic() {
        let covered = speed.mul(L::splat(timing.step));
        let last = L::bits(contact.overlap.less(covered)) & L::bits(touch) & !first;
        if last != 0 {
            let mask = L::mask(last);
            let reach = contact
                .overlap
                .div(covered.max(L::splat(f64::MIN_POSITIVE)))
                .add(L::splat(0.5));
            let half_square = L::splat(0.5).mul(reach).mul(reach);
            contact.overlap = half_square.mul(covered).select(contact.overlap, mask);
        }
    }
    if W::COMPOSED {
        let composite = law.compose(contact, deepest);
        let response = composite.response;
        let damping = response.normal_damping.mul(weight).mul(speed);
        // Dampers do not pull; what pulls by itself is left.
        let pushed = response.elastic.sub(damping);
        let pushed = pushed.max(response.elastic.min(zero));
        let pull = composite.pull.mul(weight);
        let force = pushed.sub(pull).only(touch);
        let stored = response.elastic.sub(pull).sub(composite.lost);
        return Normal {
            force,
            damper: force.sub(stored.only(touch)),
            response,
            share,
            first,
            pressing: pushed.add(composite.grip).max(zero).only(touch),
            stiffness: composite.stiffness,
        };
    }
    let response = law.respond(contact);
    let pushed = response
        .elastic
        .sub(response.normal_damping.mul(weight).mul(speed));
    let force = pushed.max(zero).only(touch);
    let damper = force.sub(response.elastic.only(touch));
    Normal {
        force,
        damper,
        response,
        share,
        first,
        pressing: force,
        stiffness: zero,
    }
}

/// What is remembered of the stiffness of a batch, by laws that remember it.
#[inline(always)]
pub(super) fn known<W: Law>(stiffness: &mut [Row], index: usize) -> Option<&mut Row> {
    if W::STIFFENS {
        return stiffness.get_mut(index);
    }
    None
}

/// What is left of the extension of eight springs across, which grow stiffer or softer as the overlap changes: a spring
/// that grows stiffer keeps its force, one that grows softer keeps its extension, so that neither gains energy by it
/// (Thornton and Randall 1988; Elata and Berryman 1996). Each lane of `before` becomes the stiffness of now.
#[inline(always)]
pub(super) fn lasting<L: Lanes>(
    before: Option<&mut Row>,
    response: &Response<L>,
    touch: L::Mask,
) -> L {
    let one = L::splat(1.0);
    let Some(before) = before else { return one };
    let old = L::load(before);
    response.tangential_stiffness.only(touch).store(before);
    let ratio = old.mul(response.tangential_compliance).min(one);
    // Of a link that has just begun nothing is known, and there is nothing to keep.
    ratio.select(one, L::splat(0.0).less(old))
}

/// Lanes in which links hold: those in touch, and those that a gap has not broken yet.
#[inline(always)]
pub(super) fn held<L: Lanes, W: Law>(law: &W, touch: u8, before: u8, overlap: L, radius: L) -> u8 {
    if W::COMPOSED {
        let gap = L::splat(0.0).sub(law.reach(radius));
        touch | before & L::bits(gap.less(overlap))
    } else {
        touch
    }
}
