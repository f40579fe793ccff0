//! Interface of a field of scenarios besides its force.

use std::fmt::Debug;

use super::keys::View;
use super::rates::Fastest;
use super::source::Carried;
use super::{FieldSection, FieldSet, LongRangeSetup, NonUniformFields};
use crate::geometry::Dimension;

/// How a field bends the paths of grains away from parabolas; the models' support depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// Depends on position or velocity.
    Place,
    /// As [`FieldKind::Place`], and grains act back on it.
    Coupled,
    /// Uniform and constant, and acts on charges or moments of grains.
    Carried,
    /// Uniform and the same for all grains, but varies with time.
    Time,
    /// Uniform, varies with time, and acts on charges or moments of grains.
    CarriedInTime,
}

/// A feature of a field, as lists and messages show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldRow {
    /// Name in lists.
    pub name: &'static str,
    /// Key that selects it.
    pub key: &'static str,
    /// Name in messages.
    pub noun: &'static str,
    /// How it acts.
    pub kind: FieldKind,
}

/// The other parts of the set that a field is added to.
#[derive(Clone, Copy, Debug)]
pub struct Around<'a, D: Dimension> {
    /// Gravity, m/s^2.
    pub gravity: D::Vector,
    /// All fields.
    pub fields: &'a NonUniformFields<D>,
    /// Charges and moments of the grains.
    pub carried: Carried,
}

/// Distances of grains from a position, m: least at the start, greatest later.
pub struct Reach<'a, D: Dimension> {
    /// Least distance at the start.
    pub near: &'a dyn Fn(D::Vector) -> f64,
    /// Greatest distance.
    pub far: &'a dyn Fn(D::Vector) -> f64,
}

/// A field as given in a scenario.
pub trait Kind<D: Dimension>: Debug {
    /// Returns the features that it uses.
    fn asks(&self) -> Vec<super::FieldFeature>;

    /// Returns why it has no effect on grains with these charges and moments; none if it has one.
    fn idle(&self, carried: Carried) -> Option<&'static str>;

    /// Adds its forces to a set.
    fn put_into(&self, set: &mut FieldSet<D>, around: Around<'_, D>);

    /// Whether its work is booked grain by grain.
    fn is_booked(&self) -> bool {
        true
    }

    /// Returns the speed of grains that have the speed `before` without it, m/s.
    fn speed(&self, before: f64, _reach: &Reach<'_, D>, _carried: &LongRangeSetup) -> f64 {
        before
    }

    /// Returns a motion that a step must resolve.
    fn fastest(&self, _reach: &Reach<'_, D>) -> Option<Fastest> {
        None
    }

    /// Returns the key of the part that is incompatible with periodic space along a coordinate axis.
    fn varies_along(&self, _axis: usize, _gravity: D::Vector) -> Option<&'static str> {
        None
    }
}

/// Reads a field from `[field]`.
pub trait Read<D: Dimension>: Kind<D> + Sized {
    /// Returns the field, if it is selected; contents of files are written into the section.
    fn read<V: View>(section: &mut FieldSection, view: &V) -> Result<Option<Self>, V::Fault>;
}
