//! Conversion of a setup to the engine's setup: bodies that have room, a box for its cells.

use super::apart::Apart;
use super::sheared;
use crate::collide::engine::{self, Body, Coming, Limits};
use crate::geometry::{Dimension, Vector};
use crate::system::{CollapseName, Setup, features, perturb};
use crate::walls::Boundary;

/// How often paths may bend by the size of the box within a run: each time they are predicted anew.
const MOST_SPANS: f64 = 1e9;

/// Greatest number of grains to come for which cells are laid out.
const MOST_EXPECTED: f64 = 5e5;

/// Returns the engine's setup; otherwise the boundary that the engine does not support (`None`: the whole setup), and why.
pub fn engine_setup<D: Dimension>(
    setup: &Setup<D>,
) -> Result<engine::Setup<D>, (Option<usize>, String)> {
    let Some(events) = &setup.models.events else {
        return Err((None, "the setup has no event-driven model".into()));
    };
    features::check(setup).map_err(|error| (None, error.to_string()))?;
    let shear = sheared::shear(setup).map_err(|why| (None, why))?;
    for (index, wall) in setup.boundaries.iter().enumerate() {
        if let Some(grain) = outside_vessel(wall, setup) {
            return Err((
                Some(index),
                format!(
                    "the wall `{}` is a vessel, and grain {grain} is not inside",
                    wall.name
                ),
            ));
        }
    }
    let limits = Limits {
        contact_time: events.contact_time,
        collapse_is_elastic: events.collapse == CollapseName::Elastic,
        // Hops on a wall last half the contact time, those of grains that others press last less.
        instant: match events.collapse {
            CollapseName::Elastic => 1e-9 * events.contact_time,
            CollapseName::Stop => 0.0,
        },
        ..Limits::default()
    };
    let apart = Apart::of(setup, &limits);
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
    // The radius that was given decides whether a grain passes.
    let sieved = |wall: &Boundary<D>| Boundary {
        passes_below_radius: match wall.passes_below_radius {
            passes if passes > 0.0 => passes - apart.smaller(),
            passes => passes,
        },
        ..wall.clone()
    };
    let start = engine::Setup {
        bodies,
        coming: coming(setup),
        min,
        max,
        periodic: std::array::from_fn(|k| {
            k < D::N && setup.space.periodic.get(k).is_some_and(Option::is_some)
        }),
        gravity: setup.fields.gravity,
        fields: fields(setup),
        walls: setup.boundaries.iter().map(sieved).collect(),
        species: setup.matter.materials.len(),
        rules: events.rules.clone(),
        laws: events.laws.clone(),
        limits,
        shear,
        time: setup.run.settle.map_or(0.0, |settle| -settle.at_most),
    };
    let (pull, size) = (setup.fields.gravity.norm(), (max - min).norm());
    let spans = 0.5 * setup.run.end_time * (pull / size).sqrt();
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
            Some(wall),
            format!(
                "the wall `{}` {what}; the event-driven model cannot follow it",
                setup.boundaries[wall].name
            ),
        ),
        other => (None, no_start(&other, &setup.matter.materials)),
    })?;
    Ok(start)
}

/// Returns the fields beside gravity; `None` without any.
fn fields<D: Dimension>(setup: &Setup<D>) -> Option<engine::Fields<D>> {
    let course = perturb::gravity_course(setup);
    let any = setup.fields.drag > 0.0 || !setup.fields.place.is_none() || !course.is_steady();
    any.then(|| engine::Fields {
        drag: setup.fields.drag,
        course,
        place: setup.fields.place.clone(),
    })
}

/// Returns the smallest and the largest grain of each sort that feeds give.
fn coming<D: Dimension>(setup: &Setup<D>) -> Vec<Coming<D>> {
    let feeds = setup.sources.feeds.iter().flat_map(|feed| {
        let due = feed.due(&setup.matter.forms, setup.run.end_time).count;
        // Half of the grains at each end.
        let count = (0.5 * due).min(MOST_EXPECTED) as usize;
        let sorts = feed.what.components().iter();
        sorts.map(move |sort| (feed.velocity, sort, count))
    });
    feeds
        .flat_map(|(velocity, sort, count)| {
            [sort.radius.least(), sort.radius.greatest()].map(|radius| Coming {
                body: Body {
                    position: D::Vector::default(),
                    velocity,
                    spin: D::Spin::default(),
                    rotation: D::identity(),
                    radius,
                    mass: sort.density * D::ball_measure(radius),
                    species: sort.material,
                },
                count,
            })
        })
        .collect()
}

/// Returns the first grain outside a wall that can be met only from inside.
fn outside_vessel<D: Dimension>(wall: &Boundary<D>, setup: &Setup<D>) -> Option<u32> {
    let outside = |grain: &&crate::body::Grain<D>| !wall.shape.may_hold(grain.position);
    setup.grains.iter().find(outside).map(|grain| grain.id)
}

/// Describes why the engine cannot start from a setup; names its species by their materials.
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

/// Returns the box of the cells: the extent of walls and grains, or the period.
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
    for feed in &setup.sources.feeds {
        let lasts = feed.last_due(&setup.matter.forms, setup.run.end_time) - feed.start;
        let way = feed.rise * lasts.max(0.0);
        let radius = feed.what.greatest();
        for x in [feed.min, feed.max, feed.min + way, feed.max + way] {
            widen(x, radius);
        }
    }
    for wall in &setup.boundaries {
        if let Some((low, high)) = wall.shape.extent() {
            widen(low, 0.0);
            widen(high, 0.0);
        }
    }
    // A plane across an axis bounds the box along it.
    for wall in &setup.boundaries {
        if let Some([point, normal]) = wall.shape.plane() {
            for k in 0..D::N {
                if normal[k].abs() > 0.999 * normal.norm() {
                    min[k] = min[k].min(point[k]);
                    max[k] = max[k].max(point[k]);
                }
            }
        }
    }
    for k in 0..D::N {
        if let Some(Some(axis)) = setup.space.periodic.get(k) {
            min[k] = axis.origin;
            max[k] = axis.origin + axis.length;
        }
    }
    (min, max)
}
