//! Sweeps embedded in the program, each from one file of the repository.

use crate::scenario::embedded::Embedded;

macro_rules! sweeps {
    ($($name:literal),* $(,)?) => {
        /// All embedded sweeps. A new one is a file in `sweeps` and a line here.
        pub const SWEEPS: &[Embedded] = &[
            $(Embedded {
                name: $name,
                text: include_str!(concat!("../../sweeps/", $name, ".toml")),
            }),*
        ];
    };
}

sweeps!["beverloo", "beverloo-plane", "beverloo-space", "jam"];

/// Returns the embedded sweep with a name.
pub fn sweep(name: &str) -> Option<Embedded> {
    SWEEPS.iter().find(|item| item.name == name).copied()
}
