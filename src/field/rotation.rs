//! A rotating frame: centrifugal and Coriolis forces.

use crate::geometry::{cross, dot, three};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::keys::{SpinSpec, View, vector_or_zero};
use super::kind::{Around, FieldKind, FieldRow, Kind, Reach, Read};
use super::rates::Fastest;
use super::source::{Carried, size};
use super::{
    FieldFeature, FieldPoint, FieldSection, FieldSet, FieldStateError, ForceField, LongRangeSetup,
};
use crate::geometry::{Dimension, Vector};

pub(super) const TURNS: FieldRow = FieldRow {
    name: "field.rotation",
    key: "field.rotation",
    noun: "frame that turns",
    kind: FieldKind::Place,
};

/// A turning about an axis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TurningKeys {
    /// Rate, rad/s: a number in two dimensions, counter-clockwise; three in three, about that direction.
    pub rate: SpinSpec,
    /// A point of the axis, m; the origin when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub centre: Option<Vec<f64>>,
}

/// A frame that rotates at a constant rate, to which positions, velocities and spins refer.
///
/// Centrifugal force m w x (x x w), with potential -m |w x r|^2 / 2; Coriolis force 2 m v x w, which does no work;
/// and in space the turning of a ball's spin s at the rate s x w.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct TurningFrame<D: Dimension> {
    /// A point of the axis, m.
    pub centre: D::Vector,
    /// Rate, rad/s; in the plane about its normal.
    pub rate: [f64; 3],
    /// Whether it stands until motion begins, while grains settle.
    pub waits: bool,
}

/// The field of a frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turning<D: Dimension> {
    frame: TurningFrame<D>,
    /// Whether the frame turns by now.
    turns: bool,
}

impl<D: Dimension> TurningFrame<D> {
    /// Returns the frame that turns with a spin (rad/s) about an axis through a point, m; at once.
    pub fn with_spin(centre: D::Vector, spin: D::Spin) -> Self {
        let rate = std::array::from_fn(|k| match D::N {
            2 if k == 2 => D::spin_component(spin, 0),
            2 => 0.0,
            _ => D::spin_component(spin, k),
        });
        TurningFrame {
            centre,
            rate,
            waits: false,
        }
    }

    /// Returns its rate as a spin, rad/s.
    pub fn spin(&self) -> D::Spin {
        D::spin_from_fn(|k| self.rate[if D::N == 2 { 2 } else { k }])
    }

    /// Returns the magnitude of its rate, rad/s.
    pub fn angular_speed(&self) -> f64 {
        size(self.rate)
    }

    /// Returns its field.
    pub(super) fn field(&self) -> Turning<D> {
        Turning {
            frame: *self,
            turns: !self.waits,
        }
    }
}

impl<D: Dimension> Turning<D> {
    /// Returns the rate now, rad/s.
    fn rate(&self) -> [f64; 3] {
        if self.turns {
            self.frame.rate
        } else {
            [0.0; 3]
        }
    }

    fn velocity(&self, at: D::Vector) -> [f64; 3] {
        cross(self.rate(), three(at - self.frame.centre))
    }
}

impl<D: Dimension> ForceField<D> for Turning<D> {
    fn name(&self) -> &str {
        "turning-frame"
    }
    fn force(&self, at: &FieldPoint<D>) -> D::Vector {
        let outwards = cross(self.velocity(at.position), self.rate());
        D::Vector::from_fn(|k| at.mass * outwards[k])
    }
    fn gyration(&self, _at: &FieldPoint<D>) -> [f64; 3] {
        self.rate().map(|w| 2.0 * w)
    }
    fn spin_turning(&self) -> [f64; 3] {
        self.rate()
    }
    fn own_frame(&self) -> Option<TurningFrame<D>> {
        self.frame.waits.then(|| TurningFrame {
            rate: self.rate(),
            ..self.frame
        })
    }
    fn begin(&mut self) {
        self.turns = true;
    }
    fn state(&self) -> Vec<f64> {
        match self.frame.waits {
            true => vec![f64::from(u8::from(self.turns))],
            false => Vec::new(),
        }
    }
    fn restore(&mut self, state: &[f64]) -> Result<(), FieldStateError> {
        match (self.frame.waits, state) {
            (false, []) => {}
            (true, [turns]) => self.turns = *turns != 0.0,
            _ => {
                return Err(FieldStateError {
                    name: "turning-frame".to_owned(),
                    expected: usize::from(self.frame.waits),
                    found: state.len(),
                });
            }
        }
        Ok(())
    }
    fn potential_energy(&self, at: &FieldPoint<D>) -> f64 {
        let v = self.velocity(at.position);
        -0.5 * at.mass * dot(v, v)
    }
}

impl TurningKeys {
    /// Reads centre and rate.
    pub(super) fn read<D: Dimension, V: View>(
        &self,
        view: &V,
    ) -> Result<TurningFrame<D>, V::Fault> {
        let rate = view.key("rate").spin::<D>(&self.rate.0)?;
        let centre = vector_or_zero::<D, V>(&view.key("centre"), self.centre.as_deref())?;
        Ok(TurningFrame::with_spin(centre, rate))
    }
}

impl<D: Dimension> Kind<D> for TurningFrame<D> {
    fn asks(&self) -> Vec<FieldFeature> {
        vec![FieldFeature::TurningFrame]
    }
    fn idle(&self, _carried: Carried) -> Option<&'static str> {
        (self.rate == [0.0; 3]).then_some("its rate is 0")
    }
    fn put_into(&self, set: &mut FieldSet<D>, _around: Around<'_, D>) {
        set.add(self.field());
    }
    /// Returns the speed including that of the rim.
    fn speed(&self, before: f64, reach: &Reach<'_, D>, _carried: &LongRangeSetup) -> f64 {
        before + size(self.rate) * (reach.far)(self.centre)
    }
    fn fastest(&self, _reach: &Reach<'_, D>) -> Option<Fastest> {
        Some(Fastest {
            what: "turning of paths in the turning frame",
            frequency: 2.0 * size(self.rate),
        })
    }
    fn varies_along(&self, axis: usize, _gravity: D::Vector) -> Option<&'static str> {
        let tilts = (0..3).any(|k| k != axis && self.rate[k] != 0.0);
        tilts.then_some("rotation")
    }
}

impl<D: Dimension> Read<D> for TurningFrame<D> {
    fn read<V: View>(section: &mut FieldSection, view: &V) -> Result<Option<Self>, V::Fault> {
        let keys = section.rotation.as_ref();
        keys.map(|keys| keys.read(&view.key("rotation")))
            .transpose()
    }
}
