//! Micro-avalanches: all consequences of one perturbation as one record (thesis 4.7.2).

use super::super::network::{LinkKey, NodeKey};
use super::Packing;
use super::rules::{Dissipated, Relaxation};
use crate::geometry::{Dimension, Vector};

/// Two supports whose directions are closer than this cosine are almost parallel (Fig. 4.9).
const PARALLEL: f64 = 0.8;

/// Location of a link, in the thesis's classification of micro-avalanches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// At a boundary.
    Wall,
    /// In the top layer.
    Top,
    /// At a grain without two well-separated supports below.
    Irregular,
    /// Any other location.
    Inside,
}

impl Place {
    /// All locations, in order.
    pub const ALL: [Place; 4] = [Place::Wall, Place::Top, Place::Irregular, Place::Inside];

    /// Name in records.
    pub const fn name(self) -> &'static str {
        match self {
            Place::Wall => "wall",
            Place::Top => "top",
            Place::Irregular => "irregular",
            Place::Inside => "inside",
        }
    }
}

/// Definition of the top layer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surface<D: Dimension> {
    /// Unit vector up.
    pub up: D::Vector,
    /// Depth of the top layer below the trigger, m.
    pub depth: f64,
}

/// Consequences of one perturbation.
#[derive(Clone, Debug, PartialEq)]
pub struct Avalanche {
    /// The grain that was added.
    pub trigger: Option<NodeKey>,
    /// Number of slides, counting each slide of a link.
    pub slides: usize,
    /// Links that slid, connected or disconnected, by key.
    pub links: Vec<LinkKey>,
    /// Number of free grains at these links.
    pub grains: usize,
    /// Number of connections.
    pub connections: usize,
    /// Number of disconnections.
    pub disconnections: usize,
    /// Energy dissipated.
    pub energy: Dissipated,
    /// Elastic part of it by [`Place::ALL`], J.
    pub by_place: [f64; 4],
    /// Diagonal of the bounding box of the changed contacts, m.
    pub extent: f64,
    /// Location with most of the energy; none without energy.
    pub place: Option<Place>,
}

impl<D: Dimension> Packing<'_, D> {
    /// The micro-avalanche of an iteration; none if nothing changed.
    pub fn avalanche(
        &self,
        relaxation: &Relaxation,
        trigger: Option<NodeKey>,
        surface: &Surface<D>,
    ) -> Option<Avalanche> {
        let mut links: Vec<LinkKey> = relaxation.slid.iter().map(|s| s.link).collect();
        links.extend(relaxation.topology.iter().map(|t| t.link));
        links.sort_unstable();
        links.dedup();
        if links.is_empty() {
            return None;
        }
        let mut grains: Vec<NodeKey> = Vec::with_capacity(2 * links.len());
        let mut least = D::Vector::from_fn(|_| f64::INFINITY);
        let mut most = D::Vector::from_fn(|_| f64::NEG_INFINITY);
        for &key in &links {
            let link = &self.network.links()[key];
            grains.extend([link.a, link.b]);
            let contact = self.contact(key);
            for k in 0..D::N {
                least[k] = least[k].min(contact[k]);
                most[k] = most[k].max(contact[k]);
            }
        }
        grains.retain(|&node| !self.network.nodes()[node].fixed);
        grains.sort_unstable();
        grains.dedup();
        let mut by_place = [0.0; 4];
        for slid in &relaxation.slid {
            by_place[self.place(slid.link, trigger, surface) as usize] += slid.energy.elastic;
        }
        let mut place = None;
        for (candidate, energy) in Place::ALL.into_iter().zip(by_place) {
            if energy > 0.0 && place.is_none_or(|p: Place| energy > by_place[p as usize]) {
                place = Some(candidate);
            }
        }
        Some(Avalanche {
            trigger,
            slides: relaxation.slides,
            grains: grains.len(),
            links,
            connections: relaxation.connections(),
            disconnections: relaxation.disconnections(),
            energy: relaxation.energy,
            by_place,
            extent: (most - least).norm(),
            place,
        })
    }

    /// Location of a link: at a boundary, otherwise in the top layer, otherwise at an irregular grain.
    pub fn place(&self, link: LinkKey, trigger: Option<NodeKey>, surface: &Surface<D>) -> Place {
        let ends = [self.network.links()[link].a, self.network.links()[link].b];
        let nodes = self.network.nodes();
        if ends.iter().any(|&node| nodes[node].fixed) {
            return Place::Wall;
        }
        let height = |position: &D::Vector| position.dot(&surface.up);
        if let Some(trigger) = trigger {
            let top = height(&nodes[trigger].position);
            if height(&self.contact(link)) > top - surface.depth {
                return Place::Top;
            }
        }
        if ends.iter().any(|&node| self.irregular(node, surface)) {
            return Place::Irregular;
        }
        Place::Inside
    }

    /// Point of contact of a link, in the reference positions, m.
    pub fn contact(&self, link: LinkKey) -> D::Vector {
        let link = &self.network.links()[link];
        self.network.nodes()[link.a].position + link.arms[0]
    }

    /// Whether all supports of a grain from below have almost the same direction.
    fn irregular(&self, node: NodeKey, surface: &Surface<D>) -> bool {
        let mut supports: Vec<D::Vector> = Vec::new();
        for &key in self.network.links_of(node) {
            let link = &self.network.links()[key];
            let outward = if link.a == node {
                link.normal
            } else {
                -link.normal
            };
            if self.bonds[key].on && outward.dot(&surface.up) < 0.0 {
                supports.push(outward);
            }
        }
        let spread = |a: &D::Vector| supports.iter().any(|b| a.dot(b) < PARALLEL);
        !supports.iter().any(spread)
    }
}
