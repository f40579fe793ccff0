//! Rigid groups by collapsing small patterns (thesis 5.3.3, 5.7.5).

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use super::pebble::{BodyKey, BodyKind};
use crate::hgraph::{GraphError, HierarchicalGraph, NodeKey, NodeKind};
use crate::stress::LinkState;

/// A rigid pattern (thesis fig. 5.23).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Template {
    /// A link of a body to itself: nothing to collapse.
    Loop,
    /// Two bodies with two links.
    Hamburger,
    /// Three bodies, each linked to the others.
    Triangle,
}

/// Part of a pattern: a body, or the result of an earlier collapse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// A body of the network.
    Body(BodyKey),
    /// The result of a collapse, by its index in [`Templates::collapses`].
    Group(usize),
}

/// One collapse: parts that become one body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collapse {
    /// The pattern that the parts formed.
    pub template: Template,
    /// Two or three parts.
    pub parts: Vec<Part>,
    /// Total number of bodies inside.
    pub bodies: usize,
}

/// The sequence of collapses until no pattern is left. Only gripping links count. The result does
/// not depend on the order: when others collapse, a pattern stays one or becomes a smaller one. The
/// smallest is collapsed first, which keeps the tree shallow (thesis 5.7.6).
#[derive(Clone, Debug, Default)]
pub struct Templates {
    bodies: usize,
    collapses: Vec<Collapse>,
    loops: usize,
}

/// Groups and the links between them during the search.
struct Search<'a> {
    kinds: &'a [BodyKind],
    /// For each group, the one into which it was collapsed. Groups are numbered bodies first, then collapses.
    into: Vec<Option<usize>>,
    size: Vec<usize>,
    /// Number of links to each neighbour.
    links: Vec<BTreeMap<usize, usize>>,
    /// Patterns by size, then by the numbers of their groups; some are out of date.
    found: BinaryHeap<Reverse<(usize, Vec<usize>)>>,
}

impl Templates {
    /// Collapses the patterns of a network.
    pub fn find(
        kinds: &[BodyKind],
        links: impl IntoIterator<Item = (BodyKey, BodyKey, LinkState)>,
    ) -> Self {
        let mut templates = Templates {
            bodies: kinds.len(),
            ..Templates::default()
        };
        let mut search = Search {
            kinds,
            into: vec![None; kinds.len()],
            size: vec![1; kinds.len()],
            links: vec![BTreeMap::new(); kinds.len()],
            found: BinaryHeap::new(),
        };
        for (a, b, state) in links {
            if state != LinkState::Grip {
                continue;
            }
            if a == b {
                templates.loops += 1;
                continue;
            }
            *search.links[a].entry(b).or_default() += 1;
            *search.links[b].entry(a).or_default() += 1;
        }
        for body in 0..kinds.len() {
            search.look_around(body, |other| other > body);
        }
        while let Some(Reverse((_, names))) = search.found.pop() {
            if names.iter().any(|&name| search.into[name].is_some()) {
                continue;
            }
            let group = search.collapse(&names);
            templates.collapses.push(Collapse {
                template: if names.len() == 2 {
                    Template::Hamburger
                } else {
                    Template::Triangle
                },
                parts: names.iter().map(|&name| templates.part(name)).collect(),
                bodies: search.size[group],
            });
        }
        templates
    }

    fn part(&self, name: usize) -> Part {
        if name < self.bodies {
            Part::Body(name)
        } else {
            Part::Group(name - self.bodies)
        }
    }

    /// The collapses, in order.
    pub fn collapses(&self) -> &[Collapse] {
        &self.collapses
    }

    /// Number of links of a body to itself.
    pub fn loops(&self) -> usize {
        self.loops
    }

