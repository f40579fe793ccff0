//! Grouping and ungrouping (thesis 5.1.2.5, 5.1.2.6), and the transfer of nodes and links between owners.

use super::tree::{GraphError, HierarchicalGraph, LinkKey, Node, NodeKey, NodeKind};

impl HierarchicalGraph {
    /// Moves members of one graph into a new graph of the given kind inside it. The cost is
    /// proportional to the nodes and their links.
    pub fn group(&mut self, nodes: &[NodeKey], kind: NodeKind) -> Result<NodeKey, GraphError> {
        if kind == NodeKind::Atomic {
            return Err(GraphError::AtomicGroup);
        }
        let &first = nodes.first().ok_or(GraphError::EmptyGroup)?;
        let owner = self.node(first)?.owner.ok_or(GraphError::TopLevel)?;
        for &node in nodes {
            if self.node(node)?.owner != Some(owner) {
                return Err(GraphError::DifferentOwners(first, node));
            }
        }
        let mut sorted = nodes.to_vec();
        sorted.sort_unstable();
        if let Some(twice) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(GraphError::Repeated(twice[0]));
        }

        let group = self.nodes.insert(Node::new(kind));
        self.enter(group, owner);
        for &node in nodes {
            self.leave(node);
            self.enter(node, group);
        }
        for &node in nodes {
            // The loop changes peer lists, so it iterates over a copy of each.
            for link in self.nodes[node].peer_links.clone() {
                let [a, b] = self.links[link].members;
                match (self.owner(a) == Some(group), self.owner(b) == Some(group)) {
                    (true, true) if self.links[link].owner == group => {} // met from the other end
                    (true, true) => {
                        self.leave_link(link);
                        self.enter_link(link, group);
                    }
                    (inside, _) => {
                        let side = usize::from(!inside);
                        self.detach(link, side);
                        self.attach(link, side, group);
                    }
                }
            }
        }
        Ok(group)
    }

    /// Dissolves a graph into its owner and returns its former members. The cost is proportional to
    /// its members, its internal links and its peer links.
    pub fn ungroup(&mut self, group: NodeKey) -> Result<Vec<NodeKey>, GraphError> {
        let owner = self.graph(group)?.owner.ok_or(GraphError::TopLevel)?;
        for link in self.nodes[group].internal_links.clone() {
            self.leave_link(link);
            self.enter_link(link, owner);
        }
        for link in self.nodes[group].peer_links.clone() {
            let side = usize::from(self.links[link].members[0] != group);
            let node = self.links[link].nodes[side];
            self.detach(link, side);
            if let Some(member) = self.find_member_containing(group, node) {
                self.attach(link, side, member);
            }
        }
        let members = self.nodes[group].members.clone();
        for &member in &members {
            self.leave(member);
            self.enter(member, owner);
        }
        self.leave(group);
        self.nodes.remove(group);
        Ok(members)
    }

    /// Makes a node without owner a member of a graph.
    pub(super) fn enter(&mut self, key: NodeKey, owner: NodeKey) {
        self.nodes[key].place = self.nodes[owner].members.len();
        self.nodes[key].owner = Some(owner);
        self.nodes[owner].members.push(key);
        if self.nodes[key].is_fixed() {
            self.count_fixed(owner, true);
        }
    }

    /// Removes a node from its owner.
    pub(super) fn leave(&mut self, key: NodeKey) {
        let Some(owner) = self.nodes[key].owner.take() else {
            return;
        };
        let place = self.nodes[key].place;
        self.nodes[owner].members.swap_remove(place);
        if let Some(&moved) = self.nodes[owner].members.get(place) {
            self.nodes[moved].place = place;
        }
        if self.nodes[key].is_fixed() {
            self.count_fixed(owner, false);
        }
    }

    /// Updates the count of fixed members of a graph and of all owners above whose own state changes.
    fn count_fixed(&mut self, graph: NodeKey, more: bool) {
        let mut at = Some(graph);
        while let Some(key) = at {
            let node = &mut self.nodes[key];
            let before = node.is_fixed();
            if more {
                node.fixed_members += 1;
            } else {
                node.fixed_members -= 1;
            }
            at = if node.is_fixed() == before {
                None
            } else {
                node.owner
            };
        }
    }

    /// Puts a link among the internal links of a graph.
    pub(super) fn enter_link(&mut self, link: LinkKey, owner: NodeKey) {
        let list = &mut self.nodes[owner].internal_links;
        self.links[link].place = list.len();
        self.links[link].owner = owner;
        list.push(link);
    }

    /// Removes a link from the internal links of its owner.
    pub(super) fn leave_link(&mut self, link: LinkKey) {
        let (owner, place) = (self.links[link].owner, self.links[link].place);
        let list = &mut self.nodes[owner].internal_links;
        list.swap_remove(place);
        if let Some(&moved) = list.get(place) {
            self.links[moved].place = place;
        }
    }

    /// Makes a link a peer link of a node, as its first or second member.
    pub(super) fn attach(&mut self, link: LinkKey, side: usize, member: NodeKey) {
        let list = &mut self.nodes[member].peer_links;
        self.links[link].peer_places[side] = list.len();
        self.links[link].members[side] = member;
        list.push(link);
    }

    /// Removes a link from the peer links of its first or second member.
    pub(super) fn detach(&mut self, link: LinkKey, side: usize) {
        let member = self.links[link].members[side];
        let place = self.links[link].peer_places[side];
        let list = &mut self.nodes[member].peer_links;
        list.swap_remove(place);
        if let Some(&moved) = list.get(place) {
            let moved = &mut self.links[moved];
            moved.peer_places[usize::from(moved.members[0] != member)] = place;
        }
    }

    /// Removes a link from all lists and deletes it.
    pub(super) fn take_link(&mut self, link: LinkKey) {
        self.detach(link, 0);
        self.detach(link, 1);
        self.leave_link(link);
        let Some(gone) = self.links.remove(link) else {
            return;
        };
        for (node, place) in gone.nodes.into_iter().zip(gone.end_places) {
            let list = &mut self.nodes[node].ends;
            list.swap_remove(place);
            if let Some(&moved) = list.get(place) {
                let moved = &mut self.links[moved];
                moved.end_places[usize::from(moved.nodes[0] != node)] = place;
            }
        }
    }
}
