//! Forces of pairs and strides, by bands and blocks: side by side where there are threads, and one after the
//! other with the same bits where there are none.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::engine::Engine;
use super::integrate::{Integrate, Moved, StepSums, Stride};
use super::kernel::{All, Block, Change, Near, Timing};
use super::team::Team;
use crate::contact::AnyLaw;
use crate::vector::Row;

/// A band's rows of forces, which blocks use in turn.
struct Shared<'a> {
    first: u32,
    /// How many blocks have had their turn.
    turn: AtomicU32,
    rows: Mutex<[&'a mut [Row]; 2]>,
}

/// A band's rows while it is a block's turn. The turn is over when this is dropped, even if the block has panicked:
/// the panic goes on when all are done.
struct Held<'a, 'b> {
    first: u32,
    turn: &'a AtomicU32,
    rows: MutexGuard<'a, [&'b mut [Row]; 2]>,
}

impl<'b> Shared<'b> {
    /// Waits until so many blocks have had their turn, and takes the rows.
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
            first: self.first,
            turn: &self.turn,
            rows: self.rows.lock().unwrap_or_else(PoisonError::into_inner),
        }
    }
}

impl Held<'_, '_> {
    /// Where the forces of a block go, and the dampers' share of them.
    fn onto<'s>(&'s mut self, second: Option<&'s mut Self>) -> [Near<'s>; 2] {
        let [forces, dampers] = &mut *self.rows;
        let onto = [forces, dampers].map(|rows| Near::both(self.first, rows));
        let Some(second) = second else { return onto };
        let [forces, dampers] = &mut *second.rows;
        let [onto_forces, onto_dampers] = onto;
        [
            onto_forces.and(second.first, forces),
            onto_dampers.and(second.first, dampers),
        ]
    }
}

impl Drop for Held<'_, '_> {
    fn drop(&mut self) {
        self.turn.fetch_add(1, Ordering::Release);
    }
}

impl<D: Integrate> Engine<D> {
    /// Chooses how many threads of the caller's pool share the work of a step in large systems; results do not
    /// depend on it.
    pub fn set_threads(&mut self, threads: usize) {
        self.team = Team::new(threads);
    }

    /// Forces of a class of pairs of balls; gives the work of tangential forces, J.
    pub(super) fn pair_forces(&mut self, class: usize, law: AnyLaw, timing: Timing) -> f64 {
        let level = self.level;
        let state = &mut self.state;
        let arrays = &mut state.arrays;
        let class = &mut state.pairs[class];
        let (rows, spins) = (&arrays.rows[..], &arrays.spins[..]);
        // Sums of stresses are of all pairs in one order.
        if state.bands.count() == 1 || self.cell_sums.is_some() {
            let lists = &mut class.lists;
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
            return D::pair_forces(level, law, rows, spins, block, timing, sums);
        }
        let forces = state.bands.split(&mut arrays.forces);
        let dampers = state.bands.split(&mut arrays.dampers);
        let bands: Vec<Shared<'_>> = forces
            .into_iter()
            .zip(dampers)
            .map(|((first, forces), (_, dampers))| Shared {
                first,
                turn: AtomicU32::new(0),
                rows: Mutex::new([forces, dampers]),
            })
            .collect();
        let mut turns = vec![0; bands.len()];
        let mut results = vec![(0.0, Vec::new()); class.blocks.len()];
        let mut jobs = Vec::with_capacity(class.blocks.len());
        let stretches = class.lists.stretches(&class.blocks);
        for ((end, stretch), result) in class.blocks.iter().zip(stretches).zip(&mut results) {
            let [a, b] = end.bands.map(usize::from);
            let turn = [turns[a], turns[b]];
            turns[a] += 1;
            turns[b] += u32::from(a != b);
            jobs.push(([a, b], turn, stretch, result));
        }
        self.team
            .each(jobs, |([a, b], turn, stretch, (work, changed))| {
                let mut first = bands[a].take(turn[0]);
                let mut second = (a != b).then(|| bands[b].take(turn[1]));
                let [forces, dampers] = first.onto(second.as_mut());
                let block = Block {
                    batches: stretch.batches,
                    history: stretch.history,
                    memory: stretch.memory,
                    flags: stretch.flags,
                    changed,
                    forces,
                    dampers,
                };
                *work = D::pair_forces(level, law, rows, spins, block, timing, None);
            });
        let mut total = 0.0;
        let mut start = 0;
        for ((work, changed), end) in results.into_iter().zip(&class.blocks) {
            total += work;
            let numbered = changed.into_iter().map(|change| Change {
                batch: change.batch + start,
                ..change
            });
            self.changed.extend(numbered);
            start = end.batches;
        }
        total
    }

    /// Runs the kernel of the plain stride on the present forces.
    pub(super) fn stride(&mut self, stride: Stride) -> StepSums {
        let level = self.level;
        let state = &mut self.state;
        let arrays = &mut state.arrays;
        if state.bands.count() == 1 || !state.in_order {
            let moved = Moved {
                first: 0,
                rows: &mut arrays.rows,
                state: &mut arrays.state,
                forces: &mut arrays.forces,
                spins: &mut arrays.spins,
                previous: &mut arrays.previous,
                dampers: &mut arrays.dampers,
            };
            return D::stride(level, moved, &state.active, stride);
        }
        let bands = &state.bands;
        let mut sums = vec![StepSums::default(); bands.count()];
        let columns = [
            &mut arrays.rows,
            &mut arrays.state,
            &mut arrays.forces,
            &mut arrays.spins,
            &mut arrays.previous,
            &mut arrays.dampers,
        ];
        let mut columns = columns.map(|column| bands.split(column).into_iter());
        let mut jobs = Vec::with_capacity(bands.count());
        for (active, sum) in bands.deal(&state.active).into_iter().zip(&mut sums) {
            let mut first = 0;
            let [rows, state, forces, spins, previous, dampers] =
                columns.each_mut().map(|column| {
                    let (start, rows) = column.next().unwrap_or_default();
                    first = start;
                    rows
                });
            let moved = Moved {
                first,
                rows,
                state,
                forces,
                spins,
                previous,
                dampers,
            };
            jobs.push((moved, active, sum));
        }
        self.team.each(jobs, |(moved, active, sum)| {
            *sum = D::stride(level, moved, active, stride);
        });
        let all = sums.into_iter().reduce(|a, b| StepSums {
            damper_work: a.damper_work + b.damper_work,
            fastest: a.fastest.max(b.fastest),
            axes: [a.axes[0].max(b.axes[0]), a.axes[1].max(b.axes[1])],
            rim: a.rim.max(b.rim),
        });
        all.unwrap_or_default()
    }
}
