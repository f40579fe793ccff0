//! `arenite calc` for `flight`, `collision` and `mapping`: cases in JSON in, results in JSON out.

mod collision;
mod flight;

pub use collision::{collision, mapping};
pub use flight::flight;
