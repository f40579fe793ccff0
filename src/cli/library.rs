//! `arenite list`, `new` and `schema`: what comes with the program.

use std::io::ErrorKind;
use std::path::PathBuf;

use super::NewArgs;
use super::failure::Failure;
use super::report::{print, print_json};
use crate::scenario::embedded::{self, SCENARIOS, material_list};
use crate::scenario::{Scenario, names, nearest};
use crate::sweep::Sweep;
use crate::sweep::embedded::SWEEPS;

/// Prints the embedded scenarios, materials and grain shapes.
pub(super) fn list() -> Result<(), Failure> {
    let mut lines = vec!["scenarios (arenite run NAME)".to_string()];
    for item in SCENARIOS {
        let scenario = Scenario::parse(item.name, item.text, None, &[])?;
        let spec = scenario.spec();
        let text = spec.description.as_deref().unwrap_or_default();
        lines.push(format!("  {:<20} {}D  {text}", item.name, spec.dimension));
    }
    lines.push("sweeps (arenite sweep NAME)".into());
    for item in SWEEPS {
        let sweep = Sweep::load(item.name, &[])?;
        let text = sweep.spec.description.as_deref().unwrap_or_default();
        lines.push(format!("  {:<20} {text}", item.name));
    }
    lines.push("materials (material = \"NAME\")".into());
    for (name, material) in material_list() {
        let text = material.description.as_deref().unwrap_or_default();
        lines.push(format!("  {name:<20} {text}"));
    }
    lines.push("grain shapes (shape = \"NAME\" in a fill or feed; arenite grain NAME)".into());
    lines.push(format!("  {:<20} 2D  where no shape is named", "disk"));
    lines.push(format!("  {:<20} 3D  where no shape is named", "sphere"));
    for (name, description, text) in crate::body::SHAPES {
        let planar = !text.contains("\nspheres = [");
        let dimension = if planar { 2 } else { 3 };
        lines.push(format!("  {name:<20} {dimension}D  {description}"));
    }
    lines.push(String::new());
    print(lines.join("\n").as_bytes())
}

/// Writes an embedded scenario or sweep to a file.
pub(super) fn new(args: &NewArgs) -> Result<(), Failure> {
    let found =
        embedded::scenario(&args.name).or_else(|| crate::sweep::embedded::sweep(&args.name));
    let Some(item) = found else {
        let known = SCENARIOS.iter().chain(SWEEPS).map(|item| item.name);
        let hint = match nearest(&args.name, known.clone()) {
            Some(name) => format!("did you mean `{name}`? "),
            None => String::new(),
        };
        return Err(Failure::Input(format!(
            "there is no embedded scenario or sweep `{}`; {hint}known: {}",
            args.name,
            names(known)
        )));
    };
    let path = match &args.file {
        Some(path) if path.as_os_str() == "-" => return print(item.text.as_bytes()),
        Some(path) => path.clone(),
        None => PathBuf::from(format!("{}.toml", item.name)),
    };
    let mut options = std::fs::OpenOptions::new();
    options.write(true);
    if args.force {
        options.create(true).truncate(true);
    } else {
        options.create_new(true);
    }
    let shown = path.display();
    let mut file = options.open(&path).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => Failure::Input(format!(
            "{shown} is there already; choose another name, or replace it with --force"
        )),
        _ => Failure::Input(format!("cannot write {shown}: {error}")),
    })?;
    std::io::Write::write_all(&mut file, item.text.as_bytes())
        .map_err(|error| Failure::Run(format!("cannot write {shown}: {error}")))?;
    print(format!("{shown}\n").as_bytes())
}

/// Prints the JSON Schema of the scenario file, or of the sweep file.
pub(super) fn schema(sweep: bool) -> Result<(), Failure> {
    print_json(&match sweep {
        true => crate::sweep::schema(),
        false => crate::scenario::schema(),
    })
}
