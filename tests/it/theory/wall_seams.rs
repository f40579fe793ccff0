//! Grains that go from one piece of a wall to the next: the energy of springs that begin or end there is told.

use crate::support::driven;

/// Grains without losses but by sliding, over walls.
fn lossless(n: usize, law: &str, walls: &str, grains: &str, finish: f64) -> String {
    let mut gravity = vec![0.0; n];
    gravity[n - 1] = -9.81;
    format!(
        "name = \"corners\"\ndimension = {n}\n[field]\ngravity = {gravity:?}\n[run]\nend_time = {finish:?}\nsafety = 0.1\n\
         [log]\nseries = 0.01\n[material.stuff]\ndensity = 1000.0\nyoung = 2e6\npoisson = 0.3\n[material.wall]\nyoung = 2e6\npoisson = 0.3\n\
         [[law]]\nbetween = [\"stuff\", \"stuff\"]\n{law}\n[[law]]\nbetween = [\"stuff\", \"wall\"]\n{law}\n\
         {walls}\n[[fill]]\nmaterial = \"stuff\"\ngrains = [{grains}]\n"
    )
}

fn linear(friction: f64) -> String {
    format!(
        "linear = {{ normal_stiffness = 2e4, tangential_stiffness = 1e4, normal_damping = 0.0, tangential_damping = 0.0, friction = {friction:?} }}"
    )
}

const HERTZ: &str = "hertz = { restitution = 1.0, friction = 0.4 }";

/// A valley whose slopes are deep in soft grains, a ledge and a step.
const CHAIN: &str = "[[boundary]]\nname = \"track\"\nmaterial = \"wall\"\n\
                     polyline = { points = [[-0.5, 0.3], [0.0, 0.0], [0.3, 0.0], [0.33, -0.05], [0.5, -0.05], [0.7, 0.3]] }";

#[track_caller]
fn balanced(what: &str, text: &str, most: f64) {
    let (_, summary) = driven(text).unwrap_or_else(|error| panic!("{what}: {error}"));
    let energy = &summary.energy;
    let worst = energy.balance_error.max(energy.balance_error_max);
    assert!(worst < most, "{what}: {worst:e}");
}

#[test]
fn what_goes_round_corners_keeps_the_balance() {
    for (what, law) in [
        ("smooth", linear(0.0)),
        ("rough", linear(0.5)),
        ("hertz", HERTZ.into()),
    ] {
        for (x, y, r) in [
            (-0.3, 0.2, 0.01),
            (-0.25, 0.19, 0.02),
            (0.1, 0.06, 0.015),
            (0.29, 0.1, 0.02),
        ] {
            let grain =
                format!("{{ position = [{x:?}, {y:?}], radius = {r:?}, velocity = [0.3, 0.0] }}");
            let text = lossless(2, &law, CHAIN, &grain, 1.0);
            balanced(&format!("{what} {x} {r}"), &text, 1e-3);
        }
    }
}

/// Turned profiles in space: the same corners round an axis, met from within.
#[test]
fn turned_profiles_keep_the_balance() {
    let funnel = "[[boundary]]\nname = \"funnel\"\nmaterial = \"wall\"\n\
                  revolved = { origin = [0.0, 0.0, 0.0], axis = [0.0, 0.0, 1.0], profile = [[0.0, -0.05], [0.05, -0.05], [0.08, 0.0], [0.2, 0.05], [0.4, 0.4]] }";
    for (what, law) in [
        ("smooth", linear(0.0)),
        ("rough", linear(0.5)),
        ("hertz", HERTZ.into()),
    ] {
        for (x, z, r) in [(0.15, 0.1, 0.01), (0.3, 0.32, 0.02)] {
            let grain = format!(
                "{{ position = [{x:?}, 0.0, {z:?}], radius = {r:?}, velocity = [0.0, 0.1, 0.0] }}"
            );
            let text = lossless(3, &law, funnel, &grain, 0.8);
            balanced(&format!("{what} {x} {r}"), &text, 2e-3);
        }
    }
}
