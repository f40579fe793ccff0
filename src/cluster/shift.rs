//! Small displacements of a part of a bed and their effects on links: the equilibrium solve for
//! loads on grains at rest.

use super::arrays::Status;
use super::changes::LinkChange;
use super::closing::{close_gaps, count_wall};
use super::coefficients::coefficients_after;
use super::dimension::ClusterDimension;
use super::integrate::Integrate;
use super::kernel::Memory;
use super::lists::ContactHistory;
use super::observe::{Elastic, size};
use super::part::Part;
use super::state::{Book, Effects, Other, Skin};
use super::still::{Place, WallName, Wrench, add};
use super::strain::{Strain, Then, bound, normal_of, strain_in_lists};
use super::world::World;
use super::{bodies, changes, facing, held, kinematics, loads, part, sleep_interface};
use crate::event::EventKind;
use crate::geometry::Vector;
use crate::hgraph::ClusterIndex;
use crate::vector::Row;

/// Links that a displacement strains, and the data to restore when it is reverted.
pub struct Strained<D: Integrate> {
    /// Fraction of the displacement that remains: it is reverted, and half of it is tried.
    share: f64,
    /// Links between grains at rest.
    links: Vec<Then<u32>>,
    /// Links of these with walls.
    walls: Vec<Then<usize>>,
    /// Elastic energy of all these links, with the opposite sign, J.
    elastic: Elastic,
    /// Strains of links with stepped grains: of pairs, and with walls.
    rim: [Vec<(Place, Strain)>; 2],
    /// Forces of these links.
    rim_pushes: Vec<(u32, Wrench)>,
    /// Rows and spins, by position in the part.
    rows: Vec<[Row; 2]>,
    /// Orientations, by position in the part, in space.
    rotations: Vec<D::Rotation>,
    /// Slots of these links, with their forces.
    held: Vec<(u32, Wrench)>,
    /// Slots near stepped grains, with the forces of these.
    pushed: Vec<(u32, Wrench, Row)>,
    springs: Vec<Springs<D>>,
    at_walls: Vec<Springs<D>>,
    ways: [f64; 3],
}

/// Springs of the links of a class: tangential ones, and of rolling and twisting.
type Springs<D> = (Vec<<D as ClusterDimension>::History>, Vec<Memory>);

/// Links that a displacement breaks and gaps that it closes, until it is kept or reverted.
#[derive(Debug, Default)]
pub(super) struct Pending {
    opened: Vec<u32>,
    opened_walls: Vec<usize>,
    pub closed: Vec<(usize, ContactHistory)>,
    pub closed_walls: Vec<(WallName, ContactHistory)>,
}

