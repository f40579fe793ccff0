//! The event loop: takes the earliest event, performs it, and predicts anew for the grains it affects.

use super::ahead::Ahead;
use super::bent;
use super::cells::{Found, Scope};
use super::law::{Encounter, Exchange, Rule};
use super::limits::Parting;
use super::lists;
use super::shear;
use super::soft::EndOfContact;
use super::state::{self, COUNT, RADIUS, next};
use super::{Core, Stopped};
use super::{ahead, limits};
use crate::geometry::{Dimension, Vector};
use crate::vector::{Kernel, Lanes};

/// A collision, as reported to an observer.
#[derive(Clone, Copy, Debug)]
pub struct Collision<D: Dimension> {
    /// Time, s, on the engine's clock.
    pub time: f64,
    /// The first grain: its index in the list that the engine was made from.
    pub a: u32,
    /// The other grain or wall.
    pub b: Other,
    /// Centre of the first grain, m.
    pub position: D::Vector,
    /// Unit normal from the first to the other.
    pub normal: D::Vector,
    /// Normal approach speed, m/s.
    pub approach: f64,
    /// Momentum transferred to the other body, kg m/s.
    pub impulse: D::Vector,
    /// Energy dissipated, J.
    pub lost: f64,
    /// Part of it dissipated by the tangential motion, J.
    pub lost_tangential: f64,
    /// At a wall: displacement of the image that is hit from the wall itself, m; nonzero only in periodic boxes.
    pub image: D::Vector,
}

/// Partner of a grain in a collision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Other {
    /// A grain: its index in the list that the engine was made from.
    Grain(u32),
    /// A wall, by index.
    Wall(u32),
}

/// Receives reports of collisions.
pub trait Observer<D: Dimension> {
    /// Called after each collision; for contacts of finite duration, after their beginning.
    fn collision(&mut self, collision: &Collision<D>);
    /// Called at the end of each contact of finite duration, and for each grain whose contact a third body interrupts.
    #[inline(always)]
    fn end(&mut self, _: &EndOfContact<D>) {}
}
/// No observer.
impl<D: Dimension> Observer<D> for () {
    #[inline(always)]
    fn collision(&mut self, _: &Collision<D>) {}
}
impl<D: Dimension, F: FnMut(&Collision<D>)> Observer<D> for F {
    #[inline(always)]
    fn collision(&mut self, collision: &Collision<D>) {
        self(collision);
    }
}

/// Forwards to any observer: the loop is compiled once for all of them.
pub(super) struct Told<'o, D: Dimension>(pub &'o mut dyn Observer<D>);
impl<D: Dimension> Observer<D> for Told<'_, D> {
    fn collision(&mut self, collision: &Collision<D>) {
        self.0.collision(collision);
    }
    fn end(&mut self, end: &EndOfContact<D>) {
        self.0.end(end);
    }
}

/// One run of the loop; `FULL`: contact laws determine collisions or their duration, or fields bend paths.
pub(super) struct Run<'a, D: Dimension, O, const FULL: bool> {
    pub core: &'a mut Core<D>,
    /// End of the run, s since the epoch.
    pub until: f64,
    /// Greatest number of events.
    pub most: u64,
    pub observer: &'a mut O,
}

