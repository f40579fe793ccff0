//! The thesis's graphs of the two ways to the stresses of a silo (Figs. 5.34 to 5.36), and the same
//! up to 50,000 disks: time of a solve per disk, time of taking a link into the inverse, iterations.
//!
//! ```text
//! cargo run --release --example stress_graphs -- [LARGEST]
//! ```
//!
//! Packings are fillings of the scenario `silo` before any stress: places alone, all contacts
//! gripping, weights as loads. Times are the best of several by the clock.

use std::collections::BTreeMap;
use std::time::Instant;

use arenite::geometry::Planar;
use arenite::scenario::{AnySetup, Override, Scenario};
use arenite::stress::{
    ConjugateGradient, Factor, Freedom, Iteration, LinkState, Network, Node, Preconditioner, Rima,
    Solver,
};
use arenite::system::Setup;

type Failure = Box<dyn std::error::Error>;

/// Contacts are pairs with a gap under this share of a radius.
const TOUCH: f64 = 1e-6;

/// A silo of some width, m, with so many disks.
fn setup(disks: usize, width: f64) -> Result<Setup<Planar>, Failure> {
    let high = 3.0 + disks as f64 * 6e-4 / width;
    let set = |path: &str, value: String| Override::option("GRAPHS", path, &value);
    let overrides = [
        set("fill[0].roll_down.count", disks.to_string()),
        set("fill[0].roll_down.max", format!("[{width}, {high}]")),
        set("boundary[1].plane.point", format!("[{width}, 0.0]")),
    ];
    let resolved = Scenario::load("silo", &overrides)
        .and_then(|scenario| scenario.resolve())
        .map_err(|problem| problem.render(false))?;
    match resolved.setup {
        AnySetup::Planar(setup) => Ok(setup),
        AnySetup::Spatial(_) => Err("the silo is planar".into()),
    }
}

/// The first disks of a filling with all their contacts.
fn network(setup: &Setup<Planar>, disks: usize, width: f64) -> (Network<Planar>, Vec<f64>) {
    let mut network = Network::new(Freedom::Translational);
    let mut load = Vec::new();
    let mut cells: BTreeMap<(i64, i64), Vec<usize>> = BTreeMap::new();
    let mut keys = Vec::new();
    let link = |network: &mut Network<Planar>, a, b, kn: f64, mu: f64| {
        if let Some(link) = network.between(a, b, kn, 0.1 * kn, mu) {
            network.add_link(link);
        }
    };
    for (index, grain) in setup.grains[..disks].iter().enumerate() {
        let (x, r) = (grain.position, grain.radius);
        let (node, _) = network.add_node(Node {
            position: x,
            radius: r,
            fixed: false,
        });
        keys.push(node);
        load.extend([0.0, -9.8 * grain.mass]);
        let sides = [
            (x.x - r, nalgebra::Vector2::new(0.0, x.y)),
            (width - x.x - r, nalgebra::Vector2::new(width, x.y)),
            (x.y - r, nalgebra::Vector2::new(x.x, 0.0)),
        ];
        for (gap, position) in sides {
            if gap.abs() <= TOUCH * r {
                let (wall, _) = network.add_node(Node {
                    position,
                    radius: 0.0,
                    fixed: true,
                });
                link(&mut network, node, wall, 1.5e6, 0.33);
            }
        }
        let cell = |v: f64| (v / 0.025).floor() as i64;
        let (i, j) = (cell(x.x), cell(x.y));
        for near in (i - 1..=i + 1).flat_map(|i| (j - 1..=j + 1).map(move |j| (i, j))) {
            for &other in cells.get(&near).into_iter().flatten() {
                let beside = &setup.grains[other];
                let gap = (beside.position - x).norm() - r - beside.radius;
                if gap.abs() <= TOUCH * r {
                    link(&mut network, node, keys[other], 1e6, 0.43);
                }
            }
        }
        cells.entry((i, j)).or_default().push(index);
    }
    (network, load)
}

/// Best time of some runs, s, and what the last gave.
fn best<T>(mut work: impl FnMut() -> T) -> (f64, T) {
    let mut value = work();
    let (mut least, mut runs, start) = (f64::INFINITY, 0, Instant::now());
    while runs < 3 || (runs < 200 && start.elapsed().as_secs_f64() < 0.3) {
        let begin = Instant::now();
        value = work();
        least = least.min(begin.elapsed().as_secs_f64());
        runs += 1;
    }
    (least, value)
}

fn iteration(preconditioner: Preconditioner) -> Iteration {
    Iteration {
        preconditioner,
        probe: false,
        ..Iteration::default()
    }
}

