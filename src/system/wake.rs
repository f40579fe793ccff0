//! Grains that are woken at the very step in which a contact with a stepped grain begins or ends (docs/morphing.md).
//!
//! A grain at rest acts as a wall on a striker until it is woken, and a wall throws back what a bed would
//! absorb. The grains that a wave can reach, and come back from, while the striker is in touch determine the rebound: these
//! are woken at once, with the struck grain, whether that one was at rest itself or is stepped among grains at rest. The blow
//! reaches the others too late to matter for it.
//!
//! Likewise a grain that loses a support falls from that very step on, and the push of an ended contact is no load.

use super::rest::{LOOKS, LOOSE};
use super::{MorphSetup, System, SystemError, regimes, rest};
use crate::cluster;
use crate::cluster::integrate::Integrate;
use crate::cluster::{Book, Encounter, ListLinks, Strike, World};
use crate::geometry::Vector;
use crate::record::Sink;

/// Energy that is stored in the links of the grains that a blow wakes for what its wave does to friction, over that of the wave when it has gone
/// through two contacts with their damping: so far its forces are a quarter of those that are there, and links near Coulomb's bound give way.
const STORED: f64 = 16.0;

/// The least of that over the energy of the blow itself, in space: however damped, blows shake down a bed of spheres. In the plane beds of damped
/// disks bear the same without (docs/morphing.md).
const STORED_IN_SPACE: f64 = 1.0;

/// Greatest distance of these, in diameters of the struck grain.
const FAR: f64 = 20.0;

/// Factor on the height from which a blow on a stepped grain wakes those around it for the rebound: a stepped grain yields by itself, and grains
/// that have just landed hop on each other without end.
const HARD: f64 = 100.0;

/// Mass that is woken around a struck grain, over that of the striker: what lies beyond takes no part in the rebound.
const MASSES: f64 = 30.0;

/// Mass that is woken around a grain that is pushed through a link, over its own: the push is looked for so often that its wave
/// wakes more ahead of it as it goes.
const AHEAD: f64 = 8.0;

/// Imbalance by a push through a link that is there, at which a grain is woken at once, over that at which it is woken at a check.
const SUDDEN: f64 = 3.0;

/// Number of times in a contact time at which such pushes are looked for.
const TIMES: u64 = 8;

/// Returns whether pushes are looked for after this step.
fn is_due<D: Integrate>(world: &World<D>, book: &Book, morph: &MorphSetup) -> bool {
    let every = (rest::look_steps(world, morph) / TIMES).max(1);
    !world.sleeping.still.rim.is_empty() && book.counts.steps.is_multiple_of(every)
}

