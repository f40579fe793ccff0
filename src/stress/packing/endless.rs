//! Distinguishes sequences of slides that end from endless ones (thesis Fig. 4.4).
//!
//! Slides that end become smaller: the greatest excess decreases by some factor in each round,
//! however slightly. The check uses windows that double in length, so that any rate shows
//! eventually; a sequence that keeps 0.999 of its greatest excess over 512 rounds would take
//! millions more. It may still end if the drift soon closes another contact: linear extrapolation
//! predicts this.

/// First and longest window, in rounds.
const FIRST: usize = 128;
const LONGEST: usize = 8192;
/// Windows shorter than this are inconclusive.
const PROOF: usize = 512;
/// Least fraction by which the greatest excess must decrease over a window.
const DECAY: f64 = 1e-3;

/// The greatest excess of each round, in windows.
#[derive(Clone, Debug)]
pub(super) struct Watchdog {
    window: usize,
    count: usize,
    peak: f64,
    before: f64,
}

/// Result of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Watch {
    /// The window continues.
    Going,
    /// A window has ended; slides decay, or it is too early to decide.
    Window,
    /// A window of this many rounds has ended without decay.
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

    /// Records a round with this greatest excess, N.
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
