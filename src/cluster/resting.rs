//! Links between grains at rest, accessible from either grain: insertion and removal cost only the
//! links of two grains.

use serde::{Deserialize, Serialize};

use super::lists::ContactHistory;
use crate::hgraph::ClusterIndex;

const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Entry {
    class: u16,
    link: ContactHistory,
    /// Slots of the two grains: for a grain of several parts the link itself refers to the part.
    ends: [u32; 2],
    /// Next link of the first grain, and of the second.
    next: [u32; 2],
}

/// Links by number; numbers change at a removal.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct RestingLinks {
    entries: Vec<Entry>,
    /// First link of each slot.
    heads: Vec<u32>,
    /// Groups of slots connected by these links, once requested.
    #[serde(skip)]
    groups: Option<ClusterIndex>,
}

impl RestingLinks {
    /// Number of links.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are no links.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Class of pairs and the link.
    pub fn get(&self, index: u32) -> (usize, &ContactHistory) {
        let entry = &self.entries[index as usize];
        (usize::from(entry.class), &entry.link)
    }

    /// The other grain of a link of a slot.
    pub fn beyond(&self, index: u32, slot: u32) -> u32 {
        let [a, b] = self.entries[index as usize].ends;
        if a == slot { b } else { a }
    }

    /// The link, for changes of its stress, or of the parts of its grains that touch; not of its grains.
    pub fn get_mut(&mut self, index: u32) -> &mut ContactHistory {
        &mut self.entries[index as usize].link
    }

