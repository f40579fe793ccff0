//! Features that a setup uses, and those that one of its models does not support.

use std::collections::BTreeSet;

use super::{EventLog, EventsSetup, IntegratorName, MeterPlace, PerturbKind, Setup, SystemError};
use crate::capabilities::{Feature, Model, Support};
use crate::contact::{Cohesion, ContactTerms, ResistanceKind};
use crate::field::GravityChange;
use crate::geometry::Dimension;
use crate::walls::{Boundary, Motion};

/// Part of a setup that uses a feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The whole setup, for parts that occur once.
    Whole,
    /// The law of two materials.
    Law([usize; 2]),
    /// A material.
    Material(usize),
    /// A wall.
    Wall(usize),
    /// A form of grains.
    ShapeTemplate(usize),
    /// A periodic direction.
    Axis(usize),
    /// A feed.
    Feed(usize),
    /// An outlet.
    Outlet(usize),
    /// A meter.
    Meter(usize),
    /// A perturbation.
    Perturb(usize),
    /// A control.
    Control(usize),
}

/// A feature, and the part that uses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The feature.
    pub feature: Feature,
    /// The part.
    pub part: Part,
}

/// Returns the models that a setup uses beside stepping.
pub fn models<D: Dimension>(setup: &Setup<D>) -> Vec<Model> {
    let all = [
        (Model::Collisions, setup.models.events.is_some()),
        (Model::QuasiStatic, setup.models.quasi_static.is_some()),
        (Model::Rest, setup.models.morph.is_some()),
        (Model::Flight, setup.motion.collisions.is_some()),
        (Model::Rigid, setup.matter.laws.have_rigid_bonds()),
        (Model::Heun, setup.motion.integrator == IntegratorName::Heun),
    ];
    let asked = all.into_iter().filter(|(_, asked)| *asked);
    asked.map(|(model, _)| model).collect()
}

/// Returns the features that a setup uses, except images of walls, which depend on how far grains reach, and fills, which a
/// setup no longer contains.
pub fn features<D: Dimension>(setup: &Setup<D>) -> Vec<Asked> {
    let mut all = Features::default();
    laws(setup, &mut all);
    for (k, form) in setup.matter.forms.iter().enumerate() {
        let feature = if form.arcs {
            Feature::Arcs
        } else {
            Feature::Clumps
        };
        all.add(feature, Part::ShapeTemplate(k));
    }
    for (k, wall) in setup.boundaries.iter().enumerate() {
        all.add(Feature::of_wall(wall.shape.feature()), Part::Wall(k));
        for feature in ways_of(wall) {
            all.add(feature, Part::Wall(k));
        }
    }
    all.add_if(setup.fields.drag > 0.0, Feature::Drag);
    for feature in setup.fields.place.asks() {
        all.add(Feature::of_field(feature), Part::Whole);
    }
    afar(setup, &mut all);
    for (k, axis) in setup.space.periodic.iter().enumerate() {
        if axis.is_some() {
            all.add(Feature::Periodic, Part::Axis(k));
        }
    }
    if let Some(cell) = &setup.space.cell {
        all.add_if(!cell.drives.is_empty(), Feature::DrivenBox);
        all.add_if(!cell.shears.is_empty(), Feature::ShearedBox);
    }
    around(setup, &mut all);
    records(setup, &mut all);
    // Last: a moving box, for example, has no gravity, and must be reported first.
    let gravity = match setup.fields.gravity == D::Vector::default() {
        true => Feature::Weightless,
        false => Feature::Gravity,
    };
    all.add(gravity, Part::Whole);
    all.0
}

#[derive(Default)]
struct Features(Vec<Asked>);

impl Features {
    fn add(&mut self, feature: Feature, part: Part) {
        self.0.push(Asked { feature, part });
    }

    fn add_if(&mut self, asked: bool, feature: Feature) {
        if asked {
            self.add(feature, Part::Whole);
        }
    }
}

fn laws<D: Dimension>(setup: &Setup<D>, all: &mut Features) {
    let count = setup.matter.laws.materials;
    for a in 0..count {
        for b in a..count {
            let part = Part::Law([a, b]);
            let Some(law) = &setup.matter.laws.laws[a * count + b] else {
                continue;
            };
            all.add(Feature::of_law(law), part);
            if law.smoothing_speed().is_some() && law.friction() > 0.0 {
                all.add(Feature::HystereticFriction, part);
            }
            for feature in terms(&setup.matter.laws.terms[a * count + b]) {
                all.add(feature, part);
            }
            if setup.matter.laws.bond(a as u16, b as u16).is_some() {
                all.add(Feature::Bonds, part);
            }
        }
    }
}

