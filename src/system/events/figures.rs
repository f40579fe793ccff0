//! Energy balance and summary of an event-driven run.

use std::collections::BTreeMap;

use super::population::grain_now;
use super::{Events, by_kind};
use crate::body::Grain;
use crate::geometry::{Dimension, Vector};
use crate::record::{
    Dissipated, EnergyFigures, EventFigures, FieldFigures, ImpactFigures, Impacts, RegimeShares,
    SoftFigures, Status, Summary, Times, WallImpacts, WorkFigures, corrected,
};
use crate::system::state_hash::StateHash;
use crate::system::{Outcome, meter, models, supply};

/// Returns a warning if the energy balance is off by more than 1e-2: rounding leaves far less.
fn unbalanced(energy: &EnergyFigures) -> Option<String> {
    (energy.balance_error.max(energy.balance_error_max) > 1e-2).then(|| {
        format!(
            "the energy balance is off by {:.1e} of what flowed: speeds or accelerations are beyond what numbers hold",
            energy.balance_error.max(energy.balance_error_max)
        )
    })
}

impl<D: Dimension> Events<D> {
    /// Returns the energy balance at the engine's time.
    pub(super) fn energy(&self) -> EnergyFigures {
        let (motion, spin) = self.engine.kinetic();
        let (kinetic, potential) = (motion + spin, self.engine.potential());
        let tally = self.engine.tally();
        let [kinetic_start, potential_start] = self.tally.start;
        let fields = self.engine.field_tally();
        let passage = &self.population.passage;
        let lost = tally.lost + fields.drag;
        let sheared = self.engine.flux().map_or(0.0, |flux| flux.work);
        let injected = tally.fed + fields.work + passage.fed + passage.given + sheared;
        let (hidden, mismatch) = (self.engine.hidden(), tally.soft.mismatch);
        let now = kinetic + potential + hidden;
        let before = injected + kinetic_start + potential_start;
        let error = now + lost + mismatch + passage.removed - before;
        let released =
            potential_start + passage.fed_potential - passage.removed_potential - potential;
        let flowed = kinetic_start + released.max(0.0) + injected.abs();
        let g = self.setup.fields.gravity.norm();
        let size = |grain: &Grain<D>| grain.mass * 2.0 * grain.radius;
        let rest = match g > 0.0 {
            true => {
                let there = self.present().map(|(_, grain)| size(grain)).sum::<f64>();
                g * (there + passage.removed_size)
            }
            false if kinetic_start > 0.0 => kinetic_start,
            false => flowed,
        };
        // Where grains only rest nothing flows, and the remaining error is rounding.
        let rounding = 1e-14
            * (kinetic
                + potential_start.abs()
                + lost.abs()
                + passage.removed.abs()
                + passage.fed.abs());
        let share = |over: f64| match error.abs() <= rounding {
            true => 0.0,
            false => (error.abs() / over).min(f64::MAX),
        };
        let worked = lost.abs() + mismatch.abs() + hidden.abs() + injected.abs();
        EnergyFigures {
            kinetic,
            potential,
            elastic: hidden,
            elastic_bonds: 0.0,
            dissipated: Dissipated {
                damping: fields.drag,
                slip: 0.0,
                collision: tally.lost,
                morph: mismatch,
                breakage: 0.0,
            },
            injected,
            removed: passage.removed,
            balance_error: share(flowed),
            balance_error_max: self.tally.worst.max(share(worked + rest)),
        }
    }

    /// Warns where the tables of contact laws fell short.
    fn warn_of_tables(&self, warnings: &mut Vec<String>) {
        let Some(events) = &self.setup.models.events else {
            return;
        };
        let (error, asked) = (self.engine.table_error(), events.laws.tolerance);
        if error > asked.max(1e-4) {
            warnings.push(format!(
                "tangential impulses by contact law are off by up to {error:.1e} of friction times momentum: dampings differ too much for the tables; the tolerance is {asked:.1e}"
            ));
        }
        let tally = self.engine.tally();
        let (solved, all) = (tally.soft.solved, tally.collisions + tally.wall_hits);
        if solved > 1_000 && solved > all / 20 {
            warnings.push(format!(
                "{solved} of {all} collisions were beyond the tables of their contact law and solved one by one, which is slow: they are faster, or slide by more, than was foreseen"
            ));
        }
    }

    /// Returns the figures of contacts that last; `None` where none do.
    fn soft_figures(&self) -> Option<SoftFigures> {
        let events = self.setup.models.events.as_ref()?;
        events.laws.pairs.iter().flatten().find(|law| law.soft)?;
        let tally = &self.engine.tally().soft;
        let exceptions = (tally.blocked + tally.interrupted) as f64;
        Some(SoftFigures {
            collisions: tally.begun,
            blocked: tally.blocked,
            interrupted: tally.interrupted,
            exceptional_share: exceptions / tally.begun.max(1) as f64,
            solved: tally.solved,
            table_error: self.engine.table_error(),
            displaced: tally.displaced / (2 * (tally.begun - tally.blocked)).max(1) as f64,
            displaced_most: tally.farthest,
        })
    }

