//! Grains that are linked with a wall, by themselves or through others.

use petgraph::unionfind::UnionFind;

use super::held;
use super::integrate::Integrate;
use super::lists::each_link;
use super::state::Other;
use super::world::World;

/// Whether each slot is linked with a wall, stepped or at rest. A group that is not moves as a whole, though its grains may be in
/// equilibrium with each other.
pub fn linked_with_walls<D: Integrate>(world: &World<D>) -> Vec<bool> {
    let slots = world.grains.arrays.slots();
    let mut groups = UnionFind::<u32>::new(slots);
    let mut at_walls = Vec::new();
    for class in &world.contacts.pairs {
        let lists = &class.lists;
        each_link(&lists.flags, |i, k| {
            let (a, b) = (lists.batches[i].a[k], lists.batches[i].b[k]);
            groups.union(world.grains.owner(a), world.grains.owner(b));
        });
    }
    for class in &world.contacts.walls {
        let lists = &class.lists;
        each_link(&lists.flags, |i, k| {
            at_walls.push(world.grains.owner(lists.batches[i].a[k]));
        });
    }
    held::each_still_bond(&world.grains, &world.sleeping, |a, b, _| match b {
        Other::Slot(b) => {
            groups.union(a, b);
        }
        Other::Boundary(_) => at_walls.push(a),
    });
    let mut linked = vec![false; slots];
    for slot in at_walls {
        linked[groups.find(slot) as usize] = true;
    }
    (0..slots as u32)
        .map(|slot| linked[groups.find(slot) as usize])
        .collect()
}
