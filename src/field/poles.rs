//! Sums of the forces of poles and dipoles at the centres of grains (Jackson 1999, sections 4.1, 4.2, 5.7).
//!
//! With d from the other to the grain, r its length, q and p pole and moment of the grain, Q and P
//! those of the other, all times the constant of the force:
//!
//! - potential Q / r + P.d / r^3, field Q d / r^3 + 3 (P.d) d / r^5 - P / r^3;
//! - energy q potential - p.field, force its gradient backwards, moment p x field.
//!
//! Each grain sums over all others, eight at a time, in their order.

use super::particle_columns::ParticleColumns;
use crate::vector::{Kernel, LANES, Lanes, Level, Row, run};

/// Poles and moments of a crowd, and the constant of the force between them.
pub(super) struct Poles<'a> {
    /// Force times squared distance over the product of two poles.
    pub constant: f64,
    /// Centres, m.
    pub places: [&'a [Row]; 3],
    /// Poles; none where there are only dipoles.
    pub poles: Option<&'a [Row]>,
    /// Moments; none where there are only poles.
    pub moments: Option<[&'a [Row]; 3]>,
}

/// A pole and a moment at a position, on which the others act.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Probe {
    pub place: [f64; 3],
    pub pole: f64,
    pub moment: [f64; 3],
}

/// Action on a probe.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Felt {
    pub force: [f64; 3],
    /// Potential and field of the others.
    pub potential: f64,
    pub field: [f64; 3],
}

impl Poles<'_> {
    /// Returns the grain at an index as a probe.
    pub fn probe(&self, index: usize) -> Probe {
        let at = |rows: &[Row]| rows[index / LANES].0[index % LANES];
        Probe {
            place: self.places.map(at),
            pole: self.poles.map_or(0.0, at),
            moment: self.moments.map_or([0.0; 3], |moments| moments.map(at)),
        }
    }

    /// Evaluates the action of all others on each grain.
    pub fn each(&self, crowd: &ParticleColumns, mut felt: impl FnMut(usize, Probe, Felt)) {
        let level = Level::best();
        for index in 0..crowd.len() {
            let probe = self.probe(index);
            felt(index, probe, self.at(level, probe));
        }
    }

    /// Returns the action on a probe of all grains that are not at its position.
    pub fn at(&self, level: Level, probe: Probe) -> Felt {
        match (self.poles, self.moments) {
            (Some(poles), None) => run(
                level,
                PolesOnly {
                    places: self.places,
                    poles,
                    probe,
                    constant: self.constant,
                },
            ),
            (poles, Some(moments)) => run(
                level,
                WithMoments {
                    places: self.places,
                    poles,
                    moments,
                    probe,
                    constant: self.constant,
                },
            ),
            (None, None) => Felt::default(),
        }
    }
}

#[inline(always)]
fn dot<L: Lanes>(a: [L; 3], b: [L; 3]) -> L {
    a[0].mul(b[0]).add(a[1].mul(b[1])).add(a[2].mul(b[2]))
}

#[inline(always)]
fn splat<L: Lanes>(a: [f64; 3]) -> [L; 3] {
    a.map(L::splat)
}

/// Returns the displacement to the probe and the inverse distance, 0 where the distance is 0.
#[inline(always)]
fn way<L: Lanes>(places: [&[Row]; 3], block: usize, to: [L; 3]) -> ([L; 3], L) {
    let zero = L::splat(0.0);
    let d: [L; 3] = std::array::from_fn(|k| to[k].sub(L::load(&places[k][block])));
    let square = dot(d, d);
    let apart = zero.less(square);
    let inverse = L::splat(1.0).div(square.max(L::splat(f64::MIN_POSITIVE)).sqrt());
    (d, inverse.only(apart))
}

struct PolesOnly<'a> {
    places: [&'a [Row]; 3],
    poles: &'a [Row],
    probe: Probe,
    constant: f64,
}

impl Kernel for PolesOnly<'_> {
    type Output = Felt;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Felt {
        let zero = L::splat(0.0);
        let to = splat::<L>(self.probe.place);
        let mut potential = zero;
        let mut field = [zero; 3];
        for (block, poles) in self.poles.iter().enumerate() {
            let (d, inverse) = way(self.places, block, to);
            let near = L::load(poles).mul(inverse);
            potential = potential.add(near);
            let strength = near.mul(inverse).mul(inverse);
            for k in 0..3 {
                field[k] = field[k].add(strength.mul(d[k]));
            }
        }
        let field = field.map(|f| self.constant * f.total());
        Felt {
            force: field.map(|f| f * self.probe.pole),
            potential: self.constant * potential.total(),
            field,
        }
    }
}

struct WithMoments<'a> {
    places: [&'a [Row]; 3],
    poles: Option<&'a [Row]>,
    moments: [&'a [Row]; 3],
    probe: Probe,
    constant: f64,
}

impl Kernel for WithMoments<'_> {
    type Output = Felt;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Felt {
        let (zero, three) = (L::splat(0.0), L::splat(3.0));
        let to = splat::<L>(self.probe.place);
        let own = splat::<L>(self.probe.moment);
        let pole = L::splat(self.probe.pole);
        let mut potential = zero;
        let (mut force, mut field) = ([zero; 3], [zero; 3]);
        for block in 0..self.moments[0].len() {
            let (d, inverse) = way(self.places, block, to);
            let other: [L; 3] = std::array::from_fn(|k| L::load(&self.moments[k][block]));
            let q = self.poles.map_or(zero, |poles| L::load(&poles[block]));
            let square = inverse.mul(inverse);
            let cube = square.mul(inverse);
            let fifth = cube.mul(square);
            let (along, own_along) = (dot(other, d), dot(own, d));
            potential = potential.add(q.mul(inverse)).add(along.mul(cube));
            // Field of the other: along d, and along its moment; the first is also the force along the own moment.
            let by_way = q.mul(cube).add(three.mul(along).mul(fifth));
            // Force on the moment: along d, and along the other's.
            let product = dot(own, other)
                .sub(L::splat(5.0).mul(own_along).mul(along).mul(square))
                .sub(q.mul(own_along));
            let force_way = three.mul(product).mul(fifth);
            let force_other = three.mul(own_along).mul(fifth);
            for k in 0..3 {
                let at = by_way.mul(d[k]).sub(other[k].mul(cube));
                field[k] = field[k].add(at);
                let on_moment = force_way
                    .mul(d[k])
                    .add(by_way.mul(own[k]))
                    .add(force_other.mul(other[k]));
                force[k] = force[k].add(pole.mul(at)).add(on_moment);
            }
        }
        Felt {
            force: force.map(|f| self.constant * f.total()),
            potential: self.constant * potential.total(),
            field: field.map(|f| self.constant * f.total()),
        }
    }
}
