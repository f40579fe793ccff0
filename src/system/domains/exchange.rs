//! Communication between ranks: motion of ghosts at each step, grains and links when lists are rebuilt.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::cut::Load;
use super::{Domains, Neighbour};
use crate::cluster;
use crate::cluster::arrays::Status;
use crate::cluster::integrate::Integrate;
use crate::cluster::{MigratingGrain, MigrationBatch, numbers_of_motion};
use crate::event::EventKind;
use crate::ranks::{RankError, Tag, Values, pack, unpack};
use crate::system::thrash::Past;
use crate::system::{SystemError, afar, reason};

const MOTION: Tag = Tag::new(40);
const PARTIES: Tag = Tag::new(41);
const IMAGES: Tag = Tag::new(42);

/// Rebuilds between two checks of the load balance.
const BALANCE: u64 = 64;
/// Work of the busiest rank over the mean above which planes are moved.
const UNEVEN: f64 = 1.1;
/// Work of a stepped grain over that of a grain at rest.
const STEPPED: u64 = 16;
/// Number of grains from which slots are sorted by place, and rebuilds between two sorts, as in a serial run.
const SORT_FROM: u64 = 4_000;
const SORT: u64 = 16;

/// Migrating grains, with their history of stops and wakes.
type Passage<D> = (MigrationBatch<D>, Vec<(u32, Past)>);

pub(super) fn to_bytes<T: Serialize>(value: &T) -> Vec<u8> {
    // Serialization cannot fail here: neither its types nor writing to a vector can.
    postcard::to_stdvec(value).unwrap_or_default()
}

pub(super) fn of_bytes<T: DeserializeOwned>(rank: usize, bytes: &[u8]) -> Result<T, RankError> {
    let garbled = |_| RankError::Garbled {
        rank,
        bytes: bytes.len(),
    };
    postcard::from_bytes(bytes).map_err(garbled)
}