/// Records the links that displacing a part will strain; to be called before the displacement.
pub fn before_shift<D: Integrate>(world: &World<D>, skin: &Skin, part: &Part<D>) -> Strained<D> {
    let still = &world.sleeping.still;
    let arrays = &world.grains.arrays;
    let mut elastic = Elastic::default();
    let then = |index: u32| {
        let (class, kept) = still.pairs.get(index);
        let [p, q] = world.contacts.pairs[class].materials;
        let view = held::kept_view(world, class, kept);
        elastic -= view.elastic;
        let strain = part::pair_strain(world, part, kept.a, kept.b);
        let law = world.physics.law(p, q);
        Then {
            index,
            kept: *kept,
            by: Strain::of(strain),
            stiffness: coefficients_after(law, &view.kinematics, kept.memory.slots[4]).kt,
            normal: normal_of(&view),
            pushes: held::pushes(&world.shapes, &world.grains, &view),
        }
    };
    let links: Vec<Then<u32>> = part::still_links_of(&world.sleeping, part)
        .into_iter()
        .map(then)
        .collect();
    let then = |index: usize| {
        let (name, kept) = &still.walls[index];
        let motion = part::displaced(&world.shapes, &world.grains, part, kept.a);
        let strain = kinematics::surface_kinematics_of(
            world,
            name.0,
            name.1,
            kept.a,
            motion,
            world.clock.time(),
        );
        let mut then = Then {
            index,
            kept: *kept,
            by: strain.map_or(Strain::default(), Strain::of),
            stiffness: 0.0,
            normal: [0.0; 3],
            pushes: Default::default(),
        };
        if let Some(view) = held::kept_wall_view(world, name, kept) {
            elastic -= view.elastic;
            let wall = &world.walls.boundaries[usize::from(name.0)].boundary;
            let law = world.physics.law(name.3, wall.material);
            then.stiffness = coefficients_after(law, &view.kinematics, kept.memory.slots[4]).kt;
            then.normal = normal_of(&view);
            then.pushes = held::pushes(&world.shapes, &world.grains, &view);
        }
        then
    };
    let walls: Vec<Then<usize>> = part::still_walls_of(&world.grains, &world.sleeping, part)
        .into_iter()
        .map(then)
        .collect();
    let own = |k: &ContactHistory| [world.grains.owner(k.a), world.grains.owner(k.b)];
    let mut ends: Vec<u32> = links.iter().flat_map(|then| own(&then.kept)).collect();
    ends.extend(&part.slots);
    ends.sort_unstable();
    ends.dedup();
    let force = |&slot: &u32| (slot, still.held[slot as usize]);
    Strained {
        share: 1.0,
        links,
        walls,
        elastic,
        rim: loads::list_strains(world, part),
        rim_pushes: loads::rim_pushes(world),
        rows: part
            .slots
            .iter()
            .map(|&slot| {
                let s = slot as usize;
                let spins = arrays.spins.get(s).copied().unwrap_or_default();
                [arrays.rows[s], spins]
            })
            .collect(),
        rotations: part
            .slots
            .iter()
            .filter_map(|&slot| arrays.rotation.get(slot as usize).copied())
            .collect(),
        held: ends.iter().map(force).collect(),
        pushed: still
            .rim
            .iter()
            .map(|&slot| {
                let s = slot as usize;
                (slot, still.pushed[s], arrays.forces[s])
            })
            .collect(),
        springs: world
            .contacts
            .pairs
            .iter()
            .map(|class| (class.lists.history.clone(), class.lists.memory.clone()))
            .collect(),
        at_walls: world
            .contacts
            .walls
            .iter()
            .map(|class| (class.lists.history.clone(), class.lists.memory.clone()))
            .collect(),
        ways: skin.ways(),
    }
}

/// Reverts a displacement, and halves it.
pub fn take_back<D: Integrate>(
    world: &mut World<D>,
    skin: &mut Skin,
    effects: &mut Effects<D>,
    part: &mut Part<D>,
    before: &mut Strained<D>,
) {
    before.share *= 0.5;
    part.halve();
    world.sleeping.pending = Pending::default();
    effects.changes.clear();
    let arrays = &mut world.grains.arrays;
    for (&slot, [row, spins]) in part.slots.iter().zip(&before.rows) {
        let s = slot as usize;
        arrays.rows[s] = *row;
        if let Some(to) = arrays.spins.get_mut(s) {
            *to = *spins;
        }
    }
    for (&slot, rotation) in part.slots.iter().zip(&before.rotations) {
        arrays.rotation[slot as usize] = *rotation;
    }
    bodies::put_displaced(
        &world.physics,
        &mut world.shapes,
        &mut world.grains,
        &part.slots,
    );
    let arrays = &mut world.grains.arrays;
    let still = &mut world.sleeping.still;
    for then in &before.links {
        *still.pairs.get_mut(then.index) = then.kept;
    }
    for then in &before.walls {
        still.walls[then.index].1 = then.kept;
    }
    for (slot, held) in &before.held {
        still.held[*slot as usize] = *held;
    }
    for (slot, pushed, force) in &before.pushed {
        still.pushed[*slot as usize] = *pushed;
        arrays.forces[*slot as usize] = *force;
    }
    for (class, (springs, memory)) in world.contacts.pairs.iter_mut().zip(&before.springs) {
        class.lists.history.clone_from(springs);
        class.lists.memory.clone_from(memory);
    }
    for (class, (springs, memory)) in world.contacts.walls.iter_mut().zip(&before.at_walls) {
        class.lists.history.clone_from(springs);
        class.lists.memory.clone_from(memory);
    }
    skin.set_ways(before.ways);
    facing::find_faces(world);
}

