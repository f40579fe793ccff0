//! The laws of the links of a filling whose stiffness goes with the load.
//!
//! Equilibrium is found with straight springs. Where the law of a link is none, one stands for it about what it bears: the line from where the link
//! lets go at first, the tangent once that is near. After each equilibrium all forces are compared with those of the laws at the overlaps that came
//! about; where they differ the lines are drawn anew and equilibrium is found again. In a bed that hangs together without a link to spare forces do
//! not depend on stiffnesses, so that one round does.

use super::{QuasiStatic, solver};
use crate::contact::slow::{Line, SlowLink};
use crate::geometry::Dimension;
use crate::stress::{LinkKey, Outcome, Packing, Relaxation, StressError};
use crate::system::Setup;

/// Force by which a link may differ from its law, over the mean load.
const FOLLOWED: f64 = 1e-6;
/// Part of that from which on a line is drawn anew once any must be.
const BETTERED: f64 = 0.1;
/// Part by which the stiffness across may differ.
const ACROSS: f64 = 1e-3;
/// A line may be a tangent where the force differs by less than this part of what the link bears over its end.
const NEAR: f64 = 0.05;
/// Rounds in which lines are drawn anew after one load, at most; in the latter half all end where their laws do.
const ROUNDS: usize = 60;

/// The law of a link, and what it remembers.
#[derive(Clone, Copy, Debug)]
struct Bearing {
    slow: SlowLink,
    /// The overlap to which it was loaded, m.
    deepest: f64,
}

/// Those of all links.
#[derive(Debug)]
pub(super) struct Bearings {
    /// By link; none of those that no law has.
    each: Vec<Option<Bearing>>,
    /// Whether none has more than a spring.
    plain: bool,
    /// Force that is told from none, N.
    floor: f64,
    /// How often a law was not followed to the end.
    pub missed: u64,
}

impl Bearings {
    /// Of a setup under a mean load, N.
    pub fn new<D: Dimension>(setup: &Setup<D>, tolerance: f64, mean_load: f64) -> Self {
        let table = &setup.matter.laws;
        let springs = table.laws.iter().flatten().all(|law| !law.needs_radius());
        Bearings {
            each: Vec::new(),
            plain: springs && !table.composed(),
            floor: (FOLLOWED * mean_load).max(tolerance),
            missed: 0,
        }
    }

    /// Whether none has more than a spring.
    pub fn are_plain(&self) -> bool {
        self.plain
    }

    /// Force that is told from none, N.
    pub fn floor(&self) -> f64 {
        self.floor
    }

    /// The line of a link that begins under a load, N.
    pub fn begin(&self, slow: &SlowLink, load: f64) -> Line {
        slow.line(load, 0.0, self.floor, false)
    }

    /// Takes in the law of a link.
    fn set(&mut self, link: LinkKey, slow: SlowLink) {
        self.each.resize(link.max(self.each.len()), None);
        let bearing = Bearing { slow, deepest: 0.0 };
        match self.each.get_mut(link) {
            Some(place) => *place = Some(bearing),
            None => self.each.push(Some(bearing)),
        }
    }

    /// The lines of links that bear otherwise than by their laws; none where all are near enough.
    fn new_lines<D: Dimension>(
        &self,
        packing: &Packing<D>,
        relaxation: &Relaxation,
        round: usize,
    ) -> Vec<(LinkKey, Line)> {
        let floor = self.floor;
        let bends: &[LinkKey] = match &relaxation.outcome {
            Outcome::Bends { links } => links,
            _ => &[],
        };
        let mut lines = Vec::new();
        let mut needed = !bends.is_empty();
        for (key, bearing) in self.each.iter().enumerate() {
            let Some(Bearing { slow, deepest }) = bearing else {
                continue;
            };
            let stress = packing.stress(key);
            if !stress.on || slow.straight().is_some() {
                continue;
            }
            let bent = bends.binary_search(&key).is_ok();
            if stress.held && !bent && stress.normal < slow.end(*deepest).1 {
                // What only dynamics could solve bears more than its law.
                continue;
            }
            let held = slow.at(stress.overlap, *deepest);
            let (lacks, kt) = (
                stress.normal - held.force,
                packing.network().links()[key].kt,
            );
            let across = (kt - held.tangential).abs() > ACROSS * kt;
            needed |= lacks.abs() > floor || across && stress.normal > floor;
            if bent || across || lacks.abs() > BETTERED * floor {
                let early = !bent && 2 * round < ROUNDS;
                let over = || stress.normal - slow.end(*deepest).1;
                let closely = early && lacks.abs() < NEAR * over();
                lines.push((key, slow.line(stress.normal, *deepest, floor, closely)));
            }
        }
        if needed { lines } else { Vec::new() }
    }

    /// Links remember how deep they are loaded; those of bodies that are apart nothing.
    fn remember<D: Dimension>(&mut self, packing: &Packing<D>) {
        for (key, bearing) in self.each.iter_mut().enumerate() {
            if let Some(bearing) = bearing.as_mut().filter(|of| of.slow.remembers()) {
                let stress = packing.stress(key);
                if stress.on {
                    let held = bearing.slow.at(stress.overlap, bearing.deepest);
                    bearing.deepest = held.deepest;
                } else if stress.overlap <= 0.0 {
                    bearing.deepest = 0.0;
                }
            }
        }
    }

    /// What links hold by their laws over what straight springs with their forces would, J.
    pub fn beyond_springs<D: Dimension>(&self, packing: &Packing<D>) -> f64 {
        if self.plain {
            return 0.0;
        }
        let mut sum = 0.0;
        for (key, bearing) in self.each.iter().enumerate() {
            let Some(Bearing { slow, deepest }) = bearing else {
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

    /// The overlap to which a link was loaded, m, where it remembers that.
    pub fn deepest_of(&self, link: LinkKey) -> f64 {
        let bearing = self.each.get(link).copied().flatten();
        bearing.map_or(0.0, |bearing| bearing.deepest)
    }
}

/// Links begin as the lines of their laws.
pub(super) fn begin<D: Dimension>(
    filling: &mut QuasiStatic<D>,
    links: &[LinkKey],
    laws: &[(SlowLink, Line)],
) {
    if filling.bearings.plain {
        return;
    }
    let all = links.iter().zip(laws);
    let lines: Vec<(LinkKey, Line)> = all.map(|(&link, of)| (link, of.1)).collect();
    for (&link, (slow, _)) in links.iter().zip(laws) {
        filling.bearings.set(link, *slow);
    }
    filling.packing.begin_lines(&lines);
}

/// All goes back to equilibrium, by the laws of its links.
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
    let mut all = packing.relax_unless(rules, stops)?;
    let settings = setup.models.quasi_static.filter(|_| !bearings.plain);
    let Some(settings) = settings else {
        return Ok(all);
    };
    for round in 0.. {
        let lines = bearings.new_lines(packing, &all, round);
        if lines.is_empty() {
            break;
        }
        if round == ROUNDS {
            bearings.missed += 1;
            break;
        }
        packing.set_lines(&lines, |network| {
            solver(settings.solver, network, setup.grains.len())
        });
        all.go_on(packing.relax_unless(rules, stops)?);
    }
    bearings.remember(packing);
    Ok(all)
}
