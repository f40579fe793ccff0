//! The builder of a run.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::watchers::Watchers;
use super::{Moment, Simulation, SimulationError};
use crate::contact::{ContactLaw, OwnLaw, OwnLawHandle};
use crate::control::Command;
use crate::field::{OwnField, OwnFieldHandle};
use crate::geometry::Dimension;
use crate::record::{NullSink, Sink};
use crate::scenario::{AnySetup, Override, Problem, Scenario, Text};
use crate::spelling::{names, nearest};
use crate::system::{Driver, IntegratorName, Setup, SystemError, driver_of};

/// Source of a setup.
enum Origin {
    /// A file, or the name of an embedded scenario.
    Named(String),
    Text {
        name: String,
        toml: String,
        /// Folder of the files that the text names.
        folder: Option<PathBuf>,
    },
    Setup(Box<AnySetup>),
}

/// Options of a run before it is built: [`Simulation::builder`].
pub struct Builder<'a> {
    from: Option<Origin>,
    /// Sections added after those of the scenario.
    sections: String,
    /// Overrides, as given with `--set`.
    values: Vec<String>,
    state: Option<Vec<u8>>,
    threads: usize,
    fields: Vec<OwnFieldHandle>,
    laws: Vec<(String, String, OwnLawHandle)>,
    sink: Box<dyn Sink + 'a>,
    watchers: Watchers<'a>,
}

impl std::fmt::Debug for Builder<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Builder")
            .field("values", &self.values)
            .field("threads", &self.threads)
            .finish_non_exhaustive()
    }
}

impl<'a> Builder<'a> {
    pub(super) fn new() -> Self {
        Builder {
            from: None,
            sections: String::new(),
            values: Vec::new(),
            state: None,
            threads: 1,
            fields: Vec::new(),
            laws: Vec::new(),
            sink: Box::new(NullSink),
            watchers: Watchers::default(),
        }
    }

    /// Uses a scenario: a file, or the name of one that comes with the program.
    #[must_use]
    pub fn scenario(mut self, file_or_name: impl Into<String>) -> Self {
        self.from = Some(Origin::Named(file_or_name.into()));
        self
    }

    /// Uses the text of a scenario; messages show `name` for it. Without a folder it cannot refer to files.
    #[must_use]
    pub fn text(self, name: impl Into<String>, toml: impl Into<String>) -> Self {
        self.text_from(name.into(), toml.into(), None)
    }

    /// Like [`Builder::text`], for a text that refers to files in a folder.
    #[must_use]
    pub fn text_in(
        self,
        folder: impl Into<PathBuf>,
        name: impl Into<String>,
        toml: impl Into<String>,
    ) -> Self {
        self.text_from(name.into(), toml.into(), Some(folder.into()))
    }

    fn text_from(mut self, name: String, toml: String, folder: Option<PathBuf>) -> Self {
        self.from = Some(Origin::Text { name, toml, folder });
        self
    }

    /// Uses a setup that was put together in code.
    #[must_use]
    pub fn setup(mut self, setup: AnySetup) -> Self {
        self.from = Some(Origin::Setup(Box::new(setup)));
        self
    }

    /// Adds sections to the scenario, as if they stood at its end: a `[[boundary]]` whose corners the program computes, a `[[fill]]`, a
    /// `[material.x]`.
    #[must_use]
    pub fn sections(mut self, sections: &str) -> Self {
        self.sections.push('\n');
        self.sections.push_str(sections);
        self
    }

    /// Overrides a value of the scenario, as `--set` does: `run.end_time=2`.
    #[must_use]
    pub fn set(mut self, value: impl Into<String>) -> Self {
        self.values.push(value.into());
        self
    }

    /// Sets the seed of all random numbers.
    #[must_use]
    pub fn seed(self, seed: u64) -> Self {
        self.set(format!("seed={seed}"))
    }

    /// Sets the receiver of the records: rows of events and series, snapshots, checkpoints.
    #[must_use]
    pub fn sink(mut self, sink: impl Sink + 'a) -> Self {
        self.sink = Box::new(sink);
        self
    }

    /// Replaces the contact law between two materials of the scenario by one of the calling program. Additional terms of the pair (cohesion,
    /// rolling) stay.
    #[must_use]
    pub fn law(
        mut self,
        material: impl Into<String>,
        other: impl Into<String>,
        law: impl OwnLaw + 'static,
    ) -> Self {
        let law = OwnLawHandle::new(law);
        self.laws.push((material.into(), other.into(), law));
        self
    }

    /// Adds a force defined by the calling program on every grain, beside those of the scenario. No text and no saved
    /// state contains it: supply it again when a run is resumed.
    #[must_use]
    pub fn field(mut self, field: impl OwnField + 'static) -> Self {
        self.fields.push(OwnFieldHandle(Arc::new(field)));
        self
    }

