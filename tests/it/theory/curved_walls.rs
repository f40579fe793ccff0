//! Laws that mind radii at walls that are not flat: peaks of impacts against Hertz's theory.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use arenite::cluster::integrate::Integrate;
use arenite::contact::{ContactLaw, Hertz};
use arenite::geometry::{Dimension, Planar, Spatial, Vector};
use arenite::system::{Setup, System};
use arenite::walls::shapes;
use arenite::walls::{Shape, Vessel};

use crate::support::*;

const RADIUS: f64 = 0.004;
const MASS: f64 = 7e-4;
const SPEED: f64 = 0.8;
const YOUNG: f64 = 6e7;
const GAP: f64 = 1e-5;

fn hertz(young: f64, shear: f64, friction: f64) -> ContactLaw {
    ContactLaw::Hertz(Hertz {
        young,
        shear,
        damping_ratio: 0.0,
        friction,
    })
}

/// A grain before a wall, which it strikes at a point against the normal there.
fn thrown<D: Integrate>(shape: Shape<D>, point: D::Vector, normal: D::Vector) -> Setup<D> {
    let mut setup: Setup<D> = empty(hertz(YOUNG, 0.4 * YOUNG, 0.0), 2e-7, 6e-4);
    setup.motion.flight = false;
    wall(&mut setup, "wall", shape);
    let x = point + normal * (RADIUS + GAP);
    add(&mut setup, RADIUS, MASS, x, normal * -SPEED);
    setup.log.series = Some(2e-7);
    setup
}

/// Greatest overlap of a ball of effective radius, m, and greatest force, N (Johnson 1985, 11.24).
fn peaks(radius: f64) -> [f64; 2] {
    let stiffness = 4.0 / 3.0 * YOUNG * radius.sqrt();
    let overlap = (5.0 * MASS * SPEED * SPEED / (4.0 * stiffness)).powf(0.4);
    [overlap, stiffness * overlap.powf(1.5)]
}

/// The peaks of an impact are those of a ball of that effective radius on a plane, and no energy is lost.
#[track_caller]
fn strikes_like<D: Integrate>(
    what: &str,
    shape: Shape<D>,
    point: D::Vector,
    normal: D::Vector,
    radius: f64,
    share: f64,
) {
    let setup = thrown(shape, point, normal);
    let (system, sink) = run(&setup);
    let [overlap, force] = peaks(radius);
    let greatest =
        |value: &dyn Fn(usize) -> f64| (0..sink.series.len()).map(value).fold(0.0, f64::max);
    let felt = greatest(&|k| {
        let load = &sink.series[k].walls[0];
        (load[0] * load[0] + load[1] * load[1] + load[2] * load[2]).sqrt()
    });
    let off = felt / force - 1.0;
    assert!(
        off.abs() < share,
        "{what}: force {felt} for {force}, off by {off:.4}"
    );
    // All of the energy of approach is in the spring at the greatest overlap: 2/5 F d.
    let held = greatest(&|k| sink.series[k].elastic);
    let off = held / (0.5 * MASS * SPEED * SPEED) - 1.0;
    assert!(off.abs() < 1e-3, "{what}: energy {held}, off by {off:.5}");
    let deepest = 2.5 * held / felt / overlap - 1.0;
    assert!(
        deepest.abs() < share,
        "{what}: overlap is off by {deepest:.4}"
    );
    let after = system.grains_at(setup.run.end_time)[0].velocity;
    let off = (after - normal * SPEED).norm() / SPEED;
    assert!(off < 2e-4, "{what}: leaves with {after:?}");
}

/// A unit vector in the half-plane of x and the last coordinate.
fn towards<D: Dimension>(angle: f64) -> D::Vector {
    place::<D>(angle.cos(), angle.sin())
}

fn ball<D: Dimension>(radius: f64, inside: bool) -> Shape<D> {
    Shape::Ball(shapes::Ball {
        centre: place::<D>(0.01, -0.02),
        radius,
        inside,
    })
}

/// Cavities and humps, circles and spheres.
fn round<D: Integrate>() {
    for ratio in [1.2, 1.7, 6.0] {
        let wide = ratio * RADIUS;
        let out = towards::<D>(0.7);
        let point = place::<D>(0.01, -0.02) + out * wide;
        let hollow = RADIUS / (1.0 - 1.0 / ratio);
        strikes_like("cavity", ball::<D>(wide, true), point, -out, hollow, 0.003);
        let hump = RADIUS / (1.0 + 1.0 / ratio);
        strikes_like("hump", ball::<D>(wide, false), point, out, hump, 0.003);
    }
}

#[test]
fn cavities_and_humps_follow_hertz() {
    round::<Planar>();
    round::<Spatial>();
}

#[test]
fn arcs_follow_hertz_on_both_sides() {
    let wide = 2.3 * RADIUS;
    let out = towards::<Planar>(2.0);
    let centre = place::<Planar>(0.01, -0.02);
    let arc = || {
        Shape::<Planar>::Arc(shapes::Arc {
            centre,
            radius: wide,
            angles: [1.0, 3.0],
        })
    };
    let point = centre + out * wide;
    let hollow = RADIUS / (1.0 - 1.0 / 2.3);
    strikes_like("arc from inside", arc(), point, -out, hollow, 0.003);
    let hump = RADIUS / (1.0 + 1.0 / 2.3);
    strikes_like("arc from outside", arc(), point, out, hump, 0.003);
}

