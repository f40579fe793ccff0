//! Vectors, rotations, poses and shapes, in two and in three dimensions.
//!
//! Everything above this module is generic over a [`Dimension`]: [`Planar`] or [`Spatial`].

mod dimension;
pub mod path;
pub mod surface;

pub use dimension::{Dimension, Planar, Spatial, Vector};
