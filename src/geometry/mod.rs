//! Vectors, rotations, poses and shapes, in two and in three dimensions.
//!
//! Everything above this module is generic over a [`Dimension`]: [`Planar`] or [`Spatial`].

mod arrays;
mod dimension;
#[doc(hidden)]
pub mod path;
#[doc(hidden)]
pub mod surface;

#[doc(hidden)]
pub use arrays::{cross, dot, three};
pub use dimension::{Dimension, Planar, Spatial, Vector};
