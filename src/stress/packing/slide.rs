//! Rounds of slides on an unchanged network, computed for links instead of nodes.
//!
//! A slide is a pair of forces along a bar of its link, so it changes all strains by a column of
//! the inverse, which is computed once. Only some links are watched from round to round: each
//! column stores the greatest fraction of its margin that any other link loses for a unit force,
//! and as long as the sum of these fractions is less than one, no other link can have left its
//! bounds. The rounds are those of the rule, in its order, whichever links are watched.

use super::super::network::LinkKey;
use super::super::solver::StressError;
use super::Packing;
use super::bond::Fault;
use super::columns;
use super::endless::Watch;
use super::near;
use super::relax::{Run, first};
use super::rules::{Handling, Reason, Rules, Slid, Sliding};
use crate::geometry::Dimension;

/// Fraction of the margins that may be used before all links are checked again: allows for rounding.
const BUDGET: f64 = 0.5;
/// Watched are the links that could leave their bounds within this many rounds like the present
/// one, or within this multiple of the forces applied so far.
const ROUNDS_AHEAD: f64 = 16.0;
const TIMES_AHEAD: f64 = 4.0;
/// Number of rounds within which a contact must close for a sequence without decay to continue.
const FORESIGHT: f64 = 20_000.0;
/// Links that slide by less than this fraction of the greatest excess do not drive a sequence.
pub(super) const DRIVER: f64 = 0.5;

/// End of rounds of slides.
pub(super) enum End {
    /// Another list has to be handled, or none.
    Done,
    /// Links would open elsewhere than their contact laws do.
    Bends(Vec<LinkKey>),
    /// The rounds would not end.
    Endless(Reason, Vec<LinkKey>),
}

/// The watched links.
#[derive(Default)]
struct Watched {
    links: Vec<LinkKey>,
    is: Vec<bool>,
    margins: Vec<f64>,
    /// Upper bound of the fraction of the margins used.
    used: f64,
    /// For each column, its strains at the watched links, contiguous in memory: the rounds use no
    /// other data. Empty until needed.
    near: Vec<Vec<f64>>,
    /// Buffer: changes of strain in one round.
    change: Vec<f64>,
}

/// Links beyond Coulomb's bound, each with its excess, N, and whether the other lists are nonempty.
#[derive(Clone, Default)]
pub(super) struct Faults {
    pub excess: Vec<(LinkKey, f64)>,
    pub overlap: bool,
    pub tension: bool,
}

impl Faults {
    pub fn clear(&mut self) {
        self.excess.clear();
        (self.overlap, self.tension) = (false, false);
    }

    pub fn add(&mut self, link: LinkKey, fault: Fault) {
        match fault {
            Fault::None(_) => {}
            Fault::Overlap(_) => self.overlap = true,
            Fault::Tension(_) => self.tension = true,
            Fault::Excess(excess) => self.excess.push((link, excess)),
        }
    }

    /// Reduces the list to the links that slide now; returns the greatest excess.
    pub fn sliding(&mut self, rules: &Rules) -> f64 {
        let greatest = self
            .excess
            .iter()
            .copied()
            .reduce(|best, next| if next.1 > best.1 { next } else { best });
        let Some(greatest) = greatest else { return 0.0 };
        if rules.sliding == Sliding::LargestExcess {
            self.excess = vec![greatest];
        }
        greatest.1
    }
}

