//! Connected groups of grains: merged at once, split on request.

use serde::{Deserialize, Serialize};

use super::touched::Touched;

/// Marks the remainder of a cluster after parts were split off.
const REST: u32 = u32::MAX;

/// Clusters of grains (thesis 5.3.2): connected groups of the graph whose nodes are grains, by
/// dense slot, and whose edges are links between grains. Boundaries never join clusters (thesis
/// 5.6.1), so this index does not contain links to them.
///
/// A new link merges two clusters at once: the smaller one takes the label of the larger. A lost
/// link is only recorded, since most lost links of a dense flow split nothing and the check can
/// wait until the clusters are needed. [`refresh`](Self::refresh) then searches alternately from
/// both ends of each lost link until the searches meet or the smaller part is complete: merging and
/// splitting cost only the grains they touch, however large the cluster is. Between refreshes a
/// cluster may contain several true clusters, but never part of one.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ClusterIndex {
    /// Label of the cluster of each slot.
    label: Vec<u32>,
    /// Members of each cluster as a doubly linked ring.
    next: Vec<u32>,
    before: Vec<u32>,
    /// Number of slots in the cluster of each label.
    size: Vec<u32>,
    /// Unused labels.
    free: Vec<u32>,
    /// Whether a slot holds a grain.
    alive: Vec<bool>,
    /// Links lost since the last refresh.
    lost: Vec<[u32; 2]>,
    /// Number of clusters that contain a grain, or have contained one since the last refresh.
    count: usize,
    /// Number of grains visited, by event.
    touched: Touched,
    /// Buffers kept to avoid reallocation.
    #[serde(skip)]
    search: Search,
}

/// The two searches that start from the ends of a lost link.
#[derive(Clone, Debug, Default)]
struct Search {
    /// Number of the last search that reached each slot; each lost link uses two numbers.
    seen: Vec<u32>,
    last: u32,
    /// Slots in the order in which each search found them.
    found: [Vec<u32>; 2],
}

impl ClusterIndex {
    /// Whether the index covers exactly `slots` slots and refers to no other.
    pub fn is_whole(&self, slots: usize) -> bool {
        let lists = [&self.label, &self.next, &self.before];
        let there = |slot: &u32| (*slot as usize) < slots;
        lists
            .into_iter()
            .all(|list| list.len() == slots && list.iter().all(there))
            && self.alive.len() == slots
            && self.lost.iter().flatten().all(there)
    }

    /// An index without grains.
    pub fn new() -> Self {
        Self::default()
    }

    /// An index of grains 0 to `grains` - 1, each a cluster of its own.
    pub fn with_grains(grains: u32) -> Self {
        let mut index = Self::default();
        for grain in 0..grains {
            index.add_grain(grain);
        }
        index
    }

    /// Number of slots.
    pub fn len(&self) -> usize {
        self.label.len()
    }

    /// Whether there is no slot.
    pub fn is_empty(&self) -> bool {
        self.label.is_empty()
    }

    /// Adds a grain without links at a slot, which a removed grain may have used before.
    pub fn add_grain(&mut self, grain: u32) {
        let slot = grain as usize;
        while self.label.len() <= slot {
            let new = self.label.len() as u32;
            self.label.push(new);
            self.next.push(new);
            self.before.push(new);
            self.size.push(1);
            self.alive.push(false);
        }
        debug_assert!(!self.alive[slot], "slot {grain} holds a grain");
        // The slot of a member of a cluster not yet refreshed is still in the ring of that cluster:
        // the new grain counts as a member of it until the refresh.
        if self.next[slot] == grain {
            self.count += 1;
        }
        self.alive[slot] = true;
    }

    /// Removes a grain. The caller has removed its links before.
    pub fn remove_grain(&mut self, grain: u32) {
        let slot = grain as usize;
        debug_assert!(self.alive[slot], "slot {grain} holds no grain");
        self.alive[slot] = false;
        if self.next[slot] == grain {
            self.count -= 1;
        }
    }

