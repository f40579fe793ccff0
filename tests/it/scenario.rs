//! The scenario format: embedded scenarios, resolving, the schema, and the corpus of bad files.

use arenite::scenario::{AnySetup, Override, Scenario, embedded, schema};

fn resolve(name: &str, text: &str) -> arenite::scenario::Resolved {
    Scenario::parse(name, text, None, &[])
        .and_then(|scenario| scenario.resolve())
        .unwrap_or_else(|problem| panic!("{problem}"))
}

/// A resolved scenario is a fixed point: it builds the identical setup and resolves to itself.
#[test]
fn resolved_scenarios_resolve_to_themselves() {
    for item in embedded::SCENARIOS {
        let first = resolve(item.name, item.text);
        let second = resolve(item.name, &first.toml);
        assert!(first.setup == second.setup, "{}", item.name);
        assert_eq!(first.toml, second.toml, "{}", item.name);
        assert_eq!(first.spec.name, item.name);
        assert!(first.spec.description.is_some(), "{}", item.name);
    }
}
