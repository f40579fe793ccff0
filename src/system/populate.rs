//! Grains of the setup in the world, and the first evaluation.

use super::traffic::Traffic;
use super::{Setup, afar, bonded, flight};
use crate::cluster;
use crate::cluster::arrays::Status;
use crate::cluster::bonds::BondError;
use crate::cluster::integrate::Integrate;
use crate::cluster::{Dem, World};
use crate::contact::bond::When;
use crate::field::FieldSet;

/// Adds the grains of the setup and makes the first evaluation, before which `springs` may set the contact history of links.
pub(super) fn populate<D: Integrate>(
    setup: &mut Setup<D>,
    dem: &mut Dem<D>,
    fields: &mut FieldSet<D>,
    uniform: bool,
    traffic: &mut Traffic,
    start: f64,
    springs: impl FnOnce(&mut Dem<D>),
) -> Result<(), BondError> {
    // The setup's list is no longer needed: it would double the memory of a large system.
    let grains = std::mem::take(&mut setup.grains);
    traffic.begin(grains.len());
    let now = dem.world.clock.time();
    for grain in &grains {
        let slot = cluster::dem::add(
            &dem.world.shapes,
            &mut dem.world.grains,
            &mut dem.clusters,
            grain,
            Status::Flying,
            start,
        );
        flight::restart(&mut dem.world, slot as usize, now);
        start_stepping(&mut dem.world, slot);
    }
    cluster::guided::start_guided(&dem.world.clock, &mut dem.world.walls);
    cluster::cell::drive::start_cell(&mut dem.world, &mut dem.book);
    dem.renew();
    cluster::change::start_springs(&mut dem.world);
    cluster::bonds::form(dem, bonded::joining(setup, When::Start), setup.seed)?;
    springs(dem);
    dem.forces();
    // Links in touch from the start do not count as formed.
    dem.effects.link_events.clear();
    afar::apply_fields(dem, fields, uniform);
    Ok(())
}

/// Starts to step a flying slot whose row is at the time of evaluation.
pub(super) fn start_stepping<D: Integrate>(world: &mut World<D>, slot: u32) {
    world.grains.arrays.status[slot as usize] = Status::Stepped;
    let active = &mut world.grains.active;
    if world.grains.in_order {
        let place = active.partition_point(|&other| other < slot);
        active.insert(place, slot);
    } else {
        active.push(slot);
    }
    world.grains.fresh.push(slot);
}
