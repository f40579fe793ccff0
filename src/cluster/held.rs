//! Links of grains at rest in the form of logs, and the forces on these grains.

use super::integrate::Integrate;
use super::kinematics::Kinematics;
use super::lists::{ContactHistory, History, each_link};
use super::observe::ContactRef;
use super::state::Other;
use super::still::{WallName, Wrench, add};
use super::world::{Grains, Physics, Shapes, Sleeping, World};
use super::{bodies, kinematics, observe};

/// A link between two grains at rest.
pub(super) fn kept_view<D: Integrate>(
    world: &World<D>,
    class: usize,
    kept: &ContactHistory,
) -> ContactRef<D> {
    kept_view_with(
        world,
        class,
        kept,
        kinematics::pair_kinematics(world, kept.a, kept.b),
    )
}

/// The same with known kinematics.
pub(super) fn kept_view_with<D: Integrate>(
    world: &World<D>,
    class: usize,
    kept: &ContactHistory,
    k: Kinematics<D>,
) -> ContactRef<D> {
    let [a, b] = world.contacts.pairs[class].materials;
    let (other, law) = (Other::Slot(kept.b), world.physics.law(a, b));
    observe::view(
        world,
        kept.a,
        other,
        law,
        k,
        kept.spring,
        kept.slip,
        kept.calm,
        kept.memory.slots,
    )
}

/// A link of a grain at rest with a wall.
pub(super) fn kept_wall_view<D: Integrate>(
    world: &World<D>,
    name: &WallName,
    kept: &ContactHistory,
) -> Option<ContactRef<D>> {
    let kinematics = kinematics::surface_kinematics(world, name.0, name.1, kept.a)?;
    Some(kept_wall_view_with(world, name, kept, kinematics))
}

/// The same with known kinematics.
pub(super) fn kept_wall_view_with<D: Integrate>(
    world: &World<D>,
    name: &WallName,
    kept: &ContactHistory,
    k: Kinematics<D>,
) -> ContactRef<D> {
    let &(boundary, _, _, material) = name;
    let wall = world.walls.boundaries[usize::from(boundary)]
        .boundary
        .material;
    let (other, law) = (Other::Boundary(boundary), world.physics.law(material, wall));
    observe::view(
        world,
        kept.a,
        other,
        law,
        k,
        kept.spring,
        kept.slip,
        kept.calm,
        kept.memory.slots,
    )
}

/// Residual force on a slot at rest: weight, fields, the force of its links, and the mean force of
/// stepped grains since the last check, N; moments over the radius, N.
pub fn residual<D: Integrate>(
    physics: &Physics<D>,
    grains: &Grains<D>,
    sleeping: &Sleeping,
    slot: u32,
) -> Wrench {
    let mut sum = unpushed(physics, grains, sleeping, slot);
    add(&mut sum, 1.0, &mean_push(grains, sleeping, slot));
    sum
}

/// The same at the last evaluation.
pub(super) fn residual_now<D: Integrate>(world: &World<D>, slot: u32) -> Wrench {
    let mut sum = unpushed(&world.physics, &world.grains, &world.sleeping, slot);
    add(&mut sum, 1.0, &last_push(&world.grains, slot));
    sum
}

/// The same without the force of stepped grains.
fn unpushed<D: Integrate>(
    physics: &Physics<D>,
    grains: &Grains<D>,
    sleeping: &Sleeping,
    slot: u32,
) -> Wrench {
    let s = slot as usize;
    let still = &sleeping.still;
    let mut sum = still.held[s];
    let mass = 1.0 / grains.arrays.inverse_mass(s);
    for k in 0..D::N {
        sum[k] += mass * physics.gravity[k];
    }
    add(&mut sum, 1.0, &still.fields.of(slot));
    sum
}

/// Force of stepped grains on a slot at rest at the last evaluation, N; moment over the radius, N.
fn last_push<D: Integrate>(grains: &Grains<D>, slot: u32) -> Wrench {
    let (f, m) = D::force(&grains.arrays, slot as usize);
    [f[0], f[1], f[2], m[0], m[1], m[2]]
}