    /// Sets the number of threads, which changes no result.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads.max(1);
        self
    }

    /// Resumes from a saved state ([`Simulation::save`], or a checkpoint that a sink received).
    #[must_use]
    pub fn resume(mut self, state: impl Into<Vec<u8>>) -> Self {
        self.state = Some(state.into());
        self
    }

    /// Passes all grains and links to `observer` at this interval (s), from time 0 on.
    #[must_use]
    pub fn observe(mut self, every: f64, observer: impl FnMut(&Moment) + 'a) -> Self {
        self.watchers.observe(every, observer);
        self
    }

    /// Stops the run once `condition` holds; it is checked at this interval (s), from time 0 on. The run may be
    /// continued.
    #[must_use]
    pub fn stop_when(mut self, every: f64, condition: impl FnMut(&Moment) -> bool + 'a) -> Self {
        self.watchers.stop_when(every, condition);
        self
    }

    /// Calls `act` at this interval (s), from time 0 on, with all grains and links; the commands that it returns are
    /// carried out at that time.
    #[must_use]
    pub fn act(mut self, every: f64, act: impl FnMut(&Moment) -> Vec<Command> + 'a) -> Self {
        self.watchers.act(every, act);
        self
    }

    /// Returns the run at its start, or where its state was saved.
    ///
    /// # Errors
    /// No scenario, or one with a fault; an interval that is not positive and finite; a setup that cannot run; a state of another run.
    pub fn build(self) -> Result<Simulation<'a>, SimulationError> {
        if let Some(every) = self.watchers.fault() {
            return Err(SimulationError::Asked(format!(
                "the interval of an observer, a condition or an action is {every} s: it must be more than 0, and finite"
            )));
        }
        let (name, setup, scenario) = read(self.from, &self.sections, &self.values)?;
        let state = self.state.as_deref();
        let (dimension, driver) = match setup {
            AnySetup::Planar(mut setup) => {
                bring(&mut setup, self.fields, &self.laws)?;
                (2, driver_of(setup, state))
            }
            AnySetup::Spatial(mut setup) => {
                bring(&mut setup, self.fields, &self.laws)?;
                (3, driver_of(setup, state))
            }
        };
        let driver = driver.map_err(|error| match (error, &scenario) {
            (SystemError::Setup(text), Some(scenario)) => {
                SimulationError::Scenario(scenario.locate(Problem::plain(text)))
            }
            (error, _) => error.into(),
        })?;
        let mut watchers = self.watchers;
        if state.is_some() {
            watchers.begin(Driver::time(&*driver));
        }
        Ok(Simulation {
            driver,
            name,
            dimension,
            threads: self.threads,
            sink: self.sink,
            watchers,
            interrupted: Arc::new(AtomicBool::new(false)),
        })
    }
}

/// Adds fields and laws of the calling program to a setup.
fn bring<D: Dimension>(
    setup: &mut Setup<D>,
    fields: Vec<OwnFieldHandle>,
    laws: &[(String, String, OwnLawHandle)],
) -> Result<(), SimulationError> {
    for (a, b, law) in laws {
        bring_law(setup, [a, b], *law)?;
    }
    for field in &fields {
        let periodic = |axis: &usize| setup.space.periodic.get(*axis).is_some_and(Option::is_some);
        if let Some(axis) = (0..D::N)
            .filter(periodic)
            .find(|&axis| field.0.varies_along(axis))
        {
            let (name, axis) = (field.0.name(), ["x", "y", "z"][axis]);
            return Err(SimulationError::Asked(format!(
                "the field `{name}` changes along {axis}, where space repeats itself"
            )));
        }
    }
    setup.fields.place.own.extend(fields);
    Ok(())
}

/// Sets the law of two materials to one of the calling program.
fn bring_law<D: Dimension>(
    setup: &mut Setup<D>,
    pair: [&String; 2],
    law: OwnLawHandle,
) -> Result<(), SimulationError> {
    let name = law.name();
    let without = [
        (setup.models.asks_for_rest(), "`[morph]`"),
        (setup.models.events.is_some(), "`[events]`"),
        (setup.motion.collisions.is_some(), "`run.collisions`"),
        (
            setup.motion.integrator == IntegratorName::Heun,
            "the integrator `heun`",
        ),
        (
            setup.matter.forms.iter().any(|form| form.arcs),
            "grains of arcs",
        ),
    ];
    if let Some((_, what)) = without.iter().find(|(there, _)| *there) {
        let text = format!("the law `{name}` of the program does not go with {what} yet");
        return Err(SimulationError::Asked(text));
    }
    let materials = &setup.matter.materials;
    let index = |material: &String| {
        let known = || materials.iter().map(String::as_str);
        known().position(|one| one == material).ok_or_else(|| {
            let near = match nearest(material, known()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("its materials are {}", names(known())),
            };
            SimulationError::Asked(format!(
                "the law `{name}` is for the material `{material}`, which the scenario does not have: {near}"
            ))
        })
    };
    let (a, b) = (index(pair[0])?, index(pair[1])?);
    setup
        .matter
        .laws
        .set(a as u16, b as u16, ContactLaw::Own(law));
    // Rest by default gives way.
    setup.models.morph = None;
    Ok(())
}

/// Returns the name, the setup, and the scenario that the setup comes from.
fn read(
    from: Option<Origin>,
    sections: &str,
    values: &[String],
) -> Result<(String, AnySetup, Option<Scenario>), SimulationError> {
    let overrides = values.iter().map(|text| Override::set(text));
    let overrides: Vec<Override> = overrides
        .collect::<Result<_, _>>()
        .map_err(SimulationError::Asked)?;
    let scenario = match from {
        None => {
            let text = "nothing to run: give the builder a scenario, a text or a setup";
            return Err(SimulationError::Asked(text.into()));
        }
        Some(Origin::Setup(setup)) if overrides.is_empty() && sections.is_empty() => {
            return Ok((String::new(), *setup, None));
        }
        Some(Origin::Setup(_)) => {
            let text =
                "values and sections are those of a scenario; a setup has them in its fields";
            return Err(SimulationError::Asked(text.into()));
        }
        Some(Origin::Named(name)) => {
            let found = Text::find(&name, None)?;
            let text = found.text + sections;
            Scenario::parse(&found.name, &text, found.folder.as_deref(), &overrides)?
        }
        Some(Origin::Text { name, toml, folder }) => {
            Scenario::parse(&name, &(toml + sections), folder.as_deref(), &overrides)?
        }
    };
    let setup = scenario.resolve()?.setup;
    Ok((scenario.spec().name.clone(), setup, Some(scenario)))
}
