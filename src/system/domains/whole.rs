//! Data of all ranks together: sums for the series, rows for snapshots, and the whole system on rank 0.

use std::collections::BTreeMap;

use petgraph::unionfind::UnionFind;
use serde::{Deserialize, Serialize};

use super::Domains;
use super::cut::Cut;
use super::exchange::{of_bytes, to_bytes};
use crate::body::GrainId;
use crate::cluster;
use crate::cluster::integrate::Integrate;
use crate::cluster::{Counts, Flows};
use crate::event::Regime;
use crate::ranks::{RankError, Ranks, Source, Tag};
use crate::record::{BodyRef, GrainRow, LinkRow, SeriesRow};
use crate::system::driver::System;
use crate::system::jam_watch::Places;
use crate::system::ledger::{self, Held, Ledger};
use crate::system::regime_time::RegimeTime;
use crate::system::traffic::Traffic;
use crate::system::{Rows, SystemError, logging, models, snapshot};
use crate::walls::shifts;

const ROWS: Tag = Tag::new(44);

/// Quantities that add up over ranks.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Share {
    ledger: Ledger,
    held: Held,
    /// Flows up to now, and as the engine keeps them.
    flows: [Flows; 2],
    counts: Counts,
    morph: f64,
    walls: Vec<[f64; 7]>,
    by_kind: Vec<u64>,
    /// Numbers of grains stepped and at rest; numbers of links and of sliding links, twice.
    numbers: [u64; 4],
    traffic: Traffic,
    /// Number of stops, and of those that lasted no longer than a dwell.
    stops: [u64; 2],
    /// Positions of the grains at the first calm jam check.
    places: Places,
    regimes: RegimeTime,
    rounding: [f64; 3],
    clusters: Components,
}

/// Clusters of a rank: their number, and the grains of those that may extend to other ranks.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Components {
    count: u64,
    /// Grains of each of these that another rank has too.
    across: Vec<Vec<GrainId>>,
}

/// Returns the number of clusters of all ranks: clusters that share a grain are one.
fn joined(all: &[Components]) -> u64 {
    let sets: Vec<&Vec<GrainId>> = all.iter().flat_map(|part| &part.across).collect();
    let mut one = UnionFind::<usize>::new(sets.len());
    let mut first: BTreeMap<GrainId, usize> = BTreeMap::new();
    let mut joins = 0;
    for (set, grains) in sets.iter().enumerate() {
        for grain in *grains {
            joins += u64::from(one.union(*first.entry(*grain).or_insert(set), set));
        }
    }
    all.iter().map(|part| part.count).sum::<u64>() - joins
}

fn add_flows(to: &mut Flows, by: &Flows) {
    to.damping += by.damping;
    to.friction += by.friction;
    to.collision += by.collision;
    to.walls += by.walls;
    to.met += by.met;
    for (to, by) in to.last.iter_mut().zip(by.last) {
        *to += by;
    }
    to.fields.add(1.0, &by.fields);
    to.last_fields.add(1.0, &by.last_fields);
}

fn add_held(to: &mut Held, by: &Held) {
    to.kinetic += by.kinetic;
    to.potential += by.potential;
    to.elastic += by.elastic;
    to.carried += by.carried;
    to.size += by.size;
    for (to, by) in to.moment.iter_mut().zip(by.moment) {
        *to += by;
    }
}

/// Adds all counts but steps, rebuilds and filterings, which ranks make together.
fn add_counts(to: &mut Counts, by: &Counts) {
    to.grain_steps += by.grain_steps;
    to.opened += by.opened;
    to.closed += by.closed;
    to.slipped += by.slipped;
    to.gripped += by.gripped;
    to.stabilized += by.stabilized;
}

