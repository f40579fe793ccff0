//! Special functions for the statistics that `libm` lacks.

use std::f64::consts::{FRAC_1_SQRT_2, PI, SQRT_2};

use special::Error;

/// B_2j / (2j)! for j = 1..=8: the coefficients of the Euler-Maclaurin formula.
const BERNOULLI: [f64; 8] = [
    1.0 / 12.0,
    -1.0 / 720.0,
    1.0 / 30_240.0,
    -1.0 / 1_209_600.0,
    1.0 / 47_900_160.0,
    -691.0 / 1_307_674_368_000.0,
    1.0 / 74_724_249_600.0,
    -3617.0 / 10_670_622_842_880_000.0,
];

/// Returns q^s zeta(s, q) with its first and second derivative by s, the powers being those of (q + k) / q.
///
/// The factor prevents underflow of steep laws with a large start. Terms are added one by one up to an index beyond
/// which the Euler-Maclaurin series is accurate to 1e-15 (Abramowitz & Stegun 1964, 23.1.30). Needs s > 1, q > 0.
pub fn scaled_zeta(s: f64, q: f64) -> [f64; 3] {
    zeta_series::<true>(s, q)
}

/// Returns q^s zeta(s, q): the first value of [`scaled_zeta`], bit by bit, without the effort for the others.
pub fn scaled_zeta_value(s: f64, q: f64) -> f64 {
    zeta_series::<false>(s, q)[0]
}

fn zeta_series<const DERIVATIVES: bool>(s: f64, q: f64) -> [f64; 3] {
    let mut sum = [0.0; 3];
    // A term t with (ln t)' = slope and (ln t)'' = bend; returns whether it counts.
    let mut add = |t: f64, slope: f64, bend: f64| {
        let before = sum;
        sum[0] += t;
        if DERIVATIVES {
            sum[1] += t * slope;
            sum[2] += t * (slope * slope + bend);
        }
        sum != before
    };
    let reach = 10.0 + 0.5 * s;
    let mut a = q;
    while a < reach {
        let log = libm::log(a / q);
        add(libm::exp(-s * log), -log, 0.0);
        a += 1.0;
    }
    let (log, power) = if a == q {
        (0.0, 1.0)
    } else {
        let log = libm::log(a / q);
        (log, libm::exp(-s * log))
    };
    let pole = 1.0 / (s - 1.0);
    add(a * power * pole, -log - pole, pole * pole);
    add(0.5 * power, -log, 0.0);
    // s (s+1) ... (s+2j-2) a^(1-2j), with the derivatives of its logarithm.
    let (mut rising, mut slope, mut bend) = (s / a, 1.0 / s - log, -1.0 / (s * s));
    for (j, c) in BERNOULLI.iter().enumerate() {
        // Terms decrease: after one that is lost in the last bit, so are all.
        if !add(c * rising * power, slope, bend) {
            break;
        }
        for k in [2 * j + 1, 2 * j + 2] {
            let factor = s + k as f64;
            rising *= factor / a;
            if DERIVATIVES {
                slope += 1.0 / factor;
                bend -= 1.0 / (factor * factor);
            }
        }
    }
    sum
}

/// Returns the zeta function of Hurwitz, the sum of (q + k)^-s over k = 0, 1, ... Needs s > 1, q > 0.
pub fn hurwitz_zeta(s: f64, q: f64) -> f64 {
    scaled_zeta_value(s, q) * libm::pow(q, -s)
}

/// Levels of the continued fraction of [`mills_excess`]: enough for 1e-15 above [`FAR`].
const LEVELS: u32 = 80;
/// Standard deviations above which the continued fraction is used.
const FAR: f64 = 5.0;

/// Returns ln(Q / phi): the logarithm of the ratio of Mills, upper tail over density of the normal law.
pub fn ln_mills(z: f64) -> f64 {
    if z > FAR {
        let (d, _) = mills_excess(z);
        return -libm::log(z + d);
    }
    libm::log(0.5 * libm::erfc(z * FRAC_1_SQRT_2)) + 0.5 * z * z + 0.5 * libm::log(2.0 * PI)
}

/// Returns, for a standard normal u above z, the mean of u - z and the mean of (u - z)^2, without the cancellation of
/// the textbook forms h - z and 1 - z (h - z) at large z.
pub fn mills_excess(z: f64) -> (f64, f64) {
    if z > FAR {
        let mut tail = z;
        for k in (3..LEVELS).rev() {
            tail = z + f64::from(k) / tail;
        }
        let e = 2.0 / tail;
        let d = 1.0 / (z + e);
        return (d, e * d);
    }
    let d = libm::exp(-ln_mills(z)) - z;
    (d, 1.0 - z * d)
}

/// Returns the regularised incomplete beta function I_x(a, b) by its continued fraction (Abramowitz & Stegun 1964,
/// 26.5.8), evaluated by the method of Lentz.
pub fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - incomplete_beta(b, a, 1.0 - x);
    }
    let lead = libm::lgamma(a + b) - libm::lgamma(a) - libm::lgamma(b)
        + a * libm::log(x)
        + b * libm::log1p(-x);
    let guard = |v: f64| if v.abs() < 1e-300 { 1e-300 } else { v };
    let mut c = 1.0;
    let mut d = 1.0 / guard(1.0 - (a + b) * x / (a + 1.0));
    let mut value = d;
    for m in 1..500 {
        let m = f64::from(m);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut ratio = 1.0;
        for term in [even, odd] {
            d = 1.0 / guard(1.0 + term * d);
            c = guard(1.0 + term / c);
            ratio = c * d;
            value *= ratio;
        }
        if (ratio - 1.0).abs() < 1e-15 {
            break;
        }
    }
    libm::exp(lead) * value / a
}

/// Returns the probability that Student's t with `freedom` degrees of freedom (any number above 0) exceeds `t`.
pub fn student_tail(t: f64, freedom: f64) -> f64 {
    let half = 0.5 * incomplete_beta(0.5 * freedom, 0.5, freedom / (freedom + t * t));
    if t >= 0.0 { half } else { 1.0 - half }
}

/// Returns the quantile of Student's t: the value not exceeded with probability `p`, 0 < p < 1.
pub fn student_quantile(p: f64, freedom: f64) -> f64 {
    if p < 0.5 {
        return -student_quantile(1.0 - p, freedom);
    }
    let tail = 1.0 - p;
    let (mut low, mut high) = (0.0, 1.0);
    while student_tail(high, freedom) > tail && high < 1e300 {
        (low, high) = (high, 2.0 * high);
    }
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if student_tail(middle, freedom) > tail {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

/// Returns the quantile of the standard normal: the value not exceeded with probability `p`, 0 < p < 1.
pub fn normal_quantile(p: f64) -> f64 {
    SQRT_2 * (2.0 * p - 1.0).inv_error()
}
