//! What a run sees by itself: numbers that are none, loads beyond its model, sequences of collisions without end.

use std::fmt::Write;

use arenite::record::{MemorySink, Summary};
use arenite::scenario::{AnySetup, Scenario};
use arenite::system::{Control, driver_of};

/// A run of a scenario in the plane: all that it logged, and its figures or why it has none.
fn run(text: &str) -> (MemorySink, Result<Summary, String>) {
    let mut sink = MemorySink::default();
    let resolved =
        Scenario::parse("watched", text, None, &[]).and_then(|scenario| scenario.resolve());
    let setup = match resolved {
        Ok(resolved) => resolved.setup,
        Err(problem) => return (sink, Err(problem.render(false))),
    };
    let AnySetup::Planar(setup) = setup else {
        panic!("planar")
    };
    let never = std::sync::atomic::AtomicBool::new(false);
    let mut run = match driver_of(setup, None) {
        Ok(run) => run,
        Err(error) => return (sink, Err(error.to_string())),
    };
    let end = run.run(&mut sink, &mut Control::new(&never));
    let end = end
        .map(|_| run.summary())
        .map_err(|error| error.to_string());
    (sink, end)
}

/// What stopped a run, or was refused.
#[track_caller]
fn refused(text: &str, wanted: &[&str]) {
    let message = run(text).1.map(|figures| figures.status).unwrap_err();
    for part in wanted {
        assert!(message.contains(part), "no `{part}` in: {message}");
    }
}

/// Disks over a floor under a gravity, with more of a scenario, of a stiffness.
fn over_floor(gravity: &str, more: &str, stiffness: &str, grains: &str) -> String {
    let law = |other: &str| {
        format!(
            "[[law]]\nbetween = [\"stuff\", \"{other}\"]\nlinear = {{ normal_stiffness = {stiffness}, \
             tangential_stiffness = 1e4, normal_damping = 10.0, tangential_damping = 1.0, friction = 0.3 }}\n"
        )
    };
    format!(
        "name = \"watched\"\ndimension = 2\n[field]\ngravity = {gravity}\n[run]\nend_time = 3.5\n{more}\
         [material.stuff]\ndensity = 1000.0\n[material.wall]\n{}{}[[boundary]]\nname = \"floor\"\nmaterial = \"wall\"\n\
         plane = {{ point = [0.0, 0.0], normal = [0.0, 1.0] }}\n[[fill]]\nmaterial = \"stuff\"\n{grains}\n",
        law("stuff"),
        law("wall")
    )
}

const DOWN: &str = "[0.0, -9.8]";
const STACK: &str = "grains = [{ position = [0.0, 0.01], radius = 0.01 }, { position = [0.0, 0.03], radius = 0.01 }]";

/// Each epoch would be shorter than time can tell: it hung, and Ctrl-C with it.
#[test]
fn gravity_that_bends_paths_for_ever_is_refused() {
    let text = over_floor(
        "[0.0, -1e25]",
        "[events]\nrestitution = 0.9\n",
        "1e5",
        STACK,
    );
    refused(&text, &["bends paths by the size of the box"]);
}

/// It went through, with an energy balance of 1.8e308 and no word.
#[test]
fn a_spin_without_an_energy_stops_a_run_of_collisions() {
    let fast = "grains = [{ position = [0.0, 0.1], radius = 0.01, spin = 1e200 }]";
    let text = over_floor("[0.0, 0.0]", "[events]\nrestitution = 0.9\n", "1e5", fast);
    refused(&text, &["grain 0 has no finite position or energy"]);
}

#[test]
fn a_spin_without_an_energy_stops_a_run() {
    let fast = "grains = [{ position = [0.0, 0.1], radius = 0.01, spin = 1e200 }]";
    refused(
        &over_floor(DOWN, "", "1e5", fast),
        &["grain 0 has no finite"],
    );
}

#[test]
fn a_load_beyond_numbers_stops_a_filling() {
    let text = over_floor("[0.0, -1e154]", "[quasi_static]\n", "1e-3", STACK);
    refused(&text, &["grain 0 at", "no finite number", "(grain 1 of 2)"]);
}

/// Under 3 N a link of 1e-3 N/m gives way by kilometres: it was solved without a word.
#[test]
fn grains_crushed_in_equilibrium_are_told() {
    let warnings = |stiffness: &str| {
        let figures = run(&over_floor(DOWN, "[quasi_static]\n", stiffness, STACK))
            .1
            .unwrap();
        figures.warnings
    };
    assert_eq!(warnings("1e5"), Vec::<String>::new());
    let told = warnings("1e-3");
    assert!(
        told.len() == 1 && told[0].contains("grain 0 and the wall `floor` overlap by"),
        "{told:?}"
    );
}

/// 6 x 0.05 is more than 0.3 by rounding: the last snapshot and the last row were missing.
#[test]
fn a_snapshot_at_the_finish_is_not_lost_by_rounding() {
    for model in [
        "",
        "[events]\nrestitution = 0.9\n",
        "[quasi_static]\ninterval = 0.05\n",
    ] {
        let text = over_floor(
            DOWN,
            &format!("[log]\nsnapshots = 0.05\nseries = 0.05\n{model}"),
            "1e5",
            STACK,
        );
        let text = text.replace("end_time = 3.5", "end_time = 0.3");
        let text = match model.contains("events") {
            true => text
                .replace("0.01], radius", "0.5], radius")
                .replace("0.03], radius", "0.6], radius"),
            false => text,
        };
        let (sink, end) = run(&text);
        end.unwrap();
        let last = sink.snapshots.last().map(|(grains, _)| grains[0].time);
        assert_eq!(last, Some(0.3), "{model}");
        assert_eq!(sink.series.last().map(|row| row.time), Some(0.3), "{model}");
        // Equilibria have no snapshot at time 0.
        let count = if model.contains("quasi") { 6 } else { 7 };
        assert_eq!(sink.snapshots.len(), count, "{model}");
    }
}

