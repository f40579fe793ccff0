//! `arenite list`, `new` and `schema`: the contents of the program's library.

use std::io::ErrorKind;
use std::path::PathBuf;

use super::failure::Failure;
use super::report::{print, print_json};
use super::{ListArgs, NewArgs};
use crate::capabilities::{Entry, Model, entries};
use crate::scenario::Scenario;
use crate::scenario::catalogue::{Group, catalogue, groups};
use crate::scenario::embedded::{self, SCENARIOS, material_list};
use crate::spelling::{names, nearest};
use crate::sweep::Sweep;
use crate::sweep::embedded::SWEEPS;

/// Lists the contents of the program: a summary of all, or one kind.
pub(super) fn list(args: &ListArgs) -> Result<(), Failure> {
    let what = args.what.as_deref();
    if args.json {
        return match what {
            Some("capabilities") => print_json(&serde_json::json!(entries().collect::<Vec<_>>())),
            _ => Err(Failure::Input(
                "only capabilities are listed as JSON: `arenite list capabilities --json`".into(),
            )),
        };
    }
    let kinds: [Kind; 4] = [
        ("scenarios", scenarios),
        ("sweeps", sweeps),
        ("materials", materials),
        ("shapes", shapes),
    ];
    let lines = match what {
        None => {
            let mut lines = Vec::new();
            for (_, kind) in kinds {
                lines.extend(kind()?);
            }
            lines.extend(parts_in_short());
            lines
        }
        Some("materials") => materials_in_full(),
        Some("capabilities") => capabilities(),
        Some(what) => match kinds.iter().find(|(name, _)| *name == what) {
            Some((_, kind)) => kind()?,
            None => parts(what).ok_or_else(|| {
                let named = kinds.iter().map(|(name, _)| *name);
                let known = named.chain(["capabilities"]).chain(groups());
                let hint = match nearest(what, known.clone()) {
                    Some(name) => format!("did you mean `{name}`? "),
                    None => String::new(),
                };
                let known = names(known);
                Failure::Input(format!(
                    "there is no list of `{what}`; {hint}there are {known}"
                ))
            })?,
        },
    };
    print((lines.join("\n") + "\n").as_bytes())
}

/// Lists the support of each model, one line per feature and dimension, and the missing parts below.
fn capabilities() -> Vec<String> {
    let title = Model::LISTED.map(|model| format!("{:<13}", model.name()));
    let mut lines = vec![format!(
        "{:<26}    {}",
        "capabilities",
        title.concat().trim_end()
    )];
    let cells: Vec<Entry> = entries().collect();
    for row in cells.chunks(Model::LISTED.len()) {
        let words: String = row
            .iter()
            .map(|cell| format!("{:<13}", cell.status))
            .collect();
        let (feature, dimension) = (row[0].feature, row[0].dimension);
        lines.push(format!("  {feature:<24} {dimension}D {}", words.trim_end()));
    }
    lines.push("why not (of each cell: `arenite list capabilities --json`)".into());
    for model in Model::LISTED {
        let mut reasons: Vec<&str> = Vec::new();
        for cell in cells.iter().filter(|cell| cell.model == model.name()) {
            let new = cell.reason.filter(|reason| !reasons.contains(reason));
            reasons.extend(new);
        }
        for reason in reasons {
            lines.push(format!("  {:<13} {reason}", model.name()));
        }
    }
    lines
}

