//! Discharge over time: rate over a moving window, mean rate with its error from blocks.

use super::StudyError;
use super::ensemble::{Spread, spread};
use super::error::{check, enough, finite, positive};

/// Returns the number of grains that have left by a time, interpolated linearly between ticks.
fn left_by(times: &[f64], counts: &[f64], time: f64) -> f64 {
    let after = times.partition_point(|&t| t <= time);
    let Some(before) = after.checked_sub(1) else {
        return counts[0];
    };
    if after == times.len() || times[after] <= times[before] {
        return counts[before];
    }
    let share = (time - times[before]) / (times[after] - times[before]);
    counts[before] + share * (counts[after] - counts[before])
}

fn curve(times: &[f64], counts: &[f64]) -> Result<(), StudyError> {
    enough("ticks of a discharge", times.len().min(counts.len()), 2)?;
    if times.len() != counts.len() {
        return Err(StudyError::Unequal {
            what: "ticks of a discharge",
            first: times.len(),
            second: counts.len(),
        });
    }
    finite("time of a discharge", times)?;
    finite("count of a discharge", counts)
}

/// Returns the rate of discharge at each tick, 1/s: grains that leave within a window around it, over the part of the
/// window between the first tick and the last.
pub fn moving_rate(times: &[f64], counts: &[f64], window: f64) -> Result<Vec<f64>, StudyError> {
    curve(times, counts)?;
    positive("window of a rate", window)?;
    let (first, last) = (times[0], times[times.len() - 1]);
    let rate = |&t: &f64| {
        let from = (t - 0.5 * window).max(first);
        let to = (t + 0.5 * window).min(last);
        let grains = left_by(times, counts, to) - left_by(times, counts, from);
        if to > from { grains / (to - from) } else { 0.0 }
    };
    Ok(times.iter().map(rate).collect())
}

/// Returns the mean rate from `from` to `to` with its error from the spread of `blocks` blocks of equal length, 1/s.
/// Blocks must be longer than the correlation time of the flow at the orifice: the time in which a few grains fall.
pub fn block_rate(
    times: &[f64],
    counts: &[f64],
    from: f64,
    to: f64,
    blocks: usize,
) -> Result<Spread, StudyError> {
    curve(times, counts)?;
    check("end of the discharge", to, "after its beginning", |to| {
        to > from
    })?;
    let length = (to - from) / blocks.max(1) as f64;
    let rates: Vec<f64> = (0..blocks)
        .map(|k| {
            let (low, high) = (from + length * k as f64, from + length * (k + 1) as f64);
            (left_by(times, counts, high) - left_by(times, counts, low)) / length
        })
        .collect();
    spread(&rates)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_steady_discharge_has_its_rate_and_no_error() {
        let times: Vec<f64> = (0..=100).map(|k| 0.1 * f64::from(k)).collect();
        let counts: Vec<f64> = times.iter().map(|t| 7.0 * t).collect();
        // Sums of some hundred rounded terms.
        for rate in moving_rate(&times, &counts, 0.5).unwrap() {
            assert!((rate - 7.0).abs() < 1e-9, "{rate}");
        }
        let mean = block_rate(&times, &counts, 1.0, 9.0, 8).unwrap();
        assert!((mean.mean - 7.0).abs() < 1e-9 && mean.error < 1e-9);
        assert!(moving_rate(&times, &counts, 0.0).is_err());
        assert!(block_rate(&times, &counts, 2.0, 2.0, 8).is_err());
        assert!(moving_rate(&times[1..], &counts, 1.0).is_err());
    }

    #[test]
    fn blocks_tell_how_uneven_a_discharge_is() {
        // In every second block nothing moves: half the rate, with a spread.
        let times: Vec<f64> = (0..=8).map(f64::from).collect();
        let counts = [0.0, 4.0, 4.0, 8.0, 8.0, 12.0, 12.0, 16.0, 16.0];
        let mean = block_rate(&times, &counts, 0.0, 8.0, 8).unwrap();
        assert!((mean.mean - 2.0).abs() < 1e-12);
        // Deviation of four zeros and four fours, over the root of eight.
        assert!((mean.error - (32.0f64 / 7.0).sqrt() / 8f64.sqrt()).abs() < 1e-12);
    }
}
