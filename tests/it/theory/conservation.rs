//! What an isolated group keeps, and that space has no preferred direction.

use arenite::body::Grain;
use arenite::cluster::integrate::Integrate;
use arenite::contact::{ContactLaw, Hertz};
use arenite::geometry::{Dimension, Planar, Spatial, Vector};
use arenite::system::Setup;
use arenite::walls::shapes;
use nalgebra::{Rotation3, Vector2, Vector3};

use crate::support::*;

/// A dozen grains of several sizes that fly together, collide and part.
fn crowd<D: Integrate>(law: ContactLaw, step: f64) -> Setup<D> {
    let mut setup: Setup<D> = empty(law, step, 0.06);
    let mut dice = Dice(11);
    for i in 0..12 {
        // On a rough lattice about the origin, heading inwards.
        let cell = D::Vector::from_fn(|k| match k {
            0 => f64::from(i % 3) - 1.0,
            1 => f64::from(i / 3 % 2) * 2.0 - 1.0,
            _ => f64::from(i / 6) * 2.0 - 1.0,
        });
        let cell = if D::N == 2 {
            D::Vector::from_fn(|k| {
                if k == 0 {
                    cell[0]
                } else {
                    f64::from(i / 3) - 1.5
                }
            })
        } else {
            cell
        };
        let x = cell * 0.025 + dice.vector::<D>(-0.002, 0.002);
        let v = x * -12.0 + dice.vector::<D>(-0.1, 0.1);
        let radius = dice.between(0.006, 0.01);
        let mass = 1200.0 * radius * radius;
        add(&mut setup, radius, mass, x, v).spin = dice.spin::<D>(-30.0, 30.0);
    }
    setup
}

fn momentum<D: Dimension>(grains: &[Grain<D>]) -> D::Vector {
    grains
        .iter()
        .fold(D::Vector::default(), |sum, g| sum + g.velocity * g.mass)
}

fn angular_momentum<D: Dimension>(grains: &[Grain<D>]) -> D::Spin {
    grains.iter().fold(D::Spin::default(), |sum, g| {
        sum + D::moment(g.position, g.velocity * g.mass) + g.spin * g.moment_of_inertia()
    })
}

fn size<D: Dimension>(spin: D::Spin) -> f64 {
    D::spin_dot(spin, spin).sqrt()
}

fn isolated<D: Integrate>() {
    let law = |k: f64, friction| linear(k, 0.6 * k, 4e-4 * k, 2e-4 * k, friction);
    // The scale of angular momentum: of one grain about the middle.
    let scale = 0.1 * 0.025 * 0.3;
    // Without friction forces are central and all is kept to rounding.
    for hertz in [false, true] {
        let law = if hertz {
            ContactLaw::Hertz(Hertz {
                young: 1e7,
                shear: 1e7,
                damping_ratio: 0.2,
                friction: 0.0,
            })
        } else {
            law(1e5, 0.0)
        };
        let setup = crowd::<D>(law, 1e-5);
        let (system, _) = run(&setup);
        let links = system.summary().events.by_kind["insert-link"];
        assert!(links >= 8, "only {links} collisions");
        // At the last step: up to the end of the run a path is carried on as a parabola, which
        // keeps the angular momentum of grains in touch to the second order only.
        let (before, after) = (&setup.grains, system.grains_at(system.time()));
        let lost = (momentum(&after) - momentum(before)).norm();
        assert!(lost < 1e-15, "momentum {lost:e}");
        let turned = size::<D>(angular_momentum(&after) - angular_momentum(before));
        assert!(turned < 1e-12 * scale, "angular momentum {turned:e}");
    }
    // With friction: the tangential force acts on arms of a full radius each, while the centres
    // are nearer by the overlap, as in the thesis (eq. 5.10) and in LAMMPS's hooke/history. The
    // couple of overlap times tangential impulse that is left goes down as 1 / sqrt(k).
    let mut couples = Vec::new();
    for k in [1e4, 1e6] {
        let setup = crowd::<D>(law(k, 0.5), 1e-6);
        let system = run(&setup).0;
        let after = system.grains_at(system.time());
        let lost = (momentum(&after) - momentum(&setup.grains)).norm();
        assert!(lost < 1e-14, "momentum {lost:e}");
        let turned = angular_momentum(&after) - angular_momentum(&setup.grains);
        couples.push(size::<D>(turned) / scale);
    }
    assert!(couples[0] < 0.05 && couples[1] < 0.006, "{couples:?}");
}

