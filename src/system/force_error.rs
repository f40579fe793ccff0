//! Estimate of the error of the forces in each group at rest, against the same grains stepped (docs/morphing.md).
//!
//! It has three parts: loads that have come and that no solve has carried down yet, residuals that were left because they are within
//! the thresholds, and friction that loads carried by solves mobilise otherwise than loads that arrive in waves.

use std::collections::BTreeMap;

use super::{field_loads, regimes};
use crate::body::GrainId;
use crate::cluster;
use crate::cluster::integrate::Integrate;
use crate::cluster::{ContactRef, Other, World, Wrench};
use crate::field::FieldSet;
use crate::geometry::three;
use crate::hgraph::ClusterIndex;
use crate::record::ForceError;

/// Error of forces whose friction was mobilised by solves, from branches of fillings (`examples/branch_twins`).
const HISTORY: f64 = 0.03;
/// Share of a group's weight that solves must have carried for all of that error: some landings are enough.
const MOBILISED: f64 = 0.05;

/// Sums over a group.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    /// Sum of the sizes of the normal forces of its links, N.
    forces: f64,
    /// Sum of the weights of its grains, N.
    weight: f64,
    /// Sum of weights, fields, and forces of links among grains at rest and with walls, N: what stepped grains do not balance.
    unpushed: [f64; 3],
    /// Sum of what stepped grains push, and of the sizes, N.
    pushed: [f64; 3],
    pushes: f64,
    /// Sum of the squares of residuals and of pushes, N^2.
    squares: f64,
    /// Loads that solves carried, N.
    carried: f64,
    /// Its cluster, by the least number of the grains at rest in it.
    cluster: GrainId,
}

/// What moving grains hand on to the grains at rest of a cluster in the mean: as in an hourglass, the weight of those that fall, too.
#[derive(Clone, Copy, Debug, Default)]
struct Moving {
    /// Sum of the weights of its stepped grains and of the forces of walls on them, and a share of the weights of flyers, N.
    load: [f64; 3],
    /// Sum of the sizes of the pushes of stepped grains on grains at rest, N.
    pushes: f64,
}

fn size(force: [f64; 3]) -> f64 {
    force.iter().map(|f| f * f).sum::<f64>().sqrt()
}

fn add(sum: &mut [f64; 3], by: [f64; 3]) {
    for (sum, by) in sum.iter_mut().zip(by) {
        *sum += by;
    }
}

impl Sums {
    fn add(&mut self, residual: &Wrench, push: &Wrench) {
        let force = |wrench: &Wrench| [wrench[0], wrench[1], wrench[2]];
        let (residual, push) = (force(residual), force(push));
        add(&mut self.unpushed, residual);
        add(&mut self.unpushed, push.map(|p| -p));
        add(&mut self.pushed, push);
        self.pushes += size(push);
        self.squares += size(residual).powi(2) + size(push).powi(2);
    }

    /// Returns the error, over the normal forces. Pushes come in waves: their mean follows from what they have to hand on.
    fn error(&self, moving: &Moving) -> ForceError {
        if self.forces == 0.0 || self.weight == 0.0 {
            return ForceError::default();
        }
        let share = match moving.pushes > 0.0 {
            true => self.pushes / moving.pushes,
            false => 0.0,
        };
        let mut pending = self.unpushed;
        add(&mut pending, moving.load.map(|load| share * load));
        ForceError {
            pending: size(pending) / (self.weight + size(self.pushed)),
            left: self.squares.sqrt() / self.forces,
            history: HISTORY * (self.carried / (MOBILISED * self.weight)).min(1.0),
        }
    }
}

/// The normal forces of a group at rest, and their error.
#[derive(Clone, Copy, Debug)]
pub(super) struct GroupForces {
    /// Sum of the sizes of the forces, N.
    pub forces: f64,
    /// Estimated error, over that sum.
    pub error: ForceError,
}

