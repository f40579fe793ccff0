//! Plots of the motion of grains: mean-square displacement, correlation of velocities.

use super::three;
use crate::study::coarse::lattices;
use crate::study::motion::{Lag, Paths, lags, motion, unwrapped};
use crate::view::plot::{Axis, Column, Mark, Plot, Scaling};
use crate::view::report::run::Run;

/// Least number of snapshots.
const MOMENTS: usize = 12;
/// Limit on grains times snapshots: of more grains every second, third, ... is followed.
const PLACES: usize = 1_000_000;
/// Greatest number of start times for a lag.
const STARTS: usize = 100;
/// Mean-square displacement over the squared diameter below which the motion is negligible.
const MOVED: f64 = 1e-8;

/// Plots displacement and correlation of a run from time 0 on.
pub(super) fn plots(run: &Run) -> Vec<Plot> {
    let Some((found, grains)) = found(run) else {
        return Vec::new();
    };
    let plots = [displacement(&found, grains), correlation(&found, grains)];
    plots.into_iter().flatten().collect()
}

fn found(run: &Run) -> Option<(Vec<Lag>, usize)> {
    let frames = run.frames.as_ref()?;
    if run.given.as_ref().is_some_and(|given| given.quasi_static) {
        return None;
    }
    let all: Vec<_> = frames.frames.iter().filter(|f| f.time >= 0.0).collect();
    let step = all.get(1)?.time - all[0].time;
    // Uses the snapshots as long as they are equally spaced: the last may not be.
    let even = all.windows(2).take_while(|w| {
        let off = w[1].time - w[0].time - step;
        off.abs() < 1e-6 * step
    });
    let moments = even.count() + 1;
    let all = &all[..moments];
    if moments < MOMENTS {
        return None;
    }
    let count = frames.grains.len();
    let every = (count * moments).div_ceil(PLACES).max(1);
    let followed = count.div_ceil(every);
    let gather = |velocities: bool| -> Vec<Vec<Option<[f64; 3]>>> {
        let mut rows = vec![vec![None; followed]; moments];
        for (row, frame) in rows.iter_mut().zip(all) {
            for grain in &frame.grains {
                let value = match velocities {
                    true => grain.velocity.map(f64::from),
                    false => grain.position.map(f64::from),
                };
                let index = grain.index as usize;
                if index.is_multiple_of(every) && value.iter().all(|x| x.is_finite()) {
                    row[index / every] = Some(value);
                }
            }
        }
        rows
    };
    let times: Vec<f64> = all.iter().map(|f| f.time).collect();
    let lattices = lattices(&run.meta, &run.series, &times);
    // A flow that follows the edges of a box is no displacement of grains relative to each other.
    if run.meta.cell || lattices.iter().any(Option::is_none) {
        return None;
    }
    let lattice = lattices.into_iter().next()??;
    let places = gather(false);
    let paths = Paths {
        step,
        places: unwrapped(&places, |way| lattice.nearest(way)),
        velocities: gather(true),
    };
    let found = motion(&paths, &lags(moments), STARTS).ok()?;
    let diameter = 2.0 * frames.mean_radius();
    let most = found.iter().map(|l| l.displacement).fold(0.0, f64::max);
    (most > MOVED * diameter * diameter).then_some((found, followed))
}

fn column(name: &str, unit: &str, found: &[Lag], of: impl Fn(&Lag) -> Option<f64>) -> Column {
    let values = found.iter().map(|l| of(l).unwrap_or(f64::NAN));
    Column::new(name, unit, values.collect())
}

/// Draws a band, if there is one.
fn shade(plot: &mut Plot, colour: usize, band: Vec<[f64; 3]>) {
    if band.len() > 1 {
        plot.draw("", colour, Mark::Area(band));
    }
}

