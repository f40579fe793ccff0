//! Commands between two times of a run: each is as the section of a scenario that asks for the same at that time, bit for bit. A command comes after
//! all else that is due at its time, so that the times here are none at which a row is written.

use arenite::prelude::*;

/// Forty disks of two sizes that fall between walls, with a shelf under half of them; seed and models come before.
const BOX: &str = r#"
name = "box"
dimension = 2
[field]
gravity = [0.0, -9.81]
[log]
series = 0.05
[[boundary]]
name = "floor"
material = "thesis-wall"
plane = { point = [0.0, 0.0], normal = [0.0, 1.0] }
[[boundary]]
name = "left"
material = "thesis-wall"
plane = { point = [0.0, 0.0], normal = [1.0, 0.0] }
[[boundary]]
name = "right"
material = "thesis-wall"
plane = { point = [0.2, 0.0], normal = [-1.0, 0.0] }
[[boundary]]
name = "shelf"
material = "thesis-wall"
segment = { from = [0.0, 0.06], to = [0.11, 0.06] }
SHELF
[[fill]]
material = "thesis-disk"
"#;

/// Disks that fall, and disks that come one by one.
const FALL: &str = "[fill.lattice]\ncount = 40\nradius = { min = 0.007, max = 0.009 }\nmin = [0.0, 0.08]\nmax = [0.2, 0.25]\nspeed = 0.1\n";
const COME: &str = "[fill.roll_down]\ncount = 40\nradius = { min = 0.007, max = 0.009 }\nmin = [0.0, 0.0]\nmax = [0.2, 0.5]\n";

/// The same with all collisions instantaneous.
const HARD: &str = "[events]\ncontact_time = 1e-4\ncollapse = \"elastic\"\n";

/// A quasi-static filling: the disks come to equilibrium one by one.
const FILLING: &str = "[quasi_static]\n";

struct Twin {
    name: &'static str,
    models: &'static str,
    finish: f64,
    at: f64,
    /// What a scenario says, after its sections and in that of the shelf, and what a program does.
    section: &'static str,
    shelf: &'static str,
    command: Command,
}

fn text(twin: &Twin, section: &str, shelf: &str) -> String {
    let scenario = BOX.replace("SHELF", shelf);
    let (fill, scenario) = match twin.models == FILLING {
        // A low wall between two heaps: all would hang on a shelf.
        true => (
            COME,
            scenario.replace(
                "from = [0.0, 0.06], to = [0.11, 0.06]",
                "from = [0.12, 0.0], to = [0.12, 0.03]",
            ),
        ),
        false => (FALL, scenario),
    };
    let head = format!("[run]\nend_time = {:?}\n{}", twin.finish, twin.models);
    format!("{scenario}\n{fill}\n{head}\n{section}\n")
}

