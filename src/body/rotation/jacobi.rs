//! Jacobi's elliptic functions and Legendre's integral of the first kind.

/// Number of iterations of the arithmetic-geometric mean: it converges quadratically, for any double in nine.
const ROUNDS: usize = 16;

/// The functions sn, cn, dn at one argument.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jacobi {
    /// sine of the amplitude
    pub sn: f64,
    /// cosine of the amplitude
    pub cn: f64,
    /// derivative of the amplitude
    pub dn: f64,
}

impl Jacobi {
    /// Returns the functions at the argument `u` with the complementary parameter `rest` = 1 - m, 0 to 1, by
    /// descending Landen transformations (Abramowitz and Stegun 1964, 16.4). Using 1 - m keeps the digits of
    /// parameters close to 1.
    pub fn new(u: f64, rest: f64) -> Self {
        if rest <= 0.0 {
            let cn = 1.0 / libm::cosh(u);
            return Self {
                sn: libm::tanh(u),
                cn,
                dn: cn,
            };
        }
        let (mut a, mut b) = (1.0, rest.min(1.0).sqrt());
        let mut ratios = [0.0; ROUNDS];
        let mut rounds = 0;
        let mut scale = 1.0;
        while rounds < ROUNDS && (a - b).abs() > f64::EPSILON * a {
            let c = 0.5 * (a - b);
            (a, b) = (0.5 * (a + b), (a * b).sqrt());
            ratios[rounds] = c / a;
            rounds += 1;
            scale *= 2.0;
        }
        let mut angle = scale * a * u;
        for &ratio in ratios[..rounds].iter().rev() {
            angle = 0.5 * (angle + libm::asin(ratio * libm::sin(angle)));
        }
        let (sn, cn) = (libm::sin(angle), libm::cos(angle));
        // cn^2 + (1 - m) sn^2 keeps the digits that 1 - m sn^2 would lose.
        Self {
            sn,
            cn,
            dn: (cn * cn + rest * sn * sn).sqrt(),
        }
    }
}

/// Returns the complete integral K for the complementary parameter 1 - m; infinite at 0.
pub fn complete_integral(rest: f64) -> f64 {
    if rest <= 0.0 {
        return f64::INFINITY;
    }
    let (mut a, mut b) = (1.0, rest.sqrt());
    for _ in 0..ROUNDS {
        if (a - b).abs() <= f64::EPSILON * a {
            break;
        }
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    std::f64::consts::PI / (a + b)
}

/// Returns the integral F up to an amplitude (rad) for the complementary parameter 1 - m, from Carlson's R_F (Carlson
/// 1979, Numer. Math. 33, 1).
pub fn incomplete_integral(amplitude: f64, rest: f64) -> f64 {
    let half_turns = (amplitude / std::f64::consts::PI).round();
    let angle = amplitude - half_turns * std::f64::consts::PI;
    let (sine, cosine) = (libm::sin(angle), libm::cos(angle));
    let square = cosine * cosine;
    let part = sine * carlson(square, square + rest * sine * sine, 1.0);
    if half_turns == 0.0 {
        return part;
    }
    part + 2.0 * half_turns * complete_integral(rest)
}

/// Returns Carlson's symmetric integral R_F by duplication.
fn carlson(mut x: f64, mut y: f64, mut z: f64) -> f64 {
    // The final series neglects the sixth power of the spread: 1e-18 at 1e-3.
    for _ in 0..40 {
        let mean = (x + y + z) / 3.0;
        let spread = (x - mean).abs().max((y - mean).abs()).max((z - mean).abs());
        if spread < 1e-3 * mean {
            break;
        }
        let (a, b, c) = (x.sqrt(), y.sqrt(), z.sqrt());
        let shift = a * b + b * c + c * a;
        x = 0.25 * (x + shift);
        y = 0.25 * (y + shift);
        z = 0.25 * (z + shift);
    }
    let mean = (x + y + z) / 3.0;
    let (p, q) = (1.0 - x / mean, 1.0 - y / mean);
    let r = -(p + q);
    let (second, third) = (p * q - r * r, p * q * r);
    (1.0 + second * (second / 24.0 - 0.1 - 3.0 * third / 44.0) + third / 14.0) / mean.sqrt()
}
