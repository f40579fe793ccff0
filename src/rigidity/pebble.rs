//! Rigid groups of a planar network by counting, updated incrementally.

use std::collections::BTreeSet;

use super::bars::{Bar, Bars, Vertex};
use crate::stress::LinkState;

/// Index of a body, in order of insertion.
pub type BodyKey = usize;

/// Index of a link; indices of removed links are reused.
pub type LinkKey = usize;

/// Type of a body in the count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BodyKind {
    /// A single free disk: a link acts at its radius on the line of centres, so a sliding link does
    /// not involve its spin, and disks can turn like gears.
    Disk,
    /// A body of any shape: a clump, a rigid group, or all boundaries of one frame together.
    Shape,
}

/// A link of the network.
#[derive(Clone, Copy, Debug)]
pub(super) struct Joint {
    pub(super) ends: [BodyKey; 2],
    pub(super) state: LinkState,
    /// First of its two bars.
    pub(super) bar: Bar,
}

/// The (3,3) pebble game on bodies and links, with separate counting of the spins of single disks.
///
/// Bodies that are rigid by the links among them are contracted to one node of the game; a new link
/// inside such a group costs nothing. When a link inside is removed, the game is played on its
/// neighbourhood alone, which widens until all bodies to which the rest of the group is attached
/// are rigid without the link. Bodies that come loose leave the group; no others are visited.
#[derive(Clone, Debug, Default)]
pub struct Pebble {
    pub(super) bars: Bars,
    pub(super) links: Vec<Option<Joint>>,
    unused: Vec<(LinkKey, Bar)>,
    pub(super) links_of: Vec<Vec<LinkKey>>,
    alive: Vec<bool>,
    bodies: usize,
    constraints: usize,
    /// Bars between nodes of the game that depend on the basis.
    spare: BTreeSet<Bar>,
    /// Bodies in groups that grew since the last query of the groups.
    grown: BTreeSet<BodyKey>,
    /// Number of bodies that patches visited.
    searched: u64,
}

impl Pebble {
    /// A game without bodies.
    pub fn new() -> Self {
        Pebble::default()
    }

    /// Adds a body.
    pub fn add_body(&mut self, kind: BodyKind) -> BodyKey {
        self.links_of.push(Vec::new());
        self.alive.push(true);
        self.bodies += 1;
        self.bars.add_body(kind == BodyKind::Disk) as BodyKey
    }

    /// Removes a body and its links. Its key is not reused.
    ///
    /// # Panics
    /// If there is no such body.
    pub fn remove_body(&mut self, body: BodyKey) {
        while let Some(&link) = self.links_of[body].last() {
            self.remove_link(link);
        }
        self.bodies -= usize::from(std::mem::replace(&mut self.alive[body], false));
    }

    /// Adds a link between two bodies. A link of a body to itself is counted, but constrains
    /// nothing (the thesis's loop).
    ///
    /// # Panics
    /// If there is no such body.
    pub fn insert_link(&mut self, a: BodyKey, b: BodyKey, state: LinkState) -> LinkKey {
        let ends = [a as u32, b as u32];
        let (key, bar) = match self.unused.pop() {
            Some((key, bar)) => {
                self.bars.set_ends(bar, ends);
                (key, bar)
            }
            None => {
                self.links.push(None);
                (self.links.len() - 1, self.bars.add_link(ends))
            }
        };
        self.links[key] = Some(Joint {
            ends: [a, b],
            state: LinkState::Off,
            bar,
        });
        self.links_of[a].push(key);
        if a != b {
            self.links_of[b].push(key);
        }
        self.set_state(key, state);
        key
    }

    /// Removes a link.
    ///
    /// # Panics
    /// If there is no such link.
    pub fn remove_link(&mut self, link: LinkKey) {
        self.set_state(link, LinkState::Off);
        if let Some(joint) = self.links[link].take() {
            for end in joint.ends {
                self.links_of[end].retain(|&other| other != link);
            }
            self.unused.push((link, joint.bar));
        }
    }

