//! Each three of law, term, wall, motion, box, field and model together: a covering array of degree three, whose rows run with a closed ledger and, where
//! grains are not stepped anyway, beside a stepped twin. On demand:
//! `cargo test --release --test it covering -- --ignored --nocapture`.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use arenite::capabilities::{Feature, Model, Support};
use arenite::cluster::integrate::Integrate;
use arenite::record::{MemorySink, Summary};
use arenite::scenario::AnySetup;
use arenite::system::{Control, Setup, driver_of};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use toml::{Table, Value};

use crate::models::capabilities::{asked_for, scenario, setup};

/// Until when a run is compared with its stepped twin, s: two have met each other, and nobody yet those that lie on the floor, with whom they would
/// be in several contacts at once, which is not the same one after another.
const TOGETHER: f64 = 0.05;
/// How far a grain may be off its twin, over its radius: contacts last, and those that lie are a hair higher from event to event.
const APART: f64 = 0.2;
/// Length of the scene, m, after which it may repeat itself.
const LENGTH: f64 = 0.1;

/// After which a row is given up, and told.
const LIMIT: Duration = Duration::from_secs(60);

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
        "law.bond",
        "law.limit",
    ];
    let moved = ["motion.", "wall.passes_below_radius", "wall.opens_at"];
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

/// Choices by number that a model takes of each kind, and which two of them do not go together.
struct Taken {
    of: Vec<Vec<usize>>,
    apart: HashSet<[(usize, usize); 2]>,
}

impl Taken {
    fn go_together(&self, one: (usize, usize), other: (usize, usize)) -> bool {
        let pair = if one < other {
            [one, other]
        } else {
            [other, one]
        };
        self.of[one.0].contains(&one.1)
            && self.of[other.0].contains(&other.1)
            && !self.apart.contains(&pair)
    }

    /// A row that has these choices, the others drawn; none where nothing goes with those drawn before.
    fn row(&self, chosen: &[(usize, usize)], random: &mut ChaCha8Rng) -> Option<Vec<usize>> {
        let mut row = chosen.to_vec();
        for kind in 0..self.of.len() {
            if row.iter().any(|one| one.0 == kind) {
                continue;
            }
            let goes = |&k: &usize| row.iter().all(|&one| self.go_together((kind, k), one));
            let fitting: Vec<usize> = self.of[kind].iter().copied().filter(goes).collect();
            if fitting.is_empty() {
                return None;
            }
            row.push((kind, fitting[random.random_range(0..fitting.len())]));
        }
        row.sort_unstable();
        Some(row.into_iter().map(|(_, choice)| choice).collect())
    }
}

/// All threes of a row of choices.
fn triples(row: &[usize]) -> Vec<[(usize, usize); 3]> {
    let mut list = Vec::new();
    for a in 0..row.len() {
        for b in a + 1..row.len() {
            for c in b + 1..row.len() {
                list.push([(a, row[a]), (b, row[b]), (c, row[c])]);
            }
        }
    }
    list
}

