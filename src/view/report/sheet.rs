//! A page of tables and plots without an animation, for a sweep or a comparison of runs.

use super::page;
use super::{Drawing, Report};
use crate::record::RecordError;
use crate::view::plot::Plot;

/// Contents of a page.
#[derive(Debug, Default)]
pub(super) struct Sheet {
    pub(super) name: String,
    /// Status: a class of the page's styles, and words.
    pub(super) status: (&'static str, String),
    pub(super) lead: String,
    /// Figures: name, value, details.
    pub(super) tiles: Vec<[String; 3]>,
    pub(super) warnings: Vec<String>,
    pub(super) plots: Vec<Plot>,
    pub(super) tables: Vec<SheetTable>,
    pub(super) footer: Vec<String>,
}

/// A table of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SheetTable {
    /// Title.
    pub title: String,
    /// Description.
    pub about: String,
    /// The header row, then the data rows.
    pub rows: Vec<Vec<String>>,
}

impl Sheet {
    /// Returns the page.
    pub(super) fn report(self) -> Result<Report, RecordError> {
        Ok(Report {
            html: page::sheet(&self)?,
            notes: Vec::new(),
            drawings: self.plots.into_iter().map(Drawing).collect(),
        })
    }
}
