//! Loads of fields on grains at rest: where they are evaluated, and by what the loads of a bed are judged.
//!
//! What a field does to a grain that does not move depends on its place and, in some fields, on time and on other grains.
//! Loads are evaluated when a grain stops, after an equilibrium solve has displaced it, and where they change by themselves at each check.
//! Where gravity alone acts none of this is done.

use std::collections::BTreeSet;

use super::afar;
use super::perturb::SLOW;
use super::rest::LOOKS;
use super::{MorphSetup, Setup, System};
use crate::cluster;
use crate::cluster::integrate::Integrate;
use crate::cluster::{Dem, FieldLoad, World, Wrench};
use crate::field::{Action, FieldPoint, FieldSet};
use crate::geometry::{Vector, three};

/// Number of times per period at which fields that alternate are compared.
const PHASES: f64 = 32.0;
/// Greatest number of such times.
const MOST: f64 = 4096.0;

/// Returns the loads of fields that are not uniform on grains at rest at the places of some slots; empty where all are uniform.
pub(super) fn of<D: Integrate>(
    world: &World<D>,
    fields: &FieldSet<D>,
    slots: &[u32],
) -> Vec<FieldLoad> {
    if fields.uniform_acceleration().is_some() {
        return Vec::new();
    }
    let time = world.clock.time();
    let mut loads: Vec<FieldLoad> = slots
        .iter()
        .map(|&slot| {
            let at = FieldPoint {
                velocity: D::Vector::default(),
                ..afar::point(world, fields, slot, time)
            };
            alone(fields, &at)
        })
        .collect();
    if fields.reaches_between() {
        let (all, crowd) = afar::crowd(world, fields, |_| false);
        let mut actions = vec![Action::default(); all.len()];
        fields.act(&crowd, &mut actions);
        for (&slot, load) in slots.iter().zip(&mut loads) {
            let Ok(place) = all.binary_search(&slot) else {
                continue;
            };
            let radius = world.grains.arrays.radius(slot as usize);
            *load += FieldLoad {
                load: wrench::<D>(actions[place].force, actions[place].moment, radius),
                ..FieldLoad::default()
            };
        }
    }
    loads
}

/// Returns the load of the fields that act on each grain by itself.
fn alone<D: Integrate>(fields: &FieldSet<D>, at: &FieldPoint<D>) -> FieldLoad {
    let mut sum = FieldLoad::default();
    for field in fields.iter().filter(|f| f.uniform_acceleration().is_none()) {
        let load = wrench::<D>(three(field.force(at)), field.moment(at), at.radius);
        let gives = fields.is_booked() && field.gives_work();
        sum += FieldLoad {
            load,
            given: if gives { load } else { [0.0; 6] },
            ..FieldLoad::default()
        };
    }
    let drag = fields.drag(at);
    let pull = three(drag.velocity * drag.coefficient);
    let load = wrench::<D>(pull, [0.0; 3], at.radius);
    sum += FieldLoad {
        load,
        given: load,
        drag: pull,
        stirred: drag.coefficient * drag.velocity.norm_squared(),
    };
    sum
}

/// Returns a force (N) and a moment (N m) on a grain of a radius (m) in the form of the engine.
fn wrench<D: Integrate>(force: [f64; 3], moment: [f64; 3], radius: f64) -> Wrench {
    let [p, q, r] = cluster::afar::over_radius::<D>(moment, radius);
    [force[0], force[1], force[2], p, q, r]
}

/// Evaluates the loads on some slots at rest.
pub(super) fn refresh<D: Integrate>(dem: &mut Dem<D>, fields: &FieldSet<D>, slots: &[u32]) {
    if fields.uniform_acceleration().is_some() || slots.is_empty() {
        return;
    }
    if fields.has_moments() {
        dem.world.grains.settle_rotations();
    }
    let loads = of(&dem.world, fields, slots);
    cluster::field_loads::set(&mut dem.world, slots, &loads);
}

/// Evaluates the loads on all grains at rest, and by what loads are judged, where these may have changed: at a check, and when no
/// grain is stepped.
pub(super) fn refresh_all<D: Integrate>(system: &mut System<D>) {
    let weightless = system.dem.world.physics.gravity == D::Vector::default();
    if system.uniform && !weightless {
        return;
    }
    let choose = system.s.rest.looks.is_multiple_of(u64::from(LOOKS));
    let known = system.dem.world.sleeping.still.fields.has_scale();
    let change = change_by_themselves(&system.setup, &system.fields);
    if known && !change && !choose {
        return;
    }
    let time = system.dem.world.clock.time();
    system.fields.handle_event(time);
    if change {
        let standing = system.dem.world.grains.standing();
        refresh(&mut system.dem, &system.fields, &standing);
    }
    let scale = mean_load(&mut system.dem, &system.fields);
    system.dem.world.sleeping.still.fields.set_scale(scale);
}

