//! Walls made of grains: as circles and spheres one by one, and as heavy grains.

use arenite::cluster::integrate::Integrate;
use arenite::contact::{ContactLaw, Hertz};
use arenite::geometry::{Planar, Spatial, Vector};
use arenite::system::Setup;
use arenite::system::draw_walls;
use arenite::walls::shapes;
use arenite::walls::{Motion, Shape};

use crate::support::*;

const G: f64 = 9.81;
const MASS: f64 = 0.1;
const RADIUS: f64 = 0.01;

/// A row of grains of a wall, some of them overlapping, each with its own radius.
fn row<D: Integrate>(count: u32) -> Vec<(D::Vector, f64)> {
    let grain = |k: u32| {
        let k = f64::from(k);
        (place::<D>(0.011 * k, 0.0), RADIUS * (0.6 + 0.03 * k))
    };
    (0..count).map(grain).collect()
}

/// Grains that fall on it with friction and roll off.
fn falling<D: Integrate>() -> Setup<D> {
    let mut setup: Setup<D> = empty(linear(1e5, 8e4, 20.0, 10.0, 0.4), 1e-5, 0.3);
    setup.fields.gravity = place::<D>(0.0, -G);
    for k in 0..6 {
        let at = place::<D>(0.013 + 0.021 * f64::from(k), 0.05 + 0.004 * f64::from(k));
        add(&mut setup, RADIUS, MASS, at, place::<D>(0.05, 0.0));
    }
    setup
}

fn apart<D: Integrate>(a: &Setup<D>, b: &Setup<D>) -> f64 {
    let (a, b) = (end(a), end(b));
    assert_eq!(a.len(), b.len());
    let pairs = a.iter().zip(&b);
    pairs
        .map(|(a, b)| (a.position - b.position).norm() + (a.velocity - b.velocity).norm())
        .fold(0.0, f64::max)
}

/// The grains of a wall each as a circle or sphere of its own.
fn one_by_one<D: Integrate>(setup: &mut Setup<D>, list: &[(D::Vector, f64)], motion: &Motion<D>) {
    for (k, &(centre, radius)) in list.iter().enumerate() {
        let ball = Shape::Ball(shapes::Ball {
            centre,
            radius,
            inside: false,
        });
        wall(setup, &format!("ball-{k}"), ball).motion = motion.clone();
    }
}

/// The same grains as circles or spheres by themselves, standing still and shaken. The order in which the forces on a
/// grain are summed may differ: rounding, which a dozen impacts make grow.
#[test]
fn a_rough_wall_is_its_grains() {
    fn same<D: Integrate>(motion: Motion<D>) {
        let list = row::<D>(12);
        let mut rough = falling::<D>();
        wall(
            &mut rough,
            "rough",
            Shape::Grains(shapes::Grains(list.clone())),
        )
        .motion = motion.clone();
        let mut balls = falling::<D>();
        one_by_one(&mut balls, &list, &motion);
        let off = apart(&rough, &balls);
        assert!(off < 1e-9, "{off}");
        let energy = run(&rough).0.summary().energy;
        let lost = energy.dissipated.damping + energy.dissipated.slip;
        assert!(lost > 0.01 * MASS * G * 0.04, "they meet it");
        assert!(energy.balance_error < 1e-3);
    }
    let shaken = |amplitude| Motion::Harmonic {
        amplitude,
        frequency: 20.0,
        phase: 0.3,
    };
    same::<Planar>(Motion::Fixed);
    same::<Spatial>(Motion::Fixed);
    same::<Planar>(shaken(place::<Planar>(0.001, 0.002)));
    let turned = Motion::Rotation {
        centre: place::<Spatial>(0.05, 0.0),
        spin: place::<Spatial>(0.0, 0.7),
    };
    same::<Spatial>(turned);
}

/// Ten grains of arcs fall on what lies on the floor: few, so that rounding has no time to grow.
const AIR: [&str; 4] = [
    "run.end_time=0.3",
    "fill[0].lattice.count=10",
    "fill[0].lattice.min=[0.0, 0.1]",
    "fill[0].lattice.max=[0.5, 0.15]",
];

/// Grains of arcs on it, as on the circles one by one.
#[test]
fn arcs_meet_each_grain_of_a_wall() {
    let mut rough = planar("settle-shapes", &AIR);
    let list: Vec<_> = (0..11)
        .map(|k| (place::<Planar>(0.05 * f64::from(k), 0.0), 0.02))
        .collect();
    let material = rough.boundaries[0].material;
    let mut balls = rough.clone();
    wall(
        &mut rough,
        "rough",
        Shape::Grains(shapes::Grains(list.clone())),
    )
    .material = material;
    one_by_one(&mut balls, &list, &Motion::Fixed);
    for ball in balls.boundaries.iter_mut().rev().take(list.len()) {
        ball.material = material;
    }
    let bare = planar("settle-shapes", &AIR);
    assert!(apart(&rough, &bare) > 1e-3, "they meet it");
    let off = apart(&rough, &balls);
    assert!(off < 1e-9, "{off}");
}

