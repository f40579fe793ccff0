//! The sum over components, as most codes take it.

use super::{Integrals, MassProperties};
use crate::body::Clump;
use crate::geometry::Dimension;

/// The sum over all components of a clump: what overlaps counts twice (Ostanin et al., 3.3.1).
/// The error that this makes is not estimated; it is 0 when nothing overlaps.
pub fn components<D: Dimension>(clump: &Clump<D>) -> MassProperties<D> {
    let mut integrals = Integrals::new(clump.balls()[0].centre);
    for ball in clump.balls() {
        integrals.add_ball(ball.centre, ball.radius);
    }
    integrals.properties(0.0)
}
