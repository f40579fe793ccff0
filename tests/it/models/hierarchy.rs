//! The index of clusters beside petgraph's connected components; the hierarchical graph beside its
//! definition (thesis 5.1.1).

use std::collections::{BTreeMap, BTreeSet};

use arenite::hgraph::{ClusterIndex, GraphError, HierarchicalGraph, LinkKey, NodeKey, NodeKind};
use petgraph::algo::connected_components;
use petgraph::graph::UnGraph;
use petgraph::unionfind::UnionFind;
use proptest::prelude::*;

const SLOTS: u32 = 24;

#[derive(Clone, Copy, Debug)]
enum Step {
    AddGrain(u32),
    RemoveGrain(u32),
    InsertLink(u32, u32),
    RemoveLink(usize),
    Refresh,
    Reload,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let slot = || 0..SLOTS;
    let step = prop_oneof![
        4 => slot().prop_map(Step::AddGrain),
        2 => slot().prop_map(Step::RemoveGrain),
        10 => (slot(), slot()).prop_map(|(a, b)| Step::InsertLink(a, b)),
        6 => any::<usize>().prop_map(Step::RemoveLink),
        2 => Just(Step::Refresh),
        1 => Just(Step::Reload),
    ];
    prop::collection::vec(step, 1..200)
}

/// Grains and links as sets, with the questions answered by petgraph.
#[derive(Default)]
struct Plain {
    grains: BTreeSet<u32>,
    links: BTreeSet<(u32, u32)>,
}

impl Plain {
    fn visit(&self, grain: u32, call: &mut dyn FnMut(u32)) {
        for &(a, b) in &self.links {
            if a == grain {
                call(b);
            } else if b == grain {
                call(a);
            }
        }
    }
    /// Least grain of the cluster of each grain.
    fn names(&self) -> BTreeMap<u32, u32> {
        let mut sets = UnionFind::<u32>::new(SLOTS as usize);
        for &(a, b) in &self.links {
            sets.union(a, b);
        }
        let mut least = BTreeMap::new();
        for &grain in &self.grains {
            least.entry(sets.find(grain)).or_insert(grain);
        }
        let name = |&grain: &u32| (grain, least[&sets.find(grain)]);
        self.grains.iter().map(name).collect()
    }
    fn count(&self) -> usize {
        let mut graph = UnGraph::<(), ()>::default();
        let nodes: BTreeMap<_, _> = self
            .grains
            .iter()
            .map(|g| (*g, graph.add_node(())))
            .collect();
        for (a, b) in &self.links {
            graph.add_edge(nodes[a], nodes[b], ());
        }
        connected_components(&graph)
    }
}

fn check(index: &ClusterIndex, plain: &Plain) -> Result<(), TestCaseError> {
    let names = plain.names();
    let mut clusters: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    for (&grain, &name) in &names {
        clusters.entry(name).or_default().insert(grain);
    }
    for (&grain, name) in &names {
        // Never finer than the truth, and the truth itself where nothing was marked.
        prop_assert!(index.same(grain, *name));
        let members: Vec<u32> = index.members(grain).collect();
        prop_assert_eq!(members.first(), Some(&grain));
        prop_assert_eq!(members.len(), index.size(grain));
        let members: BTreeSet<u32> = members.into_iter().collect();
        prop_assert!(members.is_superset(&clusters[name]));
        if !index.needs_refresh() {
            prop_assert_eq!(&members, &clusters[name]);
        }
    }
    if !index.needs_refresh() {
        prop_assert_eq!(index.count(), plain.count());
        let labels: BTreeSet<u32> = names.keys().map(|&g| index.cluster_of(g)).collect();
        prop_assert_eq!(labels.len(), clusters.len());
    }
    Ok(())
}

