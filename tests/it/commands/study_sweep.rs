//! Studies over sweeps on data whose answer is known: Beverloo's law, shares, outflow between jams.

use arenite::study::StudyError;
use arenite::study::beverloo::{Discharged, Exponent, fit};
use arenite::study::outflow::{Outflow, jamming};
use arenite::study::proportion::Proportion;
use arenite::study::special::normal_quantile;
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution as _, Geometric, Normal};

const LEVEL: f64 = 0.95;

/// Rates of a law with a relative scatter, each the mean of `seeds` runs with its error.
fn rates(
    [factor, offset, exponent]: [f64; 3],
    scatter: f64,
    seeds: usize,
    rng: &mut ChaCha8Rng,
) -> Vec<Discharged> {
    let normal = Normal::new(0.0, scatter).unwrap();
    let widths = [0.05, 0.06, 0.07, 0.08, 0.1, 0.12];
    let rate = |width: f64| {
        let law = factor * (width - offset).powf(exponent);
        let draw = |_| law * (1.0 + normal.sample(&mut *rng));
        let mean = (0..seeds).map(draw).sum::<f64>() / seeds as f64;
        Discharged {
            width,
            rate: mean,
            error: (scatter > 0.0).then(|| scatter * mean / (seeds as f64).sqrt()),
        }
    };
    widths.map(rate).to_vec()
}

/// Without scatter the law comes back to rounding, in the plane and in space, with the exponent given or
/// free, from whatever first guess.
#[test]
fn beverloo_is_recovered_exactly() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for law in [[4000.0, 0.02, 1.5], [9e4, 0.013, 2.5], [700.0, -0.01, 1.2]] {
        let points = rates(law, 0.0, 1, &mut rng);
        let given = fit(&points, Exponent::Given(law[2]), LEVEL).unwrap();
        for (found, wanted) in [
            (given.factor.value, law[0]),
            (given.offset.value, law[1]),
            (given.rate(0.09), law[0] * (0.09 - law[1]).powf(law[2])),
        ] {
            assert!((found / wanted - 1.0).abs() < 1e-9, "{found} {wanted}");
        }
        assert!(given.largest_residual < 1e-9 && given.chi_square.is_none());
        for guess in [1.0, 1.5, 2.5] {
            let free = fit(&points, Exponent::Free(guess), LEVEL).unwrap();
            // The three parameters hold each other: what rounding leaves is multiplied.
            for (found, wanted) in [
                (free.factor.value, law[0]),
                (free.offset.value, law[1]),
                (free.exponent.value, law[2]),
            ] {
                assert!((found / wanted - 1.0).abs() < 1e-6, "{found} {wanted}");
            }
            let beside = Exponent::Beside {
                first: guess,
                offset: law[1],
            };
            let beside = fit(&points, beside, LEVEL).unwrap();
            assert_eq!(beside.offset.error, 0.0);
            for (found, wanted) in [
                (beside.factor.value, law[0]),
                (beside.offset.value, law[1]),
                (beside.exponent.value, law[2]),
            ] {
                assert!((found / wanted - 1.0).abs() < 1e-9, "{found} {wanted}");
            }
        }
    }
}

/// C and k have no units: the same law in other units of length and time gives the same.
#[test]
fn beverloo_without_units() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let points = rates([4000.0, 0.028, 1.5], 0.0, 1, &mut rng);
    let [c, k] = fit(&points, Exponent::Given(1.5), LEVEL)
        .unwrap()
        .scaled(0.02, 9.8)
        .unwrap();
    assert!((k.value - 1.4).abs() < 1e-9);
    let by_hand = 4000.0 * 0.02f64.powf(1.5) * (0.02f64 / 9.8).sqrt();
    assert!((c.value / by_hand - 1.0).abs() < 1e-9);
    // Millimetres and milliseconds.
    let scaled: Vec<Discharged> = points
        .iter()
        .map(|p| Discharged {
            width: p.width * 1e3,
            rate: p.rate * 1e-3,
            error: None,
        })
        .collect();
    let [c2, k2] = fit(&scaled, Exponent::Given(1.5), LEVEL)
        .unwrap()
        .scaled(20.0, 9.8e-3)
        .unwrap();
    assert!((c2.value / c.value - 1.0).abs() < 1e-9 && (k2.value - k.value).abs() < 1e-9);
}

