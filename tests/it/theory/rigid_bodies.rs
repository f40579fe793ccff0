//! Bonded grains that move as rigid bodies: against statics, against clumps and stepped bonds, and what has to be kept when they come apart.

use std::f64::consts::PI;

use arenite::cluster::bonds::{BondSight, sights};
use arenite::cluster::integrate::Integrate;
use arenite::event::EventKind;
use arenite::geometry::{Planar, Spatial, Vector};
use arenite::system::{EventLog, Setup, System};

use crate::support::{close, momenta, run, same_bits, up, written_planar, written_spatial};

const RADIUS: f64 = 0.01;
const DENSITY: f64 = 2500.0;

fn mass(dimension: usize, radius: f64) -> f64 {
    DENSITY
        * match dimension {
            2 => PI * radius * radius,
            _ => 4.0 / 3.0 * PI * radius.powi(3),
        }
}

/// A vector with components along x and up.
fn vector(dimension: usize, along: f64, up: f64) -> String {
    let mut all = vec![0.0; dimension];
    all[0] = along;
    all[dimension - 1] = up;
    format!("{all:?}")
}

/// A grain at a place in space (in the plane without the second coordinate), with a velocity and what else is written.
fn grain(dimension: usize, place: [f64; 3], velocity: [f64; 3], radius: f64, more: &str) -> String {
    let part = |all: [f64; 3]| match dimension {
        2 => format!("[{:?}, {:?}]", all[0], all[2]),
        _ => format!("{all:?}"),
    };
    format!(
        "{{ position = {}, velocity = {}, radius = {radius:?}{more} }},\n",
        part(place),
        part(velocity)
    )
}

/// Scenario of grains of rock above a floor of steel; `bond` has more keys of the bonds, `more` whole sections.
struct Scene {
    dimension: usize,
    grains: String,
    bond: String,
    gravity: f64,
    end: f64,
    friction: f64,
    damping: f64,
    run: String,
    more: String,
}

impl Scene {
    fn new(dimension: usize, grains: String, end: f64) -> Self {
        Scene {
            dimension,
            grains,
            bond: String::new(),
            gravity: 0.0,
            end,
            friction: 0.3,
            damping: 0.5,
            run: String::new(),
            more: String::new(),
        }
    }

    fn text(&self) -> String {
        let Scene {
            dimension,
            grains,
            bond,
            gravity,
            end,
            friction,
            damping,
            run,
            more,
        } = self;
        // In the plane masses are per metre.
        let scale = mass(*dimension, RADIUS) / mass(3, RADIUS);
        let [kn, kt] = [1e5, 5e4].map(|k: f64| k * scale);
        let damping = damping * scale;
        let law = format!(
            "linear = {{ normal_stiffness = {kn:?}, tangential_stiffness = {kt:?}, normal_damping = {damping:?}, tangential_damping = {:?}, friction = {friction:?} }}\n",
            0.4 * damping
        );
        format!(
            "name = \"bodies\"\ndimension = {dimension}\n[field]\ngravity = {}\n[run]\nend_time = {end:?}\n{run}\n\
             [log]\nseries = {:?}\nsnapshots = \"never\"\n[material.rock]\ndensity = {DENSITY}\n[material.steel]\n\
             [[law]]\nbetween = [\"rock\", \"rock\"]\n{law}[law.bond]\ngap = 1e-6\nbeam = {{ young = 2e8, poisson = 0.2, radius = 0.8 }}\n{bond}\n\
             [[law]]\nbetween = [\"rock\", \"steel\"]\n{law}{more}\n[[fill]]\nmaterial = \"rock\"\ngrains = [{grains}]\n",
            vector(*dimension, 0.0, -gravity),
            end / 20.0,
        )
    }

    /// The same with rigid bodies.
    fn rigid(mut self) -> Self {
        self.bond.insert_str(0, "rigid = \"always\"\n");
        self
    }
}

fn floor(dimension: usize) -> String {
    format!(
        "[[boundary]]\nname = \"floor\"\nmaterial = \"steel\"\nplane = {{ point = {}, normal = {} }}\n",
        vector(dimension, 0.0, 0.0),
        vector(dimension, 0.0, 1.0)
    )
}

/// A straight chain that spins about its middle.
fn whirl(dimension: usize, count: usize, spin: f64, height: f64) -> String {
    let about = match dimension {
        2 => format!(", spin = {spin:?}"),
        _ => format!(", spin = [0.0, {:?}, 0.0]", -spin),
    };
    (0..count)
        .map(|k| {
            let arm = 2.0 * RADIUS * (k as f64 - 0.5 * (count - 1) as f64);
            grain(
                dimension,
                [arm, 0.0, height],
                [0.0, 0.0, spin * arm],
                RADIUS,
                &about,
            )
        })
        .collect()
}

