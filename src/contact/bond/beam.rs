//! The elastic beam of a bond: forces and moments from a potential of places and orientations.
//!
//! With the vector n of length r from the first centre to the second, and the directors e (along), t and u (across) of both
//! ends, which turn with the grains (Kuzkin and Asonov 2012, the V-model, written for both ends' directors along the beam):
//!
//! ```text
//! U = k (r - l)^2 / 2 + S (|e_a - n|^2 + |e_b - n|^2) / 4 + B |e_a - e_b|^2 / 2 + T (|t_a - t_b|^2 + |u_a - u_b|^2) / 4.
//! ```
//!
//! It depends on nothing else, so that no error adds up over time, energy is that of a state, and momentum and angular momentum
//! are kept exactly. For small angles the end's rotations against the line between the centres, alpha and beta, cost
//! S (alpha + beta)^2 / 8 for shear, (S / 4 + B + T / 2) (alpha - beta)^2 / 2 for bending, and T (twist)^2 / 2: with S = k_s l^2 and
//! B = k_b - S / 4 - T / 2 the stiffness matrix of a beam.

use serde::{Deserialize, Serialize};

use super::Directors;
use crate::geometry::{Dimension, Vector};

/// Properties of a bond.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Beam {
    /// Length without stress, m.
    pub length: f64,
    /// Stiffness against stretching, N/m.
    pub stretching: f64,
    /// Shear stiffness times the square of the length, N m.
    pub shearing: f64,
    /// Stiffness between the directors along the beam, N m; negative where shear gives more than the stiffness against bending.
    pub straightening: f64,
    /// Stiffness against twisting, N m; in the plane 0.
    pub twisting: f64,
    /// Dampers of stretching and shear, N s/m, of bending and twisting, N m s.
    pub dampers: [f64; 4],
    /// Inverse strengths in tension and shear, 1/N, in bending and twisting, 1/(N m); 0 for what cannot break.
    pub weakness: [f64; 4],
}

/// State of both ends of a bond.
#[derive(Clone, Copy, Debug)]
pub struct Ends<D: Dimension> {
    /// From the first centre to the second, m.
    pub apart: D::Vector,
    /// Its rate, m/s.
    pub velocity: D::Vector,
    /// Spins, rad/s.
    pub spins: [D::Spin; 2],
    /// Directors.
    pub directors: [Directors<D>; 2],
}

/// What a bond bears.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Load {
    /// Tension, N; negative where it is compressed.
    pub tension: f64,
    /// Shear force, N.
    pub shear: f64,
    /// The greater of the bending moments at its ends, N m.
    pub bending: f64,
    /// Moment about its line, N m.
    pub twisting: f64,
}

/// Forces of a bond.
#[derive(Clone, Copy, Debug)]
pub struct Response<D: Dimension> {
    /// Elastic force on the second grain, N; the first has the opposite.
    pub force: D::Vector,
    /// Elastic moments on both grains, N m.
    pub moments: [D::Spin; 2],
    /// The dampers' force on the second grain, N.
    pub damping: D::Vector,
    /// The dampers' moments on both, N m.
    pub damping_moments: [D::Spin; 2],
    /// What it bears, without dampers.
    pub load: Load,
    /// How that breaks it, if it does.
    pub breaks: Option<Break>,
}

impl<D: Dimension> Response<D> {
    /// Returns the power of the elastic moments, W.
    pub fn turning_power(&self, ends: &Ends<D>) -> f64 {
        let power = |end: usize| D::spin_dot(self.moments[end], ends.spins[end]);
        power(0) + power(1)
    }
}

/// How a bond breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Break {
    /// In tension, with bending.
    Torn,
    /// In shear, with twisting.
    Sheared,
}

impl Load {
    /// Returns its shares of the strengths of a bond in tension with bending, and in shear with twisting.
    fn shares(&self, weakness: &[f64; 4]) -> [f64; 2] {
        [
            self.tension * weakness[0] + self.bending * weakness[2],
            self.shear * weakness[1] + self.twisting * weakness[3],
        ]
    }

    /// Returns how it breaks a bond, by the greater share of its strength; none if it holds.
    pub fn breaks(&self, weakness: &[f64; 4]) -> Option<Break> {
        let [tension, shear] = self.shares(weakness);
        let way = match shear > tension {
            true => Break::Sheared,
            false => Break::Torn,
        };
        (tension.max(shear) >= 1.0).then_some(way)
    }
}

impl Beam {
    /// Returns the stiffness against shear, N/m.
    pub fn shear_stiffness(&self) -> f64 {
        self.shearing / (self.length * self.length)
    }

    /// Returns the stiffness against bending, N m.
    pub fn bending_stiffness(&self) -> f64 {
        self.straightening + 0.25 * self.shearing + 0.5 * self.twisting
    }

