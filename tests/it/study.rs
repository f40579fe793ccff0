//! Studies of silos and packings: Janssen's theory against tests/data/janssen.json, statistics
//! against tables and against samples of known law.

use arenite::geometry::{Planar, Spatial};
use arenite::study::StudyError;
use arenite::study::avalanche::{self, Avalanche, Place, Slide, Surroundings};
use arenite::study::correlation::{pearson, spearman};
use arenite::study::distribution::{exponential_tail, force_distribution};
use arenite::study::ensemble::{bootstrap_interval, equivalent, equivalent_to, spread};
use arenite::study::fabric::{self, Touch};
use arenite::study::histogram::{histogram, log_histogram};
use arenite::study::janssen::{Janssen, Section};
use arenite::study::janssen_fit::{Free, Given, WallPressure, fit_janssen};
use arenite::study::pressure::{
    BoundaryForce, Layering, Origin, Part, mean_wall_pressure, support, wall_pressure,
};
use arenite::study::special::{student_quantile, student_tail};
use arenite::study::temperature::{matched, rearrangement};
use nalgebra::{Vector2, Vector3};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use super::flight::{data, number};

fn close(a: f64, b: f64, relative: f64) {
    assert!((a - b).abs() <= relative * b.abs(), "{a} is not {b}");
}

fn silo() -> Janssen {
    Janssen::new(Section::Planar { width: 0.3 }, 976.0, 9.8, 0.33, 0.5).unwrap()
}

#[test]
fn janssen_profile() {
    let reference = data(include_str!("../data/janssen.json"));
    let case = &reference["values"][0];
    let silo = silo();
    // Closed formulas on both sides: rounding only.
    close(silo.length(), number(&case["lambda_m"]), 1e-14);
    let profile = case["profile"].as_array().unwrap();
    assert_eq!(profile.len(), 10);
    for row in profile {
        let z = number(&row["z_from_top"]);
        close(silo.vertical_stress(z), number(&row["sigma_zz"]), 1e-13);
        close(
            silo.wall_pressure(z),
            number(&row["sigma_wall_normal"]),
            1e-13,
        );
        close(silo.wall_shear(z), number(&row["tau_wall"]), 1e-13);
    }
    let share = number(&case["fraction_of_weight_on_floor"]);
    close(silo.floor_share(1.0), share, 1e-13);
    // A tube of diameter D is a slot of width D / 2.
    let tube = Section::Cylindrical { diameter: 0.6 };
    let tube = Janssen::new(tube, 976.0, 9.8, 0.33, 0.5).unwrap();
    assert_eq!(tube.length(), silo.length());
}

#[test]
fn janssen_balances_forces() {
    // Over any depth friction on both walls and the bottom's stress carry the weight; the mean
    // over a layer is the integral of the curve.
    let silo = silo();
    for depth in [1e-9, 1e-3, 0.1, 1.0, 30.0] {
        let walls = 2.0 * 0.33 * silo.mean_wall_pressure(0.0, depth) * depth;
        let floor = silo.vertical_stress(depth) * 0.3;
        close(walls + floor, 976.0 * 9.8 * 0.3 * depth, 1e-12);
    }
    let parts: f64 = (0..100)
        .map(|k| 0.004 * silo.wall_pressure(0.2 + 0.004 * (f64::from(k) + 0.5)))
        .sum();
    // Midpoint rule: its error is h^2 f''/24, here 1e-6 relative at most.
    close(silo.mean_wall_pressure(0.2, 0.6), parts / 0.4, 1e-6);
    assert_eq!(silo.mean_wall_pressure(0.5, 0.5), silo.wall_pressure(0.5));
}

fn points(silo: &Janssen, noise: f64, seed: u64) -> Vec<WallPressure> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut normal = || (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0;
    let layer = |k: u32| {
        let (top, bottom) = (0.1 * f64::from(k), 0.1 * f64::from(k + 1));
        WallPressure {
            top,
            bottom,
            pressure: silo.mean_wall_pressure(top, bottom) + noise * normal(),
            error: None,
        }
    };
    (0..20).map(layer).collect()
}