fn built<'a>(text: &str) -> Simulation<'a> {
    let built = Simulation::builder().text("box", text).build();
    built.unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn twins() -> Vec<Twin> {
    let motion = |name, models, section, shelf, command| Twin {
        name,
        models,
        finish: 0.9,
        at: 0.487,
        section,
        shelf,
        command,
    };
    let tap = || Command::Tap {
        velocity: [0.3, 0.8, 0.0],
        region: Some([[0.0, 0.0, 0.0], [0.1, 0.12, 0.0]]),
    };
    let tapped = "[[perturb]]\ntime = 0.487\ntap = { velocity = [0.3, 0.8], min = [0.0, 0.0], max = [0.1, 0.12] }";
    let remove = || Command::Remove {
        near: [0.05, 0.07, 0.0],
    };
    let removed = "[[perturb]]\ntime = 0.487\nremove = { near = [0.05, 0.07] }";
    let open = || Command::Open {
        boundary: "shelf".into(),
    };
    let opened = "opens_at = 0.487";
    let shake = Command::Shake {
        amplitude: [0.004, 0.0, 0.0],
        frequency: 10.0,
        cycles: 2,
    };
    let shaken = "[[perturb]]\ntime = 0.487\nshake = { direction = [1.0, 0.0], amplitude = 0.004, frequency = 10.0, cycles = 2 }";
    let tilt = Command::Tilt {
        turn: [0.0, 0.0, 0.4],
        duration: 0.2,
    };
    let tilted = "[[perturb]]\ntime = 0.487\ntilt = { angle = 0.4, duration = 0.2 }";
    let rest = "[morph]\n";
    let stepped = "[morph]\nrigid = false\n";
    let mut all = vec![
        motion("tap", rest, tapped, "", tap()),
        motion("tap without rest", stepped, tapped, "", tap()),
        motion("remove", rest, removed, "", remove()),
        motion("open", rest, "", opened, open()),
        motion("open without rest", stepped, "", opened, open()),
        motion("shake", rest, shaken, "", shake),
        motion("tilt", rest, tilted, "", tilt),
        motion("hard, tap", HARD, tapped, "", tap()),
        motion("hard, remove", HARD, removed, "", remove()),
    ];
    let bed = |name, section, shelf, command| Twin {
        name,
        models: FILLING,
        finish: 40.0,
        at: 25.5,
        section,
        shelf,
        command,
    };
    all.push(bed(
        "filling, remove",
        "[[perturb]]\ntime = 25.5\nremove = { near = [0.05, 0.07] }",
        "",
        remove(),
    ));
    all.push(bed("filling, open", "", "opens_at = 25.5", open()));
    all
}

#[test]
fn commands_are_as_sections_of_scenarios() {
    for twin in twins() {
        let name = twin.name;
        let mut scheduled = built(&text(&twin, twin.section, twin.shelf));
        scheduled.run().unwrap();
        let mut untouched = built(&text(&twin, "", ""));
        untouched.run().unwrap();
        let mut commanded = built(&text(&twin, "", ""));
        assert_eq!(commanded.run_until(twin.at).unwrap(), Stop::Time, "{name}");
        commanded.command(&twin.command).unwrap();
        // Saved at once, and later.
        let state = commanded.save().unwrap();
        let later = 0.5 * (twin.at + twin.finish);
        commanded.run_until(later).unwrap();
        let state_later = commanded.save().unwrap();
        commanded.run().unwrap();
        let (a, b) = (scheduled.summary(), commanded.summary());
        assert_ne!(a.state_hash, untouched.summary().state_hash, "{name}");
        assert_eq!(a.state_hash, b.state_hash, "{name}");
        assert_eq!(a.events.by_kind, b.events.by_kind, "{name}");
        assert_eq!(a.energy, b.energy, "{name}");
        assert_eq!(b.commands.len(), 1, "{name}");
        assert_eq!(b.commands[0].command, twin.command, "{name}");
        assert_eq!(b.commands[0].time, twin.at, "{name}");
        for state in [state, state_later] {
            let again = Simulation::builder().text("box", text(&twin, "", ""));
            let mut again = again.resume(state).build().unwrap();
            again.run().unwrap();
            assert_eq!(again.summary().state_hash, b.state_hash, "{name}, resumed");
            assert_eq!(again.summary().commands, b.commands, "{name}, resumed");
        }
    }
}

/// From collision to collision a wall that goes unexpectedly has all collisions foreseen anew, which rounds otherwise; what follows is the same until
/// that has grown.
#[test]
fn a_wall_opens_between_collisions() {
    let twin = Twin {
        name: "hard, open",
        models: HARD,
        finish: 0.6,
        at: 0.487,
        section: "",
        shelf: "opens_at = 0.487",
        command: Command::Open {
            boundary: "shelf".into(),
        },
    };
    let mut scheduled = built(&text(&twin, "", twin.shelf));
    let mut commanded = built(&text(&twin, "", ""));
    commanded.run_until(twin.at).unwrap();
    commanded.command(&twin.command).unwrap();
    let late = twin.at + 0.013;
    scheduled.run_until(late).unwrap();
    commanded.run_until(late).unwrap();
    let (a, b) = (scheduled.moment().grains, commanded.moment().grains);
    let through = |row: &GrainRow| row.position[0] < 0.1 && (0.05..0.07).contains(&row.position[1]);
    assert!(a.iter().any(through), "none goes where the shelf was");
    for (x, y) in a.iter().zip(&b) {
        for k in 0..2 {
            assert!((x.position[k] - y.position[k]).abs() < 1e-9, "{x:?}\n{y:?}");
        }
    }
    let collisions = |run: &Simulation<'_>| run.summary().work.collisions;
    assert_eq!(collisions(&scheduled), collisions(&commanded));
}

#[test]
fn what_cannot_be_done_is_refused() {
    let twin = &twins()[0];
    let scenario = text(twin, "", "");
    let mut run = built(&scenario);
    run.run_until(0.1).unwrap();
    let before = run.save().unwrap();
    for (command, word) in [
        (
            Command::Open {
                boundary: "shel".into(),
            },
            "did you mean `shelf`",
        ),
        (Command::Shut { feed: 0 }, "there are 0"),
        (
            Command::Tap {
                velocity: [0.0, f64::NAN, 0.0],
                region: None,
            },
            "finite",
        ),
        (
            Command::Tap {
                velocity: [0.0, 0.0, 1.0],
                region: None,
            },
            "third",
        ),
        (
            Command::Tilt {
                turn: [0.1, 0.0, 0.0],
                duration: 1.0,
            },
            "first two",
        ),
        (
            Command::Tilt {
                turn: [0.0, 0.0, 0.1],
                duration: 0.0,
            },
            "more than 0",
        ),
        (
            Command::Shake {
                amplitude: [0.01, 0.0, 0.0],
                frequency: -1.0,
                cycles: 1,
            },
            "more than 0",
        ),
    ] {
        let why = run.command(&command).unwrap_err().to_string();
        assert!(why.contains(word), "{command:?}: {why}");
    }
    assert_eq!(run.save().unwrap(), before);
    let shelf = || Command::Open {
        boundary: "shelf".into(),
    };
    run.command(&shelf()).unwrap();
    run.run_until(0.2).unwrap();
    let why = run.command(&shelf()).unwrap_err().to_string();
    assert!(why.contains("open already"), "{why}");
    run.run().unwrap();
    let why = run.command(&shelf()).unwrap_err().to_string();
    assert!(why.contains("over"), "{why}");
    // Gravity of these is known from the start.
    for models in [HARD, FILLING] {
        let twin = Twin {
            models,
            ..twins().swap_remove(0)
        };
        let mut run = built(&text(&twin, "", ""));
        let tilt = Command::Tilt {
            turn: [0.0, 0.0, 0.1],
            duration: 1.0,
        };
        let why = run.command(&tilt).unwrap_err().to_string();
        assert!(why.contains("[[perturb]]"), "{why}");
    }
}

/// A hopper with an orifice of a diameter and a half.
fn narrow(finish: f64) -> Simulation<'static> {
    let text = include_str!("../../../scenarios/hopper.toml");
    let narrow = text
        .replace("0.11, 0.0]", "0.135, 0.0]")
        .replace("0.19, 0.0]", "0.165, 0.0]");
    let hopper = Simulation::builder().text("hopper", narrow);
    hopper
        .set(format!("run.end_time={finish:?}"))
        .set("fill.0.lattice.count=150")
        .build()
        .unwrap()
}