/// The 95 % intervals hold the truth in 95 % of 600 sweeps of 4 seeds with 4 % scatter. Of 600 draws with
/// 0.95 the standard deviation is 0.9 %: three of them either way.
#[test]
fn beverloo_intervals_cover() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let truth = [4000.0, 0.02, 1.5];
    let trials = 600;
    let mut held = [0; 6];
    for _ in 0..trials {
        let points = rates(truth, 0.04, 4, &mut rng);
        let given = fit(&points, Exponent::Given(1.5), LEVEL).unwrap();
        let free = fit(&points, Exponent::Free(1.5), LEVEL).unwrap();
        let beside = Exponent::Beside {
            first: 1.5,
            offset: truth[1],
        };
        let beside = fit(&points, beside, LEVEL).unwrap();
        for (k, (interval, wanted)) in [
            (given.factor_interval, truth[0]),
            (given.offset_interval, truth[1]),
            (free.exponent_interval.unwrap(), truth[2]),
            (free.offset_interval, truth[1]),
            (beside.exponent_interval.unwrap(), truth[2]),
            (beside.factor_interval, truth[0]),
        ]
        .into_iter()
        .enumerate()
        {
            held[k] += i32::from((interval.low..=interval.high).contains(&wanted));
        }
    }
    for (k, held) in held.into_iter().enumerate() {
        let share = f64::from(held) / f64::from(trials);
        assert!((0.923..=0.977).contains(&share), "{k}: {share}");
    }
}

#[test]
fn beverloo_refuses_what_tells_nothing() {
    let point = |width, rate| Discharged {
        width,
        rate,
        error: None,
    };
    let fit = |points: &[Discharged]| fit(points, Exponent::Given(1.5), LEVEL).unwrap_err();
    assert_eq!(
        fit(&[point(0.1, 1.0), point(0.2, 2.0)]),
        StudyError::TooFew {
            what: "rates of discharge",
            have: 2,
            need: 3
        }
    );
    let wide = Exponent::Beside {
        first: 1.5,
        offset: 0.1,
    };
    let passing = [point(0.1, 1.0), point(0.2, 2.0), point(0.3, 3.0)];
    assert!(matches!(
        arenite::study::beverloo::fit(&passing, wide, LEVEL),
        Err(StudyError::Undetermined { .. })
    ));
    let falling = [point(0.1, 3.0), point(0.2, 2.0), point(0.3, 1.0)];
    assert!(matches!(fit(&falling), StudyError::Undetermined { .. }));
    let same = [point(0.1, 3.0), point(0.1, 2.0), point(0.1, 1.0)];
    assert!(matches!(fit(&same), StudyError::Undetermined { .. }));
    let none = [point(0.1, 0.0), point(0.2, 2.0), point(0.3, 1.0)];
    assert!(matches!(fit(&none), StudyError::Range { .. }));
}

/// P(exactly k of n) for a share p, added up in order.
fn binomial(n: u64, p: f64) -> Vec<f64> {
    let mut term = (1.0 - p).powi(n as i32);
    let mut all = vec![term];
    for k in 0..n {
        term *= (n - k) as f64 / (k + 1) as f64 * p / (1.0 - p);
        all.push(term);
    }
    all
}

/// At its ends the tails of the binomial distribution are just what the level leaves, by direct sums.
#[test]
fn clopper_and_pearson_by_direct_sums() {
    for (k, n) in [(1u64, 10u64), (3, 10), (9, 10), (17, 50), (2, 200)] {
        let found = Proportion::new(k, n)
            .unwrap()
            .clopper_pearson(LEVEL)
            .unwrap();
        let above: f64 = binomial(n, found.low)[k as usize..].iter().sum();
        let below: f64 = binomial(n, found.high)[..=k as usize].iter().sum();
        assert!((above - 0.025).abs() < 1e-12, "{k} of {n}: {above}");
        assert!((below - 0.025).abs() < 1e-12, "{k} of {n}: {below}");
    }
    // None of n: (1 - p)^n = 0.025, and the other way round.
    let none = Proportion::new(0, 20)
        .unwrap()
        .clopper_pearson(LEVEL)
        .unwrap();
    assert_eq!(none.low, 0.0);
    assert!((none.high - (1.0 - 0.025f64.powf(1.0 / 20.0))).abs() < 1e-12);
    let all = Proportion::new(20, 20)
        .unwrap()
        .clopper_pearson(LEVEL)
        .unwrap();
    assert!((all.low - (1.0 - none.high)).abs() < 1e-12 && all.high == 1.0);
}

