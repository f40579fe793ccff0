//! Outcome of a collision in flight, by the contact law of the two.

use super::Air;
use crate::cluster::integrate::Integrate;
use crate::cluster::{Other, World};
use crate::collide::alone::{Outcome, Touching};
use crate::collide::engine::{Pair, Rule, law::Encounter};
use crate::contact::Elastic;
use crate::geometry::{Dimension, Vector};
use crate::system::Setup;

/// Upper bounds of the contact duration (that of the undamped contact) in the law's time scale: for a linear spring,
/// and for Hertz's law.
const LONGEST: [f64; 2] = [std::f64::consts::PI, 3.219];
/// Two bodies in touch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Met<D: Dimension> {
    /// Slot of the first body; `b` is the second grain, or the boundary.
    pub a: u32,
    pub b: Other,
    /// Surface of the boundary.
    pub at: u32,
    /// Unit normal from the first to the second.
    pub normal: D::Vector,
    /// Velocity of the second relative to the first, m/s: of its centre, or of the wall's point.
    pub velocity: D::Vector,
    /// Radius times spin, summed over both bodies, m/s.
    pub surface: D::Spin,
    /// Sum of the radii, m.
    pub reach: f64,
    /// Velocity of the wall at the contact, m/s.
    pub wall: D::Vector,
    /// Reference point of moments on the wall, m.
    pub reference: D::Vector,
    /// Curvature of the wall at the contact, as contact laws use it, 1/m.
    pub curvature: f64,
    /// Acceleration that changes the approach during the contact, m/s^2: the grain's less that of the other grain, or of the wall.
    pub pull: f64,
}

/// Outcome of a collision.
#[derive(Clone, Copy, Debug)]
pub(super) struct Impact<D: Dimension> {
    /// Momentum that the second receives, kg m/s.
    pub impulse: D::Vector,
    /// Component of the impulse across the normal.
    pub tangential: D::Vector,
    /// Moment that the first receives in addition, N m s; the second receives its opposite.
    pub couple: D::Spin,
    /// Energy lost, J.
    pub lost: f64,
    /// Upper bound of the contact's duration, s.
    pub duration: f64,
    /// Greatest displacement of the surfaces during the contact, over the reach.
    pub way: f64,
    /// Speed that gravity adds to the approach during the contact, over the approach speed.
    pub pulled: f64,
}

/// Returns radius times spin of a slot, m/s.
pub(super) fn turning<D: Integrate>(world: &World<D>, slot: u32) -> D::Spin {
    let s = D::surface_spin(&world.grains.arrays, slot as usize);
    D::spin_from_fn(|k| s[k])
}

/// Returns the outcome of a collision by the contact law of the pair.
pub(super) fn impact<D: Integrate>(
    setup: &Setup<D>,
    world: &World<D>,
    air: &mut Option<Air>,
    met: &Met<D>,
    approach: f64,
) -> Impact<D> {
    let arrays = &world.grains.arrays;
    let a = met.a as usize;
    let (mass_a, radius_a) = (arrays.inverse_mass(a), arrays.radius(a));
    let (mut inverse_mass, mut inverse_inertia) = (mass_a, arrays.inverse_inertia(a));
    let (other, radius) = match met.b {
        Other::Slot(b) => {
            let b = b as usize;
            inverse_mass += arrays.inverse_mass(b);
            inverse_inertia += arrays.inverse_inertia(b);
            let radius_b = arrays.radius(b);
            (
                arrays.material[b],
                radius_a * (radius_b / (radius_a + radius_b)),
            )
        }
        Other::Boundary(wall) => (
            world.walls.boundaries[usize::from(wall)].boundary.material,
            radius_a / (1.0 + met.curvature * radius_a),
        ),
    };
    let materials = [arrays.material[a], other];
    let slip = met.velocity + met.normal * approach - D::cross_spin(met.surface, met.normal);
    let sliding = slip.norm();
    let effective_mass = 1.0 / inverse_mass;
    let pair = Pair {
        index: usize::from(materials[0]) * setup.matter.laws.materials + usize::from(materials[1]),
        effective_mass,
        radius,
        approach,
        sliding,
    };
    let followed = follow(world, air, met, pair.index, radius);
    let rule = match &followed {
        Some(out) => Some(Rule::smooth(out.restitution)),
        None => air.as_mut().and_then(|aloft| {
            let solved = &mut aloft.s.tally.solved;
            aloft.at_once.as_ref()?.contacts.rule(&pair, solved)
        }),
    };
    // A pair without a law is refused at set-up.
    let rule = rule.unwrap_or(Rule::smooth(1.0));
    let law = setup.matter.laws.get(materials[0], materials[1]);
    let duration = law.map_or(0.0, |law| {
        let longest = match law.elastic() {
            Elastic::Linear(_) => LONGEST[0],
            Elastic::Hertz(_) => LONGEST[1],
            // Such a contact is integrated by itself, which gives its duration.
            Elastic::Power { .. } => 0.0,
        };
        longest * law.elastic().time_scale(effective_mass, radius, approach)
    });
    let duration = followed.as_ref().map_or(duration, |out| out.duration);
    let normal_impulse = (1.0 + rule.restitution) * approach * effective_mass;
    let mut impact = Impact {
        impulse: met.normal * normal_impulse,
        tangential: D::Vector::default(),
        couple: D::Spin::default(),
        lost: 0.5 * (1.0 - rule.restitution) * approach * normal_impulse,
        duration,
        way: (approach + sliding + D::spin_dot(met.surface, met.surface).sqrt()) * duration
            / met.reach,
        pulled: met.pull * duration / approach,
    };
    if let Some(out) = followed {
        impact.impulse += out.tangential;
        impact.tangential = out.tangential;
        impact.couple = out.couple;
        impact.lost += out.lost;
    } else if let Some(rough) = &rule.rough {
        let out = rough.exchange(
            &Encounter::<D> {
                normal: met.normal,
                velocity: met.velocity,
                inverse_mass,
                inverse_inertia,
                surface: met.surface,
            },
            normal_impulse,
        );
        impact.impulse += out.impulse;
        impact.tangential = out.impulse;
        impact.lost += out.lost;
    }
    impact
}

/// Integrates a contact by itself if no table holds its law.
fn follow<D: Integrate>(
    world: &World<D>,
    air: &Option<Air>,
    met: &Met<D>,
    pair: usize,
    radius: f64,
) -> Option<Outcome<D>> {
    let contacts = &air.as_ref()?.at_once.as_ref()?.contacts;
    if !contacts.is_alone(pair) {
        return None;
    }
    let arrays = &world.grains.arrays;
    let a = met.a as usize;
    let mut touching = Touching {
        normal: met.normal,
        velocity: met.velocity,
        surfaces: [turning(world, met.a), D::Spin::default()],
        radii: [arrays.radius(a); 2],
        inverse_mass: arrays.inverse_mass(a),
        turning: [arrays.inverse_inertia(a), 0.0],
        radius,
    };
    if let Other::Slot(b) = met.b {
        touching.surfaces[1] = turning(world, b);
        touching.radii[1] = arrays.radius(b as usize);
        touching.inverse_mass += arrays.inverse_mass(b as usize);
        touching.turning[1] = arrays.inverse_inertia(b as usize);
    }
    contacts.follow(pair, &touching)
}
