//! Driver of a system: one queue of events moves the whole system (thesis 5.3).

use std::time::{Duration, Instant};

use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::command::Commanded;
use super::filled::Filling;
use super::jam_watch::JamWatch;
use super::journal::Journal;
use super::ledger::{Held, Ledger};
use super::regime_time::RegimeTime;
use super::rest::RestState;
use super::run_loop::{self, Driven};
use super::schedule::{Due, Schedule, Source};
use super::source::{Order, Sources};
use super::ticks::LastRow;
use super::traffic::Traffic;
use super::watch::{TURN, Watch};
use super::{
    Control, Outcome, Progress, Setup, SystemError, advance, air, apply, bonded, handle, logging,
    meter, nodes, overtime, perturb, regimes, rest, summary, turning,
};
use crate::cluster;
use crate::cluster::integrate::Integrate;
use crate::cluster::{Border, Dem, Other, WearMap, World};
use crate::contact::bond::When;
use crate::event::EventKind;
use crate::field::FieldSet;
use crate::record::{BodyRef, EventRow, Sink};

/// Stage that a run has reached.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Stage {
    /// Time of step 0, s.
    pub origin: f64,
    pub settling: bool,
    pub started: bool,
    pub over: Option<Outcome>,
    /// Energies held at the end.
    pub held: Held,
    /// Wall time before this process, s.
    pub wall_seconds: f64,
}

/// Mutable state of the driver beside the engine's.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct DriverState {
    pub schedule: Schedule,
    pub stage: Stage,
    pub ledger: Ledger,
    pub journal: Journal,
    pub traffic: Traffic,
    pub sources: Sources,
    pub last_row: LastRow,
    pub regimes: RegimeTime,
    pub watch: JamWatch,
    pub warnings: Vec<String>,
    pub rest: RestState,
    pub known: super::linear_response::LinearResponseState,
    pub perturb: perturb::PerturbState,
    pub zones: super::zones::Zones,
    pub meters: meter::MeterState,
    pub turned: turning::TurnedWalls,
}

/// A granular system driven by the event loop.
pub struct System<D: Integrate> {
    pub(super) setup: Setup<D>,
    pub(super) dem: Dem<D>,
    pub(super) fields: FieldSet<D>,
    /// Whether all fields are uniform, and whether grains may fly in them.
    pub(super) uniform: bool,
    pub(super) may_fly: bool,
    pub(super) s: DriverState,
    /// Figures of the filling with which the run began, if it did.
    pub(super) filled: Option<Filling>,
    /// Grains in flight, where grains may fly.
    pub(super) air: Option<air::Air>,
    /// Cached neighbours of places, used by feeds as long as they hold.
    pub(super) surroundings: Option<super::surroundings::Surroundings<D>>,
    pub(super) started_at: Instant,
    /// Time, s, and number of steps at which the caller that drives the run last paused it.
    pub(super) looked_at: Option<(f64, i64)>,
}

impl<D: Integrate> std::fmt::Debug for System<D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("System")
            .field("time", &self.dem.world.clock.time())
            .field("dem", &self.dem)
            .finish()
    }
}

impl<D: Integrate> System<D> {
    /// Returns the setup, without its list of grains, which have become those of the system, and with the gravity
    /// that acts now; in the frame in which the run is computed.
    pub fn setup(&self) -> &Setup<D> {
        &self.setup
    }

    /// Returns the world with the model that steps it, for reading; in the frame in which the run is computed.
    pub fn dem(&self) -> &Dem<D> {
        &self.dem
    }

    /// Returns the time that the run has reached, s: that of the last pause, or else of the last evaluation or row.
    pub(super) fn time_now(&self) -> f64 {
        match self.looked_at {
            Some((time, n)) if n == self.dem.world.clock.n && self.s.stage.over.is_none() => time,
            _ => summary::time_of(self),
        }
    }

