//! What there is to choose.

use super::covering::Axis;

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
            "hertz_hysteretic",
            "force",
            "dmt",
            "jkr",
            "area",
            "fading",
            "plastic",
            "rolling",
            "smooth-rolling",
            "spring-only",
            "bonded",
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
            "hertz_hysteretic",
            "force",
            "dmt",
            "jkr",
            "area",
            "fading",
            "plastic",
            "rolling",
            "twisting",
            "spring-only",
            "bonded",
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
    values: &["undisturbed", "tap", "shake", "tilt", "remove", "settles"],
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
        values: &[
            "in-box", "floor", "ball", "can", "vessel", "periodic", "sheared",
        ],
    },
    Axis {
        name: "motion",
        values: &["fixed", "velocity", "harmonic", "parabolic", "pieces"],
    },
    Axis {
        name: "field",
        values: &["gravity", "no-field"],
    },
    Axis {
        name: "collapse",
        values: &["never", "elastic"],
    },
    Axis {
        name: "log",
        values: &["quiet", "links", "impacts", "wear"],
    },
    Axis {
        name: "traffic",
        values: &[
            "closed",
            "feed",
            "outlet",
            "valve-of-feed",
            "valve-of-wall",
            "gate",
        ],
    },
    Axis {
        name: "disturbed",
        values: &["undisturbed", "tap", "shake", "tilt", "remove"],
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
