//! Connected groups and clusters (thesis 5.3.1, 5.3.2), without recursion.

use rustc_hash::FxHashSet;

use super::tree::{GraphError, HierarchicalGraph, NodeKey, NodeKind};

impl HierarchicalGraph {
    /// The nodes connected to a node by links of one level, the start node first. The search does not
    /// continue through a fixed node, and lists it, once, only if `include_fixed` (or as the start).
    pub fn find_connected_group(
        &self,
        start: NodeKey,
        include_fixed: bool,
    ) -> Result<Vec<NodeKey>, GraphError> {
        self.node(start)?;
        Ok(self.connected(start, |node| include_fixed || !self.is_fixed(node)))
    }

    /// Groups the free bodies of a graph into clusters, one for each connected group, and returns the
    /// clusters. Members that are already clusters stay unchanged: ungroup them first to merge or split.
    pub fn find_clusters(&mut self, container: NodeKey) -> Result<Vec<NodeKey>, GraphError> {
        let free = |graph: &Self, node: NodeKey| {
            !graph.is_fixed(node) && graph.kind(node).is_some_and(NodeKind::is_body)
        };
        let mut bodies = self.graph(container)?.members.clone();
        bodies.retain(|&node| free(self, node));
        // Sorted by key, so that the order does not depend on the history of the list.
        bodies.sort_unstable();
        let mut clusters = Vec::new();
        for body in bodies {
            if self.owner(body) == Some(container) {
                let group = self.connected(body, |node| free(self, node));
                clusters.push(self.group(&group, NodeKind::Cluster)?);
            }
        }
        Ok(clusters)
    }

    /// Searches breadth-first from peer to peer through free nodes; `wanted` decides which nodes are listed.
    fn connected(&self, start: NodeKey, wanted: impl Fn(NodeKey) -> bool) -> Vec<NodeKey> {
        let mut result = vec![start];
        // Used for membership tests only, so its order has no effect.
        let mut seen = FxHashSet::from_iter([start]);
        let mut next = 0;
        while let Some(&node) = result.get(next) {
            next += 1;
            if self.is_fixed(node) {
                continue;
            }
            for peer in self.peers(node) {
                if wanted(peer) && seen.insert(peer) {
                    result.push(peer);
                }
            }
        }
        result
    }
}
