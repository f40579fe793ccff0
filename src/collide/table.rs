//! Collisions with friction from a table of resolved contacts.
//!
//! The normal and tangential impulses of a contact depend only on the ratio of sliding to approach speed (see
//! [`rough`](super::rough)), which is the coordinate of the table. The functions have kinks at the transition
//! from sticking to sliding, so the table is divided into pieces, shorter ones near a kink.

use serde::{Deserialize, Serialize};

use super::rough::{Course, Rough, STRONGEST, ScaledRough, damping_unit};
use super::soft::Axis;
use crate::contact::ContactLaw;
use crate::geometry::{Dimension, Vector};

/// Number of evenly spaced nodes of a piece.
const NODES: usize = 6;
/// Greatest number of halvings of the whole range: a kink stays within a piece of a millionth of it.
const DEPTH: u32 = 20;
/// Greatest number of pieces: usual laws have 10 to 60; one with tangential stiffness a thousand
/// times the normal has 1,000 at the smallest error.
const MOST: usize = 1024;
/// Fraction of a table's error allowed for the steps of the contacts.
const BY_STEPS: f64 = 0.2;
/// Smallest error of a table: integrated contacts are mostly accurate to a tenth of it. Those with tangential stiffness a hundred or
/// a thousand times the normal have errors of 7e-6 and 2e-5 of friction, those with dampers near the strongest up to 7e-5.
pub const FINEST: f64 = 1e-6;

/// Outcome of a collision with friction, by the ratio of sliding to approach speed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoughTable {
    restitution: f64,
    duration: f64,
    friction: f64,
    inertia: f64,
    /// Start of each piece.
    starts: Vec<f64>,
    pieces: Vec<[f64; NODES]>,
}

/// Reason why a law has no table.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum RoughError {
    /// A tolerance that no table reaches.
    #[error("the tolerance must be {FINEST:e} or more, not {0:e}")]
    TooFine(f64),
    /// A normal damper that the integration does not support.
    #[error(
        "its normal damper is {0:.3e} effective masses over the time of a contact; in collisions at once it may be {STRONGEST:e} at most"
    )]
    Damper(f64),
    /// Tangential impulses that jump between ratios of sliding to approach speed.
    #[error(
        "its tangential spring or damper is too strong beside the normal spring: collisions at once have no table of less than {MOST} pieces"
    )]
    Tangential,
}

impl RoughTable {
    /// The table of a law for grains of an effective mass (kg), whose moments of inertia are `inertia`
    /// m r^2. The mass matters only for a linear law with damping that is not proportional to the mass.
    /// The tangential impulse has an error of at most `tolerance`, in units of friction times effective
    /// mass times approach speed, at five points within each piece.
    ///
    /// # Errors
    /// If no table can represent the law.
    pub fn build(
        law: &ContactLaw,
        effective_mass: f64,
        inertia: f64,
        tolerance: f64,
    ) -> Result<Self, RoughError> {
        let unit = damping_unit(law, effective_mass, 1.0, 1.0);
        Self::build_at(law, unit, inertia, tolerance)
    }
    /// The same for a [`damping_unit`].
    pub fn build_at(
        law: &ContactLaw,
        unit: f64,
        inertia: f64,
        tolerance: f64,
    ) -> Result<Self, RoughError> {
        if tolerance < FINEST || tolerance.is_nan() {
            return Err(RoughError::TooFine(tolerance));
        }
        let scaled = ScaledRough::new(law, unit, inertia);
        let damper = scaled.damping();
        if damper > STRONGEST || damper.is_nan() {
            return Err(RoughError::Damper(damper));
        }
        let course = course(&scaled, tolerance);
        let straight = course.collide(0.0);
        let mut table = RoughTable {
            restitution: straight.restitution,
            duration: straight.duration,
            friction: scaled.friction(),
            inertia,
            starts: Vec::new(),
            pieces: Vec::new(),
        };
        if table.friction > 0.0 {
            let value = |share: f64| {
                if share >= 1.0 {
                    // So fast that it slides from touch to separation.
                    1.0 + table.restitution
                } else {
                    let ratio = table.friction * share / (1.0 - share);
                    course.collide(ratio).impulse / table.friction
                }
            };
            let (mut starts, mut pieces) = (Vec::new(), Vec::new());
            // From left to right, so that the pieces are in order.
            let mut open = vec![(0.0, 1.0, 0)];
            while let Some((from, to, depth)) = open.pop() {
                let axis = Axis::new(from, to, NODES);
                let mut piece = [0.0; NODES];
                for (index, node) in piece.iter_mut().enumerate() {
                    *node = value(axis.node(index));
                }
                if starts.len() == MOST || !piece.iter().all(|node| node.is_finite()) {
                    return Err(RoughError::Tangential);
                }
                let fits = |i: usize| {
                    let share = axis.at_share((i as f64 + 0.5) / (NODES - 1) as f64);
                    (read(&axis, &piece, share) - value(share)).abs() <= tolerance
                };
                if depth == DEPTH || (depth >= 2 && (0..NODES - 1).all(fits)) {
                    starts.push(from);
                    pieces.push(piece);
                } else {
                    let middle = 0.5 * (from + to);
                    open.push((middle, to, depth + 1));
                    open.push((from, middle, depth + 1));
                }
            }
            (table.starts, table.pieces) = (starts, pieces);
        }
        Ok(table)
    }

