//! Shapes of many disks or spheres: packed into an outline, or in a row.

use super::check::Check;
use super::radii::radius_law;
use super::shapes::MOST_PARTS;
use crate::body::Ball;
use crate::geometry::{Dimension, Vector};
use crate::scenario::fill::{self, Filling};
use crate::scenario::path::Place;
use crate::scenario::problem::Problem;
use crate::scenario::spec::{Arrangement, ChainSpec, PackedSpec, RadiusSpec};
use crate::system::{Mixture, PeriodicAxis, RadiusLaw};
use crate::walls::Boundary;
use crate::walls::shapes::{Plane, Shape};

/// A ball that reaches over the outline by no more than this, over its radius, is inside.
const ROUNDING: f64 = 1e-9;
/// Greatest number of lattice places that are tried.
const MOST: f64 = 1e6;
/// Greatest number of balls that roll down: a quarter of a millisecond each.
const MOST_ROLLING: f64 = 3e4;
/// Room below and above the outline, where the floor and the surface disturb a random arrangement, in greatest radii.
const BESIDE: f64 = 4.0;
/// Share of the plane and of space that the densest of such arrangements fill: so many balls cover the outline.
const DENSE: [f64; 2] = [0.91, 0.62];

/// Outline about the origin.
enum Outline<V> {
    Ball(f64),
    /// Half the edges.
    Brick(V),
    /// Radius, and half the length.
    Cylinder(f64, f64),
}

impl<V: Vector> Outline<V> {
    /// Whether a ball is wholly inside.
    fn holds(&self, centre: V, radius: f64) -> bool {
        let radius = radius * (1.0 - ROUNDING);
        match self {
            Outline::Ball(reach) => centre.norm() + radius <= *reach,
            Outline::Brick(half) => half
                .components()
                .zip(centre.components())
                .all(|(half, x)| x.abs() + radius <= half),
            Outline::Cylinder(reach, half) => {
                (centre[0] * centre[0] + centre[1] * centre[1]).sqrt() + radius <= *reach
                    && centre[2].abs() + radius <= *half
            }
        }
    }

    /// Half the edges of the box around it.
    fn half(&self) -> V {
        match self {
            Outline::Ball(reach) => V::from_fn(|_| *reach),
            Outline::Brick(half) => *half,
            Outline::Cylinder(reach, half) => V::from_fn(|k| if k < 2 { *reach } else { *half }),
        }
    }
}

fn outline<D: Dimension>(
    check: Check<'_>,
    at: &Place,
    spec: &PackedSpec,
) -> Result<Outline<D::Vector>, Problem> {
    check.one_of(
        at,
        "what the balls fill",
        &[
            ("ball", spec.ball.is_some()),
            ("brick", spec.brick.is_some()),
            ("cylinder", spec.cylinder.is_some()),
        ],
    )?;
    if let Some(edges) = &spec.brick {
        let here = at.key("brick");
        let edges = check.vector::<D>(&here, edges)?;
        for (k, edge) in edges.components().enumerate() {
            check.positive(&here.index(k), edge)?;
        }
        return Ok(Outline::Brick(edges * 0.5));
    }
    if let Some(cylinder) = &spec.cylinder {
        let here = at.key("cylinder");
        if D::N == 2 {
            let what = "a cylinder is an outline in space; in the plane give `brick`";
            return Err(Problem::at_key(&here, what));
        }
        return Ok(Outline::Cylinder(
            check.positive(&here.key("radius"), cylinder.radius)?,
            0.5 * check.positive(&here.key("length"), cylinder.length)?,
        ));
    }
    let reach = spec.ball.unwrap_or(f64::NAN);
    Ok(Outline::Ball(check.positive(&at.key("ball"), reach)?))
}

/// Returns the balls packed into an outline.
pub(super) fn balls<D: Dimension>(
    check: Check<'_>,
    at: &Place,
    spec: &PackedSpec,
) -> Result<Vec<Ball<D>>, Problem> {
    let outline = outline::<D>(check, at, spec)?;
    let law = radius_law::<D>(check, &at.key("radius"), &spec.radius)?;
    let balls = match (&spec.radius, spec.arrangement) {
        (RadiusSpec::Equal(radius), Arrangement::Lattice) => {
            if spec.seed.is_some() {
                let what = "a lattice draws nothing; `seed` is for `arrangement = \"random\"`";
                return Err(Problem::at_key(&at.key("seed"), what));
            }
            lattice::<D>(at, &outline, *radius)?
        }
        (RadiusSpec::Drawn(_), Arrangement::Lattice) => {
            let what =
                "on a lattice all radii are equal; different ones need `arrangement = \"random\"`";
            return Err(Problem::at_key(&at.key("radius"), what));
        }
        (_, Arrangement::Random) => random::<D>(at, &outline, law, spec.seed.unwrap_or(1))?,
    };
    if balls.is_empty() {
        return Err(Problem::at(
            at,
            format!("`{at}`: none of its balls fits inside; take smaller ones"),
        ));
    }
    Ok(balls)
}

