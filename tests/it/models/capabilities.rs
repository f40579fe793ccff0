//! The table of capabilities: every yes runs with a closed ledger and the model at work, everything else is refused with
//! its reason.

use std::sync::atomic::AtomicBool;

use arenite::capabilities::{Feature, Model, Support, entries};
use arenite::cluster::integrate::Integrate;
use arenite::ranks::Threads;
use arenite::record::{NullSink, Summary};
use arenite::scenario::{AnySetup, Scenario};
use arenite::system::{Control, Setup, domains_of, driver_of};
use rayon::prelude::*;
use toml::{Table, Value};

use crate::domains_checks::over;

/// Grains that lie on a floor between walls, and two above them that meet in flight and fall.
fn scene(dimension: usize, model: Model) -> Table {
    let flat = dimension == 2;
    let at = |x: f64, y: f64| match flat {
        true => format!("[{x:?}, {y:?}]"),
        false => format!("[{x:?}, 0.05, {y:?}]"),
    };
    let along = |axis: usize, size: f64| {
        let components = (0..dimension).map(|k| if k == axis { size } else { 0.0 });
        format!("{:?}", components.collect::<Vec<_>>())
    };
    let up = dimension - 1;
    let plane = |name: &str, axis: usize, sign: f64, at: f64| {
        format!(
            "[[boundary]]\nname = '{name}'\nmaterial = 'a'\nplane = {{ point = {}, normal = {} }}\n",
            along(axis, at),
            along(axis, sign)
        )
    };
    let mut walls =
        plane("floor", up, 1.0, 0.0) + &plane("left", 0, 1.0, 0.0) + &plane("right", 0, -1.0, 0.1);
    if !flat {
        walls += &(plane("front", 1, 1.0, 0.0) + &plane("back", 1, -1.0, 0.1));
    }
    // From event to event nobody touches at the start; else those that lie do.
    let gap = match model {
        Model::Collisions => 1e-4,
        _ => -1e-7,
    };
    // In equilibrium all have a neighbour, so that those without friction are held.
    let row = match model {
        Model::QuasiStatic => [0.01, 0.03, 0.05],
        _ => [0.02, 0.05, 0.08],
    };
    let lying = row.map(|x| format!("{{ position = {}, radius = 0.01 }}", at(x, 0.01 + gap)));
    let mut grains = lying.to_vec();
    if model != Model::QuasiStatic {
        for (x, y, speed) in [(0.035, 0.05, 0.3), (0.075, 0.055, -0.3)] {
            let (place, velocity) = (at(x, y), along(0, speed));
            grains.push(format!(
                "{{ position = {place}, radius = 0.01, velocity = {velocity} }}"
            ));
            if model == Model::Rigid && speed > 0.0 {
                // It takes another one along.
                let place = at(x, y + 0.02);
                grains.push(format!(
                    "{{ position = {place}, radius = 0.01, velocity = {velocity} }}"
                ));
            }
        }
    }
    let [normal, tangential, damping, across] = match flat {
        true => [1e7, 5e6, 250.0, 100.0],
        false => [1e5, 5e4, 3.0, 1.0],
    };
    let (run, section) = match model {
        Model::Dem | Model::Ranks | Model::Rigid => ("flight = false", "[morph]\nrigid = false\n"),
        Model::Flight => ("collisions = true", "[morph]\nrigid = false\n"),
        Model::Collisions => ("", "[events]\ncollapse = 'elastic'\n"),
        Model::Rest => ("", "[morph]\n"),
        Model::QuasiStatic => (
            "",
            "[quasi_static]\ninterval = 0.1\nfreedom = 'translational'\n",
        ),
        Model::Heun => unreachable!("nobody asks for it here"),
    };
    let text = format!(
        "name = 'cell'\ndescription = 'a cell of the table'\ndimension = {dimension}\n[field]\ngravity = {}\n\
         [run]\nend_time = 0.5\n{run}\n[log]\nseries = 0.05\nsnapshots = 'never'\ncheckpoint = 'never'\n{section}\
         [material.a]\ndensity = 1000.0\nyoung = 1e8\npoisson = 0.3\n[[law]]\nbetween = ['a', 'a']\n[law.linear]\n\
         normal_stiffness = {normal:?}\ntangential_stiffness = {tangential:?}\nnormal_damping = {damping:?}\n\
         tangential_damping = {across:?}\nfriction = 0.5\n{walls}[[fill]]\nmaterial = 'a'\ngrains = [{}]\n",
        along(up, -9.81),
        grains.join(", ")
    );
    text.parse().unwrap()
}

