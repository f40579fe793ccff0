//! Micro-avalanches of beds at rest: the changes that one equilibrium solve sets off.

use std::collections::BTreeSet;

use super::driver::Stage;
use super::journal::Journal;
use super::rest::RestState;
use super::{System, SystemError, driver, logging, rest};
use crate::cluster::integrate::Integrate;
use crate::cluster::{LinkChange, World};
use crate::event::EventKind;
use crate::record::{AvalancheRow, BodyRef, Sink};
use crate::stress::Place;

/// Changes since an equilibrium solve began.
#[derive(Clone, Debug)]
pub(super) struct Carried {
    /// Slot and number of the grain with the greatest residual.
    trigger: Option<(u32, BodyRef)>,
    /// Number of displacements made.
    pub rounds: u64,
    /// Slots that were woken.
    pub woken: Vec<u32>,
    slides: u64,
    breaks: u64,
    insertions: u64,
    /// Links that began to slide, were inserted or were removed, by their bodies.
    links: BTreeSet<(i64, i64)>,
    /// Numbers of the grains of these links, and of woken grains.
    grains: BTreeSet<u32>,
    /// Heat of all slides, J: exact, and by the thesis's formula.
    heat: [f64; 2],
    /// Exact heat by place, in the order of [`Place::ALL`].
    by_place: [f64; 4],
    /// Bounding box of these links, or of the grains where no link took part, m.
    least: [f64; 3],
    most: [f64; 3],
    /// Sum of the positions of these, m, and their number.
    sum: [f64; 3],
    places: f64,
    /// Number of the event in the log, and the cause that was set before.
    cause: Option<[u64; 2]>,
}

impl Carried {
    /// Creates an empty record.
    pub fn new(trigger: Option<(u32, BodyRef)>) -> Self {
        Carried {
            trigger,
            rounds: 0,
            woken: Vec::new(),
            slides: 0,
            breaks: 0,
            insertions: 0,
            links: BTreeSet::new(),
            grains: BTreeSet::new(),
            heat: [0.0; 2],
            by_place: [0.0; 4],
            least: [f64::INFINITY; 3],
            most: [f64::NEG_INFINITY; 3],
            sum: [0.0; 3],
            places: 0.0,
            cause: None,
        }
    }

    fn at(&mut self, place: impl Fn(usize) -> f64, dimensions: usize) {
        for k in 0..dimensions {
            let x = place(k);
            self.least[k] = self.least[k].min(x);
            self.most[k] = self.most[k].max(x);
            self.sum[k] += x;
        }
        self.places += 1.0;
    }
}

/// Opens the event in the log, so that the changes of the solve have a cause there. Only where links are
/// logged: otherwise such events are few, and solves are thousands.
fn name_cause<D: Integrate>(
    world: &World<D>,
    journal: &mut Journal,
    sink: &mut dyn Sink,
    carried: &mut Carried,
) -> Result<(), SystemError> {
    if carried.cause.is_some() || !journal.tells_of_links() {
        return Ok(());
    }
    let mut row = journal.row(world.clock.time(), EventKind::AnalyzeInternalForces);
    if let Some((slot, _)) = carried.trigger {
        driver::put_body(world, &mut row, slot);
    }
    row.cause = journal.causes.now;
    sink.event(&row)?;
    carried.cause = Some([row.seq, journal.causes.now]);
    journal.causes.now = row.seq;
    Ok(())
}

/// Wakes slots as a part of an equilibrium solve.
pub(super) fn rouse_by<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
    carried: &mut Carried,
    slots: &[u32],
) -> Result<(), SystemError> {
    if slots.is_empty() {
        return Ok(());
    }
    carried.woken.extend(slots);
    name_cause(&system.dem.world, &mut system.s.journal, sink, carried)?;
    let arrays = &system.dem.world.grains.arrays;
    for &slot in slots {
        carried.grains.insert(arrays.id[slot as usize]);
    }
    if carried.links.is_empty() {
        // Where a link takes part as well, links alone define the location.
        for &slot in slots {
            let x = arrays.position(slot as usize);
            carried.at(|k| x[k], D::N);
        }
    }
    rest::wake_grains(system, sink, slots)?;
    Ok(())
}

