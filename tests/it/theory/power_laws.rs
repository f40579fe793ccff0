//! Power laws: samples of known law must be recognised, others refused.

use arenite::study::StudyError;
use arenite::study::alternatives::{Alternative, Judgement, compare, judge};
use arenite::study::goodness::goodness;
use arenite::study::power_law::{Drawer, PowerLaw, Search, Support, fit_power_law};
use arenite::study::special::{hurwitz_zeta, scaled_zeta};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

fn law(support: Support, exponent: f64, start: f64) -> PowerLaw {
    PowerLaw {
        support,
        exponent,
        error: 0.0,
        start,
        count: 0,
        tail: 0,
        distance: 0.0,
        decades: 0.0,
    }
}

fn drawn(law: PowerLaw, count: usize, seed: u64) -> Vec<f64> {
    let drawer = Drawer::new(law);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    (0..count).map(|_| drawer.draw(&mut rng)).collect()
}

fn fixed(start: f64) -> Search {
    Search {
        start: Some(start),
        ..Search::default()
    }
}

#[test]
fn zeta_at_known_places() {
    let pi = std::f64::consts::PI;
    // Abramowitz & Stegun 1964, 23.2.24 and table 23.3; a shift by one term.
    for (s, q, value) in [
        (2.0, 1.0, pi * pi / 6.0),
        (4.0, 1.0, pi.powi(4) / 90.0),
        (3.0, 1.0, 1.202_056_903_159_594_3),
        (2.0, 0.5, pi * pi / 2.0),
        (1.5, 1.0, 2.612_375_348_685_488),
        (2.0, 3.0, pi * pi / 6.0 - 1.25),
    ] {
        let got = hurwitz_zeta(s, q);
        assert!((got / value - 1.0).abs() < 2e-14, "{s} {q}: {got} {value}");
    }
    // Derivatives against differences, whose error is about h^2 = 1e-8.
    for (s, q) in [(1.2, 1.0), (2.5, 7.0), (20.0, 3.0), (3.0, 1e5)] {
        let h = 1e-4;
        let [z, slope, bend] = scaled_zeta(s, q);
        let [above, below] = [scaled_zeta(s + h, q), scaled_zeta(s - h, q)];
        assert!(((above[0] - below[0]) / (2.0 * h) / slope - 1.0).abs() < 1e-5);
        assert!(((above[1] - below[1]) / (2.0 * h) / bend - 1.0).abs() < 1e-5);
        assert!(z >= 1.0);
    }
}

#[test]
fn exponents_by_hand() {
    // All sizes e times x_min: alpha = 1 + n / sum ln = 2, sigma = 1 / sqrt(n).
    let mut values = vec![std::f64::consts::E; 60];
    let fit = fit_power_law(&values, Support::Continuous, &fixed(1.0)).unwrap();
    assert!((fit.exponent - 2.0).abs() < 1e-14);
    assert!((fit.error - 1.0 / 60.0_f64.sqrt()).abs() < 1e-14);
    // Half at x_min, half at e^2 times: the same mean logarithm, the same exponent.
    values = [vec![1.0; 30], vec![std::f64::consts::E.powi(2); 30]].concat();
    let fit = fit_power_law(&values, Support::Continuous, &fixed(1.0)).unwrap();
    assert!((fit.exponent - 2.0).abs() < 1e-14);
    // Whole numbers: eq. 3.7 of Clauset et al. 2009 is good to 1 % from x_min = 6 on (ibid.).
    let sizes = drawn(law(Support::Discrete, 2.5, 6.0), 20_000, 4);
    let fit = fit_power_law(&sizes, Support::Discrete, &fixed(6.0)).unwrap();
    let logs: f64 = sizes.iter().map(|x| (x / 5.5).ln()).sum();
    assert!((fit.exponent / (1.0 + 20_000.0 / logs) - 1.0).abs() < 0.01);
}

