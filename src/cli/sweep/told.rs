//! Output of a sweep's statistics, as text and as a picture.

use std::path::Path;

use super::runs;
use crate::cli::failure::Failure;
use crate::cli::plot;
use crate::cli::report::short;
use crate::record::Status;
use crate::study::beverloo::BeverlooFit;
use crate::study::outflow::Jamming;
use crate::sweep::study::{BeverlooStudy, Group, Mean, SweepStudy};
use crate::sweep::{Row, Sweep};
use crate::view::{Curve, Panel, chart};

/// Greatest number of groups shown; the table has all.
const SHOWN: usize = 60;

/// Returns the statistics of the sweep as text.
pub(super) fn text(sweep: &Sweep, found: &SweepStudy, rows: &[Option<Row>], dir: &Path) -> String {
    let mut text = format!("{}: {}", found.name, runs(rows.len()));
    for (status, name) in [
        (Status::Finished, "finished"),
        (Status::Empty, "empty"),
        (Status::Jammed, "jammed"),
        (Status::Interrupted, "stopped by the clock"),
        (Status::Failed, "failed"),
    ] {
        let count = rows.iter().flatten().filter(|row| row.status == status);
        match count.count() {
            0 => {}
            count => text += &format!(", {count} {name}"),
        }
    }
    text += "\n";
    text += &means(sweep, found);
    text += &jams(sweep, found);
    for law in &found.beverloo {
        text += &beverloo(law);
    }
    text + &format!(
        "  table {}\n  for a page with curves and maps: arenite report {}\n",
        dir.join("sweep.csv").display(),
        dir.display()
    )
}

/// Right-aligns columns below their headers.
fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let width = |k: usize| rows.iter().map(|row| row[k].chars().count()).max();
    let widths: Vec<usize> = (0..columns).map(|k| width(k).unwrap_or(0)).collect();
    let mut text = String::new();
    for row in rows {
        let cells: Vec<String> = row
            .iter()
            .zip(&widths)
            .map(|(cell, width)| format!("{cell:>width$}"))
            .collect();
        text += &format!("  {}\n", cells.join("  "));
    }
    text
}

fn heads(sweep: &Sweep) -> Vec<String> {
    sweep.parameters()
}

fn values(group: &Group) -> Vec<String> {
    let value = |(_, text): &(String, String)| match text.parse::<f64>() {
        Ok(number) => short(number),
        Err(_) => text.clone(),
    };
    group.settings.iter().map(value).collect()
}

fn means(sweep: &Sweep, found: &SweepStudy) -> String {
    let unit = |unit: &str| match unit {
        "1" | "" => String::new(),
        unit => format!(", {unit}"),
    };
    let mut head = heads(sweep);
    head.push("runs".into());
    let names = found.figures.iter();
    head.extend(names.map(|(name, of)| format!("{name}{}", unit(of))));
    let mut rows = vec![head];
    for group in found.groups.iter().take(SHOWN) {
        let mut row = values(group);
        row.push(group.runs.to_string());
        row.extend(group.means.iter().map(mean));
        rows.push(row);
    }
    let mut text = aligned(&rows);
    if found.groups.len() > SHOWN {
        text += &format!("  and {} more\n", found.groups.len() - SHOWN);
    }
    if found.groups.iter().any(|group| group.runs > 1) {
        text += "  means over seeds +- standard error\n";
    }
    text
}

fn mean(mean: &Option<Mean>) -> String {
    match mean {
        None => "-".into(),
        Some(mean) => match mean.spread {
            Some(spread) => format!("{} +- {}", short(mean.mean), short(spread.error)),
            None => short(mean.mean),
        },
    }
}

/// Returns the jams, if there are any.
fn jams(sweep: &Sweep, found: &SweepStudy) -> String {
    let jams = |group: &Group| group.jamming.map_or(0, |jamming| jamming.jams);
    if found.groups.iter().all(|group| jams(group) == 0) {
        return String::new();
    }
    let mut head = heads(sweep);
    for name in [
        "jammed",
        "time up",
        "share",
        "95 %",
        "half by, s",
        "grains per jam",
        "95 %",
    ] {
        head.push(name.into());
    }
    let mut rows = vec![head];
    for group in found.groups.iter().take(SHOWN) {
        let Some(jamming) = &group.jamming else {
            continue;
        };
        let mut row = values(group);
        row.extend(jam_cells(jamming));
        rows.push(row);
    }
    format!(
        "{}  share of runs that end in a jam with Wilson's interval, and when half have; grains that flow out between two jams\n{}",
        aligned(&rows),
        censored(found)
    )
}

/// Returns the remarks on runs that reached their time limit.
fn censored(found: &SweepStudy) -> String {
    let all = found.groups.iter().filter_map(|group| group.jamming);
    let (mut runs, mut most) = (0, 0.0f64);
    for jamming in all {
        runs += jamming.censored;
        most = most.max(jamming.undecided);
    }
    if runs == 0 {
        return String::new();
    }
    format!(
        "  the time of {runs} runs was up while they flowed: shares take account of them (Kaplan and Meier; Aalen and \
         Johansen), and up to {most:.2} of the runs at one setting may still jam; a later `until` tells\n"
    )
}

fn jam_cells(jamming: &Jamming) -> [String; 7] {
    let (low, high) = jamming.avalanche_interval;
    [
        format!("{} of {}", jamming.jammed.successes, jamming.jammed.trials),
        jamming.censored.to_string(),
        short(jamming.probability),
        format!("{:.3} to {:.3}", jamming.wilson.low, jamming.wilson.high),
        jamming.median_time.map_or("-".into(), short),
        jamming.avalanche.map_or("-".into(), short),
        match high {
            Some(high) => format!("{} to {}", short(low), short(high)),
            None => format!("{} or more", short(low)),
        },
    ]
}

