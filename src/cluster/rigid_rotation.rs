//! Turns bodies of several spheres and moves their parts, eight bodies at a time.

use nalgebra::{Quaternion, UnitQuaternion, Vector3};

use super::arrays::{Arrays, Status};
use super::bodies::Body;
use crate::body::ShapeTemplate;
use crate::body::rotation::{Columns, PrincipalMoments, Tops, Turns, turned_alone};
use crate::geometry::Spatial;
use crate::vector::{Kernel, LANES, Lanes, Level, Row, run};

/// Data of kernels about forms in space.
#[derive(Clone, Debug, Default)]
pub struct TopTable {
    moments: Vec<PrincipalMoments>,
    /// The same in the form of rows.
    rows: Vec<Row>,
    /// Parts of all forms, over the radius of the grain: centre (3), radius.
    parts: Vec<[f64; 4]>,
    /// Start of the parts of each form.
    first: Vec<usize>,
}

impl TopTable {
    /// From forms; those without three valid moments of inertia get unit moments.
    pub fn new(forms: &[ShapeTemplate<Spatial>]) -> Self {
        let mut table = TopTable::default();
        for form in forms {
            table.first.push(table.parts.len());
            let parts = form.parts.iter();
            table
                .parts
                .extend(parts.map(|p| [p.centre.x, p.centre.y, p.centre.z, p.radius]));
            let moments = PrincipalMoments::new(form.inertia);
            // Forms are valid bodies, and so are their moments.
            let moments = moments.or_else(|_| PrincipalMoments::new([1.0; 3]));
            if let Ok(moments) = moments {
                table.rows.push(moments.row());
                table.moments.push(moments);
            }
        }
        table
    }
}

/// Parameters of the rotation of bodies.
#[derive(Clone, Copy, Debug)]
pub struct RigidRotation {
    /// Step, s.
    pub step: f64,
    /// Coefficient of the last two moments in the prediction of the angular momentum, s.
    pub foresee: f64,
    /// Whether the angular momentum is that at the start of the step, and not of half a step before: then bodies turn
    /// by that of the middle, and dampers work at the spins of the start (`heun`, which takes the mean of both ends).
    pub whole: bool,
}

/// Further results of the rotation.
#[derive(Clone, Copy, Debug, Default)]
pub struct RigidRotationSums {
    /// Work of the dampers' moments, J.
    pub work: f64,
    /// The greatest square of a speed, m^2/s^2.
    pub fastest: f64,
    /// The greatest square of the radius times the spin, m^2/s^2.
    pub rim: f64,
}

/// Turns stepped bodies, if a step is given, and moves their parts.
pub fn rotate_rigidly(
    level: Level,
    arrays: &mut Arrays<Spatial>,
    bodies: &mut [Body<Spatial>],
    table: &TopTable,
    step: Option<RigidRotation>,
) -> RigidRotationSums {
    run(
        level,
        Bodies {
            arrays,
            bodies,
            table,
            step,
        },
    )
}

struct Bodies<'a> {
    arrays: &'a mut Arrays<Spatial>,
    bodies: &'a mut [Body<Spatial>],
    table: &'a TopTable,
    step: Option<RigidRotation>,
}

impl Kernel for Bodies<'_> {
    type Output = RigidRotationSums;

    #[inline(always)]
    fn run<L: Lanes>(self) -> RigidRotationSums {
        let Bodies {
            arrays,
            bodies,
            table,
            step,
        } = self;
        let mut sums = RigidRotationSums::default();
        let (mut work, mut fastest, mut rim) = (L::splat(0.0), L::splat(0.0), L::splat(0.0));
        let mut next = 0;
        while next < bodies.len() {
            let (mut some, mut count) = ([0; LANES], 0);
            while next < bodies.len() && count < LANES {
                if arrays.status[bodies[next].slot as usize] == Status::Stepped {
                    some[count] = next;
                    count += 1;
                }
                next += 1;
            }
            if count == 0 {
                break;
            }
            // Empty lanes repeat the first one, and their results are ignored.
            let first = some[0];
            some[count..].fill(first);
            let eight = Eight { some, count };
            let turned = eight.turned::<L>(arrays, bodies, table, step, &mut work);
            eight.put(arrays, bodies, table, turned, &mut fastest, &mut rim);
        }
        sums.work = work.total();
        sums.fastest = greatest(fastest);
        sums.rim = greatest(rim);
        sums
    }
}

#[inline(always)]
fn greatest<L: Lanes>(lanes: L) -> f64 {
    lanes.to_array().into_iter().fold(0.0, f64::max)
}

