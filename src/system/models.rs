//! Shares of the models in a run: of the time of grains, and of the work of the processor as far as it can be counted.

use std::collections::BTreeMap;

use super::System;
use super::cost;
use crate::capabilities::Model;
use crate::cluster::integrate::Integrate;
use crate::geometry::Dimension;
use crate::record::{MODELS, ModelFigures};

/// Time and work of the models in a run.
#[derive(Clone, Debug, Default)]
pub(super) struct ModelShares {
    /// By model: time of grains, s, and work, s of a common machine.
    all: Vec<(Model, f64, f64)>,
}

impl ModelShares {
    /// Adds the time of grains and the work of a model.
    pub fn add(mut self, model: Model, grain_time: f64, work: f64) -> Self {
        self.all.push((model, grain_time, work));
        self
    }

    /// Returns the work by models, in the order of the series' columns, s.
    pub fn work(&self) -> [f64; 5] {
        MODELS.map(|name| {
            let of = self.all.iter().filter(|had| had.0.name() == name);
            of.map(|had| had.2).sum()
        })
    }

    /// Returns the shares by the names of models, of those that had any.
    pub fn shares(&self) -> BTreeMap<String, ModelFigures> {
        let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
        let time: f64 = self.all.iter().map(|had| had.1).sum();
        let work: f64 = self.all.iter().map(|had| had.2).sum();
        let some = self.all.iter().filter(|had| had.1 > 0.0 || had.2 > 0.0);
        some.map(|&(model, own, worked)| {
            let figures = ModelFigures {
                grain_time: share(own, time),
                work: share(worked, work),
            };
            (model.name().to_string(), figures)
        })
        .collect()
    }
}

/// Returns time and work of a run in motion.
pub(super) fn of_motion<D: Integrate>(system: &System<D>) -> ModelShares {
    let state = &system.s;
    let steps = system.dem.book.counts.grain_steps - state.ledger.counts_at_start.grain_steps;
    let air = super::air::air_tally(&system.air);
    let [flight, cluster, rest, rigid] = state.regimes.grain_seconds();
    let (filled, filling) = match &system.filled {
        Some(filling) => (filling.grain_seconds, filling.work),
        None => (0.0, 0.0),
    };
    // The time of a filling is counted as rigid.
    let standing = rest + rigid - filled;
    ModelShares::default()
        .add(Model::Dem, cluster, steps as f64 * cost::step::<D>())
        .add(
            Model::Flight,
            flight,
            (air.pairs + air.walls) as f64 * cost::collision::<D>(),
        )
        .add(Model::Rest, standing, state.rest.work)
        .add(Model::QuasiStatic, filled, filling)
}

/// Returns time and work of a run that made so many steps of grains, and nothing else.
pub(super) fn of_steps<D: Dimension>(count: u64) -> ModelShares {
    ModelShares::default().add(Model::Dem, 1.0, count as f64 * cost::step::<D>())
}

/// Returns time and work of a filling whose solves took so long on a common machine, s.
pub(super) fn of_filling(work: f64) -> ModelShares {
    ModelShares::default().add(Model::QuasiStatic, 1.0, work)
}

/// Returns time and work of an event-driven run with so many collisions.
pub(super) fn of_collisions<D: Dimension>(count: u64) -> ModelShares {
    ModelShares::default().add(
        Model::Collisions,
        1.0,
        count as f64 * cost::collision::<D>(),
    )
}
