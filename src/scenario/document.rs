//! A scenario as text: a tree of values with their positions, so that any message can point to the place in the file
//! or on the command line that a value came from.

use std::ops::Range;
use std::sync::Arc;

use toml::de::{DeTable, DeValue};

use super::aliases;
use super::path::{Place, Step};
use super::problem::Problem;

/// A text that contains values.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    /// The file, or "command line".
    pub name: String,
    /// The text.
    pub text: String,
}

/// A range of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    /// Index of the source.
    pub source: usize,
    /// Range of bytes.
    pub range: Range<usize>,
}

/// A value and its position.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) span: Span,
    pub(crate) value: Value,
}

/// A value of TOML.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Boolean(bool),
    Integer(i128),
    Float(f64),
    Text(String),
    Datetime(String),
    List(Vec<Node>),
    Table(Vec<Entry>),
}

/// A key of a table with its value.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub key: String,
    pub key_span: Span,
    pub node: Node,
}

/// A value given on the command line, which replaces that of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Override {
    /// The argument as the user wrote it, as `--set run.end_time=3`.
    pub argument: String,
    /// The path, `run.end_time`.
    pub path: String,
    /// The value, `3`.
    pub value: String,
    /// Position in a file, if not on the command line.
    origin: Option<Origin>,
}

/// A file that gives a value to many scenarios, such as a sweep file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Origin {
    /// Name of the file.
    pub name: Arc<str>,
    /// Full text.
    pub text: Arc<str>,
    /// Position of the path, bytes.
    pub path: Range<usize>,
    /// Position of the value, or of the text that it is computed from.
    pub value: Range<usize>,
}

impl Override {
    /// Parses the text after `--set`: `key.path=value`.
    ///
    /// # Errors
    /// A text without `=`, or with a path that cannot be parsed, as a message.
    pub fn set(text: &str) -> Result<Self, String> {
        let (path, value) = text
            .split_once('=')
            .ok_or_else(|| format!("`{text}` has no `=`; write key.path=value"))?;
        Place::parse(path.trim()).map_err(|why| format!("`{path}` is not a key path: {why}"))?;
        Ok(Override {
            argument: format!("--set {text}"),
            path: path.trim().to_string(),
            value: value.trim().to_string(),
            origin: None,
        })
    }
    /// Returns the override of a separate option, as `--until 3` for `run.end_time`.
    #[doc(hidden)]
    pub fn option(option: &str, path: &str, value: &str) -> Self {
        Override {
            argument: format!("{option} {value}"),
            path: path.to_string(),
            value: value.to_string(),
            origin: None,
        }
    }
    /// Returns an override from a separate file, to which messages point.
    pub(crate) fn from_file(path: &str, value: &str, origin: Origin) -> Self {
        Override {
            argument: format!("{path} = {value}"),
            path: path.to_string(),
            value: value.to_string(),
            origin: Some(origin),
        }
    }
    /// Returns the place of the value by its new name, and the old key with which the user wrote it.
    fn place(&self) -> Result<(Place, Option<&'static aliases::Alias>), String> {
        let mut place = Place::parse(&self.path)?;
        let alias = aliases::rename_place(&mut place);
        Ok((place, alias))
    }
    /// Returns the ranges of the path and of the value in the source.
    fn ranges(&self) -> (Range<usize>, Range<usize>) {
        if let Some(origin) = &self.origin {
            return (origin.path.clone(), origin.value.clone());
        }
        // The path follows the option; the value comes last, except for blanks.
        let argument = &self.argument;
        let option = argument.find(' ').map_or(0, |blank| blank + 1);
        let path = argument[option..].find(&self.path);
        let path = path.map(|start| option + start);
        let value = argument.rfind(&self.value).unwrap_or(option);
        (
            path.map_or(0..argument.len(), |start| start..start + self.path.len()),
            value..value + self.value.len(),
        )
    }
    fn source(&self) -> Source {
        match &self.origin {
            Some(origin) => Source {
                name: origin.name.to_string(),
                text: origin.text.to_string(),
            },
            None => Source {
                name: "command line".into(),
                text: self.argument.clone(),
            },
        }
    }
}

/// A parsed scenario with the overrides applied.
#[derive(Clone, Debug)]
pub(crate) struct Document {
    pub(crate) sources: Vec<Source>,
    pub(crate) root: Node,
    /// Name of the whole document in messages: "the scenario".
    pub(crate) subject: &'static str,
}

