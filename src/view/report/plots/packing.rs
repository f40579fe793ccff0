//! Plots of contacts: their number, their forces, and the pressure on walls with depth.

use super::course::THEORY;
use super::three;
use crate::event::Regime;
use crate::geometry::{Planar, Spatial};
use crate::record::read::Snapshot;
use crate::study::distribution::{exponential_tail, force_distribution, over_mean};
use crate::study::network::{Network, links, network, rigidity};
use crate::study::silo::{Bed, SiloStudy, silo};
use crate::view::plot::{Axis, Column, Mark, Plot, Scaling};
use crate::view::report::run::Run;

/// Least number of links for a distribution of forces.
const FEWEST: usize = 30;
/// Width of a bin of forces, relative to their mean.
const BIN: f64 = 0.25;
/// Number of samples drawn to test an exponential tail.
const REPLICAS: usize = 200;
/// Number of points of a drawn curve.
const POINTS: usize = 80;

/// Greatest number of bearing grains whose constraints are counted.
const RIGID: usize = 20_000;

/// Plots the links per grain, over time.
pub(super) fn contact_number(run: &Run, kept: &[Snapshot]) -> Option<Plot> {
    let frames = run.frames.as_ref()?;
    let number = |f: &crate::view::report::film::Frame| {
        let (among, walls) = f.contacts;
        (2 * among + walls) as f64 / f.grains.len().max(1) as f64
    };
    let values: Vec<f64> = frames.frames.iter().map(number).collect();
    if values.len() < 3 || !values.iter().any(|n| *n > 0.0) {
        return None;
    }
    let times: Vec<f64> = frames.frames.iter().map(|f| f.time).collect();
    let mut plot = Plot::new(
        "contact-number",
        "Contact number",
        Axis::new("time (s)", Scaling::Tight),
        Axis::new("contacts a grain", Scaling::Even),
    );
    plot.timed = true;
    plot.about = "Mean number of contacts of a grain, in each snapshot: a link between grains counts for both, one \
                  with a wall for its grain; two bodies that touch in several places have as many."
        .into();
    let points = times.iter().zip(&values).map(|(t, v)| [*t, *v]);
    plot.draw("all grains", 0, Mark::Line(points.collect()));
    let networks: Vec<(f64, Network)> = kept
        .iter()
        .filter_map(|s| {
            let found = network(run.meta.dimensions, s.grains.len(), &links(s));
            Some((s.time, found.ok()?))
        })
        .collect();
    let bearing: Vec<[f64; 2]> = networks
        .iter()
        .filter_map(|(time, n)| Some([*time, n.coordination_bearing?]))
        .collect();
    if bearing.len() > 2 {
        plot.draw("bearing grains", 1, Mark::Line(bearing));
    }
    let at = |of: &dyn Fn(&Network) -> Option<f64>| {
        let value = |time: &f64| {
            let found = networks.iter().find(|n| n.0 == *time);
            found.and_then(|n| of(&n.1)).unwrap_or(f64::NAN)
        };
        times.iter().map(value).collect()
    };
    let columns = [
        Column::new("bearing_grains", "1", at(&|n| n.coordination_bearing)),
        Column::new("rattlers", "1", at(&|n| Some(n.rattlers))),
        Column::new("sliding", "1", at(&|n| n.sliding)),
        Column::new("anisotropy", "1", at(&|n| n.anisotropy)),
    ];
    // For a discharge the last snapshot in full flow, for any other run its end.
    let most = networks.iter().map(|n| n.1.contacts).max().unwrap_or(0);
    let full = networks.iter().rev().find(|n| 2 * n.1.contacts >= most);
    if let Some((time, last)) = full.filter(|n| n.1.contacts > 0) {
        let snapshot = kept.iter().find(|s| s.time == *time);
        plot.about += &snapshot.map_or(String::new(), |s| told(run, last, s));
    }
    plot.table = vec![
        Column::new("time", "s", times),
        Column::new("contact_number", "1", values),
    ];
    plot.table.extend(columns);
    Some(plot)
}

