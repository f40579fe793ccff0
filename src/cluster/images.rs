//! Links with walls for grains that cross a border of a periodic box.

use super::integrate::Integrate;
use super::lists::ContactHistory;
use super::still::WallName;
use super::world::{Grains, Walls};

/// Renumbers the surfaces in the links with walls of grains that were wrapped into the box.
pub(super) fn rename_images<D: Integrate>(
    walls: &Walls<D>,
    grains: &Grains<D>,
    back: &[(u32, [i32; 3])],
    at_walls: &mut [(WallName, ContactHistory)],
) {
    if back.is_empty() || !walls.boundaries.iter().any(|w| w.images.are_others()) {
        return;
    }
    for (name, link) in at_walls {
        let owner = grains.owner(link.a);
        // Entries come direction by direction, ordered by slot in each.
        for (slot, turns) in back {
            if *slot == owner {
                let wall = &walls.boundaries[usize::from(name.0)];
                link.b = wall.images.renamed(link.b, *turns);
                name.1 = link.b;
            }
        }
    }
}
