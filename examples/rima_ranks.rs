//! The inverse stiffness matrix of a silo dealt out to ranks (thesis 4.8, Fig. 4.18): time of a filling disk by disk, with the stresses
//! worked out after each disk, and what the ranks say to each other.
//!
//! ```text
//! cargo build --release --features mpi --example rima_ranks
//! mpirun -n 2 target/release/examples/rima_ranks 1000
//! cargo run --release --example rima_ranks -- 1000 --threads 2     without MPI
//! ```
//!
//! `--broadcast` has rows of the matrix go as in the thesis; `--every K` solves after each K disks only; `--serial` is the inverse on
//! one rank, without any of this. The last column tells the bits of all displacements: they are the same in every line of a size.

use std::collections::BTreeMap;
use std::time::Instant;

use arenite::geometry::Planar;
use arenite::ranks::{Counted, Ranks, Values};
use arenite::scenario::{AnySetup, Override, Scenario};
use arenite::stress::{Fetch, Freedom, Link, LinkState, Network, Node, NodeKey, Rima, Solver};
use arenite::system::Setup;

type Failure = Box<dyn std::error::Error>;

/// Contacts are pairs with a gap under this share of a radius.
const TOUCH: f64 = 1e-6;

/// A silo of some width, m, with so many disks: the scenario `silo`, wider.
fn setup(disks: usize, width: f64) -> Result<Setup<Planar>, Failure> {
    let high = 3.0 + disks as f64 * 6e-4 / width;
    let set = |path: &str, value: String| Override::option("RANKS", path, &value);
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

/// The nodes of a filling, how many there are with each disk, the contacts that come with it, and the weights.
struct Filling {
    network: Network<Planar>,
    nodes: Vec<usize>,
    contacts: Vec<Vec<Link<Planar>>>,
    load: Vec<f64>,
}

fn filling(setup: &Setup<Planar>, width: f64) -> Filling {
    let mut network = Network::new(Freedom::Translational);
    let (mut contacts, mut load) = (Vec::new(), Vec::new());
    // Disks that lie where a new one could touch them.
    let mut cells: BTreeMap<(i64, i64), Vec<usize>> = BTreeMap::new();
    let side = 2.0 * setup.grains.iter().map(|g| g.radius).fold(0.0, f64::max);
    let cell = |x: f64| (x / side).floor() as i64;
    let mut disks: Vec<NodeKey> = Vec::new();
    let mut nodes = Vec::new();
    for (index, grain) in setup.grains.iter().enumerate() {
        let (x, r) = (grain.position, grain.radius);
        let node = |network: &mut Network<Planar>, position, radius, fixed| {
            let node = Node {
                position,
                radius,
                fixed,
            };
            network.add_node(node).0
        };
        let own = node(&mut network, x, r, false);
        let mut to = Vec::new();
        let (column, row) = (cell(x[0]), cell(x[1]));
        for near in (column - 1..=column + 1).flat_map(|a| (row - 1..=row + 1).map(move |b| (a, b)))
        {
            for &other in cells.get(&near).into_iter().flatten() {
                let theirs = &setup.grains[other];
                let gap = (x - theirs.position).norm() - r - theirs.radius;
                if gap < TOUCH * r {
                    to.push(disks[other]);
                }
            }
        }
        to.sort_unstable();
        for wall in [[0.0, x[1]], [width, x[1]], [x[0], 0.0]] {
            let foot = nalgebra::Vector2::new(wall[0], wall[1]);
            if (x - foot).norm() < r * (1.0 + TOUCH) {
                to.push(node(&mut network, foot, 0.0, true));
            }
        }
        let links = to.iter().filter_map(|other| {
            let link = network.between(own, *other, 1.5e6, 1.5e5, 0.5)?;
            let state = LinkState::Grip;
            Some(Link { state, ..link })
        });
        contacts.push(links.collect());
        disks.push(own);
        nodes.push(network.nodes().len());
        cells.entry((column, row)).or_default().push(index);
        load.extend([0.0, -9.8 * grain.mass]);
    }
    Filling {
        network,
        nodes,
        contacts,
        load,
    }
}

/// What was asked for.
struct Asked {
    disks: usize,
    every: usize,
    fetch: Fetch,
    serial: bool,
    threads: usize,
}

fn asked() -> Result<Asked, Failure> {
    let mut asked = Asked {
        disks: 1000,
        every: 1,
        fetch: Fetch::Gather,
        serial: false,
        threads: 1,
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut number = || -> Result<usize, Failure> {
            let text = words.next().ok_or(format!("{word} wants a number"))?;
            Ok(text.parse::<usize>()?.max(1))
        };
        match word.as_str() {
            "--every" => asked.every = number()?,
            "--threads" => asked.threads = number()?,
            "--broadcast" => asked.fetch = Fetch::Broadcast,
            "--serial" => asked.serial = true,
            count => asked.disks = count.parse()?,
        }
    }
    Ok(asked)
}

/// Fills the silo and solves; what all displacements hash to.
fn fill<S: Solver<Planar>>(
    solver: &mut S,
    filling: &Filling,
    every: usize,
) -> Result<u64, Failure> {
    let mut network = Network::new(Freedom::Translational);
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut found = Vec::new();
    let last = filling.contacts.len();
    for (index, links) in filling.contacts.iter().enumerate() {
        for node in &filling.network.nodes()[network.nodes().len()..filling.nodes[index]] {
            let (_, change) = network.add_node(*node);
            solver.changed(&network, change);
        }
        for link in links {
            let (_, change) = network.add_link(*link);
            solver.changed(&network, change);
        }
        if (index + 1) % every == 0 || index + 1 == last {
            found.resize(network.len(), 0.0);
            solver.solve(&network, &filling.load[..network.len()], &mut found)?;
            for number in &found {
                hash = (hash ^ number.to_bits()).wrapping_mul(0x0000_0100_0000_01b3);
            }
        }
    }
    Ok(hash)
}

fn report(ranks: &dyn Ranks, asked: &Asked) -> Result<(), Failure> {
    let width = 1.0;
    let filling = filling(&setup(asked.disks, width)?, width);
    let links: usize = filling.contacts.iter().map(Vec::len).sum();
    let ranks = Counted::new(ranks);
    ranks.barrier()?;
    ranks.take();
    let start = Instant::now();
    let (hash, memory) = if asked.serial {
        let mut rima = Rima::new();
        (fill(&mut rima, &filling, asked.every)?, rima.memory())
    } else {
        let mut rima = Rima::over(&ranks, asked.fetch);
        (fill(&mut rima, &filling, asked.every)?, rima.memory())
    };
    let volume = ranks.take();
    ranks.barrier()?;
    let seconds = start.elapsed().as_secs_f64();
    let told = [hash, volume.calls, volume.received, memory as u64];
    let all = ranks.all_gather_values(&told)?;
    if ranks.rank() == 0 {
        for (rank, told) in all.iter().enumerate() {
            println!(
                "{} disks {links} links  ranks {}  rank {rank}  {seconds:.3} s  calls {}  received {:.1} MB  holds {:.1} MB  bits {:016x}",
                asked.disks,
                ranks.size(),
                told[1],
                told[2] as f64 * 1e-6,
                told[3] as f64 * 1e-6,
                told[0]
            );
        }
    }
    Ok(())
}

#[cfg(feature = "mpi")]
fn with_ranks(asked: &Asked) -> Result<(), Failure> {
    if asked.threads == 1 {
        return report(&arenite::ranks::World::begin()?, asked);
    }
    over_threads(asked)
}

#[cfg(not(feature = "mpi"))]
fn with_ranks(asked: &Asked) -> Result<(), Failure> {
    over_threads(asked)
}

fn over_threads(asked: &Asked) -> Result<(), Failure> {
    let told = arenite::ranks::Threads::run(asked.threads, |ranks| {
        report(ranks, asked).map_err(|error| error.to_string())
    });
    told.into_iter().collect::<Result<(), String>>()?;
    Ok(())
}

fn main() -> Result<(), Failure> {
    with_ranks(&asked()?)
}
