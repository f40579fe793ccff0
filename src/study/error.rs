//! What can be wrong with data that a study is given.

use thiserror::Error;

/// Data from which the quantity asked for cannot be found.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum StudyError {
    /// Too few values.
    #[error("{what}: {have} given, at least {need} needed")]
    TooFew {
        /// Of what there are too few.
        what: &'static str,
        /// How many there are.
        have: usize,
        /// How many there should be.
        need: usize,
    },
    /// A number is outside the range in which it means something.
    #[error("{what} is {value}, but must be {must}")]
    Range {
        /// Which number.
        what: &'static str,
        /// Its value.
        value: f64,
        /// The condition that it breaks.
        must: &'static str,
    },
    /// Two lists that belong together differ in length.
    #[error("{what}: {first} and {second} values do not pair up")]
    Unequal {
        /// Which lists.
        what: &'static str,
        /// Length of the first.
        first: usize,
        /// Length of the second.
        second: usize,
    },
    /// The data leave the quantity open, for instance because all values are the same.
    #[error("{what} is not determined by these data")]
    Undetermined {
        /// Which quantity.
        what: &'static str,
    },
}

/// At least `need` values.
pub(super) fn enough(what: &'static str, have: usize, need: usize) -> Result<(), StudyError> {
    if have < need {
        return Err(StudyError::TooFew { what, have, need });
    }
    Ok(())
}

/// A number that fulfils a condition; one that is not a number fulfils none.
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

/// A finite number above zero.
pub(super) fn positive(what: &'static str, value: f64) -> Result<f64, StudyError> {
    check(what, value, "a finite number above 0", |v| v > 0.0)
}

/// All numbers finite.
pub(super) fn finite(what: &'static str, values: &[f64]) -> Result<(), StudyError> {
    for &value in values {
        check(what, value, "a finite number", |_| true)?;
    }
    Ok(())
}

/// A share between 0 and 1, both excluded.
pub(super) fn share(what: &'static str, value: f64) -> Result<f64, StudyError> {
    check(what, value, "between 0 and 1", |v| v > 0.0 && v < 1.0)
}
