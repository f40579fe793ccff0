//! Bits of every embedded scenario.

use std::collections::BTreeMap;

use arenite::scenario::embedded::SCENARIOS;
use serde::{Deserialize, Serialize};

use super::{Asked, Fallible, run};

const FILE: &str = "benches/net/hashes.toml";

/// Scenarios that take long, and what makes them shorter.
const SHORTER: [(&str, &str); 2] = [
    ("silo-3d", "run.end_time=200.0"),
    ("silo-fill-large", "run.end_time=20.0"),
];

/// How a run ended.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct End {
    hash: String,
    events: u64,
    status: String,
}

type Ends = BTreeMap<String, End>;

fn end(asked: &Asked, name: &str) -> Fallible<End> {
    let mut sets = vec!["log.snapshots=never"];
    let shorter = SHORTER.iter().filter(|(one, _)| *one == name);
    sets.extend(shorter.map(|(_, set)| *set));
    let mut arguments = vec![name.to_string()];
    for set in sets {
        arguments.extend(["--set".to_string(), set.to_string()]);
    }
    let summary = run::run(&asked.program, &arguments)?.summary()?;
    let status = serde_json::to_value(summary.status)?;
    Ok(End {
        hash: summary.state_hash,
        events: summary.events.total,
        status: status.as_str().unwrap_or_default().into(),
    })
}

pub fn hashes(asked: &Asked) -> Fallible<bool> {
    let names: Vec<String> = match asked.names.is_empty() {
        true => SCENARIOS.iter().map(|one| one.name.to_string()).collect(),
        false => asked.names.clone(),
    };
    let ends = run::all(&names, asked.jobs, |name| end(asked, name))?;
    let now: Ends = names.into_iter().zip(ends).collect();
    let text = std::fs::read_to_string(FILE).unwrap_or_default();
    let mut before: Ends = toml::from_str(&text)?;
    if asked.bless {
        before.extend(now);
        std::fs::write(FILE, toml::to_string(&before)?)?;
        return Ok(true);
    }
    let mut same = true;
    for (name, now) in &now {
        match before.get(name) {
            Some(before) if before == now => {}
            Some(End {
                hash,
                events,
                status,
            }) => {
                println!(
                    "{name}: {} {} {}, was {hash} {events} {status}",
                    now.hash, now.events, now.status
                );
                same = false;
            }
            None => {
                println!("{name}: {} is new", now.hash);
                same = false;
            }
        }
    }
    println!(
        "{} scenarios{}",
        now.len(),
        if same { ", all as before" } else { "" }
    );
    Ok(same)
}
