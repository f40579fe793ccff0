//! Scenarios of every kind that a checkpoint must hold, as a user would write them: one value of each axis.

use crate::covering::Axis;

/// Runs of motion in the plane.
pub const PLANE: &[Axis] = &[
    INTEGRATOR,
    REGIME,
    Axis {
        name: "shape",
        values: &["round", "clump", "oval", "quasi-square"],
    },
    Axis {
        name: "wall",
        values: &[
            "floor", "segment", "polyline", "arc", "box", "in-box", "circle", "rough", "periodic",
            "sheared", "pressed",
        ],
    },
    MOTION,
    FEED,
    FIELD,
    Axis {
        name: "law",
        values: &[
            "linear",
            "hertz",
            "viscoelastic",
            "mutze",
            "force",
            "dmt",
            "jkr",
            "area",
            "fading",
            "plastic",
            "rolling",
            "smooth-rolling",
            "spring-only",
        ],
    },
    SEARCH,
    START,
    PERTURB,
    LOG,
];

/// Runs of motion in space.
pub const SPACE: &[Axis] = &[
    INTEGRATOR,
    REGIME,
    Axis {
        name: "shape",
        values: &["round", "dimer", "t-bar"],
    },
    Axis {
        name: "wall",
        values: &[
            "floor", "box", "in-box", "sphere", "cylinder", "cone", "revolved", "vessel", "mesh",
            "rough", "periodic", "sheared", "pressed",
        ],
    },
    MOTION,
    FEED,
    FIELD,
    Axis {
        name: "law",
        values: &[
            "linear",
            "hertz",
            "viscoelastic",
            "mutze",
            "force",
            "dmt",
            "jkr",
            "area",
            "fading",
            "plastic",
            "rolling",
            "twisting",
            "spring-only",
        ],
    },
    SEARCH,
    START,
    PERTURB,
    LOG,
];

const INTEGRATOR: Axis = Axis {
    name: "integrator",
    values: &["verlet", "euler", "heun", "midpoint"],
};
const REGIME: Axis = Axis {
    name: "regime",
    values: &["stepped", "flight", "collisions", "still"],
};
const MOTION: Axis = Axis {
    name: "motion",
    values: &[
        "fixed",
        "velocity",
        "turning",
        "harmonic",
        "parabolic",
        "pieces",
        "table",
        "guided",
        "belt",
        "gate",
    ],
};
const FEED: Axis = Axis {
    name: "feed",
    values: &["no-feed", "every", "mixed", "mass", "outlet", "reload"],
};
const FIELD: Axis = Axis {
    name: "field",
    values: &[
        "gravity",
        "no-field",
        "drag",
        "charges",
        "gravitation",
        "fluid",
        "stream",
        "frame",
        "central",
        "grid",
    ],
};
const SEARCH: Axis = Axis {
    name: "search",
    values: &["cells", "brute", "hgrid"],
};
const START: Axis = Axis {
    name: "start",
    values: &["at-once", "settled"],
};
const PERTURB: Axis = Axis {
    name: "perturb",
    values: &["undisturbed", "tap", "shake", "tilt", "remove"],
};
const LOG: Axis = Axis {
    name: "log",
    values: &["quiet", "links", "zones", "wear", "meter"],
};

/// Runs from collision to collision, in the plane or in space.
pub const EVENTS: &[Axis] = &[
    Axis {
        name: "space",
        values: &["plane", "space"],
    },
    Axis {
        name: "rule",
        values: &[
            "smooth",
            "rough-rule",
            "lossless",
            "by-law",
            "by-hertz",
            "soft",
        ],
    },
    Axis {
        name: "wall",
        values: &["in-box", "floor", "ball", "can", "vessel", "periodic"],
    },
    Axis {
        name: "motion",
        values: &["fixed", "velocity", "harmonic", "parabolic", "pieces"],
    },
    Axis {
        name: "field",
        values: &["no-field", "gravity"],
    },
    Axis {
        name: "collapse",
        values: &["never", "elastic"],
    },
    Axis {
        name: "log",
        values: &["quiet", "links", "impacts"],
    },
];

/// Fillings in equilibrium.
pub const QUASI_STATIC: &[Axis] = &[
    Axis {
        name: "space",
        values: &["plane", "space"],
    },
    Axis {
        name: "solver",
        values: &["auto", "rima", "cg", "factor"],
    },
    Axis {
        name: "freedom",
        values: &["translational", "full"],
    },
    Axis {
        name: "tension",
        values: &["break", "keep"],
    },
    Axis {
        name: "order",
        values: &["thesis", "one-slide", "all-breaks"],
    },
    Axis {
        name: "placed",
        values: &["settled", "reference"],
    },
    Axis {
        name: "slides",
        values: &["slides", "no-slides"],
    },
    Axis {
        name: "wall",
        values: &["planes", "in-box"],
    },
    Axis {
        name: "log",
        values: &["quiet", "links"],
    },
];

