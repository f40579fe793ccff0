//! Study of a filled silo: distribution of the weight, wall pressure compared with Janssen's curves, contact forces,
//! micro-avalanches.
//!
//! Uses the last snapshot of a run's folder, or rows in memory. The cross-section comes from the contacts with
//! vertical walls: in the plane their distance, in space (round silos) the circle through them. The surface is at
//! twice the height of the centre of mass, where a level bed of uniform density would end.

use std::path::Path;

use serde::Serialize;

use super::StudyError;
use super::alternatives::{Comparison, Judgement, compare, judge};
use super::avalanche::{self, AvalancheSummary};
use super::distribution::{
    ExponentialTail, ForceDistribution, exponential_tail, force_distribution, over_mean,
};
use super::goodness::{Goodness, goodness};
use super::janssen::{Janssen, Section};
use super::janssen_fit::{Free, Given, JanssenFit, WallPressure, fit_janssen};
use super::power_law::{PowerLaw, Search, Support as Values, fit_power_law};
use super::pressure::{
    BoundaryForce, LAYER_RADII, Layer, Layering, Origin, Part, Support, support, wall_pressure,
};
use crate::geometry::{Dimension, Vector};
use crate::record::read::{self, Snapshots};
use crate::record::{AvalancheRow, BodyRef, GrainRow, LinkRow, RecordError};

/// A contact with a greater component of the normal along gravity belongs to a floor.
const SLOPED: f64 = 0.5;
/// Number of samples drawn to test a power law: gives the probability to 0.03.
const REPLICAS: usize = 250;
/// Width of a bin of contact forces relative to their mean.
const BIN: f64 = 0.25;

/// Friction coefficients of the contact laws, for Janssen's theory without a fit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Frictions {
    /// Between grains and walls.
    pub wall: f64,
    /// Between grains.
    pub grain: f64,
}

/// A bed of grains at rest: rows of one snapshot, and the recorded avalanches.
#[derive(Clone, Copy, Debug)]
pub struct Bed<'a> {
    /// Grains.
    pub grains: &'a [GrainRow],
    /// Links.
    pub links: &'a [LinkRow],
    /// Avalanches.
    pub avalanches: &'a [AvalancheRow],
    /// Gravity, m/s^2.
    pub gravity: [f64; 3],
    /// Friction coefficients.
    pub friction: Frictions,
}

/// A power law fitted to sizes, and its tests.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Criticality {
    /// The fit.
    pub law: PowerLaw,
    /// Goodness of fit of the law.
    pub goodness: Goodness,
    /// Comparison with other laws on the same sizes.
    pub alternatives: Vec<Comparison>,
    /// Joint result of the tests.
    pub judgement: Judgement,
}

/// Results of the study of a filled silo.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SiloStudy {
    /// Cross-section.
    pub section: Section,
    /// Height of the bed, m.
    pub height: f64,
    /// Density of the bed, kg/m^2 in the plane, else kg/m^3.
    pub density: f64,
    /// Distribution of the weight.
    pub support: Support,
    /// Wall pressure in layers of ten mean radii, from the surface down.
    pub layers: Vec<Layer>,
    /// Janssen's silo with the friction of the walls and K = 1 - sin(phi), phi the friction angle between grains
    /// (Jaky 1944).
    pub janssen_given: Janssen,
    /// Janssen's silo fitted by least squares, K mu alone; none where the pressures do not determine it.
    pub janssen_fitted: Option<JanssenFit>,
    /// Normal forces of all links relative to their mean.
    pub forces: ForceDistribution,
    /// Exponential tail of the forces above their mean.
    pub tail: Option<ExponentialTail>,
    /// Links per grain; a link with a wall counts once, one between grains twice.
    pub contact_number: f64,
    /// Micro-avalanches.
    pub avalanches: Option<AvalancheSummary>,
    /// Test whether their sizes follow a power law.
    pub criticality: Option<Criticality>,
}