/// Performs slides until another list comes first, or none is left. All strains are up to date
/// before and after.
pub(super) fn slide<D: Dimension>(
    packing: &mut Packing<D>,
    rules: &Rules,
    run: &mut Run,
) -> Result<End, StressError> {
    if let Some(end) = near::slide_near(packing, rules, run)? {
        return Ok(end);
    }
    let mut watched = Watched::default();
    let mut now = Faults::default();
    for key in 0..packing.bonds.len() {
        now.add(key, packing.bonds[key].fault::<D>(rules));
    }
    for column in &mut packing.columns.list {
        column.moved = 0.0;
    }
    let mut greatest = now.sliding(rules);
    for &(link, _) in &now.excess {
        run.columns += usize::from(columns::columns_of(packing, link)?.1);
    }
    watch(packing, rules, &now, &mut watched);
    let mut then: Vec<f64> = watched.margins.clone();
    loop {
        if (run.stops)() {
            return Err(StressError::Interrupted);
        }
        if let Some(link) = slide_once(packing, rules, run, &now, &mut watched) {
            bring_up(packing, &watched);
            let mut links = run.slid_farther(&packing.bonds, 0.5 * rules.small);
            if links.is_empty() {
                links.push(link);
            }
            return Ok(End::Endless(Reason::Far, links));
        }
        run.rounds += 1;
        let mut look = watched.used >= BUDGET;
        let watch = run.watchdog.round(greatest);
        look |= watch != Watch::Going;
        if look {
            bring_up(packing, &watched);
            self::watch(packing, rules, &now, &mut watched);
        }
        if let Watch::Stalled(window) = watch
            && !meets(packing, rules, run, &now, window, &then, &watched.margins)
        {
            let drives = |&&(_, excess): &&(LinkKey, f64)| excess >= DRIVER * greatest;
            let links = now.excess.iter().filter(drives).map(|e| e.0).collect();
            return Ok(End::Endless(Reason::Undamped, links));
        }
        if watch != Watch::Going {
            then.clone_from(&watched.margins);
        }
        now = Faults::default();
        for &key in &watched.links {
            now.add(key, packing.bonds[key].fault::<D>(rules));
        }
        let lists = [now.overlap, now.tension, !now.excess.is_empty()];
        if first(&rules.order, lists) != Some(Handling::Slide) {
            bring_up(packing, &watched);
            return Ok(End::Done);
        }
        if run.rounds >= rules.rounds {
            bring_up(packing, &watched);
            let links = now.excess.iter().map(|e| e.0).collect();
            return Ok(End::Endless(Reason::Rounds, links));
        }
        greatest = now.sliding(rules);
        for i in 0..now.excess.len() {
            let (first, new) = columns::columns_of(packing, now.excess[i].0)?;
            if new {
                run.columns += 1;
                for column in first..first + D::N - 1 {
                    threaten(packing, column, &watched);
                }
            }
        }
    }
}

/// Performs one round: all slides at once, each as if it were alone. Returns a link that slid too far, if any.
fn slide_once<D: Dimension>(
    packing: &mut Packing<D>,
    rules: &Rules,
    run: &mut Run<'_>,
    now: &Faults,
    watched: &mut Watched,
) -> Option<LinkKey> {
    let mut far = None;
    // All increments are computed from the stresses before any of them is applied.
    for &(link, excess) in &now.excess {
        let bond = &mut packing.bonds[link];
        let slide = bond.slide::<D>(excess);
        let radius = bond.radius;
        let mut slid = Slid::none(link);
        slid.add(&slide, run.rounds);
        run.slid(&slid);
        if run.path(link) > rules.small * radius {
            far = Some(link);
        }
        let Some(first) = packing.columns.of(link) else {
            continue;
        };
        for k in 1..D::N {
            let column = &mut packing.columns.list[first + k - 1];
            let force = slide.force[k];
            column.pending += force;
            column.moved += force.abs();
            watched.used += column.threat * force.abs();
            run.forces.push((first + k - 1, force));
        }
    }
    packing.settled -= 0.5 * work(packing, &run.forces);
    let columns = &packing.columns.list;
    watched.near.resize(columns.len(), Vec::new());
    watched.change.clear();
    watched.change.resize(watched.links.len() * D::N, 0.0);
    for &(column, force) in &run.forces {
        let near = &mut watched.near[column];
        if near.is_empty() {
            for &key in &watched.links {
                let strain = &columns[column].strain[key * D::N..(key + 1) * D::N];
                near.extend_from_slice(strain);
            }
        }
        for (change, near) in watched.change.iter_mut().zip(&*near) {
            *change += near * force;
        }
    }
    let changes = watched.change.chunks_exact(D::N);
    for (&key, change) in watched.links.iter().zip(changes) {
        for (strain, change) in packing.bonds[key].strain.iter_mut().zip(change) {
            *strain += change;
        }
    }
    packing.settled += 0.5 * work(packing, &run.forces);
    run.forces.clear();
    far
}

