//! Builds and checks meters.

use std::collections::BTreeSet;

use super::check::Check;
use super::check_name;
use super::settings::{self, Scales};
use crate::geometry::{Dimension, Vector};
use crate::neighbor::PeriodicAxis;
use crate::scenario::path::Place;
use crate::scenario::problem::Problem;
use crate::scenario::spec::Spec;
use crate::system::{MeterPlace, MeterSetup};

/// Builds the meters of a scenario; writes the interval between their counts into the spec.
pub(super) fn collect<D: Dimension>(
    check: Check<'_>,
    spec: &mut Spec,
    periodic: &[Option<PeriodicAxis>],
    scales: &Scales,
) -> Result<Vec<MeterSetup<D>>, Problem> {
    let list = Place::of("meter");
    let finish = spec.run.end_time;
    let usual = (0.25 * scales.time())
        .min(finish / 1000.0)
        .max(finish / settings::MAX_ROWS);
    let mut names = BTreeSet::new();
    let mut meters = Vec::new();
    for (k, meter) in spec.meter.iter_mut().enumerate() {
        let at = list.index(k);
        check_name(check, &at.key("name"), &meter.name)?;
        if !names.insert(meter.name.clone()) {
            return Err(Problem::at(
                &at.key("name"),
                format!("there are two meters `{}`", meter.name),
            ));
        }
        let kind = check.one_of(
            &at,
            "where it counts",
            &[
                ("plane", meter.plane.is_some()),
                ("inside", meter.inside.is_some()),
            ],
        )?;
        let here = at.key(kind);
        if let (Some(_), None) = (meter.radius, &meter.plane) {
            return Err(Problem::at_key(
                &at.key("radius"),
                format!("`{at}` has `radius`, which is that of a part of a `plane`"),
            ));
        }
        let place = match (&meter.plane, &meter.inside) {
            (Some(plane), _) => {
                let normal = check.direction::<D>(&here.key("normal"), &plane.normal)?;
                let normal = normal * (1.0 / normal.norm());
                let along = |k: &usize| normal[*k] != 0.0;
                let slanted = (0..D::N).filter(along).count() > 1;
                if slanted && (0..D::N).filter(along).any(|k| periodic[k].is_some()) {
                    return Err(Problem::at(
                        &here.key("normal"),
                        format!(
                            "`{}` is slanted to a direction in which space repeats itself, so that the plane does not meet itself; turn it along an axis",
                            here.key("normal")
                        ),
                    ));
                }
                MeterPlace::Plane {
                    point: check.vector::<D>(&here.key("point"), &plane.point)?,
                    normal,
                    radius: match meter.radius {
                        Some(radius) => Some(check.positive(&at.key("radius"), radius)?),
                        None => None,
                    },
                }
            }
            (None, Some(extent)) => {
                let (min, max) = check.corners::<D>(&here, &extent.min, &extent.max)?;
                MeterPlace::Inside { min, max }
            }
            (None, None) => continue,
        };
        let every = *meter.every.get_or_insert(usual);
        settings::rows(check, &at.key("every"), finish, every)?;
        meters.push(MeterSetup {
            name: meter.name.clone(),
            place,
            every,
        });
    }
    Ok(meters)
}
