//! Sums, energy balance and summary of a filling.

use std::collections::BTreeMap;

use super::{QuasiStatic, loads, moving_walls};
use crate::geometry::{Dimension, Vector};
use crate::record::{
    Avalanches, BodyRef, Dissipated, EnergyFigures, EventFigures, GrainFigures, RegimeShares,
    Status, Summary, Times, WorkFigures, corrected,
};
use crate::system::Outcome;
use crate::system::filled::Filling;
use crate::system::models;
use crate::system::nodes::NodeCounts;
use crate::system::state_hash::StateHash;

/// Sums since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Tally {
    /// Number of solves, and of columns of the inverse.
    pub solves: u64,
    /// Time that these took on a common machine, s.
    pub work: f64,
    /// Number of rounds of all iterations.
    pub rounds: u64,
    /// Potential energy that grains brought, and energy that changes of loads and walls gave, J.
    pub fed: f64,
    /// Potential energy removed with grains, J.
    pub removed: f64,
    /// Heat of slides, J.
    pub slip: f64,
    /// The same by the thesis's formula, J.
    pub slip_thesis: f64,
    /// Energy that a sudden load leaves over when all is at rest, J: dampers take it.
    pub settled: f64,
    /// Time of the last row of the series, and of the last snapshot, if there was one, s.
    pub last_row: f64,
    pub last_snapshot: Option<f64>,
    /// The largest error of the rows so far (`balance_error_max`).
    pub worst: f64,
    /// Number of parts that required dynamics and were held.
    pub held: u64,
    /// Number of links made anew under parts that nothing would have held.
    pub reseated: u64,
    /// Avalanches so far.
    pub avalanches: Avalanches,
    /// Numbers of nodes after each grain.
    pub nodes: NodeCounts,
}

