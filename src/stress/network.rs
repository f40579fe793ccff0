//! The network: grains as nodes, contacts as links.

use petgraph::unionfind::UnionFind;

use crate::geometry::{Dimension, Vector};

/// Degrees of freedom of a free node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freedom {
    /// Displacements of the centre only (thesis 4.3): moments are not balanced.
    Translational,
    /// Displacements of the centre, then rotations.
    Full,
}

impl Freedom {
    /// Degrees of freedom of one node.
    pub const fn per_node<D: Dimension>(self) -> usize {
        match self {
            Freedom::Translational => D::N,
            Freedom::Full => D::N + D::SPINS,
        }
    }
}

/// Index of a node, in order of insertion; never used twice.
pub type NodeKey = usize;

/// Index of a link, in order of insertion; never used twice.
pub type LinkKey = usize;

/// A grain, or a point of a boundary.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Node<D: Dimension> {
    /// Centre, m.
    pub position: D::Vector,
    /// Radius, m; 0 for a point of a boundary.
    pub radius: f64,
    /// Whether the node is held in place.
    pub fixed: bool,
}

/// State of resistance of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LinkState {
    /// Resists along its normal and across it.
    Grip,
    /// Resists along its normal only: the friction force is a load.
    Slide,
    /// Open: no resistance.
    Off,
}

/// A contact: a two-node element with a normal and a tangential stiffness (thesis eq. 4.17).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link<D: Dimension> {
    /// The left node.
    pub a: NodeKey,
    /// The right node.
    pub b: NodeKey,
    /// Unit vector from `a` to `b`.
    pub normal: D::Vector,
    /// Vectors from the centres of `a` and `b` to the point of contact, m.
    pub arms: [D::Vector; 2],
    /// Normal stiffness, N/m.
    pub kn: f64,
    /// Tangential stiffness, N/m.
    pub kt: f64,
    /// Coefficient of friction.
    pub friction: f64,
    /// Present state.
    pub state: LinkState,
}

/// A change of a network, for solvers with stored data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// A node was added; it has no link yet.
    Node(NodeKey),
    /// A link changed its state; a new one was [`LinkState::Off`] before.
    Link {
        /// The link.
        link: LinkKey,
        /// State of the link before.
        from: LinkState,
    },
}

/// Nodes and links. Free nodes have rows in the vectors of loads and displacements, in order of
/// insertion.
#[derive(Clone, Debug)]
pub struct Network<D: Dimension> {
    freedom: Freedom,
    nodes: Vec<Node<D>>,
    links: Vec<Link<D>>,
    /// Links of each node, in any state.
    links_of: Vec<Vec<LinkKey>>,
    /// Row of each node, if it is free.
    rows: Vec<Option<usize>>,
    free: usize,
}

impl<D: Dimension> Network<D> {
    /// An empty network.
    pub fn new(freedom: Freedom) -> Self {
        Network {
            freedom,
            nodes: Vec::new(),
            links: Vec::new(),
            links_of: Vec::new(),
            rows: Vec::new(),
            free: 0,
        }
    }

    /// Degrees of freedom of a free node.
    pub fn freedom(&self) -> Freedom {
        self.freedom
    }

    /// Degrees of freedom of one node.
    pub fn per_node(&self) -> usize {
        self.freedom.per_node::<D>()
    }

    /// Length of the vectors of loads and displacements.
    pub fn len(&self) -> usize {
        self.free * self.per_node()
    }

    /// Whether no node is free.
    pub fn is_empty(&self) -> bool {
        self.free == 0
    }

    /// Number of free nodes.
    pub fn free_nodes(&self) -> usize {
        self.free
    }

    /// Adds a node.
    pub fn add_node(&mut self, node: Node<D>) -> (NodeKey, Change) {
        let key = self.nodes.len();
        self.rows.push((!node.fixed).then_some(self.free));
        self.free += usize::from(!node.fixed);
        self.nodes.push(node);
        self.links_of.push(Vec::new());
        (key, Change::Node(key))
    }

