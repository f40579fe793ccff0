//! A free group pinched between walls that speed up: inner forces by a solve under D'Alembert's loads
//! against the time-mean of the resolved cluster.

use std::collections::BTreeMap;

use arenite::contact::LawTable;
use arenite::geometry::Planar;
use arenite::record::BodyRef;
use arenite::stress::{Element, Factor, FreeGroup, Freedom, Member, Network, Node, Solver};
use arenite::system::{Handover, Setup, System};
use arenite::walls::shapes;
use arenite::walls::{Motion, MotionPiece, Shape};

use crate::support::{self, add, empty, linear, place, wall};

const RADIUS: f64 = 0.01;
const MASS: f64 = 0.1;
/// How far each wall moves in, m: forces of some 10 N, overlaps of 1e-4 radii.
const SQUEEZE: f64 = 1e-6;
/// When the walls have come in, and when they speed up, s. Vibrations die in 2 ms.
const SQUEEZED: f64 = 0.02;
const PUSHED: f64 = 0.05;
const SPEEDING: [f64; 2] = [9.0, -5.0];

/// Six disks around one, between four smooth walls that squeeze them and then speed up together.
fn pinched() -> Setup<Planar> {
    let inner = linear(1e7, 5e6, 200.0, 100.0, 100.0);
    let mut setup = empty::<Planar>(inner, 5e-6, 0.12);
    setup.matter.materials = ["disk", "wall"].map(String::from).to_vec();
    setup.matter.laws = LawTable::new(2);
    setup.matter.laws.set(0, 0, inner);
    setup
        .matter
        .laws
        .set(0, 1, linear(1e7, 0.0, 200.0, 0.0, 0.0));
    let column = 3.0_f64.sqrt() * RADIUS;
    let still = place::<Planar>(0.0, 0.0);
    for (x, ys) in [
        (-column, &[-RADIUS, RADIUS][..]),
        (0.0, &[-2.0 * RADIUS, 0.0, 2.0 * RADIUS]),
        (column, &[-RADIUS, RADIUS]),
    ] {
        for &y in ys {
            add(&mut setup, RADIUS, MASS, place::<Planar>(x, y), still);
        }
    }
    let reach = [column + RADIUS, 3.0 * RADIUS];
    for (name, along, sign) in [
        ("left", 0, 1.0),
        ("right", 0, -1.0),
        ("low", 1, 1.0),
        ("high", 1, -1.0),
    ] {
        let towards = |size: f64| {
            let mut v = place::<Planar>(0.0, 0.0);
            v[along] = size;
            v
        };
        let plane = Shape::Plane(shapes::Plane {
            point: towards(-sign * reach[along]),
            normal: towards(sign),
        });
        let piece = |from: f64, velocity, acceleration| MotionPiece {
            from,
            velocity,
            acceleration,
        };
        let boundary = wall(&mut setup, name, plane);
        boundary.material = 1;
        boundary.motion = Motion::Pieces(vec![
            piece(0.0, towards(sign * SQUEEZE / SQUEEZED), still),
            piece(SQUEEZED, still, still),
            piece(PUSHED, still, place::<Planar>(SPEEDING[0], SPEEDING[1])),
        ]);
    }
    setup
}

/// A link by the bodies that it joins.
type Name = (String, String);

fn name(a: BodyRef, b: BodyRef) -> Name {
    (format!("{a:?}"), format!("{b:?}"))
}

/// Normal force and tangential force on the first body, of each link, by its bodies.
fn forces(at: &Handover<Planar>) -> BTreeMap<Name, [f64; 3]> {
    let links = at.network.links().iter().zip(&at.forces);
    links
        .map(|(link, (normal, tangential))| {
            let [a, b] = [link.a, link.b].map(|node| at.bodies[node]);
            (name(a, b), [*normal, tangential[0], tangential[1]])
        })
        .collect()
}

#[test]
fn a_pinched_free_group_has_the_forces_of_the_resolved_cluster() {
    let mut setup = pinched();
    let mut system = System::new(setup.clone()).unwrap();
    support::finish(&mut system, &mut arenite::record::NullSink);
    // Means over 20 ms, after 70 ms of speeding up.
    let looks = 200;
    let mut means: BTreeMap<Name, [f64; 3]> = BTreeMap::new();
    for _ in 0..looks {
        setup.run.end_time += 1e-4;
        system.extend(setup.run.end_time);
        support::finish(&mut system, &mut arenite::record::NullSink);
        for (link, force) in forces(&system.handover()) {
            let mean = means.entry(link).or_default();
            for k in 0..3 {
                mean[k] += force[k] / f64::from(looks);
            }
        }
    }
    let at = system.handover();
    let count = system.grain_count();
    let mut network = Network::<Planar>::new(Freedom::Full);
    for node in 0..count {
        network.add_node(Node {
            position: at.network.nodes()[node].position,
            radius: RADIUS,
            fixed: false,
        });
    }
    // Walls push with what they push on the mean.
    let mut load = vec![0.0; 3 * count];
    let mut pushed = place::<Planar>(0.0, 0.0);
    for link in at.network.links().iter() {
        let [normal, ..] = means[&name(at.bodies[link.a], at.bodies[link.b])];
        if link.b < count {
            network.add_link(*link);
        } else {
            let force = link.normal * -normal;
            pushed += force;
            for k in 0..2 {
                load[3 * link.a + k] += force[k];
            }
        }
    }
    let inner = network.links().len();
    assert_eq!(inner, 12, "each link is in touch");
    // The walls do speed all of it up: to what vibrations leave of the mean.
    for k in 0..2 {
        let wanted = count as f64 * MASS * SPEEDING[k];
        support::close("push", pushed[k], wanted, 1e-4 * wanted.abs());
    }
    let member = Member {
        mass: MASS,
        inertia: 0.5 * MASS * RADIUS * RADIUS,
    };
    let group = FreeGroup::new(network, vec![member; count]).unwrap();
    let balanced = group.balanced(&load, 0.0);
    let mut x = vec![0.0; balanced.len()];
    let mut factor = Factor::new(group.network());
    factor.solve(group.network(), &balanced, &mut x).unwrap();
    let greatest = means.values().map(|force| force[0]).fold(0.0, f64::max);
    let mut tangential_greatest = 0.0_f64;
    for link in at.network.links().iter().filter(|link| link.b < count) {
        let own = group
            .network()
            .links()
            .iter()
            .find(|other| (other.a, other.b) == (link.a, link.b))
            .unwrap();
        let element = Element::new(own, Freedom::Full);
        let part = |node: usize| {
            let row = group.network().row(node);
            row.map(|row| &x[3 * row..3 * row + 3])
        };
        let strain = element.strain(part(link.a), part(link.b));
        let stress = [0, 1].map(|bar| element.stiffness[bar] * strain[bar]);
        let mean = means[&name(at.bodies[link.a], at.bodies[link.b])];
        let across = place::<Planar>(link.normal[1], -link.normal[0]);
        let tangential = mean[1] * across[0] + mean[2] * across[1];
        tangential_greatest = tangential_greatest.max(tangential.abs());
        // Overlaps of 1e-4 radii turn and shorten links by as much.
        support::close("normal", stress[0], mean[0], 1e-4 * greatest);
        support::close("tangential", stress[1], tangential, 1e-4 * greatest);
    }
    assert!(tangential_greatest > 0.02 * greatest, "links are sheared");
}
