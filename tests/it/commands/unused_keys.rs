//! What a scenario asks for in vain is told: keys that the model has no use for, what would act after the end, walls that
//! stand twice.

use std::fs;
use std::path::Path;

use arenite::scenario::{AnySetup, Override, Scenario};
use serde_json::Value;

use crate::cli_tools::{arenite, run_well, said};

/// What is told of a scenario, by the library.
fn told(text: &str, set: &[&str]) -> Vec<String> {
    let set: Vec<Override> = set
        .iter()
        .map(|text| Override::set(text).unwrap())
        .collect();
    let resolved = Scenario::parse("written.toml", text, None, &set)
        .and_then(|scenario| scenario.resolve())
        .unwrap_or_else(|problem| panic!("{}", problem.render(false)));
    match resolved.setup {
        AnySetup::Planar(setup) => setup.notes.warnings,
        AnySetup::Spatial(setup) => setup.notes.warnings,
    }
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// Keys of the step were accepted, and did nothing, where nothing steps.
#[test]
fn keys_that_the_model_has_no_use_for_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let set = ["--set", "run.step=1e-5", "--set", "run.integrator=heun"];
    let warning =
        "[events] has no use for `run.step`, `run.integrator`: what is written there does nothing";
    let run = [
        &["run", "billiard", "--until", "0.01", "-o", "run"][..],
        &set,
    ]
    .concat();
    let output = arenite(at, &run);
    assert!(output.status.success(), "{}", said(&output));
    assert!(
        said(&output).contains(&format!("warning: {warning}")),
        "{}",
        said(&output)
    );
    assert_eq!(
        json(&at.join("run/summary.json"))["warnings"],
        serde_json::json!([warning])
    );
    let output = arenite(at, &[&["check", "billiard"][..], &set].concat());
    let shown = String::from_utf8(output.stdout).unwrap();
    assert!(shown.contains(&format!("warning    {warning}")), "{shown}");
    let output = arenite(at, &[&["check", "billiard", "--json"][..], &set].concat());
    let shown: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(shown["warnings"], serde_json::json!([warning]));
    // The file of a run has all defaults in it, written by nobody.
    run_well(at, &["run", "run/scenario.toml", "-q", "-o", "again"]);
    assert_eq!(
        json(&at.join("again/summary.json"))["warnings"],
        serde_json::json!([])
    );
    let resolved = fs::read_to_string(at.join("run/scenario.toml")).unwrap();
    let found = told(&resolved, &["run.safety=0.4"]);
    assert_eq!(found.len(), 1);
    assert!(found[0].contains("for `run.safety`:"), "{found:?}");
}

/// Each key is told of that does nothing, and no other.
#[test]
fn keys_that_do_nothing_are_those_that_are_told() {
    let run = "stop_when_empty=true step=1e-5 safety=0.3 integrator=euler neighbor=brute flight=false tolerance=1e-2 \
               stable_speed=0.1 stable_dwell=0.1 slip_tolerance=0.1 outlet_interval=0.1";
    let keys: Vec<String> = run
        .split_whitespace()
        .map(|key| format!("run.{key}"))
        .collect();
    // From collision to collision grains leave, too.
    let leaving = ["run.stop_when_empty=true", "run.outlet_interval=0.1"];
    let stays = |key: &&String| !leaving.contains(&key.as_str());
    let more = |all: bool, list: &[&str]| -> Vec<String> {
        keys.iter()
            .filter(|key| all || stays(key))
            .cloned()
            .chain(list.iter().map(|key| (*key).into()))
            .collect()
    };
    let law = "[[law]]\nbetween = ['ball', 'cushion']\nlinear = { normal_stiffness = 1e6, tangential_stiffness = 1e6, \
               normal_damping = 1.0, tangential_damping = 1.0, friction = 0.3 }\n";
    let of = |name: &str| {
        arenite::scenario::embedded::scenario(name)
            .unwrap()
            .text
            .to_string()
    };
    let billiard = of("billiard") + law;
    let bridge = of("bridge");
    for (text, keys, used, also) in [
        (
            &billiard,
            more(false, &["run.start_overlap=0.01"]),
            "run.start_overlap=1e-12",
            "`law[0]`",
        ),
        (
            &bridge,
            more(
                true,
                &["field.drag=0.1", "fill[0].grains[1].velocity=[0.0, 1.0]"],
            ),
            "run.start_overlap=0.02",
            "",
        ),
    ] {
        for key in &keys {
            let found = told(text, &[used, key]).concat();
            let name = key.split('=').next().unwrap();
            assert!(found.contains(&format!("`{name}`")), "{key}: {found}");
            assert!(
                !found.contains("start_overlap") || name.ends_with("overlap"),
                "{found}"
            );
            assert!(found.contains(also), "{found}");
        }
    }
    assert_eq!(told(&bridge, &["run.end_time=5.0"]), Vec::<String>::new());
    // What is stepped has a use for all.
    let stepped = of("hopper");
    assert_eq!(
        told(&stepped, &["run.step=1e-6", "run.safety=0.3"]),
        Vec::<String>::new()
    );
}

