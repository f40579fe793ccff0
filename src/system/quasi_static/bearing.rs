//! Laws of the links of a filling whose stiffness depends on the load.
//!
//! Equilibrium is found with straight springs. Where the law of a link is not straight, a line stands for it about the force of the
//! link: at first the line from where the link releases, the tangent once that is near. After each equilibrium all forces are compared
//! with those of the laws at the resulting overlaps; where they differ the lines are drawn anew and equilibrium is found again. In a bed
//! without a redundant link forces do not depend on stiffnesses, so that one round suffices.

use super::contacts::{BESIDE, Beside, Body};
use super::{QuasiStatic, solver};
use crate::body::Grain;
use crate::contact::slow::{Line, SlowLink};
use crate::geometry::{Dimension, Vector};
use crate::ranks::Ranks;
use crate::stress::{LinkKey, Network, Outcome, Packing, Relaxation, Rules, StressError};
use crate::system::Setup;

/// Force by which a link may differ from its law, over its force or the load of the lighter of its grains, whichever is greater.
const FOLLOWED: f64 = 1e-6;
/// Share of that above which a line is drawn anew once any must be.
const BETTERED: f64 = 0.1;
/// Share by which the stiffness across may differ.
const ACROSS: f64 = 1e-3;
/// A line may be a tangent where the force differs by less than this share of the link's force beyond its end.
const NEAR: f64 = 0.05;
/// Force that counts as zero, over the greatest of any link.
const ROUNDING: f64 = 1e-14;
/// Greatest number of rounds in which lines are drawn anew after one load; in the latter half all end where their laws do.
const ROUNDS: usize = 60;

/// Law of a link, and its memory.
#[derive(Clone, Copy, Debug)]
struct Bearing {
    slow: SlowLink,
    /// Greatest overlap so far, m.
    deepest: f64,
    /// Load of the lighter of its grains when the link begins, N.
    load: f64,
}

/// Laws of all links.
#[derive(Debug)]
pub(super) struct Bearings<'s> {
    /// By link; `None` for links without a law.
    each: Vec<Option<Bearing>>,
    /// Whether all laws are plain springs.
    plain: bool,
    /// Force that counts as zero, and the least load with which links begin, N.
    tolerance: f64,
    least: f64,
    /// Number of times that a law was not followed to the end.
    pub missed: u64,
    /// Ranks that share the inverse stiffness matrix, if there are several.
    ranks: Option<&'s (dyn Ranks + Sync)>,
}

impl<'s> Bearings<'s> {
    /// Creates the laws for a setup under a mean load, N; `tolerance` is the force that counts as zero, N.
    pub fn new<D: Dimension>(
        setup: &Setup<D>,
        tolerance: f64,
        mean_load: f64,
        ranks: Option<&'s (dyn Ranks + Sync)>,
    ) -> Self {
        let table = &setup.matter.laws;
        let springs = table.laws.iter().flatten().all(|law| !law.needs_radius());
        Bearings {
            each: Vec::new(),
            plain: springs && !table.composed(),
            tolerance,
            least: FOLLOWED * mean_load,
            missed: 0,
            ranks,
        }
    }

    /// Returns whether all laws are plain springs.
    pub fn are_plain(&self) -> bool {
        self.plain
    }

    /// Returns the least force that differs from zero beside a force of `bears`, N.
    pub fn floor(&self, bears: f64) -> f64 {
        (FOLLOWED * bears).max(self.tolerance)
    }

    /// Returns the line of a link that begins under a load, N.
    pub fn begin(&self, slow: &SlowLink, load: f64) -> Line {
        let load = load.max(self.least);
        slow.line(load, 0.0, self.floor(load), false)
    }

