//! What the loop does between events: looks at the clock, at Ctrl-C, and tells how far it is.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::{Control, Progress};

/// How often progress is told.
const REPORT: Duration = Duration::from_millis(100);

/// Work between two looks at the clock, in steps of up to 256 grains or what takes as long.
pub(super) const LOOK: u32 = 4096;

/// Work of the turn of a source.
pub(super) const TURN: u32 = 64;

/// The clock of one call of the loop, and who controls it from outside.
pub(super) struct Watch<'c, 'a> {
    control: Option<&'c mut Control<'a>>,
    started: Instant,
    reported: Instant,
    looked: Instant,
    /// Work since the last look.
    work: u32,
}

impl<'c, 'a> Watch<'c, 'a> {
    /// From now on; none: nobody stops the run or asks how far it is.
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

    /// s since the call began.
    pub fn elapsed(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    /// So much work was done.
    pub fn worked(&mut self, work: u32) {
        self.work = self.work.saturating_add(work);
    }

    /// Whether so much was done that the clock is to be looked at.
    pub fn is_due(&self) -> bool {
        self.work >= LOOK
    }

    /// How long the last look was ago.
    pub fn since_look(&self) -> Duration {
        self.looked.elapsed()
    }

    /// The clock is looked at.
    pub fn look(&mut self) {
        self.work = 0;
        self.looked = Instant::now();
    }

    /// Whether the run is to stop after a checkpoint.
    pub fn stops(&self) -> bool {
        let Some(control) = &self.control else {
            return false;
        };
        let late = |limit| self.started.elapsed() >= limit;
        control.wall_limit.is_some_and(late) || control.interrupted.load(Ordering::Relaxed)
    }

    /// Tells the progress, if it was not told a moment ago.
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
