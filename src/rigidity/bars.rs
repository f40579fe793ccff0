//! Counts independent bars by the pebble game over bodies and over groups of bodies known to be rigid.
//!
//! A link is a bar along its normal and, while it grips, a second bar across. A body has three degrees of
//! freedom; pebbles count the bars that these can carry. For bodies of any shape this is the (3,3) pebble
//! game: each body has three pebbles, a pebble of either end covers a bar, and a bar is independent if four
//! pebbles can be gathered at its ends. A single disk has two pebbles for its centre, which cover any bar,
//! and its spin. Only bars across involve spins, all in the same way: s_a + s_b, where s is the surface
//! speed. So spins carry a set of bars that is independent in that matrix: each connected part of the set
//! contains at most one cycle, an odd one (or is attached to a body that is not a disk). A part without such
//! a cycle has a gear mode. Bars F are independent if |F'| <= 2 |V'| - 3 + rank of the spins for every subset
//! F' of them: for gripping links this is the rule of bipartite groups.
//!
//! A group that its own bars make rigid is contracted to one node, which counts as a body of any
//! shape. Links that meet at one disk of the group are not in general position, though: they
//! involve only the centre and spin of that disk. So a disk with links to the outside stays a node,
//! welded to its group by three bars.

mod groups;
mod spins;

use std::collections::VecDeque;

/// Index of a body.
pub(super) type Body = u32;
/// Index of a node of the game: a body, or a rigid group of bodies.
pub(super) type Vertex = u32;
/// Index of a bar; bars across links are odd.
pub(super) type Bar = u32;

/// The pebble that covers a bar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// None: the bar is not in the basis, or is inside a rigid group.
    None,
    /// A pebble of the vertex at this end.
    Centre(u8),
    /// The spin of the disk at this end.
    Spin(u8),
}

/// Request for a pebble.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asker {
    /// An auxiliary bar between two vertices, whose pebble is held instead of covering a bar.
    Copy(Vertex, Vertex),
    /// The spin of a disk.
    Spin(Vertex),
    Bar(Bar),
}

/// End of a search.
#[derive(Clone, Copy, Debug)]
enum Target {
    Centre(Vertex),
    Spin,
}

/// Bodies, by number, and groups.
#[derive(Clone, Debug, Default)]
struct Bodies {
    /// Whether a body is a single disk.
    disk: Vec<bool>,
    /// The node of a body: its own, or that of its group.
    vertex_of: Vec<Vertex>,
    /// The node of the group of a body; its own node if it is in no group.
    core_of: Vec<Vertex>,
    /// First of the three bars (and a fourth, unused one) that weld a body to its group.
    weld_of: Vec<Option<Bar>>,
    /// Bodies of a group, including those that are nodes of their own.
    members: Vec<Vec<Body>>,
}

/// Nodes of the game, with the bars that their pebbles cover.
#[derive(Clone, Debug, Default)]
struct Nodes {
    /// Whether a vertex is one disk, with two pebbles and a spin; other vertices have three pebbles.
    disk: Vec<bool>,
    centre: Vec<Vec<Bar>>,
    spin: Vec<Option<Bar>>,
    /// Bars that leave a vertex; some may be removed or inside by now.
    outer: Vec<Vec<Bar>>,
    /// The body of a node that is a welded disk.
    own: Vec<Option<Body>>,
    /// Vertices that can be reused.
    unused: Vec<Vertex>,
}

/// Working data of searches for pebbles.
#[derive(Clone, Debug, Default)]
struct Search {
    /// Pebbles held at a vertex during a test.
    held: Vec<u8>,
    seen_vertex: Vec<u64>,
    seen_bar: Vec<u64>,
    /// Number of the last block in which each vertex proved not to be rigid.
    refused: Vec<u64>,
    blocks: u64,
    on_chain: Vec<(u64, u32)>,
    chain_count: u64,
    epoch: u64,
    asked_by: Vec<Asker>,
    displaced: Vec<(Target, Asker)>,
    trail_vertices: Vec<Vertex>,
    trail_bars: Vec<Bar>,
    queue: VecDeque<Asker>,
}

/// The pebble game. Groups known to be rigid by their own links are one vertex.
#[derive(Clone, Debug, Default)]
pub(super) struct Bars {
    bodies: Bodies,
    nodes: Nodes,
    /// Data of each bar.
    ends: Vec<[Body; 2]>,
    weld: Vec<bool>,
    place: Vec<Place>,
    /// Bars of the basis between groups.
    basis: usize,
    /// Rank of the links inside groups.
    inner_rank: usize,
    search: Search,
}

