//! Sine and cosine of eight angles, with the same bits at every level.

use super::{LANES, Lanes};

/// From this angle on (rad) the reduction by quarter turns is no longer exact.
const GREATEST: f64 = 1e6;

/// A quarter turn as two pieces of 33 bits, so that a number of 20 bits times a piece is exact
/// (Cody and Waite 1980), and the remainder.
const QUARTER: [f64; 3] = [
    1.570_796_326_734_125_6,
    6.077_100_506_303_966e-11,
    2.022_266_248_795_950_6e-21,
];

/// Coefficients of z = x^2 in (sin x - x) / x^3 on an eighth of a turn to either side.
const SINE: [f64; 6] = [
    -1.666_666_666_666_663_2e-1,
    8.333_333_333_322_49e-3,
    -1.984_126_982_985_795e-4,
    2.755_731_370_707_006_8e-6,
    -2.505_076_025_340_686_3e-8,
    1.589_690_995_211_55e-10,
];

/// Coefficients of z in (cos x - 1 + z / 2) / z^2.
const COSINE: [f64; 6] = [
    4.166_666_666_666_66e-2,
    -1.388_888_888_887_411e-3,
    2.480_158_728_947_673e-5,
    -2.755_731_435_139_066_3e-7,
    2.087_572_321_298_175e-9,
    -1.135_964_755_778_819_5e-11,
];

/// Sines and cosines of angles, rad, to about one unit in the last place.
#[inline(always)]
pub fn sincos<L: Lanes>(angle: L) -> [L; 2] {
    if L::bits(angle.abs().less(L::splat(GREATEST))) != 0xff {
        return far(angle);
    }
    // Rounds to the nearest integer by adding a number that leaves no fractional digits.
    let shift = L::splat(6755399441055744.0);
    let turns = angle
        .mul(L::splat(std::f64::consts::FRAC_2_PI))
        .add(shift)
        .sub(shift);
    let [first, second, rest] = QUARTER;
    let (first, second, rest) = (L::splat(first), L::splat(second), L::splat(rest));
    let x = angle
        .sub(turns.mul(first))
        .sub(turns.mul(second))
        .sub(turns.mul(rest));
    let z = x.mul(x);
    let sine = x.add(x.mul(z).mul(series(SINE, z)));
    // 1 - z / 2, and its rounding error.
    let (one, half) = (L::splat(1.0), z.mul(L::splat(0.5)));
    let most = one.sub(half);
    let rest = one.sub(most).sub(half);
    let cosine = most.add(rest.add(z.mul(z).mul(series(COSINE, z))));
    // Quarter turns from -2 to 2.
    let whole = turns.mul(L::splat(0.25)).add(shift).sub(shift);
    let quarter = turns.sub(whole.mul(L::splat(4.0)));
    let (low, high) = (L::splat(-0.5), L::splat(0.5));
    let (lower, higher) = (L::splat(-1.5), L::splat(1.5));
    let less = |a: L, b: L| L::bits(a.less(b));
    let ends = less(quarter, lower) | less(higher, quarter);
    let odd = (less(quarter, low) | less(high, quarter)) & !ends;
    let down = less(quarter, low) | ends;
    let left = (less(high, quarter) & odd) | ends;
    let minus = L::splat(-0.0);
    let odd = L::mask(odd);
    let sign = |bits: u8| minus.only(L::mask(bits));
    [
        cosine.select(sine, odd).flip(sign(down)),
        sine.select(cosine, odd).flip(sign(left)),
    ]
}

/// A polynomial of degree five.
#[inline(always)]
fn series<L: Lanes>(all: [f64; 6], z: L) -> L {
    let [a, b, c, d, e, f] = all;
    let sum = L::splat(f).mul(z).add(L::splat(e));
    let sum = sum.mul(z).add(L::splat(d));
    let sum = sum.mul(z).add(L::splat(c));
    let sum = sum.mul(z).add(L::splat(b));
    sum.mul(z).add(L::splat(a))
}

/// Computes the lanes one by one, for large angles.
#[inline(always)]
fn far<L: Lanes>(angle: L) -> [L; 2] {
    let (mut sines, mut cosines) = ([0.0; LANES], [0.0; LANES]);
    for (k, angle) in angle.to_array().into_iter().enumerate() {
        (sines[k], cosines[k]) = libm::sincos(angle);
    }
    [L::from_array(sines), L::from_array(cosines)]
}

#[cfg(test)]
mod tests {
    use super::super::{Kernel, Level, Plain, run};
    use super::*;

    struct All<'a>(&'a [f64; LANES]);
    impl Kernel for All<'_> {
        type Output = [[f64; LANES]; 2];
        #[inline(always)]
        fn run<L: Lanes>(self) -> Self::Output {
            sincos(L::from_array(*self.0)).map(Lanes::to_array)
        }
    }

    /// Compares with the library, with the same bits at every level: whole quarters, near them, at random, far out.
    #[test]
    fn angles() {
        use rand::{RngExt, SeedableRng};
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
        let mut worst = 0.0_f64;
        for round in 0..20_000 {
            let angles: [f64; LANES] = std::array::from_fn(|k| match round % 4 {
                0 => (f64::from(round) - 10_000.0 + k as f64) * std::f64::consts::FRAC_PI_4,
                1 => rng.random_range(-10.0..10.0),
                2 => rng.random_range(-0.999e6..0.999e6),
                _ => rng.random_range(-1e9..1e9),
            });
            let found = All(&angles).run::<Plain>();
            for level in [Level::Avx2, Level::Avx512] {
                let other = run(level, All(&angles));
                assert_eq!(
                    found.map(|v| v.map(f64::to_bits)),
                    other.map(|v| v.map(f64::to_bits))
                );
            }
            for (k, &angle) in angles.iter().enumerate() {
                let (sine, cosine) = libm::sincos(angle);
                worst = worst.max((found[0][k] - sine).abs().max((found[1][k] - cosine).abs()));
            }
        }
        // A unit in the last place of 1 is 2.2e-16.
        assert!(worst < 2.3e-16, "{worst}");
    }
}
