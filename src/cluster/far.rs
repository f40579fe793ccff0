//! Finds grains that would move too far in a displacement.

use super::integrate::Integrate;
use super::kinematics::BodyMotion;
use super::observe::size;
use super::part::{Part, Shift};
use super::world::World;
use super::{bodies, candidates, facing, kinematics, observe, part, still};
use crate::body::Lever;
use crate::geometry::{Dimension, Vector};

/// Limits of a displacement of grains, in radii.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Strain of a link, normal or tangential.
    pub strain: f64,
    /// Displacement relative to the mean of the grains in contact: a grain that rolls on others strains no link.
    pub apart: f64,
    /// Total displacement, or rotation.
    pub way: f64,
    /// Overlap where there was a gap.
    pub closing: f64,
}

/// A link between two grains of which at least one belongs to a part.
#[derive(Clone, Copy, Debug)]
pub struct Touching<D: Dimension> {
    /// Positions of the grains in the part; none for a grain outside of it.
    pub places: [Option<u32>; 2],
    /// Unit normal from the first to the second grain.
    pub normal: D::Vector,
    /// Radius of the smaller grain, m.
    pub radius: f64,
}

/// For links with grains of several parts: the levers of the balls in contact.
pub type ContactArms<D> = [Lever<D>; 2];

/// Slots that a displacement would move too far ([`Limits`]); ascending. `touching` are the links of the part
/// between grains, `levers` their levers if there are grains of several parts, otherwise empty.
pub fn far<D: Integrate>(
    world: &World<D>,
    part: &Part<D>,
    touching: &[Touching<D>],
    levers: &[ContactArms<D>],
    limits: &Limits,
) -> Vec<u32> {
    let arrays = &world.grains.arrays;
    let mut far = vec![false; part.slots.len()];
    // Sum of the displacements of the grains in contact, and their number.
    let mut about = vec![(D::Vector::default(), 0.0); part.slots.len()];
    for (index, link) in touching.iter().enumerate() {
        let shifts = link.places.map(|place| match place {
            Some(place) => part.shifts[place as usize],
            None => Shift::default(),
        });
        let [mut a, mut b] = shifts;
        if let Some(levers) = levers.get(index) {
            for (shift, lever) in [&mut a, &mut b].into_iter().zip(levers) {
                (shift.way, shift.turn) = lever.along(shift.way, shift.turn);
            }
        }
        let turn = D::spin_from_fn(|k| a.turn[k] + b.turn[k]);
        let apart = a.way - b.way + D::cross_spin(turn, link.normal);
        let along = apart.dot(&link.normal);
        let across = apart - link.normal * along;
        let beyond = along * along > (limits.strain * link.radius).powi(2)
            || across.norm_squared() > (limits.strain * link.radius).powi(2);
        for (place, other) in [(link.places[0], shifts[1]), (link.places[1], shifts[0])] {
            if let Some(place) = place {
                let place = place as usize;
                far[place] |= beyond;
                about[place].0 += other.way;
                about[place].1 += 1.0;
            }
        }
    }
    for (place, &slot) in part.slots.iter().enumerate() {
        let Shift { way, turn } = part.shifts[place];
        let (sum, count) = about[place];
        let apart = way - sum * (1.0 / f64::max(count, 1.0));
        let radius = arrays.radius(slot as usize);
        let within = apart.norm() <= limits.apart * radius
            && way.norm().max(size(turn)) <= limits.way * radius;
        // NaN exceeds any limit.
        far[place] |= !within;
    }
    let mut closed = |slot: u32| {
        if let Some(place) = part.place(world.grains.owner(slot)) {
            far[place as usize] = true;
        }
    };
    closing(world, part, limits.closing, |a, b| {
        closed(a);
        closed(b);
    });
    closing_on_walls(world, part, limits.closing, closed);
    let chosen = part.slots.iter().zip(far).filter(|(_, far)| *far);
    chosen.map(|(&slot, _)| slot).collect()
}

