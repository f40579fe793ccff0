//! The owner tree, the links at their levels, and the primitive operations on them (thesis 5.1.2.1-5.1.2.4).

use serde::{Deserialize, Serialize};
use slotmap::{SlotMap, new_key_type};

new_key_type! {
    /// A node of the hierarchical graph.
    pub struct NodeKey;
    /// A link of the hierarchical graph.
    pub struct LinkKey;
}

/// Type of a node (thesis 5.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NodeKind {
    /// A graph that only contains others: the system, or a temporary group.
    Container,
    /// A connected group with internal degrees of freedom.
    Cluster,
    /// A group without internal degrees of freedom: a body like a grain.
    RigidBody,
    /// A grain or a boundary.
    Atomic,
}

impl NodeKind {
    /// Whether the node is a body (thesis 5.2): atomic or rigid.
    pub fn is_body(self) -> bool {
        matches!(self, NodeKind::Atomic | NodeKind::RigidBody)
    }
}

/// Error of a graph operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GraphError {
    /// The key does not or no longer refer to a node.
    #[error("node {0:?} is not in the graph")]
    NoSuchNode(NodeKey),
    /// The key does not or no longer refer to a link.
    #[error("link {0:?} is not in the graph")]
    NoSuchLink(LinkKey),
    /// The operation requires a graph.
    #[error("node {0:?} is atomic and holds no others")]
    NotAGraph(NodeKey),
    /// Links join atomic nodes only.
    #[error("node {0:?} is a graph: a link joins atomic nodes")]
    NotAtomic(NodeKey),
    /// A group must be a graph.
    #[error("a group cannot be atomic")]
    AtomicGroup,
    /// A node cannot be linked to itself.
    #[error("node {0:?} cannot be linked to itself")]
    SelfLink(NodeKey),
    /// The top-level graph has no owner, so it can be neither moved nor dissolved.
    #[error("this cannot be done to the top-level graph")]
    TopLevel,
    /// A group has at least one member.
    #[error("a group needs a member")]
    EmptyGroup,
    /// Members of a group are distinct.
    #[error("node {0:?} is listed twice")]
    Repeated(NodeKey),
    /// Members of a group come from one graph.
    #[error("nodes {0:?} and {1:?} have different owners")]
    DifferentOwners(NodeKey, NodeKey),
}

/// A node. Lists are unordered, and each of their entries stores its own position.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Node {
    pub(super) kind: NodeKind,
    pub(super) owner: Option<NodeKey>,
    /// Position among the members of the owner.
    pub(super) place: usize,
    /// Whether this is an atomic node that does not move.
    pub(super) is_boundary: bool,
    /// Number of fixed members.
    pub(super) fixed_members: usize,
    pub(super) members: Vec<NodeKey>,
    pub(super) internal_links: Vec<LinkKey>,
    pub(super) peer_links: Vec<LinkKey>,
    /// For an atomic node, the links that end there, at every level.
    pub(super) ends: Vec<LinkKey>,
}

impl Node {
    pub(super) fn new(kind: NodeKind) -> Self {
        Node {
            kind,
            owner: None,
            place: 0,
            is_boundary: false,
            fixed_members: 0,
            members: Vec::new(),
            internal_links: Vec::new(),
            peer_links: Vec::new(),
            ends: Vec::new(),
        }
    }
    pub(super) fn is_fixed(&self) -> bool {
        self.is_boundary || self.fixed_members > 0
    }
}

/// A link between two atomic nodes, at the level of their lowest common owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// The lowest common owner of the nodes.
    pub owner: NodeKey,
    /// The atomic nodes that are linked.
    pub nodes: [NodeKey; 2],
    /// The members of the owner that contain the nodes, in the same order.
    pub members: [NodeKey; 2],
    /// Position among the internal links of the owner.
    pub(super) place: usize,
    /// Positions among the peer links of the members.
    pub(super) peer_places: [usize; 2],
    /// Positions among the links that end at the nodes.
    pub(super) end_places: [usize; 2],
}

