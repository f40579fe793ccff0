//! Candidates for contact: pairs from the neighbour search, and grains with surfaces.

use super::bands::Bands;
use super::border::Border;
use super::dem::{Search, law_of};
use super::integrate::Integrate;
use super::lists::{ContactHistory, Lists};
use super::state::WallClass;
use super::still::WallName;
use super::world::{Clock, Grains, Walls, World};
use super::{arcs, bodies, observe};
use crate::geometry::surface::{Flat, Surface};
use crate::geometry::{Dimension, Vector};
use crate::neighbor::pairs_across;

/// Number of slots above which there are bands.
const BANDS_FROM: usize = 1 << 14;

/// Approximate number of slots of a band, by dimension: some hundred microseconds of work. In space the rows that the pairs
/// of two bands read and add to have to fit the second-level cache of a core, 1 MiB (docs/notes/performance.md, "Size").
const fn band(dimensions: usize) -> usize {
    if dimensions == 2 { 8192 } else { 2048 }
}

/// Where candidates come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// The neighbour search.
    Search,
    /// The lists themselves, which are not stale: without pairs of which both rest, and with the neighbours at rest of woken grains. Pairs of
    /// these with stepped grains are in the lists already.
    Lists,
}

pub(super) fn renew_pairs<D: Integrate>(
    world: &mut World<D>,
    search: &mut Search<D>,
    border: &Border,
    origin: Origin,
    kept: &[Vec<ContactHistory>],
) {
    world.grains.active.sort_unstable();
    world.grains.in_order = true;
    let touching = border.with_ghosts(bodies::touching(&world.shapes, &world.grains));
    // Arcs are processed batch by batch for the whole list; ranks require the same order of pairs, whatever their number.
    let whole = arcs::has_arcs(&world.shapes, &world.grains) || border.shared;
    let size = if whole || touching.len() < BANDS_FROM {
        usize::MAX
    } else {
        band(D::N)
    };
    world.contacts.bands = Bands::cut(&touching, size);
    search.pair_buffer.clear();
    match origin {
        Origin::Search => search_pairs(world, search, border, &touching),
        Origin::Lists => pairs_of_lists(world, &mut search.pair_buffer),
    }
    let arrays = &world.grains.arrays;
    for class in &mut world.contacts.pairs {
        class.outer.clear();
    }
    let n = world.physics.laws.materials;
    for &(a, b) in &search.pair_buffer {
        let materials = (arrays.material[a as usize], arrays.material[b as usize]);
        let class = world.physics.class_of[usize::from(materials.0) * n + usize::from(materials.1)];
        world.contacts.pairs[usize::from(class)].outer.push([a, b]);
    }
    // The buffer is kept for the next renewal unless it is large.
    if search.pair_buffer.len() > 1 << 16 {
        search.pair_buffer = Vec::new();
    }
    let bands = &world.contacts.bands;
    for (class, kept) in world.contacts.pairs.iter_mut().zip(kept) {
        class.blocks = bands.arrange(&mut class.outer);
        let mut place = bands.places(&class.outer, &class.blocks);
        let found = kept.iter().filter_map(|&link| {
            let (a, b) = (link.a.min(link.b), link.a.max(link.b));
            let place = place([a, b])?;
            let mut link = link;
            if D::SPRING_IS_VECTOR && link.a > link.b {
                link.spring = link.spring.map(|s| -s);
            }
            if link.a > link.b {
                // Rolling is relative, of the first against the second, also in the plane.
                link.memory.slots[..3].iter_mut().for_each(|s| *s = -*s);
            }
            (link.a, link.b) = (a, b);
            Some((link, place))
        });
        class.lists.restart(found);
    }
}

