//! One frictionless contact of two spheres, followed from touch to separation.
//!
//! The relative motion is a planar one: overlap, rotation of the line of centres, conserved angular
//! momentum (Poeschel and Mueller 2013, eq. 4). It is solved in scaled units, in which every law
//! has stiffness 1 and approach speed 1 (eqs. 18, 19), by the Dormand-Prince method of fifth order
//! with error control (Dormand and Prince 1980). The contact ends where the force vanishes while
//! the spheres separate (eq. 7; Schwager and Poeschel 2007): before the overlap does when damping
//! would pull.

use serde::{Deserialize, Serialize};

/// The force of a frictionless contact, as a function of the overlap x and its rate x'.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum ForceLaw {
    /// kn x + cn x'.
    Linear {
        /// Stiffness, N/m.
        kn: f64,
        /// Damping, N s/m.
        cn: f64,
    },
    /// kh x^1.5 (Hertz 1882).
    Hertz {
        /// Stiffness, N/m^1.5.
        kh: f64,
    },
    /// kh (x^1.5 + 1.5 a sqrt(x) x') (Brilliantov, Spahn, Hertzsch and Poeschel 1996).
    Viscoelastic {
        /// Stiffness, N/m^1.5.
        kh: f64,
        /// Dissipation constant, s.
        a: f64,
    },
}

impl ForceLaw {
    /// The time by which contacts of this law scale, s: sqrt(m / kn), or (m / kh)^0.4 v^-0.2 for
    /// the effective mass m and the normal approach speed v.
    pub fn time_scale(&self, effective_mass: f64, approach: f64) -> f64 {
        match *self {
            ForceLaw::Linear { kn, .. } => (effective_mass / kn).sqrt(),
            ForceLaw::Hertz { kh } | ForceLaw::Viscoelastic { kh, .. } => {
                libm::pow(effective_mass / kh, 0.4) * libm::pow(approach, -0.2)
            }
        }
    }
    /// Its damping in scaled units, and whether the force goes as the overlap to 1.5.
    fn scaled(&self, effective_mass: f64, time: f64) -> ScaledLaw {
        match *self {
            ForceLaw::Linear { cn, .. } => ScaledLaw {
                damping: cn * time / effective_mass,
                hertz: false,
            },
            ForceLaw::Hertz { .. } => ScaledLaw {
                damping: 0.0,
                hertz: true,
            },
            ForceLaw::Viscoelastic { a, .. } => ScaledLaw {
                damping: 1.5 * a / time,
                hertz: true,
            },
        }
    }
}

/// What a contact does to the relative motion (Poeschel and Mueller 2013, eq. 10).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mapping {
    /// Distance of the centres at the end over that at the start.
    pub eps_r: f64,
    /// Angle by which the line of centres turned, rad, in the sense of the orbital motion.
    pub eps_phi: f64,
    /// Rate of the distance at the end over that at the start; negative.
    pub eps_rdot: f64,
    /// Duration in units of the law's time scale.
    pub tau: f64,
}

/// Why a contact has no end state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ResolvedError {
    /// The centres meet.
    #[error("the law is too soft for this approach: the grains would pass through each other")]
    PassThrough,
    /// More steps than could make sense.
    #[error(
        "the contact did not end within a million steps; its damping or its speed is beyond reason"
    )]
    NoEnd,
}

#[derive(Clone, Copy, Debug)]
struct ScaledLaw {
    damping: f64,
    hertz: bool,
}

impl ScaledLaw {
    fn force(&self, overlap: f64, rate: f64) -> f64 {
        if !self.hertz {
            overlap + self.damping * rate
        } else if overlap > 0.0 {
            overlap.sqrt() * (overlap + self.damping * rate)
        } else {
            0.0
        }
    }
    /// Has the sign of the force, and stays smooth where the force vanishes.
    fn sense(&self, overlap: f64, rate: f64) -> f64 {
        overlap + self.damping * rate
    }
}

/// The mapping of a contact of two spheres that just touch: distance of the centres `reach` (m),
/// normal approach speed and tangential relative speed (m/s).
pub fn collide(
    law: &ForceLaw,
    effective_mass: f64,
    reach: f64,
    approach: f64,
    tangential: f64,
) -> Result<Mapping, ResolvedError> {
    let time = law.time_scale(effective_mass, approach);
    let reach = reach / (approach * time);
    solve(
        law.scaled(effective_mass, time),
        reach,
        reach * tangential / approach,
    )
}

/// The mapping of the scaled linear-dashpot problem (Poeschel and Mueller 2013, eqs. 19, 20).
pub fn scaled_linear(reach: f64, c_phi: f64, c_dis: f64) -> Result<Mapping, ResolvedError> {
    let law = ScaledLaw {
        damping: c_dis,
        hertz: false,
    };
    solve(law, reach, c_phi)
}

/// Overlap, its rate, and the turned angle over its initial rate.
type State = [f64; 3];

