//! The sum over components, as most programs compute it.

use super::{Integrals, MassProperties};
use crate::body::Clump;
use crate::geometry::Dimension;

/// Returns the sum over all components of a clump: overlaps count twice (Ostanin et al., 3.3.1). The resulting error
/// is not estimated; it is 0 without overlaps.
pub fn components<D: Dimension>(clump: &Clump<D>) -> MassProperties<D> {
    let mut integrals = Integrals::new(clump.balls()[0].centre);
    for ball in clump.balls() {
        integrals.add_ball(ball.centre, ball.radius);
    }
    integrals.properties(0.0)
}
