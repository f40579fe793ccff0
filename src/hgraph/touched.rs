//! Number of grains that each event visits: the measure of DESIGN's first rule, recorded in every run.

use serde::{Deserialize, Serialize};

/// Counts below this have a bin of their own; all others share the last bin.
const EXACT: usize = 1024;

/// Histogram of events by the number of grains that each visited. It contains no times: the same
/// run gives the same figures.
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
    /// Counts an event that visited `grains` grains.
    #[inline]
    pub fn add(&mut self, grains: usize) {
        self.events[grains.min(EXACT)] += 1;
        self.largest = self.largest.max(grains as u64);
    }

    /// Number of events.
    pub fn count(&self) -> u64 {
        self.events.iter().sum()
    }

    /// Greatest number of grains that an event visited.
    pub fn largest(&self) -> u64 {
        self.largest
    }

    /// Least number of grains that a `share` of the events did not exceed; 0 without events. Above
    /// a thousand it is the greatest count.
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
