//! Force chains: how a packing passes load from one grain to another.

use petgraph::algo::astar;
use petgraph::graph::{NodeIndex, UnGraph};
use serde::Serialize;

use super::error::{StudyError, check};
use super::network::NetworkLink;

/// A chain of grains in contact.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ForceChain {
    /// The grains, both ends included.
    pub grains: Vec<usize>,
    /// Sum of the reciprocals of the normal forces along the chain, 1/N.
    pub length: f64,
    /// Least normal force along the chain, N; none for a single grain.
    pub weakest: Option<f64>,
}

/// Returns the contacts of `grains` grains as a graph, whose nodes are numbered as the grains and whose edges carry
/// normal forces, N: the algorithms of petgraph take it. Contacts with walls and those that do not press are left out.
///
/// # Errors
/// Contacts of grains that do not exist.
pub fn force_graph(grains: usize, links: &[NetworkLink]) -> Result<UnGraph<(), f64>, StudyError> {
    let mut graph = UnGraph::with_capacity(grains, links.len());
    for _ in 0..grains {
        graph.add_node(());
    }
    for link in links {
        for grain in [Some(link.first), link.second].into_iter().flatten() {
            exists(grain, grains)?;
        }
        if let Some(second) = link.second
            && link.force > 0.0
            && link.force.is_finite()
        {
            let ends = [link.first, second].map(NodeIndex::new);
            graph.add_edge(ends[0], ends[1], link.force);
        }
    }
    Ok(graph)
}

/// Returns the shortest force chain between two grains, where the length of a contact is the reciprocal of its normal
/// force: a chain is short if it has few contacts that bear much. None where no contacts that press join the two.
///
/// # Errors
/// Grains that do not exist, as ends or in contacts.
pub fn shortest_force_chain(
    grains: usize,
    links: &[NetworkLink],
    from: usize,
    to: usize,
) -> Result<Option<ForceChain>, StudyError> {
    for end in [from, to] {
        exists(end, grains)?;
    }
    let graph = force_graph(grains, links)?;
    let [start, goal] = [from, to].map(NodeIndex::new);
    let cost = |force: f64| 1.0 / force;
    let found = astar(
        &graph,
        start,
        |node| node == goal,
        |edge| cost(*edge.weight()),
        |_| 0.0,
    );
    let Some((length, nodes)) = found else {
        return Ok(None);
    };
    // Of several contacts of two grains the strongest is the shortest.
    let strongest = |pair: &[NodeIndex]| {
        let between = graph.edges_connecting(pair[0], pair[1]);
        between.map(|edge| *edge.weight()).reduce(f64::max)
    };
    Ok(Some(ForceChain {
        weakest: nodes.windows(2).filter_map(strongest).reduce(f64::min),
        grains: nodes.into_iter().map(NodeIndex::index).collect(),
        length,
    }))
}

fn exists(grain: usize, grains: usize) -> Result<(), StudyError> {
    check(
        "index of a grain",
        grain as f64,
        "under the number of grains",
        |_| grain < grains,
    )
    .map(|_| ())
}
