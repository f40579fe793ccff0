//! Conversion of a system to the state in a checkpoint, and back.

use std::borrow::Cow;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::air::{Air, AirState};
use super::driver::DriverState;
use super::filled::Filling;
use super::frame::Kind;
use super::{
    EventLog, Setup, System, SystemError, apply, build, command, frame, outlet, own, turning,
};
use crate::cluster;
use crate::cluster::integrate::Integrate;
use crate::cluster::{Dem, DemState};
use crate::control::Order;
use crate::field::FieldSet;
use crate::geometry::Vector;

/// State of a stepped run.
#[derive(Serialize, Deserialize)]
#[serde(bound = "")]
struct Saved<'a, D: Integrate> {
    driver: Cow<'a, DriverState>,
    dem: DemState<'a, D>,
    air: Option<Cow<'a, AirState>>,
    /// State of each field that has an inner one.
    fields: Vec<Vec<f64>>,
    filled: Option<Cow<'a, Filling>>,
    /// Laws and fields of the calling program.
    own: Vec<String>,
}

/// Implements [`System::restore`].
pub(super) fn restored<D: Integrate>(
    mut setup: Setup<D>,
    state: &[u8],
) -> Result<System<D>, SystemError> {
    turning::enter(&mut setup);
    let (dem, fields, _) = System::bare(&setup)?;
    let saved: Saved<'static, D> = frame::take(Kind::Stepped, state)?;
    own::check(&setup, &saved.own)?;
    command::adopt_all(&mut setup, &saved.driver.journal.given)?;
    rebuilt(setup, dem, fields, saved)
}

/// Returns a copy of a system, which goes on as the system itself would: the step and the margins of lists are those of the system, though
/// fewer grains may be left than at its start.
pub(super) fn copied<D: Integrate>(system: &System<D>) -> Result<System<D>, SystemError> {
    let mut setup = system.setup.clone();
    // The setup of a running system follows gravity and has no list of grains.
    setup.fields.gravity = D::Vector::from_fn(|k| system.s.ledger.gravity[k]);
    let time = system.dem.world.clock.time();
    setup.grains = outlet::grains_at(&system.dem.world, &system.s.watch, time);
    let (mut dem, fields, _) = System::bare(&setup)?;
    dem.world.clock = system.dem.world.clock;
    dem.world.physics.options = system.dem.world.physics.options;
    rebuilt(
        setup,
        dem,
        fields,
        frame::take(Kind::Stepped, &state(system)?)?,
    )
}

/// Puts a saved state into the parts of a system without grains.
fn rebuilt<D: Integrate>(
    mut setup: Setup<D>,
    mut dem: Dem<D>,
    mut fields: FieldSet<D>,
    saved: Saved<'static, D>,
) -> Result<System<D>, SystemError> {
    let driver = saved.driver.into_owned();
    if saved.dem.walls() != setup.boundaries.len()
        || !driver.sources.fit(&setup)
        || driver.meters.meters() != setup.sources.meters.len()
    {
        return Err(SystemError::Saved("it belongs to another scenario".into()));
    }
    if !saved.dem.is_whole() {
        return Err(SystemError::Saved("its lists do not go together".into()));
    }
    fields
        .restore_states(&saved.fields)
        .map_err(|e| SystemError::Saved(e.to_string()))?;
    dem.set_state(saved.dem);
    dem.world.clock.origin = driver.stage.origin;
    cluster::still::sort_still(&mut dem.world);
    dem.world.contacts.find_wall_slots();
    // Where all grains are at rest no evaluation will come to make the tables of arcs, which are not saved.
    cluster::arcs::know_arcs(&dem.world.physics, &mut dem.world.shapes, &dem.world.grains);
    dem.world.walls.restore_guided();
    cluster::cell::drive::restore_cell(&mut dem.world.physics, &dem.world.cell);
    if !setup.sources.perturbs.is_empty() {
        dem.world.physics.gravity = driver.perturb.gravity();
        setup.fields.gravity = dem.world.physics.gravity;
    }
    let air = Air::new(&setup, saved.air.map(Cow::into_owned))?;
    setup.grains = Vec::new();
    let uniform = fields.uniform_acceleration().is_some();
    let may_fly = build::may_fly_in(&setup, &fields);
    let mut system = System {
        setup,
        dem,
        fields,
        uniform,
        may_fly,
        s: driver,
        filled: saved.filled.map(Cow::into_owned),
        air,
        surroundings: None,
        started_at: Instant::now(),
        looked_at: None,
    };
    system.s.journal.go_on(match system.s.stage.settling {
        true => EventLog::None,
        false => system.setup.log.events,
    });
    for (order, time) in system.s.sources.standing() {
        if let Order::Slide(wall) = order {
            apply::set_slide(&mut system.setup, &mut system.dem.world, wall, time);
        }
    }
    Ok(system)
}

/// Implements [`System::save`].
pub(super) fn state<D: Integrate>(system: &System<D>) -> Result<Vec<u8>, SystemError> {
    let saved = Saved {
        driver: Cow::Borrowed(&system.s),
        dem: system.dem.state(),
        air: system.air.as_ref().map(|air| Cow::Borrowed(&air.s)),
        fields: system.fields.states(),
        filled: system.filled.as_ref().map(Cow::Borrowed),
        own: own::names(&system.setup),
    };
    frame::put(Kind::Stepped, &saved)
}
