//! Construction of a system: its engine, its walls, its first state.

use std::collections::BTreeSet;
use std::time::Instant;

use super::driver::{DriverState, Stage};
use super::jam_watch::JamWatch;
use super::journal::Journal;
use super::ledger::Ledger;
use super::regime_time::RegimeTime;
use super::schedule::Schedule;
use super::ticks::LastRow;
use super::traffic::Traffic;
use super::{EventLog, NeighborName, Plan, Setup, System, SystemError, populate, step};
use crate::cluster::integrate::Integrate;
use crate::cluster::{Clock, Dem, DemOptions};
use crate::field::FieldSet;
use crate::geometry::Dimension;
use crate::neighbor::{BroadPhase, Brute, Cells, Levels};
use crate::walls::Wall;

/// Margin of the outer list over the mean radius (docs/notes/performance.md).
const OUTER_MARGIN: f64 = 1.0;
/// Margin of the inner list over the mean radius.
const INNER_MARGIN: f64 = 0.12;

/// An engine without grains, the fields, and warnings about the step.
pub(super) type Bare<D> = (Dem<D>, FieldSet<D>, Vec<String>);

/// Returns all fields of a setup.
fn fields_of<D: Integrate>(setup: &Setup<D>) -> FieldSet<D> {
    FieldSet::with_gravity_and_drag(setup.fields.gravity, setup.fields.drag)
        .with_long_range(&setup.fields.long_range)
        .with_place(&setup.fields.place, setup.fields.gravity)
}

/// Returns whether grains of a setup without contact fly; else all are stepped, or at rest.
pub fn may_fly<D: Integrate>(setup: &Setup<D>) -> bool {
    setup.motion.flight
        && setup.space.cell.is_none()
        && super::frame_of(setup).is_none()
        && may_fly_in(setup, &fields_of(setup))
}

/// Returns whether grains may fly in fields: their paths then depend on nothing else.
pub(super) fn may_fly_in<D: Integrate>(setup: &Setup<D>, fields: &FieldSet<D>) -> bool {
    // In a turning frame the momentum of a grain of several parts turns, too.
    let turns = fields.spin_turning() != [0.0; 3];
    let alone = fields.leave_paths_alone() && (!turns || setup.matter.forms.is_empty());
    fields.uniform_acceleration().is_some() || alone
}

pub(super) fn search<D: Integrate>(name: NeighborName) -> Box<dyn BroadPhase<D>> {
    match name {
        NeighborName::Brute => Box::new(Brute::new()),
        NeighborName::Cells => Box::new(Cells::new()),
        NeighborName::Hgrid => Box::new(Levels::always()),
        NeighborName::Auto => Box::new(Levels::new()),
    }
}

/// Describes, for a setup made by hand, an unknown material, or two materials that can meet without a law.
fn unknown_law<D: Integrate>(setup: &Setup<D>) -> Option<String> {
    let n = setup.matter.laws.materials;
    let mut grains = vec![0u64; n];
    let fed = setup.sources.feeds.iter().flat_map(|feed| {
        let sorts = feed.what.components().iter();
        let materials: BTreeSet<u16> = sorts.map(|sort| sort.material).collect();
        materials.into_iter().map(|material| (material, feed.count))
    });
    let given = setup.grains.iter().map(|grain| (grain.material, 1));
    for (material, count) in given.chain(fed) {
        let Some(so_far) = grains.get_mut(usize::from(material)) else {
            return Some(format!(
                "grains are of material {material}, but laws are for {n}"
            ));
        };
        *so_far = so_far.saturating_add(count);
    }
    let mut walls = vec![false; n];
    for boundary in &setup.boundaries {
        let Some(wall) = walls.get_mut(usize::from(boundary.material)) else {
            let (name, material) = (&boundary.name, boundary.material);
            return Some(format!(
                "boundary `{name}` is of material {material}, but laws are for {n}"
            ));
        };
        *wall = true;
    }
    let meet = |a: usize, b: usize| {
        let pairs = if a == b {
            grains[a] > 1
        } else {
            grains[a] > 0 && grains[b] > 0
        };
        pairs || (grains[a] > 0 && walls[b]) || (walls[a] && grains[b] > 0)
    };
    let name = |k: usize| setup.matter.materials.get(k).map_or("?", String::as_str);
    let mut pairs = (0..n).flat_map(|b| (0..=b).map(move |a| (a, b)));
    let (a, b) =
        pairs.find(|&(a, b)| meet(a, b) && setup.matter.laws.get(a as u16, b as u16).is_none())?;
    let (a, b) = (name(a), name(b));
    Some(format!(
        "`{a}` and `{b}` can meet, but no law is given for this pair"
    ))
}

/// Chooses the step of a setup, provided that all that can meet have laws.
fn checked_step<D: Integrate>(setup: &Setup<D>) -> Result<step::StepChoice, SystemError> {
    match unknown_law(setup) {
        Some(what) => Err(SystemError::Setup(what)),
        None => step::choose(setup),
    }
}

