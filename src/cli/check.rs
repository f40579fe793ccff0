//! `arenite check`: describes what a run would do.

use serde_json::json;

use super::CheckArgs;
use super::failure::Failure;
use super::report::{duration, print, print_json, short};
use super::source;
use crate::cluster::integrate::Integrate;
use crate::geometry::Vector;
use crate::scenario::spec::Spec;
use crate::scenario::{AnySetup, Resolved};
use crate::system::{
    FreedomName, Plan, QuasiStaticSetup, Setup, bonds_at_start, driver_of, frame_of, may_fly,
    moving_part, why_all_step,
};

/// Checks the scenario and describes its run.
pub(super) fn check(args: &CheckArgs) -> Result<(), Failure> {
    let (scenario, resolved) = source::load(&args.source)?;
    match &resolved.setup {
        AnySetup::Planar(setup) => show(
            args.json,
            &resolved,
            setup,
            &source::plan(&scenario, setup)?,
        ),
        AnySetup::Spatial(setup) => show(
            args.json,
            &resolved,
            setup,
            &source::plan(&scenario, setup)?,
        ),
    }
}

fn show<D: Integrate>(
    as_json: bool,
    resolved: &Resolved,
    setup: &Setup<D>,
    plan: &Plan,
) -> Result<(), Failure> {
    // Errors that only a start detects: invalid walls, tables that cannot be computed.
    driver_of(setup.clone(), None)?;
    let spec = &resolved.spec;
    // As in the estimates of step and cost: the grains due by the finish, not the greatest allowed number.
    let fed = setup.to_come().round() as u64;
    let settle = setup.run.settle.map_or(0.0, |settle| settle.at_most);
    let regimes: Vec<&str> = [
        ("flight", may_fly(setup)),
        ("cluster", true),
        ("rest", setup.models.morph.is_some()),
    ]
    .into_iter()
    .filter_map(|(name, there)| there.then_some(name))
    .collect();
    let sizes = setup.grains.iter().map(|grain| grain.radius);
    let least = sizes.clone().fold(f64::INFINITY, f64::min);
    let greatest = sizes.fold(0.0, f64::max);
    let seconds = plan.seconds;
    let bonds = bonds_at_start(setup);
    if let Some(settings) = &setup.models.quasi_static {
        let sizes = (least, greatest);
        return show_quasi_static(as_json, resolved, setup, settings, sizes, plan);
    }
    if setup.models.events.is_some() {
        return show_events(as_json, resolved, setup, (least, greatest), &plan.warnings);
    }
    if as_json {
        return print_json(&json!({
            "scenario": spec.name,
            "seed": setup.seed,
            "dimensions": D::N,
            "grains": {"initial": setup.grains.len(), "fed": fed,
                "least_radius": (!setup.grains.is_empty()).then_some(least),
                "greatest_radius": (!setup.grains.is_empty()).then_some(greatest)},
            "bonds": bonds,
            "boundaries": names(setup),
            "meshes": setup.meshes(),
            "materials": setup.matter.materials,
            "regimes": regimes,
            "rest": rest_of(spec, setup),
            "integrator": setup.motion.integrator,
            "step": plan.step,
            "step_reasons": plan.reasons,
            "settle_at_most": settle,
            "finish": setup.run.end_time,
            "stable_speed": setup.motion.stable_speed,
            "stable_dwell": setup.motion.stable_dwell,
            "grain_steps_at_most": plan.grain_steps,
            "estimated_seconds_at_most": seconds,
            "warnings": plan.warnings,
        }));
    }
    let mut grains = Vec::new();
    if !setup.grains.is_empty() {
        let radii = radii(least, greatest);
        let text = format!("{} at the start, {radii}", setup.grains.len());
        grains.push(("grains", text));
    }
    if let Some(bonds) = bonds {
        let agglomerates = match setup.matter.agglomerates.count() {
            0 => String::new(),
            1 => ", in 1 agglomerate".into(),
            count => format!(", in {count} agglomerates"),
        };
        grains.push(("bonds", format!("{bonds} where grains begin{agglomerates}")));
    }
    if fed > 0 {
        grains.push(("fed", format!("{fed} during the run")));
    }
    let mut lines = head(resolved, setup, grains);
    let mut line = |name: &str, text: String| lines.push(told(name, &text));
    line(
        "time",
        if settle > 0.0 {
            format!(
                "at most {} s to settle, then {} s",
                short(settle),
                short(setup.run.end_time)
            )
        } else {
            format!("{} s", short(setup.run.end_time))
        },
    );
    let integrator = json!(setup.motion.integrator);
    line(
        "step",
        format!(
            "{} s, {}",
            short(plan.step),
            integrator.as_str().unwrap_or_default()
        ),
    );
    for reason in &plan.reasons {
        line("", reason.clone());
    }
    line("regimes", regimes.join(", "));
    line("rest", rest_of(spec, setup));
    line(
        "at rest",
        format!(
            "links slower than {} m/s for {} s",
            short(setup.motion.stable_speed),
            short(setup.motion.stable_dwell)
        ),
    );
    line(
        "cost",
        format!(
            "at most {} grain-steps, about {} on one core",
            short(plan.grain_steps),
            about(seconds)
        ),
    );
    lines.extend(plan.warnings.iter().map(|text| told("warning", text)));
    lines.push(String::new());
    print(lines.join("\n").as_bytes())
}

