//! Merging of two inverses.

use super::{Held, Place, Rima, Unwanted};
use crate::geometry::Dimension;
use crate::stress::network::{LinkKey, Network, NodeKey};

impl Rima {
    /// Appends another inverse as a block of its own, without any computation (thesis 5.7.7.1, Fig.
    /// 5.32). `network` is the joined one; `nodes` and `links` are the numbers of nodes and links
    /// of the left one: see [`Network::append`]. Links between the two parts are added afterwards
    /// like any other.
    pub fn merge<D: Dimension>(
        &mut self,
        other: Rima,
        network: &Network<D>,
        nodes: NodeKey,
        links: LinkKey,
    ) {
        self.notice(network, nodes, links);
        self.stiffen();
        let mut other = other;
        other.stiffen();
        let start = self.inverse.len();
        self.inverse.append(other.inverse);
        self.places
            .extend(other.places.into_iter().map(|place| match place {
                Place::At(at) => Place::At(start + at),
                same => same,
            }));
        self.order.extend(other.order.iter().map(|n| n + nodes));
        self.held
            .extend(other.held.into_iter().map(|mut held: Held| {
                held.ends = held.ends.map(|n| n + nodes);
                held
            }));
        self.dirty.extend(other.dirty.iter().map(|l| l + links));
        self.unwanted
            .extend(other.unwanted.into_iter().map(|one| match one {
                Unwanted::Bar { link, bar } => Unwanted::Bar {
                    link: link + links,
                    bar,
                },
                Unwanted::Spring {
                    node,
                    axis,
                    stiffness,
                } => Unwanted::Spring {
                    node: node + nodes,
                    axis,
                    stiffness,
                },
            }));
        self.lever = self.lever.max(other.lever);
        self.stiffest = self.stiffest.max(other.stiffest);
        self.sound = false;
        self.retry = true;
    }
}
