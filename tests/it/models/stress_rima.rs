//! The inverse under change: exact references (tests/data/03_rima_assemblies.json), and random
//! sequences of changes against a dense solution of the network as it then is.

use std::collections::BTreeMap;

use arenite::geometry::{Dimension, Planar, Spatial, Vector};
use arenite::stress::{
    Dense, Element, Freedom, Link, LinkKey, LinkState, Network, Node, NodeKey, Rima, Solver,
    StressError,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;

const KN: f64 = 1.5e6;
const KT: f64 = 1.5e5;

fn point(value: &Value) -> nalgebra::Vector2<f64> {
    nalgebra::Vector2::new(value[0].as_f64().unwrap(), value[1].as_f64().unwrap())
}

/// The reference is exact; the tolerance is the one it states: a recursion in double precision
/// loses a few digits for each removal.
const REFERENCE: f64 = 1e-10;

#[test]
fn assemblies_agree_with_exact_inverses_after_each_step() {
    let text = include_str!("../../data/03_rima_assemblies.json");
    let reference: Value = serde_json::from_str(text).unwrap();
    let (mut compared, mut stresses) = (0, 0);
    for case in reference["cases"].as_array().unwrap() {
        let mut network = Network::<Planar>::new(Freedom::Translational);
        let mut rima = Rima::new();
        let mut keys: BTreeMap<String, NodeKey> = BTreeMap::new();
        let mut links: BTreeMap<(String, String), LinkKey> = BTreeMap::new();
        for step in case["steps"].as_array().unwrap() {
            let names = ["alpha", "beta"].map(|k| step[k].as_str().unwrap().to_owned());
            for name in &names {
                if !keys.contains_key(name) {
                    let fixed = name.starts_with('G');
                    let (key, change) = network.add_node(Node {
                        position: point(&case["positions"][name]),
                        radius: case["radii"][name].as_f64().unwrap_or(0.0),
                        fixed,
                    });
                    rima.changed(&network, change);
                    keys.insert(name.clone(), key);
                }
            }
            let [a, b] = [&names[0], &names[1]].map(|name| keys[name]);
            let pair = (names[0].clone(), names[1].clone());
            let change = if step["op"] == "add" {
                let [kn, kt] = ["Kn", "Kt"].map(|k| step[k].as_f64().unwrap());
                let link = network.between(a, b, kn, kt, 0.5).unwrap();
                let (key, change) = network.add_link(link);
                links.insert(pair, key);
                Some(change)
            } else {
                network.set_state(links[&pair], LinkState::Off)
            };
            rima.changed(&network, change.unwrap());
            compared += usize::from(compare(&mut rima, &network, &step["Z"]));
        }
        let expected = &case["expected"];
        compared += usize::from(compare(&mut rima, &network, &expected["Z"]));
        let mut load = vec![0.0; network.len()];
        for (name, force) in case["loads"].as_object().unwrap() {
            let row = network.row(keys[name]).unwrap();
            load[2 * row..2 * row + 2].copy_from_slice(point(force).as_slice());
        }
        let mut found = vec![0.0; network.len()];
        rima.solve(&network, &load, &mut found).unwrap();
        let greatest = found.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        for (name, displacement) in expected["displacements"].as_object().unwrap() {
            let row = network.row(keys[name]).unwrap();
            for k in 0..2 {
                let off = found[2 * row + k] - point(displacement)[k];
                assert!(off.abs() <= REFERENCE * greatest, "{name} {off:e}");
            }
        }
        let rows = expected["link_stresses"].as_array().unwrap();
        let most = rows.iter().map(|r| r["s_n"].as_f64().unwrap().abs());
        let most = most.fold(0.0, f64::max);
        for row in rows {
            let pair = ["alpha", "beta"].map(|k| row[k].as_str().unwrap().to_owned());
            let link = &network.links()[links[&pair.into()]];
            let element = Element::new(link, network.freedom());
            let at = |node| network.row(node).map(|r| &found[2 * r..2 * r + 2]);
            let strain = element.strain(at(link.a), at(link.b));
            for (bar, name) in ["s_n", "s_t"].into_iter().enumerate() {
                let off = element.stiffness[bar] * strain[bar] - row[name].as_f64().unwrap();
                assert!(
                    off.abs() <= REFERENCE * most,
                    "{pair:?} {name} {off:e}",
                    pair = link
                );
                stresses += 1;
            }
        }
    }
    assert!(compared >= 15 && stresses >= 50, "{compared} {stresses}");
}

fn compare(rima: &mut Rima, network: &Network<Planar>, expected: &Value) -> bool {
    let Some(rows) = expected.as_array() else {
        return false;
    };
    let found = rima.inverse(network).unwrap();
    assert_eq!(found.nrows(), rows.len());
    let greatest = found.amax();
    for (i, row) in rows.iter().enumerate() {
        for (j, value) in row.as_array().unwrap().iter().enumerate() {
            let off = (found[(i, j)] - value.as_f64().unwrap()).abs();
            assert!(off <= REFERENCE * greatest, "{i} {j} {off:e}");
        }
    }
    true
}

/// Grains on a lattice with a jitter, the lowest layer linked to the ground; links between all
/// that are near, some of them off at first.
fn packing<D: Dimension>(freedom: Freedom, side: usize, rng: &mut ChaCha8Rng) -> Network<D> {
    let mut network = Network::<D>::new(freedom);
    let count = side.pow(D::N as u32);
    let radius = 0.01;
    for n in 0..count {
        let position = D::Vector::from_fn(|k| {
            let cell = n / side.pow(k as u32) % side;
            2.0 * radius * (cell as f64 + rng.random_range(-0.2..0.2))
        });
        network.add_node(Node {
            position,
            radius,
            fixed: false,
        });
    }
    for n in 0..count / side {
        let mut position: D::Vector = network.nodes()[n].position;
        position[D::N - 1] -= radius;
        let (ground, _) = network.add_node(Node {
            position,
            radius: 0.0,
            fixed: true,
        });
        // A foot on either side, as a grain in a groove has.
        for lean in [-0.3, 0.4] {
            let mut link = network.between(n, ground, KN, KT, 0.5).unwrap();
            let mut normal = link.normal;
            for k in 0..D::N - 1 {
                normal[k] += lean;
            }
            link.normal = normal * (1.0 / normal.norm());
            link.arms[0] = link.normal * radius;
            network.add_link(link);
        }
    }
    for b in 0..count {
        for a in 0..b {
            let between = network.between(a, b, KN, KT, 0.5);
            let [p, q]: [D::Vector; 2] = [a, b].map(|n| network.nodes()[n].position);
            let apart: f64 = (p - q).norm();
            if let Some(mut link) = between.filter(|_| apart < 3.3 * radius) {
                if rng.random_bool(0.1) {
                    link.state = LinkState::Off;
                }
                network.add_link(link);
            }
        }
    }
    network
}

fn random_load<D: Dimension>(network: &Network<D>, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let m = network.per_node();
    (0..network.len())
        .map(|i| {
            let lever = if i % m < D::N { 1.0 } else { 0.01 };
            lever * rng.random_range(-1.0..1.0)
        })
        .collect()
}

/// Greatest difference over the greatest value.
fn difference(a: &[f64], b: &[f64]) -> f64 {
    let greatest = b.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    let off = a.iter().zip(b).map(|(a, b)| (a - b).abs());
    off.fold(0.0, f64::max) / greatest
}

/// Both give the same answer, be it displacements or an error. True when there is a solution.
fn agree<D: Dimension>(rima: &mut Rima, network: &Network<D>, load: &[f64]) -> bool {
    let mut found = vec![0.0; network.len()];
    let mut expected = vec![0.0; network.len()];
    let ours = rima.solve(network, load, &mut found);
    match (ours, Dense.solve(network, load, &mut expected)) {
        (Ok(_), Ok(_)) => {
            let off = difference(&found, &expected);
            // Both are exact but for rounding times the condition number, some 1e4 to 1e6 here.
            assert!(off < 1e-9, "differ by {off:e}");
            true
        }
        (Err(StressError::Mechanism { .. }), Err(StressError::Mechanism { .. })) => false,
        (Err(ours), Err(reference)) => {
            assert_eq!(ours, reference);
            false
        }
        (ours, reference) => panic!("{ours:?} but {reference:?}"),
    }
}

fn random_changes<D: Dimension>(freedom: Freedom, side: usize, seed: u64, steps: usize) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut network = packing::<D>(freedom, side, &mut rng);
    let mut rima = Rima::new();
    let (mut solved, mut refused) = (0, 0);
    let states = [LinkState::Grip, LinkState::Slide, LinkState::Off];
    for step in 0..steps {
        // Every so often many links go, so that parts hang loose for a while and come back.
        let loose = step / 20 % 4 == 3;
        for _ in 0..rng.random_range(1..if loose { 20 } else { 10 }) {
            let link = rng.random_range(0..network.links().len());
            let weight: f64 = rng.random();
            let state = match weight {
                w if w < if loose { 0.15 } else { 0.8 } => states[0],
                w if w < if loose { 0.3 } else { 0.9 } => states[1],
                _ => states[2],
            };
            if let Some(change) = network.set_state(link, state) {
                rima.changed(&network, change);
            }
        }
        let load = random_load(&network, &mut rng);
        if agree(&mut rima, &network, &load) {
            solved += 1;
        } else {
            refused += 1;
        }
    }
    assert!(solved > steps / 4, "{solved} of {steps}");
    assert!(refused > 0, "nothing ever hung loose");
    // Some of the networks on the way were so soft that the inverse had entries 1e9 times those of
    // now. None of their rounding may be left.
    for link in 0..network.links().len() {
        if let Some(change) = network.set_state(link, LinkState::Grip) {
            rima.changed(&network, change);
        }
    }
    let load = random_load(&network, &mut rng);
    assert!(agree(&mut rima, &network, &load));
    let drift = rima.drift(&network, 64);
    println!("{solved} solved, {refused} refused, drift {drift:e}");
    assert!(drift < 1e-9, "{drift:e}");
}

