//! Shapes of grains that come with the program.

/// Name, description, and the TOML text of each shape, as `arenite calc grain` reads it; lengths in units of about
/// the grain's radius.
pub const SHAPES: [(&str, &str, &str); 8] = [
    (
        "oval",
        "four arcs, 1.56 times as long as wide",
        include_str!("../../models/grains/oval.toml"),
    ),
    (
        "quasi-triangle",
        "three flat sides and three round corners",
        include_str!("../../models/grains/quasi-triangle.toml"),
    ),
    (
        "quasi-square",
        "four flat sides and four round corners",
        include_str!("../../models/grains/quasi-square.toml"),
    ),
    (
        "quasi-pentagon",
        "five flat sides and five round corners",
        include_str!("../../models/grains/quasi-pentagon.toml"),
    ),
    (
        "quasi-heptagon",
        "seven flat sides and seven round corners",
        include_str!("../../models/grains/quasi-heptagon.toml"),
    ),
    (
        "dimer",
        "two spheres, the centre of each on the other",
        include_str!("../../models/grains/dimer.toml"),
    ),
    (
        "t-bar",
        "eight touching spheres in the form of a T",
        include_str!("../../models/grains/t-bar.toml"),
    ),
    (
        "monostable",
        "a prism of 29 sides after Conway and Guy, with one face to stand on",
        include_str!("../../models/grains/monostable.toml"),
    ),
];

/// Returns the TOML text of a shape by its name.
pub fn named_shape(name: &str) -> Option<&'static str> {
    let mut shapes = SHAPES.iter();
    shapes
        .find(|(known, _, _)| *known == name)
        .map(|(_, _, text)| *text)
}