impl<D: Dimension> QuasiStatic<'_, D> {
    /// Returns the energy balance. Weight that comes to rest on springs releases twice as much potential energy
    /// as the springs take up: dampers take the rest, which is booked as `morph` (the work
    /// that a quasi-static step leaves over), summed up step by step from the strains.
    pub(super) fn energy(&self) -> EnergyFigures {
        if let Some(before) = self.given_up {
            return before;
        }
        let weights = self.loads.are_weights();
        let mut potential = if weights { 0.0 } else { loads::potential(self) };
        let there = |(index, _): &(usize, _)| self.is_there(*index);
        let all = self.nodes.iter().enumerate().filter(there);
        for (index, &node) in all.filter(|_| weights) {
            let grain = &self.setup.grains[index];
            let x = grain.position + self.displacement(node).0;
            potential -= grain.mass * self.setup.fields.gravity.dot(&x);
        }
        let beyond = self.bearings.beyond_springs(&self.packing);
        let elastic = self.packing.elastic_energy() + beyond;
        // The difference between laws and the springs that stand for them was booked with the springs.
        let (slip, morph) = (self.tally.slip, self.tally.settled - beyond);
        let injected = self.tally.fed;
        let removed = self.tally.removed;
        let error = (potential + elastic + slip + morph + removed - injected).abs();
        let released = (injected - removed - potential).abs();
        let g = self.setup.fields.gravity.norm();
        let here = &self.setup.grains[..self.nodes.len()];
        let rest = match weights {
            true => {
                g * here
                    .iter()
                    .map(|grain| grain.mass * 2.0 * grain.radius)
                    .sum::<f64>()
            }
            false => {
                let loads = here.iter().zip(&self.loads.each);
                loads
                    .map(|(grain, load)| load.force.norm() * 2.0 * grain.radius)
                    .sum::<f64>()
            }
        };
        let share = |over: f64| match error == 0.0 {
            true => 0.0,
            false => (error / over).min(f64::MAX),
        };
        let worked = elastic.abs() + slip.abs() + morph.abs();
        // Pulls do work where nothing falls.
        let released = if released > 0.0 { released } else { worked };
        EnergyFigures {
            kinetic: 0.0,
            potential,
            elastic,
            elastic_bonds: 0.0,
            dissipated: Dissipated {
                damping: 0.0,
                slip,
                collision: 0.0,
                morph,
                breakage: 0.0,
            },
            injected,
            removed,
            balance_error: share(released),
            balance_error_max: self.tally.worst.max(share(worked + rest)),
        }
    }

    /// Returns a hash over number, position and turn of every grain; velocities and spins are zero.
    fn state_hash(&self) -> u64 {
        let mut hash = StateHash::new();
        let there = |(index, _): &(usize, _)| self.is_there(*index);
        for (index, &node) in self.nodes.iter().enumerate().filter(there) {
            let grain = &self.setup.grains[index];
            let (u, turn) = self.displacement(node);
            hash.word(u64::from(grain.id));
            hash.vector(grain.position + u);
            hash.spin::<D>(turn);
        }
        hash.value()
    }

    /// Returns, for the link that is pressed deepest, its overlap over the smaller radius, and its bodies.
    fn deepest(&self) -> Option<(f64, [String; 2])> {
        let grains = self.setup.grains.iter();
        let radii: BTreeMap<_, f64> = grains.map(|grain| (grain.id, grain.radius)).collect();
        let links = self.packing.network().links().iter().enumerate();
        let shares = links.filter(|(key, _)| self.packing.stress(*key).on && self.is_real(*key));
        let shares = shares.map(|(key, link)| {
            let bodies = [self.bodies[link.a], self.bodies[link.b]];
            let sizes = bodies.iter().filter_map(|body| match body {
                BodyRef::Grain(id) => radii.get(id),
                _ => None,
            });
            let size = sizes.copied().fold(f64::INFINITY, f64::min);
            (self.packing.stress(key).overlap / size, bodies)
        });
        let (share, bodies) = shares.max_by(|a, b| a.0.total_cmp(&b.0))?;
        let name = |body: BodyRef| match body {
            BodyRef::Grain(id) => format!("grain {id}"),
            BodyRef::Boundary(wall) => format!(
                "the wall `{}`",
                self.setup.boundaries[usize::from(wall)].name
            ),
            BodyRef::None => "nobody".into(),
        };
        Some((share, bodies.map(name)))
    }

    /// Returns the warnings of the filling.
    fn warnings(&self) -> Vec<String> {
        let tally = &self.tally;
        let mut warnings = Vec::new();
        warnings.extend(self.course.warnings.iter().cloned());
        warnings.extend(moving_walls::far_walls(self));
        if tally.held > 0 {
            warnings.push(format!(
                "{} time{} a part of the packing did not come to rest by small displacements and was held as it was: only dynamics could tell where it goes (docs/stress.md)",
                tally.held,
                if tally.held == 1 { "" } else { "s" }
            ));
        }
        if self.bearings.missed > 0 {
            warnings.push(format!(
                "{} time{} forces followed the laws of links only nearly: stiffnesses that go with the load did not come to an end with them",
                self.bearings.missed,
                if self.bearings.missed == 1 { "" } else { "s" }
            ));
        }
        if let Some((share, [a, b])) = self.deepest()
            && share > 0.5
        {
            warnings.push(format!(
                "grains are crushed: {a} and {b} overlap by {share:.2} of the smaller radius under their load, where the model means displacements that are small; stiffer laws are asked for"
            ));
        }
        warnings
    }

    /// Returns the figures of the filling that a run in motion, which began as it, reports.
    pub(in crate::system) fn told(&self) -> Filling {
        let (tally, energy) = (&self.tally, self.energy());
        let interval = self.setup.models.quasi_static.map_or(0.0, |s| s.interval);
        let time = self.course.time;
        let waited = (1..=self.nodes.len()).map(|k| time - k as f64 * interval);
        Filling {
            fed: tally.fed,
            slip: tally.slip,
            morph: energy.dissipated.morph,
            held: energy.potential + energy.elastic,
            worst: tally.worst,
            last_row: tally.last_row,
            grain_seconds: waited.sum(),
            solves: tally.solves,
            work: tally.work,
            solver: self.packing.solver().name().into(),
            avalanches: tally.avalanches,
            corrected: [tally.held, tally.reseated, 0],
            warnings: self.warnings(),
        }
    }

    pub(super) fn figures(&self) -> Summary {
        let tally = &self.tally;
        let times = Times {
            simulated: self.course.time,
            wall: self.course.wall_seconds,
        };
        let (grains, gone) = (self.nodes.len() as u64, self.gone.len() as u64);
        let mut warnings = self.setup.notes.warnings.clone();
        warnings.extend(self.warnings());
        let energy = self.energy();
        if energy.balance_error_max > 1e-2 {
            warnings.push(format!(
                "the energy balance was off by up to {:.1e} of the work of contacts (`energy.balance_error_max`)",
                energy.balance_error_max
            ));
        }
        let corrections = [
            ("parts_held", tally.held),
            ("links_reseated", tally.reseated),
        ];
        Summary {
            arenite: env!("CARGO_PKG_VERSION").to_string(),
            scenario: String::new(),
            seed: self.setup.seed,
            status: match self.course.over {
                Some(Outcome::Finished) => Status::Finished,
                _ => Status::Interrupted,
            },
            time: times,
            state_hash: format!("{:016x}", self.state_hash()),
            events: EventFigures::of(
                self.course.journal.by_kind(),
                self.course.journal.handled(),
                0,
                times,
            ),
            grains: GrainFigures {
                initial: 0,
                created: grains,
                removed: gone,
                last: grains - gone,
            },
            regimes: RegimeShares {
                rigid: f64::from(u8::from(grains > 0)),
                ..RegimeShares::default()
            },
            nodes: tally.nodes.figures(),
            force_error: None,
            models: models::of_filling(1.0).shares(),
            work: WorkFigures {
                stress_solves: tally.solves,
                solver: Some(self.packing.solver().name().into()),
                ..WorkFigures::default()
            },
            energy,
            commands: self.course.journal.given.clone(),
            corrections: corrected(corrections),
            cell: None,
            bonds: None,
            fields: None,
            meters: Vec::new(),
            soft: None,
            discharge: None,
            jam: None,
            jams: Vec::new(),
            avalanches: Some(tally.avalanches),
            impacts: None,
            fills: self.setup.notes.fills.clone(),
            feeds: Vec::new(),
            warnings,
            checksums: BTreeMap::new(),
        }
    }
}
