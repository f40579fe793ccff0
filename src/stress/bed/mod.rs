//! Solver for increments of displacements of a bed of grains.
//!
//! Each row contains the displacement of a grain and its rotation times its radius, so that the geometry of a
//! link consists only of its normal: at a contact in the direction m from a to b, the surfaces separate by d
//! = u_a - u_b + (s_a + s_b) x m, which the link resists with kn along m and kt across. For grains with
//! several parts this holds for the parts in contact, which move and turn with their grains ([`Lever`]).
//!
//! With the diagonal block of each grain D = G G^T, the solver computes y = G^T x, whose matrix I +
//! L + L^T has unit blocks on the diagonal.

mod solve;

use super::precondition::{cholesky, forward};
use crate::body::Lever;
use crate::geometry::{Dimension, Vector};

pub use solve::Number;

/// An elastic link.
#[derive(Clone, Copy, Debug)]
pub struct Strut<D: Dimension> {
    /// First grain.
    pub a: u32,
    /// Second grain; none for the ground.
    pub b: Option<u32>,
    /// Unit normal from the first to the second.
    pub normal: D::Vector,
    /// Stiffness along the normal, N/m.
    pub kn: f64,
    /// Tangential stiffness, N/m; in the plane 0 for a sliding link.
    pub kt: f64,
    /// In space, for a sliding link: the direction of sliding, a unit tangent vector; the link
    /// resists only perpendicular to it. Otherwise zero.
    pub slide: D::Vector,
    /// Stiffness against rolling and against twisting, N/m.
    pub turning: [f64; 2],
    /// Rolling radius over the radius of the ball at each end: what is resisted is the rotation of the first times the
    /// first less that of the second times the second.
    pub arms: [f64; 2],
}

/// The stiffness matrix of a bed in the form required by the solver.
#[derive(Debug)]
pub struct Bed<D: Dimension, S: Number> {
    /// Rank of each grain in the order of sweeps.
    ranks: Vec<u32>,
    /// By rank: the inverse of G, the Cholesky factor of the diagonal block, by rows; zero for held grains.
    roots: Vec<f64>,
    /// By rank: start of the links to lower ranks, and of those to higher ranks.
    starts: Vec<[u32; 2]>,
    /// Ranks at the other ends of links, by rank.
    to: Vec<u32>,
    /// Blocks of L or L^T of these links, by columns.
    blocks: Vec<D::Unknowns<S>>,
}

/// Greatest number of unknowns of a grain.
const MOST: usize = 6;
/// Consecutive grains of a sweep alternate between this many separate regions of the bed, so that a
/// grain does not wait for the result of the one before.
const STRANDS: usize = 4;

/// Number of unknowns of a grain.
const fn unknowns<D: Dimension>() -> usize {
    D::N + D::SPINS
}

/// Force, and moment over the radius, with which a strut resists a separation of its surfaces, for the
/// end from which the normal points; `lever` applies if the ball at that end is part of a grain.
fn resist<D: Dimension>(
    s: &Strut<D>,
    normal: D::Vector,
    apart: D::Vector,
    lever: Option<&Lever<D>>,
) -> [f64; MOST] {
    let along = apart.dot(&normal) * (s.kn - s.kt);
    let mut force = normal * along + apart * s.kt;
    // In the plane there is no tangential direction perpendicular to that of sliding.
    if D::N == 3 {
        force += s.slide * (-s.kt * apart.dot(&s.slide));
    }
    let moment = D::moment(normal, force);
    let moment = lever.map_or(moment, |lever| lever.moment(force, moment));
    std::array::from_fn(|k| {
        if k < D::N {
            force[k]
        } else if k < unknowns::<D>() {
            D::spin_component(moment, k - D::N)
        } else {
            0.0
        }
    })
}

/// Adds the moment over the radius with which a strut resists a rotation; `arms` is the product of those of the ends at
/// which moment and rotation are, negative for different ends.
fn resist_turning<D: Dimension>(s: &Strut<D>, unknown: usize, arms: f64, column: &mut [f64; MOST]) {
    if unknown < D::N || s.turning == [0.0; 2] {
        return;
    }
    let q = unknown - D::N;
    let [rolling, twisting] = s.turning;
    for p in 0..D::SPINS {
        let along = if D::N == 3 {
            s.normal[p] * s.normal[q]
        } else {
            0.0
        };
        let across = f64::from(u8::from(p == q)) - along;
        column[D::N + p] += arms * (rolling * across + twisting * along);
    }
}

