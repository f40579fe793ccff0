//! Statistics of packings against tables, by hand, and against samples of known law.

use arenite::geometry::{Planar, Spatial};
use arenite::study::correlation::{pearson, spearman};
use arenite::study::discharge::block_rate;
use arenite::study::distribution::{exponential_tail, force_distribution};
use arenite::study::ensemble::{bootstrap_interval, equivalent, equivalent_to, spread};
use arenite::study::fabric::{self, Touch};
use arenite::study::histogram::{histogram, log_histogram};
use arenite::study::special::{student_quantile, student_tail};
use arenite::study::temperature::{matched, rearrangement};
use nalgebra::{Vector2, Vector3};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

/// Equal but for a relative error.
pub fn close(a: f64, b: f64, relative: f64) {
    assert!((a - b).abs() <= relative * b.abs(), "{a} is not {b}");
}

#[test]
fn student_against_tables() {
    // Abramowitz & Stegun 1964, table 26.10: three decimals.
    for (p, freedom, t) in [
        (0.975, 1.0, 12.706),
        (0.975, 10.0, 2.228),
        (0.95, 4.0, 2.132),
        (0.995, 30.0, 2.750),
        (0.975, 120.0, 1.980),
    ] {
        assert!((student_quantile(p, freedom) - t).abs() < 6e-4);
    }
    // One degree of freedom is Cauchy's law, two have a closed form.
    for t in [-2.0, 0.0, 0.3, 5.0, 1e3_f64] {
        close(
            student_tail(t, 1.0),
            0.5 - t.atan() / std::f64::consts::PI,
            1e-9,
        );
        close(
            student_tail(t, 2.0),
            0.5 - 0.5 * t / (2.0 + t * t).sqrt(),
            1e-9,
        );
    }
}

#[test]
fn intervals_hold_the_truth_as_often_as_they_say() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let (mut by_t, mut by_bootstrap, rounds) = (0.0, 0.0, 2000);
    for round in 0..rounds {
        let values: Vec<f64> = (0..20)
            .map(|_| (0..12).map(|_| rng.random::<f64>()).sum::<f64>())
            .collect();
        let t = spread(&values).unwrap().interval(0.9).unwrap();
        let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
        let b = bootstrap_interval(&values, mean, 0.9, 200, round).unwrap();
        by_t += f64::from(u8::from(t.low <= 6.0 && 6.0 <= t.high));
        by_bootstrap += f64::from(u8::from(b.low <= 6.0 && 6.0 <= b.high));
    }
    // Four standard errors of a share of 0.9 in 2000: 0.027. The bootstrap of 20 values is
    // narrower by sqrt(19/20) and Student's 1.73 against 1.645: 0.87.
    let rounds = rounds as f64;
    assert!((by_t / rounds - 0.9).abs() < 0.027, "{by_t}");
    assert!(
        (by_bootstrap / rounds - 0.87).abs() < 0.03,
        "{by_bootstrap}"
    );
}

#[test]
fn equivalence_needs_data() {
    let near: Vec<f64> = (0..50).map(|k| 1.0 + 0.01 * f64::from(k % 5)).collect();
    let sure = equivalent_to(&near, 1.0, 0.05, 0.05).unwrap();
    assert!(sure.equivalent && sure.interval.high < 0.05);
    // The same spread with three values: not shown, although not different either.
    let few = equivalent_to(&[0.99, 1.02, 1.08], 1.0, 0.05, 0.05).unwrap();
    assert!(!few.equivalent && few.interval.high > 0.05);
    let far: Vec<f64> = near.iter().map(|v| v + 0.2).collect();
    assert!(!equivalent(&near, &far, 0.05, 0.05).unwrap().equivalent);
    assert!(equivalent(&near, &far, 0.25, 0.05).unwrap().equivalent);
    let s = spread(&[1.0, 2.0, 3.0, 4.0]).unwrap();
    close(s.deviation, (5.0_f64 / 3.0).sqrt(), 1e-15);
    close(s.error, (5.0_f64 / 12.0).sqrt(), 1e-15);
    assert!(spread(&[1.0]).is_err() && spread(&[1.0, f64::NAN]).is_err());
}

