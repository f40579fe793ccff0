//! Links with walls whose grains come over a border of a periodic box.

use super::engine::Engine;
use super::integrate::Integrate;
use super::lists::Kept;
use super::still::WallName;

impl<D: Integrate> Engine<D> {
    /// Links with walls of grains that were brought back into the box, by the numbers that their surfaces have now.
    pub(super) fn rename_images(
        &self,
        back: &[(u32, [i32; 3])],
        at_walls: &mut [(WallName, Kept)],
    ) {
        if back.is_empty() || !self.boundaries.iter().any(|w| w.images.are_others()) {
            return;
        }
        for (name, link) in at_walls {
            let owner = self.owner(link.a);
            // Slots come in order, direction by direction.
            for (slot, turns) in back {
                if *slot == owner {
                    let wall = &self.boundaries[usize::from(name.0)];
                    link.b = wall.images.renamed(link.b, *turns);
                    name.1 = link.b;
                }
            }
        }
    }
}
