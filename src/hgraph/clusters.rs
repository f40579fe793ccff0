//! Which grains hang together: merged at once, split when asked.

use serde::{Deserialize, Serialize};

use super::touched::Touched;

/// The part that is left of a cluster of which others were split off.
const REST: u32 = u32::MAX;

/// Clusters of grains (thesis 5.3.2): connected groups of the graph whose nodes are grains, by dense
/// slot, and whose edges are links between grains. Boundaries never join clusters (thesis 5.6.1), so
/// links to them are not told to this index.
///
/// A new link merges two clusters at once: the smaller one takes the label of the larger. A lost
/// link is only noted, since most lost links of a dense flow split nothing and the others can wait
/// until somebody asks. [`refresh`](Self::refresh) then searches from both ends of each, in turn,
/// until the searches meet or the smaller part is known: neither costs more than what is touched,
/// however large the cluster is. Between refreshes a cluster may hold several true clusters, never
/// less than a whole one.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ClusterIndex {
    /// Label of the cluster of each slot.
    label: Vec<u32>,
    /// Members of a cluster as a ring, both ways round.
    next: Vec<u32>,
    before: Vec<u32>,
    /// Slots in the cluster of each label.
    size: Vec<u32>,
    /// Labels that are not in use.
    free: Vec<u32>,
    /// Whether a slot holds a grain.
    alive: Vec<bool>,
    /// Links lost since the last refresh.
    lost: Vec<[u32; 2]>,
    /// Number of clusters that hold, or held since the last refresh, a grain.
    count: usize,
    /// Grains looked at, by events.
    touched: Touched,
    /// Kept to save its allocations.
    #[serde(skip)]
    search: Search,
}

/// The two searches that go out from the ends of a lost link.
#[derive(Clone, Debug, Default)]
struct Search {
    /// Number of the search that last came by each slot: two a lost link.
    seen: Vec<u32>,
    last: u32,
    /// Slots in the order in which they were found, and how many of them were looked at.
    found: [Vec<u32>; 2],
}

impl ClusterIndex {
    /// Whether it is of so many slots, and names no other.
    pub fn is_whole(&self, slots: usize) -> bool {
        let lists = [&self.label, &self.next, &self.before];
        let there = |slot: &u32| (*slot as usize) < slots;
        lists
            .into_iter()
            .all(|list| list.len() == slots && list.iter().all(there))
            && self.alive.len() == slots
            && self.lost.iter().flatten().all(there)
    }

    /// No grains.
    pub fn new() -> Self {
        Self::default()
    }

    /// Grains 0 to `grains` - 1, each a cluster by itself.
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

    /// A grain without links appears at a slot, which may have been that of a removed one.
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
        // A slot left by a member of a cluster not refreshed since is still in its ring: the new
        // grain counts as of that cluster until the refresh, which tells the truth.
        if self.next[slot] == grain {
            self.count += 1;
        }
        self.alive[slot] = true;
    }

    /// A grain goes, whose links were told to be lost before.
    pub fn remove_grain(&mut self, grain: u32) {
        let slot = grain as usize;
        debug_assert!(self.alive[slot], "slot {grain} holds no grain");
        self.alive[slot] = false;
        if self.next[slot] == grain {
            self.count -= 1;
        }
    }

    /// A link forms between two grains. Returns whether two clusters became one.
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

    /// A link between two grains is lost: their cluster may have split.
    #[inline]
    pub fn remove_link(&mut self, a: u32, b: u32) {
        debug_assert!(self.same(a, b), "no link joined {a} and {b}");
        self.lost.push([a, b]);
    }

    /// Finds the splits that lost links made. `links` calls back with the peer of every link of a
    /// grain; peers that are no grains are passed over. Returns how many grains were looked at.
    pub fn refresh<L>(&mut self, links: L) -> usize
    where
        L: Fn(u32, &mut dyn FnMut(u32)),
    {
        let lost = std::mem::take(&mut self.lost);
        // For each part that was split off, in order, the grain that it was held by where it left.
        let mut parts: Vec<u32> = Vec::new();
        let mut part_of = vec![REST; if lost.is_empty() { 0 } else { self.label.len() }];
        let mut sum = 0;
        for &[a, b] in &lost {
            // A part took its lost links with it. What they may have held together is held, where it
            // left, by the grain at the other end of the link that was looked at then.
            let (mut a, mut b) = (a, b);
            while !self.same(a, b) {
                let (p, q) = (part_of[self.of(a)], part_of[self.of(b)]);
                if p < q {
                    a = parts[p as usize];
                } else {
                    b = parts[q as usize];
                }
            }
            // A part that was split off is known to be whole.
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

    /// A label of the cluster of a grain, the same for all its grains. Which one depends on the
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

    /// Number of clusters, single grains included.
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

    /// Grains of the cluster of a grain, itself first. The order of the others depends on the
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

    /// Grains looked at by each insertion (two; where it merges, one more than the smaller cluster
    /// has) and each removal (all that the search for a split came by; two where none was needed).
    pub fn touched(&self) -> &Touched {
        &self.touched
    }

    /// Begins to count anew what is touched.
    pub fn forget_touched(&mut self) {
        self.touched = Touched::default();
    }

    /// Goes on with the counts of an index that this one takes the place of. Whether the links that
    /// were lost there split anything, this one was built to know.
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

    /// Makes one cluster of the two of `a` and `b`; returns the size of the smaller.
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
        // Two rings become one by exchanging their next.
        self.next.swap(top as usize, under as usize);
        let (p, q) = (self.next[top as usize], self.next[under as usize]);
        self.before[p as usize] = top;
        self.before[q as usize] = under;
        self.size[kept as usize] += size;
        self.free.push(freed);
        self.count -= 1;
        size as usize
    }

    /// Searches from `a` and `b` in turn, a grain at a time. Gives the grains that were come by, and
    /// which search, if one, found all there is to find without meeting the other.
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

    /// Gives what a search found, which holds `grain`, a label of its own; `stays` is of the rest.
    fn split_off(&mut self, side: usize, grain: u32, stays: u32) -> u32 {
        // There are as many labels as slots, and one of them is shared by two: one is free.
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
        // A removed grain ends up alone, and is no cluster then.
        let removed = |label: usize, slot: u32| self.size[label] == 1 && !self.alive[slot as usize];
        self.count -= usize::from(removed(new as usize, grain)) + usize::from(removed(old, stays));
        new
    }
}
