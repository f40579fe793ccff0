//! Small displacements of all grains in touch at once, with what they do to links: how loads on
//! those that stand still are carried on.

use super::arrays::{Arrays, History, Status};
use super::changes::LinkChange;
use super::engine::Engine;
use super::integrate::Integrate;
use super::lists::{Kept, each_link};
use super::observe::{BodyMotion, Elastic, Kinematics, LinkView, coefficients, size};
use super::state::Other;
use super::still::{Push, Still, add};
use crate::contact::{AnyLaw, Law, with_law};
use crate::event::EventKind;
use crate::geometry::{Dimension, Vector};
use crate::vector::LANES;

/// A displacement, m, and a turn times the radius, m.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shift<D: Dimension> {
    /// Of the centre.
    pub way: D::Vector,
    /// Turn about the centre.
    pub turn: [f64; 3],
}

/// What must be put back when a displacement is taken back.
pub struct Before<D: Integrate> {
    arrays: Arrays<D>,
    still: Still,
    springs: Vec<Vec<D::History>>,
    at_walls: Vec<Vec<D::History>>,
    ways: [f64; 2],
}

impl<D: Integrate> Engine<D> {
    /// What a displacement would change.
    pub fn remember(&self) -> Before<D> {
        Before {
            arrays: self.state.arrays.clone(),
            still: self.state.still.clone(),
            springs: self
                .state
                .pairs
                .iter()
                .map(|class| class.lists.history.clone())
                .collect(),
            at_walls: self
                .state
                .walls
                .iter()
                .map(|class| class.lists.history.clone())
                .collect(),
            ways: [self.state.outer_way, self.state.inner_way],
        }
    }

    /// Takes a displacement back.
    pub fn take_back(&mut self, before: &Before<D>) {
        self.state.arrays.clone_from(&before.arrays);
        self.state.still.clone_from(&before.still);
        self.changes.clear();
        for (class, springs) in self.state.pairs.iter_mut().zip(&before.springs) {
            class.lists.history.clone_from(springs);
        }
        for (class, springs) in self.state.walls.iter_mut().zip(&before.at_walls) {
            class.lists.history.clone_from(springs);
        }
        [self.state.outer_way, self.state.inner_way] = before.ways;
        self.sort_still();
    }

    /// Slots that a displacement would strain a link of by more than `strain`, or move by more than
    /// `way`, both in radii.
    pub fn far(&self, shifts: &[Shift<D>], strain: f64, way: f64) -> Vec<u32> {
        let arrays = &self.state.arrays;
        let motion = |slot: u32| BodyMotion::<D> {
            position: arrays.position(slot as usize),
            velocity: shifts[slot as usize].way,
            spin: shifts[slot as usize].turn,
        };
        let mut far = vec![false; arrays.slots()];
        for slot in self.standing() {
            let s = slot as usize;
            let size = shifts[s].way.norm().max(size(shifts[s].turn));
            far[s] = size.is_nan() || size > way * arrays.radius(s);
        }
        let mut strained = |a: u32, b: u32| {
            let (i, j) = (a as usize, b as usize);
            let k = self.pair_kinematics_of([i, j], [motion(a), motion(b)]);
            if k.speed.abs().max(size(k.sliding)) > strain * arrays.radius(i).min(arrays.radius(j))
            {
                (far[i], far[j]) = (true, true);
            }
        };
        for kept in self.state.still.pairs.iter().flatten() {
            strained(kept.a, kept.b);
        }
        for class in &self.state.pairs {
            let lists = &class.lists;
            each_link(&lists.flags, |i, k| {
                let (a, b) = (lists.batches[i].a[k], lists.batches[i].b[k]);
                if self.stands(a) || self.stands(b) {
                    strained(a, b);
                }
            });
        }
        self.standing()
            .into_iter()
            .filter(|&slot| far[slot as usize])
            .collect()
    }

