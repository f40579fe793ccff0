//! Reads the grains of rough walls from a file, a list or a lattice.

use super::{Grains, RoughKeys, WallGrainKeys, WallLatticeKeys};
use crate::geometry::{Dimension, Vector};
use crate::keys::View;
use crate::walls::shapes::Shape;
use crate::walls::shapes::kind::ShapeKeys;

/// Greatest number of grains of one wall.
const MOST: u64 = 1_000_000;

impl<D: Dimension> ShapeKeys<D> for RoughKeys {
    fn read<V: View>(&mut self, here: &V) -> Result<Shape<D>, V::Fault> {
        Ok(Shape::Grains(Grains(grains::<D, V>(here, self)?)))
    }
}

/// Returns centres and radii. The contents of a file replace its name in the keys as a list.
fn grains<D: Dimension, V: View>(
    here: &V,
    spec: &mut RoughKeys,
) -> Result<Vec<(D::Vector, f64)>, V::Fault> {
    let found = listed::<D, V>(here, spec)?;
    // Two grains at one place would act as one of twice the stiffness, which the choice of the step does not account
    // for.
    let key = |k: &usize| {
        // 0 and -0 are equal.
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
            Err(here.fault_of_key(text))
        }
        None => Ok(found),
    }
}

fn listed<D: Dimension, V: View>(
    here: &V,
    spec: &mut RoughKeys,
) -> Result<Vec<(D::Vector, f64)>, V::Fault> {
    let kind = here.one_of(
        "where its grains are",
        &[
            ("file", spec.file.is_some()),
            ("grains", spec.grains.is_some()),
            ("lattice", spec.lattice.is_some()),
        ],
    )?;
    let at = here.key(kind);
    if let Some(rows) = &spec.lattice {
        return lattice::<D, V>(&at, rows);
    }
    if let Some(file) = spec.file.take() {
        let found = at.balls::<D>(&file)?;
        let fixed = |(position, radius)| WallGrainKeys { position, radius };
        spec.grains = Some(found.into_iter().map(fixed).collect());
    }
    let list = spec.grains.as_deref().unwrap_or_default();
    number(&at, list.len() as u64)?;
    let one = |(k, grain): (usize, &WallGrainKeys)| {
        let at = at.index(k);
        let centre = at.key("position").vector::<D>(&grain.position)?;
        Ok((centre, at.key("radius").positive(grain.radius)?))
    };
    list.iter().enumerate().map(one).collect()
}

fn number<V: View>(at: &V, count: u64) -> Result<(), V::Fault> {
    if (1..=MOST).contains(&count) {
        return Ok(());
    }
    let path = at.path();
    let text = format!("`{path}` has {count} grains; a rough wall has from 1 to {MOST}");
    Err(at.fault(text))
}

fn lattice<D: Dimension, V: View>(
    at: &V,
    rows: &WallLatticeKeys,
) -> Result<Vec<(D::Vector, f64)>, V::Fault> {
    let ways = rows.steps.len();
    if ways == 0 || ways > D::N {
        let must = format!("a list of 1 to {} vectors", D::N);
        return Err(at.key("steps").wrong(&format!("a list of {ways}"), &must));
    }
    if rows.counts.len() != ways {
        let has = format!("a list of {}", rows.counts.len());
        let must = format!("a list of {ways}, as many as `steps`");
        return Err(at.key("counts").wrong(&has, &must));
    }
    let counts = rows.counts.iter();
    number(
        &at.key("counts"),
        counts.fold(1, |all: u64, &count| all.saturating_mul(count)),
    )?;
    let radius = at.key("radius").positive(rows.radius)?;
    let mut places = vec![at.key("first").vector::<D>(&rows.first)?];
    for (k, (step, &count)) in rows.steps.iter().zip(&rows.counts).enumerate() {
        let step = at.key("steps").index(k).vector::<D>(step)?;
        let row = |n: u64| places.iter().map(move |&x| x + step * n as f64);
        places = (0..count).flat_map(row).collect();
    }
    Ok(places.into_iter().map(|x| (x, radius)).collect())
}
