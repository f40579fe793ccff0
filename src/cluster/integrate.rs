//! Steps of the integrators: kick, drift, and the bookkeeping that is nearly free on the way.
//!
//! | name | evaluates forces at | carries | order |
//! |---|---|---|---|
//! | `verlet` | x_n, v_n foreseen from v_(n-1/2) | v_(n-1/2) | 2 |
//! | `midpoint` | x_(n+1/2), v_(n+1/2) foreseen from v_n (Mutze's direct midpoint) | v_n | 2 |
//! | `euler` | x_n, v_n | v_n | 1 |
//! | `heun` | both ends of the step (thesis eqs. 5.17, 5.18) | v_n | 2 |
//!
//! The midpoint rule is the leapfrog seen half a step later, so that both are one kernel.
//!
//! Dampers need velocities at the time of the positions (Vyas et al. 2024 tell what goes wrong
//! otherwise), which the leapfrog has only half a step earlier. They are foreseen with the mean
//! of the last two accelerations, v + h (a_(n-1) + a_(n-2)) / 4: of second order, as with the last
//! acceleration alone, but stable up to (rate of damping) x step = 2 instead of 1, since what
//! alternates from step to step, as an overdamped link does near its limit, cancels in the mean.

use crate::cluster::parts::Parts;
use crate::geometry::{Planar, Spatial};
use crate::vector::{Half, Kernel, Lanes, Level, Row, run};

/// What a step gives besides the new state.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepSums {
    /// Work lost in dampers, J.
    pub damper_work: f64,
    /// A bound of the square of the greatest speed, m^2/s^2.
    pub fastest: f64,
    /// What that bound is the sum of, each a greatest of all bodies: in the plane the squares along both axes.
    pub axes: [f64; 2],
    /// The plane: the square of the greatest product of radius and spin, m^2/s^2.
    pub rim: f64,
}

/// One kick and drift.
#[derive(Clone, Copy, Debug)]
pub struct Stride {
    /// Step, s.
    pub step: f64,
    /// Gravity, m/s^2.
    pub gravity: [f64; 3],
    /// Euler: positions move with the old velocity and velocities are not foreseen.
    pub euler: bool,
}

/// Rows of bodies that follow each other, as in [`Arrays`](crate::cluster::arrays::Arrays); of the last
/// three the plane has none.
#[derive(Debug)]
pub struct Moved<'a> {
    /// Slot of the first row.
    pub first: u32,
    /// Positions and velocities.
    pub rows: &'a mut [Row],
    /// What the integrator carries.
    pub state: &'a mut [Row],
    /// Contact forces.
    pub forces: &'a mut [Row],
    /// Spins.
    pub spins: &'a mut [Row],
    /// Accelerations at the last evaluation but one.
    pub previous: &'a mut [Row],
    /// The dampers' share of the forces.
    pub dampers: &'a mut [Row],
}

struct PlanarStep<'a> {
    moved: Moved<'a>,
    active: &'a [u32],
    stride: Stride,
}

impl Kernel for PlanarStep<'_> {
    type Output = StepSums;

    #[inline(always)]
    fn run<L: Lanes>(self) -> StepSums {
        let PlanarStep {
            moved,
            active,
            stride,
        } = self;
        let Stride {
            step: h,
            gravity,
            euler,
        } = stride;
        let g = L::Half::from_array([gravity[0], gravity[1], 0.0, 0.0]);
        let drift = L::Half::from_array([h, h, h, 0.0]);
        let step = L::Half::splat(h);
        let mut work = L::Half::splat(0.0);
        let mut fastest = L::Half::splat(0.0);
        let slots = moved.rows.len();
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
            // Fourth columns hold 1/mass and r^2/I; they are carried along untouched.
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
            *force = Row::default();
        }
        let work = work.to_array();
        let fastest = fastest.to_array();
        StepSums {
            damper_work: -0.5 * h * ((work[0] + work[2]) + (work[1] + work[3])),
            // Greatest components apart: at most twice the greatest square of a speed.
            fastest: fastest[0] + fastest[1],
            axes: [fastest[0], fastest[1]],
            rim: fastest[2],
        }
    }
}

struct SpatialStep<'a> {
    moved: Moved<'a>,
    active: &'a [u32],
    stride: Stride,
}

impl Kernel for SpatialStep<'_> {
    type Output = StepSums;

    #[inline(always)]
    fn run<L: Lanes>(self) -> StepSums {
        let SpatialStep {
            moved,
            active,
            stride,
        } = self;
        let Stride {
            step: h,
            gravity,
            euler,
        } = stride;
        let quarter = L::splat(if euler { 0.0 } else { 0.25 * h });
        let g = L::from_array([gravity[0], gravity[1], gravity[2], 0.0, 0.0, 0.0, 0.0, 0.0]);
        let step = L::splat(h);
        let mut work = L::splat(0.0);
        let mut fastest = 0.0f64;
        for &slot in active {
            let slot = slot.wrapping_sub(moved.first) as usize;
            let state = L::load(&moved.state[slot]);
            let s = &moved.state[slot].0;
            let (m, i) = (s[3], s[7]);
            let inverse = L::from_array([m, m, m, 0.0, i, i, i, 0.0]);
            let a = L::load(&moved.forces[slot]).mul(inverse).add(g);
            let new = state.add(step.mul(a));
            let seen = new.add(quarter.mul(a.add(L::load(&moved.previous[slot]))));
            a.store(&mut moved.previous[slot]);
            work = work.add(L::load(&moved.dampers[slot]).mul(state.add(new)));
            new.store(&mut moved.state[slot]);
            let carry = (if euler { state } else { new }).to_array();
            let seen = seen.to_array();
            let row = &mut moved.rows[slot].0;
            let spin = &mut moved.spins[slot].0;
            row[4..7].copy_from_slice(&seen[..3]);
            spin[..3].copy_from_slice(&seen[4..7]);
            for k in 0..3 {
                row[k] += h * carry[k];
                spin[4 + k] += h * carry[4 + k];
            }
            moved.forces[slot] = Row::default();
            moved.dampers[slot] = Row::default();
            let speed = carry[0] * carry[0] + carry[1] * carry[1] + carry[2] * carry[2];
            fastest = if speed > fastest { speed } else { fastest };
        }
        StepSums {
            damper_work: -0.5 * h * work.total(),
            fastest,
            axes: [fastest, 0.0],
            rim: 0.0,
        }
    }
}

/// Steps of a dimension.
pub trait Integrate: Parts {
    /// Kicks and drifts the active slots, and clears their forces.
    fn stride(level: Level, moved: Moved<'_>, active: &[u32], stride: Stride) -> StepSums;
}

impl Integrate for Planar {
    fn stride(level: Level, moved: Moved<'_>, active: &[u32], stride: Stride) -> StepSums {
        run(
            level,
            PlanarStep {
                moved,
                active,
                stride,
            },
        )
    }
}

impl Integrate for Spatial {
    fn stride(level: Level, moved: Moved<'_>, active: &[u32], stride: Stride) -> StepSums {
        run(
            level,
            SpatialStep {
                moved,
                active,
                stride,
            },
        )
    }
}