#[test]
fn correlations() {
    // By hand: sums of squares 5, 16.75 and of products 8.5; ranks 1, 2, 3.5, 3.5 and 1..4.
    let x = [1.0, 2.0, 3.0, 4.0];
    let y = [1.0, 4.0, 6.0, 6.0];
    close(
        pearson(&x, &y).unwrap().coefficient,
        8.5 / (5.0_f64 * 16.75).sqrt(),
        1e-14,
    );
    close(
        spearman(&x, &y).unwrap().coefficient,
        4.5 / (5.0_f64 * 4.5).sqrt(),
        1e-14,
    );
    let cubes = x.map(|v| v * v * v);
    close(spearman(&x, &cubes).unwrap().coefficient, 1.0, 1e-15);
    assert!(pearson(&x, &[1.0; 4]).is_err() && pearson(&x, &y[..3]).is_err());
}

#[test]
fn exponential_forces_are_told_from_even_ones() {
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    let forces: Vec<f64> = (0..4000)
        .map(|_| -3.0 * (1.0 - rng.random::<f64>()).ln())
        .collect();
    let distribution = force_distribution(&forces, 0.25).unwrap();
    let area: f64 = distribution.bins.iter().map(|b| b.density * 0.25).sum();
    close(area, 1.0, 1e-12);
    assert_eq!(distribution.bins.iter().map(|b| b.count).sum::<u64>(), 4000);
    // An exponential varies as much as its mean: standard error about sqrt(2 / n) = 0.022.
    assert!((distribution.variation - 1.0).abs() < 0.08);
    let scaled: Vec<f64> = forces.iter().map(|f| f / distribution.mean).collect();
    let tail = exponential_tail(&scaled, 1.0, 500, 1).unwrap();
    assert!((tail.rate - 1.0).abs() < 3.0 * tail.error, "{tail:?}");
    assert!((tail.share - (-1.0_f64).exp()).abs() < 0.03);
    assert!(tail.probability > 0.05, "{tail:?}");
    assert_eq!(tail, exponential_tail(&scaled, 1.0, 500, 1).unwrap());
    let even: Vec<f64> = (0..1000).map(|_| 2.0 * rng.random::<f64>()).collect();
    assert_eq!(
        exponential_tail(&even, 1.0, 500, 1).unwrap().probability,
        0.0
    );
    assert!(force_distribution(&[1.0, -1.0], 0.1).is_err());
}

#[test]
fn exponential_goodness_is_even_for_exponentials() {
    // The probability of a true law is spread evenly: of 300 samples 30 are under 0.1, within
    // four of sqrt(27).
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    let mut low = 0;
    for round in 0..300 {
        let values: Vec<f64> = (0..40).map(|_| -(1.0 - rng.random::<f64>()).ln()).collect();
        low += i32::from(
            exponential_tail(&values, 0.0, 200, round)
                .unwrap()
                .probability
                < 0.1,
        );
    }
    assert!((low - 30).abs() <= 21, "{low}");
}

