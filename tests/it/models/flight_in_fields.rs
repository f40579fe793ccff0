//! Grains that fly in fields that are not uniform: on the exact path where there is one, and with what comes out step by step where they
//! collide; the energy that fields give is booked on the way.

use arenite::body::Grain;
use arenite::geometry::Spatial;
use arenite::record::Summary;
use arenite::system::Setup;

use crate::support::{close, run, same_bits, written_spatial};

const GLASS: &str = "[material.glass]\ndensity = 2500.0\nyoung = 7e10\npoisson = 0.22\n[[law]]\nbetween = [\"glass\", \"glass\"]\n[law.hertz]\n\
                     restitution = 0.9\nfriction = 0.3\n";

/// A sphere by itself in a field; its state at the end, and the share of its steps that were made.
fn alone(field: &str, end: f64, grain: &str) -> (Grain<Spatial>, f64) {
    let text = format!(
        "name = \"alone\"\ndimension = 3\n[run]\nend_time = {end}\n[log]\nseries = {end}\nsnapshots = \"never\"\n{GLASS}{field}\
         [[fill]]\nmaterial = \"glass\"\ngrains = [{{ radius = 5e-4, {grain} }}]\n"
    );
    let setup = written_spatial(&text);
    let (system, _) = run(&setup);
    let share = system.summary().work.stepped_share().expect("steps");
    let balance = system.summary().energy.balance_error_max;
    // Of the book that is kept at the middle of pieces.
    assert!(balance < 2e-5, "{balance:e}");
    (system.grains_at(end)[0], share)
}

#[test]
fn drag_is_exact() {
    let (end, time, g) = (0.1, 0.03, 9.81);
    let field = format!(
        "[field]\ngravity = [0.0, 0.0, {}]\n[field.fluid]\nrelaxation_time = {time}\n[field.flow]\nuniform = [0.5, 0.0, 0.0]\n",
        -g
    );
    let (grain, share) = alone(
        &field,
        end,
        "position = [0.0, 0.0, 1.0], velocity = [-1.0, 2.0, 0.0]",
    );
    let decay = (-end / time).exp();
    let lag = time * (1.0 - decay);
    let at = [
        0.5 * end - 1.5 * lag,
        2.0 * lag,
        1.0 - g * time * (end - lag),
    ];
    let speed = [0.5 - 1.5 * decay, 2.0 * decay, -g * time * (1.0 - decay)];
    for k in 0..3 {
        // Some 1e-6 of the radius a piece, of which there are hundreds.
        close("place", grain.position[k], at[k], 1e-6);
        close("velocity", grain.velocity[k], speed[k], 2e-5);
    }
    assert!(share < 0.02, "{share}");
}

/// In a frame that turns a free grain goes straight ahead and keeps its spin, seen from outside.
#[test]
fn a_turning_frame_leaves_free_grains_alone() {
    let (end, rate) = (0.02, 100.0f64);
    let (grain, share) = alone(
        &format!("[field]\nrotation = {{ rate = [0.0, 0.0, {rate}] }}\n"),
        end,
        "position = [0.01, 0.0, 0.0], velocity = [0.0, -1.0, 0.2], spin = [50.0, 0.0, 30.0]",
    );
    // From outside it stands still in the plane, and its spin has the rate in addition.
    let (sine, cosine) = (rate * end).sin_cos();
    close("x", grain.position.x, 0.01 * cosine, 1e-6);
    close("y", grain.position.y, -0.01 * sine, 1e-6);
    close("z", grain.position.z, 0.2 * end, 1e-9);
    close("spin x", grain.spin.x, 50.0 * cosine, 1e-3);
    close("spin y", grain.spin.y, -50.0 * sine, 1e-3);
    close("spin z", grain.spin.z, 30.0, 1e-9);
    assert!(share < 1e-3, "{share}");
}

#[test]
fn what_alternates_is_followed() {
    let (end, amplitude, frequency) = (0.013, 30.0, 200.0);
    let (grain, share) = alone(
        &format!(
            "[field.alternating]\namplitude = [{amplitude}, 0.0, 0.0]\nfrequency = {frequency}\n"
        ),
        end,
        "position = [0.0, 0.0, 0.0], velocity = [0.0, 0.0, 1.0]",
    );
    // The acceleration is a sine or a cosine of the time.
    let w = std::f64::consts::TAU * frequency;
    let cosine = amplitude / w * (w * end).sin();
    let sine = amplitude / w * (1.0 - (w * end).cos());
    let off = |want: f64| (grain.velocity.x - want).abs();
    assert!(off(sine).min(off(cosine)) < 3e-5, "{}", grain.velocity.x);
    // The alternation asks for a long step, and it leaves after 32 of them.
    assert!(share < 0.03, "{share}");
}

