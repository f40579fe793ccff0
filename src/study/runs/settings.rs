//! In what the scenarios of runs differ.

use std::collections::BTreeMap;

use toml::Value;

/// Keys whose defaults follow from the grains: where radii are drawn they waver with the seed.
const FROM_GRAINS: [&str; 5] = [
    "run.stable_speed",
    "run.stable_dwell",
    "morph.dwell",
    "morph.carry_every",
    "log.checkpoint",
];
/// By how much at most.
const WAVER: f64 = 0.05;
/// Never a setting: which run it is, and who made it.
const NO_SETTING: [&str; 3] = ["seed", "version", "description"];

/// The values of a scenario by their paths, as `fill[0].lattice.count`.
pub(super) fn flat(scenario: &toml::Table) -> BTreeMap<String, Value> {
    fn walk(path: &str, value: &Value, into: &mut BTreeMap<String, Value>) {
        match value {
            Value::Table(table) => {
                for (key, value) in table {
                    let dot = if path.is_empty() { "" } else { "." };
                    walk(&format!("{path}{dot}{key}"), value, into);
                }
            }
            Value::Array(list) if list.iter().any(Value::is_table) => {
                for (k, value) in list.iter().enumerate() {
                    walk(&format!("{path}[{k}]"), value, into);
                }
            }
            value => {
                into.insert(path.into(), value.clone());
            }
        }
    }
    let mut values = BTreeMap::new();
    for (key, value) in scenario {
        walk(key, value, &mut values);
    }
    values
}

fn number(value: &Value) -> Option<f64> {
    value.as_float().or(value.as_integer().map(|i| i as f64))
}

fn equal(key: &str, a: Option<&Value>, b: Option<&Value>) -> bool {
    if a == b {
        return true;
    }
    let (Some(a), Some(b)) = (a, b) else {
        return false;
    };
    match (number(a), number(b)) {
        (Some(a), Some(b)) if a == b => true,
        (Some(a), Some(b)) => FROM_GRAINS.contains(&key) && (a - b).abs() <= WAVER * a.abs(),
        _ => false,
    }
}

/// For each scenario the values of the keys in which not all agree, apart from the seed; "-" where
/// one has none.
pub(super) fn differences(scenarios: &[BTreeMap<String, Value>]) -> Vec<BTreeMap<String, String>> {
    let mut keys: Vec<&String> = scenarios.iter().flat_map(BTreeMap::keys).collect();
    keys.sort();
    keys.dedup();
    keys.retain(|key| {
        let of = |k: usize| scenarios[k].get(*key);
        !NO_SETTING.contains(&key.as_str())
            && (1..scenarios.len()).any(|k| !equal(key, of(0), of(k)))
    });
    let shown = |value: Option<&Value>| match value {
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
        None => "-".into(),
    };
    scenarios
        .iter()
        .map(|scenario| {
            keys.iter()
                .map(|key| ((*key).clone(), shown(scenario.get(*key))))
                .collect()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_and_what_follows_from_them_are_no_settings() {
        let read = |text: &str| flat(&text.parse().unwrap());
        let a = read("seed = 1\n[run]\nstable_dwell = 0.0100\nfinish = 1.0\n[[feed]]\ncount = 5\n");
        let b = read("seed = 2\n[run]\nstable_dwell = 0.0101\nfinish = 1\n[[feed]]\ncount = 5\n");
        assert!(differences(&[a.clone(), b])[1].is_empty());
        let c = read(
            "seed = 2\n[run]\nstable_dwell = 0.0200\nfinish = 1.0\n[[feed]]\ncount = 6\n[morph]\nrigid = true\n",
        );
        let found = differences(&[a, c]);
        let keys: Vec<&str> = found[1].keys().map(String::as_str).collect();
        assert_eq!(keys, ["feed[0].count", "morph.rigid", "run.stable_dwell"]);
        assert_eq!(found[0]["morph.rigid"], "-");
        assert_eq!(found[1]["feed[0].count"], "6");
    }
}
