//! Relative motion of two bodies at their contact.

use super::arrays::Arrays;
use super::dem::spin_of;
use super::integrate::Integrate;
use super::world::{Grains, Shapes, World};
use super::{bodies, cell, crossing};
use crate::geometry::{Dimension, Vector};

/// Motion of two bodies at their contact. The normal points from the second body to the first, as
/// in the kernels; in the plane the tangential speed is one number, along the normal rotated by a
/// right angle.
#[derive(Clone, Copy, Debug)]
pub struct Kinematics<D: Dimension> {
    /// Overlap, m.
    pub overlap: f64,
    /// Unit normal.
    pub normal: D::Vector,
    /// Normal speed, m/s; negative when approaching.
    pub speed: f64,
    /// Tangential speed of the surfaces, m/s.
    pub sliding: [f64; 3],
    /// Inverse masses, 1/kg.
    pub inverse_mass: f64,
    /// Effective radius in the law, m: from the radii of the bodies.
    pub radius: f64,
    /// Effective radius of rolling, m: from the curvatures of the surfaces at the contact. Differs only for grains of arcs.
    pub rolling: f64,
    /// Rolling radius times the difference of the spins, m/s.
    pub turning: [f64; 3],
    /// Contact point, m.
    pub point: D::Vector,
    /// Displacement of the image of a wall that is met from the wall itself, m; 0 for grains.
    pub image: D::Vector,
}

/// Position and motion of a grain.
#[derive(Clone, Copy, Debug)]
pub(super) struct BodyMotion<D: Dimension> {
    pub position: D::Vector,
    pub velocity: D::Vector,
    /// Radius times spin.
    pub spin: [f64; 3],
}

/// Normal and tangential speed from relative velocity, sum of surface spins and normal.
fn sliding<D: Integrate>(relative: D::Vector, spin: [f64; 3], n: D::Vector) -> (f64, [f64; 3]) {
    let speed = relative.dot(&n);
    if D::N == 2 {
        (
            speed,
            [relative[1] * n[0] - relative[0] * n[1] - spin[0], 0.0, 0.0],
        )
    } else {
        let rolled = [
            spin[1] * n[2] - spin[2] * n[1],
            spin[2] * n[0] - spin[0] * n[2],
            spin[0] * n[1] - spin[1] * n[0],
        ];
        (
            speed,
            std::array::from_fn(|k| relative[k] - speed * n[k] - rolled[k]),
        )
    }
}

/// Motion at the contact of two grains.
pub fn pair_kinematics<D: Integrate>(world: &World<D>, a: u32, b: u32) -> Kinematics<D> {
    let motions = [a, b].map(|slot| crossing::motion(&world.shapes, &world.grains, slot as usize));
    pair_kinematics_of(world, [a as usize, b as usize], motions, false)
}

pub(super) fn pair_kinematics_of<D: Integrate>(
    world: &World<D>,
    [a, b]: [usize; 2],
    [p, q]: [BodyMotion<D>; 2],
    before: bool,
) -> Kinematics<D> {
    let arrays: &Arrays<D> = &world.grains.arrays;
    let (d, image) = cell::drive::nearest_image_of(
        &world.clock,
        &world.physics,
        &world.cell,
        p.position - q.position,
        before,
    );
    let distance = d.norm().max(1e-150);
    let normal = d * (1.0 / distance);
    let (ra, rb) = (arrays.radius(a), arrays.radius(b));
    let spin = std::array::from_fn(|k| p.spin[k] + q.spin[k]);
    let relative = p.velocity - q.velocity + image;
    let (speed, sliding) = sliding::<D>(relative, spin, normal);
    Kinematics {
        overlap: ra + rb - distance,
        normal,
        speed,
        sliding,
        inverse_mass: arrays.inverse_mass(a) + arrays.inverse_mass(b),
        radius: {
            let [ra, rb] = [a, b].map(|slot| law_radius(&world.shapes, &world.grains, slot));
            ra * rb / (ra + rb)
        },
        rolling: ra * rb / (ra + rb),
        turning: std::array::from_fn(|k| (rb * p.spin[k] - ra * q.spin[k]) / (ra + rb)),
        point: p.position - normal * (0.5 * (ra + distance - rb)),
        image: D::Vector::default(),
    }
}

