//! Contacts of finite duration, as three events (Poeschel and Mueller 2013).
//!
//! When two grains touch they are displaced at once to the positions at the end of the contact, relative to
//! the centre of mass, and move with it; at the end they get their velocities. There are two exceptions. If
//! another body occupies the new place of a grain, the collision is instantaneous with the same restitution.
//! If a third body meets one of the two grains before the end, that grain gets its velocity at once and
//! collides like any other. The energy that is stored meanwhile is accounted for.

use super::lists;
use serde::{Deserialize, Serialize};

use super::cells::{Found, Scope};
use super::contact::{Pair, reduced};
use super::law::Exchange;
use super::predict::Put;
use super::shear;
use super::state::{self, COUNT, RADIUS, SPEED};
use super::{Collision, Core, Observer, Other, Rule, Stopped, next};
use crate::collide::alone::Touching;
use crate::collide::soft::{Collision as Outcome, Touch};
use crate::geometry::{Dimension, Vector};
use crate::vector::Lanes;
use crate::walls;

/// Contact in progress of a grain.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
#[repr(C, align(64))]
pub(super) struct Held<D: Dimension> {
    /// End, s since the epoch; infinite without a contact.
    pub end: f64,
    /// Change of the grain's velocity at the end, m/s.
    change: D::Vector,
    /// Energy that the grain regains at the end, J.
    stored: f64,
    /// The other grain.
    partner: u32,
    /// How often the grain's velocity changed at the end of a contact so far.
    pub ends: u32,
}

impl<D: Dimension> Default for Held<D> {
    fn default() -> Self {
        Held {
            end: f64::INFINITY,
            change: D::Vector::default(),
            stored: 0.0,
            partner: next::NONE,
            ends: 0,
        }
    }
}

/// Counts and sums of soft collisions since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SoftTally {
    /// Contacts that began, including those that became instantaneous.
    pub begun: u64,
    /// Of these, the instantaneous ones because the place was occupied (first exception).
    pub blocked: u64,
    /// Grains met by a third body during contact (second exception).
    pub interrupted: u64,
    /// Contacts that ended.
    pub ended: u64,
    /// Contacts that no table covers, solved one by one; including those with friction.
    pub solved: u64,
    /// Sum of the displacements of grains, m.
    pub displaced: f64,
    /// The greatest displacement, m.
    pub farthest: f64,
    /// Energy lost (negative: gained) because gravity continues to act while one grain of a pair
    /// already has its velocity, J.
    pub mismatch: f64,
}

/// The end of a contact, as reported to an observer.
#[derive(Clone, Copy, Debug)]
pub struct EndOfContact<D: Dimension> {
    /// Time, s, on the engine's clock.
    pub time: f64,
    /// The grain: its index in the list that the engine was made from.
    pub a: u32,
    /// The other grain, likewise.
    pub b: u32,
    /// Centre of the first grain, m.
    pub position: D::Vector,
    /// Whether a third body interrupted the contact, for the first grain only.
    pub interrupted: bool,
}

impl<D: Dimension> Core<D> {
    /// Energy stored in contacts in progress, J.
    pub(super) fn hidden(&self) -> f64 {
        let waiting = self.held.iter().filter(|held| held.end < f64::INFINITY);
        waiting
            .map(|held| held.stored)
            .fold(0.0, |sum, energy| sum + energy)
    }

    /// Describes a pair at a collision.
    #[inline(always)]
    fn pair(&self, index: usize, [a, b]: [usize; 2], approach: f64, sliding: f64) -> Pair {
        let (ra, rb) = (self.bodies.rows[a].0[RADIUS], self.bodies.rows[b].0[RADIUS]);
        Pair {
            index,
            effective_mass: reduced(self.bodies.masses[a], self.bodies.masses[b]),
            radius: reduced(ra, rb),
            approach,
            sliding,
        }
    }

