//! The normal force of a link under a slowly changing load: its law without dampers, and the inverse of that.

use super::law::with_law;
use super::{Cohesion, Contact, ContactTerms, Elastic, Law, LawTable, LinkLaw};
use crate::vector::{Lanes, Plain};

/// Numbers with a relative difference below this count as equal.
const SAME: f64 = 1e-15;
/// Near a minimum the values of a function differ by the square of this.
const FLAT: f64 = 1e-8;
/// Upper bound of overlap over radius.
const FARTHEST: f64 = 1e6;
/// Overlap over radius below which every link is linear.
const HAIR: f64 = 1e-9;
/// Force above the least, relative to the least, from which on a law that first decreases is followed.
const FLATTEST: f64 = 1e-2;
/// Least tangent stiffness over that of the law without terms, and the least overlap over the radius for that.
const LEAST_OVERLAP: f64 = 1e-6;
const LEAST_SHARE: f64 = 1e-2;
/// Fraction of an overlap over which a slope is computed.
const SLOPE: f64 = 1e-5;

/// A link under a slowly changing load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlowLink {
    law: LinkLaw,
    /// Effective radius, m.
    radius: f64,
}

/// Forces of a link at an overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlowForces {
    /// Normal force, N; positive in compression.
    pub force: f64,
    /// Force that presses the two together, N: friction is limited by a fraction of it.
    pub presses: f64,
    /// Tangential stiffness, N/m.
    pub tangential: f64,
    /// Overlap to which it was loaded, m, if it stores that.
    pub deepest: f64,
}

impl SlowLink {
    /// Returns the link of two materials with an effective radius, m; none if they have no law.
    #[must_use]
    pub fn new(table: &LawTable, [a, b]: [u16; 2], radius: f64) -> Option<Self> {
        let law = table.get(a, b)?;
        Some(SlowLink {
            law: LinkLaw::new(*law, table.terms(a, b)),
            radius,
        })
    }

    /// Returns the link of two materials if it has terms or remembers how it was loaded.
    #[must_use]
    pub fn composed(table: &LawTable, pair: [u16; 2], radius: f64) -> Option<Self> {
        SlowLink::new(table, pair, radius).filter(|link| link.law.is_composed())
    }

    /// Returns the normal and the tangential stiffness at an overlap (m), N/m: the lesser slope where loading and
    /// unloading differ, and at least a small share of the law's own, which a law that pulls may not have.
    #[must_use]
    pub fn tangent(&self, overlap: f64, deepest: f64) -> (f64, f64) {
        let wide = SLOPE * overlap.abs() + HAIR * self.radius;
        let at = self.at(overlap, deepest);
        let more = self.at(overlap + wide, deepest).force - at.force;
        let less = at.force - self.at(overlap - wide, deepest).force;
        let least = LEAST_SHARE
            * self
                .law
                .plain()
                .stiffness(overlap.max(LEAST_OVERLAP * self.radius), self.radius)
                .normal;
        ((more.min(less) / wide).max(least), at.tangential)
    }

    /// Returns Coulomb's friction coefficient.
    #[must_use]
    pub fn friction(&self) -> f64 {
        self.law.plain().friction()
    }

    /// Returns the stiffness if the force is linear in the overlap, whatever the loading history, N/m.
    #[must_use]
    pub fn straight(&self) -> Option<f64> {
        match self.law.plain().elastic() {
            Elastic::Linear(stiffness) if !self.remembers() => {
                Some(stiffness - self.area() * self.radius)
            }
            _ => None,
        }
    }

    /// Returns the attraction per overlap and effective radius, N/m^2.
    fn area(&self) -> f64 {
        match self.terms().cohesion {
            Some(Cohesion::Area(density)) => std::f64::consts::TAU * density,
            _ => 0.0,
        }
    }

    fn terms(&self) -> ContactTerms {
        with_law!(&self.law, law => law.terms())
    }

    /// Whether it stores the overlap to which it was loaded.
    #[must_use]
    pub fn remembers(&self) -> bool {
        self.law.plain().remembers() || self.terms().plastic.is_some()
    }

    /// Returns the forces at an overlap, m; `deepest` is the overlap to which it was loaded before.
    #[must_use]
    pub fn at(&self, overlap: f64, deepest: f64) -> SlowForces {
        with_law!(&self.law, law => {
            let mut deep = Plain::splat(deepest);
            let composite = law.compose(
                Contact {
                    overlap: Plain::splat(overlap),
                    inverse_mass: Plain::splat(1.0),
                    radius: Plain::splat(self.radius),
                    speed: Plain::splat(0.0),
                    sliding: Plain::splat(0.0),
                },
                &mut deep,
            );
            let one = |values: Plain| values.to_array()[0];
            let elastic = one(composite.response.elastic);
            SlowForces {
                force: elastic - one(composite.pull),
                presses: elastic + one(composite.grip),
                tangential: one(composite.response.tangential_stiffness),
                deepest: one(deep),
            }
        })
    }

