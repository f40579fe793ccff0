//! Collisions whose outcome follows from the contact law of the pair.
//!
//! Instantaneous collisions have the restitution of the law at the pair's mass and approach speed,
//! and with friction the tangential impulse of the integrated contact, from tables. Contacts of
//! finite duration are in [`soft`](super::soft); this module provides their mapping.

use serde::{Deserialize, Serialize};

use super::setup::sorts;
use super::{Body, Rough, Rule, Setup, SetupError};
use crate::collide::alone::{Outcome, Touching};
use crate::collide::family::RoughFamily;
use crate::collide::resolved::{self, Frictionless, Mapping, ResolvedError};
use crate::collide::restitution::Restitution;
use crate::collide::rough::{collide_at, damping_unit};
use crate::collide::soft::{MappingTable, Ranges};
use crate::contact::{ContactLaw, ContactTerms, Elastic, Loss};
use crate::geometry::{Dimension, Vector};

/// The contact law of a pair of species, which determines its collisions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ByLaw {
    /// The contact law.
    pub law: ContactLaw,
    /// Terms in addition to spring, dashpot and friction.
    pub terms: ContactTerms,
    /// Whether contacts of two grains have a duration and displace them (soft); otherwise, and with
    /// walls, they are instantaneous.
    pub soft: bool,
}

/// The pairs whose collisions follow from a contact law; none by default.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Laws {
    /// The law of each pair of species, at [first * species + second], symmetric; none for pairs
    /// that follow a rule. Empty if no pair has a law.
    pub pairs: Vec<Option<ByLaw>>,
    /// Error of the tables: of each number of a soft mapping, and of tangential impulses in units of
    /// friction times effective mass times approach speed.
    pub tolerance: f64,
}

impl Default for Laws {
    fn default() -> Self {
        Laws {
            pairs: Vec::new(),
            tolerance: 1e-6,
        }
    }
}

/// A law with its tables.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Contact {
    law: ContactLaw,
    terms: ContactTerms,
    /// Whether each contact is integrated by itself, without tables.
    alone: bool,
    rough: Option<RoughFamily>,
    soft: Option<MappingTable>,
}

/// The tables of all pairs of species.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Contacts {
    /// Index of the law of each pair of species; empty if no pair has a law.
    pairs: Vec<Option<u32>>,
    laws: Vec<Contact>,
    /// Moments of inertia are this times m r^2.
    inertia: f64,
}

/// A pair of grains that collide, or a grain and a wall.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair {
    /// Index among the pairs of species.
    pub index: usize,
    /// Effective mass, kg.
    pub effective_mass: f64,
    /// r1 r2 / (r1 + r2), m; the grain's radius at a wall.
    pub radius: f64,
    /// Normal approach speed, m/s.
    pub approach: f64,
    /// Tangential speed of the surfaces, m/s, or of the centres for contacts of finite duration.
    pub sliding: f64,
}

/// Sizes of the grains of a species.
#[derive(Clone, Copy, Debug)]
struct Sizes {
    mass: [f64; 2],
    radius: [f64; 2],
}

impl ByLaw {
    /// Whether no table covers its contacts, so that each is integrated by itself.
    fn is_alone(&self) -> bool {
        let smoothed = self.law.smoothing_speed().is_some() && self.law.friction() > 0.0;
        let power = matches!(self.law.elastic(), Elastic::Power { .. });
        smoothed || power || self.law.remembers() || !self.terms.are_empty()
    }
}

/// The reason why contacts of a law cannot be soft, if any.
pub fn no_soft(by_law: &ByLaw) -> Option<&'static str> {
    let law = &by_law.law;
    if !by_law.terms.are_empty() {
        Some("has more than spring, dashpot and friction; soft collisions know nothing else")
    } else if law.remembers() {
        Some("has a memory of its loading; soft collisions know none")
    } else if law.friction() > 0.0 {
        Some("has friction; soft collisions know none")
    } else if Frictionless::of(law, 1.0).is_none() {
        Some(
            "is Hertz's with a restitution under 1; soft collisions know the laws `linear`, `viscoelastic`, and `hertz` without loss",
        )
    } else {
        None
    }
}

