//! Tests that grains woken and stopped again without any change of load keep their positions and their forces.

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
    for _ in 0..1_000 {
        let standing = system.dem.world.grains.standing();
        let count = rng.random_range(1..=standing.len());
        let woken: Vec<u32> = standing.sample(&mut rng, count).copied().collect();
        let ids: Vec<u32> = woken
            .iter()
            .map(|&slot| system.dem.world.grains.arrays.id[slot as usize])
            .collect();
        assert!(rest::disturb(&mut system, &mut NullSink, &woken).unwrap());
        regimes::renew(&mut system, &mut NullSink).unwrap();
        most = most.max(off(&before, &state(&system), weight));
        let arrays = &system.dem.world.grains.arrays;
        let again: Vec<u32> = (1..arrays.slots() as u32)
            .filter(|&slot| arrays.status[slot as usize].is_grain())
            .filter(|&slot| ids.contains(&arrays.id[slot as usize]))
            .collect();
        assert!(rest::put_to_sleep(&mut system, &mut NullSink, &again).unwrap());
        regimes::renew(&mut system, &mut NullSink).unwrap();
        most = most.max(off(&before, &state(&system), weight));
    }
    assert!(most < 1e-9, "{most}");
    assert_eq!(system.dem.world.grains.standing().len(), all);
}

#[test]
fn a_thousand_thaws_and_freezes_change_nothing() {
    for dimension in [2, 3] {
        let text = bed(dimension);
        let built =
            Scenario::parse("bed", &text, None, &[]).and_then(|scenario| scenario.resolve());
        match built
            .unwrap_or_else(|problem| panic!("{}", problem.render(false)))
            .setup
        {
            AnySetup::Planar(setup) => thaws_and_freezes(System::made_of(setup).unwrap()),
            AnySetup::Spatial(setup) => thaws_and_freezes(System::made_of(setup).unwrap()),
        }
    }
}
