//! Filling whose inverse stiffness matrix is distributed over ranks (thesis 4.8).
//!
//! Each rank computes the same for the same grains, and holds a part of the matrix. Between grains the ranks agree whether any of them is to
//! stop; the sink of each rank decides what it writes.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::QuasiStatic;
use crate::body::Formed;
use crate::control::Command;
use crate::geometry::Dimension;
use crate::ranks::{Ranks, Values};
use crate::record::{Sink, Summary};
use crate::system::{Control, Driver, Outcome, Rows, Setup, SolverName, SystemError, moving_part};

/// A filling on one of several ranks.
#[derive(Debug)]
pub struct DistributedFilling<'r, D: Dimension> {
    filling: QuasiStatic<'r, D>,
    ranks: &'r (dyn Ranks + Sync),
    /// Time between two grains, s.
    interval: f64,
}

impl<'r, D: Formed> DistributedFilling<'r, D> {
    /// Returns whether a setup is such a filling: solved by RIMA, and nothing moves after it.
    pub fn supports(setup: &Setup<D>) -> bool {
        let settings = setup.models.quasi_static;
        settings.is_some_and(|settings| settings.solver == SolverName::Rima)
            && moving_part(setup).is_none()
    }

    /// Creates a filling at its start. All ranks must call this with the same setup.
    ///
    /// # Errors
    /// As [`QuasiStatic::new`].
    pub fn new(setup: Setup<D>, ranks: &'r (dyn Ranks + Sync)) -> Result<Self, SystemError> {
        let interval = setup.models.quasi_static.map_or(1.0, |q| q.interval);
        let filling = QuasiStatic::solved_by(setup, None, Some(ranks));
        if ranks.any(filling.is_err())? {
            return Err(filling.err().unwrap_or(SystemError::Elsewhere { rank: 0 }));
        }
        Ok(Self {
            filling: filling?,
            ranks,
            interval,
        })
    }
}

impl<D: Formed> Driver for DistributedFilling<'_, D> {
    fn run_until(
        &mut self,
        time: f64,
        sink: &mut dyn Sink,
        control: &mut Control<'_>,
    ) -> Result<Option<Outcome>, SystemError> {
        let (began, agreed) = (Instant::now(), AtomicBool::new(false));
        let (interrupted, limit) = (control.interrupted, control.wall_limit);
        let progress = &mut control.progress;
        let mut tell = |so_far| {
            if let Some(tell) = progress {
                tell(so_far);
            }
        };
        let mut control = Control {
            progress: Some(&mut tell),
            threads: control.threads,
            ..Control::new(&agreed)
        };
        loop {
            let late = limit.is_some_and(|limit| began.elapsed() >= limit);
            let stops = late || interrupted.load(Ordering::Relaxed);
            agreed.store(self.ranks.any(stops)?, Ordering::Relaxed);
            let next = (self.filling.time() + self.interval).min(time);
            let outcome = self.filling.run_until(next, sink, &mut control)?;
            if outcome.is_some() || next == time {
                return Ok(outcome);
            }
        }
    }

    fn time(&self) -> f64 {
        self.filling.time()
    }

    fn command(&mut self, command: &Command, sink: &mut dyn Sink) -> Result<(), SystemError> {
        self.filling.command(command, sink)
    }

    fn rows(&mut self) -> Rows {
        Driver::rows(&mut self.filling)
    }

    fn save(&mut self) -> Result<Vec<u8>, SystemError> {
        Driver::save(&mut self.filling)
    }

    fn summary(&self) -> Summary {
        self.filling.summary()
    }
}