    /// Returns the energy stored at an overlap (m), J.
    #[must_use]
    pub fn energy(&self, overlap: f64, deepest: f64) -> f64 {
        with_law!(&self.law, law => law.stored(overlap, self.radius, deepest))
    }

    /// Returns where it breaks under a growing pull: the overlap, m, and the force there, N, its minimum.
    #[must_use]
    pub fn end(&self, deepest: f64) -> (f64, f64) {
        let (law, terms) = (self.law.plain(), self.terms());
        let force = |overlap: f64| self.at(overlap, deepest).force;
        let overlap = match (terms.cohesion, terms.plastic) {
            // A force that first decreases and then increases has its minimum in between.
            (Some(Cohesion::Jkr(_)), _) => {
                let gap = terms.reach(&law, self.radius);
                least(-gap, gap, force)
            }
            (Some(Cohesion::Area(_)), None) if self.straight().is_none() => {
                least(0.0, terms.overlap(&law, self.radius), force)
            }
            (_, Some(plastic)) => plastic.end(law.elastic().stiffness(0.0, 0.0), deepest),
            _ if law.remembers() => last(0.0, deepest, |overlap| force(overlap) > 0.0),
            _ => 0.0,
        };
        (overlap, force(overlap))
    }

    /// Returns the overlap at which it carries a force (N), m: the greatest if there are several, and that of its
    /// minimum for a force below the minimum.
    #[must_use]
    pub fn overlap(&self, bears: f64, deepest: f64) -> f64 {
        self.overlap_from(self.end(deepest), bears, deepest)
    }

    /// Like [`SlowLink::overlap`], if the overlap, m, and the force, N, at which the link breaks are known.
    fn overlap_from(&self, (end, least): (f64, f64), bears: f64, deepest: f64) -> f64 {
        let over = bears - least;
        if over <= 0.0 {
            return end;
        }
        if let Some(stiffness) = self.straight() {
            return end + over / stiffness;
        }
        let lacks = |overlap: f64| self.at(overlap, deepest).force - bears;
        let (mut low, mut wide) = (end, self.scale(over).max(SAME * self.radius));
        while lacks(end + wide) < 0.0 && wide < FARTHEST * self.radius {
            low = end + wide;
            wide *= 2.0;
        }
        last(low, end + wide, |overlap| lacks(overlap) > 0.0)
    }

    /// Returns the overlap under a force by the elastic law alone, m.
    fn scale(&self, force: f64) -> f64 {
        match self.law.plain().elastic() {
            Elastic::Linear(stiffness) => force / stiffness,
            Elastic::Hertz(young) => {
                libm::cbrt(force / (4.0 / 3.0 * young * self.radius.sqrt())).powi(2)
            }
            Elastic::Power {
                coefficient,
                exponent,
            } => libm::pow(force / coefficient, 1.0 / exponent),
        }
    }

    /// Returns the linear approximation about a force that it carries, N: the chord from where it breaks, or, with
    /// `closely`, the tangent there. `deepest` is the overlap to which it was loaded, m, and `floor` the least force
    /// above the minimum that counts as nonzero, N.
    #[must_use]
    pub fn line(&self, bears: f64, deepest: f64, floor: f64, closely: bool) -> Line {
        let (end, least) = self.end(deepest);
        let hair = self.at(end + HAIR * self.radius, deepest).force - least;
        let floor = floor.max(hair).max(self.slack(least));
        let bears = bears.max(least + floor);
        let overlap = self.overlap_from((end, least), bears, deepest);
        let held = self.at(overlap, deepest);
        let stiffness = match self.straight() {
            Some(stiffness) => stiffness,
            None if closely => self.slope(overlap, end, deepest),
            None => (bears - least) / (overlap - end),
        };
        // The pressing force grows by more than the force only where the attraction depends on the overlap: used for
        // linear springs only, since it is unbounded where another law is nearly flat.
        let share = match self.straight() {
            Some(stiffness) => 1.0 + self.area() * self.radius / stiffness,
            None => 1.0,
        };
        Line {
            stiffness,
            free: overlap - bears / stiffness,
            touches: end.max(0.0),
            pull: -least,
            grip: held.presses / share - held.force,
            friction: self.friction() * share,
            tangential: held.tangential,
            ends: bears - stiffness * (overlap - end) >= least - floor,
        }
    }

