//! A normal spring that is stiffer when unloaded.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::vector::Lanes;

/// Loading along k1 (the law's normal stiffness), unloading and reloading along k2, and attraction down to -kc x
/// (Walton and Braun 1986; Luding 2008, with one k2 for all loads).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plastic {
    /// k2, N/m; at least k1.
    pub unloading: f64,
    /// kc, N/m.
    pub cohesion: f64,
}

/// Loading along the law's `normal_stiffness`, unloading and loading again along a greater one (Walton and Braun 1986;
/// Luding 2008); needs `linear`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("x-formula" = "Fn = k1 x on loading, k2 (x - x0) on unloading, not under -kc x", "x-unit" = "N", "x-source" = "Walton and Braun 1986; Luding 2008"))]
pub struct PlasticKeys {
    /// Stiffness of unloading, N/m, more than `normal_stiffness`. A head-on contact without damping has the
    /// restitution sqrt(normal_stiffness / unloading_stiffness).
    #[schemars(range(min = 0.0))]
    pub unloading_stiffness: f64,
    /// The link pulls with at most this times the overlap, N/m.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub cohesion_stiffness: f64,
}

impl Plastic {
    /// Returns the elastic force at an overlap above 0, and its part that does not derive from stored energy; `k1` is
    /// the law's stiffness and `deepest` the overlap to which the links were loaded.
    #[inline(always)]
    pub(in crate::contact) fn load<L: Lanes>(self, k1: L, inside: L, deepest: &mut L) -> [L; 2] {
        let (k2, kc) = (self.unloading, self.cohesion);
        let share = k1.div(L::splat(k2));
        let free = L::splat(1.0).sub(share);
        let before = *deepest;
        let loading = before.less(inside);
        let deep = before.max(inside);
        let unload = L::splat(k2).mul(inside.sub(free.mul(deep)));
        let lowest = L::splat(-kc).mul(inside);
        let limited = unload.less(lowest);
        let force = unload.max(lowest);
        // On the lower limit the link reduces its loading history.
        let forgotten = inside
            .mul(L::splat(1.0 + kc / k2))
            .div(free.max(L::splat(1e-300)));
        *deepest = forgotten.select(deep, limited);
        // The stored energy is F^2 / (2 k2): loading adds k1 / k2 of its work, the lower limit releases it.
        let filled = force.mul(share).select(force, loading);
        let emptied = L::splat(kc * kc / k2).mul(inside);
        let stored = emptied.select(filled, limited);
        [force, force.sub(stored)]
    }

    /// Returns the overlap at which a link that was loaded to `deepest` has its least force, m.
    pub(in crate::contact) fn end(self, k1: f64, deepest: f64) -> f64 {
        (self.unloading - k1) * deepest / (self.unloading + self.cohesion)
    }

    /// Returns the energy stored at an overlap (m) by a link that was loaded to `deepest`, J.
    pub(in crate::contact) fn stored(self, k1: f64, inside: f64, deepest: f64) -> f64 {
        let k2 = self.unloading;
        let unload = k2 * (inside - (1.0 - k1 / k2) * deepest.max(inside));
        let force = unload.max(-self.cohesion * inside);
        0.5 * force * force / k2
    }
}
