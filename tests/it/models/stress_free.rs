//! Free groups: exact forces of spinning and pushed bodies, and nothing in the fictional link.

use arenite::geometry::{Dimension, Planar, Spatial, Vector};
use arenite::stress::{
    Element, Factor, FreeError, FreeGroup, Freedom, LinkKey, LinkState, Member, Network, Node,
    Solver, in_series,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::models::stress::packing;

const MASS: f64 = 0.37;
const RADIUS: f64 = 0.01;

/// Like disks or spheres on a circle about some point, each linked to the next; closed for three
/// or more.
fn ring<D: Dimension>(count: usize, freedom: Freedom, kt: f64) -> FreeGroup<D> {
    let mut network = Network::<D>::new(freedom);
    let circle = circle_radius(count);
    for i in 0..count {
        let angle = std::f64::consts::TAU * (i as f64 + 0.1) / count as f64;
        let (s, c) = libm::sincos(angle);
        let position = D::Vector::from_fn(|k| match k {
            0 => 0.3 + circle * c,
            1 => -0.2 + circle * s,
            _ => 0.5,
        });
        network.add_node(Node {
            position,
            radius: RADIUS,
            fixed: false,
        });
    }
    for i in 0..count {
        if count > 2 || i + 1 < count {
            let link = network.between(i, (i + 1) % count, 1e6, kt, 0.3).unwrap();
            network.add_link(link);
        }
    }
    let member = Member {
        mass: MASS,
        inertia: D::BALL_INERTIA * MASS * RADIUS * RADIUS,
    };
    FreeGroup::new(network, vec![member; count]).unwrap()
}

/// Of the circle through the centres of touching grains.
fn circle_radius(count: usize) -> f64 {
    RADIUS / libm::sin(std::f64::consts::PI / count as f64)
}

/// Stress along the normal and size of that across it.
fn stress<D: Dimension>(network: &Network<D>, link: LinkKey, x: &[f64]) -> [f64; 2] {
    let link = &network.links()[link];
    let element = Element::new(link, network.freedom());
    let m = network.per_node();
    let part = |node| {
        let row: Option<usize> = network.row(node);
        row.map(|row| &x[row * m..row * m + m])
    };
    let strain = element.strain(part(link.a), part(link.b));
    let across: f64 = (1..element.bars)
        .map(|bar| (element.stiffness[bar] * strain[bar]).powi(2))
        .sum();
    [element.stiffness[0] * strain[0], across.sqrt()]
}

fn solve<D: Dimension>(group: &FreeGroup<D>, load: &[f64]) -> Vec<f64> {
    let mut x = vec![0.0; load.len()];
    let mut factor = Factor::new(group.network());
    factor.solve(group.network(), load, &mut x).unwrap();
    x
}

/// A ring of n grains of mass m on a circle of radius R that spins with w pulls each link with
/// m w^2 R / (2 sin(pi / n)): each grain is held on its circle by two links.
fn spinning_rings<D: Dimension>(freedom: Freedom, kt: f64, counts: &[usize]) {
    let rate = 7.0;
    for &count in counts {
        let group = ring::<D>(count, freedom, kt);
        let spin = D::spin_from_fn(|k| if k + 1 == D::SPINS { rate } else { 0.0 });
        let none = vec![0.0; group.network().len()];
        let x = solve(&group, &group.balanced(&none, spin));
        let angle = std::f64::consts::PI / count as f64;
        let radius = circle_radius(count);
        let tension = MASS * rate * rate * radius / (2.0 * libm::sin(angle));
        for link in 0..count {
            let [along, across] = stress(group.network(), link, &x);
            // Rounding of 1 N to 10 N times the condition of the ring.
            assert!(
                (along + tension).abs() < 1e-10,
                "{count}: {along}, {tension}"
            );
            assert!(across < 1e-10, "{count}: {across}");
        }
        assert!(group.fictional_force(&x) < 1e-9);
    }
}

#[test]
fn links_of_a_spinning_ring_carry_the_centrifugal_force() {
    for freedom in [Freedom::Translational, Freedom::Full] {
        // An even ring of full freedom has a gear motion, and so has any ring without tangential
        // stiffness a fold: those are no rigid groups.
        let counts: &[usize] = match freedom {
            Freedom::Translational => &[3, 4, 6, 7],
            Freedom::Full => &[3],
        };
        spinning_rings::<Planar>(freedom, 4e5, counts);
    }
    spinning_rings::<Spatial>(Freedom::Translational, 4e5, &[3, 4, 6, 7]);
    // A triangle of bars alone is rigid in its plane, and in space.
    spinning_rings::<Planar>(Freedom::Translational, 0.0, &[3]);
    spinning_rings::<Spatial>(Freedom::Translational, 0.0, &[3]);
}

/// Two disks side by side, pushed across their line at one of them: the shear in the link is what
/// the other needs to be carried along, m (a + alpha r) with a = F / 2 m and alpha = F r / I.
#[test]
fn the_euler_force_balances_a_push_across() {
    let mut network = Network::<Planar>::new(Freedom::Full);
    for x in [0.0, 2.0 * RADIUS] {
        let position = Vector::from_slice(&[x, 0.0]).unwrap();
        network.add_node(Node {
            position,
            radius: RADIUS,
            fixed: false,
        });
    }
    let link = network.between(0, 1, 1e6, 4e5, 0.3).unwrap();
    network.add_link(link);
    // A second link in line keeps the two from rolling on each other, as a clamp would.
    let mut clamp = link;
    clamp.arms = clamp.arms.map(|arm| {
        let mut beside = arm;
        beside[1] += RADIUS;
        beside
    });
    network.add_link(clamp);
    let inertia = 0.5 * MASS * RADIUS * RADIUS;
    let member = Member {
        mass: MASS,
        inertia,
    };
    let group = FreeGroup::new(network, vec![member; 2]).unwrap();
    let push = 2.5;
    let load = group.balanced(&[0.0, push, 0.0, 0.0, 0.0, 0.0], 0.0);
    let x = solve(&group, &load);
    assert!(group.fictional_force(&x) < 1e-9);
    let whole = 2.0 * MASS * RADIUS * RADIUS + 2.0 * inertia;
    let angular = -push * RADIUS / whole;
    let carried = MASS * (push / (2.0 * MASS) + angular * RADIUS);
    let shear: f64 = (0..2)
        .map(|key| {
            let element = Element::new(&group.network().links()[key], Freedom::Full);
            let strain = element.strain(Some(&x[..3]), Some(&x[3..6]));
            element.stiffness[1] * strain[1]
        })
        .sum();
    assert!((shear - carried).abs() < 1e-10, "{shear} {carried}");
}

/// Random groups under random loads and any spin: the inertia forces balance, so the fictional link
/// carries rounding only, and each member is in balance without it.
fn random_groups<D: Dimension>(freedom: Freedom) {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    for _ in 0..5 {
        let grounded = packing::<D>(&mut random, freedom, 3, 1.0);
        let mut network = Network::<D>::new(freedom);
        let mut members = Vec::new();
        // The packing without its floor.
        let mut keys = vec![None; grounded.nodes().len()];
        for (key, node) in grounded.nodes().iter().enumerate() {
            if !node.fixed {
                keys[key] = Some(network.add_node(*node).0);
                members.push(Member {
                    mass: 0.1 + random.random::<f64>(),
                    inertia: 1e-6 * (1.0 + random.random::<f64>()),
                });
            }
        }
        for link in grounded.links() {
            if let (Some(a), Some(b)) = (keys[link.a], keys[link.b]) {
                network.add_link(arenite::stress::Link { a, b, ..*link });
            }
        }
        // A square grid of single grains has gear motions, which are no rigid ones: diagonals stop
        // them.
        for b in 0..network.nodes().len() {
            for a in 0..b {
                let [from, to] = [a, b].map(|node| -> D::Vector { network.nodes()[node].position });
                if (0.0135..0.016).contains(&(to - from).norm()) {
                    let link = network.between(a, b, 1e6, 5e5, 0.3).unwrap();
                    network.add_link(link);
                }
            }
        }
        let group = FreeGroup::new(network, members).unwrap();
        let load: Vec<f64> = (0..group.network().len())
            .map(|_| 0.01 * (random.random::<f64>() - 0.5))
            .collect();
        let spin = D::spin_from_fn(|_| 10.0 * (random.random::<f64>() - 0.5));
        let x = solve(&group, &group.balanced(&load, spin));
        assert!(
            group.fictional_force(&x) < 1e-9,
            "{:e}",
            group.fictional_force(&x)
        );
    }
}

#[test]
fn nothing_acts_in_the_fictional_link() {
    for freedom in [Freedom::Translational, Freedom::Full] {
        random_groups::<Planar>(freedom);
        random_groups::<Spatial>(freedom);
    }
}

/// Two disks in line: a unit force along the line at one is half used up to push that one, so half
/// of it goes through the link; from the centre of mass to the disk is half of the shortening, so
/// the stiffness is 4 times that of the link. Across the line the two roll on each other.
#[test]
fn stiffness_as_seen_from_the_rim() {
    for freedom in [Freedom::Translational, Freedom::Full] {
        let mut group = ring::<Planar>(2, Freedom::Translational, 4e5);
        if freedom == Freedom::Full {
            // Of full freedom a pair is a gear; a triangle gives the same from each member.
            group = ring::<Planar>(3, freedom, 4e5);
        }
        let network = group.network();
        let mut solver = Factor::new(network);
        let nodes = network.nodes();
        let out = |node: usize| {
            let arm = nodes[node].position - group.centre();
            arm * (1.0 / arm.norm())
        };
        let found: Vec<f64> = (0..group.network().free_nodes())
            .map(|node| group.rim_stiffness(&mut solver, node, out(node)).unwrap())
            .collect();
        for stiffness in &found {
            assert!((stiffness / found[0] - 1.0).abs() < 1e-10);
        }
        if freedom == Freedom::Translational {
            assert!((found[0] / 4e6 - 1.0).abs() < 1e-10, "{}", found[0]);
        }
    }
    assert!((in_series(&[4e6, 1e6, 4e6]) / (1e6 / 1.5) - 1.0).abs() < 1e-14);
}

#[test]
fn groups_that_are_not_free_are_refused() {
    let group = ring::<Planar>(3, Freedom::Full, 4e5);
    let (network, changes) = group.release();
    assert_eq!(changes.len(), 2);
    assert!(
        network.links()[3..]
            .iter()
            .all(|link| link.state == LinkState::Off)
    );
    assert_eq!(network.ungrounded(), [0, 1, 2]);
    let member = Member {
        mass: 1.0,
        inertia: 0.0,
    };
    let refused = FreeGroup::new(network.clone(), vec![member; 4]);
    assert_eq!(refused.err(), Some(FreeError::Fixed(3)));
    let few = FreeGroup::new(network, vec![member; 2]);
    let expected = FreeError::Members {
        nodes: 4,
        members: 2,
    };
    assert_eq!(few.err(), Some(expected));
    let mut one = Network::<Planar>::new(Freedom::Full);
    one.add_node(Node {
        position: Vector::from_slice(&[0.0, 0.0]).unwrap(),
        radius: 1.0,
        fixed: false,
    });
    let member = Member {
        mass: 0.0,
        ..member
    };
    assert_eq!(
        FreeGroup::new(one, vec![member]).err(),
        Some(FreeError::Mass(0))
    );
}