/// Calls back with pairs of grains that a displacement would make overlap by more than `strain` radii although they are not in contact now.
fn closing<D: Integrate>(
    world: &World<D>,
    part: &Part<D>,
    strain: f64,
    mut f: impl FnMut(u32, u32),
) {
    let arrays = &world.grains.arrays;
    let after = |slot: u32| arrays.position(slot as usize) + part.shift(slot).way;
    let whole = |slot: u32| world.grains.bodies.of(slot).is_none();
    let apart = |d: D::Vector| observe::shortest(&world.physics, &world.cell, d).norm_squared();
    let pressed = |a: u32, b: u32| {
        if !whole(a) || !whole(b) {
            return presses(world, part, [a, b], strain);
        }
        let (r, s) = (arrays.radius(a as usize), arrays.radius(b as usize));
        let reach = r + s - strain * r.min(s);
        apart(after(a) - after(b)) < reach * reach
    };
    for (slot, way) in ways(world, part) {
        let (x, r) = (arrays.position(slot as usize), arrays.radius(slot as usize));
        // Of two grains that approach, one moves at least half of the way. An excessive
        // displacement counts as too far by itself.
        if !world.grains.stands(slot) || 2.0 * way < strain * r || way > r {
            continue;
        }
        world.sleeping.cells.near(x, r + 2.0 * way, |other| {
            // The cells give more grains than that, depending on their history.
            let near = r + 2.0 * way + arrays.radius(other as usize);
            if world.grains.owner(other) != world.grains.owner(slot)
                && apart(x - arrays.position(other as usize)) < near * near
                && pressed(slot, other)
                && !still::joined(&world.shapes, &world.grains, &world.sleeping, slot, other)
            {
                f(slot, other);
            }
        });
    }
    for class in &world.contacts.pairs {
        class.lists.each_apart(&class.outer, |[a, b]| {
            if pressed(a, b) {
                f(a, b);
            }
        });
    }
}

/// Whether a displacement makes two grains, one of which has several parts, overlap by more than
/// `strain` radii: by the arcs or parts that face each other now.
fn presses<D: Integrate>(world: &World<D>, part: &Part<D>, [a, b]: [u32; 2], strain: f64) -> bool {
    let radius = |slot: u32| world.grains.arrays.radius(slot as usize);
    let least = radius(a).min(radius(b));
    let [a, b] = facing::faced(world, [a, b], false);
    let k = part::pair_strain(world, part, a, b);
    k.overlap - k.speed > strain * least
}

/// The slots with which the grains of a part can touch others, and the displacement of each, m.
fn ways<'a, D: Integrate>(
    world: &'a World<D>,
    part: &'a Part<D>,
) -> impl Iterator<Item = (u32, f64)> + 'a {
    let slots = part.slots.iter().zip(&part.shifts);
    slots.flat_map(|(&slot, shift)| {
        // Ends of a grain move farther than its centre.
        let turn = world.grains.bodies.of(slot);
        let way = shift.way.norm() + turn.map_or(0.0, |_| size(shift.turn));
        bodies::touching_of(&world.shapes, &world.grains, slot).map(move |slot| (slot, way))
    })
}

/// Calls back with grains that a displacement would press by more than `strain` radii into walls
/// that they do not touch now.
fn closing_on_walls<D: Integrate>(
    world: &World<D>,
    part: &Part<D>,
    strain: f64,
    mut f: impl FnMut(u32),
) {
    let arrays = &world.grains.arrays;
    for (slot, way) in ways(world, part) {
        let bound = strain * arrays.radius(slot as usize);
        // An excessive displacement counts as too far by itself.
        if way < bound || way > arrays.radius(slot as usize) {
            continue;
        }
        let pressed = |boundary: usize, surface: usize| {
            let (boundary, surface) = (boundary as u16, surface as u32);
            let slot = facing::facing_surface(world, (boundary, surface), slot, world.clock.time());
            let moved = part::displaced(&world.shapes, &world.grains, part, slot);
            let there = BodyMotion {
                position: moved.position + moved.velocity,
                ..moved
            };
            let after = kinematics::surface_kinematics_of(
                world,
                boundary,
                surface,
                slot,
                there,
                world.clock.time(),
            );
            let before = kinematics::surface_kinematics(world, boundary, surface, slot);
            after.is_some_and(|after| after.overlap > bound)
                && before.is_none_or(|before| before.overlap <= 0.0)
        };
        let walls = world
            .walls
            .boundaries
            .iter()
            .zip(&world.walls.gone)
            .enumerate();
        let mut there = walls.filter(|(_, (_, gone))| !**gone);
        let reach = way + arrays.radius(slot as usize);
        let near = |b| {
            candidates::surfaces_near(&world.clock, &world.walls, &world.grains, b, slot, reach)
                .into_iter()
        };
        if there.any(|(b, _)| near(b).any(|s| pressed(b, s))) {
            f(slot);
        }
    }
}