impl Document {
    /// Parses a text and applies overrides in order.
    pub fn parse(name: &str, text: &str, overrides: &[Override]) -> Result<Self, Problem> {
        let mut sources = vec![Source {
            name: name.to_string(),
            text: text.to_string(),
        }];
        let table = DeTable::parse(text).map_err(|error| {
            Problem::spanned(
                Span {
                    source: 0,
                    range: error.span().unwrap_or(0..0),
                },
                format!("this is not TOML: {}", one_line(error.message())),
            )
            .in_sources(&sources)
        })?;
        let span = table.span();
        let mut root = convert(&DeValue::Table(table.into_inner()), span, 0, 0);
        aliases::rename(&mut root).map_err(|problem| problem.in_sources(&sources))?;
        for (k, item) in overrides.iter().enumerate() {
            let source = sources.len();
            sources.push(item.source());
            let applied = one_name(&overrides[..k], item, source)
                .and_then(|()| apply(&mut root, item, source))
                .and_then(|()| aliases::rename(&mut root));
            applied.map_err(|problem| problem.in_sources(&sources))?;
        }
        Ok(Document {
            sources,
            root,
            subject: "the scenario",
        })
    }

    /// Returns the node at a place.
    pub(crate) fn get(&self, place: &Place) -> Option<&Node> {
        let mut node = &self.root;
        for step in &place.0 {
            node = node.child(step)?.1;
        }
        Some(node)
    }

    /// Whether the user wrote the value at a place: in the file, unless the program wrote that with all defaults, or
    /// as an override of this run.
    pub(super) fn is_written(&self, place: &Place) -> bool {
        let by_person = self.get(&Place::of("version")).is_none();
        let node = self.get(place);
        node.is_some_and(|node| by_person || node.span.source != 0)
    }

    /// Returns the value of a top-level key.
    pub(crate) fn child_mut(&mut self, step: &Step) -> Option<&mut Node> {
        self.root.child_mut(step)
    }

    /// Applies a function to each element of a top-level list.
    pub(crate) fn each_of(&mut self, key: &str, act: impl FnMut(&mut Node)) {
        if let Some(node) = self.child_mut(&Step::Key(key.into()))
            && let Value::List(items) = &mut node.value
        {
            items.iter_mut().for_each(act);
        }
    }

    /// Returns the range to point to for a place: its value (or its key), else the innermost enclosing table.
    pub(super) fn span(&self, place: &Place, on_key: bool) -> Span {
        let mut node = &self.root;
        let mut span = Span {
            source: 0,
            range: 0..0,
        };
        for step in &place.0 {
            let Some((key_span, child)) = node.child(step) else {
                return span;
            };
            span = match key_span {
                Some(key) if on_key || child.is_container() => key.clone(),
                _ => child.span.clone(),
            };
            node = child;
        }
        span
    }

    /// Returns the value at a place as it was written, if it is short.
    pub(super) fn text_of(&self, place: &Place) -> Option<String> {
        let node = self.get(place)?;
        let text = &self.sources[node.span.source].text;
        let piece = text.get(node.span.range.clone())?.trim();
        (piece.len() <= 60 && !piece.contains('\n') && !piece.is_empty()).then(|| piece.to_string())
    }
}

impl Node {
    fn child(&self, step: &Step) -> Option<(Option<&Span>, &Node)> {
        match (step, &self.value) {
            (Step::Key(key), Value::Table(entries)) => entries
                .iter()
                .find(|entry| entry.key == *key)
                .map(|entry| (Some(&entry.key_span), &entry.node)),
            (Step::Index(index), Value::List(items)) => items.get(*index).map(|node| (None, node)),
            _ => None,
        }
    }
    pub(crate) fn child_mut(&mut self, step: &Step) -> Option<&mut Node> {
        match (step, &mut self.value) {
            (Step::Key(key), Value::Table(entries)) => {
                let mut entries = entries.iter_mut();
                let found = entries.find(|entry| entry.key == *key);
                found.map(|entry| &mut entry.node)
            }
            (Step::Index(index), Value::List(items)) => items.get_mut(*index),
            _ => None,
        }
    }
    /// Whether this is a table or a list of tables: its text spans many lines, its key does not.
    fn is_container(&self) -> bool {
        match &self.value {
            Value::Table(_) => true,
            Value::List(items) => items
                .iter()
                .any(|item| matches!(item.value, Value::Table(_))),
            _ => false,
        }
    }
    /// Describes the type of this value in words.
    pub(crate) fn kind(&self) -> &'static str {
        match self.value {
            Value::Boolean(_) => "true or false",
            Value::Integer(_) => "a whole number",
            Value::Float(_) => "a number",
            Value::Text(_) => "a text",
            Value::Datetime(_) => "a date",
            Value::List(_) => "a list",
            Value::Table(_) => "a table",
        }
    }
}

/// Joins the lines of a message of the TOML parser into one.
fn one_line(message: &str) -> String {
    message.lines().collect::<Vec<_>>().join(", ")
}

