//! Collisions with friction from a table of resolved contacts.
//!
//! Normal and tangential impulse of a contact depend on the ratio of sliding to approach speed alone
//! (see [`rough`](super::rough)); the table runs over that ratio. It has kinks where sticking ends and
//! sliding begins, so it is cut into pieces, the shorter the nearer to a kink.

use serde::{Deserialize, Serialize};

use super::rough::{Course, Rough, STRONGEST, ScaledRough, damping_unit};
use super::soft::Axis;
use crate::contact::ContactLaw;
use crate::geometry::{Dimension, Vector};

/// Nodes of a piece, evenly spaced.
const NODES: usize = 6;
/// Halvings of the whole range: a kink is left in a piece of a millionth.
const DEPTH: u32 = 20;
/// Pieces at most: usual laws have 10 to 60, one a thousand times as stiff across as along 1,000 at the smallest error.
const MOST: usize = 1024;
/// Share of a table's error that steps of the contacts may make.
const BY_STEPS: f64 = 0.2;
/// Smallest error that a table is built to: resolved contacts are mostly good to a tenth of it. Those that are a hundred or a thousand times as stiff
/// across as along are off by 7e-6 and 2e-5 of friction, those of dampers near the strongest by up to 7e-5.
pub const FINEST: f64 = 1e-6;

/// What comes out of a collision with friction, by the ratio of sliding to approach speed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoughTable {
    restitution: f64,
    duration: f64,
    friction: f64,
    inertia: f64,
    /// Where the pieces begin.
    starts: Vec<f64>,
    pieces: Vec<[f64; NODES]>,
}

/// What no table holds.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum RoughError {
    /// A tolerance that none keeps.
    #[error("the tolerance must be {FINEST:e} or more, not {0:e}")]
    TooFine(f64),
    /// A normal damper that contacts are not followed with.
    #[error(
        "its normal damper is {0:.3e} effective masses over the time of a contact; in collisions at once it may be {STRONGEST:e} at most"
    )]
    Damper(f64),
    /// Tangential impulses that jump from one ratio of sliding to approach speed to the next.
    #[error(
        "its tangential spring or damper is too strong beside the normal spring: collisions at once have no table of less than {MOST} pieces"
    )]
    Tangential,
}

impl RoughTable {
    /// The table of a law for grains of an effective mass (kg), whose moments of inertia are `inertia`
    /// m r^2; only of a linear law with damping that does not go as the mass does the mass matter. The
    /// tangential impulse is kept to `tolerance`, in units of friction times effective mass times
    /// approach speed, at five points within each piece.
    ///
    /// # Errors
    /// What no table holds.
    pub fn build(
        law: &ContactLaw,
        effective_mass: f64,
        inertia: f64,
        tolerance: f64,
    ) -> Result<Self, RoughError> {
        let unit = damping_unit(law, effective_mass, 1.0, 1.0);
        Self::build_at(law, unit, inertia, tolerance)
    }
    /// The same with a [`damping_unit`].
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
            // From the left, so that the pieces come in order.
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

    /// Coulomb's coefficient of its law.
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
    /// Unit vector from the first to the second.
    pub normal: D::Vector,
}

/// Two bodies after a collision with friction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct After<D: Dimension> {
    /// Velocities, m/s.
    pub velocities: [D::Vector; 2],
    /// Spins, rad/s.
    pub spins: [D::Spin; 2],
    /// What the table said.
    pub outcome: Rough,
}

/// Contacts as good as a table of this error asks.
pub(super) fn course(scaled: &ScaledRough, tolerance: f64) -> Course {
    let friction = scaled.friction();
    scaled.course_to(BY_STEPS * tolerance * if friction > 0.0 { friction } else { 1.0 })
}

fn read(axis: &Axis, piece: &[f64; NODES], share: f64) -> f64 {
    let (_, weights) = axis.stencil(share);
    weights.iter().zip(piece).map(|(w, v)| w * v).sum()
}
