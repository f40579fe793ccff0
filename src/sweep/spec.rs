//! The sweep file, as written by the user.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::keep::Keep;
use super::sample::Method;
use crate::record::column_now;

/// A sweep: many runs of one scenario. The runs are all combinations of the values in `grid`, of the
/// rows of each `zip`, of the samples and of the seeds; the first key varies slowest, the seed fastest.
///
/// A key is the path of a value of the scenario, as `run --set` takes it: `run.tolerance`,
/// `"law[0].linear.friction"`. A key that begins with `$` is a variable, a name for expressions in
/// `derive`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SweepSpec {
    /// The scenario: the name of an embedded one, or a file, from the folder of this one.
    pub scenario: String,
    /// Name of the sweep: letters, digits, `-`, `_` and `.`. Default: that of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What it is for, in a line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// When each run ends, s (`run.end_time`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<f64>,
    /// A run that takes longer on the clock is stopped, s; its row says `interrupted`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub wall_limit: Option<f64>,
    /// What is kept of each run.
    #[serde(default)]
    pub keep: Keep,
    /// Seeds of each combination: how many (from 1 on), a list, or a range. Default: the scenario's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seeds: Option<Seeds>,
    /// Values of all runs, by key.
    #[serde(default)]
    pub set: BTreeMap<String, Written>,
    /// Values by key; every combination is run.
    #[serde(default)]
    pub grid: BTreeMap<String, Values>,
    /// Keys whose values go together: the first of each, the second of each, and so on. Several are
    /// combined with each other.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub zip: Vec<BTreeMap<String, Values>>,
    /// Points spread over ranges.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample: Option<SampleSpec>,
    /// Values by key that follow from variables: `"0.15 - $width / 2"`. There are `+ - * / ^`,
    /// parentheses, `pi`, `sqrt`, `exp`, `ln`, `sin`, `cos`, `tan`, `abs`, `min`, `max`, and `round`, `floor`,
    /// `ceil`, which give whole numbers.
    #[serde(default)]
    pub derive: BTreeMap<String, String>,
    /// What is worked out from all runs.
    #[serde(default)]
    pub study: StudySpec,
}

/// Any value of TOML.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Written(#[schemars(with = "serde_json::Value")] pub toml::Value);

/// The values of a key: a list, or a range.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Values {
    /// One by one.
    List(Vec<Written>),
    /// Evenly spread.
    Range(RangeSpec),
}

/// Values from one number to another, both included.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RangeSpec {
    /// The first.
    pub from: f64,
    /// The last.
    pub to: f64,
    /// How many; this or `by`. Not in a sample.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub count: Option<u64>,
    /// From one to the next; the last is then at or before `to`. Only linear.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<f64>,
    /// How they are spread.
    #[serde(default)]
    pub scale: Scale,
    /// Whole numbers: each is rounded. Ranges from and to whole numbers `by` a whole number are so too.
    #[serde(default)]
    pub whole: bool,
}

/// How the values of a range are spread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Scale {
    /// At equal differences.
    #[default]
    Linear,
    /// At equal ratios.
    Log,
}

/// Seeds.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Seeds {
    /// So many, from 1 on.
    Count(u64),
    /// These.
    List(Vec<u64>),
    /// So many from a number on.
    From(SeedRange),
}

/// Seeds one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SeedRange {
    /// The first.
    pub from: u64,
    /// How many.
    pub count: u64,
}

/// Points spread over ranges.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SampleSpec {
    /// How many. For `sobol` a power of two fills the ranges most evenly.
    #[schemars(range(min = 1))]
    pub count: u64,
    /// How they are drawn.
    #[serde(default)]
    pub method: Method,
    /// Seed of the drawing; not that of the runs.
    #[serde(default = "one")]
    pub seed: u64,
    /// By key a range (without `count` and `by`), or a list to choose from.
    pub keys: BTreeMap<String, Values>,
}

fn one() -> u64 {
    1
}

/// What is worked out from all runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StudySpec {
    /// Columns of the table whose means over seeds the study reports; default: `discharge.middle_rate`,
    /// `discharge.count`, `jam.time` and `avalanches.count`, such as the runs have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub figures: Option<Vec<String>>,
    /// A fit of Beverloo's law to the discharge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beverloo: Option<BeverlooSpec>,
}

impl StudySpec {
    /// Renames figures that are given by an old name.
    pub(crate) fn rename_figures(&mut self) {
        let rate = self.beverloo.as_mut().map(|beverloo| &mut beverloo.rate);
        for name in self.figures.iter_mut().flatten().chain(rate) {
            *name = column_now(name).to_string();
        }
    }
}

/// A fit of Beverloo's law to the discharge.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BeverlooSpec {
    /// Key or variable that holds the width of the orifice, m.
    pub width: String,
    /// Column of the rate.
    #[serde(default = "middle_rate")]
    pub rate: String,
    /// Exponent; default 3/2 in the plane, 5/2 in space.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exponent: Option<f64>,
    /// Diameters of a grain that the law takes off the width: where it is given, the study also reports the exponent that goes with it
    /// (literature: 1.4).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub k: Option<f64>,
    /// Runs from which fewer grains flowed out do not count.
    #[serde(default = "fifty")]
    pub least_grains: u64,
}

fn middle_rate() -> String {
    "discharge.middle_rate".into()
}

fn fifty() -> u64 {
    50
}

/// Deserializes one of several forms by the written value: a list, a table, a number.
macro_rules! by_form {
    ($name:ident, $wanted:literal, $item:ty, $table:ty, $table_variant:ident $(, $number:ident)?) => {
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<R: serde::Deserializer<'de>>(deserializer: R) -> Result<Self, R::Error> {
                struct Reader;
                impl<'de> serde::de::Visitor<'de> for Reader {
                    type Value = $name;
                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str($wanted)
                    }
                    fn visit_seq<A: serde::de::SeqAccess<'de>>(
                        self,
                        mut seq: A,
                    ) -> Result<$name, A::Error> {
                        let mut list = Vec::new();
                        while let Some(item) = seq.next_element::<$item>()? {
                            list.push(item);
                        }
                        Ok($name::List(list))
                    }
                    fn visit_map<A: serde::de::MapAccess<'de>>(
                        self,
                        map: A,
                    ) -> Result<$name, A::Error> {
                        let from = serde::de::value::MapAccessDeserializer::new(map);
                        <$table>::deserialize(from).map($name::$table_variant)
                    }
                    $(fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<$name, E> {
                        let wrong = || E::invalid_value(serde::de::Unexpected::Signed(number), &self);
                        u64::try_from(number).map($name::$number).map_err(|_| wrong())
                    })?
                }
                deserializer.deserialize_any(Reader)
            }
        }
    };
}

by_form!(
    Values,
    "a list of values or a range as { from = 0.1, to = 0.5, count = 5 }",
    Written,
    RangeSpec,
    Range
);
by_form!(
    Seeds,
    "a number of seeds, a list of seeds, or a range as { from = 1, count = 20 }",
    u64,
    SeedRange,
    From,
    Count
);
