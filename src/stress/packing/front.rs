//! Batches of rounds among the links that slide now or soon: the front.
//!
//! A round updates only the strains of the front, from a table that fits into the cache. The other
//! watched links are updated after each batch, by the sum of its forces; if one of them loses a
//! large fraction of its margin, the batch is undone and repeated with that link in the front.

use super::super::network::LinkKey;
use super::Packing;
use super::bond::{Bond, Fault};
use super::endless::{Watch, Watchdog};
use super::relax::{Run, first};
use super::rules::{Handling, Reason, Rules, Slid};
use super::slide::Faults;
use crate::geometry::Dimension;
use crate::vector::{Kernel, LANES, Lanes, Level, Row, run as run_at};

/// Number of rounds in the first batch, in which all watched links are in the front, and in the others.
const FIRST: usize = 8;
const BATCH: usize = 32;
/// The front contains the links that would leave their bounds within this many batches like the last.
const BATCHES_AHEAD: f64 = 4.0;
/// The front is rebuilt if it has more than this many times the links that it needs.
const SPARE: f64 = 1.5;
/// Fraction of its margin that a link outside the front may lose in a batch, and the fraction above
/// which it joins the front when others have lost more.
const LOST: f64 = 0.25;
const LOSING: f64 = 0.1;

/// Why rounds ended before all links came to rest, and the result of the watchdog.
pub(super) type Stop = (Option<(Reason, Vec<LinkKey>)>, Watch);

/// A link of the front, and its slides in a batch.
struct Cell {
    bond: Bond,
    link: LinkKey,
    slid: Slid,
    /// Slide distance so far in the iteration, m.
    path: f64,
    /// Sums of its tangential forces, N.
    sums: [f64; 3],
}

/// The links of the front and their compliances.
#[derive(Default)]
pub(super) struct Front {
    cells: Vec<Cell>,
    /// Positions among the watched links, ascending.
    places: Vec<usize>,
    /// Position in `places` of each watched link, plus one.
    index: Vec<u32>,
    /// Number of rows of a column.
    stride: usize,
    /// Strains of all bars of the front by columns, in the order of first use.
    table: Vec<Row>,
    /// Column of the table of each tangential bar, plus one.
    slot: Vec<u32>,
    /// Changes of strain in a round.
    change: Vec<Row>,
    /// Forces of a round, by column of the table.
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

