//! Energies in the laboratory, and loads and work of walls there, of a run that is computed in a frame that turns.

use serde::{Deserialize, Serialize};

use super::{Laboratory, own_frame};
use crate::cluster::integrate::Integrate;
use crate::cluster::{Book, World};
use crate::field::TurningFrame;
use crate::geometry::{Vector, cross, dot, three};
use crate::system::Setup;
use crate::system::ledger::Held;

/// Impulses and work of walls in the laboratory, as [`Book::wall_sums`] has them in the frame.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(in crate::system) struct TurnedWalls {
    /// For each wall: impulse since the last row (three components, N s), moment of it about the wall's reference point in the laboratory
    /// (three, N m s), and work on grains so far, J.
    pub sums: Vec<[f64; 7]>,
    /// Time up to which these go, s.
    since: f64,
}

impl TurnedWalls {
    /// Returns sums of nothing, from time 0 on.
    pub fn new(walls: usize) -> Self {
        Self {
            sums: vec![[0.0; 7]; walls],
            since: 0.0,
        }
    }
}

/// Adds to the sums of the laboratory what walls gave in the frame since the last time, in a step or while nobody was stepped: the frame
/// turns little meanwhile.
pub(in crate::system) fn gather_walls<D: Integrate>(
    setup: &Setup<D>,
    world: &World<D>,
    book: &mut Book,
    turned: &mut TurnedWalls,
) {
    let Some(frame) = own_frame(setup) else {
        return;
    };
    let now = world.clock.time();
    let lab = Laboratory::at(&frame, 0.5 * (turned.since + now));
    turned.since = now;
    let walls = world.walls.boundaries.iter();
    for ((own, sum), wall) in book.wall_sums.iter_mut().zip(&mut turned.sums).zip(walls) {
        let force: [f64; 3] = std::array::from_fn(|k| own[k]);
        let arm = three(wall.reference - frame.centre);
        let lever = cross(arm, force);
        let about_axis: [f64; 3] = std::array::from_fn(|k| own[3 + k] + lever[k]);
        let force = lab.turned(force);
        let (moment, back) = (lab.turned(about_axis), cross(arm, force));
        for k in 0..3 {
            sum[k] += force[k];
            sum[3 + k] += moment[k] - back[k];
        }
        sum[6] += dot(frame.rate, about_axis) + own[6];
        own.fill(0.0);
    }
}

/// Returns by how much the kinetic and the potential energy of all grains are greater in the laboratory than in the frame, at a time within
/// a step of the last evaluation, J.
fn surplus<D: Integrate>(
    world: &World<D>,
    frame: &TurningFrame<D>,
    gravity: D::Vector,
    time: f64,
) -> [f64; 2] {
    if time < 0.0 {
        return [0.0; 2];
    }
    let lab = Laboratory::at(frame, time);
    let arrays = &world.grains.arrays;
    let (mut kinetic, mut potential) = (0.0, 0.0);
    for slot in world.grains.own() {
        let s = slot as usize;
        let (mass, inertia) = (
            1.0 / arrays.inverse_mass(s),
            1.0 / arrays.inverse_inertia(s),
        );
        let now = world.state_at(s, time);
        let carried = lab.carried(now.position);
        // Spins are stored as surface velocities, and the inertia is that over the square of the radius.
        let radius = arrays.radius(s);
        let turning: f64 = (0..D::SPINS)
            .map(|k| {
                let surface = radius * D::spin_component(lab.spin, k);
                inertia * surface * (now.surface_spin[k] + 0.5 * surface)
            })
            .sum();
        let own = 0.5 * carried.norm_squared();
        kinetic += mass * (now.velocity.dot(&carried) + own) + turning;
        // The potential energy in the frame is less by that of the centrifugal force.
        let raised = lab.point(now.position) - now.position;
        potential += mass * (own - gravity.dot(&raised));
    }
    [kinetic, potential]
}

/// Returns by how much more kinetic energy grains gain in the laboratory than in the frame when a velocity is added to their own, J.
pub(in crate::system) fn given_beyond<D: Integrate>(
    setup: &Setup<D>,
    world: &World<D>,
    slots: &[u32],
    velocity: D::Vector,
) -> f64 {
    let (Some(frame), time) = (own_frame(setup), world.clock.time()) else {
        return 0.0;
    };
    let lab = Laboratory::at(&frame, time);
    let of = |&slot: &u32| {
        let s = slot as usize;
        let carried = lab.carried(world.position_at(s, time));
        carried.dot(&velocity) / world.grains.arrays.inverse_mass(s)
    };
    slots.iter().map(of).sum()
}

/// Returns the energies that grains hold in the laboratory, from those in the frame at a time (s) within a step of the last evaluation, and
/// what walls gave beyond the flows in the frame: the difference of both, J.
pub(in crate::system) fn in_laboratory<D: Integrate>(
    setup: &Setup<D>,
    world: &World<D>,
    gravity: [f64; 3],
    time: f64,
    held: &Held,
) -> (Held, f64) {
    let Some(frame) = own_frame(setup) else {
        return (*held, 0.0);
    };
    let gravity = D::Vector::from_fn(|k| gravity[k]);
    let [kinetic, potential] = surplus(world, &frame, gravity, time);
    let told = Held {
        // At rest it is a difference of equal sums.
        kinetic: (held.kinetic + kinetic).max(0.0),
        potential: held.potential + potential,
        ..*held
    };
    (told, kinetic + potential)
}