    /// Displaces grains by slot. Springs are strained along; those between grains that stand still
    /// give way to Coulomb's bound, those of stepped grains do so in their next step. Links that
    /// open are lost: to be kept with [`Engine::settle_shift`], or taken back. Gives the elastic energy of
    /// links between grains that stand still, J.
    pub fn shift(&mut self, shifts: &[Shift<D>]) -> Elastic {
        self.opened.clear();
        self.changes.clear();
        let pushed = self.rim_pushes();
        let motion = |slot: u32| BodyMotion::<D> {
            position: self.state.arrays.position(slot as usize),
            velocity: shifts[slot as usize].way,
            spin: shifts[slot as usize].turn,
        };
        // Strains by the geometry from which the displacements were found.
        let pair = |a: u32, b: u32| {
            self.pair_kinematics_of([a as usize, b as usize], [motion(a), motion(b)])
                .sliding
        };
        let mut pairs: Vec<Vec<[f64; 3]>> = Vec::new();
        let mut rim: Vec<Vec<(usize, usize, [f64; 3])>> = Vec::new();
        for (class, links) in self.state.still.pairs.iter().enumerate() {
            pairs.push(links.iter().map(|k| pair(k.a, k.b)).collect());
            let lists = &self.state.pairs[class].lists;
            let mut strains = Vec::new();
            each_link(&lists.flags, |i, k| {
                let (a, b) = (lists.batches[i].a[k], lists.batches[i].b[k]);
                strains.push((i, k, pair(a, b)));
            });
            rim.push(strains);
        }
        let walls: Vec<[f64; 3]> = self
            .state
            .still
            .walls
            .iter()
            .map(|(name, k)| {
                self.surface_kinematics_of(name.0, name.1, k.a, motion(k.a), self.time())
                    .map_or([0.0; 3], |kinematics| kinematics.sliding)
            })
            .collect();
        let mut at_walls: Vec<Vec<(usize, usize, [f64; 3])>> = Vec::new();
        for (class, wall) in self.state.walls.iter().enumerate() {
            let mut strains = Vec::new();
            each_link(&wall.lists.flags, |i, k| {
                let a = wall.lists.batches[i].a[k];
                let kinematics = self.wall_kinematics_of(class, a, motion(a), self.time());
                strains.push((i, k, kinematics.map_or([0.0; 3], |kin| kin.sliding)));
            });
            at_walls.push(strains);
        }
        let mut greatest = 0.0_f64;
        for (slot, shift) in shifts.iter().enumerate() {
            if matches!(
                self.state.arrays.status[slot],
                Status::Still | Status::Stepped
            ) {
                D::shift(&mut self.state.arrays, slot, shift.way, shift.turn);
                greatest = greatest.max(shift.way.norm());
            }
        }
        self.state.outer_way += greatest;
        self.state.inner_way += greatest;
        for (wall, strains) in self.state.walls.iter_mut().zip(at_walls) {
            for (i, k, by) in strains {
                let history = &mut wall.lists.history[i];
                let spring = history.lane(k);
                history.set_lane(k, std::array::from_fn(|j| spring[j] + by[j]));
            }
        }
        let strain = |spring: &mut [f64; 3], by: &[f64; 3]| {
            for (s, b) in spring.iter_mut().zip(by) {
                *s += b;
            }
        };
        let mut held = vec![[0.0; 6]; self.state.arrays.slots()];
        let mut elastic = Elastic::default();
        for (class, strains) in pairs.iter().enumerate() {
            let mut links = std::mem::take(&mut self.state.still.pairs[class]);
            let mut opened = std::mem::take(&mut self.opened);
            let mut changes = std::mem::take(&mut self.changes);
            let mut strains = strains.iter();
            let [a, b] = self.state.pairs[class].materials;
            let law = self.law(a, b);
            links.retain_mut(|link| {
                let kinematics = self.pair_kinematics(link.a, link.b);
                strain(&mut link.spring, strains.next().unwrap_or(&[0.0; 3]));
                let (a, other) = (link.a, Other::Slot(link.b));
                if kinematics.overlap <= 0.0 {
                    opened.push((link.a, link.b));
                    let lost = EventKind::RemoveLink;
                    changes.push(LinkChange::between(lost, a, other, &kinematics));
                    return false;
                }
                let slid = link.slip;
                let heat = bound(link, &coefficients(law, &kinematics));
                let slid = [slid, link.slip];
                changes.extend(LinkChange::across(slid, heat, a, other, &kinematics));
                let history = link.spring;
                let view = self.view(
                    link.a, other, law, kinematics, history, link.slip, link.calm,
                );
                let [on_a, on_b] = view.pushes();
                add(&mut held[link.a as usize], 1.0, &on_a);
                add(&mut held[link.b as usize], 1.0, &on_b);
                elastic += view.elastic;
                true
            });
            self.state.still.pairs[class] = links;
            self.opened = opened;
            self.changes = changes;
            for (i, k, by) in &rim[class] {
                let history = &mut self.state.pairs[class].lists.history[*i];
                let mut spring = history.lane(*k);
                strain(&mut spring, by);
                history.set_lane(*k, spring);
            }
        }
        let mut links = std::mem::take(&mut self.state.still.walls);
        let before = links.len();
        let mut strains = walls.iter();
        let mut changes = std::mem::take(&mut self.changes);
        links.retain_mut(|(name, link)| {
            strain(&mut link.spring, strains.next().unwrap_or(&[0.0; 3]));
            let Some(kinematics) = self.surface_kinematics(name.0, name.1, link.a) else {
                return false;
            };
            let (a, other) = (link.a, Other::Boundary(name.0));
            if kinematics.overlap <= 0.0 {
                let lost = EventKind::RemoveLink;
                changes.push(LinkChange::between(lost, a, other, &kinematics));
                return false;
            }
            let wall = &self.boundaries[usize::from(name.0)].boundary;
            let law = self.law(name.3, wall.material);
            let slid = link.slip;
            let heat = bound(link, &coefficients(law, &kinematics));
            let slid = [slid, link.slip];
            changes.extend(LinkChange::across(slid, heat, a, other, &kinematics));
            let history = link.spring;
            let view = self.view(
                link.a, other, law, kinematics, history, link.slip, link.calm,
            );
            add(&mut held[link.a as usize], 1.0, &view.pushes()[0]);
            elastic += view.elastic;
            true
        });
        self.changes = changes;
        self.opened_at_walls = before - links.len();
        self.state.still.walls = links;
        self.sort_still();
        self.state.still.held = held;
        self.close_gaps(&mut elastic);
        self.sum_still_walls();
        // Means of what stepped grains push go along with what the displacement did to their links.
        let evaluations = f64::from(self.state.still.evaluations);
        let then = pushed.into_iter().map(|(slot, push)| (slot, -1.0, push));
        let now = self.rim_pushes();
        for (slot, sign, push) in now.into_iter().map(|(s, p)| (s, 1.0, p)).chain(then) {
            let s = slot as usize;
            for (sum, part) in self.state.still.pushed[s].iter_mut().zip(push) {
                *sum += sign * evaluations * part;
            }
            let [fx, fy, fz, mx, my, mz] = push.map(|part| sign * part);
            D::add_force(&mut self.state.arrays, s, [fx, fy, fz], [mx, my, mz]);
        }
        elastic
    }