proptest! {
    #[test]
    fn clusters_are_connected_components(steps in steps()) {
        let mut index = ClusterIndex::new();
        let mut plain = Plain::default();
        for step in steps {
            match step {
                Step::AddGrain(g) => {
                    if plain.grains.insert(g) {
                        index.add_grain(g);
                    }
                }
                Step::RemoveGrain(g) => {
                    if plain.grains.remove(&g) {
                        for (a, b) in plain.links.extract_if(.., |&(a, b)| a == g || b == g) {
                            index.remove_link(a, b);
                        }
                        index.remove_grain(g);
                    }
                }
                Step::InsertLink(a, b) => {
                    let pair = (a.min(b), a.max(b));
                    if a != b && plain.grains.contains(&a) && plain.grains.contains(&b)
                        && plain.links.insert(pair)
                    {
                        let apart = !index.same(a, b);
                        prop_assert_eq!(index.insert_link(a, b), apart);
                    }
                }
                Step::RemoveLink(which) => {
                    if !plain.links.is_empty() {
                        let at = which % plain.links.len();
                        let pair = *plain.links.iter().nth(at).expect("in range");
                        plain.links.remove(&pair);
                        index.remove_link(pair.1, pair.0);
                    }
                }
                Step::Refresh => {
                    index.refresh(|grain, call| plain.visit(grain, call));
                    prop_assert!(!index.needs_refresh());
                }
                Step::Reload => {
                    let bytes = postcard::to_stdvec(&index).expect("written");
                    index = postcard::from_bytes(&bytes).expect("read");
                }
            }
            check(&index, &plain)?;
        }
        index.refresh(|grain, call| plain.visit(grain, call));
        check(&index, &plain)?;
    }
}

/// Rule 1, an event costs what it touches: a split costs the smaller part, a link lost in the midst
/// of others costs its neighbourhood, whatever the size of the cluster.
#[test]
fn splits_cost_the_smaller_part() {
    const SIDE: u32 = 100;
    let grains = SIDE * SIDE;
    let mut index = ClusterIndex::with_grains(grains);
    let mut links = BTreeSet::new();
    for g in 0..grains {
        for peer in [g + 1, g + SIDE] {
            if peer < grains && (peer != g + 1 || peer % SIDE != 0) {
                index.insert_link(g, peer);
                links.insert((g, peer));
            }
        }
    }
    assert_eq!(index.count(), 1);
    let mut lose = |index: &mut ClusterIndex, lost: &[(u32, u32)]| {
        for pair in lost {
            assert!(links.remove(pair));
            index.remove_link(pair.0, pair.1);
        }
        index.refresh(|grain, call| {
            for pair in [
                (grain, grain + 1),
                (grain, grain + SIDE),
                (grain.wrapping_sub(1), grain),
                (grain.wrapping_sub(SIDE), grain),
            ] {
                if links.contains(&pair) {
                    call(if pair.0 == grain { pair.1 } else { pair.0 });
                }
            }
        })
    };
    // In the midst of the square: a way round is three links long.
    let middle = 50 * SIDE + 50;
    let looked_at = lose(&mut index, &[(middle, middle + 1)]);
    assert!((2..20).contains(&looked_at), "{looked_at}");
    assert_eq!(index.count(), 1);
    // A corner of three grains, all but cut off by three links that are lost together: then and when
    // the last link goes, the corner is soon known.
    let looked_at = lose(&mut index, &[(1, 2), (1, 1 + SIDE), (SIDE, SIDE + 1)]);
    assert!((3..60).contains(&looked_at), "{looked_at}");
    assert!(index.same(0, middle));
    let looked_at = lose(&mut index, &[(SIDE, 2 * SIDE)]);
    assert!((3..40).contains(&looked_at), "{looked_at}");
    assert_eq!(
        index.members(0).collect::<BTreeSet<_>>(),
        [0, 1, SIDE].into()
    );
    assert_eq!(index.count(), 2);
    assert_eq!(index.size(middle), grains as usize - 3);
}

