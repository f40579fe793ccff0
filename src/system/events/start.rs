//! From a setup to the engine's: walls cut into what the engine knows, a box for its cells.

use super::apart::Apart;
use crate::body::{Boundary, Images, Shape};
use crate::capabilities::{Feature, Model};
use crate::collide::engine::{self, Body, Limits, Wall, WallShape};
use crate::geometry::{Dimension, Vector};
use crate::system::{CollapseName, Setup, features};

/// How often paths may bend by the size of the box within a run: they are told anew each time.
const MOST_SPANS: f64 = 1e9;

/// What the engine starts from, and to which boundary each of its walls belongs.
#[derive(Clone, Debug)]
pub struct Start<D: Dimension> {
    /// For the engine.
    pub engine: engine::Setup<D>,
    /// Index of the boundary of each wall.
    pub boundary: Vec<usize>,
}

/// The engine's setup; else which boundary cannot be taken (none: the whole), and why.
pub fn engine_setup<D: Dimension>(setup: &Setup<D>) -> Result<Start<D>, (Option<usize>, String)> {
    let Some(events) = &setup.events else {
        return Err((None, "the setup has no event-driven model".into()));
    };
    features::check(setup).map_err(|error| (None, error.to_string()))?;
    let mut walls = Vec::new();
    let mut boundary = Vec::new();
    for (index, wall) in setup.boundaries.iter().enumerate() {
        let fault = |what: String| (Some(index), format!("the wall `{}` {what}", wall.name));
        if has_images(wall, setup) {
            let why = Feature::WallImages.refusal(Model::Collisions, D::N);
            let why = why.unwrap_or_default();
            let what = match wall.motion.is_fixed() {
                true => format!(
                    "stands at a border of the periodic box, and {why}; move it away from there, or leave [events] out"
                ),
                false => format!(
                    "moves in a periodic box, to whose border it may come, and {why}; leave its motion or [events] out"
                ),
            };
            return Err(fault(what));
        }
        for shape in cut(wall, setup).map_err(&fault)? {
            walls.push(Wall {
                shape,
                motion: wall.motion.clone(),
                species: wall.material,
            });
            boundary.push(index);
        }
    }
    let limits = Limits {
        contact_time: events.contact_time,
        collapse_is_elastic: events.collapse == CollapseName::Elastic,
        // Hops on a wall last half the contact time, those of who is pressed by others less.
        instant: match events.collapse {
            CollapseName::Elastic => 1e-9 * events.contact_time,
            CollapseName::Stop => 0.0,
        },
        ..Limits::default()
    };
    let apart = Apart::of(setup, &limits, &walls);
    let bodies: Vec<Body<D>> = setup
        .grains
        .iter()
        .map(|grain| Body {
            position: apart.place(grain.position),
            velocity: grain.velocity,
            spin: grain.spin,
            rotation: grain.rotation,
            radius: grain.radius - apart.smaller(),
            mass: grain.mass,
            species: grain.material,
        })
        .collect();
    let (min, max) = extent(setup);
    let start = engine::Setup {
        bodies,
        min,
        max,
        periodic: std::array::from_fn(|k| {
            k < D::N && setup.periodic.get(k).is_some_and(Option::is_some)
        }),
        gravity: setup.gravity,
        walls,
        species: setup.materials.len(),
        rules: events.rules.clone(),
        laws: events.laws.clone(),
        limits,
        time: 0.0,
    };
    let (pull, size) = (setup.gravity.norm(), (max - min).norm());
    let spans = 0.5 * setup.finish * (pull / size).sqrt();
    if pull > 0.0 && (spans.is_nan() || spans > MOST_SPANS) {
        return Err((
            None,
            format!(
                "gravity of {pull:.3e} m/s^2 bends paths by the size of the box, {size:.3e} m, {spans:.1e} times within the run, more than {MOST_SPANS:.0e}: it would not end"
            ),
        ));
    }
    engine::check(&start).map_err(|error| match error {
        engine::SetupError::Wall(wall, what) => (
            boundary.get(wall).copied(),
            format!(
                "the wall `{}` {what}; the event-driven model cannot follow it",
                setup.boundaries[boundary[wall]].name
            ),
        ),
        other => (None, no_start(&other, &setup.materials)),
    })?;
    Ok(Start {
        engine: start,
        boundary,
    })
}

/// Why the engine cannot start from a setup, its species by the names of their materials.
pub(in crate::system) fn no_start(error: &engine::SetupError, materials: &[String]) -> String {
    match error {
        engine::SetupError::Law { pair: [a, b], why } => {
            format!(
                "the law between `{}` and `{}` {why}",
                materials[*a], materials[*b]
            )
        }
        other => other.to_string(),
    }
}

