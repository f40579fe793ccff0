//! How much a feed can give at most, by the room of its region and by how fast grains leave it.
//!
//! Grains are shot at random into a box, none overlapping: they never fill more of it than random sequential addition does. In a steady
//! stream what is in the box is the rate times the time that a grain stays in it (Little 1961). So the rate is at most what fits over that
//! time. Both are taken such that the feed gains: no feed gives more, most give less.

use super::{Component, FeedSetup, Setup, supply::Amount};
use crate::geometry::Dimension;

/// Share of a region that grains can fill when shot at random: by random sequential addition of equal disks 0.547, of equal spheres 0.384
/// (Feder 1980; Zhang and Torquato 2013); more for grains of several sizes.
const FILLED: [f64; 2] = [0.65, 0.5];
/// Places along each axis from which the time to leave is averaged.
const PLACES: usize = 5;

/// The most that a feed can give.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Room {
    /// What fits in its region, kg.
    pub holds: f64,
    /// How long a grain stays there in the mean, s; without end where nothing moves it.
    pub stays: f64,
}

impl Room {
    /// The most that comes in so much time, s: kg.
    pub fn most(&self, lasts: f64) -> f64 {
        self.holds * (1.0 + lasts / self.stays)
    }
}

impl<D: Dimension> Setup<D> {
    /// The most that a feed can give; none where that cannot be told, since grains are moved by more than gravity.
    pub fn room_of(&self, feed: &FeedSetup<D>) -> Option<Room> {
        if !self.fields.place.is_none()
            || !self.fields.long_range.is_none()
            || !self.sources.perturbs.is_empty()
        {
            return None;
        }
        let radius = feed.what.mean();
        // Grains of a shape keep others off the circle or sphere around them.
        let ball = |sort: &Component| D::ball_measure(1.0) * sort.radius.moment(D::N as u8);
        let ball = feed.what.mean_over(ball);
        let sides = (0..D::N).map(|k| feed.max[k] - feed.min[k] + 2.0 * radius);
        let volume: f64 = sides.product();
        let fits = (FILLED[D::N - 2] * volume / ball).max(1.0);
        Some(Room {
            holds: fits * feed.mean_mass(&self.matter.forms),
            stays: stays(feed, self.fields.gravity, radius),
        })
    }

    /// What a feed is to give by a time, s, as far as its region lets it.
    pub fn likely(&self, feed: &FeedSetup<D>, time: f64) -> Amount {
        let due = feed.due(&self.matter.forms, time);
        let most = self.room_of(feed).map_or(f64::INFINITY, |room| {
            room.most((time - feed.start).max(0.0))
        });
        let share = if due.mass > most {
            most / due.mass
        } else {
            1.0
        };
        Amount {
            count: share * due.count,
            mass: share * due.mass,
        }
    }
}

/// How long a grain stays in the region of its feed in the mean, s.
fn stays<D: Dimension>(feed: &FeedSetup<D>, gravity: D::Vector, radius: f64) -> f64 {
    let velocity = feed.velocity - feed.rise;
    let count = PLACES.pow(D::N as u32);
    let place = |index: usize, k: usize| {
        let step = (index / PLACES.pow(k as u32)) % PLACES;
        feed.min[k] + (feed.max[k] - feed.min[k]) * (step as f64 + 0.5) / PLACES as f64
    };
    let sum: f64 = (0..count)
        .map(|index| {
            let leaves = (0..D::N).map(|k| {
                let x = place(index, k);
                let up = passes(feed.max[k] + radius - x, velocity[k], gravity[k]);
                up.min(passes(x - feed.min[k] + radius, -velocity[k], -gravity[k]))
            });
            leaves.fold(f64::INFINITY, f64::min)
        })
        .sum();
    sum / count as f64
}

/// When a way is done with a speed and an acceleration, s; never: without end.
fn passes(way: f64, speed: f64, acceleration: f64) -> f64 {
    let root = speed * speed + 2.0 * acceleration * way;
    if root < 0.0 {
        return f64::INFINITY;
    }
    // In the form that loses nothing by rounding; whoever goes the other way first comes back.
    let below = speed + root.sqrt();
    if below > 0.0 {
        2.0 * way / below
    } else {
        f64::INFINITY
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_to_pass() {
        assert_eq!(passes(2.0, 1.0, 0.0), 2.0);
        assert_eq!(passes(2.0, 0.0, 1.0), 2.0);
        assert_eq!(passes(2.0, -1.0, 0.0), f64::INFINITY);
        assert_eq!(passes(2.0, 0.0, 0.0), f64::INFINITY);
        // Up by 0.5 and down again.
        assert!((passes(1.5, -1.0, 1.0) - 3.0).abs() < 1e-12);
    }
}
