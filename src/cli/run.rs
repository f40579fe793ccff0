//! `arenite run`: runs a scenario and writes a folder of records.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::RunArgs;
use super::failure::Failure;
use super::interrupt;
use super::live::Port;
use super::progress::Meter;
use super::report::{self, message, print};
use super::source;
use super::together::{self, Job};
use crate::cluster::integrate::Integrate;
use crate::ranks::{Bridge, Ranks};
use crate::record::{NullSink, RunFolder, Status, write_file};
use crate::scenario::aliases::rename_table;
use crate::scenario::spec::Spec;
use crate::scenario::{AnySetup, Scenario};
use crate::study::silo::{self, Frictions, SiloError};
use crate::system::{
    Control, DistributedFilling, Driver, Outcome, Setup, Shared, System, SystemError, domains_of,
    driver_of, moving_part,
};
use crate::view::report::{Live, Shown};

/// Runs a scenario.
pub(super) fn run(args: &RunArgs) -> Result<(), Failure> {
    let ranks = together::begin(Job::Run)?;
    if ranks.size() == 1 && args.domains.is_some_and(|domains| domains != [1; 3]) {
        return Err(Failure::Input(
            "--domains is for processes that `mpirun` starts together, one a domain".into(),
        ));
    }
    let loaded = together::agreed(&ranks, source::load(&args.source));
    if ranks.rank() > 0 && loaded.is_err() {
        // Only rank 0 prints.
        return Ok(());
    }
    let (scenario, resolved) = loaded?;
    // The setup is moved, since a second copy of the grains would cost much memory in a large run.
    let input = Input {
        spec: resolved.spec,
        toml: resolved.toml,
    };
    match resolved.setup {
        AnySetup::Planar(setup) => shared(args, &scenario, &input, setup, &ranks),
        AnySetup::Spatial(setup) => shared(args, &scenario, &input, setup, &ranks),
    }
}

/// The work that ranks share.
#[derive(Clone, Copy)]
enum Sharing<'r> {
    /// Grains, in domains.
    Domains(&'r dyn Ranks),
    /// Rows of the inverse stiffness matrix of a filling.
    Rows(&'r (dyn Ranks + Sync)),
}

impl<'r> Sharing<'r> {
    fn ranks(self) -> &'r dyn Ranks {
        match self {
            Sharing::Domains(ranks) => ranks,
            Sharing::Rows(ranks) => ranks,
        }
    }
}

/// Decides what ranks share, and runs.
fn shared<D: Integrate>(
    args: &RunArgs,
    scenario: &Scenario,
    resolved: &Input,
    setup: Setup<D>,
    ranks: &dyn Ranks,
) -> Result<(), Failure> {
    if ranks.size() > 1 && DistributedFilling::supports(&setup) {
        return Bridge::lend(ranks, |ranks| {
            on_ranks(args, scenario, resolved, setup, Sharing::Rows(ranks))
        });
    }
    on_ranks(args, scenario, resolved, setup, Sharing::Domains(ranks))
}

/// Runs on several ranks: rank 0 keeps the records and prints; all step their own parts.
fn on_ranks<D: Integrate>(
    args: &RunArgs,
    scenario: &Scenario,
    resolved: &Input,
    setup: Setup<D>,
    sharing: Sharing<'_>,
) -> Result<(), Failure> {
    let ranks = sharing.ranks();
    if ranks.rank() == 0 {
        return run_in(args, scenario, resolved, setup, sharing);
    }
    if together::agreed(ranks, Ok(())).is_err() {
        return Ok(());
    }
    let mut control = Control::new(interrupt::flag(true));
    control.wall_limit = args.wall_limit;
    let sink = &mut NullSink;
    let went = match sharing {
        Sharing::Rows(ranks) => DistributedFilling::new(setup, ranks)
            .and_then(|mut filling| filling.run(sink, &mut control).map(drop)),
        Sharing::Domains(ranks) => {
            System::run_over(setup, args.domains, ranks, sink, &mut control).map(drop)
        }
    };
    match went {
        Ok(()) | Err(SystemError::Elsewhere { .. }) => Ok(()),
        Err(error) => Err(Failure::Run(format!("rank {}: {error}", ranks.rank()))),
    }
}

/// The resolved input besides its setup.
struct Input {
    spec: Spec,
    toml: String,
}