/// A floor, a gate, a wall that moves, a feed, an outlet and perturbations, each of which begins at some time.
fn late(gate: f64, moves: f64, feed: f64, outlet: f64, perturb: f64) -> String {
    format!(
        "name = 'late'\ndimension = 2\n[field]\ngravity = [0.0, -9.81]\n[run]\nend_time = 0.01\noutlet_interval = {outlet:?}\n\
         [material.m]\ndensity = 2500.0\n[[law]]\nbetween = ['m', 'm']\nlinear = {{ normal_stiffness = 1e5, \
         tangential_stiffness = 1e5, normal_damping = 10.0, tangential_damping = 10.0, friction = 0.3 }}\n\
         [[boundary]]\nname = 'floor'\nmaterial = 'm'\nplane = {{ point = [0.0, 0.0], normal = [0.0, 1.0] }}\n\
         [[boundary]]\nname = 'lid'\nmaterial = 'm'\nopens_at = {gate:?}\nsegment = {{ from = [-1.0, 1.0], to = [1.0, 1.0] }}\n\
         [[boundary]]\nname = 'piston'\nmaterial = 'm'\nsegment = {{ from = [-1.0, 2.0], to = [1.0, 2.0] }}\n\
         motion = {{ pieces = [{{ from = 0.0 }}, {{ from = {moves:?}, velocity = [0.0, 0.1] }}] }}\n\
         [[feed]]\nmaterial = 'm'\nradius = 0.01\ncount = 1\nmin = [-0.1, 0.5]\nmax = [0.1, 0.6]\nevery = 1.0\nstart = {feed:?}\n\
         [[outlet]]\nplane = {{ point = [0.0, -1.0], normal = [0.0, 1.0] }}\n\
         [[perturb]]\ntime = {perturb:?}\ntap = {{ velocity = [0.0, 1.0] }}\n\
         [[perturb]]\ntime = {perturb:?}\ntilt = {{ angle = 0.1, duration = 0.1 }}\n\
         [[fill]]\nmaterial = 'm'\ngrains = [{{ position = [0.0, 0.1], radius = 0.01 }}]\n"
    )
}

/// Gates, feeds, outlets, motions and perturbations that never act were not told.
#[test]
fn what_would_act_after_the_end_is_told() {
    assert_eq!(
        told(&late(0.005, 0.005, 0.005, 0.005, 0.005), &[]),
        Vec::<String>::new()
    );
    let end = "but the run ends at 0.01 s: it does nothing";
    let whats = [
        "the gate `lid` opens",
        "the wall `piston` begins to move",
        "`feed[0]` starts",
        "grains that have left are first looked for (`run.outlet_interval`)",
        "`perturb[0]` comes",
        "`perturb[1]` comes",
    ];
    let all: Vec<String> = whats
        .iter()
        .map(|what| format!("{what} at 0.02 s, {end}"))
        .collect();
    let text = late(0.02, 0.02, 0.02, 0.02, 0.02);
    assert_eq!(told(&text, &[]), all);
    // At the very end something comes about; nothing more moves.
    let at_end = told(&late(0.01, 0.01, 0.01, 0.01, 0.01), &[]);
    let lasting = [0, 1, 5].map(|k: usize| format!("{} at 0.01 s, {end}", whats[k]));
    assert_eq!(at_end, lasting);
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("late.toml"), &text).unwrap();
    run_well(folder.path(), &["run", "late.toml", "-q", "-o", "run"]);
    assert_eq!(
        json(&folder.path().join("run/summary.json"))["warnings"],
        serde_json::json!(all)
    );
}

/// Two walls in the same place were felt by each grain twice, without a word.
#[test]
fn walls_that_stand_twice_are_told() {
    let walls = |list: &[&str]| {
        let mut text = "name = 'walls'\ndimension = 2\n[run]\nend_time = 0.01\n[material.m]\ndensity = 2500.0\n[[law]]\n\
                        between = ['m', 'm']\nlinear = { normal_stiffness = 1e5, tangential_stiffness = 1e5, \
                        normal_damping = 10.0, tangential_damping = 10.0, friction = 0.3 }\n[[fill]]\nmaterial = 'm'\n\
                        grains = [{ position = [0.5, 0.1], radius = 0.01 }]\n"
            .to_string();
        for (name, wall) in ["a", "b", "c", "d"].iter().zip(list) {
            text += &format!("[[boundary]]\nname = '{name}'\nmaterial = 'm'\n{wall}\n");
        }
        told(&text, &[])
    };
    let none = Vec::<String>::new();
    let floor = "plane = { point = [0.0, 0.0], normal = [0.0, 1.0] }";
    let line = "polyline = { points = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]] }";
    let back = "polyline = { points = [[1.0, 1.0], [1.0, 0.0], [0.0, 0.0]] }";
    let both = |a: &str, b: &str| {
        format!("the walls `{a}` and `{b}` stand in the same place: grains feel both")
    };
    assert_eq!(walls(&[floor, line, floor]), [both("a", "c")]);
    let again = "plane = { point = [3.0, 0.0], normal = [0.0, 0.5] }";
    assert_eq!(walls(&[floor, again]), [both("a", "b")]);
    assert_eq!(walls(&[line, back, line]), [both("a", "b"), both("a", "c")]);
    // Their other sides, beside each other, moved apart or going apart they are two.
    let under = "plane = { point = [0.0, 3.0], normal = [0.0, -1.0] }";
    assert_eq!(walls(&[floor, under]), none);
    let beside = "segment = { from = [1.0, 1.0], to = [2.0, 1.0] }";
    assert_eq!(walls(&[line, beside]), none);
    let moving = &format!("{line}\nmotion = {{ velocity = [0.0, 0.1] }}");
    assert_eq!(walls(&[line, moving]), none);
    assert_eq!(walls(&[moving, moving]), [both("a", "b")]);
    // A piece of a chain.
    let part = "polyline = { points = [[2.0, 0.0], [1.0, 0.0], [0.0, -0.0], [-1.0, 1.0]] }";
    let piece = "the walls `a` and `b` both go from (1, 0) to (0, 0): grains feel both there";
    assert_eq!(walls(&[line, part]), [piece]);
    let ball = "circle = { centre = [0.5, 0.1], radius = 0.4, grains = 'inside' }";
    assert_eq!(walls(&[ball, floor, ball]), [both("a", "c")]);
}
