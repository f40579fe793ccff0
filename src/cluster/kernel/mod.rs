//! Kernels of a step: contact forces of eight candidate pairs at a time.
//!
//! A batch contains eight candidates; all are processed without a branch, and masks zero those that
//! are not in contact. The contact history is stored beside the indices. The kernels of the plane
//! and of space have in common the normal part (`normal`) and the rules of the first partial step.

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
use crate::vector::{LANES, Lanes, Prefetch, Row};

/// Eight candidate pairs; empty lanes refer to the dummy body 0 twice.
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

/// No rows to prefetch.
pub const NOTHING: [Prefetch; 3] = [Prefetch::NONE; 3];

/// Rows of both bodies that kernels read.
#[derive(Clone, Copy, Debug)]
pub struct BodyRows<'a> {
    /// Rows of the first bodies.
    pub firsts: &'a [Row],
    /// Rows of the second bodies.
    pub seconds: &'a [Row],
}

impl<'a> BodyRows<'a> {
    /// The same rows for both.
    pub fn both(rows: &'a [Row]) -> Self {
        BodyRows {
            firsts: rows,
            seconds: rows,
        }
    }
}

/// Rows to which the forces of pairs are added: for a batch first to all second bodies, then to all first
/// ones. In a list sorted by first and then second bodies a row is then summed in one order, wherever batches
/// begin: the other content of the list, and so the number of ranks, makes no difference.
pub trait ForceRows {
    /// Positions in the rows of both bodies of each lane, for reading and for adding.
    fn places(&self, batch: &Batch) -> [[u32; LANES]; 2];
    /// Masks out empty lanes from those that appear to touch.
    fn filled<L: Lanes>(batch: &Batch, touch: L::Mask) -> L::Mask;
    /// Prefetches rows needed after these batches, a share at each.
    fn ask<L: Lanes>(&self, _batch: usize) {}
    /// The rows of the first bodies.
    fn firsts(&mut self) -> &mut [Row];
    /// The rows of the second bodies.
    fn seconds(&mut self) -> &mut [Row];
}

/// The rows of all slots. It has a kernel of its own, since computing positions in rows slows down small systems.
#[derive(Debug)]
pub struct All<'a>(pub &'a mut [Row]);

impl ForceRows for All<'_> {
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

/// Rows of consecutive slots, of the first and of the second bodies.
#[derive(Debug)]
pub struct BandRows<'a> {
    first: u32,
    rows: &'a mut [Row],
    /// Whether the second bodies have rows of their own.
    apart: bool,
    first_of_seconds: u32,
    seconds: &'a mut [Row],
    soon: [Prefetch; 3],
}

impl<'a> BandRows<'a> {
    /// The same rows for both bodies, with their first slot.
    pub fn both(first: u32, rows: &'a mut [Row]) -> Self {
        BandRows {
            first,
            rows,
            apart: false,
            first_of_seconds: first,
            seconds: &mut [],
            soon: NOTHING,
        }
    }

    /// Sets separate rows for the second bodies.
    pub fn and(self, first: u32, rows: &'a mut [Row]) -> Self {
        BandRows {
            apart: true,
            first_of_seconds: first,
            seconds: rows,
            ..self
        }
    }

    /// Sets the rows to prefetch, which are needed after these pairs.
    pub fn with(self, soon: [Prefetch; 3]) -> Self {
        BandRows { soon, ..self }
    }
}

impl ForceRows for BandRows<'_> {
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
        // Few batches have empty lanes: the last of a block, and those that contained a removed grain.
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

/// Positions of slots in rows that begin with the slot `first`. The dummy of empty lanes, to which
/// nothing is added, maps to the last row if it is elsewhere: a branch for empty lanes cost large
/// systems a fifth of their speed. Panics if another slot is outside.
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

/// Forces on the second bodies of a batch, from those on the first: columns of `reaction` change sign.
#[inline(always)]
fn opposite<L: Lanes>(rows: &[L; LANES], reaction: L) -> [L; LANES] {
    // Written out: arrays of vectors that are mapped are stored in memory.
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

/// A block of candidate pairs, and the data that a step changes.
#[derive(Debug)]
pub struct Block<'a, H, F> {
    /// Candidates.
    pub batches: &'a [Batch],
    /// Tangential springs, m.
    pub history: &'a mut [H],
    /// Tangential stiffnesses at the previous evaluation, N/m; empty if the stiffness of the law is constant.
    pub stiffness: &'a mut [Row],
    /// Contact history of additional terms; empty if the law has none.
    pub memory: &'a mut [Memory],
    /// Flags.
    pub flags: &'a mut [Flags],
    /// Batches with changes.
    pub changed: &'a mut Vec<Change>,
    /// Rows of the forces.
    pub forces: F,
    /// Space: rows of the dampers' share, of which kernels use only the first halves: moments are
    /// those of the forces.
    pub dampers: F,
}