    /// Returns the step of the clusters, s.
    pub fn step_size(&self) -> f64 {
        self.dem.world.clock.step
    }

    /// Returns the time of the last evaluation, s.
    pub fn time(&self) -> f64 {
        self.dem.world.clock.time()
    }

    pub(super) fn schedule_step(&mut self) {
        if !steps(&self.dem.world) || self.s.watch.jam().is_some() {
            self.s.schedule.cancel(Source::Step);
        } else {
            let next = self.dem.world.clock.time_of(self.dem.world.clock.n + 1);
            self.s
                .schedule
                .set(Source::Step, next, EventKind::PredictTrajectory);
        }
        perturb::schedule_gravity(self);
    }

    /// Begins motion: opens the energy balance, and schedules all sources of the setup.
    pub(super) fn begin(&mut self, sink: &mut dyn Sink) -> Result<(), SystemError> {
        let begin = self.setup.run.begin;
        turning::wake(self, sink)?;
        let settled = bonded::joining(&self.setup, When::Settled);
        if settled.is_asked() {
            regimes::land(self, sink)?;
            let joining = bonded::joining(&self.setup, When::Settled);
            cluster::bonds::form(&mut self.dem, joining, self.setup.seed)
                .map_err(|why| SystemError::Setup(why.to_string()))?;
        }
        let formed = self.dem.world.contacts.bonds.formed;
        if bonded::lack_all(&self.setup.matter.laws, formed) {
            self.s.warnings.push(bonded::NONE.into());
        }
        self.s.stage.settling = false;
        self.s.regimes = RegimeTime::since(begin);
        match &self.filled {
            Some(_) => self.s.journal.go_on(self.setup.log.events),
            None => self.s.journal.begin(self.setup.log.events),
        }
        self.s.rest.begin_counts();
        if let Some(air) = &mut self.air {
            air.begin();
        }
        self.s.ledger = Ledger::begin(&self.dem, &self.fields, begin, self.s.rest.energy);
        if let Some(filling) = &self.filled {
            self.s.ledger.go_on_from(filling);
            self.s.regimes.go_on_from(filling);
            self.s.last_row.end(filling.last_row);
        }
        self.dem.book.wall_sums.fill([0.0; 7]);
        self.dem.book.wear.fill(WearMap::new());
        self.dem.clusters.forget_touched();
        self.s.last_row.begin(self.dem.world.clock.n);
        meter::look_at_meters(
            &self.setup,
            &self.dem.world,
            &self.s.stage,
            &mut self.s.meters,
            begin,
        );
        for (source, turn) in self.s.sources.first(&self.setup) {
            self.s.schedule.set(source, turn.time, turn.kind);
        }
        let finish = self.setup.run.end_time;
        self.s
            .regimes
            .nodes
            .begin(begin, finish, &mut self.s.schedule);
        schedule_fields(self, begin);
        self.log(sink, begin, EventKind::Morph, None)?;
        turning::begin(self);
        Ok(())
    }

    /// Implements [`System::run_until`], in a pool of as many threads as asked for.
    pub(super) fn run_here(
        &mut self,
        until: f64,
        sink: &mut dyn Sink,
        control: &mut Control<'_>,
    ) -> Result<Option<Outcome>, SystemError> {
        /// Stack of a thread, bytes: as much as the main thread has.
        const STACK: usize = 8 << 20;
        self.dem.set_threads(control.threads);
        if control.threads > 1 && rayon::current_thread_index().is_none() {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(control.threads);
            // Without more threads the run only takes longer.
            if let Ok(pool) = pool.stack_size(STACK).build() {
                return pool.install(|| self.run_judged(until, sink, control));
            }
        }
        self.run_judged(until, sink, control)
    }

