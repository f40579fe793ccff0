//! The parts of the documentation that the program itself knows better are up to date.
//! `ARENITE_BLESS=1 cargo test --release --test it documents` writes them anew.

use std::fs;
use std::path::{Path, PathBuf};

use arenite::scenario::aliases::ALIASES;
use serde_json::Value;

fn repository() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The text between two marks in a document; written there when blessed.
fn check_part(document: &str, part: &str) -> Result<(), Box<dyn std::error::Error>> {
    let path = repository().join(document);
    let text = fs::read_to_string(&path)?;
    let (begin, end) = ("<!-- begin: written by the program -->\n", "<!-- end -->\n");
    let (before, rest) = text.split_once(begin).ok_or("no mark of the beginning")?;
    let (there, after) = rest.split_once(end).ok_or("no mark of the end")?;
    let wanted = format!("\n{}\n\n", part.trim_end());
    if std::env::var_os("ARENITE_BLESS").is_some() {
        fs::write(&path, format!("{before}{begin}{wanted}{end}{after}"))?;
    } else {
        assert!(
            there == wanted,
            "{document} is not up to date: write it anew with ARENITE_BLESS=1"
        );
    }
    Ok(())
}

#[test]
fn columns_are_those_of_the_program() -> Result<(), Box<dyn std::error::Error>> {
    check_part("docs/output.md", &arenite::record::describe())
}

#[test]
fn keys_are_those_of_the_program() -> Result<(), Box<dyn std::error::Error>> {
    let keys = Keys::of(&arenite::scenario::schema()).text();
    let old: String = ALIASES
        .iter()
        .map(|alias| {
            let flags = alias.flags.map_or(String::new(), |[no, yes]| {
                format!(" (`true`: `\"{yes}\"`, `false`: `\"{no}\"`)")
            });
            let [old, new] = [alias.old, alias.new].map(|key| alias.path(key));
            format!("| `{old}`{flags} | `{new}` |\n")
        })
        .collect();
    let about = "Files, `--set` and sweeps take them as well; both names together are refused.";
    let part = format!("{keys}### Old names\n\n{about}\n\n| before | now |\n|---|---|\n{old}");
    check_part("docs/scenarios.md", &part)
}

/// What each model takes.
#[test]
fn capabilities_are_those_of_the_program() -> Result<(), Box<dyn std::error::Error>> {
    check_part("docs/capabilities.md", &arenite::capabilities::describe())
}

/// The keys of a sweep file, and the columns of its table.
#[test]
fn sweeps_are_those_of_the_program() -> Result<(), Box<dyn std::error::Error>> {
    let keys = Keys::of(&arenite::sweep::schema()).text();
    let keys = keys.replace("The scenario itself", "The sweep itself");
    let columns = arenite::sweep::describe();
    let part = format!("{keys}### sweep.parquet: a row per run\n\n{columns}");
    check_part("docs/sweep.md", &part)
}

/// The sweep files that the documentation shows come to runs.
#[test]
fn written_sweeps_have_runs() -> Result<(), Box<dyn std::error::Error>> {
    let text = fs::read_to_string(repository().join("docs/sweep.md"))?;
    let mut counts = Vec::new();
    for block in text.split("```toml\n").skip(1) {
        let block = block.split("```").next().unwrap_or_default();
        let sweep = arenite::sweep::Sweep::parse("docs/sweep.md", block, None, None, &[])?;
        let points = sweep.points()?;
        for point in [points.first(), points.last()].into_iter().flatten() {
            sweep.resolve(point)?;
        }
        counts.push(points.len());
    }
    assert_eq!(counts, [100, 64]);
    Ok(())
}

/// The tables of a scenario with their keys, as Markdown.
struct Keys<'a> {
    root: &'a Value,
    /// A table of the schema and the places where it may stand, in order of appearance.
    tables: Vec<(&'a Value, Vec<String>)>,
}

