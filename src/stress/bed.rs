//! Increments of displacements of a bed of disks or spheres: a solver for one purpose, without a
//! matrix.
//!
//! Each row is a grain with its displacement and its turn times its radius, so that the geometry of a
//! link is its normal alone: at a contact in the direction m from a to b, surfaces move apart by
//! d = u_a - u_b + (s_a + s_b) x m, which the link resists with kn along m and kt across.
//!
//! K = L + D + L^T by blocks of grains. Conjugate gradients with the preconditioner
//! (D + L) D^-1 (D + L^T), run on (D + L)^-1 K (D + L^T)^-1 so that an iteration costs one sweep up and
//! one down and no product with K (Eisenstat 1981): with t = (D + L^T)^-1 p, that matrix times p is
//! t + (D + L)^-1 (p - D t).

use super::conjugate::dot;
use super::precondition::{cholesky, inverse};
use crate::geometry::{Dimension, Vector};

/// A link that resists.
#[derive(Clone, Copy, Debug)]
pub struct Strut<D: Dimension> {
    /// First grain.
    pub a: u32,
    /// Second grain; none: ground.
    pub b: Option<u32>,
    /// Unit normal from the first to the second.
    pub normal: D::Vector,
    /// Stiffness along the normal, N/m.
    pub kn: f64,
    /// Stiffness across, N/m; in the plane 0 for a link that slides.
    pub kt: f64,
    /// In space, of a link that slides: the direction in which it does, a unit vector across the
    /// normal; beside it the link resists. Else zero.
    pub slide: D::Vector,
}

/// A strut seen from one of its ends.
#[derive(Clone, Copy, Debug, Default)]
struct Side<D: Dimension> {
    to: u32,
    normal: D::Vector,
    kn: f64,
    kt: f64,
    slide: D::Vector,
}

/// The stiffness of a bed, ready to solve with.
#[derive(Debug)]
pub struct Bed<D: Dimension> {
    /// Sides by grain, those to lower grains first; where they start and where the others do.
    sides: Vec<Side<D>>,
    starts: Vec<[u32; 2]>,
    /// Diagonal blocks, and their inverses.
    diagonal: Vec<f64>,
    inverse: Vec<f64>,
}

/// Stiffness that holds a grain fast, over that of its links.
const FAST: f64 = 1e3;

/// Most unknowns of a grain.
const MOST: usize = 6;

/// A force and a moment over the radius, or a displacement and a turn times the radius.
type Motion<D> = (<D as Dimension>::Vector, <D as Dimension>::Spin);

/// Those of one grain.
#[inline(always)]
fn split<D: Dimension>(x: &[f64], grain: usize) -> Motion<D> {
    let x = &x[grain * (D::N + D::SPINS)..][..D::N + D::SPINS];
    (
        D::Vector::from_fn(|k| x[k]),
        D::spin_from_fn(|k| x[D::N + k]),
    )
}

/// Side by side.
#[inline(always)]
fn unite<D: Dimension>((force, moment): Motion<D>) -> [f64; MOST] {
    std::array::from_fn(|k| {
        if k < D::N {
            force[k]
        } else if k < D::N + D::SPINS {
            D::spin_component(moment, k - D::N)
        } else {
            0.0
        }
    })
}

/// A block times a vector.
#[inline(always)]
fn times<D: Dimension>(block: &[f64], grain: usize, x: &[f64]) -> [f64; MOST] {
    let m = D::N + D::SPINS;
    let block = &block[grain * m * m..][..m * m];
    std::array::from_fn(|p| {
        if p < m {
            (0..m).map(|q| block[p * m + q] * x[q]).sum()
        } else {
            0.0
        }
    })
}

impl<D: Dimension> Side<D> {
    /// Force and moment by which the strut resists a relative displacement of the surfaces.
    #[inline(always)]
    fn resist(&self, apart: D::Vector) -> Motion<D> {
        let along = apart.dot(&self.normal) * (self.kn - self.kt);
        let mut force = self.normal * along + apart * self.kt;
        // In the plane there is no direction across beside that of sliding.
        if D::N == 3 {
            force += self.slide * (-self.kt * apart.dot(&self.slide));
        }
        (force, D::moment(self.normal, force))
    }

