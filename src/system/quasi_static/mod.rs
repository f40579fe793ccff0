//! Quasi-static model as a run: grains come one by one, and forces are in equilibrium after each
//! (thesis 4.4, 4.5, 4.7).
//!
//! It has the same queue, records and summary as motion; time only counts grains. Positions are those
//! of the fills; displacements under load are small against a radius and are added in the records.

mod bearing;
mod contacts;
mod distributed;
mod driven;
mod figures;
mod loads;
mod moving_walls;
mod perturb;
mod placed;
mod pressed;
mod rows;
mod settings;

use serde::{Deserialize, Serialize};

use super::command;
use super::cost;
use super::frame::{self, Kind};
use super::own;
use super::run_loop::{self, Course, Driven};
use super::schedule::Source;
use super::watch::Watch;
use super::{Outcome, PlacedName, QuasiStaticSetup, Setup, SystemError, ThenName};
use crate::body::Formed;
use crate::control::GivenCommand;
use crate::event::EventKind;
use crate::geometry::{Dimension, Vector};
use crate::ranks::Ranks;
use crate::record::{BodyRef, EnergyFigures, NullSink, Sink};
use crate::stress::{
    LinkKey, Network, NodeKey, Packing, Relaxation, Rules, StressError, Topological, Touch, With,
};
use bearing::Bearings;
pub(super) use contacts::Body;
pub use contacts::first_hanging;
use contacts::{Surroundings, lowered};
pub use distributed::DistributedFilling;
use figures::Tally;
use loads::Loads;
pub use loads::mean_load;
use moving_walls::MovingWalls;
pub use settings::solver_of;
use settings::{bearers, freedom_of, rules, solver};

/// A saved state: the progress of the run. What depends on its history (the inverse, the memory
/// of slides) is computed again by repeating the run, which costs less than to save it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Saved {
    grains: u64,
    handled: u64,
    /// Commands given from outside.
    given: Vec<GivenCommand>,
    /// Laws and fields of the calling program.
    own: Vec<String>,
}

/// A filling in equilibrium, grain by grain.
pub struct QuasiStatic<'s, D: Dimension> {
    setup: Setup<D>,
    rules: Rules,
    packing: Packing<'s, D>,
    surroundings: Surroundings<D>,
    walls: MovingWalls,
    loads: Loads<D>,
    bearings: Bearings<'s>,
    course: Course,
    /// Node of each grain that has been added.
    nodes: Vec<NodeKey>,
    /// Grains that were removed again, by their indices among these, ascending.
    gone: Vec<usize>,
    /// Body of each node.
    bodies: Vec<BodyRef>,
    /// Links that slid after the last grain.
    sliding: Vec<LinkKey>,
    tally: Tally,
    /// Number of contacts that hold a grain.
    bearers: usize,
    /// Energy before the grain whose equilibrium was given up when the run was interrupted.
    given_up: Option<EnergyFigures>,
}

impl<D: Dimension> std::fmt::Debug for QuasiStatic<'_, D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("QuasiStatic")
            .field("grains", &self.nodes.len())
            .field("links", &self.packing.network().links().len())
            .finish_non_exhaustive()
    }
}

impl<D: Dimension> QuasiStatic<'_, D> {
    /// Returns whether a grain that has been added is still there.
    fn is_there(&self, index: usize) -> bool {
        self.gone.binary_search(&index).is_err()
    }

    /// Returns whether a link is between bodies that are there.
    fn is_real(&self, link: LinkKey) -> bool {
        let link = &self.packing.network().links()[link];
        let there = |node: NodeKey| {
            self.bodies
                .get(node)
                .is_some_and(|body| *body != BodyRef::None)
        };
        there(link.a) && there(link.b)
    }
}

/// Returns the error with which a run stops at one of the first grains, if it does; adds so many of them to find it.
#[must_use]
pub fn first_fault<D: Formed>(
    setup: &Setup<D>,
    settings: QuasiStaticSetup,
    grains: usize,
) -> Option<SystemError> {
    let mut first = setup.clone();
    first.grains.truncate(grains);
    first.models.quasi_static = Some(settings);
    let first = &mut crate::system::filling_part(&first);
    let last = (first.run.end_time / settings.interval).floor() as usize;
    let come = first.grains.len().min(last);
    let mut run = match QuasiStatic::new(first.clone(), None) {
        Ok(run) => run,
        Err(error) => return Some(error),
    };
    let mut watch = Watch::new(None);
    while run.nodes.len() < come && run.course.over.is_none() {
        if let Err(error) = run_loop::next(&mut run, &mut NullSink, &mut watch) {
            return Some(error);
        }
    }
    None
}

