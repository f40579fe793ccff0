//! Supply due from a feed over time, for estimates, and to recognize a feed that falls short.

use super::source::{Feed, FeedState, Sources};
use super::{FeedSetup, FeedTiming, Setup};
use crate::body::ShapeTemplate;
use crate::geometry::Dimension;
use crate::record::{FeedAmount, FeedFigures};

/// Share of the requested supply that may be missing without a warning.
const LACK: f64 = 0.01;

/// Number of grains and their mass.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Amount {
    /// Number of grains.
    pub count: f64,
    /// Mass of these, kg.
    pub mass: f64,
}

impl<D: Dimension> FeedSetup<D> {
    /// Returns the mean mass of its grains, kg.
    pub fn mean_mass(&self, forms: &[ShapeTemplate<D>]) -> f64 {
        self.what.mean_over(|sort| sort.mean_mass(forms))
    }

    /// Returns the supply due by a time, s, within `count` and `mass` of the feed; for a Poisson stream its mean.
    pub fn due(&self, forms: &[ShapeTemplate<D>], time: f64) -> Amount {
        let lasted = time - self.start;
        if lasted < 0.0 {
            return Amount::default();
        }
        let mean = self.mean_mass(forms);
        // A grain that is due at the very end need not have come yet.
        let count = match self.timing {
            FeedTiming::Interval(every) => (lasted / every * (1.0 - 1e-12)).ceil().max(1.0),
            FeedTiming::Poisson(rate) => 1.0 + rate * lasted,
            FeedTiming::MassRate(rate) => rate * lasted / mean,
        };
        let most = self.mass.map_or(f64::INFINITY, |mass| mass / mean);
        let count = count.min(self.count as f64).min(most);
        Amount {
            count,
            mass: count * mean,
        }
    }

    /// Returns when the last of its grains is due, s, at `finish` at the latest.
    pub fn last_due(&self, forms: &[ShapeTemplate<D>], finish: f64) -> f64 {
        let all = self.due(forms, f64::MAX).count;
        let mean = self.mean_mass(forms);
        let lasts = match self.timing {
            FeedTiming::Interval(every) => (all - 1.0).max(0.0) * every,
            FeedTiming::Poisson(rate) => (all - 1.0).max(0.0) / rate,
            FeedTiming::MassRate(rate) => all * mean / rate,
        };
        (self.start + lasts).min(finish)
    }

    /// Returns whether a feed in this state has given all that it is to give.
    fn is_full(&self, state: &FeedState, forms: &[ShapeTemplate<D>]) -> bool {
        // Whole grains: as near to the mass as they can come.
        let half = || 0.5 * self.mean_mass(forms);
        let full = self.mass.is_some_and(|mass| state.mass + half() >= mass);
        state.made >= self.count || full
    }

    /// Returns whether a feed in this state will give no more.
    pub(super) fn is_done(&self, state: &FeedState, forms: &[ShapeTemplate<D>]) -> bool {
        state.stopped || state.shut.is_some() || self.is_full(state, forms)
    }
}

impl<D: Dimension> Setup<D> {
    /// Returns the number of grains that feeds are to have given by the finish.
    pub fn to_come(&self) -> f64 {
        let feeds = self.sources.feeds.iter();
        feeds
            .map(|feed| feed.due(&self.matter.forms, self.run.end_time).count)
            .sum()
    }
}

/// Returns the figures of all feeds at a time, s.
pub(super) fn feed_figures<D: Dimension>(
    setup: &Setup<D>,
    sources: &Sources,
    time: f64,
) -> Vec<FeedFigures> {
    let states = sources.feeds().iter().map(Feed::state);
    let feeds = setup.sources.feeds.iter().zip(states).enumerate();
    feeds
        .map(|(index, (feed, state))| {
            let given = FeedAmount {
                count: state.made,
                mass: state.mass,
            };
            let asked = asked(feed, state, &setup.matter.forms, time);
            FeedFigures {
                name: format!("feed[{index}]"),
                asked: FeedAmount {
                    // Includes a grain that was due at the very end, and has come.
                    count: (asked.count.round() as u64).max(given.count),
                    mass: asked.mass.max(given.mass.min(asked.mass * (1.0 + LACK))),
                },
                given,
                postponed: state.postponed_in_all,
            }
        })
        .collect()
}

