//! `arenite converge`: repeats a scenario with the step halved.

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use serde_json::json;

use super::ConvergeArgs;
use super::failure::Failure;
use super::plot;
use super::report::{duration, message, print, print_json, short};
use super::source;
use crate::cluster::integrate::Integrate;
use crate::geometry::Dimension;
use crate::record::{AvalancheRow, EventRow, GrainRow, LinkRow, RecordError, SeriesRow, Sink};
use crate::scenario::spec::Spec;
use crate::scenario::{AnySetup, Scenario};
use crate::study::convergence::{self, Convergence, Course, OrderFit, Placed, State};
use crate::system::{Control, EventLog, Setup, driver_of};
use crate::view::{Curve, Panel, chart};

/// A finest run of more steps than this would not end in a day.
const MOST_STEPS: f64 = 1e10;

/// Repeats a scenario with the step halved; prints the orders of convergence.
pub(super) fn converge(args: &ConvergeArgs) -> Result<(), Failure> {
    let (scenario, resolved) = source::load(&args.source)?;
    match resolved.setup {
        AnySetup::Planar(setup) => series(args, &scenario, &resolved.spec, &setup),
        AnySetup::Spatial(setup) => series(args, &scenario, &resolved.spec, &setup),
    }
}

fn series<D: Integrate>(
    args: &ConvergeArgs,
    scenario: &Scenario,
    spec: &Spec,
    setup: &Setup<D>,
) -> Result<(), Failure> {
    let other = match (&setup.models.quasi_static, &setup.models.events) {
        (Some(_), _) => Some("[quasi_static] has no motion"),
        (_, Some(_)) => Some("[events] goes from collision to collision"),
        _ => None,
    };
    if let Some(why) = other {
        return Err(Failure::Input(format!(
            "`{}` has no step that could be halved: {why}",
            spec.name
        )));
    }
    let window = window(args, setup.run.end_time)?;
    let plan = source::plan(scenario, setup)?;
    // The coarsest step divides the interval between recorded states, so that all runs have states at exactly these
    // times.
    let interval = setup.run.end_time / f64::from(args.times);
    let parts = (interval / plan.step).ceil().max(1.0);
    let finest = parts * f64::from(args.times) * libm::exp2(f64::from(args.halvings));
    if !finest.is_finite() || finest > MOST_STEPS {
        return Err(Failure::Input(format!(
            "the finest run would take {} steps: ask for fewer --halvings or an earlier --until",
            short(finest)
        )));
    }
    let say = |text: &str| {
        if !args.quiet {
            message(text);
        }
    };
    for warning in warnings(setup) {
        say(&format!("warning: {warning}"));
    }
    let mut courses = Vec::new();
    for halving in 0..=args.halvings {
        let step = interval / (parts * libm::exp2(f64::from(halving)));
        let start = Instant::now();
        courses.push(course(setup, step, interval)?);
        let took = duration(start.elapsed().as_secs_f64());
        say(&format!("step {} s: {took}", short(step)));
    }
    let periodic = std::array::from_fn(|k| {
        let axis = setup.space.periodic.get(k).copied().flatten();
        axis.map(|axis| axis.length)
    });
    let found = convergence::convergence(&courses, periodic, window)
        .map_err(|why| Failure::Run(format!("the runs cannot be compared: {why}")))?;
    if let Some(path) = &args.plot {
        draw(&found, path)?;
    }
    let integrator = json!(setup.motion.integrator);
    if args.json {
        return print_json(&json!({
            "scenario": spec.name,
            "seed": setup.seed,
            "integrator": integrator,
            "finish": setup.run.end_time,
            "convergence": found,
        }));
    }
    let head = format!(
        "{}, seed {}, {}: {} runs to {} s\n",
        spec.name,
        setup.seed,
        integrator.as_str().unwrap_or_default(),
        courses.len(),
        short(setup.run.end_time)
    );
    print((head + &text(&found)).as_bytes())
}

/// Returns the range of times used for the orders, s.
fn window(args: &ConvergeArgs, finish: f64) -> Result<[f64; 2], Failure> {
    let from = args.from.unwrap_or(0.0);
    let to = args.to.unwrap_or(finish);
    if from < to && from < finish && to > 0.0 {
        return Ok([from, to]);
    }
    Err(Failure::Input(format!(
        "--from {from} and --to {to} hold no time of a run from 0 to {finish} s"
    )))
}

