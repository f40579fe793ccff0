//! The scenario format: embedded scenarios, resolving, overrides, the schema, and the corpus of
//! bad files in `tests/bad`.

use std::path::Path;

use arenite::contact::{ContactLaw, Hertz, Linear, restitution};
use arenite::geometry::{Planar, Spatial};
use arenite::scenario::{AnySetup, Override, Problem, Resolved, Scenario, embedded, schema};
use arenite::system::{FeedTiming, OutletSetup, RadiusLaw, Setup};
use arenite::walls::shapes;
use arenite::walls::{Motion, Shape};
use nalgebra::{Vector2, Vector3};
use serde_json::Value;

fn parse(text: &str) -> Resolved {
    Scenario::parse("test.toml", text, None, &[])
        .and_then(|scenario| scenario.resolve())
        .unwrap_or_else(|problem| panic!("{problem}"))
}

fn planar(text: &str) -> Setup<Planar> {
    match parse(text).setup {
        AnySetup::Planar(setup) => setup,
        AnySetup::Spatial(_) => panic!("not planar"),
    }
}

fn spatial(text: &str) -> Setup<Spatial> {
    match parse(text).setup {
        AnySetup::Spatial(setup) => setup,
        AnySetup::Planar(_) => panic!("not spatial"),
    }
}

/// A resolved scenario is a fixed point: it builds the identical setup and resolves to itself.
#[test]
fn resolved_scenarios_resolve_to_themselves() {
    for item in embedded::SCENARIOS {
        let first = parse(item.text);
        let second = parse(&first.toml);
        assert!(first.setup == second.setup, "{}", item.name);
        let told = match &first.setup {
            AnySetup::Planar(setup) => &setup.notes.warnings,
            AnySetup::Spatial(setup) => &setup.notes.warnings,
        };
        assert_eq!(told, &[""; 0], "{}", item.name);
        assert_eq!(first.toml, second.toml, "{}", item.name);
        assert_eq!(first.spec.name, item.name);
        assert!(first.spec.description.is_some(), "{}", item.name);
        let version = first.spec.version.as_deref();
        assert_eq!(version, Some(env!("CARGO_PKG_VERSION")));
    }
}

/// A nominal restitution becomes the damping ratio that gives it.
#[test]
fn restitution_is_read_as_the_damping_that_gives_it() {
    let text = embedded::scenario("hertz-impact").map(|item| item.text);
    let text = text.unwrap_or_default();
    assert!(text.contains("restitution = 1.0"));
    let setup = spatial(&text.replace("restitution = 1.0", "restitution = 0.2"));
    let ratios = setup
        .matter
        .laws
        .laws
        .iter()
        .flatten()
        .map(|law| match law {
            ContactLaw::Hertz(Hertz { damping_ratio, .. }) => *damping_ratio,
            _ => panic!("not Hertz"),
        });
    let ratios: Vec<f64> = ratios.collect();
    assert!(!ratios.is_empty());
    for ratio in ratios {
        // The textbook's -ln e / sqrt(pi^2 + ln^2 e) would be 0.456, which gives 0.33.
        assert!(ratio > 0.6);
        assert!((restitution(ratio) - 0.2).abs() < 1e-15);
    }
}

/// The hopper is that of the thesis and of the peers' decks: laws, walls, filling.
#[test]
fn hopper_is_the_thesis_hopper() {
    let text = embedded::scenario("hopper").map(|item| item.text);
    let setup = planar(text.unwrap_or_default());
    assert_eq!(setup.grains.len(), 500);
    assert_eq!(setup.matter.materials, ["thesis-disk", "thesis-wall"]);
    let law = |kn, kt, c, mu| {
        ContactLaw::Linear(Linear {
            normal_stiffness: kn,
            tangential_stiffness: kt,
            normal_damping: c,
            tangential_damping: c,
            friction: mu,
        })
    };
    assert_eq!(setup.matter.laws.get(0, 0), Some(&law(1e6, 1e5, 1e3, 0.43)));
    assert_eq!(
        setup.matter.laws.get(0, 1),
        Some(&law(1.5e6, 1.5e5, 1.5e3, 0.33))
    );
    assert_eq!(setup.matter.laws.get(1, 1), None);
    // A disk of 0.01 m and 1190 kg/m^2.
    let mass = 1190.0 * std::f64::consts::PI * 1e-4;
    assert!((setup.grains[0].mass - mass).abs() < 1e-12 * mass);
    // Twelve columns: the disks of a row lie in cells of 0.025 m.
    for (k, grain) in setup.grains.iter().take(24).enumerate() {
        let cell = (grain.position.x / 0.025) as usize;
        assert_eq!(cell, k % 12, "grain {k} at {}", grain.position);
        assert!(grain.velocity.x.abs() <= 0.3 && grain.velocity.y.abs() <= 0.3);
    }
    assert_eq!(setup.boundaries[4].opens_at, Some(0.0));
    let funnel = Shape::Polyline(shapes::Polyline {
        points: vec![[0.0, 0.190526].into(), [0.11, 0.0].into()],
        closed: false,
    });
    assert_eq!(setup.boundaries[2].shape, funnel);
    assert_eq!(setup.run.settle.map(|settle| settle.at_most), Some(2.0));
    assert!(setup.run.stop_when_empty);
}

