//! Feeds and outlets.

use super::check::Check;
use super::mixture::{Known, mixture};
use crate::geometry::Dimension;
use crate::scenario::path::Place;
use crate::scenario::problem::Problem;
use crate::scenario::spec::{FeedSpec, OutletSpec};
use crate::system::{Component, FeedSetup, FeedTiming, OutletSetup};

/// Grain numbers have 32 bits, and numbers are never reused.
const MAX_NUMBER: u64 = u32::MAX as u64;

/// A grain that finds no room in so many places will not find it in more; each try checks all grains.
const MAX_TRIES: u32 = 1_000_000;

/// Builds the feeds of a scenario that starts with `before` grains.
pub(super) fn feeds<D: Dimension>(
    check: Check<'_>,
    specs: &[FeedSpec],
    known: Known<'_, D>,
    before: usize,
) -> Result<Vec<FeedSetup<D>>, Problem> {
    let mut total = before as u64;
    let mut list: Vec<FeedSetup<D>> = Vec::new();
    for (k, spec) in specs.iter().enumerate() {
        let at = Place::of("feed").index(k);
        if let Some(count) = spec.count {
            total = total.saturating_add(count);
            if count == 0 || total > MAX_NUMBER {
                return Err(check.wrong(
                    &at.key("count"),
                    &count.to_string(),
                    &format!("from 1 to {MAX_NUMBER}, all grains of a run taken together"),
                ));
            }
        }
        let mass = spec.mass;
        let mass = mass.map(|mass| check.positive(&at.key("mass"), mass));
        let mass = mass.transpose()?;
        let (min, max) = check.corners::<D>(&at, &spec.min, &spec.max)?;
        check.one_of(
            &at,
            "when grains come",
            &[
                ("every", spec.every.is_some()),
                ("poisson", spec.poisson.is_some()),
                ("mass_rate", spec.mass_rate.is_some()),
            ],
        )?;
        let timing = match (spec.every, spec.poisson) {
            (Some(every), _) => FeedTiming::Interval(check.positive(&at.key("every"), every)?),
            (_, Some(rate)) => FeedTiming::Poisson(check.positive(&at.key("poisson"), rate)?),
            _ => {
                let rate = spec.mass_rate.unwrap_or(0.0);
                FeedTiming::MassRate(check.positive(&at.key("mass_rate"), rate)?)
            }
        };
        if spec.count.is_none() && mass.is_none() && spec.mass_rate.is_none() {
            return Err(Problem::at_key(
                &at,
                format!("`{at}` does not say how many grains come; it needs `count` or `mass`"),
            ));
        }
        for (key, value) in [
            ("attempts", spec.attempts),
            ("max_retries", spec.max_retries),
        ] {
            if !(1..=MAX_TRIES).contains(&value) {
                let allowed = format!("from 1 to {MAX_TRIES}");
                return Err(check.wrong(&at.key(key), &value.to_string(), &allowed));
            }
        }
        let radius = (&at.key("radius"), &spec.radius);
        let what = mixture(check, &at, &spec.sorts(), spec.mix_by, radius, known)?;
        let bonded = |sort: &Component| {
            let form = usize::from(sort.form?);
            (form >= known.shapes.rigid).then(|| known.shapes.forms[form].name.clone())
        };
        if let Some(name) = what.components().iter().find_map(bonded) {
            let what =
                format!("`{name}` is bonded; agglomerates are there from the start, by a [[fill]]");
            return Err(Problem::at_key(&at.key("shape"), what));
        }
        list.push(FeedSetup {
            min,
            max,
            rise: check.vector_or_zero::<D>(&at.key("rise"), spec.rise.as_deref())?,
            start: check.non_negative(&at.key("start"), spec.start)?,
            timing,
            count: spec.count.unwrap_or(u64::MAX),
            mass,
            what,
            velocity: check.vector_or_zero::<D>(&at.key("velocity"), spec.velocity.as_deref())?,
            attempts: spec.attempts,
            retry_interval: check.positive(&at.key("retry_interval"), spec.retry_interval)?,
            max_retries: spec.max_retries,
        });
    }
    Ok(list)
}

/// Builds the outlets of a scenario.
pub(super) fn outlets<D: Dimension>(
    check: Check<'_>,
    specs: &[OutletSpec],
) -> Result<Vec<OutletSetup<D>>, Problem> {
    let mut list = Vec::new();
    for (k, spec) in specs.iter().enumerate() {
        let at = Place::of("outlet").index(k);
        let kind = check.one_of(
            &at,
            "where grains leave",
            &[
                ("plane", spec.plane.is_some()),
                ("inside", spec.inside.is_some()),
                ("outside", spec.outside.is_some()),
            ],
        )?;
        let here = at.key(kind);
        if let Some(plane) = &spec.plane {
            list.push(OutletSetup::Plane {
                point: check.vector::<D>(&here.key("point"), &plane.point)?,
                normal: check.direction::<D>(&here.key("normal"), &plane.normal)?,
            });
        } else if let Some(extent) = &spec.inside {
            let (min, max) = check.corners::<D>(&here, &extent.min, &extent.max)?;
            list.push(OutletSetup::Inside { min, max });
        } else if let Some(extent) = &spec.outside {
            let (min, max) = check.corners::<D>(&here, &extent.min, &extent.max)?;
            list.push(OutletSetup::Outside { min, max });
        }
    }
    Ok(list)
}
