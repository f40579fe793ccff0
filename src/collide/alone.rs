//! Integrates one contact of two bodies by itself, from touch to separation, with all terms of the contact law that kernels use.
//!
//! No other body is near and the contact is short, so the normal is fixed and gravity is negligible. The state consists of the overlap, the
//! velocity of the second body relative to the first, the two spins, and the contact history. Forces are evaluated at the midpoint of each
//! step.

use crate::contact::{
    Composite, Contact, ContactLaw, ContactTerms, Law, LinkLaw, Rates, Resistance, ResistanceKind,
    lasting, with_law,
};
use crate::geometry::{Dimension, Vector};
use crate::vector::{Lanes, Plain};

/// Two bodies that begin to touch, or a body and a wall.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touching<D: Dimension> {
    /// Unit vector from the first to the second body.
    pub normal: D::Vector,
    /// Velocity of the second centre relative to the first, m/s.
    pub velocity: D::Vector,
    /// Radius times spin of each body, m/s; 0 for a wall.
    pub surfaces: [D::Spin; 2],
    /// Radii, m; arbitrary for a wall.
    pub radii: [f64; 2],
    /// Inverse effective mass, 1/m1 + 1/m2, 1/kg.
    pub inverse_mass: f64,
    /// r^2 / I of each body, 1/kg; 0 for a wall.
    pub turning: [f64; 2],
    /// Effective radius, m.
    pub radius: f64,
}

/// Result of a contact.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outcome<D: Dimension> {
    /// Ratio of the normal relative speeds after and before; 0 if the bodies stay together.
    pub restitution: f64,
    /// Tangential momentum transferred to the second body, kg m/s.
    pub tangential: D::Vector,
    /// Total angular impulse of the resistances on the first body, N m s; the second receives its opposite.
    pub couple: D::Spin,
    /// Energy lost, J, in addition to the loss of normal motion by the restitution.
    pub lost: f64,
    /// Duration, s; infinite if the bodies stay together.
    pub duration: f64,
}

/// Steps per time 1 / omega of the fastest motion: errors of about 1e-4.
const STEPS: f64 = 50.0;
/// Contacts that last longer than this multiple of the undamped duration count as permanent.
const LONGEST: f64 = 30.0;

/// Contact history.
struct Memory<D: Dimension> {
    /// Tangential spring, m, and its stiffness at the last extension, N/m.
    spring: D::Vector,
    stiffness: f64,
    /// Springs of rolling and twisting, m.
    rolled: D::Spin,
    twisted: f64,
    deepest: f64,
}

/// Forces at one moment.
struct Forces<D: Dimension> {
    /// Normal force on the second body, N.
    normal: f64,
    /// Tangential force on the second body, N.
    across: D::Vector,
    /// Force of the resistances on the first body, N, at the effective radius.
    turning: D::Spin,
    /// Whether no force acts between the two bodies.
    none: bool,
}

/// Component of a spin along a direction.
fn along<D: Dimension>(spin: D::Spin, direction: D::Vector) -> f64 {
    if D::N == 2 {
        return 0.0;
    }
    (0..D::N)
        .map(|k| D::spin_component(spin, k) * direction[k])
        .sum()
}

impl<D: Dimension> Touching<D> {
    /// Tangential velocity of the second body's surface relative to the first's.
    fn slip(&self, velocity: D::Vector, surfaces: [D::Spin; 2]) -> D::Vector {
        let across = velocity - self.normal * self.normal.dot(&velocity);
        across - D::cross_spin(surfaces[0] + surfaces[1], self.normal)
    }

    /// Effective radius times the difference of the spins, m/s.
    fn rolling(&self, surfaces: [D::Spin; 2]) -> D::Spin {
        let [a, b] = self.radii.map(|radius| self.radius / radius);
        surfaces[0] * a - surfaces[1] * b
    }

    /// Kinetic energy of the motions that the contact changes, J.
    fn energy(&self, velocity: D::Vector, surfaces: [D::Spin; 2]) -> f64 {
        let spins = surfaces.iter().zip(self.turning);
        let spins = spins.map(|(s, turning)| match turning > 0.0 {
            true => 0.5 * D::spin_dot(*s, *s) / turning,
            false => 0.0,
        });
        0.5 * velocity.norm_squared() / self.inverse_mass + spins.sum::<f64>()
    }

