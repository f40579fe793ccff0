//! A page of tables and plots, without an animation: that of a sweep, that of runs side by side.

use super::page;
use super::{Drawing, Report};
use crate::record::RecordError;
use crate::view::plot::Plot;

/// What a page holds.
#[derive(Debug, Default)]
pub(super) struct Sheet {
    pub(super) name: String,
    /// How it stands: a class of the page's styles, and words.
    pub(super) status: (&'static str, String),
    pub(super) lead: String,
    /// Figures: name, value, what else.
    pub(super) tiles: Vec<[String; 3]>,
    pub(super) warnings: Vec<String>,
    pub(super) plots: Vec<Plot>,
    pub(super) tables: Vec<SheetTable>,
    pub(super) footer: Vec<String>,
}

/// A table of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SheetTable {
    /// Its title.
    pub title: String,
    /// What it is.
    pub about: String,
    /// The heads, then the rows.
    pub rows: Vec<Vec<String>>,
}

impl Sheet {
    /// The page.
    pub(super) fn report(self) -> Result<Report, RecordError> {
        Ok(Report {
            html: page::sheet(&self)?,
            notes: Vec::new(),
            drawings: self.plots.into_iter().map(Drawing).collect(),
        })
    }
}
