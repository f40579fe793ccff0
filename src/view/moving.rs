//! Placement of moving walls at the time of a picture or frame.

use std::path::Path;

use crate::geometry::{Dimension, Vector};
use crate::record::read::{self, Columns, Values};
use crate::record::{RecordError, RunMeta, WallDrawing};
use crate::scenario::{AnySetup, Scenario};
use crate::walls::{Boundary, Motion};

/// An affine map from a wall as drawn to its current position: rows of a rotation and a shift, m.
pub(super) type Placement = [[f64; 4]; 3];

/// A moving wall.
struct Mover {
    name: String,
    placement: Box<dyn Fn(f64) -> Placement + Send>,
}

/// The moving walls of a run; drawings show them at their position at time 0.
#[derive(Default)]
pub(super) struct Movers(Vec<Mover>);

impl Movers {
    /// Reads the walls of a run in a folder. Its scenario is self-contained, so that reading it fails only if the
    /// program has changed since; walls are then drawn fixed.
    ///
    /// # Errors
    /// The scenario was changed after the run had ended, or cannot be read.
    pub(super) fn read(dir: &Path) -> Result<Movers, RecordError> {
        let text = read::scenario(dir)?;
        Ok(Self::of_scenario(dir, &text).unwrap_or_default())
    }

    fn of_scenario(dir: &Path, text: &str) -> Option<Movers> {
        let scenario = Scenario::parse("scenario.toml", text, Some(dir), &[]).ok()?;
        let walls = &scenario.spec().boundary;
        let moves = walls.iter().any(|wall| wall.motion.is_some());
        if !moves && scenario.spec().control.is_empty() {
            return None;
        }
        let series = read::series(dir).ok();
        Some(match scenario.resolve().ok()?.setup {
            AnySetup::Planar(setup) => Self::of(setup.boundaries, series.as_ref()),
            AnySetup::Spatial(setup) => Self::of(setup.boundaries, series.as_ref()),
        })
    }

    /// Selects the moving ones of these boundaries; displacements computed by the run are in the series.
    pub(super) fn of<D: Dimension>(
        boundaries: Vec<Boundary<D>>,
        series: Option<&Columns>,
    ) -> Movers {
        let moving = boundaries
            .into_iter()
            .filter(|wall| !wall.motion.is_fixed());
        let mover = |wall: Boundary<D>| Mover {
            name: wall.name.clone(),
            placement: match (&wall.motion, series) {
                (Motion::Guided(_) | Motion::Slide(_), Some(series)) => {
                    match Recorded::of(&wall, series) {
                        Some(way) => Box::new(move |time| way.placement(time)),
                        None => Box::new(move |time| placement(&wall, time)),
                    }
                }
                _ => Box::new(move |time| placement(&wall, time)),
            },
        };
        Movers(moving.map(mover).collect())
    }

    /// Returns name and placement of each at a time, s.
    pub(super) fn at(&self, time: f64) -> impl Iterator<Item = (&str, Placement)> {
        self.0
            .iter()
            .map(move |mover| (mover.name.as_str(), (mover.placement)(time)))
    }

    /// Returns the description of the run, with the walls at their positions at a time, s.
    pub(super) fn moved(&self, meta: &RunMeta, time: f64) -> RunMeta {
        let mut meta = meta.clone();
        for (name, rows) in self.at(time) {
            let drawn = |wall: &&mut WallDrawing| wall.name == name;
            for point in meta
                .walls
                .iter_mut()
                .filter(drawn)
                .flat_map(|w| &mut w.points)
            {
                let [x, y, z] = *point;
                *point = rows.map(|[a, b, c, shift]| a * x + b * y + c * z + shift);
            }
        }
        meta
    }
}

/// Recorded displacement of a wall whose motion the run computed: linear between the rows of the series.
struct Recorded {
    times: Vec<f64>,
    shifts: Vec<[f64; 3]>,
}

impl Recorded {
    fn of<D: Dimension>(wall: &Boundary<D>, series: &Columns) -> Option<Recorded> {
        let column = |name: &str| match series.get(name) {
            Some(Values::Floats(values)) => Some(values),
            _ => None,
        };
        let times = column("time")?.clone();
        let mut shifts = vec![[0.0; 3]; times.len()];
        for (k, axis) in ["x", "y", "z"][..D::N].iter().enumerate() {
            let values = column(&format!("wall_{}_shift_{axis}", wall.name))?;
            for (shift, value) in shifts.iter_mut().zip(values) {
                shift[k] = *value;
            }
        }
        (!times.is_empty()).then_some(Recorded { times, shifts })
    }

    fn placement(&self, time: f64) -> Placement {
        let after = self.times.partition_point(|&t| t < time);
        let last = self.times.len() - 1;
        let (before, after) = (after.saturating_sub(1), after.min(last));
        let span = self.times[after] - self.times[before];
        let share = if span > 0.0 {
            ((time - self.times[before]) / span).clamp(0.0, 1.0)
        } else {
            0.0
        };
        let (from, to) = (self.shifts[before], self.shifts[after]);
        std::array::from_fn(|row| {
            let mut placed = [0.0; 4];
            placed[row] = 1.0;
            placed[3] = from[row] + share * (to[row] - from[row]);
            placed
        })
    }
}

/// Returns the placement of a wall at a time, relative to its drawing.
fn placement<D: Dimension>(wall: &Boundary<D>, time: f64) -> Placement {
    let (then, now) = (wall.motion.pose(0.0), wall.motion.pose(time));
    let moved = |x: D::Vector| now.to_world(then.to_frame(x));
    let origin = moved(D::Vector::from_fn(|_| 0.0));
    let mut rows = [[0.0; 4]; 3];
    for row in 0..D::N {
        for column in 0..D::N {
            let axis = D::Vector::from_fn(|k| f64::from(u8::from(k == column)));
            rows[row][column] = moved(axis)[row] - origin[row];
        }
        rows[row][3] = origin[row];
    }
    rows
}