/// Returns warnings of feeds that gave less than requested.
pub(super) fn feed_warnings<D: Dimension>(
    setup: &Setup<D>,
    sources: &Sources,
    figures: &[FeedFigures],
    time: f64,
) -> Vec<String> {
    let unit = if D::N == 2 { "kg/m" } else { "kg" };
    let states = sources.feeds().iter().map(Feed::state);
    let feeds = setup.sources.feeds.iter().zip(states).zip(figures);
    feeds
            .filter_map(|((feed, state), told)| {
                let time = state.until(time);
                let (asked, given) = (told.asked, told.given);
                let by_mass = matches!(feed.timing, FeedTiming::MassRate(_));
                let share = if by_mass {
                    given.mass / asked.mass
                } else {
                    given.count as f64 / asked.count as f64
                };
                // Nothing is requested from a feed that has not begun.
                if asked.count == 0 || share.is_nan() || share >= 1.0 - LACK {
                    return None;
                }
                let lasted = time - feed.start;
                Some(format!(
                    "`{}` fell short: asked for {} {unit} ({} grains, {} {unit}/s) by {} s, it gave {} {unit} ({} grains, {} {unit}/s), {:.0} %; its region had no room for a grain {} times",
                    told.name,
                    digits(asked.mass),
                    asked.count,
                    digits(asked.mass / lasted),
                    digits(time),
                    digits(given.mass),
                    given.count,
                    digits(given.mass / lasted),
                    (100.0 * share).floor(),
                    told.postponed,
                ))
            })
            .collect()
}

/// Returns the supply requested from a feed by a time, s. For a Poisson stream that is what it gave, and what its rate gives in the time for
/// which grains had to wait: its own scatter is no shortfall.
fn asked<D: Dimension>(
    feed: &FeedSetup<D>,
    state: &FeedState,
    forms: &[ShapeTemplate<D>],
    time: f64,
) -> Amount {
    let time = state.until(time);
    let due = feed.due(forms, time);
    let FeedTiming::Poisson(rate) = feed.timing else {
        return due;
    };
    let waits = !feed.is_full(state, forms);
    let waited = state.waited
        + if waits {
            (time - state.due).max(0.0)
        } else {
            0.0
        };
    let mean = feed.mean_mass(forms);
    let most = feed.mass.map_or(f64::INFINITY, |mass| mass / mean);
    let count = state.made as f64 + rate * waited;
    let count = count
        .min(feed.count as f64)
        .min(most.max(state.made as f64));
    Amount {
        count,
        mass: state.mass + (count - state.made as f64) * mean,
    }
}

/// Writes a quantity for people: four digits.
pub(crate) fn digits(x: f64) -> String {
    if x == 0.0 || !x.is_finite() {
        return format!("{x}");
    }
    let power = libm::floor(libm::log10(x.abs())) as i32;
    if (-4..7).contains(&power) {
        let decimals = (3 - power).max(0) as usize;
        let text = format!("{x:.decimals$}");
        match text.contains('.') {
            true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
            false => text,
        }
    } else {
        format!("{x:.3e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Planar;
    use crate::system::{Mixture, RadiusLaw};

    fn feed(timing: FeedTiming, count: u64, mass: Option<f64>) -> FeedSetup<Planar> {
        FeedSetup {
            min: Default::default(),
            max: Default::default(),
            rise: Default::default(),
            start: 1.0,
            timing,
            count,
            mass,
            // Grains of 2 kg each.
            what: Mixture::one(0, 2.0 / std::f64::consts::PI, RadiusLaw::Equal(1.0)),
            velocity: Default::default(),
            attempts: 1,
            retry_interval: 1.0,
            max_retries: 1,
        }
    }

    fn count(feed: &FeedSetup<Planar>, time: f64) -> f64 {
        feed.due(&[], time).count
    }

    #[test]
    fn what_is_due() {
        let by_clock = feed(FeedTiming::Interval(0.5), 9, None);
        // At 1, 1.5, 2, ...; the grain that is due at the very end need not have come.
        assert_eq!(count(&by_clock, 0.9), 0.0);
        assert_eq!(count(&by_clock, 1.2), 1.0);
        assert_eq!(count(&by_clock, 2.0), 2.0);
        assert_eq!(count(&by_clock, 2.1), 3.0);
        assert_eq!(count(&by_clock, 1e9), 9.0);
        assert_eq!(by_clock.last_due(&[], 1e9), 5.0);
        assert_eq!(by_clock.last_due(&[], 3.0), 3.0);
        let by_mass = feed(FeedTiming::MassRate(8.0), u64::MAX, None);
        assert_eq!(by_mass.due(&[], 3.0).mass, 16.0);
        assert_eq!(by_mass.due(&[], 3.0).count, 8.0);
        let filled = feed(FeedTiming::MassRate(8.0), u64::MAX, Some(10.0));
        assert_eq!(filled.due(&[], 3.0).mass, 10.0);
        assert_eq!(filled.last_due(&[], 1e9), 2.25);
        let poisson = feed(FeedTiming::Poisson(4.0), 1_000_000_000, None);
        assert_eq!(count(&poisson, 3.0), 9.0);
    }

    #[test]
    fn digits_are_four() {
        assert_eq!(digits(6000.0), "6000");
        assert_eq!(digits(597.14159), "597.1");
        assert_eq!(digits(0.0123456), "0.01235");
        assert_eq!(digits(1234567.0), "1234567");
        assert_eq!(digits(1.5e-9), "1.500e-9");
    }
}