/// Puts what a feature asks for into a scene.
fn merge(scene: &mut Table, feature: &Table) {
    for (key, value) in feature {
        match (scene.get_mut(key), value) {
            (Some(Value::Table(inner)), Value::Table(more)) => merge(inner, more),
            (Some(Value::Array(list)), Value::Array(more))
                if more.iter().all(Value::is_table) && !matches!(key.as_str(), "law" | "fill") =>
            {
                list.extend(more.iter().cloned());
            }
            _ => {
                scene.insert(key.clone(), value.clone());
            }
        }
    }
}

pub fn scenario(dimension: usize, model: Model, mut feature: Table) -> String {
    let mut all = scene(dimension, model);
    let (dropped, form) = (feature.remove("drop"), feature.remove("grains"));
    let _ = (feature.remove("comes_with"), feature.remove("quiet"));
    merge(&mut all, &feature);
    if model == Model::Rigid {
        let young = if dimension == 2 { 1e7 } else { 1e6 };
        let bond: Table = format!("gap = 0.012\nrigid = 'always'\nbeam = {{ young = {young:?} }}")
            .parse()
            .unwrap();
        for law in all["law"].as_array_mut().unwrap() {
            law.as_table_mut()
                .unwrap()
                .insert("bond".into(), bond.clone().into());
        }
    }
    let dropped: Vec<Value> = dropped.map_or(Vec::new(), |list| list.as_array().unwrap().clone());
    let walls = all["boundary"].as_array_mut().unwrap();
    walls.retain(|wall| !dropped.contains(&wall["name"]));
    if let Some(form) = form {
        for fill in all["fill"].as_array_mut().unwrap() {
            fill.as_table_mut()
                .unwrap()
                .insert("shape".into(), form.clone());
        }
    }
    toml::to_string(&all).unwrap()
}

pub fn setup(text: &str) -> Result<AnySetup, String> {
    let resolved = Scenario::parse("cell", text, None, &[]).and_then(|scenario| scenario.resolve());
    resolved
        .map(|resolved| resolved.setup)
        .map_err(|problem| problem.render(false))
}

fn at_work(model: Model, summary: &Summary) -> bool {
    let (regimes, work) = (&summary.regimes, &summary.work);
    match model {
        Model::Dem => work.grain_steps > 0,
        Model::Flight => regimes.flight > 0.0,
        Model::Collisions => work.collisions > 0,
        Model::Rest => regimes.rest + regimes.rigid > 0.0,
        Model::QuasiStatic => work.stress_solves > 0,
        Model::Rigid => summary
            .bonds
            .and_then(|bonds| bonds.bodies)
            .is_some_and(|all| all.formed > 0),
        Model::Ranks | Model::Heun => unreachable!("asked elsewhere"),
    }
}

/// Runs a setup: what it warns of, or what is wrong with it.
fn run<D: Integrate>(model: Model, setup: Setup<D>, quiet: bool) -> Result<Vec<String>, String> {
    let mut run = driver_of(setup, None).map_err(|error| error.to_string())?;
    let never = AtomicBool::new(false);
    run.run(&mut NullSink, &mut Control::new(&never))
        .map_err(|error| error.to_string())?;
    let summary = run.summary();
    let energy = &summary.energy;
    let error = energy.balance_error.max(energy.balance_error_max);
    // `euler` gains energy in proportion to its step.
    if error.is_nan() || error > 0.02 {
        return Err(format!("the balance is off by {error:.1e}"));
    }
    match quiet || at_work(model, &summary) {
        true => Ok(summary.warnings),
        false => Err("the model has nothing to do".into()),
    }
}

/// The same over two ranks: the bits of one process.
fn shared<D: Integrate>(mut setup: Setup<D>) -> Result<Vec<String>, String> {
    domains_of(&setup, None, 2).map_err(|error| error.to_string())?;
    setup.run.end_time = 0.05;
    let mut own = arenite::system::System::new(setup.clone()).map_err(|error| error.to_string())?;
    let never = AtomicBool::new(false);
    own.run(&mut NullSink, &mut Control::new(&never))
        .map_err(|error| error.to_string())?;
    let ends = Threads::run(2, |ranks| {
        let end = over(ranks, &setup, None);
        end.map(|end| (end.system.state_hash(), end.system.summary().warnings))
    });
    match ends.into_iter().flatten().next() {
        Some((hash, warnings)) if hash == own.state_hash() => Ok(warnings),
        _ => Err("two ranks have other bits than one process".into()),
    }
}