impl Contacts {
    /// Builds the tables that a setup needs.
    pub(crate) fn build<D: Dimension>(setup: &Setup<D>) -> Result<Self, SetupError> {
        let mut sizes: Vec<Option<Sizes>> = vec![None; setup.species];
        for Body {
            mass,
            radius,
            species,
            ..
        } in sorts(setup)
        {
            let of = sizes[usize::from(*species)].get_or_insert(Sizes {
                mass: [*mass; 2],
                radius: [*radius; 2],
            });
            of.mass = [of.mass[0].min(*mass), of.mass[1].max(*mass)];
            of.radius = [of.radius[0].min(*radius), of.radius[1].max(*radius)];
        }
        let fast = fastest(setup);
        let mut contacts = Contacts {
            pairs: Vec::new(),
            laws: Vec::new(),
            inertia: D::BALL_INERTIA,
        };
        let tolerance = setup.laws.tolerance;
        for (index, by_law) in setup.laws.pairs.iter().enumerate() {
            let (a, b) = (index / setup.species, index % setup.species);
            let Some(by_law) = by_law else {
                contacts.pairs.push(None);
                continue;
            };
            if b < a {
                contacts.pairs.push(contacts.pairs[b * setup.species + a]);
                continue;
            }
            let grains = sizes[a].zip(sizes[b]).map(|(a, b)| Meeting::of(&a, &b));
            let walls = setup.walls.iter().map(|wall| usize::from(wall.material));
            let at_wall = |x: usize, y: usize| {
                let wall = walls.clone().any(|species| species == y);
                sizes[x].filter(|_| wall).map(|x| Meeting::at_wall(&x))
            };
            let mut meetings: Vec<Meeting> = [at_wall(a, b), at_wall(b, a)]
                .into_iter()
                .flatten()
                .collect();
            let no_table = |e: &dyn std::fmt::Display| SetupError::Law {
                pair: [a, b],
                why: format!("cannot be put into a table: {e}"),
            };
            let mut soft = None;
            let alone = by_law.is_alone();
            match grains {
                _ if alone => meetings.clear(),
                Some(grains) if by_law.soft => {
                    if let Some(ranges) = grains.ranges(&by_law.law, fast) {
                        let table = MappingTable::cover(&ranges, tolerance);
                        soft = Some(table.map_err(|e| no_table(&e))?);
                    }
                }
                _ => meetings.extend(grains),
            }
            let friction = by_law.law.stiffness(0.0, 0.0).friction;
            let mut rough = None;
            if friction > 0.0 && !meetings.is_empty() {
                let units = meetings.iter().map(|m| m.units(&by_law.law, fast));
                let widen = |a: [f64; 2], b: [f64; 2]| [a[0].min(b[0]), a[1].max(b[1])];
                let range = units.reduce(widen).unwrap_or([1.0; 2]);
                let family = RoughFamily::build(&by_law.law, range, contacts.inertia, tolerance);
                rough = Some(family.map_err(|e| no_table(&e))?);
            }
            contacts.pairs.push(Some(contacts.laws.len() as u32));
            contacts.laws.push(Contact {
                law: by_law.law,
                terms: by_law.terms,
                alone,
                rough,
                soft,
            });
        }
        if contacts.laws.is_empty() {
            contacts.pairs = Vec::new();
        }
        Ok(contacts)
    }

