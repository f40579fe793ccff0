//! Statistics of a sweep: means over seeds, jam probabilities, Beverloo's law.

use serde::Serialize;

use super::file::{Point, Sweep, column_name};
use super::row::{Row, figure_columns};
use super::spec::BeverlooSpec;
use crate::geometry::Dimension;
use crate::record::{FigureValue, Status};
use crate::scenario::AnySetup;
use crate::study::beverloo::{self, BeverlooFit, Discharged, Exponent};
use crate::study::ensemble::{Spread, spread};
use crate::study::janssen_fit::Estimate;
use crate::study::outflow::{Jamming, Outflow, jamming};
use crate::system::Setup;

/// Confidence level of all intervals.
pub const LEVEL: f64 = 0.95;

/// Statistics of a sweep.
#[derive(Clone, Debug, Serialize)]
pub struct SweepStudy {
    /// Name of the sweep.
    pub name: String,
    /// Name of its scenario.
    pub scenario: String,
    /// Figures with their units, in display order.
    pub figures: Vec<(String, &'static str)>,
    /// Each combination of values, over its seeds.
    pub groups: Vec<Group>,
    /// Beverloo's law, for each combination of the varied keys other than the width.
    pub beverloo: Vec<BeverlooStudy>,
}

/// Runs that differ only in the seed.
#[derive(Clone, Debug, Serialize)]
pub struct Group {
    /// Varied values, as in the table.
    pub settings: Vec<(String, String)>,
    /// Number of runs that completed by themselves.
    pub runs: usize,
    /// Number of runs that failed, reached their time limit, or are not complete yet.
    pub missing: usize,
    /// Mean of each figure; none where no run has it.
    pub means: Vec<Option<Mean>>,
    /// Jams; none where nothing can flow out.
    pub jamming: Option<Jamming>,
    #[serde(skip)]
    numbers: Vec<Option<f64>>,
    #[serde(skip)]
    rates: Vec<f64>,
}

/// A mean over seeds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Mean {
    /// Mean value.
    pub mean: f64,
    /// Number of runs that have the figure.
    pub count: usize,
    /// Spread, for two or more runs.
    pub spread: Option<Spread>,
}

/// Beverloo's law for one combination of the varied keys other than the width.
#[derive(Clone, Debug, Serialize)]
pub struct BeverlooStudy {
    /// Varied values other than the width.
    pub settings: Vec<(String, String)>,
    /// The fitted means.
    pub points: Vec<Discharged>,
    /// Fit with the given exponent; none where the rates do not determine it.
    pub fit: Option<BeverlooFit>,
    /// Fit with a fitted exponent.
    pub free: Option<BeverlooFit>,
    /// Fit with a fitted exponent and a given number of subtracted diameters, if there is one.
    pub beside: Option<BeverlooFit>,
    /// Mean diameter of the grains, m, and gravity, m/s^2.
    pub scale: Option<[f64; 2]>,
    /// C and k of `fit`, dimensionless.
    pub scaled: Option<[Estimate; 2]>,
    /// Reason why there is no fit.
    pub problem: Option<String>,
}

/// Varied values, as in the table.
type Told = Vec<(String, String)>;

/// Figures reported if the sweep does not name any.
const FIGURES: [&str; 4] = [
    "discharge.middle_rate",
    "discharge.count",
    "jam.time",
    "avalanches.count",
];

/// Computes the statistics of the rows of a sweep; each point has one or none.
pub fn study(sweep: &Sweep, points: &[Point], rows: &[Option<Row>]) -> SweepStudy {
    let columns = figure_columns();
    let asked: Vec<&str> = match &sweep.spec.study.figures {
        Some(names) => names.iter().map(String::as_str).collect(),
        None => FIGURES.to_vec(),
    };
    let place = |name: &str| columns.iter().position(|column| column.name == name);
    let mut places: Vec<usize> = asked.iter().filter_map(|name| place(name)).collect();
    let all: Vec<Vec<Option<FigureValue>>> = rows
        .iter()
        .map(|row| row.as_ref().filter(|row| row.complete()))
        .map(|row| row.and_then(Row::figures).unwrap_or_default())
        .collect();
    let there = |k: usize| {
        all.iter()
            .any(|row| row.get(k).is_some_and(Option::is_some))
    };
    if sweep.spec.study.figures.is_none() {
        // Figures that no run has are omitted unless the sweep names them.
        places.retain(|k| there(*k));
    }
    let beverloo = sweep.spec.study.beverloo.as_ref();
    let rate = beverloo.and_then(|asked| place(&asked.rate));
    let count = place("discharge.count");
    let seeds = sweep.shape().last().map_or(1, |(_, count)| *count).max(1);
    let mut groups = Vec::new();
    for (k, points) in points.chunks(seeds).enumerate() {
        let range = k * seeds..k * seeds + points.len();
        let figures: Vec<&[Option<FigureValue>]> = all[range.clone()]
            .iter()
            .filter(|row| !row.is_empty())
            .map(Vec::as_slice)
            .collect();
        let values = |k: usize| -> Vec<f64> {
            let value = |row: &&[Option<FigureValue>]| row[k].map(FigureValue::value);
            figures.iter().filter_map(value).collect()
        };
        let outflows: Vec<Outflow> = rows[range].iter().flatten().filter_map(outflow).collect();
        let enough = |row: &&&[Option<FigureValue>]| {
            let out = count.and_then(|k| row[k]).map_or(0.0, FigureValue::value);
            beverloo.is_some_and(|asked| out >= asked.least_grains as f64)
        };
        let rate_of = |row: &&[Option<FigureValue>]| rate.and_then(|k| row[k]);
        groups.push(Group {
            settings: told(&points[0]),
            runs: figures.len(),
            missing: points.len() - figures.len(),
            means: places.iter().map(|k| mean(&values(*k))).collect(),
            jamming: jamming(&outflows, LEVEL).ok(),
            numbers: points[0].settings.iter().map(|(_, s)| s.value()).collect(),
            rates: figures
                .iter()
                .filter(enough)
                .filter_map(rate_of)
                .map(FigureValue::value)
                .collect(),
        });
    }
    let beverloo = match beverloo {
        Some(asked) => {
            let scale = points.iter().find_map(|point| scale(sweep, point));
            let width = column_name(&asked.width);
            laws(sweep, &groups, width, asked, scale)
        }
        None => Vec::new(),
    };
    SweepStudy {
        name: sweep.name.clone(),
        scenario: sweep.spec.scenario.clone(),
        figures: places
            .iter()
            .map(|k| (columns[*k].name.clone(), columns[*k].unit))
            .collect(),
        groups,
        beverloo,
    }
}

