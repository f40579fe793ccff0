//! Writes a plot to files of its own: a drawing that needs no page, and its table.

use std::fmt::Write;

use super::{Column, Plot, svg};

/// Colours and style rules of the page, which the drawing includes.
const STYLE: &str = include_str!("../report/page/style.css");
const RULES: &str = include_str!("../report/page/plot.css");

/// Returns the plot as an SVG file: on white, in the colours of a light page, with its style rules inside.
pub(in crate::view) fn alone(plot: &Plot) -> String {
    let text = svg(plot);
    let (head, rest) = text.split_once('>').unwrap_or((&text, ""));
    // A file has a size of its own, and no keyboard focus.
    let head = head.replace(" tabindex=\"0\"", "");
    let head = match size(&head) {
        Some((width, height)) => format!("{head} width=\"{width}\" height=\"{height}\""),
        None => head,
    };
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{head}><style>{}</style>\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>{}\n",
        fixed(RULES),
        fixed(rest)
    )
}

/// Returns the width and height of a drawing's view box.
fn size(head: &str) -> Option<(&str, &str)> {
    let view = head.split_once("viewBox=\"0 0 ")?.1;
    view.split_once('"')?.0.split_once(' ')
}

/// Replaces the page's colour names in the text by the colours.
fn fixed(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("var(") {
        let Some((name, more)) = after.split_once(')') else {
            break;
        };
        out += before;
        out += colour(name).unwrap_or("#000");
        rest = more;
    }
    out + rest
}

/// Returns the first value that the page assigns to a name: that of the light colours.
fn colour(name: &str) -> Option<&'static str> {
    let (_, after) = STYLE.split_once(&format!(" {name}: "))?;
    Some(after.split_once(';')?.0)
}

/// Returns the table behind a plot as comma-separated values; the header contains the units.
pub(in crate::view) fn csv(columns: &[Column]) -> String {
    let quoted = |text: String| match text.contains([',', '"', '\n']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text,
    };
    let head = |column: &Column| match column.unit.as_str() {
        "1" | "" => quoted(column.name.clone()),
        unit => quoted(format!("{} [{unit}]", column.name)),
    };
    let heads: Vec<String> = columns.iter().map(head).collect();
    let mut text = heads.join(",") + "\n";
    let rows = columns.iter().map(|c| c.values.len()).max().unwrap_or(0);
    for row in 0..rows {
        for (k, column) in columns.iter().enumerate() {
            if k > 0 {
                text.push(',');
            }
            match column.values.get(row) {
                Some(value) if value.is_finite() => {
                    let _ = write!(text, "{value}");
                }
                _ => {}
            }
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::plot::{Axis, Mark, Scaling};

    #[test]
    fn a_drawing_by_itself_needs_no_page() {
        let axis = || Axis::new("x (m)", Scaling::Even);
        let mut plot = Plot::new("p", "A < B", axis(), axis());
        plot.draw("one", 0, Mark::Line(vec![[0.0, 1.0], [1.0, 2.0]]));
        plot.draw("two", 1, Mark::Errors(vec![[0.5, 1.0, 1.5]]));
        let text = alone(&plot);
        assert!(!text.contains("var("), "{text}");
        assert!(text.contains("#2f6f8f") && text.contains("width=\"500\""));
        assert!(text.trim_end().ends_with("</svg>"));
    }

    #[test]
    fn what_is_no_number_is_empty() {
        let columns = [
            Column::new("a,b", "m", vec![1.0, 0.1]),
            Column::new("n", "1", vec![f64::NAN, 3.0]),
        ];
        assert_eq!(csv(&columns), "\"a,b [m]\",n\n1,\n0.1,3\n");
    }
}
