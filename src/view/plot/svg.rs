//! Draws a plot as SVG.

use std::fmt::Write;

use super::axis::{Ruler, Scaling};
use super::{INK, Layer, Mark, Plot, Tile};
use crate::view::svg::escaped as escape;

/// Size of a drawing, in its own px.
const WIDTH: f64 = 500.0;
const HEIGHT: f64 = 270.0;
/// Margins to the left of the axes, to their right and below.
const LEFT: f64 = 68.0;
const RIGHT: f64 = 16.0;
const BELOW: f64 = 46.0;
/// Height of a row of the legend, and of the margin above it.
const ROW: f64 = 19.0;
const ABOVE: f64 = 12.0;
/// Mean width of a letter.
const LETTER: f64 = 7.0;
/// Greatest number of points drawn of a curve: of longer ones, the least and greatest of each piece.
const POINTS: usize = 1500;
/// Radius of the largest dots, half the width of the thickest lines.
const DOT: f64 = 3.0;
/// Greatest height of a field.
const TALL: f64 = 560.0;

/// Position of the axes.
struct Frame {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
    x: Ruler,
    y: Ruler,
}

impl Frame {
    fn x(&self, value: f64) -> Option<f64> {
        let share = self.x.share(value)?.clamp(-0.05, 1.05);
        Some(self.left + self.width * share)
    }

    fn y(&self, value: f64) -> Option<f64> {
        let share = self.y.share(value)?.clamp(-0.05, 1.05);
        Some(self.top + self.height * (1.0 - share))
    }

    fn place(&self, x: f64, y: f64) -> Option<[f64; 2]> {
        Some([self.x(x)?, self.y(y)?])
    }
}

/// Returns the plot as an SVG element for a page.
pub(in crate::view) fn svg(plot: &Plot) -> String {
    let (legend, rows) = legend(plot);
    let top = ABOVE + ROW * rows as f64;
    let frame = frame(plot, top);
    let height = frame.top + frame.height + BELOW;
    let mut text = String::new();
    let [x0, x1] = frame.x.ends;
    let [y0, y1] = frame.y.ends;
    let _ = write!(
        text,
        "<svg class=\"plot\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height:.0}\" \
         role=\"img\" tabindex=\"0\" aria-label=\"{}\" data-frame=\"{:.1} {:.1} {:.1} {:.1}\" \
         data-x=\"{x0:e} {x1:e} {}\" data-y=\"{y0:e} {y1:e} {}\">",
        escape(&format!("{}. {}", plot.title, plot.about)),
        frame.left,
        frame.top,
        frame.width,
        frame.height,
        if frame.x.log { "log" } else { "even" },
        if frame.y.log { "log" } else { "even" },
    );
    text += &legend;
    axes(&mut text, plot, &frame);
    let clip = format!("clip-{}", plot.id);
    let _ = write!(
        text,
        "<clipPath id=\"{clip}\"><rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\"/></clipPath>\
         <g clip-path=\"url(#{clip})\">",
        // Leaves room to show a dot at the end of an axis completely.
        frame.left - DOT,
        frame.top - DOT,
        frame.width + 2.0 * DOT,
        frame.height + 2.0 * DOT
    );
    for layer in &plot.layers {
        draw(&mut text, layer, &frame);
    }
    text += "</g>";
    let mut nearest = f64::NEG_INFINITY;
    for (at, word) in &plot.marks {
        let Some(x) = frame
            .x(*at)
            .filter(|x| (frame.left..=frame.left + frame.width).contains(x))
        else {
            continue;
        };
        let foot = frame.top + frame.height;
        let _ = write!(
            text,
            "<line class=\"mark\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{:.1}\" y2=\"{foot:.1}\"/>",
            frame.top
        );
        // Labels of close marks would overlap: only the first is written.
        if x - nearest > 40.0 {
            nearest = x;
            let left = x < frame.left + 0.85 * frame.width;
            let (shift, anchor) = if left { (4.0, "start") } else { (-4.0, "end") };
            let _ = write!(
                text,
                "<text class=\"small\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{}</text>",
                x + shift,
                frame.top + 11.0,
                escape(word)
            );
        }
    }
    text += "</svg>";
    text
}

fn colour(layer: &Layer) -> String {
    match layer.colour {
        INK => "var(--ink)".into(),
        k => format!("var(--c{})", k % 10),
    }
}

