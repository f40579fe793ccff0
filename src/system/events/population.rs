//! Population of an event-driven run: present and past grains by their places in the engine's list, and the balance of their entry and exit.

use serde::{Deserialize, Serialize};

use super::Events;
use crate::body::{Grain, GrainId};
use crate::collide::engine::{Body, Engine, Removed};
use crate::event::EventKind;
use crate::geometry::Dimension;
use crate::record::{BodyRef, Sink};
use crate::system::outlet::{self, Left};
use crate::system::traffic::Traffic;
use crate::system::{EventLog, Outcome, PerturbKind, Setup, SystemError, meter};

/// Energies that entered and left with grains, and that perturbations gave, J.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Passage {
    /// Energy brought by feeds: kinetic and potential.
    pub fed: f64,
    /// Potential part of `fed`.
    pub fed_potential: f64,
    /// Energy removed with grains: kinetic and potential.
    pub removed: f64,
    /// Potential part of `removed`.
    pub removed_potential: f64,
    /// Mass times diameter of the removed grains, kg m.
    pub removed_size: f64,
    /// Energy given by taps.
    pub given: f64,
}

/// All present and past grains.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub(super) struct Population<D: Dimension> {
    /// Grains added after the start; the engine's list has them after those of the setup.
    come: Vec<Grain<D>>,
    pub traffic: Traffic,
    pub passage: Passage,
}

impl<D: Dimension> Population<D> {
    /// Creates the population at the start of a setup.
    pub fn new(setup: &Setup<D>) -> Self {
        let next = setup.grains.iter().map(|grain| grain.id + 1).max();
        let mut traffic = Traffic::new(next.unwrap_or(0), setup.sources.outlets.len());
        traffic.begin(setup.grains.len());
        Self {
            come: Vec::new(),
            traffic,
            passage: Passage::default(),
        }
    }

    /// Returns the grain at a place of the engine's list, as it was when it was added.
    pub fn grain<'a>(&'a self, setup: &'a Setup<D>, place: usize) -> &'a Grain<D> {
        match setup.grains.get(place) {
            Some(grain) => grain,
            None => &self.come[place - setup.grains.len()],
        }
    }

    /// Returns the number of present and past grains.
    pub fn len(&self, setup: &Setup<D>) -> usize {
        setup.grains.len() + self.come.len()
    }
}

/// Returns a grain in its present state.
pub(super) fn grain_now<D: Dimension>(
    engine: &Engine<D>,
    place: usize,
    grain: &Grain<D>,
) -> Grain<D> {
    let now = engine.moment(place);
    Grain {
        position: now.position,
        velocity: now.velocity,
        rotation: now.rotation,
        spin: now.spin,
        ..*grain
    }
}

impl<D: Dimension> Events<D> {
    /// Iterates over the present grains and their places in the engine's list, in order of entry.
    pub(super) fn present(&self) -> impl Iterator<Item = (usize, &Grain<D>)> {
        let all = 0..self.population.len(&self.setup);
        all.filter(|&place| self.engine.is_there(place))
            .map(|place| (place, self.population.grain(&self.setup, place)))
    }

    /// Logs an event of the whole run, or of a grain at its position; returns the number of the row, 0 where nothing is logged.
    pub(super) fn log(
        &mut self,
        sink: &mut dyn Sink,
        (time, kind): (f64, EventKind),
        of: Option<(GrainId, D::Vector)>,
        energy: f64,
    ) -> Result<u64, SystemError> {
        if self.setup.log.events == EventLog::None {
            return Ok(0);
        }
        let mut row = self.course.journal.row(time, kind);
        row.energy = energy;
        row.cause = self.course.journal.causes.now;
        if let Some((id, place)) = of {
            row.body_a = BodyRef::Grain(id);
            for k in 0..D::N {
                row.position[k] = place[k];
            }
        }
        sink.event(&row)?;
        Ok(row.seq)
    }

    /// Adds a grain.
    pub(super) fn add(
        &mut self,
        grain: &Grain<D>,
        time: f64,
        sink: &mut dyn Sink,
    ) -> Result<(), SystemError> {
        let place = self.engine.add(&Body {
            position: grain.position,
            velocity: grain.velocity,
            spin: grain.spin,
            rotation: grain.rotation,
            radius: grain.radius,
            mass: grain.mass,
            species: grain.material,
        });
        self.population.come.push(*grain);
        self.population.traffic.enter(time);
        let potential = self.engine.potential_of(place as usize);
        let passage = &mut self.population.passage;
        passage.fed += grain.kinetic_energy() + potential;
        passage.fed_potential += potential;
        meter::meet_meters(&self.setup, &mut self.meters, grain.id, grain.position);
        let of = Some((grain.id, grain.position));
        self.log(sink, (time, EventKind::AddBody), of, 0.0)?;
        Ok(())
    }

