//! Whether flight pays, by counted work: steps that flyers were spared, against predictions and returns.

use serde::{Deserialize, Serialize};

use super::{Air, AirTally};

/// Number of steps over which work is counted.
const WINDOW: i64 = 4096;
/// Work in units of a step of a free grain (docs/notes/flight.md): a prediction, a body tested in it, and a return with the departure after it.
const PREDICTION: f64 = 25.0;
const TEST: f64 = 1.0;
const RETURN: f64 = 250.0;
/// Number of windows for which no grain leaves after one that did not pay: the first time, and at most.
const PAUSES: [i64; 2] = [4, 256];

/// Counts of the present window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Worth {
    /// Number of the step at which the window began.
    since: i64,
    /// Number of flyers then.
    flyers: usize,
    /// Work until then.
    work: f64,
    /// Number of windows of the last pause, 0 if flight paid since.
    pause: i64,
    /// Number of the step until which no grain leaves.
    until: i64,
}

fn work(tally: &AirTally) -> f64 {
    let counts = [tally.foreseen, tally.tested, tally.returned];
    let [foreseen, tested, returned] = counts.map(|count| count as f64);
    PREDICTION * foreseen + TEST * tested + RETURN * returned
}

/// Judges the last window if it is over; returns whether grains may leave at a step, by its number.
pub(super) fn pays(aloft: &mut Air, step: i64) -> bool {
    let state = &mut aloft.s;
    let steps = step - state.worth.since;
    if steps < WINDOW {
        return step >= state.worth.until;
    }
    let worth = &mut state.worth;
    let work = work(&state.tally);
    let spared = 0.5 * (worth.flyers + state.flyers) as f64 * steps as f64;
    // A pause is no evidence.
    if step >= worth.until {
        if work - worth.work > spared {
            worth.pause = (2 * worth.pause).clamp(PAUSES[0], PAUSES[1]);
            worth.until = step + WINDOW * worth.pause;
        } else if spared > 0.0 {
            worth.pause = 0;
        }
    }
    (worth.since, worth.flyers, worth.work) = (step, state.flyers, work);
    step >= worth.until
}
