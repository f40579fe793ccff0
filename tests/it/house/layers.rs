//! Modules use what stands below them (docs/architecture.md), so that there are no circles.

use std::fs;
use std::path::{Path, PathBuf};

/// From below: each uses those before it only.
const ORDER: [&str; 31] = [
    "geometry",
    "cases",
    "spelling",
    "input",
    "vector",
    "ranks",
    "event",
    "hgraph",
    "body",
    "contact",
    "keys",
    "neighbor",
    "field",
    "walls",
    "control",
    "capabilities",
    "stress",
    "cluster",
    "collide",
    "rigidity",
    "record",
    "system",
    "scenario",
    "simulation",
    "study",
    "calc",
    "sweep",
    "view",
    "cli",
    "prelude",
    "outside",
];

fn files(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let tests = path.file_stem().is_some_and(|stem| stem == "tests");
        if path.is_dir() {
            files(&path, into);
        } else if path.extension().is_some_and(|end| end == "rs") && !tests {
            into.push(path);
        }
    }
}

/// Modules that a text of code names after `crate::`.
fn named(text: &str) -> Vec<String> {
    let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or(text);
    let lines = code.lines().filter(|l| !l.trim_start().starts_with("//"));
    let code: String = lines.flat_map(|line| [line, "\n"]).collect();
    let mut found = Vec::new();
    for (place, _) in code.match_indices("crate::") {
        // `$crate` of a macro, and other crates' names.
        let before = code[..place].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || c == '_') {
            continue;
        }
        let after = &code[place + "crate::".len()..];
        if let Some(several) = after.strip_prefix('{') {
            let several = &several[..several.find('}').unwrap_or(several.len())];
            let first = |part: &str| part.trim().split("::").next().map(str::to_owned);
            found.extend(several.split(',').filter_map(first));
        } else {
            let end = after.find(|c: char| !c.is_alphanumeric() && c != '_');
            found.push(after[..end.unwrap_or(after.len())].to_owned());
        }
    }
    found
}

#[test]
fn modules_use_those_below_them() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut all = Vec::new();
    files(&src, &mut all);
    let rank = |name: &str| ORDER.iter().position(|module| *module == name);
    let (mut uses, mut wrong) = (0, Vec::new());
    for path in all {
        let inside = path.strip_prefix(&src).unwrap();
        let first = inside.components().next().unwrap().as_os_str();
        let own = first.to_string_lossy().replace(".rs", "");
        if ["lib", "main"].contains(&own.as_str()) {
            continue;
        }
        let Some(here) = rank(&own) else {
            panic!("`{own}` has no place in the order");
        };
        for other in named(&fs::read_to_string(&path).unwrap()) {
            let Some(there) = rank(&other) else { continue };
            uses += usize::from(other != own);
            if there > here {
                wrong.push(format!("{} uses {other}", inside.display()));
            }
        }
    }
    assert!(uses > 500, "{uses}");
    assert!(wrong.is_empty(), "{wrong:#?}");
}