/// A run that ends before its jam is established is told it as a longer run finds it, whatever was commanded before.
#[test]
fn a_jam_after_the_end_is_that_of_a_longer_run() {
    let tap = Command::Tap {
        velocity: [0.0, 0.5, 0.0],
        region: None,
    };
    let run = |finish: f64, taps: bool| {
        let mut run = narrow(finish);
        if taps {
            run.run_until(0.3).unwrap();
            run.command(&tap).unwrap();
        }
        let stop = run.run().unwrap();
        (stop, run.summary())
    };
    for taps in [false, true] {
        let (stop, long) = run(4.0, taps);
        assert_eq!(stop, Stop::Over(Outcome::Jammed));
        let found = long.jam.expect("a jam");
        let end = found.verdict_time - 0.03;
        let (stop, short) = run(end, taps);
        assert_eq!(stop, Stop::Over(Outcome::Jammed), "{taps}");
        assert_eq!(short.time.simulated, end);
        let later = short.jam.expect("a jam after the end");
        assert_eq!(later.verdict_time, found.verdict_time, "{taps}");
        assert_eq!(later.time, found.time);
        assert_eq!(later.arch, found.arch);
    }
}

/// A jam that stands ends when a wall is opened by command.
#[test]
fn a_command_ends_a_jam() {
    let mut run = narrow(4.0);
    run.run_until(3.0).unwrap();
    let left = run.moment().grains.len();
    assert!(run.summary().jam.is_some() && left > 50, "{left} are left");
    run.command(&Command::Open {
        boundary: "funnel-left".into(),
    })
    .unwrap();
    run.run().unwrap();
    assert!(run.moment().grains.len() < left - 20);
    assert_eq!(run.summary().jams.len(), 1);
}