/// Time, s, and iterations of a solve from nothing; assembly and preconditioner are there.
fn cold(network: &Network<Planar>, load: &[f64], how: Preconditioner) -> (f64, usize) {
    let mut solver = ConjugateGradient::new(network, iteration(how));
    let mut x = vec![0.0; load.len()];
    // Of a first solve: it makes the preconditioner.
    let first = Solver::<Planar>::solve(&mut solver, network, load, &mut x);
    let Ok(effort) = first else {
        return (f64::NAN, 0);
    };
    let (time, _) = best(|| {
        x.fill(0.0);
        let _ = Solver::<Planar>::solve(&mut solver, network, load, &mut x);
    });
    (time, effort.iterations)
}

/// Time of taking one link out of or into the inverse, s.
fn update(network: &mut Network<Planar>, rima: &mut Rima) -> f64 {
    let links = network.links().len();
    let mut out = vec![0.0; network.len()];
    let mut link = links / 2;
    let (time, ()) = best(|| {
        link = (link + 37) % links;
        // Across the link only, so that nothing comes to hang: one bar.
        let state = match network.links()[link].state {
            LinkState::Grip => LinkState::Slide,
            _ => LinkState::Grip,
        };
        if let Some(change) = network.set_state(link, state) {
            Solver::<Planar>::changed(rima, network, change);
        }
        let _ = Solver::<Planar>::response(rima, network, 0, 0, &mut out);
        rima.sweep(network);
    });
    time
}

fn small(width: f64) -> Result<(), Failure> {
    let setup = setup(4000, width)?;
    println!("us a disk for the stresses; us for a bar into the inverse; iterations to 1e-10\n");
    println!(
        "| disks | rima | cg, no preconditioner | cg, incomplete Cholesky | factor | bar into the inverse | factor anew | iterations, none | Jacobi | incomplete Cholesky |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    // Beyond the thesis's sizes, until the iteration is the faster.
    for disks in (1..=10).map(|k| 100 * k).chain([2000, 4000]) {
        let (mut network, load) = network(&setup, disks, width);
        let mut x = vec![0.0; load.len()];
        let mut rima = Rima::of(&network);
        rima.sweep(&network);
        let (inverse, done) = best(|| Solver::<Planar>::solve(&mut rima, &network, &load, &mut x));
        done?;
        let (plain, none) = cold(&network, &load, Preconditioner::None);
        let (_, jacobi) = cold(&network, &load, Preconditioner::Jacobi);
        let (helped, some) = cold(&network, &load, Preconditioner::IncompleteCholesky);
        let mut factor = Factor::new(&network);
        let (direct, _) = best(|| Solver::<Planar>::solve(&mut factor, &network, &load, &mut x));
        let (anew, _) =
            best(|| Solver::<Planar>::solve(&mut Factor::new(&network), &network, &load, &mut x));
        let taken = update(&mut network, &mut rima);
        let per = |time: f64| 1e6 * time / disks as f64;
        println!(
            "| {disks} | {:.3} | {:.2} | {:.2} | {:.3} | {:.1} | {:.0} | {none} | {jacobi} | {some} |",
            per(inverse),
            per(plain),
            per(helped),
            per(direct),
            1e6 * taken,
            1e6 * anew,
        );
    }
    Ok(())
}

fn large(largest: usize) -> Result<(), Failure> {
    println!("\nIterations to 1e-10 and ms of a solve, beyond the thesis's sizes\n");
    println!(
        "| disks | width, m | none | Jacobi | incomplete Cholesky | cg, ms | factor from nothing, ms | factor kept, ms |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for disks in [500, 1000, 2000, 5000, 10_000, 20_000, 50_000] {
        if disks > largest {
            break;
        }
        let same = 0.3 * (disks as f64 / 500.0).sqrt();
        for width in if disks == 500 {
            vec![0.3]
        } else {
            vec![0.3, same]
        } {
            let setup = setup(disks, width)?;
            let (network, load) = network(&setup, disks, width);
            let (_, none) = cold(&network, &load, Preconditioner::None);
            let (_, jacobi) = cold(&network, &load, Preconditioner::Jacobi);
            let (helped, some) = cold(&network, &load, Preconditioner::IncompleteCholesky);
            let mut x = vec![0.0; load.len()];
            let (anew, done) = best(|| {
                Solver::<Planar>::solve(&mut Factor::new(&network), &network, &load, &mut x)
            });
            done?;
            let mut factor = Factor::new(&network);
            Solver::<Planar>::solve(&mut factor, &network, &load, &mut x)?;
            let (kept, _) = best(|| Solver::<Planar>::solve(&mut factor, &network, &load, &mut x));
            println!(
                "| {disks} | {width:.2} | {none} | {jacobi} | {some} | {:.2} | {:.2} | {:.2} |",
                1e3 * helped,
                1e3 * anew,
                1e3 * kept
            );
        }
    }
    Ok(())
}

fn main() -> Result<(), Failure> {
    let largest = std::env::args()
        .nth(1)
        .map_or(Ok(50_000), |text| text.parse())?;
    small(0.3)?;
    large(largest)
}
