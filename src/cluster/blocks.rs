//! Forces of pairs and strides, by bands and blocks: in parallel with several threads, and in
//! sequence with the same bits with one.
//!
//! Forces and the following stride are one pass over the bands: when the last block of a band is
//! done, its grains advance at once, while their rows are in the caches. The forces are then stored
//! only in buffers that bands use in turn. Wall forces are computed before the pass.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::arrays::Arrays;
use super::bands::{AHEAD, Bands, BlockEnd, order_of};
use super::dem::{Work, law_of};
use super::dimension::ClusterDimension;
use super::filtering::Stretch;
use super::integrate::{Integrate, KickDrift, Moved, StepSums};
use super::kernel::{All, BandRows, Block, BodyRows, Change, NOTHING, Timing};
use super::lists::History;
use super::state::{PairClass, Skin};
use super::world::{Cell, Contacts, World};
use crate::contact::LinkLaw;
use crate::vector::{Level, Prefetch, Row};

/// Number of slots above which rows are prefetched, by dimension, on one thread: in the plane, where a slot has half
/// as many rows, data that fits a cache of 32 MiB arrives soon enough (docs/notes/performance.md, "Size").
const fn ask_from(dimensions: usize) -> usize {
    if dimensions == 2 { 1 << 18 } else { 0 }
}

/// The rows of a band, which its stride and blocks use in turn.
struct Shared<'a> {
    /// Number of turns completed.
    turn: AtomicU32,
    band: Mutex<Band<'a>>,
}

struct Band<'a> {
    rows: Moved<'a>,
    /// Slots that walls may push, and those on the rim, ascending.
    wall_slots: &'a [u32],
    rim: &'a [u32],
    /// Buffer of forces in a pass whose forces are not needed afterwards.
    lent: Option<Lent>,
    /// Rows to prefetch while its pairs are processed.
    soon: [Prefetch; 3],
}

/// Buffer of a band's rows of forces, and of the dampers' share, until its stride; all zero before and after that.
#[derive(Clone, Debug, Default)]
pub(super) struct Lent {
    forces: Vec<Row>,
    dampers: Vec<Row>,
}

impl Band<'_> {
    /// The rows of the band, with the force buffer if it has one.
    fn moved(&mut self) -> Moved<'_> {
        let mut moved = self.rows.again();
        if let Some(lent) = &mut self.lent {
            moved.forces = &mut lent.forces[..moved.rows.len()];
            moved.dampers = &mut lent.dampers[..moved.dampers.len()];
        }
        moved
    }

    /// Assigns a force buffer to the band, initialised with the wall forces.
    fn borrow(&mut self, spare: &Mutex<Vec<Lent>>) {
        if self.lent.is_some() {
            return;
        }
        let taken = spare.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut lent = taken.unwrap_or_default();
        let lengthen = |rows: &mut Vec<Row>, length: usize| {
            rows.resize(rows.len().max(length), Row::default());
        };
        let Moved {
            first,
            forces,
            dampers,
            ..
        } = &mut self.rows;
        lengthen(&mut lent.forces, forces.len());
        lengthen(&mut lent.dampers, dampers.len());
        move_rows(*first, self.wall_slots, forces, &mut lent.forces);
        move_rows(*first, self.wall_slots, dampers, &mut lent.dampers);
        self.lent = Some(lent);
    }

    /// After the stride: moves the forces on grains at rest to the common rows and returns the buffer, which is then all zero.
    fn give_back(&mut self, spare: &Mutex<Vec<Lent>>) {
        let Some(mut lent) = self.lent.take() else {
            return;
        };
        let Moved {
            first,
            forces,
            dampers,
            ..
        } = &mut self.rows;
        move_rows(*first, self.rim, &mut lent.forces, forces);
        move_rows(*first, self.rim, &mut lent.dampers, dampers);
        let mut spare = spare.lock().unwrap_or_else(PoisonError::into_inner);
        spare.push(lent);
    }
}

