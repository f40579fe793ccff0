//! How stepped grains go on by a step, with or without the forces before it, and how far they go: lists are minded by that.

use super::engine::{Engine, three};
use super::integrate::IntegratorName;
use super::integrate::{Integrate, StepSums, Stride};
use crate::geometry::Vector;
use crate::walls::Motion;

impl<D: Integrate> Engine<D> {
    /// Moves all stepped grains by one step.
    pub fn advance(&mut self) {
        self.move_all();
        self.count_way();
    }

    /// Works out the forces and moves all stepped grains by one step, in one pass over the grains, where that can be: in large systems of
    /// balls whose links are not logged. It must follow a stride, which leaves no forces behind. Gives whether it was done; what comes out has
    /// the bits of [`Engine::forces`] and [`Engine::advance`], in that order.
    pub fn forces_and_advance(&mut self) -> bool {
        let state = &self.state;
        let can = self.has_bands()
            && state.in_order
            && state.fresh.is_empty()
            && state.bodies.list.is_empty()
            && state.cell.is_none()
            && state.guided.is_empty()
            && !self.border.shared
            && !self.options.log_links
            && self.options.integrator != IntegratorName::Heun;
        if can {
            debug_assert!(self.knows_wall_slots());
            let sums = self.forces_and_stride(Some(self.plain_stride()));
            self.book_stride(sums);
            self.count_step();
            self.count_way();
        }
        can
    }

    fn plain_stride(&self) -> Stride {
        Stride {
            step: self.options.step,
            gravity: three(self.gravity),
            euler: matches!(self.options.integrator, IntegratorName::Euler),
        }
    }

    fn count_step(&mut self) {
        let state = &mut self.state;
        state.n += 1;
        state.counts.steps += 1;
        state.counts.grain_steps += state.active.len() as u64;
    }

    /// Books what a stride did.
    fn book_stride(&mut self, sums: StepSums) {
        self.state.flows.damping += sums.damper_work;
        self.state.fastest = sums.fastest;
        self.state.leeways.fastest = sums.hurry;
        self.border.axes = sums.axes;
    }

    /// The motion of a step, without the way that lists are minded by.
    pub(super) fn move_all(&mut self) {
        let stride = self.plain_stride();
        self.keep_moments();
        let sums = if self.options.integrator == IntegratorName::Heun {
            super::heun::step(self, stride)
        } else {
            self.stride(stride)
        };
        self.book_stride(sums);
        if self.has_arcs() {
            // Ends of a grain may be faster than its middle.
            let most = sums.fastest.sqrt() + sums.rim.sqrt();
            self.state.fastest = most * most;
        }
        let mut work = self.turn_bodies();
        if self.options.integrator == IntegratorName::Heun {
            // Both stages have booked it.
            work = 0.0;
        }
        if D::N == 2 {
            self.put_all_parts();
        }
        self.drive_guided();
        self.state.flows.damping += work;
        self.count_step();
    }

    pub(super) fn count_way(&mut self) {
        let way = match self.move_cell() {
            Some(way) => way,
            None => {
                let wall = self.wall_speed();
                self.count_leeway(wall);
                self.way_of([self.state.fastest, wall])
            }
        };
        self.add_way(way);
    }

    /// The longest way in a step of a grain, whose speed squared (m^2/s^2) is at most the first, and of a wall, m/s, m.
    pub(super) fn way_of(&self, [fastest, wall]: [f64; 2]) -> f64 {
        self.options.step * (fastest.sqrt() + wall)
    }

    pub(super) fn add_way(&mut self, way: f64) {
        self.state.outer_way += way;
        self.state.inner_way += way;
    }

    /// Grains that just began to step get the velocity that the integrator carries. Done after each
    /// evaluation; to be called besides when grains begin to step between evaluations.
    pub fn start_fresh(&mut self) {
        let fresh = std::mem::take(&mut self.state.fresh);
        let h = self.options.step;
        // Both carry the velocity of half a step before the time of evaluation. The midpoint rule's
        // first evaluation lies half a step after the start, to which grains were brought by
        // gravity alone: contact forces act from the start on, so only gravity is taken back.
        let (back, contact) = match self.options.integrator {
            IntegratorName::Verlet => (0.5 * h, 0.5 * h),
            IntegratorName::Midpoint => (0.5 * h, 0.0),
            IntegratorName::Euler | IntegratorName::Heun => (0.0, 0.0),
        };
        let gravity = three(self.gravity);
        for &slot in &fresh {
            let slot = slot as usize;
            let arrays = &mut self.state.arrays;
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
        self.start_bodies(&fresh, contact);
        self.state.fresh = fresh;
        self.state.fresh.clear();
    }

    /// A bound of the speed of any moving wall near grains, m/s.
    pub(super) fn wall_speed(&self) -> f64 {
        let mut bound = 0.0f64;
        for (wall, &gone) in self.boundaries.iter().zip(&self.state.gone) {
            if wall.fixed || gone {
                continue;
            }
            let pose = wall.boundary.motion.pose(self.time());
            let mut speed = match &wall.boundary.motion {
                Motion::Guided(guided) => guided.now.speed.abs().max(guided.now.carried.abs()),
                _ => pose.velocity.norm(),
            };
            let spin = D::spin_dot(pose.spin, pose.spin).sqrt();
            if spin > 0.0 {
                let centre = pose.centre + pose.shift;
                let reach = self
                    .state
                    .active
                    .iter()
                    .map(|&s| (self.state.arrays.position(s as usize) - centre).norm())
                    .fold(0.0, f64::max);
                speed += spin * (reach + self.options.outer_margin);
            }
            bound = bound.max(speed);
        }
        bound
    }
}