#[test]
fn random_changes_agree_in_the_plane() {
    for seed in 0..3 {
        random_changes::<Planar>(Freedom::Translational, 5, seed, 300);
        random_changes::<Planar>(Freedom::Full, 5, seed, 300);
    }
}

#[test]
fn random_changes_agree_in_space() {
    random_changes::<Spatial>(Freedom::Translational, 3, 1, 300);
    random_changes::<Spatial>(Freedom::Full, 3, 2, 300);
}

/// A tower of two grains on a floor, each on two feet; a third one on top by one link.
fn tower() -> (Network<Planar>, Vec<LinkKey>) {
    let mut network = Network::new(Freedom::Translational);
    let add = |network: &mut Network<Planar>, x: f64, y: f64, fixed: bool| {
        let position = nalgebra::Vector2::new(x, y);
        let radius = if fixed { 0.0 } else { 0.01 };
        let node = Node {
            position,
            radius,
            fixed,
        };
        network.add_node(node).0
    };
    let left = add(&mut network, -0.005, 0.0, true);
    let right = add(&mut network, 0.005, 0.0, true);
    let low = add(&mut network, 0.0, 0.01, false);
    let middle = add(&mut network, 0.002, 0.03, false);
    let high = add(&mut network, 0.001, 0.05, false);
    let pairs = [(left, low), (right, low), (low, middle), (middle, high)];
    let links = pairs.map(|(a, b)| {
        let link = network.between(a, b, KN, KT, 0.5).unwrap();
        network.add_link(link).0
    });
    (network, links.to_vec())
}

