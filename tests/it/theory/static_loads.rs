//! Grains at rest under load: overlaps, and what walls feel.

use arenite::cluster::integrate::Integrate;
use arenite::contact::{ContactLaw, Hertz, LawTable};
use arenite::geometry::{Planar, Spatial};
use arenite::record::BodyRef;
use arenite::system::Setup;
use arenite::walls::Shape;
use arenite::walls::shapes;

use crate::support::*;

const G: f64 = 9.81;
const RADIUS: f64 = 0.01;
const MASS: f64 = 0.2;

/// A column of grains of different weight on a floor.
fn column<D: Integrate>(law: ContactLaw, step: f64, force_of: impl Fn(f64, bool) -> f64) {
    let count = 3;
    let mut setup: Setup<D> = empty(law, step, 3.0);
    setup.fields.gravity = place::<D>(0.0, -G);
    setup.log.series = Some(0.05);
    floor(&mut setup);
    let mut masses = Vec::new();
    for i in 0..count {
        let height = RADIUS * (2.0 * i as f64 + 1.001);
        let mass = MASS * (1.0 + 0.5 * i as f64);
        add(
            &mut setup,
            RADIUS,
            mass,
            place::<D>(0.3, height),
            D::Vector::default(),
        );
        masses.push(mass);
    }
    let (system, sink) = run(&setup);
    let links = system.link_rows(3.0);
    assert_eq!(links.len(), count);
    for link in &links {
        let (BodyRef::Grain(lower), at_floor) = (
            match (link.body_a, link.body_b) {
                (BodyRef::Grain(a), BodyRef::Grain(b)) => BodyRef::Grain(a.max(b)),
                (a, _) => a,
            },
            matches!(link.body_b, BodyRef::Boundary(_)),
        ) else {
            unreachable!()
        };
        let weight: f64 = masses[lower as usize..].iter().sum::<f64>() * G;
        // At rest the force is the weight of what lies above, to what is left of the motion.
        close("force", link.normal_force / weight, 1.0, 1e-9);
        // The overlap carries it: distances are differences of numbers of size 0.1.
        let force = force_of(link.overlap, at_floor);
        close("elastic force", force / weight, 1.0, 1e-8);
    }
    let weight: f64 = masses.iter().sum::<f64>() * G;
    let last = &sink.series[sink.series.len() - 1];
    for k in 0..3 {
        // Loads are forces on the wall.
        let want = if k == D::N - 1 { -weight } else { 0.0 };
        close("load of the floor", last.walls[0][k], want, 1e-9 * weight);
    }
    // The moment about the floor's point: the column stands 0.3 m beside it.
    let moment = last.walls[0][if D::N == 2 { 5 } else { 4 }];
    let want = if D::N == 2 {
        -0.3 * weight
    } else {
        0.3 * weight
    };
    close("moment on the floor", moment, want, 1e-9 * weight);
    assert!(kinetic(&system.grains_at(3.0)) < 1e-16);
}

#[test]
fn a_column_carries_its_weight() {
    let k = 1e5;
    let law = linear(k, k, 200.0, 200.0, 0.5);
    column::<Planar>(law, 1e-5, |x, _| k * x);
    column::<Spatial>(law, 1e-5, |x, _| k * x);
    let young = 1e7;
    let law = ContactLaw::Hertz(Hertz {
        young,
        shear: 1e7,
        damping_ratio: 0.3,
        friction: 0.5,
    });
    let force = |x: f64, at_floor: bool| {
        let radius = if at_floor { RADIUS } else { RADIUS / 2.0 };
        4.0 / 3.0 * young * radius.sqrt() * x.powf(1.5)
    };
    column::<Planar>(law, 1e-5, force);
    column::<Spatial>(law, 1e-5, force);
}

/// Grains in a row between two walls nearer than the row is long: springs in series.
fn squeezed<D: Integrate>(count: usize) {
    let (pair, wall) = (1e5, 3e5);
    let mut setup: Setup<D> = empty(linear(pair, 0.0, 150.0, 0.0, 0.0), 1e-5, 0.5);
    setup.matter.materials.push("wall".into());
    let mut laws = LawTable::new(2);
    laws.set(0, 0, linear(pair, 0.0, 150.0, 0.0, 0.0));
    laws.set(0, 1, linear(wall, 0.0, 150.0, 0.0, 0.0));
    setup.matter.laws = laws;
    setup.log.series = Some(0.05);
    let squeeze = 1e-4;
    let length = 2.0 * RADIUS * count as f64 - squeeze;
    let shape = Shape::Box(shapes::Cuboid {
        min: D::Vector::default(),
        max: place::<D>(length, 1.0) + place::<D>(0.0, 0.0) + across::<D>(),
        inside: true,
    });
    crate::support::wall(&mut setup, "box", shape).material = 1;
    for i in 0..count {
        let along = length * (i as f64 + 0.5) / count as f64;
        let x = place::<D>(along, 0.5) + across::<D>() * 0.5;
        add(&mut setup, RADIUS, MASS, x, D::Vector::default());
    }
    let (system, sink) = run(&setup);
    let want = squeeze / (2.0 / wall + (count as f64 - 1.0) / pair);
    let links = system.link_rows(0.5);
    assert_eq!(links.len(), count + 1);
    for link in &links {
        // What is left after 0.5 s of damping is rounding in positions of size 0.1.
        close("force", link.normal_force / want, 1.0, 1e-9);
        let stiffness = match link.body_b {
            BodyRef::Boundary(_) => wall,
            _ => pair,
        };
        close("overlap", link.overlap * stiffness / want, 1.0, 1e-9);
    }
    // Both walls are one boundary, whose loads cancel.
    let last = &sink.series[sink.series.len() - 1];
    close("load", last.walls[0][0], 0.0, 1e-9 * want);
    assert_eq!(last.links, count as u64 + 1);
}

/// The width of the box in the third direction.
fn across<D: Integrate>() -> D::Vector {
    use arenite::geometry::Vector;
    D::Vector::from_fn(|k| if D::N == 3 && k == 1 { 1.0 } else { 0.0 })
}

#[test]
fn a_row_between_walls_is_springs_in_series() {
    for count in [1, 2, 3] {
        squeezed::<Planar>(count);
        squeezed::<Spatial>(count);
    }
}