    /// Adds a column to the table: its strains at the bars of the front.
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

/// Adds columns of a table times forces in groups of four; two groups at a time, where possible, save a pass of the sums through memory.
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
        let mut eights = self.forces.chunks_exact(8);
        for eight in &mut eights {
            let [a, b, c, d, e, f, g, h] = std::array::from_fn(|k| column(&eight[k]));
            let by: [L; 8] = std::array::from_fn(|k| L::splat(eight[k].1));
            for i in 0..stride {
                let one = L::load(&a[i]).mul(by[0]).add(L::load(&b[i]).mul(by[1]));
                let two = L::load(&c[i]).mul(by[2]).add(L::load(&d[i]).mul(by[3]));
                let three = L::load(&e[i]).mul(by[4]).add(L::load(&f[i]).mul(by[5]));
                let four = L::load(&g[i]).mul(by[6]).add(L::load(&h[i]).mul(by[7]));
                let half = L::load(&change[i]).add(one.add(two));
                half.add(three.add(four)).store(&mut change[i]);
            }
        }
        let mut fours = eights.remainder().chunks_exact(4);
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

/// A batch of rounds that may have to be undone.
#[derive(Clone)]
struct Batch {
    rounds: usize,
    watchdog: Watchdog,
    /// Links that slide next, and the greatest excess.
    now: Faults,
    greatest: f64,
    /// Twice the work of the forces over the strains, J.
    work: f64,
}

/// Performs rounds, beginning with the slides of `now`, until all links have to be checked. `now`
/// and `greatest` then are those of the last round. Forces are added to `pending`.
pub(super) fn rounds_near<D: Dimension>(
    packing: &mut Packing<D>,
    rules: &Rules,
    run: &mut Run<'_>,
    now: &mut Faults,
    greatest: &mut f64,
    pending: &mut [f64],
) -> Stop {
    let watched = packing.near.links.len();
    let mut front = std::mem::take(&mut packing.near.front);
    let mut wanted = vec![true; watched];
    front.set(&wanted, D::N);
    let mut margins = margins_near(packing, rules);
    let mut batch = Batch {
        rounds: run.rounds,
        watchdog: run.watchdog.clone(),
        now: std::mem::take(now),
        greatest: *greatest,
        work: 0.0,
    };
    let mut most = FIRST;
    let stop = loop {
        let before = batch.clone();
        enter(packing, run, &mut front, &mut batch);
        let stop = self::batch(packing, rules, &mut front, &mut batch, most);
        // Updates the other watched links.
        let rest = rest_near(packing, &front);
        let rest_margins: Vec<f64> = rest.iter().map(|bond| margin::<D>(bond, rules)).collect();
        let others: Vec<usize> = (0..watched).filter(|&place| !front.has(place)).collect();
        let others = || others.iter().copied().zip(&rest_margins);
        let kept = |place: usize, now: f64, part: f64| now >= (1.0 - part) * margins[place];
        if !others().all(|(place, &now)| kept(place, now, LOST)) {
            batch = before;
            for (place, is) in wanted.iter_mut().enumerate() {
                *is = front.has(place);
            }
            for (place, &now) in others() {
                wanted[place] |= !kept(place, now, LOSING);
            }
            front.set(&wanted, D::N);
            continue;
        }
        for ((place, _), bond) in others().zip(rest) {
            packing.bonds[packing.near.links[place]] = bond;
        }
        leave(packing, run, &front, &mut batch, pending);
        if let Some(stop) = stop {
            break stop;
        }
        let then = std::mem::replace(&mut margins, margins_near(packing, rules));
        let mut count = 0;
        let mut within = true;
        for (place, is) in wanted.iter_mut().enumerate() {
            let (then, now) = (then[place], margins[place]);
            *is = now == 0.0 || now < BATCHES_AHEAD * (then - now).abs();
            count += usize::from(*is);
            within &= !*is || front.has(place);
        }
        if !within || front.places.len() as f64 > SPARE * count as f64 {
            front.set(&wanted, D::N);
        }
        most = BATCH;
    };
    packing.near.front = front;
    *now = batch.now;
    *greatest = batch.greatest;
    stop
}

/// Copies the links of the front.
fn enter<D: Dimension>(packing: &Packing<D>, run: &Run<'_>, front: &mut Front, batch: &mut Batch) {
    front.cells.clear();
    for &place in &front.places {
        let link = packing.near.links[place];
        front.cells.push(Cell {
            bond: packing.bonds[link],
            link,
            slid: Slid::none(link),
            path: run.path(link),
            sums: [0.0; 3],
        });
    }
    // Within a batch, links are identified by their index in the front.
    for (link, _) in &mut batch.now.excess {
        let index = packing
            .near
            .place(*link)
            .map_or(0, |place| front.index[place]);
        *link = (index as usize).saturating_sub(1);
    }
}

/// Applies the results of a batch to the packing.
fn leave<D: Dimension>(
    packing: &mut Packing<D>,
    run: &mut Run<'_>,
    front: &Front,
    batch: &mut Batch,
    pending: &mut [f64],
) {
    for (cell, &place) in front.cells.iter().zip(&front.places) {
        packing.bonds[cell.link] = cell.bond;
        if cell.slid.times > 0 {
            run.slid(&cell.slid);
        }
        for k in 1..D::N {
            pending[place * (D::N - 1) + k - 1] += cell.sums[k];
        }
    }
    for (link, _) in &mut batch.now.excess {
        *link = front.cells[*link].link;
    }
    run.rounds = batch.rounds;
    run.watchdog = batch.watchdog.clone();
    packing.settled += 0.5 * std::mem::take(&mut batch.work);
}

fn margins_near<D: Dimension>(packing: &Packing<D>, rules: &Rules) -> Vec<f64> {
    let links = packing.near.links.iter();
    links
        .map(|&l| margin::<D>(&packing.bonds[l], rules))
        .collect()
}

/// The watched links outside the front, after the forces of a batch.
fn rest_near<D: Dimension>(packing: &Packing<D>, front: &Front) -> Vec<Bond> {
    let near = &packing.near;
    if front.places.len() == near.links.len() {
        return Vec::new();
    }
    let mut change = vec![0.0; near.links.len() * D::N];
    for (cell, &place) in front.cells.iter().zip(&front.places) {
        for k in 1..D::N {
            let force = cell.sums[k];
            if force != 0.0 {
                let column = &near.columns[place * (D::N - 1) + k - 1];
                for (change, strain) in change.iter_mut().zip(column) {
                    *change += strain * force;
                }
            }
        }
    }
    let mut rest = Vec::with_capacity(near.links.len() - front.places.len());
    for (place, change) in change.chunks_exact(D::N).enumerate() {
        if !front.has(place) {
            let mut bond = packing.bonds[near.links[place]];
            for (strain, by) in bond.strain.iter_mut().zip(change) {
                *strain += by;
            }
            rest.push(bond);
        }
    }
    rest
}

/// Performs some rounds among the links of the front.
fn batch<D: Dimension>(
    packing: &Packing<D>,
    rules: &Rules,
    front: &mut Front,
    batch: &mut Batch,
    most: usize,
) -> Option<Stop> {
    let mut next = Faults::default();
    for _ in 0..most {
        next.clear();
        if let Some(link) = round(packing, rules, front, batch, &mut next) {
            return Some((Some((Reason::Far, vec![link])), Watch::Going));
        }
        batch.rounds += 1;
        let watch = batch.watchdog.round(batch.greatest);
        let lists = [next.overlap, next.tension, !next.excess.is_empty()];
        let over = first(&rules.order, lists) != Some(Handling::Slide);
        if over || watch != Watch::Going {
            return Some((None, watch));
        }
        std::mem::swap(&mut batch.now, &mut next);
        if batch.rounds >= rules.rounds {
            let links = batch.now.excess.iter().map(|e| front.cells[e.0].link);
            return Some((Some((Reason::Rounds, links.collect())), Watch::Going));
        }
        batch.greatest = batch.now.sliding(rules);
    }
    None
}

/// Performs one round: all slides at once, each as if it were alone; then finds the violations.
/// Returns a link that slid too far, if any.
fn round<D: Dimension>(
    packing: &Packing<D>,
    rules: &Rules,
    front: &mut Front,
    batch: &mut Batch,
    next: &mut Faults,
) -> Option<LinkKey> {
    let mut far = None;
    let across = D::N - 1;
    front.forces.clear();
    let mut work = 0.0;
    for &(index, excess) in &batch.now.excess {
        let cell = &mut front.cells[index];
        let slide = cell.bond.slide::<D>(excess);
        cell.path += slide.step;
        cell.slid.add(&slide, batch.rounds);
        if cell.path > rules.small * cell.bond.radius {
            far = Some(cell.link);
        }
        for k in 1..D::N {
            cell.sums[k] += slide.force[k];
            work -= slide.force[k] * cell.bond.strain[k];
        }
        for k in 1..D::N {
            let force = slide.force[k];
            let slot = index * across + k - 1;
            if front.slot[slot] == 0 {
                let column = front.places[index] * across + k - 1;
                front.take(slot, &packing.near.columns[column], D::N);
            }
            front.forces.push((front.slot[slot] as usize - 1, force));
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
    for (index, cell) in front.cells.iter_mut().enumerate() {
        for (k, strain) in cell.bond.strain[..D::N].iter_mut().enumerate() {
            let at = index * D::N + k;
            *strain += front.change[at / LANES].0[at % LANES];
        }
        next.add(index, cell.bond.fault::<D>(rules));
    }
    let mut forces = front.forces.iter();
    for &(index, _) in &batch.now.excess {
        for k in 1..D::N {
            if let Some((_, force)) = forces.next() {
                work += force * front.cells[index].bond.strain[k];
            }
        }
    }
    batch.work += work;
    far
}

/// Margin of a link within its bounds, N; 0 for a violation.
pub(super) fn margin<D: Dimension>(bond: &Bond, rules: &Rules) -> f64 {
    match bond.fault::<D>(rules) {
        Fault::None(margin) => margin,
        _ => 0.0,
    }
}