/// Sum of the sizes of the normal forces of the links of a slot at rest with other grains at rest, N.
pub fn pressed<D: Integrate>(world: &World<D>, slot: u32) -> f64 {
    let pairs = &world.sleeping.still.pairs;
    let force = |index| {
        let (class, kept) = pairs.get(index);
        kept_view(world, class, kept).normal_force.abs()
    };
    pairs.of(slot).map(force).sum()
}

/// Mean force of stepped grains on a slot at rest since the last check, N; moment over the radius, N.
pub fn mean_push<D: Integrate>(grains: &Grains<D>, sleeping: &Sleeping, slot: u32) -> Wrench {
    let (s, still) = (slot as usize, &sleeping.still);
    if still.evaluations > 0 {
        return still.pushed[s].map(|sum| sum / f64::from(still.evaluations));
    }
    last_push(grains, slot)
}

/// Force of all links on a slot at rest at the last evaluation, N; moment over the radius, N.
pub fn contact_force<D: Integrate>(grains: &Grains<D>, sleeping: &Sleeping, slot: u32) -> Wrench {
    let mut sum = sleeping.still.held[slot as usize];
    add(&mut sum, 1.0, &last_push(grains, slot));
    sum
}

/// Calls back with each link whose ends are both at rest, including those with walls.
pub fn each_still_link<D: Integrate>(world: &World<D>, mut f: impl FnMut(ContactRef<D>)) {
    for (class, kept) in world.sleeping.still.pairs.iter() {
        f(kept_view(world, class, kept));
    }
    for (name, kept) in &world.sleeping.still.walls {
        if let Some(view) = kept_wall_view(world, name, kept) {
            f(view);
        }
    }
}

/// Calls back with the bodies of each link whose ends are both at rest, including those with walls,
/// and whether it slides.
pub fn each_still_bond<D: Integrate>(
    grains: &Grains<D>,
    sleeping: &Sleeping,
    mut f: impl FnMut(u32, Other, bool),
) {
    for (_, kept) in sleeping.still.pairs.iter() {
        f(
            grains.owner(kept.a),
            Other::Slot(grains.owner(kept.b)),
            kept.slip,
        );
    }
    for (name, kept) in &sleeping.still.walls {
        f(grains.owner(kept.a), Other::Boundary(name.0), kept.slip);
    }
}

/// Calls back with each link between a grain at rest and a stepped one.
pub fn each_rim_link<D: Integrate>(world: &World<D>, mut f: impl FnMut(ContactRef<D>)) {
    if world.sleeping.still.count == 0 {
        return;
    }
    for class in &world.contacts.pairs {
        let law = world.physics.law(class.materials[0], class.materials[1]);
        let l = &class.lists;
        each_link(&l.flags, |i, k| {
            let (a, b) = (l.batches[i].a[k], l.batches[i].b[k]);
            if world.grains.stands(a) != world.grains.stands(b) {
                let kinematics = kinematics::pair_kinematics(world, a, b);
                let slip = l.flags[i].slip >> k & 1 == 1;
                let (spring, calm) = (l.history[i].lane(k), l.calm[i][k]);
                f(observe::view(
                    world,
                    a,
                    Other::Slot(b),
                    law,
                    kinematics,
                    spring,
                    slip,
                    calm,
                    l.memory_of(i, k).slots,
                ));
            }
        });
    }
}

/// Force of a link on its first body, and on its second.
pub fn pushes<D: Integrate>(
    shapes: &Shapes<D>,
    grains: &Grains<D>,
    view: &ContactRef<D>,
) -> [Wrench; 2] {
    let [on_a, on_b] = view.at_balls();
    let [a, b] = view.balls;
    let at_grain = |slot: u32, push: Wrench| match bodies::lever(shapes, grains, slot) {
        Some(lever) => lever.at_grain(push),
        None => push,
    };
    [at_grain(a, on_a), at_grain(b, on_b)]
}
