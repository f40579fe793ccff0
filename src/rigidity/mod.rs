//! Quasi-rigid bodies: groups of bodies whose links leave them no internal motion (thesis 5.7).
//!
//! [`Pebble`] counts: it finds every rigid group of a planar network of generic geometry and
//! updates them as links are inserted, removed, slip and grip. [`Templates`] finds groups as the
//! thesis does, by collapsing patterns; it misses some. Counting ignores lengths and forces:
//! [`Certificate`] checks the stiffness matrix of the group itself, in the plane and in space.

mod bars;
mod calc;
mod certificate;
mod grounded;
mod patch;
mod pebble;
mod pivots;
mod templates;

pub use calc::calc;
pub use certificate::Certificate;
pub use grounded::{DiskGroups, DiskLink};
pub use pebble::{BodyKey, BodyKind, LinkKey, Pebble};
pub use pivots::{Pivots, SymmetricRows};
pub use templates::{Collapse, Part, Template, Templates};
