//! Approximates a surface by spheres, in a given number or as many as needed.

use std::path::Path;

use nalgebra::Vector3;

use super::source;
use crate::body::calc::Shape;
use crate::body::fit::{AlongAxis, Body, Fidelity, FitError, Inscribed, Measured, Tangent};
use crate::body::mass::{MassProperties, tetrahedra};
use crate::body::{Ball, Clump, Mesh};
use crate::cli::failure::Failure;
use crate::cli::{FitMethod, GrainArgs};
use crate::geometry::Spatial;

/// Default number of spheres: enough for most shapes, few enough for fast runs.
const USUAL: usize = 30;
/// Greatest number of spheres if another criterion ends the search.
const MOST: usize = 1000;
/// Defaults relative to the longest side: the smallest radius, and the covered distance.
const LEAST: f64 = 0.01;
const DISTANCE: f64 = 0.02;
/// Fraction of the surface to be covered.
const COVERAGE: f64 = 0.95;
/// Overlap of inscribed spheres.
const OVERLAP: f64 = 0.6;
/// Number of surface points to which spheres are fitted.
const POINTS: usize = 20_000;

/// Spheres that approximate a body.
pub(super) struct Fitted {
    pub body: Body,
    pub exact: MassProperties<Spatial>,
    pub balls: Vec<Ball<Spatial>>,
    /// Name of the method.
    pub method: &'static str,
    /// Fidelity by number of spheres; the last row is that of all spheres.
    pub table: Vec<Fidelity>,
}

impl Fitted {
    pub fn clump(&self) -> Result<Clump<Spatial>, Failure> {
        Clump::new(self.balls.clone()).map_err(|why| Failure::Input(why.to_string()))
    }
}

/// Refuses options that only make sense for an STL file.
pub(super) fn unused(args: &GrainArgs) -> Result<(), Failure> {
    let given = [
        ("--method", args.method.is_some()),
        ("--spheres", args.spheres.is_some()),
        ("--fidelity", args.fidelity.is_some()),
        ("--distance", args.distance.is_some()),
        ("--coverage", args.coverage.is_some()),
        ("--axis", args.axis.is_some()),
        ("--least", args.least.is_some() && args.random.is_none()),
        ("--overlap", args.overlap.is_some() && args.random.is_none()),
    ];
    refuse(&given, "is for making spheres from an STL file")
}

fn refuse(given: &[(&str, bool)], why: &str) -> Result<(), Failure> {
    match given.iter().find(|(_, given)| *given) {
        Some((option, _)) => Err(Failure::Input(format!("{option} {why}"))),
        None => Ok(()),
    }
}

/// Fits spheres to a surface.
pub(super) fn fit(args: &GrainArgs, mesh: Mesh) -> Result<Fitted, Failure> {
    let method = args.method.unwrap_or(FitMethod::Inscribed);
    let given = [
        (
            "--distance",
            args.distance.is_some() && method != FitMethod::FerrellecMcdowell,
        ),
        (
            "--coverage",
            args.coverage.is_some() && method != FitMethod::FerrellecMcdowell,
        ),
        ("--axis", args.axis.is_some() && method != FitMethod::Favier),
        (
            "--overlap",
            args.overlap.is_some() && method != FitMethod::Inscribed,
        ),
    ];
    refuse(&given, "is not for this method; see arenite grain --help")?;
    let body = Body::new(mesh);
    let size = body.size();
    let least = args.least.unwrap_or(LEAST * size);
    let make = |count: usize| -> Result<Vec<Ball<Spatial>>, FitError> {
        match method {
            FitMethod::Inscribed => Inscribed {
                overlap: args.overlap.unwrap_or(OVERLAP),
                least,
                voxels: usize::from(args.voxels),
            }
            .spheres(&body, count),
            FitMethod::FerrellecMcdowell => Tangent {
                least,
                distance: args.distance.unwrap_or(DISTANCE * size),
                coverage: args.coverage.unwrap_or(COVERAGE),
                points: POINTS,
                seed: args.seed,
            }
            .spheres(&body, count),
            FitMethod::Favier => AlongAxis {
                axis: args.axis.map(Vector3::from),
                least,
            }
            .spheres(&body, count),
        }
    };
    let wrong = |why: FitError| Failure::Input(why.to_string());
    let open = args.fidelity.is_some() || args.coverage.is_some();
    let most = args
        .spheres
        .map_or(if open { MOST } else { USUAL }, |n| n as usize);
    let all = make(most).map_err(wrong)?;
    // The first spheres of a list are those of a shorter one, except along an axis.
    let some = |count: usize| match method {
        FitMethod::Favier => make(count),
        _ => Ok(all[..count.min(all.len())].to_vec()),
    };
    let measured = Measured::new(&body, &[], args.seed);
    let mut balls = all.clone();
    if let Some(wanted) = args.fidelity {
        let reached = measured.overlap(&all);
        if reached < wanted {
            return Err(Failure::Input(format!(
                "an overlap of {wanted} is out of reach: {} spheres reach {reached:.4}; allow more (--spheres), smaller ones (--least), or take another method",
                all.len()
            )));
        }
        let (mut few, mut enough) = (0, all.len());
        while enough - few > 1 {
            let middle = few.midpoint(enough);
            let tried = some(middle).map_err(wrong)?;
            if measured.overlap(&tried) >= wanted {
                (enough, balls) = (middle, tried);
            } else {
                few = middle;
            }
        }
    }
    let mut table = Vec::new();
    for count in counts(balls.len()) {
        let row = measured.fidelity(&some(count).map_err(wrong)?);
        // Along an axis the result may have fewer spheres than requested.
        if table
            .last()
            .is_none_or(|last: &Fidelity| last.spheres < row.spheres)
        {
            table.push(row);
        }
    }
    table.push(measured.fidelity(&balls));
    Ok(Fitted {
        exact: *measured.exact(),
        method: match method {
            FitMethod::Inscribed => "inscribed",
            FitMethod::FerrellecMcdowell => "ferrellec-mcdowell",
            FitMethod::Favier => "favier",
        },
        table,
        balls,
        body,
    })
}

/// Returns the numbers of spheres below the last for the table, each about 1.6 times the previous one.
fn counts(last: usize) -> impl Iterator<Item = usize> {
    let steps = [
        1, 2, 3, 5, 8, 12, 20, 30, 50, 80, 120, 200, 300, 500, 800, 1200, 2000,
    ];
    steps.into_iter().filter(move |count| *count < last)
}

/// Compares a list of spheres with a surface.
pub(super) fn compare(args: &GrainArgs, shape: &Shape, path: &Path) -> Result<Fitted, Failure> {
    let Shape::Spheres(clump) = shape else {
        return Err(Failure::Input(
            "--against compares spheres with an STL file; disks and arcs are planar".into(),
        ));
    };
    let balls = clump.balls().to_vec();
    let body = Body::new(source::mesh(path)?);
    let measured = Measured::new(&body, &balls, args.seed);
    let table = vec![measured.fidelity(&balls)];
    Ok(Fitted {
        exact: tetrahedra(body.mesh()),
        balls,
        method: "list",
        table,
        body,
    })
}