impl<'a> Keys<'a> {
    fn of(root: &'a Value) -> Self {
        let mut keys = Keys {
            root,
            tables: Vec::new(),
        };
        keys.visit(root, String::new());
        keys
    }

    /// Follows a reference, and leaves out that a value may be absent.
    fn resolve(&self, schema: &'a Value) -> &'a Value {
        if let Some(path) = schema["$ref"].as_str() {
            let target = self.root.pointer(path.trim_start_matches('#'));
            return self.resolve(target.unwrap_or(&Value::Null));
        }
        let present = |options: &'a Vec<Value>| {
            let mut rest = options.iter().filter(|option| option["type"] != "null");
            let first = rest.next();
            first.filter(|_| rest.next().is_none())
        };
        match schema["anyOf"].as_array().and_then(present) {
            Some(only) => self.resolve(only),
            None => schema,
        }
    }

    fn visit(&mut self, schema: &'a Value, place: String) {
        let schema = self.resolve(schema);
        if let Some(options) = schema["anyOf"].as_array() {
            for option in options {
                self.visit(option, place.clone());
            }
        } else if schema["type"] == "array" || !schema["items"].is_null() {
            self.visit(&schema["items"], format!("{place}[]"));
        } else if schema["additionalProperties"].is_object() {
            self.visit(&schema["additionalProperties"], format!("{place}.NAME"));
        } else if !self.rows(schema).is_empty() {
            if let Some((_, places)) = self.tables.iter_mut().find(|t| std::ptr::eq(t.0, schema)) {
                places.push(place);
                return;
            }
            self.tables.push((schema, vec![place.clone()]));
            for row in self.rows(schema) {
                let dot = if place.is_empty() { "" } else { "." };
                self.visit(row.schema, format!("{place}{dot}{}", row.key));
            }
        }
    }

    /// The keys of a table: those that it must have, then the others. Of a choice of tables, all.
    fn rows(&self, table: &'a Value) -> Vec<Row<'a>> {
        let mut rows: Vec<Row<'a>> = Vec::new();
        let required = |table: &Value, key: &str| {
            let list = table["required"].as_array();
            list.is_some_and(|list| list.iter().any(|name| name == key))
        };
        for (key, schema) in table["properties"].as_object().into_iter().flatten() {
            let about = schema["description"].as_str().unwrap_or_default();
            rows.push(Row {
                key,
                schema,
                about,
                required: required(table, key),
            });
        }
        for option in table["oneOf"].as_array().into_iter().flatten() {
            for (key, schema) in option["properties"].as_object().into_iter().flatten() {
                let about = option["description"].as_str().unwrap_or_default();
                rows.push(Row {
                    key,
                    schema,
                    about,
                    required: false,
                });
            }
        }
        rows.sort_by_key(|row| !row.required);
        rows
    }

    /// What may be written for a value.
    fn kind(&self, schema: &'a Value) -> String {
        let schema = self.resolve(schema);
        if schema.as_bool() == Some(true) {
            return "value".into();
        }
        if let Some(options) = schema["anyOf"].as_array() {
            let kinds: Vec<String> = options.iter().map(|option| self.kind(option)).collect();
            return kinds.join(" or ");
        }
        let words = schema["enum"].as_array().map(|list| list.iter().collect());
        let choices = schema["oneOf"]
            .as_array()
            .map(|list| list.iter().map(|option| &option["const"]).collect());
        let words: Option<Vec<&Value>> = words.or(choices);
        if let Some(words) = words.filter(|words| words.iter().all(|word| word.is_string())) {
            let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
            return words.join(", ");
        }
        let types = match &schema["type"] {
            Value::Array(list) => list
                .iter()
                .find_map(|t| t.as_str().filter(|t| *t != "null")),
            other => other.as_str(),
        };
        match types {
            Some("array") => match self.kind(&schema["items"]).as_str() {
                "table" => "tables".into(),
                inner => match inner.strip_prefix("list of ") {
                    Some(items) => format!("list of lists of {items}"),
                    None => format!("list of {inner}s"),
                },
            },
            Some("string") => "text".into(),
            Some("integer") => "whole number".into(),
            Some("boolean") => "`true`, `false`".into(),
            Some("number") => "number".into(),
            _ => "table".into(),
        }
    }

    /// What each word of a choice means.
    fn meanings(&self, schema: &'a Value) -> String {
        let schema = self.resolve(schema);
        let mut text = String::new();
        for option in schema["oneOf"].as_array().into_iter().flatten() {
            if let (Some(word), Some(about)) =
                (option["const"].as_str(), option["description"].as_str())
            {
                text += &format!("<br>`{word}`: {about}");
            }
        }
        text
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for (table, places) in &self.tables {
            let titles: Vec<String> = places.iter().map(|place| title(place)).collect();
            text += &format!("### {}\n\n", titles.join(", "));
            text += &format!("{}\n\n", line(table["description"].as_str().unwrap_or("")));
            text += "| key | value | default | |\n|---|---|---|---|\n";
            for row in self.rows(table) {
                let default = match &row.schema["default"] {
                    _ if row.required => "needed".to_string(),
                    Value::Null | Value::Object(_) => String::new(),
                    value => format!("`{value}`"),
                };
                text += &format!(
                    "| `{}` | {} | {default} | {}{} |\n",
                    row.key,
                    self.kind(row.schema),
                    line(row.about),
                    line(&self.meanings(row.schema)),
                );
            }
            text.push('\n');
        }
        text
    }
}

struct Row<'a> {
    key: &'a str,
    schema: &'a Value,
    about: &'a str,
    required: bool,
}