/// Returns warnings of parts of a scenario that spoil the convergence of its integrator.
fn warnings<D: Dimension>(setup: &Setup<D>) -> Vec<&'static str> {
    let mut found = Vec::new();
    if setup.run.settle.is_some() {
        found.push("the runs differ from time 0 on: each settles with its own step before");
    }
    if setup.models.asks_for_rest() {
        found.push("grains that stand still do so by thresholds: leave [morph] out to see the integrator alone");
    }
    found
}

/// Runs once and returns the states at the recorded times.
fn course<D: Integrate>(setup: &Setup<D>, step: f64, interval: f64) -> Result<Course, Failure> {
    let mut setup = setup.clone();
    if !setup.models.asks_for_rest() {
        setup.models.morph = None;
    }
    setup.motion.step = Some(step);
    setup.log.series = Some(interval);
    setup.log.snapshots = Some(interval);
    setup.log.checkpoint = None;
    setup.log.events = EventLog::None;
    setup.log.stagnant = None;
    setup.log.impacts = false;
    let arms = setup.matter.forms.iter().map(|form| {
        let [a, b, c] = form.inertia;
        // The plane has a single axis of rotation; in space the mean over all axes.
        let square = if D::N == 2 { c } else { (a + b + c) / 3.0 };
        square.sqrt()
    });
    let mut looks = Looks {
        dimensions: D::N,
        arms: arms.collect(),
        ..Looks::default()
    };
    let never = AtomicBool::new(false);
    driver_of(setup, None)?
        .run(&mut looks, &mut Control::new(&never))
        .map_err(|why| Failure::Run(format!("the run with a step of {step:e} s failed: {why}")))?;
    Ok(Course {
        step,
        states: looks.states(),
    })
}

/// A sink that keeps states and energies from time 0 on.
#[derive(Default)]
struct Looks {
    dimensions: usize,
    /// For each form: radius of gyration over the grain's radius.
    arms: Vec<f64>,
    states: Vec<State>,
    energies: Vec<SeriesRow>,
}

impl Looks {
    /// Returns each state with the energies at its time.
    fn states(self) -> Vec<State> {
        let mut states = self.states;
        let mut rows = self.energies.iter().peekable();
        for state in &mut states {
            // Both logs have the same interval, and therefore the same times.
            while rows.next_if(|row| row.time < state.time).is_some() {}
            let Some(row) = rows.next_if(|row| row.time == state.time) else {
                continue;
            };
            let mut entries = vec![
                row.kinetic,
                row.potential,
                row.elastic,
                row.removed,
                -row.injected,
            ];
            entries.extend(row.dissipated);
            state.energy = entries.iter().sum();
            state.turnover = entries.iter().map(|entry| entry.abs()).sum();
        }
        states
    }

    fn placed(&self, row: &GrainRow) -> Placed {
        // In the plane a rotation is given by its angle.
        let half = 0.5 * row.rotation[0];
        let turn = match self.dimensions {
            2 => [0.0, 0.0, libm::sin(half), libm::cos(half)],
            _ => row.rotation,
        };
        Placed {
            body: row.grain,
            mass: row.mass,
            position: row.position,
            turn,
            arm: row.shape.map_or(0.0, |shape| {
                let arm = self.arms.get(usize::from(shape));
                arm.map_or(0.0, |arm| arm * row.radius)
            }),
        }
    }
}

impl Sink for Looks {
    fn event(&mut self, _: &EventRow) -> Result<(), RecordError> {
        Ok(())
    }
    fn series(&mut self, row: &SeriesRow) -> Result<(), RecordError> {
        self.energies.push(row.clone());
        Ok(())
    }
    fn snapshot(&mut self, grains: &[GrainRow], _: &[LinkRow]) -> Result<(), RecordError> {
        if let Some(first) = grains.first().filter(|first| first.time >= 0.0) {
            let mut bodies: Vec<Placed> = grains.iter().map(|row| self.placed(row)).collect();
            bodies.sort_by_key(|body| body.body);
            self.states.push(State {
                time: first.time,
                bodies,
                ..State::default()
            });
        }
        Ok(())
    }
    fn avalanche(&mut self, _: &AvalancheRow) -> Result<(), RecordError> {
        Ok(())
    }
    fn checkpoint(&mut self, _: &[u8]) -> Result<(), RecordError> {
        Ok(())
    }
}