    /// Returns the greater share of its strength that a load takes; 1 breaks it, and compression takes less than nothing.
    pub fn share(&self, load: &Load) -> f64 {
        let [tension, shear] = load.shares(&self.weakness);
        tension.max(shear)
    }

    /// Returns the energy stored, J.
    pub fn energy<D: Dimension>(&self, apart: D::Vector, directors: [Directors<D>; 2]) -> f64 {
        let length = apart.norm();
        let n = apart * (1.0 / length);
        let [[ea, ta, ua], [eb, tb, ub]] = directors;
        let stretch = length - self.length;
        0.5 * self.stretching * stretch * stretch
            + 0.25 * self.shearing * ((ea - n).norm_squared() + (eb - n).norm_squared())
            + 0.5 * self.straightening * (ea - eb).norm_squared()
            + 0.25 * self.twisting * ((ta - tb).norm_squared() + (ua - ub).norm_squared())
    }

    /// Returns forces and moments.
    #[inline(always)]
    pub fn respond<D: Dimension>(&self, ends: &Ends<D>) -> Response<D> {
        let length = ends.apart.norm();
        let inverse = 1.0 / length;
        let n = ends.apart * inverse;
        let [[ea, ta, ua], [eb, tb, ub]] = ends.directors;
        let tension = self.stretching * (length - self.length);
        let both = ea + eb;
        let across = (both - n * both.dot(&n)) * (0.5 * self.shearing * inverse);
        // Between the ends; the first has it, the second its opposite.
        let mut between = D::moment(ea, eb) * self.straightening;
        if self.twisting != 0.0 {
            let twist = D::moment(ta, tb) + D::moment(ua, ub);
            between += twist * (0.5 * self.twisting);
        }
        let half = 0.5 * self.shearing;
        let moments = [
            D::moment(ea, n) * half + between,
            D::moment(eb, n) * half - between,
        ];
        let bends = moments.map(|moment| {
            let twisting = along::<D>(moment, n);
            let whole = D::spin_dot(moment, moment);
            [(whole - twisting * twisting).max(0.0), twisting.abs()]
        });
        let load = Load {
            tension,
            shear: across.norm(),
            bending: bends[0][0].max(bends[1][0]).sqrt(),
            twisting: bends[0][1].max(bends[1][1]),
        };
        let (damping, damping_moments) = self.damp(ends, n);
        Response {
            force: across - n * tension,
            moments,
            damping,
            damping_moments,
            load,
            breaks: load.breaks(&self.weakness),
        }
    }

    /// Returns the dampers' force on the second end, and their moments on both.
    #[inline(always)]
    fn damp<D: Dimension>(&self, ends: &Ends<D>, n: D::Vector) -> (D::Vector, [D::Spin; 2]) {
        let [stretching, shearing, bending, twisting] = self.dampers;
        if self.dampers == [0.0; 4] {
            return Default::default();
        }
        let [first, second] = ends.spins;
        let arm = ends.apart * 0.5;
        let along_it = n * ends.velocity.dot(&n);
        // At the middle of the bond.
        let shear = ends.velocity - along_it - D::cross_spin(first + second, arm);
        let shear = shear * -shearing;
        let turning = second - first;
        let mut moment = turning * -bending;
        if D::N == 3 {
            let twist = along::<D>(turning, n) * (bending - twisting);
            moment += D::spin_from_fn(|k| twist * n[k]);
        }
        let lever = D::moment(arm, shear);
        (
            shear - along_it * stretching,
            [-lever - moment, -lever + moment],
        )
    }
}

/// The component of a moment or spin along a line; in the plane 0.
fn along<D: Dimension>(moment: D::Spin, n: D::Vector) -> f64 {
    if D::N == 2 {
        return 0.0;
    }
    (0..3).map(|k| D::spin_component(moment, k) * n[k]).sum()
}

#[cfg(test)]
mod tests {
    use super::super::Bond;
    use super::*;
    use crate::geometry::{Planar, Spatial};
    use nalgebra::{UnitQuaternion, Vector2, Vector3};

    fn beam(twisting: f64) -> Beam {
        Beam {
            length: 1.0,
            stretching: 7.0,
            shearing: 5.0,
            straightening: 0.6,
            twisting,
            dampers: [0.3, 0.2, 0.4, 0.5],
            weakness: [0.0; 4],
        }
    }