/// Work of forces along columns over the strains of their own bars, J.
fn work<D: Dimension>(packing: &Packing<D>, forces: &[(usize, f64)]) -> f64 {
    let of = |&(column, force): &(usize, f64)| {
        let column = &packing.columns.list[column];
        force * packing.bonds[column.link].strain[column.bar]
    };
    forces.iter().map(of).sum()
}

/// Updates the strains of unwatched links, and the displacements.
fn bring_up<D: Dimension>(packing: &mut Packing<D>, watched: &Watched) {
    for column in &mut packing.columns.list {
        let force = std::mem::take(&mut column.pending);
        if force == 0.0 {
            continue;
        }
        for (key, bond) in packing.bonds.iter_mut().enumerate() {
            if !watched.is[key] {
                for k in 0..D::N {
                    bond.strain[k] += column.strain[key * D::N + k] * force;
                }
            }
        }
        for (to, by) in packing.displacement.iter_mut().zip(&column.displacement) {
            *to += by * force;
        }
    }
}

/// Chooses the links to watch; all strains are up to date.
fn watch<D: Dimension>(
    packing: &mut Packing<D>,
    rules: &Rules,
    now: &Faults,
    watched: &mut Watched,
) {
    let columns = &mut packing.columns.list;
    let mut plan: Vec<f64> = columns.iter().map(|c| TIMES_AHEAD * c.moved).collect();
    for &(link, excess) in &now.excess {
        if let Some(first) = packing.columns.of(link) {
            for plan in &mut plan[first..first + D::N - 1] {
                *plan += ROUNDS_AHEAD * excess;
            }
        }
    }
    let columns = &mut packing.columns.list;
    for column in columns.iter_mut() {
        column.threat = 0.0;
    }
    watched.used = 0.0;
    watched.near.clear();
    watched.links.clear();
    watched.is.clear();
    watched.is.resize(packing.bonds.len(), false);
    watched.margins.clear();
    let mut sways = vec![0.0; columns.len()];
    for (key, bond) in packing.bonds.iter().enumerate() {
        let margin = match bond.fault::<D>(rules) {
            Fault::None(margin) => margin,
            _ => 0.0,
        };
        watched.margins.push(margin);
        let mut needs = 0.0;
        if margin > 0.0 {
            for ((sway, column), plan) in sways.iter_mut().zip(columns.iter()).zip(&plan) {
                *sway = bond.sway(&column.strain[key * D::N..(key + 1) * D::N]);
                needs += *sway * plan;
            }
        }
        if margin <= needs {
            watched.is[key] = true;
            watched.links.push(key);
        } else {
            for (sway, column) in sways.iter().zip(columns.iter_mut()) {
                column.threat = column.threat.max(sway / margin);
            }
        }
    }
}

/// Computes the threat of a column to the unwatched links, by their margins at the last check.
fn threaten<D: Dimension>(packing: &mut Packing<D>, column: usize, watched: &Watched) {
    let mut threat = 0.0_f64;
    let strain = &packing.columns.list[column].strain;
    for (key, bond) in packing.bonds.iter().enumerate() {
        if !watched.is[key] {
            let sway = bond.sway(&strain[key * D::N..(key + 1) * D::N]);
            threat = threat.max(sway / watched.margins[key]);
        }
    }
    packing.columns.list[column].threat = threat;
}

/// Whether a link will soon leave its bounds if the trend of the last window continues, before any
/// link has slid too far: then the sequence is not known to be endless.
pub(super) fn meets<D: Dimension>(
    packing: &Packing<D>,
    rules: &Rules,
    run: &Run<'_>,
    now: &Faults,
    window: usize,
    then: &[f64],
    margins: &[f64],
) -> bool {
    let mut left = FORESIGHT;
    for &(link, excess) in &now.excess {
        let bond = &packing.bonds[link];
        let room = rules.small * bond.radius - run.path(link);
        left = left.min(room * bond.line.tangential / excess);
    }
    let soon = |(now, then): (&f64, &f64)| {
        let rate = (then - now) / window as f64;
        *now > 0.0 && rate > 0.0 && now / rate < left
    };
    margins.iter().zip(then).any(soon)
}