impl<'s, D: Formed> QuasiStatic<'s, D> {
    /// Creates a filling at its start, or resumes it from a saved state.
    ///
    /// # Errors
    /// A setup that has no quasi-static section or impossible walls; a state of another run.
    pub fn new(setup: Setup<D>, state: Option<&[u8]>) -> Result<Self, SystemError> {
        Self::solved_by(setup, state, None)
    }

    /// The same with the inverse stiffness matrix of RIMA distributed over ranks (thesis 4.8). Each rank computes the same for the same
    /// grains, with the bits of one process.
    pub(super) fn solved_by(
        setup: Setup<D>,
        state: Option<&[u8]>,
        ranks: Option<&'s (dyn Ranks + Sync)>,
    ) -> Result<Self, SystemError> {
        let Some(settings) = setup.models.quasi_static else {
            let text = "the setup has no quasi-static model";
            return Err(SystemError::Setup(text.into()));
        };
        crate::system::features::check(&setup)?;
        crate::system::build::check_pulls(&setup)?;
        let freedom = freedom_of(&settings, &setup.matter.laws);
        let (count, load) = (setup.grains.len(), mean_load(&setup));
        let nothing = Network::new(freedom);
        let mut run = QuasiStatic {
            rules: rules(&settings, load),
            packing: Packing::new(freedom, solver(settings.solver, &nothing, count, ranks)),
            surroundings: Surroundings::new(&setup)?,
            walls: MovingWalls::new(&setup),
            loads: Loads::new(&setup),
            bearings: Bearings::new(&setup, settings.tolerance, load, ranks),
            course: Course::new(&setup),
            nodes: Vec::with_capacity(count),
            gone: Vec::new(),
            bodies: Vec::new(),
            sliding: Vec::new(),
            tally: Tally::default(),
            bearers: bearers::<D>(freedom, &setup.matter.laws),
            given_up: None,
            setup,
        };
        run.begin(settings.interval);
        if let Some(state) = state {
            let saved: Saved = frame::take(Kind::QuasiStatic, state)?;
            own::check(&run.setup, &saved.own)?;
            let mut watch = Watch::new(None);
            let mut given = saved.given.iter().peekable();
            loop {
                let handled = run.course.journal.handled();
                if let Some(one) = given.next_if(|one| one.after == handled) {
                    run.pause(one.time);
                    command::give(&mut run, &one.command, &mut NullSink)?;
                } else if handled < saved.handled && run.course.over.is_none() {
                    run_loop::next(&mut run, &mut NullSink, &mut watch)?;
                } else {
                    break;
                }
            }
            if run.nodes.len() as u64 != saved.grains {
                return Err(SystemError::Saved("it belongs to another scenario".into()));
            }
        }
        Ok(run)
    }

    /// Schedules the first events.
    fn begin(&mut self, interval: f64) {
        // A snapshot without grains is useless.
        if let Some(snapshots) = self.course.sources.ticker(Source::Snapshot) {
            snapshots.set(1);
        }
        self.course.start(&self.setup);
        loads::schedule_loads(self, 0.0);
        if !self.setup.grains.is_empty() {
            self.course
                .schedule
                .set(Source::Filling, interval, EventKind::AddBody);
        }
    }

    /// Adds the next grain, and schedules the one after it.
    fn fill(
        &mut self,
        time: f64,
        sink: &mut dyn Sink,
        stops: &dyn Fn() -> bool,
    ) -> Result<(), SystemError> {
        let given = self.nodes.len();
        if !self.add(time, sink, stops)? {
            // The grain comes again when the run resumes.
            let schedule = &mut self.course.schedule;
            schedule.set(Source::Filling, time, EventKind::AddBody);
            return Ok(());
        }
        self.course.time = time;
        self.count_nodes();
        self.course.journal.handle();
        self.course.journal.count(EventKind::AddBody);
        if let (Some(settings), true) = (
            self.setup.models.quasi_static,
            given + 1 < self.setup.grains.len(),
        ) {
            let next = (given + 2) as f64 * settings.interval;
            let schedule = &mut self.course.schedule;
            schedule.set(Source::Filling, next, EventKind::AddBody);
        }
        Ok(())
    }

    /// Ends the run. Records the last state, to be studied, and the last row of the series.
    fn finish(&mut self, time: f64, sink: &mut dyn Sink) -> Result<(), SystemError> {
        self.log_last(time, sink)?;
        if self.setup.log.snapshots.is_some() && self.tally.last_snapshot < Some(time) {
            self.snapshot(time, sink)?;
        }
        self.log(sink, time, EventKind::Finish, |_| {})?;
        self.course.over = Some(Outcome::Finished);
        Ok(())
    }