fn terms(slots: &ContactTerms) -> impl Iterator<Item = Feature> {
    let cohesion = slots.cohesion.map(|cohesion| match cohesion {
        Cohesion::Constant(_) => Feature::ConstantCohesion,
        Cohesion::Dmt(_) => Feature::Dmt,
        Cohesion::Area(_) => Feature::AreaCohesion,
        Cohesion::Fading { .. } => Feature::FadingCohesion,
        Cohesion::Jkr(_) => Feature::Jkr,
    });
    let rolling = slots.rolling.map(|rolling| match rolling.kind {
        ResistanceKind::Spring { .. } => Feature::Rolling,
        ResistanceKind::Constant(_) => Feature::SmoothRolling,
    });
    let found = [
        cohesion,
        slots.plastic.map(|_| Feature::Plastic),
        rolling,
        slots.twisting.map(|_| Feature::Twisting),
        slots.spring_limited.then_some(Feature::SpringLimited),
    ];
    found.into_iter().flatten()
}

/// Returns the features of how a wall moves, and of which grains it stops.
fn ways_of<D: Dimension>(wall: &Boundary<D>) -> impl Iterator<Item = Feature> {
    let motion = match &wall.motion {
        Motion::Fixed => None,
        Motion::Velocity(_) => Some(Feature::Drift),
        Motion::Rotation { .. } => Some(Feature::Turn),
        Motion::Harmonic { .. } => Some(Feature::Swing),
        Motion::Parabolic { .. } => Some(Feature::ParabolicSwing),
        Motion::Pieces(_) => Some(Feature::Pieces),
        // The control adds this feature.
        Motion::Slide(_) => None,
        Motion::Guided(_) => Some(Feature::Guided),
    };
    let found = [
        motion,
        (wall.passes_below_radius > 0.0).then_some(Feature::Sieve),
        wall.opens_at.map(|_| Feature::Gate),
        (wall.belt != D::Vector::default()).then_some(Feature::Belt),
    ];
    found.into_iter().flatten()
}

fn afar<D: Dimension>(whole: &Setup<D>, all: &mut Features) {
    let setup = &whole.fields.long_range;
    if setup.is_none() {
        return;
    }
    all.add_if(setup.gravitation != 0.0, Feature::Gravitation);
    // Charges and dipoles of walls act on no grain.
    let filled = whole.grains.iter().map(|grain| grain.material);
    let sorts = whole
        .sources
        .feeds
        .iter()
        .flat_map(|feed| feed.what.components());
    let materials: BTreeSet<u16> = filled.chain(sorts.map(|sort| sort.material)).collect();
    for (k, source) in setup.sources.iter().enumerate() {
        if !materials.contains(&(k as u16)) {
            continue;
        }
        let carried = [
            (source.charge != 0.0, Feature::Charges),
            (source.electric != [0.0; 3], Feature::ElectricDipoles),
            (source.magnetic != [0.0; 3], Feature::MagneticDipoles),
        ];
        for (_, feature) in carried.into_iter().filter(|(carries, _)| *carries) {
            all.add(feature, Part::Material(k));
        }
    }
}

/// Adds the features of feeds, outlets, settling, meters, perturbations and controls.
fn around<D: Dimension>(setup: &Setup<D>, all: &mut Features) {
    for k in 0..setup.sources.feeds.len() {
        all.add(Feature::Feed, Part::Feed(k));
    }
    for k in 0..setup.sources.outlets.len() {
        all.add(Feature::Outlet, Part::Outlet(k));
    }
    all.add_if(setup.run.settle.is_some(), Feature::Settle);
    for (k, meter) in setup.sources.meters.iter().enumerate() {
        let feature = match meter.place {
            MeterPlace::Plane { .. } => Feature::PlaneMeter,
            MeterPlace::Inside { .. } => Feature::BoxMeter,
        };
        all.add(feature, Part::Meter(k));
    }
    for (k, perturb) in setup.sources.perturbs.iter().enumerate() {
        let feature = match perturb.kind {
            PerturbKind::Tap { .. } => Feature::Tap,
            PerturbKind::Gravity(GravityChange::Swing { .. }) => Feature::Shake,
            PerturbKind::Gravity(_) => Feature::Tilt,
            PerturbKind::Remove(_) => Feature::Remove,
        };
        all.add(feature, Part::Perturb(k));
    }
    for (k, control) in setup.sources.controls.iter().enumerate() {
        all.add(Feature::of_control(control.feature()), Part::Control(k));
        if control.slides() {
            all.add(Feature::Slide, Part::Control(k));
        }
    }
}

