//! Grinding in a ball mill, against masses known to 30 digits (tests/data/grinding.json).

use arenite::study::grinding::{Analytical, Mill, Statistical, calc};
use serde_json::{Value, json};

use crate::theory::times_of_contact::{data, number};

fn reference() -> Value {
    data(include_str!("../../data/grinding.json"))
}

/// The reference writes its numbers as text, to keep all digits.
fn texts(value: &Value) -> Vec<f64> {
    let list = value.as_array().unwrap().iter();
    list.map(|text| text.as_str().unwrap().parse().unwrap())
        .collect()
}

fn thesis() -> Mill {
    Mill {
        ball_radius: 3.2e-3,
        balls: 125,
        vessel_radius: 31.5e-3,
        vessel_height: 103e-3,
        initial_radius: 0.5e-3,
        final_radius: 1e-6,
    }
}

/// All masses, traces included, to 1e-12: up to 40 squarings of 28 baskets leave some 1e-13.
#[test]
fn every_mass_keeps_its_digits() {
    let reference = reference();
    let cases = reference["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 6);
    for case in cases {
        let results = case["results"].as_array().unwrap();
        let times: Vec<f64> = results.iter().map(|r| number_or_text(&r["t_s"])).collect();
        let whole = number(&case["M_kg"]);
        let got = calc(
            json!({"rate": case["lambda_per_s"], "probabilities": texts(&case["p"]),
            "mass": whole, "times": times}),
        )
        .unwrap();
        for (row, result) in got["mass"].as_array().unwrap().iter().zip(results) {
            let masses = crate::theory::times_of_contact::numbers(row);
            for (got, want) in masses.iter().zip(texts(&result["X_kg"])) {
                // Below 1e-290 numbers have no digits left; nothing is negative.
                assert!(*got >= 0.0);
                let error = (got - want).abs();
                assert!(
                    error <= 1e-12 * want || want < 1e-290,
                    "{}: {got} against {want}",
                    case["label"]
                );
            }
            let sum: f64 = masses.iter().sum();
            assert!((sum - whole).abs() <= 1e-14 * whole);
        }
    }
}

fn number_or_text(value: &Value) -> f64 {
    value
        .as_f64()
        .unwrap_or_else(|| value.as_str().unwrap().parse().unwrap())
}

/// The mill gives the probabilities of the thesis's case.
#[test]
fn probabilities_of_the_thesis() {
    let reference = reference();
    let cases = reference["cases"].as_array().unwrap();
    let case = cases.iter().find(|c| c["k"] == 27).unwrap();
    let got = thesis().probabilities().unwrap();
    let want = texts(&case["p"]);
    assert_eq!(got.len(), want.len());
    for (got, want) in got.iter().zip(&want) {
        // A few products and a power of two.
        assert!((got - want).abs() <= 1e-14 * want, "{got} against {want}");
    }
    // A final radius that is just met ends there, in spite of rounding.
    for k in 0..40 {
        let mill = Mill {
            final_radius: thesis().radius(k),
            ..thesis()
        };
        assert_eq!(mill.probabilities().unwrap().len(), k + 1);
    }
}

/// Time enough to grind all, and time beyond all counting, cost nothing and break nothing.
#[test]
fn long_times() {
    let model = Analytical::new(1e5, thesis().probabilities().unwrap()).unwrap();
    for time in [1e9, 1e15, 1e200] {
        let masses = model.masses(2.0, time).unwrap();
        assert!(masses.iter().all(|m| *m >= 0.0));
        assert!((masses[27] - 2.0).abs() < 1e-12 || time < 1e13);
    }
    // Slow feeding fast, which single steps at the fastest rate could not follow.
    let model = Analytical::new(1.0, vec![1e-12, 1.0, 0.0]).unwrap();
    let masses = model.masses(1.0, 1e12).unwrap();
    let left = (-1.0f64).exp();
    assert!((masses[0] - left).abs() < 1e-15);
    // The fast one holds what is fed in during its own time: p0 / (p1 - p0) of the first.
    assert!((masses[1] / (left * 1e-12 / (1.0 - 1e-12)) - 1.0).abs() < 1e-12);
}

/// The mean of many samples is the analytical model, within 4.5 standard errors of each basket: with
/// 8 cells a false alarm in some ten thousand. Poisson's number of collisions makes it exact.
#[test]
fn samples_have_the_analytical_mean() {
    let probabilities = vec![1e-2, 6e-3, 2e-3, 5e-4, 0.0];
    let (rate, samples) = (100.0, 4000);
    let model = Analytical::new(rate, probabilities.clone()).unwrap();
    let times = [1.0, 4.0];
    let mut sums = [[[0.0; 2]; 5]; 2];
    for seed in 0..samples {
        let mut sample = Statistical::new(probabilities.clone(), 20, seed).unwrap();
        let mut now = 0.0;
        for (time, sums) in times.iter().zip(&mut sums) {
            sample.pass(rate * (time - now));
            now = *time;
            let masses = sample.masses(1.0);
            assert!((masses.iter().sum::<f64>() - 1.0).abs() < 1e-14);
            for (sum, mass) in sums.iter_mut().zip(masses) {
                sum[0] += mass;
                sum[1] += mass * mass;
            }
        }
    }
    let n = samples as f64;
    for (time, sums) in times.iter().zip(sums) {
        for (want, [sum, squares]) in model.masses(1.0, *time).unwrap().iter().zip(sums) {
            let mean = sum / n;
            let error = ((squares / n - mean * mean) / n).sqrt();
            assert!(
                (mean - want).abs() < 4.5 * error,
                "{mean} +- {error}, {want}"
            );
        }
    }
}

/// Batches of many collisions scatter as single ones do: variance of a basket's mass over 4000 samples
/// each way. A sample variance of nearly normal numbers has a relative error of sqrt(2 / n) = 0.022;
/// 4.5 errors of the difference of two are 0.14.
#[test]
fn batches_scatter_as_single_collisions() {
    let probabilities = vec![2e-3, 1e-3, 5e-4, 0.0];
    let variance = |single: bool| {
        let (mut sum, mut squares) = (0.0, 0.0);
        for seed in 0..4000 {
            let seed = seed + if single { 1_000_000 } else { 0 };
            let mut sample = Statistical::new(probabilities.clone(), 20, seed).unwrap();
            if single {
                (0..1000).for_each(|_| sample.collide(1));
            } else {
                sample.collide(1000);
            }
            let mass = sample.masses(1.0)[1];
            sum += mass;
            squares += mass * mass;
        }
        squares / 4000.0 - (sum / 4000.0) * (sum / 4000.0)
    };
    let (single, batch) = (variance(true), variance(false));
    assert!(
        (batch / single - 1.0).abs() < 0.14,
        "{batch} against {single}"
    );
}

/// 1e12 collisions of the thesis's mill: a sample of 2433 particles (10 g of steel-like density) ground
/// down, in a moment; the same seed gives the same particles.
#[test]
fn a_million_million_collisions() {
    let probabilities = thesis().probabilities().unwrap();
    let model = Analytical::new(1e5, probabilities.clone()).unwrap();
    let run = |seed: u64| {
        let mut sample = Statistical::new(probabilities.clone(), 2433, seed).unwrap();
        sample.collide(8_640_000_000);
        let day = sample.masses(0.01);
        sample.collide(991_360_000_000);
        (day, sample)
    };
    let (day, sample) = run(4);
    // Of 1e10 particles in each full basket a share of 1e-5 scatters, and more what broke when there
    // were few: 2433 at the start, whose moments of breaking shift the basket of one in a thousand.
    for (got, want) in day.iter().zip(model.masses(0.01, 86_400.0).unwrap()) {
        assert!((got - want).abs() < 2e-3 * 0.01, "{got} against {want}");
    }
    let volume: u128 = sample
        .counts()
        .iter()
        .enumerate()
        .map(|(i, n)| u128::from(*n) << (27 - i))
        .sum();
    assert_eq!(volume, 2433 << 27);
    assert!(sample.is_ground());
    assert_eq!(run(4).0, day);
    assert_ne!(run(5).0, day);
}

#[test]
fn bad_cases_say_why() {
    let mill = json!({"ball_radius": 3.2e-3, "balls": 125, "vessel_radius": 31.5e-3,
        "vessel_height": 103e-3, "initial_radius": 0.5e-3, "final_radius": 1e-6});
    let good = json!({"rate": 1e5, "mill": mill, "mass": 0.01, "times": [0.0, 60.0]});
    assert_eq!(calc(good.clone()).unwrap()["mass"][0][0], 0.01);
    let message = |change: &dyn Fn(&mut Value)| {
        let mut case = good.clone();
        change(&mut case);
        calc(case).unwrap_err().to_string()
    };
    assert_eq!(
        message(&|c| c["times"][1] = json!(-1.0)),
        "times[1]: must be 0 or more and finite, not -1"
    );
    assert_eq!(
        message(&|c| c["probabilities"] = json!([0.1, 0.0])),
        "mill: cannot stand beside probabilities; give one of the two"
    );
    assert_eq!(
        message(&|c| c["mill"] = Value::Null),
        "probabilities: is missing; give it, or mill, from which it follows"
    );
    assert_eq!(
        message(&|c| {
            c["mill"] = Value::Null;
            c["probabilities"] = json!([0.1, 0.2]);
        }),
        "probabilities: the last probability is 0.2, but must be 0: particles of the last basket are not ground"
    );
    assert_eq!(
        message(&|c| c["mill"]["balls"] = json!(1e6 as u32)),
        format!(
            "mill: the volume left by the balls, in m^3, is {}, but must be above 0: the balls must leave room in the vessel",
            Mill {
                balls: 1_000_000,
                ..thesis()
            }
            .available()
        )
    );
    assert!(
        message(&|c| c["mill"]["initial_radius"] = json!(0.2))
            .starts_with("mill: the probability of grinding the largest particles is 2.6")
    );
    assert_eq!(
        message(&|c| c["seed"] = json!(3)),
        "seed: belongs to the model statistical"
    );
    assert_eq!(
        message(&|c| c["model"] = json!("statistical")),
        "particles: must be given and above 0: how many the statistical model begins with"
    );
    assert!(message(&|c| c["rate"] = json!("fast")).starts_with("rate: invalid type: string"));
}
