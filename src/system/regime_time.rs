//! Time that grains spend in each regime.

use serde::{Deserialize, Serialize};

use super::filled::Filling;
use super::nodes::NodeCounts;
use crate::event::Regime;
use crate::record::RegimeShares;

/// Grain-seconds in each regime.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct RegimeTime {
    /// By regime, s.
    time: [f64; 4],
    /// Time up to which all is accounted for, s.
    until: f64,
    /// Steps of grains if all were stepped.
    all_steps: f64,
    /// Numbers of nodes.
    pub nodes: NodeCounts,
}

impl RegimeTime {
    /// Starts to account at this time, s.
    pub fn since(time: f64) -> Self {
        Self {
            until: time,
            ..Self::default()
        }
    }

    /// Adds the filling before, in which all grains were in equilibrium.
    pub fn go_on_from(&mut self, filling: &Filling) {
        self.time[Regime::Rigid as usize] += filling.grain_seconds;
    }

    /// Adds the time since the last call, given the numbers of grains in each regime (in the order of [`Regime`]) and the step, s.
    pub fn pass(&mut self, now: f64, step: f64, grains: impl FnOnce() -> [usize; 4]) {
        let lasted = now - self.until;
        self.until = now;
        if lasted <= 0.0 {
            return;
        }
        let grains = grains();
        for (time, grains) in self.time.iter_mut().zip(grains) {
            *time += lasted * grains as f64;
        }
        self.all_steps += lasted / step * grains.iter().sum::<usize>() as f64;
    }

    /// Adds the time of other ranks.
    pub fn add(&mut self, by: &Self) {
        for (to, by) in self.time.iter_mut().zip(by.time) {
            *to += by;
        }
        self.all_steps += by.all_steps;
    }

    /// Returns the number of steps of grains if all were stepped.
    pub fn all_steps(&self) -> u64 {
        self.all_steps.round() as u64
    }

    /// Returns the time of grains in each regime, s.
    pub fn grain_seconds(&self) -> [f64; 4] {
        self.time
    }

    /// Returns the share of each regime in the whole.
    pub fn shares(&self) -> RegimeShares {
        let all: f64 = self.time.iter().sum();
        let share = |regime: Regime| {
            if all > 0.0 {
                self.time[regime as usize] / all
            } else {
                0.0
            }
        };
        RegimeShares {
            flight: share(Regime::Flight),
            cluster: share(Regime::Cluster),
            rest: share(Regime::Rest),
            rigid: share(Regime::Rigid),
        }
    }
}
