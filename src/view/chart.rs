//! Draws curves in panels side by side.

use super::picture::{Colour, Picture, Shape};
use super::scene::{BACKGROUND, INK, TEXT};

/// A curve of a panel.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Abscissas and values, in order.
    pub points: Vec<[f64; 2]>,
    /// Index of its key, from 0, which gives the colour.
    pub key: usize,
}

/// Axes with curves.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Panel {
    /// Quantity shown, with the unit.
    pub title: String,
    /// Quantity along the lower axis, with the unit.
    pub along: String,
    /// Curves.
    pub curves: Vec<Curve>,
}

/// Colours of the keys: distinct in lightness and for colour-blind readers; further keys reuse them.
const KEYS: [Colour; 6] = [
    Colour::new(0x2f6f8f),
    Colour::new(0xc8603e),
    Colour::new(0x7a9a4e),
    Colour::new(0xe3a73f),
    Colour::new(0x7b5a8c),
    Colour::new(0x14171a),
];
/// Size of a panel's axes and of the margins around them, px.
const WIDTH: f32 = 330.0;
const HEIGHT: f32 = 240.0;
const LEFT: f32 = 62.0;
const RIGHT: f32 = 18.0;
const ABOVE: f32 = 34.0;
const BELOW: f32 = 48.0;
/// Line height of the list of keys, px.
const LINE: f32 = 20.0;
/// Panels per row.
const ACROSS: usize = 2;

/// Draws panels in rows of two, and the key of colours below them.
pub fn chart(panels: &[Panel], keys: &[String]) -> Picture {
    let rows = panels.len().div_ceil(ACROSS);
    let (wide, high) = (LEFT + WIDTH + RIGHT, ABOVE + HEIGHT + BELOW);
    let titles: Vec<&str> = panels.iter().map(|panel| panel.title.as_str()).collect();
    let mut picture = Picture {
        width: wide * panels.len().clamp(1, ACROSS) as f32,
        height: high * rows as f32 + LINE * (keys.len() as f32 + 0.5),
        background: BACKGROUND,
        title: titles.join("; "),
        shapes: Vec::new(),
    };
    for (k, panel) in panels.iter().enumerate() {
        let corner = [
            wide * (k % ACROSS) as f32 + LEFT,
            high * (k / ACROSS) as f32 + ABOVE,
        ];
        draw(&mut picture.shapes, panel, corner);
    }
    for (k, key) in keys.iter().enumerate() {
        let y = high * rows as f32 + LINE * (k as f32 + 0.5);
        picture.shapes.push(Shape::Line {
            points: vec![[LEFT, y], [LEFT + 28.0, y]],
            closed: false,
            width: 3.0,
            stroke: KEYS[k % KEYS.len()],
        });
        write(&mut picture.shapes, [LEFT + 38.0, y + 0.5 * TEXT], key);
    }
    picture
}

fn write(shapes: &mut Vec<Shape>, at: [f32; 2], text: &str) {
    shapes.push(Shape::Text {
        at,
        size: 0.8 * TEXT,
        text: text.into(),
        fill: INK,
    });
}

/// Returns the ends of an axis that contains the values, and the spacing of its ticks.
fn axis(values: impl Iterator<Item = f64>) -> [f64; 3] {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for value in values.filter(|v| v.is_finite()) {
        low = low.min(value);
        high = high.max(value);
    }
    if low > high {
        (low, high) = (0.0, 1.0);
    }
    // Most quantities begin at zero, or slightly below it.
    if low < 0.5 * high && low > -0.01 * high {
        low = 0.0;
    }
    if high - low <= 1e-12 * high.abs().max(low.abs()) {
        high = low + high.abs().max(1.0);
    }
    let rough = (high - low) / 5.0;
    let power = libm::pow(10.0, libm::log10(rough).floor());
    let step = power
        * [1.0, 2.0, 5.0]
            .into_iter()
            .find(|s| s * power >= rough)
            .unwrap_or(10.0);
    [
        (low / step).floor() * step,
        (high / step).ceil() * step,
        step,
    ]
}

fn number(value: f64, step: f64) -> String {
    if value != 0.0 && !(1e-3..1e5).contains(&value.abs()) {
        return format!("{value:.0e}");
    }
    let digits = (-libm::log10(step).floor()).clamp(0.0, 6.0) as usize;
    format!("{value:.digits$}")
}

fn draw(shapes: &mut Vec<Shape>, panel: &Panel, [left, top]: [f32; 2]) {
    let values = |k: usize| {
        let points = panel.curves.iter().flat_map(|curve| &curve.points);
        points.map(move |p| p[k])
    };
    let (x, y) = (axis(values(0)), axis(values(1)));
    let place = |p: [f64; 2]| {
        [
            left + WIDTH * ((p[0] - x[0]) / (x[1] - x[0])) as f32,
            top + HEIGHT * (1.0 - ((p[1] - y[0]) / (y[1] - y[0])) as f32),
        ]
    };
    let mut line = |points: Vec<[f32; 2]>, width: f32, stroke: Colour| {
        shapes.push(Shape::Line {
            points,
            closed: false,
            width,
            stroke,
        });
    };
    let mut texts = Vec::new();
    let ticks = |[low, high, step]: [f64; 3]| {
        let count = ((high - low) / step).round() as usize;
        (0..=count).map(move |k| low + k as f64 * step)
    };
    let faint = INK.with_opacity(0.18);
    for value in ticks(x) {
        let [at, foot] = place([value, y[0]]);
        line(vec![[at, foot], [at, top]], 0.6, faint);
        let text = number(value, x[2]);
        texts.push(([at - 3.5 * text.len() as f32, foot + 18.0], text));
    }
    for value in ticks(y) {
        let [side, at] = place([x[0], value]);
        line(vec![[side, at], [left + WIDTH, at]], 0.6, faint);
        let text = number(value, y[2]);
        texts.push(([side - 7.0 * text.len() as f32 - 8.0, at + 4.0], text));
    }
    line(
        vec![
            [left, top],
            [left, top + HEIGHT],
            [left + WIDTH, top + HEIGHT],
        ],
        1.2,
        INK,
    );
    // Many curves of one colour must not hide each other.
    let opacity = if panel.curves.len() > 6 { 0.55 } else { 0.9 };
    for curve in &panel.curves {
        let points = curve.points.iter().filter(|p| p[0].is_finite());
        let points = points.filter(|p| p[1].is_finite());
        line(
            points.map(|&p| place(p)).collect(),
            1.4,
            KEYS[curve.key % KEYS.len()].with_opacity(opacity),
        );
    }
    for (at, text) in texts {
        write(shapes, at, &text);
    }
    write(shapes, [left, top - 12.0], &panel.title);
    write(shapes, [left, top + HEIGHT + 38.0], &panel.along);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_hold_their_values_with_round_ticks() {
        for (values, wanted) in [
            (vec![0.0, 1052.0], [0.0, 1500.0, 500.0]),
            (vec![3.0, 8.0], [0.0, 8.0, 2.0]),
            (vec![-0.3, 0.45], [-0.4, 0.6, 0.2]),
            (vec![7.0, 7.0], [6.0, 14.0, 2.0]),
            (vec![], [0.0, 1.0, 0.2]),
        ] {
            let found = axis(values.iter().copied());
            for (f, w) in found.iter().zip(wanted) {
                // Products of small numbers and a power of ten.
                assert!((f - w).abs() < 1e-12, "{found:?} for {values:?}");
            }
        }
        assert_eq!(number(0.4, 0.2), "0.4");
        assert_eq!(number(1500.0, 500.0), "1500");
    }
}
