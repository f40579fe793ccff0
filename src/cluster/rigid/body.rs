//! Rigid bodies: where they are, how they move, what acts on them.

use serde::{Deserialize, Serialize};

use super::dimension::MemberState;
use super::load::BodyLoad;
use super::template::Template;
use crate::cluster::integrate::Integrate;
use crate::cluster::world::{Clock, Physics};
use crate::geometry::{Dimension, Vector};

/// Force and moment on a body, or on a member about its own centre.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Push<D: Dimension> {
    /// N.
    pub force: D::Vector,
    /// N m.
    pub moment: D::Spin,
    /// The dampers' share of both.
    pub damping: (D::Vector, D::Spin),
}

/// Position and motion of a body. The leapfrogs store velocities half a step before the time of the position.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct BodyMotion<D: Dimension> {
    /// Centre of mass at the evaluation, m; not brought back into a periodic box.
    pub position: D::Vector,
    /// From the frame of the template to space.
    pub rotation: D::Rotation,
    /// Stored velocity, m/s, and angular momentum, kg m^2/s.
    pub velocity: D::Vector,
    pub momentum: D::Spin,
    /// Velocity, m/s, and spin, rad/s, at the evaluation as predicted: those of the rows.
    pub seen: (D::Vector, D::Spin),
    /// Acceleration, m/s^2, and moment, N m, at the last evaluation but one.
    pub before: (D::Vector, D::Spin),
}

/// The last load under which all bonds were solved for.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Solved<D: Dimension> {
    pub load: BodyLoad<D>,
    /// Greatest share of a strength.
    pub share: f64,
}

/// A rigid body of bonded grains.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct RigidBody<D: Dimension> {
    /// Index of its template.
    pub template: u32,
    /// Slots of its members, in the order of the template.
    pub members: Vec<u32>,
    /// Orientation of each member in the frame of the template.
    pub turns: Vec<D::Rotation>,
    /// What brings each member into a periodic box, m; empty without one.
    pub images: Vec<D::Vector>,
    /// Inverse strengths of its bonds, as [`Beam`](crate::contact::bond::Beam) has them; empty if none can break.
    pub weakness: Vec<[f64; 4]>,
    /// The greatest of these.
    pub weakest: [f64; 4],
    /// Position and motion.
    pub motion: BodyMotion<D>,
    /// Whether its stored velocities have to be initialised at the next evaluation.
    pub is_fresh: bool,
    /// Sums of what acted on it at the last evaluation.
    pub push: Push<D>,
    /// Members on which something acted then, ascending.
    pub pushed: Vec<(u32, Push<D>)>,
    /// The last load under which all bonds were solved for.
    pub solved: Option<Solved<D>>,
    /// Members that are in the lists of candidates, ascending.
    #[serde(skip)]
    pub exposed: Vec<u32>,
}

/// The axes of a rotation: vectors are turned without its sines.
#[derive(Clone, Copy, Debug)]
pub struct Axes<D: Dimension>([D::Vector; 3]);

impl<D: Dimension> Axes<D> {
    /// Axes of a rotation.
    pub fn of(rotation: D::Rotation) -> Self {
        let axis = |k: usize| D::Vector::from_fn(|j| if j == k { 1.0 } else { 0.0 });
        let mut axes = [D::Vector::default(); 3];
        for (k, to) in axes.iter_mut().enumerate().take(D::N) {
            *to = D::rotate(rotation, axis(k));
        }
        Axes(axes)
    }

    /// Returns a vector of the turned frame in space.
    #[inline(always)]
    pub fn outward(&self, own: D::Vector) -> D::Vector {
        let flat = self.0[0] * own[0] + self.0[1] * own[1];
        match D::N {
            2 => flat,
            _ => flat + self.0[2] * own[2],
        }
    }

    /// Returns a vector of space in the turned frame.
    #[inline(always)]
    pub fn inward(&self, v: D::Vector) -> D::Vector {
        D::Vector::from_fn(|k| self.0[k].dot(&v))
    }

    /// The same for a spin or moment; in the plane it is the same.
    pub fn spin_inward(&self, spin: D::Spin) -> D::Spin {
        if D::N == 2 {
            return spin;
        }
        let of = |k: usize| {
            (0..3)
                .map(|j| self.0[k][j] * D::spin_component(spin, j))
                .sum()
        };
        D::spin_from_fn(of)
    }
}

/// Velocity, spin and their rates of a body at the evaluation.
#[derive(Clone, Copy, Debug)]
pub struct Rates<D: Dimension> {
    /// m/s.
    pub velocity: D::Vector,
    /// rad/s.
    pub spin: D::Spin,
    /// m/s^2.
    pub acceleration: D::Vector,
    /// rad/s^2.
    pub turning: D::Spin,
}

