//! Quasi-static stress: forces and displacements of a packing in equilibrium (thesis, chapter 4).
//!
//! A [`Network`] contains grains as nodes and contacts as links, each link a two-node element. A
//! [`Solver`] finds the displacements that balance the loads; several solvers implement this trait.
//! Displacements are small: directions and lever arms are those of the reference positions.

mod auto;
mod bed;
mod bordered;
mod calc;
mod carriers;
mod cg;
mod cholesky;
mod conjugate;
mod dense;
mod distributed_matrix;
mod distributed_matvec;
mod element;
mod exchange;
mod factor;
mod free;
mod grounding;
mod growing;
mod half;
mod incomplete;
mod inverse;
mod local;
mod network;
mod packed;
mod packing;
mod precondition;
mod rima;
mod solver;
mod sparse;
mod storage;

pub use auto::{Auto, Choice, CostModel, Rates, Way};
pub use bed::{Bed, Number, Strut};
pub use calc::{StressMatrices, calc, stress_matrices};
pub use cg::{ConjugateGradient, Iteration};
pub use cholesky::{Cholesky, Failed};
pub use dense::Dense;
pub use distributed_matrix::{DistributedMatrix, Fetch};
pub use element::{Element, frame};
pub use exchange::{Bar, compatibility_matrix, contact_matrix, stiffness_matrix};
pub use factor::{Factor, FactorCounts};
pub use free::{Acceleration, FreeError, FreeGroup, Member, in_series};
pub use grounding::Grounding;
pub use growing::Growing;
pub use local::Pending;
pub use network::{Change, Freedom, Link, LinkKey, LinkState, Network, Node, NodeKey};
pub use packed::Packed;
pub use packing::{
    Avalanche, Disconnecting, Dissipated, Handling, Outcome, Packing, Place, Reason, Relaxation,
    Rules, Slid, Sliding, Stress, Surface, Tension, Topological, Touch, Unresolved, With,
};
pub use precondition::Preconditioner;
pub use rima::Rima;
pub use solver::{Effort, Half, Solver, StressError};
pub use sparse::Stiffness;
pub use storage::Storage;
