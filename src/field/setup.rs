//! Fields of a place: what a scenario may have beside gravity, drag and what acts between grains.

use serde::{Deserialize, Serialize};

use super::central::CentralField;
use super::fluid::{Buoyancy, Fluid};
use super::frame::TurningFrame;
use super::given::GivenField;
use super::grid::Grid;
use super::rates::Fastest;
use super::source::dot;
use super::{FieldSet, ForceField, Gravity};
use crate::geometry::Dimension;

/// A fluid, a frame that turns, a centre that attracts, an acceleration from a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct PlaceFields<D: Dimension> {
    /// The fluid in which grains move.
    pub fluid: Option<Fluid<D>>,
    /// The frame in which all is told.
    pub turning: Option<TurningFrame<D>>,
    /// What attracts.
    pub central: Option<CentralField<D>>,
    /// An acceleration, m/s^2.
    pub table: Option<Grid<D>>,
    /// Densities by material, of which masses make volumes; of others the volume is that of a disk or sphere.
    pub densities: Vec<f64>,
}

impl<D: Dimension> Default for PlaceFields<D> {
    fn default() -> Self {
        PlaceFields {
            fluid: None,
            turning: None,
            central: None,
            table: None,
            densities: Vec::new(),
        }
    }
}

impl<D: Dimension> PlaceFields<D> {
    /// Whether there is nothing of all that.
    pub fn is_none(&self) -> bool {
        self.fluid.is_none()
            && self.turning.is_none()
            && self.central.is_none()
            && self.table.is_none()
    }

    /// Puts them into a set, in a gravity.
    pub(super) fn put_into(&self, set: &mut FieldSet<D>, gravity: D::Vector) {
        if let Some(fluid) = &self.fluid {
            if fluid.buoyancy {
                let mut weights: Vec<Box<dyn ForceField<D>>> = vec![Box::new(Gravity::<D> {
                    acceleration: gravity,
                })];
                if let Some(frame) = self.turning {
                    weights.push(Box::new(frame));
                }
                if let Some(central) = self.central {
                    weights.push(Box::new(central));
                }
                set.add(Buoyancy {
                    density: fluid.density,
                    weights,
                });
            }
            set.add(fluid.clone());
        }
        if let Some(frame) = self.turning {
            set.add(frame);
        }
        if let Some(central) = self.central {
            set.add(central);
        }
        if let Some(acceleration) = self.table.clone() {
            set.add(GivenField { acceleration });
        }
    }

    /// The velocity that they may give to grains which start as fast as `speed`, are `near` at least and `far` at most
    /// from a place, m/s: that of the flow, of the rim of the frame, of a fall to the centre, of a way `far` in the table.
    pub fn speed(&self, near: impl Fn(D::Vector) -> f64, far: impl Fn(D::Vector) -> f64) -> f64 {
        let mut speed = 0.0f64;
        if let Some(fluid) = &self.fluid {
            speed = speed.max(fluid.flow.fastest(&far));
        }
        if let Some(frame) = &self.turning {
            speed += dot(frame.rate, frame.rate).sqrt() * far(frame.centre);
        }
        if let Some(central) = &self.central {
            let [near, far] =
                [near(central.centre), far(central.centre)].map(|r| r.max(central.radius));
            // A fall to where grains are nearest.
            if near > 0.0 {
                speed += (2.0 * central.strength * (1.0 / near - 1.0 / far))
                    .max(0.0)
                    .sqrt();
            }
        }
        if let Some(table) = &self.table {
            let way = 2.0 * far(D::Vector::default());
            speed += (2.0 * table.greatest() * way).sqrt();
        }
        speed
    }

    /// Motions that a step must resolve, of grains that are so near at least to a place.
    pub fn fastest(&self, near: impl Fn(D::Vector) -> f64) -> Vec<Fastest> {
        let mut list = Vec::new();
        if let Some(frame) = &self.turning {
            list.push(Fastest {
                what: "turning of paths in the turning frame",
                frequency: 2.0 * dot(frame.rate, frame.rate).sqrt(),
            });
        }
        if let Some(central) = &self.central {
            let rate = central.pull(near(central.centre)).sqrt();
            if rate.is_finite() {
                list.push(Fastest {
                    what: "going round the centre",
                    frequency: rate,
                });
            }
        }
        list
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
        let frame = |frame: &TurningFrame<D>| (0..3).any(|k| k != axis && frame.rate[k] != 0.0);
        if self.turning.as_ref().is_some_and(frame) {
            return Some("rotation");
        }
        if self.central.is_some() {
            return Some("central");
        }
        if self.table.as_ref().is_some_and(|t| t.varies_along(axis)) {
            return Some("table");
        }
        let fluid = self.fluid.as_ref()?;
        if fluid.flow.varies_along(axis) {
            return Some("flow");
        }
        // Across the seam the fluid would lift grains for nothing.
        (fluid.buoyancy && gravity[axis] != 0.0).then_some("fluid")
    }
}
