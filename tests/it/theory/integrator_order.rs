//! Order of the integrators, seen by halving steps.

use arenite::body::{Ball, Clump, Formed, ShapeTemplate};
use arenite::cluster::integrate::Integrate;
use arenite::geometry::{Dimension, Planar, Spatial, Vector};
use arenite::system::{IntegratorName, Setup};

use crate::support::*;

/// Two grains in a heap that stay in touch with each other and with a floor, swing under tilted
/// gravity, damped, their tangential springs held by friction that never slips.
fn heap<D: Integrate>(integrator: IntegratorName, step: f64, speed: f64) -> Setup<D> {
    let k = 1e5;
    let mut setup: Setup<D> = empty(linear(k, 0.5 * k, 10.0, 8.0, 1e6), step, 0.016);
    setup.motion.integrator = integrator;
    setup.fields.gravity = place::<D>(2.0, -9.81);
    floor(&mut setup);
    let (radius, mass) = (0.01, 0.1);
    let sink = 2.0 * mass * 9.81 / k;
    // Deep enough in touch to stay so.
    add(
        &mut setup,
        radius,
        mass,
        place::<D>(0.0, radius - 1.1 * sink),
        D::Vector::default(),
    );
    let (sine, cosine) = 0.3f64.sin_cos();
    let apart = 2.0 * radius - 0.6 * sink;
    let x = place::<D>(apart * sine, radius - 1.1 * sink + apart * cosine);
    add(&mut setup, radius, mass, x, place::<D>(speed, 0.0));
    for grain in &mut setup.grains {
        // In the plane of motion: turns about one axis add up.
        grain.spin = D::spin_from_fn(|k| {
            if k == D::SPINS / 2 {
                speed / radius
            } else {
                0.0
            }
        });
    }
    setup
}

/// How far apart the ends of a small cross are that was turned both ways, m.
fn turned<D: Dimension>(a: D::Rotation, b: D::Rotation) -> f64 {
    let ends = (0..D::N).map(|axis| {
        let end = D::Vector::from_fn(|k| if k == axis { 0.01 } else { 0.0 });
        (D::rotate(a, end) - D::rotate(b, end)).norm()
    });
    ends.sum()
}

/// Distance of the final states of two runs, m (velocities count by milliseconds).
fn distance<D: Dimension>(a: &[arenite::body::Grain<D>], b: &[arenite::body::Grain<D>]) -> f64 {
    a.iter()
        .zip(b)
        .map(|(a, b)| {
            (a.position - b.position).norm()
                + 1e-3 * (a.velocity - b.velocity).norm()
                + turned::<D>(a.rotation, b.rotation)
                + 1e-5 * D::spin_dot(a.spin - b.spin, a.spin - b.spin).sqrt()
        })
        .sum()
}

/// Orders seen between consecutive halvings, from differences of consecutive runs.
fn orders<D: Integrate>(setup: impl Fn(f64) -> Setup<D>, first: f64, halvings: usize) -> Vec<f64> {
    let ends: Vec<_> = (0..halvings)
        .map(|k| end(&setup(first / f64::from(1 << k))))
        .collect();
    let gaps: Vec<f64> = ends.windows(2).map(|p| distance(&p[0], &p[1])).collect();
    gaps.windows(2).map(|g| (g[0] / g[1]).log2()).collect()
}

/// Without events the orders are clean: 2.00 to 2.02 and 1.00 to 1.05 at these steps.
fn smooth<D: Integrate>() {
    use IntegratorName::{Euler, Heun, Midpoint, Verlet};
    // At rest, and with links that are loaded from time 0 on.
    for (speed, first) in [(0.0, 4e-5), (0.01, 1e-5)] {
        for integrator in [Verlet, Midpoint, Heun] {
            for order in orders::<D>(|h| heap(integrator, h, speed), first, 5) {
                close(&format!("order of {integrator:?}"), order, 2.0, 0.05);
            }
        }
        for order in orders::<D>(|h| heap(Euler, h, speed), first, 5) {
            close("order of Euler", order, 1.0, 0.1);
        }
    }
}

#[test]
fn orders_without_events() {
    smooth::<Planar>();
    smooth::<Spatial>();
}

/// Two grains that meet aslant, slide on one another and part.
fn meeting<D: Integrate>(integrator: IntegratorName, step: f64) -> Setup<D> {
    let mut setup: Setup<D> = empty(linear(1e5, 0.7e5, 12.0, 5.0, 0.3), step, 0.02);
    setup.motion.integrator = integrator;
    setup.motion.flight = false;
    add(
        &mut setup,
        0.01,
        0.1,
        place::<D>(-0.0103, 0.0),
        place::<D>(0.3, 0.1),
    )
    .spin = D::spin_from_fn(|k| 20.0 - 9.0 * k as f64);
    add(
        &mut setup,
        0.008,
        0.07,
        place::<D>(0.0083, 0.004),
        place::<D>(-0.4, 0.0),
    );
    setup
}