fn run_in<D: Integrate>(
    args: &RunArgs,
    scenario: &Scenario,
    resolved: &Input,
    setup: Setup<D>,
    sharing: Sharing<'_>,
) -> Result<(), Failure> {
    let ranks = sharing.ranks();
    let threads = args
        .threads
        .map(usize::from)
        .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, std::num::NonZero::get));
    let dir = args.out.clone().unwrap_or_else(|| {
        PathBuf::from("runs").join(format!("{}-{}", resolved.spec.name, setup.seed))
    });
    let begun = || -> Result<_, Failure> {
        let plan = source::plan(scenario, &setup)?;
        if !args.quiet {
            for warning in &plan.warnings {
                message(&format!("warning: {warning}"));
            }
        }
        let port = args.live.map(Port::take).transpose()?;
        if ranks.size() > 1 {
            if args.resume {
                return Err(Failure::Input(
                    "a run is resumed by one process, without `mpirun`".into(),
                ));
            }
            match (sharing, args.domains) {
                (Sharing::Rows(_), None) => {}
                (Sharing::Rows(_), Some(_)) => {
                    let text =
                        "--domains is for grains; a filling by RIMA deals out the rows of a matrix";
                    return Err(Failure::Input(text.into()));
                }
                (Sharing::Domains(_), domains) => {
                    let domains = domains_of(&setup, domains, ranks.size());
                    domains.map_err(|error| Failure::Input(error.to_string()))?;
                }
            }
        }
        let opened = open(args, &dir, resolved, &setup, threads)?;
        Ok((plan.warnings, port, opened))
    };
    let (mut warnings, port, (mut folder, state)) = together::agreed(ranks, begun())?;
    let (seed, stop_when_empty) = (setup.seed, setup.run.stop_when_empty);
    let still = setup.models.quasi_static.is_some() && moving_part(&setup).is_none();
    let study = still.then(|| Study::of(&setup));
    let page = match port {
        Some(port) => {
            let description = resolved.spec.description.as_deref().unwrap_or_default();
            let meta = folder.meta().clone();
            let live = Live::new(
                &dir,
                &setup,
                meta,
                &resolved.spec.name,
                description,
                state.is_some(),
            );
            let live = Arc::new(live);
            let page = port.serve(live.clone());
            // Printed even if quiet, since the user requested it.
            message(&format!("live at {}", page.url()));
            Some((page, live))
        }
        None => None,
    };
    let settle = setup.run.settle.map_or(0.0, |settle| settle.at_most);
    let mut system: Box<dyn Driver + '_> = match sharing {
        Sharing::Rows(ranks) => Box::new(DistributedFilling::new(setup, ranks)?),
        Sharing::Domains(ranks) if ranks.size() > 1 => {
            Box::new(Shared::new(setup, args.domains, ranks))
        }
        Sharing::Domains(_) => driver_of(setup, state.as_deref())?,
    };
    let interrupted = interrupt::flag(args.quiet);
    let mut meter = (!args.quiet).then(|| Meter::new(-settle, stop_when_empty));
    let mut show = |progress| {
        if let Some((_, live)) = &page {
            live.progress(&progress);
        }
        if let Some(meter) = &mut meter {
            meter.update(progress);
        }
    };
    let mut control = Control {
        interrupted,
        wall_limit: args.wall_limit,
        progress: Some(&mut show),
        threads,
    };
    let outcome = match &page {
        Some((_, live)) => {
            let mut shown = Shown {
                sink: &mut folder,
                live,
            };
            system.run(&mut shown, &mut control)
        }
        None => system.run(&mut folder, &mut control),
    };
    if let Some(meter) = &meter {
        meter.end();
    }
    let mut figures = system.summary();
    figures.arenite = env!("CARGO_PKG_VERSION").into();
    figures.scenario = resolved.spec.name.clone();
    figures.seed = seed;
    figures.status = match &outcome {
        Ok(Outcome::Finished) => Status::Finished,
        Ok(Outcome::Jammed) => Status::Jammed,
        Ok(Outcome::Empty) => Status::Empty,
        Ok(Outcome::Interrupted) => Status::Interrupted,
        Err(_) => Status::Failed,
    };
    // The driver's summary contains the plan's warnings too: each is printed once.
    for warning in std::mem::take(&mut figures.warnings) {
        if !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }
    figures.warnings = warnings;
    if let Err(error) = &outcome {
        figures.warnings.push(error.to_string());
    }
    let written = folder.finish(&figures);
    if let Some((_, live)) = &page {
        live.end(&figures);
    }
    let shown = dir.display();
    let tell = || match outcome {
        Ok(Outcome::Interrupted) => {
            written?;
            Err(Failure::Interrupted(format!(
                "interrupted at {} s; go on with the same command and --resume{} (records so far in {shown})",
                report::short(figures.time.simulated),
                if args.force {
                    " instead of --force"
                } else {
                    ""
                }
            )))
        }
        Ok(_) => {
            written?;
            let found = match &study {
                Some(study) => study.write::<D>(&dir)?,
                None => Vec::new(),
            };
            if args.quiet {
                return Ok(());
            }
            print(report::summary(&figures, &found, &dir).as_bytes())
        }
        Err(error) => {
            let more = match written {
                Ok(()) => format!("what was recorded until then is in {shown}"),
                Err(other) => format!("and what was recorded cannot be written: {other}"),
            };
            Err(Failure::Run(format!("the run failed: {error}; {more}")))
        }
    };
    let told = tell();
    if let Some((page, _)) = page {
        page.close();
    }
    told
}

