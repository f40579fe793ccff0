//! Arenite: a multi-model, discrete-event simulator of granular matter.
//!
//! Every part of a granular system is under the model that fits it now: grains fly on analytic
//! paths, groups in contact are integrated as clusters; one central event queue drives them.
//! The layers, from below: [`geometry`], [`body`]; [`contact`], [`field`], [`neighbor`],
//! [`event`], [`hgraph`]; [`cluster`], [`collide`]; [`system`]; [`scenario`], [`record`],
//! [`study`], [`view`], [`cli`].

pub mod body;
pub mod cli;
pub mod cluster;
pub mod collide;
pub mod contact;
pub mod event;
pub mod field;
pub mod geometry;
pub mod hgraph;
pub mod neighbor;
pub mod record;
pub mod scenario;
pub mod study;
pub mod system;
pub mod vector;
pub mod view;
