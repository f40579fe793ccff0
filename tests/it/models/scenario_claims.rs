//! What the descriptions of embedded scenarios claim, where no other test asserts it: impacts and gases. References:
//! rigid bodies, Hertz, kinetic theory (Maxwell; Haff 1983; Enskog 1922). Beds and flows: `scenario_claims_beds`.

use std::f64::consts::PI;
use std::sync::atomic::AtomicBool;

use arenite::cluster::integrate::Integrate;
use arenite::event::EventKind;
use arenite::geometry::Spatial;
use arenite::record::{BodyRef, EventRow, GrainRow, MemorySink};

use arenite::system::{Control, Setup, driver_of};

use crate::support::{close, planar, run, spatial};

/// What a run from event to event logs.
pub fn by_events<D: Integrate>(setup: &Setup<D>) -> MemorySink {
    let never = AtomicBool::new(false);
    let mut sink = MemorySink::default();
    let mut run = driver_of(setup.clone(), None).unwrap();
    run.run(&mut sink, &mut Control::new(&never)).unwrap();
    sink
}

/// The first snapshot that is not before a time.
pub fn at(sink: &MemorySink, time: f64) -> &[GrainRow] {
    let late = |rows: &&[GrainRow]| rows.first().is_some_and(|row| row.time > time - 1e-9);
    let mut rows = sink.snapshots.iter().map(|(grains, _)| grains.as_slice());
    rows.find(late)
        .unwrap_or_else(|| panic!("no snapshot from {time} s on"))
}

fn collisions(sink: &MemorySink) -> Vec<&EventRow> {
    let all = sink.events.iter();
    all.filter(|event| event.kind == EventKind::Collision)
        .collect()
}

/// `newton-cradle`: four collisions at one time, after which the last sphere has the speed of the first and all others stand; the
/// wall sends it back, and the first gets the speed again.
#[test]
fn the_last_sphere_of_a_cradle_leaves() {
    let sink = by_events(&spatial("newton-cradle", &["run.end_time=0.27"]));
    let events = collisions(&sink);
    let blow: Vec<_> = events.iter().filter(|event| event.time < 0.1).collect();
    assert_eq!(blow.len(), 4);
    for event in blow {
        // A gap of 0.04 m at 1 m/s.
        close("blow", event.time, 0.04, 1e-12);
    }
    for (time, wanted) in [
        (0.03, [1.0, 0.0, 0.0, 0.0, 0.0]),
        (0.05, [0.0, 0.0, 0.0, 0.0, 1.0]),
        (0.20, [0.0, 0.0, 0.0, 0.0, -1.0]),
        (0.25, [-1.0, 0.0, 0.0, 0.0, 0.0]),
    ] {
        for (row, wanted) in at(&sink, time).iter().zip(wanted) {
            close("speed", row.velocity[0], wanted, 1e-12);
        }
    }
}

/// `head-on`: a restitution that does not know the speed: that of a damped spring that lets go when it would pull, with a damping
/// ratio z of 0.2: exp(-z / w (pi - atan2(2 z w, 1 - 2 z^2))), w^2 = 1 - z^2.
#[test]
fn restitution_of_a_linear_spring_does_not_know_the_speed() {
    let setup = spatial("head-on", &[]);
    let reduced: f64 = 0.5 * setup.grains[0].mass;
    let z = 9.15 / (2.0 * (1e5 * reduced).sqrt());
    close("damping ratio", z, 0.2, 1e-3);
    let w = (1.0 - z * z).sqrt();
    let wanted = libm::exp(-z / w * (PI - libm::atan2(2.0 * z * w, 1.0 - 2.0 * z * z)));
    for speed in [0.1, 0.5, 2.0] {
        let options = [
            &format!("fill[0].grains[0].velocity=[{speed},0.0,0.0]"),
            &format!("fill[0].grains[1].velocity=[-{speed},0.0,0.0]"),
            "log.snapshots=never",
            "log.series=never",
        ];
        let setup = spatial("head-on", &options);
        let grains = run(&setup).0.grains_at(setup.run.end_time);
        let parting = grains[1].velocity.x - grains[0].velocity.x;
        close("restitution", parting / (2.0 * speed), wanted, 1e-3);
    }
}

