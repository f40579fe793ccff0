//! The hierarchical graph of a snapshot (thesis 5.1, 5.2): the system, clusters of touching grains, groups of grains
//! at rest, grains; walls that are touched are members of the system.

use std::collections::{BTreeMap, BTreeSet};

use super::rows::{BodyRef, GrainRow, LinkRow};
use crate::body::GrainId;
use crate::hgraph::{GraphError, HierarchicalGraph, NodeKey, NodeKind};

/// Nodes and links of a snapshot, at their levels.
#[derive(Clone, Debug)]
pub struct Hierarchy {
    /// The tree. A group at rest is a body without inner motion: [`NodeKind::RigidBody`].
    pub graph: HierarchicalGraph,
    /// The node of each grain, in the order of the rows.
    pub grains: Vec<NodeKey>,
    /// The least grain number in each graph below the system.
    pub names: BTreeMap<NodeKey, GrainId>,
}

impl Hierarchy {
    /// Builds the hierarchy from the rows of a snapshot. Links with bodies that have no row are omitted.
    ///
    /// # Errors
    /// None for rows of one snapshot; a grain that appears twice may be linked to itself.
    pub fn of(grains: &[GrainRow], links: &[LinkRow]) -> Result<Self, GraphError> {
        let mut graph = HierarchicalGraph::new();
        let system = graph.root();
        // Nodes by the body codes of the tables.
        let mut bodies: BTreeMap<i64, NodeKey> = BTreeMap::new();
        let mut keys = Vec::with_capacity(grains.len());
        let mut flyers: BTreeSet<NodeKey> = BTreeSet::new();
        for grain in grains {
            let key = graph.add_atomic(system, false)?;
            bodies.insert(i64::from(grain.grain), key);
            keys.push(key);
            if grain.cluster < 0 {
                flyers.insert(key);
            }
        }
        for link in links {
            let [a, b] = [link.body_a, link.body_b].map(BodyRef::code);
            if matches!(link.body_b, BodyRef::Boundary(_)) && !bodies.contains_key(&b) {
                bodies.insert(b, graph.add_atomic(system, true)?);
            }
            let ends = [a, b].map(|code| bodies.get(&code).copied());
            if let [Some(a), Some(b)] = ends {
                graph.insert_link(a, b)?;
            }
        }
        for cluster in graph.find_clusters(system)? {
            // A grain that flies alone belongs to no cluster.
            let flies = |&key: &NodeKey| flyers.contains(&key);
            if graph.members(cluster).iter().all(flies) {
                graph.ungroup(cluster)?;
            }
        }
        let mut groups: BTreeMap<_, Vec<NodeKey>> = BTreeMap::new();
        for (grain, &key) in grains.iter().zip(&keys).filter(|(g, _)| g.group >= 0) {
            let group = (graph.owner(key), grain.group);
            groups.entry(group).or_default().push(key);
        }
        for members in groups.values() {
            graph.group(members, NodeKind::RigidBody)?;
        }
        let mut names: BTreeMap<NodeKey, GrainId> = BTreeMap::new();
        for (grain, &key) in grains.iter().zip(&keys) {
            for owner in graph.owners(key).filter(|&owner| owner != system) {
                let name = names.entry(owner).or_insert(grain.grain);
                *name = grain.grain.min(*name);
            }
        }
        Ok(Hierarchy {
            graph,
            grains: keys,
            names,
        })
    }
}
