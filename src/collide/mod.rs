//! Binary collisions: when they happen, and what comes out.
//!
//! [`flight`] tells when two bodies in free flight touch; [`hard`] is the instantaneous law with
//! restitution; [`resolved`] follows one frictionless contact through its duration; [`soft`] takes the
//! outcome of such contacts from a table; [`calc`] gives
//! all of them by cases in JSON.

pub mod calc;
pub mod flight;
pub mod hard;
pub mod resolved;
mod scaled;
pub mod soft;