/// The effective radius for two relative curvatures, by Hertz's ellipse: integrals by sums over the angle, the axes by
/// halving.
fn by_ellipse(first: f64, second: f64) -> f64 {
    let (least, greatest) = (first.min(second), first.max(second));
    let integrals = |axes: f64| {
        let n = 2000;
        let mut sums = [0.0; 2];
        for k in 0..n {
            let angle = (f64::from(k) + 0.5) / f64::from(n) * FRAC_PI_2;
            let root = (angle.cos().powi(2) + (axes * angle.sin()).powi(2)).sqrt();
            sums[0] += 1.0 / root;
            sums[1] += root;
        }
        sums.map(|sum| sum * FRAC_PI_2 / f64::from(n))
    };
    let ratio = |axes: f64| {
        let [k, e] = integrals(axes);
        (k - e) / (e / (axes * axes) - k)
    };
    let (mut low, mut high) = (1e-3, 1.0 - 1e-9);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if ratio(middle) < least / greatest {
            low = middle;
        } else {
            high = middle;
        }
    }
    let [k, e] = integrals(low);
    PI * PI * (k - e) / (2.0 * (1.0 - low * low) * k.powi(3)) / least
}

fn revolved(profile: &[[f64; 2]]) -> Shape<Spatial> {
    Shape::Revolved(shapes::Revolved {
        origin: place::<Spatial>(0.01, -0.02),
        axis: place::<Spatial>(0.0, 1.0),
        profile: profile.to_vec(),
    })
}

#[test]
fn cylinders_follow_hertz_inside_and_outside() {
    for ratio in [1.3, 2.0, 8.0] {
        let wide = ratio * RADIUS;
        let out = towards::<Spatial>(0.0);
        let point = place::<Spatial>(0.01 + wide, 0.003);
        let pipe = || revolved(&[[wide, -0.1], [wide, 0.1]]);
        let hollow = by_ellipse(1.0 / RADIUS, 1.0 / RADIUS - 1.0 / wide);
        strikes_like("pipe", pipe(), point, -out, hollow, 0.005);
        let hump = by_ellipse(1.0 / RADIUS, 1.0 / RADIUS + 1.0 / wide);
        strikes_like("post", pipe(), point, out, hump, 0.005);
        let end = |up: f64| place::<Spatial>(0.01, up);
        let vessel = Shape::<Spatial>::Vessel(Vessel {
            from: end(-0.05),
            to: end(0.05),
            radius: wide,
            lid_radius: 2.0 * wide,
        });
        strikes_like("vessel", vessel.clone(), point, -out, hollow, 0.005);
        // Its lid is a part of a sphere.
        let depth = 3f64.sqrt() * wide;
        let lid = end(0.05 - depth + 2.0 * wide);
        let hollow = 1.0 / (1.0 / RADIUS - 0.5 / wide);
        strikes_like(
            "lid",
            vessel,
            lid,
            -towards::<Spatial>(FRAC_PI_2),
            hollow,
            0.003,
        );
    }
}

/// A cone is curved by its distance from the axis and how steep it is (Meusnier); the next piece of a profile otherwise.
#[test]
fn cones_follow_hertz_where_they_are_met() {
    let profile = [[0.006, 0.0], [0.03, 0.02], [0.03, 0.05], [0.05, 0.05]];
    // Outwards of the cone, in the half-plane of the axis.
    let slope = 0.02f64.atan2(0.024);
    let (sine, cosine) = (slope.sin(), slope.cos());
    for distance in [0.012, 0.02] {
        let up = (distance - 0.006) * 0.02 / 0.024;
        let point = place::<Spatial>(0.01 + distance, -0.02 + up);
        let out = place::<Spatial>(sine, -cosine);
        let bend = sine / distance;
        let hollow = by_ellipse(1.0 / RADIUS, 1.0 / RADIUS - bend);
        strikes_like("funnel", revolved(&profile), point, -out, hollow, 0.005);
        let hump = by_ellipse(1.0 / RADIUS, 1.0 / RADIUS + bend);
        strikes_like("cone", revolved(&profile), point, out, hump, 0.005);
    }
    let point = place::<Spatial>(0.01 + 0.03, -0.02 + 0.035);
    let hollow = by_ellipse(1.0 / RADIUS, 1.0 / RADIUS - 1.0 / 0.03);
    strikes_like(
        "its pipe",
        revolved(&profile),
        point,
        place::<Spatial>(-1.0, 0.0),
        hollow,
        0.005,
    );
    let point = place::<Spatial>(0.01 + 0.04, -0.02 + 0.05);
    strikes_like(
        "its ring",
        revolved(&profile),
        point,
        place::<Spatial>(0.0, 1.0),
        RADIUS,
        0.003,
    );
}

