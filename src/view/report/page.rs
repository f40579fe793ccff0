//! Assembles the page from its parts.

mod header;

use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;

use super::run::Moving;
use super::run::Run;
use super::sheet::{Sheet, SheetTable};
use crate::event::Regime;
use crate::record::{Jam, RecordError, WallDrawing};
use crate::view::colour::{LAYERS, of_regime};
use crate::view::picture::Colour;
use crate::view::plot::{Plot, svg};
use crate::view::svg::{escaped, hex};

const PAGE: &str = include_str!("page/page.html");
const FILM: &str = include_str!("page/film.html");
const STYLE: &str = include_str!("page/style.css");
const PLOT_STYLE: &str = include_str!("page/plot.css");
const PLOTS: &str = include_str!("page/plots.js");
const UNPACK: &str = include_str!("page/unpack.js");
const DRAW: &str = include_str!("page/draw.js");
const TABLE: &str = include_str!("page/table.js");
const PLAYER: &str = include_str!("page/player.js");
const LIVE: &str = include_str!("page/live.js");

/// Kind of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A finished run: the page contains all data.
    Report,
    /// A run in progress: the page requests more data from its server.
    Live,
}

pub(super) use header::{tiles, warnings};

/// Returns the status of a run as a CSS class and in words.
pub(super) fn status(run: &Run, kind: Kind) -> (&'static str, String) {
    match kind {
        Kind::Report => header::status(&run.summary),
        Kind::Live => ("running", "running".into()),
    }
}

/// Returns a figure of the header: its name, its value, and details.
fn tile(name: &str, value: &str, more: &str) -> String {
    format!(
        "<div><dt>{}</dt><dd>{}<small>{}</small></dd></div>\n",
        escaped(name),
        escaped(value),
        escaped(more)
    )
}

/// Returns warnings as a list; nothing if there are none.
fn listed(warnings: &[String]) -> String {
    if warnings.is_empty() {
        return String::new();
    }
    let lines: String = warnings
        .iter()
        .map(|w| format!("<li>{}</li>", escaped(w)))
        .collect();
    format!("<ul class=\"warnings\" aria-label=\"Warnings\">{lines}</ul>")
}

/// Turns a description into a sentence followed by a space; nothing for an empty one.
pub(super) fn sentence(description: &str) -> String {
    let mut text = description.to_string();
    if let Some(first) = text.chars().next() {
        text.replace_range(..first.len_utf8(), &first.to_uppercase().to_string());
        text += ". ";
    }
    text
}

/// Fills the `{{holes}}` of a template; inserted text is not scanned again.
fn filled(template: &str, holes: &[(&str, String)]) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        let Some((name, more)) = after.split_once("}}") else {
            break;
        };
        text += before;
        let hole = holes.iter().find(|(hole, _)| *hole == name);
        text += hole.map_or("", |(_, filling)| filling.as_str());
        rest = more;
    }
    text + rest
}

/// Returns JSON that is safe to embed in a page: nothing in it can end a script.
pub(super) fn json(value: &impl Serialize) -> Result<String, RecordError> {
    let text = serde_json::to_string(value).map_err(|why| RecordError::Damaged {
        path: "report".into(),
        what: why.to_string(),
    })?;
    Ok(text.replace('<', "\\u003c"))
}

/// Contents of the animation besides grains and links.
#[derive(Serialize)]
struct Scene<'a> {
    walls: &'a [WallDrawing],
    moving: &'a [Moving],
    jams: &'a [Jam],
    layers: Vec<String>,
    regimes: Vec<(&'static str, String)>,
    gravity: [f64; 3],
    quasi_static: bool,
    /// Whether bonds are drawn.
    bonds: bool,
    /// Planned end of a run in progress, s.
    planned: Option<f64>,
}

/// Returns the tables behind plots, for the page's script.
pub(super) fn tables_of(plots: &[Plot]) -> Result<String, RecordError> {
    let mut data = String::new();
    for plot in plots {
        let _ = writeln!(
            data,
            "<script type=\"application/json\" id=\"data-{}\">{}</script>",
            plot.id,
            json(&plot.table)?
        );
    }
    Ok(data)
}

