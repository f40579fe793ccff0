//! Checks of the loop between events: of the clock and of Ctrl-C; and reports of progress.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::{Control, Progress};

/// Time between two reports of progress.
const REPORT: Duration = Duration::from_millis(100);

/// Work between two checks of the clock, in steps of up to 256 grains or what takes as long.
pub(super) const LOOK: u32 = 4096;

/// Work of an event of a source.
pub(super) const TURN: u32 = 64;

/// Clock of one call of the loop, and its control from outside.
pub(super) struct Watch<'c, 'a> {
    control: Option<&'c mut Control<'a>>,
    started: Instant,
    reported: Instant,
    looked: Instant,
    /// Work since the last check.
    work: u32,
}

impl<'c, 'a> Watch<'c, 'a> {
    /// Starts the clock now; without a control, nothing stops the run or asks for its progress.
    pub fn new(control: Option<&'c mut Control<'a>>) -> Self {
        let started = Instant::now();
        Watch {
            control,
            started,
            reported: started,
            looked: started,
            work: 0,
        }
    }

    /// Returns the time since the call began, s.
    pub fn elapsed(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    /// Adds work that was done.
    pub fn worked(&mut self, work: u32) {
        self.work = self.work.saturating_add(work);
    }

    /// Returns whether so much work was done that the clock is to be checked.
    pub fn is_due(&self) -> bool {
        self.work >= LOOK
    }

    /// Returns the time since the last check.
    pub fn since_look(&self) -> Duration {
        self.looked.elapsed()
    }

    /// Books a check of the clock.
    pub fn look(&mut self) {
        self.work = 0;
        self.looked = Instant::now();
    }

    /// Returns whether the run is to stop after a checkpoint.
    pub fn stops(&self) -> bool {
        let Some(control) = &self.control else {
            return false;
        };
        let late = |limit| self.started.elapsed() >= limit;
        control.wall_limit.is_some_and(late) || control.interrupted.load(Ordering::Relaxed)
    }

    /// Reports the progress, if the last report was not a moment ago.
    pub fn report(&mut self, progress: impl FnOnce() -> Progress) {
        if self.reported.elapsed() < REPORT {
            return;
        }
        self.reported = Instant::now();
        if let Some(tell) = self
            .control
            .as_mut()
            .and_then(|control| control.progress.as_mut())
        {
            tell(progress());
        }
    }
}
