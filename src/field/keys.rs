//! What fields ask of a scenario: numbers that are checked where they stand, and values that may be written in two ways.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::geometry::Dimension;

/// A place in a scenario, and how what stands there is checked. Faults name the place, the value and what is allowed.
pub trait View: Sized {
    /// A fault in the scenario.
    type Fault;

    /// The place of a key of the table that stands here.
    fn key(&self, key: &str) -> Self;
    /// The place of an element of the list that stands here.
    fn index(&self, index: usize) -> Self;
    /// The place as a path of keys.
    fn path(&self) -> String;

    /// Any finite number.
    fn finite(&self, value: f64) -> Result<f64, Self::Fault>;
    /// A finite number over 0.
    fn positive(&self, value: f64) -> Result<f64, Self::Fault>;
    /// A finite number, 0 or more.
    fn non_negative(&self, value: f64) -> Result<f64, Self::Fault>;
    /// As many finite numbers as there are dimensions.
    fn vector<D: Dimension>(&self, values: &[f64]) -> Result<D::Vector, Self::Fault>;
    /// The same, not all 0.
    fn direction<D: Dimension>(&self, values: &[f64]) -> Result<D::Vector, Self::Fault>;
    /// Three finite numbers, in the plane too.
    fn in_space(&self, values: &[f64]) -> Result<[f64; 3], Self::Fault>;
    /// A spin.
    fn spin<D: Dimension>(&self, values: &[f64]) -> Result<D::Spin, Self::Fault>;
    /// The one key that is given of those of which exactly one must be; `what` they tell.
    fn one_of<'k>(&self, what: &str, keys: &[(&'k str, bool)]) -> Result<&'k str, Self::Fault>;
    /// Nodes of a grid, from a file beside the scenario whose vectors are in columns of a letter.
    fn nodes(&self, file: &str, dimension: usize, letter: char) -> Result<Nodes, Self::Fault>;

    /// The value that stands here is not what it must be.
    fn wrong(&self, value: &str, must: &str) -> Self::Fault;
    /// A fault of the value that stands here.
    fn fault(&self, text: String) -> Self::Fault;
    /// A fault of the key that stands here.
    fn fault_of_key(&self, text: String) -> Self::Fault;
}

/// Nodes of a grid as a table has them.
#[derive(Clone, Debug, PartialEq)]
pub struct Nodes {
    /// The node of the least coordinates, m.
    pub origin: Vec<f64>,
    /// Distance of neighbours along each axis, m.
    pub spacing: Vec<f64>,
    /// Number of nodes along each axis.
    pub count: Vec<u64>,
    /// A vector for each node, the first axis fastest.
    pub values: Vec<Vec<f64>>,
}

/// A vector, or zero when absent.
pub fn vector_or_zero<D: Dimension, V: View>(
    view: &V,
    values: Option<&[f64]>,
) -> Result<D::Vector, V::Fault> {
    match values {
        Some(values) => view.vector::<D>(values),
        None => Ok(D::Vector::default()),
    }
}

/// For keys that are left out where they are 0.
pub(super) fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

/// Makes a type that is a number or a list of numbers.
macro_rules! number_or_list {
    ($(#[$doc:meta])* $name:ident, $wanted:literal, $about:literal) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name(pub Vec<f64>);

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self.0.as_slice() {
                    [one] => serializer.serialize_f64(*one),
                    many => many.serialize(serializer),
                }
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<R: Deserializer<'de>>(deserializer: R) -> Result<Self, R::Error> {
                struct Reader;
                impl<'de> Visitor<'de> for Reader {
                    type Value = $name;
                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str($wanted)
                    }
                    fn visit_f64<E: Error>(self, number: f64) -> Result<$name, E> {
                        Ok($name(vec![number]))
                    }
                    fn visit_i64<E: Error>(self, number: i64) -> Result<$name, E> {
                        Ok($name(vec![number as f64]))
                    }
                    fn visit_u64<E: Error>(self, number: u64) -> Result<$name, E> {
                        Ok($name(vec![number as f64]))
                    }
                    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<$name, A::Error> {
                        numbers(list).map($name)
                    }
                }
                deserializer.deserialize_any(Reader)
            }
        }

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }
            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({
                    "description": $about,
                    "anyOf": [
                        { "type": "number" },
                        { "type": "array", "items": { "type": "number" } },
                    ],
                })
            }
        }
    };
}

/// All numbers of a list.
pub(super) fn numbers<'de, A: SeqAccess<'de>>(mut list: A) -> Result<Vec<f64>, A::Error> {
    let mut numbers = Vec::new();
    while let Some(number) = list.next_element()? {
        numbers.push(number);
    }
    Ok(numbers)
}

number_or_list!(
    /// A spin: a number in the plane, three in space.
    SpinSpec,
    "a number in rad/s (in space a list of three)",
    "Angular velocity, rad/s: a number in the plane, three in space."
);

number_or_list!(
    /// A phase: a number, or one for each component.
    PhaseKeys,
    "a number in rad, or a list of one for each component",
    "Phase at time 0, rad: a number, or one for each component."
);
