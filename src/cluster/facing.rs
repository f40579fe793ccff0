//! Which arc of a grain faces which body.
//!
//! A convex grain of arcs touches another in one place, by the arcs whose normals there are opposite.
//! A lane of the lists names these two arcs, so that the kernel sees the two circles that touch; before
//! each evaluation it is looked whether the line of their centres still passes through both, and if not, one
//! goes on to the next arc (Potapov and Campbell 1998). What the link remembers stays with the lane:
//! where arcs join, normals and so forces go over into each other.

use super::arrays::Status;
use super::engine::Engine;
use super::integrate::Integrate;
use crate::geometry::Vector;
use crate::geometry::surface::Surface;

fn cross<V: Vector>(a: V, b: V) -> f64 {
    a[0] * b[1] - a[1] * b[0]
}

/// Where a direction lies from an arc: before its beginning, within, after its end. Arcs open by less
/// than half a turn.
fn side<V: Vector>([begin, end]: [V; 2], direction: V) -> i32 {
    // Joints belong to both: what rounding leaves there must not send one to and fro.
    const HAIR: f64 = -1e-14;
    let (after, before) = (cross(begin, direction), cross(direction, end));
    if after >= HAIR && before >= HAIR {
        return 0;
    }
    // Beyond: the nearer way.
    if direction.dot(&begin) > direction.dot(&end) {
        -1
    } else {
        1
    }
}

/// A body as one that faces others.
#[derive(Clone, Copy)]
struct Face {
    /// Slot that the lane names.
    slot: u32,
    /// Of a grain of arcs: its slot, and the number of arcs.
    arcs: Option<(u32, u32)>,
}

impl<D: Integrate> Engine<D> {
    /// Whether there is a grain of arcs.
    pub(super) fn has_arcs(&self) -> bool {
        D::N == 2 && self.forms.iter().any(|form| form.arcs) && !self.state.bodies.list.is_empty()
    }

    fn face(&self, slot: u32) -> Face {
        let arcs = self.state.bodies.of(slot).and_then(|index| {
            let body = &self.state.bodies.list[index];
            let form = &self.forms[usize::from(body.form)];
            form.arcs.then_some((body.slot, u32::from(body.parts)))
        });
        Face { slot, arcs }
    }

    /// Lets every lane with a grain of arcs name the arcs that face each other now.
    pub(super) fn find_faces(&mut self) {
        if !self.has_arcs() {
            return;
        }
        for class in 0..self.state.pairs.len() {
            let mut lists = std::mem::take(&mut self.state.pairs[class].lists);
            for (batch, flags) in lists.batches.iter_mut().zip(&lists.flags) {
                for lane in 0..batch.a.len() {
                    if batch.a[lane] == batch.b[lane] {
                        continue;
                    }
                    let touch = flags.touch >> lane & 1 == 1;
                    if self.faces_still(batch.a[lane], batch.b[lane], touch) {
                        continue;
                    }
                    let faces = [self.face(batch.a[lane]), self.face(batch.b[lane])];
                    [batch.a[lane], batch.b[lane]] = self.opposite(faces, touch);
                }
            }
            self.state.pairs[class].lists = lists;
        }
        let time = self.time();
        for class in 0..self.state.walls.len() {
            let mut lists = std::mem::take(&mut self.state.walls[class].lists);
            for batch in &mut lists.batches {
                for lane in 0..batch.a.len() {
                    if batch.a[lane] != 0 {
                        batch.a[lane] = self.facing_wall(class, batch.a[lane], time);
                    }
                }
            }
            self.state.walls[class].lists = lists;
        }
    }

    fn between(&self, a: u32, b: u32) -> D::Vector {
        let arrays = &self.state.arrays;
        self.shortest(arrays.position(a as usize) - arrays.position(b as usize))
    }