/// Tension of the bond after the grain `bond` of a chain that spins, by the masses beyond it.
fn tension_of_whirl(dimension: usize, count: usize, bond: usize, spin: f64) -> f64 {
    let arms = (bond + 1..count).map(|k| 2.0 * RADIUS * (k as f64 - 0.5 * (count - 1) as f64));
    mass(dimension, RADIUS) * spin * spin * arms.sum::<f64>()
}

/// Momentum, and angular momentum about the origin, of balls at the last evaluation.
fn momenta_now<D: Integrate>(system: &System<D>) -> (D::Vector, D::Spin) {
    let world = &system.dem().world;
    let arrays = &world.grains.arrays;
    let (mut linear, mut angular) = (D::Vector::default(), D::Spin::default());
    for slot in world.grains.own().map(|slot| slot as usize) {
        let state = world.state_at(slot, world.clock.time());
        let (mass, radius) = (1.0 / arrays.inverse_mass(slot), arrays.radius(slot));
        let inertia = radius / arrays.inverse_inertia(slot);
        linear += state.velocity * mass;
        angular += D::moment(state.position, state.velocity * mass);
        angular += D::spin_from_fn(|k| inertia * state.surface_spin[k]);
    }
    (linear, angular)
}

fn bonds_of<D: Integrate>(system: &System<D>) -> Vec<BondSight<D>> {
    sights(&system.dem().world).collect()
}

/// The bonds of a chain that spins bear what holds the masses beyond them on their circles; it turns by spin times time.
fn spins<D: Integrate>(written: impl Fn(&str) -> Setup<D>) {
    let (count, spin, end) = (5, 50.0, 0.05);
    let setup = written(
        &Scene::new(D::N, whirl(D::N, count, spin, 0.0), end)
            .rigid()
            .text(),
    );
    let (system, sink) = run(&setup);
    let bonds = bonds_of(&system);
    assert_eq!(bonds.len(), count - 1);
    for bond in &bonds {
        let first = bond.grains[0].min(bond.grains[1]) as usize;
        let wanted = tension_of_whirl(D::N, count, first, spin);
        close("tension", bond.load.tension / wanted, 1.0, 1e-12);
        assert!(bond.load.shear < 1e-12 * wanted && bond.load.bending < 1e-12 * wanted * RADIUS);
    }
    let grains = system.grains_at(end);
    let arm = grains[4].position - grains[0].position;
    close("turn", up::<D>(arm) / arm.norm(), (spin * end).sin(), 1e-5);
    close("length", arm.norm(), 8.0 * RADIUS, 1e-14);
    assert!(sink.series.iter().all(|row| row.balance_error < 1e-12));
}

#[test]
fn a_chain_that_spins_bears_what_statics_say() {
    spins::<Planar>(written_planar);
    spins::<Spatial>(written_spatial);
}

/// It breaks at the strength of its middle bonds, whose elastic energy is told, and its halves fly on.
fn bursts<D: Integrate>(written: impl Fn(&str) -> Setup<D>) {
    let (count, spin, end) = (6, 50.0, 0.02);
    let greatest = tension_of_whirl(D::N, count, 2, spin);
    for (strength, breaks) in [(1.0001, 0), (0.9999, 1)] {
        let mut scene = Scene::new(D::N, whirl(D::N, count, spin, 0.0), end).rigid();
        scene.bond += &format!("loads = {{ tension = {:?} }}\n", strength * greatest);
        let mut setup = written(&scene.text());
        setup.log.events = EventLog::Links;
        let (system, sink) = run(&setup);
        let events = sink.events.iter();
        let broken: Vec<_> = events
            .filter(|row| row.kind == EventKind::BreakBond)
            .collect();
        assert_eq!(broken.len(), breaks);
        let ((linear, angular), (_, before)) = (momenta_now(&system), momenta(&setup.grains));
        let size = |spin: D::Spin| D::spin_dot(spin, spin).sqrt();
        assert!(linear.norm() < 1e-14 * mass(D::N, RADIUS), "{linear:?}");
        close("angular momentum", size(angular) / size(before), 1.0, 1e-12);
        assert!(sink.series.iter().all(|row| row.balance_error < 1e-12));
        if breaks == 1 {
            // As bars; the middle one is stretched by the greatest tension.
            let section = match D::N {
                2 => 1.6 * RADIUS,
                _ => PI * 0.64 * RADIUS * RADIUS,
            };
            let stored = 0.5 * greatest * greatest / (2e8 * section / (2.0 * RADIUS));
            close("released", broken[0].energy / stored, 1.0, 1e-10);
            let bonds = bonds_of(&system);
            assert_eq!(bonds.len(), count - 2);
            // Each half spins on about its own centre.
            let wanted = tension_of_whirl(D::N, 3, 0, spin);
            close(
                "tension in a half",
                bonds[0].load.tension / wanted,
                1.0,
                1e-11,
            );
        }
    }
}