/// Another seed is another filling, and nothing else.
#[test]
fn the_seed_changes_the_filling() {
    let text = embedded::scenario("hopper")
        .map(|item| item.text)
        .unwrap_or_default();
    let seeded = |seed: &str| {
        let set = Override::option("--seed", "seed", seed);
        let scenario = Scenario::parse("hopper", text, None, &[set]);
        let resolved = scenario.and_then(|scenario| scenario.resolve());
        match resolved.map(|resolved| resolved.setup) {
            Ok(AnySetup::Planar(setup)) => setup,
            _ => panic!("not a planar setup"),
        }
    };
    let (one, two) = (seeded("1"), seeded("2"));
    assert!(one.grains[0].position != two.grains[0].position);
    assert_eq!(one.boundaries, two.boundaries);
    assert!(seeded("1") == one);
}

const BASE: &str = r#"
name = "test"
dimension = 2
[run]
end_time = 1.0
[[fill]]
material = "thesis-disk"
[[fill.grains]]
position = [0, 0]
radius = 0.01
"#;

fn with(more: &str) -> String {
    format!("{BASE}{more}")
}

#[test]
fn planar_walls() {
    let setup = planar(&with(
        r#"
[[boundary]]
material = "thesis-wall"
segment = { from = [1, 0], to = [1, 1] }
motion = { rotation = { centre = [1, 0], spin = 2 } }
[[boundary]]
material = "thesis-wall"
polyline = { points = [[2, 0], [3, 0], [2, 1]], closed = true }
motion = { harmonic = { amplitude = [0, 0.1], frequency = 5 } }
[[boundary]]
material = "thesis-wall"
circle = { centre = [0, 0], radius = 9, grains = "inside" }
motion = { velocity = [0, 1] }
[[boundary]]
name = "mine"
material = "thesis-wall"
box = { min = [5, 5], max = [6, 6], grains = "outside" }
motion = { pieces = [{ from = 0, velocity = [1, 0] }, { from = 1, acceleration = [0, 1] }] }
opens_at = 0.5
"#,
    ));
    let walls = &setup.boundaries;
    let names: Vec<&str> = walls.iter().map(|wall| wall.name.as_str()).collect();
    assert_eq!(names, ["wall-1", "wall-2", "wall-3", "mine"]);
    assert!(
        matches!(&walls[0].shape, Shape::Polyline(shapes::Polyline { points, closed: false }) if points.len() == 2)
    );
    assert!(matches!(
        walls[0].motion,
        Motion::Rotation { spin: 2.0, .. }
    ));
    assert!(
        matches!(&walls[1].shape, Shape::Polyline(shapes::Polyline { points, closed: true }) if points.len() == 3)
    );
    assert!(matches!(
        walls[1].motion,
        Motion::Harmonic {
            frequency: 5.0,
            phase: 0.0,
            ..
        }
    ));
    assert!(matches!(
        walls[2].shape,
        Shape::Ball(shapes::Ball {
            radius: 9.0,
            inside: true,
            ..
        })
    ));
    assert!(matches!(&walls[2].motion, Motion::Velocity(v) if v.y == 1.0));
    assert!(matches!(
        walls[3].shape,
        Shape::Box(shapes::Cuboid { inside: false, .. })
    ));
    assert!(matches!(&walls[3].motion, Motion::Pieces(list) if list[1].acceleration.y == 1.0));
    assert_eq!(walls[3].opens_at, Some(0.5));
}

