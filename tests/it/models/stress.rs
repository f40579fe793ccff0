//! Quasi-static stress: solvers against references, against each other and against statics.

use std::collections::BTreeMap;

use arenite::geometry::{Dimension, Planar, Spatial, Vector};
use arenite::stress::{
    Auto, Change, ConjugateGradient, CostModel, Dense, Element, Factor, Freedom, Growing,
    Iteration, LinkKey, LinkState, Network, Node, NodeKey, Preconditioner, Rates, Rima, Solver,
    Stiffness, StressError, Way,
};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;

use crate::same_cases;

/// All solvers of a network.
pub fn solvers<D: Dimension>(network: &Network<D>) -> Vec<Box<dyn Solver<D>>> {
    let mut all: Vec<Box<dyn Solver<D>>> = vec![
        Box::new(Factor::new(network)),
        Box::new(Growing::new(network)),
        Box::new(Rima::new()),
    ];
    for preconditioner in Preconditioner::ALL {
        let iteration = Iteration {
            tolerance: 1e-11,
            preconditioner,
            ..Iteration::default()
        };
        all.push(Box::new(ConjugateGradient::new(network, iteration)));
    }
    all
}

fn length(v: &[f64]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    let squares = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b));
    squares.sum::<f64>().sqrt()
}

/// Stress of a link along its normal and across it, in the frame of its element.
fn stress_of<D: Dimension>(network: &Network<D>, link: LinkKey, x: &[f64]) -> Vec<f64> {
    let link = &network.links()[link];
    let element = Element::new(link, network.freedom());
    let m = network.per_node();
    let part = |node: NodeKey| network.row(node).map(|row| &x[row * m..row * m + m]);
    let strain = element.strain(part(link.a), part(link.b));
    (0..element.bars)
        .map(|bar| element.stiffness[bar] * strain[bar])
        .collect()
}

/// Every reference assembly is built link by link with the solvers watching: inverse, displacements
/// and stresses. The reference is exact to 35 digits and says itself that 1e-10 of the greatest is
/// what doubles can keep; conjugate gradients stop at a residual of 1e-11, which the condition of
/// these matrices, under 1e3, turns into 1e-8 at most.
#[test]
fn solvers_give_the_reference_assemblies() {
    let file = include_str!("../../data/03_rima_assemblies.json");
    let data: Value = serde_json::from_str(file).unwrap();
    for case in data["cases"].as_array().unwrap() {
        let label = case["label"].as_str().unwrap();
        let mut network = Network::<Planar>::new(Freedom::Translational);
        let mut keys = BTreeMap::new();
        let mut solvers = solvers(&network);
        solvers.push(Box::new(Dense));
        let mut links: BTreeMap<[String; 2], LinkKey> = BTreeMap::new();
        for step in case["steps"].as_array().unwrap() {
            let ends = ["alpha", "beta"].map(|end| step[end].as_str().unwrap().to_string());
            let mut changes = Vec::new();
            for end in &ends {
                if !keys.contains_key(end) {
                    let position: Vec<f64> =
                        serde_json::from_value(case["positions"][end].clone()).unwrap();
                    let (key, change) = network.add_node(Node {
                        position: Vector::from_slice(&position).unwrap(),
                        radius: case["radii"][end].as_f64().unwrap_or(0.0),
                        fixed: end.starts_with('G'),
                    });
                    keys.insert(end.clone(), key);
                    for solver in &mut solvers {
                        solver.changed(&network, change);
                    }
                }
            }
            if step["op"] == "add" {
                let [a, b] = [&ends[0], &ends[1]].map(|end| keys[end]);
                let number = |key: &str| step[key].as_f64().unwrap();
                let link = network.between(a, b, number("Kn"), number("Kt"), 0.5);
                let (key, change) = network.add_link(link.unwrap());
                links.insert(ends, key);
                changes.push(change);
            } else {
                let turned = [ends[1].clone(), ends[0].clone()];
                let key = links.remove(&ends).or_else(|| links.remove(&turned));
                changes.extend(network.set_state(key.unwrap(), LinkState::Off));
            }
            for change in changes {
                for solver in &mut solvers {
                    solver.changed(&network, change);
                }
            }
            if step["Z"].is_array() {
                inverse_is(label, &network, &keys, &mut solvers, step);
            }
        }
        inverse_is(label, &network, &keys, &mut solvers, &case["expected"]);
        let mut load = vec![0.0; network.len()];
        for (name, force) in case["loads"].as_object().unwrap() {
            let row = network.row(keys[name]).unwrap();
            for k in 0..2 {
                load[2 * row + k] = force[k].as_f64().unwrap();
            }
        }
        let expected = case["expected"]["link_stresses"].as_array().unwrap();
        let pair = |link: &Value| ["s_n", "s_t"].map(|key| link[key].as_f64().unwrap());
        let scale = expected
            .iter()
            .map(|l| length(&pair(l)))
            .fold(0.0, f64::max);
        for solver in &mut solvers {
            let tolerance = if solver.name() == "cg" { 1e-8 } else { 1e-10 };
            let mut x = vec![0.0; network.len()];
            solver.solve(&network, &load, &mut x).unwrap();
            for link in expected {
                let ends = ["alpha", "beta"].map(|end| link[end].as_str().unwrap().to_string());
                let stress = stress_of(&network, links[&ends], &x);
                let error = distance(&stress, &pair(link)) / scale;
                assert!(error <= tolerance, "{label} {}: {error:e}", solver.name());
            }
        }
    }
}

