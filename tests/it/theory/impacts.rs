//! Head-on impacts against closed forms.

use arenite::cluster::integrate::Integrate;
use arenite::contact::{ContactLaw, Hertz, Linear, damping_ratio, restitution};
use arenite::event::EventKind;
use arenite::geometry::{Planar, Spatial};
use arenite::system::{EventLog, Setup};
use serde_json::Value;

use crate::support::*;

fn data(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn number(row: &Value, key: &str) -> f64 {
    row[key].as_f64().unwrap()
}

/// Restitution and duration of a head-on impact with a linear spring and dashpot that never
/// pulls: contact ends when the force does (Schwager and Poeschel 2007, eqs. 15 to 21).
fn dashpot(k: f64, c: f64, mass: f64) -> (f64, f64) {
    let (beta, square) = (c / (2.0 * mass), k / mass);
    let duration = if beta * beta < square {
        let w = (square - beta * beta).sqrt();
        (std::f64::consts::PI - (2.0 * beta * w).atan2(w * w - beta * beta)) / w
    } else {
        let w = (beta * beta - square).sqrt();
        ((beta + w) / (beta - w)).ln() / w
    };
    ((-beta * duration).exp(), duration)
}

/// What is left of the overlap when the force has gone, per speed of approach, s.
fn residue(k: f64, c: f64, mass: f64) -> f64 {
    c / k * dashpot(k, c, mass).0
}

/// Restitution seen in a collision of two grains at rest with one another before and after, and
/// the moment at which they parted as told by where they are at the end.
fn pair<D: Integrate>(law: ContactLaw, mass: f64, radius: f64, speed: f64, steps: f64) -> [f64; 2] {
    let ContactLaw::Linear(Linear {
        normal_stiffness: k,
        normal_damping: c,
        ..
    }) = law
    else {
        unreachable!()
    };
    let (_, duration) = dashpot(k, c, mass);
    let gap = 10.0 * speed * duration;
    let finish = 40.0 * duration;
    // Steps that do not meet the moment of contact.
    let mut setup: Setup<D> = empty(law, duration / (steps + 0.37), finish);
    // Masses 3 to 1 with the effective mass asked for; the centre of mass rests.
    add(
        &mut setup,
        radius,
        4.0 * mass,
        place::<D>(-radius - gap / 2.0, 0.3),
        place::<D>(speed / 4.0, 0.0),
    );
    add(
        &mut setup,
        radius,
        4.0 / 3.0 * mass,
        place::<D>(radius + gap / 2.0, 0.3),
        place::<D>(-0.75 * speed, 0.0),
    );
    let grains = end(&setup);
    let (v0, v1) = (grains[0].velocity[0], grains[1].velocity[0]);
    close("centre of mass", 3.0 * v0 + v1, 0.0, 1e-13 * speed);
    let e = (v1 - v0) / speed;
    let apart = grains[1].position[0] - grains[0].position[0] - 2.0 * radius;
    // From the end backwards at the speed of parting to the overlap at which the force ended.
    let flight = (apart + residue(k, c, mass) * speed) / (e * speed);
    [e, finish - flight - gap / speed]
}

#[test]
fn restitution_and_duration_of_a_linear_dashpot() {
    let (mass, k) = (0.2f64, 1e6);
    for share in [0.0, 0.05, 0.3, 0.6, 0.8, 0.99, 1.2, 2.0] {
        let c = share * 2.0 * (k * mass).sqrt();
        let (e, duration) = dashpot(k, c, mass);
        let law = linear(k, 0.0, c, 0.0, 0.0);
        // Second order in the step: 400 steps leave 3e-5, 1600 a sixteenth of it. The moment of
        // contact is hit by no step, so that the first and last partial steps are in here too.
        for (steps, tolerance) in [(400.0, 5e-5), (1600.0, 4e-6)] {
            for [got_e, got_duration] in [
                pair::<Planar>(law, mass, 0.01, 0.7, steps),
                pair::<Spatial>(law, mass, 0.01, 0.7, steps),
            ] {
                close("restitution", got_e / e, 1.0, tolerance);
                close("duration", got_duration / duration, 1.0, tolerance);
            }
        }
    }
}

/// Hertz's law by its nominal restitution: an impact gives back that share of the speed, whatever the
/// speed, though the force never pulls (which ends the contact early and gives back more than the
/// textbook's damping ratio would).
#[test]
fn hertz_gives_the_nominal_restitution() {
    for nominal in [0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.9, 0.95] {
        let law = ContactLaw::Hertz(Hertz {
            young: 1e9,
            shear: 1e8,
            damping_ratio: damping_ratio(nominal),
            friction: 0.0,
        });
        for speed in [0.1f64, 3.0] {
            // The time by which such contacts scale: an undamped one lasts 3.2 of it.
            let (mass, radius) = (0.2f64, 0.01f64);
            let stiffness = 4.0 / 3.0 * 1e9 * (0.5 * radius).sqrt();
            let scale = (mass / stiffness).powf(0.4) * speed.powf(-0.2);
            let gap = speed * scale;
            let mut setup: Setup<Spatial> = empty(law, scale / 1500.0, 40.0 * scale);
            for (side, share) in [(-1.0, 0.25), (1.0, -0.75)] {
                let x = place::<Spatial>(side * (radius + 0.5 * gap), 0.0);
                let v = place::<Spatial>(share * speed, 0.0);
                add(
                    &mut setup,
                    radius,
                    if side < 0.0 { 4.0 } else { 4.0 / 3.0 } * mass,
                    x,
                    v,
                );
            }
            let grains = end(&setup);
            assert!(
                grains[1].position[0] - grains[0].position[0] > 2.0 * radius,
                "not over at {nominal}"
            );
            let got = (grains[1].velocity[0] - grains[0].velocity[0]) / speed;
            // At touch the damper grows as the fourth root of the overlap: that costs the scheme's
            // second order, not its convergence. 1500 steps a time scale leave this much.
            close("restitution", got, nominal, 1e-3 * nominal.max(0.2));
        }
    }
}

/// The inverse is one to the last bits, also where the linear dashpot is critical, and agrees with
/// the closed form and with an independent integration.
#[test]
fn damping_ratio_and_restitution_are_inverse() {
    for k in 1..1000 {
        let nominal = f64::from(k) / 1000.0;
        close(
            "inverse",
            restitution(damping_ratio(nominal)),
            nominal,
            4e-16,
        );
    }
    for b in [0.01, 0.3, 0.99, 0.999_999, 1.000_001, 1.01, 1.16, 3.0, 40.0] {
        let (e, _) = dashpot(1.0, 2.0 * b, 1.0);
        // Next to b = 1 the closed form takes the difference of like numbers.
        close("closed form", restitution(b) / e, 1.0, 1e-9);
    }
    close("critical", restitution(1.0), (-2.0f64).exp(), 1e-15);
    assert_eq!((restitution(0.0), damping_ratio(1.0)), (1.0, 0.0));
    // The scaled impact x'' = -(x^1.5 + sqrt(5) b x^0.25 x') itself, by small steps of second order.
    for (b, h) in [(0.3, 1e-5), (1.2, 1e-5)] {
        let force =
            |x: f64, v: f64| x.max(0.0).powf(1.5) + 5f64.sqrt() * b * x.max(0.0).powf(0.25) * v;
        let (mut x, mut v) = (0.0f64, 1.0f64);
        loop {
            let half = v - 0.5 * h * force(x, v);
            x += h * v;
            v -= h * force(x - 0.5 * h * v, half);
            if v < 0.0 && force(x, v) <= 0.0 {
                break;
            }
        }
        close("integrated", -v, restitution(b), 1e-4);
    }
}

/// The links of the thesis's hopper are overdamped: restitution 0.11 and 0.14, not none.
#[test]
fn restitution_of_the_thesis_links() {
    let data = data(include_str!("../../data/thesis_links_and_tracks.json"));
    let rows = data["thesis_normal_impacts"].as_array().unwrap();
    assert_eq!(rows.len(), 3);
    for row in rows {
        let (k, c) = (number(row, "K_normal"), number(row, "C_normal"));
        let (mass, radius) = (number(row, "m_eff"), number(row, "R"));
        let (e, duration) = (number(row, "restitution"), number(row, "contact_time"));
        let law = linear(k, k, c, c, 0.5);
        for speed in [0.01, 2.0] {
            let got = if row["wall"].as_bool().unwrap() {
                [
                    onto_floor::<Planar>(law, mass, radius, speed, duration / 800.0),
                    onto_floor::<Spatial>(law, mass, radius, speed, duration / 800.0),
                ]
            } else {
                [
                    pair::<Planar>(law, mass, radius, speed, 800.0)[0],
                    pair::<Spatial>(law, mass, radius, speed, 800.0)[0],
                ]
            };
            for got in got {
                // Second order in the step, as above: 1e-5 at 800 steps.
                close("restitution", got / e, 1.0, 2e-5);
            }
        }
    }
}

/// Restitution of a grain that falls onto a floor, without gravity.
fn onto_floor<D: Integrate>(law: ContactLaw, mass: f64, radius: f64, speed: f64, step: f64) -> f64 {
    let gap = 1e-3 * radius;
    let mut setup: Setup<D> = empty(law, step, 4000.0 * step + 3.0 * gap / speed);
    floor(&mut setup);
    let (x, v) = (place::<D>(0.2, radius + gap), place::<D>(0.0, -speed));
    add(&mut setup, radius, mass, x, v);
    let grains = end(&setup);
    assert!(up::<D>(grains[0].position) > radius);
    assert_eq!(grains[0].velocity[0], 0.0);
    up::<D>(grains[0].velocity) / speed
}

/// Chung and Ooi 2011, tests 1 (two glass spheres) and 2 (a sphere and a rigid wall): peak force,
/// peak overlap and duration of Hertz's impact.
#[test]
fn hertz_impacts_of_chung_and_ooi() {
    let data = data(include_str!("../../data/impacts.json"));
    let rows = data["hertz_impacts"]["values"].as_array().unwrap();
    for (row, wall) in rows.iter().zip([false, true]) {
        hertz_impact::<Planar>(row, wall);
        hertz_impact::<Spatial>(row, wall);
    }
}

fn hertz_impact<D: Integrate>(row: &Value, at_wall: bool) {
    let (mass, radius) = (number(row, "m_eff"), number(row, "R_eff"));
    let (speed, duration) = (number(row, "relative_speed"), number(row, "duration"));
    let law = ContactLaw::Hertz(Hertz {
        young: number(row, "E_eff"),
        shear: 1e9,
        damping_ratio: 0.0,
        friction: 0.0,
    });
    let steps = 4000.0;
    let step = duration / (steps + 0.4);
    let gap = 10.7 * speed * step;
    let mut setup: Setup<D> = empty(law, step, 1.1 * duration);
    if at_wall {
        floor(&mut setup);
        let (x, v) = (place::<D>(0.0, radius + gap), place::<D>(0.0, -speed));
        add(&mut setup, radius, mass, x, v);
    } else {
        let r = 2.0 * radius;
        let x = place::<D>(0.0, r + gap / 2.0);
        let v = place::<D>(0.0, -speed / 2.0);
        add(&mut setup, r, 2.0 * mass, x, v);
        add(&mut setup, r, 2.0 * mass, -x, -v);
    }
    setup.log.snapshots = Some(step);
    setup.log.events = EventLog::Links;
    let (_, sink) = run(&setup);
    let links = sink.snapshots.iter().flat_map(|s| &s.1);
    let (overlap, force) = links.fold((0.0f64, 0.0f64), |(overlap, force), link| {
        (overlap.max(link.overlap), force.max(link.normal_force))
    });
    let when = |kind| {
        let mut rows = sink.events.iter().filter(|e| e.kind == kind);
        let row = rows.next().unwrap();
        assert!(rows.next().is_none());
        (row.time, row.energy)
    };
    let (start, energy) = when(EventKind::InsertLink);
    let (finish, _) = when(EventKind::RemoveLink);
    // The peak is met within half a step, which costs (pi h / 2 T)^2 / 2 = 8e-8; the scheme's own
    // error is of second order, about (pi h / T)^2 / 24 = 3e-8 times some.
    close(
        "peak overlap",
        overlap / number(row, "max_overlap"),
        1.0,
        1e-6,
    );
    close("peak force", force / number(row, "max_force"), 1.0, 1e-6);
    close("duration", (finish - start) / duration, 1.0, 1e-6);
    close("start", start, gap / speed, 1e-4 * step);
    let approach = 0.5 * mass * speed * speed;
    close("energy of approach", energy / approach, 1.0, 1e-6);
}

/// Hertz's law damped in proportion to the square root of mass times stiffness (Tsuji et al.
/// 1992) has the same restitution at any speed (Antypov and Elliott 2011). The link does not
/// pull, so that the restitution is a little above the nominal one; a fine Runge-Kutta run of the
/// same equation up to the moment at which the force ends tells by how much.
#[test]
fn restitution_of_damped_hertz_does_not_depend_on_speed() {
    for nominal in [0.95f64, 0.6, 0.2] {
        let log = nominal.ln();
        let ratio = -log / (std::f64::consts::PI.powi(2) + log * log).sqrt();
        let law = ContactLaw::Hertz(Hertz {
            young: 5e7,
            shear: 4e7,
            damping_ratio: ratio,
            friction: 0.3,
        });
        let want = scaled_hertz_restitution(2.0 * (5.0f64 / 6.0).sqrt() * ratio);
        assert!(want > nominal && want < nominal + 0.15, "{want}");
        for speed in [0.01f64, 0.3, 3.0] {
            let (mass, radius) = (0.02, 0.01);
            let deep = (15.0 / 16.0 * mass * speed * speed / (5e7 * 0.1)).powf(0.4);
            let step = 2.9 * deep / speed / 1000.0;
            let got = [
                onto_floor::<Planar>(law, mass, radius, speed, step),
                onto_floor::<Spatial>(law, mass, radius, speed, step),
            ];
            for got in got {
                // The first step is taken as if the damper began with the link at its mean
                // overlap: its square root costs more than the linear law's second order.
                close("restitution", got, want, 1e-4);
            }
        }
    }
}

/// Restitution of x'' = -(4/3 x^1.5 + c (2 x^0.5)^0.5 x'), x' = 1 at x = 0, up to force 0: Hertz
/// in units of E* = R = m = 1.
fn scaled_hertz_restitution(c: f64) -> f64 {
    let force = |x: f64, v: f64| {
        let a = x.max(0.0).sqrt();
        4.0 / 3.0 * a * x.max(0.0) + c * (2.0 * a).sqrt() * v
    };
    let (mut x, mut v) = (0.0f64, 1.0f64);
    let h = 1e-5;
    loop {
        let (k1, l1) = (v, -force(x, v));
        let (k2, l2) = (v + h / 2.0 * l1, -force(x + h / 2.0 * k1, v + h / 2.0 * l1));
        let (k3, l3) = (v + h / 2.0 * l2, -force(x + h / 2.0 * k2, v + h / 2.0 * l2));
        let (k4, l4) = (v + h * l3, -force(x + h * k3, v + h * l3));
        x += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
        v += h / 6.0 * (l1 + 2.0 * l2 + 2.0 * l3 + l4);
        if v < 0.0 && force(x, v) <= 0.0 {
            return -v;
        }
    }
}
