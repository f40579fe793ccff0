//! What the driver writes: rows of events, series and snapshots, and the summary.

use std::collections::BTreeMap;

use super::Outcome;
use super::ledger::{self, Ledger, held};
use super::state_hash::StateHash;
use super::{EventLog, System, SystemError};
use crate::cluster::integrate::Integrate;
use crate::cluster::{Counts, LinkView, Other};
use crate::event::{EventKind, Regime};
use crate::geometry::Vector;
use crate::record::{
    BodyRef, EventFigures, EventRow, GrainRow, GrainsPerLinkEvent, LinkRow, SeriesRow, Sink,
    Status as RunStatus, Summary, Times, WorkFigures,
};
use crate::walls::shifts;

fn three<V: Vector>(v: V) -> [f64; 3] {
    std::array::from_fn(|k| if k < V::LEN { v[k] } else { 0.0 })
}

/// Events handled since the book was opened, in the order of `EventKind::ALL`.
pub(super) fn events_of(by_kind: &[u64], now: &Counts, ledger: &Ledger) -> Vec<u64> {
    let mut events = by_kind.to_vec();
    let then = &ledger.counts_at_start;
    events[EventKind::PredictTrajectory as usize] += now.steps - then.steps;
    events[EventKind::InsertLink as usize] += now.opened - then.opened;
    events[EventKind::RemoveLink as usize] += now.closed - then.closed;
    events[EventKind::SlipLink as usize] += now.slipped - then.slipped;
    events[EventKind::GripLink as usize] += now.gripped - then.gripped;
    events[EventKind::StabilizeLink as usize] += now.stabilized - then.stabilized;
    events
}

impl<D: Integrate> System<D> {
    /// A row with the next number.
    pub(super) fn row(&mut self, time: f64, kind: EventKind) -> EventRow {
        EventRow {
            position: [0.0; 3],
            ..EventRow::new(self.s.journal.next(), time, kind)
        }
    }

    /// Logs an event of the whole, or of one grain; gives its number, 0 if it was not logged.
    pub(super) fn log_whole(
        &mut self,
        sink: &mut dyn Sink,
        time: f64,
        kind: EventKind,
        slot: Option<u32>,
    ) -> Result<u64, SystemError> {
        if self.s.stage.settling || self.setup.log.events == EventLog::None {
            return Ok(0);
        }
        let mut row = self.row(time, kind);
        row.cause = self.s.journal.causes.now;
        if let Some(slot) = slot {
            self.put_body(&mut row, slot);
            let grain = self.grain_at(slot, time);
            row.energy = grain.kinetic_energy() + self.potential_of(&grain, time, &[]);
        }
        sink.event(&row)?;
        Ok(row.seq)
    }

    /// Logs the link events of the last evaluation, as brought about by what is being handled.
    pub(super) fn log_links(&mut self, sink: &mut dyn Sink) -> Result<(), SystemError> {
        let now = self.s.journal.causes.now;
        self.log_links_by(sink, |_, _| now)
    }

    /// The same, each brought about by an event that its two bodies tell.
    pub(super) fn log_links_by(
        &mut self,
        sink: &mut dyn Sink,
        cause: impl Fn(BodyRef, BodyRef) -> u64,
    ) -> Result<(), SystemError> {
        let mut events = std::mem::take(&mut self.engine.link_events);
        if !self.s.stage.settling {
            let id = |s: u32, system: &Self| system.engine.state.arrays.id[s as usize];
            events.sort_by(|p, q| {
                p.time
                    .total_cmp(&q.time)
                    .then(p.kind.cmp(&q.kind))
                    .then(id(p.a, self).cmp(&id(q.a, self)))
            });
            for event in &events {
                let (a, b) = (self.body_ref(Other::Slot(event.a)), self.body_ref(event.b));
                let mut row = self.row(event.time, event.kind);
                self.put_body(&mut row, event.a);
                row.body_b = b;
                row.link = self.s.journal.links.number(a, b, event.kind);
                row.energy = event.energy;
                row.cause = cause(a, b);
                if event.kind == EventKind::InsertLink {
                    self.s.journal.causes.link = row.seq;
                }
                sink.event(&row)?;
            }
        }
        events.clear();
        self.engine.link_events = events;
        Ok(())
    }

