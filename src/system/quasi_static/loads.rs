//! Loads on the grains of a filling: gravity, and fields as they are for grains at rest.
//!
//! A load is evaluated where the fill has put the grain, since displacements are small. It is constant from one update to the next, so that
//! its potential is that of the place less its work along the displacement: U - F u - M turn. Energy from changes at an update, and
//! with new grains, is given from outside.

use super::{QuasiStatic, bearing, moving_walls};
use crate::body::{Formed, Grain};
use crate::event::EventKind;
use crate::field::{Action, FieldPoint, FieldSet, GravityCourse, Member, ParticleColumns};
use crate::geometry::three;
use crate::geometry::{Dimension, Vector};
use crate::record::Sink;
use crate::system::schedule::Source;
use crate::system::{Setup, SystemError, perturb};

/// Number of load updates per period of a field that alternates.
const LOADS: f64 = 128.0;
/// Difference of successive loads of a gravity that turns, rad.
const TURN: f64 = 0.005;

/// Load on a grain.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Load<D: Dimension> {
    /// Force, N.
    pub force: D::Vector,
    /// Moment about the centre, N m; in the plane the last component counts.
    pub moment: [f64; 3],
}

impl<D: Dimension> Load<D> {
    /// Returns the load by degrees of freedom, `per_node` of them.
    pub fn by_freedom(&self, per_node: usize) -> Vec<f64> {
        let mut all: Vec<f64> = self.force.components().collect();
        for k in 0..per_node - D::N {
            all.push(self.moment[3 - D::SPINS + k]);
        }
        all
    }
}

/// Forces on grains beside those of contacts.
#[derive(Debug)]
pub(super) struct Loads<D: Dimension> {
    set: FieldSet<D>,
    /// Changes of gravity over time.
    course: GravityCourse<D>,
    /// Time between two updates of fields that change, s; infinite where none does.
    every: f64,
    /// Load of each grain that has been added, except where weights alone load them.
    pub each: Vec<Load<D>>,
    /// Potential energy at the places of the grains, J.
    potential: f64,
}

impl<D: Dimension> Loads<D> {
    /// Creates the loads of a setup.
    pub fn new(setup: &Setup<D>) -> Self {
        let fields = &setup.fields;
        let course = perturb::gravity_course(setup);
        let mut set = FieldSet::with_gravity_and_drag(fields.gravity, fields.drag)
            .with_long_range(&fields.long_range)
            .with_place(&fields.place, fields.gravity);
        if !course.is_steady() {
            set.add(course.clone());
        }
        let every = match fields.place.alternation() {
            Some([_, fastest]) => std::f64::consts::TAU / (LOADS * fastest),
            None => f64::INFINITY,
        };
        Loads {
            set,
            course,
            every,
            each: Vec::new(),
            potential: 0.0,
        }
    }

    /// Returns whether gravity is the only load, and never turns.
    pub fn are_weights(&self) -> bool {
        self.set.uniform_acceleration().is_some()
    }

    /// Returns when loads are to be updated after a time, s; infinite where they are constant.
    pub fn next(&self, time: f64) -> f64 {
        let rate = self.course.rate(time);
        let turned = match rate > 0.0 {
            true => time + TURN / rate,
            false => f64::INFINITY,
        };
        turned
            .min(self.course.next_edge(time))
            .min(time + self.every)
    }

    fn point(&self, grain: &Grain<D>, axes: Option<D::Rotation>, time: f64) -> FieldPoint<D> {
        let density = self.set.source(grain.material);
        FieldPoint {
            mass: grain.mass,
            radius: grain.radius,
            volume: self.set.volume(grain.material, grain.mass, grain.radius),
            position: grain.position,
            velocity: D::Vector::default(),
            time,
            source: density.of::<D>(grain.mass, grain.rotation, axes),
        }
    }

