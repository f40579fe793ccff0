//! Errors of the input of a study.

use thiserror::Error;

/// Reasons why a quantity cannot be computed from the data.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum StudyError {
    /// Too few values.
    #[error("{what}: {have} given, at least {need} needed")]
    TooFew {
        /// Kind of the values.
        what: &'static str,
        /// Number of values given.
        have: usize,
        /// Number of values needed.
        need: usize,
    },
    /// A number is outside its valid range.
    #[error("{what} is {value}, but must be {must}")]
    Range {
        /// Name of the number.
        what: &'static str,
        /// Value of the number.
        value: f64,
        /// The violated condition.
        must: &'static str,
    },
    /// Two corresponding lists differ in length.
    #[error("{what}: {first} and {second} values do not pair up")]
    Unequal {
        /// Names of the lists.
        what: &'static str,
        /// Length of the first.
        first: usize,
        /// Length of the second.
        second: usize,
    },
    /// The data do not determine the quantity, for instance because all values are the same.
    #[error("{what} is not determined by these data")]
    Undetermined {
        /// Name of the quantity.
        what: &'static str,
    },
}

/// Checks that there are at least `need` values.
pub(super) fn enough(what: &'static str, have: usize, need: usize) -> Result<(), StudyError> {
    if have < need {
        return Err(StudyError::TooFew { what, have, need });
    }
    Ok(())
}

/// Checks a condition on a number; NaN and infinities fulfil none.
pub(super) fn check(
    what: &'static str,
    value: f64,
    must: &'static str,
    holds: impl Fn(f64) -> bool,
) -> Result<f64, StudyError> {
    if value.is_finite() && holds(value) {
        Ok(value)
    } else {
        Err(StudyError::Range { what, value, must })
    }
}

/// Checks that a number is finite and above zero.
pub(super) fn positive(what: &'static str, value: f64) -> Result<f64, StudyError> {
    check(what, value, "a finite number above 0", |v| v > 0.0)
}

/// Checks that all numbers are finite.
pub(super) fn finite(what: &'static str, values: &[f64]) -> Result<(), StudyError> {
    for &value in values {
        check(what, value, "a finite number", |_| true)?;
    }
    Ok(())
}

/// Checks that a fraction is between 0 and 1, both excluded.
pub(super) fn share(what: &'static str, value: f64) -> Result<f64, StudyError> {
    check(what, value, "between 0 and 1", |v| v > 0.0 && v < 1.0)
}
