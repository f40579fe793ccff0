//! `arenite calc` for `grain` and `contact`: JSON in, results in JSON out.

mod contact;
mod grain;
mod shape;

pub use contact::contact;
pub use grain::grain;
pub(crate) use shape::{MOST_BYTES, Shape, take};
