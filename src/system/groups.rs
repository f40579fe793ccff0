//! Rest groups: connected parts of the grains at rest, each with its own load and its own entry in the queue.
//!
//! A solve is requested for a group when its load may have changed: stepped grains are near, gravity or fields change, or its last solve left a
//! residual; a group that nothing touches is not solved. Entries are due at instants that all groups share, `carry_every` apart, so that
//! requested groups are solved together: after a solve no grain can be put to rest at the same check, and groups out of phase would cause
//! a solve at nearly every check. Links of grains at rest know the groups: groups merge at once, and are split on request. Labels of groups
//! are temporary, so that an entry names a grain, and stands for the group of this grain when it is due.

use serde::{Deserialize, Serialize};

use super::schedule::{Schedule, Source};
use super::{System, perturb};
use crate::body::GrainId;
use crate::cluster::World;
use crate::cluster::integrate::Integrate;
use crate::event::EventKind;

/// Groups to be solved at the next check.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct RestGroups {
    /// Number of a grain of each, in the order in which their entries were due.
    asked: Vec<GrainId>,
}

/// Groups to be solved.
#[derive(Clone, Debug)]
pub(super) enum Asked {
    /// All grains at rest, in whole groups.
    All,
    /// Groups by their labels in order; a group is solved as a whole where its load is due.
    Some(Vec<u32>),
}

impl Asked {
    /// Returns whether there is no group.
    pub fn is_nobody(&self) -> bool {
        matches!(self, Asked::Some(labels) if labels.is_empty())
    }
}

impl RestGroups {
    /// Adds the grain of an entry that is due.
    pub fn come(&mut self, grain: GrainId) {
        self.asked.push(grain);
    }
}

/// Returns the first instant after now that groups share, s.
fn next_instant(now: f64, every: f64) -> f64 {
    every * ((now / every).floor() + 1.0)
}

/// Enters a grain's group for the next instant, s, if it has no entry.
fn enter(schedule: &mut Schedule, grain: GrainId, now: f64, every: f64) {
    let source = Source::Rest(grain);
    if schedule.time_of(source).is_none() {
        let time = next_instant(now, every);
        schedule.set(source, time, EventKind::AnalyzeInternalForces);
    }
}

/// Takes the groups whose entries are due; groups near stepped grains, or all while gravity or fields change, get entries where they have none.
pub(super) fn ask<D: Integrate>(system: &mut System<D>, every: f64) -> Asked {
    let come = std::mem::take(&mut system.s.rest.groups.asked);
    let turning = perturb::loads_change(system);
    let world = &mut system.dem.world;
    let now = world.clock.time();
    let schedule = &mut system.s.schedule;
    if turning {
        let arrays = &world.grains.arrays;
        let first = (0..arrays.slots() as u32).find(|&slot| world.grains.stands(slot));
        if let Some(slot) = first {
            enter(schedule, arrays.id[slot as usize], now, every);
        }
        return match come.is_empty() {
            true => Asked::Some(Vec::new()),
            false => Asked::All,
        };
    }
    world.sleeping.still.pairs.find_groups();
    let asked = Asked::Some(labels(world, come));
    for grain in first_of_each(world) {
        enter(schedule, grain, now, every);
    }
    asked
}

/// Returns, for each group near stepped grains, the least number of its grains near them, ascending by label.
fn first_of_each<D: Integrate>(world: &World<D>) -> Vec<GrainId> {
    let still = &world.sleeping.still;
    let named = still.rim.iter().map(|&slot| {
        let grain = world.grains.arrays.id[slot as usize];
        (still.pairs.group_of(slot), grain)
    });
    let mut named: Vec<(u32, GrainId)> = named.collect();
    named.sort_unstable();
    named.dedup_by_key(|(label, _)| *label);
    named.into_iter().map(|(_, grain)| grain).collect()
}

/// Returns the labels of the groups of those of some grains that are at rest, ascending.
fn labels<D: Integrate>(world: &World<D>, mut grains: Vec<GrainId>) -> Vec<u32> {
    if grains.is_empty() {
        return Vec::new();
    }
    grains.sort_unstable();
    let id = &world.grains.arrays.id;
    let standing = world.grains.standing().into_iter();
    let asked = standing.filter(|&slot| grains.binary_search(&id[slot as usize]).is_ok());
    let mut labels: Vec<u32> = asked
        .map(|slot| world.sleeping.still.pairs.group_of(slot))
        .collect();
    labels.sort_unstable();
    labels.dedup();
    labels
}

/// Requests another solve for the group of a slot, where its last solve left a residual.
pub(super) fn come_again<D: Integrate>(
    world: &World<D>,
    schedule: &mut Schedule,
    slot: u32,
    every: f64,
) {
    let grain = world.grains.arrays.id[slot as usize];
    enter(schedule, grain, world.clock.time(), every);
}
