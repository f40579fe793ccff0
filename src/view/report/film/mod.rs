//! The animation of a run: its snapshots, packed small enough to be embedded in a page.
//!
//! `gather` reads the snapshots into compact frames; `pack` rounds them to whole numbers, keeps the changes from
//! frame to frame, and deflates chunks of frames, each readable without the others, so that a page opens before it
//! has unpacked all of them. `player.js` is the inverse of `pack`.

mod gather;
mod pack;

use std::path::Path;

use serde::Serialize;

use crate::record::RecordError;
use crate::view::camera::Extent;

pub(super) use gather::{Frame, Frames};

/// Factor by which base64 enlarges bytes.
const TEXT_PER_BYTE: f64 = 4.0 / 3.0;

/// A film, ready for a page.
#[derive(Debug)]
pub(super) struct Film {
    /// Data that the player needs before it unpacks anything.
    pub(super) head: Head,
    /// Deflated chunks: the grains' constants first, then frames.
    pub(super) chunks: Vec<Vec<u8>>,
}

/// Data that the player needs before it unpacks anything. Lengths in m, times in s.
#[derive(Debug, Serialize)]
pub(in crate::view::report) struct Head {
    dimensions: usize,
    /// Number of all grains in any frame.
    grains: usize,
    boundaries: Vec<String>,
    /// Time of each frame.
    times: Vec<f64>,
    /// Number of grains in each frame.
    counts: Vec<usize>,
    /// First frame of each chunk.
    starts: Vec<usize>,
    /// Box shown first.
    view: [[f64; 3]; 2],
    periodic: [Option<[f64; 2]>; 3],
    scale: Scale,
    shapes: Vec<crate::record::GrainShape>,
    mean_radius: f64,
}

/// Parameters that convert whole numbers back to quantities.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Scale {
    /// Position 0 and the step of positions, m; bytes of a position.
    origin: [f64; 3],
    step: f64,
    position: usize,
    /// Bytes of an angle, of a quantity stored by its root (velocity, spin, force), and of a grain's number.
    angle: usize,
    root: usize,
    number: usize,
    /// Greatest velocity component (m/s), spin (rad/s) and force (N); greater ones are drawn as these.
    velocity: f64,
    spin: f64,
    force: f64,
    /// A strong force (N), drawn as the widest line.
    strong: f64,
}

/// Precision of a packed film.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grade {
    /// Position steps per least radius.
    per_radius: f64,
    /// Bytes of a quantity stored by its root.
    root: usize,
    /// Bytes of an angle.
    angle: usize,
}

/// Grades, the finest first.
const GRADES: [Grade; 2] = [
    Grade {
        per_radius: 500.0,
        root: 2,
        angle: 2,
    },
    Grade {
        per_radius: 40.0,
        root: 1,
        angle: 1,
    },
];

impl Film {
    /// Returns the film of a run, with about `most` bytes of text at most; of a longer one only every second, third,
    /// ... snapshot is kept. None if there is no snapshot.
    pub(super) fn of_run(dir: &Path, most: usize) -> Result<Option<(Film, Frames)>, RecordError> {
        let mut frames = Frames::read(dir)?;
        if frames.frames.is_empty() {
            return Ok(None);
        }
        let mut film = Film::pack(&frames, GRADES[0], 0);
        if film.text() > most {
            film = Film::pack(&frames, GRADES[1], 0);
        }
        while film.text() > most && frames.frames.len() > 2 {
            let every = (film.text() as f64 / most as f64).ceil().max(2.0) as usize;
            frames.thin(every);
            film = Film::pack(&frames, GRADES[1], 0);
        }
        Ok(Some((film, frames)))
    }

    /// Returns the box shown first.
    pub(super) fn view(&self) -> [[f64; 3]; 2] {
        self.head.view
    }

