//! Laws with slots, as the kernels evaluate them.
//!
//! One type holds any of them: which law and which slots is the same for all contacts of a pass, so that asking costs
//! a branch that is always foreseen. Laws without slots do not come here.

use super::law::{AnyLaw, Contact, Hertz, Law, Linear, LinearPerMass, Response, Viscoelastic};
use super::slots::{Cohesion, Jkr, Slots};
use crate::vector::{LANES, Lanes};

/// A law with slots.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Composed {
    base: Base,
    slots: Slots,
    jkr: Option<Jkr>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Base {
    Linear(Linear),
    LinearPerMass(LinearPerMass),
    Hertz(Hertz),
    Viscoelastic(Viscoelastic),
}

/// What a law with slots does along the normal.
#[derive(Clone, Copy)]
pub struct Composite<L> {
    /// Coefficients; the elastic force is without the pull.
    pub response: Response<L>,
    /// Attraction, N.
    pub pull: L,
    /// What of elastic force less pull does not come from a store of energy, N.
    pub lost: L,
    /// What presses beside the normal force without its pull, N: friction is limited by their sum.
    pub grip: L,
    /// Normal stiffness, N/m.
    pub stiffness: L,
}

impl Composed {
    /// A law with slots; none where the law cannot have them.
    pub fn new(law: AnyLaw, slots: Slots) -> Option<Self> {
        let base = match law {
            AnyLaw::Linear(law) => Base::Linear(law),
            AnyLaw::LinearPerMass(law) => Base::LinearPerMass(law),
            AnyLaw::Hertz(law) => Base::Hertz(law),
            AnyLaw::Viscoelastic(law) => Base::Viscoelastic(law),
            AnyLaw::Mutze(_) | AnyLaw::Composed(_) => return None,
        };
        let young = match base {
            Base::Hertz(law) => law.young(),
            Base::Viscoelastic(law) => law.young(),
            _ => 0.0,
        };
        let jkr = match slots.cohesion {
            Some(Cohesion::Jkr(work)) if young > 0.0 => Some(Jkr::new(work, young)),
            _ => None,
        };
        Some(Composed { base, slots, jkr })
    }

    /// The law without its slots.
    pub(super) fn plain(&self) -> AnyLaw {
        match self.base {
            Base::Linear(law) => AnyLaw::Linear(law),
            Base::LinearPerMass(law) => AnyLaw::LinearPerMass(law),
            Base::Hertz(law) => AnyLaw::Hertz(law),
            Base::Viscoelastic(law) => AnyLaw::Viscoelastic(law),
        }
    }

    #[inline(always)]
    fn base<L: Lanes>(&self, contact: Contact<L>) -> Response<L> {
        match self.base {
            Base::Linear(law) => law.respond(contact),
            Base::LinearPerMass(law) => law.respond(contact),
            Base::Hertz(law) => law.respond(contact),
            Base::Viscoelastic(law) => law.respond(contact),
        }
    }

    /// Normal stiffness of the law by itself, at an overlap of Hertz's contact.
    #[inline(always)]
    fn stiffness<L: Lanes>(&self, overlap: L, radius: L) -> L {
        match self.base {
            Base::Linear(law) => L::splat(law.stiffness()),
            Base::LinearPerMass(law) => L::splat(law.stiffness()),
            Base::Hertz(law) => hertz_stiffness(law.young(), overlap, radius),
            Base::Viscoelastic(law) => hertz_stiffness(law.young(), overlap, radius),
        }
    }
}

#[inline(always)]
fn hertz_stiffness<L: Lanes>(young: f64, overlap: L, radius: L) -> L {
    let a = overlap.max(L::splat(0.0)).mul(radius).sqrt();
    L::splat(2.0 * young).mul(a)
}

/// Contact radii of eight links with adhesion. Not compiled into each kernel, and the same scalar code in all.
#[inline(never)]
fn contact_radii(jkr: &Jkr, overlaps: [f64; LANES], radii: [f64; LANES]) -> [f64; LANES] {
    std::array::from_fn(|lane| jkr.contact_radius(overlaps[lane], radii[lane]))
}

/// Gaps at which eight links break.
#[inline(never)]
fn gaps(jkr: &Jkr, radii: [f64; LANES]) -> [f64; LANES] {
    radii.map(|radius| jkr.gap(radius))
}

impl Law for Composed {
    const NEEDS_RADIUS: bool = true;
    const COMPOSED: bool = true;
    const STIFFENS: bool = true;

    #[inline(always)]
    fn friction(&self) -> f64 {
        match self.base {
            Base::Linear(law) => law.friction(),
            Base::LinearPerMass(law) => law.friction(),
            Base::Hertz(law) => law.friction(),
            Base::Viscoelastic(law) => law.friction(),
        }
    }

    #[inline(always)]
    fn respond<L: Lanes>(&self, contact: Contact<L>) -> Response<L> {
        self.base(contact)
    }

    fn normal_energy(&self, overlap: f64, radius: f64) -> f64 {
        match self.base {
            Base::Linear(law) => law.normal_energy(overlap, radius),
            Base::LinearPerMass(law) => law.normal_energy(overlap, radius),
            Base::Hertz(law) => law.normal_energy(overlap, radius),
            Base::Viscoelastic(law) => law.normal_energy(overlap, radius),
        }
    }