/// Describes the network of a snapshot in words.
fn told(run: &Run, n: &Network, snapshot: &Snapshot) -> String {
    let percent = |share: f64| format!("{:.1} %", 100.0 * share);
    let mut text = format!(
        " Bearing grains have as many contacts with walls and bearing grains as there are dimensions; the others, rattlers, \
         are left out with their contacts. At {} s {} of the grains are rattlers",
        three(snapshot.time),
        percent(n.rattlers)
    );
    if let Some(z) = n.coordination_bearing {
        text += &format!(", the others have {z:.2} contacts");
    }
    if let Some(sliding) = n.sliding {
        text += &format!(" of which {} slide", percent(sliding));
    }
    if let Some(anisotropy) = n.anisotropy {
        text += &format!("; anisotropy of all contacts {anisotropy:.2}");
    }
    if let (Some(mean), Some(p)) = (n.mean_force, n.percentiles) {
        text += &format!(
            "; mean force {} N, 10, 50, 90 and 99 % of the forces are under {:.2}, {:.2}, {:.2} and {:.2} of it",
            three(mean),
            p[0],
            p[1],
            p[2],
            p[3]
        );
    }
    text += ".";
    if run.meta.dimensions == 2 && n.bearing <= RIGID {
        let round = |k: usize| snapshot.grains[k].shape.is_none();
        let counted = rigidity(snapshot.grains.len(), &links(snapshot), round);
        if let Ok(Some(r)) = counted {
            text += &format!(
                " By counting constraints (pebble game) the largest rigid group has {} of the bearing grains; {} floppy \
                 modes, {} redundant constraints.",
                percent(r.largest),
                r.floppy_modes,
                r.redundant
            );
        }
    }
    text
}

/// Plots the contact forces of one snapshot.
pub(super) fn forces(run: &Run) -> Option<Plot> {
    let frames = run.frames.as_ref()?;
    let most = frames.frames.iter().map(|f| f.forces().len()).max()?;
    // For a discharge the last snapshot in full flow, for any other run its end.
    let frame = frames
        .frames
        .iter()
        .rev()
        .find(|f| 2 * f.forces().len() >= most)?;
    let forces = frame.forces();
    if forces.len() < FEWEST {
        return None;
    }
    let scaled = over_mean(&forces).ok()?;
    let found = force_distribution(&forces, BIN).ok()?;
    let mut plot = Plot::new(
        "forces",
        "Contact forces",
        Axis::new("normal force over its mean", Scaling::Even),
        Axis::new("probability density", Scaling::Log),
    );
    plot.about = format!(
        "Normal forces of the {} links at {} s over their mean, {} N.",
        forces.len(),
        three(frame.time),
        three(forces.iter().sum::<f64>() / forces.len() as f64)
    );
    let bins: Vec<_> = found.bins.iter().filter(|b| b.count > 0).collect();
    let bars = bins.iter().map(|b| [b.low, b.high, b.density]);
    plot.draw("links", 5, Mark::Bars(bars.collect()));
    if let Ok(tail) = exponential_tail(&scaled, 1.0, REPLICAS, 1) {
        let top = scaled.iter().copied().fold(1.0, f64::max);
        let density = |x: f64| tail.share * tail.rate * libm::exp(-tail.rate * (x - 1.0));
        let curve = (0..=POINTS).map(|k| 1.0 + (top - 1.0) * k as f64 / POINTS as f64);
        plot.draw(
            &format!("exp(\u{2212}{} f)", three(tail.rate)),
            1,
            Mark::Dashed(curve.map(|x| [x, density(x)]).collect()),
        );
        plot.about += &format!(
            " The dashed tail above the mean is exponential with rate {} \u{b1} {} by maximum likelihood; a sample \
             of such a law lies as far from it with probability {}.",
            three(tail.rate),
            three(tail.error),
            three(tail.probability)
        );
    }
    let column = |of: fn(&crate::study::histogram::Bin) -> f64| found.bins.iter().map(of).collect();
    plot.table = vec![
        Column::new("from", "1", column(|b| b.low)),
        Column::new("to", "1", column(|b| b.high)),
        Column::new("links", "1", column(|b| b.count as f64)),
        Column::new("density", "1", column(|b| b.density)),
    ];
    Some(plot)
}

