//! Figures that documents state of runs are found again: each row of `tests/data/figures.toml` names a command, and the
//! sentence of a document with the numbers that its summary must give.
//!
//! `cargo test --release --test it figures_of_documents -- --ignored --nocapture` (some minutes of one core) prints what differs.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Figures {
    figure: Vec<Figure>,
}

/// A statement of a document.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Figure {
    document: String,
    /// What follows `arenite run`.
    run: String,
    /// The sentence, with {} where a number stands.
    says: String,
    /// Each number.
    numbers: Vec<Number>,
}

/// A number of a summary, times `times`, with so many digits behind the point; of a time by the clock, which machines and their other work decide,
/// the document may state what is `within` such a factor.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Number {
    path: String,
    #[serde(default)]
    digits: usize,
    #[serde(default = "one")]
    times: f64,
    within: Option<f64>,
}

fn one() -> f64 {
    1.0
}

fn repository() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn table() -> Figures {
    let text = fs::read_to_string(repository().join("tests/data/figures.toml")).unwrap();
    toml::from_str(&text).unwrap()
}

/// A text without its line breaks.
fn flowing(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// 1234567 as 1,234,567; what stands behind a point is left.
fn grouped(number: &str) -> String {
    let (whole, rest) = number.split_at(number.find('.').unwrap_or(number.len()));
    let digits: Vec<char> = whole.chars().collect();
    let mut text = String::new();
    for (k, digit) in digits.iter().enumerate() {
        let left = digits.len() - k;
        if k > 0 && left.is_multiple_of(3) && digits[k - 1].is_ascii_digit() {
            text.push(',');
        }
        text.push(*digit);
    }
    text + rest
}

/// What a text states at the one gap of a sentence.
fn stated<'a>(text: &'a str, says: &str) -> Option<(&'a str, f64)> {
    let (before, after) = says.split_once("{}")?;
    let rest = &text[text.find(before)? + before.len()..];
    let number = &rest[..rest.find(after)?];
    Some((number, number.replace(',', "").parse().ok()?))
}

fn number(summary: &Value, number: &Number) -> f64 {
    let mut value = summary;
    for key in number.path.split('.') {
        value = match key.parse::<usize>() {
            Ok(index) => &value[index],
            Err(_) => &value[key],
        };
    }
    let value = match value {
        Value::Array(list) => list.len() as f64,
        other => other.as_f64().unwrap_or(f64::NAN),
    };
    value * number.times
}

/// A sentence with what a run gives, where the text does not say so.
fn differs(text: &str, figure: &Figure, summary: &Value) -> Option<String> {
    let mut says = figure.says.clone();
    let mut agrees = true;
    for one in &figure.numbers {
        let value = number(summary, one);
        let exact = grouped(&format!("{:.*}", one.digits, value));
        let written = match (one.within, stated(text, &says)) {
            (Some(factor), Some((written, stated))) => {
                agrees &= (stated / value).ln().abs() <= factor.ln();
                // What the document states stays, so that the rest can be looked for.
                says.replacen("{}", written, 1)
            }
            _ => says.replacen("{}", &exact, 1),
        };
        says = written;
        if !agrees {
            return Some(format!("{says}, and {exact} was found"));
        }
    }
    (!text.contains(&says)).then_some(says)
}

fn summary_of(folder: &Path, run: &str) -> Value {
    let arguments: Vec<&str> = run.split_whitespace().collect();
    let status = Command::new(env!("CARGO_BIN_EXE_arenite"))
        .arg("run")
        .args(&arguments)
        .args(["--quiet", "--force", "-o"])
        .arg(folder)
        .status()
        .unwrap();
    assert!(
        status.success() || status.code() == Some(3),
        "{run}: {status}"
    );
    let text = fs::read_to_string(folder.join("summary.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// A text without its numbers.
fn wordless(text: &str) -> String {
    let words = flowing(text).replace("{}", "0");
    let numbers = words.split(|c: char| !(c.is_ascii_digit() || ".,".contains(c)));
    let mut numbers: Vec<&str> = numbers.map(|n| n.trim_matches(['.', ','])).collect();
    numbers.retain(|n| !n.is_empty());
    let mut rest = words.as_str();
    let mut out = String::new();
    for number in numbers {
        let at = rest.find(number).unwrap();
        out.push_str(&rest[..at]);
        out.push('#');
        rest = &rest[at + number.len()..];
    }
    out + rest
}

/// Every statement is in its document as it is written in the table, but for its numbers.
#[test]
fn figures_of_the_table_are_in_the_documents() {
    for figure in table().figure {
        let text = fs::read_to_string(repository().join(&figure.document)).unwrap();
        let places = figure.says.matches("{}").count();
        assert_eq!(places, figure.numbers.len(), "{}", figure.says);
        let found = wordless(&text).contains(&wordless(&figure.says));
        assert!(found, "{} does not say: {}", figure.document, figure.says);
    }
}

#[test]
#[ignore = "runs all that documents tell figures of, some minutes"]
fn figures_of_documents_are_found_again() {
    let folder = std::env::temp_dir().join(format!("arenite-figures-{}", std::process::id()));
    let mut summaries: BTreeMap<String, Value> = BTreeMap::new();
    let mut wrong = Vec::new();
    for figure in table().figure {
        let summary = &*summaries
            .entry(figure.run.clone())
            .or_insert_with(|| summary_of(&folder, &figure.run));
        let text = flowing(&fs::read_to_string(repository().join(&figure.document)).unwrap());
        if let Some(says) = differs(&text, &figure, summary) {
            println!(
                "{}: `arenite run {}` gives: {says}",
                figure.document, figure.run
            );
            wrong.push(says);
        }
    }
    let _ = fs::remove_dir_all(&folder);
    assert!(
        wrong.is_empty(),
        "{} statements are out of date",
        wrong.len()
    );
}