/// Moves the rows of some slots and leaves zeros behind; in the plane there are no rows of dampers.
fn move_rows(first: u32, slots: &[u32], from: &mut [Row], to: &mut [Row]) {
    for slot in slots {
        let place = slot.wrapping_sub(first) as usize;
        if let (Some(from), Some(to)) = (from.get_mut(place), to.get_mut(place)) {
            *to = std::mem::take(from);
        }
    }
}

/// A band during a turn. Dropping it ends the turn, even after a panic, which continues when all
/// threads have ended.
struct Held<'a, 'b> {
    turn: &'a AtomicU32,
    band: MutexGuard<'a, Band<'b>>,
}

impl<'b> Shared<'b> {
    /// Waits until `turn` turns are completed, and locks the band.
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

/// The data that a block reads, rows and spins, and that it adds to, forces and the dampers' share of them.
fn of_block<'s>(
    first: &'s mut Moved<'_>,
    second: Option<&'s mut Moved<'_>>,
) -> ([BodyRows<'s>; 2], [BandRows<'s>; 2]) {
    let mut seen = [BodyRows::both(first.rows), BodyRows::both(first.spins)];
    let onto = [&mut *first.forces, &mut *first.dampers];
    let onto = onto.map(|rows| BandRows::both(first.first, rows));
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

/// A class of pairs to be processed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pairs {
    pub class: usize,
    pub law: LinkLaw,
    pub timing: Timing,
}

/// Results of the pairs of a class.
#[derive(Clone, Debug, Default)]
pub(super) struct Done {
    /// Work of tangential forces, J.
    pub work: f64,
    pub changed: Vec<Change>,
}

impl Done {
    /// Combines the results of blocks that end at the given positions.
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

/// Pairs of a class in a block.
struct Part<'a, H> {
    pairs: &'a Pairs,
    stretch: Stretch<'a, H>,
    found: &'a mut Done,
}

/// Work on one or two bands.
enum Job<'a, H> {
    KickDrift {
        stride: KickDrift,
        band: usize,
        turn: u32,
        active: &'a [u32],
        sums: &'a mut StepSums,
        spare: &'a Mutex<Vec<Lent>>,
    },
    Block {
        bands: [usize; 2],
        turns: [u32; 2],
        parts: Vec<Part<'a, H>>,
        /// Buffers for forces that are not needed after the pass.
        spare: Option<&'a Mutex<Vec<Lent>>>,
    },
}

impl<H: History> Job<'_, H> {
    /// Waits for its turn and does the work.
    fn work<D: Integrate<History = H>>(self, level: Level, shared: &[Shared<'_>]) {
        match self {
            Job::KickDrift {
                stride,
                band,
                turn,
                active,
                sums,
                spare,
            } => {
                let mut held = shared[band].take(turn);
                *sums = D::stride(level, held.band.moved(), active, stride);
                held.band.give_back(spare);
            }
            Job::Block {
                bands: [a, b],
                turns,
                parts,
                spare,
            } => {
                let mut first = shared[a].take(turns[0]);
                let mut second = (a != b).then(|| shared[b].take(turns[1]));
                if let Some(spare) = spare {
                    first.band.borrow(spare);
                    if let Some(held) = &mut second {
                        held.band.borrow(spare);
                    }
                }
                let soon = if a == b { first.band.soon } else { NOTHING };
                let batches = parts.iter().map(|part| part.stretch.batches.len()).sum();
                let mut soon = soon.map(|rows| rows.over(batches));
                let mut first = first.band.moved();
                let mut second = second.as_mut().map(|held| held.band.moved());
                for part in parts {
                    let Part {
                        pairs: Pairs { law, timing, .. },
                        stretch,
                        found,
                    } = part;
                    let ([rows, spins], [forces, dampers]) = of_block(&mut first, second.as_mut());
                    let batches = stretch.batches.len();
                    let block = Block {
                        batches: stretch.batches,
                        history: stretch.history,
                        stiffness: stretch.stiffness,
                        memory: stretch.memory,
                        flags: stretch.flags,
                        changed: &mut found.changed,
                        forces: forces.with(soon),
                        dampers,
                    };
                    found.work = D::pair_forces(level, law, rows, spins, block, *timing, None);
                    soon = soon.map(|rows| rows.after(batches));
                }
            }
        }
    }
}

