//! Operations of a dimension for grains of several parts: moves the parts with their grain, sums
//! their forces, and turns the grain.

use nalgebra::{UnitQuaternion, Vector3};

use super::arrays::Arrays;
use super::bodies::Body;
use super::dimension::{ClusterDimension, set_moment_apart};
use super::rigid_rotation::{self, RigidRotation, RigidRotationSums, TopTable};
use crate::body::rotation::{self, PrincipalMoments};
use crate::body::{Formed, ShapeTemplate};
use crate::geometry::{Planar, Spatial};
use crate::vector::{Level, Row};

/// Grains of several parts in a dimension.
pub trait Parts: ClusterDimension + Formed {
    /// Writes the rows of the parts that follow a grain's slot.
    fn put_parts(arrays: &mut Arrays<Self>, slot: usize, form: &ShapeTemplate<Self>);
    /// Adds the forces on the parts to those on the grain, and clears them.
    fn gather_parts(arrays: &mut Arrays<Self>, slot: usize, parts: usize);
    /// Angular momentum of a body by its principal moments (kg m^2), kg m^2/s.
    fn momentum(rotation: Self::Rotation, spin: Self::Spin, moments: [f64; 3]) -> Self::Spin;
    /// Angular velocity of a body by its angular momentum, rad/s.
    fn spin_of(rotation: Self::Rotation, momentum: Self::Spin, moments: [f64; 3]) -> Self::Spin;
    /// The orientation after a time of torque-free rotation.
    fn free_turn(
        rotation: Self::Rotation,
        momentum: Self::Spin,
        moments: [f64; 3],
        time: f64,
    ) -> Self::Rotation;
    /// Space: data for the rotation of bodies.
    fn tops(_forms: &[ShapeTemplate<Self>]) -> TopTable {
        TopTable::default()
    }
    /// Space: turns stepped bodies, if a step is given, and moves their parts.
    fn rotate_rigidly(
        _level: Level,
        _arrays: &mut Arrays<Self>,
        _bodies: &mut [Body<Self>],
        _tops: &TopTable,
        _step: Option<RigidRotation>,
    ) -> RigidRotationSums {
        RigidRotationSums::default()
    }
    /// Space: excludes the spin of a slot from the stride of balls.
    fn hold_spin(arrays: &mut Arrays<Self>, slot: usize);
    /// Space: sets the spin of a slot that the stride of balls does not change, rad/s.
    fn set_spin(arrays: &mut Arrays<Self>, slot: usize, spin: Self::Spin);
}

impl Parts for Planar {
    fn put_parts(arrays: &mut Arrays<Self>, slot: usize, form: &ShapeTemplate<Self>) {
        let [x, y, arc, radius, u, v, s, m] = arrays.rows[slot].0;
        let (sine, cosine) = libm::sincos(arc / radius);
        let spin = s / radius;
        let (across, along) = (radius * sine, radius * cosine);
        let rows = &mut arrays.rows[slot + 1..slot + 1 + form.parts.len()];
        for (row, part) in rows.iter_mut().zip(&form.parts) {
            let c = part.centre;
            let arm = [along * c.x - across * c.y, across * c.x + along * c.y];
            let r = radius * part.radius;
            *row = Row([
                x + arm[0],
                y + arm[1],
                0.0,
                r,
                u - spin * arm[1],
                v + spin * arm[0],
                r * spin,
                m,
            ]);
        }
    }

    fn gather_parts(arrays: &mut Arrays<Self>, slot: usize, parts: usize) {
        let [x, y, _, radius, ..] = arrays.rows[slot].0;
        let inverse = 1.0 / radius;
        let mut sum = arrays.forces[slot].0;
        for part in slot + 1..=slot + parts {
            let f = arrays.forces[part].0;
            if f == [0.0; 8] {
                continue;
            }
            let row = &arrays.rows[part].0;
            let arm = [row[0] - x, row[1] - y];
            for half in [0, 4] {
                let [fx, fy, t] = [f[half], f[half + 1], f[half + 2]];
                sum[half] += fx;
                sum[half + 1] += fy;
                sum[half + 2] += (arm[0] * fy - arm[1] * fx + row[3] * t) * inverse;
            }
            arrays.forces[part] = Row::default();
        }
        arrays.forces[slot] = Row(sum);
    }

    fn momentum(_: f64, spin: f64, moments: [f64; 3]) -> f64 {
        moments[2] * spin
    }
    fn spin_of(_: f64, momentum: f64, moments: [f64; 3]) -> f64 {
        momentum / moments[2]
    }
    fn free_turn(rotation: f64, momentum: f64, moments: [f64; 3], time: f64) -> f64 {
        rotation + momentum / moments[2] * time
    }
    fn hold_spin(_: &mut Arrays<Self>, _: usize) {}
    fn set_spin(_: &mut Arrays<Self>, _: usize, _: f64) {}
}

