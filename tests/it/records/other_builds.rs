//! Another build of the program gives the same bits: one without optimisation, by another compiler, for another
//! processor.
//!
//! ```text
//! cargo build --target-dir target/other
//! ARENITE_OTHER=target/other/debug/arenite cargo test --release --test it other_builds -- --ignored
//! ```

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::cli_tools::{TABLES, run_well, said, summary};

/// Every kind of model, law, shape and wall is in one of these; seconds of each.
const RUNS: [(&str, &str); 24] = [
    ("hopper", "0.5"),
    ("hopper-3d", "0.05"),
    ("hopper-clumps", "0.05"),
    ("hopper-ovals", "0.1"),
    ("settle-shapes", "0.2"),
    ("silo-fill", "0.5"),
    ("discharge-reload", "0.5"),
    ("t-gas", "0.1"),
    ("gas", "0.5"),
    ("cooling-gas", "0.5"),
    ("soft-gas", "0.2"),
    ("drum", "0.3"),
    ("tilt", "0.3"),
    ("rain", "0.3"),
    ("conveyor", "0.3"),
    ("screen", "0.2"),
    ("mill", "0.05"),
    ("shear-cell", "0.05"),
    ("simple-shear", "0.1"),
    ("triaxial", "0.01"),
    ("pipe-flow", "0.2"),
    ("gomboc", "0.2"),
    ("ice-floes", "0.2"),
    ("hertz-impact", "0.01"),
];

#[test]
#[ignore = "needs another build: ARENITE_OTHER"]
fn another_build_gives_the_same_bits() {
    let other = std::env::var_os("ARENITE_OTHER").expect("ARENITE_OTHER names another build");
    let other = fs::canonicalize(other).unwrap();
    let folder = tempfile::tempdir().unwrap();
    for (name, until) in RUNS {
        let arguments = |out| ["run", name, "--until", until, "-q", "-o", out];
        run_well(folder.path(), &arguments("here"));
        let output = Command::new(&other)
            .args(arguments("there"))
            .current_dir(folder.path())
            .output()
            .unwrap();
        assert!(output.status.success(), "{name}: {}", said(&output));
        let at = |out: &str| folder.path().join(out);
        let hash = |dir: &Path| summary(dir)["state_hash"].clone();
        assert_eq!(hash(&at("here")), hash(&at("there")), "{name}");
        for table in TABLES {
            let same = fs::read(at("here").join(table)).unwrap()
                == fs::read(at("there").join(table)).unwrap();
            assert!(same, "{name}: {table}");
        }
        println!("{name}: the same");
        for out in ["here", "there"] {
            fs::remove_dir_all(at(out)).unwrap();
        }
    }
}
