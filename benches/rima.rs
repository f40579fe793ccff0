//! The kept inverse: bandwidth of an update of rank r against a plain triad, time of an update per
//! link and of a solve per disk against size (thesis Figs. 5.34, 5.35). `cargo bench --bench rima`
//!
//! A triad a = b + s c is counted as 24 bytes for each entry, as is usual, though the processor
//! also reads a before it writes it; a sweep over the matrix as 16, one read and one write.

use std::hint::black_box;
use std::time::Instant;

use arenite::geometry::Planar;
use arenite::stress::{Freedom, LinkState, Network, Node, Rima, Solver};

/// Best of some runs, s.
fn best(runs: usize, mut work: impl FnMut() -> f64) -> f64 {
    (0..runs).map(|_| work()).fold(f64::INFINITY, f64::min)
}

/// Time that this thread has been on a processor, s: other programs take none of it. Where the
/// system does not tell, none.
fn on_processor() -> Option<f64> {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(told.split(' ').next()?.parse::<f64>().ok()? * 1e-9)
}

/// Time of a piece of work, s. The system counts in ticks of some milliseconds: what is shorter
/// than a few goes by the clock.
fn timed(work: impl FnOnce()) -> f64 {
    let (before, start) = (on_processor(), Instant::now());
    work();
    let elapsed = start.elapsed().as_secs_f64();
    match (before, on_processor()) {
        (Some(before), Some(after)) if elapsed > 0.04 => after - before,
        _ => elapsed,
    }
}

/// A triad over vectors of as many numbers as the matrix has.
struct Triad([Vec<f64>; 3]);

impl Triad {
    fn new(len: usize) -> Self {
        Triad([vec![0.0; len], vec![1.0; len], vec![2.0; len]])
    }

    /// Bandwidth, B/s.
    fn rate(&mut self) -> f64 {
        let [a, b, c] = &mut self.0;
        let repeat = (1 << 24) / a.len() + 1;
        let seconds = timed(|| {
            for k in 0..repeat {
                let s = k as f64;
                for ((a, b), c) in a.iter_mut().zip(&*b).zip(&*c) {
                    *a = b + s * c;
                }
                black_box(&mut *a);
            }
        });
        24.0 * (a.len() * repeat) as f64 / seconds
    }
}

/// Rows of disks, each in the groove between two of the row below.
fn heap(disks: usize) -> Network<Planar> {
    let mut network = Network::new(Freedom::Translational);
    let (radius, across) = (0.01, 25);
    let rise = radius * 3f64.sqrt();
    let mut below: Vec<usize> = Vec::new();
    let mut row = 0;
    while network.free_nodes() < disks {
        let shift = if row % 2 == 1 { radius } else { 0.0 };
        let mut this = Vec::new();
        for k in 0..across {
            let position =
                nalgebra::Vector2::new(shift + 2.0 * radius * k as f64, rise * row as f64);
            let fixed = row == 0;
            if network.free_nodes() >= disks {
                break;
            }
            let node = Node {
                position,
                radius,
                fixed,
            };
            this.push(network.add_node(node).0);
            let left = if row % 2 == 1 {
                k as isize
            } else {
                k as isize - 1
            };
            for under in [left, left + 1] {
                // At the ends of a row a wall stands in.
                let inside = usize::try_from(under).ok().and_then(|u| below.get(u));
                let other = match inside {
                    Some(&other) => other,
                    None if fixed => continue,
                    None => {
                        let wall = Node {
                            position: position
                                + nalgebra::Vector2::new(
                                    if k == 0 { -radius } else { radius },
                                    -rise,
                                ),
                            radius: 0.0,
                            fixed: true,
                        };
                        network.add_node(wall).0
                    }
                };
                let link = network.between(this[k], other, 1.5e6, 1.5e5, 0.5);
                network.add_link(link.expect("disks apart"));
            }
        }
        below = this;
        row += 1;
    }
    network
}

/// Turns some links from gripping to sliding or back, so that as many updates wait.
fn toggle(network: &mut Network<Planar>, rima: &mut Rima, first: usize, count: usize) {
    let links = network.links().len();
    for k in 0..count {
        let link = (first + k * 37) % links;
        let state = match network.links()[link].state {
            LinkState::Grip => LinkState::Slide,
            _ => LinkState::Grip,
        };
        if let Some(change) = network.set_state(link, state) {
            rima.changed(network, change);
        }
    }
}

fn main() {
    println!(
        "{:>7} {:>6} {:>10} {:>22} {:>22} {:>12} {:>12}",
        "rows",
        "MB",
        "triad GB/s",
        "rank 1 GB/s (share)",
        "rank 15 GB/s (share)",
        "us per link",
        "solve us"
    );
    for disks in [100, 250, 500, 1000, 2000, 4000] {
        let mut network = heap(disks);
        let mut rima = Rima::new();
        let n = network.len();
        let mut out = vec![0.0; n];
        rima.sweep(&network);
        let entries = rima.memory() / 8;
        let mut triad = Triad::new(entries);
        let (mut plain, mut rates, mut per_link) = (0.0f64, [0.0f64; 2], f64::INFINITY);
        let mut first = 0;
        // In turns, so that what else the machine does hits all alike.
        for _ in 0..12 {
            plain = plain.max(triad.rate());
            for (rate, rank) in rates.iter_mut().zip([1, 15]) {
                let repeat = (1 << 22) / entries + 1;
                let (mut settled, mut swept) = (0.0, 0.0);
                for _ in 0..repeat {
                    toggle(&mut network, &mut rima, first, rank);
                    first += 1 + 37 * rank;
                    settled += timed(|| {
                        rima.response(&network, 0, 0, &mut out);
                    });
                    swept += timed(|| rima.sweep(&network));
                }
                *rate = rate.max(16.0 * (entries * repeat) as f64 / swept);
                if rank > 1 {
                    per_link = per_link.min((settled + swept) / (rank * repeat) as f64);
                }
            }
        }
        let load = vec![-3.6; n];
        let solve = best(10, || {
            timed(|| {
                rima.solve(&network, &load, &mut out)
                    .expect("a heap that stands");
            })
        });
        println!(
            "{n:>7} {:>6.1} {:>10.1} {:>15.1} ({:.2}) {:>15.1} ({:.2}) {:>12.1} {:>12.1}",
            entries as f64 * 8e-6,
            plain * 1e-9,
            rates[0] * 1e-9,
            rates[0] / plain,
            rates[1] * 1e-9,
            rates[1] / plain,
            per_link * 1e6,
            solve * 1e6,
        );
    }
}