    /// Forces and moments are the gradients of the energy, far from the state without stress too.
    #[test]
    fn forces_are_gradients_in_space() {
        let beam = beam(0.9);
        let bond = Bond::<Spatial>::new(
            [1, 2],
            beam,
            [
                UnitQuaternion::from_euler_angles(0.3, 0.1, -0.7),
                UnitQuaternion::identity(),
            ],
            Vector3::new(0.5, -0.4, 0.7),
        );
        let turns = [Vector3::new(0.2, -0.5, 0.4), Vector3::new(-0.6, 0.1, 0.3)];
        let start = [
            UnitQuaternion::from_euler_angles(0.3, 0.1, -0.7),
            UnitQuaternion::identity(),
        ];
        let place = Vector3::new(0.6, -0.2, 0.9);
        let state = |way: Vector3<f64>, more: [Vector3<f64>; 2]| {
            let rotations = [0, 1].map(|end| {
                UnitQuaternion::from_scaled_axis(more[end])
                    * UnitQuaternion::from_scaled_axis(turns[end])
                    * start[end]
            });
            beam.energy::<Spatial>(place + way, bond.turned(rotations))
        };
        let rotations = [0, 1].map(|end| UnitQuaternion::from_scaled_axis(turns[end]) * start[end]);
        let found = beam.respond::<Spatial>(&Ends {
            apart: place,
            velocity: Vector3::zeros(),
            spins: [Vector3::zeros(); 2],
            directors: bond.turned(rotations),
        });
        let none = Vector3::zeros();
        let small = 1e-5;
        for k in 0..3 {
            let way = Vector3::from_fn(|j, _| if j == k { small } else { 0.0 });
            let force = (state(-way, [none; 2]) - state(way, [none; 2])) / (2.0 * small);
            assert!(
                (force - found.force[k]).abs() < 1e-8,
                "{force} {}",
                found.force[k]
            );
            for end in 0..2 {
                let more = |sign: f64| [0, 1].map(|e| if e == end { way * sign } else { none });
                let moment = (state(none, more(-1.0)) - state(none, more(1.0))) / (2.0 * small);
                assert!((moment - found.moments[end][k]).abs() < 1e-8);
            }
        }
        // Neither momentum nor angular momentum comes from a bond.
        let whole = found.moments[0] + found.moments[1] + place.cross(&found.force);
        assert!(whole.norm() < 1e-14);
    }

    /// The same in the plane.
    #[test]
    fn forces_are_gradients_in_the_plane() {
        let beam = beam(0.0);
        let bond = Bond::<Planar>::new([1, 2], beam, [0.4, -0.3], Vector2::new(0.6, 0.8));
        let place = Vector2::new(0.3, 1.1);
        let angles = [0.9, -0.6];
        let energy = |x: Vector2<f64>, a: [f64; 2]| beam.energy::<Planar>(x, bond.turned(a));
        let found = beam.respond::<Planar>(&Ends {
            apart: place,
            velocity: Vector2::zeros(),
            spins: [0.0; 2],
            directors: bond.turned(angles),
        });
        let small = 1e-5;
        for k in 0..2 {
            let way = Vector2::from_fn(|j, _| if j == k { small } else { 0.0 });
            let force = (energy(place - way, angles) - energy(place + way, angles)) / (2.0 * small);
            assert!((force - found.force[k]).abs() < 1e-8);
            let at = |more: f64| {
                energy(
                    place,
                    [0, 1].map(|e| angles[e] + if e == k { more } else { 0.0 }),
                )
            };
            let moment = (at(-small) - at(small)) / (2.0 * small);
            assert!((moment - found.moments[k]).abs() < 1e-8);
        }
        let whole = found.moments[0] + found.moments[1] + Planar::moment(place, found.force);
        assert!(whole.abs() < 1e-14);
    }

    /// Dampers take energy, keep momentum and angular momentum, and do not resist a rotation of the whole.
    #[test]
    fn dampers_resist_deformation_alone() {
        let beam = beam(0.9);
        let place = Vector3::new(0.6, -0.2, 0.9);
        let directors = [super::super::axes::<Spatial>(place.normalize()); 2];
        let spin = Vector3::new(0.4, 1.0, -0.8);
        let damp = |velocity, spins| {
            beam.respond::<Spatial>(&Ends {
                apart: place,
                velocity,
                spins,
                directors,
            })
        };
        let rigid = damp(spin.cross(&place), [spin; 2]);
        assert!(rigid.damping.norm() < 1e-15 && rigid.damping_moments[0].norm() < 1e-15);
        let spins = [spin, Vector3::new(-0.2, 0.5, 0.3)];
        let velocity = Vector3::new(0.3, -0.9, 0.1);
        let any = damp(velocity, spins);
        let [first, second] = any.damping_moments;
        let power = any.damping.dot(&velocity) + first.dot(&spins[0]) + second.dot(&spins[1]);
        assert!(power < 0.0);
        assert!((first + second + place.cross(&any.damping)).norm() < 1e-15);
    }
}
