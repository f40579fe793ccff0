//! Text output for the user.

use serde_json::Value;

use super::fit::Fitted;
use super::source::parts;
use crate::body::calc::Shape;
use crate::cli::GrainArgs;
use crate::cli::report::short;

/// Returns mass properties, and fidelity by number of spheres, as text.
pub(super) fn text(
    args: &GrainArgs,
    name: &str,
    shape: &Shape,
    properties: &Value,
    fitted: Option<&Fitted>,
) -> String {
    let (kind, count) = parts(shape);
    let mut lines = match fitted {
        Some(fitted) => vec![format!(
            "{name}: {count} {kind}, method {}, for {} triangles",
            fitted.method,
            fitted.body.mesh().triangles().count()
        )],
        None => vec![format!("{name}: {count} {kind}")],
    };
    let numbers = |value: &Value| {
        let list = value.as_array().map(Vec::as_slice).unwrap_or_default();
        let texts = list.iter().filter_map(Value::as_f64).map(short);
        texts.collect::<Vec<_>>().join(", ")
    };
    let number = |key: &str| short(properties[key].as_f64().unwrap_or(f64::NAN));
    let planar = matches!(shape, Shape::Disks(_) | Shape::Arcs(_));
    let mut line = |name: &str, text: String| lines.push(format!("  {name:<15} {text}"));
    line(if planar { "area" } else { "volume" }, number("measure"));
    line("mass", number("mass"));
    line("centroid", numbers(&properties["centroid"]));
    if planar {
        line("moment", number("moment"));
    } else {
        line("moments", numbers(&properties["principal"]["moments"]));
    }
    line("bounding radius", number("bounding_radius"));
    let buried = properties["buried"].as_array().map_or(0, Vec::len);
    if buried > 0 {
        line("buried", format!("{buried} {kind}, wholly inside others"));
    }
    if let Some(fitted) = fitted {
        table(fitted, &mut lines);
    }
    for path in [&args.out, &args.plot].into_iter().flatten() {
        lines.push(format!("  {:<15} {}", "written", path.display()));
    }
    lines.push(String::new());
    lines.join("\n")
}

fn table(fitted: &Fitted, lines: &mut Vec<String>) {
    lines.push(format!(
        "  body: volume {}; distances in shares of its longest side, {}",
        short(fitted.exact.measure),
        short(fitted.body.size())
    ));
    lines.push(
        "  spheres  overlap  missing   excess   surface: mean      p95      max  centroid  inertia  at equal mass"
            .into(),
    );
    let size = fitted.body.size();
    for row in &fitted.table {
        lines.push(format!(
            "  {:>7} {:>8.4} {:>8.4} {:>8.4} {:>15.5} {:>8.5} {:>8.5} {:>9.5} {:>8.4} {:>14.4}",
            row.spheres,
            row.overlap,
            row.missing,
            row.excess,
            row.surface.mean / size,
            row.surface.p95 / size,
            row.surface.max / size,
            row.centroid,
            row.inertia,
            row.inertia_equal_mass
        ));
    }
    if let Some(row) = fitted.table.last() {
        lines.push(format!(
            "  errors of the numbers: volumes {:.1e}, inertia {:.1e}",
            row.volume_error, row.inertia_error
        ));
    }
}
