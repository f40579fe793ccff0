//! A part of a bed: some grains in contact, their links, and the displacement of each grain.

use super::integrate::Integrate;
use super::kinematics::{BodyMotion, Kinematics};
use super::observe::ContactRef;
use super::world::{Grains, Shapes, Sleeping, World};
use super::{bodies, crossing, held, kinematics, observe};
use crate::geometry::Dimension;

/// A displacement, m, and a rotation times the radius, m.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shift<D: Dimension> {
    /// Displacement of the centre.
    pub way: D::Vector,
    /// Rotation about the centre times the radius.
    pub turn: [f64; 3],
}

/// Some grains in contact, and the displacement of each.
#[derive(Clone, Debug)]
pub struct Part<D: Dimension> {
    /// Slots, ascending.
    pub slots: Vec<u32>,
    /// Displacement of each.
    pub shifts: Vec<Shift<D>>,
    /// By slot: its position among them.
    places: Vec<u32>,
}

impl<D: Dimension> Part<D> {
    /// A part of the given slots, ascending, of `of` slots in total; without displacements.
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

    /// Position of a slot in the part.
    pub fn place(&self, slot: u32) -> Option<u32> {
        let place = self.places[slot as usize];
        (place != u32::MAX).then_some(place)
    }

    /// Displacement of a slot; zero for slots outside of the part.
    pub fn shift(&self, slot: u32) -> Shift<D> {
        let place = self.place(slot);
        place.map_or(Shift::default(), |place| self.shifts[place as usize])
    }

    /// Halves the displacements.
    pub fn halve(&mut self) {
        for shift in &mut self.shifts {
            shift.way = shift.way * 0.5;
            shift.turn = shift.turn.map(|t| 0.5 * t);
        }
    }
}

/// Grains at rest within `links` links of those `wanted` grains of the rim that touch stepped ones,
/// and all stepped grains; ascending.
pub fn near_stepped<D: Integrate>(
    world: &World<D>,
    links: usize,
    wanted: impl Fn(u32) -> bool,
) -> Vec<u32> {
    let mut rim = world.sleeping.still.rim.clone();
    rim.retain(|&slot| wanted(slot));
    let mut slots = within_links(world, rim, links);
    slots.extend(&world.grains.active);
    slots.sort_unstable();
    slots
}

/// Grains at rest within `links` links of some of them; ascending.
pub fn within_links<D: Integrate>(world: &World<D>, from: Vec<u32>, links: usize) -> Vec<u32> {
    regions(world, vec![from], links).concat()
}

/// Those of some slots at rest, ascending, that are connected by links among themselves: each such set ascending, in the order of their first.
pub fn connected<D: Integrate>(world: &World<D>, slots: &[u32]) -> Vec<Vec<u32>> {
    let mut left = world.grains.marked(slots);
    let pairs = &world.sleeping.still.pairs;
    let mut sets = Vec::new();
    for &first in slots {
        if !std::mem::replace(&mut left[first as usize], false) {
            continue;
        }
        let mut set = vec![first];
        let mut next = 0;
        while let Some(&slot) = set.get(next) {
            next += 1;
            for index in pairs.of(slot) {
                let other = pairs.beyond(index, slot);
                if std::mem::replace(&mut left[other as usize], false) {
                    set.push(other);
                }
            }
        }
        set.sort_unstable();
        sets.push(set);
    }
    sets
}

/// Grains at rest within `links` links of one of some sets, for each set those nearest to it; each ascending.
pub fn regions<D: Integrate>(world: &World<D>, sets: Vec<Vec<u32>>, links: usize) -> Vec<Vec<u32>> {
    let mut found = vec![false; world.grains.arrays.slots()];
    for &slot in sets.iter().flatten() {
        found[slot as usize] = true;
    }
    let pairs = &world.sleeping.still.pairs;
    let mut fronts = vec![0; sets.len()];
    let mut regions = sets;
    for _ in 0..links {
        for (region, front) in regions.iter_mut().zip(&mut fronts) {
            let end = region.len();
            for place in *front..end {
                let slot = region[place];
                for index in pairs.of(slot) {
                    let other = pairs.beyond(index, slot);
                    if !std::mem::replace(&mut found[other as usize], true) {
                        region.push(other);
                    }
                }
            }
            *front = end;
        }
    }
    for region in &mut regions {
        region.sort_unstable();
    }
    regions
}

/// Links of a part whose ends are at rest, each once.
pub fn still_links_of<D: Integrate>(sleeping: &Sleeping, part: &Part<D>) -> Vec<u32> {
    let pairs = &sleeping.still.pairs;
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
pub fn still_walls_of<D: Integrate>(
    grains: &Grains<D>,
    sleeping: &Sleeping,
    part: &Part<D>,
) -> Vec<usize> {
    let walls = sleeping.still.walls.iter().enumerate();
    let inside = walls.filter(|(_, (_, kept))| part.place(grains.owner(kept.a)).is_some());
    inside.map(|(index, _)| index).collect()
}

/// Calls back with each link of a part, including those with walls; `links` are those of
/// [`still_links_of`].
pub fn each_link_of<D: Integrate>(
    world: &World<D>,
    part: &Part<D>,
    links: &[u32],
    mut f: impl FnMut(ContactRef<D>),
) {
    each_still_link_of(world, part, links, &mut f);
    observe::each_list_link(world, f);
}

/// The same without the links of stepped grains.
pub(super) fn each_still_link_of<D: Integrate>(
    world: &World<D>,
    part: &Part<D>,
    links: &[u32],
    mut f: impl FnMut(ContactRef<D>),
) {
    for &index in links {
        let (class, kept) = world.sleeping.still.pairs.get(index);
        f(held::kept_view(world, class, kept));
    }
    for index in still_walls_of(&world.grains, &world.sleeping, part) {
        let (name, kept) = &world.sleeping.still.walls[index];
        if let Some(view) = held::kept_wall_view(world, name, kept) {
            f(view);
        }
    }
}

pub(super) fn displaced<D: Integrate>(
    shapes: &Shapes<D>,
    grains: &Grains<D>,
    part: &Part<D>,
    slot: u32,
) -> BodyMotion<D> {
    let Shift { way, turn } = part.shift(grains.owner(slot));
    let (position, (velocity, spin)) = match bodies::lever(shapes, grains, slot) {
        Some(lever) => {
            let position = crossing::motion(shapes, grains, slot as usize).position;
            (position, lever.along(way, turn))
        }
        None => (grains.arrays.position(slot as usize), (way, turn)),
    };
    BodyMotion {
        position,
        velocity,
        spin,
    }
}

pub(super) fn pair_strain<D: Integrate>(
    world: &World<D>,
    part: &Part<D>,
    a: u32,
    b: u32,
) -> Kinematics<D> {
    let motions = [
        displaced(&world.shapes, &world.grains, part, a),
        displaced(&world.shapes, &world.grains, part, b),
    ];
    kinematics::pair_kinematics_of(world, [a as usize, b as usize], motions, false)
}