    /// The remaining groups: bodies in ascending order, largest first, then by the first body.
    pub fn groups(&self) -> Vec<Vec<BodyKey>> {
        let mut inside: Vec<Vec<BodyKey>> = Vec::with_capacity(self.collapses.len());
        for collapse in &self.collapses {
            let mut bodies = Vec::with_capacity(collapse.bodies);
            for &part in &collapse.parts {
                match part {
                    Part::Body(body) => bodies.push(body),
                    Part::Group(group) => bodies.append(&mut inside[group]),
                }
            }
            inside.push(bodies);
        }
        inside.retain(|bodies| !bodies.is_empty());
        for bodies in &mut inside {
            bodies.sort_unstable();
        }
        inside.sort_by_key(|bodies| (Reverse(bodies.len()), bodies[0]));
        inside
    }

    /// Adds the groups as rigid bodies to a hierarchical graph, nested as they were collapsed
    /// (thesis 5.3.3). `nodes` gives the members that represent each body: one, or all boundaries
    /// of its frame for a ground. Returns the top-level groups.
    ///
    /// # Errors
    /// If nodes are not members of one graph.
    pub fn group(
        &self,
        graph: &mut HierarchicalGraph,
        nodes: &[Vec<NodeKey>],
    ) -> Result<Vec<NodeKey>, GraphError> {
        let mut made: Vec<NodeKey> = Vec::with_capacity(self.collapses.len());
        let mut inner: BTreeSet<usize> = BTreeSet::new();
        for collapse in &self.collapses {
            let mut parts = Vec::new();
            for &part in &collapse.parts {
                match part {
                    Part::Body(body) => parts.extend(&nodes[body]),
                    Part::Group(group) => {
                        inner.insert(group);
                        parts.push(made[group]);
                    }
                }
            }
            made.push(graph.group(&parts, NodeKind::RigidBody)?);
        }
        let top = (0..made.len()).filter(|group| !inner.contains(group));
        Ok(top.map(|group| made[group]).collect())
    }
}

impl Search<'_> {
    /// Whether the group is one disk: two disks have at most one contact, and roll on it.
    fn is_disk(&self, name: usize) -> bool {
        self.kinds.get(name) == Some(&BodyKind::Disk)
    }

    /// Records the patterns of a group with its neighbours that satisfy `wanted`.
    fn look_around(&mut self, name: usize, wanted: impl Fn(usize) -> bool) {
        let near: Vec<(usize, usize)> = self.links[name].iter().map(|(&n, &c)| (n, c)).collect();
        for &(other, count) in &near {
            if wanted(other) && count >= 2 && !(self.is_disk(name) && self.is_disk(other)) {
                self.note(vec![name, other]);
            }
            // Finds common neighbours through the group with fewer links.
            if !wanted(other) {
                continue;
            }
            let (few, many) = if self.links[other].len() < near.len() {
                (other, name)
            } else {
                (name, other)
            };
            let third: Vec<usize> = self.links[few]
                .keys()
                .copied()
                .filter(|third| self.links[many].contains_key(third))
                .collect();
            for third in third {
                if third > other || !wanted(third) {
                    self.note(vec![name, other, third]);
                }
            }
        }
    }

    fn note(&mut self, mut names: Vec<usize>) {
        names.sort_unstable();
        let size = names.iter().map(|&name| self.size[name]).sum();
        self.found.push(Reverse((size, names)));
    }

    fn collapse(&mut self, names: &[usize]) -> usize {
        let group = self.into.len();
        let size = names.iter().map(|&name| self.size[name]).sum();
        // Reuses the map of the part with the most links.
        let mut links = BTreeMap::new();
        for &name in names {
            self.into[name] = Some(group);
            let mut less = std::mem::take(&mut self.links[name]);
            if less.len() > links.len() {
                std::mem::swap(&mut less, &mut links);
            }
            for (other, count) in less {
                *links.entry(other).or_insert(0) += count;
            }
        }
        for name in names {
            links.remove(name);
        }
        for &other in links.keys() {
            let mut count = 0;
            for name in names {
                count += self.links[other].remove(name).unwrap_or(0);
            }
            self.links[other].insert(group, count);
        }
        self.into.push(None);
        self.size.push(size);
        self.links.push(links);
        self.look_around(group, |_| true);
        group
    }
}
