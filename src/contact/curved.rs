//! Reduces Hertz's contact of a ball with a curved wall to that of a ball of another radius with a flat wall.
//!
//! Two bodies touch in an ellipse whose shape depends on the ratio of the greatest to the least curvature between
//! them (Johnson, Contact Mechanics, 1985, section 4.2). With semi-axes a >= b, e^2 = 1 - b^2 / a^2 and the complete
//! elliptic integrals K and E of modulus e, the relative curvatures are in the ratio
//!
//! least / greatest = (K - E) / (E a^2 / b^2 - K),
//!
//! and an overlap d needs the force 4/3 E* sqrt(R) d^1.5 of a ball of the radius
//!
//! R = pi^2 (K - E) / (2 e^2 K^3) / least
//!
//! on a flat wall. If both curvatures are equal, R is their inverse.

use std::sync::OnceLock;

/// The least relative curvature, times the radius of the ball. In a hollow as narrow as the ball itself the two touch
/// all around and Hertz's theory does not apply: such a hollow counts as wider by a hundredth.
pub const LEAST: f64 = 0.01;
/// The greatest relative curvature: at a sharper edge the ellipse would be wider than the edge.
const GREATEST: f64 = 100.0;
/// Number of table entries.
const PLACES: usize = 256;

/// Returns the curvature that makes a flat wall equivalent to one with the given principal curvatures (1/m, positive
/// where the wall bulges towards the ball): the curvature k with which a ball of radius r has the effective radius r
/// / (1 + k r).
pub fn equivalent(radius: f64, [first, second]: [f64; 2]) -> f64 {
    if first == 0.0 && second == 0.0 {
        return 0.0;
    }
    let relative = |curvature: f64| 1.0 + curvature * radius;
    let (a, b) = (relative(first), relative(second));
    if first == second {
        // Equal curvatures, also for much smaller grains: the contact is round.
        return if a < LEAST {
            (LEAST - 1.0) / radius
        } else {
            first
        };
    }
    let (a, b) = (a.clamp(LEAST, GREATEST), b.clamp(LEAST, GREATEST));
    let mean = (a * b).sqrt();
    (mean * narrowing(a.min(b) / a.max(b)) - 1.0) / radius
}

/// Returns the effective radius of a ball at a wall with principal curvatures, m.
pub fn effective_radius(radius: f64, curvatures: [f64; 2]) -> f64 {
    radius / (1.0 + equivalent(radius, curvatures) * radius)
}

/// Returns the radius sqrt(R' R'') of the mean curvature over the effective radius, by the ratio of the least to the
/// greatest relative curvature.
fn narrowing(ratio: f64) -> f64 {
    static TABLE: OnceLock<Vec<f64>> = OnceLock::new();
    let table = TABLE.get_or_init(table);
    let place = -libm::log(ratio) / spacing();
    if place <= 0.0 {
        return 1.0;
    }
    let cell = (place.floor() as usize).min(PLACES - 2);
    let t = place - cell as f64;
    // The function is even about equal curvatures.
    let before = table[if cell == 0 { 1 } else { cell - 1 }];
    let [low, high, after] = [table[cell], table[cell + 1], table[cell + 2]];
    // Interpolation through four entries.
    let (p, q, r) = (t + 1.0, t - 1.0, t - 2.0);
    -t * q * r / 6.0 * before + p * q * r / 2.0 * low - p * t * r / 2.0 * high
        + p * t * q / 6.0 * after
}

/// Returns the spacing of the logarithms of the ratio.
fn spacing() -> f64 {
    libm::log(GREATEST / LEAST) / (PLACES - 1) as f64
}

fn table() -> Vec<f64> {
    let place = |k: usize| {
        if k == 0 {
            return 1.0;
        }
        let ratio = libm::exp(-spacing() * k as f64);
        // b / a grows with the ratio.
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..100 {
            let middle = 0.5 * (low + high);
            if middle <= low || middle >= high {
                break;
            }
            if Ellipse::of(middle).ratio < ratio {
                low = middle;
            } else {
                high = middle;
            }
        }
        let ellipse = Ellipse::of(0.5 * (low + high));
        ratio.sqrt() / ellipse.radius
    };
    // One entry more than needed, for the last cell.
    (0..=PLACES).map(place).collect()
}

