//! Walls that forces move: lids, pistons, plates that keep a pressure.

use serde::{Deserialize, Serialize};

use super::Boundary;
use crate::geometry::{Dimension, Vector};

/// A wall with mass that slides along a line: M dv/dt = F + M g - c v - (push of the grains).
///
/// All along `along`, whose sense is that of positive forces, speeds and ways.
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
    /// When it is let go, s; it stands before.
    pub from: f64,
    /// Speed with which it is let go, m/s.
    pub speed: f64,
    /// From when on it goes at a speed instead, whatever it takes: s, and m/s.
    pub then: Option<[f64; 2]>,
    /// Least and greatest way from where it is set up, m: there it is caught without rebound.
    pub stops: Option<[f64; 2]>,
    /// Where it is now; the engine keeps this up to date.
    pub now: GuidedState,
}

/// What drives a guided wall.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Drive {
    /// A force, N.
    Force(f64),
    /// A pressure on an area: of Pa on m^2, in the plane of N/m on m.
    Pressure {
        /// Pressure; positive along the guide.
        pressure: f64,
        /// The area on which it acts.
        area: LoadedArea,
    },
}

/// The area on which a pressure acts: `depth` times the distances between pairs of parallel planes, as they
/// stand at the moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoadedArea {
    /// m^2 without pairs, else what is left of it.
    pub depth: f64,
    /// Pairs of boundaries.
    pub between: Vec<[u16; 2]>,
}

/// Where a guided wall is at an evaluation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GuidedState {
    /// Way from where it was set up, m.
    pub way: f64,
    /// Speed over the last step, m/s.
    pub carried: f64,
    /// Speed at the evaluation, foreseen, m/s.
    pub speed: f64,
    /// Time of the evaluation, s.
    pub time: f64,
    /// Whether it was let go.
    pub started: bool,
    /// Whether it moves freely: it was let go, and is not held by a stop.
    pub free: bool,
}

impl<D: Dimension> Guided<D> {
    /// Way (m) and speed (m/s) at a time near the evaluation.
    pub fn at(&self, time: f64) -> (f64, f64) {
        let now = &self.now;
        let speed = if now.started { now.speed } else { 0.0 };
        (now.way + now.carried * (time - now.time), speed)
    }

    /// What is wrong with it, in words; none when it can be followed.
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

    /// The force that drives it, N, without weight.
    pub fn drive_force(&self, boundaries: impl Fn(u16) -> Option<Placed<D>>) -> f64 {
        match &self.drive {
            Drive::Force(force) => *force,
            Drive::Pressure { pressure, area } => pressure * area.size::<D>(boundaries),
        }
    }

    /// From an evaluation to the next, a step h (s) later, under a force along the guide (N): leapfrog, with the
    /// damping taken in the middle of the step.
    pub fn step(&mut self, force: f64, h: f64) {
        let now = self.now;
        let next = now.time + h;
        self.now.time = next;
        if now.time < self.from {
            return;
        }
        // Speeds are carried half a step behind; who begins at an evaluation has only half of a step to go.
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

/// A plane where it stands: a point of it, and its unit normal.
pub type Placed<D> = (<D as Dimension>::Vector, <D as Dimension>::Vector);

/// The plane that a boundary is, where it stands at a time.
pub fn placed<D: Dimension>(boundary: &Boundary<D>, time: f64) -> Option<Placed<D>> {
    let [point, normal] = boundary.shape.plane()?;
    let shift = boundary.motion.pose(time).shift;
    Some((point + shift, normal * (1.0 / normal.norm())))
}

impl LoadedArea {
    /// m^2, in the plane m. A pair that passed through each other leaves nothing.
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