/// `hertz-impact`: the three figures of its heading, from Hertz's theory: with reduced mass m, modulus E and radius R, stiffness
/// k = 4/3 E R^(1/2), the greatest overlap d is (5 m v^2 / (4 k))^(2/5), the force k d^(3/2), the duration 2.9432 d / v.
#[test]
fn an_impact_of_glass_is_hertzs() {
    let setup = spatial("hertz-impact", &[]);
    let (mass, modulus): (f64, f64) = (0.5 * setup.grains[0].mass, 4.8e10 / (2.0 * 0.96));
    let (radius, speed): (f64, f64) = (0.005, 20.0);
    let stiffness = 4.0 / 3.0 * modulus * radius.sqrt();
    let deep = (1.25 * mass * speed * speed / stiffness).powf(0.4);
    let force = stiffness * deep.powf(1.5);
    let duration = 2.943_275 * deep / speed;
    // What the heading says.
    close("overlap", deep, 2.7411e-4, 1e-8);
    close("force", force, 10697.0, 1.0);
    close("duration", duration, 4.034e-5, 1e-8);
    let (_, sink) = run(&setup);
    let links = || sink.snapshots.iter().flat_map(|(_, links)| links);
    let most = |of: &dyn Fn(&arenite::record::LinkRow) -> f64| links().map(of).fold(0.0, f64::max);
    // Of 400 snapshots a contact one is within 1/400 of the middle: 2e-5 of the force are missed. Steps of 1e-8 s.
    close("peak", most(&|link| link.normal_force), force, 1e-4 * force);
    close("deepest", most(&|link| link.overlap), deep, 1e-4 * deep);
    let time = |kind| {
        let mut events = sink.events.iter();
        events.find(|event| event.kind == kind).unwrap().time
    };
    let lasted = time(EventKind::RemoveLink) - time(EventKind::InsertLink);
    close("lasted", lasted, duration, 2.5e-8);
}

/// `oblique-impact`: velocities after it are those of a rigid body that slides all the time, as its heading says.
#[test]
fn an_oblique_impact_slides_to_the_end() {
    let setup = spatial("oblique-impact", &[]);
    let (system, sink) = run(&setup);
    let grain = &system.grains_at(setup.run.end_time)[0];
    let (v, e, friction, radius) = (2.757716, 0.98, 0.092, 0.0025);
    let lost = friction * (1.0 + e) * v;
    close("along", grain.velocity.x, v - lost, 1e-3 * v);
    close("back", grain.velocity.z, e * v, 1e-3 * v);
    close("spin", grain.spin.y, 2.5 * lost / radius, 1e-3 * 500.0);
    let links: Vec<bool> = sink
        .snapshots
        .iter()
        .flat_map(|(_, links)| links)
        .map(|l| l.slipping)
        .collect();
    let sliding = links.iter().filter(|slips| **slips).count();
    // But for the very first one, in which its spring is not yet displaced.
    assert!(
        links.len() > 80 && sliding + 2 >= links.len(),
        "{sliding} of {}",
        links.len()
    );
}

/// Who takes part in an event.
fn takes_part(event: &EventRow, ball: u32) -> bool {
    [event.body_a, event.body_b].contains(&BodyRef::Grain(ball))
}

