//! Plots of Beverloo's law of a sweep: rates against widths, with the law and with a fitted exponent.

use serde::Deserialize;
use serde_json::Value;

use crate::view::plot::{Axis, Column, INK, Mark, Plot, Scaling};
use crate::view::report::plots::three;

/// Number of points of a fitted curve.
const POINTS: usize = 120;

#[derive(Debug, Deserialize)]
struct Law {
    settings: Vec<(String, String)>,
    points: Vec<Point>,
    fit: Option<Fit>,
    free: Option<Fit>,
    #[serde(default)]
    beside: Option<Fit>,
    scale: Option<[f64; 2]>,
    scaled: Option<[Estimate; 2]>,
}

#[derive(Debug, Deserialize)]
struct Point {
    width: f64,
    rate: f64,
    error: Option<f64>,
}

#[derive(Debug, Deserialize)]
struct Estimate {
    value: f64,
    error: f64,
}

#[derive(Debug, Deserialize)]
struct Fit {
    exponent: Estimate,
    factor: Estimate,
    offset: Estimate,
}

impl Fit {
    fn curve(&self, to: f64) -> Vec<[f64; 2]> {
        let from = self.offset.value.max(0.0);
        let point = |k: usize| {
            let width = from + (to - from) * k as f64 / POINTS as f64;
            let free = (width - self.offset.value).max(0.0);
            let rate = self.factor.value * libm::pow(free, self.exponent.value);
            [width, rate]
        };
        (0..=POINTS).map(point).collect()
    }
}

/// Returns the plots of all laws in `study.json`.
pub(super) fn plots(study: &Value, width: &str, rate: &str) -> Vec<Plot> {
    let laws: Vec<Law> = serde_json::from_value(study["beverloo"].clone()).unwrap_or_default();
    let mut plots = Vec::new();
    for (k, law) in laws.iter().enumerate() {
        let number = if laws.len() > 1 {
            format!("-{}", k + 1)
        } else {
            String::new()
        };
        let settings: Vec<String> = law
            .settings
            .iter()
            .map(|(n, v)| format!("{n} = {v}"))
            .collect();
        let with = if settings.is_empty() {
            String::new()
        } else {
            format!(", {}", settings.join(", "))
        };
        plots.extend(rates(law, format!("beverloo{number}"), &with, width, rate));
        plots.extend(straight(
            law,
            format!("beverloo-line{number}"),
            &with,
            width,
            rate,
        ));
    }
    plots
}

fn plus_minus(e: &Estimate) -> String {
    format!("{} \u{b1} {}", three(e.value), three(e.error))
}

fn rates(law: &Law, id: String, with: &str, width: &str, rate: &str) -> Option<Plot> {
    let most = law
        .points
        .iter()
        .map(|p| p.width)
        .fold(f64::NEG_INFINITY, f64::max);
    if law.points.is_empty() {
        return None;
    }
    let mut plot = Plot::new(
        id,
        &format!("Beverloo's law{with}"),
        Axis::new(&format!("{width} (m)"), Scaling::Even),
        Axis::new(&format!("{rate} (1/s)"), Scaling::Even),
    );
    plot.about = "Mean rates over seeds; the scatter of runs is taken as the same share of the rate for all widths.".into();
    if let Some(fit) = &law.fit {
        plot.draw(
            &format!("A (D \u{2212} D0)^{}", fit.exponent.value),
            1,
            Mark::Line(fit.curve(most)),
        );
        plot.about += &format!(
            " Law: A = {}, D0 = {} m.",
            plus_minus(&fit.factor),
            plus_minus(&fit.offset)
        );
        if let (Some([c, k]), Some([diameter, _])) = (&law.scaled, law.scale) {
            plot.about += &format!(
                " Without units, rate \u{221a}(d/g) = C (D/d \u{2212} k)^{}: C = {}, k = {}, d = {} m.",
                fit.exponent.value,
                plus_minus(c),
                plus_minus(k),
                three(diameter)
            );
        }
    }
    if let Some(free) = &law.free {
        plot.draw("exponent fitted", 2, Mark::Dashed(free.curve(most)));
        plot.about += &format!(
            " With the exponent fitted too: {}, D0 = {} m.",
            plus_minus(&free.exponent),
            plus_minus(&free.offset)
        );
    }
    if let (Some(beside), Some([diameter, _])) = (&law.beside, law.scale) {
        plot.about += &format!(
            " For k = {}: exponent {}.",
            three(beside.offset.value / diameter),
            plus_minus(&beside.exponent)
        );
    }
    let place = |p: &Point| [p.width, p.rate];
    plot.draw(
        "means",
        0,
        Mark::Dots(law.points.iter().map(place).collect()),
    );
    let bar = |p: &Point| p.error.map(|e| [p.width, p.rate - e, p.rate + e]);
    plot.draw(
        "",
        0,
        Mark::Errors(law.points.iter().filter_map(bar).collect()),
    );
    plot.table = vec![
        Column::new(width, "m", law.points.iter().map(|p| p.width).collect()),
        Column::new(rate, "1/s", law.points.iter().map(|p| p.rate).collect()),
        Column::new(
            "error",
            "1/s",
            law.points
                .iter()
                .map(|p| p.error.unwrap_or(f64::NAN))
                .collect(),
        ),
    ];
    Some(plot)
}

/// Plots the rate to the power of one over the exponent, for which the law is a straight line.
fn straight(law: &Law, id: String, with: &str, width: &str, rate: &str) -> Option<Plot> {
    let fit = law.fit.as_ref()?;
    let most = law
        .points
        .iter()
        .map(|p| p.width)
        .fold(f64::NEG_INFINITY, f64::max);
    let power = 1.0 / fit.exponent.value;
    let lift = |rate: f64| libm::pow(rate.max(0.0), power);
    let mut plot = Plot::new(
        id,
        &format!("Beverloo's law as a straight line{with}"),
        Axis::new(&format!("{width} (m)"), Scaling::Even),
        Axis::new(&format!("{rate}^(1/{})", fit.exponent.value), Scaling::Even),
    );
    plot.about = format!(
        "Where the line meets the axis no grain passes: D0 = {} m.",
        plus_minus(&fit.offset)
    );
    let ends = [0, POINTS].map(|k| fit.curve(most)[k]);
    let ends = ends.map(|[width, rate]| [width, lift(rate)]);
    plot.draw("law", INK, Mark::Dashed(ends.to_vec()));
    let place = |p: &Point| [p.width, lift(p.rate)];
    plot.draw(
        "means",
        0,
        Mark::Dots(law.points.iter().map(place).collect()),
    );
    let bar = |p: &Point| {
        p.error
            .map(|e| [p.width, lift(p.rate - e), lift(p.rate + e)])
    };
    plot.draw(
        "",
        0,
        Mark::Errors(law.points.iter().filter_map(bar).collect()),
    );
    plot.table = vec![
        Column::new(width, "m", law.points.iter().map(|p| p.width).collect()),
        Column::new(
            "rate_lifted",
            "1",
            law.points.iter().map(|p| lift(p.rate)).collect(),
        ),
    ];
    Some(plot)
}