    /// Adds what the displacement of the other end does at this one.
    #[inline(always)]
    fn add(&self, x: &[f64], sum: &mut Motion<D>) {
        let (u, s) = split::<D>(x, self.to as usize);
        let (force, moment) = self.resist(D::cross_spin(s, self.normal) - u);
        sum.0 += force;
        sum.1 += moment;
    }
}

impl<D: Dimension> Bed<D> {
    /// A bed of struts among grains, each freedom of which is held besides by a spring to the ground:
    /// `ground` has these by grain, N/m, for displacements and for turns times the radius.
    pub fn new(struts: &[Strut<D>], ground: &[[f64; 2]]) -> Self {
        let n = ground.len();
        let mut counts = vec![[0u32; 2]; n + 1];
        for s in struts {
            if let Some(b) = s.b {
                counts[s.a.max(b) as usize][0] += 1;
                counts[s.a.min(b) as usize][1] += 1;
            }
        }
        let mut starts = Vec::with_capacity(n + 1);
        let mut at = 0;
        for [lower, upper] in &counts {
            starts.push([at, at + lower]);
            at += lower + upper;
        }
        let mut sides = vec![Side::default(); at as usize];
        let mut next = starts.clone();
        let m = D::N + D::SPINS;
        let mut diagonal = vec![0.0; n * m * m];
        for (grain, ground) in ground.iter().enumerate() {
            for p in 0..m {
                diagonal[(grain * m + p) * m + p] = ground[usize::from(p >= D::N)];
            }
        }
        let mut put = |from: u32, to: Option<u32>, strut: &Strut<D>, normal: D::Vector| {
            let side = Side {
                to: to.unwrap_or(0),
                normal,
                kn: strut.kn,
                kt: strut.kt,
                slide: strut.slide,
            };
            if let Some(to) = to {
                let place = &mut next[from as usize][usize::from(to > from)];
                sides[*place as usize] = side;
                *place += 1;
            }
            let block = &mut diagonal[from as usize * m * m..][..m * m];
            for q in 0..m {
                let unit = |k: usize| f64::from(u8::from(k == q));
                let turn = D::spin_from_fn(|k| unit(D::N + k));
                let apart = D::Vector::from_fn(unit) + D::cross_spin(turn, normal);
                let column = unite::<D>(side.resist(apart));
                for p in 0..m {
                    block[p * m + q] += column[p];
                }
            }
        };
        for s in struts {
            put(s.a, s.b, s, s.normal);
            if let Some(b) = s.b {
                put(b, Some(s.a), s, -s.normal);
            }
        }
        let mut bed = Bed {
            sides,
            starts,
            inverse: vec![0.0; diagonal.len()],
            diagonal,
        };
        for grain in 0..n {
            bed.invert(grain);
        }
        bed
    }

    fn invert(&mut self, grain: usize) {
        let m = D::N + D::SPINS;
        let block = grain * m * m..(grain + 1) * m * m;
        let mut factor = [0.0; MOST * MOST];
        let factor = &mut factor[..m * m];
        factor.copy_from_slice(&self.diagonal[block.clone()]);
        if cholesky(factor, m).is_ok() {
            self.inverse[block].copy_from_slice(&inverse(factor, m));
        }
    }

    /// Holds a grain as good as fast.
    pub fn hold(&mut self, grain: usize) {
        let m = D::N + D::SPINS;
        let entries = (0..m).map(|p| (grain * m + p) * m + p);
        let stiffest = entries
            .clone()
            .map(|k| self.diagonal[k])
            .fold(0.0, f64::max);
        for k in entries {
            self.diagonal[k] += FAST * stiffest;
        }
        self.invert(grain);
    }

    fn lower(&self, grain: usize) -> &[Side<D>] {
        let [first, middle] = self.starts[grain];
        &self.sides[first as usize..middle as usize]
    }

    fn upper(&self, grain: usize) -> &[Side<D>] {
        &self.sides[self.starts[grain][1] as usize..self.starts[grain + 1][0] as usize]
    }

    /// x of one grain: the inverse of its block times (r - what the others do).
    #[inline(always)]
    fn relax(&self, grain: usize, sides: &[Side<D>], r: &[f64], x: &mut [f64]) {
        let m = D::N + D::SPINS;
        let mut sum = (D::Vector::default(), D::Spin::default());
        for side in sides {
            side.add(x, &mut sum);
        }
        let mut left = unite::<D>(sum);
        for p in 0..m {
            left[p] = r[grain * m + p] - left[p];
        }
        let own = times::<D>(&self.inverse, grain, &left);
        x[grain * m..][..m].copy_from_slice(&own[..m]);
    }