    #[inline(always)]
    fn slots(&self) -> Slots {
        self.slots
    }

    #[inline(always)]
    fn reach<L: Lanes>(&self, radius: L) -> L {
        match (self.slots.cohesion, &self.jkr) {
            (Some(Cohesion::Fading { pull, stiffness }), _) => L::splat(pull / stiffness),
            (_, Some(jkr)) => L::from_array(gaps(jkr, radius.to_array())),
            _ => L::splat(0.0),
        }
    }

    #[inline(always)]
    fn compose<L: Lanes>(&self, contact: Contact<L>, deepest: &mut L) -> Composite<L> {
        let zero = L::splat(0.0);
        let tau = std::f64::consts::TAU;
        let (overlap, radius) = (contact.overlap, contact.radius.max(L::splat(1e-300)));
        let inside = overlap.max(zero);
        let mut hertz = contact;
        hertz.overlap = inside;
        let mut adhesive = zero;
        if let Some(jkr) = &self.jkr {
            let a = L::from_array(contact_radii(jkr, overlap.to_array(), radius.to_array()));
            hertz.overlap = a.mul(a).div(radius);
            adhesive = L::splat(2.0 * jkr.young * jkr.k).mul(a).mul(a.sqrt());
        }
        let mut response = self.base(hertz);
        let stiffness = self.stiffness(hertz.overlap, radius);
        let mut lost = zero;
        if let Some(plastic) = self.slots.plastic {
            // The law's stiffness is k1.
            let (k2, kc) = (plastic.unloading, plastic.cohesion);
            let k1 = stiffness;
            let share = k1.div(L::splat(k2));
            let free = L::splat(1.0).sub(share);
            let before = *deepest;
            let loading = before.less(inside);
            let deep = before.max(inside);
            let unload = L::splat(k2).mul(inside.sub(free.mul(deep)));
            let lowest = L::splat(-kc).mul(inside);
            let limited = unload.less(lowest);
            let force = unload.max(lowest);
            // On the lower limit the link forgets what it bore.
            let forgotten = inside
                .mul(L::splat(1.0 + kc / k2))
                .div(free.max(L::splat(1e-300)));
            *deepest = forgotten.select(deep, limited);
            response.elastic = force;
            // The store is F^2 / (2 k2): loading fills it at k1 / k2 of its work, the lower limit empties it.
            let filled = force.mul(share).select(force, loading);
            let emptied = L::splat(kc * kc / k2).mul(inside);
            let stored = emptied.select(filled, limited);
            lost = force.sub(stored);
        }
        let (mut pull, mut grip) = (zero, zero);
        match self.slots.cohesion {
            None => {}
            Some(Cohesion::Constant(force)) => pull = L::splat(force),
            Some(Cohesion::Dmt(work)) => pull = L::splat(tau * work).mul(radius),
            Some(Cohesion::Area(density)) => {
                pull = L::splat(tau * density).mul(radius).mul(inside);
            }
            Some(Cohesion::Fading {
                pull: most,
                stiffness,
            }) => {
                let left = L::splat(most).add(L::splat(stiffness).mul(overlap.min(zero)));
                pull = left.max(zero);
                // What a gap takes is not given back when the link breaks.
                lost = lost.sub(pull.only(overlap.less(zero)));
            }
            Some(Cohesion::Jkr(_)) => {
                if let Some(jkr) = &self.jkr {
                    let most = L::splat(jkr.pull_off(1.0)).mul(radius);
                    // At the moment of touch the pull is 8/9 of its greatest.
                    pull = L::splat(8.0 / 9.0).mul(most);
                    grip = L::splat(10.0 / 9.0).mul(most);
                    response.elastic = response.elastic.sub(adhesive).add(pull);
                    lost = response.elastic.sub(pull).only(overlap.less(zero));
                }
            }
        }
        Composite {
            response,
            pull,
            lost,
            grip,
            stiffness,
        }
    }

    fn stored(&self, overlap: f64, radius: f64, deepest: f64) -> f64 {
        let inside = overlap.max(0.0);
        let tau = std::f64::consts::TAU;
        let mut energy = self.normal_energy(inside, radius);
        if let Some(plastic) = self.slots.plastic {
            let k1 = match self.base {
                Base::Linear(law) => law.stiffness(),
                Base::LinearPerMass(law) => law.stiffness(),
                _ => 0.0,
            };
            let k2 = plastic.unloading;
            let unload = k2 * (inside - (1.0 - k1 / k2) * deepest.max(inside));
            let force = unload.max(-plastic.cohesion * inside);
            energy = 0.5 * force * force / k2;
        }
        match self.slots.cohesion {
            None => energy,
            Some(Cohesion::Constant(force) | Cohesion::Fading { pull: force, .. }) => {
                energy - force * inside
            }
            Some(Cohesion::Dmt(work)) => energy - tau * work * radius * inside,
            Some(Cohesion::Area(density)) => {
                energy - 0.5 * tau * density * radius * inside * inside
            }
            Some(Cohesion::Jkr(_)) => match &self.jkr {
                Some(jkr) if overlap > 0.0 => {
                    jkr.stored(jkr.contact_radius(overlap, radius), radius)
                }
                _ => 0.0,
            },
        }
    }
}