    /// Returns the force above the minimum (N) below which a line does not follow the law, N: a law that first
    /// decreases has no stiffness at its minimum.
    #[must_use]
    pub fn slack(&self, least: f64) -> f64 {
        match (self.terms().cohesion, self.straight()) {
            (Some(Cohesion::Area(_)), None) => FLATTEST * least.abs(),
            _ => 0.0,
        }
    }

    /// Returns the slope of the force at an overlap, N/m; the lesser one where loading and unloading differ, with
    /// which a search never overshoots.
    fn slope(&self, overlap: f64, end: f64, deepest: f64) -> f64 {
        let force = |overlap: f64| self.at(overlap, deepest).force;
        let wide = SLOPE * (overlap - end);
        let at = force(overlap);
        let [more, less] = [force(overlap + wide) - at, at - force(overlap - wide)];
        more.min(less) / wide
    }
}

/// A link as a linear spring.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// Normal stiffness, N/m.
    pub stiffness: f64,
    /// Overlap at zero force, m.
    pub free: f64,
    /// Overlap from which on a broken link holds again, m: 0, or that at which it breaks if that is greater.
    pub touches: f64,
    /// Tensile force at which it breaks, N.
    pub pull: f64,
    /// Pressing force in addition to the normal force, N.
    pub grip: f64,
    /// Coefficient of friction on the sum of both.
    pub friction: f64,
    /// Tangential stiffness, N/m.
    pub tangential: f64,
    /// Whether the line ends where the link breaks: then its tensile limit is valid.
    pub ends: bool,
}

/// Returns the last number of a range, to rounding, for which a condition that holds from some number on is still
/// false.
fn last(mut low: f64, mut high: f64, holds: impl Fn(f64) -> bool) -> f64 {
    let same = SAME * high.abs().max(low.abs());
    while high - low > same {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        match holds(middle) {
            true => high = middle,
            false => low = middle,
        }
    }
    high
}

