//! Time, accuracy and logs: checks, and the defaults that follow from the grains.

use super::check::Check;
use crate::body::Grain;
use crate::cluster::integrate::Integrate;
use crate::contact::LawTable;
use crate::geometry::{Dimension, Vector};
use crate::scenario::path::Place;
use crate::scenario::problem::Problem;
use crate::scenario::spec::{IntervalSpec, Spec, StepSpec};
use crate::system::{FeedSetup, LogSetup, MotionSetup, SettleSetup, Setup, System, moving_part};
use crate::walls::{Boundary, Motion};

/// More rows of a log than this are refused: a misplaced decimal point would fill the disk.
pub(super) const MAX_ROWS: f64 = 1e7;
/// A run of more steps than this would not end in a lifetime.
const MAX_STEPS: f64 = 1e12;
/// A link is stable after this many contact times at rest (thesis 5.5.2: ten steps; a dwell in
/// contact times does not change with the step).
const DWELL: f64 = 10.0;

/// Scales from which defaults are computed.
pub(super) struct Scales {
    /// Reference speed, m/s: sqrt(g d).
    speed: f64,
    /// Mean diameter, m.
    diameter: f64,
    /// Shortest and longest contact time of any pair, s.
    contact: (f64, f64),
}

impl Scales {
    /// Returns the scales of a scenario's initial state.
    pub fn of<D: Dimension>(
        grains: &[Grain<D>],
        feeds: &[FeedSetup<D>],
        walls: &[Boundary<D>],
        gravity: &D::Vector,
        laws: &LawTable,
    ) -> Self {
        let mean = if grains.is_empty() {
            let sum: f64 = feeds.iter().map(|feed| feed.what.mean()).sum();
            sum / feeds.len().max(1) as f64
        } else {
            grains.iter().map(|grain| grain.radius).sum::<f64>() / grains.len() as f64
        };
        let fastest = grains
            .iter()
            .map(|grain| grain.velocity.norm())
            .chain(feeds.iter().map(|feed| feed.velocity.norm()))
            .chain(walls.iter().map(|wall| wall_speed(&wall.motion)))
            .fold(0.0, f64::max);
        let speed = if gravity.norm() > 0.0 {
            (gravity.norm() * 2.0 * mean).sqrt()
        } else if fastest > 0.0 {
            fastest
        } else {
            2.0 * mean
        };
        // The lightest and the heaviest grain bound the contact times of all pairs.
        let mut masses: (f64, f64) = (f64::INFINITY, 0.0);
        let mut radii: (f64, f64) = (f64::INFINITY, 0.0);
        let mut widen = |mass: f64, radius: f64| {
            masses = (masses.0.min(mass), masses.1.max(mass));
            radii = (radii.0.min(radius), radii.1.max(radius));
        };
        for grain in grains {
            widen(grain.mass, grain.radius);
        }
        for sort in feeds.iter().flat_map(|feed| feed.what.components()) {
            let radius = sort.radius.mean();
            widen(sort.density * D::ball_measure(radius), radius);
        }
        let mut contact: (f64, f64) = (f64::INFINITY, 0.0);
        for law in laws.laws.iter().flatten() {
            let fast = fastest.max(speed);
            contact.0 = contact
                .0
                .min(law.contact_time(0.5 * masses.0, 0.5 * radii.0, fast));
            contact.1 = contact.1.max(law.contact_time(masses.1, radii.1, speed));
        }
        Scales {
            speed,
            diameter: 2.0 * mean,
            contact,
        }
    }

    /// Refuses scales that overflow or underflow, since defaults follow from them.
    fn check(&self) -> Result<(), Problem> {
        let held = [self.speed, self.diameter, self.time()];
        if held.iter().all(|scale| scale.is_normal()) && self.contact.1.is_finite() {
            return Ok(());
        }
        Err(Problem::plain(format!(
            "sizes and speeds are beyond what numbers hold: a mean diameter of {:e} m, a speed of {:e} m/s, contacts of {:e} s",
            self.diameter, self.speed, self.contact.1
        )))
    }

    /// Returns the time to cover a diameter at the reference speed, s: sqrt(d / g).
    pub fn time(&self) -> f64 {
        self.diameter / self.speed
    }
}