#[test]
fn spatial_walls_are_turned_profiles() {
    let setup = spatial(
        r#"
name = "test"
dimension = 3
[run]
end_time = 1.0
[[fill]]
material = "glass"
[[fill.grains]]
position = [0, 0, 0.5]
radius = 0.01
spin = [1, 2, 3]
[[boundary]]
material = "steel"
cylinder = { from = [0, 0, 0], to = [0, 0, 2], radius = 1 }
[[boundary]]
material = "steel"
cone = { from = [0, 0, -1], to = [0, 0, 0], from_radius = 0, to_radius = 1 }
[[boundary]]
material = "steel"
sphere = { centre = [0, 0, 0], radius = 5, grains = "inside" }
"#,
    );
    let profile = |k: usize| match &setup.boundaries[k].shape {
        Shape::Revolved(shapes::Revolved { profile, .. }) => profile.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(profile(0), [[1.0, 0.0], [1.0, 2.0]]);
    assert_eq!(profile(1), [[0.0, 0.0], [1.0, 1.0]]);
    assert_eq!(setup.grains[0].spin, Vector3::new(1.0, 2.0, 3.0));
    // Effective moduli of glass on steel (Johnson 1985), worked out by hand:
    // 1/E = (1 - 0.2^2)/48e9 + (1 - 0.3^2)/210e9, 1/G = 2 (1.8)(1.2)/48e9 + 2 (1.7)(1.3)/210e9.
    let Some(ContactLaw::Hertz(Hertz {
        young,
        shear,
        damping_ratio,
        friction,
    })) = setup.matter.laws.get(0, 1)
    else {
        panic!("no Hertz law");
    };
    assert!((young - 1.0 / (2e-11 + 4.333333333333333e-12)).abs() < 1e-6 * young);
    assert!((shear - 1.0 / (9e-11 + 2.104761904761905e-11)).abs() < 1e-6 * shear);
    // Somewhat more than -ln 0.93 / sqrt(pi^2 + ln^2 0.93) = 0.0231, since the force never pulls.
    assert!((0.0232..0.0236).contains(damping_ratio), "{damping_ratio}");
    assert!((restitution(*damping_ratio) - 0.93).abs() < 1e-15);
    assert_eq!(*friction, 0.12);
}

#[test]
fn feeds_outlets_and_logs() {
    let setup = planar(&with(
        r#"
[[feed]]
material = "thesis-disk"
radius = { min = 0.01, max = 0.02 }
count = 7
min = [0, 1]
max = [1, 2]
poisson = 30
[[outlet]]
plane = { point = [0, -1], normal = [0, 1] }
[[outlet]]
outside = { min = [-5, -5], max = [5, 5] }
[log]
series = "never"
snapshots = 0.25
events = "links"
"#,
    ));
    let feed = &setup.sources.feeds[0];
    assert_eq!(feed.timing, FeedTiming::Poisson(30.0));
    assert_eq!(
        feed.what.components()[0].radius,
        RadiusLaw::Uniform {
            min: 0.01,
            max: 0.02
        }
    );
    assert_eq!((feed.count, feed.what.components()[0].density), (7, 1190.0));
    assert!(matches!(
        setup.sources.outlets[0],
        OutletSetup::Plane { .. }
    ));
    assert!(matches!(
        setup.sources.outlets[1],
        OutletSetup::Outside { .. }
    ));
    assert_eq!((setup.log.series, setup.log.snapshots), (None, Some(0.25)));
    // Little work: no checkpoints unless asked for.
    assert_eq!(setup.log.checkpoint, None);
}

/// Only pairs that can meet need a law: a single grain does not meet its own kind.
#[test]
fn laws_are_asked_for_where_grains_can_meet() {
    let text = |grains: &str| {
        format!(
            "name = \"test\"\ndimension = 2\n[run]\nend_time = 1.0\n[material.clay]\ndensity = 1.0\n\
             [[fill]]\nmaterial = \"clay\"\ngrains = [{grains}]\n"
        )
    };
    let one = "{ position = [0, 0], radius = 0.1 }";
    planar(&text(one));
    let two = format!("{one}, {{ position = [1, 0], radius = 0.1 }}");
    let fault = Scenario::parse("test.toml", &text(&two), None, &[])
        .and_then(|scenario| scenario.resolve())
        .map(|_| ());
    let title = fault.map_err(|problem| problem.title().to_string());
    let wanted = "`clay` and `clay` can meet, but no law is given for this pair";
    assert_eq!(title, Err(wanted.to_string()));
}

/// Grains of a file are taken into the resolved scenario, which then stands alone.
#[test]
fn files_are_taken_in() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    std::fs::write(
        folder.path().join("start.csv"),
        "id,x,y,r,vx,vy\n0,0.1,0.2,0.01,0.3,-0.4\n1,0.5,0.2,0.02,0,0\n",
    )?;
    let text = "name = \"test\"\ndimension = 2\n[run]\nend_time = 1.0\n\
        [[fill]]\nmaterial = \"thesis-disk\"\nfile = \"start.csv\"\n";
    let first = Scenario::parse("test.toml", text, Some(folder.path()), &[])?.resolve()?;
    let second = parse(&first.toml);
    assert!(first.setup == second.setup);
    assert!(!first.toml.contains("start.csv"));
    let AnySetup::Planar(setup) = first.setup else {
        return Err("not planar".into());
    };
    assert_eq!(setup.grains[0].velocity, Vector2::new(0.3, -0.4));
    assert_eq!(setup.grains[1].radius, 0.02);
    Ok(())
}