    /// Integrates the contact.
    pub fn follow(&self, law: &ContactLaw, terms: ContactTerms) -> Outcome<D> {
        let approach = -self.normal.dot(&self.velocity);
        let mass = 1.0 / self.inverse_mass;
        let elastic = law.elastic();
        let drawn = terms.overlap(law, self.radius);
        let drawn = if drawn.is_finite() { drawn } else { 0.0 };
        let deep = law.overlap_at(mass, self.radius, approach).max(drawn);
        let link = law.rates(self.inverse_mass, self.radius, deep, D::BALL_INERTIA);
        let inertia = D::BALL_INERTIA;
        let beside = terms.rates(law, self.inverse_mass, self.radius, deep, inertia, approach);
        let longest = LONGEST * elastic.contact_time(mass, self.radius, approach);
        let rates = Rates {
            frequency: link.frequency.max(beside.frequency),
            damping: link.damping.max(beside.damping),
        };
        let step = 1.0 / (STEPS * rates.frequency).max(10.0 * rates.damping);
        let reach = terms.reach(law, self.radius);
        let link = LinkLaw::new(*law, terms);
        with_law!(&link, law => self.go(law, [step, longest], reach))
    }

    fn go<W: Law>(&self, law: &W, [step, longest]: [f64; 2], reach: f64) -> Outcome<D> {
        let approach = -self.normal.dot(&self.velocity);
        let (mut velocity, mut surfaces) = (self.velocity, self.surfaces);
        let (mut overlap, mut time) = (0.0, 0.0);
        let mut memory = Memory {
            spring: D::Vector::default(),
            stiffness: 0.0,
            rolled: D::Spin::default(),
            twisted: 0.0,
            deepest: 0.0,
        };
        let (mut tangential, mut couple) = (D::Vector::default(), D::Spin::default());
        // A contact that slides at once starts with the spring at the limit of friction.
        self.forces(law, 0.0, (velocity, surfaces), 0.0, &mut memory);
        // Changes of velocity and spins in half a step under the forces of the last step.
        let mut ahead = (D::Vector::default(), [D::Spin::default(); 2]);
        let mut apart = false;
        while time < longest {
            let rate = -self.normal.dot(&velocity);
            // The last step ends where the link ends: an attraction may end abruptly.
            let last = rate < 0.0 && overlap + rate * step <= -reach;
            let step = match last {
                true => ((overlap + reach) / -rate).max(0.0),
                false => step,
            };
            let middle = overlap + 0.5 * step * rate;
            let seen = (
                velocity + ahead.0,
                [surfaces[0] + ahead.1[0], surfaces[1] + ahead.1[1]],
            );
            let forces = self.forces(law, middle, seen, step, &mut memory);
            let force = self.normal * forces.normal + forces.across;
            let pushed = force * (self.inverse_mass * step);
            let moment = D::moment(-self.normal, forces.across);
            let [a, b] = self.radii.map(|radius| self.radius / radius);
            let turned = [
                (moment + forces.turning * a) * (self.turning[0] * step),
                (moment - forces.turning * b) * (self.turning[1] * step),
            ];
            velocity += pushed;
            surfaces = [surfaces[0] + turned[0], surfaces[1] + turned[1]];
            ahead = (pushed * 0.5, turned.map(|turned| turned * 0.5));
            tangential += forces.across * step;
            couple += forces.turning * (self.radius * step);
            let rate = -self.normal.dot(&velocity);
            overlap = middle + 0.5 * step * rate;
            time += step;
            if rate < 0.0 && (last || forces.none) {
                apart = true;
                break;
            }
        }
        let parting = self.normal.dot(&velocity).max(0.0);
        let restitution = match apart {
            true => (parting / approach).min(1.0),
            false => 0.0,
        };
        let left = self.energy(
            velocity - self.normal * self.normal.dot(&velocity),
            surfaces,
        );
        let before = self.energy(self.velocity + self.normal * approach, self.surfaces);
        Outcome {
            restitution,
            tangential,
            couple,
            lost: before - left,
            duration: if apart { time } else { f64::INFINITY },
        }
    }

