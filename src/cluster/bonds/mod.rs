//! Bonds between grains: formed, evaluated with the contacts, broken.

mod evaluate;
mod form;
pub mod fragments;
pub mod joining;
mod look;

pub(super) use evaluate::evaluate;
pub use form::{BondError, LongBond, form};
pub(super) use look::energy_of;
pub use look::{BondSight, energy, sights};

use serde::{Deserialize, Serialize};

use super::integrate::Integrate;
use super::world::World;
use crate::contact::bond::Bond;
use crate::geometry::Dimension;
use crate::neighbor::PeriodicAxis;

/// The bonds of a system.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Bonds<D: Dimension> {
    /// Unbroken bonds, in the order in which they formed.
    pub list: Vec<Bond<D>>,
    /// The slots that have any, ascending.
    pub slots: Vec<u32>,
    /// For each bond the places of its ends in `slots`.
    ends: Vec<[u32; 2]>,
    /// Number of those that formed.
    pub formed: u64,
    /// Number of those that left with a grain.
    pub removed: u64,
    /// The grains of one that became too long for its periodic box, by slot, and its length, m.
    pub overlong: Option<([u32; 2], f64)>,
}

/// Length of a bond over the least width of a periodic box up to which the nearest image of its end is surely the right one.
const NEAREST: f64 = 0.45;

/// Greatest length of bonds, m; infinite in open space.
fn longest<D: Integrate>(world: &World<D>) -> f64 {
    let own = |k: usize, axis: &PeriodicAxis| match &world.cell.state {
        Some(cell) => cell.edges.lengths[k],
        None => axis.length,
    };
    let axes = world.physics.periodic.iter().enumerate();
    let lengths = axes.filter_map(|(k, axis)| Some(own(k, axis.as_ref()?)));
    NEAREST * lengths.fold(f64::INFINITY, f64::min)
}

impl<D: Dimension> Default for Bonds<D> {
    fn default() -> Self {
        Bonds {
            list: Vec::new(),
            slots: Vec::new(),
            ends: Vec::new(),
            formed: 0,
            removed: 0,
            overlong: None,
        }
    }
}

impl<D: Dimension> Bonds<D> {
    /// Renumbers the slots; bonds of dropped ones end.
    pub(super) fn renumber(&mut self, new_slot: &[u32]) {
        for bond in &mut self.list {
            bond.slots = bond.slots.map(|slot| new_slot[slot as usize]);
        }
        self.list.retain(|bond| !bond.slots.contains(&0));
        self.find_slots();
    }

    fn find_slots(&mut self) {
        let last = self.list.iter().flat_map(|bond| bond.slots).max();
        let mut bonded = vec![false; last.map_or(0, |last| last as usize + 1)];
        for slot in self.list.iter().flat_map(|bond| bond.slots) {
            bonded[slot as usize] = true;
        }
        self.slots.clear();
        let slots = (0..bonded.len() as u32).filter(|&slot| bonded[slot as usize]);
        self.slots.extend(slots);
        let mut places = vec![0; bonded.len()];
        for (place, &slot) in (0..).zip(&self.slots) {
            places[slot as usize] = place;
        }
        let ends = self.list.iter();
        let ends = ends.map(|bond| bond.slots.map(|slot| places[slot as usize]));
        self.ends = ends.collect();
    }

    /// Whether all slots exist.
    pub(super) fn is_whole(&self, slots: usize) -> bool {
        let there = |slot: &u32| (1..slots).contains(&(*slot as usize));
        let of_slots = |place: &u32| (*place as usize) < self.slots.len();
        self.list.iter().flat_map(|bond| &bond.slots).all(there)
            && self.slots.iter().all(there)
            && self.ends.len() == self.list.len()
            && self.ends.iter().flatten().all(of_slots)
    }

    /// Takes out the bonds of slots that are marked; returns them.
    pub(super) fn remove(&mut self, gone: &[bool]) -> Vec<Bond<D>> {
        let is_gone = |bond: &mut Bond<D>| bond.slots.iter().any(|&slot| gone[slot as usize]);
        let removed: Vec<Bond<D>> = self.list.extract_if(.., is_gone).collect();
        if !removed.is_empty() {
            self.removed += removed.len() as u64;
            self.find_slots();
        }
        removed
    }
}
