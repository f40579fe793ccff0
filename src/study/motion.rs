//! Motion of grains: mean-square displacement and correlation of velocities over a lag.

use serde::Serialize;

use super::ensemble::spread;
use super::error::{StudyError, check, enough, positive};

/// Grains at equally spaced times, by time and then by grain; none where a grain is absent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Paths {
    /// Interval between successive times, s.
    pub step: f64,
    /// Positions, m, not wrapped: see [`unwrapped`].
    pub places: Vec<Vec<Option<[f64; 3]>>>,
    /// Velocities, m/s; may be empty.
    pub velocities: Vec<Vec<Option<[f64; 3]>>>,
}

/// Results for one lag.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Lag {
    /// The lag, s.
    pub lag: f64,
    /// Mean-square displacement, m^2.
    pub displacement: f64,
    /// Standard error, from blocks of starting times, each at least as long as the lag; none where there are fewer
    /// than two.
    pub displacement_error: Option<f64>,
    /// Mean-square displacement relative to the mean displacement of all grains, m^2.
    pub about_mean: f64,
    /// Standard error.
    pub about_mean_error: Option<f64>,
    /// Mean of v(t) . v(t + lag) over the root of the means of v(t)^2 and of v(t + lag)^2, of the same grains: from
    /// -1 to 1; none without velocities.
    pub correlation: Option<f64>,
    /// Standard error.
    pub correlation_error: Option<f64>,
}

/// Greatest number of blocks for an error.
const BLOCKS: usize = 10;

/// Unwraps positions in a periodic box to paths without jumps: each position becomes the image nearest to the
/// previous one, by `nearest`, which reduces a displacement. A grain must move less than half a box between
/// successive times.
pub fn unwrapped(
    places: &[Vec<Option<[f64; 3]>>],
    nearest: impl Fn([f64; 3]) -> [f64; 3],
) -> Vec<Vec<Option<[f64; 3]>>> {
    let mut paths: Vec<Vec<Option<[f64; 3]>>> = Vec::with_capacity(places.len());
    for (k, now) in places.iter().enumerate() {
        let Some((before, path)) = k.checked_sub(1).map(|b| (&places[b], &paths[b])) else {
            paths.push(now.clone());
            continue;
        };
        let follow = |grain: usize| {
            let here = now[grain]?;
            match (before.get(grain), path.get(grain)) {
                (Some(Some(was)), Some(Some(stood))) => {
                    let way = nearest(std::array::from_fn(|k| here[k] - was[k]));
                    Some(std::array::from_fn(|k| stood[k] + way[k]))
                }
                _ => Some(here),
            }
        };
        paths.push((0..now.len()).map(follow).collect());
    }
    paths
}

/// Returns displacements and correlations over these lags, counted in intervals. Every time from which the lag fits
/// is a start, or every second, third, ... where there are more than `starts`; a grain counts if it is present at all
/// times between, so that one that was removed and came back is not counted as moving.
///
/// # Errors
/// Fewer than two times, a lag of zero or too long, an interval that is not above 0.
pub fn motion(paths: &Paths, lags: &[usize], starts: usize) -> Result<Vec<Lag>, StudyError> {
    let moments = paths.places.len();
    enough("moments of a motion", moments, 2)?;
    positive("time between moments", paths.step)?;
    enough("starting moments", starts, 1)?;
    // Time since which each grain has been present without a gap.
    let grains = paths.places.iter().map(Vec::len).max().unwrap_or(0);
    let mut since: Vec<Vec<u32>> = Vec::with_capacity(moments);
    for (k, places) in paths.places.iter().enumerate() {
        let there = |g: usize| places.get(g).is_some_and(Option::is_some);
        let before = |g: usize| k > 0 && since[k - 1][g] != u32::MAX;
        let row = (0..grains).map(|g| match (there(g), before(g)) {
            (false, _) => u32::MAX,
            (true, true) => since[k - 1][g],
            (true, false) => k as u32,
        });
        let row = row.collect();
        since.push(row);
    }
    lags.iter()
        .map(|&lag| {
            check(
                "lag, in moments",
                lag as f64,
                "from 1 to one less than moments",
                |_| (1..moments).contains(&lag),
            )?;
            Ok(over(paths, &since, lag, starts))
        })
        .collect()
}

