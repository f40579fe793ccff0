//! Times of the rows of a log, and of its last row.

use serde::{Deserialize, Serialize};

/// The last row of the series.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct LastRow {
    /// Time of that row, s; the end of a run that is over.
    last: f64,
    /// Step of that row, from which wall loads are averaged.
    row: i64,
}

impl LastRow {
    /// Begins the series at this step.
    pub fn begin(&mut self, step: i64) {
        self.row = step;
    }

    /// Books a row of the series at a time, s, and a step; returns the steps since the last.
    pub fn row(&mut self, time: f64, step: i64) -> i64 {
        self.last = time;
        step - std::mem::replace(&mut self.row, step)
    }

    /// Books the end of the run at this time, s.
    pub fn end(&mut self, time: f64) {
        self.last = time;
    }

    /// Returns the time of the last row of the series, or of the end, s.
    pub fn last(&self) -> f64 {
        self.last
    }
}

/// Returns the time of the n-th tick of an interval, s: n intervals, as sums of intervals would drift. A tick that rounding alone
/// puts past the finish comes with it, as the sixth of 0.05 s in a run of 0.3 s.
pub(super) fn tick_at(n: u64, every: f64, finish: f64) -> f64 {
    let time = n as f64 * every;
    match time > finish && time - finish <= 4.0 * f64::EPSILON * finish {
        true => finish,
        false => time,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_tick_is_not_lost_by_rounding() {
        // 6 x 0.05 is slightly over 0.3.
        assert_eq!(tick_at(6, 0.05, 0.3), 0.3);
        assert_eq!(tick_at(5, 0.05, 0.3), 0.25);
        assert!(tick_at(7, 0.05, 0.3) > 0.34);
        for finish in 1..1000u32 {
            for parts in [3u32, 7, 10, 100, 500, 999] {
                let finish = 0.1 * f64::from(finish);
                let last = tick_at(u64::from(parts), finish / f64::from(parts), finish);
                assert!(
                    last <= finish && last > 0.999_999 * finish,
                    "{finish} in {parts}"
                );
            }
        }
    }
}
