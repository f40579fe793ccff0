//! Writes shapes as TOML in the form of `models/grains`, and as a case of `arenite calc grain`.

use std::fmt::Write;
use std::io::ErrorKind;
use std::path::Path;

use serde_json::{Value, json};

use super::fit::Fitted;
use super::source::parts;
use crate::body::Ball;
use crate::body::calc::Shape;
use crate::cli::GrainArgs;
use crate::cli::failure::Failure;
use crate::geometry::{Dimension, Vector};

/// Returns a shape as a case of `arenite calc grain`.
pub(super) fn case(shape: &Shape, density: f64) -> Value {
    fn list<D: Dimension>(balls: &[Ball<D>]) -> Value {
        let ball = |b: &Ball<D>| json!({"centre": b.centre.components().collect::<Vec<_>>(), "radius": b.radius});
        balls.iter().map(ball).collect()
    }
    let mut case = json!({"density": density});
    match shape {
        Shape::Disks(clump) => case["disks"] = list(clump.balls()),
        Shape::Spheres(clump) => case["spheres"] = list(clump.balls()),
        Shape::Arcs(grain) => {
            let arcs = grain.arcs().iter().map(|a| {
                json!({
                    "name": a.name, "centre": [a.centre.x, a.centre.y], "radius": a.radius,
                    "from_angle": a.from, "to_angle": a.to,
                })
            });
            case["arcs"] = arcs.collect();
        }
        // Surfaces become spheres before anything is written.
        Shape::Mesh(_) => {}
    }
    case
}

/// Returns the shape as TOML, with a comment on its origin.
pub(super) fn toml(args: &GrainArgs, name: &str, shape: &Shape, fitted: Option<&Fitted>) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = compose(&mut out, args, name, shape, fitted);
    out
}

fn compose(
    out: &mut String,
    args: &GrainArgs,
    name: &str,
    shape: &Shape,
    fitted: Option<&Fitted>,
) -> std::fmt::Result {
    let (kind, count) = parts(shape);
    let name = name.replace(['\n', '\r'], " ");
    write!(out, "# {count} {kind}, {name}")?;
    match fitted.and_then(|fitted| Some((fitted.method, fitted.table.last()?))) {
        Some((method, row)) => writeln!(
            out,
            ", method {method}: overlap {:.4}, inertia off by {:.2e}.",
            row.overlap, row.inertia
        )?,
        None => writeln!(out, ".")?,
    }
    match &args.shape {
        Some(name) => writeln!(out, "[shape.{}]", key(name))?,
        None => writeln!(out, "density = {:?}", args.density)?,
    }
    writeln!(out, "{kind} = [")?;
    match shape {
        Shape::Disks(clump) => balls(out, clump.balls())?,
        Shape::Spheres(clump) => balls(out, clump.balls())?,
        Shape::Arcs(grain) => {
            for a in grain.arcs() {
                writeln!(
                    out,
                    "  {{ name = {}, centre = [{:?}, {:?}], radius = {:?}, from_angle = {:?}, to_angle = {:?} }},",
                    ::toml::Value::String(a.name.clone()),
                    a.centre.x,
                    a.centre.y,
                    a.radius,
                    a.from,
                    a.to
                )?;
            }
        }
        Shape::Mesh(_) => {}
    }
    writeln!(out, "]")
}

fn balls<D: Dimension>(out: &mut String, balls: &[Ball<D>]) -> std::fmt::Result {
    for ball in balls {
        let centre: Vec<String> = ball.centre.components().map(|c| format!("{c:?}")).collect();
        writeln!(
            out,
            "  {{ centre = [{}], radius = {:?} }},",
            centre.join(", "),
            ball.radius
        )?;
    }
    Ok(())
}

/// Returns a TOML key, in quotes if necessary.
fn key(name: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !name.is_empty() && name.chars().all(bare) {
        name.into()
    } else {
        ::toml::Value::String(name.into()).to_string()
    }
}

/// Writes a new file; replaces an existing one only with `force`.
pub(super) fn file(path: &Path, text: &str, force: bool) -> Result<(), Failure> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true);
    if force {
        options.create(true).truncate(true);
    } else {
        options.create_new(true);
    }
    let shown = path.display();
    let mut file = options.open(path).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => Failure::Input(format!(
            "{shown} is there already; choose another name, or replace it with --force"
        )),
        _ => Failure::Input(format!("cannot write {shown}: {error}")),
    })?;
    std::io::Write::write_all(&mut file, text.as_bytes())
        .map_err(|error| Failure::Run(format!("cannot write {shown}: {error}")))
}