/// Says whether grains come to rest, and why.
fn rest_of<D: Integrate>(spec: &Spec, setup: &Setup<D>) -> String {
    let forbidden = spec.morph.as_ref().is_some_and(|morph| !morph.rigid);
    let place = match frame_of(setup) {
        Some(_) => ", in the frame of the walls, which turn together",
        None => "",
    };
    match setup.models.morph {
        Some(morph) if morph.by_default => format!(
            "grains in equilibrium are not stepped{place} (`morph.rigid = false` steps all)"
        ),
        Some(_) => format!("grains in equilibrium are not stepped{place}, as [morph] says"),
        None if forbidden => "all grains are stepped: `morph.rigid = false`".to_string(),
        None => format!(
            "all grains are stepped: {}",
            why_all_step(setup).unwrap_or_default()
        ),
    }
}

/// Formats seconds, with two digits if they are few.
fn about(seconds: f64) -> String {
    if seconds.is_nan() || seconds >= 1.0 {
        return duration(seconds);
    }
    // Rounded through text, to the digits shown.
    let text = format!("{:.1e}", seconds.max(1e-3));
    format!("{} s", text.parse::<f64>().unwrap_or(seconds))
}

/// Formats a line of the report.
fn told(name: &str, text: &str) -> String {
    format!("  {name:<10} {text}")
}

fn radii(least: f64, greatest: f64) -> String {
    if least == greatest {
        format!("radius {} m", short(least))
    } else {
        format!("radii {} to {} m", short(least), short(greatest))
    }
}

/// Returns the first lines of the report: the contents of the scenario; `grains` has lines of its own.
fn head<D: Integrate>(
    resolved: &Resolved,
    setup: &Setup<D>,
    grains: Vec<(&str, String)>,
) -> Vec<String> {
    let spec = &resolved.spec;
    let mut lines = vec![match &spec.description {
        Some(text) => format!("{}: {text}", spec.name),
        None => spec.name.clone(),
    }];
    let gravity: Vec<String> = setup.fields.gravity.components().map(short).collect();
    let gravity = gravity.join(", ");
    lines.push(told(
        "space",
        &format!("{} dimensions, gravity ({gravity}) m/s^2", D::N),
    ));
    lines.extend(grains.iter().map(|(name, text)| told(name, text)));
    let walls = names(setup);
    if !walls.is_empty() {
        lines.push(told("walls", &walls.join(", ")));
    }
    for mesh in setup.meshes() {
        let sides: Vec<String> = mesh.extent.iter().copied().map(short).collect();
        let wide = mesh.diameters.map_or(String::new(), |over| {
            format!(", {} mean diameters wide", short(over))
        });
        lines.push(told(
            "mesh",
            &format!(
                "{}: {} triangles, {} open edges, {} m{wide}",
                mesh.name,
                mesh.triangles,
                mesh.open_edges,
                sides.join(" x ")
            ),
        ));
    }
    lines.push(told("materials", &setup.matter.materials.join(", ")));
    lines
}

fn names<D: Integrate>(setup: &Setup<D>) -> Vec<&str> {
    setup
        .boundaries
        .iter()
        .map(|wall| wall.name.as_str())
        .collect()
}

