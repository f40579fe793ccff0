//! Plots of a run's page: curves, bars and fields on axes, drawn as SVG without any script.
//!
//! A [`Plot`] holds what is drawn and, apart from it, the table behind it, which the page offers as
//! CSV and reads for its hover values. Colours are names of CSS variables, so that one drawing serves
//! light and dark pages.

mod alone;
mod axis;
mod svg;

pub(super) use alone::{alone, csv};
pub(super) use axis::{Axis, Scaling};
pub(super) use svg::svg;

use std::borrow::Cow;

use serde::Serialize;

/// What is drawn of a quantity.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Mark {
    /// Points joined by lines.
    Line(Vec<[f64; 2]>),
    /// The same, dashed: theory and fits.
    Dashed(Vec<[f64; 2]>),
    /// A value that holds until the next point.
    Step(Vec<[f64; 2]>),
    /// Points.
    Dots(Vec<[f64; 2]>),
    /// Bars: from, to, height.
    Bars(Vec<[f64; 3]>),
    /// The area between two curves: place, lower, upper.
    Area(Vec<[f64; 3]>),
    /// Squares of this size about points, each with a shade from 0 to 1: x, y, shade.
    Cells(f64, Vec<[f64; 3]>),
    /// Arrows: from x, y to x, y.
    Arrows(Vec<[f64; 4]>),
    /// Upright bars of error: place, lower, upper end.
    Errors(Vec<[f64; 3]>),
    /// Rectangles with a shade from 0 to 1 and a word each.
    Tiles(Vec<Tile>),
}

/// A rectangle of a map: from, to along x; from, to along y.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tile {
    pub(super) x: [f64; 2],
    pub(super) y: [f64; 2],
    pub(super) shade: f64,
    pub(super) word: String,
}

/// A quantity of a plot.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Layer {
    /// Its name in the legend; empty: none.
    pub(super) name: String,
    /// Its colour: the number of a CSS variable of the page; [`INK`] for that of text.
    pub(super) colour: usize,
    /// How it is drawn.
    pub(super) mark: Mark,
}

/// The colour of text.
pub(super) const INK: usize = usize::MAX;

/// A column of the table behind a plot.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Column {
    pub(super) name: String,
    /// SI unit; "1" without one.
    pub(super) unit: String,
    /// NaN where there is none.
    pub(super) values: Vec<f64>,
}

impl Column {
    pub(super) fn new(name: &str, unit: &str, values: Vec<f64>) -> Column {
        Column {
            name: name.into(),
            unit: unit.into(),
            values,
        }
    }
}

/// A plot.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Plot {
    /// Its name in links and files.
    pub(super) id: Cow<'static, str>,
    pub(super) title: String,
    /// What it is and how it is defined.
    pub(super) about: String,
    pub(super) x: Axis,
    pub(super) y: Axis,
    /// Whether x is the time of the run: the page then shows where the animation is.
    pub(super) timed: bool,
    /// Whether a metre is as long along x as along y.
    pub(super) equal: bool,
    pub(super) layers: Vec<Layer>,
    /// Vertical lines with a word beside them.
    pub(super) marks: Vec<(f64, String)>,
    /// The table behind it; the first column is what is along x.
    pub(super) table: Vec<Column>,
}

impl Plot {
    /// A plot without anything on it.
    pub(super) fn new(id: impl Into<Cow<'static, str>>, title: &str, x: Axis, y: Axis) -> Plot {
        Plot {
            id: id.into(),
            title: title.into(),
            about: String::new(),
            x,
            y,
            timed: false,
            equal: false,
            layers: Vec::new(),
            marks: Vec::new(),
            table: Vec::new(),
        }
    }

    /// Whether it is a map, in which both ways count.
    pub(super) fn tiled(&self) -> bool {
        let mut layers = self.layers.iter();
        layers.any(|layer| matches!(layer.mark, Mark::Tiles(_)))
    }

    /// Adds a quantity.
    pub(super) fn draw(&mut self, name: &str, colour: usize, mark: Mark) {
        self.layers.push(Layer {
            name: name.into(),
            colour,
            mark,
        });
    }
}
