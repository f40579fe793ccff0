//! Binary collisions: when they happen, and what comes out.
//!
//! [`crate::geometry::path`] tells when two bodies in free flight touch; [`hard`] is the instantaneous law with
//! restitution; [`resolved`] follows one frictionless contact through its duration; [`soft`] takes the
//! outcome of such contacts from a table; [`restitution`] is what a contact law gives the hard one;
//! [`rough`] follows a contact with friction, [`table`] takes its outcome from a table, [`family`] from
//! tables side by side; [`calc`] gives all of them by cases in JSON; [`engine`] moves many bodies
//! from collision to collision.

pub(crate) mod alone;
pub mod calc;
pub mod engine;
pub mod family;
pub mod hard;
pub mod resolved;
pub mod restitution;
pub mod rough;
mod scaled;
pub mod soft;
pub mod table;
