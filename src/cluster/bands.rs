//! Division of the slots of large systems, so that threads can share the work of a step.
//!
//! Slots are divided into *bands* of some thousand consecutive slots; neighbours in memory are mostly neighbours in
//! space. Pairs within a band, or between two bands, form a *block*, whose forces affect only the rows of these
//! bands. Blocks have a fixed order, which determines the turns of each band. So each row is summed in one order,
//! whichever thread processes which block and when, and one thread gives the same bits as many.
//!
//! Blocks within bands are consecutive; those between two bands follow one or several bands later,
//! while their rows are still in the caches.

use serde::{Deserialize, Serialize};

/// Greatest number of bands: the counts for each pair of bands have to be small compared with the data of grains.
const MOST: usize = 1024;

/// Number of bands between a band and the blocks between it and earlier ones.
pub(super) const AHEAD: usize = 1;

/// Bands of slots.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bands {
    /// First slots of all bands but the first, ascending.
    starts: Vec<u32>,
}

/// End of a block of a class of pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockEnd {
    /// Bands of the first and of the second bodies.
    pub bands: [u16; 2],
    /// End in the outer list.
    pub outer: u32,
    /// End in the batches.
    pub batches: u32,
}

impl BlockEnd {
    /// A single block of all pairs; its batches are not known yet.
    pub fn of_all(pairs: usize) -> Self {
        BlockEnd {
            bands: [0, 0],
            outer: pairs as u32,
            batches: 0,
        }
    }
}

impl Bands {
    /// Divides ascending slots into bands of about `size` each.
    pub fn cut(slots: &[u32], size: usize) -> Self {
        let count = (slots.len() / size.max(1)).clamp(1, MOST);
        let starts = (1..count).map(|k| slots[k * slots.len() / count]);
        Bands {
            starts: starts.collect(),
        }
    }

    /// Number of bands.
    pub fn count(&self) -> usize {
        self.starts.len() + 1
    }

    /// The band of a slot.
    pub fn of(&self, slot: u32) -> usize {
        self.starts.partition_point(|&start| start <= slot)
    }

    /// Splits a list by slot into bands, each with its first slot.
    pub fn split<'a, T>(&self, mut all: &'a mut [T]) -> Vec<(u32, &'a mut [T])> {
        let mut bands = Vec::with_capacity(self.count());
        let mut from = 0;
        for &start in &self.starts {
            // Some lists exist in space only.
            let middle = ((start - from) as usize).min(all.len());
            let (band, rest) = all.split_at_mut(middle);
            bands.push((from, band));
            (from, all) = (start, rest);
        }
        bands.push((from, all));
        bands
    }

    /// Splits an ascending list of slots into bands.
    pub fn deal<'a>(&self, mut slots: &'a [u32]) -> Vec<&'a [u32]> {
        let mut bands = Vec::with_capacity(self.count());
        for &start in &self.starts {
            // Mostly the slots are consecutive.
            let first = slots.first().map_or(start, |&first| first.min(start));
            let most = slots.len().min((start - first) as usize);
            let count = match slots[..most].last() {
                Some(&last) if last >= start => slots[..most].partition_point(|&slot| slot < start),
                _ => most,
            };
            let (band, rest) = slots.split_at(count);
            bands.push(band);
            slots = rest;
        }
        bands.push(slots);
        bands
    }

    /// The band of each slot up to the last one in a pair.
    fn by_slot(&self, pairs: &[[u32; 2]]) -> Vec<u16> {
        let end = pairs.iter().flatten().max().map_or(0, |&last| last + 1);
        let ends = self.starts.iter().map(|&start| start.min(end));
        let mut bands = Vec::with_capacity(end as usize);
        for (end, band) in ends.chain([end]).zip(0..) {
            bands.resize(end as usize, band);
        }
        bands
    }

    /// Rearranges sorted pairs, each in the order of its slots, into blocks, sorted within each; returns the ends of the blocks.
    pub fn arrange(&self, pairs: &mut Vec<[u32; 2]>) -> Vec<BlockEnd> {
        let count = self.count();
        if count == 1 {
            return vec![BlockEnd::of_all(pairs.len())];
        }
        let bands = self.by_slot(pairs);
        let key = |pair: &[u32; 2]| {
            let [a, b] = pair.map(|slot| u32::from(bands[slot as usize]));
            a * count as u32 + b
        };
        let keys: Vec<u32> = pairs.iter().map(key).collect();
        let mut sizes = vec![0; count * count];
        for &key in &keys {
            sizes[key as usize] += 1;
        }
        let mut places = vec![0; count * count];
        let mut end = 0;
        let mut ends = Vec::new();
        let mut filled: Vec<usize> = (0..count * count).filter(|&key| sizes[key] > 0).collect();
        filled.sort_by_key(|key| order_of([key / count, key % count], AHEAD));
        for key in filled {
            let (a, b) = (key / count, key % count);
            places[key] = end;
            end += sizes[key];
            ends.push(BlockEnd {
                bands: [a as u16, b as u16],
                outer: end,
                batches: 0,
            });
        }
        let mut arranged = vec![[0; 2]; pairs.len()];
        for (pair, &key) in pairs.iter().zip(&keys) {
            let place = &mut places[key as usize];
            arranged[*place as usize] = *pair;
            *place += 1;
        }
        *pairs = arranged;
        ends
    }

    /// Returns a function that finds pairs in a list arranged in blocks; fast where they are asked for in about that order.
    pub fn places<'a>(
        &'a self,
        pairs: &'a [[u32; 2]],
        blocks: &[BlockEnd],
    ) -> impl FnMut([u32; 2]) -> Option<u32> + 'a {
        /// Number of pairs after the last found one that are looked at first.
        const NEXT: usize = 8;
        let count = self.count();
        let mut ranges = vec![0..0; count * count];
        let mut start = 0;
        for block in blocks {
            let [a, b] = block.bands.map(usize::from);
            ranges[a * count + b] = start..block.outer as usize;
            start = block.outer as usize;
        }
        let mut next = 0;
        move |pair| {
            let following = &pairs[next..pairs.len().min(next + NEXT)];
            let place = match following.iter().position(|other| *other == pair) {
                Some(ahead) => next + ahead,
                None => {
                    let range = ranges[self.of(pair[0]) * count + self.of(pair[1])].clone();
                    range.start + pairs[range.clone()].binary_search(&pair).ok()?
                }
            };
            next = place + 1;
            Some(place as u32)
        }
    }

    /// Whether the bands are valid results of [`Bands::cut`] for this number of slots.
    pub(super) fn is_whole(&self, slots: usize) -> bool {
        self.count() <= MOST
            && self.starts.is_sorted()
            && self.starts.first() != Some(&0)
            && self.starts.iter().all(|&start| (start as usize) < slots)
    }
}

