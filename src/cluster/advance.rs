//! Advances stepped grains by one step, with or without the preceding forces, and bounds their
//! displacement, which determines when lists are renewed.

use super::border::Border;
use super::dem::{Dem, three};
use super::integrate::{Integrate, IntegratorName, KickDrift, StepSums};
use super::state::{Book, Skin};
use super::world::{Clock, Grains, Physics, World};
use super::{arcs, blocks, bodies, cell, guided, moving_walls, rigid, skin_budget};
use crate::geometry::Vector;
use crate::walls::Motion;

impl<D: Integrate> Dem<D> {
    /// Advances all stepped grains by one step.
    pub fn advance(&mut self) {
        self.move_all();
        self.effects.evaluation_is_due = true;
        count_way(&mut self.world, &mut self.skin, &mut self.book);
    }

    /// Computes the forces and advances all stepped grains by one step, in one pass over the grains, if possible: in
    /// large systems of balls whose links are not logged. It must follow a stride, which leaves no forces behind.
    /// Returns whether it was done; the result has the same bits as [`Dem::forces`] followed by [`Dem::advance`].
    pub fn forces_and_advance(&mut self) -> bool {
        let can = blocks::has_bands(&self.world.contacts, &self.world.cell)
            && self.world.grains.in_order
            && self.world.grains.fresh.is_empty()
            && self.world.grains.bodies.list.is_empty()
            && self.world.grains.rigid.is_empty()
            // Their forces lie in the common rows, which a pass that lends buffers does not read.
            && self.world.contacts.bonds.list.is_empty()
            && self.world.cell.state.is_none()
            && self.world.walls.guided.is_empty()
            && !self.border.shared
            && !self.world.physics.options.log_links
            && self.world.clock.integrator != IntegratorName::Heun;
        if can {
            debug_assert!(self.world.contacts.knows_wall_slots());
            let sums =
                self.forces_and_stride(Some(plain_stride(&self.world.clock, &self.world.physics)));
            book_stride(&mut self.skin, &mut self.book, &mut self.border, sums);
            count_step(&mut self.world.clock, &self.world.grains, &mut self.book);
            count_way(&mut self.world, &mut self.skin, &mut self.book);
        }
        can
    }

    /// The motion of a step, without the displacement bound that lists require.
    pub(super) fn move_all(&mut self) {
        let stride = plain_stride(&self.world.clock, &self.world.physics);
        self.world.grains.keep_moments();
        let grains = &mut self.world.grains;
        if !grains.rigid.is_empty() {
            grains.rigid.find_loose(&grains.active);
        }
        let sums = if self.world.clock.integrator == IntegratorName::Heun {
            super::heun::step(self, stride)
        } else {
            blocks::stride(&mut self.world, &mut self.skin, &mut self.work, stride)
        };
        book_stride(&mut self.skin, &mut self.book, &mut self.border, sums);
        if arcs::has_arcs(&self.world.shapes, &self.world.grains) {
            // Ends of a grain may be faster than its centre.
            let most = sums.fastest.sqrt() + sums.rim.sqrt();
            self.skin.fastest = most * most;
        }
        let of_bodies = rigid::stride(&mut self.world, &mut self.skin);
        let mut work = bodies::turn_bodies(&mut self.world, &mut self.skin);
        if self.world.clock.integrator == IntegratorName::Heun {
            // Both stages have already accounted for it.
            work = 0.0;
        }
        if D::N == 2 {
            bodies::put_all_parts(
                &self.world.physics,
                &mut self.world.shapes,
                &mut self.world.grains,
                &mut self.skin,
            );
        }
        guided::drive_guided(
            &self.world.clock,
            &self.world.physics,
            &mut self.world.walls,
        );
        self.book.flows.damping += work + of_bodies;
        count_step(&mut self.world.clock, &self.world.grains, &mut self.book);
    }

    /// Advances all own stepped grains by one step. Returns the values that the ranks must combine: parts of the square of the greatest
    /// speed, m^2/s^2, and a bound of the speed of walls, m/s; the maximum of each over the ranks goes to [`moved`](super::border::moved).
    pub fn move_own(&mut self) -> [f64; 3] {
        self.move_all();
        let [along, across] = self.border.axes;
        [along, across, wall_speed(&self.world)]
    }
}

