//! Runs from collision to collision.

use super::words::{GRAVITY, field, laws, to};

/// A run from collision to collision.
pub fn collisions(case: &[&str]) -> String {
    let &[
        space,
        rule,
        wall,
        moves,
        forces,
        collapse,
        log,
        traffic,
        disturbed,
    ] = case
    else {
        panic!("{case:?}")
    };
    let (space, repeats) = (space == "space", matches!(wall, "periodic" | "sheared"));
    let mut text = format!(
        "name = \"trial\"\ndimension = {}\nseed = 5\n{}[run]\nend_time = {}\n[log]\nseries = 0.04\nsnapshots = 0.09\n\
         checkpoint = 0.043\n{}[events]\ntolerance = 0.01\n",
        if space { 3 } else { 2 },
        field(forces, GRAVITY, space),
        // On a slope so dense a bed collapses soon, and in space one on a floor whose law loses much.
        if disturbed == "tilt" || (rule, wall, collapse) == ("by-law", "floor", "never") {
            0.15
        } else {
            0.3
        },
        match log {
            "links" => "events = \"links\"\n",
            "impacts" => "impacts = true\n",
            "wear" => "wear = 0.01\n",
            _ => "",
        },
    );
    if collapse == "elastic" {
        text += "contact_time = 1e-4\ncollapse = \"elastic\"\n";
    }
    text += match rule {
        "smooth" => "restitution = 0.9\n",
        "lossless" => "restitution = 1.0\n",
        "rough-rule" => {
            "restitution = 0.95\n[[events.rule]]\nbetween = [\"stuff\", \"stuff\"]\nrestitution = 0.9\n\
                         friction = 0.3\ntangential_restitution = 0.4\n"
        }
        "soft" if repeats => "collisions = \"soft\"\n",
        "soft" => {
            "collisions = \"soft\"\n[[events.rule]]\nbetween = [\"stuff\", \"wall\"]\nrestitution = 0.95\n"
        }
        _ if repeats => "",
        _ => "[[events.rule]]\nbetween = [\"stuff\", \"wall\"]\nrestitution = 0.95\n",
    };
    let law = if rule == "by-hertz" {
        "hertz"
    } else {
        "linear"
    };
    let density = if space { 2500.0 } else { 1000.0 };
    if repeats {
        text += match space {
            true => "[periodic]\nx = [0.0, 0.1]\ny = [0.0, 0.1]\nz = [0.0, 0.1]\n",
            false => "[periodic]\nx = [0.0, 0.1]\ny = [0.0, 0.1]\n",
        };
    }
    if wall == "sheared" {
        text += "[[periodic.shear]]\nrate = 6.0\n[[periodic.shear]]\nrate = -9.0\nfrom = 0.1\n";
    }
    text += &format!(
        "[material.stuff]\ndensity = {density}\nyoung = 2e8\npoisson = 0.25\n[material.wall]\nyoung = 2e8\npoisson = 0.25\n{}",
        match rule {
            // Soft collisions are for smooth grains.
            "soft" => "[[law]]\nbetween = [\"stuff\", \"stuff\"]\nlinear = { normal_stiffness = 2e4, tangential_stiffness = 0.0, \
                       normal_damping = 20.0, tangential_damping = 0.0, friction = 0.0, per_mass = true }\n".into(),
            _ => laws(law, space),
        }
    );
    if repeats {
        text = text.replace("[material.wall]\nyoung = 2e8\npoisson = 0.25\n", "");
        if let Some(end) = text.find("[[law]]\nbetween = [\"stuff\", \"wall\"]") {
            text.truncate(end);
        }
    }
    let shape = match (wall, space) {
        ("in-box", true) => {
            "box = { min = [0.0, 0.0, 0.0], max = [0.1, 0.1, 0.1], grains = \"inside\" }"
        }
        ("in-box", false) => "box = { min = [0.0, 0.0], max = [0.1, 0.1], grains = \"inside\" }",
        ("floor", true) => "plane = { point = [0.0, 0.0, 0.0], normal = [0.0, 0.0, 1.0] }",
        ("floor", false) => "plane = { point = [0.0, 0.0], normal = [0.0, 1.0] }",
        ("ball", true) => {
            "sphere = { centre = [0.05, 0.05, 0.05], radius = 0.085, grains = \"inside\" }"
        }
        ("ball", false) => {
            "circle = { centre = [0.05, 0.05], radius = 0.075, grains = \"inside\" }"
        }
        ("can", _) => {
            "revolved = { origin = [0.05, 0.05, 0.0], axis = [0.0, 0.0, 1.0], profile = [[0.0, 0.0], [0.075, 0.0], [0.075, 0.1], [0.0, 0.1]] }"
        }
        ("vessel", _) => {
            "vessel = { from = [0.05, 0.05, 0.0], to = [0.05, 0.05, 0.1], radius = 0.075, lid_radius = 0.1 }"
        }
        _ => "",
    };
    if !shape.is_empty() {
        let sway = to(space, 0.001, 0.002);
        let motion = match moves {
            "velocity" => format!("motion = {{ velocity = {} }}\n", to(space, 0.0, 0.01)),
            "harmonic" => {
                format!("motion = {{ harmonic = {{ amplitude = {sway}, frequency = 20.0 }} }}\n")
            }
            "parabolic" => {
                format!("motion = {{ parabolic = {{ amplitude = {sway}, frequency = 20.0 }} }}\n")
            }
            "pieces" => format!(
                "motion = {{ pieces = [{{ from = 0.05, velocity = {} }}, {{ from = 0.15 }}] }}\n",
                to(space, 0.0, 0.02)
            ),
            _ => String::new(),
        };
        text += &format!("[[boundary]]\nname = \"trial\"\nmaterial = \"wall\"\n{shape}\n{motion}");
        if traffic == "gate" {
            text += "opens_at = 0.15\n";
        }
    }
    let walled = !repeats;
    text += &comes_and_goes(space, traffic, walled);
    text += &match disturbed {
        "tap" => format!(
            "[[perturb]]\ntime = 0.1\ntap = {{ velocity = {} }}\n",
            to(space, 0.1, 0.2)
        ),
        "shake" => format!(
            "[[perturb]]\ntime = 0.1\nshake = {{ direction = {}, amplitude = 0.002, frequency = 20.0, cycles = 2 }}\n",
            to(space, 1.0, 1.0)
        ),
        "tilt" => format!(
            "[[perturb]]\ntime = 0.04\ntilt = {{ angle = {}, duration = 0.06 }}\n",
            if space { "[0.1, 0.3, 0.0]" } else { "0.3" }
        ),
        "remove" => format!(
            "[[perturb]]\ntime = 0.05\nremove = {{ near = {0} }}\n[[perturb]]\ntime = 0.2\nremove = {{ near = {0} }}\n",
            to(space, 0.05, 0.05)
        ),
        // Without weight nobody settles.
        "settles" if forces == "gravity" => "[settle]\nat_most = 0.04\n".into(),
        _ => String::new(),
    };
    let (min, max) = match space {
        true => ("[0.01, 0.01, 0.01]", "[0.09, 0.09, 0.09]"),
        false => ("[0.01, 0.01]", "[0.09, 0.09]"),
    };
    text + &format!(
        "[[fill]]\nmaterial = \"stuff\"\n[fill.lattice]\ncount = {}\nradius = {{ mean = 0.006, spread = 0.08 }}\n\
         min = {min}\nmax = {max}\njitter = 0.8\nspeed = 0.4\n",
        if space { 24 } else { 16 }
    )
}