/// Reasons why a folder cannot be studied.
#[derive(Debug, thiserror::Error)]
pub enum SiloError {
    /// The folder cannot be read.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The folder contains too few data.
    #[error(transparent)]
    Study(#[from] StudyError),
}

fn vector<D: Dimension>(x: [f64; 3]) -> D::Vector {
    D::Vector::from_fn(|k| x[k])
}

/// Studies the last snapshot of a run's folder and its avalanches.
///
/// # Errors
/// A folder that is not that of a run, or whose snapshots contain no silo.
pub fn from_folder<D: Dimension>(
    dir: &Path,
    gravity: [f64; 3],
    friction: Frictions,
) -> Result<SiloStudy, SiloError> {
    let mut snapshots = Snapshots::open(dir)?;
    let mut last = None;
    while let Some(snapshot) = snapshots.next_snapshot()? {
        last = Some(snapshot);
    }
    let snapshot = last.unwrap_or_default();
    let avalanches = read::avalanche_rows(dir)?;
    Ok(silo::<D>(&Bed {
        grains: &snapshot.grains,
        links: &snapshot.links,
        avalanches: &avalanches,
        gravity,
        friction,
    })?)
}

/// Returns the contacts with boundaries as forces on these.
pub fn boundary_forces<D: Dimension>(links: &[LinkRow], up: D::Vector) -> Vec<BoundaryForce<D>> {
    let mut forces = Vec::new();
    for link in links {
        if !matches!(link.body_b, BodyRef::Boundary(_)) {
            continue;
        }
        // Points from the grain into the wall; the tangential force of a row acts on the grain.
        let normal = vector::<D>(link.normal);
        let part = if normal.dot(&up).abs() > SLOPED {
            Part::Floor
        } else {
            Part::Wall
        };
        forces.push(BoundaryForce {
            part,
            point: vector::<D>(link.point),
            normal,
            force: normal * link.normal_force - vector::<D>(link.tangential_force),
        });
    }
    forces
}

/// Returns the cross-section between the contacts with vertical walls.
fn section_of<D: Dimension>(forces: &[BoundaryForce<D>], up: D::Vector) -> Section {
    let flat: Vec<D::Vector> = forces
        .iter()
        .filter(|f| f.part == Part::Wall)
        .map(|f| f.point - up * f.point.dot(&up))
        .collect();
    // The two most distant contacts lie on opposite walls.
    let mut width: f64 = 0.0;
    for (k, a) in flat.iter().enumerate() {
        for b in &flat[..k] {
            width = width.max((*a - *b).norm());
        }
    }
    if D::N == 2 {
        Section::Planar { width }
    } else {
        Section::Cylindrical { diameter: width }
    }
}

/// Studies a bed.
///
/// # Errors
/// A bed without grains, without contacts with vertical walls, or with forces that are not finite.
pub fn silo<D: Dimension>(bed: &Bed<'_>) -> Result<SiloStudy, StudyError> {
    let gravity = vector::<D>(bed.gravity);
    let g = super::error::positive("gravity", gravity.norm())?;
    let up = gravity * (-1.0 / g);
    let forces = boundary_forces::<D>(bed.links, up);
    let (mut mass, mut moment, mut radii) = (0.0, 0.0, 0.0);
    let mut floor = f64::INFINITY;
    for grain in bed.grains {
        let height = vector::<D>(grain.position).dot(&up);
        mass += grain.mass;
        moment += grain.mass * height;
        radii += grain.radius;
        floor = floor.min(height - grain.radius);
    }
    let weight = super::error::positive("weight of the bed", mass * g)?;
    let height = 2.0 * (moment / mass - floor);
    let section = section_of(&forces, up);
    let (area, girth) = match section {
        Section::Planar { width } => (width, 2.0),
        Section::Cylindrical { diameter } => (
            0.25 * std::f64::consts::PI * diameter * diameter,
            std::f64::consts::PI * diameter,
        ),
    };
    let density = super::error::positive("density of the bed", mass / (area * height))?;
    let layering = Layering {
        up,
        floor,
        surface: floor + height,
        girth,
        layer: LAYER_RADII * radii / bed.grains.len() as f64,
        origin: Origin::Surface,
    };
    let layers = wall_pressure(&forces, &layering)?;
    // Jaky (1944): at rest K = 1 - sin(phi), and sin(atan(mu)) = mu / sqrt(1 + mu^2).
    let mu = bed.friction.grain;
    let ratio = 1.0 - mu / (1.0 + mu * mu).sqrt();
    let janssen_given = Janssen::new(section, density, g, bed.friction.wall, ratio)?;
    let points: Vec<WallPressure> = layers
        .iter()
        .map(|layer| WallPressure {
            top: layer.top,
            bottom: layer.bottom,
            pressure: layer.pressure,
            error: None,
        })
        .collect();
    let given = Given {
        section,
        density,
        gravity: g,
        wall_friction: bed.friction.wall,
    };
    let normal: Vec<f64> = bed.links.iter().map(|l| l.normal_force.max(0.0)).collect();
    let ends = |link: &LinkRow| match link.body_b {
        BodyRef::Boundary(_) => 1.0,
        _ => 2.0,
    };
    let history: Vec<avalanche::Avalanche> = bed.avalanches.iter().map(Into::into).collect();
    let sizes = avalanche::sizes(&history);
    Ok(SiloStudy {
        section,
        height,
        density,
        support: support(&forces, up, weight)?,
        janssen_given,
        janssen_fitted: fit_janssen(&points, &given, Free::Product).ok(),
        layers,
        forces: force_distribution(&normal, BIN)?,
        tail: exponential_tail(&over_mean(&normal)?, 1.0, REPLICAS, 1).ok(),
        contact_number: bed.links.iter().map(ends).sum::<f64>() / bed.grains.len() as f64,
        avalanches: avalanche::summarise(&history, bed.grains.len()).ok(),
        criticality: criticality(&sizes).ok(),
    })
}

/// Tests whether integer sizes follow a power law from some size on (Clauset et al. 2009).
///
/// # Errors
/// Too few sizes, or sizes that are all equal.
pub fn criticality(sizes: &[f64]) -> Result<Criticality, StudyError> {
    let search = Search::default();
    let law = fit_power_law(sizes, Values::Discrete, &search)?;
    let goodness = goodness(sizes, &law, &search, REPLICAS, 1)?;
    let alternatives = compare(sizes, &law)?;
    let judgement = judge(&goodness, &alternatives);
    Ok(Criticality {
        law,
        goodness,
        alternatives,
        judgement,
    })
}
