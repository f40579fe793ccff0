//! Forces of pairs and strides, by bands and blocks: side by side where there are threads, and one after the
//! other with the same bits where there are none.
//!
//! Forces and the stride after them are one pass over the bands: when the last block of a band is done its grains go on at once, while
//! their rows are in the caches. Their forces are then never anywhere else: they lie in rows that bands use in turn. What walls do is
//! known before the pass.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::arrays::Arrays;
use super::bands::{AHEAD, Bands, BlockEnd, order_of};
use super::dimension::ClusterDimension;
use super::engine::Engine;
use super::filtering::Stretch;
use super::integrate::{Integrate, Moved, StepSums, Stride};
use super::kernel::{All, Block, Change, Near, Seen, Timing};
use super::lists::History;
use super::team::Team;
use crate::contact::AnyLaw;
use crate::vector::{Level, Row};

/// A band's rows, which its stride and blocks use in turn.
struct Shared<'a> {
    /// How many have had their turn.
    turn: AtomicU32,
    band: Mutex<Band<'a>>,
}

struct Band<'a> {
    rows: Moved<'a>,
    /// Slots that walls may push, and those on the rim, ascending.
    at_walls: &'a [u32],
    rim: &'a [u32],
    /// Where forces are added up in a pass after which nobody needs them.
    passing: Option<Passing>,
}

/// Rows of forces, and of the dampers' share, that a band has until its stride; all zero before and after that.
#[derive(Clone, Debug, Default)]
pub(super) struct Passing {
    forces: Vec<Row>,
    dampers: Vec<Row>,
}

impl Band<'_> {
    /// Its rows, with the forces where they are added up.
    fn moved(&mut self) -> Moved<'_> {
        let mut moved = self.rows.again();
        if let Some(passing) = &mut self.passing {
            moved.forces = &mut passing.forces[..moved.rows.len()];
            moved.dampers = &mut passing.dampers[..moved.dampers.len()];
        }
        moved
    }

    /// Its forces are added up in rows from there from now on, to what walls have done.
    fn take_passing(&mut self, spare: &Mutex<Vec<Passing>>) {
        if self.passing.is_some() {
            return;
        }
        let taken = spare.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut passing = taken.unwrap_or_default();
        let lengthen = |rows: &mut Vec<Row>, length: usize| {
            rows.resize(rows.len().max(length), Row::default());
        };
        let Moved {
            first,
            forces,
            dampers,
            ..
        } = &mut self.rows;
        lengthen(&mut passing.forces, forces.len());
        lengthen(&mut passing.dampers, dampers.len());
        hand_over(*first, self.at_walls, forces, &mut passing.forces);
        hand_over(*first, self.at_walls, dampers, &mut passing.dampers);
        self.passing = Some(passing);
    }

    /// After its stride: forces of who stands still go to the rows of all; nothing is left in the others, which are given back.
    fn give_passing(&mut self, spare: &Mutex<Vec<Passing>>) {
        let Some(mut passing) = self.passing.take() else {
            return;
        };
        let Moved {
            first,
            forces,
            dampers,
            ..
        } = &mut self.rows;
        hand_over(*first, self.rim, &mut passing.forces, forces);
        hand_over(*first, self.rim, &mut passing.dampers, dampers);
        let mut spare = spare.lock().unwrap_or_else(PoisonError::into_inner);
        spare.push(passing);
    }
}

/// Rows of some slots go over, and leave zeros behind; in the plane there are no rows of dampers.
fn hand_over(first: u32, slots: &[u32], from: &mut [Row], to: &mut [Row]) {
    for slot in slots {
        let place = slot.wrapping_sub(first) as usize;
        if let (Some(from), Some(to)) = (from.get_mut(place), to.get_mut(place)) {
            *to = std::mem::take(from);
        }
    }
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

/// What pairs of a class did.
#[derive(Clone, Debug, Default)]
pub(super) struct Done {
    /// Work of tangential forces, J.
    pub work: f64,
    pub changed: Vec<Change>,
}

impl Done {
    /// What the blocks did of which each ends as told.
    fn of_blocks(blocks: Vec<Done>, ends: &[BlockEnd]) -> Done {
        let mut all = Done::default();
        let mut start = 0;
        for (done, end) in blocks.into_iter().zip(ends) {
            all.work += done.work;
            let numbered = done.changed.into_iter().map(|change| Change {
                batch: change.batch + start,
                ..change
            });
            all.changed.extend(numbered);
            start = end.batches;
        }
        all
    }
}

/// What is to be done with one or two bands.
enum Job<'a, H> {
    Stride {
        stride: Stride,
        band: usize,
        turn: u32,
        active: &'a [u32],
        sums: &'a mut StepSums,
        spare: &'a Mutex<Vec<Passing>>,
    },
    Block {
        pairs: &'a Pairs,
        bands: [usize; 2],
        turns: [u32; 2],
        stretch: Stretch<'a, H>,
        found: &'a mut Done,
        /// Where rows are for forces that nobody needs after the pass.
        spare: Option<&'a Mutex<Vec<Passing>>>,
    },
}