    /// Writes the last row of the series.
    fn log_last(&mut self, time: f64, sink: &mut dyn Sink) -> Result<(), SystemError> {
        if self.setup.log.series.is_some() && self.tally.last_row < time {
            sink.series(&self.series_row(time))?;
        }
        Ok(())
    }

    /// Writes the row at which a run was interrupted, or failed. It changes nothing in the kept state.
    fn log_stop(&mut self, sink: &mut dyn Sink) -> Result<(), SystemError> {
        let kept = self.tally;
        let logged = self.log_last(self.course.time, sink);
        self.tally = kept;
        logged
    }

    fn save(&self) -> Result<Vec<u8>, SystemError> {
        let saved = Saved {
            grains: self.nodes.len() as u64,
            handled: self.course.journal.handled(),
            given: self.course.journal.given.clone(),
            own: own::names(&self.setup),
        };
        frame::put(Kind::QuasiStatic, &saved)
    }

    /// Adds the next grain, and brings all back to equilibrium; returns false when that was given up, as `stops` asked for.
    fn add(
        &mut self,
        time: f64,
        sink: &mut dyn Sink,
        stops: &dyn Fn() -> bool,
    ) -> Result<bool, SystemError> {
        let Some(settings) = self.setup.models.quasi_static else {
            return Ok(true);
        };
        let before = self.energy();
        // Walls move under the grains that are already there, before the new one comes.
        let moved = moving_walls::move_walls(self, time);
        let index = self.nodes.len();
        let grain = self.setup.grains[index];
        let mut touches = Vec::new();
        let mut walls = Vec::new();
        let mut begins = Vec::new();
        let mut around = self.surroundings.add(&grain, settings.reach);
        // Sieves let small grains pass, and open walls let all pass.
        around.retain(|beside| match beside.body {
            Body::Wall(wall) => {
                let wall = &self.setup.boundaries[wall];
                wall.stops(grain.radius) && wall.opens_at.is_none_or(|end| time < end)
            }
            Body::Grain(other) => self.is_there(other),
        });
        let (come, down) = loads::come(self, &grain, time);
        let gaps = match bearing::hangs(self, &around, &grain, come.force) {
            true => around.iter().map(|beside| beside.gap.max(0.0)).collect(),
            false => lowered(&around, down, self.bearers),
        };
        for (beside, gap) in around.iter().zip(gaps) {
            let with = match beside.body {
                Body::Wall(wall) => {
                    let point = grain.position + beside.direction * (grain.radius + beside.gap);
                    walls.push(wall);
                    With::Boundary(point)
                }
                Body::Grain(other) => With::Node(self.nodes[other]),
            };
            let Some(slow) = bearing::law_of(&self.setup, &grain, beside) else {
                continue;
            };
            let line = self.bearings.begin(&slow, come.force.norm());
            touches.push(Touch {
                with,
                kn: line.stiffness,
                kt: line.tangential,
                friction: line.friction,
                gap,
            });
            let other = match beside.body {
                Body::Grain(other) => loads::size_of(self, other),
                Body::Wall(_) => f64::INFINITY,
            };
            begins.push((slow, line, come.force.norm().min(other)));
        }
        let place = |x: D::Vector| -> Vec<f64> { x.components().collect() };
        let fault = |what: String| {
            SystemError::Numerical(format!(
                "grain {} at {:?}: {what}",
                grain.id,
                place(grain.position)
            ))
        };
        let added = self
            .packing
            .add_grain(grain.position, grain.radius, come.force, &touches);
        let Some((node, links)) = added else {
            return Err(fault("its centre lies on another body".into()));
        };
        self.bodies.push(BodyRef::Grain(grain.id));
        self.bodies
            .extend(walls.iter().map(|w| BodyRef::Boundary(*w as u16)));
        self.nodes.push(node);
        bearing::begin(self, &links, &begins);
        let fed = loads::load_all(self, time);
        loads::schedule_loads(self, time);
        if settings.placed == PlacedName::Settled {
            for &link in &links {
                self.packing.start_here(link);
            }
        }
        let relaxation = match bearing::relax(self, stops) {
            Err(StressError::Interrupted) => {
                // The work for this grain is done again when the run resumes.
                self.nodes.pop();
                self.loads.each.truncate(self.nodes.len());
                self.given_up = Some(before);
                return Ok(false);
            }
            other => other.map_err(|error| fault(self.explain(&error)))?,
        };
        let (u, turn) = self.displacement(node);
        let energy = self.packing.elastic_energy();
        if !(u.is_finite() && D::spin_dot(turn, turn).is_finite() && energy.is_finite()) {
            return Err(fault(format!(
                "its displacement or the elastic energy is no finite number after it came (grain {} of {}); its weight or the stiffness of its links is beyond what numbers hold",
                index + 1,
                self.setup.grains.len()
            )));
        }
        let energy = match self.loads.are_weights() {
            true => -grain.mass * self.setup.fields.gravity.dot(&grain.position),
            false => fed,
        };
        self.tally.fed += moved;
        self.tally.fed += energy;
        let cause = self.log(sink, time, EventKind::AddBody, |row| {
            row.body_a = BodyRef::Grain(grain.id);
            row.position = crate::geometry::three(grain.position);
            row.energy = energy;
        })?;
        for (link, touch) in links.iter().zip(&touches) {
            if touch.gap == 0.0 {
                self.course.journal.add(EventKind::InsertLink, 1);
                self.log_link(sink, time, EventKind::InsertLink, *link, f64::NAN, cause)?;
            }
        }
        self.course.journal.add(EventKind::AnalyzeInternalForces, 1);
        self.book(&relaxation);
        self.log_relaxation(sink, time, &relaxation, cause)?;
        self.sliding = relaxation.slid.iter().map(|slid| slid.link).collect();
        self.record_avalanche(sink, time, Some((grain.id, node)), &relaxation)?;
        Ok(true)
    }

