//! Scenario `toning`: who is torn off, and when it comes to the other side.

use std::f64::consts::TAU;

use arenite::geometry::Spatial;
use arenite::system::Setup;

use crate::support::{close, run, spatial};

const GAP: f64 = 1.5e-4;
const RADIUS: f64 = 5e-6;
/// Half of a period, in which grains are pressed on, s.
const HALF: f64 = 0.5 / 1500.0;

fn toning(amplitude: f64, finish: f64) -> Setup<Spatial> {
    let field = format!("field.electric.amplitude=[0.0, 0.0, {amplitude:e}]");
    spatial("toning", &[&field, &format!("run.end_time={finish:e}")])
}

/// The same with one grain in the middle, upon which no other acts.
fn alone(amplitude: f64, finish: f64) -> Setup<Spatial> {
    let mut setup = toning(amplitude, finish);
    setup.grains.truncate(1);
    setup.grains[0].position = [1e-4, 1e-4, RADIUS].into();
    setup
}

/// A grain sticks up to the amplitude at which the field's pull is adhesion and weight, within a hundredth.
#[test]
fn a_grain_is_torn_off_over_the_threshold() {
    let grain = alone(1.0, 1e-3).grains[0];
    let (adhesion, weight) = (2e-9, 9.81 * grain.mass);
    let threshold = (adhesion + weight) / (0.005 * grain.mass);
    for (share, leaves) in [(0.99, false), (1.01, true)] {
        let (system, _) = run(&alone(share * threshold, 6.6e-4));
        let up = system.grains_at(6.6e-4)[0].position.z;
        assert_eq!(up > 2.0 * RADIUS, leaves, "{share}: {up:e}");
    }
}

/// From where it is torn off, t from the middle of the period on, m v' = q E sin(w t) - m g - m v / T: v and z in closed form up to the other plate.
#[test]
fn a_grain_crosses_as_the_closed_form_says() {
    let (amplitude, frequency) = (2e6, 1500.0);
    let w = TAU * frequency;
    let grain = alone(amplitude, 1e-3).grains[0];
    let time = grain.mass / (3.0 * TAU * 1.81e-5 * RADIUS);
    let (a, g) = (0.005 * amplitude, 9.81);
    let start = ((2e-9 / grain.mass + g) / a).asin() / w;
    let share = a * time / (1.0 + w * w * time * time);
    let forced = |t: f64| share * ((w * t).sin() - w * time * (w * t).cos()) - g * time;
    let free = -forced(start);
    let height = |t: f64| {
        let late = t - start;
        let swung =
            ((w * start).cos() - (w * t).cos()) / w - time * ((w * t).sin() - (w * start).sin());
        RADIUS + free * time * (1.0 - (-late / time).exp()) + share * swung - g * time * late
    };
    // When it comes to the other plate.
    let (mut early, mut late) = (start, HALF);
    assert!(height(late) > GAP - RADIUS);
    for _ in 0..60 {
        let middle = 0.5 * (early + late);
        if height(middle) < GAP - RADIUS {
            early = middle;
        } else {
            late = middle;
        }
    }
    let arrival = early;
    for part in [0.5, 0.8, 0.99] {
        let t = start + part * (arrival - start);
        let (system, _) = run(&alone(amplitude, HALF + t));
        let up = system.grains_at(HALF + t)[0].position.z;
        // It springs off as fast as adhesion had pressed it in, 6e-4 m/s: 0.1 micrometre.
        close("height", up, height(t), 3e-3 * GAP);
    }
    // There it bounces.
    for (part, forth) in [(0.98, true), (1.02, false)] {
        let t = start + part * (arrival - start);
        let (system, _) = run(&alone(amplitude, HALF + t));
        let speed = system.grains_at(HALF + t)[0].velocity.z;
        assert_eq!(speed > 0.0, forth, "{part}: {speed}");
    }
}

/// All cross in each half of the period, and the ledger closes; a weak field leaves all.
#[test]
fn all_cross_and_come_back() {
    let summary = run(&toning(2e6, 1.3333e-3)).0.summary();
    let meter = &summary.meters[0];
    assert_eq!([meter.forward, meter.back], [98, 49]);
    assert!(summary.energy.balance_error < 1e-3, "{:?}", summary.energy);
    assert!(summary.fields.unwrap().work > 0.0);
    let summary = run(&toning(6e5, 7e-4)).0.summary();
    assert_eq!(summary.meters[0].forward, 0);
}