#[test]
fn a_chain_that_spins_breaks_at_its_strength() {
    bursts::<Planar>(written_planar);
    bursts::<Spatial>(written_spatial);
}

/// A chain that stands on its larger ends bends as a beam on two supports, by statics: exactly, whatever its stiffness.
fn bends<D: Integrate>(written: impl Fn(&str) -> Setup<D>) {
    let (count, gravity, end) = (9, 9.81, 0.6);
    let large = 1.2 * RADIUS;
    let mut x = 0.0;
    let mut places = Vec::new();
    let mut grains = String::new();
    for k in 0..count {
        let radius = if k == 0 || k == count - 1 {
            large
        } else {
            RADIUS
        };
        if k > 0 {
            x += radius + if k == 1 { large } else { RADIUS };
        }
        places.push((x, mass(D::N, radius) * gravity));
        grains += &grain(D::N, [x, 0.0, large], [0.0; 3], radius, "");
    }
    let mut scene = Scene::new(D::N, grains, end).rigid();
    (scene.gravity, scene.more, scene.damping) = (gravity, floor(D::N), 20.0);
    let (system, _) = run(&written(&scene.text()));
    let support = 0.5 * places.iter().map(|of| of.1).sum::<f64>();
    let bonds = bonds_of(&system);
    for bond in bonds {
        let first = bond.grains[0].min(bond.grains[1]) as usize;
        // What is left of each end of the bond.
        let moment = |at: f64| {
            let loads = places[..=first].iter().map(|(x, weight)| weight * (at - x));
            (support * (at - places[0].0) - loads.sum::<f64>()).abs()
        };
        let wanted = moment(places[first].0).max(moment(places[first + 1].0));
        let shear = (support - places[..=first].iter().map(|of| of.1).sum::<f64>()).abs();
        close("bending", bond.load.bending / wanted, 1.0, 1e-6);
        assert!((bond.load.shear - shear).abs() < 1e-6 * support, "{bond:?}");
    }
}

#[test]
fn a_chain_on_two_supports_bends_as_statics_say() {
    bends::<Planar>(written_planar);
    bends::<Spatial>(written_spatial);
}

/// Places of the grains of a body without symmetry, over the radius; in the plane of the first and the last coordinate.
fn bracket(dimension: usize) -> Vec<[f64; 3]> {
    let mut places = vec![
        [0.0, 0.0, 0.0],
        [2.0, 0.0, 0.0],
        [4.0, 0.0, 0.0],
        [0.0, 0.0, 2.0],
    ];
    if dimension == 3 {
        places.push([4.0, 2.0, 0.0]);
    }
    places
}

