//! A fluid in which grains move: its drag and its buoyancy.

mod flow;
mod keys;
mod read;
mod stream;

use serde::{Deserialize, Serialize};

pub use flow::{Flow, Pipe};
pub use keys::{FlowKeys, FluidKeys, PipeKeys, StreamKeys, ViscousName};
pub use stream::{Stream, StreamState};

use super::kind::{Around, FieldKind, FieldRow, Kind, Reach};
use super::source::Carried;
use super::{
    FieldFeature, FieldPoint, FieldSet, FieldStateError, ForceField, Gravity, LongRangeSetup,
};
use crate::geometry::{Dimension, Vector};

const fn row(name: &'static str, key: &'static str, noun: &'static str) -> FieldRow {
    FieldRow {
        name,
        key,
        noun,
        kind: FieldKind::Place,
    }
}

pub(super) const REST: FieldRow = row("field.fluid", "field.fluid", "fluid");
pub(super) const EVEN: FieldRow = row("field.flow.uniform", "field.flow", "flow");
pub(super) const PIPE: FieldRow = row("field.flow.pipe", "field.flow", "flow");
pub(super) const TURNING: FieldRow = row("field.flow.rotation", "field.flow", "flow");
pub(super) const TABLE: FieldRow = row("field.flow.table", "field.flow", "flow");
pub(super) const STREAM: FieldRow = FieldRow {
    kind: FieldKind::Coupled,
    ..row("field.flow.stream", "field.flow", "flow")
};

/// Drag of a fluid on a grain: the sum of the given terms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DragLaw {
    /// Force over relative velocity, N s/m, the same for all grains.
    pub linear: f64,
    /// Time in which a relative velocity falls to 1/e, s, the same for all grains.
    pub relaxation_time: Option<f64>,
    /// Viscosity, Pa s: for spheres 6 pi eta r (Stokes 1851).
    pub viscosity: f64,
    /// Whether Stokes drag is multiplied by 1 + 0.15 Re^0.687 (Schiller and Naumann 1933), but is at least that of a
    /// coefficient of 0.44.
    pub schiller_naumann: bool,
    /// Force over density A v^2 / 2, A the cross-section.
    pub coefficient: f64,
}

/// A fluid. The grains do not change it, unless it is a [`Stream`](super::Stream).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Fluid<D: Dimension> {
    /// Flow.
    pub flow: Flow<D>,
    /// Drag law.
    pub drag: DragLaw,
    /// Density, kg/m^3 (in the plane kg/m^2).
    pub density: f64,
    /// Whether it carries part of the grains' weight.
    pub buoyancy: bool,
}

/// A drag force: coefficient (velocity - that of the grain).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Drag<D: Dimension> {
    /// Force over relative velocity, N s/m.
    pub coefficient: f64,
    /// Velocity of the fluid, m/s.
    pub velocity: D::Vector,
}

/// Least drag coefficient of a sphere (Schiller and Naumann's formula reaches it at about Re = 1000).
const NEWTON: f64 = 0.44;

impl DragLaw {
    /// Whether there is no drag.
    pub fn is_none(&self) -> bool {
        *self == DragLaw::default()
    }

    /// Returns the force over relative velocity, N s/m, and the derivative of the force by the velocity, N s/m, for a
    /// grain of given mass and volume at a relative speed in a fluid of given density.
    pub fn of<D: Dimension>(&self, mass: f64, volume: f64, speed: f64, density: f64) -> (f64, f64) {
        let pi = std::f64::consts::PI;
        // Radius and cross-section of the disk or sphere of the same area or volume.
        let (radius, section) = if D::N == 2 {
            let radius = (volume / pi).sqrt();
            (radius, 2.0 * radius)
        } else {
            let radius = libm::cbrt(volume * 3.0 / (4.0 * pi));
            (radius, pi * radius * radius)
        };
        let mut sum = self.linear + self.relaxation_time.map_or(0.0, |time| mass / time);
        let mut growth = sum;
        let square = 0.5 * density * section * speed;
        if self.viscosity > 0.0 {
            let stokes = 6.0 * pi * self.viscosity * radius;
            let reynolds = 2.0 * radius * density * speed / self.viscosity;
            let more = 0.15 * libm::pow(reynolds, 0.687);
            if !self.schiller_naumann {
                sum += stokes;
                growth += stokes;
            } else if stokes * (1.0 + more) >= NEWTON * square {
                sum += stokes * (1.0 + more);
                growth += stokes * (1.0 + 1.687 * more);
            } else {
                sum += NEWTON * square;
                growth += 2.0 * NEWTON * square;
            }
        }
        let square = self.coefficient * square;
        (sum + square, growth + 2.0 * square)
    }
}

