//! Force fields: what acts on a grain from afar, as a function of its place, velocity and the time; and
//! forces between the centres of grains.
//!
//! A new field implements [`ForceField`], a new force between grains [`BetweenGrains`]; it is put into a
//! [`FieldSet`], which the rest of the program sees as one field. What scenarios have of fields is made in `registry`: a file a field
//! and an entry there.

mod alternating;
mod between;
mod central;
mod course;
mod crowd;
mod drag;
mod electric;
mod fluid;
mod gravity;
mod grid;
pub mod keys;
mod kind;
mod magnetic;
mod oscillation;
mod own;
mod poles;
mod rates;
pub(crate) mod registry;
mod rotation;
mod set;
mod setup;
mod source;
mod table;

pub use alternating::{AccelerationKeys, Alternating};
pub use between::{BetweenGrains, COULOMB, Electrostatics, Gravitation, MAGNETIC, Magnetostatics};
pub use central::{CentralField, CentralKeys};
pub use course::{GravityChange, GravityCourse};
pub use crowd::{Action, Crowd, Member};
pub use drag::ViscousDrag;
pub use electric::{AlternatingElectricField, Electric, ElectricField};
pub use fluid::{
    Buoyancy, Drag, DragLaw, Flow, FlowKeys, Fluid, FluidKeys, Pipe, PipeKeys, Stream, StreamKeys,
    StreamState, ViscousName,
};
pub use gravity::Gravity;
pub use grid::{Grid, GridKeys, Outside};
pub use kind::{Around, FieldKind, FieldRow, Kind, Reach, Read};
pub use magnetic::{AlternatingMagneticField, Magnetic, MagneticField};
pub use oscillation::{AlternatingKeys, Oscillation, VectorKeys};
pub use own::{Brought, GrainPoint, OwnField};
pub use rates::{Fastest, Smallest};
pub use registry::{FieldFeature, FieldSection, PlaceFields};
pub use rotation::{TurningFrame, TurningKeys};
pub use set::FieldSet;
pub use source::{Carried, LongRangeSetup, Source, SourceDensity};
pub use table::GivenField;

use crate::geometry::three;
use std::fmt::Debug;

use crate::geometry::Dimension;

/// What a field is told of a grain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldPoint<D: Dimension> {
    /// Mass, kg.
    pub mass: f64,
    /// Radius, m.
    pub radius: f64,
    /// Volume, m^3; in the plane area, m^2.
    pub volume: f64,
    /// Centre, m.
    pub position: D::Vector,
    /// Velocity, m/s.
    pub velocity: D::Vector,
    /// Time, s.
    pub time: f64,
    /// Charge and moments.
    pub source: Source,
}

/// The saved state of a field does not fit the field.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the saved state of field `{name}` has {found} numbers, not {expected}")]
pub struct FieldStateError {
    /// Name of the field.
    pub name: String,
    /// Numbers that the field keeps.
    pub expected: usize,
    /// Numbers that were given.
    pub found: usize,
}

/// A force on single grains, at the centre; a moment besides, on what is fixed in a grain.
pub trait ForceField<D: Dimension>: Debug + Send + Sync {
    /// Name in messages and logs.
    fn name(&self) -> &str;

    /// Force, N.
    fn force(&self, at: &FieldPoint<D>) -> D::Vector;

    /// Moment about the centre, N m; in the plane the last counts.
    fn moment(&self, _at: &FieldPoint<D>) -> [f64; 3] {
        [0.0; 3]
    }

    /// The rate w, 1/s, of a force that turns the velocity: an acceleration v x w beside that of the force.
    /// It does no work, and is integrated so that it does none.
    fn gyration(&self, _at: &FieldPoint<D>) -> [f64; 3] {
        [0.0; 3]
    }

    /// The drag of a fluid beside the force: it acts at the mean of the velocities before and after a step, so that
    /// it is stable in any step, and its energy is booked in two, what the fluid gives and what is lost.
    fn drag(&self, _at: &FieldPoint<D>) -> Drag<D> {
        Drag::default()
    }

    /// The rate w, 1/s, at which the spins s of balls turn in space by themselves: s x w.
    fn spin_turning(&self) -> [f64; 3] {
        [0.0; 3]
    }

    /// Whether the work of the force is booked as given from outside, since it has no potential and nothing is
    /// lost in it.
    fn gives_work(&self) -> bool {
        false
    }

    /// Potential energy, J, zero at the origin; 0 for a field without potential.
    fn potential_energy(&self, _at: &FieldPoint<D>) -> f64 {
        0.0
    }

    /// Power that the field takes out of the motion for good, W; never negative.
    fn dissipated_power(&self, _at: &FieldPoint<D>) -> f64 {
        0.0
    }

    /// The acceleration, m/s^2, if it is the same for all grains at all places, velocities and times
    /// until the next event of the field: grains then fly on parabolas.
    fn uniform_acceleration(&self) -> Option<D::Vector> {
        None
    }

    /// The rate at which the field damps a velocity, 1/s; an explicit step has to stay well under its
    /// inverse.
    fn damping_rate(&self, _mass: f64, _radius: f64) -> f64 {
        0.0
    }

    /// When the field next changes by itself, s, later than `now`; until then it is smooth in time.
    fn next_event(&self, _now: f64) -> Option<f64> {
        None
    }

    /// Brings the inner state to `now`. Called at each event of the field, and also at those of
    /// others, when there is nothing to do.
    fn handle_event(&mut self, _now: f64) {}

    /// Takes what it gave to grains by drag at an evaluation, N s.
    fn react(&mut self, _given: D::Vector, _time: f64) {}

    /// The velocity of a fluid on which grains act, m/s, but for a share of what they did at the last evaluation, which
    /// is yet to come.
    fn stream(&self, _to_come: f64) -> Option<D::Vector> {
        None
    }

    /// The inner state, for a checkpoint.
    fn state(&self) -> Vec<f64> {
        Vec::new()
    }

    /// Takes an inner state back.
    fn restore(&mut self, state: &[f64]) -> Result<(), FieldStateError> {
        if state.is_empty() {
            return Ok(());
        }
        Err(FieldStateError {
            name: self.name().to_owned(),
            expected: 0,
            found: state.len(),
        })
    }
}
