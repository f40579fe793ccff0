//! Draws pictures as PNG with tiny-skia.

use tiny_skia::{
    FillRule, GradientStop, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap, Point,
    RadialGradient, Shader, SpreadMode, Stroke, Transform,
};

use super::picture::{Colour, Picture, Shape, rim};
use super::strokes;

/// Limit on the pixels of a side, to bound memory.
const LARGEST: f32 = 16_384.0;

impl Picture {
    /// Returns the picture as a PNG file with `scale` pixels per nominal pixel; none if it is too large.
    pub fn to_png(&self, scale: f32) -> Option<Vec<u8>> {
        self.pixels(scale)?.encode_png().ok()
    }

    /// Returns the picture as pixels, `scale` of them per nominal pixel; none if it is too large.
    pub(super) fn pixels(&self, scale: f32) -> Option<Pixmap> {
        let (width, height) = ((self.width * scale).ceil(), (self.height * scale).ceil());
        if !(1.0..=LARGEST).contains(&width) || !(1.0..=LARGEST).contains(&height) {
            return None;
        }
        let mut map = Pixmap::new(width as u32, height as u32)?;
        map.fill(skia(self.background));
        let turn = Transform::from_scale(scale, scale);
        for shape in &self.shapes {
            draw(&mut map, shape, turn);
        }
        Some(map)
    }
}

fn skia(colour: Colour) -> tiny_skia::Color {
    let [r, g, b] = colour.rgb;
    tiny_skia::Color::from_rgba8(r, g, b, (colour.opacity * 255.0).round() as u8)
}

fn paint(colour: Colour) -> Paint<'static> {
    Paint {
        shader: Shader::SolidColor(skia(colour)),
        anti_alias: true,
        ..Paint::default()
    }
}

fn chain(points: &[[f32; 2]], closed: bool) -> Option<Path> {
    let mut path = PathBuilder::new();
    let (&[x, y], rest) = points.split_first()?;
    path.move_to(x, y);
    for &[x, y] in rest {
        path.line_to(x, y);
    }
    if closed {
        path.close();
    }
    path.finish()
}

fn pen(width: f32) -> Stroke {
    Stroke {
        width,
        line_cap: LineCap::Round,
        line_join: LineJoin::Round,
        ..Stroke::default()
    }
}

fn draw(map: &mut Pixmap, shape: &Shape, turn: Transform) {
    match shape {
        Shape::Disk {
            centre: [x, y],
            radius,
            fill,
            ball,
        } => {
            let width = rim(*radius);
            let Some(path) = PathBuilder::from_circle(*x, *y, (radius - 0.5 * width).max(0.05))
            else {
                return;
            };
            let mut inside = paint(*fill);
            if *ball && let Some(shader) = shaded(*x, *y, *radius, *fill) {
                inside.shader = shader;
            }
            map.fill_path(&path, &inside, FillRule::Winding, turn, None);
            let edge = paint(fill.lighter(-0.45));
            map.stroke_path(&path, &edge, &pen(width), turn, None);
        }
        Shape::Line {
            points,
            closed,
            width,
            stroke,
        } => {
            if let Some(path) = chain(points, *closed) {
                map.stroke_path(&path, &paint(*stroke), &pen(*width), turn, None);
            }
        }
        Shape::Patch { points, fill } => {
            if let Some(path) = chain(points, true) {
                // Without anti-aliasing of their edges neighbours meet without a seam.
                let mut inside = paint(*fill);
                inside.anti_alias = false;
                map.fill_path(&path, &inside, FillRule::Winding, turn, None);
            }
        }
        Shape::Text {
            at,
            size,
            text,
            fill,
        } => {
            let (chains, width) = strokes::text(text, *at, *size);
            for mut points in chains {
                if let [first, second] = points.as_mut_slice()
                    && first == second
                {
                    // A dot: a line of zero length would not be drawn.
                    second[0] += 0.01;
                }
                if let Some(path) = chain(&points, false) {
                    map.stroke_path(&path, &paint(*fill), &pen(width), turn, None);
                }
            }
        }
    }
}

/// Light from the upper left, as in the SVG.
fn shaded(x: f32, y: f32, radius: f32, fill: Colour) -> Option<Shader<'static>> {
    let bright = Point::from_xy(x - 0.28 * radius, y - 0.36 * radius);
    let stops = vec![
        GradientStop::new(0.0, skia(fill.lighter(0.45))),
        GradientStop::new(0.55, skia(fill)),
        GradientStop::new(1.0, skia(fill.lighter(-0.45))),
    ];
    let (mode, turn) = (SpreadMode::Pad, Transform::identity());
    RadialGradient::new(bright, bright, 1.5 * radius, stops, mode, turn)
}
