//! Feeds as event sources: grains at random places in a region (thesis 5.8.2.1).

use rand::RngExt as _;
use serde::{Deserialize, Serialize};

use super::{Answer, EventSource, Order, Setup, Sight, Turn};
use crate::body::{Formed, Grain, GrainId};
use crate::event::EventKind;
use crate::geometry::{Dimension, Vector};
use crate::system::driver::stream;
use crate::system::{Component, FeedSetup, FeedTiming};

/// State of a feed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::system) struct FeedState {
    /// Random stream of the feed.
    pub rng: rand_chacha::ChaCha8Rng,
    /// Number of grains made so far.
    pub made: u64,
    /// Mass of these, kg.
    pub mass: f64,
    /// Number of postponements in a row.
    pub postponed: u32,
    /// Number of postponements in all.
    pub postponed_in_all: u64,
    /// Time at which the next grain was due, s.
    pub due: f64,
    /// Total time that grains waited for room, s.
    pub waited: f64,
    /// Whether the feed found no room for so long that it gave up.
    pub stopped: bool,
    /// Time at which it was shut, s.
    pub shut: Option<f64>,
    /// Index, in the list of components, of the sort of the waiting grain, and the radius of that grain, m.
    pub waiting: Option<(u32, f64)>,
}

impl FeedState {
    /// Returns the time until which the feed was to give, in a run that is at a time, s.
    pub fn until(&self, time: f64) -> f64 {
        self.shut.map_or(time, |shut| shut.min(time))
    }
}

/// Number of the first stream of feeds.
const FIRST_STREAM: u64 = 1_000;

/// A feed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::system) struct Feed {
    /// Index in the setup.
    index: usize,
    state: FeedState,
}

impl Feed {
    /// Creates the feed at an index of the setup's list.
    pub fn new<D: Dimension>(setup: &Setup<D>, index: usize) -> Self {
        Self {
            index,
            state: FeedState {
                rng: stream(setup.seed, FIRST_STREAM + index as u64),
                made: 0,
                mass: 0.0,
                postponed: 0,
                postponed_in_all: 0,
                due: setup.sources.feeds[index].start,
                waited: 0.0,
                stopped: false,
                shut: None,
                waiting: None,
            },
        }
    }

    /// Shuts the feed at a time, s.
    pub fn shut(&mut self, time: f64) {
        self.state.shut.get_or_insert(time);
    }

    /// Returns the state of the feed.
    pub fn state(&self) -> &FeedState {
        &self.state
    }

    /// Creates the grain with a number and a radius, m, at a place.
    fn made<D: Formed>(
        &mut self,
        sort: &Component,
        setup: &Setup<D>,
        grain: (GrainId, f64, D::Vector),
    ) -> Grain<D> {
        let (id, radius, position) = grain;
        let mut grain = Grain::<D>::new(id, sort.material, radius, sort.density, position);
        grain.velocity = setup.sources.feeds[self.index].velocity;
        if let Some(form) = sort.form {
            grain.shape(form, &setup.matter.forms[usize::from(form)], sort.density);
            let draws = std::array::from_fn(|_| self.state.rng.random::<f64>());
            grain.rotation = D::any_rotation(draws);
        }
        grain
    }

    /// Books a grain that comes; returns when the next is due, s.
    fn book<D: Dimension>(&mut self, feed: &FeedSetup<D>, mass: f64, time: f64) -> f64 {
        let state = &mut self.state;
        state.made += 1;
        state.mass += mass;
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
        state.due
    }

    /// Postpones a grain of a sort with a radius, m, for which there was no room.
    fn postpone<D: Dimension>(
        &mut self,
        feed: &FeedSetup<D>,
        waits: (u32, f64),
        time: f64,
    ) -> Answer<D> {
        let (state, retries) = (&mut self.state, feed.max_retries.max(1));
        state.waiting = Some(waits);
        state.postponed += 1;
        state.postponed_in_all += 1;
        let mut orders = vec![Order::Count(EventKind::AddBody)];
        if state.postponed < retries {
            let next = Some(turn(time + feed.retry_interval));
            return Answer { orders, next };
        }
        state.stopped = true;
        orders.push(Order::Warn(
            EventKind::Jam,
            format!(
                "feed {} found no room in {retries} retries and stopped at {time:.6} s",
                self.index + 1,
            ),
        ));
        Answer { orders, next: None }
    }
}

fn turn(time: f64) -> Turn {
    Turn {
        time,
        kind: EventKind::AddBody,
    }
}

impl<D: Formed> EventSource<D> for Feed {
    fn first(&self, setup: &Setup<D>) -> Option<Turn> {
        let feed = &setup.sources.feeds[self.index];
        (feed.count > 0).then(|| turn(feed.start))
    }

    fn act(&mut self, time: f64, sight: &mut dyn Sight<D>) -> Answer<D> {
        // Numbers are never used again.
        let Some(id) = sight.next_grain() else {
            return Answer {
                orders: Vec::new(),
                next: None,
            };
        };
        let feed = sight.setup().sources.feeds[self.index].clone();
        let sorts = feed.what.components();
        let (sort, radius) = match self.state.waiting {
            Some((sort, radius)) => (&sorts[sort as usize], radius),
            None => feed.what.draw(&mut self.state.rng),
        };
        let mut place = None;
        for _ in 0..feed.attempts.max(1) {
            let shot = D::Vector::from_fn(|k| {
                feed.min[k]
                    + (feed.max[k] - feed.min[k]) * self.state.rng.random::<f64>()
                    + feed.rise[k] * (time - feed.start)
            });
            let shot = sight.wrapped(shot);
            if sight.is_free(shot, radius, time) {
                place = Some(shot);
                break;
            }
        }
        let Some(place) = place else {
            let place = sorts.iter().position(|other| std::ptr::eq(other, sort));
            return self.postpone(&feed, (place.unwrap_or(0) as u32, radius), time);
        };
        let grain = self.made(sort, sight.setup(), (id, radius, place));
        let due = self.book(&feed, grain.mass, time);
        let more = id + 1 < GrainId::MAX && !feed.is_done(&self.state, &sight.setup().matter.forms);
        Answer {
            orders: vec![Order::Add(Box::new(grain))],
            next: more.then(|| turn(due)),
        }
    }
}
