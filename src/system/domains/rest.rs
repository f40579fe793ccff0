//! Grains that come to rest or wake, over many ranks: each rank decides for its own grains, and all ranks apply the result.
//!
//! The equilibrium solves of a bed at rest are not shared: a grain with too large a residual is woken instead.

use super::Domains;
use super::exchange::{of_bytes, to_bytes};
use crate::cluster;
use crate::cluster::arrays::Status;
use crate::cluster::integrate::Integrate;
use crate::ranks::{Tag, Values};
use crate::system::rest::LOOKS;
use crate::system::{SystemError, rest, stopping};

const REST: Tag = Tag::new(43);

impl<D: Integrate> Domains<'_, D> {
    /// Checks, after a step at which a check is due, which grains come to rest and which wake.
    pub(super) fn look_at_rest(&mut self) -> Result<(), SystemError> {
        let Some(morph) = self.system.setup.models.morph else {
            return Ok(());
        };
        let system = &mut self.system;
        let steps = system.dem.book.counts.steps;
        if !steps.is_multiple_of(rest::look_steps(&system.dem.world, &morph)) {
            return Ok(());
        }
        system.s.rest.looks += 1;
        let slots = system.dem.world.grains.arrays.slots();
        system.dem.world.sleeping.still.make_room(slots);
        let choose = system.s.rest.looks.is_multiple_of(u64::from(LOOKS));
        let rim = system.dem.world.sleeping.still.rim.iter().copied();
        let upset: Vec<u32> = rim
            .filter(|&slot| system.dem.world.grains.arrays.status[slot as usize] == Status::Still)
            .filter(|&slot| rest::is_upset(&system.dem.world, slot, &morph, choose))
            .collect();
        let mut changed = self.wake_grains(&upset)?;
        stopping::count_calm(&mut self.system.dem.world, &morph);
        if choose {
            let resting = stopping::resting(
                &self.system.dem.world,
                &self.system.fields,
                &self.system.s.rest,
                &morph,
            );
            changed |= self.put_to_sleep(&resting)?;
            stopping::note_places(&mut self.system.dem.world, &morph);
        }
        if changed {
            self.renew()?;
        }
        self.system.dem.world.sleeping.begin_look();
        Ok(())
    }

    /// Wakes grains that a change from outside has unbalanced; returns whether any rank has such grains.
    pub(super) fn wake_unbalanced(&mut self) -> Result<bool, SystemError> {
        let Some(morph) = self.system.setup.models.morph else {
            return Ok(false);
        };
        let unbalanced = rest::unbalanced(&self.system.dem.world, &morph);
        self.wake_grains(&unbalanced)
    }

    /// Wakes own slots, ascending, and all ghosts that other ranks wake; returns whether there are any.
    pub(super) fn wake_grains(&mut self, own: &[u32]) -> Result<bool, SystemError> {
        let Some(all) = self.all_of(own)? else {
            return Ok(false);
        };
        let system = &mut self.system;
        system.account(system.dem.world.clock.time());
        cluster::still::wake(&mut system.dem.world, &mut system.dem.border, &all);
        rest::book_wakes(&system.setup, &system.dem.world, &mut system.s.rest, own);
        Ok(true)
    }

    /// Stops own slots, ascending, and all ghosts that other ranks stop; returns whether there are any.
    fn put_to_sleep(&mut self, own: &[u32]) -> Result<bool, SystemError> {
        let Some(all) = self.all_of(own)? else {
            return Ok(false);
        };
        let system = &mut self.system;
        system.account(system.dem.world.clock.time());
        rest::book_stops(&system.dem.world, &mut system.s.rest, own);
        cluster::still::stop(
            &mut system.dem.world,
            &mut system.dem.book,
            &mut system.dem.border,
            &all,
        );
        Ok(true)
    }

    /// Returns the chosen own slots and the ghosts of those that other ranks chose, ascending; `None` if no rank chose any.
    fn all_of(&mut self, own: &[u32]) -> Result<Option<Vec<u32>>, SystemError> {
        if !self.ranks.any(!own.is_empty())? {
            return Ok(None);
        }
        // By their places among the images, whose order both sides share.
        let chosen: Vec<(usize, Vec<u8>)> = self
            .near
            .iter()
            .map(|near| {
                let images = (0u32..).zip(&near.images);
                let chosen = images.filter(|(_, slot)| own.binary_search(slot).is_ok());
                let chosen: Vec<u32> = chosen.map(|(place, _)| place).collect();
                (near.rank, to_bytes(&chosen))
            })
            .collect();
        let out: Vec<(usize, &[u8])> = chosen.iter().map(|(rank, b)| (*rank, &b[..])).collect();
        let from: Vec<usize> = self.near.iter().map(|near| near.rank).collect();
        let mut all = own.to_vec();
        let came = self.ranks.exchange(REST, &out, &from)?;
        for (near, bytes) in self.near.iter().zip(&came) {
            let places: Vec<u32> = of_bytes(near.rank, bytes)?;
            let ghosts = places
                .iter()
                .filter_map(|place| near.ghosts.get(*place as usize));
            all.extend(ghosts);
        }
        all.sort_unstable();
        Ok(Some(all))
    }
}