#[test]
fn survival_is_what_is_drawn() {
    for support in [Support::Continuous, Support::Discrete] {
        for (exponent, start) in [(1.6, 1.0), (2.5, 3.0), (3.5, 40.0)] {
            let law = law(support, exponent, start);
            let sizes = drawn(law, 20_000, 7);
            for factor in [1.0, 2.0, 10.0, 300.0, 5000.0] {
                let x = (start * factor).ceil();
                let expected = law.survival(x);
                let share = sizes.iter().filter(|&&v| v >= x).count() as f64 / 20_000.0;
                let error = (expected * (1.0 - expected) / 20_000.0).sqrt();
                assert!(
                    (share - expected).abs() <= 4.0 * error + 1e-12,
                    "{law:?} {x}"
                );
            }
        }
    }
    // Probabilities of whole numbers are differences of survivals.
    let law = law(Support::Discrete, 2.2, 2.0);
    for x in [2.0, 3.0, 17.0, 600.0] {
        let difference = law.survival(x) - law.survival(x + 1.0);
        assert!((law.ln_density(x).exp() / difference - 1.0).abs() < 1e-9);
    }
}

#[test]
fn known_exponents_are_found_within_their_errors() {
    for support in [Support::Continuous, Support::Discrete] {
        for exponent in [1.5, 2.5, 3.5] {
            let rounds = 200;
            let (mut mean, mut square) = (0.0, 0.0);
            for seed in 0..rounds {
                let sizes = drawn(law(support, exponent, 2.0), 1000, seed);
                let fit = fit_power_law(&sizes, support, &fixed(2.0)).unwrap();
                let off = (fit.exponent - exponent) / fit.error;
                mean += off / rounds as f64;
                square += off * off / rounds as f64;
            }
            // Off by a standard error in the mean square; four errors of the mean of 200 and of
            // their mean square (sqrt(2 / 200)).
            assert!(mean.abs() < 0.29, "{support:?} {exponent}: {mean}");
            assert!(
                (square - 1.0).abs() < 0.4,
                "{support:?} {exponent}: {square}"
            );
        }
    }
}

/// A power law from 10 on, with 40 % of the sizes spread evenly below.
fn with_a_body(support: Support, seed: u64) -> Vec<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let drawer = Drawer::new(law(support, 2.5, 10.0));
    (0..3000)
        .map(|_| {
            if rng.random::<f64>() < 0.4 {
                let x = 1.0 + 9.0 * rng.random::<f64>();
                if support == Support::Discrete {
                    x.floor()
                } else {
                    x
                }
            } else {
                drawer.draw(&mut rng)
            }
        })
        .collect()
}

#[test]
fn the_start_of_the_law_is_found() {
    for support in [Support::Continuous, Support::Discrete] {
        for seed in 0..5 {
            let fit = fit_power_law(&with_a_body(support, seed), support, &Search::default());
            let fit = fit.unwrap();
            // Never within the even body; seldom far above, where only noise tells.
            assert!(fit.start > 8.0 && fit.start < 60.0, "{fit:?}");
            assert!((fit.exponent - 2.5).abs() < 4.0 * fit.error, "{fit:?}");
        }
    }
}

#[test]
fn a_power_law_stands_the_tests() {
    for support in [Support::Continuous, Support::Discrete] {
        let sizes = with_a_body(support, 21);
        let search = Search {
            candidates: 40,
            ..Search::default()
        };
        let fit = fit_power_law(&sizes, support, &search).unwrap();
        let test = goodness(&sizes, &fit, &search, 200, 5).unwrap();
        assert!(test.probability > 0.1, "{fit:?} {test:?}");
        assert_eq!(test, goodness(&sizes, &fit, &search, 200, 5).unwrap());
        let others = compare(&sizes, &fit).unwrap();
        let exponential = others
            .iter()
            .find(|c| c.alternative == Alternative::Exponential);
        let exponential = exponential.unwrap();
        assert!(
            exponential.ratio > 0.0 && exponential.probability < 0.01,
            "{others:?}"
        );
        assert_eq!(judge(&test, &others), Judgement::Favoured, "{others:?}");
    }
}

#[test]
fn exponential_sizes_are_ruled_out() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let continuous: Vec<f64> = (0..2000)
        .map(|_| 1.0 - 5.0 * (1.0 - rng.random::<f64>()).ln())
        .collect();
    let whole: Vec<f64> = continuous.iter().map(|v| v.floor()).collect();
    for (sizes, support) in [
        (continuous, Support::Continuous),
        (whole, Support::Discrete),
    ] {
        let search = fixed(1.0);
        let fit = fit_power_law(&sizes, support, &search).unwrap();
        let test = goodness(&sizes, &fit, &search, 200, 5).unwrap();
        assert_eq!(test.probability, 0.0);
        let others = compare(&sizes, &fit).unwrap();
        for other in &others {
            assert!(other.ratio < 0.0 && other.probability < 0.01, "{other:?}");
        }
        assert_eq!(judge(&test, &others), Judgement::RuledOut);
    }
}

