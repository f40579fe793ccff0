//! Links of stepped grains while others are displaced: their strains, energies and forces.

use super::coefficients::coefficients_after;
use super::integrate::Integrate;
use super::kinematics::Kinematics;
use super::lists::{History, each_link};
use super::observe::size;
use super::part::Part;
use super::resistance::Turns;
use super::state::Other;
use super::still::{Place, Wrench};
use super::strain::Strain;
use super::world::World;
use super::{facing, held, kinematics, part};
use crate::contact::{Law, LinkLaw, with_law};

/// Strain of each link in the lists, by class, batch and lane: of pairs, and with walls.
pub(super) fn list_strains<D: Integrate>(
    world: &World<D>,
    part: &Part<D>,
) -> [Vec<(Place, Strain)>; 2] {
    let (mut pairs, mut walls) = (Vec::new(), Vec::new());
    for (class, of) in world.contacts.pairs.iter().enumerate() {
        each_link(&of.lists.flags, |i, k| {
            let (a, b) = (of.lists.batches[i].a[k], of.lists.batches[i].b[k]);
            let strain = Strain::of(part::pair_strain(world, part, a, b));
            pairs.push(((false, class, i, k), strain));
        });
    }
    for (class, of) in world.contacts.walls.iter().enumerate() {
        each_link(&of.lists.flags, |i, k| {
            let contact = of.lists.batches[i].of(k);
            let motion = part::displaced(&world.shapes, &world.grains, part, contact[0]);
            let kinematics = kinematics::wall_strain_of(world, class, contact, motion);
            let strain = kinematics.map_or(Strain::default(), Strain::of);
            walls.push(((true, class, i, k), strain));
        });
    }
    [pairs, walls]
}

/// Energy that the springs of links with stepped grains would release in a displacement at their
/// present forces, J.
pub fn given_by_stepped<D: Integrate>(world: &World<D>, part: &Part<D>) -> f64 {
    let mut sum = 0.0;
    let mut add = |law: &LinkLaw, k: &Kinematics<D>, spring: [f64; 3], memory: [f64; 5]| {
        let c = coefficients_after(law, k, memory[4]);
        let (force, pressing) = c.normal(0.0);
        let pull = c.kt * size(spring);
        let most = c.friction * pressing;
        let kt = if pull > most {
            c.kt * most / pull
        } else {
            c.kt
        };
        let across: f64 = (0..3).map(|j| spring[j] * k.sliding[j]).sum();
        sum += force * k.speed - kt * across;
        if !c.terms.are_empty() {
            let mut springs = Turns::kept(memory);
            c.bound_turns(&mut springs, pressing);
            sum -= c.turning_work(springs, Turns::of::<D>(k.turning, k.normal));
        }
    };
    for class in &world.contacts.pairs {
        let law = world.physics.law(class.materials[0], class.materials[1]);
        let lists = &class.lists;
        each_link(&lists.flags, |i, k| {
            let (a, b) = (lists.batches[i].a[k], lists.batches[i].b[k]);
            let kinematics = part::pair_strain(world, part, a, b);
            let memory = lists.memory_of(i, k).slots;
            add(law, &kinematics, lists.history[i].lane(k), memory);
        });
    }
    for (index, class) in world.contacts.walls.iter().enumerate() {
        let wall = &world.walls.boundaries[usize::from(class.boundary)].boundary;
        let law = world.physics.law(class.material, wall.material);
        let lists = &class.lists;
        each_link(&lists.flags, |i, k| {
            let contact = lists.batches[i].of(k);
            let motion = part::displaced(&world.shapes, &world.grains, part, contact[0]);
            let kinematics = kinematics::wall_strain_of(world, index, contact, motion);
            if let Some(kinematics) = kinematics {
                let memory = lists.memory_of(i, k).slots;
                add(law, &kinematics, lists.history[i].lane(k), memory);
            }
        });
    }
    sum
}

/// Elastic energy of contacts of stepped grains that a displacement created before any evaluation,
/// J.
pub fn unseen_elastic<D: Integrate>(world: &World<D>) -> f64 {
    let mut sum = 0.0;
    let energy = |law: &LinkLaw, overlap: f64, radius: f64| -> f64 {
        if overlap > 0.0 {
            with_law!(law, law => law.stored(overlap, radius, 0.0))
        } else {
            0.0
        }
    };
    for class in &world.contacts.pairs {
        let law = world.physics.law(class.materials[0], class.materials[1]);
        class.lists.each_apart(&class.outer, |pair| {
            let [a, b] = facing::faced(world, pair, false);
            let kinematics = kinematics::pair_kinematics(world, a, b);
            sum += energy(law, kinematics.overlap, kinematics.radius);
        });
    }
    for (index, class) in world.contacts.walls.iter().enumerate() {
        let wall = &world.walls.boundaries[usize::from(class.boundary)].boundary;
        let law = world.physics.law(class.material, wall.material);
        class.lists.each_apart(&class.outer, |[slot, surface]| {
            let name = (class.boundary, surface);
            let slot = facing::facing_surface(world, name, slot, world.clock.time());
            if let Some(kinematics) = kinematics::wall_kinematics(world, index, [slot, surface]) {
                sum += energy(law, kinematics.overlap, kinematics.radius);
            }
        });
    }
    sum
}

/// Force of each link with a stepped grain on the grain at rest.
pub(super) fn rim_pushes<D: Integrate>(world: &World<D>) -> Vec<(u32, Wrench)> {
    let mut pushes = Vec::new();
    held::each_rim_link(world, |view| {
        let [on_a, on_b] = held::pushes(&world.shapes, &world.grains, &view);
        match view.b {
            Other::Slot(b) if world.grains.stands(b) => pushes.push((b, on_b)),
            _ => pushes.push((view.a, on_a)),
        }
    });
    pushes
}
