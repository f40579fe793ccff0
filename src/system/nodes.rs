//! Mean numbers, over time, of the nodes of each kind in the hierarchy: clusters of touching grains, groups at rest, rigid groups.
//!
//! Nodes are counted at times of their own, evenly spread over a run, so that the means do not depend on what is recorded.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::force_error::{self, GroupForces};
use super::rest::RestState;
use super::schedule::{Schedule, Source};
use super::{System, SystemError, logging, rigid};
use crate::body::GrainId;
use crate::cluster::World;
use crate::cluster::integrate::Integrate;
use crate::event::EventKind;
use crate::record::{ForceError, GroupRow, NodeFigures, Sink};

/// Number of counts in a run.
pub(super) const COUNTS: u32 = 250;
/// Errors of forces are estimated at one of so many counts: they take all links.
const ERRORS: u64 = 10;

/// Sums over the times at which nodes were counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct NodeCounts {
    /// Start of the counts, and time between two, s.
    begin: f64,
    every: f64,
    counted: u64,
    clusters: u64,
    rest: u64,
    rigid: u64,
    /// Grains in the largest group at rest.
    largest: u64,
    /// Sum of the normal forces among grains at rest, N, and of the errors of these forces, N.
    forces: f64,
    errors: ForceError,
}

impl NodeCounts {
    /// Begins to count, from a time to another, s.
    pub fn begin(&mut self, begin: f64, finish: f64, schedule: &mut Schedule) {
        *self = NodeCounts {
            begin,
            every: (finish - begin) / f64::from(COUNTS),
            ..NodeCounts::default()
        };
        self.come_again(schedule);
    }

    fn come_again(&self, schedule: &mut Schedule) {
        // A run too short for the resolution of the clock is not counted.
        if self.begin + 0.5 * self.every <= self.begin {
            return;
        }
        let time = self.begin + (self.counted as f64 + 0.5) * self.every;
        schedule.set(Source::Nodes, time, EventKind::LogState);
    }

    /// Adds the nodes at a time.
    pub fn add(&mut self, clusters: u64, groups: GroupRow) {
        self.counted += 1;
        self.clusters += clusters;
        self.rest += groups.rest;
        self.rigid += groups.rigid;
        self.largest += groups.largest;
    }

    /// Adds the errors of the groups at rest at that time.
    fn add_errors(&mut self, groups: &BTreeMap<GrainId, GroupForces>) {
        for group in groups.values() {
            self.forces += group.forces;
            self.errors += group.error * group.forces;
        }
    }

    /// Returns the mean error of forces at rest; `None` where there were none.
    pub fn force_error(&self) -> Option<ForceError> {
        (self.forces > 0.0).then(|| self.errors * (1.0 / self.forces))
    }

    /// Returns the means; `None` where nothing was counted.
    pub fn figures(&self) -> Option<NodeFigures> {
        let mean = |sum: u64| sum as f64 / self.counted as f64;
        (self.counted > 0).then(|| NodeFigures {
            clusters: mean(self.clusters),
            rest_groups: mean(self.rest),
            rigid_groups: mean(self.rigid),
            largest_rest_group: mean(self.largest),
        })
    }
}

/// Counts nodes at a scheduled time.
pub(super) fn count<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
) -> Result<(), SystemError> {
    rigid::regroup_many_in_time(system, sink)?;
    let clusters = logging::cluster_count(system);
    let groups = groups_now(&mut system.dem.world, &system.s.rest);
    let counts = &mut system.s.regimes.nodes;
    if counts.counted.is_multiple_of(ERRORS) {
        let dem = &system.dem;
        let errors = force_error::of_groups(&dem.world, &system.fields, &dem.clusters);
        counts.add_errors(&errors);
    }
    counts.add(clusters, groups);
    counts.come_again(&mut system.s.schedule);
    Ok(())
}

/// Returns the present groups of grains at rest.
pub(super) fn groups_now<D: Integrate>(world: &mut World<D>, rest: &RestState) -> GroupRow {
    let pairs = &mut world.sleeping.still.pairs;
    pairs.find_groups();
    let mut labels: Vec<u32> = world.grains.standing();
    for slot in &mut labels {
        *slot = pairs.group_of(*slot);
    }
    labels.sort_unstable();
    let groups = labels.chunk_by(|a, b| a == b);
    let (groups, largest) = groups.fold((0, 0), |(count, most), group| {
        (count + 1, group.len().max(most))
    });
    GroupRow {
        rest: groups,
        rigid: u64::from(rest.rigid_groups),
        largest: largest as u64,
    }
}