/// Returns the minimum of a function that decreases and then increases, by the golden section.
fn least(mut low: f64, mut high: f64, of: impl Fn(f64) -> f64) -> f64 {
    let share = 0.5 * (5.0f64.sqrt() - 1.0);
    let [mut a, mut b] = [high - share * (high - low), low + share * (high - low)];
    let [mut at_a, mut at_b] = [of(a), of(b)];
    let same = FLAT * (high - low);
    while high - low > same {
        if at_a <= at_b {
            (high, b, at_b) = (b, a, at_a);
            a = high - share * (high - low);
            at_a = of(a);
        } else {
            (low, a, at_a) = (a, b, at_b);
            b = low + share * (high - low);
            at_b = of(b);
        }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::{ContactLaw, Hertz, Linear, Plastic, ThorntonNing};
    use std::f64::consts::PI;

    const YOUNG: f64 = 2e7;
    const RADIUS: f64 = 0.01;

    fn link(law: ContactLaw, terms: ContactTerms) -> SlowLink {
        let mut table = LawTable::new(1);
        table.set(0, 0, law);
        table.set_terms(0, 0, terms);
        SlowLink::new(&table, [0, 0], RADIUS).expect("a law")
    }

    fn hertz() -> ContactLaw {
        ContactLaw::from(Hertz {
            young: YOUNG,
            shear: 0.3 * YOUNG,
            damping_ratio: 0.1,
            friction: 0.4,
        })
    }

    fn linear() -> ContactLaw {
        ContactLaw::from(Linear {
            normal_stiffness: 1e5,
            tangential_stiffness: 3e4,
            normal_damping: 5.0,
            tangential_damping: 2.0,
            friction: 0.4,
        })
    }

    fn with(cohesion: Cohesion) -> ContactTerms {
        ContactTerms {
            cohesion: Some(cohesion),
            ..ContactTerms::default()
        }
    }

    fn plastic(cohesion: f64) -> ContactTerms {
        ContactTerms {
            plastic: Some(Plastic {
                unloading: 4e5,
                cohesion,
            }),
            ..ContactTerms::default()
        }
    }

    fn yielding() -> ContactLaw {
        ContactLaw::from(ThorntonNing {
            young: YOUNG,
            shear: 0.3 * YOUNG,
            yield_pressure: 2e5,
            damping_ratio: 0.0,
            friction: 0.4,
        })
    }

    /// Returns all kinds of links, with overlaps to which they were loaded.
    fn all() -> Vec<(SlowLink, f64)> {
        let work = 0.05;
        vec![
            (link(linear(), ContactTerms::default()), 0.0),
            (link(linear(), with(Cohesion::Constant(0.3))), 0.0),
            (link(linear(), with(Cohesion::Area(5e5))), 0.0),
            (link(linear(), plastic(0.0)), 1e-4),
            (link(linear(), plastic(3e4)), 1e-4),
            (link(hertz(), ContactTerms::default()), 0.0),
            (link(hertz(), with(Cohesion::Dmt(work))), 0.0),
            (link(hertz(), with(Cohesion::Area(5e6))), 0.0),
            (link(hertz(), with(Cohesion::Jkr(work))), 0.0),
            (link(yielding(), ContactTerms::default()), 0.0),
            (link(yielding(), ContactTerms::default()), 1e-4),
        ]
    }

    fn near(a: f64, b: f64, share: f64) {
        assert!((a - b).abs() <= share * b.abs(), "{a} {b}");
    }

    /// The overlap under a force is where the law has that force, and no force is below the minimum.
    #[test]
    fn overlaps_and_forces_are_inverse() {
        for (slow, deepest) in all() {
            let (end, least) = slow.end(deepest);
            for k in 0..200 {
                let force = slow.at(end + 1e-6 * f64::from(k), deepest).force;
                assert!(force >= least - 1e-12, "{slow:?} {force} {least}");
            }
            for bears in [1e-3, 0.1, 1.0, 20.0] {
                let overlap = slow.overlap(least + bears, deepest);
                let force = slow.at(overlap, deepest).force;
                assert!(
                    (force - least - bears).abs() < 1e-9 * bears.max(least.abs()),
                    "{slow:?} {force}"
                );
                // Beyond the end of the decreasing part the force increases: there is no greater overlap.
                let more = slow.at(overlap + 1e-7, deepest).force;
                assert!(more > force, "{slow:?}");
            }
        }
    }

    /// Closed forms.
    #[test]
    fn closed_forms() {
        let pull = 0.3;
        let springs = link(linear(), with(Cohesion::Constant(pull)));
        near(springs.overlap(0.7, 0.0), (0.7 + pull) / 1e5, 1e-12);
        assert_eq!(springs.end(0.0).1, -pull);
        let ball = link(hertz(), ContactTerms::default());
        let scale = 0.75 / (YOUNG * RADIUS.sqrt());
        near(ball.overlap(2.0, 0.0), (2.0 * scale).powf(2.0 / 3.0), 1e-12);
        // Johnson, Kendall and Roberts 1971: 3/2 pi w R; the contact at rest without a load has the radius (9 pi w R^2 / 2 E)^(1/3) with their
        // modulus of 4/3 E.
        let work = 0.05;
        let sticky = link(hertz(), with(Cohesion::Jkr(work)));
        near(sticky.end(0.0).1, -1.5 * PI * work * RADIUS, 1e-9);
        let a = (4.5 * PI * work * RADIUS * RADIUS / YOUNG).cbrt();
        let overlap = a * a / RADIUS - (2.0 * PI * work * a / YOUNG).sqrt();
        near(sticky.overlap(0.0, 0.0), overlap, 1e-9);
        near(
            sticky.at(overlap, 0.0).presses,
            3.0 * PI * work * RADIUS,
            1e-9,
        );
        // Loaded to 0.1 mm and unloaded again: along the greater stiffness, down to the limit of attraction.
        let crushed = link(linear(), plastic(3e4));
        let left = 0.75e-4;
        near(crushed.overlap(4.0, 1e-4), left + 4.0 / 4e5, 1e-12);
        near(crushed.overlap(30.0, 1e-4), 30.0 / 1e5, 1e-12);
        near(crushed.end(1e-4).1, -3e4 * 4e5 * left / 4.3e5, 1e-12);
    }

    /// Lines pass through the carried force, and begin where the link breaks or have its slope; friction is as with
    /// the law.
    #[test]
    fn lines_stand_for_links() {
        for (slow, deepest) in all() {
            let (end, least) = slow.end(deepest);
            for bears in [1e-2, 1.0, 20.0] {
                // Where a law is nearly flat it is approximated by a chord.
                let bears = least + f64::max(bears, 2.0 * slow.slack(least));
                let overlap = slow.overlap(bears, deepest);
                let held = slow.at(overlap, deepest);
                for closely in [false, true] {
                    let line = slow.line(bears, deepest, 1e-9, closely);
                    near(line.stiffness * (overlap - line.free), bears, 1e-9);
                    near(
                        line.friction * (bears + line.grip),
                        slow.friction() * held.presses,
                        1e-9,
                    );
                    assert_eq!(line.pull, -least);
                    if !closely {
                        assert!(line.ends, "{slow:?}");
                        let there = line.stiffness * (end - line.free);
                        assert!((there - least).abs() < 1e-9 * bears.abs(), "{slow:?}");
                        continue;
                    }
                    let hair = 1e-3 * (overlap - end);
                    let ahead = slow.at(overlap + hair, deepest).force;
                    near(line.stiffness, (ahead - bears) / hair, 2e-3);
                }
            }
        }
    }
}