/// Displaces a part. Springs are strained; those between grains at rest are limited to Coulomb's
/// bound, those of stepped grains in their next step. Links that break lose their force, gaps that
/// close gain one: to be kept with [`settle_shift`], or reverted. Returns the increase of the
/// elastic energy of links between grains at rest, J, and the energies that they dissipated by
/// sliding and along their normals, J.
pub fn shift<D: Integrate>(
    world: &mut World<D>,
    skin: &mut Skin,
    effects: &mut Effects<D>,
    part: &Part<D>,
    before: &Strained<D>,
) -> (Elastic, [f64; 2]) {
    effects.changes.clear();
    let (mut elastic, mut slid, mut crushed) = (before.elastic, 0.0, 0.0);
    let (mut greatest, mut share) = (0.0_f64, 0.0_f64);
    for (&slot, shift) in part.slots.iter().zip(&part.shifts) {
        let s = slot as usize;
        if matches!(
            world.grains.arrays.status[s],
            Status::Still | Status::Stepped
        ) {
            D::shift(&mut world.grains.arrays, s, shift.way, shift.turn);
            // Ends of a grain move farther than its centre.
            let turn = world
                .grains
                .bodies
                .of(slot)
                .map_or(0.0, |_| size(shift.turn));
            let way = shift.way.norm() + turn;
            greatest = greatest.max(way);
            share = share.max(skin.skin_budgets.share_of(slot, way));
        }
    }
    bodies::put_displaced(
        &world.physics,
        &mut world.shapes,
        &mut world.grains,
        &part.slots,
    );
    facing::find_faces(world);
    skin.max_outer_displacement += greatest;
    skin.max_inner_displacement += greatest;
    skin.skin_budgets.add(share);
    let [rim, rim_walls] = &before.rim;
    for ((_, class, i, k), strain) in rim {
        strain_in_lists(
            &mut world.contacts.pairs[*class].lists,
            [*i, *k],
            before.share,
            strain,
        );
    }
    for ((_, class, i, k), strain) in rim_walls {
        strain_in_lists(
            &mut world.contacts.walls[*class].lists,
            [*i, *k],
            before.share,
            strain,
        );
    }
    for then in &before.links {
        let (class, mut link) = (world.sleeping.still.pairs.get(then.index).0, then.kept);
        [link.a, link.b] = facing::faced(world, [link.a, link.b], true);
        let ends = [world.grains.owner(link.a), world.grains.owner(link.b)];
        let [a, b] = world.contacts.pairs[class].materials;
        let kinematics = kinematics::pair_kinematics(world, link.a, link.b);
        let law = world.physics.law(a, b);
        let now = coefficients_after(law, &kinematics, link.memory.slots[4]);
        let softened = then.strain(&mut link, before.share, &now);
        let lost = bound(&mut link, &now);
        let other = Other::Slot(ends[1]);
        let held = &mut world.sleeping.still.held;
        for (end, push) in ends.iter().zip(&then.pushes) {
            add(&mut held[*end as usize], -1.0, push);
        }
        if kinematics.overlap > -law.gap(kinematics.radius) {
            slid += softened + lost.work;
            let slides = [then.kept.slip, link.slip];
            let change = LinkChange::across(slides, lost.heat, ends[0], other, &kinematics);
            effects.changes.extend(change);
            let view = held::kept_view_with(world, class, &link, kinematics);
            elastic += view.elastic;
            if law.is_composed() {
                crushed += then.crushed(&view);
            }
            let pushes = held::pushes(&world.shapes, &world.grains, &view);
            let held = &mut world.sleeping.still.held;
            for (end, push) in ends.iter().zip(&pushes) {
                add(&mut held[*end as usize], 1.0, push);
            }
        } else {
            let lost = EventKind::RemoveLink;
            let change = LinkChange::between(lost, ends[0], other, &kinematics);
            effects.changes.push(change);
            world.sleeping.pending.opened.push(then.index);
        }
        *world.sleeping.still.pairs.get_mut(then.index) = link;
    }
    for then in &before.walls {
        let (name, mut link) = (world.sleeping.still.walls[then.index].0, then.kept);
        link.a = facing::facing_surface(world, (name.0, name.1), link.a, world.clock.time());
        let owner = world.grains.owner(link.a);
        add(
            &mut world.sleeping.still.held[owner as usize],
            -1.0,
            &then.pushes[0],
        );
        let other = Other::Boundary(name.0);
        let kinematics = kinematics::surface_kinematics(world, name.0, name.1, link.a);
        let wall = &world.walls.boundaries[usize::from(name.0)].boundary;
        let law = *world.physics.law(name.3, wall.material);
        match kinematics {
            Some(kinematics) if kinematics.overlap > -law.gap(kinematics.radius) => {
                let now = coefficients_after(&law, &kinematics, link.memory.slots[4]);
                slid += then.strain(&mut link, before.share, &now);
                let lost = bound(&mut link, &now);
                slid += lost.work;
                let slides = [then.kept.slip, link.slip];
                let change = LinkChange::across(slides, lost.heat, owner, other, &kinematics);
                effects.changes.extend(change);
                let view = count_wall(world, &name, &link, kinematics, &mut elastic);
                if law.is_composed() {
                    crushed += then.crushed(&view);
                }
            }
            _ => {
                let lost = EventKind::RemoveLink;
                let at = kinematics.map(|at| LinkChange::between(lost, owner, other, &at));
                effects.changes.extend(at);
                world.sleeping.pending.opened_walls.push(then.index);
            }
        }
        world.sleeping.still.walls[then.index].1 = link;
    }
    close_gaps(world, effects, part, greatest, &mut elastic);
    // Adjusts the means of the forces of stepped grains by the effect of the displacement on their links.
    let evaluations = f64::from(world.sleeping.still.evaluations);
    let then = before
        .rim_pushes
        .iter()
        .map(|&(slot, push)| (slot, -1.0, push));
    let now = loads::rim_pushes(world);
    for (slot, sign, push) in now.into_iter().map(|(s, p)| (s, 1.0, p)).chain(then) {
        let s = slot as usize;
        for (sum, part) in world.sleeping.still.pushed[s].iter_mut().zip(push) {
            *sum += sign * evaluations * part;
        }
        let [fx, fy, fz, mx, my, mz] = push.map(|part| sign * part);
        D::add_force(&mut world.grains.arrays, s, [fx, fy, fz], [mx, my, mz]);
    }
    (elastic, [slid, crushed])
}