/// Columns of the inverse are the answers to unit loads.
fn inverse_is(
    label: &str,
    network: &Network<Planar>,
    keys: &BTreeMap<String, NodeKey>,
    solvers: &mut [Box<dyn Solver<Planar>>],
    expected: &Value,
) {
    let inverse: Vec<Vec<f64>> = serde_json::from_value(expected["Z"].clone()).unwrap();
    let entries = inverse.iter().flatten();
    let greatest = entries.fold(0.0, |m: f64, v| m.max(v.abs()));
    let names = expected["node_order"].as_array().unwrap();
    let of = |name: &Value| network.row(keys[name.as_str().unwrap()]).unwrap();
    let rows: Vec<usize> = names
        .iter()
        .flat_map(|n| [2 * of(n), 2 * of(n) + 1])
        .collect();
    for solver in solvers {
        let tolerance = if solver.name() == "cg" { 1e-8 } else { 1e-10 };
        for (j, &column) in rows.iter().enumerate() {
            let mut load = vec![0.0; network.len()];
            load[column] = 1.0;
            let x = solved(solver.as_mut(), network, &load).unwrap();
            for (i, &row) in rows.iter().enumerate() {
                let error = (x[row] - inverse[i][j]).abs() / greatest;
                assert!(error <= tolerance, "{label} {}: {error:e}", solver.name());
            }
        }
    }
}

/// A random packing: grains near the points of a square grid, joined to near neighbours, on a floor
/// of fixed points.
pub fn packing<D: Dimension>(
    random: &mut ChaCha8Rng,
    freedom: Freedom,
    side: usize,
    share: f64,
) -> Network<D> {
    let mut network = Network::new(freedom);
    let size = |_| side;
    let counts: Vec<usize> = (0..D::N).map(size).collect();
    let total: usize = counts.iter().product();
    let mut cells = Vec::new();
    for cell in 0..total {
        let mut rest = cell;
        let coordinates = D::Vector::from_fn(|k| {
            let c = rest % counts[k];
            rest /= counts[k];
            c as f64 + 0.2 * (random.random::<f64>() - 0.5)
        });
        let node = Node {
            position: coordinates * 0.01,
            radius: 0.005 * (0.9 + 0.2 * random.random::<f64>()),
            fixed: false,
        };
        cells.push(network.add_node(node).0);
    }
    let stiffness = |random: &mut ChaCha8Rng| {
        let kn = 1e6 * (0.5 + random.random::<f64>());
        (kn, kn * (0.1 + random.random::<f64>()))
    };
    for i in 0..total {
        // The last coordinate is the height.
        if i < total / side {
            let mut below: D::Vector = network.nodes()[cells[i]].position;
            below[D::N - 1] -= 0.005;
            below[0] += 0.003 * (random.random::<f64>() - 0.5);
            let floor = network.add_node(Node {
                position: below,
                radius: 0.0,
                fixed: true,
            });
            let (kn, kt) = stiffness(random);
            let link = network.between(floor.0, cells[i], kn, kt, 0.3).unwrap();
            network.add_link(link);
        }
        for j in 0..i {
            let [from, to] = [i, j].map(|c| -> D::Vector { network.nodes()[cells[c]].position });
            let apart: D::Vector = to - from;
            let ends = if random.random() { (i, j) } else { (j, i) };
            let (kn, kt) = stiffness(random);
            if apart.norm() < 0.0135 && random.random::<f64>() < share {
                let link = network.between(cells[ends.0], cells[ends.1], kn, kt, 0.3);
                network.add_link(link.unwrap());
            }
        }
    }
    network
}