fn beverloo(law: &BeverlooStudy) -> String {
    let with: Vec<String> = law
        .settings
        .iter()
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    let with = match with.is_empty() {
        true => String::new(),
        false => format!(" for {}", with.join(", ")),
    };
    let Some(fit) = &law.fit else {
        let why = law.problem.as_deref().unwrap_or("no rates");
        return format!("  Beverloo's law{with}: not fitted: {why}\n");
    };
    let mut text = format!(
        "  Beverloo's law{with}: rate = A (D - D0)^{}, {} widths\n",
        fit.exponent.value, fit.points
    );
    text += &format!(
        "    A  = {} +- {} ({} to {})\n    D0 = {} +- {} m ({} to {})\n",
        short(fit.factor.value),
        short(fit.factor.error),
        short(fit.factor_interval.low),
        short(fit.factor_interval.high),
        short(fit.offset.value),
        short(fit.offset.error),
        short(fit.offset_interval.low),
        short(fit.offset_interval.high),
    );
    if let (Some([factor, offset]), Some([diameter, _])) = (&law.scaled, &law.scale) {
        text += &format!(
            "    rate sqrt(d / g) = C (D / d - k)^{}: C = {:.3} +- {:.3}, k = {:.2} +- {:.2}, d = {} m\n",
            fit.exponent.value,
            factor.value,
            factor.error,
            offset.value,
            offset.error,
            short(*diameter)
        );
    }
    text += &format!(
        "    farthest from the law: {:.1} %{}\n",
        100.0 * fit.largest_residual,
        fit.chi_square.map_or(String::new(), |x| format!(
            "; chi square a degree of freedom {x:.2}"
        ))
    );
    if let Some(free) = &law.free {
        text += &exponent(free, "too");
    }
    if let (Some(beside), Some([diameter, _])) = (&law.beside, &law.scale) {
        let k = beside.offset.value / diameter;
        text += &exponent(beside, &format!("for k = {}", short(k)));
    }
    text
}

fn exponent(fit: &BeverlooFit, how: &str) -> String {
    let Some(interval) = fit.exponent_interval else {
        return String::new();
    };
    format!(
        "    with the exponent fitted {how}: {:.2} +- {:.2} ({:.2} to {:.2}), D0 = {}{} m\n",
        fit.exponent.value,
        fit.exponent.error,
        interval.low,
        interval.high,
        short(fit.offset.value),
        match fit.offset.error {
            0.0 => String::new(),
            error => format!(" +- {}", short(error)),
        }
    )
}

/// Draws each figure, and the fraction of jams, against the first numeric parameter; one curve per combination of the
/// others, with bars of one standard error.
pub(super) fn plot(sweep: &Sweep, found: &SweepStudy, path: &Path) -> Result<(), Failure> {
    let number = |group: &Group, k: usize| group.settings[k].1.parse::<f64>().ok();
    let axis = (0..sweep.parameters().len()).find(|k| {
        let mut seen: Vec<f64> = found.groups.iter().filter_map(|g| number(g, *k)).collect();
        let all = seen.len() == found.groups.len();
        seen.dedup();
        all && seen.len() > 1
    });
    let Some(axis) = axis else {
        return Err(Failure::Input(
            "no parameter is a number that varies: there is nothing to draw along".into(),
        ));
    };
    let other = |group: &Group| -> String {
        let settings = group
            .settings
            .iter()
            .enumerate()
            .filter(|(k, _)| *k != axis);
        let words = settings.map(|(_, (name, value))| format!("{name} = {value}"));
        words.collect::<Vec<_>>().join(", ")
    };
    let mut keys: Vec<String> = Vec::new();
    for group in &found.groups {
        let key = other(group);
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    type Value<'a> = &'a dyn Fn(&Group) -> Option<(f64, f64, f64)>;
    let panel = |title: String, value: Value<'_>| {
        let mut curves = Vec::new();
        for (key, name) in keys.iter().enumerate() {
            let mut line = Vec::new();
            for group in found.groups.iter().filter(|group| other(group) == *name) {
                let (Some(x), Some((y, low, high))) = (number(group, axis), value(group)) else {
                    continue;
                };
                line.push([x, y]);
                if low < high {
                    let points = vec![[x, low], [x, high]];
                    curves.push(Curve { points, key });
                }
            }
            line.sort_by(|a, b| a[0].total_cmp(&b[0]));
            if !line.is_empty() {
                curves.push(Curve { points: line, key });
            }
        }
        Panel {
            title,
            along: sweep.parameters()[axis].clone(),
            curves,
        }
    };
    let mut panels = Vec::new();
    for (k, (name, unit)) in found.figures.iter().enumerate() {
        let value = |group: &Group| {
            let mean = group.means[k]?;
            let error = mean.spread.map_or(0.0, |spread| spread.error);
            Some((mean.mean, mean.mean - error, mean.mean + error))
        };
        let unit = if *unit == "1" { "" } else { unit };
        let comma = if unit.is_empty() { "" } else { ", " };
        panels.push(panel(format!("{name}{comma}{unit}"), &value));
    }
    if found.groups.iter().any(|group| group.jamming.is_some()) {
        let value = |group: &Group| {
            let jamming = group.jamming?;
            let interval = jamming.wilson;
            Some((jamming.probability, interval.low, interval.high))
        };
        panels.push(panel("share of runs that end in a jam".into(), &value));
    }
    panels.retain(|panel| !panel.curves.is_empty());
    for key in &mut keys {
        if key.is_empty() {
            *key = format!("{}: means over seeds, with a standard error", found.name);
        }
    }
    plot::write(&chart(&panels, &keys), path)
}