/// Pairs of stepped slots that touch others, and of these with slots at rest, within the margin, ascending.
fn search_pairs<D: Integrate>(
    world: &World<D>,
    search: &mut Search<D>,
    border: &Border,
    active: &[u32],
) {
    let (arrays, bodies) = (&world.grains.arrays, &world.grains.bodies);
    let mut positions: Vec<D::Vector> = active
        .iter()
        .map(|&s| arrays.position(s as usize))
        .collect();
    if !bodies.list.is_empty() || border.in_place {
        // Parts may be outside of the box.
        for (k, axis) in world.physics.periodic.iter().enumerate() {
            if let Some(axis) = axis {
                positions.iter_mut().for_each(|x| x[k] = axis.wrap(x[k]));
            }
        }
    }
    let radii: Vec<f64> = active.iter().map(|&s| arrays.radius(s as usize)).collect();
    let margin = world.physics.options.outer_margin;
    let offset = world.cell.state.map_or(0.0, |cell| cell.edges.offset);
    pairs_across(
        &mut *search.broad,
        (&positions, &radii),
        margin,
        &world.physics.periodic,
        offset,
        &mut search.pair_buffer,
    );
    for pair in &mut search.pair_buffer {
        *pair = (active[pair.0 as usize], active[pair.1 as usize]);
    }
    if !bodies.list.is_empty() {
        search
            .pair_buffer
            .retain(|&(a, b)| bodies.of(a).is_none() || bodies.owner(a) != bodies.owner(b));
    }
    let rigid = &world.grains.rigid;
    if !rigid.is_empty() {
        search.pair_buffer.retain(|&(a, b)| !rigid.are_one(a, b));
    }
    if !world.sleeping.cells.is_empty() {
        let stepped = search.pair_buffer.len();
        for (&a, (&x, &radius)) in active.iter().zip(positions.iter().zip(&radii)) {
            let near = radius + margin;
            world.sleeping.cells.near(x, near, |b| {
                let reach = near + arrays.radius(b as usize);
                let d = x - arrays.position(b as usize);
                if observe::shortest(&world.physics, &world.cell, d).norm_squared() < reach * reach
                {
                    search.pair_buffer.push((a.min(b), a.max(b)));
                }
            });
        }
        // Merges two runs, of which the first is usually sorted.
        search.pair_buffer[stepped..].sort_unstable();
        search.pair_buffer.sort();
    }
    if border.shared {
        let ghost = |slot: u32| arrays.status[slot as usize].is_ghost();
        search.pair_buffer.retain(|&(a, b)| !(ghost(a) && ghost(b)));
    }
}

/// Pairs of the lists of which at least one slot is stepped, and pairs with woken ones, ascending.
fn pairs_of_lists<D: Integrate>(world: &World<D>, pairs: &mut Vec<(u32, u32)>) {
    let grains = &world.grains;
    let is_stepped = |&(a, b): &(u32, u32)| !(grains.stands(a) && grains.stands(b));
    for class in &world.contacts.pairs {
        let known = class.outer.iter().map(|&[a, b]| (a, b));
        pairs.extend(known.filter(is_stepped));
    }
    pairs.extend(
        world
            .sleeping
            .woken
            .pairs
            .iter()
            .filter(|pair| is_stepped(pair)),
    );
    // Merges runs; one that was woken beside one that had just stopped is in both.
    pairs.sort();
    pairs.dedup();
}

/// Candidates of grains, or of their parts, with surfaces of walls: by class, which contains one
/// surface or all of a mesh, then by slot and surface.
pub(super) fn wall_candidates<D: Integrate>(
    world: &World<D>,
    touching: &[u32],
) -> Vec<(WallName, [u32; 2])> {
    let (time, arrays) = (world.clock.time(), &world.grains.arrays);
    let mut entries = Vec::new();
    for (index, wall) in world.walls.boundaries.iter().enumerate() {
        if world.walls.gone[index] {
            continue;
        }
        let pose = wall.boundary.motion.pose(time);
        for &slot in touching {
            let whole = arrays.radius(world.grains.owner(slot) as usize);
            if !wall.boundary.stops(whole) {
                continue;
            }
            let x = arrays.position(slot as usize);
            let reach = [
                arrays.radius(slot as usize),
                world.physics.options.outer_margin,
            ];
            wall.candidates(&pose, x, reach, |k, surface, x| {
                let side = surface.flat(x).is_some_and(|f| side_of::<D>(&f));
                let material = arrays.material[slot as usize];
                let name = (index as u16, wall.class_of(k), side, material);
                entries.push((name, [slot, k]));
            });
        }
    }
    entries.sort_unstable();
    entries
}

