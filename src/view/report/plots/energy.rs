//! Plots of the energy ledger.

use super::Course;
use crate::view::plot::{Column, INK, Mark, Plot, Scaling};

/// Plots the forms of energy, stacked, beside the expected total.
pub(super) fn stacked(course: &Course<'_>) -> Option<Plot> {
    if course.time.len() < 3 {
        return None;
    }
    let column = |name: &str| course.column(name);
    let add = |a: &[f64], b: &[f64]| -> Vec<f64> { a.iter().zip(b).map(|(a, b)| a + b).collect() };
    let potential = add(&column("potential"), &column("removed"));
    let lowest = potential
        .iter()
        .copied()
        .filter(|v| v.is_finite())
        .fold(f64::INFINITY, f64::min);
    if !lowest.is_finite() {
        return None;
    }
    let potential: Vec<f64> = potential.iter().map(|v| v - lowest).collect();
    let parts = [
        (
            "potential, with what left",
            "potential_and_removed",
            7,
            potential,
        ),
        ("elastic", "elastic", 4, column("elastic")),
        ("kinetic", "kinetic", 0, column("kinetic")),
        (
            "damping",
            "dissipated_damping",
            3,
            column("dissipated_damping"),
        ),
        ("slip", "dissipated_slip", 1, column("dissipated_slip")),
        (
            "collisions",
            "dissipated_collision",
            2,
            column("dissipated_collision"),
        ),
        ("morph", "dissipated_morph", 8, column("dissipated_morph")),
        (
            "breakage",
            "dissipated_breakage",
            6,
            column("dissipated_breakage"),
        ),
    ];
    let mut plot = course.plot("energy", "Where the energy is", "energy (J)", Scaling::Even);
    plot.about = "The ledger, stacked: potential energy over its lowest value, with what grains took away; \
                  elastic and kinetic energy; losses in dampers, by friction, in collisions, at \
                  changes of regime and by bonds that broke. The line: all at the start and what was brought in since. Its distance \
                  from the stack is the error of the balance."
        .into();
    let mut lower = vec![0.0; course.time.len()];
    plot.table = vec![Column::new("time", "s", course.time.clone())];
    for (words, name, colour, values) in parts {
        if values.iter().any(|v| *v != 0.0) {
            // The few negative values of changes of regime would fold the stack.
            let upper: Vec<f64> = lower
                .iter()
                .zip(&values)
                .map(|(l, v)| l + v.max(0.0))
                .collect();
            let area = (0..upper.len()).map(|k| [course.time[k], lower[k], upper[k]]);
            plot.draw(words, colour, Mark::Area(area.collect()));
            lower = upper;
            plot.table.push(Column::new(name, "J", values));
        }
    }
    let injected = column("injected");
    let sum = |k: usize| plot.table[1..].iter().map(|c| c.values[k]).sum::<f64>();
    let start = course.time.iter().position(|t| *t >= 0.0).unwrap_or(0);
    let begun = sum(start) - injected.get(start).copied().unwrap_or(0.0);
    let wanted: Vec<f64> = injected.iter().map(|i| begun + i).collect();
    plot.draw(
        "start + brought in",
        INK,
        Mark::Line(course.over_time(&wanted)),
    );
    plot.table
        .push(Column::new("start_and_injected", "J", wanted));
    (plot.layers.len() > 1).then_some(plot)
}

/// Plots kinetic and elastic energy, which are small compared with the rest.
pub(super) fn motion(course: &Course<'_>) -> Option<Plot> {
    let mut plot = course.plot(
        "motion",
        "Kinetic and elastic energy",
        "energy (J)",
        Scaling::Log,
    );
    plot.about = "On a logarithmic axis, since both are small beside the potential energy.".into();
    plot.table = vec![Column::new("time", "s", course.time.clone())];
    for (name, colour) in [("kinetic", 0), ("elastic", 4)] {
        let values = course.column(name);
        if values.len() > 2 && values.iter().any(|v| *v > 0.0) {
            plot.draw(name, colour, Mark::Line(course.over_time(&values)));
            plot.table.push(Column::new(name, "J", values));
        }
    }
    (!plot.layers.is_empty()).then_some(plot)
}

/// Plots the error of the energy balance.
pub(super) fn balance(course: &Course<'_>) -> Option<Plot> {
    let values = course.column("balance_error");
    if values.len() < 3 || !values.iter().any(|v| *v > 0.0) {
        return None;
    }
    let mut plot = course.plot(
        "balance",
        "Error of the energy balance",
        "relative error",
        Scaling::Log,
    );
    plot.about = "How far kinetic + potential + elastic + dissipated + removed \u{2212} brought in is from its value \
                  at the start, over the energy that flowed. Where it is 0 nothing is drawn."
        .into();
    plot.draw("", 8, Mark::Line(course.over_time(&values)));
    plot.table = vec![
        Column::new("time", "s", course.time.clone()),
        Column::new("balance_error", "1", values),
    ];
    Some(plot)
}
