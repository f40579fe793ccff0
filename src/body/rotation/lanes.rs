//! The free top for eight bodies at a time: a step of each as of one body alone, each lane independently.

use super::PrincipalMoments;
use super::moser_veselov::{FAR, GREATEST, LEFT, ROUNDS, drift};
use crate::vector::{LANES, Lanes, Row};
use nalgebra::Vector3;

/// Three columns of eight bodies.
pub type Columns<L> = [L; 3];

impl PrincipalMoments {
    /// Returns a row: inverse moments (3), their modifiers (3), the ratio of the largest to the smallest.
    pub fn row(&self) -> Row {
        let [a, b, c] = self.inverse();
        let [mean, sum, product] = self.modifiers();
        Row([a, b, c, mean, sum, product, self.ratio(), 0.0])
    }
}

/// Eight bodies given by their moments of inertia.
pub struct Tops<L: Lanes> {
    /// Inverse moments.
    pub inverse: Columns<L>,
    modifiers: Columns<L>,
    ratio: L,
}

#[inline(always)]
fn dot<L: Lanes>(a: Columns<L>, b: Columns<L>) -> L {
    a[0].mul(b[0]).add(a[1].mul(b[1])).add(a[2].mul(b[2]))
}

#[inline(always)]
fn cross<L: Lanes>(a: Columns<L>, b: Columns<L>) -> Columns<L> {
    [
        a[1].mul(b[2]).sub(a[2].mul(b[1])),
        a[2].mul(b[0]).sub(a[0].mul(b[2])),
        a[0].mul(b[1]).sub(a[1].mul(b[0])),
    ]
}

#[inline(always)]
fn times<L: Lanes>(a: Columns<L>, b: Columns<L>) -> Columns<L> {
    [a[0].mul(b[0]), a[1].mul(b[1]), a[2].mul(b[2])]
}

#[inline(always)]
fn scale<L: Lanes>(a: Columns<L>, b: L) -> Columns<L> {
    [a[0].mul(b), a[1].mul(b), a[2].mul(b)]
}

#[inline(always)]
fn less<L: Lanes>(a: Columns<L>, b: Columns<L>) -> Columns<L> {
    [a[0].sub(b[0]), a[1].sub(b[1]), a[2].sub(b[2])]
}

#[inline(always)]
fn select<L: Lanes>(a: Columns<L>, b: Columns<L>, mask: L::Mask) -> Columns<L> {
    [
        a[0].select(b[0], mask),
        a[1].select(b[1], mask),
        a[2].select(b[2], mask),
    ]
}

/// Eight orientations as matrices, rows first.
#[derive(Clone, Copy)]
pub struct Turns<L: Lanes>([[L; 3]; 3]);

impl<L: Lanes> Turns<L> {
    /// Converts unit quaternions x, y, z, w.
    #[inline(always)]
    pub fn new([x, y, z, w]: [L; 4]) -> Self {
        let one = L::splat(1.0);
        let (x2, y2, z2) = (x.add(x), y.add(y), z.add(z));
        let (xx, yy, zz) = (x.mul(x2), y.mul(y2), z.mul(z2));
        let (xy, xz, yz) = (x.mul(y2), x.mul(z2), y.mul(z2));
        let (wx, wy, wz) = (w.mul(x2), w.mul(y2), w.mul(z2));
        Turns([
            [one.sub(yy.add(zz)), xy.sub(wz), xz.add(wy)],
            [xy.add(wz), one.sub(xx.add(zz)), yz.sub(wx)],
            [xz.sub(wy), yz.add(wx), one.sub(xx.add(yy))],
        ])
    }

    /// Rotates from the bodies' frames to the laboratory's.
    #[inline(always)]
    pub fn outward(&self, v: Columns<L>) -> Columns<L> {
        let m = &self.0;
        [dot(m[0], v), dot(m[1], v), dot(m[2], v)]
    }

    /// Rotates from the laboratory's frame to the bodies'.
    #[inline(always)]
    pub fn inward(&self, v: Columns<L>) -> Columns<L> {
        let m = &self.0;
        let column = [
            [m[0][0], m[1][0], m[2][0]],
            [m[0][1], m[1][1], m[2][1]],
            [m[0][2], m[1][2], m[2][2]],
        ];
        [dot(column[0], v), dot(column[1], v), dot(column[2], v)]
    }
}

impl<L: Lanes> Tops<L> {
    /// Collects rows ([`PrincipalMoments::row`]) by index.
    #[inline(always)]
    pub fn new(table: &[Row], indices: &[u32; LANES]) -> Self {
        let [a, b, c, mean, sum, product, ratio, _] = L::transpose(L::gather(table, indices));
        Tops {
            inverse: [a, b, c],
            modifiers: [mean, sum, product],
            ratio,
        }
    }

