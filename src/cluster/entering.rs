//! A grain that comes while lists hold: it becomes a candidate of what is around it, and nothing else is looked at.
//!
//! Lists hold until stepped grains have gone half of their margin. A grain that comes later goes less than that until then, so that
//! what is within the margin of it now is all that it can meet. Who has entered so has all of it in the inner lists too, until these are filtered.

use super::bands::BlockEnd;
use super::engine::{Engine, law_of};
use super::integrate::Integrate;
use super::lists::{History, Lists};
use super::state::WallClass;
use super::still::WallName;
use crate::geometry::Vector;
use crate::neighbor::PeriodicAxis;

impl<D: Integrate> Engine<D> {
    /// Periodic directions.
    pub fn periodic(&self) -> &[Option<PeriodicAxis>] {
        &self.periodic
    }

    /// Whether other ranks hold a part of all.
    pub fn is_shared(&self) -> bool {
        self.border.shared
    }

    /// Takes a slot that begins to step into the lists, given the slots of all grains near enough (and maybe others), flyers left out.
    /// Gives false where that cannot be, and nothing has been done: lists are to be renewed then.
    pub fn enter(&mut self, slot: u32, near: &[u32]) -> bool {
        if self.border.shared || self.state.cell.is_some() || self.has_arcs() {
            return false;
        }
        self.put_parts(slot);
        let pairs = self.pairs_with(slot, near);
        // Blocks of bands follow each other: there is no room between them.
        if self.state.bands.count() > 1 && !pairs.is_empty() {
            return false;
        }
        let parts: Vec<u32> = self.touching_of(slot).collect();
        let at_walls = self.wall_candidates(&parts);
        let slots = self.state.arrays.slots();
        if !self.state.still.held.is_empty() {
            self.state.still.make_room(slots);
        }
        for pair in pairs {
            self.list_pair(pair);
        }
        for (name, surface) in at_walls {
            self.list_wall(name, surface);
        }
        true
    }

    /// Candidates of a slot among these grains, each by the lesser slot first, ascending.
    fn pairs_with(&self, slot: u32, near: &[u32]) -> Vec<[u32; 2]> {
        let arrays = &self.state.arrays;
        let mut pairs = Vec::new();
        for &other in near {
            for b in self.touching_of(other) {
                for a in self.touching_of(slot) {
                    let (p, q) = (a as usize, b as usize);
                    let reach = arrays.radius(p) + arrays.radius(q) + self.options.outer_margin;
                    let d = self.shortest(arrays.position(p) - arrays.position(q));
                    if d.norm_squared() < reach * reach {
                        pairs.push([a.min(b), a.max(b)]);
                    }
                }
            }
        }
        pairs.sort_unstable();
        pairs
    }

    fn list_pair(&mut self, pair: [u32; 2]) {
        let arrays = &self.state.arrays;
        let [a, b] = pair.map(|slot| usize::from(arrays.material[slot as usize]));
        let class = self.class_of[a * self.laws.materials + b];
        let class = &mut self.state.pairs[usize::from(class)];
        let place = class.outer.len() as u32;
        class.outer.push(pair);
        class.lists.include(pair, place);
        class.blocks.clear();
        class.blocks.push(BlockEnd {
            batches: class.lists.batches.len() as u32,
            ..BlockEnd::of_all(class.outer.len())
        });
        // Who stands still beside it is pushed by it from now on.
        for slot in pair {
            if self.stands(slot) {
                let slot = self.owner(slot);
                let rim = &mut self.state.still.rim;
                if let Err(place) = rim.binary_search(&slot) {
                    rim.insert(place, slot);
                    self.state.arrays.clear_force(slot as usize);
                }
            }
        }
    }

    fn list_wall(&mut self, name: WallName, entry: [u32; 2]) {
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
        let found = self.state.walls.binary_search_by_key(&name, of);
        let class = found.unwrap_or_else(|place| {
            let wall = &self.boundaries[usize::from(boundary)];
            let law = law_of(&self.known_laws, material, wall.boundary.material);
            let seen_from = self.state.arrays.position(entry[0] as usize);
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
            self.state.walls.insert(place, class);
            place
        });
        let class = &mut self.state.walls[class];
        let place = class.outer.len() as u32;
        class.outer.push(entry);
        class.lists.include(entry, place);
        if self.state.bands.count() > 1
            && let Err(place) = self.wall_slots.binary_search(&entry[0])
        {
            self.wall_slots.insert(place, entry[0]);
        }
    }
}

impl<H: History> Lists<H> {
    /// Puts a candidate into the last batch, or into a new one.
    fn include(&mut self, bodies: [u32; 2], outer: u32) {
        let lanes = crate::vector::LANES;
        let last = self.batches.last();
        let free = last.and_then(|batch| (0..lanes).find(|&lane| batch.a[lane] == 0));
        // Where lanes were emptied the last batch may have room before its end.
        let mut filled = self.batches.len() * lanes - free.map_or(0, |lane| lanes - lane);
        self.append(&mut filled, bodies, outer);
    }
}