/// The same from the lists, without those of grains at rest, and for woken slots.
fn wall_candidates_of_lists<D: Integrate>(world: &World<D>) -> Vec<(WallName, [u32; 2])> {
    let is_stepped = |slot: u32| !world.grains.stands(slot);
    let mut woken = world.sleeping.woken.slots.clone();
    woken.retain(|&slot| is_stepped(slot));
    let mut entries = wall_candidates(world, &woken);
    for class in &world.contacts.walls {
        for &[slot, k] in class.outer.iter().filter(|of| is_stepped(of[0])) {
            // It may have passed by the end of a flat piece, to its other side.
            let boundary = usize::from(class.boundary);
            let side = side(
                &world.clock,
                &world.walls,
                &world.grains,
                boundary,
                k as usize,
                slot,
            );
            let name = (class.boundary, class.surface, side, class.material);
            entries.push((name, [slot, k]));
        }
    }
    entries.sort_unstable();
    entries.dedup();
    entries
}

pub(super) fn renew_walls<D: Integrate>(
    world: &mut World<D>,
    origin: Origin,
    kept: &[(WallName, ContactHistory)],
) {
    let entries = match origin {
        Origin::Search => wall_candidates(world, &bodies::touching(&world.shapes, &world.grains)),
        Origin::Lists => wall_candidates_of_lists(world),
    };
    let arrays = &world.grains.arrays;
    world.contacts.walls.clear();
    let mut rest = &entries[..];
    while let Some(&(name, _)) = rest.first() {
        let (boundary, surface, side, material) = name;
        let count = rest.partition_point(|e| e.0 <= name);
        let outer: Vec<[u32; 2]> = rest[..count].iter().map(|e| e.1).collect();
        rest = &rest[count..];
        let wall = &world.walls.boundaries[usize::from(boundary)];
        let law = law_of(&world.physics.known_laws, material, wall.boundary.material);
        let mut lists = Lists::of_law(law);
        let found = kept.iter().filter_map(|&(of, link)| {
            if of.0 != boundary || (of.0, wall.class_of(of.1), of.2, of.3) != name {
                return None;
            }
            let place = outer.binary_search(&[link.a, of.1]).ok()?;
            Some((ContactHistory { b: of.1, ..link }, place as u32))
        });
        lists.restart(found);
        let seen_from = arrays.position(outer[0][0] as usize);
        let flat = wall.fixed.then(|| wall.flat(surface, seen_from)).flatten();
        world.contacts.walls.push(WallClass {
            boundary,
            surface,
            side,
            material,
            flat,
            outer,
            lists,
        });
    }
    world.contacts.find_wall_slots();
}

/// Surfaces of a boundary that may be within `reach` of the centre of a slot, ascending; none where it lets the grain pass.
pub(super) fn surfaces_near<D: Integrate>(
    clock: &Clock,
    walls: &Walls<D>,
    grains: &Grains<D>,
    boundary: usize,
    slot: u32,
    reach: f64,
) -> Vec<usize> {
    let wall = &walls.boundaries[boundary];
    let mut found = Vec::new();
    let whole = grains.owner(slot) as usize;
    if !wall.boundary.stops(grains.arrays.radius(whole)) {
        return found;
    }
    let pose = wall.boundary.motion.pose(clock.time());
    let x = grains.arrays.position(slot as usize);
    // Allows for rounding.
    let most = reach * (1.0 + 1e-9);
    wall.near(&pose, x, reach, |surface, own| {
        if wall.surface(surface).distance_bound(own) <= most {
            found.push(surface as usize);
        }
    });
    found.sort_unstable();
    found
}

/// The side of a flat surface on which a grain is; false for a curved one.
pub(super) fn side<D: Integrate>(
    clock: &Clock,
    walls: &Walls<D>,
    grains: &Grains<D>,
    boundary: usize,
    surface: usize,
    slot: u32,
) -> bool {
    let wall = &walls.boundaries[boundary];
    let pose = wall.boundary.motion.pose(clock.time());
    let surface = surface as u32;
    let x = wall.to_frame(surface, &pose, grains.arrays.position(slot as usize));
    wall.surface(surface)
        .flat(x)
        .is_some_and(|flat| side_of(&flat))
}

/// The side of a flat surface towards which a normal points: by its first nonzero component.
fn side_of<D: Dimension>(flat: &Flat<D>) -> bool {
    flat.normal
        .components()
        .find(|&c| c != 0.0)
        .is_some_and(|c| c > 0.0)
}
