//! Entry points of a system, compiled here in the library for the plane and for space; and its queries.
//!
//! Code that is generic over the dimension is compiled in the crate that calls it: each program and each test crate would compile
//! the whole engine anew, for minutes. Calls from outside go through functions of one dimension instead.

use std::any::Any;

use super::domains::{Domains, stepped};
use super::{
    AirTally, Control, Handover, Metered, Outcome, Setup, System, SystemError, afar, air, driver,
    handover, ledger, logging, meter, outlet, rigid, saved, snapshot, summary, turning,
};
use crate::body::Grain;
use crate::cluster::integrate::Integrate;
use crate::event::EventKind;
use crate::geometry::{Planar, Spatial};
use crate::ranks::Ranks;
use crate::record::{GrainRow, LinkRow, MeterFigures, Sink, Summary};
use crate::rigidity::DiskGroups;

/// Converts a value to a type that is the same type under another name.
fn same<A: 'static, B: 'static>(value: A) -> Result<B, A> {
    let mut slot = Some(value);
    let other = (&mut slot as &mut dyn Any).downcast_mut::<Option<B>>();
    match other.and_then(Option::take) {
        Some(found) => Ok(found),
        None => Err(slot.unwrap_or_else(|| unreachable!("nothing was taken"))),
    }
}

/// Message for a dimension that cannot occur.
const BOTH: &str = "the dimension is that of the plane or of space";

/// Calls the function for the dimension of a system.
macro_rules! method {
    ($system:expr, $of:ident ( $($value:expr),* )) => {{
        let system: &mut dyn Any = $system;
        if let Some(system) = system.downcast_mut::<System<Planar>>() {
            planar::$of(system, $($value),*)
        } else if let Some(system) = system.downcast_mut::<System<Spatial>>() {
            spatial::$of(system, $($value),*)
        } else {
            unreachable!("{BOTH}")
        }
    }};
}

/// Makes a system with the function for its dimension.
macro_rules! made {
    ($setup:expr, $of:ident ( $($value:expr),* )) => {{
        let found = match same::<Setup<D>, Setup<Planar>>($setup) {
            Ok(setup) => planar::$of(setup, $($value),*).map(|made| same(made).ok()),
            Err(setup) => match same::<Setup<D>, Setup<Spatial>>(setup) {
                Ok(setup) => spatial::$of(setup, $($value),*).map(|made| same(made).ok()),
                Err(_) => unreachable!("{BOTH}"),
            },
        };
        found.map(|made| made.unwrap_or_else(|| unreachable!("{BOTH}")))
    }};
}

impl<D: Integrate> System<D> {
    /// Creates the system at the start of its setup.
    ///
    /// # Errors
    /// A setup that cannot run: no law for a pair that can meet, shapes that are none, a step that
    /// is far too large.
    pub fn new(setup: Setup<D>) -> Result<Self, SystemError> {
        made!(setup, new())
    }

    /// Restores the system from a saved state.
    ///
    /// # Errors
    /// A state of another program or of another setup.
    pub fn restore(setup: Setup<D>, state: &[u8]) -> Result<Self, SystemError> {
        made!(setup, restore(state))
    }

    /// Runs to the end of the setup, or until interrupted.
    ///
    /// # Errors
    /// A record that cannot be written; a number that is none.
    pub fn run(
        &mut self,
        sink: &mut dyn Sink,
        control: &mut Control<'_>,
    ) -> Result<Outcome, SystemError> {
        let outcome = self.run_until(f64::INFINITY, sink, control)?;
        Ok(outcome.unwrap_or(Outcome::Finished))
    }

    /// Runs up to a time (s), or to the end if that comes first; `None` if the run can go on from there. Handles all events due until then.
    ///
    /// # Errors
    /// As of [`System::run`].
    pub fn run_until(
        &mut self,
        time: f64,
        sink: &mut dyn Sink,
        control: &mut Control<'_>,
    ) -> Result<Option<Outcome>, SystemError> {
        method!(self, run_until(time, sink, control))
    }

