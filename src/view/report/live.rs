//! The page of a run in progress: records of the run are kept here, packed small, until the page requests them. The
//! caller serves the page (the program does, over loopback).

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;

use super::film::{Film, Frames, Head};
use super::run::{Given, Moving, Run};
use super::{page, plots};
use crate::event::EventKind;
use crate::geometry::Dimension;
use crate::record::read::Columns;
use crate::record::{
    AvalancheRow, Discharge, EventRow, GrainFigures, GrainRow, ImpactRow, Jam, LinkRow,
    RecordError, RunMeta, SeriesRow, Sink, Summary, WearRow, ZoneRow,
};
use crate::system::{Progress, Setup, moving_part};
use crate::view::colour::Layers;
use crate::view::moving::Movers;

/// Limit on the grains times frames of a part: frames that have not been requested are packed when they reach it.
const PART: usize = 60_000;
/// Limit on the rows of the series kept: of a longer one every second, fourth, ... row is kept.
const ROWS: usize = 2_048;
/// Packed bytes after which only every second snapshot is used, after twice as many every fourth, and so on.
const MOST: usize = 64_000_000;
/// Approximate limit on the bytes of parts in one answer.
const ANSWER: usize = 2_000_000;

/// A run in progress: its sink adds records, a page requests them.
#[derive(Debug)]
pub struct Live {
    dir: PathBuf,
    description: String,
    started: Instant,
    inner: Mutex<Inner>,
}

/// Finds the moving walls from the series so far.
type MoversOf = Box<dyn Fn(&Columns) -> Movers + Send>;

struct Inner {
    about: About,
    reel: Reel,
    rows: Rows,
    /// Progress that the driver reported last: simulated time (s) and number of grains.
    progress: Option<(f64, usize)>,
    summary: Summary,
    ended: bool,
    /// Whether a page has received the end of the film, and the final figures.
    seen: [bool; 2],
}

/// Properties that do not change during the run.
struct About {
    gravity: [f64; 3],
    quasi_static: bool,
    finish: f64,
    resumed: bool,
    movers: Option<MoversOf>,
}

/// The film so far.
struct Reel {
    /// Frames not packed yet, and the constants of all grains so far.
    frames: Frames,
    /// Number of grains whose constants are in a part.
    told: usize,
    layers: Layers,
    /// Packed parts, as JSON.
    parts: Vec<String>,
    /// Total size of the parts, bytes.
    bytes: usize,
    snapshots: usize,
}

/// The series so far, thinned.
#[derive(Default)]
struct Rows {
    kept: Vec<SeriesRow>,
    last: Option<SeriesRow>,
    /// One of this many rows is kept.
    every: usize,
    /// Number of rows so far.
    count: usize,
    /// Time (s), events and discharged grains of the first row.
    first: Option<(f64, u64, u64)>,
    /// Times at which the first and the last grain left, s.
    left: Option<[f64; 2]>,
}

impl std::fmt::Debug for Inner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Inner")
            .field("parts", &self.reel.parts.len())
            .finish_non_exhaustive()
    }
}

/// A part of the film, as sent to the page.
#[derive(Serialize)]
struct Part<'a> {
    head: &'a Head,
    /// Constants of new grains first, then frames; in base64.
    chunks: Vec<String>,
    moving: Vec<Moving>,
}

/// Contents of the page beside its film.
#[derive(Serialize)]
struct State {
    ended: bool,
    status: &'static str,
    words: String,
    tiles: String,
    warnings: String,
    plots: String,
    data: String,
    jams: Vec<Jam>,
}

