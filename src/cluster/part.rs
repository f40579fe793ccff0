//! A part of a bed: some grains in touch, their links, and how far each grain is to be displaced.

use super::engine::Engine;
use super::integrate::Integrate;
use super::kinematics::{BodyMotion, Kinematics};
use super::observe::LinkView;
use crate::geometry::Dimension;

/// A displacement, m, and a turn times the radius, m.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shift<D: Dimension> {
    /// Of the centre.
    pub way: D::Vector,
    /// Turn about the centre.
    pub turn: [f64; 3],
}

/// Some grains in touch, and how far each is displaced.
#[derive(Clone, Debug)]
pub struct Part<D: Dimension> {
    /// Slots, ascending.
    pub slots: Vec<u32>,
    /// Displacement of each.
    pub shifts: Vec<Shift<D>>,
    /// By slot: its place among them.
    places: Vec<u32>,
}

impl<D: Dimension> Part<D> {
    /// Slots, ascending, of so many in all; not displaced.
    pub fn new(slots: Vec<u32>, of: usize) -> Self {
        let mut places = vec![u32::MAX; of];
        for (place, &slot) in slots.iter().enumerate() {
            places[slot as usize] = place as u32;
        }
        Part {
            shifts: vec![Shift::default(); slots.len()],
            slots,
            places,
        }
    }

    /// Place of a slot.
    pub fn place(&self, slot: u32) -> Option<u32> {
        let place = self.places[slot as usize];
        (place != u32::MAX).then_some(place)
    }

    /// Displacement of a slot; none of those outside.
    pub fn shift(&self, slot: u32) -> Shift<D> {
        let place = self.place(slot);
        place.map_or(Shift::default(), |place| self.shifts[place as usize])
    }

    /// Makes displacements half as large.
    pub fn halve(&mut self) {
        for shift in &mut self.shifts {
            shift.way = shift.way * 0.5;
            shift.turn = shift.turn.map(|t| 0.5 * t);
        }
    }
}

impl<D: Integrate> Engine<D> {
    /// Grains that stand still not farther than so many links from a stepped one's neighbours, and
    /// all that are stepped; ascending.
    pub fn near_stepped(&self, links: usize) -> Vec<u32> {
        let mut found = vec![false; self.state.arrays.slots()];
        let mut slots = self.state.active.clone();
        for &slot in &self.state.still.rim {
            found[slot as usize] = true;
        }
        let mut front = self.state.still.rim.clone();
        for _ in 0..links {
            let mut next = Vec::new();
            for &slot in &front {
                for index in self.state.still.pairs.of(slot) {
                    let other = self.state.still.pairs.beyond(index, slot);
                    if !std::mem::replace(&mut found[other as usize], true) {
                        next.push(other);
                    }
                }
            }
            slots.append(&mut front);
            front = next;
        }
        slots.append(&mut front);
        slots.sort_unstable();
        slots
    }

    /// Links of a part whose ends stand still, each once.
    pub fn still_links_of(&self, part: &Part<D>) -> Vec<u32> {
        let pairs = &self.state.still.pairs;
        let mut links = Vec::new();
        for &slot in &part.slots {
            links.extend(pairs.of(slot).filter(|&index| {
                let other = pairs.beyond(index, slot);
                other > slot || part.place(other).is_none()
            }));
        }
        links
    }

    /// The same with walls.
    pub fn still_walls_of(&self, part: &Part<D>) -> Vec<usize> {
        let walls = self.state.still.walls.iter().enumerate();
        let inside = walls.filter(|(_, (_, kept))| part.place(self.owner(kept.a)).is_some());
        inside.map(|(index, _)| index).collect()
    }

    /// Calls back with each link of a part, walls included; `links` are those of
    /// [`Engine::still_links_of`].
    pub fn each_link_of(&self, part: &Part<D>, links: &[u32], mut f: impl FnMut(LinkView<D>)) {
        for &index in links {
            let (class, kept) = self.state.still.pairs.get(index);
            f(self.kept_view(class, kept));
        }
        for index in self.still_walls_of(part) {
            let (name, kept) = &self.state.still.walls[index];
            if let Some(view) = self.kept_wall_view(name, kept) {
                f(view);
            }
        }
        self.each_list_link(f);
    }

    pub(super) fn displaced(&self, part: &Part<D>, slot: u32) -> BodyMotion<D> {
        let Shift { way, turn } = part.shift(self.owner(slot));
        let (position, (velocity, spin)) = match self.lever(slot) {
            Some(lever) => {
                let position = self.motion(slot as usize).position;
                (position, lever.along(way, turn))
            }
            None => (self.state.arrays.position(slot as usize), (way, turn)),
        };
        BodyMotion {
            position,
            velocity,
            spin,
        }
    }

    pub(super) fn pair_strain(&self, part: &Part<D>, a: u32, b: u32) -> Kinematics<D> {
        let motions = [self.displaced(part, a), self.displaced(part, b)];
        self.pair_kinematics_of([a as usize, b as usize], motions, false)
    }
}