/// State of eight links, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flags {
    /// In contact at the last evaluation.
    pub touch: u8,
    /// Sliding.
    pub slip: u8,
}

impl Flags {
    /// Updates the state after an evaluation of these contacts; records a batch with changes.
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

/// A batch in which a link formed, ended, slipped or gripped.
#[derive(Clone, Copy, Debug)]
pub struct Change {
    /// Index of the batch.
    pub batch: u32,
    /// Flags before.
    pub before: Flags,
    /// Flags after.
    pub after: Flags,
    /// Kinetic energy of approach, J, in the lanes of links that formed.
    pub approach: Row,
}

/// Timing of the evaluation of links in a step.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// Step, s.
    pub step: f64,
    /// Fraction of the step by which the tangential spring advances before the force is evaluated.
    pub before: f64,
    /// Fraction of the step by which it advances afterwards.
    pub after: f64,
    /// Relative tolerance of slip and grip.
    pub slip_tolerance: f64,
    /// Whether links that form within the step act for their exact share of it.
    pub partial: bool,
    /// Whether a force acts for half a step before and after its evaluation (the leapfrogs): then links without a normal
    /// damper that end within the step act for their exact share of it, too. Used with bodies of several parts.
    pub centred: bool,
    /// Lengths of the periodic directions, m; 0 where not periodic.
    pub periodic: Option<[f64; 3]>,
    /// Motion of images, if they move.
    pub moving: Option<Moving>,
}

/// Images of a periodic cell whose edges move; all directions are periodic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moving {
    /// Displacement of the image above, along x, m.
    pub offset: f64,
    /// Rates of the lengths, m/s.
    pub rates: [f64; 3],
    /// Rate of the offset, m/s.
    pub offset_rate: f64,
}

/// Reduces separations to the nearest image in periodic directions.
#[inline(always)]
pub(super) fn nearest_image<L: Lanes, const N: usize>(
    d: [L; N],
    lengths: Option<[f64; 3]>,
) -> [L; N] {
    let Some(lengths) = lengths else { return d };
    // Rounds to the nearest integer by adding a number that leaves no fractional digits.
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

/// Reduces separations to the nearest image, and adds the motion of images to relative velocities.
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

/// Normal part of eight contacts.
pub(super) struct Normal<L: Lanes> {
    /// Normal force, N; attractive only with additional terms.
    pub force: L,
    /// The damper's share of it, N.
    pub damper: L,
    /// Coefficients.
    pub response: Response<L>,
    /// Fraction of the step since contact began, for links that just formed; 1/2 for others is
    /// implied by `first` being false.
    pub share: L,
    /// Links that formed within this step and are integrated from their exact time of contact.
    pub first: u8,
    /// Pressing force, N: it limits friction. Equal to the normal force without additional terms.
    pub pressing: L,
    /// Normal stiffness, N/m (laws with additional terms).
    pub stiffness: L,
}

/// Computes the normal force of eight contacts.
///
/// In a link that formed since the last evaluation, spring and damper have acted only since the moment
/// of contact, a fraction f of the step ago: the impulse of the half-steps before and after is that of
/// an approach at constant speed from that moment on, (f + 1/2) of a step for the damper and (f +
/// 1/2)^2 / 2 steps squared for the spring. A link that ends within the next step is the time reversal
/// of this. Without the correction an elastic impact would lose (step x frequency)^2 / 12 of its energy
/// on average. Links with a normal damper, which lose more than that, are not corrected.
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
        // Deeper than one step of approach: not a new contact (a grain placed there); evaluated for the whole step.
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
        // Dampers cause no attraction; the attraction of other terms stays.
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

/// The stored stiffness of a batch, for laws that require it.
#[inline(always)]
pub(super) fn known<W: Law>(stiffness: &mut [Row], index: usize) -> Option<&mut Row> {
    if W::STIFFENS {
        return stiffness.get_mut(index);
    }
    None
}

/// Remaining fraction of the extension of eight tangential springs whose stiffness changes with the overlap: a spring
/// that becomes stiffer keeps its force, one that becomes softer keeps its extension, so that neither gains energy
/// (Thornton and Randall 1988; Elata and Berryman 1996). Each lane of `before` is set to the present stiffness.
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
    // A link that has just begun has no former stiffness, and no spring to keep.
    ratio.select(one, L::splat(0.0).less(old))
}

/// Lanes of existing links: those in contact, and those that a gap has not yet broken.
#[inline(always)]
pub(super) fn held<L: Lanes, W: Law>(law: &W, touch: u8, before: u8, overlap: L, radius: L) -> u8 {
    if W::COMPOSED {
        let gap = L::splat(0.0).sub(law.reach(radius));
        touch | before & L::bits(gap.less(overlap))
    } else {
        touch
    }
}