#[test]
fn an_isolated_group_keeps_its_momenta() {
    isolated::<Planar>();
    isolated::<Spatial>();
}

/// The ledger closes to the second order of the step.
fn ledger<D: Integrate>() {
    let law = linear(1e5, 0.6e5, 40.0, 20.0, 0.5);
    let errors: Vec<f64> = [2e-5, 5e-6]
        .iter()
        .map(|&h| {
            let (system, _) = run(&crowd::<D>(law, h));
            let figures = system.summary().energy;
            assert!(figures.dissipated.damping > 0.0 && figures.dissipated.slip > 0.0);
            figures.balance_error
        })
        .collect();
    // 100 steps a contact leave 2e-4 of the energy that flowed, four times as many a sixteenth.
    assert!(errors[0] < 5e-4, "{errors:?}");
    assert!(errors[1] < errors[0] / 10.0, "{errors:?}");
}

#[test]
fn the_ledger_closes() {
    ledger::<Planar>();
    ledger::<Spatial>();
}

/// A scene in space, turned as a whole, moves as the scene turned at the end.
#[test]
fn no_direction_of_space_is_preferred() {
    let mut setup = crowd::<Spatial>(linear(1e5, 0.6e5, 40.0, 20.0, 0.5), 1e-5);
    setup.fields.gravity = Vector3::new(0.3, -9.0, 1.0);
    setup.run.end_time = 0.04;
    let want = run(&setup).0;
    assert!(want.summary().events.by_kind["insert-link"] >= 4);
    let want = want.grains_at(setup.run.end_time);
    let quarter = Rotation3::from_axis_angle(&Vector3::x_axis(), std::f64::consts::FRAC_PI_2);
    for turn in [quarter, Rotation3::from_euler_angles(0.3, -1.1, 2.0)] {
        let mut turned = setup.clone();
        turned.fields.gravity = turn * turned.fields.gravity;
        for g in &mut turned.grains {
            g.position = turn * g.position;
            g.velocity = turn * g.velocity;
            g.spin = turn * g.spin;
        }
        for (got, want) in end(&turned).iter().zip(&want) {
            // Rounding of 1e-17 m grows in each collision by way over radius, some tens each.
            let apart = (got.position - turn * want.position).norm();
            assert!(apart < 1e-12, "{apart:e}");
            let apart = (got.spin - turn * want.spin).norm();
            assert!(apart < 1e-8, "{apart:e}");
        }
    }
}

/// A planar scene stays planar in space. Disks and spheres have other inertias, so that only
/// what does not turn is the same: frictionless grains of equal masses, walls and gravity.
#[test]
fn a_planar_scene_moves_the_same_in_space() {
    for law in [
        linear(1e5, 0.0, 40.0, 0.0, 0.0),
        ContactLaw::Hertz(Hertz {
            young: 1e7,
            shear: 1e7,
            damping_ratio: 0.2,
            friction: 0.0,
        }),
    ] {
        let mut planar = crowd::<Planar>(law, 1e-5);
        planar.fields.gravity = Vector2::new(0.5, -9.81);
        let mut spatial: Setup<Spatial> = empty(law, 1e-5, planar.run.end_time);
        spatial.fields.gravity = Vector3::new(0.5, -9.81, 0.0);
        for g in &mut planar.grains {
            g.spin = 0.0;
            let x = Vector3::new(g.position.x, g.position.y, 0.0);
            let v = Vector3::new(g.velocity.x, g.velocity.y, 0.0);
            add(&mut spatial, g.radius, g.mass, x, v);
        }
        let normal = Vector2::new(0.1, 1.0);
        let point = Vector2::new(0.0, -0.06);
        wall(
            &mut planar,
            "slope",
            arenite::walls::Shape::Plane(shapes::Plane { point, normal }),
        );
        let normal = Vector3::new(0.1, 1.0, 0.0);
        let point = Vector3::new(0.0, -0.06, 0.0);
        wall(
            &mut spatial,
            "slope",
            arenite::walls::Shape::Plane(shapes::Plane { point, normal }),
        );
        let (flat, _) = run(&planar);
        assert!(flat.summary().events.by_kind["insert-link"] >= 8);
        for (flat, deep) in flat
            .grains_at(planar.run.end_time)
            .iter()
            .zip(end(&spatial))
        {
            assert_eq!(deep.position.z, 0.0);
            let apart = (deep.position.xy() - flat.position).norm();
            // The same operations but for the order of sums.
            assert!(apart < 1e-12, "{apart:e}");
        }
    }
}
