//! The driver: one queue of events moves the whole system (thesis 5.3).

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::ledger::{Held, Ledger};
use super::state_hash::Departures;
use super::{Control, Outcome, PerturbWhen, Progress, Setup, SystemError, flight};
use crate::cluster::arrays::Status;
use crate::cluster::integrate::Integrate;
use crate::cluster::{Engine, Other, WearMap};
use crate::event::{DefaultQueue, Event, EventKind, EventQueue, Regime};
use crate::field::FieldSet;
use crate::geometry::Vector;
use crate::neighbor::BroadPhase;
use crate::record::{BodyRef, EventRow, Sink};

/// Owners in the queue.
pub(super) mod owner {
    /// The grid of steps.
    pub const STEP: u32 = 0;
    /// Rows of the series.
    pub const SERIES: u32 = 1;
    /// Snapshots.
    pub const SNAPSHOT: u32 = 2;
    /// Outlets.
    pub const OUTLET: u32 = 3;
    /// Looks for a jam and, while settling, for rest.
    pub const JAM: u32 = 4;
    /// Checkpoints.
    pub const CHECKPOINT: u32 = 5;
    /// The end.
    pub const FINISH: u32 = 6;
    /// Grains in flight.
    pub const FLIGHT: u32 = 7;
    /// Force fields.
    pub const FIELD: u32 = 8;
    /// Gravity that turns slowly while nobody steps.
    pub const GRAVITY: u32 = 9;
    /// Meters.
    pub const METER: u32 = 10;
    /// First of the boundaries; then come the feeds and the perturbations.
    pub const FIRST_BOUNDARY: u32 = 16;
}

/// Mutable state of the driver beside the engine's.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct DriverState {
    pub queue: DefaultQueue,
    pub origin: f64,
    pub settling: bool,
    pub started: bool,
    pub over: Option<Outcome>,
    pub ledger: Ledger,
    pub by_kind: Vec<u64>,
    pub seq: u64,
    pub next_id: u32,
    pub initial: u64,
    pub created: u64,
    pub removed: u64,
    pub departures: Departures,
    pub discharged: u64,
    pub first_out: f64,
    pub last_out: f64,
    pub feeds: Vec<super::feed::FeedState>,
    pub ticks: [u64; 5],
    pub last_tick: f64,
    /// Step of the last row of the series, from which wall loads are averaged.
    pub last_row: i64,
    pub regime_time: [f64; 4],
    pub regime_since: f64,
    pub all_steps: f64,
    /// While settling, looks in a row at which all rest; then twice the looks in a row that may end in a jam, those at which the bed shakes counted once.
    pub calm_looks: u32,
    /// Of these, looks in a row at which nothing moved.
    pub still_looks: u32,
    /// Where each grain was at the first of the calm looks, by number.
    pub calm_places: Vec<(u32, [f64; 3])>,
    /// Numbers of grains that have been seen on their way back there since.
    pub turned: Vec<u32>,
    /// When something last came from outside: a gate that opened, a perturbation, a change of gravity, s.
    pub disturbed: f64,
    /// When a grain last went through each outlet, s.
    pub through: Vec<Option<f64>>,
    /// Grains out, and jams that turned out to be none since.
    pub undone: [u64; 2],
    pub jam: Option<crate::record::Jam>,
    pub frozen: bool,
    pub warnings: Vec<String>,
    pub held: Held,
    pub links: super::link_numbers::LinkNumbers,
    pub causes: super::logging::Causes,
    pub wall_seconds: f64,
    pub fields: Vec<Vec<f64>>,
    pub rest: super::rest::RestState,
    pub known: super::known::KnownState,
    pub perturb: super::perturb::PerturbState,
    pub zones: super::zones::Zones,
    pub meters: super::meter::MeterState,
}

/// A granular system under the event loop.
pub struct System<D: Integrate> {
    pub(super) setup: Setup<D>,
    pub(super) engine: Engine<D>,
    pub(super) fields: FieldSet<D>,
    /// Whether all fields are uniform, so that grains may fly.
    pub(super) uniform: bool,
    pub(super) s: DriverState,
    /// Between two looks for a jam, s.
    pub(super) jam_look: f64,
    pub(super) flight_search: Box<dyn BroadPhase<D>>,
    /// Collisions in flight, where there are any.
    pub(super) air: Option<super::air::Air>,
    /// Who is around a place, for feeds, while that holds.
    pub(super) surroundings: Option<super::surroundings::Surroundings<D>>,
    pub(super) started_at: Instant,
}

impl<D: Integrate> std::fmt::Debug for System<D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("System")
            .field("time", &self.time())
            .field("engine", &self.engine)
            .finish()
    }
}

