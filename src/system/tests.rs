//! Tests that grains woken and stopped again without any change of load keep their positions and their forces, and that the lists miss nothing
//! meanwhile.

use std::collections::BTreeMap;

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};

use super::run_loop::{self, Driven};
use super::watch::Watch;
use super::{System, regimes, rest};
use crate::cluster::integrate::Integrate;
use crate::cluster::{self, ContactRef, Other};
use crate::geometry::Vector;
use crate::record::NullSink;
use crate::scenario::{AnySetup, Scenario};

/// Returns a scenario of grains that fall into a box and come to rest.
fn bed(dimension: usize) -> String {
    let (down, min, max, walls) = match dimension {
        2 => (
            "[0.0, -9.81]",
            "[0.0, 0.0]",
            "[0.3, 0.4]",
            [
                ("[0.0, 0.0]", "[0.0, 1.0]"),
                ("[0.0, 0.0]", "[1.0, 0.0]"),
                ("[0.3, 0.0]", "[-1.0, 0.0]"),
            ]
            .to_vec(),
        ),
        _ => (
            "[0.0, 0.0, -9.81]",
            "[0.0, 0.0, 0.0]",
            "[0.1, 0.1, 0.4]",
            [
                ("[0.0, 0.0, 0.0]", "[0.0, 0.0, 1.0]"),
                ("[0.0, 0.0, 0.0]", "[1.0, 0.0, 0.0]"),
                ("[0.1, 0.0, 0.0]", "[-1.0, 0.0, 0.0]"),
                ("[0.0, 0.0, 0.0]", "[0.0, 1.0, 0.0]"),
                ("[0.0, 0.1, 0.0]", "[0.0, -1.0, 0.0]"),
            ]
            .to_vec(),
        ),
    };
    let walls: String = walls
        .iter()
        .enumerate()
        .map(|(k, (point, normal))| {
            format!("[[boundary]]\nname = \"w{k}\"\nmaterial = \"glass\"\nplane = {{ point = {point}, normal = {normal} }}\n")
        })
        .collect();
    let law = match dimension {
        2 => {
            "normal_stiffness = 1e5, tangential_stiffness = 5e4, normal_damping = 30.0, tangential_damping = 10.0"
        }
        _ => {
            "normal_stiffness = 2e3, tangential_stiffness = 1e3, normal_damping = 0.4, tangential_damping = 0.1"
        }
    };
    format!(
        r#"
name = "bed"
dimension = {dimension}
[field]
gravity = {down}
[run]
end_time = 10.0
[log]
series = "never"
snapshots = "never"
[morph]
rigid = true
[material.glass]
density = 2500.0
[[law]]
between = ["glass", "glass"]
linear = {{ {law}, friction = 0.4 }}
{walls}
[[fill]]
material = "glass"
[fill.lattice]
count = 150
radius = {{ min = 0.008, max = 0.012 }}
min = {min}
max = {max}
jitter = 1.0
speed = 0.1
"#
    )
}

/// Positions by number of grain, and forces by the bodies of each link, N.
type State = (BTreeMap<u32, Vec<f64>>, BTreeMap<(u32, i64), Vec<f64>>);

fn state<D: Integrate>(system: &System<D>) -> State {
    let world = &system.dem.world;
    let arrays = &world.grains.arrays;
    let grains = (1..arrays.slots()).filter(|&slot| arrays.status[slot].is_grain());
    let places = grains.map(|slot| {
        (
            arrays.id[slot],
            arrays.position(slot).components().collect(),
        )
    });
    let mut links = BTreeMap::new();
    let mut note = |link: ContactRef<D>| {
        let a = arrays.id[link.a as usize];
        let (key, sign) = match link.b {
            Other::Boundary(wall) => ((a, -1 - i64::from(wall)), 1.0),
            Other::Slot(b) => {
                let b = arrays.id[b as usize];
                // Each link is reported once, from either side.
                (
                    (a.min(b), i64::from(a.max(b))),
                    if a < b { 1.0 } else { -1.0 },
                )
            }
        };
        let mut force = vec![link.normal_force];
        force.extend(link.tangential_force.components().map(|f| sign * f));
        assert!(
            links.insert(key, force).is_none(),
            "a link is there twice: {key:?}"
        );
    };
    cluster::observe::each_list_link(world, &mut note);
    cluster::held::each_still_link(world, &mut note);
    (places.collect(), links)
}

