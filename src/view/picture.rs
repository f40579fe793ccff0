//! A picture: shapes in nominal pixels, x to the right and y down, drawn in order.

/// A colour: red, green, blue, 0 to 255, and opacity, 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Colour {
    /// Red, green and blue.
    pub rgb: [u8; 3],
    /// Opacity.
    pub opacity: f32,
}

impl Colour {
    /// Returns an opaque colour, given as 0xRRGGBB.
    pub const fn new(hex: u32) -> Colour {
        Colour {
            rgb: [(hex >> 16) as u8, (hex >> 8) as u8, hex as u8],
            opacity: 1.0,
        }
    }

    /// Returns the colour with another opacity.
    pub const fn with_opacity(self, opacity: f32) -> Colour {
        Colour { opacity, ..self }
    }

    /// Returns the colour mixed with white (share above 0) or black (below 0).
    pub fn lighter(self, share: f32) -> Colour {
        let goal = if share > 0.0 { 255.0 } else { 0.0 };
        let mix = |c: u8| (f32::from(c) + (goal - f32::from(c)) * share.abs()).round() as u8;
        Colour {
            rgb: self.rgb.map(mix),
            ..self
        }
    }
}

/// A shape of a picture.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A filled disk with a thin darker rim; shaded as a ball where the picture shows space.
    Disk {
        /// Centre, px.
        centre: [f32; 2],
        /// Radius, px.
        radius: f32,
        /// Colour.
        fill: Colour,
        /// Whether it is shaded as a ball.
        ball: bool,
    },
    /// A chain of lines with round ends and corners.
    Line {
        /// Corners, px.
        points: Vec<[f32; 2]>,
        /// Whether the last corner is joined to the first.
        closed: bool,
        /// Width, px.
        width: f32,
        /// Colour.
        stroke: Colour,
    },
    /// A filled polygon without a rim.
    Patch {
        /// Corners, px.
        points: Vec<[f32; 2]>,
        /// Colour.
        fill: Colour,
    },
    /// A line of text that starts at a point.
    Text {
        /// Left end of the base line, px.
        at: [f32; 2],
        /// Height of a capital letter, px.
        size: f32,
        /// The text.
        text: String,
        /// Colour.
        fill: Colour,
    },
}

/// A picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// Width, px.
    pub width: f32,
    /// Height, px.
    pub height: f32,
    /// Colour of the background.
    pub background: Colour,
    /// Description for readers who cannot see it.
    pub title: String,
    /// Shapes, from back to front.
    pub shapes: Vec<Shape>,
}

/// Returns the width of the rim of a disk, px: a fixed fraction, thin enough for small grains.
pub(super) fn rim(radius: f32) -> f32 {
    (0.06 * radius).clamp(0.2, 1.0)
}