impl<D: Dimension, O: Observer<D>, const FULL: bool> Kernel for Run<'_, D, O, FULL> {
    type Output = Option<Stopped>;
    /// Runs until `until` (then `Some(Stopped::Until)`), a failure, or `most` events (then `None`).
    #[inline(always)]
    fn run<L: Lanes>(self) -> Option<Stopped> {
        let Run {
            core,
            until,
            most,
            observer,
        } = self;
        let mut found = [Found::default(), Found::default()];
        let ahead = ahead::asks_ahead(core);
        for _ in 0..most {
            let slots = &core.bodies.slots;
            let entry = core
                .calendar
                .peek(|e| slots[e.grain as usize].time == e.time);
            let Some(entry) = entry.filter(|e| e.time <= until) else {
                return Some(Stopped::Until);
            };
            match ahead {
                Ahead::Nothing => {}
                Ahead::Near { around } => ahead::ask_near::<_, L>(core, around),
                Ahead::Far => ahead::ask_far::<_, L>(core, &mut found[0]),
            }
            core.calendar.pop();
            core.clock.events_left -= 1;
            let (time, grain) = (entry.time, entry.grain);
            core.clock.now = time;
            let slot = &core.bodies.slots[grain as usize];
            let (event, hit) = (slot.event, slot.hit);
            let mut again = [grain, hit];
            let mut many = 1;
            let mut scope = Scope::All;
            // Grains that collide start a new piece of path: their number, and their former counts.
            let (mut struck, mut counts) = (0, [0.0; 2]);
            if event == next::HIT {
                if core.bodies.rows[hit as usize].0[COUNT] as u32 == slot.hit_count {
                    many = 2;
                    if FULL && bent::is_bent(core) {
                        struck = 2;
                        counts = again.map(|grain| core.bodies.rows[grain as usize].0[COUNT]);
                        bent::end_piece(core, grain as usize, time);
                        bent::end_piece(core, hit as usize, time);
                    }
                    // A grain whose contact is interrupted is predicted anew before any other event affects it.
                    if !(FULL && core.interrupt_pair([grain, hit], time, observer)) {
                        let pair = [grain, hit];
                        match core.collide::<L, O, FULL>(pair, time, &mut found[0], observer) {
                            Ok(foreseen) if FULL && foreseen => many = 0,
                            Ok(_) => {}
                            Err(stop) => return Some(stop),
                        }
                    }
                } else {
                    core.tally.work.stale += 1;
                }
            } else if FULL && event == next::PIECE {
                bent::end_piece(core, grain as usize, time);
                bent::begin_piece(core, grain as usize, time, false);
            } else if FULL && event == next::END {
                if let Some(partner) = core.end(grain, time, observer) {
                    again[1] = partner;
                    many = 2;
                }
            } else if event >= next::LOOK {
                core.tally.work.looks += 1;
            } else if event >= next::FACE {
                if core.lists.is_some() {
                    lists::renew_list::<_, L>(core, grain, time, &mut found[0]);
                } else if FULL
                    && core.shear.is_some()
                    && shear::leaves(core, grain, event - next::FACE)
                {
                    shear::carry(core, grain, event - next::FACE, time);
                } else {
                    scope = core.cross(grain, event - next::FACE);
                }
            } else if FULL && core.interrupt_one(grain, time, observer) {
            } else {
                if FULL && bent::is_bent(core) {
                    struck = 1;
                    counts[0] = core.bodies.rows[grain as usize].0[COUNT];
                    bent::end_piece(core, grain as usize, time);
                }
                if let Err(stop) = core.hit(grain, event - next::WALL, time, observer) {
                    return Some(stop);
                }
            }
            if FULL {
                for (&grain, before) in again[..struck].iter().zip(counts) {
                    let counted = core.bodies.rows[grain as usize].0[COUNT] != before;
                    bent::begin_piece(core, grain as usize, time, counted);
                }
            }
            match many {
                0 => {}
                1 => core.predict::<L, FULL>(grain, time, scope, &mut found[0]),
                _ => core.predict_two::<L, FULL>(again, time, &mut found),
            }
        }
        None
    }
}

/// Predicts the events of all grains.
pub(super) struct ForeseeAll<'a, D: Dimension>(pub &'a mut Core<D>);

impl<D: Dimension> Kernel for ForeseeAll<'_, D> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let mut found = Found::default();
        let now = self.0.clock.now;
        for grain in 0..self.0.bodies.rows.len() as u32 {
            // Used for all engines, including those with bent paths: once per run its cost is negligible.
            self.0
                .predict::<L, true>(grain, now, Scope::All, &mut found);
        }
    }
}