    /// What the springs of links with stepped grains would give in a displacement if they went on to
    /// push as now, J.
    pub fn given_by_stepped(&self, shifts: &[Shift<D>]) -> f64 {
        let mut sum = 0.0;
        let motion = |slot: u32| BodyMotion::<D> {
            position: self.state.arrays.position(slot as usize),
            velocity: shifts[slot as usize].way,
            spin: shifts[slot as usize].turn,
        };
        let mut add = |law: AnyLaw, k: &Kinematics<D>, spring: [f64; 3]| {
            let c = coefficients(law, k);
            let pull = c.kt * size(spring);
            let most = c.friction * c.elastic.max(0.0);
            let kt = if pull > most {
                c.kt * most / pull
            } else {
                c.kt
            };
            let across: f64 = (0..3).map(|j| spring[j] * k.sliding[j]).sum();
            sum += c.elastic * k.speed - kt * across;
        };
        for class in &self.state.pairs {
            let law = self.law(class.materials[0], class.materials[1]);
            let lists = &class.lists;
            each_link(&lists.flags, |i, k| {
                let (a, b) = (lists.batches[i].a[k], lists.batches[i].b[k]);
                let motions = [motion(a), motion(b)];
                let kinematics = self.pair_kinematics_of([a as usize, b as usize], motions);
                add(law, &kinematics, lists.history[i].lane(k));
            });
        }
        for (index, class) in self.state.walls.iter().enumerate() {
            let wall = &self.boundaries[usize::from(class.boundary)].boundary;
            let law = self.law(class.material, wall.material);
            let lists = &class.lists;
            each_link(&lists.flags, |i, k| {
                let a = lists.batches[i].a[k];
                if let Some(kinematics) = self.wall_kinematics_of(index, a, motion(a), self.time())
                {
                    add(law, &kinematics, lists.history[i].lane(k));
                }
            });
        }
        sum
    }

