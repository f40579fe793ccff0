//! `arenite calc` for `flight`, `collision` and `mapping`: reads cases in JSON, returns results in JSON.

mod collision;
mod flight;

pub use collision::{collision, mapping};
pub use flight::flight;
