//! Mixed runs: flyers that collide at once, clusters and rest side by side.
//!
//! References: the same contacts followed step by step; a bouncing ball's sum of a geometric series;
//! laws of conservation. A collision at once is off by what moves during the contact, which is told as
//! a share of the size of the grains (`collision_way`): tolerances are multiples of that.

use arenite::body::Grain;
use arenite::cluster::integrate::Integrate;
use arenite::contact::ContactLaw;
use arenite::event::EventKind;
use arenite::geometry::{Planar, Spatial, Vector};
use arenite::record::MemorySink;
use arenite::system::{EventLog, PeriodicAxis, Setup, System};
use arenite::walls::shapes;
use arenite::walls::{Motion, Shape};

use crate::support::*;

/// A linear law of a restitution for an effective mass, with or without friction.
fn law(stiffness: f64, mass: f64, restitution: f64, friction: f64) -> ContactLaw {
    // Damping ratio of a contact that ends when its force does (Schwager and Poeschel 2007), by
    // halving.
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if arenite::contact::restitution(middle) > restitution {
            low = middle;
        } else {
            high = middle;
        }
    }
    let damping = 2.0 * low * (stiffness * mass).sqrt();
    let rough = if friction > 0.0 { 1.0 } else { 0.0 };
    linear(
        stiffness,
        rough * 0.8 * stiffness,
        damping,
        rough * 0.5 * damping,
        friction,
    )
}

/// Two grains that meet off centre, spinning; the second in place of the first is a wall.
fn meeting<D: Integrate>(friction: f64, wall: bool) -> Setup<D> {
    let (mass, radius) = (0.1, 0.01);
    let effective = if wall { mass } else { 0.5 * mass };
    // Contacts of 1.4e-5 s at 1 m/s: a way of some thousandths of the radii.
    let stiffness = 1e9;
    let mut setup: Setup<D> = empty(law(stiffness, effective, 0.7, friction), 1e-7, 0.05);
    setup.motion.collisions = Some(0.05);
    setup.motion.stable_dwell = 1e-4;
    let spins = [3.0, -2.0, 4.0];
    let spin = |sign: f64| D::spin_from_fn(|k| sign * 10.0 * spins[k]);
    if wall {
        floor(&mut setup);
        let x = place::<D>(0.0, 0.02);
        let v = D::Vector::from_fn(|k| if k == D::N - 1 { -1.0 } else { 0.3 });
        add(&mut setup, radius, mass, x, v).spin = spin(1.0);
    } else {
        let at = place::<D>(-0.02, 0.006);
        add(&mut setup, radius, mass, at, place::<D>(1.0, 0.1)).spin = spin(1.0);
        let x = D::Vector::from_fn(|k| if k == 1 { 0.003 } else { 0.02 });
        let x = if D::N == 3 { x } else { place::<D>(0.02, 0.0) };
        add(&mut setup, radius, mass, x, place::<D>(-0.5, 0.0)).spin = spin(-0.5);
    }
    setup
}

/// The same grains at the end, with collisions at once and step by step.
fn both<D: Integrate>(setup: &Setup<D>) -> [Vec<Grain<D>>; 2] {
    let mut stepped = setup.clone();
    stepped.motion.collisions = None;
    let (system, _) = run(setup);
    let summary = system.summary();
    assert_eq!(summary.work.collisions, 1);
    assert_eq!(summary.work.grain_steps, 0, "nobody is stepped");
    assert!(summary.energy.balance_error < 1e-13);
    [system.grains_at(setup.run.end_time), end(&stepped)]
}

/// A collision at once has the outcome of the contact followed step by step. Its normal does not turn
/// meanwhile: with ways of 4e-3 of the reach and friction angles and sliding of order 1 velocities
/// are off by a quarter of that at most, of 1 m/s.
fn outcome<D: Integrate>() {
    for (friction, wall) in [(0.0, false), (0.0, true), (0.3, false), (0.3, true)] {
        let setup = meeting::<D>(friction, wall);
        let [hard, stepped] = both(&setup);
        for (a, b) in hard.iter().zip(&stepped) {
            let what = format!("{}-D, friction {friction}, wall {wall}", D::N);
            let apart = (a.velocity - b.velocity).norm();
            assert!(apart < 1e-3, "{what}: velocities differ by {apart:e}");
            let turn = a.spin - b.spin;
            let apart = D::spin_dot(turn, turn).sqrt() * a.radius;
            assert!(apart < 1e-3, "{what}: surface speeds differ by {apart:e}");
            // In front by what it goes in the contact, 2e-5 s at 2 m/s, and by the above in 0.05 s.
            let apart = (a.position - b.position).norm();
            assert!(apart < 4e-5 + 1e-3 * 0.05, "{what}: {apart:e} m apart");
        }
    }
}

