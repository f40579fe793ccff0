//! Rows of collisions, series and snapshots.

use super::spectrum::Spectrum;
use super::{Events, by_kind};
use crate::collide::engine::{Collision, EndOfContact, Observer, Other};
use crate::event::{EventKind, Regime};
use crate::geometry::{Dimension, Vector};
use crate::record::{BodyRef, EventRow, GrainRow, SeriesRow, Sink};
use crate::system::journal::Journal;
use crate::system::meter;
use crate::system::{EventLog, SystemError};
use crate::walls::shifts;

/// Three numbers of a vector; the third is 0 in the plane.
fn three<V: Vector>(v: V) -> [f64; 3] {
    std::array::from_fn(|k| if k < V::LEN { v[k] } else { 0.0 })
}

/// Makes rows of what it is told, and sorts collisions by their energy.
pub(super) struct Noted<'a, D: Dimension> {
    pub grains: &'a [crate::body::Grain<D>],
    /// Where collisions are sorted.
    pub spectrum: Option<&'a mut Spectrum>,
    /// What numbers rows; none: no rows.
    pub journal: Option<&'a mut Journal>,
    pub rows: Vec<EventRow>,
}

impl<D: Dimension> Noted<'_, D> {
    fn row(&mut self, time: f64, kind: EventKind, row: impl FnOnce(EventRow) -> EventRow) {
        if let Some(journal) = &mut self.journal {
            let number = journal.next_number();
            self.rows.push(row(EventRow::new(number, time, kind)));
        }
    }
}

impl<D: Dimension> Observer<D> for Noted<'_, D> {
    /// The row of a collision; its energy is what was lost.
    fn collision(&mut self, met: &Collision<D>) {
        let wall = match met.b {
            Other::Grain(_) => None,
            Other::Wall(wall) => Some(wall as usize),
        };
        if let Some(spectrum) = &mut self.spectrum {
            let mass = self.grains[met.a as usize].mass;
            let mass = match met.b {
                Other::Wall(_) => mass,
                Other::Grain(other) => {
                    let other = self.grains[other as usize].mass;
                    mass * other / (mass + other)
                }
            };
            spectrum.add(wall, 0.5 * mass * met.approach * met.approach, met.lost);
        }
        self.row(met.time, EventKind::Collision, |row| EventRow {
            body_a: BodyRef::Grain(met.a),
            body_b: match (met.b, wall) {
                (Other::Grain(id), _) => BodyRef::Grain(id),
                (_, wall) => BodyRef::Boundary(wall.unwrap_or_default() as u16),
            },
            position: three(met.position),
            energy: met.lost,
            ..row
        });
    }
    fn end(&mut self, end: &EndOfContact<D>) {
        self.row(end.time, EventKind::EndOfContact, |row| EventRow {
            body_a: BodyRef::Grain(end.a),
            body_b: BodyRef::Grain(end.b),
            position: three(end.position),
            ..row
        });
    }
}

impl<D: Dimension> Events<D> {
    /// Logs the end.
    pub(super) fn log_finish(&mut self, time: f64, sink: &mut dyn Sink) -> Result<(), SystemError> {
        if self.setup.log.events == EventLog::None {
            return Ok(());
        }
        let number = self.course.journal.next_number();
        sink.event(&EventRow::new(number, time, EventKind::Finish))?;
        Ok(())
    }

    /// A row of the series. Wall loads are the momentum received since the last row over its time.
    pub(super) fn series_row(&mut self, time: f64) -> SeriesRow {
        let energy = self.energy();
        self.tally.worst = energy.balance_error_max;
        let d = energy.dissipated;
        let grains = self.setup.grains.len() as u64;
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
            // The plane has its single moment about z, the last of three.
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
            discharged: 0,
            kinetic: energy.kinetic,
            potential: energy.potential,
            elastic: energy.elastic,
            dissipated: [d.damping, d.slip, d.collision, d.morph],
            injected: energy.injected,
            removed: 0.0,
            balance_error: energy.balance_error,
            collisions: [tally.collisions, tally.wall_hits],
            dissipated_at_walls: tally.lost_at_walls,
            events: by_kind(self).to_vec(),
            walls,
            meters: meter::metered(&self.setup, &self.meters),
            shifts: shifts(self.setup.boundaries.iter(), time),
            cell: None,
        }
    }

    /// All grains now.
    pub(super) fn grain_rows(&self, time: f64) -> Vec<GrainRow> {
        let row = |(index, grain): (usize, &crate::body::Grain<D>)| {
            let now = self.engine.moment(index);
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
            }
        };
        self.setup.grains.iter().enumerate().map(row).collect()
    }
}
