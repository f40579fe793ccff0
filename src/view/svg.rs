//! Draws pictures as SVG.

use std::fmt::Write;

use super::picture::{Colour, Picture, Shape, rim};

/// Height of the digits of common sans-serif fonts over the font size.
const CAPITAL_OVER_SIZE: f32 = 0.72;

impl Picture {
    /// Returns the picture as an SVG document.
    pub fn to_svg(&self) -> String {
        let mut out = String::new();
        // Writing to a string cannot fail.
        let _ = self.write_svg(&mut out);
        out
    }

    fn write_svg(&self, out: &mut String) -> std::fmt::Result {
        let (w, h) = (self.width, self.height);
        writeln!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w:.0}\" height=\"{h:.0}\" \
             viewBox=\"0 0 {w:.0} {h:.0}\" role=\"img\">"
        )?;
        writeln!(out, "<title>{}</title>", escaped(&self.title))?;
        self.gradients(out)?;
        let fill = paint("fill", self.background);
        writeln!(out, "<rect width=\"100%\" height=\"100%\"{fill}/>")?;
        for shape in &self.shapes {
            write_shape(out, shape)?;
        }
        writeln!(out, "</svg>")
    }

    /// Writes a gradient for each colour of the balls.
    fn gradients(&self, out: &mut String) -> std::fmt::Result {
        let mut colours: Vec<[u8; 3]> = self.shapes.iter().filter_map(ball_colour).collect();
        colours.sort();
        colours.dedup();
        if colours.is_empty() {
            return Ok(());
        }
        writeln!(out, "<defs>")?;
        for rgb in colours {
            let base = Colour { rgb, opacity: 1.0 };
            let name = hex(base);
            writeln!(
                out,
                "<radialGradient id=\"g{}\" cx=\"0.36\" cy=\"0.32\" r=\"0.75\">\
                 <stop offset=\"0\" stop-color=\"{}\"/><stop offset=\"0.55\" stop-color=\"{name}\"/>\
                 <stop offset=\"1\" stop-color=\"{}\"/></radialGradient>",
                &name[1..],
                hex(base.lighter(0.45)),
                hex(base.lighter(-0.45)),
            )?;
        }
        writeln!(out, "</defs>")
    }
}

fn ball_colour(shape: &Shape) -> Option<[u8; 3]> {
    match shape {
        Shape::Disk {
            fill, ball: true, ..
        } => Some(fill.rgb),
        _ => None,
    }
}

fn write_shape(out: &mut String, shape: &Shape) -> std::fmt::Result {
    match shape {
        Shape::Disk {
            centre: [x, y],
            radius,
            fill,
            ball,
        } => {
            let name = hex(*fill);
            let inside = if *ball {
                format!(" fill=\"url(#g{})\"", &name[1..])
            } else {
                paint("fill", *fill)
            };
            let edge = paint("stroke", fill.lighter(-0.45));
            let width = rim(*radius);
            writeln!(
                out,
                "<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"{:.2}\"{inside}{edge} stroke-width=\"{width:.2}\"/>",
                (radius - 0.5 * width).max(0.05)
            )
        }
        Shape::Line {
            points,
            closed,
            width,
            stroke,
        } => {
            let mut path = String::new();
            for (k, [x, y]) in points.iter().enumerate() {
                write!(path, "{}{x:.2} {y:.2}", if k == 0 { "M" } else { "L" })?;
            }
            if *closed {
                path.push('Z');
            }
            let stroke = paint("stroke", *stroke);
            writeln!(
                out,
                "<path d=\"{path}\" fill=\"none\"{stroke} stroke-width=\"{width:.2}\" \
                 stroke-linecap=\"round\" stroke-linejoin=\"round\"/>"
            )
        }
        Shape::Patch { points, fill } => {
            let mut path = String::new();
            for (k, [x, y]) in points.iter().enumerate() {
                write!(path, "{}{x:.2} {y:.2}", if k == 0 { "M" } else { "L" })?;
            }
            writeln!(out, "<path d=\"{path}Z\"{}/>", paint("fill", *fill))
        }
        Shape::Text {
            at: [x, y],
            size,
            text,
            fill,
        } => writeln!(
            out,
            "<text x=\"{x:.2}\" y=\"{y:.2}\" xml:space=\"preserve\" font-family=\"Helvetica, Arial, sans-serif\" \
             font-size=\"{:.1}\"{}>{}</text>",
            size / CAPITAL_OVER_SIZE,
            paint("fill", *fill),
            escaped(text)
        ),
    }
}

/// Returns the colour in CSS notation.
pub(super) fn hex(colour: Colour) -> String {
    let [r, g, b] = colour.rgb;
    format!("#{r:02x}{g:02x}{b:02x}")
}

fn paint(what: &str, colour: Colour) -> String {
    if colour.opacity < 1.0 {
        format!(
            " {what}=\"{}\" {what}-opacity=\"{:.2}\"",
            hex(colour),
            colour.opacity
        )
    } else {
        format!(" {what}=\"{}\"", hex(colour))
    }
}

/// Escapes text for XML, between tags or in double quotes.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
