//! Batches of rounds among the links that slide now or will do so at once: the front.
//!
//! In a round only the strains of the front are brought up to date, from a table that fits a
//! cache. The other watched links follow after each batch, by the sum of its forces; if one of them
//! lost a good part of its margin, the batch is undone and made again with that link in the front.

use super::super::network::LinkKey;
use super::Packing;
use super::bond::{Bond, Fault};
use super::endless::Watch;
use super::relax::{Run, first};
use super::rules::{Handling, Reason, Rules};
use super::slide::Faults;
use crate::geometry::Dimension;
use crate::vector::{Kernel, LANES, Lanes, Level, Row, run as run_at};

/// Rounds of the first batch, in which all watched links are in the front, and of the others.
const FIRST: usize = 8;
const BATCH: usize = 32;
/// In the front is what would leave its bounds within this many batches like the last one.
const BATCHES_AHEAD: f64 = 4.0;
/// The front is made anew when it has this many times as many links as it needs.
const SPARE: f64 = 1.5;
/// Part of its margin that a link outside the front may lose in a batch, and part from which on
/// it comes into the front when others have lost more.
const LOST: f64 = 0.25;
const LOSING: f64 = 0.1;

/// Why rounds ended before all was at rest, and what the watchdog says.
pub(super) type Stop = (Option<(Reason, Vec<LinkKey>)>, Watch);

/// The links of the front and their compliances.
#[derive(Default)]
pub(super) struct Front {
    /// Places among the watched links, rising.
    places: Vec<usize>,
    /// Where in `places` a watched link is, plus one.
    index: Vec<u32>,
    /// Rows of numbers of a column.
    stride: usize,
    /// Strains of all bars of the front by columns, in the order in which they were needed.
    table: Vec<Row>,
    /// Which column of the table that of each bar across a normal is, plus one.
    slot: Vec<u32>,
    /// Changes of strain in a round.
    change: Vec<Row>,
    /// Forces of a round, by columns of the table.
    forces: Vec<(usize, f64)>,
}

impl Front {
    fn set(&mut self, wanted: &[bool], bars: usize) {
        self.places.clear();
        self.index.clear();
        for (place, &wanted) in wanted.iter().enumerate() {
            if wanted {
                self.places.push(place);
            }
            let index = if wanted { self.places.len() } else { 0 };
            self.index.push(index as u32);
        }
        self.stride = (self.places.len() * bars).div_ceil(LANES);
        self.table.clear();
        self.slot.clear();
        self.slot.resize(self.places.len() * (bars - 1), 0);
        self.change.clear();
        self.change.resize(self.stride, Row::default());
    }

    fn has(&self, place: usize) -> bool {
        self.index.get(place).is_some_and(|&index| index > 0)
    }

    /// Puts a column into the table: its strains at the bars of the front.
    fn take(&mut self, slot: usize, column: &[f64], bars: usize) {
        let start = self.table.len();
        self.table.resize(start + self.stride, Row::default());
        let rows = &mut self.table[start..];
        for (i, &place) in self.places.iter().enumerate() {
            for k in 0..bars {
                let at = i * bars + k;
                rows[at / LANES].0[at % LANES] = column[place * bars + k];
            }
        }
        self.slot[slot] = (start / self.stride + 1) as u32;
    }
}

/// Adds columns of a table times forces, four at a time.
struct Add<'a> {
    table: &'a [Row],
    stride: usize,
    forces: &'a [(usize, f64)],
    change: &'a mut [Row],
}

impl Kernel for Add<'_> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let stride = self.stride;
        let column = |&(slot, _): &(usize, f64)| &self.table[slot * stride..][..stride];
        let change = &mut self.change[..stride];
        let mut fours = self.forces.chunks_exact(4);
        for four in &mut fours {
            let [a, b, c, d] = [&four[0], &four[1], &four[2], &four[3]].map(column);
            let [e, f, g, h] = [four[0].1, four[1].1, four[2].1, four[3].1].map(L::splat);
            for i in 0..stride {
                let one = L::load(&a[i]).mul(e).add(L::load(&b[i]).mul(f));
                let two = L::load(&c[i]).mul(g).add(L::load(&d[i]).mul(h));
                L::load(&change[i]).add(one.add(two)).store(&mut change[i]);
            }
        }
        for one in fours.remainder() {
            let (a, force) = (column(one), L::splat(one.1));
            for i in 0..stride {
                L::load(&change[i])
                    .add(L::load(&a[i]).mul(force))
                    .store(&mut change[i]);
            }
        }
    }
}