/// Returns the estimate for each group at rest, by the least number of its grains; groups and clusters must have been found.
///
/// Sums go by the numbers of grains, and of links by their forces: labels, slots and lists are others in a run that was resumed.
pub(super) fn of_groups<D: Integrate>(
    world: &World<D>,
    fields: &FieldSet<D>,
    clusters: &ClusterIndex,
) -> BTreeMap<GrainId, GroupForces> {
    let still = &world.sleeping.still;
    if still.count == 0 {
        return BTreeMap::new();
    }
    let mut groups: BTreeMap<GrainId, Sums> = BTreeMap::new();
    let [mut group_names, mut cluster_names] = [BTreeMap::new(), BTreeMap::new()];
    for slot in by_number(world, world.grains.standing()) {
        let residual =
            cluster::held::residual(&world.physics, &world.grains, &world.sleeping, slot);
        let push = cluster::held::mean_push(&world.grains, &world.sleeping, slot);
        let id = world.grains.arrays.id[slot as usize];
        let group = *group_names.entry(still.pairs.group_of(slot)).or_insert(id);
        let cluster = *cluster_names.entry(clusters.cluster_of(slot)).or_insert(id);
        let sums = groups.entry(group).or_default();
        sums.add(&residual, &push);
        sums.weight += cluster::field_loads::weight(world, slot);
        sums.carried += still.carried[slot as usize];
        sums.cluster = cluster;
    }
    let mut forces = Vec::new();
    cluster::held::each_still_link(world, |view: ContactRef<D>| {
        if let Some(&group) = group_names.get(&still.pairs.group_of(view.a)) {
            forces.push((group, [view.normal_force.abs(), 0.0, 0.0]));
        }
    });
    for (group, [force, ..]) in in_order(forces) {
        if let Some(sums) = groups.get_mut(&group) {
            sums.forces += force;
        }
    }
    let moving = moving(world, fields, &groups, |slot| {
        cluster_names.get(&clusters.cluster_of(slot)).copied()
    });
    let told = |(group, sums): (GrainId, Sums)| {
        let error = sums.error(&moving[&sums.cluster]);
        let forces = sums.forces;
        (group, GroupForces { forces, error })
    };
    groups.into_iter().map(told).collect()
}

/// Returns slots in the order of the numbers of their grains.
fn by_number<D: Integrate>(world: &World<D>, mut slots: Vec<u32>) -> Vec<u32> {
    slots.sort_unstable_by_key(|&slot| world.grains.arrays.id[slot as usize]);
    slots
}

/// Returns named vectors in an order that they alone decide.
fn in_order(mut all: Vec<(GrainId, [f64; 3])>) -> Vec<(GrainId, [f64; 3])> {
    all.sort_unstable_by(|(a, p), (b, q)| {
        let each = p.iter().zip(q).map(|(p, q)| p.total_cmp(q));
        each.fold(a.cmp(b), std::cmp::Ordering::then)
    });
    all
}

/// Returns what is handed on in each cluster with groups at rest. Nobody knows where flyers will land: where most is pushed now.
fn moving<D: Integrate>(
    world: &World<D>,
    fields: &FieldSet<D>,
    groups: &BTreeMap<GrainId, Sums>,
    cluster_of: impl Fn(u32) -> Option<GrainId>,
) -> BTreeMap<GrainId, Moving> {
    let mut moving: BTreeMap<GrainId, Moving> = BTreeMap::new();
    for sums in groups.values() {
        moving.entry(sums.cluster).or_default().pushes += sums.pushes;
    }
    let gravity = three(world.physics.gravity);
    let weight = |slot: u32| {
        let mass = 1.0 / world.grains.arrays.inverse_mass(slot as usize);
        gravity.map(|g| mass * g)
    };
    let mut loads = Vec::new();
    let active = by_number(world, world.grains.active.clone());
    // What fields do as if they did not move: those that hand much on are slow.
    let of_fields = field_loads::of(world, fields, &active);
    for (place, &slot) in active.iter().enumerate() {
        if let Some(cluster) = cluster_of(slot) {
            loads.push((cluster, weight(slot)));
            if let Some([x, y, z, ..]) = of_fields.get(place).map(|load| load.load) {
                loads.push((cluster, [x, y, z]));
            }
        }
    }
    cluster::observe::each_list_link(world, |view: ContactRef<D>| {
        let of_wall = matches!(view.b, Other::Boundary(_)) && !world.grains.stands(view.a);
        if let Some(cluster) = of_wall.then(|| cluster_of(view.a)).flatten() {
            let force = view.kinematics.normal * view.normal_force + view.tangential_force;
            loads.push((cluster, three(force)));
        }
    });
    for (cluster, load) in in_order(loads) {
        if let Some(moving) = moving.get_mut(&cluster) {
            add(&mut moving.load, load);
        }
    }
    let mut falling = [0.0; 3];
    for slot in by_number(world, regimes::flying(world)) {
        add(&mut falling, weight(slot));
    }
    let all: f64 = moving.values().map(|moving| moving.pushes).sum();
    for moving in moving.values_mut().filter(|moving| moving.pushes > 0.0) {
        let share = moving.pushes / all;
        add(&mut moving.load, falling.map(|load| share * load));
    }
    moving
}
