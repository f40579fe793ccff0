//! Orders of sources between steps, executed on all ranks at once: outlets, gates, the end of settling, jams.

use std::collections::BTreeMap;

use super::Domains;
use super::exchange::{of_bytes, to_bytes};
use crate::body::GrainId;
use crate::cluster;
use crate::cluster::integrate::Integrate;
use crate::event::EventKind;
use crate::geometry::Vector;
use crate::ranks::{RankError, Ranks, Values};
use crate::record::NullSink;
use crate::system::jam_watch::Doubt;
use crate::system::outlet::Left;
use crate::system::rattlers::{Mover, all_rattle, are_few};
use crate::system::schedule::{Due, Source};
use crate::system::stillness::{LEASTS, Look};
use crate::system::{SystemError, ledger, outlet, rest, stillness};

/// A sum that does not depend on the order of its terms: in units of 2^-90.
#[derive(Clone, Copy, Default)]
struct Exact(i128);

impl Exact {
    const UNIT: f64 = 1.0 / (1u128 << 90) as f64;

    fn add(&mut self, value: f64) {
        // Saturates at the end of its range.
        self.0 = self.0.saturating_add((value / Self::UNIT) as i128);
    }

    fn value(self) -> f64 {
        self.0 as f64 * Self::UNIT
    }

    fn over(self, ranks: &dyn Ranks) -> Result<Exact, RankError> {
        let all = ranks.all_gather(&self.0.to_le_bytes())?;
        let mut sum = Exact::default();
        for (rank, bytes) in all.iter().enumerate() {
            let bytes = bytes[..].try_into().map_err(|_| RankError::Garbled {
                rank,
                bytes: bytes.len(),
            })?;
            sum.0 = sum.0.saturating_add(i128::from_le_bytes(bytes));
        }
        Ok(sum)
    }
}