/// Data of the setup for the study of a quasi-static filling.
struct Study {
    gravity: [f64; 3],
    friction: Frictions,
}

impl Study {
    fn of<D: Integrate>(setup: &Setup<D>) -> Self {
        let grain = setup.grains.first().map_or(0, |grain| grain.material);
        let wall = setup.boundaries.first().map_or(grain, |wall| wall.material);
        let friction = |a, b| {
            let law = setup.matter.laws.get(a, b);
            law.map_or(0.0, |law| law.stiffness(0.0, 0.0).friction)
        };
        let component = |k| {
            if k < D::N {
                setup.fields.gravity[k]
            } else {
                0.0
            }
        };
        Study {
            gravity: std::array::from_fn(component),
            friction: Frictions {
                wall: friction(grain, wall),
                grain: friction(grain, grain),
            },
        }
    }

    /// Studies the last snapshot; writes the results, and returns them in a few lines.
    fn write<D: Integrate>(&self, dir: &Path) -> Result<Vec<(&'static str, String)>, Failure> {
        match silo::from_folder::<D>(dir, self.gravity, self.friction) {
            Ok(found) => {
                let mut text = serde_json::to_string_pretty(&found)
                    .map_err(|why| Failure::Run(format!("cannot write the study: {why}")))?;
                text.push('\n');
                write_file(&dir.join("study.json"), text.as_bytes())?;
                Ok(report::silo(&found))
            }
            // A bed without vertical walls is no silo; its records are valid all the same.
            Err(SiloError::Study(_)) => Ok(Vec::new()),
            Err(SiloError::Record(error)) => Err(error.into()),
        }
    }
}

/// Creates the folder of the run, or resumes the existing one.
///
/// A finished run of exactly the same scenario is repeated, since the result will be the same; any other run is
/// replaced only with --force.
fn open<D: Integrate>(
    args: &RunArgs,
    dir: &Path,
    resolved: &Input,
    setup: &Setup<D>,
    threads: usize,
) -> Result<(RunFolder, Option<Vec<u8>>), Failure> {
    let wrong = |error: crate::record::RecordError| Failure::Input(error.to_string());
    if args.resume {
        let (folder, toml, state) = RunFolder::resume(dir, threads).map_err(wrong)?;
        if !same(&toml, &resolved.toml) {
            return Err(Failure::Input(format!(
                "{}: the run to resume is another one: {}",
                dir.display(),
                difference(&toml, &resolved.toml)
            )));
        }
        if state.is_none() && !args.quiet {
            message("there is no checkpoint yet: starting from the beginning");
        }
        return Ok((folder, state));
    }
    let mut force = args.force;
    let before = std::fs::read_to_string(dir.join("scenario.toml")).ok();
    let finished = finished(dir);
    match before {
        Some(toml) if !force && finished && same(&toml, &resolved.toml) => {
            if !args.quiet {
                message(&format!(
                    "{} holds this very run, finished: it is made anew",
                    dir.display()
                ));
            }
            force = true;
        }
        Some(toml) if !force && !same(&toml, &resolved.toml) => {
            return Err(Failure::Input(format!(
                "{} holds another run: {}; choose another folder with -o, or replace it with --force",
                dir.display(),
                difference(&toml, &resolved.toml)
            )));
        }
        _ => {}
    }
    let meta = crate::system::run_meta(setup, &resolved.toml);
    let folder = RunFolder::create(dir, &meta, threads, force).map_err(wrong)?;
    Ok((folder, None))
}