    /// Adds a link between two grains. Returns whether two clusters merged.
    #[inline]
    pub fn insert_link(&mut self, a: u32, b: u32) -> bool {
        debug_assert!(self.alive[a as usize] && self.alive[b as usize]);
        if self.same(a, b) {
            self.touched.add(2);
            return false;
        }
        let smaller = self.join(a, b);
        self.touched.add(1 + smaller);
        true
    }

    /// Removes a link between two grains: their cluster may have split.
    #[inline]
    pub fn remove_link(&mut self, a: u32, b: u32) {
        debug_assert!(self.same(a, b), "no link joined {a} and {b}");
        self.lost.push([a, b]);
    }

    /// Finds the splits caused by lost links. `links` calls back with the peer of every link of a
    /// grain; peers that are not grains are ignored. Returns the number of grains visited.
    pub fn refresh<L>(&mut self, links: L) -> usize
    where
        L: Fn(u32, &mut dyn FnMut(u32)),
    {
        let lost = std::mem::take(&mut self.lost);
        // For each part that was split off, in order, the grain on the other side of the lost link.
        let mut parts: Vec<u32> = Vec::new();
        let mut part_of = vec![REST; if lost.is_empty() { 0 } else { self.label.len() }];
        let mut sum = 0;
        for &[a, b] in &lost {
            // A part that was split off took its lost links with it. What such links may have connected is
            // then represented by the grain on the other side of the link at which the part was split off.
            let (mut a, mut b) = (a, b);
            while !self.same(a, b) {
                let (p, q) = (part_of[self.of(a)], part_of[self.of(b)]);
                if p < q {
                    a = parts[p as usize];
                } else {
                    b = parts[q as usize];
                }
            }
            // A part that was split off is known to be connected.
            if a == b || part_of[self.of(a)] != REST {
                self.touched.add(2);
                continue;
            }
            let (looked_at, whole) = self.look(a, b, &links);
            sum += looked_at;
            self.touched.add(looked_at);
            if let Some(side) = whole {
                let (grain, stays) = if side == 0 { (a, b) } else { (b, a) };
                let part = self.split_off(side, grain, stays);
                part_of[part as usize] = parts.len() as u32;
                parts.push(stays);
            }
        }
        self.lost = lost;
        self.lost.clear();
        sum
    }

    /// Label of the cluster of a grain, the same for all its grains. The value depends on the
    /// history of the links.
    #[inline]
    pub fn cluster_of(&self, grain: u32) -> u32 {
        self.label[grain as usize]
    }

    /// Whether two grains are in one cluster.
    #[inline]
    pub fn same(&self, a: u32, b: u32) -> bool {
        self.label[a as usize] == self.label[b as usize]
    }

    /// Whether some cluster may have split since the last refresh.
    pub fn needs_refresh(&self) -> bool {
        !self.lost.is_empty()
    }

    /// Links lost since the last refresh.
    pub fn lost(&self) -> usize {
        self.lost.len()
    }

    /// Number of clusters, including single grains.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Number of grains in the cluster of a grain.
    pub fn size(&self, grain: u32) -> usize {
        if self.needs_refresh() {
            return self.members(grain).count();
        }
        self.size[self.of(grain)] as usize
    }