    /// Changes the state of a link: slip, grip or off.
    ///
    /// # Panics
    /// If there is no such link.
    pub fn set_state(&mut self, link: LinkKey, state: LinkState) {
        let Some(joint) = &mut self.links[link] else {
            panic!("there is no link {link}");
        };
        let from = std::mem::replace(&mut joint.state, state);
        let (ends, first) = (joint.ends, joint.bar);
        let (old, new) = (count(from), count(state));
        self.constraints = self.constraints + new - old;
        let second = first + 1;
        if new > old {
            let bars = [first, second];
            self.insert_bars(&bars[old..new]);
        } else if new < old {
            for bar in &[first, second][new..old] {
                self.spare.remove(bar);
            }
            if !self.together(ends[0], ends[1]) {
                // Bars that depend on a bar are in the block around it.
                let nodes = self.bars.ends(first);
                let mut spare = Vec::new();
                if [first, second][new..old]
                    .iter()
                    .any(|&bar| self.bars.covered(bar))
                {
                    spare = self.spare_within(nodes);
                }
                let mut lost = 0;
                for &bar in &[first, second][new..old] {
                    lost += usize::from(self.bars.remove(bar));
                }
                self.replace(&spare, lost);
            } else if ends[0] != ends[1] {
                self.weaken(link, from);
            }
        }
    }

    /// Number of bodies, counting each frame of boundaries once.
    pub fn bodies(&self) -> usize {
        self.bodies
    }

    /// Number of constraints: a gripping link counts 2, a sliding one 1.
    pub fn constraints(&self) -> usize {
        self.constraints
    }

    /// Number of constraints that are independent in generic geometry.
    pub fn rank(&self) -> usize {
        self.bars.rank()
    }

    /// Number of constraints that depend on others.
    pub fn redundant(&self) -> usize {
        self.constraints - self.rank()
    }

    /// Internal degrees of freedom of the whole: 3 n - rank - 3; 0 without bodies.
    pub fn floppy_modes(&self) -> usize {
        (3 * self.bodies).saturating_sub(self.rank() + 3)
    }

    /// Total number of bodies that the patches of removals visited: the cost of removals.
    pub fn searched(&self) -> u64 {
        self.searched
    }

    /// Whether two bodies are rigid with each other by the links inside a group that contains both.
    /// May miss groups that [`Pebble::clusters`] finds.
    pub fn together(&self, a: BodyKey, b: BodyKey) -> bool {
        self.bars.core(a as u32) == self.bars.core(b as u32)
    }

    /// Maximal rigid groups of two or more bodies, largest first, then by their first body; bodies
    /// in ascending order. The cost depends on what grew since the last call, all sliding links
    /// outside the groups, and the output.
    pub fn clusters(&mut self) -> Vec<Vec<BodyKey>> {
        self.settle();
        let joined = self.held_from_outside();
        self.collect(&joined)
    }

    /// Groups that are rigid by the links among their own members.
    pub(super) fn own_groups(&mut self) -> Vec<Vec<BodyKey>> {
        self.settle();
        self.collect(&Joined::default())
    }

    fn collect(&self, joined: &Joined) -> Vec<Vec<BodyKey>> {
        let mut group_of: Vec<Option<usize>> = vec![None; self.bars.nodes()];
        let mut groups: Vec<Vec<BodyKey>> = Vec::new();
        for body in (0..self.links_of.len()).filter(|&body| self.alive[body]) {
            let node = joined.find(self.bars.core(body as u32)) as usize;
            match group_of[node] {
                Some(group) => groups[group].push(body),
                None => {
                    group_of[node] = Some(groups.len());
                    groups.push(vec![body]);
                }
            }
        }
        groups.retain(|group| group.len() > 1);
        groups.sort_by_key(|group| (std::cmp::Reverse(group.len()), group[0]));
        groups
    }

    /// Inserts bars; the bar along the normal of a link must come before the bar across.
    pub(super) fn insert_bars(&mut self, bars: &[Bar]) {
        for &bar in bars {
            if self.bars.inside(bar) {
                continue;
            }
            let (independent, grown) = self.bars.insert(bar);
            if !independent {
                self.spare.insert(bar);
            }
            self.note(grown);
        }
    }

    fn note(&mut self, grown: Option<Vertex>) {
        if let Some(vertex) = grown {
            self.grown.insert(self.bars.members(vertex)[0] as BodyKey);
        }
    }

