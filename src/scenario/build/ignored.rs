//! Warns of keys that the user has written and the scenario's model does not use: a warning, not an error, so that
//! one scenario can be tried with several models.

use super::capable::{goes_on, models};
use super::check::Check;
use super::events;
use crate::capabilities::Model;
use crate::scenario::path::Place;
use crate::scenario::spec::Spec;
use crate::spelling::names;

/// Keys of `[run]` for grains that leave.
const LEAVING: [&str; 2] = ["stop_when_empty", "outlet_interval"];
/// Keys of `[run]` for stepped grains.
const STEPPED: [&str; 9] = [
    "step",
    "safety",
    "integrator",
    "neighbor",
    "flight",
    "tolerance",
    "stable_speed",
    "stable_dwell",
    "slip_tolerance",
];

/// Warns of keys without effect in a scenario that is not stepped.
pub(super) fn warnings(check: Check<'_>, spec: &Spec) -> Vec<String> {
    let other = |model: &Model| matches!(model, Model::Collisions | Model::QuasiStatic);
    let Some(model) = models(spec).into_iter().find(other) else {
        return Vec::new();
    };
    let run = Place::of("run");
    // A filling that continues as motion is stepped then.
    let stays = !goes_on(spec);
    let leaving = LEAVING.iter().filter(|_| model != Model::Collisions);
    let idle = leaving.chain(&STEPPED).filter(|_| stays);
    let mut places: Vec<Place> = idle.map(|key| run.key(key)).collect();
    if model == Model::Collisions {
        if spec.run.start_overlap > events::START_OVERLAP {
            places.push(run.key("start_overlap"));
        }
        places.extend(laws_of_rules(spec));
    } else {
        if stays && spec.field.drag > 0.0 {
            places.push(Place::of("field").key("drag"));
        }
        places.extend(motions(spec));
        places.extend(creeping(spec).filter(|_| stays));
    }
    places.retain(|place| check.document.is_written(place));
    if places.is_empty() {
        return Vec::new();
    }
    let places: Vec<String> = places.iter().map(Place::to_string).collect();
    vec![format!(
        "{} has no use for {}: what is written there does nothing",
        model.asked_by(),
        names(places.iter().map(String::as_str))
    )]
}

/// Returns the laws of pairs that collide by a rule.
fn laws_of_rules(spec: &Spec) -> impl Iterator<Item = Place> {
    let section = spec.events.as_ref();
    let laws = spec.law.iter().enumerate();
    let ruled = laws.filter(move |(_, law)| {
        section.is_some_and(|section| events::decides(section, &law.between))
    });
    ruled.map(|(k, _)| Place::of("law").index(k))
}

/// Returns the keys of terms that act only at a nonzero speed.
fn creeping(spec: &Spec) -> impl Iterator<Item = Place> {
    spec.law.iter().enumerate().flat_map(|(k, law)| {
        let at = Place::of("law").index(k);
        let friction = law
            .hertz_hysteretic
            .as_ref()
            .map(|_| at.key("hertz_hysteretic").key("friction"));
        let rolling = law.rolling.as_ref();
        let rolling = rolling.filter(|keys| keys.smoothing_speed.is_some());
        friction
            .into_iter()
            .chain(rolling.map(|_| at.key("rolling")))
    })
}

/// Returns, for each fill, the first key that sets its grains in motion.
fn motions(spec: &Spec) -> impl Iterator<Item = Place> {
    spec.fill.iter().enumerate().filter_map(|(k, fill)| {
        let at = Place::of("fill").index(k);
        if fill.lattice.as_ref().is_some_and(|made| made.speed > 0.0) {
            return Some(at.key("lattice").key("speed"));
        }
        let list = fill.grains.iter().flatten().enumerate();
        let mut moving = list.filter_map(|(i, grain)| {
            let here = at.key("grains").index(i);
            let velocity = grain.velocity.as_ref().map(|_| here.key("velocity"));
            velocity.or(grain.spin.as_ref().map(|_| here.key("spin")))
        });
        moving.next()
    })
}