    /// Adds a link.
    ///
    /// # Panics
    /// If a node does not exist, or both are the same.
    pub fn add_link(&mut self, link: Link<D>) -> (LinkKey, Change) {
        assert!(link.a != link.b, "a link joins two nodes");
        let key = self.links.len();
        self.links_of[link.a].push(key);
        self.links_of[link.b].push(key);
        self.links.push(link);
        let from = LinkState::Off;
        (key, Change::Link { link: key, from })
    }

    /// Appends another network, with its nodes and links after the existing ones; returns the
    /// former numbers of nodes and links.
    ///
    /// # Panics
    /// If the two differ in freedom.
    pub fn append(&mut self, other: &Network<D>) -> (NodeKey, LinkKey) {
        assert!(self.freedom == other.freedom, "networks of one freedom");
        let (nodes, links) = (self.nodes.len(), self.links.len());
        for &node in &other.nodes {
            self.add_node(node);
        }
        for &link in &other.links {
            self.add_link(Link {
                a: link.a + nodes,
                b: link.b + nodes,
                ..link
            });
        }
        (nodes, links)
    }

    /// Changes the state of a link; returns none if it is unchanged.
    pub fn set_state(&mut self, link: LinkKey, state: LinkState) -> Option<Change> {
        let from = std::mem::replace(&mut self.links[link].state, state);
        (from != state).then_some(Change::Link { link, from })
    }

    /// Sets the stiffnesses of a link, N/m; returns whether they changed. Solvers are not notified: the caller makes them anew.
    pub fn set_stiffness(&mut self, link: LinkKey, kn: f64, kt: f64) -> bool {
        let link = &mut self.links[link];
        let others = (link.kn, link.kt) != (kn, kt);
        (link.kn, link.kt) = (kn, kt);
        others
    }

    /// All nodes, by key.
    pub fn nodes(&self) -> &[Node<D>] {
        &self.nodes
    }

    /// All links, by key.
    pub fn links(&self) -> &[Link<D>] {
        &self.links
    }

    /// Links of a node, in any state.
    pub fn links_of(&self, node: NodeKey) -> &[LinkKey] {
        &self.links_of[node]
    }

    /// Row of a node among the free ones; its displacements start at row times
    /// [`Network::per_node`].
    pub fn row(&self, node: NodeKey) -> Option<usize> {
        self.rows[node]
    }

    /// The link between the centres of two round nodes: direction from `a` to `b`, arms as long as
    /// the radii. None if the centres coincide.
    pub fn between(
        &self,
        a: NodeKey,
        b: NodeKey,
        kn: f64,
        kt: f64,
        friction: f64,
    ) -> Option<Link<D>> {
        let across = self.nodes[b].position - self.nodes[a].position;
        let distance = across.norm();
        if !(distance > 0.0 && distance.is_finite()) {
            return None;
        }
        let normal = across * (1.0 / distance);
        Some(Link {
            a,
            b,
            normal,
            arms: [
                normal * self.nodes[a].radius,
                normal * -self.nodes[b].radius,
            ],
            kn,
            kt,
            friction,
            state: LinkState::Grip,
        })
    }

    /// Free nodes that no chain of resisting links connects to a fixed node, by key.
    pub fn ungrounded(&self) -> Vec<NodeKey> {
        // All fixed nodes are one with the ground.
        let ground = self.nodes.len();
        let mut joined = UnionFind::new(ground + 1);
        for node in (0..ground).filter(|&node| self.nodes[node].fixed) {
            joined.union(node, ground);
        }
        for link in self.links.iter().filter(|l| l.state != LinkState::Off) {
            joined.union(link.a, link.b);
        }
        let held = joined.find_mut(ground);
        (0..ground)
            .filter(|&node| joined.find_mut(node) != held)
            .collect()
    }
}
