//! Rows of collisions, series and snapshots of an event-driven run.

use super::population::Population;
use super::spectrum::Spectrum;
use super::{Events, by_kind};
use crate::body::Grain;
use crate::cluster::{WearMap, WearSums, wear_cell};
use crate::collide::engine::{Collision, EndOfContact, Observer, Other};
use crate::event::{EventKind, Regime};
use crate::geometry::three;
use crate::geometry::{Dimension, Vector};
use crate::record::{BodyRef, EventRow, GrainRow, GroupRow, SeriesRow, Sink};
use crate::system::journal::Journal;
use crate::system::{EventLog, Setup, SystemError};
use crate::system::{meter, models};
use crate::walls::shifts;

/// Makes rows of what it is told, and sorts collisions by their energy.
pub(super) struct Noted<'a, D: Dimension> {
    pub setup: &'a Setup<D>,
    pub population: &'a Population<D>,
    /// Spectrum into which collisions are sorted.
    pub spectrum: Option<&'a mut Spectrum>,
    /// Wear map of each wall; empty where the setup asks for none.
    pub wear: &'a mut [WearMap],
    /// Journal that numbers the rows; `None`: no rows are made.
    pub journal: Option<&'a mut Journal>,
    pub rows: Vec<EventRow>,
}

impl<D: Dimension> Noted<'_, D> {
    /// Returns the grain at a place of the engine's list.
    fn grain(&self, place: u32) -> &Grain<D> {
        self.population.grain(self.setup, place as usize)
    }

    /// Adds the wear of a wall by a collision: the sliding path is the one that its friction implies.
    fn wear(&mut self, met: &Collision<D>, wall: usize, mass: f64, size: f64) {
        let Some(map) = self.wear.get_mut(wall) else {
            return;
        };
        let pose = self.setup.boundaries[wall].motion.pose(met.time);
        let radius = self.population.grain(self.setup, met.a as usize).radius;
        let point = met.position + met.normal * radius - met.image;
        let normal = met.impulse.dot(&met.normal);
        let across = (met.impulse - met.normal * normal).norm();
        let sums = WearSums {
            archard_work: match across > 0.0 {
                true => met.lost_tangential * normal / across,
                false => 0.0,
            },
            friction: met.lost_tangential,
            impacts: 1,
            energy: 0.5 * mass * met.approach * met.approach,
        };
        let place = wear_cell::<D>(pose.to_frame(point), size);
        map.entry(place).or_default().add(&sums);
    }

    fn row(&mut self, time: f64, kind: EventKind, row: impl FnOnce(EventRow) -> EventRow) {
        if let Some(journal) = &mut self.journal {
            let number = journal.next_number();
            self.rows.push(row(EventRow::new(number, time, kind)));
        }
    }
}

impl<D: Dimension> Observer<D> for Noted<'_, D> {
    /// Records a collision; the energy of its row is the energy lost.
    fn collision(&mut self, met: &Collision<D>) {
        let wall = match met.b {
            Other::Grain(_) => None,
            Other::Wall(wall) => Some(wall as usize),
        };
        let mass = self.grain(met.a).mass;
        let mass = match met.b {
            Other::Wall(_) => mass,
            Other::Grain(other) => {
                let other = self.grain(other).mass;
                mass * other / (mass + other)
            }
        };
        if let (Some(wall), Some(size)) = (wall, self.setup.log.wear) {
            self.wear(met, wall, mass, size);
        }
        let a = self.grain(met.a).id;
        let b = match met.b {
            Other::Grain(other) => BodyRef::Grain(self.grain(other).id),
            Other::Wall(wall) => BodyRef::Boundary(wall as u16),
        };
        if let Some(spectrum) = &mut self.spectrum {
            spectrum.add(wall, 0.5 * mass * met.approach * met.approach, met.lost);
        }
        self.row(met.time, EventKind::Collision, |row| EventRow {
            body_a: BodyRef::Grain(a),
            body_b: b,
            position: three(met.position),
            energy: met.lost,
            ..row
        });
    }
    fn end(&mut self, end: &EndOfContact<D>) {
        let [a, b] = [end.a, end.b].map(|place| BodyRef::Grain(self.grain(place).id));
        self.row(end.time, EventKind::EndOfContact, |row| EventRow {
            body_a: a,
            body_b: b,
            position: three(end.position),
            ..row
        });
    }
}