/// Rows of choices, the last that of the model, in which each three of different kinds appear together that go together under some model, greedily: of
/// some drawn rows that which has most that are new.
fn rows(taken: &[Taken]) -> Vec<Vec<usize>> {
    let mut random = ChaCha8Rng::seed_from_u64(39);
    let kinds = taken[0].of.len();
    let mut left = BTreeSet::new();
    for (model, taken) in taken.iter().enumerate() {
        let all = |kind: usize| taken.of[kind].iter().map(move |&k| (kind, k));
        for a in 0..kinds {
            for b in a + 1..kinds {
                for one in all(a) {
                    for other in all(b).filter(|&other| taken.go_together(one, other)) {
                        left.insert([one, other, (kinds, model)]);
                        for c in b + 1..kinds {
                            let third = all(c).filter(|&third| {
                                taken.go_together(one, third) && taken.go_together(other, third)
                            });
                            left.extend(third.map(|third| [one, other, third]));
                        }
                    }
                }
            }
        }
    }
    let mut found = Vec::new();
    while let Some(seed) = left.pop_first() {
        let chosen: Vec<_> = seed.into_iter().filter(|one| one.0 < kinds).collect();
        let fits = |&model: &usize| {
            let goes = |k: usize| (0..k).all(|j| taken[model].go_together(chosen[j], chosen[k]));
            (seed[2].0 < kinds || seed[2].1 == model) && (0..chosen.len()).all(goes)
        };
        let fitting: Vec<usize> = (0..taken.len()).filter(fits).collect();
        let mut best: Option<(usize, Vec<usize>)> = None;
        for _ in 0..30 {
            let model = fitting[random.random_range(0..fitting.len())];
            let Some(mut row) = taken[model].row(&chosen, &mut random) else {
                continue;
            };
            row.push(model);
            let new = triples(&row).iter().filter(|t| left.contains(*t)).count();
            if best.as_ref().is_none_or(|(most, _)| new > *most) {
                best = Some((new, row));
            }
        }
        // Where nothing of some kind goes with all three there is no such row.
        if let Some((_, row)) = best {
            for triple in triples(&row) {
                left.remove(&triple);
            }
            found.push(row);
        }
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
                "bond",
                "coulomb_limit",
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
            if ["motion", "belt", "passes_below_radius", "opens_at"].contains(&key.as_str()) {
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
            (Some(Value::Array(list)), Value::Array(mut more)) => {
                // Walls of the box have names of their own.
                for one in more.iter_mut().filter_map(Value::as_table_mut) {
                    if one.contains_key("name") {
                        one.insert("name".into(), "asked".into());
                    }
                }
                list.extend(more);
            }
            (_, value) => {
                all.insert(key.into(), value);
            }
        }
    }
    all
}

fn ran<D: Integrate>(setup: Setup<D>) -> Result<(MemorySink, Summary), String> {
    let mut run = driver_of(setup, None).map_err(|error| error.to_string())?;
    let (never, mut sink) = (AtomicBool::new(false), MemorySink::default());
    let mut control = Control::new(&never);
    control.wall_limit = Some(LIMIT);
    let outcome = run
        .run(&mut sink, &mut control)
        .map_err(|error| error.to_string())?;
    let summary = run.summary();
    if outcome == arenite::system::Outcome::Interrupted {
        let (time, steps) = (summary.time.simulated, summary.work.grain_steps);
        return Err(format!(
            "given up after {LIMIT:?}, at {time} s and {steps} steps of grains"
        ));
    }
    Ok((sink, summary))
}

fn run(setup: AnySetup, finish: Option<f64>) -> Result<(MemorySink, Summary), String> {
    match setup {
        AnySetup::Planar(mut setup) => {
            setup.run.end_time = finish.unwrap_or(setup.run.end_time);
            ran(setup)
        }
        AnySetup::Spatial(mut setup) => {
            setup.run.end_time = finish.unwrap_or(setup.run.end_time);
            ran(setup)
        }
    }
}

/// Where all are at the end, m.
fn places(sink: &MemorySink) -> Option<Vec<[f64; 3]>> {
    let mut grains: Vec<_> = sink.snapshots.last()?.0.iter().collect();
    grains.sort_unstable_by_key(|grain| grain.grain);
    Some(grains.into_iter().map(|grain| grain.position).collect())
}

