//! Insertion of a grain into valid lists: it becomes a candidate of its neighbours, and nothing else is visited.
//!
//! Lists are valid until stepped grains have moved by half of their margin. A grain that enters
//! later moves less than that until then, so that its candidates are exactly those within the
//! margin of it now. All of these stay in the inner lists, too, until the lists are filtered.

use super::bands::BlockEnd;
use super::border::Border;
use super::dem::law_of;
use super::integrate::Integrate;
use super::lists::{History, Lists};
use super::state::{Skin, WallClass};
use super::still::WallName;
use super::world::World;
use super::{arcs, bodies, candidates, observe, rigid};
use crate::geometry::Vector;

/// Inserts a slot that begins to step into the lists, given the slots of all grains near enough (and possibly others), except
/// those in flight. Returns false, without any change, if that is impossible: lists then have to be renewed.
pub fn enter<D: Integrate>(
    world: &mut World<D>,
    skin: &mut Skin,
    border: &Border,
    slot: u32,
    near: &[u32],
) -> bool {
    if border.shared || world.cell.state.is_some() || arcs::has_arcs(&world.shapes, &world.grains) {
        return false;
    }
    bodies::put_parts(&world.shapes, &mut world.grains, slot);
    let pairs = pairs_with(world, slot, near);
    let parts: Vec<u32> = bodies::touching_of(&world.shapes, &world.grains, slot).collect();
    let at_walls = candidates::wall_candidates(world, &parts);
    let slots = world.grains.arrays.slots();
    if !world.sleeping.still.held.is_empty() {
        world.sleeping.still.make_room(slots);
    }
    skin.unfiltered += (pairs.len() + at_walls.len()) as u64;
    let in_bands = world.contacts.bands.count() > 1;
    for pair in pairs {
        let begins = list_pair(world, pair);
        skin.added_blocks += u64::from(begins && in_bands);
    }
    for (name, surface) in at_walls {
        list_wall(world, name, surface);
    }
    rigid::find_exposed(&world.contacts, &mut world.grains.rigid);
    true
}

/// Candidates of a slot among these grains, each with the lesser slot first, ascending.
fn pairs_with<D: Integrate>(world: &World<D>, slot: u32, near: &[u32]) -> Vec<[u32; 2]> {
    let arrays = &world.grains.arrays;
    let mut pairs = Vec::new();
    for &other in near {
        for b in bodies::touching_of(&world.shapes, &world.grains, other) {
            for a in bodies::touching_of(&world.shapes, &world.grains, slot) {
                let (p, q) = (a as usize, b as usize);
                let reach =
                    arrays.radius(p) + arrays.radius(q) + world.physics.options.outer_margin;
                let d = observe::shortest(
                    &world.physics,
                    &world.cell,
                    arrays.position(p) - arrays.position(q),
                );
                if d.norm_squared() < reach * reach {
                    pairs.push([a.min(b), a.max(b)]);
                }
            }
        }
    }
    pairs.sort_unstable();
    pairs
}

/// Inserts a pair; returns whether it begins a block.
fn list_pair<D: Integrate>(world: &mut World<D>, pair: [u32; 2]) -> bool {
    let arrays = &world.grains.arrays;
    let [a, b] = pair.map(|slot| usize::from(arrays.material[slot as usize]));
    let class = world.physics.class_of[a * world.physics.laws.materials + b];
    let bands = pair.map(|slot| world.contacts.bands.of(slot) as u16);
    let class = &mut world.contacts.pairs[usize::from(class)];
    let place = class.outer.len() as u32;
    class.outer.push(pair);
    // Blocks are contiguous: a pair of other bands than those of the last one begins a block of its own, and one without batches must not use
    // those of the block before it.
    let before = class.blocks.len().checked_sub(2);
    let from = before.map_or(0, |index| class.blocks[index].batches);
    let last = class.blocks.pop_if(|last| last.bands == bands);
    let begins = last.is_none();
    let goes_on = last.is_some_and(|last| last.batches > from);
    class.lists.include(pair, place, goes_on);
    class.blocks.push(BlockEnd {
        bands,
        outer: class.outer.len() as u32,
        batches: class.lists.batches.len() as u32,
    });
    // A grain at rest beside it belongs to the rim from now on.
    for slot in pair {
        if world.grains.stands(slot) {
            let slot = world.grains.owner(slot);
            let rim = &mut world.sleeping.still.rim;
            if let Err(place) = rim.binary_search(&slot) {
                rim.insert(place, slot);
                world.grains.arrays.clear_force(slot as usize);
            }
        }
    }
    begins
}

fn list_wall<D: Integrate>(world: &mut World<D>, name: WallName, entry: [u32; 2]) {
    let (boundary, surface, side, material) = name;
    let of = |class: &WallClass<D>| {
        let WallClass {
            boundary,
            surface,
            side,
            material,
            ..
        } = class;
        (*boundary, *surface, *side, *material)
    };
    let found = world.contacts.walls.binary_search_by_key(&name, of);
    let class = found.unwrap_or_else(|place| {
        let wall = &world.walls.boundaries[usize::from(boundary)];
        let law = law_of(&world.physics.known_laws, material, wall.boundary.material);
        let seen_from = world.grains.arrays.position(entry[0] as usize);
        let flat = wall.fixed.then(|| wall.flat(surface, seen_from)).flatten();
        let class = WallClass {
            boundary,
            surface,
            side,
            material,
            flat,
            outer: Vec::new(),
            lists: Lists::of_law(law),
        };
        world.contacts.walls.insert(place, class);
        place
    });
    let class = &mut world.contacts.walls[class];
    let place = class.outer.len() as u32;
    class.outer.push(entry);
    class.lists.include(entry, place, true);
    if world.contacts.bands.count() > 1
        && let Err(place) = world.contacts.wall_slots.binary_search(&entry[0])
    {
        world.contacts.wall_slots.insert(place, entry[0]);
    }
}

impl<H: History> Lists<H> {
    /// Inserts a candidate into the last batch if `goes_on` and there is room, or into a new one.
    fn include(&mut self, bodies: [u32; 2], outer: u32, goes_on: bool) {
        let lanes = crate::vector::LANES;
        let last = self.batches.last().filter(|_| goes_on);
        let free = last.and_then(|batch| (0..lanes).find(|&lane| batch.a[lane] == 0));
        // If lanes were emptied, the last batch may have room before its end.
        let mut filled = self.batches.len() * lanes - free.map_or(0, |lane| lanes - lane);
        self.append(&mut filled, bodies, outer);
    }
}