    /// Grains of the cluster of a grain, that grain first. The order of the others depends on the
    /// history of the links: sort where it matters.
    pub fn members(&self, grain: u32) -> impl Iterator<Item = u32> + '_ {
        let mut at = Some(grain);
        std::iter::from_fn(move || {
            let here = at?;
            let next = self.next[here as usize];
            at = (next != grain).then_some(next);
            Some(here)
        })
        .filter(|&g| self.alive[g as usize])
    }

    /// Grains visited by each insertion (two; for a merge, one more than the size of the smaller cluster) and
    /// each removal (all that the search for a split reached; two where no search was needed).
    pub fn touched(&self) -> &Touched {
        &self.touched
    }

    /// Resets the counts of visited grains.
    pub fn forget_touched(&mut self) {
        self.touched = Touched::default();
    }

    /// Continues the counts of the index that this one replaces. Links lost there need no search:
    /// this index was built with the splits resolved.
    pub fn go_on_from(&mut self, other: ClusterIndex) {
        self.touched = other.touched;
        for _ in other.lost {
            self.touched.add(2);
        }
    }

    #[inline]
    fn of(&self, grain: u32) -> usize {
        self.label[grain as usize] as usize
    }

    /// Merges the clusters of `a` and `b`; returns the size of the smaller.
    fn join(&mut self, a: u32, b: u32) -> usize {
        let larger = self.size[self.of(a)] >= self.size[self.of(b)];
        let (top, under) = if larger { (a, b) } else { (b, a) };
        let (kept, freed) = (self.label[top as usize], self.label[under as usize]);
        let size = self.size[freed as usize];
        let mut at = under;
        loop {
            self.label[at as usize] = kept;
            at = self.next[at as usize];
            if at == under {
                break;
            }
        }
        // Exchanging the successors of `top` and `under` merges the two rings.
        self.next.swap(top as usize, under as usize);
        let (p, q) = (self.next[top as usize], self.next[under as usize]);
        self.before[p as usize] = top;
        self.before[q as usize] = under;
        self.size[kept as usize] += size;
        self.free.push(freed);
        self.count -= 1;
        size as usize
    }

    /// Searches from `a` and `b` alternately, one grain at a time. Returns the number of grains
    /// visited, and which search, if any, completed its part without meeting the other.
    fn look<L>(&mut self, a: u32, b: u32, links: &L) -> (usize, Option<usize>)
    where
        L: Fn(u32, &mut dyn FnMut(u32)),
    {
        let search = &mut self.search;
        search.seen.resize(self.label.len(), 0);
        if search.last > u32::MAX - 2 {
            search.seen.fill(0);
            search.last = 0;
        }
        let names = [search.last + 1, search.last + 2];
        search.last += 2;
        for (side, grain) in [a, b].into_iter().enumerate() {
            search.found[side].clear();
            search.found[side].push(grain);
            search.seen[grain as usize] = names[side];
        }
        let mut next = [0; 2];
        let mut side = 0;
        let (mut met, alive) = (false, &self.alive);
        while !met && next[side] < search.found[side].len() {
            let grain = search.found[side][next[side]];
            next[side] += 1;
            let (seen, found) = (&mut search.seen, &mut search.found[side]);
            if alive[grain as usize] {
                links(grain, &mut |peer| {
                    let known = seen.get(peer as usize).copied();
                    met |= known == Some(names[1 - side]);
                    if known.is_some_and(|k| k != names[side]) && alive[peer as usize] && !met {
                        seen[peer as usize] = names[side];
                        found.push(peer);
                    }
                });
            }
            side = 1 - side;
        }
        let looked_at = search.found[0].len() + search.found[1].len();
        (looked_at, (!met).then_some(side))
    }

    /// Gives the grains found by a search, which include `grain`, a label of their own; `stays` is in the remainder.
    fn split_off(&mut self, side: usize, grain: u32, stays: u32) -> u32 {
        // There are as many labels as slots, and two clusters share one label here, so one label is free.
        let new = self.free.pop().unwrap_or_default();
        let old = self.of(grain);
        let found = std::mem::take(&mut self.search.found[side]);
        self.size[old] -= found.len() as u32;
        self.size[new as usize] = found.len() as u32;
        let mut last = found[found.len() - 1];
        for &slot in &found {
            let s = slot as usize;
            self.label[s] = new;
            let (p, n) = (self.before[s], self.next[s]);
            self.next[p as usize] = n;
            self.before[n as usize] = p;
        }
        for &slot in &found {
            self.next[last as usize] = slot;
            self.before[slot as usize] = last;
            last = slot;
        }
        self.search.found[side] = found;
        self.count += 1;
        // A removed grain that is left alone is not a cluster.
        let removed = |label: usize, slot: u32| self.size[label] == 1 && !self.alive[slot as usize];
        self.count -= usize::from(removed(new as usize, grain)) + usize::from(removed(old, stays));
        new
    }
}