#[test]
fn fabric_of_a_square_and_a_sphere() {
    let (x, y) = (Vector2::new(2.0, 0.0), Vector2::new(0.0, -1.0));
    let touch = |first, second, normal| Touch::<Planar> {
        first,
        second,
        normal,
    };
    // A square of four grains, a fifth with nothing but the floor.
    let square = [
        touch(0, Some(1), x),
        touch(2, Some(3), -x),
        touch(0, Some(2), y),
        touch(1, Some(3), y),
        touch(4, None, y),
    ];
    let z = fabric::contact_number(&square, 5).unwrap();
    assert_eq!((z.rattlers, z.histogram), (1, vec![0, 1, 4]));
    close(z.mean, 9.0 / 5.0, 1e-15);
    assert_eq!(z.mean_bearing, Some(2.0));
    let bins = fabric::direction(&square, 4).unwrap();
    assert_eq!(
        bins.iter().map(|b| b.count).collect::<Vec<_>>(),
        [2, 0, 3, 0]
    );
    let tensor = fabric::tensor(&square[..4], None).unwrap();
    assert_eq!(tensor, [[0.5, 0.0], [0.0, 0.5]]);
    assert!(fabric::contact_number(&square, 4).is_err());

    // Directions even over the sphere: the inclination has the density sin.
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let even: Vec<Touch<Spatial>> = (0..20_000)
        .map(|_| {
            let (c, a) = (
                2.0 * rng.random::<f64>() - 1.0,
                std::f64::consts::TAU * rng.random::<f64>(),
            );
            let s = (1.0 - c * c).sqrt();
            Touch {
                first: 0,
                second: None,
                normal: Vector3::new(s * a.cos(), s * a.sin(), c),
            }
        })
        .collect();
    for bin in fabric::inclination(&even, Vector3::new(0.0, 0.0, 2.0), 9).unwrap() {
        let share = bin.low.cos() - bin.high.cos();
        let error = (20_000.0 * share).sqrt();
        assert!((bin.count as f64 - 20_000.0 * share).abs() < 4.0 * error);
    }
}

#[test]
fn histograms_lose_nothing() {
    let bins = histogram(&[0.0, 0.5, 1.0, 2.0, 9.0], 0.0, 2.0, 4).unwrap();
    assert_eq!(
        bins.iter().map(|b| b.count).collect::<Vec<_>>(),
        [1, 1, 1, 1]
    );
    close(bins[0].density, 1.0 / 2.5, 1e-15);
    // Whole sizes 1..=100 once each: the density is 1/100 in every full bin.
    let sizes: Vec<f64> = (1..=100).map(f64::from).collect();
    let bins = log_histogram(&sizes, 8, true).unwrap();
    assert_eq!(bins.iter().map(|b| b.count).sum::<u64>(), 100);
    for bin in &bins[..bins.len() - 1] {
        close(bin.density, 0.01, 1e-12);
    }
    assert!(log_histogram(&[0.0], 5, false).is_err() && log_histogram(&[1.5], 5, true).is_err());
}

#[test]
fn forces_before_and_after() {
    let before = [("a", 1.0), ("b", 2.0), ("c", 3.0), ("d", 2.0), ("e", 1.0)];
    let after = [("f", 1.0), ("d", 2.0), ("c", 3.3), ("b", 1.0), ("a", 1.0)];
    let pair = matched(&before, &after).unwrap();
    assert_eq!((pair.opened, pair.closed), (vec!["e"], vec!["f"]));
    let change = rearrangement(&pair.before, &pair.after, &[0.05, 0.2]).unwrap();
    assert_eq!(change.links, 4);
    close(change.relative_change, 1.3 / 8.0, 1e-14);
    close(change.greatest_change, 0.5, 1e-14);
    assert_eq!(
        (change.changed[0].of_itself, change.changed[1].of_itself),
        (0.5, 0.25)
    );
    assert_eq!(change.changed[1].of_mean, 0.25);
    // All forces by one factor: nothing is rearranged.
    let same = rearrangement(
        &pair.before,
        &pair.before.iter().map(|f| 1.1 * f).collect::<Vec<_>>(),
        &[],
    );
    close(same.unwrap().correlation.coefficient, 1.0, 1e-14);
}

/// Grains that leave at random, 50 a second for 100 s: Student's interval of ten blocks (9 degrees of freedom, 2.262
/// errors) holds the rate in 95 % of 1,000 discharges, within three deviations of as many draws, 0.7 % each.
#[test]
fn blocks_of_a_discharge_cover_its_rate() {
    let mut held = 0;
    for seed in 0..1000 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (mut time, mut times, mut counts) = (0.0, vec![0.0], vec![0.0]);
        while time < 100.0 {
            time -= (1.0 - rng.random::<f64>()).ln() / 50.0;
            times.push(time);
            counts.push(times.len() as f64 - 1.0);
        }
        let found = block_rate(&times, &counts, 0.0, 100.0, 10).unwrap();
        held += usize::from((found.mean - 50.0).abs() < 2.262 * found.error);
    }
    assert!((929..=971).contains(&held), "{held}");
}