#[inline(always)]
fn columns<L: Lanes>(of: &[[f64; LANES]; 3]) -> Columns<L> {
    [
        L::from_array(of[0]),
        L::from_array(of[1]),
        L::from_array(of[2]),
    ]
}

#[inline(always)]
fn plus<L: Lanes>(a: Columns<L>, b: Columns<L>, by: L) -> Columns<L> {
    [
        a[0].add(b[0].mul(by)),
        a[1].add(b[1].mul(by)),
        a[2].add(b[2].mul(by)),
    ]
}

#[inline(always)]
fn dot<L: Lanes>(a: Columns<L>, b: Columns<L>) -> L {
    a[0].mul(b[0]).add(a[1].mul(b[1])).add(a[2].mul(b[2]))
}

/// Eight bodies, by index.
struct Eight {
    some: [usize; LANES],
    count: usize,
}

impl Eight {
    /// Orientations of the bodies after the step, if there is one; also sets their spins.
    #[inline(always)]
    fn turned<L: Lanes>(
        &self,
        arrays: &mut Arrays<Spatial>,
        bodies: &mut [Body<Spatial>],
        table: &TopTable,
        step: Option<RigidRotation>,
        work: &mut L,
    ) -> Turns<L> {
        // Loops, since a closure might not be inlined with vector units enabled.
        let mut q = [[0.0; LANES]; 4];
        let mut slots = [0; LANES];
        for k in 0..LANES {
            let slot = bodies[self.some[k]].slot as usize;
            slots[k] = slot;
            let c = arrays.rotation[slot].coords;
            (q[0][k], q[1][k], q[2][k], q[3][k]) = (c.x, c.y, c.z, c.w);
        }
        let before = q;
        let q = [
            L::from_array(q[0]),
            L::from_array(q[1]),
            L::from_array(q[2]),
            L::from_array(q[3]),
        ];
        let turns = Turns::new(q);
        let Some(RigidRotation {
            step,
            foresee,
            whole,
        }) = step
        else {
            return turns;
        };
        let tops = Tops::<L>::new(table.rows.as_slice(), &self.forms(bodies));
        // Moments of inertia are those of the form times mass and radius squared.
        let (mut radius, mut share) = ([0.0; LANES], [0.0; LANES]);
        for (k, &slot) in slots.iter().enumerate() {
            radius[k] = arrays.rows[slot].0[3];
            share[k] = arrays.rows[slot].0[7] / (radius[k] * radius[k]);
        }
        let (radius, share) = (L::from_array(radius), L::from_array(share));
        let mut vectors = [[[0.0; LANES]; 3]; 4];
        for k in 0..LANES {
            let body = &bodies[self.some[k]];
            let four = [
                &body.momentum,
                &body.moment[0],
                &body.moment[1],
                &body.before,
            ];
            for (columns, v) in vectors.iter_mut().zip(four) {
                (columns[0][k], columns[1][k], columns[2][k]) = (v.x, v.y, v.z);
            }
        }
        let momentum = columns::<L>(&vectors[0]);
        let moment = columns::<L>(&vectors[1]);
        let lost = columns::<L>(&vectors[2]);
        let earlier = columns::<L>(&vectors[3]);
        let new = plus(momentum, moment, L::splat(step));
        // Spins before and after, in the old frame.
        let after = if whole { momentum } else { new };
        let both = plus(after, momentum, L::splat(1.0));
        let both = spin(&turns, &tops, both, share);
        let done = L::splat(-0.5 * step).mul(dot(lost, both));
        let real = L::mask(((1_u16 << self.count) - 1) as u8);
        *work = work.add(done.only(real));
        let turning = if whole {
            plus(momentum, moment, L::splat(0.5 * step))
        } else {
            new
        };
        let inside = turns.inward(turning);
        let inside = [
            inside[0].mul(share),
            inside[1].mul(share),
            inside[2].mul(share),
        ];
        let (after, left) = tops.turned(q, inside, step);
        let news = [new[0].to_array(), new[1].to_array(), new[2].to_array()];
        let turning = [
            turning[0].to_array(),
            turning[1].to_array(),
            turning[2].to_array(),
        ];
        let mut after = [
            after[0].to_array(),
            after[1].to_array(),
            after[2].to_array(),
            after[3].to_array(),
        ];
        if left != 0 {
            let share = share.to_array();
            for k in (0..LANES).filter(|k| left >> k & 1 == 1) {
                let body = &table.moments[usize::from(bodies[self.some[k]].form)];
                let old = std::array::from_fn(|c| before[c][k]);
                let momentum = std::array::from_fn(|c| turning[c][k] * share[k]);
                let alone = turned_alone(body, old, momentum, step);
                (0..4).for_each(|c| after[c][k] = alone[c]);
            }
        }
        let q = [
            L::from_array(after[0]),
            L::from_array(after[1]),
            L::from_array(after[2]),
            L::from_array(after[3]),
        ];
        let turns = Turns::new(q);
        let pulls = plus(moment, earlier, L::splat(1.0));
        let seen = plus(new, pulls, L::splat(foresee));
        let seen = spin(&turns, &tops, seen, share);
        let seen = [
            seen[0].mul(radius).to_array(),
            seen[1].mul(radius).to_array(),
            seen[2].mul(radius).to_array(),
        ];
        for k in 0..self.count {
            let body = &mut bodies[self.some[k]];
            body.momentum = Vector3::new(news[0][k], news[1][k], news[2][k]);
            body.before = body.moment[0];
            let [x, y, z, w] = [after[0][k], after[1][k], after[2][k], after[3][k]];
            let turned = UnitQuaternion::new_unchecked(Quaternion::new(w, x, y, z));
            arrays.rotation[slots[k]] = turned;
            let spin = &mut arrays.spins[slots[k]].0;
            (spin[0], spin[1], spin[2]) = (seen[0][k], seen[1][k], seen[2][k]);
        }
        turns
    }