fn text(found: &Convergence) -> String {
    let mut text = format!(
        "  {:>12} {:>16} {:>7} {:>16} {:>7}\n",
        "step, s", "distance, m", "order", "energy off, J", "order"
    );
    let order = |order: Option<f64>| order.map_or("-".into(), |order| format!("{order:.2}"));
    let value = |value: f64, rounding: bool| match rounding {
        true => format!("{value:.2e} (r)"),
        false => format!("{value:.2e}"),
    };
    for row in &found.steps {
        let distance = row.distance.map(|d| value(d, row.distance_is_rounding));
        text += &format!(
            "  {:>12} {:>16} {:>7} {:>16} {:>7}\n",
            format!("{:.4e}", row.step),
            distance.unwrap_or("-".into()),
            order(row.order),
            value(row.energy, row.energy_is_rounding),
            order(row.energy_order),
        );
    }
    if found
        .steps
        .iter()
        .any(|row| row.distance_is_rounding || row.energy_is_rounding)
    {
        text += "  (r): no more than rounding may leave: left out of the fit\n";
    }
    text += &format!("  order of the distance: {}\n", told(&found.distance));
    text += &format!("  order of the energy:   {}\n", told(&found.energy));
    text
}

fn told(fit: &Option<OrderFit>) -> String {
    let Some(fit) = fit else {
        return "not determined: fewer than two values are above rounding".into();
    };
    match (fit.error, fit.interval) {
        (Some(error), Some(interval)) => format!(
            "{:.3} +- {:.3} ({:.2} to {:.2} with 95 %, {} points)",
            fit.order, error, interval.low, interval.high, fit.points
        ),
        _ => format!("{:.3} (from two points)", fit.order),
    }
}

/// Draws distance and energy against the step, and both against time; logarithms to base 10.
fn draw(found: &Convergence, path: &std::path::Path) -> Result<(), Failure> {
    let log = |x: f64| libm::log10(x);
    let finite = |p: &[f64; 2]| p[0].is_finite() && p[1].is_finite();
    let measured = |value: &dyn Fn(&convergence::StepRow) -> Option<f64>| {
        let points = found.steps.iter();
        let points = points.filter_map(|row| Some([log(row.step), log(value(row)?)]));
        points.filter(finite).collect::<Vec<_>>()
    };
    let line = |fit: &Option<OrderFit>, points: &[[f64; 2]]| {
        let Some(fit) = fit else { return Vec::new() };
        let at = |p: &[f64; 2]| [p[0], log(fit.factor) + fit.order * p[0]];
        points.iter().map(at).collect()
    };
    let panel = |title: &str, points: Vec<[f64; 2]>, fit: &Option<OrderFit>| Panel {
        title: title.into(),
        along: "log10 of the step, s".into(),
        curves: vec![
            Curve {
                points: line(fit, &points),
                key: 1,
            },
            Curve { points, key: 0 },
        ],
    };
    let pairs = found.steps.len() - 1;
    let by_time = |run: usize| {
        let rows = found.times.iter();
        let points = rows.map(|row| [row.time, log(row.distances[run])]);
        Curve {
            points: points.filter(finite).collect(),
            key: 2,
        }
    };
    let orders = found.times.iter();
    let orders = orders.filter_map(|row| Some([row.time, row.order?]));
    let mut panels = vec![
        panel(
            "log10 of the distance of states, m",
            measured(&|row| row.distance),
            &found.distance,
        ),
        panel(
            "log10 of the error of the energy, J",
            measured(&|row| Some(row.energy)),
            &found.energy,
        ),
        Panel {
            title: "log10 of the distance of states, m".into(),
            along: "time, s".into(),
            curves: (0..pairs).map(by_time).collect(),
        },
        Panel {
            title: "order of the distance".into(),
            along: "time, s".into(),
            curves: vec![Curve {
                points: orders.collect(),
                key: 0,
            }],
        },
    ];
    for panel in &mut panels {
        panel.curves.retain(|curve| !curve.points.is_empty());
    }
    panels.retain(|panel| !panel.curves.is_empty());
    let order = |fit: &Option<OrderFit>| fit.map_or("-".into(), |fit| format!("{:.2}", fit.order));
    let keys = [
        "measured".to_string(),
        format!(
            "fitted: order {} of the distance, {} of the energy",
            order(&found.distance),
            order(&found.energy)
        ),
        "each run and the next, whose step is half as long".to_string(),
    ];
    let picture = chart(&panels, &keys);
    plot::write(&picture, path)
}