/// A tree of graphs whose leaves are atomic nodes, with links at every level (thesis 5.1.1).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct HierarchicalGraph {
    pub(super) nodes: SlotMap<NodeKey, Node>,
    pub(super) links: SlotMap<LinkKey, Link>,
    pub(super) root: NodeKey,
}

impl Default for HierarchicalGraph {
    fn default() -> Self {
        Self::new()
    }
}

impl HierarchicalGraph {
    /// A top-level graph without members.
    pub fn new() -> Self {
        let mut nodes = SlotMap::with_key();
        let root = nodes.insert(Node::new(NodeKind::Container));
        HierarchicalGraph {
            nodes,
            links: SlotMap::with_key(),
            root,
        }
    }

    /// The top-level graph: the system.
    pub fn root(&self) -> NodeKey {
        self.root
    }

    /// Adds a grain, or a boundary if `fixed`, to a graph.
    pub fn add_atomic(&mut self, owner: NodeKey, fixed: bool) -> Result<NodeKey, GraphError> {
        self.graph(owner)?;
        let mut node = Node::new(NodeKind::Atomic);
        node.is_boundary = fixed;
        let key = self.nodes.insert(node);
        self.enter(key, owner);
        Ok(key)
    }

    /// Removes a node, everything it contains, and every link that ends there.
    pub fn remove(&mut self, node: NodeKey) -> Result<(), GraphError> {
        self.node(node)?;
        if node == self.root {
            return Err(GraphError::TopLevel);
        }
        self.leave(node);
        let mut below = vec![node];
        let mut next = 0;
        while let Some(&key) = below.get(next) {
            next += 1;
            // Every link ends at atomic nodes, including one whose members are owners far above.
            while let Some(&link) = self.nodes[key].ends.last() {
                self.take_link(link);
            }
            below.extend_from_slice(&self.nodes[key].members);
        }
        for key in below {
            self.nodes.remove(key);
        }
        Ok(())
    }

