//! Studies of a silo: Janssen's theory against tests/data/janssen.json, pressures and avalanches
//! counted by hand.

use arenite::geometry::{Planar, Spatial};
use arenite::study::StudyError;
use arenite::study::avalanche::{self, Avalanche};
use arenite::study::janssen::{Janssen, Section};
use arenite::study::janssen_fit::{Free, Given, WallPressure, fit_janssen};
use arenite::study::pressure::{
    BoundaryForce, Layer, Layering, Origin, Part, mean_wall_pressure, support, wall_pressure,
};
use nalgebra::{Vector2, Vector3};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use crate::theory::statistics::close;
use crate::theory::times_of_contact::{data, number};

fn silo() -> Janssen {
    Janssen::new(Section::Planar { width: 0.3 }, 976.0, 9.8, 0.33, 0.5).unwrap()
}

#[test]
fn janssen_profile() {
    let reference = data(include_str!("../../data/janssen.json"));
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
    let parts: f64 = (0..1000)
        .map(|k| 4e-4 * silo.wall_pressure(0.2 + 4e-4 * (f64::from(k) + 0.5)))
        .sum();
    // Midpoint rule: off by h^2 f''/24, with f'' = 3.4e3 here 1.5e-8 of the mean.
    close(silo.mean_wall_pressure(0.2, 0.6), parts / 0.4, 2e-8);
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
    // Errors weigh: a wild point that is known to be wild moves nothing.
    let mut marked = exact.clone();
    for point in &mut marked {
        point.error = Some(1.0);
    }
    marked[7].pressure *= 3.0;
    assert!(
        fit_janssen(&marked, &given(976.0, 0.33), Free::Product)
            .unwrap()
            .residual
            > 100.0
    );
    marked[7].error = Some(1e9);
    let fit = fit_janssen(&marked, &given(976.0, 0.33), Free::Friction).unwrap();
    close(fit.ratio.value, 0.5, 1e-6);
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
    let area = |l: &Layer| 2.0 * (l.high - l.low);
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
fn avalanches_are_counted_by_place() {
    // Heat at walls, at the top, at irregular spots, elsewhere.
    let one = |addition, size, extent, heat: [f64; 4]| Avalanche {
        addition,
        size,
        energy: heat.iter().sum(),
        extent,
        heat,
    };
    let all = [
        one(1, 1, 0.0, [0.0, 1.0, 0.0, 0.0]),
        one(2, 3, 0.3, [5.0, 0.0, 0.5, 0.0]),
        one(5, 2, 0.1, [0.0, 0.25, 0.0, 9.0]),
    ];
    let summary = avalanche::summarise(&all, 6).unwrap();
    assert_eq!((summary.quiet, summary.size), (3, 6));
    assert_eq!(summary.avalanches_by_place, [1, 2, 1, 1]);
    assert_eq!(summary.energy_by_place, [5.0, 1.25, 0.5, 9.0]);
    assert_eq!(summary.mean_size, Some(2.0));
    assert_eq!(summary.largest.unwrap().addition, 2);
    assert_eq!(summary.hottest.unwrap().addition, 5);
    assert_eq!(summary.widest.unwrap().addition, 2);
    // Ranks 1, 3, 2 of size against 1, 2, 3 of filling.
    close(summary.size_with_filling.unwrap().coefficient, 0.5, 1e-14);
    assert_eq!(avalanche::waits(&all, 2), [3]);
    assert_eq!(avalanche::waits(&all, 0), [1, 3]);
    assert_eq!(avalanche::sizes(&all), [1.0, 3.0, 2.0]);
    assert_eq!(avalanche::energies(&all).len(), 3);
    assert!(avalanche::summarise(&all, 2).is_err());
}