/// Returns the legend above the axes and its number of rows.
fn legend(plot: &Plot) -> (String, usize) {
    let named: Vec<&Layer> = plot.layers.iter().filter(|l| !l.name.is_empty()).collect();
    if named.is_empty() || (named.len() == 1 && plot.layers.len() == 1) {
        return (String::new(), 0);
    }
    let (mut text, mut x, mut row) = (String::new(), LEFT, 0usize);
    for layer in named {
        let wide = 34.0 + LETTER * layer.name.chars().count() as f64;
        if x > LEFT && x + wide > WIDTH {
            (x, row) = (LEFT, row + 1);
        }
        let y = ABOVE + ROW * row as f64;
        let paint = colour(layer);
        let _ = match layer.mark {
            Mark::Area(_) | Mark::Bars(_) | Mark::Cells(..) | Mark::Tiles(_) => write!(
                text,
                "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"14\" height=\"10\" rx=\"2\" style=\"fill:{paint}\"/>",
                y - 5.0
            ),
            Mark::Dots(_) => write!(
                text,
                "<circle cx=\"{:.1}\" cy=\"{y:.1}\" r=\"3.2\" style=\"fill:{paint}\"/>",
                x + 7.0
            ),
            _ => {
                let class = if matches!(layer.mark, Mark::Dashed(_)) {
                    "curve dashed"
                } else {
                    "curve"
                };
                write!(
                    text,
                    "<path class=\"{class}\" d=\"M{x:.1} {y:.1}h14\" style=\"stroke:{paint}\"/>"
                )
            }
        };
        let _ = write!(
            text,
            "<text class=\"key\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            x + 19.0,
            y + 4.0,
            escape(&layer.name)
        );
        x += wide;
    }
    (text, row + 1)
}

/// Returns abscissas and values of all layers.
fn values(plot: &Plot) -> [Vec<f64>; 2] {
    let mut both = [Vec::new(), Vec::new()];
    let mut hold = |x: f64, y: f64| {
        both[0].push(x);
        both[1].push(y);
    };
    for layer in &plot.layers {
        match &layer.mark {
            Mark::Line(points) | Mark::Dashed(points) | Mark::Step(points) | Mark::Dots(points) => {
                points.iter().for_each(|p| hold(p[0], p[1]));
            }
            Mark::Bars(bars) => bars.iter().for_each(|b| {
                hold(b[0], b[2]);
                hold(
                    b[1],
                    if plot.y.scaling == Scaling::Log {
                        b[2]
                    } else {
                        0.0
                    },
                );
            }),
            Mark::Area(area) => area.iter().for_each(|a| {
                hold(a[0], a[1]);
                hold(a[0], a[2]);
            }),
            Mark::Cells(size, cells) => cells.iter().for_each(|c| {
                hold(c[0] - 0.5 * size, c[1] - 0.5 * size);
                hold(c[0] + 0.5 * size, c[1] + 0.5 * size);
            }),
            Mark::Arrows(arrows) => arrows.iter().for_each(|a| hold(a[0], a[1])),
            Mark::Errors(bars) => bars.iter().for_each(|b| {
                hold(b[0], b[1]);
                hold(b[0], b[2]);
            }),
            Mark::Tiles(tiles) => tiles.iter().for_each(|t| {
                hold(t.x[0], t.y[0]);
                hold(t.x[1], t.y[1]);
            }),
        }
    }
    both
}

fn frame(plot: &Plot, top: f64) -> Frame {
    let [xs, ys] = values(plot);
    let mut width = WIDTH - LEFT - RIGHT;
    let mut height = HEIGHT - ABOVE - BELOW;
    let x = Ruler::new(xs.into_iter(), plot.x.scaling, 6);
    let y = Ruler::new(ys.into_iter(), plot.y.scaling, 5);
    if plot.equal {
        let ratio = (y.ends[1] - y.ends[0]) / (x.ends[1] - x.ends[0]);
        height = width * ratio;
        if height > TALL {
            (height, width) = (TALL, TALL / ratio);
        }
    }
    Frame {
        left: if plot.equal {
            0.5 * (WIDTH - RIGHT + LEFT - width)
        } else {
            LEFT
        },
        top,
        width,
        height,
        x,
        y,
    }
}

