//! Grains that go from one piece of a wall to the next: the energy of springs that begin or end there is told, and a grain
//! that rolls keeps its tangential spring.

use arenite::record::Summary;
use arenite::scenario::{AnySetup, Scenario};
use arenite::system::{Control, Simulation, simulation};

fn run(text: &str) -> Summary {
    let resolved = Scenario::parse("corners", text, None, &[]).and_then(|s| s.resolve());
    let resolved = resolved.unwrap_or_else(|problem| panic!("{}", problem.render(false)));
    let mut run: Box<dyn Simulation> = match resolved.setup {
        AnySetup::Planar(setup) => simulation(setup, None).unwrap(),
        AnySetup::Spatial(setup) => simulation(setup, None).unwrap(),
    };
    let never = std::sync::atomic::AtomicBool::new(false);
    let mut sink = arenite::record::NullSink;
    run.run(&mut sink, &mut Control::new(&never)).unwrap();
    run.summary()
}

/// Grains without losses but by sliding, over walls.
fn lossless(n: usize, law: &str, walls: &str, grains: &str, finish: f64) -> String {
    let mut gravity = vec![0.0; n];
    gravity[n - 1] = -9.81;
    format!(
        "name = \"corners\"\ndimension = {n}\n[field]\ngravity = {gravity:?}\n[run]\nfinish = {finish:?}\nsafety = 0.3\n\
         [log]\nseries = 0.01\n[material.stuff]\ndensity = 1000.0\n[material.wall]\n\
         [[law]]\nbetween = [\"stuff\", \"stuff\"]\n{law}\n[[law]]\nbetween = [\"stuff\", \"wall\"]\n{law}\n\
         {walls}\n[[fill]]\nmaterial = \"stuff\"\ngrains = [{grains}]\n"
    )
}

fn linear(friction: f64) -> String {
    format!(
        "linear = {{ normal_stiffness = 2e4, tangential_stiffness = 1e4, normal_damping = 0.0, tangential_damping = 0.0, friction = {friction:?} }}"
    )
}

const HERTZ: &str = "hertz = { young = 2e6, poisson = 0.3, restitution = 1.0, friction = 0.4 }";

/// A valley whose slopes are deep in soft grains, a ledge and a step.
const CHAIN: &str = "[[boundary]]\nname = \"track\"\nmaterial = \"wall\"\n\
                     polyline = { points = [[-0.5, 0.3], [0.0, 0.0], [0.3, 0.0], [0.33, -0.05], [0.5, -0.05], [0.7, 0.3]] }";

#[track_caller]
fn balanced(what: &str, text: &str, most: f64) {
    let summary = run(text);
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

/// A disk, and a ball, that roll without sliding over a hump of many pieces: nothing is lost in sliding.
#[test]
fn who_rolls_over_a_hump_of_pieces_keeps_its_spring() {
    let hump: Vec<[f64; 2]> = (0..=24)
        .map(|k| {
            let x = -0.3 + 0.025 * f64::from(k);
            [x, 0.1 - 0.5 * x * x]
        })
        .collect();
    let law = linear(2.0);
    let r = 0.01;
    let start = |x: f64| 0.1 - 0.5 * x * x + 0.995 * r;
    let chain = format!(
        "[[boundary]]\nname = \"hump\"\nmaterial = \"wall\"\npolyline = {{ points = {hump:?} }}"
    );
    // On the top it rolls down, ever faster but not so fast as to lift off.
    let grain = format!(
        "{{ position = [0.005, {:?}], radius = {r:?}, velocity = [0.05, 0.0], spin = -5.0 }}",
        start(0.005)
    );
    let summary = run(&lossless(2, &law, &chain, &grain, 0.8));
    let energy = &summary.energy;
    assert!(energy.kinetic > 0.02, "{energy:?}");
    let lost = energy.dissipated.slip / energy.kinetic;
    assert!(lost.abs() < 2e-3, "{lost:e} {energy:?}");
}
