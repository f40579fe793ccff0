//! Header and footer of the page: the figures of the run.

use crate::record::{Status, Summary};
use crate::view::report::plots::{mean_rate, three};
use crate::view::report::run::Run;
use crate::view::svg::escaped;

/// Returns the status as a CSS class and in words.
pub(super) fn status(summary: &Summary) -> (&'static str, String) {
    match summary.status {
        Status::Finished => ("finished", "finished".into()),
        Status::Jammed => {
            let at = summary
                .jam
                .as_ref()
                .map(|jam| format!(" at {} s", three(jam.time)));
            ("jammed", format!("jammed{}", at.unwrap_or_default()))
        }
        Status::Empty => ("empty", "empty: all grains left".into()),
        Status::Interrupted => ("interrupted", "interrupted: not finished".into()),
        Status::Failed => ("failed", "failed".into()),
    }
}

/// Returns the introductory sentence of the run.
pub(super) fn lead(run: &Run) -> String {
    super::sentence(&run.description)
        + &format!(
            "Seed {}, {} dimensions.",
            run.summary.seed,
            if run.meta.dimensions == 2 {
                "two"
            } else {
                "three"
            }
        )
}

/// Formats a count with narrow spaces between thousands.
fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::new();
    for (k, digit) in digits.chars().enumerate() {
        if k > 0 && (digits.len() - k).is_multiple_of(3) && digits.len() > 4 {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

fn clock(seconds: f64) -> String {
    match seconds {
        s if s < 90.0 => format!("{} s", three(s)),
        s if s < 5400.0 => format!("{:.1} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

/// Returns the figures of the run.
pub(in crate::view::report) fn tiles(run: &Run) -> String {
    let s = &run.summary;
    let mut text = String::new();
    let mut tile = |name: &str, value: String, more: String| {
        text += &super::tile(name, &value, &more);
    };
    tile(
        "time",
        format!("{} s", three(s.time.simulated)),
        format!("in {} on the clock", clock(s.time.wall)),
    );
    let g = &s.grains;
    let mut changed = Vec::new();
    if g.created > 0 {
        changed.push(format!("{} fed", count(g.created)));
    }
    if g.removed > 0 {
        changed.push(format!("{} removed", count(g.removed)));
    }
    tile(
        "grains",
        match g.initial == g.last {
            true => count(g.initial),
            false => format!("{} \u{2192} {}", count(g.initial), count(g.last)),
        },
        changed.join(", "),
    );
    if let Some(d) = s.discharge.filter(|d| d.count > 0) {
        let rate = match mean_rate(run) {
            Some((mean, error)) => format!("{} \u{b1} {} a second", three(mean), three(error)),
            None => format!("{} a second", three(d.mean_rate)),
        };
        tile("discharged", count(d.count), rate);
    }
    if let Some(jam) = &s.jam {
        let more = match jam.arch.len() {
            0 => "no arch over an outlet".into(),
            n => format!("arch of {n} grains, span {} m", three(jam.span)),
        };
        tile("jam", format!("{} s", three(jam.time)), more);
    } else if !s.jams.is_empty() {
        tile(
            "jams",
            count(s.jams.len() as u64),
            "each broken from outside".into(),
        );
    }
    tile(
        "energy balance",
        format!("{:.1e}", s.energy.balance_error).replace('-', "\u{2212}"),
        "error over what flowed".into(),
    );
    tile(
        "events",
        count(s.events.total),
        format!("{} a second on the clock", three(s.events.per_wall_second)),
    );
    let (done, all) = (s.work.grain_steps, s.work.grain_steps_if_all_stepped);
    let saved = 1.0 - done as f64 / all.max(1) as f64;
    if done > 0 && saved >= 0.005 {
        tile(
            "steps saved",
            format!("{:.0} %", 100.0 * saved),
            format!("{} of {} grain steps", short(done), short(all)),
        );
    }
    if s.models.len() > 1 {
        let mut models: Vec<_> = s.models.iter().collect();
        models.sort_by(|a, b| b.1.grain_time.total_cmp(&a.1.grain_time));
        let percent = |share: f64| format!("{:.0} %", 100.0 * share);
        let parts = models.iter().map(|(name, had)| {
            let [time, work] = [had.grain_time, had.work].map(percent);
            format!("{name} {time} of grain time, {work} of work")
        });
        tile(
            "models",
            count(models.len() as u64),
            parts.collect::<Vec<_>>().join("; "),
        );
    }
    if s.work.collisions > 0 {
        let rate = s.work.collisions as f64 / s.time.wall.max(1e-9);
        tile(
            "collisions",
            count(s.work.collisions),
            format!("{} a second on the clock", three(rate)),
        );
    }
    if let Some(a) = s.avalanches.filter(|a| a.count > 0) {
        tile(
            "micro-avalanches",
            count(a.count),
            format!("largest of {} changes", count(a.largest)),
        );
    }
    text
}

fn short(value: u64) -> String {
    match value {
        0..100_000 => count(value),
        _ => format!("{:.2e}", value as f64),
    }
}

/// Returns the warnings for the user.
pub(in crate::view::report) fn warnings(run: &Run) -> String {
    let mut all: Vec<String> = run.summary.warnings.clone();
    if run.summary.status == Status::Interrupted {
        all.insert(
            0,
            "The run was interrupted: what follows holds until then. Go on with `arenite run` and --resume.".into(),
        );
    }
    super::listed(&all)
}

/// Returns the origin of the page: program, scenario, seed.
pub(super) fn footer(run: &Run, live: bool) -> String {
    let s = &run.summary;
    let which = format!(
        "arenite {} \u{b7} scenario {} \u{b7} seed {}",
        escaped(&s.arenite),
        escaped(&s.scenario),
        s.seed
    );
    if live {
        return format!(
            "<p>{which}</p>\n<p>The page looks on while the run goes on, and changes nothing in it. What it shows it \
             keeps after the end, but not on the disk: `arenite report` makes a page to keep. SI units; angles in \
             radians.</p>"
        );
    }
    format!(
        "<p>{which} \u{b7} state {}</p>\n\
         <p>The folder of the run holds scenario.toml, with which it can be run again to the same bits, and all \
         tables. SI units; angles in radians.</p>",
        escaped(&s.state_hash)
    )
}
