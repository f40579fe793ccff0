//! A system shared by many ranks: the box is cut into domains, and each rank steps the grains in its own (docs/ranks.md).
//!
//! All ranks take the same steps at the same time. After each stride the ghosts of grains near a border are updated. When lists are
//! rebuilt, anywhere and therefore everywhere, grains that have left a domain migrate with their links, whether they are stepped or at rest.
//! All else (series, outlets, gates, rest) is evaluated on all ranks at the same moments, so that each has the same information.
//!
//! Motion has the same bits on any number of ranks; reported sums (energies, loads of walls) are added in another order.

use std::time::Instant;

use self::cut::Cut;

use super::run_loop::{self, Driven};
use super::schedule::{Due, Source};
use super::{Control, EventLog, Outcome, Setup, System, SystemError, features};
use crate::capabilities::{Feature, Model};
use crate::cluster;
use crate::cluster::integrate::Integrate;
use crate::geometry::{Dimension, Vector};
use crate::neighbor::Rows;
use crate::ranks::{Ranks, Values};
use crate::record::Sink;
use crate::system::driver;
use crate::walls::{Boundary, Images};

mod cut;
mod driven;
mod events;
mod exchange;
mod rest;
mod shared;
#[cfg(test)]
mod tests;
mod whole;

pub use shared::Shared;

/// A rank whose domain is near enough for grains of both to touch.
#[derive(Clone, Debug, Default)]
struct Neighbour {
    rank: usize,
    /// Slots of own grains that are ghosts there, in that rank's order.
    images: Vec<u32>,
    /// Slots of the ghosts here of its grains.
    ghosts: Vec<u32>,
    /// Stepped grains among the images and among the ghosts.
    sends: Vec<u32>,
    receives: Vec<u32>,
}

/// A system shared by ranks.
pub(super) struct Domains<'a, D: Integrate> {
    system: System<D>,
    ranks: &'a dyn Ranks,
    cut: Cut,
    near: Vec<Neighbour>,
    /// Greatest radius of all grains, m.
    largest: f64,
    /// Order of slots.
    rows: Rows,
    /// Number of grains on all ranks, and of those that are stepped.
    grains: u64,
    stepped: u64,
    renewals: u64,
    /// Error on this rank, until all ranks know of it.
    fault: Option<SystemError>,
    /// Outcome of the sharing once it has ended: the rest may be left to rank 0 alone.
    ended: Option<Outcome>,
}

impl<D: Integrate> std::fmt::Debug for Domains<'_, D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Domains")
            .field("cut", &self.cut)
            .field("system", &self.system)
            .finish()
    }
}

/// Returns why ranks cannot share a setup; `None` if they can.
fn not_shared<D: Dimension>(setup: &Setup<D>) -> Option<String> {
    let models = [
        (setup.models.events.is_some(), Model::Collisions),
        (setup.models.quasi_static.is_some(), Model::QuasiStatic),
    ];
    if let Some((_, model)) = models.iter().find(|(asked, _)| *asked) {
        let (ranks, model) = (Model::Ranks.asked_by(), model.asked_by());
        let rima = match setup.models.quasi_static {
            Some(_) => ", but a filling with `solver = \"rima\"` after which nothing moves",
            None => "",
        };
        return Some(format!("{ranks} takes no {model} yet{rima}"));
    }
    let none = |_: [usize; 2]| false;
    let (model, asked) = features::refused(setup, &[Model::Ranks], none)?;
    asked.feature.refusal(model, D::N)
}

/// Returns a wall with a periodic image that grains can meet, if there is one.
fn wall_across_border<D: Dimension>(setup: &Setup<D>) -> Option<&str> {
    // The grain's radius, and its distance until grains are wrapped back into the box: at most half of three radii.
    const REACH: f64 = 2.5;
    let radii = setup.grains.iter().map(|grain| grain.radius);
    let reach = REACH * radii.fold(0.0, f64::max);
    let met = |wall: &&Boundary<D>| {
        Images::of(wall, 1, &setup.space.periodic)
            .is_ok_and(|images| images.can_be_met(wall, &setup.space.periodic, reach))
    };
    let wall = setup.boundaries.iter().find(met);
    wall.map(|wall| wall.name.as_str())
}

/// Returns the domains for so many ranks: as near to cubes as their number allows for a box of this size.
fn domains<D: Dimension>(ranks: usize, size: D::Vector) -> [usize; 3] {
    let mut domains = [1; 3];
    let mut left = ranks;
    while left > 1 {
        let factor = (2..=left).find(|f| left.is_multiple_of(*f)).unwrap_or(left);
        left /= factor;
        let length = |k: usize| size[k] / domains[k] as f64;
        let longest = (0..D::N).max_by(|a, b| length(*a).total_cmp(&length(*b)));
        domains[longest.unwrap_or(0)] *= factor;
    }
    domains
}

/// Returns the domains along each axis, as asked for or chosen, in which so many ranks can share a setup.
///
/// # Errors
/// A feature that they cannot share; a number of domains that is not that of the ranks.
pub fn domains_of<D: Dimension>(
    setup: &Setup<D>,
    asked: Option<[usize; 3]>,
    ranks: usize,
) -> Result<[usize; 3], SystemError> {
    if let Some(why) = not_shared(setup) {
        let text = format!("{why}; run this by one process");
        return Err(SystemError::Setup(text));
    }
    if let Some(wall) = wall_across_border(setup) {
        let why = Feature::WallImages.refusal(Model::Ranks, D::N);
        let why = why.unwrap_or_default();
        return Err(SystemError::Setup(format!(
            "{why} (`{wall}`); run this by one process"
        )));
    }
    let (low, high) = corners(setup);
    let grains = !setup.grains.is_empty();
    let extent = D::Vector::from_fn(|k| if grains { high[k] - low[k] } else { 1.0 });
    let domains = asked.unwrap_or_else(|| domains::<D>(ranks, extent));
    let count: usize = domains.iter().product();
    if count != ranks {
        return Err(SystemError::Setup(format!(
            "{} domains for {ranks} ranks: there must be one for each",
            domains[..D::N]
                .iter()
                .map(usize::to_string)
                .collect::<Vec<_>>()
                .join(" x "),
        )));
    }
    if domains[D::N..].iter().any(|n| *n != 1) {
        return Err(SystemError::Setup(
            "domains along a third axis in the plane".into(),
        ));
    }
    Ok(domains)
}

