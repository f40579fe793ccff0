//! Checks of single values; each names the key, the value and what is allowed.

use crate::geometry::{Dimension, Vector};
use crate::scenario::document::Document;
use crate::scenario::path::Place;
use crate::scenario::problem::Problem;

/// Checks values of a document.
#[derive(Clone, Copy)]
pub(super) struct Check<'a> {
    pub document: &'a Document,
}

impl Check<'_> {
    /// Returns the fault of a value that is not what it must be.
    pub fn wrong(&self, place: &Place, value: &str, must: &str) -> Problem {
        let value = self.document.text_of(place).unwrap_or(value.to_string());
        Problem::at(place, format!("`{place}` is {value}, but must be {must}"))
            .label(format!("must be {must}"))
    }

    fn number(&self, place: &Place, value: f64, ok: bool, must: &str) -> Result<f64, Problem> {
        if ok && value.is_finite() {
            Ok(value)
        } else {
            Err(self.wrong(place, &value.to_string(), must))
        }
    }

    /// Accepts any finite number.
    pub fn finite(&self, place: &Place, value: f64) -> Result<f64, Problem> {
        self.number(place, value, true, "a finite number")
    }

    /// Accepts a finite number greater than 0.
    pub fn positive(&self, place: &Place, value: f64) -> Result<f64, Problem> {
        self.number(place, value, value > 0.0, "a finite number greater than 0")
    }

    /// Accepts a finite number, 0 or more.
    pub fn non_negative(&self, place: &Place, value: f64) -> Result<f64, Problem> {
        self.number(place, value, value >= 0.0, "a finite number, 0 or more")
    }

    /// Accepts a number over 0 and up to 1.
    pub fn share(&self, place: &Place, value: f64) -> Result<f64, Problem> {
        let ok = value > 0.0 && value <= 1.0;
        self.number(place, value, ok, "over 0 and up to 1")
    }

    /// Accepts a number from `low` to `high`.
    pub fn within(&self, place: &Place, value: f64, low: f64, high: f64) -> Result<f64, Problem> {
        let ok = value >= low && value <= high;
        self.number(place, value, ok, &format!("from {low} to {high}"))
    }

    /// Accepts a vector of finite numbers, as many as the scenario has dimensions.
    pub fn vector<D: Dimension>(
        &self,
        place: &Place,
        values: &[f64],
    ) -> Result<D::Vector, Problem> {
        let Some(vector) = D::Vector::from_slice(values) else {
            return Err(Problem::at(
                place,
                format!(
                    "`{place}` has {} number{}, but this scenario has {} dimensions",
                    values.len(),
                    if values.len() == 1 { "" } else { "s" },
                    D::N
                ),
            )
            .label(format!("must be a list of {} numbers", D::N)));
        };
        for (k, value) in values.iter().enumerate() {
            self.finite(&place.index(k), *value)?;
        }
        Ok(vector)
    }

    /// Reads a vector; zero if absent.
    pub fn vector_or_zero<D: Dimension>(
        &self,
        place: &Place,
        values: Option<&[f64]>,
    ) -> Result<D::Vector, Problem> {
        match values {
            Some(values) => self.vector::<D>(place, values),
            None => Ok(D::Vector::default()),
        }
    }

    /// Accepts a direction: a vector that is not zero.
    pub fn direction<D: Dimension>(
        &self,
        place: &Place,
        values: &[f64],
    ) -> Result<D::Vector, Problem> {
        let vector = self.vector::<D>(place, values)?;
        if vector.norm() > 0.0 && vector.norm().is_finite() {
            Ok(vector)
        } else {
            Err(self.wrong(place, "zero", "a direction, not all 0"))
        }
    }

    /// Accepts three finite numbers, in the plane too.
    pub fn in_space(&self, place: &Place, values: &[f64]) -> Result<[f64; 3], Problem> {
        let Ok(vector) = <[f64; 3]>::try_from(values) else {
            return Err(self.wrong(
                place,
                &format!("a list of {}", values.len()),
                "a list of three numbers, in the plane too: its x, its y, and the normal to it",
            ));
        };
        for (k, value) in vector.iter().enumerate() {
            self.finite(&place.index(k), *value)?;
        }
        Ok(vector)
    }

    /// Accepts two corners, the first less than the second in each component.
    pub fn corners<D: Dimension>(
        &self,
        table: &Place,
        min: &[f64],
        max: &[f64],
    ) -> Result<(D::Vector, D::Vector), Problem> {
        let low = self.vector::<D>(&table.key("min"), min)?;
        let high = self.vector::<D>(&table.key("max"), max)?;
        for k in 0..D::N {
            if low[k] >= high[k] {
                let place = table.key("max");
                let axis = ["x", "y", "z"][k];
                return Err(Problem::at(
                    &place,
                    format!(
                        "`{place}` has {axis} = {}, but must be greater than `min`, {axis} = {}",
                        high[k], low[k]
                    ),
                ));
            }
        }
        Ok((low, high))
    }

    /// Returns the one key that is given, where exactly one of several must be.
    pub fn one_of<'k>(
        &self,
        table: &Place,
        what: &str,
        keys: &[(&'k str, bool)],
    ) -> Result<&'k str, Problem> {
        let given: Vec<&str> = keys.iter().filter(|(_, on)| *on).map(|(k, _)| *k).collect();
        let all = crate::spelling::names(keys.iter().map(|(key, _)| *key));
        match given.as_slice() {
            [one] => Ok(one),
            [] => Err(Problem::at_key(
                table,
                format!("`{table}` does not say {what}; it needs one of {all}"),
            )),
            [first, second, ..] => Err(Problem::at_key(
                &table.key(second),
                format!(
                    "`{table}` has both `{first}` and `{second}`; it must have exactly one of {all}"
                ),
            )),
        }
    }
}
