//! The walls of random runs: closed vessels that stand still, or move on a path that is told; what these do to grains is
//! in the books of energy and momentum.

use std::fmt::Write;

use arenite::cluster::integrate::Integrate;
use arenite::geometry::Vector;
use arenite::record::{MemorySink, Summary};
use arenite::system::Setup;

use crate::models::random_draws::{SIDE, one_of, written};
use crate::support::{Dice, close};

/// How far a shaken floor goes up and down, m.
pub const SHAKEN: f64 = 0.002;

/// What keeps the grains in: closed, and its own mirror image.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Walls {
    /// Each side a plane.
    Planes,
    /// As planes, the floor moves up and down.
    Shaken,
    /// Thin walls: a chain of segments, in space a mesh of triangles.
    Thin,
    Box,
    /// A circle or a sphere about the box.
    Round,
    /// In space: a cylinder about the box with flat ends, a turned profile.
    Can,
    /// In space: the same with ends that bulge.
    Vessel,
    /// Floor and lid; along x, in space along y too, the box repeats itself.
    Periodic,
}

/// Radius of the spheres of which the ends of a vessel are parts, m.
const LID: f64 = 0.9 * SIDE;

/// How all walls of a vessel move together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Moved {
    No,
    Velocity,
    /// About the middle, where it began; in space about any axis.
    Turning,
    Harmonic,
    Parabolic,
    /// Pushed off, then braked.
    Pieces,
}

impl Moved {
    /// Half of the vessels that may stand still.
    pub fn drawn(dice: &mut Dice, walls: Walls) -> Moved {
        use Moved::*;
        let all = [
            No, No, No, No, No, Turning, Velocity, Harmonic, Parabolic, Pieces,
        ];
        match *one_of(dice, &all) {
            // What repeats itself along x does not turn.
            Turning if walls == Walls::Periodic => Velocity,
            moved => moved,
        }
    }
}

/// The line of a wall that tells how it moves.
pub fn motion(seed: u64, space: bool, moved: Moved) -> String {
    let dice = &mut Dice(!seed);
    let dimension = if space { 3 } else { 2 };
    let mut any = |size: f64| {
        let drawn = [0; 3].map(|_| size * dice.between(-1.0, 1.0));
        written(dimension, &|k| drawn[k])
    };
    let told = match moved {
        Moved::No => return String::new(),
        Moved::Velocity => format!("velocity = {}", any(0.5)),
        Moved::Turning => format!(
            "rotation = {{ centre = {}, spin = {} }}",
            written(dimension, &|_| 0.5 * SIDE),
            // In the plane a number.
            match space {
                true => any(8.0),
                false => any(8.0)
                    .trim_matches(['[', ']'])
                    .split(',')
                    .next()
                    .unwrap_or_default()
                    .into(),
            }
        ),
        Moved::Harmonic => format!(
            "harmonic = {{ amplitude = {}, frequency = 7.0 }}",
            any(0.01)
        ),
        Moved::Parabolic => format!(
            "parabolic = {{ amplitude = {}, frequency = 6.0 }}",
            any(0.01)
        ),
        Moved::Pieces => format!(
            "pieces = [{{ from = 0.02, velocity = {}, acceleration = {} }}, {{ from = 0.17 }}]",
            any(0.3),
            any(3.0)
        ),
    };
    format!("motion = {{ {told} }}\n")
}

/// All walls, each with a line that tells how it moves.
pub fn boundaries(space: bool, walls: Walls, motion: &str) -> String {
    let dimension = if space { 3 } else { 2 };
    let vector = |of: &dyn Fn(usize) -> f64| written(dimension, of);
    let mut text = String::new();
    let last = dimension - 1;
    let mut plane = |axis: usize, end: usize, motion: &str| {
        let at = |value: f64| vector(&|k| if k == axis { value } else { 0.0 });
        let (point, normal) = match end {
            0 => (at(0.0), at(1.0)),
            _ => (at(SIDE), at(-1.0)),
        };
        let _ = write!(
            text,
            "[[boundary]]\nname = \"side{axis}{end}\"\nmaterial = \"stuff\"\nplane = {{ point = {point}, normal = \
             {normal} }}\n{motion}"
        );
    };
    let (zero, side) = (vector(&|_| 0.0), vector(&|_| SIDE));
    let named = |what: String| {
        format!("[[boundary]]\nname = \"vessel\"\nmaterial = \"stuff\"\n{what}\n{motion}")
    };
    match walls {
        Walls::Planes | Walls::Shaken | Walls::Periodic => {
            let first = if walls == Walls::Periodic { last } else { 0 };
            for axis in first..=last {
                for end in 0..2 {
                    let floor = axis == last && end == 0;
                    let motion = match walls == Walls::Shaken && floor {
                        true => format!(
                            "motion = {{ harmonic = {{ amplitude = {}, frequency = 8.0 }} }}\n",
                            vector(&|k| if k == last { SHAKEN } else { 0.0 })
                        ),
                        false => motion.into(),
                    };
                    plane(axis, end, &motion);
                }
            }
            if walls == Walls::Periodic {
                for axis in &["x", "y"][..last] {
                    let head = if *axis == "x" { "[periodic]\n" } else { "" };
                    let _ = writeln!(text, "{head}{axis} = [0.0, {SIDE}]");
                }
            }
            text
        }
        Walls::Thin if !space => named(format!(
            "polyline = {{ points = [[0.0, 0.0], [{SIDE}, 0.0], [{SIDE}, {SIDE}], [0.0, {SIDE}]], closed = true }}"
        )),
        Walls::Thin => {
            let corner = |k: usize| vector(&|axis| if k >> axis & 1 == 1 { SIDE } else { 0.0 });
            let corners: Vec<String> = (0..8).map(corner).collect();
            // Each side of the box by two triangles.
            let triangles = [
                [0, 1, 2],
                [1, 3, 2],
                [4, 6, 5],
                [5, 6, 7],
                [0, 4, 1],
                [1, 4, 5],
                [2, 3, 6],
                [3, 7, 6],
                [0, 2, 4],
                [2, 6, 4],
                [1, 5, 3],
                [3, 5, 7],
            ];
            named(format!(
                "mesh = {{ corners = [{}], triangles = {triangles:?} }}",
                corners.join(", ")
            ))
        }
        Walls::Box => named(format!(
            "box = {{ min = {zero}, max = {side}, grains = \"inside\" }}"
        )),
        Walls::Round => named(format!(
            "{} = {{ centre = {}, radius = {}, grains = \"inside\" }}",
            if space { "sphere" } else { "circle" },
            vector(&|_| 0.5 * SIDE),
            around(space)
        )),
        Walls::Can => named(format!(
            "revolved = {{ origin = {}, axis = [0.0, 0.0, 1.0], profile = [[0.0, 0.0], [{wide}, 0.0], [{wide}, {SIDE}], \
             [0.0, {SIDE}]] }}",
            vector(&|k| if k == 2 { 0.0 } else { 0.5 * SIDE }),
            wide = around(false),
        )),
        Walls::Vessel => named(format!(
            "vessel = {{ from = {}, to = {}, radius = {}, lid_radius = {} }}",
            vector(&|k| if k == 2 { 0.0 } else { 0.5 * SIDE }),
            vector(&|k| if k == 2 { SIDE } else { 0.5 * SIDE }),
            around(false),
            LID
        )),
    }
}