/// Removes from a setup what ranks cannot share but what only saves time: every grain is stepped, and the setup warns that it is.
pub(super) fn stepped<D: Dimension>(mut setup: Setup<D>) -> Setup<D> {
    let mut without = Vec::new();
    if setup.models.asks_for_rest() {
        without.push("[morph] (nobody stands still)");
    }
    setup.models.morph = None;
    if setup.motion.collisions.take().is_some() {
        without.push("run.collisions (nobody collides in flight)");
    }
    let left_out = features::left_out(&setup, &[Model::Ranks]);
    setup.notes.warnings.extend(left_out);
    if !without.is_empty() {
        setup.notes.warnings.push(format!(
            "shared by ranks every grain is stepped: {} takes one process",
            without.join(" and ")
        ));
    }
    setup
}

/// Returns the least and greatest coordinates of the centres of grains, m.
fn corners<D: Dimension>(setup: &Setup<D>) -> ([f64; 3], [f64; 3]) {
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for grain in &setup.grains {
        for k in 0..D::N {
            low[k] = low[k].min(grain.position[k]);
            high[k] = high[k].max(grain.position[k]);
        }
    }
    (low, high)
}

impl<'a, D: Integrate> Domains<'a, D> {
    /// Distributes the system at the start of its setup over all ranks; `domains` along each axis, one a rank (`None`: chosen).
    /// All ranks call this with the same setup. Grains are stepped or at rest (without the equilibrium solves of
    /// a bed at rest, which is why [`stepped`] excludes rest); none flies.
    ///
    /// # Errors
    /// A setup that cannot run, or that asks for what ranks cannot share.
    pub(super) fn dealt(
        mut setup: Setup<D>,
        domains: Option<[usize; 3]>,
        ranks: &'a dyn Ranks,
    ) -> Result<Self, SystemError> {
        let domains = domains_of(&setup, domains, ranks.size())?;
        (setup.motion.flight, setup.motion.collisions) = (false, None);
        setup.log.checkpoint = None;
        setup.log.events = EventLog::None;
        let (least, most) = corners(&setup);
        let grains = setup.grains.len();
        let largest = setup
            .grains
            .iter()
            .map(|grain| grain.radius)
            .fold(0.0, f64::max);
        let cut = Cut::none(domains, &setup.space.periodic);
        let system = if ranks.rank() == 0 {
            System::made_of(setup)
        } else {
            System::hollow(setup).map(|mut system| {
                system.setup.grains.clear();
                system
            })
        };
        if ranks.any(system.is_err())? {
            return Err(system.err().unwrap_or(SystemError::Elsewhere { rank: 0 }));
        }
        let system = system?;
        let mut domains = Domains {
            system,
            ranks,
            cut,
            near: Vec::new(),
            largest,
            rows: Rows::of([least, most], 2.0 * largest),
            grains: grains as u64,
            stepped: grains as u64,
            renewals: 0,
            fault: None,
            ended: None,
        };
        cluster::border::share(
            &domains.system.dem.world.grains,
            &mut domains.system.dem.border,
        );
        domains.deal_out()?;
        Ok(domains)
    }

    /// Runs to the end of the setup, or until any rank is interrupted, and gathers all on rank 0, which alone gives records to its sink and
    /// gets the system back: its records and results are those of a serial run. A jam ends the sharing too.
    ///
    /// # Errors
    /// A record that cannot be written; a number that is none; an error of another rank.
    pub(super) fn run_shared(
        mut self,
        sink: &mut dyn Sink,
        control: &mut Control<'_>,
    ) -> Result<Option<(System<D>, Outcome)>, SystemError> {
        self.system.started_at = Instant::now();
        let outcome = run_loop::run(&mut self, sink, control)?;
        let Some(mut system) = self.gather()? else {
            return Ok(None);
        };
        system.schedule_step();
        if outcome == Outcome::Interrupted {
            system.spent(0.0);
            system.interrupt(sink)?;
            return Ok(Some((system, Outcome::Interrupted)));
        }
        // The following call sets the clock anew.
        system.s.stage.wall_seconds = driver::wall_time(&system.started_at, &system.s.stage);
        let outcome = system.run_here(f64::INFINITY, sink, control)?;
        Ok(Some((system, outcome.unwrap_or(Outcome::Finished))))
    }

    /// Returns whether rank 0 handles the next event alone, with all grains.
    fn is_left_to_one(&self) -> bool {
        let system = &self.system;
        let next = system.s.schedule.first().map(|due| due.source);
        next.is_none()
            || system.s.stage.over.is_some()
            || (next == Some(Source::Finish) && !system.s.stage.settling)
    }

    /// Leaves this event to rank 0 alone, which ends the sharing.
    fn leave_to_one(&mut self, due: Due) {
        let schedule = &mut self.system.s.schedule;
        schedule.set(due.source, due.time, due.kind);
        self.ended = Some(Outcome::Finished);
    }
}