    /// Returns the number of bytes of the page that the film uses.
    pub(super) fn text(&self) -> usize {
        let bytes: usize = self.chunks.iter().map(Vec::len).sum();
        (bytes as f64 * TEXT_PER_BYTE) as usize
    }

    /// Returns a film of these frames at the finest grade, with the constants only of the grains from index `from`
    /// on: a part of a longer film.
    pub(super) fn part(frames: &Frames, from: usize) -> Film {
        Film::pack(frames, GRADES[0], from)
    }

    fn pack(frames: &Frames, grade: Grade, from: usize) -> Film {
        let (scale, starts, chunks) = pack::pack(frames, grade, from);
        Film {
            head: Head {
                dimensions: frames.meta.dimensions,
                grains: frames.grains.len(),
                boundaries: frames.meta.boundaries.clone(),
                times: frames.frames.iter().map(|f| f.time).collect(),
                counts: frames.frames.iter().map(|f| f.grains.len()).collect(),
                starts,
                view: view(frames),
                periodic: frames.meta.periodic,
                scale,
                shapes: frames.meta.shapes.clone(),
                mean_radius: frames.mean_radius(),
            },
            chunks,
        }
    }
}

/// Number of coordinates sampled to find where most grains are.
const SAMPLE: usize = 400_000;
/// Fraction of them that may lie outside at either end: grains thrown far away.
const FAR: f64 = 0.002;

/// Returns the box shown first: it contains the walls, the first frame, and nearly all positions of grains.
fn view(frames: &Frames) -> [[f64; 3]; 2] {
    let total: usize = frames.frames.iter().map(|f| f.grains.len()).sum();
    let every = (total / SAMPLE).max(1);
    let radius = frames.mean_radius();
    let mut held = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
    for axis in 0..frames.meta.dimensions {
        let all = frames.frames.iter().flat_map(|f| &f.grains);
        let mut places: Vec<f32> = all
            .step_by(every)
            .map(|g| g.position[axis])
            .filter(|x| x.is_finite())
            .collect();
        places.sort_by(f32::total_cmp);
        let Some(last) = places.len().checked_sub(1) else {
            continue;
        };
        let cut = (FAR * last as f64) as usize;
        held[0][axis] = f64::from(places[cut]) - radius;
        held[1][axis] = f64::from(places[last - cut]) + radius;
        let first = frames.frames.first().into_iter().flat_map(|f| &f.grains);
        for grain in first.filter(|g| g.position[axis].is_finite()) {
            let x = f64::from(grain.position[axis]);
            held[0][axis] = held[0][axis].min(x - radius);
            held[1][axis] = held[1][axis].max(x + radius);
        }
    }
    // As in pictures, for each pair of axes: walls that reach far beyond the grains are cropped.
    let mut around = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
    let walls = frames.meta.walls.iter().filter(|wall| !wall.endless);
    for point in walls.flat_map(|wall| &wall.points) {
        for axis in 0..3 {
            around[0][axis] = around[0][axis].min(point[axis]);
            around[1][axis] = around[1][axis].max(point[axis]);
        }
    }
    let pair = |both: &[[f64; 3]; 2], a: usize, b: usize| Extent {
        min: [both[0][a], both[0][b]],
        max: [both[1][a], both[1][b]],
    };
    let across = Extent::joined(pair(&held, 0, 1), pair(&around, 0, 1));
    let mut view = [[0.0; 3]; 2];
    for axis in 0..2 {
        view[0][axis] = across.min[axis];
        view[1][axis] = across.max[axis];
    }
    if frames.meta.dimensions == 3 {
        let upright = Extent::joined(pair(&held, 0, 2), pair(&around, 0, 2));
        (view[0][2], view[1][2]) = (upright.min[1], upright.max[1]);
    }
    for axis in 0..3 {
        if !(view[0][axis].is_finite() && view[1][axis].is_finite()) {
            (view[0][axis], view[1][axis]) = (-1.0, 1.0);
        }
    }
    view
}
