//! Motion of boundaries: prescribed, except for guided walls.

use serde::{Deserialize, Serialize};

use super::{Guided, Pose, Slide};
use crate::geometry::path::Path;
use crate::geometry::{Dimension, Vector};

/// The path of a boundary's frame: a function of time only, except for [`Guided`] walls.
///
/// A motion starts at time 0: before that (while grains settle) the wall rests at its initial position. Pieces have
/// start times of their own.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub enum Motion<D: Dimension> {
    /// At rest.
    #[default]
    Fixed,
    /// Constant velocity, m/s.
    Velocity(D::Vector),
    /// Constant turning about a centre, rad/s.
    Rotation {
        /// Centre, m.
        centre: D::Vector,
        /// Angular velocity, rad/s.
        spin: D::Spin,
    },
    /// Harmonic: displacement = amplitude sin(2 pi frequency t + phase) - amplitude sin(phase).
    Harmonic {
        /// Amplitude, m.
        amplitude: D::Vector,
        /// Frequency, Hz.
        frequency: f64,
        /// Phase, rad.
        phase: f64,
    },
    /// Pieces of constant acceleration: from each start time, initial velocity and acceleration;
    /// the position is continuous; before the first start the wall rests.
    Pieces(Vec<MotionPiece<D>>),
    /// Nearly harmonic, of constant acceleration in each half period: parabolic arcs of height
    /// `amplitude` and length 1 / (2 frequency), to either side in turn (thesis eq. 3.19).
    Parabolic {
        /// Amplitude, m: the first arc goes to this side.
        amplitude: D::Vector,
        /// Frequency, Hz.
        frequency: f64,
    },
    /// A single displacement, started by the run.
    Slide(Slide<D>),
    /// Moved by forces along a line.
    Guided(Box<Guided<D>>),
}

/// Returns the half period of a parabolic motion at a time (0 or more): its number from 0 and its start, s. Starts
/// are quotients of whole numbers, not sums, so that errors do not accumulate.
fn half_period(time: f64, frequency: f64) -> (f64, f64) {
    let start = |number: f64| number / (2.0 * frequency);
    let mut number = (time * 2.0 * frequency).floor();
    // Product and quotient may be rounded in either direction.
    if start(number) > time {
        number -= 1.0;
    } else if start(number + 1.0) <= time {
        number += 1.0;
    }
    (number, start(number))
}

/// Returns 1 in even half periods, -1 in odd ones.
fn side(number: f64) -> f64 {
    let half = 0.5 * number;
    if half.floor() == half { 1.0 } else { -1.0 }
}

/// Returns the arc of a parabolic motion at a time (0 or more): its path from then on, and the end of the arc, s.
fn arc<D: Dimension>(amplitude: D::Vector, frequency: f64, time: f64) -> (Path<D>, f64) {
    let (number, start) = half_period(time, frequency);
    let (lasted, rate) = (time - start, 8.0 * frequency * side(number));
    // v0 = 8 A f, a = -32 A f^2; at the half period's end the velocity is -v0.
    let bend = 4.0 * rate * frequency;
    let path = Path {
        position: amplitude * ((rate - 0.5 * bend * lasted) * lasted),
        velocity: amplitude * (rate - bend * lasted),
        acceleration: amplitude * -bend,
    };
    (path, (number + 1.0) / (2.0 * frequency))
}

/// A piece of a parabolic path.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct MotionPiece<D: Dimension> {
    /// Start, s.
    pub from: f64,
    /// Velocity at its start, m/s.
    pub velocity: D::Vector,
    /// Acceleration, m/s^2.
    pub acceleration: D::Vector,
}

impl<D: Dimension> MotionPiece<D> {
    /// Whether the wall moves along it.
    fn moves(&self) -> bool {
        let zero = D::Vector::default();
        self.velocity != zero || self.acceleration != zero
    }
}