fn random_load<D: Dimension>(random: &mut ChaCha8Rng, network: &Network<D>) -> Vec<f64> {
    let m = network.per_node();
    (0..network.len())
        .map(|i| {
            // Moments are forces times some radius.
            let scale = if i % m < D::N { 1.0 } else { 0.005 };
            scale * (random.random::<f64>() - 0.5)
        })
        .collect()
}

/// Same verdict, same solution; rotations weigh as displacements at the rim.
fn agree<D: Dimension>(
    network: &Network<D>,
    name: &str,
    got: &Result<Vec<f64>, StressError>,
    want: &Result<Vec<f64>, StressError>,
) {
    match (got, want) {
        (Ok(x), Ok(y)) => {
            let error = distance(x, y) / length(y).max(1e-300);
            // Residual 1e-11 times the condition of these matrices, at most some 1e4; the direct
            // solvers keep 16 digits less that condition.
            let tolerance = if name == "cg" { 1e-6 } else { 1e-9 };
            assert!(error <= tolerance, "{name}: {error:e} of {}", network.len());
        }
        (Err(StressError::Ungrounded { nodes }), Err(StressError::Ungrounded { nodes: other })) => {
            assert_eq!(nodes, other, "{name}");
        }
        (Err(StressError::Mechanism { node }), Err(StressError::Mechanism { .. })) => {
            assert!(
                network.row(*node).is_some(),
                "{name}: a fixed node does not move"
            );
        }
        _ => panic!("{name}: {got:?}, but {want:?}"),
    }
}

fn solved<D: Dimension>(
    solver: &mut dyn Solver<D>,
    network: &Network<D>,
    load: &[f64],
) -> Result<Vec<f64>, StressError> {
    let mut x = vec![0.0; network.len()];
    solver.solve(network, load, &mut x).map(|_| x)
}

/// Links of a random packing give way, grip again and open at random, and grains come on top; the
/// kept factor and the kept iteration agree with a solve from nothing after each step, also on what
/// is ungrounded or a mechanism.
fn changes_equal_a_fresh_solve<D: Dimension>(seed: u64, freedom: Freedom, share: f64) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let side = if D::N == 2 { 5 } else { 3 };
    let mut network = packing::<D>(&mut random, freedom, side, share);
    let mut solvers = solvers(&network);
    let load = random_load(&mut random, &network);
    let fresh = solved(&mut Dense, &network, &load);
    for solver in &mut solvers {
        let got = solved(solver.as_mut(), &network, &load);
        agree(&network, solver.name(), &got, &fresh);
    }
    for _ in 0..8 {
        for _ in 0..random.random_range(1..4) {
            let mut changes: Vec<Change> = Vec::new();
            if random.random::<f64>() < 0.2 {
                let position = D::Vector::from_fn(|k| {
                    let top = if k == D::N - 1 {
                        side as f64
                    } else {
                        0.5 * side as f64
                    };
                    0.01 * (top + 0.3 * random.random::<f64>())
                });
                let (node, change) = network.add_node(Node {
                    position,
                    radius: 0.004,
                    fixed: false,
                });
                changes.push(change);
                for solver in &mut solvers {
                    solver.changed(&network, change);
                }
                changes.clear();
                for _ in 0..random.random_range(1..4) {
                    let other = random.random_range(0..node);
                    let link = network.between(other, node, 1e6, 5e5, 0.3).unwrap();
                    let (_, change) = network.add_link(link);
                    for solver in &mut solvers {
                        solver.changed(&network, change);
                    }
                }
            } else {
                let link = random.random_range(0..network.links().len());
                let states = [LinkState::Grip, LinkState::Slide, LinkState::Off];
                let state = states[random.random_range(0..3)];
                changes.extend(network.set_state(link, state));
            }
            for change in changes {
                for solver in &mut solvers {
                    solver.changed(&network, change);
                }
            }
        }
        let load = random_load(&mut random, &network);
        let fresh = solved(&mut Dense, &network, &load);
        for solver in &mut solvers {
            let got = solved(solver.as_mut(), &network, &load);
            agree(&network, solver.name(), &got, &fresh);
        }
        // The kept matrix is that of a fresh assembly, bit for bit.
        let mut kept = Stiffness::new(&network);
        let x = random_load(&mut random, &network);
        let (mut y, mut z) = (vec![0.0; x.len()], vec![0.0; x.len()]);
        kept.multiply(&x, &mut y);
        for link in 0..network.links().len() {
            let from = network.links()[link].state;
            kept.changed(&network, Change::Link { link, from });
        }
        kept.multiply(&x, &mut z);
        assert_eq!(y, z);
    }
}

