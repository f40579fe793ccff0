//! What the program is built from: every crate by its checksum, under a licence that asks nothing of users, and native
//! code in one place only. Needs no network. (Known faults of crates are looked up by `cargo deny check`: deny.toml.)

use std::collections::BTreeSet;
use std::process::Command;

use serde_json::Value;

/// Licences of which one must be offered: those of `deny.toml`.
fn allowed() -> Vec<String> {
    let text = include_str!("../../../deny.toml");
    let table: toml::Table = text.parse().unwrap();
    let list = table["licenses"]["allow"].as_array().unwrap();
    list.iter()
        .map(|name| name.as_str().unwrap().to_owned())
        .collect()
}

/// Whether an SPDX expression of `OR`, `AND` and brackets one deep can be met by these licences.
fn met(expression: &str, allowed: &[String]) -> bool {
    // Some crates still write "/" for "or".
    let text = expression.replace('/', " OR ");
    let mut words: Vec<String> = Vec::new();
    for word in text
        .replace('(', " ( ")
        .replace(')', " ) ")
        .split_whitespace()
    {
        match (words.last_mut(), word) {
            (Some(last), "WITH") => *last += " WITH",
            (Some(last), _) if last.ends_with(" WITH") => {
                *last += " ";
                *last += word;
            }
            _ => words.push(word.into()),
        }
    }
    let (value, rest) = any(&words, allowed);
    value && rest.is_empty()
}

fn any<'a>(words: &'a [String], allowed: &[String]) -> (bool, &'a [String]) {
    let (mut value, mut rest) = all(words, allowed);
    while rest.first().is_some_and(|word| word == "OR") {
        let (other, after) = all(&rest[1..], allowed);
        (value, rest) = (value | other, after);
    }
    (value, rest)
}

fn all<'a>(words: &'a [String], allowed: &[String]) -> (bool, &'a [String]) {
    let (mut value, mut rest) = one(words, allowed);
    while rest.first().is_some_and(|word| word == "AND") {
        let (other, after) = one(&rest[1..], allowed);
        (value, rest) = (value & other, after);
    }
    (value, rest)
}

fn one<'a>(words: &'a [String], allowed: &[String]) -> (bool, &'a [String]) {
    match words.first().map(String::as_str) {
        Some("(") => {
            let (value, rest) = any(&words[1..], allowed);
            (
                value && rest.first().is_some_and(|w| w == ")"),
                rest.get(1..).unwrap_or(&[]),
            )
        }
        Some(name) => (allowed.iter().any(|known| known == name), &words[1..]),
        None => (false, words),
    }
}

#[test]
fn licences_are_read_as_they_are_meant() {
    let allowed = ["MIT", "X WITH Y"].map(String::from);
    for good in [
        "MIT",
        "GPL OR MIT",
        "GPL/MIT",
        "MIT AND X WITH Y",
        "GPL OR (MIT AND MIT)",
    ] {
        assert!(met(good, &allowed), "{good}");
    }
    for bad in [
        "",
        "GPL",
        "MIT AND GPL",
        "(MIT OR GPL) AND GPL",
        "X",
        "MIT)",
        "(MIT",
    ] {
        assert!(!met(bad, &allowed), "{bad}");
    }
}

/// Nothing but the project itself comes from a folder or a branch that may change.
#[test]
fn the_lock_file_pins_every_crate() {
    let lock: toml::Table = include_str!("../../../Cargo.lock").parse().unwrap();
    let packages = lock["package"].as_array().unwrap();
    let sources: BTreeSet<_> = packages
        .iter()
        .filter_map(|p| p.get("source"))
        .map(|source| source.as_str().unwrap())
        .collect();
    assert_eq!(sources.len(), 1, "{sources:?}");
    assert!(sources.iter().all(|source| source.starts_with("registry+")));
    for package in packages {
        let own = package["name"].as_str() == Some(env!("CARGO_PKG_NAME"));
        assert_eq!(package.get("checksum").is_none(), own, "{package:?}");
    }
}

#[test]
fn crates_have_licences_that_ask_nothing_of_users() {
    // (`rayon-core` links nothing: so it keeps two versions of itself apart.)
    let links_nothing = "rayon-core";
    let Some(native) = licensed(&[]) else {
        eprintln!("skipped: cargo does not tell here of what the program is built");
        return;
    };
    assert_eq!(native, [links_nothing, "zstd-sys"]);
    // What the feature `mpi` needs is on few machines only.
    if let Some(native) = licensed(&["--features", "mpi"]) {
        assert_eq!(native, ["clang-sys", "mpi-sys", links_nothing, "zstd-sys"]);
    }
}

/// Looks at the licences of all crates that the program is built from with some features; which of them have to do with native code.
fn licensed(features: &[&str]) -> Option<Vec<String>> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let run = |arguments: &[&str]| {
        let output = Command::new(&cargo)
            .args(arguments)
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output();
        let output = output.ok().filter(|output| output.status.success())?;
        Some(String::from_utf8_lossy(&output.stdout).into_owned())
    };
    // Crates of other platforms may not be on this machine.
    let told = run(&["-vV"])?;
    let host = told.lines().find_map(|line| line.strip_prefix("host: "))?;
    let arguments = [
        "metadata",
        "--format-version=1",
        "--locked",
        "--offline",
        "--filter-platform",
        host,
    ];
    let metadata = run(&[&arguments[..], features].concat())?;
    let metadata: Value = serde_json::from_str(&metadata).ok()?;
    let allowed = allowed();
    let packages = metadata["packages"].as_array().unwrap();
    assert!(packages.len() > 100, "{}", packages.len());
    let mut native = Vec::new();
    for package in packages {
        let name = package["name"].as_str().unwrap();
        let licence = package["license"].as_str().unwrap_or_default();
        assert!(met(licence, &allowed), "{name}: {licence}");
        if package["links"].is_string() {
            native.push(name.to_owned());
        }
    }
    native.sort();
    Some(native)
}
