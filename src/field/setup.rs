//! Properties of all fields of a setup together.

use super::fluid::Fluid;
use super::kind::{Around, FieldKind, Reach};
use super::rates::Fastest;
use super::{Electric, FieldFeature, FieldSet, LongRangeSetup, Magnetic, NonUniformFields};
use crate::geometry::Dimension;

impl<D: Dimension> NonUniformFields<D> {
    /// Whether there are only constant electric and magnetic fields, or none; these act only on charges and moments
    /// and have a potential energy.
    pub fn is_none(&self) -> bool {
        !self.all().any(|field| field.is_booked())
    }

    /// Returns the features that they use.
    pub fn asks(&self) -> Vec<FieldFeature> {
        self.all().flat_map(|field| field.asks()).collect()
    }

    /// Adds them to a set, in a gravity.
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

    /// Returns the greatest speed that they may give to grains with these charges and moments, m/s: that of the flow,
    /// of the rim of the frame, of a fall to the centre, of a path in the table, of an oscillation.
    pub fn speed(&self, reach: &Reach<'_, D>, carried: &LongRangeSetup) -> f64 {
        self.all()
            .fold(0.0, |before, field| field.speed(before, reach, carried))
    }

    /// Returns the motions that a step must resolve.
    pub fn fastest(&self, reach: &Reach<'_, D>) -> Vec<Fastest> {
        self.all()
            .filter_map(|field| field.fastest(reach))
            .collect()
    }

    /// Returns the least and the greatest rate of change of fields that vary with time, rad/s; `None` where none does.
    pub fn alternation(&self) -> Option<[f64; 2]> {
        let with_time = |feature: &FieldFeature| {
            matches!(
                feature.row().kind,
                FieldKind::Time | FieldKind::CarriedInTime
            )
        };
        if !self.asks().iter().any(with_time) {
            return None;
        }
        let somewhere = |_: D::Vector| 1.0;
        let reach = Reach {
            near: &somewhere,
            far: &somewhere,
        };
        let rates = self.fastest(&reach).into_iter().map(|rate| rate.frequency);
        let bounds = rates.fold([f64::INFINITY, 0.0f64], |[least, most], rate| {
            [least.min(rate), most.max(rate)]
        });
        Some(bounds)
    }

    /// Returns bounds of the electric field, V/m, and of the magnetic one, T.
    pub fn strengths(&self) -> [f64; 2] {
        [
            self.electric.as_ref().map_or(0.0, Electric::greatest),
            self.magnetic.as_ref().map_or(0.0, Magnetic::greatest),
        ]
    }

    /// Returns the rate at which the fluid damps a grain, 1/s, at a relative speed.
    pub fn damping(&self, mass: f64, volume: f64, speed: f64) -> f64 {
        let rate = |fluid: &Fluid<D>| {
            let (_, growth) = fluid.drag.of::<D>(mass, volume, speed, fluid.density);
            growth / mass
        };
        self.fluid.as_ref().map_or(0.0, rate)
    }

    /// Returns the part that is incompatible with periodic space along a coordinate axis.
    pub fn varies_along(&self, axis: usize, gravity: D::Vector) -> Option<&'static str> {
        let varies = |field: &dyn super::Kind<D>| field.varies_along(axis, gravity);
        self.all().find_map(varies)
    }
}