    /// Stores the law of a link.
    fn set(&mut self, link: LinkKey, slow: SlowLink, load: f64) {
        self.each.resize(link.max(self.each.len()), None);
        let bearing = Bearing {
            slow,
            deepest: 0.0,
            load,
        };
        match self.each.get_mut(link) {
            Some(place) => *place = Some(bearing),
            None => self.each.push(Some(bearing)),
        }
    }

    /// Returns new lines for the links whose forces differ from their laws; empty where all are near enough.
    fn new_lines<D: Dimension>(
        &self,
        packing: &Packing<D>,
        relaxation: &Relaxation,
        round: usize,
    ) -> Vec<(LinkKey, Line)> {
        let bends: &[LinkKey] = match &relaxation.outcome {
            Outcome::Bends { links } => links,
            _ => &[],
        };
        let mut lines = Vec::new();
        let mut needed = !bends.is_empty();
        for (key, bearing) in self.each.iter().enumerate() {
            let Some(Bearing {
                slow,
                deepest,
                load,
            }) = bearing
            else {
                continue;
            };
            let stress = packing.stress(key);
            if !stress.on || slow.straight().is_some() {
                continue;
            }
            let bent = bends.binary_search(&key).is_ok();
            let least = slow.end(*deepest).1;
            let mut size = stress.normal.abs().max(*load);
            if self.tolerance == 0.0 {
                // No grain is loaded: forces are compared with the pull of which links are capable.
                size = size.max(least.abs());
            }
            let floor = self.floor(size);
            if stress.held && !bent && stress.normal < least {
                // A held link, which only dynamics could solve, bears more than its law.
                continue;
            }
            let held = slow.at(stress.overlap, *deepest);
            let (lacks, kt) = (
                stress.normal - held.force,
                packing.network().links()[key].kt,
            );
            // Where the law is flat, the chord over it differs by a quarter of its span.
            let flat = match stress.normal - least < slow.slack(least) {
                true => 0.25 * slow.slack(least),
                false => 0.0,
            };
            let lacks = if lacks.abs() <= flat { 0.0 } else { lacks };
            let across = (kt - held.tangential).abs() > ACROSS * kt;
            needed |= lacks.abs() > floor || across && stress.normal > floor;
            if bent || across || lacks.abs() > BETTERED * floor {
                let early = !bent && 2 * round < ROUNDS;
                let closely = early && lacks.abs() < NEAR * (stress.normal - least);
                lines.push((key, slow.line(stress.normal, *deepest, floor, closely)));
            }
        }
        if needed { lines } else { Vec::new() }
    }

    /// Updates the greatest overlaps of links, and forgets those of bodies that are apart: returns the lines with which these begin anew.
    fn remember<D: Dimension>(&mut self, packing: &Packing<D>) -> Vec<(LinkKey, Line)> {
        let tolerance = self.tolerance;
        let mut anew = Vec::new();
        for (key, bearing) in self.each.iter_mut().enumerate() {
            if let Some(bearing) = bearing.as_mut().filter(|of| of.slow.remembers()) {
                let stress = packing.stress(key);
                if stress.on {
                    let held = bearing.slow.at(stress.overlap, bearing.deepest);
                    bearing.deepest = held.deepest;
                } else if stress.overlap <= 0.0 && bearing.deepest > 0.0 {
                    bearing.deepest = 0.0;
                    let floor = (FOLLOWED * bearing.load).max(tolerance);
                    anew.push((key, bearing.slow.line(bearing.load, 0.0, floor, false)));
                }
            }
        }
        anew
    }

    /// Returns the energy of links by their laws less that of straight springs with their forces, J.
    pub fn beyond_springs<D: Dimension>(&self, packing: &Packing<D>) -> f64 {
        if self.plain {
            return 0.0;
        }
        let mut sum = 0.0;
        for (key, bearing) in self.each.iter().enumerate() {
            let Some(Bearing { slow, deepest, .. }) = bearing else {
                continue;
            };
            let stress = packing.stress(key);
            if stress.on {
                let spring = packing.network().links()[key].kn;
                sum += slow.energy(stress.overlap, *deepest)
                    - 0.5 * stress.normal * stress.normal / spring;
            }
        }
        sum
    }

