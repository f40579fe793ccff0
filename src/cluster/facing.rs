//! Determines the arcs with which grains face other bodies.
//!
//! A convex grain of arcs touches another body at one point, by the arcs whose normals there are
//! opposite. A lane of the lists refers to these two arcs, so that the kernel processes the two circles
//! in contact. Before each evaluation the program checks whether the line of their centres still passes
//! through both arcs, and if not, moves on to the next arc (Potapov and Campbell 1998). The contact
//! history stays with the lane: where arcs join, normals and so forces are continuous.

use super::arrays::Status;
use super::integrate::Integrate;
use super::kernel::HAIR;
use super::lists::ContactHistory;
use super::still::WallName;
use super::world::{Cell, Grains, Physics, Shapes, Walls, World};
use super::{arcs, bodies, crossing, kinematics, observe};
use crate::geometry::Vector;
use crate::geometry::surface::Surface;
use crate::walls::Pose;

fn cross(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[1] - a[1] * b[0]
}

/// Position of a direction relative to an arc: -1 before its beginning, 0 within, 1 after its end.
/// Arcs span less than half a turn.
fn side([begin, end]: [[f64; 2]; 2], direction: [f64; 2]) -> i32 {
    let (after, before) = (cross(begin, direction), cross(direction, end));
    if after >= HAIR && before >= HAIR {
        return 0;
    }
    let dot = |a: [f64; 2]| direction[0] * a[0] + direction[1] * a[1];
    // Outside: the nearer end decides.
    if dot(begin) > dot(end) { -1 } else { 1 }
}

/// A body in the search for facing arcs.
#[derive(Clone, Copy)]
struct Face {
    /// Slot that the lane refers to.
    slot: u32,
    /// For a grain of arcs: its slot, and the number of arcs.
    arcs: Option<(u32, u32)>,
}

fn face<D: Integrate>(shapes: &Shapes<D>, grains: &Grains<D>, slot: u32) -> Face {
    let arcs = grains.bodies.of(slot).and_then(|index| {
        let body = &grains.bodies.list[index];
        let form = &shapes.forms[usize::from(body.form)];
        form.arcs.then_some((body.slot, u32::from(body.parts)))
    });
    Face { slot, arcs }
}

/// Makes every link with a grain of arcs refer to the arcs that face each other now.
pub(super) fn find_faces<D: Integrate>(world: &mut World<D>) {
    if !arcs::know_arcs(&world.physics, &mut world.shapes, &world.grains) {
        return;
    }
    for class in 0..world.contacts.pairs.len() {
        for batch in 0..world.contacts.pairs[class].lists.batches.len() {
            let touch = world.contacts.pairs[class].lists.flags[batch].touch;
            find_batch_faces(world, class, batch as u32, touch);
        }
    }
    world.shapes.arcs.named.clear();
    let time = world.clock.time();
    for class in 0..world.contacts.walls.len() {
        find_wall_faces(world, class, time);
    }
}

/// The same for some lanes of batches.
pub(super) fn find_some_faces<D: Integrate>(
    world: &mut World<D>,
    class: usize,
    some: &[(u32, u8)],
) {
    for &(batch, lanes) in some {
        find_batch_faces(world, class, batch, lanes);
    }
}

fn find_batch_faces<D: Integrate>(world: &mut World<D>, class: usize, index: u32, lanes: u8) {
    let lists = &world.contacts.pairs[class].lists;
    let mut batch = lists.batches[index as usize];
    let touch = lists.flags[index as usize].touch;
    for lane in (0..batch.a.len()).filter(|lane| lanes >> lane & 1 == 1) {
        let (a, b) = (batch.a[lane], batch.b[lane]);
        let touch = touch >> lane & 1 == 1;
        if a == b || faces_still(&world.physics, &world.shapes, &world.grains, a, b, touch) {
            continue;
        }
        let faces = [
            face(&world.shapes, &world.grains, a),
            face(&world.shapes, &world.grains, b),
        ];
        [batch.a[lane], batch.b[lane]] = opposite(world, faces, touch);
    }
    world.contacts.pairs[class].lists.batches[index as usize] = batch;
}

