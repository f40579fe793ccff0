//! Matrices of a network for other libraries, and their Cholesky factor as the reference of all solvers.

use arenite::calc::{CalcKind, evaluate, stress_matrices};
use arenite::geometry::{Dimension, Planar, Spatial, Vector};
use arenite::stress::{
    ConjugateGradient, Factor, Freedom, Iteration, LinkState, Network, Node, NodeKey, Rima, Solver,
    compatibility_matrix, contact_matrix, stiffness_matrix,
};
use nalgebra::DVector;
use nalgebra_sparse::factorization::CscCholesky;
use nalgebra_sparse::{CooMatrix, CscMatrix, CsrMatrix};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use serde_json::{Value, json};

const RADIUS: f64 = 0.01;

/// A block of grains on a square or cubic lattice, a little displaced, with diagonal links, on a fixed floor; some
/// links slide, one is open. Loads are random.
fn block<D: Dimension>(freedom: Freedom, seed: u64) -> (Network<D>, Vec<f64>) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut network = Network::new(freedom);
    let side = if D::N == 2 { 6_usize } else { 4 };
    let mut keys: Vec<([usize; 3], NodeKey)> = Vec::new();
    for k in 0..side.pow(D::N as u32) {
        // The last coordinate is the height.
        let place: [usize; 3] = std::array::from_fn(|i| k / side.pow(i as u32) % side);
        let moved: [f64; 3] = std::array::from_fn(|_| rng.random_range(-0.1..0.1));
        let (key, _) = network.add_node(Node {
            position: D::Vector::from_fn(|i| RADIUS * (2.0 * place[i] as f64 + moved[i])),
            radius: RADIUS,
            fixed: place[D::N - 1] == 0,
        });
        keys.push((place, key));
    }
    for (i, (p, a)) in keys.iter().enumerate() {
        for (q, b) in &keys[..i] {
            let far = (0..3).map(|k| p[k].abs_diff(q[k])).sum::<usize>();
            let apart = (0..3).map(|k| p[k].abs_diff(q[k])).max();
            if far <= 2 && apart == Some(1) {
                let kn = 1e6 * rng.random_range(0.5..2.0);
                let link = network.between(*a, *b, kn, 0.2 * kn, 0.3).unwrap();
                let (key, _) = network.add_link(link);
                if key % 7 == 3 {
                    network.set_state(key, LinkState::Slide);
                }
            }
        }
    }
    network.set_state(40, LinkState::Off);
    let load = (0..network.len()).map(|_| rng.random_range(-1.0..1.0));
    let load = load.collect();
    (network, load)
}

fn greatest(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(0.0, |most, v| most.max(v.abs()))
}

fn solvers_agree<D: Dimension>(freedom: Freedom) {
    let (network, load) = block::<D>(freedom, 7);
    let matrix = stiffness_matrix(&network);
    let factor = CscCholesky::factor(&CscMatrix::from(&matrix)).unwrap();
    let reference = factor.solve(&DVector::from_column_slice(&load));
    let size = greatest(reference.iter().copied());
    let iteration = Iteration {
        tolerance: 1e-13,
        ..Iteration::default()
    };
    let solvers: [Box<dyn Solver<D>>; 3] = [
        Box::new(Factor::new(&network)),
        Box::new(ConjugateGradient::new(&network, iteration)),
        Box::new(Rima::of(&network)),
    ];
    for mut solver in solvers {
        let mut x = vec![0.0; network.len()];
        solver.solve(&network, &load, &mut x).unwrap();
        let off = greatest((0..x.len()).map(|k| x[k] - reference[(k, 0)]));
        assert!(off < 1e-9 * size, "{}: {off} of {size}", solver.name());
    }
    // The forces of the bars balance the loads, and the matrix is made of them.
    let (compatibility, bars) = compatibility_matrix(&network);
    let mut stiffness = CooMatrix::new(bars.len(), bars.len());
    for (k, bar) in bars.iter().enumerate() {
        stiffness.push(k, k, bar.stiffness);
        assert!(network.links()[bar.link].state != LinkState::Off);
    }
    let product = compatibility.transpose() * CsrMatrix::from(&stiffness) * &compatibility;
    let difference = &product - &matrix;
    let most = greatest(matrix.values().iter().copied());
    assert!(greatest(difference.values().iter().copied()) < 1e-12 * most);
    assert!(greatest((&matrix.transpose() - &matrix).values().iter().copied()) <= 0.0);
}

#[test]
fn all_solvers_agree_with_the_factor_of_the_matrix() {
    for freedom in [Freedom::Translational, Freedom::Full] {
        solvers_agree::<Planar>(freedom);
        solvers_agree::<Spatial>(freedom);
    }
}