impl Bars {
    pub(super) fn add_body(&mut self, disk: bool) -> Body {
        let body = self.bodies.disk.len() as Body;
        let vertex = self.new_vertex(disk);
        self.bodies.disk.push(disk);
        self.bodies.vertex_of.push(vertex);
        self.bodies.core_of.push(vertex);
        self.bodies.weld_of.push(None);
        self.bodies.members[vertex as usize].push(body);
        body
    }

    /// Registers the two bars of a link and returns the first; neither is in the basis yet.
    pub(super) fn add_link(&mut self, ends: [Body; 2]) -> Bar {
        self.add_pair(ends, false)
    }

    fn add_pair(&mut self, ends: [Body; 2], weld: bool) -> Bar {
        let bar = self.ends.len() as Bar;
        for _ in 0..2 {
            self.ends.push(ends);
            self.weld.push(weld);
            self.place.push(Place::None);
            self.search.seen_bar.push(0);
            self.search.displaced.push((Target::Spin, Asker::Spin(0)));
        }
        bar
    }

    /// Changes the ends of a link while its bars are not in the basis.
    pub(super) fn set_ends(&mut self, bar: Bar, ends: [Body; 2]) {
        self.ends[bar as usize] = ends;
        self.ends[bar as usize + 1] = ends;
    }

    /// The node of the group that contains a body.
    pub(super) fn core(&self, body: Body) -> Vertex {
        self.bodies.core_of[body as usize]
    }

    pub(super) fn is_disk(&self, vertex: Vertex) -> bool {
        self.nodes.disk[vertex as usize]
    }

    pub(super) fn is_single_disk(&self, body: Body) -> bool {
        self.bodies.disk[body as usize]
    }

    /// Number of node slots: the greatest number of simultaneous nodes so far.
    pub(super) fn nodes(&self) -> usize {
        self.nodes.disk.len()
    }

    /// The node of the group of a node.
    pub(super) fn core_of_node(&self, node: Vertex) -> Vertex {
        match self.nodes.own[node as usize] {
            Some(body) if self.is_disk(node) => self.core(body),
            _ => node,
        }
    }

    /// Bodies of a group.
    pub(super) fn members(&self, vertex: Vertex) -> &[Body] {
        &self.bodies.members[vertex as usize]
    }

    /// Number of independent bars.
    pub(super) fn rank(&self) -> usize {
        self.basis + self.inner_rank
    }

    /// Whether a bar is in the basis between vertices.
    pub(super) fn covered(&self, bar: Bar) -> bool {
        self.place[bar as usize] != Place::None
    }

    /// The nodes that a bar joins.
    pub(super) fn ends(&self, bar: Bar) -> [Vertex; 2] {
        let [a, b] = self.ends[bar as usize];
        let vertex = |body: Body| self.bodies.vertex_of[body as usize];
        if self.weld[bar as usize] {
            [vertex(a), self.core(a)]
        } else {
            [vertex(a), vertex(b)]
        }
    }

    /// Whether a bar is inside one group.
    pub(super) fn inside(&self, bar: Bar) -> bool {
        let [a, b] = self.ends[bar as usize];
        self.core(a) == self.core(b)
    }

    fn across(bar: Bar) -> bool {
        bar % 2 == 1
    }

    /// Adds a bar to the basis if it is independent of the basis, and contracts what becomes rigid.
    /// The second value is a vertex that grew.
    pub(super) fn insert(&mut self, bar: Bar) -> (bool, Option<Vertex>) {
        if self.inside(bar) {
            return (false, None);
        }
        for body in self.ends[bar as usize] {
            self.expose(body);
        }
        let [u, v] = self.ends(bar);
        self.hold(u, v);
        self.restart();
        let independent = match self.search(Asker::Bar(bar)) {
            Some((asker, target)) => {
                self.apply(Asker::Bar(bar), asker, target);
                self.basis += 1;
                self.remember(u, bar);
                self.remember(v, bar);
                true
            }
            None => false,
        };
        let grown = self.contract_around(u, v);
        self.release(u, v);
        (independent, grown)
    }

    /// Removes a bar from the basis; returns whether it was there.
    pub(super) fn remove(&mut self, bar: Bar) -> bool {
        let was = self.covered(bar);
        if was {
            self.uncover(bar);
            self.basis -= 1;
        }
        was
    }

