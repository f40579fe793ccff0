//! Force fields: forces on single grains as functions of position, velocity and time; and forces between the centres
//! of grains.
//!
//! A program brings a field of its own as an [`OwnField`], which [`Builder::field`](crate::simulation::Builder::field)
//! adds to a run; docs/extending.md has an example.

// A new field of the program implements `ForceField`, a new force between grains `BetweenGrains`; it is added to a
// `FieldSet`, which the rest of the program treats as one field. The fields of scenarios are in `registry`: one file
// and one entry there per field.

mod alternating;
mod between;
mod central;
mod course;
mod drag;
mod electric;
mod fluid;
mod gravity;
mod grid;
#[doc(hidden)]
pub mod keys;
mod kind;
mod magnetic;
mod oscillation;
mod own;
mod particle_columns;
pub(crate) mod piece;
mod poles;
mod rates;
pub(crate) mod registry;
mod rotation;
mod set;
mod setup;
mod source;
mod table;

#[doc(hidden)]
pub use alternating::{AccelerationKeys, Alternating};
#[doc(hidden)]
pub use between::{BetweenGrains, COULOMB, Electrostatics, Gravitation, MAGNETIC, Magnetostatics};
#[doc(hidden)]
pub use central::{CentralField, CentralKeys};
#[doc(hidden)]
pub use course::{GravityChange, GravityCourse};
#[doc(hidden)]
pub use drag::ViscousDrag;
#[doc(hidden)]
pub use electric::{AlternatingElectricField, Electric, ElectricField};
#[doc(hidden)]
pub use fluid::{
    Buoyancy, Drag, DragLaw, Flow, FlowKeys, Fluid, FluidKeys, Pipe, PipeKeys, Stream, StreamKeys,
    StreamState, ViscousName,
};
#[doc(hidden)]
pub use gravity::Gravity;
#[doc(hidden)]
pub use grid::{Grid, GridKeys, Outside};
#[doc(hidden)]
pub use kind::{Around, FieldKind, FieldRow, Kind, Reach, Read};
#[doc(hidden)]
pub use magnetic::{AlternatingMagneticField, Magnetic, MagneticField};
#[doc(hidden)]
pub use oscillation::{AlternatingKeys, Oscillation, VectorKeys};
#[doc(hidden)]
pub use own::OwnFieldHandle;
pub use own::{GrainPoint, OwnField};
#[doc(hidden)]
pub use particle_columns::{Action, Member, ParticleColumns};
#[doc(hidden)]
pub use rates::{Fastest, Smallest};
#[doc(hidden)]
pub use registry::{FieldFeature, FieldSection, NonUniformFields};
#[doc(hidden)]
pub use rotation::{TurningFrame, TurningKeys};
#[doc(hidden)]
pub use set::FieldSet;
#[doc(hidden)]
pub use source::{Carried, LongRangeSetup, Source, SourceDensity};
#[doc(hidden)]
pub use table::TabulatedField;

use crate::geometry::three;
use std::fmt::Debug;

use crate::geometry::Dimension;

/// Properties of a grain that a field depends on.
#[doc(hidden)]
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
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the saved state of field `{name}` has {found} numbers, not {expected}")]
pub struct FieldStateError {
    /// Name of the field.
    pub name: String,
    /// Count of numbers in the field's state.
    pub expected: usize,
    /// Count of numbers given.
    pub found: usize,
}

/// A force on single grains, at the centre; optionally a moment on properties fixed in a grain.
#[doc(hidden)]
pub trait ForceField<D: Dimension>: Debug + Send + Sync {
    /// Name in messages and logs.
    fn name(&self) -> &str;

    /// Returns the force, N.
    fn force(&self, at: &FieldPoint<D>) -> D::Vector;

    /// Returns the moment about the centre, N m; in the plane only the third component is used.
    fn moment(&self, _at: &FieldPoint<D>) -> [f64; 3] {
        [0.0; 3]
    }

    /// Returns the rate w, 1/s, of a force that turns the velocity: an acceleration v x w in addition to that of the
    /// force. It does no work, and is integrated such that it does none.
    fn gyration(&self, _at: &FieldPoint<D>) -> [f64; 3] {
        [0.0; 3]
    }

    /// Returns the drag of a fluid in addition to the force: it acts at the mean of the velocities before and after a
    /// step, so that it is stable for any step, and its energy is booked in two parts, the work of the fluid and the
    /// dissipation.
    fn drag(&self, _at: &FieldPoint<D>) -> Drag<D> {
        Drag::default()
    }

    /// Returns the rate w, 1/s, at which the spins s of balls turn in space by themselves: s x w.
    fn spin_turning(&self) -> [f64; 3] {
        [0.0; 3]
    }

    /// Whether the work of the force is booked as injected from outside, because the force has no potential and
    /// dissipates nothing.
    fn gives_work(&self) -> bool {
        false
    }

    /// Returns the potential energy, J, zero at the origin; 0 for a field without potential.
    fn potential_energy(&self, _at: &FieldPoint<D>) -> f64 {
        0.0
    }

    /// Returns the power that the field dissipates, W; never negative.
    fn dissipated_power(&self, _at: &FieldPoint<D>) -> f64 {
        0.0
    }

    /// Returns the acceleration, m/s^2, if it is the same for all grains at all positions, velocities and times until
    /// the next event of the field: grains then fly on parabolas.
    fn uniform_acceleration(&self) -> Option<D::Vector> {
        None
    }

    /// Returns the rate at which the field damps a velocity, 1/s; an explicit step must be much shorter than its
    /// inverse.
    fn damping_rate(&self, _mass: f64, _radius: f64) -> f64 {
        0.0
    }

    /// Returns when the field next changes by itself, s, later than `now`; until then it is smooth in time.
    fn next_event(&self, _now: f64) -> Option<f64> {
        None
    }

    /// Advances the inner state to `now`. Called at each event of the field, and also at events of others, when there
    /// may be nothing to do.
    fn handle_event(&mut self, _now: f64) {}

    /// Returns the frame, if it is one in which a vessel that turns as a whole is computed, with its rate now.
    fn own_frame(&self) -> Option<TurningFrame<D>> {
        None
    }

    /// Begins what waits until grains have settled, at time 0.
    fn begin(&mut self) {}

    /// Receives the momentum that its drag gave to grains at an evaluation, N s.
    fn react(&mut self, _given: D::Vector, _time: f64) {}

    /// Returns the velocity of a fluid on which grains act, m/s, without a fraction `to_come` of the effect of grains
    /// at the last evaluation, which is still to be applied.
    fn stream(&self, _to_come: f64) -> Option<D::Vector> {
        None
    }

    /// Returns the inner state, for a checkpoint.
    fn state(&self) -> Vec<f64> {
        Vec::new()
    }

    /// Restores an inner state.
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