/// `billiard`: the rack is broken by a chain of collisions at one time; cushions give back 0.75; the cue ball, which meets the
/// first one 4 mm off its middle, grips and spins itself and that one: two equal disks whose rims meet at v sin a come to roll on each other at v sin a / (3 r);
/// in between nothing slows a ball.
#[test]
fn a_rack_is_broken() {
    let sink = by_events(&planar("billiard", &[]));
    let events = collisions(&sink);
    let blow = events[0].time;
    let chain = events.iter().filter(|event| event.time < blow + 1e-9);
    assert!(chain.count() >= 14, "not even a collision a ball");
    assert!(
        events
            .iter()
            .all(|e| e.time < blow + 1e-9 || e.time > blow + 1e-3)
    );
    let (first, last) = (at(&sink, 0.0), at(&sink, 3.0));
    for (a, b) in first.iter().zip(last) {
        let way = (a.position[0] - b.position[0]).hypot(a.position[1] - b.position[1]);
        assert!(way > 2.0 * a.radius, "{}: {way}", a.grain);
    }
    let radius = first[0].radius;
    let spun = 8.0 * (0.004 / (2.0 * radius)) / (3.0 * radius);
    let after = at(&sink, 0.16);
    close("cue ball", after[0].spin[0].abs(), spun, 1e-6);
    close("first ball", after[1].spin[0], after[0].spin[0], 1e-6);
    // Cushions: a ball that has no other collision between two snapshots.
    let mut cushions = 0;
    for event in events.iter().filter(|e| e.body_b == BodyRef::Boundary(0)) {
        let BodyRef::Grain(ball) = event.body_a else {
            panic!("a ball")
        };
        let start = (event.time / 0.02).floor() * 0.02;
        let near = |e: &&&EventRow| e.time > start - 1e-6 && e.time < start + 0.02 + 1e-6;
        let alone = events.iter().filter(near).filter(|e| takes_part(e, ball));
        if alone.count() > 1 || start + 0.02 > 3.0 - 1e-6 {
            continue;
        }
        let [before, after] = [start, start + 0.02].map(|t| at(&sink, t)[ball as usize].velocity);
        let Some(across) = (0..2).find(|&k| before[k] * after[k] < 0.0) else {
            panic!("no cushion turned ball {ball} back at {start} s")
        };
        close("cushion", -after[across] / before[across], 0.75, 1e-9);
        cushions += 1;
    }
    assert!(cushions > 10, "{cushions}");
    // No energy is lost between collisions.
    for pair in sink.series.windows(2) {
        if pair[0].collisions == pair[1].collisions {
            close("energy", pair[1].kinetic, pair[0].kinetic, 1e-12);
        }
    }
}

/// The error function's share of Maxwell's distribution of speeds, with <v^2> = 3 T.
fn maxwell(speed: f64, temperature: f64) -> f64 {
    let x = speed / (2.0 * temperature).sqrt();
    libm::erf(x) - 2.0 / PI.sqrt() * x * libm::exp(-x * x)
}

/// Kolmogorov and Smirnov's distance of the speeds from Maxwell's, times sqrt(N): under 1.63 in 99 of 100 cases.
fn from_maxwell(grains: &[GrainRow]) -> f64 {
    let speed = |row: &GrainRow| row.velocity.iter().map(|v| v * v).sum::<f64>().sqrt();
    let mut speeds: Vec<f64> = grains.iter().map(speed).collect();
    speeds.sort_by(f64::total_cmp);
    let count = speeds.len() as f64;
    let temperature = speeds.iter().map(|v| v * v).sum::<f64>() / (3.0 * count);
    let off = |(k, v): (usize, &f64)| (maxwell(*v, temperature) - (k as f64 + 0.5) / count).abs();
    let distance = speeds.iter().enumerate().map(off).fold(0.0, f64::max);
    distance * count.sqrt()
}