/// Wakes, after each evaluation, the grains that were struck, or lost a support, in this step.
pub(super) fn wake_at_once<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
) -> Result<(), SystemError> {
    let encounters = system.dem.effects.take_encounters();
    let Some(morph) = system.setup.models.morph else {
        return Ok(());
    };
    let mut woken: Vec<u32> = Vec::new();
    let mut links = None;
    for encounter in &encounters {
        if encounter.began {
            let Some((strike, is_hard)) = blow(&system.dem.world, encounter, &morph) else {
                continue;
            };
            woken.extend(cluster::encounters::within_stored(
                &system.dem.world,
                encounter.struck,
                stored::<D>(&strike),
                FAR,
            ));
            if !is_hard {
                continue;
            }
            let links = if encounter.stands {
                &ListLinks::default()
            } else if cluster::encounters::lies_near(&system.dem.world, encounter, &strike) {
                links.get_or_insert_with(|| {
                    cluster::encounters::list_links(
                        &system.dem.world.grains,
                        &system.dem.world.contacts,
                    )
                })
            } else {
                continue;
            };
            // A bed yields, so that the striker is in touch for longer: a wave comes back from all that it reaches in this
            // time.
            let (time, depth) = (strike.duration, strike.depth);
            let from = encounter.struck;
            woken.extend(cluster::encounters::within_reach(
                &system.dem.world,
                from,
                time,
                depth,
                links,
            ));
            if encounter.stands {
                let striker = encounter.striker as usize;
                let mass = MASSES / system.dem.world.grains.arrays.inverse_mass(striker);
                woken.extend(cluster::encounters::around(&system.dem.world, from, mass));
            }
        } else {
            cluster::encounters::drop_push(
                &system.dem.world.grains,
                &mut system.dem.world.sleeping,
                encounter.struck,
            );
            if has_lost_support(&system.dem.world, encounter.struck, &morph) {
                woken.push(encounter.struck);
                // Also the grains that rest on it alone, as far as a wave comes within two checks.
                let time = 2.0 * morph.dwell / f64::from(LOOKS);
                let pull = pull(&system.dem.world, encounter.struck);
                let up = pull * (-1.0 / pull.norm());
                woken.extend(cluster::encounters::rest_on(
                    &system.dem.world,
                    encounter.struck,
                    time,
                    up,
                ));
            }
        }
    }
    if is_due(&system.dem.world, &system.dem.book, &morph) {
        for slot in cluster::encounters::pushed_hard(&system.dem.world, SUDDEN * morph.wake) {
            let mass = AHEAD / system.dem.world.grains.arrays.inverse_mass(slot as usize);
            woken.extend(cluster::encounters::around(&system.dem.world, slot, mass));
        }
    }
    woken.sort_unstable();
    woken.dedup();
    if rest::disturb(system, sink, &woken)? {
        regimes::renew_woken(system, sink)?;
    }
    Ok(())
}

/// Returns the blow of a contact that began, and whether the grains around the struck one determine the rebound: this one is at rest, or the
/// striker could rise [`HARD`] times as far. `None` if it could not rise by `strike` diameters of the smaller grain with all of its speed.
fn blow<D: Integrate>(
    world: &World<D>,
    encounter: &Encounter,
    morph: &MorphSetup,
) -> Option<(Strike, bool)> {
    let strike = cluster::encounters::strike(world, encounter)?;
    let radius = |slot: u32| world.grains.arrays.radius(slot as usize);
    let diameter = 2.0 * radius(encounter.struck).min(radius(encounter.striker));
    let scale = cluster::field_loads::scale(&world.physics, &world.sleeping);
    let height = 0.5 * strike.speed * strike.speed / scale;
    let least = morph.strike * diameter;
    let is_hard = encounter.stands || height >= HARD * least;
    (height >= least).then_some((strike, is_hard))
}

/// Returns how much energy (J) the links of the grains that a blow wakes store, for what its wave does to friction.
fn stored<D: Integrate>(strike: &Strike) -> f64 {
    let least = if D::N == 3 { STORED_IN_SPACE } else { 0.0 };
    strike.energy * (STORED * strike.restitution.powi(4)).max(least)
}

/// Returns the force of gravity and fields on a grain at rest over its mass, m/s^2.
fn pull<D: Integrate>(world: &World<D>, slot: u32) -> D::Vector {
    cluster::field_loads::pull(&world.physics, &world.grains, &world.sleeping, slot)
}

/// Returns whether a grain that lost a contact falls: whether its residual along its load is now so great that it must not stay
/// at rest. A grain that is pressed the other way, or sideways, has lost a body that pressed on it.
fn has_lost_support<D: Integrate>(world: &World<D>, slot: u32, morph: &MorphSetup) -> bool {
    let force = cluster::held::contact_force(&world.grains, &world.sleeping, slot);
    let pull = pull(world, slot);
    let along: f64 = (0..D::N).map(|k| force[k] * pull[k]).sum();
    let weight = cluster::field_loads::weight(world, slot);
    let load = pull.norm() / world.grains.arrays.inverse_mass(slot as usize);
    let lack = load + along / pull.norm();
    lack > LOOSE * weight && lack > morph.wake_share * cluster::held::pressed(world, slot)
}
