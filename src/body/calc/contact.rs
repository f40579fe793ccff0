//! `arenite calc contact`: contacts of two grains.

use std::path::Path;

use nalgebra::{Quaternion, UnitQuaternion, Vector2};
use serde::Deserialize;
use serde_json::{Value, json};

use super::shape::{Shape, take};
use crate::body::arcs::{ArcPose, ArcProfile};
use crate::body::{ArcGrain, Ball, Clump};
use crate::cases::{CalcError, each, parse, vector, wrong};
use crate::geometry::{Dimension, Planar, Spatial, Vector};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    a: Value,
    b: Value,
}

/// Pose of a grain; the density of a shape that was copied from a mass case is ignored.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Place {
    position: Vec<f64>,
    #[serde(default)]
    rotation: Option<Turn>,
    #[serde(default, rename = "density")]
    _density: Option<f64>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Turn {
    Angle(f64),
    Quaternion([f64; 4]),
}

/// Returns contacts of two grains: shapes as for mass properties, each with `position` and `rotation`, give
/// `{"contacts": [{"overlap":, "normal":, "point":, "feature_a":, "feature_b":}]}`. Paths are relative to `folder`.
///
/// # Errors
/// When a case does not have that form, or contacts of a shape are not supported.
pub fn contact(input: Value, folder: &Path) -> Result<Value, CalcError> {
    each(input, |case| {
        let Case { mut a, mut b } = parse(case)?;
        let shapes = [take(&mut a, folder, "a.")?, take(&mut b, folder, "b.")?];
        let places = [place(a, "a")?, place(b, "b")?];
        for (shape, name) in shapes.iter().zip(["a", "b"]) {
            if matches!(shape, Shape::Mesh(_)) {
                let message = "contacts of surfaces are not there; make the grain of spheres";
                return Err(wrong(&format!("{name}.stl"), message));
            }
        }
        let contacts = match &shapes {
            [Shape::Spheres(p), Shape::Spheres(q)] => clumps(p, q, &places, turns(&places)?)?,
            [Shape::Disks(p), Shape::Disks(q)] => clumps(p, q, &places, angles(&places)?)?,
            [Shape::Spheres(_), _] | [_, Shape::Spheres(_)] => {
                return Err(wrong(
                    "b",
                    "is not of the dimension of a: disks and arcs are planar, spheres are not",
                ));
            }
            [p, q] => planar(p, q, &places, angles(&places)?)?,
        };
        Ok(json!({ "contacts": contacts }))
    })
}

fn place(value: Value, name: &str) -> Result<Place, CalcError> {
    parse(value).map_err(|error| match error {
        CalcError::Invalid { place, message } if place == "the case" => wrong(name, message),
        CalcError::Invalid { place, message } => wrong(&format!("{name}.{place}"), message),
        other => other,
    })
}

fn angles(places: &[Place; 2]) -> Result<[f64; 2], CalcError> {
    let mut angles = [0.0; 2];
    for ((angle, place), name) in angles.iter_mut().zip(places).zip(["a", "b"]) {
        *angle = match place.rotation {
            None => 0.0,
            Some(Turn::Angle(angle)) if angle.is_finite() => angle,
            _ => {
                let message = "must be an angle in rad in the plane";
                return Err(wrong(&format!("{name}.rotation"), message));
            }
        };
    }
    Ok(angles)
}

fn turns(places: &[Place; 2]) -> Result<[UnitQuaternion<f64>; 2], CalcError> {
    let mut turns = [Spatial::identity(); 2];
    for ((turn, place), name) in turns.iter_mut().zip(places).zip(["a", "b"]) {
        *turn = match place.rotation {
            None => continue,
            Some(Turn::Quaternion([x, y, z, w])) => {
                let given = Quaternion::new(w, x, y, z);
                let norm = given.norm();
                if (norm - 1.0).abs() > 1e-6 || !norm.is_finite() {
                    let message = format!("must have length 1, not {norm}");
                    return Err(wrong(&format!("{name}.rotation"), message));
                }
                UnitQuaternion::new_normalize(given)
            }
            Some(Turn::Angle(_)) => {
                let message = "must be a quaternion x, y, z, w in space";
                return Err(wrong(&format!("{name}.rotation"), message));
            }
        };
    }
    Ok(turns)
}