fn add_ledger(to: &mut Ledger, by: &Ledger) {
    add_held(&mut to.start, &by.start);
    add_flows(&mut to.flows_at_start, &by.flows_at_start);
    to.morph_at_start += by.morph_at_start;
    add_counts(&mut to.counts_at_start, &by.counts_at_start);
    to.fed += by.fed;
    to.fed_potential += by.fed_potential;
    to.removed += by.removed;
    to.removed_potential += by.removed_potential;
    to.removed_tangential += by.removed_tangential;
    to.perturbed += by.perturbed;
    to.removed_size += by.removed_size;
}

impl Share {
    fn add(&mut self, by: &Share) {
        add_ledger(&mut self.ledger, &by.ledger);
        add_held(&mut self.held, &by.held);
        for (to, by) in self.flows.iter_mut().zip(&by.flows) {
            add_flows(to, by);
        }
        add_counts(&mut self.counts, &by.counts);
        self.morph += by.morph;
        let walls = self.walls.iter_mut().flatten();
        walls
            .zip(by.walls.iter().flatten())
            .for_each(|(to, by)| *to += by);
        let kinds = self.by_kind.iter_mut().zip(&by.by_kind);
        kinds.for_each(|(to, by)| *to += by);
        for (to, by) in self.numbers.iter_mut().zip(by.numbers) {
            *to += by;
        }
        self.traffic.add(&by.traffic);
        self.places.extend_from_slice(&by.places);
        for (to, by) in self.stops.iter_mut().zip(by.stops) {
            *to += by;
        }
        self.regimes.add(&by.regimes);
        for (to, by) in self.rounding.iter_mut().zip(by.rounding) {
            *to += by;
        }
    }
}