/// A vector along the first axis and up.
fn at(space: bool, along: f64, up: f64) -> String {
    match space {
        true => format!("[{along:?}, 0.05, {up:?}]"),
        false => format!("[{along:?}, {up:?}]"),
    }
}

/// A direction along the first axis and up.
fn to(space: bool, along: f64, up: f64) -> String {
    match space {
        true => format!("[{along:?}, 0.0, {up:?}]"),
        false => format!("[{along:?}, {up:?}]"),
    }
}

/// A box between two distances along and two heights; in space as deep as the vessel.
fn span(space: bool, along: [f64; 2], up: [f64; 2]) -> String {
    let corner = |k: usize| match space {
        true => format!("[{:?}, {:?}, {:?}]", along[k], [0.015, 0.085][k], up[k]),
        false => format!("[{:?}, {:?}]", along[k], up[k]),
    };
    format!("min = {}, max = {}", corner(0), corner(1))
}

/// The law of grains with each other and with walls.
fn laws(law: &str, space: bool) -> String {
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
        "mutze" => {
            "mutze = { squared_restitution = 0.5, friction = 0.4, smoothing_speed = 0.3 }\n".into()
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
        "spring-only" => format!("{linear}limit_spring_only = true\n"),
        _ => linear,
    };
    ["stuff", "wall"]
        .map(|other| format!("[[law]]\nbetween = [\"stuff\", \"{other}\"]\n{own}"))
        .concat()
}

