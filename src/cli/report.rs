//! Output: results to standard output, messages to standard error.

use std::io::Write;
use std::path::Path;

use super::failure::Failure;
use crate::record::{Status, Summary};
use crate::study::silo::SiloStudy;

/// Writes a result to standard output.
pub(super) fn print(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()?;
    Ok(())
}

/// Writes a JSON value to standard output.
pub(super) fn print_json(value: &serde_json::Value) -> Result<(), Failure> {
    print(format!("{value:#}\n").as_bytes())
}

/// Writes a message to standard error; a closed one must not stop a run.
pub(super) fn message(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Formats a number with few digits.
pub(super) fn short(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 || (1e-2..1e6).contains(&size) {
        // Only as many digits as are useful; no decimals from a thousand on.
        let digits = match size {
            0.0..100.0 => 3,
            100.0..1000.0 => 1,
            _ => 0,
        };
        let text = format!("{value:.digits$}");
        match text.contains('.') {
            true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
            false => text,
        }
    } else {
        format!("{value:.2e}")
    }
}

/// Formats a duration: `48 s`, `3 min 20 s`, `2 h 5 min`.
pub(super) fn duration(seconds: f64) -> String {
    if !seconds.is_finite() || seconds > 1e9 {
        return "very long".into();
    }
    if seconds < 10.0 {
        return format!("{seconds:.1} s");
    }
    let whole = seconds.round() as u64;
    match whole {
        0..60 => format!("{whole} s"),
        60..3600 => format!("{} min {} s", whole / 60, whole % 60),
        3600..172_800 => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
        _ => format!("{} days {} h", whole / 86_400, whole % 86_400 / 3600),
    }
}

/// Returns the figures of a run in a few lines.
pub(super) fn summary(
    figures: &Summary,
    study: &[(&'static str, String)],
    folder: &Path,
) -> String {
    let ended = match figures.status {
        Status::Finished => "finished",
        Status::Jammed => "jammed",
        Status::Empty => "empty",
        Status::Interrupted => "interrupted",
        Status::Failed => "failed",
    };
    let mut lines = vec![format!(
        "{}, seed {}: {ended} at {} s, {} on the clock",
        figures.scenario,
        figures.seed,
        short(figures.time.simulated),
        duration(figures.time.wall)
    )];
    let mut line = |name: &str, text: String| lines.push(format!("  {name:<10} {text}"));
    let grains = &figures.grains;
    line(
        "grains",
        format!(
            "{} at the start, {} fed, {} removed, {} at the end",
            grains.initial, grains.created, grains.removed, grains.last
        ),
    );
    if let Some(discharge) = &figures.discharge {
        let text = match discharge.count {
            0 => "none".into(),
            1 => format!("1 grain at {} s", short(discharge.first)),
            count => format!(
                "{count} grains, {} a second from {} to {} s",
                short(discharge.mean_rate),
                short(discharge.first),
                short(discharge.last)
            ),
        };
        line("discharge", text);
    }
    for meter in &figures.meters {
        let sizes = match meter.d50 {
            Some(d50) => format!(", half of it under {} m", short(d50)),
            None => String::new(),
        };
        let text = format!(
            "{}: {} grains, {} kg{sizes}",
            meter.name,
            meter.count,
            short(meter.mass)
        );
        line("meter", text);
    }
    if let Some(bonds) = &figures.bonds {
        let text = format!(
            "{} formed, {} torn, {} sheared; fragments: {}, the heaviest {} kg",
            bonds.formed,
            bonds.torn,
            bonds.sheared,
            bonds.fragments,
            short(bonds.largest_fragment)
        );
        line("bonds", text);
        if let Some(bodies) = &bonds.bodies {
            let text = format!(
                "{} rigid ones formed, {} are left, {} times one came apart; loads bounded {} times, solved for {} times",
                bodies.formed, bodies.holding, bodies.divided, bodies.screened, bodies.solved
            );
            line("bodies", text);
        }
    }
    let broken = figures
        .jams
        .len()
        .saturating_sub(usize::from(figures.jam.is_some()));
    if broken > 0 {
        let text = match broken {
            1 => "1, broken from outside".into(),
            many => format!("{many}, each broken from outside"),
        };
        line("jams", text);
    }
    if let Some(jam) = &figures.jam {
        line(
            "jam",
            format!("nothing could move from {} s on", short(jam.time)),
        );
    }
    line(
        "events",
        format!(
            "{}, {} a second on the clock",
            figures.events.total,
            short(figures.events.per_wall_second)
        ),
    );
    line(
        "energy",
        format!(
            "balance to {:.1e} of what flowed",
            figures.energy.balance_error
        ),
    );
    if let Some(text) = saved_by_rest(figures) {
        line("rest", text);
    }
    if let Some(avalanches) = &figures.avalanches {
        line(
            "avalanches",
            format!(
                "{}, the largest of {} changes",
                avalanches.count, avalanches.largest
            ),
        );
    }
    for (name, text) in study {
        line(name, text.clone());
    }
    line("records", folder.display().to_string());
    for warning in &figures.warnings {
        line("warning", warning.clone());
    }
    lines.push(String::new());
    lines.join("\n")
}

/// Share of the grain time at rest from which on the error of the forces there is told.
const MUCH: f64 = 0.1;

/// Says what rest saved, and what energy stops and solves took for it; none where no grain rested.
fn saved_by_rest(figures: &Summary) -> Option<String> {
    let regimes = &figures.regimes;
    if regimes.rest + regimes.rigid == 0.0 {
        return None;
    }
    let stepped = figures.work.stepped_share()?;
    let lost = &figures.energy.dissipated;
    let all = lost.total();
    let took = if all > 0.0 { lost.morph / all } else { 0.0 };
    let mut text = format!(
        "{:.0} % of grain-steps saved; stops and solves took {took:.1e} of the dissipated energy",
        100.0 * (1.0 - stepped)
    );
    // Of some grains amid a flow it says little.
    let rested = regimes.rest + regimes.rigid >= MUCH;
    if let Some(error) = figures.force_error.filter(|_| rested) {
        let percent = 100.0 * error.sum();
        text += &format!("; forces of grains at rest to about {percent:.1} %");
    }
    Some(text)
}

/// Returns the results for a filled silo in a few lines.
pub(super) fn silo(study: &SiloStudy) -> Vec<(&'static str, String)> {
    let support = &study.support;
    let mut lines = vec![(
        "weight",
        format!(
            "the floor bears {:.1} %, the walls {:.1} %",
            100.0 * support.floor,
            100.0 * support.walls
        ),
    )];
    let deepest = study.layers.last().map_or(0.0, |layer| layer.pressure);
    let fitted = match &study.janssen_fitted {
        Some(fit) => format!(
            "; Janssen's K mu fitted {:.3}, given {:.3}",
            fit.product.value,
            study.janssen_given.ratio * study.janssen_given.wall_friction
        ),
        None => String::new(),
    };
    lines.push((
        "walls",
        format!("pressure in the deepest layer {}{fitted}", short(deepest)),
    ));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn for_people() {
        assert_eq!(short(0.25), "0.25");
        assert_eq!(short(148.0), "148");
        assert_eq!(short(174.781_08), "174.8");
        assert_eq!(short(181_980.0), "181980");
        assert_eq!(short(2.1e-5), "2.10e-5");
        assert_eq!(duration(4.26), "4.3 s");
        assert_eq!(duration(200.0), "3 min 20 s");
        assert_eq!(duration(7500.0), "2 h 5 min");
        assert_eq!(duration(f64::INFINITY), "very long");
    }
}
