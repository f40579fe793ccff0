//! Plots of sizes: micro-avalanches, energies of impacts.

use super::three;
use crate::record::{RecordError, Table, read};
use crate::study::alternatives::Judgement;
use crate::study::silo::criticality;
use crate::view::plot::{Axis, Column, Mark, Plot, Scaling};
use crate::view::report::run::Run;

/// Least number of avalanches for a distribution.
const FEWEST: usize = 10;

/// Plots the number of avalanches of at least each size.
pub(super) fn avalanches(run: &Run) -> Result<Option<Plot>, RecordError> {
    let Some(columns) = read::table_if_there(&run.dir, Table::Avalanches)? else {
        return Ok(None);
    };
    let sizes = columns.integers("size")?.iter().flatten();
    let mut sizes: Vec<f64> = sizes.map(|s| *s as f64).filter(|s| *s > 0.0).collect();
    if sizes.len() < FEWEST {
        return Ok(None);
    }
    sizes.sort_by(f64::total_cmp);
    let count = sizes.len() as f64;
    let mut survival: Vec<[f64; 2]> = Vec::new();
    for (k, &size) in sizes.iter().enumerate() {
        if survival.last().is_none_or(|p| p[0] < size) {
            survival.push([size, (count - k as f64) / count]);
        }
    }
    let mut plot = Plot::new(
        "avalanches",
        "Micro-avalanches",
        Axis::new("size: slides, breaks and insertions of links", Scaling::Log),
        Axis::new("share at least so large", Scaling::Log),
    );
    plot.about = format!(
        "Survival function of the sizes of {} micro-avalanches, those that did nothing left out.",
        sizes.len()
    );
    plot.draw("avalanches", 0, Mark::Dots(survival.clone()));
    if let Ok(found) = criticality(&sizes) {
        let law = found.law;
        let share = law.tail as f64 / law.count as f64;
        let top = sizes[sizes.len() - 1];
        let place = |k: usize| law.start * libm::pow(top / law.start, k as f64 / 60.0);
        let curve = (0..=60).map(|k| [place(k), share * law.survival(place(k))]);
        plot.draw(
            &format!(
                "power law, {}: exponent {} \u{b1} {} over {} decades, {} sizes",
                match found.judgement {
                    Judgement::RuledOut => "ruled out",
                    Judgement::Beaten => "beaten by another law",
                    Judgement::Open => "not distinguished from other laws",
                    Judgement::Favoured => "favoured",
                },
                three(law.exponent),
                three(law.error),
                three(law.decades),
                law.tail
            ),
            1,
            Mark::Dashed(curve.collect()),
        );
        plot.about += &format!(
            " The dashed line is the power law of maximum likelihood (Clauset et al. 2009) for the {} sizes \
             from {} on, over {} decades. Samples of such a law are farther from it than these sizes with probability {}: {}.",
            law.tail,
            law.start,
            three(law.decades),
            three(found.goodness.probability),
            match found.judgement {
                Judgement::RuledOut =>
                    "it is ruled out (under 0.1), and its exponent means nothing",
                Judgement::Beaten =>
                    "it is possible, but an exponential or a log-normal law fits clearly better",
                Judgement::Open => "it is possible, and so is another law",
                Judgement::Favoured =>
                    "it is possible, and fits clearly better than an exponential or a log-normal law",
            }
        );
    }
    plot.table = vec![
        Column::new("size", "1", survival.iter().map(|p| p[0]).collect()),
        Column::new(
            "share_at_least",
            "1",
            survival.iter().map(|p| p[1]).collect(),
        ),
    ];
    Ok(Some(plot))
}

/// Plots the number of collisions by energy.
pub(super) fn impacts(run: &Run) -> Result<Option<Plot>, RecordError> {
    let Some(columns) = read::table_if_there(&run.dir, Table::Impacts)? else {
        return Ok(None);
    };
    let (from, to) = (columns.floats("from")?, columns.floats("to")?);
    let (with, counts) = (columns.integers("with")?, columns.integers("count")?);
    let time = run.summary.time.simulated;
    if time.is_nan() || time <= 0.0 || columns.rows < 3 {
        return Ok(None);
    }
    let mut plot = Plot::new(
        "impacts",
        "Energies of collisions",
        Axis::new("energy of the impact (J)", Scaling::Log),
        Axis::new("collisions a second and decade (1/s)", Scaling::Log),
    );
    plot.about = "Collisions by the kinetic energy of approach along the normal, m v\u{b2} / 2 with the effective mass \
                  of the pair, for each simulated second and factor of ten of energy."
        .into();
    let walls = run.meta.boundaries.iter().enumerate();
    let walls = walls.map(|(k, name)| (Some(-1 - k as i64), format!("with {name}")));
    let partners = [(None, "of two grains".to_string())]
        .into_iter()
        .chain(walls);
    let mut rates = vec![f64::NAN; columns.rows];
    for (colour, (partner, name)) in partners.enumerate() {
        let mut points = Vec::new();
        for k in (0..columns.rows).filter(|k| with[*k] == partner && from[*k] > 0.0) {
            let rate = counts[k].unwrap_or(0) as f64 / time / libm::log10(to[k] / from[k]);
            rates[k] = rate;
            points.push([(from[k] * to[k]).sqrt(), rate]);
        }
        if !points.is_empty() {
            plot.draw(&name, colour, Mark::Line(points));
        }
    }
    let real = |v: &[Option<i64>]| v.iter().map(|v| v.map_or(f64::NAN, |v| v as f64)).collect();
    plot.table = vec![
        Column::new("from", "J", from.to_vec()),
        Column::new("to", "J", to.to_vec()),
        Column::new("with", "1", real(with)),
        Column::new("count", "1", real(counts)),
        Column::new("rate_a_decade", "1/s", rates),
    ];
    Ok((!plot.layers.is_empty()).then_some(plot))
}