    /// All links, in a fixed order.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &ContactHistory)> {
        let entries = self.entries.iter();
        entries.map(|entry| (usize::from(entry.class), &entry.link))
    }

    /// Numbers of the links of a grain's slot, the last inserted first.
    pub fn of(&self, slot: u32) -> impl Iterator<Item = u32> + '_ {
        let head = self.heads.get(slot as usize).copied().unwrap_or(NONE);
        let some = |index: u32| (index != NONE).then_some(index);
        std::iter::successors(some(head), move |&index| some(self.after(index, slot)))
    }

    /// Whether two grains are linked.
    pub fn joins(&self, a: u32, b: u32) -> bool {
        self.of(a).any(|index| self.beyond(index, a) == b)
    }

    /// Inserts a link of two grains.
    pub fn insert(&mut self, class: usize, link: ContactHistory, ends: [u32; 2]) {
        let slots = ends[0].max(ends[1]) as usize + 1;
        if self.heads.len() < slots {
            self.heads.resize(slots, NONE);
        }
        if let Some(groups) = &mut self.groups {
            for slot in groups.len()..slots {
                groups.add_grain(slot as u32);
            }
            groups.insert_link(ends[0], ends[1]);
        }
        let index = self.entries.len() as u32;
        let next = ends.map(|s| std::mem::replace(&mut self.heads[s as usize], index));
        self.entries.push(Entry {
            class: class as u16,
            link,
            ends,
            next,
        });
    }

    /// Removes a link; the last one gets its number.
    pub fn remove(&mut self, index: u32) -> (usize, ContactHistory) {
        let Entry {
            class,
            link,
            ends,
            next,
        } = self.entries[index as usize];
        for (slot, after) in ends.into_iter().zip(next) {
            self.redirect(slot, index, after);
        }
        if let Some(groups) = &mut self.groups {
            groups.remove_link(ends[0], ends[1]);
        }
        let last = self.entries.len() as u32 - 1;
        if index != last {
            let [a, b] = self.entries[last as usize].ends;
            self.redirect(a, last, index);
            self.redirect(b, last, index);
        }
        self.entries.swap_remove(index as usize);
        (usize::from(class), link)
    }

    /// Finds the groups of connected slots: from scratch the first time, afterwards only the splits by removed links.
    pub fn find_groups(&mut self) {
        let Some(mut groups) = self.groups.take() else {
            let mut groups = ClusterIndex::with_grains(self.heads.len() as u32);
            for entry in &self.entries {
                groups.insert_link(entry.ends[0], entry.ends[1]);
            }
            self.groups = Some(groups);
            return;
        };
        if groups.needs_refresh() {
            groups.refresh(|slot, f| self.of(slot).for_each(|index| f(self.beyond(index, slot))));
        }
        self.groups = Some(groups);
    }

    /// A label of the group of a slot at the last search; unique for a slot without links.
    pub fn group_of(&self, slot: u32) -> u32 {
        let groups = self.groups.as_ref();
        let known = groups.filter(|groups| (slot as usize) < groups.len());
        // Labels are less than the number of slots.
        known.map_or(u32::MAX - slot, |groups| groups.cluster_of(slot))
    }

    /// Applies new numbers of slots.
    pub fn renumber(&mut self, new_slot: &[u32]) {
        let mut heads = vec![NONE; new_slot.len()];
        for (slot, &head) in self.heads.iter().enumerate().filter(|(_, h)| **h != NONE) {
            heads[new_slot[slot] as usize] = head;
        }
        self.heads = heads;
        self.groups = None;
        for entry in &mut self.entries {
            let ContactHistory { a, b, .. } = &mut entry.link;
            for slot in [a, b].into_iter().chain(&mut entry.ends) {
                *slot = new_slot[*slot as usize];
            }
        }
    }

    fn after(&self, index: u32, slot: u32) -> u32 {
        let entry = &self.entries[index as usize];
        entry.next[usize::from(entry.ends[0] != slot)]
    }

    /// Changes the reference to `from` in the chain of a slot into one to `to`.
    fn redirect(&mut self, slot: u32, from: u32, to: u32) {
        let mut at = self.heads[slot as usize];
        if at == from {
            self.heads[slot as usize] = to;
            return;
        }
        while at != NONE {
            let side = usize::from(self.entries[at as usize].ends[0] != slot);
            let next = &mut self.entries[at as usize].next[side];
            if *next == from {
                *next = to;
                return;
            }
            at = *next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn holds_what_a_plain_list_holds() {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(3);
        let mut links = RestingLinks::default();
        let mut plain: Vec<(usize, u32, u32)> = Vec::new();
        // Grains have one part each, which some links use: two grains may have two links.
        let grain = |slot: u32| slot % 40;
        for round in 0..4_000 {
            let (a, b) = (rng.random_range(1..40u32), rng.random_range(1..40u32));
            let by = if rng.random::<f64>() < 0.5 { 0 } else { 40 };
            let known = |p: &(usize, u32, u32)| (p.1, p.2) == (a + by, b + by);
            if a != b && !plain.iter().any(known) && rng.random::<f64>() < 0.6 {
                links.insert(round % 3, ContactHistory::new(a + by, b + by), [a, b]);
                plain.push((round % 3, a + by, b + by));
            } else if !plain.is_empty() {
                let index = rng.random_range(0..plain.len() as u32);
                let (class, link) = links.remove(index);
                let at = plain.iter().position(|&p| p == (class, link.a, link.b));
                plain.remove(at.expect("it was there"));
            }
            if round % 500 == 0 {
                // Slots are exchanged.
                let new = |s: u32| (grain(s) * 7 + 3) % 40 + s / 40 * 40;
                let new: Vec<u32> = (0..80).map(new).collect();
                links.renumber(&new);
                for (_, a, b) in &mut plain {
                    (*a, *b) = (new[*a as usize], new[*b as usize]);
                }
            }
            let mut all: Vec<_> = links.iter().map(|(c, k)| (c, k.a, k.b)).collect();
            all.sort_unstable();
            plain.sort_unstable();
            assert_eq!(all, plain);
            for slot in 0..40 {
                let mut own: Vec<_> = links
                    .of(slot)
                    .map(|i| links.get(i).1.a + links.get(i).1.b)
                    .collect();
                own.sort_unstable();
                let of = plain.iter();
                let of = of.filter(|p| grain(p.1) == slot || grain(p.2) == slot);
                let mut expected: Vec<_> = of.map(|p| p.1 + p.2).collect();
                expected.sort_unstable();
                assert_eq!(own, expected);
                for other in (0..40).filter(|&other| other != slot) {
                    let between = |p: &(usize, u32, u32)| {
                        let ends = [grain(p.1), grain(p.2)];
                        ends == [slot, other] || ends == [other, slot]
                    };
                    let joined = plain.iter().any(between);
                    assert_eq!(links.joins(slot, other), joined);
                }
            }
        }
    }
}