fn displacement(found: &[Lag], grains: usize) -> Option<Plot> {
    let mut plot = Plot::new(
        "msd",
        "Mean-square displacement",
        Axis::new("lag (s)", Scaling::Log),
        Axis::new("displacement squared (m\u{b2})", Scaling::Log),
    );
    let points = |of: &dyn Fn(&Lag) -> f64| -> Vec<[f64; 2]> {
        let all = found.iter().map(|l| [l.lag, of(l)]);
        all.filter(|p| p[1] > 0.0).collect()
    };
    let (all, about) = (points(&|l| l.displacement), points(&|l| l.about_mean));
    if all.len() < 3 {
        return None;
    }
    let slope = |points: &[[f64; 2]]| {
        let (first, last) = (points.first()?, points.last()?);
        let half = points
            .iter()
            .find(|p| p[0] >= (first[0] * last[0]).sqrt())?;
        let over = libm::log(last[0] / half[0]);
        (over > 0.0).then(|| (libm::log(last[1] / half[1]) / over, over / libm::log(10.0)))
    };
    plot.about = format!(
        "Mean square displacement of {grains} grains over a lag, as far as they were there all the time (of a discharge \
         those above, which are slow), and that less the mean displacement of all; displacements go on across periodic borders. Bands: one standard error, from blocks of starting times as long as the lag at least. Grains that fly \
         freely go with the square of the lag, grains that diffuse with the lag.{}",
        match slope(&about) {
            Some((slope, decades)) => {
                let does = if slope < 0.0 { "falls" } else { "grows" };
                let lags = about
                    .iter()
                    .filter(|p| p[0] >= (about[0][0] * about[about.len() - 1][0]).sqrt());
                format!(
                    " Over the longer half of the lags ({} decades, {} lags, which share their grains) the latter {does} with power {}.",
                    three(decades),
                    lags.count(),
                    three(slope)
                )
            }
            None => String::new(),
        }
    );
    let band = |of: &dyn Fn(&Lag) -> (f64, Option<f64>)| {
        let all = found.iter().filter_map(|l| {
            let (value, error) = of(l);
            let error = error?;
            (value > error).then_some([l.lag, value - error, value + error])
        });
        all.collect()
    };
    shade(
        &mut plot,
        0,
        band(&|l| (l.displacement, l.displacement_error)),
    );
    plot.draw("all of it", 0, Mark::Line(all));
    if about.len() > 2 && grains > 1 {
        shade(&mut plot, 1, band(&|l| (l.about_mean, l.about_mean_error)));
        plot.draw("less the mean way", 1, Mark::Line(about));
    }
    plot.table = vec![
        column("lag", "s", found, |l| Some(l.lag)),
        column("displacement", "m^2", found, |l| Some(l.displacement)),
        column("displacement_error", "m^2", found, |l| l.displacement_error),
        column("about_mean", "m^2", found, |l| Some(l.about_mean)),
        column("about_mean_error", "m^2", found, |l| l.about_mean_error),
    ];
    Some(plot)
}

fn correlation(found: &[Lag], grains: usize) -> Option<Plot> {
    let points: Vec<[f64; 2]> = found
        .iter()
        .filter_map(|l| Some([l.lag, l.correlation?]))
        .collect();
    if points.len() < 3 {
        return None;
    }
    let mut plot = Plot::new(
        "velocity-correlation",
        "Memory of velocities",
        Axis::new("lag (s)", Scaling::Log),
        Axis::new("correlation", Scaling::Even),
    );
    plot.about = format!(
        "Mean of v(t) \u{b7} v(t + lag) over the root of the means of v(t)\u{b2} and v(t + lag)\u{b2}, of those of {grains} grains that \
         were there from one moment to the other: 1 where velocities stay, 0 where they are forgotten. The common motion \
         is in it. Band: one standard error, as above."
    );
    let band = found.iter().filter_map(|l| {
        let (value, error) = (l.correlation?, l.correlation_error?);
        Some([l.lag, value - error, value + error])
    });
    shade(&mut plot, 0, band.collect());
    plot.draw("", 0, Mark::Line(points));
    plot.table = vec![
        column("lag", "s", found, |l| Some(l.lag)),
        column("correlation", "1", found, |l| l.correlation),
        column("correlation_error", "1", found, |l| l.correlation_error),
    ];
    Some(plot)
}