    /// Spare bars with both ends in the block around two nodes, or one group.
    pub(super) fn spare_within(&mut self, nodes: [Vertex; 2]) -> Vec<Bar> {
        if self.spare.is_empty() {
            return Vec::new();
        }
        let mut block = self.bars.block(nodes[0], nodes[1]).vertices;
        block.sort_unstable();
        let within = |bar: Bar| {
            let ends = self.bars.ends(bar);
            ends.iter().all(|end| block.binary_search(end).is_ok())
        };
        self.spare
            .iter()
            .copied()
            .filter(|&bar| within(bar))
            .collect()
    }

    /// Moves at most `lost` of these spare bars into the basis.
    pub(super) fn replace(&mut self, spare: &[Bar], lost: usize) {
        let mut left = lost;
        for &bar in spare {
            if left == 0 {
                return;
            }
            if self.bars.inside(bar) {
                self.spare.remove(&bar);
                continue;
            }
            if !self.spare.contains(&bar) {
                continue;
            }
            let (independent, grown) = self.bars.insert(bar);
            if independent {
                self.spare.remove(&bar);
                left -= 1;
            }
            self.note(grown);
        }
    }

    pub(super) fn forget_spare(&mut self, bar: Bar) {
        self.spare.remove(&bar);
    }

    pub(super) fn count_searched(&mut self, bodies: usize) {
        self.searched += bodies as u64;
    }

    /// Contracts everything that is rigid with groups that grew.
    fn settle(&mut self) {
        while let Some(body) = self.grown.pop_first() {
            let vertex = self.bars.core(body as u32);
            if self.bars.is_disk(vertex) {
                continue;
            }
            let block = self.bars.block(vertex, vertex);
            if block.vertices.len() > 1 && block.rigid.len() == block.vertices.len() {
                self.bars.contract_block(&block);
            }
        }
    }

    /// Nodes of the game that are rigid with each other through disks whose spins are free. Each
    /// such group is in a block with a sliding link.
    fn held_from_outside(&mut self) -> Joined {
        let mut joined = Joined::default();
        let mut pinned: BTreeSet<Vertex> = BTreeSet::new();
        let mut within: Vec<(Vertex, Vertex)> = Vec::new();
        let mut done: BTreeSet<Bar> = BTreeSet::new();
        for link in 0..self.links.len() {
            let Some(joint) = self.links[link] else {
                continue;
            };
            let bar = joint.bar;
            let ends = self.bars.ends(bar);
            let slides = joint.state == LinkState::Slide && !self.bars.inside(bar);
            if !slides || !ends.iter().any(|&end| self.bars.is_disk(end)) {
                continue;
            }
            let mut blocks = Vec::new();
            for core in joint.ends.map(|body| self.bars.core(body as u32)) {
                if !self.bars.is_disk(core) && pinned.insert(core) {
                    blocks.push(self.bars.block(core, core));
                }
            }
            if ends.iter().all(|&end| self.bars.is_disk(end)) && !done.contains(&bar) {
                blocks.push(self.bars.block(ends[0], ends[1]));
            }
            for block in blocks {
                let mut groups = block.rigid.iter().map(|&node| self.bars.core_of_node(node));
                if let Some(first) = groups.next() {
                    within.extend(groups.map(|other| (first, other)));
                }
                self.bars.bars_within(&block, &mut done);
            }
        }
        for (a, b) in within {
            joined.join(a, b);
        }
        joined
    }
}

fn count(state: LinkState) -> usize {
    match state {
        LinkState::Grip => 2,
        LinkState::Slide => 1,
        LinkState::Off => 0,
    }
}

/// Disjoint sets of few vertices among many.
#[derive(Default)]
struct Joined {
    parent: std::collections::BTreeMap<Vertex, Vertex>,
}

impl Joined {
    fn find(&self, mut vertex: Vertex) -> Vertex {
        while let Some(&parent) = self.parent.get(&vertex) {
            vertex = parent;
        }
        vertex
    }

    fn join(&mut self, a: Vertex, b: Vertex) {
        let (a, b) = (self.find(a), self.find(b));
        if a != b {
            self.parent.insert(a.max(b), a.min(b));
        }
    }
}