/// Contacts that begin, slip, grip and end amid steps keep the second order: a link's first
/// partial step is integrated from its moment of contact, and forces are continuous where slip
/// begins or ends, so that what is missed there is a step squared. The moment's place in the step
/// makes single halvings uneven (1.2 to 2.9 measured); over seven of them the mean is 1.9 to 2.3.
#[test]
fn orders_with_contacts_that_begin_slip_and_end() {
    use IntegratorName::{Euler, Heun, Midpoint, Verlet};
    let mean = |orders: Vec<f64>| orders.iter().sum::<f64>() / orders.len() as f64;
    for integrator in [Verlet, Midpoint, Heun] {
        let planar = mean(orders::<Planar>(|h| meeting(integrator, h), 2e-5, 9));
        let spatial = mean(orders::<Spatial>(|h| meeting(integrator, h), 2e-5, 9));
        for order in [planar, spatial] {
            assert!((1.8..2.6).contains(&order), "{integrator:?}: {order}");
        }
    }
    let planar = mean(orders::<Planar>(|h| meeting(Euler, h), 2e-5, 8));
    close("order of Euler", planar, 1.0, 0.1);
}

/// A crooked clump on feet.
fn crooked<D: Formed>() -> ShapeTemplate<D> {
    let mut centres = vec![[-1.0, 0.0, 0.0], [1.3, 0.0, 0.0], [-0.4, 0.0, 1.1]];
    if D::N == 3 {
        centres.extend([[0.2, 1.5, 0.0], [0.9, 0.5, 0.8]]);
    }
    let ball = |centre: [f64; 3]| Ball {
        centre: D::Vector::from_fn(|k| centre[if k + 1 == D::N { 2 } else { k }]),
        radius: 0.5,
    };
    D::clump(
        "crooked",
        &Clump::new(centres.into_iter().map(ball).collect()).unwrap(),
    )
    .unwrap()
}

/// A clump that rocks on its feet, none of which lifts off or slips, under tilted gravity.
fn rocking<D: Formed + Integrate>(integrator: IntegratorName, step: f64) -> Setup<D> {
    // At rest, so that springs start as they are at time 0.
    let (k, radius, mass) = (1e5, 0.02, 0.15);
    let mut setup: Setup<D> = empty(linear(k, 0.4 * k, 6.0, 4.0, 1e6), step, 0.012);
    setup.motion.integrator = integrator;
    setup.motion.flight = false;
    setup.fields.gravity = place::<D>(1.2, -9.81);
    floor(&mut setup);
    let form = crooked::<D>();
    let unit = radius / form.reach;
    let sink = mass * 9.81 / (D::N as f64 * k);
    let height = unit * (up::<D>(form.centroid) + 0.5) - 1.6 * sink;
    let (inertia, axes) = (form.inertia, form.axes);
    setup.matter.forms.push(form);
    let grain = add(
        &mut setup,
        radius,
        mass,
        place::<D>(0.0, height),
        D::Vector::default(),
    );
    (grain.form, grain.inertia, grain.rotation) = (Some(0), inertia, axes);
    setup
}

/// The same of a clump that spins freely and of none that is touched.
fn tumbling<D: Formed + Integrate>(integrator: IntegratorName, step: f64) -> Setup<D> {
    let mut setup = rocking::<D>(integrator, step);
    setup
        .matter
        .laws
        .set(0, 0, linear(100.0, 0.0, 0.0, 0.0, 0.0));
    setup.run.end_time = 0.1;
    setup.grains[0].position = place::<D>(0.0, 1.0);
    setup.grains[0].spin = D::spin_from_fn(|k| [40.0, 35.0, 50.0][k]);
    setup
}

/// All that is of the second order is so for clumps too.
fn of_clumps<D: Formed + Integrate>() {
    use IntegratorName::{Euler, Heun, Midpoint, Verlet};
    for integrator in [Verlet, Midpoint, Heun] {
        let seen = orders::<D>(|h| rocking(integrator, h), 4e-5, 5);
        println!("{}D {integrator:?}: {seen:.3?}", D::N);
        let links = run(&rocking::<D>(integrator, 1e-5))
            .0
            .summary()
            .events
            .by_kind;
        assert!(
            !links.contains_key("remove-link"),
            "no foot lifts off: {links:?}"
        );
        for order in seen {
            close(
                &format!("{}D order of {integrator:?}", D::N),
                order,
                2.0,
                0.1,
            );
        }
    }
    for order in orders::<D>(|h| rocking(Euler, h), 1e-5, 5) {
        close(&format!("{}D order of Euler", D::N), order, 1.0, 0.15);
    }
}

#[test]
fn orders_of_clumps() {
    of_clumps::<Planar>();
    of_clumps::<Spatial>();
}

/// What spins freely turns by the same angle whatever the integrator, to the second order of the step at least.
#[test]
fn clumps_spin_freely_alike() {
    use IntegratorName::{Heun, Midpoint, Verlet};
    let exact = end(&tumbling::<Spatial>(Verlet, 1e-5))[0];
    for integrator in [Verlet, Midpoint, Heun] {
        let off = [4e-4, 2e-4].map(|step| {
            let end = end(&tumbling::<Spatial>(integrator, step))[0];
            turned::<Spatial>(end.rotation, exact.rotation)
        });
        println!("{integrator:?}: {off:?}");
        assert!(
            off[1] < 1e-9 || off[1] < 0.3 * off[0],
            "{integrator:?}: {off:?}"
        );
    }
}