impl<D: Integrate> System<D> {
    /// The setup, without its list of grains, which have become those of the system, and with the gravity
    /// that acts now.
    pub fn setup(&self) -> &Setup<D> {
        &self.setup
    }

    /// The engine of clusters, to look at.
    pub fn engine(&self) -> &Engine<D> {
        &self.engine
    }

    /// Step of the clusters, s.
    pub fn step_size(&self) -> f64 {
        self.engine.options.step
    }

    /// Time of the last evaluation, s.
    pub fn time(&self) -> f64 {
        self.engine.time()
    }

    pub(super) fn wall_time(&self) -> f64 {
        self.s.wall_seconds + self.started_at.elapsed().as_secs_f64()
    }

    /// Puts the grains of the setup in and makes the first evaluation.
    pub(super) fn populate(&mut self, start: f64) {
        // The setup's list is not needed any more: it would double the memory of a large system.
        let grains = std::mem::take(&mut self.setup.grains);
        self.s.initial = grains.len() as u64;
        let now = self.engine.time();
        for grain in &grains {
            let slot = self.engine.add(grain, Status::Flying, start);
            flight::restart(&mut self.engine, slot as usize, now);
            self.start_stepping(slot);
        }
        self.engine.start_guided();
        self.engine.start_cell();
        self.engine.renew();
        self.engine.start_springs();
        self.engine.forces();
        // What is in touch from the start did not come about.
        self.engine.link_events.clear();
        self.apply_fields();
    }

    /// A flying slot whose row stands at the time of evaluation begins to step.
    pub(super) fn start_stepping(&mut self, slot: u32) {
        let state = &mut self.engine.state;
        state.arrays.status[slot as usize] = Status::Stepped;
        state.active.push(slot);
        state.in_order = false;
        state.fresh.push(slot);
    }

    pub(super) fn schedule(&mut self, owner: u32, time: f64, kind: EventKind) {
        let event = Event::new(time, kind);
        if self.s.queue.schedule(owner, event).is_err() {
            self.s
                .warnings
                .push(format!("an event `{}` at no time was dropped", kind.name()));
        }
    }

    pub(super) fn count(&mut self, kind: EventKind) {
        self.s.by_kind[kind as usize] += 1;
    }

    /// Whether anything is to be stepped: grains, or walls that forces move.
    pub(super) fn steps(&self) -> bool {
        !self.engine.state.active.is_empty() || self.engine.has_guided()
    }

    pub(super) fn schedule_step(&mut self) {
        if !self.steps() || self.s.frozen {
            self.s.queue.cancel(owner::STEP);
        } else {
            let next = self.engine.time_of(self.engine.state.n + 1);
            self.schedule(owner::STEP, next, EventKind::PredictTrajectory);
        }
        self.schedule_gravity();
    }

    /// First events.
    fn start(&mut self, sink: &mut dyn Sink) -> Result<(), SystemError> {
        self.s.started = true;
        if self.s.settling {
            self.schedule(owner::JAM, self.s.origin + SETTLE_LOOK, EventKind::Jam);
            self.schedule(owner::FINISH, 0.0, EventKind::Finish);
        } else {
            self.begin(sink)?;
        }
        self.renew(sink)?;
        self.schedule_step();
        Ok(())
    }

    /// Time 0: the book is opened and all that the setup schedules is scheduled.
    pub(super) fn begin(&mut self, sink: &mut dyn Sink) -> Result<(), SystemError> {
        self.s.settling = false;
        self.s.regime_since = 0.0;
        self.s.regime_time = [0.0; 4];
        self.s.all_steps = 0.0;
        self.s.by_kind.fill(0);
        self.s.rest.begin_counts();
        if let Some(air) = &mut self.air {
            air.begin();
        }
        self.s.ledger = Ledger::begin(&self.engine, &self.fields, 0.0, self.s.rest.energy);
        self.engine.state.wall_sums.fill([0.0; 7]);
        self.engine.state.wear.fill(WearMap::new());
        self.engine.state.clusters.forget_touched();
        self.s.last_row = self.engine.state.n;
        if self.setup.log.series.is_some() {
            self.schedule(owner::SERIES, 0.0, EventKind::LogState);
        }
        if self.setup.log.snapshots.is_some() {
            self.schedule(owner::SNAPSHOT, 0.0, EventKind::Visualize);
        }
        if let Some(every) = self.setup.log.checkpoint {
            self.schedule(owner::CHECKPOINT, every, EventKind::Checkpoint);
        }
        if !self.setup.outlets.is_empty() {
            self.schedule(
                owner::OUTLET,
                self.setup.outlet_interval,
                EventKind::DeleteBodies,
            );
        }
        let gravity = self.setup.gravity.norm() > 0.0;
        if gravity && !self.setup.outlets.is_empty() {
            self.schedule(owner::JAM, self.jam_look, EventKind::Jam);
        }
        self.look_at_meters(0.0);
        self.schedule_meters();
        self.schedule(owner::FINISH, self.setup.finish, EventKind::Finish);
        for (index, boundary) in self.setup.boundaries.clone().iter().enumerate() {
            if let Some(time) = boundary.opens_at {
                let slot = owner::FIRST_BOUNDARY + index as u32;
                self.schedule(slot, time.max(0.0), EventKind::BoundaryUpdate);
            }
        }
        for index in 0..self.setup.feeds.len() {
            let time = self.setup.feeds[index].start;
            if self.setup.feeds[index].count > 0 {
                self.schedule(self.feed_owner(index), time, EventKind::AddBody);
            }
        }
        for index in 0..self.setup.perturbs.len() {
            if let PerturbWhen::At(time) = self.setup.perturbs[index].when {
                self.schedule(self.perturb_owner(index), time, EventKind::Perturb);
            }
        }
        if let Some(time) = self.fields.next_event(0.0) {
            self.schedule(owner::FIELD, time, EventKind::FieldUpdate);
        }
        self.log_whole(sink, 0.0, EventKind::Morph, None)?;
        Ok(())
    }

