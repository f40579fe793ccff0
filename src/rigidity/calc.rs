//! `arenite calc rigidity`: the rigid groups of a network.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::{Value, json};

use super::{BodyKey, BodyKind, Pebble, Templates};
use crate::cases::{CalcError, Id, each, parse, wrong};
use crate::stress::LinkState;

#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Method {
    #[default]
    Pebble,
    Templates,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Bodies {
    Disk,
    Generic,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum State {
    #[default]
    Grip,
    Slide,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    #[serde(default)]
    method: Method,
    bodies: Bodies,
    nodes: Vec<CaseNode>,
    links: Vec<CaseLink>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CaseNode {
    id: Id,
    #[serde(default)]
    fixed: bool,
    #[serde(default)]
    frame: Option<i64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CaseLink {
    a: Id,
    b: Id,
    #[serde(default)]
    state: State,
}

/// Rigid groups of planar networks: `{"method":, "bodies":, "nodes":, "links":}` gives
/// `{"clusters":, "floppy_modes":, "redundant":}`. The two numbers are properties of the network,
/// whatever the method.
///
/// # Errors
/// If a case does not have that form.
pub fn calc(input: Value) -> Result<Value, CalcError> {
    each(input, |case| one(&parse(case)?))
}

fn one(case: &Case) -> Result<Value, CalcError> {
    let mut pebble = Pebble::new();
    let mut kinds: Vec<BodyKind> = Vec::new();
    let mut indices: BTreeMap<&Id, usize> = BTreeMap::new();
    let mut grounds: BTreeMap<i64, BodyKey> = BTreeMap::new();
    // Body of each node, and nodes of each body.
    let mut body_of: Vec<BodyKey> = Vec::with_capacity(case.nodes.len());
    let mut nodes_of: Vec<Vec<usize>> = Vec::new();
    for (i, node) in case.nodes.iter().enumerate() {
        if let Some(before) = indices.insert(&node.id, i) {
            let message = format!("{} is the id of nodes[{before}] too", node.id);
            return Err(wrong(&format!("nodes[{i}].id"), message));
        }
        if node.frame.is_some() && !node.fixed {
            let message = "is for fixed nodes only; set \"fixed\": true or leave it out";
            return Err(wrong(&format!("nodes[{i}].frame"), message));
        }
        let kind = match case.bodies {
            Bodies::Disk if !node.fixed => BodyKind::Disk,
            _ => BodyKind::Shape,
        };
        let mut add = || {
            kinds.push(kind);
            nodes_of.push(Vec::new());
            pebble.add_body(kind)
        };
        let body = if node.fixed {
            *grounds.entry(node.frame.unwrap_or(0)).or_insert_with(add)
        } else {
            add()
        };
        nodes_of[body].push(i);
        body_of.push(body);
    }
    let mut joints: Vec<([usize; 2], LinkState)> = Vec::with_capacity(case.links.len());
    for (i, link) in case.links.iter().enumerate() {
        let ends = [("a", &link.a), ("b", &link.b)].map(|(key, id)| {
            let unknown = || {
                wrong(
                    &format!("links[{i}].{key}"),
                    format!("no node has the id {id}"),
                )
            };
            indices.get(id).copied().ok_or_else(unknown)
        });
        let [a, b] = ends;
        let state = match link.state {
            State::Grip => LinkState::Grip,
            State::Slide => LinkState::Slide,
        };
        joints.push(([a?, b?], state));
    }
    for &([a, b], state) in &joints {
        pebble.insert_link(body_of[a], body_of[b], state);
    }
    let groups = match case.method {
        Method::Pebble => pebble.clusters(),
        Method::Templates => {
            let links = joints
                .iter()
                .map(|&([a, b], state)| (body_of[a], body_of[b], state));
            Templates::find(&kinds, links).groups()
        }
    };
    Ok(json!({
        "clusters": named(case, &groups, &body_of, &nodes_of, &joints),
        "floppy_modes": pebble.floppy_modes(),
        "redundant": pebble.redundant(),
    }))
}

/// Groups of bodies by the ids of their nodes, largest first. For a frame the group lists only
/// nodes that a link joins to the group, or the first node if there is none.
fn named<'a>(
    case: &'a Case,
    groups: &[Vec<BodyKey>],
    body_of: &[BodyKey],
    nodes_of: &[Vec<usize>],
    joints: &[([usize; 2], LinkState)],
) -> Vec<Vec<&'a Id>> {
    let mut group_of: Vec<Option<usize>> = vec![None; nodes_of.len()];
    for (group, bodies) in groups.iter().enumerate() {
        for &body in bodies {
            group_of[body] = Some(group);
        }
    }
    let mut used: BTreeSet<usize> = BTreeSet::new();
    for &([a, b], _) in joints {
        let (left, right) = (body_of[a], body_of[b]);
        if left != right && group_of[left].is_some() && group_of[left] == group_of[right] {
            used.extend([a, b]);
        }
    }
    let mut clusters: Vec<Vec<usize>> = groups
        .iter()
        .map(|bodies| {
            let mut nodes = Vec::new();
            for &body in bodies {
                let all = &nodes_of[body];
                let before = nodes.len();
                nodes.extend(all.iter().copied().filter(|node| used.contains(node)));
                if nodes.len() == before {
                    nodes.extend(all.first());
                }
            }
            nodes.sort_unstable();
            nodes
        })
        .collect();
    clusters.sort_by_key(|nodes| (std::cmp::Reverse(nodes.len()), nodes[0]));
    let ids = |nodes: Vec<usize>| nodes.into_iter().map(|node| &case.nodes[node].id).collect();
    clusters.into_iter().map(ids).collect()
}