/// Mindlin's spring goes by the same radius: an oblique impact in a hollow has the tangential force of one on a plane
/// with moduli larger by the root of the ratio of the effective radii.
#[test]
fn oblique_impacts_go_by_the_effective_radius() {
    fn tangential<D: Integrate>(shape: Shape<D>, point: D::Vector, factor: f64) -> [f64; 2] {
        let normal = place::<D>(0.0, 1.0);
        let mut setup = thrown(shape, point, normal);
        setup.matter.laws.set(
            0,
            0,
            hertz(3e3 * YOUNG * factor, 1.2e3 * YOUNG * factor, 9.0),
        );
        setup.grains[0].velocity += place::<D>(0.2, 0.0);
        // So stiff that the grain does not go around the wall meanwhile.
        setup.motion.step = Some(5e-9);
        setup.log.series = Some(5e-9);
        setup.run.end_time = 3e-5;
        let (_, sink) = run(&setup);
        let greatest = |k: usize| {
            let all = sink.series.iter().map(|row| row.walls[0][k].abs());
            all.fold(0.0, f64::max)
        };
        [greatest(0), greatest(D::N - 1)]
    }
    fn both<D: Integrate>() {
        for (inside, ratio) in [(true, 2.0), (false, 1.0)] {
            let wide = ratio * RADIUS;
            let up = if inside { -1.0 } else { 1.0 };
            let point = place::<D>(0.01, -0.02 + up * wide);
            let curved = tangential(ball::<D>(wide, inside), point, 1.0);
            let effective = 1.0 / (1.0 + up / ratio);
            let plane = Shape::<D>::Plane(shapes::Plane {
                point,
                normal: place::<D>(0.0, 1.0),
            });
            let flat = tangential(plane, point, effective.sqrt());
            for k in 0..2 {
                let off = curved[k] / flat[k] - 1.0;
                assert!(off.abs() < 0.01, "{inside}, {k}: {curved:?} {flat:?}");
            }
        }
    }
    both::<Planar>();
    both::<Spatial>();
}

/// What goes to and fro in a bowl keeps its energy, from the bowl to the flat and back.
#[test]
fn a_bowl_keeps_the_energy() {
    let mut setup: Setup<Planar> = empty(hertz(YOUNG, 0.4 * YOUNG, 0.0), 2e-6, 0.3);
    setup.fields.gravity = place::<Planar>(0.0, -9.81);
    let shape = Shape::Arc(shapes::Arc {
        centre: place::<Planar>(0.0, 3.0 * RADIUS),
        radius: 3.0 * RADIUS,
        angles: [PI, TAU],
    });
    wall(&mut setup, "bowl", shape);
    let x = place::<Planar>(0.004, 1.5 * RADIUS);
    add(&mut setup, RADIUS, MASS, x, place::<Planar>(0.3, 0.0));
    setup.log.series = Some(1e-3);
    let (system, _) = run(&setup);
    let energy = system.summary().energy;
    assert!(energy.balance_error.abs() < 1e-3, "{energy:?}");
}

/// The step is chosen with hollows in mind: in one of 1.25 radii the effective radius is five times the grain's, and the
/// fastest oscillation goes with its fifth root.
#[test]
fn the_step_minds_hollows() {
    let fastest = |shape: Shape<Spatial>| {
        let mut setup = thrown(
            shape,
            place::<Spatial>(0.01, 0.0),
            place::<Spatial>(0.0, 1.0),
        );
        setup.motion.step = None;
        let plan = System::plan(&setup).unwrap();
        let told = plan
            .reasons
            .iter()
            .find(|text| text.contains("wall `wall`"));
        let (_, number) = told.unwrap().split_once("oscillation ").unwrap();
        let number = number.split(' ').next().unwrap();
        number.parse::<f64>().unwrap()
    };
    let plane = fastest(Shape::Plane(shapes::Plane {
        point: place::<Spatial>(0.0, -0.02),
        normal: place::<Spatial>(0.0, 1.0),
    }));
    let ratio = fastest(ball::<Spatial>(1.25 * RADIUS, true)) / plane;
    close("frequency", ratio, 5f64.powf(0.2), 1e-3);
    let ratio = fastest(ball::<Spatial>(RADIUS, false)) / plane;
    close("frequency", ratio, 0.5f64.powf(0.2), 1e-3);
}

/// A hollow as narrow as the grain takes no infinite force; set-ups tell.
#[test]
fn hollows_as_narrow_as_the_grain_are_bounded() {
    let wide = RADIUS * 1.0004;
    let mut setup = thrown(
        ball::<Spatial>(wide, true),
        place::<Spatial>(0.01, -0.02 - wide),
        place::<Spatial>(0.0, 1.0),
    );
    setup.grains[0].position = place::<Spatial>(0.01, -0.02);
    setup.motion.step = Some(2e-8);
    setup.log.series = Some(1e-5);
    let (system, _) = run(&setup);
    let grain = system.grains_at(setup.run.end_time)[0];
    assert!(grain.velocity.is_finite() && grain.position.is_finite());
    assert!(grain.velocity.norm() < 1.01 * SPEED, "{grain:?}");
}