    /// Runs to a time (s) or to the end, where it decides whether the run ended in a jam.
    fn run_judged(
        &mut self,
        until: f64,
        sink: &mut dyn Sink,
        control: &mut Control<'_>,
    ) -> Result<Option<Outcome>, SystemError> {
        let began = Instant::now();
        let outcome = turning::telling(turning::own_frame(&self.setup), sink, |sink| {
            run_loop::run_until(self, until, sink, control)
        })?;
        if outcome != Some(Outcome::Finished) {
            return Ok(outcome);
        }
        let limit = control.wall_limit;
        let mut rest = Control {
            wall_limit: limit.map(|limit| limit.saturating_sub(began.elapsed())),
            threads: control.threads,
            ..Control::new(control.interrupted)
        };
        let outcome = overtime::judge(self, outcome, &mut rest)?;
        self.spent(0.0);
        Ok(outcome)
    }

    /// Extends a run that has come to its finish to a later one, s.
    pub fn extend(&mut self, finish: f64) {
        self.setup.run.end_time = finish;
        self.s.stage.over = None;
        self.s.watch.go_on();
        self.s
            .schedule
            .set(Source::Finish, finish, EventKind::Finish);
        // Schedules the sources whose next events lay past the old finish.
        let begun = self.s.stage.started && !self.s.stage.settling;
        let jammed = self.s.watch.jam().is_some();
        for (source, turn) in self.s.sources.first(&self.setup) {
            let ends = match source {
                // In a jam no grain leaves.
                Source::Outlet => !jammed,
                Source::Series
                | Source::Snapshot
                | Source::Meter
                | Source::Checkpoint
                | Source::Control(_) => true,
                _ => false,
            };
            let waits = self.s.schedule.time_of(source).is_some();
            if begun && ends && !waits && turn.time <= finish {
                self.s.schedule.set(source, turn.time, turn.kind);
            }
        }
        self.schedule_step();
    }
}

impl<D: Integrate> Driven<D> for System<D> {
    fn queue(&mut self) -> (&mut Schedule, &mut Sources) {
        (&mut self.s.schedule, &mut self.s.sources)
    }

    fn start(&mut self, sink: &mut dyn Sink) -> Result<(), SystemError> {
        self.started_at = Instant::now();
        self.dem.world.grains.rigid.is_watched = self.air.is_some();
        if self.s.stage.started {
            return Ok(());
        }
        self.s.stage.started = true;
        if !self.uniform && self.may_fly && self.air.is_some() {
            // Each path has its own acceleration.
            let grains = &mut self.dem.world.grains;
            grains.pulls = vec![D::Vector::default(); grains.since.len()];
        }
        if self.s.stage.settling {
            schedule_settling(&mut self.s);
        } else {
            self.begin(sink)?;
        }
        regimes::renew(self, sink)?;
        self.schedule_step();
        Ok(())
    }