impl Live {
    /// Returns the state of a run that is about to begin, writing into this folder.
    ///
    /// `description` is the scenario's description; `resumed` says whether the run was begun before.
    pub fn new<D: Dimension>(
        dir: &Path,
        setup: &Setup<D>,
        mut meta: RunMeta,
        name: &str,
        description: &str,
        resumed: bool,
    ) -> Live {
        // As in a folder: walls only serve pictures, and JSON has no infinities.
        meta.walls
            .retain(|w| w.points.as_flattened().iter().all(|x| x.is_finite()));
        let walls = setup.boundaries.clone();
        let moves = walls.iter().any(|wall| !wall.motion.is_fixed());
        let movers: MoversOf = Box::new(move |series| Movers::of(walls.clone(), Some(series)));
        Live {
            dir: dir.to_path_buf(),
            description: description.into(),
            started: Instant::now(),
            inner: Mutex::new(Inner {
                about: About {
                    gravity: std::array::from_fn(|k| {
                        if k < D::N {
                            setup.fields.gravity[k]
                        } else {
                            0.0
                        }
                    }),
                    quasi_static: setup.models.quasi_static.is_some()
                        && moving_part(setup).is_none(),
                    finish: setup.run.end_time,
                    resumed,
                    movers: moves.then_some(movers),
                },
                reel: Reel {
                    frames: Frames::none(meta),
                    told: 0,
                    layers: Layers::default(),
                    parts: Vec::new(),
                    bytes: 0,
                    snapshots: 0,
                },
                rows: Rows {
                    every: 1,
                    ..Rows::default()
                },
                progress: None,
                summary: Summary {
                    arenite: env!("CARGO_PKG_VERSION").into(),
                    scenario: name.into(),
                    seed: setup.seed,
                    grains: GrainFigures {
                        initial: setup.grains.len() as u64,
                        ..GrainFigures::default()
                    },
                    ..Summary::default()
                },
                ended: false,
                seen: [false; 2],
            }),
        }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        // The state is consistent even if a thread panicked: each change is complete.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the page.
    ///
    /// # Errors
    /// None in practice: the contents of the page can be serialized.
    pub fn page(&self) -> Result<String, RecordError> {
        let inner = self.inner();
        let none = Frames::none(inner.reel.frames.meta.clone());
        let film = Film::part(&none, 0);
        let run = Run {
            film: Some(film),
            ..self.run(&inner)
        };
        drop(inner);
        page::page(&run, &[], &[], page::Kind::Live)
    }

    /// Returns the parts of the film from a number on, as JSON: `{"next": number to request next, "more": whether
    /// more parts are ready, "ended": ..., "parts": [...]}`.
    pub fn parts(&self, from: usize) -> String {
        let mut inner = self.inner();
        inner.seal();
        let from = from.min(inner.reel.parts.len());
        let held = &inner.reel.parts[from..];
        let mut text = String::new();
        let mut count = 0;
        for part in held {
            if count > 0 {
                if text.len() + part.len() > ANSWER {
                    break;
                }
                text.push(',');
            }
            text += part;
            count += 1;
        }
        let more = count < held.len();
        inner.seen[0] |= inner.ended && !more;
        format!(
            "{{\"next\":{},\"more\":{more},\"ended\":{},\"parts\":[{text}]}}",
            from + count,
            inner.ended && !more
        )
    }

    /// Returns the contents beside the film, as JSON.
    ///
    /// # Errors
    /// A table of an older run in the folder that cannot be read.
    pub fn state(&self) -> Result<String, RecordError> {
        let mut inner = self.inner();
        let run = self.run(&inner);
        let ended = inner.ended;
        inner.seen[1] |= ended;
        // Drawing takes a while; the run must not wait for it.
        drop(inner);
        let plots = plots::plots(&run)?;
        let (status, words) = page::status(
            &run,
            if ended {
                page::Kind::Report
            } else {
                page::Kind::Live
            },
        );
        page::json(&State {
            ended,
            status,
            words,
            tiles: page::tiles(&run),
            warnings: page::warnings(&run),
            plots: plots.iter().map(page::figure).collect(),
            data: page::tables_of(&plots)?,
            jams: run.summary.jams,
        })
    }

    /// Reports the progress of the run.
    pub fn progress(&self, progress: &Progress) {
        self.inner().progress = Some((progress.time, progress.grains));
    }

    /// Reports the end of the run.
    pub fn end(&self, summary: &Summary) {
        let mut inner = self.inner();
        inner.summary = summary.clone();
        inner.ended = true;
    }

    /// Whether a page has received the end.
    pub fn seen_to_the_end(&self) -> bool {
        self.inner().seen == [true; 2]
    }

    fn run(&self, inner: &Inner) -> Run {
        let series = inner.columns();
        let meta = inner.reel.frames.meta.clone();
        let mut summary = inner.summary.clone();
        if !inner.ended {
            summary.time.wall = self.started.elapsed().as_secs_f64();
            inner.so_far(&mut summary);
        }
        let names = inner
            .about
            .movers
            .as_ref()
            .map(|movers| movers(&Columns::default()));
        let moving = names.iter().flat_map(|movers| movers.at(0.0));
        Run {
            dir: self.dir.clone(),
            description: self.description.clone(),
            series,
            film: None,
            frames: None,
            given: Some(Given {
                gravity: inner.about.gravity,
                friction: None,
                quasi_static: inner.about.quasi_static,
                planned: Some(inner.about.finish),
                moving: moving.map(|(name, _)| Moving::new(name)).collect(),
            }),
            summary,
            meta,
        }
    }
}

impl Inner {
    /// Returns the kept rows and the last one, as a table.
    fn columns(&self) -> Columns {
        let newest = self.rows.kept.last().map(|row| row.time);
        let last = self
            .rows
            .last
            .iter()
            .filter(|last| newest < Some(last.time));
        let rows: Vec<SeriesRow> = self.rows.kept.iter().chain(last).cloned().collect();
        Columns::of_series(&rows, &self.reel.frames.meta)
    }

