//! What must hold over any ranks: called by each of them. Run over threads here, over processes by `tests/mpi`.

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use arenite::geometry::Planar;
use arenite::ranks::{RankError, Ranks, Source, Tag, Values};
use arenite::stress::{Fetch, Freedom, LinkState, Network, Node, NodeKey, Rima, Solver, Storage};
use arenite::sweep::{Done, Keep, Options, Sweep, read_rows, run, run_over, table};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const ASK: Tag = Tag::new(1);
const TELL: Tag = Tag::new(2);

/// Bytes that tell from whom to whom they are, of a length of their own.
fn words(from: usize, to: usize, length: usize) -> Vec<u8> {
    let start = (7 * from + 3 * to) as u8;
    (0..length).map(|k| start.wrapping_add(k as u8)).collect()
}

/// Messages as [`Ranks`] says that they are.
pub fn messages(ranks: &dyn Ranks) {
    let (me, size) = (ranks.rank(), ranks.size());
    assert!(me < size);
    // A ring: all send before any receives, more than an MPI keeps for them.
    let (next, before) = ((me + 1) % size, (me + size - 1) % size);
    for length in [0, 5, 300_000] {
        let (up, down) = (words(me, next, length), words(me, before, 2 * length));
        let mut meanwhile = 0;
        let out: [(usize, &[u8]); 2] = [(next, &up), (before, &down)];
        let come = ranks
            .exchange_while(ASK, &out, &[before, next], &mut || meanwhile += 1)
            .unwrap();
        assert_eq!(meanwhile, 1);
        // From a rank that is both neighbours both come, in the order in which they were sent.
        let first = words(before, me, length);
        let second = words(next, me, 2 * length);
        assert!(come[0] == first, "{me} of {size}: {length}");
        assert!(come[1] == second, "{me} of {size}: {length}");
    }
    ranks.barrier().unwrap();

    // Rank 0 hears all others as they come, twice, and answers.
    if me == 0 {
        let mut heard = vec![0_u64; size];
        for _ in 0..2 * (size - 1) {
            let (from, said) = ranks.receive_values::<u64>(Source::Any, ASK).unwrap();
            heard[from] += 1;
            // Those of one rank in their order.
            assert_eq!(said, [heard[from], from as u64]);
            ranks.send_values(from, TELL, &[0.5 * from as f64]).unwrap();
        }
        assert!(heard[1..].iter().all(|count| *count == 2));
        if size > 1 {
            assert_eq!(ranks.try_receive(Source::Any, ASK).unwrap(), None);
        }
    } else {
        for count in 1..=2 {
            ranks.send_values(0, ASK, &[count, me as u64]).unwrap();
            let told = loop {
                match ranks.try_receive(Source::Rank(0), TELL).unwrap() {
                    Some(message) => break message,
                    None => std::thread::yield_now(),
                }
            };
            assert_eq!(told.from, 0);
            assert_eq!(told.bytes, (0.5 * me as f64).to_le_bytes());
        }
    }

    for root in 0..size {
        for length in [0, 3, 100_000] {
            let mut bytes = match me == root {
                true => words(root, root, length),
                false => vec![1, 2, 3, 4],
            };
            ranks.broadcast(root, &mut bytes).unwrap();
            assert!(bytes == words(root, root, length), "{me} of {size}");
        }
    }
    let all = ranks.all_gather(&words(me, me, 1000 * me)).unwrap();
    assert_eq!(all.len(), size);
    for (rank, bytes) in all.iter().enumerate() {
        assert!(*bytes == words(rank, rank, 1000 * rank));
    }

    // Of these numbers another order has another sum, but for two ranks or fewer.
    let share = |rank: usize| [1e16, 1.0, -1e16, 3.0, 0.1][rank % 5] * (1.0 + rank as f64 / 7.0);
    let mut sums = [share(me), -0.0];
    ranks.sum(&mut sums).unwrap();
    let mut wanted = share(0);
    for rank in 1..size {
        wanted += share(rank);
    }
    assert_eq!(sums[0].to_bits(), wanted.to_bits());
    assert_eq!(sums[1].to_bits(), (-0.0_f64).to_bits());
    assert_eq!(ranks.least(10.0 - me as f64).unwrap(), 11.0 - size as f64);
    let mut values = [me as f64, -(me as f64), f64::NAN];
    ranks.greatest(&mut values).unwrap();
    assert_eq!(values, [size as f64 - 1.0, 0.0, f64::INFINITY]);
    let odd = if me + 1 == size { f64::NAN } else { 1.0 };
    assert!(ranks.least(odd).unwrap().is_nan());
    assert!(ranks.any(me + 1 == size).unwrap());
    assert!(!ranks.any(false).unwrap());

    let nobody = RankError::NoSuch {
        rank: size,
        own: me,
        size,
    };
    assert_eq!(ranks.send(size, ASK, &[]), Err(nobody.clone()));
    assert_eq!(ranks.receive(Source::Rank(size), ASK), Err(nobody));
    let own = ranks.send(me, ASK, &[]).unwrap_err();
    assert!(matches!(own, RankError::NoSuch { rank, .. } if rank == me));
}