    /// Handles the system's own entries: steps, counts of nodes, rest groups, flights, and gravity that changes while no grain is stepped.
    fn go_on(
        &mut self,
        watch: &mut Watch<'_, '_>,
        sink: &mut dyn Sink,
    ) -> Result<bool, SystemError> {
        match self.s.schedule.first() {
            Some(due) if due.source == Source::Step => {
                self.s.schedule.pop();
                steps_from(self, due.time, watch, sink)?;
            }
            Some(due) if due.source == Source::Nodes => {
                self.s.schedule.pop();
                nodes::count(self, sink)?;
            }
            Some(Due {
                source: Source::Rest(grain),
                ..
            }) => {
                // Solved at the next check, between steps.
                self.s.schedule.pop();
                self.s.journal.handle();
                self.s.rest.groups.come(grain);
            }
            Some(due) if matches!(due.source, Source::Flight | Source::Gravity) => {
                self.s.schedule.pop();
                watch.worked(TURN);
                self.before(due)?;
                handle::own_turn(self, due.source, sink)?;
                self.after(due, sink)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn before(&mut self, due: Due) -> Result<(), SystemError> {
        handle::before(self, due)
    }

    fn carry_out(
        &mut self,
        order: Order<D>,
        due: Due,
        sink: &mut dyn Sink,
    ) -> Result<(), SystemError> {
        apply::carry_out(self, order, due, sink)
    }

    fn after(&mut self, due: Due, sink: &mut dyn Sink) -> Result<(), SystemError> {
        let changes = !due.source.only_looks();
        let follows = self.s.schedule.time_of(Source::Gravity);
        if changes {
            self.s.schedule.cancel(Source::Gravity);
        }
        rest::balance_the_last(self, sink)?;
        self.schedule_step();
        // What was due before is not put off.
        let now = self.s.schedule.time_of(Source::Gravity);
        if let (true, Some(then), Some(now)) = (changes, follows, now)
            && then < now
        {
            let schedule = &mut self.s.schedule;
            schedule.set(Source::Gravity, then, EventKind::FieldUpdate);
        }
        Ok(())
    }

    fn over(&self) -> Option<Outcome> {
        self.s.stage.over
    }

    fn progress(&self) -> Progress {
        Progress {
            time: self.dem.world.clock.time(),
            finish: self.setup.run.end_time,
            grains: self.grain_count(),
            discharged: self.s.traffic.discharged(),
        }
    }

    fn interrupt(&mut self, sink: &mut dyn Sink) -> Result<(), SystemError> {
        self.s.stage.held =
            super::ledger::held(&self.dem.world, &self.fields, self.dem.world.clock.time());
        sink.checkpoint(&self.save()?)?;
        logging::log_stop(self, sink)
    }

    fn went_wrong(&mut self, error: &SystemError, sink: &mut dyn Sink) -> Result<(), SystemError> {
        if matches!(error, SystemError::Numerical(_)) && !self.dem.border.is_shared() {
            let held =
                super::ledger::held(&self.dem.world, &self.fields, self.dem.world.clock.time());
            if (held.kinetic + held.potential + held.elastic.sum()).is_finite() {
                logging::log_stop(self, sink)?;
            }
        }
        Ok(())
    }

    /// Adds the time on the system's own clock, which checkpoints set anew.
    fn spent(&mut self, _: f64) {
        self.s.stage.wall_seconds = wall_time(&self.started_at, &self.s.stage);
        self.started_at = Instant::now();
    }

    fn pause(&mut self, time: f64) {
        let clock = &self.dem.world.clock;
        // Ignores a time that has passed; the grid may be off by rounding.
        if time < self.time_now() - 0.5 * clock.step {
            return;
        }
        if time > clock.time() {
            handle::skip_to(self, time);
        }
        self.looked_at = Some((time, self.dem.world.clock.n));
    }
}

impl<D: Integrate> Commanded<D> for System<D> {
    fn setup_mut(&mut self) -> &mut Setup<D> {
        &mut self.setup
    }

    fn stands(&self) -> f64 {
        self.time_now()
    }

    fn journal(&mut self) -> &mut Journal {
        &mut self.s.journal
    }

    fn will_open(&mut self, wall: usize, time: f64) {
        self.dem.world.walls.boundaries[wall].boundary.opens_at = Some(time);
        // An established jam is over.
        perturb::go_on(self, time);
        air::forget_flyers(&mut self.air);
    }
}

/// Steps from the next step, at a time (s), up to the next event of any other source, without going through the queue.
fn steps_from<D: Integrate>(
    system: &mut System<D>,
    mut time: f64,
    watch: &mut Watch<'_, '_>,
    sink: &mut dyn Sink,
) -> Result<(), SystemError> {
    /// Least time between checks of the clock, for a system that has bands.
    const LOOK_TIME: Duration = Duration::from_millis(100);
    let limit = system.s.schedule.first_time();
    let mut begun = false;
    while begun || time <= limit && steps(&system.dem.world) {
        watch.worked(1 + system.dem.world.grains.active.len() as u32 / 256);
        // Every stop costs a large system time, while the check of the clock costs it nothing.
        let world = &system.dem.world;
        let look = watch.is_due()
            && (!cluster::blocks::has_bands(&world.contacts, &world.cell)
                || watch.since_look() >= LOOK_TIME);
        begun = advance::step(system, sink, begun, (!look).then_some(limit))?;
        if begun {
            continue;
        }
        time = system.dem.world.clock.time_of(system.dem.world.clock.n + 1);
        // A rebuild of the lists may have called a flyer back earlier.
        if look || system.s.schedule.first_time() < limit {
            break;
        }
    }
    // Whoever looks between steps finds all members of bodies in their places.
    cluster::rigid::settle(&mut system.dem.world.grains);
    rest::balance_the_last(system, sink)?;
    system.schedule_step();
    Ok(())
}

/// Schedules, while grains settle, the first rest check and the end of settling.
pub(super) fn schedule_settling(state: &mut DriverState) {
    if let Some(look) = state.sources.look().settling(state.stage.origin) {
        state.schedule.set(Source::Jam, look.time, look.kind);
    }
    state.schedule.set(Source::Finish, 0.0, EventKind::Finish);
}

/// Schedules the next event of fields with an inner state, after a time, s.
pub(super) fn schedule_fields<D: Integrate>(system: &mut System<D>, time: f64) {
    if let Some(next) = system.fields.next_event(time) {
        let schedule = &mut system.s.schedule;
        schedule.set(Source::Field, next, EventKind::FieldUpdate);
    }
}

pub(super) fn wall_time(started_at: &Instant, stage: &Stage) -> f64 {
    stage.wall_seconds + started_at.elapsed().as_secs_f64()
}

/// Returns whether anything is to be stepped: grains, walls that forces move or that move beside grains at rest, or a fluid on which
/// grains at rest act.
pub(super) fn steps<D: Integrate>(world: &World<D>) -> bool {
    let still = &world.sleeping.still;
    !world.grains.active.is_empty()
        || world.walls.has_guided()
        || still.fields.stirs
        || still.count > 0 && cluster::moving_walls::goes_on(world)
}

/// Returns the number of grains in the system.
pub(super) fn grain_count<D: Integrate>(
    world: &World<D>,
    border: &Border,
    traffic: &Traffic,
) -> usize {
    if !border.is_shared() {
        return traffic.count();
    }
    world
        .grains
        .arrays
        .status
        .iter()
        .filter(|s| s.is_grain())
        .count()
}

pub(super) fn put_body<D: Integrate>(world: &World<D>, row: &mut EventRow, slot: u32) {
    let arrays = &world.grains.arrays;
    row.body_a = BodyRef::Grain(arrays.id[slot as usize]);
    let x = world.position_at(slot as usize, row.time);
    for k in 0..D::N {
        row.position[k] = x[k];
    }
}

pub(super) fn body_ref<D: Integrate>(world: &World<D>, other: Other) -> BodyRef {
    match other {
        Other::Slot(s) => BodyRef::Grain(world.grains.arrays.id[s as usize]),
        Other::Boundary(b) => BodyRef::Boundary(b),
    }
}

/// Adds up the time that grains spent in each regime since the last call.
pub(super) fn account<D: Integrate>(
    world: &World<D>,
    border: &Border,
    traffic: &Traffic,
    regimes: &mut RegimeTime,
    rest: &RestState,
    now: f64,
) {
    regimes.pass(now, world.clock.step, || {
        let stepped = world.grains.active.len();
        let still = world.sleeping.still.count;
        let rigid = rest.rigid.len();
        let flying = grain_count(world, border, traffic) - stepped - still;
        [flying, stepped, still - rigid, rigid]
    });
}

/// Returns the random stream of a purpose: the same whatever else is drawn.
pub(super) fn stream(seed: u64, purpose: u64) -> ChaCha8Rng {
    use rand_chacha::rand_core::SeedableRng;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(purpose);
    rng
}