    /// Whether all collisions follow rules.
    pub(super) fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }
    /// The law of a pair of species.
    #[inline(always)]
    fn of(&self, pair: usize) -> Option<&Contact> {
        self.pairs[pair].map(|law| &self.laws[law as usize])
    }
    /// Whether any contact has a duration.
    pub(super) fn any_soft(&self) -> bool {
        self.laws.iter().any(|c| c.soft.is_some())
    }
    /// Whether any collision changes spins.
    pub(super) fn any_rough(&self) -> bool {
        self.laws.iter().any(|c| c.rough.is_some() || c.alone)
    }
    /// Whether contacts of a pair of species are integrated one by one.
    #[inline(always)]
    pub(crate) fn is_alone(&self, pair: usize) -> bool {
        !self.pairs.is_empty() && self.of(pair).is_some_and(|c| c.alone)
    }
    /// Integrates a contact of a pair of species by itself; none if rules or tables apply.
    #[inline(never)]
    pub(crate) fn follow<D: Dimension>(
        &self,
        pair: usize,
        touching: &Touching<D>,
    ) -> Option<Outcome<D>> {
        let contact = self.of(pair).filter(|c| c.alone)?;
        Some(touching.follow(&contact.law, contact.terms))
    }
    /// Whether contacts of two grains of a pair of species have a duration.
    #[inline(always)]
    pub(super) fn is_soft(&self, pair: usize) -> bool {
        self.of(pair).is_some_and(|c| c.soft.is_some())
    }
    /// Greatest error found when the tables were checked.
    pub(super) fn error(&self) -> f64 {
        let of = |c: &Contact| {
            let soft = c.soft.as_ref().map_or(0.0, MappingTable::error);
            soft.max(c.rough.as_ref().map_or(0.0, RoughFamily::error))
        };
        self.laws.iter().map(of).fold(0.0, f64::max)
    }

    /// The rule of an instantaneous collision; none if the pair has no law. Counts contacts that no
    /// table covers.
    #[inline(never)]
    pub(crate) fn rule(&self, pair: &Pair, solved: &mut u64) -> Option<Rule> {
        let contact = self.of(pair.index)?;
        let law = &contact.law;
        let (mass, radius, approach) = (pair.effective_mass, pair.radius, pair.approach);
        let restitution = Restitution::of(law, radius).at(mass, approach);
        let rough = contact.rough.as_ref().map(|family| {
            let unit = damping_unit(law, mass, radius, approach);
            let ratio = pair.sliding / approach;
            let outcome = family.outcome(unit, ratio).unwrap_or_else(|| {
                *solved += 1;
                collide_at(law, unit, self.inertia, ratio)
            });
            // Expresses the impulse of the table as the equivalent tangential restitution.
            let size = outcome.impulse * approach * (1.0 + 1.0 / self.inertia);
            let beta = if pair.sliding > 0.0 {
                size / pair.sliding - 1.0
            } else {
                0.0
            };
            Rough {
                restitution: beta,
                friction: f64::INFINITY,
            }
        });
        Some(Rule { restitution, rough })
    }

    /// The mapping and duration (s) of a soft contact of two grains whose radii sum to `reach`, m.
    pub(super) fn mapping(
        &self,
        pair: &Pair,
        reach: f64,
        solved: &mut u64,
    ) -> Result<(Mapping, f64), ResolvedError> {
        let (mass, approach, sliding) = (pair.effective_mass, pair.approach, pair.sliding);
        let contact = self.of(pair.index);
        let found = contact.and_then(|c| {
            let law = Frictionless::of(&c.law, pair.radius)?;
            Some((c, c.soft.as_ref()?, law))
        });
        let Some((contact, table, law)) = found else {
            return Err(ResolvedError::NoEnd);
        };
        let time = law.time_scale(mass, approach);
        let mut mapping = match table.mapping(&law, mass, time, reach, approach, sliding) {
            Some(mapping) => mapping,
            None => {
                *solved += 1;
                resolved::collide(&law, mass, reach, approach, sliding)?
            }
        };
        if contact.law.loss().is_none() {
            // The contact ends as it began, whatever the table's error.
            (mapping.eps_r, mapping.eps_rdot) = (1.0, -1.0);
        }
        Ok((mapping, mapping.tau * time))
    }
}

/// Ranges of the quantities of pairs of two species.
#[derive(Clone, Copy, Debug)]
struct Meeting {
    mass: [f64; 2],
    radius: [f64; 2],
    reach: [f64; 2],
}

