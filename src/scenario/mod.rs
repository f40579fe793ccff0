//! The scenario file, written in TOML, which is checked and resolved to a [`Setup`].
//!
//! A text is parsed to a tree of values with their positions; values of the command line replace those of the file;
//! the tree is read into typed keys; these are checked and built into a setup. Any fault is a [`Problem`] that quotes
//! the place. The format of scenarios is that of the text (docs/scenarios.md), whose JSON Schema [`schema`] returns.
//!
//! ```
//! use arenite::scenario::{Override, Problem, Scenario};
//!
//! fn main() -> Result<(), Problem> {
//!     // A file, or the name of an embedded scenario.
//!     let seed = Override::set("seed=3").unwrap();
//!     let resolved = Scenario::load("hopper", &[seed])?.resolve()?;
//!     assert!(resolved.toml.contains("seed = 3"));
//!
//!     let text = "name = \"drop\"\ndimension = 2\n[run]\nend_tme = 1.0\n";
//!     let fault = Scenario::parse("drop.toml", text, None, &[]).unwrap_err();
//!     // With the line, and the nearest key.
//!     assert!(fault.to_string().contains("drop.toml:4"), "{fault}");
//!     assert!(fault.to_string().contains("`end_time`"), "{fault}");
//!     Ok(())
//! }
//! ```

#[doc(hidden)]
pub mod aliases;
mod build;
#[doc(hidden)]
pub mod catalogue;
mod csv;
mod document;
pub mod embedded;
mod fill;
mod grid_table;
mod input;
pub mod path;
mod problem;
mod read;
#[doc(hidden)]
pub mod spec;
mod table;

use std::path::{Path, PathBuf};

#[doc(hidden)]
pub use build::MAX_GRAINS;
pub use document::Override;
pub(crate) use document::{Document, Entry, Node, Origin, Value};
pub use problem::Problem;

use crate::geometry::{Planar, Spatial};
use crate::record::RunMeta;
use crate::spelling::{names, nearest};
use crate::system::{Setup, run_meta};
pub(crate) use read::read;
use spec::Spec;

/// Limit on the size of a scenario file, bytes.
const MAX_BYTES: u64 = 4 << 30;

/// The setup that a run starts from, in two or in three dimensions: what [`Scenario::resolve`] makes of a scenario.
#[derive(Clone, Debug, PartialEq)]
pub enum AnySetup {
    /// Two dimensions.
    #[doc(hidden)]
    Planar(Setup<Planar>),
    /// Three dimensions.
    #[doc(hidden)]
    Spatial(Setup<Spatial>),
}

/// A scenario that has been read but not yet resolved.
#[derive(Clone, Debug)]
pub struct Scenario {
    document: Document,
    spec: Spec,
    folder: Option<PathBuf>,
}

/// A scenario that can run.
#[derive(Clone, Debug, PartialEq)]
pub struct Resolved {
    /// The scenario with all defaults, embedded materials and files written out.
    #[doc(hidden)]
    pub spec: Spec,
    /// The scenario with all defaults, embedded materials and files written out, as TOML: a run of it gives the same
    /// bits.
    pub toml: String,
    /// The setup from which the driver starts.
    pub setup: AnySetup,
}

impl Resolved {
    /// Returns the description of a run from this scenario, with which a [`RunFolder`](crate::record::RunFolder)
    /// begins.
    #[must_use]
    pub fn meta(&self) -> RunMeta {
        match &self.setup {
            AnySetup::Planar(setup) => run_meta(setup, &self.toml),
            AnySetup::Spatial(setup) => run_meta(setup, &self.toml),
        }
    }
}

impl Scenario {
    /// Loads a file, or the embedded scenario with a name, with values of the command line.
    ///
    /// # Errors
    /// A file that cannot be read; as [`Scenario::parse`].
    pub fn load(reference: &str, overrides: &[Override]) -> Result<Self, Problem> {
        let found = Text::find(reference, None)?;
        Scenario::parse(&found.name, &found.text, found.folder.as_deref(), overrides)
    }

