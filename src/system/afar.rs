//! Fields that are not uniform and long-range forces between grains: their action at an evaluation,
//! and their potential energy.

use super::{Setup, field_loads};
use crate::body::Grain;
use crate::cluster;
use crate::cluster::integrate::Integrate;
use crate::cluster::{Dem, Driven, FieldForce, World};
use crate::field::{Action, FieldPoint, FieldSet, Member, ParticleColumns};
use crate::geometry::three;
use crate::geometry::{Dimension, Vector};

/// Returns the state of a grain at the evaluation, as input to fields.
pub(super) fn point<D: Integrate>(
    world: &World<D>,
    fields: &FieldSet<D>,
    slot: u32,
    time: f64,
) -> FieldPoint<D> {
    let (arrays, s) = (&world.grains.arrays, slot as usize);
    let (mass, radius) = (1.0 / arrays.inverse_mass(s), arrays.radius(s));
    FieldPoint {
        mass,
        radius,
        volume: fields.volume(arrays.material[s], mass, radius),
        position: arrays.position(s),
        velocity: arrays.velocity(s),
        time,
        source: cluster::afar::source(
            &world.shapes,
            &world.grains,
            slot,
            fields.source(arrays.material[s]),
        ),
    }
}

/// Returns the same grain as input to long-range forces.
pub(super) fn member<D: Dimension>(at: &FieldPoint<D>) -> Member {
    Member {
        position: three(at.position),
        mass: at.mass,
        source: at.source,
    }
}

/// Returns the slots of all grains except those that `without` selects, ascending, and their states at the evaluation.
pub(super) fn crowd<D: Integrate>(
    world: &World<D>,
    fields: &FieldSet<D>,
    without: impl Fn(u32) -> bool,
) -> (Vec<u32>, ParticleColumns) {
    let arrays = &world.grains.arrays;
    let (mut slots, mut crowd) = (Vec::new(), ParticleColumns::new());
    for slot in 1..arrays.slots() as u32 {
        if arrays.status[slot as usize].is_grain() && !without(slot) {
            slots.push(slot);
            crowd.push(&member(&point(world, fields, slot, world.clock.time())));
        }
    }
    (slots, crowd)
}

/// Applies the forces of fields that are not uniform, at an evaluation; the engine's gravity contains
/// the uniform ones.
pub(super) fn apply_fields<D: Integrate>(
    dem: &mut Dem<D>,
    fields: &mut FieldSet<D>,
    uniform: bool,
) {
    // All grains meet the fluid as it is before any of them has slowed it down.
    let given = match uniform {
        true => D::Vector::default(),
        false => field_loads::stir(dem, fields),
    };
    let active = std::mem::take(&mut dem.world.grains.active);
    act_on(dem, fields, uniform, &active);
    dem.world.grains.active = active;
    if dem.world.sleeping.still.fields.stirs {
        fields.react(given, dem.world.clock.time());
    }
    cluster::rigid::act(dem, !uniform);
    cluster::advance::start_fresh(&mut dem.world);
}

/// Applies these forces to grains that begin to step between two evaluations, which have not felt the fields yet. Those that begin when positions
/// have moved on wait for the evaluation that is due there, which would count their fields twice.
pub(super) fn apply_fields_to_fresh<D: Integrate>(
    dem: &mut Dem<D>,
    fields: &mut FieldSet<D>,
    uniform: bool,
) {
    if !uniform && !dem.border.is_shared() && dem.effects.evaluation_is_due {
        return;
    }
    let fresh = dem.world.grains.fresh.clone();
    act_on(dem, fields, uniform, &fresh);
    cluster::advance::start_fresh(&mut dem.world);
}

