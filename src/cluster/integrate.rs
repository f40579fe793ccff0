//! Steps of the integrators: kick, drift, and the accounts that are almost free meanwhile.
//!
//! | name | evaluates forces at | stores | order |
//! |---|---|---|---|
//! | `verlet` | x_n, v_n predicted from v_(n-1/2) | v_(n-1/2) | 2 |
//! | `midpoint` | x_(n+1/2), v_(n+1/2) predicted from v_n (Mutze's direct midpoint) | v_n | 2 |
//! | `euler` | x_n, v_n | v_n | 1 |
//! | `heun` | both ends of the step (thesis eqs. 5.17, 5.18) | v_n | 2 |
//!
//! The midpoint rule is the leapfrog shifted by half a step, so that both use one kernel.
//!
//! Dampers require velocities at the time of the positions (Vyas et al. 2024 describe the errors
//! otherwise), but the leapfrog has them half a step earlier. They are predicted with the mean of
//! the last two accelerations, v + h (a_(n-1) + a_(n-2)) / 4: second-order accurate, as with the
//! last acceleration alone, but stable up to (rate of damping) x step = 2 instead of 1, since terms
//! that alternate from step to step, as in an overdamped link near its limit, cancel in the mean.

use serde::{Deserialize, Serialize};

use super::parts::Parts;
use super::rigid::RigidDimension;
use crate::geometry::{Planar, Spatial};
use crate::vector::{Half, Kernel, Lanes, Level, Row, run};

/// Names of the integrators.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum IntegratorName {
    /// Explicit Euler, the classical DEM (thesis eq. 5.15): first order.
    Euler,
    /// Predictor-corrector (thesis eqs. 5.17, 5.18): second order, two evaluations.
    Heun,
    /// Velocity Verlet with velocities consistent in time: second order, one evaluation.
    #[default]
    Verlet,
    /// Mutze's direct midpoint with acceleration memory: second order, one evaluation.
    Midpoint,
}

impl IntegratorName {
    /// Whether the force of an evaluation acts for half a step before it and half a step after it.
    pub fn is_leapfrog(self) -> bool {
        matches!(self, IntegratorName::Verlet | IntegratorName::Midpoint)
    }
}

/// Results of a step in addition to the new state.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepSums {
    /// Energy dissipated in dampers, J.
    pub damper_work: f64,
    /// Upper bound of the square of the greatest speed, m^2/s^2.
    pub fastest: f64,
    /// Greatest square of a speed over its skin_budget, 1/s^2.
    pub hurry: f64,
    /// Terms of that bound, each a maximum over all bodies: in the plane the squares along both axes.
    pub axes: [f64; 2],
    /// In the plane: the square of the greatest product of radius and spin, m^2/s^2.
    pub rim: f64,
}

impl StepSums {
    /// Combines two results.
    pub fn and(self, other: StepSums) -> StepSums {
        StepSums {
            damper_work: self.damper_work + other.damper_work,
            fastest: self.fastest.max(other.fastest),
            hurry: self.hurry.max(other.hurry),
            axes: [0, 1].map(|k| self.axes[k].max(other.axes[k])),
            rim: self.rim.max(other.rim),
        }
    }
}

/// One kick and drift.
#[derive(Clone, Copy, Debug)]
pub struct KickDrift {
    /// Step, s.
    pub step: f64,
    /// Gravity, m/s^2.
    pub gravity: [f64; 3],
    /// Euler: positions move with the old velocity and velocities are not predicted.
    pub euler: bool,
}

/// Rows of consecutive bodies, as in [`Arrays`](crate::cluster::arrays::Arrays); the last three are
/// empty in the plane.
#[derive(Debug)]
pub struct Moved<'a> {
    /// Slot of the first row.
    pub first: u32,
    /// Positions and velocities.
    pub rows: &'a mut [Row],
    /// Variables of the integrator.
    pub state: &'a mut [Row],
    /// Contact forces.
    pub forces: &'a mut [Row],
    /// Spins.
    pub spins: &'a mut [Row],
    /// Accelerations at the last evaluation but one.
    pub previous: &'a mut [Row],
    /// The dampers' share of the forces.
    pub dampers: &'a mut [Row],
    /// Inverse square of the skin_budget, 1/m^2; empty if no body has an individual skin_budget.
    pub weights: &'a [f64],
}

