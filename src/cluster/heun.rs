//! The predictor-corrector of the thesis (eqs. 5.17, 5.18): forces at both ends of a step.

use super::bodies::Body;
use super::dem::Dem;
use super::dimension::ClusterDimension;
use super::integrate::{Integrate, KickDrift, StepSums};
use super::kernel::Flags;
use super::lists::Lists;
use super::{blocks, bodies};
use crate::vector::Row;

/// Springs of a class, their stiffness, and flags.
type Springs<D> = (Vec<<D as ClusterDimension>::History>, Vec<Row>, Vec<Flags>);

/// Performs one step from positions, velocities and springs whose forces were just evaluated.
pub(super) fn step<D: Integrate>(engine: &mut Dem<D>, stride: KickDrift) -> StepSums {
    let h = stride.step;
    // The springs advance from half-step to half-step with the speeds of the first stage, which is
    // second-order accurate; the second stage extrapolates them half a step ahead and leaves them unchanged.
    let rows = engine.world.grains.arrays.rows.clone();
    let spins = engine.world.grains.arrays.spins.clone();
    let old = engine.world.grains.arrays.state.clone();
    let euler = KickDrift {
        euler: true,
        ..stride
    };
    let turned = Turned::of(engine);
    let mut first = blocks::stride(&mut engine.world, &mut engine.skin, &mut engine.work, euler);
    first.damper_work += bodies::turn_bodies(&mut engine.world, &mut engine.skin);
    let predicted = engine.world.grains.arrays.state.clone();
    let springs: Vec<Springs<D>> = lists(engine)
        .map(|l| (l.history.clone(), l.stiffness.clone(), l.flags.clone()))
        .collect();
    let time = engine.world.clock.time() + h;
    let passed = engine.trial_forces(time);
    // Halves the accounts of the first evaluation and adds half of the second.
    let last = engine.book.flows.last;
    let flows = &mut engine.book.flows;
    flows.friction += 0.5 * (passed.friction - last[0]);
    flows.damping += 0.5 * (passed.damping - last[1]);
    flows.walls += 0.5 * (passed.walls - last[2]);
    // The second stride, also from the old velocities, gives v_n + h a_2: so each accounts for the
    // work of its dampers at the mean velocity of the step.
    for &slot in &engine.world.grains.active {
        let slot = slot as usize;
        let state = &mut engine.world.grains.arrays.state[slot].0;
        for &k in dynamic::<D>() {
            state[k] = old[slot].0[k];
        }
    }
    engine.world.grains.keep_moments();
    let mut second = blocks::stride(&mut engine.world, &mut engine.skin, &mut engine.work, euler);
    second.damper_work += bodies::turn_bodies(&mut engine.world, &mut engine.skin);
    turned.take_back(engine);
    let arrays = &mut engine.world.grains.arrays;
    for &slot in &engine.world.grains.active {
        let slot = slot as usize;
        let (v0, v1) = (old[slot].0, predicted[slot].0);
        let v2 = arrays.state[slot].0;
        let mut new = v0;
        for &k in dynamic::<D>() {
            new[k] = 0.5 * (v1[k] + v2[k]);
        }
        arrays.state[slot].0 = new;
        let drift = |k: usize| 0.5 * h * (v0[k] + v1[k]);
        let row = &mut arrays.rows[slot].0;
        let start = rows[slot].0;
        for k in 0..3 {
            row[k] = start[k] + drift(k);
            row[4 + k] = new[k];
        }
        if D::N == 3 {
            let spin = &mut arrays.spins[slot].0;
            let start = spins[slot].0;
            for k in 0..3 {
                spin[k] = new[4 + k];
                spin[4 + k] = start[4 + k] + drift(4 + k);
            }
        }
    }
    let mut saved = springs.into_iter();
    for l in lists(engine) {
        let (history, stiffness, flags) = saved.next().unwrap_or_default();
        l.history = history;
        l.stiffness = stiffness;
        l.flags = flags;
    }
    StepSums {
        damper_work: 0.5 * (first.damper_work + second.damper_work),
        fastest: first.fastest.max(second.fastest),
        // All grains have the same margin.
        hurry: 0.0,
        axes: std::array::from_fn(|k| first.axes[k].max(second.axes[k])),
        rim: first.rim.max(second.rim),
    }
}

/// Columns of the state that change.
fn dynamic<D: Integrate>() -> &'static [usize] {
    if D::N == 2 {
        &[0, 1, 2]
    } else {
        &[0, 1, 2, 4, 5, 6]
    }
}

/// Bodies of several parts in space, in their state at the start of a step with its moments.
struct Turned<D: Integrate> {
    bodies: Vec<Body<D>>,
    rotations: Vec<D::Rotation>,
}

impl<D: Integrate> Turned<D> {
    fn of(engine: &Dem<D>) -> Self {
        let (mut bodies, mut rotations) = (Vec::new(), Vec::new());
        if D::N == 3 {
            bodies.clone_from(&engine.world.grains.bodies.list);
            let rotation = &engine.world.grains.arrays.rotation;
            rotations.extend(bodies.iter().map(|body| rotation[body.slot as usize]));
        }
        Turned { bodies, rotations }
    }

    /// Restores the bodies, to repeat the step with the mean of the moments at both ends: with the
    /// angular momentum at the middle of the step the rotation is second-order accurate.
    fn take_back(self, engine: &mut Dem<D>) {
        for (mut before, rotation) in self.bodies.into_iter().zip(self.rotations) {
            let Some(index) = engine.world.grains.bodies.of(before.slot) else {
                continue;
            };
            let now = &mut engine.world.grains.bodies.list[index];
            for (mean, last) in before.moment.iter_mut().zip(now.moment) {
                *mean = (*mean + last) * 0.5;
            }
            *now = before;
            engine.world.grains.arrays.rotation[before.slot as usize] = rotation;
        }
    }
}

/// All lists of candidates, in a fixed order.
fn lists<D: Integrate>(engine: &mut Dem<D>) -> impl Iterator<Item = &mut Lists<D::History>> {
    engine
        .world
        .contacts
        .pairs
        .iter_mut()
        .map(|c| &mut c.lists)
        .chain(engine.world.contacts.walls.iter_mut().map(|c| &mut c.lists))
}