struct Problem {
    law: ScaledLaw,
    reach: f64,
    c_phi: f64,
}

impl Problem {
    /// Derivative by s, where t = s^2: a Hertzian force starts as sqrt(t), which is smooth in s.
    fn slope(&self, s: f64, [overlap, rate, _]: State) -> State {
        if self.c_phi == 0.0 {
            // A central collision has no angle, and must not look at 1 / distance.
            return [
                2.0 * s * rate,
                -2.0 * s * self.law.force(overlap, rate),
                0.0,
            ];
        }
        let share = self.reach / (self.reach - overlap);
        let turn = self.c_phi / (self.reach * self.reach) * share * share;
        let centrifugal = turn * turn * (self.reach - overlap);
        let per_s = 2.0 * s;
        [
            per_s * rate,
            per_s * (-centrifugal - self.law.force(overlap, rate)),
            per_s * share * share,
        ]
    }

    /// A step of the Dormand-Prince pair: the state of fifth order, and its greatest difference from
    /// that of fourth.
    fn step(&self, s: f64, y: State, h: f64) -> (State, f64) {
        const A: [[f64; 6]; 6] = [
            [1.0 / 5.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            [3.0 / 40.0, 9.0 / 40.0, 0.0, 0.0, 0.0, 0.0],
            [44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0, 0.0, 0.0, 0.0],
            [
                19372.0 / 6561.0,
                -25360.0 / 2187.0,
                64448.0 / 6561.0,
                -212.0 / 729.0,
                0.0,
                0.0,
            ],
            [
                9017.0 / 3168.0,
                -355.0 / 33.0,
                46732.0 / 5247.0,
                49.0 / 176.0,
                -5103.0 / 18656.0,
                0.0,
            ],
            [
                35.0 / 384.0,
                0.0,
                500.0 / 1113.0,
                125.0 / 192.0,
                -2187.0 / 6784.0,
                11.0 / 84.0,
            ],
        ];
        const C: [f64; 6] = [0.2, 0.3, 0.8, 8.0 / 9.0, 1.0, 1.0];
        const E: [f64; 7] = [
            71.0 / 57600.0,
            0.0,
            -71.0 / 16695.0,
            71.0 / 1920.0,
            -17253.0 / 339_200.0,
            22.0 / 525.0,
            -1.0 / 40.0,
        ];
        let mut k = [self.slope(s, y); 7];
        let mut end = y;
        for (i, (row, c)) in A.iter().zip(C).enumerate() {
            end = y;
            for (weight, k) in row.iter().zip(&k[..=i]) {
                for (e, k) in end.iter_mut().zip(k) {
                    *e += h * weight * k;
                }
            }
            k[i + 1] = self.slope(s + c * h, end);
        }
        let mut error: f64 = 0.0;
        for component in 0..3 {
            let sum: f64 = E.iter().zip(&k).map(|(e, k)| e * k[component]).sum();
            error = error.max((h * sum).abs());
        }
        (
            end,
            if end.iter().all(|v| v.is_finite()) {
                error
            } else {
                f64::INFINITY
            },
        )
    }

    /// Whether the contact is over: the spheres separate and the force is not positive.
    fn is_over(&self, y: State) -> bool {
        y[1] < 0.0 && self.law.sense(y[0], y[1]) <= 0.0
    }
}

fn solve(law: ScaledLaw, reach: f64, c_phi: f64) -> Result<Mapping, ResolvedError> {
    /// Error of one step; a contact takes some thousand steps at most, so 1e-10 is kept in all.
    const TOLERANCE: f64 = 1e-14;
    let problem = Problem { law, reach, c_phi };
    let (mut s, mut y, mut h) = (0.0, [0.0, 1.0, 0.0], 1e-3);
    for _ in 0..1_000_000 {
        let (next, error) = problem.step(s, y, h);
        if next[0] >= reach && error.is_finite() {
            return Err(ResolvedError::PassThrough);
        }
        let scale = if error > 0.0 {
            0.9 * libm::pow(TOLERANCE / error, 0.2)
        } else {
            5.0
        };
        if error > TOLERANCE {
            h *= scale.clamp(0.1, 0.9);
            continue;
        }
        if problem.is_over(next) {
            let (mut lo, mut hi) = (0.0, h);
            while hi - lo > 1e-16 * (s + h) {
                let middle = 0.5 * (lo + hi);
                if middle <= lo || middle >= hi {
                    break;
                }
                if problem.is_over(problem.step(s, y, middle).0) {
                    hi = middle;
                } else {
                    lo = middle;
                }
            }
            let end = problem.step(s, y, hi).0;
            let s = s + hi;
            return Ok(Mapping {
                eps_r: (reach - end[0]) / reach,
                eps_phi: c_phi / (reach * reach) * end[2],
                eps_rdot: end[1],
                tau: s * s,
            });
        }
        (s, y) = (s + h, next);
        h = (h * scale.clamp(0.2, 5.0)).min(0.02);
    }
    Err(ResolvedError::NoEnd)
}