    /// Events handled so far, in the order of `EventKind::ALL`.
    pub(super) fn events(&self) -> Vec<u64> {
        events_of(
            self.s.journal.by_kind(),
            &self.engine.state.counts,
            &self.s.ledger,
        )
    }

    /// A row of the series.
    pub(super) fn log_state(&mut self, sink: &mut dyn Sink, time: f64) -> Result<(), SystemError> {
        self.account(time);
        let held = held(&self.engine, &self.fields, time);
        let figures = self
            .s
            .ledger
            .figures(&self.engine, &held, self.s.rest.energy);
        self.s.ledger.worst = figures.balance_error_max;
        // Over the steps in the sums, not over the interval, into which a step more or less may fall.
        let steps = self.s.ticks.row(time, self.engine.state.n);
        let lasted = steps as f64 * self.engine.options.step;
        // The sums are of what walls do to grains; a load is what grains do to a wall.
        let walls = self.engine.state.wall_sums.iter().map(|w| {
            let mean = |k: usize| {
                if lasted > 0.0 {
                    0.0 - w[k] / lasted
                } else {
                    0.0
                }
            };
            [mean(0), mean(1), mean(2), mean(3), mean(4), mean(5), w[6]]
        });
        let mut walls: Vec<[f64; 7]> = walls.collect();
        if self.s.watch.jam().is_some() && lasted == 0.0 {
            self.loads_now(&mut walls);
        }
        for wall in &mut self.engine.state.wall_sums {
            wall[..6].fill(0.0);
        }
        self.engine.find_splits();
        let stepped = self.engine.state.active.len() as u64;
        let still = self.engine.state.still.count as u64;
        let rigid = self.s.rest.rigid.len() as u64;
        let grains = self.grain_count() as u64;
        let clusters = {
            // The dummy slot, each flyer and each part count as clusters in the index.
            let all = self.engine.state.clusters.count() as u64;
            let parts = self.engine.state.bodies.parts() as u64;
            all - 1 - parts - (grains - stepped - still)
        };
        let (links, sliding) = self.engine.link_count();
        let d = figures.dissipated;
        let air = self.air_tally();
        let cell = self.cell_row();
        let row = SeriesRow {
            time,
            grains,
            by_regime: [grains - stepped - still, stepped, still - rigid, rigid],
            clusters,
            links,
            sliding,
            discharged: self.s.traffic.discharged(),
            kinetic: figures.kinetic,
            potential: figures.potential,
            elastic: figures.elastic,
            dissipated: [d.damping, d.slip, d.collision, d.morph],
            injected: figures.injected,
            removed: figures.removed,
            balance_error: figures.balance_error,
            collisions: [air.pairs, air.walls],
            dissipated_at_walls: air.lost_at_walls,
            events: self.events(),
            walls,
            meters: self.metered(),
            shifts: shifts(
                self.engine.boundaries.iter().map(|wall| &wall.boundary),
                time,
            ),
            cell,
        };
        Ok(sink.series(&row)?)
    }

    /// The row of where a run was interrupted, or went wrong. It comes after the checkpoint, so that a run that goes on from there has no such
    /// row; and it leaves no trace in what is kept.
    pub(super) fn log_stop(&mut self, sink: &mut dyn Sink) -> Result<(), SystemError> {
        let time = self.engine.time();
        if self.setup.log.series.is_none() || !self.s.ledger.begun || self.s.ticks.last() >= time {
            return Ok(());
        }
        let kept = (self.s.clone(), self.engine.state.clone());
        let logged = self.log_state(sink, time);
        (self.s, self.engine.state) = kept;
        logged
    }

    /// Loads of walls at the last evaluation: in a jam no step is taken over which to average.
    fn loads_now(&self, walls: &mut [[f64; 7]]) {
        for wall in walls.iter_mut() {
            wall[..6].fill(0.0);
        }
        let time = self.engine.time();
        self.engine.each_link_view(|view: LinkView<D>| {
            let Other::Boundary(index) = view.b else {
                return;
            };
            let wall = &self.engine.boundaries[usize::from(index)];
            let reference = wall.reference + wall.boundary.motion.pose(time).shift;
            let force = view.kinematics.normal * view.normal_force + view.tangential_force;
            let (arm, f) = (
                three(view.kinematics.point - view.kinematics.image - reference),
                three(force),
            );
            let load = &mut walls[usize::from(index)];
            for k in 0..3 {
                let (i, j) = ((k + 1) % 3, (k + 2) % 3);
                load[k] -= f[k];
                load[3 + k] -= arm[i] * f[j] - arm[j] * f[i];
            }
        });
    }