    /// Gathers three pebbles at two vertices (or one) and holds them; this is always possible.
    fn hold(&mut self, u: Vertex, v: Vertex) {
        for _ in 0..3 {
            self.restart();
            let copy = Asker::Copy(u, v);
            let found = self.search(copy);
            debug_assert!(found.is_some(), "three pebbles can always be gathered");
            if let Some((asker, target)) = found
                && let Some(vertex) = self.apply(copy, asker, target)
            {
                self.search.held[vertex as usize] += 1;
            }
        }
    }

    fn release(&mut self, u: Vertex, v: Vertex) {
        self.search.held[u as usize] = 0;
        self.search.held[v as usize] = 0;
    }

    /// Contracts the smallest rigid group that contains both vertices, if its members are rigid by
    /// themselves.
    fn contract_around(&mut self, u: Vertex, v: Vertex) -> Option<Vertex> {
        self.restart();
        if self.search(Asker::Copy(u, v)).is_some() {
            return None;
        }
        // The spins of reached disks extend the search.
        let mut next = 0;
        while let Some(&w) = self.search.trail_vertices.get(next) {
            next += 1;
            if self.is_disk(w) && self.search(Asker::Spin(w)).is_some() {
                return None;
            }
            // The group of a welded disk belongs to it too, whichever pebbles cover the weld.
            let core = self.core_of_node(w);
            if core != w && self.search(Asker::Copy(core, core)).is_some() {
                return None;
            }
        }
        let group = std::mem::take(&mut self.search.trail_vertices);
        let kept = self.contract(&group);
        self.search.trail_vertices = group;
        Some(kept)
    }

    /// The block that is rigid with a vertex, or with the bar between two disks: all vertices whose
    /// centres are fixed, and those of them whose spins are fixed too.
    pub(super) fn block(&mut self, u: Vertex, v: Vertex) -> Block {
        self.hold(u, v);
        self.restart();
        let mut block = Block {
            vertices: vec![u],
            rigid: Vec::new(),
        };
        if v != u {
            block.vertices.push(v);
        }
        if self.search(Asker::Copy(u, v)).is_none() {
            block.vertices.clone_from(&self.search.trail_vertices);
            self.search.blocks += 1;
            let mut next = 0;
            while next < block.vertices.len() {
                let w = block.vertices[next];
                next += 1;
                let mut outer = std::mem::take(&mut self.nodes.outer[w as usize]);
                outer.retain(|&bar| self.ends(bar).contains(&w) && self.joins(bar));
                for &bar in &outer {
                    let ends = self.ends(bar);
                    let other = if ends[0] == w { ends[1] } else { ends[0] };
                    let seen = self.search.seen_vertex[other as usize] == self.search.epoch;
                    if seen || self.search.refused[other as usize] == self.search.blocks {
                        continue;
                    }
                    if self.closed(Asker::Copy(other, other)) {
                        block.vertices.clone_from(&self.search.trail_vertices);
                    } else {
                        self.search.refused[other as usize] = self.search.blocks;
                    }
                }
                self.nodes.outer[w as usize] = outer;
            }
            for k in 0..block.vertices.len() {
                let w = block.vertices[k];
                if !self.is_disk(w) || self.closed(Asker::Spin(w)) {
                    block.rigid.push(w);
                }
            }
        }
        self.release(u, v);
        block
    }

    fn remember(&mut self, vertex: Vertex, bar: Bar) {
        let mut outer = std::mem::take(&mut self.nodes.outer[vertex as usize]);
        if outer.len() >= 32 && outer.len().is_power_of_two() {
            outer.retain(|&bar| self.ends(bar).contains(&vertex) && self.joins(bar));
        }
        outer.push(bar);
        self.nodes.outer[vertex as usize] = outer;
    }

    /// Whether a bar is in the basis and joins two groups, or welds.
    fn joins(&self, bar: Bar) -> bool {
        (self.weld[bar as usize] || !self.inside(bar)) && self.covered(bar)
    }

    /// Whether a search fails; only then its marks are kept.
    fn closed(&mut self, asker: Asker) -> bool {
        let (vertices, bars) = (
            self.search.trail_vertices.len(),
            self.search.trail_bars.len(),
        );
        if self.search(asker).is_none() {
            return true;
        }
        for vertex in self.search.trail_vertices.drain(vertices..) {
            self.search.seen_vertex[vertex as usize] = 0;
        }
        for bar in self.search.trail_bars.drain(bars..) {
            self.search.seen_bar[bar as usize] = 0;
        }
        false
    }

    fn capacity(&self, vertex: Vertex) -> usize {
        if self.is_disk(vertex) { 2 } else { 3 }
    }