/// A kind of contents, and the function that lists it.
type Kind = (&'static str, fn() -> Result<Vec<String>, Failure>);

fn scenarios() -> Result<Vec<String>, Failure> {
    let mut lines = vec!["scenarios (arenite run NAME)".to_string()];
    for item in SCENARIOS {
        let scenario = Scenario::parse(item.name, item.text, None, &[])?;
        let spec = scenario.spec();
        let text = spec.description.as_deref().unwrap_or_default();
        lines.push(format!("  {:<20} {}D  {text}", item.name, spec.dimension));
    }
    Ok(lines)
}

fn sweeps() -> Result<Vec<String>, Failure> {
    let mut lines = vec!["sweeps (arenite sweep NAME)".to_string()];
    for item in SWEEPS {
        let sweep = Sweep::load(item.name, &[])?;
        let text = sweep.spec.description.as_deref().unwrap_or_default();
        lines.push(format!("  {:<20} {text}", item.name));
    }
    Ok(lines)
}

fn materials() -> Result<Vec<String>, Failure> {
    let mut lines = vec!["materials (material = \"NAME\")".to_string()];
    for (name, material) in material_list() {
        let text = material.description.as_deref().unwrap_or_default();
        lines.push(format!("  {name:<20} {text}"));
    }
    Ok(lines)
}

/// Lists each material with its values, their ranges and sources, and its laws.
fn materials_in_full() -> Vec<String> {
    let mut lines =
        vec!["materials (material = \"NAME\"; figures, [least, greatest], sources)".to_string()];
    for (name, material) in material_list() {
        let text = material.description.as_deref().unwrap_or_default();
        lines.push(format!("  {name:<20} {text}"));
        if let Some(source) = &material.source {
            lines.push(format!("  {:<20} source: {source}", ""));
        }
        let own = |law: &&crate::scenario::spec::LawSection| law.between == [name, name];
        let law = embedded::materials().law.iter().find(own);
        let hertz = law.and_then(|law| law.hertz.as_ref());
        let figures = [
            ("density", "kg/m^3", material.density),
            ("young", "Pa", material.young),
            ("poisson", "1", material.poisson),
            ("restitution", "1", hertz.map(|law| law.restitution)),
            ("friction", "1", hertz.map(|law| law.friction)),
            ("radius", "m", None),
        ];
        for (key, unit, value) in figures {
            let range = material.ranges.iter().flat_map(|ranges| ranges.all());
            let range = range
                .filter(|(name, ..)| *name == key)
                .find_map(|(.., r)| r);
            let value = value.map_or("".into(), plain);
            let line = match range {
                Some(range) => {
                    let [low, high] = range.range.map(plain);
                    format!("{value:>8} [{low}, {high}] {unit}; {}", range.source)
                }
                None if value.is_empty() => continue,
                None => format!("{value:>8} {unit}"),
            };
            lines.push(format!("    {key:<18} {line}"));
        }
        for law in &embedded::materials().law {
            if let [a, b] = &law.between
                && a == name
                && b != name
                && let Some(hertz) = &law.hertz
            {
                let [restitution, friction] = [hertz.restitution, hertz.friction].map(plain);
                let source = law.source.as_deref().unwrap_or_default();
                lines.push(format!(
                    "    {:<18} restitution {restitution}, friction {friction}; {source}",
                    format!("with {b}")
                ));
            }
        }
    }
    lines
}

/// Formats a value in its shortest form: 2.65e3 as 2650, 70000000000 as 7e10.
fn plain(value: f64) -> String {
    match value.abs() {
        0.0 => "0".into(),
        size if (1e-3..1e5).contains(&size) => format!("{value}"),
        _ => format!("{value:e}"),
    }
}

fn shapes() -> Result<Vec<String>, Failure> {
    let mut lines = vec![
        "grain shapes (shape = \"NAME\" in a fill or feed; arenite grain NAME)".to_string(),
        format!("  {:<20} 2D  where no shape is named", "disk"),
        format!("  {:<20} 3D  where no shape is named", "sphere"),
    ];
    for (name, description, text) in crate::body::SHAPES {
        let planar = !text.contains("\nspheres = [");
        let dimension = if planar { 2 } else { 3 };
        lines.push(format!("  {name:<20} {dimension}D  {description}"));
    }
    Ok(lines)
}

/// Lists the keys of laws, walls, motions, fields and other parts.
fn parts_in_short() -> Vec<String> {
    let title =
        "parts of scenarios (arenite list NAME: what each is, its formula, unit and source)";
    let line = |group: Group| {
        let keys: Vec<&str> = group.parts.iter().map(|part| part.key.as_str()).collect();
        format!("  {:<20} {}", group.name, keys.join(", "))
    };
    let lines = catalogue().into_iter().map(line);
    std::iter::once(title.to_string()).chain(lines).collect()
}

/// Lists the parts of a group, each with its record; none if there is no such group.
fn parts(name: &str) -> Option<Vec<String>> {
    let group = catalogue().into_iter().find(|group| group.name == name)?;
    let mut lines = vec![format!("{} (keys of {})", group.name, group.place)];
    for part in group.parts {
        lines.push(format!("  {:<20} {}", part.key, part.about));
        lines.push(format!("  {:<20} {}", "", part.formula));
        lines.push(format!("  {:<20} {}; {}", "", part.unit, part.source));
    }
    Some(lines)
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