    /// Whether the key refers to a node.
    pub fn contains(&self, node: NodeKey) -> bool {
        self.nodes.contains_key(node)
    }
    /// Type of a node.
    pub fn kind(&self, node: NodeKey) -> Option<NodeKind> {
        self.nodes.get(node).map(|n| n.kind)
    }
    /// Whether a node is a boundary or contains one.
    pub fn is_fixed(&self, node: NodeKey) -> bool {
        self.nodes.get(node).is_some_and(Node::is_fixed)
    }
    /// The graph that a node is a member of; none for the top-level graph.
    pub fn owner(&self, node: NodeKey) -> Option<NodeKey> {
        self.nodes.get(node)?.owner
    }
    /// The members of a graph, in no particular order.
    pub fn members(&self, graph: NodeKey) -> &[NodeKey] {
        self.nodes.get(graph).map_or(&[], |n| &n.members)
    }
    /// The links that a graph owns, in no particular order.
    pub fn internal_links(&self, graph: NodeKey) -> &[LinkKey] {
        self.nodes.get(graph).map_or(&[], |n| &n.internal_links)
    }
    /// The links that join a node to other members of its owner, in no particular order.
    pub fn peer_links(&self, node: NodeKey) -> &[LinkKey] {
        self.nodes.get(node).map_or(&[], |n| &n.peer_links)
    }
    /// The links that end at an atomic node, at every level, in no particular order.
    pub fn links_of(&self, atomic: NodeKey) -> &[LinkKey] {
        self.nodes.get(atomic).map_or(&[], |n| &n.ends)
    }
    /// The peers of a node in its owner, once for each link.
    pub fn peers(&self, node: NodeKey) -> impl Iterator<Item = NodeKey> + '_ {
        self.peer_links(node).iter().map(move |&link| {
            let [a, b] = self.links[link].members;
            if a == node { b } else { a }
        })
    }
    /// Returns a link.
    pub fn link(&self, link: LinkKey) -> Option<&Link> {
        self.links.get(link)
    }
    /// All nodes.
    pub fn node_keys(&self) -> impl Iterator<Item = NodeKey> + '_ {
        self.nodes.keys()
    }
    /// All links.
    pub fn link_keys(&self) -> impl Iterator<Item = LinkKey> + '_ {
        self.links.keys()
    }

    /// The graphs that contain a node, from the innermost to the top-level graph; empty if the key refers to no node.
    pub fn owners(&self, node: NodeKey) -> impl Iterator<Item = NodeKey> + '_ {
        std::iter::successors(self.owner(node), |&owner| self.owner(owner))
    }

    /// Number of owners above a node: 0 for the top-level graph.
    pub fn depth(&self, node: NodeKey) -> Result<usize, GraphError> {
        self.node(node)?;
        Ok(self.owners(node).count())
    }

    /// The member of a graph that is a node or contains it at any depth; none if the graph does not contain it.
    pub fn find_member_containing(&self, graph: NodeKey, node: NodeKey) -> Option<NodeKey> {
        let mut at = node;
        while let Some(owner) = self.owner(at) {
            if owner == graph {
                return Some(at);
            }
            at = owner;
        }
        None
    }

    /// The lowest node that contains both nodes; one of the two if it contains the other.
    pub fn lowest_common_owner(&self, a: NodeKey, b: NodeKey) -> Result<NodeKey, GraphError> {
        let (mut a, mut b) = self.lift_to_one_depth(a, b)?;
        while a != b {
            (a, b) = self.owners_of_both(a, b);
        }
        Ok(a)
    }

    /// Links two atomic nodes at the level of their lowest common owner, in one pass.
    pub fn insert_link(&mut self, a: NodeKey, b: NodeKey) -> Result<LinkKey, GraphError> {
        for node in [a, b] {
            if self.node(node)?.kind != NodeKind::Atomic {
                return Err(GraphError::NotAtomic(node));
            }
        }
        if a == b {
            return Err(GraphError::SelfLink(a));
        }
        let (mut m, mut n) = self.lift_to_one_depth(a, b)?;
        // Two atomic nodes contain nothing, so m and n stay distinct until below their common owner.
        let owner = loop {
            match (self.nodes[m].owner, self.nodes[n].owner) {
                (Some(p), Some(q)) if p == q => break p,
                (Some(p), Some(q)) => (m, n) = (p, q),
                _ => return Err(GraphError::TopLevel),
            }
        };
        let end_places = [a, b].map(|node| self.nodes[node].ends.len());
        let key = self.links.insert(Link {
            owner,
            nodes: [a, b],
            members: [m, n],
            place: 0,
            peer_places: [0; 2],
            end_places,
        });
        self.nodes[a].ends.push(key);
        self.nodes[b].ends.push(key);
        self.enter_link(key, owner);
        self.attach(key, 0, m);
        self.attach(key, 1, n);
        Ok(key)
    }

    /// Removes a link and returns it.
    pub fn remove_link(&mut self, link: LinkKey) -> Result<Link, GraphError> {
        if !self.links.contains_key(link) {
            return Err(GraphError::NoSuchLink(link));
        }
        let was = self.links[link];
        self.take_link(link);
        Ok(was)
    }

    pub(super) fn node(&self, key: NodeKey) -> Result<&Node, GraphError> {
        self.nodes.get(key).ok_or(GraphError::NoSuchNode(key))
    }

    pub(super) fn graph(&self, key: NodeKey) -> Result<&Node, GraphError> {
        let node = self.node(key)?;
        if node.kind == NodeKind::Atomic {
            return Err(GraphError::NotAGraph(key));
        }
        Ok(node)
    }

    fn lift_to_one_depth(
        &self,
        mut a: NodeKey,
        mut b: NodeKey,
    ) -> Result<(NodeKey, NodeKey), GraphError> {
        let (mut above_a, mut above_b) = (self.depth(a)?, self.depth(b)?);
        while above_a > above_b {
            a = self.nodes[a].owner.unwrap_or(self.root);
            above_a -= 1;
        }
        while above_b > above_a {
            b = self.nodes[b].owner.unwrap_or(self.root);
            above_b -= 1;
        }
        Ok((a, b))
    }

    fn owners_of_both(&self, a: NodeKey, b: NodeKey) -> (NodeKey, NodeKey) {
        let owner = |key: NodeKey| self.nodes[key].owner.unwrap_or(self.root);
        (owner(a), owner(b))
    }
}
