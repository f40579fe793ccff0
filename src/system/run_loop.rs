//! Common loop of all runs: the first source in the queue acts, until the run is over (thesis 5.3).

use serde::{Deserialize, Serialize};

use super::journal::Journal;
use super::schedule::{Due, Schedule, Source};
use super::source::{EventSource, Order, Sight, Sources};
use super::watch::{TURN, Watch};
use super::{Control, Outcome, Progress, Setup, SystemError};
use crate::body::Formed;
use crate::event::EventKind;
use crate::geometry::Dimension;
use crate::record::Sink;

/// Progress of a run, for models that keep nothing else of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Course {
    pub schedule: Schedule,
    pub sources: Sources,
    pub journal: Journal,
    /// Warnings about the run.
    pub warnings: Vec<String>,
    /// Outcome of the run, if it is over.
    pub over: Option<Outcome>,
    /// Time up to which all events are handled, s.
    pub time: f64,
    /// Wall time spent in this process, s.
    #[serde(skip)]
    pub wall_seconds: f64,
}

impl Course {
    /// Creates the progress at the start of a setup.
    pub fn new<D: Dimension>(setup: &Setup<D>) -> Self {
        Self {
            schedule: Schedule::default(),
            sources: Sources::new(setup),
            journal: Journal::default(),
            warnings: Vec::new(),
            over: None,
            time: 0.0,
            wall_seconds: 0.0,
        }
    }

    /// Schedules the first event of each source, unless the run has begun; returns whether it begins.
    pub fn start<D: Formed>(&mut self, setup: &Setup<D>) -> bool {
        let begins = self.schedule.first().is_none() && self.over.is_none();
        if begins {
            for (source, turn) in self.sources.first(setup) {
                self.schedule.set(source, turn.time, turn.kind);
            }
        }
        begins
    }
}

/// A model that the loop drives: a world with the models that move it, and the queue of all that acts on it.
pub(super) trait Driven<D: Formed>: Sight<D> + Sized {
    /// Returns the queue and all sources.
    fn queue(&mut self) -> (&mut Schedule, &mut Sources);

    /// Schedules the first events, unless the run has begun.
    ///
    /// # Errors
    /// A record that cannot be written.
    fn start(&mut self, sink: &mut dyn Sink) -> Result<(), SystemError>;

    /// Advances the model by itself up to the next event of a source, or until the clock is to be checked; returns whether there was
    /// anything to do.
    ///
    /// # Errors
    /// A record that cannot be written, or a state from which no run goes on.
    fn go_on(
        &mut self,
        watch: &mut Watch<'_, '_>,
        sink: &mut dyn Sink,
    ) -> Result<bool, SystemError>;

    /// Prepares the event of a source; the model is at its own last state before it.
    ///
    /// # Errors
    /// A state from which no run goes on.
    fn before(&mut self, due: Due) -> Result<(), SystemError>;

    /// Executes, books and logs what a source orders at its event.
    ///
    /// # Errors
    /// As [`Driven::go_on`].
    fn carry_out(
        &mut self,
        order: Order<D>,
        due: Due,
        sink: &mut dyn Sink,
    ) -> Result<(), SystemError>;

    /// Completes the event of a source.
    ///
    /// # Errors
    /// As [`Driven::go_on`].
    fn after(&mut self, due: Due, sink: &mut dyn Sink) -> Result<(), SystemError>;

    /// Returns the outcome of the run, if it is over.
    fn over(&self) -> Option<Outcome>;

    /// Returns the progress of the run.
    fn progress(&self) -> Progress;

    /// Saves the state, and writes a last row for a run that was stopped from outside.
    ///
    /// # Errors
    /// A record that cannot be written.
    fn interrupt(&mut self, sink: &mut dyn Sink) -> Result<(), SystemError>;

    /// Writes a last row for a run that failed, as long as its numbers are finite.
    ///
    /// # Errors
    /// A record that cannot be written.
    fn went_wrong(&mut self, error: &SystemError, sink: &mut dyn Sink) -> Result<(), SystemError>;