impl Moved<'_> {
    /// Reborrows the same rows.
    pub fn again(&mut self) -> Moved<'_> {
        Moved {
            first: self.first,
            rows: self.rows,
            state: self.state,
            forces: self.forces,
            spins: self.spins,
            previous: self.previous,
            dampers: self.dampers,
            weights: self.weights,
        }
    }
}

struct PlanarStep<'a, const OWN: bool> {
    moved: Moved<'a>,
    active: &'a [u32],
    stride: KickDrift,
}

impl<const OWN: bool> Kernel for PlanarStep<'_, OWN> {
    type Output = StepSums;

    #[inline(always)]
    fn run<L: Lanes>(self) -> StepSums {
        let PlanarStep {
            moved,
            active,
            stride,
        } = self;
        let KickDrift {
            step: h,
            gravity,
            euler,
        } = stride;
        let g = L::Half::from_array([gravity[0], gravity[1], 0.0, 0.0]);
        let drift = L::Half::from_array([h, h, h, 0.0]);
        let step = L::Half::splat(h);
        let mut work = L::Half::splat(0.0);
        let mut fastest = L::Half::splat(0.0);
        let mut hurry = L::Half::splat(0.0);
        let slots = moved.rows.len();
        let weights = if OWN { &moved.weights[..slots] } else { &[] };
        let rows = &mut moved.rows[..slots];
        let states = &mut moved.state[..slots];
        let forces = &mut moved.forces[..slots];
        let quarter = if euler { 0.0 } else { 0.25 * h };
        let quarter = L::Half::from_array([quarter, quarter, quarter, 0.0]);
        let moving = L::Half::from_array([1.0, 1.0, 0.0, 0.0]);
        let turning = L::Half::from_array([0.0, 0.0, 1.0, 0.0]);
        let fourth = L::Half::from_array([0.0, 0.0, 0.0, 1.0]);
        for &slot in active {
            let slot = slot.wrapping_sub(moved.first) as usize;
            let (row, state, force) = (&mut rows[slot], &mut states[slot], &mut forces[slot]);
            // The fourth columns contain 1/mass and r^2/I; they stay unchanged.
            let old = L::Half::load_low(state);
            let before = L::Half::load_high(state);
            let inverse = old.last().mul(moving).add(before.last().mul(turning));
            let a = L::Half::load_low(force).mul(inverse).add(g);
            let new = old.add(step.mul(a));
            work = work.add(L::Half::load_high(force).mul(old.add(new)));
            let carry = if euler { old } else { new };
            L::Half::load_low(row).add(drift.mul(carry)).store_low(row);
            let seen = new.add(quarter.mul(a.add(before)));
            seen.store_high(row);
            new.store_low(state);
            a.add(before.mul(fourth)).store_high(state);
            fastest = new.mul(new).max(fastest);
            if OWN {
                hurry = carry
                    .mul(carry)
                    .mul(L::Half::splat(weights[slot]))
                    .max(hurry);
            }
            *force = Row::default();
        }
        let work = work.to_array();
        let (fastest, hurry) = (fastest.to_array(), hurry.to_array());
        StepSums {
            damper_work: -0.5 * h * ((work[0] + work[2]) + (work[1] + work[3])),
            // Separate maxima of the components: their sum is at most twice the greatest square of a speed.
            fastest: fastest[0] + fastest[1],
            hurry: hurry[0] + hurry[1],
            axes: [fastest[0], fastest[1]],
            rim: fastest[2],
        }
    }
}

struct SpatialStep<'a, const OWN: bool> {
    moved: Moved<'a>,
    active: &'a [u32],
    stride: KickDrift,
}