/// Separation of the surfaces for a unit of one unknown of the grain from which the normal points
/// (`sign` 1), or of the other (-1).
fn apart<D: Dimension>(
    unknown: usize,
    normal: D::Vector,
    sign: f64,
    lever: Option<&Lever<D>>,
) -> D::Vector {
    let unit = |k: usize| f64::from(u8::from(k == unknown));
    let turn = D::spin_from_fn(|k| unit(D::N + k));
    match lever {
        Some(lever) => {
            let moved = D::Vector::from_fn(unit) + D::cross_spin(turn, lever.arm);
            moved * sign + D::cross_spin(turn * lever.share, normal)
        }
        None => D::Vector::from_fn(unit) * sign + D::cross_spin(turn, normal),
    }
}

impl<D: Dimension, S: Number> Bed<D, S> {
    /// A bed of struts between disks or spheres. In addition a spring to the ground holds each degree of
    /// freedom: `ground` gives these by grain, N/m, for displacements and for rotations times the radius.
    pub fn new(struts: &[Strut<D>], ground: &[[f64; 2]]) -> Self {
        Self::with_levers(struts, &[], ground)
    }

    /// The same with grains of several parts: `levers` gives the positions of the balls at the two
    /// ends of each strut in their grains. Empty if all grains are balls.
    pub fn with_levers(struts: &[Strut<D>], levers: &[[Lever<D>; 2]], ground: &[[f64; 2]]) -> Self {
        let (n, m) = (ground.len(), unknowns::<D>());
        let ranks = strands(n);
        let mut counts = vec![[0u32; 2]; n + 1];
        let ends = |s: &Strut<D>| s.b.map(|b| [s.a, b].map(|grain| ranks[grain as usize]));
        for [a, b] in struts.iter().filter_map(ends) {
            counts[a.max(b) as usize][0] += 1;
            counts[a.min(b) as usize][1] += 1;
        }
        let mut starts = Vec::with_capacity(n + 1);
        let mut at = 0;
        for [lower, upper] in &counts {
            starts.push([at, at + lower]);
            at += lower + upper;
        }
        let mut roots = vec![0.0; n * m * m];
        for (ground, &rank) in ground.iter().zip(&ranks) {
            for p in 0..m {
                roots[(rank as usize * m + p) * m + p] = ground[usize::from(p >= D::N)];
            }
        }
        for (index, s) in struts.iter().enumerate() {
            let levers = levers.get(index);
            for (end, grain, normal) in [(0, Some(s.a), s.normal), (1, s.b, -s.normal)] {
                let Some(grain) = grain else { continue };
                let lever = levers.map(|levers| &levers[end]);
                let arm = s.arms[end] * share(lever);
                let block = &mut roots[ranks[grain as usize] as usize * m * m..][..m * m];
                for q in 0..m {
                    let apart = apart::<D>(q, normal, 1.0, lever);
                    let mut column = resist(s, normal, apart, lever);
                    resist_turning(s, q, arm * arm, &mut column);
                    for p in 0..m {
                        block[p * m + q] += column[p];
                    }
                }
            }
        }
        for block in roots.chunks_exact_mut(m * m) {
            invert_root(block, m);
        }
        let mut to = vec![0; at as usize];
        let mut blocks = vec![D::Unknowns::<S>::default(); at as usize * m];
        let mut next = starts.clone();
        for (index, s) in struts.iter().enumerate() {
            let Some([a, b]) = ends(s) else { continue };
            let levers = levers.get(index);
            let [own_lever, other_lever] = [0, 1].map(|end| levers.map(|levers| &levers[end]));
            let arms = -s.arms[0] * share(own_lever) * s.arms[1] * share(other_lever);
            let [own, other] = [a, b].map(|rank| &roots[rank as usize * m * m..][..m * m]);
            // Effect of the other grain's unknowns on this one, in the units of both; the reverse is the transpose.
            let mut ours = [[0.0; MOST]; MOST];
            for (q, column) in ours[..m].iter_mut().enumerate() {
                let apart = apart::<D>(q, s.normal, -1.0, other_lever);
                let mut force = resist(s, s.normal, apart, own_lever);
                resist_turning(s, q, arms, &mut force);
                *column = times_lower(own, m, &force);
            }
            let mut both = [[0.0; MOST]; MOST];
            for (q, column) in both[..m].iter_mut().enumerate() {
                for (k, ours) in ours[..=q].iter().enumerate() {
                    for p in 0..m {
                        column[p] += other[q * m + k] * ours[p];
                    }
                }
            }
            let mut put = |from: u32, other: u32, entry: &dyn Fn(usize, usize) -> f64| {
                let place = &mut next[from as usize][usize::from(other > from)];
                let k = *place as usize;
                *place += 1;
                to[k] = other;
                for (q, column) in blocks[k * m..][..m].iter_mut().enumerate() {
                    for (p, value) in column.as_mut()[..m].iter_mut().enumerate() {
                        *value = S::of(entry(p, q));
                    }
                }
            };
            put(a, b, &|p, q| both[q][p]);
            put(b, a, &|p, q| both[p][q]);
        }
        Bed {
            ranks,
            roots,
            starts,
            to,
            blocks,
        }
    }

