//! Changes from outside: grains removed, gates opened, forces added.

use super::Other;
use super::arrays::Status;
use super::engine::Engine;
use super::integrate::Integrate;
use super::integrate::IntegratorName;
use super::kinematics::Kinematics;
use super::lists::{History, Lists, Remembered, each_link};
use super::observe::{Elastic, LinkView};
use crate::geometry::Dimension;
use crate::vector::LANES;

/// Peers of each slot by links between grains.
#[derive(Clone, Debug, Default)]
pub struct Adjacency {
    start: Vec<u32>,
    peers: Vec<u32>,
}

impl Adjacency {
    /// Calls back with each peer of a slot.
    pub fn each(&self, slot: u32, f: &mut dyn FnMut(u32)) {
        let s = slot as usize;
        for &peer in &self.peers[self.start[s] as usize..self.start[s + 1] as usize] {
            f(peer);
        }
    }
}

impl<D: Integrate> Engine<D> {
    /// Links between grains, by slot.
    pub fn adjacency(&self) -> Adjacency {
        let slots = self.state.arrays.slots();
        let mut start = vec![0u32; slots + 1];
        self.each_pair(|a, b| {
            start[a as usize + 1] += 1;
            start[b as usize + 1] += 1;
        });
        for s in 0..slots {
            start[s + 1] += start[s];
        }
        let mut next = start.clone();
        let mut peers = vec![0; start[slots] as usize];
        self.each_pair(|a, b| {
            for (a, b) in [(a, b), (b, a)] {
                peers[next[a as usize] as usize] = b;
                next[a as usize] += 1;
            }
        });
        Adjacency { start, peers }
    }

    /// Makes the index of clusters exact: looks at the links that were lost since the last call.
    pub fn find_splits(&mut self) {
        if self.state.clusters.needs_refresh() {
            let neighbours = self.adjacency();
            let state = &mut self.state;
            state.clusters.refresh(|slot, f| neighbours.each(slot, f));
        }
    }

    fn each_pair(&self, mut f: impl FnMut(u32, u32)) {
        for class in &self.state.pairs {
            each_link(&class.lists.flags, |i, k| {
                let batch = &class.lists.batches[i];
                f(self.owner(batch.a[k]), self.owner(batch.b[k]));
            });
        }
        let still = self.state.still.pairs.iter().map(|(_, kept)| kept);
        for kept in still.chain(self.waking.iter().flatten()) {
            f(self.owner(kept.a), self.owner(kept.b));
        }
    }

    /// Number of links in touch, and of those that slide.
    pub fn link_count(&self) -> (u64, u64) {
        let (mut touch, mut slip) = (0, 0);
        let pairs = self.state.pairs.iter().map(|c| &c.lists.flags);
        for flags in pairs
            .chain(self.state.walls.iter().map(|c| &c.lists.flags))
            .flatten()
        {
            touch += u64::from(flags.touch.count_ones());
            slip += u64::from((flags.slip & flags.touch).count_ones());
        }
        let still = &self.state.still;
        let walls = still.walls.iter().map(|(_, kept)| kept);
        let pairs = still.pairs.iter().map(|(_, kept)| kept);
        for kept in pairs.chain(walls) {
            touch += 1;
            slip += u64::from(kept.slip);
        }
        (touch, slip)
    }

    /// Links of these grains are about to end: noted for the log if it wants links, as at `time` (s); gives the
    /// elastic energy that they hold.
    pub fn end_links_of(&mut self, slots: &[u32], time: f64) -> Elastic {
        let mut goes = vec![false; self.state.arrays.slots()];
        for &slot in slots {
            goes[slot as usize] = true;
        }
        self.end_links(time, |link| {
            let other = matches!(link.b, Other::Slot(s) if goes[s as usize]);
            goes[link.a as usize] || other
        })
    }

    /// The same of links with a boundary.
    pub fn end_links_with(&mut self, boundary: usize, time: f64) -> Elastic {
        self.end_links(time, |link| link.b == Other::Boundary(boundary as u16))
    }

    fn end_links(&mut self, time: f64, ends: impl Fn(&LinkView<D>) -> bool) -> Elastic {
        let mut elastic = Elastic::default();
        let (logged, mut ended) = (self.options.log_links, Vec::new());
        self.each_link_view(|link: LinkView<D>| {
            if ends(&link) {
                elastic += link.elastic.times(self.share_of(&link));
                if logged {
                    ended.push(link.end(time));
                }
            }
        });
        self.link_events.append(&mut ended);
        elastic
    }

    /// Removes grains with their links.
    pub fn remove(&mut self, slots: &[u32]) {
        let mut gone = vec![false; self.state.arrays.slots()];
        for &slot in slots {
            gone[slot as usize] = true;
        }
        self.mark_parts(&mut gone);
        // Where space is periodic there is no place so far off that nothing touches what is there.
        let periodic = self.timing().periodic.is_some();
        let mut lost = Vec::new();
        for class in &mut self.state.pairs {
            drop_links(
                &mut class.lists,
                |a, b| gone[a as usize] || gone[b as usize],
                &mut lost,
                periodic,
            );
        }
        for &(a, b) in &lost {
            let (a, b) = (self.owner(a), self.owner(b));
            self.state.clusters.remove_link(a, b);
        }
        let mut at_walls = Vec::new();
        for class in &mut self.state.walls {
            drop_links(
                &mut class.lists,
                |a, _| gone[a as usize],
                &mut at_walls,
                periodic,
            );
        }
        let counted = lost.iter().filter(|(a, _)| !self.is_ghost(*a)).count();
        self.state.counts.closed += (counted + at_walls.len()) as u64;
        self.state.counts.closed += self.forget_still(|slot| gone[slot as usize], None);
        for &slot in slots {
            if self.stands(slot) {
                for touching in self.touching_of(slot) {
                    self.cells.remove(touching);
                }
                self.state.still.count -= usize::from(!self.is_ghost(slot));
                self.state.still.rim.retain(|&s| s != slot);
            }
            self.state.clusters.remove_grain(slot);
            self.state.arrays.vacate(slot as usize);
        }
        self.vacate_parts(&gone);
        // Anew at once: who looks before the next step must find all in their places.
        self.forget_arcs();
        self.know_arcs();
        self.state.active.retain(|&s| !gone[s as usize]);
        self.state.fresh.retain(|&s| !gone[s as usize]);
        self.border.ghosts.retain(|&s| !gone[s as usize]);
    }

