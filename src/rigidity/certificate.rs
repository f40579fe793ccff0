//! Certificate of a rigid group: its own stiffness matrix has positive pivots.

use super::pivots::{Pivots, SymmetricRows};
use crate::geometry::{Dimension, Vector};
use crate::stress::{Element, Freedom, LinkKey, LinkState, Network, NodeKey};

/// Motions of two bodies are equal if they differ by less than this fraction of the greatest
/// motion. Null vectors are exact up to the rounding error divided by the least valid pivot, 1e-8.
const SAME: f64 = 1e-6;

/// Certificate that a group of nodes is rigid by the links among them: with its fixed nodes (or one
/// free node if there are none) held, the stiffness matrix has only positive pivots. Spins that no link
/// involves, those of disks and spheres whose links all slide, are removed first. The certificate
/// detects gears, twists of spheres about a line of contacts and special positions, which counting
/// misses, in the plane and in space. Arms that do not meet because of an overlap are shortened.
#[derive(Clone, Debug)]
pub struct Certificate {
    nodes: Vec<NodeKey>,
    least_pivot: f64,
    loose: usize,
    giving_way: usize,
    groups: Vec<Vec<NodeKey>>,
    free_spins: Vec<NodeKey>,
}

/// Rows of one body of a group in the matrix.
#[derive(Clone, Copy)]
struct Rows {
    /// First row of the displacements; none if held.
    displacement: Option<usize>,
    /// First row of the spins; none if held or not involved.
    spin: Option<usize>,
}

impl Certificate {
    /// Certifies a group. `normal_forces`, if not empty, gives the normal force of every link of
    /// the network, N, positive in compression: a compressed link has the stiffness -N / distance
    /// against sideways motion of the centres, which can make an arch buckle.
    pub fn new<D: Dimension>(
        network: &Network<D>,
        nodes: &[NodeKey],
        normal_forces: &[f64],
    ) -> Self {
        let mut nodes = nodes.to_vec();
        nodes.sort_unstable();
        nodes.dedup();
        let place = |node: NodeKey| nodes.binary_search(&node).ok();
        let mut links: Vec<(LinkKey, [usize; 2])> = Vec::new();
        for (k, &node) in nodes.iter().enumerate() {
            for &key in network.links_of(node) {
                let link = &network.links()[key];
                let ends = [place(link.a), place(link.b)];
                if let [Some(a), Some(b)] = ends
                    && k == a.min(b)
                    && link.state != LinkState::Off
                {
                    links.push((key, [a, b]));
                }
            }
        }
        let elements: Vec<Element> = links
            .iter()
            .map(|&(key, _)| element(network, key))
            .collect();
        let mut felt = vec![false; nodes.len()];
        let mut degree = vec![0; nodes.len()];
        for (&(key, ends), element) in links.iter().zip(&elements) {
            let reach = network.links()[key].arms[0].norm() + network.links()[key].arms[1].norm();
            for (end, part) in ends.into_iter().zip([&element.a, &element.b]) {
                degree[end] += 1;
                let spins = part[..element.bars].iter().flat_map(|bar| &bar[D::N..]);
                felt[end] |= spins.into_iter().any(|c| c.abs() > 1e-12 * reach);
            }
        }
        let fixed: Vec<bool> = nodes.iter().map(|&n| network.nodes()[n].fixed).collect();
        // A free group is held at the body with the most links whose spin is involved.
        let held = (!fixed.contains(&true))
            .then(|| (0..nodes.len()).rev().max_by_key(|&k| (felt[k], degree[k])))
            .flatten();
        let mut size = 0;
        let mut rows: Vec<Rows> = Vec::with_capacity(nodes.len());
        let mut free_spins = Vec::new();
        for k in 0..nodes.len() {
            if fixed[k] || held == Some(k) {
                rows.push(Rows {
                    displacement: None,
                    spin: None,
                });
                continue;
            }
            let displacement = Some(size);
            size += D::N;
            let spin = felt[k].then_some(size);
            if felt[k] {
                size += D::SPINS;
            } else {
                free_spins.push(nodes[k]);
            }
            rows.push(Rows { displacement, spin });
        }
        let mut matrix = SymmetricRows::new(size);
        for (&(key, ends), element) in links.iter().zip(&elements) {
            let columns = |end: usize, i: usize| {
                if i < D::N {
                    rows[end].displacement.map(|row| row + i)
                } else {
                    rows[end].spin.map(|row| row + i - D::N)
                }
            };
            let mut add = |stiffness: f64, a: &[f64], b: &[f64]| {
                let parts = [(ends[0], a), (ends[1], b)];
                let entries: Vec<(usize, f64)> = parts
                    .iter()
                    .flat_map(|&(end, part)| part.iter().enumerate().map(move |(i, v)| (end, i, v)))
                    .filter_map(|(end, i, &v)| columns(end, i).map(|row| (row, v)))
                    .collect();
                for &(row, p) in &entries {
                    for &(column, q) in &entries {
                        matrix.add(row, column, stiffness * (p * q));
                    }
                }
            };
            let most = D::N + D::SPINS;
            for bar in 0..element.bars {
                let (a, b) = (&element.a[bar][..most], &element.b[bar][..most]);
                add(element.stiffness[bar], a, b);
            }
            if let Some(&force) = normal_forces.get(key) {
                let link = &network.links()[key];
                let [a, b] = [link.a, link.b].map(|node| network.nodes()[node].position);
                let stiffness = -force / (b - a).norm();
                let grip = Element::in_state(
                    &crate::stress::Link { kt: 1.0, ..*link },
                    LinkState::Grip,
                    Freedom::Translational,
                );
                for bar in 1..D::N {
                    add(stiffness, &grip.a[bar][..D::N], &grip.b[bar][..D::N]);
                }
            }
        }
        let pivots = Pivots::new(&matrix);
        let directions = pivots.directions();
        let groups = split::<D>(network, &nodes, &links, &rows, &directions);
        Certificate {
            nodes,
            least_pivot: pivots.least(),
            loose: pivots.none(),
            giving_way: pivots.negative(),
            groups,
            free_spins,
        }
    }

