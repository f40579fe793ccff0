//! Links that are compressed more deeply than any law is valid for.

use super::arrays::Arrays;
use super::integrate::Integrate;
use super::lists::each_link;
use super::world::World;
use super::{Other, bodies, crossing, held, kinematics, observe};
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
    let arrays: &Arrays<D> = &world.grains.arrays;
    let mut deepest = deepest_stepped(world);
    let mut see = |link: DeepestOverlap| {
        if deepest.is_none_or(|d| link.share > d.share) {
            deepest = Some(link);
        }
    };
    held::each_still_link(world, |link| {
        let a = link.a as usize;
        // Parts of clumps count by themselves, arcs do not (as below).
        let size = |ball: u32| {
            arrays.radius(bodies::candidate(&world.shapes, &world.grains, ball) as usize)
        };
        let (radius, other) = match link.b {
            Other::Slot(b) => (size(link.balls[1]), arrays.material[b as usize]),
            Other::Boundary(wall) => (
                f64::INFINITY,
                world.walls.boundaries[usize::from(wall)].boundary.material,
            ),
        };
        see(DeepestOverlap {
            a: link.a,
            b: link.b,
            share: link.kinematics.overlap / size(link.balls[0]).min(radius),
            materials: [arrays.material[a], other],
        });
    });
    deepest
}

/// The deepest of the links of stepped grains that were in contact at the last evaluation, at their
/// present positions; of equal ones, the first in the order of links. Cheap, but not for every
/// step. Links between grains at rest become deeper only in equilibrium solves.
pub fn deepest_stepped<D: Integrate>(world: &World<D>) -> Option<DeepestOverlap> {
    let arrays: &Arrays<D> = &world.grains.arrays;
    let mut deepest: Option<DeepestOverlap> = None;
    let mut see = |link: DeepestOverlap| {
        if deepest.is_none_or(|d| link.share > d.share) {
            deepest = Some(link);
        }
    };
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
            see(DeepestOverlap {
                a: world.grains.owner(a),
                b: Other::Slot(world.grains.owner(b)),
                // Arcs do not count by themselves: flat ones have larger radii than their grain,
                // and the round ones of corners may overlap by more than their radius.
                share: (ra + rb - d.norm()) / size,
                materials: class.materials,
            });
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
                see(DeepestOverlap {
                    a: world.grains.owner(a),
                    b: Other::Boundary(class.boundary),
                    share: link.overlap / size,
                    materials: [class.material, wall.material],
                });
            }
        });
    }
    deepest
}
