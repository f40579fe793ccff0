//! Grains that come to rest and stay asleep, and grains that are woken (docs/morphing.md).

use serde::{Deserialize, Serialize};

use super::groups::{Asked, RestGroups};
use super::journal::Journal;
use super::thrash::Thrash;
use super::{
    MorphSetup, Setup, System, SystemError, air, carry, cost, driver, field_loads, groups, perturb,
    regimes, rigid, stillness, stopping,
};
use crate::cluster;
use crate::cluster::field_loads::weight;
use crate::cluster::integrate::Integrate;
use crate::cluster::{Book, World, Wrench};
use crate::event::Regime;
use crate::field::FieldSet;
use crate::geometry::Vector;
use crate::record::{Avalanches, EnergyFigures, Sink};

/// Number of checks in a dwell: a grain is at rest when it was calm at each. A check thus takes a contact time: forces
/// that count are means over it, since each landing sends a wave of hundreds of weights through the
/// bed that is gone after one. Grains to be put to rest are chosen once in a dwell, since that costs a
/// rebuild of the lists.
pub(super) const LOOKS: u16 = 4;

/// Residual that any grain may have, in weights, whatever presses on it.
pub(super) const LOOSE: f64 = 0.5;

/// Share of the energy that flowed above which energy that morphs took, or gave, gives a warning.
const DRIFT: f64 = 0.01;

/// State of the morph policy.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct RestState {
    /// Number of checks so far.
    pub looks: u64,
    /// Groups of grains at rest.
    pub groups: RestGroups,
    /// Number of solves for increments, and the time that they took on a common machine, s.
    pub solves: u64,
    pub work: f64,
    /// Whether loads were solved since anything changed.
    pub balanced: bool,
    /// Energy that morphs took, J: kinetic at a stop, mismatch of quasi-static work.
    pub energy: f64,
    /// Numbers of the grains at rest that are rigid with others, ascending.
    pub rigid: Vec<u32>,
    /// Number of groups of these.
    pub rigid_groups: u32,
    /// Time at which these were last updated, s.
    pub grouped: f64,
    /// Micro-avalanches so far.
    pub avalanches: Avalanches,
    /// Grains that are stopped and woken again and again.
    pub thrash: Thrash,
    /// Whether fields change too fast for equilibrium; `None` before the first check.
    pub restless: Option<bool>,
    /// Walls that moved at the last step.
    moving: Vec<u16>,
}

impl RestState {
    /// Counts a solve for increments of so many displacements that took so many iterations.
    pub fn solved(&mut self, iterations: usize, displacements: usize) {
        self.solves += 1;
        self.work += cost::iterations(iterations, displacements);
    }

    /// Begins at time 0: the counts that the run reports start now.
    pub fn begin_counts(&mut self) {
        self.solves = 0;
        self.work = 0.0;
        self.avalanches = Avalanches::default();
        self.thrash = Thrash::default();
        self.grouped = f64::NEG_INFINITY;
    }
}

/// Returns the magnitude of the force, or of the moment over the radius, N: the greater.
pub(super) fn size(push: &Wrench) -> f64 {
    let of = |k: usize| push[k] * push[k] + push[k + 1] * push[k + 1] + push[k + 2] * push[k + 2];
    of(0).max(of(3)).sqrt()
}

/// Returns the number of steps between two checks.
pub(super) fn look_steps<D: Integrate>(world: &World<D>, morph: &MorphSetup) -> u64 {
    let steps = morph.dwell / (f64::from(LOOKS) * world.clock.step);
    (steps.round() as u64).max(1)
}

/// Returns whether rest is checked after this step.
pub(super) fn is_look_at_rest<D: Integrate>(
    setup: &Setup<D>,
    world: &World<D>,
    book: &Book,
) -> bool {
    let steps = book.counts.steps;
    let every = setup
        .models
        .morph
        .as_ref()
        .map(|morph| look_steps(world, morph));
    every.is_some_and(|every| steps.is_multiple_of(every))
}