/// Whether grains can meet a periodic image of a round wall. Of a can they cannot: it goes on without end, or is refused.
fn has_images<D: Dimension>(wall: &Boundary<D>, setup: &Setup<D>) -> bool {
    if matches!(wall.shape, Shape::Revolved { .. }) {
        return false;
    }
    let reach = setup.grains.iter().map(|grain| grain.radius);
    let reach = reach.fold(0.0, f64::max);
    Images::of(wall, 1, &setup.periodic).map_or(true, |images| {
        images.can_be_met(wall, &setup.periodic, reach)
    })
}

/// The shapes that a boundary is made of. A part of a can is taken to go on without end, which
/// changes nothing for grains inside.
fn cut<D: Dimension>(wall: &Boundary<D>, setup: &Setup<D>) -> Result<Vec<WallShape<D>>, String> {
    Ok(match &wall.shape {
        Shape::Plane { point, normal } => vec![WallShape::Plane {
            point: *point,
            normal: *normal * (1.0 / normal.norm()),
        }],
        Shape::Ball {
            centre,
            radius,
            inside,
        } => vec![WallShape::Ball {
            centre: *centre,
            radius: *radius,
            inside: *inside,
        }],
        Shape::Box {
            min,
            max,
            inside: true,
        } => (0..D::N)
            .flat_map(|k| {
                let along = |sign: f64| D::Vector::from_fn(|j| if j == k { sign } else { 0.0 });
                [
                    WallShape::Plane {
                        point: *min,
                        normal: along(1.0),
                    },
                    WallShape::Plane {
                        point: *max,
                        normal: along(-1.0),
                    },
                ]
            })
            .collect(),
        Shape::Revolved {
            origin,
            axis,
            profile,
        } => can(*origin, *axis * (1.0 / axis.norm()), profile, setup)?,
        Shape::Vessel(vessel) => {
            for grain in &setup.grains {
                if vessel.clearance(grain.position) < 0.0 {
                    return Err(format!("is a vessel, and grain {} is not inside", grain.id));
                }
            }
            let lid = |(centre, axis)| WallShape::Dome {
                centre,
                axis,
                radius: vessel.lid_radius,
            };
            let [first, second] = vessel.lids().map(lid);
            vec![
                WallShape::Cylinder {
                    origin: vessel.from,
                    axis: vessel.axis(),
                    radius: vessel.radius,
                    inside: true,
                },
                first,
                second,
            ]
        }
        Shape::Mesh(_)
        | Shape::Grains(_)
        | Shape::Box { .. }
        | Shape::Polyline { .. }
        | Shape::Arc { .. } => {
            return Err("is of a shape that the event-driven model cannot follow".into());
        }
    })
}

/// A cylinder with flat ends: a profile from the axis out, along, and back to the axis.
fn can<D: Dimension>(
    origin: D::Vector,
    axis: D::Vector,
    profile: &[[f64; 2]],
    setup: &Setup<D>,
) -> Result<Vec<WallShape<D>>, String> {
    let Some([radius, low, high]) = Shape::<D>::can(profile) else {
        return Err(
            "is no can: its profile must go out from the axis, along it, and straight back".into(),
        );
    };
    for grain in &setup.grains {
        let d = grain.position - origin;
        let height = axis.dot(&d);
        if (d - axis * height).norm() > radius || height < low || height > high {
            return Err(format!("is a can, and grain {} is not inside", grain.id));
        }
    }
    Ok(vec![
        WallShape::Cylinder {
            origin,
            axis,
            radius,
            inside: true,
        },
        WallShape::Plane {
            point: origin + axis * low,
            normal: axis,
        },
        WallShape::Plane {
            point: origin + axis * high,
            normal: -axis,
        },
    ])
}

/// The box of the cells: what walls and grains span, or the period.
fn extent<D: Dimension>(setup: &Setup<D>) -> (D::Vector, D::Vector) {
    let mut min = D::Vector::from_fn(|_| f64::INFINITY);
    let mut max = -min;
    let mut widen = |x: D::Vector, r: f64| {
        for k in 0..D::N {
            min[k] = min[k].min(x[k] - r);
            max[k] = max[k].max(x[k] + r);
        }
    };
    for grain in &setup.grains {
        widen(grain.position, grain.radius);
    }
    for wall in &setup.boundaries {
        if let Some((low, high)) = wall.shape.extent() {
            widen(low, 0.0);
            widen(high, 0.0);
        }
    }
    // A plane across an axis bounds it.
    for wall in &setup.boundaries {
        if let Shape::Plane { point, normal } = &wall.shape {
            for k in 0..D::N {
                if normal[k].abs() > 0.999 * normal.norm() {
                    min[k] = min[k].min(point[k]);
                    max[k] = max[k].max(point[k]);
                }
            }
        }
    }
    for k in 0..D::N {
        if let Some(Some(axis)) = setup.periodic.get(k) {
            min[k] = axis.origin;
            max[k] = axis.origin + axis.length;
        }
    }
    (min, max)
}
