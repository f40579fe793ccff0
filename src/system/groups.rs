//! Rest groups: connected parts of the grains that stand still, each with its own load and its own entry in the queue.
//!
//! A group is asked for when something may have come to it: stepped grains are near, gravity turns, or its last solve left something; what nobody
//! touches is not solved for. Entries come at instants that all groups share, a `carry_every` apart, so that those that ask are solved for in one go:
//! after a solve nobody can be laid to rest at the same look, and groups out of phase would make one at nearly every look. Links of grains that stand
//! still know the groups: they merge at once, and are split when somebody asks. Labels of groups are of the moment, so that an entry names a grain,
//! and means the group that this one is of when it comes.

use serde::{Deserialize, Serialize};

use super::schedule::{Schedule, Source};
use super::{System, perturb};
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

/// Whose loads are carried.
#[derive(Clone, Debug)]
pub(super) enum Asked {
    /// All that stand still, in whole groups.
    All,
    /// Those of some groups, by their labels in order; the whole group where its load is due.
    Some(Vec<u32>),
}

impl Asked {
    /// Whether there is anybody.
    pub fn is_nobody(&self) -> bool {
        matches!(self, Asked::Some(labels) if labels.is_empty())
    }
}

impl RestGroups {
    /// The entry of a grain has come.
    pub fn come(&mut self, grain: GrainId) {
        self.asked.push(grain);
    }
}

/// The first instant after now that groups share, s.
fn next_instant(now: f64, every: f64) -> f64 {
    every * ((now / every).floor() + 1.0)
}

/// Enters a grain's group for the next instant, s.
fn enter(schedule: &mut Schedule, grain: GrainId, now: f64, every: f64) {
    let source = Source::Rest(grain);
    if schedule.time_of(source).is_none() {
        let time = next_instant(now, every);
        schedule.set(source, time, EventKind::AnalyzeInternalForces);
    }
}

/// Takes those whose entries have come; groups that stepped grains are near to, or all while gravity turns, get entries where they have none.
pub(super) fn ask<D: Integrate>(system: &mut System<D>, every: f64) -> Asked {
    let world = &mut system.dem.world;
    world.sleeping.still.pairs.find_groups();
    let come = std::mem::take(&mut system.s.rest.groups.asked);
    let turning = perturb::gravity_changes(&system.s.perturb);
    let asked = match turning && !come.is_empty() {
        true => Asked::All,
        false => Asked::Some(labels(world, come)),
    };
    let now = world.clock.time();
    let schedule = &mut system.s.schedule;
    if turning {
        let arrays = &world.grains.arrays;
        let first = (0..arrays.slots() as u32).find(|&slot| world.grains.stands(slot));
        if let Some(slot) = first {
            enter(schedule, arrays.id[slot as usize], now, every);
        }
        return asked;
    }
    for grain in first_of_each(world) {
        enter(schedule, grain, now, every);
    }
    asked
}

/// Of each group that stepped grains are near to the least number of those that they are near to, ascending by label.
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

/// Labels of the groups of some grains, of those that stand still, ascending.
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

/// The group of a slot, whose loads have just been carried and left something there, comes again.
pub(super) fn come_again<D: Integrate>(
    world: &World<D>,
    schedule: &mut Schedule,
    slot: u32,
    every: f64,
) {
    let grain = world.grains.arrays.id[slot as usize];
    enter(schedule, grain, world.clock.time(), every);
}
