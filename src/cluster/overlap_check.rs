//! Links that are compressed more deeply than any law is valid for.

use super::arrays::Arrays;
use super::integrate::Integrate;
use super::lists::each_link;
use super::observe::ContactRef;
use super::part::Part;
use super::world::World;
use super::{Other, bodies, crossing, held, kinematics, observe, part};
use crate::geometry::Vector;

/// The link with the greatest overlap relative to its grains.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeepestOverlap {
    /// Slot of the first grain.
    pub a: u32,
    /// The other body.
    pub b: Other,
    /// Overlap over the smaller radius.
    pub share: f64,
    /// Materials of the two.
    pub materials: [u16; 2],
}

/// The deepest of all links, including those between grains at rest; of equal ones, the first in
/// the order of links, with those at rest last.
pub fn deepest<D: Integrate>(world: &World<D>) -> Option<DeepestOverlap> {
    let mut deepest = deepest_stepped(world);
    held::each_still_link(world, |link| see(&mut deepest, resting(world, &link)));
    deepest
}

/// The deepest of the links of stepped grains and of some slots at rest, ascending; of equal ones likewise.
pub fn deepest_of<D: Integrate>(world: &World<D>, slots: &[u32]) -> Option<DeepestOverlap> {
    let mut deepest = deepest_stepped(world);
    let part = Part::new(slots.to_vec(), world.grains.arrays.slots());
    let links = part::still_links_of(&world.sleeping, &part);
    part::each_still_link_of(world, &part, &links, |link| {
        see(&mut deepest, resting(world, &link));
    });
    deepest
}

fn see(deepest: &mut Option<DeepestOverlap>, link: DeepestOverlap) {
    if deepest.is_none_or(|d| link.share > d.share) {
        *deepest = Some(link);
    }
}

/// The overlap of a link of grains at rest.
fn resting<D: Integrate>(world: &World<D>, link: &ContactRef<D>) -> DeepestOverlap {
    let arrays = &world.grains.arrays;
    // Parts of clumps count by themselves, arcs do not (as below).
    let size =
        |ball: u32| arrays.radius(bodies::candidate(&world.shapes, &world.grains, ball) as usize);
    let (radius, other) = match link.b {
        Other::Slot(b) => (size(link.balls[1]), arrays.material[b as usize]),
        Other::Boundary(wall) => (
            f64::INFINITY,
            world.walls.boundaries[usize::from(wall)].boundary.material,
        ),
    };
    DeepestOverlap {
        a: link.a,
        b: link.b,
        share: link.kinematics.overlap / size(link.balls[0]).min(radius),
        materials: [arrays.material[link.a as usize], other],
    }
}

/// The deepest of the links of stepped grains that were in contact at the last evaluation, at their
/// present positions; of equal ones, the first in the order of links. Cheap, but not for every
/// step. Links between grains at rest become deeper only in equilibrium solves.
pub fn deepest_stepped<D: Integrate>(world: &World<D>) -> Option<DeepestOverlap> {
    let arrays: &Arrays<D> = &world.grains.arrays;
    let mut deepest: Option<DeepestOverlap> = None;
    for class in &world.contacts.pairs {
        let lists = &class.lists;
        each_link(&lists.flags, |i, k| {
            let (a, b) = (lists.batches[i].a[k], lists.batches[i].b[k]);
            let d = crossing::motion(&world.shapes, &world.grains, a as usize).position
                - crossing::motion(&world.shapes, &world.grains, b as usize).position;
            let d = observe::shortest(&world.physics, &world.cell, d);
            let (ra, rb) = (arrays.radius(a as usize), arrays.radius(b as usize));
            let size = arrays.radius(bodies::candidate(&world.shapes, &world.grains, a) as usize);
            let size = size
                .min(arrays.radius(bodies::candidate(&world.shapes, &world.grains, b) as usize));
            see(
                &mut deepest,
                DeepestOverlap {
                    a: world.grains.owner(a),
                    b: Other::Slot(world.grains.owner(b)),
                    // Arcs do not count by themselves: flat ones have larger radii than their grain,
                    // and the round ones of corners may overlap by more than their radius.
                    share: (ra + rb - d.norm()) / size,
                    materials: class.materials,
                },
            );
        });
    }
    for (index, class) in world.contacts.walls.iter().enumerate() {
        let wall = &world.walls.boundaries[usize::from(class.boundary)].boundary;
        each_link(&class.lists.flags, |i, k| {
            let a = class.lists.batches[i].a[k];
            if let Some(link) =
                kinematics::wall_kinematics(world, index, class.lists.batches[i].of(k))
            {
                let size =
                    arrays.radius(bodies::candidate(&world.shapes, &world.grains, a) as usize);
                see(
                    &mut deepest,
                    DeepestOverlap {
                        a: world.grains.owner(a),
                        b: Other::Boundary(class.boundary),
                        share: link.overlap / size,
                        materials: [class.material, wall.material],
                    },
                );
            }
        });
    }
    deepest
}