fn told(point: &Point) -> Vec<(String, String)> {
    let settings = point.settings.iter();
    settings
        .map(|(name, setting)| (name.clone(), setting.text.clone()))
        .collect()
}

fn outflow(row: &Row) -> Option<Outflow> {
    let summary = row.summary.as_ref().filter(|_| row.complete())?;
    Some(Outflow {
        grains: summary.discharge?.count,
        jams: summary.jams.len() as u64,
        jammed: row.status == Status::Jammed,
        censored: row.status == Status::Finished,
        time: match &summary.jam {
            Some(jam) => jam.time,
            None => summary.time.simulated,
        },
    })
}

fn mean(values: &[f64]) -> Option<Mean> {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    (!values.is_empty()).then(|| Mean {
        mean,
        count: values.len(),
        spread: spread(values).ok(),
    })
}

/// Dimension, mean diameter (m) and gravity (m/s^2) of a run at its start.
type ScaleOf = (usize, Option<[f64; 2]>);

fn scale(sweep: &Sweep, point: &Point) -> Option<ScaleOf> {
    match sweep.resolve(point).ok()?.setup {
        AnySetup::Planar(setup) => Some((2, of_setup(&setup))),
        AnySetup::Spatial(setup) => Some((3, of_setup(&setup))),
    }
}

fn of_setup<D: Dimension>(setup: &Setup<D>) -> Option<[f64; 2]> {
    let gravity = (0..D::N).map(|k| setup.fields.gravity[k] * setup.fields.gravity[k]);
    let gravity = gravity.sum::<f64>().sqrt();
    let count = setup.grains.len() as f64;
    let diameter = 2.0 * setup.grains.iter().map(|grain| grain.radius).sum::<f64>() / count;
    (gravity > 0.0 && diameter > 0.0).then_some([diameter, gravity])
}

/// Fits the law to the mean rates of groups that differ only in the width.
fn laws(
    sweep: &Sweep,
    groups: &[Group],
    width: &str,
    asked: &BeverlooSpec,
    scale: Option<ScaleOf>,
) -> Vec<BeverlooStudy> {
    let Some(axis) = sweep.parameters().iter().position(|name| name == width) else {
        return Vec::new();
    };
    let mut sorted: Vec<(Told, Vec<&Group>)> = Vec::new();
    for group in groups {
        let mut others = group.settings.clone();
        others.remove(axis);
        match sorted.iter_mut().find(|(settings, _)| *settings == others) {
            Some((_, list)) => list.push(group),
            None => sorted.push((others, vec![group])),
        }
    }
    let dimension = scale.map_or(2, |(dimension, _)| dimension);
    let exponent = asked
        .exponent
        .unwrap_or(if dimension == 2 { 1.5 } else { 2.5 });
    let scale = scale.and_then(|(_, scale)| scale);
    let law = |(settings, groups): (Told, Vec<&Group>)| {
        let points = points(&groups, axis);
        let fit = beverloo::fit(&points, Exponent::Given(exponent), LEVEL);
        let free = beverloo::fit(&points, Exponent::Free(exponent), LEVEL).ok();
        let beside = asked.k.zip(scale).and_then(|(k, [diameter, _])| {
            let given = Exponent::Beside {
                first: exponent,
                offset: k * diameter,
            };
            beverloo::fit(&points, given, LEVEL).ok()
        });
        let scaled = match (&fit, scale) {
            (Ok(fit), Some([diameter, gravity])) => fit.scaled(diameter, gravity).ok(),
            _ => None,
        };
        BeverlooStudy {
            settings,
            points,
            problem: fit.as_ref().err().map(ToString::to_string),
            fit: fit.ok(),
            free,
            beside,
            scale,
            scaled,
        }
    };
    sorted.into_iter().map(law).collect()
}

/// Returns mean rates with their errors. A few seeds estimate the scatter at one width poorly, so its relative size
/// is taken to be the same for all widths.
fn points(groups: &[&Group], axis: usize) -> Vec<Discharged> {
    let (mut squares, mut freedom) = (0.0, 0.0);
    for group in groups {
        if let Ok(found) = spread(&group.rates) {
            let free = (found.count - 1) as f64;
            squares += free * (found.deviation / found.mean).powi(2);
            freedom += free;
        }
    }
    let scatter = (freedom > 0.0 && squares > 0.0).then(|| (squares / freedom).sqrt());
    let point = |group: &&Group| {
        let rate = mean(&group.rates)?;
        Some(Discharged {
            width: group.numbers[axis]?,
            rate: rate.mean,
            error: scatter.map(|s| s * rate.mean / (rate.count as f64).sqrt()),
        })
    };
    groups.iter().filter_map(point).collect()
}
