//! Plots the velocities of flying grains, beside Maxwell's distribution.

use std::f64::consts::TAU;

use super::course::THEORY;
use super::three;
use crate::study::histogram::histogram;
use crate::view::plot::{Axis, Column, Mark, Plot, Scaling};
use crate::view::report::run::Run;

/// Greatest component, relative to the root mean square, that is shown.
const REACH: f64 = 5.0;
/// Number of bins of the histogram.
const BINS: usize = 50;
/// Least number of components.
const FEWEST: usize = 1000;
/// Least fraction of grains in flight, averaged over time.
const FLYING: f64 = 0.6;

/// Plots components of the velocities over their root mean square, in the second half of a run of flyers.
pub(super) fn velocities(run: &Run) -> Option<Plot> {
    let frames = run.frames.as_ref()?;
    if run.summary.regimes.flight < FLYING {
        return None;
    }
    let (d, end) = (run.meta.dimensions, frames.frames.last()?.time);
    let mut scaled = Vec::new();
    for frame in frames.frames.iter().filter(|f| f.time >= 0.5 * end) {
        for axis in 0..d {
            let all = || frame.grains.iter().map(|g| f64::from(g.velocity[axis]));
            let count = frame.grains.len() as f64;
            let mean = all().sum::<f64>() / count;
            let square = all().map(|v| (v - mean) * (v - mean)).sum::<f64>() / count;
            if square > 0.0 {
                scaled.extend(all().map(|v| (v - mean) / square.sqrt()));
            }
        }
    }
    if scaled.len() < FEWEST {
        return None;
    }
    let bins = histogram(&scaled, -REACH, REACH, BINS).ok()?;
    let normal = |x: f64| libm::exp(-0.5 * x * x) / TAU.sqrt();
    let fourth = scaled.iter().map(|x| x * x * x * x).sum::<f64>() / scaled.len() as f64;
    let mut plot = Plot::new(
        "velocities",
        "Velocities",
        Axis::new(
            "component of velocity over its root mean square",
            Scaling::Tight,
        ),
        Axis::new("probability density", Scaling::Log),
    );
    plot.about = format!(
        "Components of the velocities, less their mean, over their root mean square in each snapshot of the second \
         half of the run. In equilibrium they are normal (Maxwell); excess of the fourth moment over the \
         normal one: {}.",
        three(fourth / 3.0 - 1.0)
    );
    let bars = bins.iter().filter(|b| b.count > 0);
    plot.draw(
        "grains",
        5,
        Mark::Bars(bars.map(|b| [b.low, b.high, b.density]).collect()),
    );
    let least = bins
        .iter()
        .filter(|b| b.count > 0)
        .map(|b| b.density)
        .fold(1.0, f64::min);
    let place = |k: usize| REACH * (k as f64 / 60.0 - 1.0);
    let curve = (0..=120).map(|k| [place(k), normal(place(k))]);
    let curve = curve.filter(|p| p[1] >= 0.5 * least);
    plot.draw("normal", THEORY, Mark::Dashed(curve.collect()));
    let middle = |b: &crate::study::histogram::Bin| 0.5 * (b.low + b.high);
    plot.table = vec![
        Column::new("component", "1", bins.iter().map(middle).collect()),
        Column::new("density", "1", bins.iter().map(|b| b.density).collect()),
        Column::new(
            "normal",
            "1",
            bins.iter().map(|b| normal(middle(b))).collect(),
        ),
    ];
    Some(plot)
}
