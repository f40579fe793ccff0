//! A system as it is saved in a checkpoint, and from there.

use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::Setup;
use super::air::{Air, AirState};
use super::build::search;
use super::driver::DriverState;
use super::{System, SystemError};
use crate::cluster::EngineState;
use crate::cluster::integrate::Integrate;
use crate::control::Order;

#[derive(Serialize, Deserialize)]
#[serde(bound = "")]
struct Saved<D: Integrate> {
    #[serde(rename = "format")]
    _format: u32,
    driver: DriverState,
    engine: EngineState<D>,
    air: Option<AirState>,
}

/// Version of the saved state.
///
/// 24: the driver's state by idea; sources with their states.
/// 20: what feeds were asked for; links remember their tangential stiffness where it changes with the overlap.
/// 19: rattlers of jams; when each outlet was last passed; the largest error of the energy book.
/// 18: more than 128 bands.
/// 17: leeways.
/// 16: dampers' moments in space are those of the forces, unless told.
/// 15: lists of pairs in blocks, for threads.
/// 14: feeds of several sorts of grains; meters; maps of walls; periodic cells whose edges move.
/// 12: walls that forces move; pieces of meshes; work of fields of a place.
/// 11: memory of links by the slots of their laws; belts; links at rest by grain where grains have several parts.
/// 10: lists of grains of arcs with batches that may be left out.
/// 8: collisions in flight.
/// 7: grains of several parts.
/// 6: loads that are known ahead.
/// 5: links at rest by grain; who is rigid, who is stopped in vain, micro-avalanches of beds that stand
/// still.
/// 4: perturbations, jams with their forces; stagnant zones.
/// 3: grains that stand still.
/// 2: clusters as labels with the links lost since (1: as a forest); causes of events.
const FORMAT: u32 = 24;

impl<D: Integrate> System<D> {
    /// [`System::restore`].
    pub(super) fn from_state(mut setup: Setup<D>, state: &[u8]) -> Result<Self, SystemError> {
        let (mut engine, mut fields, _) = Self::bare(&setup)?;
        // The version first: what comes after it can be read by its own program only.
        let (format, _) = postcard::take_from_bytes::<u32>(state)
            .map_err(|e| SystemError::Saved(e.to_string()))?;
        if format != FORMAT {
            return Err(SystemError::Saved(format!(
                "its format is {format}, this program's is {FORMAT}; go on with the version of \
                 Arenite that wrote it, or start the run anew"
            )));
        }
        let saved: Saved<D> =
            postcard::from_bytes(state).map_err(|e| SystemError::Saved(e.to_string()))?;
        if saved.engine.gone.len() != setup.boundaries.len()
            || !saved.driver.sources.fit(&setup)
            || saved.driver.meters.meters() != setup.meters.len()
            || !saved.driver.perturb.fits(&setup)
        {
            return Err(SystemError::Saved("it belongs to another scenario".into()));
        }
        if !saved.engine.is_whole() {
            return Err(SystemError::Saved("its lists do not go together".into()));
        }
        fields
            .restore_states(&saved.driver.fields)
            .map_err(|e| SystemError::Saved(e.to_string()))?;
        engine.state = saved.engine;
        engine.origin = saved.driver.stage.origin;
        engine.sort_still();
        engine.find_wall_slots();
        // Where all stand still no evaluation will come to make the tables of arcs, which are not saved.
        engine.know_arcs();
        engine.restore_guided();
        engine.restore_cell();
        // By the gravity of the start, as when the run began: a shake may be on now.
        let jam_look = setup.jam_look();
        if !setup.perturbs.is_empty() {
            engine.gravity = saved.driver.perturb.gravity();
            setup.gravity = engine.gravity;
        }
        let air = Air::new(&setup, saved.air)?;
        setup.grains = Vec::new();
        let flight_search = search(setup.motion.neighbor);
        let uniform = fields.uniform_acceleration().is_some();
        let mut system = System {
            setup,
            engine,
            fields,
            uniform,
            s: saved.driver,
            jam_look,
            flight_search,
            air,
            surroundings: None,
            started_at: Instant::now(),
        };
        for (order, time) in system.s.sources.standing() {
            if let Order::Slide(wall) = order {
                system.set_slide(wall, time);
            }
        }
        Ok(system)
    }

    /// [`System::save`].
    pub(super) fn state(&mut self) -> Vec<u8> {
        self.s.fields = self.fields.states();
        #[derive(Serialize)]
        struct Saving<'a, E: Serialize> {
            format: u32,
            driver: &'a DriverState,
            engine: &'a E,
            air: Option<&'a AirState>,
        }
        let saving = Saving {
            format: FORMAT,
            driver: &self.s,
            engine: &self.engine.state,
            air: self.air.as_ref().map(|air| &air.s),
        };
        // A plain structure of numbers and lists: nothing in it can fail to be written.
        postcard::to_stdvec(&saving).unwrap_or_default()
    }
}