/// Radius of the circle or the sphere about the box.
fn around(space: bool) -> f64 {
    0.5 * SIDE * if space { 3.0_f64 } else { 2.0 }.sqrt()
}

/// Where a grain must be: in the vessel, wherever that has gone.
pub fn in_vessel<D: Integrate>(setup: &Setup<D>, walls: Walls, place: D::Vector) -> bool {
    let pose = setup.boundaries[0].motion.pose(setup.run.end_time);
    let place = match walls {
        // Its floor alone moves.
        Walls::Shaken => place,
        _ => pose.to_frame(place),
    };
    let from_middle = place - D::Vector::from_fn(|_| 0.5 * SIDE);
    match walls {
        Walls::Round => from_middle.norm() <= around(D::N == 3),
        Walls::Can | Walls::Vessel => {
            let height = from_middle[D::N - 1];
            let across = (from_middle.norm_squared() - height * height).sqrt();
            // An end that bulges: a part of a sphere over the rim.
            let lid = |across: f64| (LID * LID - across * across).sqrt();
            let bulge = match walls {
                Walls::Vessel => lid(across.min(around(false))) - lid(around(false)),
                _ => 0.0,
            };
            across <= around(false) && height.abs() <= 0.5 * SIDE + bulge
        }
        // Along the others there are no walls.
        Walls::Periodic => from_middle[D::N - 1].abs() <= 0.5 * SIDE,
        _ => (0..D::N).all(|axis| from_middle[axis].abs() <= 0.5 * SIDE + SHAKEN),
    }
}

/// What walls did to grains is what is injected; where a wall moves or turns evenly it is its velocity or spin times
/// the momentum that it gave; both to a share of what flowed.
pub fn work_is_booked<D: Integrate>(
    setup: &Setup<D>,
    (walls, moved): (Walls, Moved),
    summary: &Summary,
    sink: &MemorySink,
    share: f64,
    what: &str,
) {
    let works = |wall: usize| sink.series.last().map_or(0.0, |row| row.walls[wall][6]);
    let all = 0..setup.boundaries.len();
    let (given, size) = all.clone().fold((0.0, 0.0), |(sum, size), wall| {
        (sum + works(wall), size + works(wall).abs())
    });
    // Gravity may point across a seam: who is lifted over it is given energy too.
    if walls != Walls::Periodic {
        let book = summary.energy.injected;
        close(
            &format!("{what}: work of walls"),
            given,
            book,
            share * size.max(1e-9),
        );
    }
    for wall in all {
        let pose = setup.boundaries[wall].motion.pose(0.0);
        let (mut expected, mut flowed, mut before) = (0.0, 1e-9, 0.0);
        for row in &sink.series {
            let took = row.walls[wall];
            let lasted = row.time - before;
            before = row.time;
            let part = match moved {
                Moved::Velocity => (0..D::N).map(|k| -took[k] * pose.velocity[k]).sum::<f64>(),
                // Moments are about the middle of a round wall or a box.
                Moved::Turning if matches!(walls, Walls::Round | Walls::Box) => (0..D::SPINS)
                    .map(|k| -took[6 - D::SPINS + k] * D::spin_component(pose.spin, k))
                    .sum(),
                Moved::No if walls != Walls::Shaken => 0.0,
                _ => return,
            };
            expected += part * lasted;
            flowed += (part * lasted).abs();
        }
        close(
            &format!("{what}: work of wall {wall}"),
            works(wall),
            expected,
            share * flowed,
        );
    }
}
