//! What a setup tells of all its fields together.

use super::fluid::Fluid;
use super::kind::{Around, Reach};
use super::rates::Fastest;
use super::{Electric, FieldFeature, FieldSet, LongRangeSetup, Magnetic, PlaceFields};
use crate::geometry::Dimension;

impl<D: Dimension> PlaceFields<D> {
    /// Whether there is nothing but constant electric and magnetic fields, which act on what grains carry alone and
    /// have their energy.
    pub fn is_none(&self) -> bool {
        !self.all().any(|field| field.is_booked())
    }

    /// The features that they ask for.
    pub fn asks(&self) -> Vec<FieldFeature> {
        self.all().flat_map(|field| field.asks()).collect()
    }

    /// Puts them into a set, in a gravity.
    pub(super) fn put_into(
        &self,
        set: &mut FieldSet<D>,
        gravity: D::Vector,
        carried: &LongRangeSetup,
    ) {
        let around = Around {
            gravity,
            fields: self,
            carried: carried.carried(),
        };
        for field in self.all() {
            field.put_into(set, around);
        }
    }

    /// The velocity that they may give to grains which carry such things, m/s: that of the flow, of the rim of the
    /// frame, of a fall to the centre, of a way in the table, of a swing.
    pub fn speed(&self, reach: &Reach<'_, D>, carried: &LongRangeSetup) -> f64 {
        self.all()
            .fold(0.0, |before, field| field.speed(before, reach, carried))
    }

    /// Motions that a step must resolve.
    pub fn fastest(&self, reach: &Reach<'_, D>) -> Vec<Fastest> {
        self.all()
            .filter_map(|field| field.fastest(reach))
            .collect()
    }

    /// Bounds of the electric field, V/m, and of the magnetic one, T.
    pub fn strengths(&self) -> [f64; 2] {
        [
            self.electric.as_ref().map_or(0.0, Electric::greatest),
            self.magnetic.as_ref().map_or(0.0, Magnetic::greatest),
        ]
    }

    /// The rate at which the fluid damps a grain of a material, 1/s, at a relative speed.
    pub fn damping(&self, mass: f64, volume: f64, speed: f64) -> f64 {
        let rate = |fluid: &Fluid<D>| {
            let (_, growth) = fluid.drag.of::<D>(mass, volume, speed, fluid.density);
            growth / mass
        };
        self.fluid.as_ref().map_or(0.0, rate)
    }

    /// What of them cannot go with space that repeats itself along an axis of coordinates.
    pub fn varies_along(&self, axis: usize, gravity: D::Vector) -> Option<&'static str> {
        let varies = |field: &dyn super::Kind<D>| field.varies_along(axis, gravity);
        self.all().find_map(varies)
    }
}