/// Describes an event-driven run.
fn show_events<D: Integrate>(
    as_json: bool,
    resolved: &Resolved,
    setup: &Setup<D>,
    (least, greatest): (f64, f64),
    warnings: &[String],
) -> Result<(), Failure> {
    let spec = &resolved.spec;
    let events = setup.models.events.as_ref();
    let cost = events.map(|events| setup.event_cost(events));
    if as_json {
        return print_json(&json!({
            "scenario": spec.name,
            "seed": setup.seed,
            "dimensions": D::N,
            "grains": {"initial": setup.grains.len(), "fed": 0,
                "least_radius": least, "greatest_radius": greatest},
            "boundaries": names(setup),
            "meshes": setup.meshes(),
            "materials": setup.matter.materials,
            "regimes": ["flight"],
            "events": spec.events,
            "finish": setup.run.end_time,
            "estimated_collisions": cost.map(|cost| cost.0),
            "estimated_seconds_at_most": cost.map(|cost| cost.1),
            "warnings": warnings,
        }));
    }
    let text = format!(
        "{} at the start, {}",
        setup.grains.len(),
        radii(least, greatest)
    );
    let mut lines = head(resolved, setup, vec![("grains", text)]);
    lines.push(told("time", &format!("{} s", short(setup.run.end_time))));
    let soft = setup.models.events.as_ref().is_some_and(|events| {
        let mut laws = events.laws.pairs.iter().flatten();
        laws.any(|law| law.soft)
    });
    let step = if soft {
        "none: from one event to the next; contacts of grains last (soft collisions)"
    } else {
        "none: from one hard collision to the next"
    };
    lines.push(told("step", step));
    lines.push(told("regimes", "flight"));
    if let Some((collisions, seconds)) = cost {
        lines.push(told(
            "cost",
            &format!(
                "some {} collisions of grains as they move at the start, about {} on one core",
                short(collisions),
                about(seconds)
            ),
        ));
    }
    lines.extend(warnings.iter().map(|text| told("warning", text)));
    lines.push(String::new());
    print(lines.join("\n").as_bytes())
}

/// Describes a quasi-static filling.
fn show_quasi_static<D: Integrate>(
    as_json: bool,
    resolved: &Resolved,
    setup: &Setup<D>,
    settings: &QuasiStaticSetup,
    (least, greatest): (f64, f64),
    plan: &Plan,
) -> Result<(), Failure> {
    let (spec, warnings) = (&resolved.spec, &plan.warnings);
    let motion = moving_part(setup).map(|moving| moving.run.begin);
    let come = (setup.run.end_time / settings.interval).floor();
    let grains = setup.grains.len().min(come as usize);
    let solver = crate::system::quasi_static::solver_of(setup, settings);
    if as_json {
        return print_json(&json!({
            "scenario": spec.name,
            "seed": setup.seed,
            "dimensions": D::N,
            "grains": {"initial": 0, "fed": grains,
                "least_radius": least, "greatest_radius": greatest},
            "boundaries": names(setup),
            "meshes": setup.meshes(),
            "materials": setup.matter.materials,
            "regimes": ["rigid"],
            "quasi_static": spec.quasi_static,
            "solver": solver,
            "finish": setup.run.end_time,
            "motion": motion.map(|begin| json!({"begin": begin, "step": plan.step,
                "estimated_seconds_at_most": plan.seconds})),
            "estimated_seconds_at_most": setup.filling_cost(settings),
            "warnings": warnings,
        }));
    }
    let radii = radii(least, greatest);
    let text = format!("{grains} come one by one, {radii}; forces in equilibrium after each");
    let mut lines = head(resolved, setup, vec![("grains", text)]);
    let mut line = |name: &str, text: String| lines.push(told(name, &text));
    line(
        "time",
        format!(
            "{} s: it only counts grains, one each {} s",
            short(motion.unwrap_or(setup.run.end_time)),
            short(settings.interval)
        ),
    );
    line("solver", solver);
    line("regimes", "rigid".into());
    line(
        "cost",
        format!(
            "{grains} equilibria, about {} on one core, two or three times less or more as slides spread",
            about(setup.filling_cost(settings))
        ),
    );
    let freedom = json!(settings.freedom);
    line(
        "freedom",
        format!(
            "{}; links in tension {}, {}",
            freedom.as_str().unwrap_or_default(),
            json!(settings.tension).as_str().unwrap_or_default(),
            if settings.slides {
                "slides where friction does not hold"
            } else {
                "no slides"
            }
        ),
    );
    if let Some(begin) = motion {
        let text = format!(
            "from {} s to {} s, with the forces of the filling{}, by steps of {} s: {} at most",
            short(begin),
            short(setup.run.end_time),
            match settings.freedom {
                FreedomName::Full => "",
                FreedomName::Translational => ", whose moments do not balance",
            },
            short(plan.step),
            about(plan.seconds)
        );
        lines.push(told("then motion", &text));
    }
    lines.extend(warnings.iter().map(|text| told("warning", text)));
    lines.push(String::new());
    print(lines.join("\n").as_bytes())
}
