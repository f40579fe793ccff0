//! The grid of cells beside all pairs.

use arenite::geometry::{Dimension, Planar, Spatial, Vector};
use arenite::neighbor::{BroadPhase, Brute, Cells, Levels, PeriodicAxis, row_order, spatial_order};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

#[derive(Clone, Debug)]
struct Case {
    seed: u64,
    grains: usize,
    /// Extent of the space in each direction.
    extent: [f64; 3],
    /// Mean radius and relative spread.
    radius: (f64, f64),
    margin: f64,
    /// Which directions are periodic.
    periodic: [bool; 3],
    /// The largest radius over the smallest beside that, most grains being small.
    ratio: f64,
    /// On a lattice, so that many gaps are exactly the margin.
    lattice: bool,
    /// How many grains lie far away or nowhere.
    strays: usize,
}

fn cases() -> impl Strategy<Value = Case> {
    let extent = prop::array::uniform3(prop::sample::select(vec![0.0, 0.3, 1.0, 2.5, 7.0, 30.0]));
    let radius = (
        prop::sample::select(vec![0.0, 0.05, 0.25, 0.5, 1.5]),
        0.0..0.9f64,
    );
    let margin = prop::sample::select(vec![-0.2, 0.0, 0.05, 0.5]);
    (
        (any::<u64>(), 0usize..120, extent, radius, margin),
        any::<[bool; 3]>(),
        prop::sample::select(vec![1.0, 1.0, 4.0, 60.0]),
        prop::bool::weighted(0.3),
        prop::sample::select(vec![0usize, 0, 1, 5]),
    )
        .prop_map(
            |((seed, grains, extent, radius, margin), periodic, ratio, lattice, strays)| Case {
                seed,
                grains,
                extent,
                radius,
                margin,
                periodic,
                ratio,
                lattice,
                strays,
            },
        )
}

fn point<D: Dimension>(coordinate: impl FnMut(usize) -> f64) -> D::Vector {
    D::Vector::from_fn(coordinate)
}

type Setting<D> = (
    Vec<<D as Dimension>::Vector>,
    Vec<f64>,
    Vec<Option<PeriodicAxis>>,
);

fn setting<D: Dimension>(case: &Case) -> Setting<D> {
    let mut random = ChaCha8Rng::seed_from_u64(case.seed);
    let mut positions = Vec::new();
    let mut radii = Vec::new();
    for k in 0..case.grains {
        // Some of the space lies outside of the periodic box, by up to two lengths.
        positions.push(D::Vector::from_fn(|axis| {
            let x = (random.random::<f64>() * 1.4 - 0.2) * case.extent[axis];
            if k < case.strays {
                [1e9, -1e300, f64::NAN, f64::INFINITY, 3e5][k]
            } else if case.lattice {
                (x * 4.0).floor() * 0.25
            } else {
                x
            }
        }));
        let spread = 1.0 + case.radius.1 * (2.0 * random.random::<f64>() - 1.0);
        let size = case.ratio.powf(random.random::<f64>().powi(3)) / case.ratio.sqrt();
        radii.push(case.radius.0 * if case.lattice { 1.0 } else { spread * size });
    }
    let periodic = (0..D::N)
        .map(|axis| {
            let length = case.extent[axis].max(0.1);
            let origin = -0.1;
            case.periodic[axis].then_some(PeriodicAxis { origin, length })
        })
        .collect();
    (positions, radii, periodic)
}

fn agrees<D: Dimension>(case: &Case, cells: &mut impl BroadPhase<D>) -> Result<(), TestCaseError> {
    let (positions, radii, periodic) = setting::<D>(case);
    let mut brute = Brute::<D>::new();
    let (mut expected, mut found) = (vec![(7, 7)], vec![(8, 8)]);
    brute.pairs(&positions, &radii, case.margin, &periodic, &mut expected);
    cells.pairs(&positions, &radii, case.margin, &periodic, &mut found);
    prop_assert!(expected.is_sorted());
    prop_assert_eq!(&found, &expected);
    prop_assert_eq!(
        brute.tests(),
        (case.grains * case.grains.saturating_sub(1) / 2) as u64
    );
    let mut random = ChaCha8Rng::seed_from_u64(case.seed ^ 1);
    let (mut expected, mut found) = (vec![7], vec![8]);
    for _ in 0..20 {
        let point = D::Vector::from_fn(|k| (random.random::<f64>() * 2.0 - 0.5) * case.extent[k]);
        let reach = case.margin + random.random::<f64>() * random.random_range(0.0..3.0);
        brute.near(point, reach, &mut expected);
        cells.near(point, reach, &mut found);
        prop_assert_eq!(&found, &expected);
    }
    Ok(())
}