#[test]
fn janssen_fit_recovers_what_made_the_data() {
    let silo = silo();
    let given = |density, wall_friction| Given {
        section: silo.section,
        density,
        gravity: 9.8,
        wall_friction,
    };
    let exact = points(&silo, 0.0, 0);
    for (free, given) in [
        (Free::Product, given(976.0, 0.33)),
        (Free::Density, given(1.0, 0.33)),
        (Free::Friction, given(976.0, 0.9)),
    ] {
        let fit = fit_janssen(&exact, &given, free).unwrap();
        // A least square is found to the root of rounding, 1e-8.
        close(fit.product.value, 0.165, 1e-6);
        close(fit.density.value, 976.0, 1e-6);
        close(fit.wall_friction.value, 0.33, 1e-6);
        close(fit.ratio.value, 0.5, 1e-6);
        assert!(fit.explained > 1.0 - 1e-10 && fit.residual < 1e-2);
    }
    // With noise, estimates are off by their standard errors: over 200 fits the mean square of
    // (estimate - truth) / error is that of Student's t, 18 / 16, within 4 of its own errors
    // (fourth moment of t under 4.5: 0.15 each).
    let (mut products, mut densities) = (0.0, 0.0);
    for seed in 0..200 {
        let data = points(&silo, 20.0, seed);
        let fit = fit_janssen(&data, &given(500.0, 0.33), Free::Density).unwrap();
        products += ((fit.product.value - 0.165) / fit.product.error).powi(2) / 200.0;
        densities += ((fit.density.value - 976.0) / fit.density.error).powi(2) / 200.0;
    }
    for square in [products, densities] {
        assert!((square - 1.125).abs() < 0.6, "{products} {densities}");
    }
}

#[test]
fn janssen_fit_refuses_what_does_not_tell() {
    let given = Given {
        section: Section::Planar { width: 0.3 },
        density: 976.0,
        gravity: 9.8,
        wall_friction: 0.33,
    };
    let line = |pressure: fn(f64) -> f64| -> Vec<WallPressure> {
        (1..10)
            .map(|k| WallPressure {
                top: f64::from(k),
                bottom: f64::from(k),
                pressure: pressure(f64::from(k)),
                error: None,
            })
            .collect()
    };
    // A straight line and a constant have no saturation length.
    for data in [line(|z| 100.0 * z), line(|_| 100.0)] {
        let error = fit_janssen(&data, &given, Free::Density).unwrap_err();
        assert!(matches!(error, StudyError::Undetermined { .. }), "{error}");
    }
    let few = fit_janssen(&line(|z| z)[..2], &given, Free::Density).unwrap_err();
    assert!(matches!(few, StudyError::TooFew { need: 3, .. }));
    let bad = fit_janssen(&line(|_| f64::NAN), &given, Free::Product).unwrap_err();
    assert!(matches!(bad, StudyError::Range { .. }));
    assert!(Janssen::new(Section::Planar { width: 0.0 }, 1.0, 1.0, 1.0, 1.0).is_err());
}

fn pushes(heights: &[f64]) -> Vec<BoundaryForce<Planar>> {
    let push = |&y: &f64| BoundaryForce {
        part: Part::Wall,
        point: Vector2::new(0.3, y),
        normal: Vector2::new(1.0, 0.0),
        force: Vector2::new(2.0, -0.5),
    };
    heights.iter().map(push).collect()
}

#[test]
fn wall_pressure_in_layers() {
    let mut layering = Layering::<Planar> {
        up: Vector2::new(0.0, 1.0),
        floor: 1.0,
        surface: 1.25,
        girth: 2.0,
        layer: 0.1,
        origin: Origin::Floor,
    };
    let forces = pushes(&[1.03, 1.09, 1.17, 1.21, 1.3]);
    let layers = wall_pressure(&forces, &layering).unwrap();
    assert_eq!(
        layers.iter().map(|l| l.contacts).collect::<Vec<_>>(),
        [2, 1, 2]
    );
    // Two pushes of 2 N on 0.2 m; in the last layer on two walls of 0.05 m.
    close(layers[0].pressure, 20.0, 1e-12);
    close(layers[0].shear, 5.0, 1e-12);
    close(layers[2].pressure, 40.0, 1e-12);
    let area = |l: &arenite::study::pressure::Layer| 2.0 * (l.high - l.low);
    close(
        layers.iter().map(|l| l.pressure * area(l)).sum(),
        10.0,
        1e-12,
    );
    layering.origin = Origin::Surface;
    let depths = wall_pressure(&forces, &layering).unwrap();
    assert_eq!(
        depths.iter().map(|l| l.contacts).collect::<Vec<_>>(),
        [3, 1, 1]
    );
    assert_eq!((depths[0].top, depths[2].low), (0.0, 0.0));
    close(depths[2].high, 0.05, 1e-12);
    layering.layer = 0.0;
    assert!(wall_pressure(&forces, &layering).is_err());

    let short = layers[..2].to_vec();
    let double = wall_pressure(
        &[forces.clone(), forces].concat(),
        &Layering {
            layer: 0.1,
            origin: Origin::Floor,
            ..layering
        },
    );
    let means = mean_wall_pressure(&[layers, short, double.unwrap()]).unwrap();
    assert_eq!(means.len(), 3);
    assert_eq!((means[0].pressure.count, means[2].pressure.count), (3, 2));
    close(means[0].pressure.mean, 80.0 / 3.0, 1e-12);
    close(means[0].point().error.unwrap(), 20.0 / 3.0, 1e-12);
}