    /// Returns the greatest overlap of a link so far, m, where its law depends on that; 0 otherwise.
    pub fn deepest_of(&self, link: LinkKey) -> f64 {
        let bearing = self.each.get(link).copied().flatten();
        bearing.map_or(0.0, |bearing| bearing.deepest)
    }
}

/// Begins links as the lines of their laws, each with the load of the lighter of its grains, N.
pub(super) fn begin<D: Dimension>(
    filling: &mut QuasiStatic<D>,
    links: &[LinkKey],
    laws: &[(SlowLink, Line, f64)],
) {
    if filling.bearings.plain {
        return;
    }
    let all = links.iter().zip(laws);
    let lines: Vec<(LinkKey, Line)> = all.map(|(&link, of)| (link, of.1)).collect();
    for (&link, (slow, _, load)) in links.iter().zip(laws) {
        filling.bearings.set(link, *slow, *load);
    }
    filling.packing.begin_lines(&lines);
}

/// Brings all grains back to equilibrium, by the laws of their links.
pub(super) fn relax<D: Dimension>(
    filling: &mut QuasiStatic<D>,
    stops: &dyn Fn() -> bool,
) -> Result<Relaxation, StressError> {
    let QuasiStatic {
        setup,
        rules,
        packing,
        bearings,
        ..
    } = filling;
    // Forces of walls and pulls may exceed loads so far that rounding alone passes the tolerance.
    let rules = Rules {
        tolerance: rules.tolerance.max(ROUNDING * packing.greatest_normal()),
        ..rules.clone()
    };
    let mut all = packing.relax_unless(&rules, stops)?;
    let settings = setup.models.quasi_static.filter(|_| !bearings.plain);
    let Some(settings) = settings else {
        return Ok(all);
    };
    let ranks = bearings.ranks;
    let anew = |network: &Network<D>| solver(settings.solver, network, setup.grains.len(), ranks);
    for round in 0.. {
        let lines = bearings.new_lines(packing, &all, round);
        if lines.is_empty() {
            break;
        }
        if round == ROUNDS {
            bearings.missed += 1;
            break;
        }
        packing.set_lines(&lines, anew);
        all.go_on(packing.relax_unless(&rules, stops)?);
    }
    let lines = bearings.remember(packing);
    if !lines.is_empty() {
        packing.set_lines(&lines, anew);
    }
    Ok(all)
}

/// Returns the law of the link of a grain with a body beside it, if there is one.
pub(super) fn law_of<D: Dimension>(
    setup: &Setup<D>,
    grain: &Grain<D>,
    beside: &Beside<D>,
) -> Option<SlowLink> {
    let material = match beside.body {
        Body::Wall(wall) => setup.boundaries[wall].material,
        Body::Grain(other) => setup.grains[other].material,
    };
    let radius = beside.effective_radius(grain.radius);
    SlowLink::new(&setup.matter.laws, [grain.material, material], radius)
}

/// Returns whether a new grain under a load (N) hangs on pulls of bodies that it touches beside or above, so that it stays where it is.
pub(super) fn hangs<D: Dimension>(
    filling: &QuasiStatic<D>,
    around: &[Beside<D>],
    grain: &Grain<D>,
    load: D::Vector,
) -> bool {
    let size = load.norm();
    if filling.bearings.are_plain() || size == 0.0 {
        return false;
    }
    let holds = |beside: &Beside<D>| {
        let along = beside.direction.dot(&load) / size;
        let pull = law_of(&filling.setup, grain, beside).map_or(0.0, |slow| {
            let steep = (-along).max(slow.friction());
            -slow.end(0.0).1 * steep
        });
        beside.gap <= 0.0 && along <= BESIDE && pull >= size
    };
    around.iter().any(holds)
}
