//! Rough walls: grains that do not move against each other, from a file, a list or a lattice.

use std::path::Path;

use super::check::Check;
use crate::geometry::{Dimension, Vector};
use crate::scenario::path::Place;
use crate::scenario::problem::Problem;
use crate::scenario::spec::{GrainSpec, RoughSpec, WallGrainSpec, WallLatticeSpec};
use crate::scenario::{input, table};

/// The most grains of one wall.
const MOST: u64 = 1_000_000;

/// Centres and radii. A file is taken into the spec as a list.
pub(super) fn grains<D: Dimension>(
    check: Check<'_>,
    here: &Place,
    spec: &mut RoughSpec,
    folder: Option<&Path>,
) -> Result<Vec<(D::Vector, f64)>, Problem> {
    let found = listed::<D>(check, here, spec, folder)?;
    // Two at one place would be one of twice the stiffness, of which the step knows nothing.
    let key = |k: &usize| {
        // Both zeros are one.
        let bits = found[*k].0.components().map(|x| (x + 0.0).to_bits());
        bits.collect::<Vec<u64>>()
    };
    let mut order: Vec<usize> = (0..found.len()).collect();
    order.sort_by_cached_key(key);
    match order
        .windows(2)
        .find(|pair| found[pair[0]].0 == found[pair[1]].0)
    {
        Some(pair) => {
            let text = format!(
                "grains {} and {} of the wall have the same centre",
                pair[0], pair[1]
            );
            Err(Problem::at_key(here, text))
        }
        None => Ok(found),
    }
}

fn listed<D: Dimension>(
    check: Check<'_>,
    here: &Place,
    spec: &mut RoughSpec,
    folder: Option<&Path>,
) -> Result<Vec<(D::Vector, f64)>, Problem> {
    let kind = check.one_of(
        here,
        "where its grains are",
        &[
            ("file", spec.file.is_some()),
            ("grains", spec.grains.is_some()),
            ("lattice", spec.lattice.is_some()),
        ],
    )?;
    let at = here.key(kind);
    if let Some(rows) = &spec.lattice {
        return lattice::<D>(check, &at, rows);
    }
    if let Some(file) = spec.file.take() {
        let found = input::table(&at, &file, folder, table::grains::<D>)?.grains;
        if found
            .iter()
            .any(|g| g.velocity.is_some() || g.spin.is_some())
        {
            let text =
                format!("{file}: grains of a wall move with it; leave velocities and spins out");
            return Err(Problem::at(&at, text));
        }
        let fixed = |g: GrainSpec| WallGrainSpec {
            position: g.position,
            radius: g.radius,
        };
        spec.grains = Some(found.into_iter().map(fixed).collect());
    }
    let list = spec.grains.as_deref().unwrap_or_default();
    number(&at, list.len() as u64)?;
    let one = |(k, grain): (usize, &WallGrainSpec)| {
        let at = at.index(k);
        let centre = check.vector::<D>(&at.key("position"), &grain.position)?;
        Ok((centre, check.positive(&at.key("radius"), grain.radius)?))
    };
    list.iter().enumerate().map(one).collect()
}

fn number(at: &Place, count: u64) -> Result<(), Problem> {
    if (1..=MOST).contains(&count) {
        return Ok(());
    }
    let text = format!("`{at}` has {count} grains; a rough wall has from 1 to {MOST}");
    Err(Problem::at(at, text))
}

fn lattice<D: Dimension>(
    check: Check<'_>,
    at: &Place,
    rows: &WallLatticeSpec,
) -> Result<Vec<(D::Vector, f64)>, Problem> {
    let ways = rows.steps.len();
    if ways == 0 || ways > D::N {
        let must = format!("a list of 1 to {} vectors", D::N);
        return Err(check.wrong(&at.key("steps"), &format!("a list of {ways}"), &must));
    }
    if rows.counts.len() != ways {
        let has = format!("a list of {}", rows.counts.len());
        let must = format!("a list of {ways}, as many as `steps`");
        return Err(check.wrong(&at.key("counts"), &has, &must));
    }
    let counts = rows.counts.iter();
    number(
        &at.key("counts"),
        counts.fold(1, |all: u64, &count| all.saturating_mul(count)),
    )?;
    let radius = check.positive(&at.key("radius"), rows.radius)?;
    let mut places = vec![check.vector::<D>(&at.key("first"), &rows.first)?];
    for (k, (step, &count)) in rows.steps.iter().zip(&rows.counts).enumerate() {
        let step = check.vector::<D>(&at.key("steps").index(k), step)?;
        let row = |n: u64| places.iter().map(move |&x| x + step * n as f64);
        places = (0..count).flat_map(row).collect();
    }
    Ok(places.into_iter().map(|x| (x, radius)).collect())
}
