//! Maps of what grains do to walls, against what mechanics says of one grain, and of all of them together.

use arenite::cluster::integrate::Integrate;
use arenite::geometry::{Planar, Spatial};
use arenite::record::{MemorySink, WearRow};
use arenite::system::{Setup, System};
use arenite::walls::shapes;
use arenite::walls::{Motion, Shape};

use crate::support::*;

const G: f64 = 9.81;
const MASS: f64 = 0.1;
const RADIUS: f64 = 0.01;
const CELL: f64 = 0.01;

fn total(rows: &[WearRow], of: impl Fn(&WearRow) -> f64) -> f64 {
    rows.iter().map(of).sum()
}

/// A ball is put down on a floor with a speed v and no spin: it slides until it rolls, over a way of its surface of
/// s = k v^2 / (2 mu g) with k = 1 / (1 + m R^2 / J), 2/7 for a sphere and 1/3 for a disk; friction does the work mu m g s, and
/// m g s is the product of force and way. It leaves the map where it begins to roll, at v^2 (1 - (1 - k)^2) / (2 mu g).
/// Tangential spring and tick of the step take a share of 1e-4 of it.
#[test]
fn a_ball_slides_until_it_rolls() {
    fn slides<D: Integrate>(k: f64, belt: f64) {
        let (mu, v) = (0.3, 0.8);
        let mut setup: Setup<D> = empty(linear(1e5, 8e4, 100.0, 50.0, mu), 1e-5, 0.6);
        setup.fields.gravity = place::<D>(0.0, -G);
        setup.log.wear = Some(CELL);
        let way = |x: f64| place::<D>(x, 0.0);
        floor(&mut setup).belt = way(belt);
        let sunk = MASS * G / 1e5;
        let at = place::<D>(0.0, RADIUS - sunk);
        add(&mut setup, RADIUS, MASS, at, way(v + belt));
        let (system, sink) = run(&setup);
        let rows = &sink.wear;
        let slid = k * v * v / (2.0 * mu * G);
        let pressed = total(rows, |row| row.archard_work);
        close("way", pressed, MASS * G * slid, 1e-3 * MASS * G * slid);
        let work = total(rows, |row| row.friction);
        close(
            "work",
            work,
            mu * MASS * G * slid,
            1e-3 * mu * MASS * G * slid,
        );
        if belt == 0.0 {
            let book = system.summary().energy.dissipated.slip;
            close("as booked", work, book, 2e-3 * work);
            let end = v * v * (1.0 - (1.0 - k) * (1.0 - k)) / (2.0 * mu * G);
            let last = rows.iter().map(|row| row.position[0]).fold(0.0, f64::max);
            close("end", last, end, CELL);
        }
        assert!(
            rows.iter()
                .all(|row| row.size == CELL && row.position[D::N - 1].abs() < CELL)
        );
    }
    slides::<Planar>(1.0 / 3.0, 0.0);
    slides::<Spatial>(2.0 / 7.0, 0.0);
    slides::<Spatial>(2.0 / 7.0, -0.5);
}

/// A ball falls on a floor that moves: one impact of m v^2 / 2 of the relative speed, in the cell where it strikes the
/// floor's own frame. The speed is that foreseen within a step of the contact.
#[test]
fn an_impact_is_noted_where_it_strikes() {
    fn strikes<D: Integrate>() {
        let (step, drift) = (1e-5, 0.3);
        let mut setup: Setup<D> = empty(linear(1e6, 0.0, 0.0, 0.0, 0.0), step, 0.11);
        setup.fields.gravity = place::<D>(0.0, -G);
        setup.log.wear = Some(CELL);
        floor(&mut setup).motion = Motion::Velocity(place::<D>(-drift, 0.0));
        add(
            &mut setup,
            RADIUS,
            MASS,
            place::<D>(0.103, RADIUS + 0.05),
            D::Vector::default(),
        );
        let (_, sink) = run(&setup);
        let [row] = &sink.wear[..] else {
            panic!("{:?}", sink.wear);
        };
        assert_eq!((row.impacts, row.friction), (1, 0.0));
        let energy = MASS * G * 0.05;
        let error = 2.0 * step * G / (2.0f64 * G * 0.05).sqrt();
        close("energy", row.impact_energy, energy, error * energy);
        let x = 0.103 + drift * (2.0 * 0.05 / G).sqrt();
        assert_eq!(row.position[0], ((x / CELL).floor() + 0.5) * CELL);
    }
    strikes::<Planar>();
    strikes::<Spatial>();
}

