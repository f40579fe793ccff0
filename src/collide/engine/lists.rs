//! Neighbour lists, for dense gases.
//!
//! Each grain may move by the *skin* from the centre at which its list was built; its list contains all
//! grains with centres so near that the two could touch before either has left its skin. A grain that
//! leaves its skin gets a new list at its position. The content of lists depends only on the centres,
//! so that a renewal changes only the lists of grains that become or cease to be neighbours.

use super::bent;
use std::hint::select_unpredictable;

use serde::{Deserialize, Serialize};

use super::Core;
use super::cells::{Found, Scope};
use super::state::{self, Slot};
use crate::geometry::{Dimension, Vector};
use crate::vector::{LANES, Lanes, Row};

/// Range of a grain's list.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Span {
    pub start: u32,
    pub len: u16,
    pub room: u16,
}

impl Span {
    /// The entries of the list, padded to whole batches with the grain itself.
    #[inline(always)]
    pub(super) fn batches(&self) -> std::ops::Range<usize> {
        let start = self.start as usize;
        start..start + (self.len as usize).next_multiple_of(LANES)
    }
}

/// All neighbour lists.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Lists {
    /// Distance that a grain may move, m.
    pub skin: f64,
    /// Positions at which the lists were built, m, and the radius: x, y, z, radius.
    pub centres: Vec<Row>,
    pub entries: Vec<u32>,
}

impl Lists {
    pub(super) fn bytes(&self) -> usize {
        self.centres.capacity() * size_of::<Row>() + self.entries.capacity() * 4
    }
    #[inline(always)]
    fn add(&mut self, slots: &mut [Slot], to: usize, grain: u32) {
        let span = &mut slots[to].span;
        if span.len == span.room {
            self.widen(span, to);
        }
        self.entries[span.start as usize + span.len as usize] = grain;
        span.len += 1;
    }
    /// Adds a grain, which has no position yet.
    pub(super) fn grow(&mut self, slots: &mut [Slot]) {
        let slot = self.centres.len();
        self.centres.push(Row::default());
        slots[slot].span = Span {
            start: self.entries.len() as u32,
            len: 0,
            room: LANES as u16,
        };
        self.entries.extend([slot as u32; LANES]);
    }
    /// Prepares for the arrival of a grain of a radius, m, without neighbours yet.
    pub(super) fn expect(&mut self, slot: usize, radius: f64) {
        let centre = &mut self.centres[slot];
        centre.0 = [f64::INFINITY; LANES];
        centre.0[state::RADIUS] = radius;
    }
    /// Removes a grain from all lists.
    pub(super) fn forget(&mut self, slots: &mut [Slot], slot: u32) {
        let span = slots[slot as usize].span;
        let list = span.start as usize..span.start as usize + span.len as usize;
        for entry in list {
            let near = self.entries[entry] as usize;
            self.remove(slots, near, slot);
            self.entries[entry] = slot;
        }
        slots[slot as usize].span.len = 0;
    }
    /// Moves a list to the end, with more room.
    #[cold]
    #[inline(never)]
    fn widen(&mut self, span: &mut Span, of: usize) {
        let old = span.start as usize..span.start as usize + span.len as usize;
        let start = self.entries.len() as u32;
        self.entries.extend_from_within(old);
        let room = span.room + LANES as u16;
        self.entries
            .resize(start as usize + room as usize, of as u32);
        span.start = start;
        span.room = room;
    }
    #[inline(always)]
    fn remove(&mut self, slots: &mut [Slot], from: usize, grain: u32) {
        let span = &mut slots[from].span;
        let start = span.start as usize;
        let list = &mut self.entries[start..start + span.len as usize];
        if let Some(at) = list.iter().position(|&g| g == grain) {
            list[at] = list[list.len() - 1];
            let last = list.len() - 1;
            list[last] = from as u32;
            span.len -= 1;
        }
    }
}

/// Square of the distance of two points to the nearest image, m^2.
#[inline(always)]
pub(super) fn apart<D: Dimension>(core: &Core<D>, a: D::Vector, b: D::Vector) -> f64 {
    let mut sum = 0.0;
    for k in 0..D::N {
        let d = (a[k] - b[k]).abs();
        let d = if d > core.space.halves[k] {
            core.space.lengths[k] - d
        } else {
            d
        };
        sum += d * d;
    }
    sum
}

/// Time at which a grain leaves its skin, s from now, or slightly earlier.
#[inline(always)]
pub(super) fn leave<D: Dimension>(core: &Core<D>, lists: &Lists, i: usize, now: f64) -> f64 {
    let row = &core.bodies.rows[i];
    let pull = bent::pull(core, i);
    let d = state::place_at::<D>(row, pull, now) - state::place::<D>(&lists.centres[i]);
    let v = state::speed::<D>(row) + pull * now;
    let (a, b, square) = (v.norm_squared(), d.dot(&v), d.norm_squared());
    let c = (lists.skin * lists.skin - square).max(0.0);
    let root = (b * b + a * c).sqrt();
    // The form without cancellation, chosen without a branch.
    let ahead = b > 0.0;
    let straight =
        select_unpredictable(ahead, c, root - b) / select_unpredictable(ahead, b + root, a);
    if pull == D::Vector::default() {
        return if a > 0.0 { straight } else { f64::INFINITY };
    }
    // A straight path is farthest at its ends; the curved one deviates by at most g t^2 / 2.
    let g = pull.norm();
    let mut t = straight.min((2.0 * lists.skin / g).sqrt());
    for _ in 0..32 {
        let way = square.max((d + v * t).norm_squared()).sqrt();
        if way + 0.5 * g * t * t <= lists.skin {
            return t;
        }
        t *= 0.7;
    }
    0.0
}

