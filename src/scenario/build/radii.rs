//! The law of radii of a fill or a feed.

use super::check::Check;
use crate::geometry::Dimension;
use crate::scenario::path::Place;
use crate::scenario::problem::Problem;
use crate::scenario::spec::{CountedSpec, RadiusSpec, RadiusTable};
use crate::system::{Counted, RadiusLaw, SizeClasses};

/// Builds and checks the law of radii.
pub(super) fn radius_law<D: Dimension>(
    check: Check<'_>,
    place: &Place,
    spec: &RadiusSpec,
) -> Result<RadiusLaw, Problem> {
    let table = match spec {
        RadiusSpec::Equal(radius) => return Ok(RadiusLaw::Equal(check.positive(place, *radius)?)),
        RadiusSpec::Drawn(table) => table,
    };
    let mass = Counted::Mass(D::N as u8);
    let counted = table.by.map(|by| match by {
        CountedSpec::Number => Counted::Number,
        CountedSpec::Mass => mass,
    });
    // The given keys decide the form; every key read here is present.
    let number = |key: Option<f64>| key.unwrap_or(f64::NAN);
    match (table.given().as_slice(), counted) {
        (["mean", "spread"], None) => Ok(RadiusLaw::Normal {
            mean: check.positive(&place.key("mean"), number(table.mean))?,
            // Cut at three spreads, the least radius stays over a tenth of the mean.
            spread: check.within(&place.key("spread"), number(table.spread), 0.0, 0.3)?,
        }),
        (["min", "max"], None) => {
            let [min, max] = ends(check, place, table)?;
            Ok(RadiusLaw::Uniform { min, max })
        }
        (["median", "log_spread"], _) => {
            let median = check.positive(&place.key("median"), number(table.median))?;
            let spread = number(table.log_spread);
            let spread = check.within(&place.key("log_spread"), spread, 0.0, 1.0)?;
            if counted != Some(mass) || spread == 0.0 {
                return Ok(RadiusLaw::LogNormal { median, spread });
            }
            let root = std::f64::consts::SQRT_2;
            let finer = |r: f64| 0.5 * libm::erfc(-libm::log(r / median) / (spread * root));
            let reach = libm::exp(3.0 * spread);
            let range = [median / reach, median * reach];
            classes(place, SizeClasses::smooth(range, mass, finer))
        }
        (["min", "max", "scale", "exponent"], _) => {
            let scale = check.positive(&place.key("scale"), number(table.scale))?;
            let exponent = number(table.exponent);
            let exponent = check.within(&place.key("exponent"), exponent, 0.1, 100.0)?;
            let range = ends(check, place, table)?;
            let finer = |r: f64| -libm::expm1(-libm::pow(r / scale, exponent));
            if finer(range[1]) - finer(range[0]) < 1e-6 {
                return Err(Problem::at_key(
                    place,
                    format!(
                        "`{place}` has next to nothing between `min` and `max`: `scale` should lie between them or near"
                    ),
                ));
            }
            let counted = counted.unwrap_or(mass);
            classes(place, SizeClasses::smooth(range, counted, finer))
        }
        (["finer"], _) => {
            let rows = table.finer.as_deref().unwrap_or_default();
            let counted = counted.unwrap_or(mass);
            classes(&place.key("finer"), SizeClasses::new(rows, counted))
        }
        (["mean", "spread"] | ["min", "max"], Some(_)) => Err(Problem::at_key(
            &place.key("by"),
            format!("`{place}` is always drawn by number: `by` is for the other ways"),
        )),
        _ => Err(Problem::at_key(
            place,
            format!(
                "`{place}` must be a number or one of {}",
                RadiusTable::WAYS.join(", ")
            ),
        )),
    }
}

fn ends(check: Check<'_>, place: &Place, table: &RadiusTable) -> Result<[f64; 2], Problem> {
    let [min, max] = [table.min, table.max].map(|end| end.unwrap_or(f64::NAN));
    let min = check.positive(&place.key("min"), min)?;
    let max = check.positive(&place.key("max"), max)?;
    if max < min {
        return Err(check.wrong(
            &place.key("max"),
            &max.to_string(),
            &format!("at least `min`, {min}"),
        ));
    }
    Ok([min, max])
}

fn classes(
    place: &Place,
    made: Result<SizeClasses, crate::system::ClassError>,
) -> Result<RadiusLaw, Problem> {
    made.map(RadiusLaw::Classes)
        .map_err(|why| Problem::at(place, format!("`{place}`: {why}")))
}