    /// The rule of two grains at a distance `d` with a relative velocity, if they follow a contact law.
    #[inline(never)]
    pub(super) fn rule_by_law(
        &mut self,
        index: usize,
        [i, j]: [usize; 2],
        d: D::Vector,
        v: D::Vector,
    ) -> Option<Rule> {
        let distance = d.norm();
        let normal = d * (1.0 / distance);
        let approach = -normal.dot(&v);
        let mut slip = v + normal * approach;
        if let (Some(a), Some(b)) = (self.bodies.turning.get(i), self.bodies.turning.get(j)) {
            let (ri, rj) = (self.bodies.rows[i].0[RADIUS], self.bodies.rows[j].0[RADIUS]);
            slip -= D::cross_spin(a.spin * ri + b.spin * rj, normal);
        }
        let pair = self.pair(index, [i, j], approach, slip.norm());
        self.contacts.rule(&pair, &mut self.tally.soft.solved)
    }

    /// The rule of a grain and a wall that meet with a relative velocity, if they follow a contact law.
    #[inline(never)]
    pub(super) fn wall_rule_by_law(
        &mut self,
        index: usize,
        i: usize,
        met: &walls::Touch<D>,
        v: D::Vector,
    ) -> Option<Rule> {
        let normal = -met.normal;
        let approach = -normal.dot(&v);
        let r = self.bodies.rows[i].0[RADIUS];
        let mut slip = v + normal * approach;
        if let Some(turning) = self.bodies.turning.get(i) {
            slip -= D::cross_spin(turning.spin * r, normal);
        }
        let pair = Pair {
            index,
            effective_mass: self.bodies.masses[i],
            radius: r / (1.0 + met.curvature * r),
            approach,
            sliding: slip.norm(),
        };
        self.contacts.rule(&pair, &mut self.tally.soft.solved)
    }

    /// Integrates a contact of two grains by itself: returns the restitution and the tangential
    /// exchange. `d` and `v`: the second grain relative to the first.
    #[inline(never)]
    pub(super) fn follow_pair(
        &self,
        index: usize,
        [i, j]: [usize; 2],
        d: D::Vector,
        v: D::Vector,
    ) -> Option<(f64, Exchange<D>)> {
        let radii = [i, j].map(|k| self.bodies.rows[k].0[RADIUS]);
        let inverse = [i, j].map(|k| self.bodies.slots[k].inverse_mass);
        let touching = Touching {
            normal: d * (1.0 / d.norm()),
            velocity: v,
            surfaces: [(i, radii[0]), (j, radii[1])].map(|(k, r)| self.bodies.turning[k].spin * r),
            radii,
            inverse_mass: inverse[0] + inverse[1],
            turning: inverse.map(|inverse| inverse / D::BALL_INERTIA),
            radius: reduced(radii[0], radii[1]),
        };
        self.follow(index, &touching)
    }

    /// The same for a grain and a wall.
    #[inline(never)]
    pub(super) fn follow_wall(
        &self,
        index: usize,
        i: usize,
        met: &walls::Touch<D>,
        v: D::Vector,
    ) -> Option<(f64, Exchange<D>)> {
        let (radius, inverse_mass) = (
            self.bodies.rows[i].0[RADIUS],
            self.bodies.slots[i].inverse_mass,
        );
        let touching = Touching {
            normal: -met.normal,
            velocity: v,
            surfaces: [self.bodies.turning[i].spin * radius, D::Spin::default()],
            radii: [radius; 2],
            inverse_mass,
            turning: [inverse_mass / D::BALL_INERTIA, 0.0],
            radius: radius / (1.0 + met.curvature * radius),
        };
        self.follow(index, &touching)
    }

    fn follow(&self, index: usize, touching: &Touching<D>) -> Option<(f64, Exchange<D>)> {
        let out = self.contacts.follow(index, touching)?;
        let exchange = Exchange {
            impulse: out.tangential,
            couple: out.couple,
            lost: out.lost,
        };
        Some((out.restitution, exchange))
    }

