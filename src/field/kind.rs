//! What a field of scenarios tells of itself beside its force.

use std::fmt::Debug;

use super::keys::View;
use super::rates::Fastest;
use super::source::Carried;
use super::{FieldSection, FieldSet, LongRangeSetup, PlaceFields};
use crate::geometry::Dimension;

/// How a field makes the paths of grains other than parabolas; what models take of it goes by this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// It differs from place to place, or goes with the velocity.
    Place,
    /// The same, and grains act on it.
    Coupled,
    /// It is the same everywhere and at all times, and acts on what grains carry.
    Carried,
    /// It is the same everywhere, and for all grains, and changes with time.
    Time,
    /// It is the same everywhere, changes with time, and acts on what grains carry.
    CarriedInTime,
}

/// A feature of a field, as lists and messages tell it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldRow {
    /// Its name in lists.
    pub name: &'static str,
    /// The key that asks for it.
    pub key: &'static str,
    /// What messages call it.
    pub noun: &'static str,
    /// How it acts.
    pub kind: FieldKind,
}

/// What else there is where a field is put into a set.
#[derive(Clone, Copy, Debug)]
pub struct Around<'a, D: Dimension> {
    /// Gravity, m/s^2.
    pub gravity: D::Vector,
    /// All fields.
    pub fields: &'a PlaceFields<D>,
    /// What grains carry.
    pub carried: Carried,
}

/// How near to and far from a place grains are, m: at least at the start, at most later.
pub struct Reach<'a, D: Dimension> {
    /// At least at the start.
    pub near: &'a dyn Fn(D::Vector) -> f64,
    /// At most.
    pub far: &'a dyn Fn(D::Vector) -> f64,
}

/// A field as a scenario has it.
pub trait Kind<D: Dimension>: Debug {
    /// The features that it asks for.
    fn asks(&self) -> Vec<super::FieldFeature>;

    /// Why it does nothing where grains carry such things; none where it does.
    fn idle(&self, carried: Carried) -> Option<&'static str>;

    /// Puts its forces into a set.
    fn put_into(&self, set: &mut FieldSet<D>, around: Around<'_, D>);

    /// Whether what it gives is booked grain by grain.
    fn is_booked(&self) -> bool {
        true
    }

    /// The velocity of grains that are as fast as `before` without it, m/s.
    fn speed(&self, before: f64, _reach: &Reach<'_, D>, _carried: &LongRangeSetup) -> f64 {
        before
    }

    /// A motion that a step must resolve.
    fn fastest(&self, _reach: &Reach<'_, D>) -> Option<Fastest> {
        None
    }

    /// The key of what of it cannot go with space that repeats itself along an axis of coordinates.
    fn varies_along(&self, _axis: usize, _gravity: D::Vector) -> Option<&'static str> {
        None
    }
}

/// How a field is read from `[field]`.
pub trait Read<D: Dimension>: Kind<D> + Sized {
    /// The field, if it is asked for; what comes from files is taken into the section.
    fn read<V: View>(section: &mut FieldSection, view: &V) -> Result<Option<Self>, V::Fault>;
}