impl<D: Integrate> RigidBody<D> {
    /// Adds up what acts on members.
    pub fn sum(&mut self, template: &Template<D>) {
        let axes = Axes::<D>::of(self.motion.rotation);
        let mut sum = Push::default();
        for (member, push) in &self.pushed {
            let arm = axes.outward(template.members[*member as usize].place);
            sum.force += push.force;
            sum.moment += D::moment(arm, push.force) + push.moment;
            sum.damping.0 += push.damping.0;
            sum.damping.1 += D::moment(arm, push.damping.0) + push.damping.1;
        }
        self.push = sum;
    }

    /// Returns what acts on it in its own frame, while it spins as at the evaluation.
    pub fn load(&self, template: &Template<D>, clock: &Clock, physics: &Physics<D>) -> BodyLoad<D> {
        let axes = Axes::<D>::of(self.motion.rotation);
        let on = self.pushed.iter().map(|(member, push)| {
            let moment = axes.spin_inward(push.moment);
            (*member, axes.inward(push.force), moment)
        });
        BodyLoad {
            on: on.collect(),
            spin: axes.spin_inward(self.rates(template, clock, physics).spin),
        }
    }

    /// Returns its motion at the evaluation, consistent with what acts on it then.
    pub fn rates(&self, template: &Template<D>, clock: &Clock, physics: &Physics<D>) -> Rates<D> {
        let motion = &self.motion;
        let half = match self.is_fresh {
            true => 0.0,
            false => 0.5 * clock.step,
        };
        let acceleration = self.push.force * (1.0 / template.mass) + physics.gravity;
        let momentum = motion.momentum + self.push.moment * half;
        let spin = D::spin_of(motion.rotation, momentum, template.moments);
        // Euler's equations: what turns the momentum turns the spin but for the gyroscopic part.
        let gyroscopic = gyroscopic::<D>(spin, momentum);
        let turning = D::spin_of(
            motion.rotation,
            self.push.moment - gyroscopic,
            template.moments,
        );
        Rates {
            velocity: motion.velocity + acceleration * half,
            spin,
            acceleration,
            turning,
        }
    }

    /// Returns the state of a member for its rows: position, velocities and spins as predicted and as stored.
    #[inline(always)]
    pub fn member(
        &self,
        template: &Template<D>,
        axes: &Axes<D>,
        member: usize,
        stored_spin: D::Spin,
        with_rotation: bool,
    ) -> MemberState<D> {
        let motion = &self.motion;
        let arm = axes.outward(template.members[member].place);
        let (velocity, spin) = motion.seen;
        let mut position = motion.position + arm;
        if let Some(image) = self.images.get(member) {
            position += *image;
        }
        MemberState {
            position,
            velocity: [
                velocity + D::cross_spin(spin, arm),
                motion.velocity + D::cross_spin(stored_spin, arm),
            ],
            spin: [spin, stored_spin],
            rotation: (with_rotation || D::N == 2)
                .then(|| D::composed(motion.rotation, self.turns[member])),
        }
    }

    /// Returns the stored spin, rad/s.
    pub fn stored_spin(&self, template: &Template<D>) -> D::Spin {
        D::spin_of(self.motion.rotation, self.motion.momentum, template.moments)
    }

    /// Adds to the velocity of a member, m/s, and to its spin, rad/s, without the others being free of it.
    pub fn kick(
        &mut self,
        template: &Template<D>,
        member: usize,
        velocity: D::Vector,
        spin: D::Spin,
    ) {
        let own = &template.members[member];
        let arm = D::rotate(self.motion.rotation, own.place);
        let impulse = velocity * own.mass;
        let angular = D::moment(arm, impulse) + spin * own.inertia;
        let motion = &mut self.motion;
        motion.velocity += impulse * (1.0 / template.mass);
        motion.momentum += angular;
        motion.seen.0 += impulse * (1.0 / template.mass);
        motion.seen.1 += D::spin_of(motion.rotation, angular, template.moments);
    }
}

/// Spin times momentum, N m; in the plane nothing.
fn gyroscopic<D: Dimension>(spin: D::Spin, momentum: D::Spin) -> D::Spin {
    if D::N == 2 {
        return D::Spin::default();
    }
    let (w, l) = (
        |k: usize| D::spin_component(spin, k),
        |k: usize| D::spin_component(momentum, k),
    );
    D::spin_from_fn(|k| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        w(i) * l(j) - w(j) * l(i)
    })
}
