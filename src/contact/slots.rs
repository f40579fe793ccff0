//! What a law may have beside spring, dashpot and friction: cohesion, plastic loading, resistance to rolling and
//! twisting. Each is a slot; any may be empty.

use serde::{Deserialize, Serialize};

use super::{PairLaw, Rates};

/// The slots of the law of a pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Slots {
    /// Attraction.
    pub cohesion: Option<Cohesion>,
    /// A normal spring that is stiffer when unloaded (linear laws only).
    pub plastic: Option<Plastic>,
    /// Resistance to rolling.
    pub rolling: Option<Resistance>,
    /// Resistance to twisting about the normal (space only).
    pub twisting: Option<Resistance>,
    /// Coulomb's limit is on the tangential spring alone, and the damper acts only while the link sticks, as in some
    /// other programs; otherwise the limit is on the sum.
    pub spring_limited: bool,
}

/// Attraction of two bodies in touch. R is the effective radius, overlap x.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Cohesion {
    /// The same pull at any overlap, N; friction goes with what presses, the pull included.
    Constant(f64),
    /// A pull 2 pi w R, w the work of adhesion, J/m^2 (Derjaguin, Muller and Toporov 1975).
    Dmt(f64),
    /// A pull in proportion to the area 2 pi R x of the circle of contact of two spheres, with this energy density, J/m^3.
    Area(f64),
    /// A pull that lasts while the two part, and falls to zero over a gap of pull over stiffness. The link forms
    /// when they touch.
    Fading {
        /// N.
        pull: f64,
        /// N/m.
        stiffness: f64,
    },
    /// Johnson, Kendall and Roberts 1971, with the work of adhesion, J/m^2; Hertzian laws only. The link forms when
    /// they touch and breaks at a gap; friction is limited by mu (F + 2 F_c) (Thornton 1991).
    Jkr(f64),
}

/// Loading along k1 (the law's normal stiffness), unloading and loading again along k2, and attraction down to
/// -kc x (Walton and Braun 1986; Luding 2008, with one k2 for all loads).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plastic {
    /// k2, N/m; at least k1.
    pub unloading: f64,
    /// kc, N/m.
    pub cohesion: f64,
}

/// Resistance to the turning of two bodies against each other. Its force acts at the effective radius R on the
/// speed v = R (spin_a - spin_b), along the normal for twisting and across for rolling; the moment is R times it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Resistance {
    /// Coefficient: the greatest force over what presses.
    pub friction: f64,
    /// How it comes about.
    pub kind: ResistanceKind,
}

/// How a resistance comes about.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum ResistanceKind {
    /// Its greatest size at once, smoothed: friction times what presses, times v / (|v| + smoothing speed, m/s)
    /// (Zhou et al. 1999, model A).
    Constant(f64),
    /// A spring with a dashpot behind a slider (Iwashita and Oda 1998; Ai et al. 2011, model C).
    Spring {
        /// N/m; none for 2.25 friction^2 times the normal stiffness of now (Ai et al. 2011).
        stiffness: Option<f64>,
        /// N s/m.
        damping: f64,
    },
}

impl Resistance {
    /// Stiffness of the spring over the normal one, where none is given.
    pub fn usual_share(&self) -> f64 {
        2.25 * self.friction * self.friction
    }
}

impl Slots {
    /// Whether none is filled.
    pub fn are_empty(&self) -> bool {
        *self == Slots::default()
    }

    /// Greatest pull of a link of effective radius `radius` (m) at an overlap (m), N; with `jkr` what friction and
    /// resistance see of it.
    fn pull(&self, radius: f64, overlap: f64) -> f64 {
        let tau = std::f64::consts::TAU;
        match self.cohesion {
            None => 0.0,
            Some(Cohesion::Constant(pull) | Cohesion::Fading { pull, .. }) => pull,
            Some(Cohesion::Dmt(work)) => tau * work * radius,
            Some(Cohesion::Area(density)) => tau * density * radius * overlap,
            // Twice the pull-off force.
            Some(Cohesion::Jkr(work)) => 1.5 * tau * work * radius,
        }
    }

    /// Overlap into which cohesion alone draws a link of effective radius `radius` (m), m; infinite where the law
    /// never holds against it.
    pub fn overlap(&self, law: &PairLaw, radius: f64) -> f64 {
        match *law {
            PairLaw::Hertz { young, .. }
            | PairLaw::Viscoelastic { young, .. }
            | PairLaw::Mutze { young, .. } => {
                // 4/3 E sqrt(R) x^1.5 = pull.
                let stiff = 4.0 / 3.0 * young * radius.sqrt();
                match self.cohesion {
                    Some(Cohesion::Jkr(work)) => {
                        libm::cbrt(Jkr::new(work, young).k * radius).powi(4) / radius
                    }
                    Some(Cohesion::Area(_)) => (self.pull(radius, 1.0) / stiff).powi(2),
                    _ => libm::cbrt(self.pull(radius, 0.0) / stiff).powi(2),
                }
            }
            PairLaw::Linear {
                normal_stiffness, ..
            } => match self.cohesion {
                Some(Cohesion::Area(_)) if self.pull(radius, 1.0) >= normal_stiffness => {
                    f64::INFINITY
                }
                Some(Cohesion::Area(_)) => 0.0,
                _ => self.pull(radius, 0.0) / normal_stiffness,
            },
        }
    }

