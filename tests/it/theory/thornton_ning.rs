//! Elastic and plastic spheres against the closed form of their restitution (Thornton 1997).

use arenite::cluster::integrate::Integrate;
use arenite::contact::{ContactLaw, ThorntonNing};
use arenite::geometry::{Planar, Spatial};
use arenite::system::Setup;

use crate::support::{add, empty, end, floor, place, run, up};

const YOUNG: f64 = 1e9;
const PRESSURE: f64 = 1e7;
const MASS: f64 = 1e-3;
const RADIUS: f64 = 0.01;

fn law(damping_ratio: f64) -> ContactLaw {
    ContactLaw::from(ThorntonNing {
        young: YOUNG,
        shear: 0.4 * YOUNG,
        yield_pressure: PRESSURE,
        damping_ratio,
        friction: 0.3,
    })
}

/// The speed from which on an impact of an effective mass and radius yields: m V^2 / 2 is the work up to it.
fn yield_speed(mass: f64, radius: f64) -> f64 {
    let overlap = radius * (std::f64::consts::PI * PRESSURE / (2.0 * YOUNG)).powi(2);
    let work = 8.0 / 15.0 * YOUNG * radius.sqrt() * overlap.powf(2.5);
    (2.0 * work / mass).sqrt()
}

/// Thornton 1997, eq. 40, for a ratio of the yield speed to the speed.
fn restitution(ratio: f64) -> f64 {
    if ratio >= 1.0 {
        return 1.0;
    }
    let square = ratio * ratio;
    (6.0 * 3f64.sqrt() / 5.0).sqrt()
        * (1.0 - square / 6.0).sqrt()
        * (ratio / (ratio + 2.0 * (1.2 - 0.2 * square).sqrt())).powf(0.25)
}

/// A sphere that falls onto a floor, or two that meet: parting over approach.
fn impact<D: Integrate>(speed: f64, wall: bool) -> f64 {
    let elastic = 2.94 * (MASS * MASS / (YOUNG * YOUNG * RADIUS * speed)).powf(0.2);
    let step = elastic / 2000.0;
    let gap = 1e-3 * RADIUS;
    let finish = 8000.0 * step + 3.0 * gap / speed;
    let mut setup: Setup<D> = empty(law(0.0), step, finish);
    if wall {
        floor(&mut setup);
        let (x, v) = (place::<D>(0.2, RADIUS + gap), place::<D>(0.0, -speed));
        add(&mut setup, RADIUS, MASS, x, v);
        return up::<D>(end(&setup)[0].velocity) / speed;
    }
    let above = place::<D>(0.0, 2.0 * RADIUS + gap);
    add(
        &mut setup,
        RADIUS,
        MASS,
        place::<D>(0.0, 0.0),
        place::<D>(0.0, 0.0),
    );
    add(&mut setup, RADIUS, MASS, above, place::<D>(0.0, -speed));
    let (system, _) = run(&setup);
    assert!(system.summary().energy.balance_error < 1e-4);
    let grains = system.grains_at(finish);
    (up::<D>(grains[1].velocity) - up::<D>(grains[0].velocity)) / speed
}

#[test]
fn restitution_is_thorntons() {
    fn of<D: Integrate>() {
        for wall in [false, true] {
            let (mass, radius) = match wall {
                true => (MASS, RADIUS),
                false => (0.5 * MASS, 0.5 * RADIUS),
            };
            let slow = yield_speed(mass, radius);
            for times in [0.5, 1.2, 3.0, 20.0] {
                let got = impact::<D>(times * slow, wall);
                let want = restitution(1.0 / times);
                assert!(
                    (got - want).abs() < 1e-3,
                    "wall {wall}, {times} times the yield speed: {got}, {want} by theory"
                );
            }
        }
    }
    of::<Planar>();
    of::<Spatial>();
}