/// The measure itself: a merge costs the smaller cluster, known figures come out.
#[test]
fn what_link_events_touch_is_counted() {
    let mut index = ClusterIndex::with_grains(300);
    for g in 1..200 {
        index.insert_link(g - 1, g);
    }
    for g in 201..300 {
        index.insert_link(g - 1, g);
    }
    let touched = index.touched();
    assert_eq!((touched.count(), touched.largest()), (298, 2));
    index.insert_link(0, 299);
    let touched = index.touched();
    assert_eq!((touched.largest(), touched.quantile(0.5)), (101, 2));
    assert_eq!((touched.quantile(1.0), touched.quantile(0.99)), (101, 2));
    index.remove_link(0, 1);
    index.refresh(|_, _| ());
    assert_eq!(index.touched().count(), 300);
    index.forget_touched();
    assert_eq!(
        (index.touched().count(), index.touched().quantile(0.5)),
        (0, 0)
    );
}

/// Owner of each node but the root; owner, nodes and members of each link: all that a graph is.
type Snapshot = (BTreeMap<NodeKey, NodeKey>, BTreeMap<LinkKey, [NodeKey; 5]>);

fn snapshot(graph: &HierarchicalGraph) -> Snapshot {
    let owner = |node| Some((node, graph.owner(node)?));
    let link = |key| {
        let link = graph.link(key).expect("listed");
        let ([a, b], [m, n]) = (link.nodes, link.members);
        (key, [link.owner, a, b, m, n])
    };
    (
        graph.node_keys().filter_map(owner).collect(),
        graph.link_keys().map(link).collect(),
    )
}

/// Owners from a node up to the top, by the definition alone.
fn chain(graph: &HierarchicalGraph, node: NodeKey) -> Result<Vec<NodeKey>, TestCaseError> {
    let mut chain = vec![node];
    while let Some(owner) = graph.owner(chain[chain.len() - 1]) {
        prop_assert!(!chain.contains(&owner), "a node owns itself");
        chain.push(owner);
    }
    prop_assert_eq!(chain.last(), Some(&graph.root()));
    Ok(chain)
}

/// The invariants of the definition.
fn sound(graph: &HierarchicalGraph) -> Result<(), TestCaseError> {
    let mut peer_lists: BTreeMap<NodeKey, BTreeSet<LinkKey>> = BTreeMap::new();
    let mut internal: BTreeMap<NodeKey, BTreeSet<LinkKey>> = BTreeMap::new();
    let mut ends: BTreeMap<NodeKey, BTreeSet<LinkKey>> = BTreeMap::new();
    for key in graph.link_keys() {
        let link = graph.link(key).expect("listed");
        let chains = [chain(graph, link.nodes[0])?, chain(graph, link.nodes[1])?];
        let common = chains[0].iter().find(|n| chains[1].contains(n)).copied();
        prop_assert_eq!(Some(link.owner), common, "owner is the lowest common one");
        prop_assert_ne!(link.members[0], link.members[1]);
        for (side, chain) in chains.iter().enumerate() {
            prop_assert_eq!(graph.kind(link.nodes[side]), Some(NodeKind::Atomic));
            prop_assert_eq!(graph.owner(link.members[side]), Some(link.owner));
            prop_assert!(chain.contains(&link.members[side]));
            peer_lists
                .entry(link.members[side])
                .or_default()
                .insert(key);
            ends.entry(link.nodes[side]).or_default().insert(key);
        }
        internal.entry(link.owner).or_default().insert(key);
    }
    let none = BTreeSet::new();
    for node in graph.node_keys() {
        let chain = chain(graph, node)?;
        prop_assert_eq!(graph.depth(node), Ok(chain.len() - 1));
        for (list, expected) in [
            (graph.peer_links(node), &peer_lists),
            (graph.internal_links(node), &internal),
            (graph.links_of(node), &ends),
        ] {
            let set: BTreeSet<LinkKey> = list.iter().copied().collect();
            prop_assert_eq!(set.len(), list.len(), "listed twice");
            prop_assert_eq!(&set, expected.get(&node).unwrap_or(&none));
        }
        let members: BTreeSet<NodeKey> = graph.members(node).iter().copied().collect();
        prop_assert_eq!(members.len(), graph.members(node).len());
        let owned = graph.node_keys().filter(|&n| graph.owner(n) == Some(node));
        prop_assert_eq!(&members, &owned.collect::<BTreeSet<_>>());
        if graph.kind(node) == Some(NodeKind::Atomic) {
            prop_assert!(members.is_empty());
        } else {
            let any = members.iter().any(|&m| graph.is_fixed(m));
            prop_assert_eq!(graph.is_fixed(node), any);
        }
    }
    Ok(())
}