/// Records the changes of links that a displacement caused.
pub(super) fn note_changes<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
    carried: &mut Carried,
) -> Result<(), SystemError> {
    carried.rounds += 1;
    let changes: Vec<LinkChange<D>> = system.dem.effects.take_changes();
    if changes.iter().any(|change| change.kind.is_some()) {
        name_cause(&system.dem.world, &mut system.s.journal, sink, carried)?;
        logging::log_links(system, sink)?;
    }
    for change in &changes {
        let b = driver::body_ref(&system.dem.world, change.b);
        let a = system.dem.world.grains.arrays.id[change.a as usize];
        let wall = matches!(b, BodyRef::Boundary(_));
        let place = if wall { Place::Wall } else { Place::Inside };
        carried.heat[0] += change.heat[0];
        carried.heat[1] += change.heat[1];
        carried.by_place[place as usize] += change.heat[0];
        match change.kind {
            Some(EventKind::SlipLink) => carried.slides += 1,
            Some(EventKind::RemoveLink) => carried.breaks += 1,
            Some(EventKind::InsertLink) => carried.insertions += 1,
            // A link that grips, or slides on, sets nothing off.
            _ => continue,
        }
        if carried.links.is_empty() {
            let bare = Carried::new(None);
            (carried.least, carried.most) = (bare.least, bare.most);
            (carried.sum, carried.places) = (bare.sum, bare.places);
        }
        carried.grains.insert(a);
        let a = BodyRef::Grain(a).code();
        let pair = match b {
            BodyRef::Grain(other) => {
                carried.grains.insert(other);
                (a.min(b.code()), a.max(b.code()))
            }
            _ => (a, b.code()),
        };
        if carried.links.insert(pair) {
            carried.at(|k| change.point[k], D::N);
        }
    }
    Ok(())
}

/// Ends an equilibrium solve: all that it set off is one micro-avalanche.
pub(super) fn close_avalanche<D: Integrate>(
    world: &World<D>,
    stage: &Stage,
    journal: &mut Journal,
    rest: &mut RestState,
    sink: &mut dyn Sink,
    carried: Carried,
) -> Result<(), SystemError> {
    if let Some([_, before]) = carried.cause {
        journal.causes.now = before;
    }
    if stage.settling || carried.grains.is_empty() {
        return Ok(());
    }
    let size = carried.slides + carried.breaks + carried.insertions;
    let tally = &mut rest.avalanches;
    let mut place = None;
    for (candidate, heat) in Place::ALL.into_iter().zip(carried.by_place) {
        if heat > 0.0 && place.is_none_or(|p: Place| heat > carried.by_place[p as usize]) {
            place = Some(candidate);
        }
    }
    let across = |k: usize| (carried.most[k] - carried.least[k]).max(0.0);
    let extent: f64 = (0..D::N).map(|k| across(k) * across(k)).sum();
    let row = AvalancheRow {
        avalanche: tally.count,
        start: world.clock.time(),
        size,
        slides: carried.slides,
        breaks: carried.breaks,
        insertions: carried.insertions,
        rounds: carried.rounds,
        links: carried.links.len() as u64,
        grains: carried.grains.len() as u64,
        energy: carried.heat[0],
        energy_thesis: carried.heat[1],
        extent: extent.sqrt(),
        position: carried.sum.map(|sum| sum / carried.places.max(1.0)),
        place,
        by_place: carried.by_place,
        trigger: carried.trigger.map_or(BodyRef::None, |(_, id)| id),
    };
    tally.count += 1;
    tally.largest = tally.largest.max(size);
    tally.energy += carried.heat[0];
    Ok(sink.avalanche(&row)?)
}
