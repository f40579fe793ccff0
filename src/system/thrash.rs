//! Grains that are stopped and woken again and again: counted, reported in a warning, and left to the resolved
//! motion for longer each time.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Number of wakes of one grain that are tolerated ...
const OFTEN: usize = 8;
/// ... in so many dwells. After one more, it must be calm for twice as long before it is stopped again.
const SHORT: f64 = 20.0;
/// The greatest number of dwells that a grain must be calm.
const MOST: u16 = 64;
/// Number of stops up to which no warning is given.
const MANY: u64 = 1000;

/// History of a grain that was ever stopped.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Past {
    /// Time at which it was last stopped, s.
    stopped: f64,
    /// Times of its recent wakes, s, the oldest first.
    wakes: Vec<f64>,
    /// Dwells for which it must be calm to be stopped.
    dwells: u16,
}

/// Stops and wakes so far, in all and by grain.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Thrash {
    /// Number of stops.
    pub stops: u64,
    /// Number of stops that lasted no longer than a dwell.
    pub short: u64,
    grains: BTreeMap<u32, Past>,
}

impl Thrash {
    /// Books the stop of a grain.
    pub fn stop(&mut self, id: u32, now: f64) {
        self.stops += 1;
        let new = Past {
            stopped: now,
            wakes: Vec::new(),
            dwells: 1,
        };
        self.grains.entry(id).or_insert(new).stopped = now;
    }

    /// Books the wake of a grain.
    pub fn wake(&mut self, id: u32, now: f64, dwell: f64) {
        let Some(past) = self.grains.get_mut(&id) else {
            return;
        };
        // A dwell is a whole number of steps, and times are products: the margin is for rounding.
        if now - past.stopped <= dwell * (1.0 + 1e-6) {
            self.short += 1;
        }
        // A grain that was left alone for long begins anew.
        let calm = SHORT * f64::from(past.dwells) * dwell;
        if past.wakes.last().is_some_and(|&last| now - last > calm) {
            past.wakes.clear();
            past.dwells = 1;
        }
        past.wakes.push(now);
        if past.wakes.len() > OFTEN {
            if now - past.wakes[0] < SHORT * f64::from(past.dwells) * dwell {
                past.dwells = (2 * past.dwells).min(MOST);
                past.wakes.clear();
                // Keeps the time of this wake.
                past.wakes.push(now);
            } else {
                past.wakes.remove(0);
            }
        }
    }

    /// Returns the dwells for which a grain must be calm to be stopped.
    pub fn dwells(&self, id: u32) -> u16 {
        self.grains.get(&id).map_or(1, |past| past.dwells)
    }

    /// Removes and returns the history of a grain, which goes with it to another rank.
    pub fn take(&mut self, id: u32) -> Option<Past> {
        self.grains.remove(&id)
    }

    /// Sets the history of a grain that came from another rank.
    pub fn put(&mut self, id: u32, past: Past) {
        self.grains.insert(id, past);
    }

    /// Forgets a grain that is no longer there.
    pub fn forget(&mut self, id: u32) {
        self.grains.remove(&id);
    }

    /// Returns the warning for the user, if any.
    pub fn warning(&self) -> Option<String> {
        (self.stops > MANY && 2 * self.short > self.stops).then(|| {
            format!(
                "{} of {} times a grain that was stopped had to be woken within a dwell: what stands \
                 still here is not at rest; let it be calm for longer (morph.dwell, morph.residual) or \
                 do without (morph.rigid = false)",
                self.short, self.stops
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_woken_too_often_must_be_calm_for_longer() {
        let (mut thrash, dwell) = (Thrash::default(), 1.0);
        let mut now = 0.0;
        let mut dwells = Vec::new();
        for _ in 0..100 {
            thrash.stop(7, now);
            now += 0.5;
            thrash.wake(7, now, dwell);
            dwells.push(thrash.dwells(7));
            // As long as it must be calm.
            now += f64::from(thrash.dwells(7));
        }
        // Eight wakes are tolerated, the ninth is not; so it goes on up to the bound.
        assert_eq!(dwells[7..9], [1, 2]);
        assert_eq!(dwells.last(), Some(&MOST));
        assert_eq!((thrash.stops, thrash.short), (100, 100));
        assert_eq!(thrash.dwells(8), 1);
        // After a long enough time without a wake, the grain begins anew.
        thrash.stop(7, now);
        now += 2.0 * SHORT * f64::from(MOST);
        thrash.wake(7, now, dwell);
        assert_eq!(thrash.dwells(7), 1);
        assert_eq!(thrash.short, 100);
    }

    #[test]
    fn few_wakes_in_a_long_time_are_no_thrash() {
        let mut thrash = Thrash::default();
        for k in 0..1000 {
            let now = 3.0 * f64::from(k);
            thrash.stop(1, now);
            thrash.wake(1, now + 2.0, 1.0);
        }
        assert_eq!((thrash.dwells(1), thrash.short), (1, 0));
        assert_eq!(thrash.warning(), None);
    }

    #[test]
    fn it_warns_when_most_stops_were_in_vain() {
        let mut thrash = Thrash::default();
        for k in 0..1001 {
            thrash.stop(k, 0.0);
            if k < 501 {
                assert_eq!(thrash.warning(), None);
                thrash.wake(k, 0.5, 1.0);
            }
        }
        assert!(
            thrash
                .warning()
                .is_some_and(|text| text.contains("501 of 1001"))
        );
    }
}