impl<D: Dimension> Motion<D> {
    /// Returns the pose of the frame at a time, s.
    pub fn pose(&self, time: f64) -> Pose<D> {
        let mut pose = Pose::rest();
        match self {
            Motion::Fixed => {}
            Motion::Velocity(velocity) => {
                pose.shift = *velocity * time.max(0.0);
                if time >= 0.0 {
                    pose.velocity = *velocity;
                }
            }
            Motion::Rotation { centre, spin } => {
                pose.centre = *centre;
                pose.rotation = D::turned(D::identity(), *spin * time.max(0.0));
                if time >= 0.0 {
                    pose.spin = *spin;
                }
            }
            Motion::Harmonic {
                amplitude,
                frequency,
                phase,
            } => {
                let rate = std::f64::consts::TAU * frequency;
                let (sine, cosine) = libm::sincos(rate * time.max(0.0) + phase);
                pose.shift = *amplitude * (sine - libm::sin(*phase));
                if time >= 0.0 {
                    pose.velocity = *amplitude * (rate * cosine);
                }
            }
            Motion::Pieces(pieces) => {
                for (i, piece) in pieces.iter().enumerate() {
                    if time < piece.from {
                        break;
                    }
                    let end = pieces.get(i + 1).map_or(time, |next| time.min(next.from));
                    let lasted = end - piece.from;
                    pose.shift += (piece.velocity + piece.acceleration * (0.5 * lasted)) * lasted;
                    pose.velocity = piece.velocity + piece.acceleration * lasted;
                }
            }
            Motion::Parabolic {
                amplitude,
                frequency,
            } if time >= 0.0 => {
                let (path, _) = arc::<D>(*amplitude, *frequency, time);
                (pose.shift, pose.velocity) = (path.position, path.velocity);
            }
            Motion::Parabolic { .. } => {}
            Motion::Slide(slide) => (pose.shift, pose.velocity) = slide.at(time),
            Motion::Guided(guided) => {
                let (way, speed) = guided.at(time);
                pose.shift = guided.along * way;
                pose.velocity = guided.along * speed;
            }
        }
        pose
    }

    /// Returns the acceleration of the frame, m/s^2, if it is the same for all its points: exact for all walls but
    /// rotating ones, for which it is 0 (their points have a centripetal acceleration).
    pub fn acceleration(&self, time: f64) -> D::Vector {
        match self {
            Motion::Harmonic {
                amplitude,
                frequency,
                phase,
            } if time >= 0.0 => {
                let rate = std::f64::consts::TAU * frequency;
                *amplitude * (-rate * rate * libm::sin(rate * time + phase))
            }
            Motion::Pieces(pieces) => pieces
                .iter()
                .rev()
                .find(|piece| piece.from <= time)
                .map_or_else(D::Vector::default, |piece| piece.acceleration),
            Motion::Parabolic {
                amplitude,
                frequency,
            } if time >= 0.0 => arc::<D>(*amplitude, *frequency, time).0.acceleration,
            _ => D::Vector::default(),
        }
    }

    /// Returns the parabola on which the frame moves from a time on, s, and its duration; none if it rotates,
    /// oscillates harmonically, or is guided by forces.
    pub fn parabola(&self, time: f64) -> Option<(Path<D>, f64)> {
        match self {
            Motion::Parabolic {
                amplitude,
                frequency,
            } if time >= 0.0 && *frequency != 0.0 => {
                let (path, end) = arc(*amplitude, *frequency, time);
                return Some((path, end - time));
            }
            Motion::Velocity(_)
            | Motion::Pieces(_)
            | Motion::Parabolic { .. }
            | Motion::Slide(_) => {}
            motion if motion.is_fixed() => {}
            _ => return None,
        }
        let pose = self.pose(time);
        let path = Path {
            position: pose.shift,
            velocity: pose.velocity,
            acceleration: self.acceleration(time),
        };
        let change = self.next_change(time);
        Some((path, change.map_or(f64::INFINITY, |change| change - time)))
    }

    /// Returns a bound of [`Motion::acceleration`] from a time to the next change, m/s^2.
    pub fn greatest_acceleration(&self, time: f64) -> f64 {
        match self {
            Motion::Harmonic {
                amplitude,
                frequency,
                ..
            } => amplitude.norm() * (std::f64::consts::TAU * frequency).powi(2),
            motion => motion.acceleration(time).norm(),
        }
    }

