//! Values that may be written in more than one way: a number or a word, a number or a list.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub use crate::field::keys::SpinSpec;

/// A type that is a number or one certain word.
macro_rules! number_or_word {
    ($(#[$doc:meta])* $name:ident, $variant:ident, $word:literal, $wanted:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub enum $name {
            /// The word.
            $variant,
            /// The number, s.
            Seconds(f64),
        }
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    $name::$variant => serializer.serialize_str($word),
                    $name::Seconds(number) => serializer.serialize_f64(*number),
                }
            }
        }
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<R: Deserializer<'de>>(deserializer: R) -> Result<Self, R::Error> {
                struct Reader;
                impl Visitor<'_> for Reader {
                    type Value = $name;
                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str($wanted)
                    }
                    fn visit_f64<E: Error>(self, number: f64) -> Result<$name, E> {
                        Ok($name::Seconds(number))
                    }
                    fn visit_i64<E: Error>(self, number: i64) -> Result<$name, E> {
                        Ok($name::Seconds(number as f64))
                    }
                    fn visit_u64<E: Error>(self, number: u64) -> Result<$name, E> {
                        Ok($name::Seconds(number as f64))
                    }
                    fn visit_str<E: Error>(self, word: &str) -> Result<$name, E> {
                        if word == $word {
                            Ok($name::$variant)
                        } else {
                            Err(E::invalid_value(serde::de::Unexpected::Str(word), &self))
                        }
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
                json_schema!({ "anyOf": [
                    { "type": "number", "exclusiveMinimum": 0 },
                    { "type": "string", "enum": [$word] },
                ]})
            }
        }
    };
}

number_or_word!(
    /// A time step: seconds or `"auto"`.
    StepSpec, Auto, "auto", "a time in s or \"auto\""
);
number_or_word!(
    /// An interval of a log: seconds or `"never"`.
    IntervalSpec, Never, "never", "a time in s or \"never\""
);

/// How radii are drawn: `0.01`, or one of the ways of [`RadiusTable::WAYS`].
#[derive(Clone, Debug, PartialEq)]
pub enum RadiusSpec {
    /// All equal, m.
    Equal(f64),
    /// As a table.
    Drawn(RadiusTable),
}

/// The ways to draw radii, each with its keys.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RadiusTable {
    /// Mean of a normal distribution, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean: Option<f64>,
    /// Its standard deviation over its mean, at most 0.3; radii are cut at three of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spread: Option<f64>,
    /// Least radius of a uniform or a Rosin-Rammler distribution, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    /// Greatest radius of a uniform or a Rosin-Rammler distribution, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
    /// Median of a log-normal distribution, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub median: Option<f64>,
    /// Standard deviation of the natural logarithm of a log-normal distribution, at most 1; radii are cut at three of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_spread: Option<f64>,
    /// Radius than which 1 - 1/e = 63 % of a Rosin-Rammler (Weibull) distribution is finer, m; what lies beyond `min` and
    /// `max` is cut off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
    /// Exponent of a Rosin-Rammler distribution.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exponent: Option<f64>,
    /// A table as sieves give it: rows of a radius, m, and the share that is finer, from 0 in the first row to 1 in the
    /// last; even over the radius between rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finer: Option<Vec<[f64; 2]>>,
    /// What the shares of a log-normal (`number` when absent), Rosin-Rammler or sieve distribution (`mass` when absent)
    /// count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<CountedSpec>,
}

/// What the shares of a distribution count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CountedSpec {
    /// Grains.
    Number,
    /// Their mass.
    Mass,
}

impl RadiusTable {
    /// The ways, as written.
    pub const WAYS: [&'static str; 5] = [
        "{ mean = , spread = }",
        "{ min = , max = }",
        "{ median = , log_spread = }",
        "{ scale = , exponent = , min = , max = }",
        "{ finer = [[radius, share], ...] }",
    ];

    /// The keys that are given, in the order in which they are declared; without `by`.
    pub fn given(&self) -> Vec<&'static str> {
        [
            ("mean", self.mean.is_some()),
            ("spread", self.spread.is_some()),
            ("min", self.min.is_some()),
            ("max", self.max.is_some()),
            ("median", self.median.is_some()),
            ("log_spread", self.log_spread.is_some()),
            ("scale", self.scale.is_some()),
            ("exponent", self.exponent.is_some()),
            ("finer", self.finer.is_some()),
        ]
        .into_iter()
        .filter_map(|(key, given)| given.then_some(key))
        .collect()
    }
}

impl Serialize for RadiusSpec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            RadiusSpec::Equal(radius) => serializer.serialize_f64(*radius),
            RadiusSpec::Drawn(table) => table.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for RadiusSpec {
    fn deserialize<R: Deserializer<'de>>(deserializer: R) -> Result<Self, R::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = RadiusSpec;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "a radius in m, {}", RadiusTable::WAYS.join(", "))
            }
            fn visit_f64<E: Error>(self, number: f64) -> Result<RadiusSpec, E> {
                Ok(RadiusSpec::Equal(number))
            }
            fn visit_i64<E: Error>(self, number: i64) -> Result<RadiusSpec, E> {
                Ok(RadiusSpec::Equal(number as f64))
            }
            fn visit_u64<E: Error>(self, number: u64) -> Result<RadiusSpec, E> {
                Ok(RadiusSpec::Equal(number as f64))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<RadiusSpec, A::Error> {
                RadiusTable::deserialize(MapAccessDeserializer::new(map)).map(RadiusSpec::Drawn)
            }
        }
        deserializer.deserialize_any(Reader)
    }
}

impl JsonSchema for RadiusSpec {
    fn schema_name() -> Cow<'static, str> {
        "RadiusSpec".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let table = generator.subschema_for::<RadiusTable>();
        json_schema!({
            "description": "Radii, m: a number for equal ones; { mean, spread } for a normal \
                distribution (spread relative to the mean, cut at three spreads); { min, max } \
                for a uniform one; { median, log_spread } for a log-normal one; { scale, exponent, min, max } \
                for that of Rosin and Rammler (1933); { finer } for a table of sieves.",
            "anyOf": [{ "type": "number", "exclusiveMinimum": 0 }, table],
        })
    }
}
