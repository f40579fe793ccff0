//! Grains that stand still: in equilibrium, not stepped, woken by what changes about them.
//!
//! A link between two of them, or of one with a wall, costs nothing: it lies here with its spring,
//! and each of them keeps the force of all its links that do. Links with stepped grains stay in the
//! lists as always; what those push is gathered at each evaluation. So what a still grain lacks to
//! equilibrium, weight and all forces together, is known at any time and never forgotten.

use serde::{Deserialize, Serialize};

use super::arrays::Status;
use super::engine::{Engine, three};
use super::integrate::Integrate;
use super::kinematics::Kinematics;
use super::lists::{History, Kept, each_link};
use super::observe::LinkView;
use super::resting::RestingLinks;
use super::state::Other;

/// Boundary, surface, side and material of a class of links with walls.
pub type WallName = (u16, u32, bool, u16);

/// A force, N, and a moment over the radius, N.
pub type Push = [f64; 6];

/// Where a link is in the lists: whether with a wall, class, batch and lane.
pub(super) type Place = (bool, usize, usize, usize);

/// What is kept of grains that stand still.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Still {
    /// Links between two of them.
    pub pairs: RestingLinks,
    /// Links of them with walls.
    pub walls: Vec<(WallName, Kept)>,
    /// By slot: forces of these links.
    pub held: Vec<Push>,
    /// By slot: forces of links with stepped grains, summed over the evaluations since the last
    /// look.
    pub pushed: Vec<Push>,
    /// Evaluations in `pushed`.
    pub evaluations: u32,
    /// Those that a stepped grain is near to, ascending.
    pub rim: Vec<u32>,
    /// By slot: looks in a row at which a stepped grain was calm.
    pub calm: Vec<u16>,
    /// How many stand still.
    pub count: usize,
    /// Links with walls came or went since `at_walls` was summed.
    pub walls_changed: bool,
    /// What each boundary does to them: force, N, and moment about its point of reference, N m.
    pub at_walls: Vec<[f64; 6]>,
    /// Links that were lost with grains or boundaries taken away.
    pub lost: u64,
}

impl Still {
    /// Makes room for so many slots: none is taken in runs in which nobody ever stands still.
    pub fn make_room(&mut self, slots: usize) {
        self.held.resize(slots, [0.0; 6]);
        self.pushed.resize(slots, [0.0; 6]);
        self.calm.resize(slots, 0);
    }

    /// New numbers of slots; `order` names the old slot of each new one.
    pub(super) fn renumber(&mut self, order: &[u32], new_slot: &[u32]) {
        if self.held.is_empty() {
            return;
        }
        self.make_room(new_slot.len());
        let held = order.iter().map(|&o| self.held[o as usize]).collect();
        let pushed = order.iter().map(|&o| self.pushed[o as usize]).collect();
        let calm = order.iter().map(|&o| self.calm[o as usize]).collect();
        (self.held, self.pushed, self.calm) = (held, pushed, calm);
        self.pairs.renumber(new_slot);
        let new = |slot: &mut u32| *slot = new_slot[*slot as usize];
        for (_, kept) in &mut self.walls {
            new(&mut kept.a);
        }
        self.rim.iter_mut().for_each(new);
    }
}

pub(super) fn add(to: &mut Push, sign: f64, push: &Push) {
    for (to, by) in to.iter_mut().zip(push) {
        *to += sign * by;
    }
}

impl<D: Integrate> LinkView<D> {
    /// What the link does to its first ball, and to its second.
    fn at_balls(&self) -> [Push; 2] {
        let n = self.kinematics.normal;
        let force = n * self.normal_force + self.tangential_force;
        let moment = D::moment(-n, self.tangential_force);
        let f = three(force);
        let m: [f64; 3] = std::array::from_fn(|k| {
            if k < D::SPINS {
                D::spin_component(moment, k)
            } else {
                0.0
            }
        });
        // Forces are opposite, moments over radii alike.
        [
            [f[0], f[1], f[2], m[0], m[1], m[2]],
            [-f[0], -f[1], -f[2], m[0], m[1], m[2]],
        ]
    }
}

