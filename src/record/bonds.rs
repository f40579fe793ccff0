//! What records tell of bonds.

use serde::{Deserialize, Serialize};

/// Bonds at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BondFigures {
    /// Bonds that formed.
    pub formed: u64,
    /// Those that hold.
    pub holding: u64,
    /// Those that broke in tension, with bending.
    pub torn: u64,
    /// Those that broke in shear, with twisting.
    pub sheared: u64,
    /// Those that left with a grain that was removed.
    pub removed: u64,
    /// Fragments: sets of two grains and more that bonds join.
    pub fragments: u64,
    /// Mass of the heaviest fragment, kg, in the plane per metre of depth.
    pub largest_fragment: f64,
    /// Work of rigid bodies, where a law makes them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bodies: Option<BodyFigures>,
}

/// Rigid bodies of bonded grains, and the work on the loads of their bonds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BodyFigures {
    /// Bodies that formed at the start.
    pub formed: u64,
    /// Bodies there are.
    pub holding: u64,
    /// Times that the load of a body was bounded.
    pub screened: u64,
    /// Times that the loads of all bonds of a body were computed.
    pub solved: u64,
    /// Times that a body came apart.
    pub divided: u64,
}

/// What a bond bears in a snapshot, without its dampers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BondState {
    /// Tension, N; negative where it is compressed.
    pub tension: f64,
    /// Shear force, N.
    pub shear: f64,
    /// The greater of the bending moments at its ends, N m.
    pub bending: f64,
    /// Moment about its line, N m.
    pub twisting: f64,
    /// Share of its strength, 1 where it breaks; 0 for a bond that cannot break.
    pub share: f64,
}
