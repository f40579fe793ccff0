//! Plots of a run's page: curves, bars and fields on axes, drawn as SVG without scripts.
//!
//! A [`Plot`] contains the drawing and, separately, the table behind it, which the page offers as CSV and reads for
//! its hover values. Colours are names of CSS variables, so that one drawing serves light and dark pages.

mod alone;
mod axis;
mod svg;

pub(super) use alone::{alone, csv};
pub(super) use axis::{Axis, Scaling};
pub(super) use svg::svg;

use std::borrow::Cow;

use serde::Serialize;

/// ShapeTemplate in which a quantity is drawn.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Mark {
    /// Points joined by lines.
    Line(Vec<[f64; 2]>),
    /// Dashed lines: theory and fits.
    Dashed(Vec<[f64; 2]>),
    /// A value constant until the next point.
    Step(Vec<[f64; 2]>),
    /// Points.
    Dots(Vec<[f64; 2]>),
    /// Bars: from, to, height.
    Bars(Vec<[f64; 3]>),
    /// The area between two curves: abscissa, lower, upper.
    Area(Vec<[f64; 3]>),
    /// Squares of this size centred at points, each with a shade from 0 to 1: x, y, shade.
    Cells(f64, Vec<[f64; 3]>),
    /// Arrows: from x, y to x, y.
    Arrows(Vec<[f64; 4]>),
    /// Vertical error bars: abscissa, lower, upper end.
    Errors(Vec<[f64; 3]>),
    /// Rectangles, each with a shade from 0 to 1 and a label.
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
    /// Name in the legend; empty: not in the legend.
    pub(super) name: String,
    /// Number of a CSS colour variable of the page; [`INK`] for the text colour.
    pub(super) colour: usize,
    /// ShapeTemplate in which it is drawn.
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
    /// NaN where there is no value.
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
    /// Name in links and files.
    pub(super) id: Cow<'static, str>,
    pub(super) title: String,
    /// Description and definition.
    pub(super) about: String,
    pub(super) x: Axis,
    pub(super) y: Axis,
    /// Whether x is the time of the run: the page then marks the time of the animation.
    pub(super) timed: bool,
    /// Whether both axes have the same scale.
    pub(super) equal: bool,
    pub(super) layers: Vec<Layer>,
    /// Vertical lines, each with a label.
    pub(super) marks: Vec<(f64, String)>,
    /// The table behind the plot; the first column is the abscissa.
    pub(super) table: Vec<Column>,
}

impl Plot {
    /// Returns an empty plot.
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

    /// Whether the plot is a map, where both axes matter.
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