fn axes(text: &mut String, plot: &Plot, frame: &Frame) {
    let (left, right) = (frame.left, frame.left + frame.width);
    let (top, foot) = (frame.top, frame.top + frame.height);
    for (value, words) in &frame.x.ticks {
        let Some(x) = frame.x(*value) else { continue };
        let _ = write!(text, "<path class=\"tick\" d=\"M{x:.1} {foot:.1}v4\"/>");
        if !words.is_empty() {
            let _ = write!(
                text,
                "<text class=\"small\" x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{words}</text>",
                foot + 17.0
            );
        }
    }
    for (value, words) in &frame.y.ticks {
        let Some(y) = frame.y(*value) else { continue };
        if words.is_empty() {
            let _ = write!(text, "<path class=\"tick\" d=\"M{left:.1} {y:.1}h-3\"/>");
        } else {
            let _ = write!(
                text,
                "<path class=\"grid\" d=\"M{left:.1} {y:.1}H{right:.1}\"/>\
                 <text class=\"small\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{words}</text>",
                left - 7.0,
                y + 4.0
            );
        }
    }
    let middle = 0.5 * (top + foot);
    let _ = write!(
        text,
        "<path class=\"axis\" d=\"M{left:.1} {foot:.1}H{right:.1}\"/>\
         <text class=\"label\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\
         <text class=\"label\" transform=\"translate({:.1} {middle:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
        0.5 * (left + right),
        foot + 38.0,
        escape(&plot.x.label),
        left - 52.0,
        escape(&plot.y.label)
    );
}

/// Reduces a long curve to the least and greatest value of each piece, at their abscissas.
fn thinned(points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    if points.len() <= 2 * POINTS {
        return points.to_vec();
    }
    let size = points.len().div_ceil(POINTS);
    let mut kept = Vec::with_capacity(2 * POINTS + 1);
    for piece in points.chunks(size) {
        let by = |a: &&[f64; 2], b: &&[f64; 2]| a[1].total_cmp(&b[1]);
        let (Some(least), Some(most)) = (piece.iter().min_by(by), piece.iter().max_by(by)) else {
            continue;
        };
        let first = if least[0] <= most[0] {
            [least, most]
        } else {
            [most, least]
        };
        kept.extend(first);
    }
    kept.extend(points.last());
    kept
}

/// Returns a path through points, interrupted where one cannot be drawn.
fn path(points: &[[f64; 2]], frame: &Frame, steps: bool) -> String {
    let (mut d, mut pen) = (String::new(), false);
    for point in points {
        let Some([x, y]) = frame.place(point[0], point[1]) else {
            pen = false;
            continue;
        };
        let _ = match (pen, steps) {
            (false, _) => write!(d, "M{x:.1} {y:.1}"),
            (true, false) => write!(d, "L{x:.1} {y:.1}"),
            (true, true) => write!(d, "H{x:.1}V{y:.1}"),
        };
        pen = true;
    }
    d
}