fn records<D: Dimension>(setup: &Setup<D>, all: &mut Features) {
    let log = &setup.log;
    all.add_if(log.checkpoint.is_some(), Feature::Checkpoints);
    all.add_if(log.events == EventLog::Links, Feature::LinkLog);
    all.add_if(log.impacts, Feature::Impacts);
    all.add_if(log.wear.is_some(), Feature::Wear);
    all.add_if(log.stagnant.is_some(), Feature::Stagnant);
    let rule = match setup.motion.integrator {
        IntegratorName::Verlet => Feature::Verlet,
        IntegratorName::Midpoint => Feature::Midpoint,
        IntegratorName::Heun => Feature::HeunRule,
        IntegratorName::Euler => Feature::Euler,
    };
    all.add(rule, Part::Whole);
}

/// Returns the first feature of a setup that one of some models does not support, and that model. In event-driven runs the laws
/// of some pairs of materials are `idle`.
pub fn refused<D: Dimension>(
    setup: &Setup<D>,
    models: &[Model],
    idle: impl Fn([usize; 2]) -> bool,
) -> Option<(Model, Asked)> {
    let all = features(setup);
    let replaced = models
        .iter()
        .any(|model| matches!(model, Model::Collisions | Model::QuasiStatic));
    let stepping = (!replaced).then_some(Model::Dem);
    let models = models.iter().copied().chain(stepping);
    let mut pairs = models.flat_map(|model| all.iter().map(move |asked| (model, *asked)));
    pairs.find(|(model, asked)| {
        let idle = match asked.part {
            Part::Law(pair) => *model == Model::Collisions && idle(pair),
            _ => false,
        };
        let support = asked.feature.support(*model, D::N);
        !idle && !matches!(support, Support::Yes | Support::Without(_))
    })
}

/// Returns why no grain comes to rest unless the scenario asks for it; none where grains do by default.
pub fn why_all_step<D: Dimension>(setup: &Setup<D>) -> Option<String> {
    if setup.models.events.is_some() || setup.models.quasi_static.is_some() {
        return Some("another model moves them".to_string());
    }
    if setup.fields.gravity == D::Vector::default() {
        return Some("without gravity only where [morph] asks for it".to_string());
    }
    if !setup.matter.forms.is_empty() {
        // Hoppers of ovals jammed in 16 of 44 fillings with grains at rest, in 7 of 44 stepped (docs/notes/sleeping.md).
        return Some("grains of a shape come to rest only where [morph] asks for it".to_string());
    }
    let (_, asked) = refused(setup, &[Model::Rest], |_| false)?;
    Some(asked.feature.refusal(Model::Rest, D::N).unwrap_or_default())
}

/// Returns warnings for those features of a setup that some models leave out.
pub fn left_out<D: Dimension>(setup: &Setup<D>, models: &[Model]) -> Vec<String> {
    let mut warnings = Vec::new();
    for asked in features(setup) {
        for model in models {
            if let Support::Without(_) = asked.feature.support(*model, D::N) {
                warnings.extend(asked.feature.refusal(*model, D::N));
            }
        }
    }
    warnings.dedup();
    warnings
}

/// Checks that all models of a setup support all features that it uses.
pub(super) fn check<D: Dimension>(setup: &Setup<D>) -> Result<(), SystemError> {
    let idle = |[a, b]: [usize; 2]| {
        let pair = a * setup.matter.laws.materials + b;
        let by_law =
            |events: &EventsSetup| events.laws.pairs.get(pair).is_some_and(Option::is_some);
        setup
            .models
            .events
            .as_ref()
            .is_some_and(|events| !by_law(events))
    };
    match refused(setup, &models(setup), idle) {
        None => Ok(()),
        Some((model, asked)) => {
            let why = asked.feature.refusal(model, D::N);
            Err(SystemError::Setup(why.unwrap_or_default()))
        }
    }
}
