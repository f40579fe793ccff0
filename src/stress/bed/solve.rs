//! Computes displacements of a bed under a load, to a tolerance.
//!
//! Conjugate gradients with the preconditioner (I + L) (I + L^T), which is symmetric block
//! Gauss-Seidel. The iteration uses (I + L)^-1 (I + L + L^T) (I + L^T)^-1, so that it costs one
//! sweep up and one down and no product with the matrix (Eisenstat 1981): with t = (I + L^T)^-1 p,
//! that operator times p is t + (I + L)^-1 (p - t).
//!
//! Solutions that are needed only to some per cent are computed in single precision, which takes
//! 0.7 of the time (docs/notes/performance.md).

use super::{Bed, MOST, times_lower, unknowns};
use crate::geometry::Dimension;
use crate::stress::precondition::backward;
use crate::vector::{Kernel, Lanes, Level, run};

/// Number types for the solution of a bed.
pub trait Number:
    Copy
    + Default
    + PartialEq
    + std::iter::Sum
    + std::ops::Add<Output = Self>
    + std::ops::Sub<Output = Self>
    + std::ops::Mul<Output = Self>
    + Into<f64>
{
    /// The nearest number of this type.
    fn of(value: f64) -> Self;
}

impl Number for f64 {
    #[inline(always)]
    fn of(value: f64) -> Self {
        value
    }
}

impl Number for f32 {
    #[inline(always)]
    fn of(value: f64) -> Self {
        value as f32
    }
}

impl<D: Dimension, S: Number> Bed<D, S> {
    /// Improves displacements (m; rotations times the radius, m) under a load (N; moments over the
    /// radius, N), both by grain, until the residual is `tolerance` of the load. The norm is that
    /// of the preconditioner, which measures forces by the displacements that they would cause.
    /// Returns the number of iterations; none if `most` were not enough or a number is not finite.
    pub fn solve(
        &self,
        load: &[f64],
        displacement: &mut [f64],
        tolerance: f64,
        most: usize,
    ) -> Option<usize> {
        run(
            Level::Avx512,
            Solve {
                bed: self,
                load,
                displacement,
                tolerance,
                most,
            },
        )
    }

    /// Subtracts the contributions of the grains at the other ends of some links.
    #[inline(always)]
    fn left(
        &self,
        links: std::ops::Range<u32>,
        x: &[D::Unknowns<S>],
        mut own: D::Unknowns<S>,
    ) -> D::Unknowns<S> {
        let m = unknowns::<D>();
        let links = links.start as usize..links.end as usize;
        let blocks = &self.blocks[links.start * m..links.end * m];
        for (&to, block) in self.to[links].iter().zip(blocks.chunks_exact(m)) {
            let x = x[to as usize];
            for (column, &x) in block.iter().zip(x.as_ref()) {
                own = by_entry::<D, S>(own, *column, |own, c| own - c * x);
            }
        }
        own
    }
}

/// A solution in progress.
struct Solve<'a, D: Dimension, S: Number> {
    bed: &'a Bed<D, S>,
    load: &'a [f64],
    displacement: &'a mut [f64],
    tolerance: f64,
    most: usize,
}

/// Applies a function entry by entry.
#[inline(always)]
fn by_entry<D: Dimension, S: Number>(
    mut a: D::Unknowns<S>,
    b: D::Unknowns<S>,
    f: impl Fn(S, S) -> S,
) -> D::Unknowns<S> {
    for (a, &b) in a.as_mut().iter_mut().zip(b.as_ref()) {
        *a = f(*a, b);
    }
    a
}

fn total<D: Dimension, S: Number>(sums: D::Unknowns<S>) -> f64 {
    sums.as_ref().iter().copied().sum::<S>().into()
}