impl<D: Dimension> Events<D> {
    /// Logs the end of the run.
    pub(super) fn log_finish(&mut self, time: f64, sink: &mut dyn Sink) -> Result<(), SystemError> {
        if self.setup.log.events == EventLog::None {
            return Ok(());
        }
        let number = self.course.journal.next_number();
        let row = EventRow::new(number, time, EventKind::Finish);
        sink.event(&EventRow {
            cause: self.course.journal.causes.end,
            ..row
        })?;
        Ok(())
    }

    /// Returns a row of the series. Wall loads are the momentum received since the last row over the time since.
    pub(super) fn series_row(&mut self, time: f64) -> SeriesRow {
        let energy = self.energy();
        self.tally.worst = energy.balance_error_max;
        let d = energy.dissipated;
        let grains = self.engine.count() as u64;
        let lasted = time - self.tally.last_row;
        let mut walls = vec![[0.0; 7]; self.setup.boundaries.len()];
        let now = self.engine.wall_tallies();
        for ((row, now), last) in walls.iter_mut().zip(now).zip(&self.tally.last_walls) {
            row[6] += now.work;
            if lasted <= 0.0 {
                continue;
            }
            let (impulse, moment) = (now.impulse - last.impulse, now.moment - last.moment);
            for k in 0..D::N {
                row[k] += impulse[k] / lasted;
            }
            // In the plane the single moment is about z, the last of three.
            for k in 0..D::SPINS {
                row[6 - D::SPINS + k] += D::spin_component(moment, k) / lasted;
            }
        }
        self.tally.last_walls = now.to_vec();
        self.tally.last_row = time;
        let tally = self.engine.tally();
        SeriesRow {
            time,
            grains,
            by_regime: [grains, 0, 0, 0],
            clusters: 0,
            links: 0,
            sliding: 0,
            discharged: self.population.traffic.discharged(),
            kinetic: energy.kinetic,
            potential: energy.potential,
            elastic: energy.elastic,
            elastic_bonds: 0.0,
            dissipated: [d.damping, d.slip, d.collision, d.morph, d.breakage],
            injected: energy.injected,
            removed: energy.removed,
            balance_error: energy.balance_error,
            collisions: [tally.collisions, tally.wall_hits],
            dissipated_at_walls: tally.lost_at_walls,
            groups: GroupRow::default(),
            work: models::of_collisions::<D>(tally.collisions + tally.wall_hits).work(),
            events: by_kind(self).to_vec(),
            walls,
            meters: meter::metered(&self.setup, &self.meters),
            shifts: shifts(self.setup.boundaries.iter(), time),
            cell: self.cell_row(),
            bonds: None,
        }
    }

    /// Returns rows of all grains now.
    pub(super) fn grain_rows(&self, time: f64) -> Vec<GrainRow> {
        let row = |(place, grain): (usize, &Grain<D>)| {
            let now = self.engine.moment(place);
            let spin = |k: usize| {
                if k < D::SPINS {
                    D::spin_component(now.spin, k)
                } else {
                    0.0
                }
            };
            GrainRow {
                time,
                grain: grain.id,
                shape: None,
                radius: grain.radius,
                mass: grain.mass,
                material: grain.material,
                position: three(now.position),
                velocity: three(now.velocity),
                rotation: D::rotation_components(now.rotation).0,
                spin: std::array::from_fn(spin),
                force: [0.0; 3],
                moment: [0.0; 3],
                regime: Regime::Flight,
                cluster: -1,
                group: -1,
                force_error: 0.0,
                fragment: grain.id,
            }
        };
        self.present().map(row).collect()
    }
}
