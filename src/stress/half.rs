//! Half solutions, and all compliances between a set of links computed from them.

use crate::vector::{Kernel, LANES, Lanes, Level, Row, run};

/// Half of a solution for a force along one bar: L^-1 b, where L is the factor of the stiffness.
/// The scalar product of two halves is the strain of one bar under a unit force along the other.
#[derive(Clone, Debug, Default)]
pub struct Half {
    /// Nonzero unknowns, from the root of the elimination tree downwards.
    pub(super) places: Vec<u32>,
    pub(super) values: Vec<Row>,
    /// Unknowns added since the factor was made; the same number in all halves.
    pub(super) tail: Vec<Row>,
}

impl Half {
    /// Scalar product, m/N.
    pub fn dot(&self, other: &Half) -> f64 {
        let alike = self.alike(other);
        run(
            Level::best(),
            Dot {
                a: self,
                b: other,
                alike,
            },
        )
    }

    /// Number of unknowns that two halves have in common: two paths to the root of a tree coincide
    /// above the point where they meet.
    #[inline]
    fn alike(&self, other: &Half) -> usize {
        let (mut alike, mut end) = (0, self.places.len().min(other.places.len()));
        while alike < end {
            let middle = alike + (end - alike) / 2;
            if self.places[middle] == other.places[middle] {
                alike = middle + 1;
            } else {
                end = middle;
            }
        }
        alike
    }
}

/// One scalar product.
struct Dot<'a> {
    a: &'a Half,
    b: &'a Half,
    alike: usize,
}

impl Kernel for Dot<'_> {
    type Output = f64;
    #[inline(always)]
    fn run<L: Lanes>(self) -> f64 {
        let mut sum = L::splat(0.0);
        for (a, b) in self.a.tail.iter().zip(&self.b.tail) {
            sum = sum.add(L::load(a).mul(L::load(b)));
        }
        along(&self.a.values, &self.b.values, 0, self.alike, &mut sum);
        sum.total()
    }
}

/// Adds the products of two lists from row `from` to number `to`.
#[inline(always)]
fn along<L: Lanes>(a: &[Row], b: &[Row], from: usize, to: usize, sum: &mut L) {
    let whole = to / LANES;
    for (a, b) in a[from..whole].iter().zip(&b[from..whole]) {
        *sum = sum.add(L::load(a).mul(L::load(b)));
    }
    if !to.is_multiple_of(LANES) {
        let some = L::mask((1 << (to % LANES)) - 1);
        *sum = sum.add(L::load(&a[whole]).mul(L::load(&b[whole])).only(some));
    }
}

/// Fills columns: the strains of all bars of some links for a unit force along each tangential bar
/// of each of them. Those between the first `known` links are already filled.
pub(super) fn fill(halves: &[Vec<Half>], known: usize, columns: &mut [Vec<f64>]) {
    let follows = |&a: &usize, &b: &usize| {
        let (one, other) = (&halves[a][0], &halves[b][0]);
        let alike = one.alike(other);
        let path = one.places.get(alike).cmp(&other.places.get(alike));
        path.then(a.cmp(&b))
    };
    // This order places halves with long common parts of their paths next to each other.
    let mut order: Vec<usize> = (0..halves.len()).collect();
    order.sort_unstable_by(follows);
    let mut alike: Vec<usize> = order
        .windows(2)
        .map(|pair| halves[pair[0]][0].alike(&halves[pair[1]][0]))
        .collect();
    alike.push(0);
    let bars = halves.first().map_or(1, Vec::len);
    for column in columns.iter_mut() {
        column.resize(halves.len() * bars, 0.0);
    }
    run(
        Level::best(),
        Fill {
            halves,
            known,
            columns,
            order: &order,
            alike: &alike,
        },
    );
}

/// Number of links processed together, so that their common data stays in the cache.
const BLOCK: usize = 32;

struct Fill<'a> {
    halves: &'a [Vec<Half>],
    known: usize,
    columns: &'a mut [Vec<f64>],
    order: &'a [usize],
    /// Number of common unknowns of the paths of a link and the next in the order.
    alike: &'a [usize],
}

impl Kernel for Fill<'_> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes>(mut self) {
        let count = self.order.len();
        if self.halves.first().is_none_or(|bars| bars.len() != 2) {
            for i in 0..count {
                let mut alike = usize::MAX;
                for j in i..count {
                    self.pair::<L>(i, j, alike);
                    alike = alike.min(self.alike[j]);
                }
            }
            return;
        }
        // For each pair of links, the number of common unknowns with the last one before the next block.
        let mut reach = vec![usize::MAX; count.div_ceil(2)];
        for block in (0..count).step_by(BLOCK) {
            let end = (block + BLOCK).min(count);
            for i in (0..end).step_by(2) {
                let mut alike = reach[i / 2];
                for j in (block.max(i)..end).step_by(2) {
                    if j == i || j + 1 == count {
                        let mut first = if j == i {
                            usize::MAX
                        } else {
                            alike.min(self.alike[i])
                        };
                        self.pair::<L>(i, j, first);
                        if i + 1 < count && j != i {
                            self.pair::<L>(i + 1, j, alike);
                        }
                        if j == i && i + 1 < count {
                            first = self.alike[i];
                            self.pair::<L>(i, i + 1, first);
                            self.pair::<L>(i + 1, i + 1, usize::MAX);
                            alike = self.alike[i + 1];
                        }
                        continue;
                    }
                    self.four::<L>(i, j, alike);
                    alike = alike.min(self.alike[j]).min(self.alike[j + 1]);
                }
                reach[i / 2] = alike;
            }
        }
    }
}

