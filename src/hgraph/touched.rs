//! How many grains an event looks at: the measure of DESIGN's first rule, kept at all times.

use serde::{Deserialize, Serialize};

/// Costs told one by one; what is higher shares the last place.
const EXACT: usize = 1024;

/// Counts of events by the number of grains that each had to look at. Numbers only, no clock: the
/// same run gives the same figures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Touched {
    events: Vec<u64>,
    largest: u64,
}

impl Default for Touched {
    fn default() -> Self {
        Touched {
            events: vec![0; EXACT + 1],
            largest: 0,
        }
    }
}

impl Touched {
    /// Counts an event that looked at so many grains.
    #[inline]
    pub fn add(&mut self, grains: usize) {
        self.events[grains.min(EXACT)] += 1;
        self.largest = self.largest.max(grains as u64);
    }

    /// Number of events.
    pub fn count(&self) -> u64 {
        self.events.iter().sum()
    }

    /// The most grains that an event looked at.
    pub fn largest(&self) -> u64 {
        self.largest
    }

    /// The least number of grains within which a share of the events stayed; 0 without events.
    /// Above a thousand it is the largest that came.
    pub fn quantile(&self, share: f64) -> u64 {
        let wanted = share * self.count() as f64;
        let mut below = 0;
        for (grains, &events) in self.events.iter().enumerate() {
            below += events;
            if events > 0 && below as f64 >= wanted {
                return if grains == EXACT {
                    self.largest
                } else {
                    grains as u64
                };
            }
        }
        0
    }
}
