//! Finds the keys in which the scenarios of runs differ.

use std::collections::BTreeMap;

use toml::Value;

/// Keys with defaults computed from the grains: if radii are random they vary with the seed.
const FROM_GRAINS: [&str; 5] = [
    "run.stable_speed",
    "run.stable_dwell",
    "morph.dwell",
    "morph.carry_every",
    "morph.solve_time",
];
/// Greatest relative variation: radii are cut at three spreads, and spreads of a few per cent are usual.
const WAVER: f64 = 0.15;
/// Keys of the log do not change the motion.
const LOG: &str = "log.";
/// Keys that are never settings: they identify the run or the program.
const NO_SETTING: [&str; 3] = ["seed", "version", "description"];

/// Returns the values of a scenario by their paths, such as `fill[0].lattice.count`.
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

fn equal(key: &str, first: &BTreeMap<String, Value>, other: &BTreeMap<String, Value>) -> bool {
    let (a, b) = (first.get(key), other.get(key));
    let wavers = FROM_GRAINS.contains(&key) && first.get("seed") != other.get("seed");
    if a == b {
        return true;
    }
    let (Some(a), Some(b)) = (a, b) else {
        return false;
    };
    match (number(a), number(b)) {
        (Some(a), Some(b)) if a == b => true,
        (Some(a), Some(b)) => wavers && (a - b).abs() <= WAVER * a.abs(),
        _ => false,
    }
}

/// Returns for each scenario the values of the keys that differ, except the seed; "-" where one has none. Keys
/// computed from the grains may vary between seeds.
pub(super) fn differences(scenarios: &[BTreeMap<String, Value>]) -> Vec<BTreeMap<String, String>> {
    let mut keys: Vec<&str> = scenarios
        .iter()
        .flat_map(BTreeMap::keys)
        .map(String::as_str)
        .filter(|key| !NO_SETTING.contains(key) && !key.starts_with(LOG))
        .collect();
    keys.sort_unstable();
    keys.dedup();
    let (mut wavering, mut firm): (Vec<&str>, Vec<&str>) =
        keys.iter().partition(|key| FROM_GRAINS.contains(key));
    firm.retain(|key| {
        let mut all = scenarios.iter();
        all.any(|other| other.get(*key) != scenarios[0].get(*key))
    });
    let alike = |a: &BTreeMap<String, Value>, b: &BTreeMap<String, Value>| {
        firm.iter().all(|key| a.get(*key) == b.get(*key))
    };
    wavering.retain(|key| {
        scenarios.iter().any(|a| {
            let mut all = scenarios.iter();
            all.any(|b| !equal(key, a, b))
        })
    });
    let shown = |value: Option<&Value>| match value {
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
        None => "-".into(),
    };
    scenarios
        .iter()
        .map(|scenario| {
            let firm = firm
                .iter()
                .map(|key| ((*key).to_string(), shown(scenario.get(*key))));
            let wavering = wavering.iter().map(|key| {
                // Written as in the first run that agrees, so that runs of one setting have equal texts.
                let mut all = scenarios.iter();
                let like = all.find(|other| alike(other, scenario) && equal(key, other, scenario));
                let value = like.unwrap_or(scenario).get(*key);
                ((*key).to_string(), shown(value))
            });
            firm.chain(wavering).collect()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_and_what_follows_from_them_are_no_settings() {
        let read = |text: &str| flat(&text.parse().unwrap());
        let a =
            read("seed = 1\n[run]\nstable_dwell = 0.0100\nend_time = 1.0\n[[feed]]\ncount = 5\n");
        let b =
            read("seed = 2\n[run]\nstable_dwell = 0.0101\nend_time = 1.0\n[[feed]]\ncount = 5\n");
        assert!(differences(&[a.clone(), b])[1].is_empty());
        // Not even where the key itself is listed, because a third run has another value.
        let b =
            read("seed = 2\n[run]\nstable_dwell = 0.0101\nend_time = 1.0\n[[feed]]\ncount = 5\n");
        let c = read("seed = 1\n[run]\nstable_dwell = 0.03\nend_time = 1.0\n[[feed]]\ncount = 5\n");
        let found = differences(&[a.clone(), b, c]);
        assert_eq!(found[0], found[1]);
        assert_eq!(found[2]["run.stable_dwell"], "0.03");
        // With the same seed no value may vary.
        let b =
            read("seed = 1\n[run]\nstable_dwell = 0.0101\nend_time = 1.0\n[[feed]]\ncount = 5\n");
        assert_eq!(differences(&[a.clone(), b])[1].len(), 1);
        // Keys of the log are no settings either.
        let c = read(
            "seed = 2\n[run]\nstable_dwell = 0.0200\nend_time = 1.0\n[[feed]]\ncount = 6\n[log]\nseries = 0.1\n[morph]\nrigid = true\n",
        );
        let found = differences(&[a, c]);
        let keys: Vec<&str> = found[1].keys().map(String::as_str).collect();
        assert_eq!(keys, ["feed[0].count", "morph.rigid", "run.stable_dwell"]);
        assert_eq!(found[0]["morph.rigid"], "-");
        assert_eq!(found[1]["feed[0].count"], "6");
    }
}
