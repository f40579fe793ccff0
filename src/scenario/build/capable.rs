//! Checks the models that a scenario selects against the features that it uses: the first feature that one of the
//! models does not support is refused, with the reason from the capability table.

use super::check::Check;
use super::events;
use crate::capabilities::{Feature, Model, Support};
use crate::contact::bond::Rigid;
use crate::geometry::Dimension;
use crate::scenario::path::Place;
use crate::scenario::problem::Problem;
use crate::scenario::spec::{BoundarySpec, Spec};
use crate::system::{Asked, IntegratorName, Part, Setup, ThenName, filling_part, refused};

/// Returns the selected models besides stepping.
pub(super) fn models(spec: &Spec) -> Vec<Model> {
    let rigid = spec.morph.as_ref().is_some_and(|morph| morph.rigid);
    let all = [
        (Model::Collisions, spec.events.is_some()),
        (Model::QuasiStatic, spec.quasi_static.is_some()),
        (Model::Rest, rigid),
        (Model::Flight, spec.run.collisions),
        (Model::Rigid, rigid_bonds(spec)),
        (Model::Heun, spec.run.integrator == IntegratorName::Heun),
    ];
    let asked = all.into_iter().filter(|(_, asked)| *asked);
    asked.map(|(model, _)| model).collect()
}

/// Whether a law bonds grains to rigid bodies.
fn rigid_bonds(spec: &Spec) -> bool {
    let mut bonds = spec.law.iter().filter_map(|law| law.bond.as_ref());
    bonds.any(|keys| keys.rigid == Rigid::Always)
}

/// Whether a filling continues as motion.
pub(super) fn goes_on(spec: &Spec) -> bool {
    let section = spec.quasi_static.as_ref();
    section.is_some_and(|section| section.then == ThenName::Motion)
}

/// Returns the key that selects a model.
fn place_of_model(model: Model) -> Place {
    match model {
        Model::Collisions => Place::of("events"),
        Model::QuasiStatic => Place::of("quasi_static"),
        Model::Rest => Place::of("morph"),
        Model::Rigid => Place::of("law"),
        Model::Flight => Place::of("run").key("collisions"),
        Model::Heun => Place::of("run").key("integrator"),
        Model::Dem | Model::Ranks => Place::of("run"),
    }
}

/// Checks that all selected models support all features in use; `setup` is complete except for the models' settings.
pub(super) fn check<D: Dimension>(
    check: Check<'_>,
    spec: &Spec,
    setup: &Setup<D>,
) -> Result<(), Problem> {
    // In the event-driven model, laws of pairs with a collision rule have no effect.
    let idle = |pair: [usize; 2]| {
        let names = pair.map(|material| setup.matter.materials[material].clone());
        let section = spec.events.as_ref();
        section.is_some_and(|section| events::decides(section, &names))
    };
    let all = models(spec);
    let refused = match goes_on(spec) {
        // Each part of the run is checked against its own models.
        true => {
            let motion: Vec<Model> = all
                .into_iter()
                .filter(|m| *m != Model::QuasiStatic)
                .collect();
            let filling = filling_part(setup);
            refused(&filling, &[Model::QuasiStatic], idle).or_else(|| refused(setup, &motion, idle))
        }
        false => refused(setup, &all, idle),
    };
    let Some((model, asked)) = refused else {
        return Ok(());
    };
    let feature = asked.feature;
    let why = feature.refusal(model, D::N).unwrap_or_default();
    let place = place_of(check, spec, setup, asked);
    let told = match asked.part {
        Part::Wall(index) => format!("`{place}` of `{}`", setup.boundaries[index].name),
        Part::Law([a, b]) if place == Place::of("law") => {
            let [a, b] = [a, b].map(|index| &setup.matter.materials[index]);
            format!("the embedded law of `{a}` and `{b}`")
        }
        _ => format!("`{place}`"),
    };
    let others_take = feature.support(Model::Dem, D::N) == Support::Yes;
    let model_out = match model {
        Model::Rest => "[morph] out, or set `morph.rigid = false`".into(),
        _ => format!("{} out", model.asked_by()),
    };
    let ways = match feature {
        Feature::Weightless => format!("give {told}, or leave {model_out}"),
        Feature::Impacts => format!("leave {told} out, or give a section [events]"),
        _ if others_take => format!("leave {told} or {model_out}"),
        _ => format!("leave {told} out"),
    };
    let shown = match check.document.is_written(&place) {
        true => place,
        false => place_of_model(model),
    };
    Err(Problem::at_key(&shown, format!("{why}; {ways}")))
}

/// Returns the place where a scenario selects a feature.
fn place_of<D: Dimension>(check: Check<'_>, spec: &Spec, setup: &Setup<D>, asked: Asked) -> Place {
    let key = asked.feature.key();
    let in_list = |list: &str, index: usize| below(Place::of(list).index(index), key);
    match asked.part {
        Part::Whole => below(Place::default(), key),
        Part::Material(index) => {
            let material = Place::of("material").key(&setup.matter.materials[index]);
            below(material, key)
        }
        Part::Law(pair) => {
            let [a, b] = pair.map(|index| setup.matter.materials[index].as_str());
            let same = |[c, d]: &[String; 2]| (a == c && b == d) || (a == d && b == c);
            match spec.law.iter().position(|law| same(&law.between)) {
                Some(index) => in_list("law", index),
                None => Place::of("law"),
            }
        }
        Part::Wall(index) if key.is_empty() => {
            let wall = Place::of("boundary").index(index);
            let shapes = BoundarySpec::SHAPES.iter();
            let shapes = shapes.map(|(shape, _)| wall.key(shape));
            let written = shapes
                .into_iter()
                .find(|place| check.document.is_written(place));
            written.unwrap_or(wall)
        }
        Part::Wall(index) => in_list("boundary", index),
        Part::ShapeTemplate(index) => place_of_shape(spec, &setup.matter.forms[index].name),
        Part::Axis(axis) => Place::of("periodic").key(["x", "y", "z"][axis]),
        Part::Feed(index) => in_list("feed", index),
        Part::Outlet(index) => in_list("outlet", index),
        Part::Meter(index) => in_list("meter", index),
        Part::Perturb(index) => in_list("perturb", index),
        Part::Control(index) => in_list("control", index),
    }
}

/// Returns the place where a shape is named: in a fill or feed, or in a component of one.
fn place_of_shape(spec: &Spec, name: &str) -> Place {
    let is = |shape: &Option<String>| shape.as_deref() == Some(name);
    let fills = spec.fill.iter().map(|fill| (&fill.shape, &fill.mix));
    let feeds = spec.feed.iter().map(|feed| (&feed.shape, &feed.mix));
    let fills = fills
        .enumerate()
        .map(|(k, one)| (Place::of("fill").index(k), one));
    let feeds = feeds
        .enumerate()
        .map(|(k, one)| (Place::of("feed").index(k), one));
    for (place, (shape, mix)) in fills.chain(feeds) {
        if is(shape) {
            return place.key("shape");
        }
        if let Some(sort) = mix.iter().position(|sort| is(&sort.shape)) {
            return place.key("mix").index(sort).key("shape");
        }
    }
    Place::of("shape")
}

fn below(place: Place, key: &str) -> Place {
    let keys = key.split('.').filter(|key| !key.is_empty());
    keys.fold(place, |place, key| place.key(key))
}
