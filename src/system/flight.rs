//! Paths of grains in flight: the row of a flyer keeps the state with which its path began, on a parabola.

use crate::cluster;
use crate::cluster::World;
use crate::cluster::integrate::Integrate;
use crate::field::piece::turned_spin;

/// Moves the start of a flying slot's path to a time.
pub fn restart<D: Integrate>(world: &mut World<D>, slot: usize, time: f64) {
    let [position, velocity] = world.flight_at(slot, time);
    let t = time - world.grains.since[slot];
    let spin = D::surface_spin(&world.grains.arrays, slot);
    let turned =
        cluster::bodies::body_turned(&world.clock, &world.shapes, &world.grains, slot as u32, t);
    // Grains that begin to step are moved to the first evaluation by gravity alone.
    let turning = match world.grains.pulls.is_empty() {
        true => [0.0; 3],
        false => world.physics.spin_turning,
    };
    let arrays = &mut world.grains.arrays;
    D::place(arrays, slot, position);
    for k in 0..D::N {
        arrays.rows[slot].0[4 + k] = velocity[k];
        arrays.state[slot].0[k] = velocity[k];
    }
    if D::N == 2 {
        arrays.rows[slot].0[2] += t * spin[0];
        arrays.state[slot].0[2] = spin[0];
    } else if let Some((spin, rotation)) = turned {
        // A body tumbles with its angular momentum.
        arrays.rotation[slot] = rotation;
        D::set_spin(arrays, slot, spin);
    } else {
        let own = D::spin_from_fn(|k| spin[k]);
        let (spin, turned) = turned_spin::<D>(own, turning, t);
        for k in 0..3 {
            let spin = D::spin_component(spin, k);
            arrays.spins[slot].0[k] = spin;
            arrays.state[slot].0[4 + k] = spin;
            arrays.spins[slot].0[4 + k] += D::spin_component(turned, k);
        }
        arrays.rotation[slot] = D::rotation(arrays, slot);
        for k in 4..7 {
            arrays.spins[slot].0[k] = 0.0;
        }
    }
    world.grains.since[slot] = time;
}
