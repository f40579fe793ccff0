//! Grains of bonded shapes become the disks or spheres of which they are made.

use super::MAX_GRAINS;
use super::grains::Filled;
use super::shapes::Shapes;
use crate::body::{Agglomerates, Grain, GrainId};
use crate::geometry::{Dimension, Vector};
use crate::neighbor::wrapped;
use crate::scenario::path::Place;
use crate::scenario::problem::Problem;
use crate::system::{InPieces, PeriodicAxis, Setup, in_pieces};

/// Returns how many grains there are once each agglomerate is taken for its parts.
pub(super) fn count<D: Dimension>(grains: &[Grain<D>], shapes: &Shapes<D>) -> usize {
    let parts =
        |grain: &Grain<D>| bonded(grain, shapes).map_or(1, |form| shapes.forms[form].parts.len());
    grains.iter().map(parts).sum()
}

/// The form of an agglomerate, by index.
fn bonded<D: Dimension>(grain: &Grain<D>, shapes: &Shapes<D>) -> Option<usize> {
    grain
        .form
        .map(usize::from)
        .filter(|&form| form >= shapes.rigid)
}

/// Returns the image of a place that is in the periodic box; rounding may have ended at its far border, which is out.
fn inside<D: Dimension>(place: D::Vector, periodic: &[Option<PeriodicAxis>]) -> D::Vector {
    let place = wrapped::<D>(periodic, place);
    D::Vector::from_fn(|k| match periodic[k] {
        Some(axis) if place[k] >= axis.origin + axis.length => axis.origin,
        _ => place[k],
    })
}

/// Whether a ball reaches into the periodic box.
fn is_near<V: Vector>(place: V, radius: f64, periodic: &[Option<PeriodicAxis>]) -> bool {
    periodic.iter().enumerate().all(|(k, axis)| {
        axis.is_none_or(|axis| {
            let within = place[k] - axis.origin;
            (-radius..axis.length + radius).contains(&within)
        })
    })
}

/// Replaces each agglomerate by its parts, moving as it did, and drops the forms of agglomerates. Grains are numbered anew.
pub(super) fn expand<D: Dimension>(
    filled: &mut Filled<D>,
    shapes: &mut Shapes<D>,
    density: impl Fn(u16) -> f64,
    periodic: &[Option<PeriodicAxis>],
) -> Result<Agglomerates, Problem> {
    let mut agglomerates = Agglomerates::default();
    let total = count(&filled.grains, shapes);
    if total == filled.grains.len() {
        shapes.forms.truncate(shapes.rigid);
        return Ok(agglomerates);
    }
    if total as u64 > MAX_GRAINS {
        let what = format!(
            "the agglomerates have {total} grains, more than the {MAX_GRAINS} that a scenario may start with"
        );
        return Err(Problem::at_key(&Place::of("fill"), what));
    }
    let mut grains: Vec<Grain<D>> = Vec::with_capacity(total);
    for (index, grain) in std::mem::take(&mut filled.grains).into_iter().enumerate() {
        let first = grains.len() as GrainId;
        let Some(form) = bonded(&grain, shapes) else {
            grains.push(Grain { id: first, ..grain });
            filled.parts.push((index, None));
            continue;
        };
        let form = &shapes.forms[form];
        agglomerates.add(first, form.parts.len() as u32);
        let near = is_near(grain.position, grain.radius, periodic);
        for (number, part) in form.parts.iter().enumerate() {
            filled.parts.push((index, Some(number + 1)));
            let id = first + number as GrainId;
            let arm = D::rotate(grain.rotation, part.centre) * grain.radius;
            let material = grain.material;
            let radius = part.radius * grain.radius;
            let place = grain.position + arm;
            let place = if near {
                inside::<D>(place, periodic)
            } else {
                place
            };
            let mut made = Grain::new(id, material, radius, density(material), place);
            made.velocity = grain.velocity + D::cross_spin(grain.spin, arm);
            made.spin = grain.spin;
            grains.push(made);
        }
    }
    filled.grains = grains;
    shapes.forms.truncate(shapes.rigid);
    Ok(agglomerates)
}

/// Warns of agglomerates that begin in pieces.
pub(super) fn warnings<D: Dimension>(setup: &Setup<D>) -> Vec<String> {
    let told = |found: InPieces| {
        let all = setup.matter.agglomerates.count();
        let InPieces {
            agglomerates,
            pieces,
        } = found;
        format!(
            "{agglomerates} of {all} agglomerates begin in pieces: bonds do not reach {pieces} of these, mostly single grains; a wider `gap` of the bonds may join them"
        )
    };
    in_pieces(setup).map(told).into_iter().collect()
}