    /// Returns the figures of fields beside gravity; `None` without fields of a place.
    fn fields(&self) -> Option<FieldFigures> {
        if self.setup.fields.place.is_none() {
            return None;
        }
        let tally = self.engine.field_tally();
        Some(FieldFigures {
            work: tally.work,
            drag: tally.drag,
            momentum: tally.momentum,
            stream: None,
        })
    }

    /// Returns a hash over the departures, and over number, position, velocity, rotation and spin of every grain, in order of number.
    fn state_hash(&self) -> u64 {
        let mut hash = StateHash::new();
        hash.departures(self.population.traffic.departures());
        for (place, grain) in self.present() {
            hash.grain(&grain_now(&self.engine, place, grain));
        }
        hash.value()
    }

    /// Returns the numbers of collisions and their effects.
    fn impacts(&self) -> ImpactFigures {
        let (tally, time) = (self.engine.tally(), self.course.time);
        let per_second = |x: f64| if time > 0.0 { x / time } else { 0.0 };
        let sort = |count: u64, lasting: u64, lost: f64| Impacts {
            count,
            lasting,
            rate: per_second(count as f64),
            lost,
            power: per_second(lost),
        };
        let named = |wall: &crate::walls::Boundary<D>| WallImpacts {
            name: wall.name.clone(),
            ..WallImpacts::default()
        };
        let mut walls: Vec<WallImpacts> = self.setup.boundaries.iter().map(named).collect();
        for (wall, received) in walls.iter_mut().zip(self.engine.wall_tallies()) {
            wall.count += received.hits;
            wall.lost += received.lost;
            wall.fed += received.work;
            wall.normal_impulse += received.normal;
            for k in 0..D::N {
                wall.impulse[k] += received.impulse[k];
            }
        }
        ImpactFigures {
            grain: sort(
                tally.collisions,
                tally.lasting[0],
                tally.lost - tally.lost_at_walls,
            ),
            wall: sort(tally.wall_hits, tally.lasting[1], tally.lost_at_walls),
            walls,
        }
    }

    pub(super) fn figures(&self) -> Summary {
        let counts = by_kind(self);
        let times = Times {
            simulated: self.course.time,
            wall: self.course.wall_seconds,
        };
        let tally = self.engine.tally();
        let grains = self.engine.count();
        let feeds = supply::feed_figures(&self.setup, &self.course.sources, times.simulated);
        let mut warnings = self.setup.notes.warnings.clone();
        warnings.extend(self.course.warnings.iter().cloned());
        warnings.extend(supply::feed_warnings(
            &self.setup,
            &self.course.sources,
            &feeds,
            times.simulated,
        ));
        if tally.grazes > 0 {
            warnings.push(format!(
                "{} foreseen collision{} found the pair parting already, by rounding, and {} not done",
                tally.grazes,
                if tally.grazes == 1 { "" } else { "s" },
                if tally.grazes == 1 { "was" } else { "were" },
            ));
        }
        self.warn_of_tables(&mut warnings);
        let energy = self.energy();
        warnings.extend(unbalanced(&energy));
        let corrections = [
            ("grazing_collisions_left_out", tally.grazes),
            ("collisions_beyond_tables", tally.soft.solved),
        ];
        Summary {
            arenite: env!("CARGO_PKG_VERSION").to_string(),
            scenario: String::new(),
            seed: self.setup.seed,
            status: match self.course.over {
                Some(Outcome::Empty) => Status::Empty,
                Some(_) => Status::Finished,
                None => Status::Interrupted,
            },
            time: times,
            state_hash: format!("{:016x}", self.state_hash()),
            // All events are in the engine's calendar.
            events: EventFigures::of(&counts, counts.iter().sum(), 0, times),
            grains: self.population.traffic.figures(grains),
            regimes: RegimeShares {
                flight: f64::from(u8::from(grains > 0)),
                ..RegimeShares::default()
            },
            nodes: None,
            force_error: None,
            models: models::of_collisions::<D>(1).shares(),
            work: WorkFigures {
                collisions: tally.collisions + tally.wall_hits,
                ..WorkFigures::default()
            },
            energy,
            commands: self.course.journal.given.clone(),
            corrections: corrected(corrections),
            cell: self.cell_figures(),
            bonds: None,
            fields: self.fields(),
            meters: meter::meter_figures(&self.setup, &self.meters),
            soft: self.soft_figures(),
            discharge: (!self.setup.sources.outlets.is_empty())
                .then(|| self.population.traffic.discharge_figures()),
            jam: None,
            jams: Vec::new(),
            avalanches: None,
            impacts: Some(self.impacts()),
            fills: self.setup.notes.fills.clone(),
            feeds,
            warnings,
            checksums: BTreeMap::new(),
        }
    }
}
