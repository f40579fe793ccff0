//! Forces of pairs and strides, by bands and blocks: side by side where there are threads, and one after the
//! other with the same bits where there are none.
//!
//! A stride and the forces after it are one pass over the bands: while the rows of a band are in the caches its grains are moved and its
//! pairs looked at. Lists hold for as far as grains may have gone since they were filtered; whether they have gone farther is known only
//! when they have been moved. So blocks of a band in which somebody has are left, and done when the lists have been filtered anew.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::arrays::Arrays;
use super::bands::Bands;
use super::dimension::ClusterDimension;
use super::engine::Engine;
use super::filtering::Stretch;
use super::integrate::{Integrate, Moved, StepSums, Stride};
use super::kernel::{All, Block, Change, Near, Seen, Timing};
use super::lists::History;
use super::team::Team;
use crate::contact::AnyLaw;
use crate::vector::Level;

/// A band's rows, which its stride and blocks use in turn.
struct Shared<'a> {
    /// How many have had their turn.
    turn: AtomicU32,
    band: Mutex<Band<'a>>,
}

struct Band<'a> {
    rows: Moved<'a>,
    /// Whether a grain has gone farther than the lists hold for.
    beyond: bool,
}

/// A band while it is somebody's turn. The turn is over when this is dropped, even if who had it has panicked:
/// the panic goes on when all are done.
struct Held<'a, 'b> {
    turn: &'a AtomicU32,
    band: MutexGuard<'a, Band<'b>>,
}

impl<'b> Shared<'b> {
    /// Waits until so many have had their turn, and takes the band.
    fn take(&self, turn: u32) -> Held<'_, 'b> {
        // The block before takes some ten microseconds, unless its thread has lost its core to another program.
        const SPINS: u32 = 1 << 8;
        let mut spins = 0u32;
        while self.turn.load(Ordering::Acquire) != turn {
            spins += 1;
            if spins < SPINS {
                std::hint::spin_loop();
            } else {
                std::thread::yield_now();
            }
        }
        Held {
            turn: &self.turn,
            band: self.band.lock().unwrap_or_else(PoisonError::into_inner),
        }
    }
}

impl Drop for Held<'_, '_> {
    fn drop(&mut self) {
        self.turn.fetch_add(1, Ordering::Release);
    }
}

/// What a block reads, rows and spins, and what it adds to, forces and the dampers' share of them.
fn of_block<'s>(
    first: &'s mut Moved<'_>,
    second: Option<&'s mut Moved<'_>>,
) -> ([Seen<'s>; 2], [Near<'s>; 2]) {
    let mut seen = [Seen::both(first.rows), Seen::both(first.spins)];
    let onto = [&mut *first.forces, &mut *first.dampers];
    let onto = onto.map(|rows| Near::both(first.first, rows));
    let Some(second) = second else {
        return (seen, onto);
    };
    (seen[0].seconds, seen[1].seconds) = (&*second.rows, &*second.spins);
    let [forces, dampers] = onto;
    let onto = [
        forces.and(second.first, second.forces),
        dampers.and(second.first, second.dampers),
    ];
    (seen, onto)
}

/// A class of pairs to be looked at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pairs {
    pub class: usize,
    pub law: AnyLaw,
    pub timing: Timing,
}

/// A stride, and the square of the speed up to which lists hold, m^2/s^2.
type Limited = (Stride, f64);

/// What a block found.
#[derive(Clone, Debug, Default)]
struct Found {
    /// Work of tangential forces, J.
    work: f64,
    changed: Vec<Change>,
    /// Whether it was left.
    left: bool,
}

/// What a pass over the bands gave.
#[derive(Clone, Debug, Default)]
struct Passed {
    sums: StepSums,
    /// Work of tangential forces, J.
    work: f64,
    /// Blocks that were left.
    left: Vec<bool>,
}

/// What is to be done with one or two bands.
enum Job<'a, H> {
    Stride {
        limited: Limited,
        band: usize,
        active: &'a [u32],
        sums: &'a mut StepSums,
    },
    Block {
        pairs: &'a Pairs,
        bands: [usize; 2],
        turns: [u32; 2],
        stretch: Stretch<'a, H>,
        found: &'a mut Found,
    },
}