/// A body without symmetry that spins falls on a floor, as a clump of the same disks or spheres does.
fn twins<D: Integrate>(written: impl Fn(&str) -> Setup<D>, integrator: &str) {
    let (height, end) = (0.06, 0.12);
    let spin: [f64; 3] = match D::N {
        2 => [0.0, -20.0, 0.0],
        _ => [5.0, -20.0, 8.0],
    };
    let places = bracket(D::N);
    let centre: [f64; 3] = std::array::from_fn(|k| {
        places.iter().map(|place| place[k]).sum::<f64>() / places.len() as f64
    });
    let about = match D::N {
        2 => format!(", spin = {:?}", -spin[1]),
        _ => format!(", spin = {spin:?}"),
    };
    let grains: String = places
        .iter()
        .map(|place| {
            let arm: [f64; 3] = std::array::from_fn(|k| RADIUS * (place[k] - centre[k]));
            let velocity = std::array::from_fn(|k| {
                let (i, j) = ((k + 1) % 3, (k + 2) % 3);
                spin[i] * arm[j] - spin[j] * arm[i]
            });
            let at = [arm[0], arm[1], arm[2] + height];
            grain(D::N, at, velocity, RADIUS, &about)
        })
        .collect();
    let scene = |grains: String| {
        let mut scene = Scene::new(D::N, grains, end).rigid();
        (scene.gravity, scene.more) = (9.81, floor(D::N));
        // The same step for both.
        scene.run = format!("step = 5e-6\nflight = false\nintegrator = \"{integrator}\"\n");
        scene
    };
    let body = written(&scene(grains).text());
    let (system, sink) = run(&body);
    assert!(system.dem().book.counts.opened > 0, "it bounces");
    let worst = sink
        .series
        .iter()
        .map(|row| row.balance_error)
        .fold(0.0, f64::max);
    assert!(worst < 1e-4, "{worst:e}");
    // The clump is one grain; its parts are where the grains are.
    let kind = if D::N == 2 { "disks" } else { "spheres" };
    let parts: String = places
        .iter()
        .map(|place| {
            let arm: Vec<f64> = (0..3)
                .filter(|&k| D::N == 3 || k != 1)
                .map(|k| place[k] - centre[k])
                .collect();
            format!("{{ centre = {arm:?}, radius = 1.0 }},")
        })
        .collect();
    let mut text = scene(String::new()).text();
    let bond = text.find("[law.bond]").expect("bonds")
        ..text
            .find("[[law]]\nbetween = [\"rock\", \"steel\"]")
            .expect("a law");
    text.replace_range(bond, "");
    let fill = text.find("[[fill]]").expect("a fill");
    text.truncate(fill);
    // The radius of a clump is that of the circle or sphere around it.
    let far = places.iter().map(|place| {
        let square: f64 = (0..3).map(|k| (place[k] - centre[k]).powi(2)).sum();
        square.sqrt() + 1.0
    });
    let around = RADIUS * far.fold(0.0, f64::max);
    text += &format!(
        "[shape.bracket]\n{kind} = [{parts}]\n[[fill]]\nmaterial = \"rock\"\nshape = \"bracket\"\ngrains = ["
    );
    text += &grain(D::N, [0.0, 0.0, height], [0.0; 3], around, &about);
    text += "]\n";
    let (clump, _) = run(&written(&text));
    // At the last evaluation; the clump has the first slot, its parts have the next ones.
    let (body, clump) = (&system.dem().world, &clump.dem().world);
    assert_eq!(body.clock.n, clump.clock.n);
    let spin = |spin: [f64; 3], radius: f64| D::Vector::from_fn(|k| spin[k] / radius);
    for slot in 1..=places.len() {
        let (own, part) = (&body.grains.arrays, &clump.grains.arrays);
        let off = (own.position(slot) - part.position(slot + 1)).norm();
        // In space a clump turns by another method.
        assert!(off < 1e-7 * RADIUS, "off by {off:e} m");
        let off = spin(D::surface_spin(own, slot), RADIUS)
            - spin(D::surface_spin(part, slot + 1), RADIUS);
        assert!(off.norm() < 1e-5, "{off:?}");
    }
}

#[test]
fn a_body_bounces_as_a_clump() {
    for integrator in ["verlet", "midpoint"] {
        twins::<Planar>(written_planar, integrator);
        twins::<Spatial>(written_spatial, integrator);
    }
}

/// Two rows of grains that hit each other in empty space and break: momentum and angular momentum are kept to rounding, energy by the books.
fn collides<D: Integrate>(written: impl Fn(&str) -> Setup<D>) {
    let mut grains = String::new();
    for row in 0..2 {
        for k in 0..6 {
            for level in 0..2 {
                let (x, z) = (2.0 * RADIUS * k as f64, 2.0 * RADIUS * level as f64);
                let above = if row == 0 { 0.0 } else { 4.2 * RADIUS };
                let speed = if row == 0 { 0.0 } else { -3.0 };
                let along = if row == 0 { 0.0 } else { 0.06 };
                grains += &grain(
                    D::N,
                    [x + along, 0.0, z + above],
                    [0.0, 0.0, speed],
                    RADIUS,
                    "",
                );
            }
        }
    }
    let mut scene = Scene::new(D::N, grains, 0.02).rigid();
    // With friction the arms of contacts are the radii, longer than the distance to the point of contact.
    scene.friction = 0.0;
    scene.bond += "strength = { tension = 1e5, shear = 1e5 }\nscatter = { weibull = 5.0 }\n";
    let setup = written(&scene.text());
    let (system, sink) = run(&setup);
    let last = sink.series.last().and_then(|row| row.bonds).expect("bonds");
    assert!(last.torn + last.sheared > 3 && last.holding > 3, "{last:?}");
    assert_eq!(last.holding + last.torn + last.sheared, last.formed);
    assert_eq!(bonds_of(&system).len() as u64, last.holding);
    let ((p, l), (p0, l0)) = (momenta_now(&system), momenta(&setup.grains));
    assert!((p - p0).norm() < 1e-12 * p0.norm(), "{p:?} {p0:?}");
    let change = l - l0;
    let size = |spin: D::Spin| D::spin_dot(spin, spin).sqrt();
    assert!(size(change) < 1e-11 * size(l0), "{l:?} {l0:?}");
    let energy = system.summary().energy;
    assert!(
        energy.balance_error_max < 1e-3,
        "{:e}",
        energy.balance_error_max
    );
    let counts = system.dem().world.grains.rigid.counts;
    assert!(
        counts.divided > 0 && counts.solved < counts.screened,
        "{counts:?}"
    );
    same_bits(&setup, "bodies that break");
}