/// What a batch changes, as it was.
struct Before {
    run: Run,
    settled: f64,
    bonds: Vec<Bond>,
    now: Faults,
    greatest: f64,
}

impl<D: Dimension> Packing<D> {
    /// Rounds, beginning with the slides of `now`, until there is a reason to look at all links.
    /// `now` and `greatest` are those of the last round then. Forces are added to `pending`.
    pub(super) fn rounds_near(
        &mut self,
        rules: &Rules,
        run: &mut Run,
        now: &mut Faults,
        greatest: &mut f64,
        pending: &mut [f64],
    ) -> Stop {
        let watched = self.near.links.len();
        let mut front = std::mem::take(&mut self.near.front);
        let mut wanted = vec![true; watched];
        front.set(&wanted, D::N);
        let mut margins = self.margins_near(rules);
        let mut sums = vec![0.0; pending.len()];
        let mut rounds = FIRST;
        let mut sticky = vec![false; watched];
        let stop = loop {
            let of_front = front.places.iter();
            let before = Before {
                run: run.clone(),
                settled: self.settled,
                bonds: of_front.map(|&p| self.bonds[self.near.links[p]]).collect(),
                now: now.clone(),
                greatest: *greatest,
            };
            sums.fill(0.0);
            let stop = self.batch(rules, run, &mut front, now, greatest, &mut sums, rounds);
            // The others follow.
            let rest: Vec<Bond> = self.rest_near(&front, &sums);
            let rest_margins: Vec<f64> = rest.iter().map(|bond| margin(bond, rules)).collect();
            let others: Vec<usize> = (0..watched).filter(|&place| !front.has(place)).collect();
            let others = || others.iter().copied().zip(&rest_margins);
            let kept = |place: usize, now: f64, part: f64| now >= (1.0 - part) * margins[place];
            if !others().all(|(place, &now)| kept(place, now, LOST)) {
                super::near::count(10, 1);
                for (&place, bond) in front.places.iter().zip(&before.bonds) {
                    self.bonds[self.near.links[place]] = *bond;
                }
                let columns = run.columns;
                *run = before.run;
                run.columns = columns;
                self.settled = before.settled;
                *now = before.now;
                *greatest = before.greatest;
                for (place, is) in wanted.iter_mut().enumerate() {
                    *is = front.has(place);
                }
                for (place, &now) in others() {
                    sticky[place] |= !kept(place, now, LOSING);
                    wanted[place] |= sticky[place];
                }
                front.set(&wanted, D::N);
                continue;
            }
            for ((place, _), bond) in others().zip(rest) {
                self.bonds[self.near.links[place]] = bond;
            }
            for (to, by) in pending.iter_mut().zip(&sums) {
                *to += by;
            }
            if let Some(stop) = stop {
                break stop;
            }
            let then = std::mem::replace(&mut margins, self.margins_near(rules));
            let mut count = 0;
            let mut within = true;
            for (place, is) in wanted.iter_mut().enumerate() {
                let (then, now) = (then[place], margins[place]);
                *is = sticky[place] || now == 0.0 || now < BATCHES_AHEAD * (then - now).abs();
                count += usize::from(*is);
                within &= !*is || front.has(place);
            }
            if !within || front.places.len() as f64 > SPARE * count as f64 {
                super::near::count(11, 1);
                front.set(&wanted, D::N);
            }
            rounds = BATCH;
        };
        self.near.front = front;
        stop
    }

    fn margins_near(&self, rules: &Rules) -> Vec<f64> {
        let links = self.near.links.iter();
        links.map(|&l| margin(&self.bonds[l], rules)).collect()
    }

