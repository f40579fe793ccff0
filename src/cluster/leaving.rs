//! Departure of grains from valid lists: the counterpart of [`super::entering`].

use super::bands::BlockEnd;
use super::integrate::Integrate;
use super::lists::{History, Lists, each_link};
use super::world::World;
use super::{arcs, bodies, sleep_interface};

/// Takes slots without links, which do not step any more, out of the lists and of all that is stepped. Returns false if the lists could not
/// be changed: they then have to be renewed.
pub fn leave<D: Integrate>(world: &mut World<D>, slots: &[u32]) -> bool {
    if slots.is_empty() {
        return true;
    }
    let gone = world.grains.marked(slots);
    for list in [&mut world.grains.active, &mut world.grains.fresh] {
        list.retain(|&slot| !gone[slot as usize]);
    }
    for &slot in slots {
        bodies::set_free(&world.clock, &mut world.grains, slot);
    }
    for slot in (1..gone.len()).filter(|&slot| gone[slot]) {
        // The push of a gate that was just removed must not wait for the return.
        world.grains.arrays.clear_force(slot);
    }
    // What is known of arcs is stored by batch and lane.
    if arcs::has_arcs(&world.shapes, &world.grains) {
        return false;
    }
    let mut listed = false;
    for class in &mut world.contacts.pairs {
        let is_gone = |[a, b]: [u32; 2]| gone[a as usize] || gone[b as usize];
        listed |= class
            .lists
            .forget(&mut class.outer, &mut class.blocks, is_gone);
    }
    for class in &mut world.contacts.walls {
        let is_gone = |[slot, _]: [u32; 2]| gone[slot as usize];
        class.lists.forget(&mut class.outer, &mut [], is_gone);
    }
    if listed && world.sleeping.still.count > 0 {
        sleep_interface::find_rim(world);
    }
    true
}

/// Returns for each slot whether it has a link in the lists.
pub fn linked<D: Integrate>(world: &World<D>) -> Vec<bool> {
    let mut linked = vec![false; world.grains.arrays.slots()];
    for class in &world.contacts.pairs {
        each_link(&class.lists.flags, |i, k| {
            let batch = &class.lists.batches[i];
            linked[world.grains.owner(batch.a[k]) as usize] = true;
            linked[world.grains.owner(batch.b[k]) as usize] = true;
        });
    }
    for &slot in &world.contacts.bonds.slots {
        linked[slot as usize] = true;
    }
    world.grains.rigid.each_tie(|a, b| {
        linked[a as usize] = true;
        linked[b as usize] = true;
    });
    // A gate that was just removed holds nobody.
    let walls = world.contacts.walls.iter();
    for class in walls.filter(|class| !world.walls.gone[usize::from(class.boundary)]) {
        each_link(&class.lists.flags, |i, k| {
            linked[world.grains.owner(class.lists.batches[i].a[k]) as usize] = true;
        });
    }
    linked
}

impl<H: History> Lists<H> {
    /// Removes candidates that are not in contact, from the outer list too; returns whether there were any.
    fn forget(
        &mut self,
        outer: &mut Vec<[u32; 2]>,
        blocks: &mut [BlockEnd],
        gone: impl Fn([u32; 2]) -> bool,
    ) -> bool {
        if !outer.iter().any(|&candidate| gone(candidate)) {
            return false;
        }
        // Number of candidates that stay before each place of the outer list.
        let mut before = Vec::with_capacity(outer.len() + 1);
        let mut stay = 0;
        for &candidate in outer.iter() {
            before.push(stay);
            stay += u32::from(!gone(candidate));
        }
        before.push(stay);
        for block in blocks {
            block.outer = before[block.outer as usize];
        }
        for (batch, places) in self.batches.iter_mut().zip(&mut self.outer) {
            for (lane, place) in places.iter_mut().enumerate() {
                if batch.a[lane] == 0 {
                    continue;
                }
                if gone(outer[*place as usize]) {
                    (batch.a[lane], batch.b[lane], *place) = (0, 0, 0);
                } else {
                    *place = before[*place as usize];
                }
            }
        }
        outer.retain(|&candidate| !gone(candidate));
        true
    }
}
