//! Plots of measurements: grains that pass meters, stress and shape of a moving periodic box.

use super::Course;
use super::course::time;
use crate::view::plot::{Column, Mark, Plot, Scaling};
use crate::view::report::run::Run;

/// Greatest number of curves in a plot.
const CURVES: usize = 8;

/// Plots the mass that passed each meter.
pub(super) fn meters(run: &Run, course: &Course<'_>) -> Option<Plot> {
    let columns = run.series.columns.iter();
    let named = columns.filter_map(|(name, _)| name.strip_prefix("meter_")?.strip_suffix("_mass"));
    let unit = if run.meta.dimensions == 2 {
        "kg/m"
    } else {
        "kg"
    };
    let mut plot = course.plot("meters", "Meters", &format!("mass ({unit})"), Scaling::Even);
    plot.about = "Mass that passed each meter so far, forward less back.".into();
    plot.table = vec![time(course)];
    for (k, name) in named.take(CURVES).enumerate() {
        let mass = course.column(&format!("meter_{name}_mass"));
        plot.draw(name, k, Mark::Step(course.over_time(&mass)));
        let count = course.column(&format!("meter_{name}_count"));
        plot.table
            .push(Column::new(&format!("{name}_mass"), "kg", mass));
        plot.table
            .push(Column::new(&format!("{name}_count"), "1", count));
    }
    (!plot.layers.is_empty()).then_some(plot)
}

/// Plots the stress of a periodic box whose edges move.
pub(super) fn stress(run: &Run, course: &Course<'_>) -> Option<Plot> {
    let parts: &[&str] = match run.meta.dimensions {
        2 => &["xx", "yy", "yx"],
        _ => &["xx", "yy", "zz", "yx"],
    };
    let unit = if run.meta.dimensions == 2 {
        "N/m"
    } else {
        "Pa"
    };
    let title = format!("pressure ({unit})");
    let mut plot = course.plot("stress", "Stress of the box", &title, Scaling::Even);
    plot.about = "Mean pressure tensor since the tick before, of links and of motion against the flow; yx: force along \
                  x on planes across y. Positive in compression."
        .into();
    plot.table = vec![time(course)];
    for (k, part) in parts.iter().enumerate() {
        let values = course.column(&format!("cell_pressure_{part}"));
        if values.len() > 2 {
            plot.draw(part, k, Mark::Line(course.over_time(&values)));
            plot.table
                .push(Column::new(&format!("pressure_{part}"), unit, values));
        }
    }
    for name in ["fraction", "shear", "coordination"] {
        let values = course.column(&format!("cell_{name}"));
        plot.table.push(Column::new(name, "1", values));
    }
    (!plot.layers.is_empty()).then_some(plot)
}