/// Returns the contacts of clumps, one for each pair of components that overlap; buried ones never touch.
fn clumps<D: Dimension>(
    p: &Clump<D>,
    q: &Clump<D>,
    places: &[Place; 2],
    rotations: [D::Rotation; 2],
) -> Result<Vec<Value>, CalcError> {
    let mut placed: Vec<Vec<(usize, Ball<D>)>> = Vec::with_capacity(2);
    for (i, clump) in [p, q].into_iter().enumerate() {
        let position = vector::<D>(&places[i].position, &format!("{}.position", ["a", "b"][i]))?;
        let moved = |(k, ball): (usize, &Ball<D>)| {
            let centre = position + D::rotate(rotations[i], ball.centre);
            (k, Ball { centre, ..*ball })
        };
        placed.push(clump.bare().map(moved).collect());
    }
    let mut contacts = Vec::new();
    for (i, a) in &placed[0] {
        for (j, b) in &placed[1] {
            let arm = b.centre - a.centre;
            let distance = arm.norm();
            let overlap = a.radius + b.radius - distance;
            if overlap <= 0.0 {
                continue;
            }
            // Coincident centres have no direction: the first axis is used.
            let normal = if distance > 0.0 {
                arm * (1.0 / distance)
            } else {
                D::Vector::from_fn(|k| f64::from(u8::from(k == 0)))
            };
            let point = a.centre + normal * (a.radius - 0.5 * overlap);
            contacts.push(json!({
                "overlap": overlap,
                "normal": normal.components().collect::<Vec<f64>>(),
                "point": point.components().collect::<Vec<f64>>(),
                "feature_a": i,
                "feature_b": j,
            }));
        }
    }
    Ok(contacts)
}

/// A convex part of a planar grain: the grain of arcs, or one of its disks.
struct Part {
    profile: ArcProfile,
    features: Vec<Value>,
}

/// Returns the contacts of planar grains of which at least one is bounded by arcs.
fn planar(
    p: &Shape,
    q: &Shape,
    places: &[Place; 2],
    angles: [f64; 2],
) -> Result<Vec<Value>, CalcError> {
    let mut parts = Vec::with_capacity(2);
    let mut poses = Vec::with_capacity(2);
    for (i, shape) in [p, q].into_iter().enumerate() {
        let name = ["a", "b"][i];
        let position = vector::<Planar>(&places[i].position, &format!("{name}.position"))?;
        poses.push(ArcPose::new(position, angles[i]));
        parts.push(convex(shape, name)?);
    }
    let row = |v: Vector2<f64>| [v.x, v.y];
    let mut contacts = Vec::new();
    for a in &parts[0] {
        for b in &parts[1] {
            let found = a.profile.contact(&poses[0], &b.profile, &poses[1], None);
            if found.overlap > 0.0 {
                contacts.push(json!({
                    "overlap": found.overlap,
                    "normal": row(found.normal),
                    "point": row(found.point),
                    "feature_a": a.features[found.arcs[0]],
                    "feature_b": b.features[found.arcs[1]],
                    "radii": found.radii,
                }));
            }
        }
    }
    Ok(contacts)
}

fn convex(shape: &Shape, name: &str) -> Result<Vec<Part>, CalcError> {
    let part = |grain: &ArcGrain, features: Vec<Value>, key: &str| {
        let profile = ArcProfile::new(grain);
        let profile = profile.map_err(|why| wrong(&format!("{name}.{key}"), why.to_string()))?;
        Ok(Part { profile, features })
    };
    match shape {
        Shape::Arcs(grain) => {
            let features = grain.arcs().iter().map(|arc| json!(arc.name)).collect();
            Ok(vec![part(grain, features, "arcs")?])
        }
        Shape::Disks(clump) => clump
            .bare()
            .map(|(i, ball)| {
                let disk = ArcGrain::disk(ball.radius, ball.centre);
                let disk = disk.map_err(|why| wrong(&format!("{name}.disks"), why.to_string()))?;
                part(&disk, vec![json!(i)], "disks")
            })
            .collect(),
        Shape::Spheres(_) | Shape::Mesh(_) => Ok(Vec::new()),
    }
}