fn too_many(at: &Place, count: f64, most: f64) -> Problem {
    Problem::at_key(
        &at.key("radius"),
        format!(
            "about {count:.0} balls would have to be tried, at most {most} are; take larger ones"
        ),
    )
}

/// Returns the balls on the densest lattice that has one at the origin.
fn lattice<D: Dimension>(
    at: &Place,
    outline: &Outline<D::Vector>,
    radius: f64,
) -> Result<Vec<Ball<D>>, Problem> {
    let half = outline.half();
    // Distances of rows in a layer, and of layers.
    let steps = [2.0, 3.0_f64.sqrt(), (8.0_f64 / 3.0).sqrt()].map(|step| step * radius);
    let reach = |axis: usize| libm::ceil(half[axis] / steps[axis]) + 1.0;
    let count: f64 = (0..D::N).map(|axis| 2.0 * reach(axis) + 1.0).product();
    if count > MOST {
        return Err(too_many(at, count, MOST));
    }
    let range = |axis: usize| {
        let most = if axis < D::N { reach(axis) as i64 } else { 0 };
        -most..=most
    };
    let mut balls = Vec::new();
    for layer in range(2) {
        // Layers A, B and C of a face-centred lattice: each third one repeats.
        let shift = layer.rem_euclid(3) as f64;
        for row in range(1) {
            let odd = row.rem_euclid(2) as f64;
            for place in range(0) {
                let x = [
                    (place as f64 + 0.5 * odd + 0.5 * shift) * steps[0],
                    row as f64 * steps[1] + shift * steps[1] / 3.0,
                    layer as f64 * steps[2],
                ];
                let centre = D::Vector::from_fn(|k| x[k]);
                if outline.holds(centre, radius) {
                    balls.push(Ball { centre, radius });
                }
            }
        }
    }
    Ok(balls)
}

/// Returns the balls of a box, periodic sideways, into which they rolled one by one that lie inside.
fn random<D: Dimension>(
    at: &Place,
    outline: &Outline<D::Vector>,
    law: RadiusLaw,
    seed: u64,
) -> Result<Vec<Ball<D>>, Problem> {
    let up = D::N - 1;
    let largest = law.greatest();
    let half = outline.half();
    let half = D::Vector::from_fn(|k| match k == up {
        true => half[k] + BESIDE * largest,
        // Wide enough for nobody to meet its own image.
        false => half[k].max(2.5 * largest),
    });
    let measure: f64 = (0..D::N).map(|k| 2.0 * half[k]).product();
    let count = DENSE[D::N - 2] * measure / (D::ball_measure(1.0) * law.moment(D::N as u8));
    if count.is_nan() || count > MOST_ROLLING {
        return Err(too_many(at, count, MOST_ROLLING));
    }
    let axis = |k: usize| PeriodicAxis {
        origin: -half[k],
        length: 2.0 * half[k],
    };
    let normal = D::Vector::from_fn(|k| if k == up { 1.0 } else { 0.0 });
    let point = normal * -half[up];
    let floor = Boundary::<D>::standing(Shape::Plane(Plane { point, normal }), 0);
    let request = fill::Request {
        boundaries: &[floor],
        existing: &[],
        periodic: &(0..D::N)
            .map(|k| (k != up).then(|| axis(k)))
            .collect::<Vec<_>>(),
        inside: None,
        count: count as usize,
        what: Mixture::one(0, 1.0, law),
        min: half * -1.0,
        max: D::Vector::from_fn(|k| if k == up { 3.0 * half[k] } else { half[k] }),
        first_id: 0,
    };
    let filled = fill::fill(Filling::RollDown, &request, seed, 0)
        .map_err(|why| Problem::at(at, format!("`{at}` cannot be packed: {why}")))?;
    let balls = filled.into_iter().map(|grain| Ball {
        centre: grain.position,
        radius: grain.radius,
    });
    Ok(balls
        .filter(|ball| outline.holds(ball.centre, ball.radius))
        .collect())
}

/// Returns the balls of a chain along x about the origin.
pub(super) fn chain<D: Dimension>(
    check: Check<'_>,
    at: &Place,
    spec: &ChainSpec,
) -> Result<Vec<Ball<D>>, Problem> {
    let radius = check.positive(&at.key("radius"), spec.radius)?;
    let distance = match spec.distance {
        Some(distance) => check.positive(&at.key("distance"), distance)?,
        None => 2.0 * radius,
    };
    if !(1..=MOST_PARTS as u64).contains(&spec.count) {
        let count = spec.count.to_string();
        let allowed = format!("from 1 to {MOST_PARTS}");
        return Err(check.wrong(&at.key("count"), &count, &allowed));
    }
    let middle = 0.5 * (spec.count - 1) as f64;
    let ball = |k: u64| Ball {
        centre: D::Vector::from_fn(|axis| match axis {
            0 => (k as f64 - middle) * distance,
            _ => 0.0,
        }),
        radius,
    };
    Ok((0..spec.count).map(ball).collect())
}
