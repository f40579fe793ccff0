//! Tracks which free nodes are connected to a fixed node, updated as links open and close.

use super::network::{Change, LinkState, Network, NodeKey};
use super::solver::StressError;
use crate::geometry::Dimension;

/// The nodes that chains of links hold. The cost of additions is proportional to what they touch;
/// after a link opened, the next check searches the whole network.
#[derive(Clone, Debug, Default)]
pub struct Grounding {
    held: Vec<bool>,
    /// Nodes not held at the last check.
    loose: Vec<NodeKey>,
    opened: bool,
}

impl Grounding {
    /// The present state of a network.
    pub fn new<D: Dimension>(network: &Network<D>) -> Self {
        let mut grounding = Grounding::default();
        grounding.renew(network);
        grounding
    }

    fn renew<D: Dimension>(&mut self, network: &Network<D>) {
        self.loose = network.ungrounded();
        self.held = vec![true; network.nodes().len()];
        for &node in &self.loose {
            self.held[node] = false;
        }
        self.opened = false;
    }

    /// Updates the state for a change of the network.
    pub fn changed<D: Dimension>(&mut self, network: &Network<D>, change: Change) {
        match change {
            Change::Node(node) => {
                let fixed = network.nodes()[node].fixed;
                self.held.push(fixed);
                if !fixed {
                    self.loose.push(node);
                }
            }
            Change::Link { link, .. } => {
                self.opened |= network.links()[link].state == LinkState::Off;
            }
        }
    }

    /// Succeeds if every free node is held.
    ///
    /// # Errors
    /// [`StressError::Ungrounded`] with all nodes that are not held.
    pub fn check<D: Dimension>(&mut self, network: &Network<D>) -> Result<(), StressError> {
        if self.opened || self.held.len() != network.nodes().len() {
            self.renew(network);
        }
        // A node linked to a held node is held, and may hold others in turn.
        let mut found = !self.loose.is_empty();
        while found {
            found = false;
            for &node in &self.loose {
                let held = &self.held;
                let by = network.links_of(node).iter().any(|&key| {
                    let link = &network.links()[key];
                    let other = if link.a == node { link.b } else { link.a };
                    link.state != LinkState::Off && held[other]
                });
                if by {
                    self.held[node] = true;
                    found = true;
                }
            }
            let held = &self.held;
            self.loose.retain(|&node| !held[node]);
        }
        if self.loose.is_empty() {
            return Ok(());
        }
        self.loose.sort_unstable();
        Err(StressError::Ungrounded {
            nodes: self.loose.clone(),
        })
    }
}