/// The wall under trial, and planes around it.
fn walls(wall: &str, motion: &str, space: bool) -> String {
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
        "pieces" => format!(
            "motion = {{ pieces = [{{ from = 0.005, velocity = {along} }}, {{ from = 0.02, acceleration = {} }}] }}\n",
            to(space, -0.5, -0.8)
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
fn periodic(wall: &str, space: bool) -> String {
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

/// `[field]` and what of it changes from place to place.
fn field(field: &str, pull: [f64; 2], space: bool) -> String {
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

fn feed(feed: &str, shape: &str, space: bool) -> String {
    let region = match space {
        true => "min = [0.02, 0.02, 0.14]\nmax = [0.08, 0.08, 0.16]\n",
        false => "min = [0.02, 0.14]\nmax = [0.08, 0.16]\n",
    };
    let head = format!(
        "[[feed]]\nmaterial = \"stuff\"\n{shape}{region}velocity = {}\nstart = 0.004\npostpone = 0.002\n",
        to(space, 0.0, -0.8)
    );
    let outlet = format!(
        "[[outlet]]\nplane = {{ point = {}, normal = {} }}\n",
        at(space, 0.0, 0.021),
        to(space, 0.0, 1.0)
    );
    match feed {
        "every" => format!("{head}radius = 0.006\ncount = 100\nevery = 0.005\n"),
        "mixed" => format!(
            "{head}radius = 0.006\ncount = 3\npoisson = 400.0\n[[feed.mix]]\nshare = 1.0\n[[feed.mix]]\nshare = 2.0\nradius = {{ min = 0.004, max = 0.006 }}\n"
        ),
        "mass" => format!(
            "{head}radius = {{ mean = 0.005, spread = 0.1 }}\ncount = 100\nmass_rate = {}\n",
            if space { 0.4 } else { 16.0 }
        ),
        "outlet" => outlet,
        "reload" => format!("{outlet}{head}radius = 0.006\ncount = 100\nevery = 0.006\n"),
        _ => String::new(),
    }
}

/// Along the first axis and up, m/s^2.
const GRAVITY: [f64; 2] = [0.4, -9.8];
/// The same three times, which brings grains to rest sooner.
const STRONG: [f64; 2] = [1.2, -29.4];
/// Until most of those that shall stand still have come to rest, s.
const REST: f64 = 0.2;

/// A run of motion: the names of the values in the order of the axes.
pub fn motion(space: bool, case: &[&str]) -> String {
    let &[
        integrator,
        regime,
        shape,
        wall,
        moves,
        fed,
        forces,
        law,
        search,
        start,
        perturb,
        log,
    ] = case
    else {
        panic!("{case:?}")
    };
    let shape = match shape {
        "round" => String::new(),
        other => format!("shape = \"{other}\"\n"),
    };
    let clump = match shape.contains("clump") {
        true => {
            "[shape.clump]\ndisks = [{ centre = [0.0, 0.0], radius = 1.0 }, { centre = [1.2, 0.0], radius = 0.7 }]\n"
        }
        false => "",
    };
    let mut text = format!(
        "name = \"trial\"\ndimension = {}\nseed = 5\n{}[run]\nfinish = {}\nintegrator = \"{integrator}\"\n\
         neighbor = \"{search}\"\nflight = {}\ncollisions = {}\noutlet_interval = 0.003\n",
        if space { 3 } else { 2 },
        field(
            forces,
            if regime == "still" { STRONG } else { GRAVITY },
            space
        ),
        if regime == "still" { REST } else { 0.03 },
        regime != "stepped",
        regime == "collisions",
    );
    // No two ticks but the first at once.
    text += "[log]\nseries = 0.004\nsnapshots = 0.011\n";
    text += &format!(
        "checkpoint = {}\n",
        if regime == "still" {
            REST / 15.5
        } else {
            0.0053
        }
    );
    text += match log {
        "links" => "events = \"links\"\n",
        "zones" => "stagnant = 0.02\n",
        "wear" => "wear = 0.01\n",
        _ => "",
    };
    if log == "meter" {
        text += &format!(
            "[[meter]]\nname = \"gauge\"\nplane = {{ point = {}, normal = {} }}\n",
            at(space, 0.0, 0.04),
            to(space, 0.0, -1.0)
        );
    }
    if regime == "still" {
        // Soon and roughly, so that most stand still within the run, rain or not.
        text += "[morph]\nkinetic = 0.3\ndwell = 1e-3\nresidual = 3.0\nleft = 6.0\nwake = 20.0\nwake_share = 2.0\ncarry_every = 5e-3\n\
                 pace = 2e-3\n";
    }
    if start == "settled" {
        text += "[settle]\nat_most = 0.06\nkinetic_fraction = 1e-9\n";
    }
    text += &periodic(wall, space);
    text += &match forces {
        "charges" => format!(
            "[material.stuff]\ndensity = {}\nyoung = 2e8\npoisson = 0.25\ncharge_per_mass = 1e-6\n\
             magnetic_moment_per_mass = [0.0, 0.001, 0.002]\n",
            if space { 2500.0 } else { 1000.0 }
        ),
        _ => format!(
            "[material.stuff]\ndensity = {}\nyoung = 2e8\npoisson = 0.25\n",
            if space { 2500.0 } else { 1000.0 }
        ),
    };
    text += "[material.wall]\nyoung = 2e8\npoisson = 0.25\n";
    text += clump;
    text += &laws(law, space);
    text += &walls(wall, moves, space);
    let (min, max) = match space {
        true => ("[0.015, 0.015, 0.022]", "[0.085, 0.085, 0.062]"),
        false => ("[0.012, 0.022]", "[0.088, 0.074]"),
    };
    text += &format!(
        "[[fill]]\nmaterial = \"stuff\"\n{shape}[fill.lattice]\ncount = {}\nradius = {{ mean = 0.006, spread = 0.08 }}\n\
         min = {min}\nmax = {max}\njitter = 0.8\nspeed = {}\n",
        if space { 12 } else { 9 },
        if regime == "still" { 0.02 } else { 0.3 },
    );
    text += &feed(fed, &shape, space);
    let nudge = match perturb {
        "tap" => format!("tap = {{ velocity = {} }}\n", to(space, 0.2, 0.5)),
        "shake" => format!(
            "shake = {{ direction = {}, amplitude = 0.002, frequency = 80.0, cycles = 1 }}\n",
            to(space, 1.0, 0.3)
        ),
        "tilt" => format!(
            "tilt = {{ angle = {}, duration = 0.01 }}\n",
            if space { "[0.1, 0.2, 0.0]" } else { "0.3" }
        ),
        "remove" => format!("remove = {{ near = {} }}\n", at(space, 0.05, 0.01)),
        _ => return text,
    };
    text + &format!("[[perturb]]\ntime = 0.012\n{nudge}")
}

/// A run from collision to collision.
pub fn events(case: &[&str]) -> String {
    let &[space, rule, wall, moves, forces, collapse, log] = case else {
        panic!("{case:?}")
    };
    let space = space == "space";
    let mut text = format!(
        "name = \"trial\"\ndimension = {}\nseed = 5\n{}[run]\nfinish = 0.3\n[log]\nseries = 0.04\nsnapshots = 0.09\n\
         checkpoint = 0.043\n{}[events]\ntolerance = 0.01\n",
        if space { 3 } else { 2 },
        field(forces, GRAVITY, space),
        match log {
            "links" => "events = \"links\"\n",
            "impacts" => "impacts = true\n",
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
        "soft" if wall == "periodic" => "collisions = \"soft\"\n",
        "soft" => {
            "collisions = \"soft\"\n[[events.rule]]\nbetween = [\"stuff\", \"wall\"]\nrestitution = 0.95\n"
        }
        _ if wall == "periodic" => "",
        _ => "[[events.rule]]\nbetween = [\"stuff\", \"wall\"]\nrestitution = 0.95\n",
    };
    let law = if rule == "by-hertz" {
        "hertz"
    } else {
        "linear"
    };
    let density = if space { 2500.0 } else { 1000.0 };
    if wall == "periodic" {
        text += match space {
            true => "[periodic]\nx = [0.0, 0.1]\ny = [0.0, 0.1]\nz = [0.0, 0.1]\n",
            false => "[periodic]\nx = [0.0, 0.1]\ny = [0.0, 0.1]\n",
        };
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
    if wall == "periodic" {
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
    }
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

/// A filling in equilibrium: a square lattice of touching grains, in which the first has two contacts already.
pub fn quasi_static(case: &[&str]) -> String {
    let &[
        space,
        solver,
        freedom,
        tension,
        order,
        placed,
        slides,
        wall,
        log,
    ] = case
    else {
        panic!("{case:?}")
    };
    let space = space == "space";
    let mut text = format!(
        "name = \"trial\"\ndimension = {}\nseed = 5\n{}[run]\nfinish = 12.5\n[log]\nseries = 1.0\nsnapshots = 4.0\n\
         checkpoint = 2.3\n{}[quasi_static]\nsolver = \"{solver}\"\nfreedom = \"{freedom}\"\ntension = \"{tension}\"\n\
         order = \"{order}\"\nplaced = \"{placed}\"\nslides = {}\n[material.stuff]\ndensity = 1000.0\n[material.wall]\n{}",
        if space { 3 } else { 2 },
        field("gravity", GRAVITY, space),
        if log == "links" {
            "events = \"links\"\n"
        } else {
            ""
        },
        slides == "slides",
        laws("linear", space),
    );
    let mut add = |name: &str, shape: &str| {
        text += &format!("[[boundary]]\nname = \"{name}\"\nmaterial = \"wall\"\n{shape}\n");
    };
    let plane =
        |point: &str, normal: &str| format!("plane = {{ point = {point}, normal = {normal} }}");
    match (wall, space) {
        ("in-box", true) => add(
            "box",
            "box = { min = [0.0, 0.0, 0.0], max = [0.0398, 0.0398, 0.3], grains = \"inside\" }",
        ),
        ("in-box", false) => add(
            "box",
            "box = { min = [0.0, 0.0], max = [0.0597, 0.3], grains = \"inside\" }",
        ),
        (_, true) => {
            add("floor", &plane("[0.0, 0.0, 0.0]", "[0.0, 0.0, 1.0]"));
            add("left", &plane("[0.0, 0.0, 0.0]", "[1.0, 0.0, 0.0]"));
            add("right", &plane("[0.0398, 0.0, 0.0]", "[-1.0, 0.0, 0.0]"));
            add("front", &plane("[0.0, 0.0, 0.0]", "[0.0, 1.0, 0.0]"));
            add("back", &plane("[0.0, 0.0398, 0.0]", "[0.0, -1.0, 0.0]"));
        }
        (_, false) => {
            add("floor", &plane("[0.0, 0.0]", "[0.0, 1.0]"));
            add("left", &plane("[0.0, 0.0]", "[1.0, 0.0]"));
            add("right", &plane("[0.0597, 0.0]", "[-1.0, 0.0]"));
        }
    }
    // Pressed into each other a little, so that rounding leaves no gaps.
    let place = |k: usize| 0.0099 + 0.0199 * k as f64;
    let grains = (0..12).map(|k| match space {
        true => format!(
            "{{ position = [{:?}, {:?}, {:?}], radius = 0.01 }}",
            place(k % 2),
            place(k / 2 % 2),
            place(k / 4)
        ),
        false => format!(
            "{{ position = [{:?}, {:?}], radius = 0.01 }}",
            place(k % 3),
            place(k / 3)
        ),
    });
    let grains: Vec<String> = grains.collect();
    text + &format!(
        "[[fill]]\nmaterial = \"stuff\"\ngrains = [{}]\n",
        grains.join(", ")
    )
}