/// Where collisions follow ever faster upon each other: one ball bounces to rest, three in a corner, a hundred that
/// cluster, and one that does not bounce at all. Without a contact time the run stops and names a grain; with one, pairs stay in touch without loss, and it
/// goes on to the end.
#[test]
fn endless_sequences_of_collisions_end() {
    let ball = "grains = [{ position = [0.0, 0.1], radius = 0.01 }]";
    let corner = "grains = [{ position = [0.011, 0.1], radius = 0.01 }, { position = [0.0315, 0.13], radius = 0.01 }, \
                  { position = [0.02, 0.17], radius = 0.01 }]\n[[boundary]]\nname = \"left\"\nmaterial = \"wall\"\n\
                  plane = { point = [0.0, 0.0], normal = [1.0, 0.0] }\n[[boundary]]\nname = \"right\"\n\
                  material = \"wall\"\nplane = { point = [0.05, 0.0], normal = [-1.0, 0.0] }";
    let hundred = "lattice = { count = 100, radius = 0.01, min = [0.0, 0.0], max = [0.3, 0.3], jitter = 0.9, speed = 1.0 }\n\
                   [[boundary]]\nname = \"box\"\nmaterial = \"wall\"\nbox = { min = [0.0, 0.0], max = [0.3, 0.3], grains = \"inside\" }";
    for (restitution, gravity, grains) in [
        (0.5, DOWN, ball),
        (0.0, DOWN, ball),
        (0.5, DOWN, corner),
        (0.1, "[0.0, 0.0]", hundred),
    ] {
        let mut model = format!("[events]\nrestitution = {restitution:?}\n");
        let text = over_floor(gravity, &model, "1e5", grains);
        refused(
            &text,
            &["without any time going by", "grain ", "inelastic collapse"],
        );
        let _ = write!(model, "contact_time = 1e-4\ncollapse = \"elastic\"\n");
        let text =
            over_floor(gravity, &model, "1e5", grains).replace("end_time = 3.5", "end_time = 1.0");
        let figures = run(&text).1.unwrap_or_else(|error| panic!("{error}"));
        let impacts = figures.impacts.unwrap();
        assert!(impacts.grain.lasting + impacts.wall.lasting > 10);
        // Where contacts last they are followed: the same by the law, in flight until it no longer is.
        let text = over_floor(gravity, "collisions = true\n", "1e5", grains)
            .replace("end_time = 3.5", "end_time = 0.6");
        let figures = run(&text).1.unwrap_or_else(|error| panic!("{error}"));
        assert!(
            figures.work.collisions < 100_000,
            "{}",
            figures.work.collisions
        );
    }
}

/// On a floor that moves rounding gives each hop a duration: a ball that lies on one hopped 2e7 times in each second of the run, without a message.
#[test]
fn endless_hops_on_a_floor_that_moves_end() {
    let ball = "grains = [{ position = [0.0, 0.03], radius = 0.01 }]";
    // 0.7 and 0.65 of gravity.
    for motion in [
        "harmonic = { amplitude = [0.0, 2e-4], frequency = 29.5 }",
        "parabolic = { amplitude = [0.0, 2e-3], frequency = 10.0 }",
        "velocity = [0.0, 0.1]",
    ] {
        let model = "[events]\nrestitution = 0.8\n";
        let text = over_floor(DOWN, model, "1e5", ball).replace(
            "normal = [0.0, 1.0] }\n",
            &format!("normal = [0.0, 1.0] }}\nmotion = {{ {motion} }}\n"),
        );
        assert!(text.contains(motion));
        refused(&text, &["it lay still", "grain 0", "the wall `floor`"]);
        let lossless = model.to_string() + "collapse = \"elastic\"\n";
        run(&text.replace(model, &lossless))
            .1
            .unwrap_or_else(|error| panic!("{error}"));
    }
}

/// Shaken harder than gravity, a ball lies on the floor for a part of each swing, in many more hops than those that stop a run, and is thrown up again.
#[test]
fn a_ball_that_is_thrown_up_again_goes_on() {
    let ball = "grains = [{ position = [0.0, 0.0101], radius = 0.01 }]";
    let text = over_floor(DOWN, "[events]\nrestitution = 0.3\n", "1e5", ball)
        .replace(
            "normal = [0.0, 1.0] }\n",
            "normal = [0.0, 1.0] }\nmotion = { harmonic = { amplitude = [0.0, 2e-4], frequency = 43.0 } }\n",
        )
        .replace("end_time = 3.5", "end_time = 0.08");
    let figures = run(&text).1.unwrap_or_else(|error| panic!("{error}"));
    let hops = figures.impacts.unwrap().wall.count;
    assert!(hops > 30_000, "{hops}");
}

/// What was put right is counted.
#[test]
fn corrections_are_counted() {
    let ball = "grains = [{ position = [0.0, 0.1], radius = 0.01 }]";
    let text = over_floor(DOWN, "collisions = true\n", "1e5", ball);
    let figures = run(&text).1.unwrap();
    // At last it lies on the floor: that contact is no collision.
    assert!(
        figures
            .corrections
            .contains_key("collisions_followed_by_steps"),
        "{:?}",
        figures.corrections
    );
    let written = serde_json::to_value(&figures).unwrap();
    assert!(written["corrections"]["collisions_followed_by_steps"].as_u64() > Some(0));
}