    /// Returns the orientations after a time (s) of free rotation, and the lanes that were left out: bodies that
    /// rotate too far for one step, and round ones. The momentum is in the bodies' frames.
    #[inline(always)]
    pub fn turned(&self, q: [L; 4], momentum: Columns<L>, time: f64) -> ([L; 4], u8) {
        let (one, half) = (L::splat(1.0), L::splat(0.5));
        let spin = times(self.inverse, momentum);
        let most = GREATEST / time.abs();
        let within =
            L::bits(dot(spin, spin).less(L::splat(most * most))) & L::bits(one.less(self.ratio));
        let energy = half.mul(dot(momentum, spin));
        let size = half.mul(dot(momentum, momentum));
        let square = L::splat(time * time);
        let [mean, sum, product] = self.modifiers;
        let stretch = one.add(square.mul(sum.mul(size).sub(mean.mul(energy))));
        let shift = square.mul(sum.mul(energy).sub(product.mul(size)));
        let inverse = self.inverse;
        let inverse = [
            inverse[0].mul(stretch).add(shift),
            inverse[1].mul(stretch).add(shift),
            inverse[2].mul(stretch).add(shift),
        ];
        let moments = [
            one.div(inverse[0]),
            one.div(inverse[1]),
            one.div(inverse[2]),
        ];
        let right = scale(momentum, L::splat(0.5 * time));
        let rho = self.solve(within, &moments, &inverse, right);
        let zero = L::splat(0.0);
        let rest = one.sub(dot(rho, rho)).max(zero).sqrt();
        (unit(product_of(q, [rho[0], rho[1], rho[2], rest])), !within)
    }

    /// As for one body; lanes that have converged stay at their solution.
    #[inline(always)]
    fn solve(
        &self,
        within: u8,
        moments: &Columns<L>,
        inverse: &Columns<L>,
        right: Columns<L>,
    ) -> Columns<L> {
        let (one, zero) = (L::splat(1.0), L::splat(0.0));
        let first = times(*inverse, right);
        let mut rho = less(first, times(*inverse, cross(first, right)));
        let mut rows = [[zero; 3]; 3];
        let mut taken = L::splat(f64::INFINITY);
        let mut open = within;
        for _ in 0..ROUNDS {
            let square = dot(rho, rho);
            let rest = one.sub(square).max(L::splat(0.25)).sqrt();
            let inner = times(*moments, rho);
            let turned = cross(rho, inner);
            let left = [
                inner[0].mul(rest).add(turned[0]).sub(right[0]),
                inner[1].mul(rest).add(turned[1]).sub(right[1]),
                inner[2].mul(rest).add(turned[2]).sub(right[2]),
            ];
            let anew = L::bits(L::splat(FAR * FAR).mul(square).less(taken)) & open;
            let mask = L::mask(anew);
            if anew != 0 {
                let made = inverted(moments, &rho, &inner, rest);
                rows = [
                    select(made[0], rows[0], mask),
                    select(made[1], rows[1], mask),
                    select(made[2], rows[2], mask),
                ];
            }
            let change = [dot(left, rows[0]), dot(left, rows[1]), dot(left, rows[2])];
            rho = select(less(rho, change), rho, L::mask(open));
            let moved = dot(change, change);
            taken = moved.select(taken, mask);
            let error = moved.mul(taken).mul(self.ratio.mul(self.ratio));
            open &= L::bits(L::splat(LEFT * LEFT).mul(square).less(error));
            if open == 0 {
                break;
            }
        }
        rho
    }
}

/// Returns the rows of the inverse of the derivative of `rho_0 J rho + rho x J rho`.
#[inline(always)]
fn inverted<L: Lanes>(
    moments: &Columns<L>,
    rho: &Columns<L>,
    inner: &Columns<L>,
    rest: L,
) -> [Columns<L>; 3] {
    let one = L::splat(1.0);
    let fall = scale(*inner, one.div(rest));
    let ([a, b, c], [x, y, z]) = (*moments, *rho);
    let first = [a.mul(rest), a.mul(z).sub(inner[2]), inner[1].sub(a.mul(y))];
    let second = [inner[2].sub(b.mul(z)), b.mul(rest), b.mul(x).sub(inner[0])];
    let third = [c.mul(y).sub(inner[1]), inner[0].sub(c.mul(x)), c.mul(rest)];
    let first = less(first, scale(fall, x));
    let second = less(second, scale(fall, y));
    let third = less(third, scale(fall, z));
    let normal = cross(second, third);
    let by = one.div(dot(first, normal));
    [
        scale(normal, by),
        scale(cross(third, first), by),
        scale(cross(first, second), by),
    ]
}