/// Least fraction of grains at rest for a bed to be evaluated.
const STILL: f64 = 0.95;

/// Plots the pressure on vertical walls with depth, beside Janssen's theory.
pub(super) fn pressure(run: &Run) -> Option<Plot> {
    let (frames, given) = (run.frames.as_ref()?, run.given.as_ref()?);
    let last = &frames.last;
    let still = |regime| matches!(regime, Regime::Rest | Regime::Rigid);
    let count = last.grains.iter().filter(|g| still(g.regime)).count();
    if (count as f64) < STILL * last.grains.len() as f64 || last.grains.is_empty() {
        return None;
    }
    let bed = Bed {
        grains: &last.grains,
        links: &last.links,
        avalanches: &[],
        gravity: given.gravity,
        friction: given.friction?,
    };
    let study: SiloStudy = match run.meta.dimensions {
        2 => silo::<Planar>(&bed).ok()?,
        _ => silo::<Spatial>(&bed).ok()?,
    };
    if study.layers.len() < 3 {
        return None;
    }
    let unit = if run.meta.dimensions == 2 {
        "N/m"
    } else {
        "Pa"
    };
    let mut plot = Plot::new(
        "pressure",
        "Wall pressure with depth",
        Axis::new("depth below the surface (m)", Scaling::Even),
        Axis::new(&format!("wall pressure ({unit})"), Scaling::Even),
    );
    plot.about = format!(
        "Normal force on the upright walls in layers of ten mean radii over their area, at {} s. Janssen \
         (1895): pressure saturates as walls carry by friction what lies far above; given, with K = 1 \u{2212} \
         sin \u{3c6} of the grains' friction, K\u{3bc} = {}",
        three(last.time),
        three(study.janssen_given.ratio * study.janssen_given.wall_friction)
    );
    let deepest = study.layers.iter().map(|l| l.bottom).fold(0.0, f64::max);
    let curve = |of: &dyn Fn(f64) -> f64| -> Vec<[f64; 2]> {
        let depth = |k: usize| deepest * k as f64 / POINTS as f64;
        (0..=POINTS).map(|k| [depth(k), of(depth(k))]).collect()
    };
    let middle = |l: &crate::study::pressure::Layer| 0.5 * (l.top + l.bottom);
    let points = study.layers.iter().map(|l| [middle(l), l.pressure]);
    plot.draw("layers", 0, Mark::Dots(points.collect()));
    let silo = &study.janssen_given;
    plot.draw(
        "Janssen, given",
        THEORY,
        Mark::Dashed(curve(&|z| silo.wall_pressure(z))),
    );
    if let Some(fit) = &study.janssen_fitted {
        plot.draw(
            "Janssen, fitted",
            1,
            Mark::Line(curve(&|z| fit.silo.wall_pressure(z))),
        );
        plot.about += &format!(
            "; fitted by least squares, K\u{3bc} = {} \u{b1} {}",
            three(fit.product.value),
            three(fit.product.error)
        );
    }
    plot.about += &format!(
        ". The floor bears {:.1} % of the weight, the walls {:.1} %.",
        100.0 * study.support.floor,
        100.0 * study.support.walls
    );
    let column =
        |of: &dyn Fn(&crate::study::pressure::Layer) -> f64| study.layers.iter().map(of).collect();
    plot.table = vec![
        Column::new("depth", "m", column(&middle)),
        Column::new("wall_pressure", unit, column(&|l| l.pressure)),
        Column::new("wall_shear", unit, column(&|l| l.shear)),
        Column::new(
            "janssen_given",
            unit,
            column(&|l| silo.wall_pressure(middle(l))),
        ),
    ];
    Some(plot)
}