/// The same for all lanes at a surface.
pub(super) fn find_wall_faces<D: Integrate>(world: &mut World<D>, class: usize, time: f64) {
    let mut batches = std::mem::take(&mut world.contacts.walls[class].lists.batches);
    for batch in &mut batches {
        for (slot, surface) in batch.a.iter_mut().zip(batch.b) {
            if *slot != 0 {
                *slot = facing_wall(world, class, surface, *slot, time);
            }
        }
    }
    world.contacts.walls[class].lists.batches = batches;
}

/// The same for some batches at a flat surface.
pub(super) fn find_some_wall_faces<D: Integrate>(
    world: &mut World<D>,
    class: usize,
    some: &[(u32, u8)],
) {
    let time = world.clock.time();
    for &(index, lanes) in some {
        let mut batch = world.contacts.walls[class].lists.batches[index as usize];
        for (lane, slot) in batch.a.iter_mut().enumerate() {
            if lanes >> lane & 1 == 1 {
                *slot = facing_wall(world, class, batch.b[lane], *slot, time);
            }
        }
        world.contacts.walls[class].lists.batches[index as usize] = batch;
    }
}

fn between<D: Integrate>(
    physics: &Physics<D>,
    grains: &Grains<D>,
    cell: &Cell,
    a: u32,
    b: u32,
) -> D::Vector {
    let arrays = &grains.arrays;
    observe::shortest(
        physics,
        cell,
        arrays.position(a as usize) - arrays.position(b as usize),
    )
}

impl<D: Integrate> Shapes<D> {
    /// Position of a direction relative to the arc of a slot; always within for a slot that is not an arc.
    #[inline]
    fn lies(&self, slot: u32, direction: D::Vector) -> i32 {
        let Some((grain, row)) = self.arc(slot) else {
            return 0;
        };
        let [sine, cosine] = self.arcs.turns[grain];
        let own = [
            cosine * direction[0] + sine * direction[1],
            cosine * direction[1] - sine * direction[0],
        ];
        let ends = &row.0;
        side([[ends[4], ends[5]], [ends[6], ends[7]]], own)
    }

    /// The arc of a grain that faces a direction.
    fn facing(&self, face: Face, direction: D::Vector) -> Face {
        let Some((grain, count)) = face.arcs else {
            return face;
        };
        let within = (0..count).position(|k| self.lies(grain + 1 + k, direction) == 0);
        let part = within.map_or(0, |part| part as u32);
        Face {
            slot: grain + 1 + part,
            ..face
        }
    }
}

/// Whether a pair of slots that faced each other at the last evaluation still does, so that no
/// search is needed.
#[inline]
fn faces_still<D: Integrate>(
    physics: &Physics<D>,
    shapes: &Shapes<D>,
    grains: &Grains<D>,
    a: u32,
    b: u32,
    touch: bool,
) -> bool {
    if physics.periodic.iter().any(Option::is_some) {
        return false;
    }
    let arrays = &grains.arrays;
    let line = arcs::centre(shapes, grains, a) - arcs::centre(shapes, grains, b);
    let (ra, rb) = (arrays.radius(a as usize), arrays.radius(b as usize));
    let whole = |slot: u32| {
        arrays.status[slot as usize] != Status::Part && grains.bodies.of(slot).is_some()
    };
    if whole(a) || whole(b) {
        return !touch && line.norm_squared() >= (ra + rb) * (ra + rb);
    }
    if shapes.lies(a, -line) != 0 || shapes.lies(b, line) != 0 {
        return false;
    }
    let least = ra + rb - finest(shapes, grains, a) - finest(shapes, grains, b);
    line.norm_squared() >= least * least || least <= 0.0
}