impl<'a> Fill<'a> {
    /// Computes the products of two links, given by their positions in the order.
    #[inline(always)]
    fn pair<L: Lanes>(&mut self, i: usize, j: usize, alike: usize) {
        let (a, b) = (self.order[i], self.order[j]);
        if a < self.known && b < self.known {
            return;
        }
        let (one, other) = (&self.halves[a], &self.halves[b]);
        let alike = alike.min(one[0].places.len()).min(other[0].places.len());
        let bars = one.len();
        for k in 0..bars {
            for l in 0..bars {
                if k + l == 0 {
                    continue;
                }
                let (a_half, b_half) = (&one[k], &other[l]);
                let dot = Dot {
                    a: a_half,
                    b: b_half,
                    alike,
                }
                .run::<L>();
                if k > 0 {
                    self.columns[a * (bars - 1) + k - 1][b * bars + l] = dot;
                }
                if l > 0 {
                    self.columns[b * (bars - 1) + l - 1][a * bars + k] = dot;
                }
            }
        }
    }

    /// Computes the products of two planar links with two others; `alike` is the common number of the second and the third.
    #[inline(always)]
    fn four<L: Lanes>(&mut self, i: usize, j: usize, alike: usize) {
        let of = [
            self.order[i],
            self.order[i + 1],
            self.order[j],
            self.order[j + 1],
        ];
        if of.iter().all(|&link| link < self.known) {
            return;
        }
        let (left, right) = (self.alike[i], self.alike[j]);
        let alike = [
            alike.min(left),
            alike.min(left).min(right),
            alike,
            alike.min(right),
        ];
        let whole = alike[1] / LANES;
        let all: &'a [Vec<Half>] = self.halves;
        let (a, b) = (&all[of[0]][..], &all[of[1]][..]);
        let (c, d) = (&all[of[2]][..], &all[of[3]][..]);
        // For each of the four pairs: tangential-normal, tangential-tangential, normal-tangential.
        let zero = L::splat(0.0);
        let (mut ac, mut ad) = ((zero, zero, zero), (zero, zero, zero));
        let (mut bc, mut bd) = ((zero, zero, zero), (zero, zero, zero));
        let values = |half: &'a Half| &half.values[..whole];
        let tail = |half: &'a Half| &half.tail[..];
        for part in 0..2 {
            let of = |half: &'a Half| if part == 0 { values(half) } else { tail(half) };
            let rows = of(&a[0]).len();
            let of = |half: &'a Half| &of(half)[..rows];
            let (an, at, bn, bt) = (of(&a[0]), of(&a[1]), of(&b[0]), of(&b[1]));
            let (cn, ct, dn, dt) = (of(&c[0]), of(&c[1]), of(&d[0]), of(&d[1]));
            for k in 0..rows {
                // Written out: arrays of vectors would be stored in memory.
                let (an, at) = (L::load(&an[k]), L::load(&at[k]));
                let (bn, bt) = (L::load(&bn[k]), L::load(&bt[k]));
                let (cn, ct) = (L::load(&cn[k]), L::load(&ct[k]));
                ac.0 = ac.0.add(at.mul(cn));
                ac.1 = ac.1.add(at.mul(ct));
                ac.2 = ac.2.add(an.mul(ct));
                bc.0 = bc.0.add(bt.mul(cn));
                bc.1 = bc.1.add(bt.mul(ct));
                bc.2 = bc.2.add(bn.mul(ct));
                let (dn, dt) = (L::load(&dn[k]), L::load(&dt[k]));
                ad.0 = ad.0.add(at.mul(dn));
                ad.1 = ad.1.add(at.mul(dt));
                ad.2 = ad.2.add(an.mul(dt));
                bd.0 = bd.0.add(bt.mul(dn));
                bd.1 = bd.1.add(bt.mul(dt));
                bd.2 = bd.2.add(bn.mul(dt));
            }
        }
        rest(a, c, whole, alike[0], &mut ac);
        rest(a, d, whole, alike[1], &mut ad);
        rest(b, c, whole, alike[2], &mut bc);
        rest(b, d, whole, alike[3], &mut bd);
        let one = totals([ac.0, ac.1, ac.2, ad.0, ad.1, ad.2, bc.0, bc.1]);
        let two = totals([bc.2, bd.0, bd.1, bd.2, zero, zero, zero, zero]);
        let dots = [
            [one[0], one[1], one[2]],
            [one[3], one[4], one[5]],
            [one[6], one[7], two[0]],
            [two[1], two[2], two[3]],
        ];
        let links = [
            (of[0], of[2]),
            (of[0], of[3]),
            (of[1], of[2]),
            (of[1], of[3]),
        ];
        for ((a, b), [tn, tt, nt]) in links.into_iter().zip(dots) {
            self.columns[a][2 * b] = tn;
            self.columns[a][2 * b + 1] = tt;
            self.columns[b][2 * a] = nt;
            self.columns[b][2 * a + 1] = tt;
        }
    }
}

/// Adds the products of two links from a row to the end of their common part.
#[inline(always)]
fn rest<L: Lanes>(a: &[Half], b: &[Half], from: usize, to: usize, sums: &mut (L, L, L)) {
    if to > from * LANES {
        along(&a[1].values, &b[0].values, from, to, &mut sums.0);
        along(&a[1].values, &b[1].values, from, to, &mut sums.1);
        along(&a[0].values, &b[1].values, from, to, &mut sums.2);
    }
}

/// The totals of eight sets of lanes, in the order of [`Lanes::total`].
#[inline(always)]
fn totals<L: Lanes>(sums: [L; LANES]) -> [f64; LANES] {
    let a = L::transpose(sums);
    let even = a[0].add(a[4]).add(a[2].add(a[6]));
    let odd = a[1].add(a[5]).add(a[3].add(a[7]));
    even.add(odd).to_array()
}