#[derive(Clone, Copy, Debug)]
enum Change {
    Add(usize, bool),
    Link(usize, usize),
    Unlink(usize),
    /// Members of the graph, chosen by the bits.
    Group(usize, u64),
    Ungroup(usize),
    FindClusters(usize),
    Remove(usize),
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let any = || any::<usize>();
    let change = prop_oneof![
        6 => (any(), prop::bool::weighted(0.15)).prop_map(|(g, fixed)| Change::Add(g, fixed)),
        8 => (any(), any()).prop_map(|(a, b)| Change::Link(a, b)),
        2 => any().prop_map(Change::Unlink),
        4 => (any(), proptest::num::u64::ANY).prop_map(|(g, bits)| Change::Group(g, bits)),
        2 => any().prop_map(Change::Ungroup),
        1 => any().prop_map(Change::FindClusters),
        1 => any().prop_map(Change::Remove),
    ];
    prop::collection::vec(change, 1..80)
}

fn pick<T: Copy>(list: &[T], which: usize) -> Option<T> {
    (!list.is_empty()).then(|| list[which % list.len()])
}

proptest! {
    #[test]
    fn hierarchical_graph_keeps_its_invariants(changes in changes()) {
        let mut graph = HierarchicalGraph::new();
        for change in changes {
            let of = |atomic: bool| -> Vec<NodeKey> {
                let is = |k: &NodeKey| (graph.kind(*k) == Some(NodeKind::Atomic)) == atomic;
                graph.node_keys().filter(is).collect()
            };
            let (atoms, graphs) = (of(true), of(false));
            match change {
                Change::Add(which, fixed) => {
                    let owner = pick(&graphs, which).expect("the root at least");
                    let node = graph.add_atomic(owner, fixed).expect("a graph");
                    prop_assert_eq!(graph.find_member_containing(owner, node), Some(node));
                }
                Change::Link(a, b) => {
                    if let (Some(a), Some(b)) = (pick(&atoms, a), pick(&atoms, b)) {
                        let made = graph.insert_link(a, b);
                        prop_assert_eq!(made.is_err(), a == b);
                        if let Ok(link) = made {
                            let link = graph.link(link).expect("made");
                            prop_assert_eq!(link.nodes, [a, b]);
                            prop_assert_eq!(graph.lowest_common_owner(a, b), Ok(link.owner));
                        }
                    }
                }
                Change::Unlink(which) => {
                    let links: Vec<LinkKey> = graph.link_keys().collect();
                    if let Some(link) = pick(&links, which) {
                        graph.remove_link(link).expect("a link");
                        prop_assert!(graph.remove_link(link).is_err());
                    }
                }
                Change::Group(which, bits) => {
                    let owner = pick(&graphs, which).expect("the root at least");
                    let members = graph.members(owner).iter().enumerate();
                    let chosen: Vec<NodeKey> =
                        members.filter(|(k, _)| bits >> (k % 64) & 1 == 1).map(|(_, n)| *n).collect();
                    let before = snapshot(&graph);
                    match graph.group(&chosen, NodeKind::RigidBody) {
                        Ok(group) => {
                            sound(&graph)?;
                            prop_assert_eq!(graph.owner(group), Some(owner));
                            prop_assert!(chosen.iter().all(|&n| graph.owner(n) == Some(group)));
                            // Undone and done again: ungrouping restores all there was.
                            graph.ungroup(group).expect("a group");
                            prop_assert_eq!(&snapshot(&graph), &before);
                            graph.group(&chosen, NodeKind::RigidBody).expect("as before");
                        }
                        Err(error) => {
                            prop_assert_eq!(error, GraphError::EmptyGroup);
                            prop_assert!(chosen.is_empty());
                        }
                    }
                }
                Change::Ungroup(which) => {
                    let group = pick(&graphs, which).expect("the root at least");
                    let expected = graph.members(group).to_vec();
                    match graph.ungroup(group) {
                        Ok(members) => {
                            prop_assert_eq!(members, expected);
                            prop_assert!(!graph.contains(group));
                        }
                        Err(error) => {
                            prop_assert_eq!(error, GraphError::TopLevel);
                            prop_assert_eq!(group, graph.root());
                        }
                    }
                }
                Change::FindClusters(which) => {
                    let container = pick(&graphs, which).expect("the root at least");
                    clusters_by_petgraph(&mut graph, container)?;
                }
                Change::Remove(which) => {
                    let nodes: Vec<NodeKey> = graph.node_keys().collect();
                    let node = pick(&nodes, which).expect("the root at least");
                    let below: Vec<NodeKey> = nodes.iter().copied().filter(|&n| {
                        n == node || graph.find_member_containing(node, n).is_some()
                    }).collect();
                    if graph.remove(node).is_ok() {
                        prop_assert!(below.iter().all(|&n| !graph.contains(n)));
                        prop_assert_eq!(graph.node_keys().count(), nodes.len() - below.len());
                    } else {
                        prop_assert_eq!(node, graph.root());
                    }
                }
            }
            sound(&graph)?;
        }
    }
}