/// The slots of the two arcs that face each other; those of the whole grains if their circles are
/// apart.
fn opposite<D: Integrate>(world: &World<D>, [mut a, mut b]: [Face; 2], touch: bool) -> [u32; 2] {
    let whole = |face: Face| face.arcs.map_or(face.slot, |(grain, _)| grain);
    let (first, second) = (whole(a), whole(b));
    if a.arcs.is_none() && b.arcs.is_none() {
        return [first, second];
    }
    let arrays = &world.grains.arrays;
    if !touch {
        let reach = arrays.radius(first as usize) + arrays.radius(second as usize);
        if between(&world.physics, &world.grains, &world.cell, first, second).norm_squared()
            >= reach * reach
        {
            return [first, second];
        }
    }
    if a.slot == first || b.slot == second {
        let line = between(&world.physics, &world.grains, &world.cell, first, second);
        a = world.shapes.facing(a, -line);
        b = world.shapes.facing(b, line);
    }
    let count = |face: Face| face.arcs.map_or(0, |(_, count)| count);
    for _ in 0..2 * (count(a) + count(b)) {
        // From the second to the first.
        let line = apart(world, a, b, first, second);
        let sides = [
            world.shapes.lies(a.slot, -line),
            world.shapes.lies(b.slot, line),
        ];
        if sides == [0, 0] {
            // Arcs on the far sides pass this test too, with a large overlap. A circle of the
            // smallest radii of both rolls freely inside the sum of the one and the mirrored other
            // (Blaschke 1916): no other pair is nearer than one with less overlap than that.
            let radius = |face: Face| world.grains.arrays.radius(face.slot as usize);
            if radius(a) + radius(b) - line.norm()
                <= finest(&world.shapes, &world.grains, a.slot)
                    + finest(&world.shapes, &world.grains, b.slot)
            {
                return [a.slot, b.slot];
            }
            break;
        }
        a = stepped(a, sides[0]);
        b = stepped(b, sides[1]);
    }
    nearest(world, a, b, first, second)
}

/// Radius of the smallest arc of the grain of a slot, m; its own radius if it is not an arc.
#[inline]
fn finest<D: Integrate>(shapes: &Shapes<D>, grains: &Grains<D>, slot: u32) -> f64 {
    let arrays = &grains.arrays;
    match shapes.arc(slot) {
        Some((grain, row)) => (row.0[2] - row.0[3]) * arrays.radius(grain),
        None => arrays.radius(slot as usize),
    }
}

/// Vector from the circle of the second to that of the first. The nearest image is that of the
/// whole grains: centres of flat arcs may be far outside of them.
fn apart<D: Integrate>(world: &World<D>, a: Face, b: Face, first: u32, second: u32) -> D::Vector {
    let arm = |face: Face, whole: u32| {
        arcs::centre(&world.shapes, &world.grains, face.slot)
            - arcs::centre(&world.shapes, &world.grains, whole)
    };
    between(&world.physics, &world.grains, &world.cell, first, second) + arm(a, first)
        - arm(b, second)
}

/// Among all pairs of arcs that face each other the one with the least overlap; the present one if
/// there is none.
fn nearest<D: Integrate>(world: &World<D>, a: Face, b: Face, first: u32, second: u32) -> [u32; 2] {
    let all = |face: Face| {
        let range = match face.arcs {
            Some((grain, count)) => grain + 1..grain + 1 + count,
            None => face.slot..face.slot + 1,
        };
        range.map(move |slot| Face { slot, ..face })
    };
    let arrays = &world.grains.arrays;
    let mut best = ([a.slot, b.slot], f64::INFINITY);
    for a in all(a) {
        for b in all(b) {
            let line = apart(world, a, b, first, second);
            if world.shapes.lies(a.slot, -line) != 0 || world.shapes.lies(b.slot, line) != 0 {
                continue;
            }
            let overlap =
                arrays.radius(a.slot as usize) + arrays.radius(b.slot as usize) - line.norm();
            if overlap < best.1 {
                best = ([a.slot, b.slot], overlap);
            }
        }
    }
    best.0
}

