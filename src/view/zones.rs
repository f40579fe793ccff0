//! Draws the field of stagnant zones: dark where the bed is at rest, arrows where it moves.

use std::path::Path;

use super::camera::{Camera, Extent, Frame};
use super::picture::{Colour, Picture, Shape};
use super::scene::{
    BACKGROUND, CAPTION, HEIGHT, INK, LEAST, MARGIN, TEXT, WALL, WIDTH, from_side_to_side, short,
};
use crate::record::{RecordError, read};

/// Colours of a cell that is never at rest, and of one that always is.
const MOVES: Colour = Colour::new(0xf3e3bd);
const STANDS: Colour = Colour::new(0x35506b);
const ARROW: Colour = Colour::new(0x14171a);
/// Steps of the scale in the caption.
const SCALE: usize = 5;

/// A cell in the plane of the picture.
struct Cell {
    middle: [f64; 3],
    size: f64,
    occupied: f64,
    still: f64,
    velocity: [f64; 3],
}

/// Returns the picture of the stagnant zones of a run in the plane.
///
/// # Errors
/// A folder that cannot be read, a run without that field, or one in space.
pub fn stagnant(dir: &Path) -> Result<Picture, RecordError> {
    let meta = read::meta(dir)?;
    let lacking = |what: &str| RecordError::Damaged {
        path: dir.display().to_string(),
        what: what.into(),
    };
    if meta.dimensions != 2 {
        return Err(lacking(
            "stagnant zones are drawn of runs in the plane only; export the table with --to csv",
        ));
    }
    let cells = cells(dir)?;
    if cells.is_empty() {
        return Err(lacking(
            "holds no field of stagnant zones; run it with --set log.stagnant=SIZE, SIZE about two \
             diameters of its grains in m",
        ));
    }
    let camera = Camera::new(2);
    let (mut held, mut around) = (Extent::NONE, Extent::NONE);
    for cell in &cells {
        held.hold(camera.across(cell.middle), 0.5 * cell.size);
    }
    // A gate that opens is absent for most of the time that the field covers; infinite walls are drawn across the
    // whole picture.
    let walls = || meta.walls.iter().filter(|wall| wall.opens_at.is_none());
    for point in walls()
        .filter(|wall| !wall.endless)
        .flat_map(|wall| &wall.points)
    {
        around.hold(camera.across(*point), 0.0);
    }
    let frame = Frame::fit(Extent::joined(held, around), WIDTH, HEIGHT, MARGIN);
    let mut shapes = Vec::new();
    for cell in &cells {
        let half = 0.5 * cell.size;
        let corner = |x: f64, y: f64| {
            frame.place(camera.across([cell.middle[0] + x, cell.middle[1] + y, 0.0]))
        };
        // Seldom occupied cells are drawn faintly.
        let opacity = 0.15 + 0.85 * (cell.occupied as f32).min(1.0);
        shapes.push(Shape::Patch {
            points: vec![
                corner(-half, -half),
                corner(half, -half),
                corner(half, half),
                corner(-half, half),
            ],
            fill: mixed(cell.still as f32).with_opacity(opacity),
        });
    }
    let [width, height] = frame.size();
    for wall in walls() {
        let points = wall.points.iter();
        let mut points: Vec<_> = points.map(|&p| frame.place(camera.across(p))).collect();
        if let (true, &[a, b]) = (wall.endless, points.as_slice()) {
            points = from_side_to_side(a, b, [width as f32, height as f32]);
        }
        shapes.push(Shape::Line {
            points,
            closed: wall.closed,
            width: 3.0,
            stroke: WALL,
        });
    }
    let fastest = strong(&cells);
    for cell in &cells {
        shapes.extend(arrow(cell, fastest, &frame));
    }
    let mut picture = Picture {
        width: width.max(LEAST) as f32,
        height: (height + CAPTION) as f32,
        background: BACKGROUND,
        title: "share of time that each place stands still".into(),
        shapes,
    };
    caption(&mut picture, height as f32, fastest);
    Ok(picture)
}

fn cells(dir: &Path) -> Result<Vec<Cell>, RecordError> {
    let columns = read::stagnant(dir)?;
    let real = |name: &str| columns.floats(name);
    let (x, y, size) = (real("x")?, real("y")?, real("size")?);
    let (occupied, still) = (real("occupied")?, real("still")?);
    let velocity = [real("velocity_x")?, real("velocity_y")?];
    let cell = |k: usize| Cell {
        middle: [x[k], y[k], 0.0],
        size: size[k],
        occupied: occupied[k],
        still: still[k],
        velocity: [velocity[0][k], velocity[1][k], 0.0],
    };
    Ok((0..columns.rows).map(cell).collect())
}

/// Returns the speed of the longest arrow: free fall past the orifice must not shorten all others.
fn strong(cells: &[Cell]) -> f64 {
    let mut speeds: Vec<f64> = cells.iter().map(speed).collect();
    speeds.sort_by(f64::total_cmp);
    speeds
        .get(speeds.len().saturating_sub(1) * 9 / 10)
        .copied()
        .unwrap_or(0.0)
}

fn speed(cell: &Cell) -> f64 {
    cell.velocity[0].hypot(cell.velocity[1])
}

fn mixed(share: f32) -> Colour {
    let share = share.clamp(0.0, 1.0);
    Colour {
        rgb: std::array::from_fn(|k| {
            let (from, to) = (f32::from(MOVES.rgb[k]), f32::from(STANDS.rgb[k]));
            (from + (to - from) * share).round() as u8
        }),
        opacity: 1.0,
    }
}

/// Returns the mean velocity as a line with a head; none if it would be a dot.
fn arrow(cell: &Cell, fastest: f64, frame: &Frame) -> Option<Shape> {
    let speed = speed(cell);
    let length = 0.9 * cell.size * (speed / fastest).min(1.0);
    if !(fastest > 0.0 && length * frame.scale > 2.0) {
        return None;
    }
    let along = [cell.velocity[0] / speed, cell.velocity[1] / speed];
    let at = |forward: f64, left: f64| {
        frame.place([
            cell.middle[0] + length * (forward * along[0] - left * along[1]),
            cell.middle[1] + length * (forward * along[1] + left * along[0]),
        ])
    };
    let (tail, tip) = (at(-0.5, 0.0), at(0.5, 0.0));
    Some(Shape::Line {
        points: vec![tail, tip, at(0.2, 0.2), tip, at(0.2, -0.2)],
        closed: false,
        width: 1.2,
        stroke: ARROW.with_opacity(0.8),
    })
}

/// Draws the scale of shades and that of arrows.
fn caption(picture: &mut Picture, top: f32, fastest: f64) {
    let left = MARGIN as f32;
    let mut write = |at: [f32; 2], text: String| {
        picture.shapes.push(Shape::Text {
            at,
            size: TEXT,
            text,
            fill: INK,
        });
    };
    write(
        [left, top + 14.0],
        format!("arrows up to {} m/s", short(fastest)),
    );
    write([left, top + 40.0], "stands still: never".into());
    let begin = left + 170.0;
    write(
        [begin + 24.0 * SCALE as f32 + 8.0, top + 40.0],
        "always".into(),
    );
    for step in 0..SCALE {
        let x = begin + 24.0 * step as f32;
        let (low, high) = (top + 27.0, top + 43.0);
        picture.shapes.push(Shape::Patch {
            points: vec![[x, low], [x + 24.0, low], [x + 24.0, high], [x, high]],
            fill: mixed(step as f32 / (SCALE - 1) as f32),
        });
    }
}