    fn restart(&mut self) {
        self.search.epoch += 1;
        self.search.trail_vertices.clear();
        self.search.trail_bars.clear();
    }

    /// Finds the shortest sequence of moves of bars to other pebbles that frees a pebble for `start`. Returns
    /// the request that takes the free pebble, and that pebble. Skips everything seen since the restart.
    fn search(&mut self, start: Asker) -> Option<(Asker, Target)> {
        self.search.queue.clear();
        self.search.queue.push_back(start);
        while let Some(asker) = self.search.queue.pop_front() {
            let ends = match asker {
                Asker::Copy(u, v) => Some([u, v]),
                Asker::Bar(bar) => Some(self.ends(bar)),
                Asker::Spin(_) => None,
            };
            for vertex in ends.into_iter().flatten() {
                if self.search.seen_vertex[vertex as usize] == self.search.epoch {
                    continue;
                }
                self.search.seen_vertex[vertex as usize] = self.search.epoch;
                self.search.trail_vertices.push(vertex);
                self.search.asked_by[vertex as usize] = asker;
                let used = self.nodes.centre[vertex as usize].len()
                    + usize::from(self.search.held[vertex as usize]);
                if used < self.capacity(vertex) {
                    return Some((asker, Target::Centre(vertex)));
                }
                for k in 0..self.nodes.centre[vertex as usize].len() {
                    let bar = self.nodes.centre[vertex as usize][k];
                    self.displace(bar, Target::Centre(vertex), asker);
                }
            }
            let feels = match asker {
                Asker::Copy(..) => false,
                Asker::Spin(_) => true,
                Asker::Bar(bar) => {
                    Self::across(bar) && !matches!(self.place[bar as usize], Place::Spin(_))
                }
            };
            if feels {
                let ends = match asker {
                    Asker::Spin(disk) => [Some(disk), None],
                    _ => ends.map_or([None; 2], |ends| ends.map(|v| self.is_disk(v).then_some(v))),
                };
                match self.circuit(ends) {
                    None => return Some((asker, Target::Spin)),
                    Some(bars) => {
                        for bar in bars {
                            self.displace(bar, Target::Spin, asker);
                        }
                    }
                }
            }
        }
        None
    }

    fn displace(&mut self, bar: Bar, from: Target, by: Asker) {
        if self.search.seen_bar[bar as usize] != self.search.epoch {
            self.search.seen_bar[bar as usize] = self.search.epoch;
            self.search.trail_bars.push(bar);
            self.search.displaced[bar as usize] = (from, by);
            self.search.queue.push_back(Asker::Bar(bar));
        }
    }

    /// Moves the bars along the path that a search found. Returns the vertex that gave a pebble to
    /// `start` if that is not a bar.
    fn apply(&mut self, start: Asker, mut asker: Asker, mut target: Target) -> Option<Vertex> {
        let mut moves = vec![(asker, target)];
        while asker != start {
            let Asker::Bar(bar) = asker else {
                return None;
            };
            let (from, by) = self.search.displaced[bar as usize];
            (target, asker) = (from, by);
            moves.push((asker, target));
        }
        for &(asker, _) in &moves {
            if let Asker::Bar(bar) = asker {
                self.uncover(bar);
            }
        }
        let mut given = None;
        for &(asker, target) in &moves {
            match (asker, target) {
                (Asker::Bar(bar), Target::Centre(vertex)) => {
                    let side = u8::from(self.ends(bar)[0] != vertex);
                    self.place[bar as usize] = Place::Centre(side);
                    self.nodes.centre[vertex as usize].push(bar);
                }
                (Asker::Bar(bar), Target::Spin) => self.cover_by_spin(bar),
                (_, Target::Centre(vertex)) => given = Some(vertex),
                (_, Target::Spin) => {}
            }
        }
        given
    }
    fn uncover(&mut self, bar: Bar) {
        let ends = self.ends(bar);
        match std::mem::replace(&mut self.place[bar as usize], Place::None) {
            Place::None => {}
            Place::Centre(side) => {
                self.nodes.centre[ends[side as usize] as usize].retain(|&other| other != bar);
            }
            Place::Spin(side) => self.nodes.spin[ends[side as usize] as usize] = None,
        }
    }
}

/// The rigid neighbourhood of a bar, apart from spins.
pub(super) struct Block {
    /// Vertices whose centres do not move relative to each other.
    pub(super) vertices: Vec<Vertex>,
    /// The vertices whose spins are fixed as well.
    pub(super) rigid: Vec<Vertex>,
}
