//! Walls moved by forces: lids, pistons, plates that maintain a pressure.

use serde::{Deserialize, Serialize};

use super::Boundary;
use crate::geometry::{Dimension, Vector};

/// A wall with mass that slides along a line: M dv/dt = F + M g - c v - (force of the grains).
///
/// All components are along `along`, the positive direction of forces, speeds and displacements.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Guided<D: Dimension> {
    /// Unit direction of the line.
    pub along: D::Vector,
    /// M, kg (per metre of depth in the plane).
    pub mass: f64,
    /// F.
    pub drive: Drive,
    /// c, N s/m.
    pub damping: f64,
    /// Whether gravity acts on it.
    pub weight: bool,
    /// Time at which it is released, s; it is at rest before.
    pub from: f64,
    /// Speed at release, m/s.
    pub speed: f64,
    /// Time from which on it moves at a prescribed speed instead, whatever the force, s, and that speed, m/s.
    pub then: Option<[f64; 2]>,
    /// Least and greatest displacement from its initial position, m: it stops there without rebound.
    pub stops: Option<[f64; 2]>,
    /// Current state, kept up to date by the engine.
    pub now: GuidedState,
}

/// Drive of a guided wall.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Drive {
    /// A force, N.
    Force(f64),
    /// A pressure on an area: Pa and m^2, in the plane N/m and m.
    Pressure {
        /// Pressure; positive along the guide.
        pressure: f64,
        /// Area on which it acts.
        area: LoadedArea,
    },
}

/// The area on which a pressure acts: `depth` times the current distances between pairs of parallel planes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoadedArea {
    /// Area in m^2 without pairs, else the remaining factor.
    pub depth: f64,
    /// Pairs of boundaries.
    pub between: Vec<[u16; 2]>,
}

/// State of a guided wall at an evaluation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GuidedState {
    /// Displacement from its initial position, m.
    pub way: f64,
    /// Speed over the last step, m/s.
    pub carried: f64,
    /// Predicted speed at the evaluation, m/s.
    pub speed: f64,
    /// Time of the evaluation, s.
    pub time: f64,
    /// Whether it was released.
    pub started: bool,
    /// Whether it moves freely: it was released, and no stop holds it.
    pub free: bool,
}

impl<D: Dimension> Guided<D> {
    /// Returns displacement (m) and speed (m/s) at a time near the evaluation.
    pub fn at(&self, time: f64) -> (f64, f64) {
        let now = &self.now;
        let speed = if now.started { now.speed } else { 0.0 };
        (now.way + now.carried * (time - now.time), speed)
    }

    /// Returns the fault of invalid settings, in words; none if they are valid.
    pub fn fault(&self) -> Option<String> {
        let numbers = match &self.drive {
            Drive::Force(force) => [*force, 1.0],
            Drive::Pressure { pressure, area } => [*pressure, area.depth],
        };
        let [least, most] = self.stops.unwrap_or([-1.0, 1.0]);
        let [later, led] = self.then.unwrap_or_default();
        let all = [self.damping, self.from, self.speed, least, most, later, led];
        if !(self.along.is_finite() && numbers.iter().chain(&all).all(|x| x.is_finite())) {
            return Some("the motion's numbers must be finite".into());
        }
        if !(self.mass > 0.0 && self.mass.is_finite()) {
            return Some("the mass of a wall that forces move must be greater than 0".into());
        }
        if self.damping < 0.0 {
            return Some("the damping of a wall that forces move must be 0 or more".into());
        }
        if (self.along.norm() - 1.0).abs() > 1e-9 {
            return Some("a wall is guided along a direction of length 1".into());
        }
        if least > 0.0 || most < 0.0 {
            return Some("a guided wall starts between its stops, at 0".into());
        }
        None
    }

    /// Returns the driving force, N, without weight.
    pub fn drive_force(&self, boundaries: impl Fn(u16) -> Option<Placed<D>>) -> f64 {
        match &self.drive {
            Drive::Force(force) => *force,
            Drive::Pressure { pressure, area } => pressure * area.size::<D>(boundaries),
        }
    }

    /// Advances from an evaluation to the next, a step h (s) later, under a force along the guide (N): leapfrog, with
    /// the damping at the middle of the step.
    pub fn step(&mut self, force: f64, h: f64) {
        let now = self.now;
        let next = now.time + h;
        self.now.time = next;
        if now.time < self.from {
            return;
        }
        // Speeds are stored half a step behind; a wall that starts at an evaluation gets only half a kick.
        let (before, kick) = match (now.free, now.started) {
            (true, _) => (now.carried, h),
            (false, true) => (0.0, 0.5 * h),
            (false, false) => (self.speed, 0.5 * h),
        };
        let rate = self.damping / self.mass;
        let half = 0.5 * kick * rate;
        let pull = force / self.mass;
        let led = self.then.filter(|[from, _]| now.time >= *from);
        let speed = match led {
            Some([_, speed]) => speed,
            None => (before * (1.0 - half) + kick * pull) / (1.0 + half),
        };
        let way = now.way + h * speed;
        let [least, most] = self.stops.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
        let caught = way.clamp(least, most);
        let free = caught == way;
        self.now = GuidedState {
            way: caught,
            carried: if free { speed } else { (caught - now.way) / h },
            speed: match (free, led) {
                (false, _) => 0.0,
                (true, Some(_)) => speed,
                (true, None) => speed + 0.5 * h * (pull - rate * speed),
            },
            time: next,
            free,
            started: true,
        };
    }
}

/// A plane at its current position: a point of it, and its unit normal.
pub type Placed<D> = (<D as Dimension>::Vector, <D as Dimension>::Vector);

/// Returns the plane of a boundary at its position at a time.
pub fn placed<D: Dimension>(boundary: &Boundary<D>, time: f64) -> Option<Placed<D>> {
    let [point, normal] = boundary.shape.plane()?;
    let shift = boundary.motion.pose(time).shift;
    Some((point + shift, normal * (1.0 / normal.norm())))
}

impl LoadedArea {
    /// Returns the area, m^2, in the plane m. A pair whose planes have passed through each other gives 0.
    pub fn size<D: Dimension>(&self, plane: impl Fn(u16) -> Option<Placed<D>>) -> f64 {
        let mut size = self.depth;
        for pair in &self.between {
            if let [Some((a, normal)), Some((b, _))] = pair.map(&plane) {
                size *= (b - a).dot(&normal).max(0.0);
            }
        }
        size
    }
}
