//! The time at which a link passed Coulomb's limit, within the step in which the crossing was
//! detected. Computed only for links that changed, and only if they are logged.

use super::coefficients::{Coefficients, coefficients};
use super::dem::Work;
use super::integrate::Integrate;
use super::kernel::Change;
use super::kinematics::{BodyMotion, Kinematics};
use super::lists::History;
use super::observe::size;
use super::world::{Clock, Grains, Shapes, World};
use super::{arcs, evaluate, kinematics};
use crate::contact::{LinkLaw, lasting};
use crate::event::EventKind;
use crate::geometry::Vector;

/// Motion of a slot at the evaluation.
pub(super) fn motion<D: Integrate>(
    shapes: &Shapes<D>,
    grains: &Grains<D>,
    slot: usize,
) -> BodyMotion<D> {
    if let Some(motion) = arcs::arc_motion(shapes, grains, slot) {
        return motion;
    }
    let arrays = &grains.arrays;
    BodyMotion {
        position: arrays.position(slot),
        velocity: arrays.velocity(slot),
        spin: D::surface_spin(arrays, slot),
    }
}

/// Motion of a slot at the previous evaluation, a step ago: exact positions, since they moved with
/// the stored velocity; velocities extrapolated symmetrically about the stored ones.
fn motion_before<D: Integrate>(
    clock: &Clock,
    shapes: &Shapes<D>,
    grains: &Grains<D>,
    slot: usize,
) -> BodyMotion<D> {
    let now = motion(shapes, grains, slot);
    let owner = grains.owner(slot as u32) as usize;
    if owner != slot {
        return part_before(clock, shapes, grains, owner, now);
    }
    let (v, s) = D::carried(&grains.arrays, slot);
    let carried = D::Vector::from_fn(|k| v[k]);
    BodyMotion {
        position: now.position - carried * clock.step,
        velocity: carried * 2.0 - now.velocity,
        spin: std::array::from_fn(|k| 2.0 * s[k] - now.spin[k]),
    }
}

/// The same for a part of the grain in another slot, as if it had moved uniformly.
fn part_before<D: Integrate>(
    clock: &Clock,
    shapes: &Shapes<D>,
    grains: &Grains<D>,
    owner: usize,
    now: BodyMotion<D>,
) -> BodyMotion<D> {
    let (grain, before) = (
        motion(shapes, grains, owner),
        motion_before(clock, shapes, grains, owner),
    );
    let jump = before.velocity - grain.velocity;
    let velocity = now.velocity + jump;
    let middle = (now.velocity + velocity) * 0.5;
    BodyMotion {
        position: now.position - middle * clock.step,
        velocity,
        spin: now.spin,
    }
}

/// Time before the evaluation at which a link of two grains began to slide or to grip, s.
pub(super) fn pair_crossed<D: Integrate>(
    world: &World<D>,
    work: &Work<D>,
    class: usize,
    change: &Change,
    lane: usize,
    kind: EventKind,
    now: &Kinematics<D>,
) -> f64 {
    let pairs = &world.contacts.pairs[class];
    let batch = &pairs.lists.batches[change.batch as usize];
    let slots = [batch.a[lane] as usize, batch.b[lane] as usize];
    let before = slots.map(|s| motion_before(&world.clock, &world.shapes, &world.grains, s));
    let before = kinematics::pair_kinematics_of(world, slots, before, true);
    let law = world.physics.law(pairs.materials[0], pairs.materials[1]);
    crossed(world, work, law, change, lane, kind, [&before, now])
}

/// The same for a grain and a wall.
pub(super) fn wall_crossed<D: Integrate>(
    world: &World<D>,
    work: &Work<D>,
    class: usize,
    change: &Change,
    lane: usize,
    kind: EventKind,
    now: &Kinematics<D>,
) -> f64 {
    let wall = &world.contacts.walls[class];
    let contact = wall.lists.batches[change.batch as usize].of(lane);
    let (motion, time) = (
        motion_before(
            &world.clock,
            &world.shapes,
            &world.grains,
            contact[0] as usize,
        ),
        world.clock.time(),
    );
    let before =
        kinematics::wall_kinematics_of(world, class, contact, motion, time - world.clock.step);
    let material = world.walls.boundaries[usize::from(wall.boundary)]
        .boundary
        .material;
    match before {
        Some(before) => {
            let law = world.physics.law(wall.material, material);
            crossed(world, work, law, change, lane, kind, [&before, now])
        }
        None => 0.5 * world.clock.step,
    }
}

/// Zero of the linear interpolation of the excess of the tangential force over its limit between
/// both ends of the step. A link that slid before is at the limit at the beginning of the step.
fn crossed<D: Integrate>(
    world: &World<D>,
    work: &Work<D>,
    law: &LinkLaw,
    change: &Change,
    lane: usize,
    kind: EventKind,
    [before, now]: [&Kinematics<D>; 2],
) -> f64 {
    let h = world.clock.step;
    // For other integrators the state at the beginning of the step is not available.
    let spring = match work.springs.get(change.batch as usize) {
        Some(springs) if world.clock.integrator.is_leapfrog() => springs.lane(lane),
        _ => return 0.5 * h,
    };
    let timing = evaluate::timing(world);
    let tolerance = timing.slip_tolerance;
    let limit = match kind {
        EventKind::SlipLink => 1.0 + tolerance,
        _ => 1.0 - tolerance,
    };
    let [first, last] = [before, now].map(|at| coefficients(law, at));
    let lasting = lasting(first.kt, last.kt);
    let over = |at: &Kinematics<D>, c: &Coefficients, lasting: f64, carried: f64| {
        let force: [f64; 3] = std::array::from_fn(|k| {
            c.kt * (lasting * spring[k] + carried * at.sliding[k]) + c.ct * at.sliding[k]
        });
        size(force) - limit * c.friction * c.normal(at.speed).1
    };
    let (first, last) = (
        over(before, &first, 1.0, -timing.after * h),
        over(now, &last, lasting, timing.before * h),
    );
    if first * last < 0.0 {
        h * last / (last - first)
    } else if first.abs() < last.abs() {
        h
    } else {
        0.0
    }
}