impl<D: Integrate> Domains<'_, D> {
    fn share(&mut self, time: f64) -> Share {
        self.system.account(time);
        let clusters = self.components();
        let system = &self.system;
        let (dem, s) = (&system.dem, &system.s);
        let held = ledger::held(&dem.world, &system.fields, time);
        let mut links = [0; 2];
        cluster::observe::each_contact(&dem.world, |link| {
            let halves = if cluster::border::share_of(&dem.world.grains, &link) == 1.0 {
                2
            } else {
                1
            };
            links[0] += halves;
            links[1] += if link.slipping { halves } else { 0 };
        });
        Share {
            ledger: s.ledger,
            held,
            flows: [ledger::passed(dem), dem.book.flows],
            counts: dem.book.counts,
            morph: s.rest.energy,
            walls: dem.book.wall_sums.clone(),
            by_kind: s.journal.by_kind().to_vec(),
            numbers: [
                dem.world.grains.active.len() as u64,
                dem.world.sleeping.still.count as u64,
                links[0],
                links[1],
            ],
            traffic: s.traffic.clone(),
            stops: [s.rest.thrash.stops, s.rest.thrash.short],
            places: s.watch.places().clone(),
            regimes: s.regimes,
            rounding: ledger::rounding(&dem.world),
            clusters,
        }
    }

    fn components(&mut self) -> Components {
        let dem = &mut self.system.dem;
        cluster::change::find_splits(
            &dem.world.grains,
            &dem.world.contacts,
            &dem.world.sleeping,
            &mut dem.clusters,
        );
        let dem = &self.system.dem;
        let arrays = &dem.world.grains.arrays;
        let mut own: BTreeMap<u32, Vec<GrainId>> = BTreeMap::new();
        for slot in dem.world.grains.own() {
            own.entry(dem.clusters.cluster_of(slot)).or_default();
        }
        let count = own.len() as u64;
        let mut across: Vec<u32> = self
            .near
            .iter()
            .flat_map(|near| &near.images)
            .copied()
            .collect();
        across.extend(self.near.iter().flat_map(|near| &near.ghosts));
        across.sort_unstable();
        across.dedup();
        for slot in across {
            // A ghost that touches no own grain is in a cluster of its own.
            if let Some(grains) = own.get_mut(&dem.clusters.cluster_of(slot)) {
                grains.push(arrays.id[slot as usize]);
            }
        }
        let across = own.into_values().filter(|grains| !grains.is_empty());
        Components {
            count,
            across: across.collect(),
        }
    }

    /// Returns the shares of all ranks, on rank 0.
    fn shares(&mut self, time: f64) -> Result<Option<Vec<Share>>, SystemError> {
        let own = self.share(time);
        let ranks = self.ranks;
        let others = to_rank_0(ranks, &own)?;
        Ok(others.map(|others| {
            let mut all = vec![own];
            all.extend(others);
            all
        }))
    }

    /// Returns a row of the series, on rank 0.
    pub(super) fn series_row(&mut self, time: f64) -> Result<Option<SeriesRow>, SystemError> {
        let shares = self.shares(time)?;
        let system = &mut self.system;
        let steps = system.s.last_row.row(time, system.dem.world.clock.n);
        let lasted = steps as f64 * system.dem.world.clock.step;
        for wall in &mut system.dem.book.wall_sums {
            wall[..6].fill(0.0);
        }
        let Some(shares) = shares else {
            return Ok(None);
        };
        let parts: Vec<Components> = shares.iter().map(|share| share.clusters.clone()).collect();
        let clusters = joined(&parts);
        let mut shares = shares.into_iter();
        let Some(mut sum) = shares.next() else {
            return Ok(None);
        };
        shares.for_each(|share| sum.add(&share));
        let dem = &system.dem;
        let figures = sum.ledger.figures_of(
            &dem.world,
            &sum.held,
            &sum.flows[0],
            0.0,
            sum.morph,
            sum.rounding,
        );
        system.s.ledger.worst = figures.balance_error_max;
        let mean = |force: f64| {
            if lasted > 0.0 {
                0.0 - force / lasted
            } else {
                0.0
            }
        };
        let walls = sum.walls.iter().map(|w| {
            let [fx, fy, fz, mx, my, mz, work] = *w;
            let [fx, fy, fz, mx, my, mz] = [fx, fy, fz, mx, my, mz].map(mean);
            [fx, fy, fz, mx, my, mz, work]
        });
        let [stepped, still, links, sliding] = sum.numbers;
        let d = figures.dissipated;
        let steps = sum.counts.grain_steps - sum.ledger.counts_at_start.grain_steps;
        let mut row = SeriesRow {
            time,
            grains: stepped + still,
            by_regime: [0, stepped, still, 0],
            clusters,
            links: links / 2,
            sliding: sliding / 2,
            discharged: sum.traffic.discharged(),
            kinetic: figures.kinetic,
            potential: figures.potential,
            elastic: figures.elastic,
            elastic_bonds: figures.elastic_bonds,
            dissipated: [d.damping, d.slip, d.collision, d.morph, d.breakage],
            injected: figures.injected,
            removed: figures.removed,
            balance_error: figures.balance_error,
            // Groups at rest that lie on several ranks are not assembled.
            work: models::of_steps::<D>(steps).work(),
            walls: walls.collect(),
            shifts: shifts(
                dem.world.walls.boundaries.iter().map(|wall| &wall.boundary),
                time,
            ),
            ..SeriesRow::default()
        };
        row.events = logging::events_of(&sum.by_kind, &sum.counts, &sum.ledger);
        Ok(Some(row))
    }

    /// Returns rows of all grains and links, on rank 0.
    pub(super) fn snapshot(&mut self, time: f64) -> Result<Option<Rows>, SystemError> {
        let grains = snapshot::grain_rows(
            &mut self.system.dem,
            &self.system.fields,
            &self.system.s.watch,
            &self.system.s.rest,
            time,
        );
        let mut links = snapshot::link_rows(&self.system.dem.world, &self.system.s.journal, time);
        // The rank of its first grain reports a link across a border.
        let own: Vec<GrainId> = grains.iter().map(|row| row.grain).collect();
        links.retain(|row| match row.body_a {
            BodyRef::Grain(id) => own.binary_search(&id).is_ok(),
            _ => true,
        });
        let rows = (grains, links);
        let Some(others) = to_rank_0(self.ranks, &rows)? else {
            return Ok(None);
        };
        let (mut grains, mut links) = rows;
        for (more, between) in others {
            grains.extend(more);
            links.extend(between);
        }
        grains.sort_unstable_by_key(|row| row.grain);
        links.sort_by_key(|row| (row.body_a.code(), row.body_b.code()));
        let clusters = named_by_least(&grains, &links, |row| row.regime != Regime::Flight);
        let stands = |row: &GrainRow| matches!(row.regime, Regime::Rest | Regime::Rigid);
        let groups = named_by_least(&grains, &links, stands);
        for (row, (cluster, group)) in grains.iter_mut().zip(clusters.into_iter().zip(groups)) {
            row.cluster = cluster.unwrap_or(-1);
            row.group = group.unwrap_or(-1);
        }
        Ok(Some((grains, links)))
    }

    /// Gathers all grains and all sums on rank 0, whose system then is complete again.
    pub(super) fn gather(mut self) -> Result<Option<System<D>>, SystemError> {
        self.all_well()?;
        let time = self.system.dem.world.clock.time();
        let shares = self.shares(time)?;
        self.system.dem.border.keep_places();
        self.cut = Cut::none(self.cut.domains(), &self.system.setup.space.periodic);
        self.renew()?;
        let mut system = self.system;
        let Some(shares) = shares else {
            return Ok(None);
        };
        let mut shares = shares.into_iter();
        let Some(mut sum) = shares.next() else {
            return Ok(None);
        };
        shares.for_each(|share| sum.add(&share));
        system.dem.border.unshare();
        let (state, s) = (&mut system.dem.book, &mut system.s);
        state.flows = sum.flows[1];
        let counts = state.counts;
        state.counts = Counts {
            steps: counts.steps,
            renewals: counts.renewals,
            filterings: counts.filterings,
            ..sum.counts
        };
        state.wall_sums = sum.walls;
        s.ledger = sum.ledger;
        s.rest.energy = sum.morph;
        [s.rest.thrash.stops, s.rest.thrash.short] = sum.stops;
        s.traffic = sum.traffic;
        s.watch.gather(sum.places);
        s.journal.gather(sum.by_kind);
        s.regimes = sum.regimes;
        Ok(Some(system))
    }
}