    /// Coulomb's coefficient of the law.
    pub fn friction(&self) -> f64 {
        self.friction
    }
    /// Number of pieces.
    pub fn pieces(&self) -> usize {
        self.pieces.len()
    }

    /// The outcome at a ratio of sliding to approach speed, 0 or more.
    pub fn outcome(&self, ratio: f64) -> Rough {
        let impulse = if self.friction > 0.0 {
            let share = ratio / (self.friction + ratio);
            let index = self.starts.partition_point(|start| *start <= share).max(1) - 1;
            let end = self.starts.get(index + 1).copied().unwrap_or(1.0);
            let axis = Axis::new(self.starts[index], end, NODES);
            self.friction * read(&axis, &self.pieces[index], share)
        } else {
            0.0
        };
        Rough {
            restitution: self.restitution,
            impulse,
            duration: self.duration,
        }
    }

    /// The collision of two round bodies that touch; none unless they approach.
    pub fn collide<D: Dimension>(&self, bodies: &Bodies<D>) -> Option<After<D>> {
        let Bodies {
            masses,
            radii,
            velocities,
            spins,
            normal,
        } = *bodies;
        let arms = [normal * radii[0], normal * -radii[1]];
        let surface = |i: usize| velocities[i] + D::cross_spin(spins[i], arms[i]);
        let relative = surface(1) - surface(0);
        let approach = -normal.dot(&relative);
        if approach <= 0.0 || approach.is_nan() {
            return None;
        }
        let across = relative + normal * approach;
        let sliding = across.norm();
        let outcome = self.outcome(sliding / approach);
        let inverse = masses.map(|mass| 1.0 / mass);
        let unit = approach / (inverse[0] + inverse[1]);
        let mut impulse = normal * (unit * (1.0 + outcome.restitution));
        if sliding > 0.0 {
            impulse += across * (-unit * outcome.impulse / sliding);
        }
        let given = [-impulse, impulse];
        Some(After {
            velocities: [0, 1].map(|i| velocities[i] + given[i] * inverse[i]),
            spins: [0, 1].map(|i| {
                if inverse[i] == 0.0 {
                    return spins[i];
                }
                let moment = self.inertia * radii[i] * radii[i];
                spins[i] + D::moment(arms[i], given[i]) * (inverse[i] / moment)
            }),
            outcome,
        })
    }
}

/// Two round bodies that touch; a wall has an infinite mass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bodies<D: Dimension> {
    /// Masses, kg.
    pub masses: [f64; 2],
    /// Radii, m.
    pub radii: [f64; 2],
    /// Velocities, m/s.
    pub velocities: [D::Vector; 2],
    /// Spins, rad/s.
    pub spins: [D::Spin; 2],
    /// Unit vector from the first to the second body.
    pub normal: D::Vector,
}

/// Two bodies after a collision with friction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct After<D: Dimension> {
    /// Velocities, m/s.
    pub velocities: [D::Vector; 2],
    /// Spins, rad/s.
    pub spins: [D::Spin; 2],
    /// Outcome from the table.
    pub outcome: Rough,
}

/// The normal motion with the accuracy that a table of this error requires.
pub(super) fn course(scaled: &ScaledRough, tolerance: f64) -> Course {
    let friction = scaled.friction();
    scaled.course_to(BY_STEPS * tolerance * if friction > 0.0 { friction } else { 1.0 })
}

fn read(axis: &Axis, piece: &[f64; NODES], share: f64) -> f64 {
    let (_, weights) = axis.stencil(share);
    weights.iter().zip(piece).map(|(w, v)| w * v).sum()
}