#[test]
fn a_collision_has_the_outcome_of_the_contact() {
    outcome::<Planar>();
    outcome::<Spatial>();
}

/// The error of the outcome falls with the way: stiffer by 100, shorter by 10.
#[test]
fn stiffer_pairs_differ_less() {
    let off = |stiffness: f64| {
        let mut setup = meeting::<Planar>(0.3, false);
        setup.matter.laws.set(0, 0, law(stiffness, 0.05, 0.7, 0.3));
        setup.motion.step = Some(1e-7 * (1e9 / stiffness).sqrt());
        let [hard, stepped] = both(&setup);
        let apart = |(a, b): (&Grain<Planar>, &Grain<Planar>)| (a.velocity - b.velocity).norm();
        hard.iter().zip(&stepped).map(apart).fold(0.0, f64::max)
    };
    let (soft, hard) = (off(1e8), off(1e10));
    assert!(hard < 0.2 * soft, "{soft:e} m/s, then {hard:e}");
    assert!(soft > 1e-5, "there is something to see: {soft:e}");
}

/// Momentum and angular momentum of a pair pass through a collision to rounding, and what the ledger
/// loses is what the kinetic energy does.
fn conserved<D: Integrate>() {
    let setup = meeting::<D>(0.3, false);
    let (system, _) = run(&setup);
    let momentum = |grains: &[Grain<D>]| {
        let each = grains.iter().map(|g| g.velocity * g.mass);
        each.fold(D::Vector::default(), |sum, p| sum + p)
    };
    let angular = |grains: &[Grain<D>]| {
        let each = grains
            .iter()
            .map(|g| D::moment(g.position, g.velocity * g.mass) + g.spin * g.moment_of_inertia());
        each.fold(D::Spin::default(), |sum, l| sum + l)
    };
    let after = system.grains_at(setup.run.end_time);
    let apart = (momentum(&after) - momentum(&setup.grains)).norm();
    assert!(apart < 1e-16, "{apart:e} kg m/s of 0.05");
    let apart = angular(&after) - angular(&setup.grains);
    // Sums of 1e-3 kg m^2/s rounded a few times.
    assert!(D::spin_dot(apart, apart).sqrt() < 1e-17);
    let energy = system.summary().energy;
    let lost = kinetic(&setup.grains) - kinetic(&after);
    close("lost", energy.dissipated.collision, lost, 1e-15);
    assert!(lost > 0.0 && energy.dissipated.damping == 0.0 && energy.dissipated.slip == 0.0);
}

#[test]
fn momentum_and_energy_are_kept() {
    conserved::<Planar>();
    conserved::<Spatial>();
}

/// A bouncing ball comes to rest where and when the geometric series of its flights says:
/// t = sqrt(2 h / g) (1 + e) / (1 - e).
fn bounces<D: Integrate>(restitution: f64) {
    let (mass, radius, g, height) = (0.1, 0.01, 9.81, 0.5f64);
    let stiffness = 1e9;
    let fall = (2.0 * height / g).sqrt();
    let rest = fall * (1.0 + restitution) / (1.0 - restitution);
    let mut setup: Setup<D> = empty(law(stiffness, mass, restitution, 0.0), 2.5e-7, rest + 0.05);
    setup.fields.gravity = place::<D>(0.0, -g);
    setup.motion.collisions = Some(0.03);
    setup.motion.stable_dwell = 3e-4;
    setup.log.events = EventLog::Links;
    floor(&mut setup);
    let at = place::<D>(0.0, radius + height);
    add(&mut setup, radius, mass, at, D::Vector::default());
    let (system, sink) = run(&setup);
    let of = |kind| sink.events.iter().filter(move |row| row.kind == kind);
    // Each bounce has the restitution of the law.
    let mut speed = g * fall;
    let mut time = fall;
    let hits: Vec<f64> = of(EventKind::Collision).map(|row| row.time).collect();
    for (n, hit) in hits.iter().enumerate() {
        close(&format!("bounce {n}"), *hit, time, 1e-12);
        speed *= restitution;
        time += 2.0 * speed / g;
    }
    // Contacts take tc = pi sqrt(m / k) = 3.1e-5 s and are done at once down to where gravity gives 3 %
    // of the approach meanwhile, tc g / 0.03 = 1.0e-2 m/s, 3 times the last of which here.
    let contact = std::f64::consts::PI * (mass / stiffness).sqrt();
    let last = contact * g / 0.03;
    let many = ((g * fall / last).ln() / -restitution.ln()).floor() as usize + 1;
    assert_eq!(hits.len(), many, "bounces in flight");
    // What is left is followed step by step, in finitely many events.
    let links = of(EventKind::InsertLink).count();
    let most = ((last / (contact * g)).ln() / -restitution.ln()) as usize + 12;
    assert!(links > 1 && links < most, "{links} links, {most} at most");
    assert!(sink.events.len() < 4 * most + many, "{}", sink.events.len());
    // Each contact that is followed takes its time, and while it lasts gravity pulls: the last bounces
    // are each later by some contact times and their law wears off. Nothing moves any more by the sum of
    // the series and two contact times for each of the links.
    let stopped = of(EventKind::StabilizeLink).map(|row| row.time).next_back();
    let stopped = stopped.expect("it comes to rest");
    let late = stopped - rest;
    let allowed = 2.0 * contact * links as f64 + setup.motion.stable_dwell * 3.0;
    assert!(
        late.abs() < allowed,
        "at rest {late:e} s late, {allowed:e} allowed"
    );
    let ball = system.grains_at(setup.run.end_time)[0];
    let sunk = mass * g / stiffness;
    // On the floor, to rounding, under its weight.
    close("height", up::<D>(ball.position), radius - sunk, 1e-12);
    assert!(ball.velocity.norm() < 1e-6, "{}", ball.velocity.norm());
    let summary = system.summary();
    assert!(summary.energy.balance_error < 1e-4);
    close(
        "energy",
        summary.energy.dissipated.collision + summary.energy.dissipated.damping,
        mass * g * height,
        1e-6,
    );
}