/// Wilson's ends solve (p' - p)^2 = z^2 p (1 - p) / n; the published interval of 1 in 10 is (0.018, 0.404)
/// (Brown, Cai & DasGupta 2001 tell how it is reckoned).
#[test]
fn wilson_solves_its_equation() {
    let z = normal_quantile(0.975);
    assert!((z - 1.959_963_984_540_054).abs() < 1e-12);
    for (k, n) in [(1u64, 10u64), (5, 10), (30, 31), (1, 1000)] {
        let share = Proportion::new(k, n).unwrap();
        let found = share.wilson(LEVEL).unwrap();
        for p in [found.low, found.high] {
            let left = (share.estimate() - p).powi(2);
            let right = z * z * p * (1.0 - p) / n as f64;
            assert!((left - right).abs() < 1e-14, "{k} of {n}: {left} {right}");
        }
    }
    let one = Proportion::new(1, 10).unwrap().wilson(LEVEL).unwrap();
    assert!((one.low - 0.0179).abs() < 5e-5 && (one.high - 0.4042).abs() < 5e-5);
    assert_eq!(
        Proportion::new(0, 9).unwrap().wilson(LEVEL).unwrap().low,
        0.0
    );
    assert_eq!(
        Proportion::new(9, 9).unwrap().wilson(LEVEL).unwrap().high,
        1.0
    );
    assert!(Proportion::new(0, 0).is_err() && Proportion::new(3, 2).is_err());
}

/// Coverage over all shares, by exact sums: of Wilson's interval near the level on average, of Clopper and
/// Pearson's nowhere below it.
#[test]
fn intervals_of_shares_cover() {
    let n = 30;
    let intervals: Vec<_> = (0..=n)
        .map(|k| {
            let share = Proportion::new(k, n).unwrap();
            (
                share.wilson(LEVEL).unwrap(),
                share.clopper_pearson(LEVEL).unwrap(),
            )
        })
        .collect();
    let (mut sum, mut count) = (0.0, 0);
    for step in 1..400 {
        let p = f64::from(step) / 400.0;
        let (mut wilson, mut exact) = (0.0, 0.0);
        for (chance, (w, c)) in binomial(n, p).into_iter().zip(&intervals) {
            wilson += if (w.low..=w.high).contains(&p) {
                chance
            } else {
                0.0
            };
            exact += if (c.low..=c.high).contains(&p) {
                chance
            } else {
                0.0
            };
        }
        assert!(exact >= LEVEL - 1e-12, "{p}: {exact}");
        // Of 30 trials and these shares it is least at the ends, 0.860.
        assert!(wilson > 0.86, "{p}: {wilson}");
        sum += wilson;
        count += 1;
    }
    let mean = sum / f64::from(count);
    assert!((mean - LEVEL).abs() < 0.01, "{mean}");
}

/// Runs of 200 grains that jam with a mean avalanche of 60: many end empty, which counts as grains without
/// a jam. The mean of those that did jam alone would be far too low.
#[test]
fn outflow_between_jams_is_not_cut_off_by_empty_runs() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let (mean, all) = (60.0, 80);
    let draw = Geometric::new(1.0 / (mean + 1.0)).unwrap();
    let trials = 400;
    let (mut held, mut sum) = (0, 0.0);
    for _ in 0..trials {
        let run = |_| {
            let first = draw.sample(&mut rng);
            Outflow {
                grains: first.min(all),
                jams: u64::from(first < all),
                jammed: first < all,
                censored: false,
                time: 1.0,
            }
        };
        let runs: Vec<Outflow> = (0..50).map(run).collect();
        let found = jamming(&runs, LEVEL).unwrap();
        let (low, high) = found.avalanche_interval;
        held += i32::from(low <= mean && high.is_none_or(|high| mean <= high));
        sum += found.avalanche.unwrap();
    }
    // The estimate is of greatest likelihood: biased by some per cent of 1 / jams, here 36 of 50.
    let found = sum / f64::from(trials);
    assert!((found / mean - 1.0).abs() < 0.05, "{found}");
    // Clopper and Pearson: at least the level; three deviations of 400 draws below it.
    let share = f64::from(held) / f64::from(trials);
    assert!(share > 0.95 - 3.0 * 0.011, "{share}");
}