    /// Begins a soft contact and predicts the next events of both grains. If the place is occupied, returns the rule
    /// of the instantaneous collision that replaces the contact. `d` and `v`: the second grain relative to the first.
    #[inline(always)]
    pub(super) fn soften<L: Lanes, O: Observer<D>>(
        &mut self,
        index: usize,
        [a, b]: [u32; 2],
        [d, v]: [D::Vector; 2],
        t: f64,
        found: &mut Found,
        observer: &mut O,
    ) -> Result<Option<Rule>, Stopped> {
        let pair = [a as usize, b as usize];
        let Some(outcome) = self.soft_outcome(index, pair, d, v, t)? else {
            // Their approach does not exceed rounding.
            return Ok(Some(Rule::smooth(1.0)));
        };
        self.tally.soft.begun += 1;
        if self.flux.is_some() {
            pair.iter().for_each(|&i| self.end_flux(i, t));
        }
        if !self.put::<L>([a, b], d, &outcome, t, found) {
            self.tally.soft.blocked += 1;
            return Ok(Some(Rule::smooth((-outcome.mapping.eps_rdot).min(1.0))));
        }
        if self.flux.is_some() {
            self.add_contact(pair, d, &outcome, t);
        }
        let touch = &outcome.touch;
        // Total impulse on the second grain.
        let before = touch.velocities[1] - touch.centre_velocity;
        let impulse = (outcome.relative[1] - before) * touch.masses[1];
        self.tally.collisions += 1;
        self.tally.virial += impulse.dot(&d);
        self.tally.lost += outcome.dissipated;
        observer.collision(&Collision {
            time: self.clock.epoch + t,
            a: self.bodies.ids[pair[0]],
            b: Other::Grain(self.bodies.ids[pair[1]]),
            position: state::place_at::<D>(&self.bodies.rows[pair[0]], self.gravity, t)
                - outcome.placed[0],
            normal: touch.normal,
            approach: touch.approach,
            impulse,
            lost: outcome.dissipated,
            lost_tangential: 0.0,
            image: D::Vector::default(),
        });
        Ok(None)
    }

    /// Outcome of a soft contact of two grains, relative to the first.
    #[inline(never)]
    pub(super) fn soft_outcome(
        &mut self,
        index: usize,
        [i, j]: [usize; 2],
        d: D::Vector,
        v: D::Vector,
        t: f64,
    ) -> Result<Option<Outcome<D>>, Stopped> {
        let zero = D::Vector::default();
        let masses = [self.bodies.masses[i], self.bodies.masses[j]];
        let Some(touch) = Touch::<D>::new(masses, [zero, d], [zero, v]) else {
            return Ok(None);
        };
        let pair = self.pair(index, [i, j], touch.approach, touch.tangential);
        let reach = self.bodies.rows[i].0[RADIUS] + self.bodies.rows[j].0[RADIUS];
        let solved = &mut self.tally.soft.solved;
        match self.contacts.mapping(&pair, reach, solved) {
            Ok((mut mapping, duration)) => {
                // Grains that overlap from an earlier contact are displaced to the same distance as others.
                if touch.reach < (1.0 - 1e-9) * reach {
                    mapping.eps_r *= reach / touch.reach;
                }
                Ok(Some(touch.collision(mapping, duration)))
            }
            Err(_) => Err(Stopped::PassThrough {
                grain: self.bodies.ids[i],
                with: self.bodies.ids[j],
                time: self.clock.epoch + t,
                approach: touch.approach,
            }),
        }
    }

    /// Begins a contact: displaces the grains to its final positions, from which they move together.
    #[inline(never)]
    pub(super) fn hold(&mut self, [i, j]: [usize; 2], d: D::Vector, outcome: &Outcome<D>, t: f64) {
        let touch = &outcome.touch;
        let velocity =
            state::speed::<D>(&self.bodies.rows[i]) + touch.centre_velocity + self.gravity * t;
        let moves = [outcome.placed[0], outcome.placed[1] - d];
        let (seen, apart) = self.seen_by_flow([i, j], velocity, outcome, t);
        let kicks = [
            touch.centre_velocity,
            touch.centre_velocity - touch.velocities[1],
        ];
        for (k, (grain, partner)) in [(i, j), (j, i)].into_iter().enumerate() {
            let row = &mut self.bodies.rows[grain];
            state::kick::<D>(row, kicks[k], t);
            for axis in 0..D::N {
                row.0[axis] += moves[k][axis];
            }
            row.0[COUNT] += 1.0;
            let change = outcome.relative[k];
            let held = &mut self.held[grain];
            held.end = t + outcome.duration;
            held.change = change;
            held.stored = touch.masses[k] * (seen[k].dot(&change) + 0.5 * change.norm_squared());
            held.partner = partner as u32;
            let way = moves[k].norm();
            self.tally.soft.displaced += way;
            self.tally.soft.farthest = self.tally.soft.farthest.max(way);
        }
        // Exactly equal velocities, so that the two never meet meanwhile.
        let same = state::speed::<D>(&self.bodies.rows[i]);
        for axis in 0..D::N {
            self.bodies.rows[j].0[SPEED + axis] = same[axis];
        }
        if self.shear.is_some() {
            self.bodies.rows[j].0[SPEED] += apart;
        }
    }