impl<H: History> Job<'_, H> {
    /// Waits for its turn and does it.
    fn work<D: Integrate<History = H>>(self, level: Level, shared: &[Shared<'_>]) {
        match self {
            Job::Stride {
                limited: (stride, limit),
                band,
                active,
                sums,
            } => {
                let mut held = shared[band].take(0);
                let Band { rows, beyond } = &mut *held.band;
                *sums = D::stride(level, rows.again(), active, stride);
                *beyond = sums.fastest > limit;
            }
            Job::Block {
                pairs: &Pairs { law, timing, .. },
                bands: [a, b],
                turns,
                stretch,
                found,
            } => {
                let mut first = shared[a].take(turns[0]);
                let mut second = (a != b).then(|| shared[b].take(turns[1]));
                let beyond = |held: &Held<'_, '_>| held.band.beyond;
                if beyond(&first) || second.as_ref().is_some_and(beyond) {
                    found.left = true;
                    return;
                }
                let second = second.as_mut().map(|held| &mut held.band.rows);
                let ([rows, spins], [forces, dampers]) = of_block(&mut first.band.rows, second);
                let block = Block {
                    batches: stretch.batches,
                    history: stretch.history,
                    memory: stretch.memory,
                    flags: stretch.flags,
                    changed: &mut found.changed,
                    forces,
                    dampers,
                };
                found.work = D::pair_forces(level, law, rows, spins, block, timing, None);
            }
        }
    }
}

/// All bands of these rows, nobody at any yet.
fn shared<'a, D: ClusterDimension>(bands: &Bands, arrays: &'a mut Arrays<D>) -> Vec<Shared<'a>> {
    let columns = [
        &mut arrays.rows,
        &mut arrays.state,
        &mut arrays.forces,
        &mut arrays.spins,
        &mut arrays.previous,
        &mut arrays.dampers,
    ];
    let mut columns = columns.map(|column| bands.split(column).into_iter());
    let mut next = || {
        let [(first, rows), rest @ ..] = columns
            .each_mut()
            .map(|column| column.next().unwrap_or_default());
        let [state, forces, spins, previous, dampers] = rest.map(|(_, rows)| rows);
        let rows = Moved {
            first,
            rows,
            state,
            forces,
            spins,
            previous,
            dampers,
        };
        Shared {
            turn: AtomicU32::new(0),
            band: Mutex::new(Band {
                rows,
                beyond: false,
            }),
        }
    };
    (0..bands.count()).map(|_| next()).collect()
}

impl<D: Integrate> Engine<D> {
    /// Chooses how many threads of the caller's pool share the work of a step in large systems; results do not
    /// depend on it.
    pub fn set_threads(&mut self, threads: usize) {
        self.team = Team::new(threads);
    }

    /// Forces of a class of pairs of balls; gives the work of tangential forces, J.
    pub(super) fn pair_forces(&mut self, pairs: Pairs) -> f64 {
        // Sums of stresses are of all pairs in one order.
        if self.state.bands.count() > 1 && self.cell_sums.is_none() {
            return self.by_bands(None, Some((pairs, None))).work;
        }
        let Pairs { class, law, timing } = pairs;
        let arrays = &mut self.state.arrays;
        let lists = &mut self.state.pairs[class].lists;
        let (rows, spins) = (Seen::both(&arrays.rows), Seen::both(&arrays.spins));
        let block = Block {
            batches: &lists.batches,
            history: &mut lists.history,
            memory: &mut lists.memory,
            flags: &mut lists.flags,
            changed: &mut self.changed,
            forces: All(&mut arrays.forces),
            dampers: All(&mut arrays.dampers),
        };
        let sums = self.cell_sums.as_deref_mut();
        D::pair_forces(self.level, law, rows, spins, block, timing, sums)
    }