/// Sort key of blocks: bands in order, and the blocks between two bands `ahead` bands after the later one, while its
/// rows are still in the caches. Each band has its turns in the same order, whatever the value of `ahead`.
pub(super) fn order_of([a, b]: [usize; 2], ahead: usize) -> (usize, bool, usize) {
    if a == b {
        (b, false, a)
    } else {
        (b + ahead, true, a)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each block occurs once, and each pair is in its block.
    #[test]
    fn pairs_are_dealt_out() {
        let slots: Vec<u32> = (1..200).collect();
        let bands = Bands::cut(&slots, 20);
        assert_eq!(bands.count(), 9);
        let mut pairs: Vec<[u32; 2]> = Vec::new();
        for a in 1..200 {
            for way in [1, 2, 19, 37, 150] {
                if a + way < 200 {
                    pairs.push([a, a + way]);
                }
            }
        }
        let before = pairs.clone();
        let ends = bands.arrange(&mut pairs);
        let mut start = 0;
        let mut seen = Vec::new();
        for end in &ends {
            let block = &pairs[start as usize..end.outer as usize];
            assert!(!block.is_empty() && block.is_sorted());
            for pair in block {
                assert_eq!(pair.map(|slot| bands.of(slot) as u16), end.bands);
            }
            assert!(!seen.contains(&end.bands));
            seen.push(end.bands);
            start = end.outer;
        }
        assert_eq!(start as usize, pairs.len());
        let mut place = bands.places(&pairs, &ends);
        for (k, pair) in pairs.iter().enumerate() {
            assert_eq!(place(*pair), Some(k as u32));
        }
        assert_eq!((place([1, 5]), place([7, 199])), (None, None));
        drop(place);
        pairs.sort_unstable();
        assert_eq!(pairs, before);
        // Blocks between two bands follow those within them, and soon.
        let at = |pair: [u16; 2]| seen.iter().position(|other| *other == pair).unwrap();
        for &[a, b] in seen.iter().filter(|[a, b]| a < b) {
            let bands_after = seen[at([b, b])..at([a, b])].iter().filter(|[a, b]| a == b);
            assert!((1..=2).contains(&bands_after.count()), "{a} {b}");
        }
    }

    /// The number of bands may exceed a byte, but never the maximum.
    #[test]
    fn pairs_of_many_bands_are_dealt_out() {
        let slots: Vec<u32> = (1..3000).collect();
        let bands = Bands::cut(&slots, 2);
        assert_eq!((Bands::cut(&slots, 7).count(), bands.count()), (428, MOST));
        let mut pairs: Vec<[u32; 2]> = (1..2999).map(|slot| [slot, slot + 1]).collect();
        let ends = bands.arrange(&mut pairs);
        let mut start = 0;
        for end in &ends {
            for pair in &pairs[start..end.outer as usize] {
                assert_eq!(pair.map(|slot| bands.of(slot) as u16), end.bands);
            }
            start = end.outer as usize;
        }
        assert_eq!(start, 2998);
    }

    /// A band has its turns in one order, however far blocks between bands follow later.
    #[test]
    fn turns_of_a_band_have_one_order() {
        let order = |ahead: usize| {
            let mut blocks: Vec<[usize; 2]> = (0..20)
                .flat_map(|b| (0..=b).map(move |a| [a, b]))
                .filter(|[a, b]| b - a < 3 || (a * b) % 7 == 3)
                .collect();
            blocks.sort_by_key(|bands| order_of(*bands, ahead));
            blocks
        };
        let of = |band: usize, mut blocks: Vec<[usize; 2]>| {
            blocks.retain(|bands| bands.contains(&band));
            blocks
        };
        for ahead in [0, 2, 3, 8] {
            assert_ne!(order(ahead), order(AHEAD));
            for band in 0..20 {
                assert_eq!(of(band, order(ahead)), of(band, order(AHEAD)));
            }
        }
    }

    #[test]
    fn rows_are_split_as_slots_are_dealt() {
        let bands = Bands::cut(&[3, 5, 6, 9, 10, 11], 2);
        let mut rows: Vec<u32> = (0..14).collect();
        let split = bands.split(&mut rows);
        let dealt = bands.deal(&[3, 5, 6, 9, 10, 11]);
        assert_eq!(dealt, [&[3, 5][..], &[6, 9], &[10, 11]]);
        for ((first, rows), slots) in split.iter().zip(dealt) {
            for slot in slots {
                assert_eq!(rows[(slot - first) as usize], *slot);
            }
        }
    }
}