/// Returns the product of unit quaternions: first `b`, then `a`.
#[inline(always)]
fn product_of<L: Lanes>(a: [L; 4], b: [L; 4]) -> [L; 4] {
    let m = |k: usize, l: usize| a[k].mul(b[l]);
    [
        m(3, 0).add(m(0, 3)).add(m(1, 2)).sub(m(2, 1)),
        m(3, 1).sub(m(0, 2)).add(m(1, 3)).add(m(2, 0)),
        m(3, 2).add(m(0, 1)).sub(m(1, 0)).add(m(2, 3)),
        m(3, 3).sub(m(0, 0)).sub(m(1, 1)).sub(m(2, 2)),
    ]
}

/// Removes the rounding error of the length.
#[inline(always)]
fn unit<L: Lanes>(q: [L; 4]) -> [L; 4] {
    let square = q[0]
        .mul(q[0])
        .add(q[1].mul(q[1]))
        .add(q[2].mul(q[2]))
        .add(q[3].mul(q[3]));
    let by = L::splat(1.5).sub(L::splat(0.5).mul(square));
    [q[0].mul(by), q[1].mul(by), q[2].mul(by), q[3].mul(by)]
}

/// Rotates one body alone over a step, for lanes that were left out; the momentum is in the laboratory's frame.
pub fn turned_alone(
    body: &PrincipalMoments,
    q: [f64; 4],
    momentum: [f64; 3],
    time: f64,
) -> [f64; 4] {
    drift(body, q, Vector3::from(momentum), time)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector::{Kernel, Level, run};
    use rand::{RngExt, SeedableRng};

    struct All<'a>(&'a [Row], [[f64; LANES]; 7], f64);
    impl Kernel for All<'_> {
        type Output = ([[f64; LANES]; 4], u8);
        #[inline(always)]
        fn run<L: Lanes>(self) -> Self::Output {
            let tops = Tops::<L>::new(self.0, &std::array::from_fn(|k| k as u32));
            let [x, y, z, w, a, b, c] = self.1;
            let column = |v: [f64; LANES]| L::from_array(v);
            let q = [column(x), column(y), column(z), column(w)];
            let inside = Turns::new(q).inward([column(a), column(b), column(c)]);
            let ([x, y, z, w], out) = tops.turned(q, inside, self.2);
            let q = [x.to_array(), y.to_array(), z.to_array(), w.to_array()];
            (q, out)
        }
    }

    /// Every lane agrees with the body alone, to rounding, and all vector levels agree.
    #[test]
    fn as_alone() {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(3);
        for round in 0..300 {
            let bodies: Vec<PrincipalMoments> = (0..LANES)
                .map(|k| {
                    let any = [(); 3].map(|()| rng.random_range(0.5..1.5));
                    PrincipalMoments::new(if k == 5 { [1.0; 3] } else { any }).unwrap()
                })
                .collect();
            let rows: Vec<Row> = bodies.iter().map(PrincipalMoments::row).collect();
            let speed = [1e-6, 1e-2, 1.0, 40.0][round % 4];
            let mut columns: [[f64; LANES]; 7] = std::array::from_fn(|column| {
                std::array::from_fn(|_| {
                    let any: f64 = rng.random_range(-1.0..1.0);
                    any * if column < 4 { 1.0 } else { speed }
                })
            });
            for k in 0..LANES {
                let length = (0..4).map(|c| columns[c][k] * columns[c][k]).sum::<f64>();
                (0..4).for_each(|c| columns[c][k] /= length.sqrt());
            }
            let time = 0.02;
            let (found, out) = run(Level::best(), All(&rows, columns, time));
            for level in [Level::Plain, Level::Avx2] {
                assert_eq!(run(level, All(&rows, columns, time)), (found, out));
            }
            assert_eq!(out >> 5 & 1, 1, "a round body is left out");
            for k in (0..LANES).filter(|k| out >> k & 1 == 0) {
                let q = std::array::from_fn(|c| columns[c][k]);
                let m = std::array::from_fn(|c| columns[4 + c][k]);
                let alone = turned_alone(&bodies[k], q, m, time);
                for c in 0..4 {
                    let error = (found[c][k] - alone[c]).abs();
                    assert!(error < 1e-15, "lane {k}: {error}");
                }
            }
            // The fastest bodies rotate by more than a step may, the others do not.
            assert!(round % 4 == 3 || out == 1 << 5);
        }
    }
}