proptest! {
    #[test]
    fn cells_find_what_all_pairs_find(cases in prop::collection::vec(cases(), 1..4)) {
        // One search for all, so that what is left from a build cannot leak into the next.
        let (mut planar, mut spatial) = (Cells::<Planar>::new(), Cells::<Spatial>::new());
        for case in &cases {
            agrees::<Planar>(case, &mut planar)?;
            agrees::<Spatial>(case, &mut spatial)?;
        }
    }

    #[test]
    fn levels_find_what_all_pairs_find(cases in prop::collection::vec(cases(), 1..4)) {
        let (mut planar, mut spatial) = (Levels::<Planar>::new(), Levels::<Spatial>::new());
        let (mut more, mut most) = (Levels::<Planar>::always(), Levels::<Spatial>::always());
        for case in &cases {
            agrees::<Planar>(case, &mut planar)?;
            agrees::<Spatial>(case, &mut spatial)?;
            agrees::<Planar>(case, &mut more)?;
            agrees::<Spatial>(case, &mut most)?;
        }
    }
}

/// The reference itself, on pairs that one can check by hand: gaps 0.5, 0.5 through the end, 1.0.
#[test]
fn gaps_are_between_surfaces_and_nearest_images() {
    let x = |x: f64| point::<Planar>(|k| if k == 0 { x } else { 0.0 });
    let positions = [x(1.0), x(3.5), x(9.5), x(15.0)];
    let radii = [1.0, 1.0, 0.0, 0.5];
    let axis = Some(PeriodicAxis {
        origin: 0.0,
        length: 10.0,
    });
    let mut brute = Brute::<Planar>::new();
    let mut pairs = Vec::new();
    // The last grain is at 5.0 by its image.
    brute.pairs(&positions, &radii, 0.6, &[axis, None], &mut pairs);
    assert_eq!(pairs, [(0, 1), (0, 2), (1, 3)]);
    brute.pairs(&positions, &radii, 0.6, &[], &mut pairs);
    assert_eq!(pairs, [(0, 1)]);
    brute.pairs(&positions, &radii, 0.5, &[], &mut pairs);
    assert_eq!(pairs, [], "the margin itself is outside");
}

/// A packing costs a few tests a grain, also when some grains have escaped far away.
#[test]
fn cells_save_almost_all_tests() {
    let mut random = ChaCha8Rng::seed_from_u64(3);
    let side = 100;
    let mut positions: Vec<_> = (0..side * side)
        .map(|k| {
            let at = [(k % side) as f64, (k / side) as f64];
            point::<Planar>(|axis| at[axis] + 0.02 * random.random::<f64>())
        })
        .collect();
    let radii = vec![0.5; positions.len()];
    let mut cells = Cells::<Planar>::new();
    let mut pairs = Vec::new();
    cells.pairs(&positions, &radii, 0.05, &[], &mut pairs);
    // A cell of 1.05 holds 1.1 grains; half of the 8 cells around and half of the own: 5 tests.
    assert!(
        cells.tests() < 8 * positions.len() as u64,
        "{}",
        cells.tests()
    );
    for (k, far) in positions.iter_mut().step_by(1000).enumerate() {
        *far = Vector::from_fn(|_| 1e6 * (1 + k) as f64);
    }
    cells.pairs(&positions, &radii, 0.05, &[], &mut pairs);
    assert!(
        cells.tests() < 16 * positions.len() as u64,
        "{}",
        cells.tests()
    );
}

fn follows_z_curve<D: Dimension>() {
    // A block of cells, numbered backwards; the code of a cell by bits, one at a time.
    let side: u64 = if D::N == 2 { 64 } else { 16 };
    let count = side.pow(D::N as u32);
    let at = |number: u64, k: usize| (count - 1 - number) / side.pow(k as u32) % side;
    let positions: Vec<D::Vector> = (0..count)
        .map(|n| D::Vector::from_fn(|k| at(n, k) as f64 * 0.5 - 3.0 + 0.1))
        .collect();
    let code = |number: u64| {
        let mut code = 0u64;
        for bit in 0..8 {
            for k in 0..D::N {
                code |= (at(number, k) >> bit & 1) << (bit as usize * D::N + k);
            }
        }
        code
    };
    let order = spatial_order::<D>(&positions, 0.5);
    let mut expected: Vec<u32> = (0..count as u32).collect();
    expected.sort_by_key(|&n| code(u64::from(n)));
    assert_eq!(order, expected);
}