    /// Fixes a grain.
    pub fn hold(&mut self, grain: usize) {
        let (m, none) = (unknowns::<D>(), D::Unknowns::<S>::default());
        let rank = self.ranks[grain] as usize;
        self.roots[rank * m * m..][..m * m].fill(0.0);
        let own = self.starts[rank][0] as usize..self.starts[rank + 1][0] as usize;
        for k in own {
            self.blocks[k * m..][..m].fill(none);
            let other = self.to[k] as usize;
            for back in self.starts[other][0] as usize..self.starts[other + 1][0] as usize {
                if self.to[back] as usize == rank {
                    self.blocks[back * m..][..m].fill(none);
                }
            }
        }
    }

    /// Grains, and the inverses of the Cholesky factors of their blocks.
    fn roots(&self) -> impl Iterator<Item = (usize, &[f64])> {
        let size = unknowns::<D>() * unknowns::<D>();
        let root = move |&rank: &u32| &self.roots[rank as usize * size..][..size];
        self.ranks.iter().map(root).enumerate()
    }

    fn lower(&self, rank: usize) -> std::ops::Range<u32> {
        self.starts[rank][0]..self.starts[rank][1]
    }

    fn upper(&self, rank: usize) -> std::ops::Range<u32> {
        self.starts[rank][1]..self.starts[rank + 1][0]
    }
}

/// Radius of a ball at the end of a strut over that of its grain.
fn share<D: Dimension>(lever: Option<&Lever<D>>) -> f64 {
    lever.map_or(1.0, |lever| lever.share)
}

/// Ranks by grain: the first of each strand, the second of each, and so on.
fn strands(grains: usize) -> Vec<u32> {
    let long = grains.div_ceil(STRANDS);
    let mut ranks = vec![0; grains];
    let mut rank = 0;
    for first in 0..long {
        for grain in (first..grains).step_by(long.max(1)) {
            ranks[grain] = rank;
            rank += 1;
        }
    }
    ranks
}

/// Replaces a block by the inverse of its Cholesky factor, or by zero if it has none.
fn invert_root(block: &mut [f64], m: usize) {
    let mut factor = [0.0; MOST * MOST];
    let factor = &mut factor[..m * m];
    factor.copy_from_slice(block);
    block.fill(0.0);
    if cholesky(factor, m).is_ok() {
        for q in 0..m {
            let mut column = [0.0; MOST];
            column[q] = 1.0;
            forward(factor, m, &mut column[..m]);
            for p in q..m {
                block[p * m + q] = column[p];
            }
        }
    }
}

/// Product of a lower triangular matrix and a vector.
#[inline(always)]
fn times_lower(lower: &[f64], m: usize, x: &[f64]) -> [f64; MOST] {
    let mut y = [0.0; MOST];
    for p in 0..m {
        y[p] = (0..=p).map(|q| lower[p * m + q] * x[q]).sum();
    }
    y
}

#[cfg(test)]
mod tests {
    use nalgebra::{DMatrix, DVector};
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::geometry::{Planar, Spatial};
    use crate::stress::{Dense, Freedom, Link, LinkState, Network, Node};