impl<D: Dimension> Core<D> {
    /// Moves a grain to the next place; returns the cells that came within reach.
    #[inline(always)]
    fn cross(&mut self, grain: u32, face: u32) -> Scope {
        self.tally.work.crossings += 1;
        let (axis, up) = ((face / 2) as usize, face % 2 == 1);
        let slot = &mut self.bodies.slots[grain as usize];
        let from = slot.at;
        let (to, wrapped) = self.cells.beside(from, axis, up);
        slot.at[axis] = to;
        // Upwards from an odd place, or downwards from an even one, it enters another cell.
        if (from[axis] % 2 == 1) == up {
            let to = slot.at;
            self.cells.remove(self.cells.index(from), grain);
            self.cells.insert(self.cells.index(to), grain);
            if wrapped {
                let sign = if up { 1 } else { -1 };
                self.bodies.wraps[grain as usize][axis] += sign;
                self.bodies.rows[grain as usize].0[axis] -=
                    f64::from(sign) * self.space.lengths[axis];
            }
        }
        Scope::Layer(axis as u8, up)
    }

    /// Present vector from one grain to another, by the nearest image, and relative velocity.
    #[inline(always)]
    fn between<const FULL: bool>(&self, a: u32, b: u32, t: f64) -> (D::Vector, D::Vector) {
        let (i, j) = (a as usize, b as usize);
        if FULL && bent::is_bent(self) {
            let ((x, v), (y, w)) = (bent::state_at(self, i, t), bent::state_at(self, j, t));
            return (bent::nearest_image(self, y - x), w - v);
        }
        if FULL && let Some(shear) = &self.shear {
            let [d, v] = self.between_sheared(shear, [i, j], t);
            return (d, v);
        }
        let (a, b) = (&self.bodies.rows[i], &self.bodies.rows[j]);
        let v = state::speed::<D>(b) - state::speed::<D>(a);
        let d = state::place::<D>(b) - state::place::<D>(a) + v * t;
        (bent::nearest_image(self, d), v)
    }