/// Nothing of it goes back into the motion; a run that goes on from a saved state ends with the same maps; their friction is
/// a part of what the ledger says, where only walls have friction.
#[test]
fn maps_of_a_shaken_box() {
    let mut setup: Setup<Planar> = empty(linear(1e5, 8e4, 20.0, 10.0, 0.4), 1e-5, 0.4);
    setup.fields.gravity = place::<Planar>(0.0, -G);
    wall(
        &mut setup,
        "box",
        Shape::Box(shapes::Cuboid {
            min: place::<Planar>(0.0, 0.0),
            max: place::<Planar>(0.1, 0.2),
            inside: true,
        }),
    )
    .motion = Motion::Harmonic {
        amplitude: place::<Planar>(0.004, 0.002),
        frequency: 15.0,
        phase: 0.0,
    };
    add(
        &mut setup,
        RADIUS,
        MASS,
        place::<Planar>(0.03, 0.03),
        place::<Planar>(1.0, 0.5),
    );
    setup.log.checkpoint = Some(0.13);
    let plain = end(&setup);
    setup.log.wear = Some(0.1 * CELL);
    assert_eq!(end(&setup), plain);
    let mut sink = Checkpoints::default();
    let mut system = System::new(setup.clone()).unwrap();
    finish(&mut system, &mut sink);
    let (_, whole) = run(&setup);
    assert!(whole.wear.len() > 5);
    let work = total(&whole.wear, |row| row.friction);
    let book = system.summary().energy.dissipated.slip;
    // The rest was lost in tangential springs of contacts that ended, and in dampers of those that stuck.
    assert!(0.0 < work && work < book, "{work} {book}");
    for state in &sink.states {
        let mut again = System::restore(setup.clone(), state).unwrap();
        let mut rest = MemorySink::default();
        finish(&mut again, &mut rest);
        assert_eq!(rest.wear, whole.wear);
    }
}

/// Found by a second reader: where Coulomb's limit holds the spring alone the damper was told of links that slide, and laws
/// without a tangential spring left no trace. Friction of a ball on its way to rolling is what the ledger says.
#[test]
fn laws_that_slide_in_other_ways() {
    let folder = tempfile::tempdir().unwrap();
    let slides = |law: &str| {
        let text = format!(
            "name = \"slides\"\ndimension = 2\n[field]\ngravity = [0.0, -9.81]\n[run]\nend_time = 0.3\n[log]\nwear = 0.01\n\
             [material.stone]\ndensity = 2500.0\nyoung = 1e7\npoisson = 0.3\n[[law]]\nbetween = [\"stone\", \"stone\"]\n{law}\n\
             [[boundary]]\nmaterial = \"stone\"\nplane = {{ point = [0.0, 0.0], normal = [0.0, 1.0] }}\n\
             [[fill]]\nmaterial = \"stone\"\ngrains = [{{ position = [0.0, 0.005], radius = 0.005, velocity = [1.0, 0.0] }}]\n"
        );
        let path = folder.path().join("slides.toml");
        std::fs::write(&path, text).unwrap();
        let (system, sink) = run(&planar(path.to_str().unwrap(), &[]));
        let book = system.summary().energy.dissipated.slip;
        (total(&sink.wear, |row| row.friction), book)
    };
    for law in [
        "coulomb_limit = \"spring\"\nlinear = { normal_stiffness = 1e5, tangential_stiffness = 8e4, normal_damping = 30.0, tangential_damping = 15.0, friction = 0.4 }",
        "hertz_hysteretic = { squared_restitution = 0.5, friction = 0.4, smoothing_speed = 0.001 }",
    ] {
        let (work, book) = slides(law);
        assert!(book > 0.01);
        close(law, work, book, 0.02 * book);
    }
}