    /// Adds time that the loop has spent on the clock, s.
    fn spent(&mut self, seconds: f64);

    /// Stops at a time (s), up to which all events are handled, for the caller to observe the run. The run may have been there before.
    fn pause(&mut self, time: f64);
}

/// Runs to the finish, an interruption or an error.
///
/// # Errors
/// A record that cannot be written, or a state from which no run goes on.
pub(super) fn run<D: Formed, M: Driven<D>>(
    model: &mut M,
    sink: &mut dyn Sink,
    control: &mut Control<'_>,
) -> Result<Outcome, SystemError> {
    let outcome = run_until(model, f64::INFINITY, sink, control)?;
    Ok(outcome.unwrap_or(Outcome::Finished))
}

/// Runs up to a time, s; `None` if the run can go on from there.
///
/// # Errors
/// As [`run`].
pub(super) fn run_until<D: Formed, M: Driven<D>>(
    model: &mut M,
    until: f64,
    sink: &mut dyn Sink,
    control: &mut Control<'_>,
) -> Result<Option<Outcome>, SystemError> {
    let mut watch = Watch::new(Some(control));
    let outcome = through(model, until, sink, &mut watch);
    model.queue().0.cancel(Source::Pause);
    // An interrupted run has added its time before it was saved.
    if !matches!(outcome, Ok(Some(Outcome::Interrupted))) {
        model.spent(watch.elapsed());
    }
    if let Err(error) = &outcome {
        model.went_wrong(error, sink)?;
    }
    outcome
}

fn through<D: Formed, M: Driven<D>>(
    model: &mut M,
    until: f64,
    sink: &mut dyn Sink,
    watch: &mut Watch<'_, '_>,
) -> Result<Option<Outcome>, SystemError> {
    model.start(sink)?;
    loop {
        if let Some(outcome) = model.over() {
            return Ok(Some(outcome));
        }
        if until < f64::INFINITY {
            // After all other events at that time. Where settling ends the queue begins anew.
            model.queue().0.set(Source::Pause, until, LAST);
        }
        match next(model, sink, watch)? {
            Next::Went => {}
            Next::Paused => return Ok(None),
            Next::Nothing => return Ok(Some(Outcome::Finished)),
        }
        if watch.is_due() {
            watch.look();
            if model.over().is_none() && watch.stops() {
                model.spent(watch.elapsed());
                model.interrupt(sink)?;
                return Ok(Some(Outcome::Interrupted));
            }
            watch.report(|| model.progress());
        }
    }
}

/// Kind of event that comes last of those at one time.
const LAST: EventKind = EventKind::ALL[EventKind::ALL.len() - 1];

/// Result of one turn of the loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// The model went on, or a source acted.
    Went,
    /// The time up to which the run was to go has come.
    Paused,
    /// Nothing is left to do.
    Nothing,
}

/// Makes one turn of the loop: the model goes on, or a source acts.
///
/// # Errors
/// As [`run`].
pub(super) fn next<D: Formed, M: Driven<D>>(
    model: &mut M,
    sink: &mut dyn Sink,
    watch: &mut Watch<'_, '_>,
) -> Result<Next, SystemError> {
    if model.go_on(watch, sink)? {
        return Ok(Next::Went);
    }
    let Some(due) = model.queue().0.pop() else {
        return Ok(Next::Nothing);
    };
    if due.source == Source::Pause {
        model.pause(due.time);
        return Ok(Next::Paused);
    }
    watch.worked(TURN);
    model.before(due)?;
    let mut sources = std::mem::take(model.queue().1);
    let source: Option<&mut dyn EventSource<D>> = sources.get_mut(due.source);
    let answer = source.map(|source| source.act(due.time, model));
    let (schedule, all) = model.queue();
    *all = sources;
    if let Some(answer) = answer {
        if let Some(next) = answer.next {
            schedule.set(due.source, next.time, next.kind);
        }
        for order in answer.orders {
            model.carry_out(order, due, sink)?;
        }
    }
    model.after(due, sink)?;
    Ok(Next::Went)
}
