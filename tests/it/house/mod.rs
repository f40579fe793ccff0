//! The source itself: layers, what is public, what it is built from.

pub mod dependencies;
pub mod layers;
pub mod public_api;