/// A heap in which each disk lies on two others, of any stiffness, some of them with a third contact beside.
fn heap(disks: usize, across: usize, freedom: Freedom, dice: &mut ChaCha8Rng) -> Heap {
    let mut network = Network::new(freedom);
    let radius = 0.01;
    let floor = |network: &mut Network<Planar>, x: f64| {
        let position = nalgebra::Vector2::new(x, 0.0);
        let radius = 0.0;
        let fixed = true;
        network
            .add_node(Node {
                position,
                radius,
                fixed,
            })
            .0
    };
    let mut below: Vec<NodeKey> = (0..=across)
        .map(|k| floor(&mut network, 2.0 * radius * k as f64))
        .collect();
    let (mut row, mut free) = (1, Vec::new());
    let mut links = Vec::new();
    while free.len() < disks {
        let mut this: Vec<NodeKey> = Vec::new();
        for k in 0..=across {
            let shift: f64 = dice.random_range(-0.2..0.2);
            let odd = if row % 2 == 1 { radius } else { 0.0 };
            let x = 2.0 * radius * k as f64 + odd + shift * radius;
            let position = nalgebra::Vector2::new(x, 1.6 * radius * row as f64);
            let fixed = false;
            let node = network.add_node(Node {
                position,
                radius,
                fixed,
            });
            let left = (k + row % 2).saturating_sub(1).min(across - 1);
            let mut to = vec![below[left], below[left + 1]];
            if k > 0 && dice.random_range(0..3) == 0 {
                to.push(this[k - 1]);
            }
            for other in to {
                let kn = 1e6 * dice.random_range(0.5..2.0);
                let link = network.between(node.0, other, kn, 0.3 * kn, 0.5);
                links.push((node.0, link.expect("disks apart")));
            }
            this.push(node.0);
            free.push(node.0);
        }
        below = this;
        row += 1;
    }
    Heap { network, links }
}

struct Heap {
    network: Network<Planar>,
    links: Vec<(NodeKey, arenite::stress::Link<Planar>)>,
}

/// The inverse dealt out to ranks gives the bits of the one on a single rank, on each rank: while disks come one after the other, while
/// links slide, open and close again, also where parts hang loose. Which solves went well.
pub fn rima(
    ranks: &(dyn Ranks + Sync),
    fetch: Fetch,
    freedom: Freedom,
    disks: usize,
) -> (usize, usize) {
    // The same on each rank.
    let mut dice = ChaCha8Rng::seed_from_u64(disks as u64);
    let Heap {
        network: all,
        links,
    } = heap(disks, 11, freedom, &mut dice);
    let mut network = Network::new(freedom);
    let (mut one, mut over) = (Rima::new(), Rima::over(ranks, fetch));
    let (mut solved, mut refused) = (0, 0);
    let mut solve =
        |network: &Network<Planar>, one: &mut Rima, over: &mut Rima<_>, k: usize| match alike(
            network, one, over, k,
        ) {
            true => solved += 1,
            false => refused += 1,
        };
    let mut rest = &links[..];
    for node in all.nodes() {
        let (key, change) = network.add_node(*node);
        one.changed(&network, change);
        over.changed(&network, change);
        while let Some(((_, link), after)) = rest.split_first().filter(|(first, _)| first.0 == key)
        {
            let (_, change) = network.add_link(*link);
            one.changed(&network, change);
            over.changed(&network, change);
            rest = after;
        }
        if key % 20 == 19 {
            solve(&network, &mut one, &mut over, key);
        }
    }
    assert!(rest.is_empty());
    let states = [LinkState::Grip, LinkState::Slide, LinkState::Off];
    for step in 0..30 {
        for _ in 0..dice.random_range(1..8) {
            let link = dice.random_range(0..links.len());
            let loose = if step % 10 > 7 { 3 } else { 2 };
            let state = states[dice.random_range(0..loose)];
            if let Some(change) = network.set_state(link, state) {
                one.changed(&network, change);
                over.changed(&network, change);
            }
        }
        solve(&network, &mut one, &mut over, step);
    }
    for link in 0..links.len() {
        if let Some(change) = network.set_state(link, LinkState::Grip) {
            one.changed(&network, change);
            over.changed(&network, change);
        }
    }
    solve(&network, &mut one, &mut over, 0);
    // All of the inverse, and what lies on each rank.
    let (whole, spread) = (one.inverse(&network), over.inverse(&network));
    let (whole, spread) = (whole.unwrap(), spread.unwrap());
    assert!(
        whole
            .iter()
            .zip(&spread)
            .all(|(a, b)| a.to_bits() == b.to_bits())
    );
    let held = ranks.all_gather_values(&[over.memory() as u64]).unwrap();
    let held: u64 = held.iter().flatten().sum();
    assert_eq!(held, one.memory() as u64, "each tile on one rank");
    assert_eq!(over.failure(), None);
    (solved, refused)
}