/// Checks, after a step at which a check is due, which grains come to rest and which wake.
pub(super) fn look_at_rest<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
) -> Result<(), SystemError> {
    let Some(morph) = system.setup.models.morph else {
        return Ok(());
    };
    // No equilibrium lasts while gravity changes fast.
    if perturb::gravity_changes(&system.s.perturb)
        && !perturb::gravity_is_slow(&system.setup, &system.s.perturb)
    {
        return Ok(());
    }
    if !is_look_at_rest(&system.setup, &system.dem.world, &system.dem.book) {
        return Ok(());
    }
    system.s.rest.looks += 1;
    field_loads::refresh_all(system);
    if is_restless(system, &morph) {
        return Ok(());
    }
    perturb::forget_moment(&mut system.s.perturb);
    rigid::regroup_in_time(system, sink, morph.carry_every)?;
    let slots = system.dem.world.grains.arrays.slots();
    system.dem.world.sleeping.still.make_room(slots);
    let now = system.dem.world.clock.time();
    let choose = system.s.rest.looks.is_multiple_of(u64::from(LOOKS));
    let mut changed = false;
    let mut woken: Vec<u32> = Vec::new();
    system.s.rest.balanced = false;
    let mut solved = None;
    if system.dem.world.sleeping.still.count > 0 {
        let asked = groups::ask(system, morph.carry_every);
        if !asked.is_nobody() {
            solved = carry::carry(system, sink, &morph, &asked)?;
        }
        let all = field_loads::change_by_themselves(&system.setup, &system.fields);
        let loaded = match all {
            true => system.dem.world.grains.standing(),
            false => system.dem.world.sleeping.still.rim.clone(),
        };
        // A solve may have woken some of these already.
        woken = loaded
            .into_iter()
            .filter(|&slot| system.dem.world.grains.stands(slot))
            .filter(|&slot| is_upset(&system.dem.world, slot, &morph, choose))
            .collect();
        changed |= wake_grains(system, sink, &woken)?;
    }
    stopping::count_calm(&mut system.dem.world, &morph);
    // Not after a solve: forces on stepped grains are older than it.
    if choose && solved.is_none() {
        let mut resting =
            stopping::resting(&system.dem.world, &system.fields, &system.s.rest, &morph);
        if may_float(system) {
            let linked = cluster::support::linked_with_walls(&system.dem.world);
            resting.retain(|&slot| linked[slot as usize]);
            let mut floating = system.dem.world.grains.standing();
            floating.retain(|&slot| !linked[slot as usize]);
            changed |= wake_grains(system, sink, &floating)?;
            woken.extend(floating);
        }
        changed |= put_to_sleep(system, sink, &resting)?;
    }
    if choose {
        stopping::note_places(&mut system.dem.world, &morph);
    }
    if let Some(solved) = solved {
        changed |= !solved.woken.is_empty();
        woken.extend(solved.woken);
    }
    if changed {
        system.account(now);
        regimes::renew_woken(system, sink)?;
    }
    system.dem.world.sleeping.begin_look();
    Ok(())
}

/// Returns whether a group that nothing holds may be in equilibrium: not where gravity alone pulls.
fn may_float<D: Integrate>(system: &System<D>) -> bool {
    !system.uniform || system.dem.world.physics.gravity == D::Vector::default()
}

/// Returns whether fields change too fast for any grain to be put to rest.
fn is_restless<D: Integrate>(system: &mut System<D>, morph: &MorphSetup) -> bool {
    let world = &system.dem.world;
    let found = || field_loads::are_fast(&system.setup, world, &system.fields, morph);
    let restless = system.s.rest.restless.unwrap_or_else(found);
    if restless && system.s.rest.restless.is_none() && !morph.by_default {
        system.s.warnings.push(
            "no grain is put to rest: fields change faster than equilibrium is solved for (docs/morphing.md)"
                .to_string(),
        );
    }
    system.s.rest.restless = Some(restless);
    restless
}