fn set(network: &mut Network<Planar>, rima: &mut Rima, link: LinkKey, state: LinkState) {
    if let Some(change) = network.set_state(link, state) {
        rima.changed(network, change);
    }
}

#[test]
fn what_hangs_loose_is_named_and_comes_back() {
    let (mut network, links) = tower();
    let mut rima = Rima::new();
    let load: Vec<f64> = (0..network.len()).map(|i| 0.3 - i as f64).collect();
    let mut out = vec![0.0; network.len()];
    assert!(agree(&mut rima, &network, &load));
    set(&mut network, &mut rima, links[2], LinkState::Off);
    let error = rima.solve(&network, &load, &mut out).unwrap_err();
    assert_eq!(error, StressError::Ungrounded { nodes: vec![3, 4] });
    set(&mut network, &mut rima, links[3], LinkState::Off);
    let error = rima.solve(&network, &load, &mut out).unwrap_err();
    assert_eq!(error, StressError::Ungrounded { nodes: vec![3, 4] });
    // Another way: the middle grain back on the right foot, then the upper one on the middle one.
    let link = network.between(1, 3, KN, KT, 0.5).unwrap();
    let change = network.add_link(link).1;
    rima.changed(&network, change);
    let error = rima.solve(&network, &load, &mut out).unwrap_err();
    assert_eq!(error, StressError::Ungrounded { nodes: vec![4] });
    set(&mut network, &mut rima, links[3], LinkState::Grip);
    assert!(agree(&mut rima, &network, &load));
    // A sliding link holds its grain along one direction only.
    set(&mut network, &mut rima, links[3], LinkState::Slide);
    let error = rima.solve(&network, &load, &mut out).unwrap_err();
    assert_eq!(error, StressError::Mechanism { node: 4 });
    set(&mut network, &mut rima, links[3], LinkState::Grip);
    assert!(agree(&mut rima, &network, &load));
    assert!(rima.drift(&network, 6) < 1e-12);
}

