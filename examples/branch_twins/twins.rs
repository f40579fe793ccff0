//! Branches of a run: asleep, stepped, and stepped with a gravity that differs by 1e-12.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;

use arenite::cluster::integrate::Integrate;
use arenite::record::{BodyRef, MemorySink, NullSink};
use arenite::scenario::{AnySetup, Override, Scenario};
use arenite::system::{Control, Setup, System};

/// Errors of any kind.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Normal forces of links, N, by their bodies.
type Forces = BTreeMap<(String, String), f64>;

fn setup(scenario: &str, seed: u64, keys: &[String]) -> Result<AnySetup, Failure> {
    let mut overrides = vec![Override::option("SEEDS", "seed", &seed.to_string())];
    for key in keys {
        let (key, value) = key.split_once('=').ok_or("KEY=VALUE")?;
        overrides.push(Override::option("KEY=VALUE", key, value));
    }
    let resolved = Scenario::load(scenario, &overrides)
        .and_then(|scenario| scenario.resolve())
        .map_err(|problem| problem.render(false))?;
    Ok(resolved.setup)
}

fn name(body: &BodyRef) -> String {
    format!("{body:?}")
}

/// A state at the end of a branch.
struct End {
    /// All forces.
    forces: Forces,
    /// Names of the grains at rest, with their groups and the estimated errors of these.
    asleep: BTreeMap<String, (i64, f64)>,
}

/// Goes on from a state to a time, s.
fn branch<D: Integrate>(setup: Setup<D>, state: &[u8], end: f64) -> Result<End, Failure> {
    let never = AtomicBool::new(false);
    let mut system = System::restore(setup, state)?;
    system.extend(end);
    let mut sink = MemorySink::default();
    system.run(&mut sink, &mut Control::new(&never))?;
    let (grains, links) = sink.snapshots.pop().ok_or("the run made no snapshot")?;
    let at_rest = grains.iter().filter(|grain| grain.group >= 0);
    let asleep = at_rest.map(|grain| {
        let name = name(&BodyRef::Grain(grain.grain));
        (name, (grain.group, grain.force_error))
    });
    let asleep = asleep.collect();
    let mut forces = Forces::new();
    for link in &links {
        let (a, b) = (name(&link.body_a), name(&link.body_b));
        let key = if a < b { (a, b) } else { (b, a) };
        *forces.entry(key).or_default() += link.normal_force;
    }
    Ok(End { forces, asleep })
}

/// Returns, of links among grains at rest and walls, the difference of the sums of forces and the sum of all differences, over the second sum.
fn apart(one: &Forces, other: &Forces, asleep: &BTreeMap<String, (i64, f64)>) -> [f64; 2] {
    let sleeps = |body: &String| body.starts_with("Boundary") || asleep.contains_key(body);
    let among = |forces: &Forces| -> Forces {
        let inside = forces.iter().filter(|((a, b), _)| sleeps(a) && sleeps(b));
        inside.map(|(key, force)| (key.clone(), *force)).collect()
    };
    let (one, other) = (among(one), among(other));
    let sum: f64 = other.values().sum();
    let of = |forces: &Forces, key| forces.get(key).copied().unwrap_or(0.0);
    let keys: BTreeSet<_> = one.keys().chain(other.keys()).collect();
    let all: f64 = keys
        .iter()
        .map(|key| (of(&one, key) - of(&other, key)).abs())
        .sum();
    [one.values().sum::<f64>() / sum - 1.0, all / sum]
}

/// Returns the sums of the forces in each group at rest.
fn sums(forces: &Forces, asleep: &BTreeMap<String, (i64, f64)>) -> BTreeMap<i64, f64> {
    let mut sums = BTreeMap::new();
    for ((a, b), force) in forces {
        let of = |body: &String| asleep.get(body).map(|(group, _)| *group);
        let group = match (of(a), of(b)) {
            (Some(a), Some(b)) if a == b => a,
            (Some(group), None) if b.starts_with("Boundary") => group,
            (None, Some(group)) if a.starts_with("Boundary") => group,
            _ => continue,
        };
        *sums.entry(group).or_default() += force.abs();
    }
    sums
}

/// Returns how many groups there are, and how many of them their estimated errors cover.
fn covered(asleep: &End, stepped: &End, again: &End) -> [usize; 2] {
    let who = &asleep.asleep;
    let of = |end: &End| sums(&end.forces, who);
    let (here, there, chaos) = (of(asleep), of(stepped), of(again));
    let errors: BTreeMap<i64, f64> = who.values().copied().collect();
    let is_covered = |(group, sum): (&i64, &f64)| {
        let of = |sums: &BTreeMap<i64, f64>| sums.get(group).copied().unwrap_or(0.0);
        let (twin, other) = (of(&there), of(&chaos));
        (sum - twin).abs() <= errors[group] * sum + (other - twin).abs() + 1e-3 * sum
    };
    let covered = here.iter().filter(|group| is_covered(*group)).count();
    [here.len(), covered]
}

/// How far the branches of a run are apart.
pub struct Apart {
    /// Number of grains at rest.
    pub at_rest: usize,
    /// Of the branch that sleeps, and of the one that chaos parts, from the stepped one: the difference of the sums of forces, and the sum of
    /// all differences, over the first sum.
    pub asleep: [f64; 2],
    pub chaos: [f64; 2],
    /// Number of groups at rest, and of those that their estimated errors cover.
    pub groups: [usize; 2],
}

/// Branches a run of a scenario with a seed and other keys, `KEY=VALUE`: stepped to a time, s, and then for a while, s, on each branch.
pub fn branches(
    scenario: &str,
    seed: u64,
    keys: &[String],
    [from, more]: [f64; 2],
) -> Result<Apart, Failure> {
    match setup(scenario, seed, keys)? {
        AnySetup::Planar(setup) => twins(setup, from, more),
        AnySetup::Spatial(setup) => twins(setup, from, more),
    }
}

fn twins<D: Integrate>(mut setup: Setup<D>, from: f64, more: f64) -> Result<Apart, Failure> {
    let morph = setup.models.morph.take();
    setup.log.series = None;
    setup.log.checkpoint = None;
    setup.log.snapshots = None;
    setup.run.end_time = from;
    let never = AtomicBool::new(false);
    let mut base = System::new(setup.clone())?;
    base.run(&mut NullSink, &mut Control::new(&never))?;
    let state = base.save()?;
    setup.log.snapshots = Some(from + more);
    let mut sleeping = setup.clone();
    sleeping.models.morph = morph;
    let asleep = branch(sleeping, &state, from + more)?;
    let stepped = branch(setup.clone(), &state, from + more)?;
    let mut chaotic = setup.clone();
    chaotic.fields.gravity = chaotic.fields.gravity * (1.0 + 1e-12);
    let again = branch(chaotic, &state, from + more)?;
    Ok(Apart {
        at_rest: asleep.asleep.len(),
        asleep: apart(&asleep.forces, &stepped.forces, &asleep.asleep),
        chaos: apart(&again.forces, &stepped.forces, &asleep.asleep),
        groups: covered(&asleep, &stepped, &again),
    })
}