/// Returns a page without an animation.
pub(super) fn sheet(sheet: &Sheet) -> Result<String, RecordError> {
    let tiles = sheet.tiles.iter();
    let footer = sheet.footer.iter();
    let holes = [
        ("version", env!("CARGO_PKG_VERSION").to_string()),
        ("title", escaped(&sheet.name)),
        ("style", STYLE.into()),
        ("plot-style", PLOT_STYLE.into()),
        ("name", escaped(&sheet.name)),
        ("status", sheet.status.0.into()),
        ("status-words", escaped(&sheet.status.1)),
        ("lead", escaped(&sheet.lead)),
        (
            "tiles",
            tiles
                .map(|[name, value, more]| tile(name, value, more))
                .collect(),
        ),
        ("warnings", listed(&sheet.warnings)),
        ("plots", sheet.plots.iter().map(figure).collect()),
        ("tables", sheet.tables.iter().map(table).collect()),
        (
            "footer",
            footer
                .map(|line| format!("<p>{}</p>\n", escaped(line)))
                .collect(),
        ),
        ("behind", tables_of(&sheet.plots)?),
        ("plots-script", PLOTS.into()),
        ("film-script", format!("<script>\n{TABLE}\n</script>")),
    ];
    Ok(filled(PAGE, &holes))
}

fn table(table: &SheetTable) -> String {
    let cell = |text: &String| {
        // Words are left-aligned, numbers right-aligned.
        let first = text.split([' ', '\u{202f}']).next().unwrap_or_default();
        let number = text.is_empty()
            || text == "\u{2013}"
            || first.replace('\u{2212}', "-").parse::<f64>().is_ok();
        let class = if number { "" } else { " class=\"word\"" };
        format!("<td{class}>{}</td>", escaped(text))
    };
    let mut rows = table.rows.iter();
    let heads = rows.next().map_or(String::new(), |heads| {
        heads
            .iter()
            .map(|head| format!("<th>{}</th>", escaped(head)))
            .collect()
    });
    let rows: String = rows
        .map(|row| format!("<tr>{}</tr>\n", row.iter().map(cell).collect::<String>()))
        .collect();
    format!(
        "<section class=\"table\"><h2>{}</h2><p>{}</p>\n<div class=\"scroll\" tabindex=\"0\"><table>\
         <thead><tr>{heads}</tr></thead>\n<tbody>{rows}</tbody></table></div></section>\n",
        escaped(&table.title),
        escaped(&table.about)
    )
}

/// Returns the page of a run.
pub(super) fn page(
    run: &Run,
    plots: &[Plot],
    notes: &[String],
    kind: Kind,
) -> Result<String, RecordError> {
    let live = kind == Kind::Live;
    let behind = tables_of(plots)?;
    let mut data = String::new();
    let mut film_script = String::new();
    if let Some(film) = &run.film {
        let _ = writeln!(
            data,
            "<script type=\"application/json\" id=\"film-head\">{}</script>\n\
             <script type=\"application/json\" id=\"film-scene\">{}</script>",
            json(&film.head)?,
            json(&scene(run))?
        );
        for (k, chunk) in film.chunks.iter().enumerate() {
            let _ = writeln!(
                data,
                "<script type=\"text/plain\" id=\"film-{k}\">{}</script>",
                STANDARD.encode(chunk)
            );
        }
        let more = if live { LIVE } else { "" };
        film_script = format!("<script>\n{UNPACK}\n{more}\n{DRAW}\n{PLAYER}\n</script>");
    }
    let both = match run.film.is_some() {
        true => film_section(run, notes, kind),
        false => no_film(notes),
    };
    let figures: String = plots.iter().map(figure).collect();
    let (status, status_words) = status(run, kind);
    let holes = [
        (
            "connect",
            if live { "; connect-src 'self'" } else { "" }.into(),
        ),
        ("version", env!("CARGO_PKG_VERSION").to_string()),
        (
            "title",
            escaped(&format!(
                "{} seed {}",
                run.summary.scenario, run.summary.seed
            )),
        ),
        ("style", STYLE.into()),
        ("plot-style", PLOT_STYLE.into()),
        ("name", escaped(&run.summary.scenario)),
        ("status", status.into()),
        ("status-words", escaped(&status_words)),
        ("lead", escaped(&header::lead(run))),
        ("tiles", tiles(run)),
        ("warnings", warnings(run)),
        ("both", if run.film.is_some() { "both" } else { "" }.into()),
        ("film", both),
        ("plots", figures),
        ("footer", header::footer(run, live)),
        ("behind", behind),
        ("data", data),
        ("plots-script", PLOTS.into()),
        ("film-script", film_script),
    ];
    Ok(filled(PAGE, &holes))
}

