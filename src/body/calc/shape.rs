//! Shapes of grains in cases.

use std::path::Path;

use nalgebra::Vector2;
use serde::Deserialize;
use serde_json::Value;

use crate::body::{Arc, ArcGrain, Ball, Clump, Mesh, SHAPES, named_shape};
use crate::cases::{CalcError, parse, wrong};
use crate::geometry::{Dimension, Planar, Spatial, Vector};
use crate::input;

/// Limit on the size of an STL file, bytes: twenty million triangles.
pub(crate) const MOST_BYTES: u64 = 1 << 30;

/// A component of a clump.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CaseBall {
    centre: Vec<f64>,
    radius: f64,
}

/// An arc of a boundary.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CaseArc {
    name: Option<String>,
    centre: Vec<f64>,
    radius: f64,
    from_angle: f64,
    to_angle: f64,
}

/// The keys of a shape, of which exactly one is given.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Keys {
    disks: Option<Vec<CaseBall>>,
    spheres: Option<Vec<CaseBall>>,
    arcs: Option<Vec<CaseArc>>,
    stl: Option<String>,
    name: Option<String>,
}

/// Names of these keys.
const KEYS: [&str; 5] = ["disks", "spheres", "arcs", "stl", "name"];

/// The shape of a grain.
#[derive(Clone, Debug)]
pub(crate) enum Shape {
    Disks(Clump<Planar>),
    Spheres(Clump<Spatial>),
    Arcs(ArcGrain),
    Mesh(Mesh),
}

/// Removes the keys of a shape from a case and reads it; `within` is prefixed to the keys that errors name.
pub(crate) fn take(case: &mut Value, folder: &Path, within: &str) -> Result<Shape, CalcError> {
    let Some(table) = case.as_object_mut() else {
        let place = within.strip_suffix('.').unwrap_or("the case");
        return Err(wrong(place, "must be a table of keys"));
    };
    let mut own = serde_json::Map::new();
    for key in KEYS {
        if let Some(value) = table.remove(key) {
            own.insert(key.into(), value);
        }
    }
    if own.len() != 1 {
        let there = own.keys().map(|key| format!("`{key}`"));
        let there = there.collect::<Vec<_>>().join(", ");
        return Err(wrong(
            within.strip_suffix('.').unwrap_or("the case"),
            if own.is_empty() {
                "has no shape; give one of `disks`, `spheres`, `arcs`, `stl`, `name`".into()
            } else {
                format!("has several shapes, {there}; give one")
            },
        ));
    }
    shape(Value::Object(own), folder).map_err(|error| match error {
        CalcError::Invalid { place, message } => wrong(&format!("{within}{place}"), message),
        other => other,
    })
}

fn shape(keys: Value, folder: &Path) -> Result<Shape, CalcError> {
    let keys: Keys = parse(keys)?;
    if let Some(name) = keys.name {
        return known(&name);
    }
    if let Some(balls) = keys.disks {
        return clump(&balls, "disks", "disk").map(Shape::Disks);
    }
    if let Some(balls) = keys.spheres {
        return clump(&balls, "spheres", "sphere").map(Shape::Spheres);
    }
    if let Some(arcs) = keys.arcs {
        return chain(arcs).map(Shape::Arcs);
    }
    let path = folder.join(keys.stl.unwrap_or_default());
    let name = path.display();
    let bytes = input::bytes(&path, MOST_BYTES);
    let bytes = bytes.map_err(|why| wrong("stl", format!("cannot read {name}: {why}")))?;
    let mesh = Mesh::from_stl(&bytes);
    let mesh = mesh.map_err(|why| wrong("stl", format!("{name}: {why}")))?;
    Ok(Shape::Mesh(mesh))
}

/// Returns a shape that comes with the program.
fn known(name: &str) -> Result<Shape, CalcError> {
    let Some(text) = named_shape(name) else {
        let names: Vec<&str> = SHAPES.iter().map(|(name, _, _)| *name).collect();
        let message = format!("`{name}` is no shape; there are {}", names.join(", "));
        return Err(wrong("name", message));
    };
    let mut keys: serde_json::Map<String, Value> =
        toml::from_str(text).map_err(|why| wrong("name", why.to_string()))?;
    // The density is that of the case.
    keys.remove("density");
    shape(Value::Object(keys), Path::new(""))
}

fn clump<D: Dimension>(balls: &[CaseBall], key: &str, one: &str) -> Result<Clump<D>, CalcError> {
    let ball = |(i, ball): (usize, &CaseBall)| {
        let centre = D::Vector::from_slice(&ball.centre).ok_or_else(|| {
            let (n, wanted) = (ball.centre.len(), D::N);
            wrong(
                &format!("{key}[{i}].centre"),
                format!("has {n} numbers; the centre of a {one} needs {wanted}"),
            )
        })?;
        Ok(Ball {
            centre,
            radius: ball.radius,
        })
    };
    let balls: Result<Vec<_>, CalcError> = balls.iter().enumerate().map(ball).collect();
    Clump::new(balls?).map_err(|why| wrong(key, why.to_string()))
}

fn chain(arcs: Vec<CaseArc>) -> Result<ArcGrain, CalcError> {
    let mut chain = Vec::with_capacity(arcs.len());
    for (i, arc) in arcs.into_iter().enumerate() {
        let centre = <Vector2<f64> as Vector>::from_slice(&arc.centre).ok_or_else(|| {
            let n = arc.centre.len();
            wrong(
                &format!("arcs[{i}].centre"),
                format!("has {n} numbers; the centre of an arc needs 2"),
            )
        })?;
        chain.push(Arc {
            name: arc.name.unwrap_or_else(|| i.to_string()),
            centre,
            radius: arc.radius,
            from: arc.from_angle,
            to: arc.to_angle,
        });
    }
    ArcGrain::new(chain).map_err(|why| wrong("arcs", why.to_string()))
}