    /// Rows of all grains at a time within a step of the last evaluation, in order of number.
    pub fn grain_rows(&mut self, time: f64) -> Vec<GrainRow> {
        self.engine.find_splits();
        let arrays = &self.engine.state.arrays;
        // Name clusters by their least grain number, not by slots, which move.
        let mut least: Vec<i64> = vec![i64::MAX; arrays.slots()];
        for slot in 1..arrays.slots() as u32 {
            if arrays.status[slot as usize].is_grain() {
                let root = self.engine.state.clusters.cluster_of(slot) as usize;
                least[root] = least[root].min(i64::from(arrays.id[slot as usize]));
            }
        }
        let mut rows: Vec<GrainRow> = (1..arrays.slots() as u32)
            .filter(|&s| arrays.status[s as usize].is_grain())
            .map(|slot| {
                let flying = self.engine.flies(slot as usize);
                let grain = self.grain_at(slot, time);
                let still = self.engine.stands(slot);
                let (force, moment) = if flying {
                    ([0.0; 3], [0.0; 3])
                } else if still {
                    let [fx, fy, fz, mx, my, mz] = self.engine.contact_force(slot);
                    ([fx, fy, fz], [mx, my, mz])
                } else {
                    D::force(arrays, slot as usize)
                };
                let root = self.engine.state.clusters.cluster_of(slot) as usize;
                GrainRow {
                    time,
                    grain: grain.id,
                    shape: grain.form,
                    radius: grain.radius,
                    mass: grain.mass,
                    material: grain.material,
                    position: three(grain.position),
                    velocity: three(grain.velocity),
                    rotation: D::rotation_components(grain.rotation).0,
                    spin: std::array::from_fn(|k| {
                        if k < D::SPINS {
                            D::spin_component(grain.spin, k)
                        } else {
                            0.0
                        }
                    }),
                    force,
                    moment: moment.map(|t| t * grain.radius),
                    regime: if flying {
                        Regime::Flight
                    } else if still && self.is_rigid(slot) {
                        Regime::Rigid
                    } else if still {
                        Regime::Rest
                    } else {
                        Regime::Cluster
                    },
                    cluster: if flying { -1 } else { least[root] },
                }
            })
            .collect();
        rows.sort_unstable_by_key(|r| r.grain);
        rows
    }

    /// Rows of all links at the last evaluation, ordered by their bodies.
    pub fn link_rows(&self, time: f64) -> Vec<LinkRow> {
        let mut rows = Vec::new();
        self.engine.each_link_view(|link: LinkView<D>| {
            let (mut a, mut b) = (self.body_ref(Other::Slot(link.a)), self.body_ref(link.b));
            // From a to b; the kernels' normal points from b to a.
            let mut normal = -link.kinematics.normal;
            let mut force = link.tangential_force;
            if let (BodyRef::Grain(i), BodyRef::Grain(j)) = (a, b)
                && i > j
            {
                std::mem::swap(&mut a, &mut b);
                normal = -normal;
                force = -force;
            }
            rows.push(LinkRow {
                time,
                link: self.s.journal.links.find(a, b),
                body_a: a,
                body_b: b,
                point: three(link.kinematics.point),
                normal: three(normal),
                overlap: link.kinematics.overlap,
                normal_force: link.normal_force,
                tangential_force: three(force),
                slipping: link.slipping,
                stable: link.stable,
            });
        });
        rows.sort_by_key(|r| (r.body_a.code(), r.body_b.code()));
        rows
    }

    pub(super) fn log_snapshot(
        &mut self,
        sink: &mut dyn Sink,
        time: f64,
    ) -> Result<(), SystemError> {
        let grains = self.grain_rows(time);
        let links = self.link_rows(time);
        Ok(sink.snapshot(&grains, &links)?)
    }

