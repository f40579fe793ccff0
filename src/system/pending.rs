//! Residuals of grains at rest: the pending load of each group, or patch of one, and whether it is worth a solve.

use super::MorphSetup;
use super::groups::Asked;
use super::rest::size;
use crate::cluster;
use crate::cluster::integrate::Integrate;
use crate::cluster::{Part, World};
use crate::geometry::Dimension;

/// Mean residual that is left alone, over that at which grains may be stopped.
const ENOUGH: f64 = 0.1;
/// Sum of residuals that is left alone, over the weight of the grains: a load that a deep bed spreads over all
/// grains, a little on each.
const BALANCED: f64 = 5e-4;
/// Sum of residuals at which a whole group is solved, over the weight of its grains.
pub(super) const PENDING: f64 = 3e-3;

/// In the place of an index: in no part.
const NOWHERE: u32 = u32::MAX;

/// Residuals of some grains, over their weight.
#[derive(Clone, Copy, Default)]
pub(super) struct Unrest {
    /// Root of the mean square.
    mean: f64,
    /// Magnitude of the sum, over the sum of the weights.
    pub sum: f64,
    /// Slot of the grain with the greatest residual.
    pub worst: Option<u32>,
}

impl Unrest {
    /// Returns whether the sum of the residuals is too small for a solve: what is left has no direction.
    pub fn is_balanced(&self) -> bool {
        self.sum <= BALANCED
    }

    /// Returns whether the residuals are too small for a solve.
    pub fn is_little(&self, morph: &MorphSetup) -> bool {
        self.mean <= ENOUGH * morph.residual && self.is_balanced()
    }
}

/// Sums over the residuals of grains.
#[derive(Clone, Default)]
struct Sum {
    squares: f64,
    count: f64,
    weight: f64,
    force: [f64; 3],
    most: f64,
    worst: Option<u32>,
}

impl Sum {
    fn add<D: Integrate>(&mut self, world: &World<D>, slot: u32) {
        let residual =
            cluster::held::residual(&world.physics, &world.grains, &world.sleeping, slot);
        let weight = cluster::field_loads::weight(world, slot);
        let share = size(&residual) / weight;
        if share >= self.most {
            (self.most, self.worst) = (share, Some(slot));
        }
        self.squares += share.powi(2);
        self.count += 1.0;
        self.weight += weight;
        for (sum, by) in self.force.iter_mut().zip(residual) {
            *sum += by;
        }
    }

    fn unrest(&self) -> Unrest {
        if self.count == 0.0 {
            return Unrest::default();
        }
        let squares: f64 = self.force.iter().map(|f| f * f).sum();
        Unrest {
            mean: f64::sqrt(self.squares / self.count),
            sum: squares.sqrt() / self.weight,
            worst: self.worst,
        }
    }
}

/// Iterates over those of some slots that are at rest.
pub(super) fn standing<D: Integrate>(world: &World<D>, slots: &[u32]) -> impl Iterator<Item = u32> {
    let slots = slots.iter().copied();
    slots.filter(|&slot| world.grains.stands(slot))
}

/// Returns the residuals of those of some slots that are at rest.
pub(super) fn unrest<D: Integrate>(world: &World<D>, slots: &[u32]) -> Unrest {
    let mut sum = Sum::default();
    for slot in standing(world, slots) {
        sum.add(world, slot);
    }
    sum.unrest()
}

/// Groups that are solved for together, or patches of large ones, as they are when the solve begins: a grain woken meanwhile stays counted with its
/// group.
pub(super) struct Pending {
    /// Slots at rest in these groups, ascending.
    pub slots: Vec<u32>,
    /// By slot: index of its group among these.
    places: Vec<u32>,
    /// Number of groups.
    count: usize,
    /// Whether these are patches.
    pub is_patch: bool,
}

impl Pending {
    /// Takes the groups that are asked for; their labels must be up to date.
    pub fn of<D: Integrate>(world: &World<D>, asked: &Asked) -> Self {
        let mut slots = world.grains.standing();
        let group_of = |slot: u32| world.sleeping.still.pairs.group_of(slot);
        let labels: Vec<u32> = match asked {
            Asked::Some(labels) => labels.clone(),
            Asked::All => {
                let mut all: Vec<u32> = slots.iter().map(|&slot| group_of(slot)).collect();
                all.sort_unstable();
                all.dedup();
                all
            }
        };
        let mut places = vec![NOWHERE; world.grains.arrays.slots()];
        slots.retain(|&slot| match labels.binary_search(&group_of(slot)) {
            Ok(place) => {
                places[slot as usize] = place as u32;
                true
            }
            Err(_) => false,
        });
        Pending {
            slots,
            places,
            count: labels.len(),
            is_patch: false,
        }
    }

    /// Takes patches, each by its slots at rest, of so many slots in total.
    pub fn patches(patches: &[Vec<u32>], of: usize) -> Self {
        let mut places = vec![NOWHERE; of];
        for (place, patch) in patches.iter().enumerate() {
            for &slot in patch {
                places[slot as usize] = place as u32;
            }
        }
        let mut slots = patches.concat();
        slots.sort_unstable();
        Pending {
            slots,
            places,
            count: patches.len(),
            is_patch: true,
        }
    }

    /// Returns the slots of each group.
    pub fn groups(&self) -> Vec<Vec<u32>> {
        let mut groups = vec![Vec::new(); self.count];
        for &slot in &self.slots {
            groups[self.places[slot as usize] as usize].push(slot);
        }
        groups
    }

    /// Leaves a group out, by its slots.
    pub fn leave_out(&mut self, group: &[u32]) {
        for &slot in group {
            self.places[slot as usize] = NOWHERE;
        }
        let places = &self.places;
        self.slots.retain(|&slot| places[slot as usize] != NOWHERE);
    }

    /// Returns the index of the group of a slot among these; `None` for other slots.
    pub fn place(&self, slot: u32) -> Option<usize> {
        let place = self.places[slot as usize];
        (place != NOWHERE).then_some(place as usize)
    }

    /// Returns the residuals of each group within some slots.
    pub fn unrest<D: Integrate>(&self, world: &World<D>, slots: &[u32]) -> Vec<Unrest> {
        let mut sums = vec![Sum::default(); self.count];
        for slot in standing(world, slots) {
            if let Some(place) = self.place(slot) {
                sums[place].add(world, slot);
            }
        }
        sums.iter().map(Sum::unrest).collect()
    }

    /// Returns, for each group, whether it has grains beyond a part.
    pub fn is_beyond<D: Dimension>(&self, part: &Part<D>) -> Vec<bool> {
        let mut beyond = vec![false; self.count];
        for &slot in &self.slots {
            if let (Some(place), None) = (self.place(slot), part.place(slot)) {
                beyond[place] = true;
            }
        }
        beyond
    }
}