/// Returns the speed of a moving wall, m/s, for scales only.
fn wall_speed<D: Dimension>(motion: &Motion<D>) -> f64 {
    match motion {
        Motion::Velocity(velocity) => velocity.norm(),
        Motion::Harmonic {
            amplitude,
            frequency,
            ..
        } => 2.0 * std::f64::consts::PI * frequency * amplitude.norm(),
        Motion::Pieces(pieces) => pieces
            .iter()
            .map(|piece| piece.velocity.norm())
            .fold(0.0, f64::max),
        Motion::Parabolic {
            amplitude,
            frequency,
        } => 8.0 * frequency * amplitude.norm(),
        Motion::Slide(slide) => slide.velocity().norm(),
        Motion::Guided(guided) => guided.speed.abs(),
        Motion::Fixed | Motion::Rotation { .. } => 0.0,
    }
}

/// Checks all single settings.
pub(super) fn check(check: Check<'_>, spec: &Spec) -> Result<(), Problem> {
    let at = Place::of("run");
    let run = &spec.run;
    check.positive(&at.key("end_time"), run.end_time)?;
    if let StepSpec::Seconds(step) = run.step {
        check.positive(&at.key("step"), step)?;
        if run.end_time / step > MAX_STEPS {
            return Err(check.wrong(
                &at.key("step"),
                &step.to_string(),
                &format!("at least end_time / {MAX_STEPS:.0e}"),
            ));
        }
    }
    check.share(&at.key("safety"), run.safety)?;
    check.share(&at.key("tolerance"), run.tolerance)?;
    check.within(&at.key("start_overlap"), run.start_overlap, 0.0, 1.0)?;
    for (key, value) in [
        ("stable_speed", run.stable_speed),
        ("stable_dwell", run.stable_dwell),
        ("slip_tolerance", run.slip_tolerance),
        ("outlet_interval", run.outlet_interval),
    ] {
        if let Some(value) = value {
            check.positive(&at.key(key), value)?;
        }
    }
    if let Some(settle) = &spec.settle {
        let at = Place::of("settle");
        check.positive(&at.key("at_most"), settle.at_most)?;
        check.non_negative(&at.key("kinetic_fraction"), settle.kinetic_fraction)?;
    }
    Ok(())
}

/// Settings of time, accuracy and logs.
pub(super) struct Settings {
    pub motion: MotionSetup,
    pub settle: Option<SettleSetup>,
    pub outlet_interval: f64,
    pub log: LogSetup,
}

/// Writes the defaults into the spec and makes the settings.
pub(super) fn fill_in(
    check: Check<'_>,
    spec: &mut Spec,
    scales: &Scales,
) -> Result<Settings, Problem> {
    scales.check()?;
    let at = Place::of("run");
    let finish = spec.run.end_time;
    let collisions = super::collisions::way(check, spec)?;
    let run = &mut spec.run;
    let step = match run.step {
        StepSpec::Auto => None,
        StepSpec::Seconds(step) => Some(step),
    };
    if let Some(step) = step
        && step > scales.contact.0
    {
        return Err(check
            .wrong(
                &at.key("step"),
                &step.to_string(),
                &format!(
                    "shorter than the shortest contact, {:.3e} s",
                    scales.contact.0
                ),
            )
            .help("leave `step` out, or write \"auto\", to have it chosen"));
    }
    // Without any law there are no links, and the dwell is never used.
    let dwell = match scales.contact.1 {
        0.0 => finish,
        longest => DWELL * longest,
    };
    let motion = MotionSetup {
        integrator: run.integrator,
        step,
        safety: run.safety,
        neighbor: run.neighbor,
        flight: run.flight,
        collisions,
        stable_speed: *run.stable_speed.get_or_insert(run.tolerance * scales.speed),
        stable_dwell: *run.stable_dwell.get_or_insert(dwell),
        slip_tolerance: *run.slip_tolerance.get_or_insert(run.tolerance),
    };
    let outlet_interval = *run.outlet_interval.get_or_insert(finish / 1000.0);
    rows(check, &at.key("outlet_interval"), finish, outlet_interval)?;
    let settle = spec.settle.as_ref().map(|settle| SettleSetup {
        at_most: settle.at_most,
        kinetic_fraction: settle.kinetic_fraction,
    });
    let log = Place::of("log");
    let interval = |key: &str, value: &mut Option<IntervalSpec>, parts: f64| match value
        .get_or_insert(IntervalSpec::Seconds(finish / parts))
    {
        IntervalSpec::Never => Ok(None),
        IntervalSpec::Seconds(interval) => {
            rows(check, &log.key(key), finish, *interval)?;
            Ok(Some(*interval))
        }
    };
    if let Some(size) = spec.log.stagnant {
        let at = log.key("stagnant");
        check.positive(&at, size)?;
        let refuse = |what: &str| Err(Problem::at_key(&at, what));
        if spec.log.series == Some(IntervalSpec::Never) {
            return refuse(
                "stagnant zones are looked at with each row of the series, which is \"never\"; give `log.series` an interval",
            );
        }
    }
    let log = LogSetup {
        series: interval("series", &mut spec.log.series, 500.0)?,
        snapshots: interval("snapshots", &mut spec.log.snapshots, 100.0)?,
        // The default needs the step: see `checkpoints`.
        checkpoint: match spec.log.checkpoint {
            None => None,
            ref mut given => interval("checkpoint", given, 1.0)?,
        },
        events: spec.log.events,
        stagnant: spec.log.stagnant,
        wear: wear(check, spec, &log)?,
        impacts: spec.log.impacts,
    };
    Ok(Settings {
        motion,
        settle,
        outlet_interval,
        log,
    })
}