    /// x = (D + L)^-1 r.
    fn down(&self, r: &[f64], x: &mut [f64]) {
        for grain in 0..self.starts.len() - 1 {
            self.relax(grain, self.lower(grain), r, x);
        }
    }

    /// x = (D + L^T)^-1 r.
    fn up(&self, r: &[f64], x: &mut [f64]) {
        for grain in (0..self.starts.len() - 1).rev() {
            self.relax(grain, self.upper(grain), r, x);
        }
    }

    /// y = D x.
    fn blocks(&self, x: &[f64], y: &mut [f64]) {
        let m = D::N + D::SPINS;
        for (grain, (x, y)) in x.chunks_exact(m).zip(y.chunks_exact_mut(m)).enumerate() {
            y.copy_from_slice(&times::<D>(&self.diagonal, grain, x)[..m]);
        }
    }

    /// y = K x.
    pub fn multiply(&self, x: &[f64], y: &mut [f64]) {
        let m = D::N + D::SPINS;
        self.blocks(x, y);
        for (grain, y) in y.chunks_exact_mut(m).enumerate() {
            let mut sum = (D::Vector::default(), D::Spin::default());
            for side in self.lower(grain).iter().chain(self.upper(grain)) {
                side.add(x, &mut sum);
            }
            for (y, by) in y.iter_mut().zip(unite::<D>(sum)) {
                *y += by;
            }
        }
    }