fn scene(run: &Run) -> Scene<'_> {
    let given = run.given.as_ref();
    let colour = |c: Colour| hex(c);
    let regimes = [Regime::Flight, Regime::Cluster, Regime::Rest, Regime::Rigid];
    Scene {
        walls: &run.meta.walls,
        moving: given.map_or(&[], |g| &g.moving),
        jams: &run.summary.jams,
        layers: LAYERS.into_iter().map(colour).collect(),
        regimes: regimes.map(|r| (r.name(), colour(of_regime(r)))).to_vec(),
        gravity: given.map_or([0.0; 3], |g| g.gravity),
        quasi_static: given.is_some_and(|g| g.quasi_static),
        bonds: run.meta.bonds,
        planned: given.and_then(|g| g.planned),
    }
}

fn film_section(run: &Run, notes: &[String], kind: Kind) -> String {
    let mouse = match run.meta.dimensions {
        2 => "Drag to move, double click for the whole view.",
        _ => {
            "Drag to turn, drag with shift or the right button to move, double click for the whole view."
        }
    };
    let snapshots = run.frames.as_ref().map_or(0, |f| f.frames.len());
    let mut note = match kind {
        Kind::Report => format!("{snapshots} snapshots."),
        Kind::Live => {
            "Snapshots as the run records them; more often with a finer log.snapshots.".into()
        }
    };
    note += " Between two of them grains are drawn on the cubic that fits their places and velocities, or on a \
             straight line where these tell of a collision.";
    for more in notes {
        note += &format!(" Note: {more}.");
    }
    let hidden = if kind == Kind::Live { "" } else { " hidden" };
    let holes = [
        ("mouse", mouse.into()),
        ("note", escaped(&note)),
        ("follow", hidden.into()),
    ];
    filled(FILM, &holes)
}

fn no_film(notes: &[String]) -> String {
    let lines: String = notes
        .iter()
        .map(|n| format!("<p>{}</p>", escaped(n)))
        .collect();
    format!("<section id=\"film\" class=\"warnings\" aria-label=\"Animation\">{lines}</section>\n")
}

/// Returns a plot with its title, its buttons and its description.
pub(super) fn figure(plot: &Plot) -> String {
    let flag = |on: bool| if on { "yes" } else { "no" };
    format!(
        "<figure id=\"{id}\" data-timed=\"{timed}\" data-field=\"{field}\">\
         <header><h2>{title}</h2>\
         <button type=\"button\" class=\"svg\" title=\"Save the plot as SVG\">SVG</button>\
         <button type=\"button\" class=\"csv\" title=\"Save its data as CSV\">CSV</button></header>\n\
         {svg}\n<figcaption>{about}</figcaption></figure>\n",
        id = plot.id,
        timed = flag(plot.timed),
        field = flag(plot.equal || plot.tiled()),
        title = escaped(&plot.title),
        svg = svg(plot),
        about = escaped(&plot.about),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_filled_in_is_not_looked_at_again() {
        let text = filled(
            "a {{x}} {{y}} {{z}} }}",
            &[("x", "{{y}}".into()), ("y", "2".into())],
        );
        assert_eq!(text, "a {{y}} 2  }}");
    }

    #[test]
    fn json_cannot_end_a_script() {
        let text = json(&"</script><b>").unwrap();
        assert!(!text.contains('<'));
        assert_eq!(
            serde_json::from_str::<String>(&text).unwrap(),
            "</script><b>"
        );
    }
}
