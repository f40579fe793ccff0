//! Each three of law, term, wall, motion, box, field and model together: a covering array of degree three, whose rows run with a closed ledger and, where
//! grains are not stepped anyway, beside a stepped twin. On demand:
//! `cargo test --release --test it covering -- --ignored --nocapture`.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicBool;

use arenite::capabilities::{Feature, Model, Support};
use arenite::cluster::integrate::Integrate;
use arenite::record::{MemorySink, Summary};
use arenite::scenario::AnySetup;
use arenite::system::{Control, Setup, simulation};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use toml::{Table, Value};

use super::capabilities::{asked_for, scenario, setup};

/// Until when a run is compared with its stepped twin, s: some have collided by then, and none of them twice.
const TOGETHER: f64 = 0.1;
/// How far the centre of mass may be off that of the twin, over a grain's radius.
const APART: f64 = 0.2;

/// What may be chosen of a kind: the features and what each asks for; the first may be nothing.
type Choices = Vec<Option<(Feature, Table)>>;

fn starts(feature: Feature, all: &[&str]) -> bool {
    all.iter().any(|start| feature.name().starts_with(start))
}

/// Laws, terms, walls, motions, boxes and fields of a dimension.
fn kinds(dimension: usize) -> [Choices; 6] {
    let all: Vec<(Feature, Table)> = asked_for()
        .into_iter()
        .filter_map(|(feature, asks)| Some((feature, asks[dimension - 2].clone()?)))
        .collect();
    let pick = |nothing: bool, which: &dyn Fn(Feature) -> bool| -> Choices {
        let found = all.iter().filter(|(feature, _)| which(*feature));
        let found = found.cloned().map(Some);
        nothing.then_some(None).into_iter().chain(found).collect()
    };
    let terms = [
        "law.cohesion",
        "law.plastic",
        "law.rolling",
        "law.twisting",
        "law.limit",
    ];
    let moved = ["motion.", "wall.passes", "wall.opens_at"];
    [
        pick(false, &|f| starts(f, &["law."]) && !starts(f, &terms)),
        pick(true, &|f| starts(f, &terms)),
        pick(false, &|f| starts(f, &["wall."]) && !starts(f, &moved)),
        pick(true, &|f| starts(f, &moved)),
        pick(true, &|f| starts(f, &["box."])),
        pick(true, &|f| {
            starts(f, &["field."]) && f.name() != "field.gravity"
        }),
    ]
}

const MODELS: [Model; 5] = [
    Model::Dem,
    Model::Flight,
    Model::Collisions,
    Model::Rest,
    Model::QuasiStatic,
];

/// Rows of choices by number, the last that of the model, in which each three of different kinds appear together that some model takes, greedily: of some
/// drawn rows that which has most that are new. `takes`: whether a model takes a choice of a kind.
fn rows(sizes: &[usize], takes: impl Fn(usize, usize, usize) -> bool) -> Vec<Vec<usize>> {
    let mut random = ChaCha8Rng::seed_from_u64(39);
    let (models, kinds) = (sizes[sizes.len() - 1], sizes.len() - 1);
    // What each model takes of each kind.
    let taken: Vec<Vec<Vec<usize>>> = (0..models)
        .map(|model| {
            let of = |kind: usize| {
                (0..sizes[kind])
                    .filter(|&k| takes(model, kind, k))
                    .collect()
            };
            (0..kinds).map(of).collect()
        })
        .collect();
    let triples = |row: &[usize]| {
        let mut list = Vec::new();
        for a in 0..row.len() {
            for b in a + 1..row.len() {
                for c in b + 1..row.len() {
                    list.push([(a, row[a]), (b, row[b]), (c, row[c])]);
                }
            }
        }
        list
    };
    let mut left = BTreeSet::new();
    for (model, taken) in taken.iter().enumerate() {
        let mut lists = taken.clone();
        lists.push(vec![model]);
        for a in 0..lists.len() {
            for b in a + 1..lists.len() {
                for c in b + 1..lists.len() {
                    for &i in &lists[a] {
                        for &j in &lists[b] {
                            left.extend(lists[c].iter().map(|&k| [(a, i), (b, j), (c, k)]));
                        }
                    }
                }
            }
        }
    }
    let mut found = Vec::new();
    while let Some(seed) = left.first().copied() {
        let fits = |model: &usize| {
            seed.iter().all(|&(kind, choice)| match kind == kinds {
                true => choice == *model,
                false => taken[*model][kind].contains(&choice),
            })
        };
        let fitting: Vec<usize> = (0..models).filter(fits).collect();
        let drawn: Vec<(usize, Vec<usize>)> = (0..30)
            .map(|_| {
                let model = fitting[random.random_range(0..fitting.len())];
                let pick = |of: &Vec<usize>| of[random.random_range(0..of.len())];
                let mut row: Vec<usize> = taken[model].iter().map(pick).collect();
                row.push(model);
                for (kind, choice) in seed {
                    row[kind] = choice;
                }
                let new = triples(&row).iter().filter(|t| left.contains(*t)).count();
                (new, row)
            })
            .collect();
        let best = drawn.into_iter().max_by_key(|(new, _)| *new).unwrap().1;
        for triple in triples(&best) {
            left.remove(&triple);
        }
        found.push(best);
    }
    found
}