#[test]
fn shares_of_the_weight() {
    let up = Vector3::new(0.0, 0.0, 1.0);
    let forces: Vec<BoundaryForce<Spatial>> = vec![
        BoundaryForce {
            part: Part::Wall,
            point: Vector3::zeros(),
            normal: Vector3::new(0.0, -1.0, 0.0),
            force: Vector3::new(0.0, -10.0, -3.0),
        },
        BoundaryForce {
            part: Part::Floor,
            point: Vector3::zeros(),
            normal: -up,
            force: Vector3::new(0.0, 0.0, -7.0),
        },
    ];
    let shares = support(&forces, up, 10.0).unwrap();
    close(shares.floor, 0.7, 1e-14);
    close(shares.walls, 0.3, 1e-14);
    assert!(shares.excess.abs() < 1e-14);
    close(shares.mobilised.unwrap(), 0.3, 1e-14);
    assert!(support(&forces, up, 0.0).is_err());
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
    assert_eq!(spearman(&x, &cubes).unwrap().coefficient, 1.0);
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
            let (c, a) = (2.0 * rng.random::<f64>() - 1.0, 6.283 * rng.random::<f64>());
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
fn avalanches_are_counted_by_place() {
    let slide = |x: f64, place, energy| Slide::<Planar> {
        point: Vector2::new(x, 0.0),
        place,
        energy,
    };
    let all = [
        Avalanche::gather::<Planar>(0, 0.1, &[]),
        Avalanche::gather(1, 0.2, &[slide(0.0, Place::Top, 1.0)]),
        Avalanche::gather(
            2,
            0.3,
            &[
                slide(0.0, Place::Wall, 2.0),
                slide(0.3, Place::Wall, 3.0),
                slide(0.1, Place::Irregular, 0.5),
            ],
        ),
        Avalanche::gather(
            5,
            0.4,
            &[slide(0.0, Place::Bulk, 9.0), slide(0.1, Place::Top, 0.0)],
        ),
    ];
    close(all[2].extent, 0.3, 1e-15);
    let summary = avalanche::summarise(&all).unwrap();
    assert_eq!((summary.quiet, summary.slides), (1, 6));
    assert_eq!(summary.slides_by_place, [2, 2, 1, 1]);
    assert_eq!(summary.avalanches_by_place, [2, 1, 1, 1]);
    assert_eq!(summary.energy_by_place, [1.0, 5.0, 0.5, 9.0]);
    assert_eq!(summary.mean_size, Some(2.0));
    assert_eq!(summary.largest.unwrap().addition, 2);
    assert_eq!(summary.hottest.unwrap().addition, 5);
    close(summary.size_with_height.unwrap().coefficient, 0.8, 1e-14);
    assert_eq!(avalanche::waits(&all, 2), [3]);
    assert_eq!(avalanche::waits(&all, 0), [1, 3]);
    assert_eq!(avalanche::sizes(&all), [1.0, 3.0, 2.0]);
    assert_eq!(avalanche::energies(&all).len(), 3);
}

#[test]
fn firmness_is_lost_as_supports_line_up() {
    let at = |degrees: f64| {
        let (s, c) = degrees.to_radians().sin_cos();
        Vector2::new(c, s)
    };
    for angle in [10.0, 60.0, 90.0, 175.0_f64] {
        let firm = avalanche::firmness::<Planar>(&[at(20.0), at(20.0 + angle) * 3.0]);
        assert!((firm - angle.to_radians().sin().powi(2)).abs() < 1e-12);
    }
    let axes = [Vector3::x(), Vector3::y(), Vector3::z()];
    close(avalanche::firmness::<Spatial>(&axes), 1.0, 1e-14);
    let flat = [Vector3::x(), Vector3::y(), Vector3::new(0.6, 0.8, 0.0)];
    assert!(avalanche::firmness::<Spatial>(&flat) < 1e-14);
    assert_eq!(avalanche::firmness::<Spatial>(&[]), 0.0);
    let mut contact = Surroundings {
        depth: 0.1,
        wall: false,
        firmness: 0.05,
    };
    assert_eq!(avalanche::place(&contact, 0.02, 0.1), Place::Irregular);
    contact.wall = true;
    assert_eq!(avalanche::place(&contact, 0.02, 0.1), Place::Wall);
    assert_eq!(avalanche::place(&contact, 0.2, 0.1), Place::Top);
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