fn draw(text: &mut String, layer: &Layer, frame: &Frame) {
    let paint = colour(layer);
    match &layer.mark {
        Mark::Line(points) | Mark::Dashed(points) | Mark::Step(points) => {
            let steps = matches!(layer.mark, Mark::Step(_));
            let class = if matches!(layer.mark, Mark::Dashed(_)) {
                "curve dashed"
            } else {
                "curve"
            };
            let d = path(&thinned(points), frame, steps);
            let _ = write!(
                text,
                "<path class=\"{class}\" d=\"{d}\" style=\"stroke:{paint}\"/>"
            );
        }
        Mark::Dots(points) => {
            // One path of dots is far smaller than as many circles.
            let mut d = String::new();
            for point in thinned(points) {
                if let Some([x, y]) = frame.place(point[0], point[1]) {
                    let _ = write!(d, "M{x:.1} {y:.1}h0");
                }
            }
            let _ = write!(
                text,
                "<path class=\"dots\" d=\"{d}\" style=\"stroke:{paint}\"/>"
            );
        }
        Mark::Bars(bars) => {
            let foot = frame.top + frame.height;
            for [from, to, value] in bars {
                let places = (frame.x(*from), frame.x(*to), frame.y(*value));
                let (Some(a), Some(b), Some(y)) = places else {
                    continue;
                };
                let _ = write!(
                    text,
                    "<rect class=\"bar\" x=\"{a:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\" style=\"fill:{paint}\"/>",
                    (b - a - 0.6).max(0.4),
                    (foot - y).max(0.0)
                );
            }
        }
        Mark::Area(area) => {
            let side = |k: usize| -> Vec<[f64; 2]> { area.iter().map(|a| [a[0], a[k]]).collect() };
            let upper = thinned(&side(2));
            let mut lower = thinned(&side(1));
            lower.reverse();
            let there = |p: &[f64; 2]| frame.place(p[0], p[1]).is_some();
            let outline: Vec<[f64; 2]> = upper.into_iter().chain(lower).filter(there).collect();
            let d = path(&outline, frame, false);
            let _ = write!(
                text,
                "<path class=\"area\" d=\"{d}Z\" style=\"fill:{paint}\"/>"
            );
        }
        Mark::Cells(size, cells) => {
            for [x, y, shade] in cells {
                let half = 0.5 * size;
                let corners = (
                    frame.place(x - half, y + half),
                    frame.place(x + half, y - half),
                );
                let (Some([a, b]), Some([c, d])) = corners else {
                    continue;
                };
                let _ = write!(
                    text,
                    "<rect x=\"{a:.1}\" y=\"{b:.1}\" width=\"{:.1}\" height=\"{:.1}\" style=\"fill:{paint};fill-opacity:{:.2}\"/>",
                    c - a + 0.3,
                    d - b + 0.3,
                    shade.clamp(0.0, 1.0)
                );
            }
        }
        Mark::Arrows(arrows) => {
            let mut d = String::new();
            for [x0, y0, x1, y1] in arrows {
                let ends = (frame.place(*x0, *y0), frame.place(*x1, *y1));
                let (Some([a, b]), Some([c, e])) = ends else {
                    continue;
                };
                let (u, v) = (c - a, e - b);
                if u.hypot(v) < 1.5 {
                    continue;
                }
                let head =
                    |side: f64| [c - 0.32 * u + side * 0.2 * v, e - 0.32 * v - side * 0.2 * u];
                let ([p, q], [r, s]) = (head(1.0), head(-1.0));
                let _ = write!(
                    d,
                    "M{a:.1} {b:.1}L{c:.1} {e:.1}M{p:.1} {q:.1}L{c:.1} {e:.1}L{r:.1} {s:.1}"
                );
            }
            let _ = write!(
                text,
                "<path class=\"arrows\" d=\"{d}\" style=\"stroke:{paint}\"/>"
            );
        }
        Mark::Errors(bars) => errors(text, bars, &paint, frame),
        Mark::Tiles(drawn) => tiles(text, drawn, &paint, frame),
    }
}

fn errors(text: &mut String, bars: &[[f64; 3]], paint: &str, frame: &Frame) {
    let mut d = String::new();
    for [x, low, high] in bars {
        let (Some(x), Some(high)) = (frame.x(*x), frame.y(*high)) else {
            continue;
        };
        // On a logarithmic axis an error bar that reaches down to zero ends at the axis.
        let low = frame.y(*low).unwrap_or(frame.top + frame.height);
        let _ = write!(d, "M{:.1} {low:.1}h6m-3 0V{high:.1}m-3 0h6", x - 3.0);
    }
    let _ = write!(
        text,
        "<path class=\"error\" d=\"{d}\" style=\"stroke:{paint}\"/>"
    );
}

fn tiles(text: &mut String, tiles: &[Tile], paint: &str, frame: &Frame) {
    for tile in tiles {
        let corners = (
            frame.place(tile.x[0], tile.y[1]),
            frame.place(tile.x[1], tile.y[0]),
        );
        let (Some([a, b]), Some([c, d])) = corners else {
            continue;
        };
        let _ = write!(
            text,
            "<rect x=\"{a:.1}\" y=\"{b:.1}\" width=\"{:.1}\" height=\"{:.1}\" style=\"fill:{paint};fill-opacity:{:.2}\"/>",
            (c - a - 1.0).max(0.4),
            (d - b - 1.0).max(0.4),
            tile.shade.clamp(0.0, 1.0)
        );
        // Labels that do not fit are in the table and in the hover text.
        let room = LETTER * tile.word.chars().count() as f64;
        if !tile.word.is_empty() && room < c - a && d - b > 14.0 {
            let _ = write!(
                text,
                "<text class=\"small tile\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                0.5 * (a + c),
                0.5 * (b + d) + 4.0,
                escape(&tile.word)
            );
        }
    }
}
