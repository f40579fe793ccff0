//! Links of stepped grains while others are displaced: their strains, energies and forces.

use super::coefficients::coefficients;
use super::integrate::Integrate;
use super::kinematics::Kinematics;
use super::lists::{History, each_link};
use super::observe::size;
use super::part::Part;
use super::state::Other;
use super::still::{Place, Wrench};
use super::world::World;
use super::{facing, held, kinematics, part};
use crate::contact::{Law, LinkLaw, with_law};

/// Tangential strain of each link in the lists, by class, batch and lane: of pairs, and with walls.
pub(super) fn list_strains<D: Integrate>(
    world: &World<D>,
    part: &Part<D>,
) -> [Vec<(Place, [f64; 3])>; 2] {
    let (mut pairs, mut walls) = (Vec::new(), Vec::new());
    for (class, of) in world.contacts.pairs.iter().enumerate() {
        each_link(&of.lists.flags, |i, k| {
            let (a, b) = (of.lists.batches[i].a[k], of.lists.batches[i].b[k]);
            let sliding = part::pair_strain(world, part, a, b).sliding;
            pairs.push(((false, class, i, k), sliding));
        });
    }
    for (class, of) in world.contacts.walls.iter().enumerate() {
        each_link(&of.lists.flags, |i, k| {
            let contact = of.lists.batches[i].of(k);
            let motion = part::displaced(&world.shapes, &world.grains, part, contact[0]);
            let kinematics =
                kinematics::wall_kinematics_of(world, class, contact, motion, world.clock.time());
            let sliding = kinematics.map_or([0.0; 3], |kin| kin.sliding);
            walls.push(((true, class, i, k), sliding));
        });
    }
    [pairs, walls]
}

/// Energy that the springs of links with stepped grains would release in a displacement at their
/// present forces, J.
pub fn given_by_stepped<D: Integrate>(world: &World<D>, part: &Part<D>) -> f64 {
    let mut sum = 0.0;
    let mut add = |law: &LinkLaw, k: &Kinematics<D>, spring: [f64; 3]| {
        let c = coefficients(law, k);
        let pull = c.kt * size(spring);
        let most = c.friction * c.elastic.max(0.0);
        let kt = if pull > most {
            c.kt * most / pull
        } else {
            c.kt
        };
        let across: f64 = (0..3).map(|j| spring[j] * k.sliding[j]).sum();
        sum += c.elastic.max(0.0) * k.speed - kt * across;
    };
    for class in &world.contacts.pairs {
        let law = world.physics.law(class.materials[0], class.materials[1]);
        let lists = &class.lists;
        each_link(&lists.flags, |i, k| {
            let (a, b) = (lists.batches[i].a[k], lists.batches[i].b[k]);
            let kinematics = part::pair_strain(world, part, a, b);
            add(law, &kinematics, lists.history[i].lane(k));
        });
    }
    for (index, class) in world.contacts.walls.iter().enumerate() {
        let wall = &world.walls.boundaries[usize::from(class.boundary)].boundary;
        let law = world.physics.law(class.material, wall.material);
        let lists = &class.lists;
        each_link(&lists.flags, |i, k| {
            let contact = lists.batches[i].of(k);
            let motion = part::displaced(&world.shapes, &world.grains, part, contact[0]);
            let kinematics =
                kinematics::wall_kinematics_of(world, index, contact, motion, world.clock.time());
            if let Some(kinematics) = kinematics {
                add(law, &kinematics, lists.history[i].lane(k));
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
            with_law!(law, law => law.normal_energy(overlap, radius))
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