    /// Returns bounds of the frame's speed (m/s) and of its angular speed (rad/s) between two times.
    pub fn speed_bounds(&self, from: f64, to: f64) -> (f64, f64) {
        match self {
            Motion::Fixed => (0.0, 0.0),
            Motion::Velocity(velocity) => (velocity.norm(), 0.0),
            Motion::Rotation { spin, .. } => (0.0, D::spin_dot(*spin, *spin).sqrt()),
            Motion::Harmonic {
                amplitude,
                frequency,
                ..
            } => {
                let rate = std::f64::consts::TAU * frequency.abs();
                (rate * amplitude.norm(), 0.0)
            }
            Motion::Pieces(pieces) => {
                // Along a piece the velocity changes linearly: the speed is greatest at an end.
                let mut bound = 0.0f64;
                for (i, piece) in pieces.iter().enumerate() {
                    let end = pieces.get(i + 1).map_or(to, |next| to.min(next.from));
                    let start = piece.from.max(from);
                    if start <= end {
                        for time in [start, end] {
                            let v = piece.velocity + piece.acceleration * (time - piece.from);
                            bound = bound.max(v.norm());
                        }
                    }
                }
                (bound, 0.0)
            }
            Motion::Parabolic {
                amplitude,
                frequency,
            } => (8.0 * frequency * amplitude.norm(), 0.0),
            // It may start at any time.
            Motion::Slide(slide) => (slide.velocity().norm(), 0.0),
            // Only as far as it is known: its future depends on the grains.
            Motion::Guided(guided) => {
                let now = &guided.now;
                let speed = if now.started { now.speed } else { guided.speed };
                (speed.abs().max(now.carried.abs()), 0.0)
            }
        }
    }

    /// Whether the wall never moves.
    pub fn is_fixed(&self) -> bool {
        let zero = D::Vector::default();
        match self {
            Motion::Fixed => true,
            Motion::Velocity(velocity) => *velocity == zero,
            Motion::Rotation { spin, .. } => D::spin_dot(*spin, *spin) == 0.0,
            Motion::Harmonic {
                amplitude,
                frequency,
                ..
            }
            | Motion::Parabolic {
                amplitude,
                frequency,
            } => *amplitude == zero || *frequency == 0.0,
            Motion::Pieces(pieces) => pieces.iter().all(|piece| !piece.moves()),
            Motion::Slide(_) | Motion::Guided(_) => false,
        }
    }

    /// Whether the wall moves at a time, s, or will later by itself.
    pub fn goes_on(&self, time: f64) -> bool {
        match self {
            Motion::Slide(slide) => slide.end().is_some_and(|end| time < end),
            Motion::Pieces(pieces) => {
                let moves = pieces.iter().rposition(MotionPiece::moves);
                moves.is_some_and(|last| pieces.get(last + 1).is_none_or(|next| time < next.from))
            }
            motion => !motion.is_fixed(),
        }
    }

    /// Whether the wall moves at any time between two, s; a wall that forces move counts as one that moves always.
    pub fn moves_within(&self, from: f64, to: f64) -> bool {
        match self {
            Motion::Slide(slide) => {
                let times = slide.from.zip(slide.end());
                times.is_some_and(|(start, end)| start <= to && from <= end)
            }
            Motion::Pieces(pieces) => pieces.iter().enumerate().any(|(i, piece)| {
                let end = pieces.get(i + 1).map_or(f64::INFINITY, |next| next.from);
                piece.moves() && piece.from <= to && from <= end
            }),
            Motion::Guided(_) => true,
            motion => !motion.is_fixed() && to >= 0.0,
        }
    }

    /// Returns the next time after `after` at which the velocity or acceleration may jump, s.
    pub fn next_change(&self, after: f64) -> Option<f64> {
        match self {
            Motion::Pieces(pieces) => pieces
                .iter()
                .map(|piece| piece.from)
                .find(|&from| from > after),
            Motion::Slide(slide) => slide.next_change(after),
            Motion::Parabolic { frequency, .. } if after >= 0.0 && !self.is_fixed() => {
                Some((half_period(after, *frequency).0 + 1.0) / (2.0 * frequency))
            }
            _ => (!self.is_fixed() && after < 0.0).then_some(0.0),
        }
    }

