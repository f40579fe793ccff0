//! Upper bound of the supply of a feed, from the room of its region and from how fast grains leave it.
//!
//! Grains are placed at random in a box without overlap: they never fill more of it than random sequential addition does. In a steady
//! stream the content of the box is the rate times the time that a grain stays in it (Little 1961). The rate is therefore at most the
//! capacity over that time. Both are estimated in favour of the feed: no feed gives more, most give less.

use super::{Component, FeedSetup, Setup, supply::Amount};
use crate::geometry::Dimension;

/// Share of a region that grains placed at random can fill: by random sequential addition of equal disks 0.547, of equal spheres 0.384
/// (Feder 1980; Zhang and Torquato 2013); more for grains of several sizes.
const FILLED: [f64; 2] = [0.65, 0.5];
/// Number of places along each axis over which the time to leave is averaged.
const PLACES: usize = 5;

/// Upper bound of the supply of a feed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Room {
    /// Mass that fits in its region, kg.
    pub holds: f64,
    /// Mean time that a grain stays there, s; infinite where nothing moves it.
    pub stays: f64,
}

impl Room {
    /// Returns the greatest supply in so much time, s: kg.
    pub fn most(&self, lasts: f64) -> f64 {
        self.holds * (1.0 + lasts / self.stays)
    }
}

impl<D: Dimension> Setup<D> {
    /// Returns the upper bound of a feed; `None` where it is unknown, since more than gravity moves the grains.
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

    /// Returns the amount due from a feed by a time, s, as far as its region permits.
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

/// Returns the mean time that a grain stays in the region of its feed, s.
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

/// Returns the time for a displacement with a speed and an acceleration, s; infinite if it is never reached.
fn passes(way: f64, speed: f64, acceleration: f64) -> f64 {
    let root = speed * speed + 2.0 * acceleration * way;
    if root < 0.0 {
        return f64::INFINITY;
    }
    // This form loses nothing by rounding; a grain that first moves the other way comes back.
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