/// `find_clusters` groups what petgraph says is connected through free bodies, and nothing else.
fn clusters_by_petgraph(
    graph: &mut HierarchicalGraph,
    container: NodeKey,
) -> Result<(), TestCaseError> {
    let free: Vec<NodeKey> = graph.members(container).to_vec();
    let is_free =
        |n: &NodeKey| !graph.is_fixed(*n) && graph.kind(*n).is_some_and(NodeKind::is_body);
    let free: Vec<NodeKey> = free.into_iter().filter(is_free).collect();
    let place: BTreeMap<NodeKey, usize> = free.iter().enumerate().map(|(k, n)| (*n, k)).collect();
    let mut sets = UnionFind::<usize>::new(free.len());
    for &link in graph.internal_links(container) {
        let [a, b] = graph.link(link).expect("listed").members;
        if let (Some(&a), Some(&b)) = (place.get(&a), place.get(&b)) {
            sets.union(a, b);
        }
    }
    let mut expected: BTreeMap<usize, BTreeSet<NodeKey>> = BTreeMap::new();
    for (node, &k) in &place {
        expected.entry(sets.find(k)).or_default().insert(*node);
    }
    let expected: BTreeSet<BTreeSet<NodeKey>> = expected.into_values().collect();
    for &node in &free {
        let found = graph.find_connected_group(node, false).expect("a node");
        let bodies = found.iter().copied().filter(|n| place.contains_key(n));
        let bodies: BTreeSet<NodeKey> = bodies.collect();
        // Clusters among the members conduct too, so the group may span several of the expected.
        prop_assert!(
            expected
                .iter()
                .any(|set| set.contains(&node) && set.is_subset(&bodies))
        );
        prop_assert!(found.iter().all(|&n| !graph.is_fixed(n)));
    }
    let clusters = graph.find_clusters(container).expect("a graph");
    let found: BTreeSet<BTreeSet<NodeKey>> = clusters
        .iter()
        .map(|&c| graph.members(c).iter().copied().collect())
        .collect();
    prop_assert_eq!(found, expected);
    prop_assert!(
        clusters
            .iter()
            .all(|&c| graph.kind(c) == Some(NodeKind::Cluster))
    );
    Ok(())
}

