//! Values in the keys of fields: numbers that are checked where they stand, and values with two notations.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub use crate::keys::{Nodes, View, vector_or_zero};

/// Used to omit keys that are 0.
pub(super) fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

/// Makes a type for a number or a list of numbers.
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

/// Returns all numbers of a list.
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
