//! Reads the data of a report from a run's folder.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::film::{Film, Frames};
use crate::geometry::Dimension;
use crate::record::read::{self, Columns};
use crate::record::{RecordError, RunMeta, Summary};
use crate::scenario::{AnySetup, Scenario};
use crate::study::silo::Frictions;
use crate::system::{Setup, moving_part};
use crate::view::moving::Movers;

/// The data of a run for its report.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) dir: PathBuf,
    pub(super) summary: Summary,
    pub(super) meta: RunMeta,
    /// Description in the scenario.
    pub(super) description: String,
    pub(super) series: Columns,
    pub(super) film: Option<Film>,
    pub(super) frames: Option<Frames>,
    /// Data that only the scenario contains; none if it cannot be read any more.
    pub(super) given: Option<Given>,
}

/// Data that the scenario of a run contains and its records do not.
#[derive(Debug, Default)]
pub(super) struct Given {
    pub(super) gravity: [f64; 3],
    pub(super) friction: Option<Frictions>,
    /// Poses of moving walls at the times of the frames.
    pub(super) moving: Vec<Moving>,
    pub(super) quasi_static: bool,
    /// Planned end of a run in progress, s.
    pub(super) planned: Option<f64>,
}

impl Run {
    /// Reads a run, its film with about `most` bytes of text at most.
    pub(super) fn read(dir: &Path, most: usize) -> Result<Run, RecordError> {
        let summary = read::summary(dir)?;
        let meta = read::meta(dir)?;
        let series = read::series(dir)?;
        let (film, frames) = Film::of_run(dir, most)?.unzip();
        let times: Vec<f64> = frames
            .iter()
            .flat_map(|f: &Frames| &f.frames)
            .map(|f| f.time)
            .collect();
        let text = read::scenario(dir)?;
        let table: toml::Table = text.parse().unwrap_or_default();
        let description = table.get("description").and_then(|d| d.as_str());
        Ok(Run {
            dir: dir.to_path_buf(),
            summary,
            meta,
            description: description.unwrap_or_default().into(),
            film,
            frames,
            given: given(dir, &text, &times, &series),
            series,
        })
    }

    /// Returns a column of the series as real numbers; empty if there is no such column.
    pub(super) fn column(&self, name: &str) -> Vec<f64> {
        match self.series.get(name) {
            Some(read::Values::Floats(values)) => values.clone(),
            Some(read::Values::Integers(values)) => {
                let real = |v: &Option<i64>| v.map_or(f64::NAN, |v| v as f64);
                values.iter().map(real).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// Reads the scenario. It is self-contained, so that reading it fails only if the program has changed since; the
/// report then omits this data.
fn given(dir: &Path, text: &str, times: &[f64], series: &Columns) -> Option<Given> {
    let scenario = Scenario::parse("scenario.toml", text, Some(dir), &[]).ok()?;
    Some(match scenario.resolve().ok()?.setup {
        AnySetup::Planar(setup) => of_setup(setup, times, series),
        AnySetup::Spatial(setup) => of_setup(setup, times, series),
    })
}

fn of_setup<D: Dimension>(setup: Setup<D>, times: &[f64], series: &Columns) -> Given {
    let grain = setup.grains.first().map(|grain| grain.material);
    let wall = setup.boundaries.first().map(|wall| wall.material);
    let friction = |a, b| {
        let law = setup.matter.laws.get(a, b)?;
        Some(law.stiffness(0.0, 0.0).friction)
    };
    Given {
        gravity: std::array::from_fn(|k| {
            if k < D::N {
                setup.fields.gravity[k]
            } else {
                0.0
            }
        }),
        friction: grain.zip(wall).and_then(|(grain, wall)| {
            Some(Frictions {
                wall: friction(grain, wall)?,
                grain: friction(grain, grain)?,
            })
        }),
        quasi_static: setup.models.quasi_static.is_some() && moving_part(&setup).is_none(),
        planned: None,
        moving: Moving::along(&Movers::of(setup.boundaries, Some(series)), times, D::N),
    }
}

/// A moving wall.
#[derive(Debug, Serialize)]
pub(super) struct Moving {
    name: String,
    /// For each frame an affine map from the wall's initial position to its current one: three rows of four numbers,
    /// or two of three in the plane.
    poses: Vec<Vec<f32>>,
}

impl Moving {
    /// Returns a wall without poses.
    pub(super) fn new(name: &str) -> Moving {
        Moving {
            name: name.to_owned(),
            poses: Vec::new(),
        }
    }

    /// Returns the poses of all moving walls at these times.
    pub(super) fn along(movers: &Movers, times: &[f64], dimensions: usize) -> Vec<Moving> {
        let mut all: Vec<Moving> = Vec::new();
        for (frame, &time) in times.iter().enumerate() {
            for (index, (name, rows)) in movers.at(time).enumerate() {
                if frame == 0 {
                    all.push(Moving::new(name));
                }
                let row = |row: &[f64; 4]| [&row[..dimensions], &row[3..]].concat();
                let rows = rows[..dimensions].iter().flat_map(row);
                all[index].poses.push(rows.map(|x| x as f32).collect());
            }
        }
        all
    }
}