/// Returns the greatest difference of two states, over the radius and over the weight.
fn off((places, forces): &State, (now, then): &State, weight: f64) -> f64 {
    assert_eq!(places.len(), now.len());
    assert!(forces.keys().eq(then.keys()), "links differ");
    let far = |a: &[f64], b: &[f64]| {
        a.iter()
            .zip(b)
            .map(|(a, b)| (a - b).abs())
            .fold(0.0, f64::max)
    };
    let moved = places
        .iter()
        .map(|(id, x)| far(x, &now[id]) / 0.01)
        .fold(0.0, f64::max);
    let changed = forces.iter().map(|(id, f)| far(f, &then[id]) / weight);
    changed.fold(moved, f64::max)
}

/// Candidates of all lists: pairs, and slots with walls and their surfaces, ascending.
fn candidates<D: Integrate>(system: &System<D>) -> [Vec<[u32; 3]>; 2] {
    let contacts = &system.dem.world.contacts;
    let pairs = contacts.pairs.iter().flat_map(|class| &class.outer);
    let mut pairs: Vec<[u32; 3]> = pairs.map(|&[a, b]| [a, b, 0]).collect();
    let walls = contacts.walls.iter();
    let mut walls: Vec<[u32; 3]> = walls
        .flat_map(|class| {
            let wall = u32::from(class.boundary);
            class.outer.iter().map(move |&[slot, k]| [slot, wall, k])
        })
        .collect();
    pairs.sort_unstable();
    walls.sort_unstable();
    [pairs, walls]
}

/// Renews the lists without a search, and checks them against a search: nothing has moved since the last one.
fn renew_without_search<D: Integrate>(system: &mut System<D>) {
    regimes::renew_woken(system, &mut NullSink).unwrap();
    let found = candidates(system);
    system.dem.renew_in_place();
    assert_eq!(found, candidates(system));
}

fn thaws_and_freezes<D: Integrate>(mut system: System<D>) {
    let mut watch = Watch::new(None);
    system.start(&mut NullSink).unwrap();
    while system.dem.world.grains.standing().len() < 100 && system.time() < 8.0 {
        run_loop::next(&mut system, &mut NullSink, &mut watch).unwrap();
    }
    let all = system.dem.world.grains.standing().len();
    assert!(all >= 100, "{all} stand still");
    let weight =
        cluster::field_loads::weight(&system.dem.world, system.dem.world.grains.standing()[0]);
    let before = state(&system);
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(7);
    let mut most = 0.0f64;
    regimes::renew(&mut system, &mut NullSink).unwrap();
    for round in 0..1_000 {
        let standing = system.dem.world.grains.standing();
        let count = rng.random_range(1..=standing.len());
        let woken: Vec<u32> = standing.sample(&mut rng, count).copied().collect();
        let ids: Vec<u32> = woken
            .iter()
            .map(|&slot| system.dem.world.grains.arrays.id[slot as usize])
            .collect();
        assert!(rest::disturb(&mut system, &mut NullSink, &woken).unwrap());
        // With a search, and without one.
        if round % 2 == 0 {
            regimes::renew(&mut system, &mut NullSink).unwrap();
        } else {
            renew_without_search(&mut system);
        }
        most = most.max(off(&before, &state(&system), weight));
        let arrays = &system.dem.world.grains.arrays;
        let again: Vec<u32> = (1..arrays.slots() as u32)
            .filter(|&slot| arrays.status[slot as usize].is_grain())
            .filter(|&slot| ids.contains(&arrays.id[slot as usize]))
            .collect();
        assert!(rest::put_to_sleep(&mut system, &mut NullSink, &again).unwrap());
        if round % 3 == 0 {
            regimes::renew(&mut system, &mut NullSink).unwrap();
        } else {
            renew_without_search(&mut system);
        }
        most = most.max(off(&before, &state(&system), weight));
    }
    assert!(most < 1e-9, "{most}");
    assert_eq!(system.dem.world.grains.standing().len(), all);
}