    /// Links that are watched but not in the front, after the forces of a batch.
    fn rest_near(&self, front: &Front, sums: &[f64]) -> Vec<Bond> {
        let near = &self.near;
        if front.places.len() == near.links.len() {
            return Vec::new();
        }
        let mut change = vec![0.0; near.links.len() * D::N];
        for (column, &force) in near.columns.iter().zip(sums) {
            if force != 0.0 {
                for (change, strain) in change.iter_mut().zip(column) {
                    *change += strain * force;
                }
            }
        }
        let mut rest = Vec::with_capacity(near.links.len() - front.places.len());
        for (place, change) in change.chunks_exact(D::N).enumerate() {
            if !front.has(place) {
                let mut bond = self.bonds[near.links[place]];
                for (strain, by) in bond.strain.iter_mut().zip(change) {
                    *strain += by;
                }
                rest.push(bond);
            }
        }
        rest
    }

    /// Some rounds among the links of the front.
    #[allow(clippy::too_many_arguments)]
    fn batch(
        &mut self,
        rules: &Rules,
        run: &mut Run,
        front: &mut Front,
        now: &mut Faults,
        greatest: &mut f64,
        sums: &mut [f64],
        rounds: usize,
    ) -> Option<Stop> {
        let mut next = Faults::default();
        for _ in 0..rounds {
            super::near::count(3, 1);super::near::count(4, now.excess.len());super::near::count(5, front.places.len());super::near::count(6, front.places.len()*now.excess.len());
            if let Some(link) = self.round(rules, run, front, now, sums) {
                return Some((Some((Reason::Far, vec![link])), Watch::Going));
            }
            run.rounds += 1;
            let watch = run.watchdog.round(*greatest);
            next.clear();
            for &place in &front.places {
                let key = self.near.links[place];
                next.add(key, self.bonds[key].fault(rules));
            }
            let lists = [next.overlap, next.tension, !next.excess.is_empty()];
            let over = first(&rules.order, lists) != Some(Handling::Slide);
            if over || watch != Watch::Going {
                return Some((None, watch));
            }
            std::mem::swap(now, &mut next);
            if run.rounds >= rules.rounds {
                let links = now.excess.iter().map(|e| e.0).collect();
                return Some((Some((Reason::Rounds, links)), Watch::Going));
            }
            *greatest = now.sliding(rules);
        }
        None
    }

    /// One round: all at once, each as if it were alone. The link that slid too far, if one did.
    fn round(
        &mut self,
        rules: &Rules,
        run: &mut Run,
        front: &mut Front,
        now: &Faults,
        sums: &mut [f64],
    ) -> Option<LinkKey> {
        let mut far = None;
        let across = D::N - 1;
        front.forces.clear();
        let mut work = 0.0;
        for &(link, excess) in &now.excess {
            let Some(place) = self.near.place(link) else {
                continue;
            };
            let index = front.index[place] as usize - 1;
            let bond = &mut self.bonds[link];
            let (force, too_far) = bond.slide::<D>(link, excess, rules, run);
            if too_far {
                far = Some(link);
            }
            for k in 1..D::N {
                let column = place * across + k - 1;
                sums[column] += force[k];
                work -= force[k] * bond.strain[k];
                let slot = index * across + k - 1;
                if front.slot[slot] == 0 {
                    front.take(slot, &self.near.columns[column], D::N);
                }
                front.forces.push((front.slot[slot] as usize - 1, force[k]));
            }
        }
        front.change.fill(Row::default());
        run_at(
            Level::best(),
            Add {
                table: &front.table,
                stride: front.stride,
                forces: &front.forces,
                change: &mut front.change,
            },
        );
        for (i, &place) in front.places.iter().enumerate() {
            let strain = &mut self.bonds[self.near.links[place]].strain;
            for (k, strain) in strain[..D::N].iter_mut().enumerate() {
                let at = i * D::N + k;
                *strain += front.change[at / LANES].0[at % LANES];
            }
        }
        let mut forces = front.forces.iter();
        for &(link, _) in &now.excess {
            for k in 1..D::N {
                if let Some((_, force)) = forces.next() {
                    work += force * self.bonds[link].strain[k];
                }
            }
        }
        self.settled += 0.5 * work;
        far
    }
}

/// How far a link is within its bounds, N; 0 where something is wrong with it.
pub(super) fn margin(bond: &Bond, rules: &Rules) -> f64 {
    match bond.fault(rules) {
        Fault::None(margin) => margin,
        _ => 0.0,
    }
}