    pub(super) fn feed_owner(&self, index: usize) -> u32 {
        owner::FIRST_BOUNDARY + (self.setup.boundaries.len() + index) as u32
    }

    pub(super) fn perturb_owner(&self, index: usize) -> u32 {
        self.feed_owner(self.setup.feeds.len() + index)
    }

    /// [`System::run`]: in a pool of as many threads as asked for.
    pub(super) fn run_here(
        &mut self,
        sink: &mut dyn Sink,
        control: &mut Control<'_>,
    ) -> Result<Outcome, SystemError> {
        /// As much as the main thread has.
        const STACK: usize = 8 << 20;
        self.engine.set_threads(control.threads);
        if control.threads > 1 && rayon::current_thread_index().is_none() {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(control.threads);
            // Without more threads all takes longer, and no more.
            if let Ok(pool) = pool.stack_size(STACK).build() {
                return pool.install(|| self.run_to_stop(sink, control));
            }
        }
        self.run_to_stop(sink, control)
    }

    /// Runs; the last row tells of where a run went wrong too, as long as numbers do.
    fn run_to_stop(
        &mut self,
        sink: &mut dyn Sink,
        control: &mut Control<'_>,
    ) -> Result<Outcome, SystemError> {
        let outcome = self.run_through(sink, control);
        if let Err(SystemError::Numerical(_)) = outcome
            && !self.engine.is_shared()
        {
            let held = super::ledger::held(&self.engine, &self.fields, self.engine.time());
            if (held.kinetic + held.potential + held.elastic.sum()).is_finite() {
                self.log_stop(sink)?;
            }
        }
        outcome
    }

    fn run_through(
        &mut self,
        sink: &mut dyn Sink,
        control: &mut Control<'_>,
    ) -> Result<Outcome, SystemError> {
        /// Steps of up to 256 grains, or as much work, between looks at clocks and interrupts.
        const LOOK: u32 = 4096;
        /// Between those of a system that has bands, at least.
        const LOOK_TIME: Duration = Duration::from_millis(100);
        self.started_at = Instant::now();
        // Not `started_at`, which each checkpoint sets anew.
        let began = self.started_at;
        let mut reported = Instant::now();
        if !self.s.started {
            self.start(sink)?;
        }
        let mut since_look = 0u32;
        let mut looked = began;
        while self.s.over.is_none() {
            let Some((who, event)) = self.s.queue.pop() else {
                self.s.over = Some(Outcome::Finished);
                break;
            };
            if who == owner::STEP {
                // Steps up to the next event of anybody else, without going through the queue.
                let limit = self.s.queue.peek().map_or(f64::INFINITY, |(_, e)| e.time);
                let mut time = event.time;
                let mut begun = false;
                while begun || time <= limit && self.steps() {
                    since_look =
                        since_look.saturating_add(1 + self.engine.state.active.len() as u32 / 256);
                    // A large system loses something wherever it stops, and the clock costs it nothing.
                    let look = since_look >= LOOK
                        && (!self.engine.has_bands() || looked.elapsed() >= LOOK_TIME);
                    begun = self.step(sink, begun, (!look).then_some(limit))?;
                    if begun {
                        continue;
                    }
                    time = self.engine.time_of(self.engine.state.n + 1);
                    if look {
                        break;
                    }
                    // A renewal may have called a flyer back earlier.
                    if self.s.queue.peek().is_some_and(|(_, e)| e.time < limit) {
                        break;
                    }
                }
                self.balance_the_last(sink)?;
                self.schedule_step();
            } else {
                self.handle(who, event, sink)?;
                since_look += 64;
            }
            if since_look >= LOOK {
                since_look = 0;
                looked = Instant::now();
                if let Some(limit) = control.wall_limit
                    && began.elapsed() >= limit
                {
                    return self.interrupt(sink);
                }
                if control.interrupted.load(Ordering::Relaxed) {
                    return self.interrupt(sink);
                }
                if reported.elapsed() >= Duration::from_millis(100) {
                    reported = Instant::now();
                    if let Some(progress) = control.progress.as_mut() {
                        progress(Progress {
                            time: self.engine.time(),
                            finish: self.setup.finish,
                            grains: self.grain_count(),
                            discharged: self.s.discharged,
                        });
                    }
                }
            }
        }
        self.s.wall_seconds = self.wall_time();
        self.started_at = Instant::now();
        Ok(self.s.over.unwrap_or(Outcome::Finished))
    }