/// All bands of these rows, before their first turn.
fn shared<'a, D: ClusterDimension>(
    bands: &Bands,
    arrays: &'a mut Arrays<D>,
    weights: &'a mut [f64],
    [wall_slots, rim]: [&'a [u32]; 2],
) -> Vec<Shared<'a>> {
    let mut weights = bands.split(weights).into_iter();
    let mut noted = [wall_slots, rim].map(|slots| bands.deal(slots).into_iter());
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
            weights: weights.next().map_or(&[], |(_, weights)| &*weights),
        };
        let [wall_slots, rim] = noted
            .each_mut()
            .map(|slots| slots.next().unwrap_or_default());
        Shared {
            turn: AtomicU32::new(0),
            band: Mutex::new(Band {
                rows,
                wall_slots,
                rim,
                lent: None,
                soon: NOTHING,
            }),
        }
    };
    (0..bands.count()).map(|_| next()).collect()
}

/// Sets the rows that each band prefetches: rows of the next band, and further data of its own stride.
fn look_ahead(shared: &mut [Shared<'_>]) {
    let mut next = [Prefetch::NONE; 2];
    for shared in shared.iter_mut().rev() {
        let band = shared
            .band
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        band.soon = [Prefetch::all(band.rows.state), next[0], next[1]];
        next = [
            Prefetch::all(band.rows.rows),
            Prefetch::all(band.rows.spins),
        ];
    }
}

/// Whether pairs are processed by bands: sums of stresses require all pairs in one order.
pub(crate) fn has_bands<D: Integrate>(contacts: &Contacts<D>, cell: &Cell) -> bool {
    contacts.bands.count() > 1 && cell.sums.is_none()
}

/// Computes the forces of a class of pairs of balls without bands; returns the work of tangential forces, J.
pub(super) fn pair_forces<D: Integrate>(
    world: &mut World<D>,
    work: &mut Work<D>,
    class: usize,
    timing: Timing,
) -> f64 {
    let arrays = &mut world.grains.arrays;
    let PairClass {
        lists, materials, ..
    } = &mut world.contacts.pairs[class];
    let law = law_of(&world.physics.known_laws, materials[0], materials[1]);
    let (rows, spins) = (BodyRows::both(&arrays.rows), BodyRows::both(&arrays.spins));
    let block = Block {
        batches: &lists.batches,
        history: &mut lists.history,
        stiffness: &mut lists.stiffness,
        memory: &mut lists.memory,
        flags: &mut lists.flags,
        changed: &mut work.changed,
        forces: All(&mut arrays.forces),
        dampers: All(&mut arrays.dampers),
    };
    let sums = world.cell.sums.as_deref_mut();
    D::pair_forces(world.physics.level, law, rows, spins, block, timing, sums)
}

/// Runs the kernel of the plain stride on the present forces.
pub(super) fn stride<D: Integrate>(
    world: &mut World<D>,
    skin: &mut Skin,
    work: &mut Work<D>,
    stride: KickDrift,
) -> StepSums {
    if world.contacts.bands.count() > 1 && world.grains.in_order {
        return by_bands(world, skin, work, &[], Some(stride)).1;
    }
    let arrays = &mut world.grains.arrays;
    let slots = arrays.slots();
    let moved = Moved {
        first: 0,
        rows: &mut arrays.rows,
        state: &mut arrays.state,
        forces: &mut arrays.forces,
        spins: &mut arrays.spins,
        previous: &mut arrays.previous,
        dampers: &mut arrays.dampers,
        weights: skin.skin_budgets.weights(slots),
    };
    let active = world.grains.rigid.without_members(&world.grains.active);
    D::stride(world.physics.level, moved, active, stride)
}

/// One pass over the bands: blocks of classes of pairs, a stride, or the stride of each band after its
/// blocks. In the last case wall forces must be computed before, and the forces are not available afterwards.
pub(super) fn by_bands<D: Integrate>(
    world: &mut World<D>,
    skin: &mut Skin,
    work: &mut Work<D>,
    pairs: &[Pairs],
    stride: Option<KickDrift>,
) -> (Vec<Done>, StepSums) {
    let (level, team) = (world.physics.level, work.team);
    // Avoids that threads wait for a band in use by another block or stride; in space bands are smaller.
    let (ahead, behind) = match (team.is_of_many(), D::N) {
        (false, _) => (AHEAD, 0),
        (true, 2) => (3, 4),
        (true, _) => (6, 8),
    };
    let bands = &world.contacts.bands;
    let count = bands.count();
    let spare = Mutex::new(std::mem::take(&mut work.lent));
    // Buffers are for forces that are not needed after the pass.
    let lending = (stride.is_some() && !pairs.is_empty()).then_some(&spare);
    let noted = [&world.contacts.wall_slots[..], &world.sleeping.still.rim];
    let asks = world.grains.arrays.slots() >= ask_from(D::N) && !team.is_of_many();
    let weights = skin.skin_budgets.weights(world.grains.arrays.slots());
    let mut shared = shared(bands, &mut world.grains.arrays, weights, noted);
    if asks {
        look_ahead(&mut shared);
    }

    let blocks_of = |pairs: &Pairs| world.contacts.pairs[pairs.class].blocks.len();
    let mut found: Vec<Vec<Done>> = pairs
        .iter()
        .map(|pairs| vec![Done::default(); blocks_of(pairs)])
        .collect();
    let mut blocks: BTreeMap<_, (_, Vec<Part<'_, _>>)> = BTreeMap::new();
    let mut wanted = pairs.iter().zip(&mut found).peekable();
    for (index, class) in world.contacts.pairs.iter_mut().enumerate() {
        let Some((pairs, found)) = wanted.next_if(|(pairs, _)| pairs.class == index) else {
            continue;
        };
        let stretches = class.lists.stretches(&class.blocks);
        for ((end, stretch), found) in class.blocks.iter().zip(stretches).zip(found) {
            let bands = end.bands.map(usize::from);
            let (_, parts) = blocks
                .entry(order_of(bands, ahead))
                .or_insert_with(|| (bands, Vec::new()));
            parts.push(Part {
                pairs,
                stretch,
                found,
            });
        }
    }
    let both = |[a, b]: [usize; 2]| [Some(a), (a != b).then_some(b)].into_iter().flatten();
    let mut of_band = vec![0; count];
    for (bands, _) in blocks.values() {
        both(*bands).for_each(|band| of_band[band] += 1);
    }

    let mut sums = vec![StepSums::default(); count];
    let mut strides: Vec<Option<Job<'_, D::History>>> = Vec::new();
    if let Some(stride) = stride {
        let active = world.grains.rigid.without_members(&world.grains.active);
        let dealt = bands.deal(active).into_iter().zip(&mut sums);
        for (band, (active, sums)) in dealt.enumerate() {
            strides.push(Some(Job::KickDrift {
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
    for (k, (bands, parts)) in blocks.into_values().enumerate() {
        jobs.push(Job::Block {
            bands,
            turns: bands.map(|band| turns[band]),
            parts,
            spare: lending,
        });
        for band in both(bands) {
            turns[band] += 1;
            if turns[band] == of_band[band] {
                whole.push_back((k, band));
            }
        }
        while let Some(&(since, band)) = whole.front()
            && since + behind <= k
        {
            whole.pop_front();
            jobs.extend(strides.get_mut(band).and_then(Option::take));
        }
    }
    jobs.extend(strides.into_iter().flatten());
    team.each(jobs, |job| job.work::<D>(level, &shared));
    drop(shared);
    work.lent = spare.into_inner().unwrap_or_else(PoisonError::into_inner);

    let classes = pairs.iter().map(|pairs| &world.contacts.pairs[pairs.class]);
    let done = found.into_iter().zip(classes);
    let done = done.map(|(found, class)| Done::of_blocks(found, &class.blocks));
    let sums = sums.into_iter().reduce(StepSums::and);
    (done.collect(), sums.unwrap_or_default())
}