/// A cube of stiff spheres, up to 1 m/s fast, in a field.
fn cube(count: usize, field: &str, end: f64, run: &str) -> Setup<Spatial> {
    let edge = 0.0138 * (count as f64 / 1000.0).cbrt();
    let mut text = format!(
        "name = \"cube\"\ndimension = 3\n[run]\nend_time = {end}\n{run}\n[log]\nseries = {}\nsnapshots = \"never\"\n{GLASS}[[fill]]\n\
         material = \"glass\"\n[fill.lattice]\ncount = {count}\nradius = 5e-4\nmin = [0.0, 0.0, 0.0]\nmax = [{edge}, {edge}, {edge}]\n\
         jitter = 0.9\nspeed = 1.0\n[[boundary]]\nname = \"box\"\nmaterial = \"glass\"\n\
         box = {{ min = [0.0, 0.0, 0.0], max = [{edge}, {edge}, {edge}], grains = \"inside\" }}\n",
        end / 10.0
    );
    let middle = 0.5 * edge;
    text += &field.replace("MIDDLE", &format!("[{middle}, {middle}, {middle}]"));
    written_spatial(&text)
}

const FIELDS: [(&str, &str); 6] = [
    ("drag", "[field]\ndrag = 5e-4\n"),
    (
        "air",
        "[field]\ngravity = [0.0, 0.0, -9.81]\n[field.fluid]\ndensity = 1.2\nviscosity = 1.8e-5\nlaw = \"schiller-naumann\"\n",
    ),
    (
        "pipe",
        "[field.fluid]\nrelaxation_time = 0.002\n[field.flow]\npipe = { point = MIDDLE, axis = [0.0, 0.0, 1.0], radius = 0.01, mean = 2.0 }\n",
    ),
    (
        "frame",
        "[field]\nrotation = { rate = [0.0, 0.0, 300.0], centre = MIDDLE }\n",
    ),
    (
        "centre",
        "[field]\ncentral = { strength = 1e-5, centre = MIDDLE, radius = 0.001 }\n",
    ),
    (
        "alternating",
        "[field.alternating]\namplitude = [0.0, 0.0, 500.0]\nfrequency = 2000.0\n",
    ),
];

/// Share of the steps that were made, and the summary.
fn made(setup: &Setup<Spatial>) -> (f64, Summary) {
    let summary = run(setup).0.summary();
    (summary.work.stepped_share().expect("steps"), summary)
}

/// Until the paths of single grains part, which they do as collisions differ by the step in which they begin.
#[test]
fn boxes_in_fields_are_what_they_are_step_by_step() {
    for (name, field) in FIELDS {
        let end = 6e-4;
        let (all, stepped) = made(&cube(100, field, end, "flight = false"));
        let (few, flown) = made(&cube(100, field, end, ""));
        let (fewer, collided) = made(&cube(100, field, end, "collisions = true"));
        println!("{name}: {few:.1e} and {fewer:.1e} of the steps");
        assert!(all > 0.99, "{all}");
        assert!(few < 0.1 && fewer < 0.01, "{name}: {few} {fewer}");
        assert!(collided.work.collisions > 10, "{name}");
        let energy = stepped.energy.kinetic;
        let bounds = [(&flown, 1e-4), (&collided, 2e-2)];
        for (other, bound) in bounds {
            let off = (other.energy.kinetic - energy).abs() / energy;
            println!(
                "{name}: {off:.1e}, balance {:.1e}",
                other.energy.balance_error_max
            );
            assert!(off < bound, "{name}: {off}");
            assert!(other.energy.balance_error_max < 1e-4, "{name}");
        }
        if let (Some(a), Some(b)) = (&stepped.fields, &flown.fields) {
            close("drag", b.drag, a.drag, 1e-4 * energy.max(a.drag));
            close("work", b.work, a.work, 1e-4 * energy.max(a.work.abs()));
        }
    }
}

#[test]
fn logs_and_saved_states_change_nothing() {
    for (_, field) in FIELDS {
        same_bits(&cube(60, field, 4e-4, "collisions = true"), field);
    }
}

/// Grains that are fed into a fluid and leave it: what they bring, what the fluid does and what they take away balances.
#[test]
fn feeds_and_outlets_in_a_fluid_balance() {
    let text = format!(
        "name = \"chute\"\ndimension = 3\n[run]\nend_time = 1.0\n[log]\nseries = 0.01\nsnapshots = \"never\"\n[field]\ngravity = [0.0, 0.0, -9.81]\n\
         [field.fluid]\nrelaxation_time = 0.05\n{}[[feed]]\nmaterial = \"soft\"\nradius = 0.002\ncount = 80\nevery = 0.005\n\
         min = [-0.05, -0.05, 0.3]\nmax = [0.05, 0.05, 0.35]\nvelocity = [0.0, 0.0, -1.0]\n\
         [[outlet]]\nplane = {{ point = [0.0, 0.0, 0.0], normal = [0.0, 0.0, 1.0] }}\n",
        "[material.soft]\ndensity = 2500.0\n[[law]]\nbetween = [\"soft\", \"soft\"]\n[law.linear]\nnormal_stiffness = 1e4\n\
         tangential_stiffness = 5e3\nnormal_damping = 0.1\ntangential_damping = 0.0\nfriction = 0.3\n"
    );
    let (share, summary) = made(&written_spatial(&text));
    println!("{share} {:?}", summary.energy);
    assert!(summary.discharge.as_ref().is_some_and(|out| out.count > 10));
    assert!(share < 0.2, "{share}");
    assert!(
        summary.energy.balance_error_max < 1e-4,
        "{:?}",
        summary.energy
    );
}