/// Solves for equilibrium of all loads when no grain is stepped, since no step will come at which to check; if that
/// wakes grains, motion goes on.
pub(super) fn balance_the_last<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
) -> Result<(), SystemError> {
    let Some(morph) = system.setup.models.morph else {
        return Ok(());
    };
    let idle = !driver::steps(&system.dem.world) && system.dem.world.sleeping.still.count > 0;
    if idle && !system.s.rest.balanced {
        system.s.rest.balanced = true;
        perturb::forget_moment(&mut system.s.perturb);
        field_loads::refresh_all(system);
        system.dem.world.sleeping.begin_look();
        let solved = carry::carry(system, sink, &morph, &Asked::All)?.unwrap_or_default();
        let displaced = solved.moved && air::anyone_flies(&system.air);
        if displaced || !solved.woken.is_empty() {
            system.account(system.dem.world.clock.time());
            regimes::renew(system, sink)?;
        }
        rigid::recount_if_due(system, sink, morph.carry_every)?;
    }
    Ok(())
}

/// Returns whether the residual of a grain at rest is so great that it must wake: as a
/// force, or relative to what presses on it. At the surface of a bed little does.
pub(super) fn is_upset<D: Integrate>(
    world: &World<D>,
    slot: u32,
    morph: &MorphSetup,
    choose: bool,
) -> bool {
    let lack = size(&cluster::held::residual(
        &world.physics,
        &world.grains,
        &world.sleeping,
        slot,
    )) / weight(world, slot);
    lack > morph.wake
        || choose && lack > LOOSE && {
            let pressed = cluster::held::pressed(world, slot) / weight(world, slot);
            lack > morph.wake_share * pressed
        }
}

/// Returns whether walls begin to move, or come to stand, beside which grains are at rest.
pub(super) fn walls_began<D: Integrate>(system: &mut System<D>) -> bool {
    if system.dem.world.sleeping.still.count == 0 {
        return false;
    }
    let moving = cluster::moving_walls::moving(&system.dem.world);
    let known = &mut system.s.rest.moving;
    // Mostly none does.
    if moving.is_empty() && known.is_empty() {
        return false;
    }
    let began = moving != *known;
    *known = moving;
    began
}

/// Wakes slots that should not have been stopped; returns whether there are any.
pub(super) fn wake_grains<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
    slots: &[u32],
) -> Result<bool, SystemError> {
    book_wakes(&system.setup, &system.dem.world, &mut system.s.rest, slots);
    disturb(system, sink, slots)
}

/// Wakes slots that were disturbed, whose stops were not in vain; returns whether there are any.
pub(super) fn disturb<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
    slots: &[u32],
) -> Result<bool, SystemError> {
    if slots.is_empty() {
        return Ok(false);
    }
    let now = system.dem.world.clock.time();
    system.account(now);
    perturb::forget_moment(&mut system.s.perturb);
    cluster::still::wake(&mut system.dem.world, &mut system.dem.border, slots);
    let rigid = rigid::leave_groups(&system.dem.world, &mut system.s.rest, slots);
    log_rest(
        &system.dem.world,
        &mut system.s.journal,
        sink,
        slots,
        |id| {
            let rigid = rigid.binary_search(&id).is_ok();
            let from = if rigid { Regime::Rigid } else { Regime::Rest };
            [from, Regime::Cluster]
        },
    )?;
    Ok(true)
}

/// Books that slots were woken just now.
pub(super) fn book_wakes<D: Integrate>(
    setup: &Setup<D>,
    world: &World<D>,
    rest: &mut RestState,
    slots: &[u32],
) {
    let Some(morph) = setup.models.morph else {
        return;
    };
    let now = world.clock.time();
    for &slot in slots {
        let id = world.grains.arrays.id[slot as usize];
        rest.thrash.wake(id, now, morph.dwell);
    }
}

/// Books that stepped slots are about to be stopped, with the kinetic energy that goes with it.
pub(super) fn book_stops<D: Integrate>(world: &World<D>, rest: &mut RestState, slots: &[u32]) {
    let now = world.clock.time();
    for &slot in slots {
        let s = slot as usize;
        let id = world.grains.arrays.id[s];
        rest.thrash.stop(id, now);
        let (v, spin) = world.velocity_now(s);
        let arrays = &world.grains.arrays;
        rest.energy += 0.5 * v.norm_squared() / arrays.inverse_mass(s)
            + stopping::turning_energy(world, slot, spin);
    }
}

