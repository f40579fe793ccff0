//! Binomial random numbers for any count up to 2^53, with the same bits on every machine.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Draws from the binomial law: the number of successes in `count` trials, each with probability `p`.
pub(super) fn binomial(count: u64, p: f64, random: &mut ChaCha8Rng) -> u64 {
    if count == 0 || p <= 0.0 {
        return 0;
    }
    if p >= 1.0 {
        return count;
    }
    if p > 0.5 {
        return count - binomial(count, 1.0 - p, random);
    }
    if count as f64 * p < 10.0 {
        by_inversion(count, p, random)
    } else {
        by_rejection(count, p, random)
    }
}

/// Adds up the probabilities of 0, 1, 2, ... until a uniform number is exceeded.
fn by_inversion(count: u64, p: f64, random: &mut ChaCha8Rng) -> u64 {
    let odds = p / (1.0 - p);
    let none = libm::exp(count as f64 * libm::log1p(-p));
    // Rounding may leave the sum below a uniform number next to 1: then draws again.
    loop {
        let mut left: f64 = random.random();
        let mut term = none;
        for happened in 0..=count.min(200) {
            if left < term {
                return happened;
            }
            left -= term;
            term *= odds * (count - happened) as f64 / (happened + 1) as f64;
        }
    }
}

/// Transformed rejection with a squeeze (Hormann 1993, algorithm BTRS): needs count p >= 10.
fn by_rejection(count: u64, p: f64, random: &mut ChaCha8Rng) -> u64 {
    let n = count as f64;
    let spread = (n * p * (1.0 - p)).sqrt();
    let b = 1.15 + 2.53 * spread;
    let a = -0.0873 + 0.0248 * b + 0.01 * p;
    let c = n * p + 0.5;
    let sure = 0.92 - 4.2 / b;
    let alpha = (2.83 + 5.1 / b) * spread;
    let mode = ((n + 1.0) * p).floor();
    loop {
        let u = random.random::<f64>() - 0.5;
        let v: f64 = random.random();
        let us = 0.5 - u.abs();
        let k = ((2.0 * a / us + b) * u + c).floor();
        if us >= 0.07 && v <= sure {
            return k as u64;
        }
        if !(0.0..=n).contains(&k) {
            continue;
        }
        let v = v * alpha / (a / (us * us) + b);
        if libm::log(v) <= ln_ratio(n, p, k, mode) {
            return k as u64;
        }
    }
}

/// Returns ln P(k) / P(mode) by Stirling's series about both, in a form that loses no digits when the count exceeds
/// 1e10 and k is near the mode: all logarithms are of ratios near 1.
fn ln_ratio(n: f64, p: f64, k: f64, mode: f64) -> f64 {
    let moved = k - mode;
    // (n - k + 1) p / ((k + 1) (1 - p)) is near 1 about the mode.
    let step = libm::log((n - k + 1.0) / (k + 1.0) * (p / (1.0 - p)));
    let happened = (mode + 0.5) * libm::log1p(-moved / (k + 1.0));
    let others = (n - mode + 0.5) * libm::log1p(moved / (n - k + 1.0));
    let rest = correction(mode) + correction(n - mode) - correction(k) - correction(n - k);
    happened + others + moved * step + rest
}

/// ln k! less its first Stirling terms, (k + 1/2) ln (k + 1) - (k + 1) + ln(2 pi) / 2.
fn correction(k: f64) -> f64 {
    const SMALL: [f64; 10] = [
        0.081_061_466_795_327_26,
        0.041_340_695_955_409_29,
        0.027_677_925_684_998_34,
        0.020_790_672_103_765_09,
        0.016_644_691_189_821_19,
        0.013_876_128_823_070_75,
        0.011_896_709_945_891_77,
        0.010_411_265_261_972_1,
        0.009_255_462_182_712_733,
        0.008_330_563_433_362_87,
    ];
    if k < 10.0 {
        return SMALL[k as usize];
    }
    let x = 1.0 / (k + 1.0);
    let square = x * x;
    (1.0 / 12.0 - (1.0 / 360.0 - square / 1260.0) * square) * x
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    /// The ratio of probabilities equals that of factorials.
    #[test]
    fn ratios_of_probabilities() {
        let (n, p) = (60u32, 0.3);
        let ln_p = |k: u32| {
            let lg = |k: u32| libm::lgamma(f64::from(k) + 1.0);
            lg(n) - lg(k) - lg(n - k)
                + f64::from(k) * libm::log(p)
                + f64::from(n - k) * libm::log(1.0 - p)
        };
        for k in 0..=n {
            let got = ln_ratio(f64::from(n), p, f64::from(k), 18.0);
            // The small corrections have 16 digits, the omitted series is 1e-10 at k = 10.
            assert!((got - (ln_p(k) - ln_p(18))).abs() < 1e-9, "{k}: {got}");
        }
    }

    /// Mean and variance over 200,000 draws within 4.5 standard errors (a false alarm in 100,000),
    /// from single to 1e12 particles, on both sides of the change of method and of a half.
    #[test]
    fn mean_and_variance() {
        let mut random = ChaCha8Rng::seed_from_u64(3);
        const DRAWS: u32 = 200_000;
        for (count, p) in [
            (1, 0.3),
            (20, 0.4),
            (30, 0.4),
            (1000, 0.009),
            (1000, 0.02),
            (50, 0.93),
            (1_000_000_000_000, 3e-12),
            (1_000_000_000_000, 1e-6),
            (1_000_000_000_000, 0.25),
        ] {
            let mean = count as f64 * p;
            let variance = mean * (1.0 - p);
            let (mut sum, mut squares) = (0.0, 0.0);
            for _ in 0..DRAWS {
                let off = binomial(count, p, &mut random) as f64 - mean;
                sum += off;
                squares += off * off;
            }
            let draws = f64::from(DRAWS);
            let error = (variance / draws).sqrt();
            assert!((sum / draws).abs() < 4.5 * error, "{count} {p}: mean");
            // Fourth moment of the binomial law.
            let fourth = variance * (1.0 + 3.0 * (count as f64 - 2.0) * p * (1.0 - p));
            let error = ((fourth - variance * variance) / draws).sqrt();
            let off = squares / draws - variance;
            assert!(off.abs() < 4.5 * error, "{count} {p}: variance {off}");
        }
    }
}
