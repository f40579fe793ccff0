//! Times of the neighbour search by one grid and by several levels, for grains of widely different sizes:
//! `cargo run --release --example levels`.

use std::time::Instant;

use arenite::geometry::{Dimension, Planar, Spatial, Vector};
use arenite::neighbor::{BroadPhase, Cells, Levels};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// How sizes are distributed.
#[derive(Clone, Copy)]
enum Sizes {
    /// Small ones, and as much volume of large ones or at least eight of these.
    Two,
    /// Equal volume in equal stretches of the logarithm of the size.
    Power,
}

/// Radii of so many grains and some more, the smallest 1.
fn radii<D: Dimension>(
    sizes: Sizes,
    ratio: f64,
    count: usize,
    random: &mut ChaCha8Rng,
) -> Vec<f64> {
    let n = D::N as i32;
    match sizes {
        Sizes::Two => {
            let large = (count as f64 / ratio.powi(n)).ceil().max(8.0);
            let small = std::iter::repeat_n(1.0, count);
            small
                .chain(std::iter::repeat_n(ratio, large as usize))
                .collect()
        }
        Sizes::Power => {
            // Numbers fall as the size to the power of the dimension: by inversion.
            let least = ratio.powi(-n);
            let draw = |u: f64| (1.0 - u * (1.0 - least)).powf(-1.0 / f64::from(n));
            let mut all: Vec<f64> = (0..count).map(|_| draw(random.random())).collect();
            all.extend([ratio; 8]);
            all
        }
    }
}

/// Best of some builds, s.
fn time<D: Dimension>(
    search: &mut impl BroadPhase<D>,
    positions: &[D::Vector],
    radii: &[f64],
    margin: f64,
) -> f64 {
    let mut pairs = Vec::new();
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        let start = Instant::now();
        search.pairs(positions, radii, margin, &[], &mut pairs);
        best = best.min(start.elapsed().as_secs_f64());
    }
    best
}

fn row<D: Dimension>(sizes: Sizes, ratio: f64, count: usize) {
    let mut random = ChaCha8Rng::seed_from_u64(5);
    let radii = radii::<D>(sizes, ratio, count, &mut random);
    let fill = if D::N == 2 { 0.8 } else { 0.6 };
    let volume: f64 = radii.iter().map(|&r| D::ball_measure(r)).sum::<f64>() / fill;
    let width = volume.powf(1.0 / D::N as f64);
    // The larger ones first; the small ones where there is room, as in a packing.
    let mut order: Vec<usize> = (0..radii.len()).collect();
    order.sort_by(|&a, &b| radii[b].total_cmp(&radii[a]));
    let mut large: Vec<(D::Vector, f64)> = Vec::new();
    let mut positions = vec![D::Vector::from_fn(|_| 0.0); radii.len()];
    for &k in &order {
        let mut place = D::Vector::from_fn(|_| 0.0);
        for _ in 0..50 {
            place = D::Vector::from_fn(|_| width * random.random::<f64>());
            let free = |(x, r): &(D::Vector, f64)| (*x - place).norm() > 0.95 * (r + radii[k]);
            if large.iter().all(free) {
                break;
            }
        }
        positions[k] = place;
        if radii[k] > 0.2 * ratio && large.len() < 300 {
            large.push((place, radii[k]));
        }
    }
    let mean = radii.iter().sum::<f64>() / radii.len() as f64;
    let (mut cells, mut levels) = (Cells::<D>::new(), Levels::<D>::new());
    let one = time(&mut cells, &positions, &radii, mean);
    let several = time(&mut levels, &positions, &radii, mean);
    println!(
        "| {} | {} | {ratio} | {} | {:.2} | {:.2} | {} | {:.0} |",
        D::N,
        match sizes {
            Sizes::Two => "two sizes",
            Sizes::Power => "power law",
        },
        radii.len(),
        1e3 * one,
        1e3 * several,
        levels.count(),
        100.0 * (1.0 - several / one),
    );
}

fn main() {
    println!(
        "| dimensions | sizes | ratio | grains | one grid, ms | levels, ms | levels | saved, % |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for ratio in [1.0, 2.0, 5.0, 10.0, 29.0, 53.0] {
        for sizes in [Sizes::Two, Sizes::Power] {
            row::<Planar>(sizes, ratio, 20_000);
            row::<Spatial>(sizes, ratio, 20_000);
        }
    }
}