fn setup(text: &str) -> AnySetup {
    let built = Scenario::parse("bed", text, None, &[]).and_then(|scenario| scenario.resolve());
    built
        .unwrap_or_else(|problem| panic!("{}", problem.render(false)))
        .setup
}

#[test]
fn a_thousand_thaws_and_freezes_change_nothing() {
    for dimension in [2, 3] {
        match setup(&bed(dimension)) {
            AnySetup::Planar(setup) => thaws_and_freezes(System::made_of(setup).unwrap()),
            AnySetup::Spatial(setup) => thaws_and_freezes(System::made_of(setup).unwrap()),
        }
    }
}

/// Returns the number of pairs that overlap; each is among the candidates where one of them is stepped, and none is in flight.
fn overlaps_are_known<D: Integrate>(system: &System<D>) -> usize {
    let world = &system.dem.world;
    let arrays = &world.grains.arrays;
    let [pairs, _] = candidates(system);
    let grains: Vec<u32> = (1..arrays.slots() as u32)
        .filter(|&slot| arrays.status[slot as usize].is_grain())
        .collect();
    let flying = regimes::flying(world);
    let place = |slot: u32| match flying.contains(&slot) {
        true => world.flight_at(slot as usize, world.clock.time())[0],
        false => arrays.position(slot as usize),
    };
    let mut count = 0;
    for (k, &a) in grains.iter().enumerate() {
        for &b in &grains[k + 1..] {
            let reach = arrays.radius(a as usize) + arrays.radius(b as usize);
            let d = place(a) - place(b);
            if d.norm_squared() < reach * reach {
                count += 1;
                let flies = flying.contains(&a) || flying.contains(&b);
                assert!(!flies, "at {} s {a} flies into {b}", system.time());
                let is_still = world.grains.stands(a) && world.grains.stands(b);
                assert!(
                    is_still || pairs.binary_search(&[a, b, 0]).is_ok(),
                    "at {} s no list has {a} and {b}",
                    system.time()
                );
            }
        }
    }
    count
}

fn fills_and_looks<D: Integrate>(mut system: System<D>) {
    let mut watch = Watch::new(None);
    system.start(&mut NullSink).unwrap();
    let (mut looks, mut most, mut rounds) = (0, 0, 0);
    let mut shared = 0;
    while system.time() < 1.5 {
        run_loop::next(&mut system, &mut NullSink, &mut watch).unwrap();
        rounds += 1;
        if rounds % 40 == 0 {
            most = most.max(overlaps_are_known(&system));
            looks += 1;
            let still = system.dem.world.sleeping.still.count;
            shared += usize::from(still > 0 && !system.dem.world.grains.active.is_empty());
        }
    }
    assert!(shared > 100 && most > 100, "{shared} of {looks}, {most}");
}

/// Grains fall on a bed part of which is at rest; lists that are renewed without a search hold all that touches.
#[test]
fn lists_miss_nothing_while_beds_wake_and_stop() {
    for dimension in [2, 3] {
        let (at, above) = match dimension {
            2 => ("[0.15, 1.4]", "[0.1, 3.2]"),
            _ => ("[0.05, 0.05, 1.4]", "[0.03, 0.06, 3.2]"),
        };
        let mut text = bed(dimension);
        for position in [at, above] {
            text += &format!(
                "[[fill]]\nmaterial = \"glass\"\n[[fill.grains]]\nposition = {position}\nradius = 0.012\n"
            );
        }
        match setup(&text) {
            AnySetup::Planar(setup) => fills_and_looks(System::made_of(setup).unwrap()),
            AnySetup::Spatial(setup) => fills_and_looks(System::made_of(setup).unwrap()),
        }
    }
}
