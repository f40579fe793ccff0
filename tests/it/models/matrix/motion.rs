//! Runs of motion, in the plane and in space.

use super::walls::{periodic, walls};
use super::words::{GRAVITY, at, field, laws, to};

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
        "name = \"trial\"\ndimension = {}\nseed = 5\n{}[run]\nend_time = {}\nintegrator = \"{integrator}\"\n\
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
        text += "[morph]\nkinetic = 0.3\ndwell = 1e-3\nresidual = 3.0\nresidual_after_solve = 6.0\nwake = 20.0\nwake_share = 2.0\ncarry_every = 5e-3\n\
                 solve_time = 2e-3\n";
    } else {
        text += "[morph]\nrigid = false\n";
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

fn feed(feed: &str, shape: &str, space: bool) -> String {
    let region = match space {
        true => "min = [0.02, 0.02, 0.14]\nmax = [0.08, 0.08, 0.16]\n",
        false => "min = [0.02, 0.14]\nmax = [0.08, 0.16]\n",
    };
    let head = format!(
        "[[feed]]\nmaterial = \"stuff\"\n{shape}{region}velocity = {}\nstart = 0.004\nretry_interval = 0.002\n",
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
