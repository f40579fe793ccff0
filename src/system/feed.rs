//! Feeds: grains shot at random into a region (thesis 5.8.2.1).

use rand::RngExt as _;
use serde::{Deserialize, Serialize};

use super::driver::stream;
use super::schedule::Source;
use super::{FeedTiming, Setup, System, SystemError, flight};
use crate::body::Grain;
use crate::cluster::arrays::Status;
use crate::cluster::integrate::Integrate;
use crate::event::EventKind;
use crate::geometry::{Dimension, Vector};
use crate::neighbor::wrapped;
use crate::record::Sink;

/// Where a feed stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FeedState {
    /// Its random stream.
    pub rng: rand_chacha::ChaCha8Rng,
    /// Grains made so far.
    pub made: u64,
    /// Their mass, kg.
    pub mass: f64,
    /// Postponements in a row.
    pub postponed: u32,
    /// Postponements in all.
    pub postponed_in_all: u64,
    /// When the grain that comes next was to come, s.
    pub due: f64,
    /// How long grains waited for room in all, s.
    pub waited: f64,
    /// Whether it found no room for so long that it gave up.
    pub stopped: bool,
    /// Place of the sort of the grain that waits in the list of components, and its radius, m.
    pub waiting: Option<(u32, f64)>,
}

/// Streams of feeds are numbered from here.
const FIRST_STREAM: u64 = 1_000;

pub(super) fn states<D: Dimension>(setup: &Setup<D>) -> Vec<FeedState> {
    (0..setup.feeds.len() as u64)
        .map(|k| FeedState {
            rng: stream(setup.seed, FIRST_STREAM + k),
            made: 0,
            mass: 0.0,
            postponed: 0,
            postponed_in_all: 0,
            due: setup.feeds[k as usize].start,
            waited: 0.0,
            stopped: false,
            waiting: None,
        })
        .collect()
}

impl<D: Integrate> System<D> {
    pub(super) fn feed(
        &mut self,
        sink: &mut dyn Sink,
        index: usize,
        time: f64,
    ) -> Result<(), SystemError> {
        // Numbers are never used again.
        let Some(id) = self.s.traffic.next() else {
            return Ok(());
        };
        let feed = self.setup.feeds[index].clone();
        let mut state = self.s.feeds[index].clone();
        self.count(EventKind::AddBody);
        let (sort, radius) = match state.waiting {
            Some((sort, radius)) => (&feed.what.components()[sort as usize], radius),
            None => feed.what.draw(&mut state.rng),
        };
        let mut position = None;
        for _ in 0..feed.shots.max(1) {
            let shot = D::Vector::from_fn(|k| {
                feed.min[k]
                    + (feed.max[k] - feed.min[k]) * state.rng.random::<f64>()
                    + feed.rise[k] * (time - feed.start)
            });
            let shot = wrapped::<D>(self.engine.periodic(), shot);
            if self.is_free(shot, radius, time) {
                position = Some(shot);
                break;
            }
        }
        let who = Source::Feed(index as u32);
        match position {
            Some(position) => {
                let mut grain = Grain::<D>::new(id, sort.material, radius, sort.density, position);
                grain.velocity = feed.velocity;
                if let Some(form) = sort.form {
                    grain.shape(form, &self.setup.forms[usize::from(form)], sort.density);
                    let draws = std::array::from_fn(|_| state.rng.random::<f64>());
                    grain.rotation = D::any_rotation(draws);
                }
                self.s.traffic.enter();
                state.made += 1;
                state.mass += grain.mass;
                state.postponed = 0;
                state.waiting = None;
                state.waited += time - state.due;
                let next = match feed.timing {
                    FeedTiming::Interval(interval) => feed.start + state.made as f64 * interval,
                    FeedTiming::Poisson(rate) => {
                        // 1 - u lies in (0, 1]: no logarithm of zero.
                        time - libm::log(1.0 - state.rng.random::<f64>()) / rate
                    }
                    FeedTiming::MassRate(rate) => feed.start + state.mass / rate,
                };
                state.due = next.max(time);
                if self.s.traffic.next().is_some() && !feed.is_done(&state, &self.setup.forms) {
                    self.schedule(who, state.due, EventKind::AddBody);
                }
                self.s.feeds[index] = state;
                self.account(time);
                let kinetic = grain.kinetic_energy();
                let potential = self.potential_of(&grain, time, &[]);
                self.s.ledger.fed += kinetic + potential;
                self.s.ledger.fed_potential += potential;
                self.s.ledger.perturbed -= self.lift(&grain);
                self.meet_meters(grain.id, grain.position);
                let slot = self.engine.add(&grain, Status::Flying, time);
                self.s.journal.causes.now =
                    self.log_whole(sink, time, EventKind::AddBody, Some(slot))?;
                if self.engine.state.active.is_empty() {
                    let h = self.step_size();
                    let n = ((time - self.engine.time_of(0)) / h).floor() as i64;
                    self.engine.skip_to(n);
                }
                // Foreseen at once; back in time to the grid first, if it must step.
                self.engine.state.back[slot as usize] = f64::INFINITY;
                let now = self.engine.time();
                flight::restart(&mut self.engine, slot as usize, now);
                self.join(sink, slot, time)?;
                self.s.journal.causes.now = 0;
                Ok(())
            }
            None => {
                let all = feed.what.components();
                let place = all.iter().position(|other| std::ptr::eq(other, sort));
                state.waiting = Some((place.unwrap_or(0) as u32, radius));
                state.postponed += 1;
                state.postponed_in_all += 1;
                let jammed = state.postponed >= feed.tries.max(1);
                self.s.feeds[index] = state;
                if jammed {
                    self.s.warnings.push(format!(
                        "feed {} found no room in {} tries and stopped at {time:.6} s",
                        index + 1,
                        feed.tries.max(1)
                    ));
                    self.count(EventKind::Jam);
                    self.s.feeds[index].stopped = true;
                    self.log_whole(sink, time, EventKind::Jam, None)?;
                } else {
                    self.schedule(who, time + feed.postpone, EventKind::AddBody);
                }
                Ok(())
            }
        }
    }

    /// Whether a grain of that radius fits at a place: it touches no grain and no wall.
    fn is_free(&mut self, place: D::Vector, radius: f64, time: f64) -> bool {
        let near = self.around(place, radius, time);
        let arrays = &self.engine.state.arrays;
        let free_of_grains = near.into_iter().all(|slot| {
            let slot = slot as usize;
            let x = if arrays.status[slot] == Status::Flying {
                flight::fly(&self.engine, slot, time).position
            } else {
                arrays.position(slot)
            };
            let d = self.engine.shortest(place - x);
            let reach = radius + arrays.radius(slot);
            d.norm_squared() > reach * reach
        });
        free_of_grains
            && self
                .engine
                .boundaries
                .iter()
                .zip(&self.engine.state.gone)
                .all(|(wall, &gone)| {
                    gone || { wall.distance(&wall.boundary.motion.pose(time), place) > radius }
                })
    }
}