#[test]
fn one_link_does_not_hold_a_grain_that_turns() {
    let mut network = Network::<Planar>::new(Freedom::Full);
    let at = |x: f64, y: f64| nalgebra::Vector2::new(x, y);
    let node = |position, fixed| Node {
        position,
        radius: 0.01,
        fixed,
    };
    let floor = network.add_node(node(at(0.0, -0.02), true)).0;
    let wall = network.add_node(node(at(-0.03, 0.0), true)).0;
    let a = network.add_node(node(at(0.0, 0.0), false)).0;
    let b = network.add_node(node(at(0.017, 0.01), false)).0;
    let mut rima = Rima::new();
    let load = [0.1, -1.0, 0.002, 0.3, -1.5, -0.001];
    let mut out = [0.0; 6];
    let mut join = |network: &mut Network<Planar>, rima: &mut Rima, a, b| {
        let link = network.between(a, b, KN, KT, 0.5).unwrap();
        let (key, change) = network.add_link(link);
        rima.changed(network, change);
        (key, rima.solve(network, &load, &mut out))
    };
    let (_, first) = join(&mut network, &mut rima, floor, a);
    assert_eq!(
        first.unwrap_err(),
        StressError::Ungrounded { nodes: vec![b] }
    );
    // Each of the two is held by one link alone, and a mechanism; a chain of them too.
    let (_, second) = join(&mut network, &mut rima, a, b);
    assert!(matches!(second, Err(StressError::Mechanism { .. })));
    let (_, third) = join(&mut network, &mut rima, floor, b);
    // Three grains in a ring of gripping links roll on each other unless their number is odd.
    assert_eq!(third.is_ok(), agree(&mut rima, &network, &load));
    let (_, fourth) = join(&mut network, &mut rima, wall, a);
    assert!(fourth.is_ok() && agree(&mut rima, &network, &load));
}