    /// Returns the loads of some grains at a time, s, and the potential energy of all of them, J.
    pub fn of(&self, setup: &Setup<D>, grains: &[Grain<D>], time: f64) -> (Vec<Load<D>>, f64) {
        let axes = |grain: &Grain<D>| {
            let form = grain.form.map(usize::from)?;
            Some(setup.matter.forms[form].axes)
        };
        let points: Vec<FieldPoint<D>> = grains
            .iter()
            .map(|grain| self.point(grain, axes(grain), time))
            .collect();
        let mut potential = 0.0;
        let mut loads = Vec::with_capacity(grains.len());
        for at in &points {
            let drag = self.set.drag(at);
            let mut load = Load {
                force: self.set.force(at) + (drag.velocity - at.velocity) * drag.coefficient,
                moment: [0.0; 3],
            };
            for field in self.set.iter() {
                let moment = field.moment(at);
                (0..3).for_each(|k| load.moment[k] += moment[k]);
            }
            potential += self.set.potential_energy(at);
            loads.push(load);
        }
        if self.set.reaches_between() {
            let mut crowd = ParticleColumns::new();
            for at in &points {
                crowd.push(&Member {
                    position: three(at.position),
                    mass: at.mass,
                    source: at.source,
                });
            }
            let mut actions = vec![Action::default(); points.len()];
            self.set.act(&crowd, &mut actions);
            for (load, action) in loads.iter_mut().zip(&actions) {
                load.force += D::Vector::from_fn(|k| action.force[k]);
                (0..3).for_each(|k| load.moment[k] += action.moment[k]);
            }
            potential += self.set.energy_between(&crowd);
        }
        (loads, potential)
    }
}

/// Returns the direction of a vector; zero for zero.
fn unit<V: Vector>(v: V) -> V {
    match v.norm() {
        0.0 => v,
        size => v * (1.0 / size),
    }
}

/// Returns the load on a grain that has been added, N.
pub(super) fn size_of<D: Dimension>(filling: &QuasiStatic<D>, index: usize) -> f64 {
    let setup = &filling.setup;
    match filling.loads.each.get(index) {
        Some(load) => load.force.norm(),
        None => setup.grains[index].mass * setup.fields.gravity.norm(),
    }
}

/// Returns the load of the next grain, and the unit vector along which it would be lowered: down, or along its load; zero where nothing
/// loads it.
pub(super) fn come<D: Dimension>(
    filling: &QuasiStatic<D>,
    grain: &Grain<D>,
    time: f64,
) -> (Load<D>, D::Vector) {
    if filling.loads.are_weights() {
        let gravity = filling.setup.fields.gravity;
        let weight = Load {
            force: gravity * grain.mass,
            moment: [0.0; 3],
        };
        return (weight, unit(gravity));
    }
    // Includes other grains only where they act on it.
    let others = match filling.loads.set.reaches_between() {
        true => filling.nodes.len(),
        false => 0,
    };
    let before = (0..others).filter(|&index| filling.is_there(index));
    let here: Vec<Grain<D>> = before
        .map(|index| filling.setup.grains[index])
        .chain([*grain])
        .collect();
    let (loads, _) = filling.loads.of(&filling.setup, &here, time);
    let own = loads.last().copied().unwrap_or_default();
    (own, unit(own.force))
}

/// Updates the loads of all grains to a time, s; returns the energy that this gives from outside, J.
pub(super) fn load_all<D: Dimension>(filling: &mut QuasiStatic<D>, time: f64) -> f64 {
    if filling.loads.are_weights() {
        return 0.0;
    }
    let before = potential(filling);
    let there: Vec<usize> = (0..filling.nodes.len())
        .filter(|&index| filling.is_there(index))
        .collect();
    let here: Vec<Grain<D>> = there.iter().map(|&k| filling.setup.grains[k]).collect();
    let (found, of_places) = filling.loads.of(&filling.setup, &here, time);
    let m = filling.packing.network().per_node();
    let mut loads = vec![Load::default(); filling.nodes.len()];
    for (&index, load) in there.iter().zip(found) {
        filling
            .packing
            .set_load(filling.nodes[index], &load.by_freedom(m));
        loads[index] = load;
    }
    (filling.loads.each, filling.loads.potential) = (loads, of_places);
    potential(filling) - before
}