fn act_on<D: Integrate>(dem: &mut Dem<D>, fields: &mut FieldSet<D>, uniform: bool, slots: &[u32]) {
    if uniform || slots.is_empty() {
        return;
    }
    if let Some(frame) = fields.own_frame() {
        if frame.rate != [0.0; 3] {
            let mut fresh = dem.world.grains.fresh.clone();
            fresh.sort_unstable();
            cluster::afar::turn_with_frame(&mut dem.world, slots, frame.centre, frame.rate, &fresh);
        }
        return;
    }
    let time = dem.world.clock.time();
    if fields.has_moments() {
        dem.world.grains.settle_rotations();
    }
    fields.handle_event(time);
    let (dem, fields) = (dem, fields);
    let booked = fields.is_booked();
    let mut driven: Vec<Driven<D>> = Vec::new();
    for &slot in slots {
        let at = point(&dem.world, fields, slot, time);
        let mut sum = FieldForce::<D>::default();
        let (mut given, mut given_moment) = (D::Vector::default(), [0.0; 3]);
        for field in fields.iter().filter(|f| f.uniform_acceleration().is_none()) {
            let force = field.force(&at);
            sum.force += force;
            if field.dissipated_power(&at) > 0.0 {
                sum.drag += force;
            }
            let gives = booked && field.gives_work();
            if gives {
                given += force;
            }
            let moment = field.moment(&at);
            for k in 0..3 {
                sum.moment[k] += moment[k];
                given_moment[k] += if gives { moment[k] } else { 0.0 };
            }
        }
        cluster::afar::add_action(&mut dem.world.grains, slot, &sum);
        if booked {
            driven.push(Driven {
                force: sum.force,
                given,
                given_moment,
                drag: fields.drag(&at),
                turning: fields.gyration(&at),
                spin_turning: fields.spin_turning(),
            });
        }
    }
    if fields.reaches_between() {
        let (all, crowd) = crowd(&dem.world, fields, |_| false);
        let mut actions = vec![Action::default(); all.len()];
        fields.act(&crowd, &mut actions);
        let mut acted = vec![false; dem.world.grains.arrays.slots()];
        for &slot in slots {
            acted[slot as usize] = true;
        }
        for (slot, action) in all.iter().zip(&actions) {
            if acted[*slot as usize] {
                let sum = FieldForce::<D> {
                    force: D::Vector::from_fn(|k| action.force[k]),
                    drag: D::Vector::default(),
                    moment: action.moment,
                };
                cluster::afar::add_action(&mut dem.world.grains, *slot, &sum);
            }
        }
    }
    let mut fresh = dem.world.grains.fresh.clone();
    fresh.sort_unstable();
    if booked {
        let mut given = D::Vector::default();
        for (&slot, driven) in slots.iter().zip(&driven) {
            given += cluster::driven::drive(
                &mut dem.world,
                &mut dem.book,
                slot,
                driven,
                fresh.binary_search(&slot).is_ok(),
            );
        }
        fields.react(given, time);
        return;
    }
    for &slot in slots {
        let rate = fields.gyration(&point(&dem.world, fields, slot, time));
        if rate != [0.0; 3] {
            cluster::afar::add_gyration(
                &dem.world.clock,
                &dem.world.physics,
                &mut dem.world.grains,
                slot,
                rate,
                fresh.binary_search(&slot).is_ok(),
            );
        }
    }
}

/// Returns the potential energy of a grain in the fields and with all other grains except those in the slots `without`, J.
pub(super) fn potential_of<D: Integrate>(
    setup: &Setup<D>,
    world: &World<D>,
    fields: &FieldSet<D>,
    grain: &Grain<D>,
    time: f64,
    without: &[u32],
) -> f64 {
    let axes = grain
        .form
        .map(|form| setup.matter.forms[usize::from(form)].axes);
    let density = fields.source(grain.material);
    let at = FieldPoint {
        mass: grain.mass,
        radius: grain.radius,
        volume: fields.volume(grain.material, grain.mass, grain.radius),
        position: grain.position,
        velocity: grain.velocity,
        time,
        source: density.of::<D>(grain.mass, grain.rotation, axes),
    };
    let mut sum = fields.potential_energy(&at);
    if fields.reaches_between() {
        let id = &world.grains.arrays.id;
        let left_out = |slot: u32| id[slot as usize] == grain.id || without.contains(&slot);
        let (_, others) = crowd(world, fields, left_out);
        sum += fields.energy_with(&others, &member(&at));
    }
    sum
}
