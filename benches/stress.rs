//! Times of the quasi-static solvers on packings of disks, in ms: what the constants of
//! `CostModel::MEASURED` and of the factor's updates stand on.
//!
//! A packing has rows of disks of random radii in a silo four times as high as wide, each on two
//! below, beside its neighbours for one in two, and walls that grip.
//! `cargo bench --bench stress -- 500 5000 50000` takes these sizes; with `quick` it leaves all
//! preconditioners but one out.

use std::time::Instant;

use arenite::geometry::{Planar, Vector};
use arenite::stress::{
    Bed, Cholesky, ConjugateGradient, Dense, Factor, Freedom, Iteration, Link, LinkState, Network,
    Node, NodeKey, Number, Preconditioner, Solver, Strut,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn main() {
    let sizes: Vec<usize> = std::env::args().filter_map(|a| a.parse().ok()).collect();
    let sizes = if sizes.is_empty() {
        vec![500, 5_000]
    } else {
        sizes
    };
    for freedom in [Freedom::Translational, Freedom::Full] {
        for &size in &sizes {
            report(freedom, size);
        }
    }
}

const RADIUS: f64 = 0.005;
const WEIGHT: f64 = 1.0;

/// A silo filled with about so many disks, and a disk of its top row.
fn silo(freedom: Freedom, size: usize) -> (Network<Planar>, NodeKey) {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let wide = ((size as f64 / 4.0).sqrt() as usize).max(3);
    let high = size / wide;
    let mut network = Network::new(freedom);
    let at = |x: f64, y: f64| Vector::from_slice(&[x, y]).unwrap();
    let mut rows: Vec<Vec<NodeKey>> = Vec::new();
    let link = |network: &mut Network<Planar>, a, b, kn: f64| {
        let link = network.between(a, b, kn, 0.4 * kn, 0.3).unwrap();
        network.add_link(link);
    };
    for level in 0..high {
        let shift = if level % 2 == 0 { 0.0 } else { RADIUS };
        let mut row = Vec::new();
        for column in 0..wide {
            let mut jitter = || 0.1 * RADIUS * (random.random::<f64>() - 0.5);
            let (x, y) = (
                2.0 * RADIUS * column as f64 + shift + jitter(),
                3f64.sqrt() * RADIUS * level as f64 + jitter(),
            );
            let (node, _) = network.add_node(Node {
                position: at(x, y),
                radius: RADIUS * (0.95 + 0.1 * random.random::<f64>()),
                fixed: false,
            });
            row.push(node);
            let kn = 1e6 * (0.5 + random.random::<f64>());
            if let Some(below) = rows.last() {
                let other = if level % 2 == 0 {
                    column.wrapping_sub(1)
                } else {
                    column + 1
                };
                link(&mut network, below[column], node, kn);
                if let Some(&second) = below.get(other) {
                    link(&mut network, second, node, kn);
                }
            } else {
                let (floor, _) = network.add_node(Node {
                    position: at(x, -RADIUS),
                    radius: 0.0,
                    fixed: true,
                });
                link(&mut network, floor, node, kn);
            }
            if column > 0 && random.random::<bool>() {
                link(&mut network, row[column - 1], node, kn);
            }
            if column == 0 || column + 1 == wide {
                let side = if column == 0 { -RADIUS } else { RADIUS };
                let (wall, _) = network.add_node(Node {
                    position: at(x + side, y),
                    radius: 0.0,
                    fixed: true,
                });
                link(&mut network, wall, node, kn);
            }
        }
        rows.push(row);
    }
    let top = rows[high - 1][wide / 2];
    (network, top)
}

fn weights(network: &Network<Planar>) -> Vec<f64> {
    let m = network.per_node();
    let mut load = vec![0.0; network.len()];
    for part in load.chunks_exact_mut(m) {
        part[1] = -WEIGHT;
    }
    load
}

/// Runs something often enough for a time, and gives ms for one.
fn time(mut work: impl FnMut()) -> f64 {
    work();
    let start = Instant::now();
    let mut runs = 0;
    while runs < 3 || (start.elapsed().as_secs_f64() < 0.2 && runs < 1000) {
        work();
        runs += 1;
    }
    start.elapsed().as_secs_f64() * 1e3 / f64::from(runs)
}

fn once(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64() * 1e3
}

/// Adds a disk on top, told to a solver.
fn add_disk(network: &mut Network<Planar>, top: NodeKey, solver: &mut dyn Solver<Planar>) {
    let mut position = network.nodes()[top].position;
    position[0] += RADIUS;
    position[1] += 3f64.sqrt() * RADIUS;
    let (node, change) = network.add_node(Node {
        position,
        radius: RADIUS,
        fixed: false,
    });
    solver.changed(network, change);
    for other in [top, top + 1] {
        let link: Link<Planar> = network.between(other, node, 1e6, 4e5, 0.3).unwrap();
        let (_, change) = network.add_link(link);
        solver.changed(network, change);
    }
}

fn report(freedom: Freedom, size: usize) {
    let (network, top) = silo(freedom, size);
    let load = weights(&network);
    println!("{freedom:?}, {size} disks, {} links", network.links().len());
    let mut x = vec![0.0; load.len()];
    if network.len() <= 3000 {
        let took = once(|| {
            Dense.solve(&network, &load, &mut x).unwrap();
        });
        println!("  dense                        {took:10.3}");
    }
    if freedom == Freedom::Full {
        bed::<f64>("double", &network, &load);
        bed::<f32>("single", &network, &load);
    }
    factor(&network, &load, top);
    let quick = std::env::args().any(|argument| argument == "quick");
    for preconditioner in Preconditioner::ALL {
        if quick && preconditioner != Preconditioner::IncompleteCholesky {
            continue;
        }
        // Without scaling, rotations of large packings take minutes.
        if preconditioner == Preconditioner::None && size > 10_000 {
            continue;
        }
        iterate(&network, &load, top, preconditioner);
    }
}

/// The solver of morphing, with as much inertia as it has there.
fn bed<S: Number>(numbers: &str, network: &Network<Planar>, load: &[f64]) {
    let rows: Vec<Option<usize>> = (0..network.nodes().len()).map(|n| network.row(n)).collect();
    let mut struts = Vec::new();
    for link in network.links().iter() {
        let (a, b, normal) = match (rows[link.a], rows[link.b]) {
            (Some(a), b) => (a, b, link.normal),
            (None, Some(b)) => (b, None, -link.normal),
            (None, None) => continue,
        };
        struts.push(Strut {
            turning: [0.0; 2],
            arms: [0.5; 2],
            a: a as u32,
            b: b.map(|b| b as u32),
            normal,
            kn: link.kn,
            kt: link.kt,
            slide: Vector::from_slice(&[0.0, 0.0]).unwrap(),
        });
    }
    let ground = vec![[1e6 / 2200.0, 0.5e6 / 2200.0]; load.len() / 3];
    let assembly = time(|| {
        Bed::<Planar, S>::new(&struts, &ground);
    });
    let bed = Bed::<Planar, S>::new(&struts, &ground);
    let mut x = vec![0.0; load.len()];
    let mut iterations = 0;
    let solve = time(|| {
        x.fill(0.0);
        iterations = bed.solve(load, &mut x, 0.05, 1000).unwrap();
    });
    println!("  bed, {numbers}: assembly       {assembly:10.3}");
    println!("  bed, {numbers}: {iterations:3} iterations {solve:10.3}");
}

fn factor(network: &Network<Planar>, load: &[f64], top: NodeKey) {
    let mut network = network.clone();
    let mut x = vec![0.0; load.len()];
    let cold = time(|| {
        Factor::new(&network).solve(&network, load, &mut x).unwrap();
    });
    let assembly = time(|| {
        Factor::new(&network);
    });
    let mut solver = Factor::new(&network);
    solver.solve(&network, load, &mut x).unwrap();
    let solve = time(|| {
        solver.solve(&network, load, &mut x).unwrap();
    });
    let analysis = time(|| {
        Cholesky::analyse(solver.stiffness()).unwrap();
    });
    let mut kept = Cholesky::analyse(solver.stiffness()).unwrap();
    let values = time(|| kept.factor(solver.stiffness()).unwrap());
    println!("  factor: assembly             {assembly:10.3}");
    println!("  factor: order and pattern    {analysis:10.3}");
    println!("  factor: values               {values:10.3}");
    println!(
        "  factor: ns a multiplication  {:10.4}",
        values * 1e6 / kept.work()
    );
    println!("  factor: solution             {solve:10.3}");
    println!("  factor: all, cold            {cold:10.3}");
    for (name, link) in [
        ("top", network.links().len() - 5),
        ("middle", network.links().len() / 2),
        ("bottom", 5),
    ] {
        let mut state = LinkState::Slide;
        let before = solver.counts();
        let step = time(|| {
            let change = network.set_state(link, state).unwrap();
            state = if state == LinkState::Slide {
                LinkState::Grip
            } else {
                LinkState::Slide
            };
            solver.changed(&network, change);
            solver.prepare(&network).unwrap();
        });
        let after = solver.counts();
        let kind = if after.updates - before.updates > after.factorizations - before.factorizations
        {
            "rank-1 step"
        } else {
            "made anew"
        };
        let ends = [network.links()[link].a, network.links()[link].b];
        let work = kept.update_work(ends.map(|node| network.row(node)));
        println!(
            "  factor: bar, {name:<8}        {step:10.3} {kind}, {:.4} ns a multiplication",
            step * 1e6 / work
        );
    }
    let grain = once(|| {
        add_disk(&mut network, top, &mut solver);
        let load = weights(&network);
        x.resize(load.len(), 0.0);
        solver.solve(&network, &load, &mut x).unwrap();
    });
    println!("  factor: one disk more        {grain:10.3}");
}

fn iterate(network: &Network<Planar>, load: &[f64], top: NodeKey, preconditioner: Preconditioner) {
    let name = preconditioner.name();
    let iteration = Iteration {
        preconditioner,
        probe: false,
        ..Iteration::default()
    };
    let mut solver = ConjugateGradient::new(network, iteration);
    let mut x = vec![0.0; load.len()];
    let mut count = 0;
    let cold = once(|| count = solver.solve(network, load, &mut x).unwrap().iterations);
    println!("  cg {name:<20} cold {cold:10.3} {count:6} iterations");
    let mut probing = ConjugateGradient::new(
        network,
        Iteration {
            probe: true,
            ..iteration
        },
    );
    let mut y = vec![0.0; load.len()];
    let sure = once(|| {
        probing.solve(network, load, &mut y).unwrap();
    });
    println!("  cg {name:<12} with probe   {sure:10.3}");
    for pending in [0.0, 1e-1, 1e-2] {
        let mut network = network.clone();
        let iteration = Iteration {
            pending,
            ..iteration
        };
        let mut solver = ConjugateGradient::new(&network, iteration);
        let mut x = x.clone();
        solver.solve(&network, load, &mut x).unwrap();
        let mut count = 0;
        let warm = once(|| {
            add_disk(&mut network, top, &mut solver);
            let load = weights(&network);
            x.resize(load.len(), 0.0);
            count = solver.solve(&network, &load, &mut x).unwrap().iterations;
        });
        let left = solver.pending();
        let exact = weights(&network);
        let mut y = x.clone();
        Factor::new(&network)
            .solve(&network, &exact, &mut y)
            .unwrap();
        let difference: f64 = x.iter().zip(&y).map(|(x, y)| (x - y).powi(2)).sum();
        let size: f64 = y.iter().map(|y| y * y).sum();
        println!(
            "  cg {name:<12} disk, {pending:5.0e}  {warm:10.3} {count:6} iterations, patch {}, {} nodes pending, greatest {:.1e}, displacements off by {:.1e}",
            left.patch,
            left.nodes,
            left.greatest,
            (difference / size).sqrt()
        );
    }
}