impl<D: Integrate> Engine<D> {
    /// What a link does to its first body, and to its second.
    pub fn pushes(&self, view: &LinkView<D>) -> [Push; 2] {
        let [on_a, on_b] = view.at_balls();
        let [a, b] = view.balls;
        let at_grain = |slot: u32, push: Push| match self.lever(slot) {
            Some(lever) => lever.at_grain(push),
            None => push,
        };
        [at_grain(a, on_a), at_grain(b, on_b)]
    }

    /// Whether a slot holds a grain that stands still, or a part of one.
    pub fn stands(&self, slot: u32) -> bool {
        self.state.arrays.status[self.owner(slot) as usize].stands()
    }

    /// Whether two candidates that stand still are linked: grains, or of clumps their parts.
    pub(super) fn joined(&self, a: u32, b: u32) -> bool {
        let pairs = &self.state.still.pairs;
        if self.state.bodies.list.is_empty() {
            return pairs.joins(a, b);
        }
        pairs.of(self.owner(a)).any(|index| {
            let link = pairs.get(index).1;
            let ends = [self.candidate(link.a), self.candidate(link.b)];
            ends == [a, b] || ends == [b, a]
        })
    }

    /// Marks slots, with their parts.
    fn marked(&self, slots: &[u32]) -> Vec<bool> {
        let mut marked = vec![false; self.state.arrays.slots()];
        for &slot in slots {
            marked[slot as usize] = true;
        }
        self.mark_parts(&mut marked);
        marked
    }

    /// Slots that stand still, ascending.
    pub fn standing(&self) -> Vec<u32> {
        let slots = self.state.arrays.slots() as u32;
        let status = &self.state.arrays.status;
        (1..slots)
            .filter(|&slot| status[slot as usize] == Status::Still)
            .collect()
    }

    /// Stops stepped slots where they are, to stand still. The lists must be renewed before the next
    /// step.
    pub fn stop(&mut self, slots: &[u32]) {
        if slots.is_empty() {
            return;
        }
        let chosen = self.marked(slots);
        let before = self.slidings(&chosen);
        let mut stopped = 0;
        for &slot in slots {
            let s = slot as usize;
            // What others step, others book.
            let still = match self.state.arrays.status[s] {
                Status::Ghost => Status::StillGhost,
                _ => {
                    self.book_dampers(s);
                    stopped += 1;
                    Status::Still
                }
            };
            D::stop(&mut self.state.arrays, s);
            self.state.arrays.clear_force(s);
            self.state.arrays.status[s] = still;
            self.state.still.held[s] = [0.0; 6];
            self.state.still.pushed[s] = [0.0; 6];
            self.state.still.calm[s] = 0;
            self.halt_body(slot);
        }
        self.put_displaced(slots);
        for &slot in slots {
            for touching in self.touching_of(slot) {
                let s = touching as usize;
                let (x, r) = (self.state.arrays.position(s), self.state.arrays.radius(s));
                self.cells.insert(touching, x, r);
            }
        }
        self.state.still.count += stopped;
        self.border.ghosts.retain(|&s| !chosen[s as usize]);
        self.state.active.retain(|&s| !chosen[s as usize]);
        self.state.fresh.retain(|&s| !chosen[s as usize]);
        // Springs stand a part of a step ahead of positions, at the speed of sliding: it has changed.
        let after = self.timing().after * self.options.step;
        let now = self.slidings(&chosen);
        for ((place, then), (_, now)) in before.into_iter().zip(now) {
            let by: [f64; 3] = std::array::from_fn(|k| after * (now[k] - then[k]));
            let (of_walls, class, batch, lane) = place;
            let history = if of_walls {
                &mut self.state.walls[class].lists.history
            } else {
                &mut self.state.pairs[class].lists.history
            };
            let spring = history[batch].lane(lane);
            history[batch].set_lane(lane, std::array::from_fn(|k| spring[k] + by[k]));
        }
    }

