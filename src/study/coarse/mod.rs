//! Coarse-grained fields: density, velocity and stress as continuous functions of position, which satisfy the
//! balances of mass and momentum exactly, everywhere, also at walls (Goldhirsch 2010; Weinhart, Thornton, Luding &
//! Bokhove 2012).
//!
//! With the kernel W centred at r, grains i at r_i with mass m_i, volume V_i and velocity v_i, and contacts at c with
//! the force f on a grain,
//!
//! - density: sum of m_i W(r - r_i); solid fraction: sum of V_i W; momentum: sum of m_i v_i W; velocity V:
//!   momentum over density;
//! - kinetic pressure: sum of m_i (v_i - V)(v_i - V) W;
//! - contact pressure: sum over both grains of a contact of (r_i - c) f_i times the mean of W from c to r_i;
//!   f acts at the contact point, so that no shape needs a treatment of its own;
//! - boundary force: sum of f W(r - c) over contacts with walls.
//!
//! Then div P = boundary force + density times gravity for a bed at rest, at every position. Pressure is positive in
//! compression; row: plane across the axis, column: force along it. The kernel is not cut off at walls: the part
//! beyond them belongs to the fields, so that they sum up to the totals.

mod kernel;
mod places;
mod scene;
mod sums;

pub use kernel::Lucy;
pub use places::{Grid, Lattice, MOST_POINTS};
pub use scene::{Contact, Particle, Scene, lattices, scene};
pub use sums::{Field, Sums};