    /// Where a direction lies from the arc of a slot; always within a part of a clump.
    #[inline]
    fn lies(&self, slot: u32, direction: D::Vector) -> i32 {
        let arrays = &self.state.arrays;
        if arrays.status[slot as usize] != Status::Part {
            return 0;
        }
        let state = &arrays.state[slot as usize].0;
        let end = |first: usize| D::Vector::from_fn(|k| state[first + k]);
        side([end(0), end(4)], direction)
    }

    /// Whether a pair of slots that faced each other at the last evaluation still does: nothing is to be
    /// looked for.
    #[inline]
    fn faces_still(&self, a: u32, b: u32, touch: bool) -> bool {
        if self.periodic.iter().any(Option::is_some) {
            return false;
        }
        let arrays = &self.state.arrays;
        let line = arrays.position(a as usize) - arrays.position(b as usize);
        let (ra, rb) = (arrays.radius(a as usize), arrays.radius(b as usize));
        let whole = |slot: u32| {
            arrays.status[slot as usize] != Status::Part && self.state.bodies.of(slot).is_some()
        };
        if whole(a) || whole(b) {
            return !touch && line.norm_squared() >= (ra + rb) * (ra + rb);
        }
        if self.lies(a, -line) != 0 || self.lies(b, line) != 0 {
            return false;
        }
        let least = ra + rb - self.finest(a) - self.finest(b);
        line.norm_squared() >= least * least || least <= 0.0
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

    /// The slots of the two arcs that face each other; those of the whole grains where their circles are
    /// apart.
    fn opposite(&self, [mut a, mut b]: [Face; 2], touch: bool) -> [u32; 2] {
        let whole = |face: Face| face.arcs.map_or(face.slot, |(grain, _)| grain);
        let (first, second) = (whole(a), whole(b));
        if a.arcs.is_none() && b.arcs.is_none() {
            return [first, second];
        }
        let arrays = &self.state.arrays;
        if !touch {
            let reach = arrays.radius(first as usize) + arrays.radius(second as usize);
            if self.between(first, second).norm_squared() >= reach * reach {
                return [first, second];
            }
        }
        if a.slot == first || b.slot == second {
            let line = self.between(first, second);
            a = self.facing(a, -line);
            b = self.facing(b, line);
        }
        let count = |face: Face| face.arcs.map_or(0, |(_, count)| count);
        for _ in 0..2 * (count(a) + count(b)) {
            // From the second to the first.
            let line = self.apart(a, b, first, second);
            let sides = [self.lies(a.slot, -line), self.lies(b.slot, line)];
            if sides == [0, 0] {
                // Arcs on the far sides pass this test too, and overlap by a lot. A circle of the smallest
                // radii of both rolls freely inside the sum of the one and the mirrored other
                // (Blaschke 1916): no other pair is nearer than one with less overlap than that.
                let radius = |face: Face| self.state.arrays.radius(face.slot as usize);
                if radius(a) + radius(b) - line.norm() <= self.finest(a.slot) + self.finest(b.slot)
                {
                    return [a.slot, b.slot];
                }
                break;
            }
            a = stepped(a, sides[0]);
            b = stepped(b, sides[1]);
        }
        self.nearest(a, b, first, second)
    }

    /// Radius of the smallest arc of the grain of a slot, m; its own where it is no arc.
    #[inline]
    fn finest(&self, slot: u32) -> f64 {
        let arrays = &self.state.arrays;
        match arrays.status[slot as usize] {
            Status::Part => arrays.state[slot as usize].0[6],
            _ => arrays.radius(slot as usize),
        }
    }

    /// From the circle of the second to that of the first. Grains are brought next to each other as
    /// wholes: centres of flat arcs may lie far outside of them.
    fn apart(&self, a: Face, b: Face, first: u32, second: u32) -> D::Vector {
        let arrays = &self.state.arrays;
        let arm = |face: Face, whole: u32| {
            arrays.position(face.slot as usize) - arrays.position(whole as usize)
        };
        self.between(first, second) + arm(a, first) - arm(b, second)
    }

    /// Of all pairs of arcs that face each other the one with the least overlap; the present one where
    /// none does.
    fn nearest(&self, a: Face, b: Face, first: u32, second: u32) -> [u32; 2] {
        let all = |face: Face| {
            let range = match face.arcs {
                Some((grain, count)) => grain + 1..grain + 1 + count,
                None => face.slot..face.slot + 1,
            };
            range.map(move |slot| Face { slot, ..face })
        };
        let arrays = &self.state.arrays;
        let mut best = ([a.slot, b.slot], f64::INFINITY);
        for a in all(a) {
            for b in all(b) {
                let line = self.apart(a, b, first, second);
                if self.lies(a.slot, -line) != 0 || self.lies(b.slot, line) != 0 {
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

    /// The slot of the arc that faces a wall.
    fn facing_wall(&self, class: usize, slot: u32, time: f64) -> u32 {
        let mut face = self.face(slot);
        let Some((grain, count)) = face.arcs else {
            return slot;
        };
        let wall = &self.state.walls[class];
        if let Some(flat) = &wall.flat {
            return self.facing(face, -flat.normal).slot;
        }
        if face.slot == grain {
            face.slot = grain + 1;
        }
        for _ in 0..2 * count {
            // The zone of a corner need not hold the centre of this arc.
            let Some(normal) = self.wall_normal(class, grain, face.slot, time) else {
                break;
            };
            match self.lies(face.slot, -normal) {
                // As for pairs: arcs on the far side pass too, and lie deep.
                0 if self.depth(class, face.slot) <= self.finest(face.slot) => return face.slot,
                0 => break,
                way => face = stepped(face, way),
            }
        }
        self.least_deep(class, face, time)
    }

    /// How deep an arc lies in a surface, m; below 0 apart, without end where the surface is not met.
    fn depth(&self, class: usize, slot: u32) -> f64 {
        let contact = self.wall_kinematics(class, slot);
        contact.map_or(f64::NEG_INFINITY, |contact| contact.overlap)
    }

    /// Of the arcs of a grain that face a surface the one that lies least deep in it; where none faces it,
    /// one that does not touch it.
    fn least_deep(&self, class: usize, face: Face, time: f64) -> u32 {
        let Some((grain, count)) = face.arcs else {
            return face.slot;
        };
        let mut best = (face.slot, [f64::INFINITY; 2]);
        for slot in grain + 1..grain + 1 + count {
            let depth = self.depth(class, slot);
            let normal = self.wall_normal(class, grain, slot, time);
            let faces = normal.is_some_and(|n| self.lies(slot, -n) == 0);
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

    /// Normal of a surface that is round or moves, at the arc of a grain.
    fn wall_normal(&self, class: usize, grain: u32, slot: u32, time: f64) -> Option<D::Vector> {
        let wall = &self.state.walls[class];
        let boundary = &self.boundaries[usize::from(wall.boundary)];
        let surface = &boundary.surfaces[wall.surface as usize];
        let pose = boundary.boundary.motion.pose(time);
        let arrays = &self.state.arrays;
        let flat = surface.flat(pose.to_frame(arrays.position(grain as usize)));
        let normal = match flat {
            Some(flat) => flat.normal,
            None => {
                surface
                    .probe(pose.to_frame(arrays.position(slot as usize)))?
                    .normal
            }
        };
        Some(pose.vector_from_frame(normal))
    }

    /// Links in touch between bodies, one of which is a grain of arcs: for the lists' keeping.
    pub(super) fn keep_as_candidates(&self, links: &mut [super::lists::Kept], pairs: bool) {
        if !self.has_arcs() {
            return;
        }
        for link in links {
            link.a = self.candidate(link.a);
            if pairs {
                link.b = self.candidate(link.b);
            }
        }
    }
}

/// The arc beside that of a face.
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