proptest! {
    #![proptest_config(same_cases(12))]

    #[test]
    fn changes_in_any_order_equal_a_fresh_solve(seed in 0u64..1_000_000, full in any::<bool>(), sparse in any::<bool>()) {
        let freedom = if full { Freedom::Full } else { Freedom::Translational };
        let share = if sparse { 0.6 } else { 1.0 };
        changes_equal_a_fresh_solve::<Planar>(seed, freedom, share);
        changes_equal_a_fresh_solve::<Spatial>(seed, freedom, share);
    }
}

/// The whole frame turned by a random rotation: displacements turn along, stresses stay.
fn turning_leaves_stresses<D: Dimension>(seed: u64, freedom: Freedom, turn: D::Rotation) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let network = packing::<D>(&mut random, freedom, 3, 1.0);
    let load = random_load(&mut random, &network);
    let m = network.per_node();
    let turned_vector = |x: &[f64]| -> Vec<f64> {
        let mut y = x.to_vec();
        for block in y.chunks_exact_mut(m) {
            let v = D::rotate(turn, D::Vector::from_fn(|k| block[k]));
            (0..D::N).for_each(|k| block[k] = v[k]);
            if m > D::N && D::SPINS == D::N {
                let v = D::rotate(turn, D::Vector::from_fn(|k| block[D::N + k]));
                (0..D::N).for_each(|k| block[D::N + k] = v[k]);
            }
        }
        y
    };
    let mut turned = Network::<D>::new(freedom);
    for node in network.nodes() {
        let mut node = *node;
        node.position = D::rotate(turn, node.position);
        turned.add_node(node);
    }
    for link in network.links() {
        let mut link = *link;
        link.normal = D::rotate(turn, link.normal);
        link.arms = link.arms.map(|arm| D::rotate(turn, arm));
        turned.add_link(link);
    }
    let x = solved(&mut Factor::new(&network), &network, &load).unwrap();
    let y = solved(&mut Factor::new(&turned), &turned, &turned_vector(&load)).unwrap();
    // Rounding times the condition of the matrix, under 1e4.
    assert!(distance(&turned_vector(&x), &y) <= 1e-11 * length(&y));
    for link in 0..network.links().len() {
        let (s, t) = (stress_of(&network, link, &x), stress_of(&turned, link, &y));
        // Shear is compared by its size: its frame is chosen by the coordinates.
        assert!((s[0] - t[0]).abs() < 1e-10, "{} {}", s[0], t[0]);
        assert!((length(&s[1..]) - length(&t[1..])).abs() < 1e-10);
    }
}

/// Reactions at the fixed nodes carry the whole load, and each free node is in balance.
fn reactions_carry_the_load<D: Dimension>(seed: u64, freedom: Freedom) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let network = packing::<D>(&mut random, freedom, 4, 0.9);
    let load = random_load(&mut random, &network);
    let m = network.per_node();
    let Ok(x) = solved(&mut Factor::new(&network), &network, &load) else {
        return;
    };
    let mut total = D::Vector::default();
    for block in load.chunks_exact(m) {
        total += D::Vector::from_fn(|k| block[k]);
    }
    for (key, link) in network.links().iter().enumerate() {
        let element = Element::new(link, network.freedom());
        let stress = stress_of(&network, key, &x);
        for (node, side) in [(link.a, &element.a), (link.b, &element.b)] {
            if network.nodes()[node].fixed {
                for (bar, s) in stress.iter().enumerate() {
                    total += D::Vector::from_fn(|k| s * side[bar][k]);
                }
            }
        }
    }
    // Loads are of order 1 N; rounding times the condition, under 1e4.
    assert!(total.norm() < 1e-10, "{:e} N are missing", total.norm());
}

