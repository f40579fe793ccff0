//! Quasi-static stress: forces and displacements of a packing in equilibrium (thesis, chapter 4).
//!
//! A [`Network`] holds grains as nodes and contacts as links, each link a two-node element. A
//! [`Solver`] finds the displacements that balance the loads; three of them share that trait.
//! Displacements are small: directions and lever arms are those of the reference positions.

mod dense;
mod element;
mod network;
mod packing;
mod solver;

pub use dense::Dense;
pub use element::Element;
pub use network::{Change, Freedom, Link, LinkKey, LinkState, Network, Node, NodeKey};
pub use packing::{
    Avalanche, Disconnecting, Dissipated, Handling, Outcome, Packing, Place, Reason, Relaxation,
    Rules, Slid, Sliding, Stress, Surface, Tension, Topological, Touch, Unresolved, With,
};
pub use solver::{Effort, Solver, StressError};