#[test]
fn contacts_as_a_matrix() {
    let (network, _) = block::<Planar>(Freedom::Full, 3);
    let matrix = contact_matrix(&network);
    assert_eq!(matrix.nrows(), network.nodes().len());
    let resisting = network.links().iter().filter(|l| l.state != LinkState::Off);
    assert_eq!(matrix.nnz(), 2 * resisting.count());
    for (a, b, kn) in matrix.triplet_iter() {
        let joined =
            |l: &&arenite::stress::Link<Planar>| (l.a, l.b) == (a, b) || (l.a, l.b) == (b, a);
        let link = network.links().iter().find(joined).unwrap();
        assert_eq!((link.kn, link.state == LinkState::Off), (*kn, false));
    }
}

/// A case of disks for `arenite calc stress`, two layers on fixed ones.
fn case() -> Value {
    let (mut nodes, mut links) = (Vec::new(), Vec::new());
    for k in 0..9_i64 {
        let (x, y) = (k % 3, k / 3);
        let place = [0.02 * x as f64 + 0.01 * y as f64, 0.017_320_508 * y as f64];
        nodes.push(json!({
            "id": format!("disk {k}"), "position": place, "radius": 0.01, "fixed": y == 0,
            "load": [0.1 * k as f64, -1.0, 0.001],
        }));
        for below in [k - 3, k - 2] {
            if y > 0 && (below / 3 == y - 1 || below == k - 3) {
                links.push(json!({"a": format!("disk {k}"), "b": format!("disk {below}"), "kn": 1e6, "kt": 2e5}));
            }
        }
        if x > 0 && y > 0 {
            links.push(json!({"a": format!("disk {k}"), "b": format!("disk {}", k - 1), "kn": 1e6, "kt": 2e5}));
        }
    }
    json!({"dof": "full", "matrix": true, "nodes": nodes, "links": links})
}

fn calc(case: Value) -> Result<Value, arenite::calc::CalcError> {
    evaluate(CalcKind::Stress, case, "".as_ref())
}

#[test]
fn matrices_of_a_case() {
    let matrices = stress_matrices(case()).unwrap();
    assert_eq!(matrices.nodes[..4], [3, 3, 3, 4]);
    assert_eq!(matrices.contacts.nrows(), 9);
    let factor = CscCholesky::factor(&CscMatrix::from(&matrices.stiffness)).unwrap();
    let u = factor.solve(&DVector::from_column_slice(&matrices.load));
    let strains = &matrices.compatibility * &u;
    let result = calc(case()).unwrap();
    let links = result["links"].as_array().unwrap();
    for (key, link) in links.iter().enumerate() {
        // The first bar of a link is along its normal.
        let row = matrices.bars.iter().position(|b| b.link == key).unwrap();
        let force = matrices.bars[row].stiffness * strains[(row, 0)];
        let normal = link["normal"].as_f64().unwrap();
        assert!((force - normal).abs() < 1e-9, "{key}: {force}, {normal}");
    }
    let mut breaking = case();
    breaking["tension"] = json!("break");
    assert!(stress_matrices(breaking).is_err());
}

#[test]
fn calc_tells_the_matrix() {
    let numbers = |value: &Value| -> Vec<f64> {
        let list = value.as_array().unwrap().iter();
        list.map(|v| v.as_f64().unwrap()).collect()
    };
    for method in ["rima", "cg", "factor", "auto"] {
        let mut case = case();
        case["method"] = json!(method);
        let result = calc(case).unwrap();
        let told = &result["stiffness"];
        assert_eq!(told["size"], 18);
        assert_eq!(told["nodes"].as_array().unwrap().len(), 18);
        assert_eq!(told["nodes"][3], "disk 4");
        let free = result["displacements"].as_array().unwrap()[3..].iter();
        let u: Vec<f64> = free.flat_map(|node| numbers(&node["u"])).collect();
        let (rows, columns) = (numbers(&told["rows"]), numbers(&told["columns"]));
        let (values, load) = (numbers(&told["values"]), numbers(&told["load"]));
        let mut product = [0.0; 18];
        for ((row, column), value) in rows.iter().zip(&columns).zip(&values) {
            product[*row as usize] += value * u[*column as usize];
        }
        assert_eq!(load[..3], [0.1 * 3.0, -1.0, 0.001]);
        let off = greatest(product.iter().zip(&load).map(|(p, f)| p - f));
        assert!(off < 1e-9, "{method}: {off}");
    }
    let mut plain = case();
    plain["matrix"] = json!(false);
    assert!(calc(plain).unwrap().get("stiffness").is_none());
    let mut sliding = case();
    sliding["slides"] = json!(true);
    let message = calc(sliding).unwrap_err().to_string();
    assert!(message.starts_with("matrix: is that of links"), "{message}");
}
