//! Rows of events, series, snapshots and avalanches of a filling.

use petgraph::unionfind::UnionFind;

use super::QuasiStatic;
use crate::event::{EventKind, Regime};
use crate::geometry::three;
use crate::geometry::{Dimension, Vector};
use crate::record::{
    AvalancheRow, BodyRef, EventRow, GrainRow, GroupRow, LinkRow, SeriesRow, Sink,
};
use crate::stress::{LinkKey, LinkState, NodeKey, Relaxation, Surface};
use crate::system::nodes::COUNTS;
use crate::system::{EventLog, Rows, SystemError, models};
use crate::walls::shifts;

/// Depth of the top layer below the centre of the last grain, in radii of that grain.
const TOP_LAYER: f64 = 4.0;

impl<D: Dimension> QuasiStatic<'_, D> {
    /// Logs an event of the whole run; returns its number, 0 when events are not logged.
    pub(super) fn log(
        &mut self,
        sink: &mut dyn Sink,
        time: f64,
        kind: EventKind,
        complete: impl FnOnce(&mut EventRow),
    ) -> Result<u64, SystemError> {
        if self.setup.log.events == EventLog::None {
            return Ok(0);
        }
        let number = self.course.journal.next_number();
        let mut row = EventRow::new(number, time, kind);
        complete(&mut row);
        sink.event(&row)?;
        Ok(row.seq)
    }

    /// Logs an event of a link.
    pub(super) fn log_link(
        &mut self,
        sink: &mut dyn Sink,
        time: f64,
        kind: EventKind,
        link: LinkKey,
        energy: f64,
        cause: u64,
    ) -> Result<(), SystemError> {
        if self.setup.log.events != EventLog::Links {
            return Ok(());
        }
        let (bodies, position) = (self.bodies_of(link), three(self.packing.contact(link)));
        self.log(sink, time, kind, |row| {
            [row.body_a, row.body_b] = bodies;
            row.link = link as u64 + 1;
            row.position = position;
            row.energy = energy;
            row.cause = cause;
        })?;
        Ok(())
    }

    fn bodies_of(&self, link: LinkKey) -> [BodyRef; 2] {
        let link = &self.packing.network().links()[link];
        [self.bodies[link.a], self.bodies[link.b]]
    }

    /// Returns the displacement (m) and the rotation of a grain.
    pub(super) fn displacement(&self, node: NodeKey) -> (D::Vector, D::Spin) {
        let network = self.packing.network();
        let m = network.per_node();
        let Some(row) = network.row(node) else {
            return Default::default();
        };
        let u = &self.packing.displacements()[row * m..(row + 1) * m];
        let turn = |k| if m > D::N { u[D::N + k] } else { 0.0 };
        (D::Vector::from_fn(|k| u[k]), D::spin_from_fn(turn))
    }

    /// Returns a row of the series.
    pub(super) fn series_row(&mut self, time: f64) -> SeriesRow {
        let energy = self.energy();
        self.tally.worst = energy.balance_error_max;
        self.tally.last_row = time;
        let d = energy.dissipated;
        let grains = (self.nodes.len() - self.gone.len()) as u64;
        let links = self.packing.network().links().len();
        let mut walls = vec![[0.0; 7]; self.setup.boundaries.len()];
        let m = self.packing.network().per_node();
        for (node, body) in self.bodies.iter().enumerate() {
            let BodyRef::Boundary(wall) = body else {
                continue;
            };
            // A reaction is the force of the wall; a load is the force on the wall.
            let reaction = self.packing.reaction(node);
            let force = D::Vector::from_fn(|k| -reaction[k]);
            let index = usize::from(*wall);
            let reference = self.setup.boundaries[index].shape.reference_point();
            let arm = self.packing.network().nodes()[node].position - reference;
            let moment = D::moment(arm, force);
            debug_assert!(m <= reaction.len());
            for k in 0..D::N {
                walls[index][k] += force[k];
            }
            // In the plane the single moment is about z, the last of three.
            for k in 0..D::SPINS {
                walls[index][6 - D::SPINS + k] += D::spin_component(moment, k);
            }
        }
        let groups = self.count_groups();
        SeriesRow {
            time,
            grains,
            by_regime: [0, 0, 0, grains],
            clusters: groups.rest,
            links: (0..links)
                .filter(|&l| self.packing.stress(l).on && self.is_real(l))
                .count() as u64,
            sliding: self.sliding.len() as u64,
            discharged: 0,
            kinetic: 0.0,
            potential: energy.potential,
            elastic: energy.elastic,
            elastic_bonds: 0.0,
            dissipated: [d.damping, d.slip, d.collision, d.morph, d.breakage],
            injected: energy.injected,
            removed: energy.removed,
            balance_error: energy.balance_error,
            collisions: [0; 2],
            dissipated_at_walls: 0.0,
            groups,
            work: models::of_filling(self.tally.work).work(),
            events: self.course.journal.by_kind().to_vec(),
            walls,
            meters: Vec::new(),
            shifts: match self.walls.moves() {
                true => shifts(self.setup.boundaries.iter(), time),
                false => Vec::new(),
            },
            cell: None,
            bonds: None,
        }
    }

    /// Returns, for each node, the least grain number of its connected group, and the number of groups.
    fn groups(&self) -> (Vec<i64>, u64) {
        let network = self.packing.network();
        let count = network.nodes().len();
        // Boundaries do not connect.
        let free = |node: NodeKey| !network.nodes()[node].fixed;
        let mut joined = UnionFind::new(count);
        for link in network.links() {
            if link.state != LinkState::Off && free(link.a) && free(link.b) {
                joined.union(link.a, link.b);
            }
        }
        let of = joined.into_labeling();
        let mut names = vec![-1; count];
        let mut groups = 0;
        for &first in &self.nodes {
            if let BodyRef::Grain(id) = self.bodies[first]
                && names[of[first]] < 0
            {
                names[of[first]] = i64::from(id);
                groups += 1;
            }
        }
        let group = of.into_iter().map(|label| names[label]).collect();
        (group, groups)
    }

    /// Counts groups, after a grain was added, about as often in a run as other models do.
    pub(super) fn count_nodes(&mut self) {
        let every = self.setup.grains.len().div_ceil(COUNTS as usize);
        if !self.nodes.len().is_multiple_of(every) {
            return;
        }
        let groups = self.count_groups();
        self.tally.nodes.add(groups.rest, groups);
    }

    /// Returns the present groups: all connected grains are one.
    fn count_groups(&self) -> GroupRow {
        let (names, groups) = self.groups();
        let mut of_grains: Vec<i64> = self.nodes.iter().map(|&node| names[node]).collect();
        of_grains.sort_unstable();
        let sizes = of_grains.chunk_by(|a, b| a == b).map(<[i64]>::len);
        GroupRow {
            rest: groups,
            rigid: 0,
            largest: sizes.max().unwrap_or(0) as u64,
        }
    }

    /// Writes all grains and links.
    pub(super) fn snapshot(&self, time: f64, sink: &mut dyn Sink) -> Result<(), SystemError> {
        let (grains, links) = self.rows(time);
        Ok(sink.snapshot(&grains, &links)?)
    }

    /// Returns rows of all grains and links.
    pub(super) fn rows(&self, time: f64) -> Rows {
        let network = self.packing.network();
        let groups = self.groups().0;
        let mut force = vec![D::Vector::default(); network.nodes().len()];
        let mut moment = vec![D::Spin::default(); network.nodes().len()];
        let mut links = Vec::new();
        for (key, link) in network.links().iter().enumerate() {
            let stress = self.packing.stress(key);
            if !stress.on || !self.is_real(key) {
                continue;
            }
            let on_a = -(link.normal * stress.normal) - stress.tangential;
            force[link.a] += on_a;
            force[link.b] += -on_a;
            moment[link.a] += D::moment(link.arms[0], on_a);
            moment[link.b] += D::moment(link.arms[1], -on_a);
            let [body_a, body_b] = self.bodies_of(key);
            links.push(LinkRow {
                time,
                link: key as u64 + 1,
                body_a,
                body_b,
                point: three(self.packing.contact(key)),
                normal: three(link.normal),
                overlap: stress.overlap,
                normal_force: stress.normal,
                tangential_force: three(-stress.tangential),
                slipping: self.sliding.binary_search(&key).is_ok(),
                stable: true,
                bond: None,
            });
        }
        let mut grains = Vec::with_capacity(self.nodes.len());
        let there = |(index, _): &(usize, _)| self.is_there(*index);
        for (index, &node) in self.nodes.iter().enumerate().filter(there) {
            let grain = &self.setup.grains[index];
            let (u, turn) = self.displacement(node);
            let (rotation, _) = D::rotation_components(D::turned(grain.rotation, turn));
            let spin = |k| {
                if k < D::SPINS {
                    D::spin_component(moment[node], k)
                } else {
                    0.0
                }
            };
            grains.push(GrainRow {
                time,
                grain: grain.id,
                shape: None,
                radius: grain.radius,
                mass: grain.mass,
                material: grain.material,
                position: three(grain.position + u),
                velocity: [0.0; 3],
                rotation,
                spin: [0.0; 3],
                force: three(force[node]),
                moment: std::array::from_fn(spin),
                regime: Regime::Rigid,
                cluster: groups[node],
                group: groups[node],
                force_error: 0.0,
                fragment: grain.id,
            });
        }
        (grains, links)
    }

    /// Returns the unit vector against the sum of the loads on the grains; that of the last axis where nothing loads them.
    fn up(&self) -> D::Vector {
        let gravity = self.setup.fields.gravity;
        let down = match self.loads.are_weights() {
            true => gravity,
            false => {
                let loads = self.loads.each.iter();
                loads.fold(D::Vector::default(), |sum, load| sum + load.force)
            }
        };
        match down.norm() {
            0.0 => D::Vector::from_fn(|k| f64::from(u8::from(k + 1 == D::N))),
            size => down * (-1.0 / size),
        }
    }

    /// Records the avalanche that a grain, or a change of loads, set off, if any.
    pub(super) fn record_avalanche(
        &mut self,
        sink: &mut dyn Sink,
        time: f64,
        come: Option<(u32, NodeKey)>,
        relaxation: &Relaxation,
    ) -> Result<(), SystemError> {
        let radius = self.setup.grains[self.nodes.len() - 1].radius;
        let surface = Surface {
            up: self.up(),
            depth: TOP_LAYER * radius,
        };
        let node = come.map(|(_, node)| node);
        let found = self.packing.avalanche(relaxation, node, &surface);
        let Some(avalanche) = found else {
            return Ok(());
        };
        let mut centre = D::Vector::default();
        for &link in &avalanche.links {
            centre += self.packing.contact(link) * (1.0 / avalanche.links.len() as f64);
        }
        let row = AvalancheRow {
            avalanche: self.tally.avalanches.count,
            start: time,
            size: (avalanche.slides + avalanche.connections + avalanche.disconnections) as u64,
            slides: avalanche.slides as u64,
            breaks: avalanche.disconnections as u64,
            insertions: avalanche.connections as u64,
            rounds: relaxation.rounds as u64,
            links: avalanche.links.len() as u64,
            grains: avalanche.grains as u64,
            energy: avalanche.energy.elastic,
            energy_thesis: avalanche.energy.literal,
            extent: avalanche.extent,
            position: three(centre),
            place: avalanche.place,
            by_place: avalanche.by_place,
            trigger: come.map_or(BodyRef::None, |(grain, _)| BodyRef::Grain(grain)),
        };
        let avalanches = &mut self.tally.avalanches;
        avalanches.count += 1;
        avalanches.largest = avalanches.largest.max(row.size);
        avalanches.energy += row.energy;
        Ok(sink.avalanche(&row)?)
    }
}
