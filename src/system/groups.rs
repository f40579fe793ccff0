//! Rest groups: connected parts of the grains that stand still, each with its own load and its own entry in the queue.
//!
//! A group is asked for when something may have come to it: stepped grains press on it, or its last solve left something. Then its entry comes a
//! while after that solve; what nobody touches is not solved for. Links of grains that stand still know the groups: they merge at once, and are split
//! when somebody asks. Labels of groups are of the moment, so that an entry names a grain, and means the group that this one is of when it comes.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::System;
use super::schedule::{Schedule, Source};
use crate::body::GrainId;
use crate::cluster::World;
use crate::cluster::integrate::Integrate;
use crate::event::EventKind;

/// Groups that are to be carried at the next look.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct RestGroups {
    /// A grain of each, by number, as their entries came.
    asked: Vec<GrainId>,
}

impl RestGroups {
    /// The entry of a grain has come.
    pub fn come(&mut self, grain: GrainId) {
        self.asked.push(grain);
    }
}

/// What is known of a group while it is looked for.
struct Found {
    /// When its loads were carried last, s.
    last: f64,
    /// The least number of its grains that are near to stepped ones.
    grain: GrainId,
    /// Whether it has an entry.
    waits: bool,
}

/// Labels of the groups whose loads are to be carried now, ascending. Those that stepped grains are near to have entries then, for when they have waited
/// for so long, s.
pub(super) fn asked<D: Integrate>(system: &mut System<D>, every: f64) -> Vec<u32> {
    let world = &mut system.dem.world;
    world.sleeping.still.pairs.find_groups();
    let still = &world.sleeping.still;
    let now = world.clock.time();
    let schedule = &mut system.s.schedule;
    let entry = |grain: GrainId| Source::Rest(grain);
    let mut known: Vec<(u32, f64)> = Vec::new();
    let mut near: BTreeMap<u32, Found> = BTreeMap::new();
    for &slot in &still.rim {
        let grain = world.grains.arrays.id[slot as usize];
        let waits = schedule.time_of(entry(grain)).is_some();
        let mut last = still.carried[slot as usize];
        if last == f64::NEG_INFINITY {
            // It came since.
            let group = still.pairs.group(slot);
            last = group
                .map(|slot| still.carried[slot as usize])
                .fold(last, f64::max);
            known.push((slot, last));
        }
        let found = near.entry(still.pairs.group_of(slot)).or_insert(Found {
            last,
            grain,
            waits: false,
        });
        found.last = found.last.max(last);
        found.grain = found.grain.min(grain);
        found.waits |= waits;
    }
    for (slot, last) in known {
        world.sleeping.still.carried[slot as usize] = last;
    }
    let mut labels = of_grains(world, std::mem::take(&mut system.s.rest.groups.asked));
    for (label, found) in near {
        if now - found.last >= every {
            schedule.cancel(entry(found.grain));
            labels.push(label);
        } else if !found.waits {
            let time = found.last + every;
            schedule.set(entry(found.grain), time, EventKind::AnalyzeInternalForces);
        }
    }
    labels.sort_unstable();
    labels.dedup();
    labels
}

/// Labels of the groups of some grains, of those that stand still.
fn of_grains<D: Integrate>(world: &World<D>, mut grains: Vec<GrainId>) -> Vec<u32> {
    if grains.is_empty() {
        return Vec::new();
    }
    grains.sort_unstable();
    let id = &world.grains.arrays.id;
    let standing = world.grains.standing().into_iter();
    let asked = standing.filter(|&slot| grains.binary_search(&id[slot as usize]).is_ok());
    asked
        .map(|slot| world.sleeping.still.pairs.group_of(slot))
        .collect()
}

/// The group of a slot, whose loads have just been carried and left something there, comes again.
pub(super) fn come_again<D: Integrate>(
    world: &World<D>,
    schedule: &mut Schedule,
    slot: u32,
    every: f64,
) {
    let source = Source::Rest(world.grains.arrays.id[slot as usize]);
    let time = world.clock.time() + every;
    schedule.set(source, time, EventKind::AnalyzeInternalForces);
}