    /// Lets a run that has come to its finish go on to a later one, s.
    pub fn extend(&mut self, finish: f64) {
        self.setup.finish = finish;
        self.s.over = None;
        self.schedule(owner::FINISH, finish, EventKind::Finish);
        self.schedule_step();
    }

    pub(super) fn interrupt(&mut self, sink: &mut dyn Sink) -> Result<Outcome, SystemError> {
        self.s.wall_seconds = self.wall_time();
        self.started_at = Instant::now();
        self.s.held = super::ledger::held(&self.engine, &self.fields, self.engine.time());
        sink.checkpoint(&self.save())?;
        self.log_stop(sink)?;
        Ok(Outcome::Interrupted)
    }

    /// Number of grains in the system.
    pub fn grain_count(&self) -> usize {
        if !self.engine.is_shared() {
            return (self.s.initial + self.s.created - self.s.removed) as usize;
        }
        self.engine
            .state
            .arrays
            .status
            .iter()
            .filter(|s| s.is_grain())
            .count()
    }

    pub(super) fn put_body(&self, row: &mut EventRow, slot: u32) {
        let arrays = &self.engine.state.arrays;
        row.body_a = BodyRef::Grain(arrays.id[slot as usize]);
        let x = if arrays.status[slot as usize] == Status::Flying {
            flight::fly(&self.engine, slot as usize, row.time).position
        } else {
            arrays.position(slot as usize)
        };
        for k in 0..D::N {
            row.position[k] = x[k];
        }
    }

    pub(super) fn body_ref(&self, other: Other) -> BodyRef {
        match other {
            Other::Slot(s) => BodyRef::Grain(self.engine.state.arrays.id[s as usize]),
            Other::Boundary(b) => BodyRef::Boundary(b),
        }
    }

    /// Adds up who was under which regime since the last call.
    pub(super) fn account(&mut self, now: f64) {
        let lasted = now - self.s.regime_since;
        self.s.regime_since = now;
        if lasted <= 0.0 {
            return;
        }
        let stepped = self.engine.state.active.len();
        let still = self.engine.state.still.count;
        let flying = self.grain_count() - stepped - still;
        let rigid = self.s.rest.rigid.len();
        self.s.regime_time[Regime::Rest as usize] += lasted * (still - rigid) as f64;
        self.s.regime_time[Regime::Rigid as usize] += lasted * rigid as f64;
        self.s.regime_time[Regime::Flight as usize] += lasted * flying as f64;
        self.s.regime_time[Regime::Cluster as usize] += lasted * stepped as f64;
        self.s.all_steps += lasted / self.engine.options.step * (stepped + flying + still) as f64;
    }
}

/// Looks for rest while settling: interval, s, and how many in a row.
pub(super) const SETTLE_LOOK: f64 = 0.01;
pub(super) const SETTLE_LOOKS: u32 = 3;
/// Looks for a jam: how many in a row ([`System::jam_look`] apart), and the greatest kinetic energy of a grain at rest over m g d.
pub(super) const JAM_LOOKS: u32 = 8;
pub(super) const JAM_KINETIC: f64 = 1e-6;
/// Looks in a row where rattlers still move.
pub(super) const RATTLE_LOOKS: u32 = 16;
/// What a grain of the arch may have gone in all these looks, in diameters: a rattler that swings beside it strains it by some
/// thousandths, to and fro. And what any grain may have, where no arch is found.
pub(super) const JAM_CREEP: f64 = 5e-3;
pub(super) const ANY_CREEP: f64 = 0.02;

/// The random stream of a purpose: the same whatever else is drawn.
pub(super) fn stream(seed: u64, purpose: u64) -> ChaCha8Rng {
    use rand_chacha::rand_core::SeedableRng;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(purpose);
    rng
}
