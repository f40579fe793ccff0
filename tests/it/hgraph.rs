//! The index of clusters beside petgraph's connected components.

use std::collections::{BTreeMap, BTreeSet};

use arenite::hgraph::ClusterIndex;
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
    RefreshOne(u32),
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
        2 => slot().prop_map(Step::RefreshOne),
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
        if !index.may_have_split(grain) {
            prop_assert_eq!(index.cluster_of(grain), *name);
            prop_assert_eq!(&members, &clusters[name]);
        }
    }
    if !index.needs_refresh() {
        prop_assert_eq!(index.count(), plain.count());
        prop_assert!(index.clusters().eq(clusters.keys().copied()));
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
                        plain.links.retain(|&(a, b)| a != g && b != g);
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
                Step::RefreshOne(g) => {
                    if plain.grains.contains(&g) {
                        index.refresh_cluster_of(g, |grain, call| plain.visit(grain, call));
                        prop_assert!(!index.may_have_split(g));
                    }
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

/// A refresh looks at marked clusters and at no others: rule 1, an event costs what it touches.
#[test]
fn refresh_costs_the_marked_cluster_alone() {
    let mut index = ClusterIndex::with_grains(1000);
    let mut links = Vec::new();
    for g in 0..1000u32 {
        if g % 10 != 0 {
            index.insert_link(g - 1, g);
            links.push((g - 1, g));
        }
    }
    assert_eq!(index.count(), 100);
    links.retain(|&pair| pair != (43, 44));
    index.remove_link(43, 44);
    let asked = std::cell::RefCell::new(Vec::new());
    let looked_at = index.refresh(|grain, call| {
        asked.borrow_mut().push(grain);
        for &(a, b) in links.iter().filter(|(a, b)| *a == grain || *b == grain) {
            call(if a == grain { b } else { a });
        }
    });
    assert_eq!(looked_at, 10);
    let mut asked = asked.into_inner();
    asked.sort_unstable();
    assert!(asked.into_iter().eq(40..50));
    assert_eq!(index.count(), 101);
    assert_eq!((index.cluster_of(43), index.cluster_of(49)), (40, 44));
}
