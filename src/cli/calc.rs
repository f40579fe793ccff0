//! `arenite calc`: evaluates a single model.

use std::io::Read;
use std::path::Path;

use serde_json::Value;

use super::CalcArgs;
use super::failure::Failure;
use super::report::print_json;
use crate::calc::{CalcKind, evaluate};
use crate::input;

/// Limit on the size of a file of cases, bytes.
const MOST_BYTES: u64 = 1 << 28;

/// Evaluates the cases of a file; prints the results as JSON.
pub(super) fn calc(args: &CalcArgs) -> Result<(), Failure> {
    let name = args.file.display().to_string();
    let text = if args.file.as_os_str() == "-" {
        let mut bytes = Vec::new();
        let read = std::io::stdin()
            .take(MOST_BYTES + 1)
            .read_to_end(&mut bytes);
        match read {
            Ok(count) if count as u64 > MOST_BYTES => {
                Err(format!("it has more than {MOST_BYTES} bytes"))
            }
            Ok(_) => input::text(bytes),
            Err(why) => Err(why.to_string()),
        }
    } else {
        input::bytes_or_pipe(&args.file, MOST_BYTES).and_then(input::text)
    };
    let text = text.map_err(|why| Failure::Input(format!("cannot read {name}: {why}")))?;
    let extension = args.file.extension().and_then(|end| end.to_str());
    let result = of_text(args.kind, &text, extension, folder(&args.file));
    print_json(&result.map_err(|why| Failure::Input(format!("{name}: {why}")))?)
}

/// Returns the results of the cases in a text; paths in it are relative to a folder.
pub(crate) fn of_text(
    kind: CalcKind,
    text: &str,
    extension: Option<&str>,
    folder: &Path,
) -> Result<Value, String> {
    let case = match extension {
        Some("json") => json(text),
        Some("toml") => toml(text),
        // A JSON value starts with a bracket; so may a TOML table, which is no valid JSON.
        _ => json(text).or_else(|why| {
            toml(text).map_err(|other| format!("neither JSON ({why}) nor TOML ({other})"))
        }),
    }?;
    evaluate(kind, case, folder).map_err(|why| why.to_string())
}

/// Returns the folder of a file, to which paths in it are relative.
fn folder(file: &Path) -> &Path {
    file.parent().unwrap_or(Path::new(""))
}

pub(super) fn json(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|why| why.to_string())
}

/// Parses a TOML file, which has a table at its root: several cases are the elements of `case`.
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
