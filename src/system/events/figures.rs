//! The energy book and the summary.

use std::collections::BTreeMap;

use super::{Events, by_kind};
use crate::event::EventKind;
use crate::geometry::{Dimension, Vector};
use crate::record::{
    Dissipated, EnergyFigures, EventFigures, GrainFigures, ImpactFigures, Impacts, RegimeShares,
    Status, Summary, Times, WallImpacts, WorkFigures,
};

impl<D: Dimension> Events<D> {
    /// The energy book at the engine's time.
    pub(super) fn energy(&self) -> EnergyFigures {
        let (motion, spin) = self.engine.kinetic();
        let (kinetic, potential) = (motion + spin, self.engine.potential());
        let tally = self.engine.tally();
        let [kinetic_start, potential_start] = self.tally.start;
        let (lost, injected) = (tally.lost, tally.fed);
        let error = kinetic + potential + lost - injected - kinetic_start - potential_start;
        let flowed = kinetic_start + (potential_start - potential).max(0.0) + injected.abs();
        EnergyFigures {
            kinetic,
            potential,
            elastic: 0.0,
            dissipated: Dissipated {
                damping: 0.0,
                slip: 0.0,
                collision: lost,
                morph: 0.0,
            },
            injected,
            removed: 0.0,
            balance_error: if error == 0.0 {
                0.0
            } else {
                (error.abs() / flowed).min(f64::MAX)
            },
        }
    }

    /// Hash over number, position, velocity, rotation and spin of every grain, in order of number.
    fn state_hash(&self) -> u64 {
        let mut hash = 0xcbf2_9ce4_8422_2325u64;
        let mut eat = |bits: u64| {
            for byte in bits.to_le_bytes() {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
            }
        };
        for (index, grain) in self.setup.grains.iter().enumerate() {
            let now = self.engine.moment(index);
            eat(u64::from(grain.id));
            now.position.components().for_each(|x| eat(x.to_bits()));
            now.velocity.components().for_each(|v| eat(v.to_bits()));
            let (rotation, components) = D::rotation_components(now.rotation);
            rotation[..components].iter().for_each(|x| eat(x.to_bits()));
            (0..D::SPINS).for_each(|k| eat(D::spin_component(now.spin, k).to_bits()));
        }
        hash
    }

    /// Collisions and what they did.
    fn impacts(&self) -> ImpactFigures {
        let (tally, time) = (self.engine.tally(), self.tally.time);
        let per_second = |x: f64| if time > 0.0 { x / time } else { 0.0 };
        let sort = |count: u64, lasting: u64, lost: f64| Impacts {
            count,
            lasting,
            rate: per_second(count as f64),
            lost,
            power: per_second(lost),
        };
        let named = |wall: &crate::body::Boundary<D>| WallImpacts {
            name: wall.name.clone(),
            ..WallImpacts::default()
        };
        let mut walls: Vec<WallImpacts> = self.setup.boundaries.iter().map(named).collect();
        for (&index, received) in self.boundary.iter().zip(self.engine.wall_tallies()) {
            let wall = &mut walls[index];
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
        let total: u64 = counts.iter().sum();
        let named: BTreeMap<String, u64> = EventKind::ALL
            .iter()
            .zip(&counts)
            .filter(|(_, n)| **n > 0)
            .map(|(kind, n)| (kind.name().to_string(), *n))
            .collect();
        let per = |x: f64| if x > 0.0 { total as f64 / x } else { 0.0 };
        let tally = self.engine.tally();
        let grains = self.setup.grains.len() as u64;
        let mut warnings = Vec::new();
        if tally.grazes > 0 {
            warnings.push(format!(
                "{} foreseen collision{} found the pair parting already, by rounding, and {} not done",
                tally.grazes,
                if tally.grazes == 1 { "" } else { "s" },
                if tally.grazes == 1 { "was" } else { "were" },
            ));
        }
        Summary {
            arenite: env!("CARGO_PKG_VERSION").to_string(),
            scenario: String::new(),
            seed: self.setup.seed,
            status: if self.tally.finished {
                Status::Finished
            } else {
                Status::Interrupted
            },
            time: Times {
                simulated: self.tally.time,
                wall: self.wall_seconds,
            },
            state_hash: format!("{:016x}", self.state_hash()),
            events: EventFigures {
                total,
                by_kind: named,
                per_virtual_second: per(self.tally.time),
                per_wall_second: per(self.wall_seconds),
            },
            grains: GrainFigures {
                initial: grains,
                created: 0,
                removed: 0,
                last: grains,
            },
            regimes: RegimeShares {
                flight: f64::from(u8::from(grains > 0)),
                ..RegimeShares::default()
            },
            work: WorkFigures {
                collisions: tally.collisions + tally.wall_hits,
                ..WorkFigures::default()
            },
            energy: self.energy(),
            discharge: None,
            jam: None,
            jams: Vec::new(),
            avalanches: None,
            impacts: Some(self.impacts()),
            warnings,
        }
    }
}