/// What became of a row.
enum Outcome {
    Ran,
    /// But its stepped twin does not.
    Alone,
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
    let log: Table = "snapshots = 0.05".parse().unwrap();
    asks.insert("log".into(), log.into());
    let ends = [model, Model::Dem].map(|model| {
        let setup = setup(&scenario(dimension, model, asks.clone())).ok()?;
        places(&run(setup, Some(TOGETHER)).ok()?.0)
    });
    let [Some(ones), Some(twins)] = ends else {
        return Outcome::Alone;
    };
    if ones.len() != twins.len() {
        return Outcome::Wrong(format!("{} grains, stepped {}", ones.len(), twins.len()));
    }
    let apart = |one: &[f64; 3], twin: &[f64; 3]| {
        let way = |k: usize| one[k] - twin[k];
        let way = |k: usize| way(k) - LENGTH * (way(k) / LENGTH).round();
        (0..3).map(|k| way(k).abs()).fold(0.0, f64::max)
    };
    let each = ones.iter().zip(&twins).map(|(one, twin)| apart(one, twin));
    // Of this radius they are.
    let off = each.fold(0.0, f64::max) / 0.01;
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

fn covers(dimension: usize) {
    let mut wrong = Vec::new();
    let kinds = kinds(dimension);
    let chosen = |row: &[(usize, usize)]| {
        let one = |kind| row.iter().find(|one| one.0 == kind);
        let asks: [_; 6] =
            std::array::from_fn(|kind| one(kind).and_then(|one| kinds[kind][one.1].as_ref()));
        asks
    };
    let told = |row: &[(usize, usize)], model: usize| {
        let names = chosen(row).into_iter().flatten();
        let names: Vec<_> = names.map(|(feature, _)| feature.name()).collect();
        let model = MODELS[model].name();
        format!("{dimension} dimensions, {model}: {}", names.join(", "))
    };
    let mut apart: BTreeMap<String, (usize, String)> = BTreeMap::new();
    let mut count = |why: &str, told: String| {
        let entry = apart.entry(kind_of(why)).or_insert((0, told));
        entry.0 += 1;
    };
    let mut taken = Vec::new();
    for (model, &named) in MODELS.iter().enumerate() {
        let takes = |kind: usize, k: usize| {
            let support = |one: &(Feature, Table)| one.0.support(named, dimension);
            let one = kinds[kind][k].as_ref();
            one.is_none_or(|one| support(one) == Support::Yes)
        };
        let of = |kind: usize| (0..kinds[kind].len()).filter(|&k| takes(kind, k)).collect();
        let of: Vec<Vec<usize>> = (0..kinds.len()).map(of).collect();
        let mut pairs = Vec::new();
        for a in 0..of.len() {
            for b in a + 1..of.len() {
                for &i in &of[a] {
                    pairs.extend(of[b].iter().map(|&j| [(a, i), (b, j)]));
                }
            }
        }
        let tried = pairs.into_par_iter().filter_map(|pair| {
            let text = scenario(dimension, named, together(chosen(&pair)));
            setup(&text).err().map(|why| (pair, why))
        });
        let mut set = HashSet::new();
        for (pair, why) in tried.collect::<Vec<_>>() {
            set.insert(pair);
            if why.contains("not yet") {
                wrong.push(format!("{}: {why}", told(&pair, model)));
            }
            count(&why, told(&pair, model));
        }
        taken.push(Taken { of, apart: set });
    }
    let rows = rows(&taken);
    let whole = |row: &[usize]| -> Vec<_> { row[..6].iter().copied().enumerate().collect() };
    let (tried_rows, began) = (AtomicUsize::new(0), Instant::now());
    let outcomes: Vec<Outcome> = rows
        .par_iter()
        .map(|row| {
            let done = tried_rows.fetch_add(1, Ordering::Relaxed);
            if done.is_multiple_of(100) {
                println!("{done} of {} rows, {:.0?}", rows.len(), began.elapsed());
            }
            let asks = together(chosen(&whole(row)));
            let done = catch_unwind(AssertUnwindSafe(|| tried(dimension, MODELS[row[6]], &asks)));
            done.unwrap_or_else(|_| Outcome::Wrong("a panic".into()))
        })
        .collect();
    let (mut ran, mut alone) = (0, 0);
    for (row, done) in rows.iter().zip(outcomes) {
        match done {
            Outcome::Ran => ran += 1,
            Outcome::Alone => alone += 1,
            Outcome::Refused(why) => count(&why, told(&whole(row), row[6])),
            Outcome::Wrong(why) => {
                wrong.push(format!("{}: {why}", told(&whole(row), row[6])));
            }
        }
    }
    println!(
        "{dimension} dimensions: {} rows, {ran} ran, {alone} without a twin",
        rows.len()
    );
    for (why, (count, first)) in apart {
        println!("{count} refused, as {first}: {why}");
    }
    for one in &wrong {
        println!("WRONG {one}");
    }
    assert!(4 * ran > 3 * rows.len(), "{ran} of {} rows ran", rows.len());
    assert!(wrong.is_empty(), "{} rows", wrong.len());
}

#[test]
#[ignore = "five minutes of two cores: each three of law, term, wall, motion, box, field and model"]
fn covering_array_of_degree_three_in_the_plane() {
    covers(2);
}

#[test]
#[ignore = "more than 18 minutes of two cores: the same in space"]
fn covering_array_of_degree_three_in_space() {
    covers(3);
}
