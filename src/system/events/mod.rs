//! Event-driven model as a run: grains fly from one hard collision to the next.
//!
//! The engine ([`crate::collide::engine`]) handles the collisions and keeps the calendar of its flyers; the run loop lets it fly
//! to the next event of a source. This module keeps the energy balance, and writes the same records as any other run. Ticks do not touch
//! the engine's state, so that a log, or none, changes no bit.

mod apart;
mod driven;
mod figures;
mod population;
mod rows;
mod settling;
mod sheared;
mod spectrum;
mod start;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

pub use start::engine_setup;
pub(super) use start::no_start;

use super::frame::{self, Kind};
use super::meter::{self, MeterState, Seen};
use super::run_loop::Course;
use super::{CollapseName, EventLog, Outcome, Setup, SystemError, command, own, wear};
use crate::cluster::WearMap;
use crate::collide::engine::{Engine, Other, Stopped, WallTally};
use crate::control::Order;
use crate::event::EventKind;
use crate::geometry::{Dimension, Vector};
use crate::record::{EventRow, Sink};
use crate::walls::Motion;
use population::Population;
use spectrum::Spectrum;

/// Number of collisions after which the driver checks the clock and Ctrl-C.
const CHUNK: u64 = 200_000;
/// Number of collisions after which rows of events are handed over.
const LOGGED_CHUNK: u64 = 10_000;

/// State of a run besides the engine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
struct Tally<D: Dimension> {
    /// Kinetic and potential energy at the start, J.
    start: [f64; 2],
    /// Whether grains are still settling, before time 0.
    settling: bool,
    /// Number of calm checks in a row while settling.
    calm_looks: u32,
    /// Time of the last row of the series, s.
    last_row: f64,
    /// The largest error of the rows so far (`balance_error_max`).
    worst: f64,
    /// Sums of the walls at the last row.
    last_walls: Vec<WallTally<D>>,
    /// Collisions by their energy, where the setup asks for them.
    spectrum: Option<Spectrum>,
    /// Means of the pressure in a box that moves.
    means: Option<sheared::Means>,
    /// Wear of each wall by collisions, where the setup asks for it.
    wear: Vec<WearMap>,
}

impl<D: Dimension> Tally<D> {
    /// Creates the state when the balances of a run are opened.
    fn of(setup: &Setup<D>, engine: &Engine<D>) -> Self {
        let (motion, spin) = engine.kinetic();
        Tally {
            start: [motion + spin + engine.hidden(), engine.potential()],
            last_walls: engine.wall_tallies().to_vec(),
            means: Events::<D>::open_means(engine.time(), engine.flux().map(|flux| flux.total())),
            spectrum: (setup.log.impacts).then(|| Spectrum::new(setup.boundaries.len())),
            wear: match setup.log.wear {
                Some(_) => vec![WearMap::new(); setup.boundaries.len()],
                None => Vec::new(),
            },
            ..Tally::default()
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(bound = "")]
struct Saved<'a, D: Dimension> {
    ids: u64,
    /// Borrowed, not copied, to be saved: it is as large as the whole run.
    engine: Cow<'a, Engine<D>>,
    tally: Cow<'a, Tally<D>>,
    course: Cow<'a, Course>,
    meters: Cow<'a, MeterState>,
    population: Cow<'a, Population<D>>,
    /// Laws and fields of the calling program.
    own: Vec<String>,
}

/// An event-driven run.
#[derive(Debug)]
pub struct Events<D: Dimension> {
    setup: Setup<D>,
    engine: Engine<D>,
    tally: Tally<D>,
    course: Course,
    meters: MeterState,
    population: Population<D>,
}

impl<D: Dimension> Events<D> {
    /// Creates a run at its start, or resumes it from a saved state.
    ///
    /// # Errors
    /// A setup that the engine cannot take; a state of another run.
    pub fn new(mut setup: Setup<D>, state: Option<&[u8]>) -> Result<Self, SystemError> {
        let start = engine_setup(&setup).map_err(|(_, what)| SystemError::Setup(what))?;
        if let Some(state) = state {
            let saved: Saved<'_, D> = frame::take(Kind::Events, state)?;
            let meters = setup.sources.meters.len();
            own::check(&setup, &saved.own)?;
            command::adopt_all(&mut setup, &saved.course.journal.given)?;
            if saved.ids != setup.grains.len() as u64 || saved.meters.meters() != meters {
                return Err(SystemError::Saved("it belongs to another scenario".into()));
            }
            let course = saved.course.into_owned();
            for (order, time) in course.sources.standing() {
                if let Order::Slide(wall) = order {
                    set_slide(&mut setup, wall, time);
                }
            }
            let mut engine = saved.engine.into_owned();
            let fields = &setup.fields.place.own;
            if !fields.is_empty() {
                engine.bring_fields(fields);
            }
            return Ok(Events {
                setup,
                engine,
                tally: saved.tally.into_owned(),
                course,
                meters: saved.meters.into_owned(),
                population: saved.population.into_owned(),
            });
        }
        let engine = Engine::new(start)
            .map_err(|error| SystemError::Setup(no_start(&error, &setup.matter.materials)))?;
        let tally = Tally {
            settling: setup.run.settle.is_some(),
            ..Tally::of(&setup, &engine)
        };
        Ok(Events {
            course: Course::new(&setup),
            meters: MeterState::new(setup.sources.meters.len()),
            population: Population::new(&setup),
            setup,
            engine,
            tally,
        })
    }