    /// Random links between grains and with the ground, as a bed and as the dense stiffness of a
    /// [`Network`], with rotations converted to rotations times the radius.
    fn both<D: Dimension, S: Number>(
        rng: &mut ChaCha8Rng,
        shaped: bool,
    ) -> (Bed<D, S>, DMatrix<f64>) {
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
        let mut levers: Vec<[Lever<D>; 2]> = Vec::new();
        for a in 0..n {
            // Grains of several parts may have two links.
            let twice = shaped.then_some(Some((a + 1) % n));
            let others = [None, Some((a + 1) % n), Some((a + 5) % n)];
            for b in others.into_iter().chain(twice) {
                let mut lever = || Lever {
                    arm: D::Vector::from_fn(|_| {
                        if shaped {
                            rng.random::<f64>() - 0.5
                        } else {
                            0.0
                        }
                    }),
                    share: if shaped { 0.3 } else { 1.0 },
                };
                let ends = [lever(), lever()];
                let mut normal = D::Vector::from_fn(|_| rng.random::<f64>() - 0.5);
                normal = normal * (1.0 / normal.norm());
                let kn = 1.0 + rng.random::<f64>();
                let slides = rng.random::<f64>() < 0.3;
                let kt = 0.5 * kn;
                let arm = |end: usize, grain: usize, normal: D::Vector| {
                    let Lever { arm, share } = ends[end];
                    (arm + normal * share) * radii[grain]
                };
                let arm_b = b.map_or(D::Vector::default(), |b| arm(1, b, -normal));
                if shaped {
                    levers.push(ends);
                }
                network.add_link(Link {
                    a,
                    b: b.unwrap_or(wall),
                    normal,
                    arms: [arm(0, a, normal), arm_b],
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
                    turning: [0.3 * kn, 0.2 * kn],
                    arms: [0.4, 0.7],
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
        for (index, s) in struts.iter().enumerate() {
            // Rotation of one ball against the other: across the normal, and along it.
            let [rolling, twisting] = s.turning;
            let sides = [(0, Some(s.a), 1.0), (1, s.b, -1.0)];
            let arm = |end: usize| {
                let share = levers.get(index).map_or(1.0, |ends| ends[end].share);
                s.arms[end] * share
            };
            for (p, from, sign) in sides {
                for (q, to, other) in sides {
                    let (Some(from), Some(to)) = (from, to) else {
                        continue;
                    };
                    let factor = sign * other * arm(p) * arm(q);
                    let row = |grain: u32, k: usize| grain as usize * m + D::N + k;
                    for i in 0..D::SPINS {
                        for j in 0..D::SPINS {
                            let along = if D::N == 3 {
                                s.normal[i] * s.normal[j]
                            } else {
                                0.0
                            };
                            let across = f64::from(u8::from(i == j)) - along;
                            dense[(row(from, i), row(to, j))] +=
                                factor * (rolling * across + twisting * along);
                        }
                    }
                }
            }
            if s.slide == D::Vector::default() {
                continue;
            }
            // Contribution of a unit of each unknown to the separation of the surfaces in that direction.
            let mut part = DVector::<f64>::zeros(n * m);
            for (end, grain, sign) in [(0, Some(s.a), 1.0), (1, s.b, -1.0)] {
                let Some(grain) = grain else { continue };
                let lever = levers.get(index).map_or(Lever::ball(), |ends| ends[end]);
                let across = D::moment(lever.arm, s.slide) * sign;
                let turn = D::moment(s.normal, s.slide) * lever.share + across;
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
        (Bed::with_levers(&struts, &levers, &ground), dense)
    }

    /// Compares solutions with those of a dense factor: first with all grains free, then with one held.
    fn check<D: Dimension, S: Number>(tolerance: f64, bound: f64) {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        for shaped in [false, true].repeat(20) {
            let (mut bed, mut dense) = both::<D, S>(&mut rng, shaped);
            let n = dense.nrows();
            let mut load = DVector::from_fn(n, |_, _| rng.random::<f64>() - 0.5);
            let mut found = vec![0.0; n];
            for held in [false, true] {
                if held {
                    for k in 0..D::N + D::SPINS {
                        dense.row_mut(k).fill(0.0);
                        dense.column_mut(k).fill(0.0);
                        dense[(k, k)] = 1.0;
                        load[k] = 0.0;
                    }
                    bed.hold(0);
                }
                // Starts from the last solution, as the attempts of an equilibrium solve do.
                let took = bed.solve(load.as_slice(), &mut found, tolerance, 500);
                assert!(took.is_some_and(|took| took > 0));
                let exact = dense.clone().lu().solve(&load).expect("it is held");
                let off = (&exact - DVector::from_column_slice(&found)).norm() / exact.norm();
                assert!(off < bound, "{off:e}");
            }
        }
    }

    #[test]
    fn is_the_stiffness_of_the_network_and_solves_like_a_dense_factor() {
        // The tolerance times the square root of the condition number, about 30, with a margin.
        check::<Planar, f64>(1e-12, 1e-10);
        check::<Spatial, f64>(1e-12, 1e-10);
        // Numbers are rounded by 6e-8 here, times the condition number, about 1e3.
        check::<Planar, f32>(1e-6, 1e-4);
        check::<Spatial, f32>(1e-6, 1e-4);
    }
}