    /// A stride, and the forces of a class of pairs after it, in one pass; books what the stride did. Gives the work of tangential
    /// forces, J.
    pub(super) fn stride_and_pairs(&mut self, stride: Stride, pairs: Pairs, time: f64) -> f64 {
        let margin = self.options.inner_margin;
        let left = (0.5 * margin - self.state.inner_way) / stride.step;
        let limit = left.max(0.0).powi(2);
        let passed = self.by_bands(Some((stride, limit)), Some((pairs, None)));
        self.book_stride(passed.sums);
        self.count_way();
        if 2.0 * self.state.inner_way <= margin && !passed.left.contains(&true) {
            return passed.work;
        }
        self.note_pairs(pairs.class, time);
        self.changed.clear();
        self.filter();
        self.keep_springs(pairs.class);
        let rest = self.by_bands(None, Some((pairs, Some(passed.left))));
        passed.work + rest.work
    }

    /// Runs the kernel of the plain stride on the present forces.
    pub(super) fn stride(&mut self, stride: Stride) -> StepSums {
        if self.state.bands.count() > 1 && self.state.in_order {
            return self.by_bands(Some((stride, f64::INFINITY)), None).sums;
        }
        let arrays = &mut self.state.arrays;
        let moved = Moved {
            first: 0,
            rows: &mut arrays.rows,
            state: &mut arrays.state,
            forces: &mut arrays.forces,
            spins: &mut arrays.spins,
            previous: &mut arrays.previous,
            dampers: &mut arrays.dampers,
        };
        D::stride(self.level, moved, &self.state.active, stride)
    }

    /// A pass over the bands: a stride, blocks of pairs, or each band's stride and then its blocks. Of blocks only those that were left
    /// before, where that is given.
    fn by_bands(
        &mut self,
        stride: Option<Limited>,
        pairs: Option<(Pairs, Option<Vec<bool>>)>,
    ) -> Passed {
        let (level, team) = (self.level, self.team);
        // Strides are a band ahead of blocks where threads would wait for one.
        let ahead = usize::from(team.is_of_many());
        let state = &mut self.state;
        let bands = &state.bands;
        let count = bands.count();
        let shared = shared(bands, &mut state.arrays);
        let mut sums = vec![StepSums::default(); count];
        let mut jobs = Vec::new();
        let mut turns = vec![u32::from(stride.is_some()); count];
        let strides = stride.map(|limited| {
            let dealt = bands.deal(&state.active).into_iter().zip(&mut sums);
            let of = move |(band, (active, sums))| Job::Stride {
                limited,
                band,
                active,
                sums,
            };
            dealt.enumerate().map(of)
        });
        let mut strides = strides.into_iter().flatten();
        let mut found = Vec::new();
        let mut ends = &[][..];
        if let Some((pairs, only)) = &pairs {
            let class = &mut state.pairs[pairs.class];
            ends = &class.blocks;
            found = vec![Found::default(); ends.len()];
            let stretches = class.lists.stretches(ends);
            let mut begun = 0;
            for (k, (stretch, found)) in stretches.into_iter().zip(&mut found).enumerate() {
                if only.as_ref().is_some_and(|only| !only[k]) {
                    continue;
                }
                let bands @ [a, b] = ends[k].bands.map(usize::from);
                let due = (a.max(b) + 1 + ahead).saturating_sub(begun);
                jobs.extend(strides.by_ref().take(due));
                begun += due;
                jobs.push(Job::Block {
                    pairs,
                    bands,
                    turns: [turns[a], turns[b]],
                    stretch,
                    found,
                });
                turns[a] += 1;
                turns[b] += u32::from(a != b);
            }
        }
        jobs.extend(strides);
        team.each(jobs, |job: Job<'_, D::History>| {
            job.work::<D>(level, &shared)
        });
        let mut passed = Passed {
            sums: sums.into_iter().reduce(StepSums::and).unwrap_or_default(),
            ..Passed::default()
        };
        let mut start = 0;
        for (found, end) in found.into_iter().zip(ends) {
            passed.work += found.work;
            passed.left.push(found.left);
            let numbered = found.changed.into_iter().map(|change| Change {
                batch: change.batch + start,
                ..change
            });
            self.changed.extend(numbered);
            start = end.batches;
        }
        passed
    }
}