    /// Packs the frames added since the last part.
    fn seal(&mut self) {
        if self.reel.frames.frames.is_empty() {
            return;
        }
        self.reel.frames.dye(&self.reel.layers, self.reel.told);
        let film = Film::part(&self.reel.frames, self.reel.told);
        let times: Vec<f64> = self.reel.frames.frames.iter().map(|f| f.time).collect();
        let moving = match &self.about.movers {
            Some(movers) => Moving::along(
                &movers(&self.columns()),
                &times,
                self.reel.frames.meta.dimensions,
            ),
            None => Vec::new(),
        };
        let part = Part {
            head: &film.head,
            chunks: film
                .chunks
                .iter()
                .map(|chunk| STANDARD.encode(chunk))
                .collect(),
            moving,
        };
        // Serializing names and numbers cannot fail.
        let text = page::json(&part).unwrap_or_default();
        self.reel.told = self.reel.frames.grains.len();
        self.reel.frames.frames.clear();
        self.reel.bytes += text.len();
        self.reel.parts.push(text);
    }

    /// Fills in the figures of a run in progress from the last row of its series.
    fn so_far(&self, summary: &mut Summary) {
        let Some(row) = &self.rows.last else {
            // There are no rows while grains settle.
            let (time, grains) = self.progress.unwrap_or_default();
            summary.time.simulated = time;
            summary.grains.initial = grains as u64;
            summary.grains.last = grains as u64;
            return;
        };
        summary.time.simulated = row.time;
        summary.events.total = row.events.iter().sum();
        // A resumed run has a past that this page does not know.
        let (since, before, gone) = self.rows.first.unwrap_or((row.time, 0, 0));
        if self.about.resumed {
            summary.warnings.push(format!(
                "This page shows what came since {} s, when it was taken up.",
                plots::three(since)
            ));
        }
        let events = summary.events.total.saturating_sub(before) as f64;
        summary.events.per_wall_second = events / summary.time.wall.max(1e-9);
        if row.time > since {
            summary.events.per_virtual_second = events / (row.time - since);
        }
        let grains = &mut summary.grains;
        grains.last = row.grains;
        grains.removed = row.discharged;
        grains.created = (row.grains + row.discharged).saturating_sub(grains.initial);
        let energy = &mut summary.energy;
        (energy.kinetic, energy.potential, energy.elastic) =
            (row.kinetic, row.potential, row.elastic);
        energy.balance_error = row.balance_error;
        summary.work.collisions = row.collisions.iter().sum();
        summary.discharge = self.rows.left.map(|[first, last]| Discharge {
            count: row.discharged - gone,
            mean_rate: match last > first {
                true => (row.discharged - gone).saturating_sub(1) as f64 / (last - first),
                false => 0.0,
            },
            first,
            last,
        });
    }

