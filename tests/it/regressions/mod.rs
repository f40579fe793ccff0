//! Faults that were found, a case each.

pub mod found_by_reading;
pub mod found_by_trying;
pub mod setups_by_hand;