    #[inline(always)]
    fn forms(&self, bodies: &[Body<Spatial>]) -> [u32; LANES] {
        let mut forms = [0; LANES];
        for k in 0..LANES {
            forms[k] = u32::from(bodies[self.some[k]].form);
        }
        forms
    }

    /// Moves the parts of the bodies.
    #[inline(always)]
    fn put<L: Lanes>(
        &self,
        arrays: &mut Arrays<Spatial>,
        bodies: &[Body<Spatial>],
        table: &TopTable,
        turns: Turns<L>,
        fastest: &mut L,
        rim: &mut L,
    ) {
        let zero = L::splat(0.0);
        let (mut slots, mut parts, mut first) = ([0; LANES], [0; LANES], [0; LANES]);
        for k in 0..LANES {
            let body = &bodies[self.some[k]];
            slots[k] = body.slot;
            parts[k] = usize::from(body.parts);
            first[k] = table.first[usize::from(body.form)];
        }
        let [x, y, z, radius, u, v, w, inverse_mass] =
            L::transpose(L::gather(&arrays.rows, &slots));
        let [a, b, c, ..] = L::transpose(L::gather(&arrays.spins, &slots));
        *fastest = fastest.max(dot([u, v, w], [u, v, w]));
        *rim = rim.max(dot([a, b, c], [a, b, c]));
        let inverse = L::splat(1.0).div(radius);
        let (a, b, c) = (a.mul(inverse), b.mul(inverse), c.mul(inverse));
        let most = parts[..self.count].iter().copied().fold(0, usize::max);
        for part in 0..most {
            let mut own = [[0.0; LANES]; 4];
            for k in 0..LANES {
                let of = &table.parts[first[k] + part.min(parts[k] - 1)];
                (0..4).for_each(|c| own[c][k] = of[c]);
            }
            let centre = [
                L::from_array(own[0]).mul(radius),
                L::from_array(own[1]).mul(radius),
                L::from_array(own[2]).mul(radius),
            ];
            let r = L::from_array(own[3]).mul(radius);
            let [i, j, k] = turns.outward(centre);
            let rows = L::transpose([
                x.add(i),
                y.add(j),
                z.add(k),
                r,
                u.add(b.mul(k).sub(c.mul(j))),
                v.add(c.mul(i).sub(a.mul(k))),
                w.add(a.mul(j).sub(b.mul(i))),
                inverse_mass,
            ]);
            let spins = L::transpose([a.mul(r), b.mul(r), c.mul(r), zero, zero, zero, zero, zero]);
            for k in 0..self.count {
                if part < parts[k] {
                    let place = slots[k] as usize + 1 + part;
                    rows[k].store(&mut arrays.rows[place]);
                    spins[k].store(&mut arrays.spins[place]);
                }
            }
        }
    }
}

/// Spins from angular momenta, both in the laboratory frame.
#[inline(always)]
fn spin<L: Lanes>(turns: &Turns<L>, tops: &Tops<L>, momentum: Columns<L>, share: L) -> Columns<L> {
    let inside = turns.inward(momentum);
    turns.outward([
        inside[0].mul(share).mul(tops.inverse[0]),
        inside[1].mul(share).mul(tops.inverse[1]),
        inside[2].mul(share).mul(tops.inverse[2]),
    ])
}