/// What a row asks for, put together: a term goes into the law, a motion into the wall.
fn together(chosen: [Option<&(Feature, Table)>; 6]) -> Table {
    let [law, term, wall, motion, space, field] = chosen.map(|choice| choice.map(|(_, asks)| asks));
    let first = |asks: &Table, list: &str| -> Option<Table> {
        asks.get(list)?.as_array()?.first()?.as_table().cloned()
    };
    let mut all = Table::new();
    let mut lists: Vec<(&str, Value)> = Vec::new();
    let law = law.and_then(|asks| first(asks, "law"));
    let term = term.and_then(|asks| first(asks, "law"));
    if let Some(mut one) = law.clone().or_else(|| term.clone()) {
        for (key, value) in term.into_iter().flatten() {
            // The law itself is that of the row.
            if [
                "cohesion",
                "plastic",
                "rolling",
                "twisting",
                "limit_spring_only",
            ]
            .contains(&key.as_str())
            {
                one.insert(key, value);
            }
        }
        lists.push(("law", Value::Array(vec![one.into()])));
    }
    let wall = wall.and_then(|asks| first(asks, "boundary"));
    let motion = motion.and_then(|asks| first(asks, "boundary"));
    if let Some(mut one) = wall {
        for (key, value) in motion.into_iter().flatten() {
            if ["motion", "belt", "passes", "opens_at"].contains(&key.as_str()) {
                one.insert(key, value);
            }
        }
        lists.push(("boundary", Value::Array(vec![one.into()])));
    }
    for asks in [space, field].into_iter().flatten() {
        for (key, value) in asks {
            match (all.get_mut(key), value) {
                (Some(Value::Table(inner)), Value::Table(more)) => inner.extend(more.clone()),
                (Some(Value::Array(list)), Value::Array(more)) => list.extend(more.clone()),
                _ => {
                    all.insert(key.clone(), value.clone());
                }
            }
        }
    }
    for (key, value) in lists {
        match (all.get_mut(key), value) {
            (Some(Value::Array(list)), Value::Array(more)) => list.extend(more),
            (_, value) => {
                all.insert(key.into(), value);
            }
        }
    }
    all
}

fn ran<D: Integrate>(setup: Setup<D>) -> Result<(MemorySink, Summary), String> {
    let mut run = simulation(setup, None).map_err(|error| error.to_string())?;
    let (never, mut sink) = (AtomicBool::new(false), MemorySink::default());
    run.run(&mut sink, &mut Control::new(&never))
        .map_err(|error| error.to_string())?;
    Ok((sink, run.summary()))
}

fn run(setup: AnySetup, finish: Option<f64>) -> Result<(MemorySink, Summary), String> {
    match setup {
        AnySetup::Planar(mut setup) => {
            setup.finish = finish.unwrap_or(setup.finish);
            ran(setup)
        }
        AnySetup::Spatial(mut setup) => {
            setup.finish = finish.unwrap_or(setup.finish);
            ran(setup)
        }
    }
}

/// The centre of mass at the end, m.
fn centre(sink: &MemorySink) -> Option<[f64; 3]> {
    let grains = &sink.snapshots.last()?.0;
    let mass: f64 = grains.iter().map(|grain| grain.mass).sum();
    let sum = |k: usize| {
        grains
            .iter()
            .map(|grain| grain.mass * grain.position[k])
            .sum::<f64>()
    };
    Some(std::array::from_fn(|k| sum(k) / mass))
}

/// What became of a row.
enum Outcome {
    Ran,
    /// Why not: two that do not go together, or what the run said when it stopped.
    Refused(String),
    Wrong(String),
}

