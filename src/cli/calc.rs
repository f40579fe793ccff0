//! `arenite calc`: one model by itself.

use std::io::Read;
use std::path::Path;

use serde_json::Value;

use super::failure::Failure;
use super::report::print_json;
use super::{CalcArgs, CalcKind};
use crate::collide::calc as models;

/// Calculates the cases of a file; prints the results as JSON.
pub(super) fn calc(args: &CalcArgs) -> Result<(), Failure> {
    let name = args.file.display().to_string();
    let unreadable = |why: std::io::Error| Failure::Input(format!("cannot read {name}: {why}"));
    let mut text = String::new();
    if args.file.as_os_str() == "-" {
        std::io::stdin()
            .read_to_string(&mut text)
            .map_err(unreadable)?;
    } else {
        text = std::fs::read_to_string(&args.file).map_err(unreadable)?;
    }
    let extension = args.file.extension().and_then(|end| end.to_str());
    let case = match extension {
        Some("json") => json(&text),
        Some("toml") => toml(&text),
        // A JSON value starts with a bracket; so can a TOML table, which is no JSON then.
        _ => json(&text).or_else(|why| {
            toml(&text).map_err(|other| format!("neither JSON ({why}) nor TOML ({other})"))
        }),
    };
    let case = case.map_err(|why| Failure::Input(format!("{name}: {why}")))?;
    let result = match args.kind {
        CalcKind::Flight => models::flight(case),
        CalcKind::Collision => models::collision(case),
        CalcKind::Mapping => models::mapping(case),
        CalcKind::Grinding => crate::study::grinding::calc(case),
        CalcKind::Stress => crate::stress::calc(case),
        CalcKind::Rigidity => crate::qrb::calc(case),
        CalcKind::Grain => crate::body::calc::grain(case, folder(&args.file)),
        CalcKind::Contact => crate::body::calc::contact(case, folder(&args.file)),
    };
    print_json(&result.map_err(|why| Failure::Input(format!("{name}: {why}")))?)
}

/// Where a file lies: paths in it are relative to this.
fn folder(file: &Path) -> &Path {
    file.parent().unwrap_or(Path::new(""))
}

pub(super) fn json(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|why| why.to_string())
}

/// A TOML file has a table at its root: several cases are the elements of `case`.
pub(super) fn toml(text: &str) -> Result<Value, String> {
    let mut table: serde_json::Map<String, Value> =
        ::toml::from_str(text).map_err(|why| why.to_string())?;
    match table.remove("case") {
        Some(cases @ Value::Array(_)) if table.is_empty() => Ok(cases),
        Some(case) => {
            table.insert("case".into(), case);
            Ok(Value::Object(table))
        }
        None => Ok(Value::Object(table)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn toml_and_json_read_the_same() {
        let one = toml("a = 1\nb = [0.5, 2]\n").unwrap();
        assert_eq!(one, json("{\"a\": 1, \"b\": [0.5, 2]}").unwrap());
        let many = toml("[[case]]\na = 1\n[[case]]\na = 2\n").unwrap();
        assert_eq!(many, json("[{\"a\": 1}, {\"a\": 2}]").unwrap());
    }
}
