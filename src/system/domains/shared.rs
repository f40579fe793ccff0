//! Driver of a run over many ranks.

use crate::cluster::integrate::Integrate;
use crate::control::Command;
use crate::ranks::Ranks;
use crate::record::{Sink, Summary};
use crate::system::{Control, Driver, Outcome, Rows, Setup, System, SystemError};

/// A setup that ranks are to share: [`System::run_over`] behind the interface that all drivers have.
pub struct Shared<'a, D: Integrate> {
    setup: Option<Setup<D>>,
    domains: Option<[usize; 3]>,
    ranks: &'a dyn Ranks,
    /// System, once the run is over.
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
    /// Creates the run of a setup for all ranks; `domains` along each axis, one a rank (`None`: chosen).
    pub fn new(setup: Setup<D>, domains: Option<[usize; 3]>, ranks: &'a dyn Ranks) -> Self {
        Shared {
            setup: Some(setup),
            domains,
            ranks,
            system: None,
        }
    }
}

impl<D: Integrate> Driver for Shared<'_, D> {
    /// Runs to the end only: all grains come to one rank there.
    fn run_until(
        &mut self,
        time: f64,
        sink: &mut dyn Sink,
        control: &mut Control<'_>,
    ) -> Result<Option<Outcome>, SystemError> {
        if time < f64::INFINITY {
            let text = "a run that is shared by ranks goes to its end; run this by one process";
            return Err(SystemError::Setup(text.into()));
        }
        let Some(setup) = self.setup.take() else {
            return Err(SystemError::Setup("the run is over".into()));
        };
        let end = System::run_over(setup, self.domains, self.ranks, sink, control)?;
        let outcome = end.as_ref().map(|(_, outcome)| *outcome);
        self.system = end.map(|(system, _)| system);
        Ok(Some(outcome.unwrap_or(Outcome::Finished)))
    }

    fn time(&self) -> f64 {
        self.system.as_ref().map_or(0.0, Driver::time)
    }

    fn command(&mut self, _: &Command, _: &mut dyn Sink) -> Result<(), SystemError> {
        let text = "a run that is shared by ranks takes none; run this by one process";
        Err(SystemError::Command(text.into()))
    }

    /// Returns the rows; empty before the end.
    fn rows(&mut self) -> Rows {
        self.system.as_mut().map(Driver::rows).unwrap_or_default()
    }

    fn save(&mut self) -> Result<Vec<u8>, SystemError> {
        match &mut self.system {
            Some(system) => system.save(),
            None => Err(SystemError::Setup(
                "no rank has all grains before the end".into(),
            )),
        }
    }

    /// Returns the summary; empty before the end, and after a run that failed.
    fn summary(&self) -> Summary {
        self.system
            .as_ref()
            .map_or_else(Summary::default, System::summary)
    }
}
