//! Fields defined by the calling program, which no scenario contains.

use std::fmt::Debug;
use std::sync::Arc;

use super::kind::{Around, Kind, Reach};
use super::rates::Fastest;
use super::source::Carried;
use super::{FieldFeature, FieldPoint, FieldSet, ForceField, LongRangeSetup, three};
use crate::geometry::{Dimension, Vector};

/// Properties of a grain passed to such a field. In the plane third components are 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GrainPoint {
    /// Mass, kg.
    pub mass: f64,
    /// Radius, m.
    pub radius: f64,
    /// Volume, m^3; in the plane area, m^2.
    pub volume: f64,
    /// Centre, m.
    pub position: [f64; 3],
    /// Velocity, m/s.
    pub velocity: [f64; 3],
    /// Time, s.
    pub time: f64,
}

/// A force on single grains, at the centre, defined by the calling program. Equal arguments must give equal results:
/// models evaluate it at times of their own choice, from many threads.
pub trait OwnField: Debug + Send + Sync {
    /// Returns the name in messages.
    fn name(&self) -> &str;

    /// Returns the force, N; in the plane only the first two components are used.
    fn force(&self, grain: &GrainPoint) -> [f64; 3];

    /// Whether it has a potential; the work of a force without one is booked as injected from outside.
    fn has_potential(&self) -> bool {
        false
    }

    /// Returns the potential energy, J, if it has one.
    fn potential_energy(&self, _grain: &GrainPoint) -> f64 {
        0.0
    }

    /// Returns the greatest angular frequency of a motion in it, 1/s, which a step must resolve; 0 if there is none.
    fn frequency(&self) -> f64 {
        0.0
    }

    /// Returns the greatest speed that it may give to a grain at rest, m/s.
    fn speed(&self) -> f64 {
        0.0
    }

    /// Whether it varies along a coordinate axis: then space cannot be periodic along it.
    fn varies_along(&self, _axis: usize) -> bool {
        true
    }
}

/// Such a field in a setup. Neither text nor saved state contains it: supply it again when a run is resumed.
#[derive(Clone, Debug)]
pub struct OwnFieldHandle(pub Arc<dyn OwnField>);

impl PartialEq for OwnFieldHandle {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

fn told<D: Dimension>(at: &FieldPoint<D>) -> GrainPoint {
    GrainPoint {
        mass: at.mass,
        radius: at.radius,
        volume: at.volume,
        position: three(at.position),
        velocity: three(at.velocity),
        time: at.time,
    }
}

impl<D: Dimension> ForceField<D> for OwnFieldHandle {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn force(&self, at: &FieldPoint<D>) -> D::Vector {
        let force = self.0.force(&told(at));
        D::Vector::from_fn(|k| force[k])
    }

    fn gives_work(&self) -> bool {
        !self.0.has_potential()
    }

    fn potential_energy(&self, at: &FieldPoint<D>) -> f64 {
        match self.0.has_potential() {
            true => self.0.potential_energy(&told(at)),
            false => 0.0,
        }
    }
}

impl<D: Dimension> Kind<D> for OwnFieldHandle {
    /// It has the same requirements as an acceleration from a table.
    fn asks(&self) -> Vec<FieldFeature> {
        vec![FieldFeature::TableField]
    }

    fn idle(&self, _carried: Carried) -> Option<&'static str> {
        None
    }

    fn put_into(&self, set: &mut FieldSet<D>, _around: Around<'_, D>) {
        set.add(self.clone());
    }

    fn speed(&self, before: f64, _reach: &Reach<'_, D>, _carried: &LongRangeSetup) -> f64 {
        before + self.0.speed()
    }

    fn fastest(&self, _reach: &Reach<'_, D>) -> Option<Fastest> {
        let frequency = self.0.frequency();
        (frequency > 0.0).then_some(Fastest {
            what: "a motion in a field of the program's own",
            frequency,
        })
    }

    fn varies_along(&self, axis: usize, _gravity: D::Vector) -> Option<&'static str> {
        self.0
            .varies_along(axis)
            .then_some("a field of the program's own")
    }
}