fn tried(dimension: usize, model: Model, asks: &Table) -> Outcome {
    let text = scenario(dimension, model, asks.clone());
    let setup_of = match setup(&text) {
        Ok(setup) => setup,
        Err(why) if why.contains("not yet") => return Outcome::Wrong(why),
        Err(why) => return Outcome::Refused(why),
    };
    let (_, summary) = match run(setup_of, None) {
        Ok(done) => done,
        // What stops with a reason is told; a number that is none is not.
        Err(why) if why.contains("not a number") || why.contains("no finite") => {
            return Outcome::Wrong(why);
        }
        Err(why) => return Outcome::Refused(why),
    };
    let energy = &summary.energy;
    let error = energy.balance_error.max(energy.balance_error_max);
    if error.is_nan() || error > 0.02 {
        return Outcome::Wrong(format!("the balance is off by {error:.1e}"));
    }
    if !matches!(model, Model::Flight | Model::Collisions) {
        return Outcome::Ran;
    }
    let mut asks = asks.clone();
    let log: Table = "snapshots = 0.1".parse().unwrap();
    asks.insert("log".into(), log.into());
    let ends = [model, Model::Dem].map(|model| {
        let setup = setup(&scenario(dimension, model, asks.clone())).ok()?;
        centre(&run(setup, Some(TOGETHER)).ok()?.0)
    });
    let [Some(one), Some(twin)] = ends else {
        return Outcome::Ran;
    };
    // Five grains of this radius; from event to event those that lie are set a hair higher.
    let off = (0..3).map(|k| (one[k] - twin[k]).abs()).fold(0.0, f64::max) / 0.01;
    match off < APART {
        true => Outcome::Ran,
        false => Outcome::Wrong(format!(
            "{off:.2} radii off its stepped twin at {TOGETHER} s"
        )),
    }
}

/// A message without its numbers, places and names of files: those of one kind are one.
fn kind_of(why: &str) -> String {
    let last = why.rsplit("): ").next().unwrap_or(why);
    last.chars()
        .filter(|c| !c.is_ascii_digit())
        .take(140)
        .collect()
}

#[test]
#[ignore = "some minutes: each three of law, term, wall, motion, box, field and model"]
fn covering_array_of_degree_three() {
    let mut wrong = Vec::new();
    for dimension in [2, 3] {
        let kinds = kinds(dimension);
        let mut sizes: Vec<usize> = kinds.iter().map(Vec::len).collect();
        sizes.push(MODELS.len());
        let rows = rows(&sizes, |model, kind, choice| {
            let support =
                |(feature, _): &(Feature, Table)| feature.support(MODELS[model], dimension);
            kinds[kind][choice]
                .as_ref()
                .is_none_or(|one| support(one) == Support::Yes)
        });
        let told = |row: &[usize]| {
            let names = kinds
                .iter()
                .zip(row)
                .filter_map(|(kind, &k)| kind[k].as_ref());
            let names: Vec<_> = names.map(|(feature, _)| feature.name()).collect();
            format!(
                "{dimension} dimensions, {}: {}",
                MODELS[row[6]].name(),
                names.join(", ")
            )
        };
        let outcomes: Vec<Outcome> = rows
            .par_iter()
            .map(|row| {
                let chosen: [_; 6] = std::array::from_fn(|k| kinds[k][row[k]].as_ref());
                let asks = together(chosen);
                let done =
                    catch_unwind(AssertUnwindSafe(|| tried(dimension, MODELS[row[6]], &asks)));
                done.unwrap_or_else(|_| Outcome::Wrong("a panic".into()))
            })
            .collect();
        let mut refused: BTreeMap<String, (usize, String)> = BTreeMap::new();
        let mut ran = 0;
        for (row, done) in rows.iter().zip(outcomes) {
            match done {
                Outcome::Ran => ran += 1,
                Outcome::Refused(why) => {
                    refused
                        .entry(kind_of(&why))
                        .or_insert_with(|| (0, told(row)))
                        .0 += 1
                }
                Outcome::Wrong(why) => wrong.push(format!("{}: {why}", told(row))),
            }
        }
        println!("{dimension} dimensions: {} rows, {ran} ran", rows.len());
        for (why, (count, first)) in refused {
            println!("{count} refused, as {first}: {why}");
        }
        assert!(2 * ran > rows.len());
    }
    for one in &wrong {
        println!("{one}");
    }
    assert!(wrong.is_empty(), "{} rows", wrong.len());
}
