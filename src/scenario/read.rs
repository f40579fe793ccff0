//! A serde deserializer from the tree of values to Rust types. Its errors contain the key and, as data, the allowed
//! values, so that the nearest spelling can be suggested.

use std::fmt::Display;

use serde::de::value::StrDeserializer;
use serde::de::{
    self, DeserializeSeed, Deserializer, EnumAccess, Expected, IntoDeserializer, MapAccess,
    SeqAccess, Unexpected, VariantAccess, Visitor,
};

use super::aliases;
use super::document::{Document, Node, Value};
use super::path::{Place, Step};
use super::problem::Problem;
use crate::spelling::{names, nearest};

/// Reads a document into a type.
pub(crate) fn read<T: de::DeserializeOwned>(document: &Document) -> Result<T, Problem> {
    T::deserialize(&document.root).map_err(|fault| fault.problem(document).located(document))
}

/// An error and its path (the steps in reverse).
#[derive(Debug)]
pub(crate) struct Fault {
    steps: Vec<Step>,
    kind: FaultKind,
}

#[derive(Debug)]
enum FaultKind {
    UnknownKey(String, &'static [&'static str]),
    UnknownChoice(String, &'static [&'static str]),
    Missing(&'static str),
    Wrong(String),
    OneKey(&'static [&'static str]),
    Other(String),
}

impl Fault {
    fn new(kind: FaultKind) -> Self {
        Fault {
            steps: Vec::new(),
            kind,
        }
    }
    fn under(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }

    fn problem(self, document: &Document) -> Problem {
        let place = Place(self.steps.into_iter().rev().collect());
        let table = if place.0.is_empty() {
            document.subject.to_string()
        } else {
            format!("`{place}`")
        };
        match self.kind {
            FaultKind::UnknownKey(key, allowed) => {
                let problem =
                    Problem::at_key(&place.key(&key), format!("{table} has no key `{key}`"));
                // A misspelt old name leads to the new one.
                let old: Vec<(&str, &str)> = aliases::of_table(&place)
                    .filter(|(_, new)| allowed.contains(new))
                    .collect();
                let known = allowed
                    .iter()
                    .copied()
                    .chain(old.iter().map(|(name, _)| *name));
                let near = nearest(&key, known).map(|name| {
                    let renamed = old.iter().find(|(old, _)| *old == name);
                    renamed.map_or(name, |(_, new)| new)
                });
                let problem = match near {
                    Some(name) => problem.label(format!("did you mean `{name}`?")),
                    None => problem.label("unknown key"),
                };
                problem.help(format!("allowed: {}", names(allowed.iter().copied())))
            }
            FaultKind::UnknownChoice(word, allowed) => {
                let problem = Problem::at(&place, format!("{table} cannot be `{word}`"));
                let problem = match nearest(&word, allowed.iter().copied()) {
                    Some(name) => problem.label(format!("did you mean `{name}`?")),
                    None => problem,
                };
                problem.help(format!("allowed: {}", names(allowed.iter().copied())))
            }
            FaultKind::Missing(key) => {
                Problem::at_key(&place, format!("{table} lacks the key `{key}`"))
                    .label(format!("`{key}` is missing here"))
            }
            FaultKind::OneKey(allowed) => {
                Problem::at_key(&place, format!("{table} must have exactly one key"))
                    .help(format!("one of {}", names(allowed.iter().copied())))
            }
            FaultKind::Wrong(wanted) => {
                let found = match (document.text_of(&place), document.get(&place)) {
                    (Some(text), Some(node)) if !matches!(node.value, Value::Table(_)) => text,
                    (_, Some(node)) => node.kind().to_string(),
                    _ => "something else".to_string(),
                };
                Problem::at(&place, format!("{table} is {found}, but must be {wanted}"))
                    .label(format!("must be {wanted}"))
            }
            FaultKind::Other(message) => Problem::at(&place, format!("{table}: {message}")),
        }
    }
}

/// Translates names of Rust types into the terms of a scenario.
fn in_words(expected: &dyn Expected) -> String {
    let text = expected.to_string();
    match text.as_str() {
        "f64" | "f32" => "a number".into(),
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number, 0 or more".into(),
        "i64" | "i32" => "a whole number".into(),
        "a boolean" => "true or false".into(),
        "a string" => "a text in quotes".into(),
        "a sequence" => "a list".into(),
        "a map" => "a table".into(),
        "string or map" => "a name in quotes or a table with one key".into(),
        _ if text.starts_with("struct ") => "a table".into(),
        _ if text.starts_with("enum ") => "one of the known names".into(),
        _ if text.starts_with("an array of length ") => {
            format!("a list of {} numbers", &text["an array of length ".len()..])
        }
        _ => text,
    }
}

impl Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.kind)
    }
}

impl std::error::Error for Fault {}

