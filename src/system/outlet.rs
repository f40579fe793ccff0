//! Removal of grains that have left (thesis 5.8.2.2).

use std::collections::BTreeMap;

use super::jam_watch::JamWatch;
use super::{OutletSetup, System, SystemError, air, logging, perturb, regimes, rest};
use crate::body::Grain;
use crate::cluster;
use crate::cluster::World;
use crate::cluster::arrays::Status;
use crate::cluster::integrate::Integrate;
use crate::event::EventKind;
use crate::field::piece::turned_spin;
use crate::geometry::{Dimension, Vector};
use crate::record::{BodyRef, Sink};

/// Way in which a grain has left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Left {
    Through,
    Lost,
}

impl<D: Dimension> OutletSetup<D> {
    /// Returns whether a ball lies wholly beyond the outlet.
    pub fn takes(&self, x: D::Vector, radius: f64) -> bool {
        self.left(x, radius).is_some()
    }

    /// Returns how a grain that lies wholly beyond has left; `None` if it does not lie there.
    pub(super) fn left(&self, x: D::Vector, radius: f64) -> Option<Left> {
        match self {
            OutletSetup::Plane { point, normal } => {
                let height = (x - *point).dot(normal) / normal.norm();
                (height < -radius).then_some(Left::Through)
            }
            OutletSetup::Inside { min, max } => (0..D::N)
                .all(|k| x[k] - radius > min[k] && x[k] + radius < max[k])
                .then_some(Left::Through),
            OutletSetup::Outside { min, max } => (0..D::N)
                .any(|k| x[k] < min[k] - radius || x[k] > max[k] + radius)
                .then_some(Left::Lost),
        }
    }
}

/// Returns the outlet through which a grain leaves.
pub(super) fn through<D: Dimension>(outlets: &[OutletSetup<D>], grain: &Grain<D>) -> Option<usize> {
    let takes = |outlet: &OutletSetup<D>| outlet.left(grain.position, grain.radius);
    let mut outlets = outlets.iter();
    outlets.position(|outlet| takes(outlet) == Some(Left::Through))
}

/// Removes clusters all of whose grains have left.
pub(super) fn delete_left<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
    time: f64,
) -> Result<(), SystemError> {
    let arrays = &system.dem.world.grains.arrays;
    let mut left: Vec<Option<Left>> = vec![None; arrays.slots()];
    let mut any = Vec::new();
    for slot in 1..arrays.slots() {
        if !arrays.status[slot].is_grain() {
            continue;
        }
        let x = system.dem.world.position_at(slot, time);
        left[slot] = system
            .setup
            .sources
            .outlets
            .iter()
            .find_map(|o| o.left(x, arrays.radius(slot)));
        if left[slot].is_some() {
            any.push(slot as u32);
        }
    }
    if any.is_empty() {
        return Ok(());
    }
    cluster::change::find_splits(
        &system.dem.world.grains,
        &system.dem.world.contacts,
        &system.dem.world.sleeping,
        &mut system.dem.clusters,
    );
    let clusters = &system.dem.clusters;
    let gone: Vec<u32> = any
        .into_iter()
        .filter(|&slot| clusters.members(slot).all(|m| left[m as usize].is_some()))
        .collect();
    if gone.is_empty() {
        return Ok(());
    }
    system.account(time);
    let mut rows = BTreeMap::new();
    // A grain that is booked as gone is no longer counted.
    let all = system.grain_count() == gone.len();
    for (before, &slot) in gone.iter().enumerate() {
        if let Some(how) = left[slot as usize] {
            book_removed(system, slot, how, &gone[..before], time);
        }
        let seq = system.log(sink, time, EventKind::DeleteBodies, Some(slot))?;
        rows.insert(system.dem.world.grains.arrays.id[slot as usize], seq);
        if all {
            system.s.journal.causes.end = seq;
        }
    }
    let lost = system.dem.world.sleeping.still.lost;
    remove_grains(system, sink, &gone, time, &rows)?;
    if system.dem.world.sleeping.still.lost > lost && rest::wake_unbalanced(system, sink)? {
        regimes::renew(system, sink)?;
    }
    Ok(())
}

/// Books a grain that is about to be removed after others.
pub(super) fn book_removed<D: Integrate>(
    system: &mut System<D>,
    slot: u32,
    how: Left,
    before: &[u32],
    time: f64,
) {
    let grain = system.grain_at(slot, time);
    let potential = system.potential_of(&grain, time, before);
    system.s.ledger.removed += grain.kinetic_energy() + potential;
    system.s.ledger.removed_potential += potential;
    system.s.ledger.perturbed += perturb::lift(&system.dem.world, &system.s.ledger, &grain);
    system.s.ledger.removed_size += grain.mass * 2.0 * grain.radius;
    system.s.traffic.leave(&grain, time);
    if how == Left::Through {
        let outlet = through(&system.setup.sources.outlets, &grain);
        system.s.traffic.discharge(outlet, time);
    }
}