impl<D: Dimension, S: Number> Solve<'_, D, S> {
    /// r = (I + L)^-1 r; the square of its norm.
    #[inline(always)]
    fn down(&self, r: &mut [D::Unknowns<S>]) -> f64 {
        let mut squares = D::Unknowns::<S>::default();
        for rank in 0..r.len() {
            let own = self.bed.left(self.bed.lower(rank), r, r[rank]);
            r[rank] = own;
            squares = by_entry::<D, S>(squares, own, |sum, own| sum + own * own);
        }
        total::<D, S>(squares)
    }

    /// The load and the present solution in scaled unknowns, both divided by the greatest component
    /// of the load, which is returned last, so that no square underflows.
    #[inline(always)]
    fn scaled(&self) -> ([Vec<D::Unknowns<S>>; 2], f64) {
        let m = unknowns::<D>();
        let bed = self.bed;
        let scaled =
            |grain: usize, root: &[f64]| times_lower(root, m, &self.load[grain * m..][..m]);
        let mut unit = 0.0_f64;
        for (grain, root) in bed.roots() {
            unit = scaled(grain, root)
                .iter()
                .fold(unit, |most, own| own.abs().max(most));
        }
        if unit == 0.0 {
            unit = 1.0;
        }
        let mut made = [(); 2].map(|()| vec![D::Unknowns::<S>::default(); bed.ranks.len()]);
        let [load, found] = &mut made;
        for (grain, root) in bed.roots() {
            let rank = bed.ranks[grain] as usize;
            let own = scaled(grain, root);
            let mut before = [0.0; MOST];
            if root[0] != 0.0 {
                before[..m].copy_from_slice(&self.displacement[grain * m..][..m]);
                backward(root, m, &mut before[..m]);
            }
            for p in 0..m {
                load[rank].as_mut()[p] = S::of(own[p] / unit);
                found[rank].as_mut()[p] = S::of(before[p] / unit);
            }
        }
        (made, unit)
    }

    /// Converts the solution to displacements.
    #[inline(always)]
    fn unscale(&mut self, found: &[D::Unknowns<S>], unit: f64) {
        let m = unknowns::<D>();
        for (grain, root) in self.bed.roots() {
            let own = found[self.bed.ranks[grain] as usize];
            for (p, to) in self.displacement[grain * m..][..m].iter_mut().enumerate() {
                *to = (p..m)
                    .map(|q| root[q * m + p] * own.as_ref()[q].into() * unit)
                    .sum();
            }
        }
    }
}

impl<D: Dimension, S: Number> Kernel for Solve<'_, D, S> {
    type Output = Option<usize>;

    #[inline(always)]
    fn run<L: Lanes>(mut self) -> Option<usize> {
        let none = D::Unknowns::<S>::default();
        let bed = self.bed;
        let n = bed.ranks.len();
        let ([mut r, mut found], unit) = self.scaled();
        let begun = found
            .iter()
            .any(|y| y.as_ref().iter().any(|&y| y != S::default()));
        let mut room = r.clone();
        let mut rr = self.down(&mut room);
        let goal = self.tolerance * self.tolerance * rr;
        if begun {
            for rank in 0..n {
                let links = bed.starts[rank][0]..bed.starts[rank + 1][0];
                let own = by_entry::<D, S>(r[rank], found[rank], |load, y| load - y);
                r[rank] = bed.left(links, &found, own);
            }
            rr = self.down(&mut r);
        } else {
            std::mem::swap(&mut r, &mut room);
        }
        let [mut p, mut t] = [(); 2].map(|()| vec![none; n]);
        let mut old = 0.0;
        for iteration in 0..=self.most {
            if rr <= goal {
                self.unscale(&found, unit);
                return Some(iteration);
            }
            if !rr.is_finite() {
                return None;
            }
            let beta = S::of(if old == 0.0 { 0.0 } else { rr / old });
            old = rr;
            // t = (I + L^T)^-1 p, and the difference p - t in the buffer.
            for rank in (0..n).rev() {
                let own = by_entry::<D, S>(r[rank], p[rank], |r, p| r + beta * p);
                p[rank] = own;
                t[rank] = bed.left(bed.upper(rank), &t, own);
                room[rank] = by_entry::<D, S>(own, t[rank], |p, t| p - t);
            }
            // (I + L)^-1 (p - t), in the buffer.
            let mut curved = none;
            for rank in 0..n {
                let own = bed.left(bed.lower(rank), &room, room[rank]);
                room[rank] = own;
                let moved = by_entry::<D, S>(t[rank], own, |t, d| t + d);
                let product = by_entry::<D, S>(p[rank], moved, |p, q| p * q);
                curved = by_entry::<D, S>(curved, product, |sum, pq| sum + pq);
            }
            let step = S::of(rr / total::<D, S>(curved));
            let mut squares = none;
            for rank in 0..n {
                found[rank] = by_entry::<D, S>(found[rank], t[rank], |y, t| y + step * t);
                let moved = by_entry::<D, S>(t[rank], room[rank], |t, d| t + d);
                r[rank] = by_entry::<D, S>(r[rank], moved, |r, q| r - step * q);
                squares = by_entry::<D, S>(squares, r[rank], |sum, r| sum + r * r);
            }
            rr = total::<D, S>(squares);
        }
        None
    }
}