proptest! {
    #![proptest_config(same_cases(12))]

    #[test]
    fn turning_the_frame_leaves_stresses(seed in 0u64..1_000_000, angle in 0.0..6.0, full in any::<bool>()) {
        let freedom = if full { Freedom::Full } else { Freedom::Translational };
        turning_leaves_stresses::<Planar>(seed, freedom, angle);
        let turn = Vector::from_fn(|k| angle * [0.3, 0.8, -0.5][k]);
        let turn = Spatial::turned(Spatial::identity(), turn);
        turning_leaves_stresses::<Spatial>(seed, freedom, turn);
    }

    #[test]
    fn reactions_sum_to_the_load(seed in 0u64..1_000_000, full in any::<bool>()) {
        let freedom = if full { Freedom::Full } else { Freedom::Translational };
        reactions_carry_the_load::<Planar>(seed, freedom);
        reactions_carry_the_load::<Spatial>(seed, freedom);
    }
}

/// Three disks in a row, the first on the ground, of which the last link slides: across it the
/// last disk moves freely. A load along the row does not excite that motion, so an iteration that
/// only looks at its own residual would not see it.
#[test]
fn a_mechanism_is_recognised_under_a_load_that_leaves_it_alone() {
    let mut network = Network::<Planar>::new(Freedom::Translational);
    let mut node = |x: f64, fixed: bool| {
        let position = Vector::from_slice(&[x, 0.0]).unwrap();
        network
            .add_node(Node {
                position,
                radius: 0.005,
                fixed,
            })
            .0
    };
    let nodes = [
        node(0.0, true),
        node(0.01, false),
        node(0.02, false),
        node(0.03, false),
    ];
    for pair in nodes.windows(2) {
        let link = network.between(pair[0], pair[1], 1e6, 5e5, 0.3).unwrap();
        network.add_link(link);
    }
    let load = [1.0, 0.0, 1.0, 0.0, 1.0, 0.0];
    let mut solvers = solvers(&network);
    for solver in &mut solvers {
        solved(solver.as_mut(), &network, &load).unwrap();
    }
    let change = network.set_state(1, LinkState::Slide).unwrap();
    for solver in &mut solvers {
        solver.changed(&network, change);
        let got = solved(solver.as_mut(), &network, &load);
        // Disks 2 and 3 move together across the row.
        let moved = |node| node == nodes[2] || node == nodes[3];
        assert!(
            matches!(got, Err(StressError::Mechanism { node }) if moved(node)),
            "{}: {got:?}",
            solver.name()
        );
    }
    let change = network.set_state(1, LinkState::Off).unwrap();
    for solver in &mut solvers {
        solver.changed(&network, change);
        let nodes = vec![nodes[2], nodes[3]];
        let got = solved(solver.as_mut(), &network, &load);
        assert_eq!(
            got,
            Err(StressError::Ungrounded { nodes }),
            "{}",
            solver.name()
        );
    }
    let change = network.set_state(1, LinkState::Grip).unwrap();
    for solver in &mut solvers {
        solver.changed(&network, change);
        solved(solver.as_mut(), &network, &load).unwrap();
    }
}

/// What the factor is for: links that change their state need no new order, and few of them no new
/// factorization.
#[test]
fn a_kept_factor_is_updated() {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut network = packing::<Planar>(&mut random, Freedom::Full, 20, 1.0);
    let load = random_load(&mut random, &network);
    let mut factor = Factor::new(&network);
    solved(&mut factor, &network, &load).unwrap();
    for link in 30..40 {
        for state in [LinkState::Slide, LinkState::Off, LinkState::Grip] {
            let change = network.set_state(link * 10, state).unwrap();
            Solver::changed(&mut factor, &network, change);
            let x = solved(&mut factor, &network, &load).unwrap();
            let y = solved(&mut Factor::new(&network), &network, &load).unwrap();
            // A corrected solution is as good as one of a fresh factor.
            assert!(distance(&x, &y) <= 1e-10 * length(&y));
        }
    }
    let counts = factor.counts();
    assert_eq!((counts.analyses, counts.factorizations), (1, 1));
    // To slide and from it one bar, to open and to grip again 1 and 2.
    assert_eq!(counts.updates, 10 * (1 + 1 + 2));
}