    /// Hash over number, position, velocity, rotation and spin of every grain at the final time, and of those that left, when they did.
    pub fn state_hash(&self) -> u64 {
        let time = self
            .s
            .ticks
            .last()
            .max(self.engine.time().min(self.setup.finish));
        let mut hash = StateHash::new();
        for grain in self.grains_at(time) {
            hash.grain(&grain);
        }
        hash.departures(self.s.traffic.departures());
        hash.value()
    }

    /// The figures so far. The names of program version and scenario are the caller's to fill in.
    pub fn summary(&self) -> Summary {
        let time = if self.s.stage.over.is_some() {
            self.s.ticks.last()
        } else {
            self.engine.time()
        };
        let held = match self.s.stage.over {
            Some(_) => self.s.stage.held,
            None => held(&self.engine, &self.fields, time),
        };
        let wall = self.wall_time();
        let times = Times {
            simulated: time,
            wall,
        };
        let (counts, begin) = (&self.engine.state.counts, &self.s.ledger.counts_at_start);
        let touched = self.engine.state.clusters.touched();
        let energy = self
            .s
            .ledger
            .figures(&self.engine, &held, self.s.rest.energy);
        let air = self.air_tally();
        let mut warnings = self.s.warnings.clone();
        warnings.extend(super::reason::imbalance(&energy));
        warnings.extend(self.s.rest.thrash.warning());
        warnings.extend(self.morph_warnings(&energy));
        if self.s.stage.over == Some(Outcome::Finished) {
            warnings.extend(self.silent_outlets(time));
        }
        let feeds = self.feed_figures(time);
        warnings.extend(self.feed_warnings(&feeds, time));
        Summary {
            arenite: env!("CARGO_PKG_VERSION").to_string(),
            scenario: String::new(),
            seed: self.setup.seed,
            status: match self.s.stage.over {
                Some(Outcome::Finished) => RunStatus::Finished,
                Some(Outcome::Jammed) => RunStatus::Jammed,
                Some(Outcome::Empty) => RunStatus::Empty,
                Some(Outcome::Interrupted) | None => RunStatus::Interrupted,
            },
            time: times,
            state_hash: format!("{:016x}", self.state_hash()),
            events: EventFigures::of(
                &self.events(),
                self.s.journal.handled(),
                counts.steps - begin.steps,
                times,
            ),
            grains: self.s.traffic.figures(self.grain_count()),
            regimes: self.s.regimes.shares(),
            work: WorkFigures {
                solver: None,
                grain_steps: counts.grain_steps - begin.grain_steps,
                collisions: air.pairs + air.walls,
                stress_solves: self.s.rest.solves,
                stops: self.s.rest.thrash.stops,
                thrash: self.s.rest.thrash.short,
                grain_steps_if_all_stepped: self.s.regimes.all_steps(),
                grains_per_link_event: GrainsPerLinkEvent {
                    events: touched.count(),
                    median: touched.quantile(0.5),
                    p99: touched.quantile(0.99),
                    largest: touched.largest(),
                },
            },
            energy,
            fields: (!self.setup.place.is_none())
                .then(|| self.s.ledger.given_by_fields(&self.engine, &self.fields)),
            soft: None,
            cell: self.cell_figures(),
            discharge: (!self.setup.outlets.is_empty()).then(|| self.s.traffic.discharge_figures()),
            feeds,
            meters: self.meter_figures(),
            jam: self.s.watch.jam().cloned(),
            jams: self.s.perturb.jams.clone(),
            avalanches: self.setup.morph.map(|_| self.s.rest.avalanches),
            impacts: None,
            corrections: crate::record::corrected([
                ("collisions_beyond_tables", air.solved),
                ("collisions_followed_by_steps", air.lasting),
                ("collisions_forced", air.forced),
                ("grazing_collisions_left_out", air.grazes),
            ]),
            fills: self.setup.fills.clone(),
            warnings,
            checksums: BTreeMap::new(),
        }
    }

    /// Energies held at a time within a step of the last evaluation, J.
    pub fn energies(&self, time: f64) -> ledger::Held {
        held(&self.engine, &self.fields, time)
    }

    /// Figures of the energy book now.
    pub fn energy_figures(&self) -> crate::record::EnergyFigures {
        self.s.ledger.figures(
            &self.engine,
            &self.energies(self.engine.time()),
            self.s.rest.energy,
        )
    }
}