/// The name of a table as a scenario writes it.
fn title(place: &str) -> String {
    match place {
        "" => "The scenario itself".into(),
        list if list.ends_with("[]") && !list[..list.len() - 2].contains("[]") => {
            format!("`[[{}]]`", list.trim_end_matches("[]"))
        }
        inner if inner.contains("[]") => format!("`{}`", inner.replace("[]", "")),
        table => format!("`[{table}]`"),
    }
}

/// A text on one line of a table.
fn line(text: &str) -> String {
    text.replace('\n', " ").replace('|', "\\|")
}

/// The example of the README is the one of the library's documentation, which is a test.
#[test]
fn the_readme_quotes_the_example() -> std::io::Result<()> {
    let library = fs::read_to_string(repository().join("src/lib.rs"))?;
    let example: Vec<&str> = library
        .lines()
        .filter_map(|line| line.strip_prefix("//!"))
        .map(|line| line.strip_prefix(' ').unwrap_or(line))
        .skip_while(|line| *line != "```")
        .skip(1)
        .take_while(|line| *line != "```")
        .collect();
    assert!(example.len() > 10, "the example is gone");
    let readme = fs::read_to_string(repository().join("README.md"))?;
    let wanted = format!("```rust\n{}\n```\n", example.join("\n"));
    assert!(readme.contains(&wanted), "the README should hold\n{wanted}");
    Ok(())
}

/// A line without its figures of speed, the only ones that differ from run to run.
fn without_clock(line: &str) -> &str {
    match line.rsplit_once(", ") {
        Some((rest, tail)) if tail.ends_with(" on the clock") => rest,
        _ => line,
    }
}