#[test]
fn overrides_replace_and_add() -> Result<(), Box<dyn std::error::Error>> {
    let set = |text: &str| Override::set(text);
    let overrides = [
        set("run.end_time=2")?,
        set("run.integrator=heun")?,
        set("fill[0].grains[0].radius = 0.03")?,
        set("settle.at_most=1.5")?,
        set("name='other'")?,
    ];
    let resolved = Scenario::parse("test.toml", BASE, None, &overrides)?.resolve()?;
    let AnySetup::Planar(setup) = resolved.setup else {
        return Err("not planar".into());
    };
    assert_eq!(setup.run.end_time, 2.0);
    assert_eq!(setup.grains[0].radius, 0.03);
    assert_eq!(setup.run.settle.map(|settle| settle.at_most), Some(1.5));
    assert_eq!(resolved.spec.name, "other");
    assert!(resolved.toml.contains("integrator = \"heun\""));
    assert!(Override::set("no-equals-sign").is_err());
    assert!(Override::set("a..b=1").is_err());
    Ok(())
}

/// Where blanks stood after the value of an override, its last letters were not marked, and a part of a letter was a panic.
#[test]
fn faults_in_letters_of_several_bytes_are_told() {
    for wrong in [
        "\u{feff}",
        "\u{511}",
        "\u{1f300}",
        "1\u{e9}",
        "[1, \u{2260}]",
    ] {
        for text in [
            format!("name = {wrong}\n"),
            format!("name = \"a\"\n{wrong} = 1\n"),
        ] {
            let fault = Scenario::parse("test.toml", &text, None, &[]).unwrap_err();
            let told = fault.render(false);
            assert!(told.contains("this is not TOML"), "{text}: {told}");
            assert!(told.contains("test.toml:"), "{text}: {told}");
        }
        for blanks in ["", " ", "\r\n", " \u{c} "] {
            let value = Override::set(&format!("run.end_time= {wrong}{blanks}")).unwrap();
            let base = "name = \"a\"\ndimension = 2\n";
            let fault = Scenario::parse("test.toml", base, None, &[value]).unwrap_err();
            let told = fault.render(false);
            assert!(told.contains("is not a TOML value"), "{told}");
            assert!(told.contains("command line:1:21"), "{told}");
        }
    }
}

/// The problem that a file of the corpus produces.
fn fault_of(path: &Path, text: &str, arguments: &[String]) -> Option<Problem> {
    let overrides: Result<Vec<Override>, String> =
        arguments.iter().map(|text| Override::set(text)).collect();
    let overrides = overrides.unwrap_or_else(|why| panic!("{}: {why}", path.display()));
    let name = path.file_name()?.to_string_lossy();
    // Files beside the scenario are found, and named without the folder of this checkout.
    Scenario::parse(&name, text, Some(Path::new("tests/bad")), &overrides)
        .and_then(|scenario| scenario.resolve())
        .err()
}