    /// Removes the grain at a place of the engine's list; `how` is the way it left, or `None` where it was taken away.
    fn take(
        &mut self,
        place: usize,
        how: Option<Left>,
        time: f64,
        sink: &mut dyn Sink,
    ) -> Result<(), SystemError> {
        let (removed, rows) = self.with_rows(|engine, noted| engine.remove(place, noted));
        for row in &rows {
            sink.event(row)?;
        }
        let Some(Removed { moment, potential }) = removed else {
            return Ok(());
        };
        let before = *self.population.grain(&self.setup, place);
        let grain = Grain {
            position: moment.position,
            velocity: moment.velocity,
            rotation: moment.rotation,
            spin: moment.spin,
            ..before
        };
        let passage = &mut self.population.passage;
        // Relative to the flow of a box that moves, as all kinetic energies.
        let own = Grain {
            velocity: grain.velocity - self.engine.flow_at(grain.position),
            ..grain
        };
        passage.removed += own.kinetic_energy() + potential;
        passage.removed_potential += potential;
        passage.removed_size += grain.mass * 2.0 * grain.radius;
        match how {
            None => self.population.traffic.take_away(),
            Some(how) => {
                self.population.traffic.leave(&grain, time);
                if how == Left::Through {
                    let outlet = outlet::through(&self.setup.sources.outlets, &grain);
                    self.population.traffic.discharge(outlet, time);
                }
            }
        }
        let of = Some((grain.id, grain.position));
        let row = self.log(sink, (time, EventKind::DeleteBodies), of, 0.0)?;
        if self.population.traffic.count() == 0 {
            self.course.journal.causes.end = row;
        }
        Ok(())
    }

    /// Removes all grains that have left; ends the run where none is left or to come.
    pub(super) fn remove_left(
        &mut self,
        time: f64,
        sink: &mut dyn Sink,
    ) -> Result<(), SystemError> {
        let outlets = &self.setup.sources.outlets;
        let left = |place: usize, grain: &Grain<D>| {
            let x = self.engine.moment(place).position;
            outlets
                .iter()
                .find_map(|outlet| outlet.left(x, grain.radius))
        };
        let gone: Vec<(usize, Left)> = self
            .present()
            .filter_map(|(place, grain)| Some((place, left(place, grain)?)))
            .collect();
        for (place, how) in gone {
            self.take(place, Some(how), time, sink)?;
        }
        let to_come = self.course.sources.to_come(&self.setup);
        if self.setup.run.stop_when_empty && !to_come && self.population.traffic.count() == 0 {
            self.finish(time, Outcome::Empty, sink)?;
        }
        Ok(())
    }

    /// Applies a perturbation.
    pub(super) fn perturb(
        &mut self,
        index: usize,
        time: f64,
        sink: &mut dyn Sink,
    ) -> Result<(), SystemError> {
        let kind = self.setup.sources.perturbs[index].kind;
        let touched = self.touched(&kind);
        // Gravity changes with grains or without.
        if touched.is_empty() && kind.change().is_none() {
            self.course.warnings.push(format!(
                "perturb[{index}] found no grain at {time:.6} s: nothing was done"
            ));
            return Ok(());
        }
        self.course.journal.count(EventKind::Perturb);
        self.course.sources.perturbed(index);
        let of = match touched[..] {
            [one] if kind.change().is_none() => {
                let id = self.population.grain(&self.setup, one).id;
                Some((id, self.engine.moment(one).position))
            }
            _ => None,
        };
        let (mut given, mut ends) = (0.0, Vec::new());
        if let PerturbKind::Tap { velocity, .. } = kind {
            for &place in &touched {
                let (energy, rows) =
                    self.with_rows(|engine, noted| engine.kick(place, velocity, noted));
                given += energy;
                ends.extend(rows);
            }
            self.population.passage.given += given;
        }
        for row in &ends {
            sink.event(row)?;
        }
        // The engine knows beforehand how gravity changes.
        let row = self.log(sink, (time, EventKind::Perturb), of, given)?;
        self.course.journal.causes.now = row;
        if let PerturbKind::Remove(_) = kind {
            for &place in &touched {
                self.course.journal.count(EventKind::DeleteBodies);
                self.take(place, None, time, sink)?;
            }
        }
        self.course.journal.causes.now = 0;
        Ok(())
    }

    /// Returns the places of the grains that a perturbation touches.
    fn touched(&self, kind: &PerturbKind<D>) -> Vec<usize> {
        let there = self.present();
        kind.touched(
            there.map(|(place, grain)| (place, grain.id, self.engine.moment(place).position)),
        )
    }
}