/// Whether a folder contains a completed run.
fn finished(dir: &Path) -> bool {
    let text = std::fs::read_to_string(dir.join("summary.json")).unwrap_or_default();
    let summary: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    matches!(
        summary["status"].as_str(),
        Some("finished" | "jammed" | "empty")
    )
}

/// Whether the scenario of a folder is this one; an older build may have written it with old names of keys.
fn same(there: &str, here: &str) -> bool {
    let renamed = |there: &mut toml::Table| {
        let here = here.parse();
        rename_table(there) && here.is_ok_and(|here: toml::Table| *there == here)
    };
    there == here || there.parse().is_ok_and(|mut there| renamed(&mut there))
}

/// Returns the first key in which two scenarios differ, in words.
fn difference(there: &str, here: &str) -> String {
    fn walk(path: String, a: &toml::Value, b: &toml::Value) -> Option<String> {
        use toml::Value::{Array, Table};
        if a == b {
            return None;
        }
        match (a, b) {
            (Table(x), Table(y)) => {
                let mut keys: Vec<&String> = x.keys().chain(y.keys()).collect();
                // Many values follow from the seed, or from those of `run`, which the user is likely to have changed.
                let nested = |key: &str| {
                    let value = x.get(key).or(y.get(key));
                    matches!(value, Some(Table(_) | Array(_)))
                };
                keys.sort_by_key(|key| (nested(key), key.as_str() != "run", *key));
                keys.into_iter().find_map(|key| {
                    let dot = if path.is_empty() { "" } else { "." };
                    let here = format!("{path}{dot}{key}");
                    match (x.get(key), y.get(key)) {
                        (Some(a), Some(b)) => walk(here, a, b),
                        (Some(_), None) => Some(format!("it has `{here}`, this one has not")),
                        _ => Some(format!("this one has `{here}`, it has not")),
                    }
                })
            }
            (Array(x), Array(y)) if x.len() == y.len() => x
                .iter()
                .zip(y)
                .enumerate()
                .find_map(|(k, (a, b))| walk(format!("{path}[{k}]"), a, b)),
            (Array(_) | Table(_), _) | (_, Array(_) | Table(_)) => {
                Some(format!("`{path}` is different"))
            }
            _ => Some(format!("`{path}` is {a} there and {b} here")),
        }
    }
    let parse = |text: &str| {
        let mut scenario: toml::Table = text.parse()?;
        rename_table(&mut scenario);
        Ok::<_, toml::de::Error>(toml::Value::Table(scenario))
    };
    match (parse(there), parse(here)) {
        (Ok(a), Ok(b)) => {
            walk(String::new(), &a, &b).unwrap_or("its scenario.toml is written otherwise".into())
        }
        _ => "its scenario.toml cannot be read".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::{difference, same};

    #[test]
    fn a_run_with_old_keys_is_the_same() {
        let there = "seed = 1\n[run]\nfinish = 5.0\n";
        assert!(same(there, "seed = 1\n[run]\nend_time = 5.0\n"));
        assert!(!same(there, "seed = 1\n[run]\nend_time = 6.0\n"));
        // Only old names are another way to write it: what a person changed is another file.
        assert!(!same("seed = 1 # one\n", "seed = 1\n"));
    }

    #[test]
    fn tells_the_first_difference() {
        let there = "seed = 1\n[run]\nend_time = 5.0\n";
        let tell = |here| difference(there, here);
        assert_eq!(
            tell("seed = 2\n[run]\nend_time = 5.0\n"),
            "`seed` is 1 there and 2 here"
        );
        assert_eq!(
            tell("seed = 1\n[run]\nend_time = 5.0\nstep = 1.0\n"),
            "this one has `run.step`, it has not"
        );
        assert_eq!(tell("seed = ["), "its scenario.toml cannot be read");
        // A key that the user changed comes before those that follow from it.
        assert_eq!(
            difference(
                "log.series = 0.01\nrun.end_time = 5.0\n",
                "log.series = 0.002\nrun.end_time = 1.0\n"
            ),
            "`run.end_time` is 5.0 there and 1.0 here"
        );
    }
}
