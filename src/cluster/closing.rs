//! Links that form while grains at rest are displaced.

use super::changes::LinkChange;
use super::integrate::Integrate;
use super::kinematics::Kinematics;
use super::lists::ContactHistory;
use super::observe::{ContactRef, Elastic};
use super::part::Part;
use super::state::{Effects, Other};
use super::still::{WallName, add};
use super::world::World;
use super::{arcs, bodies, candidates, facing, held, kinematics, observe, still};
use crate::event::EventKind;
use crate::geometry::Vector;

/// Creates links, without tangential stress, for grains of a part that are at rest and overlap others,
/// or walls, without a link. None has moved farther than `way` since it was assigned to its cell.
pub(super) fn close_gaps<D: Integrate>(
    world: &mut World<D>,
    effects: &mut Effects<D>,
    part: &Part<D>,
    way: f64,
    elastic: &mut Elastic,
) {
    let mut found: Vec<(u32, u32)> = Vec::new();
    let arrays = &world.grains.arrays;
    let standing: Vec<u32> = part
        .slots
        .iter()
        .copied()
        .filter(|&slot| world.grains.stands(slot))
        .flat_map(|slot| bodies::touching_of(&world.shapes, &world.grains, slot))
        .collect();
    let way_to = |x: D::Vector, other: u32| {
        let d = x - arrays.position(other as usize);
        observe::shortest(&world.physics, &world.cell, d)
    };
    for &slot in &standing {
        let (x, r) = (arrays.position(slot as usize), arrays.radius(slot as usize));
        world.sleeping.cells.near(x, r + way, |other| {
            let reach = r + arrays.radius(other as usize);
            let twice = other < slot && part.place(world.grains.owner(other)).is_some();
            if world.grains.owner(other) != world.grains.owner(slot)
                && !twice
                && way_to(x, other).norm_squared() < reach * reach
                && !still::joined(&world.shapes, &world.grains, &world.sleeping, slot, other)
            {
                found.push((slot.min(other), slot.max(other)));
            }
        });
    }
    found.sort_unstable();
    let n = world.physics.laws.materials;
    for (a, b) in found {
        let [a, b] = facing::faced(world, [a, b], false);
        let kinematics = kinematics::pair_kinematics(world, a, b);
        if arcs::has_arcs(&world.shapes, &world.grains) && kinematics.overlap <= 0.0 {
            // The enclosing circles of grains overlap before the grains do.
            continue;
        }
        let of = |s: u32| usize::from(world.grains.arrays.material[s as usize]);
        let class = usize::from(world.physics.class_of[of(a) * n + of(b)]);
        let link = ContactHistory::new(a, b);
        let view = held::kept_view_with(world, class, &link, kinematics);
        *elastic += view.elastic;
        let [on_a, on_b] = held::pushes(&world.shapes, &world.grains, &view);
        let [p, q] = [world.grains.owner(a), world.grains.owner(b)];
        add(&mut world.sleeping.still.held[p as usize], 1.0, &on_a);
        add(&mut world.sleeping.still.held[q as usize], 1.0, &on_b);
        let new = EventKind::InsertLink;
        let change = LinkChange::between(new, p, Other::Slot(q), &view.kinematics);
        effects.changes.push(change);
        world.sleeping.pending.closed.push((class, link));
    }
    let mut known: Vec<(u32, u16, u32)> = world
        .sleeping
        .still
        .walls
        .iter()
        .map(|(name, k)| {
            (
                bodies::candidate(&world.shapes, &world.grains, k.a),
                name.0,
                name.1,
            )
        })
        .collect();
    known.sort_unstable();
    for &slot in &standing {
        for boundary in 0..world.walls.boundaries.len() {
            if world.walls.gone[boundary] {
                continue;
            }
            let radius = world.grains.arrays.radius(slot as usize);
            for surface in candidates::surfaces_near(
                &world.clock,
                &world.walls,
                &world.grains,
                boundary,
                slot,
                radius,
            ) {
                let (b, s) = (boundary as u16, surface as u32);
                if known.binary_search(&(slot, b, s)).is_ok() {
                    continue;
                }
                let candidate = slot;
                let slot = facing::facing_surface(world, (b, s), candidate, world.clock.time());
                let Some(kinematics) = kinematics::surface_kinematics(world, b, s, slot)
                    .filter(|kinematics| kinematics.overlap > 0.0)
                else {
                    continue;
                };
                let side = candidates::side(
                    &world.clock,
                    &world.walls,
                    &world.grains,
                    boundary,
                    surface,
                    candidate,
                );
                let name = (b, s, side, world.grains.arrays.material[slot as usize]);
                let link = ContactHistory::new(slot, 0);
                count_wall(world, &name, &link, kinematics, elastic);
                let (new, other) = (EventKind::InsertLink, Other::Boundary(b));
                let change = LinkChange::between(new, world.grains.owner(slot), other, &kinematics);
                effects.changes.push(change);
                world.sleeping.pending.closed_walls.push((name, link));
            }
        }
    }
}

/// Adds the energy and force of a link with a wall.
pub(super) fn count_wall<D: Integrate>(
    world: &mut World<D>,
    name: &WallName,
    link: &ContactHistory,
    kinematics: Kinematics<D>,
    elastic: &mut Elastic,
) -> ContactRef<D> {
    let view = held::kept_wall_view_with(world, name, link, kinematics);
    *elastic += view.elastic;
    let on_a = &held::pushes(&world.shapes, &world.grains, &view)[0];
    add(&mut world.sleeping.still.held[view.a as usize], 1.0, on_a);
    view
}