    /// Assigns a displaced grain to its cell, or renews its list.
    #[inline(always)]
    pub(super) fn settle<L: Lanes>(&mut self, grain: u32, t: f64, found: &mut Found) {
        let i = grain as usize;
        let x = state::place_at::<D>(&self.bodies.rows[i], self.gravity, t);
        if let Some(lists) = &self.lists {
            let way = x - state::place::<D>(&lists.centres[i]);
            if way.norm_squared() > lists.skin * lists.skin {
                lists::renew_list::<_, L>(self, grain, t, found);
            }
            return;
        }
        if self.in_place(i, x) {
            return;
        }
        if self.shear.is_some() {
            shear::bring_back(self, i, t);
        }
        lists::bring_back(self, i, t);
        let x = state::place_at::<D>(&self.bodies.rows[i], self.gravity, t);
        let (from, at) = (self.bodies.slots[i].at, self.cells.locate::<D>(x));
        self.bodies.slots[i].at = at;
        let (from, to) = (self.cells.index(from), self.cells.index(at));
        if from != to {
            self.cells.remove(from, grain);
            self.cells.insert(to, grain);
        }
    }
    /// Whether a point is in the place that the cells assign to the grain.
    #[inline(always)]
    fn in_place(&self, i: usize, x: D::Vector) -> bool {
        let at = self.bodies.slots[i].at;
        (0..D::N).all(|k| {
            let [low, high] = self.cells.ends[k][at[k] as usize];
            low <= x[k] && x[k] <= high
        })
    }

    /// Displaces two grains to the end of their contact and predicts their next events. If a third body
    /// occupies a place and the displacement brings the grain nearer to it, everything is restored.
    #[inline(always)]
    fn put<L: Lanes>(
        &mut self,
        pair: [u32; 2],
        d: D::Vector,
        outcome: &Outcome<D>,
        t: f64,
        found: &mut Found,
    ) -> bool {
        let grains = pair.map(|grain| grain as usize);
        let (rows, wraps) = (
            grains.map(|i| self.bodies.rows[i]),
            grains.map(|i| self.bodies.wraps[i]),
        );
        let from = grains.map(|i| state::place_at::<D>(&self.bodies.rows[i], self.gravity, t));
        let (held, tally) = (grains.map(|i| self.held[i]), self.tally.soft);
        self.hold(grains, d, outcome, t);
        for grain in pair {
            self.settle::<L>(grain, t, found);
        }
        let mut free = true;
        for (k, &grain) in pair.iter().enumerate() {
            let put = Put {
                partner: pair[1 - k],
                from: from[k],
            };
            let taken = self.predict_put::<L, true, true>(grain, t, Scope::All, found, &put);
            free &= !taken;
            if free && !self.walls.is_empty() {
                free = !self.wall_blocks(grains[k], from[k], t);
            }
            if !free {
                break;
            }
        }
        if !free {
            for (k, &i) in grains.iter().enumerate() {
                self.bodies.rows[i] = rows[k];
                self.bodies.wraps[i] = wraps[k];
                self.held[i] = held[k];
            }
            self.tally.soft = tally;
            for grain in pair {
                self.settle::<L>(grain, t, found);
            }
        }
        free
    }
    /// Whether a displacement brings a grain nearer to another.
    #[cold]
    #[inline(never)]
    pub(super) fn comes_nearer(&self, grain: u32, from: D::Vector, other: u32, t: f64) -> bool {
        let at = |i: u32| state::place_at::<D>(&self.bodies.rows[i as usize], self.gravity, t);
        let (to, x) = (at(grain), at(other));
        if let Some(shear) = &self.shear {
            return self.nearest_sheared(shear, x - to, t).norm_squared()
                < self.nearest_sheared(shear, x - from, t).norm_squared();
        }
        lists::apart(self, to, x) < lists::apart(self, from, x)
    }
    #[inline(never)]
    fn wall_blocks(&self, i: usize, from: D::Vector, t: f64) -> bool {
        let cell = self.cells.index(self.bodies.slots[i].at);
        self.walls.block(cell, &self.flyer(i, t), from)
    }