/// Handles a grain that has left its skin: assigns its cell and builds its list at its position.
#[inline(always)]
pub(super) fn renew_list<D: Dimension, L: Lanes>(
    core: &mut Core<D>,
    grain: u32,
    now: f64,
    found: &mut Found,
) {
    let i = grain as usize;
    core.tally.work.crossings += 1;
    bring_back(core, i, now);
    let x = state::place_at::<D>(&core.bodies.rows[i], bent::pull(core, i), now);
    let at = core.cells.locate::<D>(x);
    let from = core.bodies.slots[i].at;
    if at != from {
        core.cells.remove(core.cells.index(from), grain);
        core.cells.insert(core.cells.index(at), grain);
        core.bodies.slots[i].at = at;
    }
    let Some(mut lists) = core.lists.take() else {
        return;
    };
    let margin = 2.0 * lists.skin;
    let before = lists.centres[i];
    let mut after = before;
    for k in 0..D::N {
        after.0[k] = x[k];
    }
    // Removes grains that are no longer near.
    let old = core.bodies.slots[i].span.batches();
    for start in old.clone().step_by(LANES) {
        let mut batch = [0; LANES];
        batch.copy_from_slice(&lists.entries[start..start + LANES]);
        let [near] = near::<_, L, 1>(core, &lists.centres, &batch, [&after], margin);
        let mut gone = !near;
        while gone != 0 {
            let j = batch[gone.trailing_zeros() as usize];
            lists.remove(&mut core.bodies.slots, j as usize, grain);
            gone &= gone - 1;
        }
    }
    lists.entries[old].fill(grain);
    core.bodies.slots[i].span.len = 0;
    let n = core.cells.gather::<D>(at, Scope::All, found);
    found.grains[n..n + LANES].fill(grain);
    for batch in found.grains[..n.next_multiple_of(LANES)]
        .as_chunks::<LANES>()
        .0
    {
        let [near, was] = near::<_, L, 2>(core, &lists.centres, batch, [&after, &before], margin);
        let mut near = near;
        while near != 0 {
            let lane = near.trailing_zeros();
            let j = batch[lane as usize];
            near &= near - 1;
            if j != grain {
                lists.add(&mut core.bodies.slots, i, j);
                if was >> lane & 1 == 0 {
                    lists.add(&mut core.bodies.slots, j as usize, grain);
                }
            }
        }
    }
    lists.centres[i] = after;
    core.lists = Some(lists);
}

/// For each given place, the mask of the eight centres that are within the sum of radii and a margin.
#[inline(always)]
fn near<D: Dimension, L: Lanes, const N: usize>(
    core: &Core<D>,
    centres: &[Row],
    batch: &[u32; LANES],
    places: [&Row; N],
    margin: f64,
) -> [u8; N] {
    let [x, y, z, r, ..] = L::transpose(L::gather(centres, batch));
    let mut bits = [0; N];
    for (k, place) in places.into_iter().enumerate() {
        let dx = core.nearest::<L>(0, x.sub(L::splat(place.0[0])));
        let dy = core.nearest::<L>(1, y.sub(L::splat(place.0[1])));
        let mut square = dx.mul(dx).add(dy.mul(dy));
        if D::N == 3 {
            let dz = core.nearest::<L>(2, z.sub(L::splat(place.0[2])));
            square = square.add(dz.mul(dz));
        }
        let reach = r.add(L::splat(place.0[state::RADIUS] + margin));
        bits[k] = L::bits(square.less(reach.mul(reach)));
    }
    bits
}

/// Wraps a grain into the box along periodic axes.
#[inline(always)]
pub(super) fn bring_back<D: Dimension>(core: &mut Core<D>, i: usize, now: f64) {
    for k in 0..D::N {
        let length = core.space.lengths[k];
        if length > 0.0 {
            let x = state::place_at::<D>(&core.bodies.rows[i], bent::pull(core, i), now)[k];
            let low = core.cells.origin[k];
            let turns = if x < low {
                -1
            } else {
                i32::from(x >= low + length)
            };
            if turns != 0 {
                core.bodies.rows[i].0[k] -= f64::from(turns) * length;
                core.bodies.wraps[i][k] += turns;
            }
        }
    }
}

/// Builds all lists.
pub(super) fn make_lists<D: Dimension>(core: &mut Core<D>, skin: f64) {
    let mut lists = Lists {
        skin,
        centres: core.bodies.rows.clone(),
        entries: Vec::new(),
    };
    let mut found = Found::default();
    for i in 0..core.bodies.rows.len() {
        let start = lists.entries.len();
        let n = core
            .cells
            .gather::<D>(core.bodies.slots[i].at, Scope::All, &mut found);
        for &j in &found.grains[..n] {
            let (a, b) = (&lists.centres[i], &lists.centres[j as usize]);
            let reach = a.0[state::RADIUS] + b.0[state::RADIUS] + 2.0 * skin;
            let square = apart(core, state::place::<D>(a), state::place::<D>(b));
            if j as usize != i && square < reach * reach {
                lists.entries.push(j);
            }
        }
        // Room for one more entry than there are, in whole batches.
        let len = lists.entries.len() - start;
        let room = (len + 1).next_multiple_of(LANES);
        lists.entries.resize(start + room, i as u32);
        core.bodies.slots[i].span = Span {
            start: start as u32,
            len: len as u16,
            room: room as u16,
        };
    }
    lists.entries.shrink_to_fit();
    core.lists = Some(lists);
}