    /// Returns the fault of invalid settings, in words; none if they are valid.
    pub fn fault(&self) -> Option<String> {
        let finite = match self {
            Motion::Fixed => true,
            Motion::Velocity(velocity) => velocity.is_finite(),
            Motion::Rotation { centre, spin } => {
                centre.is_finite() && D::spin_dot(*spin, *spin).is_finite()
            }
            Motion::Harmonic {
                amplitude,
                frequency,
                phase,
            } => amplitude.is_finite() && frequency.is_finite() && phase.is_finite(),
            Motion::Parabolic {
                amplitude,
                frequency,
            } => {
                if *frequency < 0.0 {
                    return Some("the frequency of a parabolic motion must be 0 or more".into());
                }
                amplitude.is_finite() && frequency.is_finite()
            }
            Motion::Pieces(pieces) => pieces.iter().all(|piece| {
                piece.from.is_finite()
                    && piece.velocity.is_finite()
                    && piece.acceleration.is_finite()
            }),
            Motion::Slide(slide) => slide.is_sound(),
            Motion::Guided(guided) => return guided.fault(),
        };
        if !finite {
            return Some("the motion's numbers must be finite".into());
        }
        if let Motion::Pieces(pieces) = self
            && let Some(pair) = pieces.windows(2).find(|pair| pair[0].from >= pair[1].from)
        {
            return Some(format!(
                "the pieces of a motion must start one after another; {} s comes after {} s",
                pair[1].from, pair[0].from
            ));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{Planar, Spatial};
    use nalgebra::{Vector2, Vector3};

    fn spatial_motions() -> Vec<Motion<Spatial>> {
        vec![
            Motion::Fixed,
            Motion::Velocity(Vector3::new(0.3, -0.2, 1.1)),
            Motion::Rotation {
                centre: Vector3::new(0.1, 0.2, -0.4),
                spin: Vector3::new(1.0, -2.0, 0.5),
            },
            Motion::Harmonic {
                amplitude: Vector3::new(0.02, 0.0, -0.05),
                frequency: 3.0,
                phase: 0.7,
            },
            Motion::Pieces(vec![
                MotionPiece {
                    from: -0.2,
                    velocity: Vector3::new(1.0, 0.0, 0.0),
                    acceleration: Vector3::new(0.0, 2.0, -1.0),
                },
                MotionPiece {
                    from: 0.4,
                    velocity: Vector3::new(0.0, -0.5, 0.0),
                    acceleration: Vector3::new(3.0, 0.0, 0.0),
                },
                MotionPiece {
                    from: 1.0,
                    velocity: Vector3::zeros(),
                    acceleration: Vector3::zeros(),
                },
            ]),
            Motion::Parabolic {
                amplitude: Vector3::new(0.0, -0.01, 0.02),
                frequency: 2.3,
            },
        ]
    }

    /// Central differences of step h are exact to h^2 (third derivative)/6 plus rounding 1e-16/h:
    /// with h = 1e-5 and derivatives up to about 400 per s^3 (harmonic) both stay under 1e-7.
    #[test]
    fn velocity_is_the_derivative_of_position() {
        let h = 1e-5;
        for motion in spatial_motions() {
            for time in [-0.3, -0.1, 0.05, 0.3, 0.7, 1.3, 4.0] {
                let own = Vector3::new(0.7, -0.3, 0.2);
                let ahead = motion.pose(time + h).to_world(own);
                let behind = motion.pose(time - h).to_world(own);
                let pose = motion.pose(time);
                let measured = (ahead - behind) / (2.0 * h);
                let told = pose.point_velocity(pose.to_world(own));
                assert!(
                    (measured - told).norm() < 1e-7,
                    "{motion:?} at {time}: {measured} against {told}"
                );
            }
        }
    }

    #[test]
    fn acceleration_is_the_derivative_of_velocity() {
        let h = 1e-5;
        for motion in spatial_motions() {
            if matches!(motion, Motion::Rotation { .. }) {
                continue;
            }
            for time in [-0.3, -0.1, 0.05, 0.3, 0.7, 1.3] {
                let measured =
                    (motion.pose(time + h).velocity - motion.pose(time - h).velocity) / (2.0 * h);
                // As above, with one derivative more: 2 pi 3 times as large.
                assert!((measured - motion.acceleration(time)).norm() < 2e-6);
            }
        }
    }

    #[test]
    fn positions_never_jump() {
        for motion in spatial_motions() {
            let mut times = vec![0.0];
            let mut after = -10.0;
            // Parabolic arcs never end: forty of them suffice.
            while let Some(change) = motion.next_change(after).filter(|_| times.len() < 40) {
                times.push(change);
                after = change;
            }
            for time in times {
                let own = Vector3::new(0.7, -0.3, 0.2);
                let gap = motion.pose(time + 1e-12).to_world(own)
                    - motion.pose(time - 1e-12).to_world(own);
                assert!(gap.norm() < 1e-10, "{motion:?} at {time}");
            }
        }
    }

    #[test]
    fn changes_are_told_in_order() {
        let motions = spatial_motions();
        assert_eq!(motions[0].next_change(-1.0), None);
        assert_eq!(motions[1].next_change(-1.0), Some(0.0));
        assert_eq!(motions[1].next_change(0.0), None);
        assert_eq!(motions[4].next_change(-1.0), Some(-0.2));
        assert_eq!(motions[4].next_change(-0.2), Some(0.4));
        assert_eq!(motions[4].next_change(0.4), Some(1.0));
        assert_eq!(motions[4].next_change(1.0), None);
        // Starts of arcs follow one another, each later than the given time; there the path passes its middle with
        // the greatest speed, to either side in turn.
        let mut after = motions[5].next_change(-3.0).unwrap();
        assert_eq!(after, 0.0);
        for k in 1..2000 {
            let next = motions[5].next_change(after).unwrap();
            assert!((next - f64::from(k) / 4.6).abs() < 1e-12 && next > after);
            let pose = motions[5].pose(next);
            assert!(Vector::norm(&pose.shift) < 1e-12);
            let fastest = 8.0 * 2.3 * 0.02 * if k % 2 == 0 { 1.0 } else { -1.0 };
            assert!((pose.velocity.z - fastest).abs() < 1e-9);
            let top = motions[5].pose(0.5 * (after + next)).shift.z;
            assert!((top.abs() - 0.02).abs() < 1e-12 && top * fastest < 0.0);
            after = next;
        }
    }

    #[test]
    fn frames_there_and_back() {
        let x = Vector3::new(0.3, 1.7, -0.9);
        for motion in spatial_motions() {
            let pose = motion.pose(0.8);
            assert!((pose.to_world(pose.to_frame(x)) - x).norm() < 1e-14);
            assert!((pose.vector_from_frame(pose.vector_to_frame(x)) - x).norm() < 1e-14);
        }
    }

    #[test]
    fn a_planar_wall_turns_counter_clockwise() {
        let motion = Motion::<Planar>::Rotation {
            centre: Vector2::new(1.0, 0.0),
            spin: std::f64::consts::FRAC_PI_2,
        };
        let pose = motion.pose(1.0);
        let x = pose.to_world(Vector2::new(2.0, 0.0));
        assert!((x - Vector2::new(1.0, 1.0)).norm() < 1e-15);
        assert!(
            (pose.point_velocity(x) - Vector2::new(-std::f64::consts::FRAC_PI_2, 0.0)).norm()
                < 1e-15
        );
        assert!(!motion.is_fixed());
        assert!(Motion::<Planar>::Velocity(Vector2::zeros()).is_fixed());
    }

    #[test]
    fn faults_are_told() {
        let piece = |from| MotionPiece::<Planar> {
            from,
            velocity: Vector2::zeros(),
            acceleration: Vector2::zeros(),
        };
        assert_eq!(Motion::Pieces(vec![piece(0.0), piece(1.0)]).fault(), None);
        assert_eq!(
            Motion::Pieces(vec![piece(1.0), piece(0.5)])
                .fault()
                .unwrap(),
            "the pieces of a motion must start one after another; 0.5 s comes after 1 s"
        );
        assert!(
            Motion::<Planar>::Velocity(Vector2::new(f64::NAN, 0.0))
                .fault()
                .is_some()
        );
    }
}
