//! Reads or makes the shape.

use std::path::Path;

use serde_json::{Value, json};

use crate::body::calc::{MOST_BYTES, Shape, grain, take};
use crate::body::fit::Random;
use crate::body::{Arc, ArcGrain, Ball, Clump, Mesh, SHAPES, named_shape};
use crate::cli::GrainArgs;
use crate::cli::calc::{json as read_json, toml as read_toml};
use crate::cli::failure::Failure;
use crate::cli::report::short;
use crate::geometry::{Dimension, Planar};
use crate::input;
use crate::spelling::{names, nearest};

/// For a random clump: the smallest radius over the largest, and the overlap.
const LEAST: f64 = 0.5;
const OVERLAP: f64 = 0.5;

/// Returns the requested shape and its name.
pub(super) fn shape(args: &GrainArgs) -> Result<(String, Shape), Failure> {
    let (name, shape) = match (args.random, &args.source) {
        (Some(count), _) => (format!("random-{}", args.seed), random(args, count)?),
        (None, Some(source)) => (source.clone(), read(source)?),
        (None, None) => return Err(Failure::Input("give a shape".into())),
    };
    Ok((name, scaled(shape, args.scale)?))
}

fn random(args: &GrainArgs, count: u32) -> Result<Shape, Failure> {
    let how = Random {
        count: count as usize,
        least: args.least.unwrap_or(LEAST),
        overlap: args.overlap.unwrap_or(OVERLAP),
        seed: args.seed,
    };
    let wrong = |why: crate::body::fit::FitError| Failure::Input(why.to_string());
    if args.planar {
        how.clump().map(Shape::Disks).map_err(wrong)
    } else {
        how.clump().map(Shape::Spheres).map_err(wrong)
    }
}

/// Reads the triangles of an STL file.
pub(super) fn mesh(path: &Path) -> Result<Mesh, Failure> {
    let name = path.display();
    let bytes = input::bytes_or_pipe(path, MOST_BYTES)
        .map_err(|why| Failure::Input(format!("cannot read {name}: {why}")))?;
    Mesh::from_stl(&bytes).map_err(|why| Failure::Input(format!("{name}: {why}")))
}

fn read(source: &str) -> Result<Shape, Failure> {
    if let Some(text) = named_shape(source) {
        return listed(source, read_toml(text), Path::new(""));
    }
    let path = Path::new(source);
    let end = path.extension().and_then(|end| end.to_str());
    let end = end.map(str::to_ascii_lowercase);
    if end.as_deref() == Some("stl") {
        return mesh(path).map(Shape::Mesh);
    }
    if end.is_none() && !path.exists() {
        let known = SHAPES.iter().map(|(name, ..)| *name);
        let hint = match nearest(source, known.clone()) {
            Some(name) => format!("did you mean `{name}`? "),
            None => String::new(),
        };
        return Err(Failure::Input(format!(
            "there is no file and no embedded shape `{source}`; {hint}known: {}",
            names(known)
        )));
    }
    let text = input::bytes_or_pipe(path, MOST_BYTES)
        .and_then(input::text)
        .map_err(|why| Failure::Input(format!("cannot read {source}: {why}")))?;
    let value = match end.as_deref() {
        Some("json") => read_json(&text),
        _ => read_toml(&text),
    };
    listed(source, value, path.parent().unwrap_or(Path::new("")))
}

/// Reads the shape from a table as in `models/grains`; the density comes from the command line.
fn listed(name: &str, value: Result<Value, String>, folder: &Path) -> Result<Shape, Failure> {
    let wrong = |why: String| Failure::Input(format!("{name}: {why}"));
    let mut value = value.map_err(wrong)?;
    let shape = take(&mut value, folder, "").map_err(|why| wrong(why.to_string()))?;
    let other = value
        .as_object()
        .and_then(|table| table.keys().find(|key| *key != "density"));
    match other {
        Some(key) => Err(wrong(format!(
            "`{key}` is no key of a shape; there are `density` and one of `disks`, `spheres`, `arcs`, `stl`, `name`"
        ))),
        None => Ok(shape),
    }
}

/// Returns a shape with all lengths multiplied by a factor.
fn scaled(shape: Shape, factor: f64) -> Result<Shape, Failure> {
    if factor == 1.0 {
        return Ok(shape);
    }
    let wrong = |why: String| Failure::Input(format!("scaled by {factor:e}: {why}"));
    fn balls<D: Dimension>(clump: &Clump<D>, factor: f64) -> Result<Clump<D>, String> {
        let ball = |b: &Ball<D>| Ball {
            centre: b.centre * factor,
            radius: b.radius * factor,
        };
        Clump::new(clump.balls().iter().map(ball).collect()).map_err(|why| why.to_string())
    }
    match shape {
        Shape::Disks(clump) => balls::<Planar>(&clump, factor)
            .map(Shape::Disks)
            .map_err(wrong),
        Shape::Spheres(clump) => balls(&clump, factor).map(Shape::Spheres).map_err(wrong),
        Shape::Arcs(grain) => {
            let arc = |a: &Arc| Arc {
                centre: a.centre * factor,
                radius: a.radius * factor,
                ..a.clone()
            };
            ArcGrain::new(grain.arcs().iter().map(arc).collect())
                .map(Shape::Arcs)
                .map_err(|why| wrong(why.to_string()))
        }
        Shape::Mesh(mesh) => {
            let triangles: Vec<_> = mesh.triangles().map(|t| t.map(|v| v * factor)).collect();
            Mesh::new(&triangles)
                .map(Shape::Mesh)
                .map_err(|why| wrong(why.to_string()))
        }
    }
}

/// Returns kind and number of the parts of a shape.
pub(super) fn parts(shape: &Shape) -> (&'static str, usize) {
    match shape {
        Shape::Disks(clump) => ("disks", clump.balls().len()),
        Shape::Spheres(clump) => ("spheres", clump.balls().len()),
        Shape::Arcs(grain) => ("arcs", grain.arcs().len()),
        Shape::Mesh(mesh) => ("triangles", mesh.triangles().count()),
    }
}

/// Returns the embedded shapes with their mass properties for density 1.
pub(super) fn list_json() -> Result<Value, Failure> {
    let one = |&(name, text, _): &(&str, &str, &str)| {
        let shape = read(name)?;
        let (kind, count) = parts(&shape);
        let found = grain(json!({"name": name, "density": 1.0}), Path::new(""));
        let found = found.map_err(|why| Failure::Run(why.to_string()))?;
        Ok(json!({
            "name": name, "description": text, "kind": kind, "parts": count, "properties": found,
        }))
    };
    let all: Result<Vec<Value>, Failure> = SHAPES.iter().map(one).collect();
    Ok(Value::Array(all?))
}

/// Returns the embedded shapes as a text table.
pub(super) fn list() -> Result<String, Failure> {
    let mut lines = vec![format!(
        "{:<16} {:>2} {:<8} {:>15} {:>15}  shape",
        "name", "", "parts", "area or volume", "bounding radius"
    )];
    for item in list_json()?.as_array().into_iter().flatten() {
        let number = |key: &str| item["properties"][key].as_f64().unwrap_or(f64::NAN);
        let text = |key: &str| item[key].as_str().unwrap_or_default();
        lines.push(format!(
            "{:<16} {:>2} {:<8} {:>15} {:>15}  {}",
            text("name"),
            item["parts"],
            text("kind"),
            short(number("measure")),
            short(number("bounding_radius")),
            text("description")
        ));
    }
    lines.push(String::new());
    Ok(lines.join("\n"))
}
