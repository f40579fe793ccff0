//! `arenite calc flight`: the time at which two bodies touch.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::cases::{CalcError, each, not_negative, parse, positive, vector, wrong};
use crate::geometry::path as paths;
use crate::geometry::{Dimension, Planar, Spatial, Vector};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FlightCase {
    bodies: [FlightBody; 2],
}

#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
enum FlightBody {
    Sphere {
        position: Vec<f64>,
        velocity: Vec<f64>,
        #[serde(default)]
        acceleration: Option<Vec<f64>>,
        radius: f64,
    },
    Plane {
        position: Vec<f64>,
        #[serde(default)]
        velocity: Option<Vec<f64>>,
        #[serde(default)]
        acceleration: Option<Vec<f64>>,
        normal: Vec<f64>,
    },
}

/// Time of the first approaching contact of two bodies on paths of constant acceleration:
/// `{"bodies": [{"kind": "sphere" | "plane", ...}, ...]}` gives `{"time": s | null}`.
pub fn flight(input: Value) -> Result<Value, CalcError> {
    each(input, |case| {
        let case: FlightCase = parse(case)?;
        let (FlightBody::Sphere { position, .. } | FlightBody::Plane { position, .. }) =
            &case.bodies[0];
        match position.len() {
            2 => flight_in::<Planar>(&case),
            3 => flight_in::<Spatial>(&case),
            n => Err(wrong(
                "bodies[0].position",
                format!("has {n} numbers; 2 or 3 are allowed"),
            )),
        }
    })
}

/// Greatest number that is accepted.
const MOST: f64 = 1e70;

enum FlightShape<D: Dimension> {
    Sphere(f64),
    Plane(D::Vector),
}

fn flight_in<D: Dimension>(case: &FlightCase) -> Result<Value, CalcError> {
    let [a, b] = [0, 1].map(|i| flight_body::<D>(&case.bodies[i], i));
    let ((a, shape_a), (b, shape_b)) = (a?, b?);
    // Fourth powers of lengths and speeds must be finite.
    let radius = |shape: &FlightShape<D>| match shape {
        FlightShape::Sphere(radius) => *radius,
        FlightShape::Plane(_) => 0.0,
    };
    let lengths = [
        a.position.norm(),
        b.position.norm(),
        radius(&shape_a),
        radius(&shape_b),
    ];
    let rates = [&a, &b].map(|path| path.velocity.norm().max(path.acceleration.norm()));
    let length = lengths.into_iter().fold(0.0, f64::max);
    let all = rates.into_iter().fold(length, f64::max);
    if all > MOST || (length > 0.0 && length < 1.0 / MOST) {
        return Err(wrong(
            "bodies",
            format!(
                "lengths must be from {:.0e} to {MOST:.0e} m, speeds and accelerations up to {MOST:.0e}",
                1.0 / MOST
            ),
        ));
    }
    let time = match (shape_a, shape_b) {
        (FlightShape::Sphere(r), FlightShape::Sphere(s)) => paths::spheres(&a, &b, r + s),
        (FlightShape::Sphere(r), FlightShape::Plane(n)) => paths::sphere_plane(&a, r, &b, n),
        (FlightShape::Plane(n), FlightShape::Sphere(r)) => paths::sphere_plane(&b, r, &a, n),
        (FlightShape::Plane(_), FlightShape::Plane(_)) => {
            return Err(wrong("bodies", "at least one of the two must be a sphere"));
        }
    };
    Ok(json!({ "time": time }))
}

fn flight_body<D: Dimension>(
    body: &FlightBody,
    index: usize,
) -> Result<(paths::Path<D>, FlightShape<D>), CalcError> {
    let at = |key: &str| format!("bodies[{index}].{key}");
    let read = |values: &[f64], key: &str| vector::<D>(values, &at(key));
    let or_zero = |values: &Option<Vec<f64>>, key: &str| match values {
        Some(values) => read(values, key),
        None => Ok(D::Vector::default()),
    };
    Ok(match body {
        FlightBody::Sphere {
            position,
            velocity,
            acceleration,
            radius,
        } => {
            not_negative(*radius, &at("radius"))?;
            (
                paths::Path {
                    position: read(position, "position")?,
                    velocity: read(velocity, "velocity")?,
                    acceleration: or_zero(acceleration, "acceleration")?,
                },
                FlightShape::Sphere(*radius),
            )
        }
        FlightBody::Plane {
            position,
            velocity,
            acceleration,
            normal,
        } => {
            let normal = read(normal, "normal")?;
            let length = positive(normal.norm(), &at("normal"))
                .map_err(|_| wrong(&at("normal"), "must have a length greater than 0"))?;
            (
                paths::Path {
                    position: read(position, "position")?,
                    velocity: or_zero(velocity, "velocity")?,
                    acceleration: or_zero(acceleration, "acceleration")?,
                },
                FlightShape::Plane(D::Vector::from_fn(|k| normal[k] / length)),
            )
        }
    })
}