/// Both solve to the same bits, or refuse alike.
fn alike<S: Storage>(
    network: &Network<Planar>,
    one: &mut Rima,
    over: &mut Rima<S>,
    number: usize,
) -> bool {
    let load: Vec<f64> = (0..network.len())
        .map(|k| ((k * 37 + number * 11) % 101) as f64 - 70.0)
        .collect();
    let mut found = [vec![0.0; load.len()], vec![0.0; load.len()]];
    let [first, second] = &mut found;
    let answers = [
        one.solve(network, &load, first),
        over.solve(network, &load, second),
    ];
    assert_eq!(answers[0], answers[1], "solve {number}");
    let bits = |numbers: &[f64]| numbers.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
    assert!(bits(&found[0]) == bits(&found[1]), "solve {number}");
    answers[0].is_ok()
}

/// Some disks fall out of a shaft. One of the values cannot be.
const SWEEP: &str = r#"scenario = "few.toml"
seeds = 4
[grid]
"fill[0].lattice.count" = [3, 6]
"fill[0].lattice.radius" = [0.008, -1.0]
"#;

const FEW: &str = r#"name = "few"
dimension = 2
[field]
gravity = [0.0, -9.8]
[run]
end_time = 0.3
stop_when_empty = true
[log]
series = 0.02
[[boundary]]
name = "left"
material = "thesis-wall"
segment = { from = [0.0, 0.0], to = [0.0, 0.5] }
[[boundary]]
name = "right"
material = "thesis-wall"
segment = { from = [0.1, 0.5], to = [0.1, 0.0] }
[[fill]]
material = "thesis-disk"
[fill.lattice]
count = 6
radius = 0.008
min = [0.0, 0.01]
max = [0.1, 0.2]
jitter = 1.0
speed = 0.3
[[outlet]]
plane = { point = [0.0, 0.0], normal = [0.0, 1.0] }
"#;

/// Writes the sweep of these checks and its scenario.
pub fn write_sweep(folder: &Path) {
    fs::write(folder.join("few.toml"), FEW).unwrap();
    fs::write(folder.join("few-sweep.toml"), SWEEP).unwrap();
}

/// The sweep that [`write_sweep`] wrote, and its table on one rank.
pub fn swept_alone(folder: &Path) -> (Sweep, String) {
    let sweep = read(folder);
    let dir = folder.join("alone");
    let never = AtomicBool::new(false);
    run(&sweep, &options(&dir, &never)).unwrap();
    let text = table_of(&sweep, &dir);
    assert_eq!(text.matches("is -1").count(), 8, "{text}");
    (sweep, text)
}

pub fn read(folder: &Path) -> Sweep {
    let file = folder.join("few-sweep.toml");
    Sweep::load(&file.display().to_string(), &[]).unwrap_or_else(|error| panic!("{error}"))
}

pub fn options<'a>(dir: &'a Path, stop: &'a AtomicBool) -> Options<'a> {
    Options {
        dir,
        shard: None,
        threads: 1,
        keep: Keep::Summary,
        retry: false,
        stop,
        look: &|_| {},
    }
}

/// The table of a folder, as text; runs that are not there are empty.
pub fn table_of(sweep: &Sweep, dir: &Path) -> String {
    let points = sweep.points().unwrap();
    format!("{:?}", table(sweep, &points, &read_rows(&points, dir)))
}

/// The sweep of a folder over ranks, from nothing and once more: the table of one rank.
pub fn sweep(ranks: &dyn Ranks, folder: &Path, threads: usize) {
    let sweep = read(folder);
    let dir = folder.join(format!("over-{}-{threads}", ranks.size()));
    let stop = AtomicBool::new(false);
    let over = || {
        let options = Options {
            threads,
            ..options(&dir, &stop)
        };
        run_over(&sweep, &options, ranks).unwrap_or_else(|error| panic!("{error}"))
    };
    let done = over();
    if ranks.rank() == 0 {
        let look = done.look;
        assert_eq!(
            (look.all, look.there, look.ended, look.failed),
            (16, 0, 16, 8)
        );
        assert!(!done.stopped && done.elsewhere == 0);
    } else {
        assert_eq!(done, Done::default());
    }
    // All is there: nothing is run again.
    let done = over();
    if ranks.rank() == 0 {
        assert_eq!((done.look.there, done.look.ended), (16, 0));
    }
}
