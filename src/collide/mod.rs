//! Binary collisions: when they happen, and what comes out.
//!
//! [`flight`] tells when two bodies in free flight touch; [`hard`] is the instantaneous law with
//! restitution; [`resolved`] follows one frictionless contact through its duration; [`calc`] gives
//! all of them by cases in JSON; [`engine`] moves many hard bodies from collision to collision.

pub mod calc;
pub mod engine;
pub mod flight;
pub mod hard;
pub mod resolved;
