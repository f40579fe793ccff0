//! Cases of [`calc`](crate::calc): JSON in, results in JSON out, with errors that name the key.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::geometry::{Dimension, Vector};

/// An error in a case.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CalcError {
    /// A key that is missing, unknown, or has a value that is not allowed.
    #[error("{place}: {message}")]
    Invalid {
        /// Path of the key.
        place: String,
        /// The fault, and what is allowed.
        message: String,
    },
    /// An error in one case of an array.
    #[error("case {number}: {error}")]
    Case {
        /// Number of the case, from 1.
        number: usize,
        /// The error in that case.
        error: Box<CalcError>,
    },
}

/// Name of a node.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(untagged)]
pub(crate) enum Id {
    Number(i64),
    Text(String),
}

impl std::fmt::Display for Id {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Id::Number(number) => write!(f, "{number}"),
            Id::Text(text) => write!(f, "`{text}`"),
        }
    }
}

/// Returns the error for a fault at a key.
pub(crate) fn wrong(place: &str, message: impl Into<String>) -> CalcError {
    CalcError::Invalid {
        place: place.into(),
        message: message.into(),
    }
}

/// Evaluates one case, or each case of an array in order.
pub(crate) fn each(
    input: Value,
    one: impl Fn(Value) -> Result<Value, CalcError>,
) -> Result<Value, CalcError> {
    let Value::Array(cases) = input else {
        return one(input);
    };
    let results = cases.into_iter().enumerate().map(|(i, case)| {
        one(case).map_err(|error| CalcError::Case {
            number: i + 1,
            error: Box::new(error),
        })
    });
    results.collect::<Result<Vec<_>, _>>().map(Value::Array)
}

/// Parses a case; the error names the key.
pub(crate) fn parse<T: for<'a> Deserialize<'a>>(input: Value) -> Result<T, CalcError> {
    serde_path_to_error::deserialize(input).map_err(|error| {
        let place = error.path().to_string();
        let place = if place == "." { "the case" } else { &place };
        wrong(place, error.inner().to_string())
    })
}

/// Reads a vector of the dimension at a key; all components must be finite.
pub(crate) fn vector<D: Dimension>(values: &[f64], place: &str) -> Result<D::Vector, CalcError> {
    let v = D::Vector::from_slice(values).ok_or_else(|| {
        wrong(
            place,
            format!(
                "has {} numbers where the first position has {}; all vectors need 2, or all 3",
                values.len(),
                D::N
            ),
        )
    })?;
    if v.is_finite() {
        Ok(v)
    } else {
        Err(wrong(place, "must be finite numbers"))
    }
}

/// Checks that a number is greater than 0 and finite.
pub(crate) fn positive(value: f64, place: &str) -> Result<f64, CalcError> {
    if value > 0.0 && value.is_finite() {
        Ok(value)
    } else {
        Err(wrong(
            place,
            format!("must be greater than 0 and finite, not {value}"),
        ))
    }
}

/// Checks that a number is 0 or more and finite.
pub(crate) fn not_negative(value: f64, place: &str) -> Result<f64, CalcError> {
    if value >= 0.0 && value.is_finite() {
        Ok(value)
    } else {
        Err(wrong(
            place,
            format!("must be 0 or more and finite, not {value}"),
        ))
    }
}
