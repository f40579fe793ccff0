//! Telling sequences of slides that end from those that do not (thesis Fig. 4.4).
//!
//! Slides that end become smaller: the greatest excess falls by some factor in each round, be it
//! by little. It is looked at over windows that double in length, so that any rate shows in the
//! end; a sequence that keeps 0.999 of its greatest excess over 512 rounds would take millions
//! more. It may still end well if what drifts soon meets another contact: that is foreseen along
//! straight lines.

/// First and longest window, rounds.
const FIRST: usize = 128;
const LONGEST: usize = 8192;
/// Windows shorter than this prove nothing.
const PROOF: usize = 512;
/// Part of the greatest excess that must be gone after a window.
const DECAY: f64 = 1e-3;

/// The greatest excess of each round, by windows.
#[derive(Clone, Debug)]
pub(super) struct Watchdog {
    window: usize,
    count: usize,
    peak: f64,
    before: f64,
}

/// What a round adds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Watch {
    /// Nothing to say.
    Going,
    /// A window is over; slides decay, or it is too early to say.
    Window,
    /// A window of this many rounds is over and nothing has decayed.
    Stalled(usize),
}

impl Watchdog {
    pub fn new() -> Self {
        Watchdog {
            window: FIRST,
            count: 0,
            peak: 0.0,
            before: f64::INFINITY,
        }
    }

    /// A round whose greatest excess is this, N.
    pub fn round(&mut self, excess: f64) -> Watch {
        self.peak = self.peak.max(excess);
        self.count += 1;
        if self.count < self.window {
            return Watch::Going;
        }
        let over = self.window;
        let stalled = over >= PROOF && self.peak >= (1.0 - DECAY) * self.before;
        self.before = self.peak;
        self.peak = 0.0;
        self.count = 0;
        self.window = (2 * over).min(LONGEST);
        if stalled {
            Watch::Stalled(over)
        } else {
            Watch::Window
        }
    }
}
