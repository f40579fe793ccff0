//! The iteration to equilibrium: the three lists of the thesis (4.5.3), and further events.
//!
//! A link in tension is not opened if its removal would leave nodes without support, or free to
//! move without strain: the next link in the list is opened instead. If there is no other, its
//! nodes require dynamics. So the network can always be solved, whatever the outcome.

use super::columns;
use super::slide;
use nalgebra::{Matrix3, SymmetricEigen};

use super::super::network::{LinkKey, LinkState, NodeKey};
use super::super::solver::StressError;
use super::Packing;
use super::bond::{Bond, Fault};
use super::endless::Watchdog;
use super::rules::{
    Disconnecting, Dissipated, Handling, Outcome, Reason, Relaxation, Rules, Slid, Topological,
    Unresolved,
};
use super::slide::End;
use crate::geometry::Dimension;

/// Ratio of the stiffness of a pair of nodes without their link to that with it, below which
/// nothing holds them. Rounding leaves 1e-12; the weakest grain observed had 1e-4.
const UNHELD: f64 = 1e-9;
/// How often a link may be reseated in one iteration.
const RESEATS: usize = 4;
/// Nodes move in a strain-free motion if they exceed this fraction of its greatest displacement.
const MOVES: f64 = 1e-3;

/// State of a running iteration.
#[derive(Clone)]
pub(super) struct Run<'a> {
    /// Whether to interrupt the iteration.
    pub stops: &'a dyn Fn() -> bool,
    pub rounds: usize,
    pub slides: usize,
    pub columns: usize,
    pub watchdog: Watchdog,
    /// Buffer: forces along columns in one round.
    pub forces: Vec<(usize, f64)>,
    solves: usize,
    topology: Vec<Topological>,
    held: Vec<(Reason, Vec<LinkKey>)>,
    slid: Vec<Slid>,
    /// Position of each link in `slid`, plus one.
    place: Vec<u32>,
    energy: Dissipated,
    /// Links that were reseated, and how often.
    reseated: Vec<(LinkKey, usize)>,
}

impl<'a> Run<'a> {
    fn new(links: usize, stops: &'a dyn Fn() -> bool) -> Self {
        Run {
            stops,
            rounds: 1,
            slides: 0,
            columns: 0,
            watchdog: Watchdog::new(),
            forces: Vec::new(),
            solves: 0,
            topology: Vec::new(),
            held: Vec::new(),
            slid: Vec::new(),
            place: vec![0; links],
            energy: Dissipated::default(),
            reseated: Vec::new(),
        }
    }

    /// Records slides of a link.
    pub fn slid(&mut self, some: &Slid) {
        if self.place[some.link] == 0 {
            self.slid.push(Slid {
                first: some.first,
                ..Slid::none(some.link)
            });
            self.place[some.link] = u32::try_from(self.slid.len()).unwrap_or(0);
        }
        let slid = &mut self.slid[self.place[some.link] as usize - 1];
        slid.times += some.times;
        slid.path += some.path;
        slid.energy += some.energy;
        self.energy += some.energy;
        self.slides += some.times;
    }

    /// Slide of a link in this iteration, m.
    pub fn path(&self, link: LinkKey) -> f64 {
        match self.place[link] {
            0 => 0.0,
            n => self.slid[n as usize - 1].path,
        }
    }

    /// Links that slid farther than this fraction of their radius, by key.
    pub fn slid_farther(&self, bonds: &[Bond], part: f64) -> Vec<LinkKey> {
        let far = |slid: &&Slid| slid.path > part * bonds[slid.link].radius;
        let mut links: Vec<LinkKey> = self.slid.iter().filter(far).map(|s| s.link).collect();
        links.sort_unstable();
        links
    }

    fn finish(mut self, outcome: Outcome) -> Relaxation {
        self.slid.sort_unstable_by_key(|slid| slid.link);
        Relaxation {
            outcome,
            rounds: self.rounds,
            slides: self.slides,
            topology: self.topology,
            slid: self.slid,
            energy: self.energy,
            held: self.held,
            solves: self.solves,
            columns: self.columns,
            reseated: self.reseated.iter().map(|r| r.1).sum(),
            settled: 0.0,
        }
    }
}

/// The first nonempty list among overlaps, tensions and excesses.
pub(super) fn first(order: &[Handling; 3], lists: [bool; 3]) -> Option<Handling> {
    order.iter().copied().find(|handling| match handling {
        Handling::Connect => lists[0],
        Handling::Disconnect => lists[1],
        Handling::Slide => lists[2],
    })
}

