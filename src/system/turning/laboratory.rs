//! Rows of a run that is computed in a frame that turns, as they are in the laboratory.

use crate::event::Regime;
use crate::field::TurningFrame;
use crate::geometry::{Dimension, Vector, cross, three};
use crate::record::{
    AvalancheRow, BodyRef, EventRow, GrainRow, ImpactRow, LinkRow, RecordError, SeriesRow, Sink,
    WearRow, ZoneRow,
};

/// The laboratory as seen from the frame at a time.
#[derive(Clone, Copy, Debug)]
pub(in crate::system) struct Laboratory<D: Dimension> {
    /// A point of the axis, m.
    pub centre: D::Vector,
    /// Rate of the frame, rad/s; zero before it begins to turn.
    pub spin: D::Spin,
    /// Rotation vector of the frame since it began to turn, rad.
    turn: D::Spin,
    /// The same as a rotation.
    rotation: D::Rotation,
}

impl<D: Dimension> Laboratory<D> {
    /// Returns the laboratory at a time, s.
    pub fn at(frame: &TurningFrame<D>, time: f64) -> Self {
        let spin = frame.spin();
        let turn = spin * time.max(0.0);
        Self {
            centre: frame.centre,
            spin: if time >= 0.0 {
                spin
            } else {
                D::Spin::default()
            },
            turn,
            rotation: D::turned(D::identity(), turn),
        }
    }

    /// Returns a place in the laboratory, m.
    pub fn point(&self, place: D::Vector) -> D::Vector {
        self.centre + D::rotate(self.rotation, place - self.centre)
    }

    /// Returns a direction or a force in the laboratory.
    pub fn direction(&self, v: D::Vector) -> D::Vector {
        D::rotate(self.rotation, v)
    }

    /// Returns a direction of the laboratory in the frame.
    pub fn in_frame(&self, v: D::Vector) -> D::Vector {
        D::unrotate(self.rotation, v)
    }

    /// Returns the velocity of the frame at a place in it, in its own directions, m/s.
    pub fn carried(&self, place: D::Vector) -> D::Vector {
        D::cross_spin(self.spin, place - self.centre)
    }

    /// Turns a vector of three components about the axis: in the plane the first two.
    pub fn turned(&self, v: [f64; 3]) -> [f64; 3] {
        let mut turned = three(self.direction(D::Vector::from_fn(|k| v[k])));
        if D::N == 2 {
            turned[2] = v[2];
        }
        turned
    }

    /// Turns a spin or a moment: in the plane, where its only component comes first, it stays.
    fn axial(&self, v: [f64; 3]) -> [f64; 3] {
        if D::N == 2 { v } else { self.turned(v) }
    }

    fn place(&self, place: [f64; 3]) -> [f64; 3] {
        three(self.point(D::Vector::from_fn(|k| place[k])))
    }

    /// Turns an orientation: in the plane an angle, in space a quaternion (x, y, z, w).
    fn orientation(&self, own: [f64; 4]) -> [f64; 4] {
        if D::N == 2 {
            return [
                own[0] + D::spin_component(self.turn, 0),
                own[1],
                own[2],
                own[3],
            ];
        }
        let ([a, b, c, d], _) = D::rotation_components(self.rotation);
        let [x, y, z, w] = own;
        [
            d * x + a * w + b * z - c * y,
            d * y + b * w + c * x - a * z,
            d * z + c * w + a * y - b * x,
            d * w - a * x - b * y - c * z,
        ]
    }

    /// Turns a row of a grain.
    pub fn grain(&self, row: &mut GrainRow) {
        // The evaluation at which the frame begins to turn has none yet.
        if row.regime == Regime::Cluster && row.time > 0.0 {
            self.take_inertia(row);
        }
        let carried = three(self.carried(D::Vector::from_fn(|k| row.position[k])));
        let velocity: [f64; 3] = std::array::from_fn(|k| row.velocity[k] + carried[k]);
        row.position = self.place(row.position);
        row.velocity = self.turned(velocity);
        for k in 0..D::SPINS {
            row.spin[k] += D::spin_component(self.spin, k);
        }
        row.spin = self.axial(row.spin);
        row.rotation = self.orientation(row.rotation);
        row.force = self.turned(row.force);
        row.moment = self.axial(row.moment);
    }

    /// Takes the inertial forces of the frame, and their moment, out of the force of contacts on a stepped grain.
    fn take_inertia(&self, row: &mut GrainRow) {
        let velocity = D::Vector::from_fn(|k| row.velocity[k]);
        let carried = self.carried(D::Vector::from_fn(|k| row.position[k]));
        let taken = three(D::cross_spin(self.spin, carried + velocity * 2.0));
        for k in 0..3 {
            row.force[k] += row.mass * taken[k];
        }
        if D::N == 3 {
            let rate = std::array::from_fn(|k| D::spin_component(self.spin, k));
            let inertia = D::BALL_INERTIA * row.mass * row.radius * row.radius;
            let turning = cross(rate, row.spin);
            for k in 0..3 {
                row.moment[k] += inertia * turning[k];
            }
        }
    }

    /// Turns a row of a link.
    pub fn link(&self, row: &mut LinkRow) {
        row.point = self.place(row.point);
        row.normal = self.turned(row.normal);
        row.tangential_force = self.turned(row.tangential_force);
    }
}

/// A sink to which records in a frame are told as they are in the laboratory. Rows of the series have been converted before, and maps of
/// walls are in the frame of the wall.
struct Told<'a, D: Dimension> {
    sink: &'a mut dyn Sink,
    frame: TurningFrame<D>,
}

/// Calls a function with a sink to which records in a frame, if there is one, are told as they are in the laboratory.
pub(in crate::system) fn telling<D: Dimension, R>(
    frame: Option<TurningFrame<D>>,
    sink: &mut dyn Sink,
    act: impl FnOnce(&mut dyn Sink) -> R,
) -> R {
    match frame {
        Some(frame) => act(&mut Told { sink, frame }),
        None => act(sink),
    }
}

impl<D: Dimension> Sink for Told<'_, D> {
    fn event(&mut self, row: &EventRow) -> Result<(), RecordError> {
        let mut row = *row;
        // Others have no place.
        if row.body_a != BodyRef::None {
            row.position = Laboratory::at(&self.frame, row.time).place(row.position);
        }
        self.sink.event(&row)
    }
    fn series(&mut self, row: &SeriesRow) -> Result<(), RecordError> {
        self.sink.series(row)
    }
    fn snapshot(&mut self, grains: &[GrainRow], links: &[LinkRow]) -> Result<(), RecordError> {
        let (mut grains, mut links) = (grains.to_vec(), links.to_vec());
        for row in &mut grains {
            Laboratory::at(&self.frame, row.time).grain(row);
        }
        for row in &mut links {
            Laboratory::at(&self.frame, row.time).link(row);
        }
        self.sink.snapshot(&grains, &links)
    }
    fn avalanche(&mut self, row: &AvalancheRow) -> Result<(), RecordError> {
        let mut row = *row;
        row.position = Laboratory::at(&self.frame, row.start).place(row.position);
        self.sink.avalanche(&row)
    }
    fn zone(&mut self, row: &ZoneRow) -> Result<(), RecordError> {
        self.sink.zone(row)
    }
    fn impact(&mut self, row: &ImpactRow) -> Result<(), RecordError> {
        self.sink.impact(row)
    }
    fn wear(&mut self, row: &WearRow) -> Result<(), RecordError> {
        self.sink.wear(row)
    }
    fn checkpoint(&mut self, state: &[u8]) -> Result<(), RecordError> {
        self.sink.checkpoint(state)
    }
}