/// Displacement, displacement about the mean, correlation.
type Means = ([f64; 2], Option<f64>);

fn over(paths: &Paths, since: &[Vec<u32>], lag: usize, starts: usize) -> Lag {
    let origins = paths.places.len() - lag;
    let every = origins.div_ceil(starts).max(1);
    // For each start: displacement, displacement about the mean, v . v', v . v, v' . v', weighted by its grains.
    let mut found: Vec<(usize, [f64; 5], f64)> = Vec::new();
    for from in (0..origins).step_by(every) {
        let to = from + lag;
        let (mut count, mut square, mut drift) = (0.0, 0.0, [0.0; 3]);
        let mut speeds = [0.0; 3];
        for grain in 0..since[to].len() {
            if since[to][grain] > from as u32 {
                continue;
            }
            let (Some(a), Some(b)) = (paths.places[from][grain], paths.places[to][grain]) else {
                continue;
            };
            count += 1.0;
            for k in 0..3 {
                let way = b[k] - a[k];
                square += way * way;
                drift[k] += way;
            }
            let velocity = |at: usize| paths.velocities.get(at)?.get(grain).copied().flatten();
            if let (Some(u), Some(v)) = (velocity(from), velocity(to)) {
                for k in 0..3 {
                    speeds[0] += u[k] * v[k];
                    speeds[1] += u[k] * u[k];
                    speeds[2] += v[k] * v[k];
                }
            }
        }
        if count > 0.0 {
            let mean = drift.iter().map(|d| d * d).sum::<f64>() / count;
            // The mean depends on the grains that it is computed from: made unbiased, as a variance is.
            let about = (square - mean).max(0.0) * (count / f64::max(count - 1.0, 1.0));
            let [both, first, second] = speeds;
            found.push((from, [square, about, both, first, second], count));
        }
    }
    let total = |part: &[(usize, [f64; 5], f64)]| -> Option<Means> {
        let mut sums = [0.0; 5];
        let mut count = 0.0;
        for (_, values, grains) in part {
            for (sum, value) in sums.iter_mut().zip(values) {
                *sum += value;
            }
            count += grains;
        }
        let scale = (sums[3] * sums[4]).sqrt();
        let ratio = (scale > 0.0).then(|| sums[2] / scale);
        (count > 0.0).then(|| ([sums[0] / count, sums[1] / count], ratio))
    };
    let blocks = (origins / lag).clamp(1, BLOCKS);
    let mut means: Vec<Means> = Vec::new();
    for block in 0..blocks {
        let [from, to] = [block, block + 1].map(|b| b * origins / blocks);
        let first = found.partition_point(|f| f.0 < from);
        let last = found.partition_point(|f| f.0 < to);
        means.extend(total(&found[first..last]));
    }
    let error = |of: &dyn Fn(&Means) -> Option<f64>| {
        let values: Vec<f64> = means.iter().filter_map(of).collect();
        spread(&values).ok().map(|s| s.error)
    };
    // If no grain stayed there is no displacement.
    let nothing = ([f64::NAN; 2], None);
    let ([displacement, about_mean], correlation) = total(&found).unwrap_or(nothing);
    Lag {
        lag: paths.step * lag as f64,
        displacement,
        displacement_error: error(&|m| Some(m.0[0])),
        about_mean,
        about_mean_error: error(&|m| Some(m.0[1])),
        correlation,
        correlation_error: error(&|m| m.1),
    }
}

/// Returns the lags for a number of times: some per decade, up to half of the run.
pub fn lags(moments: usize) -> Vec<usize> {
    let most = moments / 2;
    let mut lags: Vec<usize> = Vec::new();
    let mut next = 1.0;
    while next <= most as f64 {
        let lag = next as usize;
        if lags.last() != Some(&lag) {
            lags.push(lag);
        }
        next *= 1.25;
    }
    lags
}
