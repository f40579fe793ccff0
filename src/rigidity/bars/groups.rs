//! Groups that are one node of the game: contraction, welding, splitting.

use std::collections::BTreeSet;

use super::Asker;
use super::{Bar, Bars, Block, Body, Place, Vertex};

impl Bars {
    /// Contracts a block, found by the last search, that is rigid as a whole.
    pub(in crate::rigidity) fn contract_block(&mut self, block: &Block) -> Vertex {
        self.contract(&block.vertices)
    }

    /// Bars of the basis with both ends in a block.
    pub(in crate::rigidity) fn bars_within(&self, block: &Block, bars: &mut BTreeSet<Bar>) {
        for &vertex in &block.vertices {
            bars.extend(&self.nodes.centre[vertex as usize]);
            bars.extend(self.nodes.spin[vertex as usize]);
        }
    }

    /// Merges nodes into one group. They are rigid together by the bars between them, and their own
    /// pebbles cover all these bars.
    pub(super) fn contract(&mut self, nodes: &[Vertex]) -> Vertex {
        let mut covered = 0;
        let groups = nodes
            .iter()
            .filter(|&&node| self.core_of_node(node) == node);
        let groups = groups.count();
        for &node in nodes {
            let mut bars = std::mem::take(&mut self.nodes.centre[node as usize]);
            bars.extend(self.nodes.spin[node as usize].take());
            for bar in bars {
                self.place[bar as usize] = Place::None;
                covered += usize::from(!self.weld[bar as usize]);
            }
        }
        debug_assert_eq!(covered, 3 * (groups - 1), "a rigid group is of tight count");
        self.basis -= covered;
        self.inner_rank += covered;
        // The node of the largest group becomes the node of the new one.
        let largest = nodes.iter().filter(|&&node| !self.is_disk(node));
        let core =
            match largest.max_by_key(|&&node| (self.bodies.members[node as usize].len(), node)) {
                Some(&core) => core,
                None => self.new_vertex(false),
            };
        for &node in nodes {
            if node == core {
                continue;
            }
            // A welded disk is not a member of its own node, but of its group.
            let members = std::mem::take(&mut self.bodies.members[node as usize]);
            for &body in &members {
                self.bodies.core_of[body as usize] = core;
                if self.bodies.vertex_of[body as usize] == node && !self.is_disk(node) {
                    self.bodies.vertex_of[body as usize] = core;
                }
            }
            if self.is_disk(node) {
                self.nodes.own[node as usize] =
                    members.first().copied().or(self.nodes.own[node as usize]);
            }
            self.bodies.members[core as usize].extend(members);
        }
        for &node in nodes {
            if node == core {
                continue;
            }
            let mut outer = std::mem::take(&mut self.nodes.outer[node as usize]);
            let end = if self.is_disk(node) { node } else { core };
            outer.retain(|&bar| self.ends(bar).contains(&end) && self.joins(bar));
            let body = self.nodes.own[node as usize];
            if let Some(body) = body
                && self.is_disk(node)
            {
                if outer.is_empty() {
                    self.bodies.vertex_of[body as usize] = core;
                } else {
                    self.nodes.outer[node as usize] = outer;
                    self.weld(body);
                    continue;
                }
            } else {
                let all = &mut self.nodes.outer[core as usize];
                if all.len() < outer.len() {
                    std::mem::swap(all, &mut outer);
                }
                all.extend(outer);
            }
            self.nodes.unused.push(node);
        }
        core
    }

    /// Makes a disk inside a group a node of its own, welded to the group.
    pub(super) fn expose(&mut self, body: Body) {
        let b = body as usize;
        if self.bodies.disk[b]
            && self.bodies.vertex_of[b] == self.bodies.core_of[b]
            && !self.is_disk(self.bodies.core_of[b])
        {
            let node = self.new_vertex(true);
            self.bodies.vertex_of[b] = node;
            self.nodes.own[node as usize] = Some(body);
            self.weld(body);
        }
    }

    /// Covers the bars that weld a disk to its group with the disk's own pebbles, all of which are free.
    fn weld(&mut self, body: Body) {
        let bar = match self.bodies.weld_of[body as usize] {
            Some(bar) => bar,
            None => {
                let bar = self.add_pair([body; 2], true);
                self.add_pair([body; 2], true);
                self.bodies.weld_of[body as usize] = Some(bar);
                bar
            }
        };
        let node = self.bodies.vertex_of[body as usize];
        for bar in [bar, bar + 2] {
            self.place[bar as usize] = Place::Centre(0);
            self.nodes.centre[node as usize].push(bar);
        }
        self.place[bar as usize + 1] = Place::Spin(0);
        self.nodes.spin[node as usize] = Some(bar + 1);
        let core = self.core(body);
        for bar in bar..bar + 3 {
            self.remember(node, bar);
            self.remember(core, bar);
        }
    }

    /// Removes bodies from the group that contains them; the remainder is rigid by itself, or empty. No
    /// bar of a link that ends at a removed body may be in the basis. `leaving` is sorted.
    pub(in crate::rigidity) fn split_off(&mut self, core: Vertex, leaving: &[Body]) {
        for &body in leaving {
            if let Some(bar) = self.bodies.weld_of[body as usize] {
                for bar in bar..bar + 3 {
                    self.uncover(bar);
                }
            }
        }
        let members = &mut self.bodies.members[core as usize];
        let before = members.len();
        members.retain(|body| leaving.binary_search(body).is_err());
        let rest = members.len();
        self.inner_rank -= 3 * (before - 1) - 3 * rest.saturating_sub(1);
        if rest == 0 {
            debug_assert!(self.nodes.centre[core as usize].is_empty());
            self.nodes.unused.push(core);
        }
        for &body in leaving {
            let b = body as usize;
            let node = self.bodies.vertex_of[b];
            let alone = if node == core {
                self.new_vertex(self.bodies.disk[b])
            } else {
                self.nodes.outer[node as usize].clear();
                node
            };
            self.bodies.members[alone as usize] = vec![body];
            self.bodies.vertex_of[b] = alone;
            self.bodies.core_of[b] = alone;
        }
    }

    pub(super) fn new_vertex(&mut self, disk: bool) -> Vertex {
        if let Some(vertex) = self.nodes.unused.pop() {
            let v = vertex as usize;
            self.nodes.disk[v] = disk;
            self.bodies.members[v].clear();
            self.nodes.centre[v].clear();
            self.nodes.outer[v].clear();
            self.nodes.spin[v] = None;
            self.nodes.own[v] = None;
            return vertex;
        }
        self.nodes.disk.push(disk);
        self.bodies.members.push(Vec::new());
        self.nodes.centre.push(Vec::new());
        self.nodes.spin.push(None);
        self.nodes.outer.push(Vec::new());
        self.nodes.own.push(None);
        self.search.held.push(0);
        self.search.seen_vertex.push(0);
        self.search.refused.push(0);
        self.search.on_chain.push((0, 0));
        self.search.asked_by.push(Asker::Spin(0));
        (self.nodes.disk.len() - 1) as Vertex
    }
}