#[test]
fn a_bouncing_ball_comes_to_rest() {
    bounces::<Planar>(0.5);
    bounces::<Spatial>(0.8);
}

/// On a wall that moves up and down by a harmonic law: the same collisions as step by step, to the
/// way, and the work of the wall closes the ledger.
#[test]
fn moving_walls_feed_their_work() {
    let (mass, radius) = (0.1, 0.01);
    let mut setup: Setup<Spatial> = empty(law(1e9, mass, 0.8, 0.3), 2.5e-7, 0.7);
    setup.fields.gravity = place::<Spatial>(0.0, -9.81);
    setup.motion.collisions = Some(0.05);
    setup.motion.stable_dwell = 3e-4;
    floor(&mut setup).motion = Motion::Harmonic {
        amplitude: place::<Spatial>(0.0, 0.002),
        frequency: 20.0,
        phase: 0.3,
    };
    let at = place::<Spatial>(0.0, radius + 0.05);
    add(&mut setup, radius, mass, at, place::<Spatial>(0.2, 0.0));
    let mut stepped = setup.clone();
    stepped.motion.collisions = None;
    let (a, b) = (run(&setup).0, run(&stepped).0);
    let (first, second) = (a.summary(), b.summary());
    assert!(first.work.collisions >= 2, "{}", first.work.collisions);
    assert!(
        first.energy.balance_error < 1e-10,
        "{}",
        first.energy.balance_error
    );
    let (work, other) = (first.energy.injected, second.energy.injected);
    assert!(other.abs() > 1e-3);
    close("work of the wall", work, other, 0.03 * other.abs());
    let (p, q) = (a.grains_at(0.7)[0], b.grains_at(0.7)[0]);
    assert!(
        (p.velocity - q.velocity).norm() < 0.03,
        "{} {}",
        p.velocity,
        q.velocity
    );
}

/// A cooling gas in the plane.
fn gas(restitution: f64, friction: f64, walls: bool) -> Setup<Planar> {
    let (mass, radius, side) = (0.1, 0.005, 15usize);
    let length = side as f64 * 0.03;
    let mut setup: Setup<Planar> = empty(law(1e9, 0.5 * mass, restitution, friction), 2e-7, 0.5);
    setup.motion.collisions = Some(0.05);
    setup.motion.stable_dwell = 2e-4;
    let mut dice = Dice(7);
    for row in 0..side {
        for column in 0..side {
            let shake = dice.vector::<Planar>(-0.009, 0.009);
            let at = place::<Planar>(0.015 + 0.03 * row as f64, 0.015 + 0.03 * column as f64);
            let v = dice.vector::<Planar>(-1.0, 1.0);
            add(&mut setup, radius, mass, at + shake, v);
        }
    }
    if walls {
        let shape = Shape::Box(shapes::Cuboid {
            min: place::<Planar>(0.0, 0.0),
            max: place::<Planar>(length, length),
            inside: true,
        });
        wall(&mut setup, "box", shape);
    } else {
        setup.space.periodic = vec![
            Some(PeriodicAxis {
                origin: 0.0,
                length
            });
            2
        ];
    }
    setup
}