    /// Whether all pivots are positive: nothing in the group moves without force, apart from
    /// [`Certificate::free_spins`].
    pub fn is_rigid(&self) -> bool {
        self.loose == 0 && self.giving_way == 0
    }

    /// The nodes examined, in ascending order.
    pub fn nodes(&self) -> &[NodeKey] {
        &self.nodes
    }

    /// The least ratio of a pivot to its diagonal entry.
    pub fn least_pivot(&self) -> f64 {
        self.least_pivot
    }

    /// Number of internal motions without resistance.
    pub fn loose(&self) -> usize {
        self.loose
    }

    /// Number of directions in which the forces make the group unstable.
    pub fn giving_way(&self) -> usize {
        self.giving_way
    }

    /// Suggested split: nodes that move together in all motions found, largest group first, without
    /// single nodes. Fixed nodes are one body. A rigid group gives one group of all nodes.
    pub fn groups(&self) -> &[Vec<NodeKey>] {
        &self.groups
    }

    /// Nodes whose spin no link involves; they belong to a group by their centre only.
    pub fn free_spins(&self) -> &[NodeKey] {
        &self.free_spins
    }
}

/// The bars of a link whose arms are lengthened or shortened, each in proportion, until they meet: then a
/// rotation of the whole causes no strain, and the ratios of radii at which disks turn like gears are kept.
fn element<D: Dimension>(network: &Network<D>, key: LinkKey) -> Element {
    let mut link = network.links()[key];
    let [a, b] = [link.a, link.b].map(|node| network.nodes()[node].position);
    let gap = (b + link.arms[1]) - (a + link.arms[0]);
    let reach = link.arms.map(|arm| arm.dot(&link.normal).abs());
    let all = reach[0] + reach[1];
    let share = if all > 0.0 { reach[0] / all } else { 0.5 };
    link.arms[0] += gap * share;
    link.arms[1] -= gap * (1.0 - share);
    Element::new(&link, Freedom::Full)
}

/// Motion of a body in all directions found: its velocity, referred to a common point, and its
/// spin.
struct Motion<D: Dimension> {
    velocity: Vec<D::Vector>,
    spin: Vec<Option<D::Spin>>,
}