#[test]
fn no_jam_leaves_no_upper_bound() {
    let run = Outflow {
        grains: 500,
        jams: 0,
        jammed: false,
        censored: false,
        time: 1.0,
    };
    let found = jamming(&[run; 4], LEVEL).unwrap();
    assert_eq!((found.avalanche, found.avalanche_interval.1), (None, None));
    // (1 - q)^2000 = 0.025 at the greatest q.
    let q = 1.0 - 0.025f64.powf(1.0 / 2000.0);
    assert!((found.avalanche_interval.0 / ((1.0 - q) / q) - 1.0).abs() < 1e-9);
    assert!(jamming(&[], LEVEL).is_err());
}

fn ended(time: f64, jammed: bool, censored: bool) -> Outflow {
    Outflow {
        grains: 10,
        jams: u64::from(jammed),
        jammed,
        censored,
        time,
    }
}

#[test]
fn without_censored_runs_it_is_the_plain_share() {
    let mut runs: Vec<Outflow> = (0..7).map(|k| ended(f64::from(k), true, false)).collect();
    runs.extend((0..13).map(|k| ended(0.5 + f64::from(k), false, false)));
    let found = jamming(&runs, LEVEL).unwrap();
    let wanted = found.jammed.wilson(LEVEL).unwrap();
    assert_eq!(found.probability, 0.35);
    assert!((found.wilson.low - wanted.low).abs() < 1e-12);
    assert!((found.wilson.high - wanted.high).abs() < 1e-12);
    assert_eq!((found.censored, found.undecided), (0, 0.0));
    assert_eq!(found.median_time, None);
    // The same by the formula for censored ones: a run that is cut off when all is over hides nothing.
    for run in &mut runs {
        run.censored = run.time == 12.5;
    }
    let found = jamming(&runs, LEVEL).unwrap();
    assert!((found.probability - 0.35).abs() < 1e-12);
    assert!((found.wilson.low - wanted.low).abs() < 1e-9);
    assert!((found.wilson.high - wanted.high).abs() < 1e-9);
}

/// Worked out by hand: of 5 runs a jam at 1 s, one empty and one cut off at 2 s, a jam at 3 s, one cut off at 4 s. The
/// incidence is 1/5 + (4/5 x 3/4) x 1/2, and 4/5 x 3/4 x 1/2 stay undecided.
#[test]
fn a_run_that_is_cut_off_stands_for_those_that_go_on() {
    let runs = [
        ended(1.0, true, false),
        ended(2.0, false, false),
        ended(2.0, false, true),
        ended(3.0, true, false),
        ended(4.0, false, true),
    ];
    let found = jamming(&runs, LEVEL).unwrap();
    assert!((found.probability - 0.5).abs() < 1e-12);
    assert!((found.undecided - 0.3).abs() < 1e-12);
    assert_eq!((found.median_time, found.censored), (Some(3.0), 2));
    let plain = found.jammed.wilson(LEVEL).unwrap();
    assert!(found.wilson.high - found.wilson.low > plain.high - plain.low);
}

/// Runs jam at random, at a rate; each is looked at for a time of its own. The share by the formula is
/// that of runs that are all looked at to the end; the plain count is not; and the interval holds.
#[test]
fn censoring_does_not_move_the_share() {
    use rand::RngExt as _;
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let (runs, trials) = (60, 300);
    // Jams at rate 1, empty at rate 0.5, within 1 s.
    let truth = 1.0 / 1.5 * (1.0 - (-1.5f64).exp());
    let (mut held, mut sum, mut plain) = (0, 0.0, 0.0);
    for _ in 0..trials {
        let mut run = |_: i32| {
            let mut wait = |rate: f64| -(1.0 - rng.random::<f64>()).ln() / rate;
            let (jam, empty) = (wait(1.0), wait(0.5));
            let end = (0.3 + wait(1.0)).min(1.0);
            ended(
                jam.min(empty).min(end),
                jam < empty && jam < end,
                end < jam && end < empty,
            )
        };
        let all: Vec<Outflow> = (0..runs).map(&mut run).collect();
        let found = jamming(&all, LEVEL).unwrap();
        sum += found.probability / f64::from(trials);
        plain += found.jammed.estimate() / f64::from(trials);
        held += i32::from(found.wilson.low <= truth && truth <= found.wilson.high);
    }
    // A run's scatter is under 0.5; three standard errors of 300 times 60 runs, some of them cut off: 0.015.
    assert!((sum - truth).abs() < 0.015, "{sum} {truth}");
    assert!(plain < truth - 0.05, "{plain}");
    // Three deviations of 300 draws below the level.
    assert!(f64::from(held) / f64::from(trials) > 0.95 - 0.038, "{held}");
}
