//! One step of all stepped grains, called by the driver.

use super::{
    System, SystemError, afar, air, driver, logging, perturb, reason, regimes, rest, turning, wake,
};
use crate::cluster;
use crate::cluster::integrate::Integrate;
use crate::cluster::{Book, World};
use crate::record::Sink;

/// Performs one step of all stepped grains; `begun` says that its stride has been made already. Where the next step comes before any
/// event (the first is due at `until`, s) and before any check, its stride is made too; returns whether that is so.
pub(super) fn step<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
    begun: bool,
    until: Option<f64>,
) -> Result<bool, SystemError> {
    if !begun {
        system.dem.advance();
        perturb::follow_gravity(
            &mut system.setup,
            &mut system.dem.world,
            &mut system.s.ledger,
            &mut system.s.perturb,
        );
    }
    // Grains beside a wall begin to step before it moves.
    let began = rest::walls_began(system);
    if began
        || cluster::renew::outer_is_stale(&system.dem.world.physics, &system.dem.skin)
        || regimes::flight_is_stale(system)
    {
        cluster::rigid::settle(&mut system.dem.world.grains);
        reason::check_cell(&system.dem.world)?;
        reason::check_numbers(&system.dem.world)?;
        reason::check_bonds(&system.dem.world)?;
        reason::check_overlaps(&system.setup, &system.dem.world, &mut system.s.warnings)?;
        regimes::renew(system, sink)?;
    } else {
        if system.dem.is_cut_up() {
            system.s.known.plan = None;
            system.dem.renew_woken();
        } else {
            system.dem.refresh_inner();
        }
        if air::are_left(&system.dem, &system.air) {
            air::guard_again(system, sink)?;
        }
    }
    if nobody_looks_until(system, until) && system.dem.forces_and_advance() {
        return Ok(true);
    }
    system.dem.forces();
    afar::apply_fields(&mut system.dem, &mut system.fields, system.uniform);
    if is_look(&system.dem.world, &system.dem.book) {
        cluster::link_events::look(
            &mut system.dem.world,
            &mut system.dem.book,
            &mut system.dem.effects,
        );
        reason::check_overlaps(&system.setup, &system.dem.world, &mut system.s.warnings)?;
    }
    if !system.dem.effects.link_events.is_empty() {
        logging::log_links(system, sink)?;
    }
    turning::gather_walls(
        &system.setup,
        &system.dem.world,
        &mut system.dem.book,
        &mut system.s.turned,
    );
    wake::wake_at_once(system, sink)?;
    rest::look_at_rest(system, sink)?;
    air::look(system, sink)?;
    Ok(false)
}

/// Returns whether links are checked after this step.
fn is_look<D: Integrate>(world: &World<D>, book: &Book) -> bool {
    let steps = book.counts.steps;
    steps.is_multiple_of(world.physics.options.look_every)
}

/// Returns whether the next step is due by `until`, s, and no event, non-uniform field or check comes before it.
fn nobody_looks_until<D: Integrate>(system: &System<D>, until: Option<f64>) -> bool {
    let next = system.dem.world.clock.time_of(system.dem.world.clock.n + 1);
    // A rebuild of the lists may have called a flyer back earlier.
    let event = system.s.schedule.first_time();
    until.is_some_and(|until| next <= until && event >= until)
            && driver::steps(&system.dem.world)
            && system.uniform
            && !perturb::gravity_changes(&system.s.perturb)
            // A grain at rest that is struck must be woken at that very step.
            && system.dem.world.sleeping.still.rim.is_empty()
            && !is_look(&system.dem.world, &system.dem.book)
            && !rest::is_look_at_rest(&system.setup, &system.dem.world, &system.dem.book)
            && !air::is_look(&system.dem, &system.air)
}