/// `gas`: speeds that were drawn evenly are Maxwell's after some 20 collisions a sphere, and spheres hit the can as an ideal gas
/// does, n <v> / 4 an area and time, from which P V = N m <v^2> / 3 follows. 30,000 hits have a spread of 0.6 %; pairs take a two
/// hundredth of a percent of the room.
#[test]
fn a_gas_in_a_can_is_ideal() {
    let sink = by_events(&spatial("gas", &["run.end_time=4"]));
    assert!(from_maxwell(at(&sink, 0.0)) > 5.0);
    let late = [3.0, 3.5, 4.0].map(|time| from_maxwell(at(&sink, time)));
    assert!(late.iter().sum::<f64>() / 3.0 < 1.63, "{late:?}");
    let grains = at(&sink, 4.0);
    let count = grains.len() as f64;
    let square = |row: &GrainRow| row.velocity.iter().map(|v| v * v).sum::<f64>();
    let temperature = grains.iter().map(square).sum::<f64>() / (3.0 * count);
    // Where centres are: area over volume of a cylinder is 2 / R + 2 / H.
    let surface = 2.0 / 0.099 + 2.0 / 0.198;
    let wanted = count * surface * (8.0 * temperature / PI).sqrt() / 4.0;
    let rows: Vec<_> = sink.series.iter().filter(|row| row.time > 0.99).collect();
    let (first, last) = (rows[0], rows[rows.len() - 1]);
    let hits = (last.collisions[1] - first.collisions[1]) as f64;
    assert!(hits > 2e4, "{hits}");
    let rate = hits / (last.time - first.time);
    close("hits", rate / wanted, 1.0, 0.025);
}

/// Share of the kinetic energy that is in the mean motion of 27 cells of a cube.
fn in_flow(grains: &[GrainRow], edge: f64) -> f64 {
    let mut cells = vec![([0.0; 3], 0.0); 27];
    let mut all = 0.0;
    for row in grains {
        let part = |k: usize| ((row.position[k].rem_euclid(edge) / edge * 3.0) as usize).min(2);
        let cell = &mut cells[9 * part(0) + 3 * part(1) + part(2)];
        for k in 0..3 {
            cell.0[k] += row.velocity[k];
        }
        cell.1 += 1.0;
        all += row.velocity.iter().map(|v| v * v).sum::<f64>();
    }
    let flow = |(sum, count): &([f64; 3], f64)| sum.iter().map(|v| v * v).sum::<f64>() / count;
    cells.iter().map(flow).sum::<f64>() / all
}

/// `cooling-gas`: T = T0 / (1 + t / t0)^2 with 1 / t0 = (1 - e^2) w / 6 and Enskog's rate w, within a tenth as long as the gas is
/// homogeneous (it starts from a third of the box, with speeds that are not Maxwell's). In the end it flows as a whole: far more of the energy
/// is in the motion of 27 cells than the 27/4096 of chance, and it cools more slowly.
#[test]
fn a_gas_cools_by_haffs_law_until_it_flows() {
    let options = ["run.end_time=80", "log.series=0.1", "log.snapshots=4"];
    let setup = spatial("cooling-gas", &options);
    let sink = by_events(&setup);
    let (count, edge, width): (f64, f64, f64) = (4096.0, 0.2778, 0.01);
    let density = count / edge.powi(3);
    let filled = density * PI / 6.0 * width.powi(3);
    let contact = (1.0 - 0.5 * filled) / (1.0 - filled).powi(3);
    let square = |g: &arenite::body::Grain<Spatial>| g.velocity.norm_squared();
    let heat = setup.grains.iter().map(square).sum::<f64>() / (3.0 * count);
    let rate = 4.0 * PI.sqrt() * density * width * width * contact * heat.sqrt();
    let pace = (1.0 - 0.9 * 0.9) * rate / 6.0;
    let start = sink.series[0].kinetic;
    let over = |time: f64| {
        let row = sink.series.iter().find(|row| row.time > time - 1e-9);
        row.unwrap().kinetic / start * (1.0 + time * pace).powi(2)
    };
    for time in [0.3, 0.5, 1.0, 2.0, 3.0, 4.0] {
        println!("at {time}: {:.3} of Haff's", over(time));
        close("of Haff's", over(time), 1.0, 0.12);
    }
    let chance = 27.0 / count;
    let (early, late) = (
        in_flow(at(&sink, 4.0), edge),
        in_flow(at(&sink, 80.0), edge),
    );
    println!(
        "{early:.3} and {late:.3} of the energy in flow; {:.1}",
        over(80.0)
    );
    assert!(early < 0.1 && late > 30.0 * chance, "{early} {late}");
    assert!(over(80.0) > 2.0, "{}", over(80.0));
}
