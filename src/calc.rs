//! Cases of `arenite calc`: JSON in, results in JSON out, with errors that name the key.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::geometry::{Dimension, Vector};

/// What is wrong with a case.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CalcError {
    /// The case does not have the right form.
    #[error("{place}: {message}")]
    Form {
        /// Which key.
        place: String,
        /// What is wrong, and what is allowed.
        message: String,
    },
    /// One of an array of cases.
    #[error("case {number}: {error}")]
    Case {
        /// Which, from 1.
        number: usize,
        /// What is wrong with it.
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

/// What is wrong at a key.
pub(crate) fn wrong(place: &str, message: impl Into<String>) -> CalcError {
    CalcError::Form {
        place: place.into(),
        message: message.into(),
    }
}

/// One case, or each of an array of them in order.
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

/// A case of some form; the error names the key.
pub(crate) fn parse<T: for<'a> Deserialize<'a>>(input: Value) -> Result<T, CalcError> {
    serde_path_to_error::deserialize(input).map_err(|error| {
        let place = error.path().to_string();
        let place = if place == "." { "the case" } else { &place };
        wrong(place, error.inner().to_string())
    })
}

/// The vector of a dimension at a key, all finite.
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

/// A number greater than 0.
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

/// A number from 0 on.
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