#[test]
fn spatial_order_is_the_z_curve() {
    follows_z_curve::<Planar>();
    follows_z_curve::<Spatial>();
}

/// High bits of the spread too, and positions that no cell can hold.
#[test]
fn spatial_order_takes_any_position() {
    let x = |v: f64| point::<Spatial>(|_| v);
    let wide = [
        x(2_000_000.0),
        x(0.0),
        x(f64::NAN),
        x(1e300),
        x(1_999_999.0),
    ];
    assert_eq!(spatial_order::<Spatial>(&wide, 1.0), [1, 4, 0, 2, 3]);
    assert_eq!(spatial_order::<Spatial>(&[], 1.0), [] as [u32; 0]);
    let same = [x(1.0); 3];
    assert_eq!(spatial_order::<Spatial>(&same, 1.0), [0, 1, 2]);
}

/// Rows along the shortest side, layers across the longest, and anything that is no number somewhere, but once.
#[test]
fn row_order_goes_row_by_row() {
    let at = |x: f64, y: f64| point::<Planar>(|k| if k == 0 { x } else { y });
    let grid = [at(1.5, 1.5), at(0.0, 1.5), at(1.5, 0.0), at(0.0, 0.0)];
    assert_eq!(row_order::<Planar>(&grid, 1.0), [3, 2, 1, 0]);
    let wide = [at(600.0, 0.0), at(0.0, 5.5), at(1.5, 0.0), at(0.0, 0.0)];
    assert_eq!(row_order::<Planar>(&wide, 1.0), [3, 1, 2, 0]);
    let mut odd = row_order::<Planar>(&[at(f64::NAN, 0.0), at(1e300, 1.0), at(0.0, 0.0)], 1.0);
    odd.sort_unstable();
    assert_eq!(odd, [0, 1, 2]);
    // Sides of 2, 4 and 3 cells, filled from a corner, z first.
    let sides = [2, 4, 3];
    let cells: Vec<[usize; 3]> = (0..24).map(|n| [n / 12, n / 3 % 4, n % 3]).collect();
    let positions: Vec<_> = cells
        .iter()
        .map(|cell| {
            point::<Spatial>(|k| {
                cell[k] as f64 + 0.5 * f64::from(u8::from(cell[k] + 1 == sides[k]))
            })
        })
        .collect();
    let order = row_order::<Spatial>(&positions, 1.0);
    let mut expected = cells.clone();
    expected.sort_by_key(|&[x, y, z]| [y, z, x]);
    let found: Vec<[usize; 3]> = order.iter().map(|&k| cells[k as usize]).collect();
    assert_eq!(found, expected);
}

/// Levels against one grid, at the size ratios of MercuryDPM's figures: the same pairs, from so many fewer
/// distances; and one grid for grains of equal sizes. Half of the volume is of the largest grains.
#[test]
fn levels_save_distances() {
    fn tests<D: Dimension>(ratio: f64, small: usize) -> (usize, f64) {
        let mut random = ChaCha8Rng::seed_from_u64(7);
        let large = (small as f64 / ratio.powi(D::N as i32)).ceil() as usize;
        let radii: Vec<f64> = (0..small + large)
            .map(|k| 0.5 * if k < large { ratio } else { 1.0 })
            .collect();
        let volume = 2.0 * small as f64 * if D::N == 2 { 1.0 } else { 0.8 };
        let width = volume.powf(1.0 / D::N as f64);
        let positions: Vec<D::Vector> = radii
            .iter()
            .map(|_| point::<D>(|_| width * random.random::<f64>()))
            .collect();
        let (mut cells, mut levels) = (Cells::<D>::new(), Levels::<D>::new());
        let (mut expected, mut found) = (Vec::new(), Vec::new());
        cells.pairs(&positions, &radii, 0.3, &[], &mut expected);
        levels.pairs(&positions, &radii, 0.3, &[], &mut found);
        assert_eq!(expected, found);
        (levels.count(), levels.tests() as f64 / cells.tests() as f64)
    }
    assert_eq!(tests::<Planar>(1.0, 5_000), (1, 1.0));
    assert_eq!(tests::<Spatial>(1.0, 5_000), (1, 1.0));
    for (ratio, share) in [(29.0, 0.1), (53.0, 0.05)] {
        let (levels, part) = tests::<Planar>(ratio, 20_000);
        assert!(levels > 1 && part < share, "{levels} levels, {part}");
        let (levels, part) = tests::<Spatial>(ratio, 20_000);
        assert!(levels > 1 && part < share, "{levels} levels, {part}");
    }
}
