//! The page of a comparison of runs: their curves in common plots, and tables of their figures.

use super::Report;
use super::sheet::{Sheet, SheetTable};
use crate::record::RecordError;
use crate::study::runs::{Comparison, Run};
use crate::view::plot::{Axis, Column, Mark, Plot, Scaling};

/// Number of abscissas at which the table behind a plot has all curves.
const PLACES: usize = 400;
/// Greatest number of points of a distribution curve; more would not be visible.
const POINTS: usize = 200;

/// Returns the page of a comparison; `tables` are those that the command prints.
///
/// # Errors
/// Numbers that cannot be serialized.
pub fn comparison(found: &Comparison, tables: Vec<SheetTable>) -> Result<Report, RecordError> {
    let names: Vec<String> = found
        .runs
        .iter()
        .map(|run| run.folder.display().to_string())
        .collect();
    let by_group = found.groups.iter().any(|group| group.runs.len() > 1);
    let sheet = Sheet {
        name: "Runs side by side".into(),
        status: ("finished", format!("{} runs", found.runs.len())),
        lead: format!("{}.", names.join(", ")),
        tiles: found
            .groups
            .iter()
            .enumerate()
            .filter(|_| by_group)
            .map(|(k, group)| {
                [
                    format!("group {}", k + 1),
                    format!("{} runs", group.runs.len()),
                    said(&group.settings),
                ]
            })
            .collect(),
        plots: overlays(found),
        tables,
        footer: vec![
            format!(
                "arenite {} \u{b7} arenite compare",
                env!("CARGO_PKG_VERSION")
            ),
            "Curves of one colour are runs that differ in nothing but the seed. SI units.".into(),
        ],
        ..Sheet::default()
    };
    sheet.report()
}

fn said(settings: &std::collections::BTreeMap<String, String>) -> String {
    let pairs: Vec<String> = settings.iter().map(|(k, v)| format!("{k} = {v}")).collect();
    pairs.join(", ")
}

type Curve<'a> = &'a dyn Fn(&Run) -> Vec<[f64; 2]>;

fn overlays(found: &Comparison) -> Vec<Plot> {
    let leaves = |run: &Run| run.discharged.iter().any(|p| p[1] > 0.0);
    let mut plots = Vec::new();
    if found.runs.iter().any(leaves) {
        let about = "Grains removed through an outlet so far.";
        let y = Axis::new("grains discharged", Scaling::Even);
        plots.extend(overlay(
            found,
            "discharged",
            "Discharge",
            TIME,
            y,
            about,
            &|run| run.discharged.clone(),
        ));
    }
    for (id, title, curve) in [
        (
            "kinetic",
            "Kinetic energy",
            (|run| run.kinetic.clone()) as fn(&Run) -> _,
        ),
        ("dissipated", "Energy dissipated", |run| {
            run.dissipated.clone()
        }),
    ] {
        let y = Axis::new(&format!("{} (J)", title.to_lowercase()), Scaling::Even);
        let about = "At the ticks of the series.";
        plots.extend(overlay(found, id, title, TIME, y, about, &curve));
    }
    let y = Axis::new("share of links with less", Scaling::Tight);
    let about =
        "Cumulative distribution of the normal forces over their mean, in the last snapshot.";
    plots.extend(overlay(
        found,
        "forces",
        "Normal forces at the end",
        "normal force over its mean",
        y,
        about,
        &|run| cumulative(&run.forces),
    ));
    plots
}

const TIME: &str = "time (s)";

/// Draws the curves of all runs in one plot: one colour per setting, or per run where all settings differ.
fn overlay(
    found: &Comparison,
    id: &'static str,
    title: &str,
    x: &str,
    y: Axis,
    about: &str,
    curve: Curve<'_>,
) -> Option<Plot> {
    let by_group = found.groups.iter().any(|group| group.runs.len() > 1);
    let mut plot = Plot::new(id, title, Axis::new(x, Scaling::Tight), y);
    plot.about = about.into();
    let curves: Vec<Vec<[f64; 2]>> = found.runs.iter().map(curve).collect();
    let all = || curves.iter().flatten().map(|point| point[0]);
    let (from, to) = (
        all().fold(f64::INFINITY, f64::min),
        all().fold(f64::NEG_INFINITY, f64::max),
    );
    if from >= to {
        return None;
    }
    let places: Vec<f64> = (0..=PLACES)
        .map(|k| from + (to - from) * k as f64 / PLACES as f64)
        .collect();
    let columns: Vec<Vec<f64>> = curves
        .iter()
        .map(|curve| places.iter().map(|x| value_at(curve, *x)).collect())
        .collect();
    plot.table = vec![Column::new(
        if x == TIME { "time" } else { "place" },
        if x == TIME { "s" } else { "1" },
        places,
    )];
    let mut named = vec![false; found.groups.len()];
    for (k, (line, column)) in curves.into_iter().zip(columns).enumerate() {
        let group = found
            .groups
            .iter()
            .position(|g| g.runs.contains(&k))
            .unwrap_or(0);
        let run = &found.runs[k];
        let folder = run.folder.display().to_string();
        let (colour, name) = match by_group {
            true if named[group] => (group, String::new()),
            true => {
                named[group] = true;
                let settings = said(&found.groups[group].settings);
                let words = format!("group {}", group + 1);
                let short = !settings.is_empty() && settings.len() < 48;
                (
                    group,
                    if short {
                        format!("{words}: {settings}")
                    } else {
                        words
                    },
                )
            }
            false => (k, folder.clone()),
        };
        plot.table.push(Column::new(&folder, "1", column));
        if !line.is_empty() {
            plot.draw(&name, colour, Mark::Line(line));
        }
    }
    Some(plot)
}

/// Interpolates a curve linearly; NaN outside its range.
fn value_at(curve: &[[f64; 2]], x: f64) -> f64 {
    let after = curve.partition_point(|point| point[0] < x);
    match (after.checked_sub(1).map(|k| curve[k]), curve.get(after)) {
        (_, Some(b)) if b[0] == x => b[1],
        (Some(a), Some(b)) => a[1] + (b[1] - a[1]) * (x - a[0]) / (b[0] - a[0]),
        _ => f64::NAN,
    }
}

/// Returns the cumulative distribution as a curve.
pub(crate) fn cumulative(forces: &[f64]) -> Vec<[f64; 2]> {
    let mut sorted = forces.to_vec();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len();
    let every = n.div_ceil(POINTS).max(1);
    let points = sorted.iter().enumerate();
    let mut curve: Vec<[f64; 2]> = points
        .filter(|(k, _)| k % every == 0 || k + 1 == n)
        .map(|(k, &force)| [force, (k + 1) as f64 / n as f64])
        .collect();
    if n > 0 {
        curve.insert(0, [0.0, 0.0]);
    }
    curve
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn between_two_points_a_curve_is_straight() {
        let curve = [[0.0, 1.0], [2.0, 5.0], [3.0, 5.0]];
        assert_eq!(value_at(&curve, 0.0), 1.0);
        assert_eq!(value_at(&curve, 1.0), 3.0);
        assert_eq!(value_at(&curve, 3.0), 5.0);
        assert!(value_at(&curve, 3.5).is_nan() && value_at(&curve, -0.1).is_nan());
        assert_eq!(
            cumulative(&[2.0, 1.0]),
            [[0.0, 0.0], [1.0, 0.5], [2.0, 1.0]]
        );
    }
}
