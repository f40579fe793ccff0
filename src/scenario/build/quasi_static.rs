//! The quasi-static model: checks of the scenario, and settings.

use super::check::Check;
use crate::body::Formed;
use crate::geometry::{Dimension, Vector};
use crate::scenario::path::Place;
use crate::scenario::problem::Problem;
use crate::scenario::spec::Spec;
use crate::system::quasi_static::{first_fault, first_hanging, mean_load};
use crate::system::{
    FreedomName, PerturbWhen, QuasiStaticSetup, Setup, TensionName, ThenName, moving_part,
};

/// Grains added in a trial, so that a filling that cannot begin is refused before the run: a millisecond of work.
const TRIED: usize = 16;

/// Checks the section against the rest of the scenario.
pub(super) fn build<D: Formed>(
    check: Check<'_>,
    spec: &Spec,
    setup: &Setup<D>,
) -> Result<Option<QuasiStaticSetup>, Problem> {
    let Some(section) = &spec.quasi_static else {
        return Ok(None);
    };
    let at = Place::of("quasi_static");
    check.positive(&at.key("interval"), section.interval)?;
    check.share(&at.key("tolerance"), section.tolerance)?;
    check.within(&at.key("reach"), section.reach, 0.0, 2.0)?;
    let count = setup.grains.len() as f64;
    let weight = mean_load(setup);
    let radius = setup.grains.iter().map(|g| g.radius).sum::<f64>() / count;
    let reach = section.reach * radius;
    let hanging = first_hanging(setup, reach)
        .map_err(|why| Problem::at(&Place::of("boundary"), why.to_string()))?;
    if let Some(k) = hanging {
        let place: Vec<f64> = setup.grains[k].position.components().collect();
        let text = format!(
            "grain {k} at {place:?} hangs on nothing: in the quasi-static model each grain lies on walls and on those that came before it; fill by `roll_down`, or list grains from the lowest up"
        );
        return Err(Problem::at_key(&Place::of("fill"), text));
    }
    let settings = QuasiStaticSetup {
        interval: section.interval,
        solver: section.solver,
        freedom: section.freedom,
        slides: section.slides,
        tension: section.tension,
        order: section.order,
        placed: section.placed,
        tolerance: section.tolerance * weight,
        reach,
        then: section.then,
    };
    if section.tension == TensionName::Keep && !setup.matter.laws.are_straight() {
        let text = "links are glued (`tension = \"keep\"`) by springs alone: take laws whose stiffness does not go with the load, without pulls and plastic contacts";
        return Err(Problem::at_key(&at.key("tension"), text));
    }
    waits(setup, &settings)?;
    if let Some(fault) = first_fault(setup, settings, TRIED) {
        let free = settings.freedom == FreedomName::Full;
        let hint = match smooth_pair(setup) {
            Some(pair) if free => format!("; {pair}"),
            None if free => format!("; {TRANSLATIONAL}"),
            _ => String::new(),
        };
        let text = format!("the filling stops at one of its first {TRIED} grains: {fault}{hint}");
        return Err(Problem::at_key(&Place::of("fill"), text));
    }
    Ok(Some(settings))
}

/// Returns the time at which motion begins after a filling, s.
fn begin_of<D: Dimension>(setup: &Setup<D>, settings: &QuasiStaticSetup) -> f64 {
    (setup.grains.len() + 1) as f64 * settings.interval
}

/// Checks that nothing acts on a bed that is still being filled, if motion follows.
fn waits<D: Dimension>(setup: &Setup<D>, settings: &QuasiStaticSetup) -> Result<(), Problem> {
    if settings.then != ThenName::Motion {
        return Ok(());
    }
    let begin = begin_of(setup, settings);
    let early = |place: Place, time: f64| {
        let text = format!(
            "the filling lasts until {begin} s, an interval after its last grain, and nothing acts on it before; {time} s is too early"
        );
        Err(Problem::at_key(&place, text))
    };
    for (k, wall) in setup.boundaries.iter().enumerate() {
        if let Some(time) = wall.opens_at.filter(|time| *time < begin) {
            return early(Place::of("boundary").index(k).key("opens_at"), time);
        }
    }
    for (k, feed) in setup.sources.feeds.iter().enumerate() {
        if feed.start < begin {
            return early(Place::of("feed").index(k).key("start"), feed.start);
        }
    }
    for (k, perturb) in setup.sources.perturbs.iter().enumerate() {
        if let PerturbWhen::At(time) = perturb.when
            && time < begin
        {
            return early(Place::of("perturb").index(k).key("time"), time);
        }
    }
    Ok(())
}

const TRANSLATIONAL: &str = "with `quasi_static.freedom = \"translational\"` grains do not turn";

/// Warns of a run that ends before motion begins, and where only some pairs have friction: a grain touched only by
/// frictionless bodies may spin freely, which stops the run.
pub(super) fn warnings<D: Dimension>(setup: &Setup<D>) -> Vec<String> {
    let Some(settings) = &setup.models.quasi_static else {
        return Vec::new();
    };
    let mut warnings = Vec::new();
    if settings.then == ThenName::Motion && moving_part(setup).is_none() {
        warnings.push(format!(
            "motion would begin at {} s, an interval after the last grain, and the run ends at {} s: nothing moves",
            begin_of(setup, settings),
            setup.run.end_time
        ));
    }
    if settings.freedom == FreedomName::Full {
        warnings.extend(smooth_pair(setup));
    }
    warnings
}

/// Warns of the first frictionless pair, if others have friction.
fn smooth_pair<D: Dimension>(setup: &Setup<D>) -> Option<String> {
    let count = setup.matter.laws.materials;
    let grips = |k: &usize| setup.matter.laws.laws[*k].map(|law| law.grips());
    let pairs = (0..count * count).filter(|k| k / count <= k % count);
    let (rough, smooth): (Vec<usize>, Vec<usize>) = pairs
        .filter(|k| grips(k).is_some())
        .partition(|k| grips(k) == Some(true));
    let first = smooth.first().filter(|_| !rough.is_empty())?;
    let [a, b] = [first / count, first % count].map(|k| &setup.matter.materials[k]);
    Some(format!(
        "`{a}` on `{b}` has no friction, or no stiffness against it: a grain that nothing else touches may spin as it likes, and the first such stops the run; {TRANSLATIONAL}"
    ))
}