    /// Returns the engine, for reading.
    pub fn engine(&self) -> &Engine<D> {
        &self.engine
    }

    fn save(&self) -> Result<Vec<u8>, SystemError> {
        let saved = Saved {
            ids: self.setup.grains.len() as u64,
            engine: Cow::Borrowed(&self.engine),
            tally: Cow::Borrowed(&self.tally),
            course: Cow::Borrowed(&self.course),
            meters: Cow::Borrowed(&self.meters),
            population: Cow::Borrowed(&self.population),
            own: own::names(&self.setup),
        };
        frame::put(Kind::Events, &saved)
    }

    /// Runs the engine until a time or for a number of collisions; the collisions to log go to
    /// the sink. Where means begin in the middle of the run it is marked on the way.
    fn fly(&mut self, until: f64, sink: &mut dyn Sink) -> Result<Stopped, SystemError> {
        if let Some(middle) = self.middle_before(until) {
            let stopped = self.fly_to(middle, sink)?;
            if stopped != Stopped::Until {
                return Ok(stopped);
            }
            self.mark_middle();
        }
        self.fly_to(until, sink)
    }

    fn fly_to(&mut self, until: f64, sink: &mut dyn Sink) -> Result<Stopped, SystemError> {
        let tally = self.engine.tally();
        let done = tally.collisions + tally.wall_hits;
        let logged = self.setup.log.events == EventLog::Links && !self.tally.settling;
        if !logged && self.tally.spectrum.is_none() && self.tally.wear.is_empty() {
            return Ok(self.engine.run(until, done + CHUNK));
        }
        let chunk = if logged { LOGGED_CHUNK } else { CHUNK };
        let (stopped, rows) =
            self.with_rows(|engine, noted| engine.run_with(until, done + chunk, noted));
        for row in &rows {
            sink.event(row)?;
        }
        Ok(stopped)
    }