/// The slot of the arc that faces a surface of a wall.
fn facing_wall<D: Integrate>(
    world: &World<D>,
    class: usize,
    surface: u32,
    slot: u32,
    time: f64,
) -> u32 {
    let wall = &world.contacts.walls[class];
    if let Some(flat) = &wall.flat {
        let face = face(&world.shapes, &world.grains, slot);
        return world.shapes.facing(face, -flat.normal).slot;
    }
    facing_surface(world, (wall.boundary, surface), slot, time)
}

/// The slot of the arc that faces a surface of a boundary.
pub(super) fn facing_surface<D: Integrate>(
    world: &World<D>,
    surface: (u16, u32),
    slot: u32,
    time: f64,
) -> u32 {
    let mut face = face(&world.shapes, &world.grains, slot);
    let Some((grain, count)) = face.arcs else {
        return slot;
    };
    if let Some(slot) = facing_flat(
        &world.shapes,
        &world.walls,
        &world.grains,
        surface,
        face,
        time,
    ) {
        return slot;
    }
    if face.slot == grain {
        face.slot = grain + 1;
    }
    for _ in 0..2 * count {
        // The region of a corner need not contain the centre of this arc.
        let Some(normal) = wall_normal(
            &world.shapes,
            &world.walls,
            &world.grains,
            surface,
            grain,
            face.slot,
            time,
        ) else {
            break;
        };
        match world.shapes.lies(face.slot, -normal) {
            // As for pairs: arcs on the far side pass too, with a large depth.
            0 if depth(world, surface, face.slot)
                <= finest(&world.shapes, &world.grains, face.slot) =>
            {
                return face.slot;
            }
            0 => break,
            way => face = stepped(face, way),
        }
    }
    least_deep(world, surface, face, time)
}

/// The arc that faces a surface which is flat at its position: by the direction alone, whatever the depth of its corner. None
/// if the surface is not flat, ends before that arc, or is thin with the centre of that arc on its other side.
fn facing_flat<D: Integrate>(
    shapes: &Shapes<D>,
    walls: &Walls<D>,
    grains: &Grains<D>,
    (boundary, surface): (u16, u32),
    face: Face,
    time: f64,
) -> Option<u32> {
    let (grain, _) = face.arcs?;
    let boundary = &walls.boundaries[usize::from(boundary)];
    let pose = boundary.boundary.motion.pose(time);
    let to_frame = |x: D::Vector| boundary.to_frame(surface, &pose, x);
    let surface = boundary.surface(surface);
    let flat = surface.flat(to_frame(grains.arrays.position(grain as usize)))?;
    let normal = pose.vector_from_frame(flat.normal);
    let slot = shapes.facing(face, -normal).slot;
    let middle = to_frame(arcs::centre(shapes, grains, slot));
    let ends = flat.extent.is_none_or(|(along, low, high)| {
        let at = along.dot(&middle);
        low <= at && at < high
    });
    (ends && surface.flat(middle)?.normal == flat.normal).then_some(slot)
}

/// Depth of an arc in a surface, m; negative if apart, minus infinity if the surface is not met.
fn depth<D: Integrate>(world: &World<D>, (boundary, surface): (u16, u32), slot: u32) -> f64 {
    let contact = kinematics::surface_kinematics(world, boundary, surface, slot);
    contact.map_or(f64::NEG_INFINITY, |contact| contact.overlap)
}

/// The arc that faced a surface of a boundary a step ago, when the boundary had that pose: of several the one with the least depth. The slot
/// itself where none did, and for other grains.
pub(super) fn faced_before<D: Integrate>(
    world: &World<D>,
    (boundary, surface): (u16, u32),
    slot: u32,
    pose: &Pose<D>,
) -> u32 {
    let Some((grain, count)) = face(&world.shapes, &world.grains, slot).arcs else {
        return slot;
    };
    let boundary = &world.walls.boundaries[usize::from(boundary)];
    let mut best = (slot, f64::INFINITY);
    for arc in grain + 1..grain + 1 + count {
        let at = crossing::motion(&world.shapes, &world.grains, arc as usize);
        let before = at.position - at.velocity * world.clock.step;
        let Some(probe) = boundary.probe(surface, pose, before) else {
            continue;
        };
        let normal = pose.vector_from_frame(probe.normal);
        let depth = world.grains.arrays.radius(arc as usize) - probe.distance;
        if world.shapes.lies(arc, -normal) == 0 && depth < best.1 {
            best = (arc, depth);
        }
    }
    best.0
}

