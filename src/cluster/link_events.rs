//! Link events of an evaluation: counted, accounted for and, if requested, logged.

use super::dem::Work;
use super::integrate::Integrate;
use super::kernel::Change;
use super::kinematics::Kinematics;
use super::lists::each_link;
use super::state::{Book, Effects, LinkEvent, Other};
use super::world::{Clock, World};
use super::{crossing, kinematics, observe};
use crate::event::EventKind;

/// Checks which links are at rest (thesis eq. 5.10) and counts for how long; to be called every
/// `look_every` steps.
pub fn look<D: Integrate>(world: &mut World<D>, book: &mut Book, effects: &mut Effects<D>) {
    let bound = world.physics.options.stable_speed;
    let looks = world.physics.options.looks;
    let time = world.clock.time();
    let mut stabilized = Vec::new();
    for class in 0..world.contacts.pairs.len() {
        let mut lists = std::mem::take(&mut world.contacts.pairs[class].lists);
        each_link(&lists.flags, |i, k| {
            let (a, b) = (lists.batches[i].a[k], lists.batches[i].b[k]);
            let slips = lists.flags[i].slip >> k & 1 == 1;
            let rest = !slips && {
                let kin = kinematics::pair_kinematics(world, a, b);
                kin.speed.abs() + observe::size(kin.sliding) < bound
            };
            if grown(&mut lists.calm[i][k], rest, looks) && !world.grains.is_ghost(a) {
                stabilized.push((a, Other::Slot(b)));
            }
        });
        world.contacts.pairs[class].lists = lists;
    }
    for class in 0..world.contacts.walls.len() {
        let mut lists = std::mem::take(&mut world.contacts.walls[class].lists);
        let boundary = world.contacts.walls[class].boundary;
        each_link(&lists.flags, |i, k| {
            let a = lists.batches[i].a[k];
            let slips = lists.flags[i].slip >> k & 1 == 1;
            let rest = !slips
                && kinematics::wall_kinematics(world, class, lists.batches[i].of(k))
                    .is_some_and(|kin| kin.speed.abs() + observe::size(kin.sliding) < bound);
            if grown(&mut lists.calm[i][k], rest, looks) {
                stabilized.push((a, Other::Boundary(boundary)));
            }
        });
        world.contacts.walls[class].lists = lists;
    }
    book.counts.stabilized += stabilized.len() as u64;
    if world.physics.options.log_links {
        for (a, b) in stabilized {
            effects.link_events.push(LinkEvent {
                kind: EventKind::StabilizeLink,
                time,
                a,
                b,
                energy: f64::NAN,
            });
        }
    }
}

/// Accounts for the changes of the last evaluation of a wall class.
pub(super) fn note_walls<D: Integrate>(
    world: &mut World<D>,
    work: &Work<D>,
    book: &mut Book,
    effects: &mut Effects<D>,
    class: usize,
    time: f64,
) {
    for index in 0..work.changed.len() {
        let change = work.changed[index];
        let wall = &mut world.contacts.walls[class];
        let batch = wall.lists.batches[change.batch as usize];
        let boundary = wall.boundary;
        for k in lanes_of(change.before.touch & !change.after.touch) {
            wall.lists.calm[change.batch as usize][k] = 0;
        }
        count(book, &change);
        if world.physics.options.log_links {
            for k in 0..8 {
                let kinds = kinds(&change, k);
                if kinds == [None, None] {
                    continue;
                }
                let (a, b) = (batch.a[k], Other::Boundary(boundary));
                let Some(kin) = kinematics::wall_kinematics(world, class, batch.of(k)) else {
                    // At the end of a surface the time of separation within the step is unknown.
                    log_at(effects, kinds, time, a, b);
                    continue;
                };
                let crossed = match kinds[1] {
                    Some(kind) => {
                        crossing::wall_crossed(world, work, class, &change, k, kind, &kin)
                    }
                    None => 0.0,
                };
                log(&world.clock, effects, kinds, &kin, crossed, time, a, b);
            }
        }
    }
}

pub(super) fn count(book: &mut Book, change: &Change) {
    let (before, after) = (change.before, change.after);
    let counts = &mut book.counts;
    counts.opened += u64::from((after.touch & !before.touch).count_ones());
    counts.closed += u64::from((before.touch & !after.touch).count_ones());
    for k in lanes_of(after.touch & !before.touch) {
        // The approach energy of contacts between two moving walls is infinite.
        if change.approach.0[k].is_finite() {
            book.flows.met += change.approach.0[k];
        }
    }
    counts.slipped += u64::from((after.slip & !before.slip).count_ones());
    counts.gripped += u64::from((before.slip & !after.slip & after.touch).count_ones());
}

/// Logs the events of one link. The time of contact and of separation is that at which the gap
/// closed, at the present normal speed; that of slip or grip is `crossed` seconds ago, but never
/// before the contact.
pub(super) fn log<D: Integrate>(
    clock: &Clock,
    effects: &mut Effects<D>,
    kinds: [Option<EventKind>; 2],
    kin: &Kinematics<D>,
    crossed: f64,
    time: f64,
    a: u32,
    b: Other,
) {
    let h = clock.step;
    let contact = (kin.overlap / -kin.speed).clamp(0.0, h);
    let opened = kinds[0] == Some(EventKind::InsertLink);
    for kind in kinds.into_iter().flatten() {
        let back = match kind {
            EventKind::InsertLink => contact,
            EventKind::RemoveLink => (-kin.overlap / kin.speed).clamp(0.0, h),
            _ if opened => contact.min(crossed),
            _ => crossed,
        };
        let back = if back.is_nan() { 0.0 } else { back };
        let energy = if kind == EventKind::InsertLink {
            0.5 * kin.speed * kin.speed / kin.inverse_mass
        } else {
            f64::NAN
        };
        effects.link_events.push(LinkEvent {
            kind,
            time: time - back,
            a,
            b,
            energy,
        });
    }
}

/// The same for a link without geometry: logs the events at the given time.
pub(super) fn log_at<D: Integrate>(
    effects: &mut Effects<D>,
    kinds: [Option<EventKind>; 2],
    time: f64,
    a: u32,
    b: Other,
) {
    let event = |kind| LinkEvent {
        kind,
        time,
        a,
        b,
        energy: f64::NAN,
    };
    effects
        .link_events
        .extend(kinds.into_iter().flatten().map(event));
}

pub(super) fn lanes_of(bits: u8) -> impl Iterator<Item = usize> {
    (0..8).filter(move |k| bits >> k & 1 == 1)
}

/// Counts checks at rest up to the number that makes a link stable; returns true when it has just become stable.
pub(super) fn grown(calm: &mut u8, rest: bool, looks: u8) -> bool {
    if !rest {
        *calm = 0;
        return false;
    }
    let before = *calm;
    *calm = (*calm + 1).min(looks);
    before + 1 == looks
}

/// Events in a lane: formation or end of the link, and slip or grip.
pub(super) fn kinds(change: &Change, k: usize) -> [Option<EventKind>; 2] {
    let bit = |x: u8| x >> k & 1 == 1;
    let (before, after) = (change.before, change.after);
    let link = match (bit(before.touch), bit(after.touch)) {
        (false, true) => Some(EventKind::InsertLink),
        (true, false) => Some(EventKind::RemoveLink),
        _ => None,
    };
    let slip = match (bit(before.slip), bit(after.slip)) {
        (false, true) => Some(EventKind::SlipLink),
        (true, false) if bit(after.touch) => Some(EventKind::GripLink),
        _ => None,
    };
    [link, slip]
}