    /// Forces at an overlap, for the velocity and spins at that moment; advances the springs by a whole step.
    fn forces<W: Law>(
        &self,
        law: &W,
        overlap: f64,
        (velocity, surfaces): (D::Vector, [D::Spin; 2]),
        step: f64,
        memory: &mut Memory<D>,
    ) -> Forces<D> {
        let slip = self.slip(velocity, surfaces);
        let speed = self.normal.dot(&velocity);
        let mut deepest = Plain::splat(memory.deepest);
        let contact = Contact {
            overlap: Plain::splat(overlap),
            inverse_mass: Plain::splat(self.inverse_mass),
            radius: Plain::splat(self.radius),
            speed: Plain::splat(speed),
            sliding: Plain::splat(slip.norm()),
        };
        let Composite {
            response,
            pull,
            grip,
            stiffness,
            ..
        } = law.compose(contact, &mut deepest);
        let one = |values: Plain| values.to_array()[0];
        memory.deepest = one(deepest);
        let (elastic, pull, grip) = (one(response.elastic), one(pull), one(grip));
        let least = if W::COMPOSED { elastic.min(0.0) } else { 0.0 };
        let pushed = (elastic - one(response.normal_damping) * speed).max(least);
        let pressing = (pushed + grip).max(0.0);
        let (kt, ct) = (
            one(response.tangential_stiffness),
            one(response.tangential_damping),
        );
        let left = if W::STIFFENS {
            lasting(memory.stiffness, kt)
        } else {
            1.0
        };
        memory.stiffness = kt;
        let terms = law.terms();
        let cap = law.friction() * pressing;
        let mut spring = memory.spring * left + slip * (0.5 * step);
        let pulled = spring * -kt;
        let mut across = pulled - slip * ct;
        if terms.spring_limited {
            if pulled.norm() > cap {
                across = pulled * (cap / pulled.norm());
                spring = across * (-1.0 / kt.max(f64::MIN_POSITIVE));
            }
        } else if across.norm() > cap {
            across = across * (cap / across.norm());
            spring = match kt > 0.0 {
                true => (across + slip * ct) * (-1.0 / kt),
                false => D::Vector::default(),
            };
        }
        memory.spring = spring + slip * (0.5 * step);
        let q = self.rolling(surfaces);
        let twist = along::<D>(q, self.normal);
        let axis = D::spin_from_fn(|k| match D::N {
            2 => 0.0,
            _ => self.normal[k],
        });
        let mut turning = D::Spin::default();
        let resist = |resistance: &Resistance, speed: D::Spin, old: D::Spin| {
            resisted::<D>(
                resistance,
                pressing,
                (one(stiffness), left),
                [speed, old],
                step,
            )
        };
        if let Some(rolling) = &terms.rolling {
            let (force, spring) = resist(rolling, q - axis * twist, memory.rolled);
            memory.rolled = spring;
            turning += force;
        }
        if let Some(twisting) = terms.twisting.as_ref().filter(|_| D::N == 3) {
            let (force, spring) = resist(twisting, axis * twist, axis * memory.twisted);
            memory.twisted = along::<D>(spring, self.normal);
            turning += force;
        }
        Forces {
            normal: pushed - pull,
            across,
            turning,
            none: pushed == 0.0 && pull == 0.0 && grip == 0.0,
        }
    }
}

/// Force of a resistance against a speed, N, and its spring afterwards, m. The pair holds the
/// present normal stiffness and the fraction that remains of springs that scale with it.
fn resisted<D: Dimension>(
    resistance: &Resistance,
    pressing: f64,
    (normal, left): (f64, f64),
    [speed, old]: [D::Spin; 2],
    step: f64,
) -> (D::Spin, D::Spin) {
    let size = |spin: D::Spin| D::spin_dot(spin, spin).sqrt();
    let cap = resistance.friction * pressing;
    match resistance.kind {
        ResistanceKind::Constant(smoothing) => {
            let force = speed * (-cap / (size(speed) + smoothing));
            (force, D::Spin::default())
        }
        ResistanceKind::Spring { stiffness, damping } => {
            let (stiffness, left) = match stiffness {
                Some(given) => (given, 1.0),
                None => (resistance.usual_share() * normal, left),
            };
            let mut spring = old * left + speed * (0.5 * step);
            let mut force = -(spring * stiffness + speed * damping);
            if size(force) > cap {
                force = force * (cap / size(force));
                spring = match stiffness > 0.0 {
                    true => (force + speed * damping) * (-1.0 / stiffness),
                    false => D::Spin::default(),
                };
            }
            (force, spring + speed * (0.5 * step))
        }
    }
}