impl<D: Integrate> Domains<'_, D> {
    /// Keeps an error until all ranks know of it.
    pub(super) fn note(&mut self, result: Result<(), SystemError>) {
        if let Err(error) = result {
            self.fault.get_or_insert(error);
        }
    }

    /// Performs a step of all ranks; returns whether one of them wants to stop after it.
    pub(super) fn step(&mut self, stop: bool) -> Result<bool, SystemError> {
        let [along, across, wall] = self.system.dem.move_own();
        let flag = |is: bool| f64::from(u8::from(is));
        let mut told = [along, across, wall, flag(self.fault.is_some()), flag(stop)];
        self.ranks.greatest(&mut told)?;
        let [along, across, wall, fault, stop] = told;
        if fault > 0.0 {
            self.all_well()?;
        }
        let dem = &mut self.system.dem;
        cluster::border::moved(&dem.world.clock, &mut dem.skin, [along, across, wall]);
        if cluster::renew::outer_is_stale(&dem.world.physics, &dem.skin) {
            let checked = reason::check_numbers(&self.system.dem.world);
            self.note(checked);
            let checked = reason::check_overlaps(
                &self.system.setup,
                &self.system.dem.world,
                &mut self.system.s.warnings,
            );
            self.note(checked);
            self.renew()?;
        } else {
            self.exchange_motion()?;
            self.system.dem.refresh_inner();
        }
        self.system.dem.forces();
        afar::apply_fields(
            &mut self.system.dem,
            &mut self.system.fields,
            self.system.uniform,
        );
        let counts = &self.system.dem.book.counts;
        if counts
            .steps
            .is_multiple_of(self.system.dem.world.physics.options.look_every)
        {
            cluster::link_events::look(
                &mut self.system.dem.world,
                &mut self.system.dem.book,
                &mut self.system.dem.effects,
            );
            let checked = reason::check_overlaps(
                &self.system.setup,
                &self.system.dem.world,
                &mut self.system.s.warnings,
            );
            self.note(checked);
        }
        self.look_at_rest()?;
        Ok(stop > 0.0)
    }

    /// Ends all ranks if an error occurred on one of them.
    pub(super) fn all_well(&mut self) -> Result<(), SystemError> {
        let faults = self.ranks.all_gather(&[u8::from(self.fault.is_some())])?;
        match faults.iter().position(|fault| fault.contains(&1)) {
            None => Ok(()),
            Some(rank) => Err(self.fault.take().unwrap_or(SystemError::Elsewhere { rank })),
        }
    }

    /// Updates the motion of ghosts.
    fn exchange_motion(&mut self) -> Result<(), SystemError> {
        let dem = &mut self.system.dem;
        let mut out = Vec::new();
        for near in self.near.iter().filter(|near| !near.sends.is_empty()) {
            let mut motion = Vec::with_capacity(near.sends.len() * numbers_of_motion::<D>());
            cluster::border::put_motion(&dem.world.grains, &near.sends, &mut motion);
            out.push((near.rank, pack(&motion)));
        }
        let out: Vec<(usize, &[u8])> = out
            .iter()
            .map(|(rank, bytes)| (*rank, &bytes[..]))
            .collect();
        let from = self.near.iter().filter(|near| !near.receives.is_empty());
        let from: Vec<usize> = from.map(|near| near.rank).collect();
        let came = self.ranks.exchange(MOTION, &out, &from)?;
        let receivers = self.near.iter().filter(|near| !near.receives.is_empty());
        for (near, bytes) in receivers.zip(&came) {
            let awaited = near.receives.len() * numbers_of_motion::<D>();
            let motion: Option<Vec<f64>> = unpack(bytes).filter(|m: &Vec<f64>| m.len() == awaited);
            let Some(motion) = motion else {
                return Err(garbled(near.rank, bytes));
            };
            cluster::border::take_motion(&mut dem.world.grains, &near.receives, &motion);
        }
        Ok(())
    }

    /// Rebuilds the lists of all ranks: grains that have left a domain migrate, and ghosts are chosen anew.
    pub(super) fn renew(&mut self) -> Result<(), SystemError> {
        let (ranks, me) = (self.ranks, self.ranks.rank());
        let system = &mut self.system;
        if me == 0 {
            system.s.journal.count(EventKind::NeighborUpdate);
        }
        system.account(system.dem.world.clock.time());
        let dem = &mut system.dem;
        cluster::renew::wrap_periodic(&mut dem.world, &mut dem.book, &dem.border);
        self.renewals += 1;
        if self.grains >= SORT_FROM && self.renewals % SORT == 1 {
            cluster::border::put_places(&dem.world.grains, &mut dem.border, &self.rows);
        }
        if self.renewals.is_multiple_of(BALANCE) {
            self.balance()?;
        }
        let dem = &mut self.system.dem;
        let home = |slot: u32| {
            self.cut
                .rank_of(dem.world.grains.arrays.position(slot as usize))
        };
        let leavers = dem.world.grains.own().map(|slot| (slot, home(slot)));
        let leavers: Vec<(u32, usize)> = leavers.filter(|(_, rank)| *rank != me).collect();
        let parties = cluster::migrate::send_off(
            &mut dem.world.grains,
            &dem.world.contacts,
            &mut dem.world.sleeping,
            &dem.border,
            &leavers,
            ranks.size(),
        );
        let thrash = &mut self.system.s.rest.thrash;
        let packed: Vec<(usize, Vec<u8>)> = parties
            .into_iter()
            .enumerate()
            .filter(|(rank, _)| *rank != me)
            .map(|(rank, party)| {
                let pasts: Vec<(u32, Past)> = party
                    .ids()
                    .filter_map(|id| Some((id, thrash.take(id)?)))
                    .collect();
                (rank, to_bytes(&(party, pasts)))
            })
            .collect();
        let out: Vec<(usize, &[u8])> = packed.iter().map(|(rank, b)| (*rank, &b[..])).collect();
        let others: Vec<usize> = packed.iter().map(|(rank, _)| *rank).collect();
        let mut came = Vec::with_capacity(others.len());
        for (rank, bytes) in others.iter().zip(ranks.exchange(PARTIES, &out, &others)?) {
            let (party, pasts): Passage<D> = of_bytes(*rank, &bytes)?;
            for (id, past) in pasts {
                self.system.s.rest.thrash.put(id, past);
            }
            came.push(party);
        }
        let dem = &mut self.system.dem;
        cluster::migrate::take_grains(&mut dem.world, &mut dem.clusters, &mut dem.border, &came);
        self.near = self.choose_images();
        let dem = &mut self.system.dem;
        let packed: Vec<(usize, Vec<u8>)> = self
            .near
            .iter()
            .map(|near| {
                (
                    near.rank,
                    to_bytes(&cluster::migrate::images(
                        &dem.world.grains,
                        &dem.world.sleeping,
                        &dem.border,
                        &near.images,
                    )),
                )
            })
            .collect();
        let out: Vec<(usize, &[u8])> = packed.iter().map(|(rank, b)| (*rank, &b[..])).collect();
        let others: Vec<usize> = packed.iter().map(|(rank, _)| *rank).collect();
        let mut images = Vec::with_capacity(others.len());
        for (rank, bytes) in others.iter().zip(ranks.exchange(IMAGES, &out, &others)?) {
            let ghosts: Vec<MigratingGrain<D>> = of_bytes(*rank, &bytes)?;
            images.push(ghosts);
        }
        let (ghosts, new_slot) = dem.renew_shared(came, &images);
        let status = |slot: u32| dem.world.grains.arrays.status[slot as usize];
        for (near, ghosts) in self.near.iter_mut().zip(ghosts) {
            for slot in &mut near.images {
                *slot = new_slot[*slot as usize];
            }
            near.ghosts = ghosts;
            let stepped = |slots: &[u32], as_what: Status| {
                let of = slots.iter().copied();
                of.filter(|slot| status(*slot) == as_what).collect()
            };
            near.sends = stepped(&near.images, Status::Stepped);
            near.receives = stepped(&near.ghosts, Status::Ghost);
        }
        let own = [
            dem.world.grains.active.len(),
            dem.world.grains.own().count(),
        ]
        .map(|n| n as u64);
        let all = ranks.all_gather_values(&own)?;
        let sum = |k: usize| all.iter().filter_map(|counts| counts.get(k)).sum();
        (self.stepped, self.grains) = (sum(0), sum(1));
        afar::apply_fields_to_fresh(
            &mut self.system.dem,
            &mut self.system.fields,
            self.system.uniform,
        );
        Ok(())
    }

    /// Returns, per rank, the own grains that may touch grains of that rank before the next rebuild.
    fn choose_images(&self) -> Vec<Neighbour> {
        let dem = &self.system.dem;
        let arrays = &dem.world.grains.arrays;
        let margin = dem.world.physics.options.outer_margin + self.largest;
        let me = self.ranks.rank();
        // The longer reach of both sides counts, so that each expects the other's message.
        let reach = margin + self.largest;
        let near = (0..self.ranks.size()).filter(|&rank| rank != me);
        near.filter(|&rank| self.cut.gap(me, rank) <= reach)
            .map(|rank| {
                let images = dem.world.grains.own().filter(|&slot| {
                    let (x, r) = (arrays.position(slot as usize), arrays.radius(slot as usize));
                    self.cut.distance::<D>(rank, x) < r + margin
                });
                Neighbour {
                    rank,
                    images: images.collect(),
                    ..Neighbour::default()
                }
            })
            .collect()
    }

    /// Cuts the box into domains with the same work, and gives each rank its grains.
    pub(super) fn deal_out(&mut self) -> Result<(), SystemError> {
        self.move_planes()?;
        self.renew()
    }

    /// Moves the planes if one rank has much more work than the others.
    fn balance(&mut self) -> Result<(), SystemError> {
        let dem = &self.system.dem;
        let work =
            STEPPED * dem.world.grains.active.len() as u64 + dem.world.sleeping.still.count as u64;
        let all = self.ranks.all_gather_values(&[work])?;
        let all: Vec<u64> = all.into_iter().flatten().collect();
        let (sum, most) = (
            all.iter().sum::<u64>(),
            all.iter().max().copied().unwrap_or(0),
        );
        if most as f64 * all.len() as f64 > UNEVEN * sum as f64 {
            self.move_planes()?;
        }
        Ok(())
    }

    fn move_planes(&mut self) -> Result<(), SystemError> {
        let dem = &self.system.dem;
        let arrays = &dem.world.grains.arrays;
        // Least coordinates with their signs changed, then greatest ones, over all ranks.
        let mut corners = [f64::NEG_INFINITY; 6];
        for slot in dem.world.grains.own() {
            let x = arrays.position(slot as usize);
            for k in 0..D::N {
                corners[k] = corners[k].max(-x[k]);
                corners[3 + k] = corners[3 + k].max(x[k]);
            }
        }
        self.ranks.greatest(&mut corners)?;
        let [a, b, c, high @ ..] = corners.map(|x| if x.is_finite() { x } else { 0.0 });
        let mut load = Load::new([-a, -b, -c], high);
        for slot in dem.world.grains.own() {
            let stepped = arrays.status[slot as usize] == Status::Stepped;
            let work = if stepped { STEPPED } else { 1 };
            load.add(arrays.position(slot as usize), work);
        }
        let all = self.ranks.all_gather_values(&load.bins)?;
        for (k, bin) in load.bins.iter_mut().enumerate() {
            *bin = all.iter().filter_map(|bins| bins.get(k)).sum();
        }
        self.cut = self.cut.balanced(&load);
        Ok(())
    }
}

fn garbled(rank: usize, bytes: &[u8]) -> SystemError {
    let bytes = bytes.len();
    RankError::Garbled { rank, bytes }.into()
}