#[test]
fn responses_are_columns() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let mut network = packing::<Planar>(Freedom::Full, 4, &mut rng);
    network.set_state(3, LinkState::Slide);
    let mut rima = Rima::new();
    for link in [0, 3, 9] {
        for bar in 0..2 {
            let mut out = vec![0.0; network.len()];
            assert!(rima.response(&network, link, bar, &mut out));
            let Link { a, b, .. } = network.links()[link];
            let element = Element::in_state(&network.links()[link], LinkState::Grip, Freedom::Full);
            let mut load = vec![0.0; network.len()];
            for (node, row) in [(a, element.a[bar]), (b, element.b[bar])] {
                if let Some(at) = network.row(node) {
                    load[3 * at..3 * at + 3].copy_from_slice(&row[..3]);
                }
            }
            let mut expected = vec![0.0; network.len()];
            Dense.solve(&network, &load, &mut expected).unwrap();
            assert!(difference(&out, &expected) < 1e-10);
        }
    }
}

#[test]
fn a_merged_inverse_is_that_of_the_joined_network() {
    for freedom in [Freedom::Translational, Freedom::Full] {
        let mut rng = ChaCha8Rng::seed_from_u64(11);
        let mut network = packing::<Planar>(freedom, 4, &mut rng);
        let mut right = packing::<Planar>(freedom, 5, &mut rng);
        for part in [&mut network, &mut right] {
            for link in 0..part.links().len() {
                part.set_state(link, LinkState::Grip);
            }
        }
        let (mut rima, mut other) = (Rima::new(), Rima::new());
        let mut out = vec![0.0; right.len()];
        rima.solve(
            &network,
            &vec![0.0; network.len()],
            &mut out[..network.len()],
        )
        .unwrap();
        other
            .solve(&right, &vec![0.0; right.len()], &mut out)
            .unwrap();
        let (nodes, links) = network.append(&right);
        rima.merge(other, &network, nodes, links);
        let load = random_load(&network, &mut rng);
        assert!(agree(&mut rima, &network, &load));
        // Links from one part to the other, one at a time.
        for (a, b) in [(1, nodes + 2), (5, nodes + 7), (6, nodes + 1)] {
            let link = network.between(a, b, KN, KT, 0.5).unwrap();
            let change = network.add_link(link).1;
            rima.changed(&network, change);
            assert!(agree(&mut rima, &network, &load));
        }
        let whole = rima.inverse(&network).unwrap();
        let fresh = Rima::new().inverse(&network).unwrap();
        let off = (&whole - &fresh).amax() / fresh.amax();
        assert!(off < 1e-10, "{off:e}");
    }
}

#[test]
fn nonsense_is_refused() {
    let (mut network, links) = tower();
    let mut rima = Rima::new();
    let mut out = vec![0.0; 6];
    let load = [f64::NAN, 0.0, 0.0, 0.0, 0.0, 0.0];
    assert_eq!(
        rima.solve(&network, &load, &mut out),
        Err(StressError::NotFinite)
    );
    let mut link = network.links()[links[0]];
    link.kn = f64::INFINITY;
    let (key, change) = network.add_link(link);
    rima.changed(&network, change);
    assert_eq!(
        rima.solve(&network, &[0.0; 6], &mut out),
        Err(StressError::NotFinite)
    );
    set(&mut network, &mut rima, key, LinkState::Off);
    assert!(agree(&mut rima, &network, &[0.1; 6]));
}

/// Rounding piles up slowly: thousands of updates leave the inverse good to ten digits, and a
/// solve refines what is left.
#[test]
fn drift_stays_small() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let mut network = packing::<Planar>(Freedom::Translational, 8, &mut rng);
    let mut rima = Rima::new();
    for _ in 0..5000 {
        let link = rng.random_range(0..network.links().len());
        let state = match network.links()[link].state {
            LinkState::Grip => LinkState::Slide,
            LinkState::Slide | LinkState::Off => LinkState::Grip,
        };
        set(&mut network, &mut rima, link, state);
        rima.sweep(&network);
    }
    for link in 0..network.links().len() {
        set(&mut network, &mut rima, link, LinkState::Grip);
    }
    let drift = rima.drift(&network, 32);
    assert!(drift < 1e-9, "{drift:e}");
    let load = random_load(&network, &mut rng);
    assert!(agree(&mut rima, &network, &load));
    println!("drift {drift:e}, refinements {}", rima.refinements());
}