/// Grain-steps between two checkpoints: some seconds of work, against the few hundredths of a second that a
/// checkpoint may take on a busy disk.
const CHECKPOINT_WORK: f64 = 1e8;
/// Grains between two checkpoints of a quasi-static filling, some seconds of work.
const CHECKPOINT_GRAINS: f64 = 1000.0;
/// Number of grains of a gas above which checkpoints are written.
const CHECKPOINT_FLYERS: f64 = 10_000.0;
/// Limit on the number of checkpoints; more would save nothing.
const MAX_CHECKPOINTS: f64 = 1000.0;

/// Sets the default interval of checkpoints, from an estimate of the work rather than the time elapsed, so that the
/// same scenario always resolves to the same file.
pub(super) fn checkpoints<D: Integrate>(spec: &mut Spec, setup: &mut Setup<D>) {
    if spec.log.checkpoint.is_some() {
        return;
    }
    let parts = if setup.models.quasi_static.is_some() && moving_part(setup).is_none() {
        (setup.grains.len() as f64 / CHECKPOINT_GRAINS).floor()
    } else if setup.models.events.is_some() {
        // The number of collisions is not known beforehand: for many grains the run is divided into some parts.
        (setup.grains.len() as f64 / CHECKPOINT_FLYERS)
            .floor()
            .min(10.0)
    } else {
        // A setup without a plan is reported when it is to run.
        let work = System::plan(setup).map_or(0.0, |plan| plan.grain_steps);
        (work / CHECKPOINT_WORK).floor()
    };
    let parts = parts.min(MAX_CHECKPOINTS);
    setup.log.checkpoint = (parts >= 1.0).then(|| setup.run.end_time / (parts + 1.0));
    spec.log.checkpoint = Some(match setup.log.checkpoint {
        Some(interval) => IntervalSpec::Seconds(interval),
        None => IntervalSpec::Never,
    });
}

pub(super) fn rows(
    check: Check<'_>,
    place: &Place,
    finish: f64,
    interval: f64,
) -> Result<(), Problem> {
    check.positive(place, interval)?;
    if finish / interval > MAX_ROWS {
        return Err(check.wrong(
            place,
            &interval.to_string(),
            &format!("at least end_time / {MAX_ROWS:.0e}"),
        ));
    }
    Ok(())
}

/// Reads the size of the cells of the wall maps.
fn wear(check: Check<'_>, spec: &Spec, log: &Place) -> Result<Option<f64>, Problem> {
    let size = spec.log.wear;
    size.map(|size| check.positive(&log.key("wear"), size))
        .transpose()
}