/// What the README shows behind `$ arenite ...` is what the program prints. On other processors
/// the same bits are an aim, not a promise.
#[test]
#[cfg(target_arch = "x86_64")]
fn the_readme_shows_what_is_printed() -> std::io::Result<()> {
    let path = repository().join("README.md");
    let readme = fs::read_to_string(&path)?;
    let folder = tempfile::tempdir()?;
    let mut written = String::new();
    let mut lines = readme.lines().peekable();
    while let Some(line) = lines.next() {
        written += &format!("{line}\n");
        let Some(command) = line.strip_prefix("$ arenite ") else {
            continue;
        };
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_arenite"))
            .args(command.split_whitespace())
            .current_dir(folder.path())
            .output()?;
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8_lossy(&text).into_owned();
        let mut shown = Vec::new();
        while let Some(next) = lines.next_if(|next| *next != "```") {
            shown.push(next);
        }
        if std::env::var_os("ARENITE_BLESS").is_some() {
            written += &text;
        } else {
            let shown: Vec<&str> = shown.into_iter().map(without_clock).collect();
            let printed: Vec<&str> = text.lines().map(without_clock).collect();
            assert_eq!(
                shown, printed,
                "`{command}`: write it anew with ARENITE_BLESS=1"
            );
        }
    }
    if std::env::var_os("ARENITE_BLESS").is_some() {
        fs::write(&path, written)?;
    }
    Ok(())
}

/// The commands of the guide can be given one after the other. Of its sweep two seeds are enough here.
#[test]
fn the_guide_can_be_followed() -> std::io::Result<()> {
    let text = fs::read_to_string(repository().join("docs/guide.md"))?;
    let folder = tempfile::tempdir()?;
    let (before, rest) = text.split_once("`widths.toml`:").expect("the sweep");
    let sweep = rest
        .split("```toml\n")
        .nth(1)
        .and_then(|block| block.split("```").next());
    let sweep = sweep.expect("its file").replace("seeds = 50", "seeds = 2");
    assert!(sweep.contains("seeds = 2") && before.len() > 500);
    fs::write(folder.path().join("widths.toml"), sweep)?;
    let mut count = 0;
    for command in text
        .lines()
        .filter_map(|line| line.strip_prefix("arenite "))
    {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_arenite"))
            .args(command.split_whitespace())
            .current_dir(folder.path())
            .output()?;
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "`arenite {command}`: {said}");
        count += 1;
    }
    assert!(count > 10, "the guide has {count} commands");
    for made in [
        "runs/hopper-1/report.html",
        "jams.svg",
        "runs/widths/sweep.csv",
        "runs/widths/report.html",
        "mine.toml",
    ] {
        assert!(folder.path().join(made).exists(), "{made} is there");
    }
    Ok(())
}

/// The scenario that the documentation explains can run.
#[test]
fn written_scenarios_resolve() -> Result<(), Box<dyn std::error::Error>> {
    let mut count = 0;
    for document in ["README.md", "docs/scenarios.md"] {
        let text = fs::read_to_string(repository().join(document))?;
        for block in text.split("```toml\n").skip(1) {
            let block = block.split("```").next().unwrap_or_default();
            // Pieces to copy from have no name; whole scenarios do.
            if block.lines().any(|line| line.starts_with("name =")) {
                arenite::scenario::Scenario::parse(document, block, None, &[])
                    .and_then(|scenario| scenario.resolve())
                    .map_err(|problem| problem.to_string())?;
                count += 1;
            }
        }
    }
    assert!(count >= 2, "the documents hold {count} scenarios");
    Ok(())
}

/// Links between documents lead to files that are there.
#[test]
fn links_lead_somewhere() -> std::io::Result<()> {
    let root = repository();
    let mut documents = vec!["README.md", "CONTRIBUTING.md", "CHANGELOG.md"]
        .into_iter()
        .map(|name| root.join(name))
        .collect::<Vec<_>>();
    for entry in fs::read_dir(root.join("docs"))? {
        documents.push(entry?.path());
    }
    let mut dead = Vec::new();
    for document in documents
        .iter()
        .filter(|d| d.extension().is_some_and(|e| e == "md"))
    {
        let text = fs::read_to_string(document)?;
        let folder = document.parent().unwrap_or(Path::new(""));
        for piece in text.split("](").skip(1) {
            let target = piece.split([')', '#']).next().unwrap_or_default();
            let outside = target.is_empty() || target.contains("://");
            if !outside && !folder.join(target).exists() {
                dead.push(format!("{}: {target}", document.display()));
            }
        }
    }
    assert!(dead.is_empty(), "{dead:#?}");
    Ok(())
}