/// Radius of a slot in laws, m: for an arc that of its grain, so that the force does not jump where
/// one arc ends and the next begins, and no energy is created there.
pub(super) fn law_radius<D: Integrate>(shapes: &Shapes<D>, grains: &Grains<D>, slot: usize) -> f64 {
    grains
        .arrays
        .radius(bodies::candidate(shapes, grains, slot as u32) as usize)
}

/// Motion at the contact of a grain with a surface of a wall class; none if the surface is not met.
pub fn wall_kinematics<D: Integrate>(
    world: &World<D>,
    class: usize,
    contact: [u32; 2],
) -> Option<Kinematics<D>> {
    let motion = crossing::motion(&world.shapes, &world.grains, contact[0] as usize);
    wall_kinematics_of(world, class, contact, motion, world.clock.time())
}

pub(super) fn wall_kinematics_of<D: Integrate>(
    world: &World<D>,
    class: usize,
    [slot, surface]: [u32; 2],
    motion: BodyMotion<D>,
    time: f64,
) -> Option<Kinematics<D>> {
    let wall = &world.contacts.walls[class];
    surface_kinematics_of(world, wall.boundary, surface, slot, motion, time)
}

/// Motion at the contact of a grain with a surface of a boundary.
pub(super) fn surface_kinematics<D: Integrate>(
    world: &World<D>,
    boundary: u16,
    surface: u32,
    slot: u32,
) -> Option<Kinematics<D>> {
    let motion = crossing::motion(&world.shapes, &world.grains, slot as usize);
    surface_kinematics_of(world, boundary, surface, slot, motion, world.clock.time())
}

/// The same for a given motion of the grain, at a time, s.
pub(super) fn surface_kinematics_of<D: Integrate>(
    world: &World<D>,
    boundary: u16,
    surface: u32,
    slot: u32,
    motion: BodyMotion<D>,
    time: f64,
) -> Option<Kinematics<D>> {
    surface_kinematics_at(
        world,
        [u32::from(boundary), surface, slot],
        motion,
        time,
        true,
    )
}

/// Strain of a contact with a wall by a displacement of the grain, during which the wall stands.
pub(super) fn wall_strain_of<D: Integrate>(
    world: &World<D>,
    class: usize,
    [slot, surface]: [u32; 2],
    displaced: BodyMotion<D>,
) -> Option<Kinematics<D>> {
    let boundary = u32::from(world.contacts.walls[class].boundary);
    let time = world.clock.time();
    surface_kinematics_at(world, [boundary, surface, slot], displaced, time, false)
}

/// Motion at a contact with a wall that moves as it does, or stands meanwhile.
fn surface_kinematics_at<D: Integrate>(
    world: &World<D>,
    [boundary, surface, slot]: [u32; 3],
    motion: BodyMotion<D>,
    time: f64,
    moves: bool,
) -> Option<Kinematics<D>> {
    let arrays = &world.grains.arrays;
    let boundary = &world.walls.boundaries[boundary as usize];
    let pose = boundary.boundary.motion.pose(time);
    let slot = slot as usize;
    let x = motion.position;
    let probe = boundary.probe(surface, &pose, x)?;
    let normal = pose.vector_from_frame(probe.normal);
    let point = x - normal * probe.distance;
    let image = boundary.shift(surface, &pose, x);
    let at = point - image;
    let mut relative = motion.velocity;
    let mut turn = [0.0; 3];
    if moves {
        relative -= boundary.boundary.surface_velocity(&pose, at, normal);
        turn = spin_of::<D>(pose.spin);
    }
    let (speed, sliding) = sliding::<D>(relative, motion.spin, normal);
    let radius = arrays.radius(slot);
    let ball = law_radius(&world.shapes, &world.grains, slot);
    let effective = |radius: f64| {
        radius / (1.0 + boundary.curvature(surface, &pose, x, &probe, radius) * radius)
    };
    Some(Kinematics {
        overlap: radius - probe.distance,
        normal,
        speed,
        sliding,
        inverse_mass: arrays.inverse_mass(slot),
        radius: effective(ball),
        rolling: effective(radius),
        turning: std::array::from_fn(|k| motion.spin[k] - radius * turn[k]),
        point,
        image,
    })
}