    /// Where the links of some slots are, and how fast their surfaces slide.
    fn slidings(&self, chosen: &[bool]) -> Vec<(Place, [f64; 3])> {
        let mut found = Vec::new();
        for (class, pairs) in self.state.pairs.iter().enumerate() {
            let lists = &pairs.lists;
            each_link(&lists.flags, |i, k| {
                let (a, b) = (lists.batches[i].a[k], lists.batches[i].b[k]);
                if chosen[a as usize] || chosen[b as usize] {
                    found.push(((false, class, i, k), self.pair_kinematics(a, b).sliding));
                }
            });
        }
        for (class, walls) in self.state.walls.iter().enumerate() {
            let lists = &walls.lists;
            each_link(&lists.flags, |i, k| {
                let a = lists.batches[i].a[k];
                if chosen[a as usize]
                    && let Some(kinematics) = self.wall_kinematics(class, lists.batches[i].of(k))
                {
                    found.push(((true, class, i, k), kinematics.sliding));
                }
            });
        }
        found
    }

    /// Books what the dampers of a slot take in the half step before the time of evaluation, which
    /// the stride to come would have booked.
    fn book_dampers(&mut self, slot: usize) {
        let arrays = &self.state.arrays;
        let (f, t) = D::damper(arrays, slot);
        let (v, s) = (three(arrays.velocity(slot)), D::surface_spin(arrays, slot));
        let power: f64 = (0..3).map(|k| f[k] * v[k] + t[k] * s[k]).sum();
        self.state.flows.damping -= 0.5 * self.options.step * power;
    }

    /// Slots that stand still begin to step, with the forces that their links have. The lists must be
    /// renewed before the next step.
    pub fn wake(&mut self, slots: &[u32]) {
        if slots.is_empty() {
            return;
        }
        let chosen = self.marked(slots);
        self.state.still.rim.retain(|&slot| !chosen[slot as usize]);
        for &slot in slots {
            let s = slot as usize;
            for touching in self.touching_of(slot) {
                self.cells.remove(touching);
            }
            let held = std::mem::take(&mut self.state.still.held[s]);
            let [fx, fy, fz, mx, my, mz] = held;
            D::add_force(&mut self.state.arrays, s, [fx, fy, fz], [mx, my, mz]);
            self.state.still.pushed[s] = [0.0; 6];
            self.state.still.calm[s] = 0;
            if self.state.arrays.status[s].is_ghost() {
                self.state.arrays.status[s] = Status::Ghost;
                self.border.ghosts.push(slot);
                continue;
            }
            self.state.arrays.status[s] = Status::Stepped;
            self.state.still.count -= 1;
            self.state.active.push(slot);
            self.state.in_order = false;
            self.state.fresh.push(slot);
        }
        for &woken in slots {
            loop {
                let first = self.state.still.pairs.of(woken).next();
                let Some(index) = first else { break };
                let (class, kept) = self.state.still.pairs.remove(index);
                let [on_a, on_b] = self.pushes(&self.kept_view(class, &kept));
                for (slot, push) in [(self.owner(kept.a), on_a), (self.owner(kept.b), on_b)] {
                    if !chosen[slot as usize] {
                        add(&mut self.state.still.held[slot as usize], -1.0, &push);
                        // From now on it counts as pushed; there was none of it yet in this look.
                        let part = f64::from(self.state.still.evaluations);
                        add(&mut self.state.still.pushed[slot as usize], part, &push);
                        let [fx, fy, fz, mx, my, mz] = push;
                        let arrays = &mut self.state.arrays;
                        D::add_force(arrays, slot as usize, [fx, fy, fz], [mx, my, mz]);
                    }
                }
                self.waking[class].push(kept);
            }
        }
        let (woken, asleep): (Vec<_>, Vec<_>) = std::mem::take(&mut self.state.still.walls)
            .into_iter()
            .partition(|(_, k)| chosen[k.a as usize]);
        self.state.still.walls = asleep;
        self.state.still.walls_changed |= !woken.is_empty();
        self.waking_walls.extend(woken);
    }

