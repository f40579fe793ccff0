//! What a driver does between its events: looks at the clock, at Ctrl-C, and tells how far it is.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::{Control, Progress};

/// How often progress is told.
const REPORT: Duration = Duration::from_millis(100);

/// The clock of one call of a driver, and who controls it from outside.
pub(super) struct Watch<'c, 'a> {
    control: &'c mut Control<'a>,
    started: Instant,
    reported: Instant,
}

impl<'c, 'a> Watch<'c, 'a> {
    /// From now on.
    pub fn new(control: &'c mut Control<'a>) -> Self {
        let started = Instant::now();
        Watch {
            control,
            started,
            reported: started,
        }
    }
    /// s since the call began.
    pub fn elapsed(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }
    /// Whether the run is to stop after a checkpoint.
    pub fn stops(&self) -> bool {
        let late = |limit| self.started.elapsed() >= limit;
        self.control.wall_limit.is_some_and(late)
            || self.control.interrupted.load(Ordering::Relaxed)
    }
    /// Tells the progress, if it was not told a moment ago.
    pub fn report(&mut self, progress: impl FnOnce() -> Progress) {
        if self.reported.elapsed() < REPORT {
            return;
        }
        self.reported = Instant::now();
        if let Some(tell) = self.control.progress.as_mut() {
            tell(progress());
        }
    }
}
