//! Events: what they are, and the queue that orders them.

mod kind;

pub use kind::{EventKind, Regime};