impl<D: Dimension> ForceField<D> for Fluid<D> {
    fn name(&self) -> &str {
        "fluid"
    }
    fn force(&self, _at: &FieldPoint<D>) -> D::Vector {
        D::Vector::default()
    }
    fn drag(&self, at: &FieldPoint<D>) -> Drag<D> {
        let velocity = self.flow.velocity(at.position);
        let speed = (velocity - at.velocity).norm();
        let (coefficient, _) = self.drag.of::<D>(at.mass, at.volume, speed, self.density);
        Drag {
            coefficient,
            velocity,
        }
    }
    fn dissipated_power(&self, at: &FieldPoint<D>) -> f64 {
        let drag = ForceField::<D>::drag(self, at);
        drag.coefficient * (drag.velocity - at.velocity).norm_squared()
    }
    fn next_event(&self, now: f64) -> Option<f64> {
        match &self.flow {
            Flow::Stream(stream) => stream.next_event(now),
            _ => None,
        }
    }
    fn handle_event(&mut self, now: f64) {
        if let Flow::Stream(stream) = &mut self.flow {
            stream.advance(now);
        }
    }
    fn react(&mut self, given: D::Vector, time: f64) {
        if let Flow::Stream(stream) = &mut self.flow {
            stream.give(given, time);
        }
    }
    fn stream(&self, to_come: f64) -> Option<D::Vector> {
        match &self.flow {
            Flow::Stream(stream) => Some(stream.now.velocity - stream.now.kick * to_come),
            _ => None,
        }
    }
    fn state(&self) -> Vec<f64> {
        match &self.flow {
            Flow::Stream(stream) => stream.numbers(),
            _ => Vec::new(),
        }
    }
    fn restore(&mut self, state: &[f64]) -> Result<(), FieldStateError> {
        let (fits, expected) = match &mut self.flow {
            Flow::Stream(stream) => (stream.restore(state), 2 * D::N + 2),
            _ => (state.is_empty(), 0),
        };
        if fits {
            return Ok(());
        }
        Err(FieldStateError {
            name: "fluid".into(),
            expected,
            found: state.len(),
        })
    }
}

impl<D: Dimension> Kind<D> for Fluid<D> {
    fn asks(&self) -> Vec<FieldFeature> {
        vec![match self.flow {
            Flow::Rest => FieldFeature::Fluid,
            Flow::Uniform(_) => FieldFeature::EvenFlow,
            Flow::Pipe(_) => FieldFeature::PipeFlow,
            Flow::Rotation { .. } => FieldFeature::TurningFlow,
            Flow::Table(_) => FieldFeature::TableFlow,
            Flow::Stream(_) => FieldFeature::Stream,
        }]
    }
    fn idle(&self, _carried: Carried) -> Option<&'static str> {
        let bears = self.buoyancy && self.density > 0.0;
        (self.drag.is_none() && !bears).then_some("it neither drags nor bears")
    }
    /// Adds buoyancy: the fluid carries part of the weight in gravity, in a rotating frame and about a centre.
    fn put_into(&self, set: &mut FieldSet<D>, around: Around<'_, D>) {
        if self.buoyancy {
            let mut weights: Vec<Box<dyn ForceField<D>>> = vec![Box::new(Gravity::<D> {
                acceleration: around.gravity,
            })];
            if let Some(frame) = around.fields.rotation {
                weights.push(Box::new(frame.field()));
            }
            if let Some(central) = around.fields.central {
                weights.push(Box::new(central));
            }
            set.add(Buoyancy {
                density: self.density,
                weights,
            });
        }
        set.add(self.clone());
    }
    fn speed(&self, before: f64, reach: &Reach<'_, D>, _carried: &LongRangeSetup) -> f64 {
        before.max(self.flow.fastest(reach.far))
    }
    fn varies_along(&self, axis: usize, gravity: D::Vector) -> Option<&'static str> {
        if self.flow.varies_along(axis) {
            return Some("flow");
        }
        // Across the periodic border buoyancy would lift grains without end.
        (self.buoyancy && gravity[axis] != 0.0).then_some("fluid")
    }
}

/// Buoyancy in a fluid at rest in some fields: the weight, in these, of the displaced fluid (Archimedes).
#[derive(Debug)]
pub struct Buoyancy<D: Dimension> {
    /// Density of the fluid, kg/m^3 (in the plane kg/m^2).
    pub density: f64,
    /// Fields with a force proportional to the mass.
    pub weights: Vec<Box<dyn ForceField<D>>>,
}

impl<D: Dimension> Buoyancy<D> {
    /// Returns the weight of the displaced fluid over that of the grain.
    fn share(&self, at: &FieldPoint<D>) -> f64 {
        self.density * at.volume / at.mass
    }
}

impl<D: Dimension> ForceField<D> for Buoyancy<D> {
    fn name(&self) -> &str {
        "buoyancy"
    }
    fn force(&self, at: &FieldPoint<D>) -> D::Vector {
        let mut sum = D::Vector::default();
        for field in &self.weights {
            sum += field.force(at);
        }
        sum * -self.share(at)
    }
    fn potential_energy(&self, at: &FieldPoint<D>) -> f64 {
        let weights = self.weights.iter().map(|field| field.potential_energy(at));
        -self.share(at) * weights.sum::<f64>()
    }
}
