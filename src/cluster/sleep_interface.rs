//! The rim, where grains at rest meet stepped ones, and the forces of walls on grains at rest.

use super::dem::three;
use super::integrate::Integrate;
use super::state::Book;
use super::world::{Clock, Grains, Sleeping, World};
use super::{held, loads, moving_walls};

/// Finds the grains at rest within reach of a stepped grain.
pub(super) fn find_rim<D: Integrate>(world: &mut World<D>) {
    world.sleeping.still.extent = moving_walls::extent(world);
    let mut rim = Vec::new();
    if world.sleeping.still.count > 0 {
        for class in &world.contacts.pairs {
            let still = class.outer.iter().flatten().copied();
            rim.extend(
                still
                    .filter(|&slot| world.grains.stands(slot))
                    .map(|s| world.grains.owner(s)),
            );
        }
        rim.sort_unstable();
        rim.dedup();
        // A grain that no stepped grain pushes any more has no such force.
        for slot in std::mem::take(&mut world.sleeping.still.rim) {
            if world.grains.stands(slot) && rim.binary_search(&slot).is_err() {
                world.grains.arrays.clear_force(slot as usize);
                world.sleeping.still.pushed[slot as usize] = [0.0; 6];
                world.sleeping.still.load(&[slot]);
            }
        }
    }
    world.sleeping.still.load(&rim);
    world.sleeping.still.rim = rim;
    // If a grain has just stopped, or lost or gained a stepped neighbour, the forces on it change.
    clear_rim(&mut world.grains, &world.sleeping);
    for (slot, [fx, fy, fz, mx, my, mz]) in loads::rim_pushes(world) {
        let arrays = &mut world.grains.arrays;
        D::add_force(arrays, slot as usize, [fx, fy, fz], [mx, my, mz]);
    }
    if world.sleeping.still.walls_changed {
        sum_still_walls(world);
    }
}

/// Sums the forces of walls on grains at rest: force, and moment about the reference point of the
/// boundary.
pub(super) fn sum_still_walls<D: Integrate>(world: &mut World<D>) {
    world.sleeping.still.walls_changed = false;
    world.sleeping.still.at_walls.clear();
    if world.sleeping.still.walls.is_empty() {
        return;
    }
    let mut sums = vec![[0.0; 6]; world.walls.boundaries.len()];
    for (name, kept) in &world.sleeping.still.walls {
        let Some(view) = held::kept_wall_view(world, name, kept) else {
            continue;
        };
        let n = view.kinematics.normal;
        let force = n * view.normal_force + view.tangential_force;
        let arm = three(
            view.kinematics.point
                - view.kinematics.image
                - world.walls.boundaries[usize::from(name.0)].reference,
        );
        let f = three(force);
        let sum = &mut sums[usize::from(name.0)];
        for k in 0..3 {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            sum[k] += f[k];
            sum[3 + k] += arm[i] * f[j] - arm[j] * f[i];
        }
    }
    world.sleeping.still.at_walls = sums;
}

/// Accounts for the impulse of walls on grains at rest over a number of steps.
pub(super) fn book_still_walls(clock: &Clock, sleeping: &Sleeping, book: &mut Book, steps: f64) {
    let h = steps * clock.step;
    let sums = book.wall_sums.iter_mut();
    for (total, sum) in sums.zip(&sleeping.still.at_walls) {
        for (total, part) in total.iter_mut().zip(sum) {
            *total += h * part;
        }
    }
}

/// Advances to the last step before a time (s) while no grain is stepped.
pub fn skip_to(clock: &mut Clock, sleeping: &Sleeping, book: &mut Book, time: f64) {
    let skipped = (clock.step_before(time) - clock.n).max(0);
    clock.n += skipped;
    book_still_walls(clock, sleeping, book, skipped as f64);
}

/// Before an evaluation: clears the forces of stepped grains on those at rest.
pub(super) fn clear_rim<D: Integrate>(grains: &mut Grains<D>, sleeping: &Sleeping) {
    for &slot in &sleeping.still.rim {
        grains.arrays.clear_force(slot as usize);
    }
}

/// After an evaluation: accumulates these forces.
pub(super) fn gather_rim<D: Integrate>(grains: &Grains<D>, sleeping: &mut Sleeping) {
    let still = &mut sleeping.still;
    still.evaluations += 1;
    for &slot in &still.rim {
        let (f, m) = D::force(&grains.arrays, slot as usize);
        let push = &mut still.pushed[slot as usize];
        for k in 0..D::N {
            push[k] += f[k];
        }
        for k in 0..D::SPINS {
            push[3 + k] += m[k];
        }
    }
}
