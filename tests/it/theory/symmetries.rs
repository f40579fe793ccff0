//! What is turned by a right angle, mirrored, or numbered anew moves as what is not, over a time in which rounding has
//! not grown yet.
//!
//! A whole scenario is turned about the middle of its box: grains, gravity, walls, how these move, what is periodic.
//! Components of vectors change places and signs, so that the turned start is exact but for the last bit of lengths.

use arenite::body::Grain;
use arenite::cluster::integrate::Integrate;
use arenite::geometry::{Dimension, Vector};
use arenite::system::{Setup, System};
use arenite::walls::shapes;
use arenite::walls::{Boundary, Motion, MotionPiece, Shape};

use crate::models::random_draws::SIDE;
use crate::support::run;

/// Rounding, m, grown by some collisions of each grain; a contact that begins a step later is off by more before it has
/// grown.
pub const ROUNDING: f64 = 1e-7;

/// How long grains are followed, s: so that each collides some times.
const SHORT: f64 = 0.06;

/// What is done to a scenario as a whole.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Way {
    /// Along x, what was ahead is behind.
    Mirror,
    /// A right angle about an axis; the plane has the last alone.
    Quarter(usize),
}

impl Way {
    /// A direction, velocity or force.
    fn vector<V: Vector>(self, v: V) -> V {
        match self {
            Way::Mirror => V::from_fn(|k| if k == 0 { -v[k] } else { v[k] }),
            Way::Quarter(axis) => {
                let (from, to) = ((axis + 1) % 3, (axis + 2) % 3);
                V::from_fn(|k| match k {
                    _ if k == from => -v[to],
                    _ if k == to => v[from],
                    _ => v[k],
                })
            }
        }
    }

    fn point<V: Vector>(self, x: V) -> V {
        let middle = V::from_fn(|_| 0.5 * SIDE);
        middle + self.vector(x - middle)
    }

    /// An angular velocity: a mirror turns round those that lie in it, and leaves the one along its normal.
    fn spin<D: Dimension>(self, spin: D::Spin) -> D::Spin {
        let part = |k: usize| D::spin_component(spin, k);
        match self {
            Way::Mirror => D::spin_from_fn(|k| match D::SPINS {
                3 if k == 0 => part(k),
                _ => -part(k),
            }),
            Way::Quarter(_) if D::SPINS == 1 => spin,
            Way::Quarter(axis) => {
                let (from, to) = ((axis + 1) % 3, (axis + 2) % 3);
                D::spin_from_fn(|k| match k {
                    _ if k == from => -part(to),
                    _ if k == to => part(from),
                    _ => part(k),
                })
            }
        }
    }

    /// A grain as it is then.
    pub fn grain<D: Dimension>(self, grain: &Grain<D>) -> Grain<D> {
        let rotation = match self {
            // Only those are mirrored that look the same however they are turned.
            Way::Mirror => grain.rotation,
            Way::Quarter(axis) => {
                let about = |k: usize| f64::from(D::SPINS == 1 || k == axis);
                let turn = D::spin_from_fn(|k| about(k) * std::f64::consts::FRAC_PI_2);
                D::turned(grain.rotation, turn)
            }
        };
        Grain {
            position: self.point(grain.position),
            velocity: self.vector(grain.velocity),
            spin: self.spin::<D>(grain.spin),
            rotation,
            ..*grain
        }
    }

    fn shape<D: Dimension>(self, shape: &Shape<D>) -> Shape<D> {
        let mut shape = shape.clone();
        match &mut shape {
            Shape::Plane(shapes::Plane { point, normal }) => {
                (*point, *normal) = (self.point(*point), self.vector(*normal));
            }
            Shape::Polyline(shapes::Polyline { points, .. }) => {
                points.iter_mut().for_each(|x| *x = self.point(*x));
            }
            Shape::Mesh(mesh) => {
                mesh.corners.iter_mut().for_each(|x| *x = self.point(*x));
            }
            Shape::Box(shapes::Cuboid { min, max, .. }) => {
                let (a, b) = (self.point(*min), self.point(*max));
                *min = D::Vector::from_fn(|k| a[k].min(b[k]));
                *max = D::Vector::from_fn(|k| a[k].max(b[k]));
            }
            Shape::Ball(shapes::Ball { centre, .. }) => *centre = self.point(*centre),
            Shape::Revolved(shapes::Revolved { origin, axis, .. }) => {
                (*origin, *axis) = (self.point(*origin), self.vector(*axis));
            }
            Shape::Vessel(vessel) => {
                (vessel.from, vessel.to) = (self.point(vessel.from), self.point(vessel.to));
            }
            other => panic!("{other:?} is not drawn"),
        }
        shape
    }

