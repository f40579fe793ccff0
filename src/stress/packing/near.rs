//! Rounds of slides among nearby links, for solvers with a sparse factor: there a whole column of
//! the inverse is expensive, but the compliance between two links is cheap.
//!
//! Rounds involve only the watched links: those that slide and those that might. Their strains are
//! exact. One solve updates all others at the end of the rounds, and at each check of the watchdog;
//! if one of them lost a quarter of its margin, the packing returns to the start of these rounds
//! and repeats them with that link watched. So every link ends in the state that the literal rule
//! gives; the one case missed is a link that leaves its bounds between two checks and returns until
//! it has lost less than a quarter of its margin.

use super::super::half::fill;
use super::super::network::LinkKey;
use super::super::solver::{Half, StressError};
use super::Packing;
use super::bond::Bond;
use super::endless::Watch;
use super::front::{Front, margin};
use super::relax::{Run, first};
use super::rules::{Handling, Reason, Rules};
use super::slide::{DRIVER, End, Faults};
use super::{front, slide};
use crate::geometry::Dimension;

/// Initially watched are the links that would leave their bounds within this many rounds like the first.
const ROUNDS_AHEAD: f64 = 4.0;
/// Fraction of its margin that a link may lose unwatched, and the fraction above which it is
/// watched when others have lost more.
const LOST: f64 = 0.25;
const LOSING: f64 = 0.1;

/// Data of the nearby links, for one state of the network.
#[derive(Default)]
pub(super) struct Near {
    /// Halves of each watched link's bars, and the basis that they belong to.
    halves: Vec<Vec<Half>>,
    basis: u64,
    /// Watched links, and the position of each among them, plus one.
    pub links: Vec<LinkKey>,
    place: Vec<u32>,
    /// Strains of all bars of watched links for a unit force along each tangential bar of each
    /// watched link; followed by empty columns whose memory is reused.
    pub columns: Vec<Vec<f64>>,
    /// The front of sliding links.
    pub front: Front,
}

impl Near {
    /// Removes all data, since the network has changed.
    pub fn clear(&mut self) {
        for &link in &self.links {
            self.place[link] = 0;
        }
        self.halves.clear();
        self.links.clear();
        for column in &mut self.columns {
            column.clear();
        }
    }

    pub fn place(&self, link: LinkKey) -> Option<usize> {
        match self.place.get(link) {
            Some(&n) if n > 0 => Some(n as usize - 1),
            _ => None,
        }
    }
}

/// State at the start of rounds.
struct Start<'a> {
    run: Run<'a>,
    settled: f64,
    bonds: Vec<Bond>,
    /// Margins of all links.
    margins: Vec<f64>,
}

/// Performs slides until another list comes first, or none is left. Returns none, without any
/// change, if the solver has no halves.
pub(super) fn slide_near<D: Dimension>(
    packing: &mut Packing<D>,
    rules: &Rules,
    run: &mut Run<'_>,
) -> Result<Option<End>, StressError> {
    let known = packing.near.links.len() * (D::N - 1);
    let mut now = Faults::default();
    let mut margins = margins(packing, rules);
    for key in 0..packing.bonds.len() {
        if margins[key] == 0.0 {
            now.add(key, packing.bonds[key].fault::<D>(rules));
        }
    }
    let faulty = (0..margins.len()).filter(|&key| margins[key] == 0.0);
    if !watch_near(packing, faulty.collect()) {
        return Ok(None);
    }
    now.sliding(rules);
    watch_ahead(packing, &now, &margins)?;
    run.columns += packing.near.links.len() * (D::N - 1) - known;
    let mut then = margins.clone();
    loop {
        if (run.stops)() {
            return Err(StressError::Interrupted);
        }
        let start = Start {
            run: run.clone(),
            settled: packing.settled,
            bonds: packing
                .near
                .links
                .iter()
                .map(|&l| packing.bonds[l])
                .collect(),
            margins,
        };
        let mut pending = vec![0.0; packing.near.links.len() * (D::N - 1)];
        let mut now = faults_near(packing, rules);
        let mut greatest = now.sliding(rules);
        let (end, watch) =
            front::rounds_near(packing, rules, run, &mut now, &mut greatest, &mut pending);
        let lost = look(packing, rules, &pending, &start.margins)?;
        if !lost.is_empty() {
            for (&link, bond) in packing.near.links.iter().zip(&start.bonds) {
                packing.bonds[link] = *bond;
            }
            run.columns += lost.len() * (D::N - 1);
            let columns = run.columns;
            *run = start.run;
            run.columns = columns;
            packing.settled = start.settled;
            margins = start.margins;
            if !watch_near(packing, lost) {
                return Ok(None);
            }
            continue;
        }
        match end {
            Some((Reason::Far, link)) => {
                let far = run.slid_farther(&packing.bonds, 0.5 * rules.small);
                let links = if far.is_empty() { link } else { far };
                return Ok(Some(End::Endless(Reason::Far, links)));
            }
            Some((reason, links)) => return Ok(Some(End::Endless(reason, links))),
            None => {}
        }
        margins = self::margins(packing, rules);
        if let Watch::Stalled(window) = watch
            && !slide::meets(packing, rules, run, &now, window, &then, &margins)
        {
            let drives = |&&(_, excess): &&(LinkKey, f64)| excess >= DRIVER * greatest;
            let links = now.excess.iter().filter(drives).map(|e| e.0).collect();
            return Ok(Some(End::Endless(Reason::Undamped, links)));
        }
        if watch != Watch::Going {
            then.clone_from(&margins);
        }
        let next = faults_near(packing, rules);
        let lists = [next.overlap, next.tension, !next.excess.is_empty()];
        if first(&rules.order, lists) != Some(Handling::Slide) {
            return Ok(Some(End::Done));
        }
        if run.rounds >= rules.rounds {
            let links = next.excess.iter().map(|e| e.0).collect();
            return Ok(Some(End::Endless(Reason::Rounds, links)));
        }
    }
}