/// A gas cools alike with collisions at once and step by step.
#[test]
fn a_gas_cools_alike() {
    for walls in [true, false] {
        let setup = gas(0.9, 0.2, walls);
        let mut stepped = setup.clone();
        stepped.motion.collisions = None;
        let (first, second) = (run(&setup).0, run(&stepped).0);
        let (a, b) = (first.summary(), second.summary());
        let start = kinetic(&setup.grains);
        assert!(a.work.collisions > 700, "{}", a.work.collisions);
        assert!(a.regimes.flight > 0.99, "{}", a.regimes.flight);
        let errors = [a.energy.balance_error, b.energy.balance_error];
        assert!(errors[0] < 1e-4 && errors[1] < 1e-3, "{errors:?}");
        let (left, other) = (a.energy.kinetic / start, b.energy.kinetic / start);
        assert!(other < 0.5, "it cools: {other}");
        // Two gases of 225 disks whose paths part after some collisions: the loss of n = 900
        // collisions each with a spread of its own size is told to 1 / sqrt(n) = 3.3 %; a little over two
        // of these.
        let (lost, other) = (1.0 - left, 1.0 - other);
        assert!(
            (lost / other - 1.0).abs() < 0.08,
            "walls {walls}: lost {lost}, step by step {other}"
        );
        if !walls {
            // Momentum to the rounding of some thousand collisions of 0.1 kg m/s.
            let grains = first.grains_at(setup.run.end_time);
            let sum = |grains: &[Grain<Planar>]| {
                let each = grains.iter().map(|g| g.velocity * g.mass);
                each.fold(place::<Planar>(0.0, 0.0), |sum, p| sum + p)
            };
            let apart = (sum(&grains) - sum(&setup.grains)).norm();
            assert!(apart < 1e-10, "{apart:e}");
        }
    }
}

/// Without loss nothing is lost, and nobody is stepped but those that meet three at once.
#[test]
fn an_elastic_gas_keeps_its_energy() {
    let setup = gas(1.0, 0.0, true);
    let (system, _) = run(&setup);
    let summary = system.summary();
    let start = kinetic(&setup.grains);
    assert!(
        summary.work.collisions > 1_500,
        "{}",
        summary.work.collisions
    );
    assert!(summary.energy.dissipated.collision.abs() < 1e-12 * start);
    // What is stepped has the error of the steps, 1e-4 of what goes through such contacts.
    close("energy", summary.energy.kinetic, start, 1e-4 * start);
    let overlap = system
        .grains_at(setup.run.end_time)
        .iter()
        .enumerate()
        .flat_map(|(n, a)| {
            let grains = system.grains_at(setup.run.end_time);
            grains[..n]
                .iter()
                .map(|b| a.radius + b.radius - (a.position - b.position).norm())
                .collect::<Vec<_>>()
        })
        .fold(f64::NEG_INFINITY, f64::max);
    assert!(overlap < 2e-5, "nobody is inside of another: {overlap:e}");
}

/// Rain onto a floor: all there is at once.
fn shower() -> Setup<Planar> {
    planar(
        "rain",
        &[
            "run.end_time=0.6",
            "log.snapshots=never",
            "log.checkpoint=0.2",
        ],
    )
}

/// Rain onto a pile: flight with collisions, clusters and rest at once, and the ledger closes.
#[test]
fn rain_uses_all_regimes() {
    let mut setup = planar("rain", &["run.end_time=1.8", "log.series=0.1"]);
    setup.log.snapshots = None;
    let (system, sink) = run(&setup);
    let summary = system.summary();
    assert!(summary.work.collisions > 300, "{}", summary.work.collisions);
    assert!(summary.energy.balance_error < 1e-3);
    let lost = summary.energy.dissipated;
    assert!(lost.collision > 0.0 && lost.damping > 0.0 && lost.slip > 0.0);
    let shares = &summary.regimes;
    let rest = shares.rest + shares.rigid;
    assert!(
        shares.flight > 0.1 && shares.cluster > 0.1 && rest > 1e-3,
        "{shares:?}"
    );
    // At some time each of them holds some.
    let at_once = sink.series.iter().any(|row| {
        let [flight, cluster, rest, rigid] = row.by_regime;
        flight > 5 && cluster > 5 && rest + rigid > 2
    });
    assert!(at_once);
}

