//! Coefficients of the law of a single link, as the kernels evaluate it.

use super::kinematics::Kinematics;
use super::observe::size;
use crate::contact::{Contact, ContactTerms, Law, LinkLaw, with_law};
use crate::geometry::Dimension;
use crate::vector::{Lanes, Plain};

/// Coefficients of one link.
pub(super) struct Coefficients {
    /// Elastic force without attraction.
    pub elastic: f64,
    pub cn: f64,
    pub kt: f64,
    pub ct: f64,
    pub friction: f64,
    /// By their columns: attraction, additional pressing force, normal stiffness.
    pub pull: f64,
    pub grip: f64,
    pub stiffness: f64,
    pub terms: ContactTerms,
    pub normal_energy: f64,
    /// Overlap to which the link has been loaded now, m.
    pub deepest: f64,
}

/// Coefficients of a link without history.
pub(super) fn coefficients<D: Dimension>(law: &LinkLaw, k: &Kinematics<D>) -> Coefficients {
    coefficients_after(law, k, 0.0)
}

/// Coefficients of a link that was loaded to an overlap `deepest` (m).
pub(super) fn coefficients_after<D: Dimension>(
    law: &LinkLaw,
    k: &Kinematics<D>,
    deepest: f64,
) -> Coefficients {
    with_law!(law, law => {
        let mut deep = Plain::splat(deepest);
        let c = law.compose(Contact {
            overlap: Plain::splat(k.overlap),
            inverse_mass: Plain::splat(k.inverse_mass),
            radius: Plain::splat(k.radius),
            speed: Plain::splat(k.speed),
            sliding: Plain::splat(size(k.sliding)),
        }, &mut deep);
        let one = |values: Plain| values.to_array()[0];
        Coefficients {
            elastic: one(c.response.elastic),
            cn: one(c.response.normal_damping),
            kt: one(c.response.tangential_stiffness),
            ct: one(c.response.tangential_damping),
            friction: law.friction(),
            pull: one(c.pull),
            grip: one(c.grip),
            stiffness: one(c.stiffness),
            terms: law.terms(),
            normal_energy: law.stored(k.overlap, k.radius, deepest),
            deepest: one(deep),
        }
    })
}

impl Coefficients {
    /// Normal force and pressing force, N, at a normal speed.
    pub fn normal(&self, speed: f64) -> (f64, f64) {
        let least = if self.terms.are_empty() {
            0.0
        } else {
            self.elastic.min(0.0)
        };
        let pushed = (self.elastic - self.cn * speed).max(least);
        (pushed - self.pull, (pushed + self.grip).max(0.0))
    }
}