    /// The fastest rates that slots add to those of the law; arguments as there, and the speed of an impact, m/s.
    pub fn rates(
        &self,
        law: &PairLaw,
        inverse_mass: f64,
        radius: f64,
        overlap: f64,
        inertia: f64,
        speed: f64,
    ) -> Rates {
        let normal = law.stiffness(overlap, radius).normal;
        let mut stiffest = self.plastic.map_or(0.0, |p| p.unloading.max(p.cohesion));
        if let Some(Cohesion::Fading { stiffness, .. }) = self.cohesion {
            stiffest = stiffest.max(stiffness);
        }
        let mut rates = Rates {
            frequency: (stiffest * inverse_mass).sqrt(),
            damping: 0.0,
        };
        // The effective radius is less than that of either body.
        let turning = inverse_mass / inertia;
        for resistance in [self.rolling, self.twisting].into_iter().flatten() {
            let Resistance { friction, kind } = resistance;
            let (stiffness, damping) = match kind {
                ResistanceKind::Spring { stiffness, damping } => {
                    let usual = resistance.usual_share() * normal;
                    (stiffness.unwrap_or(usual), damping)
                }
                ResistanceKind::Constant(smoothing) => {
                    let impact = (normal / inverse_mass).sqrt() * speed;
                    let pressing = impact + self.pull(radius, overlap);
                    (0.0, friction * pressing / smoothing)
                }
            };
            rates.frequency = rates.frequency.max((stiffness * turning).sqrt());
            rates.damping = rates.damping.max(damping * turning);
        }
        rates
    }

    /// Gap up to which a link of effective radius `radius` (m) may last, m.
    pub fn reach(&self, law: &PairLaw, radius: f64) -> f64 {
        match self.cohesion {
            Some(Cohesion::Fading { pull, stiffness }) => pull / stiffness,
            Some(Cohesion::Jkr(work)) => match *law {
                PairLaw::Hertz { young, .. } | PairLaw::Viscoelastic { young, .. } => {
                    Jkr::new(work, young).gap(radius)
                }
                _ => 0.0,
            },
            _ => 0.0,
        }
    }
}

/// Adhesion of elastic spheres by the radius a of their contact: x = a^2 / R - k sqrt(a),
/// F = 4/3 E a^3 / R - 2 E k a^1.5, with k = sqrt(2 pi w / E) (Johnson, Kendall and Roberts 1971).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Jkr {
    pub work: f64,
    pub young: f64,
    pub k: f64,
}

impl Jkr {
    pub fn new(work: f64, young: f64) -> Self {
        let k = (2.0 * std::f64::consts::PI * work / young).sqrt();
        Jkr { work, young, k }
    }

    /// Greatest pull 1.5 pi w R, N.
    pub fn pull_off(&self, radius: f64) -> f64 {
        1.5 * std::f64::consts::PI * self.work * radius
    }

    /// Root of the contact radius at which a link breaks: there the overlap is least.
    pub fn least_root(&self, radius: f64) -> f64 {
        libm::cbrt(0.25 * self.k * radius)
    }

    /// Gap at which a link breaks, m.
    pub fn gap(&self, radius: f64) -> f64 {
        let a = self.least_root(radius).powi(2);
        3.0 * a * a / radius
    }

    /// Contact radius at an overlap, m; at the least one where there is none.
    ///
    /// With x_c the gap at which links break and t the root of the contact radius over its least,
    /// t^4 - 4 t = 3 x / x_c. Newton's steps from above: t is under both 1 + sqrt((x / x_c + 1) / 2) and
    /// (3 x / x_c)^(1/4) + 4^(1/3).
    pub fn contact_radius(&self, overlap: f64, radius: f64) -> f64 {
        /// From these starts nothing changes after five.
        const STEPS: usize = 7;
        let least = self.least_root(radius);
        let gap = 3.0 * least * least * least * least / radius;
        let x = (overlap / gap).max(-1.0);
        let near = 1.0 + (0.5 * (x + 1.0)).sqrt();
        let far = (3.0 * x.max(0.0)).sqrt().sqrt() + 1.588;
        let mut t = near.min(far);
        for _ in 0..STEPS {
            let cube = t * t * t;
            let value = cube * t - 4.0 * t - 3.0 * x;
            let slope = 4.0 * cube - 4.0;
            t = (t - value / slope.max(1e-12)).max(1.0);
        }
        let root = least * t;
        root * root
    }

    /// Work done by the pair from contact radius 0 to a, J.
    fn energy_of(&self, a: f64, radius: f64) -> f64 {
        let (e, k, r) = (self.young, self.k, radius);
        let root = a.sqrt();
        8.0 / 15.0 * e / (r * r) * a.powi(5) - 4.0 / 3.0 * e * k / r * a.powi(3) * root
            + 0.5 * e * k * k * a * a
    }

    /// Energy stored at a contact radius, J, told from the moment of touch (overlap 0).
    pub fn stored(&self, a: f64, radius: f64) -> f64 {
        let touch = libm::cbrt(self.k * radius).powi(2);
        self.energy_of(a, radius) - self.energy_of(touch, radius)
    }
}