/// Returns the potential energy of all grains that have been added, where not weights alone load them, J.
pub(super) fn potential<D: Dimension>(filling: &QuasiStatic<D>) -> f64 {
    let mut sum = filling.loads.potential;
    for (load, &node) in filling.loads.each.iter().zip(&filling.nodes) {
        let (u, turn) = filling.displacement(node);
        sum -= load.force.dot(&u);
        for k in 0..D::SPINS {
            sum -= load.moment[3 - D::SPINS + k] * D::spin_component(turn, k);
        }
    }
    sum
}

/// Schedules the next update of loads and walls.
pub(super) fn schedule_loads<D: Dimension>(filling: &mut QuasiStatic<D>, time: f64) {
    let next = filling
        .loads
        .next(time)
        .min(moving_walls::next_move(filling, time));
    if next <= filling.setup.run.end_time {
        let schedule = &mut filling.course.schedule;
        schedule.set(Source::Field, next, EventKind::FieldUpdate);
    }
}

/// Updates loads and walls that change with time, and brings all grains back to equilibrium.
pub(super) fn follow_loads<D: Formed>(
    filling: &mut QuasiStatic<D>,
    time: f64,
    sink: &mut dyn Sink,
) -> Result<(), SystemError> {
    schedule_loads(filling, time);
    filling.tally.fed += moving_walls::move_walls(filling, time);
    filling.tally.fed += load_all(filling, time);
    let cause = filling.log(sink, time, EventKind::FieldUpdate, |_| {})?;
    come_to_rest(filling, time, cause, "under new loads", sink)
}

/// Brings all grains back to equilibrium, after the event of the row `cause` in the log.
pub(super) fn come_to_rest<D: Formed>(
    filling: &mut QuasiStatic<D>,
    time: f64,
    cause: u64,
    when: &str,
    sink: &mut dyn Sink,
) -> Result<(), SystemError> {
    if filling.nodes.is_empty() {
        return Ok(());
    }
    let relaxation = bearing::relax(filling, &|| false).map_err(|error| {
        SystemError::Numerical(format!(
            "{when} at {time:.6} s: {}",
            filling.explain(&error)
        ))
    })?;
    filling
        .course
        .journal
        .add(EventKind::AnalyzeInternalForces, 1);
    filling.book(&relaxation);
    filling.log_relaxation(sink, time, &relaxation, cause)?;
    filling.sliding = relaxation.slid.iter().map(|slid| slid.link).collect();
    filling.record_avalanche(sink, time, None, &relaxation)
}

/// Number of times at which the size of changing loads is evaluated.
const LOOKS: u32 = 32;

/// Returns the mean load on a grain of a setup, N, the greatest during the filling where it changes: tolerances are relative to it.
pub fn mean_load<D: Dimension>(setup: &Setup<D>) -> f64 {
    let count = setup.grains.len().max(1) as f64;
    let loads = Loads::new(setup);
    if loads.are_weights() {
        let mass = setup.grains.iter().map(|grain| grain.mass).sum::<f64>();
        return mass / count * setup.fields.gravity.norm();
    }
    let mean = |time: f64| {
        let (all, _) = loads.of(setup, &setup.grains, time);
        all.iter().map(|load| load.force.norm()).sum::<f64>() / count
    };
    if loads.every.is_infinite() {
        return mean(0.0);
    }
    let times = (0..=LOOKS).map(|k| setup.run.end_time * f64::from(k) / f64::from(LOOKS));
    times.map(mean).fold(0.0, f64::max)
}