    /// Calls `act` with the engine and an observer; returns the result of `act` and the rows that the observer made.
    fn with_rows<T>(
        &mut self,
        act: impl FnOnce(&mut Engine<D>, &mut rows::Noted<'_, D>) -> T,
    ) -> (T, Vec<EventRow>) {
        let logged = self.setup.log.events == EventLog::Links && !self.tally.settling;
        let mut noted = rows::Noted {
            setup: &self.setup,
            population: &self.population,
            spectrum: self.tally.spectrum.as_mut(),
            wear: &mut self.tally.wear,
            journal: logged.then_some(&mut self.course.journal),
            rows: Vec::new(),
        };
        let found = act(&mut self.engine, &mut noted);
        (found, noted.rows)
    }

    /// Updates the meters with the present positions of grains. This reads data that the engine has anyway: meters change no bit of a run.
    fn look_at_meters(&mut self) {
        if self.setup.sources.meters.is_empty() {
            return;
        }
        let seen: Vec<Seen<D>> = self
            .present()
            .map(|(place, grain)| Seen {
                id: grain.id,
                place: self.engine.moment(place).position,
                material: grain.material,
                form: grain.form,
                radius: grain.radius,
                mass: grain.mass,
            })
            .collect();
        meter::look(&self.setup, &mut self.meters, seen.into_iter());
    }

    /// Checks that every grain has a finite position and a finite energy.
    fn check_numbers(&self) -> Result<(), SystemError> {
        for (place, grain) in self.present() {
            let now = self.engine.moment(place);
            let (motion, spin) = (now.velocity.norm_squared(), D::spin_dot(now.spin, now.spin));
            if !(now.position.is_finite() && motion.is_finite() && spin.is_finite()) {
                return Err(SystemError::Numerical(format!(
                    "grain {} has no finite position or energy at {:.9} s, after {} collisions",
                    grain.id,
                    self.engine.time(),
                    now.collisions
                )));
            }
        }
        Ok(())
    }

    /// Writes the last row, at the end.
    fn log_last(&mut self, time: f64, sink: &mut dyn Sink) -> Result<(), SystemError> {
        if self.setup.log.series.is_some() && self.tally.last_row < time {
            let row = self.series_row(time);
            sink.series(&row)?;
        }
        Ok(())
    }

    /// Writes the row at which a run was interrupted, or failed. It changes nothing in the kept state.
    fn log_stop(&mut self, sink: &mut dyn Sink) -> Result<(), SystemError> {
        let kept = self.tally.clone();
        let logged = self.log_last(self.course.time, sink);
        self.tally = kept;
        logged
    }

    /// Ends the run.
    fn finish(
        &mut self,
        time: f64,
        outcome: Outcome,
        sink: &mut dyn Sink,
    ) -> Result<(), SystemError> {
        self.log_last(time, sink)?;
        self.course.over = Some(outcome);
        for row in self.tally.spectrum.iter().flat_map(Spectrum::rows) {
            sink.impact(&row)?;
        }
        wear::log_wear(&self.setup, &self.tally.wear, sink)?;
        self.log_finish(time, sink)
    }
}

/// Sets the time, s, at which a sliding wall started, for queries of its position.
fn set_slide<D: Dimension>(setup: &mut Setup<D>, wall: usize, time: f64) {
    if let Motion::Slide(slide) = &mut setup.boundaries[wall].motion {
        slide.from = Some(time);
    }
}

/// Describes, in words, why the engine stopped: a collapse, or a pair that would pass through each other.
fn told<D: Dimension>(stopped: Stopped, setup: &Setup<D>, population: &Population<D>) -> String {
    let name = |other: Other| match other {
        Other::Grain(place) => format!("grain {}", population.grain(setup, place as usize).id),
        Other::Wall(wall) => format!("the wall `{}`", setup.boundaries[wall as usize].name),
    };
    match stopped {
        Stopped::Collapse { grain, with, time } => format!(
            "at {time} s {} and {} would collide again within their contact time: they stay in touch, which hard collisions cannot tell; `events.collapse = \"elastic\"` goes on without loss; without [events], `run.collisions = true` lets grains collide in flight by their contact laws and follows contacts that last",
            name(Other::Grain(grain)),
            name(with)
        ),
        Stopped::Stuck {
            grain,
            with,
            time,
            collisions,
        } => {
            let lossless = setup.models.events.as_ref().is_some_and(|events| {
                events.collapse == CollapseName::Elastic && events.contact_time > 0.0
            });
            let advice = match lossless {
                true => {
                    "it is pressed from all sides, or nothing makes it part: leave it some room, or give a longer `events.contact_time`"
                }
                false => {
                    "give `events.contact_time` a value and let such pairs collide without loss (`events.collapse = \"elastic\"`)"
                }
            };
            format!(
                "at {time} s {} collided {collisions} times without any time going by, or so low that it lay still, at last with {}: inelastic collapse; {advice}, or leave [events] out: `run.collisions = true` lets grains collide in flight by their contact laws and follows contacts that last",
                name(Other::Grain(grain)),
                name(with)
            )
        }
        Stopped::PassThrough {
            grain,
            with,
            time,
            approach,
        } => format!(
            "at {time} s {} and {} approach with {approach} m/s: by their contact law they would pass through each other; it is too soft for such speeds",
            name(Other::Grain(grain)),
            name(Other::Grain(with))
        ),
        Stopped::Until | Stopped::Collisions => String::new(),
    }
}

/// Returns the numbers of events of the run by kind.
fn by_kind<D: Dimension>(events: &Events<D>) -> [u64; EventKind::ALL.len()] {
    let tally = events.engine.tally();
    let mut counts = [0; EventKind::ALL.len()];
    counts.copy_from_slice(events.course.journal.by_kind());
    for (kind, count) in [
        (EventKind::Collision, tally.collisions + tally.wall_hits),
        (
            EventKind::EndOfContact,
            tally.soft.ended + tally.soft.interrupted,
        ),
        (
            EventKind::PredictTrajectory,
            tally.work.stale + tally.work.looks + events.engine.pieces(),
        ),
        (EventKind::NeighborUpdate, tally.work.crossings),
    ] {
        counts[kind as usize] = count;
    }
    counts
}