/// Returns the greatest gap over which a law holds links, m.
fn reach<D: Integrate>(setup: &Setup<D>) -> f64 {
    let radii = setup.grains.iter().map(|g| g.radius);
    let fed = setup.sources.feeds.iter().map(|f| f.what.greatest());
    let radius = radii.chain(fed).fold(0.0, f64::max);
    let walls = setup.boundaries.iter();
    let radius = walls
        .map(|wall| wall.shape.effective_radius(radius))
        .fold(radius, f64::max);
    let laws = setup.matter.laws.laws.iter().zip(&setup.matter.laws.terms);
    let gaps = laws.filter_map(|(law, slots)| Some(slots.reach(law.as_ref()?, radius)));
    gaps.fold(0.0, f64::max)
}

/// Checks that no cohesion is too strong for its law.
pub(super) fn check_pulls<D: Dimension>(setup: &Setup<D>) -> Result<(), SystemError> {
    match drawn_in(setup) {
        Some((pair, overlap)) => Err(SystemError::Setup(format!(
            "the cohesion of {pair} alone draws grains {overlap:.3e} m into each other, more than half their radius: a weaker pull, or a stiffer law"
        ))),
        None => Ok(()),
    }
}

/// Returns a pair of materials whose cohesion draws the least or the greatest grains into each other by more than half
/// their radius, and the overlap, m.
fn drawn_in<D: Dimension>(setup: &Setup<D>) -> Option<(String, f64)> {
    let radii = setup.grains.iter().map(|g| [g.radius; 2]);
    let fed = setup.sources.feeds.iter();
    let radii = radii.chain(fed.map(|f| [f.what.least(), f.what.greatest()]));
    let [least, greatest] = radii.fold([f64::INFINITY, 0.0], |[least, greatest], [a, b]| {
        [least.min(a), greatest.max(b)]
    });
    let n = setup.matter.laws.materials;
    let pairs = setup
        .matter
        .laws
        .laws
        .iter()
        .zip(&setup.matter.laws.terms)
        .enumerate();
    pairs
        .filter(|(_, (_, slots))| !slots.are_empty())
        .find_map(|(index, (law, slots))| {
            let law = law.as_ref()?;
            // The effective radius of two equal grains is half their radius.
            let of = |radius: f64| (slots.overlap(law, 0.5 * radius), 0.5 * radius);
            let worst = [of(least), of(greatest)];
            let (overlap, _) = worst.into_iter().find(|(overlap, most)| overlap > most)?;
            let name = |k: usize| setup.matter.materials.get(k).map_or("?", String::as_str);
            Some((
                format!("`{}` and `{}`", name(index / n), name(index % n)),
                overlap,
            ))
        })
}

/// Returns the sum of the times of all grains, s, if none leaves; fed grains count from when they are due, as far as their region has room.
fn grain_time<D: Integrate>(setup: &Setup<D>) -> f64 {
    let fed = setup.sources.feeds.iter().map(|feed| {
        let last = feed.last_due(&setup.matter.forms, setup.run.end_time);
        let mean = 0.5 * (feed.start + last);
        setup.likely(feed, last).count * (setup.run.end_time - mean).max(0.0)
    });
    setup.grains.len() as f64 * (setup.run.end_time - setup.run.begin) + fed.sum::<f64>()
}

impl<D: Integrate> System<D> {
    /// Implements [`System::new`].
    pub(super) fn made_of(mut setup: Setup<D>) -> Result<Self, SystemError> {
        super::turning::enter(&mut setup);
        Self::made_with(setup, |_| {})
    }

    /// The same, with a contact history that `springs` sets.
    pub(super) fn made_with(
        setup: Setup<D>,
        springs: impl FnOnce(&mut Dem<D>),
    ) -> Result<Self, SystemError> {
        let mut system = Self::hollow(setup)?;
        populate::populate(
            &mut system.setup,
            &mut system.dem,
            &mut system.fields,
            system.uniform,
            &mut system.s.traffic,
            system.s.stage.origin,
            springs,
        )
        .map_err(|why| SystemError::Setup(why.to_string()))?;
        Ok(system)
    }

    /// Creates the system without its grains, which stay in the setup.
    pub(super) fn hollow(setup: Setup<D>) -> Result<Self, SystemError> {
        let (dem, fields, warnings) = Self::bare(&setup)?;
        let start = setup.run.settle.map_or(setup.run.begin, |s| -s.at_most);
        let next_id = setup.grains.iter().map(|g| g.id + 1).max().unwrap_or(0);
        let s = DriverState {
            schedule: Schedule::default(),
            stage: Stage {
                origin: start,
                settling: setup.run.settle.is_some(),
                ..Stage::default()
            },
            ledger: Ledger::default(),
            journal: Journal::default(),
            traffic: Traffic::new(next_id, setup.sources.outlets.len()),
            sources: super::source::Sources::new(&setup),
            last_row: LastRow::default(),
            regimes: RegimeTime::since(start),
            watch: JamWatch::default(),
            warnings,
            perturb: super::perturb::PerturbState::new(&setup),
            zones: super::zones::Zones::default(),
            meters: super::meter::MeterState::new(setup.sources.meters.len()),
            known: super::linear_response::LinearResponseState::default(),
            rest: super::rest::RestState::default(),
            turned: super::turning::TurnedWalls::default(),
        };
        let uniform = fields.uniform_acceleration().is_some();
        let may_fly = may_fly_in(&setup, &fields);
        let air = super::air::Air::new(&setup, None)?;
        let mut system = System {
            setup,
            filled: None,
            air,
            dem,
            fields,
            uniform,
            may_fly,
            s,
            surroundings: None,
            started_at: Instant::now(),
            looked_at: None,
        };
        system.dem.world.clock.origin = start;
        Ok(system)
    }

