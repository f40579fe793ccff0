//! A rebuild of the neighbour list of a dense packing, three candidate pairs a grain, and the cost of
//! links in the index of clusters.

use arenite::geometry::{Dimension, Planar, Spatial, Vector};
use arenite::hgraph::ClusterIndex;
use arenite::neighbor::{BroadPhase, Cells, PeriodicAxis, spatial_order};
use divan::Bencher;
use divan::counter::ItemsCount;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn main() {
    divan::main();
}

/// Grains of diameter 0.98 near the points of a lattice, in random order or along the Z-curve.
fn packing<D: Dimension>(grains: usize, ordered: bool) -> (Vec<D::Vector>, f64) {
    let mut random = ChaCha8Rng::seed_from_u64(4);
    let side = (grains as f64).powf(1.0 / D::N as f64).round() as usize;
    let mut positions: Vec<D::Vector> = (0..side.pow(D::N as u32))
        .map(|n| {
            let (row, shift) = (n / side % side, 0.5);
            let mut x = D::Vector::from_fn(|k| (n / side.pow(k as u32) % side) as f64);
            if D::N == 2 {
                // Every other row between the grains of the one below: a hexagonal packing.
                x[0] += shift * (row % 2) as f64;
                x[1] *= 0.866;
            }
            x + D::Vector::from_fn(|_| 0.02 * random.random::<f64>())
        })
        .collect();
    if ordered {
        let order = spatial_order::<D>(&positions, 1.1);
        positions = order.iter().map(|&k| positions[k as usize]).collect();
    } else {
        for k in (1..positions.len()).rev() {
            positions.swap(k, random.random_range(0..=k));
        }
    }
    (positions, side as f64)
}

fn rebuild<D: Dimension>(bencher: Bencher, grains: usize, ordered: bool, wrapped: bool) {
    let (positions, side) = packing::<D>(grains, ordered);
    let radii = vec![0.49; positions.len()];
    let axis = wrapped.then_some(PeriodicAxis {
        origin: 0.0,
        length: side,
    });
    let mut cells = Cells::<D>::new();
    let mut pairs = Vec::new();
    bencher
        .counter(ItemsCount::new(positions.len()))
        .bench_local(|| {
            cells.pairs(&positions, &radii, 0.1, &[axis], &mut pairs);
            pairs.len()
        });
}

#[divan::bench(args = [1_000, 100_000])]
fn planar_ordered(bencher: Bencher, grains: usize) {
    rebuild::<Planar>(bencher, grains, true, false);
}

#[divan::bench(args = [1_000, 100_000])]
fn planar_shuffled(bencher: Bencher, grains: usize) {
    rebuild::<Planar>(bencher, grains, false, false);
}

#[divan::bench(args = [1_000, 100_000])]
fn planar_periodic(bencher: Bencher, grains: usize) {
    rebuild::<Planar>(bencher, grains, true, true);
}

#[divan::bench(args = [1_000, 100_000])]
fn spatial_ordered(bencher: Bencher, grains: usize) {
    rebuild::<Spatial>(bencher, grains, true, false);
}

#[divan::bench(args = [100_000])]
fn order(bencher: Bencher, grains: usize) {
    let (positions, _) = packing::<Planar>(grains, false);
    bencher.bench_local(|| spatial_order::<Planar>(&positions, 1.1));
}

/// A link inserted and one removed, in a chain of which pieces hang together, and the splits found.
#[divan::bench(args = [500, 100_000])]
fn links_of_clusters(bencher: Bencher, grains: u32) {
    const ROUNDS: usize = 10_000;
    let mut random = ChaCha8Rng::seed_from_u64(5);
    let starts: Vec<u32> = (0..ROUNDS)
        .map(|_| random.random_range(1..grains))
        .collect();
    let mut index = ClusterIndex::with_grains(grains);
    bencher
        .counter(ItemsCount::new(2 * ROUNDS))
        .bench_local(|| {
            for &a in &starts {
                index.insert_link(a, a - 1);
                index.remove_link(a, a - 1);
            }
            // No link is left: each lost one split its cluster.
            index.refresh(|_, _| ());
        });
}