/// Sends the values of the other ranks to rank 0; returns them there, by rank.
fn to_rank_0<T: Serialize + serde::de::DeserializeOwned>(
    ranks: &dyn Ranks,
    own: &T,
) -> Result<Option<Vec<T>>, RankError> {
    if ranks.rank() > 0 {
        ranks.send(0, ROWS, &to_bytes(own))?;
        return Ok(None);
    }
    let others = 1..ranks.size();
    let came = others.map(|rank| of_bytes(rank, &ranks.receive(Source::Rank(rank), ROWS)?.bytes));
    came.collect::<Result<_, _>>().map(Some)
}

/// Returns, for each selected grain, the least number of the selected grains to which links among these connect it; `None` for the other
/// grains. Grains ascend.
fn named_by_least(
    grains: &[GrainRow],
    links: &[LinkRow],
    is_of_them: impl Fn(&GrainRow) -> bool,
) -> Vec<Option<i64>> {
    let ids: Vec<GrainId> = grains.iter().map(|row| row.grain).collect();
    let mut one = UnionFind::<usize>::new(ids.len());
    for link in links {
        if let (BodyRef::Grain(a), BodyRef::Grain(b)) = (link.body_a, link.body_b)
            && let (Ok(a), Ok(b)) = (ids.binary_search(&a), ids.binary_search(&b))
            && [a, b].iter().all(|&index| is_of_them(&grains[index]))
        {
            one.union(a, b);
        }
    }
    let mut least: Vec<Option<GrainId>> = vec![None; ids.len()];
    let roots = one.into_labeling().into_iter().enumerate();
    let name = |(index, root): (usize, usize)| {
        let name = i64::from(*least[root].get_or_insert(ids[index]));
        is_of_them(&grains[index]).then_some(name)
    };
    roots.map(name).collect()
}
