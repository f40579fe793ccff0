//! Collisions with friction of pairs that are not all alike: interpolation between tables.
//!
//! A [`RoughTable`] is valid for one damping number. Where the number differs from pair to pair (a
//! linear damper and grains of several masses) or with the speed (viscoelastic spheres), a family
//! contains the tables of several such numbers and interpolates linearly between two of them.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::rough::{Rough, ScaledRough};
use super::table::{RoughError, RoughTable, course};
use crate::contact::ContactLaw;

/// Tables over a range of damping numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoughFamily {
    law: ContactLaw,
    inertia: f64,
    /// Ends of the range.
    low: f64,
    high: f64,
    tables: Vec<RoughTable>,
    error: f64,
}

/// Greatest number of tables: each takes about a hundred contact integrations.
const MOST: usize = 33;
/// Sufficient error of the impulse between two tables, in units of friction times effective mass times approach
/// speed: kinks are at different places in each, so the error decreases slowly with the number of tables.
const BETWEEN: f64 = 1e-4;

impl RoughFamily {
    /// Tables for a range of [`damping_unit`](super::rough::damping_unit)s: a single one with error `tolerance`, or so many, each
    /// with error 2e-5 or `tolerance`, that the impulse halfway between two is off by at most 1e-4 or `tolerance`, if 33 are enough.
    ///
    /// # Errors
    /// If no table can represent the law.
    pub fn build(
        law: &ContactLaw,
        [low, high]: [f64; 2],
        inertia: f64,
        tolerance: f64,
    ) -> Result<Self, RoughError> {
        let one = high - low <= 1e-12 * high;
        let mut family = RoughFamily {
            law: *law,
            inertia,
            low,
            high: if one { low } else { high },
            tables: Vec::new(),
            error: tolerance,
        };
        let enough = tolerance.max(BETWEEN);
        // A single table has the requested tolerance; interpolation between several is less accurate, so these need not be much better.
        let each = match one {
            true => tolerance,
            false => tolerance.max(0.2 * BETWEEN),
        };
        let mut count = if one { 1 } else { 3 };
        loop {
            let at = |k: usize| low + (high - low) * k as f64 / (count - 1).max(1) as f64;
            // Every other table is known from the step with half as many.
            let known = std::mem::take(&mut family.tables);
            let table = |k: usize| match known.get(k / 2) {
                Some(table) if k.is_multiple_of(2) => Ok(table.clone()),
                _ => RoughTable::build_at(law, at(k), inertia, each),
            };
            family.tables = (0..count)
                .into_par_iter()
                .map(table)
                .collect::<Result<_, _>>()?;
            let between = (1..count)
                .into_par_iter()
                .map(|k| family.error_between(k, enough));
            family.error = between.reduce(|| each, f64::max);
            if family.error <= enough || 2 * count - 1 > MOST {
                return Ok(family);
            }
            count = 2 * count - 1;
        }
    }

    /// Greatest error of the impulse between two tables, in units of friction times effective mass
    /// times approach speed: at ratios of sliding to approach speed up to 14 times the friction, in
    /// steps that differ from those of the tables.
    fn error_between(&self, upper: usize, enough: f64) -> f64 {
        let step = (self.high - self.low) / (self.tables.len() - 1) as f64;
        let unit = self.low + (upper as f64 - 0.5) * step;
        let friction = self.tables[upper].friction();
        let resolved = ScaledRough::new(&self.law, unit, self.inertia);
        let course = course(&resolved, enough);
        let mut worst: f64 = 0.0;
        for k in 0..24 {
            let share = (f64::from(k) + 0.37) / 25.0;
            let ratio = friction * share / (1.0 - share);
            let got = self.between(unit, ratio).impulse;
            let want = course.collide(ratio).impulse;
            worst = worst.max((got - want).abs() / friction);
        }
        worst
    }

    fn between(&self, unit: f64, ratio: f64) -> Rough {
        let last = self.tables.len() - 1;
        if last == 0 {
            return self.tables[0].outcome(ratio);
        }
        let place = (unit - self.low) / (self.high - self.low) * last as f64;
        let first = (place as usize).min(last - 1);
        let share = place - first as f64;
        let [a, b] = [first, first + 1].map(|k| self.tables[k].outcome(ratio));
        let mix = |a: f64, b: f64| a + (b - a) * share;
        Rough {
            restitution: mix(a.restitution, b.restitution),
            impulse: mix(a.impulse, b.impulse),
            duration: mix(a.duration, b.duration),
        }
    }

    /// The outcome at a damping number and a ratio of sliding to approach speed; none outside the range.
    pub fn outcome(&self, unit: f64, ratio: f64) -> Option<Rough> {
        // A single damping number equals that of the law and the pair up to rounding.
        let give = 1e-12 * self.high;
        let inside = self.low - give <= unit && unit <= self.high + give;
        inside.then(|| self.between(unit.clamp(self.low, self.high), ratio))
    }
    /// Greatest error of the impulse found, in units of friction times effective mass times
    /// approach speed.
    pub fn error(&self) -> f64 {
        self.error
    }
    /// Number of tables.
    pub fn tables(&self) -> usize {
        self.tables.len()
    }
}
