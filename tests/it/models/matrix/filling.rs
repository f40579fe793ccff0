//! Fillings in equilibrium.

use super::words::{GRAVITY, field, laws};

/// A filling in equilibrium: a square lattice of touching grains, in which the first has two contacts already.
pub fn filling(case: &[&str]) -> String {
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
        "name = \"trial\"\ndimension = {}\nseed = 5\n{}[run]\nend_time = 12.5\n[log]\nseries = 1.0\nsnapshots = 4.0\n\
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