    /// Describes an error of the solver in words, with grains instead of nodes.
    fn explain(&self, error: &StressError) -> String {
        let name = |node: &NodeKey| match self.bodies.get(*node) {
            Some(BodyRef::Grain(id)) => format!("grain {id}"),
            _ => "a wall".into(),
        };
        match error {
            StressError::Ungrounded { nodes } => format!(
                "{} hang{} on nothing that is fixed",
                nodes
                    .iter()
                    .take(8)
                    .map(name)
                    .collect::<Vec<_>>()
                    .join(", "),
                if nodes.len() == 1 { "s" } else { "" }
            ),
            StressError::Mechanism { node } => format!(
                "{} can move without straining a contact (with full freedom a grain needs two contacts)",
                name(node)
            ),
            other => other.to_string(),
        }
    }

    /// Adds the results of an iteration to the sums.
    fn book(&mut self, relaxation: &Relaxation) {
        let (tally, journal) = (&mut self.tally, &mut self.course.journal);
        let solves = relaxation.solves + relaxation.columns;
        tally.solves += solves as u64;
        tally.work += cost::solves(solves, self.packing.network().len());
        tally.rounds += relaxation.rounds as u64;
        journal.add(EventKind::SlipLink, relaxation.slides as u64);
        let connected = relaxation.connections() as u64;
        journal.add(EventKind::InsertLink, connected);
        journal.add(EventKind::RemoveLink, relaxation.disconnections() as u64);
        tally.slip += relaxation.energy.elastic;
        tally.slip_thesis += relaxation.energy.literal;
        tally.settled += relaxation.settled;
        tally.held += relaxation.held.len() as u64;
        tally.reseated += relaxation.reseated as u64;
    }

    fn log_relaxation(
        &mut self,
        sink: &mut dyn Sink,
        time: f64,
        relaxation: &Relaxation,
        cause: u64,
    ) -> Result<(), SystemError> {
        for Topological {
            link, connected, ..
        } in &relaxation.topology
        {
            let kind = match connected {
                true => EventKind::InsertLink,
                false => EventKind::RemoveLink,
            };
            self.log_link(sink, time, kind, *link, f64::NAN, cause)?;
        }
        for slid in &relaxation.slid {
            let energy = slid.energy.elastic;
            self.log_link(sink, time, EventKind::SlipLink, slid.link, energy, cause)?;
        }
        Ok(())
    }

    /// Returns whether the run goes on as motion when the filling is over.
    fn goes_on(&self) -> bool {
        let settings = self.setup.models.quasi_static;
        settings.is_some_and(|settings| settings.then == ThenName::Motion)
    }

    /// Returns the progress of the run.
    pub(super) fn course(&self) -> &Course {
        &self.course
    }

    /// Returns the number of links so far, and of pairs that may become links.
    pub(super) fn links(&self) -> usize {
        self.packing.network().links().len()
    }

    /// Returns the packing, for reading.
    pub fn packing(&self) -> &Packing<'s, D> {
        &self.packing
    }

    /// Returns the setup.
    pub fn setup(&self) -> &Setup<D> {
        &self.setup
    }

    /// Returns the body of each node of the packing.
    pub fn bodies(&self) -> &[BodyRef] {
        &self.bodies
    }
}
