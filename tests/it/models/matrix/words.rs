//! Parts of scenarios that all kinds of runs have.

/// A vector along the first axis and up.
pub(super) fn at(space: bool, along: f64, up: f64) -> String {
    match space {
        true => format!("[{along:?}, 0.05, {up:?}]"),
        false => format!("[{along:?}, {up:?}]"),
    }
}

/// A direction along the first axis and up.
pub(super) fn to(space: bool, along: f64, up: f64) -> String {
    match space {
        true => format!("[{along:?}, 0.0, {up:?}]"),
        false => format!("[{along:?}, {up:?}]"),
    }
}

/// A box between two distances along and two heights; in space as deep as the vessel.
pub(super) fn span(space: bool, along: [f64; 2], up: [f64; 2]) -> String {
    let corner = |k: usize| match space {
        true => format!("[{:?}, {:?}, {:?}]", along[k], [0.015, 0.085][k], up[k]),
        false => format!("[{:?}, {:?}]", along[k], up[k]),
    };
    format!("min = {}, max = {}", corner(0), corner(1))
}

/// The law of grains with each other and with walls.
pub(super) fn laws(law: &str, space: bool) -> String {
    let stiffness = if space { 2e4 } else { 2e5 };
    let linear = format!(
        "linear = {{ normal_stiffness = {stiffness:?}, tangential_stiffness = {:?}, normal_damping = 1500.0, \
         tangential_damping = 500.0, friction = 0.4, per_mass = true }}\n",
        0.5 * stiffness
    );
    let hertz = "hertz = { restitution = 0.6, friction = 0.4 }\n";
    let own = match law {
        "hertz" => hertz.into(),
        "viscoelastic" => "viscoelastic = { dissipation = 2e-6, friction = 0.4 }\n".into(),
        "hertz_hysteretic" => {
            "hertz_hysteretic = { squared_restitution = 0.5, friction = 0.4, smoothing_speed = 0.3 }\n".into()
        }
        "force" => format!("{linear}cohesion = {{ force = 0.05 }}\n"),
        "dmt" => format!("{linear}cohesion = {{ dmt = 1.0 }}\n"),
        "jkr" => format!("{hertz}cohesion = {{ jkr = 1.0 }}\n"),
        "area" => format!("{linear}cohesion = {{ area = 1e4 }}\n"),
        "fading" => {
            format!("{linear}cohesion = {{ fading = {{ force = 0.05, stiffness = 500.0 }} }}\n")
        }
        "plastic" => format!(
            "{linear}plastic = {{ unloading_stiffness = {:?}, cohesion_stiffness = {:?} }}\n",
            2.0 * stiffness,
            0.1 * stiffness
        ),
        "rolling" => format!("{linear}rolling = {{ friction = 0.1 }}\n"),
        "smooth-rolling" => {
            format!("{linear}rolling = {{ friction = 0.1, smoothing_speed = 0.05 }}\n")
        }
        "twisting" => {
            format!("{linear}rolling = {{ friction = 0.1 }}\ntwisting = {{ friction = 0.05 }}\n")
        }
        "spring-only" => format!("{linear}coulomb_limit = \"spring\"\n"),
        _ => linear,
    };
    let bond = match (law, space) {
        ("bonded", true) => "normal = 1.0, shear = 0.5, bending = 1e-5",
        ("bonded", false) => "normal = 300.0, shear = 150.0, bending = 1e-3",
        _ => "",
    };
    let bond = match bond {
        "" => String::new(),
        bond => format!(
            "bond = {{ gap = 0.002, stiffness = {{ {bond} }}, damping = 0.1, loads = {{ tension = 0.2, shear = 0.2 }} }}\n"
        ),
    };
    [("stuff", bond), ("wall", String::new())]
        .map(|(other, bond)| format!("[[law]]\nbetween = [\"stuff\", \"{other}\"]\n{own}{bond}"))
        .concat()
}

/// `[field]` and what of it changes from place to place.
pub(super) fn field(field: &str, pull: [f64; 2], space: bool) -> String {
    let gravity = match field {
        "no-field" => String::new(),
        _ => format!("gravity = {}\n", to(space, pull[0], pull[1])),
    };
    let more = match field {
        "drag" => "drag = 0.4\n".into(),
        "charges" => format!(
            "electric = {}\nmagnetic = [0.0, 0.3, 2.0]\n",
            to(space, 1.0, 0.5)
        ),
        "gravitation" => "gravitation = 0.02\n".into(),
        "fluid" if space => {
            "[field.fluid]\ndensity = 900.0\nviscosity = 0.3\nlaw = \"schiller-naumann\"\n".into()
        }
        "fluid" => "[field.fluid]\ndensity = 300.0\ndrag_coefficient = 1.2\n".into(),
        "stream" => format!(
            "[field.fluid]\nrelaxation_time = 0.05\n[field.flow.stream]\nmass = 0.3\nvelocity = {}\n",
            to(space, 0.3, 0.0)
        ),
        "frame" => format!(
            "[field.rotation]\nrate = {}\ncentre = {}\n",
            if space { "[0.0, 3.0, 1.0]" } else { "4.0" },
            at(space, 0.05, 0.0)
        ),
        "central" => format!(
            "[field.central]\ncentre = {}\nstrength = 0.02\nradius = 0.03\n",
            at(space, 0.05, -0.05)
        ),
        "grid" => {
            let (count, values) = match space {
                true => ("[2, 1, 1]", "[[1.0, 0.0, 0.5], [-1.0, 0.0, 2.0]]"),
                false => ("[2, 1]", "[[1.0, 0.5], [-1.0, 2.0]]"),
            };
            let spacing = if space {
                "[0.1, 0.1, 0.1]"
            } else {
                "[0.1, 0.1]"
            };
            format!(
                "[field.table]\norigin = {}\nspacing = {spacing}\ncount = {count}\nvalues = {values}\n",
                to(space, 0.0, 0.0)
            )
        }
        _ => String::new(),
    };
    format!("[field]\n{gravity}{more}")
}

/// Along the first axis and up, m/s^2.
pub(super) const GRAVITY: [f64; 2] = [0.4, -9.8];
