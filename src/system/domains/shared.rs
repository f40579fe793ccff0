//! A run over many ranks as rank 0 drives it.

use crate::cluster::integrate::Integrate;
use crate::ranks::Ranks;
use crate::record::{Sink, Summary};
use crate::system::{Control, Outcome, Setup, Simulation, System, SystemError};

/// A setup that ranks are to share: [`System::run_over`] for who asks any driver alike.
pub struct Shared<'a, D: Integrate> {
    setup: Option<Setup<D>>,
    bricks: Option<[usize; 3]>,
    ranks: &'a dyn Ranks,
    /// Once the run is over.
    system: Option<System<D>>,
}

impl<D: Integrate> std::fmt::Debug for Shared<'_, D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared")
            .field("ranks", &self.ranks)
            .finish()
    }
}

impl<'a, D: Integrate> Shared<'a, D> {
    /// A setup for all ranks; `bricks` along each axis, one a rank; none: chosen.
    pub fn new(setup: Setup<D>, bricks: Option<[usize; 3]>, ranks: &'a dyn Ranks) -> Self {
        Shared {
            setup: Some(setup),
            bricks,
            ranks,
            system: None,
        }
    }
}

impl<D: Integrate> Simulation for Shared<'_, D> {
    fn run(
        &mut self,
        sink: &mut dyn Sink,
        control: &mut Control<'_>,
    ) -> Result<Outcome, SystemError> {
        let Some(setup) = self.setup.take() else {
            return Err(SystemError::Setup("the run is over".into()));
        };
        let end = System::run_over(setup, self.bricks, self.ranks, sink, control)?;
        let outcome = end.as_ref().map(|(_, outcome)| *outcome);
        self.system = end.map(|(system, _)| system);
        Ok(outcome.unwrap_or(Outcome::Finished))
    }

    /// Empty before the end, and after a run that failed.
    fn summary(&self) -> Summary {
        self.system
            .as_ref()
            .map_or_else(Summary::default, System::summary)
    }
}
