//! Laws from what is measured: they do what was asked when grains meet.

use arenite::cluster::integrate::Integrate;
use arenite::contact::calibrate::Pair;
use arenite::contact::{ContactLaw, Hertz, Linear};
use arenite::geometry::{Dimension, Planar, Spatial};
use arenite::system::Setup;

use crate::support::*;

const RADIUS: f64 = 0.005;

fn pair<D: Dimension>(restitution: f64, load: f64) -> Pair {
    Pair {
        mass: 1.3e-3,
        radius: RADIUS,
        inertia: D::BALL_INERTIA,
        restitution,
        friction: 0.4,
        speed: 0.8,
        load,
        overlap: 0.01,
    }
}

/// Two grains meet head on at the pair's speed: the greatest overlap on the way, and the speed at which they part over
/// that.
fn meet<D: Integrate>(pair: &Pair, law: ContactLaw, time: f64) -> (f64, f64) {
    let step = time / 400.0;
    let mut setup: Setup<D> = empty(law, step, 2.0 * time);
    setup.log.snapshots = Some(step);
    let at = |x: f64| place::<D>(x, 0.0);
    add(&mut setup, RADIUS, pair.mass, at(0.0), at(pair.speed));
    add(
        &mut setup,
        RADIUS,
        pair.mass,
        at(2.0 * RADIUS * (1.0 + 1e-9)),
        at(0.0),
    );
    let (system, sink) = run(&setup);
    let apart = |rows: &[arenite::record::GrainRow]| rows[1].position[0] - rows[0].position[0];
    let deepest = sink
        .snapshots
        .iter()
        .map(|(grains, _)| 2.0 * RADIUS - apart(grains));
    let grains = system.grains_at(setup.run.end_time);
    let parting = (grains[1].velocity[0] - grains[0].velocity[0]) / pair.speed;
    (deepest.fold(0.0, f64::max), parting)
}

/// Without loss an impact goes as deep as asked and lasts half a period; with loss less deep, and the two part at the
/// restitution asked. 400 steps an impact: errors of (pi / 400)^2 / 8 = 8e-6.
#[test]
fn a_linear_law_gives_overlap_and_restitution() {
    fn gives<D: Integrate>() {
        for restitution in [1.0, 0.7, 0.2] {
            let pair = pair::<D>(restitution, 0.0);
            let law = pair.linear();
            let time = pair.linear_time(law.normal_stiffness);
            let (deepest, parting) = meet::<D>(&pair, law.into(), time);
            close("restitution", parting, restitution, 1e-4);
            if restitution == 1.0 {
                close("overlap", deepest / RADIUS, 0.01, 1e-5 * 0.01 + 1e-8);
            } else {
                assert!(deepest < 0.01 * RADIUS);
            }
        }
        // A load that asks for more is what decides.
        let law = pair::<D>(0.7, 40.0).linear();
        close(
            "stiffness",
            law.normal_stiffness,
            40.0 / (0.01 * RADIUS),
            1e-6,
        );
    }
    gives::<Planar>();
    gives::<Spatial>();
}

/// A stiffness kt of the tangential spring that gives its oscillation the period of the normal one: a grain held
/// against another by its rim swings with kt (1 + 1/b) / m.
#[test]
fn tangential_and_normal_periods_are_alike() {
    for (law, factor) in [
        (pair::<Planar>(0.7, 0.0).linear(), 3.0),
        (pair::<Spatial>(0.7, 0.0).linear(), 3.5),
    ] {
        let Linear {
            normal_stiffness,
            tangential_stiffness,
            normal_damping,
            tangential_damping,
            ..
        } = law;
        close(
            "kt",
            tangential_stiffness * factor / normal_stiffness,
            1.0,
            1e-15,
        );
        close(
            "ct",
            tangential_damping * factor / normal_damping,
            1.0,
            1e-15,
        );
    }
}

/// A softened modulus: an impact by Hertz without loss goes as deep as asked, a load likewise, and one that is soft
/// enough already is left.
#[test]
fn a_softened_modulus_lets_the_overlap_asked() {
    let (young, poisson) = (6e10, 0.25);
    let ask = pair::<Spatial>(1.0, 0.0);
    let soft = ask.softened(young, poisson);
    let effective = soft.young / (2.0 * (1.0 - poisson * poisson));
    let law = ContactLaw::Hertz(Hertz {
        young: effective,
        shear: effective,
        damping_ratio: 0.0,
        friction: 0.0,
    });
    let overlap = ask.hertz_overlaps(soft.young, poisson)[0];
    let (deepest, parting) = meet::<Spatial>(&ask, law, ask.hertz_time(overlap));
    close("overlap", deepest / RADIUS, 0.01, 2e-5 * 0.01);
    close("restitution", parting, 1.0, 1e-4);
    let real = ask.hertz_overlaps(young, poisson)[0];
    close("longer", overlap / real, soft.longer, 1e-12 * soft.longer);

    let loaded = pair::<Spatial>(1.0, 500.0);
    let soft = loaded.softened(young, poisson);
    let [_, pressed] = loaded.hertz_overlaps(soft.young, poisson);
    close("load", pressed / RADIUS, 0.01, 1e-12);
    // F = 4/3 E sqrt(R) x^1.5, with E of two equal bodies and R half of the radius.
    let effective = soft.young / (2.0 * (1.0 - poisson * poisson));
    let force = 4.0 / 3.0 * effective * (0.5 * RADIUS).sqrt() * (0.01 * RADIUS).powf(1.5);
    close("force", force, 500.0, 1e-9);
    let [_, real] = loaded.hertz_overlaps(young, poisson);
    close("deeper", pressed / real, soft.deeper, 1e-12 * soft.deeper);

    let rubber = ask.softened(1e5, poisson);
    assert_eq!(
        [rubber.young, rubber.longer, rubber.deeper],
        [1e5, 1.0, 1.0]
    );
}