/// After one grain on top a local solve leaves no more pending at a node than allowed, and the next
/// solves find it again: the error does not grow with the number of grains. What is left is at most
/// a tenth of a weight at the nodes around a patch, against a weight at each of 3,600: under 1 % of
/// the displacements.
#[test]
fn pending_loads_stay_bounded() {
    let mut random = ChaCha8Rng::seed_from_u64(3);
    let side = 60;
    let mut network = packing::<Planar>(&mut random, Freedom::Translational, side, 1.0);
    let share = 0.1;
    let iteration = Iteration {
        pending: share,
        ..Iteration::default()
    };
    let mut solver = ConjugateGradient::new(&network, iteration);
    let mut x = vec![0.0; network.len()];
    let weights = |network: &Network<Planar>| {
        let mut load = vec![0.0; network.len()];
        load.chunks_exact_mut(2).for_each(|part| part[1] = -1.0);
        load
    };
    solver.solve(&network, &weights(&network), &mut x).unwrap();
    assert_eq!(solver.pending().patch, 0);
    let mut patches = 0;
    for column in 2..side - 3 {
        let below = side * (side - 1) + column;
        let mut row = (0..network.nodes().len()).filter(|&node| network.row(node) == Some(below));
        let below = row.next_back().unwrap();
        let mut position = network.nodes()[below].position;
        position[1] += 0.01;
        let (node, change) = network.add_node(Node {
            position,
            radius: 0.005,
            fixed: false,
        });
        Solver::changed(&mut solver, &network, change);
        let link = network.between(below, node, 1e6, 5e5, 0.3).unwrap();
        let (_, change) = network.add_link(link);
        Solver::changed(&mut solver, &network, change);
        let load = weights(&network);
        x.resize(load.len(), 0.0);
        solver.solve(&network, &load, &mut x).unwrap();
        let pending = solver.pending();
        assert!(pending.greatest <= share, "{pending:?}");
        patches += usize::from(pending.patch > 0);
        // The residual by the assembled matrix, against what the solver tells.
        let mut force = vec![0.0; load.len()];
        Stiffness::new(&network).multiply(&x, &mut force);
        let off = distance(&force, &load) / length(&load);
        assert!(off <= share, "{off}");
    }
    // Near the sides and where much has gathered a patch may not do.
    assert!(patches > side / 2, "{patches} local solves");
    let exact = solved(&mut Factor::new(&network), &network, &weights(&network)).unwrap();
    assert!(distance(&x, &exact) <= 1e-2 * length(&exact));
}

/// The choice follows the counts, and says why.
#[test]
fn auto_chooses_by_counts() {
    let rates = |nodes: usize, bars: f64, added: f64| Rates {
        nodes,
        per_node: 2,
        bars,
        added,
        columns: 0.0,
        load: 1.0,
        local: false,
    };
    let choose = |rates: &Rates| CostModel::MEASURED.choose(&Way::ALL, rates, 2);
    // Small and steady: the inverse; large and steady, or with a bar now and then: the factor.
    assert_eq!(choose(&rates(20, 0.0, 0.0)).way, Way::Inverse);
    assert_eq!(choose(&rates(50_000, 2.0, 0.0)).way, Way::Factor);
    let local = Rates {
        local: true,
        ..rates(50_000, 4.0, 1.0)
    };
    assert_eq!(choose(&local).way, Way::Iteration);
    let told = choose(&local).to_string();
    assert!(told.starts_with("cg for 50000 free nodes"), "{told}");
    // Whatever is chosen gives the same solution.
    let mut random = ChaCha8Rng::seed_from_u64(5);
    let mut network = packing::<Planar>(&mut random, Freedom::Full, 6, 1.0);
    let mut auto = Auto::once(&network, Iteration::default());
    for link in 0..40 {
        let change = network.set_state(link, LinkState::Slide);
        let change = change.unwrap();
        Solver::changed(&mut auto, &network, change);
        let load = random_load(&mut random, &network);
        let got = solved(&mut auto, &network, &load);
        let fresh = solved(&mut Dense, &network, &load);
        agree(&network, "cg", &got, &fresh);
        let change = network.set_state(link, LinkState::Grip).unwrap();
        Solver::changed(&mut auto, &network, change);
    }
}