/// Returns the mean load of a grain over its mass, m/s^2; where nothing loads the grains, the mean force of their links over the mean
/// mass.
fn mean_load<D: Integrate>(dem: &mut Dem<D>, fields: &FieldSet<D>) -> f64 {
    if fields.has_moments() {
        dem.world.grains.settle_rotations();
    }
    let world = &dem.world;
    let arrays = &world.grains.arrays;
    let slots: Vec<u32> = world.grains.own().collect();
    let loads = of(world, fields, &slots);
    let gravity = three(world.physics.gravity);
    let (mut load, mut mass) = (0.0, 0.0);
    for (place, &slot) in slots.iter().enumerate() {
        let own = 1.0 / arrays.inverse_mass(slot as usize);
        let field = loads.get(place).map_or([0.0; 6], |found| found.load);
        let force: [f64; 3] = std::array::from_fn(|k| own * gravity[k] + field[k]);
        load += force.iter().map(|f| f * f).sum::<f64>().sqrt();
        mass += own;
    }
    if mass == 0.0 {
        return 0.0;
    }
    if load > 0.0 {
        return load / mass;
    }
    let (mut force, mut links) = (0.0, 0.0);
    cluster::observe::each_contact(world, |view| {
        force += view.normal_force.abs();
        links += 1.0;
    });
    if links > 0.0 {
        force / links * slots.len() as f64 / mass
    } else {
        0.0
    }
}

/// Returns whether loads on grains at rest change though these do not move: with time, or with the places of other grains.
pub(super) fn change_by_themselves<D: Integrate>(setup: &Setup<D>, fields: &FieldSet<D>) -> bool {
    // Uniform fields never do.
    fields.uniform_acceleration().is_none()
        && (fields.reaches_between()
            || fields.stream(0.0).is_some()
            || setup.fields.place.alternation().is_some())
}

/// Returns whether fields change so fast with time that no equilibrium lasts from one solve to the next: by more than the share of the
/// residual at which a grain may be stopped that a turn of gravity may have.
pub(super) fn are_fast<D: Integrate>(
    setup: &Setup<D>,
    world: &World<D>,
    fields: &FieldSet<D>,
    morph: &MorphSetup,
) -> bool {
    let Some([slowest, fastest]) = setup.fields.place.alternation() else {
        return false;
    };
    let every = std::f64::consts::TAU / (PHASES * fastest);
    let count = (std::f64::consts::TAU / slowest / every).min(MOST) as u32;
    let arrays = &world.grains.arrays;
    let mut seen = BTreeSet::new();
    let kinds = world
        .grains
        .own()
        .filter(|&slot| seen.insert(arrays.material[slot as usize]));
    let most = SLOW * morph.residual * cluster::field_loads::scale(&world.physics, &world.sleeping);
    for slot in kinds {
        let over = arrays.inverse_mass(slot as usize);
        let load = |time: f64| {
            let at = FieldPoint {
                velocity: D::Vector::default(),
                time,
                ..afar::point(world, fields, slot, time)
            };
            alone(fields, &at).load.map(|f| f * over)
        };
        // What a solve meets has gone on for as long as since the last one; faster fields have swung to and fro meanwhile.
        let lag = morph.carry_every.min(0.5 * std::f64::consts::TAU / fastest);
        for k in 0..=count {
            let time = f64::from(k) * every;
            let (now, then) = (load(time + lag), load(time));
            let change = (0..6).map(|k| (now[k] - then[k]).powi(2)).sum::<f64>();
            if change.sqrt() > most {
                return true;
            }
        }
    }
    false
}

/// Lets a fluid on which grains act flow past the grains at rest, at an evaluation; returns the momentum that it gives them in a step,
/// N s.
pub(super) fn stir<D: Integrate>(dem: &mut Dem<D>, fields: &mut FieldSet<D>) -> D::Vector {
    let stirs = fields.stream(0.0).is_some() && dem.world.sleeping.still.count > 0;
    dem.world.sleeping.still.fields.stirs = stirs;
    let mut given = D::Vector::default();
    if stirs {
        let time = dem.world.clock.time();
        fields.handle_event(time);
        let standing = dem.world.grains.standing();
        refresh(dem, fields, &standing);
        given = cluster::field_loads::drag(&dem.world) * dem.world.clock.step;
    }
    given
}
