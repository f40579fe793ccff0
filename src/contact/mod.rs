//! Contact laws: the force of a link from overlap, velocity and history.

pub mod calibrate;
mod composed;
pub mod curved;
mod law;
mod restitution;
mod slots;
mod stiffness;

pub use composed::{Composed, Composite};
pub use law::{AnyLaw, Contact, Hertz, Law, Linear, LinearPerMass, Mutze, Response, Viscoelastic};
pub(crate) use law::{with_law, with_plain_law};
pub use restitution::{damping_ratio, restitution};
pub use slots::{Cohesion, Plastic, Resistance, ResistanceKind, Slots};
pub use stiffness::{Rates, Stiffness};

use serde::{Deserialize, Serialize};

/// The law of a pair of materials.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum PairLaw {
    /// Linear spring and dashpot (thesis 5.5.2; Cundall and Strack 1979).
    Linear {
        /// Normal stiffness kn, N/m.
        normal_stiffness: f64,
        /// Tangential stiffness kt, N/m.
        tangential_stiffness: f64,
        /// Normal damping cn, N s/m; times the effective mass when `per_mass`, then 1/s.
        normal_damping: f64,
        /// Tangential damping ct, likewise.
        tangential_damping: f64,
        /// Friction coefficient.
        friction: f64,
        /// Whether the damping coefficients are multiplied by the effective mass.
        per_mass: bool,
    },
    /// Hertz normal force with Mindlin's tangential stiffness and damping by restitution.
    Hertz {
        /// Effective Young's modulus E*, Pa.
        young: f64,
        /// Effective shear modulus G*, Pa.
        shear: f64,
        /// Damping ratio beta >= 0: [`damping_ratio()`] of the restitution coefficient.
        damping_ratio: f64,
        /// Friction coefficient.
        friction: f64,
    },
    /// Viscoelastic spheres: Hertz's normal force and a dissipative one that is `dissipation` times
    /// the rate of the elastic force (Brilliantov, Spahn, Hertzsch and Poeschel 1996); slow impacts
    /// lose less. Tangential stiffness is Mindlin's, its damper that of the same time.
    Viscoelastic {
        /// Effective Young's modulus E*, Pa.
        young: f64,
        /// Effective shear modulus G*, Pa.
        shear: f64,
        /// Dissipation constant, s.
        dissipation: f64,
        /// Friction coefficient.
        friction: f64,
    },
    /// Polyspherical grains (Mutze 2006, eqs. 53 to 57): Hertz's normal force, reduced while the two part, and
    /// friction against the sliding that goes through zero with its speed. No tangential spring.
    Mutze {
        /// Effective Young's modulus E*, Pa.
        young: f64,
        /// The share of the force that is left while the two part: the square of the restitution
        /// coefficient.
        unloading: f64,
        /// Friction coefficient.
        friction: f64,
        /// Sliding speed at which friction has half its size, m/s.
        smoothing: f64,
    },
}

/// The laws of all pairs of materials.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LawTable {
    /// Number of materials.
    pub materials: usize,
    /// Row-major, symmetric; none where no pair of the scenario needs it.
    pub laws: Vec<Option<PairLaw>>,
    /// What laws have beside, in the same order.
    pub slots: Vec<Slots>,
}

impl LawTable {
    /// A table without laws.
    pub fn new(materials: usize) -> Self {
        LawTable {
            materials,
            laws: vec![None; materials * materials],
            slots: vec![Slots::default(); materials * materials],
        }
    }
    /// Sets the law of a pair, both ways.
    pub fn set(&mut self, a: u16, b: u16, law: PairLaw) {
        let n = self.materials;
        self.laws[usize::from(a) * n + usize::from(b)] = Some(law);
        self.laws[usize::from(b) * n + usize::from(a)] = Some(law);
    }
    /// Fills the slots of the law of a pair, both ways.
    pub fn set_slots(&mut self, a: u16, b: u16, slots: Slots) {
        let n = self.materials;
        self.slots[usize::from(a) * n + usize::from(b)] = slots;
        self.slots[usize::from(b) * n + usize::from(a)] = slots;
    }
    /// What the law of a pair has beside spring, dashpot and friction.
    pub fn slots(&self, a: u16, b: u16) -> Slots {
        self.slots[usize::from(a) * self.materials + usize::from(b)]
    }
    /// Whether any law has slots.
    pub fn composed(&self) -> bool {
        self.slots.iter().any(|slots| !slots.are_empty())
    }
    /// The law of a pair.
    pub fn get(&self, a: u16, b: u16) -> Option<&PairLaw> {
        self.laws[usize::from(a) * self.materials + usize::from(b)].as_ref()
    }
}