#[test]
fn bodies_that_break_keep_momentum() {
    collides::<Planar>(written_planar);
    collides::<Spatial>(written_spatial);
}

/// A body that goes through a periodic border spins and breaks as one that does not.
fn crosses<D: Integrate>(written: impl Fn(&str) -> Setup<D>) {
    let (count, spin, end) = (5, 40.0, 0.05);
    let scene = |shift: f64, drift: f64, more: &str| {
        let about = match D::N {
            2 => format!(", spin = {spin:?}"),
            _ => format!(", spin = [0.0, {:?}, 0.0]", -spin),
        };
        let grains = (0..count)
            .map(|k| {
                let arm = 2.0 * RADIUS * (k as f64 - 2.0);
                let x = if more.is_empty() {
                    arm + shift
                } else {
                    (arm + shift).rem_euclid(0.15)
                };
                grain(
                    D::N,
                    [x, 0.0, 0.0],
                    [drift, 0.0, spin * arm],
                    RADIUS,
                    &about,
                )
            })
            .collect();
        let mut scene = Scene::new(D::N, grains, end).rigid();
        scene.more = more.into();
        written(&scene.text())
    };
    let box_of = "[periodic]\nx = [0.0, 0.15]\n";
    // It forms across the border, and leaves the box altogether.
    let (open, _) = run(&scene(0.14, 3.5, ""));
    let (wrapped, _) = run(&scene(0.14, 3.5, box_of));
    let (free, boxed) = (open.grains_at(end), wrapped.grains_at(end));
    for (one, other) in free.iter().zip(&boxed) {
        let d = one.position - other.position;
        let turns = (d[0] / 0.15).round();
        assert!((d[0] - 0.15 * turns).abs() < 1e-12 && turns != 0.0, "{d:?}");
        assert!((0.0..=0.15).contains(&other.position[0]));
        assert!((up::<D>(one.position) - up::<D>(other.position)).abs() < 1e-12);
    }
    let bonds = bonds_of(&wrapped);
    for (bond, other) in bonds.iter().zip(bonds_of(&open)) {
        close(
            "tension",
            bond.load.tension / other.load.tension,
            1.0,
            1e-10,
        );
    }
}

#[test]
fn bodies_go_through_periodic_borders() {
    crosses::<Planar>(written_planar);
    crosses::<Spatial>(written_spatial);
}

/// In a viscous fluid a straight chain that drifts slows down as each of its grains would by itself.
fn drifts<D: Integrate>(written: impl Fn(&str) -> Setup<D>) {
    let end = 0.5;
    let mut grains: String = (0..4)
        .map(|k| {
            grain(
                D::N,
                [2.0 * RADIUS * f64::from(k), 0.0, 0.0],
                [0.0, 0.0, 0.3],
                RADIUS,
                "",
            )
        })
        .collect();
    grains += &grain(D::N, [0.2, 0.0, 0.0], [0.0, 0.0, 0.3], RADIUS, "");
    let mut scene = Scene::new(D::N, grains, end).rigid();
    // Paths in flight have an error of their own.
    scene.run = "flight = false\n".into();
    let drag = format!("[field]\ndrag = {:?}\n", 5.0 * mass(D::N, RADIUS));
    let text = scene.text().replace("[field]\n", &drag);
    let (system, sink) = run(&written(&text));
    let grains = system.grains_at(end);
    let alone = up::<D>(grains[4].velocity);
    assert!(alone < 0.1 && alone > 0.01, "{alone}");
    for grain in &grains[..4] {
        close("velocity", up::<D>(grain.velocity) / alone, 1.0, 1e-12);
    }
    assert!(sink.series.iter().all(|row| row.balance_error < 1e-6));
    let is_member = |slot: u32| system.dem().world.grains.rigid.of(slot).is_some();
    assert!((1..5).all(is_member) && !is_member(5));
}

#[test]
fn drag_acts_on_each_member() {
    drifts::<Planar>(written_planar);
    drifts::<Spatial>(written_spatial);
}