/// An ellipse of contact.
struct Ellipse {
    /// Least over greatest relative curvature.
    ratio: f64,
    /// Effective radius times the least relative curvature.
    radius: f64,
}

impl Ellipse {
    /// Returns the ellipse with the axis ratio b / a.
    fn of(axes: f64) -> Self {
        // By arithmetic and geometric means: K = pi / (2 mean), E = K (1 - s).
        let square = (1.0 - axes) * (1.0 + axes);
        let (mut a, mut b, mut c) = (1.0, axes, square.sqrt());
        let (mut s, mut weight) = (0.5 * square, 0.5);
        while c > 1e-9 * a {
            (a, b, c) = (0.5 * (a + b), (a * b).sqrt(), 0.5 * (a - b));
            weight *= 2.0;
            s += weight * c * c;
        }
        let k = std::f64::consts::FRAC_PI_2 / (0.5 * (a + b));
        let pi = std::f64::consts::PI;
        Ellipse {
            ratio: s * axes * axes / (square - s),
            radius: pi * pi * s / (2.0 * square * k * k),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns K and E by sums over the angle, which converge faster than any power for periodic functions.
    fn integrals(axes: f64) -> [f64; 2] {
        let n = 4000;
        let mut sums = [0.0; 2];
        for k in 0..n {
            let angle = (f64::from(k) + 0.5) / f64::from(n) * std::f64::consts::FRAC_PI_2;
            let (sine, cosine) = libm::sincos(angle);
            let root = (cosine * cosine + axes * axes * sine * sine).sqrt();
            sums[0] += 1.0 / root;
            sums[1] += root;
        }
        sums.map(|sum| sum * std::f64::consts::FRAC_PI_2 / f64::from(n))
    }

    /// Compares the table with Johnson's formulas (4.26 to 4.32), with independent integrals.
    #[test]
    fn ellipses_are_those_of_hertz() {
        for axes in [0.02, 0.1, 0.3, 0.5, 0.8, 0.95, 0.999] {
            let [k, e] = integrals(axes);
            let square = 1.0 - axes * axes;
            let ratio = (k - e) / (e / (axes * axes) - k);
            let least = 0.7;
            let greatest = least / ratio;
            let pi = std::f64::consts::PI;
            let want = pi * pi * (k - e) / (2.0 * square * k * k * k) / least;
            // A ball of radius 1 against the wall that gives these relative curvatures.
            let got = effective_radius(1.0, [greatest - 1.0, least - 1.0]);
            let other = effective_radius(1.0, [least - 1.0, greatest - 1.0]);
            assert_eq!(got, other);
            if greatest <= GREATEST {
                assert!((got / want - 1.0).abs() < 1e-6, "{axes}: {got} {want}");
            }
        }
    }

    /// Round walls are exact, flat ones change no bit, and hollows as narrow as the ball are limited.
    #[test]
    fn round_flat_and_narrow_walls() {
        assert_eq!(equivalent(0.3, [0.0, 0.0]), 0.0);
        assert_eq!(equivalent(0.3, [1.7, 1.7]), 1.7);
        assert_eq!(equivalent(0.3, [-1.7, -1.7]), -1.7);
        for curvature in [-1.0 / 0.3, -4.0, -100.0] {
            let both = effective_radius(0.3, [curvature; 2]);
            assert!((both - 0.3 / LEAST).abs() < 1e-12 * both);
            let one = effective_radius(0.3, [curvature, 0.0]);
            assert!(one > 0.3 && one < both, "{one}");
        }
        // Nearly equal curvatures are close to equal ones.
        let near = equivalent(1.0, [0.5, 0.5 + 1e-6]);
        assert!((near - 0.5).abs() < 1e-5, "{near}");
    }
}