    /// Links both of whose ends stand still, of those carried through a renewal, are laid aside.
    pub(super) fn lay_aside(
        &mut self,
        kept: &mut [Vec<Kept>],
        at_walls: &mut Vec<(WallName, Kept)>,
    ) {
        if self.state.still.count == 0 {
            return;
        }
        self.know_arcs();
        for (class, kept) in kept.iter_mut().enumerate() {
            let (aside, rest): (Vec<Kept>, Vec<Kept>) = std::mem::take(kept)
                .into_iter()
                .partition(|k| self.stands(k.a) && self.stands(k.b));
            *kept = rest;
            for link in &aside {
                let [on_a, on_b] = self.pushes(&self.kept_view(class, link));
                let ends = [self.owner(link.a), self.owner(link.b)];
                add(&mut self.state.still.held[ends[0] as usize], 1.0, &on_a);
                add(&mut self.state.still.held[ends[1] as usize], 1.0, &on_b);
                self.state.still.pairs.insert(class, *link, ends);
            }
        }
        let (aside, rest): (Vec<_>, Vec<_>) = std::mem::take(at_walls)
            .into_iter()
            .partition(|(_, k)| self.stands(k.a));
        *at_walls = rest;
        for (name, link) in &aside {
            if let Some(view) = self.kept_wall_view(name, link) {
                let [on_a, _] = self.pushes(&view);
                add(&mut self.state.still.held[view.a as usize], 1.0, &on_a);
            }
        }
        self.state.still.walls_changed |= !aside.is_empty();
        self.state.still.walls.extend(aside);
    }

    /// A link between two that stand still.
    pub(super) fn kept_view(&self, class: usize, kept: &Kept) -> LinkView<D> {
        self.kept_view_with(class, kept, self.pair_kinematics(kept.a, kept.b))
    }

    /// The same from what is known of how its ends lie.
    pub(super) fn kept_view_with(
        &self,
        class: usize,
        kept: &Kept,
        k: Kinematics<D>,
    ) -> LinkView<D> {
        let [a, b] = self.state.pairs[class].materials;
        let (other, law) = (Other::Slot(kept.b), self.law(a, b));
        self.view(kept.a, other, law, k, kept.spring, kept.slip, kept.calm)
    }

    /// A link of one that stands still with a wall.
    pub(super) fn kept_wall_view(&self, name: &WallName, kept: &Kept) -> Option<LinkView<D>> {
        let kinematics = self.surface_kinematics(name.0, name.1, kept.a)?;
        Some(self.kept_wall_view_with(name, kept, kinematics))
    }

    /// The same from what is known of how they lie.
    pub(super) fn kept_wall_view_with(
        &self,
        name: &WallName,
        kept: &Kept,
        k: Kinematics<D>,
    ) -> LinkView<D> {
        let &(boundary, _, _, material) = name;
        let wall = self.boundaries[usize::from(boundary)].boundary.material;
        let (other, law) = (Other::Boundary(boundary), self.law(material, wall));
        self.view(kept.a, other, law, k, kept.spring, kept.slip, kept.calm)
    }

    /// What a still slot lacks to equilibrium: weight, the force of its links, and the mean force of
    /// stepped grains since the last look, N; moments over the radius, N.
    pub fn residual(&self, slot: u32) -> Push {
        let s = slot as usize;
        let still = &self.state.still;
        let mut sum = still.held[s];
        let mass = 1.0 / self.state.arrays.inverse_mass(s);
        for k in 0..D::N {
            sum[k] += mass * self.gravity[k];
        }
        add(&mut sum, 1.0, &self.mean_push(slot));
        sum
    }

    /// Sum of the normal forces of a still slot's links with other grains at rest, N.
    pub fn pressed(&self, slot: u32) -> f64 {
        let pairs = &self.state.still.pairs;
        let force = |index| {
            let (class, kept) = pairs.get(index);
            self.kept_view(class, kept).normal_force
        };
        pairs.of(slot).map(force).sum()
    }

    /// Mean force of stepped grains on a still slot since the last look, N; moment over the radius, N.
    pub fn mean_push(&self, slot: u32) -> Push {
        let (s, still) = (slot as usize, &self.state.still);
        if still.evaluations > 0 {
            return still.pushed[s].map(|sum| sum / f64::from(still.evaluations));
        }
        let (f, m) = D::force(&self.state.arrays, s);
        [f[0], f[1], f[2], m[0], m[1], m[2]]
    }

    /// Force of all links on a still slot at the last evaluation, N; moment over the radius, N.
    pub fn contact_force(&self, slot: u32) -> Push {
        let mut sum = self.state.still.held[slot as usize];
        let (f, m) = D::force(&self.state.arrays, slot as usize);
        add(&mut sum, 1.0, &[f[0], f[1], f[2], m[0], m[1], m[2]]);
        sum
    }