#[test]
fn log_normal_sizes_are_told() {
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    let mut normal = || (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0;
    let sizes: Vec<f64> = (0..4000).map(|_| (3.0 + 0.8 * normal()).exp()).collect();
    let whole: Vec<f64> = sizes
        .iter()
        .map(|v| v.round())
        .filter(|&v| v >= 5.0)
        .collect();
    for (sizes, support) in [(sizes, Support::Continuous), (whole, Support::Discrete)] {
        let fit = fit_power_law(&sizes, support, &fixed(5.0)).unwrap();
        let others = compare(&sizes, &fit).unwrap();
        let other = others[1];
        assert_eq!(other.alternative, Alternative::LogNormal);
        assert!(
            other.ratio < -100.0 && other.probability < 1e-6,
            "{other:?}"
        );
        // The likelihood is that of the law that made them, or a little better: its logarithm
        // by chi square of two, over 6 in one of 400.
        let density = |x: f64| {
            let at = |v: f64| libm::erfc((v.ln() - 3.0) / 0.8 / 2.0_f64.sqrt()) / 2.0;
            if support == Support::Discrete {
                ((at(x - 0.5) - at(x + 0.5)) / at(4.5)).ln()
            } else {
                let z = (x.ln() - 3.0) / 0.8;
                -0.5 * z * z - (x * 0.8 * (2.0 * std::f64::consts::PI).sqrt() * at(5.0)).ln()
            }
        };
        let tail = || sizes.iter().copied().filter(|&x| x >= 5.0);
        let truth: f64 = tail().map(density).sum();
        let own: f64 = tail().map(|x| fit.ln_density(x)).sum();
        let gain = own - other.ratio - truth;
        assert!((-1e-6..6.0).contains(&gain), "{support:?} {gain}");
    }
}

#[test]
fn the_nested_log_normal_gains_next_to_nothing_on_a_power_law() {
    // Of 100 samples of the power law, ten have a nested probability under 0.1, within four
    // errors of 3; never is the fit of the wider family worse.
    let mut low = 0;
    for seed in 0..100 {
        let sizes = drawn(law(Support::Continuous, 2.5, 1.0), 500, seed);
        let fit = fit_power_law(&sizes, Support::Continuous, &fixed(1.0)).unwrap();
        let other = compare(&sizes, &fit).unwrap()[1];
        assert!(other.ratio < 1e-6, "{other:?}");
        low += i32::from(other.nested.unwrap() < 0.1);
    }
    assert!((low - 10).abs() <= 12, "{low}");
}

#[test]
fn goodness_of_a_true_law_is_even() {
    // Of 100 samples ten are under 0.1, within four errors of 3. Most sizes lie below the law: to
    // draw them from it too would make the replicas' tails too long and their distances too small.
    let mut low = 0;
    for seed in 0..100 {
        let mut sizes = drawn(law(Support::Discrete, 2.0, 2.0), 200, seed);
        sizes.extend([1.0; 800]);
        let fit = fit_power_law(&sizes, Support::Discrete, &fixed(2.0)).unwrap();
        let test = goodness(&sizes, &fit, &fixed(2.0), 100, seed).unwrap();
        low += i32::from(test.probability < 0.1);
    }
    assert!((low - 10).abs() <= 12, "{low}");
}

#[test]
fn unfit_data_are_refused() {
    let few = fit_power_law(&[1.0, 2.0, 3.0], Support::Discrete, &Search::default());
    assert!(matches!(
        few.unwrap_err(),
        StudyError::TooFew { need: 50, .. }
    ));
    let same = fit_power_law(&[2.0; 100], Support::Continuous, &Search::default());
    assert!(matches!(same.unwrap_err(), StudyError::Undetermined { .. }));
    for (bad, support) in [
        (0.0, Support::Continuous),
        (-1.0, Support::Discrete),
        (1.5, Support::Discrete),
        (f64::NAN, Support::Continuous),
        (f64::INFINITY, Support::Discrete),
    ] {
        let mut sizes: Vec<f64> = (1..100).map(f64::from).collect();
        sizes.push(bad);
        let error = fit_power_law(&sizes, support, &Search::default()).unwrap_err();
        assert!(matches!(error, StudyError::Range { .. }), "{error}");
    }
}