    fn motion<D: Dimension>(self, motion: &Motion<D>) -> Motion<D> {
        let mut motion = motion.clone();
        match &mut motion {
            Motion::Fixed => {}
            Motion::Velocity(velocity) => *velocity = self.vector(*velocity),
            Motion::Rotation { centre, spin } => {
                (*centre, *spin) = (self.point(*centre), self.spin::<D>(*spin));
            }
            Motion::Harmonic { amplitude, .. } | Motion::Parabolic { amplitude, .. } => {
                *amplitude = self.vector(*amplitude);
            }
            Motion::Pieces(pieces) => {
                let turned = |piece: &MotionPiece<D>| MotionPiece {
                    from: piece.from,
                    velocity: self.vector(piece.velocity),
                    acceleration: self.vector(piece.acceleration),
                };
                *pieces = pieces.iter().map(turned).collect();
            }
            other => panic!("{other:?} is not drawn"),
        }
        motion
    }

    /// The whole scenario.
    pub fn setup<D: Dimension>(self, setup: &Setup<D>) -> Setup<D> {
        let wall = |wall: &Boundary<D>| Boundary {
            shape: self.shape(&wall.shape),
            motion: self.motion(&wall.motion),
            ..wall.clone()
        };
        let mut turned = Setup {
            grains: setup.grains.iter().map(|g| self.grain(g)).collect(),
            boundaries: setup.boundaries.iter().map(wall).collect(),
            ..setup.clone()
        };
        turned.fields.gravity = self.vector(setup.fields.gravity);
        if let Way::Quarter(axis) = self {
            turned.space.periodic.swap((axis + 1) % 3, (axis + 2) % 3);
        }
        turned
    }
}

/// The greatest distance, m, of grains from where they should be, and of points of their surfaces where these are told
/// from each other.
pub fn apart<D: Dimension>(setup: &Setup<D>, [got, want]: [&[Grain<D>]; 2], surfaces: bool) -> f64 {
    assert_eq!(got.len(), want.len());
    let mut most = 0.0_f64;
    for (a, b) in got.iter().zip(want) {
        for axis in 0..D::N {
            let way = (a.position[axis] - b.position[axis]).abs();
            let around = match &setup.space.periodic[axis] {
                Some(period) => (period.length - way).abs(),
                None => f64::INFINITY,
            };
            let along = |k: usize| f64::from(k == axis);
            let [own, other] = [a, b].map(|g| D::rotate(g.rotation, D::Vector::from_fn(along)));
            most = most.max(way.min(around));
            if surfaces {
                most = most.max((own - other).norm() * a.radius);
            }
        }
    }
    most
}

/// Grains in another order.
pub fn renumbered<D: Dimension>(setup: &Setup<D>) -> Setup<D> {
    let mut other = setup.clone();
    other.grains.reverse();
    for (k, grain) in other.grains.iter_mut().enumerate() {
        grain.id = k as u32;
    }
    other
}

/// For a while only, with the same step whatever is done: the one that a run chooses may differ in its second digit.
fn short<D: Integrate>(setup: &Setup<D>) -> Setup<D> {
    let mut setup = setup.clone();
    setup.run.end_time = SHORT;
    setup.motion.step = Some(System::<D>::plan(&setup).unwrap().step);
    setup
}

fn end<D: Integrate>(setup: &Setup<D>) -> Vec<Grain<D>> {
    run(setup).0.grains_at(setup.run.end_time)
}

/// What is turned and turned again, or mirrored, moves likewise; each way by itself, one upon the other.
pub fn turned_runs_agree<D: Integrate>(setup: &Setup<D>, ways: &[Way], what: &str) {
    let setup = short(setup);
    let seen = end(&setup);
    let (mut turned, mut image) = (setup.clone(), seen.clone());
    for way in ways {
        turned = way.setup(&turned);
        image = image.iter().map(|g| way.grain(g)).collect();
        let surfaces = !ways.contains(&Way::Mirror);
        let off = apart(&turned, [&end(&turned), &image], surfaces);
        assert!(
            off < ROUNDING || off < AMPLE * spread(&setup, &seen),
            "{what}: {way:?} of {ways:?} is off by {off:e} m"
        );
    }
}

/// Grains in another order move as before.
pub fn order_does_not_matter<D: Integrate>(setup: &Setup<D>, what: &str) {
    let setup = short(setup);
    let mut reversed = end(&renumbered(&setup));
    reversed.reverse();
    let seen = end(&setup);
    let off = apart(&setup, [&reversed, &seen], true);
    assert!(
        off < ROUNDING || off < AMPLE * spread(&setup, &seen),
        "{what}: another order is off by {off:e} m"
    );
}

/// In some draws grains graze each other so that rounding grows beyond what is allowed. In the one that was looked into, what is
/// turned was off by 1.03 times what a rounding at the start leads to; three such runs differ among themselves by more than ten.
const AMPLE: f64 = 10.0;

/// How far grains come from where they came to, m, if they start a rounding elsewhere: the most of three runs.
fn spread<D: Integrate>(setup: &Setup<D>, seen: &[Grain<D>]) -> f64 {
    let other = |k: usize| {
        let mut setup = setup.clone();
        for (i, grain) in setup.grains.iter_mut().enumerate() {
            let up = if (i + k).is_multiple_of(3) { 1.0 } else { -1.0 };
            grain.position = grain.position * (1.0 + up * f64::EPSILON);
        }
        apart(&setup, [&end(&setup), seen], true)
    };
    [0, 1, 2].map(other).into_iter().fold(0.0, f64::max)
}
