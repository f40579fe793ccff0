//! The relative motion of a contact in scaled units, integrated to its end.
//!
//! Lengths are in units of X = v T and times in units of T, the time scale of the law, for the
//! normal approach speed v (Poeschel and Mueller 2013, eqs. 3, 18). With the overlap x in place of
//! the distance r = l - x the problem (eq. 4) reads
//!
//! x'' = -swing / (1 - compression x)^3 - F(x, x'),  x(0) = 0,  x'(0) = 1,
//!
//! with compression = 1 / l and swing = c_phi^2 / l^3: both are regular down to 0, where the
//! spheres are hard and the impact is central, so that tables over them have no singular corner.
//! The line of centres turns at the rate sqrt(swing compression) / (1 - compression x)^2.

use crate::contact::restitution;

use super::resolved::ResolvedError;

/// A force in scaled units: its stiffness is 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ScaledLaw {
    /// c_dis of a linear law; 1.5 a / T of a viscoelastic one.
    pub damping: f64,
    /// Whether the force is proportional to the overlap to the power 1.5.
    pub hertz: bool,
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
    /// A function with the sign of the force that is smooth where the force vanishes.
    fn sense(&self, overlap: f64, rate: f64) -> f64 {
        overlap + self.damping * rate
    }
}

/// The state at the end of contact, in scaled units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct End {
    /// Remaining overlap.
    pub overlap: f64,
    /// Rate of the overlap; negative.
    pub rate: f64,
    /// Angle by which the line of centres turns, over sqrt(swing compression).
    pub turn: f64,
    /// Duration.
    pub time: f64,
}

/// Overlap, its rate, and the angle turned over its initial rate.
type State = [f64; 3];

struct Problem {
    law: ScaledLaw,
    compression: f64,
    swing: f64,
}

impl Problem {
    /// Derivative with respect to s, where t = s^2: a Hertzian force starts as sqrt(t), which is smooth in s.
    fn slope(&self, s: f64, [overlap, rate, _]: State) -> State {
        // A central contact has no angle, and must not evaluate 1 / distance.
        let share = if self.swing > 0.0 {
            1.0 / (1.0 - self.compression * overlap)
        } else {
            1.0
        };
        let centrifugal = self.swing * (share * share * share);
        let per_s = 2.0 * s;
        [
            per_s * rate,
            per_s * (-centrifugal - self.law.force(overlap, rate)),
            per_s * share * share,
        ]
    }

    /// A step of the Dormand-Prince pair: the fifth-order state, and its greatest difference from
    /// the fourth-order one.
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

/// Error per step for results accurate to 1e-10: a contact takes some thousand steps at most.
pub(super) const FINE: f64 = 1e-14;

/// Integrates a contact to its end, with a given error per step. At a swing of exactly 0 the turn
/// is not the limit for small swing: use the least positive number for that.
pub(super) fn solve(
    law: ScaledLaw,
    compression: f64,
    swing: f64,
    tolerance: f64,
) -> Result<End, ResolvedError> {
    // A contact takes about 2 in s: steps this short do not skip its end.
    let longest = if tolerance > FINE { 0.06 } else { 0.02 };
    let problem = Problem {
        law,
        compression,
        swing,
    };
    let (mut s, mut y, mut h) = (0.0, [0.0, 1.0, 0.0], 1e-3);
    for _ in 0..1_000_000 {
        let (next, error) = problem.step(s, y, h);
        if next[0] * compression >= 1.0 && error.is_finite() {
            return Err(ResolvedError::PassThrough);
        }
        let scale = if error > 0.0 {
            0.9 * libm::pow(tolerance / error, 0.2)
        } else {
            5.0
        };
        if error > tolerance {
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
            let [overlap, rate, turn] = problem.step(s, y, hi).0;
            let s = s + hi;
            return Ok(End {
                overlap,
                rate,
                turn,
                time: s * s,
            });
        }
        (s, y) = (s + h, next);
        h = (h * scale.clamp(0.2, 5.0)).min(longest);
    }
    Err(ResolvedError::NoEnd)
}

/// The end of a central contact of the linear law in closed form (Schwager and Poeschel 2007, eqs.
/// 15 to 21); `turn`, which a central contact does not need, is 0.
///
/// With b = damping / 2 the duration of the contact is tau = 2 atan2(w, b) / w, w^2 = 1 - b^2, so that the
/// restitution is exp(-b tau); half of that time passes up to the greatest overlap, exp(-b tau / 2).
pub(super) fn central_linear(damping: f64, compression: f64) -> Result<End, ResolvedError> {
    let b = 0.5 * damping;
    let left = restitution(b);
    if left.sqrt() * compression >= 1.0 {
        return Err(ResolvedError::PassThrough);
    }
    let square = (1.0 - b) * (1.0 + b);
    let time = if square > 1e-5 {
        2.0 * libm::atan2(square.sqrt(), b) / square.sqrt()
    } else {
        // b is near 1 or above: computing the duration from the restitution loses no precision.
        -libm::log(left) / b
    };
    Ok(End {
        overlap: damping * left,
        rate: -left,
        turn: 0.0,
        time,
    })
}