    pub(super) fn bare(setup: &Setup<D>) -> Result<Bare<D>, SystemError> {
        super::features::check(setup)?;
        if let (true, Some((key, why))) = (setup.space.cell.is_some(), super::beside_cell(setup)) {
            return Err(SystemError::Setup(format!(
                "a periodic box that moves {why}; mind `{key}`"
            )));
        }
        let choice = checked_step(setup)?;
        let mut walls = Vec::new();
        for boundary in &setup.boundaries {
            let wall = Wall::new(boundary, &setup.space.periodic)
                .map_err(|e| SystemError::Setup(format!("boundary `{}`: {e}", boundary.name)))?;
            walls.push(wall);
        }
        let (mut sum, mut count, mut least) = (0.0, 0.0, f64::INFINITY);
        // Contacts are those of parts.
        let finest = |form: Option<u16>| {
            form.map_or(1.0, |form| setup.matter.forms[usize::from(form)].finest())
        };
        let radii = setup.grains.iter().map(|g| g.radius * finest(g.form));
        let fed = setup.sources.feeds.iter().flat_map(|f| f.what.components());
        let fed = fed.map(|sort| sort.radius.least() * finest(sort.form));
        for radius in radii.chain(fed) {
            sum += radius;
            count += 1.0;
            least = least.min(radius);
        }
        let radius = if count > 0.0 { sum / count } else { 1.0 };
        // Between two rebuilds, within half of the margin, no grain may pass round the end of a wall
        // to its other side: that takes at least two radii.
        let outer_margin = (OUTER_MARGIN * radius).min(3.0 * least);
        let gap = reach(setup);
        if gap > outer_margin {
            return Err(SystemError::Setup(format!(
                "cohesion holds links over a gap of {gap:.3e} m, but links are kept up to {outer_margin:.3e} m only, which goes with the radii: a weaker pull, or a stiffer one that fades earlier"
            )));
        }
        check_pulls(setup)?;
        let step = choice.step;
        const LOOKS: u8 = 4;
        let look_every =
            ((setup.motion.stable_dwell / (f64::from(LOOKS) * step)).round() as u64).max(1);
        let clock = Clock {
            origin: 0.0,
            step,
            integrator: setup.motion.integrator,
            n: 0,
        };
        let options = DemOptions {
            slip_tolerance: setup.motion.slip_tolerance,
            outer_margin,
            inner_margin: (INNER_MARGIN * radius).min(outer_margin),
            stable_speed: setup.motion.stable_speed,
            look_every,
            looks: LOOKS,
            log_links: setup.log.events == EventLog::Links,
            wear: setup.log.wear,
        };
        let mut dem = Dem::new(
            clock,
            options,
            setup.matter.laws.clone(),
            walls,
            setup.fields.gravity,
            setup.space.periodic.clone(),
            search(setup.motion.neighbor),
        );
        dem.world.shapes.set_forms(&setup.matter.forms);
        dem.world.cell.set_cell(setup.space.cell.clone());
        dem.world.cell.late_from = 0.5 * setup.run.end_time;
        let fields = fields_of(setup);
        dem.world.physics.spin_turning = fields.spin_turning();
        Ok((
            dem,
            fields,
            [setup.notes.warnings.clone(), choice.warnings].concat(),
        ))
    }

    /// Returns the plan of the run.
    pub fn plan(setup: &Setup<D>) -> Result<Plan, SystemError> {
        if let Some(moving) = super::moving_part(setup) {
            return Self::plan(&moving);
        }
        // Event-driven runs may leave laws out, and quasi-static ones have no steps.
        let by_steps = setup.models.events.is_none() && setup.models.quasi_static.is_none();
        let choice = if by_steps {
            checked_step(setup)?
        } else {
            step::choose(setup)?
        };
        let grains = setup.grains.len();
        let mut warnings = setup.notes.warnings.clone();
        if by_steps {
            warnings.extend(choice.warnings);
        }
        Ok(Plan {
            step: choice.step,
            reasons: choice.reasons,
            warnings,
            grains,
            grain_steps: grain_time(setup) / choice.step,
            seconds: setup.stepped_cost(choice.step),
        })
    }
}