    /// Elastic energy of contacts of stepped grains that a displacement made and no evaluation has
    /// seen yet, J.
    pub fn unseen_elastic(&self) -> f64 {
        let mut sum = 0.0;
        let energy = |law: AnyLaw, overlap: f64, radius: f64| -> f64 {
            if overlap > 0.0 {
                with_law!(law, law => law.normal_energy(overlap, radius))
            } else {
                0.0
            }
        };
        for class in &self.state.pairs {
            let law = self.law(class.materials[0], class.materials[1]);
            for (batch, flags) in class.lists.batches.iter().zip(&class.lists.flags) {
                for k in (0..LANES).filter(|k| flags.touch >> k & 1 == 0) {
                    let (a, b) = (batch.a[k], batch.b[k]);
                    if a != b {
                        let kinematics = self.pair_kinematics(a, b);
                        sum += energy(law, kinematics.overlap, kinematics.radius);
                    }
                }
            }
        }
        for (index, class) in self.state.walls.iter().enumerate() {
            let wall = &self.boundaries[usize::from(class.boundary)].boundary;
            let law = self.law(class.material, wall.material);
            for (batch, flags) in class.lists.batches.iter().zip(&class.lists.flags) {
                for k in (0..LANES).filter(|k| flags.touch >> k & 1 == 0) {
                    let slot = batch.a[k];
                    if slot != 0
                        && let Some(kinematics) = self.wall_kinematics(index, slot)
                    {
                        sum += energy(law, kinematics.overlap, kinematics.radius);
                    }
                }
            }
        }
        sum
    }

    /// What each link with a stepped grain does to the one that stands still.
    pub(super) fn rim_pushes(&self) -> Vec<(u32, Push)> {
        let mut pushes = Vec::new();
        self.each_rim_link(|view| {
            let [on_a, on_b] = view.pushes();
            match view.b {
                Other::Slot(b) if self.stands(b) => pushes.push((b, on_b)),
                _ => pushes.push((view.a, on_a)),
            }
        });
        pushes
    }

    /// Keeps what the last displacement did: books links that opened and gaps that closed.
    pub fn settle_shift(&mut self) {
        self.book_changes();
        for (a, b) in std::mem::take(&mut self.opened) {
            self.state.clusters.remove_link(a, b);
            self.state.counts.closed += 1;
        }
        for (a, b) in std::mem::take(&mut self.closed) {
            self.state.clusters.insert_link(a, b);
            self.state.counts.opened += 1;
        }
        self.state.counts.closed += self.opened_at_walls as u64;
        self.state.counts.opened += self.closed_at_walls as u64;
    }