    /// Performs a collision of two grains at a time since the epoch; returns whether their next
    /// events are predicted already.
    #[inline(always)]
    fn collide<L: Lanes, O: Observer<D>, const FULL: bool>(
        &mut self,
        [a, b]: [u32; 2],
        t: f64,
        found: &mut Found,
        observer: &mut O,
    ) -> Result<bool, Stopped> {
        let (d, v) = self.between::<FULL>(a, b, t);
        let (i, j) = (a as usize, b as usize);
        let (square, rate) = (d.norm_squared(), d.dot(&v));
        let reach = self.bodies.rows[i].0[RADIUS] + self.bodies.rows[j].0[RADIUS];
        self.tally.deepest = self.tally.deepest.max(1.0 - square / (reach * reach));
        if rate >= 0.0 {
            // A graze caused by rounding: they already recede.
            self.tally.grazes += 1;
            limits::note(self, i, b, t, 0.0)?;
            limits::note(self, j, a, t, 0.0)?;
            return Ok(false);
        }
        let elastic = limits::check(self, i, b, t, rate * rate / square)?;
        let species = [self.bodies.slots[i].species, self.bodies.slots[j].species].map(usize::from);
        let pair = species[0] * self.rules.species + species[1];
        let mut rule = self.rules.pairs[pair];
        let (wi, wj) = (
            self.bodies.slots[i].inverse_mass,
            self.bodies.slots[j].inverse_mass,
        );
        let mut followed = None;
        if FULL && !elastic && !self.contacts.is_empty() {
            if self.contacts.is_alone(pair) {
                followed = self.follow_pair(pair, [i, j], d, v);
            } else if self.contacts.is_soft(pair) {
                match self.soften::<L, O>(pair, [a, b], [d, v], t, found, observer)? {
                    None => return Ok(true),
                    Some(blocked) => rule = blocked,
                }
            } else if let Some(by_law) = self.rule_by_law(pair, [i, j], d, v) {
                rule = by_law;
            }
        }
        let rule = match &followed {
            _ if elastic => Rule::smooth(1.0),
            Some((restitution, _)) => Rule::smooth(*restitution),
            None => rule,
        };
        // Without a square root: the impulse is -(1 + e) v.d / (d^2 (1/m1 + 1/m2)) times d.
        let share = -(1.0 + rule.restitution) * rate / (square * (wi + wj));
        let mut impulse = d * share;
        let mut lost = -0.5 * (1.0 - rule.restitution) * rate * share;
        let across = followed.map(|(_, across)| across).or_else(|| {
            let rough = rule.rough.as_ref()?;
            let distance = square.sqrt();
            let (ri, rj) = (self.bodies.rows[i].0[RADIUS], self.bodies.rows[j].0[RADIUS]);
            Some(rough.exchange(
                &Encounter::<D> {
                    normal: d * (1.0 / distance),
                    velocity: v,
                    inverse_mass: wi + wj,
                    inverse_inertia: (wi + wj) / D::BALL_INERTIA,
                    surface: self.bodies.turning[i].spin * ri + self.bodies.turning[j].spin * rj,
                },
                share * distance,
            ))
        });
        let mut lost_tangential = 0.0;
        if let Some(out) = across {
            let distance = square.sqrt();
            impulse += out.impulse;
            lost += out.lost;
            lost_tangential = out.lost;
            self.turn(i, &d, distance, &out, 1.0, t);
            self.turn(j, &d, distance, &out, -1.0, t);
        }
        if FULL && self.flux.is_some() {
            self.add_collision([i, j], [d, impulse], t);
        }
        state::kick::<D>(&mut self.bodies.rows[i], impulse * -wi, t);
        state::kick::<D>(&mut self.bodies.rows[j], impulse * wj, t);
        self.bodies.rows[i].0[COUNT] += 1.0;
        self.bodies.rows[j].0[COUNT] += 1.0;
        self.tally.collisions += 1;
        self.tally.virial += share * square;
        self.tally.lost += lost;
        let distance = square.sqrt();
        observer.collision(&Collision {
            time: self.clock.epoch + t,
            a: self.bodies.ids[i],
            b: Other::Grain(self.bodies.ids[j]),
            position: state::place_at::<D>(&self.bodies.rows[i], bent::pull(self, i), t),
            normal: d * (1.0 / distance),
            approach: -rate / distance,
            impulse,
            lost,
            lost_tangential,
            image: D::Vector::default(),
        });
        Ok(false)
    }

