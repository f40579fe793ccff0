//! Contacts that pass from one piece of a mesh to the next: a grain that rolls over a ridge keeps its spring.

use super::integrate::Integrate;
use super::kernel::WallLanes;
use super::lists::{History, Lists, Remembered};
use super::piece_bounds;
use super::piece_bounds::AtBound;
use super::state::Book;
use super::world::World;
use crate::geometry::surface::Surface;
use crate::vector::LANES;

/// Fraction of the radius by which the distances of two pieces may differ where one ends and the other
/// begins: more than the displacement of a grain in a step, less than the distance of separate pieces.
const NEXT: f64 = 0.01;

/// Before an evaluation: transfers links of a class of a mesh whose grain has left the region of
/// the piece that it touched to the piece whose region it has entered, as if both were the same.
pub(super) fn pass_on<D: Integrate>(
    world: &mut World<D>,
    book: &mut Book,
    class: usize,
    lanes: &[WallLanes],
    time: f64,
) {
    let wall = &mut world.contacts.walls[class];
    let boundary = &world.walls.boundaries[usize::from(wall.boundary)];
    let arrays = &world.grains.arrays;
    let lists = &mut wall.lists;
    let step = world.clock.step;
    let mut passed = Vec::new();
    for batch in 0..lists.batches.len() {
        let mut left = lists.flags[batch].touch & !faced(&lanes[batch]);
        while left != 0 {
            let lane = left.trailing_zeros() as usize;
            left &= left - 1;
            let [slot, surface] = lists.batches[batch].of(lane);
            let pose = boundary.boundary.motion.pose(time);
            let x = boundary.to_frame(surface, &pose, arrays.position(slot as usize));
            let radius = arrays.radius(slot as usize);
            let ended = boundary.surface(surface).distance_bound(x);
            if let Some(to) = next(lists, lanes, (batch, lane), ended, radius) {
                hand_over(lists, (batch, lane), to);
                let curvature = lanes[to.0].curvature.0[to.1];
                let came_from =
                    arrays.position(slot as usize) - arrays.velocity(slot as usize) * step;
                let then = boundary.boundary.motion.pose(time - step);
                let bound = |surface: u32, faces: bool, now: f64| {
                    let x = boundary.to_frame(surface, &then, came_from);
                    let before = boundary.surface(surface).distance_bound(x);
                    AtBound {
                        class,
                        slot,
                        faces,
                        overlaps: [radius - before, radius - now],
                        curvature,
                    }
                };
                let other = lists.batches[to.0].of(to.1)[1];
                let reached = lanes[to.0].distance.0[to.1];
                passed.push([bound(surface, false, ended), bound(other, true, reached)]);
            }
        }
    }
    let given = passed
        .iter()
        .map(|[from, to]| piece_bounds::between_pieces(world, from, to));
    let given: f64 = given.sum::<f64>();
    if given != 0.0 {
        piece_bounds::give(&world.contacts, book, class, given);
    }
}

/// Lanes whose grains are in the regions of their pieces.
fn faced(lanes: &WallLanes) -> u8 {
    let faced = |k: &usize| lanes.distance.0[*k] < 1e300;
    (0..LANES).filter(faced).fold(0, |bits, k| bits | 1 << k)
}

/// The lane of the same grain that begins to touch where a piece ends, at that distance; of several the nearest.
fn next(
    lists: &Lists<impl History>,
    lanes: &[WallLanes],
    (batch, lane): (usize, usize),
    ended: f64,
    radius: f64,
) -> Option<(usize, usize)> {
    let from = batch * LANES + lane;
    let split = |place: usize| (place / LANES, place % LANES);
    // The candidates of a grain are adjacent, as in the outer list.
    let same = |place: &usize| {
        let (i, k) = split(*place);
        lists.batches[i].a[k] == lists.batches[batch].a[lane]
    };
    let after = (from + 1..lists.batches.len() * LANES).take_while(same);
    let before = (0..from).rev().take_while(same);
    let mut best = (NEXT * radius, None);
    for place in after.chain(before) {
        let (i, k) = split(place);
        let distance = lanes[i].distance.0[k];
        let off = (distance - ended).abs();
        if lists.flags[i].touch >> k & 1 == 0 && distance < radius && off < best.0 {
            best = (off, Some((i, k)));
        }
    }
    best.1
}

/// Moves the contact history of a link to another lane.
fn hand_over<H: History>(lists: &mut Lists<H>, from: (usize, usize), to: (usize, usize)) {
    let spring = lists.history[from.0].lane(from.1);
    lists.history[from.0].set_lane(from.1, [0.0; 3]);
    lists.history[to.0].set_lane(to.1, spring);
    let slips = lists.flags[from.0].slip >> from.1 & 1;
    lists.flags[from.0].touch &= !(1 << from.1);
    lists.flags[from.0].slip &= !(1 << from.1);
    lists.flags[to.0].touch |= 1 << to.1;
    lists.flags[to.0].slip |= slips << to.1;
    lists.calm[to.0][to.1] = std::mem::take(&mut lists.calm[from.0][from.1]);
    let remembered = lists.memory_of(from.0, from.1);
    lists.set_memory(from.0, from.1, &Remembered::default());
    lists.set_memory(to.0, to.1, &remembered);
}
