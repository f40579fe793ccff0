//! The inverse stiffness matrix of a heap dealt out to ranks (thesis 4.8, Fig. 4.18: a silo of 1000 disks and 2000 links): time of building it
//! up disk by disk, with the stresses worked out after each disk, and what the ranks say to each other.
//!
//! ```text
//! cargo build --release --features mpi --example rima_ranks
//! mpirun -n 2 target/release/examples/rima_ranks 1000
//! cargo run --release --example rima_ranks -- 1000 --threads 2     without MPI
//! ```
//!
//! `on processor` is the time that a rank worked, where the system tells: over threads those who wait do not work, so that it tells how
//! the work divides also on a machine with fewer cores than ranks. (Processes of MPI look for messages without rest.)
//!
//! `--broadcast` has rows of the matrix go as in the thesis; `--every K` solves after each K disks only; `--serial` is the inverse on
//! one rank, without any of this. The last column tells the bits of all displacements: they are the same in every line of a size.

use std::hash::Hasher;
use std::time::Instant;

use arenite::geometry::Planar;
use arenite::ranks::{Bridge, Counted, Ranks, Values};
use arenite::stress::{Fetch, Freedom, Network, Node, NodeKey, Rima, Solver};
use fnv::FnvHasher;

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Radius of a disk, m.
const RADIUS: f64 = 0.01;
/// Disks of a row.
const ACROSS: usize = 25;

/// Nodes in the order in which they come, the contacts of each with those before, and the weights of the free ones.
struct Heap {
    nodes: Vec<Node<Planar>>,
    contacts: Vec<Vec<(NodeKey, NodeKey)>>,
    load: Vec<f64>,
}

/// Rows of disks, each disk in the groove between two of the row below; the lowest lie on points that are held.
fn heap(disks: usize) -> Heap {
    let mut heap = Heap {
        nodes: Vec::new(),
        contacts: Vec::new(),
        load: Vec::new(),
    };
    let rise = RADIUS * 3f64.sqrt();
    let mut below: Vec<NodeKey> = Vec::new();
    for row in 0.. {
        // Every other row has one disk less.
        let count = ACROSS + 1 - row % 2;
        let shift = if row % 2 == 1 { RADIUS } else { 0.0 };
        let mut this = Vec::new();
        for k in 0..count {
            if heap.load.len() == 2 * disks {
                return heap;
            }
            let key = heap.nodes.len();
            // A little off, so that no two links are alike.
            let off = 0.02 * RADIUS * (((7 * row + 3 * k) % 11) as f64 / 11.0 - 0.5);
            let x = shift + 2.0 * RADIUS * k as f64 + off;
            heap.nodes.push(Node {
                position: nalgebra::Vector2::new(x, rise * row as f64),
                radius: if row == 0 { 0.0 } else { RADIUS },
                fixed: row == 0,
            });
            let mut to = Vec::new();
            if row > 0 {
                heap.load.extend([0.0, -9.8 * 0.3]);
                // The outermost of a longer row lean on one disk and on the neighbour.
                let left = if row % 2 == 1 {
                    Some(k)
                } else {
                    k.checked_sub(1)
                };
                let right = if row % 2 == 1 { k + 1 } else { k };
                to.extend(left.and_then(|at| below.get(at)));
                to.extend(below.get(right));
                if to.len() < 2 {
                    to.extend(this.last());
                }
            }
            heap.contacts
                .push(to.into_iter().map(|other| (key, other)).collect());
            this.push(key);
        }
        below = this;
    }
    heap
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

/// Builds the heap and solves; how many links there are, and what all displacements hash to.
fn build<S: Solver<Planar>>(
    solver: &mut S,
    heap: &Heap,
    every: usize,
) -> Result<(usize, u64), Failure> {
    let mut network = Network::new(Freedom::Translational);
    let mut hash = FnvHasher::default();
    let mut found = Vec::new();
    for (node, contacts) in heap.nodes.iter().zip(&heap.contacts) {
        let (_, change) = network.add_node(*node);
        solver.changed(&network, change);
        for (a, b) in contacts {
            let link = network.between(*a, *b, 1.5e6, 1.5e5, 0.5);
            let (_, change) = network.add_link(link.ok_or("two disks at one place")?);
            solver.changed(&network, change);
        }
        let free = network.free_nodes();
        let last = network.len() == heap.load.len();
        if !node.fixed && (free % every == 0 || last) {
            found.resize(network.len(), 0.0);
            solver.solve(&network, &heap.load[..network.len()], &mut found)?;
            for number in &found {
                hash.write(&number.to_bits().to_le_bytes());
            }
        }
    }
    Ok((network.links().len(), hash.finish()))
}

/// Time that this thread has been on a processor, s; not a number where the system does not tell.
fn on_processor() -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = told
        .split(' ')
        .next()
        .and_then(|text| text.parse::<f64>().ok());
    nanoseconds.map_or(f64::NAN, |count| count * 1e-9)
}

fn report(ranks: &dyn Ranks, asked: &Asked) -> Result<(), Failure> {
    let heap = heap(asked.disks);
    let ranks = Counted::new(ranks);
    ranks.barrier()?;
    ranks.take();
    let (start, before) = (Instant::now(), on_processor());
    let ((links, hash), memory) = if asked.serial {
        let mut rima = Rima::new();
        (build(&mut rima, &heap, asked.every)?, rima.memory())
    } else {
        Bridge::lend(&ranks, |ranks| {
            let mut rima = Rima::over(ranks, asked.fetch);
            Ok::<_, Failure>((build(&mut rima, &heap, asked.every)?, rima.memory()))
        })?
    };
    let (volume, worked) = (ranks.take(), on_processor() - before);
    ranks.barrier()?;
    let seconds = start.elapsed().as_secs_f64();
    let micros = (worked * 1e6) as u64;
    let told = [hash, volume.calls, volume.received, memory as u64, micros];
    let all = ranks.all_gather_values(&told)?;
    if ranks.rank() == 0 {
        for (rank, told) in all.iter().enumerate() {
            println!(
                "{} disks {links} links  ranks {}  rank {rank}  {seconds:.3} s  on processor {:.3} s  calls {}  received {:.1} MB  holds {:.1} MB  bits {:016x}",
                asked.disks,
                ranks.size(),
                told[4] as f64 * 1e-6,
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