    /// Improves displacements (m; turns times the radius, m) under a load (N; moments over the radius,
    /// N), both by grain, until what is left is `tolerance` of the load; forces are measured by the
    /// preconditioner, which is by how far they would move grains. Tells how many iterations it took;
    /// none when `most` were not enough or a number is not finite.
    pub fn solve(
        &self,
        load: &[f64],
        displacement: &mut [f64],
        tolerance: f64,
        most: usize,
    ) -> Option<usize> {
        let n = load.len();
        let [mut z, mut p, mut q, mut t, mut room] = [(); 5].map(|()| vec![0.0; n]);
        let mut r = vec![0.0; n];
        self.down(load, &mut r);
        self.blocks(&r, &mut z);
        let goal = tolerance * tolerance * dot(&r, &z);
        if displacement.iter().any(|&x| x != 0.0) {
            self.multiply(displacement, &mut q);
            for i in 0..n {
                q[i] = load[i] - q[i];
            }
            self.down(&q, &mut r);
        }
        let mut old = 0.0;
        for iteration in 0..=most {
            self.blocks(&r, &mut z);
            let rz = dot(&r, &z);
            if rz <= goal {
                return Some(iteration);
            }
            if !rz.is_finite() {
                return None;
            }
            let beta = if old == 0.0 { 0.0 } else { rz / old };
            old = rz;
            for i in 0..n {
                p[i] = z[i] + beta * p[i];
            }
            self.up(&p, &mut t);
            self.blocks(&t, &mut room);
            for i in 0..n {
                room[i] = p[i] - room[i];
            }
            self.down(&room, &mut q);
            for i in 0..n {
                q[i] += t[i];
            }
            let step = rz / dot(&p, &q);
            for i in 0..n {
                displacement[i] += step * t[i];
                r[i] -= step * q[i];
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{DMatrix, DVector};
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::super::{Dense, Freedom, Link, LinkState, Network, Node};
    use super::*;
    use crate::geometry::{Planar, Spatial};

    /// Random links among grains and with the ground, as a bed and as the dense stiffness of a
    /// [`Network`], whose turns are brought to turns times the radius.
    fn both<D: Dimension>(rng: &mut ChaCha8Rng) -> (Bed<D>, DMatrix<f64>) {
        let n = 12;
        let mut network = Network::<D>::new(Freedom::Full);
        let node = |network: &mut Network<D>, radius: f64, fixed: bool| {
            let position = D::Vector::default();
            network
                .add_node(Node {
                    position,
                    radius,
                    fixed,
                })
                .0
        };
        let radii: Vec<f64> = (0..n).map(|_| 0.5 + rng.random::<f64>()).collect();
        for &radius in &radii {
            node(&mut network, radius, false);
        }
        let wall = node(&mut network, 0.0, true);
        let mut struts: Vec<Strut<D>> = Vec::new();
        for a in 0..n {
            for b in [None, Some((a + 1) % n), Some((a + 5) % n)] {
                let mut normal = D::Vector::from_fn(|_| rng.random::<f64>() - 0.5);
                normal = normal * (1.0 / normal.norm());
                let kn = 1.0 + rng.random::<f64>();
                let slides = rng.random::<f64>() < 0.3;
                let kt = 0.5 * kn;
                let arm_b = b.map_or(0.0, |b| -radii[b]);
                network.add_link(Link {
                    a,
                    b: b.unwrap_or(wall),
                    normal,
                    arms: [normal * radii[a], normal * arm_b],
                    kn,
                    kt,
                    friction: 0.5,
                    state: if slides {
                        LinkState::Slide
                    } else {
                        LinkState::Grip
                    },
                });
                struts.push(Strut {
                    a: a as u32,
                    b: b.map(|b| b as u32),
                    normal,
                    kn,
                    kt: if slides { 0.0 } else { kt },
                    slide: if !slides && D::N == 3 && rng.random::<f64>() < 0.3 {
                        let any = D::Vector::from_fn(|_| rng.random::<f64>() - 0.5);
                        let across = any - normal * any.dot(&normal);
                        across * (1.0 / across.norm())
                    } else {
                        D::Vector::default()
                    },
                });
            }
        }
        let m = D::N + D::SPINS;
        let mut dense = Dense::stiffness(&network);
        let unit = |k: usize| {
            if k % m < D::N {
                1.0
            } else {
                1.0 / radii[k / m]
            }
        };
        let ground: Vec<[f64; 2]> = radii.iter().map(|r| [0.01 * r, 0.02 * r]).collect();
        for i in 0..n * m {
            for j in 0..n * m {
                dense[(i, j)] *= unit(i) * unit(j);
            }
            dense[(i, i)] += ground[i / m][usize::from(i % m >= D::N)];
        }
        for s in struts.iter().filter(|s| s.slide != D::Vector::default()) {
            // Of what the surfaces move apart in that direction, a unit of each unknown is so much.
            let turn = D::moment(s.normal, s.slide);
            let mut part = DVector::<f64>::zeros(n * m);
            for (grain, sign) in [(Some(s.a), 1.0), (s.b, -1.0)] {
                let Some(grain) = grain else { continue };
                for k in 0..m {
                    part[grain as usize * m + k] += if k < D::N {
                        sign * s.slide[k]
                    } else {
                        D::spin_component(turn, k - D::N)
                    };
                }
            }
            dense -= &part * part.transpose() * s.kt;
        }
        (Bed::new(&struts, &ground), dense)
    }

    fn check<D: Dimension>() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        for _ in 0..20 {
            let (mut bed, mut dense) = both::<D>(&mut rng);
            let n = dense.nrows();
            let x = DVector::from_fn(n, |_, _| rng.random::<f64>() - 0.5);
            let mut y = vec![0.0; n];
            bed.multiply(x.as_slice(), &mut y);
            // Sums of a few dozen products of order one.
            let off = (&dense * &x - DVector::from_vec(y)).amax();
            assert!(off < 1e-12, "{off:e}");
            let load = DVector::from_fn(n, |_, _| rng.random::<f64>() - 0.5);
            let mut found = vec![0.0; n];
            for held in [false, true] {
                if held {
                    let m = D::N + D::SPINS;
                    let stiffest = (0..m).map(|k| dense[(k, k)]).fold(0.0, f64::max);
                    for k in 0..m {
                        dense[(k, k)] += FAST * stiffest;
                    }
                    bed.hold(0);
                }
                // From what was found before, as the tries of a carry do.
                let took = bed.solve(load.as_slice(), &mut found, 1e-12, 500);
                assert!(took.is_some_and(|took| took > 0));
                let exact = dense.clone().lu().solve(&load).expect("it is held");
                let off = (&exact - DVector::from_column_slice(&found)).norm() / exact.norm();
                // The tolerance times the root of the condition, some 1e3 with the held grain.
                assert!(off < 1e-8, "{off:e}");
            }
        }
    }

    #[test]
    fn is_the_stiffness_of_the_network_and_solves_like_a_dense_factor() {
        check::<Planar>();
        check::<Spatial>();
    }
}