/// Figure 5.1 of the thesis: two clusters, each linked to a fixed rigid body in the middle, which
/// does not join them.
#[test]
fn fixed_bodies_do_not_join_clusters() -> Result<(), GraphError> {
    let mut graph = HierarchicalGraph::new();
    let root = graph.root();
    let wall = graph.add_atomic(root, true)?;
    let mut grains = Vec::new();
    for _ in 0..7 {
        grains.push(graph.add_atomic(root, false)?);
    }
    graph.insert_link(grains[0], wall)?;
    graph.insert_link(grains[0], grains[1])?;
    let fixed = graph.group(&[wall, grains[0], grains[1]], NodeKind::RigidBody)?;
    for (a, b) in [(1, 2), (2, 3), (1, 4), (4, 5), (5, 6)] {
        graph.insert_link(grains[a], grains[b])?;
    }
    assert!(graph.is_fixed(fixed) && graph.is_fixed(root));
    let listed = graph.find_connected_group(grains[2], true)?;
    assert_eq!(listed, [grains[2], fixed, grains[3]]);
    assert_eq!(graph.find_connected_group(fixed, true)?, [fixed]);
    let clusters = graph.find_clusters(root)?;
    let sizes: Vec<usize> = clusters.iter().map(|&c| graph.members(c).len()).collect();
    assert_eq!(sizes, [2, 3]);
    assert_eq!(
        graph.internal_links(root).len(),
        2,
        "clusters to the fixed body"
    );
    assert!(!graph.is_fixed(clusters[0]));
    Ok(())
}

#[test]
fn impossible_requests_are_errors() -> Result<(), GraphError> {
    let mut graph = HierarchicalGraph::new();
    let root = graph.root();
    let a = graph.add_atomic(root, false)?;
    let b = graph.add_atomic(root, false)?;
    let inner = graph.group(&[a], NodeKind::Cluster)?;
    let before = snapshot(&graph);
    let kind = NodeKind::Cluster;
    assert_eq!(
        graph.group(&[a, b], kind),
        Err(GraphError::DifferentOwners(a, b))
    );
    assert_eq!(graph.group(&[b, b], kind), Err(GraphError::Repeated(b)));
    assert_eq!(graph.group(&[], kind), Err(GraphError::EmptyGroup));
    assert_eq!(graph.group(&[root], kind), Err(GraphError::TopLevel));
    assert_eq!(
        graph.group(&[b], NodeKind::Atomic),
        Err(GraphError::AtomicGroup)
    );
    assert_eq!(graph.ungroup(root), Err(GraphError::TopLevel));
    assert_eq!(graph.ungroup(b), Err(GraphError::NotAGraph(b)));
    assert_eq!(
        graph.insert_link(a, inner),
        Err(GraphError::NotAtomic(inner))
    );
    assert_eq!(graph.insert_link(a, a), Err(GraphError::SelfLink(a)));
    assert_eq!(graph.add_atomic(a, false), Err(GraphError::NotAGraph(a)));
    assert_eq!(graph.find_clusters(a), Err(GraphError::NotAGraph(a)));
    assert_eq!(graph.remove(root), Err(GraphError::TopLevel));
    assert_eq!(
        snapshot(&graph),
        before,
        "a refused request changes nothing"
    );
    graph.remove(b)?;
    assert_eq!(graph.depth(b), Err(GraphError::NoSuchNode(b)));
    assert_eq!(graph.insert_link(a, b), Err(GraphError::NoSuchNode(b)));
    assert_eq!(graph.find_member_containing(root, b), None);
    assert_eq!(graph.find_member_containing(root, a), Some(inner));
    assert_eq!(graph.lowest_common_owner(a, inner), Ok(inner));
    Ok(())
}

/// Deep chains neither overflow the stack nor cost more than their depth.
#[test]
fn a_deep_tree_is_walked_without_recursion() -> Result<(), GraphError> {
    let mut graph = HierarchicalGraph::new();
    let a = graph.add_atomic(graph.root(), false)?;
    let b = graph.add_atomic(graph.root(), false)?;
    graph.insert_link(a, b)?;
    let mut top = a;
    for _ in 0..100_000 {
        top = graph.group(&[top], NodeKind::Container)?;
    }
    assert_eq!(graph.depth(a), Ok(100_001));
    assert_eq!(graph.lowest_common_owner(a, b), Ok(graph.root()));
    assert_eq!(graph.peers(b).collect::<Vec<_>>(), [top]);
    graph.remove(top)?;
    assert_eq!(graph.node_keys().count(), 2);
    assert_eq!(graph.peer_links(b), []);
    Ok(())
}