/// Each bad file carries, behind `# message:`, the message that it must produce (and before it
/// the overrides). `ARENITE_BLESS=1` writes what is produced into the files, to be read with care.
#[test]
fn bad_files_give_their_messages() -> Result<(), Box<dyn std::error::Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bad");
    let mut paths: Vec<_> = std::fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    paths.retain(|path| path.extension().is_some_and(|end| end == "toml"));
    paths.sort();
    assert!(paths.len() > 50, "the corpus is gone");
    let bless = std::env::var_os("ARENITE_BLESS").is_some();
    let mut wrong = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(&path)?;
        let (body, wanted) = text
            .split_once("# message:\n")
            .ok_or_else(|| format!("{} carries no message", path.display()))?;
        let arguments: Vec<String> = body
            .lines()
            .filter_map(|line| line.strip_prefix("# --set "))
            .map(str::to_string)
            .collect();
        let got = match fault_of(&path, &text, &arguments) {
            Some(problem) => problem.to_string(),
            None => "no fault was found".to_string(),
        };
        let got: String = got
            .lines()
            .map(|line| format!("# {line}").trim_end().to_string() + "\n")
            .collect();
        if bless {
            std::fs::write(&path, format!("{body}# message:\n{got}"))?;
        } else if got != wanted {
            wrong.push(format!("{}\nwanted\n{wanted}got\n{got}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

/// Whether a schema accepts a value, as far as its structure goes: keys, types and choices.
fn accepts(root: &Value, schema: &Value, value: &Value) -> Result<(), String> {
    if let Some(reference) = schema["$ref"].as_str() {
        let target = root.pointer(reference.trim_start_matches('#'));
        accepts(root, target.ok_or(reference.to_string())?, value)?;
    }
    for (word, all) in [("anyOf", false), ("oneOf", false), ("allOf", true)] {
        let Some(options) = schema[word].as_array() else {
            continue;
        };
        let results: Vec<_> = options
            .iter()
            .map(|option| accepts(root, option, value))
            .collect();
        if all || results.iter().all(Result::is_err) {
            results.into_iter().collect::<Result<Vec<_>, _>>()?;
        }
    }
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let fits = |name: &str| name == kind || (name == "number" && kind == "integer");
    let types = match &schema["type"] {
        Value::String(name) => vec![name.as_str()],
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    if !types.is_empty() && !types.iter().any(|name| fits(name)) {
        return Err(format!("{value} is {kind}, not {types:?}"));
    }
    if schema["enum"]
        .as_array()
        .is_some_and(|list| !list.contains(value))
        || schema.get("const").is_some_and(|only| only != value)
    {
        return Err(format!("{value} is not a choice"));
    }
    if let (Some(items), Some(list)) = (schema.get("items"), value.as_array()) {
        for item in list {
            accepts(root, items, item)?;
        }
    }
    if let Some(object) = value.as_object() {
        for name in schema["required"].as_array().into_iter().flatten() {
            if !object.contains_key(name.as_str().unwrap_or_default()) {
                return Err(format!("{name} is missing"));
            }
        }
        for (key, item) in object {
            match schema["properties"]
                .get(key)
                .or(schema.get("additionalProperties"))
            {
                Some(Value::Bool(false)) => return Err(format!("unknown key {key}")),
                Some(inner @ Value::Object(_)) => {
                    accepts(root, inner, item).map_err(|why| format!("{key}: {why}"))?
                }
                _ => {}
            }
        }
    }
    Ok(())
}

#[test]
fn the_schema_accepts_the_embedded_scenarios() -> Result<(), Box<dyn std::error::Error>> {
    let schema = schema();
    for item in embedded::SCENARIOS {
        for text in [item.text, parse(item.text).toml.as_str()] {
            let value: Value = toml::from_str(text)?;
            accepts(&schema, &schema, &value).map_err(|why| format!("{}: {why}", item.name))?;
        }
    }
    // and refuses what the program refuses: the check above can fail.
    for text in [
        "name = 1",
        &with("[[outlet]]\nplan = 1\n"),
        &with("speed = 1\n"),
    ] {
        let value: Value = toml::from_str(text)?;
        assert!(accepts(&schema, &schema, &value).is_err(), "{text}");
    }
    Ok(())
}

/// Every key has a description in the schema.
#[test]
fn every_key_is_described() {
    fn walk(path: &str, schema: &Value, bare: &mut Vec<String>) {
        if let Some(properties) = schema["properties"].as_object() {
            for (key, property) in properties {
                if property.get("description").is_none() {
                    bare.push(format!("{path}.{key}"));
                }
            }
        }
        for part in ["$defs", "properties"] {
            for (key, inner) in schema[part].as_object().into_iter().flatten() {
                walk(&format!("{path}.{key}"), inner, bare);
            }
        }
    }
    let mut bare = Vec::new();
    walk("", &schema(), &mut bare);
    assert!(bare.is_empty(), "{bare:?}");
}