/// Among the arcs of a grain that face a surface the one with the least depth; if none faces it,
/// one that does not touch it.
fn least_deep<D: Integrate>(world: &World<D>, surface: (u16, u32), face: Face, time: f64) -> u32 {
    let Some((grain, count)) = face.arcs else {
        return face.slot;
    };
    let mut best = (face.slot, [f64::INFINITY; 2]);
    for slot in grain + 1..grain + 1 + count {
        let depth = depth(world, surface, slot);
        let normal = wall_normal(
            &world.shapes,
            &world.walls,
            &world.grains,
            surface,
            grain,
            slot,
            time,
        );
        // Arcs on the far side of the grain pass too, with a large depth.
        let faces = depth <= finest(&world.shapes, &world.grains, slot)
            && normal.is_some_and(|n| world.shapes.lies(slot, -n) == 0);
        let rank = [
            f64::from(u8::from(!faces || depth == f64::NEG_INFINITY)),
            depth,
        ];
        if rank < best.1 {
            best = (slot, rank);
        }
    }
    best.0
}

/// Normal of a curved or moving surface, at the arc of a grain.
fn wall_normal<D: Integrate>(
    shapes: &Shapes<D>,
    walls: &Walls<D>,
    grains: &Grains<D>,
    (boundary, surface): (u16, u32),
    grain: u32,
    slot: u32,
    time: f64,
) -> Option<D::Vector> {
    let boundary = &walls.boundaries[usize::from(boundary)];
    let pose = boundary.boundary.motion.pose(time);
    let to_frame = |x: D::Vector| boundary.to_frame(surface, &pose, x);
    let surface = boundary.surface(surface);
    let arrays = &grains.arrays;
    let flat = surface.flat(to_frame(arrays.position(grain as usize)));
    let normal = match flat {
        Some(flat) => flat.normal,
        None => {
            surface
                .probe(to_frame(arcs::centre(shapes, grains, slot)))?
                .normal
        }
    };
    Some(pose.vector_from_frame(normal))
}

/// The slots with which two bodies face each other now: arcs for grains of arcs; other slots are
/// unchanged.
pub(super) fn faced<D: Integrate>(world: &World<D>, [a, b]: [u32; 2], touch: bool) -> [u32; 2] {
    if !arcs::has_arcs(&world.shapes, &world.grains) {
        return [a, b];
    }
    opposite(
        world,
        [
            face(&world.shapes, &world.grains, a),
            face(&world.shapes, &world.grains, b),
        ],
        touch,
    )
}

/// Converts links in contact, of pairs and with walls, to the slots of candidates, for storage in the lists.
pub(super) fn keep_as_candidates<D: Integrate>(
    shapes: &Shapes<D>,
    grains: &Grains<D>,
    pairs: &mut [Vec<ContactHistory>],
    at_walls: &mut [(WallName, ContactHistory)],
) {
    if !arcs::has_arcs(shapes, grains) {
        return;
    }
    for link in pairs.iter_mut().flatten() {
        link.a = bodies::candidate(shapes, grains, link.a);
        link.b = bodies::candidate(shapes, grains, link.b);
    }
    for (_, link) in at_walls {
        link.a = bodies::candidate(shapes, grains, link.a);
    }
}

/// The next arc in the given direction.
fn stepped(face: Face, way: i32) -> Face {
    let Some((grain, count)) = face.arcs else {
        return face;
    };
    let part = (face.slot - grain - 1 + count).wrapping_add_signed(way) % count;
    Face {
        slot: grain + 1 + part,
        ..face
    }
}