    /// Begins a new look: means of forces are taken from now on.
    pub fn begin_look(&mut self) {
        let still = &mut self.state.still;
        for &slot in &still.rim {
            still.pushed[slot as usize] = [0.0; 6];
        }
        self.state.still.evaluations = 0;
    }

    /// Calls back with each link both of whose ends stand still, walls included.
    pub fn each_still_link(&self, mut f: impl FnMut(LinkView<D>)) {
        for (class, kept) in self.state.still.pairs.iter() {
            f(self.kept_view(class, kept));
        }
        for (name, kept) in &self.state.still.walls {
            if let Some(view) = self.kept_wall_view(name, kept) {
                f(view);
            }
        }
    }

    /// Calls back with the bodies of each link both of whose ends stand still, walls included, and
    /// whether it slides.
    pub fn each_still_bond(&self, mut f: impl FnMut(u32, Other, bool)) {
        for (_, kept) in self.state.still.pairs.iter() {
            f(
                self.owner(kept.a),
                Other::Slot(self.owner(kept.b)),
                kept.slip,
            );
        }
        for (name, kept) in &self.state.still.walls {
            f(self.owner(kept.a), Other::Boundary(name.0), kept.slip);
        }
    }

    /// Calls back with each link between a grain that stands still and a stepped one.
    pub fn each_rim_link(&self, mut f: impl FnMut(LinkView<D>)) {
        if self.state.still.count == 0 {
            return;
        }
        for class in &self.state.pairs {
            let law = self.law(class.materials[0], class.materials[1]);
            let l = &class.lists;
            each_link(&l.flags, |i, k| {
                let (a, b) = (l.batches[i].a[k], l.batches[i].b[k]);
                if self.stands(a) != self.stands(b) {
                    let kinematics = self.pair_kinematics(a, b);
                    let slip = l.flags[i].slip >> k & 1 == 1;
                    let (spring, calm) = (l.history[i].lane(k), l.calm[i][k]);
                    f(self.view(a, Other::Slot(b), law, kinematics, spring, slip, calm));
                }
            });
        }
    }

    /// Forgets links of grains that are taken away, or of a boundary that is; what they held up is
    /// left to the others' residuals.
    pub(super) fn forget_still(&mut self, gone: impl Fn(u32) -> bool, wall: Option<u16>) -> u64 {
        let mut lost = 0;
        let mut index = 0;
        while index < self.state.still.pairs.len() as u32 {
            let (class, &kept) = self.state.still.pairs.get(index);
            if !gone(kept.a) && !gone(kept.b) {
                index += 1;
                continue;
            }
            self.state.still.pairs.remove(index);
            let [on_a, on_b] = self.pushes(&self.kept_view(class, &kept));
            let [a, b] = [self.owner(kept.a), self.owner(kept.b)];
            add(&mut self.state.still.held[a as usize], -1.0, &on_a);
            add(&mut self.state.still.held[b as usize], -1.0, &on_b);
            self.state.clusters.remove_link(a, b);
            lost += 1;
        }
        let (away, rest): (Vec<_>, Vec<_>) = std::mem::take(&mut self.state.still.walls)
            .into_iter()
            .partition(|(name, k)| gone(k.a) || Some(name.0) == wall);
        self.state.still.walls = rest;
        for (name, kept) in &away {
            if let Some(view) = self.kept_wall_view(name, kept) {
                let [on_a, _] = self.pushes(&view);
                add(&mut self.state.still.held[view.a as usize], -1.0, &on_a);
            }
        }
        self.sum_still_walls();
        lost += away.len() as u64;
        self.state.still.lost += lost;
        lost
    }

    /// Makes the cells of grains that stand still anew.
    pub fn sort_still(&mut self) {
        let arrays = &self.state.arrays;
        let bodies: Vec<(u32, D::Vector, f64)> = (1..arrays.slots() as u32)
            .filter(|&slot| arrays.status[slot as usize].stands())
            .flat_map(|slot| self.touching_of(slot))
            .map(|slot| {
                let s = slot as usize;
                (slot, arrays.position(s), arrays.radius(s))
            })
            .collect();
        self.cells.build(&bodies, self.options.outer_margin);
    }
}
