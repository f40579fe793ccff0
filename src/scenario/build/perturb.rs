//! Perturbations.

use super::check::Check;
use crate::cluster::integrate::Integrate;
use crate::field::GravityChange;
use crate::geometry::{Dimension, Vector};
use crate::scenario::path::Place;
use crate::scenario::problem::Problem;
use crate::scenario::spec::{
    PerturbSpec, RemoveSpec, ShakeSpec, Spec, SpinSpec, TapSpec, TiltSpec,
};
use crate::system::{PerturbKind, PerturbSetup, PerturbWhen, Setup, System, Victim};

/// Least number of steps per oscillation.
const STEPS: f64 = 64.0;
/// More oscillations than this are taken for a typing error.
const SWINGS: u64 = 1_000_000;

/// Builds the perturbations of a scenario whose setup is otherwise complete.
pub(super) fn perturbs<D: Integrate>(
    check: Check<'_>,
    spec: &Spec,
    setup: &Setup<D>,
) -> Result<Vec<PerturbSetup<D>>, Problem> {
    let mut list = Vec::new();
    for (k, section) in spec.perturb.iter().enumerate() {
        let at = Place::of("perturb").index(k);
        list.push(PerturbSetup {
            when: when(check, &at, section, setup)?,
            kind: kind(check, &at, section, setup, spec.events.is_none())?,
        });
    }
    Ok(list)
}

fn when<D: Dimension>(
    check: Check<'_>,
    at: &Place,
    section: &PerturbSpec,
    setup: &Setup<D>,
) -> Result<PerturbWhen, Problem> {
    check.one_of(
        at,
        "when it comes",
        &[("time", section.time.is_some()), ("on_jam", section.on_jam)],
    )?;
    if let Some(time) = section.time {
        for (key, given) in [
            ("delay", section.delay.is_some()),
            ("at_most", section.at_most.is_some()),
        ] {
            if given {
                return Err(Problem::at_key(
                    &at.key(key),
                    format!("`{key}` goes with `on_jam = true`, not with a `time`"),
                ));
            }
        }
        return Ok(PerturbWhen::At(check.non_negative(&at.key("time"), time)?));
    }
    if setup.fields.gravity.norm() == 0.0 || setup.sources.outlets.is_empty() {
        return Err(Problem::at_key(
            &at.key("on_jam"),
            "no jam is looked for without gravity and an [[outlet]]",
        ));
    }
    if section.at_most == Some(0) {
        return Err(check.wrong(&at.key("at_most"), "0", "at least 1"));
    }
    Ok(PerturbWhen::OnJam {
        delay: check.non_negative(&at.key("delay"), section.delay.unwrap_or(0.0))?,
        at_most: section.at_most,
    })
}

fn kind<D: Integrate>(
    check: Check<'_>,
    at: &Place,
    section: &PerturbSpec,
    setup: &Setup<D>,
    steps: bool,
) -> Result<PerturbKind<D>, Problem> {
    let given = check.one_of(
        at,
        "what it does",
        &[
            ("tap", section.tap.is_some()),
            ("shake", section.shake.is_some()),
            ("tilt", section.tilt.is_some()),
            ("remove", section.remove.is_some()),
        ],
    )?;
    let here = at.key(given);
    if let Some(spec) = &section.tap {
        tap(check, &here, spec)
    } else if let Some(spec) = &section.shake {
        shake(check, &here, spec, setup, steps)
    } else if let Some(spec) = &section.tilt {
        tilt(check, &here, spec, setup)
    } else {
        // Only the removal is left.
        let victim = match section.remove.as_ref() {
            Some(RemoveSpec::Arch(grain)) => Victim::OfArch(*grain),
            Some(RemoveSpec::Near(point)) => {
                Victim::Near(check.vector::<D>(&here.key("near"), point)?)
            }
            None => Victim::Near(D::Vector::default()),
        };
        Ok(PerturbKind::Remove(victim))
    }
}