/// Hertz's impact on a grain of a wall is that on a grain so heavy that it does not move: laws see two round bodies. Off
/// by what the heavy one is moved, 1e-9 of the velocity, over the fall and back.
#[test]
fn laws_see_two_round_bodies() {
    fn impact<D: Integrate>(law: ContactLaw) {
        let (x, v) = (place::<D>(0.004, 0.0251), place::<D>(0.3, -1.0));
        let mut rough: Setup<D> = empty(law, 1e-7, 0.006);
        add(&mut rough, RADIUS, MASS, x, v);
        let mut heavy = rough.clone();
        let list = vec![(D::Vector::default(), 0.015)];
        wall(&mut rough, "rough", Shape::Grains(shapes::Grains(list)));
        let zero = D::Vector::default();
        add(&mut heavy, 0.015, 1e9 * MASS, zero, zero);
        let (a, b) = (end(&rough)[0], end(&heavy)[0]);
        assert!((a.velocity - v).norm() > 0.5, "it was hit");
        close("velocity", (a.velocity - b.velocity).norm(), 0.0, 1e-8);
        close("position", (a.position - b.position).norm(), 0.0, 1e-10);
    }
    let hertz = ContactLaw::Hertz(Hertz {
        young: 1e7,
        shear: 4e6,
        damping_ratio: 0.1,
        friction: 0.3,
    });
    impact::<Planar>(hertz);
    impact::<Spatial>(hertz);
    impact::<Spatial>(linear(1e5, 8e4, 5.0, 2.0, 0.3));
}

/// Of a layer of ten thousand spheres only those near count: the same bits as on the 49 around its way.
#[test]
fn a_layer_of_many() {
    let layer = |low: i32, high: i32| {
        let places = (low..high).flat_map(|i| (low..high).map(move |j| (i, j)));
        let grain = |(i, j)| {
            (
                Vector::from_fn(|k| [0.02 * f64::from(i), 0.02 * f64::from(j), 0.0][k]),
                RADIUS,
            )
        };
        Shape::Grains(shapes::Grains(places.map(grain).collect()))
    };
    let on = |shape: Shape<Spatial>| {
        let mut setup: Setup<Spatial> = empty(linear(1e5, 8e4, 20.0, 10.0, 0.4), 1e-5, 0.2);
        setup.fields.gravity = place::<Spatial>(0.0, -G);
        wall(&mut setup, "rough", shape);
        let at = Vector::from_fn(|k| [0.003, 0.006, 0.03][k]);
        add(&mut setup, RADIUS, MASS, at, place::<Spatial>(0.0, 0.0));
        end(&setup)
    };
    let (many, few) = (on(layer(-50, 50)), on(layer(-2, 5)));
    assert!(
        up::<Spatial>(many[0].position) < 0.021,
        "it lies among them"
    );
    assert_eq!(many, few);
}

/// `file`, `grains` and `lattice` place the same.
#[test]
fn three_ways_to_write_it() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("bottom.csv"),
        "r,x,y\n0.01,0,0\n0.01,0.02,0.001\n0.01,0.04,0.002\n",
    )
    .unwrap();
    let shape = |rough: &str| {
        let text = format!(
            "name = \"rough\"\ndimension = 2\n[run]\nend_time = 1.0\n[[boundary]]\nmaterial = \"thesis-wall\"\nrough = {rough}\n[[fill]]\nmaterial = \"thesis-disk\"\n[[fill.grains]]\nposition = [0.0, 0.1]\nradius = 0.01\n"
        );
        let path = folder.path().join("rough.toml");
        std::fs::write(&path, text).unwrap();
        planar(path.to_str().unwrap(), &[]).boundaries[0]
            .shape
            .clone()
    };
    let file = shape("{ file = \"bottom.csv\" }");
    let list = shape(
        "{ grains = [{ position = [0, 0], radius = 0.01 }, { position = [0.02, 0.001], radius = 0.01 }, { position = [0.04, 0.002], radius = 0.01 }] }",
    );
    let lattice = shape(
        "{ lattice = { first = [0, 0], steps = [[0.02, 0.001]], counts = [3], radius = 0.01 } }",
    );
    assert_eq!(file, list);
    assert_eq!(file, lattice);
}

/// Found by a second reader: pictures of very many grains of a wall took more room than all else in the records.
#[test]
fn drawings_of_many_are_small() {
    let mut setup: Setup<Planar> = empty(linear(1e5, 8e4, 20.0, 10.0, 0.4), 1e-5, 0.2);
    let list = (0..50_000).map(|k| (place::<Planar>(0.01 * f64::from(k), 0.0), RADIUS));
    wall(
        &mut setup,
        "rough",
        Shape::Grains(shapes::Grains(list.collect())),
    );
    let (low, high) = (place::<Planar>(0.0, -0.01), place::<Planar>(500.0, 0.01));
    let drawings = draw_walls(&setup.boundaries, low, high);
    let points: usize = drawings.iter().map(|drawing| drawing.points.len()).sum();
    assert!((1_000..=20_000).contains(&points), "{points}");
}
