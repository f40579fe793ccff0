//! Interface of the engine for fields and long-range forces between grains.

use super::driven::turned;
use super::integrate::{Integrate, IntegratorName};
use super::world::{Clock, Grains, Physics, Shapes, World};
use crate::field::{Source, SourceDensity};
use crate::geometry::{Dimension, cross, three};

/// Action of a field on a grain.
#[derive(Clone, Copy, Debug, Default)]
pub struct FieldForce<D: Dimension> {
    /// Total force, N.
    pub force: D::Vector,
    /// Dissipative part of the force, N.
    pub drag: D::Vector,
    /// Moment about the centre, N m; in the plane only the last component counts.
    pub moment: [f64; 3],
}

/// Charge and moments of the grain at a slot at the evaluation.
pub fn source<D: Integrate>(
    shapes: &Shapes<D>,
    grains: &Grains<D>,
    slot: u32,
    density: SourceDensity,
) -> Source {
    let arrays = &grains.arrays;
    let mass = 1.0 / arrays.inverse_mass(slot as usize);
    if !density.has_moment() {
        return Source {
            charge: density.charge * mass,
            ..Source::default()
        };
    }
    let form = grains.form_index(slot);
    let axes = form.map(|index| shapes.forms[usize::from(index)].axes);
    density.of::<D>(mass, D::rotation(arrays, slot as usize), axes)
}

/// Adds the action of a field on a stepped grain at the present evaluation.
pub fn add_action<D: Integrate>(grains: &mut Grains<D>, slot: u32, action: &FieldForce<D>) {
    let (arrays, s) = (&mut grains.arrays, slot as usize);
    for k in 0..D::N {
        arrays.forces[s].0[k] += action.force[k];
        if D::N == 2 {
            arrays.forces[s].0[4 + k] += action.drag[k];
        } else {
            arrays.dampers[s].0[k] += action.drag[k];
        }
    }
    if action.moment != [0.0; 3] {
        let moment = over_radius::<D>(action.moment, arrays.radius(s));
        D::add_force(arrays, s, [0.0; 3], moment);
    }
}

/// A moment (N m) over a radius (m) in the form of the engine, N: in the plane its only component comes first.
pub fn over_radius<D: Dimension>(moment: [f64; 3], radius: f64) -> [f64; 3] {
    let inverse = 1.0 / radius;
    let [x, y, z] = moment.map(|m| m * inverse);
    if D::N == 2 { [z, 0.0, 0.0] } else { [x, y, z] }
}

/// Adds the force of an acceleration v x w to a stepped grain, after all other forces. The
/// leapfrogs use for v the mean of the velocities before and after the kick, so that it does no
/// work (Boris 1970).
pub fn add_gyration<D: Integrate>(
    clock: &Clock,
    physics: &Physics<D>,
    grains: &mut Grains<D>,
    slot: u32,
    rate: [f64; 3],
    fresh: bool,
) {
    let s = slot as usize;
    let (arrays, half) = (&grains.arrays, 0.5 * clock.step);
    let mass = 1.0 / arrays.inverse_mass(s);
    let midpoint = clock.integrator == IntegratorName::Midpoint;
    let leapfrog = midpoint || clock.integrator == IntegratorName::Verlet;
    // A grain that begins to step has the velocity of this evaluation; under the midpoint rule that
    // of half a step before, apart from gravity.
    let velocity = if midpoint || leapfrog && !fresh {
        let (carried, _) = D::carried(arrays, s);
        let (force, _) = D::force(arrays, s);
        let pushed: [f64; 3] = std::array::from_fn(|k| {
            let gravity = if k < D::N && !fresh {
                physics.gravity[k]
            } else {
                0.0
            };
            carried[k] + half * (force[k] / mass + gravity)
        });
        turned(pushed, rate.map(|w| half * w))
    } else {
        three(arrays.velocity(s))
    };
    let turns = cross(velocity, rate);
    let arrays = &mut grains.arrays;
    for k in 0..D::N {
        arrays.forces[s].0[k] += mass * turns[k];
    }
}

/// Adds the centrifugal and the Coriolis force of a frame to stepped disks or spheres, after all other forces, and turns the spins of
/// spheres the other way; of these slots those of `fresh`, in ascending order, begin to step.
pub fn turn_with_frame<D: Integrate>(
    world: &mut World<D>,
    slots: &[u32],
    centre: D::Vector,
    rate: [f64; 3],
    fresh: &[u32],
) {
    let (double, half) = (rate.map(|w| 2.0 * w), 0.5 * world.clock.step);
    let gravity = three(world.physics.gravity);
    let leaps = world.clock.integrator.is_leapfrog();
    for &slot in slots {
        let s = slot as usize;
        let arrays = &mut world.grains.arrays;
        let inverse = arrays.inverse_mass(s);
        let mass = 1.0 / inverse;
        let outwards = cross(cross(rate, three(arrays.position(s) - centre)), rate);
        let begins = !fresh.is_empty() && fresh.binary_search(&slot).is_ok();
        if !leaps || begins {
            for k in 0..D::N {
                arrays.forces[s].0[k] += mass * outwards[k];
            }
            let (clock, physics) = (&world.clock, &world.physics);
            add_gyration(clock, physics, &mut world.grains, slot, double, begins);
            if D::N == 3 {
                let arrays = &mut world.grains.arrays;
                let turning = cross(D::surface_spin(arrays, s), rate);
                let moment = turning.map(|a| D::BALL_INERTIA * mass * a);
                D::add_force(arrays, s, [0.0; 3], moment);
            }
            continue;
        }
        // The mean of the velocities before and after the kick, to the second order in the turn of a step: as good as exact.
        let mean = |kicked: [f64; 3], rate: [f64; 3]| -> [f64; 3] {
            let turned = cross(kicked, rate);
            std::array::from_fn(|k| kicked[k] + half * turned[k])
        };
        let (carried, carried_spin) = D::carried(arrays, s);
        let (force, moment) = D::force(arrays, s);
        let kicked = std::array::from_fn(|k| {
            carried[k] + half * (force[k] * inverse + gravity[k] + outwards[k])
        });
        let turning = cross(mean(kicked, double), double);
        for k in 0..D::N {
            arrays.forces[s].0[k] += mass * (outwards[k] + turning[k]);
        }
        if D::N == 3 {
            let inverse = arrays.inverse_inertia(s);
            let kicked = std::array::from_fn(|k| carried_spin[k] + half * moment[k] * inverse);
            let turning = cross(mean(kicked, rate), rate);
            let moment = turning.map(|a| D::BALL_INERTIA * mass * a);
            D::add_force(arrays, s, [0.0; 3], moment);
        }
    }
}