impl<H: History> Job<'_, H> {
    /// Waits for its turn and does it.
    fn work<D: Integrate<History = H>>(self, level: Level, shared: &[Shared<'_>]) {
        match self {
            Job::Stride {
                stride,
                band,
                turn,
                active,
                sums,
                spare,
            } => {
                let mut held = shared[band].take(turn);
                *sums = D::stride(level, held.band.moved(), active, stride);
                held.band.give_passing(spare);
            }
            Job::Block {
                pairs: &Pairs { law, timing, .. },
                bands: [a, b],
                turns,
                stretch,
                found,
                spare,
            } => {
                let mut first = shared[a].take(turns[0]);
                let mut second = (a != b).then(|| shared[b].take(turns[1]));
                if let Some(spare) = spare {
                    first.band.take_passing(spare);
                    if let Some(held) = &mut second {
                        held.band.take_passing(spare);
                    }
                }
                let mut first = first.band.moved();
                let mut second = second.as_mut().map(|held| held.band.moved());
                let ([rows, spins], [forces, dampers]) = of_block(&mut first, second.as_mut());
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
fn shared<'a, D: ClusterDimension>(
    bands: &Bands,
    arrays: &'a mut Arrays<D>,
    [at_walls, rim]: [&'a [u32]; 2],
) -> Vec<Shared<'a>> {
    let mut noted = [at_walls, rim].map(|slots| bands.deal(slots).into_iter());
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
        let [at_walls, rim] = noted
            .each_mut()
            .map(|slots| slots.next().unwrap_or_default());
        Shared {
            turn: AtomicU32::new(0),
            band: Mutex::new(Band {
                rows,
                at_walls,
                rim,
                passing: None,
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

    /// Whether pairs are looked at by bands: sums of stresses are of all pairs in one order.
    pub(super) fn has_bands(&self) -> bool {
        self.state.bands.count() > 1 && self.cell_sums.is_none()
    }

    /// Forces of a class of pairs of balls, where there are no bands; gives the work of tangential forces, J.
    pub(super) fn pair_forces(&mut self, pairs: Pairs) -> f64 {
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

    /// Runs the kernel of the plain stride on the present forces.
    pub(super) fn stride(&mut self, stride: Stride) -> StepSums {
        if self.state.bands.count() > 1 && self.state.in_order {
            return self.by_bands(&[], Some(stride)).1;
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

    /// A pass over the bands: blocks of classes of pairs, a stride, or the stride of each band after its blocks. What walls do must be known
    /// before both; then nobody gets to know the forces.
    pub(super) fn by_bands(
        &mut self,
        pairs: &[Pairs],
        stride: Option<Stride>,
    ) -> (Vec<Done>, StepSums) {
        let (level, team) = (self.level, self.team);
        // Threads are not to wait for a block or a stride whose band another is at.
        let (ahead, behind) = if team.is_of_many() {
            (3, 4)
        } else {
            (AHEAD, 0)
        };
        let state = &mut self.state;
        let bands = &state.bands;
        let count = bands.count();
        let spare = Mutex::new(std::mem::take(&mut self.passing));
        // Rows of their own are for forces that nobody needs after the pass.
        let passing = (stride.is_some() && !pairs.is_empty()).then_some(&spare);
        let noted = [&self.at_walls[..], &state.still.rim];
        let shared = shared(bands, &mut state.arrays, noted);

        let blocks_of = |pairs: &Pairs| state.pairs[pairs.class].blocks.len();
        let mut found: Vec<Vec<Done>> = pairs
            .iter()
            .map(|pairs| vec![Done::default(); blocks_of(pairs)])
            .collect();
        let mut blocks = Vec::new();
        let mut wanted = pairs.iter().zip(&mut found).peekable();
        for (index, class) in state.pairs.iter_mut().enumerate() {
            let Some((pairs, found)) = wanted.next_if(|(pairs, _)| pairs.class == index) else {
                continue;
            };
            let stretches = class.lists.stretches(&class.blocks);
            for ((end, stretch), found) in class.blocks.iter().zip(stretches).zip(found) {
                blocks.push((end.bands.map(usize::from), pairs, stretch, found));
            }
        }
        // Classes in turn where their bands are the same.
        blocks.sort_by_key(|(bands, ..)| order_of(*bands, ahead));
        let both = |[a, b]: [usize; 2]| [Some(a), (a != b).then_some(b)].into_iter().flatten();
        let mut of_band = vec![0; count];
        for (bands, ..) in &blocks {
            both(*bands).for_each(|band| of_band[band] += 1);
        }

        let mut sums = vec![StepSums::default(); count];
        let mut strides: Vec<Option<Job<'_, D::History>>> = Vec::new();
        if let Some(stride) = stride {
            let dealt = bands.deal(&state.active).into_iter().zip(&mut sums);
            for (band, (active, sums)) in dealt.enumerate() {
                strides.push(Some(Job::Stride {
                    stride,
                    band,
                    turn: of_band[band],
                    active,
                    sums,
                    spare: &spare,
                }));
            }
        }
        let mut jobs = Vec::with_capacity(blocks.len() + strides.len());
        let mut turns = vec![0; count];
        let mut whole = VecDeque::new();
        for (k, (bands, pairs, stretch, found)) in blocks.into_iter().enumerate() {
            jobs.push(Job::Block {
                pairs,
                bands,
                turns: bands.map(|band| turns[band]),
                stretch,
                found,
                spare: passing,
            });
            for band in both(bands) {
                turns[band] += 1;
                if turns[band] == of_band[band] {
                    whole.push_back((k, band));
                }
            }
            while let Some((_, band)) = whole.pop_front_if(|(since, _)| *since + behind <= k) {
                jobs.extend(strides.get_mut(band).and_then(Option::take));
            }
        }
        jobs.extend(strides.into_iter().flatten());
        team.each(jobs, |job| job.work::<D>(level, &shared));
        drop(shared);
        self.passing = spare.into_inner().unwrap_or_else(PoisonError::into_inner);

        let classes = pairs.iter().map(|pairs| &self.state.pairs[pairs.class]);
        let done = found.into_iter().zip(classes);
        let done = done.map(|(found, class)| Done::of_blocks(found, &class.blocks));
        let sums = sums.into_iter().reduce(StepSums::and);
        (done.collect(), sums.unwrap_or_default())
    }
}