    /// Links that are there from the start hold no stress in their tangential springs at time 0. The first evaluation, which
    /// is about to be made, carries springs on by a part of a step, and finds them that much back; the midpoint rule's lies
    /// that part of a step after time 0.
    pub fn start_springs(&mut self) {
        if self.options.integrator == IntegratorName::Midpoint {
            return;
        }
        let timing = self.timing();
        let back = timing.before * timing.step;
        for class in 0..self.state.pairs.len() {
            let mut lists = std::mem::take(&mut self.state.pairs[class].lists);
            for (batch, history) in lists.batches.iter().zip(&mut lists.history) {
                for (k, (&a, &b)) in batch.a.iter().zip(&batch.b).enumerate() {
                    if a != b {
                        set_back(history, k, &self.pair_kinematics(a, b), back);
                    }
                }
            }
            self.state.pairs[class].lists = lists;
        }
        for class in 0..self.state.walls.len() {
            let mut lists = std::mem::take(&mut self.state.walls[class].lists);
            for (batch, history) in lists.batches.iter().zip(&mut lists.history) {
                for k in (0..LANES).filter(|&k| batch.a[k] != 0) {
                    if let Some(kinematics) = self.wall_kinematics(class, batch.of(k)) {
                        set_back(history, k, &kinematics, back);
                    }
                }
            }
            self.state.walls[class].lists = lists;
        }
    }

    /// Takes a boundary away with its links.
    pub fn open(&mut self, boundary: usize) {
        self.state.gone[boundary] = true;
        let mut closed = 0;
        self.state.walls.retain(|class| {
            let keep = usize::from(class.boundary) != boundary;
            if !keep {
                closed += class
                    .lists
                    .flags
                    .iter()
                    .map(|f| u64::from(f.touch.count_ones()))
                    .sum::<u64>();
            }
            keep
        });
        self.state.counts.closed += closed;
        self.state.counts.closed += self.forget_still(|_| false, Some(boundary as u16));
    }

    /// Gives a moving grain more velocity, at the time of evaluation (a flyer: at the start of its
    /// path).
    pub fn kick(&mut self, slot: u32, velocity: D::Vector) {
        let (arrays, s) = (&mut self.state.arrays, slot as usize);
        for k in 0..D::N {
            arrays.rows[s].0[4 + k] += velocity[k];
            arrays.state[s].0[k] += velocity[k];
        }
    }

    /// Another gravity acts since so long (s, less than a step) before this evaluation, and was not
    /// foreseen: velocities at the time of evaluation are put right by that, and those that leapfrogs
    /// carry follow.
    pub fn jump_gravity(&mut self, gravity: D::Vector, ago: f64) {
        use IntegratorName::{Euler, Heun};
        let jump = gravity - self.gravity;
        self.gravity = gravity;
        let half = match self.options.integrator {
            Euler | Heun => 0.0,
            _ => 0.5 * self.options.step,
        };
        for &slot in &self.state.active {
            let carried = &mut self.state.arrays.state[slot as usize].0;
            for k in 0..D::N {
                carried[k] += (ago - half) * jump[k];
            }
        }
    }

    /// Whether a slot holds a grain that flies.
    pub fn flies(&self, slot: usize) -> bool {
        self.state.arrays.status[slot] == Status::Flying
    }
}

/// Sets a spring back by so much time. Grains that just touch, give or take a rounding, are left to
/// the rule for links that form.
fn set_back<D: Dimension, H: History>(history: &mut H, k: usize, at: &Kinematics<D>, back: f64) {
    if at.overlap > 1e-12 * at.radius {
        history.set_lane(k, at.sliding.map(|speed| -back * speed));
    }
}

/// Drops the links of those gone; with `candidates` also the lanes of who is near them and not in touch.
fn drop_links<H: History>(
    lists: &mut Lists<H>,
    gone: impl Fn(u32, u32) -> bool,
    lost: &mut Vec<(u32, u32)>,
    candidates: bool,
) {
    let mut dropped = Vec::new();
    each_link(&lists.flags, |i, k| {
        let (a, b) = (lists.batches[i].a[k], lists.batches[i].b[k]);
        if gone(a, b) {
            dropped.push((i, k));
            lost.push((a, b));
        }
    });
    for (i, k) in dropped {
        lists.flags[i].touch &= !(1 << k);
        lists.flags[i].slip &= !(1 << k);
        lists.calm[i][k] = 0;
        lists.history[i].set_lane(k, [0.0; 3]);
        lists.set_memory(i, k, &Remembered::default());
    }
    if candidates {
        for batch in &mut lists.batches {
            for lane in 0..batch.a.len() {
                if gone(batch.a[lane], batch.b[lane]) {
                    (batch.a[lane], batch.b[lane]) = (0, 0);
                }
            }
        }
    }
}