    /// Whether a grain has a contact in progress.
    #[inline(always)]
    pub(super) fn is_held(&self, i: usize) -> bool {
        self.held[i].end < f64::INFINITY
    }
    /// Two grains meet: those with a contact in progress get their velocity now. Returns whether there was any.
    #[inline(always)]
    pub(super) fn interrupt_pair<O: Observer<D>>(
        &mut self,
        [a, b]: [u32; 2],
        t: f64,
        observer: &mut O,
    ) -> bool {
        !self.held.is_empty() && (self.interrupt(a, t, observer) | self.interrupt(b, t, observer))
    }
    /// The same for a grain that meets a wall.
    #[inline(always)]
    pub(super) fn interrupt_one<O: Observer<D>>(
        &mut self,
        grain: u32,
        t: f64,
        observer: &mut O,
    ) -> bool {
        !self.held.is_empty() && self.interrupt(grain, t, observer)
    }
    /// A third body meets a grain, which gets its velocity now if it has a contact in progress. Returns whether it had.
    #[inline(always)]
    fn interrupt<O: Observer<D>>(&mut self, grain: u32, t: f64, observer: &mut O) -> bool {
        if !self.is_held(grain as usize) {
            return false;
        }
        self.tally.soft.interrupted += 1;
        self.free(grain as usize, t);
        self.tell_end(grain, t, true, observer);
        true
    }
    /// Ends a grain's contact; returns the partner whose contact ends too, unless that one is free already.
    #[inline(always)]
    pub(super) fn end<O: Observer<D>>(
        &mut self,
        grain: u32,
        t: f64,
        observer: &mut O,
    ) -> Option<u32> {
        let partner = self.held[grain as usize].partner;
        let both = self.is_with(partner as usize, grain);
        self.free(grain as usize, t);
        if both {
            self.free(partner as usize, t);
        }
        self.tally.soft.ended += 1;
        self.tell_end(grain, t, false, observer);
        both.then_some(partner)
    }
    fn is_with(&self, i: usize, partner: u32) -> bool {
        self.is_held(i) && self.held[i].partner == partner
    }
    /// The grains with a contact in progress with a grain.
    pub(super) fn held_with(&self, slot: u32) -> Vec<u32> {
        let all = 0..self.held.len();
        let with = all.filter(|&i| self.is_with(i, slot));
        with.map(|i| i as u32).collect()
    }
    /// Gives a grain the velocity at the end of its contact.
    #[inline(never)]
    fn free(&mut self, i: usize, t: f64) {
        let held = self.held[i];
        let change = held.change;
        let mut velocity = state::speed::<D>(&self.bodies.rows[i]) + self.gravity * t;
        if self.flux.is_some() {
            self.end_flux(i, t);
        }
        if let Some(shear) = &self.shear {
            let y = state::place_at::<D>(&self.bodies.rows[i], self.gravity, t)[1];
            velocity[0] -= shear.flow(y);
        }
        let gained = self.bodies.masses[i] * (velocity.dot(&change) + 0.5 * change.norm_squared());
        let left = held.stored - gained;
        state::kick::<D>(&mut self.bodies.rows[i], change, t);
        self.bodies.rows[i].0[COUNT] += 1.0;
        self.held[i].end = f64::INFINITY;
        self.held[i].ends += 1;
        // The energy of both together is conserved; that of one depends on when it gets its velocity.
        let partner = held.partner as usize;
        if self.is_with(partner, i as u32) {
            self.held[partner].stored += left;
        } else {
            self.tally.soft.mismatch += left;
        }
    }
    #[inline(always)]
    fn tell_end<O: Observer<D>>(&self, grain: u32, t: f64, interrupted: bool, observer: &mut O) {
        let i = grain as usize;
        observer.end(&EndOfContact {
            time: self.clock.epoch + t,
            a: self.bodies.ids[i],
            b: self.bodies.ids[self.held[i].partner as usize],
            position: state::place_at::<D>(&self.bodies.rows[i], self.gravity, t),
            interrupted,
        });
    }
}