fn split<D: Dimension>(
    network: &Network<D>,
    nodes: &[NodeKey],
    links: &[(LinkKey, [usize; 2])],
    rows: &[Rows],
    directions: &[Vec<f64>],
) -> Vec<Vec<NodeKey>> {
    let origin = match nodes.first() {
        Some(&node) => network.nodes()[node].position,
        None => return Vec::new(),
    };
    let arm = |k: usize| network.nodes()[nodes[k]].position - origin;
    let extent = (0..nodes.len()).fold(0.0, |most: f64, k| most.max(arm(k).norm()));
    let mut motions: Vec<Motion<D>> = Vec::with_capacity(nodes.len());
    for k in 0..nodes.len() {
        let mut motion = Motion {
            velocity: Vec::new(),
            spin: Vec::new(),
        };
        for z in directions {
            let u = D::Vector::from_fn(|i| rows[k].displacement.map_or(0.0, |row| z[row + i]));
            let held = rows[k].displacement.is_none();
            let spin = (held || rows[k].spin.is_some())
                .then(|| D::spin_from_fn(|i| rows[k].spin.map_or(0.0, |row| z[row + i])));
            // Referred to the common point if the spin is known.
            let carried = spin.map_or(u, |spin| u - D::cross_spin(spin, arm(k)));
            motion.velocity.push(carried);
            motion.spin.push(spin);
        }
        motions.push(motion);
    }
    let scales: Vec<f64> = (0..directions.len())
        .map(|d| {
            let of = |m: &Motion<D>| m.velocity[d].norm() + spin_norm::<D>(m.spin[d]) * extent;
            SAME * motions.iter().map(of).fold(0.0, f64::max)
        })
        .collect();
    let same = |a: usize, b: usize| {
        (0..directions.len()).all(|d| {
            let (left, right) = (&motions[a], &motions[b]);
            match (left.spin[d], right.spin[d]) {
                (Some(p), Some(q)) => {
                    let differ =
                        D::spin_from_fn(|i| D::spin_component(p, i) - D::spin_component(q, i));
                    (left.velocity[d] - right.velocity[d]).norm() <= scales[d]
                        && spin_norm::<D>(Some(differ)) * extent <= scales[d]
                }
                // One node has a centre only: compare its motion with that of the same point of the other.
                (Some(p), None) => {
                    let there = left.velocity[d] + D::cross_spin(p, arm(b));
                    (there - right.velocity[d]).norm() <= scales[d]
                }
                (None, Some(q)) => {
                    let there = right.velocity[d] + D::cross_spin(q, arm(a));
                    (there - left.velocity[d]).norm() <= scales[d]
                }
                (None, None) => false,
            }
        })
    };
    let spins = |k: usize| rows[k].displacement.is_none() || rows[k].spin.is_some();
    let mut group_of: Vec<Option<usize>> = vec![None; nodes.len()];
    let mut groups: Vec<Vec<NodeKey>> = Vec::new();
    let mut firsts: Vec<usize> = Vec::new();
    for k in (0..nodes.len()).filter(|&k| spins(k)) {
        let found = firsts.iter().position(|&first| same(first, k));
        let group = found.unwrap_or_else(|| {
            groups.push(Vec::new());
            firsts.push(k);
            groups.len() - 1
        });
        groups[group].push(nodes[k]);
        group_of[k] = Some(group);
    }
    // Nodes without a spin join a neighbour that moves their centre.
    for &(_, ends) in links {
        for [k, other] in [ends, [ends[1], ends[0]]] {
            if group_of[k].is_none()
                && !spins(k)
                && let Some(group) = group_of[other]
                && same(other, k)
            {
                group_of[k] = Some(group);
                groups[group].push(nodes[k]);
            }
        }
    }
    groups.retain(|group| group.len() > 1);
    for group in &mut groups {
        group.sort_unstable();
    }
    groups.sort_by_key(|group| (std::cmp::Reverse(group.len()), group[0]));
    groups
}

fn spin_norm<D: Dimension>(spin: Option<D::Spin>) -> f64 {
    spin.map_or(0.0, |spin| D::spin_dot(spin, spin).sqrt())
}