/// Grains that come and go, and valves.
fn comes_and_goes(space: bool, traffic: &str, walled: bool) -> String {
    let all = |x: f64| format!("{:?}", vec![x; if space { 3 } else { 2 }]);
    let feed = || {
        format!(
            "[[feed]]\nmaterial = \"stuff\"\nradius = {{ min = 0.003, max = 0.004 }}\ncount = 5\nevery = 0.03\nstart = 0.02\n\
             retry_interval = 0.003\nmin = {}\nmax = {}\nvelocity = {}\n",
            all(0.03),
            all(0.07),
            to(space, 0.1, -0.3)
        )
    };
    let meter = || {
        let end = if space {
            ", max = [0.1, 0.1, 0.05] }"
        } else {
            ", max = [0.1, 0.05] }"
        };
        format!(
            "[[meter]]\nname = \"m\"\ninside = {{ min = {}{end}\nevery = 0.007\n",
            all(0.0)
        )
    };
    match traffic {
        "feed" => feed(),
        "outlet" => format!(
            "[[outlet]]\ninside = {{ min = {}, max = {} }}\n",
            all(-0.01),
            all(0.021)
        ),
        "valve-of-feed" => {
            meter() + &feed() + "[[control]]\nvalve = { meter = \"m\", count = 1, feed = 0 }\n"
        }
        "valve-of-wall" if walled => {
            let away = if space {
                "sphere = { centre = [0.15, 0.05, 0.05]"
            } else {
                "circle = { centre = [0.15, 0.05]"
            };
            format!(
                "{}[[boundary]]\nname = \"w\"\nmaterial = \"wall\"\n{away}, radius = 0.01, grains = \"outside\" }}\n\
                 [[control]]\nvalve = {{ meter = \"m\", count = 1, boundary = \"w\", way = {}, lasts = 0.05 }}\n",
                meter(),
                to(space, -0.03, 0.0)
            )
        }
        _ => String::new(),
    }
}