fn plain_stride<D: Integrate>(clock: &Clock, physics: &Physics<D>) -> KickDrift {
    KickDrift {
        step: clock.step,
        gravity: three(physics.gravity),
        euler: matches!(clock.integrator, IntegratorName::Euler),
    }
}

fn count_step<D: Integrate>(clock: &mut Clock, grains: &Grains<D>, book: &mut Book) {
    clock.n += 1;
    book.counts.steps += 1;
    book.counts.grain_steps += grains.active.len() as u64;
}

/// Accounts for the results of a stride.
fn book_stride(skin: &mut Skin, book: &mut Book, border: &mut Border, sums: StepSums) {
    book.flows.damping += sums.damper_work;
    skin.fastest = sums.fastest;
    skin.skin_budgets.fastest = sums.hurry;
    border.axes = sums.axes;
}

pub(super) fn count_way<D: Integrate>(world: &mut World<D>, skin: &mut Skin, book: &mut Book) {
    let way = match cell::drive::move_cell(world, book) {
        Some(way) => way,
        None => {
            let wall = wall_speed(world);
            skin_budget::count_skin_budget(&world.clock, skin, wall);
            world.clock.way_of([skin.fastest, wall])
        }
    };
    skin.add_way(way);
}

/// Gives grains that just began to step the velocity that the integrator stores. Done after each
/// evaluation; must also be called when grains begin to step between evaluations.
pub fn start_fresh<D: Integrate>(world: &mut World<D>) {
    let fresh = std::mem::take(&mut world.grains.fresh);
    let h = world.clock.step;
    // Both leapfrogs store the velocity of half a step before the time of evaluation. The midpoint
    // rule's first evaluation is half a step after the start, to which gravity alone moved the
    // grains: contact forces act from the start on, so only gravity is subtracted.
    let (back, contact) = match world.clock.integrator {
        IntegratorName::Verlet => (0.5 * h, 0.5 * h),
        IntegratorName::Midpoint => (0.5 * h, 0.0),
        IntegratorName::Euler | IntegratorName::Heun => (0.0, 0.0),
    };
    let gravity = three(world.physics.gravity);
    for &slot in &fresh {
        let slot = slot as usize;
        let arrays = &mut world.grains.arrays;
        let (force, moment) = D::force(arrays, slot);
        let (m, i) = (arrays.inverse_mass(slot), arrays.inverse_inertia(slot));
        let velocity: [f64; 3] = three(arrays.velocity(slot));
        let spin = D::surface_spin(arrays, slot);
        // In the plane spins follow velocities after two columns, in space after four.
        let first = if D::N == 2 { 2 } else { 4 };
        for k in 0..D::N {
            let push = force[k] * m;
            arrays.state[slot].0[k] = velocity[k] - (contact * push + back * gravity[k]);
            D::set_previous(arrays, slot, k, push + gravity[k]);
        }
        for k in 0..D::SPINS {
            let a = moment[k] * i;
            arrays.state[slot].0[first + k] = spin[k] - contact * a;
            D::set_previous(arrays, slot, first + k, a);
        }
    }
    bodies::start_bodies(&world.shapes, &mut world.grains, &fresh, contact);
    world.grains.fresh = fresh;
    world.grains.fresh.clear();
}

/// An upper bound of the speed of any moving wall near grains, m/s.
pub(super) fn wall_speed<D: Integrate>(world: &World<D>) -> f64 {
    let mut bound = 0.0f64;
    for (wall, &gone) in world.walls.boundaries.iter().zip(&world.walls.gone) {
        if wall.fixed || gone {
            continue;
        }
        let pose = wall.boundary.motion.pose(world.clock.time());
        let mut speed = match &wall.boundary.motion {
            Motion::Guided(guided) => guided.now.speed.abs().max(guided.now.carried.abs()),
            _ => pose.velocity.norm(),
        };
        let spin = D::spin_dot(pose.spin, pose.spin).sqrt();
        if spin > 0.0 {
            let centre = pose.centre + pose.shift;
            let reach = world
                .grains
                .active
                .iter()
                .map(|&s| (world.grains.arrays.position(s as usize) - centre).norm())
                .fold(0.0, f64::max);
            let at_rest = world.sleeping.still.extent.as_ref();
            let at_rest = at_rest.map_or(0.0, |extent| moving_walls::farthest::<D>(extent, centre));
            let reach = reach.max(at_rest);
            speed += spin * (reach + world.physics.options.outer_margin);
        }
        bound = bound.max(speed);
    }
    bound
}