    fn snapshot(&mut self, grains: &[GrainRow], links: &[LinkRow]) {
        let Some(time) = grains.first().map(|g| g.time) else {
            return;
        };
        // Layers are those of the bed at the start, as known when grains are first sent.
        if self.reel.told == 0 {
            self.reel.layers = self.reel.frames.layers(grains);
        }
        let every = 1_usize << (self.reel.bytes / MOST).min(30);
        let wanted = self.reel.snapshots.is_multiple_of(every);
        self.reel.snapshots += 1;
        if !wanted {
            return;
        }
        self.reel.frames.take(time, grains, links);
        let held: usize = self.reel.frames.frames.iter().map(|f| f.grains.len()).sum();
        if held >= PART {
            self.seal();
        }
    }
}

impl Rows {
    fn add(&mut self, row: &SeriesRow) {
        let sum = row.events.iter().sum();
        let before = self
            .last
            .as_ref()
            .map_or(row.discharged, |last| last.discharged);
        if row.discharged > before {
            let first = self.left.map_or(row.time, |[first, _]| first);
            self.left = Some([first, row.time]);
        }
        if self.first.is_none() {
            self.first = Some((row.time, sum, row.discharged));
        }
        if self.count.is_multiple_of(self.every) {
            self.kept.push(row.clone());
        }
        self.count += 1;
        self.last = Some(row.clone());
        if self.kept.len() > ROWS {
            let mut k = 0;
            self.kept.retain(|_| {
                k += 1;
                k % 2 == 1
            });
            self.every *= 2;
        }
    }
}

/// A sink that passes all records to another one, and to the page of the run.
pub struct Shown<'a> {
    /// The sink that receives all records.
    pub sink: &'a mut dyn Sink,
    /// The page's state.
    pub live: &'a Live,
}

impl std::fmt::Debug for Shown<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shown").finish_non_exhaustive()
    }
}

impl Sink for Shown<'_> {
    fn event(&mut self, row: &EventRow) -> Result<(), RecordError> {
        if row.kind == EventKind::Jam {
            let jam = Jam {
                time: row.time,
                ..Jam::default()
            };
            self.live.inner().summary.jams.push(jam);
        }
        self.sink.event(row)
    }

    fn series(&mut self, row: &SeriesRow) -> Result<(), RecordError> {
        self.live.inner().rows.add(row);
        self.sink.series(row)
    }

    fn snapshot(&mut self, grains: &[GrainRow], links: &[LinkRow]) -> Result<(), RecordError> {
        self.live.inner().snapshot(grains, links);
        self.sink.snapshot(grains, links)
    }

    fn avalanche(&mut self, row: &AvalancheRow) -> Result<(), RecordError> {
        self.sink.avalanche(row)
    }

    fn zone(&mut self, row: &ZoneRow) -> Result<(), RecordError> {
        self.sink.zone(row)
    }

    fn impact(&mut self, row: &ImpactRow) -> Result<(), RecordError> {
        self.sink.impact(row)
    }

    fn wear(&mut self, row: &WearRow) -> Result<(), RecordError> {
        self.sink.wear(row)
    }

    fn checkpoint(&mut self, state: &[u8]) -> Result<(), RecordError> {
        self.sink.checkpoint(state)
    }
}
