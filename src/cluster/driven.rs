//! The last part of an evaluation in position-dependent fields: forces that depend on the velocity
//! during the step, and the balance of the fields.

use crate::geometry::{cross, dot, three};
use serde::{Deserialize, Serialize};

use super::bodies;
use super::integrate::{Integrate, IntegratorName};
use super::state::Book;
use super::world::{Clock, Grains, Shapes, World};
use crate::field::Drag;
use crate::geometry::{Dimension, Vector};

/// Action of fields on a grain at an evaluation, in addition to the force that was added already.
#[derive(Clone, Copy, Debug, Default)]
pub struct Driven<D: Dimension> {
    /// The force of fields that was added, N.
    pub force: D::Vector,
    /// The part whose work is accounted as external, N.
    pub given: D::Vector,
    /// The moment about the centre whose work is accounted as external, N m; in the plane only the last component counts.
    pub given_moment: [f64; 3],
    /// The drag of fluids.
    pub drag: Drag<D>,
    /// Rate at which the velocity turns, 1/s: an acceleration v x w.
    pub turning: [f64; 3],
    /// Rate at which the spin of a ball turns in space, 1/s.
    pub spin_turning: [f64; 3],
}

/// Work and momentum of position-dependent fields on stepped grains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FieldFlows {
    /// Work, except that of fields with a potential, J.
    pub work: f64,
    /// Energy lost by drag, J.
    pub drag: f64,
    /// Momentum, including that of gravity, N s.
    pub momentum: [f64; 3],
}

impl FieldFlows {
    /// Adds a multiple of other values.
    pub fn add(&mut self, times: f64, other: &FieldFlows) {
        self.work += times * other.work;
        self.drag += times * other.drag;
        for k in 0..3 {
            self.momentum[k] += times * other.momentum[k];
        }
    }
}

/// Solves v - v x u = b.
pub(super) fn turned(b: [f64; 3], u: [f64; 3]) -> [f64; 3] {
    let (along, across) = (dot(b, u), cross(b, u));
    let inverse = 1.0 / (1.0 + dot(u, u));
    std::array::from_fn(|k| (b[k] + across[k] + along * u[k]) * inverse)
}

