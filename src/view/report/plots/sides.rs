//! Plot that shows whether a discharge comes from both sides at once: mean sinking speed left and right of the
//! middle.

use super::three;
use crate::study::correlation::pearson;
use crate::view::plot::{Axis, Column, INK, Mark, Plot, Scaling};
use crate::view::report::run::Run;

/// Least number of snapshots, and of grains on each side in one, for a plot.
const FRAMES: usize = 20;
const GRAINS: usize = 20;

/// Plots the speeds to the left and to the right of the middle, in the plane, during an outflow.
pub(super) fn alternating(run: &Run) -> Option<Plot> {
    let frames = run.frames.as_ref().filter(|_| run.meta.dimensions == 2)?;
    run.summary.discharge.filter(|d| d.count > 50)?;
    let gravity = run.given.as_ref()?.gravity;
    let upright = gravity[1] < 0.0 && gravity[0].abs() < 1e-6 * gravity[1].abs();
    let [low, high] = run.film.as_ref()?.view();
    let middle = 0.5 * (low[0] + high[0]);
    let (mut times, mut sides, mut share) = (Vec::new(), [Vec::new(), Vec::new()], Vec::new());
    for frame in frames.frames.iter().filter(|frame| frame.time >= 0.0) {
        let (mut count, mut speed) = ([0usize; 2], [0.0; 2]);
        for grain in &frame.grains {
            let [x, y, _] = grain.position.map(f64::from);
            let down = -f64::from(grain.velocity[1]);
            if (low[1]..=high[1]).contains(&y) && down.is_finite() {
                let side = usize::from(x > middle);
                count[side] += 1;
                speed[side] += down;
            }
        }
        if count.iter().any(|n| *n < GRAINS) {
            continue;
        }
        let mean = [speed[0] / count[0] as f64, speed[1] / count[1] as f64];
        times.push(frame.time);
        sides[0].push(mean[0]);
        sides[1].push(mean[1]);
        let all = mean[0].abs() + mean[1].abs();
        share.push(if all > 0.0 {
            (mean[1] - mean[0]) / all
        } else {
            0.0
        });
    }
    if !upright || times.len() < FRAMES {
        return None;
    }
    let mut plot = Plot::new(
        "sides",
        "Flow from the left and the right",
        Axis::new("time (s)", Scaling::Tight),
        Axis::new("mean speed downwards (m/s)", Scaling::Even),
    );
    plot.timed = true;
    plot.about = format!(
        "Mean speed downwards of the grains left and right of the middle (x = {} m) in each snapshot with at least \
         {GRAINS} on either side. Where one curve is up while the other is down, the flow alternates. Their correlation is \
         {:.2}.",
        three(middle),
        correlation(&sides[0], &sides[1])
    );
    let line = |values: &[f64]| {
        let times = times.iter().copied();
        Mark::Line(
            times
                .zip(values.iter().copied())
                .map(<[f64; 2]>::from)
                .collect(),
        )
    };
    plot.draw("left", 0, line(&sides[0]));
    plot.draw("right", 1, line(&sides[1]));
    let (from, to) = (*times.first()?, *times.last()?);
    plot.draw("", INK, Mark::Dashed(vec![[from, 0.0], [to, 0.0]]));
    let [left, right] = sides;
    plot.table = vec![
        Column::new("time", "s", times),
        Column::new("left", "m/s", left),
        Column::new("right", "m/s", right),
        Column::new("difference_over_sum", "1", share),
    ];
    Some(plot)
}

/// Returns the correlation of two rows of numbers (Pearson); 0 if one is constant.
fn correlation(a: &[f64], b: &[f64]) -> f64 {
    pearson(a, b).map_or(0.0, |found| found.coefficient)
}

#[cfg(test)]
mod tests {
    use super::correlation;

    #[test]
    fn what_alternates_is_correlated_the_other_way_round() {
        let a = [0.0, 1.0, 0.0, 1.0];
        assert_eq!(correlation(&a, &a.map(|x| 3.0 * x + 1.0)), 1.0);
        assert_eq!(correlation(&a, &a.map(|x| 1.0 - x)), -1.0);
        assert_eq!(correlation(&a, &[2.0; 4]), 0.0);
    }
}
