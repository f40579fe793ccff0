//! What records tell of bonds.

use serde::{Deserialize, Serialize};

/// Bonds at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BondFigures {
    /// Bonds that formed.
    pub formed: u64,
    /// Those that hold.
    pub holding: u64,
    /// Those that broke in tension, with bending.
    pub torn: u64,
    /// Those that broke in shear, with twisting.
    pub sheared: u64,
}