impl Parts for Spatial {
    fn put_parts(arrays: &mut Arrays<Self>, slot: usize, form: &ShapeTemplate<Self>) {
        let row = arrays.rows[slot].0;
        let (radius, mass) = (row[3], row[7]);
        let spins = arrays.spins[slot].0;
        let inverse = 1.0 / radius;
        let spin = Vector3::new(spins[0], spins[1], spins[2]) * inverse;
        // Bodies update their orientation at once, not at the next renewal as balls do.
        let turn = arrays.rotation[slot].to_rotation_matrix();
        for (k, part) in form.parts.iter().enumerate() {
            let arm = turn * part.centre * radius;
            let speed = spin.cross(&arm);
            let r = radius * part.radius;
            let place = slot + 1 + k;
            arrays.rows[place] = Row([
                row[0] + arm.x,
                row[1] + arm.y,
                row[2] + arm.z,
                r,
                row[4] + speed.x,
                row[5] + speed.y,
                row[6] + speed.z,
                mass,
            ]);
            let s = spin * r;
            arrays.spins[place] = Row([s.x, s.y, s.z, 0.0, 0.0, 0.0, 0.0, 0.0]);
        }
    }

    fn gather_parts(arrays: &mut Arrays<Self>, slot: usize, parts: usize) {
        let row = arrays.rows[slot].0;
        let inverse = 1.0 / row[3];
        let middle = Vector3::new(row[0], row[1], row[2]);
        set_moment_apart(arrays, slot);
        for part in slot + 1..=slot + parts {
            let place = &arrays.rows[part].0;
            let (arm, radius) = (
                Vector3::new(place[0], place[1], place[2]) - middle,
                place[3],
            );
            let (force, (lost, turn)) = (arrays.forces[part].0, Self::damper(arrays, part));
            let damper = [
                lost[0], lost[1], lost[2], 0.0, turn[0], turn[1], turn[2], 0.0,
            ];
            for (f, rows) in [(force, &mut arrays.forces), (damper, &mut arrays.dampers)] {
                // Zeros of either sign: most parts touch nothing.
                if f.iter().fold(0, |all, x| all | x.to_bits()) << 1 == 0 {
                    continue;
                }
                let force = Vector3::new(f[0], f[1], f[2]);
                let moment = arm.cross(&force) + Vector3::new(f[4], f[5], f[6]) * radius;
                let sum = &mut rows[slot].0;
                for k in 0..3 {
                    sum[k] += force[k];
                    sum[4 + k] += moment[k] * inverse;
                }
            }
            arrays.clear_force(part);
        }
    }

    fn momentum(
        rotation: UnitQuaternion<f64>,
        spin: Vector3<f64>,
        moments: [f64; 3],
    ) -> Vector3<f64> {
        let own = rotation.inverse() * spin;
        rotation * Vector3::from_fn(|k, _| moments[k] * own[k])
    }
    fn spin_of(
        rotation: UnitQuaternion<f64>,
        momentum: Vector3<f64>,
        moments: [f64; 3],
    ) -> Vector3<f64> {
        let own = rotation.inverse() * momentum;
        rotation * Vector3::from_fn(|k, _| own[k] / moments[k])
    }

    fn free_turn(
        rotation: UnitQuaternion<f64>,
        momentum: Vector3<f64>,
        moments: [f64; 3],
        time: f64,
    ) -> UnitQuaternion<f64> {
        match PrincipalMoments::new(moments) {
            Ok(body) => rotation::free_turn(&body, rotation, momentum, time),
            // Forms are valid bodies, and so are their moments.
            Err(_) => rotation,
        }
    }

    fn tops(forms: &[ShapeTemplate<Self>]) -> TopTable {
        TopTable::new(forms)
    }
    fn rotate_rigidly(
        level: Level,
        arrays: &mut Arrays<Self>,
        bodies: &mut [Body<Self>],
        tops: &TopTable,
        step: Option<RigidRotation>,
    ) -> RigidRotationSums {
        rigid_rotation::rotate_rigidly(level, arrays, bodies, tops, step)
    }
    fn hold_spin(arrays: &mut Arrays<Self>, slot: usize) {
        arrays.state[slot].0[4..8].fill(0.0);
        arrays.previous[slot].0[4..8].fill(0.0);
        arrays.spins[slot].0[3..8].fill(0.0);
    }
    fn set_spin(arrays: &mut Arrays<Self>, slot: usize, spin: Vector3<f64>) {
        let radius = arrays.radius(slot);
        for k in 0..3 {
            arrays.spins[slot].0[k] = radius * spin[k];
        }
    }
}