/// What is wrong with a cell of the table, if anything.
fn wrong(feature: Feature, dimension: usize, model: Model, asks: &Table) -> Option<String> {
    let support = feature.support(model, dimension);
    let words = |key: &str| -> Vec<String> {
        let list = asks.get(key).and_then(Value::as_array);
        let list = list.into_iter().flatten().filter_map(Value::as_str);
        list.map(str::to_string).collect()
    };
    let quiet = words("quiet").iter().any(|name| name == model.name());
    let quiet = quiet || support != Support::Yes;
    let text = scenario(dimension, model, asks.clone());
    let done = match (setup(&text), model) {
        (Err(why), _) => Err(why),
        (Ok(AnySetup::Planar(setup)), Model::Ranks) => shared(setup),
        (Ok(AnySetup::Spatial(setup)), Model::Ranks) => shared(setup),
        (Ok(AnySetup::Planar(setup)), _) => run(model, setup, quiet),
        (Ok(AnySetup::Spatial(setup)), _) => run(model, setup, quiet),
    };
    let cell = format!(
        "{} in {dimension} dimensions, {}",
        feature.name(),
        model.name()
    );
    let beside = |name: &String| Feature::ALL.iter().find(|one| one.name() == name).copied();
    let with = words("comes_with");
    let mut reasons = with.iter().filter_map(beside).chain([feature]);
    let mut reason_in = |text: &str| {
        // Messages are broken into lines.
        let flowing = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut reasons = reasons
            .by_ref()
            .filter_map(|one| one.support(model, dimension).reason());
        reasons.any(|reason| flowing.contains(reason))
    };
    match (support, done) {
        (Support::Yes, Ok(_)) => None,
        (Support::Yes, Err(why)) => Some(format!("{cell}: yes, but {why}")),
        // What is left out with a warning is not taken either.
        (_, Ok(warnings)) => (!reason_in(&warnings.join(" ")))
            .then(|| format!("{cell}: {}, but it runs", support.name())),
        (_, Err(why)) => {
            (!reason_in(&why)).then(|| format!("{cell}: refused without its reason: {why}"))
        }
    }
}

pub fn asked_for() -> Vec<(Feature, [Option<Table>; 2])> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/capabilities.toml");
    let all: Table = std::fs::read_to_string(path).unwrap().parse().unwrap();
    let mut list: Vec<Table> = all["feature"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one.as_table().unwrap().clone())
        .collect();
    let found = Feature::ALL.iter().map(|feature| {
        let at = list
            .iter()
            .position(|one| one["name"].as_str() == Some(feature.name()));
        let one = list.remove(at.unwrap_or_else(|| panic!("{} is not tried", feature.name())));
        let asks =
            ["plane", "space"].map(|key| one.get(key).map(|asks| asks.as_table().unwrap().clone()));
        (*feature, asks)
    });
    let found: Vec<_> = found.collect();
    assert!(list.is_empty(), "no feature: {:?}", list[0]["name"]);
    found
}

#[test]
fn the_table_says_what_is() {
    let mut cells = Vec::new();
    for (feature, asks) in asked_for() {
        for (dimension, asks) in [2, 3].into_iter().zip(asks) {
            for model in Model::LISTED {
                match &asks {
                    Some(asks) => cells.push((feature, dimension, model, asks.clone())),
                    None => assert!(matches!(feature.support(model, dimension), Support::No(_))),
                }
            }
        }
    }
    let found = cells
        .par_iter()
        .filter_map(|(feature, dimension, model, asks)| wrong(*feature, *dimension, *model, asks));
    let found: Vec<String> = found.collect();
    assert!(
        found.is_empty(),
        "{} of {} cells:\n{}",
        found.len(),
        cells.len(),
        found.join("\n")
    );
}

/// Cells with a yes only become more.
#[test]
fn what_is_taken_only_grows() {
    let cells: Vec<_> = entries().collect();
    let there = |feature: &str, dimension: usize| {
        let dem = |cell: &&arenite::capabilities::Entry| {
            cell.feature == feature && cell.dimension == dimension && cell.model == "dem"
        };
        cells
            .iter()
            .find(dem)
            .is_some_and(|cell| cell.status == "yes")
    };
    for (model, least) in [
        ("dem", 176),
        ("flight", 127),
        ("collisions", 147),
        ("rest", 83),
        ("quasi_static", 132),
        ("rigid", 160),
        ("ranks", 101),
    ] {
        let own = cells
            .iter()
            .filter(|cell| cell.model == model && there(cell.feature, cell.dimension));
        let own: Vec<_> = own.collect();
        let yes = own.iter().filter(|cell| cell.status == "yes").count();
        println!("{model}: {yes} of {}", own.len());
        assert!(yes >= least, "{model}: {yes} instead of {least}");
    }
}