/// Converts a parsed value; its spans are shifted by `offset` bytes into their source.
fn convert(value: &DeValue<'_>, span: Range<usize>, source: usize, offset: usize) -> Node {
    let here = |range: Range<usize>| Span {
        source,
        range: range.start + offset..range.end + offset,
    };
    let value = match value {
        DeValue::Boolean(flag) => Value::Boolean(*flag),
        DeValue::Integer(number) => Value::Integer(
            i128::from_str_radix(number.as_str(), number.radix()).unwrap_or(i128::MAX),
        ),
        DeValue::Float(number) => Value::Float(number.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Datetime(date) => Value::Datetime(date.to_string()),
        DeValue::Array(items) => Value::List(
            items
                .iter()
                .map(|item| convert(item.get_ref(), item.span(), source, offset))
                .collect(),
        ),
        DeValue::Table(entries) => {
            let mut list: Vec<Entry> = entries
                .iter()
                .map(|(key, item)| Entry {
                    key: key.get_ref().to_string(),
                    key_span: here(key.span()),
                    node: convert(item.get_ref(), item.span(), source, offset),
                })
                .collect();
            // In the order of the file, so that the first of several faults is reported.
            list.sort_by_key(|entry| entry.key_span.range.start);
            Value::Table(list)
        }
    };
    Node {
        span: here(span),
        value,
    }
}

/// Refuses a key that arguments `--set` name by its old name and by its new one; with one name the last counts.
fn one_name(before: &[Override], item: &Override, source: usize) -> Result<(), Problem> {
    let set = |item: &Override| item.origin.is_none() && item.argument.starts_with("--set ");
    let Some((place, alias)) = item.place().ok().filter(|_| set(item)) else {
        return Ok(());
    };
    let other = before.iter().filter(|item| set(item)).find_map(|other| {
        let (there, named) = other.place().ok()?;
        (there == place && named != alias).then(|| Place::parse(&other.path).ok())?
    });
    let (Some(other), Ok(own)) = (other, Place::parse(&item.path)) else {
        return Ok(());
    };
    let (old, new) = match alias {
        Some(_) => (own, other),
        None => (other, own),
    };
    let range = item.ranges().0;
    Err(aliases::both(
        &old,
        &new,
        Problem::spanned(Span { source, range }, ""),
    ))
}

/// Puts the value of an override into the tree; missing tables on its path are created.
fn apply(root: &mut Node, item: &Override, source: usize) -> Result<(), Problem> {
    let (path_range, value_range) = item.ranges();
    let path_span = Span {
        source,
        range: path_range,
    };
    let value_span = Span {
        source,
        range: value_range,
    };
    let fail = |span: &Span, what: String| Problem::spanned(span.clone(), what);
    let (place, alias) = item.place().map_err(|why| {
        fail(
            &path_span,
            format!("`{}` is not a key path: {why}", item.path),
        )
    })?;
    let mut node = match DeValue::parse(&item.value) {
        Ok(value) => {
            let start = value_span.range.start;
            let mut node = convert(value.get_ref(), value.span(), source, start);
            // A value computed from a range in a file differs in length from its text there.
            if item.origin.is_some() {
                node.span = value_span;
            }
            node
        }
        // A bare word is no valid TOML value: it is read as a text, to save quoting in a shell.
        Err(_) if is_word(&item.value) => Node {
            span: value_span,
            value: Value::Text(item.value.clone()),
        },
        Err(error) => {
            return Err(fail(
                &value_span,
                format!(
                    "`{}` is not a TOML value: {}",
                    item.value,
                    one_line(error.message())
                ),
            ));
        }
    };
    if let Some(alias) = alias {
        alias.convert(&mut node);
    }
    let mut at = root;
    let mut walked = Place::default();
    for step in &place.0 {
        let kind = at.kind();
        at = match (step, &mut at.value) {
            (Step::Key(key), Value::Table(entries)) => {
                walked = walked.key(key);
                let index = entries.iter().position(|entry| entry.key == *key);
                let index = index.unwrap_or_else(|| {
                    entries.push(Entry {
                        key: key.clone(),
                        key_span: path_span.clone(),
                        node: Node {
                            span: path_span.clone(),
                            value: Value::Table(Vec::new()),
                        },
                    });
                    entries.len() - 1
                });
                &mut entries[index].node
            }
            (Step::Index(index), Value::List(items)) => {
                let len = items.len();
                walked = walked.index(*index);
                items.get_mut(*index).ok_or_else(|| {
                    fail(
                        &path_span,
                        format!(
                            "`{walked}` does not exist: the list has {len} element{} (they count from 0)",
                            if len == 1 { "" } else { "s" }
                        ),
                    )
                })?
            }
            (Step::Key(key), Value::List(_)) => {
                return Err(fail(
                    &path_span,
                    format!(
                        "`{walked}` is a list; write `{walked}[0].{key}` for its first element"
                    ),
                ));
            }
            (step, _) => {
                let step = match step {
                    Step::Key(key) => format!("key `{key}`"),
                    Step::Index(index) => format!("element {index}"),
                };
                return Err(fail(
                    &path_span,
                    format!("`{walked}` is {kind} and has no {step}"),
                ));
            }
        };
    }
    *at = node;
    Ok(())
}

fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/'))
}
