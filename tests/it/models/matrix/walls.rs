//! Walls under trial and how they move, and boxes without walls.

use super::words::{at, span, to};

/// The wall under trial, and planes around it.
pub(super) fn walls(wall: &str, motion: &str, space: bool) -> String {
    let up = to(space, 0.0, 1.0);
    let shape = match wall {
        "floor" | "periodic" => format!("plane = {{ point = {}, normal = {up} }}", at(space, 0.0, 0.003)),
        "segment" => "segment = { from = [0.02, 0.008], to = [0.07, 0.014] }".into(),
        "polyline" => "polyline = { points = [[0.01, 0.014], [0.05, 0.004], [0.09, 0.014]] }".into(),
        "arc" => "arc = { centre = [0.05, 0.05], radius = 0.04, from = 3.5, to = 5.9 }".into(),
        "box" => format!("box = {{ {}, grains = \"outside\" }}", span(space, [0.04, 0.06], [0.0, 0.012])),
        "in-box" => match space {
            true => "box = { min = [0.002, 0.002, 0.002], max = [0.098, 0.098, 0.3], grains = \"inside\" }".into(),
            false => "box = { min = [0.002, 0.002], max = [0.098, 0.3], grains = \"inside\" }".into(),
        },
        "circle" => "circle = { centre = [0.05, 0.004], radius = 0.01, grains = \"outside\" }".into(),
        "sphere" => "sphere = { centre = [0.05, 0.05, 0.002], radius = 0.012, grains = \"outside\" }".into(),
        "cylinder" => "cylinder = { from = [0.02, 0.05, 0.004], to = [0.08, 0.05, 0.008], radius = 0.006 }".into(),
        "cone" => "cone = { from = [0.05, 0.05, 0.016], to = [0.05, 0.05, 0.0], from_radius = 0.0, to_radius = 0.03 }".into(),
        "revolved" => "revolved = { origin = [0.05, 0.05, 0.0], axis = [0.0, 0.0, 1.0], profile = [[0.0, 0.004], [0.03, 0.008], [0.045, 0.014]] }".into(),
        "vessel" => "vessel = { from = [0.05, 0.05, 0.002], to = [0.05, 0.05, 0.25], radius = 0.07 }".into(),
        "mesh" => "mesh = { corners = [[0.01, 0.01, 0.0], [0.09, 0.01, 0.0], [0.05, 0.09, 0.0], [0.05, 0.05, 0.014]], \
                   triangles = [[0, 1, 3], [1, 2, 3], [2, 0, 3]] }".into(),
        "rough" => match space {
            true => "rough = { lattice = { first = [0.01, 0.01, 0.004], steps = [[0.016, 0.0, 0.0], [0.0, 0.016, 0.0]], \
                     counts = [6, 6], radius = 0.006 } }".into(),
            false => "rough = { lattice = { first = [0.01, 0.004], steps = [[0.016, 0.0]], counts = [6], radius = 0.006 } }".into(),
        },
        // A box that moves has no walls.
        _ if motion == "fixed" => return String::new(),
        _ => format!("plane = {{ point = {}, normal = {up} }}", at(space, 0.0, 0.003)),
    };
    let along = to(space, 0.02, 0.03);
    let sway = to(space, 0.002, 0.001);
    let spin = if space { "[0.0, 0.4, 0.3]" } else { "0.5" };
    let motion = match motion {
        "velocity" => format!("motion = {{ velocity = {along} }}\n"),
        "turning" => format!(
            "motion = {{ rotation = {{ centre = {}, spin = {spin} }} }}\n",
            at(space, 0.05, 0.0)
        ),
        "harmonic" => {
            format!("motion = {{ harmonic = {{ amplitude = {sway}, frequency = 50.0 }} }}\n")
        }
        "parabolic" => {
            format!("motion = {{ parabolic = {{ amplitude = {sway}, frequency = 50.0 }} }}\n")
        }
        // It stands again before it would press grains into the floor.
        "pieces" => format!(
            "motion = {{ pieces = [{{ from = 0.005, velocity = {along} }}, {{ from = 0.02, acceleration = {} }}, \
             {{ from = 0.05, velocity = {} }}] }}\n",
            to(space, -0.5, -0.8),
            to(space, 0.0, 0.0)
        ),
        "table" => {
            let row = |time: f64, way: f64| match space {
                true => format!("[{time:?}, 0.0, 0.0, {way:?}]"),
                false => format!("[{time:?}, 0.0, {way:?}]"),
            };
            format!(
                "motion = {{ table = [{}, {}, {}] }}\n",
                row(0.01, 0.0),
                row(0.03, 0.002),
                row(0.05, 0.0)
            )
        }
        "guided" => format!(
            "motion = {{ guided = {{ along = {up}, mass = 0.05, force = 0.6, damping = 0.2, from = 0.005, stops = [-0.001, 0.004] }} }}\n"
        ),
        "belt" => format!("belt = {}\n", to(space, 0.3, 0.0)),
        "gate" => "opens_at = 0.015\n".into(),
        _ => String::new(),
    };
    let mut text =
        format!("[[boundary]]\nname = \"trial\"\nmaterial = \"wall\"\n{shape}\n{motion}");
    let mut plane = |name: &str, point: String, normal: String| {
        text += &format!(
            "[[boundary]]\nname = \"{name}\"\nmaterial = \"wall\"\nplane = {{ point = {point}, normal = {normal} }}\n"
        );
    };
    plane("bottom", at(space, 0.0, 0.0), up);
    if wall != "periodic" {
        plane("left", at(space, 0.0, 0.0), to(space, 1.0, 0.0));
        plane("right", at(space, 0.1, 0.0), to(space, -1.0, 0.0));
    }
    if space {
        plane("front", "[0.0, 0.0, 0.0]".into(), "[0.0, 1.0, 0.0]".into());
        plane("back", "[0.0, 0.1, 0.0]".into(), "[0.0, -1.0, 0.0]".into());
    }
    text
}

/// What is periodic.
pub(super) fn periodic(wall: &str, space: bool) -> String {
    let axes = match (wall, space) {
        // Wide enough for the great circles of flat sides.
        ("periodic", _) => "x = [-0.03, 0.13]\n",
        (_, true) => "x = [0.0, 0.1]\ny = [0.0, 0.1]\nz = [0.0, 0.1]\n",
        (_, false) => "x = [0.0, 0.1]\ny = [0.0, 0.1]\n",
    };
    let moves = match wall {
        "periodic" => "",
        "sheared" => "[[periodic.shear]]\nrate = 6.0\n",
        "pressed" => {
            "[[periodic.drive]]\naxes = [\"x\", \"y\"]\npressure = 500.0\ngreatest_rate = 8.0\n"
        }
        _ => return String::new(),
    };
    format!("[periodic]\n{axes}{moves}")
}