    /// Runs a setup over ranks, all of which call this with the same setup (docs/ranks.md): the box is cut into domains, so many along
    /// each axis and one for each rank (`None`: chosen), and each rank steps the grains in its own. Rank 0 alone gives records to its
    /// sink and gets the system back, as after a serial run.
    ///
    /// # Errors
    /// As of [`System::new`] and [`System::run`]; what ranks cannot share; an error of another rank.
    pub fn run_over(
        setup: Setup<D>,
        domains: Option<[usize; 3]>,
        ranks: &dyn Ranks,
        sink: &mut dyn Sink,
        control: &mut Control<'_>,
    ) -> Result<Option<(Self, Outcome)>, SystemError> {
        let found = match same::<Setup<D>, Setup<Planar>>(setup) {
            Ok(setup) => planar::run_over(setup, domains, ranks, sink, control)?
                .map(|(system, outcome)| (same(system).ok(), outcome)),
            Err(setup) => match same::<Setup<D>, Setup<Spatial>>(setup) {
                Ok(setup) => spatial::run_over(setup, domains, ranks, sink, control)?
                    .map(|(system, outcome)| (same(system).ok(), outcome)),
                Err(_) => unreachable!("{BOTH}"),
            },
        };
        Ok(found.and_then(|(system, outcome)| Some((system?, outcome))))
    }

    /// Returns the state for a checkpoint: all that determines what comes next. It is bound to the sources of the program.
    ///
    /// # Errors
    /// None that is known: what is kept are numbers and lists.
    pub fn save(&mut self) -> Result<Vec<u8>, SystemError> {
        method!(self, save())
    }
}

/// Functions of one dimension: not generic, so that they are compiled here.
macro_rules! dimension {
    ($name:ident, $dimension:ty) => {
        mod $name {
            use super::*;

            pub fn new(setup: Setup<$dimension>) -> Result<System<$dimension>, SystemError> {
                System::made_of(setup)
            }
            pub fn restore(
                setup: Setup<$dimension>,
                state: &[u8],
            ) -> Result<System<$dimension>, SystemError> {
                saved::restored(setup, state)
            }
            pub fn run_until(
                system: &mut System<$dimension>,
                time: f64,
                sink: &mut dyn Sink,
                control: &mut Control<'_>,
            ) -> Result<Option<Outcome>, SystemError> {
                system.run_here(time, sink, control)
            }
            pub fn run_over(
                setup: Setup<$dimension>,
                domains: Option<[usize; 3]>,
                ranks: &dyn Ranks,
                sink: &mut dyn Sink,
                control: &mut Control<'_>,
            ) -> Result<Option<(System<$dimension>, Outcome)>, SystemError> {
                Domains::dealt(stepped(setup), domains, ranks)?.run_shared(sink, control)
            }
            pub fn save(system: &System<$dimension>) -> Result<Vec<u8>, SystemError> {
                saved::state(system)
            }
        }
    };
}

dimension!(planar, Planar);
dimension!(spatial, Spatial);

/// Queries of a system.
impl<D: Integrate> System<D> {
    /// Returns the counts of flight since time 0; zeros where flyers do not collide.
    pub fn air_tally(&self) -> AirTally {
        air::air_tally(&self.air)
    }

    /// Returns the number of grains in the system.
    pub fn grain_count(&self) -> usize {
        driver::grain_count(&self.dem.world, &self.dem.border, &self.s.traffic)
    }

    /// Returns the links in touch as a network of full freedom, with their present forces, in the frame in which the run is computed.
    pub fn handover(&self) -> Handover<D> {
        handover::handover(&self.setup, &self.dem.world, &self.fields, &self.s.watch)
    }