impl<D: Dimension> Packing<'_, D> {
    /// Iterates to equilibrium by the rules, as far as that is possible with small displacements.
    ///
    /// # Errors
    /// If the links do not hold every free node from the start, or a solve fails.
    pub fn relax(&mut self, rules: &Rules) -> Result<Relaxation, StressError> {
        self.relax_unless(rules, &|| false)
    }

    /// The same, interrupted as soon as `stops` returns true, which is checked once per round. The packing is then invalid.
    ///
    /// # Errors
    /// As [`Packing::relax`]; also if it was interrupted.
    pub fn relax_unless(
        &mut self,
        rules: &Rules,
        stops: &dyn Fn() -> bool,
    ) -> Result<Relaxation, StressError> {
        let mut run = Run::new(self.bonds.len(), stops);
        if self.stale {
            self.settle()?;
            run.solves += 1;
        }
        for bond in &mut self.bonds {
            bond.clamped &= bond.parts();
            bond.held &= bond.clamped || bond.shear::<D>() > bond.bound(rules);
        }
        let outcome = loop {
            if (run.stops)() {
                return Err(StressError::Interrupted);
            }
            let mut overlap: Option<(LinkKey, f64)> = None;
            let mut tension: Vec<(LinkKey, f64)> = Vec::new();
            let mut excess = false;
            for (key, bond) in self.bonds.iter().enumerate() {
                match bond.fault::<D>(rules) {
                    Fault::None(_) => {}
                    Fault::Overlap(stress) => {
                        if overlap.is_none_or(|best| stress > best.1) {
                            overlap = Some((key, stress));
                        }
                    }
                    Fault::Tension(stress) => tension.push((key, stress)),
                    Fault::Excess(_) => excess = true,
                }
            }
            let lists = [overlap.is_some(), !tension.is_empty(), excess];
            let end = match first(&rules.order, lists) {
                None => break Outcome::Rest,
                Some(Handling::Slide) => slide::slide(self, rules, &mut run)?,
                Some(Handling::Disconnect) => self.disconnect(rules, &mut run, tension)?,
                Some(Handling::Connect) => match overlap {
                    Some((link, stress)) => self.connect(rules, &mut run, link, stress)?,
                    None => End::Done,
                },
            };
            if let End::Bends(links) = end {
                break Outcome::Bends { links };
            }
            if let End::Endless(reason, links) = end {
                if rules.unresolved == Unresolved::Stop || reason == Reason::Rounds {
                    break Outcome::NeedsDynamics { reason, links };
                }
                if rules.unresolved == Unresolved::Reseat
                    && let Reason::Hanging { nodes } = &reason
                    && self.reseat(&mut run, nodes)?
                {
                    continue;
                }
                for &link in &links {
                    let bond = &mut self.bonds[link];
                    bond.held = true;
                    bond.clamped |= matches!(reason, Reason::Hanging { .. } | Reason::Flipping);
                }
                run.watchdog = Watchdog::new();
                run.held.push((reason, links));
            }
        };
        let mut relaxation = run.finish(outcome);
        relaxation.settled = std::mem::take(&mut self.settled);
        Ok(relaxation)
    }

    /// Opens links in tension, the most stressed first.
    fn disconnect(
        &mut self,
        rules: &Rules,
        run: &mut Run<'_>,
        mut list: Vec<(LinkKey, f64)>,
    ) -> Result<End, StressError> {
        list.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
        let bends = list.iter().map(|of| of.0);
        let mut bends: Vec<LinkKey> = bends.filter(|&link| !self.bonds[link].line.ends).collect();
        if !bends.is_empty() {
            bends.sort_unstable();
            return Ok(End::Bends(bends));
        }
        let mut hanging: Vec<NodeKey> = Vec::new();
        let mut gone = 0;
        for &(link, stress) in &list {
            if self.flips(run, link) >= rules.flips {
                return Ok(End::Endless(Reason::Flipping, vec![link]));
            }
            let loose = self.loose_without(link)?;
            if !loose.is_empty() {
                hanging.extend(loose);
                continue;
            }
            self.switch(link, LinkState::Off);
            // The tensile energy of the link is released.
            self.settled += self.bonds[link].energy();
            self.bonds[link].on = false;
            self.bonds[link].held = false;
            run.topology.push(Topological {
                round: run.rounds,
                link,
                connected: false,
                stress,
            });
            gone += 1;
            if rules.disconnecting == Disconnecting::MostNegative {
                break;
            }
        }
        if gone == 0 {
            hanging.sort_unstable();
            hanging.dedup();
            let links = list.iter().map(|l| l.0).collect();
            return Ok(End::Endless(Reason::Hanging { nodes: hanging }, links));
        }
        self.redraw(run)
    }

    /// Connects an open link; it starts without tangential stress.
    fn connect(
        &mut self,
        rules: &Rules,
        run: &mut Run<'_>,
        link: LinkKey,
        stress: f64,
    ) -> Result<End, StressError> {
        // A link that requires dynamics is held when closed: it must not stay open permanently.
        if self.flips(run, link) >= 2 * rules.flips {
            return Ok(End::Endless(Reason::Rounds, vec![link]));
        }
        let bond = &mut self.bonds[link];
        for k in 1..D::N {
            if bond.line.tangential > 0.0 {
                bond.offset[k] = bond.strain[k] + bond.prestress[k] / bond.line.tangential;
            }
        }
        bond.on = true;
        // It starts compressed, which requires energy.
        self.settled -= self.bonds[link].energy();
        let bond = &mut self.bonds[link];
        let state = if bond.line.tangential > 0.0 || self.network.links()[link].kt == 0.0 {
            LinkState::Grip
        } else {
            LinkState::Slide
        };
        self.switch(link, state);
        run.topology.push(Topological {
            round: run.rounds,
            link,
            connected: true,
            stress,
        });
        self.redraw(run)
    }

    /// Reseats the links of an unsupported part, without stress at the present positions of its nodes.
    /// Returns false, without any change, after too many attempts, or if a link has a prestress.
    fn reseat(&mut self, run: &mut Run<'_>, nodes: &[NodeKey]) -> Result<bool, StressError> {
        let mut links: Vec<LinkKey> = Vec::new();
        for &node in nodes {
            links.extend(self.network.links_of(node));
        }
        links.sort_unstable();
        links.dedup();
        links.retain(|&link| self.bonds[link].on);
        let count = |link: &LinkKey| {
            let found = run.reseated.iter().find(|r| r.0 == *link);
            found.map_or(0, |r| r.1)
        };
        let given = |link: &LinkKey| self.bonds[*link].prestress != [0.0; 3];
        if links
            .iter()
            .any(|link| count(link) >= RESEATS || given(link))
        {
            return Ok(false);
        }
        for link in links {
            // The energy of the link is released.
            self.settled += self.bonds[link].energy();
            self.bonds[link].strain = [0.0; 3];
            self.bonds[link].offset = [0.0 - self.bonds[link].line.free, 0.0, 0.0];
            self.settled -= self.bonds[link].energy();
            self.start_here(link);
            match run.reseated.iter_mut().find(|r| r.0 == link) {
                Some(found) => found.1 += 1,
                None => run.reseated.push((link, 1)),
            }
        }
        run.watchdog = Watchdog::new();
        self.redraw(run)?;
        Ok(true)
    }

    fn flips(&self, run: &Run<'_>, link: LinkKey) -> usize {
        run.topology.iter().filter(|t| t.link == link).count()
    }

    fn switch(&mut self, link: LinkKey, state: LinkState) {
        if let Some(change) = self.network.set_state(link, state) {
            self.change(change);
        }
    }

    fn redraw(&mut self, run: &mut Run) -> Result<End, StressError> {
        self.settle()?;
        run.solves += 1;
        run.rounds += 1;
        run.watchdog = Watchdog::new();
        Ok(End::Done)
    }

    /// Nodes that nothing would hold without a closed link, by key.
    pub fn loose_without(&mut self, link: LinkKey) -> Result<Vec<NodeKey>, StressError> {
        // With S the stiffness of the link's bars and G their compliance in the network, 1 - S^1/2
        // G S^1/2 is the fraction that the rest of the network carries.
        let bars = if self.bonds[link].line.tangential > 0.0 {
            D::N
        } else {
            1
        };
        let root = |k: usize| self.bonds[link].stiffness(k).sqrt();
        let roots = [root(0), root(1), root(1)];
        let mut rest = Matrix3::<f64>::identity();
        let halves = self.solver.halves(&self.network, &[link]);
        if let Some(halves) = halves.as_ref().and_then(|list| list.first()) {
            for (k, one) in halves[..bars].iter().enumerate() {
                for (j, other) in halves[..bars].iter().enumerate() {
                    rest[(j, k)] -= roots[j] * one.dot(other) * roots[k];
                }
            }
            if SymmetricEigen::new(rest).eigenvalues.min() > UNHELD {
                return Ok(Vec::new());
            }
            rest = Matrix3::identity();
        }
        let state = self.network.links()[link].state;
        self.network.set_state(link, LinkState::Off);
        let loose = self.network.ungrounded();
        self.network.set_state(link, state);
        if !loose.is_empty() {
            return Ok(loose);
        }
        let mut moved = Vec::with_capacity(bars);
        for k in 0..bars {
            let displacement = columns::respond(self, link, k)?;
            let strain = self.strain(link, &displacement);
            for j in 0..bars {
                rest[(j, k)] -= roots[j] * strain[j] * roots[k];
            }
            moved.push(displacement);
        }
        let eigen = SymmetricEigen::new(0.5 * (rest + rest.transpose()));
        let (least, value) = eigen.eigenvalues.argmin();
        if value > UNHELD {
            return Ok(Vec::new());
        }
        let m = self.network.per_node();
        let mut motion = vec![0.0_f64; self.network.len()];
        for (k, displacement) in moved.iter().enumerate() {
            let part = eigen.eigenvectors[(k, least)] * roots[k];
            for (to, by) in motion.iter_mut().zip(displacement) {
                *to += part * by;
            }
        }
        let greatest = motion.iter().fold(0.0_f64, |most, d| most.max(d.abs()));
        let moves = |row: usize| {
            motion[row * m..(row + 1) * m]
                .iter()
                .any(|d| d.abs() > MOVES * greatest)
        };
        Ok((0..self.network.nodes().len())
            .filter(|&node| self.network.row(node).is_some_and(moves))
            .collect())
    }
}
