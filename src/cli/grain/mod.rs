//! `arenite grain`: makes and inspects shapes of grains.

mod draw;
mod fit;
mod source;
mod tell;
mod write;

use serde_json::{Value, json};

use super::GrainArgs;
use super::failure::Failure;
use super::report::{print, print_json};
use crate::body::calc::Shape;
use fit::Fitted;

/// Makes or reads a shape; reports, writes and draws it.
pub(super) fn grain(args: &GrainArgs) -> Result<(), Failure> {
    if args.list {
        return if args.json {
            print_json(&source::list_json()?)
        } else {
            print(source::list()?.as_bytes())
        };
    }
    let (name, shape) = source::shape(args)?;
    let (shape, fitted) = match (shape, &args.against) {
        (Shape::Mesh(mesh), None) => {
            let fitted = fit::fit(args, mesh)?;
            (Shape::Spheres(fitted.clump()?), Some(fitted))
        }
        (Shape::Mesh(_), Some(_)) => {
            return Err(Failure::Input(
                "--against compares a list of spheres with an STL file, but both are STL files; \
                 leave --against away to make spheres"
                    .into(),
            ));
        }
        (shape, against) => {
            fit::unused(args)?;
            match against {
                Some(path) => {
                    let fitted = fit::compare(args, &shape, path)?;
                    (shape, Some(fitted))
                }
                None => (shape, None),
            }
        }
    };
    let case = write::case(&shape, args.density);
    let properties = properties(&shape, case.clone())?;
    if let Some(path) = &args.plot {
        draw::draw(&name, &shape, fitted.as_ref(), path)?;
    }
    let text = || write::toml(args, &name, &shape, fitted.as_ref());
    match &args.out {
        // Only the shape, so that another program can read it.
        Some(path) if path.as_os_str() == "-" => return print(text().as_bytes()),
        Some(path) => write::file(path, &text(), args.force)?,
        None => {}
    }
    if args.json {
        return print_json(&told(&name, case, properties, fitted.as_ref()));
    }
    print(tell::text(args, &name, &shape, &properties, fitted.as_ref()).as_bytes())
}

/// If more spheres than this overlap, voxels give the mass properties: slices would take too long.
const MANY: usize = 40;

/// Returns mass properties, as `arenite calc grain` does.
fn properties(shape: &Shape, mut case: Value) -> Result<Value, Failure> {
    let calculate = |case: &Value| crate::body::calc::grain(case.clone(), std::path::Path::new(""));
    if matches!(shape, Shape::Spheres(clump) if clump.balls().len() > MANY) {
        case["method"] = json!("exact");
        if let Ok(found) = calculate(&case) {
            return Ok(found);
        }
        case["method"] = json!("voxels");
    }
    calculate(&case).map_err(|why| Failure::Input(why.to_string()))
}

fn told(name: &str, mut case: Value, properties: Value, fitted: Option<&Fitted>) -> Value {
    let mut output = json!({"source": name, "properties": properties});
    if let (Some(output), Some(case)) = (output.as_object_mut(), case.as_object_mut()) {
        output.append(case);
    }
    if let Some(fitted) = fitted {
        output["body"] = json!({
            "triangles": fitted.body.mesh().triangles().count(),
            "volume": fitted.exact.measure,
            "centroid": fitted.exact.centroid.as_slice(),
            "inertia": fitted.exact.inertia(),
        });
        output["method"] = json!(fitted.method);
        output["fidelity"] = json!(fitted.table.last());
        output["table"] = json!(fitted.table);
    }
    output
}