/// Stops slots where they are; returns whether there are any.
pub(super) fn put_to_sleep<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
    slots: &[u32],
) -> Result<bool, SystemError> {
    if slots.is_empty() {
        return Ok(false);
    }
    system.account(system.dem.world.clock.time());
    perturb::forget_moment(&mut system.s.perturb);
    book_stops(&system.dem.world, &mut system.s.rest, slots);
    cluster::still::stop(
        &mut system.dem.world,
        &mut system.dem.book,
        &mut system.dem.border,
        slots,
    );
    field_loads::refresh(&mut system.dem, &system.fields, slots);
    log_rest(
        &system.dem.world,
        &mut system.s.journal,
        sink,
        slots,
        |_| [Regime::Cluster, Regime::Rest],
    )?;
    Ok(true)
}

fn log_rest<D: Integrate>(
    world: &World<D>,
    journal: &mut Journal,
    sink: &mut dyn Sink,
    slots: &[u32],
    regimes: impl Fn(u32) -> [Regime; 2],
) -> Result<(), SystemError> {
    let time = world.clock.time();
    for &slot in slots {
        let [from, to] = regimes(world.grains.arrays.id[slot as usize]);
        regimes::morph(world, journal, sink, time, slot, from, to)?;
    }
    Ok(())
}

/// Forgets slots that are about to be removed.
pub(super) fn forget_rest<D: Integrate>(world: &World<D>, rest: &mut RestState, slots: &[u32]) {
    rigid::leave_groups(world, rest, slots);
    for &slot in slots {
        let id = world.grains.arrays.id[slot as usize];
        rest.thrash.forget(id);
    }
}

/// Returns whether the residual of a slot at rest is greater than so many weights.
pub(super) fn lacks<D: Integrate>(world: &World<D>, slot: u32, weights: f64) -> bool {
    let residual = cluster::held::residual(&world.physics, &world.grains, &world.sleeping, slot);
    size(&residual) > weights * weight(world, slot)
}

/// Returns the slots at rest with a greater residual than a solve leaves, ascending.
pub(super) fn unbalanced<D: Integrate>(world: &World<D>, morph: &MorphSetup) -> Vec<u32> {
    let mut slots = world.grains.standing();
    slots.retain(|&slot| lacks(world, slot, morph.residual_after_solve));
    slots
}

/// Returns warnings for the summary where grains were at rest: of energy that morphs took or gave beyond a share of all losses and
/// of the weights times diameters.
pub(super) fn morph_warnings<D: Integrate>(
    setup: &Setup<D>,
    world: &World<D>,
    fields: &FieldSet<D>,
    rest: &RestState,
    energy: &EnergyFigures,
) -> Vec<String> {
    let mut warnings = Vec::new();
    if rest.thrash.stops == 0 {
        return warnings;
    }
    let lost = &energy.dissipated;
    let (_, weights, _) = stillness::restlessness(setup, world, fields, world.clock.time());
    let flowed = lost.damping + lost.slip + lost.collision + weights;
    if lost.morph.abs() > DRIFT * flowed {
        warnings.push(format!(
                "morphs {} {:.3e} J, {:.1} % of what flowed, where a sound run stays under 1 %: let grains be calmer before they \
                 stand still (a smaller run.tolerance), or step every grain (morph.rigid = false)",
                if lost.morph > 0.0 { "took" } else { "gave" },
                lost.morph.abs(),
                100.0 * lost.morph.abs() / flowed,
            ));
    }
    warnings
}

/// Wakes at once the grains that a change from outside (a gate, a removal) has unbalanced, since there may be no
/// step at which to check.
pub(super) fn wake_unbalanced<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
) -> Result<bool, SystemError> {
    let Some(morph) = system.setup.models.morph else {
        return Ok(false);
    };
    let unbalanced = unbalanced(&system.dem.world, &morph);
    system.s.rest.balanced = false;
    system.s.known.plan = None;
    wake_grains(system, sink, &unbalanced)
}
