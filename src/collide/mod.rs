//! Binary collisions: their times and outcomes.
//!
//! [`crate::geometry::path`] computes when two bodies in free flight touch; [`hard`] is the
//! instantaneous law with restitution; [`resolved`] integrates one frictionless contact over its
//! duration; [`soft`] interpolates the outcome of such contacts in a table; [`restitution`] derives
//! the restitution from a contact law; [`rough`] integrates a contact with friction, [`table`]
//! interpolates its outcome in a table, [`family`] between several tables; [`calc`] computes all of
//! them for cases in JSON; [`engine`] moves many bodies from collision to collision.

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
