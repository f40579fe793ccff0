//! How grains move about, against what is exact.

use arenite::study::motion::{Lag, Paths, lags, motion, unwrapped};

use crate::support::{Dice, close};

/// Grains that fly freely: displacement v^2 t^2, without error; less the mean way the variance of velocities times t^2;
/// velocities stay. A grain that goes away and one that comes back do not count as having moved.
#[test]
fn free_flight_is_ballistic() {
    let velocities = [[1.0, 2.0, 0.0], [-3.0, 0.5, 1.0], [0.0, 0.0, 2.0]];
    let at = |k: usize| {
        velocities
            .map(|v| Some(v.map(|v| 0.1 * k as f64 * v)))
            .to_vec()
    };
    let mut paths = Paths {
        step: 0.1,
        places: (0..40).map(at).collect(),
        velocities: vec![velocities.map(Some).to_vec(); 40],
    };
    let mean_square = 19.25 / 3.0;
    let square = |v: [f64; 3]| v.iter().map(|v| v * v).sum::<f64>();
    let mean = [0, 1, 2].map(|k| velocities.iter().map(|v| v[k]).sum::<f64>() / 3.0);
    let variance = (19.25 - 3.0 * square(mean)) / 2.0;
    let check = |found: &[Lag]| {
        for lag in found {
            let t2 = lag.lag * lag.lag;
            close("displacement", lag.displacement / t2, mean_square, 1e-12);
            close("about the mean", lag.about_mean / t2, variance, 1e-12);
            close("correlation", lag.correlation.unwrap(), 1.0, 1e-12);
        }
    };
    check(&motion(&paths, &lags(40), 100).unwrap());
    let short = &motion(&paths, &[2], 100).unwrap()[0];
    assert!(short.displacement_error.unwrap() < 1e-12);
    // Over half of the run there is one block and no error.
    assert_eq!(
        motion(&paths, &[30], 100).unwrap()[0].displacement_error,
        None
    );
    // A fourth, that leaves and comes in again elsewhere: it stands, and so its lags within a stay count 0.
    for (k, row) in paths.places.iter_mut().enumerate() {
        row.push(match k {
            0..20 => Some([0.0; 3]),
            20..22 => None,
            _ => Some([100.0, 0.0, 0.0]),
        });
    }
    for lag in motion(&paths, &[5, 10], 100).unwrap() {
        assert!(lag.displacement < mean_square * lag.lag * lag.lag);
    }
}

/// A random walk of 40 grains over 400 steps in the plane, steps normal with variance 2 D on each axis.
fn walk(seed: u64, diffusion: f64, wrap: Option<f64>) -> Paths {
    let mut dice = Dice(seed);
    let mut normal = || (0..12).map(|_| dice.roll()).sum::<f64>() - 6.0;
    let mut places = vec![vec![Some([0.0; 3]); 40]];
    for k in 1..400 {
        let step = |p: &Option<[f64; 3]>| {
            let p = p.unwrap();
            let size = (2.0 * diffusion).sqrt();
            Some([p[0] + size * normal(), p[1] + size * normal(), 0.0])
        };
        let next = places[k - 1].iter().map(step).collect();
        places.push(next);
    }
    if let Some(length) = wrap {
        let wrapped = |p: &mut Option<[f64; 3]>| {
            *p = p.map(|p| p.map(|x| x - length * (x / length).floor()));
        };
        places.iter_mut().flatten().for_each(wrapped);
    }
    Paths {
        step: 1.0,
        places,
        velocities: Vec::new(),
    }
}

/// A walk goes as 2 d D t, d = 2 dimensions. The errors of blocks say how far it is off: over 200 walks the interval of
/// Student's t (9 degrees of freedom, 2.26 errors) holds the truth in 95 %, within four deviations of 200 draws and
/// 2 % for blocks that share steps at their seams.
#[test]
fn a_random_walk_diffuses_within_its_errors() {
    let diffusion = 0.3;
    let mut held = [0; 3];
    for seed in 0..200 {
        let found = motion(&walk(seed, diffusion, None), &[1, 3, 10], 1000).unwrap();
        for (held, lag) in held.iter_mut().zip(&found) {
            let off = lag.displacement - 4.0 * diffusion * lag.lag;
            *held += usize::from(off.abs() < 2.26 * lag.displacement_error.unwrap());
            let off = (lag.about_mean / (4.0 * diffusion * lag.lag) - 1.0).abs();
            assert!(off < 0.2, "{off}");
            assert_eq!(lag.correlation, None);
        }
    }
    for held in held {
        assert!((174..=200).contains(&held), "{held}");
    }
}

/// Ways go on across periodic borders.
#[test]
fn wrapped_walks_are_unwrapped() {
    let length = 20.0;
    let free = walk(4, 0.3, None);
    let wrapped = walk(4, 0.3, Some(length));
    let nearest = |way: [f64; 3]| way.map(|x| x - length * (x / length).round());
    let again = Paths {
        places: unwrapped(&wrapped.places, nearest),
        ..wrapped.clone()
    };
    let [a, b, c] = [free, again, wrapped].map(|p| motion(&p, &lags(400), 50).unwrap());
    for (a, b) in a.iter().zip(&b) {
        close("displacement", a.displacement, b.displacement, 1e-9);
    }
    assert!(c.last().unwrap().displacement != a.last().unwrap().displacement);
}

#[test]
fn motions_that_are_none_are_refused() {
    let paths = walk(1, 0.1, None);
    assert!(motion(&paths, &[0], 10).is_err());
    assert!(motion(&paths, &[400], 10).is_err());
    assert!(motion(&paths, &[1], 0).is_err());
    assert!(motion(&Paths::default(), &[1], 10).is_err());
    let still = Paths { step: 0.0, ..paths };
    assert!(motion(&still, &[1], 10).is_err());
}
