//! Whether flight pays, by counted work: steps that flyers were spared, against predictions and returns.

use serde::{Deserialize, Serialize};

use super::{Air, AirTally, Kind};

/// Numbers of steps over which work is counted: at first, and at most, after it was doubled each time.
const WINDOW: [i64; 2] = [128, 4096];
/// Work in units of a step of a free grain (docs/notes/flight.md): a prediction, a body tested in it, and a return with the departure after it.
const PREDICTION: f64 = 25.0;
const TEST: f64 = 1.0;
const RETURN: f64 = 250.0;
/// The same of each grain whose lists are made anew, where they cannot be edited.
const RELISTED: f64 = 20.0;
/// Number of windows for which no grain leaves after one that did not pay: the first time, and at most.
const PAUSES: [i64; 2] = [4, 256];

/// Counts of the present window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Worth {
    /// Number of the step at which the window began, and how often it was doubled.
    since: i64,
    doubled: u32,
    /// Steps in it that grains which came back were spared.
    spared: i64,
    /// Work until it began.
    work: f64,
    /// Number of windows of the last pause, 0 if flight paid since.
    pause: i64,
    /// Number of the step until which no grain leaves.
    until: i64,
    /// Whether flight has paid since the last pause; before that few are asked.
    pub proven: bool,
}

impl Worth {
    fn window(&self) -> i64 {
        (WINDOW[0] << self.doubled).min(WINDOW[1])
    }

    /// Counts the steps that a grain was spared which left at one step and came back at another, as far as they are in the window.
    pub fn came_back(&mut self, left: i64, step: i64) {
        self.spared += step - left.max(self.since).min(step);
    }

    /// Begins to count work from zero.
    pub fn begin(&mut self) {
        self.work = 0.0;
    }
}

fn work(tally: &AirTally) -> f64 {
    let counts = [
        tally.foreseen + tally.pieces,
        tally.tested,
        tally.returned,
        tally.relisted,
    ];
    let [foreseen, tested, returned, relisted] = counts.map(|count| count as f64);
    PREDICTION * foreseen + TEST * tested + RETURN * returned + RELISTED * relisted
}

/// Judges the last window if it is over; returns whether grains may leave at a step, by its number.
pub(super) fn pays(aloft: &mut Air, step: i64) -> bool {
    let state = &mut aloft.s;
    let window = state.worth.window();
    if step - state.worth.since < window {
        return step >= state.worth.until;
    }
    for (id, body) in state.bodies.iter().enumerate() {
        if body.kind == Kind::Flyer {
            let left = state.waits.get(id).map_or(0, |wait| wait.left);
            state.worth.came_back(left, step);
        }
    }
    let worth = &mut state.worth;
    let work = work(&state.tally);
    let spared = worth.spared as f64;
    // A pause is no evidence.
    if step >= worth.until {
        if work - worth.work > spared {
            worth.pause = (2 * worth.pause).clamp(PAUSES[0], PAUSES[1]);
            worth.until = step + window * worth.pause;
            worth.proven = false;
        } else if spared > 0.0 {
            worth.pause = 0;
            worth.proven = true;
        }
    }
    (worth.since, worth.spared, worth.work) = (step, 0, work);
    worth.doubled = (worth.doubled + 1).min(WINDOW[1].ilog2() - WINDOW[0].ilog2());
    step >= worth.until
}