    /// Returns rows of all grains at a time within a step of the last evaluation, in order of number.
    pub fn grain_rows(&mut self, time: f64) -> Vec<GrainRow> {
        let mut rows = snapshot::grain_rows(
            &mut self.dem,
            &self.fields,
            &self.s.watch,
            &self.s.rest,
            time,
        );
        if let Some(frame) = turning::own_frame(&self.setup) {
            let lab = turning::Laboratory::at(&frame, time);
            rows.iter_mut().for_each(|row| lab.grain(row));
        }
        rows
    }

    /// Returns rows of all links at the last evaluation, ordered by their bodies.
    pub fn link_rows(&self, time: f64) -> Vec<LinkRow> {
        let mut rows = snapshot::link_rows(&self.dem.world, &self.s.journal, time);
        if let Some(frame) = turning::own_frame(&self.setup) {
            let lab = turning::Laboratory::at(&frame, time);
            rows.iter_mut().for_each(|row| lab.link(row));
        }
        rows
    }

    /// Returns a hash over number, position, velocity, rotation and spin of every grain at the final time, and of departed grains at their
    /// departure.
    pub fn state_hash(&self) -> u64 {
        summary::state_hash(
            &self.setup,
            &self.dem.world,
            &self.s.traffic,
            &self.s.last_row,
            &self.s.watch,
        )
    }

    /// Returns the figures so far. The caller fills in the names of program version and scenario.
    pub fn summary(&self) -> Summary {
        summary::summary(self)
    }

    /// Returns the energies held at a time within a step of the last evaluation, in the frame in which the run is computed, J.
    pub fn energies(&self, time: f64) -> ledger::Held {
        ledger::held(&self.dem.world, &self.fields, time)
    }

    /// Returns the figures of the energy balance now.
    pub fn energy_figures(&self) -> crate::record::EnergyFigures {
        summary::energy_figures(self)
    }

    /// Returns the counts of a meter by material and size, in order of both.
    pub fn meter(&self, index: usize) -> Vec<Metered> {
        meter::meter(&self.s.meters, index)
    }

    /// Returns the figures of all meters.
    pub fn meter_figures(&self) -> Vec<MeterFigures> {
        meter::meter_figures(&self.setup, &self.s.meters)
    }

    /// Returns a grain at a time within a step of the last evaluation, in the frame in which the run is computed.
    pub fn grain_at(&self, slot: u32, time: f64) -> Grain<D> {
        outlet::grain_at(&self.dem.world, &self.s.watch, slot, time)
    }

    /// Returns all grains at a time within a step of the last evaluation, in order of number, in the frame in which the run is computed.
    pub fn grains_at(&self, time: f64) -> Vec<Grain<D>> {
        outlet::grains_at(&self.dem.world, &self.s.watch, time)
    }

    /// Returns the rigid groups of grains at rest, by the numbers of their grains. Boundaries at rest
    /// are the ground.
    pub fn rigid_groups(&self) -> DiskGroups {
        rigid::rigid_groups(&self.dem.world)
    }

    /// Adds up the time that grains spent in each regime since the last call.
    pub(super) fn account(&mut self, now: f64) {
        driver::account(
            &self.dem.world,
            &self.dem.border,
            &self.s.traffic,
            &mut self.s.regimes,
            &self.s.rest,
            now,
        );
    }

    /// Logs an event of the whole system, or of one grain; returns its number, 0 if it was not logged.
    pub(super) fn log(
        &mut self,
        sink: &mut dyn Sink,
        time: f64,
        kind: EventKind,
        slot: Option<u32>,
    ) -> Result<u64, SystemError> {
        logging::log_whole(
            &self.setup,
            &self.dem.world,
            &self.fields,
            &mut self.s.journal,
            &self.s.watch,
            sink,
            time,
            kind,
            slot,
        )
    }

    /// Returns the potential energy of a grain in the fields and with all other grains except those in the slots `without`, J.
    pub(super) fn potential_of(&self, grain: &Grain<D>, time: f64, without: &[u32]) -> f64 {
        afar::potential_of(
            &self.setup,
            &self.dem.world,
            &self.fields,
            grain,
            time,
            without,
        )
    }
}