/// Removes grains from the engine, with their links. `rows`: numbers of the rows in the log that report it, by number
/// of grain.
pub(super) fn remove_grains<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
    gone: &[u32],
    time: f64,
    rows: &BTreeMap<u32, u64>,
) -> Result<(), SystemError> {
    rest::forget_rest(&system.dem.world, &mut system.s.rest, gone);
    for &slot in gone {
        if system.dem.world.grains.flies(slot as usize) {
            air::restart(&mut system.dem, &system.fields, slot, time);
        }
    }
    let elastic =
        cluster::change::end_links_of(&system.dem.world, &mut system.dem.effects, gone, time);
    system.s.ledger.remove_elastic(elastic);
    let row = |body: BodyRef| match body {
        BodyRef::Grain(id) => rows.get(&id).copied(),
        _ => None,
    };
    // Logged while the grains are still in their slots.
    logging::log_links_by(system, sink, |a, b| row(a).or(row(b)).unwrap_or(0))?;
    cluster::change::remove(
        &mut system.dem.world,
        &mut system.dem.book,
        &mut system.dem.clusters,
        &mut system.dem.border,
        gone,
    );
    Ok(())
}

/// Returns a grain at a time within a step of the last evaluation.
pub(super) fn grain_at<D: Integrate>(
    world: &World<D>,
    watch: &JamWatch,
    slot: u32,
    time: f64,
) -> Grain<D> {
    let arrays = &world.grains.arrays;
    let s = slot as usize;
    let radius = arrays.radius(s);
    let (position, velocity, spin, rotation) = if arrays.status[s] == Status::Flying {
        let [position, velocity] = world.flight_at(s, time);
        let spin = D::surface_spin(arrays, s);
        let spin = D::spin_from_fn(|k| spin[k] / radius);
        let t = time - world.grains.since[s];
        let turned =
            cluster::bodies::body_turned(&world.clock, &world.shapes, &world.grains, slot, t);
        let (spin, rotation) = turned.unwrap_or_else(|| {
            let (spin, turn) = turned_spin::<D>(spin, world.physics.spin_turning, t);
            (spin, D::turned(D::rotation(arrays, s), turn))
        });
        (position, velocity, spin, rotation)
    } else if arrays.status[s] == Status::Still {
        (
            arrays.position(s),
            D::Vector::default(),
            D::spin_from_fn(|_| 0.0),
            D::rotation(arrays, s),
        )
    } else {
        // After a jam nothing moves: residual accelerations must not add up.
        let t = if watch.jam().is_some() {
            0.0
        } else {
            time - world.clock.time()
        };
        let (v, sp) = world.velocity_now(s);
        let (f, moment) = D::force(arrays, s);
        let (m, i) = (arrays.inverse_mass(s), arrays.inverse_inertia(s));
        let (a, spin, turn) = match cluster::rigid::rates_of(world, slot) {
            Some(rates) => (
                rates.acceleration,
                rates.spin + rates.turning * t,
                (rates.spin + rates.turning * (0.5 * t)) * t,
            ),
            None => (
                D::Vector::from_fn(|k| f[k] * m + world.physics.gravity[k]),
                D::spin_from_fn(|k| (sp[k] + t * moment[k] * i) / radius),
                D::spin_from_fn(|k| t * (sp[k] + 0.5 * t * moment[k] * i) / radius),
            ),
        };
        let (spin, rotation) =
            match cluster::bodies::body_turned(&world.clock, &world.shapes, &world.grains, slot, t)
            {
                Some(turned) => turned,
                None => (spin, D::turned(D::rotation(arrays, s), turn)),
            };
        (
            arrays.position(s) + v * t + a * (0.5 * t * t),
            v + a * t,
            spin,
            rotation,
        )
    };
    Grain {
        id: arrays.id[s],
        material: arrays.material[s],
        form: world.grains.form_index(slot),
        radius,
        inertia: match world.grains.form_index(slot) {
            Some(form) => world.shapes.forms()[usize::from(form)].inertia,
            None => [D::BALL_INERTIA; 3],
        },
        mass: 1.0 / arrays.inverse_mass(s),
        position,
        velocity,
        rotation,
        spin,
    }
}

/// Returns all grains at a time within a step of the last evaluation, in order of number.
pub(super) fn grains_at<D: Integrate>(
    world: &World<D>,
    watch: &JamWatch,
    time: f64,
) -> Vec<Grain<D>> {
    let status = &world.grains.arrays.status;
    let mut grains: Vec<Grain<D>> = (1..status.len() as u32)
        .filter(|&s| status[s as usize].is_grain())
        .map(|s| grain_at(world, watch, s, time))
        .collect();
    grains.sort_unstable_by_key(|g| g.id);
    grains
}