    /// Links between grains that stand still and overlap without one, and with walls: made anew,
    /// without stress across.
    fn close_gaps(&mut self, elastic: &mut Elastic) {
        let mut found: Vec<(u32, u32)> = Vec::new();
        let arrays = &self.state.arrays;
        for slot in self.standing() {
            let (x, r) = (arrays.position(slot as usize), arrays.radius(slot as usize));
            self.cells.near(x, r, |other| {
                let reach = r + arrays.radius(other as usize);
                if other > slot
                    && (x - arrays.position(other as usize)).norm_squared() < reach * reach
                {
                    found.push((slot, other));
                }
            });
        }
        let links = self.state.still.pairs.iter().flatten();
        let known = links.map(|k| (k.a.min(k.b), k.a.max(k.b)));
        // Mostly none has closed, and those that overlap are as many as there are links.
        if found.len() == known.clone().count() {
            found.clear();
        } else {
            let mut known: Vec<(u32, u32)> = known.collect();
            known.sort_unstable();
            found.retain(|pair| known.binary_search(pair).is_err());
        }
        found.sort_unstable();
        let n = self.laws.materials;
        for &(a, b) in &found {
            let of = |s: u32| usize::from(self.state.arrays.material[s as usize]);
            let class = self.class_of[of(a) * n + of(b)];
            let link = Kept::new(a, b);
            let view = self.kept_view(usize::from(class), &link);
            self.hold(&view, elastic);
            let new = EventKind::InsertLink;
            let change = LinkChange::between(new, a, Other::Slot(b), &view.kinematics);
            self.changes.push(change);
            self.state.still.pairs[usize::from(class)].push(link);
        }
        self.closed = found;
        let mut new = 0;
        let mut at_walls: Vec<(u32, u16, u32)> = self
            .state
            .still
            .walls
            .iter()
            .map(|(name, k)| (k.a, name.0, name.1))
            .collect();
        at_walls.sort_unstable();
        for slot in self.standing() {
            for boundary in 0..self.boundaries.len() {
                if self.state.gone[boundary] {
                    continue;
                }
                for surface in 0..self.boundaries[boundary].surfaces.len() {
                    let (b, s) = (boundary as u16, surface as u32);
                    let met = self
                        .surface_kinematics(b, s, slot)
                        .is_some_and(|kinematics| kinematics.overlap > 0.0);
                    if !met || at_walls.binary_search(&(slot, b, s)).is_ok() {
                        continue;
                    }
                    let side = self.side(boundary, surface, slot);
                    let name = (b, s, side, self.state.arrays.material[slot as usize]);
                    let link = Kept::new(slot, 0);
                    if let Some(view) = self.kept_wall_view(&name, &link) {
                        self.hold(&view, elastic);
                        let (new, other) = (EventKind::InsertLink, Other::Boundary(b));
                        let change = LinkChange::between(new, slot, other, &view.kinematics);
                        self.changes.push(change);
                    }
                    self.state.still.walls.push((name, link));
                    new += 1;
                }
            }
        }
        self.closed_at_walls = new;
    }

    /// A link that has just come about counts.
    fn hold(&mut self, view: &LinkView<D>, elastic: &mut Elastic) {
        *elastic += view.elastic;
        let [on_a, on_b] = view.pushes();
        add(&mut self.state.still.held[view.a as usize], 1.0, &on_a);
        if let Other::Slot(b) = view.b {
            add(&mut self.state.still.held[b as usize], 1.0, &on_b);
        }
    }
}

/// A spring gives way to Coulomb's bound. Gives the elastic energy that this sets free, and the same as
/// the thesis has it (4.36), J.
fn bound(link: &mut Kept, c: &super::observe::Coefficients) -> [f64; 2] {
    let most = c.friction * c.elastic.max(0.0);
    let pull = c.kt * size(link.spring);
    link.slip = pull > most;
    if link.slip {
        link.spring = link.spring.map(|s| s * (most / pull));
        let way = (pull - most) / c.kt;
        return [0.5 * (pull + most) * way, pull * way];
    }
    [0.0; 2]
}