    /// Performs the collision of a grain with a surface of a wall at a time since the epoch.
    #[inline(never)]
    fn hit<O: Observer<D>>(
        &mut self,
        a: u32,
        surface: u32,
        t: f64,
        observer: &mut O,
    ) -> Result<(), Stopped> {
        let i = a as usize;
        let clock = self.clock.epoch + t;
        let (x, velocity) = bent::state_at(self, i, t);
        let r = self.bodies.rows[i].0[RADIUS];
        let face = self.walls.face(surface);
        let wall = face.wall;
        let Some(met) = self.walls.touch(face, x, r, clock) else {
            // Due to rounding another piece of the wall is touched.
            return limits::note(self, i, next::WALL + surface, t, 0.0);
        };
        let wall_velocity = met.velocity;
        let v = wall_velocity - velocity;
        let normal = -met.normal;
        let approach = -normal.dot(&v);
        self.tally.deepest = self.tally.deepest.max(1.0 - met.distance / r);
        let least = limits::least_departure(self, i, wall, normal, clock);
        if approach <= -least {
            self.tally.grazes += 1;
            return limits::note(self, i, next::WALL + surface, t, 0.0);
        }
        let elastic = limits::check(self, i, next::WALL + surface, t, approach * approach)?;
        let species = usize::from(self.bodies.slots[i].species);
        let pair =
            species * self.rules.species + usize::from(self.walls.wall(wall).boundary.material);
        let mut rule = self.rules.pairs[pair];
        let mut followed = None;
        if approach > 0.0 && !elastic && self.contacts.is_alone(pair) {
            followed = self.follow_wall(pair, i, &met, v);
        } else if approach > 0.0
            && !self.contacts.is_empty()
            && let Some(by_law) = self.wall_rule_by_law(pair, i, &met, v)
        {
            rule = by_law;
        }
        let rule = match &followed {
            _ if elastic => Rule::smooth(1.0),
            Some((restitution, _)) => Rule::smooth(*restitution),
            None => rule,
        };
        let inverse_mass = self.bodies.slots[i].inverse_mass;
        let parting = Parting::of(approach, rule.restitution, least, inverse_mass);
        let normal_impulse = parting.impulse;
        let mut impulse = normal * normal_impulse;
        let mut lost = parting.lost;
        let across = followed.map(|(_, across)| across).or_else(|| {
            let rough = rule.rough.as_ref()?;
            Some(rough.exchange(
                &Encounter::<D> {
                    normal,
                    velocity: v,
                    inverse_mass,
                    inverse_inertia: inverse_mass / D::BALL_INERTIA,
                    surface: self.bodies.turning[i].spin * r,
                },
                normal_impulse,
            ))
        });
        let mut lost_tangential = 0.0;
        if let Some(out) = across {
            impulse += out.impulse;
            lost += out.lost;
            lost_tangential = out.lost;
            self.turn(i, &normal, 1.0, &out, 1.0, t);
        }
        state::kick::<D>(&mut self.bodies.rows[i], impulse * -inverse_mass, t);
        self.bodies.rows[i].0[COUNT] += 1.0;
        self.tally.wall_hits += 1;
        self.tally.lost += lost;
        self.tally.lost_at_walls += lost;
        // Work done by a moving wall (thesis eq. 3.18, corrected).
        let work = -impulse.dot(&wall_velocity);
        self.tally.fed += work;
        let book = &mut self.wall_tallies[usize::from(wall)];
        book.impulse += impulse;
        book.normal += normal_impulse;
        book.moment += D::moment(x + normal * r - met.reference, impulse);
        book.work += work;
        book.hits += 1;
        book.lost += lost;
        observer.collision(&Collision {
            time: clock,
            a: self.bodies.ids[i],
            b: Other::Wall(u32::from(wall)),
            position: x,
            normal,
            approach,
            impulse,
            lost,
            lost_tangential,
            image: met.image,
        });
        Ok(())
    }

    /// Applies a collision to the spin of a rough grain. The tangential impulse acts on either body at its own side of the
    /// contact, so that both turn the same way; couples turn the first (`sign` 1) and the second (-1) in opposite directions.
    #[inline(never)]
    fn turn(
        &mut self,
        i: usize,
        along: &D::Vector,
        length: f64,
        out: &Exchange<D>,
        sign: f64,
        t: f64,
    ) {
        let (inverse_mass, r) = (
            self.bodies.slots[i].inverse_mass,
            self.bodies.rows[i].0[RADIUS],
        );
        let Some((spin, rotation)) = bent::turning_at(self, i, t) else {
            return;
        };
        let turning = &mut self.bodies.turning[i];
        turning.rotation = rotation;
        turning.spin = spin;
        turning.since = self.clock.epoch + t;
        turning.spin +=
            D::moment(-*along, out.impulse) * (inverse_mass / (D::BALL_INERTIA * r * length));
        if out.couple != D::Spin::default() {
            turning.spin += out.couple * (sign * inverse_mass / (D::BALL_INERTIA * r * r));
        }
    }
}