/// A run goes on from a checkpoint with the same bits.
#[test]
fn resumes_bit_for_bit() {
    for mut setup in [shower(), gas(0.9, 0.2, true)] {
        setup.log.checkpoint = Some(0.4 * setup.run.end_time);
        let mut whole = System::new(setup.clone()).unwrap();
        let mut kept = Checkpoints::default();
        finish(&mut whole, &mut kept);
        assert!(whole.summary().work.collisions > 50);
        for state in &kept.states {
            let mut system = System::restore(setup.clone(), state).unwrap();
            finish(&mut system, &mut MemorySink::default());
            assert_eq!(system.state_hash(), whole.state_hash());
            assert_eq!(system.summary().energy, whole.summary().energy);
            assert_eq!(
                system.summary().work.collisions,
                whole.summary().work.collisions
            );
        }
    }
}

/// A log, or none, changes no bit.
#[test]
fn logs_change_nothing() {
    for mut setup in [shower(), gas(0.9, 0.2, true)] {
        let mut hashes = Vec::new();
        for (every, events) in [
            (None, EventLog::None),
            (Some(0.0037), EventLog::Links),
            (Some(0.02), EventLog::System),
        ] {
            setup.log.checkpoint = None;
            setup.log.series = every;
            setup.log.snapshots = every;
            setup.log.events = events;
            hashes.push(run(&setup).0.state_hash());
        }
        assert_eq!(hashes[0], hashes[1]);
        assert_eq!(hashes[0], hashes[2]);
    }
}

/// Collisions are logged with both bodies, and the rows add up to what the series and the ledger tell.
#[test]
fn collisions_are_logged() {
    let mut setup = gas(0.8, 0.0, true);
    setup.log.events = EventLog::Links;
    setup.log.series = Some(0.1);
    let (system, sink) = run(&setup);
    let rows: Vec<_> = sink
        .events
        .iter()
        .filter(|row| row.kind == EventKind::Collision)
        .collect();
    let summary = system.summary();
    assert_eq!(rows.len() as u64, summary.work.collisions);
    assert_eq!(rows.len() as u64, summary.events.by_kind["collision"]);
    let lost: f64 = rows.iter().map(|row| row.energy).sum();
    close("lost", lost, summary.energy.dissipated.collision, 1e-10);
    let at_walls = rows.iter().filter(|row| row.body_b.code() < 0).count() as u64;
    let last = sink.series.last().unwrap();
    assert_eq!(last.collisions[1], at_walls);
    assert_eq!(last.collisions[0], rows.len() as u64 - at_walls);
    assert!(last.dissipated_at_walls > 0.0 && last.dissipated_at_walls < lost);
}

/// Low above a thin wall, slow, and with nothing else to look for up to far beyond it: where the path ends, the wall is far away again.
fn nobody_is_looked_for_beyond_a_wall<D: Integrate>() {
    let (radius, mass, low) = (0.01, 0.1, 0.25);
    let mut setup: Setup<D> = empty(law(1e8, mass, 0.7, 0.0), 1e-6, 0.06);
    setup.motion.collisions = Some(0.05);
    setup.motion.stable_dwell = 1e-4;
    setup.fields.gravity = place::<D>(0.0, -9.81);
    let thin = if D::N == 2 {
        Shape::Polyline(shapes::Polyline {
            points: vec![place::<D>(-5.0, low), place::<D>(5.0, low)],
            closed: false,
        })
    } else {
        Shape::Revolved(shapes::Revolved {
            origin: place::<D>(0.0, low),
            axis: place::<D>(0.0, 1.0),
            profile: vec![[0.0, 0.0], [5.0, 0.0]],
        })
    };
    wall(&mut setup, "floor", thin);
    let middle = |up: f64| D::Vector::from_fn(|k| if k + 1 == D::N { up } else { 1.0 });
    let slow = D::Vector::from_fn(|k| if k + 1 == D::N { -1e-3 } else { 0.1 });
    add(&mut setup, radius, mass, middle(low + 1.2 * radius), slow);
    // Cells are as wide as grains are apart.
    for n in 1..D::N + 1 {
        let sides = middle(1.5) + D::Vector::from_fn(|k| if k + 1 == n { 0.4 } else { 0.0 });
        add(&mut setup, radius, mass, sides, D::Vector::default());
    }
    let (system, _) = run(&setup);
    let up = system.grains_at(setup.run.end_time)[0].position[D::N - 1];
    assert!(up > low + 0.9 * radius, "it left to {up}");
    let tally = system.air_tally();
    assert!(tally.walls > 0, "{tally:?}");
}

#[test]
fn nobody_passes_through_a_wall_in_a_wide_cell() {
    nobody_is_looked_for_beyond_a_wall::<Planar>();
    nobody_is_looked_for_beyond_a_wall::<Spatial>();
}