impl de::Error for Fault {
    fn custom<T: Display>(message: T) -> Self {
        Fault::new(FaultKind::Other(message.to_string()))
    }
    fn invalid_type(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Fault::new(FaultKind::Wrong(in_words(expected)))
    }
    fn invalid_value(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Fault::new(FaultKind::Wrong(in_words(expected)))
    }
    fn invalid_length(_: usize, expected: &dyn Expected) -> Self {
        Fault::new(FaultKind::Wrong(in_words(expected)))
    }
    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        Fault::new(FaultKind::UnknownChoice(variant.into(), expected))
    }
    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        Fault::new(FaultKind::UnknownKey(field.into(), expected))
    }
    fn missing_field(field: &'static str) -> Self {
        Fault::new(FaultKind::Missing(field))
    }
}

impl<'de> Deserializer<'de> for &'de Node {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match &self.value {
            Value::Boolean(flag) => visitor.visit_bool(*flag),
            Value::Integer(number) => match (i64::try_from(*number), u64::try_from(*number)) {
                (Ok(number), _) => visitor.visit_i64(number),
                (_, Ok(number)) => visitor.visit_u64(number),
                _ => Err(de::Error::invalid_type(
                    Unexpected::Other("integer"),
                    &visitor,
                )),
            },
            Value::Float(number) => visitor.visit_f64(*number),
            Value::Text(text) => visitor.visit_borrowed_str(text),
            Value::Datetime(text) => Err(de::Error::invalid_type(Unexpected::Str(text), &visitor)),
            Value::List(items) => visitor.visit_seq(Items {
                items: items.iter().enumerate(),
            }),
            Value::Table(entries) => visitor.visit_map(Entries {
                entries: entries.iter(),
                current: None,
            }),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        match self.value {
            // Serde could read a struct from a list of its fields in order; a scenario never means that.
            Value::List(_) => Err(de::Error::invalid_type(Unexpected::Seq, &visitor)),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        match &self.value {
            Value::Text(name) => visitor.visit_enum(Choice { name, node: None }),
            Value::Table(entries) => match entries.as_slice() {
                [entry] => visitor.visit_enum(Choice {
                    name: &entry.key,
                    node: Some(&entry.node),
                }),
                _ => Err(Fault::new(FaultKind::OneKey(variants))),
            },
            _ => Err(de::Error::invalid_type(
                Unexpected::Other(""),
                &"string or map",
            )),
        }
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        unit unit_struct seq tuple tuple_struct map identifier ignored_any
    }
}

struct Items<'de> {
    items: std::iter::Enumerate<std::slice::Iter<'de, Node>>,
}

impl<'de> SeqAccess<'de> for Items<'de> {
    type Error = Fault;
    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Fault> {
        let Some((index, node)) = self.items.next() else {
            return Ok(None);
        };
        seed.deserialize(node)
            .map(Some)
            .map_err(|fault| fault.under(Step::Index(index)))
    }
    fn size_hint(&self) -> Option<usize> {
        Some(self.items.len())
    }
}

struct Entries<'de> {
    entries: std::slice::Iter<'de, super::document::Entry>,
    current: Option<&'de super::document::Entry>,
}

impl<'de> MapAccess<'de> for Entries<'de> {
    type Error = Fault;
    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Fault> {
        self.current = self.entries.next();
        let Some(entry) = self.current else {
            return Ok(None);
        };
        let key: StrDeserializer<'_, Fault> = entry.key.as_str().into_deserializer();
        seed.deserialize(key).map(Some)
    }
    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Fault> {
        let Some(entry) = self.current else {
            return Err(de::Error::custom("a value was asked for before its key"));
        };
        seed.deserialize(&entry.node)
            .map_err(|fault| fault.under(Step::Key(entry.key.clone())))
    }
}

struct Choice<'de> {
    name: &'de str,
    node: Option<&'de Node>,
}

impl<'de> EnumAccess<'de> for Choice<'de> {
    type Error = Fault;
    type Variant = Self;
    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), Fault> {
        let name: StrDeserializer<'_, Fault> = self.name.into_deserializer();
        Ok((seed.deserialize(name)?, self))
    }
}

impl<'de> VariantAccess<'de> for Choice<'de> {
    type Error = Fault;
    fn unit_variant(self) -> Result<(), Fault> {
        match self.node {
            None => Ok(()),
            Some(_) => Err(Fault::new(FaultKind::Wrong("a name in quotes".into()))),
        }
    }
    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Fault> {
        match self.node {
            Some(node) => seed
                .deserialize(node)
                .map_err(|fault| fault.under(Step::Key(self.name.to_string()))),
            None => Err(Fault::new(FaultKind::Other(format!(
                "`{0}` needs values: write {{ {0} = ... }}",
                self.name
            )))),
        }
    }
    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Fault> {
        Err(de::Error::invalid_type(Unexpected::TupleVariant, &visitor))
    }
    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        match self.node {
            Some(node) => node
                .deserialize_any(visitor)
                .map_err(|fault| fault.under(Step::Key(self.name.to_string()))),
            None => Err(Fault::new(FaultKind::Other(format!(
                "`{0}` needs values: write {{ {0} = ... }}",
                self.name
            )))),
        }
    }
}
