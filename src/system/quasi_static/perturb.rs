//! Perturbations of a filling: gravity turns by itself, and grains are removed.

use super::{QuasiStatic, loads};
use crate::body::Formed;
use crate::event::EventKind;
use crate::geometry::Vector;
use crate::geometry::three;
use crate::record::{BodyRef, Sink};
use crate::system::SystemError;

/// Applies a perturbation: removes a grain; gravity turns by itself, when loads are updated.
pub(super) fn perturb<D: Formed>(
    filling: &mut QuasiStatic<D>,
    index: usize,
    time: f64,
    sink: &mut dyn Sink,
) -> Result<(), SystemError> {
    let kind = filling.setup.sources.perturbs[index].kind;
    let there = (0..filling.nodes.len()).filter(|&k| filling.is_there(k));
    let touched = kind.touched(there.map(|k| {
        let (u, _) = filling.displacement(filling.nodes[k]);
        let grain = &filling.setup.grains[k];
        (k, grain.id, grain.position + u)
    }));
    // Gravity turns with grains or without.
    if touched.is_empty() && kind.change().is_none() {
        filling.course.warnings.push(format!(
            "perturb[{index}] found no grain at {time:.6} s: nothing was done"
        ));
        return Ok(());
    }
    filling.course.journal.count(EventKind::Perturb);
    filling.course.sources.perturbed(index);
    match kind.change() {
        Some(_) => {
            filling.log(sink, time, EventKind::Perturb, |_| {})?;
            Ok(())
        }
        None => remove(filling, touched[0], time, sink),
    }
}

/// Removes a grain, given by its index among those that have been added.
fn remove<D: Formed>(
    filling: &mut QuasiStatic<D>,
    victim: usize,
    time: f64,
    sink: &mut dyn Sink,
) -> Result<(), SystemError> {
    let (node, grain) = (filling.nodes[victim], filling.setup.grains[victim]);
    let place = grain.position + filling.displacement(node).0;
    let cause = filling.log(sink, time, EventKind::Perturb, |row| {
        row.body_a = BodyRef::Grain(grain.id);
        row.position = three(place);
    })?;
    filling.course.journal.add(EventKind::DeleteBodies, 1);
    let links = filling.packing.network().links_of(node).iter();
    let stiffness = links.map(|&link| filling.packing.network().links()[link].kn);
    let stiffness = stiffness.fold(0.0, f64::max);
    // Between its removal and the new equilibrium nothing else moves.
    let weights = filling.loads.are_weights();
    let before = loads::potential(filling);
    for link in filling.packing.drop_node(node, stiffness) {
        filling.course.journal.add(EventKind::RemoveLink, 1);
        filling.log_link(sink, time, EventKind::RemoveLink, link, f64::NAN, cause)?;
    }
    filling.bodies[node] = BodyRef::None;
    filling.bodies.push(BodyRef::None);
    let at = filling.gone.partition_point(|&k| k < victim);
    filling.gone.insert(at, victim);
    filling.tally.removed += match weights {
        true => -grain.mass * filling.setup.fields.gravity.dot(&place),
        false => {
            loads::load_all(filling, time);
            before - loads::potential(filling)
        }
    };
    loads::come_to_rest(filling, time, cause, "after a grain has gone", sink)
}