/// Adds drag and turning to a stepped grain, after all other forces, and accounts for them. The leapfrogs use
/// for the velocity v the mean of those before and after the kick: turning does no work (Boris 1970), and
/// drag, with the coefficient at the predicted velocity, is stable for any step (the implicit midpoint rule).
/// `euler`, and the half step with which a grain begins under `verlet`, use for drag the velocity at the end
/// of the step, for turning that at its start. The work computed with the mean velocity equals the change of
/// kinetic energy. Returns the momentum that the fluid gives, N s.
pub fn drive<D: Integrate>(
    world: &mut World<D>,
    book: &mut Book,
    slot: u32,
    driven: &Driven<D>,
    fresh: bool,
) -> D::Vector {
    let s = slot as usize;
    let (arrays, step) = (&world.grains.arrays, world.clock.step);
    let half = 0.5 * step;
    let mass = 1.0 / arrays.inverse_mass(s);
    let midpoint = world.clock.integrator == IntegratorName::Midpoint;
    let verlet = world.clock.integrator == IntegratorName::Verlet;
    let implicit = midpoint || verlet && !fresh;
    let (carried, carried_spin) = D::carried(arrays, s);
    let (force, moment) = D::force(arrays, s);
    let gravity = three(world.physics.gravity);
    // Under the midpoint rule gravity alone moves a grain that begins to step to this time.
    let pull = if implicit && fresh { [0.0; 3] } else { gravity };
    let pushed = |v: [f64; 3], force: [f64; 3]| -> [f64; 3] {
        std::array::from_fn(|k| v[k] + half * (force[k] / mass + pull[k]))
    };
    let ahead = if verlet { half } else { step };
    let (rate, flow) = (driven.drag.coefficient / mass, three(driven.drag.velocity));
    let (seen, met) = if implicit {
        let b = pushed(carried, force);
        let z = half * rate;
        let inverse = 1.0 / (1.0 + z);
        let b = std::array::from_fn(|k| (b[k] + z * flow[k]) * inverse);
        let mean = turned(b, driven.turning.map(|w| half * w * inverse));
        (mean, mean)
    } else {
        let v = three(arrays.velocity(s));
        let z = ahead * rate;
        let pull = |k: usize| force[k] / mass + gravity[k];
        let met = |k: usize| (v[k] + ahead * pull(k) + z * flow[k]) / (1.0 + z);
        (v, std::array::from_fn(met))
    };
    let turns = cross(seen, driven.turning);
    let drag: [f64; 3] = std::array::from_fn(|k| mass * rate * (flow[k] - met[k]));
    let added: [f64; 3] = std::array::from_fn(|k| drag[k] + mass * turns[k]);
    // The velocity with which the work of forces is computed.
    let mean: [f64; 3] = if implicit {
        seen
    } else {
        let pull = |k: usize| (force[k] + added[k]) / mass + gravity[k];
        std::array::from_fn(|k| seen[k] + 0.5 * ahead * pull(k))
    };
    let spin_moment = (driven.spin_turning != [0.0; 3] && D::N == 3).then(|| {
        let inertia = 1.0 / arrays.inverse_inertia(s);
        let spin = if implicit {
            let b = std::array::from_fn(|k| carried_spin[k] + half * moment[k] / inertia);
            turned(b, driven.spin_turning.map(|w| half * w))
        } else {
            D::surface_spin(arrays, s)
        };
        cross(spin, driven.spin_turning).map(|rate| rate * inertia)
    });
    let turned = match driven.given_moment {
        [0.0, 0.0, 0.0] => 0.0,
        given => work_of_turning(
            &world.clock,
            &world.shapes,
            &world.grains,
            slot,
            given,
            spin_moment,
            implicit,
            ahead,
        ),
    };
    let (fields, given) = (three(driven.force), three(driven.given));
    let booked = FieldFlows {
        work: step * (dot(drag, flow) + dot(given, mean) + turned),
        drag: step * (0..3).map(|k| drag[k] * (flow[k] - mean[k])).sum::<f64>(),
        momentum: std::array::from_fn(|k| {
            let whole = fields[k] + added[k] + mass * gravity[k];
            step * if k < D::N { whole } else { 0.0 }
        }),
    };
    // A grain that begins to step at an evaluation of the Verlet rule has only half a step before it.
    let share = if verlet && fresh { 0.5 } else { 1.0 };
    let flows = &mut book.flows;
    flows.fields.add(share, &booked);
    flows.last_fields.add(1.0, &booked);
    let arrays = &mut world.grains.arrays;
    let moment = spin_moment.unwrap_or_default();
    let within = |k: usize| if k < D::N { added[k] } else { 0.0 };
    D::add_force(arrays, s, std::array::from_fn(within), moment);
    D::Vector::from_fn(|k| share * step * drag[k])
}

/// Power of a moment on a rotating body, W: with the mean of the spins before and after the kick by all moments together.
fn work_of_turning<D: Integrate>(
    clock: &Clock,
    shapes: &Shapes<D>,
    grains: &Grains<D>,
    slot: u32,
    given: [f64; 3],
    more: Option<[f64; 3]>,
    implicit: bool,
    ahead: f64,
) -> f64 {
    let (arrays, s) = (&grains.arrays, slot as usize);
    if let Some(spin) = bodies::body_spin(clock, shapes, grains, slot) {
        return D::spin_dot(D::spin_from_fn(|k| given[k]), spin);
    }
    let (half, more) = (0.5 * clock.step, more.unwrap_or_default());
    let (carried, moment) = (D::carried(arrays, s).1, D::force(arrays, s).1);
    let inverse = arrays.inverse_inertia(s);
    let (from, lasts) = if implicit {
        (carried, half)
    } else {
        (D::surface_spin(arrays, s), 0.5 * ahead)
    };
    // Spins are stored as surface velocities.
    let own = if D::N == 2 {
        [given[2], 0.0, 0.0]
    } else {
        given
    };
    let spin = |k: usize| from[k] + lasts * (moment[k] + more[k]) * inverse;
    (0..D::SPINS).map(|k| own[k] * spin(k)).sum::<f64>() / arrays.radius(s)
}