impl Meeting {
    fn of(a: &Sizes, b: &Sizes) -> Self {
        // The same expression as in the engine: both grow with either part.
        let half = |[x0, x1]: [f64; 2], [y0, y1]: [f64; 2]| {
            [(x0, y0), (x1, y1)].map(|(x, y)| reduced(x, y))
        };
        Meeting {
            mass: half(a.mass, b.mass),
            radius: half(a.radius, b.radius),
            reach: [a.radius[0] + b.radius[0], a.radius[1] + b.radius[1]],
        }
    }
    fn at_wall(a: &Sizes) -> Self {
        Meeting {
            mass: a.mass,
            radius: a.radius,
            reach: a.radius,
        }
    }

    /// Ranges of the scaled numbers of soft contacts up to a speed, m/s.
    fn ranges(&self, law: &ContactLaw, fast: f64) -> Option<Ranges> {
        let [light, heavy] = self.mass;
        // Extreme times: of light pairs with stiff contacts, of heavy pairs with compliant contacts.
        let quick = Frictionless::of(law, self.radius[1])?;
        let slow = Frictionless::of(law, self.radius[0])?;
        let (short, long) = (quick.time_scale(light, fast), slow.time_scale(heavy, fast));
        let ends = [
            quick.scaled(light, short).damping,
            slow.scaled(heavy, long).damping,
        ];
        let (hertz, least) = match law.elastic() {
            Elastic::Linear(_) => (false, ends[0].min(ends[1])),
            Elastic::Hertz(_) => (true, 0.0),
            Elastic::Power { .. } => return None,
        };
        Some(Ranges {
            hertz,
            damping: [least, ends[0].max(ends[1])],
            compression: fast * long / self.reach[0],
            alike: light == heavy && self.reach[0] == self.reach[1],
        })
    }

    /// Range of the damping numbers of contacts with friction up to a speed, m/s.
    fn units(&self, law: &ContactLaw, fast: f64) -> [f64; 2] {
        let [light, heavy] = self.mass;
        match law.loss() {
            Loss::Ratio(_) | Loss::Unloading(_) => [1.0; 2],
            Loss::Dashpot { .. } => {
                let ends = [light, heavy].map(|mass| damping_unit(law, mass, 1.0, 1.0));
                [ends[0].min(ends[1]), ends[0].max(ends[1])]
            }
            Loss::Dissipation(_) => {
                let shortest = law.elastic().time_scale(light, self.radius[1], fast);
                [0.0, 1.0 / shortest]
            }
        }
    }
}

/// x y / (x + y), with the same bits as in collisions.
#[inline(always)]
pub(super) fn reduced(x: f64, y: f64) -> f64 {
    x * (y / (x + y))
}

/// A normal approach speed, m/s, that hardly any collision exceeds: tables extend to it. The
/// lightest grain may acquire the mean energy of all.
fn fastest<D: Dimension>(setup: &Setup<D>) -> f64 {
    let bodies = || sorts(setup);
    let speeds = bodies().map(|b| b.velocity.norm());
    let most = speeds.fold(0.0, f64::max);
    let lightest = bodies().map(|b| b.mass).fold(f64::INFINITY, f64::min);
    let energies = bodies().map(|b| b.mass * b.velocity.norm_squared());
    let energy: f64 = energies.sum();
    let mean = energy / (lightest * bodies().count().max(1) as f64);
    let height = (setup.max - setup.min).norm();
    let fallen = 2.0 * setup.gravity.norm() * height;
    let walls = setup.walls.iter().map(|wall| {
        let (speed, spin) = wall.motion.speed_bounds(0.0, 1.0);
        speed + spin * height + wall.belt.norm()
    });
    let wall = walls.fold(0.0, f64::max);
    // A sheared gas is heated until its speeds are some times the rate times a diameter.
    let rates = setup.shear.iter().flatten().map(|step| step.rate.abs());
    let widest = bodies().map(|b| b.radius).fold(0.0, f64::max);
    let sheared = 20.0 * widest * rates.fold(0.0, f64::max);
    let fast = (4.0 * mean.sqrt()).max(2.0 * most) + fallen.sqrt() + 2.0 * wall + sheared;
    if fast > 0.0 && fast.is_finite() {
        fast
    } else {
        1.0
    }
}
