//! Periodic cells whose edges move.

use super::check::Check;
use crate::geometry::Dimension;
use crate::scenario::path::Place;
use crate::scenario::problem::Problem;
use crate::scenario::spec::{CellDriveSpec, Spec};
use crate::system::{CellControl, CellDrive, CellSetup, CellShear, Setup, Span, beside_cell};

/// Inertial number of a compression at the default greatest rate: slow enough for grains to rearrange one after
/// another.
const INERTIAL: f64 = 0.01;
/// The least mass of an edge relative to that of a layer of grains: a lighter edge would oscillate faster than links
/// do.
const LIGHTEST: f64 = 0.1;

/// Averages over the grains at the start.
struct Sample {
    mass: f64,
    diameter: f64,
    density: f64,
}

impl Sample {
    fn of<D: Dimension>(setup: &Setup<D>) -> Sample {
        let count = setup.grains.len() as f64;
        let mass: f64 = setup.grains.iter().map(|grain| grain.mass).sum();
        let radii = setup.grains.iter().map(|grain| grain.radius);
        let filled: f64 = radii.clone().map(D::ball_measure).sum();
        Sample {
            mass,
            diameter: 2.0 * radii.sum::<f64>() / count,
            density: mass / filled,
        }
    }
}

/// Checks the drive of the edges of the periodic box, and writes defaults.
pub(super) fn build<D: Dimension>(
    check: Check<'_>,
    spec: &mut Spec,
    setup: &Setup<D>,
) -> Result<Option<CellSetup>, Problem> {
    let at = Place::of("periodic");
    if spec.periodic.drive.is_empty() && spec.periodic.shear.is_empty() {
        return Ok(None);
    }
    let here = if spec.periodic.drive.is_empty() {
        at.key("shear").index(0)
    } else {
        at.key("drive").index(0)
    };
    if let Some((key, why)) = beside_cell(setup) {
        let what = format!("a periodic box that moves {why}");
        let problem = Problem::at_key(&here, what);
        return Err(if key == "periodic" {
            problem.help("give `x`, `y` and, in space, `z` of [periodic]")
        } else {
            problem.help(format!("leave `{key}` out"))
        });
    }
    let sample = Sample::of(setup);
    let mut cell = CellSetup::default();
    for (k, drive) in spec.periodic.drive.iter_mut().enumerate() {
        let place = at.key("drive").index(k);
        cell.drives
            .push(of_drive(check, &place, drive, &sample, setup)?);
    }
    for (k, shear) in spec.periodic.shear.iter().enumerate() {
        let place = at.key("shear").index(k);
        cell.shears.push(CellShear {
            rate: check.finite(&place.key("rate"), shear.rate)?,
            span: span(check, &place, shear.from, shear.until)?,
        });
    }
    Ok(Some(cell))
}

fn span(check: Check<'_>, at: &Place, from: f64, until: Option<f64>) -> Result<Span, Problem> {
    check.finite(&at.key("from"), from)?;
    if let Some(until) = until
        && !(until > from && until.is_finite())
    {
        let must = format!("after `from`, {from} s");
        return Err(check.wrong(&at.key("until"), &until.to_string(), &must));
    }
    Ok(Span { from, until })
}

fn of_drive<D: Dimension>(
    check: Check<'_>,
    at: &Place,
    spec: &mut CellDriveSpec,
    sample: &Sample,
    setup: &Setup<D>,
) -> Result<CellDrive, Problem> {
    let mut axes = [false; 3];
    for (k, axis) in spec.axes.iter().enumerate() {
        let axis = *axis as usize;
        if axis >= D::N {
            let place = at.key("axes").index(k);
            let must = format!("an axis of {} dimensions", D::N);
            return Err(check.wrong(&place, "z", &must));
        }
        axes[axis] = true;
    }
    if axes == [false; 3] {
        return Err(check.wrong(&at.key("axes"), "empty", "a list of one axis at least"));
    }
    let key = check.one_of(
        at,
        "what drives the length",
        &[
            ("pressure", spec.pressure.is_some()),
            ("strain_rate", spec.strain_rate.is_some()),
        ],
    )?;
    let span = span(check, at, spec.from, spec.until)?;
    if key == "strain_rate" {
        for (key, given) in [("mass", spec.mass), ("greatest_rate", spec.greatest_rate)] {
            if given.is_some() {
                let what = format!("`{key}` goes with `pressure`, and this is a `strain_rate`");
                return Err(Problem::at_key(&at.key(key), what));
            }
        }
        let rate = check.finite(&at.key(key), spec.strain_rate.unwrap_or(0.0))?;
        let control = CellControl::Strain(rate);
        return Ok(CellDrive {
            axes,
            control,
            span,
        });
    }
    let pressure = check.positive(&at.key(key), spec.pressure.unwrap_or(0.0))?;
    let usual = INERTIAL * (pressure / sample.density).sqrt() / sample.diameter;
    let rate = *spec.greatest_rate.get_or_insert(usual);
    let rate = check.positive(&at.key("greatest_rate"), rate)?;
    let mut mass = [0.0; 3];
    for (k, mass) in mass.iter_mut().enumerate().take(D::N) {
        let length = setup.space.periodic[k].map_or(1.0, |axis| axis.length);
        let layer = sample.mass * sample.diameter / length;
        *mass = match spec.mass {
            None => layer,
            Some(given) => {
                let place = at.key("mass");
                check.positive(&place, given)?;
                let least = LIGHTEST * layer;
                if axes[k] && given < least {
                    let must = format!(
                        "at least {least:.3e}, a tenth of the mass of a layer of grains: else the edge swings faster \
                         than links do"
                    );
                    return Err(check.wrong(&place, &given.to_string(), &must));
                }
                given
            }
        };
    }
    Ok(CellDrive {
        axes,
        control: CellControl::Pressure {
            pressure,
            mass,
            rate,
        },
        span,
    })
}
