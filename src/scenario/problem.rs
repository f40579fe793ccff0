//! A fault in a scenario and its display.

use std::fmt;
use std::ops::Range;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use super::document::{Document, Source, Span};
use super::path::Place;

/// A fault in a scenario: the error, its place, and what is allowed.
#[derive(Clone, Debug)]
pub struct Problem(Box<Parts>);

/// Boxed, so that a result with a [`Problem`] stays small.
#[derive(Clone, Debug)]
struct Parts {
    title: String,
    label: Option<String>,
    help: Vec<String>,
    place: Place,
    on_key: bool,
    span: Option<Span>,
    sources: Vec<Source>,
}

impl Problem {
    /// Returns a fault of the value (or the table) at a place.
    pub(crate) fn at(place: &Place, title: impl Into<String>) -> Self {
        Problem(Box::new(Parts {
            title: title.into(),
            label: None,
            help: Vec::new(),
            place: place.clone(),
            on_key: false,
            span: None,
            sources: Vec::new(),
        }))
    }
    /// Returns a fault of the key at a place.
    pub(crate) fn at_key(place: &Place, title: impl Into<String>) -> Self {
        let mut problem = Problem::at(place, title);
        problem.0.on_key = true;
        problem
    }
    /// Returns a fault of a piece of text.
    pub(super) fn spanned(span: Span, title: impl Into<String>) -> Self {
        let mut problem = Problem::plain(title);
        problem.0.span = Some(span);
        problem
    }
    /// Returns a fault without a place, such as a missing file.
    pub(crate) fn plain(title: impl Into<String>) -> Self {
        Problem::at(&Place::default(), title)
    }
    /// Replaces the title.
    pub(super) fn titled(mut self, title: impl Into<String>) -> Self {
        self.0.title = title.into();
        self
    }
    /// Adds a note beside the marked text.
    pub(crate) fn label(mut self, label: impl Into<String>) -> Self {
        self.0.label = Some(label.into());
        self
    }
    /// Adds a line of advice.
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.0.help.push(help.into());
        self
    }
    /// Adds a place to a fault that has none.
    pub(crate) fn placed(mut self, place: &Place) -> Self {
        let parts = &mut self.0;
        if parts.place.0.is_empty() && parts.span.is_none() && parts.sources.is_empty() {
            parts.place = place.clone();
        }
        self
    }
    /// Adds the texts to quote from.
    pub(super) fn in_sources(mut self, sources: &[Source]) -> Self {
        if self.0.sources.is_empty() {
            self.0.sources = sources.to_vec();
        }
        self
    }
    /// Finds the position of the fault in a document.
    pub(crate) fn located(mut self, document: &Document) -> Self {
        let parts = &mut self.0;
        if parts.sources.is_empty() && parts.span.is_none() && !parts.place.0.is_empty() {
            parts.span = Some(document.span(&parts.place, parts.on_key));
        }
        self.in_sources(&document.sources)
    }
    /// Returns the title, one line with the error.
    pub fn title(&self) -> &str {
        &self.0.title
    }
    /// Returns the place in the scenario, empty if there is none.
    pub fn place(&self) -> &Place {
        &self.0.place
    }
    /// Returns the full message: title, the text concerned with its file and line, advice.
    pub fn render(&self, colour: bool) -> String {
        let parts = &self.0;
        let mut group = Group::with_title(Level::ERROR.primary_title(parts.title.as_str()));
        if let Some(span) = &parts.span
            && let Some(source) = parts.sources.get(span.source)
        {
            let mark = AnnotationKind::Primary.span(whole_letters(&source.text, &span.range));
            let mark = match &parts.label {
                Some(label) => mark.label(label.as_str()),
                None => mark,
            };
            group = group.element(
                Snippet::source(source.text.as_str())
                    .path(source.name.as_str())
                    .annotation(mark),
            );
        } else if let Some(source) = parts.sources.first() {
            group = group.element(Level::NOTE.message(format!("in {}", source.name)));
        }
        for help in &parts.help {
            group = group.element(Level::HELP.message(help.as_str()));
        }
        let renderer = if colour {
            Renderer::styled()
        } else {
            Renderer::plain()
        };
        renderer.decor_style(DecorStyle::Ascii).render(&[group])
    }
}

/// Widens a range of bytes to whole characters of a text: the parser of TOML may point at one byte.
fn whole_letters(text: &str, range: &Range<usize>) -> Range<usize> {
    let mut end = range.end.min(text.len());
    let mut start = range.start.min(end);
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    while !text.is_char_boundary(end) {
        end += 1;
    }
    start..end
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl std::error::Error for Problem {}
