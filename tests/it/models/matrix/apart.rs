//! What does not go together, and what the message says.

/// Two groups of values, any of the one not with any of the other, and what the message says.
pub(super) type Apart = (
    &'static [&'static str],
    &'static [&'static str],
    &'static str,
);

const AFAR: &[&str] = &["charges", "gravitation"];
const OF_PLACES: &[&str] = &["fluid", "stream", "frame", "central", "grid"];
const MOVES: &[&str] = &[
    "velocity",
    "turning",
    "harmonic",
    "parabolic",
    "pieces",
    "table",
];
const MORE_LAWS: &[&str] = &[
    "force",
    "dmt",
    "jkr",
    "area",
    "fading",
    "plastic",
    "rolling",
    "spring-only",
];
const CELLS: &[&str] = &["sheared", "pressed"];
const REPEATS: &[&str] = &["periodic", "sheared", "pressed"];

/// What does not go together in motion.
pub(super) const COMMON: &[Apart] = &[
    (
        &["heun"],
        &["drag"],
        "its second stage has contact forces and gravity only",
    ),
    (
        &["heun"],
        AFAR,
        "its second stage has contact forces and gravity only",
    ),
    (
        &["heun"],
        OF_PLACES,
        "its second stage has contact forces and gravity only",
    ),
    (
        &["heun"],
        &["guided"],
        "`heun` takes no walls that forces move",
    ),
    (
        &["heun"],
        MORE_LAWS,
        "its second stage has spring, dashpot and friction only",
    ),
    (
        &["heun"],
        &["bonded"],
        "its second stage has spring, dashpot and friction only",
    ),
    (&["euler"], &["bonded"], "bonds swing ever more"),
    (&["still"], &["bonded"], "what stands still has no bonds"),
    (&["euler", "heun", "midpoint"], CELLS, "`verlet`"),
    (&["still"], CELLS, "[morph]"),
    (&["collisions"], AFAR, "no grain a path of its own"),
    (
        &["collisions"],
        &["stream"],
        "its grains do not act on a fluid",
    ),
    (&["collisions"], CELLS, "`run.collisions`"),
    (REPEATS, AFAR, "comes from all images"),
    (REPEATS, &["fluid"], "would lift grains across the seam"),
    (
        REPEATS,
        &["frame", "central", "grid"],
        "where space would repeat itself",
    ),
    (CELLS, &["gravity", "drag", "stream"], "supports no gravity"),
    (CELLS, MOVES, "wall"),
    (CELLS, &["guided", "belt", "gate"], "wall"),
    (
        CELLS,
        &["every", "mixed", "mass", "reload"],
        "takes in no grains",
    ),
    (CELLS, &["outlet"], "lets no grain go"),
    (CELLS, &["settled"], "supports no settling"),
    (CELLS, &["meter"], "no fixed places to meter"),
    (CELLS, &["tap", "shake", "remove"], "perturb"),
    (CELLS, &["tilt"], "supports no gravity"),
    (
        &["fluid"],
        &["shake", "tilt"],
        "does not follow a gravity that changes",
    ),
    (
        &["no-field"],
        &["tilt"],
        "without gravity there is nothing to tilt",
    ),
];

pub(super) const IN_PLANE: &[Apart] = &[
    (
        &["heun"],
        &["smooth-rolling"],
        "its second stage has spring, dashpot and friction only",
    ),
    (
        &["oval", "quasi-square"],
        MORE_LAWS,
        "grains of arcs know spring, dashpot and friction only",
    ),
    (
        &["oval", "quasi-square"],
        &["smooth-rolling"],
        "grains of arcs know spring, dashpot and friction only",
    ),
    (
        &["clump", "oval", "quasi-square"],
        &["bonded"],
        "bonds join disks and spheres",
    ),
    (&["clump", "oval"], CELLS, "holds disks or spheres only"),
    // The circle of a flat side is wider than the box.
    (&["quasi-square"], CELLS, "at least two diameters"),
];

pub(super) const IN_SPACE: &[Apart] = &[
    (
        &["heun"],
        &["twisting"],
        "its second stage has spring, dashpot and friction only",
    ),
    (
        &["dimer", "t-bar"],
        &["bonded"],
        "bonds join disks and spheres",
    ),
    (&["dimer", "t-bar"], CELLS, "holds disks or spheres only"),
    (
        &["dimer", "t-bar"],
        &["frame"],
        "only balls are known in space",
    ),
];

pub(super) const BY_EVENTS: &[Apart] = &[
    (&["sheared"], &["gravity", "tilt"], "supports no gravity"),
    (
        &["sheared"],
        &["feed", "valve-of-feed"],
        "takes in no grains",
    ),
    (&["sheared"], &["outlet"], "lets no grain go"),
    (&["sheared"], &["tap", "shake", "remove"], "perturb"),
    (&["plane"], &["can", "vessel"], "is a shape of 3 dimensions"),
    (
        &["soft"],
        &["shake", "tilt"],
        "contacts that last go on parabolas",
    ),
    (
        &["no-field"],
        &["tilt"],
        "without gravity there is nothing to tilt",
    ),
];