impl<D: Integrate> Domains<'_, D> {
    /// Counts an event, on rank 0 for all ranks.
    pub(super) fn count(&mut self, kind: EventKind) {
        if self.ranks.rank() == 0 {
            self.system.s.journal.count(kind);
        }
    }

    /// Checks, while settling, whether the grains are at rest; if so, sets the clock to 0.
    pub(super) fn look_for_rest(&mut self, time: f64) -> Result<(), SystemError> {
        let Some(settle) = self.system.setup.run.settle else {
            return Ok(());
        };
        let dem = &self.system.dem;
        let arrays = &dem.world.grains.arrays;
        let g = self.system.setup.fields.gravity.norm();
        let (mut kinetic, mut weight) = (Exact::default(), Exact::default());
        for slot in dem.world.grains.own() {
            let s = slot as usize;
            weight.add(2.0 * arrays.radius(s) * g / arrays.inverse_mass(s));
            if !dem.world.grains.stands(slot) {
                let (v, spin) = dem.world.velocity_now(s);
                let turning = ledger::turning_energy(&dem.world, s, spin);
                kinetic.add(0.5 * v.norm_squared() / arrays.inverse_mass(s) + turning);
            }
        }
        let kinetic = kinetic.over(self.ranks)?.value();
        let weight = weight.over(self.ranks)?.value();
        let system = &mut self.system;
        let calm = kinetic <= settle.kinetic_fraction * weight;
        if system.s.watch.settle(calm) {
            stillness::end_settling(system, &mut NullSink)?;
            return self.renew();
        }
        if let Some(look) = system.s.sources.look().settling(time) {
            system.s.schedule.set(Source::Jam, look.time, look.kind);
        }
        Ok(())
    }

    /// Checks whether nothing can move any more; then the sharing ends, and rank 0 confirms or rejects the jam.
    pub(super) fn look_for_jam(&mut self, due: Due) -> Result<(), SystemError> {
        let time = due.time;
        let system = &self.system;
        let to_come = system
            .setup
            .boundaries
            .iter()
            .any(|wall| wall.opens_at.is_some_and(|t| t > time) || wall.goes_on(time));
        let grains = self.grains as usize;
        let (mut look, mut found) = (Look::Restless, Vec::new());
        for least in LEASTS {
            let own = match to_come || grains == 0 {
                true => None,
                false => stillness::movers(
                    &self.system.setup,
                    &self.system.dem.world,
                    &self.system.s.watch,
                    least,
                    grains,
                ),
            };
            let movers = self.all_movers(own)?;
            if let Some(movers) = movers.filter(|movers| all_rattle(movers, D::N)) {
                (look, found) = (Look::of(least, &movers), movers);
                break;
            }
        }
        let mut enough =
            stillness::book_look(&self.system.dem.world, &mut self.system.s.watch, look);
        enough &= self.system.s.watch.all_stay(&found);
        if enough {
            let state = &mut self.system.s;
            let doubted = state.watch.doubt(state.traffic.discharged()) != Doubt::No;
            if !doubted || !self.wake_unbalanced()? {
                // Rank 0 alone, with all grains, handles the event and checks once more.
                self.system.s.watch.believe_next();
                self.leave_to_one(due);
                return Ok(());
            }
            self.renew()?;
            self.system.s.watch.restless();
        }
        let state = &mut self.system.s;
        let look = state.sources.look().after(time);
        state.schedule.set(Source::Jam, look.time, look.kind);
        Ok(())
    }

    /// Returns the moving grains of all ranks, in order of number; `None` where they are too many for rattlers on any rank, or altogether.
    fn all_movers(&self, own: Option<Vec<Mover>>) -> Result<Option<Vec<Mover>>, SystemError> {
        if self.ranks.any(own.is_none())? {
            return Ok(None);
        }
        let bytes = to_bytes(&own.unwrap_or_default());
        let mut all: Vec<Mover> = Vec::new();
        for (rank, bytes) in self.ranks.all_gather(&bytes)?.iter().enumerate() {
            let theirs: Vec<Mover> = of_bytes(rank, bytes)?;
            all.extend(theirs);
        }
        all.sort_by_key(|mover| mover.id);
        Ok(are_few(all.len(), self.grains as usize).then_some(all))
    }

    /// Removes clusters all of whose grains have left.
    pub(super) fn delete_left(&mut self, time: f64) -> Result<(), SystemError> {
        let system = &self.system;
        let arrays = &system.dem.world.grains.arrays;
        let left: BTreeMap<u32, Left> = system
            .dem
            .world
            .grains
            .own()
            .filter_map(|slot| {
                let (x, r) = (arrays.position(slot as usize), arrays.radius(slot as usize));
                let how = system
                    .setup
                    .sources
                    .outlets
                    .iter()
                    .find_map(|o| o.left(x, r));
                Some((slot, how?))
            })
            .collect();
        if !self.ranks.any(!left.is_empty())? {
            return Ok(());
        }
        // For each grain that has left: its number and those of its linked grains.
        let links = cluster::change::adjacency(
            &system.dem.world.grains,
            &system.dem.world.contacts,
            &system.dem.world.sleeping,
        );
        let told: Vec<(GrainId, Vec<GrainId>)> = left
            .keys()
            .map(|&slot| {
                let mut peers = Vec::new();
                links.each(slot, &mut |peer| peers.push(arrays.id[peer as usize]));
                (arrays.id[slot as usize], peers)
            })
            .collect();
        let mut out: BTreeMap<GrainId, Vec<GrainId>> = BTreeMap::new();
        for (rank, bytes) in self.ranks.all_gather(&to_bytes(&told))?.iter().enumerate() {
            let told: Vec<(GrainId, Vec<GrainId>)> = of_bytes(rank, bytes)?;
            out.extend(told);
        }
        loop {
            let held = |peers: &[GrainId]| peers.iter().any(|peer| !out.contains_key(peer));
            let held: Vec<GrainId> = out
                .iter()
                .filter(|(_, peers)| held(peers))
                .map(|(id, _)| *id)
                .collect();
            if held.is_empty() {
                break;
            }
            held.iter().for_each(|id| drop(out.remove(id)));
        }
        if out.is_empty() {
            return Ok(());
        }
        let goes = |slot: &u32| out.contains_key(&arrays.id[*slot as usize]);
        let own: Vec<u32> = left.keys().copied().filter(goes).collect();
        let all: Vec<u32> = (1..arrays.slots() as u32)
            .filter(|slot| {
                arrays.status[*slot as usize].is_grain() || system.dem.world.grains.is_ghost(*slot)
            })
            .filter(goes)
            .collect();
        let system = &mut self.system;
        system.account(time);
        for (before, slot) in own.iter().enumerate() {
            outlet::book_removed(system, *slot, left[slot], &own[..before], time);
        }
        rest::forget_rest(&system.dem.world, &mut system.s.rest, &own);
        let lost = system.dem.world.sleeping.still.lost;
        let elastic =
            cluster::change::end_links_of(&system.dem.world, &mut system.dem.effects, &all, time);
        system.s.ledger.remove_elastic(elastic);
        cluster::change::remove(
            &mut system.dem.world,
            &mut system.dem.book,
            &mut system.dem.clusters,
            &mut system.dem.border,
            &all,
        );
        let lost = system.dem.world.sleeping.still.lost > lost;
        if self.ranks.any(lost)? {
            self.wake_unbalanced()?;
        }
        self.renew()
    }

    /// Opens a gate.
    pub(super) fn open(&mut self, index: usize, time: f64) -> Result<(), SystemError> {
        self.count(EventKind::BoundaryUpdate);
        let system = &mut self.system;
        let elastic = cluster::change::end_links_with(
            &system.dem.world,
            &mut system.dem.effects,
            index,
            time,
        );
        system.s.ledger.remove_elastic(elastic);
        cluster::change::open(
            &mut system.dem.world,
            &mut system.dem.book,
            &mut system.dem.clusters,
            index,
        );
        system.s.watch.disturb(time);
        self.wake_unbalanced()?;
        self.renew()
    }
}