/// The margin of each link; 0 for a violation.
fn margins<D: Dimension>(packing: &Packing<D>, rules: &Rules) -> Vec<f64> {
    packing
        .bonds
        .iter()
        .map(|bond| margin::<D>(bond, rules))
        .collect()
}

fn faults_near<D: Dimension>(packing: &Packing<D>, rules: &Rules) -> Faults {
    let mut faults = Faults::default();
    for &key in &packing.near.links {
        faults.add(key, packing.bonds[key].fault::<D>(rules));
    }
    faults
}

/// Adds links to the watched ones; returns false if the solver has no halves.
fn watch_near<D: Dimension>(packing: &mut Packing<D>, mut links: Vec<LinkKey>) -> bool {
    links.retain(|&link| packing.near.place(link).is_none());
    if links.is_empty() {
        return true;
    }
    let Some(halves) = packing.solver.halves(&packing.network, &links) else {
        return false;
    };
    let near = &mut packing.near;
    if near.basis != packing.solver.basis() {
        let Some(halves) = packing.solver.halves(&packing.network, &near.links) else {
            return false;
        };
        near.halves = halves;
        near.basis = packing.solver.basis();
    }
    near.place.resize(packing.bonds.len(), 0);
    let known = near.links.len();
    for (&link, halves) in links.iter().zip(halves) {
        near.halves.push(halves);
        near.links.push(link);
        near.place[link] = u32::try_from(near.links.len()).unwrap_or(0);
    }
    let columns = near.links.len() * (D::N - 1);
    if near.columns.len() < columns {
        near.columns.resize(columns, Vec::new());
    }
    fill(&near.halves, known, &mut near.columns[..columns]);
    true
}

/// Watches the links that might leave their bounds soon, judged by the effect of the first round.
fn watch_ahead<D: Dimension>(
    packing: &mut Packing<D>,
    now: &Faults,
    margins: &[f64],
) -> Result<(), StressError> {
    let mut load = vec![0.0; packing.network.len()];
    for &(link, excess) in &now.excess {
        let bond = &packing.bonds[link];
        let (tangential, shear) = (bond.tangential(), bond.shear::<D>());
        let force = [0, 1, 2].map(|k| match k {
            0 => 0.0,
            k => excess * tangential[k - 1] / shear,
        });
        packing.spread(link, force, &mut load);
    }
    let mut moved = vec![0.0; packing.network.len()];
    packing.solver.solve(&packing.network, &load, &mut moved)?;
    let leaves = |&key: &LinkKey| {
        let strain = packing.strain(key, &moved);
        ROUNDS_AHEAD * packing.bonds[key].sway(&strain[..D::N]) >= margins[key]
    };
    let links = (0..packing.bonds.len()).filter(leaves).collect();
    watch_near(packing, links);
    Ok(())
}

/// Updates displacements and the strains of unwatched links; or leaves everything unchanged and
/// returns the links that should have been watched.
fn look<D: Dimension>(
    packing: &mut Packing<D>,
    rules: &Rules,
    pending: &[f64],
    margins: &[f64],
) -> Result<Vec<LinkKey>, StressError> {
    let mut load = vec![0.0; packing.network.len()];
    for (&link, forces) in packing
        .near
        .links
        .iter()
        .zip(pending.chunks_exact(D::N - 1))
    {
        let mut force = [0.0; 3];
        force[1..D::N].copy_from_slice(forces);
        packing.spread(link, force, &mut load);
    }
    let mut moved = vec![0.0; packing.network.len()];
    packing.solver.solve(&packing.network, &load, &mut moved)?;
    let (mut lost, mut losing) = (false, Vec::new());
    let mut strains = Vec::with_capacity(packing.bonds.len());
    for (key, bond) in packing.bonds.iter().enumerate() {
        let mut strain = bond.strain;
        if packing.near.place(key).is_none() {
            for (s, by) in strain.iter_mut().zip(packing.strain(key, &moved)) {
                *s += by;
            }
            let margin = margin::<D>(&Bond { strain, ..*bond }, rules);
            lost |= margin < (1.0 - LOST) * margins[key];
            if margin < (1.0 - LOSING) * margins[key] {
                losing.push(key);
            }
        }
        strains.push(strain);
    }
    if lost {
        return Ok(losing);
    }
    for (bond, strain) in packing.bonds.iter_mut().zip(strains) {
        bond.strain = strain;
    }
    for (to, by) in packing.displacement.iter_mut().zip(moved) {
        *to += by;
    }
    Ok(Vec::new())
}
