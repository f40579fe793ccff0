//! Contacts that begin or end because a grain comes to face the next piece of a wall, not because the two meet or separate.
//!
//! At a concave corner of a chain, and where the pieces of a wall do not join smoothly, the force of a piece appears or disappears
//! from one step to the next, and with it the energy of its normal spring, which the wall supplies or takes. If a grain has the same
//! overlap with two pieces at some moment of that step, the transition is smooth, and no energy is exchanged.

use super::dem::{Work, law_of};
use super::integrate::Integrate;
use super::kernel::Change;
use super::state::Book;
use super::world::{Contacts, Walls, World};
use super::{bodies, crossing, facing, kinematics};
use crate::contact::{Law, with_law};
use crate::geometry::surface::Surface;

/// A grain at the boundary of the region of a piece.
#[derive(Clone, Copy, Debug)]
pub(super) struct AtBound {
    /// Class of walls.
    pub class: usize,
    /// Slot of the grain.
    pub slot: u32,
    /// Whether it faces the piece now; otherwise it did a step ago.
    pub faces: bool,
    /// Overlaps with the piece a step ago and now, disregarding its region, m.
    pub overlaps: [f64; 2],
    /// Curvature of the piece there, 1/m.
    pub curvature: f64,
}

impl AtBound {
    /// Whether the grain had the same overlap with this piece and another at some moment of the step.
    fn meets(&self, other: &AtBound) -> bool {
        let [before, now] = [0, 1].map(|k| self.overlaps[k] - other.overlaps[k]);
        before * now <= 0.0
    }
}

/// Whether links of a class may begin or end at the boundaries of pieces.
pub(super) fn has_pieces<D: Integrate>(
    walls: &Walls<D>,
    contacts: &Contacts<D>,
    class: usize,
) -> bool {
    let boundary = usize::from(contacts.walls[class].boundary);
    walls.boundaries[boundary].surfaces.len() > 1
}

/// Collects links of a class that began or ended in the last evaluation, at a time (s), at the boundary of a piece.
pub(super) fn note_bounds<D: Integrate>(
    world: &World<D>,
    work: &Work<D>,
    class: usize,
    time: f64,
    found: &mut Vec<AtBound>,
) {
    for change in &work.changed {
        note_bounds_of(world, class, change, time, found);
    }
}

fn note_bounds_of<D: Integrate>(
    world: &World<D>,
    class: usize,
    change: &Change,
    time: f64,
    found: &mut Vec<AtBound>,
) {
    let wall = &world.contacts.walls[class];
    let batch = wall.lists.batches[change.batch as usize];
    let boundary = &world.walls.boundaries[usize::from(wall.boundary)];
    let motion = &boundary.boundary.motion;
    let poses = [time - world.clock.step, time].map(|time| motion.pose(time));
    let changed = change.before.touch ^ change.after.touch;
    for lane in (0..8).filter(|lane| changed >> lane & 1 == 1) {
        let [slot, surface] = batch.of(lane);
        let faces = change.after.touch >> lane & 1 == 1;
        // Where a grain of arcs does not face the piece any more, its lane has an arc that touches nothing.
        let slot = match faces {
            true => slot,
            false => facing::faced_before(world, (wall.boundary, surface), slot, &poses[0]),
        };
        let at = crossing::motion(&world.shapes, &world.grains, slot as usize);
        let radius = world.grains.arrays.radius(slot as usize);
        let ball = kinematics::law_radius(&world.shapes, &world.grains, slot as usize);
        let places = [at.position - at.velocity * world.clock.step, at.position];
        let curvatures = [0, 1].map(|k| {
            let probe = boundary.probe(surface, &poses[k], places[k])?;
            Some(boundary.curvature(surface, &poses[k], places[k], &probe, ball))
        });
        let overlaps = [0, 1].map(|k| {
            let x = boundary.to_frame(surface, &poses[k], places[k]);
            radius - boundary.surface(surface).distance_bound(x)
        });
        let grain = bodies::candidate(&world.shapes, &world.grains, slot);
        let is_arc = grain != slot;
        let touching = usize::from(faces);
        let other = 1 - touching;
        // An arc need not have left the region of the piece: another one may face it, or none.
        if overlaps[other] <= 0.0 || (curvatures[other].is_some() && !is_arc) {
            continue;
        }
        let known = curvatures[touching].or((is_arc || !faces).then_some(0.0));
        let Some(curvature) = known else { continue };
        found.push(AtBound {
            class,
            // Arcs of one grain may follow each other.
            slot: grain,
            faces,
            overlaps,
            curvature,
        });
    }
}

/// Accounts for the energy of normal springs gained at the boundaries of pieces as work of walls.
pub(super) fn give_at_bounds<D: Integrate>(world: &World<D>, book: &mut Book, found: Vec<AtBound>) {
    let (begun, mut ended): (Vec<AtBound>, Vec<AtBound>) =
        found.into_iter().partition(|at| at.faces);
    for begun in begun {
        let boundary = |at: &AtBound| world.contacts.walls[at.class].boundary;
        let same = |at: &AtBound| at.slot == begun.slot && boundary(at) == boundary(&begun);
        match ended.iter().position(same) {
            Some(place) => {
                let ended = ended.swap_remove(place);
                give(
                    &world.contacts,
                    book,
                    begun.class,
                    between_pieces(world, &ended, &begun),
                );
            }
            None => give(&world.contacts, book, begun.class, stored_at(world, &begun)),
        }
    }
    for ended in ended {
        give(
            &world.contacts,
            book,
            ended.class,
            -stored_at(world, &ended),
        );
    }
}

/// Energy that the wall supplies to a grain that passes from one of its pieces to another, J.
pub(super) fn between_pieces<D: Integrate>(world: &World<D>, from: &AtBound, to: &AtBound) -> f64 {
    if from.meets(to) {
        return 0.0;
    }
    stored_at(world, to) - stored_at(world, from)
}

/// Present energy of the normal spring, J.
fn stored_at<D: Integrate>(world: &World<D>, at: &AtBound) -> f64 {
    let wall = &world.contacts.walls[at.class];
    let boundary = &world.walls.boundaries[usize::from(wall.boundary)];
    let law = law_of(
        &world.physics.known_laws,
        wall.material,
        boundary.boundary.material,
    );
    let ball = kinematics::law_radius(&world.shapes, &world.grains, at.slot as usize);
    let radius = ball / (1.0 + at.curvature * ball);
    with_law!(law, law => law.stored(at.overlaps[1], radius, 0.0))
}

/// Accounts for an energy supplied by a wall, J.
pub(super) fn give<D: Integrate>(
    contacts: &Contacts<D>,
    book: &mut Book,
    class: usize,
    energy: f64,
) {
    let boundary = usize::from(contacts.walls[class].boundary);
    book.flows.walls += energy;
    book.wall_sums[boundary][6] += energy;
}