/// Keeps the effects of the last displacement: removes links that broke, and creates links for gaps that closed.
pub fn settle_shift<D: Integrate>(
    world: &mut World<D>,
    book: &mut Book,
    clusters: &mut ClusterIndex,
    effects: &mut Effects<D>,
    part: &Part<D>,
) {
    changes::book_changes(&world.clock, &world.physics, book, effects);
    let Pending {
        mut opened,
        mut opened_walls,
        closed,
        closed_walls,
    } = std::mem::take(&mut world.sleeping.pending);
    let counts = &mut book.counts;
    counts.closed += (opened.len() + opened_walls.len()) as u64;
    counts.opened += (closed.len() + closed_walls.len()) as u64;
    // In descending order, so that the remaining numbers stay valid.
    opened.sort_unstable();
    for index in opened.into_iter().rev() {
        let (_, link) = world.sleeping.still.pairs.remove(index);
        let [a, b] = [world.grains.owner(link.a), world.grains.owner(link.b)];
        clusters.remove_link(a, b);
    }
    opened_walls.sort_unstable();
    for index in opened_walls.into_iter().rev() {
        world.sleeping.still.walls.remove(index);
    }
    for (class, link) in closed {
        let ends = [world.grains.owner(link.a), world.grains.owner(link.b)];
        clusters.insert_link(ends[0], ends[1]);
        world.sleeping.still.pairs.insert(class, link, ends);
    }
    world.sleeping.still.walls.extend(closed_walls);
    for &slot in &part.slots {
        if world.grains.stands(slot) {
            for touching in bodies::touching_of(&world.shapes, &world.grains, slot) {
                let x = world.grains.arrays.position(touching as usize);
                world.sleeping.cells.relocate(touching, x);
            }
        }
    }
    sleep_interface::sum_still_walls(world);
}