    /// Parses a text; messages show `name` for it, and its files are in `folder`.
    ///
    /// # Errors
    /// A text that is no TOML; a key that is unknown or missing; a value of the wrong type.
    pub fn parse(
        name: &str,
        text: &str,
        folder: Option<&Path>,
        overrides: &[Override],
    ) -> Result<Self, Problem> {
        let document = Document::parse(name, text, overrides)?;
        let spec: Spec = read(&document)?;
        Ok(Scenario {
            document,
            spec,
            folder: folder.map(Path::to_path_buf),
        })
    }

    /// Returns the scenario as written.
    #[doc(hidden)]
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// Checks everything and resolves the scenario.
    ///
    /// # Errors
    /// The first value that is not allowed, with its place; a file of the scenario that cannot be read.
    pub fn resolve(&self) -> Result<Resolved, Problem> {
        self.resolve_inner()
            .map_err(|problem| problem.located(&self.document))
    }

    /// Adds the place in the file to a fault found later, for example by the driver's plan.
    #[doc(hidden)]
    pub fn locate(&self, problem: Problem) -> Problem {
        problem.located(&self.document)
    }

    fn resolve_inner(&self) -> Result<Resolved, Problem> {
        let folder = self.folder.as_deref();
        let (setup, spec) = match self.spec.dimension {
            2 => {
                let (setup, spec) = build::build::<Planar>(&self.document, &self.spec, folder)?;
                (AnySetup::Planar(setup), spec)
            }
            3 => {
                let (setup, spec) = build::build::<Spatial>(&self.document, &self.spec, folder)?;
                (AnySetup::Spatial(setup), spec)
            }
            other => {
                let place = path::Place::of("dimension");
                return Err(Problem::at(
                    &place,
                    format!("`dimension` is {other}, but must be 2 or 3"),
                )
                .label("must be 2 or 3"));
            }
        };
        let toml = toml::to_string(&spec)
            .map_err(|why| Problem::plain(format!("cannot write the scenario: {why}")))?;
        Ok(Resolved { spec, toml, setup })
    }
}

/// The text of a scenario and its source.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    /// Name in messages.
    pub name: String,
    /// The text.
    pub text: String,
    /// Folder of its files.
    pub folder: Option<PathBuf>,
}

impl Text {
    /// Finds a file, relative to the given folder, or the embedded scenario with a name.
    pub(crate) fn find(reference: &str, from: Option<&Path>) -> Result<Self, Problem> {
        let path = match from {
            Some(folder) => folder.join(reference),
            None => PathBuf::from(reference),
        };
        let shown = match from {
            Some(_) => path.display().to_string(),
            None => reference.to_string(),
        };
        let written_as_path = reference.ends_with(".toml") || reference.contains(['/', '\\']);
        if !written_as_path && let Some(found) = embedded::scenario(reference) {
            return Ok(Text {
                name: format!("{reference}.toml (embedded)"),
                text: found.text.to_string(),
                folder: None,
            });
        }
        if !written_as_path && !path.exists() {
            let known = embedded::SCENARIOS.iter().map(|item| item.name);
            let problem = Problem::plain(format!(
                "there is neither a file nor an embedded scenario `{reference}`"
            ));
            let problem = match nearest(reference, known.clone()) {
                Some(name) => problem.help(format!("did you mean `{name}`?")),
                None => problem,
            };
            return Err(problem.help(format!("embedded scenarios: {}", names(known))));
        }
        // The scenario of a sweep is named in a file, one on the command line by the user.
        let bytes = match from {
            Some(_) => crate::input::bytes(&path, MAX_BYTES),
            None => crate::input::bytes_or_pipe(&path, MAX_BYTES),
        };
        let text = bytes
            .and_then(crate::input::text)
            .map_err(|why| Problem::plain(format!("cannot read the scenario {shown}: {why}")))?;
        Ok(Text {
            text,
            folder: path.parent().map(Path::to_path_buf),
            name: shown,
        })
    }
}

/// Returns the JSON Schema of the scenario file.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(Spec).to_value()
}