impl<const OWN: bool> Kernel for SpatialStep<'_, OWN> {
    type Output = StepSums;

    #[inline(always)]
    fn run<L: Lanes>(self) -> StepSums {
        let SpatialStep {
            moved,
            active,
            stride,
        } = self;
        let KickDrift {
            step: h,
            gravity,
            euler,
        } = stride;
        let quarter = L::Half::splat(if euler { 0.0 } else { 0.25 * h });
        let g = L::Half::from_array([gravity[0], gravity[1], gravity[2], 0.0]);
        let step = L::Half::splat(h);
        let three = L::Half::from_array([1.0, 1.0, 1.0, 0.0]);
        let one = L::Half::splat(1.0);
        let minus = L::Half::splat(-1.0);
        let (mut pushed, mut turned) = (L::Half::splat(0.0), L::Half::splat(0.0));
        let mut fastest = L::Half::splat(0.0);
        let mut hurry = L::Half::splat(0.0);
        let slots = moved.rows.len();
        let weights = if OWN { &moved.weights[..slots] } else { &[] };
        let rows = &mut moved.rows[..slots];
        let states = &mut moved.state[..slots];
        let forces = &mut moved.forces[..slots];
        let spins = &mut moved.spins[..slots];
        let previous = &mut moved.previous[..slots];
        let dampers = &mut moved.dampers[..slots];
        for &slot in active {
            let slot = slot.wrapping_sub(moved.first) as usize;
            let (row, state, force) = (&mut rows[slot], &mut states[slot], &mut forces[slot]);
            let (spin, before, damper) =
                (&mut spins[slot], &mut previous[slot], &mut dampers[slot]);
            // The fourth columns contain 1/mass and r^2/I; they stay unchanged.
            let (v, s) = (L::Half::load_low(state), L::Half::load_high(state));
            let (push, turn) = (L::Half::load_low(force), L::Half::load_high(force));
            let a = push.mul(v.last().mul(three)).add(g);
            let b = turn.mul(s.last().mul(three));
            let (new_v, new_s) = (v.add(step.mul(a)), s.add(step.mul(b)));
            let mean_v = a.add(L::Half::load_low(before));
            let mean_s = b.add(L::Half::load_high(before));
            let (seen_v, seen_s) = (
                new_v.add(quarter.mul(mean_v)),
                new_s.add(quarter.mul(mean_s)),
            );
            a.store_low(before);
            b.store_high(before);
            // Moments of dampers are those of the forces unless the row has its own.
            let lost = L::Half::load_low(damper);
            let own = lost.last();
            let shared = one.add(own.mul(minus));
            let lost_turn = turn.mul(shared).add(L::Half::load_high(damper).mul(own));
            pushed = pushed.add(lost.mul(three).mul(v.add(new_v)));
            turned = turned.add(lost_turn.mul(s.add(new_s)));
            new_v.store_low(state);
            new_s.store_high(state);
            let (carry_v, carry_s) = if euler { (v, s) } else { (new_v, new_s) };
            let place = L::Half::load_low(row);
            place.add(step.mul(carry_v)).with_last(place).store_low(row);
            seen_v.with_last(L::Half::load_high(row)).store_high(row);
            seen_s.with_last(L::Half::load_low(spin)).store_low(spin);
            let angle = L::Half::load_high(spin);
            angle
                .add(step.mul(carry_s))
                .with_last(angle)
                .store_high(spin);
            *force = Row::default();
            *damper = Row::default();
            let square = carry_v.square_of_three();
            fastest = square.max(fastest);
            if OWN {
                hurry = square.mul(L::Half::splat(weights[slot])).max(hurry);
            }
        }
        let (p, t) = (pushed.to_array(), turned.to_array());
        let work = ((p[0] + t[0]) + (p[2] + t[2])) + ((p[1] + t[1]) + (p[3] + t[3]));
        let fastest = fastest.to_array()[0];
        StepSums {
            damper_work: -0.5 * h * work,
            fastest,
            hurry: hurry.to_array()[0],
            axes: [fastest, 0.0],
            rim: 0.0,
        }
    }
}

/// Steps in a dimension.
pub trait Integrate: Parts + RigidDimension {
    /// Kicks and drifts the active slots, and clears their forces.
    fn stride(level: Level, moved: Moved<'_>, active: &[u32], stride: KickDrift) -> StepSums;
}

impl Integrate for Planar {
    fn stride(level: Level, moved: Moved<'_>, active: &[u32], stride: KickDrift) -> StepSums {
        if moved.weights.is_empty() {
            let step = PlanarStep::<false> {
                moved,
                active,
                stride,
            };
            return run(level, step);
        }
        let step = PlanarStep::<true> {
            moved,
            active,
            stride,
        };
        run(level, step)
    }
}

impl Integrate for Spatial {
    fn stride(level: Level, moved: Moved<'_>, active: &[u32], stride: KickDrift) -> StepSums {
        if moved.weights.is_empty() {
            let step = SpatialStep::<false> {
                moved,
                active,
                stride,
            };
            return run(level, step);
        }
        let step = SpatialStep::<true> {
            moved,
            active,
            stride,
        };
        run(level, step)
    }
}