fn tap<D: Dimension>(
    check: Check<'_>,
    at: &Place,
    spec: &TapSpec,
) -> Result<PerturbKind<D>, Problem> {
    let velocity = check.direction::<D>(&at.key("velocity"), &spec.velocity)?;
    let region = match (&spec.min, &spec.max) {
        (None, None) => None,
        (Some(min), Some(max)) => Some(check.corners::<D>(at, min, max)?),
        (Some(_), None) | (None, Some(_)) => {
            return Err(Problem::at_key(
                at,
                format!("`{at}` has one of `min` and `max`, but a box needs both"),
            ));
        }
    };
    Ok(PerturbKind::Tap { velocity, region })
}

fn shake<D: Integrate>(
    check: Check<'_>,
    at: &Place,
    spec: &ShakeSpec,
    setup: &Setup<D>,
    steps: bool,
) -> Result<PerturbKind<D>, Problem> {
    let direction = check.direction::<D>(&at.key("direction"), &spec.direction)?;
    let amplitude = check.positive(&at.key("amplitude"), spec.amplitude)?;
    let frequency = check.positive(&at.key("frequency"), spec.frequency)?;
    // A setup without a plan is reported when it is to run.
    let step = System::plan(setup).map_or(0.0, |plan| plan.step);
    // The event-driven model cuts paths as short as necessary.
    let fastest = if steps {
        1.0 / (STEPS * step)
    } else {
        f64::INFINITY
    };
    if frequency > fastest {
        return Err(check.wrong(
            &at.key("frequency"),
            &frequency.to_string(),
            &format!("at most {fastest:.3e} Hz, {STEPS} steps a swing"),
        ));
    }
    if spec.cycles == 0 || spec.cycles > SWINGS {
        return Err(check.wrong(
            &at.key("cycles"),
            &spec.cycles.to_string(),
            &format!("from 1 to {SWINGS}"),
        ));
    }
    Ok(PerturbKind::Gravity(GravityChange::Swing {
        amplitude: direction * (amplitude / direction.norm()),
        frequency,
        cycles: spec.cycles,
    }))
}

fn tilt<D: Dimension>(
    check: Check<'_>,
    at: &Place,
    spec: &TiltSpec,
    setup: &Setup<D>,
) -> Result<PerturbKind<D>, Problem> {
    if setup.fields.gravity.norm() == 0.0 {
        return Err(Problem::at_key(
            at,
            "without gravity there is nothing to tilt",
        ));
    }
    check.one_of(
        at,
        "how far or how fast",
        &[
            ("angle", spec.angle.is_some()),
            ("rate", spec.rate.is_some()),
        ],
    )?;
    if let Some(rate) = &spec.rate {
        if spec.duration.is_some() {
            return Err(Problem::at_key(
                &at.key("duration"),
                "`duration` goes with an `angle`; with a `rate` gravity turns without end",
            ));
        }
        return Ok(PerturbKind::Gravity(GravityChange::Turn {
            spin: turn::<D>(check, &at.key("rate"), rate, "rad/s")?,
        }));
    }
    let (Some(angle), Some(duration)) = (&spec.angle, spec.duration) else {
        return Err(Problem::at_key(
            at,
            format!("`{at}` needs the `duration` of its `angle`"),
        ));
    };
    Ok(PerturbKind::Gravity(GravityChange::Tilt {
        turn: turn::<D>(check, &at.key("angle"), angle, "rad")?,
        duration: check.positive(&at.key("duration"), duration)?,
    }))
}

/// Reads a rotation that is not zero.
fn turn<D: Dimension>(
    check: Check<'_>,
    at: &Place,
    given: &SpinSpec,
    unit: &str,
) -> Result<D::Spin, Problem> {
    let given = &given.0;
    if given.len() != D::SPINS {
        let wanted = if D::SPINS == 1 {
            format!("a number in {unit}")
        } else {
            format!("a list of three numbers, about the axes, in {unit}")
        };
        return Err(check.wrong(at, &format!("{given:?}"), &wanted));
    }
    if given.iter().any(|part| !part.is_finite()) || given.iter().all(|part| *part == 0.0) {
        return Err(check.wrong(at, &format!("{given:?}"), "finite, and not zero"));
    }
    Ok(D::spin_from_fn(|k| given[k]))
}
