//! Who comes to rest and who is woken, over many ranks: each decides for its own grains, and all take part in what follows.
//!
//! The quasi-static solves that carry loads through a bed at rest are not shared: who lacks too much is woken instead.

use super::Domains;
use super::exchange::{of_bytes, to_bytes};
use crate::cluster::arrays::Status;
use crate::cluster::integrate::Integrate;
use crate::ranks::{Tag, Values};
use crate::system::SystemError;
use crate::system::rest::LOOKS;

const REST: Tag = Tag::new(43);

impl<D: Integrate> Domains<'_, D> {
    /// After each step: looks at who rests and who does not, when it is time to.
    pub(super) fn look_at_rest(&mut self) -> Result<(), SystemError> {
        let Some(morph) = self.system.setup.morph else {
            return Ok(());
        };
        let system = &mut self.system;
        let steps = system.engine.state.counts.steps;
        if !steps.is_multiple_of(system.look_steps(&morph)) {
            return Ok(());
        }
        system.s.rest.looks += 1;
        let slots = system.engine.state.arrays.slots();
        system.engine.state.still.make_room(slots);
        let choose = system.s.rest.looks.is_multiple_of(u64::from(LOOKS));
        let rim = system.engine.state.still.rim.iter().copied();
        let upset: Vec<u32> = rim
            .filter(|&slot| system.engine.state.arrays.status[slot as usize] == Status::Still)
            .filter(|&slot| system.is_upset(slot, &morph, choose))
            .collect();
        let mut changed = self.rouse(&upset)?;
        self.system.count_calm(&morph);
        if choose {
            let resting = self.system.resting(&morph);
            changed |= self.lay_to_rest(&resting)?;
        }
        if changed {
            self.renew()?;
        }
        self.system.engine.begin_look();
        Ok(())
    }

    /// Wakes who has lost its balance by a change from outside; whether there was anybody, on any rank.
    pub(super) fn wake_unbalanced(&mut self) -> Result<bool, SystemError> {
        let Some(morph) = self.system.setup.morph else {
            return Ok(false);
        };
        let unbalanced = self.system.unbalanced(&morph);
        self.rouse(&unbalanced)
    }

    /// Wakes own slots, ascending, and all ghosts that others wake; whether there are any.
    pub(super) fn rouse(&mut self, own: &[u32]) -> Result<bool, SystemError> {
        let Some(all) = self.all_of(own)? else {
            return Ok(false);
        };
        let system = &mut self.system;
        system.account(system.engine.time());
        system.engine.wake(&all);
        system.book_wakes(own);
        Ok(true)
    }

    /// Stops own slots, ascending, and all ghosts that others stop; whether there are any.
    fn lay_to_rest(&mut self, own: &[u32]) -> Result<bool, SystemError> {
        let Some(all) = self.all_of(own)? else {
            return Ok(false);
        };
        let system = &mut self.system;
        system.account(system.engine.time());
        system.book_stops(own);
        system.engine.stop(&all);
        Ok(true)
    }

    /// Chosen own slots and the ghosts of those that other ranks chose, ascending; none if nobody chose any.
    fn all_of(&mut self, own: &[u32]) -> Result<Option<Vec<u32>>, SystemError> {
        if !self.ranks.any(!own.is_empty())? {
            return Ok(None);
        }
        // By their places among the images, of which both sides have the same order.
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
