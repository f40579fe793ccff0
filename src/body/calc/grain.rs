//! `arenite calc grain`: mass properties of a shape.

use std::path::Path;

use serde::Deserialize;
use serde_json::{Value, json};

use super::shape::{Shape, take};
use crate::body::mass::{self, MassError, MassProperties, MonteCarlo, Voxels};
use crate::body::{Clump, Region};
use crate::cases::{CalcError, each, parse, positive, wrong};
use crate::geometry::{Dimension, Spatial, Vector};

/// Default relative error of unions of many spheres: far below the accuracy of a shape's data, and fast.
const USUAL: f64 = 1e-9;
/// Relative error of the reference for a sum over components.
const ROUGH: f64 = 1e-6;
/// Default number of lines of the random method: an error of about 1e-3.
const SAMPLES: u64 = 1_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Method {
    Exact,
    Slices,
    Components,
    Voxels,
    MonteCarlo,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    density: f64,
    #[serde(default)]
    method: Option<Method>,
    #[serde(default)]
    tolerance: Option<f64>,
    #[serde(default)]
    voxels: Option<usize>,
    #[serde(default)]
    samples: Option<u64>,
    #[serde(default = "first_seed")]
    seed: u64,
}

fn first_seed() -> u64 {
    1
}

/// Returns mass properties of grains: a density, a shape (`disks`, `spheres`, `arcs`, `stl` or `name`) and optionally
/// a `method` give `{"measure":, "mass":, "centroid":, ...}`. Paths are relative to `folder`.
///
/// # Errors
/// When a case does not have that form, its shape is invalid, or the method does not support it.
pub fn grain(input: Value, folder: &Path) -> Result<Value, CalcError> {
    each(input, |mut case| {
        let shape = take(&mut case, folder, "")?;
        let case: Case = parse(case)?;
        positive(case.density, "density")?;
        if let Some(tolerance) = case.tolerance {
            positive(tolerance, "tolerance")?;
        }
        if case.voxels == Some(0) || case.samples == Some(0) {
            let key = if case.voxels == Some(0) {
                "voxels"
            } else {
                "samples"
            };
            return Err(wrong(key, "must be 1 or more"));
        }
        match &shape {
            Shape::Disks(clump) => {
                let (found, method) = of_clump(&case, clump, || Ok(mass::disks(clump)))?;
                told(
                    &case,
                    &found,
                    method,
                    clump,
                    json!({"buried": clump.buried()}),
                )
            }
            Shape::Spheres(clump) => {
                let (found, method) = of_spheres(&case, clump)?;
                told(
                    &case,
                    &found,
                    method,
                    clump,
                    json!({"buried": clump.buried()}),
                )
            }
            Shape::Arcs(grain) => {
                let (found, method) = of_region(&case, grain, || Ok(grain.mass()))?;
                told(
                    &case,
                    &found,
                    method,
                    grain,
                    json!({"perimeter": grain.perimeter()}),
                )
            }
            Shape::Mesh(mesh) => {
                let (found, method) = of_region(&case, mesh, || Ok(mass::tetrahedra(mesh)))?;
                let triangles = mesh.triangles().count();
                let more = json!({"triangles": triangles, "dropped": mesh.dropped()});
                told(&case, &found, method, mesh, more)
            }
        }
    })
}

type Found<D> = (MassProperties<D>, Method);

/// Computes the properties by sampling, or exactly.
fn of_region<D: Dimension>(
    case: &Case,
    region: &impl Region<D>,
    exact: impl Fn() -> Result<MassProperties<D>, MassError>,
) -> Result<Found<D>, CalcError> {
    let method = case.method.unwrap_or(Method::Exact);
    let found = match method {
        Method::Exact => exact(),
        Method::Voxels => {
            let usual = Voxels::usual::<D>().count;
            // With a tolerance the number is doubled as needed, starting from a small one.
            let first = if case.tolerance.is_some() { 64 } else { usual };
            let how = Voxels {
                count: case.voxels.unwrap_or(first),
                tolerance: case.tolerance,
            };
            mass::voxels(region, how)
        }
        Method::MonteCarlo => {
            let how = MonteCarlo {
                samples: case.samples.unwrap_or(SAMPLES),
                seed: case.seed,
                tolerance: case.tolerance,
            };
            mass::monte_carlo(region, how)
        }
        Method::Components => return Err(wrong("method", "`components` is for disks and spheres")),
        Method::Slices => return Err(wrong("method", "`slices` is for spheres")),
    };
    match found {
        Ok(found) => Ok((found, method)),
        Err(why) => Err(wrong("method", why.to_string())),
    }
}

/// Also supports the sum over components, with its error measured.
fn of_clump<D: Dimension>(
    case: &Case,
    clump: &Clump<D>,
    exact: impl Fn() -> Result<MassProperties<D>, MassError>,
) -> Result<Found<D>, CalcError> {
    if case.method != Some(Method::Components) {
        return of_region(case, clump, exact);
    }
    let mut found = mass::components(clump);
    let exact = exact().map_err(|why| wrong("method", why.to_string()))?;
    found.error_estimate = exact.distance(&found);
    Ok((found, Method::Components))
}

fn of_spheres(case: &Case, clump: &Clump<Spatial>) -> Result<Found<Spatial>, CalcError> {
    let slices = |tolerance: f64| mass::slices(clump, tolerance);
    match case.method {
        Some(Method::Slices) => {
            let found = slices(case.tolerance.unwrap_or(USUAL));
            let found = found.map_err(|why| wrong("tolerance", why.to_string()))?;
            Ok((found, Method::Slices))
        }
        None => match mass::spheres(clump) {
            Ok(found) => Ok((found, Method::Exact)),
            Err(_) => {
                let found = slices(case.tolerance.unwrap_or(USUAL));
                let found = found.map_err(|why| wrong("tolerance", why.to_string()))?;
                Ok((found, Method::Slices))
            }
        },
        Some(Method::Components) => of_clump(case, clump, || {
            mass::spheres(clump).or_else(|_| slices(ROUGH))
        }),
        Some(_) => of_clump(case, clump, || mass::spheres(clump)),
    }
}

/// Returns the output of a case.
fn told<D: Dimension>(
    case: &Case,
    found: &MassProperties<D>,
    method: Method,
    region: &impl Region<D>,
    more: Value,
) -> Result<Value, CalcError> {
    let row = |v: &D::Vector| v.components().collect::<Vec<f64>>();
    let principal = mass::principal(found);
    let moments = principal.moments.iter().map(|m| case.density * m);
    let mut output = json!({
        "measure": found.measure,
        "mass": case.density * found.measure,
        "centroid": row(&found.centroid),
        "principal": {
            "moments": moments.collect::<Vec<f64>>(),
            "axes": principal.axes.iter().map(row).collect::<Vec<_>>(),
        },
        "bounding_radius": region.reach(found.centroid),
        "error_estimate": found.error_estimate,
        "method": match method {
            Method::Exact => "exact",
            Method::Slices => "slices",
            Method::Components => "components",
            Method::Voxels => "voxels",
            Method::MonteCarlo => "monte-carlo",
        },
    });
    if D::N == 2 {
        output["moment"] = json!(case.density * found.polar());
    } else {
        let tensor = found
            .inertia()
            .map(|row| row.map(|value| case.density * value));
        output["inertia"] = json!(tensor);
    }
    if let (Value::Object(output), Value::Object(more)) = (&mut output, more) {
        output.extend(more);
    }
    Ok(output)
}
